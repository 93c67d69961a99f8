package annotate

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/shakescope/shakescope/internal/mcpspec"
	"github.com/shakescope/shakescope/internal/timetext"
	"github.com/shakescope/shakescope/jsonrpc"
)

// Rules about requests, answers and their ids.
var envelopeRules = []Rule{
	{
		ID: "response-unknown-id", Group: GroupEnvelope, Levels: []Level{LevelError}, Revisions: mcpspec.All, By: Sender,
		Spec:  "2025-11-25/basic/index#responses",
		Title: "An answer carries an id that no request of the other side ever had.",
		Why:   "The receiver cannot tell what was answered: it ignores the line or closes the connection, and the request it was meant for waits for ever.",
		Fix:   "Answer with the id of the request, unchanged in value and type.",
		hooks: []hook{onAnswer(unknownID), on(onInvalid, unknownNullID)},
	},
	{
		ID: "response-id-type-changed", Group: GroupEnvelope, Levels: []Level{LevelError}, Revisions: mcpspec.All, By: Sender,
		Spec:  "2025-11-25/basic/index#responses",
		Title: "An answer carries the id of a request in another type: \"1\" for 1, or the reverse.",
		Why:   "Ids are compared with their type. A strict peer never matches the answer, and the request hangs.",
		Fix:   "Keep the id as it came, raw; do not convert it to a string or a number.",
		hooks: []hook{onAnswer(idTypeChanged)},
	},
	{
		ID: "response-duplicate", Group: GroupEnvelope, Levels: []Level{LevelError}, Revisions: mcpspec.All, By: Sender,
		Spec:  "2025-11-25/basic/index#responses",
		Title: "A request was answered twice.",
		Why:   "One request has one answer. The second one matches nothing, and some peers close the connection over it; often it was meant for another request.",
		Fix:   "Send one answer a request; look for a constant id, or for an error handler that answers once more.",
		hooks: []hook{onAnswer(answeredTwice)},
	},
	{
		ID: "notification-answered", Group: GroupEnvelope, Levels: []Level{LevelError}, Likely: true, Revisions: mcpspec.All, By: Sender,
		Spec:  "2025-11-25/basic/index#notifications",
		Title: "A notification was answered.",
		Why:   "A notification has no id and must not be answered. Strict clients drop the connection on an answer they cannot match.",
		Fix:   "Answer only messages that have an id; ignore notifications that are not known.",
		hooks: []hook{onAnswer(notificationAnswered), on(onInvalid, notificationAnswered), onAnswer(noticeAfterAll)},
	},
	{
		ID: "request-unanswered", Group: GroupEnvelope, Levels: []Level{LevelWarning, LevelInfo}, Revisions: mcpspec.All, By: Receiver,
		Spec:  "2025-11-25/basic/lifecycle#timeouts",
		Title: "The session ended while a request waited for its answer.",
		Why:   "Whoever asked never learns the outcome; a client shows it as a time-out or as \"connection closed\".",
		Fix:   "Answer every request, with an error if need be, before closing the stream; see what ended the session.",
		hooks: []hook{on(onSilence, unanswered), on(onNotification, gaveUp, "notifications/cancelled")},
	},
}

func unknownID(v *view) {
	e := v.Entry
	_, other := v.sent()
	switch {
	case v.Exchange != nil, e.State != Unmatched, e.Partial, e.Message.ID.Key() == "":
		return
	case e.twin, e.tolerated, e.Ambiguous, other.lost:
		return
	case v.from() == client && !v.Session.current() && v.Process.modern.asked > 0:
		// In the modern era the answer as such is what is wrong.
		return
	}
	f := Finding{Message: "answer to id " + shortID(e.ID) + ", which no request of the " + v.from().other().String() + " had", Path: "/id"}
	if !e.Probable.IsZero() {
		f.Message += "; probably the answer to " + e.Probable.String()
		f.Related = []Ref{e.Probable}
	}
	v.report(f)
}

// unknownNullID is about a result whose id is null: only an error may come without a usable id.
func unknownNullID(v *view) {
	m := v.Entry.Message
	if m.Reason != jsonrpc.BadID || m.Result == nil || m.Method != "" || m.ID.Kind() != jsonrpc.IDNull && m.ID.Kind() != jsonrpc.IDAbsent || answersNotification(v) {
		return
	}
	what := "result with id null"
	if m.ID.Kind() == jsonrpc.IDAbsent {
		what = "result without an id"
	}
	f := Finding{Message: what + ", which answers no request", Path: "/id"}
	if !v.Entry.Probable.IsZero() {
		f.Message = what + "; probably the answer to " + v.Entry.Probable.String()
		f.Related = []Ref{v.Entry.Probable}
	}
	v.report(f)
}

