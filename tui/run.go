package tui

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/shakescope/shakescope/internal/settings"
	"github.com/shakescope/shakescope/internal/termtext"
)

// Options say what Run shows and how.
type Options struct {
	// Version is that of the program, for exports that name their writer.
	Version string
	// Dir is the folder of recordings.
	Dir string
	// File is the path of the recording to open, in any format that recordings.Open understands; ""
	// opens the list of recordings.
	File string
	// Title names File where its path says nothing, as for one that was read from a pipe.
	Title string

	// Replay lets the entries of File appear at recorded pace.
	Replay bool
	// Speed is the factor of the pace: 2 is twice as fast. 0 is 1, +Inf shows all at once.
	Speed float64
	// From is the time since the start of the recording at which the replay begins.
	From time.Duration

	// Settings are those of the settings file; the options above and below win. nil: none.
	Settings *settings.Settings

	// Theme is one of Themes; "" is the default, made of the terminal's own 16 colours.
	Theme string
	// ASCII draws with ASCII characters only.
	ASCII bool
	// NoMotion moves nothing but what the data moves.
	NoMotion bool

	// Report gets one line about what was looked at, after the terminal is restored; nil: none.
	Report io.Writer

	// Input and Output replace the terminal, for tests.
	Input  io.Reader
	Output io.Writer
	// Environ replaces the environment as far as the terminal goes, for tests.
	Environ []string
}

// Themes lists the names that Options.Theme understands.
func Themes() []string { return themeNames() }

// CheckSettings reports the first name in the settings that the program does not know.
func CheckSettings(s *settings.Settings) error {
	if s.Theme != "" && !validTheme(s.Theme) {
		return s.Fault("theme", "unknown theme %q (there are %s)", s.Theme, strings.Join(themeNames(), ", "))
	}
	for _, c := range s.Columns {
		if !slices.Contains(columnNames, c) {
			return s.Fault("columns", "unknown column %q (there are %s)", c, strings.Join(columnNames, ", "))
		}
	}
	return checkKeys(s)
}

// ErrNoTerminal says that the terminal cannot show the program (TERM=dumb).
var ErrNoTerminal = errors.New("this terminal cannot show it (TERM is dumb)")

// Run shows recordings until the user leaves or ctx is done. It blocks. Errors about a file that was
// opened inside are shown on screen; those about File given in the options are returned when it
// cannot be read at all. After an internal error the terminal is restored first, and the error names
// a file with the details.
func Run(ctx context.Context, o Options) error {
	env := o.Environ
	if env == nil {
		env = os.Environ()
	}
	if lookup(env, "TERM") == "dumb" && o.Output == nil {
		return ErrNoTerminal
	}
	if o.Theme != "" && !validTheme(o.Theme) {
		return fmt.Errorf("unknown theme %q (there are %s)", o.Theme, strings.Join(themeNames(), ", "))
	}
	if o.Settings != nil {
		if err := CheckSettings(o.Settings); err != nil {
			return err
		}
	}
	if lookup(env, "NO_COLOR") != "" {
		o.Theme = "mono"
	}
	if !o.ASCII && !unicodeLocale(env) {
		o.ASCII = true
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	m := newModel(ctx, o)
	defer m.close()
	p := program(ctx, m, env)
	// Killing the program from outside while it starts would hang it.
	m.abort = cancel
	_, err := p.Run()
	if m.crash != nil {
		return m.crash
	}
	if m.fatal != nil {
		return m.fatal
	}
	if err != nil && !errors.Is(err, tea.ErrInterrupted) && !errors.Is(err, context.Canceled) && !(errors.Is(err, tea.ErrProgramKilled) && ctx.Err() != nil) {
		return fmt.Errorf("running the terminal program: %w", err)
	}
	for _, text := range m.printed {
		out := o.Output
		if out == nil {
			out = os.Stdout
		}
		if _, err := fmt.Fprintln(out, printable(text)); err != nil {
			return fmt.Errorf("printing what was asked for: %w", err)
		}
	}
	if o.Report != nil {
		if s := m.report(); s != "" {
			fmt.Fprintln(o.Report, s)
		}
	}
	return nil
}

// printable is text that may be printed to a terminal: line by line without what acts on it.
func printable(s string) string {
	lines := strings.Split(s, "\n")
	for i := range lines {
		lines[i] = termtext.Clean(lines[i])
	}
	return strings.Join(lines, "\n")
}

// program puts a model on the terminal of its options.
func program(ctx context.Context, m *model, env []string, more ...tea.ProgramOption) *tea.Program {
	var beat *metronome
	eachMessage := func(_ tea.Model, msg tea.Msg) tea.Msg {
		if beat != nil {
			beat.message()
		}
		return msg
	}
	opts := append([]tea.ProgramOption{tea.WithContext(ctx), tea.WithFPS(framesPerSecond), tea.WithEnvironment(env), tea.WithFilter(eachMessage)}, more...)
	if m.opts.Input != nil {
		opts = append(opts, tea.WithInput(m.opts.Input))
	}
	if m.opts.Output != nil {
		opts = append(opts, tea.WithOutput(m.opts.Output))
	}
	p := tea.NewProgram(guard{m}, opts...)
	beat = watch(p)
	return p
}

func lookup(env []string, name string) string {
	for i := len(env) - 1; i >= 0; i-- {
		if k, v, ok := strings.Cut(env[i], "="); ok && k == name {
			return v
		}
	}
	return ""
}

// unicodeLocale reports whether the locale says UTF-8. Where it says nothing at all, as on Windows
// and in bare containers, terminals of today are taken at their word.
func unicodeLocale(env []string) bool {
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if v := strings.ToLower(lookup(env, name)); v != "" {
			wide := strings.HasPrefix(v, "zh") || strings.HasPrefix(v, "ja") || strings.HasPrefix(v, "ko")
			return !wide && (strings.Contains(v, "utf-8") || strings.Contains(v, "utf8"))
		}
	}
	return true
}

