package annotate

import (
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/shakescope/shakescope/internal/mcpspec"
)

// Rules about who may send which method, and in which revision.
var methodRules = []Rule{
	{
		ID: "wrong-direction", Group: GroupMethods, Levels: []Level{LevelError}, Revisions: mcpspec.All, By: Sender,
		Spec:  "2025-11-25/schema",
		Title: "A method was sent by the end that may not send it.",
		Why:   "The other end has no handler for it: it refuses the call or ignores the notice.",
		Fix:   "See which end owns the method; often client and server code were mixed up, or a proxy forwarded it the wrong way.",
		hooks: []hook{on(onRequest, wrongDirection), on(onNotification, wrongDirection)},
	},
	{
		ID: "unknown-method", Group: GroupMethods, Levels: []Level{LevelWarning}, Revisions: mcpspec.All, By: Sender,
		Spec:  "2026-07-28/schema",
		Title: "A request names a method that no revision and no known extension has.",
		Why:   "The peer answers that it does not know the method.",
		Fix:   "Correct the name; announce methods of your own under capabilities.experimental or extensions.",
		hooks: []hook{on(onRequest, unknownMethod), on(onError, unknownAfterAll)},
	},
	{
		ID: "unknown-notification", Group: GroupMethods, Levels: []Level{LevelInfo, LevelWarning}, Revisions: mcpspec.All, By: Sender,
		Spec:  "2026-07-28/schema",
		Title: "A notification that no revision has.",
		Why:   "The receiver may ignore it without a word, so what was to be notified gets lost.",
		Fix:   "Names begin with notifications/; correct the name, or announce your own under capabilities.experimental or extensions.",
		hooks: []hook{on(onNotification, unknownNotification)},
	},
	{
		ID: "method-not-in-revision", Group: GroupMethods, Levels: []Level{LevelError}, Revisions: mcpspec.LegacyOnly, By: Sender,
		Spec:  "2025-11-25/basic/lifecycle#operation",
		Title: "The method exists, but not in the revision that was negotiated.",
		Why:   "The other end speaks the negotiated revision and need not know the method.",
		Fix:   "Use only what the negotiated revision has, or negotiate a later one.",
		hooks: []hook{on(onRequest, notInRevision), on(onNotification, notInRevision)},
	},
	{
		ID: "method-removed-in-modern", Group: GroupMethods, Levels: []Level{LevelError}, Revisions: mcpspec.All, By: "client",
		Spec:  "2026-07-28/changelog",
		Title: "A method is used that 2026-07-28 took away.",
		Why:   "The other end has no handler for it: the call is refused, the notice ignored.",
		Fix:   "There is no handshake and no ping any more; log levels go into _meta, subscriptions into subscriptions/listen, tasks into the tasks extension. What came of a URL the client learns when it retries.",
		hooks: []hook{
			on(onRequest, removedMethod), on(onNotification, removedMethod, "notifications/initialized", "notifications/roots/list_changed"),
			on(onNotification, removedNotice, "notifications/elicitation/complete"),
		},
	},
	{
		ID: "ui-method-on-mcp-link", Group: GroupMethods, Levels: []Level{LevelError}, Revisions: mcpspec.All, By: Sender,
		Spec:  "extensions/apps/overview",
		Title: "A ui/ method travels between client and server.",
		Why:   "MCP Apps uses those between a page and its host only; the other end cannot know it.",
		Fix:   "Handle ui/ messages in the host and forward only what is meant for the server.",
		hooks: []hook{on(onRequest, uiMethod), on(onNotification, uiMethod)},
	},
	{
		ID: "implemented-but-undeclared-32601", Group: GroupMethods, Levels: []Level{LevelInfo}, Revisions: mcpspec.All, By: Receiver,
		Spec:  "2026-07-28/schema#methodnotfounderror",
		Title: "\"Method not found\" for something that was not declared: the right answer.",
		Why:   "Whoever asked should have looked at the capabilities first.",
		Fix:   "Ask only for what the other end declared.",
		hooks: []hook{on(onError, refusedUndeclared)},
	},
	{
		ID: "declared-but-32601", Group: GroupMethods, Levels: []Level{LevelWarning}, Revisions: mcpspec.All, By: Sender,
		Spec:  "2025-11-25/basic/lifecycle#capability-negotiation",
		Title: "\"Method not found\" for a method whose capability was declared.",
		Why:   "The other end was told that it works, and shows an error to its user.",
		Fix:   "Implement the method, an empty list will do, or do not declare the capability.",
		hooks: []hook{on(onError, refusedDeclared)},
	},
	{
		ID: "unknown-method-wrong-code", Group: GroupMethods, Levels: []Level{LevelWarning}, Revisions: mcpspec.All, By: Sender,
		Spec:  "2026-07-28/schema#methodnotfounderror",
		Title: "An unknown method was refused with another code than -32601.",
		Why:   "The asker cannot tell a missing feature from a failure; clients that probe for features go by this code.",
		Fix:   "Answer methods that are not known with -32601.",
		hooks: []hook{on(onError, refusedUnknown)},
	},
	{
		ID: "unknown-method-answered", Group: GroupMethods, Levels: []Level{LevelInfo}, Revisions: mcpspec.All, By: Sender,
		Spec:  "2026-07-28/schema",
		Title: "A method that the specification does not know was answered: a private extension.",
		Why:   "Others cannot know that it is there.",
		Fix:   "Announce it under capabilities.experimental or extensions.",
		hooks: []hook{on(onResult, answeredUnknown)},
	},
}

