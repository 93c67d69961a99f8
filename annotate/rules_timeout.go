package annotate

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/shakescope/shakescope/internal/mcpspec"
	"github.com/shakescope/shakescope/internal/timetext"
)

// Rules about requests that were given up because no answer came in time.
var timeoutRules = []Rule{
	{
		ID: "request-timed-out", Group: GroupUtilities, Levels: []Level{LevelInfo}, Likely: true, Revisions: mcpspec.All, By: "environment",
		Spec:  "2025-11-25/basic/lifecycle#timeouts",
		Title: "A request was cancelled because its answer did not come in time.",
		Why:   "People see a tool that hangs. How long to wait is for the asker to choose, and how long to work for the other side, so neither has broken a rule; where the answer comes afterwards all the same, the work was done for nobody.",
		Fix:   "Raise the asker's time-out for this request. Where it starts anew with every progress notice: ask for progress (_meta.progressToken) and report it. Let work of minutes run as a task (2025-11-25, and the tasks extension of 2026-07-28), or answer early and let the client ask for the outcome. If nothing else came in between, look for what blocks the whole process.",
		hooks: []hook{on(onNotification, timedOut, "notifications/cancelled"), onAnswer(afterAll)},
	},
	{
		ID: "timeout-without-cancel", Group: GroupUtilities, Levels: []Level{LevelInfo}, Likely: true, Revisions: mcpspec.All, By: Sender,
		Spec:  "2025-11-25/basic/lifecycle#timeouts",
		Title: "The asker gave a request up without a cancellation.",
		Why:   "The other side works on for nobody, and its answer will come as a surprise.",
		Fix:   "Send notifications/cancelled when a timeout strikes.",
		hooks: []hook{on(onRequest, askedAgain), on(onEvent, closedMeanwhile, "client_closed_stdin", "signal_to_server")},
	},
}

// timedOut looks at a cancellation: was it a lack of patience? A reason that speaks of time proves it,
// however short the wait; one that speaks of anything else (a user, a change of mind) proves the contrary.
// Most libraries give none, or say no more than that the request was aborted. Then a wait as long as the
// time-outs that people set is one, and so is any of more than a minute.
func timedOut(v *view) {
	x := v.Exchange
	if x == nil || x.cancel.At != v.At || x.answer.set() || x.method == "initialize" || x.late || !owed(v.Process, x) || v.neglected() {
		return
	}
	waited := v.T - x.T
	reason := text(member(v.Entry.Message.Params, "reason"))
	how := ""
	switch {
	case blamesTime(reason):
		how = ": " + excerpt([]byte(reason))
	case !namesNoCause(reason):
		return
	case usualTimeout(waited) > 0:
		how = ", as if by a time-out of " + timetext.Rough(usualTimeout(waited))
	case x.progress > 0 && usualTimeout(v.T-x.heard) > 0:
		how = fmt.Sprintf(", as if by a time-out of %s since the last progress", timetext.Rough(usualTimeout(v.T-x.heard)))
	case waited > time.Minute:
		how = " without a reason"
	default:
		return
	}
	f := Finding{
		At: x.At, Related: []Ref{v.At},
		Message: fmt.Sprintf("the %s waited %s for %s and gave up%s; %s", x.from, timetext.Rough(waited), label(x.method, x.target), how, v.meanwhile(x)),
	}
	if x.tool != nil && x.revision == mcpspec.Rev20251125 && text(member(x.tool.raw, "execution", "taskSupport")) == "optional" {
		f.Message += "; the tool can run as a task"
	}
	v.abandoned(x, v.reportOn(label(x.method, x.target), f))
}

// meanwhile says what was heard of an open request until now.
func (v *view) meanwhile(x *exchange) string {
	other := x.from.other()
	said := ""
	switch {
	case x.progress == 1:
		said = fmt.Sprintf("one progress notice had come, %s before", timetext.Rough(v.T-x.heard))
	case x.progress > 1:
		said = fmt.Sprintf("%d progress notices had come, the last one %s before", x.progress, timetext.Rough(v.T-x.heard))
	case x.token == "":
		said = "it had asked for no progress"
	default:
		said = "no progress had come"
	}
	if last := v.Process.ends[other].last; !last.set() || last.T < x.T {
		said += fmt.Sprintf(", and the %s wrote nothing in between", other)
	}
	n := 0
	for y := v.Process.ends[other].newest; y != nil && y.T >= x.T && n < maxLook; y = y.older {
		if n++; waits(v.Process, y) {
			return fmt.Sprintf("%s; the %s itself waited for an answer to %s (%s)", said, other, label(y.method, y.target), y.At)
		}
	}
	return said
}

// timeWords are how reasons say that time ran out. -32001 is the code that the TypeScript SDK has for it.
var timeWords = lazily(`(?i)\btim(?:e|ed|ing)[ -]?outs?\b|timeout|\bdeadline\b|etimedout|-32001\b|\b(?:took|takes|taking|waited|waiting|ran|running) (?:\w+ )?too long\b|\btoo slow\b` +
	`|\b(?:no|without an?) (?:answer|reply|response|result)\b.*\b(?:in|within|after|for)\b|\b(?:exceed(?:s|ed)|expired|elapsed)\b.*(?:\btime\b|seconds?\b|minutes?\b|\d ?(?:ms|s|m|min)\b)|(?:\btime\b|seconds?\b|minutes?\b).*\b(?:exceeded|expired|elapsed)\b`)

