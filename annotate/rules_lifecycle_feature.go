package annotate

import (
	"github.com/shakescope/shakescope/internal/mcpspec"
)

// Rules about members that are younger than the revision of the session. Methods are the business of
// method-not-in-revision, content blocks that of content-type-too-new.
var featureRules = []Rule{
	{
		ID: "feature-newer-than-session", Group: GroupLifecycle, Levels: []Level{LevelError, LevelWarning, LevelInfo}, Revisions: mcpspec.LegacyOnly, By: Sender,
		Spec:  "2025-11-25/basic/lifecycle#operation",
		Title: "A member that only a later revision than the negotiated one has.",
		Why:   "The other end need not know it. What changes how a call is to be carried out breaks the agreement; further members of results are merely ignored.",
		Fix:   "Look at the negotiated revision before using what is newer.",
		hooks: []hook{
			on(onRequest, newerInParams, "tools/call", "sampling/createMessage", "elicitation/create"),
			on(onResult, newerInResult, "tools/call", "tools/list", "resources/list", "prompts/list"),
		},
	},
}

func newerInParams(v *view) {
	e := v.Entry
	if e.Revision == "" || e.Revision >= mcpspec.Rev20251125 || !v.Session.opened.set() {
		return
	}
	level := LevelError
	if e.Revision <= mcpspec.Rev20250326 {
		level = LevelWarning
	}
	if v.call.task != nil {
		v.reportOn(e.Method+" task", Finding{Level: level, Path: "/params/task", Message: label(e.Method, e.Target) + " asks for a task, which came with " + mcpspec.Rev20251125 + "; the session speaks " + e.Revision})
	}
	if e.Method == "sampling/createMessage" && v.call.tools {
		v.reportOn(e.Method+" tools", Finding{Level: level, Path: "/params/tools", Message: e.Method + " offers tools, which came with " + mcpspec.Rev20251125 + "; the session speaks " + e.Revision})
	}
}

// younger are members of results, with the revision that brought them.
var younger = map[string]string{
	"structuredContent": mcpspec.Rev20250618,
	"outputSchema":      mcpspec.Rev20250618,
	"annotations":       mcpspec.Rev20250326,
	"title":             mcpspec.Rev20250618,
	"icons":             mcpspec.Rev20251125,
	"execution":         mcpspec.Rev20251125,
}

// newerInResult notes further members of results, once each: objects are open, so they do no harm.
func newerInResult(v *view) {
	e := v.Entry
	if v.Exchange == nil || e.Revision == "" || e.Revision >= mcpspec.Rev20251125 {
		return
	}
	look := func(key []byte, only string) {
		name := string(key)
		from, ok := younger[name]
		if !ok || from <= e.Revision || only != "" && only != name {
			return
		}
		v.once(name, Finding{Level: LevelInfo, Message: name + " in the answer to " + e.Method + " came with " + from + "; the session speaks " + e.Revision})
	}
	if e.Method == "tools/call" {
		members(e.Message.Result, func(key, _ []byte) bool {
			look(key, "structuredContent")
			return true
		})
		return
	}
	elements(v.outcome.items, func(item []byte) bool {
		members(item, func(key, _ []byte) bool {
			if e.Method == "tools/list" || string(key) != "annotations" { // resources have had annotations from the start
				look(key, "")
			}
			return true
		})
		return true
	})
}
