package annotate

import (
	"strings"
	"testing"
)

func TestRoundRules(t *testing.T) {
	watch := without(rulesOf(roundRules, retryRules), "mrtr-abandoned")
	c := func(name, script string, want ...string) ruleCase {
		return ruleCase{name: name, script: script, want: want, watch: watch}
	}
	const (
		form = `{"method":"elicitation/create","params":{"message":"m","requestedSchema":{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]}}}`
		all  = `{"elicitation":{"form":{},"url":{}},"sampling":{"tools":{}},"roots":{}}`
	)
	call := func(id, params string) string {
		return stated("2026-07-28", all, id, "tools/call", `"name":"x","arguments":{"n":1}`+params)
	}
	question := func(id, members string) string { return gives(id, `"resultType":"input_required",`+members) }
	asked := call("1", "") + question("1", `"inputRequests":{"k":`+form+`},"requestState":"S"`)
	plain := call("1", "") + question("1", `"inputRequests":{"k":`+form+`}`)
	one := func(entry string) string { return call("1", "") + question("1", `"inputRequests":{"k":`+entry+`}`) }
	retry := func(response, state string) string {
		if state != "" {
			state = `,"requestState":"` + state + `"`
		}
		return call("2", `,"inputResponses":{"k":`+response+`}`+state)
	}
	const cancel = `{"action":"cancel"}`
	runRuleCases(t, []ruleCase{
		c("sound", asked+retry(cancel, "S")),
		c("sound without state", plain+retry(`{"action":"accept","content":{"a":"b"}}`, "")),
		c("sound with state only", call("1", "")+question("1", `"requestState":"S"`)+call("2", `,"requestState":"S"`)),
		c("the state in other escapes", call("1", "")+question("1", `"requestState":"a<b"`)+call("2", `,"requestState":"a\u003cb"`)),
		c("on a list", modernCall("1", "tools/list", "")+question("1", `"inputRequests":{"k":`+form+`}`), "error mrtr-wrong-method by server #2", "error mrtr-undeclared-capability by server"),
		c("asks nothing", call("1", "")+gives("1", `"resultType":"input_required"`), "error mrtr-empty by server #2"),
		c("a state that is no text", call("1", "")+gives("1", `"resultType":"input_required","requestState":5`), "error schema-result by server #2 requestState"),
		c("asks an empty object", call("1", "")+question("1", `"inputRequests":{}`), "error mrtr-empty by server #2"),
		c("asks for a tool", one(`{"method":"tools/call","params":{}}`), "error mrtr-request-kind by server #2 tools/call"),
		c("asks without method", one(`{"params":{}}`), "error mrtr-request-kind by server method"),
		c("asks with a text", one(`"what?"`), "error mrtr-request-kind by server object"),
		c("asks in a list", call("1", "")+question("1", `"inputRequests":[1],"requestState":"S"`), "error mrtr-request-kind by server object"),
		c("asks without params", one(`{"method":"elicitation/create"}`), "error mrtr-request-kind by server params"),
		c("asks without message", one(`{"method":"elicitation/create","params":{"requestedSchema":{"type":"object","properties":{}}}}`), "error mrtr-request-kind by server message"),
		c("roots need no params", one(`{"method":"roots/list"}`)),
		c("in an envelope", one(strings.Replace(form, `{"method"`, `{"jsonrpc":"2.0","id":7,"method"`, 1)), "warning mrtr-request-envelope by server jsonrpc"),
		c("not offered", modernCall("1", "tools/call", `"name":"x"`)+question("1", `"inputRequests":{"k":`+form+`}`), "error mrtr-undeclared-capability by server #2 elicitation"),
		c("mode not offered", stated("2026-07-28", `{"elicitation":{}}`, "1", "tools/call", `"name":"x"`)+question("1", `"inputRequests":{"k":{"method":"elicitation/create","params":{"mode":"url","message":"m","url":"https://e.org"}}}`), "error mrtr-undeclared-capability by server elicitation.url"),
		c("an empty elicitation takes forms", stated("2026-07-28", `{"elicitation":{}}`, "1", "tools/call", `"name":"x"`)+question("1", `"inputRequests":{"k":`+form+`}`)),
		c("tools not offered", stated("2026-07-28", `{"sampling":{}}`, "1", "tools/call", `"name":"x"`)+question("1", `"inputRequests":{"k":{"method":"sampling/createMessage","params":{"messages":[],"maxTokens":1,"tools":[]}}}`), "error mrtr-undeclared-capability by server sampling.tools"),
		c("same id", asked+call("1", `,"inputResponses":{"k":`+cancel+`},"requestState":"S"`), "error mrtr-retry-same-id by client #3"),
		c("state lost", asked+retry(cancel, ""), "error mrtr-state-lost by client #3"),
		c("state changed", asked+retry(cancel, "s"), "error mrtr-state-changed by client #3"),
		c("state trimmed", call("1", "")+question("1", `"inputRequests":{"k":`+form+`},"requestState":" S "`)+retry(cancel, "S"), "error mrtr-state-changed by client #3"),
		c("state invented", plain+retry(cancel, "S"), "error mrtr-state-invented by client #3"),
		c("no responses", asked+call("2", `,"requestState":"S"`), "error mrtr-responses-missing by client #3"),
		c("responses empty", asked+call("2", `,"inputResponses":{},"requestState":"S"`), "error mrtr-responses-missing by client #3"),
		c("one of two", call("1", "")+question("1", `"inputRequests":{"k":`+form+`,"l":{"method":"roots/list"}},"requestState":"S"`)+retry(cancel, "S"), "error mrtr-responses-missing by client l"),
		c("one too many", asked+call("2", `,"inputResponses":{"k":`+cancel+`,"z":{}},"requestState":"S"`), "info mrtr-responses-extra by client #3"),
		c("response wrapped", asked+retry(`{"result":`+cancel+`}`, "S"), "error mrtr-response-shape by client wrapped"),
		c("response a message", asked+retry(`{"jsonrpc":"2.0","id":1,"result":`+cancel+`}`, "S"), "error mrtr-response-shape by client message"),
		c("response an error", asked+retry(`{"error":{"code":-1,"message":"no"}}`, "S"), "error mrtr-response-shape by client error"),
		c("response a bare error", asked+retry(`{"code":-1,"message":"no"}`, "S"), "error mrtr-response-shape by client error"),
		c("response without action", asked+retry(`{"content":{"a":"b"}}`, "S"), "error mrtr-response-shape by client action"),
		c("response a text", asked+retry(`"cancel"`, "S"), "error mrtr-response-shape by client object"),
		c("roots bare", one(`{"method":"roots/list"}`)+retry(`[]`, ""), "error mrtr-response-shape by client object"),
		c("wrong content", asked+retry(`{"action":"accept","content":{"a":4}}`, "S"), "error mrtr-response-schema by client /a"),
		c("content lacks a member", asked+retry(`{"action":"accept","content":{}}`, "S"), "error mrtr-response-schema by client"),
		c("accepted without content", asked+retry(`{"action":"accept"}`, "S"), "error mrtr-response-schema by client content"),
		c("action of a draft", asked+retry(`{"action":"reject"}`, "S"), "error mrtr-response-schema by client reject"),
		c("sampling incomplete", one(`{"method":"sampling/createMessage","params":{"messages":[],"maxTokens":1}}`)+retry(`{"role":"assistant","model":"m"}`, ""), "error mrtr-response-schema by client content"),
		c("roots incomplete", one(`{"method":"roots/list"}`)+retry(`{"roots":[{}]}`, ""), "error mrtr-response-schema by client uri"),
		c("arguments changed", asked+stated("2026-07-28", all, "2", "tools/call", `"name":"x","arguments":{"n":2},"inputResponses":{"k":`+cancel+`},"requestState":"S"`), "warning mrtr-params-changed by client #3 arguments"),
		c("arguments in another order", stated("2026-07-28", all, "1", "tools/call", `"name":"x","arguments":{"a":1,"b":2.0}`)+question("1", `"requestState":"S"`)+
			stated("2026-07-28", all, "2", "tools/call", `"name":"x","arguments":{"b":2,"a":1},"requestState":"S"`)),
		c("another tool", asked+stated("2026-07-28", all, "2", "tools/call", `"name":"y","arguments":{"n":1},"inputResponses":{"k":`+cancel+`},"requestState":"S"`), "warning mrtr-params-changed by client #3 y"),
		c("another method", asked+stated("2026-07-28", all, "2", "prompts/get", `"name":"x","arguments":{"n":1},"inputResponses":{"k":`+cancel+`},"requestState":"S"`), "warning mrtr-params-changed by client #3 prompts/get"),
		c("not asked", retry(cancel, ""), "warning mrtr-responses-unasked by client #1"),
		c("state from elsewhere", retry(cancel, "S"), "info mrtr-responses-unasked by client #1"),
		c("state after the retry", asked+retry(cancel, "S")+done("2", `"content":[]`)+call("3", `,"inputResponses":{"k":`+cancel+`},"requestState":"T"`), "info mrtr-responses-unasked by client #5"),
		c("after a gap nothing is sure", asked+"~ out=5\n"+retry(cancel, "T")),
		c("asks again", asked+retry(`{"action":"accept","content":{"a":"b"}}`, "S")+question("2", `"inputRequests":{"k":`+form+`},"requestState":"T"`), "info mrtr-loop by server #4"),
		c("asks again what was declined", asked+retry(cancel, "S")+question("2", `"inputRequests":{"k":`+form+`},"requestState":"T"`)),
		c("a plain call of the same tool", asked+call("2", "")),
	})
	rounds := call("1", "") + question("1", `"requestState":"0"`)
	for i := range 11 {
		id := itoa(int64(i + 2))
		rounds += call(id, `,"requestState":"`+itoa(int64(i))+`"`) + question(id, `"requestState":"`+itoa(int64(i+1))+`"`)
	}
	end := "@ client_closed_stdin\n"
	runRuleCases(t, []ruleCase{
		{name: "round after round", script: rounds, watch: []string{"mrtr-loop"}, want: []string{"info mrtr-loop by server x2"}},
		{name: "abandoned", script: asked + end, want: []string{"info mrtr-abandoned by client #3"}},
		{name: "abandoned, no end in sight", script: asked, want: []string{"info mrtr-abandoned by client #2"}},
		{name: "not abandoned", script: asked + retry(cancel, "S") + done("2", `"content":[]`) + end, watch: []string{"mrtr-abandoned"}},
		{name: "goes on in the next process", script: asked + "@ exit code=0\n@ spawn\n" + retry(cancel, "S") + done("2", `"content":[]`) + end, watch: rulesOf(roundRules, retryRules)},
	})
}

