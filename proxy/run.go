package proxy

import (
	"context"
	"io"
	"os"
	"runtime"
	"time"
)

// Config says what to start and how to stand in between. Only Command is required.
type Config struct {
	// Command is the server and its arguments, as the client gave them. The first word is looked up
	// as a shell would: in PATH when it holds no separator, relative to Dir otherwise.
	Command []string
	Dir     string   // working folder of the server; "" is our own
	Env     []string // environment of the server; nil is our own

	// The client's side; nil means those of the process. Stdout is closed when the server's output
	// ends, if it is an [io.Closer] (descriptor 1 is pointed at the null device instead, so that no
	// file opened later takes its number). Stderr is never closed.
	Stdin          io.Reader
	Stdout, Stderr io.Writer

	Tap Tap // gets a copy of everything; nil for none

	// Grace bounds the silence after the client's end of input while requests are open; 0 is 30 s.
	Grace time.Duration
	// Open returns how many requests of the client still wait for an answer. It is called from Run's
	// goroutine after the client's end of input, and must not block. nil: nothing is known to be open.
	Open func() int

	// WholeProcess says that this process does nothing but this Run. Only then does Run take the
	// process's signals, end when its parent has gone, and (on Linux) become the parent of orphaned
	// grandchildren, which it reaps. The signals stay caught afterwards: what is left to do before the
	// process ends is not to be cut short by a client that has become impatient.
	WholeProcess bool

	pace *pace // for tests; nil is the pace of the manual
}

// Result says how the server ended.
type Result struct {
	// Code is the exit code to pass on: the server's own, or 128+n when signal n ended it.
	Code int
	// Signal names what ended the server ("SIGKILL"); "" when it exited by itself.
	Signal string
	// Undelivered is how many bytes of each stream were read but could not be passed on.
	Undelivered map[Stream]int64
}

// pace holds the times of the ladder of steps that ends a server.
type pace struct {
	look   time.Duration // how often a closing run is looked at
	idle   time.Duration // silence after the end of input with nothing open
	orphan time.Duration // the same when the parent has gone
	term   time.Duration // between SIGTERM and SIGKILL
	signal time.Duration // between a forwarded signal and SIGKILL: clients give 2 s in all
	last   time.Duration // after SIGKILL, for what is still in the pipes
	exit   time.Duration // between the exit and its event, so that last words stand before it
	parent time.Duration // how often the parent is looked for
	stall  time.Duration // how long error output waits for a reader before it is drained without one
}

var usualPace = pace{
	look:   100 * time.Millisecond,
	idle:   5 * time.Second,
	orphan: time.Second,
	term:   2 * time.Second,
	signal: 1500 * time.Millisecond,
	last:   300 * time.Millisecond,
	exit:   100 * time.Millisecond,
	parent: time.Second,
	stall:  500 * time.Millisecond,
}

// leastProcs is how many threads may run Go code at least. Each stream and the Tap's owner mostly sit in
// system calls of some 20 µs. With fewer Ps than those, Go's scheduler takes the P away from a call and
// wakes another thread for it, a hundred times a MiB; with idle ones it lets them be.
const leastProcs = 6

// Run starts the server, forwards until it has ended, and sees to it that nothing of it is left.
//
// The error is a [*StartError] when the server could not be started, else nil. Cancelling ctx ends the
// server as a SIGTERM from the client would.
//
// A read from Stdin that is under way when the server ends cannot be interrupted unless Stdin has
// SetReadDeadline: its goroutine then lives until that read returns, and what it returns is dropped.
// The Tap is not called after Run has returned.
func Run(ctx context.Context, c Config) (Result, error) {
	if c.Stdin == nil {
		c.Stdin = os.Stdin
	}
	if c.Stdout == nil {
		c.Stdout = os.Stdout
	}
	if c.Stderr == nil {
		c.Stderr = os.Stderr
	}
	if c.Tap == nil {
		c.Tap = noTap{}
	}
	if c.Grace <= 0 {
		c.Grace = 30 * time.Second
	}
	if c.pace == nil {
		c.pace = &usualPace
	}

	var signals *signalSource
	if c.WholeProcess {
		runtime.GOMAXPROCS(max(runtime.GOMAXPROCS(0), leastProcs))
		// Before the start: a signal that comes while the server starts must reach it.
		signals = takeSignals()
		defer signals.stop()
	}
	srv, pipes, err := start(&c)
	if err != nil {
		code := err.Code
		c.Tap.Event(Event{Name: "spawn_error", Code: &code, Reason: err.Error()})
		return Result{Code: err.Code}, err
	}
	defer srv.close()
	stdin, done := pollable(c.Stdin)
	defer done()
	c.Stdin = stdin
	c.Tap.Event(Event{Name: "spawn", PID: srv.pid(), Reason: srv.path})

	s := newSupervision(&c, srv, pipes, signals)
	s.startPumps()
	s.supervise(ctx)
	return s.finish(), nil
}

type noTap struct{}

func (noTap) Chunk(Stream, []byte) {}
func (noTap) Event(Event)          {}

// pipes are our ends of the server's three streams.
type pipes struct {
	in       *os.File
	out, err *inlet
}

// openPipes makes the three pipes; theirs are the server's ends, to be closed once it has started.
func openPipes() (ours pipes, theirs []*os.File, err error) {
	var files []*os.File
	pair := func() (r, w *os.File) {
		if err == nil {
			r, w, err = os.Pipe()
			files = append(files, r, w)
		}
		return r, w
	}
	inR, inW := pair()
	outR, outW := pair()
	errR, errW := pair()
	if err != nil {
		for _, f := range files {
			f.Close()
		}
		return pipes{}, nil, err
	}
	return pipes{in: inW, out: newInlet(outR), err: newInlet(errR)}, []*os.File{inR, outW, errW}, nil
}

func (p pipes) close() {
	p.in.Close()
	p.out.Close()
	p.err.Close()
}
