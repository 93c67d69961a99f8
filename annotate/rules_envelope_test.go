package annotate

import "testing"

func TestFormRules(t *testing.T) {
	forms := []string{"jsonrpc-version", "id-null", "id-type", "result-and-error", "response-empty", "method-with-result", "method-type",
		"params-not-object", "result-not-object", "error-shape", "notification-with-id", "request-without-id", "envelope-extra-member",
		"rpc-reserved-method", "response-unknown-id", "not-a-message"}
	line := func(name, text string, want ...string) ruleCase {
		return ruleCase{name: name, script: session + text + "\n", want: want, watch: forms}
	}
	runRuleCases(t, []ruleCase{
		line("sound", ping+ponged),
		line("no version", `> {"id":7,"method":"ping"}`, "error jsonrpc-version by client #4 missing"),
		line("version a number", `> {"jsonrpc":2.0,"id":7,"method":"ping"}`, "error jsonrpc-version by client #4"),
		line("version of another age", ping+`< {"jsonrpc":"1.0","id":7,"result":{}}`, "error jsonrpc-version by server #5"),
		line("every message", `> {"id":7,"method":"ping"}`+"\n"+`> {"id":8,"method":"ping"}`, "error jsonrpc-version by client #4 x2"),
		line("id null", `> {"jsonrpc":"2.0","id":null,"method":"tools/list"}`, "error id-null by client tools/list"),
		line("id true", `> {"jsonrpc":"2.0","id":true,"method":"ping"}`, "error id-type by client"),
		line("id with a fraction", `> {"jsonrpc":"2.0","id":1.5,"method":"ping"}`, "error id-type by client"),
		line("id 1.0 is an integer", `> {"jsonrpc":"2.0","id":1.0,"method":"ping"}`),
		line("id 0, negative, text", `> {"jsonrpc":"2.0","id":0,"method":"ping"}`+"\n"+`> {"jsonrpc":"2.0","id":-1,"method":"ping"}`+"\n"+`> {"jsonrpc":"2.0","id":"","method":"ping"}`),
		line("both", ping+`< {"jsonrpc":"2.0","id":7,"result":{},"error":{"code":1,"message":"x"}}`, "error result-and-error by server #5"),
		line("error null beside a result", ping+`< {"jsonrpc":"2.0","id":7,"result":{},"error":null}`, "error result-and-error by server #5"),
		line("nothing", ping+`< {"jsonrpc":"2.0","id":7}`, "error response-empty by server #5"),
		line("call and answer", `> {"jsonrpc":"2.0","id":7,"method":"ping","result":{}}`, "error method-with-result by client #4"),
		line("method 12", `> {"jsonrpc":"2.0","id":7,"method":12}`, "error method-type by client"),
		line("method empty", `> {"jsonrpc":"2.0","id":7,"method":""}`, "error method-type by client"),
		line("params null", `> {"jsonrpc":"2.0","id":7,"method":"tools/list","params":null}`, "error params-not-object by client null"),
		line("params by position", `> {"jsonrpc":"2.0","id":7,"method":"tools/call","params":["a"]}`, "error params-not-object by client position"),
		line("result null", ping+`< {"jsonrpc":"2.0","id":7,"result":null}`, "error result-not-object by server #5"),
		line("result a list", ping+`< {"jsonrpc":"2.0","id":7,"result":[]}`, "error result-not-object by server #5"),
		line("error a text", ping+`< {"jsonrpc":"2.0","id":7,"error":"boom"}`, "error error-shape by server object"),
		line("code a text", ping+`< {"jsonrpc":"2.0","id":7,"error":{"code":"E1","message":"x"}}`, "error error-shape by server integer"),
		line("no code", ping+`< {"jsonrpc":"2.0","id":7,"error":{"message":"x"}}`, "error error-shape by server without"),
		line("no message", ping+`< {"jsonrpc":"2.0","id":7,"error":{"code":1}}`, "error error-shape by server without"),
		line("code 0 is an integer", ping+`< {"jsonrpc":"2.0","id":7,"error":{"code":0,"message":""}}`),
		line("notification with id", `> {"jsonrpc":"2.0","id":4,"method":"notifications/cancelled","params":{"requestId":1}}`, "error notification-with-id by client"),
		line("notification with id null", `> {"jsonrpc":"2.0","id":null,"method":"notifications/roots/list_changed"}`, "error notification-with-id by client"),
		line("unknown notification with id", `> {"jsonrpc":"2.0","id":4,"method":"notifications/custom"}`, "error notification-with-id by client"),
		line("request without id", `> {"jsonrpc":"2.0","method":"tools/list"}`, "error request-without-id by client"),
		line("extra member", `> {"jsonrpc":"2.0","id":7,"method":"tools/call","name":"x","params":{"name":"a"}}`, "warning envelope-extra-member by client params"),
		line("wrong case", `> {"jsonrpc":"2.0","id":7,"method":"ping","Params":{}}`, "warning envelope-extra-member by client case-sensitive"),
		line("params in an answer", ping+`< {"jsonrpc":"2.0","id":7,"result":{},"params":{}}`, "warning envelope-extra-member by server"),
		line("rpc.", `> {"jsonrpc":"2.0","id":7,"method":"rpc.discover"}`, "warning rpc-reserved-method by client"),
		line("result without id", ping+`< {"jsonrpc":"2.0","result":{}}`, "error response-unknown-id by server #5 probably"),
		line("result with id null", ping+`< {"jsonrpc":"2.0","id":null,"result":{}}`, "error response-unknown-id by server #5 probably"),
	})
}

