package jsonrpc

import (
	"bytes"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// Unquote returns the text of a JSON string literal. It returns false when raw is not exactly one
// literal. Lone surrogates and bytes that are not UTF-8 become U+FFFD.
func Unquote(raw []byte) (string, bool) {
	n := len(raw)
	if n < 2 || raw[0] != '"' || raw[n-1] != '"' {
		return "", false
	}
	if plain(raw[1 : n-1]) {
		return string(raw[1 : n-1]), true
	}
	text, err := jsontext.AppendUnquote(nil, raw)
	if err != nil && !jsontext.Value(raw).IsValid(tolerant...) {
		return "", false
	}
	return string(text), true
}

// plain reports whether the inside of a literal is printable ASCII without escapes.
func plain(b []byte) bool {
	for _, c := range b {
		if c < ' ' || c >= utf8.RuneSelf || c == '"' || c == '\\' {
			return false
		}
	}
	return true
}

// appendQuoted appends s as a JSON string literal.
func appendQuoted(dst []byte, s string) []byte {
	// The error only says that s holds bytes that are not UTF-8, which AppendQuote has replaced.
	dst, _ = jsontext.AppendQuote(dst, s)
	return dst
}

// appendUnescaped appends a valid literal, quotes included, with its escapes resolved. Unlike
// [Unquote] it maps different literals to different bytes: lone surrogates keep their value, in the
// three bytes that UTF-8 would give them, and bytes that are not UTF-8 stay.
func appendUnescaped(dst, raw []byte) []byte {
	for len(raw) > 0 {
		i := bytes.IndexByte(raw, '\\')
		if i < 0 || i+1 >= len(raw) {
			return append(dst, raw...)
		}
		dst, raw = append(dst, raw[:i]...), raw[i:]
		switch c := raw[1]; c {
		case 'u':
			r, n := EscapedRune(raw)
			if utf16.IsSurrogate(r) {
				dst = append(dst, 0xE0|byte(r>>12), 0x80|byte(r>>6)&0x3F, 0x80|byte(r)&0x3F)
			} else {
				dst = utf8.AppendRune(dst, r)
			}
			raw = raw[n:]
			continue
		case 'b':
			dst = append(dst, '\b')
		case 'f':
			dst = append(dst, '\f')
		case 'n':
			dst = append(dst, '\n')
		case 'r':
			dst = append(dst, '\r')
		case 't':
			dst = append(dst, '\t')
		default:
			dst = append(dst, c)
		}
		raw = raw[2:]
	}
	return dst
}

// EscapedRune decodes the \u escape, or the surrogate pair of two, at the start of b, and returns its
// length, 12 for a pair. A lone surrogate comes back as itself. Where b begins with no \u escape the rune is
// utf8.RuneError and the length at most 2.
func EscapedRune(b []byte) (rune, int) {
	r, ok := hex4(b)
	if !ok {
		return utf8.RuneError, min(2, len(b))
	}
	if utf16.IsSurrogate(r) {
		if low, ok := hex4(b[6:]); ok {
			if pair := utf16.DecodeRune(r, low); pair != utf8.RuneError {
				return pair, 12
			}
		}
	}
	return r, 6
}

// hex4 reads the escape \uXXXX at the start of b.
func hex4(b []byte) (rune, bool) {
	if len(b) < 6 || b[0] != '\\' || b[1] != 'u' {
		return 0, false
	}
	var r rune
	for _, c := range b[2:6] {
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

// loneSurrogate returns the index of the first escape in a valid literal that is half of a
// surrogate pair without the other, or -1.
func loneSurrogate(raw []byte) int {
	return indexEscape(raw, utf16.IsSurrogate)
}

// escapedNUL returns the index of the first \u0000 in a valid literal, or -1.
func escapedNUL(raw []byte) int {
	return indexEscape(raw, func(r rune) bool { return r == 0 })
}

func indexEscape(raw []byte, is func(rune) bool) int {
	for i := 0; i < len(raw); {
		n := bytes.IndexByte(raw[i:], '\\')
		if n < 0 || i+n+1 >= len(raw) {
			return -1
		}
		i += n
		if raw[i+1] != 'u' {
			i += 2
			continue
		}
		r, size := EscapedRune(raw[i:])
		if is(r) {
			return i
		}
		i += size
	}
	return -1
}
