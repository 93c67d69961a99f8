package annotate

import (
	"strings"
	"testing"
)

// What a rule says of one kind of message it says of the others that it looks at: of notices as of requests, of arrays
// as of single messages, of a question inside a modern result as of a request.
func TestRulesInEveryPlace(t *testing.T) {
	c := func(name, script, want string) ruleCase {
		return ruleCase{name: name, script: script, want: []string{want}}
	}
	notice := func(members string) string {
		return fromClient(`"method":"notifications/roots/list_changed",` + members)
	}
	old := opened("2025-03-26", "{}", `{"tools":{}}`)
	long := strings.Repeat("x", 10<<20)
	taskCaps := opened("2025-11-25", "{}", `{"tools":{},"tasks":{"requests":{"tools":{"call":{}}}}}`)
	runRuleCases(t, []ruleCase{
		c("space after an array", old+`> [{"jsonrpc":"2.0","id":1,"method":"ping"}] `+"\n", "info trailing-space by client #4"),
		c("a big array", old+`< [{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"`+long+`"}}]`+"\n", "warning oversize-message by server #4"),
		c("a big line that is no message", session+"< "+long+"x\n", "warning oversize-message by server #4"),
		c("big token in a notice", session+progressOf("90071992547409930", `"progress":1`), "info json-number-precision by server #4"),
		c("big time of a task", taskCaps+fromClient(`"id":1,"method":"tools/call","params":{"name":"x","task":{}}`)+
			fromServer(`"id":1,"result":{"task":{"taskId":"T","status":"working","ttl":90071992547409930}}`), "info json-number-precision by server #5 ttl"),
		c("notice and answer", session+notice(`"result":{}`), "error method-with-result by client #4"),
		c("notice without a name", session+fromClient(`"method":""`), "error method-type by client #4"),
		c("notice with params by position", session+notice(`"params":[1]`), "error params-not-object by client #4"),
		c("reserved notice", session+fromClient(`"method":"rpc.x"`), "warning rpc-reserved-method by client #4"),
		c("initialize in an array, before there were any", `> [{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2024-11-05","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}]`+"\n",
			"warning batch-in-2024-11-05 by client #1"),
		c("the server gives up its question", opened("2025-11-25", `{"roots":{}}`, `{}`)+fromServer(`"id":1,"method":"roots/list"`)+"+ 30000\n"+
			fromServer(`"method":"notifications/cancelled","params":{"requestId":1}`), "warning request-unanswered by client #4"),
		c("initialize as a notice of the server", session+fromServer(`"method":"initialize","params":{}`), "error initialize-from-server by server #4"),
		c("a stray line held back until the end of input", ping+"+ 6000\n@ client_closed_stdin\n< flushed at last\n", "warning output-after-stdin-close by server #3"),
		c("an array held back until the end of input", ping+"+ 6000\n@ client_closed_stdin\n"+`< [{"jsonrpc":"2.0","id":7,"result":{}}]`+"\n", "warning output-after-stdin-close by server #3"),
		c("key of a notice", session+notice(`"params":{"_meta":{"-x/y":1}}`), "error meta-key-format by client #4"),
		c("reserved key of a notice", session+notice(`"params":{"_meta":{"io.modelcontextprotocol/mine":1}}`), "warning ext-reserved-prefix by client #4"),
		c("notice of a later revision", opened("2024-11-05", "{}", "{}")+fromServer(`"method":"notifications/elicitation/complete","params":{"elicitationId":"e"}`), "error method-not-in-revision by server #4"),
		c("notice for a page", session+fromServer(`"method":"ui/notifications/initialized"`), "error ui-method-on-mcp-link by server #4"),
		c("params of a notice", session+fromServer(`"method":"notifications/message","params":{"data":1}`), "error schema-params by server #4 level"),
		c("null in a request", session+fromClient(`"id":1,"method":"tools/list","params":{"cursor":null}`), "error null-optional-member by client #4 /params/cursor"),
		c("null in a notice", session+fromServer(`"method":"notifications/message","params":{"level":"info","data":1,"logger":null}`), "error null-optional-member by server #4 /params/logger"),
		c("URI of a notice", opened("2025-11-25", "{}", `{"resources":{"subscribe":true}}`)+fromServer(`"method":"notifications/resources/updated","params":{"uri":"not a uri"}`), "error resource-uri-invalid by server #4"),
	})

	// Content that a server asks a model about.
	sampled := func(revision, block string) string {
		return opened(revision, `{"sampling":{}}`, `{}`) + fromServer(`"id":1,"method":"sampling/createMessage","params":{"maxTokens":1,"messages":[{"role":"user","content":`+block+`}]}`)
	}
	runRuleCases(t, []ruleCase{
		c("unknown block of a question", sampled("2025-11-25", `{"type":"video"}`), "error content-type-unknown by server #4"),
		c("early block of a question", sampled("2024-11-05", `{"type":"audio","data":"AAAA","mimeType":"audio/wav"}`), "error content-type-too-new by server #4"),
		c("picture of a question", sampled("2025-11-25", `{"type":"image","data":"AAAA"}`), "error content-media-fields by server #4 mimeType"),
		c("text of a question", sampled("2025-11-25", `{"type":"text","text":null}`), "error content-null-text by server #4"),
		c("resource of a question", sampled("2025-11-25", `{"type":"tool_result","toolUseId":"a","content":[{"type":"resource","resource":{"text":"x"}}]}`), "error content-resource-shape by server #4 uri"),
		c("annotations of a question", sampled("2025-11-25", `{"type":"text","text":"x","annotations":{"priority":7}}`), "error annotation-range by server #4"),
	})

	// Questions inside the results of the modern era.
	asked := func(caps, method, params string) string {
		return stated("2026-07-28", caps, "1", "tools/call", `"name":"x"`) +
			gives("1", `"resultType":"input_required","requestState":"s","inputRequests":{"k":{"method":"`+method+`","params":`+params+`}}`)
	}
	ask := func(messages, more string) string {
		return asked(`{"sampling":{"tools":{}}}`, "sampling/createMessage", `{"maxTokens":1,"messages":[`+messages+`]`+more+`}`)
	}
	form := func(properties, more string) string {
		return asked(`{"elicitation":{"form":{}}}`, "elicitation/create", `{"message":"m","requestedSchema":{"type":"object","properties":{`+properties+`}`+more+`}}`)
	}
	const use = `{"role":"assistant","content":{"type":"tool_use","id":"a","name":"t","input":{}}}`
	const result = `{"type":"tool_result","toolUseId":"a","content":[]}`
	runRuleCases(t, []ruleCase{
		c("priority", ask("", `,"modelPreferences":{"speedPriority":2}`), "error sampling-preference-range by server #2"),
		c("result beside text", ask(use+`,{"role":"user","content":[`+result+`,{"type":"text","text":"x"}]}`, ""), "error sampling-mixed-tool-result by server #2"),
		c("use without a result", ask(use, ""), "error sampling-tool-use-unbalanced by server #2"),
		c("result without a use", ask(`{"role":"user","content":[`+result+`]}`, ""), "error sampling-tool-result-orphan by server #2"),
		c("plain http", asked(`{"elicitation":{"url":{}}}`, "elicitation/create", `{"mode":"url","message":"m","url":"http://e.x/"}`), "warning elicitation-url-insecure by server #2"),
		c("format", form(`"a":{"type":"string","format":"ipv4"}`, ""), "error elicitation-schema-format by server #2"),
		c("names of choices", form(`"a":{"type":"string","enum":["x"],"enumNames":["X"]}`, ""), "info elicitation-enum-names by server #2"),
		c("required and not there", form(`"a":{"type":"string"}`, `,"required":["b"]`), "warning elicitation-required-unknown by server #2"),
		c("password", form(`"password":{"type":"string"}`, ""), "warning elicitation-sensitive-form by server #2"),
		c("roots of an answer", stated("2026-07-28", `{"roots":{}}`, "1", "tools/call", `"name":"x"`)+gives("1", `"resultType":"input_required","requestState":"s","inputRequests":{"k":{"method":"roots/list"}}`)+
			stated("2026-07-28", `{"roots":{}}`, "2", "tools/call", `"name":"x","requestState":"s","inputResponses":{"k":{"roots":[{"uri":"file://C:/x"}]}}`), "warning root-uri-form by client #3"),
		c("served after its own list of versions", stated("2027-01-01", "{}", "1", "tools/list", "")+fails("1", "-32022", "no", `{"supported":["2026-07-28"],"requested":"2027-01-01"}`)+
			stated("2027-01-01", "{}", "2", "tools/list", "")+done("2", `"tools":[],`+fresh0), "error modern-version-unsupported-accepted by server #4"),
	})

	// Tasks that are told of by notices.
	const ext = `{"extensions":{"io.modelcontextprotocol/tasks":{}},"elicitation":{}}`
	state := func(status, more string) string {
		return `"taskId":"T","status":"` + status + `"` + taskTimes + `,"ttlMs":60000` + more
	}
	job := stated("2026-07-28", ext, "1", "tools/call", `"name":"job"`) + gives("1", `"resultType":"task",`+state("working", ""))
	question := func(message string) string {
		return state("input_required", `,"inputRequests":{"k":{"method":"elicitation/create","params":{"message":"`+message+`","requestedSchema":{"type":"object","properties":{}}}}}`)
	}
	runRuleCases(t, []ruleCase{
		c("failed by its tool", job+notes("tasks", state("failed", `,"result":{"content":[],"isError":true}`)), "error task-ext-tool-error-failed by server #3"),
		c("key for another question", job+notes("tasks", question("m"))+notes("tasks", question("n")), "error task-ext-key-reused by server #4"),
	})
}

