package annotate

import (
	"fmt"
	"strings"
	"testing"
)

// watching makes a case over which a whole family of rules is held silent but for what is wanted.
func watching(rules []string) func(name, script string, want ...string) ruleCase {
	return func(name, script string, want ...string) ruleCase {
		return ruleCase{name: name, script: script, want: want, watch: rules}
	}
}

// The lines of scenarios.
func fromClient(msg string) string { return `> {"jsonrpc":"2.0",` + msg + "}\n" }
func fromServer(msg string) string { return `< {"jsonrpc":"2.0",` + msg + "}\n" }

// statedMeta is what a modern request states, with the client's capabilities.
func statedMeta(caps, more string) string {
	return `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":` + caps + more + `}`
}

func progressOf(token, rest string) string {
	return fromServer(`"method":"notifications/progress","params":{"progressToken":` + token + `,` + rest + `}`)
}

func callWith(id, meta string) string {
	return fromClient(`"id":` + id + `,"method":"tools/call","params":{"name":"x","_meta":{` + meta + `}}`)
}

func answeredWith(id string) string { return fromServer(`"id":` + id + `,"result":{"content":[]}`) }

func cancelOf(id string) string {
	return fromClient(`"method":"notifications/cancelled","params":{"requestId":` + id + `}`)
}

