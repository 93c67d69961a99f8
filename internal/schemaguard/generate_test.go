package schemaguard

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// generator makes schemas and instances that meet each other often: few names, few values.
type generator struct {
	*rand.Rand
	draft    Draft
	defs     int
	keywords []generatedKeyword
	wild     bool // some values of keywords are anything
}

var generatedNames = []string{"a", "b", "c", "ab", "é/~"}

func (g *generator) pick(options ...string) string { return options[g.IntN(len(options))] }

func (g *generator) name() string { return g.pick(generatedNames...) }

func (g *generator) small() string {
	return g.pick("0", "1", "2", "3", "1.0", "2e0", "5")
}

func (g *generator) number() string {
	return g.pick("0", "-0", "1", "1.0", "10e-1", "1.5", "-2", "0.1", "0.3", "3", "7", "1e2", "100", "12345678901234567890", "12345678901234567891", "1e40", "0.1e-40", "9007199254740993")
}

func (g *generator) scalar() string {
	switch g.IntN(6) {
	case 0:
		return g.pick("null", "true", "false")
	case 1, 2:
		return g.number()
	}
	return g.pick(`""`, `"a"`, `"b"`, `"ab"`, `"abc"`, `"é"`, `"😀x"`, `"2020-02-30"`, `"2020-02-29"`, `"x@y.z"`, `"::1"`, `"a:b"`, `"/a"`)
}

func (g *generator) instance(depth int) string {
	n := g.IntN(8)
	switch {
	case depth == 0 || n < 3:
		return g.scalar()
	case n < 6:
		members := g.several(4, func() string { return fmt.Sprintf("%q:%s", g.name(), g.instance(depth-1)) })
		return "{" + members + "}"
	}
	return "[" + g.several(4, func() string { return g.instance(depth - 1) }) + "]"
}

func (g *generator) several(most int, f func() string) string {
	list := repeat(g.IntN(most+1), f)
	return strings.Join(list, ",")
}

func (g *generator) some(most int, f func() string) string {
	return strings.Join(repeat(1+g.IntN(most), f), ",")
}

func repeat(n int, f func() string) []string {
	list := make([]string, n)
	for i := range list {
		list[i] = f()
	}
	return list
}

// generatedKeyword makes the value of a keyword, for dialects from one to another.
type generatedKeyword struct {
	name     string
	from, to int
	value    func(g *generator, depth int) string
}

func (g *generator) sub(depth int) string { return g.schema(depth - 1) }

func (g *generator) subs(depth int) string {
	return "[" + g.some(3, func() string { return g.sub(depth) }) + "]"
}

func (g *generator) members(most int, value func() string) string {
	names := map[string]bool{}
	return "{" + strings.Join(repeat(1+g.IntN(most), func() string {
		name := g.name()
		for names[name] {
			name += "x"
		}
		names[name] = true
		return fmt.Sprintf("%q:%s", name, value())
	}), ",") + "}"
}

func (g *generator) names() string {
	list := []string{}
	for _, n := range generatedNames {
		if g.IntN(3) == 0 {
			list = append(list, fmt.Sprintf("%q", n))
		}
	}
	if len(list) == 0 {
		list = append(list, `"a"`)
	}
	return "[" + strings.Join(list, ",") + "]"
}

