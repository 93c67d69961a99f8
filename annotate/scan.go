package annotate

import (
	"bytes"

	"github.com/shakescope/shakescope/jsonrpc"
)

// The functions of this file walk JSON that jsonrpc.Decode has read already. They check nothing, which
// makes them several times faster than a decoder, and stay inside their input whatever it is.

// members calls f for each member of an object, in order, until f returns false. Keys are without
// quotes and unescaped; values are slices of obj.
func members(obj []byte, f func(key, value []byte) bool) {
	i := blank(obj, 0)
	if i >= len(obj) || obj[i] != '{' {
		return
	}
	for i = blank(obj, i+1); i < len(obj) && obj[i] == '"'; {
		end := jsonrpc.SkipString(obj, i)
		if end > len(obj) || end-i < 2 {
			return
		}
		key := obj[i+1 : end-1]
		if bytes.IndexByte(key, '\\') >= 0 {
			text, _ := jsonrpc.Unquote(obj[i:end])
			key = []byte(text)
		}
		i = blank(obj, end)
		if i >= len(obj) || obj[i] != ':' {
			return
		}
		i = blank(obj, i+1)
		end = jsonrpc.Skip(obj, i)
		if end <= i || !f(key, obj[i:end]) {
			return
		}
		i = blank(obj, end)
		if i >= len(obj) || obj[i] != ',' {
			return
		}
		i = blank(obj, i+1)
	}
}

// elements calls f for each element of an array, in order, until f returns false.
func elements(arr []byte, f func(value []byte) bool) {
	i := blank(arr, 0)
	if i >= len(arr) || arr[i] != '[' {
		return
	}
	for i = blank(arr, i+1); i < len(arr) && arr[i] != ']'; {
		end := jsonrpc.Skip(arr, i)
		if end <= i || !f(arr[i:end]) {
			return
		}
		i = blank(arr, end)
		if i >= len(arr) || arr[i] != ',' {
			return
		}
		i = blank(arr, i+1)
	}
}

// member returns the value of a member of nested objects, the last of a duplicated key; nil when there
// is none.
func member(obj []byte, path ...string) []byte {
	for _, want := range path {
		var found []byte
		members(obj, func(key, value []byte) bool {
			if string(key) == want {
				found = value
			}
			return true
		})
		if found == nil {
			return nil
		}
		obj = found
	}
	return obj
}

// pick sets each of values to the member of an object with the name at its place, nil where there is none. It is
// [member] for several, in one pass.
func pick(obj []byte, values [][]byte, names ...string) {
	members(obj, func(key, value []byte) bool {
		for i, name := range names {
			if string(key) == name {
				values[i] = value
			}
		}
		return true
	})
}

// text returns the text of a JSON string, "" for anything else.
func text(value []byte) string {
	if !isString(value) {
		return ""
	}
	s, _ := jsonrpc.Unquote(value)
	return s
}

// unlessText returns a value that is no string literal, nil for one that is and for null.
func unlessText(value []byte) []byte {
	if isString(value) || isNull(value) {
		return nil
	}
	return value
}

func isString(value []byte) bool { return len(value) > 1 && value[0] == '"' }
func isObject(value []byte) bool { return len(value) > 1 && value[0] == '{' }
func isArray(value []byte) bool  { return len(value) > 1 && value[0] == '[' }
func isTrue(value []byte) bool   { return string(value) == "true" }
func isNull(value []byte) bool   { return string(value) == "null" }

// count returns the number of elements of an array.
func count(arr []byte) int {
	n := 0
	elements(arr, func([]byte) bool { n++; return true })
	return n
}

// blank returns the index of the first byte from i on that is no white space.
func blank(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\t' || b[i] == '\n' || b[i] == '\r') {
		i++
	}
	return i
}
