package annotate

import (
	"strings"
	"testing"
)

func TestHandshakeRules(t *testing.T) {
	rules := []string{"init-not-first", "request-before-init-result", "server-request-before-initialized", "initialized-missing", "initialized-too-early",
		"initialized-repeated", "initialized-wrong-name", "initialize-repeated", "initialize-params", "initialize-result-shape", "initialize-failed-continue",
		"initialize-from-server", "init-result-late-capability", "capability-misplaced", "unknown-notification"}
	script := func(name, text string, want ...string) ruleCase {
		return ruleCase{name: name, script: text, want: want, watch: rules}
	}
	lines := strings.SplitAfter(session, "\n")
	ask, answer, done := lines[0], lines[1], lines[2]
	const tools = `> {"jsonrpc":"2.0","id":1,"method":"tools/list"}` + "\n"
	const toolsAnswer = `< {"jsonrpc":"2.0","id":1,"result":{"tools":[]}}` + "\n"
	const roots = `< {"jsonrpc":"2.0","id":1,"method":"roots/list"}` + "\n"
	const refused = `< {"jsonrpc":"2.0","id":"i","error":{"code":-32602,"message":"no"}}` + "\n"
	const discover = `> {"jsonrpc":"2.0","id":"d","method":"server/discover","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}` + "\n"
	runRuleCases(t, []ruleCase{
		script("sound", session+tools+toolsAnswer),
		script("no handshake", tools+toolsAnswer+ping, "error init-not-first by client #1"),
		script("several before it", tools+`> {"jsonrpc":"2.0","id":2,"method":"prompts/list"}`+"\n"+session, "error init-not-first by client #1 x2"),
		script("ping and probe may come first", ping+ponged+discover+`< {"jsonrpc":"2.0","id":"d","error":{"code":-32601,"message":"x"}}`+"\n"+session),
		script("modern needs none", strings.Replace(discover, "server/discover", "tools/list", 1)),
		script("the beginning is missing", "~ in=100\n"+tools),
		script("too soon", ask+tools+answer+done, "warning request-before-init-result by client #2"),
		script("ping meanwhile", ask+ping+answer+done),
		script("between answer and initialized is fine", ask+answer+tools+done+toolsAnswer),
		script("server too soon", ask+answer+roots+done, "warning server-request-before-initialized by server #3"),
		script("server pings", ask+answer+"< {\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n"+done),
		script("server in time", session+roots),
		script("never initialized", ask+answer+tools+toolsAnswer+"@ client_closed_stdin\n", "error initialized-missing by client #5"),
		script("never initialized, and nothing asked", ask+answer+"@ client_closed_stdin\n"),
		script("before the answer", ask+done+answer, "error initialized-too-early by client #2"),
		script("without initialize", done, "error initialized-too-early by client #1"),
		script("after a refusal", ask+refused+done, "error initialized-too-early by client #3"),
		script("twice", session+done, "warning initialized-repeated by client #4"),
		script("bare name", ask+answer+`> {"jsonrpc":"2.0","method":"initialized"}`+"\n"+tools+toolsAnswer, "warning initialized-wrong-name by client #3", "error initialized-missing by client"),
		script("misspelt", ask+answer+`> {"jsonrpc":"2.0","method":"notifications/initialised"}`+"\n", "warning initialized-wrong-name by client #3"),
		script("with an id", ask+answer+`> {"jsonrpc":"2.0","id":3,"method":"notifications/initialized"}`+"\n"+tools),
		script("opened twice", session+strings.Replace(ask, `"i"`, `"j"`, 1), "warning initialize-repeated by client #4"),
		script("asked again while unanswered", ask+strings.Replace(ask, `"i"`, `"j"`, 1), "warning initialize-repeated by client #2"),
		script("another try after a refusal", ask+refused+strings.Replace(session, `"i"`, `"j"`, 2)),
		script("goes on after a refusal", ask+refused+tools, "error initialize-failed-continue by client #3"),
		script("lacks clientInfo and capabilities", `> {"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25"}}`+"\n", "error initialize-params by client #1 capabilities clientInfo"),
		script("no params", `> {"jsonrpc":"2.0","id":1,"method":"initialize"}`+"\n", "error initialize-params by client #1"),
		script("name only", `> {"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c"}}}`+"\n", "error initialize-params by client version"),
		script("result lacks most", ask+`< {"jsonrpc":"2.0","id":"i","result":{"capabilities":{}}}`+"\n", "error initialize-result-shape by server #2 protocolVersion serverInfo"),
		script("the server opens", strings.Replace(ask, ">", "<", 1), "error initialize-from-server by server #1"),
		script("works though undeclared", session+`> {"jsonrpc":"2.0","id":1,"method":"prompts/list"}`+"\n"+`< {"jsonrpc":"2.0","id":1,"result":{"prompts":[]}}`+"\n", "info init-result-late-capability by server #5 prompts"),
		script("under experimental", opened("2025-11-25", `{"experimental":{"sampling":{}}}`, `{"experimental":{"tasks":{},"own":{}}}`), "info capability-misplaced by client #1 sampling", "info capability-misplaced by server #2 tasks"),
	})
}

