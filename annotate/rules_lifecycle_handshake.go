package annotate

import (
	"fmt"
	"slices"
	"strings"

	"github.com/shakescope/shakescope/internal/mcpspec"
)

// Rules about the handshake of the legacy era: initialize, its answer, initialized.
var handshakeRules = []Rule{
	{
		ID: "init-not-first", Group: GroupLifecycle, Levels: []Level{LevelError}, Revisions: mcpspec.LegacyOnly, By: "client",
		Spec:  "2025-11-25/basic/lifecycle#initialization",
		Title: "The client asks before it has sent initialize.",
		Why:   "There is no session yet: most servers answer with an error or not at all.",
		Fix:   "Send initialize first. Only ping, and the probe server/discover, may come before it.",
		hooks: []hook{on(onRequest, beforeInitialize)},
	},
	{
		ID: "request-before-init-result", Group: GroupLifecycle, Levels: []Level{LevelWarning}, Revisions: mcpspec.LegacyOnly, By: "client",
		Spec:  "2025-11-25/basic/lifecycle#initialization",
		Title: "The client sends requests while initialize is unanswered.",
		Why:   "Revision and capabilities are not agreed on yet; servers refuse the request or answer by rules nobody settled.",
		Fix:   "Wait for the initialize result. Pings are fine meanwhile.",
		hooks: []hook{on(onRequest, beforeInitResult)},
	},
	{
		ID: "server-request-before-initialized", Group: GroupLifecycle, Levels: []Level{LevelWarning}, Revisions: mcpspec.LegacyOnly, By: "server",
		Spec:  "2025-11-25/basic/lifecycle#initialization",
		Title: "The server sends requests before it got notifications/initialized.",
		Why:   "The client may not be ready to serve roots, sampling or elicitation yet, and refuses or ignores them.",
		Fix:   "Begin with requests when notifications/initialized comes in. Pings and log messages may come earlier.",
		hooks: []hook{on(onRequest, serverTooEarly)},
	},
	{
		ID: "initialized-missing", Group: GroupLifecycle, Levels: []Level{LevelError}, Revisions: mcpspec.LegacyOnly, By: "client",
		Spec:  "2025-11-25/basic/lifecycle#initialization",
		Title: "The client never sent notifications/initialized.",
		Why:   "The handshake stays half open: many servers refuse further requests or never answer them.",
		Fix:   "Send notifications/initialized, without an id, once the initialize result has come.",
		hooks: []hook{on(onSessionEnd, initializedMissing), on(onRequest, beforeInitialized)},
	},
	{
		ID: "initialized-too-early", Group: GroupLifecycle, Levels: []Level{LevelError}, Revisions: mcpspec.LegacyOnly, By: "client",
		Spec:  "2025-11-25/basic/lifecycle#initialization",
		Title: "notifications/initialized came before a successful initialize result.",
		Why:   "There is nothing to confirm yet; servers that check the order refuse the session.",
		Fix:   "Send it once, right after the initialize result.",
		hooks: []hook{on(onNotification, initializedEarly, "notifications/initialized")},
	},
	{
		ID: "initialized-repeated", Group: GroupLifecycle, Levels: []Level{LevelWarning}, Revisions: mcpspec.LegacyOnly, By: "client",
		Spec:  "2025-11-25/basic/lifecycle#initialization",
		Title: "notifications/initialized was sent again on the same session.",
		Why:   "Servers that start work on it start it twice.",
		Fix:   "Send it once a session.",
		hooks: []hook{on(onNotification, initializedAgain, "notifications/initialized")},
	},
	{
		ID: "initialized-wrong-name", Group: GroupLifecycle, Levels: []Level{LevelWarning}, Revisions: mcpspec.LegacyOnly, By: "client",
		Spec:  "2025-11-25/basic/lifecycle#initialization",
		Title: "The client sends \"initialized\" under a wrong name.",
		Why:   "The server does not know the notification and still waits for the end of the handshake.",
		Fix:   "The name is notifications/initialized; the bare form is that of language servers.",
		hooks: []hook{on(onNotification, initializedMisnamed)},
	},
	{
		ID: "initialize-repeated", Group: GroupLifecycle, Levels: []Level{LevelWarning}, Revisions: mcpspec.LegacyOnly, By: "client",
		Spec:  "2025-11-25/basic/lifecycle#initialization",
		Title: "A second initialize on one process.",
		Why:   "Initialization is the first interaction of a session; what a second one does is not defined. Some servers refuse it, others start anew.",
		Fix:   "Start a new server process for a new session.",
		hooks: []hook{on(onRequest, initializeAgain, "initialize")},
	},
	{
		ID: "initialize-params", Group: GroupLifecycle, Levels: []Level{LevelError}, Revisions: mcpspec.LegacyOnly, By: "client",
		Spec:  "2025-11-25/basic/lifecycle#initialization",
		Title: "initialize lacks protocolVersion, capabilities, or clientInfo with name and version.",
		Why:   "Servers that validate refuse it, and there is no session.",
		Fix:   "Send all three; capabilities may be {}.",
		hooks: []hook{on(onRequest, initializeParams, "initialize")},
	},
	{
		ID: "initialize-result-shape", Group: GroupLifecycle, Levels: []Level{LevelError}, Revisions: mcpspec.LegacyOnly, By: "server",
		Spec:  "2025-11-25/basic/lifecycle#initialization",
		Title: "The initialize result lacks protocolVersion, capabilities, or serverInfo with name and version.",
		Why:   "Clients that validate give the server up at once.",
		Fix:   "Return all three; capabilities may be {}.",
		hooks: []hook{on(onResult, initializeResult, "initialize")},
	},
	{
		ID: "initialize-failed-continue", Group: GroupLifecycle, Levels: []Level{LevelError}, Revisions: mcpspec.LegacyOnly, By: "client",
		Spec:  "2025-11-25/basic/lifecycle#initialization",
		Title: "The client goes on although its initialize was refused.",
		Why:   "There is no session; what the server makes of the requests is luck.",
		Fix:   "Read the error, try another revision if it names some, else stop.",
		hooks: []hook{on(onRequest, afterRefusal)},
	},
	{
		ID: "initialize-from-server", Group: GroupLifecycle, Levels: []Level{LevelError}, Revisions: mcpspec.All, By: "server",
		Spec:  "2025-11-25/basic/lifecycle#initialization",
		Title: "The server sends initialize.",
		Why:   "Only the client opens a session. Client and server may be the wrong way round, or a client library runs inside the server.",
		Fix:   "Let the server answer initialize, never send it.",
		hooks: []hook{on(onRequest, initializeFromServer, "initialize"), on(onNotification, initializeFromServer, "initialize")},
	},
	{
		ID: "init-result-late-capability", Group: GroupLifecycle, Levels: []Level{LevelInfo}, Revisions: mcpspec.LegacyOnly, By: Sender,
		Spec:  "2025-11-25/basic/lifecycle#capability-negotiation",
		Title: "A feature works that was never declared.",
		Why:   "Peers that go by the declaration will not find it.",
		Fix:   "Declare the capability in initialize or its result.",
		hooks: []hook{on(onResult, worksUndeclared)},
	},
	{
		ID: "capability-misplaced", Group: GroupLifecycle, Levels: []Level{LevelInfo}, Revisions: mcpspec.All, By: Sender,
		Spec:  "2025-11-25/basic/lifecycle#capability-negotiation",
		Title: "A capability stands under experimental, where nobody looks for it.",
		Why:   "It counts as not declared: peers will not use the feature.",
		Fix:   "Declare it at the place that its revision gives it.",
		hooks: []hook{on(onRequest, misplacedInRequest, "initialize"), on(onResult, misplacedInResult, "initialize", "server/discover")},
	},
}

