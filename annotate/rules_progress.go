package annotate

import (
	"fmt"
	"time"

	"github.com/shakescope/shakescope/internal/mcpspec"
	"github.com/shakescope/shakescope/internal/timetext"
)

// Rules about progress.
var progressRules = []Rule{
	{
		ID: "progress-unknown-token", Group: GroupUtilities, Levels: []Level{LevelError}, Revisions: mcpspec.All, By: Sender,
		Spec:  "2025-11-25/basic/utilities/progress#behavior-requirements",
		Title: "Progress for a token that no request of the other side carried.",
		Why:   "Nobody can tell what it is about. Some clients count it as a broken connection and give the server up.",
		Fix:   "Take the token from _meta.progressToken of the request, in its own type (1 is not \"1\"), and send nothing where there is none.",
		hooks: []hook{on(onNotification, unknownToken, "notifications/progress"), on(onInvalid, tokenInVain)},
	},
	{
		ID: "progress-not-increasing", Group: GroupUtilities, Levels: []Level{LevelError}, Revisions: mcpspec.All, By: Sender,
		Spec:  "2025-11-25/basic/utilities/progress#progress-flow",
		Title: "Progress that does not go up.",
		Why:   "Each notice must name a higher value than the last one. Bars stand still or jump back, and checks against it drop the notice.",
		Fix:   "Count up over the whole request; leave out notices in which nothing has moved.",
		hooks: []hook{on(onNotification, notIncreasing, "notifications/progress")},
	},
	{
		ID: "progress-over-total", Group: GroupUtilities, Levels: []Level{LevelInfo}, Revisions: mcpspec.All, By: Sender,
		Spec:  "2025-11-25/basic/utilities/progress#progress-flow",
		Title: "Progress beyond its total, or a total that shrinks.",
		Why:   "Nothing forbids it, but bars go beyond their end or jump.",
		Fix:   "Correct total as soon as it is known better, upwards, or leave it out.",
		hooks: []hook{on(onNotification, overTotal, "notifications/progress")},
	},
	{
		ID: "progress-after-response", Group: GroupUtilities, Levels: []Level{LevelError}, Revisions: mcpspec.All, By: Sender,
		Spec:  "2025-11-25/basic/utilities/progress#implementation-notes",
		Title: "Progress after the request was answered.",
		Why:   "The token is no longer known to the asker. Some clients take the notice for a protocol error and drop the connection, with all other calls on it.",
		Fix:   "Stop the reporter, and wait for what it has begun to send, before the answer is written. A task of 2025-11-25 keeps its token until it has ended.",
		hooks: []hook{on(onNotification, progressAfterResponse, "notifications/progress"), on(onResult, taskBegun), on(onNotification, taskTold, "notifications/tasks/status"), on(onResult, taskAnswered, "tasks/get", "tasks/cancel", "tasks/result"), on(onEvent, clientGone, "client_closed_stdin")},
	},
	{
		ID: "progress-after-cancel", Group: GroupUtilities, Levels: []Level{LevelWarning}, Revisions: mcpspec.LegacyOnly, By: Sender,
		Spec:  "2025-11-25/basic/utilities/cancellation#behavior-requirements",
		Title: "Progress long after the request was cancelled.",
		Why:   "The work goes on although nobody waits for it.",
		Fix:   "Hand the cancellation on to the work (a context, an abort signal) and stop reporting.",
		hooks: []hook{on(onNotification, progressAfterCancel, "notifications/progress")},
	},
	{
		ID: "progress-token-reused", Group: GroupUtilities, Levels: []Level{LevelError}, Revisions: mcpspec.All, By: Sender,
		Spec:  "2025-11-25/basic/utilities/progress#progress-flow",
		Title: "Two open requests of one side share a progress token.",
		Why:   "Nobody can tell which of the two a notice is about.",
		Fix:   "Give each request a token of its own; its id will do.",
		hooks: []hook{on(onRequest, tokenReused)},
	},
	{
		ID: "progress-token-type", Group: GroupUtilities, Levels: []Level{LevelError}, Revisions: mcpspec.All, By: Sender,
		Spec:  "2025-11-25/basic/utilities/progress#progress-flow",
		Title: "A progress token that is neither a string nor an integer.",
		Why:   "Peers that validate refuse the message; others compare it in ways of their own and lose the notices.",
		Fix:   "Use a string or an integer, and give it back in the type it came in.",
		hooks: []hook{on(onRequest, tokenType), on(onNotification, tokenType, "notifications/progress")},
	},
	{
		ID: "progress-token-in-params", Group: GroupUtilities, Levels: []Level{LevelWarning}, Revisions: mcpspec.All, By: Sender,
		Spec:  "2025-11-25/basic/utilities/progress#progress-flow",
		Title: "progressToken stands in params instead of params._meta.",
		Why:   "The other side does not look there, so no progress will come.",
		Fix:   "Move it: params._meta.progressToken.",
		hooks: []hook{on(onRequest, tokenInParams)},
	},
	{
		ID: "progress-from-client-modern", Group: GroupUtilities, Levels: []Level{LevelError}, Revisions: mcpspec.ModernOnly, By: "client",
		Spec:  "2026-07-28/basic/patterns/progress",
		Title: "The client sends progress.",
		Why:   "Since 2026-07-28 servers send no requests, so there is nothing a client could report progress on.",
		Fix:   "Send none.",
		hooks: []hook{on(onNotification, progressFromClient, "notifications/progress").whatever()},
	},
}

