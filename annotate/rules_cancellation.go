package annotate

import (
	"fmt"
	"strings"

	"github.com/shakescope/shakescope/internal/mcpspec"
	"github.com/shakescope/shakescope/internal/timetext"
)

// Rules about cancellation. What is given up for want of an answer: rules_timeout.go.
var cancellationRules = []Rule{
	{
		ID: "cancel-unknown-id", Group: GroupUtilities, Levels: []Level{LevelError}, Revisions: mcpspec.All, By: Sender,
		Spec:  "2025-11-25/basic/utilities/cancellation#behavior-requirements",
		Title: "A cancellation names an id that its sender never used.",
		Why:   "Nothing is cancelled, and the request that was meant runs on.",
		Fix:   "Name the id of the request exactly as it was sent: 5 and \"5\" are two ids.",
		hooks: []hook{on(onNotification, cancelUnknown, "notifications/cancelled")},
	},
	{
		ID: "cancel-other-side", Group: GroupUtilities, Levels: []Level{LevelError}, Revisions: mcpspec.LegacyOnly, By: Sender,
		Spec:  "2025-11-25/basic/utilities/cancellation#behavior-requirements",
		Title: "A cancellation names a request of the other side.",
		Why:   "Only the sender of a request may cancel it; the other side ignores this, or cancels a request of the same number.",
		Fix:   "To refuse a request of the other side, answer it with an error.",
		hooks: []hook{on(onNotification, cancelOtherSide, "notifications/cancelled")},
	},
	{
		ID: "cancel-finished", Group: GroupUtilities, Levels: []Level{LevelInfo}, Revisions: mcpspec.All, By: Sender,
		Spec:  "2025-11-25/basic/utilities/cancellation#timing-considerations",
		Title: "A cancellation of a request that was answered already.",
		Why:   "Close together the two crossed on their way, which is normal; far apart the sender does not notice answers.",
		Fix:   "Nothing, where they crossed. Otherwise forget a request when its answer comes.",
		hooks: []hook{on(onNotification, cancelFinished, "notifications/cancelled")},
	},
	{
		ID: "cancel-initialize", Group: GroupUtilities, Levels: []Level{LevelError}, Revisions: mcpspec.LegacyOnly, By: "client",
		Spec:  "2025-11-25/basic/utilities/cancellation#behavior-requirements",
		Title: "The client cancels initialize.",
		Why:   "It must not; clients with a timeout at start-up do. Slow servers (package runners that download first) are given up this way.",
		Fix:   "Raise the timeout, or end the process and start it anew.",
		hooks: []hook{on(onNotification, cancelInitialize, "notifications/cancelled")},
	},
	{
		ID: "cancel-missing-id", Group: GroupUtilities, Levels: []Level{LevelError}, Revisions: mcpspec.All, By: Sender,
		Spec:  "2025-11-25/schema#cancellednotificationparams",
		Title: "A cancellation names no request.",
		Why:   "Nothing is cancelled.",
		Fix:   "Give requestId. A task of 2025-11-25 is cancelled with tasks/cancel.",
		hooks: []hook{on(onNotification, cancelMissingID, "notifications/cancelled")},
	},
	{
		ID: "cancel-task-augmented", Group: GroupUtilities, Levels: []Level{LevelError}, Revisions: mcpspec.Since(mcpspec.Rev20251125) & mcpspec.LegacyOnly, By: Sender,
		Spec:  "2025-11-25/basic/utilities/cancellation#behavior-requirements",
		Title: "A request that runs as a task is cancelled with notifications/cancelled.",
		Why:   "The receiver may have forgotten the request as soon as the task began: the task runs on.",
		Fix:   "Send tasks/cancel with the task's id.",
		hooks: []hook{on(onNotification, cancelTask, "notifications/cancelled")},
	},
	{
		ID: "cancel-by-server-modern", Group: GroupUtilities, Levels: []Level{LevelError}, Revisions: mcpspec.ModernOnly, By: "server",
		Spec:  "2026-07-28/basic/patterns/cancellation",
		Title: "The server sends a cancellation for something else than a subscription.",
		Why:   "It has no requests of its own to cancel; the client ignores it and waits on.",
		Fix:   "End a request of the client by answering it. Only subscriptions/listen is ended with notifications/cancelled.",
		hooks: []hook{on(onNotification, cancelByServer, "notifications/cancelled")},
	},
	{
		ID: "response-after-cancel", Group: GroupUtilities, Levels: []Level{LevelWarning, LevelError, LevelInfo}, Revisions: mcpspec.All, By: Sender,
		Spec:  "2025-11-25/basic/utilities/cancellation#behavior-requirements",
		Title: "An answer to a request that was cancelled.",
		Why:   "Within a second the two may have crossed. Later, or where the answer itself says that it was cancelled, it should not have been sent (on a modern connection: must not): clients that have forgotten the id complain or reconnect.",
		Fix:   "When a cancellation comes, stop and write nothing.",
		hooks: []hook{onAnswer(responseAfterCancel)},
	},
	{
		ID: "notification-after-cancel-modern", Group: GroupUtilities, Levels: []Level{LevelError}, Revisions: mcpspec.ModernOnly, By: "server",
		Spec:  "2026-07-28/basic/transports/stdio#cancellation",
		Title: "Progress or a log notice for a request that the client has cancelled.",
		Why:   "Nothing more may follow for that request.",
		Fix:   "Stop reporting when the cancellation comes.",
		hooks: []hook{on(onNotification, noticeAfterCancel, "notifications/progress", "notifications/message")},
	},
}

