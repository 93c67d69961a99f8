package annotate

import (
	"fmt"
	"time"

	"github.com/shakescope/shakescope/internal/mcpspec"
	"github.com/shakescope/shakescope/internal/timetext"
	"github.com/shakescope/shakescope/jsonrpc"
)

// Rules about the end of subscriptions, and about log messages, which the modern era sends for the sake of
// a request.
var subscriptionEndRules = []Rule{
	{
		ID: "sub-close-no-result", Group: GroupSubscriptions, Levels: []Level{LevelWarning}, Revisions: mcpspec.ModernOnly, By: "server",
		Spec:  "2026-07-28/basic/patterns/subscriptions#graceful-closure",
		Title: "The server ended and left a subscription open.",
		Why:   "The client cannot tell an orderly end from a crash. One page asks for a closing result, another for a cancellation, so either will do.",
		Fix:   "Before an orderly end send the closing result of each open subscription.",
		hooks: []hook{on(onEvent, closedWithoutResult, "exit", "server_exit"), on(onProcessEnd, closedWithoutResult)},
	},
	{
		ID: "sub-close-result-meta", Group: GroupSubscriptions, Levels: []Level{LevelError}, Revisions: mcpspec.ModernOnly, By: "server",
		Spec:  "2026-07-28/schema#subscriptionslistenresult",
		Title: "The closing result of a subscription does not name it.",
		Why:   "Clients route what belongs to a subscription by _meta, the closing result too.",
		Fix:   "Put io.modelcontextprotocol/subscriptionId, equal to the id of the result, into its _meta.",
		hooks: []hook{onAnswer(subscriptionAnswered, "subscriptions/listen")},
	},
	{
		ID: "sub-after-close", Group: GroupSubscriptions, Levels: []Level{LevelError}, Revisions: mcpspec.ModernOnly, By: "server",
		Spec:  "2026-07-28/basic/patterns/subscriptions#cancellation",
		Title: "A notice came on a subscription that is closed.",
		Why:   "The client has dropped its handler; such notices are lost, and the server may keep sending for ever.",
		Fix:   "Forget the subscription when its cancellation comes, or when its closing result is sent.",
		hooks: []hook{on(onNotification, subscriptionCancelled, "notifications/cancelled"), on(onNotification, afterClose)},
	},
	{
		ID: "sub-lost-on-restart", Group: GroupSubscriptions, Levels: []Level{LevelInfo}, Revisions: mcpspec.ModernOnly, By: "client",
		Spec:  "2026-07-28/basic/patterns/subscriptions#graceful-closure",
		Title: "The server was started again, and the client did not subscribe again.",
		Why:   "Subscriptions end with their process: the client misses every change from here on.",
		Fix:   "Send subscriptions/listen anew after each start.",
		hooks: []hook{on(onRequest, firstAfterRestart), on(onProcessEnd, lostOnRestart)},
	},
	{
		ID: "modern-log-not-requested", Group: GroupSubscriptions, Levels: []Level{LevelError}, Revisions: mcpspec.ModernOnly, By: "server",
		Spec:  "2026-07-28/server/utilities/logging#per-request-log-level",
		Title: "A log message came although no open request asked for any.",
		Why:   "In the modern era a client opts in to log messages with each request; others may not get any.",
		Fix:   "Send notifications/message only while a request is open that has io.modelcontextprotocol/logLevel; write other logs to stderr.",
		hooks: []hook{onAnswer(logsOver), on(onNotification, logNotRequested, "notifications/message")},
	},
	{
		ID: "modern-log-below-level", Group: GroupSubscriptions, Levels: []Level{LevelWarning}, Revisions: mcpspec.ModernOnly, By: "server",
		Spec:  "2026-07-28/server/utilities/logging#per-request-log-level",
		Title: "A log message is less severe than any open request asked for.",
		Why:   "The client did not want it; it costs time and hides what matters.",
		Fix:   "Compare the level with the logLevel of the request that the message belongs to.",
		hooks: []hook{on(onNotification, logBelowLevel, "notifications/message")},
	},
	{
		ID: "modern-log-level-invalid", Group: GroupSubscriptions, Levels: []Level{LevelWarning}, Revisions: mcpspec.ModernOnly, By: "client",
		Spec:  "2026-07-28/server/utilities/logging#error-handling",
		Title: "A request asks for log messages of a level that does not exist.",
		Why:   "The server has to refuse the request with -32602, or sends no logs at all.",
		Fix:   "Use debug, info, notice, warning, error, critical, alert or emergency.",
		hooks: []hook{on(onRequest, logLevelInvalid)},
	},
}

func parseID(raw []byte) jsonrpc.ID { return jsonrpc.ParseID(raw) }

// closedWithoutResult is about servers that end of their own accord and in order. A crash is reported as
// what it is.
func closedWithoutResult(v *view) {
	at, ok := crash(v)
	d := &v.Process.ending
	if !ok || d.exitSignal != "" || d.code != nil && *d.code != 0 {
		return
	}
	for _, s := range v.streams().all {
		if !s.closed.set() {
			v.reportOn("end", Finding{At: at.At, Message: howItEnded(d) + " without closing " + s.name(), Related: []Ref{s.At}})
		}
	}
}

