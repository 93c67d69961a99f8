package demo

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"time"
)

// Words of the hidden verbs that Run starts its own program with.
const (
	ClientVerb = "demo-client"
	ServerVerb = "demo-server"
	PaceFlag   = "--pace"
)

// leaveWithin is how long a server may take to go after its input was closed; then it is killed.
const leaveWithin = 10 * time.Second

// Run plays the demo with real processes: self (the path of shakescope's own program) as the client,
// which starts self again with the arguments wrap (the verb run with its flags, without the server's
// command), which starts self a third time as the server. It blocks until all are gone. When ctx ends,
// the client leaves early and in good order. errw gets what the processes say on stderr, the server's
// lines among them, which passed through the proxy.
func Run(ctx context.Context, self string, wrap []string, errw io.Writer, o Options) error {
	pace := o.Pace.String()
	args := []string{ClientVerb, PaceFlag, pace, "--", self}
	args = append(args, wrap...)
	args = append(args, "--", self, ServerVerb, PaceFlag, pace)
	cmd := exec.Command(self, args...)
	cmd.Stderr = errw
	// The client leaves when its input ends. It is never written to.
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return fmt.Errorf("starting the demo: %w", err)
	}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("starting the demo: %w", err)
	}
	release := context.AfterFunc(ctx, func() { stdin.Close() })
	defer release()
	if err := cmd.Wait(); err != nil && ctx.Err() == nil {
		return fmt.Errorf("demo's client: %w", err)
	}
	return nil
}

// Visit is the client's process: it starts the server by command and plays Client with it, until stop
// ends (or fails), ctx does or the visit is over. It returns once the server's process has gone.
func Visit(ctx context.Context, command []string, stop io.Reader, errw io.Writer, o Options) error {
	ctx, leave := context.WithCancel(ctx)
	defer leave()
	go func() {
		io.Copy(io.Discard, stop)
		leave()
	}()

	cmd := exec.Command(command[0], command[1:]...)
	cmd.Stderr = errw
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return fmt.Errorf("starting the server: %w", err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return fmt.Errorf("starting the server: %w", err)
	}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("starting the server: %w", err)
	}
	farewell := &lastWord{WriteCloser: stdin, process: cmd.Process}
	played := Client(ctx, stdout, farewell, o)
	gone := cmd.Wait()
	farewell.forget()
	if ctx.Err() != nil {
		played = nil // left early because it was told to
	}
	if gone != nil {
		gone = fmt.Errorf("server: %w", gone)
	}
	return errors.Join(played, gone)
}

// lastWord closes the server's input and sees to it that the server goes.
type lastWord struct {
	io.WriteCloser
	process *os.Process

	mu    sync.Mutex
	timer *time.Timer
}

func (l *lastWord) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.timer == nil {
		l.timer = time.AfterFunc(leaveWithin, func() { l.process.Kill() })
	}
	return l.WriteCloser.Close()
}

func (l *lastWord) forget() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.timer != nil {
		l.timer.Stop()
	}
}