// early reports whether a request is one that may come at any time.
func early(method string) bool {
	return method == "ping" || method == "initialize" || method == "server/discover"
}

func beforeInitialize(v *view) {
	e := v.Entry
	if v.from() != client || e.Era != mcpspec.Legacy || early(e.Method) || v.Process.session.request != nil || v.Process.tried != nil || v.Process.blurred || v.uncertain() || isNotice(e.Method) {
		return
	}
	// Metadata in the wrong place makes a modern request look like a legacy one; that is said elsewhere.
	if strings.Contains(string(e.Raw[:min(len(e.Raw), maxParams)]), "rotocolVersion\"") {
		return
	}
	v.reportOn("early", Finding{Message: label(e.Method, e.Target) + " before any initialize"})
}

func beforeInitResult(v *view) {
	e := v.Entry
	s := v.Process.session
	if v.from() != client || e.Era != mcpspec.Legacy || early(e.Method) || s.opened.set() || s.request == nil || !s.request.open || v.Process.blurred || v.uncertain() {
		return
	}
	v.reportOn("early", Finding{Message: label(e.Method, e.Target) + " while initialize (" + s.request.At.String() + ") was unanswered", Related: []Ref{s.request.At}})
}

func serverTooEarly(v *view) {
	e := v.Entry
	s := v.Process.session
	if v.from() != server || e.Method == "ping" || e.Method == "initialize" || s.initialized.set() || v.Process.modern.asked > 0 && s.request == nil || v.uncertain() {
		return
	}
	// A client that says it in a form of its own is at fault itself.
	if memo[unready](v, v.Session).said {
		return
	}
	v.reportOn("early", Finding{Message: label(e.Method, e.Target) + " before notifications/initialized"})
}

