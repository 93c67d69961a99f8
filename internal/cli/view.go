package cli

import (
	"cmp"
	"context"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/shakescope/shakescope/internal/settings"
	"github.com/shakescope/shakescope/recordings"
	"github.com/shakescope/shakescope/tui"
)

// interactive reports whether the terminal UI can be shown: it reads keys and draws.
func (a *app) interactive() bool { return isTerminal(a.stdin) && isTerminal(a.stdout) }

// bareStart is what shakescope does without a word: the list of recordings, as terminal UI or, on no
// terminal, as text.
func (a *app) bareStart() error {
	if !a.interactive() {
		return a.list(false, false, false)
	}
	return a.showTUI(tui.Options{})
}

func viewVerb(a *app) *cobra.Command {
	c := &cobra.Command{
		Use:   "view [FILE]",
		Short: "Open a recording, live or saved, in the terminal UI",
		Long: `Open a recording in the terminal UI; without FILE, the list of recordings. ` + "`view -`" + ` reads a
recording from a pipe while it is written.`,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				return nil
			}
			return oneFile(c, args)
		},
		ValidArgsFunction: completeOneFile,
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 1 && args[0] == "-" {
				return a.viewPipe()
			}
			var o tui.Options
			if len(args) == 1 {
				path, err := a.resolve(args[0])
				if err != nil {
					return err
				}
				o.File = path
			}
			if !a.interactive() {
				return noTUI("shakescope show FILE")
			}
			return a.showTUI(o)
		},
	}
	a.tuiFlags(c)
	return c
}

// tuiFlags adds the flags of the verbs that open the terminal UI.
func (a *app) tuiFlags(c *cobra.Command) {
	c.Flags().StringVar(&a.tui.Theme, "theme", "", "the colours, a `THEME`: "+strings.Join(tui.Themes(), ", ")+" (default: $SHAKESCOPE_THEME, then the settings file)")
	c.Flags().BoolVar(&a.tui.ASCII, "ascii", false, "no symbols beyond ASCII")
	c.Flags().BoolVar(&a.tui.NoMotion, "no-motion", false, "move nothing but what the data moves")
	completeChoice(c, "theme", &choice{of: tui.Themes()})
}

// noTUI is the error of a verb that only makes sense on a terminal.
func noTUI(instead string) error {
	return fail(2, "`"+instead+"` prints the same as text", "the terminal UI needs a terminal on standard input and output")
}

// showTUI runs the terminal UI until the user leaves.
func (a *app) showTUI(o tui.Options) error {
	if o.Dir == "" {
		// Without a folder the list says that it is empty; a file can be looked at all the same.
		o.Dir, _ = recordings.DefaultDir()
	}
	o.Report, o.Version = a.stderr, a.build.String()
	o.Theme, o.ASCII, o.NoMotion = cmp.Or(a.tui.Theme, os.Getenv("SHAKESCOPE_THEME")), a.tui.ASCII, a.tui.NoMotion
	if path, err := settings.DefaultPath(); err == nil {
		if o.Settings, err = settings.Load(path); err != nil {
			return fail(2, "", "%w", err)
		}
		if err := tui.CheckSettings(o.Settings); err != nil {
			return fail(2, "", "%w", err)
		}
	}
	err := tui.Run(context.Background(), o)
	if errors.Is(err, tui.ErrNoTerminal) {
		return fail(2, "`shakescope show FILE` prints the same as text", "%w", err)
	}
	return unusable(o.File, err)
}

// viewPipe shows what comes through standard input while it comes. Keys are read from the terminal
// itself, so that only standard output must be one.
func (a *app) viewPipe() error {
	if isTerminal(a.stdin) {
		return fail(2, "pipe a recording in, or give a FILE", "standard input is a terminal")
	}
	if !isTerminal(a.stdout) {
		return noTUI("shakescope show -")
	}
	keys, err := openTerminal()
	if err != nil {
		return fail(2, "`shakescope show -` prints the same as text", "no terminal to read keys from: %w", err)
	}
	defer keys.Close()
	path, remove, err := a.spoolAlong()
	if err != nil {
		return err
	}
	defer remove()
	return a.showTUI(tui.Options{File: path, Title: "standard input", Input: keys})
}

// spoolAlong copies standard input to a private file while it comes. It returns once there is a
// first piece to look at.
func (a *app) spoolAlong() (path string, remove func(), err error) {
	dir, err := os.MkdirTemp("", "shakescope-*") // 0700
	if err != nil {
		return "", nil, fail(2, "", "spooling standard input: %w", err)
	}
	remove = func() { os.RemoveAll(dir) }
	path = filepath.Join(dir, "stdin.jsonl")
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		remove()
		return "", nil, fail(2, "", "spooling standard input: %w", err)
	}
	first := make([]byte, 64<<10)
	n, err := a.stdin.Read(first)
	if n == 0 {
		f.Close()
		remove()
		if err == io.EOF {
			err = errors.New("it is empty")
		}
		return "", nil, fail(2, "", "standard input: %w", err)
	}
	if _, err := f.Write(first[:n]); err != nil {
		f.Close()
		remove()
		return "", nil, fail(2, "", "spooling standard input: %w", err)
	}
	go func() {
		defer f.Close()
		io.Copy(f, a.stdin)
	}()
	return path, remove, nil
}

// replayInTUI plays a recording in the terminal UI; speed 0 is as fast as possible.
func (a *app) replayInTUI(src *source, speed float64, from time.Duration) error {
	if speed == 0 {
		speed = math.Inf(1)
	}
	return a.showTUI(tui.Options{File: src.path, Replay: true, Speed: speed, From: from})
}
