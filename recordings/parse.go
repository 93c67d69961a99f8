package recordings

import (
	"bytes"
	"encoding/base64"
	"errors"
	"time"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/shakescope/shakescope/jsonrpc"
)

// nativeLine is what one line of a recording says. Its slices point into the line or into buffers
// of the parser.
type nativeLine struct {
	kind     lineKind
	seq      int64
	t, t0    time.Duration
	stream   Stream
	parts    int // number of a part, or how many a frame had
	eol      jsonrpc.EOL
	partial  bool
	cut      bool // truncated
	size     int64
	withheld Withheld
	head     head // what the line says of its message
	found    head // what the message is, where a strict look found out
	verbatim bool
	data     []byte

	event   *Event
	gap     *Gap
	end     *End
	context *Context
	next    string
}

type lineKind uint8

const (
	unknownLine lineKind = iota // valid, but of a kind that this version does not know
	frameLine
	partLine
	eventLine
	gapLine
	endLine
	headerLine
	contextLine
	nextLine // the recording goes on in another file
)

var errLine = errors.New("not a record")

// parser reads lines of the native format. Lines as this package writes them take a short way that
// does not look at the payload.
type parser struct {
	text []byte // payload that is not verbatim
}

// parse reads one line into n. Strict looks at all of it, also where the short way would not.
func (p *parser) parse(n *nativeLine, line []byte, strict bool) error {
	*n = nativeLine{}
	if p.fast(n, line) && (!strict || n.verbatim && n.found.scan(n.data) || !n.verbatim && jsonrpc.Valid(line)) {
		return nil
	}
	*n = nativeLine{}
	return p.slow(n, line)
}

// cursor walks along a line.
type cursor struct {
	b []byte
	i int
}

func (c *cursor) skip(s string) bool {
	if len(c.b)-c.i < len(s) || string(c.b[c.i:c.i+len(s)]) != s {
		return false
	}
	c.i += len(s)
	return true
}

// number reads digits.
func (c *cursor) number() (int64, bool) {
	start := c.i
	var n int64
	for c.i < len(c.b) && c.b[c.i]-'0' <= 9 {
		n = n*10 + int64(c.b[c.i]-'0')
		c.i++
	}
	return n, c.i > start && c.i-start <= 18
}

// literal reads a JSON string without escapes and returns its inside.
func (c *cursor) literal() ([]byte, bool) {
	if c.i >= len(c.b) || c.b[c.i] != '"' {
		return nil, false
	}
	for j := c.i + 1; j < len(c.b); j++ {
		switch b := c.b[j]; {
		case b == '"':
			s := c.b[c.i+1 : j]
			c.i = j + 1
			return s, true
		case b == '\\' || b < ' ':
			return nil, false
		}
	}
	return nil, false
}

// fast reads a frame or part record in the order in which it is written here.
func (p *parser) fast(n *nativeLine, line []byte) (ok bool) {
	c := cursor{b: line}
	n.kind = frameLine
	n.eol = jsonrpc.LF
	if c.skip(`{"seq":`) {
		if n.seq, ok = c.number(); !ok {
			return false
		}
	} else if c.skip(`{"part":`) {
		n.kind = partLine
		var part int64
		if part, ok = c.number(); !ok {
			return false
		}
		n.parts = int(part)
	} else {
		return false
	}
	if !c.skip(`,"t":`) {
		return false
	}
	t, ok := c.number()
	if !ok {
		return false
	}
	n.t, n.t0 = time.Duration(t), time.Duration(t)
	if c.skip(`,"t0":`) {
		if t, ok = c.number(); !ok {
			return false
		}
		n.t0 = time.Duration(t)
	}
	switch {
	case c.skip(`,"s":"in"`):
		n.stream = Stdin
	case c.skip(`,"s":"out"`):
		n.stream = Stdout
	case c.skip(`,"s":"err"`):
		n.stream = Stderr
	default:
		return false
	}
	if c.skip(`,"msg":`) {
		return p.payload(n, line[c.i:])
	}
	if c.skip(`,"part":`) {
		if t, ok = c.number(); !ok {
			return false
		}
		n.parts = int(t)
	}
	switch {
	case c.skip(`,"partial":true`):
		n.partial, n.eol = true, jsonrpc.None
	case c.skip(`,"eol":"\r\n"`):
		n.eol = jsonrpc.CRLF
	case c.skip(`,"eol":""`):
		n.eol = jsonrpc.None
	}
	if c.skip(`,"truncated":true,"size":`) {
		n.cut = true
		if n.size, ok = c.number(); !ok {
			return false
		}
		if c.skip(`,"withheld":`) {
			why, ok := c.literal()
			if !ok {
				return false
			}
			n.withheld = withheld(why)
		}
	}
	if c.skip(`,"id":`) {
		start := c.i
		if start < len(line) && line[start] == '"' {
			if _, ok := c.literal(); !ok {
				return false
			}
		} else {
			for c.i < len(line) && line[c.i] != ',' {
				c.i++
			}
		}
		n.head.id = line[start:c.i]
		n.head.kind = jsonrpc.Response
	}
	if c.skip(`,"method":`) {
		if n.head.method, ok = c.literal(); !ok {
			return false
		}
		n.head.kind = jsonrpc.Notification
		if n.head.id != nil {
			n.head.kind = jsonrpc.Request
		}
	}
	if c.skip(`,"error":true`) {
		n.head.kind = jsonrpc.Error
	}
	if c.skip(`,"msg":`) {
		return p.payload(n, line[c.i:])
	}
	if c.skip(`,"text":`) {
		return p.quoted(n, line[c.i:])
	}
	if c.skip(`,"b64":`) {
		return p.base64(n, line[c.i:])
	}
	return false
}

