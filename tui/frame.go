package tui

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
)

// View returns the frame. It is called after every message, so an unchanged frame is not drawn again.
func (m *model) View() tea.View {
	if m.dirty {
		m.content = m.draw()
		m.dirty = false
		m.frames++
	}
	v := tea.NewView(m.content)
	v.AltScreen = true
	if !m.noMouse {
		v.MouseMode = tea.MouseModeCellMotion
	}
	v.WindowTitle = m.windowTitle()
	return v
}

func (m *model) windowTitle() string {
	if m.rec == nil {
		if m.diff != nil {
			return "shakescope: diff"
		}
		if m.resend != nil {
			return "shakescope: resend"
		}
		return "shakescope"
	}
	s, _ := fit(m.rec.title(), 60, "…")
	return "shakescope: " + s
}

func (m *model) draw() string {
	if m.w <= 0 || m.h <= 0 {
		return ""
	}
	m.pen.th, m.pen.gl = m.th, m.gl
	if m.tooSmall() {
		m.pen.begin(m.w, roleText)
		m.pen.text(roleText, "needs "+itoa(minWidth)+"x"+itoa(minHeight)+" (have "+itoa(int64(m.w))+"x"+itoa(int64(m.h))+")")
		return m.pen.end()
	}
	var head, status string
	var body []string
	switch {
	case m.help != nil:
		head, body, status = m.help.header(m), m.help.draw(m, m.body()), m.statusLine()
	case m.rec != nil:
		head, body, status = m.rec.header(), m.rec.draw(), m.statusLine()
	case m.resend != nil:
		head, body, status = m.resend.header(), m.resend.draw(m.body()), m.statusLine()
	case m.diff != nil:
		head, body, status = m.diff.header(), m.diff.draw(m.body()), m.statusLine()
	default:
		head, body, status = m.home.header(), m.home.draw(m.body()), m.statusLine()
	}
	lines := make([]string, 0, m.h)
	lines = append(lines, head)
	if m.barRows() > 0 {
		if m.help == nil {
			lines = append(lines, m.rec.drawBar(&m.pen, m.w))
			if c := m.rec.caret(&m.pen, m.w); c != "" && len(body) > 0 {
				body[0] = c
			}
		} else {
			m.pen.begin(m.w, roleText)
			lines = append(lines, m.pen.end())
		}
	}
	body = fill(body, m.body(), &m.pen)
	if m.menu != nil {
		body = m.menu.draw(m, body)
	}
	lines = append(lines, body...)
	lines = append(lines, status)
	if m.hintRows() > 0 {
		lines = append(lines, m.hintLine())
	}
	return strings.Join(lines, "\n")
}

// fill cuts or lengthens lines to the height of r.
func fill(lines []string, r rect, p *pen) []string {
	if len(lines) > r.h {
		return lines[:r.h]
	}
	if len(lines) < r.h {
		p.begin(r.w, roleText)
		blank := p.end()
		for len(lines) < r.h {
			lines = append(lines, blank)
		}
	}
	return lines
}

// ownHints are the keys, each with what it does, of what takes all keys for itself; nil: nothing does.
func (m *model) ownHints() []string {
	switch {
	case m.prefix != nil:
		return []string{"esc", "cancel"}
	case m.prompt != nil && m.prompt.complete != nil:
		return []string{"enter", "do", "tab", "complete", keyLabel([]string{"up"}), "history", "esc", "cancel"}
	case m.prompt != nil:
		return []string{"enter", "do", "esc", "cancel"}
	case m.menu != nil:
		return []string{"enter", "or its key", "j/k", "move", "esc", "close"}
	case m.help != nil:
		return []string{"esc", "close", "j/k", "scroll"}
	case m.resend != nil && m.resend.running:
		return []string{"esc", "stop the server"}
	case m.diff != nil && m.diff.running && m.diff.report == nil:
		return []string{"esc", "stop"}
	case m.rec != nil && m.rec.bar != nil:
		return []string{"enter", "apply", "tab", "complete", keyLabel([]string{"up"}), "history", "ctrl+l", "empty", "esc", "cancel"}
	}
	return nil
}

// hintLine shows the most useful keys of this place, from the key table.
func (m *model) hintLine() string {
	p := &m.pen
	p.begin(m.w, roleText)
	p.space(1)
	in := m.places()
	if own := m.ownHints(); own != nil {
		for k := 0; k+1 < len(own); k += 2 {
			p.text(roleHintKey, own[k])
			p.text(roleMuted, " "+own[k+1])
			p.space(2)
		}
		return p.end()
	}
	valid := m.keys.valid(in)
	need := 0
	for _, b := range valid {
		if b.act == actHelp || b.act == actBack {
			need += len(b.Keys()[0]) + 1 + len(b.hint) + 2
		}
	}
	show := func(b binding) {
		p.text(roleHintKey, keyLabel(b.Keys()[:1]))
		p.text(roleMuted, " "+b.hint)
		p.space(2)
	}
	for _, b := range valid {
		if b.hint == "" || b.act == actHelp || b.act == actBack || !m.worthHint(b.act) {
			continue
		}
		if len(b.Keys()[0])+len(b.hint)+3 > p.left-need {
			break
		}
		show(b)
	}
	for _, a := range []action{actHelp, actBack} {
		for _, b := range valid {
			if b.act == a {
				if a == actBack && m.atRoot() {
					b.SetKeys("q")
					b.hint = "quit"
				}
				show(b)
			}
		}
	}
	return p.end()
}

// worthHint reports whether an action does something for what is on screen now.
func (m *model) worthHint(a action) bool {
	switch {
	case m.inHome() && len(m.home.known) == 0, m.rec != nil && m.rec.rows.n == 0:
		return false
	}
	switch a {
	case actDiff:
		return len(m.home.known) > 1
	case actPick:
		return m.w >= 80 && len(m.home.known) > 1
	case actAside:
		return slices.ContainsFunc(m.home.known, func(l listing) bool { return l.setAside() })
	case actFollow:
		return m.rec != nil && m.rec.live
	case actNextPane:
		return m.rec != nil && m.rec.cur.detail
	case actReplay:
		return m.rec != nil && m.rec.done && !m.rec.replay.on
	}
	return true
}

// statusLine is the line under the body: a message, a prompt, or what the screen has to say.
func (m *model) statusLine() string {
	p := &m.pen
	p.begin(m.w, roleText)
	p.space(1)
	switch {
	case m.prompt != nil:
		m.prompt.draw(p)
	case m.rec != nil && m.help == nil && m.rec.proposalLine(p):
	case m.note.text != "" && m.note.isErr:
		p.text(roleError, m.gl.failure+" "+m.note.text)
	case m.note.text != "":
		p.text(roleStrong, m.note.text)
	case m.rec != nil:
		m.rec.status(p)
	case m.diff != nil:
		m.diff.status(p)
	case m.resend != nil:
		m.resend.status(p)
	default:
		m.home.status(p)
	}
	return p.end()
}
