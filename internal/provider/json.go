package provider

import (
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/shakescope/shakescope/jsonrpc"
)

// quote appends a string literal.
func quote(dst []byte, s string) []byte {
	dst, _ = jsontext.AppendQuote(dst, s) // the only error says that s is not UTF-8
	return dst
}

// compact appends raw JSON without the white space between its tokens. Everything else stays as it was spelled.
func compact(dst, raw []byte) []byte {
	inString := false
	for i := 0; i < len(raw); i++ {
		c := raw[i]
		switch {
		case inString && c == '\\' && i+1 < len(raw):
			dst = append(dst, c, raw[i+1])
			i++
			continue
		case c == '"':
			inString = !inString
		case !inString && (c == ' ' || c == '\t' || c == '\n' || c == '\r'):
			continue
		case inString && c >= utf8.RuneSelf:
			r, n := utf8.DecodeRune(raw[i:])
			if r == utf8.RuneError && n == 1 {
				dst = append(dst, "\ufffd"...)
				continue
			}
			dst = append(dst, raw[i:i+n]...)
			i += n - 1
			continue
		}
		dst = append(dst, c)
	}
	return dst
}

// member returns a member of an object, nil where there is none.
func member(raw []byte, path ...string) []byte {
	v, ok := jsonrpc.Lookup(raw, path...)
	if !ok {
		return nil
	}
	return v
}

// text returns the text of a string, "" for anything else.
func text(raw []byte) string {
	s, _ := jsonrpc.Unquote(raw)
	return s
}

func isObject(raw []byte) bool { return len(raw) > 1 && raw[0] == '{' }

// elements returns the values of an array, nil when raw is none.
func elements(raw []byte) [][]byte {
	var out [][]byte
	if len(raw) == 0 || raw[0] != '[' {
		return nil
	}
	depth, inString, from := 0, false, 1
	add := func(to int) {
		if v := trim(raw[from:to]); len(v) > 0 {
			out = append(out, v)
		}
		from = to + 1
	}
	for i := 0; i < len(raw); i++ {
		switch c := raw[i]; {
		case inString:
			if c == '\\' {
				i++
			} else if c == '"' {
				inString = false
			}
		case c == '"':
			inString = true
		case c == '[' || c == '{':
			depth++
		case c == ']' || c == '}':
			if depth--; depth == 0 {
				add(i)
				return out
			}
		case c == ',' && depth == 1:
			add(i)
		}
	}
	return out
}

func trim(b []byte) []byte {
	blank := func(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }
	for len(b) > 0 && blank(b[0]) {
		b = b[1:]
	}
	for len(b) > 0 && blank(b[len(b)-1]) {
		b = b[:len(b)-1]
	}
	return b
}
