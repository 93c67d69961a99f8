package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/shakescope/shakescope/internal/demo"
	"github.com/shakescope/shakescope/recordings"
	"github.com/shakescope/shakescope/tui"
)

// unwatchedPace is the demo's pace when nobody looks on: just enough for the latencies to be real.
const unwatchedPace = 10 * time.Millisecond

func demoVerb(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "demo",
		Short: "Record a client and a server that come with shakescope, and look at it",
		Long: `Start an MCP client and an MCP server that come with shakescope, with shakescope between them, and open
the terminal UI on the recording while it grows. On no terminal the annotated log is printed.`,
		Args: noArgs,
		RunE: func(*cobra.Command, []string) error { return a.demo() },
	}
}

func (a *app) demo() error {
	self, err := os.Executable()
	if err != nil {
		return fail(2, "", "finding shakescope's own program: %w", err)
	}
	dir, err := recordings.DefaultDir()
	if err != nil {
		return fail(2, "", "%w", err)
	}
	path := filepath.Join(dir, recordings.NewID(time.Now())+".jsonl")
	wrap := []string{"run", "--demo", "-o", path}

	ctx, leave := context.WithCancel(context.Background())
	defer leave()
	var said bytes.Buffer // by the processes on stderr; the recording has the server's
	if !a.interactive() {
		if err := demo.Run(ctx, self, wrap, &said, demo.Options{Pace: unwatchedPace}); err != nil {
			return demoFailed(err, &said)
		}
		src, err := a.source(path)
		if err != nil {
			return err
		}
		out := a.standardOutput()
		return out.finish(a.writeTextLog(src, newTextLog(out.Writer, lookOf(a.stdout, false))))
	}

	played := make(chan error, 1)
	go func() { played <- demo.Run(ctx, self, wrap, &said, demo.Options{Pace: demo.DefaultPace}) }()
	if err := appears(path, played); err != nil {
		return demoFailed(err, &said)
	}
	err = a.showTUI(tui.Options{File: path})
	leave()
	if failed := <-played; err == nil && failed != nil {
		return demoFailed(failed, &said)
	}
	return err
}

// demoFailed says why the demo failed, with the last words of its processes.
func demoFailed(err error, said *bytes.Buffer) error {
	if words := bytes.TrimSpace(said.Bytes()); len(words) > 0 {
		const most = 1000
		return fail(2, "", "%w: %s", err, words[max(0, len(words)-most):])
	}
	return fail(2, "", "%w", err)
}

// appears waits until the recording is there, or the demo ended without one.
func appears(path string, played <-chan error) error {
	for {
		if _, err := os.Stat(path); err == nil {
			return nil
		}
		select {
		case err := <-played:
			if err == nil {
				err = errors.New("the demo left no recording")
			}
			return err
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// The demo's peers are this program too, started again with hidden verbs.

func demoServerVerb(a *app) *cobra.Command {
	return demoPeer(demo.ServerVerb, func(ctx context.Context, o demo.Options, _ []string) error {
		return demo.Server(ctx, a.stdin, a.stdout, a.stderr, o)
	})
}

func demoClientVerb(a *app) *cobra.Command {
	return demoPeer(demo.ClientVerb, func(ctx context.Context, o demo.Options, command []string) error {
		if len(command) == 0 {
			return fmt.Errorf("no command to start the server with")
		}
		return demo.Visit(ctx, command, a.stdin, a.stderr, o)
	})
}

func demoPeer(verb string, play func(context.Context, demo.Options, []string) error) *cobra.Command {
	var o demo.Options
	c := &cobra.Command{
		Use:    verb,
		Hidden: true,
		RunE: func(c *cobra.Command, args []string) error {
			if err := play(context.Background(), o, args); err != nil {
				return fail(1, "", "%s: %w", verb, err)
			}
			return nil
		},
	}
	c.Flags().DurationVar(&o.Pace, "pace", 0, "pause before each step")
	c.Flags().SetInterspersed(false)
	return c
}
