package annotate

import (
	"bytes"
	"fmt"
	"hash/maphash"
	"strings"

	"github.com/shakescope/shakescope/internal/mcpspec"
	"github.com/shakescope/shakescope/jsonrpc"
)

// Rules of the design review that look at calls and what they return.
var designCallRules = []Rule{
	{
		ID: "design-json-as-text", Group: GroupDesign, Levels: []Level{LevelInfo}, Revisions: mcpspec.All, By: "server",
		Spec:  "2025-11-25/server/tools#structured-content",
		Title: "A tool returns JSON as text.",
		Why:   "Hosts and programs have to find out by trial that it is JSON, and cannot know its members; models get all of it whether it matters or not.",
		Fix:   "Return structuredContent with an outputSchema from 2025-06-18 on, beside the text; before, say in the description what the JSON holds.",
		hooks: []hook{on(onResult, jsonAsText, "tools/call")},
	},
	{
		ID: "design-result-floods", Group: GroupDesign, Levels: []Level{LevelInfo}, Revisions: mcpspec.All, By: "server",
		Spec:  "2025-11-25/server/tools#tool-result",
		Title: "A result is so large that it floods the model.",
		Why:   "Hundreds of kB do not fit beside the conversation: hosts cut them off, or the model loses what came before.",
		Fix:   "Page the result, let the caller limit it, or return a resource_link.",
		hooks: []hook{on(onResult, floods, "tools/call")},
	},
	{
		ID: "design-no-rehearsal", Group: GroupDesign, Levels: []Level{LevelInfo}, Likely: true, Revisions: mcpspec.All, By: "client",
		Spec:  "2025-11-25/server/tools#security-considerations",
		Title: "A tool that offers a dry run was called in earnest without one before.",
		Why:   "The dry run is there so that user and model see what would happen before it does.",
		Fix:   "Call with the dry run argument first, show the outcome, then call in earnest.",
		hooks: []hook{on(onRequest, rehearsal, "tools/call")},
	},
	{
		ID: "design-idempotent-differs", Group: GroupDesign, Levels: []Level{LevelInfo}, Likely: true, Revisions: mcpspec.Since(mcpspec.Rev20250326), By: "server",
		Spec:  "2025-11-25/schema#toolannotations",
		Title: "A tool called idempotent returned different things for equal arguments.",
		Why:   "Hosts repeat idempotent calls after a failure without asking. A second call that finds something else has perhaps done something else.",
		Fix:   "See whether the second call changed anything. If it did, take idempotentHint away.",
		hooks: []hook{on(onResult, idempotent, "tools/call")},
	},
	{
		ID: "design-error-unhelpful", Group: GroupDesign, Levels: []Level{LevelInfo}, Likely: true, Revisions: mcpspec.All, By: "server",
		Spec:  "2025-11-25/server/tools#error-handling",
		Title: "An error text is a stack trace, or says nothing to go by.",
		Why:   "The model reads it to decide what to do next. A trace tells it about your code, and shows your paths to the user.",
		Fix:   "Say what was wrong with the call and what to do instead; write the trace to stderr.",
		hooks: []hook{on(onResult, unhelpful, "tools/call"), on(onError, unhelpfulError, "tools/call")},
	},
}

// designed is what the review remembers of a session's tools.
type designed struct {
	jsonSaid  map[string]bool
	rehearsed map[string]bool
	results   map[uint64]uint64 // by tool and arguments, of idempotent tools
	from      map[uint64]Ref
}

const maxDesigned = 4096

func (v *view) designed() *designed {
	d := memo[designed](v, v.Session)
	if d.jsonSaid == nil {
		*d = designed{make(map[string]bool), make(map[string]bool), make(map[uint64]uint64), make(map[uint64]Ref)}
	}
	return d
}

func jsonAsText(v *view) {
	r, d := v.returned(), v.designed()
	name := v.Entry.Target
	if len(r.texts) == 0 || r.structured != nil || v.outcome.isError || d.jsonSaid[name] || len(d.jsonSaid) >= maxDesigned || !startsJSON(r.texts[0]) {
		return
	}
	s := []byte(text(r.texts[0]))
	if len(s) > maxCopy || len(bytes.TrimSpace(s)) <= 2 || !jsonrpc.Valid(s) {
		return
	}
	t := v.Exchange.tool
	how := ""
	if said := t != nil && strings.Contains(strings.ToLower(t.description), "json"); v.Entry.Revision >= mcpspec.Rev20250618 {
		how = " without structuredContent"
		if t != nil && !said {
			how += ", and its description does not say so"
		}
	} else if t == nil || said {
		return // nothing better existed
	} else {
		how = ", and its description does not say so"
	}
	d.jsonSaid[name] = true
	v.reportOn(name, Finding{Message: label("tool", name) + " returns JSON as text" + how, Path: "/result/content/0/text"})
}

