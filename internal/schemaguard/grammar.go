package schemaguard

import (
	"strings"
	"sync"
)

// The dialects as a table: which keyword there is from which number of a dialect to which, and what its
// value must be. Of it nodes are made, so that a schema is checked like any other value.

// shape makes the node of a keyword's value, in a dialect whose schemas are as schema says.
type shape func(schema *node) *node

var keywordTable = []struct {
	from, to int
	keywords string
	shape    shape
}{
	{4, 4, "id $ref", ofKind(stringKind)},
	{6, 7, "$id", formatted("uri-reference")},
	{2019, 2020, "$id", func(*node) *node {
		n := formatted("uri-reference")(nil)
		n.strings = &stringRules{most: -1, pattern: mustPattern(`^[^#]*#?$`)}
		return n
	}},
	{6, 2020, "$ref", formatted("uri-reference")},
	{2019, 2020, "$recursiveRef", formatted("uri-reference")},
	{2020, 2020, "$dynamicRef", formatted("uri-reference")},
	{2019, 2019, "$recursiveAnchor", ofKind(booleanKind)},
	{2019, 2019, "$anchor", matching(`^[A-Za-z][-A-Za-z0-9.:_]*$`)},
	{2020, 2020, "$anchor $dynamicAnchor $recursiveAnchor", matching(`^[A-Za-z_][-A-Za-z0-9._]*$`)},
	{4, 2020, "$schema", formatted("uri")},
	{2019, 2020, "$vocabulary", func(*node) *node {
		return &node{kinds: objectKind, objects: &objectRules{most: -1, names: formatted("uri")(nil), additional: &node{kinds: booleanKind}}}
	}},

	{4, 2020, "title description format", ofKind(stringKind)},
	{7, 2020, "$comment contentMediaType contentEncoding", ofKind(stringKind)},
	{4, 2020, "default", anything},
	{7, 2020, "examples", ofKind(arrayKind)},
	{7, 2020, "readOnly writeOnly", ofKind(booleanKind)},
	{2019, 2020, "deprecated", ofKind(booleanKind)},

	{4, 2020, "type", func(*node) *node {
		simple := &node{enum: enumOf(nil)}
		for _, name := range kindNames {
			simple.enum.values = append(simple.enum.values, value{kind: stringKind, text: name})
		}
		simple.enum = enumOf(simple.enum.values)
		several := &node{kinds: arrayKind, arrays: &arrayRules{least: 1, most: -1, unique: true, rest: simple}}
		return either(simple, several)
	}},
	{6, 2020, "const", anything},
	{4, 7, "enum", func(*node) *node {
		return &node{kinds: arrayKind, arrays: &arrayRules{least: 1, most: -1, unique: true}}
	}},
	{2019, 2020, "enum", ofKind(arrayKind)},

	{4, 2020, "multipleOf", func(*node) *node {
		return &node{kinds: numberKind, numbers: &numberRules{above: &limit{text: "0"}}}
	}},
	{4, 2020, "minimum maximum", ofKind(numberKind)},
	{4, 4, "exclusiveMinimum exclusiveMaximum", ofKind(booleanKind)},
	{6, 2020, "exclusiveMinimum exclusiveMaximum", ofKind(numberKind)},
	{4, 2020, "minLength maxLength minItems maxItems minProperties maxProperties", counting},
	{2019, 2020, "minContains maxContains", counting},
	{4, 2020, "pattern", ofKind(stringKind)}, // whether it can be run is another question
	{4, 2020, "uniqueItems", ofKind(booleanKind)},
	{4, 4, "required", names(1)},
	{6, 2020, "required", names(0)},
	{2019, 2020, "dependentRequired", func(*node) *node { return each(names(0)(nil)) }},

	{4, 4, "additionalItems additionalProperties", func(schema *node) *node { return either(&node{kinds: booleanKind}, schema) }},
	{6, 2019, "additionalItems", one},
	{6, 2020, "additionalProperties", one},
	{4, 2020, "not", one},
	{6, 2020, "contains propertyNames", one},
	{7, 2020, "if then else", one},
	{2019, 2020, "contentSchema unevaluatedItems unevaluatedProperties", one},
	{4, 2019, "items", func(schema *node) *node { return either(schema, some(schema)) }},
	{2020, 2020, "items", one},
	{4, 2020, "allOf anyOf oneOf", some},
	{2020, 2020, "prefixItems", some},
	{4, 2020, "definitions properties patternProperties", each},
	{2019, 2020, "$defs dependentSchemas", each},
	{4, 4, "dependencies", func(schema *node) *node { return each(either(schema, names(1)(nil))) }},
	{6, 2020, "dependencies", func(schema *node) *node { return each(either(schema, names(0)(nil))) }},
}

