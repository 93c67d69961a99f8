package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/shakescope/shakescope/annotate"
	"github.com/shakescope/shakescope/internal/mcpspec"
	"github.com/shakescope/shakescope/internal/termtext"
)

// On a terminal too narrow for the columns of the wide log, an entry is drawn as the stream of the terminal UI
// draws it: letters and short words, a rule where the phase changes, and all room that is left for what happened.
// Below oneLineBelow that is cut to one line; from there on it goes on below itself, so that nothing is lost.
const (
	oneLineBelow    = 100
	capabilityFrom  = 120 // the capability in words
	capabilityCells = 20
	leastSummary    = 20 // below which other columns give way
)

// compactColumns are the widths of the columns; 0 leaves one out.
type compactColumns struct {
	seq, time, primitive, capability, method int
	latency, whole                           bool // whole: nothing is cut
}

// compactFor fits the columns into a terminal of this width. Latency goes first, then the time, the length of the
// method, the number and the primitive; the summary never.
func compactFor(width int) compactColumns {
	c := compactColumns{seq: 5, time: 8, primitive: 6, method: 16, latency: width >= 80, whole: width >= oneLineBelow}
	switch {
	case width >= 150:
		c.method = 24
	case c.whole:
		c.method = 20
	}
	if width >= capabilityFrom {
		c.capability = capabilityCells
	}
	for _, give := range []struct {
		column *int
		to     int
	}{{&c.time, 0}, {&c.method, 10}, {&c.seq, 0}, {&c.primitive, 0}} {
		if width-c.fixed() >= leastSummary {
			break
		}
		*give.column = give.to
	}
	return c
}

// fixed is what the columns before the summary take, with the blanks behind them.
func (c *compactColumns) fixed() int {
	n := 2 + 2 // direction, phase
	for _, w := range []int{c.seq, c.time, c.primitive, c.method} {
		if w > 0 {
			n += w + 1
		}
	}
	return n + max(c.capability, 1) + 1
}

// isCompact reports whether entries are drawn for a narrow terminal.
func (p *textLog) isCompact() bool { return p.width > 0 && p.width < narrowest && !p.whole }

// compact prints one entry for a narrow terminal, without its findings.
func (p *textLog) compact(e *annotate.Entry) {
	c := compactFor(p.width)
	p.phaseRule(e)
	if c.seq > 0 {
		p.cell(muted, termtext.PadLeft(seqText(e), c.seq), 0)
	}
	if c.time > 0 {
		p.cell(muted, termtext.PadLeft(offsetText(e.T), c.time), 0)
	}
	arrow, r := p.arrow(e)
	p.cell(r, arrow, 1)
	letter := " "
	if e.Phase != "" {
		letter = phaseCell(e.Phase)[:1]
	}
	p.cell(phaseRoles[string(e.Phase)], letter, 1)
	if c.primitive > 0 {
		p.cell(groupRoles[e.Group], mcpspec.ShortGroup(groupWord(e)), c.primitive)
	}
	capability, r := p.capability(e)
	if c.capability == 0 {
		capability, _, _ = strings.Cut(capability, " ")
	}
	p.cell(r, capability, max(c.capability, 1))
	over := max(termtext.Width(capability)-max(c.capability, 1), 0) // taken from the column behind, so that the next is in place
	p.cell(p.methodRole(e), p.shortMethod(e, c), c.method-over)
	p.happened(e, c)
}

// shortMethod is the method without what all notifications begin with, if it is longer than its column.
func (p *textLog) shortMethod(e *annotate.Entry, c compactColumns) string {
	method := p.methodText(e)
	if rest, ok := strings.CutPrefix(method, "notifications/"); ok && termtext.Width(method) > c.method {
		method = p.glyph("…", "~") + "/" + rest
	}
	switch {
	case c.whole:
		return method
	case e.Event != nil && termtext.Width(method) > c.method:
		return "event" // its summary says which
	}
	return p.cut(method, c.method)
}

// happened ends an entry: its target, what happened, and at the right edge how long an answer took.
func (p *textLog) happened(e *annotate.Entry, c compactColumns) {
	target, summary := p.clean(e.Target), p.clean(e.Summary())
	// An answer has a request above it that names the target.
	if strings.HasPrefix(summary, target) || !e.Pair.IsZero() && e.Kind != annotate.Request {
		target = ""
	}
	latency := ""
	if c.latency {
		latency = p.latency(e)
		if took, _, ok := strings.Cut(latency, ", "); !c.whole && ok {
			latency = took
		} else if !c.whole {
			latency = "" // which request, and no time
		}
	}
	start := p.col + p.pad
	room := p.width - start
	if latency != "" {
		room -= termtext.Width(latency) + 2
	}
	text := p.stateMark(e) + summary
	if target != "" {
		text = strings.TrimRight(target+"  "+text, " ")
	}
	rows := []string{""}
	switch {
	case c.whole && room >= leastSummary:
		rows = slices.Collect(termtext.WrapWords(text, room))
	case room > 0:
		rows[0] = p.cut(text, room)
	}
	for i, row := range rows {
		row = strings.TrimRight(row, " ")
		if i > 0 {
			p.pad = start
		}
		rest := row
		if i == 0 && target != "" && strings.HasPrefix(row, target) {
			p.row(strong, target)
			rest = row[len(target):]
		}
		p.row(p.stateRole(e), rest)
		if i == 0 && latency != "" {
			p.pad = max(p.width-termtext.Width(latency)-p.col, 1)
			p.row(muted, latency)
		}
		p.line(noRole, "")
	}
}

// phaseRule says in words where the phase changes: the entries have only its letter.
func (p *textLog) phaseRule(e *annotate.Entry) {
	if e.Phase == "" || e.Phase == p.phase {
		return
	}
	p.phase = e.Phase
	text := fmt.Sprintf("%s %s", strings.Repeat(p.glyph("─", "-"), 2), e.Phase)
	if e.Revision != "" && e.Phase != annotate.Shutdown {
		text += ", " + p.clean(e.Revision)
	}
	text += " "
	p.line(phaseRoles[string(e.Phase)], p.cut(text+strings.Repeat(p.glyph("─", "-"), max(p.width-termtext.Width(text), 0)), p.width))
}

// cut cuts clean text to at most width cells.
func (p *textLog) cut(text string, width int) string {
	text = termtext.Truncate(text, width)
	if p.ascii {
		text = termtext.ASCII(text)
	}
	return text
}
