package annotate

import (
	"fmt"
	"strings"

	"github.com/shakescope/shakescope/internal/mcpspec"
)

// Rules about the answers to elicitation. What a retry of the modern era hands in is held against what was
// asked by the rules about rounds.
var elicitationAnswerRules = []Rule{
	{
		ID: "elicitation-action", Group: GroupElicitation, Levels: []Level{LevelError}, Revisions: mcpspec.Since(mcpspec.Rev20250618), By: "client",
		Spec:  "2025-11-25/client/elicitation#response-actions",
		Title: "An answer to elicitation has an action that does not exist.",
		Why:   "The server cannot tell whether the user agreed. Drafts had reject, which became decline.",
		Fix:   "Answer accept, decline or cancel.",
		hooks: []hook{on(onResult, elicitationAction, elicitationMethod)},
	},
	{
		ID: "elicitation-accept-content", Group: GroupElicitation, Levels: []Level{LevelError}, Revisions: mcpspec.Since(mcpspec.Rev20250618), By: "client",
		Spec:  "2025-11-25/client/elicitation#response-actions",
		Title: "A form was accepted with content that does not fit it, or without any.",
		Why:   "The server gets values of the wrong kind, or none, for what it asked.",
		Fix:   "Check what the user entered against requestedSchema before sending it; leave out fields without a value.",
		hooks: []hook{on(onResult, acceptContent, elicitationMethod)},
	},
	{
		ID: "elicitation-extra-content", Group: GroupElicitation, Levels: []Level{LevelInfo}, Revisions: mcpspec.Since(mcpspec.Rev20250618), By: "client",
		Spec:  "2025-11-25/client/elicitation#response-actions",
		Title: "An answer to elicitation has content where none belongs.",
		Why:   "Content goes with an accepted form only; servers ignore it elsewhere, and it may be something that the user did not mean to send.",
		Fix:   "Leave content out with decline and cancel, and in mode url.",
		hooks: []hook{on(onResult, extraContent, elicitationMethod), on(onRequest, extraContent, retriedMethods...)},
	},
}

// elicited returns the result of an elicitation of the legacy era, nil where the entry is something else.
func elicited(v *view) []byte {
	if x := v.Exchange; x == nil || x.from != server || isObject(v.outcome.task) {
		return nil
	}
	return v.Entry.Message.Result
}

func elicitationAction(v *view) {
	result := elicited(v)
	if result == nil {
		return
	}
	action := member(result, "action")
	f := Finding{Path: "/result/action", Related: []Ref{v.Exchange.At}}
	switch a := text(action); {
	case a == "accept" || a == "decline" || a == "cancel":
		return
	case action == nil:
		f.Message, f.Path = "the answer has no action", "/result"
	case lower(a) == "reject" || lower(a) == "rejected" || lower(a) == "deny":
		f.Message = "action " + excerpt(action) + "; the word is decline"
	default:
		f.Message = "action " + excerpt(action) + " is none of accept, decline, cancel"
	}
	v.reportOn(string(action), f)
}

func acceptContent(v *view) {
	result := elicited(v)
	x := v.Exchange
	if result == nil || text(member(result, "action")) != "accept" || !x.sized || text(member(x.params, "mode")) == "url" {
		return
	}
	content := member(result, "content")
	schema := member(x.params, "requestedSchema")
	asked := membersOf(member(schema, "properties"))
	f := Finding{Path: "/result/content", Related: []Ref{x.At}}
	switch {
	case content == nil && asked == 0:
		return
	case content == nil:
		f.Message, f.Path = fmt.Sprintf("the form (%s) is accepted without content", x.At), "/result"
		v.reportOn("none", f)
		return
	case !isObject(content):
		f.Message = "content is " + excerpt(content) + ", not an object"
		v.reportOn("kind", f)
		return
	}
	said := map[string]bool{} // fields
	var all []string
	tell := func(path, message string) {
		field, _, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
		if said[field] {
			return
		}
		if said[field] = true; len(all) == 0 {
			f.Path = "/result/content" + path
		}
		all = append(all, strings.TrimSpace(clean(strings.TrimPrefix(path, "/"))+" "+message))
	}
	for _, p := range v.unfits(schema, content) {
		tell(p.Pointer, clean(p.Message))
	}
	members(content, func(key, value []byte) bool {
		switch {
		case isNull(value):
			tell(pointer("", string(key)), "is null: leave out what has no value")
		case isObject(value):
			tell(pointer("", string(key)), "is an object")
		}
		return len(all) < maxFields
	})
	if len(all) == 0 {
		return
	}
	f.Message = fmt.Sprintf("the content does not fit the form (%s): %s", x.At, strings.Join(all[:min(len(all), 4)], "; "))
	if len(all) > 4 {
		f.Message += fmt.Sprintf("; and %d more", len(all)-4)
	}
	v.reportOn(f.Path, f)
}

// membersOf returns the number of members of an object.
func membersOf(obj []byte) int {
	n := 0
	members(obj, func(_, _ []byte) bool { n++; return true })
	return n
}

func extraContent(v *view) {
	v.inputs(elicitationMethod, "action", func(in *input) {
		content := member(in.result, "content")
		if content == nil {
			return
		}
		what := ""
		switch action := text(member(in.result, "action")); {
		case action == "decline" || action == "cancel":
			what = "goes with action " + action
		case action == "accept" && v.askedURL(in):
			what = "goes with an elicitation in mode url"
		default:
			return
		}
		v.reportOn(what, Finding{Message: "content " + what, Path: in.path + "/content"})
	})
}

// askedURL reports whether the answer is to an elicitation in mode url.
func (v *view) askedURL(in *input) bool {
	x := v.Exchange
	if v.Entry.Kind == Response {
		return text(member(x.params, "mode")) == "url"
	}
	if x.resumes == nil {
		return false
	}
	q := x.resumes.find(in.key)
	return q != nil && text(member(q.params, "mode")) == "url"
}
