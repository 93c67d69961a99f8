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
	"crypto/sha256"

	"github.com/shakescope/shakescope/jsonrpc"
)

// A Redactor masks the secrets of one export, and remembers them while it does. It is not safe for use by several
// goroutines at a time.
type Redactor struct {
	own     *Own
	secrets map[string]secret
	room    int // bytes of secrets that may still be remembered
	echoes  echoes
	depth   int // of texts in texts: JSON in strings in JSON
	names   map[string]judged
	logs    [2]map[int]int // how many lines of a private key may still come, by what is done and stream

	unescaped [maxInside + 1]unescaped // strings, by depth

	kept map[string]bool // strings of reports that are not masked
}

type secret struct {
	n    int
	kind string
}

// New returns a Redactor that knows no secret yet.
func New() *Redactor { return NewWith(nil) }

// NewWith returns a Redactor that also goes by the rules of a user; own may be nil.
func NewWith(own *Own) *Redactor {
	if own == nil {
		own = &Own{}
	}
	return &Redactor{own: own, secrets: make(map[string]secret), room: maxRemembered}
}

const (
	// maxRemembered bounds what a Redactor remembers, in bytes; later secrets are masked without a number.
	maxRemembered = 16 << 20

	// secretRoom is what a secret takes besides its text.
	secretRoom = 100

	// longestKept is how long a secret may be whose text is remembered; of longer ones the digest is.
	longestKept = 4 << 10
)

// Remember bounds what the Redactor keeps of the secrets that it will see, in bytes. Beyond that they are masked without
// a number.
func (r *Redactor) Remember(bytes int) { r.room = bytes }

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

// Named takes in a value that is secret if its name says so, or has secrets in it, as those of environment variables do.
func (r *Redactor) Named(name, value string) {
	r.scanText(nil, []byte(value), loose)
	if len(value) >= 4 && r.isSecret([]byte(name)) && !isPlaceholder(value) && !isWorkingFolder(name, value) {
		r.note(value, r.kindOf([]byte(name)), true)
	}
}

// Keep has [Redactor.Report] leave a string as it is that is this text and nothing else: the place of a recording, by
// which whoever reads the report gets at it.
func (r *Redactor) Keep(text string) {
	if r.kept == nil {
		r.kept = make(map[string]bool)
	}
	r.kept[text] = true
}

// keeps reports whether a JSON string stays.
func (r *Redactor) keeps(literal []byte) bool {
	if len(r.kept) == 0 {
		return false
	}
	text, ok := jsonrpc.Unquote(literal)
	return ok && r.kept[text]
}

// Report masks a report of our own on messages, in JSON: members with names of the protocol are read as such, all else
// is the peers'.
func (r *Redactor) Report(value []byte) []byte {
	r.spans(value, report) // what gives a secret away may stand behind it
	return r.apply(value, report)
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

// Text masks a text of which nothing is known. A nil Redactor masks nothing.
func (r *Redactor) Text(text string) string {
	if text == "" || r == nil {
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

// note remembers a secret. One that was known by its name only is looked for everywhere from now on.
func (r *Redactor) note(value, kind string, named bool) {
	key := r.keyOf(value)
	if _, ok := r.secrets[key]; ok || r.room < len(key)+secretRoom {
		return
	}
	r.room -= len(key) + secretRoom
	r.secrets[key] = secret{n: len(r.secrets) + 1, kind: kind}
	if named && len(key) == len(value) && tellsItself(value) {
		r.echoes.add(value)
	}
}

// keyOf is under what a secret is remembered.
func (r *Redactor) keyOf(value string) string {
	if len(value) <= longestKept {
		return value
	}
	sum := sha256.Sum256([]byte(value))
	return string(sum[:])
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
