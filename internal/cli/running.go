package cli

import (
	"fmt"
	"strings"
	"time"

	"github.com/shakescope/shakescope/annotate"
	"github.com/shakescope/shakescope/internal/termtext"
	"github.com/shakescope/shakescope/recordings"
)

// runningCalls is the last line of a followed log on a terminal: the calls that wait for their
// answer, with a bar where the server says how far it is. The line is erased before anything is
// printed and drawn again when there is nothing to print.
type runningCalls struct {
	log   *textLog
	order []annotate.Ref // oldest first
	calls map[annotate.Ref]*runningCall
	drawn bool
	last  time.Time
}

type runningCall struct {
	name     string
	since    time.Time
	progress *annotate.Progress
}

// redrawEvery keeps the line calm.
const redrawEvery = 200 * time.Millisecond

func newRunningCalls(l *textLog) *runningCalls {
	return &runningCalls{log: l, calls: map[annotate.Ref]*runningCall{}}
}

// note takes in what one record changed.
func (r *runningCalls) note(h *recordings.Header, u annotate.Update) {
	for i := range u.Entries {
		e := &u.Entries[i]
		if e.Kind != annotate.Request || e.State != annotate.Pending {
			continue
		}
		name := e.Method
		if e.Target != "" {
			name += " " + e.Target
		}
		r.calls[e.Ref] = &runningCall{name: r.log.clean(name), since: h.Start.Add(e.T)}
		r.order = append(r.order, e.Ref)
	}
	for i := range u.Patches {
		p := &u.Patches[i]
		c := r.calls[p.At]
		if c == nil {
			continue
		}
		if p.Progress != nil {
			c.progress = p.Progress
		}
		if p.State != "" && p.State != annotate.Pending {
			delete(r.calls, p.At)
		}
	}
	for len(r.order) > 0 && r.calls[r.order[0]] == nil {
		r.order = r.order[1:]
	}
}

// erase takes the line off the screen.
func (r *runningCalls) erase() {
	if r.drawn {
		r.log.w.WriteString("\r\x1b[K")
		r.drawn = false
	}
}

// draw shows the oldest running call, a call with progress before all others.
func (r *runningCalls) draw(now time.Time) {
	if len(r.calls) == 0 || now.Sub(r.last) < redrawEvery {
		return
	}
	r.last = now
	r.erase()
	var shown *runningCall
	for _, ref := range r.order {
		c := r.calls[ref]
		if c == nil {
			continue
		}
		if shown == nil || shown.progress == nil && c.progress != nil {
			shown = c
		}
	}
	text := r.text(shown, now)
	if n := len(r.calls) - 1; n > 0 {
		text += fmt.Sprintf(" (and %d more)", n)
	}
	width := r.log.width
	if width == 0 {
		width = 80
	}
	r.log.w.WriteString(r.log.paint(muted, termtext.Truncate(text, width-1)))
	r.drawn = true
}

const barWidth = 20

func (r *runningCalls) text(c *runningCall, now time.Time) string {
	text := "running: " + c.name + " "
	if p := c.progress; p != nil {
		if p.Total > 0 {
			part := min(max(p.Progress/p.Total, 0), 1)
			full := int(part * barWidth)
			text += strings.Repeat(r.log.glyph("█", "="), full) + strings.Repeat(r.log.glyph("░", "."), barWidth-full)
			text += fmt.Sprintf(" %3.0f %% ", part*100)
		} else {
			text += fmt.Sprintf("%g ", p.Progress)
		}
		if p.Message != "" {
			text += r.log.clean(p.Message) + " "
		}
	}
	if d := now.Sub(c.since); d > 0 {
		text += d.Round(100 * time.Millisecond).String()
	}
	return strings.TrimRight(text, " ")
}
