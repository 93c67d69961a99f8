package annotate

import (
	"fmt"
	"slices"
	"strings"

	"github.com/shakescope/shakescope/internal/mcpshape"
	"github.com/shakescope/shakescope/internal/mcpspec"
)

// Rules about answers that ask for input. What clients make of them: rules_rounds_retry.go.
var roundRules = []Rule{
	{
		ID: "mrtr-wrong-method", Group: GroupRounds, Levels: []Level{LevelError}, Revisions: mcpspec.ModernOnly, By: "server",
		Spec:  "2026-07-28/basic/patterns/mrtr#supported-requests",
		Title: "A request that cannot be continued was answered with input_required.",
		Why:   "Clients retry tools/call, prompts/get and resources/read only; here the answer is an invalid result to them.",
		Fix:   "Answer with a complete result or an error, and ask for input in one of the three methods.",
		hooks: []hook{on(onResult, interimWrongMethod)},
	},
	{
		ID: "mrtr-empty", Group: GroupRounds, Levels: []Level{LevelError}, Revisions: mcpspec.ModernOnly, By: "server",
		Spec:  "2026-07-28/basic/patterns/mrtr#server-requirements-basic-workflow",
		Title: "An input_required result asks for nothing.",
		Why:   "With neither inputRequests nor requestState the client has nothing to come back with, and the call ends here.",
		Fix:   "Send what is asked for in inputRequests, or a requestState with which the client is to retry; else answer complete.",
		hooks: []hook{on(onResult, interimEmpty)},
	},
	{
		ID: "mrtr-request-kind", Group: GroupRounds, Levels: []Level{LevelError}, Revisions: mcpspec.ModernOnly, By: "server",
		Spec:  "2026-07-28/basic/patterns/mrtr#server-requirements-basic-workflow",
		Title: "An input request is none that a client can be asked.",
		Why:   "Clients answer elicitation/create, sampling/createMessage and roots/list. Anything else, or one without valid params, makes the whole result invalid.",
		Fix:   "Make each value of inputRequests an object with one of these methods and its params.",
		hooks: []hook{on(onResult, interimKinds)},
	},
	{
		ID: "mrtr-request-envelope", Group: GroupRounds, Levels: []Level{LevelWarning}, Revisions: mcpspec.ModernOnly, By: "server",
		Spec:  "2026-07-28/schema#inputrequests",
		Title: "An input request carries jsonrpc or id.",
		Why:   "It is no message of its own: its key in inputRequests is its name. Strict clients refuse the extra members, others try to answer the id.",
		Fix:   "Send method and params only.",
		hooks: []hook{on(onResult, interimEnvelopes)},
	},
	{
		ID: "mrtr-undeclared-capability", Group: GroupRounds, Levels: []Level{LevelError}, Revisions: mcpspec.ModernOnly, By: "server",
		Spec:  "2026-07-28/basic/patterns/mrtr#server-requirements-basic-workflow",
		Title: "The server asks for input that the request did not offer.",
		Why:   "The client cannot provide it, so the call can only fail.",
		Fix:   "Look at the clientCapabilities of the very request, and answer -32021 where the call needs more.",
		hooks: []hook{on(onResult, interimUndeclared)},
	},
	{
		ID: "mrtr-abandoned", Group: GroupRounds, Levels: []Level{LevelInfo}, Revisions: mcpspec.ModernOnly, By: "client",
		Spec:  "2026-07-28/basic/patterns/mrtr",
		Title: "A call that asked for input was never continued.",
		Why:   "That is allowed, and the call did not come to its end: the user may have closed the question, or the client cannot continue calls.",
		Fix:   "A client that gives up may say so by a retry with action cancel; the server cannot tell otherwise.",
		hooks: []hook{on(onProcessEnd, interimAbandoned)},
	},
	{
		ID: "mrtr-loop", Group: GroupRounds, Levels: []Level{LevelInfo}, Likely: true, Revisions: mcpspec.ModernOnly, By: "server",
		Spec:  "2026-07-28/basic/patterns/mrtr#server-requirements-basic-workflow",
		Title: "One call asks again and again.",
		Why:   "The server asks the same although it was answered, or goes through more rounds than any user will.",
		Fix:   "Read the inputResponses, or put what was answered into requestState.",
		hooks: []hook{on(onResult, interimLoops)},
	},
}

// asksForInput reports whether the answer is an interim one of the modern era.
func asksForInput(v *view) bool {
	return v.Exchange != nil && v.Exchange.from == client && v.outcome.kind == "input_required"
}

func interimWrongMethod(v *view) {
	x := v.Exchange
	if !asksForInput(v) || x.spec != nil && (x.spec.Interim || x.spec.Group == mcpspec.Tasks) {
		return
	}
	v.reportOn(x.method, Finding{Message: label(x.method, "") + " was answered with input_required", Path: "/result", Related: []Ref{x.At}})
}

func interimEmpty(v *view) {
	if !asksForInput(v) || v.outcome.requestState != nil && !isNull(v.outcome.requestState) {
		return
	}
	some := false
	members(v.outcome.inputRequests, func(_, _ []byte) bool { some = true; return false })
	if x := v.Exchange; !some {
		v.reportOn(label(x.method, x.target), Finding{Message: label(x.method, x.target) + ": input_required without inputRequests and without requestState", Path: "/result", Related: []Ref{x.At}})
	}
}

// questions calls f for each input request of an interim answer.
func questions(v *view, f func(key string, value []byte, path string)) {
	if !asksForInput(v) {
		return
	}
	n := 0
	members(v.outcome.inputRequests, func(key, value []byte) bool {
		f(string(key), value, pointer("/result/inputRequests", string(key)))
		n++
		return n < maxAsked
	})
}