func TestVersionRules(t *testing.T) {
	rules := []string{"version-format", "version-changed", "version-newer-than-asked", "version-not-echoed", "version-mismatch-disconnect", "version-refused", "modern-version-in-initialize"}
	shake := func(asked, answered string) string {
		return `> {"jsonrpc":"2.0","id":"i","method":"initialize","params":{"protocolVersion":` + asked + `,"capabilities":{},"clientInfo":{"name":"c","version":"1"}}}
< {"jsonrpc":"2.0","id":"i","result":{"protocolVersion":` + answered + `,"capabilities":{},"serverInfo":{"name":"s","version":"1"}}}
`
	}
	refuse := func(asked, err string) string {
		return strings.SplitAfter(shake(asked, asked), "\n")[0] + `< {"jsonrpc":"2.0","id":"i","error":` + err + "}\n"
	}
	const hangUp = "@ client_closed_stdin\n"
	script := func(name, text string, want ...string) ruleCase {
		return ruleCase{name: name, script: text, want: want, watch: rules}
	}
	runRuleCases(t, []ruleCase{
		script("agreed", shake(`"2025-06-18"`, `"2025-06-18"`)+hangUp),
		script("older", shake(`"2025-11-25"`, `"2024-11-05"`), "info version-changed by server #2 tasks elicitation audio"),
		script("older, and away", shake(`"2025-11-25"`, `"2024-11-05"`)+hangUp, "info version-changed by server", "info version-mismatch-disconnect by client #3"),
		script("older, accepted", shake(`"2025-11-25"`, `"2024-11-05"`)+`> {"jsonrpc":"2.0","method":"notifications/initialized"}`+"\n"+hangUp, "info version-changed by server"),
		script("newer", shake(`"2024-11-05"`, `"2025-11-25"`), "info version-newer-than-asked by server #2"),
		script("no date", shake(`"1.0"`, `"2025-11-25"`), "warning version-format by client #1", "info version-changed by server"),
		script("number", shake(`20251125`, `"2025-11-25"`), "warning version-format by client #1"),
		script("wrong date asked", shake(`"2025-06-19"`, `"2025-06-18"`), "warning version-format by client #1", "info version-changed by server"),
		script("wrong date answered", shake(`"2025-06-18"`, `"2025-06-17"`), "warning version-format by server #2", "info version-changed by server"),
		script("never published, but offered", shake(`"2024-10-07"`, `"2024-10-07"`)),
		script("never published, unasked", shake(`"2024-11-05"`, `"2024-10-07"`), "warning version-format by server #2", "info version-changed by server"),
		script("modern asked", shake(`"2026-07-28"`, `"2025-11-25"`), "info modern-version-in-initialize by client #1", "info version-changed by server"),
		script("modern answered", shake(`"2025-11-25"`, `"2026-07-28"`), "error modern-version-in-initialize by server #2", "info version-newer-than-asked by server"),
		script("far future asked", shake(`"2099-01-01"`, `"2025-11-25"`), "warning version-format by client #1", "info version-changed by server"),
		script("refused", refuse(`"2025-06-18"`, `{"code":-32602,"message":"Unsupported protocol version"}`), "warning version-refused by server #2"),
		script("refused, with a list", refuse(`"2025-06-18"`, `{"code":-32000,"message":"no","data":{"supported":["2025-03-26"]}}`), "warning version-refused by server #2"),
		script("unknown, refused", refuse(`"1.0"`, `{"code":-32602,"message":"Unsupported protocol version"}`), "warning version-format by client"),
		script("refused by a modern server", refuse(`"2025-06-18"`, `{"code":-32022,"message":"Unsupported protocol version","data":{"supported":["2026-07-28"],"requested":"2025-06-18"}}`)),
		script("refused for something else", refuse(`"2025-06-18"`, `{"code":-32603,"message":"no licence"}`)),
		script("listed as supported", refuse(`"2025-03-26"`, `{"code":-32602,"message":"Unsupported protocol version","data":{"supported":["2025-06-18"]}}`)+
			strings.ReplaceAll(shake(`"2025-06-18"`, `"2024-11-05"`), `"i"`, `"j"`), "warning version-refused by server", "error version-not-echoed by server #4", "info version-changed by server"),
	})
}

