package annotate

import (
	"fmt"
	"strings"
	"testing"
)

const toolServer = `{"tools":{"listChanged":true},"resources":{"subscribe":true,"listChanged":true},"prompts":{"listChanged":true},"completions":{}}`

// asks and answers write one exchange of client and server; params and result may be empty.
func asks(id int, method, params string) string {
	if params != "" {
		params = `,"params":` + params
	}
	return fmt.Sprintf("> {\"jsonrpc\":\"2.0\",\"id\":%d,\"method\":%q%s}\n", id, method, params)
}

func answers(id int, result string) string {
	return fmt.Sprintf("< {\"jsonrpc\":\"2.0\",\"id\":%d,\"result\":%s}\n", id, result)
}

func refuses(id, code int, message string) string {
	return fmt.Sprintf("< {\"jsonrpc\":\"2.0\",\"id\":%d,\"error\":{\"code\":%d,\"message\":%q}}\n", id, code, message)
}

func notifies(method string) string {
	return fmt.Sprintf("< {\"jsonrpc\":\"2.0\",\"method\":%q}\n", method)
}

// withTools is a session in which tools are listed; the list is #5.
func withTools(revision, tools string) string {
	return opened(revision, "{}", toolServer) + asks(1, "tools/list", "") + answers(1, `{"tools":[`+tools+`]}`)
}

// modernTools is the same without a handshake; the list is #2.
func modernTools(tools string) string {
	return asks(1, "tools/list", modernMeta("")) + answers(1, `{"resultType":"complete","ttlMs":0,"cacheScope":"public","tools":[`+tools+`]}`)
}

func modernMeta(more string) string {
	return `{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}` + more + `}`
}

// anyTool is the name and the schema of a tool, with more members.
func anyTool(name, more string) string {
	return `{"name":"` + name + `","description":"d","inputSchema":{"type":"object"}` + more + `}`
}

func withInput(name, schema string) string {
	return `{"name":"` + name + `","description":"d","inputSchema":` + schema + `}`
}

