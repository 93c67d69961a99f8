package annotate

import "testing"

func TestCachingRules(t *testing.T) {
	watch := rulesOf(cachingRules)
	c := func(name, script string, want ...string) ruleCase {
		return ruleCase{name: name, script: script, want: want, watch: watch}
	}
	list := modernCall("1", "tools/list", "")
	answer := func(members string) string { return list + done("1", `"tools":[],`+members) }
	read := func(uri string) string { return modernCall("1", "resources/read", `"uri":"`+uri+`"`) }
	page := func(id, cursor string) string { return modernCall(id, "tools/list", `"cursor":"`+cursor+`"`) }
	d := discovered(`{"tools":{}}`)
	runRuleCases(t, []ruleCase{
		c("sound", answer(fresh0)),
		c("no type", list+gives("1", `"tools":[],`+fresh0), "error result-type-missing by server #2"),
		c("no type on a call", d+modernCall("1", "tools/call", `"name":"x"`)+gives("1", `"content":[]`), "error result-type-missing by server #4 tools/call"),
		c("no type, from a legacy server", list+gives("1", `"tools":[]`)),
		c("no type, but no metadata either", d+bare("1", "tools/list")+gives("1", `"tools":[],`+fresh0)),
		c("no type, asked in a legacy version", d+stated("2025-06-18", "{}", "1", "tools/list", "")+gives("1", `"tools":[]`)),
		c("unknown type", list+gives("1", `"resultType":"success","tools":[],`+fresh0), "error result-type-unknown by server success"),
		c("type a number", list+gives("1", `"resultType":1,"tools":[],`+fresh0), "error result-type-unknown by server 1"),
		c("type of an extension", stated("2026-07-28", `{"extensions":{"com.example/x":{}}}`, "1", "tools/call", `"name":"x"`)+gives("1", `"resultType":"x"`)),
		c("type of an extension that the server lacks", d+stated("2026-07-28", `{"extensions":{"com.example/x":{}}}`, "1", "tools/call", `"name":"x"`)+gives("1", `"resultType":"x"`), "error result-type-unknown by server"),
		c("no hints", answer(`"a":1`), "error cache-hints-missing by server ttlMs"),
		c("no scope", answer(`"ttlMs":1`), "error cache-hints-missing by server cacheScope"),
		c("no time", answer(`"cacheScope":"public"`), "error cache-hints-missing by server ttlMs"),
		c("no hints on the discovery", modernCall("1", "server/discover", "")+done("1", `"supportedVersions":["2026-07-28"],"capabilities":{}`), "error cache-hints-missing by server #2"),
		c("calls are not cached", modernCall("1", "tools/call", `"name":"x"`)+done("1", `"content":[]`)),
		c("questions are not cached", read("a:1")+gives("1", `"resultType":"input_required","requestState":"z"`)),
		c("hints on a question", read("a:1")+gives("1", `"resultType":"input_required","requestState":"z","ttlMs":5`), "warning cache-hints-on-interim by server #2"),
		c("time negative", answer(`"ttlMs":-1,"cacheScope":"public"`), "error cache-ttl-value by server -1"),
		c("time with a fraction", answer(`"ttlMs":1.5,"cacheScope":"public"`), "error cache-ttl-value by server 1.5"),
		c("time a text", answer(`"ttlMs":"5","cacheScope":"public"`), "error cache-ttl-value by server"),
		c("time null", answer(`"ttlMs":null,"cacheScope":"public"`), "error cache-ttl-value by server"),
		c("time 5.0", answer(`"ttlMs":5.0,"cacheScope":"public"`)),
		c("scope", answer(`"ttlMs":0,"cacheScope":"shared"`), "error cache-scope-value by server shared"),
		c("scope null", answer(`"ttlMs":0,"cacheScope":null`), "error cache-scope-value by server"),
		c("pages of two scopes", answer(`"nextCursor":"a","ttlMs":0,"cacheScope":"public"`)+page("2", "a")+done("2", `"tools":[],"ttlMs":0,"cacheScope":"private"`), "error cache-scope-varies by server #4 private"),
		c("pages of one scope", answer(`"nextCursor":"a","ttlMs":0,"cacheScope":"private"`)+page("2", "a")+done("2", `"tools":[],"ttlMs":0,"cacheScope":"private"`)),
		c("two walks may differ", answer(`"ttlMs":0,"cacheScope":"public"`)+modernCall("2", "tools/list", "")+done("2", `"tools":[],"ttlMs":0,"cacheScope":"private"`)),
		c("asked while fresh", answer(`"ttlMs":60000,"cacheScope":"public"`)+modernCall("2", "tools/list", ""), "info cache-refetch-while-fresh by client #3"),
		c("asked when stale", answer(`"ttlMs":1000,"cacheScope":"public"`)+"+ 1000\n"+modernCall("2", "tools/list", "")),
		c("asked after a change", answer(`"ttlMs":60000,"cacheScope":"public"`)+notes("tools/list_changed", "")+modernCall("2", "tools/list", "")),
		c("asked for something else", answer(`"ttlMs":60000,"cacheScope":"public"`)+page("2", "a")+modernCall("3", "prompts/list", "")),
		c("file for all", read("file:///etc/x")+done("1", `"contents":[],"ttlMs":0,"cacheScope":"public"`), "info cache-public-user-data by server file"),
		c("inbox for all", read("mail://x/users/7")+done("1", `"contents":[],"ttlMs":0,"cacheScope":"public"`), "info cache-public-user-data by server users"),
		c("docs for all", read("docs://x/intro")+done("1", `"contents":[],"ttlMs":0,"cacheScope":"public"`)),
		c("file for one", read("file:///etc/x")+done("1", `"contents":[],"ttlMs":0,"cacheScope":"private"`)),
		c("a legacy session knows nothing of it", session+bare("1", "tools/list")+gives("1", `"tools":[],"ttlMs":-1`)),
	})
}

