package annotate

import (
	"strings"
	"unicode"
)

// clean makes a text from the wire fit for one line: control and format characters become visible.
func clean(s string) string {
	for _, r := range s {
		if r < ' ' || r == 0x7f || r > 0x7e && !unicode.IsPrint(r) {
			return strings.Map(func(r rune) rune {
				switch {
				case r == '\n' || r == '\t' || r == '\r':
					return ' '
				case unicode.IsPrint(r) || r == ' ':
					return r
				}
				return '\u00B7'
			}, s)
		}
	}
	return s
}
