package annotate

import (
	"bytes"
	"strings"

	"github.com/shakescope/shakescope/internal/mcpspec"
	"github.com/shakescope/shakescope/jsonrpc"
)

var sinceStructured = mcpspec.Since(mcpspec.Rev20250618)

// returning are the methods whose results are what a tool returns.
var returning = []string{"tools/call", "tasks/result"}

// Rules about what tools return: structured content, and failures that look like none.
var resultRules = []Rule{
	{
		ID: "result-content-missing", Group: GroupTools, Levels: []Level{LevelError}, Revisions: mcpspec.All, By: "server",
		Spec:  "2025-11-25/schema#calltoolresult",
		Title: "The result of a call has no content array.",
		Why:   "Clients that validate take the whole result for invalid, though the tool has done its work.",
		Fix:   "Return content as an array of blocks, beside structuredContent too; an empty array will do.",
		hooks: []hook{on(onResult, contentMissing, returning...)},
	},
	{
		ID: "structured-missing", Group: GroupTools, Levels: []Level{LevelError, LevelWarning}, Revisions: sinceStructured, By: "server",
		Spec:  "2025-11-25/server/tools#output-schema",
		Title: "The tool has an outputSchema, and its result no structuredContent.",
		Why:   "Clients rely on the schema: the TypeScript SDK turns such a result into an exception.",
		Fix:   "Return structuredContent that fits the schema, or do not list an outputSchema. Results with isError need none.",
		hooks: []hook{on(onResult, structuredMissing, returning...)},
	},
	{
		ID: "structured-schema", Group: GroupTools, Levels: []Level{LevelError, LevelWarning}, Revisions: sinceStructured, By: "server",
		Spec:  "2025-11-25/server/tools#output-schema",
		Title: "structuredContent does not fit the outputSchema that the tool was listed with.",
		Why:   "Clients validate it and throw the result away.",
		Fix:   "Correct the value at the pointer, or the schema.",
		hooks: []hook{on(onResult, structuredMisfit, returning...)},
	},
	{
		ID: "structured-not-object", Group: GroupTools, Levels: []Level{LevelError}, Revisions: sinceStructured & mcpspec.LegacyOnly, By: "server",
		Spec:  "2025-11-25/server/tools#structured-content",
		Title: "structuredContent is no object.",
		Why:   "Until 2025-11-25 it must be one: clients that validate reject the result. From 2026-07-28 on any JSON value will do.",
		Fix:   "Wrap the value in an object, for example as its member result.",
		hooks: []hook{on(onResult, structuredNoObject, returning...)},
	},
	{
		ID: "structured-no-text-copy", Group: GroupTools, Levels: []Level{LevelWarning, LevelInfo}, Revisions: sinceStructured, By: "server",
		Spec:  "2025-11-25/server/tools#structured-content",
		Title: "structuredContent comes without a copy of it as text.",
		Why:   "Clients that do not know structured content, and most models, see the text blocks only. Where some text is there, it may be meant to stand for it.",
		Fix:   "Put the same value, serialised, into a text block.",
		hooks: []hook{on(onResult, structuredNoCopy, returning...)},
	},
	{
		ID: "structured-undeclared", Group: GroupTools, Levels: []Level{LevelInfo}, Revisions: sinceStructured, By: "server",
		Spec:  "2025-11-25/server/tools#structured-content",
		Title: "structuredContent from a tool that was listed without outputSchema.",
		Why:   "It is allowed, but nobody can know what to expect of it.",
		Fix:   "List the tool with an outputSchema.",
		hooks: []hook{on(onResult, structuredUndeclared, returning...)},
	},
	{
		ID: "tool-embedded-resource-undeclared", Group: GroupTools, Levels: []Level{LevelWarning}, Revisions: sinceStructured, By: "server",
		Spec:  "2025-11-25/server/tools#embedded-resources",
		Title: "A result embeds a resource, and the server did not declare resources.",
		Why:   "Clients that want to read it again, or to follow it, have no way to.",
		Fix:   "Declare resources and serve the URI, or return the content as text.",
		hooks: []hook{on(onResult, embeddedUndeclared, "tools/call")},
	},
	{
		ID: "iserror-type", Group: GroupTools, Levels: []Level{LevelError}, Revisions: mcpspec.All, By: "server",
		Spec:  "2025-11-25/schema#calltoolresult",
		Title: "isError is misspelt or no boolean.",
		Why:   "Clients reject the result, or take the failure for a success.",
		Fix:   "Write \"isError\": true, without quotes.",
		hooks: []hook{on(onResult, isErrorType, returning...)},
	},
	{
		ID: "iserror-empty", Group: GroupTools, Levels: []Level{LevelInfo}, Revisions: mcpspec.All, By: "server",
		Spec:  "2025-11-25/server/tools#error-handling",
		Title: "A failed call says nothing about what went wrong.",
		Why:   "The model has nothing to go by and tries the same again, or gives up.",
		Fix:   "Say in a text block what failed and what to do instead.",
		hooks: []hook{on(onResult, isErrorEmpty, returning...)},
	},
	{
		ID: "error-text-without-iserror", Group: GroupTools, Levels: []Level{LevelInfo}, Likely: true, Revisions: mcpspec.All, By: "server",
		Spec:  "2025-11-25/server/tools#error-handling",
		Title: "A result reads like an error, but isError is not set.",
		Why:   "Hosts count it as a success: no retry, no warning, wrong statistics.",
		Fix:   "Set isError to true when the tool failed.",
		hooks: []hook{on(onResult, errorAsSuccess, returning...)},
	},
}

