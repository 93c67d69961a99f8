package filter

import (
	"bytes"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// path leads from the params, result or error of a message to values inside.
type path struct {
	root  string
	steps []step
}

// step goes to a member of an object, to an element of an array, or to all of either.
type step struct {
	key   string
	index int // of an array, if not member
	kind  stepKind
}

type stepKind uint8

const (
	member stepKind = iota
	element
	each
)

// parsePath reads a name for which isPath is true.
func (p *parser) parsePath(name string, at int) (*path, *SyntaxError) {
	end := strings.IndexAny(name, ".[")
	if end < 0 {
		end = len(name)
	}
	out := &path{root: name[:end]}
	rest := name[end:]
	for rest != "" {
		here := at + len(name) - len(rest)
		if rest[0] == '.' {
			rest = rest[1:]
			n := strings.IndexAny(rest, ".[")
			if n < 0 {
				n = len(rest)
			}
			if n == 0 {
				return nil, p.fault(here, 1, "expected a key after the dot in `%s`", name).hint(`keys with dots are written ["a.b"]`)
			}
			if rest[:n] == "*" {
				out.steps = append(out.steps, step{kind: each})
			} else {
				out.steps = append(out.steps, step{key: rest[:n]})
			}
			rest = rest[n:]
			continue
		}
		s, n, ok := bracketStep(rest)
		if !ok {
			return nil, p.fault(here, len(rest), "no step of a path: `%s`", rest).hint(`write [0], [*] or ["key"]`)
		}
		out.steps = append(out.steps, s)
		rest = rest[n:]
		if rest != "" && rest[0] != '.' && rest[0] != '[' {
			return nil, p.fault(at+len(name)-len(rest), len(rest), "expected . or [ in the path before `%s`", rest)
		}
	}
	return out, nil
}

// bracketStep reads [0], [*] or ["key"] and returns its length.
func bracketStep(s string) (step, int, bool) {
	if strings.HasPrefix(s, `["`) {
		literal, err := strconv.QuotedPrefix(s[1:])
		if err != nil || !strings.HasPrefix(s[1+len(literal):], "]") {
			return step{}, 0, false
		}
		key, err := strconv.Unquote(literal)
		return step{key: key}, len(literal) + 2, err == nil
	}
	inside, _, ok := strings.Cut(s[1:], "]")
	if !ok {
		return step{}, 0, false
	}
	if inside == "*" {
		return step{kind: each}, 3, true
	}
	n, err := strconv.ParseUint(inside, 10, 31)
	return step{kind: element, index: int(n)}, len(inside) + 2, err == nil
}

// String writes the path as it is read.
func (p *path) String() string {
	var b strings.Builder
	b.WriteString(p.root)
	for _, s := range p.steps {
		switch {
		case s.kind == each:
			b.WriteString("[*]")
		case s.kind == element:
			b.WriteByte('[')
			b.WriteString(strconv.Itoa(s.index))
			b.WriteByte(']')
		case plainKey(s.key):
			b.WriteByte('.')
			b.WriteString(s.key)
		default:
			b.WriteByte('[')
			b.WriteString(strconv.Quote(s.key))
			b.WriteByte(']')
		}
	}
	return b.String()
}

// plainKey reports whether a key can stand in a path as it is.
func plainKey(key string) bool {
	for i, c := range []byte(key) {
		letter := 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '_' || c == '$'
		if !letter && (i == 0 || c != '-' && (c < '0' || c > '9')) {
			return false
		}
	}
	return key != ""
}

// payload returns the value of the message at which the path begins, nil if there is none.
func (p *path) payload(r Row) []byte {
	m := r.Message()
	if m == nil {
		return nil
	}
	switch {
	case p.root == "params":
		return m.Params
	case p.root == "result":
		return m.Result
	case m.Err != nil:
		return m.Err.Raw
	}
	return nil
}

// find hands the values at the end of steps to is, until it returns true.
func find(raw []byte, steps []step, is func(value []byte) bool) bool {
	for k, s := range steps {
		i := skipSpace(raw, 0)
		if i == len(raw) {
			return false
		}
		open := raw[i]
		var found []byte
		switch {
		case s.kind == each && (open == '{' || open == '['):
			return members(raw[i:], func(_ []byte, _ int, value []byte) bool { return find(value, steps[k+1:], is) })
		case s.kind == member && open == '{':
			members(raw[i:], func(key []byte, _ int, value []byte) bool {
				if isKey(key, s.key) {
					found = value // of duplicates the last one counts
				}
				return false
			})
		case s.kind == element && open == '[':
			members(raw[i:], func(_ []byte, index int, value []byte) bool {
				if index == s.index {
					found = value
				}
				return found != nil
			})
		}
		if found == nil {
			return false
		}
		raw = found
	}
	raw = raw[skipSpace(raw, 0):]
	return len(raw) > 0 && is(raw)
}

// isKey compares a literal with a key.
func isKey(literal []byte, key string) bool {
	if len(literal) < 2 {
		return false
	}
	inside := literal[1 : len(literal)-1]
	if bytes.IndexByte(inside, '\\') < 0 {
		return string(inside) == key
	}
	return unescaped(string(inside)) == key
}

// members hands key (nil in an array), index and value of each member of a valid object or array to f,
// until it returns true. In text that is not valid it ends early.
func members(raw []byte, f func(key []byte, index int, value []byte) bool) bool {
	object := raw[0] == '{'
	i := 1
	for index := 0; ; index++ {
		i = skipSpace(raw, i)
		if i < len(raw) && raw[i] == ',' {
			i = skipSpace(raw, i+1)
		}
		if i >= len(raw) || raw[i] == '}' || raw[i] == ']' {
			return false
		}
		var key []byte
		if object {
			end := skipValue(raw, i)
			key = raw[i:end]
			if i = skipSpace(raw, end); i >= len(raw) || raw[i] != ':' {
				return false
			}
			i = skipSpace(raw, i+1)
		}
		end := skipValue(raw, i)
		if end == i {
			return false
		}
		if f(key, index, raw[i:end]) {
			return true
		}
		i = end
	}
}

func skipSpace(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\t' || b[i] == '\n' || b[i] == '\r') {
		i++
	}
	return i
}

