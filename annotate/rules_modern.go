package annotate

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/shakescope/shakescope/internal/mcpspec"
)

// Rules about the metadata of modern requests, and about who may send what.
var modernRules = []Rule{
	{
		ID: "modern-meta-version-missing", Group: GroupModern, Levels: []Level{LevelError}, Revisions: mcpspec.ModernOnly, By: "client",
		Spec:  "2026-07-28/basic/index#_meta",
		Title: "A request on a modern connection does not say which protocol version it speaks.",
		Why:   "There is no session to take the version from: a server has to refuse the request with -32602.",
		Fix:   "Put io.modelcontextprotocol/protocolVersion and io.modelcontextprotocol/clientCapabilities into params._meta of every request.",
		hooks: []hook{on(onRequest, metaVersionMissing)},
	},
	{
		ID: "modern-meta-capabilities-missing", Group: GroupModern, Levels: []Level{LevelError}, Revisions: mcpspec.ModernOnly, By: "client",
		Spec:  "2026-07-28/basic/index#_meta",
		Title: "A modern request does not state the client's capabilities.",
		Why:   "A server may not guess what the client can do: it has to refuse the request with -32602.",
		Fix:   "Put io.modelcontextprotocol/clientCapabilities into params._meta; an empty object will do for a client without any.",
		hooks: []hook{on(onRequest, metaCapabilitiesMissing)},
	},
	{
		ID: "modern-meta-misplaced", Group: GroupModern, Levels: []Level{LevelError}, Revisions: mcpspec.ModernOnly, By: "client",
		Spec:  "2026-07-28/basic/index#_meta",
		Title: "Required metadata of a modern request stands in the wrong place or under the wrong name.",
		Why:   "Servers look for it in params._meta, under the full name, and treat the request as one without metadata.",
		Fix:   "Move it into params._meta and keep the prefix io.modelcontextprotocol/.",
		hooks: []hook{on(onRequest, metaMisplaced)},
	},
	{
		ID: "modern-client-info-missing", Group: GroupModern, Levels: []Level{LevelInfo}, Revisions: mcpspec.ModernOnly, By: "client",
		Spec:  "2026-07-28/basic/index#_meta",
		Title: "Modern requests do not say which client sends them.",
		Why:   "The server cannot tell clients apart in its logs. A client may have been told to keep it to itself.",
		Fix:   "Add io.modelcontextprotocol/clientInfo, with name and version, to params._meta.",
		hooks: []hook{on(onRequest, clientInfoMissing)},
	},
	{
		ID: "modern-server-info-missing", Group: GroupModern, Levels: []Level{LevelInfo}, Revisions: mcpspec.ModernOnly, By: "server",
		Spec:  "2026-07-28/basic/index#_meta",
		Title: "Results to modern requests do not say which server sent them.",
		Why:   "Without a handshake the result's metadata is the only place where a server names itself and its version.",
		Fix:   "Add io.modelcontextprotocol/serverInfo to _meta of results.",
		hooks: []hook{on(onResult, serverInfoMissing)},
	},
	{
		ID: "modern-bad-meta-accepted", Group: GroupModern, Levels: []Level{LevelError}, Revisions: mcpspec.ModernOnly, By: "server",
		Spec:  "2026-07-28/basic/index#_meta",
		Title: "A modern request that lacks required metadata was not refused with -32602.",
		Why:   "The server guesses a version and capabilities that the client never stated, and the client's mistake goes unnoticed until it meets a stricter server.",
		Fix:   "Check the metadata before anything else, and answer -32602 where it is missing.",
		hooks: []hook{onAnswer(badMetaAccepted)},
	},
	{
		ID: "modern-version-varies", Group: GroupModern, Levels: []Level{LevelInfo}, Revisions: mcpspec.ModernOnly, By: "client",
		Spec:  "2026-07-28/basic/index#statelessness",
		Title: "Requests of one client state different versions or capabilities.",
		Why:   "That is allowed, each request stands alone; but whoever reads along may wonder why equal calls are treated differently.",
		Fix:   "Nothing to fix where it is meant: several clients behind one pipe, or features switched on for some calls.",
		hooks: []hook{on(onRequest, statedVaries)},
	},
	{
		ID: "modern-server-request", Group: GroupModern, Levels: []Level{LevelError}, Revisions: mcpspec.ModernOnly, By: "server",
		Spec:  "2026-07-28/basic/transports/stdio#receiving-messages",
		Title: "The server sends a request on a modern connection.",
		Why:   "Servers ask nothing any more: the client has no way to answer, and the server waits for ever.",
		Fix:   "Answer the client's request with resultType input_required and what is asked for in inputRequests.",
		hooks: []hook{on(onRequest, serverRequests).whatever()},
	},
	{
		ID: "modern-client-response", Group: GroupModern, Levels: []Level{LevelError}, Revisions: mcpspec.ModernOnly, By: "client",
		Spec:  "2026-07-28/basic/transports/stdio#sending-messages",
		Title: "The client writes a response on a modern connection.",
		Why:   "Clients only send requests and cancellations; nobody reads this line.",
		Fix:   "Answer what a server asks in inputResponses of a new request.",
		hooks: []hook{onAnswer(clientResponds).whatever()},
	},
	{
		ID: "traceparent-format", Group: GroupModern, Levels: []Level{LevelError}, Revisions: mcpspec.ModernOnly, By: Sender,
		Spec:  "2026-07-28/basic/index#_meta",
		Title: "A member of the trace context is not in the format of W3C.",
		Why:   "Tracing tools drop it, and the trace ends here.",
		Fix:   "traceparent is 00-<32 hex>-<16 hex>-<2 hex>, tracestate and baggage are lists of key=value; better none than a broken one.",
		hooks: []hook{onMessage(traceFormat)},
	},
}

