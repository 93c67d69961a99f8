package annotate

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/shakescope/shakescope/recordings"
)

// wired writes lines ("> " of the client, "< " of the server) as a wire log and returns its source.
func wired(t *testing.T, script string) Source {
	t.Helper()
	var b strings.Builder
	for i, line := range strings.Split(strings.TrimSpace(script), "\n") {
		dir := map[string]string{">": "c2s", "<": "s2c"}[line[:1]]
		if dir == "" {
			t.Fatalf("line %q has no direction", line)
		}
		fmt.Fprintf(&b, "{\"t_ms\":%d,\"dir\":%q,\"raw\":%q}\n", i*10, dir, line[2:])
	}
	path := filepath.Join(t.TempDir(), "log.jsonl")
	if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return func() (*recordings.Reader, error) { return recordings.Open(path) }
}

func ledgerOf(t *testing.T, src Source) map[string]LedgerLine {
	t.Helper()
	var l Ledger
	if _, err := Collect(src, func(e *Entry) error { l.Add(e); return nil }); err != nil {
		t.Fatal(err)
	}
	out := map[string]LedgerLine{}
	for _, line := range l.Lines() {
		out[line.Side+":"+line.Path] = line
	}
	return out
}

const legacyTalk = `
> {"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"elicitation":{},"tools":{},"roots":{"listChanged":true},"tasks":{"list":{}}},"clientInfo":{"name":"c","version":"1"}}}
< {"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{"listChanged":true},"prompts":{"listChanged":false},"logging":null,"extensions":{"a.example/x":{}}},"serverInfo":{"name":"s","version":"1"}}}
> {"jsonrpc":"2.0","method":"notifications/initialized"}
> {"jsonrpc":"2.0","id":2,"method":"tools/list"}
< {"jsonrpc":"2.0","id":2,"result":{"tools":[{"name":"t","inputSchema":{"type":"object"}}]}}
> {"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"t"}}
< {"jsonrpc":"2.0","id":9,"method":"elicitation/create","params":{"mode":"form","message":"m","requestedSchema":{"type":"object","properties":{}}}}
> {"jsonrpc":"2.0","id":9,"result":{"action":"decline"}}
< {"jsonrpc":"2.0","id":3,"result":{"content":[]}}
> {"jsonrpc":"2.0","id":4,"method":"resources/list"}
< {"jsonrpc":"2.0","id":4,"error":{"code":-32601,"message":"Method not found"}}`

func TestLedger(t *testing.T) {
	got := ledgerOf(t, wired(t, legacyTalk))
	for _, c := range []struct {
		name               string
		status             Status
		declared           int64
		used, against, unk int64
	}{
		{"server:tools", StatusUsed, 1, 2, 0, 0},
		{"server:tools.listChanged", StatusNeverUsed, 1, 0, 0, 0},
		{"server:prompts", StatusNeverUsed, 1, 0, 0, 0},
		{"server:resources", StatusUndeclared, 0, 0, 1, 0},
		{`server:extensions["a.example/x"]`, StatusNeverUsed, 1, 0, 0, 0},
		{"client:elicitation", StatusUsed, 1, 1, 0, 0},
		{"client:elicitation.form", StatusUsed, 1, 1, 0, 0},
		{"client:roots.listChanged", StatusNeverUsed, 1, 0, 0, 0},
		{"client:tasks", StatusImplied, 1, 0, 0, 0},
		{"client:tools", StatusNeverUsed, 1, 0, 0, 0},
	} {
		l, ok := got[c.name]
		if !ok {
			t.Errorf("%s is missing", c.name)
			continue
		}
		if l.Status() != c.status || l.Declared != c.declared || l.Used != c.used || l.Undeclared != c.against || l.Unknown != c.unk {
			t.Errorf("%s: %s %+v", c.name, l.Status(), l)
		}
	}
	for _, name := range []string{"server:prompts.listChanged", "server:logging"} {
		if _, ok := got[name]; ok {
			t.Errorf("%s counts as declared: false and null declare nothing", name)
		}
	}
	if l := got["client:tools"]; l.Note != "a server's capability: a client offers no tools" {
		t.Errorf("client:tools has the note %q", l.Note)
	}
	if l := got["server:resources"]; len(l.Against) != 1 || l.Against[0] != (Ref{10, NoSub}) {
		t.Errorf("server:resources was used undeclared at %v, want #10", l.Against)
	}
}

// Where the declaration happened in another process nobody can know.
func TestLedgerWithoutDiscover(t *testing.T) {
	const meta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"sampling":{}}}`
	got := ledgerOf(t, wired(t, `
