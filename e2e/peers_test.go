package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// npmServers are the servers from npm with the calls that every client makes. DIR stands for a folder
// of the test.
var npmServers = []struct {
	name  string
	args  []string
	env   string
	calls []call
	holds []string // must be among the answers: the calls were really made
}{
	{
		name: "server-everything",
		args: []string{"stdio"},
		calls: []call{
			{Name: "echo", Arguments: map[string]any{"message": "héllo\u2028\U0001F6F0 \"quoted\""}},
			{Name: "get-sum", Arguments: map[string]any{"a": 2, "b": 40}},
			{Name: "get-structured-content", Arguments: map[string]any{"location": "Chicago"}},
			{Name: "get-tiny-image", Arguments: map[string]any{}},
			{Name: "get-env", Arguments: map[string]any{}},
			{Name: "trigger-long-running-operation", Arguments: map[string]any{"duration": 0.3, "steps": 3}, Steps: true},
			{Name: "no-such-tool", Arguments: map[string]any{}},
		},
		holds: []string{"The sum of 2 and 40 is 42.", "no-such-tool", `"total":3`},
	},
	{
		name: "server-filesystem",
		args: []string{"DIR"},
		calls: []call{
			{Name: "list_allowed_directories", Arguments: map[string]any{}},
			{Name: "write_file", Arguments: map[string]any{"path": "DIR/log.txt", "content": "first line\r\nsecond – line\n"}},
			{Name: "read_text_file", Arguments: map[string]any{"path": "DIR/log.txt"}},
			{Name: "list_directory", Arguments: map[string]any{"path": "DIR"}},
			{Name: "read_text_file", Arguments: map[string]any{"path": "DIR/not-there.txt"}},
			{Name: "read_text_file", Arguments: map[string]any{"path": "/outside.txt"}},
		},
		holds: []string{"second – line", "[FILE] log.txt", "denied"},
	},
	{
		name: "server-memory",
		env:  "MEMORY_FILE_PATH=DIR/memory.jsonl",
		calls: []call{
			{Name: "create_entities", Arguments: map[string]any{"entities": []any{map[string]any{"name": "Avocet", "entityType": "ship", "observations": []any{"draught 3.2 m"}}}}},
			{Name: "search_nodes", Arguments: map[string]any{"query": "draught"}},
			{Name: "read_graph", Arguments: map[string]any{}},
		},
		holds: []string{"draught 3.2 m"},
	},
}

// call is one call of a tool. Steps asks for progress.
type call struct {
	Name      string         `json:"name"`
	Arguments map[string]any `json:"arguments"`
	Steps     bool           `json:"steps,omitempty"`
}

// clients make the calls on the server that command starts and return the answers as JSON.
var clients = []struct {
	name string
	runs int // of the server
	run  func(t *testing.T, calls []call, env, command []string) []byte
}{
	{"go-sdk", 1, goClient},
	{"sdk-v1", 1, typeScriptClient("v1")},
	{"client-v2", 1, typeScriptClient("v2")},
	{"client-v2-auto", 2, typeScriptClient("v2-auto")},
}

// TestSameAnswersWithAndWithout is the point of it all: nobody can tell that shakescope is there.
func TestSameAnswersWithAndWithout(t *testing.T) {
	for _, server := range npmServers {
		for _, client := range clients {
			t.Run(server.name+"/"+client.name, func(t *testing.T) {
				t.Parallel()
				script := npmServer(t, server.name)
				recordings, work := t.TempDir(), t.TempDir()
				fill := func(s string) string { return strings.ReplaceAll(s, "DIR", work) }
				// The same environment for both runs: one of the tools prints it.
				env := append(os.Environ(), "SHAKESCOPE_DIR="+recordings, fill(server.env))
				command := []string{node(t), script}
				for _, arg := range server.args {
					command = append(command, fill(arg))
				}
				calls := slices.Clone(server.calls)
				for i := range calls {
					calls[i].Arguments = mapStrings(calls[i].Arguments, fill).(map[string]any)
				}

				without := client.run(t, calls, env, command)
				empty(t, work)
				with := client.run(t, calls, env, append([]string{built(t), "--"}, command...))

				if diff := cmp.Diff(decoded(t, without), decoded(t, with)); diff != "" {
					t.Errorf("answers differ (-without shakescope +with):\n%s", diff)
				}
				for _, part := range server.holds {
					if !bytes.Contains(with, []byte(part)) {
						t.Errorf("no %q in the answers:\n%s", part, with)
					}
				}
				checkRecordings(t, recordings, client.runs, len(calls))
			})
		}
	}
}

