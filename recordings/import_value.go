package recordings

import "bytes"

// balance finds the end of a JSON object or array by its brackets, over any number of lines. Comments
// between the tokens, as in printed examples, are stepped over.
type balance struct {
	depth   int
	quoted  bool
	escaped bool
	comment bool // that runs over lines
	begun   bool
}

// feed looks at one more line, or at all. It returns where the value ends in it, -1 when it does not.
func (s *balance) feed(b []byte) int {
	for i := 0; i < len(b); i++ {
		c := b[i]
		switch {
		case s.comment:
			if c == '*' && i+1 < len(b) && b[i+1] == '/' {
				s.comment = false
				i++
			}
		case s.escaped:
			s.escaped = false
		case s.quoted:
			s.escaped = c == '\\'
			s.quoted = c != '"'
		case c == '"':
			s.quoted = true
		case c == '{' || c == '[':
			s.depth++
			s.begun = true
		case c == '}' || c == ']':
			s.depth--
			if s.depth <= 0 && s.begun {
				return i + 1
			}
		case c == '/' && i+1 < len(b) && b[i+1] == '*':
			s.comment = true
			i++
		case c == '/' && i+1 < len(b) && b[i+1] == '/':
			for i < len(b) && b[i] != '\n' {
				i++
			}
		}
	}
	s.escaped = false
	return -1
}

// onOneLine appends a JSON value without the white space and comments between its tokens, and with line
// ends inside its strings escaped. Nothing else of it changes.
func onOneLine(dst, b []byte) []byte {
	quoted := false
	for i := 0; i < len(b); i++ {
		c := b[i]
		switch {
		case quoted && c == '\\' && i+1 < len(b) && b[i+1] != '\n':
			dst = append(dst, c, b[i+1])
			i++
		case quoted && c == '\n':
			dst = append(dst, '\\', 'n')
		case quoted && c == '\r' && i+1 < len(b) && b[i+1] == '\n':
		case c == '"':
			quoted = !quoted
			dst = append(dst, c)
		case quoted:
			dst = append(dst, c)
		case c == ' ' || c == '\t' || c == '\r' || c == '\n':
		case c == '/' && i+1 < len(b) && b[i+1] == '/':
			for i+1 < len(b) && b[i+1] != '\n' {
				i++
			}
		case c == '/' && i+1 < len(b) && b[i+1] == '*':
			end := bytes.Index(b[i+2:], []byte("*/"))
			if end < 0 {
				return dst
			}
			i += 2 + end + 1
		default:
			dst = append(dst, c)
		}
	}
	return dst
}
