package tui

import (
	"strings"

	tea "charm.land/bubbletea/v2"
)

// prompt is the one-line input in the status line.
type prompt struct {
	input
	label   string
	history []string
	done    func(m *model, text string) tea.Cmd
	// complete lists what can stand in the place of the text; nil: nothing is completed.
	complete func(text string) []string
	// changed sees the text as it is typed, and the first one again when the prompt is left; nil: nobody.
	changed func(text string)
	first   string
	// check says what is wrong with the text, nil for nothing; while it is wrong, enter does nothing. nil: all is well.
	check func(text string) *slip

	proposals []string
	picked    int
}

func (q *prompt) key(m *model, key string) tea.Cmd {
	switch key {
	case "esc", "ctrl+g":
		m.prompt = nil
		q.tell(q.first)
		return nil
	case "enter":
		if q.check != nil && q.check(q.text) != nil {
			return nil // it says so already
		}
		m.prompt = nil
		return q.done(m, strings.TrimSpace(q.text))
	case "backspace":
		if q.text == "" {
			m.prompt = nil
			q.tell("")
			return nil
		}
	case "tab", "shift+tab":
		q.propose(key == "shift+tab")
		return nil
	}
	q.proposals = nil
	q.input.key(key, q.history)
	q.tell(q.text)
	return nil
}

func (q *prompt) paste(text string) {
	q.insert(text)
	q.tell(q.text)
}

func (q *prompt) tell(text string) {
	if q.changed != nil {
		q.changed(text)
	}
}

func (q *prompt) propose(back bool) {
	if q.complete == nil {
		return
	}
	switch n := len(q.proposals); {
	case n == 0:
		q.proposals, q.picked = q.complete(q.text), 0
		if len(q.proposals) == 0 {
			return
		}
	case back:
		q.picked = (q.picked + n - 1) % n
	default:
		q.picked = (q.picked + 1) % n
	}
	q.set(q.proposals[q.picked])
}

func (q *prompt) draw(p *pen) {
	p.text(roleHintKey, q.label)
	width := p.left
	if len(q.proposals) > 1 {
		width = min(width, max(cells(shorn(q.text))+2, 20))
	}
	if q.check != nil {
		if s := q.check(q.text); s != nil {
			said := " " + p.gl.failure + " " + s.what
			said, w := fit(said, p.left/2, p.gl.ellipsis)
			width = p.left - w
			q.input.draw(p, width, s.at, s.end)
			p.space(p.left - w)
			p.text(roleError, said)
			return
		}
	}
	q.input.draw(p, width, none, none)
	if len(q.proposals) > 1 {
		p.space(2)
		for k := max(0, q.picked-2); k < len(q.proposals) && p.left > 4; k++ {
			if k == q.picked {
				p.reversed(roleInfo, " "+q.proposals[k]+" ")
			} else {
				p.text(roleMuted, " "+q.proposals[k]+" ")
			}
		}
	}
}