// subscriptionAnswered notes the end of a subscription, or its refusal.
func subscriptionAnswered(v *view) {
	x := v.Exchange
	if x == nil || x.from != client {
		return
	}
	l := v.streams()
	s := l.byKey[x.id.Key()]
	if s == nil || s.At != x.At {
		return
	}
	if v.Entry.Err != nil {
		l.end(s, mark{v.At, v.T}, server, "refused")
		return
	}
	l.end(s, mark{v.At, v.T}, server, "closed by the server")
	raw := member(v.Entry.Message.Result, "_meta", mcpspec.MetaSubscriptionID)
	f := Finding{Path: "/result/_meta", Related: []Ref{s.At}}
	switch {
	case raw == nil:
		f.Message = "the closing result of subscription " + shortID(s.id) + " does not name it"
	case parseID(raw).Key() != x.id.Key():
		f.Message = "the closing result of subscription " + shortID(s.id) + " names " + excerpt(raw)
		f.Path = pointer(f.Path, mcpspec.MetaSubscriptionID)
	default:
		return
	}
	v.report(f)
}

// subscriptionCancelled notes that a side ends a subscription by a cancellation.
func subscriptionCancelled(v *view) {
	if x := v.Exchange; x != nil && x.from == client && x.longLived() {
		l := v.streams()
		if s := l.byKey[x.id.Key()]; s != nil && s.At == x.At {
			l.end(s, mark{v.At, v.T}, v.from(), "cancelled by the "+v.Entry.From)
		}
	}
}

// afterClose leaves a second to notices that crossed the client's cancellation.
func afterClose(v *view) {
	t := v.tagged()
	if t.of == nil || !t.of.closed.set() || t.of.closed.At == v.At || v.Entry.Method == "notifications/cancelled" {
		return
	}
	if late := v.T - t.of.closed.T; t.of.closedBy == server || late > time.Second {
		v.reportOn(t.of.At.String(), Finding{
			Message: fmt.Sprintf("%s on %s, %s %s before (%s)", label(v.Entry.Method, v.Entry.Target), t.of.name(), t.of.how, timetext.Rough(late), t.of.closed.At),
			Related: []Ref{t.of.At, t.of.closed.At},
		})
	}
}

// restarted is what one process of the server leaves to the next.
type restarted struct {
	lost  int // subscriptions that were open
	first Ref // the first modern request of the process
}

func firstAfterRestart(v *view) {
	if m := memo[restarted](v, nil); m.lost > 0 && m.first.IsZero() && v.from() == client && v.Entry.Method != "server/discover" {
		m.first = v.At
	}
}

func lostOnRestart(v *view) {
	m := memo[restarted](v, nil)
	all := v.streams().all
	if m.lost > 0 && len(all) == 0 && !m.first.IsZero() && !v.uncertain() {
		v.report(Finding{At: m.first, Message: fmt.Sprintf("%d subscriptions ended with the process before, and none was opened again", m.lost)})
	}
	*m = restarted{}
	for _, s := range all {
		if s.acked.set() && (!s.closed.set() || s.closedBy == server && s.how != "refused") {
			m.lost++
		}
	}
}

// logLevels are the levels of log messages, the least severe first.
var logLevels = map[string]int{"debug": 0, "info": 1, "notice": 2, "warning": 3, "error": 4, "critical": 5, "alert": 6, "emergency": 7}

// requestedLevel returns the lowest level that an open request asked for. known is false where one asked
// for a level that does not exist; asked counts the requests.
func (p *process) requestedLevel() (lowest int, asked int, known bool) {
	lowest, known = len(logLevels), true
	for x := p.ends[client].oldest; x != nil && asked < maxTexts; x = x.newer {
		if x.era != mcpspec.Modern || x.logLevel == "" {
			continue
		}
		asked++
		if rank, ok := logLevels[x.logLevel]; ok {
			lowest = min(lowest, rank)
		} else {
			known = false
		}
	}
	return lowest, asked, known
}

// modernLog reports whether the entry is a log message that the modern era has to account for.
func modernLog(v *view) bool {
	return v.from() == server && v.Entry.Era == mcpspec.Modern && v.call.subscription == nil && v.Process.knowsModern() && !v.uncertain() &&
		(v.Process.modern.marked || v.Process.modern.operating)
}

func logNotRequested(v *view) {
	if !modernLog(v) || len(v.Process.logAsked) > 0 {
		return
	}
	if _, asked, _ := v.Process.requestedLevel(); asked > 0 {
		return
	}
	f := Finding{Message: "a log message (" + shortText(text(member(v.Entry.Message.Params, "level"))) + ") while no open request asks for any"}
	if last := memo[lastLogged](v, v.Process); last.answer.set() && v.T-last.answer.T < time.Second {
		f.Message += fmt.Sprintf("; %s did, and was answered in %s", last.name, last.answer.At)
		f.Related = []Ref{last.request, last.answer.At}
	}
	v.reportOn("log", f)
}

// lastLogged is the newest request that asked for log messages and has been answered.
type lastLogged struct {
	name    string
	request Ref
	answer  mark
}

func logsOver(v *view) {
	if x := v.Exchange; x != nil && x.from == client && x.logLevel != "" {
		*memo[lastLogged](v, v.Process) = lastLogged{label(x.method, x.target), x.At, mark{v.At, v.T}}
	}
}

func logBelowLevel(v *view) {
	if !modernLog(v) {
		return
	}
	level := text(member(v.Entry.Message.Params, "level"))
	rank, ok := logLevels[level]
	if !ok {
		return
	}
	lowest, asked, known := v.Process.requestedLevel()
	if asked == 0 || !known || rank >= lowest {
		return
	}
	for name, r := range logLevels {
		if r == lowest {
			v.reportOn(level, Finding{Message: fmt.Sprintf("a log message of level %s; the lowest level asked for is %s", level, name), Path: "/params/level"})
		}
	}
}

func logLevelInvalid(v *view) {
	if level := v.call.logLevel; v.from() == client && level != "" {
		if _, ok := logLevels[level]; !ok {
			v.reportOn(level, Finding{Message: label(v.Entry.Method, v.Entry.Target) + " asks for log level " + shortText(level), Path: pointer("/params/_meta", mcpspec.MetaLogLevel)})
		}
	}
}
