package annotate

import (
	"fmt"
	"strings"

	"github.com/shakescope/shakescope/internal/mcpshape"
	"github.com/shakescope/shakescope/internal/mcpspec"
	"github.com/shakescope/shakescope/internal/schemaguard"
)

// Rules about the retries with which clients answer.
var retryRules = []Rule{
	{
		ID: "mrtr-retry-same-id", Group: GroupRounds, Levels: []Level{LevelError}, Revisions: mcpspec.ModernOnly, By: "client",
		Spec:  "2026-07-28/basic/patterns/mrtr#client-requirements-basic-workflow",
		Title: "The retry has the id of the request that it continues.",
		Why:   "A retry is a new request. Under the old id its answer may be taken for the first one's, or the server refuses it as a duplicate.",
		Fix:   "Take the next id for each retry.",
		hooks: []hook{on(onRequest, retrySameID)},
	},
	{
		ID: "mrtr-state-lost", Group: GroupRounds, Levels: []Level{LevelError}, Revisions: mcpspec.ModernOnly, By: "client",
		Spec:  "2026-07-28/basic/patterns/mrtr#client-requirements-basic-workflow",
		Title: "The retry leaves out the requestState that the server gave.",
		Why:   "The server keeps nothing itself: without its state it begins anew and asks the same question again.",
		Fix:   "Send requestState back as it came, with every retry.",
		hooks: []hook{on(onRequest, retryState(resumedWithout, "comes without the requestState of %s"))},
	},
	{
		ID: "mrtr-state-changed", Group: GroupRounds, Levels: []Level{LevelError}, Revisions: mcpspec.ModernOnly, By: "client",
		Spec:  "2026-07-28/basic/patterns/mrtr#client-requirements-basic-workflow",
		Title: "The retry sends back another requestState than the server gave.",
		Why:   "The state is opaque and mostly signed: one changed byte, and the server refuses it.",
		Fix:   "Keep the text as it is: do not decode, trim, parse or re-encode it.",
		hooks: []hook{on(onRequest, retryState(resumedWithOther, "sends back another requestState than %s gave"))},
	},
	{
		ID: "mrtr-state-invented", Group: GroupRounds, Levels: []Level{LevelError}, Revisions: mcpspec.ModernOnly, By: "client",
		Spec:  "2026-07-28/basic/patterns/mrtr#client-requirements-basic-workflow",
		Title: "The retry carries a requestState although the server gave none.",
		Why:   "The server takes it for a state of its own and fails on it, or goes on from a wrong place.",
		Fix:   "Send requestState only where the interim result had one; look for a state left over from another call.",
		hooks: []hook{on(onRequest, retryState(resumedWithOwnMade, "carries a requestState, and %s gave none"))},
	},
	{
		ID: "mrtr-responses-missing", Group: GroupRounds, Levels: []Level{LevelError}, Revisions: mcpspec.ModernOnly, By: "client",
		Spec:  "2026-07-28/basic/patterns/mrtr#client-requirements-basic-workflow",
		Title: "The retry does not answer everything that was asked.",
		Why:   "The server cannot go on: it asks again or fails.",
		Fix:   "Answer every key of inputRequests; say action decline or cancel where the user gave no answer.",
		hooks: []hook{on(onRequest, responsesMissing)},
	},
	{
		ID: "mrtr-responses-extra", Group: GroupRounds, Levels: []Level{LevelInfo}, Revisions: mcpspec.ModernOnly, By: "client",
		Spec:  "2026-07-28/basic/patterns/mrtr#error-handling",
		Title: "The retry answers what was not asked.",
		Why:   "Servers ignore the extra answer; a misspelt key would look like this.",
		Fix:   "Use the keys of inputRequests.",
		hooks: []hook{on(onRequest, responsesExtra)},
	},
	{
		ID: "mrtr-response-shape", Group: GroupRounds, Levels: []Level{LevelError}, Revisions: mcpspec.ModernOnly, By: "client",
		Spec:  "2026-07-28/schema#inputresponses",
		Title: "An input response is not the bare result of what was asked.",
		Why:   "The server looks for action, roots or role and content at the top of the value and finds a wrapper or an error.",
		Fix:   "Put the result itself under the key: no jsonrpc, id, result or error around it. A refusal is action decline or cancel.",
		hooks: []hook{on(onRequest, responsesShape)},
	},
	{
		ID: "mrtr-response-schema", Group: GroupRounds, Levels: []Level{LevelError}, Revisions: mcpspec.ModernOnly, By: "client",
		Spec:  "2026-07-28/client/elicitation#response-actions",
		Title: "An input response does not fit what was asked for.",
		Why:   "The server gets values of the wrong kind and refuses the call, or asks once more.",
		Fix:   "Check the user's answer against requestedSchema before sending it; send all members that the result needs.",
		hooks: []hook{on(onRequest, responsesSchema)},
	},
	{
		ID: "mrtr-params-changed", Group: GroupRounds, Levels: []Level{LevelWarning}, Revisions: mcpspec.ModernOnly, By: "client",
		Spec:  "2026-07-28/basic/patterns/mrtr#basic-workflow",
		Title: "The retry asks for something else than the request that it continues.",
		Why:   "The server's state belongs to the first request: it refuses the retry, or does the old thing with new arguments.",
		Fix:   "Repeat method, name, uri and arguments as they were; add only inputResponses and requestState.",
		hooks: []hook{on(onRequest, retryParamsChanged)},
	},
	{
		ID: "mrtr-responses-unasked", Group: GroupRounds, Levels: []Level{LevelWarning, LevelInfo}, Revisions: mcpspec.ModernOnly, By: "client",
		Spec:  "2026-07-28/basic/patterns/mrtr#client-requirements-basic-workflow",
		Title: "A request continues a call that is not in this recording.",
		Why:   "A requestState may stem from an earlier process; answers without one belong to nothing that was asked here.",
		Fix:   "Send inputResponses and requestState only in a retry, and only those of the call that it continues.",
		hooks: []hook{on(onRequest, responsesUnasked)},
	},
}