func TestToolRules(t *testing.T) {
	rules := []string{"tool-name-format", "tool-annotation-type", "tool-annotation-contradiction", "tool-no-description", "tool-input-schema-missing", "tool-input-schema-root",
		"tool-output-schema-root", "tool-schema-invalid", "tool-schema-dialect", "tool-schema-external-ref", "schema-not-checked", "tool-header-annotation", "schema-result", "null-optional-member"}
	on := func(name, script string, want ...string) ruleCase {
		return ruleCase{name: name, script: script, want: want, watch: rules}
	}
	latest := func(name, tools string, want ...string) ruleCase {
		return on(name, withTools("2025-11-25", tools), want...)
	}
	modern := func(name, tools string, want ...string) ruleCase { return on(name, modernTools(tools), want...) }
	long := strings.Repeat("n", 129)
	runRuleCases(t, []ruleCase{
		latest("sound", anyTool("get_weather-2.b", `,"title":"T","annotations":{"title":"x","readOnlyHint":true},"outputSchema":{"type":"object"}`)),
		latest("names", anyTool("a b", "")+","+anyTool(long, "")+","+anyTool("", "")+","+anyTool("é", ""),
			"warning tool-name-format by server #5 has", "warning tool-name-format 129", "warning tool-name-format empty", "warning tool-name-format 'é'"),
		on("names were free", withTools("2025-06-18", anyTool("a b", "")), "info tool-name-format by server #5"),
		on("the same list again", withTools("2025-11-25", anyTool("a b", ""))+asks(2, "tools/list", "")+answers(2, `{"tools":[`+anyTool("a b", "")+`]}`), "warning tool-name-format #5 x2"),
		latest("hint as text", anyTool("x", `,"annotations":{"readOnlyHint":"yes","title":1,"idempotentHint":null}`),
			`error tool-annotation-type #5 "yes"`, "error tool-annotation-type title", "error tool-annotation-type idempotentHint"),
		on("no annotations yet", withTools("2024-11-05", anyTool("x", `,"annotations":{"readOnlyHint":"yes"}`))),
		latest("contradiction", anyTool("x", `,"annotations":{"readOnlyHint":true,"destructiveHint":true}`)+","+anyTool("y", `,"annotations":{"readOnlyHint":true,"idempotentHint":true}`)+","+anyTool("z", `,"annotations":{"readOnlyHint":false,"destructiveHint":true}`),
			"info tool-annotation-contradiction #5 destructiveHint"),
		latest("no description", `{"name":"x","inputSchema":{"type":"object","properties":{"a":{"type":"string"},"b":{"description":"b"}}}}`,
			"info tool-no-description #5 description:", "info tool-no-description #5 /properties/a"),

		latest("no schema", `{"name":"x","description":"d"},{"name":"y","description":"d","inputSchema":null},{"name":"z","description":"d","input_schema":{"type":"object"}}`,
			"error tool-input-schema-missing #5 tool", "error tool-input-schema-missing y null", "error tool-input-schema-missing input_schema"),
		latest("roots", withInput("a", `{}`)+","+withInput("b", `{"anyOf":[{"type":"object"}]}`)+","+withInput("c", `{"type":"string"}`)+","+withInput("d", `{"type":["object","null"]}`)+","+withInput("e", `"object"`)+","+withInput("f", `true`)+","+withInput("g", `{"$ref":"#/$defs/x","$defs":{"x":{"type":"object"}}}`),
			"error tool-input-schema-root #5 no type", "error tool-input-schema-root anyOf", `error tool-input-schema-root "string"`, `error tool-input-schema-root ["object","null"]`,
			`error tool-input-schema-root "object"`, "error tool-input-schema-root true", "error tool-input-schema-root $ref"),
		latest("zod", withInput("x", `{"_def":{"typeName":"ZodObject"},"type":"x"}`), `error tool-input-schema-root`, `error tool-schema-invalid`),
		modern("modern roots", withInput("a", `{"anyOf":[{"type":"object"}],"type":"object"}`)+","+withInput("b", `{"anyOf":[]}`), "error tool-input-schema-root #2 b", "error tool-schema-invalid b"),
		latest("refs and definitions are fine", withInput("x", `{"type":"object","properties":{"a":{"$ref":"#/$defs/s","description":"d"}},"$defs":{"s":{"type":"string"}},"additionalProperties":false}`)),
		latest("output root", anyTool("x", `,"outputSchema":{"type":"array"}`)+","+anyTool("y", `,"outputSchema":{"anyOf":[{"type":"object"}]}`), "error tool-output-schema-root #5 array", "error tool-output-schema-root anyOf"),
		modern("output is free", anyTool("x", `,"outputSchema":{"type":"array"}`)),
		on("no output yet", withTools("2025-03-26", anyTool("x", `,"outputSchema":{"type":"array"}`))),
		latest("invalid", withInput("a", `{"type":"object","properties":{"n":{"type":"int","description":"d"}}}`)+","+withInput("b", `{"type":"object","properties":[]}`)+","+withInput("c", `{"type":"object","required":"n"}`)+","+anyTool("d", `,"outputSchema":{"type":"object","required":true}`),
			"error tool-schema-invalid #5 /properties/n", "error tool-schema-invalid b", "error tool-schema-invalid c", "error tool-schema-invalid d outputSchema"),
		latest("tuples left 2020-12", withInput("a", `{"type":"object","properties":{"n":{"description":"d","items":[{"type":"string"}]}}}`), "error tool-schema-invalid #5 items"),
		on("tuples in draft-07", withTools("2025-06-18", withInput("a", `{"type":"object","properties":{"n":{"description":"d","items":[{"type":"string"}]}}}`))),
		latest("tuples in a named draft-07", withInput("a", `{"$schema":"http://json-schema.org/draft-07/schema#","type":"object","properties":{"n":{"description":"d","items":[{"type":"string"}]}}}`)),
		latest("dialects", withInput("a", `{"$schema":"http://json-schema.org/draft-04/schema#","type":"object"}`)+","+withInput("b", `{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object"}`)+","+withInput("c", `{"$schema":"urn:own","type":"object"}`),
			"info tool-schema-dialect #5 draft-04", "info tool-schema-dialect urn:own", "info schema-not-checked c"),
		latest("references", withInput("a", `{"type":"object","properties":{"a":{"description":"d","$ref":"https://example.com/x.json"},"b":{"description":"d","$ref":"#/$defs/none"}}}`),
			"warning tool-schema-external-ref #5 example.com", "warning tool-schema-external-ref nowhere"),
		latest("patterns that RE2 lacks", withInput("a", `{"type":"object","properties":{"a":{"description":"d","type":"string","pattern":"^(?!x).*$"}}}`), "info schema-not-checked #5 pattern"),
		modern("headers", withInput("a", `{"type":"object","properties":{"a":{"description":"d","type":"string","x-mcp-header":"A"},"b":{"description":"d","type":"integer","x-mcp-header":"a"},"c":{"description":"d","type":"object","x-mcp-header":"C"},"e":{"description":"d","type":"string","x-mcp-header":"no token"},"f":{"description":"d","type":"array","items":{"type":"string","x-mcp-header":"F"}}}}`),
			"info tool-header-annotation #2 also", "info tool-header-annotation C", "info tool-header-annotation token", "info tool-header-annotation F"),
		latest("headers are younger", withInput("a", `{"type":"object","properties":{"a":{"description":"d","type":"number","x-mcp-header":"A"}}}`)),
	})
}

