package annotate

import (
	"fmt"
	"strings"

	"github.com/shakescope/shakescope/internal/mcpshape"
	"github.com/shakescope/shakescope/internal/mcpspec"
)

// Rules about resources.
var resourceRules = []Rule{
	{
		ID: "resource-uri-invalid", Group: GroupResources, Levels: []Level{LevelError}, Revisions: mcpspec.All, By: Sender,
		Spec:  "2025-11-25/server/resources#resource",
		Title: "A resource's URI is no absolute URI.",
		Why:   "Clients that parse it reject the message; a plain path means another file on each machine.",
		Fix:   "Write scheme and path, escaped: file:///etc/hosts, not /etc/hosts.",
		hooks: []hook{
			on(onResult, uriInvalid, "resources/list", "resources/read", "tools/call", "prompts/get"),
			on(onRequest, uriInvalid, "resources/read", "resources/subscribe", "resources/unsubscribe"), on(onNotification, uriInvalid, "notifications/resources/updated"),
		},
	},
	{
		ID: "resource-template-invalid", Group: GroupResources, Levels: []Level{LevelError, LevelWarning}, Revisions: mcpspec.All, By: "server",
		Spec:  "2025-11-25/server/resources#resource-templates",
		Title: "A URI template is none of RFC 6570, or stands in the list of resources.",
		Why:   "Clients cannot fill it in. One that is listed as a resource is read with its braces.",
		Fix:   "Write {name} with single braces that are closed, and list it under resources/templates/list.",
		hooks: []hook{on(onResult, templateInvalid, "resources/templates/list", "resources/list")},
	},
	{
		ID: "resource-contents-shape", Group: GroupResources, Levels: []Level{LevelError}, Revisions: mcpspec.All, By: "server",
		Spec:  "2025-11-25/server/resources#resource-contents",
		Title: "The answer to resources/read is put together wrongly.",
		Why:   "Clients that validate reject it, so the resource cannot be read.",
		Fix:   "Return contents (with an s), an array; each item has its uri and either text or blob.",
		hooks: []hook{on(onResult, contentsShape, "resources/read")},
	},
	{
		ID: "resource-not-found-code-legacy", Group: GroupResources, Levels: []Level{LevelWarning}, Likely: true, Revisions: mcpspec.LegacyOnly, By: "server",
		Spec:  "2025-11-25/server/resources#error-handling",
		Title: "A missing resource is answered with another code than -32002.",
		Why:   "Until 2025-11-25 clients know by -32002 that the resource is gone. The official SDKs answer -32602 here as well, so few rely on it.",
		Fix:   "Answer with -32002 and the URI in data.",
		hooks: []hook{on(onError, notFoundLegacy, "resources/read")},
	},
	{
		ID: "resource-not-found-code-modern", Group: GroupResources, Levels: []Level{LevelError}, Revisions: mcpspec.ModernOnly, By: "server",
		Spec:  "2026-07-28/server/resources#error-handling",
		Title: "A missing resource is answered with another code than -32602.",
		Why:   "2026-07-28 made it -32602. Clients of that revision do not know the old -32002.",
		Fix:   "Answer with -32602 and the URI in data.",
		hooks: []hook{on(onError, notFoundModern, "resources/read")},
	},
	{
		ID: "resource-empty-contents", Group: GroupResources, Levels: []Level{LevelWarning, LevelInfo}, Likely: true, Revisions: mcpspec.All, By: "server",
		Spec:  "2026-07-28/server/resources#error-handling",
		Title: "A resource was read as nothing at all.",
		Why:   "Nobody can tell an empty resource from one that does not exist. For the latter 2026-07-28 forbids this answer.",
		Fix:   "Answer with an error where there is no such resource, and with one item of empty text where it is empty.",
		hooks: []hook{on(onResult, emptyContents, "resources/read")},
	},
	{
		ID: "resource-read-uri-mismatch", Group: GroupResources, Levels: []Level{LevelInfo}, Revisions: mcpspec.All, By: "server",
		Spec:  "2026-07-28/server/resources#reading-resources",
		Title: "The contents carry another URI than was asked for.",
		Why:   "For a directory that is as it should be. Else clients that keep contents by URI never find them again.",
		Fix:   "Return the URI as it was asked for, spelt alike.",
		hooks: []hook{on(onResult, otherURI, "resources/read")},
	},
	{
		ID: "resource-updated-unsubscribed", Group: GroupResources, Levels: []Level{LevelWarning, LevelInfo}, Revisions: mcpspec.LegacyOnly, By: "server",
		Spec:  "2025-11-25/schema#resourceupdatednotification",
		Title: "The server tells of a change that nobody subscribed to.",
		Why:   "Clients ignore it; where there are many, they only cost.",
		Fix:   "Send updates for subscribed URIs and what lies below them.",
		hooks: []hook{on(onNotification, updateUnasked, "notifications/resources/updated"), on(onRequest, watchAsked, "resources/subscribe", "resources/unsubscribe"), on(onInvalid, watchTried, "resources/subscribe")},
	},
	{
		ID: "resource-updated-after-unsubscribe", Group: GroupResources, Levels: []Level{LevelWarning}, Revisions: mcpspec.LegacyOnly, By: "server",
		Spec:  "2025-11-25/schema#unsubscriberequest",
		Title: "The server goes on telling of changes after it confirmed the end of the subscription.",
		Why:   "The client has no use for them any more, and the server leaks a subscription.",
		Fix:   "Drop the subscription before the answer to resources/unsubscribe is sent.",
		hooks: []hook{on(onNotification, updateAfterEnd, "notifications/resources/updated"), onAnswer(watchAnswered, "resources/subscribe", "resources/unsubscribe")},
	},
	{
		ID: "resource-unsubscribe-unknown", Group: GroupResources, Levels: []Level{LevelWarning}, Revisions: mcpspec.LegacyOnly, By: "client",
		Spec:  "2025-11-25/schema#unsubscriberequest",
		Title: "The client ends a subscription that it never began.",
		Why:   "Nothing happens. Usually the URI is spelt otherwise than in the subscription, which then stays.",
		Fix:   "Unsubscribe with the very URI of the subscription.",
		hooks: []hook{on(onRequest, unsubscribeUnknown, "resources/unsubscribe")},
	},
	{
		ID: "resource-updated-no-uri", Group: GroupResources, Levels: []Level{LevelError}, Revisions: mcpspec.All, By: "server",
		Spec:  "2025-11-25/schema#resourceupdatednotificationparams",
		Title: "The server tells of a change, but not of which resource.",
		Why:   "Clients cannot know what to read anew.",
		Fix:   "Put the URI of the resource into params.uri.",
		hooks: []hook{on(onNotification, updateWithoutURI, "notifications/resources/updated")},
	},
}

