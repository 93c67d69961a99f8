package annotate

import (
	"bytes"
	"strings"

	"github.com/shakescope/shakescope/internal/mcpshape"
	"github.com/shakescope/shakescope/internal/mcpspec"
)

// Rules about content blocks, wherever they stand: results of tools, prompts, sampling. They go by what
// mcpshape finds, each by its part of it.
var contentRules = []Rule{
	{
		ID: "content-type-unknown", Group: GroupTools, Levels: []Level{LevelError}, Revisions: mcpspec.All, By: Sender,
		Spec:  "2025-11-25/server/tools#tool-result",
		Title: "A content block has no type that exists.",
		Why:   "Clients that validate reject the whole result for one block; others leave the block out.",
		Fix:   "Use text, image, audio, resource or resource_link. JSON goes into a text block, and into structuredContent.",
		hooks: onContent(contentTypeUnknown),
	},
	{
		ID: "content-type-too-new", Group: GroupTools, Levels: []Level{LevelError}, Revisions: mcpspec.LegacyOnly, By: Sender,
		Spec:  "2025-06-18/changelog",
		Title: "A content block has a type that came after the negotiated revision.",
		Why:   "Clients of that revision cannot know it, and strict ones reject the whole result.",
		Fix:   "Return audio from 2025-03-26 on, resource_link from 2025-06-18 on, and text or an embedded resource before.",
		hooks: onContent(contentTypeTooNew),
	},
	{
		ID: "content-media-fields", Group: GroupTools, Levels: []Level{LevelError}, Revisions: mcpspec.All, By: Sender,
		Spec:  "2025-11-25/schema#imagecontent",
		Title: "An image or audio block lacks its data or its type, or has a data: URL for data.",
		Why:   "Clients cannot decode it, and strict ones reject the whole result.",
		Fix:   "data is plain base64, mimeType stands beside it: cut off everything up to \"base64,\".",
		hooks: onContent(contentMedia),
	},
	{
		ID: "content-base64", Group: GroupTools, Levels: []Level{LevelError}, Revisions: mcpspec.All, By: Sender,
		Spec:  "2025-11-25/server/resources#security-considerations",
		Title: "Binary data is no standard base64.",
		Why:   "Decoders refuse it, or skip what they do not know and give damaged bytes.",
		Fix:   "Encode with the alphabet that has + and /, with padding and without line breaks.",
		hooks: append(onContent(contentBase64), on(onResult, contentBase64, "resources/read")),
	},
	{
		ID: "content-null-text", Group: GroupTools, Levels: []Level{LevelError}, Revisions: mcpspec.All, By: Sender,
		Spec:  "2025-11-25/schema#textcontent",
		Title: "A text block has no text.",
		Why:   "Clients that validate reject the whole result, though the tool has done its work.",
		Fix:   "text is a string, the empty one if need be; serialise objects.",
		hooks: onContent(textBlock),
	},
	{
		ID: "content-resource-shape", Group: GroupTools, Levels: []Level{LevelError}, Revisions: mcpspec.All, By: Sender,
		Spec:  "2025-11-25/server/tools#embedded-resources",
		Title: "An embedded resource or a resource link is put together wrongly.",
		Why:   "Clients that validate reject the whole result.",
		Fix:   "A resource block has resource, with uri and either text or blob; a resource_link has uri and name of its own.",
		hooks: onContent(contentResource),
	},
	{
		ID: "annotation-range", Group: GroupTools, Levels: []Level{LevelError}, Revisions: mcpspec.All, By: Sender,
		Spec:  "2025-11-25/server/resources#annotations",
		Title: "An annotation has a value that does not exist.",
		Why:   "Clients that validate reject the message; others show it to the wrong reader, or in the wrong order.",
		Fix:   "priority is a number from 0 to 1, audience an array of user and assistant, lastModified an ISO 8601 time.",
		hooks: append(onContent(annotationRange), on(onResult, annotationRange, "resources/list", "resources/templates/list")),
	},
}

