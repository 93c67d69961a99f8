package compare

import (
	"hash/maphash"
	"strconv"

	"github.com/shakescope/shakescope/jsonrpc"
)

// seed is that of all digests of the process; they are never kept.
var seed = maphash.MakeSeed()

// Bounds of what is looked at closely; beyond them text counts as it is.
const (
	maxDepth  = 500
	maxSteady = 1 << 20 // bytes of a string
	maxNested = 4 << 20 // bytes of JSON inside a string
)

// digest is a number that is equal for payloads that are the same but for order of members, spelling and what
// changes with every run. raw is JSON that was decoded before.
func (s steady) digest(raw []byte) uint64 {
	w := walker{steady: s}
	h, _ := w.value(raw, 0, "", 0)
	return h
}

// walker reads valid JSON without checking it, and stays inside of it whatever it is.
type walker struct {
	steady
	buf []byte
}

func mix(h, v uint64) uint64 {
	h ^= v
	h *= 0x9E3779B97F4A7C15
	return h ^ h>>29
}

func (w *walker) value(b []byte, i int, name string, depth int) (uint64, int) {
	i = blank(b, i)
	if i >= len(b) {
		return 0, i
	}
	switch b[i] {
	case '{':
		return w.object(b, i, depth)
	case '[':
		return w.array(b, i, name, depth)
	case '"':
		end := stringEnd(b, i)
		return w.string(b[i:end]), end
	}
	end := i
	for end < len(b) && b[end] != ',' && b[end] != '}' && b[end] != ']' && b[end] > ' ' {
		end++
	}
	if end == i {
		return 0, i + 1
	}
	raw := b[i:end]
	if raw[0] == '-' || digit(raw[0]) {
		if w.number(name, raw) {
			return 7, end
		}
		return maphash.String(seed, canonicalNumber(string(raw))), end
	}
	return maphash.Bytes(seed, raw), end
}

func (w *walker) object(b []byte, i, depth int) (uint64, int) {
	if depth > maxDepth {
		return maphash.Bytes(seed, b[i:]), len(b)
	}
	h := uint64(1)
	for i = blank(b, i+1); i < len(b) && b[i] == '"'; {
		end := stringEnd(b, i)
		name, _ := jsonrpc.Unquote(b[i:end])
		i = blank(b, end)
		if i >= len(b) || b[i] != ':' {
			break
		}
		var v uint64
		v, i = w.value(b, i+1, name, depth+1)
		if !w.putAside(name) {
			h += mix(maphash.String(seed, name), v) // in any order
		}
		if i = blank(b, i); i < len(b) && b[i] == ',' {
			i = blank(b, i+1)
		}
	}
	return mix(3, h), i + 1
}

func (w *walker) array(b []byte, i int, name string, depth int) (uint64, int) {
	if depth > maxDepth {
		return maphash.Bytes(seed, b[i:]), len(b)
	}
	h := uint64(2)
	for i = blank(b, i+1); i < len(b) && b[i] != ']'; {
		var v uint64
		v, i = w.value(b, i, name, depth+1)
		h = mix(h, v)
		if i = blank(b, i); i < len(b) && b[i] == ',' {
			i = blank(b, i+1)
		}
	}
	return mix(5, h), i + 1
}

// string is the digest of a string literal.
func (w *walker) string(raw []byte) uint64 {
	inner := raw
	if len(raw) >= 2 {
		inner = raw[1 : len(raw)-1]
	}
	if (!w.exact && mayVary(inner)) || hasEscape(inner) {
		s, _ := jsonrpc.Unquote(raw)
		inner = []byte(s)
	}
	if w.exact || len(inner) > maxSteady || !mayVary(inner) {
		return mix(13, maphash.Bytes(seed, inner)) // "1" is not 1
	}
	if nested(inner) {
		n := walker{steady: w.steady}
		h, _ := n.value(inner, 0, "", 0)
		return mix(11, h)
	}
	w.buf = w.text(w.buf[:0], inner)
	return mix(13, maphash.Bytes(seed, w.buf))
}

// nested reports whether a string holds JSON of its own.
func nested(s []byte) bool {
	i := blank(s, 0)
	return i < len(s) && (s[i] == '{' || s[i] == '[') && len(s) <= maxNested && jsonrpc.Valid(s)
}

func hasEscape(b []byte) bool {
	for _, c := range b {
		if c == '\\' {
			return true
		}
	}
	return false
}

func blank(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\t' || b[i] == '\n' || b[i] == '\r') {
		i++
	}
	return i
}

// stringEnd returns the index after the string literal that begins at i.
func stringEnd(b []byte, i int) int {
	for j := i + 1; j < len(b); j++ {
		switch b[j] {
		case '\\':
			j++
		case '"':
			return j + 1
		}
	}
	return len(b)
}

// elements calls f with the raw elements of a JSON array that was decoded before.
func elements(b []byte, f func(raw []byte) bool) {
	i := blank(b, 0)
	if i >= len(b) || b[i] != '[' {
		return
	}
	for i = blank(b, i+1); i < len(b) && b[i] != ']'; {
		end := valueEnd(b, i)
		if end <= i || !f(b[i:end]) {
			return
		}
		if i = blank(b, end); i < len(b) && b[i] == ',' {
			i = blank(b, i+1)
		}
	}
}

// valueEnd returns the index after the value that begins at i.
func valueEnd(b []byte, i int) int {
	depth := 0
	for i < len(b) {
		switch b[i] {
		case '"':
			i = stringEnd(b, i) - 1
		case '{', '[':
			depth++
		case '}', ']':
			if depth == 0 {
				return i
			}
			depth--
		case ',', ' ', '\t', '\n', '\r':
			if depth == 0 {
				return i
			}
		}
		i++
		if depth == 0 && (b[i-1] == '}' || b[i-1] == ']' || b[i-1] == '"') {
			return i
		}
	}
	return i
}

func member(raw []byte, path ...string) []byte {
	v, _ := jsonrpc.Lookup(raw, path...)
	return v
}

// unquoted returns the text of a JSON string, "" of anything else.
func unquoted(raw []byte) string {
	s, _ := jsonrpc.Unquote(raw)
	return s
}

func quoted(s string) string { return strconv.Quote(s) }
