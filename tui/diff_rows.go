package tui

import (
	"cmp"
	"math"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/shakescope/shakescope/annotate"
	"github.com/shakescope/shakescope/internal/compare"
)

// diffRow is one line of the list: the head of a section, a change, a latency, or how many more there are.
type diffRow struct {
	kind    diffKind
	section compare.Section
	n       int  // index into the report's changes or latencies; of rowMore how many
	again   bool // about the same thing as the line above
}

type diffKind uint8

const (
	rowSection diffKind = iota
	rowChange
	rowMore
	rowLatency
)

// latencySection is the last one; package compare lists it apart from the changes.
const latencySection compare.Section = "latency"

const (
	quickBreaking = iota
	quickCompatible
	quickCosmetic
	quickUngraded
	quickLatency
	quickGrades
)

var quickNames = [quickGrades]struct{ key, name, about string }{
	{"1", "breaking", "those who rely on what was may fail"},
	{"2", "compatible", "those who rely on what was cannot fail"},
	{"3", "cosmetic", "no message is judged differently"},
	{"4", "without a grade", "traffic, and what is agreed on"},
	{"5", "latency", "how long answers took"},
}

// filtered reports whether something is left out.
func (c *comparison) filtered() bool { return c.filter != "" || c.quick != [quickGrades]bool{} }

// lets reports whether the quick filters let a kind of lines through.
func (c *comparison) lets(k int) bool { return c.quick[k] || c.quick == [quickGrades]bool{} }

func quickOf(g compare.Grade) int {
	switch g {
	case compare.Breaking:
		return quickBreaking
	case compare.Compatible:
		return quickCompatible
	case compare.Cosmetic:
		return quickCosmetic
	}
	return quickUngraded
}

// quickMenu toggles the grades that alone are shown.
func (c *comparison) quickMenu() {
	n := &menu{title: "show only", stays: true}
	for k := range quickNames {
		q := &quickNames[k]
		n.items = append(n.items, menuItem{key: q.key, name: q.name, about: q.about, on: c.quick[k], toggles: true})
	}
	n.pick = func(_ *model, k int) tea.Cmd {
		c.quick[k] = !c.quick[k]
		n.items[k].on = c.quick[k]
		c.sift(c.filter)
		return nil
	}
	c.m.menu = n
}

// sift changes the text that lines must hold, and keeps the selection if it can.
func (c *comparison) sift(text string) {
	c.filter = strings.TrimSpace(text)
	var was diffRow
	if c.cur < len(c.rows) {
		was = c.rows[c.cur]
	}
	c.lay()
	if i := slices.IndexFunc(c.rows, func(r diffRow) bool { return r.kind == was.kind && r.section == was.section && r.n == was.n }); i >= 0 {
		c.cur = i
	}
}

// holds reports whether a line has all words of the filter.
func (c *comparison) holds(parts ...string) bool {
	text := strings.ToLower(strings.Join(parts, "\n"))
	for _, word := range strings.Fields(strings.ToLower(c.filter)) {
		if !strings.Contains(text, word) {
			return false
		}
	}
	return true
}

// lay makes the lines of what is to be shown.
func (c *comparison) lay() {
	c.rows = c.rows[:0]
	r := c.report
	if r == nil {
		c.cur = 0
		return
	}
	for _, s := range compare.Sections {
		head := len(c.rows)
		before := ""
		for i := range r.Changes {
			x := &r.Changes[i]
			if x.Section != s || !c.lets(quickOf(x.Grade)) {
				continue
			}
			subject := x.Subject()
			if c.filter != "" && !c.holds(string(s), string(x.Grade), subject, x.Part, x.Words, x.Why) {
				continue
			}
			if head == len(c.rows) {
				c.rows = append(c.rows, diffRow{kind: rowSection, section: s})
			}
			c.rows = append(c.rows, diffRow{kind: rowChange, section: s, n: i, again: subject == before})
			before = subject
		}
		if n := r.Left[s]; n > 0 && !c.filtered() {
			c.rows = append(c.rows, diffRow{kind: rowMore, section: s, n: n})
		}
	}
	if c.lets(quickLatency) {
		c.layLatencies()
	}
	c.set(c.cur, 1)
}

// layLatencies puts those that differ by more than chance first, the largest difference before.
func (c *comparison) layLatencies() {
	list := c.report.Latency
	var order []int
	for i := range list {
		if c.filter == "" || c.holds(string(latencySection), latencySubject(&list[i])) {
			order = append(order, i)
		}
	}
	if len(order) == 0 {
		return
	}
	weight := func(l *compare.Latency) float64 {
		if !l.Meaningful || l.Ratio <= 0 {
			return 0
		}
		return math.Abs(math.Log(l.Ratio))
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(weight(&list[b]), weight(&list[a])) })
	c.rows = append(c.rows, diffRow{kind: rowSection, section: latencySection})
	for _, i := range order {
		c.rows = append(c.rows, diffRow{kind: rowLatency, section: latencySection, n: i})
	}
}

func latencySubject(l *compare.Latency) string {
	return strings.TrimSpace(l.Side + " " + l.Method + " " + l.Name)
}

// change is the change of a line, nil where it is about none.
func (c *comparison) change(line int) *compare.Change {
	if line < 0 || line >= len(c.rows) || c.rows[line].kind != rowChange {
		return nil
	}
	return &c.report.Changes[c.rows[line].n]
}

// refs are the messages on both sides that a line is about, zero for none.
func (c *comparison) refs(line int) (a, b annotate.Ref) {
	x := c.change(line)
	if x == nil {
		return a, b
	}
	return x.A, x.B
}

// move goes down or up; heads of sections are passed over.
func (c *comparison) move(by int) {
	dir := 1
	if by < 0 {
		dir = -1
	}
	c.set(c.cur+by, dir)
}

// set selects a line, or the next one in a direction that is no head.
func (c *comparison) set(i, dir int) {
	i = max(0, min(i, len(c.rows)-1))
	for _, d := range []int{dir, -dir} {
		for k := i; k >= 0 && k < len(c.rows); k += d {
			if c.rows[k].kind != rowSection {
				c.cur = k
				return
			}
		}
	}
	c.cur = 0
}
