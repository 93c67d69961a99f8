package filter

import "strings"

// Expr is a parsed expression. It does not change and may be used by several goroutines at a time.
type Expr struct {
	root    node // nil: everything passes
	match   func(Row) bool
	parts   []func(Row) bool
	payload bool
	ahead   bool
}

// Parse reads an expression. The blank expression lets everything pass. An error is a *[SyntaxError].
func Parse(src string) (*Expr, error) {
	p := &parser{src: src}
	root, err := p.parse()
	if err != nil {
		return nil, err
	}
	return of(root), nil
}

// of compiles an expression; a nil root lets everything pass.
func of(root node) *Expr {
	x := &Expr{root: root, match: func(Row) bool { return true }}
	if root == nil {
		return x
	}
	c := &compiler{}
	x.match = root.compile(c, false)
	x.parts, x.ahead = c.parts, c.ahead
	x.payload = root.payload()
	return x
}

// And returns the expression that all of xs must let pass.
func And(xs ...*Expr) *Expr {
	var all every
	for _, x := range xs {
		if x.root != nil {
			all = append(all, flat[every](x.root)...)
		}
	}
	switch len(all) {
	case 0:
		return of(nil)
	case 1:
		return of(all[0])
	}
	return of(all)
}

// Not returns the expression that lets pass what x does not.
func Not(x *Expr) *Expr {
	if x.root == nil {
		return x
	}
	return of(negated(x.root))
}

// Match reports whether a row passes.
func (x *Expr) Match(r Row) bool { return x.match(r) }

// Needs reports whether Match may ask rows for their payload.
func (x *Expr) Needs() Needs {
	if x.payload {
		return Payload
	}
	return RowOnly
}

// LooksAhead reports whether the verdict on an entry may depend on a later one, by pair(…). Callers
// that see entries in order show them to [Stream.Learn] first.
func (x *Expr) LooksAhead() bool { return x.ahead }

// Empty reports whether everything passes because nothing was asked.
func (x *Expr) Empty() bool { return x.root == nil }

// String returns the expression in its normal form, which parses to the same expression.
func (x *Expr) String() string {
	if x.root == nil {
		return ""
	}
	var b strings.Builder
	x.root.print(&b, 0)
	return b.String()
}

// node is a part of an expression.
type node interface {
	compile(c *compiler, remote bool) func(Row) bool
	print(b *strings.Builder, around int) // around: how tightly the operator around it binds
	payload() bool
	pairs() bool // whether there is a pair(…) in it
}

// How tightly operators bind.
const (
	bindOr  = 1
	bindAnd = 2
	bindNot = 3
)

type (
	every  []node // and
	either []node // or
	not    struct{ of node }
	halves struct{ of node } // pair(…)
)

// test is a leaf.
type test struct {
	text    string // its normal form
	check   func(Row) bool
	file    bool // check asks for the payload
	request bool // check is about the request that a row is, or answers
}

// compiler collects the parts of an expression that may be asked of an entry which is not at hand.
type compiler struct {
	parts []func(Row) bool
	ahead bool
}

// part makes f answerable for a row of which only the verdicts are remembered.
func (c *compiler) part(f func(Row) bool) func(Row) bool {
	k := len(c.parts)
	c.parts = append(c.parts, f)
	return func(r Row) bool {
		if m, ok := r.(*remembered); ok {
			return m.verdict(k)
		}
		return f(r)
	}
}

// whole compiles n, or makes it a part where it stands inside pair(…) and holds none itself.
func whole(n node, c *compiler, remote bool, compile func(remote bool) func(Row) bool) func(Row) bool {
	if remote && !n.pairs() {
		return c.part(compile(false))
	}
	return compile(remote)
}

// inOrder compiles the members of a conjunction or disjunction, those that the row alone decides first.
func inOrder(members []node, c *compiler, remote bool) []func(Row) bool {
	out := make([]func(Row) bool, 0, len(members))
	for _, file := range []bool{false, true} {
		for _, m := range members {
			if m.payload() == file {
				out = append(out, m.compile(c, remote))
			}
		}
	}
	return out
}

func (n every) compile(c *compiler, remote bool) func(Row) bool {
	return whole(n, c, remote, func(remote bool) func(Row) bool {
		fs := inOrder(n, c, remote)
		if len(fs) == 2 {
			f, g := fs[0], fs[1]
			return func(r Row) bool { return f(r) && g(r) }
		}
		return func(r Row) bool {
			for _, f := range fs {
				if !f(r) {
					return false
				}
			}
			return true
		}
	})
}

func (n either) compile(c *compiler, remote bool) func(Row) bool {
	return whole(n, c, remote, func(remote bool) func(Row) bool {
		fs := inOrder(n, c, remote)
		if len(fs) == 2 {
			f, g := fs[0], fs[1]
			return func(r Row) bool { return f(r) || g(r) }
		}
		return func(r Row) bool {
			for _, f := range fs {
				if f(r) {
					return true
				}
			}
			return false
		}
	})
}

func (n not) compile(c *compiler, remote bool) func(Row) bool {
	return whole(n, c, remote, func(remote bool) func(Row) bool {
		f := n.of.compile(c, remote)
		return func(r Row) bool { return !f(r) }
	})
}

func (n halves) compile(c *compiler, _ bool) func(Row) bool {
	c.ahead = true
	f := n.of.compile(c, true)
	return func(r Row) bool {
		if f(r) {
			return true
		}
		h := r.Half()
		return h != nil && f(h)
	}
}

func (n *test) compile(c *compiler, remote bool) func(Row) bool {
	check := n.check
	if n.request {
		f := c.part(check)
		check = func(r Row) bool {
			switch r.Text(Kind) {
			case "response", "error":
				if r = r.Half(); r == nil {
					return false
				}
			}
			return f(r)
		}
	}
	if remote {
		return c.part(check)
	}
	return check
}

func (n every) payload() bool  { return anyOf(n, node.payload) }
func (n either) payload() bool { return anyOf(n, node.payload) }
func (n not) payload() bool    { return n.of.payload() }
func (n halves) payload() bool { return n.of.payload() }
func (n *test) payload() bool  { return n.file }

func (n every) pairs() bool  { return anyOf(n, node.pairs) }
func (n either) pairs() bool { return anyOf(n, node.pairs) }
func (n not) pairs() bool    { return n.of.pairs() }
func (n halves) pairs() bool { return true }
func (n *test) pairs() bool  { return false }

func anyOf(nodes []node, is func(node) bool) bool {
	for _, n := range nodes {
		if is(n) {
			return true
		}
	}
	return false
}

func (n every) print(b *strings.Builder, around int)  { join(b, n, " && ", bindAnd, around) }
func (n either) print(b *strings.Builder, around int) { join(b, n, " || ", bindOr, around) }
func (n *test) print(b *strings.Builder, _ int)       { b.WriteString(n.text) }

func (n not) print(b *strings.Builder, _ int) {
	b.WriteByte('!')
	if t, ok := n.of.(*test); ok && strings.Contains(t.text, " ") {
		// It would read the same without, but not to people.
		b.WriteString("(" + t.text + ")")
		return
	}
	n.of.print(b, bindNot)
}

func (n halves) print(b *strings.Builder, _ int) {
	b.WriteString("pair(")
	n.of.print(b, 0)
	b.WriteByte(')')
}

func join(b *strings.Builder, members []node, between string, binds, around int) {
	if binds < around {
		b.WriteByte('(')
		defer b.WriteByte(')')
	}
	for i, m := range members {
		if i > 0 {
			b.WriteString(between)
		}
		m.print(b, binds+1)
	}
}
