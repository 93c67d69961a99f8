package cli_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/shakescope/shakescope/internal/cli"
)

// On a terminal that answers nothing, verbs print exactly the bytes that are theirs: no question to
// the terminal (whose answer would end up in a client's input), and no wait for one. A stdio proxy
// must be silent even when its libraries would like to know the background colour.
func TestTerminalIsNeverAsked(t *testing.T) {
	dir := t.TempDir()
	wire, err := os.ReadFile("testdata/recordings/session.wire.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	recording := filepath.Join(dir, "session.wire.jsonl")
	if err := os.WriteFile(recording, wire, 0o600); err != nil {
		t.Fatal(err)
	}
	folder := filepath.Join(dir, "recordings")
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	env := append(os.Environ(), "SHAKESCOPE_DIR="+folder, "TERM=xterm-256color", "LC_ALL=C.UTF-8", "COLORTERM=truecolor", "NO_COLOR=", "CLICOLOR_FORCE=", "COLUMNS=")
	run := func(env []string, args ...string) *exec.Cmd {
		cmd := exec.Command("shakescope", args...)
		cmd.Env, cmd.Dir = env, dir
		return cmd
	}
	if out, err := run(env, "import", recording, "-o", filepath.Join(folder, "20261129-204100-moored.jsonl")).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}

	for _, test := range []struct {
		args []string
		want string // "": what the same words print into a pipe, in colour
	}{
		{args: []string{"version"}},
		{args: []string{"list"}},
		{args: []string{"show", recording}},
		{args: []string{"show", recording, "-f"}},
		{args: []string{"stats", recording}},
		{args: []string{"check", recording, "--fail-on", "error"}},
		{args: []string{"verify", recording}},
		{args: []string{"caps", recording}},
		{args: []string{"caps", recording, "--without", "server:tools"}},
		{args: []string{"tools", recording}},
		{args: []string{"diff", recording, recording}},
		{args: []string{"rules", "stdout-not-json"}},
		{args: []string{"export", recording, "--format", "text"}},
		{args: []string{"prune", "--dry-run"}},
		{args: []string{"completion", "bash"}},
		{args: []string{"help"}},
		{args: []string{"man"}},
		{args: []string{"--", "printf", `{"a":1}\n`}, want: "{\"a\":1}\n"},
		{args: []string{"run", "--", "printf", `no line end`}, want: "no line end"},
	} {
		t.Run(fmt.Sprint(test.args[0], len(test.args)), func(t *testing.T) {
			want := []byte(test.want)
			if test.want == "" {
				var err error
				want, err = run(append(env, "CLICOLOR_FORCE=1"), test.args...).Output()
				if err != nil && len(want) == 0 {
					t.Fatal(err)
				}
			}
			if have := onTerminal(t, run(env, test.args...)); !bytes.Equal(have, want) {
				t.Errorf("on a terminal: %q\nwant: %q", have, want)
			}
		})
	}
}

// JSON printed on a terminal is as harmless as the log, and means the same as in a pipe.
func TestJSONOnTerminalIsHarmless(t *testing.T) {
	recording := filepath.Join(t.TempDir(), "hostile.jsonl")
	if err := os.WriteFile(recording, hostileLog(), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"show", "--json", recording},
		{"stats", "--json", recording},
		{"check", "--format", "json", recording},
		{"export", recording, "--format", "wire", "--no-redact"},
	} {
		piped, _ := exec.Command("shakescope", args...).Output() // the exit code is a verdict
		want, have := bytes.Split(piped, []byte("\n")), bytes.Split(onTerminal(t, exec.Command("shakescope", args...)), []byte("\n"))
		if len(want) != len(have) || len(want) < 2 {
			t.Errorf("%q: %d lines in a pipe, %d on a terminal", args, len(want), len(have))
			continue
		}
		for i := range want {
			if why := harm(string(have[i]), false, false); why != "" {
				t.Errorf("%q, line %d holds %s:\n%.300q", args, i+1, why, have[i])
				break
			}
			if len(want[i]) == 0 {
				continue
			}
			var inPipe, onScreen any
			if err := json.Unmarshal(want[i], &inPipe); err != nil {
				t.Fatalf("%q, line %d: %v", args, i+1, err)
			}
			if err := json.Unmarshal(have[i], &onScreen); err != nil {
				t.Fatalf("%q on a terminal, line %d: %v", args, i+1, err)
			}
			if !reflect.DeepEqual(inPipe, onScreen) {
				t.Errorf("%q, line %d: %.300s\nin a pipe: %.300s", args, i+1, have[i], want[i])
				break
			}
		}
	}
}