// A logical call is one flow, whatever number of requests it takes.
func TestFlows(t *testing.T) {
	flows := func(script string) string {
		entries, _, _ := fold(parseScenario(t, []byte(script)))
		var b strings.Builder
		for _, e := range entries {
			b.WriteString(" " + itoa(e.Flow.Seq))
		}
		return b.String()[1:]
	}
	form := `{"method":"elicitation/create","params":{"message":"m","requestedSchema":{"type":"object","properties":{}}}}`
	call := func(id, more string) string {
		return stated("2026-07-28", `{"elicitation":{},"extensions":{"io.modelcontextprotocol/tasks":{}}}`, id, "tools/call", `"name":"x","arguments":{"n":1}`+more)
	}
	question := func(id, state string) string {
		return gives(id, `"resultType":"input_required","inputRequests":{"k":`+form+`}`+state)
	}
	answer := `,"inputResponses":{"k":{"action":"cancel"}}`
	task := func(members string) string {
		return `"taskId":"T","status":"working","createdAt":"2026-08-01T00:00:00Z","lastUpdatedAt":"2026-08-01T00:00:00Z"` + members
	}
	legacy := opened("2025-11-25", "{}", `{"tools":{},"tasks":{"requests":{"tools":{"call":{}}}}}`)
	legacyCall := `> {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x","task":{},"_meta":{"progressToken":"p"}}}` + "\n"
	ask := func(id, method string) string {
		return `> {"jsonrpc":"2.0","id":` + id + `,"method":"tasks/` + method + `","params":{"taskId":"T"}}` + "\n"
	}
	for name, c := range map[string]struct{ script, want string }{
		"rounds":            {call("1", "") + question("1", `,"requestState":"S"`) + call("2", answer+`,"requestState":"S"`) + question("2", `,"requestState":"T"`) + call("3", answer+`,"requestState":"T"`) + done("3", ""), "1 1 1 1 1 1"},
		"state lost":        {call("1", "") + question("1", `,"requestState":"S"`) + call("2", answer) + done("2", ""), "1 1 1 1"},
		"a call of its own": {call("1", "") + question("1", `,"requestState":"S"`) + call("2", "") + done("2", ""), "1 1 3 3"},
		"two at a time": {call("1", "") + call("2", "") + question("1", `,"requestState":"S"`) + question("2", `,"requestState":"T"`) + call("3", answer+`,"requestState":"T"`) + call("4", answer+`,"requestState":"S"`),
			"1 2 1 2 2 1"},
		"over a restart": {call("1", "") + question("1", `,"requestState":"S"`) + "@ exit code=0\n@ spawn\n" + call("1", answer+`,"requestState":"S"`), "1 1 0 0 1"},
		"task": {legacy + legacyCall + notes("tasks/status", task(`,"ttl":null`)) + gives("1", `"task":{`+task(`,"ttl":null`)+`}`) + notes("progress", `"progressToken":"p","progress":1`) + ask("2", "get") + gives("2", task(`,"ttl":null`)) +
			ask("3", "result") + `< {"jsonrpc":"2.0","id":7,"method":"elicitation/create","params":{"message":"m","requestedSchema":{"type":"object","properties":{}},"_meta":{"io.modelcontextprotocol/related-task":{"taskId":"T"}}}}` + "\n" +
			`> {"jsonrpc":"2.0","id":7,"result":{"action":"cancel"}}` + "\n" + ask("4", "cancel"), "1 1 0 4 4 4 4 4 4 4 4 4 4"},
		"task of the extension": {call("1", "") + gives("1", `"resultType":"task",`+task(`,"ttlMs":null`)) + modernCall("2", "tasks/get", `"taskId":"T"`) + done("2", task(`,"ttlMs":null`)) + notes("tasks", task(`,"ttlMs":null`)) + modernCall("3", "tasks/cancel", `"taskId":"U"`),
			"1 1 1 1 1 6"},
		"cancelled": {legacy + legacyCall + tells("cancelled", `"requestId":1`) + gives("1", `"content":[]`), "1 1 0 4 4 4"},
	} {
		if got := flows(c.script); got != c.want {
			t.Errorf("%s: flows are %s, want %s", name, got, c.want)
		}
	}
}