// checkRecordings looks at what the session left: the given number of recordings, each whole, the last
// one with every call answered, and every message labelled.
func checkRecordings(t *testing.T, dir string, runs, calls int) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.jsonl"))
	if err != nil || len(files) != runs {
		t.Fatalf("%d recordings %v, want %d (%v)", len(files), files, runs, err)
	}
	answered := 0
	for _, file := range files {
		var v struct {
			Whole    bool
			Sentence string
		}
		if err := json.Unmarshal(shakescope(t, "verify", file, "--json"), &v); err != nil || !v.Whole {
			t.Errorf("%s is not whole: %s (%v)", file, v.Sentence, err)
		}
		for _, e := range entries(t, file) {
			if e.message() && (e.Group == "" || e.Phase == "") {
				t.Errorf("without group or phase: %+v", e)
			}
			if e.Kind == "response" && e.Method == "tools/call" {
				answered++
				if len(e.Pair) == 0 || e.LatencyMS == nil || e.Primitive != "tools" {
					t.Errorf("answer without pair, latency or primitive: %+v", e)
				}
			}
			for _, f := range e.Findings {
				if f.Level == "error" && f.By != "server" {
					t.Errorf("seq %d: %s, said of the %s: %s", e.Seq, f.Rule, f.By, f.Message)
				}
			}
		}
	}
	// A call that fails is answered with a result of isError by these servers, or with an error.
	if answered < calls-1 {
		t.Errorf("%d answers to tools/call, want those of %d calls", answered, calls)
	}
}

// entry is one line of `show --json`, as far as these tests look.
type entry struct {
	Seq       int64
	From      string
	Stream    string
	Kind      string
	Method    string
	Primitive string
	Group     string
	Phase     string
	Pair      json.RawMessage
	State     string
	LatencyMS *float64 `json:"latency_ms"`
	Text      string
	Event     struct{ Name string }
	Findings  []struct{ Rule, Level, By, Message string }
}

func (e *entry) message() bool {
	return slices.Contains([]string{"request", "notification", "response", "error"}, e.Kind)
}

// entries are all of a recording's.
func entries(t *testing.T, file string) []entry {
	t.Helper()
	var all []entry
	for d := json.NewDecoder(bytes.NewReader(shakescope(t, "show", file, "--json"))); d.More(); {
		var e entry
		if err := d.Decode(&e); err != nil {
			t.Fatal(err)
		}
		all = append(all, e)
	}
	return all
}

// answers is what the clients print.
type answers struct {
	Server any   `json:"server"`
	Tools  any   `json:"tools"`
	Calls  []any `json:"calls"`
}

func goClient(t *testing.T, calls []call, env, command []string) []byte {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	progress := make(chan *mcp.ProgressNotificationParams, 100)
	client := mcp.NewClient(&mcp.Implementation{Name: "e2e-go", Version: "1.0.0"}, &mcp.ClientOptions{
		ProgressNotificationHandler: func(_ context.Context, r *mcp.ProgressNotificationClientRequest) { progress <- r.Params },
	})
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Env = env
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	session, err := client.Connect(ctx, &mcp.CommandTransport{Command: cmd, TerminateDuration: time.Second}, nil)
	if err != nil {
		t.Fatalf("connecting: %v\n%s", err, &stderr)
	}
	got := answers{Server: session.InitializeResult().ServerInfo}
	for _, c := range calls {
		params := &mcp.CallToolParams{Name: c.Name, Arguments: c.Arguments}
		if c.Steps {
			params.SetProgressToken("steps")
		}
		result, err := session.CallTool(ctx, params)
		answer := map[string]any{"result": result}
		if err != nil {
			answer = map[string]any{"message": err.Error()}
		}
		if c.Steps {
			answer["progress"] = <-progress // the first one: the last may come after the answer
		}
		got.Calls = append(got.Calls, answer)
	}
	tools, err := session.ListTools(ctx, nil)
	if err != nil {
		t.Fatalf("tools/list: %v\n%s", err, &stderr)
	}
	got.Tools = tools.Tools
	// server-everything does not go by itself and gets SIGTERM: a signal without shakescope, 128+15 with.
	if err := session.Close(); err != nil && !strings.Contains(err.Error(), "terminated") && !strings.Contains(err.Error(), "143") {
		t.Errorf("closing: %v\n%s", err, &stderr)
	}
	b, err := json.Marshal(got)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func typeScriptClient(line string) func(*testing.T, []call, []string, []string) []byte {
	return func(t *testing.T, calls []call, env, command []string) []byte {
		t.Helper()
		plan, err := json.Marshal(calls)
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		cmd := exec.CommandContext(ctx, node(t), append([]string{filepath.Join("npm", "client.mjs"), line, string(plan)}, command...)...)
		cmd.Env = env
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("client %s: %v\n%s", line, err, &stderr)
		}
		return out
	}
}

