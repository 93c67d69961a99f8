package schemaguard

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestInspect(t *testing.T) {
	for _, c := range []struct {
		name, schema string
		want         Facts
	}{
		{"plain", `{"type":"object","properties":{"b":{"description":"x"},"a":{"type":"string"}}}`,
			Facts{IsObject: true, Type: `"object"`, Properties: []string{"a", "b"}, Undescribed: []string{"/properties/a"}}},
		{"boolean", `true`, Facts{}},
		{"several types", `{"type":["object","null"]}`, Facts{IsObject: true, Type: `["object","null"]`}},
		{"union at the root", `{"anyOf":[{"type":"object","properties":{"a":{}}}]}`,
			Facts{IsObject: true, Union: "anyOf", Undescribed: []string{"/anyOf/0/properties/a"}}},
		{"references", `{"type":"object","$defs":{"d":{"description":"y"},"e":{"$anchor":"z"}},"properties":{"a":{"$ref":"#/$defs/d"},"b":{"$ref":"#/$defs/e"},"c":{"$ref":"#z"},"d":{"$ref":"#/$defs/none"},"e":{"$ref":"https://example.com/s"},"f":{"$ref":"other.json#/a"}}}`,
			Facts{IsObject: true, Type: `"object"`, Properties: []string{"a", "b", "c", "d", "e", "f"},
				Undescribed: []string{"/properties/b", "/properties/c", "/properties/d", "/properties/e", "/properties/f"},
				Refs: []Ref{{"/properties/a/$ref", "#/$defs/d", false, false}, {"/properties/b/$ref", "#/$defs/e", false, false},
					{"/properties/c/$ref", "#z", false, false}, {"/properties/d/$ref", "#/$defs/none", false, true},
					{"/properties/e/$ref", "https://example.com/s", true, false}, {"/properties/f/$ref", "other.json#/a", true, false}}}},
		{"own id", `{"$id":"https://example.com/a/b","$ref":"b#/x","allOf":[{"$ref":"https://example.com/a/b"},{"$ref":"c"}]}`,
			Facts{IsObject: true, Union: "allOf", Refs: []Ref{{"/$ref", "b#/x", false, false}, {"/allOf/0/$ref", "https://example.com/a/b", false, false}, {"/allOf/1/$ref", "c", true, false}}}},
		{"circle of references", `{"type":"object","properties":{"a":{"$ref":"#/properties/a"}}}`,
			Facts{IsObject: true, Type: `"object"`, Properties: []string{"a"}, Undescribed: []string{"/properties/a"},
				Refs: []Ref{{"/properties/a/$ref", "#/properties/a", false, false}}}},
		{"unknown keywords", `{"type":"object","optional":true,"x-own":1,"properties":{"require":{"descripton":"x","description":"y"}},"default":{"foo":1},"items":[{"bar":1}]}`,
			Facts{IsObject: true, Type: `"object"`, Properties: []string{"require"}, Unknown: []string{"/items/0/bar", "/optional", "/properties/require/descripton"}}},
		{"Zod 3", `{"_def":{"unknownKeys":"strip","typeName":"ZodObject"},"_cached":null}`,
			Facts{IsObject: true, Unknown: []string{"/_cached", "/_def"}, HasZod: true}},
		{"Zod 4", `{"def":{"type":"object","shape":{}},"type":"object"}`,
			Facts{IsObject: true, Type: `"object"`, Unknown: []string{"/def"}, HasZod: true}},
		{"Zod below", `{"type":"object","properties":{"a":{"_def":{"typeName":"ZodString"},"description":"x"}}}`,
			Facts{IsObject: true, Type: `"object"`, Properties: []string{"a"}, Unknown: []string{"/properties/a/_def"}, HasZod: true, Zod: "/properties/a"}},
		{"a property named def is none", `{"type":"object","properties":{"def":{"type":"string","description":"x"},"type":{"type":"string","description":"x"}}}`,
			Facts{IsObject: true, Type: `"object"`, Properties: []string{"def", "type"}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, refused := Inspect([]byte(c.schema))
			if refused != nil {
				t.Fatal(refused)
			}
			if d := cmp.Diff(c.want, got); d != "" {
				t.Errorf("%s\n%s", c.schema, d)
			}
		})
	}
	for _, schema := range []string{`{`, strings.Repeat(`[`, 1000) + strings.Repeat(`]`, 1000), `{"a":"` + strings.Repeat("x", MaxSchema) + `"}`} {
		if _, refused := Inspect([]byte(schema)); refused == nil {
			t.Errorf("%.20s was taken", schema)
		}
	}
}