func blamesTime(reason string) bool { return timeWords().MatchString(front(reason)) }

// emptyWords are those of reasons that say no more than that the request was cancelled.
var emptyWords = strings.Fields("abort aborted aborterror aborting asyncio been by call cancel canceled cancellation cancelled cancellederror cancelederror client " +
	"context error exception exceptions has is issued mcp mcperror none null operation operationcanceledexception reason request requested sdkerror signal system " +
	"task taskcanceledexception the this threading tasks tool undefined unknown was without a an")

func namesNoCause(reason string) bool {
	words := strings.FieldsFunc(strings.ToLower(front(reason)), func(r rune) bool { return (r < 'a' || r > 'z') && r < 0x80 })
	return !slices.ContainsFunc(words, func(w string) bool { return !slices.Contains(emptyWords, w) })
}

// front is as much of a reason as is read.
func front(reason string) string { return reason[:min(len(reason), 500)] }

// timeouts are those that libraries have and people set, in seconds. Shorter ones lie where people press
// a key for other reasons, and the more there are the more often a person hits one by chance: of the
// cancellations between 10 s and a minute one in fifty.
var timeouts = []time.Duration{10, 15, 20, 30, 45, 60, 90, 120, 180, 240, 300, 600, 900, 1200, 1800, 3600}

// usualTimeout returns the time-out that strikes after such a wait, 0 if it is none: a timer fires a
// little late, people do so at any time.
func usualTimeout(waited time.Duration) time.Duration {
	const early, late = 20 * time.Millisecond, 200 * time.Millisecond
	for _, n := range timeouts {
		if n *= time.Second; waited >= n-early && waited <= n+late {
			return n
		}
	}
	return 0
}

// overdue are the findings about requests that were given up, for the case that the answer comes.
type overdue struct{ of map[*exchange]abandonment }

type abandonment struct {
	f     *Finding
	since time.Duration
}

// abandoned remembers that the finding speaks of the request, which was given up just now. One that
// speaks of an earlier one and only counts this one has nothing to say of it.
func (v *view) abandoned(x *exchange, f *Finding) {
	if f.Count > 1 {
		return
	}
	o := memo[overdue](v, v.Process)
	if o.of == nil || len(o.of) >= maxRecent {
		o.of = make(map[*exchange]abandonment)
	}
	o.of[x] = abandonment{f, v.T}
}

// afterAll says of a request that was given up that it was answered after all.
func afterAll(v *view) {
	o := memo[overdue](v, v.Process)
	a, ok := o.of[v.Exchange]
	if !ok {
		return
	}
	delete(o.of, v.Exchange)
	e := v.Entry
	what, words := "answer", ""
	switch {
	case e.Err != nil:
		what, words = "error", e.Err.Message
	case v.outcome.isError:
		what, words = "error", firstText(e.Message.Result)
	}
	if saysCancelled(words) {
		return // it only reports the cancellation
	}
	v.amend(a.f, fmt.Sprintf("; the %s to %s came %s later (%s)", what, v.Exchange.At, timetext.Rough(v.T-a.since), v.At))
}

const givenUpAfter = 5 * time.Second

// maxAskedAgain bounds the open requests that are compared with a new one.
const maxAskedAgain = 64

func askedAgain(v *view) {
	x := v.Exchange
	h := &v.Process.ends[x.from]
	if h.oldest == nil || v.T-h.oldest.T < givenUpAfter || x.method == "ping" || x.longLived() || v.uncertain() {
		return
	}
	n := 0
	for y := h.oldest; y != nil && n < maxAskedAgain && v.T-y.T >= givenUpAfter; y = y.newer {
		n++
		if y == x || y.method != x.method || y.target != x.target || y.cancelled() || !y.probable.IsZero() || y.lenient {
			continue
		}
		if !equalValues(member(y.params, "arguments"), member(x.params, "arguments")) || !equalValues(member(y.params, "cursor"), member(x.params, "cursor")) {
			continue
		}
		v.abandoned(y, v.reportOn(y.At.String(), Finding{
			Message: fmt.Sprintf("%s is sent once more, while %s is open since %s and was not cancelled", label(x.method, x.target), y.At, timetext.Rough(v.T-y.T)),
			Related: []Ref{y.At},
		}))
		return
	}
}

func closedMeanwhile(v *view) {
	if d := &v.Process.ending; d.first.At != v.At || v.uncertain() {
		return
	}
	var open []Ref
	var first *exchange
	for y := v.Process.ends[client].oldest; y != nil && v.T-y.T >= givenUpAfter && len(open) < maxRelated; y = y.newer {
		if y.cancelled() || y.longLived() || y.method == "initialize" || !y.probable.IsZero() || y.lenient {
			continue
		}
		if first == nil {
			first = y
		}
		open = append(open, y.At)
	}
	if first == nil {
		return
	}
	f := Finding{By: "client", Message: fmt.Sprintf("the client left while %s (%s) was open since %s and not cancelled", label(first.method, first.target), first.At, timetext.Rough(v.T-first.T)), Related: open}
	if len(open) > 1 {
		f.Message = fmt.Sprintf("the client left while %d requests were open and not cancelled, %s (%s) since %s", len(open), label(first.method, first.target), first.At, timetext.Rough(v.T-first.T))
	}
	f.Message += "; " + v.meanwhile(first)
	v.abandoned(first, v.reportOn("", f))
}
