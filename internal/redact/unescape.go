package redact

import (
	"unicode/utf8"

	"github.com/shakescope/shakescope/jsonrpc"
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
			r, size := jsonrpc.EscapedRune(raw[i:])
			if size < 6 {
				out = append(out, '\\')
				n = 1
				break
			}
			n = size
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