// removed reports whether the request names a method that its revision has no more.
func (x *exchange) removed() bool { return x.spec != nil && !x.spec.In(x.revision) }

// lacksMeta reports what required metadata a modern request lacks, "" when nothing.
func lacksMeta(v *view, x *exchange) string {
	switch {
	case x.version == "":
		return "protocolVersion"
	case !isObject(x.clientCaps):
		return "clientCapabilities"
	}
	return ""
}

func metaVersionMissing(v *view) {
	x, c := v.Exchange, v.call
	if v.from() != client || c.version != "" || c.misplaced.version != "" || x.removed() {
		return
	}
	if !v.Process.modern.marked && !c.hasVersion && x.method != "server/discover" {
		return
	}
	message := v.Entry.Method + " says no protocol version, on a connection that is modern"
	if at := v.Process.modern.discover; at.set() {
		message += fmt.Sprintf(" since the discovery (%s)", at.At)
	}
	path := "/params/_meta"
	if c.hasVersion {
		message = v.Entry.Method + " states a protocol version that is no string"
		path = pointer(path, mcpspec.MetaProtocolVersion)
	}
	v.reportOn(v.Entry.Method, Finding{Message: clean(message), Path: path})
}

func metaCapabilitiesMissing(v *view) {
	c := v.call
	if v.from() != client || !c.hasVersion || isObject(c.clientCaps) || c.clientCaps == nil && c.misplaced.caps != "" {
		return
	}
	what, path := "states no client capabilities", "/params/_meta"
	if c.clientCaps != nil {
		what, path = "states client capabilities that are no object: "+excerpt(c.clientCaps), pointer(path, mcpspec.MetaClientCapabilities)
	}
	v.reportOn(v.Entry.Method, Finding{Message: clean(v.Entry.Method) + " " + what, Path: path})
}

