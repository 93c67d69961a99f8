package tui

import (
	tea "charm.land/bubbletea/v2"

	"github.com/shakescope/shakescope/annotate"
	"github.com/shakescope/shakescope/internal/filter"
	"github.com/shakescope/shakescope/internal/jsontree"
	"github.com/shakescope/shakescope/internal/provider"
)

type tab uint8

const (
	tabAnnotated tab = iota
	tabRaw
	tabPair
	tabFindings
	tabCount
)

var tabNames = [...]string{"annotated", "raw", "pair", "findings"}

// detail is the pane about the selected entry. It changes when the selection or that entry changes,
// never because others arrive.
type detail struct {
	s   *session
	row int
	tab tab
	// model is the form in which calls of tools are shown, "" for MCP's own.
	model provider.API

	cur, top int // line under the cursor, first line shown
	lines    []dline
	valid    bool
	width    int

	payloads map[int32]*payload
	asked    map[int32]bool
	raw      rawView
}

// payload is an entry read again, with its message decoded.
type payload struct {
	entry  annotate.Entry
	fields []field
	raw    rawTree
	err    error
}

type payloadMsg struct {
	owned
	row int32
	p   *payload
}

// dline is one line of the pane.
type dline struct {
	segs []seg
	// jump is the row that enter goes to, none for none; ptr the place in the message, a JSON pointer.
	jump int
	ptr  string
	// filter is what enter shows of the stream, "" for nothing.
	filter string
}

type seg struct {
	r    role
	text string
}

func newDetail(s *session) detail {
	return detail{s: s, row: none, payloads: map[int32]*payload{}, asked: map[int32]bool{}}
}

// show turns to row i.
func (d *detail) show(i int) tea.Cmd {
	if i != d.row {
		d.row, d.cur, d.top = i, 0, 0
		d.raw = rawView{mode: d.raw.mode}
		if p := d.payloads[int32(i)]; p != nil {
			d.raw.tree = p.raw
		}
		d.dropLines()
	}
	if d.s.detailRect.h == 0 {
		return nil
	}
	cmd := d.ask(i)
	if p := d.s.pairAt(i); p >= 0 {
		cmd = tea.Batch(cmd, d.ask(p))
	}
	return cmd
}

// payloadCache is small: a payload can be large, and only the selected entry and its pair are shown.
const payloadCache = 16

// ask reads the payload of row i, unless it is there or under way.
func (d *detail) ask(i int) tea.Cmd {
	s := d.s
	if i < 0 || i >= s.rows.n || s.src == nil || s.src.read == nil || d.payloads[int32(i)] != nil || d.asked[int32(i)] || !s.rows.at(i).hasPayload() {
		return nil
	}
	if len(d.payloads) >= payloadCache {
		keep, pair := int32(d.row), int32(s.pairAt(d.row))
		for k := range d.payloads {
			if k != keep && k != pair {
				delete(d.payloads, k)
			}
		}
	}
	d.asked[int32(i)] = true
	id, read, w := owned(s.id), s.src.read, s.want(i)
	return func() tea.Msg {
		p := &payload{entry: w.entry}
		p.err = fill1(&p.entry, read, w)
		if p.err == nil {
			p.fields = fieldsOf(&p.entry)
			p.raw = parseRaw(p.entry.Raw)
			p.raw.outline()
		}
		return payloadMsg{owned: id, row: w.row, p: p}
	}
}

func (d *detail) loaded(msg payloadMsg) tea.Cmd {
	delete(d.asked, msg.row)
	d.payloads[msg.row] = msg.p
	if int(msg.row) == d.row {
		d.raw.tree, d.raw.text = msg.p.raw, rawText{}
	}
	if int(msg.row) == d.row || int(msg.row) == d.s.pairAt(d.row) {
		d.dropLines()
		d.s.m.dirty = true
	}
	return nil
}

// changed takes note of a change to row i.
func (d *detail) changed(i int) {
	if i == d.row || i == d.s.pairAt(d.row) {
		d.dropLines()
	}
}

