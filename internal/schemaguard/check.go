package schemaguard

import (
	"fmt"
	"slices"
	"strconv"
)

// Problem is one place where an instance breaks its schema.
type Problem struct {
	Pointer string // JSON pointer into the instance (RFC 6901), "" for all of it
	Keyword string // of the schema
	Value   string // raw JSON at the pointer, cut to 80 bytes with "…"; "" when it is missing
	Message string // in words, to be read after the pointer: `must be integer, is string "5"`
}

// Verdict is the outcome of a check. Problems and NotChecked exclude each other; with neither, the
// instance is valid.
type Verdict struct {
	Problems   []Problem // by pointer, items in numerical order, at most [MaxProblems]
	NotChecked *NotChecked
	Work       int64 // the steps it took, at most [MaxWork]: callers that check a lot add them up
}

// Valid tells whether the instance was checked and is valid.
func (v Verdict) Valid() bool { return v.NotChecked == nil && len(v.Problems) == 0 }

// Check validates one JSON value. instance is only borrowed.
func (s *Schema) Check(instance []byte) Verdict {
	v, m, refused := decode(instance, MaxInstance)
	if refused != nil {
		return Verdict{NotChecked: refused, Work: m.nodes / nodesAStep}
	}
	c := check{left: MaxWork}
	problems, refused := c.run(s.root, v, m)
	return Verdict{Problems: problems, NotChecked: refused, Work: MaxWork - max(c.left, 0)}
}

const (
	nodesAStep  = 8  // values that are decoded in the time of a step
	stepsAFault = 10 // for its memory, and for sorting it
)

// check is one validation.
type check struct {
	left   int64   // steps; the check ends when there are none
	quiet  bool    // only the outcome matters: no faults are kept, the first one decides
	path   []token // of the value at work
	faults []fault
	buf    []byte
	scope  []*resource // entered, from the outermost; only where references are dynamic

	// Where a schema is checked itself:
	dialects map[*value]*resource
	passed   map[*value]bool // schemas that were looked at
}

// token is a step of a path: a member name, or an index where the name is not set.
type token struct {
	name  string
	index int
}

func named(name string) token { return token{name, -1} }

func (t token) String() string {
	if t.index >= 0 {
		return strconv.Itoa(t.index)
	}
	return t.name
}

// overrun ends a check from any depth.
type overrun struct{}

// spend counts steps.
func (c *check) spend(steps int) {
	if c.left -= int64(steps); c.left < 0 {
		panic(overrun{})
	}
}

// run says what is wrong with a value.
func (c *check) run(n *node, v *value, m measure) (problems []Problem, refused *NotChecked) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case overrun:
			problems, refused = nil, &NotChecked{TooCostly, ""}
		default:
			problems, refused = nil, &NotChecked{Internal, shorten(fmt.Sprint(r))}
		}
	}()
	c.spend(int(m.nodes / nodesAStep))
	if c.visit(n, v, nil) {
		return nil, nil
	}
	return problemsOf(c.faults), nil
}

// below applies a subschema to a member or item.
func (c *check) below(n *node, v *value, at token) bool {
	if n.fixed == accepts {
		c.spend(1)
		return true
	}
	c.path = append(c.path, at)
	ok := c.visit(n, v, nil)
	c.path = c.path[:len(c.path)-1]
	return ok
}

// silently applies a subschema of which only the outcome matters.
func (c *check) silently(n *node, v *value, seen *marks) bool {
	was := c.quiet
	c.quiet = true
	ok := c.visit(n, v, seen)
	c.quiet = was
	return ok
}

// visit applies a subschema to a value. Where it fails and nobody is quiet, there are faults more than
// before. seen is nil, or takes what a subschema that fits has evaluated of the value's members or items.
func (c *check) visit(n *node, v *value, seen *marks) bool {
	c.spend(1)
	switch n.fixed {
	case accepts:
		return true
	case rejects:
		return c.fail(fault{keyword: "false", value: v})
	}
	if n.grammar != "" {
		var again bool
		if n, again = c.dialect(n, v); again {
			return true
		}
	}
	if n.scope != nil && (len(c.scope) == 0 || c.scope[len(c.scope)-1] != n.scope) {
		c.scope = append(c.scope, n.scope)
		defer func() { c.scope = c.scope[:len(c.scope)-1] }()
	}

	// The first of these that fails says all there is to say.
	if n.kinds&v.kind == 0 && n.kinds != 0 && (v.kind != numberKind || n.kinds&integerKind == 0 || !integral(v.text)) {
		return c.fail(fault{keyword: "type", value: v, want: n.kinds})
	}
	if n.constant != nil && !c.holds(n.constant, v) {
		return c.fail(fault{keyword: "const", value: v, values: n.constant.values})
	}
	if n.enum != nil && !c.holds(n.enum, v) {
		return c.fail(fault{keyword: "enum", value: v, values: n.enum.values})
	}
	if n.format != nil && v.kind == stringKind {
		text := v.content()
		c.spend(len(text) / 64)
		if !n.format.fits(text) {
			return c.fail(fault{keyword: "format", value: v, text: n.format.name})
		}
	}

	var own *marks
	if seen != nil || v.kind == objectKind && n.objects != nil && n.objects.unevaluated != nil ||
		v.kind == arrayKind && n.arrays != nil && n.arrays.unevaluated != nil {
		own = c.marks(v)
	}
	ok := c.rules(n, v, own)
	if ok || !c.quiet {
		for _, r := range n.refs {
			ok = c.visit(c.target(r), v, own) && ok
		}
	}
	if n.logic != nil && (ok || !c.quiet) {
		ok = c.logic(n.logic, v, own) && ok
	}
	if own != nil && (ok || !c.quiet) {
		ok = c.unevaluated(n, v, own) && ok
	}
	if ok {
		c.merge(seen, own)
	}
	return ok
}

