package annotate

import "testing"

func TestSubscriptionRules(t *testing.T) {
	watch := without(rulesOf(subscriptionRules, subscriptionEndRules), "sub-ack-reduced")
	c := func(name, script string, want ...string) ruleCase {
		return ruleCase{name: name, script: script, want: want, watch: watch}
	}
	d := discovered(`{"tools":{"listChanged":true},"resources":{"subscribe":true},"logging":{}}`)
	listen := func(id, filter string) string {
		return modernCall(id, "subscriptions/listen", `"notifications":{`+filter+`}`)
	}
	tag := func(id string) string { return `"_meta":{"io.modelcontextprotocol/subscriptionId":` + id + `}` }
	ack := func(id, filter string) string {
		return notes("subscriptions/acknowledged", tag(id)+`,"notifications":{`+filter+`}`)
	}
	const tools = `"toolsListChanged":true`
	open := d + listen("1", tools) + ack("1", tools) // #1 to #4
	changed := func(id string) string { return notes("tools/list_changed", tag(id)) }
	closing := gives("1", `"resultType":"complete",`+tag("1"))
	uris := `"resourceSubscriptions":["a:1"]`
	const stdin, exit = "@ client_closed_stdin\n", "@ exit code=0\n"
	runRuleCases(t, []ruleCase{
		c("sound", open+changed("1")+closing+exit),
		c("id a text", d+listen(`"1"`, tools)+ack(`"1"`, tools)+changed(`"1"`)),
		c("before the acknowledgement", d+listen("1", tools)+changed("1")+ack("1", tools), "error sub-no-ack-first by server #4"),
		c("each for itself", open+listen("2", tools)+changed("1")+changed("2")+ack("2", tools), "error sub-no-ack-first by server #7"),
		c("never acknowledged", d+listen("1", tools)+"+ 3000\n"+stdin, "warning sub-never-acked by server #3"),
		c("refused", d+listen("1", tools)+fails("1", "-32601", "x", "")+"+ 3000\n"+stdin),
		c("left at once", d+listen("1", tools)+stdin),
		c("a recording that stops proves nothing", d+listen("1", tools)),
		c("given up at once", d+listen("1", tools)+tells("cancelled", `"requestId":1`)+"+ 3000\n"+stdin),
		c("acknowledged twice", open+ack("1", tools), "warning sub-ack-repeated by server #5"),
		c("grants more", d+listen("1", tools)+ack("1", tools+","+uris), "error sub-ack-exceeds-request by server #4 a:1"),
		c("grants another URI", d+listen("1", uris)+ack("1", `"resourceSubscriptions":["a:2"]`), "error sub-ack-exceeds-request by server a:2"),
		c("grants what it cannot", d+listen("1", `"promptsListChanged":true`)+ack("1", `"promptsListChanged":true`), "error sub-ack-exceeds-request by server declare"),
		c("grants false", d+listen("1", tools)+ack("1", tools+`,"promptsListChanged":false`)),
		c("no id", open+notes("tools/list_changed", ""), "error sub-id-missing by server #5"),
		c("no id on a resource", d+listen("1", uris)+ack("1", uris)+notes("resources/updated", `"uri":"a:1"`), "error sub-id-missing by server #5"),
		c("no id on the acknowledgement", d+listen("1", tools)+notes("subscriptions/acknowledged", `"notifications":{`+tools+`}`), "error sub-id-missing by server #4"),
		c("id of another type", open+changed(`"1"`), "error sub-id-unknown by server #5 type"),
		c("id of nothing", open+changed("9"), "error sub-id-unknown by server #5"),
		c("not asked for", open+notes("prompts/list_changed", tag("1")), "error sub-type-not-requested by server #5 promptsListChanged"),
		c("another resource", d+listen("1", uris)+ack("1", uris)+notes("resources/updated", `"uri":"b:1",`+tag("1")), "error sub-type-not-requested by server b:1"),
		c("a part of the resource", d+listen("1", uris)+ack("1", uris)+notes("resources/updated", `"uri":"a:1/part",`+tag("1"))),
		c("nobody subscribed", d+notes("tools/list_changed", ""), "error sub-unsolicited-change by server #3"),
		c("a legacy session takes them", opened("2025-11-25", "{}", `{"tools":{"listChanged":true}}`)+notes("tools/list_changed", "")),
		c("a legacy server that was probed", modernCall(`"p"`, "server/discover", "")+fails(`"p"`, "-32601", "x", "")+notes("tools/list_changed", "")),
		c("a legacy server that serves modern requests", modernCall("1", "tools/list", "")+gives("1", `"tools":[]`)+notes("tools/list_changed", "")+notes("message", `"level":"info","data":1`)),
		c("log on a subscription", open+notes("message", `"level":"info","data":1,`+tag("1")), "error sub-request-scoped-on-stream by server #5"),
		c("progress on a subscription", open+notes("progress", `"progressToken":1,"progress":1,`+tag("1")), "error sub-request-scoped-on-stream by server #5"),
		c("asks for nothing", d+listen("1", ""), "info sub-filter-empty by client #3"),
		c("asks for false", d+listen("1", `"toolsListChanged":false`), "info sub-filter-empty by client #3"),
		c("asks for the unknown", d+listen("1", tools+`,"rootsListChanged":true`), "info sub-filter-empty by client rootsListChanged"),
		c("tasks are known", d+listen("1", `"taskIds":["T"]`)),
		c("ended without closing", open+exit, "warning sub-close-no-result by server #5"),
		c("ended by the client", open+stdin+exit),
		c("ended by a signal", open+"@ signal signal=SIGTERM\n"+exit),
		c("a crash is no orderly end", open+"@ exit code=1\n"),
		c("cancelled by the server", open+notes("cancelled", `"requestId":1`)+exit),
		c("closing result without id", open+gives("1", `"resultType":"complete"`), "error sub-close-result-meta by server #5"),
		c("closing result of another", open+gives("1", `"resultType":"complete",`+tag(`"1"`)), "error sub-close-result-meta by server #5"),
		c("after the closing result", open+closing+changed("1"), "error sub-after-close by server #6"),
		c("after the server's cancellation", open+notes("cancelled", `"requestId":1`)+changed("1"), "error sub-after-close by server #6"),
		c("after the client's cancellation", open+tells("cancelled", `"requestId":1`)+"+ 2000\n"+changed("1"), "error sub-after-close by server #6"),
		c("crossing the client's cancellation", open+tells("cancelled", `"requestId":1`)+changed("1")),
		c("id used again", open+closing+listen("1", tools)+ack("1", tools)+changed("1")),
		c("lost on restart", open+"@ exit code=1\n@ spawn\n"+modernCall("2", "tools/list", "")+done("2", `"tools":[],`+fresh0), "info sub-lost-on-restart by client #7"),
		c("opened again", open+"@ exit code=1\n@ spawn\n"+modernCall("2", "tools/list", "")+listen("3", tools)+ack("3", tools)),
		c("had given it up", open+tells("cancelled", `"requestId":1`)+"@ exit code=1\n@ spawn\n"+modernCall("2", "tools/list", "")),
		c("after a gap nothing is sure", open+"~ in=5\n"+changed("9")),
	})
	runRuleCases(t, []ruleCase{
		{name: "reduced", script: d + listen("1", tools+","+uris) + ack("1", tools), want: []string{"info sub-ack-reduced by server #4 a:1"}},
		{name: "not reduced", script: open, watch: []string{"sub-ack-reduced"}},
	})
}

