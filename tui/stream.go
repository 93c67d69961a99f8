package tui

import (
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/shakescope/shakescope/annotate"
	"github.com/shakescope/shakescope/internal/mcpspec"
	"github.com/shakescope/shakescope/internal/timetext"
	"github.com/shakescope/shakescope/recordings"
)

// stream is the list of all entries.
type stream struct{}

func (stream) places() place { return inList }

func (stream) act(s *session, a action) (tea.Cmd, bool) { return s.moveList(a) }

func (stream) wheel(s *session, by int) tea.Cmd { return s.wheelList(by) }

func (stream) click(s *session, x, y int, again bool) tea.Cmd {
	if y < 1 {
		return s.clickHead(x)
	}
	i, rule := s.rowAt(s.list.top + y - 1)
	if rule || i < 0 || i >= s.limit() {
		return nil
	}
	if again && i == s.sel {
		return s.openDetail()
	}
	return s.goTo(i)
}

func (stream) draw(s *session, r rect) []string {
	if s.limit() == 0 || s.shownCount() == 0 {
		return s.nothingYet(r)
	}
	s.list.clamp(s)
	pair := s.pairAt(s.sel)
	total := s.list.total(s)
	c := s.columns(r.w)
	bar := s.scrollbar(r.h - 1)
	if bar != nil {
		// The column takes from the summary, so that the others stay where they are.
		r.w--
		if c.summary > 0 {
			c.summary--
		} else {
			c.method--
		}
	}
	lines := make([]string, 0, r.h)
	if banner := s.onlyStderr(r.w); banner != "" {
		lines = append(lines, banner)
	} else {
		lines = append(lines, s.columnHeads(r.w, c))
	}
	for line := s.list.top; line < total && len(lines) < r.h; line++ {
		i, rule := s.rowAt(line)
		if rule {
			lines = append(lines, s.phaseRule(r.w, i))
		} else {
			lines = append(lines, s.streamLine(r.w, c, i, pair))
		}
	}
	return besides(lines, bar, &s.m.pen)
}

// withBlank is the width of a column with its blank.
func withBlank(width int) int {
	if width == 0 {
		return 0
	}
	return width + 1
}

// phaseRule is the thin line where the phase changes.
func (s *session) phaseRule(w, i int) string {
	p := &s.m.pen
	r := s.rows.at(i)
	ro := phaseRole(r.phase())
	p.begin(w, roleText)
	p.repeat(ro, s.m.gl.rule, 2)
	p.space(1)
	label := string(phaseNames[r.phase()]) + " begins"
	if rev := s.rows.eras[r.era].revision; rev != "" && r.phase() != phaseShutdown {
		label += ", " + rev
	}
	if r.t() > 0 && i > 0 {
		label += ", after " + timetext.Rough(r.t())
	}
	p.text(ro, label)
	p.space(1)
	p.repeat(roleBorder, s.m.gl.rule, p.left)
	return p.end()
}

func phaseRole(ph phase) role {
	switch ph {
	case phaseInitialization:
		return roleInitialization
	case phaseOperation:
		return roleOperation
	case phaseShutdown:
		return roleShutdown
	case phaseDiscovery:
		return roleDiscovery
	case phaseProbe:
		return roleProbe
	}
	return roleMuted
}

func phaseLetter(ph phase) string { return [...]string{" ", "I", "O", "S", "D", "P"}[ph] }

// rail draws the phase's letter as a piece of a continuous coloured band.
func (p *pen) rail(ph phase) {
	if ph == phaseNone {
		p.space(1)
		return
	}
	p.reversed(phaseRole(ph), phaseLetter(ph))
}

