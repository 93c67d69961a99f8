package e2e

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/shakescope/shakescope/internal/mcpspec"
)

// probedServers are servers from npm with what a probe must find.
var probedServers = []struct {
	name     string
	script   string // below node_modules
	args     []string
	env      string
	era      string
	revision string
	failing  bool // it has a fault that is an error
}{
	{name: "everything", script: "@modelcontextprotocol/server-everything/dist/index.js", args: []string{"stdio"}, era: "legacy", revision: "2025-11-25"},
	{name: "filesystem", script: "@modelcontextprotocol/server-filesystem/dist/index.js", args: []string{"DIR"}, era: "legacy", revision: "2025-11-25"},
	{name: "memory", script: "@modelcontextprotocol/server-memory/dist/index.js", env: "MEMORY_FILE_PATH=DIR/memory.jsonl", era: "legacy", revision: "2025-11-25"},
	{name: "sequential-thinking", script: "@modelcontextprotocol/server-sequential-thinking/dist/index.js", era: "legacy", revision: "2025-11-25"},
	{name: "github", script: "@modelcontextprotocol/server-github/dist/index.js", era: "legacy", revision: "2024-11-05"},
	{name: "puppeteer", script: "@modelcontextprotocol/server-puppeteer/dist/index.js", era: "legacy", revision: "2024-11-05"},
	{name: "playwright", script: "@playwright/mcp/cli.js", era: "legacy", revision: "2025-11-25"},
	{name: "context7", script: "@upstash/context7-mcp/dist/index.js", era: "modern", revision: "2026-07-28"},
	{name: "notion", script: "@notionhq/notion-mcp-server/bin/cli.mjs", era: "legacy", revision: "2025-11-25"},
	{name: "code-runner", script: "mcp-server-code-runner/dist/cli.js", era: "legacy", revision: "2025-11-25", failing: true}, // prints a banner
	{name: "tavily", script: "tavily-mcp/build/index.js", era: "legacy", revision: "2025-11-25"},
	{name: "firecrawl", script: "firecrawl-mcp/dist/index.js", env: "FIRECRAWL_API_KEY=none", era: "legacy", revision: "2025-06-18"},
}

// probeReport is the object of `probe --json`, as far as these tests look.
type probeReport struct {
	OK   bool
	Runs []struct {
		Asked    *string
		Verdict  string
		Reason   string
		Era      string
		Revision string
		Lists    map[string]struct{ Count int }
		Ping     *struct{ State string }
		End      struct {
			How        string
			LeftBehind string `json:"left_behind"`
		}
		Recordings []string
		Findings   []struct{ Rule, Level, By, Message string }
	}
}

