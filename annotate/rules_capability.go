package annotate

import (
	"github.com/shakescope/shakescope/internal/mcpspec"
)

// Rules about capabilities that are used and were not declared.
var capabilityRules = []Rule{
	{
		ID: "cap-server-undeclared", Group: GroupCapabilities, Levels: []Level{LevelError, LevelWarning, LevelInfo}, Revisions: mcpspec.All, By: "client",
		Spec:  "2025-11-25/basic/lifecycle#operation",
		Title: "The client calls a method whose capability the server did not declare.",
		Why:   "The server does not offer it: the call fails with -32601, or works by luck.",
		Fix:   "Look at the capabilities in the initialize result before calling; if the server does offer it, it should declare it.",
		hooks: []hook{on(onRequest, serverUndeclared, "tools/list", "tools/call", "resources/list", "resources/templates/list", "resources/read",
			"prompts/list", "prompts/get", "completion/complete", "tasks/get", "tasks/result")},
	},
	{
		ID: "cap-client-undeclared", Group: GroupCapabilities, Levels: []Level{LevelError, LevelWarning}, Revisions: mcpspec.LegacyOnly, By: "server",
		Spec:  "2025-11-25/basic/lifecycle#operation",
		Title: "The server asks for something that the client did not declare.",
		Why:   "The client cannot answer it: roots, sampling and elicitation need the user's side to take part.",
		Fix:   "Ask only for what the client declared in initialize, and have another way for the rest.",
		hooks: []hook{on(onRequest, clientUndeclared, "roots/list", "sampling/createMessage", "elicitation/create")},
	},
	{
		ID: "cap-list-changed-undeclared", Group: GroupCapabilities, Levels: []Level{LevelError, LevelWarning}, Revisions: mcpspec.LegacyOnly, By: "server",
		Spec:  "2025-11-25/basic/lifecycle#operation",
		Title: "The server announces a changed list without having declared listChanged for it.",
		Why:   "Clients that go by the declaration ignore the notice and keep the old list.",
		Fix:   "Declare listChanged: true for the list, or do not send the notice.",
		hooks: []hook{on(onNotification, listChangedUndeclared, "notifications/tools/list_changed", "notifications/prompts/list_changed", "notifications/resources/list_changed")},
	},
	{
		ID: "cap-roots-list-changed-undeclared", Group: GroupCapabilities, Levels: []Level{LevelError, LevelWarning}, Revisions: mcpspec.LegacyOnly, By: "client",
		Spec:  "2025-11-25/basic/lifecycle#operation",
		Title: "The client announces changed roots without having declared roots.listChanged.",
		Why:   "Servers that go by the declaration ignore the notice and keep the old roots.",
		Fix:   "Declare roots with listChanged: true, or do not send the notice.",
		hooks: []hook{on(onNotification, rootsChangedUndeclared, "notifications/roots/list_changed")},
	},
	{
		ID: "cap-subscribe-undeclared", Group: GroupCapabilities, Levels: []Level{LevelError, LevelWarning}, Revisions: mcpspec.LegacyOnly, By: "client",
		Spec:  "2025-11-25/server/resources#capabilities",
		Title: "The client subscribes to a resource, but the server did not declare resources.subscribe.",
		Why:   "The server need not send updates, so the client waits for news that never come.",
		Fix:   "Look for resources.subscribe in the initialize result before subscribing; a server that does send updates should declare it.",
		hooks: []hook{on(onRequest, serverUndeclared, "resources/subscribe", "resources/unsubscribe")},
	},
	{
		ID: "cap-logging-undeclared", Group: GroupCapabilities, Levels: []Level{LevelError, LevelWarning}, Revisions: mcpspec.All, By: Sender,
		Spec:  "2025-11-25/server/utilities/logging#capabilities",
		Title: "Log notices, or a log level, without the capability logging.",
		Why:   "A server that logs must say so, or clients leave its notices unread; one that does not log will refuse the level.",
		Fix:   "Declare logging: {} in the server's capabilities, or do not use it.",
		hooks: []hook{on(onNotification, logUndeclared, "notifications/message"), on(onRequest, levelUndeclared, "logging/setLevel")},
	},
	{
		ID: "cap-tasks-operation-undeclared", Group: GroupCapabilities, Levels: []Level{LevelWarning}, Revisions: mcpspec.Since(mcpspec.Rev20251125) & mcpspec.LegacyOnly, By: Sender,
		Spec:  "2025-11-25/basic/utilities/tasks#capability-negotiation",
		Title: "tasks/list or tasks/cancel, though the other side did not declare it.",
		Why:   "Each of the two has a capability of its own, tasks.list and tasks.cancel; without it the call will be refused.",
		Fix:   "Look for it in what the other side declared before calling.",
		hooks: []hook{on(onRequest, taskOperationUndeclared, "tasks/list", "tasks/cancel")},
	},
}

