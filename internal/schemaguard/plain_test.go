package schemaguard

import (
	"fmt"
	"testing"
)

// plainSchemas ask for every keyword that is decided on raw JSON, and for some that are not.
var plainSchemas = []string{
	toolSchema,
	`true`, `{}`,
	`{"type":"object"}`,
	`{"type":"object","properties":{"a":{"type":"string"},"n":{"type":"integer","minimum":1,"maximum":5}},"required":["a"]}`,
	`{"type":"object","properties":{"a":{"enum":["x","y"]},"b":{"type":["string","null"]}},"additionalProperties":false}`,
	`{"type":"object","properties":{"s":{"type":"string","minLength":2,"maxLength":3},"l":{"type":"array","items":{"type":"number"},"minItems":1,"maxItems":2}}}`,
	`{"type":"object","properties":{"a":{"anyOf":[{"type":"string"},{"type":"null"}]},"b":{"type":"boolean"}}}`,
	`{"type":"object","properties":{"a":{"type":"string","pattern":"^x"},"b":{"const":1}},"required":["b"]}`,
	`{"type":"object","properties":{"a":{"minLength":2}}}`,
	`{"type":"object","properties":{"a":{"type":["string","array"],"minItems":2,"minLength":1}}}`,
	`{"type":"object","required":["z"]}`,
	`{"type":"object","properties":{"ä\"":{"type":"string"}},"required":["ä\""]}`,
	`{"type":"object","patternProperties":{"^a":{"type":"string"}}}`,
	`{"type":"object","properties":{"a":{"$ref":"#/$defs/s"}},"$defs":{"s":{"type":"string"}}}`,
	`{"type":"object","properties":{"a":false}}`,
	`{"type":"object","properties":{"a":{"type":"number","exclusiveMinimum":0}},"minProperties":1}`,
	`{"$schema":"http://json-schema.org/draft-07/schema#","type":"object","properties":{"a":{"type":"string","format":"uri"}}}`,
	`{"$schema":"http://json-schema.org/draft-04/schema#","type":"object","properties":{"n":{"type":"integer"}}}`,
	`{"type":"array","items":{"type":"object","properties":{"a":{"type":"object"}},"required":["a"]},"uniqueItems":true}`,
	`{"enum":["a",1,null]}`,
}

var plainInstances = []string{
	`{}`, `{"a":"x"}`, `{"a":"x","n":3}`, `{"a":"x","n":9}`, `{"a":"x","n":1.0}`, `{"a":"x","n":1e0}`, `{"n":3}`, `{"a":"z"}`, `{"a":"y","b":null}`, `{"a":"y","b":1}`,
	`{"s":"ab"}`, `{"s":"a"}`, `{"s":"äöü"}`, `{"s":"äöüß"}`, `{"s":"\u0061b"}`, `{"l":[1]}`, `{"l":[]}`, `{"l":[1,2.5]}`, `{"l":[1,2,3]}`, `{"l":["1"]}`,
	`{"b":1}`, `{"b":true}`, `{"b":1,"a":"xy"}`, `{"z":0}`, `{"ä\"":"x"}`, `{"\u0061":1}`, `{"a":1,"a":"x"}`, `{"a":"x","a":1}`, `{"a":[1]}`, `{"a":[1,2]}`, `{"a":-1}`,
	`{"a":12345678901234567890}`, `{"n":1234567890123456789012345678901234567890}`, `{"a":{}}`, `[{"a":{}}]`, `[{"a":{}},{"a":{}}]`, `[{}]`, `"a"`, `1`, `null`,
	`{"path":"p","edits":[]}`, `{"path":"p","edits":[{"oldText":"a","newText":"b"}],"dryRun":true}`, `{"path":"p","edits":[{"oldText":"a"}]}`, `{"path":"p","edits":[],"more":1}`,
	`{"a":"x"} `, ` {"a" : "x" }`, `{"a":"x"}x`, `{"a":"x"}{}`, `{"a":"x"`, `{"a":x}`, ``, `{"a":"` + "\xff" + `"}`,
}

// comparePlain holds what is accepted on raw JSON against the full validator.
func comparePlain(t *testing.T, schema, instance string) (accepted bool) {
	t.Helper()
	s, err := Compile([]byte(schema), Draft202012)
	if err != nil || s.plain == nil {
		return false
	}
	quick, _ := s.plain.accepts([]byte(instance))
	s.plain = nil
	full := s.Check([]byte(instance))
	if quick && !full.Valid() && (full.NotChecked == nil || full.NotChecked.Reason != TooCostly) {
		t.Errorf("%s is accepted under %s, but %v %v", instance, schema, full.Problems, full.NotChecked)
	}
	return quick
}

func TestPlainAgrees(t *testing.T) {
	accepted := 0
	for _, schema := range plainSchemas {
		for _, instance := range plainInstances {
			if comparePlain(t, schema, instance) {
				accepted++
			}
		}
	}
	if accepted < 150 {
		t.Errorf("only %d pairs were accepted", accepted)
	}
}

// What tools list most must not need the library.
func TestPlainAccepts(t *testing.T) {
	for _, c := range []struct{ schema, instance string }{
		{toolSchema, `{"path":"p","edits":[{"oldText":"a","newText":"b"}],"dryRun":true}`},
		{plainSchemas[4], `{"a":"x","n":3,"more":[1,{"b":null}]}`},
		{plainSchemas[5], `{"a":"y","b":null}`},
		{plainSchemas[6], `{"s":"äöü","l":[1,2.5]}`},
		{plainSchemas[7], `{"b":true}`}, // what is not plain is not there
	} {
		s, err := Compile([]byte(c.schema), Draft202012)
		if err != nil {
			t.Fatal(err)
		}
		if ok, steps := s.plain.accepts([]byte(c.instance)); !ok || steps == 0 {
			t.Errorf("%s is not accepted under %s", c.instance, c.schema)
		}
	}
}

func FuzzPlain(f *testing.F) {
	for i, schema := range plainSchemas {
		for j := range 3 {
			f.Add(schema, plainInstances[(7*i+j)%len(plainInstances)])
		}
	}
	f.Fuzz(func(t *testing.T, schema, instance string) { comparePlain(t, schema, instance) })
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