// onContent are the hooks of a rule about content blocks.
func onContent(do func(*view)) []hook {
	return []hook{
		on(onResult, do, "tools/call", "prompts/get", "sampling/createMessage", "tasks/result"),
		on(onRequest, do, "sampling/createMessage"),
	}
}

// misshapen calls look for the problems of the message that a rule is about. Those inside of a question
// or of the answer to one are the business of the rules about rounds.
func (v *view) misshapen(look func(p *mcpshape.Problem)) {
	problems := v.shape()
	for i := range problems {
		if p := &problems[i]; !strings.HasPrefix(p.Path, "/inputRe") {
			look(p)
		}
	}
}

// root is where the checked value stands in the message.
func (v *view) root() string {
	if v.Entry.Kind == Response {
		return "/result"
	}
	return "/params"
}

// shaped reports a problem of the message, once for a method, a target and a member.
func (v *view) reportShaped(p *mcpshape.Problem, said string) {
	e := v.Entry
	member := lastToken(p.Path)
	if p.Keyword == "required" {
		member += " " + p.Want
	}
	v.reportOn(e.Method+" "+e.Target+" "+p.Type+" "+member, Finding{Message: label(e.Method, e.Target) + ": " + said, Path: v.root() + p.Path})
}

func isBlock(p *mcpshape.Problem) bool {
	return p.Type == "ContentBlock" || p.Type == "SamplingMessageContentBlock"
}

func contentTypeUnknown(v *view) {
	v.misshapen(func(p *mcpshape.Problem) {
		if !isBlock(p) || p.Since != "" {
			return
		}
		switch {
		case p.Keyword == "required" && p.Want == "type":
			v.reportShaped(p, p.Path+" has no type")
		case strings.HasSuffix(p.Path, "/type"):
			v.reportShaped(p, p.Path+" is "+p.Value+"; there are "+p.Want)
		case p.Keyword == "type" && !isPromptContent(p.Path):
			v.reportShaped(p, p.Path+" is "+p.Value+", no content block")
		}
	})
}

// isPromptContent reports whether a value stands for a single block: prompt-content-array and
// sampling-content-array-early speak of it.
func isPromptContent(path string) bool { return strings.HasSuffix(path, "/content") }

func contentTypeTooNew(v *view) {
	v.misshapen(func(p *mcpshape.Problem) {
		if isBlock(p) && p.Since != "" && p.Value != `"tool_use"` && p.Value != `"tool_result"` { // sampling-content-array-early
			v.reportShaped(p, p.Path+" is "+p.Value+", which came with "+p.Since+"; the session speaks "+v.Entry.Revision)
		}
	})
}

func isMedia(p *mcpshape.Problem) bool { return p.Type == "ImageContent" || p.Type == "AudioContent" }

func contentMedia(v *view) {
	v.misshapen(func(p *mcpshape.Problem) {
		if !isMedia(p) {
			return
		}
		switch {
		case p.Keyword == "required":
			v.reportShaped(p, p.Path+" has no "+p.Want)
		case p.Keyword == "type" && (strings.HasSuffix(p.Path, "/data") || strings.HasSuffix(p.Path, "/mimeType")):
			v.reportShaped(p, p.Path+" is "+p.Value+", no string")
		case p.Keyword == "format" && isDataURL(p.Value):
			v.reportShaped(p, p.Path+" is a data: URL, "+p.Value)
		}
	})
}

func isDataURL(raw string) bool {
	return len(raw) > 6 && strings.EqualFold(raw[1:6], "data:")
}

func contentBase64(v *view) {
	v.misshapen(func(p *mcpshape.Problem) {
		if p.Keyword != "format" || p.Want != "byte" || isMedia(p) && isDataURL(p.Value) {
			return
		}
		how := ""
		switch raw := v.at(p.Path); {
		case isDataURL(p.Value):
			how = ": a data: URL"
		case strings.ContainsAny(raw, "-_"):
			how = ": the alphabet for URLs, with - and _"
		case strings.Contains(raw, `\n`) || strings.ContainsAny(raw, " \t"):
			how = ": there is white space in it"
		case len(raw)%4 != 0 && strings.IndexByte(raw, '\\') < 0:
			how = ": padding is missing"
		}
		v.reportShaped(p, p.Path+" is no base64"+how+", "+p.Value)
	})
}

