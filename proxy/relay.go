package proxy

import (
	"fmt"
	"io"
	"time"
)

// What waits for a slow reader of error output is bounded by 16 × 64 KiB.
const (
	relayChunks = 16
	relayChunk  = 64 << 10
)

// relay carries the server's error output. Unlike the other streams it must be drained whether or not
// the client reads it: many never do, and the server would block for good in a log line. So reading
// and writing are two goroutines. While the client takes nothing for the stall time, what follows is
// dropped (and counted); it is passed on again once the client reads.
type relay struct {
	*lane
	from  io.Reader
	to    io.Writer
	stall time.Duration
	queue chan []byte // filled, on their way to the client
	free  chan []byte // back from there
	made  int
	gone  bool // of the writer: the client has closed its end
}

func newRelay(l *lane, to io.Writer, from io.Reader, stall time.Duration) *relay {
	return &relay{lane: l, from: from, to: to, stall: stall, queue: make(chan []byte, relayChunks), free: make(chan []byte, relayChunks)}
}

func (r *relay) start() {
	go r.drain()
	go r.deliver()
}

// drain reads to the end of the server's error output.
func (r *relay) drain() {
	defer close(r.queue)
	dropped := 0
	tellDropped := func() {
		if dropped > 0 {
			r.lost(dropped, fmt.Sprintf("the client did not read for %v", r.stall))
			dropped = 0
		}
	}
	var scratch []byte
	for {
		buf := r.buffer(dropped > 0)
		drop := buf == nil
		if drop {
			if scratch == nil {
				scratch = make([]byte, relayChunk)
			}
			buf = scratch
		} else {
			tellDropped()
		}
		n, err := read(r.from, buf[:relayChunk])
		if n > 0 {
			r.moved.Add(1)
			r.watch(n, r.from, r.to)
			if !r.chunk(buf[:n]) {
				return
			}
			if drop {
				dropped += n
			}
		}
		if !drop {
			if n > 0 {
				r.writing.Add(int64(n))
				r.queue <- buf[:n] // never blocks: there are no more buffers than places
			} else {
				r.free <- buf
			}
		}
		if err != nil {
			tellDropped()
			r.event(Event{Name: "server_closed_stderr", Reason: unlessEOF(err)})
			return
		}
	}
}

// buffer returns a buffer to read into; nil when all of them wait for the client and none came back
// within the stall time (at once when it had stalled before).
func (r *relay) buffer(stalled bool) []byte {
	select {
	case b := <-r.free:
		return b
	default:
	}
	if r.made < relayChunks {
		r.made++
		return make([]byte, relayChunk)
	}
	if stalled {
		return nil
	}
	t := time.NewTimer(r.stall)
	defer t.Stop()
	select {
	case b := <-r.free:
		return b
	case <-t.C:
		return nil
	}
}

// deliver writes to the client what was drained.
func (r *relay) deliver() {
	defer close(r.done)
	dropped := 0
	for b := range r.queue {
		if r.gone {
			dropped += len(b)
		} else if n, err := writeAll(r.to, b); err != nil {
			r.gone = true
			r.lost(len(b)-n, plainError(err))
		}
		r.moved.Add(1)
		r.writing.Add(-int64(len(b)))
		r.free <- b[:relayChunk]
	}
	if dropped > 0 {
		r.lost(dropped, "the client had stopped reading")
	}
}
