package compare

import (
	"bytes"
	"encoding/json"
	"io"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// node is a place in one of the two documents.
type node struct {
	v    any
	ptr  string // JSON pointer, and so the node's identity
	side int    // 0 before, 1 after
}

// readSchema decodes a schema with numbers as they are spelled. It returns false for what is no JSON and for
// what is beyond the bounds.
func readSchema(raw []byte) (any, bool) {
	if len(raw) > maxSchemaBytes {
		return nil, false
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var v any
	if d.Decode(&v) != nil {
		return nil, false
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, false
	}
	return v, shallow(v, maxSchemaDepth)
}

func shallow(v any, depth int) bool {
	if depth == 0 {
		return false
	}
	switch v := v.(type) {
	case map[string]any:
		for _, w := range v {
			if !shallow(w, depth-1) {
				return false
			}
		}
	case []any:
		for _, w := range v {
			if !shallow(w, depth-1) {
				return false
			}
		}
	}
	return true
}

// subschema is a schema object with its references followed and its conjunctions merged, as far as that goes.
type subschema struct {
	node
	kw      map[string]any
	from    map[string]string // where a keyword stands, when that is not ptr
	nothing bool              // accepts no value
	odd     bool              // is neither object nor boolean
	union   string            // anyOf or oneOf, when there are alternatives
	rest    []node            // conjuncts that could not be merged
	opaque  []string          // references that lead out of the document or nowhere
}

// child is the node of a keyword's value.
func (s *subschema) child(keyword string, more ...string) node {
	ptr := s.ptr
	if f, ok := s.from[keyword]; ok {
		ptr = f
	}
	n := node{s.kw[keyword], ptr + "/" + escaped(keyword), s.side}
	for _, m := range more {
		switch v := n.v.(type) {
		case map[string]any:
			n.v = v[m]
		case []any:
			i, _ := strconv.Atoi(m)
			n.v = v[i]
		}
		n.ptr += "/" + escaped(m)
	}
	return n
}

var (
	escaper   = strings.NewReplacer("~", "~0", "/", "~1")
	unescaper = strings.NewReplacer("~1", "/", "~0", "~")
)

func escaped(s string) string { return escaper.Replace(s) }

// annotating are the keywords that say something to people and models, and nothing to validators.
var annotating = []string{"title", "description", "examples", "example", "$comment", "deprecated", "readOnly", "writeOnly", "default", "$schema", "$id", "id",
	"$anchor", "$defs", "definitions", "$vocabulary", "$dynamicAnchor", "$recursiveAnchor"}

// maxMerged bounds how many references and conjuncts one schema is put together from.
const maxMerged = 64

// resolve reads a node.
func (c *comparison) resolve(n node) *subschema {
	s := &subschema{node: n, kw: map[string]any{}, from: map[string]string{}}
	budget := maxMerged
	c.merge(s, n, &budget, nil)
	s.constants()
	for _, k := range []string{"anyOf", "oneOf"} {
		if list, ok := s.kw[k].([]any); ok && len(list) > 0 && s.union == "" {
			s.union = k
		}
	}
	return s
}

// merge adds what a node says to a subschema.
func (c *comparison) merge(s *subschema, n node, budget *int, trail []string) {
	if *budget--; *budget < 0 {
		s.rest = append(s.rest, n)
		return
	}
	switch v := n.v.(type) {
	case bool:
		s.nothing = s.nothing || !v
	case map[string]any:
		ref, isRef := v["$ref"].(string)
		for _, key := range slices.Sorted(maps.Keys(v)) {
			switch {
			case key == "$ref" && isRef:
			case key == "allOf":
				list, ok := v[key].([]any)
				if !ok {
					break
				}
				for i, w := range list {
					c.merge(s, node{w, n.ptr + "/allOf/" + strconv.Itoa(i), n.side}, budget, trail)
				}
			default:
				s.add(key, v[key], n)
			}
		}
		if isRef {
			c.follow(s, ref, n, budget, trail)
		}
	default:
		s.odd = true
		s.kw["\x00odd"] = n.v
	}
}

// follow merges what a reference leads to.
func (c *comparison) follow(s *subschema, ref string, n node, budget *int, trail []string) {
	target, ok := c.lookup(ref, n.side)
	switch {
	case !ok:
		s.opaque = append(s.opaque, ref)
	case slices.Contains(trail, target.ptr): // refers to itself and says no more
	default:
		if s.ptr == n.ptr && onlyAnnotates(s.kw) {
			s.ptr = target.ptr
			for k := range s.kw {
				if _, known := s.from[k]; !known {
					s.from[k] = n.ptr
				}
			}
		}
		c.merge(s, target, budget, append(trail, target.ptr))
	}
}

func onlyAnnotates(kw map[string]any) bool {
	for k := range kw {
		if !slices.Contains(annotating, k) {
			return false
		}
	}
	return true
}

// lookup finds what a local reference names.
func (c *comparison) lookup(ref string, side int) (node, bool) {
	n := node{c.docs[side], "", side}
	pointer, local := strings.CutPrefix(ref, "#")
	if !local {
		return n, false
	}
	if pointer == "" {
		return n, true
	}
	text, err := url.PathUnescape(pointer)
	if err != nil || text[0] != '/' {
		return n, false
	}
	for _, part := range strings.Split(text[1:], "/") {
		part = unescaper.Replace(part)
		switch v := n.v.(type) {
		case map[string]any:
			w, ok := v[part]
			if !ok {
				return n, false
			}
			n.v = w
		case []any:
			i, err := strconv.Atoi(part)
			if err != nil || i < 0 || i >= len(v) {
				return n, false
			}
			n.v = v[i]
		default:
			return n, false
		}
		n.ptr += "/" + escaped(part)
	}
	return n, true
}

// add adds one keyword; what cannot be merged with one that is there stays a conjunct of its own.
func (s *subschema) add(key string, value any, n node) {
	have, there := s.kw[key]
	place := func() {
		s.kw[key] = value
		if n.ptr != s.ptr {
			s.from[key] = n.ptr
		}
	}
	switch {
	case !there:
		place()
	case slices.Contains(annotating, key): // what stands nearer wins
	case same(have, value):
	case key == "required":
		s.kw[key] = joined(have, value)
	case key == "properties":
		mine, ok1 := have.(map[string]any)
		more, ok2 := value.(map[string]any)
		both := maps.Clone(mine)
		for name, schema := range more {
			if old, again := both[name]; again && !same(old, schema) {
				both[name] = map[string]any{"allOf": []any{old, schema}}
				continue
			}
			if ok1 {
				both[name] = schema
			}
		}
		if ok1 && ok2 {
			s.kw[key] = both
			return
		}
		fallthrough
	default:
		s.rest = append(s.rest, node{map[string]any{key: value}, n.ptr + "#" + key, n.side})
	}
}

func joined(a, b any) any {
	x, _ := a.([]any)
	y, _ := b.([]any)
	out := slices.Clone(x)
	for _, v := range y {
		if !slices.ContainsFunc(out, func(w any) bool { return same(v, w) }) {
			out = append(out, v)
		}
	}
	return out
}

// constants turns a union of constants, a common way to give values titles, into an enumeration.
func (s *subschema) constants() {
	for _, k := range []string{"anyOf", "oneOf"} {
		list, ok := s.kw[k].([]any)
		if !ok || len(list) == 0 || s.kw["enum"] != nil || s.kw["const"] != nil {
			continue
		}
		var values []any
		for _, alternative := range list {
			a, _ := alternative.(map[string]any)
			for key := range a {
				if key != "const" && key != "enum" && key != "type" && !slices.Contains(annotating, key) {
					a = nil
					break
				}
			}
			if v, ok := a["const"]; ok {
				values = append(values, v)
			} else if v, ok := a["enum"].([]any); ok {
				values = append(values, v...)
			} else {
				values = nil
				break
			}
		}
		if values != nil {
			s.from["enum"] = s.ptr
			s.kw["enum"] = values
			delete(s.kw, k)
		}
	}
}

// text writes a value the same way every time.
func text(v any) string {
	var b strings.Builder
	writeCanonical(&b, v)
	return b.String()
}

func writeCanonical(b *strings.Builder, v any) {
	switch v := v.(type) {
	case map[string]any:
		b.WriteByte('{')
		for i, k := range slices.Sorted(maps.Keys(v)) {
			if i > 0 {
				b.WriteByte(',')
			}
			writeCanonical(b, k)
			b.WriteByte(':')
			writeCanonical(b, v[k])
		}
		b.WriteByte('}')
	case []any:
		b.WriteByte('[')
		for i, w := range v {
			if i > 0 {
				b.WriteByte(',')
			}
			writeCanonical(b, w)
		}
		b.WriteByte(']')
	case json.Number:
		b.WriteString(canonicalNumber(v.String()))
	default:
		var line bytes.Buffer
		e := json.NewEncoder(&line)
		e.SetEscapeHTML(false)
		e.Encode(v)
		b.WriteString(strings.TrimSuffix(line.String(), "\n"))
	}
}

// canonicalNumber spells equal numbers alike, as far as a float64 holds them exactly enough.
func canonicalNumber(s string) string {
	if !strings.ContainsAny(s, ".eE") {
		return s
	}
	if f, err := strconv.ParseFloat(s, 64); err == nil && len(s) < 17 {
		return strconv.FormatFloat(f, 'f', -1, 64)
	}
	return s
}

func same(a, b any) bool { return text(a) == text(b) }
