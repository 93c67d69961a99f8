package peer

import (
	"context"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"github.com/shakescope/shakescope/internal/tap"
	"github.com/shakescope/shakescope/jsonrpc"
	"github.com/shakescope/shakescope/proxy"
	"github.com/shakescope/shakescope/recordings"
)

const (
	// leaveWithin is the silence after which a server whose input was closed is told to end: what the
	// SDK clients for TypeScript give.
	leaveWithin = 2 * time.Second
	// leaveAtMost bounds the same for a server that is never silent.
	leaveAtMost = 3 * leaveWithin
)

// Command is a server to start.
type Command struct {
	Words []string // the program and its arguments
	Dir   string   // working folder; "" is our own
	// Record makes the recording of one run; nil makes none. It is closed when the run is over.
	Record func() (*recordings.Recorder, error)
	// WholeProcess is that of [proxy.Config]: signals sent to this process end the server.
	WholeProcess bool
	// Reply makes the answer, a line without its end, to a request of the server; nil leaves it to the connection.
	// It is called from one goroutine.
	Reply func(*jsonrpc.Message) []byte
}

// Server is a server that runs, behind the real proxy.
type Server struct {
	*Conn
	Recording string // path of the recording, "" for none

	stop    context.CancelFunc
	input   *io.PipeWriter
	words   *lastLines
	course  *course
	over    chan struct{} // closed when nothing of it is left and the recording is complete
	closing error         // of the recording
}

// Start starts the server. The error is a [*proxy.StartError] when it could not be started, or says why it
// could not be recorded. Somebody must call [Server.Leave].
func (c *Command) Start(ctx context.Context) (*Server, error) {
	var recorder *recordings.Recorder
	var to proxy.Tap
	if c.Record != nil {
		var err error
		if recorder, err = c.Record(); err != nil {
			return nil, err
		}
		to = tap.To(recorder)
	}
	ctx, stop := context.WithCancel(ctx)
	stdinR, stdinW := io.Pipe()
	stdoutR, stdoutW := io.Pipe()
	s := &Server{
		stop: stop, input: stdinW, words: &lastLines{},
		course: newCourse(to, stop), over: make(chan struct{}),
	}
	config := proxy.Config{
		Command: c.Words, Dir: c.Dir,
		Stdin: stdinR, Stdout: stdoutW, Stderr: s.words,
		Tap: s.course, Grace: leaveWithin, WholeProcess: c.WholeProcess,
	}
	if recorder != nil {
		s.Recording, config.Open = recorder.Path(), recorder.OpenRequests
	}
	failed := make(chan error, 1)
	go func() {
		defer close(s.over)
		defer stop()
		_, err := proxy.Run(ctx, config)
		stdinR.Close()
		stdoutW.Close()
		if recorder != nil {
			s.closing = recorder.Close()
		}
		failed <- err
	}()
	select {
	case <-s.course.spawned:
		s.Conn = newConn(stdinW, stdoutR, s.course.giveUp, s.course.gone, c.Reply)
		return s, nil
	case err := <-failed:
		if err == nil { // it came and went
			s.Conn = newConn(stdinW, stdoutR, s.course.giveUp, s.course.gone, c.Reply)
			return s, nil
		}
		return nil, err
	}
}

// Leave closes the server's input and waits until nothing of it is left, however that is brought about, and
// its recording is complete. It may be called again.
func (s *Server) Leave() End {
	s.Conn.closeInput()
	limit := time.NewTimer(leaveAtMost)
	defer limit.Stop()
	select {
	case <-s.over:
	case <-limit.C:
		s.stop()
		<-s.over
	}
	<-s.Conn.done
	end := s.course.end()
	end.Words = s.words.last()
	return end
}

// RecordingError is what cost bytes of the recording, known after [Server.Leave].
func (s *Server) RecordingError() error { return s.closing }

// The ways in which a server can end.
const (
	Left       = "left"       // by itself once its input was closed
	Terminated = "terminated" // only when it got SIGTERM
	Killed     = "killed"     // only by SIGKILL
	Died       = "died"       // while its input was open
	Stopped    = "stopped"    // by us, before its input was closed: it sent too much, or the visit was interrupted
)