func TestProgressRules(t *testing.T) {
	script := watching([]string{"progress-unknown-token", "progress-not-increasing", "progress-over-total", "progress-after-response", "progress-after-cancel",
		"progress-token-reused", "progress-token-type", "progress-token-in-params", "progress-from-client-modern", "notification-after-cancel-modern", "response-after-cancel"})
	call := session + callWith("1", `"progressToken":"t"`)
	tasks := opened("2025-11-25", `{}`, `{"tools":{},"tasks":{"requests":{"tools":{"call":{}}}}}`) + fromClient(`"id":1,"method":"tools/call","params":{"name":"x","task":{},"_meta":{"progressToken":"t"}}`)
	task := fromServer(`"id":1,"result":{"task":{"taskId":"a","status":"working","createdAt":"2026-01-01T00:00:00Z","lastUpdatedAt":"2026-01-01T00:00:00Z","ttl":null}}`)
	ended := fromServer(`"method":"notifications/tasks/status","params":{"taskId":"a","status":"completed","createdAt":"2026-01-01T00:00:00Z","lastUpdatedAt":"2026-01-01T00:00:00Z","ttl":null}`)
	modern := fromClient(`"id":1,"method":"tools/call","params":{"name":"x",` + statedMeta("{}", `,"progressToken":"t"`) + `}`)
	runRuleCases(t, []ruleCase{
		script("sound", call+progressOf(`"t"`, `"progress":1,"total":2`)+progressOf(`"t"`, `"progress":2,"total":2`)+answeredWith("1")),
		script("token 0", session+callWith("1", `"progressToken":0`)+progressOf(`0`, `"progress":0.5`)+answeredWith("1")),
		script("invented", session+callWith("1", "")+progressOf(`"z"`, `"progress":1`)+progressOf(`"z"`, `"progress":2`), `error progress-unknown-token by server #5 x2`),
		script("type changed", session+callWith("1", `"progressToken":1`)+progressOf(`"1"`, `"progress":1`), `error progress-unknown-token by server #5`),
		script("its request may be missing", call+"~ in=10\n"+progressOf(`"z"`, `"progress":1`)),
		script("its request is no valid message", session+`> {"id":1,"method":"tools/call","params":{"name":"x","_meta":{"progressToken":"t"}}}`+"\n"+progressOf(`"t"`, `"progress":1`)),
		script("client reports on a server request", opened("2025-11-25", `{"sampling":{}}`, `{}`)+fromServer(`"id":1,"method":"sampling/createMessage","params":{"messages":[],"maxTokens":1,"_meta":{"progressToken":"s"}}`)+
			fromClient(`"method":"notifications/progress","params":{"progressToken":"s","progress":1}`)),
		script("client invents", session+fromClient(`"method":"notifications/progress","params":{"progressToken":"s","progress":1}`), "error progress-unknown-token by client #4"),
		script("stands still", call+progressOf(`"t"`, `"progress":5`)+progressOf(`"t"`, `"progress":5`)+progressOf(`"t"`, `"progress":4`), "error progress-not-increasing by server #6 x2"),
		script("two requests, two counts", call+callWith("2", `"progressToken":"u"`)+progressOf(`"t"`, `"progress":5`)+progressOf(`"u"`, `"progress":1`)+progressOf(`"t"`, `"progress":6`)),
		script("a token may come again later", call+progressOf(`"t"`, `"progress":5`)+answeredWith("1")+callWith("2", `"progressToken":"t"`)+progressOf(`"t"`, `"progress":1`)),
		script("no number", call+progressOf(`"t"`, `"progress":"5"`)+progressOf(`"t"`, `"progress":"5"`)),
		script("beyond", call+progressOf(`"t"`, `"progress":5,"total":4`), "info progress-over-total by server #5"),
		script("total shrinks", call+progressOf(`"t"`, `"progress":1,"total":9`)+progressOf(`"t"`, `"progress":2,"total":8`), "info progress-over-total by server #6"),
		script("total grows", call+progressOf(`"t"`, `"progress":1,"total":8`)+progressOf(`"t"`, `"progress":2,"total":9`)),
		script("late", call+progressOf(`"t"`, `"progress":5`)+answeredWith("1")+progressOf(`"t"`, `"progress":5`), "error progress-after-response by server #7"),
		script("late, and the client leaves", call+answeredWith("1")+progressOf(`"t"`, `"progress":5`)+"@ client_closed_stdin\n", "error progress-after-response by server #6 closed"),
		script("late, and the client stays a while", call+answeredWith("1")+progressOf(`"t"`, `"progress":5`)+"+ 5000\n@ client_closed_stdin\n", "error progress-after-response by server #6"),
		script("a task goes on", tasks+task+progressOf(`"t"`, `"progress":1`)+progressOf(`"t"`, `"progress":2`)),
		script("counts in a task, too", tasks+task+progressOf(`"t"`, `"progress":2`)+progressOf(`"t"`, `"progress":1`), "error progress-not-increasing by server #7"),
		script("the task has ended", tasks+task+progressOf(`"t"`, `"progress":1`)+ended+progressOf(`"t"`, `"progress":2`), "error progress-after-response by server #8"),
		script("the task's result was fetched", tasks+task+fromClient(`"id":2,"method":"tasks/result","params":{"taskId":"a"}`)+answeredWith("2")+progressOf(`"t"`, `"progress":2`), "error progress-after-response by server #8"),
		script("cancelled just now", call+cancelOf("1")+progressOf(`"t"`, `"progress":1`)),
		script("cancelled long ago", call+cancelOf("1")+"+ 1500\n"+progressOf(`"t"`, `"progress":1`)+progressOf(`"t"`, `"progress":2`), "warning progress-after-cancel by server #6 x2"),
		script("cancelled long ago, modern", modern+cancelOf("1")+"+ 1500\n"+progressOf(`"t"`, `"progress":1`), "error notification-after-cancel-modern by server #3"),
		script("cancelled just now, modern", modern+cancelOf("1")+progressOf(`"t"`, `"progress":1`)),
		script("log of a cancelled request", fromClient(`"id":1,"method":"tools/call","params":{"name":"x",`+statedMeta("{}", `,"io.modelcontextprotocol/logLevel":"debug"`)+`}`)+cancelOf("1")+"+ 1500\n"+
			fromServer(`"method":"notifications/message","params":{"level":"info","data":1}`), "error notification-after-cancel-modern by server #3"),
		script("shared", call+callWith("2", `"progressToken":"t"`), "error progress-token-reused by client #5"),
		script("shared: whose progress it is nobody knows", call+callWith("2", `"progressToken":"t"`)+progressOf(`"t"`, `"progress":2`)+progressOf(`"t"`, `"progress":1`), "error progress-token-reused by client #5"),
		script("the first one is answered", call+answeredWith("1")+callWith("2", `"progressToken":"t"`)),
		script("the first one is cancelled", call+cancelOf("1")+callWith("2", `"progressToken":"t"`)),
		script("one each side", opened("2025-11-25", `{"roots":{}}`, `{"tools":{}}`)+callWith("1", `"progressToken":"t"`)+fromServer(`"id":1,"method":"roots/list","params":{"_meta":{"progressToken":"t"}}`)),
		script("fraction", session+callWith("1", `"progressToken":1.5`), "error progress-token-type by client #4"),
		script("object", session+callWith("1", `"progressToken":{}`), "error progress-token-type by client #4"),
		script("whole though spelt as a fraction", session+callWith("1", `"progressToken":1.0`)),
		script("notice with a bad token", call+progressOf(`true`, `"progress":1`), "error progress-token-type by server #5"),
		script("beside _meta", session+fromClient(`"id":1,"method":"tools/call","params":{"name":"x","progressToken":"t"}`), "warning progress-token-in-params by client #4"),
		script("in both places", session+fromClient(`"id":1,"method":"tools/call","params":{"name":"x","progressToken":"t","_meta":{"progressToken":"t"}}`)),
		script("as an argument", session+fromClient(`"id":1,"method":"tools/call","params":{"name":"x","arguments":{"progressToken":"t"}}`)),
		script("modern client reports", modern+fromClient(`"method":"notifications/progress","params":{"progressToken":"t","progress":1}`), "error progress-from-client-modern by client #2"),
		script("first of all", fromClient(`"method":"notifications/progress","params":{"progressToken":"t","progress":1}`), "error progress-from-client-modern by client #1"),
		script("the beginning is missing", "~ in=10 out=10\n"+fromClient(`"method":"notifications/progress","params":{"progressToken":"t","progress":1}`)),
	})
}