// unready remembers the requests that a client sent on a session before notifications/initialized.
type unready struct {
	first Ref
	more  []Ref
	said  bool // initialized came in a form that another rule reports
}

func beforeInitialized(v *view) {
	m := memo[unready](v, v.Session)
	switch {
	case v.from() != client || !v.Session.opened.set() || v.Session.initialized.set():
	case v.Entry.Method == "notifications/initialized":
		m.said = true
	case v.Entry.Method == "ping" || v.Entry.Method == "initialize" || v.Entry.Era != mcpspec.Legacy:
	case m.first.IsZero():
		m.first = v.At
	case len(m.more) < maxRelated:
		m.more = append(m.more, v.At)
	}
}

func initializedMissing(v *view) {
	m := memo[unready](v, v.Session)
	if m.first.IsZero() || m.said || v.Session.initialized.set() || v.uncertain() {
		return
	}
	f := Finding{At: m.first, Related: append([]Ref{v.Session.opened.At}, m.more...)}
	if d := &v.Process.ending; d.first.set() {
		f.At = d.first.At
		f.Related = append([]Ref{m.first}, f.Related...)
	} else {
		f.Related = append(f.Related, v.At)
	}
	f.Message = fmt.Sprintf("the client went on to requests (%s) and never sent notifications/initialized", m.first)
	v.report(f)
}

func initializedEarly(v *view) {
	s := v.Process.session
	if v.from() != client || s.opened.set() || v.Process.blurred || v.uncertain() || s.request == nil && v.Process.modern.answered {
		return
	}
	message := "no initialize was sent yet"
	switch x := v.Process.tried; {
	case s.request == nil && x != nil:
		message = "initialize (" + x.At.String() + ") was no valid message, and is not answered"
	case s.request != nil && s.request.open:
		message = "initialize (" + s.request.At.String() + ") is not answered yet"
	case s.request != nil:
		message = "initialize (" + s.request.At.String() + ") was refused"
	}
	v.report(Finding{Message: message})
}

func initializedAgain(v *view) {
	s := v.Session
	if v.from() == client && s.opened.set() && s.initialized.set() && s.initialized.At != v.At && s.initialized.At.Seq > s.opened.At.Seq {
		v.reportOn(s.initialized.At.String(), Finding{Message: "sent before at " + s.initialized.At.String(), Related: []Ref{s.initialized.At}})
	}
}