func TestIDRules(t *testing.T) {
	ids := []string{"id-reused", "id-reused-in-flight", "error-id-missing", "response-unknown-id", "response-duplicate", "response-id-type-changed",
		"notification-answered", "request-unanswered", "request-slow"}
	line := func(name, text string, want ...string) ruleCase {
		return ruleCase{name: name, script: session + text + "\n", want: want, watch: ids}
	}
	call := func(id, tool string) string {
		return `> {"jsonrpc":"2.0","id":` + id + `,"method":"tools/call","params":{"name":"` + tool + `"}}` + "\n"
	}
	modern := func(id string) string {
		return `> {"jsonrpc":"2.0","id":` + id + `,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}` + "\n"
	}
	const nullError = `< {"jsonrpc":"2.0","id":null,"error":{"code":-32603,"message":"x"}}`
	const noError = `< {"jsonrpc":"2.0","error":{"code":-32600,"message":"x"}}`
	old := opened("2025-06-18", "{}", `{"tools":{}}`)
	runRuleCases(t, []ruleCase{
		line("used again", ping+ponged+ping, "error id-reused by client #6"),
		line("one id for all", ping+ponged+ping+ponged+ping, "error id-reused by client #6 x2"),
		line("open twice", call("1", "a")+call("1", "b"), "error id-reused by client #5 open"),
		line("both ends count alike", ping+`< {"jsonrpc":"2.0","id":7,"method":"ping"}`),
		line("number and text", ping+`> {"jsonrpc":"2.0","id":"7","method":"ping"}`),
		{name: "modern, after the answer", script: modern("1") + `< {"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","tools":[],"ttlMs":0,"cacheScope":"public"}}` + "\n" + modern("1"), watch: ids},
		{name: "modern, while open", script: modern("1") + modern("1"), want: []string{"error id-reused-in-flight by client #2"}, watch: ids},

		line("error with id null", ping+nullError, "error error-id-missing by server #5 ~#4"),
		line("error without id", ping+noError, "warning error-id-missing by server #5"),
		{name: "error without id, older", script: old + ping + noError + "\n", want: []string{"error error-id-missing by server #5"}, watch: ids},
		line("about a line that is no JSON", ping+"> {\n"+nullError, "info error-id-missing by server"),
		line("about a blank line", ping+"> \n"+nullError, "info error-id-missing by server"),
		line("about an array", ping+`> [{"jsonrpc":"2.0","method":"notifications/cancelled"}]`+"\n"+noError, "info error-id-missing by server"),
		line("about an id that is null", `> {"jsonrpc":"2.0","id":null,"method":"ping"}`+"\n"+nullError, "info error-id-missing by server"),
		line("one bad line excuses one error", "> {\n"+ping+nullError+"\n"+nullError, "info error-id-missing by server", "error error-id-missing by server"),
		line("a batch whose members are answered excuses none", `> [{"jsonrpc":"2.0","id":1,"method":"ping"}]`+"\n"+`< {"jsonrpc":"2.0","id":1,"result":{}}`+"\n"+ping+nullError, "error error-id-missing by server"),
		line("reply to a notification", `> {"jsonrpc":"2.0","method":"notifications/custom"}`+"\n"+nullError, "error notification-answered by server #5"),
		line("reply to a notification with a result", `> {"jsonrpc":"2.0","method":"notifications/custom"}`+"\n"+`< {"jsonrpc":"2.0","id":null,"result":{}}`, "error notification-answered by server #5"),

		line("reply to a notification while a request is open", `> {"jsonrpc":"2.0","method":"notifications/custom"}`+"\n"+ping+`< {"jsonrpc":"2.0","id":null,"error":{"code":-32601,"message":"x"}}`+"\n"+ponged, "error notification-answered by server #6"),
		line("only the proper answer tells", `> {"jsonrpc":"2.0","method":"notifications/custom"}`+"\n"+ping+nullError+"\n"+ponged, "error notification-answered by server #6"),
		line("two replies to two notifications", `> {"jsonrpc":"2.0","method":"notifications/custom"}`+"\n"+`> {"jsonrpc":"2.0","method":"notifications/other"}`+"\n"+nullError+"\n"+nullError, "error notification-answered by server #6 x2"),

		line("unknown id", `< {"jsonrpc":"2.0","id":99,"result":{}}`, "error response-unknown-id by server #4"),
		line("type changed", call("1", "a")+`< {"jsonrpc":"2.0","id":"1","result":{"content":[]}}`, "error response-id-type-changed by server #5 ~#4:"),
		line("twice", ping+ponged+ponged, "error response-duplicate by server #6"),
		line("client answers what nobody asked", `> {"jsonrpc":"2.0","id":5,"result":{}}`, "error response-unknown-id by client"),
		line("late", call("1", "a")+"+ 61000\n"+`< {"jsonrpc":"2.0","id":1,"result":{"content":[]}}`, "info request-slow by server #5"),
		line("in time", call("1", "a")+"+ 59000\n"+`< {"jsonrpc":"2.0","id":1,"result":{"content":[]}}`),

		line("stdin closed before the answer", call("1", "a")+"@ client_closed_stdin\n@ server_closed_stdout", "warning request-unanswered by server stdin"),
		line("ended by a signal", call("1", "a")+"@ signal signal=SIGTERM\n@ server_closed_stdout", "info request-unanswered by client"),
		line("cancelled", call("1", "a")+`> {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`+"\n@ server_closed_stdout"),
		line("bytes are missing", call("1", "a")+"~ out=10\n@ client_closed_stdin\n@ server_closed_stdout"),
		line("recording stops", call("1", "a")),
		line("a notification with id needs no answer", `> {"jsonrpc":"2.0","id":4,"method":"notifications/cancelled","params":{"requestId":1}}`+"\n@ client_closed_stdin\n@ server_closed_stdout"),
	})
}

