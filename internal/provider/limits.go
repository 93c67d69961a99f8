package provider

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/shakescope/shakescope/jsonrpc"
)

// Warning is one reason for which an API refuses a request with these tools, or may.
type Warning struct {
	API     API    `json:"api"`
	Tool    string `json:"tool,omitempty"` // "" concerns the list as a whole
	Code    string `json:"code"`           // name-characters, name-length, name-duplicate, schema-missing, schema-root-type, schema-root-keyword, schema-ref, property-name, description-length, too-many-tools
	Path    string `json:"path,omitempty"` // JSON pointer into the MCP definition
	Refused bool   `json:"refused"`        // the API answers 400; else some models or platforms do
	Message string `json:"message"`
}

// Limits of the APIs, as of 2026-11-30.
const (
	anthropicName     = 128
	olderName         = 64 // OpenAI, and older deployments of Anthropic's
	openAITools       = 128
	openAIDescription = 1024
	propertyName      = 64
)

// Check says what of the tools an API would refuse. One tool that is refused costs the whole request. The
// warnings come in the order of the tools, those about all of them last.
func Check(api API, tools []Tool) []Warning {
	var out []Warning
	seen := make(map[string]bool, len(tools))
	for i := range tools {
		t := &tools[i]
		c := checker{api: api, tool: t}
		c.name(seen[t.Name])
		c.description()
		c.schema()
		seen[t.Name] = true
		out = append(out, c.out...)
	}
	if api == OpenAI && len(tools) > openAITools {
		out = append(out, Warning{API: api, Code: "too-many-tools", Refused: true,
			Message: fmt.Sprintf("%d tools; the API takes at most %d in a request", len(tools), openAITools)})
	}
	return out
}

type checker struct {
	api  API
	tool *Tool
	out  []Warning
}

func (c *checker) add(code, path string, refused bool, format string, args ...any) {
	c.out = append(c.out, Warning{API: c.api, Tool: c.tool.Name, Code: code, Path: path, Refused: refused, Message: fmt.Sprintf(format, args...)})
}

func (c *checker) name(again bool) {
	n := utf8.RuneCountInString(c.tool.Name)
	switch {
	case n == 0:
		c.add("name-length", "/name", true, "it has no name")
	case strings.ContainsFunc(c.tool.Name, func(r rune) bool { return !plain(r) }):
		bad := strings.IndexFunc(c.tool.Name, func(r rune) bool { return !plain(r) })
		r, _ := utf8.DecodeRuneInString(c.tool.Name[bad:])
		c.add("name-characters", "/name", true, "names take letters, digits, _ and - only, not %q", r)
	}
	switch {
	case c.api == Anthropic && n > anthropicName, c.api == OpenAI && n > olderName:
		most := anthropicName
		if c.api == OpenAI {
			most = olderName
		}
		c.add("name-length", "/name", true, "the name has %d characters, %d are allowed", n, most)
	case c.api == Anthropic && n > olderName:
		c.add("name-length", "/name", false, "the name has %d characters; the API takes %d, older deployments %d", n, anthropicName, olderName)
	}
	if again {
		c.add("name-duplicate", "/name", true, "another tool has the same name")
	}
}

func plain(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '-'
}

func (c *checker) description() {
	if n := utf8.RuneCountInString(c.tool.Description); c.api == OpenAI && n > openAIDescription {
		c.add("description-length", "/description", false, "the description has %d characters; several models take %d", n, openAIDescription)
	}
}

func (c *checker) schema() {
	s := c.tool.InputSchema
	const at = "/inputSchema"
	if !isObject(s) {
		c.add("schema-missing", at, false, "inputSchema is no object; an empty one is sent in its place")
		return
	}
	if typ := member(s, "type"); text(typ) != "object" {
		how := "says no type"
		if typ != nil {
			how = "has the type " + short(typ)
		}
		c.add("schema-root-type", at+"/type", true, "the schema must have the type object at its root, and %s", how)
	}
	banned := []string{"oneOf", "anyOf", "allOf"}
	if c.api == OpenAI {
		banned = append(banned, "enum", "not")
	}
	for _, k := range banned {
		if member(s, k) != nil {
			c.add("schema-root-keyword", at+"/"+k, true, "%s is not allowed at the root of the schema", k)
		}
	}
	if member(s, "$ref") != nil {
		c.add("schema-ref", at+"/$ref", true, "$ref is not resolved at the root of the schema")
	} else if p := findRef(s, at, 0); p != "" && c.api == Anthropic {
		c.add("schema-ref", p, false, "$ref inside the schema is refused by some of the API's products; write the definition out")
	}
	if c.api == Anthropic {
		for name := range jsonrpc.Members(member(s, "properties")) {
			if n := utf8.RuneCountInString(name); n == 0 || n > propertyName || strings.ContainsFunc(name, func(r rune) bool { return !plain(r) && r != '.' }) {
				c.add("property-name", at+"/properties/"+escape(name), true, "names of properties take 1 to %d letters, digits, _, - and . only", propertyName)
			}
		}
	}
}

// maxDepth bounds the search for references.
const maxDepth = 100

// findRef returns the pointer of the first $ref below a schema, "" when there is none. Members of properties are
// names, not keywords.
func findRef(raw []byte, at string, depth int) string {
	if depth > maxDepth {
		return ""
	}
	found := ""
	if isObject(raw) {
		names := strings.HasSuffix(at, "/properties") || strings.HasSuffix(at, "/$defs") || strings.HasSuffix(at, "/definitions")
		for name, value := range jsonrpc.Members(raw) {
			switch {
			case name == "$ref" && !names:
				return at + "/$ref"
			case name == "enum" || name == "const" || name == "default" || name == "examples":
				if !names {
					continue
				}
			}
			if found = findRef(value, at+"/"+escape(name), depth+1); found != "" {
				return found
			}
		}
		return ""
	}
	for i, v := range elements(raw) {
		if found = findRef(v, fmt.Sprintf("%s/%d", at, i), depth+1); found != "" {
			return found
		}
	}
	return ""
}

// escape writes a key as a token of a JSON pointer.
func escape(key string) string {
	if !strings.ContainsAny(key, "~/") {
		return key // all but a few
	}
	return strings.ReplaceAll(strings.ReplaceAll(key, "~", "~0"), "/", "~1")
}

func short(raw []byte) string {
	s := strings.ToValidUTF8(string(compact(nil, raw)), "\ufffd")
	if len(s) > 40 {
		s = strings.ToValidUTF8(s[:40], "") + "…"
	}
	return s
}
