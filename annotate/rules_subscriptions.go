package annotate

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/shakescope/shakescope/internal/mcpspec"
)

// Rules about subscriptions of the modern era. Their closing: rules_subscriptions_end.go.
var subscriptionRules = []Rule{
	{
		ID: "sub-no-ack-first", Group: GroupSubscriptions, Levels: []Level{LevelError}, Revisions: mcpspec.ModernOnly, By: "server",
		Spec:  "2026-07-28/basic/patterns/subscriptions#acknowledgment",
		Title: "A notice came on a subscription before its acknowledgement.",
		Why:   "The acknowledgement tells the client what it will get; until then it may drop what comes.",
		Fix:   "Send notifications/subscriptions/acknowledged first on every subscription.",
		hooks: []hook{on(onNotification, noAckFirst)},
	},
	{
		ID: "sub-never-acked", Group: GroupSubscriptions, Levels: []Level{LevelWarning}, Revisions: mcpspec.ModernOnly, By: "server",
		Spec:  "2026-07-28/basic/patterns/subscriptions#acknowledgment",
		Title: "A subscription was neither acknowledged nor answered.",
		Why:   "The client cannot tell whether it is subscribed, and waits.",
		Fix:   "Acknowledge each subscriptions/listen at once, or answer it with an error.",
		hooks: []hook{on(onProcessEnd, neverAcked)},
	},
	{
		ID: "sub-ack-repeated", Group: GroupSubscriptions, Levels: []Level{LevelWarning}, Revisions: mcpspec.ModernOnly, By: "server",
		Spec:  "2026-07-28/basic/patterns/subscriptions#acknowledgment",
		Title: "A subscription was acknowledged twice.",
		Why:   "A client may take the second one for another subscription, or for a change of the first.",
		Fix:   "Acknowledge once; a change needs a new subscription.",
		hooks: []hook{on(onNotification, ackRepeated, "notifications/subscriptions/acknowledged")},
	},
	{
		ID: "sub-ack-exceeds-request", Group: GroupSubscriptions, Levels: []Level{LevelError}, Revisions: mcpspec.ModernOnly, By: "server",
		Spec:  "2026-07-28/basic/patterns/subscriptions#acknowledgment",
		Title: "The acknowledgement grants more than was asked for or can be given.",
		Why:   "The client gets notices it did not ask for, or waits for some that the server's capabilities rule out.",
		Fix:   "Acknowledge the part of the client's filter that the server supports.",
		hooks: []hook{on(onNotification, ackExceeds, "notifications/subscriptions/acknowledged")},
	},
	{
		ID: "sub-ack-reduced", Group: GroupSubscriptions, Levels: []Level{LevelInfo}, Revisions: mcpspec.ModernOnly, By: "server",
		Spec:  "2026-07-28/basic/patterns/subscriptions#acknowledgment",
		Title: "The acknowledgement grants less than was asked for.",
		Why:   "What is left out will never be announced; a client that counts on it keeps stale lists.",
		Fix:   "Nothing to fix in the server; a client should poll what it does not get.",
		hooks: []hook{on(onNotification, ackReduced, "notifications/subscriptions/acknowledged")},
	},
	{
		ID: "sub-id-missing", Group: GroupSubscriptions, Levels: []Level{LevelError}, Revisions: mcpspec.ModernOnly, By: "server",
		Spec:  "2026-07-28/basic/patterns/subscriptions#receiving-notifications",
		Title: "A notice does not say which subscription it belongs to.",
		Why:   "All subscriptions share one pipe: without the id the client cannot tell whose notice it is and drops it.",
		Fix:   "Put io.modelcontextprotocol/subscriptionId, the id of the listen request with its type, into params._meta.",
		hooks: []hook{on(onNotification, subscriptionIDMissing)},
	},
	{
		ID: "sub-id-unknown", Group: GroupSubscriptions, Levels: []Level{LevelError}, Revisions: mcpspec.ModernOnly, By: "server",
		Spec:  "2026-07-28/basic/patterns/subscriptions#receiving-notifications",
		Title: "A notice names a subscription that nobody opened.",
		Why:   "The client drops it. Ids count with their type: 1 is not \"1\".",
		Fix:   "Send back the id of the listen request as it came.",
		hooks: []hook{on(onNotification, subscriptionIDUnknown)},
	},
	{
		ID: "sub-type-not-requested", Group: GroupSubscriptions, Levels: []Level{LevelError}, Revisions: mcpspec.ModernOnly, By: "server",
		Spec:  "2026-07-28/basic/patterns/subscriptions#opening-a-stream",
		Title: "A notice is of a kind that its subscription did not ask for.",
		Why:   "Clients have no handler for it, and the notice may tell what they were not to know.",
		Fix:   "Check each notice against the filter of the subscription that it goes to.",
		hooks: []hook{on(onNotification, typeNotRequested)},
	},
	{
		ID: "sub-unsolicited-change", Group: GroupSubscriptions, Levels: []Level{LevelError}, Revisions: mcpspec.ModernOnly, By: "server",
		Spec:  "2026-07-28/schema#toollistchangednotification",
		Title: "The server announces a change although nobody subscribed.",
		Why:   "In the modern era notices go to subscriptions only; this is the legacy habit, and clients drop it.",
		Fix:   "Send change notices only while a subscriptions/listen is open, tagged with its id.",
		hooks: []hook{on(onNotification, unsolicitedChange,
			"notifications/tools/list_changed", "notifications/prompts/list_changed", "notifications/resources/list_changed", "notifications/resources/updated", "notifications/tasks")},
	},
	{
		ID: "sub-request-scoped-on-stream", Group: GroupSubscriptions, Levels: []Level{LevelError}, Revisions: mcpspec.ModernOnly, By: "server",
		Spec:  "2026-07-28/server/utilities/logging#per-request-log-level",
		Title: "Progress or a log message came on a subscription.",
		Why:   "Both belong to the request that asked for them; on a subscription no client looks for them.",
		Fix:   "Send them while their request is open, without a subscriptionId.",
		hooks: []hook{on(onNotification, requestScoped, "notifications/progress", "notifications/message")},
	},
	{
		ID: "sub-filter-empty", Group: GroupSubscriptions, Levels: []Level{LevelInfo}, Revisions: mcpspec.ModernOnly, By: "client",
		Spec:  "2026-07-28/basic/patterns/subscriptions#notification-filter",
		Title: "A subscription asks for nothing, or for what nobody defines.",
		Why:   "No notice will ever come on it.",
		Fix:   "Name what to listen to: toolsListChanged, promptsListChanged, resourcesListChanged, resourceSubscriptions; taskIds with the tasks extension.",
		hooks: []hook{on(onRequest, subscribed, "subscriptions/listen")},
	},
}