// probe runs the verb and fails when it hangs or leaves processes behind.
func probe(t *testing.T, env []string, args ...string) (probeReport, int) {
	t.Helper()
	mark := "SHAKESCOPE_E2E_MARK=" + t.Name()
	cmd := exec.CommandContext(t.Context(), built(t), append([]string{"probe", "--json"}, args...)...)
	cmd.Env = append(append(os.Environ(), mark), env...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	hang := time.AfterFunc(3*time.Minute, func() { cmd.Process.Kill() })
	out, err := cmd.Output()
	if !hang.Stop() {
		t.Fatalf("the probe hangs\n%s", &stderr)
	}
	code := 0
	var ended *exec.ExitError
	if errors.As(err, &ended) {
		code = ended.ExitCode()
	} else if err != nil {
		t.Fatal(err)
	}
	var r probeReport
	if err := json.Unmarshal(out, &r); err != nil {
		t.Fatalf("exit code %d, %v in %s\n%s", code, err, out, &stderr)
	}
	if left := processesWith(mark); len(left) > 0 {
		t.Errorf("processes are left: %v", left)
	}
	return r, code
}

// processesWith returns the command lines of all processes that have an entry in their environment.
func processesWith(entry string) []string {
	if runtime.GOOS != "linux" {
		return nil
	}
	var found []string
	dirs, _ := filepath.Glob("/proc/[0-9]*")
	for _, dir := range dirs {
		environment, err := os.ReadFile(filepath.Join(dir, "environ"))
		if err != nil || !slices.Contains(strings.Split(string(environment), "\x00"), entry) {
			continue
		}
		words, _ := os.ReadFile(filepath.Join(dir, "cmdline"))
		if len(words) > 0 { // a zombie has none
			found = append(found, strings.ReplaceAll(string(words), "\x00", " "))
		}
	}
	return found
}

// npmScript is a script of a package from npm.
func npmScript(t *testing.T, path string) string {
	t.Helper()
	path, err := filepath.Abs(filepath.Join("npm", "node_modules", filepath.FromSlash(path)))
	if err == nil {
		_, err = os.Stat(path)
	}
	if err != nil {
		absent(t, "%s is not installed; `make e2e` does it", path)
	}
	return path
}

// TestProbe visits popular servers: each in its era, by its revision, with all of its processes gone afterwards.
func TestProbe(t *testing.T) {
	for _, server := range probedServers {
		t.Run(server.name, func(t *testing.T) {
			t.Parallel()
			work := t.TempDir()
			fill := func(s string) string { return strings.ReplaceAll(s, "DIR", work) }
			args := []string{"--", node(t), npmScript(t, server.script)}
			for _, a := range server.args {
				args = append(args, fill(a))
			}
			env := []string{"SHAKESCOPE_DIR=" + t.TempDir(), "HOME=" + work, fill(server.env)}
			// A loaded machine starts these servers slowly.
			r, code := probe(t, env, append([]string{"--timeout", "60s"}, args...)...)
			if len(r.Runs) != 1 {
				t.Fatalf("%d runs", len(r.Runs))
			}
			run := r.Runs[0]
			if run.Verdict != "opened" || run.Era != server.era || run.Revision != server.revision {
				t.Errorf("%s %s, era %q, revision %q; want %q, %q", run.Verdict, run.Reason, run.Era, run.Revision, server.era, server.revision)
			}
			if run.Lists["tools/list"].Count == 0 {
				t.Errorf("no tools: %+v", run.Lists)
			}
			if (run.Ping != nil) != (server.era == "legacy") {
				t.Errorf("ping %+v in the era %s", run.Ping, run.Era)
			}
			if run.End.How == "died" || run.End.LeftBehind != "" {
				t.Errorf("end %+v", run.End)
			}
			if r.OK == server.failing || (code == 1) != server.failing {
				t.Errorf("ok %v, exit code %d; findings %+v", r.OK, code, run.Findings)
			}
			for _, f := range run.Findings {
				if f.By == "client" {
					t.Errorf("said of us: %+v", f)
				}
			}
			// Nothing that we did ourselves is wrong either.
			for _, path := range run.Recordings {
				for _, e := range entries(t, path) {
					for _, f := range e.Findings {
						if f.By == "client" && f.Level != "info" {
							t.Errorf("seq %d: %s: %s", e.Seq, f.Rule, f.Message)
						}
					}
				}
			}
		})
	}
}

// TestProbeOfAllRevisions asks a legacy and a modern server for each.
func TestProbeOfAllRevisions(t *testing.T) {
	for name, want := range map[string]map[string]string{
		"@modelcontextprotocol/server-memory/dist/index.js": {
			"2026-07-28": "refused", "2025-11-25": "2025-11-25", "2025-06-18": "2025-06-18", "2025-03-26": "2025-03-26", "2024-11-05": "2024-11-05",
		},
		"@upstash/context7-mcp/dist/index.js": {
			"2026-07-28": "2026-07-28", "2025-11-25": "2025-11-25", "2025-06-18": "2025-06-18", "2025-03-26": "2025-03-26", "2024-11-05": "2024-11-05",
		},
	} {
		t.Run(strings.Split(name, "/")[1], func(t *testing.T) {
			t.Parallel()
			work := t.TempDir()
			r, code := probe(t, []string{"SHAKESCOPE_DIR=" + t.TempDir(), "MEMORY_FILE_PATH=" + filepath.Join(work, "memory.jsonl")},
				"--revision", "all", "--timeout", "60s", "--", node(t), npmScript(t, name))
			if code != 0 || !r.OK || len(r.Runs) != len(mcpspec.Revisions()) {
				t.Fatalf("exit code %d, ok %v, %d runs", code, r.OK, len(r.Runs))
			}
			got := map[string]string{}
			for _, run := range r.Runs {
				got[*run.Asked] = run.Revision
				if run.Verdict != "opened" {
					got[*run.Asked] = run.Verdict
				}
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("revisions (-want +got):\n%s", diff)
			}
		})
	}
}
