package tui

import (
	"bytes"
	"context"
	"io"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/vt"

	"github.com/shakescope/shakescope/recordings"
)

// terminal is an emulated terminal with the program on it.
type terminal struct {
	t    *testing.T
	emu  *vt.SafeEmulator
	keys *io.PipeWriter
	p    *tea.Program
	done chan error
}

// cooked writes to the emulator as a terminal's line discipline would, which the library counts on.
type cooked struct{ w io.Writer }

func (c cooked) Write(b []byte) (int, error) {
	if _, err := c.w.Write(bytes.ReplaceAll(b, []byte("\n"), []byte("\r\n"))); err != nil {
		return 0, err
	}
	return len(b), nil
}

func boot(t *testing.T, o Options, lib library, w, h int) *terminal {
	t.Helper()
	tm := &terminal{t: t, emu: vt.NewSafeEmulator(w, h), done: make(chan error, 1)}
	in, keys := io.Pipe()
	tm.keys = keys
	// The program asks the terminal questions. Whoever does not take the answers blocks the emulator,
	// and the program does not when it ends.
	answers := make(chan []byte, 1024)
	go func() {
		defer close(answers)
		for {
			b := make([]byte, 256)
			n, err := tm.emu.Read(b)
			if err != nil {
				return
			}
			answers <- b[:n]
		}
	}()
	go func() {
		for b := range answers {
			keys.Write(b)
		}
	}()
	o.Input, o.Output = in, cooked{tm.emu}
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	m := newModel(ctx, o)
	if lib != nil {
		m.lib = lib
	}
	tm.p = program(ctx, m, []string{"TERM=xterm-256color", "LANG=C.UTF-8"}, tea.WithWindowSize(w, h), tea.WithoutSignals())
	m.abort = cancel
	go func() {
		_, err := tm.p.Run()
		if m.crash != nil {
			err = m.crash
		}
		m.close()
		tm.done <- err
	}()
	t.Cleanup(func() {
		cancel()
		in.Close()
		// Closing the emulator itself races with whoever reads its answers.
		if c, ok := tm.emu.InputPipe().(io.Closer); ok {
			c.Close()
		}
	})
	return tm
}

func (tm *terminal) text() string { return ansi.Strip(tm.emu.Render()) }

// wait waits until the screen shows all words.
func (tm *terminal) wait(words ...string) {
	tm.t.Helper()
	end := time.Now().Add(15 * time.Second)
	for {
		text := tm.text()
		missing := ""
		for _, w := range words {
			if !strings.Contains(text, w) {
				missing = w
			}
		}
		if missing == "" {
			return
		}
		if time.Now().After(end) {
			tm.t.Fatalf("%q never came up:\n%s", missing, text)
		}
		time.Sleep(2 * time.Millisecond)
	}
}

func (tm *terminal) typed(keys string) { io.WriteString(tm.keys, keys) }

// left waits for the program to end and checks that the terminal is as it was.
func (tm *terminal) left() error {
	tm.t.Helper()
	select {
	case err := <-tm.done:
		if tm.emu.IsAltScreen() {
			tm.t.Error("the alternate screen stays")
		}
		if tm.emu.CursorHidden() {
			tm.t.Error("the cursor stays hidden")
		}
		return err
	case <-time.After(15 * time.Second):
		tm.t.Fatal("the program does not end")
	}
	return nil
}

func sample(t *testing.T, dir string) string {
	t.Helper()
	rec, err := recordings.Create(dir, recordings.NewHeader([]string{"srv"}), recordings.RecorderOptions{})
	if err != nil {
		t.Fatal(err)
	}
	rec.Chunk(recordings.Stdin, []byte(hello))
	rec.Chunk(recordings.Stdout, []byte(answer))
	rec.Chunk(recordings.Stdin, []byte(ready+tools))
	if err := rec.Close(); err != nil {
		t.Fatal(err)
	}
	return rec.Path()
}

func TestOnATerminal(t *testing.T) {
	dir := t.TempDir()
	sample(t, dir)
	tm := boot(t, Options{Dir: dir}, nil, 80, 24)
	tm.wait("recordings", "srv 3", "cli 9")
	tm.typed("\r")
	tm.wait("operation begins", "tools/list", "srv 3 ⇄ cli 9")
	tm.typed("j\r")
	tm.wait("serverInfo", "answers #1")
	tm.emu.Resize(120, 40)
	tm.p.Send(tea.WindowSizeMsg{Width: 120, Height: 40})
	tm.wait("serverInfo")
	tm.typed("q")
	tm.wait("depends on", "serverInfo")
	tm.emu.Resize(60, 16)
	tm.p.Send(tea.WindowSizeMsg{Width: 60, Height: 16})
	tm.wait("tools/list")
	tm.typed("q")
	tm.wait("STATE")
	tm.typed("q")
	if err := tm.left(); err != nil {
		t.Error(err)
	}
}

func TestOneRecordingOnATerminal(t *testing.T) {
	dir := t.TempDir()
	path := sample(t, dir)
	tm := boot(t, Options{Dir: dir, File: path, Replay: true, Speed: 8}, nil, 100, 30)
	tm.wait("replay", "tools/list", "8×")
	tm.typed("\x03")
	if err := tm.left(); err != nil && err != tea.ErrInterrupted {
		t.Error(err)
	}
}

// faulty is a library that panics where it is asked to.
type faulty struct {
	shelf
	in string
}

func (f *faulty) list() ([]listing, error) {
	if f.in == "list" {
		panic("a fault of ours")
	}
	return f.shelf.list()
}

func (f *faulty) name() string {
	if f.in == "draw" {
		panic("a fault of ours")
	}
	return f.shelf.name()
}

// A panic in a command, in drawing or in the loader gives the terminal back and names a report.
func TestPanic(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	for _, in := range []string{"list", "draw"} {
		tm := boot(t, Options{}, &faulty{in: in}, 80, 24)
		err := tm.left()
		if err == nil || !strings.Contains(err.Error(), "internal error: a fault of ours") || !strings.Contains(err.Error(), "shakescope-crash") {
			t.Errorf("a panic in %s came out as %v", in, err)
		}
	}
}

func TestDumbTerminal(t *testing.T) {
	if err := Run(t.Context(), Options{Environ: []string{"TERM=dumb"}}); err != ErrNoTerminal {
		t.Errorf("got %v", err)
	}
	if err := Run(t.Context(), Options{Theme: "plaid"}); err == nil {
		t.Error("an unknown theme is taken")
	}
}

func TestLocale(t *testing.T) {
	for _, c := range []struct {
		env  []string
		want bool
	}{
		{nil, true},
		{[]string{"LANG=C.UTF-8"}, true},
		{[]string{"LANG=en_US.utf8"}, true},
		{[]string{"LANG=C"}, false},
		{[]string{"LANG=en_US.UTF-8", "LC_ALL=POSIX"}, false},
		{[]string{"LANG=en_US.UTF-8", "LC_ALL="}, true},
		{[]string{"LANG=ja_JP.UTF-8"}, false},
		{[]string{"LC_CTYPE=en_GB.UTF-8", "LANG=C"}, true},
	} {
		if got := unicodeLocale(c.env); got != c.want {
			t.Errorf("%v: %t", c.env, got)
		}
	}
}