// cancelKey returns the id that a cancellation names, "" when it names none that could be one.
func (v *view) cancelKey() string {
	if !validToken(v.call.requestID) {
		return ""
	}
	return tokenKey(v.call.requestID)
}

// cancelsNothing reports whether the id is none that the sender's requests had, as far as one can know.
func (v *view) cancelsNothing() (key string, nothing bool) {
	own, _ := v.sent()
	key = v.cancelKey()
	return key, key != "" && v.Exchange == nil && !own.used.has(key) && !own.lost && own.unsound[key] == nil && !v.cancelsModern()
}

// cancelsModern reports whether the entry is a cancellation of the server where only the modern era is
// spoken, so that it can be about subscriptions only.
func (v *view) cancelsModern() bool {
	p := v.Process
	return v.from() == server && !v.Session.current() && p.modern.asked > 0 && p.knowsModern()
}

func cancelUnknown(v *view) {
	key, nothing := v.cancelsNothing()
	_, other := v.sent()
	if !nothing || v.Entry.Era != mcpspec.Modern && other.used.has(key) {
		return
	}
	f := Finding{Message: "cancels id " + shortID(string(v.call.requestID)) + ", which the " + v.Entry.From + " never used", Path: "/params/requestId"}
	own, _ := v.sent()
	if x := own.byKey[twinOfToken(string(v.call.requestID))].oldest; x != nil {
		f.Message += fmt.Sprintf("; it may mean %s, id %s (%s)", label(x.method, x.target), shortID(x.id.Raw()), x.At)
		f.Related = []Ref{x.At}
	}
	v.reportOn(key, f)
}

func cancelOtherSide(v *view) {
	key, nothing := v.cancelsNothing()
	_, other := v.sent()
	if !nothing || !other.used.has(key) {
		return
	}
	f := Finding{Message: "cancels id " + shortID(string(v.call.requestID)) + ", a request of the other side", Path: "/params/requestId"}
	x := other.byKey[key].newest
	if x == nil {
		x = other.answeredByKey[key]
	}
	if x != nil {
		f.Message = fmt.Sprintf("cancels %s (%s), a request of the other side", label(x.method, x.target), x.At)
		f.Related = []Ref{x.At}
	}
	v.reportOn(key, f)
}

func cancelFinished(v *view) {
	x := v.Exchange
	own, _ := v.sent()
	key := v.cancelKey()
	switch {
	case key == "" || v.cancelsModern():
	case x == nil && own.used.has(key):
		v.report(Finding{Message: "cancels id " + shortID(string(v.call.requestID)) + ", which was answered long ago", Path: "/params/requestId"})
	case x != nil && x.from == v.from() && x.answer.set() && x.method != "initialize" && !memo[taskRuns](v, v.Process).going(x):
		v.report(Finding{
			Message: fmt.Sprintf("cancels %s (%s) %s after its answer (%s)", label(x.method, x.target), x.At, timetext.Rough(v.T-x.answer.T), x.answer.At),
			Path:    "/params/requestId", Related: []Ref{x.At, x.answer.At},
		})
	}
}

