package annotate

import "testing"

func TestModernRequestRules(t *testing.T) {
	watch := without(rulesOf(modernRules, modernErrorRules), "modern-client-info-missing", "modern-server-info-missing", "modern-version-varies")
	c := func(name, script string, want ...string) ruleCase {
		return ruleCase{name: name, script: script, want: want, watch: watch}
	}
	list, listed := modernCall("1", "tools/list", ""), done("1", `"tools":[],`+fresh0)
	d := discovered(`{"tools":{}}`)
	meta := func(meta string) string {
		return `> {"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{` + meta + `}}}` + "\n"
	}
	const (
		version = `"io.modelcontextprotocol/protocolVersion":"2026-07-28"`
		caps    = `"io.modelcontextprotocol/clientCapabilities":{}`
	)
	runRuleCases(t, []ruleCase{
		c("sound", d+list+listed),
		c("no version", d+bare("1", "tools/list")+fails("1", "-32602", "no metadata", ""), "error modern-meta-version-missing by client #3 discovery"),
		c("no version, again and again", d+bare("1", "tools/list")+bare("2", "tools/list"), "error modern-meta-version-missing by client #3 x2"),
		c("no version, nothing modern known", bare("1", "tools/list")),
		c("no version on the discovery", bare("1", "server/discover"), "error modern-meta-version-missing by client #1"),
		c("version a number", meta(`"io.modelcontextprotocol/protocolVersion":2,`+caps), "error modern-meta-version-missing by client #1 string"),
		c("a method that is gone", d+bare("1", "ping")+fails("1", "-32601", "gone", "")),
		c("no version on a legacy session", session+bare("1", "tools/list")+gives("1", `"tools":[]`)),
		c("no capabilities", meta(version), "error modern-meta-capabilities-missing by client #1"),
		c("capabilities a list", meta(version+`,"io.modelcontextprotocol/clientCapabilities":[]`), "error modern-meta-capabilities-missing by client object"),
		c("in params", `> {"jsonrpc":"2.0","id":1,"method":"tools/list","params":{`+version+","+caps+`}}`, "error modern-meta-misplaced by client params"),
		c("in params, short", `> {"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"protocolVersion":"2026-07-28"}}`, "error modern-meta-misplaced by client params"),
		c("beside params", `> {"jsonrpc":"2.0","id":1,"method":"tools/list","params":{},"_meta":{`+version+","+caps+`}}`, "error modern-meta-misplaced by client beside"),
		c("without prefix", meta(`"protocolVersion":"2026-07-28","clientCapabilities":{}`), "error modern-meta-misplaced by client prefix"),
		c("capabilities without prefix", meta(version+`,"clientCapabilities":{}`), "error modern-meta-misplaced by client clientCapabilities"),
		c("a vendor's own protocolVersion beside the right one", d+meta(version+","+caps+`,"protocolVersion":"7"`)+listed),
		c("lack accepted", d+bare("1", "tools/list")+listed, "error modern-meta-version-missing by client", "error modern-bad-meta-accepted by server #4 result"),
		c("lack refused wrongly", meta(version)+fails("1", "-32600", "x", "")+modernCall("2", "tools/list", "")+done("2", `"tools":[],`+fresh0), "error modern-meta-capabilities-missing by client"),
		c("lack refused wrongly by a modern server", d+meta(version)+fails("1", "-32600", "x", ""), "error modern-meta-capabilities-missing by client", "error modern-bad-meta-accepted by server #4 -32600"),
		c("lack served by a legacy server", meta(version)+gives("1", `"tools":[]`), "error modern-meta-capabilities-missing by client"),
		c("gone method served bare", d+bare("1", "ping")+done("1", ""), "error modern-bad-meta-accepted by server #4"),
		c("server asks", d+`< {"jsonrpc":"2.0","id":1,"method":"roots/list"}`+"\n"+`> {"jsonrpc":"2.0","id":1,"result":{"roots":[]}}`,
			"error modern-server-request by server #3", "error modern-client-response by client #4 roots/list"),
		c("server pings in the middle of a call", list+`< {"jsonrpc":"2.0","id":1,"method":"ping"}`, "error modern-server-request by server #2"),
		c("server asks on a legacy session", session+`< {"jsonrpc":"2.0","id":1,"method":"ping"}`+"\n"+`> {"jsonrpc":"2.0","id":1,"result":{}}`),
		c("server asks while it is probed", modernCall(`"d"`, "server/discover", "")+`< {"jsonrpc":"2.0","id":1,"method":"ping"}`),
		c("server asks on a session beside modern requests", session+modernCall("1", "server/discover", "")+done("1", `"supportedVersions":["2026-07-28"],"capabilities":{},`+fresh0)+
			`< {"jsonrpc":"2.0","id":1,"method":"ping"}`+"\n"),
		c("client answers nothing", d+`> {"jsonrpc":"2.0","id":1,"result":{}}`, "error modern-client-response by client #3"),
		c("client answers with an error", d+`> {"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"x"}}`, "error modern-client-response by client #3"),
	})
}