// Requests under one id that ask for the same have interchangeable answers; others do not.
func TestMixedIDs(t *testing.T) {
	entries, _, s := fold(parseScenario(t, []byte(session+`> {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a"}}
> {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"b"}}
< {"jsonrpc":"2.0","id":1,"result":{"content":[]}}
< {"jsonrpc":"2.0","id":1,"result":{"content":[]}}
> {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"a"}}
> {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"a"}}
< {"jsonrpc":"2.0","id":2,"result":{"content":[]}}
< {"jsonrpc":"2.0","id":2,"result":{"content":[]}}
`)))
	for i := 3; i < 7; i++ {
		e := entries[i]
		if !e.Pair.IsZero() || !e.Ambiguous || e.Probable.IsZero() || e.HasLatency {
			t.Errorf("%s: pair %v, ambiguous %v, probable %v, latency %v", e.Ref, e.Pair, e.Ambiguous, e.Probable, e.HasLatency)
		}
		if e.Kind == Request && (e.State != Pending || e.Unanswered == "") {
			t.Errorf("%s is %s, %q", e.Ref, e.State, e.Unanswered)
		}
		if e.Kind == Response && e.State != Unmatched {
			t.Errorf("%s is %s", e.Ref, e.State)
		}
	}
	for i := 7; i < 11; i++ {
		if e := entries[i]; e.Pair.IsZero() || !e.Ambiguous {
			t.Errorf("%s: pair %v, ambiguous %v", e.Ref, e.Pair, e.Ambiguous)
		}
	}
	if st := s.Stats(); st.Unanswered != 0 || st.Unmatched != 0 {
		t.Errorf("counted by the oldest open request: %d unanswered, %d unmatched, want none", st.Unanswered, st.Unmatched)
	}
}