func (s *session) streamLine(w int, c streamColumns, i, pair int) string {
	m := s.m
	gl, p := m.gl, &m.pen
	r := s.rows.at(i)
	base := roleText
	if i == s.sel {
		base = s.listRole()
	}
	p.begin(w, base)
	p.rail(r.phase())
	switch {
	case i == s.sel:
		p.text(roleTitle, gl.cursor)
	case pair >= 0 && i == pair && s.lineOf(pair) < s.lineOf(s.sel):
		p.text(roleTitle, gl.pairTop)
	case pair >= 0 && i == pair:
		p.text(roleTitle, gl.pairBottom)
	case pair >= 0 && !s.ordered() && i > min(pair, s.sel) && i < max(pair, s.sel):
		p.text(roleBorder, gl.pairMid)
	case len(s.notes.byRef) > 0 && s.notes.byRef[r.ref()] != "":
		p.reversed(roleInfo, s.notes.byRef[r.ref()][:1])
	case len(s.notes.texts) > 0 && s.notes.texts[r.ref()] != "":
		p.text(roleInfo, gl.note)
	default:
		p.space(1)
	}
	if c.seq > 0 {
		if r.sub() >= 0 {
			p.right(roleMuted, "["+itoa(r.sub())+"]", c.seq)
		} else {
			p.right(roleMuted, itoa(r.seq()), c.seq)
		}
	}
	if c.time > 0 {
		p.right(roleMuted, s.timeText(i), c.time)
	}
	s.direction(p, r)
	if c.marks && s.odd[int32(i)] {
		p.unspace()
		p.text(roleWarn, gl.shorn)
	}
	if c.marks {
		s.marks(p, i)
	}
	if c.id > 0 {
		p.cell(roleMuted, s.rows.idText(r.id), c.id)
	}
	if c.primitive > 0 {
		g := groups[r.group()]
		p.cell(g.role, mcpspec.ShortGroup(g.name), c.primitive)
		if c.capability == 0 {
			s.capabilityMark(p, r)
			p.space(1)
		}
	}
	if c.capability > 0 {
		s.capability(p, r, c.capability)
	}
	s.method(p, r, c.method)
	p.space(max(c.summary-s.summary(p, i, c.summary), 0))
	if c.latency > 0 {
		s.latency(p, i, c.latency)
	}
	if c.size > 0 {
		text := ""
		if r.isMessage() || r.size() > 0 {
			text = sizeText(r.size())
		}
		p.right(roleMuted, text, c.size)
	}
	return p.end()
}

func (s *session) timeText(i int) string {
	t := s.rows.at(i).t()
	switch s.times {
	case timeOfDay:
		if w, ok := s.wall(t); ok {
			return w.Format("15:04:05.000")
		}
	case timeDelta:
		if i > 0 {
			return seconds(t - s.rows.at(i-1).t())
		}
	}
	return seconds(t)
}

func (s *session) direction(p *pen, r row) {
	gl := s.m.gl
	switch {
	case r.stream() == recordings.Stdin:
		p.text(roleC2S, gl.c2s)
	case r.stream() == recordings.Stdout:
		p.text(roleS2C, gl.s2c)
	case r.stream() == recordings.Stderr:
		p.text(roleStderr, gl.stderr)
	default:
		p.text(roleControl, gl.control)
	}
	p.space(1)
}

// marks draws the worst finding and the state.
func (s *session) marks(p *pen, i int) {
	gl := s.m.gl
	switch s.levelAt(i) {
	case levelError:
		p.text(roleError, gl.failure)
	case levelWarning:
		p.text(roleWarn, gl.warning)
	case levelInfo:
		p.text(roleInfo, gl.info)
	default:
		p.space(1)
	}
	g, r := s.stateGlyph(i)
	p.text(r, g)
	p.space(1)
}

// stateGlyph is the state of a row as a symbol.
func (s *session) stateGlyph(i int) (string, role) {
	gl := s.m.gl
	r := s.rows.at(i)
	st := s.stateAt(i)
	if r.kind() == kindRequest && st != statePending && st != stateOpen && st != stateCancelled {
		return gl.requested, roleMuted
	}
	switch st {
	case statePending:
		if s.done && !s.replay.on {
			return gl.unmatched, roleWarn
		}
		return gl.pending, rolePending
	case stateOK:
		return gl.ok, roleOK
	case stateError:
		return gl.rpcError, roleError
	case stateToolError:
		return gl.toolError, roleError
	case stateInputRequired:
		return gl.input, roleInfo
	case stateCancelled:
		return gl.cancelled, roleWarn
	case stateOpen:
		return gl.open, roleInfo
	case stateUnmatched, stateDuplicate:
		return gl.unmatched, roleWarn
	}
	if r.kind() == kindInvalid {
		return gl.rpcError, roleError
	}
	return " ", roleMuted
}