// crash is an internal error: a panic that was caught.
type crash struct {
	cause any
	file  string
}

func (c *crash) Error() string {
	s := fmt.Sprintf("internal error: %v (the recording is unaffected)", c.cause)
	if c.file != "" {
		s += "; details in " + c.file
	}
	return s
}

// guard keeps a panic from reaching the program library, which would print a stack trace: the first
// one ends the program, and Run returns it.
type guard struct{ *model }

func (g guard) Init() (cmd tea.Cmd) {
	defer g.rescue(nil)
	return g.guarded(g.model.Init())
}

func (g guard) Update(msg tea.Msg) (next tea.Model, cmd tea.Cmd) {
	next, cmd = g, nil
	defer g.rescue(nil)
	if err, ok := msg.(*crash); ok {
		g.model.crash = err
		return g, tea.Quit
	}
	return g, g.guarded(g.model.update(msg))
}

func (g guard) View() (v tea.View) {
	defer g.rescue(nil)
	return g.model.View()
}

// guarded wraps a command, so that a panic in it ends the program in the same way.
func (g guard) guarded(cmd tea.Cmd) tea.Cmd {
	if cmd == nil {
		return nil
	}
	return func() (msg tea.Msg) {
		defer g.rescue(&msg)
		msg = cmd()
		if batch, ok := msg.(tea.BatchMsg); ok {
			for i := range batch {
				batch[i] = g.guarded(batch[i])
			}
		}
		return msg
	}
}

// rescue turns a panic into the end of the program: by a message where one can be returned, else by
// ending its context.
func (g guard) rescue(msg *tea.Msg) {
	cause := recover()
	if cause == nil {
		return
	}
	c := &crash{cause: cause, file: writeCrash(cause, debug.Stack())}
	if msg != nil {
		*msg = c
		return
	}
	if g.model.crash == nil {
		g.model.crash = c
		if g.abort != nil {
			go g.abort()
		}
	}
}

func writeCrash(cause any, stack []byte) string {
	f, err := os.CreateTemp("", "shakescope-crash-*.txt")
	if err != nil {
		return ""
	}
	defer f.Close()
	if _, err := fmt.Fprintf(f, "%v\n\n%s", cause, stack); err != nil {
		return ""
	}
	return filepath.Clean(f.Name())
}
