package recordings

import (
	"encoding/hex"
	"errors"
	"io"
	"os"
	"time"

	"github.com/shakescope/shakescope/jsonrpc"
)

const (
	// partAfter is how long an unfinished line may rest before what is there is written as a part.
	partAfter = 100 * time.Millisecond

	// doze is how long the writer lets records pile up for one write, longest how long at most when
	// more and more come.
	doze    = time.Millisecond
	longest = 2 * time.Millisecond

	flushSize  = 128 << 10
	mostOutput = 512 << 10 // when records are much longer than what they hold
	keepOutput = 1 << 20

	// What a record takes besides its payload, at most.
	frameRoom = 200
	otherRoom = 400

	// retryAfter is how long the writer waits after a failed write before it tries again.
	retryAfter = 250 * time.Millisecond

	// writeFor is how long one write to a pipe or a device may block before its progress is noted.
	writeFor = 100 * time.Millisecond
)

// writer is the one goroutine that turns chunks into records and writes them.
type writer struct {
	abandonment
	buf    *buffer
	clock  func() time.Duration
	log    func(string)
	timer  *time.Timer
	sink   io.Writer
	header []byte // while it is not in the file

	segments *segments // nil where there is no file of our own
	size     int64     // of the file
	lasting  lasting

	seq     int64
	lead    lead
	lines   [4]line
	gaps    int64
	facts   facts
	waiting waiting
	out     []byte
	pending []pending // what out holds
	flushed time.Time

	mask *masking // nil where nothing is masked

	err     error // the first
	failing bool
	missing missing
}

// line is the line of a stream that is being written.
type line struct {
	framer *jsonrpc.Framer
	open   bool          // it has begun
	t0     time.Duration // of its first byte
	last   time.Duration // of its last byte so far
	number int64
	parts  int
	bytes  int64 // of its parts
	cut    bool  // bytes of it are in a gap
	hidden int64 // how many
	over   int64 // bytes of it that were dropped, because it is too long to be masked

	sum StreamSum // of what is in records so far, those of gaps included
}

func newWriter(buf *buffer, clock func() time.Duration, m Masker) *writer {
	w := &writer{buf: buf, clock: clock, timer: time.NewTimer(time.Hour)}
	w.timer.Stop()
	limit := maxVerbatim
	if m != nil {
		w.mask, limit = newMasking(m), maxMasked
	}
	for s := Stdin; s <= Stderr; s++ {
		w.lines[s].framer = jsonrpc.NewFramer(limit)
	}
	return w
}

func (w *writer) run(open func(giveUp func() bool) (io.Writer, error)) {
	sink, err := open(func() bool { return w.closing() })
	w.buf.leave()
	if err != nil {
		w.err = err
		w.complain(err.Error())
		w.discard()
		return
	}
	w.sink = sink
	defer func() {
		w.buf.enter()
		if c, ok := w.sink.(io.Closer); ok {
			c.Close()
		}
	}()
	w.flushed = time.Now()
	for !w.abandoned.Load() {
		if w.failing && !w.retry() {
			if w.closing() {
				return
			}
			continue
		}
		if len(w.header) > 0 {
			w.out = append(w.out, w.header...)
			w.pending = append(w.pending, pending{end: len(w.out), header: true})
			w.header = nil
			w.flush()
			continue
		}
		block := w.buf.take()
		if block != nil {
			w.block(block)
			if len(w.out) >= flushSize || time.Since(w.flushed) > longest {
				w.flush()
				w.lookSometimes()
			}
			continue
		}
		w.flush()
		w.lookSometimes()
		if w.failing {
			continue
		}
		if w.closing() && w.buf.empty() {
			w.finish()
			return
		}
		w.rest()
	}
}

// closing reports whether nothing more will come.
func (w *writer) closing() bool {
	w.buf.mu.Lock()
	defer w.buf.mu.Unlock()
	return w.buf.closed
}

// discard empties the buffer for good: there is no file.
func (w *writer) discard() {
	for !w.abandoned.Load() {
		if w.buf.take() == nil {
			if w.closing() && w.buf.empty() {
				return
			}
			w.buf.hashNow()
			w.await(false, 0)
		}
	}
}

// rest sleeps until there is something to do. It is woken by the first chunk, and then lets more
// come for a moment: one write for many records.
func (w *writer) rest() {
	w.buf.hashNow()
	w.await(false, w.unfinished())
	w.await(true, doze)
	w.flushUnfinished()
}

