package annotate

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/shakescope/shakescope/internal/mcpspec"
)

const extTasks = "ext-tasks 2026-07-28/tasks"

// Rules about the tasks extension of the modern era: who may use it, and in what form. What becomes of a
// task: rules_taskext_status.go.
var taskExtensionRules = []Rule{
	{
		ID: "task-ext-undeclared", Group: GroupTaskExtension, Levels: []Level{LevelError}, Revisions: mcpspec.ModernOnly, By: Sender,
		Spec:  extTasks + "#capability-negotiation",
		Title: "Tasks are used where one side did not declare the extension.",
		Why:   "A client that did not declare it takes the handle for the final, empty result; a server has to refuse tasks/* with -32021.",
		Fix:   "Declare extensions[\"io.modelcontextprotocol/tasks\"] in the clientCapabilities of each request that may become a task, and of tasks/*; a server creates tasks for such requests only, and declares the extension itself.",
		hooks: []hook{on(onResult, handleUndeclared), on(onResult, undeclaredServed, "tasks/get", "tasks/update", "tasks/cancel"), on(onRequest, tasksUndeclared, "tasks/get", "tasks/update", "tasks/cancel", "subscriptions/listen")},
	},
	{
		ID: "task-ext-wrong-method", Group: GroupTaskExtension, Levels: []Level{LevelError}, Revisions: mcpspec.ModernOnly, By: "server",
		Spec:  extTasks + "#supported-methods",
		Title: "A request other than tools/call was answered with a task.",
		Why:   "Only tool calls can become tasks: clients take the answer for an invalid result.",
		Fix:   "Answer other methods with their result.",
		hooks: []hook{on(onResult, handleWrongMethod)},
	},
	{
		ID: "task-ext-result-type", Group: GroupTaskExtension, Levels: []Level{LevelError}, Revisions: mcpspec.ModernOnly, By: "server",
		Spec:  extTasks + "#polymorphic-results",
		Title: "An answer to tasks/* is not of resultType complete.",
		Why:   "The answer itself is final, only the task is not: clients look for a new task, or for a question, where there is none.",
		Fix:   "Answer tasks/get, tasks/update and tasks/cancel with resultType complete; the task's own state is in status.",
		hooks: []hook{on(onResult, tasksResultType, "tasks/get", "tasks/update", "tasks/cancel")},
	},
	{
		ID: "task-ext-status-payload", Group: GroupTaskExtension, Levels: []Level{LevelError}, Revisions: mcpspec.ModernOnly, By: "server",
		Spec:  extTasks + "#response",
		Title: "What a task carries does not fit its status.",
		Why:   "There is no other way to get it: a completed task without its result has lost it.",
		Fix:   "completed carries result, failed carries error, input_required carries inputRequests, and no other status carries any of them.",
		hooks: []hook{on(onResult, statusPayload, "tasks/get"), on(onNotification, statusPayload, "notifications/tasks")},
	},
	{
		ID: "task-ext-tool-error-failed", Group: GroupTaskExtension, Levels: []Level{LevelError}, Revisions: mcpspec.ModernOnly, By: "server",
		Spec:  extTasks + "#task-execution-errors",
		Title: "A tool that reports an error makes its task failed.",
		Why:   "A result with isError is a result: the task is completed, with that result inside. It is the reverse of 2025-11-25, and clients look for error.",
		Fix:   "Keep failed for JSON-RPC errors; say completed and put the tool's result into result.",
		hooks: []hook{on(onResult, toolErrorFailed, "tasks/get"), on(onNotification, toolErrorFailed, "notifications/tasks")},
	},
	{
		ID: "task-ext-cancel-notification", Group: GroupTaskExtension, Levels: []Level{LevelError}, Revisions: mcpspec.ModernOnly, By: "client",
		Spec:  extTasks + "#task-cancellation",
		Title: "A task is cancelled with notifications/cancelled.",
		Why:   "That cancels requests only, and the request was answered with the handle: the task runs on.",
		Fix:   "Send tasks/cancel with the taskId.",
		hooks: []hook{on(onNotification, taskCancelledByNotice, "notifications/cancelled").whatever()},
	},
	{
		ID: "task-ext-progress", Group: GroupTaskExtension, Levels: []Level{LevelError}, Revisions: mcpspec.ModernOnly, By: "server",
		Spec:  extTasks + "#task-status-notifications",
		Title: "Progress or log messages came for a task.",
		Why:   "They belong to open requests, and the request is answered since the handle: clients have dropped the token.",
		Fix:   "Tell how far a task is by statusMessage and notifications/tasks.",
		hooks: []hook{on(onNotification, progressForTask, "notifications/progress", "notifications/message")},
	},
}

