package recordings

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"unicode/utf8"

	"github.com/shakescope/shakescope/jsonrpc"
)

// What may stand verbatim in a record. Deeper or longer values are strings there, so that any JSON
// reader can read any line of a recording.
const (
	maxVerbatim = 256 << 10
	maxDepth    = 500

	// maxHead bounds what the head of a record repeats out of its message.
	maxHead = 256
)

// head is what a record says of its message in front of it: a cache, never the truth.
type head struct {
	kind    jsonrpc.Kind // Invalid when it says nothing
	id      []byte       // JSON text
	method  []byte       // text
	members int          // of a batch: those that are messages
	bare    bool         // params or result are known to have no _meta
}

// scan reports whether data may stand verbatim in a record, and what message it is. It passes over
// the bytes once and allocates nothing, but for errors, batches and oddities, which it leaves to
// [jsonrpc.Decode].
func scan(data []byte) (h head, ok bool) {
	ok = h.scan(data)
	return h, ok
}

// scan is scan into h: where millions of messages pass, the copies of a head are worth saving.
func (h *head) scan(data []byte) bool {
	*h = head{}
	if len(data) == 0 || len(data) > maxVerbatim || !utf8.Valid(data) {
		return false
	}
	if isSpace(data[0]) || isSpace(data[len(data)-1]) {
		return false
	}
	var e envelope
	if !e.value(data) {
		return false
	}
	e.head(data, h)
	h.bare = data[0] == '{' && !e.meta
	return true
}

// envelope notes where the members of a message stand while the value is checked.
type envelope struct {
	version, id, method, result, err span
	odd                              bool // an escaped or repeated member name: needs a real decoder
	meta                             bool // a member of a member may be named _meta
}

// span is a value in the data; the zero span is none.
type span struct{ from, to int }

func (s span) there() bool               { return s.to > 0 }
func (s span) of(data []byte) []byte     { return data[s.from:s.to] }
func (s span) first(data []byte) byte    { return data[s.from] }
func (s span) inside(data []byte) []byte { return data[s.from+1 : s.to-1] }

// head says in h, which is empty, what message the envelope makes.
func (e *envelope) head(data []byte, h *head) {
	if data[0] == '[' || data[0] == '{' && e.odd {
		*h = decoded(data)
		return
	}
	if data[0] != '{' {
		return
	}
	if !e.version.there() || string(e.version.of(data)) != `"2.0"` {
		if e.version.there() && bytes.IndexByte(e.version.of(data), '\\') >= 0 {
			*h = decoded(data)
		}
		return
	}
	hasID := e.id.there()
	if hasID {
		if c := e.id.first(data); c != '"' && c != '-' && (c < '0' || c > '9') {
			if e.err.there() && !e.method.there() {
				*h = decoded(data)
			}
			return
		}
	}
	switch {
	case e.method.there():
		if e.method.first(data) != '"' {
			return
		}
		method := e.method.inside(data)
		if bytes.IndexByte(method, '\\') >= 0 {
			*h = decoded(data)
			return
		}
		h.method = method
		h.kind = jsonrpc.Notification
		if hasID {
			h.kind = jsonrpc.Request
		}
	case e.result.there() == e.err.there() || !hasID:
		return
	case e.err.there():
		*h = decoded(data)
		return
	default:
		h.kind = jsonrpc.Response
	}
	if hasID {
		h.id = e.id.of(data)
	}
}

// decoded is the slow way to the same answer.
func decoded(data []byte) head {
	m := jsonrpc.Decode(data)
	h := head{kind: m.Kind}
	switch m.Kind {
	case jsonrpc.Request, jsonrpc.Notification:
		h.method = []byte(m.Method)
	case jsonrpc.Batch:
		for i := range m.Members {
			if m.Members[i].Kind != jsonrpc.Invalid {
				h.members++
			}
		}
		return h
	case jsonrpc.Response, jsonrpc.Error:
	default:
		return head{}
	}
	if raw := m.ID.Raw(); raw != "" {
		h.id = []byte(raw)
	}
	return h
}

// isSpace leaves out CR, which JSON allows: it may not stand in a record.
func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\n' }

