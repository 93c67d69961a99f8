package peer

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
	"strconv"

	"github.com/shakescope/shakescope/jsonrpc"
)

// Difference is one place in which two JSON values differ. A side that does not have the value is nil.
type Difference struct {
	Path string          `json:"path"` // JSON pointer; "" is the whole value
	Old  json.RawMessage `json:"old,omitempty"`
	New  json.RawMessage `json:"new,omitempty"`
}

// mostDifferences bounds a list of differences: beyond that two values are simply others.
const mostDifferences = 1000

// Differences compares two values as JSON: the order of members, white space and the spelling of strings and
// numbers make no difference. At most 1,000 are returned, in the order of their paths.
func Differences(old, new []byte) []Difference {
	var c comparison
	c.values("", decoded(old), decoded(new))
	return c.found
}

// decoded makes a tree of raw JSON, in which numbers that are equal are the same; absent is nil.
func decoded(raw []byte) any {
	if len(raw) == 0 {
		return nil
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var v any
	if d.Decode(&v) != nil {
		return string(raw)
	}
	if v == nil {
		return null{}
	}
	return v
}

// null is JSON's null, where nil means that there is nothing.
type null struct{}

func (null) MarshalJSON() ([]byte, error) { return []byte("null"), nil }

type comparison struct{ found []Difference }

func (c *comparison) differ(path string, old, new any) {
	if len(c.found) < mostDifferences {
		c.found = append(c.found, Difference{path, encoded(old), encoded(new)})
	}
}

func (c *comparison) values(path string, old, new any) {
	switch o := old.(type) {
	case map[string]any:
		if n, ok := new.(map[string]any); ok {
			c.objects(path, o, n)
			return
		}
	case []any:
		if n, ok := new.([]any); ok {
			c.arrays(path, o, n)
			return
		}
	}
	if canonical(old) != canonical(new) {
		c.differ(path, old, new)
	}
}

func (c *comparison) objects(path string, old, new map[string]any) {
	names := make([]string, 0, len(old))
	for name := range old {
		names = append(names, name)
	}
	for name := range new {
		if _, ok := old[name]; !ok {
			names = append(names, name)
		}
	}
	slices.SortFunc(names, cmp.Compare)
	for _, name := range names {
		c.values(path+pointer([]string{name}), member(old, name), member(new, name))
	}
}

// member returns a value of an object, [null] for a null and nil for none.
func member(o map[string]any, name string) any {
	v, ok := o[name]
	if ok && v == nil {
		return null{}
	}
	return v
}

func (c *comparison) arrays(path string, old, new []any) {
	for i := range max(len(old), len(new)) {
		var o, n any
		if i < len(old) {
			o = orNull(old[i])
		}
		if i < len(new) {
			n = orNull(new[i])
		}
		c.values(path+"/"+strconv.Itoa(i), o, n)
	}
}

func orNull(v any) any {
	if v == nil {
		return null{}
	}
	return v
}

func encoded(v any) json.RawMessage {
	if v == nil {
		return nil
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if e.Encode(v) != nil {
		return nil
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

// canonical writes a tree so that equal values are equal texts, for nobody to read; "" is that of nothing.
func canonical(v any) string {
	return string(appendCanonical(nil, v))
}

func appendCanonical(b []byte, v any) []byte {
	switch v := v.(type) {
	case nil:
	case json.Number:
		b = append(b, jsonrpc.ParseID([]byte(v)).Key()...)
	case map[string]any:
		names := make([]string, 0, len(v))
		for name := range v {
			names = append(names, name)
		}
		slices.Sort(names)
		b = append(b, '{')
		for i, name := range names {
			if i > 0 {
				b = append(b, ',')
			}
			b = appendCounted(b, name)
			b = appendCanonical(b, member(v, name))
		}
		b = append(b, '}')
	case []any:
		b = append(b, '[')
		for i, e := range v {
			if i > 0 {
				b = append(b, ',')
			}
			b = appendCanonical(b, orNull(e))
		}
		b = append(b, ']')
	case string:
		b = appendCounted(b, v)
	case bool:
		b = strconv.AppendBool(b, v)
	case null:
		b = append(b, "null"...)
	}
	return b
}

// appendCounted appends a string that ends after so many bytes, which costs less than to quote it.
func appendCounted(b []byte, s string) []byte {
	b = append(b, '"')
	b = strconv.AppendInt(b, int64(len(s)), 10)
	b = append(b, ':')
	return append(b, s...)
}
