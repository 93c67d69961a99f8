package tui

import (
	"sort"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/shakescope/shakescope/internal/timetext"
)

// timeline draws each request as a bar over time, and below how many were in flight and how many bytes
// travelled.
type timeline struct {
	requests []int32
	upTo     int
	from     time.Duration // left edge
	span     time.Duration // width of the window; 0: not chosen yet
	top      int
	spark    sparks

	byMethod  bool
	methods   methodLines
	topMethod int
}

// sparks are the two curves below the bars, for one window.
type sparks struct {
	from, span time.Duration
	width, n   int
	flight     []float64
	bytes      []float64
	tooMany    bool
}

const (
	timelineSpan = 12 * time.Second
	leastSpan    = time.Millisecond
	// sparkRows bounds the entries that are counted for the curves.
	sparkRows = 100_000
)

func newTimeline() screen { return &timeline{} }

func (tl *timeline) places() place { return inList | inTimeline }

func (tl *timeline) count(s *session) bool {
	tl.extend(s)
	return tl.upTo == s.rows.n
}

// extend takes in entries that are new, a limited number.
func (tl *timeline) extend(s *session) {
	for end := min(s.rows.n, tl.upTo+countSlice); tl.upTo < end; tl.upTo++ {
		if s.rows.at(tl.upTo).kind() == kindRequest {
			tl.requests = append(tl.requests, int32(tl.upTo))
		}
	}
}

// seen is the number of requests that are to be seen.
func (tl *timeline) seen(s *session) int {
	return sort.Search(len(tl.requests), func(k int) bool { return int(tl.requests[k]) >= s.limit() })
}

// cursor is the request of the selected entry: itself, that of its flow, or the last one before.
func (tl *timeline) cursor(s *session) int {
	if s.sel < 0 {
		return 0
	}
	at := s.sel
	if f := s.rows.at(at).flow(); f >= 0 {
		at = int(f)
	}
	return max(0, sort.Search(len(tl.requests), func(k int) bool { return int(tl.requests[k]) > at })-1)
}

func (tl *timeline) start(s *session, k int) time.Duration {
	return s.rows.at(int(tl.requests[k])).t()
}

// end is when request k was answered, or until when it is known to be open.
func (tl *timeline) end(s *session, k int) (time.Duration, bool) {
	if p := s.pairAt(int(tl.requests[k])); p >= 0 {
		return s.rows.at(p).t(), true
	}
	return max(s.clock(), tl.start(s, k)), false
}

func (tl *timeline) opened(s *session) tea.Cmd {
	tl.extend(s)
	tl.choose(s)
	tl.reveal(s)
	return nil
}

// choose picks the first window: all of a short recording, some seconds of a long one.
func (tl *timeline) choose(s *session) {
	if tl.span > 0 {
		return
	}
	tl.span, tl.from = s.length(), 0
	if tl.span > time.Minute {
		tl.span = timelineSpan
	}
	tl.span = max(tl.span, leastSpan)
}

// reveal moves the window so that the selected request begins in it.
func (tl *timeline) reveal(s *session) {
	if len(tl.requests) == 0 {
		return
	}
	t := tl.start(s, tl.cursor(s))
	if t < tl.from || t > tl.from+tl.span*9/10 {
		tl.from = t - tl.span/8
	}
	tl.clamp(s)
}

func (tl *timeline) clamp(s *session) {
	tl.span = max(leastSpan, min(tl.span, max(s.length()*11/10, leastSpan)))
	tl.from = max(0, min(tl.from, s.length()-tl.span*8/10))
}

func (tl *timeline) act(s *session, a action) (tea.Cmd, bool) {
	tl.extend(s)
	tl.choose(s)
	page := max(s.mainRect.h-6, 1)
	if a == actMode {
		tl.byMethod = !tl.byMethod
		return nil, true
	}
	if tl.byMethod {
		by := map[action]int{actDown: 1, actUp: -1, actPageDown: page, actPageUp: -page, actHalfDown: page / 2, actHalfUp: -page / 2, actTop: -len(tl.methods.lines), actBottom: len(tl.methods.lines)}[a]
		if by != 0 {
			tl.topMethod = max(0, tl.topMethod+by)
			return nil, true
		}
	}
	switch a {
	case actDown:
		return tl.move(s, 1), true
	case actUp:
		return tl.move(s, -1), true
	case actPageDown:
		return tl.move(s, page), true
	case actPageUp:
		return tl.move(s, -page), true
	case actHalfDown:
		return tl.move(s, page/2), true
	case actHalfUp:
		return tl.move(s, -page/2), true
	case actTop:
		return tl.move(s, -len(tl.requests)), true
	case actBottom:
		return tl.move(s, len(tl.requests)), true
	case actZoomIn, actZoomOut:
		tl.zoom(s, a == actZoomIn)
		return nil, true
	case actFold:
		tl.from -= tl.span / 4
		tl.clamp(s)
		return nil, true
	case actUnfold:
		tl.from += tl.span / 4
		tl.clamp(s)
		return nil, true
	}
	return nil, false
}