// subscribed notes a new subscription, and looks at its filter.
func subscribed(v *view) {
	if v.from() != client {
		return
	}
	s := &stream{mark: mark{v.At, v.T}, id: v.Entry.ID, filter: readFilter(v.call.filter)}
	v.streams().begin(s, v.Exchange.id.Key())
	f := Finding{Path: "/params/notifications"}
	switch {
	case len(s.filter.unknown) > 0:
		f.Message = "the filter has fields that nobody defines: " + knownList(s.filter.unknown)
	case s.filter.empty():
		f.Message = "the filter asks for nothing"
	default:
		return
	}
	v.report(f)
}

func (s *stream) name() string { return fmt.Sprintf("%s (subscription %s)", s.At, shortID(s.id)) }

func noAckFirst(v *view) {
	t := v.tagged()
	if t.of == nil || t.acked || t.ack || t.of.closed.set() || v.Entry.Method == "notifications/message" || v.Entry.Method == "notifications/progress" || v.Entry.Method == "notifications/cancelled" {
		return
	}
	v.reportOn(t.of.At.String(), Finding{Message: label(v.Entry.Method, v.Entry.Target) + " before the acknowledgement of " + t.of.name(), Related: []Ref{t.of.At}})
}

// ackTime is how long a server may take to acknowledge.
const ackTime = 2 * time.Second

// neverAcked looks back at the end. Where nothing shows when a foreign log ended, it counts as long enough.
func neverAcked(v *view) {
	if v.uncertain() {
		return
	}
	d := &v.Process.ending
	until, closing := v.T, Ref{}
	if d.first.set() {
		until, closing = d.first.T, d.first.At
	}
	endless := !d.first.set() && v.s.header.Imported != nil
	for _, s := range v.streams().all {
		stop := until
		if s.closed.set() {
			stop = s.closed.T
		}
		if s.acked.set() || s.closed.set() && s.closedBy == server || stop-s.T < ackTime && (!endless || s.closed.set()) {
			continue
		}
		f := Finding{At: s.At, Message: "the subscription " + shortID(s.id) + " was never acknowledged"}
		switch {
		case endless && stop-s.T < ackTime:
			f.At, f.Related = Ref{}, []Ref{s.At}
			v.reportWhole(f)
			continue
		case !closing.IsZero():
			f.Related = []Ref{closing}
		}
		v.report(f)
	}
}

func ackRepeated(v *view) {
	if t := v.tagged(); t.of != nil && t.acked && !t.of.closed.set() {
		v.reportOn(t.of.At.String(), Finding{Message: "another acknowledgement of " + t.of.name() + ", after " + t.of.acked.At.String(), Related: []Ref{t.of.At, t.of.acked.At}})
	}
}

