package annotate

import (
	"fmt"
	"strings"

	"github.com/shakescope/shakescope/internal/mcpshape"
	"github.com/shakescope/shakescope/internal/mcpspec"
)

// Rules about prompts.
var promptRules = []Rule{
	{
		ID: "prompt-args-not-string", Group: GroupPrompts, Levels: []Level{LevelError}, Revisions: mcpspec.All, By: "client",
		Spec:  "2025-11-25/schema#getpromptrequestparams",
		Title: "A prompt's argument is no string.",
		Why:   "Prompts take strings only, unlike tools: servers refuse the request.",
		Fix:   "Send \"3\", not 3; serialise what is more than a word.",
		hooks: []hook{on(onRequest, promptArguments, "prompts/get")},
	},
	{
		ID: "prompt-missing-argument", Group: GroupPrompts, Levels: []Level{LevelWarning}, Revisions: mcpspec.All, By: "client",
		Spec:  "2025-11-25/server/prompts#error-handling",
		Title: "An argument that the listed prompt requires is not given.",
		Why:   "The server should refuse the request with -32602.",
		Fix:   "Ask the user for all arguments that are listed as required.",
		hooks: []hook{on(onRequest, promptIncomplete, "prompts/get")},
	},
	{
		ID: "prompt-error-code", Group: GroupPrompts, Levels: []Level{LevelWarning, LevelInfo}, Revisions: mcpspec.All, By: "server",
		Spec:  "2025-11-25/server/prompts#error-handling",
		Title: "An unknown prompt or a missing argument is not answered with -32602.",
		Why:   "Clients cannot tell the mistake from a failure of the server.",
		Fix:   "Answer with error -32602 that names the prompt or the argument.",
		hooks: []hook{on(onError, promptRefused, "prompts/get"), on(onResult, promptGranted, "prompts/get")},
	},
	{
		ID: "prompt-content-array", Group: GroupPrompts, Levels: []Level{LevelError}, Revisions: mcpspec.All, By: "server",
		Spec:  "2025-11-25/schema#promptmessage",
		Title: "A prompt's message has something else than one content block.",
		Why:   "Each message of a prompt takes exactly one block, unlike sampling and tools. Clients that validate reject the prompt.",
		Fix:   "Write {\"type\": \"text\", \"text\": …} without an array around it; send several blocks as several messages.",
		hooks: []hook{on(onResult, promptContent, "prompts/get")},
	},
	{
		ID: "prompt-role", Group: GroupPrompts, Levels: []Level{LevelError}, Revisions: mcpspec.All, By: "server",
		Spec:  "2025-11-25/server/prompts#promptmessage",
		Title: "A prompt's message has a role other than user or assistant.",
		Why:   "Clients that validate reject the prompt.",
		Fix:   "Put system text into the first message of the user.",
		hooks: []hook{on(onResult, promptRole, "prompts/get")},
	},
}

func promptArguments(v *view) {
	v.misshapen(func(p *mcpshape.Problem) {
		if strings.HasPrefix(p.Path, "/arguments/") && p.Keyword == "type" {
			v.reportShaped(p, "argument "+shortID(lastToken(p.Path))+" is "+p.Value+", no string")
		}
	})
}

// promptGaps remembers the open requests that lack an argument.
type promptGaps struct{ of map[*exchange]string }

func promptIncomplete(v *view) {
	listed := v.Session.catalogue.lists[PromptList].items[v.Entry.Target]
	if v.from() != client || listed == nil || v.Session.catalogue.lists[PromptList].isStale() {
		return
	}
	given := map[string]bool{}
	members(member(v.Entry.Message.Params, "arguments"), func(key, value []byte) bool {
		given[string(key)] = !isNull(value)
		return true
	})
	var lacking []string
	elements(member(listed.Definition, "arguments"), func(argument []byte) bool {
		if name := text(member(argument, "name")); name != "" && isTrue(member(argument, "required")) && !given[name] {
			lacking = append(lacking, name)
		}
		return true
	})
	if lacking == nil {
		return
	}
	said := list(lacking, 3)
	m := memo[promptGaps](v, v.Process)
	if m.of == nil || len(m.of) >= maxRecent {
		m.of = make(map[*exchange]string)
	}
	m.of[v.Exchange] = said
	v.reportOn(v.Entry.Target+" "+said, Finding{Message: "prompt " + shortID(v.Entry.Target) + " lacks " + said, Path: "/params/arguments", Related: []Ref{listed.Page.At}})
}

// unknownPrompt are the words in which servers say that they have no such prompt.
var unknownPrompt = lazily(`(?i)\b(?:unknown|no such|invalid) prompt\b|\bprompt\b.*\b(?:not found|not exist|unknown)\b`)

func promptRefused(v *view) {
	e, x := v.Entry, v.Exchange
	m := memo[promptGaps](v, v.Process)
	lacking := m.of[x]
	delete(m.of, x)
	switch e.Err.Code {
	case mcpspec.InvalidParams, mcpspec.MissingCapability, mcpspec.UnsupportedVersion, mcpspec.URLElicitationRequired, mcpspec.InvalidRequest, mcpspec.ParseError:
		return
	}
	unknown := v.Session.catalogue.lacks(PromptList, x.target) || unknownPrompt().MatchString(e.Err.Message)
	if x.cancelled() || e.Phase == Initialization || lacking == "" && !unknown {
		return
	}
	said := "unknown prompt " + shortID(x.target)
	if lacking != "" {
		said = "prompt " + shortID(x.target) + " without " + lacking
	}
	v.reportOn(x.target+fmt.Sprint(e.Err.Code), Finding{Message: fmt.Sprintf("%s answered with %d", said, e.Err.Code), Path: "/error/code", Related: []Ref{x.At}})
}

func promptGranted(v *view) {
	x := v.Exchange
	m := memo[promptGaps](v, v.Process)
	lacking := m.of[x]
	delete(m.of, x)
	if v.outcome.kind != "" && v.outcome.kind != "complete" {
		return
	}
	switch {
	case lacking != "":
		v.reportOn(x.target+" granted", Finding{Message: "prompt " + shortID(x.target) + " without " + lacking + " answered with a result", Path: "/result", Related: []Ref{x.At}})
	case x.target != "" && v.Session.catalogue.lacks(PromptList, x.target) && !v.Session.catalogue.lists[PromptList].isStale():
		v.reportOn(x.target+" granted", Finding{Level: LevelInfo, Message: "prompt " + shortID(x.target) + ", which was not listed, answered with a result", Path: "/result", Related: []Ref{x.At}})
	}
}

func promptContent(v *view) {
	v.misshapen(func(p *mcpshape.Problem) {
		switch {
		case p.Type == "PromptMessage" && p.Keyword == "required" && p.Want == "content":
			v.reportShaped(p, p.Path+" has no content")
		case isBlock(p) && p.Keyword == "type" && isPromptContent(p.Path):
			what := p.Value + ", no content block"
			if strings.HasPrefix(p.Value, "[") {
				what = "an array; it takes one block"
			}
			v.reportShaped(p, p.Path+" is "+what)
		}
	})
}

func promptRole(v *view) {
	v.misshapen(func(p *mcpshape.Problem) {
		switch {
		case p.Type == "PromptMessage" && p.Keyword == "required" && p.Want == "role":
			v.reportShaped(p, p.Path+" has no role")
		case strings.HasPrefix(p.Path, "/messages/") && strings.HasSuffix(p.Path, "/role"):
			v.reportShaped(p, p.Path+" is "+p.Value+", neither user nor assistant")
		}
	})
}
