package annotate

import (
	"errors"
	"fmt"
	"strings"

	"github.com/shakescope/shakescope/internal/mcpspec"
	"github.com/shakescope/shakescope/internal/schemaguard"
)

// Rules about the schemas that tools come with.
var toolSchemaRules = []Rule{
	{
		ID: "tool-input-schema-missing", Group: GroupTools, Levels: []Level{LevelError}, Revisions: mcpspec.All, By: "server",
		Spec:  "2025-11-25/server/tools#tool",
		Title: "A tool has no inputSchema.",
		Why:   "Clients that validate reject the whole list, so all tools of the server vanish without a message.",
		Fix:   "Add inputSchema. A tool without arguments has {\"type\": \"object\"}.",
		hooks: []hook{on(onResult, eachTool(inputMissing), "tools/list")},
	},
	{
		ID: "tool-input-schema-root", Group: GroupTools, Levels: []Level{LevelError}, Revisions: mcpspec.All, By: "server",
		Spec:  "2026-07-28/server/tools#tool",
		Title: "The root of a tool's inputSchema does not say \"type\": \"object\".",
		Why:   "Arguments are always an object, and the type must say so. Clients that validate reject the whole list, model APIs the tool.",
		Fix:   "Put \"type\": \"object\" at the root. Unions of Zod and Pydantic give a bare anyOf or $ref: wrap them in an object, or write the type beside them.",
		hooks: []hook{on(onResult, eachTool(inputRoot), "tools/list")},
	},
	{
		ID: "tool-output-schema-root", Group: GroupTools, Levels: []Level{LevelError}, Revisions: mcpspec.Since(mcpspec.Rev20250618) & mcpspec.LegacyOnly, By: "server",
		Spec:  "2025-11-25/schema#tool",
		Title: "The root of a tool's outputSchema does not say \"type\": \"object\".",
		Why:   "Until 2025-11-25 structured content is an object. Clients that validate reject the whole list.",
		Fix:   "Wrap the value: {\"type\": \"object\", \"properties\": {\"result\": …}}. From 2026-07-28 on any root will do.",
		hooks: []hook{on(onResult, eachTool(outputRoot), "tools/list")},
	},
	{
		ID: "tool-schema-invalid", Group: GroupTools, Levels: []Level{LevelError}, Revisions: mcpspec.All, By: "server",
		Spec:  "2025-11-25/basic/index#schema-validation",
		Title: "A tool's schema is no valid JSON Schema of its own dialect.",
		Why:   "Nobody can validate against it. Clients drop the tool, or the list, or skip the check.",
		Fix:   "Correct the keyword at the pointer. Without $schema the dialect is 2020-12 from 2025-11-25 on; before, draft-07 is assumed.",
		hooks: []hook{on(onResult, eachTool(schemaInvalid), "tools/list")},
	},
	{
		ID: "tool-schema-dialect", Group: GroupTools, Levels: []Level{LevelInfo}, Revisions: mcpspec.Since(mcpspec.Rev20251125), By: "server",
		Spec:  "2025-11-25/basic/index#schema-dialect",
		Title: "A tool's schema names a dialect that peers need not know.",
		Why:   "Only 2020-12 has to be understood, and draft-07 is what everybody knows besides. Others may not be validated.",
		Fix:   "Write the schema in 2020-12 and leave $schema out.",
		hooks: []hook{on(onResult, eachTool(schemaDialect), "tools/list")},
	},
	{
		ID: "tool-schema-external-ref", Group: GroupTools, Levels: []Level{LevelWarning}, Revisions: mcpspec.All, By: "server",
		Spec:  "2026-07-28/basic/index#ref-resolution",
		Title: "A $ref leads out of the schema, or nowhere.",
		Why:   "Peers do not fetch schemas, so they cannot validate against this one and drop the tool or skip the check.",
		Fix:   "Put the definition into $defs of the same schema and refer to it there.",
		hooks: []hook{on(onResult, eachTool(schemaRefs), "tools/list")},
	},
	{
		ID: "schema-not-checked", Group: GroupTools, Levels: []Level{LevelInfo}, Likely: true, Revisions: mcpspec.All, By: "server",
		Spec:  "2026-07-28/basic/index#schema-validation",
		Title: "A tool's schema was not checked, or nothing was checked against it.",
		Why:   "It asks for more work than is safe to spend, or for something that cannot be decided here. So nothing is said about it, right or wrong.",
		Fix:   "Nothing need be wrong. A simpler schema, without recursion over large values and without look-around in patterns, can be checked by more peers, too.",
		hooks: []hook{on(onResult, eachTool(schemaNotChecked), "tools/list"), on(onRequest, argumentsNotChecked, "tools/call"), on(onResult, structuredNotChecked, "tools/call")},
	},
	{
		ID: "tool-header-annotation", Group: GroupTools, Levels: []Level{LevelInfo}, Revisions: mcpspec.ModernOnly, By: "server",
		Spec:  "2026-07-28/server/tools#x-mcp-header",
		Title: "An x-mcp-header in a tool's schema cannot be used.",
		Why:   "On stdio there are no headers, so it does no harm here. A client that speaks HTTP must leave the tool out.",
		Fix:   "Name the header by a token, once ignoring case, on a string, integer or boolean that is reached through properties only.",
		hooks: []hook{on(onResult, eachTool(headerAnnotations), "tools/list")},
	},
}

