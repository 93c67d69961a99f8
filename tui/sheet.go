package tui

import (
	"strings"

	tea "charm.land/bubbletea/v2"
)

// sheet is a page of lines with a cursor, for screens that are not lists of entries.
type sheet struct {
	lines    []dline
	cur, top int
	h        int
}

// act moves the cursor, or follows the line under it.
func (sh *sheet) act(s *session, a action) (tea.Cmd, bool) {
	page := max(sh.h-1, 1)
	switch a {
	case actDown:
		sh.move(1)
	case actUp:
		sh.move(-1)
	case actPageDown:
		sh.move(page)
	case actPageUp:
		sh.move(-page)
	case actHalfDown:
		sh.move(page / 2)
	case actHalfUp:
		sh.move(-page / 2)
	case actTop:
		sh.move(-len(sh.lines))
	case actBottom:
		sh.move(len(sh.lines))
	case actOpen:
		return sh.enter(s), true
	default:
		return nil, false
	}
	return nil, true
}

func (sh *sheet) move(by int) { sh.cur = max(0, min(sh.cur+by, len(sh.lines)-1)) }

// enter goes to what the line is about: an entry, or all that match a filter.
func (sh *sheet) enter(s *session) tea.Cmd {
	if sh.cur >= 0 && sh.cur < len(sh.lines) && sh.lines[sh.cur].filter != "" {
		return s.showFiltered(sh.lines[sh.cur].filter)
	}
	if sh.cur < 0 || sh.cur >= len(sh.lines) || sh.lines[sh.cur].jump < 0 || sh.lines[sh.cur].jump >= s.limit() {
		return nil
	}
	jump := sh.lines[sh.cur].jump
	cmd := s.show("1")
	return tea.Batch(cmd, s.goTo(jump))
}

// showFiltered shows what matches a filter in the stream.
func (s *session) showFiltered(text string) tea.Cmd {
	s.history = remember(s.history, text)
	cmd := s.show("1")
	return tea.Batch(cmd, s.apply(text, nil, false))
}

func (sh *sheet) click(s *session, _, y int, again bool) tea.Cmd {
	i := sh.top + y
	if y < 0 || i >= len(sh.lines) {
		return nil
	}
	sh.cur = i
	if again {
		return sh.enter(s)
	}
	return nil
}

func (sh *sheet) wheel(_ *session, by int) tea.Cmd {
	sh.move(by)
	return nil
}

// draw makes the lines of the window.
func (sh *sheet) draw(p *pen, r rect) []string {
	sh.h = r.h
	sh.move(0)
	if sh.cur < sh.top {
		sh.top = sh.cur
	}
	if sh.cur >= sh.top+r.h {
		sh.top = sh.cur - r.h + 1
	}
	sh.top = max(0, min(sh.top, len(sh.lines)-r.h))
	var out []string
	for i := sh.top; i < len(sh.lines) && len(out) < r.h; i++ {
		base := roleText
		if i == sh.cur {
			base = roleSelection
		}
		p.begin(r.w, base)
		for k, sg := range sh.lines[i].segs {
			if k == 0 && i == sh.cur && strings.HasPrefix(sg.text, " ") {
				// Lines begin with a blank, so that the cursor shows without colours too.
				p.text(roleTitle, p.gl.cursor)
				sg.text = sg.text[1:]
			}
			p.text(sg.r, sg.text)
		}
		out = append(out, p.end())
	}
	return out
}

// cellOf is text in a column of a sheet: cut or filled to width, with a blank after it.
func cellOf(gl *glyphs, r role, text string, width int) seg {
	text, w := fit(text, width, gl.ellipsis)
	return seg{r, text + blanks(width-w+1)}
}

// numberOf is text at the right of a column of a sheet, with a blank after it.
func numberOf(gl *glyphs, r role, text string, width int) seg {
	text, w := fit(text, width, gl.ellipsis)
	return seg{r, blanks(width-w) + text + " "}
}

func blanks(n int) string {
	const some = "                                                                                "
	if n <= 0 {
		return ""
	}
	for n > len(some) {
		return some + blanks(n-len(some))
	}
	return some[:n]
}
