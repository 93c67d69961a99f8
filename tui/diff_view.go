package tui

import (
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/shakescope/shakescope/annotate"
	"github.com/shakescope/shakescope/internal/compare"
	"github.com/shakescope/shakescope/internal/termtext"
	"github.com/shakescope/shakescope/internal/timetext"
)

// factRows are the lines that say what A and B are.
const factRows = 2

// aboutHeight is the height of what is said about the selected line, its rule included.
func (c *comparison) aboutHeight() int { return max(min(c.m.body().h*2/5, 18), 6) }

func (c *comparison) listHeight() int { return max(c.m.body().h-factRows-c.aboutHeight(), 1) }

func (c *comparison) header() string {
	m := c.m
	p := &m.pen
	right := ""
	if r := c.report; r != nil {
		var parts []string
		for _, g := range []compare.Grade{compare.Breaking, compare.Compatible, compare.Cosmetic} {
			parts = append(parts, itoa(r.Grades(g))+" "+string(g))
		}
		right = strings.Join(parts, " "+m.gl.dot+" ") + " "
	}
	if c.exact {
		right = "exact " + m.gl.dot + " " + right
	}
	p.begin(m.w, roleText)
	if m.w >= 60 {
		p.text(roleBadge, " shakescope ")
	}
	p.text(roleTitle, " diff ")
	p.space(1)
	p.cut(roleStrong, recordingName(c.paths[0])+" "+m.gl.both+" "+recordingName(c.paths[1]), p.left-cells(right)-2)
	p.space(p.left - cells(right))
	p.text(roleMuted, right)
	return p.end()
}

func (c *comparison) status(p *pen) {
	gl := c.m.gl
	switch {
	case c.running:
		p.text(rolePending, c.read.text())
		p.text(roleMuted, "  esc stops")
	case c.err != nil:
		p.text(roleError, gl.failure+" "+c.err.Error())
	case c.report != nil:
		right := ""
		if len(c.rows) > 0 {
			right = thousands(int64(c.cur+1)) + "/" + thousands(int64(len(c.rows))) + " "
		}
		if c.filtered() {
			p.text(roleMatch, " "+c.filterText()+" ")
			p.space(2)
		}
		r := c.report
		text := tallyText(&r.Requests, gl)
		if r.Empty() {
			p.text(roleOK, gl.ok+" ")
			text = "no difference " + gl.dot + " " + text
		}
		p.cut(roleMuted, text, p.left-cells(right)-1)
		p.space(p.left - cells(right))
		p.text(roleMuted, right)
	}
}

// filterText says what alone is shown.
func (c *comparison) filterText() string {
	var parts []string
	for k, on := range c.quick {
		if on {
			parts = append(parts, quickNames[k].name)
		}
	}
	text := strings.Join(parts, ", ")
	if c.filter != "" {
		text = strings.TrimPrefix(text+", "+strconv.Quote(c.filter), ", ")
	}
	return "only " + text
}

// tallyText says how the requests of both sides were aligned.
func tallyText(t *compare.Tally, gl *glyphs) string {
	parts := []string{plural(int64(t.Same), "request") + " the same"}
	for _, o := range t.Others() {
		parts = append(parts, thousands(int64(o.N))+" "+o.What)
	}
	return strings.Join(parts, " "+gl.dot+" ")
}

func (c *comparison) draw(r rect) []string {
	p := &c.m.pen
	lines := c.drawFacts(r.w)
	h := c.listHeight()
	var list []string
	switch {
	case c.report == nil:
		list = c.drawWaiting(r.w)
	case len(c.rows) == 0:
		list = c.drawNothing(r.w)
	default:
		list = c.drawList(r.w, h)
	}
	lines = append(lines, fill(list, rect{w: r.w, h: h}, p)...)
	return append(lines, c.drawAbout(r.w, r.h-len(lines))...)
}