func inputMissing(v *view, t *tool, at string) {
	switch {
	case t.input == nil:
		other := ""
		for _, name := range []string{"input_schema", "parameters", "schema"} {
			if member(t.raw, name) != nil {
				other = "; there is " + name + ", which is another API's name for it"
				break
			}
		}
		v.reportOn(t.name, Finding{Message: t.title() + " has no inputSchema" + other, Path: at})
	case isNull(t.input):
		v.reportOn(t.name, Finding{Message: t.title() + " has inputSchema null", Path: at + "/inputSchema"})
	}
}

func inputRoot(v *view, t *tool, at string) {
	if t.input != nil && !isNull(t.input) {
		v.reportRoot(t, inputSchema, at+"/inputSchema")
	}
}

func outputRoot(v *view, t *tool, at string) {
	if t.output != nil {
		v.reportRoot(t, outputSchema, at+"/outputSchema")
	}
}

// reportRoot says what stands where the type object should.
func (v *view) reportRoot(t *tool, which int, at string) {
	f := t.facts(which)
	src := t.source(which)
	wrong := ""
	switch kind := member(src, "type"); {
	case !isObject(src):
		wrong = "is " + excerpt(src) + ", no object"
	case string(kind) == `"object"` || text(kind) == "object":
		return
	case kind != nil:
		wrong = "has type " + excerpt(kind)
		at += "/type"
	case f.HasZod && f.Zod == "":
		wrong = "is a serialised Zod object, no JSON Schema"
	case f.Union != "":
		wrong = "has " + f.Union + " where its type should be"
	default:
		wrong = "has no type"
	}
	v.reportOn(t.name, Finding{Message: t.title() + ": the root of " + schemaNames[which] + " " + wrong, Path: at})
}

var schemaNames = [...]string{inputSchema: "inputSchema", outputSchema: "outputSchema"}

// eachSchema calls look for the schemas of a tool that are objects.
func (t *tool) eachSchema(at string, look func(which int, at string)) {
	for which, name := range schemaNames {
		if isObject(t.source(which)) {
			look(which, at+"/"+name)
		}
	}
}

func schemaInvalid(v *view, t *tool, at string) {
	t.eachSchema(at, func(which int, at string) {
		_, err := t.compile(which, v.Entry.Revision, &v.schemas().Cache)
		var invalid *schemaguard.Invalid
		if !errors.As(err, &invalid) || len(invalid.Problems) == 0 {
			return
		}
		p := &invalid.Problems[0]
		if p.Pointer == "/type" && !isString(member(t.source(which), "type")) {
			return // tool-input-schema-root and tool-output-schema-root say it
		}
		v.reportOn(t.name+" "+schemaNames[which]+p.Pointer, Finding{Message: t.title() + ": " + schemaNames[which] + " " + describePlaces(invalid.Problems), Path: at + p.Pointer})
	})
}