// returned is the result of a call, read once for all rules.
type returned struct {
	at         Ref
	final      bool // neither a task nor a question
	content    []byte
	structured []byte // nil when absent, or null where that is no promised value
	isError    []byte
	misspelt   string
	texts      [][]byte // raw text of the text blocks
	blocks     int
	embedded   int // index of the first embedded resource, -1 for none
}

func (v *view) returned() *returned {
	r := memo[returned](v, nil)
	if r.at == v.At {
		return r
	}
	*r = returned{at: v.At, embedded: -1, final: v.outcome.kind == "" || v.outcome.kind == "complete"}
	if !v.ofTool() {
		r.final, r.content = false, []byte("[]")
		return r
	}
	task := false
	members(v.Entry.Message.Result, func(key, value []byte) bool {
		switch string(key) {
		case "content":
			r.content = value
		case "structuredContent":
			r.structured = value
		case "isError":
			r.isError = value
		case "is_error", "iserror", "IsError", "isErr":
			r.misspelt = string(key)
		case "error":
			if isTrue(value) {
				r.misspelt = "error"
			}
		case "task":
			task = isObject(value)
		}
		return true
	})
	if isNull(r.structured) {
		// The modern era lets a schema ask for null; elsewhere it is what some encoders write for nothing.
		if t, _ := v.promised(); t == nil || v.Entry.Era != mcpspec.Modern || v.outcome.isError {
			r.structured = nil
		}
	}
	if task && r.content == nil {
		r.final = false
	}
	elements(r.content, func(block []byte) bool {
		switch text(member(block, "type")) {
		case "text":
			if t := member(block, "text"); isString(t) {
				r.texts = append(r.texts, t)
			}
		case "resource":
			if r.embedded < 0 && isObject(member(block, "resource")) {
				r.embedded = r.blocks
			}
		}
		r.blocks++
		return r.blocks < 10_000
	})
	return r
}

func contentMissing(v *view) {
	if !isObject(v.Entry.Message.Result) {
		return // result-not-object speaks of that
	}
	r := v.returned()
	if v.outcome.kind != "" && v.outcome.kind != "complete" && v.Entry.Era == mcpspec.Modern {
		return
	}
	what := ""
	switch {
	case isArray(r.content):
		return
	case r.content != nil:
		what = "content is " + excerpt(r.content) + ", no array"
	case !r.final && (v.Entry.Revision >= mcpspec.Rev20251125 || v.outcome.kind != ""): // era-task-shape-in-modern speaks of the wrong ones
		return
	default:
		what = "no content"
		if member(v.Entry.Message.Result, "toolResult") != nil {
			what += "; toolResult is the form of a draft from before 2024-11-05"
		}
	}
	v.reportOn(v.called(), Finding{Message: "result of " + v.called() + ": " + what, Path: contentPath(r.content)})
}

