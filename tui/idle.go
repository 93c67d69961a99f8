package tui

import (
	"reflect"
	"sync"
	"time"
	"unsafe"

	tea "charm.land/bubbletea/v2"
)

// metronome stops the ticker by which the library looks 30 times a second whether there is something
// to draw, while nothing happens: a program that shows something still shall cost nothing. Whatever can
// change the screen is a message, and each message starts the ticker again.
//
// The library has no option for it (as of v2.1.1), only a lower rate for all frames, and neither an
// output nor a filter of ours can hold the ticker. Pull requests charmbracelet/bubbletea#1776 and #1796
// would have it tick only while there is something to draw: once one of them is in, this file goes.
// Without it an idle program takes about half a percent of a core.
type metronome struct {
	// ticker finds the program's ticker; nil as long as there is none.
	ticker func() *time.Ticker

	mu      sync.Mutex
	stop    *time.Timer
	stopped bool
}

const (
	framesPerSecond = 30
	// The ticker goes on for this long after a message, so that all of what it led to is drawn.
	tickOn = 250 * time.Millisecond
)

// watch makes a metronome for a program that is not running yet; nil where the library is built in
// another way than the one we know, which then costs its ticker.
func watch(p *tea.Program) *metronome {
	f := reflect.ValueOf(p).Elem().FieldByName("ticker")
	if !f.IsValid() || f.Type() != reflect.TypeFor[*time.Ticker]() {
		return nil
	}
	field := (**time.Ticker)(unsafe.Pointer(f.UnsafeAddr()))
	return &metronome{ticker: func() *time.Ticker { return *field }}
}

// message is called for each message, in the goroutine that starts the renderer, before it is handled.
func (m *metronome) message() {
	t := m.ticker()
	if t == nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.stopped {
		t.Reset(time.Second / framesPerSecond)
		m.stopped = false
	}
	if m.stop == nil {
		m.stop = time.AfterFunc(tickOn, func() {
			m.mu.Lock()
			defer m.mu.Unlock()
			t.Stop()
			m.stopped = true
		})
		return
	}
	m.stop.Reset(tickOn)
}
