package tui

import (
	tea "charm.land/bubbletea/v2"
)

// help is the overlay of the keys that are valid where it was opened.
type help struct {
	where string
	lines []helpLine
	top   int
	m     *model
}

type helpLine struct {
	group      string // a heading, if not empty
	keys, text string
}

func newHelp(m *model) *help {
	h := &help{m: m, where: "recordings"}
	if m.diff != nil {
		h.where = "diff"
	}
	if m.resend != nil {
		h.where = "resend"
	}
	if m.rec != nil {
		h.where = m.rec.cur.title
		switch {
		case m.rec.detailFocused():
			h.where = "detail"
		case m.rec.stripFocused():
			h.where = m.rec.stripSpec().title
		}
	}
	group := ""
	for _, b := range m.keys.valid(m.places()) {
		if b.group != group {
			if group != "" {
				h.lines = append(h.lines, helpLine{})
			}
			group = b.group
			h.lines = append(h.lines, helpLine{group: group})
		}
		h.lines = append(h.lines, helpLine{keys: keyLabel(b.Keys()), text: b.Help().Desc})
	}
	if m.rec != nil {
		h.lines = append(h.lines, helpLine{}, helpLine{group: "signs"})
		gl := m.gl
		for _, l := range [][2]string{
			{"I O S D P", "phase: initialization, operation, shutdown, discovery, probe"},
			{gl.c2s + " " + gl.s2c + " " + gl.stderr + " " + gl.control, "client to server, server to client, stderr, event"},
			{gl.failure + " " + gl.warning + " " + gl.info, "worst finding: error, warning, info"},
			{gl.requested + " " + gl.pending + " " + gl.open, "request: answered, pending, open by design"},
			{gl.ok + " " + gl.toolError + " " + gl.rpcError, "answer: result, tool error, JSON-RPC error"},
			{gl.cancelled + " " + gl.unmatched + " " + gl.input, "cancelled, without a partner, input required"},
			{gl.declared + " " + gl.undeclared + " " + gl.unknown, "capability: declared, not declared, cannot be known"},
		} {
			h.lines = append(h.lines, helpLine{keys: l[0], text: l[1]})
		}
	}
	return h
}

func (h *help) key(m *model, key string) tea.Cmd {
	page := max(m.body().h-2, 1)
	switch key {
	case "esc", "q", "?", "enter":
		m.help = nil
	case "j", "down":
		h.scroll(1)
	case "k", "up":
		h.scroll(-1)
	case "space", "pgdown", "ctrl+d":
		h.scroll(page)
	case "b", "pgup", "ctrl+u":
		h.scroll(-page)
	case "g", "home":
		h.top = 0
	case "G", "end":
		h.scroll(len(h.lines))
	}
	return nil
}

// columns is 2 where all lines fit side by side only.
func (h *help) columns(r rect) int {
	if r.w >= 110 && len(h.lines) > r.h-1 {
		return 2
	}
	return 1
}

func (h *help) scroll(by int) {
	r := h.m.body()
	shown := (r.h - 1) * h.columns(r)
	h.top = max(0, min(h.top+by, len(h.lines)-shown))
}

func (h *help) header(m *model) string {
	p := &m.pen
	p.begin(m.w, roleText)
	p.text(roleBadge, " shakescope ")
	p.text(roleTitle, " help "+m.gl.dot+" "+h.where)
	r := m.body()
	if shown := (r.h - 1) * h.columns(r); shown < len(h.lines) {
		right := "lines " + itoa(h.top+1) + " to " + itoa(min(h.top+shown, len(h.lines))) + " of " + itoa(len(h.lines)) + " "
		p.space(p.left - cells(right))
		p.text(roleMuted, right)
	}
	return p.end()
}

func (h *help) draw(m *model, r rect) []string {
	p := &m.pen
	cols := h.columns(r)
	width := r.w / cols
	rows := r.h - 1
	p.begin(r.w, roleText)
	lines := []string{p.end()}
	for y := range rows {
		p.begin(r.w, roleText)
		for c := range cols {
			start := p.left
			if i := h.top + c*rows + y; i < len(h.lines) {
				l := h.lines[i]
				p.space(2)
				switch {
				case l.group != "":
					p.text(roleTitle, l.group)
				case l.text != "":
					p.space(1)
					p.cell(roleHintKey, l.keys, 16)
					p.cut(roleText, l.text, width-20)
				}
			}
			p.space(width - (start - p.left))
		}
		lines = append(lines, p.end())
	}
	return lines
}