func wrongDirection(v *view) {
	e := v.Entry
	spec := mcpspec.Lookup(e.Method)
	if spec == nil || e.Method == "initialize" {
		return
	}
	owner := spec.From(mcpspec.Rev20251125)
	if e.Era == mcpspec.Modern && v.from() == client && spec.From(mcpspec.Rev20260728) != owner {
		return // progress of a client, say: a rule of its own
	}
	if owner != mcpspec.Client && owner != mcpspec.Server || string(owner) == e.From {
		return
	}
	v.reportOn(e.From+e.Method, Finding{Message: shortID(e.Method) + " is sent by the " + string(owner) + " only", Path: "/method"})
}

func unknownMethod(v *view) {
	e := v.Entry
	if e.Group != mcpspec.Unknown || strings.HasPrefix(e.Method, "rpc.") || strings.HasPrefix(e.Method, "ui/") || isNotice(e.Method) || e.Method == "" {
		return
	}
	f := Finding{Message: "no method of MCP: " + shortID(e.Method), Path: "/method"}
	if s := suggestion(e.Method, false); s != "" {
		f.Message += "; did you mean " + s + "?"
	} else if v.hasOwnMethods(v.from().other()) || memo[ownMethods](v, v.Process).known[e.From+e.Method] {
		return // that may be one: its answer will tell
	}
	v.reportOn(e.From+e.Method, f)
}

// ownMethods are those outside of MCP that an end has answered with success, by the asking end and name.
type ownMethods struct{ known map[string]bool }

const maxOwnMethods = 1000

// hasOwnMethods reports whether an end has declared something beyond MCP, which methods may come with.
func (v *view) hasOwnMethods(e end) bool {
	d := &v.Session.clientCaps
	switch {
	case e == server && v.Entry.Era == mcpspec.Modern:
		d = &v.Process.modern.caps
	case e == server:
		d = &v.Session.serverCaps
	}
	return !emptyObject(member(d.raw, "experimental")) || !emptyObject(member(d.raw, "extensions"))
}

// emptyObject reports whether raw has no members.
func emptyObject(raw []byte) bool {
	empty := true
	members(raw, func(_, _ []byte) bool {
		empty = false
		return false
	})
	return empty
}

// unknownAfterAll is about a method that might have been the receiver's own, and is not.
func unknownAfterAll(v *view) {
	x := v.Exchange
	if x == nil || x.spec != nil || isNotice(x.method) || x.method == "" || v.Entry.Err.Code != mcpspec.MethodNotFound ||
		strings.HasPrefix(x.method, "rpc.") || strings.HasPrefix(x.method, "ui/") || suggestion(x.method, false) != "" || !v.hasOwnMethods(v.from()) {
		return
	}
	v.reportOn(x.from.String()+x.method, Finding{At: x.At, By: x.from.String(), Message: "no method of MCP, nor one of the " + v.Entry.From + ": " + shortID(x.method), Path: "/method", Related: []Ref{v.At}})
}