// vainTokens remembers the progress tokens of requests that were no valid messages: a tolerant peer acts
// upon them all the same.
type vainTokens struct{ set idSet }

const maxVain = 4096

func tokenInVain(v *view) {
	if v.Entry.Method == "" {
		return
	}
	m := memo[vainTokens](v, v.Process)
	if key := tokenKey(member(v.Entry.Message.Params, "_meta", "progressToken")); key != "" && len(m.set.hashes) < maxVain {
		m.set.add(key)
	}
}

func unknownToken(v *view) {
	e := v.Entry
	key := tokenKey([]byte(e.Token))
	_, other := v.sent()
	if v.Exchange != nil || key == "" || !validToken([]byte(e.Token)) || other.usedTokens.has(key) || other.lost || v.clientReportsModern() {
		return
	}
	if memo[vainTokens](v, v.Process).set.has(key) {
		return
	}
	f := Finding{Message: "progress for token " + shortID(e.Token) + ", which no request carried", Path: "/params/progressToken"}
	if twin := twinOfToken(e.Token); twin != "" && other.usedTokens.has(twin) {
		f.Message = "progress for token " + shortID(e.Token) + ", but the request has it in another type: " + shortID(twin)
		if x := other.tokens[twin]; x != nil {
			f.Related = []Ref{x.At}
		}
	}
	v.reportOn(key, f)
}

// run is what the notices about one request have said so far.
type progressRun struct {
	seen        bool
	last, total float64
	at          Ref
}

// progressRuns holds the runs of requests; newest is what the entry in hand changes.
type progressRuns struct {
	of     map[*exchange]*progressRun
	shared map[string]bool // tokens that two open requests had at a time

	at     Ref
	before progressRun // of the request that the newest notice is about
	now    progressRun
	known  bool
}

const maxRuns = 1024

// progressed returns what was said before about the request of a notice, and what this notice says.
// False is a notice that says nothing of the kind.
func (v *view) progressed() (before, now progressRun, ok bool) {
	m := memo[progressRuns](v, v.Process)
	if m.at == v.At {
		return m.before, m.now, m.known
	}
	m.at, m.known = v.At, false
	x := v.Exchange
	value := member(v.Entry.Message.Params, "progress")
	if x == nil || len(value) == 0 || !isDigit(value[0]) || m.shared[tokenKey([]byte(x.token))] {
		return before, now, false
	}
	if m.of == nil || len(m.of) >= maxRuns && m.of[x] == nil {
		m.of = make(map[*exchange]*progressRun)
	}
	run := m.of[x]
	if run == nil {
		run = new(progressRun)
		m.of[x] = run
	}
	m.before = *run
	run.seen, run.last, run.total, run.at = true, v.Entry.Progress.Progress, v.Entry.Progress.Total, v.At
	m.now, m.known = *run, true
	return m.before, m.now, true
}

func notIncreasing(v *view) {
	before, now, ok := v.progressed()
	if !ok || !before.seen || now.last > before.last || v.uncertain() || v.endedFor() {
		return
	}
	x := v.Exchange
	v.reportOn(x.At.String(), Finding{
		Message: fmt.Sprintf("progress %v after %v on %s (%s)", now.last, before.last, label(x.method, x.target), x.At),
		Path:    "/params/progress", Related: []Ref{before.at, x.At},
	})
}

func overTotal(v *view) {
	before, now, ok := v.progressed()
	if !ok || now.total == 0 {
		return
	}
	x := v.Exchange
	what := fmt.Sprintf("progress %v of %v", now.last, now.total)
	switch {
	case now.last > now.total:
	case before.seen && now.total < before.total:
		what = fmt.Sprintf("the total went from %v down to %v", before.total, now.total)
	default:
		return
	}
	v.reportOn(x.At.String(), Finding{Message: what + " on " + label(x.method, x.target) + " (" + x.At.String() + ")", Path: "/params/total", Related: []Ref{x.At}})
}

// endedFor reports whether the request that a notice is about is over: answered, and no task goes on.
func (v *view) endedFor() bool {
	x := v.Exchange
	return x != nil && x.answer.set() && !memo[taskRuns](v, v.Process).going(x)
}