func (d *detail) dropLines() { d.valid = false }

func (d *detail) turn(by int) {
	d.tab = tab((int(d.tab) + by + int(tabCount)) % int(tabCount))
	d.cur, d.top = 0, 0
	d.dropLines()
	d.s.m.dirty = true
}

// payloadOf returns the payload of row i if it is read.
func (d *detail) payloadOf(i int) *payload { return d.payloads[int32(i)] }

func (d *detail) height() int { return max(d.s.detailRect.h-1, 1) }

// count is the number of lines of the tab.
func (d *detail) count() int {
	switch {
	case d.tab == tabRaw && d.raw.treeShown():
		return d.raw.count()
	case d.exact():
		return d.raw.text.count()
	}
	return len(d.lines)
}

func (d *detail) build(width int) {
	if d.valid && d.width == width {
		return
	}
	d.valid, d.width = true, width
	d.lines = nil
	if d.row < 0 || d.row >= d.s.limit() {
		return
	}
	switch d.tab {
	case tabAnnotated:
		if d.model != "" && d.modelCall(d.row) {
			d.lines = d.modelLines(d.row, width)
			return
		}
		d.lines = d.s.annotated(d.row, width)
	case tabRaw:
		d.lines = d.s.rawFacts(d.row, width)
	case tabPair:
		d.lines = d.s.pairLines(d.row, width)
	case tabFindings:
		d.lines = d.s.findingLines(d.row, width)
	}
}

func (d *detail) move(by int) {
	d.cur = max(0, min(d.cur+by, d.count()-1))
	h := d.height()
	if d.cur < d.top {
		d.top = d.cur
	}
	if d.cur >= d.top+h {
		d.top = d.cur - h + 1
	}
	d.s.m.dirty = true
}

func (d *detail) scroll(by int) {
	d.top = max(0, min(d.top+by, d.count()-d.height()))
	d.cur = max(d.top, min(d.cur, d.top+d.height()-1))
	d.s.m.dirty = true
}

func (d *detail) act(a action) (tea.Cmd, bool) {
	page := max(d.height()-1, 1)
	if d.tab == tabRaw {
		if a == actWrap || a == actHex {
			d.setMode(a)
			return nil, true
		}
		if d.raw.treeShown() && d.raw.act(a, &d.cur) {
			d.move(0)
			return nil, true
		}
	}
	switch a {
	case actDown:
		d.move(1)
	case actUp:
		d.move(-1)
	case actPageDown:
		d.move(page)
	case actPageUp:
		d.move(-page)
	case actHalfDown:
		d.move(page / 2)
	case actHalfUp:
		d.move(-page / 2)
	case actTop:
		d.move(-d.count())
	case actBottom:
		d.move(d.count())
	case actOpen:
		return d.enter(), true
	default:
		return nil, false
	}
	return nil, true
}

// exact reports whether the exact text or bytes are shown, and lays them out.
func (d *detail) exact() bool {
	if d.tab != tabRaw || d.raw.mode == rawTreeMode {
		return false
	}
	p := d.payloadOf(d.row)
	if p == nil || p.err != nil || p.entry.Raw == nil {
		return false
	}
	d.raw.text.set(p.entry.Raw, d.raw.mode, max(d.s.detailRect.w-1, 1))
	d.raw.text.layout(d.top + d.height())
	return true
}

// setMode turns the exact text or bytes on, or back to the tree.
func (d *detail) setMode(a action) {
	mode := rawTextMode
	if a == actHex {
		mode = rawHexMode
	}
	if d.raw.mode == mode {
		mode = rawTreeMode
	}
	d.raw.mode, d.cur, d.top = mode, 0, 0
	d.dropLines()
	d.s.m.dirty = true
}

// test is the filter for the value under the cursor.
func (d *detail) test() string {
	t, n := d.node()
	if n == jsontree.None {
		return ""
	}
	raw := t.Raw(n)
	return filter.EqualAt(t.Pointer(n), raw)
}

