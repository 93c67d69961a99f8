package tui

import (
	"sort"

	tea "charm.land/bubbletea/v2"

	"github.com/shakescope/shakescope/annotate"
)

// findingsScreen lists all findings grouped by rule, and explains the selected one below.
type findingsScreen struct {
	groups []findingGroup
	open   map[string]bool
	cur    int
	top    int
	known  int // findings that were grouped
	limit  int
}

// findingGroup is the findings of one rule at one level.
type findingGroup struct {
	rule    string
	level   level
	by      string
	list    []int // indices into rows.allFindings
	count   int64
	ignored bool
}

// findingLine is a line of the table: a group, or one of its findings.
type findingLine struct {
	group  int
	member int // none: the group itself
}

func newFindings() screen { return &findingsScreen{open: map[string]bool{}} }

func (f *findingsScreen) places() place { return inTable | inFindings }

// group sorts what is known at the playhead, the worst and the most frequent first.
func (f *findingsScreen) group(s *session) {
	if f.groups != nil && f.known == len(s.rows.allFindings) && f.limit == s.limit() {
		return
	}
	f.known, f.limit = len(s.rows.allFindings), s.limit()
	f.groups = []findingGroup{}
	at := map[string]int{}
	for i := range s.rows.allFindings {
		x := &s.rows.allFindings[i]
		if s.replay.on && int(x.since) >= f.limit {
			continue
		}
		key := x.Rule + " " + string(x.Level)
		g, ok := at[key]
		if !ok {
			g = len(f.groups)
			at[key] = g
			f.groups = append(f.groups, findingGroup{rule: x.Rule, level: level(index(levelNames[:], x.Level)), by: x.By, ignored: s.rows.ignored[x.Rule]})
		}
		f.groups[g].list = append(f.groups[g].list, i)
		f.groups[g].count += int64(max(x.Count, 1))
	}
	sort.SliceStable(f.groups, func(a, b int) bool {
		if f.groups[a].ignored != f.groups[b].ignored {
			return f.groups[b].ignored
		}
		if f.groups[a].level != f.groups[b].level {
			return f.groups[a].level > f.groups[b].level
		}
		return f.groups[a].count > f.groups[b].count
	})
}

func (f *findingsScreen) total() int {
	n := 0
	for i := range f.groups {
		n++
		if f.open[f.groups[i].rule] {
			n += len(f.groups[i].list)
		}
	}
	return n
}

// line returns the n-th line of the table.
func (f *findingsScreen) line(n int) (findingLine, bool) {
	for g := range f.groups {
		if n == 0 {
			return findingLine{g, none}, true
		}
		n--
		if f.open[f.groups[g].rule] {
			if n < len(f.groups[g].list) {
				return findingLine{g, n}, true
			}
			n -= len(f.groups[g].list)
		}
	}
	return findingLine{}, false
}

func (f *findingsScreen) finding(s *session, l findingLine) *finding {
	g := &f.groups[l.group]
	return &s.rows.allFindings[g.list[max(l.member, 0)]]
}

func (f *findingsScreen) move(by int) { f.cur = max(0, min(f.cur+by, f.total()-1)) }

func (f *findingsScreen) act(s *session, a action) (tea.Cmd, bool) {
	f.group(s)
	page := max(s.mainRect.h/2, 1)
	if dir, lv, ok := stepOf(a); ok {
		return f.step(s, dir, lv), true
	}
	switch a {
	case actDown:
		f.move(1)
	case actUp:
		f.move(-1)
	case actPageDown:
		f.move(page)
	case actPageUp:
		f.move(-page)
	case actHalfDown:
		f.move(page / 2)
	case actHalfUp:
		f.move(-page / 2)
	case actTop:
		f.cur = 0
	case actBottom:
		f.move(f.total())
	case actFold:
		f.fold()
	case actIgnore:
		return f.ignore(s), true
	case actOpen:
		return f.enter(s), true
	default:
		return nil, false
	}
	return nil, true
}

func (f *findingsScreen) fold() {
	l, ok := f.line(f.cur)
	if !ok {
		return
	}
	f.open[f.groups[l.group].rule] = false
	f.cur -= l.member + 1
}

// enter opens a group of several, and goes to the entry of a single finding.
func (f *findingsScreen) enter(s *session) tea.Cmd {
	l, ok := f.line(f.cur)
	if !ok {
		return nil
	}
	g := &f.groups[l.group]
	if l.member < 0 && len(g.list) > 1 {
		f.open[g.rule] = !f.open[g.rule]
		return nil
	}
	x := f.finding(s, l)
	if x.row < 0 {
		return s.m.say("this finding is about the whole recording")
	}
	cmd := s.show("1")
	return tea.Batch(cmd, s.goTo(int(x.row)))
}

func (f *findingsScreen) click(s *session, _, y int, again bool) tea.Cmd {
	if y < 1 {
		return nil
	}
	if n := f.top + y - 1; n < f.total() {
		f.cur = n
		if again {
			return f.enter(s)
		}
	}
	return nil
}

