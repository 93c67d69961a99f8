package proxy

import (
	"os"
	"os/signal"
	"syscall"

	"golang.org/x/sys/windows"
)

// effect is what a signal that we got does to the run.
type effect int

const (
	noEffect effect = iota
	forward         // passed on, and that is all
	end             // passed on, and the server is given a short time to end
	reap            // never here
)

// effectOf: Go reports Ctrl-C and Ctrl-Break as an interrupt, and the closing of the console, logging
// off and shutting down as SIGTERM.
func effectOf(sig os.Signal) effect {
	switch sig {
	case os.Interrupt, syscall.SIGTERM:
		return end
	}
	return noEffect
}

func signalName(sig os.Signal) string {
	switch sig {
	case os.Interrupt:
		return "SIGINT"
	case syscall.SIGTERM:
		return "SIGTERM"
	case os.Kill:
		return "SIGKILL"
	}
	return sig.String()
}

// signalSource delivers console events and watches the parent. A nil one delivers nothing.
type signalSource struct {
	ch     chan os.Signal
	parent windows.Handle // 0 when it cannot be watched
}

func takeSignals() *signalSource {
	s := &signalSource{ch: make(chan os.Signal, 64)}
	signal.Notify(s.ch, os.Interrupt, syscall.SIGTERM)
	if h, err := windows.OpenProcess(windows.SYNCHRONIZE, false, uint32(os.Getppid())); err == nil {
		s.parent = h
	}
	return s
}

// stop ends the watch over the parent. The channel takes signals that still come, and drops them when
// it is full.
func (s *signalSource) stop() {
	if s.parent != 0 {
		windows.CloseHandle(s.parent)
	}
}

func (s *signalSource) channel() <-chan os.Signal {
	if s == nil {
		return nil
	}
	return s.ch
}

func (s *signalSource) parentGone() bool {
	if s.parent == 0 {
		return false
	}
	e, err := windows.WaitForSingleObject(s.parent, 0)
	return err == nil && e == windows.WAIT_OBJECT_0
}
