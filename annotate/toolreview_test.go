package annotate

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"
)

func reviewOf(t *testing.T, src Source) map[string]ToolAccount {
	t.Helper()
	out := map[string]ToolAccount{}
	for _, a := range reportOf(t, src).Tools {
		out[a.Name] = a
	}
	return out
}

func reportOf(t *testing.T, src Source) *ToolReport {
	t.Helper()
	var r ToolReview
	if _, err := Collect(src, func(e *Entry) error { r.Add(e); return nil }); err != nil {
		t.Fatal(err)
	}
	report := r.Report()
	for i := range report.Tools {
		if raw := report.Tools[i].AppendJSON(nil); !json.Valid(raw) {
			t.Errorf("no JSON: %s", raw)
		}
	}
	if raw := report.AppendSummary(nil); !json.Valid(raw) {
		t.Errorf("no JSON: %s", raw)
	}
	return report
}

const opening = `
> {"jsonrpc":"2.0","id":"i","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}
< {"jsonrpc":"2.0","id":"i","result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{"listChanged":true},"tasks":{"requests":{"tools":{"call":{}}}}},"serverInfo":{"name":"s","version":"1"}}}
> {"jsonrpc":"2.0","method":"notifications/initialized"}`

func TestToolReviewLists(t *testing.T) {
	const a, b, c = `{"name":"a","inputSchema":{"type":"object"}}`, `{"name":"b","inputSchema":{"type":"object"}}`, `{"name":"c","inputSchema":{"type":"object","properties":{}}}`
	list := func(id int, cursor, tools, next string) string {
		params, more := "", ""
		if cursor != "" {
			params = `,"params":{"cursor":"` + cursor + `"}`
		}
		if next != "" {
			more = `,"nextCursor":"` + next + `"`
		}
		return fmt.Sprintf(`> {"jsonrpc":"2.0","id":%d,"method":"tools/list"%s}`+"\n"+`< {"jsonrpc":"2.0","id":%d,"result":{"tools":[%s]%s}}`+"\n", id, params, id, tools, more)
	}
	call := func(id int, name string) string {
		return fmt.Sprintf(`> {"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q}}`+"\n"+`< {"jsonrpc":"2.0","id":%d,"result":{"content":[]}}`+"\n", id, name, id)
	}
	for _, x := range []struct{ name, script, want string }{
		{"one list", list(1, "", a+","+b, "") + call(2, "a") + call(3, "x"), "a listed, b listed, x not_listed"},
		{"pages", list(1, "", a, "2") + list(2, "2", b, ""), "a listed, b listed"},
		{"not to its end", list(1, "", a, "2") + call(2, "x"), "a listed, x unknown"},
		{"no list", call(2, "x"), "x unknown"},
		{"a tool went", list(1, "", a+","+b, "") + list(2, "", b+","+c, ""), "a listed_before, b listed, c listed"},
		{"a tool changed", list(1, "", b, "") + list(2, "", strings.Replace(b, "object", "array", 1), ""), "b listed"},
		{"hostile list", `> {"jsonrpc":"2.0","id":1,"method":"tools/list"}` + "\n" + `< {"jsonrpc":"2.0","id":1,"result":{"tools":[7,null,{},{"name":1},` + a + `]}}` + "\n", "a listed"},
		{"no array", `> {"jsonrpc":"2.0","id":1,"method":"tools/list"}` + "\n" + `< {"jsonrpc":"2.0","id":1,"result":{"tools":{}}}` + "\n", ""},
	} {
		report := reportOf(t, wired(t, opening+"\n"+x.script))
		var got []string
		for _, a := range report.Tools {
			got = append(got, a.Name+" "+string(a.Listed))
		}
		if strings.Join(got, ", ") != x.want {
			t.Errorf("%s: got %q, want %q", x.name, strings.Join(got, ", "), x.want)
		}
		sum, bytes := 0.0, 0
		for _, a := range report.Tools {
			sum += a.Share
			if a.Listed == Listed {
				bytes += a.DefinitionBytes
			}
		}
		if bytes != report.DefinitionBytes || report.Listed > 0 && math.Abs(sum-1) > 1e-9 {
			t.Errorf("%s: shares make %v, %d of %d bytes", x.name, sum, bytes, report.DefinitionBytes)
		}
	}
}