// Where the end of a process is not recorded, the end of the recording stands for it.
func TestRulesWithoutAnExit(t *testing.T) {
	const gone = "@ server_closed_stdout\n"
	probe := modernCall(`"p"`, "server/discover", "")
	list, listed := modernCall("1", "tools/list", ""), done("1", `"tools":[],`+fresh0)
	runRuleCases(t, []ruleCase{
		{name: "pending", script: session + ping + gone, want: []string{"error exit-with-pending by server #5 ping"}},
		{name: "not a word", script: strings.SplitAfter(session, "\n")[0] + gone, want: []string{"error exit-before-initialize by server #2"}},
		{name: "on the probe", script: probe + gone, want: []string{"error probe-killed-server by server #2"}},
		{name: "subscription open", script: discovered(`{"tools":{"listChanged":true}}`) + modernCall("1", "subscriptions/listen", `"notifications":{"toolsListChanged":true}`) + gone,
			want: []string{"warning sub-close-no-result by server #4"}},
		{name: "discovery ignored", script: list + listed + probe + "+ 2000\n" + modernCall("2", "tools/list", "") + done("2", `"tools":[],`+fresh0), want: []string{"error discover-missing by server #3"}},
		{name: "a line cut, then another process", script: session + "<| {\"jsonrpc\":\"2.0\",\n@ spawn\n" + ping, watch: []string{"unterminated-line-at-eof"}},
	})
}

// An array that ends in CR LF is a line that does.
func TestCRLFOfArrays(t *testing.T) {
	ended := `> [{"jsonrpc":"2.0","id":1,"method":"ping"}]` + "\n"
	records := parseScenario(t, []byte(opened("2025-03-26", "{}", "{}")+ended))
	records[3].EOL = "\r\n"
	entries, _, _ := fold(records)
	var got []string
	for _, e := range entries {
		for _, f := range e.Findings {
			if f.Rule == "crlf-line-ending" {
				got = append(got, f.At.String())
			}
		}
	}
	if len(got) != 1 || got[0] != "#4" {
		t.Errorf("CR LF is noted at %v, want #4", got)
	}
}