func idTypeChanged(v *view) {
	if e := v.Entry; e.twin && !e.Partial {
		v.report(Finding{Message: fmt.Sprintf("id %s in another type than in %s: probably its answer", shortID(e.ID), e.Probable), Path: "/id", Related: []Ref{e.Probable}})
	}
}

func answeredTwice(v *view) {
	e := v.Entry
	if e.State != Duplicate || e.Partial || e.twin || v.uncertain() {
		return
	}
	f := Finding{Message: "id " + shortID(e.ID) + " was answered before", Path: "/id"}
	if !e.Probable.IsZero() {
		f.Message += "; probably the answer to " + e.Probable.String()
		f.Related = []Ref{e.Probable}
	}
	v.report(f)
}

// replyToNotice reports whether an answer without a usable id is one to a notification of the other end:
// it comes straight after one with nothing else that it could be about; or it says that it does not know
// a method, which for a request it would have said under the request's id.
func replyToNotice(m *jsonrpc.Message, own, other *half, t time.Duration) bool {
	const soon = 2 * time.Second
	if m.Method != "" || m.Result == nil && m.Err == nil || m.ID.Key() != "" || other.notices == 0 || other.unaccounted > 0 || other.lost {
		return false
	}
	if other.lastKind == Notification && other.openCount == 0 {
		return true
	}
	if m.Err == nil {
		return false
	}
	return m.Err.Code == mcpspec.MethodNotFound && t-other.notice.T <= soon || len(other.noticeOf) > 8 && strings.Contains(m.Err.Message, other.noticeOf)
}

// answersNotification is replyToNotice for the entry of a view.
func answersNotification(v *view) bool {
	own, other := v.sent()
	return !v.Entry.Partial && replyToNotice(v.Entry.Message, own, other, v.T)
}

func notificationAnswered(v *view) {
	m := v.Entry.Message
	if !answersNotification(v) {
		return
	}
	_, other := v.sent()
	what := "answer"
	if m.Err != nil {
		what = fmt.Sprintf("error %d", m.Err.Code)
	}
	v.reportNotice(what, v.At, other.notice.At, other.noticeOf)
	if x := other.newest; x != nil && m.Err != nil && x.At.Compare(other.notice.At) > 0 && !strings.Contains(m.Err.Message, other.noticeOf) {
		memo[doubts](v, v.Process)[v.from()] = doubt{mark{v.At, v.T}, x, m.Err.Code}
	}
}

// doubt is an error without an id that was taken for the answer to a notification, although a request came after
// that and was open. If it stays open while others are answered, it was the request that failed.
type doubt struct {
	mark
	x    *exchange
	code int64
}

// doubts are the newest of either end.
type doubts [2]doubt

// requestAfterAll looks at the answer to a later request.
func requestAfterAll(v *view) {
	d := &memo[doubts](v, v.Process)[v.from()]
	if d.x == nil || v.Exchange == nil {
		return
	}
	if d.x.open && v.Exchange.At.Compare(d.x.At) > 0 {
		v.reportDoubt(d, v.from())
	} else if !d.x.open {
		*d = doubt{}
	}
}

// requestGivenUp looks at a cancellation of the request.
func requestGivenUp(v *view) {
	from := v.from().other()
	if d := &memo[doubts](v, v.Process)[from]; d.x != nil && d.x.open && d.x.cancelled() {
		v.reportDoubt(d, from)
	}
}

// requestLeftOpen decides at the end, unless that came so soon that nobody had the time for an answer.
func requestLeftOpen(v *view) {
	for from := range memo[doubts](v, v.Process) {
		d := &memo[doubts](v, v.Process)[from]
		if d.x != nil && d.x.open && v.T-d.T > time.Second {
			v.reportDoubt(d, end(from))
		}
	}
}

func (v *view) reportDoubt(d *doubt, from end) {
	v.withdraw(d.At, "notification-answered")
	v.report(Finding{
		At: d.At, Level: LevelError, By: from.String(), Path: "/id", Related: []Ref{d.x.At},
		Message: fmt.Sprintf("error %d without the id of a request; probably meant for %s, which stays open", d.code, d.x.At),
	})
	*d = doubt{}
}

func (v *view) reportNotice(what string, at, notice Ref, method string) {
	v.reportOn(method, Finding{
		At: at, Message: fmt.Sprintf("%s to the notification %s (%s)", what, shortID(method), notice), Related: []Ref{notice},
	})
}

// suspect is an error without an id that was taken for the answer to an open request, although a
// notification came before it too.
type suspect struct {
	at, request, notice Ref
	method              string
	code                int64
}

// suspects are the newest of either end.
type suspects [2]suspect

