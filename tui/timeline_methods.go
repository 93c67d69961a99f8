package tui

import (
	"sort"
	"time"

	"github.com/shakescope/shakescope/internal/timetext"
)

// methodLine is a line of the timeline by method: all requests of one method and target.
type methodLine struct {
	method, target uint32
	server         bool
	first          int32 // row
	count, failed  int
	busy           []uint16 // requests under way, by cell
	longest        time.Duration
}

// methodLines are the lines for one window.
type methodLines struct {
	from, span time.Duration
	width, n   int
	lines      []methodLine
	tooMany    bool
}

// byMethod puts the requests of the window together by method and target.
func (tl *timeline) byMethodLines(s *session, width int) *methodLines {
	ml := &tl.methods
	if ml.from == tl.from && ml.span == tl.span && ml.width == width && ml.n == s.limit() && ml.lines != nil {
		return ml
	}
	*ml = methodLines{from: tl.from, span: tl.span, width: width, n: s.limit(), lines: []methodLine{}}
	n := tl.seen(s)
	last := sort.Search(n, func(k int) bool { return tl.start(s, k) > tl.from+tl.span })
	first := sort.Search(n, func(k int) bool { return tl.start(s, k) >= tl.from })
	// Requests that began before the window may reach into it; very old ones are left out.
	if first = max(0, first-2000); last-first > sparkRows {
		ml.tooMany = true
		return ml
	}
	type key struct {
		method, target uint32
		server         bool
	}
	at := map[key]int{}
	for k := first; k < last; k++ {
		end, answered := tl.end(s, k)
		if end < tl.from {
			continue
		}
		row := s.rows.at(int(tl.requests[k]))
		id := key{row.method(), row.target, row.flags&fromServer != 0}
		i, ok := at[id]
		if !ok {
			i = len(ml.lines)
			at[id] = i
			ml.lines = append(ml.lines, methodLine{method: id.method, target: id.target, server: id.server, first: tl.requests[k], busy: make([]uint16, width)})
		}
		l := &ml.lines[i]
		l.count++
		l.longest = max(l.longest, end-tl.start(s, k))
		if answered && s.failed(s.pairAt(int(tl.requests[k]))) {
			l.failed++
		}
		a, b := max(0, tl.at(tl.start(s, k), width)), min(width-1, tl.at(end, width))
		for c := a; c <= b; c++ {
			l.busy[c] += 1 - l.busy[c]>>15
		}
	}
	sort.SliceStable(ml.lines, func(i, j int) bool { return ml.lines[i].count > ml.lines[j].count })
	return ml
}

// drawMethods draws the lines into h rows.
func (tl *timeline) drawMethods(s *session, w, h, label, width int) []string {
	p := &s.m.pen
	gl := s.m.gl
	ml := tl.byMethodLines(s, width)
	var out []string
	if ml.tooMany {
		p.begin(w, roleText)
		p.space(1)
		p.text(roleMuted, "too many requests in this window: + zooms in")
		return []string{p.end()}
	}
	tl.topMethod = max(0, min(tl.topMethod, len(ml.lines)-h))
	for k := tl.topMethod; k < len(ml.lines) && len(out) < h; k++ {
		l := &ml.lines[k]
		row := s.rows.at(int(l.first))
		p.begin(w, roleText)
		p.space(2)
		s.direction(p, row)
		name := s.rows.names.text(l.method)
		if target := s.rows.names.text(l.target); target != "" {
			name += " " + target
		}
		count := thousands(int64(l.count)) + gl.times
		p.cell(roleText, name, label-6-len(count))
		p.right(roleMuted, count, len(count))
		most := uint16(1)
		for _, v := range l.busy {
			most = max(most, v)
		}
		ro := groups[row.group()].role
		for _, v := range l.busy {
			switch {
			case v == 0:
				p.space(1)
			case most == 1:
				p.text(ro, gl.busy)
			default:
				p.text(ro, gl.boxes[1+int(v-1)*(len(gl.boxes)-2)/int(most)])
			}
		}
		p.space(1)
		ro = roleText
		if l.failed > 0 {
			ro = roleError
		}
		p.right(ro, timetext.Cell(l.longest), 7)
		out = append(out, p.end())
	}
	return out
}
