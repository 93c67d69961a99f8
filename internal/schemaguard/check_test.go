package schemaguard

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

func compile(t *testing.T, schema string) *Schema {
	t.Helper()
	s, err := Compile([]byte(schema), Draft202012)
	if err != nil {
		t.Fatalf("%s: %v", schema, err)
	}
	return s
}

func verdict(v Verdict) string {
	if v.NotChecked != nil {
		return string(v.NotChecked.Reason)
	}
	var lines []string
	for _, p := range v.Problems {
		line := p.Pointer + " " + p.Keyword + ": " + p.Message
		if p.Value == "" {
			line += " (missing)"
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

func TestCheckWords(t *testing.T) {
	for _, c := range []struct{ name, schema, instance, want string }{
		{"valid", `{"type":"object","properties":{"a":{"type":"integer"}}}`, `{"a":1,"b":null}`, ``},
		{"integral", `{"type":"integer"}`, `1.0`, ``},
		{"type", `{"properties":{"a":{"type":"integer"}}}`, `{"a":"5"}`, `/a type: must be integer, is string "5"`},
		{"types", `{"type":["string","null"]}`, `{"x":[1,2]}`, ` type: must be null or string, is object {"x":[1,2]}`},
		{"required", `{"required":["b","a"]}`, `{}`, " required: must have member \"a\" (missing)\n required: must have member \"b\" (missing)"},
		{"additional", `{"properties":{"a":true},"additionalProperties":false}`, `{"a":1,"x/y":2,"b":3}`,
			"/b additionalProperties: is no member that the schema allows\n/x~1y additionalProperties: is no member that the schema allows"},
		{"enum", `{"enum":["a",1,null]}`, `"b"`, ` enum: must be one of "a", 1, null, is string "b"`},
		{"const", `{"const":{"a":1}}`, `{"a":2}`, ` const: must be {"a":1}, is object {"a":2}`},
		{"bounds", `{"items":{"minimum":0.5,"exclusiveMaximum":3,"multipleOf":0.5}}`, `[0,3,1.2,1]`,
			"/0 minimum: must be at least 0.5, is number 0\n/1 exclusiveMaximum: must be less than 3, is number 3\n/2 multipleOf: must be a multiple of 0.5, is number 1.2"},
		{"lengths", `{"items":{"minLength":2,"maxLength":3}}`, `["é","abcd","ab"]`,
			"/0 minLength: must have at least 2 characters, has 1\n/1 maxLength: must have at most 3 characters, has 4"},
		{"items in order", `{"items":{"type":"null"}}`, `[0,null,2,null,4,5,6,7,8,9,10]`,
			"/0 type: must be null, is number 0\n/2 type: must be null, is number 2\n/4 type: must be null, is number 4\n/5 type: must be null, is number 5\n/6 type: must be null, is number 6\n/7 type: must be null, is number 7\n/8 type: must be null, is number 8\n/9 type: must be null, is number 9\n/10 type: must be null, is number 10"},
		{"arrays", `{"minItems":2,"uniqueItems":true}`, `[1]`, ` minItems: must have at least 2 items, has 1`},
		{"unique", `{"uniqueItems":true}`, `[1,2,1.0]`, ` uniqueItems: must not repeat items, the 1st and the 3rd are equal`},
		{"contains", `{"contains":{"const":1}}`, `[2]`, " contains: must contain an item that the schema describes"},
		{"pattern", `{"pattern":"^a+$"}`, `"b"`, ` pattern: must match ^a+$, is string "b"`},
		{"names", `{"propertyNames":{"maxLength":1}}`, `{"ab":1}`, `/ab propertyNames: name must have at most 1 character, has 2`},
		{"false", `{"properties":{"a":false}}`, `{"a":1}`, `/a false: must not be there`},
		{"not", `{"not":{"type":"string"}}`, `"x"`, ` not: must not be what the schema excludes, is string "x"`},
		{"dependent", `{"dependentRequired":{"a":["b"]}}`, `{"a":1}`, ` dependentRequired: must have member "b", as it has "a" (missing)`},
		{"optional of Pydantic", `{"properties":{"a":{"anyOf":[{"type":"integer"},{"type":"null"}]}}}`, `{"a":"x"}`, `/a anyOf: must be integer or null, is string "x"`},
		{"the alternative that was meant, by type", `{"anyOf":[{"type":"object","required":["a"]},{"type":"null"}]}`, `{}`, ` required: must have member "a" (missing)`},
		{"the alternative that was meant, by tag", `{"oneOf":[{"properties":{"k":{"const":"a"},"n":{"type":"integer"}}},{"properties":{"k":{"const":"b"},"n":{"type":"string"}}}]}`, `{"k":"b","n":1}`,
			`/n type: must be string, is number 1`},
		{"no alternative was meant", `{"oneOf":[{"required":["a"]},{"required":["b"]}]}`, `{}`, ` oneOf: fits none of the 2 alternatives`},
		{"two alternatives", `{"oneOf":[{"type":"integer"},{"type":"string"},{"minimum":1}]}`, `3`, ` oneOf: must fit exactly one alternative, fits the 1st and the 3rd`},
		{"reference", `{"$defs":{"p":{"type":"object","properties":{"next":{"$ref":"#/$defs/p"},"v":{"type":"integer"}}}},"$ref":"#/$defs/p"}`, `{"next":{"next":{"v":"x"}}}`,
			`/next/next/v type: must be integer, is string "x"`},
		{"anchor", `{"$defs":{"p":{"$anchor":"q","type":"string"}},"$ref":"#q"}`, `1`, ` type: must be string, is number 1`},
		{"a dialect", `{"properties":{"schema":{"$ref":"http://json-schema.org/draft-07/schema#"}}}`, `{"schema":{"properties":{"a":{"minLength":"1"}}}}`,
			`/schema/properties/a/minLength type: must be integer, is string "1"`},
		{"dynamic reference", `{"$id":"https://example.com/strict","$dynamicAnchor":"node","$ref":"tree","unevaluatedProperties":false,"$defs":{"tree":{"$id":"tree","$dynamicAnchor":"node","properties":{"data":true,"children":{"items":{"$dynamicRef":"#node"}}}}}}`,
			`{"children":[{"data":1,"daat":1}]}`, "/children false: must not be there\n/children/0/daat false: must not be there"},
		{"dynamic reference, entered below", `{"$id":"https://example.com/outer","$ref":"tree","$defs":{"tree":{"$id":"tree","$dynamicAnchor":"node","properties":{"children":{"items":{"$dynamicRef":"#node"}},"data":{"type":"null"}}}}}`,
			`{"children":[{"data":1}]}`, `/children/0/data type: must be null, is number 1`},
		{"recursive reference", `{"$schema":"https://json-schema.org/draft/2019-09/schema","$id":"https://example.com/strict","$recursiveAnchor":true,"$ref":"tree","unevaluatedProperties":false,"$defs":{"tree":{"$id":"tree","$recursiveAnchor":true,"properties":{"children":{"items":{"$recursiveRef":"#"}}}}}}`,
			`{"children":[{"daat":1}]}`, "/children false: must not be there\n/children/0/daat false: must not be there"},
		{"old dialects ignore a constant beside a reference", `{"$schema":"http://json-schema.org/draft-07/schema#","definitions":{"a":{}},"$ref":"#/definitions/a","const":1}`, `2`, ``},
		{"the place of a bad name", `{"properties":{"b":{"propertyNames":{"maxLength":1}}}}`, `{"a":{"x":1},"b":{"xy":1},"c":2}`, `/b/xy propertyNames: name must have at most 1 character, has 2`},
		{"own id", `{"$id":"https://example.com/a/b","$defs":{"p":{"type":"string"}},"$ref":"https://example.com/a/b#/$defs/p"}`, `1`, ` type: must be string, is number 1`},
		{"unevaluated", `{"allOf":[{"properties":{"a":true}}],"unevaluatedProperties":false}`, `{"a":1,"b":2}`, `/b false: must not be there`},
		{"conditions", `{"if":{"required":["a"]},"then":{"required":["b"]},"else":{"required":["c"]}}`, `{"a":1}`, ` required: must have member "b" (missing)`},
		{"prefix", `{"prefixItems":[{"type":"string"}],"items":false}`, `["a",1]`, `/1 false: must not be there`},
		{"last of two members counts", `{"properties":{"a":{"type":"string"}}}`, `{"a":1,"a":"x"}`, ``},
		{"long value", `{"type":"null"}`, `"` + strings.Repeat("é", 100) + `"`, ` type: must be null, is string "` + strings.Repeat("é", 39) + `…`},
		{"formats of 2020-12 are comments", `{"format":"date"}`, `"x"`, ``},
		{"formats of a draft-07 schema are not", `{"$schema":"http://json-schema.org/draft-07/schema#","format":"date"}`, `"x"`, ` format: must be of format date, is string "x"`},
		{"draft-07 ignores what stands beside a reference", `{"$schema":"http://json-schema.org/draft-07/schema","definitions":{"a":{}},"properties":{"p":{"$ref":"#/definitions/a","type":"string"}}}`, `{"p":1}`, ``},
		{"draft-04", `{"$schema":"http://json-schema.org/draft-04/schema#","maximum":3,"exclusiveMaximum":true}`, `3`, ` exclusiveMaximum: must be less than 3, is number 3`},
		{"exact numbers", `{"maximum":9007199254740992}`, `9007199254740993`, ` maximum: must be at most 9007199254740992, is number 9007199254740993`},
		{"no JSON", `{}`, `{"a":`, `not_json`},
		{"two values", `{}`, `1 2`, `not_json`},
		{"monstrous number", `{"minimum":0}`, `1e999999999`, `number`},
		{"deep", `{}`, strings.Repeat("[", 200) + strings.Repeat("]", 200), `too_deep`},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := compile(t, c.schema)
			for range 3 {
				if got := verdict(s.Check([]byte(c.instance))); got != c.want {
					t.Errorf("%s\n%s\n got %s\nwant %s", c.schema, c.instance, got, c.want)
				}
			}
		})
	}
}

func outcome(err error) string {
	var n *NotChecked
	var i *Invalid
	switch {
	case errors.As(err, &n):
		return string(n.Reason)
	case errors.As(err, &i):
		return "invalid " + i.Problems[0].Pointer + " " + i.Problems[0].Keyword
	case err != nil:
		return err.Error()
	}
	return ""
}

// many joins n pieces.
func many(n int, f func(i int) string) string {
	pieces := make([]string, n)
	for i := range pieces {
		pieces[i] = f(i)
	}
	return strings.Join(pieces, ",")
}

func TestCompileRefuses(t *testing.T) {
	for _, c := range []struct{ name, schema, want string }{
		{"fine", `{"type":"object"}`, ``},
		{"boolean", `true`, ``},
		{"no JSON", `{`, `not_json`},
		{"not a schema", `[]`, `not_json`},
		{"unknown dialect", `{"$schema":"https://example.com/mine"}`, `dialect`},
		{"newer spelling of draft-07", `{"$schema":"https://json-schema.org/draft-07/schema"}`, ``},
		{"bad type", `{"properties":{"a":{"type":"int"}}}`, `invalid /properties/a/type anyOf`},
		{"properties is an array", `{"properties":[]}`, `invalid /properties type`},
		{"required is a boolean", `{"properties":{"a":{"required":true}}}`, `invalid /properties/a/required type`},
		{"remote", `{"$ref":"https://example.com/schema.json"}`, `remote_ref`},
		{"file", `{"$ref":"file:///etc/passwd"}`, `remote_ref`},
		{"relative", `{"$ref":"other.json#/a"}`, `remote_ref`},
		{"invalid where a reference leads", `{"x":{"y":[{"type":1}]},"$ref":"#/x/y/0"}`, `invalid /x/y/0/type anyOf`},
		{"invalid in its own dialect", `{"$defs":{"a":{"$id":"a","$schema":"http://json-schema.org/draft-07/schema#","enum":[]}}}`, `invalid /$defs/a/enum minItems`},
		{"invalid in a definition that nobody uses", `{"$defs":{"a":{"minLength":-1}}}`, `invalid /$defs/a/minLength minimum`},
		{"broken in a definition that nobody uses", `{"$defs":{"a":{"$ref":"#/nowhere","pattern":"(?!x)"}}}`, ``},
		{"two of one anchor", `{"$defs":{"a":{"$anchor":"x"},"b":{"$anchor":"x"}}}`, `broken_ref`},
		{"a part of a dialect", `{"$ref":"https://json-schema.org/draft/2020-12/schema#/$defs/a"}`, `remote_ref`},
		{"beside an id", `{"$id":"file:///tmp/x","$ref":"passwd"}`, `remote_ref`},
		{"nested dialect", `{"properties":{"a":{"$id":"x","$schema":"file:///etc/passwd"}}}`, `remote_ref`},
		{"nowhere", `{"$ref":"#/$defs/a"}`, `broken_ref`},
		{"no such anchor", `{"$ref":"#a"}`, `broken_ref`},
		{"look-ahead", `{"pattern":"^(?!x)"}`, `pattern`},
		{"back reference", `{"patternProperties":{"(a)\\1":{}}}`, `pattern`},
		{"absurd repeat", `{"pattern":"((a{1000}){1000}){1000}"}`, `pattern`},
		{"patterns together", `{"patternProperties":{` + many(1000, func(i int) string { return fmt.Sprintf(`"%d(a{99})":true`, i) }) + `}}`, `pattern`},
		{"self", `{"$ref":"#"}`, `recursion`},
		{"self by allOf", `{"allOf":[{"$ref":"#"}]}`, `recursion`},
		{"two in a circle", `{"$defs":{"a":{"$ref":"#/$defs/b"},"b":{"not":{"$ref":"#/$defs/a"}}},"$ref":"#/$defs/a"}`, `recursion`},
		{"circle that nobody enters", `{"$defs":{"a":{"$ref":"#/$defs/a"}}}`, ``},
		{"recursion through members", `{"properties":{"a":{"$ref":"#"}}}`, ``},
		{"dynamic", `{"$dynamicAnchor":"a","items":{"$dynamicRef":"#a"}}`, ``},
		{"dynamic to itself", `{"$dynamicAnchor":"a","not":{"$dynamicRef":"#a"}}`, `recursion`},
		{"dynamic to nowhere", `{"items":{"$dynamicRef":"#a"}}`, `broken_ref`},
		{"deep", strings.Repeat(`{"not":`, 120) + `{}` + strings.Repeat(`}`, 120), `too_deep`},
		{"many subschemas", `{"properties":{` + many(12_000, func(i int) string { return fmt.Sprintf(`"p%d":true`, i) }) + `}}`, `too_complex`},
		{"long names", `{"properties":{"` + strings.Repeat("x", 500_000) + `":{"properties":{` + many(100, func(i int) string { return fmt.Sprintf(`"p%d":{}`, i) }) + `}}}}`, `too_complex`},
		{"long chain", `{"$defs":{` + many(400, func(i int) string { return fmt.Sprintf(`"d%d":{"$ref":"#/$defs/d%d"}`, i, i+1) }) + `,"d400":{}},"$ref":"#/$defs/d0"}`, `too_complex`},
		{"large", `{"description":"` + strings.Repeat("x", MaxSchema) + `"}`, `too_large`},
		{"monstrous number", `{"maximum":1e99999999}`, `number`},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, err := Compile([]byte(c.schema), Draft202012)
			if got := outcome(err); got != c.want || (err == nil) != (s != nil) {
				t.Errorf("got %q (%v), want %q", got, err, c.want)
			}
			if err != nil && len(err.Error()) > 400 {
				t.Errorf("%d bytes of error", len(err.Error()))
			}
		})
	}
}

