package annotate

import (
	"testing"
)

func TestElicitationRules(t *testing.T) {
	script := watching([]string{"elicitation-mode-undeclared", "elicitation-mode-value", "elicitation-url-fields", "elicitation-url-insecure", "url-elicitation-error",
		"elicitation-complete-unknown", "elicitation-outside-request"})
	calling := func(revision, caps string) string {
		return opened(revision, caps, `{"tools":{}}`) + callWith("1", "")
	}
	all := calling("2025-11-25", `{"elicitation":{"form":{},"url":{}}}`)
	form := func(more string) string {
		return fromServer(`"id":1,"method":"elicitation/create","params":{"message":"m","requestedSchema":{"type":"object","properties":{}}` + more + `}`)
	}
	byURL := func(url string) string {
		return fromServer(`"id":1,"method":"elicitation/create","params":{"mode":"url","message":"m","url":` + url + `,"elicitationId":"e"}`)
	}
	modern := func(params string) string {
		return fromClient(`"id":1,"method":"tools/call","params":{"name":"x",`+statedMeta(`{"elicitation":{"form":{},"url":{}}}`, "")+`}`) +
			fromServer(`"id":1,"result":{"resultType":"input_required","inputRequests":{"k":{"method":"elicitation/create","params":`+params+`}}}`)
	}
	required := func(data string) string {
		return fromServer(`"id":1,"error":{"code":-32042,"message":"auth"` + data + `}`)
	}
	complete := fromServer(`"method":"notifications/elicitation/complete","params":{"elicitationId":"e"}`)
	runRuleCases(t, []ruleCase{
		script("sound", all+form("")+form(`,"mode":"form"`)+byURL(`"https://e.x/"`)+complete),
		script("empty means forms", calling("2025-11-25", `{"elicitation":{}}`)+form("")),
		script("empty does not mean urls", calling("2025-11-25", `{"elicitation":{}}`)+byURL(`"https://e.x/"`), "error elicitation-mode-undeclared by server #5 url"),
		script("urls only", calling("2025-11-25", `{"elicitation":{"url":{}}}`)+form(""), "error elicitation-mode-undeclared by server #5 form"),
		script("not at all is another rule", calling("2025-11-25", `{}`)+form("")+byURL(`"https://e.x/"`)),
		script("no modes before", calling("2025-06-18", `{"elicitation":{}}`)+form("")),
		script("another mode", all+form(`,"mode":"popup"`), "error elicitation-mode-value by server #5"),
		script("mode null", all+form(`,"mode":null`), "error elicitation-mode-value by server #5"),
		script("url too early", calling("2025-06-18", `{"elicitation":{}}`)+byURL(`"https://e.x/"`), "error elicitation-mode-value by server #5"),
		script("another mode, modern", modern(`{"mode":"popup","message":"m"}`), "error elicitation-mode-value by server #2"),
		script("no url", all+fromServer(`"id":1,"method":"elicitation/create","params":{"mode":"url","message":"m","elicitationId":"e"}`), "error elicitation-url-fields by server #5"),
		script("relative", all+byURL(`"/login"`), "error elicitation-url-fields by server #5"),
		script("no host", all+byURL(`"https:///x"`), "error elicitation-url-fields by server #5"),
		script("no id", all+fromServer(`"id":1,"method":"elicitation/create","params":{"mode":"url","message":"m","url":"https://e.x/"}`), "error elicitation-url-fields by server #5"),
		script("modern needs no id", modern(`{"mode":"url","message":"m","url":"https://e.x/"}`)),
		script("modern has no id", modern(`{"mode":"url","message":"m","url":"https://e.x/","elicitationId":"e"}`), "warning elicitation-url-fields by server #2"),
		script("http", all+byURL(`"http://e.x/"`), "warning elicitation-url-insecure by server #5"),
		script("http at home", all+byURL(`"http://localhost:8080/"`)+byURL(`"http://127.0.0.1/"`)+byURL(`"http://[::1]/"`)),
		script("another scheme", all+byURL(`"vscode://x/y"`), "warning elicitation-url-insecure by server #5"),
		script("user", all+byURL(`"https://u:p@e.x/"`), "warning elicitation-url-insecure by server #5"),
		script("token", all+byURL(`"https://e.x/?a=1&access_token=abc"`), "warning elicitation-url-insecure by server #5"),
		script("state is none", all+byURL(`"https://e.x/?state=abc&code_challenge=x&tokens=3"`)),
		script("required", all+required(`,"data":{"elicitations":[{"mode":"url","elicitationId":"e","url":"https://e.x/","message":"m"}]}`)+complete),
		script("required, without data", all+required(``), "error url-elicitation-error by server #5"),
		script("required, of none", all+required(`,"data":{"elicitations":[]}`), "error url-elicitation-error by server #5"),
		script("required, a form", all+required(`,"data":{"elicitations":[{"mode":"form","elicitationId":"e","url":"https://e.x/"}]}`), "error url-elicitation-error by server #5"),
		script("required, no id", all+required(`,"data":{"elicitations":[{"mode":"url","url":"https://e.x/"}]}`), "error url-elicitation-error by server #5"),
		script("required, of another client", calling("2025-11-25", `{"elicitation":{}}`)+required(`,"data":{"elicitations":[{"mode":"url","elicitationId":"e","url":"https://e.x/"}]}`), "error url-elicitation-error by server #5"),
		script("complete, unknown", all+complete, "warning elicitation-complete-unknown by server #5"),
		script("complete twice", all+byURL(`"https://e.x/"`)+complete+complete, "warning elicitation-complete-unknown by server #7"),
		script("outside", opened("2025-11-25", `{"elicitation":{}}`, `{}`)+form(""), "info elicitation-outside-request by server #4"),
		script("outside, for a task", opened("2025-11-25", `{"elicitation":{}}`, `{}`)+form(`,"_meta":{"io.modelcontextprotocol/related-task":{"taskId":"a"}}`)),
	})
}

