package recordings

import (
	"bytes"
	"crypto/sha256"
	"sync"
	"time"
)

const (
	defaultBuffer = 16 << 20
	maxBlock      = 256 << 10

	// shortChunk is from which mean length on chunks fill a block by their bytes. Those of shorter ones fill it by
	// their number: what is noted of each takes about as much memory.
	shortChunk = 64

	// stallAfter is how long a file may take nothing before callers stop waiting for it.
	stallAfter = 250 * time.Millisecond
)

// buffer takes copies of what is being forwarded and hands them to one consumer in the order of
// arrival. It is bounded in bytes. Its lock is never held over I/O.
//
// Bytes are kept in blocks, the last of which is being filled. When all blocks are in use, callers
// wait for the consumer while it gets on, and once it has stalled their bytes are a gap, counted and
// hashed but not kept, until half of the blocks are free again.
type buffer struct {
	mu     sync.Mutex
	clock  func() time.Duration
	size   int      // bytes of a block
	spare  int      // blocks that may still be made
	queue  []*block // oldest first
	free   []*block
	busy   *block // with the consumer
	closed bool

	waiting bool          // the consumer sleeps until something comes
	dozing  bool          // the consumer lets things pile up, unless they become many
	wake    chan struct{} // holds a token when the consumer must look
	room    chan struct{} // closed when a block becomes free; nil when nobody waits for one
	inside  time.Time     // since when the consumer is in calls on a file that takes nothing; zero elsewhere
	lost    loss

	sums sums
}

// block is a piece of the buffer.
type block struct {
	data   []byte
	items  []item
	hashed int // items whose bytes are in the sums already
	users  int // of a block that has left the queue: the consumer, and who hashes it
}

// item is a chunk, or something that happened between chunks.
type item struct {
	kind   itemKind
	stream Stream
	from   int // of the chunk's bytes in the block
	to     int
	t      time.Duration
	event  *Event
	lost   *loss
}

type itemKind uint8

const (
	chunkItem itemKind = iota
	eventItem
	endItem  // a stream ended
	lossItem // bytes were not kept
)

// loss counts what was not recorded.
type loss struct {
	open   bool
	reason string
	from   time.Duration
	to     time.Duration
	stream [4]streamLoss
}

// streamLoss is the part of a loss in one stream.
type streamLoss struct {
	bytes, frames int64
	first         int64 // bytes in front of the first line end, all where there is none
	last          int64 // bytes after the last line end, all where there is none
}

func (l *loss) add(t time.Duration, s Stream, b []byte) {
	l.to = t
	n := &l.stream[s]
	ends := int64(bytes.Count(b, []byte{'\n'}))
	if n.frames == 0 {
		n.first += int64(len(b))
		if ends > 0 {
			n.first += int64(bytes.IndexByte(b, '\n') - len(b))
		}
	}
	n.last += int64(len(b))
	if ends > 0 {
		n.last = int64(len(b) - 1 - bytes.LastIndexByte(b, '\n'))
	}
	n.bytes += int64(len(b))
	n.frames += ends
}

// newBuffer makes a buffer that holds about limit bytes, 0 for the usual number. It hashes them unless that is not
// wanted.
func newBuffer(limit int, clock func() time.Duration, hashed bool) *buffer {
	if limit <= 0 {
		limit = defaultBuffer
	}
	size := min(maxBlock, max(limit/8, 16))
	b := &buffer{clock: clock, size: size, spare: max(limit/size, 2), wake: make(chan struct{}, 1), inside: time.Now()}
	for s := Stdin; s <= Stderr && hashed; s++ {
		b.sums.digest[s] = sha256.New()
	}
	return b
}

// chunk takes a copy of p and its time in one step. It blocks while the buffer is full and the
// consumer gets on.
func (b *buffer) chunk(s Stream, p []byte) (stalled bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for len(p) > 0 && !b.closed {
		if b.lost.open {
			b.lose(s, p)
			return false
		}
		to := b.tail()
		if to == nil {
			if !b.waitForRoom() {
				b.lost = loss{open: true, reason: "the recorder could not keep up", from: b.clock()}
				b.hashAll()
				b.lose(s, p)
				return true
			}
			continue
		}
		n := min(len(p), cap(to.data)-len(to.data))
		from := len(to.data)
		to.data = append(to.data, p[:n]...)
		to.items = append(to.items, item{stream: s, from: from, to: from + n, t: b.clock()})
		p = p[n:]
		b.notify()
	}
	return false
}

// put queues what is no chunk. It never waits: there are few of them.
func (b *buffer) put(it item) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return
	}
	it.t = b.clock()
	b.putLocked(it)
	b.notify()
}

func (b *buffer) putLocked(it item) {
	if len(b.queue) == 0 {
		b.queue = append(b.queue, b.block())
	}
	last := b.queue[len(b.queue)-1]
	it.from, it.to = len(last.data), len(last.data)
	last.items = append(last.items, it)
}