func generatedKeywords() []generatedKeyword {
	anySmall := func(g *generator, _ int) string { return g.small() }
	anyNumber := func(g *generator, _ int) string { return g.number() }
	oneSub, someSubs := (*generator).sub, (*generator).subs
	namedSubs := func(g *generator, depth int) string { return g.members(3, func() string { return g.sub(depth) }) }
	return []generatedKeyword{
		{"type", 4, 2020, func(g *generator, _ int) string {
			types := []string{`"object"`, `"array"`, `"string"`, `"number"`, `"integer"`, `"boolean"`, `"null"`}
			if g.IntN(3) > 0 {
				return g.pick(types...)
			}
			i := g.IntN(5)
			return "[" + types[i] + "," + types[i+1+g.IntN(2)] + "]"
		}},
		{"type", 4, 2020, func(g *generator, _ int) string { return `"object"` }},
		{"enum", 4, 2020, func(g *generator, _ int) string {
			known := map[string]bool{}
			var list []string
			for range 1 + g.IntN(3) {
				v := g.instance(1)
				if d, _, refused := decode([]byte(v), MaxSchema); refused == nil && !known[string(appendKey(nil, d))] {
					known[string(appendKey(nil, d))] = true
					list = append(list, v)
				}
			}
			return "[" + strings.Join(list, ",") + "]"
		}},
		{"const", 6, 2020, func(g *generator, _ int) string { return g.instance(1) }},
		{"minimum", 4, 2020, anyNumber}, {"maximum", 4, 2020, anyNumber},
		{"exclusiveMinimum", 6, 2020, anyNumber}, {"exclusiveMaximum", 6, 2020, anyNumber},
		{"multipleOf", 4, 2020, func(g *generator, _ int) string { return g.pick("1", "2", "0.1", "1.5", "0.01", "1e1", "3") }},
		{"minLength", 4, 2020, anySmall}, {"maxLength", 4, 2020, anySmall},
		{"pattern", 4, 2020, func(g *generator, _ int) string { return g.pick(`"^a"`, `"b$"`, `"."`, `"^[ab]+$"`, `"\\d"`) }},
		{"format", 4, 2020, func(g *generator, _ int) string {
			return g.pick(`"date"`, `"email"`, `"ipv6"`, `"uri"`, `"json-pointer"`, `"unknown"`)
		}},
		{"minItems", 4, 2020, anySmall}, {"maxItems", 4, 2020, anySmall},
		{"uniqueItems", 4, 2020, func(g *generator, _ int) string { return g.pick("true", "true", "false") }},
		{"minProperties", 4, 2020, anySmall}, {"maxProperties", 4, 2020, anySmall},
		{"required", 4, 2020, func(g *generator, _ int) string { return g.names() }},
		{"properties", 4, 2020, namedSubs}, {"properties", 4, 2020, namedSubs}, {"properties", 4, 2020, namedSubs},
		{"patternProperties", 4, 2020, func(g *generator, depth int) string {
			return fmt.Sprintf("{%q:%s}", g.pick("^a", "b", ".", "/"), g.sub(depth))
		}},
		{"additionalProperties", 4, 2020, func(g *generator, depth int) string { return g.pick("false", "true", g.sub(depth)) }},
		{"propertyNames", 6, 2020, oneSub},
		{"dependencies", 4, 2020, func(g *generator, depth int) string {
			return fmt.Sprintf("{%q:%s,\"b\":%s}", "a", g.sub(depth), g.names())
		}},
		{"dependentRequired", 2019, 2020, func(g *generator, _ int) string { return g.members(2, g.names) }},
		{"dependentSchemas", 2019, 2020, namedSubs},
		{"items", 4, 2019, func(g *generator, depth int) string { return g.pick(g.subs(depth), g.sub(depth)) }},
		{"items", 2020, 2020, oneSub},
		{"additionalItems", 4, 2019, func(g *generator, depth int) string { return g.pick("false", "true", g.sub(depth)) }},
		{"prefixItems", 2020, 2020, someSubs},
		{"contains", 6, 2020, oneSub},
		{"minContains", 2019, 2020, anySmall}, {"maxContains", 2019, 2020, anySmall},
		{"allOf", 4, 2020, someSubs}, {"anyOf", 4, 2020, someSubs}, {"anyOf", 4, 2020, someSubs}, {"oneOf", 4, 2020, someSubs},
		{"not", 4, 2020, oneSub},
		{"if", 7, 2020, oneSub}, {"then", 7, 2020, oneSub}, {"else", 7, 2020, oneSub},
		{"unevaluatedProperties", 2019, 2020, func(g *generator, depth int) string { return g.pick("false", "false", g.sub(depth)) }},
		{"unevaluatedItems", 2019, 2020, func(g *generator, depth int) string { return g.pick("false", "false", g.sub(depth)) }},
		{"$ref", 4, 2020, func(g *generator, _ int) string { return fmt.Sprintf(`"#/definitions/d%d"`, g.IntN(g.defs)) }},
		{"title", 4, 2020, func(*generator, int) string { return `"x"` }},
		{"default", 4, 2020, func(g *generator, _ int) string { return g.instance(1) }},
		{"readOnly", 7, 2020, func(*generator, int) string { return "true" }},
		{"x-unknown", 4, 2020, func(*generator, int) string { return `{"type":1}` }},
	}
}

func (g *generator) schema(depth int) string {
	if g.draft != Draft04 && g.IntN(12) == 0 {
		return g.pick("true", "false", "{}")
	}
	if depth <= 0 {
		return g.pick(`{}`, `{"type":"string"}`, `{"type":["integer","null"]}`, `{"enum":["a",1]}`, `{"minimum":2}`, `{"maxLength":1}`, `{"required":["a"]}`)
	}
	number := g.draft.number()
	var members []string
	used := map[string]bool{}
	if g.keywords == nil {
		g.keywords = generatedKeywords()
	}
	for range 1 + g.IntN(4) {
		k := g.keywords[g.IntN(len(g.keywords))]
		if used[k.name] || number < k.from || number > k.to || k.name == "$ref" && g.defs == 0 {
			continue
		}
		if k.name == "$ref" && number < 2019 {
			return `{"$ref":` + k.value(g, depth) + `}` // the library forgets to ignore some of what stands beside it
		}
		used[k.name] = true
		value := k.value(g, depth)
		if g.wild && g.IntN(6) == 0 {
			value = g.pick(g.instance(1), `[]`, `{}`, `-1`, `"#"`, `["a","a"]`, `[1]`, `{"a":1}`, `{"a":["a","a"]}`, `[{"type":"x"}]`, `{"type":[]}`, `true`)
		}
		members = append(members, fmt.Sprintf("%q:%s", k.name, value))
	}
	return "{" + strings.Join(members, ",") + "}"
}

// document makes a schema with definitions. They may refer to each other, so some are circular.
func (g *generator) document() string {
	dialect := map[Draft]string{
		Draft04: "http://json-schema.org/draft-04/schema#", Draft06: "http://json-schema.org/draft-06/schema#", Draft07: "http://json-schema.org/draft-07/schema#",
		Draft201909: "https://json-schema.org/draft/2019-09/schema", Draft202012: "https://json-schema.org/draft/2020-12/schema",
	}[g.draft]
	g.defs = g.IntN(4)
	var defs []string
	for i := range g.defs {
		defs = append(defs, fmt.Sprintf(`"d%d":%s`, i, g.schema(2)))
	}
	s := g.schema(3)
	if s[0] != '{' {
		s = "{}"
	}
	text := fmt.Sprintf(`{"$schema":%q,"definitions":{%s}`, dialect, strings.Join(defs, ","))
	if s != "{}" {
		text += "," + s[1:len(s)-1]
	}
	return text + "}"
}