func TestRequestedFormRules(t *testing.T) {
	rules := []string{"elicitation-schema-nested", "elicitation-schema-format", "elicitation-schema-too-new", "elicitation-enum-names", "elicitation-required-unknown", "elicitation-sensitive-form"}
	ask := func(revision, schema string) string {
		return opened(revision, `{"elicitation":{}}`, `{}`) + fromServer(`"id":1,"method":"elicitation/create","params":{"message":"m","requestedSchema":`+schema+`}`)
	}
	modern := func(schema string) string {
		return fromClient(`"id":1,"method":"tools/call","params":{"name":"x",`+statedMeta(`{"elicitation":{}}`, "")+`}`) +
			fromServer(`"id":1,"result":{"resultType":"input_required","inputRequests":{"k":{"method":"elicitation/create","params":{"message":"m","requestedSchema":`+schema+`}}}}`)
	}
	root := func(name, schema string, want ...string) ruleCase {
		return ruleCase{name: name, script: ask("2025-11-25", schema), want: want, watch: rules}
	}
	field := func(name, schema string, want ...string) ruleCase {
		return root(name, `{"type":"object","properties":{"a":`+schema+`}}`, want...)
	}
	early := func(name, schema string, want ...string) ruleCase {
		return ruleCase{name: "early " + name, script: ask("2025-06-18", `{"type":"object","properties":{"a":`+schema+`}}`), want: want, watch: rules}
	}
	const nested = "error elicitation-schema-nested by server #4"
	runRuleCases(t, []ruleCase{
		root("sound", `{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object","title":"T","properties":{"s":{"type":"string","minLength":1,"format":"email","default":"a@b.c"},"n":{"type":"number","minimum":0},"i":{"type":"integer"},"b":{"type":"boolean","default":true},"e":{"type":"string","enum":["x"]}},"required":["s"]}`),
		root("no properties needed", `{"type":"object","properties":{}}`),
		root("no type", `{"properties":{}}`, nested),
		root("other type", `{"type":"string"}`, nested),
		root("no properties", `{"type":"object"}`, nested),
		root("reference", `{"$ref":"#/$defs/A","$defs":{"A":{"type":"object","properties":{}}}}`, nested),
		root("text", `"object"`, nested),
		field("titled choice", `{"type":"string","oneOf":[{"const":"x","title":"X"}],"default":"x"}`),
		field("choices of several", `{"type":"array","items":{"type":"string","enum":["x","y"]},"minItems":1,"default":["x"]}`),
		field("titled choices of several", `{"type":"array","items":{"anyOf":[{"const":"x","title":"X"}]}}`),
		field("object", `{"type":"object","properties":{}}`, nested),
		field("array of objects", `{"type":"array","items":{"type":"object"}}`, nested),
		field("array of free texts", `{"type":"array","items":{"type":"string"}}`, nested),
		field("$ref", `{"$ref":"#/$defs/A"}`, nested),
		field("optional by anyOf", `{"anyOf":[{"type":"string"},{"type":"null"}],"default":null}`, nested+" Pydantic"),
		field("union", `{"anyOf":[{"type":"string"},{"type":"number"}]}`, nested),
		field("optional by types", `{"type":["string","null"]}`, nested+" null"),
		field("allOf", `{"allOf":[{"type":"string"}]}`, nested),
		field("no type", `{"description":"x"}`, nested),
		field("null", `{"type":"null"}`, nested),
		field("true", `true`, nested),
		field("bad keyword", `{"type":"string","minLength":"1"}`, nested),
		field("format", `{"type":"string","format":"ipv4"}`, "error elicitation-schema-format by server #4"),
		field("formats", `{"type":"string","format":"date-time"}`),
		field("enumNames", `{"type":"string","enum":["x"],"enumNames":["X"]}`, "info elicitation-enum-names by server #4"),
		root("required unknown", `{"type":"object","properties":{},"required":["a"]}`, "warning elicitation-required-unknown by server #4"),
		field("default of another type", `{"type":"integer","default":"x"}`, "warning elicitation-required-unknown by server #4"),
		field("default out of range", `{"type":"integer","maximum":3,"default":4}`, "warning elicitation-required-unknown by server #4"),
		field("default that is no choice", `{"type":"string","enum":["x"],"default":"y"}`, "warning elicitation-required-unknown by server #4"),
		early("default", `{"type":"string","default":"x"}`, "warning elicitation-schema-too-new by server #4"),
		early("switch", `{"type":"boolean","default":true}`),
		early("titles", `{"type":"string","oneOf":[{"const":"x","title":"X"}]}`, "warning elicitation-schema-too-new by server #4"),
		early("several", `{"type":"array","items":{"type":"string","enum":["x"]}}`, "warning elicitation-schema-too-new by server #4"),
		early("array of objects", `{"type":"array","items":{"type":"object"}}`, nested),
		early("enumNames", `{"type":"string","enum":["x"],"enumNames":["X"]}`),
		root("password", `{"type":"object","properties":{"userPassword":{"type":"string"}}}`, "warning elicitation-sensitive-form by server #4"),
		root("api key", `{"type":"object","properties":{"k":{"type":"string","title":"Your API key"}}}`, "warning elicitation-sensitive-form by server #4"),
		root("card", `{"type":"object","properties":{"card-number":{"type":"integer"}}}`, "warning elicitation-sensitive-form by server #4"),
		root("acronym", `{"type":"object","properties":{"theAPIToken":{"type":"string"}}}`, "warning elicitation-sensitive-form by server #4"),
		root("no secrets", `{"type":"object","properties":{"max_tokens":{"type":"integer"},"keyword":{"type":"string"},"save_password":{"type":"boolean"},"secretary":{"type":"string"},"monkey":{"type":"string"}}}`),
		{name: "modern", script: modern(`{"type":"object","properties":{"a":{"type":"object"}}}`), want: []string{"error elicitation-schema-nested by server #2"}, watch: append(rules, "mrtr-request-kind")},
		{name: "modern root", script: modern(`{"type":"object"}`), want: []string{"error elicitation-schema-nested by server #2"}, watch: append(rules, "mrtr-request-kind")},
		{name: "modern, sound", script: modern(`{"type":"object","properties":{"a":{"type":"string"}}}`), watch: append(rules, "mrtr-request-kind")},
	})
}