// called names the tool whose result the entry is, or its task where the tool is not known.
func (v *view) called() string {
	if v.Exchange.tool != nil {
		return label("tool", v.Exchange.tool.name)
	}
	if v.Entry.Method == "tasks/result" {
		return label("task", v.Entry.Target)
	}
	return label("tool", v.Entry.Target)
}

// ofTool reports whether the result is what a tool returns; that of a task may be another's.
func (v *view) ofTool() bool { return v.Entry.Method == "tools/call" || v.Exchange.tool != nil }

func contentPath(content []byte) string {
	if content == nil {
		return "/result"
	}
	return "/result/content"
}

// staleTools reports whether the list that the call went by has been called changed since.
func (v *view) staleTools() bool { return v.Session.catalogue.lists[ToolList].isStale() }

// promised returns the tool that was called if it was listed with an outputSchema, and the level of a
// broken promise.
func (v *view) promised() (*tool, Level) {
	t := v.Exchange.tool
	if t == nil || !isObject(t.output) {
		return nil, ""
	}
	if v.staleTools() {
		return t, LevelWarning
	}
	return t, LevelError
}

func structuredMissing(v *view) {
	r := v.returned()
	t, level := v.promised()
	if t == nil || v.outcome.isError || !r.final || r.structured != nil || v.Entry.Method == "tools/call" && member(v.Exchange.params, "task") != nil {
		return
	}
	v.reportOn(t.name, Finding{Level: level, Message: "tool " + shortID(t.name) + " has an outputSchema, its result no structuredContent", Path: "/result", Related: []Ref{v.Exchange.At}})
}

// structured checks structured content against the schema that was listed, once.
func (v *view) structured() *fitted {
	type output struct{ fitted }
	f := &memo[output](v, nil).fitted
	if f.at == v.At {
		return f
	}
	*f = fitted{at: v.At}
	r := v.returned()
	t, _ := v.promised()
	if t == nil || r.structured == nil || v.outcome.isError || v.Entry.Era != mcpspec.Modern && !isObject(r.structured) {
		return f
	}
	f.problems, f.err = v.fit(t, outputSchema, r.structured)
	return f
}

func structuredMisfit(v *view) {
	problems := v.structured().problems
	if len(problems) == 0 {
		return
	}
	t, level := v.promised()
	p := &problems[0]
	v.reportOn(t.name+p.Pointer+p.Keyword, Finding{
		Level: level, Message: "structuredContent of tool " + shortID(t.name) + ": " + describePlaces(problems), Path: "/result/structuredContent" + p.Pointer,
	})
}

// structuredNotChecked is of schema-not-checked.
func structuredNotChecked(v *view) {
	if v.Entry.Revision >= mcpspec.Rev20250618 {
		v.reportUnchecked(v.structured().err, "the results of")
	}
}

func structuredNoObject(v *view) {
	if s := v.returned().structured; s != nil && !isObject(s) {
		v.reportOn(v.called(), Finding{Message: "structuredContent of " + v.called() + " is " + excerpt(s), Path: "/result/structuredContent"})
	}
}

// maxCopy bounds the structured content that is compared with its text.
const maxCopy = 1 << 20

func structuredNoCopy(v *view) {
	r := v.returned()
	if r.structured == nil || v.outcome.isError || !isArray(r.content) {
		return
	}
	if len(v.structured().problems) > 0 || v.Entry.Era != mcpspec.Modern && !isObject(r.structured) {
		return // what is wrong itself needs no copy: structured-schema, structured-not-object
	}
	if len(r.texts) == 0 {
		v.reportOn(v.called(), Finding{Message: v.called() + " returns structuredContent and no text", Path: "/result/content"})
		return
	}
	if len(r.structured) > maxCopy {
		return
	}
	for _, t := range r.texts {
		if len(t) > 4*maxCopy {
			return
		}
		s := []byte(strings.TrimSpace(text(t)))
		if bytes.Equal(s, r.structured) || jsonrpc.Valid(s) && equalValues(s, r.structured) {
			return
		}
	}
	v.reportOn(v.called(), Finding{Level: LevelInfo, Message: "no text of " + v.called() + " says the same as its structuredContent", Path: "/result/content"})
}