// lose counts and hashes bytes that are not kept.
func (b *buffer) lose(s Stream, p []byte) {
	b.lost.add(b.clock(), s, p)
	b.sums.Lock()
	if d := b.sums.digest[s]; d != nil {
		d.Write(p)
	}
	b.sums.Unlock()
}

// tail returns the block to append to, nil if all are full.
func (b *buffer) tail() *block {
	if n := len(b.queue); n > 0 {
		last := b.queue[n-1]
		if len(last.data) < cap(last.data) && len(last.items) <= b.size/shortChunk {
			return last
		}
	}
	if len(b.free) == 0 && b.spare == 0 {
		return nil
	}
	next := b.block()
	b.queue = append(b.queue, next)
	return next
}

// block returns an empty block, beyond the limit if need be.
func (b *buffer) block() *block {
	if n := len(b.free); n > 0 {
		next := b.free[n-1]
		b.free = b.free[:n-1]
		return next
	}
	if b.spare > 0 {
		b.spare--
		return &block{data: make([]byte, 0, b.size)}
	}
	// Only an event while no byte of room is left: it brings no bytes.
	return &block{}
}

// waitForRoom waits until a block may be free. It returns false when the file takes nothing. A
// consumer that is merely slow, or gets no processor, is waited for: it will get on.
func (b *buffer) waitForRoom() bool {
	wait := stallAfter
	if !b.inside.IsZero() {
		wait = time.Until(b.inside.Add(stallAfter))
	}
	if wait <= 0 {
		return false
	}
	if b.room == nil {
		b.room = make(chan struct{})
	}
	room := b.room
	timer := time.NewTimer(wait)
	b.mu.Unlock()
	select {
	case <-room:
	case <-timer.C:
	}
	timer.Stop()
	b.mu.Lock()
	return true
}

// notify wakes the consumer if it must look now.
func (b *buffer) notify() {
	if b.waiting || b.dozing && len(b.queue) > 2 {
		b.waiting, b.dozing = false, false
		b.wakeUp()
	}
}

func (b *buffer) wakeUp() {
	select {
	case b.wake <- struct{}{}:
	default:
	}
}

// take gives the last block back and returns the next one. It returns nil when there is none.
func (b *buffer) take() *block {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.busy != nil {
		b.leaveBlock(b.busy)
		b.busy = nil
	}
	if len(b.queue) == 0 {
		return nil
	}
	next := b.queue[0]
	copy(b.queue, b.queue[1:])
	b.queue = b.queue[:len(b.queue)-1]
	b.busy, next.users = next, 1
	b.hashLater(next)
	return next
}

// leaveBlock tells that one of its users needs a block no more. The last one makes it free.
func (b *buffer) leaveBlock(done *block) {
	if done.users--; done.users > 0 {
		return
	}
	clear(done.items)
	if done.data = done.data[:0]; cap(done.data) == b.size {
		*done = block{data: done.data, items: done.items[:0]}
		b.free = append(b.free, done)
	}
	if b.room != nil {
		close(b.room)
		b.room = nil
	}
	if b.lost.open && 2*(len(b.free)+b.spare) >= len(b.queue) {
		b.endLoss()
	}
}

// endLoss lets the recording resume after a loss.
func (b *buffer) endLoss() {
	lost := b.lost
	b.lost = loss{}
	b.putLocked(item{kind: lossItem, t: lost.to, lost: &lost})
	b.notify() // who hashed the last block is not the consumer
}

// rest tells the consumer's state before it sleeps: doze is to be woken only when much has come.
// It returns false when there is something to do already.
func (b *buffer) rest(doze bool) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !doze && (len(b.queue) > 0 || b.closed) || doze && (len(b.queue) > 2 || b.closed) {
		return false
	}
	b.waiting, b.dozing = !doze, doze
	return true
}

// enter tells that the consumer goes into a call on the file, unless it is in one already.
func (b *buffer) enter() {
	b.mu.Lock()
	if b.inside.IsZero() {
		b.inside = time.Now()
	}
	b.mu.Unlock()
}

// leave tells that it is back from there.
func (b *buffer) leave() {
	b.mu.Lock()
	b.inside = time.Time{}
	b.mu.Unlock()
}

// advanced notes that the file took something.
func (b *buffer) advanced() {
	b.mu.Lock()
	if !b.inside.IsZero() {
		b.inside = time.Now()
	}
	b.mu.Unlock()
}

// stalledFor returns for how long the file has taken nothing.
func (b *buffer) stalledFor() time.Duration {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.inside.IsZero() {
		return 0
	}
	return time.Since(b.inside)
}

// close lets nothing more in. What is there can still be taken.
func (b *buffer) close() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return
	}
	b.closed = true
	if b.lost.open {
		b.endLoss()
	}
	if b.room != nil {
		close(b.room)
		b.room = nil
	}
	if !b.inside.IsZero() {
		b.inside = time.Now()
	}
	b.wakeUp()
}

// empty reports whether nothing waits.
func (b *buffer) empty() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.queue) == 0
}
