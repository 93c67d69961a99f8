package annotate

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/shakescope/shakescope/internal/mcpspec"
)

const samplingMethod = "sampling/createMessage"

// whatever asks, and whatever holds a question of the modern era.
var interimMethods = []string{"tools/call", "prompts/get", "resources/read", "tasks/get"}

// onAsk are the hooks of a rule about what a server asks the client with a method.
func onAsk(do func(*view), methods ...string) []hook {
	return []hook{on(onRequest, do, methods...), on(onResult, do, interimMethods...)}
}

// Rules about sampling.
var samplingRules = []Rule{
	{
		ID: "sampling-max-tokens", Group: GroupSampling, Levels: []Level{LevelError}, Revisions: mcpspec.All, By: "server",
		Spec:  "2026-07-28/client/sampling#sampling-parameters",
		Title: "A sampling request without a usable maxTokens.",
		Why:   "It is required; clients that validate refuse the request.",
		Fix:   "Give maxTokens as a positive integer.",
		hooks: onAsk(maxTokens, samplingMethod),
	},
	{
		ID: "sampling-role", Group: GroupSampling, Levels: []Level{LevelError}, Revisions: mcpspec.All, By: Sender,
		Spec:  "2025-11-25/client/sampling#messages",
		Title: "A message of a sampling request or its result has another role than user or assistant.",
		Why:   "There is no third role; clients that validate refuse the whole request.",
		Fix:   "Put what is meant for the system into systemPrompt.",
		hooks: append(onAsk(samplingRole, samplingMethod), on(onResult, samplingResultRole, samplingMethod)),
	},
	{
		ID: "sampling-tools-undeclared", Group: GroupSampling, Levels: []Level{LevelError}, Revisions: mcpspec.Since(mcpspec.Rev20251125), By: "server",
		Spec:  "2025-11-25/client/sampling#tools-in-sampling",
		Title: "A sampling request with tools for a client that did not declare sampling.tools.",
		Why:   "The client has to refuse it.",
		Fix:   "Offer tools only where sampling.tools is declared.",
		hooks: []hook{on(onRequest, samplingTools, samplingMethod)},
	},
	{
		ID: "sampling-tools-not-refused", Group: GroupSampling, Levels: []Level{LevelError}, Revisions: mcpspec.Since(mcpspec.Rev20251125) & mcpspec.LegacyOnly, By: "client",
		Spec:  "2025-11-25/schema#createmessagerequestparams",
		Title: "A client without sampling.tools answers a request that offers tools as if nothing were wrong.",
		Why:   "The tools were left out of what the model saw, and the server does not learn it.",
		Fix:   "Answer with an error, or declare sampling.tools and support it.",
		hooks: []hook{on(onResult, samplingToolsTaken, samplingMethod)},
	},
	{
		ID: "sampling-context-undeclared", Group: GroupSampling, Levels: []Level{LevelWarning}, Revisions: mcpspec.Since(mcpspec.Rev20251125), By: "server",
		Spec:  "2025-11-25/client/sampling#capabilities",
		Title: "includeContext for a client that did not declare sampling.context.",
		Why:   "The client will include none.",
		Fix:   "Leave includeContext out, or write none.",
		hooks: onAsk(samplingContext, samplingMethod),
	},
	{
		ID: "sampling-context-deprecated", Group: GroupSampling, Levels: []Level{LevelInfo}, Revisions: mcpspec.Since(mcpspec.Rev20251125), By: "server",
		Spec:  "2026-07-28/deprecated",
		Title: "includeContext with thisServer or allServers, which is deprecated.",
		Why:   "Clients may drop it at any time.",
		Fix:   "Put what the model has to know into the messages.",
		hooks: onAsk(samplingContextOld, samplingMethod),
	},
	{
		ID: "sampling-preference-range", Group: GroupSampling, Levels: []Level{LevelError}, Revisions: mcpspec.All, By: "server",
		Spec:  "2025-11-25/client/sampling#capability-priorities",
		Title: "A model priority outside 0 to 1.",
		Why:   "Clients that validate refuse the request; others cut the value.",
		Fix:   "Scale costPriority, speedPriority and intelligencePriority to 0 to 1.",
		hooks: onAsk(priorities, samplingMethod),
	},
	{
		ID: "sampling-content-array-early", Group: GroupSampling, Levels: []Level{LevelError}, Revisions: mcpspec.Through(mcpspec.Rev20250618), By: Sender,
		Spec:  "2025-11-25/changelog",
		Title: "Several content blocks in one message, or tool blocks, on a session before 2025-11-25.",
		Why:   "content is exactly one block there, of text, image or audio: the other side cannot read the message.",
		Fix:   "Send one block a message, and tools only from 2025-11-25 on.",
		hooks: []hook{on(onRequest, arrayEarly, samplingMethod), on(onResult, arrayEarlyResult, samplingMethod)},
	},
	{
		ID: "sampling-result-shape", Group: GroupSampling, Levels: []Level{LevelError}, Revisions: mcpspec.All, By: "client",
		Spec:  "2026-07-28/client/sampling#result-fields",
		Title: "A sampling result without role, content or model.",
		Why:   "Servers that validate throw the answer of the model away.",
		Fix:   "Return all three; the name of the model tells the server what answered.",
		hooks: []hook{on(onResult, samplingShape, samplingMethod)},
	},
	{
		ID: "sampling-rejected", Group: GroupSampling, Levels: []Level{LevelInfo}, Revisions: mcpspec.LegacyOnly, By: "client",
		Spec:  "2025-11-25/client/sampling#error-handling",
		Title: "The user refused a sampling request.",
		Why:   "That is an outcome and no fault; error -1 is how a client says it.",
		Fix:   "Have the server go on without the model's help.",
		hooks: []hook{on(onError, samplingRejected, samplingMethod)},
	},
}