// describePlaces says where something does not fit its schema, the first places in full.
func describePlaces(problems []schemaguard.Problem) string {
	var b strings.Builder
	const most = 3
	for i := range problems[:min(most, len(problems))] {
		p := &problems[i]
		if i > 0 {
			b.WriteString("; ")
		}
		b.WriteString(strings.TrimSpace(clean(p.Pointer + " " + p.Message)))
	}
	if more := len(problems) - most; more > 0 {
		fmt.Fprintf(&b, " and %d more", more)
	}
	return b.String()
}

func schemaDialect(v *view, t *tool, at string) {
	t.eachSchema(at, func(which int, at string) {
		dialect := text(member(t.source(which), "$schema"))
		if dialect == "" {
			return
		}
		switch schemaguard.DraftOf(dialect) {
		case schemaguard.Draft202012, schemaguard.Draft07:
			return
		}
		v.reportOn(dialect, Finding{Message: t.title() + ": " + schemaNames[which] + " is written in " + shortID(dialect), Path: at + "/$schema"})
	})
}

func schemaRefs(v *view, t *tool, at string) {
	t.eachSchema(at, func(which int, at string) {
		for _, r := range t.facts(which).Refs {
			how := ""
			switch {
			case r.External:
				how = " leads out of the schema"
			case r.Broken:
				how = " leads nowhere"
			default:
				continue
			}
			v.reportOn(t.name+" "+r.Target, Finding{Message: t.title() + ": " + schemaNames[which] + " refers to " + shortID(r.Target) + ", which" + how, Path: at + r.Pointer})
		}
	})
}

func schemaNotChecked(v *view, t *tool, at string) {
	t.eachSchema(at, func(which int, at string) {
		_, err := t.compile(which, v.Entry.Revision, &v.schemas().Cache)
		var why *schemaguard.NotChecked
		if !errors.As(err, &why) {
			return
		}
		switch why.Reason {
		case schemaguard.RemoteRef, schemaguard.BadRef: // tool-schema-external-ref
			return
		}
		v.reportOn(t.name+" "+schemaNames[which], Finding{Message: t.title() + ": " + schemaNames[which] + " was not checked: " + why.Error(), Path: at})
	})
}

// headerAnnotations looks for x-mcp-header wherever it stands: it counts only where properties, and
// nothing else, lead to it.
func headerAnnotations(v *view, t *tool, at string) {
	if !isObject(t.input) || !strings.Contains(string(t.input), "x-mcp-header") {
		return
	}
	seen := map[string]string{}
	var walk func(value []byte, path string, static bool, depth int)
	walk = func(value []byte, path string, static bool, depth int) {
		if depth > schemaguard.MaxDepth {
			return
		}
		if isArray(value) {
			elements(value, func(item []byte) bool {
				walk(item, path, false, depth+1)
				return true
			})
			return
		}
		header := member(value, "x-mcp-header")
		if header != nil {
			name, wrong := text(header), ""
			switch kind := text(member(value, "type")); {
			case !isToken(name):
				wrong = "is " + excerpt(header) + ", which is no token"
			case !static || path == "":
				wrong = shortID(name) + " stands where properties alone do not lead"
			case kind != "string" && kind != "integer" && kind != "boolean":
				wrong = shortID(name) + " is on a value of type " + orNone(kind)
			case seen[strings.ToLower(name)] != "":
				wrong = shortID(name) + " is also on " + clean(seen[strings.ToLower(name)])
			}
			if wrong != "" {
				v.reportOn(t.name+path+name, Finding{Message: t.title() + ": x-mcp-header " + wrong, Path: at + "/inputSchema" + path + "/x-mcp-header"})
			} else {
				seen[strings.ToLower(name)] = path
			}
		}
		members(value, func(key, below []byte) bool {
			k := string(key)
			if k == "properties" && isObject(below) {
				members(below, func(key, below []byte) bool {
					walk(below, pointer(path, "properties", string(key)), static, depth+2)
					return true
				})
			} else if isObject(below) || isArray(below) {
				if k != "default" && k != "const" && k != "enum" && k != "examples" {
					walk(below, pointer(path, k), false, depth+1)
				}
			}
			return true
		})
	}
	walk(t.input, "", true, 0)
}

func orNone(kind string) string {
	if kind == "" {
		return "no one type"
	}
	return kind
}
