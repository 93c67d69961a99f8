package redact

import (
	"bytes"
	"math"
	"unicode/utf8"

	"github.com/shakescope/shakescope/jsonrpc"
)

// unescaped is a text without its escapes, with the way back to where it came from. It is used again and again.
type unescaped struct {
	text  []byte
	at    []uint32 // offsets in the text right behind an escape
	shift []uint32 // how much further the raw text is from there on
	size  int      // of the raw text
}

// tooLong reports whether a text is longer than the way back reaches.
func tooLong(raw []byte) bool { return uint64(len(raw)) > math.MaxUint32 }

func (u *unescaped) reset(size int) {
	const keep = 1 << 20
	if cap(u.text) > keep {
		*u = unescaped{}
	}
	u.text, u.at, u.shift, u.size = u.text[:0], u.at[:0], u.shift[:0], size
}

// raw returns the offset in the raw text of an offset in the text.
func (u *unescaped) raw(offset int) int {
	if offset >= len(u.text) {
		return u.size
	}
	lo, hi := 0, len(u.at)
	for lo < hi {
		if mid := (lo + hi) / 2; int(u.at[mid]) <= offset {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	if lo == 0 {
		return offset
	}
	return offset + int(u.shift[lo-1])
}

// escape notes an escape that ended at the raw offset to.
func (u *unescaped) escape(to int) {
	u.at = append(u.at, uint32(len(u.text)))
	u.shift = append(u.shift, uint32(to-len(u.text)))
}

// unescape resolves the escapes of the content of a JSON string. What is no escape is kept as it is.
func (u *unescaped) unescape(raw []byte) {
	u.reset(len(raw))
	for i := 0; ; {
		n := bytes.IndexByte(raw[i:], '\\')
		if n < 0 || i+n+1 == len(raw) {
			u.text = append(u.text, raw[i:]...)
			return
		}
		u.text = append(u.text, raw[i:i+n]...)
		i += n
		n = 2
		switch c := raw[i+1]; c {
		case 'n':
			u.text = append(u.text, '\n')
		case 't':
			u.text = append(u.text, '\t')
		case 'r':
			u.text = append(u.text, '\r')
		case 'b':
			u.text = append(u.text, '\b')
		case 'f':
			u.text = append(u.text, '\f')
		case 'u':
			r, size := jsonrpc.EscapedRune(raw[i:])
			if size < 6 {
				u.text = append(u.text, '\\')
				n = 1
				break
			}
			n = size
			u.text = utf8.AppendRune(u.text, r)
		default:
			u.text = append(u.text, c)
		}
		i += n
		u.escape(i)
	}
}

// unpercent resolves the escapes of URLs. It reports whether there was one.
func (u *unescaped) unpercent(raw []byte) bool {
	u.reset(len(raw))
	found := false
	for i := 0; ; {
		n := bytes.IndexByte(raw[i:], '%')
		if n < 0 {
			u.text = append(u.text, raw[i:]...)
			return found
		}
		u.text = append(u.text, raw[i:i+n]...)
		i += n
		if !isPercent(raw, i) {
			u.text = append(u.text, '%')
			i++
			continue
		}
		high, _ := hexDigit(raw[i+1])
		low, _ := hexDigit(raw[i+2])
		u.text = append(u.text, high<<4|low)
		i += 3
		u.escape(i)
		found = true
	}
}

// isPercent reports whether %XX stands at i.
func isPercent(text []byte, i int) bool {
	if i+2 >= len(text) || text[i] != '%' {
		return false
	}
	_, high := hexDigit(text[i+1])
	_, low := hexDigit(text[i+2])
	return high && low
}

func hexDigit(c byte) (byte, bool) {
	switch {
	case '0' <= c && c <= '9':
		return c - '0', true
	case 'a' <= c && c <= 'f':
		return c - 'a' + 10, true
	case 'A' <= c && c <= 'F':
		return c - 'A' + 10, true
	}
	return 0, false
}
