package redact

import (
	"bytes"
	"slices"
	"strconv"
	"unicode/utf8"
)

// span is a part of a text that is to be masked.
type span struct {
	from, to int
	kind     string
	text     string // the secret, unescaped; "" when it is what stands there. In place of it for the form asIs
	form     form
	known    bool // masked because it is an echo
}

// form says how a mask is spelled.
type form uint8

const (
	inText form = iota
	inURL
	asNumber
	asUser // the name in the path of a home folder
	asIs   // text is what stands in its place
)

// masked puts masks where the spans are.
func (r *Redactor) masked(text []byte, spans []span) []byte {
	if len(spans) == 0 {
		return text
	}
	slices.SortStableFunc(spans, func(a, b span) int {
		if a.from != b.from {
			return a.from - b.from
		}
		return b.to - a.to
	})
	// A line of nothing but short secrets becomes twice as long; to grow by and by would take that once more.
	size := len(text)
	for i := range spans {
		size += max(usualMask-(spans[i].to-spans[i].from), 0)
	}
	out := make([]byte, 0, size)
	at := 0
	for i := range spans {
		s := &spans[i]
		if s.from < at { // inside the one before
			if s.to > at {
				at = s.to
			}
			continue
		}
		out = append(out, text[at:s.from]...)
		out = r.appendMask(out, s, text)
		at = s.to
	}
	return append(out, text[at:]...)
}

func (r *Redactor) appendMask(dst []byte, s *span, text []byte) []byte {
	switch s.form {
	case asUser:
		return append(dst, "redacted"...)
	case asIs:
		return append(dst, s.text...)
	}
	value := s.text
	if value == "" {
		value = string(text[s.from:s.to])
	}
	known := r.secrets[r.keyOf(value)]
	kind := s.kind
	if known.kind != "" {
		kind = known.kind
	}
	length := (utf8.RuneCountInString(value) + 7) / 8 * 8
	switch s.form {
	case asNumber:
		// Zero, with about as many digits, and the number of the secret where an exponent changes nothing.
		dst = append(dst, "0."...)
		for range min(length, 64) {
			dst = append(dst, '0')
		}
		return strconv.AppendInt(append(dst, 'e'), int64(known.n), 10)
	case inURL:
		dst = append(append(append(dst, "redacted-"...), kind...), '-')
		return strconv.AppendInt(append(strconv.AppendInt(dst, int64(length), 10), '-'), int64(known.n), 10)
	}
	dst = append(append(append(dst, "[redacted:"...), kind...), ":len~"...)
	dst = strconv.AppendInt(dst, int64(length), 10)
	dst = append(dst, ':')
	return append(strconv.AppendInt(dst, int64(known.n), 10), ']')
}

// usualMask is as long as most masks are.
const usualMask = 32

// longestMask is more than any mask has bytes.
const longestMask = 100

// maskAt returns where the mask ends that begins at i, 0 when there is none.
func maskAt(text []byte, i int) int {
	at, sep, between, end := i, byte(':'), ":len~", "]"
	switch rest := text[i:]; {
	case bytes.HasPrefix(rest, []byte("[redacted:")):
		at += len("[redacted:")
	case bytes.HasPrefix(rest, []byte("redacted-")):
		at, sep, between, end = at+len("redacted-"), '-', "-", ""
	default:
		return 0
	}
	limit := min(len(text), i+longestMask)
	for k := at; k < limit && (text[k] == '-' || 'a' <= text[k] && text[k] <= 'z' || '0' <= text[k] && text[k] <= '9' || text[k] == sep); k++ {
		if k == at || !bytes.HasPrefix(text[k:], []byte(between)) {
			continue
		}
		length := k + len(between)
		n := digits(text, length)
		if n == length || n == len(text) || text[n] != sep {
			continue
		}
		if to := digits(text, n+1); to > n+1 && bytes.HasPrefix(text[to:], []byte(end)) {
			return to + len(end)
		}
	}
	return 0
}

func digits(b []byte, i int) int {
	for i < len(b) && '0' <= b[i] && b[i] <= '9' {
		i++
	}
	return i
}

// isMask reports whether a text is a mask and nothing else.
func isMask(text []byte) bool {
	return len(text) <= longestMask && len(text) > 0 && maskAt(text, 0) == len(text)
}

// isMaskedNumber reports whether a JSON number is a mask.
func isMaskedNumber(b []byte) bool {
	rest, ok := bytes.CutPrefix(b, []byte("0.0"))
	if !ok {
		return false
	}
	e := bytes.IndexByte(rest, 'e')
	return e >= 7 && e%8 == 7 && len(bytes.Trim(rest[:e], "0")) == 0 && e+1 < len(rest) && digits(rest, e+1) == len(rest)
}

// touchesMask reports whether a part of a text overlaps with a mask.
func touchesMask(text []byte, from, to int) bool {
	word := []byte("redacted")
	limit := min(len(text), to+len(word))
	for at := max(0, from-longestMask); at < limit; at++ {
		k := bytes.Index(text[at:limit], word)
		if k < 0 {
			return false
		}
		at += k
		start := at
		if at > 0 && text[at-1] == '[' {
			start--
		}
		if end := maskAt(text, start); end > from && start < to {
			return true
		}
	}
	return false
}