func TestEraRules(t *testing.T) {
	watch := without(rulesOf(eraRules), "deprecated-feature")
	c := func(name, script string, want ...string) ruleCase {
		return ruleCase{name: name, script: script, want: want, watch: watch}
	}
	probe := modernCall(`"p"`, "server/discover", "")
	init := `> {"jsonrpc":"2.0","id":"i","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}` + "\n"
	versions := func(list string) string {
		return done(`"p"`, `"supportedVersions":[`+list+`],"capabilities":{},`+fresh0)
	}
	list, listed := modernCall("1", "tools/list", ""), done("1", `"tools":[],`+fresh0)
	unsupported := func(list string) string {
		return fails(`"p"`, "-32022", "no", `{"supported":[`+list+`],"requested":"2026-07-28"}`)
	}
	end := "@ client_closed_stdin\n"
	runRuleCases(t, []ruleCase{
		c("sound", probe+versions(`"2026-07-28"`)+list+listed),
		c("discovery refused after modern service", list+listed+probe+fails(`"p"`, "-32601", "x", ""), "error discover-missing by server #4"),
		c("discovery refused before modern service", probe+fails(`"p"`, "-32601", "x", "")+list+listed, "error discover-missing by server #2 tools/list"),
		c("discovery ignored", list+listed+probe+"+ 2000\n"+end+"@ exit code=0\n", "error discover-missing by server #3"),
		c("no versions", probe+done(`"p"`, `"capabilities":{},`+fresh0), "error discover-result-shape by server supportedVersions"),
		c("versions empty", probe+versions(``), "error discover-result-shape by server no"),
		c("versions numbers", probe+versions(`1`), "error discover-result-shape by server strings"),
		c("versions a text", probe+done(`"p"`, `"supportedVersions":"2026-07-28","capabilities":{},`+fresh0), "error discover-result-shape by server list"),
		c("no capabilities", probe+done(`"p"`, `"supportedVersions":["2026-07-28"],`+fresh0), "error discover-result-shape by server capabilities"),
		c("that of initialize", probe+done(`"p"`, `"protocolVersion":"2026-07-28","capabilities":{},"serverInfo":{"name":"s","version":"1"},`+fresh0), "error discover-result-shape by server initialize"),
		c("no common version", probe+versions(`"2027-01-01"`), "warning discover-no-common-version by server 2027-01-01"),
		c("legacy versions too", probe+versions(`"2026-07-28","2025-11-25"`), "info discover-legacy-versions by server 2025-11-25"),
		c("fell back", probe+fails(`"p"`, "-32601", "x", "")+init, "info probe-fell-back by client #3 -32601"),
		c("fell back on code 0", probe+fails(`"p"`, "0", "x", "")+init, "info probe-fell-back by client #3"),
		c("fell back on silence", probe+"+ 1000\n"+init, "info probe-fell-back by client #2"),
		c("stalled a while", probe+"+ 10000\n"+init, "info probe-stalled by server #2", "info probe-fell-back by client"),
		c("stalled", probe+"+ 60000\n"+init, "warning probe-stalled by server #2", "info probe-fell-back by client"),
		c("fallback from the discovery", probe+versions(`"2026-07-28"`)+init, "error fallback-after-modern-error by client #3"),
		c("fallback from -32022", probe+unsupported(`"2027-01-01"`)+init, "error fallback-after-modern-error by client #3 -32022"),
		c("fallback from -32021", probe+fails(`"p"`, "-32021", "x", `{"requiredCapabilities":{"roots":{}}}`)+init, "error fallback-after-modern-error by client #3"),
		c("fallback to a version that is listed", probe+unsupported(`"2027-01-01","2025-11-25"`)+init),
		c("fallback where nothing modern is listed", probe+unsupported(`"2025-11-25"`)+init),
		c("initialize refused", init+fails(`"i"`, "-32601", "Method not found", ""), "warning initialize-refusal-unhelpful by server #2"),
		c("initialize refused with versions", init+fails(`"i"`, "-32022", "x", `{"supported":["2026-07-28"],"requested":"2025-11-25"}`)),
		c("initialize refused with a version in words", init+fails(`"i"`, "-32601", "speaks 2026-07-28 only", "")),
		c("a legacy refusal", init+fails(`"i"`, "-32602", "Unsupported protocol version", "")),
		c("modern request on a legacy session", session+list, "warning era-modern-request-on-legacy-session by client #4"),
		c("both eras, a server that knows both", session+list+listed+modernCall("2", "tools/list", ""),
			"info era-modern-request-on-legacy-session by client #4 x2"),
		c("both eras, a server that says so late", session+list+modernCall("2", "tools/list", "")+listed+modernCall("3", "tools/list", ""), "info era-modern-request-on-legacy-session by client #4 x3"),
		c("both eras, a server that never says so", session+list+gives("1", `"tools":[]`)+modernCall("2", "tools/list", ""), "warning era-modern-request-on-legacy-session by client #4 x2"),
		c("handshake after modern requests", list+listed+init, "info era-modern-request-on-legacy-session by client #3"),
		c("legacy server served", list+gives("1", `"tools":[]`), "warning era-ambiguous-served by server #2"),
		c("then bare", list+gives("1", `"tools":[]`)+bare("2", "tools/list"), "warning era-ambiguous-served by server", "warning era-modern-request-on-legacy-session by client #3"),
		c("a modern server is not ambiguous", probe+versions(`"2026-07-28"`)+list+gives("1", `"tools":[]`)),
		c("modern members on a legacy session", session+bare("1", "tools/list")+gives("1", `"tools":[],`+fresh0)+bare("2", "tools/list")+gives("2", `"tools":[],`+fresh0), "info era-fields-legacy by server #5 ttlMs"),
		c("question on a legacy session", session+bare("1", "tools/list")+gives("1", `"resultType":"input_required","requestState":"z"`), "error era-input-required-on-legacy by server #5"),
		c("handle on a legacy session", session+bare("1", "tools/list")+gives("1", `"resultType":"task","taskId":"T"`), "error era-input-required-on-legacy by server #5 task"),
		c("complete on a legacy session", session+bare("1", "tools/list")+gives("1", `"tools":[],"resultType":"complete"`), "info era-fields-legacy by server resultType"),
		c("legacy task asked", modernCall("1", "tools/call", `"name":"x","task":{}`), "error era-task-shape-in-modern by client #1 params.task"),
		c("legacy task given", modernCall("1", "tools/call", `"name":"x"`)+done("1", `"task":{"taskId":"T","status":"working"}`), "error era-task-shape-in-modern by server #2"),
		c("legacy times", modernCall("1", "tools/call", `"name":"x"`)+gives("1", `"resultType":"task","taskId":"T","status":"working","ttl":1,"pollInterval":5`),
			"error era-task-shape-in-modern by server ttlMs", "error era-task-shape-in-modern by server pollIntervalMs"),
		c("legacy notice", list+listed+notes("tasks/status", `"taskId":"T","status":"working"`), "error era-task-shape-in-modern by server #3"),
		c("legacy tool", list+done("1", `"tools":[{"name":"x","execution":{"taskSupport":"optional"}}],`+fresh0), "info era-task-shape-in-modern by server taskSupport"),
		c("legacy capability", stated("2026-07-28", `{"tasks":{}}`, "1", "tools/list", ""), "info era-task-shape-in-modern by client"),
		c("legacy capability of the server", probe+done(`"p"`, `"supportedVersions":["2026-07-28"],"capabilities":{"tasks":{}},`+fresh0), "info era-task-shape-in-modern by server"),
	})
	runRuleCases(t, []ruleCase{
		{name: "deprecated", watch: []string{"deprecated-feature"},
			script: stated("2026-07-28", `{"roots":{},"sampling":{}}`, "1", "tools/list", "") + stated("2026-07-28", `{"roots":{}}`, "2", "tools/list", "") + done("1", `"tools":[],`+fresh0) + notes("message", `"level":"info","data":1`),
			want:   []string{"info deprecated-feature by client #1 roots", "info deprecated-feature by client #1 sampling", "info deprecated-feature by server #4 logging"}},
		{name: "deprecated by the server", watch: []string{"deprecated-feature"},
			script: discovered(`{"logging":{}}`) + modernCall("1", "tools/call", `"name":"x"`) + gives("1", `"resultType":"input_required","inputRequests":{"a":{"method":"roots/list"},"b":{"method":"elicitation/create"}}`),
			want:   []string{"info deprecated-feature by server #2 logging", "info deprecated-feature by server #4 roots"}},
	})
}
