package annotate

import (
	"fmt"
	"strings"

	"github.com/shakescope/shakescope/internal/mcpshape"
	"github.com/shakescope/shakescope/internal/mcpspec"
)

// Rules about completion of arguments.
var completionRules = []Rule{
	{
		ID: "completion-too-many", Group: GroupPrompts, Levels: []Level{LevelError}, Revisions: mcpspec.All, By: "server",
		Spec:  "2025-11-25/server/utilities/completion#completion-results",
		Title: "A completion has more than 100 values.",
		Why:   "Clients that validate reject it.",
		Fix:   "Return the best 100, with hasMore true and total.",
		hooks: []hook{on(onResult, completionTooMany, "completion/complete")},
	},
	{
		ID: "completion-counts", Group: GroupPrompts, Levels: []Level{LevelWarning}, Revisions: mcpspec.All, By: "server",
		Spec:  "2025-11-25/server/utilities/completion#completion-results",
		Title: "total or hasMore contradicts the values of a completion.",
		Why:   "Users are told that there is no more, or less than they see.",
		Fix:   "total counts all matches, also those that are not returned; hasMore says that there are some.",
		hooks: []hook{on(onResult, completionCounts, "completion/complete")},
	},
	{
		ID: "completion-ref", Group: GroupPrompts, Levels: []Level{LevelError}, Revisions: mcpspec.All, By: "client",
		Spec:  "2025-11-25/server/utilities/completion#reference-types",
		Title: "The reference of a completion is put together wrongly.",
		Why:   "The server cannot know what to complete and refuses the request.",
		Fix:   "Write {\"type\": \"ref/prompt\", \"name\": …} or {\"type\": \"ref/resource\", \"uri\": …}.",
		hooks: []hook{on(onRequest, completionReference, "completion/complete")},
	},
	{
		ID: "completion-unknown-target", Group: GroupPrompts, Levels: []Level{LevelInfo}, Revisions: mcpspec.All, By: "client",
		Spec:  "2025-11-25/server/utilities/completion#error-handling",
		Title: "Completion is asked for something that was not listed.",
		Why:   "The server answers with -32602 or with nothing.",
		Fix:   "Ask for arguments of listed prompts and of listed templates only.",
		hooks: []hook{on(onRequest, completionUnknown, "completion/complete")},
	},
	{
		ID: "completion-context-too-early", Group: GroupPrompts, Levels: []Level{LevelInfo}, Revisions: mcpspec.Through(mcpspec.Rev20250326), By: "client",
		Spec:  "2025-06-18/changelog",
		Title: "The client sends context on a revision that does not have it.",
		Why:   "The server ignores it, so completions do not depend on the arguments that were given before.",
		Fix:   "Send context from 2025-06-18 on.",
		hooks: []hook{on(onRequest, completionContext, "completion/complete")},
	},
}

func completionTooMany(v *view) {
	v.misshapen(func(p *mcpshape.Problem) {
		if p.Keyword == "maxItems" {
			n := count(member(v.Entry.Message.Result, "completion", "values"))
			v.reportOn(v.Entry.Target, Finding{Message: fmt.Sprintf("%s: %d values, %s are the most", label("completion/complete", v.Entry.Target), n, p.Want), Path: "/result" + p.Path})
		}
	})
}

func completionCounts(v *view) {
	c := member(v.Entry.Message.Result, "completion")
	total, ok := wholeNumber(string(member(c, "total")))
	if !ok {
		return
	}
	n := int64(count(member(c, "values")))
	switch {
	case total < n:
		v.reportOn(v.Entry.Target+" total", Finding{Message: fmt.Sprintf("%s: total is %d, there are %d values", label("completion/complete", v.Entry.Target), total, n), Path: "/result/completion/total"})
	case total > n && string(member(c, "hasMore")) == "false":
		v.reportOn(v.Entry.Target+" hasMore", Finding{Message: fmt.Sprintf("%s: hasMore is false, with %d of %d values", label("completion/complete", v.Entry.Target), n, total), Path: "/result/completion/hasMore"})
	}
}

func completionReference(v *view) {
	if v.from() != client {
		return
	}
	v.misshapen(func(p *mcpshape.Problem) {
		if p.Keyword == "format" || isNullProblem(p) || p.Path != "/ref" && !strings.HasPrefix(p.Path, "/ref/") && !(p.Path == "" && p.Want == "ref") {
			return
		}
		said := ""
		switch p.Keyword {
		case "required":
			said = strings.TrimPrefix(p.Path+" has no "+p.Want, " ")
			if ref := member(v.Entry.Message.Params, "ref"); p.Want == "name" && member(ref, "uri") != nil || p.Want == "uri" && member(ref, "name") != nil {
				said += ", which its type demands"
			}
		case "enum":
			said = p.Path + " is " + p.Value + "; there are " + p.Want
		default:
			said = p.Path + " is " + p.Value + ", not " + p.Want
		}
		v.reportShaped(p, said)
	})
}

// templateNames are the names of variables in the expressions of a URI template.
var templateNames = lazily(`[A-Za-z0-9_.%]+`)

func completionUnknown(v *view) {
	if v.from() != client {
		return
	}
	params := v.Entry.Message.Params
	ref, argument := member(params, "ref"), text(member(params, "argument", "name"))
	c := &v.Session.catalogue
	var names []string
	switch text(member(ref, "type")) {
	case "ref/prompt":
		name := text(member(ref, "name"))
		if c.lacks(PromptList, name) {
			v.reportOn(name, Finding{Message: "prompt " + shortID(name) + " was not listed", Path: "/params/ref/name", Related: []Ref{c.lists[PromptList].at()}})
			return
		}
		listed := c.lists[PromptList].items[name]
		if listed == nil || listed.Definition == nil {
			return
		}
		elements(member(listed.Definition, "arguments"), func(a []byte) bool {
			names = append(names, text(member(a, "name")))
			return true
		})
	case "ref/resource":
		uri := text(member(ref, "uri"))
		if c.lists[TemplateList].items[uri] == nil {
			if c.lacks(TemplateList, uri) && c.lists[ResourceList].items[uri] == nil {
				v.reportOn(uri, Finding{Message: "template " + shortID(uri) + " was not listed", Path: "/params/ref/uri", Related: []Ref{c.lists[TemplateList].at()}})
			}
			return
		}
		for _, expression := range strings.Split(uri, "{")[1:] {
			inside, _, _ := strings.Cut(expression, "}")
			for one := range strings.SplitSeq(inside, ",") {
				names = append(names, templateNames().FindString(one))
			}
		}
	default:
		return
	}
	for _, n := range names {
		if n == argument {
			return
		}
	}
	if argument != "" {
		v.reportOn(v.Entry.Target+" "+argument, Finding{Message: shortID(v.Entry.Target) + " has no argument " + shortID(argument), Path: "/params/argument/name"})
	}
}

func completionContext(v *view) {
	if v.from() == client && member(v.Entry.Message.Params, "context") != nil {
		v.reportOn("context", Finding{Message: "context came with " + mcpspec.Rev20250618 + "; the session speaks " + v.Entry.Revision, Path: "/params/context"})
	}
}