func structuredUndeclared(v *view) {
	t := v.Exchange.tool
	if t != nil && t.output == nil && v.returned().structured != nil && !v.staleTools() {
		v.reportOn(t.name, Finding{Message: "tool " + shortID(t.name) + " was listed without outputSchema and returns structuredContent", Path: "/result/structuredContent"})
	}
}

func embeddedUndeclared(v *view) {
	r := v.returned()
	if r.embedded < 0 {
		return
	}
	d := &v.Session.serverCaps
	if v.Entry.Era == mcpspec.Modern {
		d = &v.Process.modern.caps
	}
	if !d.made() || d.has("resources") {
		return
	}
	v.reportOn("resources", Finding{
		Message: v.called() + " embeds a resource, but the server did not declare resources", Path: pointer("/result/content", itoa(int64(r.embedded))), Related: v.declaredAt(server),
	})
}

func isErrorType(v *view) {
	r := v.returned()
	switch {
	case r.isError != nil && !isTrue(r.isError) && string(r.isError) != "false" && !isNull(r.isError):
		v.reportOn(v.called(), Finding{Message: "isError of " + v.called() + " is " + excerpt(r.isError), Path: "/result/isError"})
	case r.isError == nil && r.misspelt != "" && isArray(r.content):
		v.reportOn(v.called(), Finding{Message: "the result of " + v.called() + " has " + r.misspelt + " and no isError", Path: "/result/" + r.misspelt})
	}
}

func isErrorEmpty(v *view) {
	r := v.returned()
	if !v.ofTool() || !v.outcome.isError || r.structured != nil {
		return
	}
	for _, t := range r.texts {
		if strings.TrimSpace(text(t)) != "" {
			return
		}
	}
	v.reportOn(v.called(), Finding{Message: v.called() + " failed without a word", Path: "/result/content"})
}

// errorStart is how texts begin that report an error.
var errorStart = lazily(`^\s*(?:\x60\x60\x60\s*)?(?:(?i:error|fatal error|fatal|panic|unhandled exception|uncaught exception|exception)\s*(?::|!|\b(?i:in|calling|executing|running|while|occurred)\b)|[A-Z][A-Za-z]*(?:Error|Exception): |Traceback \(most recent call last\))`)

// traces are parts of stack traces as they stand in raw JSON strings.
var traces = [][]byte{[]byte(`Traceback (most recent call last)`), []byte(`\n    at `), []byte(`goroutine 1 [running]`), []byte(`\n\tat `)}

func errorAsSuccess(v *view) {
	r := v.returned()
	if r.isError != nil && !isNull(r.isError) && string(r.isError) != "false" || r.misspelt != "" || len(r.texts) == 0 || !r.final {
		return
	}
	raw := r.texts[0]
	if !looksFailed(raw) {
		return
	}
	v.reportOn(v.called(), Finding{Message: "the result of " + v.called() + " reads like an error, without isError: " + excerpt([]byte(text(raw))), Path: "/result/content/0/text"})
}

// looksFailed looks at the beginning of a text only: results may quote errors further down.
func looksFailed(raw []byte) bool {
	const start = 200
	head := raw[1:min(len(raw), start)]
	for bytes.HasPrefix(head, []byte(`\n`)) {
		head = head[2:]
	}
	return errorStart().Match(head) || isTrace(raw)
}

// isTrace reports whether a raw string shows a stack trace near its beginning.
func isTrace(raw []byte) bool {
	const near = 2000
	raw = raw[:min(len(raw), near)]
	for i, trace := range traces {
		n := bytes.Index(raw, trace)
		if n < 0 {
			continue
		}
		// A line that begins with "at" is a trace where a place in a file follows.
		if i != 1 && i != 3 || bytes.Contains(raw[n:min(len(raw), n+300)], []byte(":")) && bytes.Contains(raw[n:min(len(raw), n+300)], []byte("(")) {
			return true
		}
	}
	return false
}
