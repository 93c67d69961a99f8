package recordings

import (
	"time"
)

// maxKeptEvents bounds the events that are written again after a failure.
const maxKeptEvents = 100

// pending is one record in the writer's output: what would be missing if it were not written.
type pending struct {
	end    int   // in the output
	bytes  int64 // of the stream
	t      time.Duration
	line   int64 // of which it is a part
	event  *Event
	gap    *Gap
	stream Stream
	frames uint8
	part   bool
	header bool
}

// missing is what failed writes cost.
type missing struct {
	gap    Gap
	count  int64 // of gaps that are merged in it and counted already
	events []pending
	retry  time.Time
}

// fail notes that only n bytes of the output were written. What is lost becomes a gap, which is
// the first thing to be written again, on a line of its own.
func (w *writer) fail(n int, err error) {
	if w.err == nil {
		w.err = withoutName(err)
	}
	w.complain("recording stopped, traffic goes on: " + withoutName(err).Error())
	if !w.failing {
		w.failing = true
		w.missing = missing{gap: Gap{Reason: "write failed: " + withoutName(err).Error(), From: -1}}
	}
	m := &w.missing
	m.retry = time.Now().Add(retryAfter)
	for i := range w.pending {
		p := &w.pending[i]
		// A record of which only the LF is missing is whole: the next byte to be written is one.
		if p.end <= n+1 {
			continue
		}
		if m.gap.From < 0 {
			m.gap.From = p.t
		}
		m.gap.To = max(m.gap.To, p.t)
		m.gap.add(p.stream, p.bytes, int64(p.frames))
		if l := &w.lines[p.stream]; p.part && p.line == l.number {
			l.cut = true
		}
		switch {
		case p.header:
			w.header = append(w.header[:0], w.out[:p.end]...)
		case p.event != nil && len(m.events) < maxKeptEvents:
			m.events = append(m.events, *p)
		case p.gap != nil:
			m.merge(p.gap)
		}
	}
}

// merge adds a gap whose record was lost.
func (m *missing) merge(g *Gap) {
	m.count++
	m.gap.From = min(m.gap.From, g.From)
	m.gap.To = max(m.gap.To, g.To)
	for s := Stdin; s <= Stderr; s++ {
		m.gap.add(s, g.Bytes[streamNames[s]], g.Frames[streamNames[s]])
	}
}

// retry waits a while and tries to write again: the end of the torn line, and the gap. It returns
// false when that failed too. The buffer fills meanwhile.
func (w *writer) retry() bool {
	for !w.closing() && !w.abandoned.Load() {
		wait := time.Until(w.missing.retry)
		if wait <= 0 {
			break
		}
		w.timer.Reset(wait)
		select {
		case <-w.timer.C:
		case <-w.buf.wake: // by Close
			w.timer.Stop()
		}
	}
	m := &w.missing
	seq, gaps := w.seq, w.gaps
	line := append([]byte{'\n'}, w.header...)
	if len(m.gap.Bytes) > 0 {
		w.seq++
		w.gaps += 1 - m.count
		line = appendGap(line, w.seq, m.gap.To, &m.gap)
	}
	if _, err := w.write(line); err != nil {
		w.seq, w.gaps = seq, gaps
		m.retry = time.Now().Add(retryAfter)
		return false
	}
	w.header = nil
	w.failing = false
	for _, p := range m.events {
		w.seq++
		w.out = appendEvent(w.out, w.seq, p.t, p.event)
		w.pending = append(w.pending, pending{end: len(w.out), t: p.t, event: p.event})
	}
	return true
}
