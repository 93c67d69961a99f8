package tui

import (
	tea "charm.land/bubbletea/v2"
)

// menu is a short list at the bottom of the body, from which one thing is picked by its key or with
// the cursor. It takes all keys while it is open.
type menu struct {
	title string
	items []menuItem
	cur   int
	top   int
	stays bool // picking does not close it
	// pick does item k; it may change the items.
	pick func(m *model, k int) tea.Cmd
}

type menuItem struct {
	key, name, about string
	on               bool // is in force
	toggles          bool
}

func (n *menu) key(m *model, key string) tea.Cmd {
	for k := range n.items {
		if n.items[k].key == key {
			n.cur = k
			return n.do(m)
		}
	}
	switch key {
	case "esc", "q":
		m.menu = nil
	case "down", "j", "ctrl+n", "tab":
		n.cur = min(n.cur+1, len(n.items)-1)
	case "up", "k", "ctrl+p", "shift+tab":
		n.cur = max(n.cur-1, 0)
	case "enter", "space":
		if len(n.items) > 0 {
			return n.do(m)
		}
	}
	return nil
}

func (n *menu) do(m *model) tea.Cmd {
	if !n.stays {
		m.menu = nil
	}
	return n.pick(m, n.cur)
}

// draw puts the menu over the last of the body's lines.
func (n *menu) draw(m *model, body []string) []string {
	p := &m.pen
	rows := min(len(n.items), len(body)-1)
	if rows < 1 {
		return body
	}
	if n.cur < n.top {
		n.top = n.cur
	}
	if n.cur >= n.top+rows {
		n.top = n.cur - rows + 1
	}
	body = body[:len(body)-rows-1]
	p.begin(m.w, roleText)
	p.repeat(roleBorder, m.gl.rule, 2)
	p.text(roleTitle, " "+n.title+" ")
	p.repeat(roleBorder, m.gl.rule, p.left)
	body = append(body, p.end())
	keyW, nameW := 1, 8
	for _, it := range n.items {
		keyW = max(keyW, cells(it.key))
		nameW = max(nameW, min(cells(shorn(it.name)), 28))
	}
	for k := n.top; k < n.top+rows; k++ {
		it := n.items[k]
		base := roleText
		if k == n.cur {
			base = roleSelection
		}
		p.begin(m.w, base)
		p.space(2)
		if it.toggles {
			sign := " "
			if it.on {
				sign = m.gl.ok
			}
			p.cell(roleOK, sign, 1)
		}
		p.cell(roleHintKey, keyLabel([]string{it.key}), keyW)
		p.space(1)
		p.cell(roleText, it.name, nameW)
		p.space(1)
		p.text(roleMuted, it.about)
		body = append(body, p.end())
	}
	return body
}

// quickMenu opens the menu of quick filters.
func (s *session) quickMenu() tea.Cmd {
	const letters = "1234567890abcdefgilmnoprstuvwxyz"
	n := &menu{title: "quick filters", stays: true}
	all := s.quickFilters()
	fill := func() {
		n.items = n.items[:0]
		for i, c := range all {
			it := menuItem{name: c.name, about: c.expr, toggles: true}
			if i < len(letters) {
				it.key = letters[i : i+1]
			}
			for _, on := range s.view.chips {
				it.on = it.on || on == c
			}
			n.items = append(n.items, it)
		}
	}
	fill()
	n.pick = func(_ *model, k int) tea.Cmd {
		cmd := s.toggle(all[k])
		// One that is still being looked for is as good as on.
		chips := s.view.chips
		if s.view.trial != nil {
			chips = s.view.trialChips
		}
		for i := range n.items {
			n.items[i].on = false
			for _, on := range chips {
				n.items[i].on = n.items[i].on || on == all[i]
			}
		}
		return cmd
	}
	s.m.menu = n
	return nil
}
