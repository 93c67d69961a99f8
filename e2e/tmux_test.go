package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// terminal is a shell in a terminal of tmux, as a person has it before them.
type terminal struct {
	t    *testing.T
	path string
	dir  string
}

// newTerminal opens one whose programs take their recordings from dir. Without tmux the test is skipped, or
// fails where everything has to be there.
func newTerminal(t *testing.T, dir, width, height string) *terminal {
	t.Helper()
	path, err := exec.LookPath("tmux")
	if err != nil {
		absent(t, "tmux is not installed")
	}
	tm := &terminal{t: t, path: path, dir: dir}
	tm.run("new-session", "-d", "-s", "main", "-x", width, "-y", height, "sh")
	t.Cleanup(func() { tm.run("kill-server") })
	return tm
}

// run gives tmux a command.
func (tm *terminal) run(args ...string) string {
	tm.t.Helper()
	cmd := exec.Command(tm.path, append([]string{"-f", os.DevNull, "-S", filepath.Join(tm.dir, "tmux")}, args...)...)
	cmd.Env = append(os.Environ(), "SHAKESCOPE_DIR="+tm.dir, "TERM=xterm-256color", "LC_ALL=C.UTF-8", "PS1=prompt> ", "TMUX=")
	out, err := cmd.CombinedOutput()
	if err != nil {
		tm.t.Fatalf("tmux %v: %v\n%s", args, err, out)
	}
	return string(out)
}

// keys presses keys, by the names that tmux has for them.
func (tm *terminal) keys(keys ...string) {
	tm.t.Helper()
	tm.run(append([]string{"send-keys", "-t", "main"}, keys...)...)
}

// about is what tmux knows of the terminal.
func (tm *terminal) about(format string) string {
	tm.t.Helper()
	return strings.TrimSpace(tm.run("display-message", "-p", "-t", "main", format))
}

func (tm *terminal) screen() string { return tm.run("capture-pane", "-p", "-t", "main") }

// press presses a key and lets the program show what it does, as a person would. A key may change nothing.
func (tm *terminal) press(key string) {
	tm.t.Helper()
	before := tm.screen()
	tm.keys(key)
	for deadline := time.Now().Add(time.Second); tm.screen() == before && time.Now().Before(deadline); {
		time.Sleep(20 * time.Millisecond)
	}
}

// until waits until the screen matches all patterns; ^ and $ are the ends of its lines. A slow machine gets its time.
func (tm *terminal) until(what string, patterns ...string) {
	tm.t.Helper()
	var last string
	for deadline := time.Now().Add(40 * time.Second); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
		last = tm.screen()
		if !slices.ContainsFunc(patterns, func(p string) bool { return !regexp.MustCompile("(?m)" + p).MatchString(last) }) {
			return
		}
	}
	tm.t.Fatalf("waiting for %s %q, the screen is:\n%s", what, patterns, last)
}
