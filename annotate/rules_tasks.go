package annotate

import (
	"fmt"
	"strings"

	"github.com/shakescope/shakescope/internal/mcpspec"
)

const tasks2511 = "2025-11-25/basic/utilities/tasks"

// rev2511 is the one revision that has tasks in its core.
var rev2511 = mcpspec.Through(mcpspec.Rev20251125) &^ mcpspec.Through(mcpspec.Rev20250618)

// Rules about which requests run as a task, as 2025-11-25 has it, and how that is refused. What becomes of
// a task: rules_tasks_status.go.
var taskRules = []Rule{
	{
		ID: "task-augment-undeclared", Group: GroupTasks, Levels: []Level{LevelError, LevelWarning}, Revisions: rev2511, By: Sender,
		Spec:  tasks2511 + "#tool-level-negotiation",
		Title: "A request asks to run as a task, and the other side did not declare that it can.",
		Why:   "The other side ignores params.task and answers at once, or refuses.",
		Fix:   "Send params.task only where tasks.requests names the method in the capabilities of the other side.",
		hooks: []hook{on(onRequest, augmentUndeclared, "tools/call", "sampling/createMessage", "elicitation/create")},
	},
	{
		ID: "task-forbidden-tool", Group: GroupTasks, Levels: []Level{LevelError}, Revisions: rev2511, By: "client",
		Spec:  tasks2511 + "#tool-level-negotiation",
		Title: "A tool is called as a task that does not run as one.",
		Why:   "The server has to refuse the call with -32601.",
		Fix:   "Look at execution.taskSupport of the tool: without it, or with forbidden, call it plainly.",
		hooks: []hook{on(onRequest, forbiddenTool, "tools/call")},
	},
	{
		ID: "task-required-tool", Group: GroupTasks, Levels: []Level{LevelError}, Revisions: rev2511, By: "client",
		Spec:  tasks2511 + "#tool-level-negotiation",
		Title: "A tool that runs only as a task is called plainly.",
		Why:   "The server has to refuse the call with -32601.",
		Fix:   "Send params.task with calls of tools whose execution.taskSupport is required.",
		hooks: []hook{on(onRequest, requiredTool, "tools/call")},
	},
	{
		ID: "task-support-value", Group: GroupTasks, Levels: []Level{LevelError}, Revisions: rev2511, By: "server",
		Spec:  "2025-11-25/schema#toolexecution",
		Title: "execution.taskSupport of a tool has a value that does not exist.",
		Why:   "Clients cannot tell whether to call the tool as a task; strict ones reject the whole list.",
		Fix:   "Say forbidden, optional or required.",
		hooks: []hook{on(onResult, supportValue, "tools/list")},
	},
	{
		ID: "task-not-created", Group: GroupTasks, Levels: []Level{LevelError}, Revisions: rev2511, By: Sender,
		Spec:  tasks2511 + "#result-retrieval",
		Title: "A request to run as a task was answered with the result itself.",
		Why:   "Whoever asked looks for a task in the answer, finds none, and the result is lost.",
		Fix:   "Answer with the task, and give the result to tasks/result; or do not declare tasks.requests for the method.",
		hooks: []hook{on(onResult, notCreated, "tools/call", "sampling/createMessage", "elicitation/create")},
	},
	{
		ID: "task-unrequested", Group: GroupTasks, Levels: []Level{LevelError}, Revisions: rev2511, By: Sender,
		Spec:  tasks2511 + "#creating-tasks",
		Title: "A plain request was answered with a task.",
		Why:   "Whoever asked expects the result: a tool result without content is invalid.",
		Fix:   "Create a task only for requests that have params.task.",
		hooks: []hook{on(onResult, unrequested, "tools/call", "sampling/createMessage", "elicitation/create")},
	},
	{
		ID: "task-refusal-code", Group: GroupTasks, Levels: []Level{LevelError, LevelWarning}, Revisions: rev2511, By: "server",
		Spec:  tasks2511 + "#tool-level-negotiation",
		Title: "A call was refused for its way of running with another answer than -32601.",
		Why:   "-32601 is what tells a client that it should call the tool the other way.",
		Fix:   "Answer -32601, as an error and not as a result with isError, when a tool is called as a task and must not be, or plainly and must run as one.",
		hooks: []hook{onAnswer(refusalCode, "tools/call")},
	},
	{
		ID: "task-unknown-id", Group: GroupTasks, Levels: []Level{LevelWarning}, Revisions: rev2511, By: Sender,
		Spec:  tasks2511 + "#protocol-errors",
		Title: "A request is about a task that this session has not seen.",
		Why:   "The other side has to answer -32602. A task may outlive its session, so the id need not be wrong.",
		Fix:   "Use the taskId of the answer that created the task, on the same connection.",
		hooks: []hook{on(onRequest, unknownTask, "tasks/get", "tasks/result", "tasks/cancel"), onAnswer(unknownTaskAnswer, "tasks/get", "tasks/result", "tasks/cancel")},
	},
	{
		ID: "task-result-no-related", Group: GroupTasks, Levels: []Level{LevelError}, Revisions: rev2511, By: Sender,
		Spec:  tasks2511 + "#associating-task-related-messages",
		Title: "A message that belongs to a task does not name it.",
		Why:   "The other side cannot tell which of its tasks the message is for.",
		Fix:   "Put io.modelcontextprotocol/related-task with the taskId into _meta of the result of tasks/result, and of what is asked for the task's sake.",
		hooks: []hook{on(onResult, resultNoRelated, "tasks/result"), on(onRequest, requestNoRelated, "sampling/createMessage", "elicitation/create")},
	},
	{
		ID: "task-related-superfluous", Group: GroupTasks, Levels: []Level{LevelWarning}, Revisions: rev2511, By: Sender,
		Spec:  tasks2511 + "#related-task-metadata",
		Title: "A message that names its task already carries related-task, too.",
		Why:   "It says the same twice, and leaves open which counts if they differ.",
		Fix:   "Leave related-task out of tasks/get, tasks/list, tasks/cancel, their answers, and notifications/tasks/status.",
		hooks: []hook{
			on(onRequest, relatedSuperfluous, "tasks/get", "tasks/list", "tasks/cancel"), on(onResult, relatedSuperfluous, "tasks/get", "tasks/list", "tasks/cancel"),
			on(onNotification, relatedSuperfluous, "notifications/tasks/status"),
		},
	},
}