// Raw bytes do not go to a terminal unless that was said twice.
func TestRawOnTerminalIsRefused(t *testing.T) {
	args := []string{"export", "testdata/recordings/session.wire.jsonl", "--format", "raw", "--stream", "stdout"}
	if have := onTerminal(t, exec.Command("shakescope", args...)); !bytes.HasPrefix(have, []byte("shakescope: error: ")) || bytes.Contains(have, []byte("jsonrpc")) {
		t.Errorf("printed %q", have)
	}
	if have := onTerminal(t, exec.Command("shakescope", append(args, "-o", "-")...)); !bytes.Contains(have, []byte("jsonrpc")) {
		t.Errorf("with -o -: printed %q", have)
	}
}

// A result that cannot be written is an error, not a success.
func TestFullDisk(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip(err)
	}
	defer full.Close()
	const recording = "testdata/recordings/session.wire.jsonl"
	for _, args := range [][]string{
		{"show", recording}, {"show", "--json", recording}, {"show", "-f", recording}, {"stats", recording}, {"stats", "--json", recording},
		{"tools", recording}, {"tools", "--json", recording}, {"tools", "--as", "openai", recording}, {"show", "--as", "openai", recording},
		{"check", recording}, {"verify", recording}, {"export", recording, "--format", "wire", "--no-redact"}, {"import", recording, "-o", "-"},
		{"replay", recording, "--speed", "max"}, {"list"},
	} {
		cmd := exec.Command("shakescope", args...)
		cmd.Env = append(os.Environ(), "SHAKESCOPE_DIR="+t.TempDir())
		cmd.Stdout = full
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		cmd.Run()
		if code := cmd.ProcessState.ExitCode(); code != 2 || !bytes.HasPrefix(stderr.Bytes(), []byte("shakescope: error: ")) {
			t.Errorf("%q: exit code %d, stderr %q", args, code, &stderr)
		}
	}
}

// onTerminal runs cmd on a terminal of its own, wide enough that no line is broken, that takes everything and answers
// nothing, and returns what it printed.
func onTerminal(t *testing.T, cmd *exec.Cmd) []byte {
	t.Helper()
	master, slave := openTerminalPair(t)
	defer master.Close()
	cmd.Stdin, cmd.Stdout, cmd.Stderr = slave, slave, slave
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	slave.Close()
	printed := make(chan []byte, 1)
	go func() {
		b, _ := io.ReadAll(master) // ends with EIO when the last writer is gone
		printed <- b
	}()
	select {
	case b := <-printed:
		cmd.Wait()
		return b
	case <-time.After(30 * time.Second): // not a measure, only an end
		cmd.Process.Kill()
		cmd.Wait()
		t.Fatalf("%s waits for an answer", cmd)
		return nil
	}
}