// zoom keeps the start of the selected request in its place.
func (tl *timeline) zoom(s *session, in bool) {
	centre := tl.from + tl.span/2
	if len(tl.requests) > 0 {
		if t := tl.start(s, tl.cursor(s)); t >= tl.from && t <= tl.from+tl.span {
			centre = t
		}
	}
	share := float64(centre-tl.from) / float64(tl.span)
	if in {
		tl.span /= 2
	} else {
		tl.span *= 2
	}
	tl.span = max(leastSpan, min(tl.span, max(s.length()*11/10, leastSpan)))
	tl.from = centre - time.Duration(share*float64(tl.span))
	tl.clamp(s)
}

func (tl *timeline) move(s *session, by int) tea.Cmd {
	n := tl.seen(s)
	if n == 0 {
		return nil
	}
	k := max(0, min(tl.cursor(s)+by, n-1))
	cmd := s.goTo(int(tl.requests[k]))
	tl.reveal(s)
	return cmd
}

func (tl *timeline) wheel(s *session, by int) tea.Cmd { return tl.move(s, by) }

func (tl *timeline) click(s *session, _, y int, again bool) tea.Cmd {
	k := tl.top + y - 1
	if y < 1 || tl.byMethod || k >= tl.seen(s) {
		return nil
	}
	if again {
		cmd := s.show("1")
		return tea.Batch(cmd, s.goTo(int(tl.requests[k])))
	}
	return s.goTo(int(tl.requests[k]))
}

// at is the cell of a time in a width.
func (tl *timeline) at(t time.Duration, width int) int {
	return int(float64(t-tl.from) / float64(tl.span) * float64(width))
}

func (tl *timeline) draw(s *session, r rect) []string {
	tl.choose(s)
	n := tl.seen(s)
	if n == 0 {
		return s.nothingYet(r)
	}
	tl.clamp(s)
	label := max(16, min(r.w*2/5, 44))
	width := max(r.w-label-11, 8)
	p := &s.m.pen
	p.begin(r.w, roleText)
	p.space(1)
	p.cell(roleMuted, plural(int64(n), "request"), label-2)
	left, right := seconds(tl.from), seconds(tl.from+tl.span)
	p.text(roleMuted, left)
	p.space(max(width-len(left)-len(right), 1))
	p.text(roleMuted, right)
	p.space(1)
	p.right(roleMuted, timetext.Rough(tl.span), p.left-1)
	lines := []string{p.end()}
	h := max(r.h-4, 1)
	if tl.byMethod {
		lines = append(lines, tl.drawMethods(s, r.w, h, label, width)...)
		lines = fill(lines, rect{w: r.w, h: h + 1}, p)
		return append(lines, tl.curves(s, r.w, label, width)...)
	}
	cur := tl.cursor(s)
	if cur < tl.top {
		tl.top = cur
	}
	if cur >= tl.top+h {
		tl.top = cur - h + 1
	}
	tl.top = max(0, min(tl.top, n-h))
	for k := tl.top; k < n && len(lines) <= h; k++ {
		lines = append(lines, tl.bar(s, r.w, k, k == cur, label, width))
	}
	lines = fill(lines, rect{w: r.w, h: h + 1}, p)
	return append(lines, tl.curves(s, r.w, label, width)...)
}

