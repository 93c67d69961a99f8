package filter

import "strings"

// operator is what a test does with its field.
type operator uint8

const (
	exists operator = iota
	eq
	ne
	lt
	le
	gt
	ge
	contains
	matches
	in
	notIn
)

var operatorNames = [...]string{"", "==", "!=", "<", "<=", ">", ">=", "contains", "matches", "in", "not in"}

func (o operator) String() string { return operatorNames[o] }

// spelling is a way to write an operator.
type spelling struct {
	text string
	op   operator
	word bool
}

// spellings, the longer ones first.
var spellings = []spelling{
	{"==", eq, false}, {"!=", ne, false}, {"<=", le, false}, {">=", ge, false}, {"<", lt, false}, {">", gt, false}, {"~", contains, false}, {"=", eq, false},
	{"contains", contains, true}, {"matches", matches, true}, {"in", in, true}, {"eq", eq, true}, {"ne", ne, true}, {"lt", lt, true}, {"le", le, true},
	{"gt", gt, true}, {"ge", ge, true},
}

// subject is what a test is about: a field, or a path into the payload.
type subject struct {
	name string // canonical
	at   int
	len  int
	info *Info
	path *path
}

// ordered reports whether values of a field can be a range.
func (s subject) ordered() bool {
	return s.info != nil && s.info.class >= count && s.info.class <= ref && s.info.class != flag
}

func (p *parser) parse() (node, *SyntaxError) {
	p.space()
	if p.end() {
		p.expect(p.pos, wantTest, subject{})
		return nil, nil
	}
	n, err := p.expression(0)
	if err != nil {
		return nil, err
	}
	if !p.end() {
		c := p.src[p.pos]
		switch c {
		case ')':
			return nil, p.fault(p.pos, 1, "no ( was opened for this )")
		case ',':
			return nil, p.fault(p.pos, 1, "unexpected `,`").hint("several values are written in {a, b}")
		}
		return nil, p.fault(p.pos, 1, "unexpected `%c`", c).hint("quote text that holds it")
	}
	return n, nil
}

// expression reads prefixes joined by operators that bind at least as tightly as least.
func (p *parser) expression(least int) (node, *SyntaxError) {
	left, err := p.prefix()
	if err != nil {
		return nil, err
	}
	for {
		binds, length := p.infix()
		if binds == 0 || binds < least {
			return left, nil
		}
		p.pos += length
		right, err := p.expression(binds + 1)
		if err != nil {
			return nil, err
		}
		if binds == bindOr {
			left = append(flat[either](left), flat[either](right)...)
		} else {
			left = append(flat[every](left), flat[every](right)...)
		}
	}
}

// flat returns the members of n if it is of that kind, else n alone.
func flat[T every | either](n node) T {
	if same, ok := n.(T); ok {
		return same
	}
	return T{n}
}

// infix finds the operator that stands here; tests side by side are joined by and.
func (p *parser) infix() (binds, length int) {
	before := p.pos
	p.space()
	if before < p.pos {
		p.expectAtEnd(p.pos, wantTest, subject{})
	}
	switch {
	case p.end():
		return 0, 0
	case p.at("||"):
		return bindOr, 2
	case p.at("&&"):
		return bindAnd, 2
	case p.keyword("or"):
		return bindOr, 2
	case p.keyword("and"):
		return bindAnd, 3
	case strings.IndexByte("){},=<>~", p.src[p.pos]) >= 0 || p.at("!="):
		return 0, 0
	}
	return bindAnd, 0
}

// deeper bounds the nesting.
func (p *parser) deeper(at int) *SyntaxError {
	if p.depth++; p.depth > maxDepth {
		return p.fault(at, 1, "nested deeper than %d", maxDepth)
	}
	return nil
}

func (p *parser) prefix() (node, *SyntaxError) {
	p.space()
	start := p.pos
	if p.end() {
		p.expect(p.pos, wantTest, subject{})
		return nil, p.fault(p.pos, 0, "expected a test here")
	}
	switch c := p.src[p.pos]; {
	case c == '(':
		p.pos++
		return p.parenthesis(start)
	case c == '!' && !p.at("!="), p.keyword("not"):
		if err := p.deeper(start); err != nil {
			return nil, err
		}
		defer func() { p.depth-- }()
		p.pos++
		if c != '!' {
			p.pos += len("not") - 1
		}
		n, err := p.prefix()
		if err != nil {
			return nil, err
		}
		return negated(n), nil
	case c == '"' || c == '\'':
		l, err := p.quoted()
		if err != nil {
			return nil, err
		}
		return p.search(l)
	case c == '/':
		l, err := p.pattern()
		if err != nil {
			return nil, err
		}
		return p.search(l)
	}
	return p.test()
}