// rules applies what depends on the kind of a value.
func (c *check) rules(n *node, v *value, own *marks) bool {
	switch v.kind {
	case objectKind:
		return n.objects == nil || c.object(n.objects, v, own)
	case arrayKind:
		return n.arrays == nil || c.array(n.arrays, v, own)
	case stringKind:
		return n.strings == nil || c.string(n.strings, v)
	case numberKind:
		return n.numbers == nil || c.number(n.numbers, v)
	}
	return true
}

// fail keeps a fault at the place that is at work. The result is false.
func (c *check) fail(f fault) bool {
	if c.quiet {
		return false
	}
	c.spend(stepsAFault + len(c.path)/4)
	f.path = make([]string, len(c.path), len(c.path)+1)
	for i, t := range c.path {
		f.path[i] = t.String()
	}
	f.rule = f.keyword
	c.faults = append(c.faults, f)
	return false
}

// target is what a reference leads to now.
func (c *check) target(r reference) *node {
	if r.dynamic != nil {
		c.spend(len(c.scope) / 8)
		for _, scope := range c.scope {
			if to := r.dynamic.in[scope]; to != nil {
				return to
			}
		}
	}
	return r.to
}

// logic applies subschemas to the same value.
func (c *check) logic(l *logic, v *value, own *marks) bool {
	ok := true
	if l.not != nil && c.silently(l.not, v, own) {
		ok = c.fail(fault{keyword: "not", value: v})
	}
	for _, sub := range l.allOf {
		if ok = c.visit(sub, v, own) && ok; !ok && c.quiet {
			return false
		}
	}
	if len(l.anyOf) > 0 && (ok || !c.quiet) {
		ok = c.anyOf(l.anyOf, v, own) && ok
	}
	if len(l.oneOf) > 0 && (ok || !c.quiet) {
		ok = c.oneOf(l.oneOf, v, own) && ok
	}
	if l.condition != nil && (ok || !c.quiet) {
		branch := l.otherwise
		if c.silently(l.condition, v, own) {
			branch = l.then
		}
		if branch != nil {
			ok = c.visit(branch, v, own) && ok
		}
	}
	return ok
}

func (c *check) anyOf(subs []*node, v *value, own *marks) bool {
	start, matched := len(c.faults), false
	var ends []int
	for _, sub := range subs {
		if c.visit(sub, v, own) {
			matched = true
			if own == nil {
				break
			}
		}
		ends = append(ends, len(c.faults))
	}
	if matched {
		c.faults = c.faults[:start]
		return true
	}
	return c.alternatives("anyOf", v, start, ends)
}

func (c *check) oneOf(subs []*node, v *value, own *marks) bool {
	start, match := len(c.faults), -1
	var ends []int
	for i, sub := range subs {
		if match < 0 {
			if c.visit(sub, v, own) {
				match = i
			}
			ends = append(ends, len(c.faults))
		} else if c.silently(sub, v, own) {
			c.faults = c.faults[:start]
			return c.fail(fault{keyword: "oneOf", value: v, a: match, b: i})
		}
	}
	if match >= 0 {
		c.faults = c.faults[:start]
		return true
	}
	return c.alternatives("oneOf", v, start, ends)
}

// alternatives explains why none fits, by the one that was evidently meant if there is one: all others
// fail at the type of the value itself, or at a constant that tells alternatives apart. The faults of
// each alternative end at ends.
func (c *check) alternatives(keyword string, v *value, start int, ends []int) bool {
	if c.quiet {
		return false
	}
	depth, from := len(c.path), start
	var meant [2]int
	candidates, onlyTypes := 0, true
	var want kind
	for _, end := range ends {
		faults := c.faults[from:end]
		if !differs(faults, depth) {
			candidates++
			meant = [2]int{from, end}
		}
		if len(faults) == 1 && len(faults[0].path) == depth && faults[0].want != 0 {
			want |= faults[0].want
		} else {
			onlyTypes = false
		}
		from = end
	}
	if !onlyTypes && candidates == 1 {
		c.faults = slices.Replace(c.faults, start, len(c.faults), c.faults[meant[0]:meant[1]]...)
		return false
	}
	c.faults = c.faults[:start]
	if onlyTypes {
		return c.fail(fault{keyword: keyword, value: v, want: want})
	}
	return c.fail(fault{keyword: keyword, value: v, count: len(ends), alien: candidates == 0})
}

// differs tells whether an alternative is for another kind of value: wrong type, const or enum of the
// value itself, or const or enum of a member of it.
func differs(faults []fault, depth int) bool {
	for _, f := range faults {
		below := len(f.path) - depth
		switch {
		case below == 0 && f.want != 0:
			return true
		case below <= 1 && (f.keyword == "const" || f.keyword == "enum"):
			return true
		}
	}
	return false
}

// dialect turns to the dialect of a schema that names its own. Where it was looked at already, by
// another way, nothing is left to do.
func (c *check) dialect(n *node, v *value) (_ *node, again bool) {
	if c.dialects == nil {
		return n, false // a value that happens to be a schema
	}
	if c.passed[v] {
		return n, true
	}
	c.passed[v] = true
	if r := c.dialects[v]; r != nil {
		n = grammar(r.draft)
	}
	return n, false
}