func TestCancellationRules(t *testing.T) {
	script := watching([]string{"cancel-unknown-id", "cancel-other-side", "cancel-finished", "cancel-initialize", "cancel-missing-id", "cancel-task-augmented", "cancel-by-server-modern",
		"response-after-cancel", "timeout-without-cancel"})
	call := session + callWith("1", "")
	roots := opened("2025-11-25", `{"roots":{}}`, `{"tools":{}}`)
	asked := roots + fromServer(`"id":"r","method":"roots/list"`)
	cancelByServer := func(id string) string {
		return fromServer(`"method":"notifications/cancelled","params":{"requestId":` + id + `}`)
	}
	taskCall := opened("2025-11-25", `{}`, `{"tools":{},"tasks":{"requests":{"tools":{"call":{}}}}}`) + fromClient(`"id":1,"method":"tools/call","params":{"name":"x","task":{}}`)
	task := fromServer(`"id":1,"result":{"task":{"taskId":"a","status":"working","createdAt":"2026-01-01T00:00:00Z","lastUpdatedAt":"2026-01-01T00:00:00Z","ttl":null}}`)
	modern := fromClient(`"id":1,"method":"tools/call","params":{"name":"x",` + statedMeta("{}", "") + `}`)
	listen := fromClient(`"id":2,"method":"subscriptions/listen","params":{"notifications":{"toolsListChanged":true},` + statedMeta("{}", "") + `}`)
	modernDone := fromServer(`"id":1,"result":{"content":[],"resultType":"complete"}`)
	aborted := fromServer(`"id":1,"error":{"code":-32603,"message":"context canceled"}`)
	runRuleCases(t, []ruleCase{
		script("sound", call+cancelOf("1")),
		script("never used", call+cancelOf("55"), "error cancel-unknown-id by client #5"),
		script("type changed", call+cancelOf(`"1"`), "error cancel-unknown-id by client #5"),
		script("its request may be missing", "~ in=5\n"+session+cancelOf("55")),
		script("its request is no valid message", session+`> {"id":9,"method":"tools/call","params":{"name":"x"}}`+"\n"+cancelOf("9")),
		script("other side's", asked+cancelOf(`"r"`), "error cancel-other-side by client #5"),
		script("server cancels its own", asked+cancelByServer(`"r"`)),
		script("server cancels the client's", call+cancelByServer("1"), "error cancel-other-side by server #5"),
		script("both have that id", roots+callWith("1", "")+fromServer(`"id":1,"method":"roots/list"`)+cancelOf("1")),
		script("finished", call+answeredWith("1")+cancelOf("1"), "info cancel-finished by client #6"),
		script("initialize", strings.SplitAfter(session, "\n")[0]+cancelOf(`"i"`), "error cancel-initialize by client #2"),
		script("initialize, answered", session+cancelOf(`"i"`), "error cancel-initialize by client #4"),
		script("no id", call+fromClient(`"method":"notifications/cancelled","params":{"reason":"bye"}`), "error cancel-missing-id by client #5"),
		script("no params", call+fromClient(`"method":"notifications/cancelled"`), "error cancel-missing-id by client #5"),
		script("id null", call+fromClient(`"method":"notifications/cancelled","params":{"requestId":null}`), "error cancel-missing-id by client #5"),
		script("task", taskCall+cancelOf("1"), "error cancel-task-augmented by client #5"),
		script("task that runs", taskCall+task+cancelOf("1"), "error cancel-task-augmented by client #6"),
		script("answer in time", call+cancelOf("1")+answeredWith("1"), "info response-after-cancel by server #6"),
		script("answer late", call+cancelOf("1")+"+ 1500\n"+answeredWith("1"), "warning response-after-cancel by server #6"),
		script("answer that says so", call+cancelOf("1")+aborted, "warning response-after-cancel by server #6"),
		script("another error in time", call+cancelOf("1")+fromServer(`"id":1,"error":{"code":-32603,"message":"disk full"}`), "info response-after-cancel by server #6"),
		script("modern, in time", modern+cancelOf("1")+modernDone, "info response-after-cancel by server #3"),
		script("modern, late", modern+cancelOf("1")+"+ 1500\n"+modernDone, "error response-after-cancel by server #3"),
		script("modern, says so", modern+cancelOf("1")+aborted, "error response-after-cancel by server #3"),
		script("client answers what the server cancelled", asked+cancelByServer(`"r"`)+"+ 1500\n"+fromClient(`"id":"r","result":{"roots":[]}`), "warning response-after-cancel by client #6"),
		script("modern server cancels", modern+cancelByServer("1"), "error cancel-by-server-modern by server #2"),
		script("modern server cancels what is not there", modern+cancelByServer("7"), "error cancel-by-server-modern by server #2"),
		script("modern server ends a subscription", modern+listen+cancelByServer("2")),
		script("modern client cancels what it never sent", modern+cancelOf("7"), "error cancel-unknown-id by client #2"),
		script("asked again", call+"+ 9000\n"+callWith("2", ""), "info timeout-without-cancel by client #5"),
		script("asked again soon", call+"+ 900\n"+callWith("2", "")),
		script("asked again after a cancellation", call+"+ 9000\n"+cancelOf("1")+callWith("2", "")),
		script("something else", call+"+ 9000\n"+fromClient(`"id":2,"method":"tools/call","params":{"name":"y"}`)),
		script("other arguments", call+"+ 9000\n"+fromClient(`"id":2,"method":"tools/call","params":{"name":"x","arguments":{"a":1}}`)),
		script("closed meanwhile", call+"+ 9000\n@ client_closed_stdin\n", "info timeout-without-cancel by client #5"),
		script("closed soon", call+"@ client_closed_stdin\n"),
		script("closed, long cancelled", call+cancelOf("1")+"+ 9000\n@ client_closed_stdin\n"),
	})
}