// enter follows the line under the cursor: to another entry, or to its place in the raw tree.
func (d *detail) enter() tea.Cmd {
	if d.tab == tabRaw || d.cur < 0 || d.cur >= len(d.lines) {
		return nil
	}
	l := d.lines[d.cur]
	switch {
	case l.jump >= 0:
		return d.s.goTo(l.jump)
	case l.ptr != "" && d.raw.tree.ok():
		d.tab, d.raw.mode = tabRaw, rawTreeMode
		d.top = 0
		d.cur = d.raw.reveal(l.ptr)
		d.dropLines()
		d.move(0)
	}
	return nil
}

func (d *detail) click(x, y int) tea.Cmd {
	if y == 0 {
		return d.clickTab(x)
	}
	i := d.top + y - 1
	if i >= d.count() {
		return nil
	}
	again := i == d.cur
	d.cur = i
	if again {
		if d.tab == tabRaw && d.raw.treeShown() {
			d.raw.toggle(i)
			d.move(0)
			return nil
		}
		return d.enter()
	}
	return nil
}

// tabText is what the title says of a tab.
func (d *detail) tabText(t tab) string {
	text := tabNames[t]
	if t == tabFindings && d.row >= 0 && d.row < d.s.limit() {
		if n := len(d.s.findingsAt(d.row)); n > 0 {
			text += " " + itoa(n)
		}
	}
	return " " + text + " "
}

func (d *detail) clickTab(x int) tea.Cmd {
	at := 2
	for t := tabAnnotated; t < tabCount; t++ {
		w := cells(d.tabText(t))
		if x >= at && x < at+w {
			d.turn(int(t) - int(d.tab))
			return nil
		}
		at += w + 1
	}
	return nil
}

// draw makes the lines of the pane: its title with the tabs, and the tab.
func (d *detail) draw(r rect) []string {
	p := &d.s.m.pen
	gl := d.s.m.gl
	d.build(r.w)
	focus := d.s.detailFocused()
	edge := roleBorder
	if focus {
		edge = roleTitle
	}
	p.begin(r.w, roleText)
	p.repeat(edge, gl.rule, 2)
	for t := tabAnnotated; t < tabCount; t++ {
		if t == d.tab {
			p.reversed(roleTitle, d.tabText(t))
		} else {
			p.text(roleMuted, d.tabText(t))
		}
		p.repeat(edge, gl.rule, 1)
	}
	right := ""
	if d.row >= 0 && d.row < d.s.limit() {
		right = d.s.what(d.row)
	}
	if d.count() > d.height() {
		right += "  " + itoa((d.top+d.height())*100/max(d.count(), 1)) + "%"
	}
	if right != "" {
		right = " " + right + " "
	}
	w := min(cells(right), p.left-2)
	p.repeat(edge, gl.rule, p.left-w-1)
	p.cut(roleMuted, right, w)
	p.repeat(edge, gl.rule, p.left)
	lines := []string{p.end()}
	n := d.count()
	d.top = max(0, min(d.top, n-d.height()))
	for i := d.top; i < n && len(lines) < r.h; i++ {
		base := roleText
		if focus && i == d.cur {
			base = roleSelection
		}
		p.begin(r.w, base)
		p.space(1)
		switch {
		case d.tab == tabRaw && d.raw.treeShown():
			d.raw.draw(p, i)
		case d.exact():
			d.raw.text.line(p, i)
		case i < len(d.lines):
			p.segs(d.lines[i].segs)
		}
		lines = append(lines, p.end())
	}
	return lines
}

// what names an entry in a few words.
func (s *session) what(i int) string {
	r := s.rows.at(i)
	text := "#" + itoa(r.seq())
	if r.sub() >= 0 {
		text += "[" + itoa(r.sub()) + "]"
	}
	text += " " + string(kindNames[r.kind()])
	if id := s.rows.idText(r.id); id != "" {
		text += " " + s.m.gl.dot + " id " + clip(id, 24)
	}
	return text
}
