package mcpshape

import (
	"bytes"
	"strings"
	"time"
)

// fits tells whether the inside of a JSON string has the format.
func (f format) fits(raw []byte) bool {
	switch f {
	case formatURI:
		return isURI(plain(raw))
	case formatURITemplate:
		return IsURITemplate(plain(raw))
	case formatByte:
		return isBase64(raw)
	case formatDateTime:
		return isDateTime(plain(raw))
	}
	return true
}

// isURI tells whether text is an absolute URI (RFC 3986). Characters beyond ASCII are let pass: they
// are IRIs (RFC 3987), which every URL parser in the field takes.
func isURI(text string) bool {
	scheme, rest, ok := strings.Cut(text, ":")
	if !ok || scheme == "" {
		return false
	}
	for i := range len(scheme) {
		c := scheme[i]
		letter := c|0x20 >= 'a' && c|0x20 <= 'z'
		other := c >= '0' && c <= '9' || c == '+' || c == '-' || c == '.'
		if !letter && (i == 0 || !other) {
			return false
		}
	}
	return legalURI(rest)
}

// legalURI tells whether text holds only what may stand in a URI, percent escapes complete.
func legalURI(text string) bool {
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c <= ' ' || c == 0x7f || strings.IndexByte("<>\"\\^`{|}", c) >= 0:
			return false
		case c == '%':
			if i+2 >= len(text) || !isHex(text[i+1]) || !isHex(text[i+2]) {
				return false
			}
			i += 2
		}
	}
	return true
}

func isHex(c byte) bool {
	return c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'f'
}

// IsURITemplate tells whether text is a URI template (RFC 6570): literals and non-empty expressions in
// single braces.
func IsURITemplate(text string) bool {
	for {
		literal, rest, open := strings.Cut(text, "{")
		if !legalURI(literal) {
			return false
		}
		if !open {
			return true
		}
		expression, after, closed := strings.Cut(rest, "}")
		if !closed || !isExpression(expression) {
			return false
		}
		text = after
	}
}

func isExpression(text string) bool {
	if text != "" && strings.IndexByte("+#./;?&=,!@|", text[0]) >= 0 {
		text = text[1:]
	}
	for v := range strings.SplitSeq(text, ",") {
		v = strings.TrimSuffix(v, "*")
		if name, length, ok := strings.Cut(v, ":"); ok {
			if length == "" || len(length) > 4 || strings.Trim(length, "0123456789") != "" {
				return false
			}
			v = name
		}
		if v == "" {
			return false
		}
		for i := range len(v) {
			c := v[i]
			word := c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9' || c >= 0x80 || strings.IndexByte("_.%", c) >= 0
			if !word && c != '-' { // "-" is outside the grammar, but every implementation takes it
				return false
			}
		}
	}
	return true
}

var base64Letter = func() (t [256]bool) {
	for c := range 128 {
		c := byte(c)
		t[c] = c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '+' || c == '/'
	}
	return t
}()

// isBase64 tells whether the inside of a JSON string is standard base64 with padding (RFC 4648,
// section 4). A slash may be escaped.
func isBase64(raw []byte) bool {
	if bytes.IndexByte(raw, '\\') >= 0 {
		raw = []byte(plain(raw))
	}
	n := len(raw)
	if n%4 != 0 {
		return false
	}
	for pad := 0; pad < 2 && n > 0 && raw[n-1] == '='; pad++ {
		n--
	}
	for _, c := range raw[:n] {
		if !base64Letter[c] {
			return false
		}
	}
	return true
}

// isDateTime tells whether text is an ISO 8601 date, or date and time. The pages show RFC 3339; a time
// without zone, or a date alone, is ISO 8601 all the same.
func isDateTime(text string) bool {
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04:05", "2006-01-02T15:04Z07:00", "2006-01-02", "2006-01-02T15:04",
		"2006-01-02T15:04:05Z0700", "20060102T150405Z07:00"} {
		if _, err := time.Parse(layout, strings.ToUpper(text)); err == nil {
			return true
		}
	}
	return false
}

// integral tells whether the text of a JSON number has an integer value, however it is spelt.
func integral(text []byte) bool {
	plainDigits := true
	for _, c := range text {
		if c == '.' || c == 'e' || c == 'E' {
			plainDigits = false
			break
		}
	}
	if plainDigits {
		return true
	}
	mantissa, exponent := text, 0
	if i := bytes.IndexAny(text, "eE"); i >= 0 {
		mantissa = text[:i]
		exponent = boundedInt(text[i+1:])
	}
	whole, fraction, _ := bytes.Cut(mantissa, []byte("."))
	fraction = bytes.TrimRight(fraction, "0")
	if len(fraction) > 0 {
		return exponent >= len(fraction)
	}
	if exponent >= 0 {
		return true
	}
	digits := bytes.TrimLeft(whole, "-0")
	zeros := len(digits) - len(bytes.TrimRight(digits, "0"))
	return len(digits) == 0 || zeros >= -exponent
}

// boundedInt reads the exponent of a number; huge ones are cut at some hundred million, which no message's
// digits reach.
func boundedInt(text []byte) int {
	n, negative := 0, false
	for i, c := range text {
		switch {
		case i == 0 && c == '-':
			negative = true
		case c >= '0' && c <= '9' && n < 100_000_000:
			n = n*10 + int(c-'0')
		}
	}
	if negative {
		return -n
	}
	return n
}