// await sleeps until the buffer has something, or much if dozing, for at most limit (0 is for ever).
func (w *writer) await(dozing bool, limit time.Duration) {
	if !w.buf.rest(dozing) {
		return
	}
	if limit <= 0 {
		<-w.buf.wake
		return
	}
	w.timer.Reset(limit)
	select {
	case <-w.buf.wake:
		w.timer.Stop()
	case <-w.timer.C:
	}
}

// unfinished returns how long to wait for the rest of a line before a part is written, 0 when there
// is none to wait for.
func (w *writer) unfinished() time.Duration {
	var wait time.Duration
	if w.mask != nil {
		return 0 // what is in half a line cannot be told
	}
	for s := Stdin; s <= Stderr; s++ {
		if l := &w.lines[s]; l.framer.Pending() > 0 {
			if due := max(l.last+partAfter-w.clock(), doze); wait == 0 || due < wait {
				wait = due
			}
		}
	}
	return wait
}

func (w *writer) flushUnfinished() {
	if w.mask != nil {
		return
	}
	for s := Stdin; s <= Stderr; s++ {
		if l := &w.lines[s]; l.framer.Pending() > 0 && w.clock() >= l.last+partAfter {
			if f, ok := l.framer.Flush(); ok {
				w.part(s, f.Data, l.last)
			}
		}
	}
}

func (w *writer) block(b *block) {
	for i := range b.items {
		it := &b.items[i]
		switch it.kind {
		case chunkItem:
			w.chunk(it.stream, b.data[it.from:it.to], it.t)
		case eventItem:
			w.event(it.t, it.event)
		case endItem:
			w.endStream(it.stream, it.t)
		case lossItem:
			w.loss(it.lost)
		}
	}
}

func (w *writer) chunk(s Stream, data []byte, t time.Duration) {
	l := &w.lines[s]
	if l.over > 0 {
		data = l.drop(data)
	}
	l.framer.Push(data)
	for {
		f, ok := l.framer.Next()
		if !ok {
			break
		}
		if f.More {
			l.begin(t)
			if w.mask != nil {
				l.over += int64(len(f.Data))
				continue
			}
			w.part(s, f.Data, t)
			continue
		}
		w.frame(s, f.Data, f.EOL, t, false)
		if len(w.out) >= mostOutput {
			w.flush()
		}
	}
	l.last = t
	if l.framer.Pending() > 0 {
		l.begin(t)
	}
}

func (l *line) begin(t time.Duration) {
	if !l.open {
		l.open, l.t0 = true, t
	}
}

// frame writes the last, usually the only, piece of a line. Partial is set where the stream ended
// without a line end.
func (w *writer) frame(s Stream, data []byte, eol jsonrpc.EOL, t time.Duration, partial bool) {
	l := &w.lines[s]
	var why Withheld
	size := int64(len(data))
	if w.mask != nil {
		data, why = w.masked(s, data, t)
	}
	w.makeRoom(frameRoom+min(len(data), 2*maxHead), data)
	if l.parts > 0 {
		if from, _ := cutAtRunes(data); from > 0 {
			w.part(s, data[:from], t)
			data = data[from:]
		}
	}
	w.seq++
	f := frameHead{seq: w.seq, t: t, t0: t, stream: s, parts: l.parts, eol: eol, partial: partial}
	if l.open {
		f.t0 = l.t0
	}
	var h head
	verbatim := false
	switch {
	case why != NotWithheld:
		f.truncated, f.size, f.withheld = true, l.hidden+l.over+size, why
		if why == TooLong {
			w.waiting.long(s)
		}
	case l.cut:
		f.truncated, f.size = true, l.hidden+l.bytes+int64(len(data))
	case l.parts > 0:
		w.facts.long(s)
		w.waiting.long(s)
	default:
		verbatim = h.scan(data)
		switch {
		case s == Stderr:
			h = head{} // no message, whatever it looks like
		case verbatim:
			w.facts.message(s, &h, data)
			w.waiting.note(s, &h)
			w.lasting.message(&f, &h, data)
		default:
			d := decoded(data)
			w.facts.message(s, &d, data)
			w.waiting.note(s, &d)
			w.lasting.message(&f, &d, data)
		}
	}
	w.out = appendFrame(w.out, &w.lead, &f, data, &h, verbatim)
	n := pending{end: len(w.out), stream: s, bytes: int64(len(data) + len(eol)), t: t}
	if eol != jsonrpc.None || partial {
		n.frames = 1
		l.sum.Frames++
	}
	l.sum.Bytes += n.bytes
	w.pending = append(w.pending, n)
	if w.mask != nil {
		w.mask.hash(s, data)
		w.mask.hash(s, []byte(eol))
	}
	l.open, l.cut, l.parts, l.bytes, l.hidden, l.over = false, false, 0, 0, 0, 0
	l.number++
}