func TestFeatureRules(t *testing.T) {
	rules := []string{"feature-newer-than-session", "method-not-in-revision"}
	const task = `> {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","task":{}}}` + "\n"
	const structured = `> {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a"}}` + "\n" + `< {"jsonrpc":"2.0","id":1,"result":{"content":[],"structuredContent":{}}}` + "\n"
	script := func(name, revision, text string, want ...string) ruleCase {
		return ruleCase{name: name, script: opened(revision, `{"sampling":{}}`, `{"tools":{}}`) + text, want: want, watch: rules}
	}
	runRuleCases(t, []ruleCase{
		script("task", "2025-06-18", task, "error feature-newer-than-session by client #4"),
		script("task, when it was a SHOULD", "2025-03-26", task, "warning feature-newer-than-session by client #4"),
		script("task in its own", "2025-11-25", task),
		script("sampling with tools", "2025-06-18", `< {"jsonrpc":"2.0","id":1,"method":"sampling/createMessage","params":{"messages":[],"maxTokens":1,"tools":[]}}`+"\n", "error feature-newer-than-session by server #4"),
		script("structured", "2025-03-26", structured, "info feature-newer-than-session by server #5"),
		script("structured in its own", "2025-06-18", structured),
		script("members of tools, once each", "2024-11-05", `> {"jsonrpc":"2.0","id":1,"method":"tools/list"}`+"\n"+`< {"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"a","title":"A","inputSchema":{"type":"object"}},{"name":"b","title":"B","inputSchema":{"type":"object"}}]}}`+"\n",
			"info feature-newer-than-session by server #5 title"),
	})
}

func TestEndRules(t *testing.T) {
	rules := []string{"exit-with-pending", "exit-before-initialize", "probe-killed-server", "exit-ignored-eof", "killed-without-eof", "stdout-closed-by-server",
		"exit-nonzero", "output-after-stdin-close", "hangup-cause"}
	script := func(name, text string, want ...string) ruleCase {
		return ruleCase{name: name, script: text, want: want, watch: rules}
	}
	lines := strings.SplitAfter(session, "\n")
	const stdin, stdout = "@ client_closed_stdin\n", "@ server_closed_stdout\n"
	const discover = `> {"jsonrpc":"2.0","id":"d","method":"server/discover","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}` + "\n"
	runRuleCases(t, []ruleCase{
		script("in good order", session+ping+ponged+stdin+stdout+"@ exit code=0\n"),
		script("crash", session+ping+"@ exit code=1\n", "error exit-with-pending by server #5"),
		script("crash with words", session+ping+"! Error: no such table\n! at x\n@ exit code=1\n", "error exit-with-pending by server #7 table"),
		script("killed", session+ping+stdout+"@ exit signal=SIGKILL\n", "error exit-with-pending by server #6 SIGKILL"),
		script("ended by the client's signal", session+ping+"@ signal signal=SIGTERM\n@ exit signal=SIGTERM\n", "info killed-without-eof by client #5"),
		script("never up", lines[0]+"@ exit code=1\n", "error exit-before-initialize by server #2"),
		script("no command", "@ exit code=127\n", "error exit-before-initialize by environment #1 found"),
		script("not started", "@ spawn_error reason=ENOENT\n", "error exit-before-initialize by environment #1 ENOENT"),
		script("probe", discover+"@ exit code=1\n", "error probe-killed-server by server #2"),
		script("deaf", session+stdin+"+ 2000\n@ signal signal=SIGTERM\n", "warning exit-ignored-eof by server #5"),
		script("signal at once", session+stdin+"@ signal signal=SIGTERM\n"),
		script("goes by itself", session+stdout, "info stdout-closed-by-server by server #4"),
		script("bad code after a good session", session+ping+ponged+stdin+"@ exit code=4294967295\n", "warning exit-nonzero by server #7 255"),
		script("bad code after a signal", session+stdin+"@ signal signal=SIGTERM\n@ exit code=143\n"),
		script("bad code with a request open", session+ping+stdin+"@ exit code=1\n"),
		script("block-buffered", lines[0]+"+ 6000\n"+stdin+lines[1], "warning output-after-stdin-close by server #3"),
		script("client in a hurry", lines[0]+stdin+lines[1]),
		script("answers in time and after", session+ping+"+ 6000\n"+stdin+ponged),
		script("hung up over a stray line", lines[0]+"< banner\n"+stdin, "info hangup-cause by server #3 stdout-not-json"),
		script("hung up over a reply to a notification", session+`< {"jsonrpc":"2.0","id":null,"error":{"code":-32601,"message":"x"}}`+"\n"+stdin, "info hangup-cause by server #5 notification-answered"),
		script("left long after", lines[0]+"< banner\n+ 5000\n"+stdin),
		script("left in good order", "< banner\n"+session+ping+ponged+stdin),
		script("server gone over a bad line", session+"> {\n"+stdout, "info hangup-cause by client #5 stdin-not-json", "info stdout-closed-by-server by server"),
	})
}