// drawFacts says what A and B are.
func (c *comparison) drawFacts(w int) []string {
	p := &c.m.pen
	var lines []string
	for n, letter := range []string{"A", "B"} {
		p.begin(w, roleText)
		p.space(1)
		p.text(roleTitle, letter)
		p.space(2)
		facts := ""
		if r := c.report; r != nil {
			f := [2]*compare.Facts{&r.A, &r.B}[n]
			revision := f.Revision
			if revision == "" {
				revision = "revision unknown"
			}
			facts = "  " + revision + ", " + plural(f.Messages, "message") + " in " + timetext.Rough(f.Duration)
		}
		p.cut(roleStrong, c.sideTitle(n), p.left-min(cells(facts), p.left/2))
		p.text(roleMuted, facts)
		lines = append(lines, p.end())
	}
	return lines
}

// sideTitle names a recording as the list does, where that is known.
func (c *comparison) sideTitle(n int) string {
	name := recordingName(c.paths[n])
	for i := range c.m.home.known {
		l := &c.m.home.known[i]
		if l.path != c.paths[n] {
			continue
		}
		if who := l.server.String(); who != "" {
			name = who + "  " + name
		} else if l.label != "" {
			name = l.label + "  " + name
		}
	}
	return name
}

func (c *comparison) drawWaiting(w int) []string {
	p := &c.m.pen
	p.begin(w, roleText)
	blank := p.end()
	p.begin(w, roleText)
	p.space(3)
	switch {
	case c.err != nil:
		p.text(roleError, c.m.gl.failure+" they cannot be compared: ")
		p.text(roleText, c.err.Error())
	default:
		p.text(roleText, "comparing"+c.m.gl.ellipsis)
	}
	return []string{blank, p.end()}
}

func (c *comparison) drawNothing(w int) []string {
	p := &c.m.pen
	p.begin(w, roleText)
	blank := p.end()
	p.begin(w, roleText)
	p.space(3)
	if c.filtered() {
		p.text(roleText, "nothing matches. ctrl+l clears the filter")
	} else {
		p.text(roleOK, c.m.gl.ok+" ")
		p.text(roleText, "no difference: "+tallyText(&c.report.Requests, c.m.gl))
	}
	return []string{blank, p.end()}
}

func (c *comparison) drawList(w, h int) []string {
	c.top = min(c.top, c.cur)
	if c.cur > 0 && c.cur == c.top && c.rows[c.cur-1].kind == rowSection {
		c.top-- // the head stays in sight
	}
	if c.cur >= c.top+h {
		c.top = c.cur - h + 1
	}
	c.top = max(0, min(c.top, len(c.rows)-h))
	var lines []string
	for i := c.top; i < len(c.rows) && len(lines) < h; i++ {
		lines = append(lines, c.drawRow(w, i))
	}
	return lines
}

const gradeWidth = 10

func (c *comparison) drawRow(w, i int) string {
	p := &c.m.pen
	gl := c.m.gl
	r := &c.rows[i]
	base := roleText
	if i == c.cur {
		base = roleSelection
	}
	p.begin(w, base)
	if r.kind == rowSection {
		p.repeat(roleBorder, gl.rule, 1)
		p.text(roleTitle, " "+string(r.section)+" ")
		p.repeat(roleBorder, gl.rule, p.left)
		return p.end()
	}
	if i == c.cur {
		p.text(roleTitle, gl.cursor)
	} else {
		p.space(1)
	}
	switch r.kind {
	case rowMore:
		p.text(roleMuted, "  "+thousands(int64(r.n))+" more are not listed; filters look at what is listed")
	case rowChange:
		c.drawChange(p, w, &c.report.Changes[r.n], r.again && i > c.top)
	case rowLatency:
		c.drawLatency(p, w, &c.report.Latency[r.n])
	}
	return p.end()
}

// gradeRole is the role of a grade's word, which stands beside it on each line.
func gradeRole(g compare.Grade) role {
	switch g {
	case compare.Breaking:
		return roleError
	case compare.Compatible:
		return roleInfo
	case compare.Cosmetic:
		return roleMuted
	}
	return roleText
}

// kindSign says whether something is in B only, in A only, or in both and differs.
func kindSign(k compare.Kind) string {
	switch k {
	case compare.Added, compare.Extra:
		return "+"
	case compare.Removed, compare.Missing:
		return "-"
	case compare.Unseen:
		return "?"
	}
	return "~"
}

// subjectWidth is the column of what a line is about.
func subjectWidth(w int) int { return max(14, min(w*28/100, 44)) }

