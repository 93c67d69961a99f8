package tui

import (
	tea "charm.land/bubbletea/v2"
)

// onlyStderr is the line that says that the server has sent no message yet, but something on stderr.
func (s *session) onlyStderr(w int) string {
	if s.rows.messages > 0 || s.rows.lastStderr < 0 || s.replay.on || int(s.rows.lastStderr) >= s.limit() {
		return ""
	}
	p := &s.m.pen
	p.begin(w, roleText)
	p.space(2)
	p.text(roleWarn, s.m.gl.warning+" the server has only written to stderr "+s.m.gl.dot+" last line: ")
	p.text(roleText, s.summaryText(int(s.rows.lastStderr)))
	return p.end()
}

// clickHead sorts by the column under the pointer.
func (s *session) clickHead(x int) tea.Cmd {
	if s.cur.key != "1" || s.replay.on {
		return nil
	}
	c := s.columns(s.mainRect.w)
	w := s.mainRect.w
	by := byNumber
	at := w - 1 // a scrollbar may have taken the last cell
	switch {
	case c.size > 0 && x >= at-withBlank(c.size):
		by = bySize
	case c.latency > 0 && x >= at-withBlank(c.size)-withBlank(c.latency):
		by = byLatency
	default:
		method := 2 + withBlank(c.seq) + withBlank(c.time) + 5 + withBlank(c.id) + withBlank(c.primitive) + withBlank(c.capability)
		if c.primitive > 0 && c.capability == 0 {
			method += 2
		}
		if x >= method && x < method+c.method {
			by = byMethod
		}
	}
	s.sortBy(by)
	s.list.show(s, max(s.sel, 0))
	return tea.Batch(s.fetch(), s.m.say("sorted by "+orderNames[by]))
}

func (s *session) nothingYet(r rect) []string {
	p := &s.m.pen
	text := "Opening " + s.name
	switch {
	case s.limit() > 0:
		text = "0 of " + thousands(int64(s.limit())) + " match. ctrl+l clears the filter"
	case s.replay.on:
		text = "Replay: nothing has happened yet"
	case s.done:
		text = "This recording is empty."
	case s.src != nil && s.live && s.caughtUp:
		text = "Connected to the recording; waiting for the first byte"
		if h := s.src.header; h != nil && h.PID > 0 {
			text += " (shakescope pid " + itoa(h.PID) + " is running)"
		}
	}
	p.begin(r.w, roleText)
	blank := p.end()
	p.begin(r.w, roleText)
	p.space(3)
	p.text(roleMuted, text)
	return []string{blank, p.end()}
}

func (s *session) columnHeads(w int, c streamColumns) string {
	p := &s.m.pen
	p.begin(w, roleText)
	p.space(2)
	if c.seq > 0 {
		p.right(roleMuted, "#", c.seq)
	}
	if c.time > 0 {
		p.right(roleMuted, [...]string{"time", "time", "after"}[s.times], c.time)
	}
	p.space(5)
	if c.id > 0 {
		p.cell(roleMuted, "id", c.id)
	}
	if c.primitive > 0 {
		p.cell(roleMuted, "prim", c.primitive)
	}
	if c.capability > 0 {
		p.space(2)
		p.cell(roleMuted, "depends on", c.capability-2)
	} else if c.primitive > 0 {
		p.space(2)
	}
	p.cell(roleMuted, "method", c.method)
	p.cut(roleMuted, "what happened", c.summary)
	p.space(p.left - withBlank(c.latency) - withBlank(c.size))
	if c.latency > 0 {
		p.right(roleMuted, "took", c.latency)
	}
	if c.size > 0 {
		p.right(roleMuted, "size", c.size)
	}
	return p.end()
}
