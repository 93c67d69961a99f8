package annotate

import (
	"strings"
	"testing"
)

func TestDesignRules(t *testing.T) {
	var rules []string
	for _, r := range Rules() {
		if r.Group == GroupDesign {
			rules = append(rules, r.ID)
			if len(r.Levels) != 1 || r.Levels[0] != LevelInfo || !strings.HasPrefix(r.ID, "design-") {
				t.Errorf("%s: the design review is of level info, its rules are named design-…", r.ID)
			}
		}
	}
	on := func(name, script string, want ...string) ruleCase {
		return ruleCase{name: name, script: script, want: want, watch: rules}
	}
	tools := func(name, tools string, want ...string) ruleCase {
		return on(name, withTools("2025-11-25", tools), want...)
	}
	call := func(name, tool, result string, want ...string) ruleCase {
		return on(name, withTools("2025-11-25", tool)+asks(2, "tools/call", `{"name":"get_it"}`)+answers(2, result), want...)
	}
	text := func(s string) string { return `{"content":[{"type":"text","text":"` + s + `"}]}` }
	failed := func(s string) string { return `{"isError":true,"content":[{"type":"text","text":"` + s + `"}]}` }
	properties := func(name, properties string) string {
		return withInput(name, `{"type":"object","properties":{`+properties+`}}`)
	}
	get := anyTool("get_it", "")
	const enum = `{"description":"d","enum":["create","delete","list"]}`
	rehearse := properties("deploy_it", `"dryRun":{"type":"boolean","description":"d"}`)
	deploy := func(id int, dry string) string {
		return asks(id, "tools/call", `{"name":"deploy_it","arguments":{`+dry+`}}`) + answers(id, text("ok"))
	}
	again := anyTool("put_it", `,"annotations":{"idempotentHint":true}`)
	put := func(id int, n, said string) string {
		return asks(id, "tools/call", `{"name":"put_it","arguments":{"n":`+n+`}}`) + answers(id, text(said))
	}
	runRuleCases(t, []ruleCase{
		tools("sound", get),
		tools("long", `{"name":"get_it","inputSchema":{"type":"object"},"description":"`+strings.Repeat("long ", 2200)+`"}`, "info design-description-long by server #5 11"),
		tools("many jobs", properties("issue", `"action":`+enum), "info design-many-jobs by server #5 3 action"),
		tools("a filter", properties("list_todos", `"action":`+enum)),
		tools("unclear", get+","+anyTool("create_it", "")+","+anyTool("weather", "")+","+anyTool("clock", `,"annotations":{"readOnlyHint":true}`), "info design-effect-unclear by server #5 weather"),
		tools("all of one kind", get+","+anyTool("weather", "")),
		tools("destructive", anyTool("delete_all", ""), "info design-destructive-unmarked by server #5 delete_all"),
		tools("not destructive, it says", anyTool("files.remove", `,"annotations":{"destructiveHint":false}`), "info design-destructive-unmarked false", "info design-name-portable"),
		tools("destructive and marked", anyTool("delete_all", `,"annotations":{"destructiveHint":true}`)),
		tools("destructive with a second step", properties("drop_table", `"confirm":{"type":"boolean","description":"d"}`)+","+properties("dropIndex", `"dry_run":{"type":"boolean","description":"d"}`)),
		tools("read-only writer", anyTool("update_it", `,"annotations":{"readOnlyHint":true}`)+","+anyTool("get_update_status", `,"annotations":{"readOnlyHint":true}`), "info design-readonly-writes by server #5 update_it"),
		tools("secrets", properties("get_it", `"apiKey":{"description":"d"},"page_token":{"description":"d"},"keyword":{"description":"d"},"db_password":{"description":"d"}`), "info design-secret-argument by server #5 apiKey", "info design-secret-argument db_password"),
		tools("references", withInput("get_it", `{"type":"object","properties":{"a":{"description":"d","$ref":"#/$defs/s"}},"$defs":{"s":{"type":"string"}}}`), "info design-ref by server #5 get_it"),
		tools("other forms", withInput("get_it", `{"type":"object","properties":{"a":{"_def":{"typeName":"ZodString"},"description":"d"}}}`)+`,{"name":"get_that","description":"d","inputSchema":{"type":"object"},"parameters":{"type":"object"}}`,
			"info design-foreign-schema by server #5 Zod", "info design-foreign-schema parameters"),
		tools("names", anyTool(strings.Repeat("n", 65), "")+","+anyTool("get.it", ""), "info design-name-portable by server #5 65", "info design-name-portable dot"),
		on("client declares tools", opened("2025-11-25", `{"tools":{}}`, "{}"), "info design-client-declares-tools by client #1 tools"),

		call("json", get, text(`{\"a\":1}`), "info design-json-as-text by server #7"),
		call("json beside structure", anyTool("get_it", `,"outputSchema":{"type":"object"}`), `{"content":[{"type":"text","text":"{\"a\":1}"}],"structuredContent":{"a":1}}`),
		call("no json", get, text(`{not json}`)),
		on("json before there was structure", withTools("2025-03-26", strings.Replace(get, `"d"`, `"Returns JSON."`, 1))+asks(2, "tools/call", `{"name":"get_it"}`)+answers(2, text(`{\"a\":1}`))),
		on("json that nobody spoke of", withTools("2025-03-26", get)+asks(2, "tools/call", `{"name":"get_it"}`)+answers(2, text(`{\"a\":1}`)), "info design-json-as-text #7"),
		call("flood", get, text(strings.Repeat("0123456789", 20_001)), "info design-result-floods by server #7 200"),
		call("flood that was asked for", properties("get_it", `"limit":{"description":"d"}`), text(strings.Repeat("0123456789", 20_001))),
		on("in earnest", withTools("2025-11-25", rehearse)+deploy(2, ""), "info design-no-rehearsal by client #6 dryRun"),
		on("rehearsed", withTools("2025-11-25", rehearse)+deploy(2, `"dryRun":true`)+deploy(3, `"dryRun":false`)),
		on("differs", withTools("2025-11-25", again)+put(2, "1", "a")+put(3, "1", "b"), "info design-idempotent-differs by server #9"),
		on("is the same", withTools("2025-11-25", again)+put(2, "1", "a")+put(3, "1", "a")+put(4, "2", "b")),
		call("trace", get, failed(`boom\n    at run (/app/index.js:3:5)`), "info design-error-unhelpful by server #7 trace"),
		call("nothing", get, failed(`Error`), "info design-error-unhelpful nothing"),
		call("helpful", get, failed(`No such file; list the directory first.`)),
		on("protocol error", withTools("2025-11-25", get)+asks(2, "tools/call", `{"name":"get_it"}`)+refuses(2, -32603, "Internal error"), "info design-error-unhelpful by server #7"),
	})
}

func TestEffectOf(t *testing.T) {
	for name, want := range map[string]effect{
		"get_update_status": reads, "listFiles": reads, "github_create_issue": writes, "API-delete-a-block": destroys, "weather": unsaid, "deleteAll": destroys, "a_b_c_delete": unsaid, "": unsaid,
	} {
		if got, _ := effectOf(name); got != want {
			t.Errorf("%q: %d, want %d", name, got, want)
		}
	}
}
