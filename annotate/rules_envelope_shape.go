package annotate

import (
	"fmt"
	"strings"

	"github.com/shakescope/shakescope/internal/mcpshape"
	"github.com/shakescope/shakescope/internal/mcpspec"
)

// Rules about params and results as their revision shapes them. They come after all other families and
// speak only of what no rule of its own speaks of.
var shapeRules = []Rule{
	{
		ID: "schema-params", Group: GroupEnvelope, Levels: []Level{LevelError}, Revisions: mcpspec.All, By: Sender,
		Spec:  "2025-11-25/schema",
		Title: "params are not as the revision demands for this method.",
		Why:   "Peers that validate refuse the message, usually with -32602; others read something else than was meant.",
		Fix:   "Send the member that the finding names, in the type that it names.",
		hooks: []hook{on(onRequest, shapeOfParams, knownMethods...), on(onNotification, shapeOfParams, knownMethods...)},
	},
	{
		ID: "schema-result", Group: GroupEnvelope, Levels: []Level{LevelError}, Revisions: mcpspec.All, By: Sender,
		Spec:  "2025-11-25/schema",
		Title: "A result is not as the revision demands for this method.",
		Why:   "Clients that validate reject the whole answer, though the call worked.",
		Fix:   "Return the member that the finding names, in the type that it names.",
		hooks: []hook{on(onResult, shapeOfResult, knownMethods...)},
	},
	{
		ID: "null-optional-member", Group: GroupEnvelope, Levels: []Level{LevelError}, Revisions: mcpspec.All, By: Sender,
		Spec:  "2025-11-25/schema",
		Title: "A member that may be left out is sent as null.",
		Why:   "The schemas do not allow null there. Strict clients reject the whole message: all tools of the list, not the one.",
		Fix:   "Leave out what has no value: omitempty in Go, exclude_none in Pydantic, undefined in TypeScript.",
		hooks: []hook{on(onRequest, nullsInParams, knownMethods...), on(onNotification, nullsInParams, knownMethods...), on(onResult, nullsInResult, knownMethods...)},
	},
}

// knownMethods makes the hooks run after those of all other rules: a hook that names its methods comes after
// the hooks that name none.
var knownMethods = func() []string {
	var names []string
	for _, m := range mcpspec.Methods() {
		names = append(names, m.Name)
	}
	return names
}()

// shaped is what the newest entry's shape is found to be: three rules look at it.
type shaped struct {
	at       Ref
	problems []mcpshape.Problem
}

// shape checks the params or the result of the entry once.
func (v *view) shape() []mcpshape.Problem {
	m := memo[shaped](v, nil)
	if m.at == v.At {
		return m.problems
	}
	m.at, m.problems = v.At, m.problems[:0]
	e := v.Entry
	revision := e.Revision
	if revision == "" && e.Method == "initialize" {
		revision = mcpspec.Rev20251125 // what is asked of a handshake is the same in all that have one
	}
	if revision == "" {
		return nil
	}
	take := func(p mcpshape.Problem) { m.problems = append(m.problems, p) }
	switch raw := e.Message.Params; e.Kind {
	case Request, Notification:
		if raw != nil && !isObject(raw) {
			return nil
		}
		kind := mcpshape.Params
		if e.Kind == Notification {
			kind = mcpshape.Notification
		}
		mcpshape.Check(kind, e.Method, revision, raw, take)
	case Response:
		// An interim result, a task or something unknown where none belongs has rules of its own.
		odd := e.Era == mcpspec.Modern && v.outcome != nil && v.outcome.kind != "" && v.outcome.kind != "complete" && e.Method != "tools/call" && e.Method != "resources/read" && e.Method != "prompts/get"
		if v.Exchange != nil && isObject(e.Message.Result) && !odd {
			mcpshape.Check(mcpshape.Result, e.Method, revision, e.Message.Result, take)
		}
	}
	return m.problems
}

func shapeOfParams(v *view) { v.reportShape("/params") }
func shapeOfResult(v *view) { v.reportShape("/result") }

func (v *view) reportShape(root string) {
	e := v.Entry
	problems := v.shape()
	if len(problems) == 0 {
		return
	}
	var said []string
	var first *mcpshape.Problem
	for i := range problems {
		p := &problems[i]
		if isNullProblem(p) || hasOwnRule(e, p) || v.saidOf(root+p.Path) {
			continue
		}
		if first == nil {
			first = p
		}
		if len(said) < 3 {
			said = append(said, describeProblem(root, p))
		}
	}
	if first == nil {
		return
	}
	v.reportOn(e.From+e.Method+e.Target+first.Keyword+first.Want, Finding{
		Message: label(e.Method, e.Target) + ": " + strings.Join(said, "; "), Path: root + first.Path, Spec: v.schemaPage(),
	})
}

