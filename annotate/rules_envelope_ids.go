package annotate

import (
	"fmt"
	"slices"
	"time"

	"github.com/shakescope/shakescope/internal/mcpspec"
	"github.com/shakescope/shakescope/internal/timetext"
	"github.com/shakescope/shakescope/jsonrpc"
)

// Rules about ids of requests, errors that name none, and slow answers.
var idRules = []Rule{
	{
		ID: "id-reused", Group: GroupEnvelope, Levels: []Level{LevelError}, Revisions: mcpspec.LegacyOnly, By: Sender,
		Spec:  "2025-11-25/basic/index#requests",
		Title: "A request has an id that its sender used before on this session.",
		Why:   "Answers are matched by id. With two requests open under one id nobody can tell whose answer it is, and calls get each other's results.",
		Fix:   "Count ids up, and never use one again on a session.",
		hooks: []hook{on(onRequest, idReused), on(onResult, idOfNewSession, "initialize")},
	},
	{
		ID: "id-reused-in-flight", Group: GroupEnvelope, Levels: []Level{LevelError}, Revisions: mcpspec.ModernOnly, By: Sender,
		Spec:  "2026-07-28/basic/index#requests",
		Title: "A request has the id of another one that is still unanswered.",
		Why:   "Nobody can tell which of the two an answer belongs to.",
		Fix:   "Use an id again only once its answer has come.",
		hooks: []hook{on(onRequest, idInFlight)},
	},
	{
		ID: "error-id-missing", Group: GroupEnvelope, Levels: []Level{LevelWarning, LevelError, LevelInfo}, Revisions: mcpspec.All, By: Sender,
		Spec:  "2025-11-25/basic/index#responses",
		Title: "An error names no request: its id is null or missing.",
		Why:   "That is right only for a line whose id could not be read. Otherwise the request that failed is never answered, and hangs until it times out.",
		Fix:   "Answer with the id of the request; look for an error handler outside the code that knows it.",
		hooks: []hook{
			on(onError, errorWithoutID), on(onInvalid, errorWithoutID),
			onAnswer(requestAfterAll), on(onNotification, requestGivenUp, "notifications/cancelled"), on(onProcessEnd, requestLeftOpen),
		},
	},
	{
		ID: "request-slow", Group: GroupEnvelope, Levels: []Level{LevelInfo}, Revisions: mcpspec.All, By: Sender,
		Spec:  "2025-11-25/basic/lifecycle#timeouts",
		Title: "An answer took longer than a minute.",
		Why:   "60 s is the default time-out of widespread clients: they may have given up by then, unless progress kept them waiting.",
		Fix:   "Send progress, return early and go on as a task, or raise the client's time-out.",
		hooks: []hook{onAnswer(slowAnswer)},
	},
}

func idReused(v *view) {
	e := v.Entry
	own, _ := v.sent()
	if !v.Reused || own.lost {
		return
	}
	f := Finding{Message: "id " + shortID(e.ID) + " was used before on this session", Path: "/id"}
	if e.Ambiguous {
		f.Message = "id " + shortID(e.ID) + " belongs to a request that is still open"
		if x := v.Exchange.older; x != nil && x.id.Key() == v.Exchange.id.Key() {
			f.Related = []Ref{x.At}
		}
	}
	v.reportOn(e.From+e.ID, f)
}

// idOfNewSession takes the finding back at an initialize that opened a session of its own: ids begin anew there.
func idOfNewSession(v *view) {
	if x := v.Exchange; x != nil && v.Session.opened.At == v.At && v.Session.number > 1 {
		v.withdraw(x.At, v.rule.ID)
	}
}

func idInFlight(v *view) {
	if e := v.Entry; e.Ambiguous {
		v.reportOn(e.From+e.ID, Finding{Message: "id " + shortID(e.ID) + " belongs to a request that is still open", Path: "/id"})
	}
}

func errorWithoutID(v *view) {
	e := v.Entry
	m := e.Message
	if m.Err == nil || m.Method != "" || m.ID.Key() != "" || e.Kind == Invalid && e.Reason != jsonrpc.BadID || answersNotification(v) || e.Partial {
		return
	}
	if m.ID.Kind() != jsonrpc.IDNull && m.ID.Kind() != jsonrpc.IDAbsent {
		return // an id of another kind
	}
	_, other := v.sent()
	what := "with id null"
	if m.ID.Kind() == jsonrpc.IDAbsent {
		what = "without an id"
	}
	f := Finding{Message: fmt.Sprintf("error %d %s", m.Err.Code, what), Path: "/id"}
	switch {
	case other.unaccounted > 0 || slices.ContainsFunc(other.refusable, func(x *exchange) bool { return x.open }) || v.uncertain():
		f.Level = LevelInfo
		f.Message += ": about a line that could not be read as one message"
	case other.openCount > 0 && (m.ID.Kind() == jsonrpc.IDNull || e.Revision != "" && e.Revision <= mcpspec.Rev20250618):
		f.Level = LevelError
	default:
		f.Level = LevelWarning
	}
	if f.Level != LevelInfo {
		v.suspectNotice()
	}
	if !e.Probable.IsZero() {
		f.Message += "; probably meant for " + e.Probable.String()
		f.Related = []Ref{e.Probable}
	}
	v.report(f)
}

func slowAnswer(v *view) {
	const limit = time.Minute
	e := v.Entry
	if x := v.Exchange; x == nil || !e.HasLatency || e.Latency <= limit || x.longLived() || x.method == "tasks/result" {
		return
	}
	how := "without progress"
	if n := v.Exchange.progress; n > 0 {
		how = fmt.Sprintf("with %d progress notices", n)
	}
	v.reportOn(e.Method, Finding{Message: fmt.Sprintf("%s took %s, %s", label(e.Method, e.Target), timetext.Rough(e.Latency), how), Related: []Ref{v.Exchange.At}})
}