func maxTokens(v *view) {
	v.asks(func(a *ask) {
		raw := member(a.params, "maxTokens")
		n, ok := number(raw)
		f := Finding{Path: a.path + "/maxTokens"}
		switch {
		case raw == nil:
			f.Message, f.Path = "sampling request without maxTokens", a.path
		case !ok || !isWhole(raw) || n < 1:
			f.Message = "maxTokens is " + excerpt(raw) + ", not a positive integer"
		default:
			return
		}
		v.reportOn("maxTokens", f)
	}, samplingMethod)
}

// samplingMessage is one message of a sampling request.
type samplingMessage struct {
	role    []byte // raw
	content []byte
	path    string
}

// blocks returns the content blocks: one, or those of an array.
func (m *samplingMessage) blocks() [][]byte {
	if !isArray(m.content) {
		return [][]byte{m.content}
	}
	var out [][]byte
	elements(m.content, func(block []byte) bool {
		out = append(out, block)
		return true
	})
	return out
}

func (a *ask) messages() []samplingMessage {
	var out []samplingMessage
	elements(member(a.params, "messages"), func(one []byte) bool {
		out = append(out, samplingMessage{member(one, "role"), member(one, "content"), a.path + "/messages/" + strconv.Itoa(len(out))})
		return true
	})
	return out
}

func (v *view) badRole(role []byte, path string) {
	if r := text(role); role == nil || r == "user" || r == "assistant" {
		return
	}
	f := Finding{Message: "role " + excerpt(role) + " is neither user nor assistant", Path: path}
	if text(role) == "system" {
		f.Message += "; that text belongs in systemPrompt"
	}
	v.reportOn(string(role), f)
}

func samplingRole(v *view) {
	v.asks(func(a *ask) {
		for _, m := range a.messages() {
			v.badRole(m.role, m.path+"/role")
		}
	}, samplingMethod)
}

func samplingResultRole(v *view) {
	if x := v.Exchange; x != nil && x.from == server {
		v.badRole(member(v.Entry.Message.Result, "role"), "/result/role")
	}
}

// lacks reports whether the request leans on a capability that was not declared, though the one it is
// part of was: if that is not, another rule says so.
func (v *view) lacks(caps []Capability, path string) bool {
	whole, _, _ := strings.Cut(path, ".")
	missing := false
	for _, c := range caps {
		if c.Side != client.String() || c.State != Undeclared {
			continue
		}
		if c.Path == whole {
			return false
		}
		missing = missing || c.Path == path
	}
	return missing
}

func samplingTools(v *view) {
	if v.from() == server && v.lacks(v.Entry.Capability, "sampling.tools") {
		v.reportOn("tools", Finding{Message: "the request offers tools, but the client did not declare sampling.tools", Path: "/params/tools", Related: v.declaredAt(client)})
	}
}

