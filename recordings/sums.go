package recordings

import (
	"hash"
	"sync"
)

// sums are the digests of the streams as they travelled, nil where nobody wants to know. They are the
// most expensive part of recording, and nobody waits for them before the end.
//
// Who holds the lock hashes. It may be taken while that of the buffer is held, not the other way round.
type sums struct {
	sync.Mutex
	digest [4]hash.Hash

	// Guarded by the lock of the buffer.
	due   []*block // have left the queue and are not hashed, oldest first
	aside bool     // a goroutine is hashing them
}

// hashAside is from how many bytes on a block is hashed on another processor: waking one must cost
// less than it saves. Less than that is hashed when the consumer rests.
const hashAside = 16 << 10

// add hashes what a block holds and the sums do not yet.
func (s *sums) add(b *block) {
	for b.hashed < len(b.items) {
		first := b.items[b.hashed]
		to := first.to
		for b.hashed++; b.hashed < len(b.items) && b.items[b.hashed].stream == first.stream; b.hashed++ {
			to = b.items[b.hashed].to
		}
		if to > first.from {
			s.digest[first.stream].Write(b.data[first.from:to])
		}
	}
}

// hashLater sees to it that a block is hashed that has left the queue. The buffer is locked.
func (b *buffer) hashLater(next *block) {
	if b.sums.digest[Stdin] == nil {
		return
	}
	next.users++
	b.sums.due = append(b.sums.due, next)
	if !b.sums.aside && (len(next.data) >= hashAside || len(b.sums.due) > 4) {
		b.sums.aside = true
		go func() {
			b.mu.Lock()
			defer b.mu.Unlock()
			b.hashDue()
			b.sums.aside = false
		}()
	}
}

// hashNow hashes what is due, unless somebody does already. It is for who has nothing better to do.
func (b *buffer) hashNow() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.sums.aside {
		b.hashDue()
	}
}

// hashDue hashes what is due. The buffer is locked before and after.
func (b *buffer) hashDue() {
	for len(b.sums.due) > 0 {
		next := b.sums.due[0]
		b.sums.due = b.sums.due[:copy(b.sums.due, b.sums.due[1:])]
		b.sums.Lock() // before the other lock is released: nothing may be hashed in between
		b.mu.Unlock()
		b.sums.add(next)
		b.sums.Unlock()
		b.mu.Lock()
		b.leaveBlock(next)
	}
}

// hashAll hashes all that the buffer holds, at once. The buffer is locked.
func (b *buffer) hashAll() {
	if b.sums.digest[Stdin] == nil {
		return
	}
	b.sums.Lock()
	defer b.sums.Unlock()
	for _, due := range b.sums.due {
		b.sums.add(due)
	}
	for _, queued := range b.queue {
		b.sums.add(queued)
	}
}

// digests returns the digests of all that was recorded or lost so far.
func (b *buffer) digests() [4]hash.Hash {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.hashAll()
	return b.sums.digest
}