func unknownNotification(v *view) {
	e := v.Entry
	if e.Group != mcpspec.Unknown || strings.HasPrefix(e.Method, "rpc.") || strings.HasPrefix(e.Method, "ui/") || e.Method == "" || v.from() == client && isInitialized(e.Method) {
		return
	}
	f := Finding{Level: LevelInfo, Message: "no notification of MCP: " + shortID(e.Method), Path: "/method"}
	if s := suggestion(e.Method, true); s != "" {
		f.Message += "; did you mean " + s + "?"
		if mcpspec.Lookup("notifications/"+e.Method) != nil || mcpspec.Lookup("notifications"+strings.TrimPrefix(e.Method, "notification")) != nil {
			f.Level = LevelWarning
		}
	} else if strings.HasPrefix(e.Method, "$/") {
		f.Message += " (language servers have such)"
	}
	v.reportOn(e.From+e.Method, f)
}

func notInRevision(v *view) {
	e := v.Entry
	spec := mcpspec.Lookup(e.Method)
	if spec == nil || e.Era != mcpspec.Legacy || e.Revision == "" || !v.Session.opened.set() || spec.In(e.Revision) || e.Method == "server/discover" {
		return
	}
	if owner := spec.From(mcpspec.Rev20251125); (owner == mcpspec.Client || owner == mcpspec.Server) && string(owner) != e.From {
		return // the direction is wrong in any revision
	}
	message := shortID(e.Method) + " is not part of " + e.Revision
	if all := (spec.Revisions | spec.Extended).List(); len(all) > 0 {
		message += ", it came with " + all[0]
	}
	v.reportOn(e.From+e.Method, Finding{Message: message, Path: "/method"})
}

func removedMethod(v *view) {
	e := v.Entry
	spec := mcpspec.Lookup(e.Method)
	if v.from() != client || spec == nil || spec.In(mcpspec.Rev20260728) || spec.Embedded != 0 {
		return
	}
	switch {
	case e.Kind == Notification:
		// These name no era themselves: it is the only one that the process has shown.
		if p := v.Process; !p.modern.answered || p.session.request != nil {
			return
		}
	case e.Era != mcpspec.Modern:
		return
	}
	v.reportOn(e.Method, Finding{Message: shortID(e.Method) + " is gone since " + mcpspec.Rev20260728, Path: "/method", Spec: mcpspec.Rev20260728 + "/changelog"})
}

func removedNotice(v *view) {
	if v.from() == server && v.onlyModernNow() {
		v.reportOn(v.Entry.Method, Finding{By: server.String(), Message: shortID(v.Entry.Method) + " is gone since " + mcpspec.Rev20260728, Path: "/method"})
	}
}

func uiMethod(v *view) {
	if e := v.Entry; strings.HasPrefix(e.Method, "ui/") {
		v.reportOn(e.From+e.Method, Finding{Message: shortID(e.Method) + " belongs between a page and its host", Path: "/method"})
	}
}

func refusedUndeclared(v *view) {
	e := v.Entry
	if v.Exchange == nil || e.Err.Code != mcpspec.MethodNotFound || len(e.Capability) == 0 {
		return
	}
	if c, ok := undeclared(e, v.from()); ok {
		v.reportOn(e.From+e.Method, Finding{Message: shortID(e.Method) + " is refused, and " + c.Path + " was not declared"})
	}
}

func refusedDeclared(v *view) {
	e := v.Entry
	if v.Exchange == nil || e.Err.Code != mcpspec.MethodNotFound || len(e.Capability) == 0 || e.Cancelled {
		return
	}
	for _, c := range e.Capability {
		if c.State != IsDeclared || c.Side != e.From {
			return
		}
	}
	if spec := v.Exchange.spec; spec == nil || e.Revision != "" && !spec.In(e.Revision) {
		return // the revision does not have the method, whatever was declared
	}
	// Unknown tools and prompts are refused with this code too, as are calls of tools that run as
	// tasks only.
	if (e.Method == "tools/call" || e.Method == "prompts/get") && !strings.Contains(strings.ToLower(e.Err.Message), "method not found") {
		return
	}
	if e.Method == "tools/call" && v.needsTask(e.Target) {
		return
	}
	v.reportOn(e.From+e.Method, Finding{
		Message: shortID(e.Method) + " is refused as unknown, but " + e.Capability[0].Path + " was declared",
		Path:    "/error/code", Related: []Ref{v.Exchange.At, {e.Capability[0].At, NoSub}}, Spec: v.gatedPage(),
	})
}