func uriInvalid(v *view) {
	v.misshapen(func(p *mcpshape.Problem) {
		if p.Keyword != "format" || p.Want != "uri" || !strings.HasSuffix(p.Path, "/uri") || v.Entry.Method == "resources/list" && isTemplate(p.Value) {
			return
		}
		how := "is no absolute URI"
		switch s := strings.Trim(p.Value, `"`); {
		case strings.ContainsAny(s, " \t"):
			how = "has a space in it"
		case strings.HasPrefix(s, "/"), !strings.Contains(s, ":"):
			how = "has no scheme"
		}
		v.reportOn(v.Entry.From+p.Value, Finding{Message: label(v.Entry.Method, "") + ": the URI " + p.Value + " " + how, Path: v.root() + p.Path})
	})
}

// isTemplate reports whether a URI has an expression of a template in it.
func isTemplate(raw string) bool {
	open := strings.IndexByte(raw, '{')
	return open >= 0 && strings.IndexByte(raw[open:], '}') > 0
}

// pathParameter is how web frameworks write what RFC 6570 writes in braces.
var pathParameter = lazily(`/:[A-Za-z_]`)

func templateInvalid(v *view) {
	if v.Entry.Method == "resources/list" {
		v.misshapen(func(p *mcpshape.Problem) {
			if p.Keyword == "format" && p.Want == "uri" && p.Type == "Resource" && isTemplate(p.Value) {
				v.reportOn(p.Value, Finding{Message: "the template " + p.Value + " stands in the list of resources", Path: "/result" + p.Path})
			}
		})
		return
	}
	v.misshapen(func(p *mcpshape.Problem) {
		if p.Keyword == "format" && p.Want == "uri-template" {
			v.reportOn(p.Value, Finding{Message: p.Value + " is no URI template" + whyNoTemplate(p.Value), Path: "/result" + p.Path})
		}
	})
	n := -1
	elements(v.outcome.items, func(template []byte) bool {
		n++
		if s := text(member(template, "uriTemplate")); !strings.Contains(s, "{") && pathParameter().MatchString(s) {
			v.reportOn(s, Finding{Level: LevelWarning, Message: shortID(s) + " has a parameter as web frameworks write it; in a URI template it stands in braces", Path: fmt.Sprintf("/result/resourceTemplates/%d/uriTemplate", n)})
		}
		return true
	})
}

