package schemaguard

import (
	"fmt"
	"strings"
	"testing"
)

// toolSchema is what servers list: a few described arguments.
const toolSchema = `{"$schema":"http://json-schema.org/draft-07/schema#","type":"object","properties":{"path":{"type":"string","description":"where"},"edits":{"type":"array","items":{"type":"object","properties":{"oldText":{"type":"string"},"newText":{"type":"string"}},"required":["oldText","newText"],"additionalProperties":false}},"dryRun":{"type":"boolean","default":false}},"required":["path","edits"],"additionalProperties":false}`

func BenchmarkCompile(b *testing.B) {
	for _, c := range []struct{ name, schema string }{
		{"tool", toolSchema},
		{"worst-properties", `{"properties":{` + many(2990, func(i int) string { return fmt.Sprintf(`"p%d":{}`, i) }) + `}}`},
		{"worst-references", `{"x":{` + many(1400, func(i int) string { return fmt.Sprintf(`"d%d":{}`, i) }) + `},"allOf":[` + many(1400, func(i int) string { return fmt.Sprintf(`{"$ref":"#/x/d%d"}`, i) }) + `]}`},
		{"worst-ids", `{"$defs":{` + many(2900, func(i int) string { return fmt.Sprintf(`"d%d":{"$id":"x%d"}`, i, i) }) + `}}`},
		{"worst-patterns", `{"patternProperties":{` + many(1400, func(i int) string { return fmt.Sprintf(`"%da":true`, i) }) + `}}`},
		{"worst-required", `{"required":[` + many(100_000, func(i int) string { return fmt.Sprintf(`"p%d"`, i) }) + `]}`},
		{"worst-enum", `{"enum":[` + many(100_000, func(i int) string { return fmt.Sprintf(`%d`, i) }) + `]}`},
		{"worst-depth", strings.Repeat(`{"properties":{"a":{},"b":{},"c":{},"x":`, 49) + `{}` + strings.Repeat(`}}`, 49)},
	} {
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				if _, err := Compile([]byte(c.schema), Draft202012); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkCheck(b *testing.B) {
	tool, err := Compile([]byte(toolSchema), Draft202012)
	if err != nil {
		b.Fatal(err)
	}
	for _, c := range []struct{ name, instance string }{
		{"valid", `{"path":"/tmp/x","edits":[{"oldText":"a","newText":"b"}]}`},
		{"invalid", `{"path":7,"edits":[{"oldText":"a"}],"more":1}`},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				tool.Check([]byte(c.instance))
			}
		})
	}
	worst, err := Compile([]byte(`{"items":{"anyOf":[{"items":{"type":"string"}},{"items":{"type":"null"}}]}}`), Draft202012)
	if err != nil {
		b.Fatal(err)
	}
	faults := []byte(`[` + many(9_000, func(int) string { return `[1,2,3]` }) + `]`)
	b.Run("worst", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if v := worst.Check(faults); v.NotChecked != nil {
				b.Fatal(v.NotChecked)
			}
		}
	})
	cached := new(Cache)
	b.Run("cache", func(b *testing.B) {
		for b.Loop() {
			if _, err := cached.Compile([]byte(toolSchema), Draft07); err != nil {
				b.Fatal(err)
			}
		}
	})
}