func (f *findingsScreen) wheel(s *session, by int) tea.Cmd {
	f.group(s)
	f.move(by)
	return nil
}

func (f *findingsScreen) draw(s *session, r rect) []string {
	f.group(s)
	p := &s.m.pen
	if len(f.groups) == 0 {
		text := "no findings"
		if !s.done {
			text = "no findings so far"
		}
		if rev := s.revision(); rev != "" {
			text += " " + s.m.gl.dot + " " + plural(int64(len(annotate.Rules())), "rule") + ", revision " + rev
		}
		p.begin(r.w, roleText)
		blank := p.end()
		p.begin(r.w, roleText)
		p.space(3)
		p.text(roleOK, s.m.gl.ok+" ")
		p.text(roleText, text)
		return []string{blank, p.end()}
	}
	f.move(0)
	below := max(min(r.h/2, 14), 5)
	if s.cur.key != "4" {
		below = 0 // in the strip there is room for the table only
	}
	h := max(r.h-1-below, 1)
	if f.cur < f.top {
		f.top = f.cur
	}
	if f.cur >= f.top+h {
		f.top = f.cur - h + 1
	}
	f.top = max(0, min(f.top, f.total()-h))
	p.begin(r.w, roleText)
	p.space(4)
	p.cell(roleMuted, "level", 8)
	p.right(roleMuted, "count", 6)
	p.space(1)
	p.cell(roleMuted, "by", 11)
	p.cell(roleMuted, "rule", ruleWidth(r.w))
	p.cell(roleMuted, "where", whereWidth)
	p.text(roleMuted, "what")
	lines := []string{p.end()}
	for n := f.top; n < f.total() && len(lines) <= h; n++ {
		l, ok := f.line(n)
		if !ok {
			break
		}
		lines = append(lines, f.drawLine(s, r.w, n, l))
	}
	lines = fill(lines, rect{w: r.w, h: h + 1}, p)
	if below == 0 {
		return lines
	}
	return append(lines, f.drawSelected(s, r.w, below)...)
}

func (f *findingsScreen) drawLine(s *session, w, n int, l findingLine) string {
	p := &s.m.pen
	gl := s.m.gl
	base := roleText
	if n == f.cur {
		base = s.cursorRole("4")
	}
	g := &f.groups[l.group]
	glyph, ro := s.levelGlyph(g.level)
	word := string(levelNames[g.level])
	if g.ignored {
		glyph, ro, word = " ", roleMuted, "ignored"
	}
	p.begin(w, base)
	if n == f.cur {
		p.text(roleTitle, gl.cursor)
	} else {
		p.space(1)
	}
	if l.member >= 0 {
		x := f.finding(s, l)
		p.space(5)
		p.cell(roleText, s.place(x), 10)
		p.text(roleText, x.Message)
		return p.end()
	}
	fold := " "
	if len(g.list) > 1 {
		if fold = gl.folded; f.open[g.rule] {
			fold = gl.unfolded
		}
	}
	p.text(roleMuted, fold)
	p.space(1)
	p.text(ro, glyph)
	p.cell(ro, " "+word, 8)
	p.right(roleStrong, thousands(g.count), 6)
	p.space(1)
	p.cell(roleMuted, g.by, 11)
	p.cell(roleText, g.rule, ruleWidth(w))
	first, last := &s.rows.allFindings[g.list[0]], &s.rows.allFindings[g.list[len(g.list)-1]]
	where := s.place(first)
	if len(g.list) > 1 {
		where += " " + gl.ellipsis + " " + s.place(last)
	}
	p.cell(roleMuted, where, whereWidth)
	p.text(roleText, first.Message)
	return p.end()
}

const whereWidth = 16

// ruleWidth leaves room for the places.
func ruleWidth(w int) int { return max(16, min(w-46, 34)) }

// place is the number of the entry that a finding is at.
func (s *session) place(f *finding) string {
	if f.At.IsZero() && f.row < 0 {
		return "recording"
	}
	if f.row >= 0 {
		return "#" + itoa(s.rows.at(int(f.row)).seq())
	}
	return "#" + itoa(f.At.Seq)
}

// drawSelected explains the selected finding.
func (f *findingsScreen) drawSelected(s *session, w, h int) []string {
	p := &s.m.pen
	p.begin(w, roleText)
	p.repeat(roleBorder, s.m.gl.rule, w)
	lines := []string{p.end()}
	l, ok := f.line(f.cur)
	if !ok {
		return lines
	}
	for _, dl := range s.findingBlock(f.finding(s, l), max(w-2, 10)) {
		if len(lines) >= h {
			break
		}
		p.begin(w, roleText)
		p.space(1)
		p.segs(dl.segs)
		lines = append(lines, p.end())
	}
	return lines
}

// sameWhole reports whether b takes the place of a among the findings about the whole recording.
func sameWhole(a *finding, b *annotate.Finding) bool {
	return a.row < 0 && a.At.IsZero() && a.Rule == b.Rule && a.Path == b.Path && a.By == b.By
}