// bar draws request k.
func (tl *timeline) bar(s *session, w, k int, selected bool, label, width int) string {
	p := &s.m.pen
	gl := s.m.gl
	i := int(tl.requests[k])
	row := s.rows.at(i)
	base := roleText
	if selected {
		base = s.cursorRole("3")
	}
	p.begin(w, base)
	p.rail(row.phase())
	if selected {
		p.text(roleTitle, gl.cursor)
	} else {
		p.space(1)
	}
	s.direction(p, row)
	name := s.rows.names.text(row.method())
	if target := s.rows.names.text(row.target); target != "" {
		name += " " + target
	}
	p.cell(roleText, name, label-5)
	begin, end := tl.start(s, k), time.Duration(0)
	end, answered := tl.end(s, k)
	a, b := tl.at(begin, width), tl.at(end, width)
	a, b = max(0, min(a, width)), max(0, min(b, width-1))
	ro := groups[row.group()].role
	ticks := map[int]bool{}
	for _, pt := range s.progressAt(i) {
		ticks[tl.at(time.Duration(pt.t), width)] = true
	}
	failed := answered && s.failed(s.pairAt(i))
	visible := begin <= tl.from+tl.span && end >= tl.from
	for c := range width {
		switch {
		case !visible || c < a || c > b:
			p.space(1)
		case c == b && failed:
			p.text(roleError, gl.rpcError)
		case c == b && !answered:
			p.text(rolePending, gl.pending)
		case ticks[c] && c > a:
			p.text(ro, gl.mark)
		default:
			p.text(ro, gl.busy)
		}
	}
	p.space(1)
	if answered {
		p.right(roleText, timetext.Cell(end-begin), 7)
	} else {
		p.right(rolePending, timetext.Cell((end - begin).Truncate(100*time.Millisecond)), 7)
	}
	return p.end()
}

// curves draws requests in flight and bytes over the window.
func (tl *timeline) curves(s *session, w, label, width int) []string {
	p := &s.m.pen
	tl.measure(s, width)
	p.begin(w, roleText)
	p.repeat(roleBorder, s.m.gl.rule, w)
	lines := []string{p.end()}
	if tl.spark.tooMany {
		p.begin(w, roleText)
		p.space(1)
		p.text(roleMuted, "too many entries in this window for curves: + zooms in")
		return append(lines, p.end())
	}
	for _, c := range []struct {
		name   string
		values []float64
		role   role
		unit   func(float64) string
	}{
		{"in flight", tl.spark.flight, rolePending, func(f float64) string { return "max " + itoa(int(f)) }},
		{"bytes", tl.spark.bytes, roleInfo, func(f float64) string { return sizeText(int64(f)) + "/cell" }},
	} {
		most := 0.0
		for _, v := range c.values {
			most = max(most, v)
		}
		p.begin(w, roleText)
		p.space(4)
		p.cell(roleMuted, c.name, label-5)
		for _, v := range c.values {
			n := 0
			if most > 0 && v > 0 {
				n = 1 + int(v/most*float64(len(s.m.gl.boxes)-2))
			}
			p.text(c.role, s.m.gl.boxes[n])
		}
		p.space(1)
		p.right(roleMuted, c.unit(most), 9)
		lines = append(lines, p.end())
	}
	return lines
}

// measure counts what the curves show, unless it is counted already.
func (tl *timeline) measure(s *session, width int) {
	sp := &tl.spark
	if sp.from == tl.from && sp.span == tl.span && sp.width == width && sp.n == s.limit() {
		return
	}
	*sp = sparks{from: tl.from, span: tl.span, width: width, n: s.limit(), flight: make([]float64, width), bytes: make([]float64, width)}
	first, last := s.rows.firstAfter(tl.from), min(s.rows.firstAfter(tl.from+tl.span), s.limit())
	if last-first > sparkRows {
		sp.tooMany = true
		return
	}
	for i := first; i < last; i++ {
		r := s.rows.at(i)
		if c := tl.at(r.t(), width); c >= 0 && c < width {
			sp.bytes[c] += float64(r.size())
		}
	}
	// Requests that began before the window may reach into it; very old ones are left out.
	k0 := sort.Search(len(tl.requests), func(k int) bool { return int(tl.requests[k]) >= first })
	for k := max(0, k0-2000); k < len(tl.requests) && int(tl.requests[k]) < last; k++ {
		end, _ := tl.end(s, k)
		if end < tl.from {
			continue
		}
		a, b := max(0, tl.at(tl.start(s, k), width)), min(width-1, tl.at(end, width))
		for c := a; c <= b; c++ {
			sp.flight[c]++
		}
	}
}