// openTerminalPair opens a pseudo terminal that passes bytes on unchanged.
func openTerminalPair(t *testing.T) (master, slave *os.File) {
	t.Helper()
	fail := func(err error) {
		if err != nil {
			t.Helper()
			t.Fatalf("opening a pseudo terminal: %v", err)
		}
	}
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	if os.IsNotExist(err) || os.IsPermission(err) {
		t.Skipf("no pseudo terminals here: %v", err)
	}
	fail(err)
	fail(control(master, func(fd int) error { return unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0) }))
	var number int
	fail(control(master, func(fd int) (err error) {
		number, err = unix.IoctlGetInt(fd, unix.TIOCGPTN)
		return err
	}))
	slave, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|syscall.O_NOCTTY, 0)
	fail(err)
	fail(control(slave, func(fd int) error {
		mode, err := unix.IoctlGetTermios(fd, unix.TCGETS)
		if err != nil {
			return err
		}
		mode.Oflag &^= unix.OPOST
		mode.Lflag &^= unix.ECHO
		if err := unix.IoctlSetTermios(fd, unix.TCSETS, mode); err != nil {
			return err
		}
		return unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, &unix.Winsize{Row: 50, Col: 1000})
	}))
	return master, slave
}

// control lets f work on the descriptor of a file.
func control(file *os.File, f func(fd int) error) error {
	raw, err := file.SyscallConn()
	if err != nil {
		return err
	}
	var failed error
	if err := raw.Control(func(fd uintptr) { failed = f(int(fd)) }); err != nil {
		return err
	}
	return failed
}

// On a terminal the runs of probe are counted, unless there are no others.
func TestProbesAreSetAsideOnATerminal(t *testing.T) {
	dir := t.TempDir()
	list := func(args ...string) string {
		cmd := exec.Command("shakescope", append([]string{"list"}, args...)...)
		cmd.Env = append(os.Environ(), "SHAKESCOPE_DIR="+dir, "NO_COLOR=1", "COLUMNS=")
		return string(onTerminal(t, cmd))
	}
	run := func(name string, args ...string) {
		t.Helper()
		cmd := exec.Command(name, args...)
		cmd.Env = append(os.Environ(), "SHAKESCOPE_DIR="+dir)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	const made, count = "made by probe", "+ 2 runs of probe and resend; `shakescope list --all` shows them\n"
	run("shakescope", "probe", "--", "mcpserver")
	run("shakescope", "probe", "--", "mcpserver")
	if out := list(); strings.Count(out, made) != 2 || strings.Contains(out, "+ ") {
		t.Errorf("probes alone:\n%s", out)
	}
	run("shakescope", "run", "--label", "harbour", "--", "true")
	if out := list(); strings.Contains(out, made) || !strings.Contains(out, "harbour") || !strings.HasSuffix(out, count) {
		t.Errorf("with a run:\n%s", out)
	}
	if out := list("--all"); strings.Count(out, made) != 2 || !strings.Contains(out, "harbour") || strings.Contains(out, "+ ") {
		t.Errorf("--all:\n%s", out)
	}
	if out := list("--json"); strings.Count(out, `{"id":"`) != 3 {
		t.Errorf("--json:\n%s", out)
	}
}

// The log has the width of the terminal, or what COLUMNS says; into a pipe it has none.
func TestLogHasTheWidthOfTheTerminal(t *testing.T) {
	const recording = "testdata/recordings/session.wire.jsonl"
	run := func(columns string) *exec.Cmd {
		cmd := exec.Command("shakescope", "show", recording)
		cmd.Env = append(os.Environ(), "TERM=xterm-256color", "LC_ALL=C.UTF-8", "NO_COLOR=1", "COLUMNS="+columns)
		return cmd
	}
	for columns, width := range map[string]int{"80": 80, "": 1000, "wide": 1000, "0": 1000} {
		want, err := cli.ShowOn(recording, width, false)
		if err != nil {
			t.Fatal(err)
		}
		if have := onTerminal(t, run(columns)); string(have) != want {
			t.Errorf("COLUMNS=%s, on a terminal of 1000: %s\nwant that of %d columns:\n%s", columns, have, width, want)
		}
	}
	plain, err1 := run("").Output()
	narrow, err2 := run("80").Output()
	if err1 != nil || err2 != nil || !bytes.Equal(plain, narrow) {
		t.Errorf("COLUMNS changed what a pipe gets (%v, %v):\n%s", err1, err2, narrow)
	}
}