// schemaPage returns the page of the schema that was looked at.
func (v *view) schemaPage() string {
	switch e := v.Entry; {
	case e.Revision == "":
		return v.rule.Spec
	case e.Era == mcpspec.Modern && (isTaskMethod(e.Method) || e.Method == "notifications/tasks"):
		return extTasks + "#tasks"
	}
	return v.Entry.Revision + "/schema"
}

// describeProblem says in words what does not fit.
func describeProblem(root string, p *mcpshape.Problem) string {
	at := clean(root + p.Path)
	switch p.Keyword {
	case "required":
		if p.Want == "params" && p.Path == "" {
			return "params are missing"
		}
		return at + " lacks " + clean(p.Want)
	case "type":
		return fmt.Sprintf("%s is %s, not %s", at, clean(p.Value), p.Want)
	case "enum":
		return fmt.Sprintf("%s is %s, none of %s", at, clean(p.Value), p.Want)
	}
	return fmt.Sprintf("%s is %s, %s %s", at, clean(p.Value), p.Keyword, p.Want)
}

// saidOf reports whether another rule has spoken about that place of the message, or one around it.
func (v *view) saidOf(path string) bool {
	for i := range v.s.reports.said {
		f := &v.s.reports.said[i]
		if f.Rule != v.rule.ID && f.Level != LevelInfo && f.Path != "" && (f.Path == path || strings.HasPrefix(path, f.Path+"/") || strings.HasPrefix(f.Path, path+"/") && path != "/params" && path != "/result") {
			return true
		}
	}
	return false
}

func nullsInParams(v *view) { v.reportNulls("/params") }
func nullsInResult(v *view) { v.reportNulls("/result") }

func (v *view) reportNulls(root string) {
	e := v.Entry
	problems := v.shape()
	if len(problems) == 0 {
		return
	}
	var paths []string
	n := 0
	for i := range problems {
		p := &problems[i]
		if !isNullProblem(p) || hasOwnRule(e, p) || v.saidOf(root+p.Path) {
			continue
		}
		if n++; len(paths) < 4 {
			paths = append(paths, root+p.Path)
		}
	}
	if n == 0 {
		return
	}
	message := label(e.Method, e.Target) + ": null at "
	for i, p := range paths {
		if i > 0 {
			message += ", "
		}
		message += clean(p)
	}
	if n > len(paths) {
		message += fmt.Sprintf(" and %d more", n-len(paths))
	}
	v.reportOn(e.From+e.Method+lastToken(paths[0]), Finding{Message: message, Path: paths[0], Spec: v.schemaPage()})
}

// isNullProblem reports whether the problem is a null where the member could have been left out.
func isNullProblem(p *mcpshape.Problem) bool { return p.Optional && p.Value == "null" }

func lastToken(path string) string { return path[strings.LastIndexByte(path, '/')+1:] }

// hasOwnRule reports whether there is a rule about just this member, so that the general ones are silent.
func hasOwnRule(e *Entry, p *mcpshape.Problem) bool {
	if p.Keyword == "format" { // whether a text fits its syntax is for the rules about that member
		return true
	}
	name := lastToken(p.Path)
	if p.Keyword == "required" {
		name = p.Want
	}
	in := func(names ...string) bool {
		for _, n := range names {
			if n == name {
				return true
			}
		}
		return false
	}
	null := isNullProblem(p)
	switch p.Type {
	case "ClientCapabilities", "ServerCapabilities": // cap-value-type
		return true
	case "Annotations": // annotation-range
		return !null && in("priority", "audience", "lastModified")
	case "Role":
		if strings.Contains(p.Path, "/annotations/audience/") { // annotation-range
			return true
		}
	case "ToolAnnotations": // tool-annotation-type
		return true
	case "PromptMessage": // prompt-role, prompt-content-array
		return in("role", "content")
	case "Task", "CreateTaskResult": // task-fields, task-ext-status-payload
		if e.Era == mcpspec.Modern && in("result", "error", "inputRequests") || e.Era != mcpspec.Modern && in("createdAt", "lastUpdatedAt", "ttl") {
			return true
		}
	case "TextResourceContents", "BlobResourceContents", "ResourceContents", "EmbeddedResource":
		return !null && (e.Method == "resources/read" || e.Method == "tools/call" || e.Method == "prompts/get") // resource-contents-shape, content-resource-shape
	}
	if strings.Contains(p.Path, "/capabilities/") || strings.HasSuffix(p.Path, "/capabilities") && p.Keyword != "required" && e.Method != "initialize" {
		return true
	}
	if e.Kind == Response || e.Kind == ErrorAnswer {
		return resultHasRule(e, p, name, in)
	}
	return paramsHaveRule(e, p, name, in)
}

