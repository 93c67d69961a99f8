package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/shakescope/shakescope/internal/export"
	"github.com/shakescope/shakescope/internal/tap"
	"github.com/shakescope/shakescope/proxy"
	"github.com/shakescope/shakescope/recordings"
)

type runFlags struct {
	label    string
	out      string
	dir      string
	noRecord bool
	redact   bool
	demo     bool
	grace    time.Duration
	maxSize  sizeFlag
	keep     retentionFlag
}

// runVerb wraps a server. Its exit codes are the server's; 128+n for a signal; 127 not found; 126 not
// startable; 125 for misuse of run itself.
func runVerb(a *app) *cobra.Command {
	var f runFlags
	c := &cobra.Command{
		Use:   "run [flags] [--] COMMAND [ARGS…]",
		Short: "Wrap a server: forward and record (the word run may be left out)",
		Long: `Start a server and stand between it and the client: every byte is forwarded as it is, and recorded.

Nothing of shakescope's own goes to standard output. Standard error carries the server's, and a line
of shakescope's only when something is wrong. When the client closes the server's input or sends a
signal, the server gets the same; a server that does not end then is ended, with all it has started.

With --redact secrets are masked before anything is written: in messages, on standard error, in the
command line. A line is then recorded when it is whole; of one that cannot be parsed, or has more than
4 MiB, only the length is recorded. What travels is not touched.

The exit code is the server's, 128+n when signal n ended it, 127 when the command was not found, 126
when it could not be started, 125 when the flags of run are wrong.`,
		Example: `  shakescope -- npx -y @modelcontextprotocol/server-everything
  shakescope run --label filesystem -- npx -y @modelcontextprotocol/server-filesystem /tmp
  shakescope run -o session.jsonl -- python server.py`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return fail(125, "put the server's command behind `--`: shakescope -- npx -y some-server", "run needs a command")
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error { return a.run(args, f) },
	}
	flags := c.Flags()
	flags.SetInterspersed(false)
	flags.StringVar(&f.label, "label", "", "a `NAME` for the server, shown in lists")
	flags.StringVarP(&f.out, "output", "o", "", "record to this `FILE` (if it exists, to FILE-2, FILE-3 …)")
	flags.StringVar(&f.dir, "dir", "", "record into this `FOLDER` instead of the usual one")
	flags.BoolVar(&f.noRecord, "no-record", false, "only forward")
	flags.BoolVar(&f.redact, "redact", false, "mask secrets before they reach the disk (traffic is not touched)")
	flags.DurationVar(&f.grace, "grace", 30*time.Second, "after the client's end of input, wait this `TIME` in silence for open requests")
	flags.Var(&f.maxSize, "max-size", "go on in another file when one has so many bytes: 50MB, 1GiB")
	flags.Var(&f.keep, "retention", "remove recordings beyond an age and a total size, or off (default "+retentionVariable+", or 30d,5GB)")
	flags.BoolVar(&f.demo, "demo", false, "mark the recording as a demo's")
	flags.MarkHidden("demo")
	c.SetFlagErrorFunc(func(_ *cobra.Command, err error) error {
		return fail(125, "flags of run stand before the command; try `shakescope run --help`", "%w", err)
	})
	return c
}

// leastSegment keeps --max-size from filling a folder with files.
const leastSegment = 1000

func (f *runFlags) check() error {
	switch {
	case f.grace <= 0:
		return fail(125, "", "--grace must be longer than zero, got %v", f.grace)
	case f.maxSize != 0 && f.maxSize < leastSegment:
		return fail(125, "", "--max-size must be at least %d bytes", leastSegment)
	case f.noRecord && (f.out != "" || f.dir != ""):
		return fail(125, "", "--no-record cannot be combined with -o or --dir")
	case f.noRecord && f.redact:
		return fail(125, "", "--redact masks what is recorded; it does not go with --no-record")
	case f.out != "" && f.dir != "":
		return fail(125, "", "-o and --dir exclude each other")
	case f.out == "-":
		return fail(125, "", "a recording cannot go to standard output: that is the server's")
	}
	return nil
}

func (a *app) run(command []string, f runFlags) error {
	if err := f.check(); err != nil {
		return err
	}
	c := proxy.Config{
		Command: command,
		Stdin:   a.stdin, Stdout: a.stdout, Stderr: a.stderr,
		Grace:        f.grace,
		WholeProcess: true,
	}
	say := &asides{to: a.stderr}
	defer say.wait()
	if !f.noRecord && !a.mistyped(command[0]) {
		r, err := a.record(command, &f, say)
		if err != nil {
			say.line("not recording: %v", err)
		} else {
			c.Tap, c.Open = tap.To(r), r.OpenRequests
			defer closeRecording(r, say)
		}
	}
	result, err := proxy.Run(context.Background(), c)
	if err != nil {
		return a.startFailure(err)
	}
	return exit(result.Code)
}

