//go:build unix

package proxy

import (
	"os"
	"os/signal"
	"syscall"

	"golang.org/x/sys/unix"
)

// effect is what a signal that we got does to the run.
type effect int

const (
	noEffect effect = iota
	forward         // passed on, and that is all
	end             // passed on, and the server is given a short time to end
	reap            // an orphan may have ended
)

func effectOf(sig os.Signal) effect {
	switch sig {
	case unix.SIGTERM, unix.SIGINT, unix.SIGHUP, unix.SIGQUIT:
		return end
	case unix.SIGUSR1, unix.SIGUSR2:
		return forward
	case unix.SIGCHLD:
		return reap
	}
	return noEffect
}

// signalName returns "SIGTERM" and the like.
func signalName(sig os.Signal) string {
	if s, ok := sig.(syscall.Signal); ok {
		if name := unix.SignalName(s); name != "" {
			return name
		}
	}
	return sig.String()
}

// signalSource delivers the process's signals and watches its parent. A nil one delivers nothing.
type signalSource struct {
	ch     chan os.Signal
	parent int
	alone  bool // meant to outlive its parent
}

// takeSignals starts to catch signals. What was ignored when we were started stays ignored, by us
// and by the server, which inherits it: nohup relies on that. SIGPIPE is caught and dropped, since Go
// would die of a broken standard output; ignoring it would be inherited.
func takeSignals() *signalSource {
	s := &signalSource{ch: make(chan os.Signal, 64), parent: os.Getppid(), alone: signal.Ignored(unix.SIGHUP)}
	for _, sig := range []os.Signal{unix.SIGTERM, unix.SIGINT, unix.SIGHUP, unix.SIGQUIT, unix.SIGUSR1, unix.SIGUSR2, unix.SIGCHLD} {
		if !signal.Ignored(sig) {
			signal.Notify(s.ch, sig)
		}
	}
	signal.Notify(make(chan os.Signal, 1), unix.SIGPIPE)
	return s
}

// stop ends nothing on Unix: the channel takes what still comes, and drops it when it is full.
func (s *signalSource) stop() {}

func (s *signalSource) channel() <-chan os.Signal {
	if s == nil {
		return nil
	}
	return s.ch
}

// parentGone reports whether the process that started us has ended. Under nohup that is no reason to
// end as well.
func (s *signalSource) parentGone() bool { return !s.alone && os.Getppid() != s.parent }
