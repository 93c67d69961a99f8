package tui

import (
	"slices"

	tea "charm.land/bubbletea/v2"
)

// layer is a recording, a comparison or a dialog that lies below what is on screen, alive, and comes
// back when that is left.
type layer struct {
	rec    *session
	diff   *comparison
	resend *resending
}

// cover puts a recording or a comparison over what is on screen. Where that is the list of
// recordings, nothing needs to be kept.
func (m *model) cover(over layer) {
	if !m.inHome() {
		m.layers = append(m.layers, m.shown())
	}
	m.put(over)
	m.dirty = true
}

// inHome reports whether the list of recordings is on screen.
func (m *model) inHome() bool { return m.shown() == layer{} }

// shown is what is on screen, nothing where that is the list of recordings.
func (m *model) shown() layer { return layer{m.rec, m.diff, m.resend} }

func (m *model) put(l layer) { m.rec, m.diff, m.resend = l.rec, l.diff, l.resend }

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
	above := append([]layer{m.shown()}, m.layers[max(n, 0):]...)
	m.put(layer{})
	m.dirty = true
	if n >= 0 {
		m.put(m.layers[n])
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
	case m.resend != nil:
		return m.resend.tick()
	}
	return m.home.start()
}

// release closes what is neither on screen nor below it.
func (m *model) release(l layer) {
	if l.resend != nil && !m.lies(l) {
		l.resend.cancel()
		if l.resend.ended != nil {
			m.closing = append(m.closing, l.resend.ended)
		}
	}
	var all []*session
	if l.diff != nil && !m.lies(l) {
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
func (m *model) everything() []layer { return append([]layer{m.shown()}, m.layers...) }

// lies reports whether a comparison or a dialog is on screen or below it.
func (m *model) lies(l layer) bool { return slices.Contains(m.everything(), l) }

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

// resendingOf returns the dialog of a number, nil where it was left.
func (m *model) resendingOf(id int) *resending {
	for _, l := range m.everything() {
		if l.resend != nil && l.resend.id == id {
			return l.resend
		}
	}
	return nil
}
