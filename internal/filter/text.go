package filter

import (
	"strings"
	"unicode"
	"unicode/utf8"
	"unsafe"
)

// textOf looks at bytes as text without a copy. It is only handed to what neither keeps nor changes it.
func textOf(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

// finder returns a function that tells whether text holds needle: in any case as long as needle has no
// upper-case letter.
func finder(needle string) func(string) bool {
	if strings.IndexFunc(needle, unicode.IsUpper) >= 0 {
		return func(s string) bool { return strings.Contains(s, needle) }
	}
	for i := range len(needle) {
		if needle[i] >= utf8.RuneSelf {
			folded := fold(needle)
			return func(s string) bool { return strings.Contains(s, needle) || strings.Contains(fold(s), folded) }
		}
	}
	return func(s string) bool { return containsFold(s, needle) }
}

// fold maps letters that differ in case only to one.
func fold(s string) string { return strings.ToLower(strings.ToUpper(s)) }

// containsFold reports whether s holds needle, which is ASCII without upper-case letters, in any case.
func containsFold(s, needle string) bool {
	if needle == "" {
		return true
	}
	first := needle[0]
	other := first
	if 'a' <= first && first <= 'z' {
		other = first - 'a' + 'A'
	}
	// The next places of either form of the first letter; a jump costs little where letters are rare.
	next := func(from int, c byte) int {
		if i := strings.IndexByte(s[from:], c); i >= 0 {
			return from + i
		}
		return len(s)
	}
	small, large := next(0, first), len(s)
	if other != first {
		large = next(0, other)
	}
	for {
		at := min(small, large)
		if at+len(needle) > len(s) {
			return false
		}
		if equalFold(s[at:at+len(needle)], needle) {
			return true
		}
		if at == small {
			small = next(at+1, first)
		} else {
			large = next(at+1, other)
		}
	}
}

func equalFold(s, lower string) bool {
	for i := range len(lower) {
		c := s[i]
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		if c != lower[i] {
			return false
		}
	}
	return true
}

// glob returns a function that matches text against a pattern in which * is any text.
func glob(pattern string) func(string) bool {
	parts := strings.Split(pattern, "*")
	first, last, middle := parts[0], parts[len(parts)-1], parts[1:len(parts)-1]
	if len(middle) == 0 && last == "" {
		return func(s string) bool { return strings.HasPrefix(s, first) }
	}
	return func(s string) bool {
		if len(s) < len(first)+len(last) || !strings.HasPrefix(s, first) || !strings.HasSuffix(s, last) {
			return false
		}
		s = s[len(first) : len(s)-len(last)]
		for _, m := range middle {
			i := strings.Index(s, m)
			if i < 0 {
				return false
			}
			s = s[i+len(m):]
		}
		return true
	}
}

// inText makes a test of text one of a payload: as it travelled, or with its escapes resolved.
func inText(is func(string) bool) func([]byte) bool {
	return func(raw []byte) bool {
		s := textOf(raw)
		if is(s) {
			return true
		}
		return strings.IndexByte(s, '\\') >= 0 && is(unescaped(s))
	}
}

// unescaped resolves the JSON escapes in text, wherever they stand.
func unescaped(s string) string {
	var b strings.Builder
	b.Grow(len(s))
	for {
		i := strings.IndexByte(s, '\\')
		if i < 0 || i+1 == len(s) {
			b.WriteString(s)
			return b.String()
		}
		b.WriteString(s[:i])
		n := 2
		switch c := s[i+1]; c {
		case 'n':
			b.WriteByte('\n')
		case 't':
			b.WriteByte('\t')
		case 'r':
			b.WriteByte('\r')
		case 'b':
			b.WriteByte('\b')
		case 'f':
			b.WriteByte('\f')
		case 'u':
			r, length := escapedRune(s[i:])
			b.WriteRune(r)
			n = length
		default:
			b.WriteByte(c)
		}
		s = s[i+n:]
	}
}
