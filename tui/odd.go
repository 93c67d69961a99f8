package tui

import (
	"unicode/utf8"

	"github.com/shakescope/shakescope/internal/termtext"
)

// oddLook bounds what is looked at of a payload.
const oddLook = 64 << 10

// oddText reports whether text from the wire had to be made fit for a terminal: it holds control
// characters, marks that turn the direction of writing, what has no width, or what is not UTF-8; as
// such or as JSON escapes.
func oddText(raw []byte) bool {
	if len(raw) > oddLook {
		cut := oddLook
		for cut > oddLook-utf8.UTFMax && !utf8.RuneStart(raw[cut]) {
			cut-- // a character that the cut would break is not at fault
		}
		raw = raw[:cut]
	}
	start := 0
	for i, c := range raw {
		if c == '\n' || c == '\r' || c == '\t' {
			if start < i && termtext.Unsafe(string(raw[start:i])) {
				return true
			}
			start = i + 1
		}
	}
	if start < len(raw) && termtext.Unsafe(string(raw[start:])) {
		return true
	}
	for i := 0; i+6 <= len(raw); i++ {
		if raw[i] != '\\' {
			continue
		}
		if raw[i+1] != 'u' {
			i++
			continue
		}
		n := 0
		for _, c := range raw[i+2 : i+6] {
			switch {
			case c >= '0' && c <= '9':
				n = n<<4 | int(c-'0')
			case c|0x20 >= 'a' && c|0x20 <= 'f':
				n = n<<4 | int(c|0x20-'a'+10)
			}
		}
		i += 5
		if n == '\n' || n == '\r' || n == '\t' || n >= 0xd800 && n < 0xe000 {
			continue
		}
		if termtext.Unsafe(string(rune(n))) {
			return true
		}
	}
	return false
}