func TestToolReviewUse(t *testing.T) {
	got := reviewOf(t, wired(t, opening+`
> {"jsonrpc":"2.0","id":1,"method":"tools/list"}
< {"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"look","inputSchema":{"type":"object","properties":{"n":{"type":"integer"}},"required":["at"]},"execution":{"taskSupport":"optional"}},{"name":"set_x","inputSchema":{"type":"object"},"annotations":{"idempotentHint":true}}]}}
> {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"look","arguments":{"at":"a"}}}
> {"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"look","arguments":{"n":"x"}}}
> {"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"look","arguments":"{\"at\":1}"}}
> {"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"look","arguments":{"at":"b"}}}
< {"jsonrpc":"2.0","id":2,"result":{"content":[]}}
< {"jsonrpc":"2.0","id":3,"result":{"content":[],"isError":true}}
< {"jsonrpc":"2.0","id":4,"error":{"code":-32602,"message":"no"}}
> {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":5}}
> {"jsonrpc":"2.0","id":6,"method":"tools/call","params":{"name":"look","arguments":{"at":"c"},"task":{"ttl":1000}}}
< {"jsonrpc":"2.0","id":6,"result":{"task":{"taskId":"t1","status":"working","createdAt":"2026-11-30T00:00:00Z","lastUpdatedAt":"2026-11-30T00:00:00Z","ttl":1000}}}
> {"jsonrpc":"2.0","id":7,"method":"tasks/result","params":{"taskId":"t1"}}
< {"jsonrpc":"2.0","id":7,"result":{"content":[{"type":"text","text":"0123456789"}],"isError":true}}
> {"jsonrpc":"2.0","id":8,"method":"tools/call","params":{"name":"set_x","arguments":{}}}
< {"jsonrpc":"2.0","id":8,"result":{"content":[{"type":"text","text":"1"}]}}
> {"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"set_x","arguments":{}}}
< {"jsonrpc":"2.0","id":9,"result":{"content":[{"type":"text","text":"2"}]}}
> {"jsonrpc":"2.0","id":10,"method":"tools/call","params":{"name":"look","arguments":{"at":"c"}}}`))
	look := got["look"]
	if u := look.ToolUse; u.Calls != 6 || u.ToolErrors != 2 || u.ProtocolErrors != 1 || u.Cancelled != 1 || u.Unanswered != 1 {
		t.Errorf("use of look: %+v", u)
	}
	if r := look.Result; r.N != 3 || r.Median != int64(len(`{"content":[],"isError":true}`)) || r.Max != int64(len(`{"content":[{"type":"text","text":"0123456789"}],"isError":true}`)) {
		t.Errorf("results of look: %+v", r)
	}
	if look.Latency.N != 4 {
		t.Errorf("latencies of look: %+v", look.Latency)
	}
	var wrong []string
	for _, m := range look.Misfits {
		wrong = append(wrong, fmt.Sprintf("%s %s %s %d", m.Rule, m.Pointer, m.Keyword, m.Count))
	}
	for _, want := range []string{"call-args-schema /n type 1", "call-args-not-object   1"} {
		if !strings.Contains(strings.Join(wrong, "\n"), want) {
			t.Errorf("no %q in %q", want, wrong)
		}
	}
	if a := got["set_x"].Idempotency; a.Answer != No || !strings.Contains(a.Reason, "in this recording") {
		t.Errorf("set_x: %+v", a)
	}
}

// A call that asks for more input is repeated; each round counts, and only the last has a result.
func TestToolReviewRounds(t *testing.T) {
	meta := `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"c","version":"1"},"io.modelcontextprotocol/clientCapabilities":{"elicitation":{"form":{}}}}`
	got := reviewOf(t, wired(t, `
> {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"ask","arguments":{},`+meta+`}}
< {"jsonrpc":"2.0","id":1,"result":{"resultType":"input_required","inputRequests":{"q":{"method":"elicitation/create","params":{"mode":"form","message":"m","requestedSchema":{"type":"object","properties":{}}}}},"requestState":"s"}}
> {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"ask","arguments":{},"inputResponses":{"q":{"action":"decline"}},"requestState":"s",`+meta+`}}
< {"jsonrpc":"2.0","id":2,"result":{"resultType":"complete","content":[]}}`))["ask"]
	if got.Calls != 2 || got.InputRequired != 1 || got.Result.N != 1 || got.Unanswered != 0 {
		t.Errorf("got %+v", got.ToolUse)
	}
}

