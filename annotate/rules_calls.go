package annotate

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/shakescope/shakescope/internal/mcpspec"
	"github.com/shakescope/shakescope/internal/schemaguard"
)

// Rules about calls of tools: their arguments, and errors that answer them.
var callRules = []Rule{
	{
		ID: "call-unlisted-tool", Group: GroupTools, Levels: []Level{LevelInfo}, Revisions: mcpspec.All, By: "client",
		Spec:  "2025-11-25/server/tools#calling-tools",
		Title: "The client calls a tool that the whole list did not show.",
		Why:   "Its list is stale, the model made the name up, or the tool is hidden on purpose.",
		Fix:   "Compare the name with the list; hosts should offer a model the names of the newest list only.",
		hooks: []hook{on(onRequest, unlistedTool, "tools/call")},
	},
	{
		ID: "call-args-not-object", Group: GroupTools, Levels: []Level{LevelError}, Revisions: mcpspec.All, By: "client",
		Spec:  "2025-11-25/schema#calltoolrequestparams",
		Title: "The arguments of a call are no object.",
		Why:   "Servers refuse the call with -32602. A string is usually JSON that was encoded twice, as models' APIs hand it out.",
		Fix:   "Parse what the model gave and send the object; leave arguments out where there are none.",
		hooks: []hook{on(onRequest, argumentsNoObject, "tools/call")},
	},
	{
		ID: "call-args-schema", Group: GroupTools, Levels: []Level{LevelWarning, LevelInfo}, Revisions: mcpspec.All, By: "client",
		Spec:  "2025-11-25/server/tools#error-handling",
		Title: "The arguments do not fit the inputSchema that the server listed.",
		Why:   "A server that validates refuses the call. Either the model erred, or the schema says something else than the server takes: see the answer.",
		Fix:   "Correct the argument at the pointer; where the server accepts it, correct the schema.",
		hooks: []hook{on(onRequest, argumentsMisfit, "tools/call")},
	},
	{
		ID: "call-args-unknown-property", Group: GroupTools, Levels: []Level{LevelInfo}, Likely: true, Revisions: mcpspec.All, By: "client",
		Spec:  "2025-11-25/server/tools#tool",
		Title: "An argument that the tool's schema does not name.",
		Why:   "The schema lets it pass, the server most likely ignores it: a misspelt optional argument fails without a word.",
		Fix:   "Compare the name with the schema. Servers can set additionalProperties to false so that slips are refused.",
		hooks: []hook{on(onRequest, argumentUnknown, "tools/call")},
	},
	{
		ID: "bad-args-accepted", Group: GroupTools, Levels: []Level{LevelInfo}, Revisions: mcpspec.All, By: "server",
		Spec:  "2025-11-25/server/tools#security-considerations",
		Title: "The server carried out a call whose arguments do not fit its own schema.",
		Why:   "Servers must validate inputs. Here either nothing was validated, or the schema is narrower than what is accepted.",
		Fix:   "Validate arguments against the schema that is listed, or list the schema that is meant.",
		hooks: []hook{on(onResult, misfitAccepted, "tools/call")},
	},
	{
		ID: "unknown-tool-as-result", Group: GroupTools, Levels: []Level{LevelWarning}, Revisions: mcpspec.All, By: "server",
		Spec:  "2025-11-25/server/tools#error-handling",
		Title: "An unknown tool is answered with isError instead of a protocol error.",
		Why:   "Every revision lists unknown tools under protocol errors. A client cannot tell this from a tool that failed.",
		Fix:   "Answer with error -32602. The TypeScript SDK (1.32 and before 2.0) does this by itself.",
		hooks: []hook{on(onResult, unknownToolResult, "tools/call")},
	},
	{
		ID: "unknown-tool-code", Group: GroupTools, Levels: []Level{LevelInfo}, Revisions: mcpspec.All, By: "server",
		Spec:  "2025-11-25/server/tools#error-handling",
		Title: "An unknown tool is answered with another code than -32602.",
		Why:   "The pages show -32602 in their example, which clients look for; nothing demands it.",
		Fix:   "Answer with -32602: the method exists, its parameter name is what is wrong.",
		hooks: []hook{on(onError, unknownToolCode, "tools/call")},
	},
	{
		ID: "tool-failure-as-protocol-error", Group: GroupTools, Levels: []Level{LevelWarning}, Likely: true, Revisions: mcpspec.All, By: "server",
		Spec:  "2025-11-25/server/tools#error-handling",
		Title: "A tool that exists failed with a protocol error.",
		Why:   "Clients show protocol errors to nobody or to the user; the model never sees them and cannot try otherwise. Every revision also lists server errors among protocol errors, so for a crash inside of the server this can be argued.",
		Fix:   "Catch the failure and return it as a result: isError true, with a text that says what to do.",
		hooks: []hook{on(onError, failureAsError, "tools/call")},
	},
	{
		ID: "invalid-args-as-protocol-error", Group: GroupTools, Levels: []Level{LevelInfo}, Revisions: mcpspec.Since(mcpspec.Rev20251125), By: "server",
		Spec:  "2025-11-25/server/tools#error-handling",
		Title: "Bad arguments are answered with -32602 instead of isError.",
		Why:   "From 2025-11-25 on they belong into the result, so that the model can correct them. Before, both were right.",
		Fix:   "Return a result with isError true that names the argument and what is expected of it.",
		hooks: []hook{on(onError, argumentsAsError, "tools/call")},
	},
}