func TestPingRules(t *testing.T) {
	script := watching([]string{"ping-result", "ping-slow"})
	ping := fromClient(`"id":1,"method":"ping"`)
	runRuleCases(t, []ruleCase{
		script("sound", session+ping+fromServer(`"id":1,"result":{}`)),
		script("with _meta", session+ping+fromServer(`"id":1,"result":{"_meta":{},"resultType":"complete"}`)),
		script("refused", session+ping+fromServer(`"id":1,"error":{"code":-32601,"message":"Method not found"}`), "error ping-result by server #5"),
		script("refused by the client", session+fromServer(`"id":1,"method":"ping"`)+fromClient(`"id":1,"error":{"code":-32601,"message":"x"}`), "error ping-result by client #5"),
		script("says something", session+ping+fromServer(`"id":1,"result":{"ok":true}`), "error ping-result by server #5"),
		script("malformed ping", session+fromClient(`"id":1,"method":"ping","params":[]`)+fromServer(`"id":1,"error":{"code":-32602,"message":"x"}`)),
		script("malformed error", session+ping+fromServer(`"id":1,"error":{"code":"x"}`)),
		script("slow", session+ping+"+ 6000\n"+fromServer(`"id":1,"result":{}`), "warning ping-slow by server #5"),
		script("quick enough", session+ping+"+ 3000\n"+fromServer(`"id":1,"result":{}`)),
		script("never, and the session goes on", session+ping+"+ 6000\n"+fromClient(`"id":2,"method":"tools/list"`), "warning ping-slow by server #4"),
		script("never, and another message at once", session+ping+fromClient(`"id":2,"method":"tools/list"`)),
		script("the last line", session+ping, "info ping-slow by server"),
		script("closed", session+ping+"@ client_closed_stdin\n"),
	})
}

// Memory of what was said about progress does not grow with the number of requests.
func TestProgressIsForgotten(t *testing.T) {
	s := NewSession()
	n := int64(0)
	add := func(line string) Update {
		n++
		return s.Add(parseScenario(t, []byte(line))[0])
	}
	add(strings.SplitAfter(session, "\n")[0])
	for i := range 3 * maxRuns {
		add(callWith(fmt.Sprint(i), fmt.Sprintf(`"progressToken":%d`, i)))
		add(progressOf(fmt.Sprint(i), `"progress":1`))
		add(answeredWith(fmt.Sprint(i)))
	}
	v := view{Process: s.proc, s: s}
	if runs := memo[progressRuns](&v, s.proc); len(runs.of) > maxRuns || len(runs.of) == 0 {
		t.Errorf("%d runs are remembered, at most %d should be", len(runs.of), maxRuns)
	}
}
