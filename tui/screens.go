package tui

import (
	tea "charm.land/bubbletea/v2"
)

// screen is one way to look at a recording. The selected entry is the session's, so that changing the
// screen keeps the message and its time.
type screen interface {
	// act does an action; false leaves it to the session.
	act(s *session, a action) (tea.Cmd, bool)
	// draw makes at most r.h lines, each r.w cells wide.
	draw(s *session, r rect) []string
	// click is at a line and column of the pane; again says that it is the second on the same line.
	click(s *session, x, y int, again bool) tea.Cmd
	wheel(s *session, by int) tea.Cmd
	// places says which keys apply.
	places() place
}

// opener is a screen that wants to know when it comes into view.
type opener interface{ opened(s *session) tea.Cmd }

// tally is a screen that counts entries. It counts a limited number at a time, between frames, so that
// none takes long; until it is done it shows what it has.
type tally interface {
	// count goes on up to the playhead and reports whether it got there.
	count(s *session) (done bool)
}

// countSlice is how many entries are counted at a time.
const countSlice = 16_384

type countMsg struct{ owned }

// keepCounting returns the command that has the screen in view count on, nil if there is nothing to
// count.
func (s *session) keepCounting() tea.Cmd {
	if s.counting {
		return nil
	}
	var cmds []tea.Cmd
	for _, sc := range []screen{s.screen(), s.stripScreen()} {
		c, ok := sc.(tally)
		if !ok {
			continue
		}
		if c.count(s) {
			if r, ok := c.(interface{ counted(s *session) tea.Cmd }); ok {
				cmds = append(cmds, r.counted(s))
			}
			continue
		}
		s.counting, s.m.dirty = true, true
	}
	if s.counting {
		id := owned(s.id)
		cmds = append(cmds, func() tea.Msg { return countMsg{id} })
	}
	if len(cmds) == 0 {
		return nil
	}
	return tea.Batch(cmds...)
}

// receiver is a screen that gets the results of its own commands, as screenMsg.
type receiver interface {
	receive(s *session, data any) tea.Cmd
}

// screenMsg carries the result of a screen's command.
type screenMsg struct {
	owned
	screen string // its key
	data   any
}

// screenSpec is one line of the registry.
type screenSpec struct {
	key, title string
	make       func() screen
	detail     bool // has the detail pane beside it
}

// screens is the registry: the screens of a recording in the order of their keys.
func screens() []screenSpec {
	return []screenSpec{
		{"1", "stream", func() screen { return stream{} }, true},
		{"2", "ladder", newLadder, true},
		{"3", "timeline", newTimeline, false},
		{"4", "findings", newFindings, false},
		{"5", "handshake", newHandshake, false},
		{"6", "catalogue", newCatalogue, false},
		{"7", "stats", newStats, false},
	}
}

// screen returns the screen in view.
func (s *session) screen() screen { return s.made(s.cur) }

// made returns a screen, which is made when it is first asked for.
func (s *session) made(spec screenSpec) screen {
	sc, ok := s.screens[spec.key]
	if !ok {
		sc = spec.make()
		s.screens[spec.key] = sc
	}
	return sc
}

// show changes the screen.
func (s *session) show(key string) tea.Cmd {
	for _, spec := range screens() {
		if spec.key != key {
			continue
		}
		s.cur = spec
		s.zoomed, s.focusDetail, s.focusStrip = false, false, false
		cmd := s.resized()
		if o, ok := s.screen().(opener); ok {
			return tea.Batch(cmd, o.opened(s))
		}
		return cmd
	}
	return nil
}
