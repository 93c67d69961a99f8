package tui

import tea "charm.land/bubbletea/v2"

// layer is a recording or a comparison that lies below what is on screen, alive, and comes back when
// that is left.
type layer struct {
	rec  *session
	diff *comparison
}

// cover puts a recording or a comparison over what is on screen. Where that is the list of
// recordings, nothing needs to be kept.
func (m *model) cover(over layer) {
	if m.rec != nil || m.diff != nil {
		m.layers = append(m.layers, layer{m.rec, m.diff})
	}
	m.rec, m.diff = over.rec, over.diff
	m.dirty = true
}

// inHome reports whether the list of recordings is on screen.
func (m *model) inHome() bool { return m.rec == nil && m.diff == nil }

// leave goes to what lies below, or ends the program where the recording was all there is.
func (m *model) leave() tea.Cmd {
	if len(m.layers) == 0 && m.rec != nil && m.rec.isRoot {
		return tea.Quit
	}
	return m.uncover(len(m.layers) - 1)
}

// uncover shows layer n again, the list of recordings for one below the first, and lets go of all that
// lay above and nobody needs any longer.
func (m *model) uncover(n int) tea.Cmd {
	above := append([]layer{{m.rec, m.diff}}, m.layers[max(n, 0):]...)
	m.rec, m.diff = nil, nil
	m.dirty = true
	if n >= 0 {
		m.rec, m.diff = m.layers[n].rec, m.layers[n].diff
	}
	m.layers = m.layers[:max(n, 0)]
	for _, l := range above {
		m.release(l)
	}
	switch {
	case m.rec != nil:
		return m.rec.resized()
	case m.diff != nil:
		return m.diff.tick()
	}
	return m.home.start()
}

// release closes what is neither on screen nor below it.
func (m *model) release(l layer) {
	var all []*session
	if l.diff != nil && !m.holdsComparison(l.diff) {
		l.diff.cancel()
		all = l.diff.sides[:]
	}
	for _, s := range append(all, l.rec) {
		if s != nil && !m.holds(s) {
			s.close()
			m.leaving(s)
		}
	}
}

// everything lists what is on screen and what lies below.
func (m *model) everything() []layer { return append([]layer{{m.rec, m.diff}}, m.layers...) }

func (m *model) holdsComparison(c *comparison) bool {
	for _, l := range m.everything() {
		if l.diff == c {
			return true
		}
	}
	return false
}

func (m *model) holds(s *session) bool {
	return m.alive(func(o *session) bool { return o == s }) != nil
}

// alive returns the first open recording that is wanted, nil where none is.
func (m *model) alive(wanted func(*session) bool) *session {
	for _, l := range m.everything() {
		if l.rec != nil && wanted(l.rec) {
			return l.rec
		}
		if l.diff == nil {
			continue
		}
		for _, s := range l.diff.sides {
			if s != nil && wanted(s) {
				return s
			}
		}
	}
	return nil
}

// comparisonOf returns the comparison of a number, nil where it was left.
func (m *model) comparisonOf(id int) *comparison {
	for _, l := range m.everything() {
		if l.diff != nil && l.diff.id == id {
			return l.diff
		}
	}
	return nil
}
