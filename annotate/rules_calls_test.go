package annotate

import (
	"strings"
	"testing"
)

// strict is a tool that takes an integer n, and returns one.
const strict = `{"name":"strict","description":"d","inputSchema":{"type":"object","properties":{"n":{"type":"integer","description":"d"},"path":{"type":"string","description":"d"}},"required":["n"]},"outputSchema":{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}}`

// loose is a tool that takes and returns anything.
const loose = `{"name":"loose","description":"d","inputSchema":{"type":"object"}}`

// calling is a session of a revision with both tools listed, and a call, which is #6, with its answer, #7.
func calling(revision, params, answer string) string {
	return withTools(revision, strict+","+loose) + asks(2, "tools/call", params) + answer
}

func TestCallRules(t *testing.T) {
	rules := []string{"call-unlisted-tool", "call-args-not-object", "call-args-schema", "call-args-unknown-property", "bad-args-accepted", "unknown-tool-as-result",
		"unknown-tool-code", "tool-failure-as-protocol-error", "invalid-args-as-protocol-error", "schema-not-checked", "schema-params"}
	on := func(name, script string, want ...string) ruleCase {
		return ruleCase{name: name, script: script, want: want, watch: rules}
	}
	call := func(name, params, answer string, want ...string) ruleCase {
		return on(name, calling("2025-11-25", params, answer), want...)
	}
	const fine = `{"content":[],"structuredContent":{"n":1}}`
	failed := func(text string) string {
		return answers(2, `{"isError":true,"content":[{"type":"text","text":"`+text+`"}]}`)
	}
	none := session
	changed := withTools("2025-11-25", strict) + notifies("notifications/tools/list_changed")
	runRuleCases(t, []ruleCase{
		call("sound", `{"name":"strict","arguments":{"n":3}}`, answers(2, fine)),
		call("whole numbers", `{"name":"strict","arguments":{"n":3.0}}`, answers(2, fine)),
		call("without arguments", `{"name":"loose"}`, answers(2, `{"content":[]}`)),
		call("unlisted", `{"name":"other","arguments":{}}`, answers(2, `{"content":[]}`), "info call-unlisted-tool by client #6 other"),
		on("no list, nobody knows", none+asks(2, "tools/call", `{"name":"other"}`)),
		on("half a list, nobody knows", none+asks(1, "tools/list", "")+answers(1, `{"tools":[],"nextCursor":"n"}`)+asks(2, "tools/call", `{"name":"other"}`)),
		call("string", `{"name":"strict","arguments":"{\"n\":1}"}`, "", "error call-args-not-object by client #6 twice"),
		call("array", `{"name":"strict","arguments":[1]}`, "", "error call-args-not-object [1]"),
		call("null", `{"name":"strict","arguments":null}`, "", "error call-args-not-object null"),
		call("wrong type", `{"name":"strict","arguments":{"n":"3"}}`, "", "warning call-args-schema by client #6 /n integer"),
		call("missing", `{"name":"strict"}`, "", "warning call-args-schema by client #6 must"),
		on("stale list", changed+asks(2, "tools/call", `{"name":"strict","arguments":{"n":"3"}}`), "info call-args-schema changed"),
		on("the list before the call counts", withTools("2025-11-25", strict)+asks(2, "tools/list", "")+answers(2, `{"tools":[`+strings.ReplaceAll(strict, "integer", "string")+`]}`)+asks(3, "tools/call", `{"name":"strict","arguments":{"n":"3"}}`)),
		call("misspelt", `{"name":"strict","arguments":{"n":3,"pth":"a"}}`, "", "info call-args-unknown-property by client #6 pth path"),
		on("free names", withTools("2025-11-25", withInput("free", `{"type":"object","properties":{"a":{"description":"d"}},"additionalProperties":{"type":"string"}}`))+asks(2, "tools/call", `{"name":"free","arguments":{"b":"c"}}`)),
		call("accepted all the same", `{"name":"strict","arguments":{}}`, answers(2, fine), "warning call-args-schema #6", "info bad-args-accepted by server #7"),
		call("refused in the result", `{"name":"strict","arguments":{}}`, failed("n is required"), "warning call-args-schema #6"),
		call("refused by -32602", `{"name":"strict","arguments":{}}`, refuses(2, -32602, "n is required"), "warning call-args-schema #6", "info invalid-args-as-protocol-error by server #7"),
		on("which was right before", calling("2025-06-18", `{"name":"strict","arguments":{}}`, refuses(2, -32602, "n is required")), "warning call-args-schema #6"),
		call("failed", `{"name":"loose"}`, refuses(2, -32603, "upstream 503"), "warning tool-failure-as-protocol-error by server #7 503"),
		call("failed after it was cancelled", `{"name":"loose"}`, `> {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}`+"\n"+refuses(2, -32603, "cancelled")),
		call("not implemented", `{"name":"loose"}`, refuses(2, -32601, "Method not found")),
		on("failed, unlisted", none+asks(2, "tools/call", `{"name":"loose"}`)+refuses(2, -32603, "upstream 503")),
		call("unknown, right", `{"name":"other"}`, refuses(2, -32602, "Unknown tool: other"), "info call-unlisted-tool"),
		call("unknown, other code", `{"name":"other"}`, refuses(2, -32603, "oops"), "info call-unlisted-tool", "info unknown-tool-code by server #7"),
		on("unknown by its words", none+asks(2, "tools/call", `{"name":"other"}`)+refuses(2, -32601, "Tool 'other' not found"), "info unknown-tool-code by server #5"),
		on("an error of another kind", none+asks(2, "tools/call", `{"name":"other"}`)+refuses(2, -32603, "Tool failed: file not found")),
		on("unknown as result", none+asks(2, "tools/call", `{"name":"other"}`)+failed("MCP error -32602: Tool other not found"), "warning unknown-tool-as-result by server #5 other"),
		on("failure as result", none+asks(2, "tools/call", `{"name":"other"}`)+failed("Tool failed: file not found")),
		call("a known tool that speaks of tools", `{"name":"loose"}`, failed("Unknown tool")),
		on("costly", withTools("2025-11-25", withInput("costly", `{"type":"object","properties":{"a":{"description":"d","$ref":"#/$defs/0"}},"$defs":{`+bomb(24)+`}}`))+asks(2, "tools/call", `{"name":"costly","arguments":{"a":[[[[[[[[[[[[1]]]]]]]]]]]]}}`), "info schema-not-checked by server #6 costly"),
	})
}

