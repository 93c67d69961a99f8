package cli_test

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
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
	env := append(os.Environ(), "SHAKESCOPE_DIR="+folder, "TERM=xterm-256color", "LC_ALL=C.UTF-8", "COLORTERM=truecolor", "NO_COLOR=", "CLICOLOR_FORCE=")
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

// onTerminal runs cmd on a terminal of its own, 200 columns wide, that takes everything and answers
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
		return unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, &unix.Winsize{Row: 50, Col: 200})
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
