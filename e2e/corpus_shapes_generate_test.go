package e2e

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// generator makes values out of a JSON Schema document: every member there is, and of every union the
// alternative that variant picks.
type generator struct {
	doc     map[string]any
	variant int
	depth   int
}

func (g *generator) value(s any) any {
	m, ok := s.(map[string]any)
	if !ok {
		return "x"
	}
	g.depth++
	defer func() { g.depth-- }()
	if ref, ok := m["$ref"].(string); ok {
		if g.depth > 24 {
			return "x"
		}
		return g.value(follow(g.doc, ref))
	}
	for _, k := range []string{"anyOf", "oneOf"} {
		if list, ok := m[k].([]any); ok {
			return g.value(list[g.variant%len(list)])
		}
	}
	if list, ok := m["allOf"].([]any); ok {
		all := map[string]any{}
		for _, sub := range list {
			if part, ok := g.value(sub).(map[string]any); ok {
				maps.Copy(all, part)
			}
		}
		return all
	}
	if c, ok := m["const"]; ok {
		return c
	}
	if list, ok := m["enum"].([]any); ok {
		return list[g.variant%len(list)]
	}
	t, _ := m["type"].(string)
	if list, ok := m["type"].([]any); ok {
		t, _ = list[g.variant%len(list)].(string)
	}
	switch t {
	case "string":
		switch m["format"] {
		case "uri":
			return "file:///a"
		case "byte":
			return "YQ=="
		}
		return "x"
	case "integer":
		return json.Number("1")
	case "number":
		return json.Number("0.5")
	case "boolean":
		return true
	case "null":
		return nil
	case "array":
		return []any{g.value(m["items"])}
	case "object":
		out := map[string]any{}
		if properties, ok := m["properties"].(map[string]any); ok {
			for _, name := range slices.Sorted(maps.Keys(properties)) {
				out[name] = g.value(properties[name])
			}
		}
		if others, ok := m["additionalProperties"].(map[string]any); ok && len(others) > 0 {
			out["more"] = g.value(others)
		}
		return out
	}
	return map[string]any{"any": json.Number("1")}
}

// follow resolves a local JSON pointer.
func follow(doc map[string]any, ref string) any {
	var v any = doc
	for token := range strings.SplitSeq(strings.TrimPrefix(ref, "#/"), "/") {
		m, ok := v.(map[string]any)
		if !ok {
			return nil
		}
		v = m[strings.NewReplacer("~1", "/", "~0", "~").Replace(token)]
	}
	return v
}

// replacements stand in for every value, one after another.
var replacements = []any{nil, json.Number("1"), json.Number("1.5"), json.Number("-1"), "zzz", "", true, map[string]any{}, []any{}, []any{"x"}, []any{map[string]any{}}}

// mutate calls f with every value that one change makes out of v: a member or item dropped, a value
// replaced. At most limit places are changed.
func mutate(v any, limit int, f func(what string, changed any)) {
	places := 0
	var walk func(v any, path string, rebuild func(any) any)
	walk = func(v any, path string, rebuild func(any) any) {
		if places++; places > limit {
			return
		}
		for i, r := range replacements {
			f(fmt.Sprintf("%s := %d", path, i), rebuild(r))
		}
		switch v := v.(type) {
		case map[string]any:
			for _, k := range slices.Sorted(maps.Keys(v)) {
				dropped := maps.Clone(v)
				delete(dropped, k)
				f(path+" without "+k, rebuild(dropped))
				walk(v[k], path+"/"+k, func(r any) any {
					changed := maps.Clone(v)
					changed[k] = r
					return rebuild(changed)
				})
			}
		case []any:
			for i := range min(len(v), 2) {
				walk(v[i], path+"/"+strconv.Itoa(i), func(r any) any {
					changed := slices.Clone(v)
					changed[i] = r
					return rebuild(changed)
				})
			}
		}
	}
	walk(v, "", func(r any) any { return r })
}

// outline is the same for values of the same structure, whatever their texts.
func outline(v any, depth int) string {
	switch v := v.(type) {
	case map[string]any:
		if depth == 0 {
			return "{}"
		}
		var b strings.Builder
		for _, k := range slices.Sorted(maps.Keys(v)) {
			b.WriteString(k + ":" + outline(v[k], depth-1) + ",")
		}
		return "{" + b.String() + "}"
	case []any:
		if len(v) == 0 || depth == 0 {
			return "[]"
		}
		return "[" + outline(v[0], depth-1) + "]"
	case string:
		return "s"
	case json.Number:
		return "n"
	case bool:
		return "b"
	}
	return "0"
}