func (c *comparison) drawChange(p *pen, w int, x *compare.Change, again bool) {
	gr := gradeRole(x.Grade)
	p.text(gr, kindSign(x.Kind))
	p.space(1)
	grade := string(x.Grade)
	if grade == "" {
		grade = string(x.Kind)
	}
	p.cell(gr, grade, gradeWidth)
	subject := x.Subject()
	if again {
		subject = ""
	}
	p.cell(roleStrong, subject, subjectWidth(w))
	words := x.Words
	if x.Count > 1 {
		words += " (" + itoa(x.Count) + " times)"
	}
	right := ""
	if w >= 100 {
		right = placesText(x.A, x.B) + " "
	}
	p.cut(roleText, words, p.left-cells(right)-1)
	p.space(p.left - cells(right))
	p.text(roleMuted, right)
}

// placesText says where both sides are.
func placesText(a, b annotate.Ref) string {
	var parts []string
	for n, ref := range []annotate.Ref{a, b} {
		if !ref.IsZero() {
			parts = append(parts, string(rune('A'+n))+ref.String())
		}
	}
	return strings.Join(parts, " ")
}

func (c *comparison) drawLatency(p *pen, w int, l *compare.Latency) {
	sign, ro, word := " ", roleMuted, ""
	if l.Meaningful {
		sign, ro, word = c.m.gl.asc, roleWarn, "slower"
		if l.Ratio < 1 {
			sign, ro, word = c.m.gl.down, roleInfo, "faster"
		}
	}
	p.text(ro, sign)
	p.space(1)
	p.cell(ro, word, gradeWidth)
	subject := roleStrong
	if !l.Meaningful {
		subject = roleMuted
	}
	p.cell(subject, latencySubject(l), subjectWidth(w))
	p.right(roleText, timetext.Cell(l.A.Median), 7)
	p.text(roleMuted, "became ")
	p.right(roleText, timetext.Cell(l.B.Median), 7)
	if l.Ratio > 0 {
		p.right(ro, c.m.gl.times+strconv.FormatFloat(l.Ratio, 'f', 2, 64), 8)
	}
	if w >= 100 {
		p.text(roleMuted, "p95 "+timetext.Cell(l.A.P95)+" became "+timetext.Cell(l.B.P95)+", ")
	}
	p.text(roleMuted, "n "+itoa(l.A.N)+" and "+itoa(l.B.N))
}

// drawAbout explains the selected line.
func (c *comparison) drawAbout(w, h int) []string {
	p := &c.m.pen
	if h < 1 {
		return nil
	}
	p.begin(w, roleText)
	p.repeat(roleBorder, c.m.gl.rule, w)
	lines := []string{p.end()}
	if c.cur >= len(c.rows) {
		return lines
	}
	var about []dline
	switch r := &c.rows[c.cur]; r.kind {
	case rowChange:
		about = c.aboutChange(&c.report.Changes[r.n], max(w-2, 10))
	case rowLatency:
		about = aboutLatency(&c.report.Latency[r.n], max(w-2, 10))
	}
	for i, dl := range about {
		if len(lines) == h-1 && len(about) > h-1 {
			p.begin(w, roleText)
			p.text(roleMuted, " "+c.m.gl.ellipsis+" "+plural(int64(len(about)-i), "further line"))
			lines = append(lines, p.end())
			break
		}
		p.begin(w, roleText)
		p.space(1)
		p.segs(dl.segs)
		lines = append(lines, p.end())
	}
	return lines
}

