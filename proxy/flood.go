package proxy

import (
	"io"
	"time"
)

// flow is how a stream runs.
type flow uint8

const (
	calm  flow = iota // a conversation: latency counts
	flood             // throughput counts, and reads find much
	spray             // the same in small writes, of which reads find few
)

const (
	// A stream is looked at in windows of so many reads.
	window = 32

	// A window that passes faster is no conversation, whatever its reads brought. Nor is one that brings
	// more bytes a second.
	fastWindow = time.Millisecond
	fastRate   = 32 << 20

	// fineRead is how many bytes the reads of a spray bring at most, on average.
	fineRead = 32 << 10
)

// tide tells how a stream runs.
type tide struct {
	flow   flow
	since  time.Time
	reads  int
	bytes  int
	others uint64 // what had come the other way when the window began
}

// read counts a read of n bytes. Others is how many reads there were of the stream that runs the other
// way, so far. It reports whether the tide has turned.
func (t *tide) read(now time.Time, n int, others uint64) bool {
	if t.reads == 0 {
		t.since, t.bytes, t.others = now, 0, others
	}
	t.bytes += n
	if t.reads++; t.reads <= window {
		return false
	}
	t.reads = 0
	was, took := t.flow, now.Sub(t.since)
	switch {
	case others-t.others >= window/2, took >= fastWindow && float64(t.bytes) < fastRate*took.Seconds():
		t.flow = calm
	case t.bytes < window*fineRead:
		t.flow = spray
	default:
		t.flow = flood
	}
	return t.flow != was
}

// watch sees a read of n bytes go by, and fits the pipes to how the stream runs.
func (l *lane) watch(n int, from io.Reader, to io.Writer) {
	var others uint64
	if l.against != nil {
		others = l.against.arrived.Load()
	}
	l.arrived.Add(1)
	if !l.tide.read(time.Now(), n, others) {
		return
	}
	if i, ok := from.(*inlet); ok {
		i.adapt(l.tide.flow)
	}
	switch on := l.tide.flow != calm; {
	case on && l.usual == 0:
		l.usual = widen(to)
	case !on && l.usual > 0 && narrow(to, l.usual):
		l.usual = 0
	}
}