// respectLevel is the level of using what was not declared: a SHOULD until 2025-03-26, a MUST since; in
// the modern era a client may try and be told.
func respectLevel(revision string) Level {
	switch {
	case revision >= mcpspec.Rev20260728:
		return LevelInfo
	case revision >= mcpspec.Rev20250618:
		return LevelError
	}
	return LevelWarning
}

// undeclared returns the first capability of a side that the entry leans on and that was not declared.
func undeclared(e *Entry, side end) (Capability, bool) {
	for _, c := range e.Capability {
		if c.Side == side.String() && c.State == Undeclared {
			return c, true
		}
	}
	return Capability{}, false
}

func serverUndeclared(v *view) {
	e := v.Entry
	if v.from() != client || len(e.Capability) == 0 || e.Capability[0].State != Undeclared || e.Capability[0].Side != server.String() {
		return // the first one is the method's own
	}
	path := e.Capability[0].Path
	v.reportOn(path, Finding{Level: respectLevel(e.Revision), Message: e.Method + ", but the server did not declare " + path, Related: v.declaredAt(server), Spec: v.gatedPage()})
}

// gatedPage is where the modern era says what becomes of a method whose capability the server lacks; "" in the
// legacy one, where each rule names its page.
func (v *view) gatedPage() string {
	if v.Entry.Era != mcpspec.Modern {
		return ""
	}
	return mcpspec.Rev20260728 + "/schema#methodnotfounderror"
}

func clientUndeclared(v *view) {
	e := v.Entry
	if v.from() != server || len(e.Capability) == 0 || e.Capability[0].State != Undeclared || !v.Exchange.spec.In(e.Revision) {
		return // a method that the revision does not have is the concern of method-not-in-revision
	}
	path := e.Capability[0].Path
	v.reportOn(path, Finding{Level: respectLevel(e.Revision), Message: e.Method + ", but the client did not declare " + path, Related: v.declaredAt(client)})
}

func listChangedUndeclared(v *view) {
	e := v.Entry
	c, ok := undeclared(e, server)
	if v.from() != server || !ok {
		return
	}
	v.reportOn(c.Path, Finding{Level: respectLevel(e.Revision), Message: e.Method + ", but the server did not declare " + c.Path, Related: v.declaredAt(server)})
}

// declaredAt returns the entry in which a side declared its capabilities on the session, if any.
func (v *view) declaredAt(side end) []Ref {
	d := v.Session.serverCaps
	if side == client {
		d = v.Session.clientCaps
	}
	if v.Entry.Era == mcpspec.Modern {
		d = v.Process.modern.caps
	}
	if !d.made() {
		return nil
	}
	return []Ref{d.at}
}

func rootsChangedUndeclared(v *view) {
	e := v.Entry
	c, ok := undeclared(e, client)
	if v.from() != client || !ok || !v.Session.current() {
		return
	}
	v.reportOn(c.Path, Finding{Level: respectLevel(e.Revision), Message: e.Method + ", but the client did not declare " + c.Path, Related: v.declaredAt(client)})
}

func logUndeclared(v *view) {
	e := v.Entry
	c, ok := undeclared(e, server)
	if v.from() != server || !ok || e.Era == mcpspec.Modern && !v.Process.knowsModern() {
		return
	}
	v.reportOn(c.Path, Finding{Message: "the server logs, but did not declare " + c.Path, Related: v.declaredAt(server)})
}

func levelUndeclared(v *view) {
	e := v.Entry
	c, ok := undeclared(e, server)
	if v.from() != client || !ok || e.Era == mcpspec.Modern {
		return
	}
	v.reportOn(c.Path, Finding{Level: respectLevel(e.Revision), Message: e.Method + ", but the server did not declare " + c.Path, Related: v.declaredAt(server)})
}

func taskOperationUndeclared(v *view) {
	to := v.from().other()
	if c, ok := undeclared(v.Entry, to); ok {
		v.reportOn(c.Path, Finding{Message: v.Entry.Method + ", but the " + to.String() + " did not declare " + c.Path, Related: v.declaredAt(to)})
	}
}
