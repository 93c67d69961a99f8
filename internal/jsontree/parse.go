package jsontree

import (
	"bytes"
	"fmt"
	"math"
)

// Limits bound what is indexed. A zero member is the default.
type Limits struct {
	Bytes int // of the text; default 256 MiB
	Nodes int // values; default 2,000,000 (32 bytes each)
	Depth int // nesting of arrays and objects; default 10,000
}

func (l Limits) withDefaults() Limits {
	pick := func(n, fallback, most int) int {
		if n <= 0 {
			n = fallback
		}
		return min(n, most)
	}
	return Limits{
		Bytes: pick(l.Bytes, 256<<20, math.MaxInt32),
		Nodes: pick(l.Nodes, 2_000_000, math.MaxInt32),
		Depth: pick(l.Depth, 10_000, math.MaxUint16),
	}
}

// SyntaxError says where text stops being JSON.
type SyntaxError struct {
	Offset int // of the byte at fault
	What   string
}

func (e *SyntaxError) Error() string { return fmt.Sprintf("%s at byte %d", e.What, e.Offset) }

// LimitError says which limit ended the index, and where.
type LimitError struct {
	Offset int    // of the first byte that is not indexed
	What   string // "bytes", "values" or "levels"
	Limit  int
}

func (e *LimitError) Error() string {
	return fmt.Sprintf("more than %d %s, from byte %d on", e.Limit, e.What, e.Offset)
}

// Parse indexes raw with the default limits. See [ParseLimits].
func Parse(raw []byte) (*Tree, error) { return ParseLimits(raw, Limits{}) }

// ParseLimits indexes one JSON value. It always returns a tree, which keeps raw. The error is a
// [*SyntaxError] or [*LimitError]; the tree then holds what came before it, and values that were open
// are [Tree.Partial]. A byte order mark before the value and text after it are errors that do not
// harm the tree. Bytes in strings that are not UTF-8, lone surrogates and duplicate keys are none.
func ParseLimits(raw []byte, limits Limits) (*Tree, error) {
	p := parser{raw: raw, limits: limits.withDefaults()}
	var cut error
	if len(raw) > p.limits.Bytes {
		cut = &LimitError{Offset: p.limits.Bytes, What: "bytes", Limit: p.limits.Bytes}
		p.raw = raw[:p.limits.Bytes]
	}
	if bytes.HasPrefix(p.raw, []byte("\xEF\xBB\xBF")) {
		p.pos = 3
		p.bom = &SyntaxError{Offset: 0, What: "byte order mark before the value"}
	}
	err := p.run()
	t := &Tree{raw: p.raw, nodes: p.nodes}
	t.seen.showAll(len(t.nodes))
	switch {
	case cut != nil && (err == nil || isEnd(err)):
		return t, cut
	case err != nil:
		return t, err
	case p.bom != nil:
		return t, p.bom
	}
	return t, nil
}

// parser reads a text once, without recursion: open values are linked by their parents.
type parser struct {
	raw    []byte
	pos    int
	limits Limits
	nodes  []entry
	open   Node // the array or object being read
	label  uint32
	bom    *SyntaxError
}

const unexpectedEnd = "unexpected end"

func isEnd(err error) bool {
	syntax, ok := err.(*SyntaxError)
	return ok && syntax.What == unexpectedEnd
}

func (p *parser) run() error {
	p.open = None
	// Text may be full of commas: the guess must not cost more than the text is worth.
	guess := bytes.Count(p.raw, []byte{','}) + bytes.Count(p.raw, []byte{'['}) + bytes.Count(p.raw, []byte{'{'}) + 1
	p.nodes = make([]entry, 0, min(guess, len(p.raw)/16+16, p.limits.Nodes))
	err := p.value()
	for err == nil && p.open != None {
		err = p.more()
	}
	if err == nil {
		p.space()
		if p.pos < len(p.raw) {
			return &SyntaxError{p.pos, "text after the value"}
		}
		return nil
	}
	for n := p.open; n != None; n = p.nodes[n].parent {
		p.nodes[n].flags |= partial
		p.close(n)
	}
	return err
}

// value reads a scalar, or the beginning of an array or object and all that begins right with it.
func (p *parser) value() error {
	for {
		p.space()
		c := p.peek()
		if c == '{' || c == '[' {
			kind, end := Object, byte('}')
			if c == '[' {
				kind, end = Array, ']'
			}
			if p.depth() >= p.limits.Depth {
				return &LimitError{p.pos, "levels", p.limits.Depth}
			}
			n, err := p.add(kind)
			if err != nil {
				return err
			}
			p.pos++
			p.open = n
			p.space()
			if p.peek() == end {
				p.pos++
				p.close(n)
				p.open = p.nodes[n].parent
				return nil
			}
			if err := p.name(); err != nil {
				return err
			}
			continue
		}
		return p.scalar(c)
	}
}

// more reads what follows a value inside the open array or object.
func (p *parser) more() error {
	p.space()
	end := byte('}')
	if p.nodes[p.open].kind == Array {
		end = ']'
	}
	switch c := p.peek(); c {
	case ',':
		p.pos++
		if err := p.name(); err != nil {
			return err
		}
		return p.value()
	case end:
		p.pos++
		p.close(p.open)
		p.open = p.nodes[p.open].parent
		return nil
	}
	return p.fail(fmt.Sprintf("expected ',' or '%c'", end))
}

