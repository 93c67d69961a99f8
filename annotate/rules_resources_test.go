package annotate

import "testing"

func TestResourceRules(t *testing.T) {
	rules := []string{"resource-uri-invalid", "resource-template-invalid", "resource-contents-shape", "resource-not-found-code-legacy", "resource-not-found-code-modern",
		"resource-empty-contents", "resource-read-uri-mismatch", "resource-updated-unsubscribed", "resource-updated-after-unsubscribe", "resource-unsubscribe-unknown",
		"resource-updated-no-uri", "content-base64", "schema-result", "schema-params"}
	on := func(name, script string, want ...string) ruleCase {
		return ruleCase{name: name, script: script, want: want, watch: rules}
	}
	start := opened("2025-11-25", "{}", toolServer)
	list := func(name, resources string, want ...string) ruleCase {
		return on(name, start+asks(1, "resources/list", "")+answers(1, `{"resources":[`+resources+`]}`), want...)
	}
	template := func(name, uri string, want ...string) ruleCase {
		return on(name, start+asks(1, "resources/templates/list", "")+answers(1, `{"resourceTemplates":[{"name":"t","uriTemplate":"`+uri+`"}]}`), want...)
	}
	read := func(name, uri, answer string, want ...string) ruleCase {
		return on(name, start+asks(1, "resources/read", `{"uri":"`+uri+`"}`)+answer, want...)
	}
	modern := func(name, answer string, want ...string) ruleCase {
		return on(name, asks(1, "resources/read", modernMeta(`,"uri":"a:1"`))+answer, want...)
	}
	contents := func(items string) string { return answers(1, `{"contents":[`+items+`]}`) }
	updated := func(uri string) string {
		return `< {"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"` + uri + `"}}` + "\n"
	}
	subscribe := asks(1, "resources/subscribe", `{"uri":"a:1"}`)
	subscribed := subscribe + answers(1, "{}")
	unsubscribe := asks(2, "resources/unsubscribe", `{"uri":"a:1"}`)
	runRuleCases(t, []ruleCase{
		list("sound", `{"uri":"file:///etc/hosts","name":"h"},{"uri":"urn:isbn:1","name":"b"},{"uri":"x-own://ä/%20?q=1#f","name":"c"}`),
		list("path", `{"uri":"/etc/hosts","name":"h"}`, "error resource-uri-invalid by server #5 scheme"),
		list("word", `{"uri":"hosts","name":"h"}`, "error resource-uri-invalid scheme"),
		list("space", `{"uri":"file:///a b","name":"h"}`, "error resource-uri-invalid space"),
		list("template among resources", `{"uri":"a:///{id}","name":"h"}`, "error resource-template-invalid by server #5 list"),
		read("reads a path", "/etc/hosts", refuses(1, -32602, "bad"), "error resource-uri-invalid by client #4"),
		on("subscribes to a path", start+asks(1, "resources/subscribe", `{"uri":"hosts"}`), "error resource-uri-invalid by client #4"),
		template("template", "file:///{+path}/{a,b}{?q*,r:3}"),
		template("open brace", "file:///{path", "error resource-template-invalid by server #5 closed"),
		template("doubled braces", "file:///{{path}}", "error resource-template-invalid doubled"),
		template("empty expression", "file:///{}", "error resource-template-invalid empty"),
		template("as web frameworks write it", "users:///:id/posts", "warning resource-template-invalid #5"),

		read("content", "a:1", answers(1, `{"content":[{"uri":"a:1","text":"t"}]}`), "error resource-contents-shape by server #5 content"),
		read("object", "a:1", answers(1, `{"contents":{"uri":"a:1","text":"t"}}`), "error resource-contents-shape array"),
		read("no uri", "a:1", contents(`{"text":"t"}`), "error resource-contents-shape uri"),
		read("neither", "a:1", contents(`{"uri":"a:1"}`), "error resource-contents-shape #5"),
		read("both", "a:1", contents(`{"uri":"a:1","text":"t","blob":"AA=="}`), "error resource-contents-shape both"),
		read("text as a number", "a:1", contents(`{"uri":"a:1","text":1}`), "error resource-contents-shape /contents/0/text"),
		read("blob", "a:1", contents(`{"uri":"a:1","blob":"_-A="}`), "error content-base64 by server #5"),
		read("empty", "a:1", contents(""), "info resource-empty-contents by server #5"),
		modern("empty in the modern era", answers(1, `{"resultType":"complete","ttlMs":0,"cacheScope":"public","contents":[]}`), "warning resource-empty-contents by server #2"),
		modern("a question", answers(1, `{"resultType":"input_required","requestState":"s"}`)),
		read("other uri", "a:1", contents(`{"uri":"a:2","text":"t"}`), "info resource-read-uri-mismatch by server #5 a:2"),
		read("same uri", "a:1", contents(`{"uri":"a:1","text":"t"}`)),

		read("not found, right", "a:1", refuses(1, -32002, "Resource not found")),
		read("not found, other code", "a:1", refuses(1, -32602, "Resource a:1 not found"), "warning resource-not-found-code-legacy by server #5"),
		read("another failure", "a:1", refuses(1, -32603, "upstream 503")),
		read("no such method", "a:1", refuses(1, -32601, "Method not found")),
		modern("old code", refuses(1, -32002, "gone"), "error resource-not-found-code-modern by server #2"),
		modern("right code", refuses(1, -32602, "Resource not found")),
		modern("another code", refuses(1, -32603, "Resource not found"), "error resource-not-found-code-modern"),
		modern("a failure", refuses(1, -32603, "upstream 503")),

		on("update of nothing", start+updated("a:1"), "warning resource-updated-unsubscribed by server #4"),
		on("update", start+subscribed+updated("a:1")+updated("a:1/b")),
		on("update at once", start+subscribe+updated("a:1")+answers(1, "{}")),
		on("update of something else", start+subscribed+updated("b:1")+updated("b:1"), "warning resource-updated-unsubscribed #6 x2"),
		on("update though refused", start+subscribe+refuses(1, -32601, "no")+updated("a:1"), "info resource-updated-unsubscribed #6"),
		on("update before the end is confirmed", start+subscribed+unsubscribe+updated("a:1")+answers(2, "{}")),
		on("update after the end", start+subscribed+unsubscribe+answers(2, "{}")+updated("a:1"), "warning resource-updated-after-unsubscribe by server #8"),
		on("update after a new beginning", start+subscribed+unsubscribe+answers(2, "{}")+asks(3, "resources/subscribe", `{"uri":"a:1"}`)+answers(3, "{}")+updated("a:1")),
		on("update after missing bytes", start+"~ in=100\n"+updated("a:1")),
		on("end without a beginning", start+unsubscribe, "warning resource-unsubscribe-unknown by client #4"),
		on("end after a refusal", start+subscribe+refuses(1, -32601, "no")+unsubscribe),
		on("end", start+subscribed+unsubscribe),
		on("update without uri", start+`< {"jsonrpc":"2.0","method":"notifications/resources/updated","params":{}}`+"\n", "error resource-updated-no-uri by server #4"),
		on("update without params", start+notifies("notifications/resources/updated"), "error resource-updated-no-uri by server #4"),
		on("update of a number", start+`< {"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":1}}`+"\n", "error resource-updated-no-uri by server #4"),
	})
}