func ofKind(k kind) shape { return func(*node) *node { return &node{kinds: k} } }

func formatted(name string) shape {
	return func(*node) *node { return &node{kinds: stringKind, format: formatOf(name)} }
}

func matching(source string) shape {
	return func(*node) *node {
		return &node{kinds: stringKind, strings: &stringRules{most: -1, pattern: mustPattern(source)}}
	}
}

func mustPattern(source string) *pattern {
	p, err := compilePattern(source, maxProgram)
	if err != nil {
		panic(err)
	}
	return p
}

func anything(*node) *node { return &node{fixed: accepts} }

func counting(*node) *node {
	return &node{kinds: integerKind, numbers: &numberRules{minimum: &limit{text: "0"}}}
}

// names is an array of different strings.
func names(least int) shape {
	return func(*node) *node {
		return &node{kinds: arrayKind, arrays: &arrayRules{least: least, most: -1, unique: true, rest: &node{kinds: stringKind}}}
	}
}

func one(schema *node) *node { return schema }

// some is an array of schemas, not empty.
func some(schema *node) *node {
	return &node{kinds: arrayKind, arrays: &arrayRules{least: 1, most: -1, rest: schema}}
}

// each is an object of values of one shape.
func each(n *node) *node {
	return &node{kinds: objectKind, objects: &objectRules{most: -1, additional: n}}
}

func either(a, b *node) *node { return &node{logic: &logic{anyOf: []*node{a, b}}} }

// grammar returns what a schema of a dialect must be.
func grammar(d Draft) *node { return grammars[d]() }

// keywordsOf returns the keywords of a dialect.
func keywordsOf(d Draft) map[string]*node { return grammar(d).objects.properties }

// anyDialectHas tells whether a keyword is one.
func anyDialectHas(keyword string) bool {
	for d := range grammars {
		if keywordsOf(d)[keyword] != nil {
			return true
		}
	}
	return false
}

// grammars are made when they are needed: a proxy starts without them.
var grammars = map[Draft]func() *node{
	Draft04:     sync.OnceValue(func() *node { return newGrammar(Draft04) }),
	Draft06:     sync.OnceValue(func() *node { return newGrammar(Draft06) }),
	Draft07:     sync.OnceValue(func() *node { return newGrammar(Draft07) }),
	Draft201909: sync.OnceValue(func() *node { return newGrammar(Draft201909) }),
	Draft202012: sync.OnceValue(func() *node { return newGrammar(Draft202012) }),
}

func newGrammar(d Draft) *node {
	r := &objectRules{most: -1, properties: make(map[string]*node)}
	schema := &node{grammar: d, kinds: objectKind | booleanKind, objects: r}
	if d == Draft04 {
		schema.kinds = objectKind
		for _, end := range []string{"minimum", "maximum"} {
			exclusive := "exclusive" + strings.ToUpper(end[:1]) + end[1:]
			r.dependents = append(r.dependents, dependent{keyword: "dependencies", name: exclusive, required: []string{end}})
		}
	}
	for _, row := range keywordTable {
		if number := d.number(); number < row.from || number > row.to {
			continue
		}
		for keyword := range strings.FieldsSeq(row.keywords) {
			r.properties[keyword] = row.shape(schema)
			r.order = append(r.order, keyword)
		}
	}
	schema.measure() // before it is shared
	return schema
}