// capabilityMark is the state of the capabilities as one symbol.
func (s *session) capabilityMark(p *pen, r row) {
	gl := s.m.gl
	switch {
	case r.caps == 0:
		p.space(1)
	case r.flags&capMissing != 0:
		p.text(roleError, gl.undeclared)
	case r.flags&capUnknown != 0:
		p.text(roleMuted, gl.unknown)
	default:
		p.text(roleOK, gl.declared)
	}
}

// capability draws "✓ server tools.listChanged", the marks in one column; of several the first that is
// not declared.
func (s *session) capability(p *pen, r row, width int) {
	caps := s.rows.caps[r.caps]
	if len(caps) == 0 {
		p.space(width + 1)
		return
	}
	c := caps[0]
	for _, x := range caps {
		if x.State != annotate.IsDeclared {
			c = x
			break
		}
	}
	more := ""
	if len(caps) > 1 {
		more = " +" + itoa(len(caps)-1)
	}
	s.capabilityMark(p, r)
	p.space(1)
	n := p.cut(roleMuted, c.Side+" ", width-2)
	n += p.cut(roleText, c.Path+more, width-2-n)
	p.space(width - n - 2 + 1)
}

const notifications = "notifications/"

// method draws the method; an answer's repeats its request's and steps back.
func (s *session) method(p *pen, r row, width int) {
	name := s.rows.names.text(r.method())
	ro := roleText
	switch {
	case r.isAnswer():
		ro = roleMuted
	case r.kind() == kindRequest:
		ro = roleStrong
	case name == "":
		name, ro = s.kindWord(r), roleMuted
	}
	if len(name) > width && strings.HasPrefix(name, notifications) {
		name = s.m.gl.ellipsis + name[len(notifications)-1:]
	}
	p.cell(ro, name, width)
}

// kindWord names what is no message.
func (s *session) kindWord(r row) string {
	switch r.kind() {
	case kindEvent:
		return "event"
	case kindStderr:
		return "stderr"
	case kindInvalid:
		return "not a message"
	case kindBlank:
		return "blank line"
	case kindGap:
		return "gap"
	case kindBatch:
		return "batch"
	case kindResponse, kindError:
		return "answer"
	}
	return string(kindNames[r.kind()])
}

// summary draws what happened and returns the cells used.
func (s *session) summary(p *pen, i, width int) int {
	r := s.rows.at(i)
	if r.kind() == kindRequest && s.stateAt(i) == statePending {
		if pts := s.progressAt(i); len(pts) > 0 {
			used := 0
			if target := s.rows.names.text(r.target); target != "" && width >= 20 {
				used = p.cut(roleInfo, target, width/3)
				used += p.cut(roleText, "  ", 2)
			}
			return used + s.progressBar(p, pts, r.t(), width-used)
		}
	}
	ro := roleText
	switch {
	case r.kind() == kindError || r.state() == stateToolError && r.isAnswer() || r.kind() == kindGap:
		ro = roleError
	case r.kind() == kindStderr || r.kind() == kindEvent || r.kind() == kindBlank:
		ro = roleMuted
	case r.kind() == kindInvalid:
		ro = roleWarn
	}
	text := s.summaryText(i)
	used := 0
	if target := s.rows.names.text(r.target); r.kind() == kindRequest && target != "" && !strings.HasPrefix(text, target) {
		used = p.cut(roleInfo, target, width)
		if text != "" && used+2 < width {
			used += p.cut(roleText, "  ", 2)
		}
	}
	return used + p.cut(ro, text, width-used)
}

// latency draws how long an answer took, or how long a request waits by now.
func (s *session) latency(p *pen, i, width int) {
	r := s.rows.at(i)
	if d, ok := s.rows.latency(i); ok {
		ro := roleText
		if d >= time.Second {
			ro = roleStrong
		}
		p.right(ro, timetext.Cell(d), width)
		return
	}
	if r.kind() == kindRequest && s.stateAt(i) == statePending {
		p.right(rolePending, timetext.Cell((s.clock() - r.t()).Truncate(100*time.Millisecond)), width)
		return
	}
	p.space(width + 1)
}