// declaresTasks reports whether capabilities declare the tasks extension.
func declaresTasks(caps []byte) bool {
	v := member(caps, "extensions", mcpspec.TasksExtension)
	return v != nil && !isNull(v) && string(v) != "false"
}

// isHandle reports whether the answer is a task handle.
func isHandle(v *view) bool {
	return v.Exchange != nil && v.Exchange.from == client && v.outcome.kind == "task"
}

func handleUndeclared(v *view) {
	x, caps := v.Exchange, &v.Process.modern.caps
	if !isHandle(v) || x.method != "tools/call" {
		return
	}
	f := Finding{Message: label(x.method, x.target) + " was answered with a task, and the ", Path: "/result/resultType", Related: []Ref{x.At}}
	switch {
	case isObject(x.clientCaps) && !declaresTasks(x.clientCaps):
		f.Message += "request did not declare the extension"
	case caps.made() && !declaresTasks(caps.raw):
		f.Message += "server did not declare the extension (" + caps.at.String() + ")"
	default:
		return
	}
	v.reportOn("handle", f)
}

// undeclaredServed is the server's part where a client uses tasks without having declared them.
func undeclaredServed(v *view) {
	if x := v.Exchange; x != nil && x.from == client && isObject(x.clientCaps) && !declaresTasks(x.clientCaps) {
		v.reportOn("served "+x.method, Finding{Message: label(x.method, x.target) + " of a client that did not declare the extension was answered with a result; -32021 was due", Path: "/result", Related: []Ref{x.At}})
	}
}

func tasksUndeclared(v *view) {
	x := v.Exchange
	if v.from() != client || !isObject(x.clientCaps) || declaresTasks(x.clientCaps) {
		return
	}
	if v.Entry.Method != "subscriptions/listen" {
		v.reportOn(v.Entry.Method, Finding{Message: label(v.Entry.Method, v.Entry.Target) + " from a client that did not declare the extension", Path: pointer("/params/_meta", mcpspec.MetaClientCapabilities)})
	} else if member(v.call.filter, "taskIds") != nil {
		v.reportOn(v.Entry.Method, Finding{Message: "subscriptions/listen asks for taskIds, and the client did not declare the extension", Path: "/params/notifications/taskIds"})
	}
}

// isTaskMethod reports whether the method is one of the extension's own.
func isTaskMethod(method string) bool {
	return method == "tasks/get" || method == "tasks/update" || method == "tasks/cancel"
}

func handleWrongMethod(v *view) {
	if x := v.Exchange; isHandle(v) && x.method != "tools/call" && !isTaskMethod(x.method) {
		v.reportOn(x.method, Finding{Message: label(x.method, x.target) + " was answered with a task", Path: "/result", Related: []Ref{x.At}})
	}
}

func tasksResultType(v *view) {
	if x, kind := v.Exchange, v.outcome.kind; x != nil && x.from == client && kind != "" && kind != "complete" {
		v.reportOn(x.method+kind, Finding{Message: x.method + " was answered with resultType " + shortText(kind), Path: "/result/resultType", Related: []Ref{x.At}})
	}
}

// payloads are the members of a task that go with one status.
var payloads = []struct{ status, member string }{{"completed", "result"}, {"failed", "error"}, {"input_required", "inputRequests"}}