> {"jsonrpc":"2.0","id":1,"method":"tools/list","params":{`+meta+`}}
< {"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","tools":[],"ttlMs":0,"cacheScope":"private"}}
> {"jsonrpc":"2.0","id":2,"method":"tools/list","params":{`+meta+`}}
< {"jsonrpc":"2.0","id":2,"result":{"resultType":"complete","tools":[],"ttlMs":0,"cacheScope":"private"}}`))
	if l := got["server:tools"]; l.Status() != StatusUnknown || l.Unknown != 2 || l.Declared != 0 {
		t.Errorf("server:tools: %s %+v", l.Status(), l)
	}
	if l := got["client:sampling"]; l.Declared != 2 || l.Status() != StatusNeverUsed {
		t.Errorf("client:sampling: %s %+v", l.Status(), l)
	}
}

func TestWithout(t *testing.T) {
	src := wired(t, legacyTalk)
	for _, c := range []struct {
		side, path string
		declared   bool
		count      int64
		rule       string // "" for no new finding
	}{
		{"server", "tools", true, 2, "cap-server-undeclared"},
		{"server", "tools.listChanged", true, 0, ""},
		{"server", "resources", false, 1, ""},
		{"client", "elicitation", true, 1, "cap-client-undeclared"},
		{"client", "elicitation.form", true, 1, "cap-client-undeclared"},
		{"client", "sampling", false, 0, ""},
	} {
		x, err := Without(src, CapabilityName{c.side, c.path})
		if err != nil {
			t.Fatal(err)
		}
		if x.Declared != c.declared || x.Count != c.count {
			t.Errorf("without %s:%s: declared %v, %d messages", c.side, c.path, x.Declared, x.Count)
		}
		found := false
		for _, f := range x.Findings {
			found = found || f.Rule == c.rule
		}
		if found != (c.rule != "") || !found && len(x.Findings) > 0 {
			t.Errorf("without %s:%s: findings %v, want %q", c.side, c.path, x.Findings, c.rule)
		}
	}
}

func TestRemoveMember(t *testing.T) {
	for _, c := range []struct {
		obj  string
		path []string
		want string
		did  bool
	}{
		{`{"a":1,"b":{"c":2,"d":[3, 4]}}`, []string{"b", "c"}, `{"a":1,"b":{"d":[3, 4]}}`, true},
		{`{"a":1}`, []string{"a"}, `{}`, true},
		{`{"a":1}`, []string{"b"}, `{"a":1}`, false},
		{`{"q\"":1,"x":2}`, []string{"x"}, `{"q\"":1}`, true},
	} {
		got, did := removeMember([]byte(c.obj), c.path)
		if string(got) != c.want || did != c.did {
			t.Errorf("removeMember(%s, %v) = %s, %v", c.obj, c.path, got, did)
		}
	}
}

// In the modern era what the server asks of the client stands inside answers, of calls and of tasks.
func TestLedgerOfQuestions(t *testing.T) {
	const asks = `"inputRequests":{"e":{"method":"elicitation/create","params":{"mode":"form","message":"m","requestedSchema":{"type":"object","properties":{}}}},"r":{"method":"roots/list"}}`
	const ext = `"extensions":{"io.modelcontextprotocol/tasks":{}}`
	script := stated("2026-07-28", `{"elicitation":{},"roots":{},"sampling":{}}`, "1", "tools/call", `"name":"t"`) + gives("1", `"resultType":"input_required","requestState":"s",`+asks) +
		stated("2026-07-28", `{"elicitation":{},"roots":{},`+ext+`}`, "2", "tasks/get", `"taskId":"k"`) +
		done("2", `"taskId":"k","status":"input_required","createdAt":"2026-10-01T10:00:00Z","lastUpdatedAt":"2026-10-01T10:00:00Z","ttlMs":null,`+asks) +
		stated("2026-07-28", `{}`, "3", "tools/call", `"name":"t"`) + gives("3", `"resultType":"input_required","requestState":"s",`+asks)
	src := wired(t, script)
	got := ledgerOf(t, src)
	for _, c := range []struct {
		name          string
		status        Status
		used, against int64
	}{
		{"client:elicitation", StatusUndeclared, 2, 1},
		{"client:roots", StatusUndeclared, 2, 1},
		{"client:sampling", StatusNeverUsed, 0, 0},
		{"server:tools", StatusUnknown, 0, 0},
	} {
		if l := got[c.name]; l.Status() != c.status || l.Used != c.used || l.Undeclared != c.against {
			t.Errorf("%s is %s, %d used, %d against the declaration; want %+v", c.name, l.Status(), l.Used, l.Undeclared, c)
		}
	}
	what, err := Without(src, CapabilityName{"client", "roots"})
	if err != nil {
		t.Fatal(err)
	}
	if what.Count != 2 {
		t.Errorf("without roots %d messages lean on something undeclared, want 2: %v", what.Count, what.Messages)
	}
}