func TestElicitationAnswerRules(t *testing.T) {
	rules := []string{"elicitation-action", "elicitation-accept-content", "elicitation-extra-content", "schema-result"}
	ask := opened("2025-11-25", `{"elicitation":{"form":{},"url":{}}}`, `{}`) +
		fromServer(`"id":1,"method":"elicitation/create","params":{"message":"m","requestedSchema":{"type":"object","properties":{"n":{"type":"number"},"s":{"type":"array","items":{"type":"string","enum":["x"]}}},"required":["n"]}}`)
	askURL := opened("2025-11-25", `{"elicitation":{"form":{},"url":{}}}`, `{}`) + fromServer(`"id":1,"method":"elicitation/create","params":{"mode":"url","message":"m","url":"https://e.x/","elicitationId":"e"}`)
	askNothing := opened("2025-06-18", `{"elicitation":{}}`, `{}`) + fromServer(`"id":1,"method":"elicitation/create","params":{"message":"m","requestedSchema":{"type":"object","properties":{}}}`)
	answer := func(result string) string { return fromClient(`"id":1,"result":` + result) }
	script := watching(rules)
	retry := fromClient(`"id":1,"method":"tools/call","params":{"name":"x","inputResponses":{"k":{"action":"cancel","content":{}}},"requestState":"s",` + statedMeta(`{"elicitation":{}}`, "") + `}`)
	runRuleCases(t, []ruleCase{
		script("sound", ask+answer(`{"action":"accept","content":{"n":1.5,"s":["x"]}}`)),
		script("declined", ask+answer(`{"action":"decline"}`)),
		script("failed", ask+fromClient(`"id":1,"error":{"code":-32603,"message":"x"}`)),
		script("reject", ask+answer(`{"action":"reject"}`), "error elicitation-action by client #5 decline"),
		script("no action", ask+answer(`{"content":{"n":1}}`), "error elicitation-action by client #5"),
		script("no text", ask+answer(`{"action":true}`), "error elicitation-action by client #5"),
		script("no content", ask+answer(`{"action":"accept"}`), "error elicitation-accept-content by client #5"),
		script("no content for an empty form", askNothing+answer(`{"action":"accept"}`)),
		script("wrong type", ask+answer(`{"action":"accept","content":{"n":"five"}}`), "error elicitation-accept-content by client #5"),
		script("required one missing", ask+answer(`{"action":"accept","content":{}}`), "error elicitation-accept-content by client #5"),
		script("null", ask+answer(`{"action":"accept","content":{"n":1,"s":null}}`), "error elicitation-accept-content by client #5"),
		script("null that was not asked for", ask+answer(`{"action":"accept","content":{"n":1,"x":null}}`), "error elicitation-accept-content by client #5"),
		script("object", ask+answer(`{"action":"accept","content":{"n":1,"x":{}}}`), "error elicitation-accept-content by client #5"),
		script("content is no object", ask+answer(`{"action":"accept","content":[1]}`), "error elicitation-accept-content by client #5"),
		script("several, said once", ask+answer(`{"action":"accept","content":{"n":"five","s":["y"],"z":null}}`), "error elicitation-accept-content by client #5 five null"),
		script("content on decline", ask+answer(`{"action":"decline","content":{"n":1}}`), "info elicitation-extra-content by client #5"),
		script("content for a url", askURL+answer(`{"action":"accept","content":{}}`), "info elicitation-extra-content by client #5"),
		script("url", askURL+answer(`{"action":"accept"}`)),
		script("content on cancel, modern", retry, "info elicitation-extra-content by client #1"),
	})
}