func samplingToolsTaken(v *view) {
	if x := v.Exchange; x != nil && x.from == server && v.lacks(x.capability, "sampling.tools") {
		v.reportOn("tools", Finding{Message: fmt.Sprintf("the client answers a request with tools (%s), though it did not declare sampling.tools", x.At), Related: []Ref{x.At}})
	}
}

func (a *ask) context() string {
	if c := text(member(a.params, "includeContext")); c == "thisServer" || c == "allServers" {
		return c
	}
	return ""
}

func samplingContext(v *view) {
	v.asks(func(a *ask) {
		if c := a.context(); c != "" && a.caps != nil && declares(a.caps, "sampling") && !declares(a.caps, "sampling.context") {
			v.reportOn("context", Finding{Message: "includeContext is " + c + ", but the client did not declare sampling.context", Path: a.path + "/includeContext"})
		}
	}, samplingMethod)
}

func samplingContextOld(v *view) {
	v.asks(func(a *ask) {
		if c := a.context(); c != "" {
			f := Finding{Message: "includeContext is " + c + ", which is deprecated", Path: a.path + "/includeContext"}
			if v.Entry.Era == mcpspec.Legacy {
				f.Spec = mcpspec.Rev20251125 + "/client/sampling#capabilities"
			}
			v.reportOn("context", f)
		}
	}, samplingMethod)
}

func priorities(v *view) {
	v.asks(func(a *ask) {
		members(member(a.params, "modelPreferences"), func(key, value []byte) bool {
			name := string(key)
			if !slices.Contains([]string{"costPriority", "speedPriority", "intelligencePriority"}, name) {
				return true
			}
			if n, ok := number(value); ok && (n < 0 || n > 1) {
				v.reportOn(name, Finding{Message: fmt.Sprintf("%s is %s, outside 0 to 1", name, excerpt(value)), Path: a.path + "/modelPreferences/" + name})
			}
			return true
		})
	}, samplingMethod)
}

// tooEarly says what in the content of a message came with 2025-11-25.
func tooEarly(content []byte) string {
	if isArray(content) {
		return "content is an array"
	}
	if t := text(member(content, "type")); t == "tool_use" || t == "tool_result" {
		return "content is a " + t + " block"
	}
	return ""
}

func arrayEarly(v *view) {
	v.asks(func(a *ask) {
		for _, m := range a.messages() {
			if what := tooEarly(m.content); what != "" {
				v.reportOn("content", Finding{Message: what + ", which came with " + mcpspec.Rev20251125 + "; the session speaks " + v.Entry.Revision, Path: m.path + "/content"})
				return
			}
		}
	}, samplingMethod)
}

func arrayEarlyResult(v *view) {
	if x := v.Exchange; x == nil || x.from != server {
		return
	}
	if what := tooEarly(member(v.Entry.Message.Result, "content")); what != "" {
		v.reportOn("content", Finding{Message: what + ", which came with " + mcpspec.Rev20251125 + "; the session speaks " + v.Entry.Revision, Path: "/result/content"})
	}
}

func samplingShape(v *view) {
	x := v.Exchange
	if x == nil || x.from != server || isObject(v.outcome.task) {
		return
	}
	var missing []string
	for _, name := range []string{"role", "content", "model"} {
		if raw := member(v.Entry.Message.Result, name); raw == nil || isNull(raw) {
			missing = append(missing, name)
		}
	}
	f := Finding{Path: "/result", Related: []Ref{x.At}}
	switch model := member(v.Entry.Message.Result, "model"); {
	case len(missing) > 0:
		f.Message = "the result lacks " + strings.Join(missing, ", ")
	case !isString(model):
		f.Message, f.Path = "model is "+excerpt(model)+", not a string", "/result/model"
	default:
		return
	}
	v.reportOn(f.Message, f)
}

func samplingRejected(v *view) {
	x, err := v.Exchange, v.Entry.Err
	if x == nil || x.from != server {
		return
	}
	message := lower(err.Message)
	refused := false
	for _, word := range []string{"reject", "denied", "declin", "refus", "not allowed", "disallow"} {
		refused = refused || strings.Contains(message, word)
	}
	switch {
	case err.Code == -1:
		v.report(Finding{Message: "the user refused the sampling request (" + x.At.String() + ")", Related: []Ref{x.At}})
	case refused:
		v.report(Finding{Message: fmt.Sprintf("the user refused the sampling request (%s), it seems; error -1 is the code for it, not %d", x.At, err.Code), Related: []Ref{x.At}})
	}
}