func TestPromptRules(t *testing.T) {
	rules := []string{"prompt-args-not-string", "prompt-missing-argument", "prompt-error-code", "prompt-content-array", "prompt-role", "completion-too-many", "completion-counts",
		"completion-ref", "completion-unknown-target", "completion-context-too-early", "schema-params", "schema-result", "null-optional-member", "content-type-unknown"}
	on := func(name, script string, want ...string) ruleCase {
		return ruleCase{name: name, script: script, want: want, watch: rules}
	}
	start := opened("2025-11-25", "{}", toolServer)
	listed := start + asks(1, "prompts/list", "") + answers(1, `{"prompts":[{"name":"p","arguments":[{"name":"code","required":true},{"name":"lang"}]}]}`)
	get := func(name, params, answer string, want ...string) ruleCase {
		return on(name, listed+asks(2, "prompts/get", params)+answer, want...)
	}
	message := func(name, message string, want ...string) ruleCase {
		return on(name, start+asks(1, "prompts/get", `{"name":"p"}`)+answers(1, `{"messages":[`+message+`]}`), want...)
	}
	const text = `{"type":"text","text":"hi"}`
	complete := func(name, params string, want ...string) ruleCase {
		return on(name, listed+asks(2, "completion/complete", params), want...)
	}
	completion := func(name, completion string, want ...string) ruleCase {
		return on(name, start+asks(1, "completion/complete", `{"ref":{"type":"ref/prompt","name":"p"},"argument":{"name":"code","value":""}}`)+answers(1, `{"completion":`+completion+`}`), want...)
	}
	many := `"0"`
	for range 100 {
		many += `,"1"`
	}
	const argument = `,"argument":{"name":"code","value":""}`
	templates := start + asks(1, "resources/templates/list", "") + answers(1, `{"resourceTemplates":[{"name":"t","uriTemplate":"a:///{id}{?q*}"}]}`)
	old := opened("2025-03-26", "{}", toolServer)
	runRuleCases(t, []ruleCase{
		get("sound", `{"name":"p","arguments":{"code":"x","lang":"go"}}`, answers(2, `{"messages":[{"role":"user","content":`+text+`}]}`)),
		get("number", `{"name":"p","arguments":{"code":3}}`, "", "error prompt-args-not-string by client #6 code"),
		get("missing", `{"name":"p"}`, refuses(2, -32602, "code is required"), "warning prompt-missing-argument by client #6 code"),
		get("missing, other code", `{"name":"p","arguments":{"lang":"go"}}`, refuses(2, -32603, "code is required"), "warning prompt-missing-argument #6", "warning prompt-error-code by server #7"),
		get("missing, granted", `{"name":"p"}`, answers(2, `{"messages":[]}`), "warning prompt-missing-argument #6", "warning prompt-error-code by server #7"),
		get("unknown", `{"name":"zz"}`, refuses(2, -32603, "no"), "warning prompt-error-code by server #7 zz"),
		get("unknown, right", `{"name":"zz"}`, refuses(2, -32602, "no")),
		get("unlisted, granted", `{"name":"zz"}`, answers(2, `{"messages":[]}`), "info prompt-error-code #7"),
		get("failure", `{"name":"p","arguments":{"code":"x"}}`, refuses(2, -32603, "upstream 503")),
		on("unknown by its words", start+asks(1, "prompts/get", `{"name":"zz"}`)+refuses(1, -32603, "Unknown prompt: zz"), "warning prompt-error-code #5"),
		message("array", `{"role":"user","content":[`+text+`]}`, "error prompt-content-array by server #5 array"),
		message("string", `{"role":"user","content":"hi"}`, "error prompt-content-array #5"),
		message("no content", `{"role":"user"}`, "error prompt-content-array #5"),
		message("system", `{"role":"system","content":`+text+`}`, "error prompt-role by server #5 system"),
		message("no role", `{"content":`+text+`}`, "error prompt-role #5"),

		completion("all", `{"values":["a"],"total":1,"hasMore":false}`),
		completion("too many", `{"values":[`+many+`]}`, "error completion-too-many by server #5 101"),
		completion("total too small", `{"values":["a","b"],"total":1}`, "warning completion-counts by server #5 total"),
		completion("more", `{"values":["a"],"total":9,"hasMore":false}`, "warning completion-counts hasMore"),
		completion("more, not said", `{"values":["a"],"total":9}`),
		complete("right", `{"ref":{"type":"ref/prompt","name":"p"}`+argument+`}`),
		complete("other type", `{"ref":{"type":"prompt","name":"p"}`+argument+`}`, "error completion-ref by client #6 prompt"),
		complete("uri of a prompt", `{"ref":{"type":"ref/prompt","uri":"a:1"}`+argument+`}`, "error completion-ref name", "info completion-unknown-target"),
		complete("no ref", `{"argument":{"name":"code","value":""}}`, "error completion-ref #6"),
		complete("unlisted prompt", `{"ref":{"type":"ref/prompt","name":"zz"}`+argument+`}`, "info completion-unknown-target by client #6 zz"),
		complete("unlisted argument", `{"ref":{"type":"ref/prompt","name":"p"},"argument":{"name":"nope","value":""}}`, "info completion-unknown-target nope"),
		on("nothing was listed", start+asks(2, "completion/complete", `{"ref":{"type":"ref/prompt","name":"zz"}`+argument+`}`)),
		on("template", templates+asks(2, "completion/complete", `{"ref":{"type":"ref/resource","uri":"a:///{id}{?q*}"},"argument":{"name":"q","value":""}}`)),
		on("unlisted variable", templates+asks(2, "completion/complete", `{"ref":{"type":"ref/resource","uri":"a:///{id}{?q*}"},"argument":{"name":"r","value":""}}`), "info completion-unknown-target #6"),
		on("unlisted template", templates+asks(2, "completion/complete", `{"ref":{"type":"ref/resource","uri":"b:///{id}"},"argument":{"name":"id","value":""}}`), "info completion-unknown-target #6 b:"),
		on("context too early", old+asks(1, "completion/complete", `{"ref":{"type":"ref/prompt","name":"p"},"context":{"arguments":{}}`+argument+`}`), "info completion-context-too-early by client #4"),
		on("context in time", start+asks(1, "completion/complete", `{"ref":{"type":"ref/prompt","name":"p"},"context":{"arguments":{}}`+argument+`}`)),
	})
}