// suspectNotice remembers such an error.
func (v *view) suspectNotice() {
	e := v.Entry
	if _, other := v.sent(); other.notices > 0 && other.unaccounted == 0 && !other.lost && !e.Probable.IsZero() {
		memo[suspects](v, v.Process)[v.from()] = suspect{v.At, e.Probable, other.notice.At, other.noticeOf, e.Message.Err.Code}
	}
}

// noticeAfterAll looks at the proper answer of that request: the error was none to it, so it was one to
// the notification.
func noticeAfterAll(v *view) {
	s := &memo[suspects](v, v.Process)[v.from()]
	if v.Exchange == nil || s.at.IsZero() || v.Exchange.At != s.request {
		return
	}
	v.withdraw(s.at, "error-id-missing")
	v.reportNotice(fmt.Sprintf("error %d", s.code), s.at, s.notice, s.method)
	*s = suspect{}
}

// unanswered looks at what is open when the server can answer no more.
func unanswered(v *view) {
	d := &v.Process.ending
	ownEnd := d.firstSign == signStdout || d.firstSign == signExit || d.firstSign == signSpawn
	silent := memo[batches](v, v.Process).silent // said of the whole batch
	bySignal := d.firstSign == signSignal || d.firstSign == signParent
	if ownEnd && v.Process.ends[server].messages == 0 && !killedByProbe(v.Process) {
		return // that the server never came up says it all
	}
	for _, from := range []end{client, server} {
		var open []*exchange
		for x := v.Process.ends[from].oldest; x != nil; x = x.newer {
			if waits(v.Process, x) && !silent[x.At.Seq] && !inArray(x) && !(x.method == "server/discover" && !ownEnd) && !(from == server && (ownEnd || x.late)) {
				open = append(open, x)
			}
		}
		if len(open) == 0 {
			continue
		}
		f := Finding{By: from.other().String(), Level: LevelWarning, Count: len(open)}
		if bySignal {
			f.By, f.Level = client.String(), LevelInfo
		} else if from == server && v.T-open[0].T < time.Second {
			f.Level = LevelInfo // the client was leaving already
		}
		var names []string
		for _, x := range open {
			f.Related = append(f.Related, x.At)
			if len(names) < 3 {
				names = append(names, fmt.Sprintf("%s (%s)", label(x.method, x.target), x.At))
			}
		}
		if len(open) > 3 {
			names = append(names, fmt.Sprintf("%d more", len(open)-3))
		}
		if open[0].era == mcpspec.Modern {
			f.Spec = mcpspec.Rev20260728 + "/basic/transports/stdio#unexpected-termination"
		}
		f.Message = "unanswered: " + strings.Join(names, ", ") + ": " + open[0].why
		v.report(f)
	}
}

// inArray reports whether a request stood in an array where there are no batches: nobody owes it an answer.
func inArray(x *exchange) bool { return x.At.Sub != NoSub && x.revision >= mcpspec.Rev20250618 }

// waits reports whether an open request really waits for an answer that nothing else accounts for.
func waits(p *process, x *exchange) bool { return !x.cancelled() && owed(p, x) }

// owed is the same, whether or not it was cancelled.
func owed(p *process, x *exchange) bool {
	mute := x.from == client && x.method != "initialize" && p.session.opened.set() && !p.session.initialized.set() && x.era == mcpspec.Legacy && x.T >= p.session.opened.T
	return !x.refused && (x.spec == nil || !x.spec.Notification) && !x.longLived() && !x.unsure && !x.unsound && !x.lenient && !mute && (x.probable.IsZero() || x.brokenAnswer)
}

// neglected reports whether the entry is the server's cancellation of its own request, which the client
// should have answered: it declared the feature and had time.
func (v *view) neglected() bool {
	x := v.Exchange
	if v.from() != server || x == nil || x.from != server || x.answer.set() || x.late || v.T-x.T < 10*time.Second || x.cancel.At != v.At {
		return false
	}
	return !slices.ContainsFunc(x.capability, func(c Capability) bool { return c.State != IsDeclared })
}

func gaveUp(v *view) {
	if x := v.Exchange; v.neglected() {
		v.report(Finding{
			At: x.At, By: client.String(), Related: []Ref{v.At},
			Message: fmt.Sprintf("the client let %s wait for %s, then the server gave it up", label(x.method, x.target), timetext.Rough(v.T-x.T)),
		})
	}
}

// shortID cuts an id or a name short for a message.
func shortID(id string) string {
	if len(id) > 60 {
		id = strings.ToValidUTF8(id[:60], "") + "…"
	}
	return clean(id)
}

// label names a call: its method, and its target where it has one.
func label(method, target string) string {
	if target == "" {
		return shortID(method)
	}
	return shortID(method) + " " + shortID(target)
}