// withheld reads the reason why a payload is not there. One that this version does not know is that of a cut line:
// nothing is known of it.
func withheld(why []byte) Withheld {
	switch w := Withheld(why); w {
	case NotJSON, BrokenJSON, NotUTF8, TooLong:
		return w
	}
	return CutByGap
}

// payload takes a verbatim payload and the brace after it. That they belong together shows only
// when somebody parses the payload; that they cannot is seen here.
func (p *parser) payload(n *nativeLine, rest []byte) bool {
	last := len(rest) - 1
	if last < 1 || rest[last] != '}' {
		return false
	}
	n.data, n.verbatim = rest[:last:last], true
	switch first, end := n.data[0], n.data[last-1]; first {
	case '{':
		return end == '}'
	case '[':
		return end == ']'
	case '"':
		return last > 1 && end == '"'
	default:
		return true
	}
}

func (p *parser) quoted(n *nativeLine, rest []byte) bool {
	last := len(rest) - 1
	if last < 2 || rest[0] != '"' || rest[last] != '}' || rest[last-1] != '"' {
		return false
	}
	var ok bool
	p.text, ok = appendUnescaped(p.text[:0], rest[1:last-1])
	n.data = p.text
	return ok
}

func (p *parser) base64(n *nativeLine, rest []byte) bool {
	last := len(rest) - 1
	if last < 2 || rest[0] != '"' || rest[last] != '}' || rest[last-1] != '"' {
		return false
	}
	var err error
	p.text, err = base64.StdEncoding.AppendDecode(p.text[:0], rest[1:last-1])
	n.data = p.text
	return err == nil
}

// appendUnescaped appends the text of the inside of a JSON string. It returns false when that holds
// a quote or a bad escape. Halves of surrogate pairs become the three bytes that UTF-8 would give
// them, so that different strings stay different.
func appendUnescaped(dst, inside []byte) ([]byte, bool) {
	for len(inside) > 0 {
		n := plainPrefix(inside)
		dst = append(dst, inside[:n]...)
		inside = inside[n:]
		if len(inside) == 0 {
			break
		}
		if inside[0] != '\\' || len(inside) < 2 {
			return dst, false
		}
		c := inside[1]
		switch c {
		case '"', '\\', '/':
		case 'b':
			c = '\b'
		case 'f':
			c = '\f'
		case 'n':
			c = '\n'
		case 'r':
			c = '\r'
		case 't':
			c = '\t'
		case 'u':
			r, ok := escaped(inside)
			if !ok {
				return dst, false
			}
			inside = inside[6:]
			if utf16.IsSurrogate(r) {
				if low, ok := escaped(inside); ok {
					if pair := utf16.DecodeRune(r, low); pair != utf8.RuneError {
						dst = utf8.AppendRune(dst, pair)
						inside = inside[6:]
						continue
					}
				}
				dst = append(dst, 0xE0|byte(r>>12), 0x80|byte(r>>6)&0x3F, 0x80|byte(r)&0x3F)
				continue
			}
			dst = utf8.AppendRune(dst, r)
			continue
		default:
			return dst, false
		}
		dst = append(dst, c)
		inside = inside[2:]
	}
	return dst, true
}

// escaped reads the escape \uXXXX at the start of b.
func escaped(b []byte) (rune, bool) {
	if len(b) < 6 || b[0] != '\\' || b[1] != 'u' {
		return 0, false
	}
	var r rune
	for _, c := range b[2:6] {
		d, ok := hexDigit(c)
		if !ok {
			return 0, false
		}
		r = r<<4 | d
	}
	return r, true
}

// looksTorn reports whether a line that took the short way needs a closer look: one that was cut
// when a write failed is followed by a gap, and one whose file was cut has another record in it.
func looksTorn(n *nativeLine, after []byte) bool {
	if !n.verbatim {
		return false
	}
	if bytes.Contains(n.data, []byte(`{"seq":`)) || bytes.Contains(n.data, []byte(`{"part":`)) {
		return true
	}
	if len(after) == 0 {
		return false
	}
	if after[0] == '\n' {
		return true
	}
	c := cursor{b: after}
	if !c.skip(`{"seq":`) {
		return false
	}
	_, ok := c.number()
	ok = ok && c.skip(`,"t":`)
	if !ok {
		return false
	}
	_, ok = c.number()
	return ok && c.skip(`,"gap":`)
}