func refusedUnknown(v *view) {
	e, x := v.Entry, v.Exchange
	if x == nil || x.spec != nil || e.Err.Code == mcpspec.MethodNotFound || e.Cancelled || x.unsound || isNotice(x.method) || x.method == "" {
		return
	}
	// Before the handshake is done, or where metadata is missing, the refusal may have that reason.
	if x.era == mcpspec.Legacy && !v.Session.initialized.set() || x.era == mcpspec.Modern && x.version == "" {
		return
	}
	v.reportOn(e.From+x.method, Finding{Message: shortID(x.method) + " is refused with " + itoa(e.Err.Code) + ", not -32601", Path: "/error/code", Related: []Ref{x.At}})
}

func answeredUnknown(v *view) {
	x := v.Exchange
	if x == nil || x.spec != nil || isNotice(x.method) || x.method == "" {
		return
	}
	v.withdraw(x.At, "unknown-method") // both ends know it
	if own := memo[ownMethods](v, v.Process); len(own.known) < maxOwnMethods {
		if own.known == nil {
			own.known = make(map[string]bool)
		}
		own.known[x.from.String()+x.method] = true
	}
	v.reportOn(v.Entry.From+x.method, Finding{Message: shortID(x.method) + " is a private extension", Related: []Ref{x.At}})
}

// needsTask reports whether a listed tool runs as a task only.
func (v *view) needsTask(name string) bool {
	t := v.Session.catalogue.tool(name)
	return t != nil && text(member(t.raw, "execution", "taskSupport")) == "required"
}

func itoa(n int64) string { return strconv.FormatInt(n, 10) }

// suggestion returns the method that a wrong name most likely stands for, "" when none is near: one of
// the same words in another spelling (tools.list, tool/call, listTools), or with a slip or two.
func suggestion(name string, notification bool) string {
	if len(name) > 64 {
		return ""
	}
	want := wordsOf(strings.TrimPrefix(strings.TrimPrefix(name, "notifications/"), "notification/"))
	best, distance := "", 3
	for _, m := range mcpspec.Methods() {
		if m.Notification != notification {
			continue
		}
		bare := strings.TrimPrefix(m.Name, "notifications/")
		if slices.Equal(wordsOf(bare), want) {
			return m.Name
		}
		if d := editDistance(strings.ToLower(name), strings.ToLower(m.Name), distance); d < distance {
			best, distance = m.Name, d
		}
		if d := editDistance(strings.ToLower(name), strings.ToLower(bare), 2); d < min(distance, 2) && len(name) > 5 {
			best, distance = m.Name, d
		}
	}
	return best
}

// wordsOf splits a name at everything that is no letter and at capitals, and forgets plurals and order.
func wordsOf(name string) []string {
	var out []string
	var b strings.Builder
	flush := func() {
		if b.Len() > 0 {
			out = append(out, strings.TrimSuffix(b.String(), "s"))
			b.Reset()
		}
	}
	lower := false
	for _, r := range name {
		switch {
		case !unicode.IsLetter(r):
			flush()
			lower = false
		case unicode.IsUpper(r) && lower:
			flush()
			fallthrough
		default:
			b.WriteRune(unicode.ToLower(r))
			lower = unicode.IsLower(r)
		}
	}
	flush()
	slices.Sort(out)
	return out
}

// editDistance counts the letters to change, add or drop between two short texts; limit when it is no
// less than that.
func editDistance(a, b string, limit int) int {
	if len(a)-len(b) >= limit || len(b)-len(a) >= limit {
		return limit
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		before := row[0]
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := before
			if a[i-1] != b[j-1] {
				cost++
			}
			before = row[j]
			row[j] = min(cost, row[j]+1, row[j-1]+1)
		}
	}
	return min(row[len(b)], limit)
}