func metaMisplaced(v *view) {
	c := v.call
	if v.from() != client {
		return
	}
	version := !c.hasVersion && c.misplaced.version != ""
	caps := c.clientCaps == nil && c.misplaced.caps != ""
	var where string
	what, stand := "", "stands"
	switch {
	case version && caps:
		what, stand, where = "protocolVersion and clientCapabilities", "stand", c.misplaced.version
	case version:
		what, where = "protocolVersion", c.misplaced.version
	case caps:
		what, where = "clientCapabilities", c.misplaced.caps
	default:
		return
	}
	v.reportOn(where, Finding{
		Message: fmt.Sprintf("%s of %s %s %s, not in params._meta under io.modelcontextprotocol/", what, clean(v.Entry.Method), stand, where),
		Path:    "/params",
	})
}

// statedOnce is what the requests of a process have stated so far.
type statedOnce struct {
	version      string
	caps         []byte
	first        Ref
	info, server bool // said that it is missing
	versions     bool // said that they vary
	differ       bool
}

func clientInfoMissing(v *view) {
	c, m := v.call, memo[statedOnce](v, v.Process)
	if v.from() != client || !c.hasVersion || m.info {
		return
	}
	f := Finding{Path: "/params/_meta"}
	switch {
	case c.clientInfo == nil:
		f.Message = "the client does not say who it is"
	case !isString(member(c.clientInfo, "name")) || !isString(member(c.clientInfo, "version")):
		f.Message, f.Path = "clientInfo lacks name or version", pointer(f.Path, mcpspec.MetaClientInfo)
	default:
		return
	}
	m.info = true
	v.report(f)
}

func serverInfoMissing(v *view) {
	m := memo[statedOnce](v, v.Process)
	if x := v.Exchange; x == nil || x.from != client || v.outcome.serverInfo || m.server || !v.Process.modern.marked {
		return
	}
	m.server = true
	v.report(Finding{Message: "the result of " + clean(v.Entry.Method) + " does not say which server sent it", Path: "/result"})
}

func badMetaAccepted(v *view) {
	x := v.Exchange
	if x == nil || x.from != client || !v.Process.modern.marked {
		return
	}
	lacks := lacksMeta(v, x)
	if lacks == "" {
		return
	}
	how := "answered with a result"
	if e := v.Entry.Err; e != nil {
		if e.Code == mcpspec.InvalidParams || e.Code == mcpspec.MethodNotFound && (x.spec == nil || x.removed()) {
			return
		}
		how = fmt.Sprintf("refused with %d", e.Code)
	}
	v.reportOn(x.method+how, Finding{
		Message: fmt.Sprintf("%s without %s was %s; -32602 was due", label(x.method, ""), lacks, how), Related: []Ref{x.At},
	})
}

func statedVaries(v *view) {
	c, m := v.call, memo[statedOnce](v, v.Process)
	if v.from() != client || c.version == "" || c.clientCaps == nil {
		return
	}
	if m.first.IsZero() {
		m.version, m.caps, m.first = c.version, bytes.Clone(c.clientCaps), v.At
		return
	}
	if !m.versions && c.version != m.version {
		m.versions = true
		v.report(Finding{Message: fmt.Sprintf("version %s, in %s it was %s", clean(c.version), m.first, clean(m.version)), Path: pointer("/params/_meta", mcpspec.MetaProtocolVersion), Related: []Ref{m.first}})
	}
	if !m.differ && !equalValues(c.clientCaps, m.caps) {
		m.differ = true
		v.report(Finding{Message: fmt.Sprintf("other client capabilities than in %s", m.first), Path: pointer("/params/_meta", mcpspec.MetaClientCapabilities), Related: []Ref{m.first}})
	}
}

func serverRequests(v *view) {
	if v.from() == server && v.Process.onlyModern() {
		v.reportOn(v.Entry.Method, Finding{Message: "the server asks for " + label(v.Entry.Method, v.Entry.Target) + " in a request of its own"})
	}
}

