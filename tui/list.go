package tui

import (
	tea "charm.land/bubbletea/v2"
)

// list is the place in a virtual list of rows with rules between them: a window of lines. What it
// costs depends on the height of the window alone.
type list struct {
	top int // line at the top of the window
}

// total is the number of lines of what is to be seen.
func (l *list) total(s *session) int { return s.lineTotal() }

// height is the number of lines that show entries.
func (l *list) height(s *session) int { return max(s.mainRect.h-1, 1) }

// margin is how many lines are kept in sight beside the selected one, as far as there are any.
const margin = 2

// show moves the window as little as needed to have row i in it, with its rule where there is one.
func (l *list) show(s *session, i int) { l.showAround(s, i, 0) }

// showAround is show with some lines above and below row i.
func (l *list) showAround(s *session, i, around int) {
	h := l.height(s)
	line := s.lineOf(i)
	first := line
	if line > 0 {
		if _, rule := s.rowAt(line - 1); rule && h > 1 {
			first--
		}
	}
	around = min(around, (h-1)/4)
	if first-around < l.top {
		l.top = first - around
	}
	if line+around >= l.top+h {
		l.top = line + around - h + 1
	}
	l.clamp(s)
}

func (l *list) clamp(s *session) {
	l.top = max(0, min(l.top, l.total(s)-l.height(s)))
}

// window are the first and last line that are in sight; last is less than first where there is none.
func (l *list) window(s *session) (first, last int) {
	return l.top, min(l.top+l.height(s), l.total(s)) - 1
}

// moveList does the moves that all lists of entries share.
func (s *session) moveList(a action) (tea.Cmd, bool) {
	page := max(s.list.height(s)-1, 1)
	switch a {
	case actDown:
		return s.goTo(s.step(1)), true
	case actUp:
		return s.goTo(s.step(-1)), true
	case actPageDown:
		return s.page(page), true
	case actPageUp:
		return s.page(-page), true
	case actHalfDown:
		return s.page(page / 2), true
	case actHalfUp:
		return s.page(-page / 2), true
	case actTop:
		first, _ := s.ends()
		return s.goTo(first), true
	case actBottom:
		if s.live && !s.replay.on {
			return s.setFollow(), true
		}
		_, last := s.ends()
		cmd := s.goTo(last)
		s.toEnd = !s.allRows && !s.replay.on
		return cmd, true
	}
	return nil, false
}

// page moves window and selection together.
func (s *session) page(by int) tea.Cmd {
	if s.sel < 0 {
		return nil
	}
	s.list.top += by
	s.list.clamp(s)
	return s.goTo(s.step(by))
}

// wheelList scrolls the window; the selection stays where it is, unless it leaves the window.
func (s *session) wheelList(by int) tea.Cmd {
	if s.sel < 0 {
		return nil
	}
	if by < 0 {
		s.unfollow()
	}
	s.list.top += by
	s.list.clamp(s)
	first, last := s.list.window(s)
	line := s.lineOf(s.sel)
	if sel := max(first, min(line, last)); sel != line && last >= first {
		row, _ := s.rowAt(sel)
		top := s.list.top
		cmd := s.goTo(row)
		s.list.top = top
		s.list.clamp(s)
		return cmd
	}
	return s.fetch()
}