// skipValue returns the offset behind the value at i.
func skipValue(b []byte, i int) int {
	for depth := 0; i < len(b); {
		switch b[i] {
		case '"':
			i = skipString(b, i)
		case '{', '[':
			depth++
			i++
			continue
		case '}', ']':
			if depth == 0 {
				return i
			}
			depth--
			i++
		case ',', ':':
			if depth == 0 {
				return i
			}
			i++
			continue
		case ' ', '\t', '\n', '\r':
			i++
			continue
		default: // a number or a word
			for i++; i < len(b) && strings.IndexByte(",:{}[]\" \t\n\r", b[i]) < 0; i++ {
			}
		}
		if depth == 0 {
			return i
		}
	}
	return i
}

func skipString(b []byte, i int) int {
	for i++; i < len(b); i++ {
		switch b[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(b)
}

// escapedRune reads \uXXXX, or two of them that make one character. It returns its length; text that
// is none counts as one replacement character.
func escapedRune(s string) (rune, int) {
	one, ok := hex4(s)
	if !ok {
		return utf8.RuneError, min(2, len(s))
	}
	if utf16.IsSurrogate(one) {
		if two, ok := hex4(s[6:]); ok {
			if r := utf16.DecodeRune(one, two); r != utf8.RuneError {
				return r, 12
			}
		}
		return utf8.RuneError, 6
	}
	return one, 6
}

func hex4(s string) (rune, bool) {
	if len(s) < 6 || s[0] != '\\' || s[1] != 'u' {
		return 0, false
	}
	n, err := strconv.ParseUint(s[2:6], 16, 16)
	return rune(n), err == nil
}
