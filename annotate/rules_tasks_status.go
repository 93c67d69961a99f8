package annotate

import (
	"fmt"
	"strings"

	"github.com/shakescope/shakescope/internal/mcpshape"
	"github.com/shakescope/shakescope/internal/mcpspec"
	"github.com/shakescope/shakescope/internal/timetext"
)

// Rules about what becomes of tasks of 2025-11-25.
var taskStatusRules = []Rule{
	{
		ID: "task-initial-status", Group: GroupTasks, Levels: []Level{LevelError}, Revisions: rev2511, By: Sender,
		Spec:  tasks2511 + "#task-status-lifecycle",
		Title: "A new task is not working.",
		Why:   "Every task begins as working; clients that go by it do not expect another status in the first answer.",
		Fix:   "Create the task as working, and tell the next status by tasks/get or a notification.",
		hooks: []hook{on(onResult, initialStatus, "tools/call", "sampling/createMessage", "elicitation/create")},
	},
	{
		ID: "task-transition", Group: GroupTasks, Levels: []Level{LevelError}, Revisions: rev2511, By: Sender,
		Spec:  tasks2511 + "#task-status-lifecycle",
		Title: "A task that was over has another status.",
		Why:   "completed, failed and cancelled are final: the other side has fetched the result or given up.",
		Fix:   "Keep the first final status; look for a worker that goes on after the cancellation.",
		hooks: []hook{on(onResult, taskTransition), on(onNotification, taskTransition, "notifications/tasks/status")},
	},
	{
		ID: "task-fields", Group: GroupTasks, Levels: []Level{LevelError}, Revisions: rev2511, By: Sender,
		Spec:  tasks2511 + "#ttl-and-resource-management",
		Title: "A task lacks its times.",
		Why:   "The other side cannot tell how long the task will be kept; strict ones reject the message.",
		Fix:   "Send createdAt and lastUpdatedAt in ISO 8601, and ttl in milliseconds, or null for ever.",
		hooks: []hook{on(onResult, taskFields, "tools/call", "sampling/createMessage", "elicitation/create", "tasks/get", "tasks/cancel", "tasks/list"), on(onNotification, taskFields, "notifications/tasks/status")},
	},
	{
		ID: "task-id-reused", Group: GroupTasks, Levels: []Level{LevelError}, Revisions: rev2511, By: Sender,
		Spec:  tasks2511 + "#task-id-requirements",
		Title: "Two tasks have the same id.",
		Why:   "Nobody can tell which of them a result or a cancellation is for.",
		Fix:   "Give each task an id of its own, hard to guess.",
		hooks: []hook{on(onResult, taskIDReused, "tools/call", "sampling/createMessage", "elicitation/create")},
	},
	{
		ID: "task-result-early", Group: GroupTasks, Levels: []Level{LevelError}, Likely: true, Revisions: rev2511, By: Sender,
		Spec:  tasks2511 + "#result-retrieval",
		Title: "tasks/result was answered before the task was over.",
		Why:   "It has to wait for the end of the task; what it answers before is no result.",
		Fix:   "Hold the answer back until the task is completed, failed or cancelled.",
		hooks: []hook{on(onResult, resultEarly), on(onNotification, resultEarly, "notifications/tasks/status")},
	},
	{
		ID: "task-cancel-terminal", Group: GroupTasks, Levels: []Level{LevelError}, Revisions: rev2511, By: Sender,
		Spec:  tasks2511 + "#task-cancellation",
		Title: "tasks/cancel was answered with something else than it leads to.",
		Why:   "The other side cannot tell whether the task is cancelled.",
		Fix:   "Refuse the cancellation of a task that is over with -32602; else answer with the task, its status cancelled.",
		hooks: []hook{onAnswer(cancelTerminal, "tasks/cancel")},
	},
	{
		ID: "task-poll-too-fast", Group: GroupTasks, Levels: []Level{LevelWarning}, Revisions: rev2511, By: Sender,
		Spec:  tasks2511 + "#getting-tasks",
		Title: "A task is polled more often than its owner asked.",
		Why:   "It costs both sides work and brings no news.",
		Fix:   "Wait pollInterval milliseconds between two tasks/get.",
		hooks: []hook{on(onRequest, pollTooFast, "tasks/get")},
	},
	{
		ID: "task-progress-after-terminal", Group: GroupTasks, Levels: []Level{LevelError}, Revisions: rev2511, By: Sender,
		Spec:  "2025-11-25/basic/utilities/progress#behavior-requirements",
		Title: "Progress came for a task that is over.",
		Why:   "The token is dead with the task: the other side drops the notice or fails on it.",
		Fix:   "Stop progress before telling the final status.",
		hooks: []hook{on(onNotification, progressAfterTerminal, "notifications/progress")},
	},
	{
		ID: "task-abandoned", Group: GroupTasks, Levels: []Level{LevelInfo}, Likely: true, Revisions: rev2511, By: "client",
		Spec:  tasks2511 + "#getting-tasks",
		Title: "Nobody fetched the result of a task.",
		Why:   "The work was done, or goes on, for nothing.",
		Fix:   "Fetch the result by tasks/result, or cancel the task.",
		hooks: []hook{on(onRequest, resultAsked, "tasks/result"), on(onSessionEnd, taskAbandoned)},
	},
}

func initialStatus(v *view) {
	for _, w := range v.words() {
		if w.fresh && w.status != "working" {
			v.reportOn(w.id, Finding{Message: "the new " + w.name() + " is " + shortText(w.status), Path: w.path + "/status", Related: []Ref{w.request}})
		}
	}
}