// taskPath returns the capability that running a method as a task leans on.
func taskPath(method string) string {
	switch method {
	case "tools/call":
		return "tasks.requests.tools.call"
	case "sampling/createMessage":
		return "tasks.requests.sampling.createMessage"
	}
	return "tasks.requests.elicitation.create"
}

// runsTasks says whether an end declared that it runs requests of a method as tasks; known is false where
// nothing was declared at all.
func (v *view) runsTasks(owner end, method string) (runs, known bool) {
	d := &v.Session.serverCaps
	if owner == client {
		d = &v.Session.clientCaps
	}
	return d.has(taskPath(method)), d.made()
}

// taskSupport returns what a tool's definition says of tasks; known is false where the tool was not listed.
func (x *exchange) taskSupport() (support string, known bool) {
	if x.tool == nil {
		return "", false
	}
	return text(member(x.tool.raw, "execution", "taskSupport")), true
}

// plain reports whether the tool does not run as a task.
func plainOnly(support string) bool { return support == "" || support == "forbidden" }

func augmentUndeclared(v *view) {
	if v.call.task == nil {
		return
	}
	runs, known := v.runsTasks(v.from().other(), v.Entry.Method)
	if runs || !known {
		return
	}
	f := Finding{Level: LevelWarning, Path: "/params/task"}
	if v.Entry.Method == "tools/call" {
		f.Level = LevelError
	} else {
		f.Spec = tasks2511 + "#capability-negotiation"
	}
	f.Message = fmt.Sprintf("%s asks to run as a task, but the %s did not declare %s", label(v.Entry.Method, v.Entry.Target), v.from().other(), taskPath(v.Entry.Method))
	f.Related = v.declaredAt(v.from().other())
	v.reportOn(v.Entry.Method, f)
}

func forbiddenTool(v *view) {
	if v.from() != client || v.call.task == nil {
		return
	}
	support, listed := v.Exchange.taskSupport()
	if runs, known := v.runsTasks(server, "tools/call"); !listed || !plainOnly(support) || known && !runs {
		return
	}
	says := "has no execution.taskSupport"
	if support != "" {
		says = "has taskSupport forbidden"
	}
	v.reportOn(v.Entry.Target, Finding{Message: "tool " + clean(v.Entry.Target) + " is called as a task and " + says, Path: "/params/task"})
}

func requiredTool(v *view) {
	if v.from() != client || v.call.task != nil {
		return
	}
	support, _ := v.Exchange.taskSupport()
	if runs, _ := v.runsTasks(server, "tools/call"); support == "required" && runs {
		v.reportOn(v.Entry.Target, Finding{Message: "tool " + clean(v.Entry.Target) + " is called plainly and runs only as a task (taskSupport required)", Path: "/params"})
	}
}

func supportValue(v *view) {
	i := -1
	elements(v.outcome.items, func(tool []byte) bool {
		i++
		raw := member(tool, "execution", "taskSupport")
		if raw == nil {
			return true
		}
		switch text(raw) {
		case "forbidden", "optional", "required":
			return true
		}
		name := clean(text(member(tool, "name")))
		v.reportOn(name, Finding{Message: "taskSupport of tool " + name + " is " + excerpt(raw), Path: pointer("/result/tools", itoa(int64(i)), "execution", "taskSupport")})
		return true
	})
}

func notCreated(v *view) {
	x := v.Exchange
	if x == nil || !isObject(member(x.params, "task")) || isObject(v.outcome.task) || v.outcome.isError || isInterim(v.outcome.kind) {
		return
	}
	if runs, _ := v.runsTasks(v.from(), x.method); !runs {
		return
	}
	if support, listed := x.taskSupport(); listed && plainOnly(support) {
		return // it should not have been called so
	}
	v.reportOn(label(x.method, x.target), Finding{Message: label(x.method, x.target) + " was to run as a task and got its result at once", Path: "/result", Related: []Ref{x.At}})
}