// resumed returns the interim answer that a request goes on from, nil when it is no retry, or when the one
// that it really goes on from may be among what is missing.
func resumed(v *view) *interim {
	if v.from() != client || v.call.resumed != resumedExactly && v.uncertain() {
		return nil
	}
	return v.Exchange.resumes
}

func retrySameID(v *view) {
	if in := resumed(v); in != nil && in.id == v.Exchange.id.Key() {
		v.report(Finding{Message: "the retry of " + label(in.method, in.target) + " has the id of its first request, " + shortID(v.Entry.ID), Path: "/id", Related: []Ref{in.request, in.at.At}})
	}
}

func retryState(how howResumed, message string) func(v *view) {
	return func(v *view) {
		if in := resumed(v); in != nil && v.call.resumed == how {
			v.report(Finding{Message: "the retry of " + label(in.method, in.target) + " " + fmt.Sprintf(message, in.at.At), Path: "/params/requestState", Related: []Ref{in.at.At}})
		}
	}
}

func responsesMissing(v *view) {
	in := resumed(v)
	if in == nil || len(in.asked) == 0 {
		return
	}
	var lacks []string
	for i := range in.asked {
		if member(v.call.inputResponses, in.asked[i].key) == nil {
			lacks = append(lacks, in.asked[i].key)
		}
	}
	if lacks == nil {
		return
	}
	f := Finding{Message: "the retry of " + label(in.method, in.target) + " does not answer " + knownList(lacks), Path: "/params/inputResponses", Related: []Ref{in.at.At}}
	if v.call.inputResponses == nil {
		f.Message, f.Path = "the retry of "+label(in.method, in.target)+" has no inputResponses; "+knownList(lacks)+" was asked", "/params"
	}
	v.report(f)
}

func responsesExtra(v *view) {
	in := resumed(v)
	if in == nil {
		return
	}
	var extra []string
	members(v.call.inputResponses, func(key, _ []byte) bool {
		if in.find(string(key)) == nil {
			extra = append(extra, string(key))
		}
		return len(extra) < maxAsked
	})
	if extra != nil {
		v.report(Finding{Message: "nobody asked for " + knownList(extra), Path: pointer("/params/inputResponses", extra[0]), Related: []Ref{in.at.At}})
	}
}

// response is one answer of a retry with the question that it answers.
type response struct {
	asked *asked
	value []byte
	path  string
}

// responses returns the answers of a retry to what was asked.
func responses(v *view) []response {
	in := resumed(v)
	if in == nil {
		return nil
	}
	var out []response
	members(v.call.inputResponses, func(key, value []byte) bool {
		if a := in.find(string(key)); a != nil && isInputMethod(a.method) {
			out = append(out, response{a, value, pointer("/params/inputResponses", string(key))})
		}
		return len(out) < maxAsked
	})
	return out
}

// wrapped says what is around a result that should be bare, "" when nothing is.
func (r *response) wrapped() string {
	has := func(name string) bool { return member(r.value, name) != nil }
	main := map[string]string{"elicitation/create": "action", "sampling/createMessage": "role", "roots/list": "roots"}[r.asked.method]
	switch {
	case !isObject(r.value):
		return "is no object: " + excerpt(r.value)
	case has("jsonrpc"):
		return "is a whole JSON-RPC message"
	case has(main):
		return ""
	case isObject(member(r.value, "result")):
		return "is wrapped in result"
	case isObject(member(r.value, "error")) || has("code") && has("message"):
		return "is an error"
	case r.asked.method == "sampling/createMessage" && (has("content") || has("model")):
		return "" // incomplete, not something else
	}
	return "has no " + main
}