// isInitialized reports whether an unknown notification means notifications/initialized.
func isInitialized(method string) bool {
	return mcpspec.Lookup(method) == nil && suggestion(method, true) == "notifications/initialized"
}

func initializedMisnamed(v *view) {
	if e := v.Entry; e.Group == mcpspec.Unknown && v.from() == client && isInitialized(e.Method) {
		v.report(Finding{Message: shortID(e.Method) + ": did you mean notifications/initialized?", Path: "/method"})
	}
}

func initializeAgain(v *view) {
	if v.from() != client {
		return
	}
	if s := v.Session; s.opened.set() {
		v.report(Finding{Message: "the session was opened at " + s.opened.At.String() + " already", Related: []Ref{s.opened.At}})
		return
	}
	for x, n := v.Exchange.older, 0; x != nil && n < maxRelated; x, n = x.older, n+1 {
		if x.method == "initialize" && !x.lenient && !x.cancelled() && !x.unsound && x.probable.IsZero() {
			v.report(Finding{Message: "initialize (" + x.At.String() + ") is not answered yet", Related: []Ref{x.At}})
			return
		}
	}
}

func initializeParams(v *view) {
	if v.from() == client {
		v.reportHandshake("/params", "clientInfo")
	}
}

func initializeResult(v *view) {
	if v.Exchange != nil {
		v.reportHandshake("/result", "serverInfo")
	}
}

// reportHandshake looks at the members that both halves of the handshake must have.
func (v *view) reportHandshake(root, info string) {
	var wrong []string
	for _, p := range v.shape() {
		name := lastToken(p.Path)
		if p.Keyword == "required" {
			name = p.Want
		}
		top := p.Path == "" || p.Path == "/"+name || p.Path == "/"+info || strings.HasPrefix(p.Path, "/"+info+"/")
		if isNullProblem(&p) || !top || !slices.Contains([]string{"params", "protocolVersion", "capabilities", info, "name", "version"}, name) {
			continue
		}
		if name == "protocolVersion" && p.Keyword == "type" && root == "/params" {
			continue // no version at all
		}
		wrong = append(wrong, describeProblem(root, &p))
	}
	if len(wrong) > 0 {
		v.report(Finding{Message: strings.Join(wrong, "; ")})
	}
}

func afterRefusal(v *view) {
	e := v.Entry
	s := v.Process.session
	if v.from() != client || e.Era != mcpspec.Legacy || early(e.Method) || s.opened.set() || s.request == nil || !s.request.failed || v.uncertain() {
		return
	}
	v.reportOn(s.request.At.String(), Finding{
		Message: label(e.Method, e.Target) + " although initialize (" + s.request.At.String() + ") was refused", Related: []Ref{s.request.At},
	})
}

func initializeFromServer(v *view) {
	if v.from() == server {
		v.reportOn("initialize", Finding{Message: "only the client opens a session"})
	}
}

func worksUndeclared(v *view) {
	e := v.Entry
	if v.Exchange == nil || len(e.Capability) == 0 || e.Capability[0].State != Undeclared || e.Capability[0].Side != e.From {
		return
	}
	path := e.Capability[0].Path
	v.reportOn(e.From+path, Finding{Message: e.Method + " works, but " + path + " was not declared"})
}

func misplacedInRequest(v *view) {
	if v.from() == client {
		v.reportMisplaced(member(v.call.caps, "experimental"), "/params/capabilities/experimental", mcpspec.Client)
	}
}

func misplacedInResult(v *view) {
	if v.Exchange != nil {
		v.reportMisplaced(member(v.outcome.caps, "experimental"), "/result/capabilities/experimental", mcpspec.Server)
	}
}

func (v *view) reportMisplaced(experimental []byte, path string, side mcpspec.Side) {
	members(experimental, func(key, _ []byte) bool {
		if known := mcpspec.LookupCapability(side, string(key)); known != nil && string(key) != "experimental" {
			v.report(Finding{Message: "experimental." + clean(string(key)) + " declares nothing: the place is " + clean(string(key)), Path: path + "/" + string(key)})
		}
		return true
	})
}
