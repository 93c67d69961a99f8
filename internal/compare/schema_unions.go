package compare

import (
	"maps"
	"slices"
	"strconv"
	"strings"
)

// option is one alternative of a union.
type option struct {
	node
	print string // equal for schemas that say the same
	label string // by which it is recognised when it changes
	words string // what words call it
	kinds kinds
}

// unions compares two schemas of which one at least has alternatives.
func (c *comparison) unions(x, y *subschema, p place) {
	a, b := c.options(x), c.options(y)
	switch {
	case x.union != "" && y.union != "":
		c.plain(x.withoutUnion(), y.withoutUnion(), p)
	default:
		c.annotations(x, y, p)
	}
	gone, come, both := unmatched(a, b)
	for _, pair := range both {
		c.compare(pair[0].node, pair[1].node, p) // what they say to people may differ
	}
	for i := len(gone) - 1; i >= 0; i-- {
		j := slices.IndexFunc(come, func(o option) bool { return o.label == gone[i].label })
		if j < 0 || countLabel(gone, gone[i].label) > 1 || countLabel(come, gone[i].label) > 1 {
			continue
		}
		c.compare(gone[i].node, come[j].node, p)
		gone, come = slices.Delete(gone, i, i+1), slices.Delete(come, j, j+1)
	}
	if len(gone) == 1 && len(come) == 1 && gone[0].kinds == come[0].kinds {
		c.compare(gone[0].node, come[0].node, p)
		gone, come = nil, nil
	}
	apartBefore, apart := disjoint(a), disjoint(b)
	for _, o := range gone {
		if x.union == "oneOf" && !apartBefore {
			s := c.undecided(o.ptr, Removed, p, "may no longer be "+o.words+", unless another alternative fits")
			s.Keyword = "oneOf"
			continue
		}
		c.tell(narrower, Removed, "anyOf", o.ptr, p, " may no longer be "+o.words)
	}
	for _, o := range come {
		if y.union == "oneOf" && !apart {
			s := c.undecided(o.ptr, Added, p, "may now be "+o.words+", unless an alternative that was there fits, too")
			s.Keyword = "oneOf"
			continue
		}
		c.tell(wider, Added, "anyOf", o.ptr, p, " may now also be "+o.words)
	}
	if x.union != "" && y.union != "" && x.union != y.union && (!apart || !apartBefore) {
		m, words := wider, ": values that fit several alternatives are now accepted"
		if y.union == "oneOf" {
			m, words = narrower, ": values that fit several alternatives are no longer accepted"
		}
		c.tell(m, Changed, "oneOf", y.ptr, p, words)
	}
}

func countLabel(list []option, label string) int {
	n := 0
	for _, o := range list {
		if o.label == label {
			n++
		}
	}
	return n
}

// unmatched tells the alternatives that are on one side only from those that are on both.
func unmatched(a, b []option) (gone, come []option, both [][2]option) {
	come = slices.Clone(b)
	for _, o := range a {
		j := slices.IndexFunc(come, func(p option) bool { return p.print == o.print })
		if j < 0 {
			gone = append(gone, o)
			continue
		}
		both = append(both, [2]option{o, come[j]})
		come = slices.Delete(come, j, j+1)
	}
	return gone, come, both
}

// disjoint reports whether no value can fit two of the alternatives, by their types.
func disjoint(list []option) bool {
	var all kinds
	for _, o := range list {
		if all&o.kinds != 0 {
			return false
		}
		all |= o.kinds
	}
	return true
}

// withoutUnion is the schema beside its alternatives.
func (s *subschema) withoutUnion() *subschema {
	out := *s
	out.kw = maps.Clone(s.kw)
	delete(out.kw, s.union)
	out.union = ""
	return &out
}

// options returns the alternatives of a schema; one that has no union is its own only one, or one a type.
func (c *comparison) options(s *subschema) []option {
	var out []option
	if s.union == "" {
		_, says := s.declared()
		if list, ok := s.kw["type"].([]any); says && ok && len(list) > 1 && s.listed() == nil {
			for _, t := range list {
				kw := map[string]any{"type": t}
				for key, v := range s.kw {
					if slices.Contains(annotating, key) || key == "type" || !relevant(key, kindsNamed(t)) {
						continue
					}
					kw[key] = v
				}
				out = append(out, c.option(node{kw, s.ptr + "#" + text(t), s.side}))
			}
			return out
		}
		kw := maps.Clone(s.kw)
		for _, key := range annotating {
			delete(kw, key)
		}
		return []option{c.option(node{kw, strings.TrimSuffix(s.ptr, "#") + "#", s.side})}
	}
	list, _ := s.kw[s.union].([]any)
	for i := range list {
		out = append(out, c.option(s.child(s.union, strconv.Itoa(i))))
	}
	return out
}

