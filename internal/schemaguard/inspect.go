package schemaguard

import (
	"net/url"
	"slices"
	"sort"
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
	case m.pointers > maxPointers:
		return Facts{}, &NotChecked{TooComplex, "member names are too long"}
	}
	if doc.kind != objectKind {
		return Facts{}, nil
	}
	root := doc
	i := inspector{root: root, ids: map[string]bool{"": true}, anchors: map[string]bool{}}
	f := &i.facts
	f.IsObject = true
	f.Dialect, _ = root.str("$schema")
	if t := root.member("type"); t != nil {
		f.Type = rawText(t)
	} else {
		for _, k := range []string{"anyOf", "oneOf", "allOf", "$ref"} {
			if root.member(k) != nil {
				f.Union = k
				break
			}
		}
	}
	root.member("properties").members(func(name string, _ *value) { f.Properties = append(f.Properties, name) })
	slices.Sort(f.Properties)
	if id, ok := root.str("$id"); ok {
		if base, err := url.Parse(id); err == nil {
			i.base = base
		}
	}
	i.names(root)
	i.schema(root, nil)
	i.zod(root, nil)
	slices.Sort(f.Undescribed)
	slices.Sort(f.Unknown)
	sort.Slice(f.Refs, func(i, j int) bool { return f.Refs[i].Pointer < f.Refs[j].Pointer })
	return i.facts, nil
}

type inspector struct {
	facts   Facts
	root    *value
	base    *url.URL        // $id of the root, if it has one
	ids     map[string]bool // as written, and against the base
	anchors map[string]bool
}

// names collects what references can name, wherever it stands.
func (i *inspector) names(v *value) {
	for _, k := range []string{"$id", "id"} {
		if id, ok := v.str(k); ok {
			document, anchor, _ := strings.Cut(id, "#")
			i.ids[document] = true
			i.ids[i.absolute(document)] = true
			if anchor != "" {
				i.anchors[anchor] = true
			}
		}
	}
	for _, k := range []string{"$anchor", "$dynamicAnchor"} {
		if anchor, ok := v.str(k); ok {
			i.anchors[anchor] = true
		}
	}
	v.each(func(_ string, sub *value) { i.names(sub) })
}

// Where subschemas stand: as the value, in an array, or as members of an object.
var (
	valueKeywords = []string{"additionalItems", "additionalProperties", "contains", "contentSchema", "else", "if", "items", "not", "propertyNames", "then", "unevaluatedItems", "unevaluatedProperties"}
	arrayKeywords = []string{"allOf", "anyOf", "oneOf", "prefixItems", "items"}
	mapKeywords   = []string{"$defs", "definitions", "dependencies", "dependentSchemas", "patternProperties", "properties"}
)

// eachSubschema calls visit with what stands where some dialect has subschemas, and with the tokens of its
// place: the keyword, and a name or an index below it.
func eachSubschema(v *value, visit func(sub *value, at ...string)) {
	for _, k := range valueKeywords {
		if sub := v.member(k); sub != nil {
			visit(sub, k)
		}
	}
	for _, k := range arrayKeywords {
		items := v.member(k).items()
		for n := range items {
			visit(&items[n], k, strconv.Itoa(n))
		}
	}
	for _, k := range mapKeywords {
		v.member(k).members(func(name string, sub *value) { visit(sub, k, name) })
	}
}

func (i *inspector) schema(v *value, path []string) {
	if v.kind != objectKind {
		return
	}
	below := func(tokens ...string) []string { return slices.Concat(path, tokens) }
	v.members(func(k string, member *value) {
		if !strings.HasPrefix(k, "x-") && !anyDialectHas(k) {
			i.facts.Unknown = append(i.facts.Unknown, pointer(below(k)))
		}
		if member.kind == stringKind && (k == "$ref" || k == "$dynamicRef" || k == "$recursiveRef") {
			i.reference(member.content(), pointer(below(k)))
		}
	})
	eachSubschema(v, func(sub *value, at ...string) {
		i.schema(sub, below(at...))
		if at[0] == "properties" && !i.described(sub) {
			i.facts.Undescribed = append(i.facts.Undescribed, pointer(below(at...)))
		}
	})
}

// described tells whether a property says what it is for. A boolean says all it can, and so does a constant.
func (i *inspector) described(v *value) bool {
	for range 10 { // references of references
		if v.kind != objectKind {
			return true
		}
		if text, _ := v.str("description"); strings.TrimSpace(text) != "" {
			return true
		}
		if v.member("const") != nil {
			return true
		}
		target, ok := v.str("$ref")
		if !ok || !strings.HasPrefix(target, "#") {
			return false
		}
		if v = i.resolve(target[1:]); v == nil {
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
		if i.resolve(fragment) == nil && !i.anchors[fragment] {
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

// resolve follows a JSON pointer in a fragment, to nil if it leads nowhere.
func (i *inspector) resolve(fragment string) *value {
	fragment, err := url.PathUnescape(fragment)
	if err != nil {
		return nil
	}
	v := i.root
	if fragment == "" {
		return v
	}
	if fragment[0] != '/' {
		return nil
	}
	for token := range strings.SplitSeq(fragment[1:], "/") {
		token, ok := unescapeToken(token)
		if v = v.at(token); v == nil || !ok {
			return nil
		}
	}
	return v
}

// zod looks for what JSON.stringify makes of a Zod schema: its inner definition instead of a JSON Schema.
func (i *inspector) zod(v *value, path []string) {
	if isZod(v) {
		if at := pointer(path); !i.facts.HasZod || at < i.facts.Zod {
			i.facts.HasZod, i.facts.Zod = true, at
		}
		return
	}
	v.each(func(token string, sub *value) { i.zod(sub, append(path, token)) })
}

func isZod(v *value) bool {
	for _, k := range []string{"_def", "def"} {
		def := v.member(k)
		if name, ok := def.str("typeName"); ok && strings.HasPrefix(name, "Zod") { // version 3
			return true
		}
		if t, ok := def.str("type"); ok && t != "" { // version 4 repeats the type beside it
			if same, _ := v.str("type"); same == t || k == "_def" {
				return true
			}
		}
	}
	_, ok := v.member("~standard").str("vendor")
	return ok
}