// at returns the inside of the string at a JSON pointer into the checked value, as it is spelt.
func (v *view) at(path string) string {
	raw := v.Entry.Message.Params
	if v.Entry.Kind == Response {
		raw = v.Entry.Message.Result
	}
	for token := range strings.SplitSeq(strings.TrimPrefix(path, "/"), "/") {
		token = strings.ReplaceAll(strings.ReplaceAll(token, "~1", "/"), "~0", "~")
		if !isArray(raw) {
			raw = member(raw, token)
			continue
		}
		n := 0
		var found []byte
		elements(raw, func(value []byte) bool {
			if itoa(int64(n)) == token {
				found = value
			}
			n++
			return found == nil
		})
		raw = found
	}
	if !isString(raw) {
		return ""
	}
	return string(raw[1 : len(raw)-1])
}

func textBlock(v *view) {
	v.misshapen(func(p *mcpshape.Problem) {
		if p.Type != "TextContent" {
			return
		}
		switch {
		case p.Keyword == "required" && p.Want == "text":
			v.reportShaped(p, p.Path+" has no text")
		case p.Keyword == "type" && strings.HasSuffix(p.Path, "/text"):
			v.reportShaped(p, p.Path+" is "+p.Value+", no string")
		}
	})
}

func contentResource(v *view) {
	v.misshapen(func(p *mcpshape.Problem) {
		switch p.Type {
		case "EmbeddedResource", "ResourceContents", "TextResourceContents", "BlobResourceContents", "ResourceLink":
		default:
			return
		}
		switch {
		case p.Keyword == "required":
			v.reportShaped(p, p.Path+" has no "+p.Want)
		case p.Keyword == "type" && !isNullProblem(p):
			v.reportShaped(p, p.Path+" is "+p.Value+", not "+p.Want)
		}
	})
	if v.Entry.Kind != Response || v.Entry.Method == "sampling/createMessage" || !bytes.Contains(v.Entry.Message.Result, []byte(`"blob"`)) {
		return
	}
	v.eachBlock(func(block []byte, path string) {
		if text(member(block, "type")) == "resource" {
			v.reportBoth(member(block, "resource"), path+"/resource")
		}
	})
}

// eachBlock calls look for the content blocks of a result of a tool or prompt.
func (v *view) eachBlock(look func(block []byte, path string)) {
	n := 0
	step := func(base string) func([]byte) bool {
		return func(block []byte) bool {
			look(block, base+itoa(int64(n)))
			n++
			return n < 10_000
		}
	}
	if v.Entry.Method != "prompts/get" {
		elements(member(v.Entry.Message.Result, "content"), step("/content/"))
		return
	}
	elements(member(v.Entry.Message.Result, "messages"), func(message []byte) bool {
		look(member(message, "content"), "/messages/"+itoa(int64(n))+"/content")
		n++
		return n < 10_000
	})
}

// reportBoth reports resource contents that are text and bytes at once.
func (v *view) reportBoth(contents []byte, path string) {
	if both := member(contents, "text") != nil && member(contents, "blob") != nil; both && !isNull(member(contents, "text")) && !isNull(member(contents, "blob")) {
		v.reportShaped(&mcpshape.Problem{Path: path, Type: "ResourceContents", Keyword: "oneOf"}, path+" has both text and blob")
	}
}

func annotationRange(v *view) {
	v.misshapen(func(p *mcpshape.Problem) {
		if p.Type != "Annotations" && !strings.Contains(p.Path, "/annotations/audience/") || isNullProblem(p) {
			return
		}
		how := "no " + p.Want
		switch p.Keyword {
		case "minimum", "maximum":
			how = "outside of 0 to 1"
		case "format":
			how = "no ISO 8601 time"
		case "enum":
			how = "none of " + p.Want
		}
		v.reportShaped(p, p.Path+" is "+p.Value+", "+how)
	})
}
