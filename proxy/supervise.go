package proxy

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"time"
)

// stage is how far the end of a run has come.
type stage int

const (
	running stage = iota
	closing       // no more input, or the server has exited but its pipes are held: waits for silence
	ending        // told to end: waits for the deadline
	killed        // waits for what is left in the pipes
	over          // nobody is waited for any more
)

// supervision owns the server from its start to the end of its last descendant. Everything here
// happens on one goroutine; the pumps have theirs.
type supervision struct {
	*Config
	server  *server
	pipes   pipes
	signals *signalSource

	in, out *lane
	err     *relay

	stage    stage
	deadline time.Time // of ending and killed
	ordered  bool      // a signal told us to end: deadlines hold, whatever still flows
	orphaned bool

	inputOver, outDone, errDone bool
	exited                      bool
	status                      exitStatus
	exitTold                    bool

	moved uint64 // sign of life when last looked at
	quiet time.Time
}

func newSupervision(c *Config, srv *server, p pipes, signals *signalSource) *supervision {
	s := &supervision{
		Config: c, server: srv, pipes: p, signals: signals,
		in:  newLane(Stdin, c.Tap),
		out: newLane(Stdout, c.Tap),
		err: newRelay(newLane(Stderr, c.Tap), c.Stderr, p.err, c.pace.stall),
	}
	s.in.against, s.out.against = s.out, s.in
	return s
}

func (s *supervision) startPumps() {
	go s.in.pumpIn(s.pipes.in, s.Stdin)
	go s.out.pumpOut(s.Stdout, s.pipes.out)
	s.err.start()
}

// supervise returns when the server has exited and its output has been passed on, or when neither
// can be waited for any longer.
func (s *supervision) supervise(ctx context.Context) {
	exit := make(chan exitStatus, 1)
	go func() { exit <- s.server.wait() }()

	inEnd, outEnd, errEnd, cancelled := s.in.done, s.out.done, s.err.done, ctx.Done()
	var parent, look <-chan time.Time
	if s.WholeProcess {
		t := time.NewTicker(s.pace.parent)
		defer t.Stop()
		parent = t.C
	}
	var tellExit, reapDue <-chan time.Time
	var looker *time.Ticker
	defer func() {
		if looker != nil {
			looker.Stop()
		}
	}()

	for s.stage != over && !(s.exited && s.outDone && s.errDone) {
		if s.stage != running && looker == nil {
			looker = time.NewTicker(s.pace.look)
			look = looker.C
			s.signOfLife()
		}
		select {
		case <-inEnd:
			inEnd = nil
			s.inputOver = true
			s.begin(closing)
		case <-outEnd:
			outEnd = nil
			s.outDone = true
		case <-errEnd:
			errEnd = nil
			s.errDone = true
		case s.status = <-exit:
			s.exited = true
			s.begin(closing)
			tellExit = time.After(s.pace.exit)
		case <-tellExit:
			s.tellExit()
		case sig := <-s.signals.channel():
			if effectOf(sig) == reap {
				// Mostly it is the server itself, which is waited for elsewhere: no need to look at
				// all processes for that.
				reapDue = time.After(s.pace.exit)
			} else {
				s.signal(sig)
			}
		case <-reapDue:
			s.server.reapOrphans()
		case <-cancelled:
			cancelled = nil
			s.order(terminate, "cancelled")
		case <-parent:
			if !s.orphaned && s.signals.parentGone() {
				s.orphaned = true
				s.Tap.Event(Event{Name: "parent_gone"})
				s.pipes.in.Close()
				s.begin(closing)
			}
		case <-look:
			s.step()
		}
	}
}

// begin moves on to stage n, never back.
func (s *supervision) begin(n stage) {
	if s.stage < n {
		s.stage = n
		s.signOfLife()
	}
}

// signOfLife notes whether anything has moved since it was last asked.
func (s *supervision) signOfLife() {
	moved := s.in.moved.Load() + s.out.moved.Load() + s.err.moved.Load()
	if s.quiet.IsZero() || moved != s.moved {
		s.moved, s.quiet = moved, time.Now()
	}
}

// step takes the next step of the ladder if it is due.
func (s *supervision) step() {
	s.signOfLife()
	now := time.Now()
	switch s.stage {
	case closing:
		if limit, ever := s.patience(); ever && now.Sub(s.quiet) >= limit {
			if s.exited && len(s.server.left()) == 0 {
				s.stage = over // nobody to tell: what is not delivered by now never will be
				return
			}
			s.Tap.Event(Event{Name: "signal", Signal: signalName(terminate), Reason: "ladder"})
			s.server.signalTree(terminate)
			s.begin(ending)
			s.deadline = now.Add(s.pace.term)
		}
	case ending:
		if now.Before(s.deadline) {
			return
		}
		if !s.exited || len(s.server.left()) > 0 {
			s.Tap.Event(Event{Name: "signal", Signal: "SIGKILL", Reason: "ladder"})
			s.server.kill()
		}
		s.begin(killed)
		s.deadline = now.Add(s.pace.last)
	case killed:
		if now.After(s.deadline) && (s.ordered || now.Sub(s.quiet) >= s.pace.last) {
			s.stage = over
		}
	}
}

