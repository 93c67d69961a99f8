package cli

import (
	"fmt"
	"time"

	"github.com/shakescope/shakescope/annotate"
	"github.com/shakescope/shakescope/internal/termtext"
	"github.com/shakescope/shakescope/recordings"
)

const (
	// againAfter is how soon more of an unfinished line is printed.
	againAfter = time.Second
	// mostOfLine is how much of it, in columns, is printed at a time.
	mostOfLine = 200
)

// unfinished is what was printed of a line that has not ended.
type unfinished struct {
	since time.Duration
	shown int // bytes
	last  time.Time
}

// begun prints what is new of lines without an end. A server that waits in mid-line, or never writes the
// newline, is seen at once, not when it has ended.
func (f *follower) begun(tail *recordings.Tail, now time.Time) {
	for s := recordings.Stdin; s <= recordings.Stderr; s++ {
		u := &f.unfinished[s]
		data, since := tail.Unfinished(s)
		if data == nil {
			*u = unfinished{}
			continue
		}
		if since != u.since || len(data) < u.shown {
			*u = unfinished{since: since}
		}
		if len(data) == u.shown || u.shown > 0 && now.Sub(u.last) < againAfter {
			continue
		}
		if f.running != nil {
			f.running.erase()
		}
		f.log.unfinished(s, since, len(data), data[u.shown:], u.shown > 0)
		u.shown, u.last = len(data), now
	}
}

// unfinished prints a line of the log for what is there of a line.
func (p *textLog) unfinished(s recordings.Stream, since time.Duration, size int, fresh []byte, again bool) {
	p.cell(muted, "", seqWidth)
	p.cell(muted, termtext.PadLeft(fmt.Sprintf("+%.3f", since.Seconds()), timeWidth), 0)
	arrow, r := p.arrow(&annotate.Entry{Stream: s})
	p.cell(r, arrow, 2)
	text := fmt.Sprintf("unfinished line, %s so far: ", plural(int64(size), "byte"))
	if again {
		text += p.glyph("…", "...")
	}
	// What is cleaned is bounded: a line may have any length.
	const bytesOfColumn = 8
	if len(fresh) > mostOfLine*bytesOfColumn {
		fresh = fresh[:mostOfLine*bytesOfColumn]
	}
	p.line(warn, text+termtext.Truncate(p.clean(string(fresh)), mostOfLine))
}