func (c *comparison) aboutChange(x *compare.Change, width int) []dline {
	head := []seg{{roleStrong, x.Subject()}}
	if x.Part != "" {
		head = append(head, seg{roleMuted, "  " + x.Part})
	}
	if x.Where != "" {
		head = append(head, seg{roleMuted, "  " + x.Where})
	}
	if at := placesText(x.A, x.B); at != "" {
		head = append(head, seg{roleMuted, "  "}, seg{roleTitle, at})
	}
	lines := wrapSegs(head, width)
	words := []seg{{gradeRole(x.Grade), x.Words}}
	if x.Count > 1 {
		words = append(words, seg{roleMuted, " (" + itoa(x.Count) + " times; the first one is shown)"})
	}
	lines = append(lines, wrapSegs(words, width)...)
	if x.Grade != compare.Ungraded {
		why := []seg{{gradeRole(x.Grade), string(x.Grade)}}
		if x.Why != "" {
			why = append(why, seg{roleText, ": " + x.Why})
		}
		lines = append(lines, wrapSegs(why, width)...)
	}
	if e := x.Evidence; e != nil && e.Failed > 0 {
		lines = append(lines, wrapSegs([]seg{{roleMuted, "for example "}, {roleTitle, strings.ToUpper(e.Side) + e.First.String()}, {roleMuted, ": "}, {roleText, e.Example}, {roleMuted, "  (x opens it)"}}, width)...)
	}
	if len(x.Differences) == 0 {
		return lines
	}
	lines = append(lines, dline{jump: none})
	if width >= 98 {
		lines = append(lines, c.splitDifferences(x.Differences, width)...)
	} else {
		for i := range x.Differences {
			d := &x.Differences[i]
			lines = append(lines, wrapSegs([]seg{{roleJSONKey, pathText(d.Path)}, {roleText, "  " + d.Words}}, width)...)
		}
	}
	if x.More > 0 {
		lines = append(lines, dline{segs: []seg{{roleMuted, "and " + plural(int64(x.More), "place") + " more"}}, jump: none})
	}
	return lines
}

func pathText(path string) string {
	if path == "" {
		return "/"
	}
	return path
}

// splitDifferences shows A at the left and B at the right of each place.
func (c *comparison) splitDifferences(list []compare.Difference, width int) []dline {
	gl := c.m.gl
	pathW := 8
	for i := range list {
		pathW = max(pathW, min(termtext.Width(termtext.Clean(pathText(list[i].Path))), width/3))
	}
	half := (width - pathW - 5) / 2
	lines := []dline{{segs: []seg{{roleText, blanks(pathW + 1)}, cellOf(gl, roleTitle, "A", half), {roleBorder, gl.vertical + " "}, {roleTitle, "B"}}, jump: none}}
	for i := range list {
		d := &list[i]
		if d.A == "" && d.B == "" {
			lines = append(lines, dline{segs: []seg{cellOf(gl, roleJSONKey, pathText(d.Path), pathW), {roleText, d.Words}}, jump: none})
			continue
		}
		value := func(s string) (role, string) {
			if s == "" {
				return roleMuted, "not there"
			}
			return roleText, s
		}
		ra, a := value(d.A)
		rb, b := value(d.B)
		lines = append(lines, dline{segs: []seg{cellOf(gl, roleJSONKey, pathText(d.Path), pathW), cellOf(gl, ra, a, half), {roleBorder, gl.vertical + " "}, {rb, b}}, jump: none})
	}
	return lines
}

func aboutLatency(l *compare.Latency, width int) []dline {
	lines := wrapSegs([]seg{{roleStrong, latencySubject(l)}}, width)
	verdict := "no more than chance would do"
	if l.Meaningful {
		verdict = "more than chance would do"
	} else if min(l.A.N, l.B.N) < 8 {
		verdict = "too few answers to tell it from chance"
	}
	lines = append(lines, wrapSegs([]seg{{roleMuted, verdict}}, width)...)
	for n, s := range []*annotate.Latencies{&l.A, &l.B} {
		lines = append(lines, dline{segs: []seg{{roleTitle, string(rune('A' + n))}, {roleText, "  " + plural(int64(s.N), "answer") + ", shortest " + timetext.Cell(s.Min) + ", median " + timetext.Cell(s.Median) + ", p95 " + timetext.Cell(s.P95) + ", longest " + timetext.Cell(s.Max)}}, jump: none})
	}
	return lines
}

// click selects the line under the pointer; a second click opens its message.
func (c *comparison) click(_, y int) tea.Cmd {
	i := c.top + y - c.m.body().y - factRows
	if y < c.m.body().y+factRows || y >= c.m.body().y+factRows+c.listHeight() || i >= len(c.rows) || c.rows[i].kind == rowSection {
		return nil
	}
	again := i == c.cur && c.m.now().Sub(c.lastClick) < doubleClick
	c.cur, c.lastClick = i, c.m.now()
	if again {
		return c.enter()
	}
	return nil
}