func TestBatchRules(t *testing.T) {
	batches := []string{"batch-not-allowed", "batch-in-2024-11-05", "batch-initialize", "batch-empty", "batch-unanswered", "not-a-message", "request-unanswered"}
	line := func(name, revision, text string, want ...string) ruleCase {
		return ruleCase{name: name, script: opened(revision, "{}", `{"tools":{}}`) + text + "\n", want: want, watch: batches}
	}
	const two = `> [{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","id":2,"method":"tools/list"}]` + "\n"
	const both = `< [{"jsonrpc":"2.0","id":2,"result":{"tools":[]}},{"jsonrpc":"2.0","id":1,"result":{}}]` + "\n"
	initialize := func(revision string) string {
		return `> [{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"` + revision + `","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}]` + "\n"
	}
	runRuleCases(t, []ruleCase{
		line("later", "2025-11-25", two, "error batch-not-allowed by client #4"),
		line("later, of the server", "2025-06-18", `< [{"jsonrpc":"2.0","id":1,"method":"ping"}]`, "error batch-not-allowed by server #4"),
		line("when they were", "2025-03-26", two+both),
		line("before", "2024-11-05", two+both, "warning batch-in-2024-11-05 by client #4", "warning batch-in-2024-11-05 by server #5"),
		line("nobody owes an answer to what is none", "2025-11-25", two+"@ client_closed_stdin\n@ exit code=0", "error batch-not-allowed by client #4"),
		line("empty", "2025-03-26", "> []", "error batch-empty by client #4"),
		line("empty, later", "2025-11-25", "> []", "error not-a-message by client #4"),
		line("mixed", "2025-03-26", `> [{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","id":9,"result":{}}]`, "error batch-empty by client #4"),
		line("dropped", "2025-03-26", two+ping+ponged+"@ client_closed_stdin\n@ server_closed_stdout", "error batch-unanswered by server #4 x2"),
		line("half answered", "2025-03-26", two+`< {"jsonrpc":"2.0","id":1,"result":{}}`+"\n@ client_closed_stdin\n@ server_closed_stdout", "warning request-unanswered by server"),
		line("no time to answer", "2025-03-26", two+"@ client_closed_stdin\n@ server_closed_stdout", "warning request-unanswered by server x2"),
		{name: "initialize inside", script: initialize("2025-03-26"), want: []string{"error batch-initialize by client #1.0"}, watch: batches},
		{name: "initialize inside, later", script: initialize("2025-11-25"), want: []string{"error batch-not-allowed by client #1"}, watch: batches},
	})
}

func TestShapeRules(t *testing.T) {
	shapes := []string{"schema-params", "schema-result", "null-optional-member"}
	line := func(name, text string, want ...string) ruleCase {
		return ruleCase{name: name, script: session + text + "\n", want: want, watch: shapes}
	}
	list := func(tools, more string) string {
		return `> {"jsonrpc":"2.0","id":1,"method":"tools/list"}` + "\n" + `< {"jsonrpc":"2.0","id":1,"result":{"tools":` + tools + more + `}}`
	}
	runRuleCases(t, []ruleCase{
		line("sound", list(`[{"name":"a","inputSchema":{"type":"object"},"vendor":null}]`, "")),
		line("member missing", `> {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"tool":"x"}}`, "error schema-params by client #4 name"),
		line("params missing", `> {"jsonrpc":"2.0","id":1,"method":"tools/call"}`, "error schema-params by client #4"),
		line("wrong type", `> {"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":1}}`, "error schema-params by client #4 /params/cursor"),
		line("list missing", `> {"jsonrpc":"2.0","id":1,"method":"tools/list"}`+"\n"+`< {"jsonrpc":"2.0","id":1,"result":{"tool_list":[]}}`, "error schema-result by server #5 tools"),
		line("null cursor", list("[]", `,"nextCursor":null`), "error null-optional-member by server #5 /result/nextCursor"),
		line("nulls in every tool", list(`[{"name":"a","description":null,"inputSchema":{"type":"object"}},{"name":"b","description":null,"inputSchema":{"type":"object"}}]`, ""),
			"error null-optional-member by server /result/tools/1/description"),
		line("has a rule of its own", list(`[{"name":"a","inputSchema":null},{"name":"b"}]`, "")),
		line("not of this revision", list(`[{"name":"a","inputSchema":{"type":"object"},"later":null}]`, "")),
		line("answer to nothing", `< {"jsonrpc":"2.0","id":9,"result":{"tools":null}}`),
	})
}