// relevant reports whether a keyword says anything about values of some types.
func relevant(keyword string, k kinds) bool {
	switch keyword {
	case "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf":
		return k.has(numeric)
	case "pattern", "format", "contentEncoding", "contentMediaType", "minLength", "maxLength":
		return k.has(textual)
	case "items", "prefixItems", "additionalItems", "unevaluatedItems", "contains", "minItems", "maxItems", "uniqueItems", "minContains", "maxContains":
		return k.has(arrays)
	case "properties", "required", "additionalProperties", "unevaluatedProperties", "patternProperties", "propertyNames", "minProperties", "maxProperties",
		"dependentRequired", "dependentSchemas", "dependencies":
		return k.has(objects)
	}
	return true
}

func (c *comparison) option(n node) option {
	o := option{node: n, print: c.print(n, 8)}
	s := c.resolve(n)
	o.kinds, _ = s.declared()
	if list := s.listed(); list != nil {
		o.kinds = 0
		for _, v := range list {
			o.kinds |= kindOfValue(v)
		}
		o.words = oneOf(list)
	}
	if s.nothing {
		o.kinds, o.words = 0, "nothing"
	}
	ref := ""
	if m, ok := n.v.(map[string]any); ok {
		ref, _ = m["$ref"].(string)
	}
	title, _ := s.kw["title"].(string)
	tag := s.tag()
	if o.words == "" {
		o.words = o.kinds.String()
		switch {
		case tag != "":
			o.words += " with " + tag
		case title != "":
			o.words += " (" + cut(title, 40) + ")"
		case ref != "":
			o.words += " (" + cut(ref[strings.LastIndexByte(ref, '/')+1:], 40) + ")"
		}
	}
	o.label = o.kinds.String() + "\x00" + tag
	if tag == "" && o.kinds.has(objects) {
		o.label += title + "\x00" + ref
	}
	return o
}

// tag is the member with a constant value by which an alternative is told from others.
func (s *subschema) tag() string {
	for _, n := range slices.Sorted(maps.Keys(s.properties())) {
		m, _ := s.properties()[n].(map[string]any)
		v, ok := m["const"]
		if list, isList := m["enum"].([]any); !ok && isList && len(list) == 1 {
			v, ok = list[0], true
		}
		if ok {
			return n + " " + shown(v)
		}
	}
	return ""
}

// print returns a text that is equal for schemas that accept the same by what can be seen at once: references
// followed, order and annotations left out.
func (c *comparison) print(n node, depth int) string {
	if p, ok := c.prints[n.side][n.ptr]; ok {
		return p
	}
	if c.prints[n.side] == nil {
		c.prints[n.side] = make(map[string]string)
	}
	c.prints[n.side][n.ptr] = "itself"
	var p string
	switch n.v.(type) {
	case map[string]any:
		p = c.printObject(n, depth)
	default:
		p = text(n.v)
	}
	c.prints[n.side][n.ptr] = p
	return p
}

func (c *comparison) printObject(n node, depth int) string {
	if c.left--; depth == 0 || c.left < 0 {
		return text(n.v)
	}
	s := c.resolve(n)
	if s.nothing {
		return "false"
	}
	var b strings.Builder
	b.WriteByte('{')
	k, _ := s.declared()
	b.WriteString(k.String())
	if list := s.listed(); list != nil {
		values := make([]string, len(list))
		for i, v := range list {
			values[i] = text(v)
		}
		slices.Sort(values)
		b.WriteString(" of " + strings.Join(values, ","))
	}
	for _, key := range slices.Sorted(maps.Keys(s.kw)) {
		if slices.Contains(annotating, key) || key == "type" || key == "enum" || key == "const" || !relevant(key, k) {
			continue
		}
		b.WriteString(";" + key + "=")
		switch v := s.kw[key].(type) {
		case map[string]any:
			if key == "properties" || key == "patternProperties" {
				for _, name := range slices.Sorted(maps.Keys(v)) {
					b.WriteString(text(name) + ":" + c.print(s.child(key, name), depth-1) + ",")
				}
				continue
			}
			b.WriteString(c.print(s.child(key), depth-1))
		case []any:
			var parts []string
			for i, w := range v {
				if key == "anyOf" || key == "oneOf" || key == "prefixItems" || key == "items" {
					parts = append(parts, c.print(s.child(key, strconv.Itoa(i)), depth-1))
					continue
				}
				parts = append(parts, text(w))
			}
			if key == "required" || key == "anyOf" || key == "oneOf" {
				slices.Sort(parts)
			}
			b.WriteString("[" + strings.Join(parts, ",") + "]")
		default:
			b.WriteString(text(v))
		}
	}
	for _, r := range s.rest {
		b.WriteString(";&" + text(r.v))
	}
	for _, r := range s.opaque {
		b.WriteString(";&" + r)
	}
	b.WriteByte('}')
	return b.String()
}