func ackExceeds(v *view) {
	t := v.tagged()
	if t.of == nil {
		return
	}
	caps := &v.Process.modern.caps
	var more, cannot []string
	for _, kind := range t.granted.kinds {
		path := listenPath(kind)
		switch {
		case !slices.Contains(t.of.filter.kinds, kind):
			more = append(more, kind)
		case caps.made() && !caps.has(path):
			cannot = append(cannot, kind)
		}
	}
	for _, uri := range t.granted.uris {
		if !slices.Contains(t.of.filter.uris, uri) {
			more = append(more, uri)
		}
	}
	if len(t.granted.uris) > 0 && caps.made() && !caps.has("resources.subscribe") {
		cannot = append(cannot, "resourceSubscriptions")
	}
	for _, id := range t.granted.tasks {
		if !slices.Contains(t.of.filter.tasks, id) {
			more = append(more, "task "+id)
		}
	}
	var said []string
	if more != nil {
		said = append(said, "grants what was not asked for: "+knownList(more))
	}
	if cannot != nil {
		said = append(said, "grants what the server did not declare: "+knownList(cannot))
	}
	if said != nil {
		v.report(Finding{Message: "the acknowledgement " + strings.Join(said, "; "), Path: "/params/notifications", Related: []Ref{t.of.At}})
	}
}

// listenPath returns the server's capability that a field of a filter leans on.
func listenPath(field string) string {
	for _, f := range listenFilters {
		if f.field == field {
			return f.path
		}
	}
	return ""
}

func ackReduced(v *view) {
	t := v.tagged()
	if t.of == nil {
		return
	}
	var less []string
	for _, kind := range t.of.filter.kinds {
		if !slices.Contains(t.granted.kinds, kind) {
			less = append(less, kind)
		}
	}
	for _, uri := range t.of.filter.uris {
		if !slices.Contains(t.granted.uris, uri) {
			less = append(less, uri)
		}
	}
	for _, id := range t.of.filter.tasks {
		if !slices.Contains(t.granted.tasks, id) {
			less = append(less, "task "+id)
		}
	}
	if less != nil {
		v.report(Finding{Message: "not granted: " + knownList(less), Path: "/params/notifications", Related: []Ref{t.of.At}})
	}
}

func subscriptionIDMissing(v *view) {
	t := v.tagged()
	if t.id != nil || v.from() != server || !t.change && !t.ack || !v.onlyModernNow() || v.uncertain() {
		return
	}
	if t.change && v.streams().open == 0 {
		return // sub-unsolicited-change
	}
	v.reportOn(v.Entry.Method, Finding{Message: label(v.Entry.Method, v.Entry.Target) + " without a subscription id", Path: "/params/_meta"})
}

func subscriptionIDUnknown(v *view) {
	t := v.tagged()
	if t.id == nil || t.of != nil || v.from() != server || v.uncertain() || v.streams().lost {
		return
	}
	f := Finding{
		Message: label(v.Entry.Method, v.Entry.Target) + " for subscription " + excerpt(t.id) + ", which no listen request has",
		Path:    pointer("/params/_meta", mcpspec.MetaSubscriptionID),
	}
	if twin := v.streams().byKey[twinKey(parseID(t.id))]; twin != nil {
		f.Message += "; " + twin.At.String() + " has it in another type"
		f.Related = []Ref{twin.At}
	}
	v.reportOn(string(t.id), f)
}

func typeNotRequested(v *view) {
	t := v.tagged()
	if t.of == nil || t.of.closed.set() {
		return
	}
	f, what := &t.of.filter, ""
	switch method := v.Entry.Method; {
	case method == "notifications/resources/updated":
		if !covers(f.uris, v.Entry.Target) {
			what = "the resource " + shortText(v.Entry.Target)
		}
	case t.change:
		if !slices.Contains(f.kinds, filterFields[method]) {
			what = filterFields[method]
		}
	case method == "notifications/tasks":
		if id := v.call.taskID; id != "" && !slices.Contains(f.tasks, id) {
			what = "the task " + shortText(id)
		}
	}
	if what != "" {
		v.reportOn(t.of.At.String()+what, Finding{Message: v.Entry.Method + " on a subscription that did not ask for " + what, Related: []Ref{t.of.At}})
	}
}

func unsolicitedChange(v *view) {
	t := v.tagged()
	if t.id != nil || v.from() != server || !v.onlyModernNow() || v.uncertain() {
		return
	}
	f := Finding{Message: label(v.Entry.Method, v.Entry.Target) + " while no subscription is open"}
	if v.Entry.Method == "notifications/resources/updated" {
		f.Spec = mcpspec.Rev20260728 + "/schema#resourceupdatednotification"
	}
	if v.Entry.Method == "notifications/tasks" {
		id := v.call.taskID
		if id == "" || v.streams().lost || v.streams().follow(id, v.T) {
			return
		}
		f.Message = "a notice of task " + shortText(id) + ", which no open subscription asks for"
		f.Spec = extTasks + "#task-status-notifications"
	} else if v.streams().open > 0 {
		return // sub-id-missing
	}
	v.reportOn(v.Entry.Method, f)
}

func requestScoped(v *view) {
	t := v.tagged()
	if t.id == nil || v.from() != server {
		return
	}
	f := Finding{Message: v.Entry.Method + " on subscription " + excerpt(t.id), Path: pointer("/params/_meta", mcpspec.MetaSubscriptionID)}
	if v.Entry.Method == "notifications/progress" {
		f.Spec = mcpspec.Rev20260728 + "/basic/transports/stdio#receiving-messages"
	}
	if t.of != nil {
		f.Related = []Ref{t.of.At}
	}
	v.reportOn(v.Entry.Method, f)
}
