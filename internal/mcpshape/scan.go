package mcpshape

import (
	"bytes"

	"github.com/go-json-experiment/json/jsontext"
)

// scanner is a cursor over one JSON value that is expected to be valid. On bytes that are not JSON it
// sets bad and stands still; it does not prove validity.
//
// Why not a jsontext.Decoder: a message reaches this package after it was decoded once, so its syntax
// is settled, and skipping (the bulk of the work: texts, blobs, tool schemas) is a memory search.
type scanner struct {
	data []byte
	pos  int
	bad  bool
}

func (s *scanner) space() {
	for s.pos < len(s.data) {
		switch s.data[s.pos] {
		case ' ', '\t', '\n', '\r':
			s.pos++
		default:
			return
		}
	}
}

// peek steps over white space and returns the first byte of what follows, 0 at the end.
func (s *scanner) peek() byte {
	s.space()
	if s.pos >= len(s.data) {
		return 0
	}
	return s.data[s.pos]
}

func (s *scanner) fail() { s.bad, s.pos = true, len(s.data) }

// expect consumes b.
func (s *scanner) expect(b byte) bool {
	if s.peek() != b {
		s.fail()
		return false
	}
	s.pos++
	return true
}

// text consumes a string and returns what stands between its quotes, escapes untouched.
func (s *scanner) text() []byte {
	if s.peek() != '"' {
		s.fail()
		return nil
	}
	start := s.pos + 1
	for i := start; ; {
		n := bytes.IndexByte(s.data[i:], '"')
		if n < 0 {
			s.fail()
			return nil
		}
		i += n
		back := 0
		for i-1-back >= start && s.data[i-1-back] == '\\' {
			back++
		}
		if back%2 == 0 {
			s.pos = i + 1
			return s.data[start:i]
		}
		i++
	}
}

// scalar consumes a number or a literal.
func (s *scanner) scalar() []byte {
	start := s.pos
	for s.pos < len(s.data) {
		switch c := s.data[s.pos]; {
		case c >= '0' && c <= '9', c >= 'a' && c <= 'z', c == '-', c == '+', c == '.', c == 'E':
			s.pos++
			continue
		}
		break
	}
	if s.pos == start {
		s.fail()
	}
	return s.data[start:s.pos]
}

// skip consumes one value of any depth.
func (s *scanner) skip() {
	depth := 0
	for !s.bad {
		switch s.peek() {
		case 0:
			s.fail()
		case '"':
			s.text()
		case '{', '[':
			depth++
			s.pos++
		case '}', ']':
			depth--
			s.pos++
		case ',', ':':
			if depth == 0 {
				s.fail()
			}
			s.pos++
		default:
			s.scalar()
		}
		if depth <= 0 {
			if depth < 0 {
				s.fail()
			}
			return
		}
	}
}

// open consumes the opening bracket and tells whether anything stands inside.
func (s *scanner) open(first, last byte) bool {
	if !s.expect(first) {
		return false
	}
	if s.peek() == last {
		s.pos++
		return false
	}
	return true
}

// next consumes the comma before another element (true) or the closing bracket (false).
func (s *scanner) next(last byte) bool {
	switch s.peek() {
	case ',':
		s.pos++
		return true
	case last:
		s.pos++
		return false
	}
	s.fail()
	return false
}

// key consumes a member's name and colon.
func (s *scanner) key() []byte {
	key := s.text()
	s.expect(':')
	return key
}

// find returns the value of a member of the object at the cursor, which stays where it is. The last
// of several members of one name counts, as in most parsers.
func (s *scanner) find(name string) (value scanner, found bool) {
	look := *s
	for more := look.open('{', '}'); more; more = look.next('}') {
		key := look.key()
		look.space()
		if sameText(key, name) {
			value, found = look, true
		}
		look.skip()
	}
	if look.bad {
		return scanner{}, false
	}
	return value, found
}

// sameText tells whether the inside of a JSON string spells name.
func sameText(raw []byte, name string) bool {
	if string(raw) == name {
		return true
	}
	return bytes.IndexByte(raw, '\\') >= 0 && plain(raw) == name
}

// plain resolves the escapes of the inside of a JSON string.
func plain(raw []byte) string {
	if bytes.IndexByte(raw, '\\') < 0 {
		return string(raw)
	}
	quoted := make([]byte, 0, len(raw)+2)
	quoted = append(append(append(quoted, '"'), raw...), '"')
	text, _ := jsontext.AppendUnquote(nil, quoted) // lone surrogates become U+FFFD; what was read so far is used
	return string(text)
}
