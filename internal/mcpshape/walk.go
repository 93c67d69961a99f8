package mcpshape

import (
	"strconv"
	"strings"
)

// value checks the value at the cursor and consumes it. owner names the type it is a member of.
func (c *checker) value(s *shape, owner string, optional bool) {
	first := c.peek()
	start := c.pos
	if s.name != "" {
		owner = s.name
	}
	var t types
	switch first {
	case '{':
		t = tObject
	case '[':
		t = tArray
	case '"':
		t = tString
	case 't', 'f':
		t = tBoolean
	case 'n':
		t = tNull
	case 0:
		c.fail()
		return
	default:
		c.number(s, owner, optional)
		return
	}
	if s.types&t == 0 {
		c.skip()
		c.wrong(start, Problem{Keyword: "type", Want: s.types.String(), Type: owner, Optional: optional})
		return
	}
	switch {
	case t == tObject && s.union != nil:
		c.union(s.union, owner)
	case t == tObject && (len(s.members) > 0 || len(s.base) > 0 || s.others != nil):
		c.object(s, owner)
	case t == tArray && (s.items != nil || s.maxItems > 0):
		c.array(s, owner)
	case t == tString && (s.enum != nil || s.format != noFormat):
		c.string(s, owner, optional)
	default:
		c.skip()
	}
}

// wrong reports a problem of the value between start and the cursor.
func (c *checker) wrong(start int, p Problem) {
	if c.bad {
		return
	}
	p.Value = elide(c.data[start:c.pos])
	c.problem(p)
}

func (c *checker) number(s *shape, owner string, optional bool) {
	start := c.pos
	text := c.scalar()
	switch {
	case c.bad:
		return
	case s.types&tNumber == 0 && (s.types&tInteger == 0 || !integral(text)):
		c.wrong(start, Problem{Keyword: "type", Want: s.types.String(), Type: owner, Optional: optional})
	case s.bounds != nil:
		n, err := strconv.ParseFloat(string(text), 64)
		if err != nil && n == 0 {
			return // not a number at all
		}
		if n < s.bounds.low {
			c.wrong(start, Problem{Keyword: "minimum", Want: spell(s.bounds.low), Type: owner, Optional: optional})
		} else if !s.bounds.noHigh && n > s.bounds.high {
			c.wrong(start, Problem{Keyword: "maximum", Want: spell(s.bounds.high), Type: owner, Optional: optional})
		}
	}
}

func spell(n float64) string { return strconv.FormatFloat(n, 'g', -1, 64) }

func (c *checker) string(s *shape, owner string, optional bool) {
	start := c.pos
	text := c.text()
	if c.bad {
		return
	}
	if s.enum != nil {
		for _, e := range s.enum {
			if sameText(text, e) {
				return
			}
		}
		c.wrong(start, Problem{Keyword: "enum", Want: strings.Join(s.enum, ", "), Type: owner, Optional: optional})
		return
	}
	if !s.format.fits(text) {
		c.wrong(start, Problem{Keyword: "format", Want: formatNames[s.format], Type: owner, Optional: optional})
	}
}

func (c *checker) array(s *shape, owner string) {
	start := c.pos
	n := 0
	c.path = append(c.path, step{})
	for more := c.open('[', ']'); more; more = c.next(']') {
		c.path[len(c.path)-1].index = n
		if s.items != nil && !c.done() {
			c.value(s.items, owner, false)
		} else {
			c.skip()
		}
		n++
	}
	c.path = c.path[:len(c.path)-1]
	if s.maxItems > 0 && n > s.maxItems {
		c.wrong(start, Problem{Keyword: "maxItems", Want: strconv.Itoa(s.maxItems), Type: owner})
	}
}