func paramsHaveRule(e *Entry, p *mcpshape.Problem, name string, in func(...string) bool) bool {
	if strings.HasPrefix(p.Path, "/_meta") || name == "_meta" || name == "params" && (e.Era == mcpspec.Modern || e.Method == "initialize") {
		return !isNullProblem(p) || e.Era == mcpspec.Modern // progress-token-type, modern-meta-*
	}
	if strings.HasPrefix(p.Path, "/inputResponses") { // mrtr-response-shape
		return true
	}
	switch e.Method {
	case "initialize": // initialize-params, version-format
		return !isNullProblem(p) && (in("protocolVersion", "capabilities", "clientInfo", "name", "version"))
	case "tools/call": // call-args-not-object
		return p.Path == "/arguments"
	case "prompts/get": // prompt-args-not-string
		return strings.HasPrefix(p.Path, "/arguments/")
	case "completion/complete": // completion-ref
		return p.Path == "/ref" || strings.HasPrefix(p.Path, "/ref/") || in("ref")
	case "logging/setLevel": // log-level
		return in("level") && p.Keyword != "required"
	case "notifications/message": // log-level, log-no-data
		return in("data") || in("level") && p.Keyword != "required"
	case "notifications/progress": // progress-token-type
		return in("progressToken") && p.Keyword != "required"
	case "notifications/tasks/status": // task-fields
		return in("createdAt", "lastUpdatedAt", "ttl")
	case "notifications/cancelled": // cancel-missing-id
		return in("requestId") && p.Keyword == "required"
	case "notifications/resources/updated": // resource-updated-no-uri
		return in("uri") && p.Keyword == "required"
	case "sampling/createMessage": // sampling-*, content-*
		return in("maxTokens", "role") || strings.Contains(p.Path, "/content") || strings.HasPrefix(p.Path, "/modelPreferences/") && p.Keyword != "type"
	case "elicitation/create": // elicitation-*
		return in("mode", "url", "elicitationId", "requestedSchema") && !(p.Keyword == "required" && name == "requestedSchema") || strings.HasPrefix(p.Path, "/requestedSchema")
	}
	return false
}

func resultHasRule(e *Entry, p *mcpshape.Problem, name string, in func(...string) bool) bool {
	if e.Era == mcpspec.Modern {
		switch {
		case in("resultType", "ttlMs", "cacheScope"): // result-type-*, cache-*
			return true
		case in("taskId", "status", "createdAt", "lastUpdatedAt") && p.Path == "" && member(e.Message.Result, "task") != nil: // era-task-shape-in-modern
			return true
		}
	}
	if strings.HasPrefix(p.Path, "/inputRequests") || strings.HasPrefix(p.Path, "/_meta") || in("inputRequests", "_meta") {
		return !isNullProblem(p) || e.Era == mcpspec.Modern // mrtr-*, modern-server-info-missing, sub-close-result-meta
	}
	switch e.Method {
	case "initialize": // initialize-result-shape, version-format
		return !isNullProblem(p) && in("protocolVersion", "capabilities", "serverInfo", "name", "version")
	case "server/discover": // discover-result-shape
		return in("supportedVersions", "capabilities") || strings.HasPrefix(p.Path, "/supportedVersions")
	case "tools/list": // task-support-value, tool-input-schema-*, tool-output-schema-root
		return in("taskSupport", "inputSchema", "outputSchema") || strings.Contains(p.Path, "/inputSchema") || strings.Contains(p.Path, "/outputSchema")
	case "tools/call", "prompts/get", "tasks/result":
		if strings.Contains(p.Path, "/content/") { // content-*
			return !isNullProblem(p) || lastToken(p.Path) == "text"
		}
		return in("content", "isError", "structuredContent", "role") && !isNullProblem(p) || in("content")
	case "resources/read": // resource-contents-shape
		return !isNullProblem(p)
	case "completion/complete": // completion-too-many
		return p.Keyword == "maxItems"
	case "sampling/createMessage": // sampling-result-shape, sampling-role, content-*
		return in("role", "content", "model") || strings.Contains(p.Path, "/content")
	case "elicitation/create": // elicitation-action, elicitation-accept-content
		return in("action", "content") || strings.HasPrefix(p.Path, "/content/")
	case "tasks/get", "tasks/update", "tasks/cancel", "tasks/list": // task-fields, task-ext-*
		if e.Era == mcpspec.Modern {
			return in("result", "error", "inputRequests")
		}
		return !isNullProblem(p) && in("createdAt", "lastUpdatedAt", "ttl")
	}
	return false
}
