package annotate

import (
	"fmt"
	"time"

	"github.com/shakescope/shakescope/internal/mcpspec"
	"github.com/shakescope/shakescope/internal/timetext"
)

// Rules about what becomes of tasks of the extension.
var taskExtensionStatusRules = []Rule{
	{
		ID: "task-ext-transition", Group: GroupTaskExtension, Levels: []Level{LevelError}, Revisions: mcpspec.ModernOnly, By: "server",
		Spec:  extTasks + "#task-status",
		Title: "A task that was over has another status.",
		Why:   "completed, failed and cancelled are final: the client has taken the result or given up.",
		Fix:   "Keep the first final status; look for a worker that goes on after the cancellation.",
		hooks: []hook{on(onResult, extTransition, "tools/call", "tasks/get"), on(onNotification, extTransition, "notifications/tasks")},
	},
	{
		ID: "task-ext-key-reused", Group: GroupTaskExtension, Levels: []Level{LevelError}, Revisions: mcpspec.ModernOnly, By: "server",
		Spec:  extTasks + "#task-update-requests",
		Title: "A task uses the key of an input request for a second one.",
		Why:   "Clients know by the key what they have answered, and never show the new question.",
		Fix:   "Take a new key for each question of a task.",
		hooks: []hook{on(onResult, taskAsks, "tasks/get"), on(onNotification, taskAsks, "notifications/tasks"), on(onResult, taskUpdated, "tasks/update")},
	},
	{
		ID: "task-ext-update-unknown-key", Group: GroupTaskExtension, Levels: []Level{LevelWarning}, Revisions: mcpspec.ModernOnly, By: "client",
		Spec:  extTasks + "#task-update-requests",
		Title: "tasks/update answers what the task does not ask.",
		Why:   "Servers ignore the answer, and the task goes on waiting.",
		Fix:   "Use the keys of the newest inputRequests of the task, each once.",
		hooks: []hook{on(onRequest, updateUnknownKey, "tasks/update")},
	},
	{
		ID: "task-ext-not-durable", Group: GroupTaskExtension, Levels: []Level{LevelError}, Revisions: mcpspec.ModernOnly, By: "server",
		Spec:  extTasks + "#task-creation",
		Title: "The server does not know a task whose handle it has just returned.",
		Why:   "The client has nothing else: the work is lost to it.",
		Fix:   "Store the task before returning the handle, where every process that may be asked can find it, and keep it for ttlMs.",
		hooks: []hook{on(onError, notDurable, "tasks/get")},
	},
	{
		ID: "task-ext-poll-too-fast", Group: GroupTaskExtension, Levels: []Level{LevelWarning}, Revisions: mcpspec.ModernOnly, By: "client",
		Spec:  extTasks + "#task-polling",
		Title: "A task is polled more often than the server asked.",
		Why:   "It costs both sides work and brings no news.",
		Fix:   "Wait pollIntervalMs between two tasks/get, or subscribe to the task.",
		hooks: []hook{on(onRequest, pollTooFast, "tasks/get")},
	},
	{
		ID: "task-ext-input-ignored", Group: GroupTaskExtension, Levels: []Level{LevelInfo}, Likely: true, Revisions: mcpspec.ModernOnly, By: "client",
		Spec:  extTasks + "#task-update-requests",
		Title: "A task waits for input, and the client only polls it.",
		Why:   "The task stays where it is until it expires.",
		Fix:   "Show the questions of inputRequests to the user, and send the answers by tasks/update.",
		hooks: []hook{on(onRequest, pollsOn, "tasks/get"), on(onResult, inputIgnored, "tasks/get")},
	},
}

func extTransition(v *view) {
	for _, w := range v.words() {
		if w.leavesTerminal() {
			v.reportOn(w.id, Finding{Message: w.transition(), Path: w.path + "/status", Related: []Ref{w.terminal.At}})
		}
	}
}

func taskAsks(v *view) {
	for _, w := range v.words() {
		raw := member(w.raw, "inputRequests")
		if raw == nil || w.crossed {
			continue
		}
		asked := v.At
		if v.Exchange != nil && !w.notice {
			asked = v.Exchange.At
		}
		if reused := w.ask(v, raw, asked); reused != nil {
			v.reportOn(w.id, Finding{Message: w.name() + " uses a key for another question: " + knownList(reused), Path: pointer(w.path+"/inputRequests", reused[0])})
		}
	}
}

// taskUpdated notes that the server has taken in the answers of an update.
func taskUpdated(v *view) {
	t := v.answeredTask()
	if t == nil {
		return
	}
	for i := range t.questions {
		if q := &t.questions[i]; q.update == v.Exchange.At {
			q.answered = mark{v.At, v.T}
		}
	}
}

func updateUnknownKey(v *view) {
	t := v.askedTask()
	if t == nil || v.from() != client {
		return
	}
	t.waiting = 0
	var unknown []string
	members(v.call.inputResponses, func(key, _ []byte) bool {
		q := t.find(string(key))
		if q == nil || q.answered.set() {
			unknown = append(unknown, string(key))
		} else {
			q.update = v.At
		}
		return len(unknown) < maxAsked
	})
	if unknown == nil || v.uncertain() {
		return
	}
	v.reportOn(t.id, Finding{Message: t.name() + " does not ask for " + knownList(unknown), Path: pointer("/params/inputResponses", unknown[0])})
}

// notDurable holds for as long as the handle promised, or a minute where it promised nothing.
func notDurable(v *view) {
	x, t := v.Exchange, v.answeredTask()
	if x == nil || t == nil || !t.created.set() || v.Entry.Err.Code != mcpspec.InvalidParams || lacksMeta(v, x) != "" {
		return
	}
	keeps := t.ttl
	if keeps < 0 {
		keeps = time.Minute
	}
	if age := v.T - t.created.T; age < keeps && t.status != "cancelled" {
		v.reportOn(t.id, Finding{Message: fmt.Sprintf("%s is unknown %s after its handle (%s)", t.name(), timetext.Rough(age), t.created.At), Path: "/error", Related: []Ref{x.At, t.created.At}})
	}
}

// inputIgnored counts the polls in a row that find the task waiting: the first shows the question, a second
// one without an answer in between is what the rule is about.
func inputIgnored(v *view) {
	for _, w := range v.words() {
		if w.status != "input_required" {
			w.waiting = 0
			continue
		}
		if w.waiting++; w.waiting >= 2 {
			v.ignored(w.task, v.Exchange.At)
		}
	}
}

func pollsOn(v *view) {
	if t := v.askedTask(); t != nil && t.waiting >= 2 && t.status == "input_required" {
		v.ignored(t, t.told.At)
	}
}

func (v *view) ignored(t *task, related Ref) {
	v.reportOn(t.id, Finding{Message: t.name() + " waits for input, and is polled without an answer", Related: []Ref{related}})
}