func negated(n node) node {
	if twice, ok := n.(not); ok {
		return twice.of
	}
	return not{n}
}

// parenthesis reads the rest of an expression in parentheses, the first of which stands at start.
func (p *parser) parenthesis(start int) (node, *SyntaxError) {
	if err := p.deeper(start); err != nil {
		return nil, err
	}
	defer func() { p.depth-- }()
	n, err := p.expression(0)
	if err != nil {
		return nil, err
	}
	if p.end() {
		return nil, p.fault(start, 1, "this ( is not closed")
	}
	if p.src[p.pos] != ')' {
		return nil, p.fault(p.pos, 1, "unexpected `%c`", p.src[p.pos]).hint("quote text that holds it")
	}
	p.pos++
	return n, nil
}

// test reads a test that begins with a word.
func (p *parser) test() (node, *SyntaxError) {
	start := p.pos
	name := p.name()
	if p.end() {
		p.expect(start, wantTest, subject{})
	}
	switch {
	case name == "":
		return nil, p.fault(start, 1, "expected a test, found `%c`", p.src[start])
	case name == "&" || name == "|":
		return nil, p.fault(start, 1, "unexpected `%s`", name).suggest(name + name)
	case name == "-" && !p.end() && strings.IndexByte("(\"'", p.src[p.pos]) >= 0:
		return nil, p.fault(start, 1, "- negates only name:value").hint("use ! or not")
	case p.at("("):
		p.pos++
		if name != "pair" {
			return nil, p.fault(start, len(name), "there is no %s(…)", name).hint("only pair(…); a space before the parenthesis means and")
		}
		if p.pairs++; p.pairs > maxPairs {
			return nil, p.fault(start, len(name), "pair(…) nested deeper than %d", maxPairs)
		}
		n, err := p.parenthesis(p.pos - 1)
		p.pairs--
		if err != nil {
			return nil, err
		}
		return halves{n}, nil
	case p.at(":"):
		return p.short(start, name)
	}
	s, known, err := p.subject(name, start)
	if err != nil {
		return nil, err
	}
	after := p.pos
	p.space()
	op, found := p.operator()
	if p.end() && after < p.pos && !found {
		p.expect(p.pos, wantTest, subject{})
		if known && (s.info == nil || s.info.class != flag) {
			p.expect(p.pos, wantOperator, s)
		}
	}
	switch {
	case found && !known:
		return nil, p.unknown(name, start)
	case found:
		return p.comparison(s, op, false)
	case known:
		return p.build(s, exists, nil)
	case p.looksLikeField(name):
		return nil, p.unknown(name, start)
	}
	return p.search(literal{text: name, at: start, len: len(name)})
}

// short reads the rest of a shorthand, name:value, or -name:value.
func (p *parser) short(start int, name string) (node, *SyntaxError) {
	bare := strings.TrimPrefix(name, "-")
	at := start + len(name) - len(bare)
	p.pos++ // the colon
	var n node
	if bare == "is" {
		p.expectAtEnd(p.pos, wantValue, subject{name: "is"})
		l, err := p.value(false)
		if err != nil {
			return nil, err
		}
		if p.end() {
			p.expect(l.at, wantValue, subject{name: "is"})
		}
		if n, err = p.is(l); err != nil {
			return nil, err
		}
	} else {
		s, known, err := p.subject(bare, at)
		if err == nil && !known {
			err = p.unknown(bare, at)
		}
		if err != nil {
			return nil, err
		}
		op := eq
		for _, sp := range spellings {
			if !sp.word && p.at(sp.text) {
				op = sp.op
				p.pos += len(sp.text)
				break
			}
		}
		if n, err = p.comparison(s, op, true); err != nil {
			return nil, err
		}
	}
	if at > start {
		n = negated(n)
	}
	return n, nil
}