// startsJSON reports whether the text of a raw string begins like an object or array.
func startsJSON(raw []byte) bool {
	head := raw[1:min(len(raw), 40)]
	for bytes.HasPrefix(head, []byte(`\n`)) {
		head = head[2:]
	}
	head = bytes.TrimLeft(head, " ")
	return len(head) > 0 && (head[0] == '{' || head[0] == '[')
}

func floods(v *view) {
	const most = 200_000
	r := v.returned()
	n := 0
	for _, t := range r.texts {
		n += len(t)
	}
	if n < most {
		return
	}
	if t := v.Exchange.tool; t != nil {
		pages := false
		t.eachProperty(func(name string, _ []byte) { pages = pages || isPaging(name) })
		if pages {
			return
		}
	}
	v.reportOn(v.Entry.Target, Finding{Message: fmt.Sprintf("%s returned %d kB of text, and cannot page", label("tool", v.Entry.Target), n/1000), Path: "/result/content"})
}

func rehearsal(v *view) {
	t := v.Exchange.tool
	if v.from() != client || t == nil {
		return
	}
	if readOnly, _ := t.hint("readOnlyHint"); readOnly {
		return
	}
	option := ""
	t.eachProperty(func(name string, _ []byte) {
		if option == "" && isRehearsal(name) {
			option = name
		}
	})
	if option == "" {
		return
	}
	d := v.designed()
	if isTrue(member(v.Entry.Message.Params, "arguments", option)) {
		if len(d.rehearsed) < maxDesigned {
			d.rehearsed[t.name] = true
		}
		return
	}
	if !d.rehearsed[t.name] {
		v.reportOn(t.name, Finding{Message: "tool " + shortID(t.name) + " was called in earnest, and never with " + shortID(option) + " before", Path: "/params/arguments"})
	}
}

func idempotent(v *view) {
	t, r := v.Exchange.tool, v.returned()
	if t == nil || v.outcome.isError || !r.final || !v.Exchange.sized {
		return
	}
	readOnly, _ := t.hint("readOnlyHint")
	if same, _ := t.hint("idempotentHint"); !same || readOnly {
		return
	}
	d := v.designed()
	args := maphash.Bytes(listSeed, member(v.Exchange.params, "arguments"))*31 + maphash.String(listSeed, t.name)
	result := maphash.Bytes(listSeed, r.content)*31 + maphash.Bytes(listSeed, r.structured)
	before, ok := d.results[args]
	switch {
	case !ok && len(d.results) < maxDesigned:
		d.results[args], d.from[args] = result, v.At
	case ok && before != result:
		v.reportOn(t.name, Finding{Message: "tool " + shortID(t.name) + " is called idempotent and returned something else than in " + d.from[args].String() + " for the same arguments", Path: "/result", Related: []Ref{d.from[args]}})
	}
}

// saysNothing are error texts that help nobody.
var saysNothing = wordSet("error failed failure null undefined none unknown exception")

func unhelpful(v *view) {
	if !v.outcome.isError {
		return
	}
	for _, raw := range v.returned().texts {
		v.reportUnhelpful(raw, text(raw), "/result/content")
		return
	}
}

func unhelpfulError(v *view) {
	if !v.Exchange.cancelled() {
		raw := member(v.Entry.Raw, "error", "message")
		v.reportUnhelpful(raw, v.Entry.Err.Message, "/error/message")
	}
}

func (v *view) reportUnhelpful(raw []byte, said, path string) {
	words := nameWords(said)
	how := ""
	switch bare := len(words) == 1 && saysNothing()[words[0]]; {
	case isString(raw) && isTrace(raw):
		how = "is a stack trace"
	case bare, hasWords(words, "something", "went", "wrong"),
		len(words) <= 3 && (hasWords(words, "internal", "error") || hasWords(words, "unknown", "error") || hasWords(words, "an", "error", "occurred")):
		how = "says nothing to go by: " + excerpt([]byte(said))
	default:
		return
	}
	v.reportOn(v.Entry.Target, Finding{Message: "the error of " + label("tool", v.Entry.Target) + " " + how, Path: path})
}