func taskTransition(v *view) {
	if x := v.Exchange; v.Entry.Kind == Response && (x == nil || x.spec == nil || x.spec.Group != mcpspec.Tasks && !x.canBeTask()) {
		return
	}
	for _, w := range v.words() {
		if w.leavesTerminal() {
			v.reportOn(w.id, Finding{Message: w.transition(), Path: w.path + "/status", Related: []Ref{w.terminal.At}})
		}
	}
}

func taskFields(v *view) {
	for _, w := range v.words() {
		var wrong []string
		mcpshape.CheckType("Task", mcpspec.Rev20251125, w.raw, func(p mcpshape.Problem) {
			name := strings.TrimPrefix(p.Path, "/")
			if p.Keyword == "required" && p.Path == "" {
				name = p.Want
			}
			switch name {
			case "createdAt", "lastUpdatedAt", "ttl", "status":
			default:
				return
			}
			if p.Keyword == "required" {
				wrong = append(wrong, "lacks "+name)
			} else {
				wrong = append(wrong, "has "+name+" "+clean(p.Value))
			}
		})
		if wrong != nil {
			v.reportOn(strings.Join(wrong, ","), Finding{Message: w.name() + " " + strings.Join(wrong, ", "), Path: w.path})
		}
	}
}

func taskIDReused(v *view) {
	for _, w := range v.words() {
		if w.reused {
			v.report(Finding{Message: "the new " + w.name() + " has the id of an earlier one", Path: w.path + "/taskId", Related: []Ref{w.request}})
		}
	}
}

// resultEarly needs proof that the task goes on: its own word in the result, or a later one. That a result
// came while the last word was working shows nothing, since tasks/result may be all that a client asks.
func resultEarly(v *view) {
	x := v.Exchange
	if v.Entry.Kind == Response {
		if x == nil || x.spec == nil || x.spec.Group != mcpspec.Tasks {
			return
		}
		if x.method == "tasks/result" {
			t := v.answeredTask()
			if t == nil || t.terminal.set() {
				return
			}
			status := text(member(v.Entry.Message.Result, "status"))
			if text(member(v.Entry.Message.Result, "taskId")) == t.id && status != "" && !isTerminal(status) {
				v.reportOn(t.id, Finding{Message: "the result of " + t.name() + " is a task that is " + shortText(status), Path: "/result", Related: []Ref{x.At}})
				return
			}
			if !t.early.set() {
				t.early = mark{v.At, v.T}
			}
			return
		}
	}
	for _, w := range v.words() {
		t := w.task
		if !t.early.set() || w.status == "" || !w.notice && x.At.Seq < t.early.At.Seq {
			continue
		}
		if !isTerminal(w.status) {
			v.reportOn(t.id, Finding{At: t.early.At, Message: fmt.Sprintf("the result of %s came before its end: in %s it is %s", t.name(), v.At, shortText(w.status)), Related: []Ref{v.At}})
		}
		t.early = mark{}
	}
}

func cancelTerminal(v *view) {
	v.words()
	x, t := v.Exchange, v.answeredTask()
	if x == nil || t == nil {
		return
	}
	over := t.terminal.set() && t.terminal.At.Seq < x.At.Seq
	f := Finding{Related: []Ref{x.At}}
	switch err := v.Entry.Err; {
	case over && err == nil:
		f.Message = fmt.Sprintf("the cancellation of %s was accepted, which was over (%s)", t.name(), t.terminal.At)
		f.Path = "/result"
	case over && err.Code != mcpspec.InvalidParams:
		f.Message = fmt.Sprintf("the cancellation of %s, which was over (%s), was refused with %d; -32602 was due", t.name(), t.terminal.At, err.Code)
		f.Path = "/error/code"
	case !over && err == nil:
		status := text(member(v.Entry.Message.Result, "status"))
		if status == "cancelled" {
			return
		}
		f.Message = fmt.Sprintf("%s is %s after its cancellation", t.name(), shortText(status))
		if status == "" {
			f.Message = "the answer to the cancellation of " + t.name() + " does not say that it is cancelled"
		}
		f.Path = "/result/status"
	default:
		return
	}
	v.report(f)
}

func pollTooFast(v *view) {
	if t, after, last := v.polledTooFast(); t != nil {
		v.reportOn(t.id, Finding{Message: fmt.Sprintf("%s polled %s after %s; its pollInterval is %s", t.name(), timetext.Rough(after), last, timetext.Rough(t.interval)), Related: []Ref{last}})
	}
}

func progressAfterTerminal(v *view) {
	x := v.Exchange
	if x == nil {
		return
	}
	if t := v.tasks().byRequest[x.At]; t != nil && t.terminal.set() && t.owner == v.from() {
		v.reportOn(t.id, Finding{Message: "progress for " + t.name() + ", which was " + shortText(t.status) + " (" + t.terminal.At.String() + ")", Related: []Ref{t.terminal.At}})
	}
}

func resultAsked(v *view) {
	if t := v.askedTask(); t != nil {
		t.fetched = true
	}
}

func taskAbandoned(v *view) {
	if v.uncertain() {
		return
	}
	for _, t := range memo[tasks](v, v.Session).all {
		if t.fetched || t.status == "failed" || t.status == "cancelled" {
			continue
		}
		f := Finding{At: t.created.At, By: t.owner.other().String(), Related: []Ref{t.request}, Message: t.name() + " (" + label(t.method, t.target) + ") was completed, and nobody fetched its result"}
		if t.status != "completed" {
			f.Message = t.name() + " (" + label(t.method, t.target) + ") was still " + shortText(t.status) + " at the end, and nobody waited for its result"
		}
		if d := &v.Process.ending; d.first.set() {
			f.At, f.Related = d.first.At, append(f.Related, t.created.At)
		}
		v.reportOn(f.By+label(t.method, t.target), f)
	}
}