func TestSamplingRules(t *testing.T) {
	script := watching([]string{"sampling-max-tokens", "sampling-role", "sampling-tools-undeclared", "sampling-tools-not-refused", "sampling-context-undeclared", "sampling-context-deprecated",
		"sampling-mixed-tool-result", "sampling-tool-use-unbalanced", "sampling-tool-result-orphan", "sampling-content-array-early", "sampling-result-shape", "sampling-tool-use-not-offered",
		"sampling-preference-range", "sampling-rejected", "mrtr-request-kind", "schema-params", "schema-result"})
	all := opened("2025-11-25", `{"sampling":{"tools":{},"context":{}}}`, `{}`)
	ask := func(messages, more string) string {
		return fromServer(`"id":1,"method":"sampling/createMessage","params":{"messages":[` + messages + `]` + more + `}`)
	}
	const hi, max = `{"role":"user","content":{"type":"text","text":"hi"}}`, `,"maxTokens":9`
	uses := func(ids ...string) string {
		return `{"role":"assistant","content":` + blockList("tool_use", `"name":"t","input":{},"id":`, ids) + `}`
	}
	results := func(ids ...string) string {
		return `{"role":"user","content":` + blockList("tool_result", `"content":[],"toolUseId":`, ids) + `}`
	}
	answer := func(result string) string { return fromClient(`"id":1,"result":{` + result + `}`) }
	said := answer(`"role":"assistant","content":{"type":"text","text":"x"},"model":"m"`)
	used := func(name, more string) string {
		return answer(`"role":"assistant","content":{"type":"tool_use","id":"a","name":"` + name + `","input":{}},"model":"m"` + more)
	}
	const tools = max + `,"tools":[{"name":"t","inputSchema":{"type":"object"}}]`
	modern := func(params string) string {
		return fromClient(`"id":1,"method":"tools/call","params":{"name":"x",`+statedMeta(`{"sampling":{}}`, "")+`}`) +
			fromServer(`"id":1,"result":{"resultType":"input_required","requestState":"s","inputRequests":{"k":{"method":"sampling/createMessage","params":`+params+`}}}`)
	}
	retry := fromClient(`"id":2,"method":"tools/call","params":{"name":"x","requestState":"s","inputResponses":{"k":{"role":"assistant","content":{"type":"tool_use","id":"a","name":"u","input":{}},"model":"m"}},` + statedMeta(`{"sampling":{}}`, "") + `}`)
	runRuleCases(t, []ruleCase{
		script("sound", all+ask(hi, tools)+used("t", `,"stopReason":"toolUse"`)+ask(hi+","+uses("a", "b")+","+results("b", "a"), max)+said),
		script("no maxTokens", all+ask(hi, ""), "error sampling-max-tokens by server #4"),
		script("zero", all+ask(hi, `,"maxTokens":0`), "error sampling-max-tokens by server #4"),
		script("fraction", all+ask(hi, `,"maxTokens":1.5`), "error sampling-max-tokens by server #4"),
		script("text", all+ask(hi, `,"maxTokens":"9"`), "error sampling-max-tokens by server #4"),
		script("whole", all+ask(hi, `,"maxTokens":9.0`)),
		script("no maxTokens, modern", modern(`{"messages":[]}`), "error sampling-max-tokens by server #2"),
		script("system", all+ask(`{"role":"system","content":{"type":"text","text":"x"}}`, max), "error sampling-role by server #4 systemPrompt"),
		script("result of the system", all+ask(hi, max)+answer(`"role":"model","content":{"type":"text","text":"x"},"model":"m"`), "error sampling-role by client #5"),
		script("system, modern", modern(`{"messages":[{"role":"system","content":{"type":"text","text":"x"}}],"maxTokens":1}`), "error sampling-role by server #2"),
		script("tools undeclared", opened("2025-11-25", `{"sampling":{}}`, `{}`)+ask(hi, tools), "error sampling-tools-undeclared by server #4"),
		script("tools undeclared and taken", opened("2025-11-25", `{"sampling":{}}`, `{}`)+ask(hi, tools)+said, "error sampling-tools-undeclared by server #4", "error sampling-tools-not-refused by client #5"),
		script("tools undeclared and refused", opened("2025-11-25", `{"sampling":{}}`, `{}`)+ask(hi, tools)+fromClient(`"id":1,"error":{"code":-32602,"message":"x"}`), "error sampling-tools-undeclared by server #4"),
		script("sampling undeclared is another rule", opened("2025-11-25", `{}`, `{}`)+ask(hi, tools)),
		script("context", all+ask(hi, max+`,"includeContext":"allServers"`), "info sampling-context-deprecated by server #4"),
		script("no context", all+ask(hi, max+`,"includeContext":"none"`)),
		script("context undeclared", opened("2025-11-25", `{"sampling":{}}`, `{}`)+ask(hi, max+`,"includeContext":"thisServer"`), "info sampling-context-deprecated by server #4", "warning sampling-context-undeclared by server #4"),
		script("context undeclared, modern", modern(`{"messages":[],"maxTokens":1,"includeContext":"thisServer"}`), "info sampling-context-deprecated by server #2", "warning sampling-context-undeclared by server #2"),
		script("context before", opened("2025-06-18", `{"sampling":{}}`, `{}`)+ask(hi, max+`,"includeContext":"thisServer"`)),
		script("mixed", all+ask(hi+","+uses("a")+`,{"role":"user","content":[{"type":"tool_result","toolUseId":"a","content":[]},{"type":"text","text":"x"}]}`, max), "error sampling-mixed-tool-result by server #4"),
		script("not answered", all+ask(uses("a")+","+hi, max), "error sampling-tool-use-unbalanced by server #4 a"),
		script("half answered", all+ask(uses("a", "b")+","+results("b"), max), "error sampling-tool-use-unbalanced by server #4 a"),
		script("answered too late", all+ask(uses("a")+","+hi+","+results("a"), max), "error sampling-tool-use-unbalanced by server #4"),
		script("the last message", all+ask(hi+","+uses("a"), max), "error sampling-tool-use-unbalanced by server #4"),
		script("orphan", all+ask(hi+","+results("z"), max), "error sampling-tool-result-orphan by server #4 z"),
		script("array early", opened("2025-06-18", `{"sampling":{}}`, `{}`)+ask(`{"role":"user","content":[{"type":"text","text":"x"}]}`, max), "error sampling-content-array-early by server #4"),
		script("tool early", opened("2025-06-18", `{"sampling":{}}`, `{}`)+ask(hi, max)+used("t", ""), "error sampling-content-array-early by client #5"),
		script("no role, content, model", all+ask(hi, max)+answer(`"text":"x"`), "error sampling-result-shape by client #5 role content model"),
		script("null", all+ask(hi, max)+answer(`"role":"assistant","content":{"type":"text","text":"x"},"model":null`), "error sampling-result-shape by client #5 model"),
		script("not offered", all+ask(hi, max)+used("t", ""), "warning sampling-tool-use-not-offered by client #5"),
		script("another one", all+ask(hi, tools)+used("u", ""), "warning sampling-tool-use-not-offered by client #5 u"),
		script("none wanted", all+ask(hi, tools+`,"toolChoice":{"mode":"none"}`)+used("t", ""), "warning sampling-tool-use-not-offered by client #5"),
		script("one demanded", all+ask(hi, tools+`,"toolChoice":{"mode":"required"}`)+said, "warning sampling-tool-use-not-offered by client #5"),
		script("reason without use", all+ask(hi, tools)+answer(`"role":"assistant","content":{"type":"text","text":"x"},"model":"m","stopReason":"toolUse"`), "warning sampling-tool-use-not-offered by client #5"),
		script("not offered, modern", modern(`{"messages":[],"maxTokens":1}`)+retry, "warning sampling-tool-use-not-offered by client #3"),
		script("priority", all+ask(hi, max+`,"modelPreferences":{"costPriority":3,"speedPriority":1,"intelligencePriority":0}`), "error sampling-preference-range by server #4"),
		script("refused", all+ask(hi, max)+fromClient(`"id":1,"error":{"code":-1,"message":"no"}`), "info sampling-rejected by client #5"),
		script("refused with another code", all+ask(hi, max)+fromClient(`"id":1,"error":{"code":-32000,"message":"User rejected"}`), "info sampling-rejected by client #5"),
		script("failed", all+ask(hi, max)+fromClient(`"id":1,"error":{"code":-32603,"message":"no model"}`)),
	})
}

// blockList writes content blocks that differ in one member.
func blockList(kind, member string, ids []string) string {
	out := "["
	for i, id := range ids {
		if i > 0 {
			out += ","
		}
		out += `{"type":"` + kind + `",` + member + `"` + id + `"}`
	}
	return out + "]"
}
