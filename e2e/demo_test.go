package e2e

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestDemo runs the demo as on a machine without a terminal, and looks at its recording.
func TestDemo(t *testing.T) {
	dir := t.TempDir()
	cmd := exec.Command(built(t), "demo")
	cmd.Env = append(os.Environ(), "SHAKESCOPE_DIR="+dir)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, &stderr)
	}
	for _, part := range []string{"initialize", "tools/call", "sampling/createMessage", "lock gate: 3 retries"} {
		if !strings.Contains(string(out), part) {
			t.Errorf("the log does not show %s:\n%s", part, out)
		}
	}

	files, _ := filepath.Glob(filepath.Join(dir, "*.jsonl"))
	if len(files) != 1 {
		t.Fatalf("recordings: %v", files)
	}
	var v struct{ Whole bool }
	if err := json.Unmarshal(shakescope(t, "verify", files[0], "--json"), &v); err != nil || !v.Whole {
		t.Errorf("the recording is not whole (%v)", err)
	}
	groups, phases, findings := map[string]bool{}, map[string]bool{}, map[string]string{}
	for _, e := range entries(t, files[0]) {
		if e.message() && (e.Group == "" || e.Phase == "") {
			t.Errorf("without group or phase: %+v", e)
		}
		groups[e.Group] = true
		phases[e.Phase] = true
		for _, f := range e.Findings {
			if f.Level != "info" {
				findings[f.Rule] = f.By
			}
		}
	}
	for _, group := range []string{"tools", "resources", "prompts", "roots", "sampling", "elicitation",
		"lifecycle", "ping", "cancellation", "progress", "logging", "completion"} {
		if !groups[group] {
			t.Errorf("no message of group %s", group)
		}
	}
	for _, phase := range []string{"probe", "initialization", "operation", "shutdown"} {
		if !phases[phase] {
			t.Errorf("nothing in phase %s", phase)
		}
	}
	// The two mistakes that the server makes on purpose, and no other.
	want := map[string]string{"stdout-not-json": "server", "cap-list-changed-undeclared": "server"}
	if diff := cmp.Diff(want, findings); diff != "" {
		t.Errorf("findings (-want +got):\n%s", diff)
	}
}

// TestDemoOnATerminal looks at the terminal UI as a person would, in tmux, and leaves it.
func TestDemoOnATerminal(t *testing.T) {
	for _, size := range [][2]string{{"80", "24"}, {"120", "40"}} {
		t.Run(size[0]+"x"+size[1], func(t *testing.T) {
			t.Parallel()
			tm := newTerminal(t, t.TempDir(), size[0], size[1])
			tm.keys("'"+built(t)+"' demo", "Enter")
			// A row of a message: phase, direction, primitive, capability, method.
			tm.until("the handshake", `^P.*→.*life.*server/discover`)
			tm.until("live traffic", `^O.*→.*tools.*✓.*tools/list`)
			tm.until("what came later", `^O.*→.*res(ou)?rc.*✓.*resources/`)
			tm.keys("q")
			// What is typed before the shell has the terminal back belongs to the program that leaves.
			for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(50 * time.Millisecond) {
				if running := tm.about("#{pane_current_command}"); running == "sh" {
					break
				} else if time.Now().After(deadline) {
					t.Fatalf("q does not end it: %s is running\n%s", running, tm.screen())
				}
			}
			tm.keys("echo the terminal is $((40+2))", "Enter")
			tm.until("the shell", "the terminal is 42")
			// Echo is on and the alternate screen is left.
			if s := tm.screen(); !strings.Contains(s, "echo the terminal is") {
				t.Errorf("typing does not show:\n%s", s)
			}
			if mode := tm.about("#{alternate_on} #{mouse_any_flag} #{cursor_flag}"); mode != "0 0 1" {
				t.Errorf("alternate screen, mouse, cursor: %s, want 0 0 1", mode)
			}
		})
	}
}