// usual is how most messages begin.
const usual = `{"jsonrpc":"2.0",`

// value checks that data is exactly one JSON value, nested at most maxDepth deep, and notes the
// members of its outermost object. The data is known to be valid UTF-8.
func (e *envelope) value(data []byte) bool {
	var objects [maxDepth/64 + 1]uint64 // a bit a level: set for an object
	depth, i := 0, 0
	var member *span // of the envelope whose value comes next
	if len(data) > len(usual) && string(data[:len(usual)]) == usual {
		e.version = span{len(usual) - len(`"2.0",`), len(usual) - len(",")}
		depth, objects[0] = 1, 1<<1
		var ok bool
		if i, member, ok = e.name(data, skipSpace(data, len(usual)), depth, nil); !ok {
			return false
		}
	}
	for {
		i = skipSpace(data, i)
		if i >= len(data) {
			return false
		}
		start, end := i, 0
		switch c := data[i]; {
		case c == '{' || c == '[':
			if depth == maxDepth {
				return false
			}
			if depth == 1 && member != nil {
				member.from = start
			}
			depth++
			bit := uint64(1) << (depth % 64)
			objects[depth/64] &^= bit
			i = skipSpace(data, i+1)
			if i >= len(data) {
				return false
			}
			if c == '{' {
				objects[depth/64] |= bit
				if data[i] != '}' {
					var ok bool
					if i, member, ok = e.name(data, i, depth, member); !ok {
						return false
					}
					continue
				}
			} else if data[i] != ']' {
				continue
			}
			i++
			depth--
		case c == '"':
			end = skipString(data, i)
			i = end
		case c == '-' || '0' <= c && c <= '9':
			end = skipNumber(data, i)
			i = end
		default:
			end = skipLiteral(data, i)
			i = end
		}
		if i < 0 {
			return false
		}
		if depth == 1 && member != nil {
			if end > 0 {
				member.from = start
			}
			member.to = i
			member = nil
		}
		// After a value: what closes or goes on?
		for {
			if depth == 0 {
				return skipSpace(data, i) == len(data)
			}
			i = skipSpace(data, i)
			if i >= len(data) {
				return false
			}
			object := objects[depth/64]&(1<<(depth%64)) != 0
			c := data[i]
			i++
			if c == ',' {
				if object {
					i = skipSpace(data, i)
					var ok bool
					if i, member, ok = e.name(data, i, depth, member); !ok {
						return false
					}
				}
				break
			}
			if object && c != '}' || !object && c != ']' {
				return false
			}
			depth--
			if depth == 1 && member != nil {
				member.to = i
				member = nil
			}
		}
	}
}

// name passes a member name and its colon. In the outermost object it finds the envelope's member,
// deeper it leaves the one whose value is being read.
func (e *envelope) name(data []byte, i, depth int, current *span) (int, *span, bool) {
	if i >= len(data) || data[i] != '"' {
		return 0, nil, false
	}
	end := skipString(data, i)
	if end < 0 {
		return 0, nil, false
	}
	switch depth {
	case 1:
		current = e.member(data[i+1 : end-1])
	case 2:
		const escaped = len(`\u005fmeta`) // the shortest other way to write it
		if n := end - i - 2; n >= escaped || n == len("_meta") && data[i+1] == '_' {
			e.meta = true
		}
	}
	i = skipSpace(data, end)
	if i >= len(data) || data[i] != ':' {
		return 0, nil, false
	}
	return i + 1, current, true
}

func (e *envelope) member(name []byte) *span {
	var s *span
	switch string(name) {
	case "jsonrpc":
		s = &e.version
	case "id":
		s = &e.id
	case "method":
		s = &e.method
	case "result":
		s = &e.result
	case "error":
		s = &e.err
	default:
		if bytes.IndexByte(name, '\\') >= 0 {
			e.odd = true
		}
		return nil
	}
	if s.there() {
		e.odd = true
	}
	return s
}

func skipSpace(data []byte, i int) int {
	for i < len(data) && data[i] <= ' ' && isSpace(data[i]) {
		i++
	}
	return i
}