// node is the path of the program that runs the npm peers.
func node(t *testing.T) string {
	t.Helper()
	path, err := exec.LookPath("node")
	if err != nil {
		absent(t, "the npm peers need node: %v", err)
	}
	return path
}

// npmServer is the script of a server from npm.
func npmServer(t *testing.T, name string) string {
	t.Helper()
	path, err := filepath.Abs(filepath.Join("npm", "node_modules", "@modelcontextprotocol", name, "dist", "index.js"))
	if err == nil {
		_, err = os.Stat(path)
	}
	if err != nil {
		absent(t, "%s is not installed; `make e2e` does it", name)
	}
	return path
}

// volatile is what differs from run to run without shakescope as well.
var volatile = regexp.MustCompile(`Completed in [0-9.]+ ?m?s`)

func decoded(t *testing.T, b []byte) any {
	t.Helper()
	var v any
	if err := json.Unmarshal(volatile.ReplaceAll(b, nil), &v); err != nil {
		t.Fatalf("%v in %s", err, b)
	}
	return v
}

func mapStrings(v any, f func(string) string) any {
	switch v := v.(type) {
	case string:
		return f(v)
	case map[string]any:
		m := map[string]any{}
		for k, e := range v {
			m[k] = mapStrings(e, f)
		}
		return m
	case []any:
		l := slices.Clone(v)
		for i := range l {
			l[i] = mapStrings(l[i], f)
		}
		return l
	}
	return v
}

func empty(t *testing.T, dir string) {
	t.Helper()
	found, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range found {
		if err := os.RemoveAll(filepath.Join(dir, f.Name())); err != nil {
			t.Fatal(err)
		}
	}
}

// TestHandshakeByHand pipes three lines into the wrapped server, as one does at a shell.
func TestHandshakeByHand(t *testing.T) {
	script := npmServer(t, "server-everything")
	dir := t.TempDir()
	cmd := exec.Command(built(t), "--", node(t), script, "stdio")
	cmd.Env = append(os.Environ(), "SHAKESCOPE_DIR="+dir)
	cmd.Stdin = strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"printf","version":"0"}}}` + "\n" +
		`{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n" +
		`{"jsonrpc":"2.0","id":2,"method":"tools/list"}` + "\n")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, &stderr)
	}
	ids := map[string]bool{}
	for d := json.NewDecoder(bytes.NewReader(out)); d.More(); {
		var m struct {
			ID     json.RawMessage
			Result json.RawMessage
		}
		if err := d.Decode(&m); err != nil {
			t.Fatal(err)
		}
		if len(m.Result) > 0 {
			ids[string(m.ID)] = true
		}
	}
	if !ids["1"] || !ids["2"] {
		t.Errorf("answers to %v, want 1 and 2:\n%s", ids, out)
	}

	files, _ := filepath.Glob(filepath.Join(dir, "*.jsonl"))
	if len(files) != 1 {
		t.Fatalf("recordings: %v", files)
	}
	// The server adds a change notice of its own accord; the log is read without it.
	var log []string
	for _, e := range entries(t, files[0]) {
		if e.message() && !(e.From == "server" && e.Kind == "notification") {
			log = append(log, fmt.Sprintf("%s %s %s", e.Phase, e.Kind, e.Method))
		}
	}
	want := []string{
		"initialization request initialize",
		"initialization response initialize",
		"initialization notification notifications/initialized",
		"operation request tools/list",
		"operation response tools/list",
	}
	// All three lines are there at once: which of them the first answer finds before it is open.
	slices.Sort(log)
	slices.Sort(want)
	if diff := cmp.Diff(want, log); diff != "" {
		t.Errorf("log (-want +got):\n%s", diff)
	}
}