func TestModernVersionRules(t *testing.T) {
	watch := rulesOf(modernErrorRules)
	c := func(name, script string, want ...string) ruleCase {
		return ruleCase{name: name, script: script, want: want, watch: watch}
	}
	call := modernCall("1", "tools/call", `"name":"x"`)
	later := stated("2099-01-01", "{}", "1", "tools/list", "")
	d, ok := discovered(`{"tools":{}}`), done("1", `"tools":[],`+fresh0)
	data := func(supported, requested string) string {
		return `{"supported":[` + supported + `],"requested":"` + requested + `"}`
	}
	runRuleCases(t, []ruleCase{
		c("unsupported accepted", d+later+ok, "error modern-version-unsupported-accepted by server #4 2099-01-01"),
		c("accepted, nothing known of the versions", later+ok),
		c("wrong code", d+later+fails("1", "-32602", "bad version", ""), "error modern-version-wrong-code by server #4 -32602"),
		c("wrong code by its words", modernCall("0", "tools/list", "")+done("0", `"tools":[],`+fresh0)+later+fails("1", "-32600", "Unsupported version", ""), "error modern-version-wrong-code by server #4"),
		c("another error of a supported version", d+call+fails("1", "-32602", "version of x unknown", "")),
		c("a legacy server's refusal", later+fails("1", "-32602", "bad version", "")),
		c("refused in due form", d+later+fails("1", "-32022", "no", data(`"2026-07-28"`, "2099-01-01"))+modernCall("2", "tools/list", "")),
		c("no data", call+fails("1", "-32022", "no", ""), "error modern-version-error-shape by server #2 supported"),
		c("no requested", call+fails("1", "-32022", "no", `{"supported":["2027-01-01"]}`), "error modern-version-error-shape by server #2 requested"),
		c("supported with a number", call+fails("1", "-32022", "no", `{"supported":["2027-01-01",7],"requested":"2026-07-28"}`), "error modern-version-error-shape by server #2"),
		c("refuses itself", call+fails("1", "-32022", "no", data(`"2026-07-28"`, "2026-07-28")), "error modern-version-error-self by server #2"),
		c("same version again", call+fails("1", "-32022", "no", data(`"2027-01-01"`, "2026-07-28"))+modernCall("2", "tools/list", ""), "warning modern-version-no-retry by client #3"),
		c("a request on its way is no retry", call+modernCall("2", "tools/list", "")+fails("1", "-32022", "no", data(`"2027-01-01"`, "2026-07-28"))),
		c("retried in another version", later+fails("1", "-32022", "no", data(`"2026-07-28"`, "2099-01-01"))+modernCall("2", "tools/list", "")),
		c("could have retried", modernCall("0", "tools/list", "")+later+fails("1", "-32022", "no", data(`"2026-07-28"`, "2099-01-01"))+"@ client_closed_stdin\n", "warning modern-version-no-retry by client #3 2026-07-28"),
		c("speaks none of them", later+fails("1", "-32022", "no", data(`"2026-07-28"`, "2099-01-01"))+"@ client_closed_stdin\n"),
		c("no capability named", call+fails("1", "-32021", "no", ""), "error modern-capability-error-shape by server #2"),
		c("capability named", call+fails("1", "-32021", "no", `{"requiredCapabilities":{"elicitation":{}}}`)),
		c("only what was declared", stated("2026-07-28", `{"elicitation":{}}`, "1", "tools/call", `"name":"x"`)+fails("1", "-32021", "no", `{"requiredCapabilities":{"elicitation":{"form":{}}}}`), "error modern-capability-error-shape by server #2"),
		c("more than was declared", stated("2026-07-28", `{"elicitation":{}}`, "1", "tools/call", `"name":"x"`)+fails("1", "-32021", "no", `{"requiredCapabilities":{"elicitation":{"url":{}}}}`)),
		c("legacy code", call+fails("1", "-32042", "go there", ""), "error modern-forbidden-code by server #2 -32042"),
		c("missing resource", modernCall("1", "resources/read", `"uri":"a:b"`)+fails("1", "-32002", "gone", ""), "error modern-forbidden-code by server #2 -32002"),
		c("closed range", call+fails("1", "-32050", "x", ""), "error modern-forbidden-code by server #2"),
		c("edges of the closed range", call+fails("1", "-32099", "x", "")+modernCall("2", "tools/call", `"name":"x"`)+fails("2", "-32100", "x", ""), "error modern-forbidden-code by server #2"),
		c("a probe's refusal may be any", modernCall("1", "server/discover", "")+fails("1", "-32002", "not initialized", "")),
		c("a legacy server that was probed", modernCall("1", "server/discover", "")+fails("1", "-32601", "x", "")+modernCall("2", "tools/call", `"name":"x"`)+fails("2", "-32002", "x", "")),
		c("codes of a legacy session", session+bare("1", "tools/list")+fails("1", "-32042", "x", `{"elicitations":[]}`)),
		c("old range", call+fails("1", "-32003", "x", ""), "info modern-legacy-range-code by server #2 -32021"),
		c("header", call+fails("1", "-32020", "x", ""), "info modern-header-mismatch-on-stdio by server #2"),
		c("own code", call+fails("1", "-31999", "x", "")+modernCall("2", "tools/call", `"name":"x"`)+fails("2", "7", "x", "")),
	})
}

