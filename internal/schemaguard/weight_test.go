package schemaguard

import (
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// visitCounter is an extension that every subschema has: the library calls it once a visit.
type visitCounter struct{ visits int64 }

func (c *visitCounter) Validate(*jsonschema.ValidatorContext, any) { c.visits++ }

// The estimate is an upper bound of what the library really does, and for schemas of honest size not far
// above it.
func TestBoundHolds(t *testing.T) {
	schemas := []string{
		`{"type":"object","properties":{"a":{"type":"integer"},"b":{"items":{"type":"string"}}},"additionalProperties":{"maxLength":3}}`,
		`{"properties":{"a":{"$ref":"#"},"b":{"$ref":"#"}},"items":{"$ref":"#"},"type":["object","array","integer","string"]}`,
		`{"properties":{"a":{"allOf":[{"$ref":"#"},{"$ref":"#"}]}},"items":{"oneOf":[{"$ref":"#"},{"type":"integer"}]}}`,
		`{"$defs":{"n":{"anyOf":[{"type":"integer"},{"items":{"$ref":"#/$defs/n"}},{"additionalProperties":{"$ref":"#/$defs/n"}}]}},"$ref":"#/$defs/n"}`,
		`{"if":{"required":["a"]},"then":{"properties":{"a":{"not":{"type":"string"}}}},"else":{"minProperties":1},"propertyNames":{"maxLength":5}}`,
		`{"allOf":[{"properties":{"a":{"unevaluatedItems":false,"prefixItems":[{"type":"integer"}]}}},{"patternProperties":{"^b":{"uniqueItems":true}}}],"unevaluatedProperties":{"$ref":"#"}}`,
		`{"prefixItems":[{"const":1},{"enum":[1,2,[3]]}],"items":{"contains":{"$ref":"#/prefixItems/0"}},"dependentSchemas":{"a":{"minProperties":1},"b":{"items":true}}}`,
	}
	instances := []string{
		`1`, `"x"`, `[]`, `{}`, `{"a":1,"b":["x","y"]}`, `{"a":{"a":{"a":{"b":[1,[2,[3,[4]]]]}}},"b":{"a":1}}`,
		`[[1,[2,3]],{"a":[1,2,3],"b":{"a":{"b":[]}}},"x",[[[[]]]]]`,
		strings.Repeat(`{"a":`, 12) + `[1,2]` + strings.Repeat(`}`, 12),
		strings.Repeat(`[`, 12) + `1,2` + strings.Repeat(`]`, 12),
	}
	for _, schema := range schemas {
		doc, _, refused := decode([]byte(schema), MaxSchema)
		if refused != nil {
			t.Fatal(refused)
		}
		visits := &visitCounter{}
		s := &Schema{Draft: Draft202012}
		err := s.build(doc, func(c *jsonschema.Compiler) {
			c.RegisterVocabulary(&jsonschema.Vocabulary{
				URL: "test:count",
				Compile: func(*jsonschema.CompilerContext, map[string]any) (jsonschema.SchemaExt, error) {
					return visits, nil
				},
			})
			c.AssertVocabs()
		})
		if err != nil {
			t.Fatal(err)
		}
		if s.weights, refused = weigh(s.root); refused != nil {
			t.Fatal(refused)
		}
		for _, instance := range instances {
			value, m, refused := decode([]byte(instance), MaxInstance)
			if refused != nil {
				t.Fatal(refused)
			}
			exact := counter{w: &s.weights, known: make(map[visit]int64)}
			bounds := []int64{s.weights.bound(s.root, value, m), exact.visits(s.root, exact.tree(value))}
			visits.visits = 0
			_ = s.root.Validate(value)
			for _, bound := range bounds {
				if bound < visits.visits {
					t.Errorf("%s\n%s\n%d visits, bound %d", schema, instance, visits.visits, bound)
				}
			}
			// What is evaluated elsewhere is not tracked: there the bound is loose.
			if bounds[1] > 100+30*visits.visits && !strings.Contains(schema, "unevaluated") {
				t.Errorf("%s\n%s\n%d visits, exact bound %d", schema, instance, visits.visits, bounds[1])
			}
		}
	}
}
