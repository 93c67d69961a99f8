package tui

import (
	"time"

	tea "charm.land/bubbletea/v2"
)

// errand is work in the background of what covers the screen. While it runs, how far it is gets drawn anew.
type errand struct {
	m       *model
	id      int           // of what covers the screen
	run     int           // number of the newest run
	running bool          // it has not ended
	every   time.Duration // between two looks at it
}

// errandTick is the time to say how far an errand is.
type errandTick struct{ id, run int }

func (e *errand) tick() tea.Cmd {
	if !e.running {
		return nil
	}
	return e.m.after(e.every, errandTick{e.id, e.run})
}

// ticked draws anew, if it is about the newest run and that is on top.
func (e *errand) ticked(msg errandTick, onTop bool) tea.Cmd {
	if msg.run != e.run || !onTop {
		return nil
	}
	e.m.dirty = true
	return e.tick()
}