// patience says how much silence a closing run may keep; ever is false while it may keep silent as
// long as it likes.
func (s *supervision) patience() (limit time.Duration, ever bool) {
	idle := min(s.pace.idle, s.Grace)
	switch {
	case s.orphaned:
		return min(s.pace.orphan, idle), true
	case s.out.writing.Load() > 0 && !s.inputOver:
		// The client has not taken the last words yet, but it is still there: without us, too, they
		// would wait for it in the pipe.
		return 0, false
	case s.out.writing.Load() > 0, s.Open != nil && s.Open() > 0:
		return s.Grace, true
	}
	return idle, true
}

// signal deals with a signal sent to us.
func (s *supervision) signal(sig os.Signal) {
	switch effectOf(sig) {
	case forward:
		s.Tap.Event(Event{Name: "signal", Signal: signalName(sig), Reason: "received"})
		s.forward(sig)
	case end:
		s.order(sig, "received")
	}
}

// order ends the run because somebody said so by sig.
func (s *supervision) order(sig os.Signal, reason string) {
	s.Tap.Event(Event{Name: "signal", Signal: signalName(sig), Reason: reason})
	s.forward(sig)
	if s.stage < ending {
		s.begin(ending)
		s.deadline = time.Now().Add(s.pace.signal)
	} else if limit := time.Now().Add(s.pace.signal); s.deadline.After(limit) {
		s.deadline = limit
	}
	s.ordered = true
}

func (s *supervision) forward(sig os.Signal) {
	if s.server.forward(sig) {
		s.Tap.Event(Event{Name: "signal", Signal: signalName(sig), Reason: "forwarded"})
	}
}

func (s *supervision) tellExit() {
	if s.exited && !s.exitTold {
		s.exitTold = true
		code := s.status.code
		e := Event{Name: "exit", Signal: s.status.signal, PID: s.server.pid()}
		if e.Signal == "" {
			e.Code = &code
		}
		s.Tap.Event(e)
	}
}

// finish ends what is left of the server's tree, and the pumps.
func (s *supervision) finish() Result {
	s.tellExit()
	if left := s.server.left(); len(left) > 0 {
		s.endLeft(left)
	}
	if !s.exited { // it could not even be killed
		s.status = exitStatus{code: 137, signal: "SIGKILL"}
	}

	s.leaveWriter(s.out, s.Stdout)
	s.leaveWriter(s.err.lane, s.Stderr)
	for _, l := range []*lane{s.in, s.out, s.err.lane} {
		l.shut()
	}
	s.pipes.close()
	s.leaveReader()

	r := Result{Code: s.status.code, Signal: s.status.signal, Undelivered: map[Stream]int64{}}
	for _, l := range []*lane{s.in, s.out, s.err.lane} {
		if n := l.undelivered.Load(); n > 0 {
			r.Undelivered[l.stream] = n
		}
	}
	return r
}

// leaveReader ends the read from Stdin that is under way, where that can be done.
func (s *supervision) leaveReader() {
	d, ok := s.Stdin.(interface{ SetReadDeadline(time.Time) error })
	if !ok || d.SetReadDeadline(time.Unix(1, 0)) != nil {
		return
	}
	<-s.in.done
	d.SetReadDeadline(time.Time{})
}

// leaveWriter gives up what the client has not taken, and accounts for it.
func (s *supervision) leaveWriter(l *lane, w io.Writer) {
	if l.writing.Load() == 0 {
		return
	}
	d, ok := w.(interface{ SetWriteDeadline(time.Time) error })
	if !ok || d.SetWriteDeadline(time.Unix(1, 0)) != nil {
		l.lost(int(l.writing.Load()), "the client did not read to the end")
		return
	}
	s.pipes.out.Close() // so that the pump finds its end, too
	s.pipes.err.Close()
	<-l.done
	d.SetWriteDeadline(time.Time{})
}

// endLeft ends processes that outlived the server without holding its pipes.
func (s *supervision) endLeft(left []process) {
	names := make([]string, 0, len(left))
	for _, p := range left {
		names = append(names, p.String())
	}
	s.Tap.Event(Event{Name: "group_left", Reason: strings.Join(names, ", "), PID: left[0].pid})
	if s.stage < ending {
		s.Tap.Event(Event{Name: "signal", Signal: signalName(terminate), Reason: "ladder"})
		s.server.signalTree(terminate)
		s.stage, s.deadline = ending, time.Now().Add(s.pace.term)
	}
	for nap := time.Millisecond; s.stage == ending && time.Now().Before(s.deadline); nap = min(2*nap, s.pace.look) {
		if left = s.server.left(); len(left) == 0 {
			return
		}
		time.Sleep(nap)
	}
	s.Tap.Event(Event{Name: "signal", Signal: "SIGKILL", Reason: "ladder"})
	s.server.kill()
}

// process is one of the server's descendants.
type process struct {
	pid  int
	name string
}

func (p process) String() string {
	if p.name == "" {
		return fmt.Sprint(p.pid)
	}
	return fmt.Sprintf("%s (%d)", p.name, p.pid)
}

// exitStatus is how the server ended; signal is "" when it exited.
type exitStatus struct {
	code   int
	signal string
}