// part writes a piece of a line that is too long or too slow to wait for.
func (w *writer) part(s Stream, data []byte, t time.Duration) {
	from, to := cutAtRunes(data)
	for _, piece := range [...][]byte{data[:from], data[from:to], data[to:]} {
		if len(piece) == 0 {
			continue
		}
		w.makeRoom(frameRoom, piece)
		l := &w.lines[s]
		w.out = appendPart(w.out, l.parts, t, s, piece)
		w.pending = append(w.pending, pending{end: len(w.out), stream: s, bytes: int64(len(piece)), t: t, part: true, line: l.number})
		l.parts++
		l.bytes += int64(len(piece))
		l.sum.Bytes += int64(len(piece))
		w.mask.hash(s, piece)
	}
}

func (w *writer) event(t time.Duration, e *Event) {
	if w.mask != nil {
		masked := w.mask.Event(*e)
		e = &masked
	}
	w.makeRoom(otherRoom+len(e.Reason), nil)
	w.seq++
	w.facts.event(e)
	w.out = appendEvent(w.out, w.seq, t, e)
	w.pending = append(w.pending, pending{end: len(w.out), t: t, event: e})
}

func (w *writer) endStream(s Stream, t time.Duration) {
	l := &w.lines[s]
	if f, ok := l.framer.Close(); ok {
		w.frame(s, f.Data, jsonrpc.None, t, true)
	} else if l.cut {
		// The end of the line is in a gap: nothing of it is left to be written.
		l.cut, l.hidden = false, 0
	}
}

// finish writes the end.
func (w *writer) finish() {
	t := w.clock()
	for s := Stdin; s <= Stderr; s++ {
		w.endStream(s, t)
	}
	w.flush()
	w.look()
	end := End{Streams: make(map[string]StreamSum), Gaps: w.gaps}
	digest := w.buf.digests()
	if w.mask != nil {
		digest = w.mask.digest
	}
	for s := Stdin; s <= Stderr; s++ {
		sum := w.lines[s].sum
		sum.SHA256 = hex.EncodeToString(digest[s].Sum(nil))
		end.Streams[streamNames[s]] = sum
	}
	end.Cache = w.facts.summary()
	w.out = appendEnd(w.out, t, &end)
	w.pending = append(w.pending, pending{end: len(w.out), t: t})
	w.flush()
	if w.failing || w.abandoned.Load() {
		return
	}
	w.written.Store(true)
	w.buf.enter()
	if f, ok := w.sink.(*os.File); ok {
		// A device or a pipe has nothing to sync, and says so by an error.
		_ = f.Sync()
	}
}

// flush writes all records that are ready. What was ready when a write failed is lost with it.
func (w *writer) flush() {
	w.flushed = time.Now()
	if len(w.out) == 0 {
		return
	}
	if w.failing {
		w.fail(-1, w.err)
		w.out, w.pending = w.out[:0], w.pending[:0]
		return
	}
	if n, err := w.write(w.out); err != nil {
		w.fail(n, err)
	}
	w.out, w.pending = w.out[:0], w.pending[:0]
	if cap(w.out) > keepOutput {
		w.out = nil
	}
}

// write is one write(2), continued where a pipe takes only some of it. After an error the file counts
// as one that takes nothing, until a write succeeds.
func (w *writer) write(p []byte) (n int, err error) {
	w.buf.enter()
	defer func() {
		if err == nil {
			w.buf.leave()
		}
	}()
	d, slow := w.sink.(interface{ SetWriteDeadline(time.Time) error })
	for len(p) > 0 {
		if slow {
			// What cannot have a deadline says so, and needs none.
			_ = d.SetWriteDeadline(time.Now().Add(writeFor))
		}
		k, err := w.sink.Write(p)
		k = max(0, min(k, len(p)))
		n += k
		w.size += int64(k)
		p = p[k:]
		if k > 0 {
			w.buf.advanced()
		}
		switch {
		case errors.Is(err, os.ErrDeadlineExceeded) && !w.abandoned.Load():
		case err != nil:
			return n, err
		case k == 0 || !slow && len(p) > 0:
			return n, io.ErrShortWrite
		}
	}
	return n, nil
}

// withoutName drops the path that an error of a file repeats.
func withoutName(err error) error {
	var p *os.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}
