package schemaguard

import (
	"encoding/binary"
	"slices"
	"strings"
)

// appendKey appends text that two values share if they are equal as JSON: numbers by their value, objects
// whatever the order of their members. No key is the start of another.
func appendKey(b []byte, v *value) []byte {
	switch v.kind {
	case nullKind:
		return append(b, 'n')
	case booleanKind:
		if v.truth {
			return append(b, 't')
		}
		return append(b, 'f')
	case numberKind:
		return append(parseDecimal(v.text).appendTo(append(b, 'd')), ';')
	case stringKind:
		return appendText(append(b, 's'), v.content())
	case arrayKind:
		b = append(b, '[')
		for i := range v.sub.values {
			b = appendKey(b, &v.sub.values[i])
		}
		return append(b, ']')
	}
	b = append(b, '{')
	for _, i := range v.sub.sorted() {
		b = appendKey(appendText(b, v.sub.names[i]), &v.sub.values[i])
	}
	return append(b, '}')
}

func appendText(b []byte, text string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(text))), text...)
}

// sorted returns the places of members in the order of their names.
func (s *children) sorted() []int {
	order := make([]int, len(s.names))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int { return strings.Compare(s.names[i], s.names[j]) })
	return order
}

// enum is a set of values; a constant is one of one.
type enum struct {
	kinds  kind
	keys   map[string]struct{}
	values []value // as they are listed
}

func enumOf(values []value) *enum {
	e := &enum{keys: make(map[string]struct{}, len(values)), values: values}
	for i := range values {
		e.kinds |= values[i].kind
		e.keys[string(appendKey(nil, &values[i]))] = struct{}{}
	}
	return e
}

// holds tells whether a value is in the set.
func (c *check) holds(e *enum, v *value) bool {
	if e.kinds&v.kind == 0 {
		return false
	}
	_, ok := e.keys[string(c.key(v))]
	return ok
}

// key is valid until the next call.
func (c *check) key(v *value) []byte {
	c.buf = appendKey(c.buf[:0], v)
	c.spend(len(c.buf) / 16)
	return c.buf
}

// repeated finds the first item that equals an earlier one.
func (c *check) repeated(items []value) (first, second int, found bool) {
	known := make(map[string]int, len(items))
	for i := range items {
		c.spend(4) // to remember it
		key := c.key(&items[i])
		if j, ok := known[string(key)]; ok {
			return j, i, true
		}
		known[string(key)] = i
	}
	return 0, 0, false
}
