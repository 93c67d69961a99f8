package e2e

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// toolsReport is the part of `tools --json` that the tests look at.
type toolsReport struct {
	Summary struct {
		Listed int            `json:"listed"`
		Tokens int            `json:"tokens_approx"`
		Bytes  int            `json:"definition_bytes"`
		Risk   map[string]int `json:"risk"`
	} `json:"summary"`
	Tools []struct {
		Name           string `json:"name"`
		Calls          int    `json:"calls"`
		ToolErrors     int    `json:"tool_errors"`
		ProtocolErrors int    `json:"protocol_errors"`
		Cancelled      int    `json:"cancelled"`
		Unanswered     int    `json:"unanswered"`
		InputRequired  int    `json:"input_required"`
		Latency        struct {
			N int `json:"n"`
		} `json:"latency_ms"`
		Bytes int `json:"definition_bytes"`
		Risk  struct {
			Class   string   `json:"class"`
			Reasons []string `json:"reasons"`
		} `json:"risk"`
		Idempotent struct {
			Answer string `json:"answer"`
		} `json:"idempotent"`
		Contract struct {
			Score float64 `json:"score"`
		} `json:"contract"`
	} `json:"tools"`
}

func toolReview(t *testing.T, file string) *toolsReport {
	t.Helper()
	var r toolsReport
	if err := json.Unmarshal(shakescope(t, "tools", file, "--json", "--sort", "listed"), &r); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	return &r
}

// definition is a tool that a real server listed.
type definition struct {
	Server string          `json:"server"`
	Tool   json.RawMessage `json:"tool"`
	name   string
}

