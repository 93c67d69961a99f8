package schemaguard

import (
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// Facts are what can be seen in a schema without applying it to anything. All lists are in the order of
// their pointers.
type Facts struct {
	IsObject bool   // the schema is a JSON object (a schema may be a boolean, a mistake anything)
	Type     string // raw JSON of "type" at the root, "" when missing
	Dialect  string // text of $schema, "" when missing
	Union    string // keyword at the root that stands where a type should: anyOf, oneOf, allOf or $ref, "" when there is a type

	Properties  []string // names at the root, sorted
	Undescribed []string // pointers of properties, at any level, with no description of their own or behind a local $ref
	Refs        []Ref    // every $ref and $dynamicRef
	Unknown     []string // pointers of keywords that no dialect defines; names that start with "x-" are anybody's
	Zod         string   // pointer of a serialised Zod object ("" in Zod with HasZod set: the root)
	HasZod      bool
}

// Ref is a reference in a schema.
type Ref struct {
	Pointer  string // of the keyword
	Target   string // as written
	External bool   // leads to another document: peers may not fetch it
	Broken   bool   // leads nowhere inside this one
}

// RootIsObject tells whether the root's type is exactly the string "object", as tool schemas must have it.
func (f *Facts) RootIsObject() bool { return f.Type == `"object"` }

// Inspect looks at a schema, valid or not. It is NotChecked when it is no JSON or beyond the limits.
func Inspect(schema []byte) (Facts, *NotChecked) {
	doc, m, refused := decode(schema, MaxSchema)
	switch {
	case refused != nil:
		return Facts{}, refused
	case m.allPointers > 16*maxPointers:
		return Facts{}, &NotChecked{TooComplex, "member names are too long"}
	}
	root, ok := doc.(map[string]any)
	if !ok {
		return Facts{}, nil
	}
	i := inspector{root: root, ids: map[string]bool{"": true}, anchors: map[string]bool{}}
	f := &i.facts
	f.IsObject = true
	f.Dialect, _ = root["$schema"].(string)
	if t, ok := root["type"]; ok {
		f.Type = rawText(t)
	} else {
		for _, k := range []string{"anyOf", "oneOf", "allOf", "$ref"} {
			if _, ok := root[k]; ok {
				f.Union = k
				break
			}
		}
	}
	if properties, ok := root["properties"].(map[string]any); ok {
		for name := range properties {
			f.Properties = append(f.Properties, name)
		}
		slices.Sort(f.Properties)
	}
	if id, ok := root["$id"].(string); ok {
		if base, err := url.Parse(id); err == nil {
			i.base = base
		}
	}
	i.names(root)
	i.schema(root, nil)
	i.zod(root, nil)
	slices.Sort(f.Undescribed)
	slices.Sort(f.Unknown)
	slices.SortFunc(f.Refs, func(a, b Ref) int { return strings.Compare(a.Pointer, b.Pointer) })
	return i.facts, nil
}

type inspector struct {
	facts   Facts
	root    map[string]any
	base    *url.URL        // $id of the root, if it has one
	ids     map[string]bool // as written, and against the base
	anchors map[string]bool
}

// names collects what references can name, wherever it stands.
func (i *inspector) names(v any) {
	switch v := v.(type) {
	case map[string]any:
		for _, k := range []string{"$id", "id"} {
			if id, ok := v[k].(string); ok {
				document, anchor, _ := strings.Cut(id, "#")
				i.ids[document] = true
				i.ids[i.absolute(document)] = true
				if anchor != "" {
					i.anchors[anchor] = true
				}
			}
		}
		for _, k := range []string{"$anchor", "$dynamicAnchor"} {
			if anchor, ok := v[k].(string); ok {
				i.anchors[anchor] = true
			}
		}
		for _, member := range v {
			i.names(member)
		}
	case []any:
		for _, item := range v {
			i.names(item)
		}
	}
}

// Where subschemas stand: as the value, in an array, or as members of an object.
var (
	valueKeywords = []string{"additionalItems", "additionalProperties", "contains", "contentSchema", "else", "if", "items", "not", "propertyNames", "then", "unevaluatedItems", "unevaluatedProperties"}
	arrayKeywords = []string{"allOf", "anyOf", "oneOf", "prefixItems", "items"}
	mapKeywords   = []string{"$defs", "definitions", "dependencies", "dependentSchemas", "patternProperties", "properties"}
	otherKeywords = []string{"$anchor", "$comment", "$dynamicAnchor", "$dynamicRef", "$id", "$recursiveAnchor", "$recursiveRef", "$ref", "$schema", "$vocabulary",
		"const", "contentEncoding", "contentMediaType", "default", "dependentRequired", "deprecated", "description", "enum", "examples", "exclusiveMaximum",
		"exclusiveMinimum", "format", "id", "maxContains", "maxItems", "maxLength", "maxProperties", "maximum", "minContains", "minItems", "minLength",
		"minProperties", "minimum", "multipleOf", "pattern", "readOnly", "required", "title", "type", "uniqueItems", "writeOnly"}
	knownKeywords = func() map[string]bool {
		known := map[string]bool{}
		for _, list := range [][]string{valueKeywords, arrayKeywords, mapKeywords, otherKeywords} {
			for _, k := range list {
				known[k] = true
			}
		}
		return known
	}()
)

func (i *inspector) schema(v any, path []string) {
	s, ok := v.(map[string]any)
	if !ok {
		return
	}
	below := func(tokens ...string) []string { return slices.Concat(path, tokens) }
	for k, member := range s {
		if !knownKeywords[k] && !strings.HasPrefix(k, "x-") {
			i.facts.Unknown = append(i.facts.Unknown, pointer(below(k)))
		}
		if target, ok := member.(string); ok && (k == "$ref" || k == "$dynamicRef" || k == "$recursiveRef") {
			i.reference(target, pointer(below(k)))
		}
	}
	for _, k := range valueKeywords {
		i.schema(s[k], below(k))
	}
	for _, k := range arrayKeywords {
		items, _ := s[k].([]any)
		for n, item := range items {
			i.schema(item, below(k, strconv.Itoa(n)))
		}
	}
	for _, k := range mapKeywords {
		members, _ := s[k].(map[string]any)
		for name, member := range members {
			i.schema(member, below(k, name))
			if k == "properties" && !i.described(member) {
				i.facts.Undescribed = append(i.facts.Undescribed, pointer(below(k, name)))
			}
		}
	}
}

// described tells whether a property says what it is for. A boolean says all it can, and so does a constant.
func (i *inspector) described(v any) bool {
	for range 10 { // references of references
		s, ok := v.(map[string]any)
		if !ok {
			return true
		}
		if text, _ := s["description"].(string); strings.TrimSpace(text) != "" {
			return true
		}
		if _, ok := s["const"]; ok {
			return true
		}
		target, ok := s["$ref"].(string)
		if !ok || !strings.HasPrefix(target, "#") {
			return false
		}
		if v, ok = i.resolve(target[1:]); !ok {
			return false
		}
	}
	return false
}

func (i *inspector) reference(target, at string) {
	ref := Ref{Pointer: at, Target: target}
	document, fragment, _ := strings.Cut(target, "#")
	switch {
	case document != "" && !i.within(document):
		ref.External = true
	case document == "":
		if _, ok := i.resolve(fragment); !ok && !i.anchors[fragment] {
			ref.Broken = true
		}
	}
	i.facts.Refs = append(i.facts.Refs, ref)
}

// within tells whether a document's name is an $id of this one, as written or against that of the root.
func (i *inspector) within(document string) bool {
	return i.ids[document] || i.ids[i.absolute(document)]
}

func (i *inspector) absolute(document string) string {
	relative, err := url.Parse(document)
	if i.base == nil || err != nil {
		return document
	}
	return i.base.ResolveReference(relative).String()
}

// resolve follows a JSON pointer in a fragment.
func (i *inspector) resolve(fragment string) (any, bool) {
	fragment, err := url.PathUnescape(fragment)
	if err != nil {
		return nil, false
	}
	if fragment == "" {
		return i.root, true
	}
	if fragment[0] != '/' {
		return nil, false
	}
	var v any = i.root
	for token := range strings.SplitSeq(fragment[1:], "/") {
		token = strings.ReplaceAll(strings.ReplaceAll(token, "~1", "/"), "~0", "~")
		switch parent := v.(type) {
		case map[string]any:
			member, ok := parent[token]
			if !ok {
				return nil, false
			}
			v = member
		case []any:
			n, err := strconv.Atoi(token)
			if err != nil || n < 0 || n >= len(parent) {
				return nil, false
			}
			v = parent[n]
		default:
			return nil, false
		}
	}
	return v, true
}

// zod looks for what JSON.stringify makes of a Zod schema: its inner definition instead of a JSON Schema.
func (i *inspector) zod(v any, path []string) {
	switch v := v.(type) {
	case map[string]any:
		if isZod(v) {
			if at := pointer(path); !i.facts.HasZod || at < i.facts.Zod {
				i.facts.HasZod, i.facts.Zod = true, at
			}
			return
		}
		for k, member := range v {
			i.zod(member, slices.Concat(path, []string{k}))
		}
	case []any:
		for n, item := range v {
			i.zod(item, slices.Concat(path, []string{strconv.Itoa(n)}))
		}
	}
}

func isZod(v map[string]any) bool {
	for _, k := range []string{"_def", "def"} {
		def, ok := v[k].(map[string]any)
		if !ok {
			continue
		}
		if name, ok := def["typeName"].(string); ok && strings.HasPrefix(name, "Zod") { // version 3
			return true
		}
		if t, ok := def["type"].(string); ok && t != "" { // version 4 repeats the type beside it
			if same, _ := v["type"].(string); same == t || k == "_def" {
				return true
			}
		}
	}
	if standard, ok := v["~standard"].(map[string]any); ok {
		_, ok := standard["vendor"].(string)
		return ok
	}
	return false
}
