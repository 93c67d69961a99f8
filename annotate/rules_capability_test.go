package annotate

import (
	"strings"
	"testing"
)

func TestCapabilityRules(t *testing.T) {
	script := watching([]string{"cap-server-undeclared", "cap-client-undeclared", "cap-list-changed-undeclared", "cap-roots-list-changed-undeclared", "cap-subscribe-undeclared",
		"cap-logging-undeclared", "cap-tasks-operation-undeclared"})
	at := func(revision, client, server string) string { return opened(revision, client, server) }
	subscribe := fromClient(`"id":1,"method":"resources/subscribe","params":{"uri":"file:///a"}`)
	logged := fromServer(`"method":"notifications/message","params":{"level":"info","data":1}`)
	setLevel := fromClient(`"id":1,"method":"logging/setLevel","params":{"level":"info"}`)
	rootsChanged := fromClient(`"method":"notifications/roots/list_changed"`)
	discover := fromClient(`"id":"d","method":"server/discover","params":{`+statedMeta("{}", "")+`}`) +
		fromServer(`"id":"d","result":{"supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},"resultType":"complete","ttlMs":0,"cacheScope":"private"}`)
	runRuleCases(t, []ruleCase{
		script("list of tools", session+fromClient(`"id":1,"method":"tools/list"`)),
		script("resources", session+fromClient(`"id":1,"method":"resources/list"`)+fromClient(`"id":2,"method":"resources/read","params":{"uri":"a:b"}`), "error cap-server-undeclared by client #4 x2"),
		script("resources, early", at("2025-03-26", "{}", "{}")+fromClient(`"id":1,"method":"resources/list"`), "warning cap-server-undeclared by client #4"),
		script("completion needs none in 2024-11-05", at("2024-11-05", "{}", "{}")+fromClient(`"id":1,"method":"completion/complete"`)),
		script("resources, modern", discover+fromClient(`"id":1,"method":"resources/list","params":{`+statedMeta("{}", "")+`}`), "info cap-server-undeclared by client #3"),
		script("modern, nothing discovered", fromClient(`"id":1,"method":"resources/list","params":{`+statedMeta("{}", "")+`}`)),
		script("sampling", session+fromServer(`"id":1,"method":"sampling/createMessage","params":{"messages":[],"maxTokens":1}`), "error cap-client-undeclared by server #4"),
		script("sampling, early", at("2024-11-05", "{}", "{}")+fromServer(`"id":1,"method":"sampling/createMessage","params":{"messages":[],"maxTokens":1}`), "warning cap-client-undeclared by server #4"),
		script("elicitation does not exist yet", at("2025-03-26", "{}", "{}")+fromServer(`"id":1,"method":"elicitation/create","params":{"message":"m","requestedSchema":{"type":"object","properties":{}}}`)),
		script("list changed", session+fromServer(`"method":"notifications/tools/list_changed"`), "error cap-list-changed-undeclared by server #4"),
		script("list changed, declared false", at("2025-11-25", "{}", `{"tools":{"listChanged":false}}`)+fromServer(`"method":"notifications/tools/list_changed"`), "error cap-list-changed-undeclared by server #4"),
		script("list changed, declared", at("2025-11-25", "{}", `{"tools":{"listChanged":true}}`)+fromServer(`"method":"notifications/tools/list_changed"`)),
		script("roots changed", at("2025-11-25", `{"roots":{}}`, "{}")+rootsChanged, "error cap-roots-list-changed-undeclared by client #4"),
		script("roots changed, early", at("2024-11-05", `{"roots":{}}`, "{}")+rootsChanged, "warning cap-roots-list-changed-undeclared by client #4"),
		script("roots changed, declared", at("2025-11-25", `{"roots":{"listChanged":true}}`, "{}")+rootsChanged),
		script("subscribe", at("2025-11-25", "{}", `{"resources":{}}`)+subscribe, "error cap-subscribe-undeclared by client #4"),
		script("unsubscribe", at("2025-11-25", "{}", `{"resources":{}}`)+strings.Replace(subscribe, "subscribe", "unsubscribe", 1), "error cap-subscribe-undeclared by client #4"),
		script("subscribe, declared", at("2025-11-25", "{}", `{"resources":{"subscribe":true}}`)+subscribe),
		script("log", session+logged+logged, "error cap-logging-undeclared by server #4 x2"),
		script("log, early", at("2024-11-05", "{}", "{}")+logged, "error cap-logging-undeclared by server #4"),
		script("log, declared", at("2025-11-25", "{}", `{"logging":{}}`)+logged+setLevel),
		script("level", session+setLevel, "error cap-logging-undeclared by client #4"),
		script("level, early", at("2025-03-26", "{}", "{}")+setLevel, "warning cap-logging-undeclared by client #4"),
		script("log, modern", discover+fromClient(`"id":1,"method":"tools/call","params":{"name":"x",`+statedMeta("{}", `,"io.modelcontextprotocol/logLevel":"info"`)+`}`)+logged, "error cap-logging-undeclared by server #4"),
		script("list of tasks", at("2025-11-25", "{}", `{"tasks":{"cancel":{}}}`)+fromClient(`"id":1,"method":"tasks/list"`)+fromClient(`"id":2,"method":"tasks/cancel","params":{"taskId":"a"}`), "warning cap-tasks-operation-undeclared by client #4"),
		script("server cancels a task of the client", at("2025-11-25", `{"tasks":{"list":{}}}`, `{}`)+fromServer(`"id":1,"method":"tasks/cancel","params":{"taskId":"a"}`), "warning cap-tasks-operation-undeclared by server #4"),
	})
}