func unrequested(v *view) {
	x := v.Exchange
	if x == nil || !x.sized || v.outcome.taskID == "" || !isObject(v.outcome.task) {
		return
	}
	if task := member(x.params, "task"); task != nil && !isNull(task) {
		return
	}
	v.reportOn(label(x.method, x.target), Finding{Message: label(x.method, x.target) + " did not ask to run as a task and was answered with one", Path: "/result/task", Related: []Ref{x.At}})
}

// mentions reports whether a text holds a word, in any case.
func mentions(s, word string) bool {
	return strings.Contains(strings.ToLower(s[:min(len(s), 4096)]), word)
}

// refused says how a call was refused for its way of running, "" when it was not, or rightly.
func refused(v *view) string {
	err := v.Entry.Err
	if err == nil {
		if v.outcome.isError && mentions(string(member(v.Entry.Message.Result, "content")), "task") {
			return "by a result with isError"
		}
		return ""
	}
	if err.Code == mcpspec.InvalidRequest || err.Code != mcpspec.MethodNotFound && mentions(err.Message, "task") {
		return fmt.Sprintf("with %d", err.Code)
	}
	return ""
}

func refusalCode(v *view) {
	x := v.Exchange
	if x == nil || x.from != client || !x.sized {
		return
	}
	support, listed := x.taskSupport()
	task := member(x.params, "task")
	asTask := task != nil && !isNull(task)
	if !listed || asTask != plainOnly(support) || !asTask && support != "required" {
		return
	}
	how := refused(v)
	if how == "" {
		return
	}
	runs, _ := v.runsTasks(server, "tools/call")
	f := Finding{Level: LevelWarning, Related: []Ref{x.At}, Path: "/error/code"}
	if v.Entry.Err == nil {
		f.Path = "/result"
	}
	f.Message = fmt.Sprintf("tool %s does not run as a task, and the call was refused %s; -32601 was due", clean(x.target), how)
	if !asTask {
		f.Message = fmt.Sprintf("tool %s runs only as a task, and the plain call was refused %s; -32601 was due", clean(x.target), how)
		if runs {
			f.Level = LevelError
		}
	}
	v.reportOn(x.target, f)
}

func unknownTask(v *view) {
	l := v.tasks()
	if id := v.Entry.Target; id == "" || v.askedTask() != nil || v.uncertain() || l.lost {
		return
	}
	v.reportOn(v.Entry.Target, Finding{Message: v.Entry.Method + " for a task that this session has not seen: " + shortText(v.Entry.Target), Path: "/params/taskId"})
}

// unknownTaskAnswer takes the doubt back when the other side knows the task, and else wants the right code.
func unknownTaskAnswer(v *view) {
	x := v.Exchange
	if x == nil || x.target == "" || v.uncertain() {
		return
	}
	t, err := v.answeredTask(), v.Entry.Err
	switch {
	case err == nil && (t == nil || !t.created.set() && x.At.Seq < t.told.At.Seq):
		v.withdraw(x.At, "task-unknown-id")
	case err != nil && t == nil && !v.tasks().lost && err.Code != mcpspec.InvalidParams && err.Code != mcpspec.MethodNotFound:
		v.reportOn(x.target, Finding{Message: fmt.Sprintf("%s for an unknown task was refused with %d; -32602 was due", x.method, err.Code), Path: "/error/code", Related: []Ref{x.At}})
	}
}

func resultNoRelated(v *view) {
	x := v.Exchange
	if x == nil || v.outcome.taskID == x.target && x.target != "" {
		return // a task instead of its result, which task-result-early is about
	}
	if v.outcome.relatedTask == "" {
		v.reportOn("tasks/result", Finding{Message: "the result of task " + shortText(x.target) + " does not name it in _meta", Path: "/result/_meta", Related: []Ref{x.At}})
	}
}

// requestNoRelated is about what can only be asked for the sake of a task: one waits for input, and nothing
// else is open that the question could belong to.
func requestNoRelated(v *view) {
	_, other := v.sent()
	if v.call.relatedTask != "" || openBesideTasks(other) || v.uncertain() {
		return
	}
	if waiting := v.tasks().waitingForInput(v.from()); len(waiting) > 0 {
		t := waiting[0]
		v.reportOn(v.Entry.Method, Finding{Message: v.Entry.Method + " while " + t.name() + " waits for input and nothing else is open, without naming it in _meta", Path: "/params/_meta", Related: []Ref{t.created.At}})
	}
}

func relatedSuperfluous(v *view) {
	related, path := "", "/params/_meta"
	if v.call != nil {
		related = v.call.relatedTask
	} else if v.Exchange != nil {
		related, path = v.outcome.relatedTask, "/result/_meta"
	}
	if related != "" {
		v.reportOn(v.Entry.Method+path, Finding{Message: v.Entry.Method + " carries related-task; it names its task already", Path: pointer(path, mcpspec.MetaRelatedTask)})
	}
}