// name reads the key of the next value, or counts it where the open value is an array.
func (p *parser) name() error {
	if p.nodes[p.open].kind == Array {
		p.label = p.nodes[p.open].children
		return nil
	}
	p.space()
	if p.peek() != '"' {
		return p.fail("expected a key")
	}
	p.label = uint32(p.pos)
	var what string
	if p.pos, what = scanString(p.raw, p.pos); what != "" {
		return p.fail(what)
	}
	p.space()
	if p.peek() != ':' {
		return p.fail("expected ':'")
	}
	p.pos++
	return nil
}

func (p *parser) scalar(c byte) error {
	kind, start := Null, p.pos
	var end int
	var what string
	switch {
	case p.pos == len(p.raw):
		return p.fail("")
	case c == '"':
		kind = String
		end, what = scanString(p.raw, p.pos)
	case c == '-' || '0' <= c && c <= '9':
		kind = Number
		end, what = scanNumber(p.raw, p.pos)
	case c == 't':
		kind = Bool
		end, what = scanLiteral(p.raw, p.pos, "true")
	case c == 'f':
		kind = Bool
		end, what = scanLiteral(p.raw, p.pos, "false")
	case c == 'n':
		end, what = scanLiteral(p.raw, p.pos, "null")
	default:
		return p.fail("expected a value")
	}
	n, err := p.add(kind)
	if err != nil {
		return err
	}
	p.nodes[n].start, p.nodes[n].end = uint32(start), uint32(end)
	p.pos = end
	if what != "" {
		p.nodes[n].flags |= partial
		return p.fail(what)
	}
	return nil
}

// add makes a node that begins here.
func (p *parser) add(kind Kind) (Node, error) {
	if len(p.nodes) >= p.limits.Nodes {
		return None, &LimitError{p.pos, "values", p.limits.Nodes}
	}
	n := Node(len(p.nodes))
	p.nodes = append(p.nodes, entry{
		start: uint32(p.pos), label: p.label, parent: p.open, after: n + 1, depth: uint16(p.depth()), kind: kind,
	})
	if p.open != None {
		p.nodes[p.open].children++
	}
	return n, nil
}

func (p *parser) close(n Node) {
	p.nodes[n].end = uint32(p.pos)
	p.nodes[n].after = Node(len(p.nodes))
}

// depth returns the depth of a value that begins here.
func (p *parser) depth() int {
	if p.open == None {
		return 0
	}
	return int(p.nodes[p.open].depth) + 1
}

// peek returns the next byte, 0 at the end of the text.
func (p *parser) peek() byte {
	if p.pos < len(p.raw) {
		return p.raw[p.pos]
	}
	return 0
}

func (p *parser) space() {
	for p.pos < len(p.raw) && (p.raw[p.pos] == ' ' || p.raw[p.pos] == '\n' || p.raw[p.pos] == '\t' || p.raw[p.pos] == '\r') {
		p.pos++
	}
}

func (p *parser) fail(what string) error {
	if p.pos >= len(p.raw) {
		what = unexpectedEnd
	}
	return &SyntaxError{p.pos, what}
}

// scanString returns the end of the literal at i, and what is wrong there if anything is.
func scanString(raw []byte, i int) (int, string) {
	for i++; i < len(raw); i++ {
		switch c := raw[i]; {
		case c == '"':
			return i + 1, ""
		case c < ' ':
			return i, "control character in a string"
		case c == '\\':
			if i+1 == len(raw) {
				return len(raw), unexpectedEnd
			}
			switch i++; raw[i] {
			case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
			case 'u':
				for range 4 {
					if i++; i == len(raw) {
						return i, unexpectedEnd
					}
					if c := raw[i] | 0x20; (c < '0' || c > '9' || raw[i] < '0') && (c < 'a' || c > 'f') {
						return i, "expected a hexadecimal digit"
					}
				}
			default:
				return i, "unknown escape"
			}
		}
	}
	return i, unexpectedEnd
}

func scanNumber(raw []byte, i int) (int, string) {
	digits := func() bool {
		first := i
		for i < len(raw) && '0' <= raw[i] && raw[i] <= '9' {
			i++
		}
		return i > first
	}
	if raw[i] == '-' {
		i++
	}
	if i < len(raw) && raw[i] == '0' {
		i++
	} else if !digits() {
		return i, "expected a digit"
	}
	if i < len(raw) && raw[i] == '.' {
		if i++; !digits() {
			return i, "expected a digit"
		}
	}
	if i < len(raw) && raw[i]|0x20 == 'e' {
		if i++; i < len(raw) && (raw[i] == '+' || raw[i] == '-') {
			i++
		}
		if !digits() {
			return i, "expected a digit"
		}
	}
	return i, ""
}

func scanLiteral(raw []byte, i int, want string) (int, string) {
	for j := range len(want) {
		if i+j == len(raw) || raw[i+j] != want[j] {
			return i + j, "expected " + want
		}
	}
	return i + len(want), ""
}