func responsesShape(v *view) {
	for _, r := range responses(v) {
		if what := r.wrapped(); what != "" {
			v.report(Finding{Message: fmt.Sprintf("input response %s (%s) %s", shortText(r.asked.key), r.asked.method, what), Path: r.path, Related: []Ref{resumed(v).at.At}})
		}
	}
}

func responsesSchema(v *view) {
	for _, r := range responses(v) {
		if r.wrapped() != "" {
			continue
		}
		what, path, page := "", "", ""
		switch r.asked.method {
		case "elicitation/create":
			what, path = v.elicited(&r)
		case "sampling/createMessage":
			what, path = shapeOf("CreateMessageResult", v.Entry.Revision, r.value)
			page = mcpspec.Rev20260728 + "/client/sampling#result-fields"
		case "roots/list":
			what, path = shapeOf("ListRootsResult", v.Entry.Revision, r.value)
			page = mcpspec.Rev20260728 + "/client/roots#root"
		}
		if what != "" {
			v.report(Finding{Message: fmt.Sprintf("input response %s (%s): %s", shortText(r.asked.key), r.asked.method, what), Path: r.path + path, Spec: page, Related: []Ref{resumed(v).at.At}})
		}
	}
}

// shapeOf returns the first problem of a value of a type, in words.
func shapeOf(name, revision string, value []byte) (what, path string) {
	mcpshape.CheckType(name, revision, value, func(p mcpshape.Problem) {
		if what == "" && p.Keyword != "format" {
			what, path = describeProblem("result", &p), p.Path
		}
	})
	return what, path
}

// elicited checks the answer to an elicitation against the form that was asked for.
func (v *view) elicited(r *response) (what, path string) {
	action := text(member(r.value, "action"))
	switch action {
	case "accept":
	case "decline", "cancel":
		return "", ""
	default:
		return "action must be accept, decline or cancel, is " + excerpt(member(r.value, "action")), "/action"
	}
	schema := member(r.asked.params, "requestedSchema")
	if mode := text(member(r.asked.params, "mode")); mode == "url" || !isObject(schema) {
		return "", ""
	}
	content := member(r.value, "content")
	if content == nil || isNull(content) {
		return "accepted without content", ""
	}
	c := v.schemas()
	if c.work > maxSchemaWork {
		return "", ""
	}
	compiled, err := c.Compile(schema, schemaguard.DefaultDraft(v.Entry.Revision))
	if err != nil {
		return "", "" // the schema is the server's business
	}
	verdict := compiled.Check(content)
	c.work += verdict.Work
	if len(verdict.Problems) == 0 {
		return "", ""
	}
	var all []string
	for _, p := range verdict.Problems[:min(len(verdict.Problems), 3)] {
		all = append(all, strings.TrimSpace(clean(p.Pointer)+" "+clean(p.Message)))
	}
	return strings.Join(all, "; "), "/content" + verdict.Problems[0].Pointer
}

func retryParamsChanged(v *view) {
	in, x := resumed(v), v.Exchange
	if in == nil {
		return
	}
	f := Finding{Path: "/params", Related: []Ref{in.request, in.at.At}}
	switch {
	case in.method != x.method:
		f.Message, f.Path = fmt.Sprintf("the retry asks for %s, the request was %s", label(x.method, x.target), label(in.method, in.target)), "/method"
	case in.target != x.target:
		f.Message = fmt.Sprintf("the retry asks for %s, the request was %s", label(x.method, x.target), label(in.method, in.target))
	case in.kept && x.sized && !equalValues(member(in.params, "arguments"), member(x.params, "arguments")) && !(emptyOrAbsent(member(in.params, "arguments")) && emptyOrAbsent(member(x.params, "arguments"))):
		f.Message, f.Path = fmt.Sprintf("the retry of %s has other arguments than the request (%s)", label(x.method, x.target), in.request), "/params/arguments"
	default:
		return
	}
	v.report(f)
}

func emptyOrAbsent(obj []byte) bool {
	some := false
	members(obj, func(_, _ []byte) bool { some = true; return false })
	return !some
}

func responsesUnasked(v *view) {
	x, c := v.Exchange, v.call
	if v.from() != client || c.requestState == nil && c.inputResponses == nil || x.resumes != nil || v.uncertain() || v.Process.interims.lost {
		return
	}
	if x.spec != nil && x.spec.Group == mcpspec.Tasks {
		return
	}
	f := Finding{Level: LevelWarning, Message: label(x.method, x.target) + " answers what was not asked in this recording", Path: "/params/inputResponses"}
	if c.requestState != nil {
		f.Level, f.Path = LevelInfo, "/params/requestState"
		f.Message = label(x.method, x.target) + " carries a requestState that was not given in this recording; it may come from an earlier process"
	}
	v.report(f)
}