// mistyped says that word is no command but nearly a verb. What nobody meant to start is not recorded: it would be the
// `last` of the command that was meant.
func (a *app) mistyped(word string) bool {
	if !a.bare {
		return false
	}
	_, err := exec.LookPath(word)
	return err != nil && a.meantVerb(word) != ""
}

// closeRecording finishes the recording. A client that has become impatient meanwhile is obeyed: all
// that is left by then is to wait for the disk.
func closeRecording(r *recordings.Recorder, say *asides) {
	impatient := make(chan os.Signal, 1)
	signal.Notify(impatient, os.Interrupt, syscall.SIGTERM)
	closed := make(chan error, 1)
	go func() { closed <- r.Close() }()
	select {
	case err := <-closed:
		if err != nil {
			say.once("%s: %v", r.Path(), err)
		}
	case <-impatient:
	}
}

// record opens the recording that the flags ask for.
func (a *app) record(command []string, f *runFlags, say *asides) (*recordings.Recorder, error) {
	h := recordings.NewHeader(command)
	h.Version, h.Label, h.Demo = a.build.String(), f.label, f.demo
	o := recordings.RecorderOptions{MaxSize: int64(f.maxSize), Log: func(text string) { say.once("%s", text) }}
	if f.redact {
		r, err := newRedactor()
		if err != nil {
			return nil, err // better no recording than one that holds what must not be in it
		}
		for _, v := range os.Environ() {
			name, value, _ := strings.Cut(v, "=")
			r.Named(name, value)
		}
		o.Mask = export.NewMasker(r)
	}
	if f.out != "" {
		if err := a.ownStream(f.out); err != nil {
			return nil, err
		}
		r, err := recordings.CreateAt(f.out, h, o)
		if err == nil && r.Path() != f.out {
			say.line("%s exists; recording to %s", f.out, r.Path())
		}
		return r, err
	}
	if f.dir != "" {
		return recordings.Create(f.dir, h, o)
	}
	dir, err := recordings.DefaultDir()
	if err != nil {
		return nil, err
	}
	r, err := recordings.Create(dir, h, o)
	if err == nil {
		f.retain(dir, say)
	}
	return r, err
}

// retain lets old recordings of our own folder go, in the background and only there: what lies in a
// folder that the user named may be meant to stay.
func (f *runFlags) retain(dir string, say *asides) {
	keep := f.keep.Retention
	if f.keep.text == "" {
		var err error
		if keep, err = retention(); err != nil {
			say.line("nothing old is removed: %v", err)
			return
		}
	}
	go retain(dir, keep)
}

// asides are our own lines on the server's standard error. Nobody may read that: so a line is written
// in the background, and at the end waited for only a little.
type asides struct {
	to   *os.File
	mu   sync.Mutex
	wg   sync.WaitGroup
	said bool
}

// asideWait is how long the end of a run waits for somebody to read what it said.
const asideWait = 250 * time.Millisecond

func (s *asides) line(format string, args ...any) {
	text := "shakescope: warning: " + oneLine(fmt.Sprintf(format, args...)) + "\n"
	s.wg.Go(func() { s.to.WriteString(text) })
}

// once says it unless something was said by once before. When it returns, wait knows of the line, whoever
// said it.
func (s *asides) once(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.said {
		s.said = true
		s.line(format, args...)
	}
}

func (s *asides) wait() {
	done := make(chan struct{})
	go func() { s.wg.Wait(); close(done) }()
	select {
	case <-done:
	case <-time.After(asideWait):
	}
}

// startFailure says why a server could not be started, and what may help.
func (a *app) startFailure(err error) error {
	var s *proxy.StartError
	if !errors.As(err, &s) {
		return fail(126, "", "%w", err)
	}
	if s.Code != 127 || strings.ContainsAny(s.Command, `/\`) {
		return fail(s.Code, "", "%w", err)
	}
	hint := a.meantVerb(s.Command)
	if hint == "" {
		hint = pathHint(s.Searched)
	}
	if hint == "" && a.bare && isTerminal(a.stdin) {
		hint = "a word that is no verb is taken for the server's command; `shakescope help` lists the verbs"
	}
	return fail(127, hint, "%w; PATH searched: %s", err, orNothing(s.Searched))
}

func orNothing(path string) string {
	if path == "" {
		return "(empty)"
	}
	return path
}

// pathHint explains the commonest reason of all: a client started from a desktop has a PATH of system
// folders only, without those of Homebrew, nvm, pipx and the like.
func pathHint(path string) string {
	if runtime.GOOS == "windows" {
		return "give the full path of the command, or start the client anew: it keeps the PATH it was started with"
	}
	for _, dir := range filepath.SplitList(path) {
		switch dir {
		case "/bin", "/sbin", "/usr/bin", "/usr/sbin", "/usr/local/bin", "/usr/local/sbin", "/usr/games", "/usr/local/games", "/snap/bin", "":
		default:
			return ""
		}
	}
	return "clients started from a desktop get a short PATH, not that of your shell; use the full path (`command -v` in a terminal prints it) or set PATH in the client's configuration"
}
