// Package redact masks secrets in traffic: by the names of members, by shapes that credentials are known
// to have, in URLs, command lines and paths. Only the spans of the secrets change, every other byte
// stays as it is.
//
// A mask says what it stands for, how long that was (rounded up, so that it tells little) and which one of
// the secrets it is:
//
//	[redacted:password:len~16:3]
//
// Equal secrets get equal numbers, in the order in which they were first seen. A number says nothing about the
// secret, where even a keyed hash would have to guard its key, and it makes the output the same on every run.
// Inside URLs the mask is spelled redacted-password-16-3, so that the URL stays one; a number becomes
// the JSON number 0e3, which is zero in every parser and looks like nothing else.
//
// # What is masked
//
// In JSON the values of members such as password, apiKey or GITHUB_TOKEN, of header lists, of flags in lists of
// arguments; in any text assignments, headers and flags with such names; everywhere tokens of known
// forms (tables in shapes.go), userinfo and telling query parameters of URLs, private keys, the user's name in
// paths of home folders. JSON inside a string is looked into. What was masked once by its name is masked
// again wherever it comes back, also without its name.
//
// Members of the protocol keep their values: ids, methods, cursors, progress tokens, request states, error
// codes, and the schemas and descriptions of tools, in which a property named password is no password.
package redact

import (
	"bytes"
	"slices"
	"strconv"
	"unicode/utf8"
)

// A Redactor masks the secrets of one export, and remembers them while it does. It is not safe for use by several
// goroutines at a time.
type Redactor struct {
	secrets map[string]secret
	echoes  echoes
	depth   int // of JSON in strings in JSON
}

type secret struct {
	n    int
	kind string
}

// New returns a Redactor that knows no secret yet.
func New() *Redactor {
	return &Redactor{secrets: make(map[string]secret)}
}

// maxSecrets bounds what a Redactor remembers; later secrets are masked without a number.
const maxSecrets = 100_000

// Count returns how many different secrets were seen so far.
func (r *Redactor) Count() int { return len(r.secrets) }

// Line returns a line that travelled, a JSON-RPC message or any other, with its secrets masked. It returns line
// itself where nothing is to be masked; it never writes into it. A message stays a message of the same shape.
func (r *Redactor) Line(line []byte) []byte { return r.apply(line, protocol) }

// Message is [Redactor.Line] for a line that must be JSON. It returns false, and masks nothing, when it cannot be read
// as such.
func (r *Redactor) Message(line []byte) ([]byte, bool) {
	spans, ok := r.walk(line, protocol)
	if !ok {
		return nil, false
	}
	return r.masked(line, spans), true
}

// Log is [Redactor.Line] for a line of a log. It knows of private keys that are written over several lines.
func (r *Redactor) Log(line []byte) []byte { return r.apply(line, protocol) }

// Named takes in a value that is secret if its name says so, as those of environment variables are.
func (r *Redactor) Named(name, value string) {
	if len(value) >= 4 && meaningOf([]byte(name)) == secretly && !isPlaceholder(value) && !isWorkingFolder(name, value) {
		r.note(value, kindOf([]byte(name)), true)
	}
}

// JSON does the same to JSON that is no message, in which no member belongs to the protocol.
func (r *Redactor) JSON(value []byte) []byte { return r.apply(value, free) }

// Learn takes in the secrets of a line without masking them, so that places before it are masked, too. It reports
// whether there is something to mask in the line.
func (r *Redactor) Learn(line []byte) bool { return len(r.spans(line, protocol)) > 0 }

// Echoes reports whether there are secrets that are looked for everywhere.
func (r *Redactor) Echoes() bool { return len(r.echoes.byStart) > 0 }

// Bytes masks a text of which nothing is known.
func (r *Redactor) Bytes(text []byte) []byte {
	s := r.scanText(nil, text, loose)
	return r.masked(text, s)
}

// Text masks a text of which nothing is known.
func (r *Redactor) Text(text string) string {
	if text == "" {
		return text
	}
	b := []byte(text)
	if out := r.Bytes(b); len(out) == 0 || &out[0] != &b[0] {
		return string(out)
	}
	return text
}

func (r *Redactor) apply(line []byte, p place) []byte { return r.masked(line, r.spans(line, p)) }

// spans finds what is to be masked. A line that only looks like JSON is text.
func (r *Redactor) spans(line []byte, p place) []span {
	i := 0
	for i < len(line) && isSpace(line[i]) {
		i++
	}
	if i < len(line) && (line[i] == '{' || line[i] == '[') {
		if s, ok := r.walk(line, p); ok {
			return s
		}
	}
	return r.scanText(nil, line, loose)
}