func TestModernLogRules(t *testing.T) {
	watch := []string{"modern-log-not-requested", "modern-log-below-level", "modern-log-level-invalid"}
	c := func(name, script string, want ...string) ruleCase {
		return ruleCase{name: name, script: script, want: want, watch: watch}
	}
	d := discovered(`{"tools":{},"logging":{}}`)
	call := func(id, level string) string {
		if level != "" {
			level = `"io.modelcontextprotocol/logLevel":` + level + `,`
		}
		return `> {"jsonrpc":"2.0","id":` + id + `,"method":"tools/call","params":{"name":"x","_meta":{` + level + `"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}` + "\n"
	}
	log := func(level string) string { return notes("message", `"level":"`+level+`","data":1`) }
	runRuleCases(t, []ruleCase{
		c("asked for", d+call("1", `"info"`)+log("info")+log("error")),
		c("not asked for", d+call("1", "")+log("info")+log("info"), "error modern-log-not-requested by server #4 x2"),
		c("too late", d+call("1", `"info"`)+done("1", `"content":[]`)+log("info"), "error modern-log-not-requested by server #5 answered"),
		c("one of two asked", d+call("1", "")+call("2", `"info"`)+log("info")),
		c("below", d+call("1", `"error"`)+log("info"), "warning modern-log-below-level by server #4 error"),
		c("above the lowest of two", d+call("1", `"error"`)+call("2", `"debug"`)+log("info")),
		c("unknown levels prove nothing", d+call("1", `"warn"`)+log("debug"), "warning modern-log-level-invalid by client #3 warn"),
		c("level a number", d+call("1", `3`), "warning modern-log-level-invalid by client #3"),
		c("a legacy session beside it", session+modernCall("1", "server/discover", "")+log("info")),
	})
}