func TestContract(t *testing.T) {
	field := func(c Contract, name string) ContractField {
		for _, f := range c.Fields {
			if f.Name == name {
				return f
			}
		}
		t.Fatalf("no field %s", name)
		return ContractField{}
	}
	for _, c := range []struct {
		field string
		want  float64
		tool  string // of the form of defined, or JSON
	}{
		{"name", 1, "files.read | |"},
		{"name", 1, "files_read | |"},
		{"name", 1, "get_user | |"},
		{"name", 1, "getUser | |"},
		{"name", 0.5, "read | |"},
		{"name", 0.5, "user_profile_thing | |"},
		{"name", 0, "get user | |"},
		{"name", 0, "größe_get | |"},
		{"name", 0, strings.Repeat("get_", 33) + " | |"},
		{"description", 0, "get_x | |"},
		{"description", 0, "get_x | Get X. |"},
		{"description", 0.5, "get_x | Gets something |"},
		{"description", 1, "get_x | Gets the X of a Y, or nothing where there is none. |"},
		{"category", 0, "get_x | |"},
		{"category", 1, "files.get | |"},
		{"category", 1, `{"name":"get_x","_meta":{"com.example/category":"files"}}`},
		{"category", 1, `{"name":"get_x","_meta":{"acme/contract":{"Category":"files"}}}`},
		{"category", 0, `{"name":"get_x","_meta":{"com.example/category":null}}`},
		{"risk", 0, "get_x | |"},
		{"risk", 1, "get_x | | | R"},
		{"risk", 0.5, "set_x | | | r"},
		{"risk", 1, "set_x | | | rd"},
		{"risk", 0, "delete_x | | | R"},
		{"risk", 1, `{"name":"set_x","_meta":{"acme/risk_level":"high"}}`},
		{"autonomous execution", 0, "set_x | |"},
		{"autonomous execution", 0.5, "get_x | | | R"},
		{"autonomous execution", 1, "set_x | Sets X. Requires user approval. |"},
		{"autonomous execution", 0, "set_x | Sets X. Never requires user approval. |"},
		{"autonomous execution", 1, `{"name":"set_x","_meta":{"acme/autonomousExecution":false}}`},
		{"confirmation", 1, "get_x | | | R"},
		{"confirmation", 0, "delete_x | |"},
		{"confirmation", 1, "delete_x | | dryRun:boolean"},
		{"confirmation", 1, "delete_x | Deletes X after a confirmation. |"},
		{"step-up auth", 1, "set_x | |"},
		{"step-up auth", 0, "delete_x | |"},
		{"step-up auth", 1, "delete_x | Deletes X. Asks for MFA. |"},
		{"input schema", 0, `{"name":"x"}`},
		{"input schema", 0, `{"name":"x","inputSchema":{"type":"array"}}`},
		{"input schema", 0.5, `{"name":"x","inputSchema":{"type":"object","properties":{"a":{"description":"d"}}}}`},
		{"input schema", 0.5, `{"name":"x","inputSchema":{"type":"object","properties":{"a":{"type":"string"}}}}`},
		{"input schema", 1, `{"name":"x","inputSchema":{"type":"object","properties":{"a":{"type":"string","description":"d"}}}}`},
		{"input schema", 1, `{"name":"x","inputSchema":{"type":"object"}}`},
		{"output schema", 0, "get_x | |"},
		{"output schema", 0.5, "get_x | Returns X |"},
		{"output schema", 1, `{"name":"x","outputSchema":{"type":"object"}}`},
		{"permissions", 0, "get_x | Gets X |"},
		{"permissions", 0, "get_x | Gets the scope of X |"},
		{"permissions", 1, "get_x | Gets X. Requires the repo scope. |"},
		{"permissions", 1, `{"name":"x","_meta":{"acme/requiredScopes":["a"]}}`},
		{"side effects", 0, "frobnicate | |"},
		{"side effects", 0.5, "set_x | |"},
		{"side effects", 0.5, "set_x | | | r"},
		{"side effects", 1, "set_x | | | rdi"},
		{"side effects", 1, "get_x | | | R"},
		{"audit event", 0, "set_x | |"},
		{"audit event", 1, "set_x | Sets X. Writes an audit event. |"},
		{"audit event", 1, `{"name":"x","_meta":{"acme/audit-event":"x.set"}}`},
		{"failure modes", 0, "get_x | Gets the errors of X |"},
		{"failure modes", 1, "get_x | Gets X. Fails if there is none. |"},
		{"failure modes", 1, `{"name":"x","_meta":{"acme/errors":["gone"]}}`},
	} {
		def := defined(c.tool)
		if strings.HasPrefix(c.tool, "{") {
			def = readTool([]byte(c.tool))
		}
		tr := traitsOf(def)
		contract := contractOf(tr, riskOf(tr), &ToolAccount{}, nil)
		f := field(contract, c.field)
		if f.Score != c.want || f.Reason == "" || f.Score < 1 && f.Add == "" {
			t.Errorf("%s of %s: got %+v, want %v", c.field, c.tool, f, c.want)
		}
		if len(contract.Fields) != 13 || contract.Score < 0 || contract.Score > 13 {
			t.Errorf("%s: %d fields, score %v", c.tool, len(contract.Fields), contract.Score)
		}
	}
	tr := traitsOf(defined("get_x | |"))
	if f := field(contractOf(tr, riskOf(tr), &ToolAccount{ToolUse: ToolUse{ToolErrors: 1}}, nil), "failure modes"); f.Score != 0.5 {
		t.Errorf("failures that were seen: %+v", f)
	}
	if f := field(contractOf(traitsOf(defined("git_x | |")), Risk{}, &ToolAccount{}, map[string]int{"git": 3}), "category"); f.Score != 0.5 {
		t.Errorf("a shared first word: %+v", f)
	}
}