func unlistedTool(v *view) {
	if v.from() != client || v.Entry.Target == "" || !v.Session.catalogue.lacks(ToolList, v.Entry.Target) {
		return
	}
	l := &v.Session.catalogue.lists[ToolList]
	how := "was not listed"
	if l.isStale() {
		how = "was not on the list, which has been called changed since"
	}
	v.reportOn(v.Entry.Target, Finding{Message: "tool " + shortID(v.Entry.Target) + " " + how, Path: "/params/name", Related: []Ref{l.at()}})
}

func argumentsNoObject(v *view) {
	args := member(v.Entry.Message.Params, "arguments")
	if v.from() != client || args == nil || isObject(args) {
		return
	}
	what := excerpt(args)
	switch {
	case isNull(args):
		what = "null; leave arguments out instead"
	case isString(args) && strings.HasPrefix(strings.TrimSpace(text(args)), "{"):
		what = "a string that holds JSON: encoded twice"
	}
	v.Entry.misfits = append(v.Entry.misfits, misfit{v.rule.ID, "", "", "arguments is " + what})
	v.reportOn(v.Entry.Target, Finding{Message: label("tools/call", v.Entry.Target) + ": arguments is " + what, Path: "/params/arguments"})
}

// fitted is how the newest value fits its schema, for the rules that look at it.
type fitted struct {
	at       Ref
	problems []schemaguard.Problem
	err      error
}

// arguments checks the arguments of a call against the schema that was listed, once.
func (v *view) arguments() *fitted {
	f := memo[fitted](v, nil)
	if f.at == v.At {
		return f
	}
	*f = fitted{at: v.At}
	t := v.Exchange.tool
	if t == nil || !isObject(t.input) {
		return f
	}
	args := member(v.Entry.Message.Params, "arguments")
	if args == nil {
		args = []byte("{}")
	}
	if isObject(args) {
		f.problems, f.err = v.fit(t, inputSchema, args)
	}
	return f
}

// misfits remembers the open calls whose arguments do not fit.
type misfits struct{ of map[*exchange]string }

func argumentsMisfit(v *view) {
	if v.from() != client {
		return
	}
	problems := v.arguments().problems
	if len(problems) == 0 {
		return
	}
	for i := range problems {
		v.Entry.misfits = append(v.Entry.misfits, misfit{v.rule.ID, problems[i].Pointer, problems[i].Keyword, problems[i].Message})
	}
	x, p := v.Exchange, &problems[0]
	said := describePlaces(problems)
	m := memo[misfits](v, v.Process)
	if m.of == nil || len(m.of) >= maxRecent {
		m.of = make(map[*exchange]string)
	}
	m.of[x] = said
	f := Finding{Message: label("tools/call", x.tool.name) + ": " + said, Path: "/params/arguments" + p.Pointer}
	if v.staleTools() {
		f.Level = LevelInfo
		f.Message += " (the list has been called changed since)"
	}
	v.reportOn(x.tool.name+p.Pointer+p.Keyword, f)
}

