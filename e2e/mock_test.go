package e2e

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestMockToClients records a session of each client with each server, and has the same client talk to a mock of
// that recording: it must get the same answers.
func TestMockToClients(t *testing.T) {
	servers := slices.Clone(npmServers)
	servers = append(servers, struct {
		name  string
		args  []string
		env   string
		calls []call
		holds []string
	}{name: "context7", calls: []call{}}) // of the modern era
	for _, server := range servers {
		for _, client := range clients {
			t.Run(server.name+"/"+client.name, func(t *testing.T) {
				t.Parallel()
				dir, work := t.TempDir(), t.TempDir()
				fill := func(s string) string { return strings.ReplaceAll(s, "DIR", work) }
				env := append(os.Environ(), "SHAKESCOPE_DIR="+dir, fill(server.env))
				script := "@modelcontextprotocol/" + server.name + "/dist/index.js"
				if server.name == "context7" {
					script = "@upstash/context7-mcp/dist/index.js"
				}
				command := []string{built(t), "--", node(t), npmScript(t, script)}
				for _, arg := range server.args {
					command = append(command, fill(arg))
				}
				calls := slices.Clone(server.calls)
				for i := range calls {
					calls[i].Arguments = mapStrings(calls[i].Arguments, fill).(map[string]any)
				}
				real := client.run(t, calls, env, command)
				empty(t, work) // the mock does nothing that the server did
				// At the recorded pace: the TypeScript clients drop progress that they read together with the answer.
				played := client.run(t, calls, env, []string{built(t), "mock", "last", "--pace"})
				if diff := cmp.Diff(decoded(t, real), decoded(t, played)); diff != "" {
					t.Errorf("answers differ (-server +mock):\n%s", diff)
				}
				for _, part := range server.holds {
					if !bytes.Contains(played, []byte(part)) {
						t.Errorf("no %q in the answers:\n%s", part, played)
					}
				}
			})
		}
	}
}

// TestMockToInspector does the same with the command-line client of the MCP Inspector.
func TestMockToInspector(t *testing.T) {
	inspector := npmScript(t, "@modelcontextprotocol/inspector/cli/build/cli.js")
	server := npmScript(t, "@modelcontextprotocol/server-everything/dist/index.js")
	for name, ask := range map[string][]string{
		"tools":     {"--method", "tools/list"},
		"call":      {"--method", "tools/call", "--tool-name", "get-sum", "--tool-arg", "a=2", "--tool-arg", "b=40"},
		"resources": {"--method", "resources/list"},
		"read":      {"--method", "resources/read", "--uri", "demo://resource/static/document/features.md"},
		"prompts":   {"--method", "prompts/get", "--prompt-name", "simple-prompt"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			env := append(os.Environ(), "SHAKESCOPE_DIR="+t.TempDir())
			inspect := func(command ...string) string {
				t.Helper()
				cmd := exec.CommandContext(t.Context(), node(t), append(append([]string{inspector, "--cli"}, command...), ask...)...)
				cmd.Env = env
				cmd.WaitDelay = time.Second
				var stderr bytes.Buffer
				cmd.Stderr = &stderr
				out, err := cmd.Output()
				if err != nil {
					t.Fatalf("%v: %v\n%s%s", command, err, out, &stderr)
				}
				return string(out)
			}
			// The Inspector takes what begins with a dash for its own: a script of ours stands for the command.
			real := inspect(wrapped(t, built(t), "--", node(t), server, "stdio"))
			played := inspect(wrapped(t, built(t), "mock", "last"))
			if diff := cmp.Diff(real, played); diff != "" || len(real) < 20 {
				t.Errorf("what it prints differs (-server +mock):\n%s", diff)
			}
		})
	}
}

// wrapped writes a program that starts a command.
func wrapped(t *testing.T, words ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "server.sh")
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
	}
	if err := os.WriteFile(path, []byte("#!/bin/sh\nexec "+strings.Join(quoted, " ")+"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	return path
}