func whyNoTemplate(raw string) string {
	switch {
	case strings.Contains(raw, "{{"):
		return ": its braces are doubled"
	case strings.Count(raw, "{") != strings.Count(raw, "}"):
		return ": a brace is not closed"
	case strings.Contains(raw, "{}"):
		return ": an expression is empty"
	case strings.Contains(raw, " "):
		return ": there is a space in it"
	}
	return ""
}

func contentsShape(v *view) {
	r := v.Entry.Message.Result
	v.misshapen(func(p *mcpshape.Problem) {
		if p.Keyword == "format" || strings.HasPrefix(p.Path, "/_meta") || isNullProblem(p) {
			return
		}
		switch {
		case p.Path == "" && p.Want == "contents":
			said := "no contents"
			if member(r, "content") != nil {
				said += "; content should be contents"
			}
			v.reportShaped(p, said)
		case p.Path == "/contents":
			v.reportShaped(p, "contents is "+p.Value+", no array")
		case strings.HasPrefix(p.Path, "/contents/") && p.Keyword == "required":
			v.reportShaped(p, p.Path+" has no "+p.Want)
		case strings.HasPrefix(p.Path, "/contents/"):
			v.reportShaped(p, p.Path+" is "+p.Value+", not "+p.Want)
		}
	})
	n := 0
	elements(member(r, "contents"), func(contents []byte) bool {
		v.reportBoth(contents, "/contents/"+itoa(int64(n)))
		n++
		return n < 10_000
	})
}

// missing are the words in which servers say that there is no such resource.
var missing = lazily(`(?i)\bnot found\b|\bno such\b|\bdoes not exist\b|\bdoesn't exist\b|\bunknown resource\b|\bENOENT\b|\bnot exist\b|\bunknown uri\b|\bno resource\b`)

// noResource reports whether an error says that the resource, and not the method, is missing.
func (v *view) noResource() bool {
	e := v.Entry
	m := e.Err.Message
	return !v.Exchange.cancelled() && e.Err.Code != mcpspec.MethodNotFound && !strings.Contains(strings.ToLower(m), "method not found") && (missing().MatchString(m) || v.unlistedResource(m))
}

// unlistedResource reports whether an error about the URI itself answers one that no list or template has.
func (v *view) unlistedResource(message string) bool {
	c := &v.Session.catalogue
	return c.lacks(ResourceList, v.Entry.Target) && c.lists[TemplateList].Whole() && len(c.lists[TemplateList].items) == 0 && v.Entry.Target != "" && strings.Contains(message, v.Entry.Target)
}

func notFoundLegacy(v *view) {
	if e := v.Entry; e.Err.Code != mcpspec.ResourceNotFound && v.noResource() {
		v.reportOn(fmt.Sprint(e.Err.Code), Finding{Message: fmt.Sprintf("missing resource %s answered with %d: %s", shortID(e.Target), e.Err.Code, excerpt([]byte(e.Err.Message))), Path: "/error/code"})
	}
}

func notFoundModern(v *view) {
	e := v.Entry
	switch e.Err.Code {
	case mcpspec.InvalidParams, mcpspec.MissingCapability, mcpspec.UnsupportedVersion:
		return
	}
	if e.Err.Code == mcpspec.ResourceNotFound || v.noResource() {
		v.reportOn(fmt.Sprint(e.Err.Code), Finding{Message: fmt.Sprintf("missing resource %s answered with %d", shortID(e.Target), e.Err.Code), Path: "/error/code"})
	}
}

func emptyContents(v *view) {
	if v.outcome.kind != "" && v.outcome.kind != "complete" {
		return
	}
	contents := member(v.Entry.Message.Result, "contents")
	if !isArray(contents) || count(contents) > 0 {
		return
	}
	level := LevelInfo
	if v.Entry.Era == mcpspec.Modern {
		level = LevelWarning
	}
	v.reportOn(v.Entry.Target, Finding{Level: level, Message: "resource " + shortID(v.Entry.Target) + " was read as an empty array", Path: "/result/contents"})
}

func otherURI(v *view) {
	asked := v.Entry.Target
	if asked == "" {
		return
	}
	n := 0
	elements(member(v.Entry.Message.Result, "contents"), func(contents []byte) bool {
		uri := member(contents, "uri")
		if got := text(uri); isString(uri) && got != asked {
			v.reportOn(asked, Finding{Message: "asked for " + shortID(asked) + ", got " + shortID(got), Path: fmt.Sprintf("/result/contents/%d/uri", n)})
			return false
		}
		n++
		return n < 1000
	})
}