func TestStatedRules(t *testing.T) {
	watch := []string{"modern-client-info-missing", "modern-server-info-missing", "modern-version-varies", "traceparent-format"}
	c := func(name, script string, want ...string) ruleCase {
		return ruleCase{name: name, script: script, want: want, watch: watch}
	}
	anonymous := func(id, info string) string {
		return `> {"jsonrpc":"2.0","id":` + id + `,"method":"tools/list","params":{"_meta":{` + info + `"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}` + "\n"
	}
	trace := func(members string) string {
		return anonymous("1", `"io.modelcontextprotocol/clientInfo":{"name":"c","version":"1"},`+members+`,`)
	}
	const good = `"traceparent":"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"`
	runRuleCases(t, []ruleCase{
		c("said once", anonymous("1", "")+anonymous("2", ""), "info modern-client-info-missing by client #1"),
		c("half", anonymous("1", `"io.modelcontextprotocol/clientInfo":{"name":"c"},`), "info modern-client-info-missing by client version"),
		c("server, once", modernCall("1", "tools/list", "")+gives("1", `"resultType":"complete"`)+modernCall("2", "tools/list", "")+gives("2", `"resultType":"complete"`), "info modern-server-info-missing by server #2"),
		c("a legacy server owes none", modernCall("1", "tools/list", "")+gives("1", `"tools":[]`)),
		c("versions", modernCall("1", "tools/list", "")+stated("2027-01-01", "{}", "2", "tools/list", ""), "info modern-version-varies by client #2 2027-01-01"),
		c("capabilities", modernCall("1", "tools/list", "")+stated("2026-07-28", `{"roots":{}}`, "2", "tools/list", "")+stated("2026-07-28", `{"sampling":{}}`, "3", "tools/list", ""), "info modern-version-varies by client #2 capabilities"),
		c("the same, spelt otherwise", stated("2026-07-28", `{"roots":{},"sampling":{}}`, "1", "tools/list", "")+stated("2026-07-28", `{ "sampling": {}, "roots": {} }`, "2", "tools/list", "")),
		c("trace", trace(good)),
		c("later trace version", trace(`"traceparent":"01-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-more"`)),
		c("trace short", trace(`"traceparent":"abc"`), "error traceparent-format by client abc"),
		c("trace id zero", trace(`"traceparent":"00-00000000000000000000000000000000-b7ad6b7169203331-01"`), "error traceparent-format by client"),
		c("trace in capitals", trace(`"traceparent":"00-0AF7651916CD43DD8448EB211C80319C-b7ad6b7169203331-01"`), "error traceparent-format by client"),
		c("trace version ff", trace(`"traceparent":"ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"`), "error traceparent-format by client"),
		c("trace too long for its version", trace(`"traceparent":"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-more"`), "error traceparent-format by client"),
		c("state", trace(good+`,"tracestate":"rojo=00f067aa0ba902b7, congo@x=t61,"`)),
		c("state without value", trace(good+`,"tracestate":"rojo"`), "error traceparent-format by client tracestate"),
		c("state with a capital", trace(good+`,"tracestate":"Rojo=1"`), "error traceparent-format by client tracestate"),
		c("baggage", trace(`"baggage":"user=a%20b;ttl=1;private, n = 7"`)),
		c("baggage without value", trace(`"baggage":"user"`), "error traceparent-format by client baggage"),
		c("baggage an object", trace(`"baggage":{}`), "error traceparent-format by client baggage"),
		c("in a result", modernCall("1", "tools/call", `"name":"x"`)+gives("1", `"resultType":"complete","_meta":{"io.modelcontextprotocol/serverInfo":{},"traceparent":"x"}`), "error traceparent-format by server #2"),
	})
}