func cancelInitialize(v *view) {
	if x := v.Exchange; x != nil && x.method == "initialize" && x.from == client && v.from() == client {
		after := v.T - x.T
		v.report(Finding{Message: fmt.Sprintf("initialize (%s) is cancelled after %s", x.At, timetext.Rough(after)), Path: "/params/requestId", Related: []Ref{x.At}})
	}
}

func cancelMissingID(v *view) {
	raw := v.call.requestID
	if raw != nil && !isNull(raw) {
		return
	}
	f := Finding{Message: "cancellation without requestId", Path: "/params"}
	if raw != nil {
		f.Message, f.Path = "cancellation with requestId null", "/params/requestId"
	}
	if reason := text(member(v.Entry.Message.Params, "reason")); reason != "" {
		f.Message += " (reason: " + excerpt([]byte(reason)) + ")"
	}
	v.report(f)
}

func cancelTask(v *view) {
	x := v.Exchange
	if x == nil || x.from != v.from() {
		return
	}
	runs := memo[taskRuns](v, v.Process)
	switch {
	case runs.going(x):
	case x.answer.set() || !augments(x.method):
		return
	case isObject(member(x.params, "task")):
	default:
		return
	}
	v.report(Finding{Message: fmt.Sprintf("cancels %s (%s), which runs as a task", label(x.method, x.target), x.At), Path: "/params/requestId", Related: []Ref{x.At}})
}

// augments reports whether requests of this method can run as tasks.
func augments(method string) bool {
	return method == "tools/call" || method == "sampling/createMessage" || method == "elicitation/create"
}

func cancelByServer(v *view) {
	key := v.cancelKey()
	if key == "" || !v.cancelsModern() {
		return
	}
	_, other := v.sent()
	x := other.byKey[key].newest
	if x == nil {
		x = other.answeredByKey[key]
	}
	if x != nil && x.longLived() {
		return
	}
	f := Finding{Message: "cancels id " + shortID(string(v.call.requestID)) + ", which is no subscription", Path: "/params/requestId"}
	if x != nil {
		f.Message = fmt.Sprintf("cancels %s (%s), which is no subscription", label(x.method, x.target), x.At)
		f.Related = []Ref{x.At}
	} else if other.lost || other.used.has(key) {
		return // it may be a subscription that is gone
	}
	v.report(f)
}

// saysCancelled reports whether a text speaks of a cancellation.
func saysCancelled(s string) bool {
	s = strings.ToLower(s)
	return strings.Contains(s, "cancelled") || strings.Contains(s, "canceled") || strings.Contains(s, "aborted")
}

func responseAfterCancel(v *view) {
	e, x := v.Entry, v.Exchange
	if x == nil || !x.cancelled() || x.method == "initialize" || memo[taskRuns](v, v.Process).began(x) || x.longLived() {
		return
	}
	after := e.T - x.cancel.T
	f := Finding{
		Message: fmt.Sprintf("%s (%s) is answered %s after it was cancelled (%s)", label(x.method, x.target), x.At, timetext.Rough(after), x.cancel.At),
		Related: []Ref{x.cancel.At, x.At},
	}
	aware := e.Err != nil && saysCancelled(e.Err.Message)
	switch {
	case !aware && after <= raceWindow:
		f.Level = LevelInfo
		f.Message += "; the two may have crossed"
	case x.era == mcpspec.Modern && v.Process.knowsModern():
		f.Level, f.Spec = LevelError, "2026-07-28/basic/transports/stdio#cancellation"
	}
	if aware {
		f.Message += ", by an error that says so: " + excerpt([]byte(e.Err.Message))
	}
	v.report(f)
}

func noticeAfterCancel(v *view) {
	x := v.Exchange
	if x == nil || v.from() != server || x.from != client || !x.cancelled() || x.answer.set() || v.T-x.cancel.T <= raceWindow || !v.Process.knowsModern() || x.longLived() {
		return
	}
	v.reportOn(x.At.String(), Finding{
		Message: fmt.Sprintf("%s %s after %s (%s) was cancelled", clean(v.Entry.Method), timetext.Rough(v.T-x.cancel.T), label(x.method, x.target), x.At),
		Related: []Ref{x.cancel.At, x.At},
	})
}