// End says how a server ended.
type End struct {
	How    string
	Code   *int   // exit code; nil when a signal ended it
	Signal string // "SIGTERM"
	// After is the time from the end of its input, or from its start when it died, to its end.
	After     time.Duration
	LeftOvers string   // processes of its own that it left behind, and that were ended
	Words     []string // the last lines of its error output
}

// course notes what happened to a server, and when.
type course struct {
	to      proxy.Tap // may be nil
	spawned chan struct{}
	stop    func()       // ends the server
	said    atomic.Int64 // bytes of its error output

	mu          sync.Mutex
	start       time.Time
	inputClosed time.Time
	ended       time.Time
	exit        *proxy.Event
	told        string // the strongest signal sent to it before it ended
	left        string
	stopped     bool
}

func newCourse(to proxy.Tap, stop func()) *course {
	return &course{to: to, stop: stop, spawned: make(chan struct{}), start: time.Now()}
}

func (c *course) Chunk(s proxy.Stream, b []byte) {
	if s == proxy.Stderr && c.said.Add(int64(len(b))) > mostBytes {
		c.giveUp()
	}
	if c.to != nil {
		c.to.Chunk(s, b)
	}
}

func (c *course) Event(e proxy.Event) {
	if c.to != nil {
		c.to.Event(e)
	}
	now := time.Now()
	c.mu.Lock()
	defer c.mu.Unlock()
	switch e.Name {
	case "spawn":
		c.start = now
		close(c.spawned)
	case "client_closed_stdin":
		c.inputClosed = now
	case "server_closed_stdout":
		if c.ended.IsZero() {
			c.ended = now // the exit is told a little later than it happens
		}
	case "exit":
		c.exit = &e
		if c.ended.IsZero() || e.Signal != "" {
			c.ended = now
		}
	case "signal":
		c.stopped = c.stopped || e.Reason == "cancelled" && c.inputClosed.IsZero()
		if c.exit == nil && e.Reason != "received" && c.told != "SIGKILL" {
			c.told = e.Signal
		}
	case "group_left":
		c.left = e.Reason
	}
}

// giveUp ends a server whose input is open.
func (c *course) giveUp() {
	c.mu.Lock()
	c.stopped = true
	c.mu.Unlock()
	c.stop()
}

// gone says why the server's output has ended.
func (c *course) gone() error {
	if c.said.Load() > mostBytes {
		return ErrFlood
	}
	return ErrGone
}

func (c *course) end() End {
	c.mu.Lock()
	defer c.mu.Unlock()
	e := End{How: Left, LeftOvers: c.left}
	if c.exit != nil {
		e.Code, e.Signal = c.exit.Code, c.exit.Signal
	}
	from := c.inputClosed
	switch {
	case c.stopped:
		e.How = Stopped
		from = c.start
	case c.told == "SIGKILL" && e.Code == nil:
		e.How = Killed
	case c.told != "":
		e.How = Terminated
	case c.inputClosed.IsZero() || c.exit != nil && !c.ended.IsZero() && c.ended.Before(c.inputClosed):
		e.How = Died
		from = c.start
	}
	if !from.IsZero() && c.ended.After(from) {
		e.After = c.ended.Sub(from)
	}
	return e
}

// lastLines keeps the end of an error output.
type lastLines struct {
	mu   sync.Mutex
	tail []byte
}

const (
	tailBytes = 8 << 10
	tailLines = 5
)

func (l *lastLines) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(b) > tailBytes {
		l.tail = append(l.tail[:0], b[len(b)-tailBytes:]...)
		return len(b), nil
	}
	l.tail = append(l.tail, b...)
	if cut := len(l.tail) - tailBytes; cut > 0 {
		l.tail = append(l.tail[:0], l.tail[cut:]...)
	}
	return len(b), nil
}

// last returns the last few lines that are not blank.
func (l *lastLines) last() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return lastFew(string(l.tail), tailLines)
}