func progressAfterResponse(v *view) {
	e, x := v.Entry, v.Exchange
	key := tokenKey([]byte(e.Token))
	_, other := v.sent()
	switch {
	case x == nil && key != "" && other.usedTokens.has(key):
		v.reportOn(key, Finding{Message: "progress for token " + shortID(e.Token) + ", long after its request was answered", Path: "/params/progressToken"})
	case v.endedFor():
		f := Finding{
			Message: fmt.Sprintf("progress came %s after the answer (%s) to %s, id %s (%s)", timetext.Rough(e.T-x.answer.T), x.answer.At, label(x.method, x.target), shortID(x.id.Raw()), x.At),
			Path:    "/params/progressToken", Related: []Ref{x.answer.At, x.At},
		}
		v.reportOn(x.At.String(), f)
		m := memo[lateProgress](v, v.Process)
		m.again = m.about == x
		m.at, m.about, m.found, m.by = mark{e.Ref, e.T}, x, f, v.from().String()
	}
}

// lateProgress is the newest notice that came too late.
type lateProgress struct {
	at    mark
	about *exchange
	again bool // others about the same request came before
	found Finding
	by    string
}

// clientGone adds to a notice that came too late that the client left over it, as it seems.
func clientGone(v *view) {
	m := memo[lateProgress](v, v.Process)
	if !m.at.set() || m.again || m.by != server.String() || v.T-m.at.T > raceWindow || v.Process.ends[server].last.At != m.at.At {
		return
	}
	f := m.found
	f.At, f.By = m.at.At, m.by
	f.Message += fmt.Sprintf("; the client closed the connection %s later", timetext.Rough(v.T-m.at.T))
	f.Related = append(f.Related, v.At)
	v.report(f)
}

func progressAfterCancel(v *view) {
	x := v.Exchange
	if x == nil || !x.cancelled() || x.answer.set() || v.T-x.cancel.T <= raceWindow || x.from == v.from() {
		return
	}
	v.reportOn(x.At.String(), Finding{
		Message: fmt.Sprintf("progress %s after %s (%s) was cancelled", timetext.Rough(v.T-x.cancel.T), label(x.method, x.target), x.At),
		Path:    "/params/progressToken", Related: []Ref{x.cancel.At, x.At},
	})
}

// raceWindow is how long messages of the two directions may cross on their way.
const raceWindow = time.Second

// openTokens remembers the newest request of an end with each token.
type openTokens struct{ of [2]map[string]*exchange }

func tokenReused(v *view) {
	x := v.Exchange
	if x.token == "" {
		return
	}
	key := tokenKey([]byte(x.token))
	if key == "" {
		return
	}
	m := memo[openTokens](v, v.Process)
	of := m.of[x.from]
	if of == nil || len(of) >= maxRecent {
		of = make(map[string]*exchange)
		m.of[x.from] = of
	}
	prev := of[key]
	of[key] = x
	runs := memo[progressRuns](v, v.Process)
	if prev == nil || !prev.open || prev.cancelled() || prev.unsure {
		delete(runs.shared, key)
		return
	}
	if runs.shared == nil || len(runs.shared) >= maxRecent {
		runs.shared = make(map[string]bool)
	}
	runs.shared[key] = true
	v.reportOn(key, Finding{
		Message: fmt.Sprintf("token %s is that of %s (%s), which is open still", shortID(x.token), label(prev.method, prev.target), prev.At),
		Path:    "/params/_meta/progressToken", Related: []Ref{prev.At},
	})
}

// validToken reports whether raw JSON is a string or an integer, however spelt.
func validToken(raw []byte) bool { return isString(raw) || isInteger(raw) || isWhole(raw) }

func tokenType(v *view) {
	raw, path := v.call.token, "/params/_meta/progressToken"
	if v.Entry.Kind == Notification {
		path = "/params/progressToken"
	}
	if len(raw) == 0 || validToken(raw) || isNull(raw) && v.Entry.Kind == Request {
		return
	}
	v.reportOn(v.Entry.From+v.Entry.Method, Finding{Message: "progressToken is " + excerpt(raw) + ", neither a string nor an integer", Path: path})
}

func tokenInParams(v *view) {
	if v.call.looseToken == nil || v.call.token != nil || v.Exchange.spec == nil || isNull(v.call.looseToken) {
		return
	}
	v.reportOn(v.Entry.Method, Finding{Message: "progressToken " + excerpt(v.call.looseToken) + " of " + label(v.Entry.Method, v.Entry.Target) + " is not in _meta", Path: "/params/progressToken"})
}

// clientReportsModern reports whether the entry is progress of a client where the server cannot have
// asked for anything: the modern era is spoken, or nothing was said so far.
func (v *view) clientReportsModern() bool {
	p := v.Process
	if v.from() != client || v.Exchange != nil || v.uncertain() || v.Session.current() || p.ends[server].usedTokens.any() {
		return false
	}
	return p.modern.asked > 0 && p.knowsModern() || p.ends[client].messages == 1 && p.ends[server].messages == 0
}

func progressFromClient(v *view) {
	if v.clientReportsModern() {
		v.reportOn("any", Finding{Message: "the client reports progress, token " + shortID(v.Entry.Token)})
	}
}