// isInputMethod reports whether a method is one that input can be asked with.
func isInputMethod(method string) bool {
	return method == "elicitation/create" || method == "sampling/createMessage" || method == "roots/list"
}

func interimKinds(v *view) {
	if asksForInput(v) {
		if in := v.outcome.inputRequests; in != nil && !isObject(in) {
			v.report(Finding{Message: "inputRequests is no object: " + excerpt(in), Path: "/result/inputRequests", Related: []Ref{v.Exchange.At}})
		}
	}
	questions(v, func(key string, value []byte, path string) {
		raw := member(value, "method")
		method, params := text(raw), member(value, "params")
		name := shortText(key)
		f := Finding{Path: path, Related: []Ref{v.Exchange.At}}
		switch {
		case !isObject(value):
			f.Message = fmt.Sprintf("input request %s is no object: %s", name, excerpt(value))
		case raw == nil:
			f.Message = fmt.Sprintf("input request %s has no method", name)
		case !isInputMethod(method):
			f.Message = fmt.Sprintf("input request %s asks for %s", name, excerpt(raw))
			f.Path += "/method"
		case params == nil && method != "roots/list":
			f.Message = fmt.Sprintf("input request %s (%s) has no params", name, method)
		case params != nil && !isObject(params):
			f.Message = fmt.Sprintf("params of input request %s (%s) are no object: %s", name, method, excerpt(params))
			f.Path += "/params"
		default:
			p, bad := embeddedProblem(method, v.Entry.Revision, params)
			if !bad {
				return
			}
			f.Message = fmt.Sprintf("input request %s (%s): %s", name, method, describeProblem("params", &p))
			f.Path += "/params" + p.Path
		}
		v.report(f)
	})
}

// embeddedProblem returns the first problem of the params of an input request that no rule of its own
// method is about.
func embeddedProblem(method, revision string, params []byte) (first mcpshape.Problem, bad bool) {
	if params == nil {
		return first, false
	}
	as := Entry{Kind: Request, Method: method, Era: mcpspec.Modern}
	mcpshape.Check(mcpshape.Params, method, revision, params, func(p mcpshape.Problem) {
		if own := hasOwnRule(&as, &p) && !strings.Contains(p.Path, "/content"); !bad && p.Keyword != "format" && !own {
			first, bad = p, true
		}
	})
	return first, bad
}

func interimEnvelopes(v *view) {
	questions(v, func(key string, value []byte, path string) {
		var extra []string
		for _, name := range []string{"jsonrpc", "id"} {
			if member(value, name) != nil {
				extra = append(extra, name)
			}
		}
		if extra != nil {
			v.report(Finding{Message: fmt.Sprintf("input request %s carries %s", shortText(key), strings.Join(extra, " and ")), Path: path, Related: []Ref{v.Exchange.At}})
		}
	})
}

func interimUndeclared(v *view) {
	x := v.Exchange
	if !asksForInput(v) || !isObject(x.clientCaps) {
		return
	}
	declared := declaration{raw: x.clientCaps}
	questions(v, func(key string, value []byte, path string) {
		spec := mcpspec.Lookup(text(member(value, "method")))
		if spec == nil || !isInputMethod(spec.Name) {
			return
		}
		var missing []string
		for _, n := range embeddedNeeds(nil, spec, member(value, "params"), x.revision, x.clientCaps) {
			// A client without sampling.context may be asked for context, it only should not.
			if n.side == client && n.path != "sampling.context" && !declared.has(n.path) && !slices.Contains(missing, n.path) {
				missing = append(missing, n.path)
			}
		}
		if len(missing) > 1 && strings.HasPrefix(missing[1], missing[0]+".") {
			missing = missing[:1]
		}
		if missing != nil {
			v.reportOn(missing[0], Finding{
				Message: fmt.Sprintf("%s: input request %s needs %s, which the request did not declare", label(x.method, x.target), shortText(key), strings.Join(missing, " and ")),
				Path:    path, Related: []Ref{x.At},
			})
		}
	})
}

func interimAbandoned(v *view) {
	if v.uncertain() || !v.s.finished {
		return // the next process may go on with it
	}
	for _, in := range v.Process.interims.list {
		if !in.retried.IsZero() {
			continue
		}
		f := Finding{At: in.at.At, Related: []Ref{in.request}, Message: label(in.method, in.target) + " asked for input (" + in.at.At.String() + ") and was never continued"}
		if d := &v.Process.ending; d.first.set() && d.first.At.Seq > in.at.At.Seq {
			f.At, f.Related = d.first.At, append(f.Related, in.at.At)
		}
		v.reportOn(label(in.method, in.target), f)
	}
}

// manyRounds is how many questions one call may ask before it looks like a loop.
const manyRounds = 10

func interimLoops(v *view) {
	x := v.Exchange
	if !asksForInput(v) || x.resumes == nil {
		return
	}
	if round := x.resumes.round + 1; round > manyRounds {
		v.reportOn(x.flow.String(), Finding{Message: fmt.Sprintf("%s asks for the %dth time", label(x.method, x.target), round), Related: []Ref{x.At}})
		return
	}
	responses := member(x.params, "inputResponses")
	questions(v, func(key string, value []byte, path string) {
		before := x.resumes.find(key)
		if before != nil && before.whole != nil && text(member(responses, key, "action")) == "accept" && equalValues(before.whole, value) {
			v.reportOn(x.flow.String(), Finding{
				Message: fmt.Sprintf("%s asks %s again, which was answered in %s", label(x.method, x.target), shortText(key), x.At),
				Path:    path, Related: []Ref{x.At, x.resumes.at.At},
			})
		}
	})
}