func TestListRules(t *testing.T) {
	rules := []string{"tool-name-duplicate", "tool-name-case-collision", "prompt-duplicate-name", "resource-uri-duplicate", "tool-list-order-unstable",
		"list-changed-silently", "list-changed-not-refetched", "list-changed-storm"}
	on := func(name, script string, want ...string) ruleCase {
		return ruleCase{name: name, script: script, want: want, watch: rules}
	}
	start := opened("2025-11-25", "{}", toolServer)
	a, b := anyTool("a", ""), anyTool("b", "")
	tools := func(id int, tools string) string {
		return asks(id, "tools/list", "") + answers(id, `{"tools":[`+tools+`]}`)
	}
	const changed = "notifications/tools/list_changed"
	turn := tools(2, a) + notifies(changed)
	modern := func(id int, tools string) string {
		return asks(id, "tools/list", modernMeta("")) + answers(id, `{"resultType":"complete","ttlMs":0,"cacheScope":"public","tools":[`+tools+`]}`)
	}
	page := func(id int, cursor, tools, next string) string {
		return asks(id, "tools/list", `{"cursor":"`+cursor+`"}`) + answers(id, `{"tools":[`+tools+`]`+next+`}`)
	}
	runRuleCases(t, []ruleCase{
		on("sound", start+tools(1, a+","+b)),
		on("twice on a page", start+tools(1, a+","+a), "warning tool-name-duplicate by server #5"),
		on("twice in other forms", start+tools(1, a+","+anyTool("a", `,"title":"t"`)), "warning tool-name-duplicate #5"),
		on("another one on the next page", start+asks(1, "tools/list", "")+answers(1, `{"tools":[`+a+`],"nextCursor":"n"}`)+page(2, "n", anyTool("a", `,"title":"t"`), ""), "warning tool-name-duplicate #7"),
		on("the same one on the next page", start+asks(1, "tools/list", "")+answers(1, `{"tools":[`+a+`],"nextCursor":"n"}`)+page(2, "n", a, "")),
		on("a walk in a circle", start+asks(1, "tools/list", "")+answers(1, `{"tools":[`+a+`],"nextCursor":"n"}`)+page(2, "n", b, `,"nextCursor":"n"`)+page(3, "n", anyTool("b", `,"title":"t"`), `,"nextCursor":"n"`)),
		on("another walk", start+tools(1, a)+tools(2, a)),
		on("case", start+tools(1, anyTool("Run", "")+","+anyTool("run", "")), "info tool-name-case-collision by server #5 Run run"),
		on("prompts", start+asks(1, "prompts/list", "")+answers(1, `{"prompts":[{"name":"p"},{"name":"p"},{"name":"q","arguments":[{"name":"x"},{"name":"x"}]}]}`), "warning prompt-duplicate-name #5 p", "warning prompt-duplicate-name argument"),
		on("resources", start+asks(1, "resources/list", "")+answers(1, `{"resources":[{"uri":"a:1","name":"a"},{"uri":"a:1","name":"b"}]}`), "warning resource-uri-duplicate by server #5 a:1"),
		on("order", modern(1, a+","+b)+modern(2, b+","+a)+modern(3, b+","+a), "warning tool-list-order-unstable by server #4"),
		on("order of others", modern(1, a+","+b)+modern(2, b)),
		on("order was free", start+tools(1, a+","+b)+tools(2, b+","+a)),
		on("silently", start+tools(1, a)+tools(2, b), "warning list-changed-silently by server #7"),
		on("silently redefined", start+tools(1, a)+tools(2, anyTool("a", `,"title":"t"`)), "info list-changed-silently #7"),
		on("announced", start+tools(1, a)+notifies(changed)+tools(2, b)),
		on("announced a moment later", start+tools(1, a)+tools(2, b)+notifies(changed)),
		on("announced long after", start+tools(1, a)+tools(2, b)+"+ 3000\n"+notifies(changed), "warning list-changed-silently #7"),
		on("never promised", opened("2025-11-25", "{}", `{"tools":{}}`)+tools(1, a)+tools(2, b)),
		on("bytes are missing", start+tools(1, a)+"~ out=100\n"+tools(2, b)),
		on("stale", start+tools(1, a)+notifies(changed)+asks(2, "tools/call", `{"name":"a"}`), "info list-changed-not-refetched by client #7"),
		on("stale until later", start+tools(1, a)+notifies(changed)+asks(2, "tools/call", `{"name":"a"}`)+asks(3, "tools/list", "")),
		on("fresh", start+tools(1, a)+notifies(changed)+tools(2, a)+asks(3, "tools/call", `{"name":"a"}`)),
		on("never listed", start+notifies(changed)+asks(3, "tools/call", `{"name":"a"}`)),
		on("stale resources", start+asks(1, "resources/list", "")+answers(1, `{"resources":[]}`)+notifies("notifications/resources/list_changed")+asks(2, "resources/read", `{"uri":"a:1"}`), "info list-changed-not-refetched #7 resources"),
		on("storm", start+tools(1, a)+strings.Repeat(turn, 20), "warning list-changed-storm by server #8 x20"),
		on("storm of changes", start+tools(1, a)+strings.Repeat(notifies(changed)+tools(2, a)+notifies(changed)+tools(2, b), 12)),
		on("notices only", start+tools(1, a)+strings.Repeat(notifies(changed), 30)),
	})
}