func TestDeclarationRules(t *testing.T) {
	script := watching([]string{"cap-value-type", "cap-unknown-for-revision", "cap-roots-listchanged-modern", "ext-id-format", "ext-reserved-prefix", "meta-key-format"})
	asking := func(caps string) string {
		return fromClient(`"id":1,"method":"tools/list","params":{` + statedMeta(caps, "") + `}`)
	}
	discovered := func(caps string) string {
		return fromClient(`"id":"d","method":"server/discover","params":{`+statedMeta("{}", "")+`}`) +
			fromServer(`"id":"d","result":{"supportedVersions":["2026-07-28"],"capabilities":`+caps+`,"resultType":"complete","ttlMs":0,"cacheScope":"private"}`)
	}
	meta := func(keys string) string {
		return session + fromClient(`"id":1,"method":"tools/list","params":{"_meta":{`+keys+`}}`)
	}
	listed := session + fromClient(`"id":1,"method":"tools/list"`)
	runRuleCases(t, []ruleCase{
		script("sound", opened("2025-11-25", `{"roots":{"listChanged":true},"elicitation":{"form":{},"url":{}},"experimental":{"x":{}},"own":1}`, `{"tools":{"listChanged":false},"resources":{"subscribe":true},"tasks":{"requests":{"tools":{"call":{}}}}}`)),
		script("tools true", opened("2025-11-25", `{}`, `{"tools":true}`), "error cap-value-type by server #2 tools"),
		script("null", opened("2025-11-25", `{"sampling":null}`, `{}`), "error cap-value-type by client #1 sampling"),
		script("listChanged an object", opened("2025-11-25", `{"roots":{"listChanged":{}}}`, `{}`), "error cap-value-type by client #1 roots.listChanged"),
		script("experimental", opened("2025-11-25", `{"experimental":{"x":true}}`, `{}`), "error cap-value-type by client #1 experimental.x"),
		script("inside", opened("2025-11-25", `{}`, `{"tasks":{"requests":{"tools":true}}}`), "error cap-value-type by server #2"),
		script("what the revision does not have is free", opened("2025-06-18", `{"tasks":1}`, `{}`), "info cap-unknown-for-revision by client #3 tasks"),
		script("modern", asking(`{"elicitation":{"form":true}}`), "error cap-value-type by client #1"),
		script("modern server", discovered(`{"logging":true}`), "error cap-value-type by server #2"),
		script("too new on both sides", opened("2024-11-05", `{"elicitation":{}}`, `{"completions":{}}`), "info cap-unknown-for-revision by client #3 elicitation", "info cap-unknown-for-revision by server #3 completions"),
		script("part too new", opened("2025-06-18", `{"elicitation":{"url":{}},"sampling":{"tools":{}}}`, `{}`), "info cap-unknown-for-revision by client #3 elicitation.url sampling.tools"),
		script("extensions", opened("2025-11-25", `{"extensions":{"io.modelcontextprotocol/tasks":{}}}`, `{}`), "info cap-unknown-for-revision by client #3 extensions"),
		script("apps are said this way everywhere", opened("2025-11-25", `{"extensions":{"io.modelcontextprotocol/ui":{}}}`, `{}`)),
		script("roots.listChanged, modern", asking(`{"roots":{"listChanged":true}}`), "info cap-roots-listchanged-modern by client #1"),
		script("roots, modern", asking(`{"roots":{}}`)+asking(`{"roots":{"listChanged":false}}`)),
		script("extension", asking(`{"extensions":{"com.example/x":{}}}`)+discovered(`{"extensions":{"io.modelcontextprotocol/tasks":{}}}`)),
		script("no prefix", asking(`{"extensions":{"tasks":{}}}`), "error ext-id-format by client #1"),
		script("bad prefix", asking(`{"extensions":{"1com/x":{}}}`), "error ext-id-format by client #1"),
		script("no name", asking(`{"extensions":{"com.example/":{}}}`), "error ext-id-format by client #1"),
		script("no object", discovered(`{"extensions":{"com.example/x":true}}`), "error ext-id-format by server #2"),
		script("reserved extension", asking(`{"extensions":{"io.modelcontextprotocol/own":{}}}`), "warning ext-reserved-prefix by client #1"),
		script("reserved extension, legacy", opened("2025-11-25", `{}`, `{"extensions":{"dev.mcp/own":{}}}`), "warning ext-reserved-prefix by server #2", "info cap-unknown-for-revision by server #3"),
		script("known extension", asking(`{"extensions":{"io.modelcontextprotocol/ui":{},"io.modelcontextprotocol/skills":{}}}`)),
		script("good keys", meta(`"a":1,"com.example/b-c_d.e":1,"a-b.c1/x":1,"progressToken":1,"com.example/":1`)),
		script("bad name", meta(`"-a":1`), "error meta-key-format by client #4"),
		script("name ends badly", meta(`"a_":1`), "error meta-key-format by client #4"),
		script("name with a space", meta(`"a b":1`), "error meta-key-format by client #4"),
		script("two slashes", meta(`"a/b/c":1`), "error meta-key-format by client #4"),
		script("label begins with a digit", meta(`"1a.b/c":1`), "error meta-key-format by client #4"),
		script("label ends with a hyphen", meta(`"a-/c":1`), "error meta-key-format by client #4"),
		script("empty label", meta(`"a..b/c":1`), "error meta-key-format by client #4"),
		script("before there were rules", opened("2025-03-26", "{}", "{}")+fromClient(`"id":1,"method":"tools/list","params":{"_meta":{"-a":1}}`)),
		script("in a tool", listed+fromServer(`"id":1,"result":{"tools":[{"name":"a","inputSchema":{"type":"object"},"_meta":{"-a":1}}]}`), "error meta-key-format by server #5"),
		script("a property of a schema is none", listed+fromServer(`"id":1,"result":{"tools":[{"name":"a","inputSchema":{"type":"object","properties":{"_meta":{"-a":1}}}}]}`)),
		script("in content", session+callWith("1", "")+fromServer(`"id":1,"result":{"_meta":{"a":1},"content":[{"type":"resource","resource":{"uri":"a:b","text":"","_meta":{"-a":1}}}]}`), "error meta-key-format by server #5"),
		script("in structured content is none", session+callWith("1", "")+fromServer(`"id":1,"result":{"content":[],"structuredContent":{"_meta":{"-a":1}}}`)),
		script("reserved key", meta(`"io.modelcontextprotocol/foo":1`)+fromServer(`"id":1,"result":{"tools":[],"_meta":{"com.mcp.tools/x":1}}`), "warning ext-reserved-prefix by client #4", "warning ext-reserved-prefix by server #5"),
		script("known key of another revision", meta(`"io.modelcontextprotocol/serverInfo":{}`)),
		script("mcp further on", meta(`"com.example.mcp/x":1`)),
		script("reserved differently before", opened("2025-06-18", "{}", `{"tools":{}}`)+fromClient(`"id":1,"method":"tools/list","params":{"_meta":{"tools.mcp.com/x":1,"api.a.mcp.org/x":1,"com.mcp/x":1}}`),
			"warning ext-reserved-prefix by client #4", "warning ext-reserved-prefix by client #4", "warning ext-reserved-prefix by client #4"),
	})
}

