package annotate

import (
	"unicode"
	"unicode/utf8"
)

// clean makes a text from the wire fit for one line: control and format characters become visible.
func clean(s string) string {
	for i, r := range s {
		if r < ' ' || r == 0x7f || r > 0x7e && !unicode.IsPrint(r) {
			return cleanFrom(s, i)
		}
	}
	return s
}

// cleanFrom does it for a text whose first i bytes may stay.
func cleanFrom(s string, i int) string {
	out := append(make([]byte, 0, len(s)+utf8.UTFMax), s[:i]...)
	for _, r := range s[i:] {
		switch {
		case r >= ' ' && r < 0x7f:
			out = append(out, byte(r))
		case r == '\n' || r == '\t' || r == '\r':
			out = append(out, ' ')
		case unicode.IsPrint(r):
			out = utf8.AppendRune(out, r)
		default:
			out = append(out, "\u00B7"...)
		}
	}
	return string(out)
}