// misfit returns what is wrong with the arguments of the call that the entry answers, "" for nothing.
func (v *view) misfit() string { return memo[misfits](v, v.Process).of[v.Exchange] }

func argumentUnknown(v *view) {
	t := v.Exchange.tool
	if v.from() != client || t == nil || !isObject(t.input) {
		return
	}
	args := member(v.Entry.Message.Params, "arguments")
	if len(args) < 3 {
		return
	}
	properties := t.facts(inputSchema).Properties
	if len(properties) == 0 || !t.namesAll() {
		return
	}
	members(args, func(key, _ []byte) bool {
		name := string(key)
		if _, known := slices.BinarySearch(properties, name); !known {
			hint := ""
			if near := nearest(name, properties); near != "" {
				hint = "; did it mean " + shortID(near) + "?"
			}
			if len(v.Entry.misfits) < maxMisfits {
				v.Entry.misfits = append(v.Entry.misfits, misfit{v.rule.ID, pointer("", name), "", "is no argument of the tool" + hint})
			}
			v.reportOn(t.name+" "+name, Finding{
				Message: "tool " + shortID(t.name) + " has no argument " + shortID(name) + hint, Path: pointer("/params/arguments", name),
			})
		}
		return true
	})
}

// namesAll reports whether the input schema names all properties that are meant at its root.
func (t *tool) namesAll() bool {
	all := true
	members(t.input, func(key, value []byte) bool {
		switch string(key) {
		case "additionalProperties":
			all = isTrue(value) || string(value) == "{}" // false is call-args-schema's; a schema is meant for free names
		case "patternProperties", "allOf", "anyOf", "oneOf", "$ref", "if", "then", "else", "dependentSchemas":
			all = false
		}
		return all
	})
	return all
}

// nearest returns the name that a misspelt one is closest to, "" when none is close.
func nearest(name string, names []string) string {
	best, least := "", max(1, len(name)/3)+1
	for _, n := range names {
		if d := editDistance(bareName(name), bareName(n), least); d < least {
			best, least = n, d
		}
	}
	return best
}

// bareName drops what spellings of one name differ in.
func bareName(name string) string {
	return strings.NewReplacer("_", "", "-", "", ".", "").Replace(strings.ToLower(name))
}

func misfitAccepted(v *view) {
	said := v.misfit()
	if said == "" {
		return
	}
	delete(memo[misfits](v, v.Process).of, v.Exchange)
	if v.outcome.isError || v.outcome.kind != "" && v.outcome.kind != "complete" || v.outcome.taskID != "" {
		return
	}
	v.reportOn(v.Entry.Target, Finding{Message: "tool " + shortID(v.Entry.Target) + " accepted " + said, Related: []Ref{v.Exchange.At}})
}

// unknownTool are the words in which servers say that they have no such tool.
var unknownTool = lazily(`(?i)\b(?:unknown|no such|unrecogni[sz]ed|unsupported|undefined|nonexistent|invalid)\s+tool\b|\btool\b([^.\n]{0,200}?)\b(?:not found|not exist|doesn't exist|not registered|not recogni[sz]ed|not available|not known|unknown|undefined)\b|\bno\s+tool\s+(?:named|called|with)\b|\btool[_-]not[_-]found\b`)

// fillers may stand between the word tool and what is said of it.
var fillers = lazily(`(?i)\b(?:name|named|called|with|the|id|is|was|does|requested)\b|[\s"'\x60:,()\[\]{}<>]`)

// saysUnknownTool reports whether a text says that there is no tool of that name.
func saysUnknownTool(s, name string) bool {
	if len(s) > 1000 {
		s = s[:1000]
	}
	m := unknownTool().FindStringSubmatch(s)
	if m == nil {
		return false
	}
	between := m[1]
	if name != "" {
		between = strings.ReplaceAll(between, name, "")
	}
	return fillers().ReplaceAllString(between, "") == ""
}

