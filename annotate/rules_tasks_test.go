package annotate

import "testing"

const taskTimes = `,"createdAt":"2026-08-01T00:00:00Z","lastUpdatedAt":"2026-08-01T00:00:00Z"`

func TestTaskRules(t *testing.T) {
	watch := without(rulesOf(taskRules, taskStatusRules), "task-abandoned")
	c := func(name, script string, want ...string) ruleCase {
		return ruleCase{name: name, script: script, want: want, watch: watch}
	}
	const able = `{"tools":{},"tasks":{"list":{},"cancel":{},"requests":{"tools":{"call":{}}}}}`
	s := opened("2025-11-25", `{"sampling":{},"elicitation":{}}`, able)
	listing := func(execution string) string {
		if execution != "" {
			execution = `,"execution":{"taskSupport":` + execution + `}`
		}
		return bare("9", "tools/list") + gives("9", `"tools":[{"name":"job","inputSchema":{"type":"object"}`+execution+`}]`)
	}
	call := func(id, more string) string {
		return `> {"jsonrpc":"2.0","id":` + id + `,"method":"tools/call","params":{"name":"job"` + more + `}}` + "\n"
	}
	const asTask = `,"task":{}`
	state := func(id, status string) string {
		return `"taskId":"` + id + `","status":"` + status + `"` + taskTimes + `,"ttl":null`
	}
	created := func(id, task string) string { return gives(id, `"task":{`+state(task, "working")+`}`) }
	ask := func(id, method string) string {
		return `> {"jsonrpc":"2.0","id":` + id + `,"method":"tasks/` + method + `","params":{"taskId":"T"}}` + "\n"
	}
	told := func(status string) string { return notes("tasks/status", state("T", status)) }
	related := `"_meta":{"io.modelcontextprotocol/related-task":{"taskId":"T"}}`
	job := s + call("1", asTask) + created("1", "T") // #1 to #5
	plain := gives("1", `"content":[]`)
	asksUser := `< {"jsonrpc":"2.0","id":1,"method":"elicitation/create","params":{"message":"m","requestedSchema":{"type":"object","properties":{}}`
	runRuleCases(t, []ruleCase{
		c("sound", job+ask("2", "get")+gives("2", state("T", "completed"))+ask("3", "result")+gives("3", `"content":[],`+related)),
		c("not declared", session+call("1", asTask), "error task-augment-undeclared by client #4 tasks.requests.tools.call"),
		c("not declared by the client", s+asksUser+asTask+`}}`, "warning task-augment-undeclared by server #4"),
		c("task null is none", session+call("1", `,"task":null`)),
		c("older revisions do not know them", opened("2025-06-18", "{}", `{"tools":{}}`)+call("1", asTask)),
		c("TypeScript puts task into tasks/get", job+`> {"jsonrpc":"2.0","id":2,"method":"tasks/get","params":{"taskId":"T","task":{}}}`+"\n"+gives("2", state("T", "working"))),
		c("no support", s+listing("")+call("1", asTask), "error task-forbidden-tool by client #6 execution.taskSupport"),
		c("support forbidden", s+listing(`"forbidden"`)+call("1", asTask), "error task-forbidden-tool by client #6 forbidden"),
		c("support optional", s+listing(`"optional"`)+call("1", asTask)+call("2", "")),
		c("not listed", s+call("1", asTask)),
		c("required", s+listing(`"required"`)+call("1", ""), "error task-required-tool by client #6"),
		c("required, but tasks not declared", session+listing(`"required"`)+call("1", "")),
		c("support yes", s+listing(`"yes"`), "error task-support-value by server #5 yes"),
		c("support true", s+listing(`true`), "error task-support-value by server #5 true"),
		c("result at once", s+call("1", asTask)+plain, "error task-not-created by server #5"),
		c("refused as a result", s+call("1", asTask)+gives("1", `"content":[],"isError":true`)),
		c("refused", s+call("1", asTask)+fails("1", "-32602", "x", "")),
		c("not asked for", s+call("1", "")+created("1", "T"), "error task-unrequested by server #5"),
		c("plain call of a task tool, wrong code", s+listing(`"required"`)+call("1", "")+fails("1", "-32600", "task required", ""), "error task-required-tool by client", "error task-refusal-code by server #7 -32600"),
		c("plain call of a task tool, nothing declared", session+listing(`"required"`)+call("1", "")+fails("1", "-32600", "task required", ""), "warning task-refusal-code by server #7"),
		c("plain call of a task tool, refused in a result", session+listing(`"required"`)+call("1", "")+gives("1", `"content":[{"type":"text","text":"must run as a Task"}],"isError":true`), "warning task-refusal-code by server #7 isError"),
		c("plain call of a task tool, right code", session+listing(`"required"`)+call("1", "")+fails("1", "-32601", "task required", "")),
		c("plain call that fails for another reason", session+listing(`"required"`)+call("1", "")+fails("1", "-32602", "no such city", "")),
		c("forbidden tool, wrong code", s+listing("")+call("1", asTask)+fails("1", "-32602", "no tasks", ""), "error task-forbidden-tool by client", "warning task-refusal-code by server #7"),
		c("unknown", s+ask("1", "get"), "warning task-unknown-id by client #4"),
		c("unknown, refused", s+ask("1", "get")+fails("1", "-32602", "x", ""), "warning task-unknown-id by client"),
		c("unknown, refused wrongly", s+ask("1", "get")+fails("1", "-32603", "x", ""), "warning task-unknown-id by client", "warning task-unknown-id by server #5 -32603"),
		c("unknown here, known there", s+ask("1", "get")+gives("1", state("T", "working"))),
		c("known from a list", s+bare("1", "tasks/list")+gives("1", `"tasks":[{`+state("T", "working")+`}]`)+ask("2", "get")),
		c("result without its task", job+told("completed")+ask("2", "result")+gives("2", `"content":[]`), "error task-result-no-related by server #8"),
		c("question without its task", job+told("input_required")+ask("2", "result")+asksUser+`}}`, "error task-result-no-related by server #8"),
		c("question with its task", job+told("input_required")+ask("2", "result")+asksUser+","+related+`}}`),
		c("question of another call", job+told("input_required")+call("2", "")+asksUser+`}}`),
		c("related on a poll", job+`> {"jsonrpc":"2.0","id":2,"method":"tasks/get","params":{"taskId":"T",`+related+`}}`+"\n", "warning task-related-superfluous by client #6"),
		c("related on its answer", job+ask("2", "get")+gives("2", state("T", "working")+","+related), "warning task-related-superfluous by server #7"),
		c("related on a notice", job+notes("tasks/status", state("T", "working")+","+related), "warning task-related-superfluous by server #6"),
		c("begins completed", s+call("1", asTask)+gives("1", `"task":{`+state("T", "completed")+`}`), "error task-initial-status by server #5 completed"),
		c("goes on", job+told("completed")+told("working"), "error task-transition by server #7"),
		c("ends twice", job+ask("2", "get")+gives("2", state("T", "cancelled"))+ask("3", "get")+gives("3", state("T", "failed")), "error task-transition by server #9"),
		c("asked before the end", job+ask("2", "get")+told("completed")+gives("2", state("T", "working"))),
		c("told twice", job+told("completed")+told("completed")),
		c("waits and goes on", job+told("input_required")+told("working")+told("completed")),
		c("no times", s+call("1", asTask)+gives("1", `"task":{"taskId":"T","status":"working"}`), "error task-fields by server #5 createdAt"),
		c("ttl left out", job+notes("tasks/status", `"taskId":"T","status":"working"`+taskTimes), "error task-fields by server #6 ttl"),
		c("time in words", job+notes("tasks/status", `"taskId":"T","status":"working","createdAt":"yesterday","lastUpdatedAt":"2026-08-01T00:00:00Z","ttl":1`), "error task-fields by server #6 yesterday"),
		c("id twice", job+call("2", asTask)+created("2", "T"), "error task-id-reused by server #7"),
		c("ids of both sides are apart", opened("2025-11-25", `{"elicitation":{},"tasks":{"requests":{"elicitation":{"create":{}}}}}`, able)+call("1", asTask)+created("1", "T")+
			asksUser+asTask+`}}`+"\n"+`> {"jsonrpc":"2.0","id":1,"result":{"task":{`+state("T", "working")+`}}}`),
		c("result too early", job+ask("2", "result")+gives("2", state("T", "working")), "error task-result-early by server #7"),
		c("result too early, as a later notice shows", job+ask("2", "result")+gives("2", `"content":[],`+related)+notes("tasks/status", state("T", "working")), "error task-result-early by server #7"),
		c("result too early, as a later poll shows", job+ask("2", "result")+gives("2", `"content":[],`+related)+ask("3", "get")+gives("3", state("T", "working")), "error task-result-early by server #7"),
		c("result before the word of the end", job+ask("2", "result")+gives("2", `"content":[],`+related)+told("completed")),
		c("result is all that was asked", job+ask("2", "result")+gives("2", `"content":[],`+related)),
		c("cancelled what was over", job+told("completed")+ask("2", "cancel")+gives("2", state("T", "cancelled")), "error task-cancel-terminal by server #8", "error task-transition by server"),
		c("refused what was over, wrongly", job+told("completed")+ask("2", "cancel")+fails("2", "-32603", "x", ""), "error task-cancel-terminal by server #8"),
		c("refused what was over", job+told("completed")+ask("2", "cancel")+fails("2", "-32602", "x", "")),
		c("not cancelled", job+ask("2", "cancel")+gives("2", state("T", "working")), "error task-cancel-terminal by server #7"),
		c("cancelled", job+ask("2", "cancel")+gives("2", state("T", "cancelled"))),
		c("polled too fast", s+call("1", asTask)+gives("1", `"task":{`+state("T", "working")+`,"pollInterval":1000}`)+ask("2", "get")+gives("2", state("T", "working"))+ask("3", "get"), "warning task-poll-too-fast by client #8"),
		c("polled in time", s+call("1", asTask)+gives("1", `"task":{`+state("T", "working")+`,"pollInterval":1000}`)+ask("2", "get")+gives("2", state("T", "working"))+"+ 950\n"+ask("3", "get")),
		c("polled on a notice", s+call("1", asTask)+gives("1", `"task":{`+state("T", "working")+`,"pollInterval":1000}`)+ask("2", "get")+gives("2", state("T", "working"))+told("completed")+ask("3", "get")),
		c("progress after the end", s+call("1", asTask+`,"_meta":{"progressToken":"p"}`)+created("1", "T")+notes("progress", `"progressToken":"p","progress":1`)+told("completed")+notes("progress", `"progressToken":"p","progress":2`), "error task-progress-after-terminal by server #8"),
	})
	end := "@ client_closed_stdin\n"
	abandoned := func(name, script string, want ...string) ruleCase {
		return ruleCase{name: name, script: script, want: want, watch: []string{"task-abandoned"}}
	}
	runRuleCases(t, []ruleCase{
		abandoned("never asked again", job+end, "info task-abandoned by client #6 working"),
		abandoned("result not fetched", job+told("completed")+end, "info task-abandoned by client #7 completed"),
		abandoned("fetched", job+told("completed")+ask("2", "result")+gives("2", `"content":[],`+related)+end),
		abandoned("cancelled", job+told("cancelled")+end),
		abandoned("still waiting for the result", job+ask("2", "result")+end),
	})
}