func (c *checker) object(s *shape, owner string) {
	if s.also != nil {
		again := c.scanner
		c.value(s.also, owner, false)
		if c.bad {
			return
		}
		c.scanner = again
	}
	var seen uint64
	whole := c.scanner
	for more := c.open('{', '}'); more; more = c.next('}') {
		key := c.key()
		if c.done() {
			c.skip()
			continue
		}
		m, bit := s.member(key, c.rev)
		seen |= bit
		before := len(c.problems)
		c.path = append(c.path, step{key: key})
		switch {
		case m != nil:
			c.value(m.shape, owner, m.must&c.rev == 0)
		case s.others != nil:
			c.value(s.others, owner, true)
		default:
			c.skip()
		}
		c.path = c.path[:len(c.path)-1]
		if len(c.problems) > before {
			// Of several members of one name the last one counts: forget what was found in an earlier one.
			if last, ok := whole.find(plain(key)); ok && last.pos >= c.pos {
				c.problems = c.problems[:before]
			}
		}
	}
	for i := range len(s.members) + len(s.base) {
		m := s.at(i)
		if m.must&c.rev != 0 && seen&(1<<i) == 0 {
			c.problem(Problem{Keyword: "required", Want: m.name, Type: owner})
		}
	}
}

func (s *shape) at(i int) *member {
	if i < len(s.members) {
		return &s.members[i]
	}
	return &s.base[i-len(s.members)]
}

// member finds the definition of a member in a revision, and its bit in a set of members.
func (s *shape) member(key []byte, rev revisions) (*member, uint64) {
	for i := range len(s.members) + len(s.base) {
		if m := s.at(i); m.in&rev != 0 && sameText(key, m.name) {
			return m, 1 << i
		}
	}
	return nil, 0
}

func (c *checker) union(u *union, owner string) {
	if u.tag == "" {
		c.present(u, owner)
		return
	}
	if u.lax&c.rev != 0 {
		c.value(u.absent, owner, false)
		return
	}
	tag, ok := c.find(u.tag)
	if !ok {
		if u.absent == nil {
			c.problem(Problem{Keyword: "required", Want: u.tag, Type: owner})
			c.skip()
			return
		}
		c.value(u.absent, owner, false)
		return
	}
	start := tag.pos
	if tag.peek() != '"' {
		tag.skip()
		c.path = append(c.path, step{key: []byte(u.tag)})
		c.problem(Problem{Keyword: "type", Want: "string", Value: elide(c.data[start:tag.pos]), Type: owner, Optional: u.absent != nil})
		c.path = c.path[:len(c.path)-1]
		c.skip()
		return
	}
	text := tag.text()
	var elsewhere revisions
	for i := range u.alternatives {
		a := &u.alternatives[i]
		if !sameText(text, a.when) {
			continue
		}
		if a.in&c.rev != 0 {
			c.value(a.shape, owner, false)
			return
		}
		elsewhere |= a.in
	}
	if u.unknown != nil {
		c.value(u.unknown, owner, false)
		return
	}
	var known []string
	for _, a := range u.alternatives {
		if a.in&c.rev != 0 {
			known = append(known, a.when)
		}
	}
	c.path = append(c.path, step{key: []byte(u.tag)})
	c.problem(Problem{Keyword: "enum", Want: strings.Join(known, ", "), Value: elide(c.data[start:tag.pos]),
		Type: owner, Optional: u.absent != nil, Since: elsewhere.first()})
	c.path = c.path[:len(c.path)-1]
	c.skip()
}

// present decides a union by the members that are there.
func (c *checker) present(u *union, owner string) {
	var known []string
	for i := range u.alternatives {
		a := &u.alternatives[i]
		if a.in&c.rev == 0 {
			continue
		}
		if _, ok := c.find(a.when); ok {
			c.value(a.shape, owner, false)
			return
		}
		known = append(known, a.when)
	}
	if u.absent != nil {
		c.value(u.absent, owner, false)
		return
	}
	c.problem(Problem{Keyword: "required", Want: strings.Join(known, " or "), Type: owner})
	c.skip()
}