// unlisted reports whether the called tool may be unknown: it is not on the list, as far as there is one.
func (v *view) unlisted() bool {
	return v.Exchange.tool == nil && v.Session.catalogue.lists[ToolList].items[v.Entry.Target] == nil
}

func unknownToolResult(v *view) {
	if !v.outcome.isError || !v.unlisted() || v.Exchange.cancelled() {
		return
	}
	if s := firstText(v.Entry.Message.Result); saysUnknownTool(s, v.Entry.Target) {
		v.reportOn(v.Entry.Target, Finding{Message: "unknown tool " + shortID(v.Entry.Target) + " answered with isError: " + excerpt([]byte(s)), Path: "/result/isError"})
	}
}

// firstText returns the text of the first text block of a result.
func firstText(result []byte) string {
	found := ""
	elements(member(result, "content"), func(block []byte) bool {
		if text(member(block, "type")) == "text" {
			found = text(member(block, "text"))
		}
		return found == ""
	})
	return found
}

func unknownToolCode(v *view) {
	e := v.Entry
	if v.Exchange.cancelled() || !v.unlisted() {
		return
	}
	switch e.Err.Code {
	case mcpspec.InvalidParams, mcpspec.MissingCapability, mcpspec.UnsupportedVersion, mcpspec.URLElicitationRequired, mcpspec.InvalidRequest, mcpspec.ParseError:
		return
	}
	if saysUnknownTool(e.Err.Message, e.Target) || v.Session.catalogue.lacks(ToolList, e.Target) && e.Phase == Operation {
		v.reportOn(e.Target, Finding{Message: fmt.Sprintf("unknown tool %s answered with %d", shortID(e.Target), e.Err.Code), Path: "/error/code"})
	}
}

func failureAsError(v *view) {
	e, x := v.Entry, v.Exchange
	if x.tool == nil || x.cancelled() || e.Phase == Initialization || v.misfit() != "" || v.needsTask(x.target) || member(x.params, "task") != nil {
		return
	}
	switch e.Err.Code {
	case mcpspec.InvalidParams, mcpspec.MethodNotFound, mcpspec.InvalidRequest, mcpspec.ParseError,
		mcpspec.MissingCapability, mcpspec.UnsupportedVersion, mcpspec.URLElicitationRequired:
		return
	}
	v.reportOn(x.target, Finding{Message: fmt.Sprintf("tool %s failed with protocol error %d: %s", shortID(x.target), e.Err.Code, excerpt([]byte(e.Err.Message))), Path: "/error"})
}

func argumentsAsError(v *view) {
	e, x := v.Entry, v.Exchange
	said := v.misfit()
	delete(memo[misfits](v, v.Process).of, x)
	if e.Err.Code != mcpspec.InvalidParams || x.tool == nil || x.cancelled() || saysUnknownTool(e.Err.Message, x.target) {
		return
	}
	if e.Era == mcpspec.Modern && (x.version == "" || x.clientCaps == nil) {
		return // it is the metadata that the server refuses
	}
	if said == "" {
		said = excerpt([]byte(e.Err.Message))
	}
	v.reportOn(x.target, Finding{Message: "tool " + shortID(x.target) + " refused its arguments with -32602: " + said, Path: "/error/code", Related: []Ref{x.At}})
}

// argumentsNotChecked is of schema-not-checked.
func argumentsNotChecked(v *view) {
	if v.from() == client {
		v.reportUnchecked(v.arguments().err, "the arguments of")
	}
}

// reportUnchecked says once a tool that a value was not held against its schema. That the schema itself
// cannot be used is said where it was listed.
func (v *view) reportUnchecked(err error, what string) {
	var why *schemaguard.NotChecked
	if !errors.As(err, &why) {
		return
	}
	switch why.Reason {
	case schemaguard.TooCostly, schemaguard.TooLarge, schemaguard.TooDeep, schemaguard.Recursion, schemaguard.BadNumber, schemaguard.Internal:
		v.reportOn(v.Entry.Target+what, Finding{Message: what + " tool " + shortID(v.Entry.Target) + " were not checked: " + why.Error()})
	}
}