// operator reads an operator if one stands here.
func (p *parser) operator() (operator, bool) {
	for _, sp := range spellings {
		if sp.word && p.keyword(sp.text) || !sp.word && p.at(sp.text) {
			p.pos += len(sp.text)
			return sp.op, true
		}
	}
	if p.keyword("not") {
		start := p.pos
		p.pos += len("not")
		p.space()
		if p.keyword("in") {
			p.pos += len("in")
			return notIn, true
		}
		p.pos = start
	}
	return exists, false
}

// subject finds the field or path of a name. It returns false where there is none.
func (p *parser) subject(name string, at int) (subject, bool, *SyntaxError) {
	s := subject{name: name, at: at, len: len(name)}
	if s.info = byName(name); s.info != nil {
		s.name = s.info.Name
		return s, true, nil
	}
	if !isPath(name) {
		return s, false, nil
	}
	var err *SyntaxError
	if s.path, err = p.parsePath(name, at); err != nil {
		return s, false, err
	}
	s.name = s.path.String()
	return s, true, nil
}

// looksLikeField reports whether a word that is no field can only have been meant as one.
func (p *parser) looksLikeField(name string) bool {
	group, _, dotted := strings.Cut(name, ".")
	switch group {
	case "event", "finding", "capability", "progress":
		return dotted
	}
	return false
}

func (p *parser) unknown(name string, at int) *SyntaxError {
	return p.fault(at, len(name), "unknown field `%s`", name).suggest(nearField(name)).hint("quote it to search for the text")
}

// comparison reads the value of a test and makes the test. In a shorthand the value stands right
// behind the colon.
func (p *parser) comparison(s subject, op operator, short bool) (node, *SyntaxError) {
	behind := p.pos
	if !short {
		p.space()
	}
	p.expectAtEnd(p.pos, wantValue, s)
	if p.at("{") {
		switch op {
		case eq, in:
			op = in
		case ne, notIn:
			op = notIn
		default:
			return nil, p.fault(p.pos, 1, "%s takes one value", op)
		}
		set, err := p.set(s)
		if err != nil {
			return nil, err
		}
		return p.build(s, op, set)
	}
	pattern := op == contains && p.src[behind-1] == '~' || op == matches
	l, err := p.value(pattern)
	if p.end() {
		p.expect(l.at, wantValue, s)
	}
	if err != nil {
		return nil, err
	}
	if l.len == 0 {
		return nil, p.fault(p.pos, 0, "expected a value for %s", s.name)
	}
	if s.info != nil && s.info.class == ref && strings.HasPrefix(l.text, "[") {
		p.jsonRef(&l)
	}
	switch {
	case l.pattern:
		op = matches
	case op != in && op != notIn:
	case s.ordered() && (l.quoted || !strings.Contains(l.text, "..")), s.path != nil && !isRange(l):
		return nil, p.fault(l.at, l.len, "%s needs {a, b} or a range a..b", op)
	case s.path == nil && !s.ordered():
		return nil, p.fault(l.at, l.len, "%s needs {a, b}", op)
	}
	return p.build(s, op, []literal{l})
}

// jsonRef reads the rest of [8,2], as the JSON lines have a reference, and makes it 8.2.
func (p *parser) jsonRef(l *literal) {
	inside, _, closed := strings.Cut(p.src[l.at+1:], "]")
	seq, sub, two := strings.Cut(inside, ",")
	if !closed || !two {
		return
	}
	l.text = strings.TrimSpace(seq) + "." + strings.TrimSpace(sub)
	l.len = len(inside) + 2
	p.pos = l.at + l.len
}

// set reads {a, b, …}.
func (p *parser) set(s subject) ([]literal, *SyntaxError) {
	start := p.pos
	p.pos++
	var out []literal
	for {
		p.space()
		p.expectAtEnd(p.pos, wantValue, s)
		if p.end() {
			return nil, p.fault(start, 1, "this { is not closed")
		}
		if p.at("}") && len(out) > 0 {
			p.pos++
			return out, nil
		}
		l, err := p.value(false)
		if p.end() {
			p.expect(l.at, wantValue, s)
		}
		if err != nil {
			return nil, err
		}
		if l.len == 0 {
			return nil, p.fault(p.pos, 1, "expected a value, found `%c`", p.src[p.pos])
		}
		out = append(out, l)
		p.space()
		switch {
		case p.at(","):
			p.pos++
		case p.end():
			return nil, p.fault(start, 1, "this { is not closed")
		case !p.at("}"):
			return nil, p.fault(p.pos, 1, "expected , or } here")
		}
	}
}
