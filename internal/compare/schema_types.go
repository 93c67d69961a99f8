package compare

import (
	"encoding/json"
	"fmt"
	"strings"
)

// kinds is a set of types of values. Whole numbers and others are apart, so that integer is a part of number.
type kinds uint8

const (
	nulls kinds = 1 << iota
	booleans
	integers
	fractions
	textual
	arrays
	objects
	anything kinds = 1<<iota - 1
	numeric        = integers | fractions
)

func (k kinds) has(any kinds) bool { return k&any != 0 }

var kindNames = []struct {
	name string
	of   kinds
}{{"string", textual}, {"number", numeric}, {"integer", integers}, {"boolean", booleans}, {"array", arrays}, {"object", objects}, {"null", nulls}}

func kindsNamed(v any) kinds {
	var out kinds
	switch v := v.(type) {
	case string:
		for _, k := range kindNames {
			if k.name == v {
				out |= k.of
			}
		}
	case []any:
		for _, w := range v {
			out |= kindsNamed(w)
		}
	}
	return out
}

// String names a set of types as schemas do.
func (k kinds) String() string {
	if k == anything {
		return "anything"
	}
	var names []string
	for _, n := range kindNames {
		if k&n.of == n.of && !(n.of == integers && k.has(fractions)) {
			names = append(names, n.name)
		}
	}
	switch len(names) {
	case 0:
		return "nothing"
	case 1:
		return names[0]
	}
	return strings.Join(names[:len(names)-1], ", ") + " or " + names[len(names)-1]
}

// article names a set of types as prose does: a string or null.
func (k kinds) article() string {
	words := k.String()
	for _, n := range kindNames {
		a := "a " + n.name
		if strings.ContainsAny(n.name[:1], "aio") {
			a = "an " + n.name
		}
		if n.of != nulls {
			words = strings.Replace(words, n.name, a, 1)
		}
	}
	return words
}

func kindOfValue(v any) kinds {
	switch v := v.(type) {
	case nil:
		return nulls
	case bool:
		return booleans
	case string:
		return textual
	case []any:
		return arrays
	case json.Number:
		if strings.ContainsAny(canonicalNumber(v.String()), ".eE") {
			return fractions
		}
		return integers
	}
	return objects
}

// declared returns the types that a schema demands, and whether it demands any.
func (s *subschema) declared() (kinds, bool) {
	v, ok := s.kw["type"]
	if !ok {
		return anything, false
	}
	k := kindsNamed(v)
	if k == 0 && !isEmptyList(v) {
		return anything, false // no type that anybody knows
	}
	return k, true
}

func isEmptyList(v any) bool {
	list, ok := v.([]any)
	return ok && len(list) == 0
}

// listed returns the values of enum or const, nil when any value will do.
func (s *subschema) listed() []any {
	if v, ok := s.kw["const"]; ok {
		return []any{v}
	}
	list, _ := s.kw["enum"].([]any)
	return list
}

// types compares the types, and returns those of both sides.
func (c *comparison) types(x, y *subschema, p place) (kinds, kinds) {
	a, saysA := x.declared()
	b, saysB := y.declared()
	for _, s := range []struct {
		says *bool
		k    *kinds
		of   *subschema
	}{{&saysA, &a, x}, {&saysB, &b, y}} {
		if list := s.of.listed(); list != nil && !*s.says {
			var k kinds
			for _, v := range list {
				k |= kindOfValue(v)
			}
			*s.k = k
		}
	}
	if x.listed() != nil && !saysA && !saysB || y.listed() != nil && !saysA && !saysB {
		return a | b, a | b // what the lists of values say is said there
	}
	if x.listed() != nil && y.listed() != nil && a&b != 0 {
		return a, b
	}
	if (x.listed() != nil && !saysA || y.listed() != nil && !saysB) && a&b != 0 {
		return a, b // a list of values that spares its type
	}
	if a == b {
		return a, b
	}
	m := sideways
	switch {
	case a&b == b:
		m = narrower
	case a&b == a:
		m = wider
	}
	words := fmt.Sprintf(": type %s became %s", a, b)
	one := kinds.article
	switch {
	case a == anything:
		words = fmt.Sprintf(" must now be %s", one(b))
	case b == anything:
		words = fmt.Sprintf(" no longer has to be %s", one(a))
	case m == wider && a != 0 && b&^a != fractions:
		words = fmt.Sprintf(" may now also be %s", one(b&^a))
	case m == narrower && a&^b != fractions:
		words = fmt.Sprintf(" may no longer be %s", one(a&^b))
	}
	c.tell(m, Changed, "type", y.ptr+"/type", p, words)
	return a, b
}