// span is a part of a text that is to be masked.
type span struct {
	from, to int
	kind     string
	form     form
	text     string // the secret, unescaped; "" when it has not been looked up yet
	known    bool   // masked because it is an echo
}

// form says how a mask is spelled.
type form uint8

const (
	inText form = iota
	inURL
	asNumber
	asUser // the name in the path of a home folder
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
	out := make([]byte, 0, len(text)+32*len(spans))
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
	if s.form == asUser {
		return append(dst, "redacted"...)
	}
	value := s.text
	if value == "" {
		value = string(text[s.from:s.to])
	}
	known := r.secrets[value]
	kind := s.kind
	if known.kind != "" {
		kind = known.kind
	}
	length := (utf8.RuneCountInString(value) + 7) / 8 * 8
	switch s.form {
	case asNumber:
		return strconv.AppendInt(append(dst, "0e"...), int64(known.n), 10)
	case inURL:
		dst = append(append(append(dst, "redacted-"...), kind...), '-')
		return strconv.AppendInt(append(strconv.AppendInt(dst, int64(length), 10), '-'), int64(known.n), 10)
	}
	dst = append(append(append(dst, "[redacted:"...), kind...), ":len~"...)
	dst = strconv.AppendInt(dst, int64(length), 10)
	dst = append(dst, ':')
	return append(strconv.AppendInt(dst, int64(known.n), 10), ']')
}

// note remembers a secret. One that was known by its name only is looked for everywhere from now on.
func (r *Redactor) note(value, kind string, named bool) {
	if _, ok := r.secrets[value]; ok || len(r.secrets) >= maxSecrets {
		return
	}
	r.secrets[value] = secret{n: len(r.secrets) + 1, kind: kind}
	if named && tellsItself(value) {
		r.echoes.add(value)
	}
}

// tellsItself reports whether a secret is so particular that its text means it wherever it stands.
func tellsItself(value string) bool {
	if len(value) < 6 || isPlaceholder(value) {
		return false
	}
	classes := 0
	var lower, upper, digit, other bool
	for i := 0; i < len(value); i++ {
		switch c := value[i]; {
		case 'a' <= c && c <= 'z':
			lower = true
		case 'A' <= c && c <= 'Z':
			upper = true
		case '0' <= c && c <= '9':
			digit = true
		default:
			other = true
		}
	}
	for _, has := range []bool{lower, upper, digit, other} {
		if has {
			classes++
		}
	}
	switch {
	case !lower && !upper && !other: // a number: ids, sizes and times look like one
		return len(value) >= 10
	case classes == 1 || classes == 2 && upper && lower:
		return len(value) >= 16
	}
	return classes >= 3 || len(value) >= 8
}

// echoes finds secrets that come back without their name.
type echoes struct {
	byStart map[[4]byte][]string // by their first four bytes, the longest first
	table   []uint64             // a bit for each hash of four bytes that a secret begins with
}

func hash4(h uint32) uint32 { return h * 0x9e3779b1 >> 16 }

func (e *echoes) add(value string) {
	if e.byStart == nil {
		e.byStart = make(map[[4]byte][]string)
		e.table = make([]uint64, 1<<16/64)
	}
	var start [4]byte
	copy(start[:], value)
	list := append(e.byStart[start], value)
	slices.SortStableFunc(list, func(a, b string) int { return len(b) - len(a) })
	e.byStart[start] = list
	h := hash4(uint32(start[0])<<24 | uint32(start[1])<<16 | uint32(start[2])<<8 | uint32(start[3]))
	e.table[h/64] |= 1 << (h % 64)
}

// find appends the places in text at which a known secret stands.
func (e *echoes) find(dst []span, text []byte) []span {
	if len(e.byStart) == 0 || len(text) < 6 {
		return dst
	}
	h := uint32(text[0])<<16 | uint32(text[1])<<8 | uint32(text[2])
	for i := 3; i < len(text); i++ {
		h = h<<8 | uint32(text[i])
		if k := hash4(h); e.table[k/64]&(1<<(k%64)) == 0 {
			continue
		}
		from := i - 3
		for _, value := range e.byStart[[4]byte(text[from:i+1])] {
			if bytes.HasPrefix(text[from:], []byte(value)) {
				dst = append(dst, span{from: from, to: from + len(value), text: value, known: true})
				break
			}
		}
	}
	return dst
}