// bomb is definitions of which each applies the next one twice to what lies below.
func bomb(n int) string {
	var b strings.Builder
	for i := range n {
		next := `"items":{"$ref":"#/$defs/` + itoa(int64(i+1)) + `"}`
		b.WriteString(`"` + itoa(int64(i)) + `":{"allOf":[{` + next + `},{` + next + `},{` + next + `},{` + next + `}]},`)
	}
	return b.String() + `"` + itoa(int64(n)) + `":{}`
}

func TestResultRules(t *testing.T) {
	rules := []string{"result-content-missing", "structured-missing", "structured-schema", "structured-not-object", "structured-no-text-copy", "structured-undeclared",
		"tool-embedded-resource-undeclared", "iserror-type", "iserror-empty", "error-text-without-iserror", "schema-result", "null-optional-member", "schema-not-checked"}
	on := func(name, script string, want ...string) ruleCase {
		return ruleCase{name: name, script: script, want: want, watch: rules}
	}
	in := func(revision, name, tool, result string, want ...string) ruleCase {
		return on(name, calling(revision, `{"name":"`+tool+`","arguments":{"n":1}}`, answers(2, result)), want...)
	}
	result := func(name, tool, result string, want ...string) ruleCase {
		return in("2025-11-25", name, tool, result, want...)
	}
	text := func(s string) string { return `{"content":[{"type":"text","text":"` + s + `"}]}` }
	task := calling("2025-11-25", `{"name":"strict","arguments":{"n":1},"task":{}}`, answers(2, `{"task":{"taskId":"t","status":"working","createdAt":"2025-11-25T00:00:00Z","lastUpdatedAt":"2025-11-25T00:00:00Z","ttl":null}}`)) + asks(3, "tasks/result", `{"taskId":"t"}`)
	modern := func(name, result string, want ...string) ruleCase {
		return on(name, modernTools(strict+","+loose)+asks(2, "tools/call", modernMeta(`,"name":"strict","arguments":{"n":1}`))+answers(2, result), want...)
	}
	runRuleCases(t, []ruleCase{
		result("sound", "loose", text("done")),
		result("structured", "strict", `{"content":[{"type":"text","text":" {\"n\" : 4}\n"}],"structuredContent":{"n":4}}`),
		result("absent", "loose", `{}`, "error result-content-missing by server #7"),
		result("string", "loose", `{"content":"done"}`, `error result-content-missing "done"`),
		result("null", "loose", `{"content":null}`, "error result-content-missing null"),
		result("a task", "loose", `{"task":{"taskId":"t","status":"working","createdAt":"2025-11-25T00:00:00Z","lastUpdatedAt":"2025-11-25T00:00:00Z","ttl":null}}`),
		in("2025-03-26", "a task too early", "loose", `{"task":{"taskId":"t"}}`, "error result-content-missing #7"),
		on("what a task returns", task+answers(3, `{"content":[]}`), "error structured-missing by server #9 strict"),
		on("what a task returns that does not fit", task+answers(3, `{"content":[{"type":"text","text":"{\"n\":\"4\"}"}],"structuredContent":{"n":"4"}}`), "error structured-schema #9"),
		on("what a task returns is no content", task+answers(3, `{"structuredContent":{"n":4}}`), "error result-content-missing #9"),
		on("a task of something else", session+asks(3, "tasks/result", `{"taskId":"t"}`)+answers(3, `{"role":"user"}`)),
		modern("a question", `{"resultType":"input_required","requestState":"s"}`),
		modern("a task's handle", `{"resultType":"task","taskId":"t","status":"working","createdAt":"2026-07-28T00:00:00Z","lastUpdatedAt":"2026-07-28T00:00:00Z","ttlMs":null}`),

		result("missing", "strict", text("done"), "error structured-missing by server #7 strict"),
		result("missing in an error", "strict", `{"isError":true,"content":[{"type":"text","text":"no"}]}`),
		in("2025-03-26", "not known yet", "strict", text("done")),
		result("misfit", "strict", `{"content":[],"structuredContent":{"n":"4"}}`, "error structured-schema by server #7 /n"),
		on("the schema at the time of the call", withTools("2025-11-25", strict)+asks(2, "tools/call", `{"name":"strict","arguments":{"n":1}}`)+asks(3, "tools/list", "")+answers(3, `{"tools":[`+strings.ReplaceAll(strict, "integer", "string")+`]}`)+
			answers(2, `{"content":[{"type":"text","text":"{\"n\":4}"}],"structuredContent":{"n":4}}`)),
		on("a stale list", withTools("2025-11-25", strict)+notifies("notifications/tools/list_changed")+asks(2, "tools/call", `{"name":"strict","arguments":{"n":1}}`)+answers(2, `{"content":[{"type":"text","text":"{\"n\":\"4\"}"}],"structuredContent":{"n":"4"}}`), "warning structured-schema"),
		result("array", "strict", `{"content":[],"structuredContent":[1]}`, "error structured-not-object by server #7"),
		result("null instead", "loose", `{"content":[],"structuredContent":null}`, "error null-optional-member #7 structuredContent"),
		modern("any value", `{"resultType":"complete","content":[{"type":"text","text":"{\"n\":4}"}],"structuredContent":{"n":4}}`),
		modern("any value that fits", `{"resultType":"complete","content":[{"type":"text","text":"[1]"}],"structuredContent":[1]}`, "error structured-schema"),
		result("no copy", "strict", `{"content":[],"structuredContent":{"n":4}}`, "warning structured-no-text-copy by server #7"),
		result("prose", "strict", `{"content":[{"type":"text","text":"four"}],"structuredContent":{"n":4}}`, "info structured-no-text-copy #7"),
		result("undeclared", "loose", `{"content":[{"type":"text","text":"{}"}],"structuredContent":{}}`, "info structured-undeclared by server #7"),

		on("embedded", session+asks(1, "tools/call", `{"name":"t"}`)+answers(1, `{"content":[{"type":"resource","resource":{"uri":"a:1","text":"t"}}]}`), "warning tool-embedded-resource-undeclared by server #5"),
		result("embedded, declared", "loose", `{"content":[{"type":"resource","resource":{"uri":"a:1","text":"t"}}]}`),
		result("isError as text", "loose", `{"content":[],"isError":"true"}`, "error iserror-type by server #7"),
		result("misspelt", "loose", `{"content":[{"type":"text","text":"no"}],"is_error":true}`, "error iserror-type is_error"),
		result("failed without a word", "loose", `{"content":[{"type":"text","text":" "}],"isError":true}`, "info iserror-empty by server #7"),
		result("traceback", "loose", text(`Traceback (most recent call last):\n  File \"x\"`), "info error-text-without-iserror by server #7"),
		result("error", "loose", text("Error: no such file"), "info error-text-without-iserror"),
		result("exception", "loose", text("ValueError: bad"), "info error-text-without-iserror"),
		result("stack", "loose", text(`boom\n    at run (/app/index.js:3:5)`), "info error-text-without-iserror"),
		result("about errors", "loose", text("Errors are documented in the manual. Error handling: none.")),
		result("an error that says so", "loose", `{"content":[{"type":"text","text":"Error: no such file"}],"isError":true}`),
	})
}