func clientResponds(v *view) {
	if v.from() != client || !v.Process.onlyModern() {
		return
	}
	f := Finding{Message: "the client answers id " + shortID(v.Entry.ID)}
	if v.Exchange != nil {
		f.Message = "the client answers " + label(v.Exchange.method, v.Exchange.target) + ", which the server should not have asked"
		f.Related = []Ref{v.Exchange.At}
	}
	v.reportOn("response", f)
}

func traceFormat(v *view) {
	meta, path := []byte(nil), "/params/_meta"
	switch {
	case v.call != nil:
		meta = v.call.trace
	case v.outcome != nil:
		meta, path = v.outcome.trace, "/result/_meta"
	}
	if meta == nil {
		return
	}
	members(meta, func(key, value []byte) bool {
		var good func(string) bool
		switch string(key) {
		case "traceparent":
			good = isTraceparent
		case "tracestate":
			good = isTracestate
		case "baggage":
			good = isBaggage
		default:
			return true
		}
		if !isString(value) || !good(text(value)) {
			v.reportOn(string(key), Finding{Message: fmt.Sprintf("%s is %s", key, excerpt(value)), Path: pointer(path, string(key))})
		}
		return true
	})
}

// isTraceparent follows the W3C recommendation Trace Context: version, trace id, parent id, flags; later
// versions may append more.
func isTraceparent(s string) bool {
	if len(s) < 55 || s[2] != '-' || s[35] != '-' || s[52] != '-' || !isHex(s[:2]) || !isHex(s[3:35]) || !isHex(s[36:52]) || !isHex(s[53:55]) {
		return false
	}
	if s[:2] == "ff" || strings.Trim(s[3:35], "0") == "" || strings.Trim(s[36:52], "0") == "" {
		return false
	}
	return len(s) == 55 || s[:2] != "00" && s[55] == '-'
}

func isHex(s string) bool {
	return strings.Trim(s, "0123456789abcdef") == ""
}

// isTracestate follows Trace Context: at most 32 members, keys of lower case letters, digits and _-*/,
// with at most one @; empty members are allowed.
func isTracestate(s string) bool {
	n := 0
	for one := range strings.SplitSeq(s, ",") {
		one = strings.Trim(one, " \t")
		if one == "" {
			continue
		}
		n++
		key, value, ok := strings.Cut(one, "=")
		tenant, system, multi := strings.Cut(key, "@")
		if !ok || n > 32 || key == "" || len(key) > 256 || multi && (system == "" || tenant == "" || strings.Contains(system, "@")) ||
			strings.Trim(tenant+system, "abcdefghijklmnopqrstuvwxyz0123456789_-*/") != "" ||
			value == "" || len(value) > 256 || strings.ContainsFunc(value, func(r rune) bool { return r < ' ' || r > '~' || r == '=' }) {
			return false
		}
	}
	return true
}

// isBaggage follows the W3C recommendation Baggage: key=value with properties after semicolons.
func isBaggage(s string) bool {
	for one := range strings.SplitSeq(s, ",") {
		pair, properties, _ := strings.Cut(one, ";")
		key, value, ok := strings.Cut(strings.Trim(pair, " \t"), "=")
		if !ok || !isToken(strings.Trim(key, " \t")) || !isBaggageValue(strings.Trim(value, " \t")) {
			return false
		}
		for property := range strings.SplitSeq(properties, ";") {
			key, value, _ := strings.Cut(strings.Trim(property, " \t"), "=")
			if key = strings.Trim(key, " \t"); properties != "" && (!isToken(key) || !isBaggageValue(strings.Trim(value, " \t"))) {
				return false
			}
		}
	}
	return true
}

// isToken reports whether s is a token as HTTP has them.
func isToken(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r > '~' || strings.ContainsRune(`"(),/:;<=>?@[\]{}`, r) })
}

func isBaggageValue(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r > '~' || strings.ContainsRune(`",;\`, r) })
}