func statusPayload(v *view) {
	for _, w := range v.words() {
		if failedByTool(&w) != "" {
			continue
		}
		var wrong []string
		for _, p := range payloads {
			raw := member(w.raw, p.member)
			has := raw != nil && !isNull(raw)
			switch {
			case p.status == w.status && !has:
				wrong = append(wrong, "lacks "+p.member)
			case p.status == w.status && !isObject(raw):
				wrong = append(wrong, "has "+p.member+" that is no object")
			case p.status != w.status && has && w.status != "":
				wrong = append(wrong, "carries "+p.member)
			}
		}
		if wrong != nil {
			v.reportOn(w.status+strings.Join(wrong, ","), Finding{Message: fmt.Sprintf("%s is %s and %s", w.name(), shortText(w.status), strings.Join(wrong, " and ")), Path: w.path})
		}
	}
}

// failedByTool says where a failed task carries a tool's own error, "" when it does not.
func failedByTool(w *taskWord) string {
	if w.status != "failed" {
		return ""
	}
	for _, at := range [][]string{{"result"}, {"error"}, {"error", "data"}} {
		if isTrue(member(w.raw, append(slices.Clip(at), "isError")...)) {
			return strings.Join(at, "/")
		}
	}
	return ""
}

func toolErrorFailed(v *view) {
	for _, w := range v.words() {
		if at := failedByTool(&w); at != "" {
			v.reportOn(w.id, Finding{Message: w.name() + " is failed and carries a tool result with isError; it is completed", Path: w.path + "/" + at})
		}
	}
}

// taskCancelledByNotice finds the task by its creating request, or by its id where that stands for a
// request.
func taskCancelledByNotice(v *view) {
	if v.from() != client {
		return
	}
	l := memo[tasks](v, v.Process)
	var t *task
	if x := v.Exchange; x != nil && x.answer.set() && x.era == mcpspec.Modern {
		t = l.byRequest[x.At]
	}
	if id := text(v.call.requestID); t == nil && id != "" {
		if t = l.known(server, id); v.Exchange != nil {
			t = nil // a request has that very id
		}
	}
	if t == nil || t.terminal.set() {
		return
	}
	v.reportOn(t.id, Finding{Message: t.name() + " is not cancelled by this: tasks/cancel would be due", Path: "/params/requestId", Related: []Ref{t.created.At}})
}

func progressForTask(v *view) {
	if v.from() != server {
		return
	}
	l := memo[tasks](v, v.Process)
	var t *task
	if x := v.Exchange; x != nil && x.answer.set() && v.Entry.Method == "notifications/progress" {
		t = l.byRequest[x.At]
	}
	if t == nil && v.call.relatedTask != "" {
		t = l.known(server, v.call.relatedTask)
	}
	if t != nil {
		v.reportOn(t.id, Finding{Message: v.Entry.Method + " for " + t.name() + ", whose handle was returned in " + t.created.At.String(), Related: []Ref{t.created.At}})
	}
}

// settleTime is how long a server may go on listing a question that was answered.
const settleTime = time.Second

// ask takes in the questions of a task, and says which keys were used before for something else.
func (t *task) ask(v *view, raw []byte, asked Ref) (reused []string) {
	l, listed := v.tasks(), 0
	members(raw, func(key, value []byte) bool {
		if listed++; listed > maxAsked {
			return false
		}
		q := t.find(string(key))
		switch {
		case q == nil && len(t.questions) < maxAsked:
			t.questions = append(t.questions, question{key: string(key), whole: l.keep(value)})
		case q == nil:
		case q.whole != nil && !equalValues(q.whole, value):
			reused = append(reused, string(key))
			l.bytes -= len(q.whole)
			q.whole, q.update, q.answered = l.keep(value), Ref{}, mark{}
		case q.answered.set() && asked.Seq > q.answered.At.Seq && v.T-q.answered.T > settleTime:
			reused = append(reused, string(key))
			q.update, q.answered = Ref{}, mark{}
		}
		return true
	})
	return reused
}

// keep copies a question, nil where there is no room for it.
func (l *tasks) keep(question []byte) []byte {
	if l.bytes+len(question) > maxInterimBytes {
		return nil
	}
	l.bytes += len(question)
	return bytes.Clone(question)
}