// skipString returns the index after the string literal that starts at i, or -1.
func skipString(data []byte, i int) int {
	i++
	for probes := 0; ; probes++ {
		if probes < 2 && i+8 <= len(data) { // most are names, and end here
			special := specials(binary.LittleEndian.Uint64(data[i:]))
			if special == 0 {
				i += 8
				continue
			}
			i += bits.TrailingZeros64(special) / 8
		} else if i += plainPrefix(data[i:]); i >= len(data) {
			return -1
		}
		switch data[i] {
		case '"':
			return i + 1
		case '\\':
			if i = skipEscape(data, i+1); i < 0 {
				return -1
			}
		default: // a control character
			return -1
		}
	}
}

// plainPrefix returns how many bytes at the start of text are no quote, no backslash and no control
// character: what may stand in a JSON string as it is, if it is UTF-8.
func plainPrefix(text []byte) int {
	rest := text
	for len(rest) >= 32 {
		a := suspects(binary.LittleEndian.Uint64(rest)) | suspects(binary.LittleEndian.Uint64(rest[8:]))
		b := suspects(binary.LittleEndian.Uint64(rest[16:])) | suspects(binary.LittleEndian.Uint64(rest[24:]))
		if (a|b)&high != 0 {
			break
		}
		rest = rest[32:]
	}
	for len(rest) >= 8 {
		if a := specials(binary.LittleEndian.Uint64(rest)); a != 0 {
			return len(text) - len(rest) + bits.TrailingZeros64(a)/8
		}
		rest = rest[8:]
	}
	i := len(text) - len(rest)
	for i < len(text) && text[i] >= ' ' && text[i] != '"' && text[i] != '\\' {
		i++
	}
	return i
}

const ones, high = 0x0101010101010101, 0x8080808080808080

// specials looks at eight bytes at once: a high bit is set for each that is a quote, a backslash or
// a control character. Of the bits only the lowest is exact, which is all that callers use.
func specials(w uint64) uint64 { return suspects(w) & high }

// suspects is specials with bits that mean nothing.
func suspects(w uint64) uint64 {
	// Swapping the bit 2 moves the quote to the space, next to the control characters: one
	// subtraction borrows for them all. Another does for the backslash, and bytes that had the high
	// bit from the beginning do not count.
	quote, slash := (w^ones*2)-ones*0x21, (w^ones*'\\')-ones
	return (quote | slash) &^ w
}

// skipEscape returns the index after the escape whose character after the backslash is at i, or -1.
func skipEscape(data []byte, i int) int {
	if i >= len(data) {
		return -1
	}
	switch data[i] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return i + 1
	case 'u':
		if i+5 > len(data) {
			return -1
		}
		for _, c := range data[i+1 : i+5] {
			if _, ok := hexDigit(c); !ok {
				return -1
			}
		}
		return i + 5
	}
	return -1
}

func hexDigit(c byte) (rune, bool) {
	switch {
	case '0' <= c && c <= '9':
		return rune(c - '0'), true
	case 'a' <= c && c <= 'f':
		return rune(c-'a') + 10, true
	case 'A' <= c && c <= 'F':
		return rune(c-'A') + 10, true
	}
	return 0, false
}

// skipNumber returns the index after the number that starts at i, or -1.
func skipNumber(data []byte, i int) int {
	if data[i] == '-' {
		i++
	}
	if i < len(data) && data[i] == '0' {
		i++
	} else if i = skipDigits(data, i); i < 0 {
		return -1
	}
	if i < len(data) && data[i] == '.' {
		if i = skipDigits(data, i+1); i < 0 {
			return -1
		}
	}
	if i < len(data) && (data[i] == 'e' || data[i] == 'E') {
		i++
		if i < len(data) && (data[i] == '+' || data[i] == '-') {
			i++
		}
		i = skipDigits(data, i)
	}
	return i
}

func skipDigits(data []byte, i int) int {
	start := i
	for i < len(data) && '0' <= data[i] && data[i] <= '9' {
		i++
	}
	if i == start {
		return -1
	}
	return i
}

func skipLiteral(data []byte, i int) int {
	for _, word := range [...]string{"true", "false", "null"} {
		if len(data)-i >= len(word) && string(data[i:i+len(word)]) == word {
			return i + len(word)
		}
	}
	return -1
}
