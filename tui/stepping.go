package tui

import tea "charm.land/bubbletea/v2"

// On screens whose lines are no entries e, E, w and W go through the lines that stand for errors and
// warnings, so that the cursor moves where the user looks.

// stepOf is the direction and the level that an action steps by; ok is false for other actions.
func stepOf(a action) (dir int, lv level, ok bool) {
	switch a {
	case actNextError:
		return 1, levelError, true
	case actPrevError:
		return -1, levelError, true
	case actNextWarn:
		return 1, levelWarning, true
	case actPrevWarn:
		return -1, levelWarning, true
	}
	return 0, levelNone, false
}

// stepLines returns the next of n lines, from the one after cur, that is at the level.
func stepLines(cur, n, dir int, is func(line int) bool) (line int, ok bool) {
	for i := cur + dir; i >= 0 && i < n; i += dir {
		if is(i) {
			return i, true
		}
	}
	return cur, false
}

// noFurther says that there is nothing to step to.
func (s *session) noFurther(dir int, lv level) tea.Cmd {
	word := "no further "
	if dir < 0 {
		word = "no earlier "
	}
	return s.m.say(word + string(levelNames[lv]))
}

// step goes to the next finding or group of a level.
func (f *findingsScreen) step(s *session, dir int, lv level) tea.Cmd {
	line, ok := stepLines(f.cur, f.total(), dir, func(n int) bool {
		l, _ := f.line(n)
		g := &f.groups[l.group]
		// Of an open group the members count, not its head.
		return g.level == lv && !g.ignored && (l.member >= 0 || !f.open[g.rule])
	})
	if f.cur = line; !ok {
		return s.noFurther(dir, lv)
	}
	return nil
}

// step goes to the next capability that was used undeclared; no line of the ledger stands for a warning.
func (h *handshake) step(s *session, dir int, lv level) tea.Cmd {
	line, ok := stepLines(h.cur, len(h.wrong), dir, func(n int) bool { return lv == levelError && h.wrong[n] })
	if h.cur = line; !ok {
		return s.noFurther(dir, lv)
	}
	return nil
}