func definitions(t *testing.T) []definition {
	t.Helper()
	f, err := os.Open(filepath.Join(transcripts(t), "tools.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var out []definition
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		var d definition
		var named struct{ Name string }
		if err := json.Unmarshal(lines.Bytes(), &d); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(d.Tool, &named); err != nil {
			t.Fatal(err)
		}
		d.name = named.Name
		out = append(out, d)
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return out
}

// listing writes a wire log in which the tools are listed, a hundred a page.
func listing(t *testing.T, tools []json.RawMessage) string {
	t.Helper()
	var b strings.Builder
	ms := 0
	add := func(dir, raw string) {
		ms++
		fmt.Fprintf(&b, "{\"t_ms\":%d,\"dir\":%q,\"raw\":%s}\n", ms, dir, quoted(t, raw))
	}
	const page = 100
	for i := 0; i*page < len(tools); i++ {
		params, next := "{}", ""
		if i > 0 {
			params = fmt.Sprintf(`{"cursor":"%d"}`, i)
		}
		end := min((i+1)*page, len(tools))
		if end < len(tools) {
			next = fmt.Sprintf(`,"nextCursor":"%d"`, i+1)
		}
		list, err := json.Marshal(tools[i*page : end])
		if err != nil {
			t.Fatal(err)
		}
		add("c2s", fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/list","params":%s}`, i+1, params))
		add("s2c", fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{"tools":%s%s}}`, i+1, list, next))
	}
	path := filepath.Join(t.TempDir(), "list.wire.jsonl")
	if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func quoted(t *testing.T, s string) []byte {
	t.Helper()
	raw, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// All definitions of real servers in one list: each is judged, and none of the classes is the answer to everything.
// How long it took is logged; the bar is a second.
func TestToolsOfRealServers(t *testing.T) {
	var tools []json.RawMessage
	seen := map[string]int{}
	for _, d := range definitions(t) {
		var def map[string]json.RawMessage
		if err := json.Unmarshal(d.Tool, &def); err != nil {
			t.Fatal(err)
		}
		// One list has no name twice.
		if seen[d.name]++; seen[d.name] > 1 {
			def["name"] = quoted(t, fmt.Sprintf("%s_%d", d.name, seen[d.name]))
		}
		raw, err := json.Marshal(def)
		if err != nil {
			t.Fatal(err)
		}
		tools = append(tools, raw)
	}
	file := listing(t, tools)
	built(t)
	start := time.Now()
	r := toolReview(t, file)
	t.Logf("%d tools reviewed in %v", len(r.Tools), time.Since(start))
	if len(r.Tools) != len(tools) || r.Summary.Listed != len(tools) {
		t.Fatalf("%d tools reviewed, %d of them listed, want %d", len(r.Tools), r.Summary.Listed, len(tools))
	}
	bytes := 0
	for _, tool := range r.Tools {
		bytes += tool.Bytes
		if len(tool.Risk.Reasons) == 0 {
			t.Errorf("%s: %s without a reason", tool.Name, tool.Risk.Class)
		}
	}
	if bytes != r.Summary.Bytes || r.Summary.Tokens != (bytes+3)/4 {
		t.Errorf("%d bytes in the tools, %d and %d tokens in the summary", bytes, r.Summary.Bytes, r.Summary.Tokens)
	}
	risk := r.Summary.Risk
	t.Logf("risk: %v", risk)
	if n := len(tools); risk["forbidden"] > 0 || risk["critical"] > n/20 || risk["low"] < n/4 || risk["high"] < n/50 || risk["medium"] > n/2 {
		t.Errorf("risk: %v of %d", risk, n)
	}
}

// What a person judged of some of them.
func TestToolSample(t *testing.T) {
	byName := map[string]json.RawMessage{}
	for _, d := range definitions(t) {
		byName[d.Server+"\t"+d.name] = d.Tool
	}
	raw, err := os.ReadFile("testdata/tool-sample.txt")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for line := range strings.Lines(string(raw)) {
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if strings.HasPrefix(line, "#") {
			continue
		}
		def := byName[f[0]+"\t"+f[1]]
		if len(f) != 5 || def == nil {
			t.Errorf("no such tool: %q", line)
			continue
		}
		n++
		r := toolReview(t, listing(t, []json.RawMessage{def}))
		tool := r.Tools[0]
		got := []string{f[0], tool.Name, tool.Risk.Class, tool.Idempotent.Answer, f[4]}
		if f[4] != "-" {
			got[4] = fmt.Sprint(tool.Contract.Score)
		}
		if diff := cmp.Diff(f, got); diff != "" {
			t.Errorf("%s (-judged +computed):\n%s%s", f[1], diff, strings.Join(tool.Risk.Reasons, "; "))
		}
	}
	if n < 30 {
		t.Errorf("a sample of %d", n)
	}
}

// Calls by tool, as an independent program counted them in recorded sessions.
func TestToolsAgainstOracle(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(transcripts(t), "*.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	type counts struct{ Calls, ToolErrors, Errors, InputRequired, Open int }
	compared, calls := 0, 0
	for _, file := range files {
		raw, err := os.ReadFile(filepath.Join(filepath.Dir(file), "oracle", strings.TrimSuffix(filepath.Base(file), ".jsonl")+".json"))
		if err != nil {
			continue
		}
		var oracle statsOracle
		if err := json.Unmarshal(raw, &oracle); err != nil {
			t.Fatal(err)
		}
		want := map[string]counts{}
		for _, row := range oracle.List {
			var dir, method, tool, outcome string
			for i, into := range map[int]*string{1: &dir, 3: &method, 4: &tool, 7: &outcome} {
				_ = json.Unmarshal(row[i], into) // null stays ""
			}
			if dir != "c2s" || method != "tools/call" {
				continue
			}
			c := want[tool]
			c.Calls++
			switch outcome {
			case "isError":
				c.ToolErrors++
			case "error":
				c.Errors++
			case "input_required":
				c.InputRequired++
			case "unanswered":
				c.Open++
			}
			want[tool] = c
			calls++
		}
		got := map[string]counts{}
		for _, tool := range toolReview(t, file).Tools {
			if tool.Calls > 0 {
				got[tool.Name] = counts{tool.Calls, tool.ToolErrors, tool.ProtocolErrors, tool.InputRequired, tool.Cancelled + tool.Unanswered}
			}
		}
		compared++
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-oracle +shakescope):\n%s", filepath.Base(file), diff)
		}
	}
	t.Logf("%d sessions, %d calls", compared, calls)
	if calls == 0 {
		t.Error("nothing was compared")
	}
}