// Schemas that cost far more than their size tells. Each either is not checked or takes little.
func TestHostile(t *testing.T) {
	doubling := `{"$defs":{` + many(40, func(i int) string {
		return fmt.Sprintf(`"d%d":{"allOf":[{"$ref":"#/$defs/d%d"},{"$ref":"#/$defs/d%d"}]}`, i, i+1, i+1)
	}) + `,"d40":{"type":"string"}}`
	for _, c := range []struct{ name, schema, instance, want string }{
		{"doubling in place", doubling + `,"$ref":"#/$defs/d0"}`, `"x"`, `too_costly`},
		{"doubling in place, out of reach", doubling + `,"properties":{"a":{"$ref":"#/$defs/d0"}}}`, `1`, ``},
		{"doubling with each level", `{"properties":{"a":{"allOf":[{"$ref":"#"},{"$ref":"#"}]}}}`, strings.Repeat(`{"a":`, 60) + `1` + strings.Repeat(`}`, 60), `too_costly`},
		{"doubling with each level, few levels", `{"properties":{"a":{"allOf":[{"$ref":"#"},{"$ref":"#"}]}}}`, strings.Repeat(`{"a":`, 6) + `1` + strings.Repeat(`}`, 6), ``},
		{"doubling arrays", `{"type":"array","items":{"anyOf":[{"$ref":"#"},{"$ref":"#"},{"type":"string"}]}}`, strings.Repeat(`[`, 50) + `1` + strings.Repeat(`]`, 50), `too_costly`},
		{"plain recursion is cheap", `{"properties":{"a":{"$ref":"#"}},"additionalProperties":false}`, strings.Repeat(`{"a":`, 90) + `{}` + strings.Repeat(`}`, 90), ``},
		{"huge enum, many items", `{"items":{"enum":[` + many(10_000, func(i int) string { return fmt.Sprintf(`"%d"`, i) }) + `]}}`, `[` + many(10_000, func(int) string { return `"x"` }) + `]`, `must be one of`},
		{"huge constant, many items", `{"items":{"const":[` + many(10_000, func(i int) string { return fmt.Sprintf(`"%d"`, i) }) + `]}}`, `[` + many(500, func(int) string { return `[` + many(1_000, func(int) string { return `"x"` }) + `]` }) + `]`, `must be`},
		{"distinct items", `{"uniqueItems":true}`, `[` + many(100_000, func(i int) string { return fmt.Sprint(i) }) + `]`, ``},
		{"distinct items, again and again", `{"allOf":[` + many(100, func(int) string { return `{"uniqueItems":true}` }) + `]}`, `[` + many(100_000, func(i int) string { return fmt.Sprint(i) }) + `]`, `too_costly`},
		{"distinct objects", `{"items":{"uniqueItems":true}}`, `[[` + many(20_000, func(i int) string { return fmt.Sprintf(`{"a":%d,"b":[{}]}`, i) }) + `]]`, ``},
		{"huge enum, one item", `{"enum":[` + many(10_000, func(i int) string { return fmt.Sprintf(`"%d"`, i) }) + `]}`, `"9999"`, ``},
		{"pattern that backtracks elsewhere", `{"pattern":"^(a+)+$"}`, `"` + strings.Repeat("a", 10_000) + `b"`, "pattern: must match"},
		{"large pattern, long text", `{"pattern":"^(a{1,500}b?)+$"}`, `"` + strings.Repeat("a", 100_000) + `"`, `too_costly`},
		{"many patterns, many names", `{"patternProperties":{` + many(1000, func(i int) string { return fmt.Sprintf(`"^%d.*x":true`, i) }) + `}}`, `{` + many(10_000, func(i int) string { return fmt.Sprintf(`"%d":1`, i) }) + `}`, `too_costly`},
		{"unevaluated, many names", `{"unevaluatedProperties":false,"allOf":[` + many(500, func(i int) string { return `{"properties":{"a":true}}` }) + `]}`, `{` + many(5_000, func(i int) string { return fmt.Sprintf(`"%d":1`, i) }) + `}`, `must not be there`},
		{"unevaluated, many names in many branches", `{"unevaluatedProperties":false,"allOf":[` + many(500, func(i int) string { return `{"patternProperties":{"^1":true}}` }) + `]}`, `{` + many(5_000, func(i int) string { return fmt.Sprintf(`"%d":1`, i) }) + `}`, `too_costly`},
		{"regex format with large regexes", `{"$schema":"http://json-schema.org/draft-07/schema#","items":{"format":"regex"}}`, `[` + many(50_000, func(i int) string { return `"(a{1000}){20}"` }) + `]`, ``},
		{"many faults", `{"items":{"anyOf":[{"items":{"type":"string"}},{"items":{"type":"null"}}]}}`, `[` + many(5_000, func(int) string { return `[1,2,3]` }) + `]`, `fits none`},
		{"one fault, said again and again", doubling + `,"$ref":"#/$defs/d25"}`, `1`, `must be string`},
		{"as deep as it gets", `{"$defs":{` + many(190, func(i int) string { return fmt.Sprintf(`"d%d":{"$ref":"#/$defs/d%d"}`, i, i+1) }) + `,"d190":{"properties":{"a":{"$ref":"#/$defs/d0"}}}},"$ref":"#/$defs/d0"}`, strings.Repeat(`{"a":`, 95) + `1` + strings.Repeat(`}`, 95), ``},
		{"references to places within each other", `{"x":` + strings.Repeat(`{"y":`, 95) + `{}` + strings.Repeat(`}`, 95) + `,"allOf":[` + many(95, func(i int) string { return `{"$ref":"#/x` + strings.Repeat("/y", i) + `"}` }) + `]}`, `1`, ``},
		{"dynamic references after each other", `{"$defs":{` + many(400, func(i int) string {
			return fmt.Sprintf(`"d%d":{"$id":"i%d","$dynamicAnchor":"a%d","items":{"$dynamicRef":"i%d#a%d"}}`, i, i, i, i+1, i+1)
		}) + `,"d400":{"$id":"i400","$dynamicAnchor":"a400"}},"items":{"$dynamicRef":"i0#a0"}}`, strings.Repeat(`[`, 90) + strings.Repeat(`]`, 90), ``},
		{"large instance", `{}`, `"` + strings.Repeat("x", MaxInstance) + `"`, `too_large`},
		{"large text is cheap", `{"properties":{"a":{"type":"string","minLength":1}}}`, `{"a":"` + strings.Repeat("x", 4<<20) + `"}`, ``},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := compile(t, c.schema)
			v := s.Check([]byte(c.instance))
			if v.Work > MaxWork {
				t.Errorf("work %d", v.Work)
			}
			got := verdict(v)
			if got != c.want && (c.want == "" || !strings.Contains(got, c.want)) {
				t.Errorf("got %.200q, want %q", got, c.want)
			}
			if len(v.Problems) > MaxProblems {
				t.Errorf("%d problems", len(v.Problems))
			}
			if again := verdict(s.Check([]byte(c.instance))); again != got {
				t.Errorf("first %q, then %q", got, again)
			}
		})
	}
}

func ExampleSchema_Check() {
	s, err := Compile([]byte(`{"type":"object","properties":{"n":{"type":"integer"}}}`), Draft202012)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(s.Check([]byte(`{"n":5}`)).Valid())
	fmt.Println(s.Check([]byte(`{"n":"5"}`)).Problems[0].Message)
	// Output:
	// true
	// must be integer, is string "5"
}
