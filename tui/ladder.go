package tui

import (
	tea "charm.land/bubbletea/v2"

	"github.com/shakescope/shakescope/internal/timetext"
	"github.com/shakescope/shakescope/recordings"
)

// ladder draws client and server as two lines with an arrow a message between them, and the requests
// in flight side by side on the right.
type ladder struct{ lanes lanes }

func newLadder() screen { return &ladder{} }

func (l *ladder) places() place { return inList | inLadder }

func (l *ladder) act(s *session, a action) (tea.Cmd, bool) {
	if a == actCompress {
		for _, q := range s.quickFilters() {
			if q.name == "no ping or progress" {
				return s.toggle(q), true
			}
		}
	}
	return s.moveList(a)
}

func (l *ladder) count(s *session) bool { return l.lanes.extend(s.rows) }

func (l *ladder) wheel(s *session, by int) tea.Cmd { return s.wheelList(by) }

func (l *ladder) click(s *session, x, y int, again bool) tea.Cmd {
	return stream{}.click(s, x, y, again)
}

func (l *ladder) draw(s *session, r rect) []string {
	if s.limit() == 0 || s.shownCount() == 0 {
		return s.nothingYet(r)
	}
	s.list.clamp(s)
	var state laneState
	next := none // the row before which state holds
	seq := max(3, len(itoa(s.rows.maxSeq)))
	clock := s.columns(max(r.w, 60)).time
	gut := 2 + seq + 1
	if r.w >= 60 && clock > 0 {
		gut += clock + 1
	} else {
		clock = 0
	}
	laneCells := 0
	if r.w >= 70 {
		laneCells = maxLanes
	}
	width := max(r.w-gut-2-laneCells-8, 12) // of the arrows
	p := &s.m.pen
	lines := []string{l.heads(s, r.w, gut, width)}
	total := s.list.total(s)
	for line := s.list.top; line < total && len(lines) < r.h; line++ {
		i, rule := s.rowAt(line)
		if rule {
			if _, _, idle := s.rows.ladderRowAt(line); idle {
				lines = append(lines, s.idleRule(r.w, gut, width, i))
			} else {
				lines = append(lines, s.phaseRule(r.w, i))
			}
			continue
		}
		if i != next {
			state = l.lanes.before(s.rows, i)
		}
		next = i + 1
		was := state
		lane := state.step(s.rows, i)
		base := roleText
		if i == s.sel {
			base = s.listRole()
		}
		row := s.rows.at(i)
		p.begin(r.w, base)
		p.rail(row.phase())
		if i == s.sel {
			p.text(roleTitle, s.m.gl.cursor)
		} else {
			p.space(1)
		}
		if clock > 0 {
			p.right(roleMuted, s.timeText(i), clock)
		}
		p.right(roleMuted, itoa(row.seq()), seq)
		if lv := s.levelAt(i); lv != levelNone {
			glyph, ro := s.levelGlyph(lv)
			p.unspace()
			p.text(ro, glyph)
		}
		p.text(roleC2S, s.m.gl.vertical)
		l.arrow(s, i, width)
		p.text(roleS2C, s.m.gl.vertical)
		if laneCells > 0 {
			drawLanes(p, s, i, lane, was, state)
		}
		p.space(1)
		s.latency(p, i, 6)
		lines = append(lines, p.end())
	}
	return lines
}

// idleRule is the line for a silence before row i.
func (s *session) idleRule(w, gut, width, i int) string {
	p := &s.m.pen
	text := " " + timetext.Rough(s.rows.at(i).t()-s.rows.at(i-1).t()) + " idle "
	p.begin(w, roleText)
	p.space(gut)
	p.text(roleC2S, p.gl.vertical)
	side := max(width-cells(text), 0) / 2
	p.repeat(roleMuted, p.gl.dotted, side)
	p.text(roleMuted, text)
	p.repeat(roleMuted, p.gl.dotted, width-side-cells(text))
	p.text(roleS2C, p.gl.vertical)
	return p.end()
}

// heads names the two sides over their lines.
func (l *ladder) heads(s *session, w, gut, width int) string {
	p := &s.m.pen
	client, server := s.client.String(), s.server.String()
	if client == "" {
		client = "client"
	}
	if server == "" {
		server = "server"
	}
	p.begin(w, roleText)
	p.space(gut)
	used := p.cut(roleC2S, client, width/2)
	text, n := fit(server, width-used, p.gl.ellipsis)
	p.space(width + 2 - used - n)
	p.text(roleS2C, text)
	return p.end()
}

// arrow draws the message between the two lines.
func (l *ladder) arrow(s *session, i, width int) {
	p := &s.m.pen
	gl := s.m.gl
	r := s.rows.at(i)
	shaft, ro := gl.rule, roleText
	label := s.rows.names.text(r.method())
	switch {
	case r.kind() == kindNotification:
		shaft, ro = gl.dotted, roleMuted
	case r.isAnswer():
		label = s.summaryText(i)
		ro = roleMuted
		if r.kind() == kindError || r.state() == stateToolError {
			ro = roleError
		}
	case r.kind() == kindRequest:
		ro = groups[r.group()].role
		if target := s.rows.names.text(r.target); target != "" {
			label += " " + target
		}
	default:
		text := s.kindWord(r) + ": " + s.summaryText(i)
		n := p.cut(roleMuted, " "+text, width)
		p.space(width - n)
		return
	}
	toRight := r.stream() == recordings.Stdin
	text, w := fit(label, width-8, gl.ellipsis)
	if w > 0 {
		text, w = " "+text+" ", w+2
	}
	head := gl.arrowRight
	if !toRight {
		head = gl.arrowLeft
	}
	if r.kind() == kindError {
		head = gl.dead
	}
	rest := width - w - 1
	left := min(4, rest)
	if !toRight {
		left = rest - min(4, rest)
	}
	if !toRight {
		p.text(ro, head)
	}
	p.repeat(ro, shaft, left)
	p.text(labelRole(r, ro), text)
	p.repeat(ro, shaft, rest-left)
	if toRight {
		p.text(ro, head)
	}
}

func labelRole(r row, ro role) role {
	if r.kind() == kindRequest || r.kind() == kindNotification {
		return roleText
	}
	if ro == roleError {
		return ro
	}
	return roleText
}

// drawLanes draws what is in flight: a corner where a request begins or ends, a line where one goes on.
func drawLanes(p *pen, s *session, i, lane int, was, now laneState) {
	gl := s.m.gl
	r := s.rows.at(i)
	for k := range maxLanes {
		switch {
		case k == lane && r.kind() == kindRequest:
			ro := groups[r.group()].role
			if s.stateAt(i) == statePending {
				ro = rolePending
			}
			p.text(ro, gl.laneTop)
		case k == lane:
			p.text(groups[r.group()].role, gl.laneBottom)
		case was[k] != none && now[k] != none:
			p.text(groups[s.rows.at(int(was[k])).group()].role, gl.vertical)
		default:
			p.space(1)
		}
	}
}
