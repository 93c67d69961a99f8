package schemaguard

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// measure is what a decoded JSON value amounts to.
type measure struct {
	nodes       int64 // values and member names
	text        int64 // bytes of strings and member names
	objects     int   // and booleans: what may be a subschema
	pointers    int64 // bytes of their JSON pointers
	allPointers int64 // bytes of the JSON pointers of all values
	depth       int64
	refused     *NotChecked
}

// decode reads one JSON value; numbers keep their text.
func decode(raw []byte, limit int) (any, measure, *NotChecked) {
	if len(raw) > limit {
		return nil, measure{}, &NotChecked{TooLarge, counted(len(raw), "bytes")}
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		return nil, measure{}, &NotChecked{NotJSON, ""}
	}
	var m measure
	m.walk(value, 0, 0)
	return value, m, m.refused
}

func (m *measure) walk(v any, depth int, pointer int64) {
	m.nodes++
	m.allPointers += pointer
	m.depth = max(m.depth, int64(depth))
	if depth > MaxDepth {
		m.refused = &NotChecked{TooDeep, "more than " + counted(MaxDepth, "levels")}
	}
	if m.refused != nil {
		return
	}
	switch v := v.(type) {
	case map[string]any:
		m.objects++
		m.pointers += pointer
		m.nodes += int64(len(v))
		for k, member := range v {
			m.text += int64(len(k))
			m.walk(member, depth+1, pointer+1+int64(len(k)))
		}
	case []any:
		for _, item := range v {
			m.walk(item, depth+1, pointer+6)
		}
	case bool:
		m.objects++
		m.pointers += pointer
	case string:
		m.text += int64(len(v))
	case json.Number:
		if !sane(string(v)) {
			m.refused = &NotChecked{BadNumber, shorten(string(v))}
		}
	}
}

// sane tells whether exact arithmetic with a number is cheap: 1e999999999 alone takes gigabytes.
func sane(number string) bool {
	if len(number) > maxNumber {
		return false
	}
	i := strings.IndexAny(number, "eE")
	if i < 0 {
		return true
	}
	exponent := strings.TrimLeft(number[i+1:], "+-0")
	n := 0
	for _, c := range []byte(exponent) {
		if n = n*10 + int(c-'0'); n > maxNumber {
			return false
		}
	}
	return true
}