func TestMethodRules(t *testing.T) {
	rules := []string{"wrong-direction", "unknown-method", "unknown-notification", "method-not-in-revision", "method-removed-in-modern", "ui-method-on-mcp-link",
		"implemented-but-undeclared-32601", "declared-but-32601", "unknown-method-wrong-code", "unknown-method-answered", "initialized-wrong-name"}
	script := func(name, text string, want ...string) ruleCase {
		return ruleCase{name: name, script: session + text + "\n", want: want, watch: rules}
	}
	request := func(sign, method string) string { return sign + ` {"jsonrpc":"2.0","id":1,"method":"` + method + `"}` }
	notice := func(sign, method string) string { return sign + ` {"jsonrpc":"2.0","method":"` + method + `"}` }
	const meta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`
	modern := `> {"jsonrpc":"2.0","id":1,"method":"tools/list","params":{` + meta + `}}
< {"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","tools":[],"ttlMs":0,"cacheScope":"public"}}
`
	refusal := func(id, code string) string {
		return "\n< " + `{"jsonrpc":"2.0","id":` + id + `,"error":{"code":` + code + `,"message":"no"}}`
	}
	runRuleCases(t, []ruleCase{
		script("server lists tools", request("<", "tools/list"), "error wrong-direction by server #4"),
		script("client samples", request(">", "sampling/createMessage"), "error wrong-direction by client #4"),
		script("client logs", notice(">", "notifications/message"), "error wrong-direction by client #4"),
		script("both may", request("<", "ping")+"\n"+notice("<", "notifications/cancelled")),
		script("unknown", request(">", "tools/execute"), "warning unknown-method by client #4"),
		script("spelt otherwise", request(">", "tools.list"), "warning unknown-method ~tools/list?"),
		script("plural lost", request(">", "tool/call"), "warning unknown-method ~tools/call?"),
		script("camel case", request(">", "listTools"), "warning unknown-method ~tools/list?"),
		script("slip", request(">", "resources/lst"), "warning unknown-method ~resources/list?"),
		script("unknown, refused otherwise", request(">", "nope")+refusal("1", "-32603"), "warning unknown-method", "warning unknown-method-wrong-code by server #5"),
		script("unknown, refused well", request(">", "nope")+refusal("1", "-32601"), "warning unknown-method"),
		script("private", request(">", "acme/do")+"\n"+`< {"jsonrpc":"2.0","id":1,"result":{}}`, "info unknown-method-answered by server #5"),
		script("vendor notice", notice("<", "notifications/acme/done"), "info unknown-notification by server #4"),
		script("prefix lost", notice(">", "cancelled"), "warning unknown-notification by client ~notifications/cancelled?"),
		script("s lost", notice("<", "notification/progress"), "warning unknown-notification by server ~notifications/progress?"),
		script("language server", notice(">", "$/cancelRequest"), "info unknown-notification by client language"),
		script("page to host", request(">", "ui/initialize"), "error ui-method-on-mcp-link by client #4"),
		script("undeclared, refused", request(">", "prompts/list")+refusal("1", "-32601"), "info implemented-but-undeclared-32601 by client #5"),
		script("declared, refused", request(">", "tools/list")+refusal("1", "-32601"), "warning declared-but-32601 by server #5"),
		script("declared, fails", request(">", "tools/list")+refusal("1", "-32603")),
		script("unknown tool", `> {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x"}}`+refusal("1", "-32601")),
		{name: "later method", script: opened("2025-06-18", "{}", "{}") + request("<", "tasks/list") + "\n", want: []string{"error method-not-in-revision by server #4 2025-11-25"}, watch: rules},
		{name: "modern method on a session", script: opened("2025-06-18", "{}", "{}") + request(">", "subscriptions/listen") + "\n", want: []string{"error method-not-in-revision by client #4"}, watch: rules},
		{name: "its own method", script: opened("2025-06-18", `{"elicitation":{}}`, "{}") + request("<", "elicitation/create") + "\n", watch: rules},
		{name: "ping is gone", script: modern + `> {"jsonrpc":"2.0","id":2,"method":"ping","params":{` + meta + "}}\n", want: []string{"error method-removed-in-modern by client #3"}, watch: rules},
		{name: "bare too", script: modern + `> {"jsonrpc":"2.0","id":2,"method":"logging/setLevel","params":{"level":"info"}}` + "\n", want: []string{"error method-removed-in-modern by client #3"}, watch: rules},
		{name: "the server's notice too", script: modern + notice("<", "notifications/elicitation/complete") + "\n", want: []string{"error method-removed-in-modern by server #3"}, watch: rules},
		{name: "no handshake, no initialized", script: modern + notice(">", "notifications/initialized") + "\n", want: []string{"error method-removed-in-modern by client #3"}, watch: rules},
		{name: "legacy session beside it", script: modern + session + ping, watch: rules},
	})
}