func TestUIRules(t *testing.T) {
	script := watching([]string{"ext-ui-not-negotiated", "ext-ui-resource", "ext-ui-flat-key"})
	list := func(meta string) string {
		return fromClient(`"id":1,"method":"tools/list"`) + fromServer(`"id":1,"result":{"tools":[{"name":"clock","inputSchema":{"type":"object"},"_meta":`+meta+`}]}`)
	}
	offered := opened("2025-11-25", `{"extensions":{"io.modelcontextprotocol/ui":{"mimeTypes":["text/html;profile=mcp-app"]}}}`, `{"tools":{},"resources":{}}`)
	plain := opened("2025-11-25", `{}`, `{"tools":{},"resources":{}}`)
	read := func(contents string) string {
		return fromClient(`"id":2,"method":"resources/read","params":{"uri":"ui://a"}`) + fromServer(`"id":2,"result":{"contents":[{"uri":"ui://a",`+contents+`}]}`)
	}
	const good = `"mimeType":"text/html;profile=mcp-app","text":"<p>"`
	nested := list(`{"ui":{"resourceUri":"ui://a"}}`)
	runRuleCases(t, []ruleCase{
		script("sound", offered+nested+read(good)),
		script("spelt with a space", offered+nested+read(`"mimeType":"text/html; profile=mcp-app","text":"<p>"`)),
		script("not offered", plain+nested, "info ext-ui-not-negotiated by server #5"),
		script("no handshake seen", "~ in=10 out=10\n"+nested),
		script("flat", offered+list(`{"ui/resourceUri":"ui://a"}`), "info ext-ui-flat-key by server #5"),
		script("both", offered+list(`{"ui":{"resourceUri":"ui://a"},"ui/resourceUri":"ui://a"}`)),
		script("other scheme", offered+list(`{"ui":{"resourceUri":"https://a"}}`), "error ext-ui-resource by server #5"),
		script("other type", offered+nested+read(`"mimeType":"text/html","text":"<p>"`), "error ext-ui-resource by server #7"),
		script("other type, nobody speaks of apps", plain+read(`"mimeType":"text/html","text":"<p>"`), "warning ext-ui-resource by server #5"),
		script("empty", offered+read(`"mimeType":"text/html;profile=mcp-app"`), "error ext-ui-resource by server #5"),
		script("no type", plain+nested+read(`"text":"<p>"`), "info ext-ui-not-negotiated by server", "error ext-ui-resource by server #7"),
		script("other resources", offered+fromClient(`"id":2,"method":"resources/read","params":{"uri":"file:///a"}`)+fromServer(`"id":2,"result":{"contents":[{"uri":"file:///a","mimeType":"text/html","text":""}]}`)),
	})
}
