package redact

import (
	"unicode/utf16"
	"unicode/utf8"
)

// places maps offsets in an unescaped text to offsets in the JSON string it came from.
type places struct {
	at    []int // offsets in the text right behind an escape
	shift []int // how much further the raw string is from there on
	ends  int   // of the text
	size  int   // of the raw string
}

// raw returns the offset in the raw string of an offset in the text.
func (p *places) raw(offset int) int {
	if offset >= p.ends {
		return p.size
	}
	lo, hi := 0, len(p.at)
	for lo < hi {
		if mid := (lo + hi) / 2; p.at[mid] <= offset {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	if lo == 0 {
		return offset
	}
	return offset + p.shift[lo-1]
}

// unescape resolves the escapes of the content of a JSON string. What is no escape is kept as it is.
func unescape(raw []byte) ([]byte, places) {
	out := make([]byte, 0, len(raw))
	var p places
	for i := 0; i < len(raw); {
		if raw[i] != '\\' || i+1 == len(raw) {
			out = append(out, raw[i])
			i++
			continue
		}
		n := 2
		switch c := raw[i+1]; c {
		case 'n':
			out = append(out, '\n')
		case 't':
			out = append(out, '\t')
		case 'r':
			out = append(out, '\r')
		case 'b':
			out = append(out, '\b')
		case 'f':
			out = append(out, '\f')
		case 'u':
			r, ok := hex4(raw[i+2:])
			if !ok {
				out = append(out, '\\')
				n = 1
				break
			}
			n = 6
			if utf16.IsSurrogate(r) && i+7 < len(raw) && raw[i+6] == '\\' && raw[i+7] == 'u' {
				if low, ok := hex4(raw[i+8:]); ok {
					if both := utf16.DecodeRune(r, low); both != utf8.RuneError {
						r, n = both, 12
					}
				}
			}
			out = utf8.AppendRune(out, r)
		default:
			out = append(out, c)
		}
		i += n
		p.at = append(p.at, len(out))
		p.shift = append(p.shift, i-len(out))
	}
	p.ends, p.size = len(out), len(raw)
	return out, p
}

func hex4(b []byte) (rune, bool) {
	if len(b) < 4 {
		return 0, false
	}
	var r rune
	for _, c := range b[:4] {
		switch {
		case '0' <= c && c <= '9':
			c -= '0'
		case 'a' <= c && c <= 'f':
			c -= 'a' - 10
		case 'A' <= c && c <= 'F':
			c -= 'A' - 10
		default:
			return 0, false
		}
		r = r<<4 | rune(c)
	}
	return r, true
}