func TestContentRules(t *testing.T) {
	rules := []string{"content-type-unknown", "content-type-too-new", "content-media-fields", "content-base64", "content-null-text", "content-resource-shape", "annotation-range",
		"resource-uri-invalid", "schema-result", "schema-params", "null-optional-member"}
	on := func(name, script string, want ...string) ruleCase {
		return ruleCase{name: name, script: script, want: want, watch: rules}
	}
	block := func(name, block string, want ...string) ruleCase {
		return on(name, calling("2025-11-25", `{"name":"loose"}`, answers(2, `{"content":[`+block+`]}`)), want...)
	}
	early := func(revision, name, block string, want ...string) ruleCase {
		return on(name, calling(revision, `{"name":"loose"}`, answers(2, `{"content":[`+block+`]}`)), want...)
	}
	prompt := func(name, content string, want ...string) ruleCase {
		return on(name, opened("2025-11-25", "{}", toolServer)+asks(1, "prompts/get", `{"name":"p"}`)+answers(1, `{"messages":[{"role":"user","content":`+content+`}]}`), want...)
	}
	link := `{"type":"resource_link","uri":"file:///a","name":"a"}`
	audio := `{"type":"audio","data":"AA==","mimeType":"audio/wav"}`
	runRuleCases(t, []ruleCase{
		block("sound", `{"type":"text","text":""},{"type":"image","data":"","mimeType":"image/png"},`+audio+","+link+`,{"type":"resource","resource":{"uri":"a:1","blob":"/+A="}}`),
		block("unknown", `{"type":"json","json":{}}`, "error content-type-unknown by server #7 json"),
		block("no type", `{"text":"a"}`, "error content-type-unknown #7"),
		block("no block", `"a"`, "error content-type-unknown #7"),
		block("type of another type", `{"type":1}`, "error content-type-unknown #7"),
		early("2025-03-26", "link too early", link, "error content-type-too-new by server #7 2025-06-18"),
		early("2024-11-05", "audio too early", audio, "error content-type-too-new #7 2025-03-26"),
		early("2025-03-26", "audio in time", audio),
		block("no mimeType", `{"type":"image","data":"AA=="}`, "error content-media-fields by server #7 mimeType"),
		block("data URL", `{"type":"image","data":"data:image/png;base64,AA==","mimeType":"image/png"}`, "error content-media-fields #7 data:"),
		block("alphabet for URLs", `{"type":"image","data":"_-A=","mimeType":"image/png"}`, "error content-base64 by server #7 URLs"),
		block("no padding", `{"type":"audio","data":"AA","mimeType":"audio/wav"}`, "error content-base64 padding"),
		block("line breaks", `{"type":"audio","data":"AAAA\nAAAA","mimeType":"audio/wav"}`, "error content-base64 white"),
		block("raw bytes", `{"type":"audio","data":"\u0001\u0002\u0003\u0004","mimeType":"audio/wav"}`, "error content-base64"),
		block("null text", `{"type":"text","text":null}`, "error content-null-text by server #7"),
		block("object as text", `{"type":"text","text":{"a":1}}`, "error content-null-text #7"),
		block("no text", `{"type":"text"}`, "error content-null-text #7"),
		block("flat resource", `{"type":"resource","uri":"file:///a","text":"t"}`, "error content-resource-shape by server #7"),
		block("resource without uri", `{"type":"resource","resource":{"text":"t"}}`, "error content-resource-shape uri"),
		block("neither text nor blob", `{"type":"resource","resource":{"uri":"a:1"}}`, "error content-resource-shape #7"),
		block("both text and blob", `{"type":"resource","resource":{"uri":"a:1","text":"t","blob":"AA=="}}`, "error content-resource-shape both"),
		block("link without a name", `{"type":"resource_link","uri":"file:///a"}`, "error content-resource-shape name"),
		block("blob", `{"type":"resource","resource":{"uri":"a:1","blob":"__"}}`, "error content-base64 blob"),
		block("priority", `{"type":"text","text":"a","annotations":{"priority":5}}`, "error annotation-range by server #7 priority"),
		block("audience", `{"type":"text","text":"a","annotations":{"audience":["system"]}}`, "error annotation-range system"),
		block("time", `{"type":"text","text":"a","annotations":{"lastModified":"yesterday"}}`, "error annotation-range yesterday"),
		early("2025-03-26", "time before there was one", `{"type":"text","text":"a","annotations":{"lastModified":"yesterday"}}`),
		block("nothing as annotations", `{"type":"text","text":"a","annotations":null}`, "error null-optional-member annotations"),
		block("uri of an embedded resource", `{"type":"resource","resource":{"uri":"/etc/hosts","text":"t"}}`, "error resource-uri-invalid #7"),
		block("the same block in each result", `{"type":"json"},{"type":"json"}`, "error content-type-unknown #7 x2"),
		prompt("in a prompt", `{"type":"json"}`, "error content-type-unknown by server #5"),
		prompt("both in a prompt", `{"type":"resource","resource":{"uri":"a:1","text":"t","blob":"AA=="}}`, "error content-resource-shape both"),
		on("audience of a resource", opened("2025-11-25", "{}", toolServer)+asks(1, "resources/list", "")+answers(1, `{"resources":[{"uri":"a:1","name":"a","annotations":{"audience":["system"]}},{"uri":"a:2","name":"b","annotations":{"audience":["root"]}}]}`), "error annotation-range by server #5 system x2"),
		on("in a list", opened("2025-11-25", "{}", toolServer)+asks(1, "resources/list", "")+answers(1, `{"resources":[{"uri":"a:1","name":"a","annotations":{"priority":"high"}}]}`), "error annotation-range by server #5 high"),
		on("what a client writes", opened("2025-11-25", `{"sampling":{}}`, toolServer)+`< {"jsonrpc":"2.0","id":9,"method":"sampling/createMessage","params":{"messages":[{"role":"user","content":{"type":"image","data":"_","mimeType":"image/png"}}],"maxTokens":9}}`+"\n"+
			`> {"jsonrpc":"2.0","id":9,"result":{"role":"assistant","model":"m","content":{"type":"text"}}}`+"\n", "error content-base64 by server #4", "error content-null-text by client #5"),
	})
}
