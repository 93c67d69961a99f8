package jsonrpc

import (
	"bytes"
	"iter"
)

// Valid reports whether data is exactly one JSON value as [Decode] understands it: valid UTF-8,
// nested at most 10,000 deep, white space around it allowed, duplicate keys allowed.
func Valid(data []byte) bool {
	r := readers.Get().(*reader)
	defer r.release()
	r.reset(data, strict)
	if _, err := r.dec.ReadValue(); err == nil {
		return space(data, int(r.dec.InputOffset())) == len(data)
	}
	if !validUTF8(data) {
		return false
	}
	r.reset(data, tolerant)
	_, err := r.dec.ReadValue()
	return err == nil && space(data, int(r.dec.InputOffset())) == len(data)
}

// Lookup returns the raw value of a member of nested objects: Lookup(raw, "a", "b") is raw.a.b. Of a
// duplicated member the last one counts. It returns false when a member is missing, when something
// on the way is no object, or when raw is no JSON up to there. The value is a slice of raw.
func Lookup(raw []byte, path ...string) ([]byte, bool) {
	for _, want := range path {
		var found []byte
		walk(raw, func(name, value []byte, _ int) bool {
			if string(name) == want {
				found = value
			}
			return true
		})
		if found == nil {
			return nil, false
		}
		raw = found
	}
	return raw, len(raw) > 0
}

// Members iterates over the members of an object in the order in which they stand, duplicates
// included; the values are slices of raw. It yields nothing when raw is no object, and ends early
// where raw is no JSON. One pass over it is cheaper than a [Lookup] for each of several members.
func Members(raw []byte) iter.Seq2[string, []byte] {
	return func(yield func(string, []byte) bool) {
		walk(raw, func(name, value []byte, _ int) bool {
			return yield(string(name), value)
		})
	}
}

// walk calls f for each member of the object raw, with its unescaped name, its value and the
// value's offset in raw, until f returns false.
func walk(raw []byte, f func(name, value []byte, offset int) bool) {
	if i := space(raw, 0); i == len(raw) || raw[i] != '{' {
		return
	}
	r := readers.Get().(*reader)
	defer r.release()
	r.reset(raw, tolerant)
	if _, err := r.dec.ReadToken(); err != nil {
		return
	}
	for r.dec.PeekKind() == '"' {
		name, err := r.dec.ReadValue()
		if err != nil {
			return
		}
		if bytes.IndexByte(name, '\\') >= 0 {
			name = appendUnescaped(nil, name)
		}
		value, err := r.dec.ReadValue()
		if err != nil {
			return
		}
		if !f(name[1:len(name)-1], value, int(r.dec.InputOffset())-len(value)) {
			return
		}
	}
}