func TestTaskExtensionRules(t *testing.T) {
	watch := rulesOf(taskExtensionRules, taskExtensionStatusRules)
	c := func(name, script string, want ...string) ruleCase {
		return ruleCase{name: name, script: script, want: want, watch: watch}
	}
	const ext = `{"extensions":{"io.modelcontextprotocol/tasks":{}},"elicitation":{}}`
	call := func(id string) string { return stated("2026-07-28", ext, id, "tools/call", `"name":"job"`) }
	state := func(status, more string) string {
		return `"taskId":"T","status":"` + status + `"` + taskTimes + `,"ttlMs":60000` + more
	}
	handle := func(id, more string) string { return gives(id, `"resultType":"task",`+state("working", more)) }
	ask := func(id, method, more string) string {
		return stated("2026-07-28", ext, id, "tasks/"+method, `"taskId":"T"`+more)
	}
	poll := func(id, status, more string) string { return ask(id, "get", "") + done(id, state(status, more)) }
	job := call("1") + handle("1", "") // #1 and #2
	const (
		result = `,"result":{"content":[]}`
		form   = `{"method":"elicitation/create","params":{"message":"m","requestedSchema":{"type":"object","properties":{}}}}`
		other  = `{"method":"elicitation/create","params":{"message":"n","requestedSchema":{"type":"object","properties":{}}}}`
		inputs = `,"inputRequests":{"k":` + form + `}`
		reply  = `,"inputResponses":{"k":{"action":"cancel"}}`
	)
	runRuleCases(t, []ruleCase{
		c("sound", job+poll("2", "working", "")+poll("3", "input_required", inputs)+ask("4", "update", reply)+done("4", "")+poll("5", "completed", result)),
		c("handle not declared", modernCall("1", "tools/call", `"name":"job"`)+handle("1", ""), "error task-ext-undeclared by server #2"),
		c("poll not declared", job+modernCall("2", "tasks/get", `"taskId":"T"`), "error task-ext-undeclared by client #3"),
		c("subscription not declared", modernCall("2", "subscriptions/listen", `"notifications":{"taskIds":["T"]}`), "error task-ext-undeclared by client taskIds"),
		c("subscription of lists", modernCall("2", "subscriptions/listen", `"notifications":{"toolsListChanged":true}`)),
		c("handle for a prompt", stated("2026-07-28", ext, "1", "prompts/get", `"name":"p"`)+handle("1", ""), "error task-ext-wrong-method by server #2"),
		c("poll answered with a handle", job+ask("2", "get", "")+handle("2", ""), "error task-ext-result-type by server #4 task"),
		c("update answered with a question", job+poll("2", "input_required", inputs)+ask("3", "update", reply)+gives("3", `"resultType":"input_required","requestState":"S"`), "error task-ext-result-type by server"),
		c("completed without result", job+poll("2", "completed", ""), "error task-ext-status-payload by server #4 result"),
		c("failed without error", job+poll("2", "failed", ""), "error task-ext-status-payload by server #4 error"),
		c("waits without question", job+poll("2", "input_required", ""), "error task-ext-status-payload by server inputRequests"),
		c("works with a result", job+poll("2", "working", result), "error task-ext-status-payload by server result"),
		c("told completed without result", job+notes("tasks", state("completed", "")), "error task-ext-status-payload by server #3"),
		c("failed with error", job+poll("2", "failed", `,"error":{"code":-32603,"message":"x"}`)),
		c("cancelled", job+poll("2", "cancelled", "")),
		c("failed by its tool", job+poll("2", "failed", `,"result":{"content":[],"isError":true}`), "error task-ext-tool-error-failed by server #4"),
		c("completed with the tool's error", job+poll("2", "completed", `,"result":{"content":[],"isError":true}`)),
		c("goes on", job+poll("2", "cancelled", "")+poll("3", "working", ""), "error task-ext-transition by server #6"),
		c("goes on by notice", job+poll("2", "completed", result)+notes("tasks", state("working", "")), "error task-ext-transition by server #5"),
		c("asked before the end", job+ask("2", "get", "")+notes("tasks", state("completed", result))+done("2", state("working", ""))),
		c("key for another question", job+poll("2", "input_required", inputs)+poll("3", "input_required", `,"inputRequests":{"k":`+other+`}`), "error task-ext-key-reused by server #6", "info task-ext-input-ignored by client #6"),
		c("key again after its answer", job+poll("2", "input_required", inputs)+ask("3", "update", reply)+done("3", "")+"+ 2000\n"+poll("4", "input_required", inputs), "error task-ext-key-reused by server #8"),
		c("key still there after its answer", job+poll("2", "input_required", inputs)+ask("3", "update", reply)+done("3", "")+poll("4", "input_required", inputs)),
		c("key still there", job+poll("2", "input_required", inputs)+poll("3", "input_required", inputs), "info task-ext-input-ignored by client #6"),
		c("answers nothing", job+ask("2", "update", reply), "warning task-ext-update-unknown-key by client #3"),
		c("answers twice", job+poll("2", "input_required", inputs)+ask("3", "update", reply)+done("3", "")+ask("4", "update", reply), "warning task-ext-update-unknown-key by client #7"),
		c("answers a task of another process", ask("2", "update", reply)),
		c("handle of nothing", job+ask("2", "get", "")+fails("2", "-32602", "no such task", ""), "error task-ext-not-durable by server #4"),
		c("expired", job+"+ 60000\n"+ask("2", "get", "")+fails("2", "-32602", "no such task", "")),
		c("unknown from elsewhere", ask("2", "get", "")+fails("2", "-32602", "no such task", "")),
		c("polled too fast", call("1")+handle("1", `,"pollIntervalMs":5000`)+poll("2", "working", "")+"+ 50\n"+ask("3", "get", ""), "warning task-ext-poll-too-fast by client #5"),
		c("polled in time", call("1")+handle("1", `,"pollIntervalMs":5000`)+poll("2", "working", "")+"+ 5000\n"+ask("3", "get", "")),
		c("cancelled by notice", job+tells("cancelled", `"requestId":1`), "error task-ext-cancel-notification by client #3"),
		c("cancelled by notice under its id", job+tells("cancelled", `"requestId":"T"`), "error task-ext-cancel-notification by client #3"),
		c("cancelled before the handle", call("1")+tells("cancelled", `"requestId":1`)),
		c("progress", stated("2026-07-28", ext, "1", "tools/call", `"name":"job"`)+handle("1", "")),
		c("progress after the handle", `> {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"job","_meta":{"progressToken":"p","io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":`+ext+`}}}`+"\n"+
			notes("progress", `"progressToken":"p","progress":1`)+handle("1", "")+notes("progress", `"progressToken":"p","progress":2`), "error task-ext-progress by server #4"),
		c("log for the task", job+notes("message", `"level":"info","data":1,"_meta":{"io.modelcontextprotocol/related-task":{"taskId":"T"}}`), "error task-ext-progress by server #3"),
		c("input ignored", job+poll("2", "input_required", inputs)+poll("3", "input_required", inputs)+poll("4", "input_required", inputs)+poll("5", "input_required", inputs), "info task-ext-input-ignored by client #6 x5"),
	})
}
