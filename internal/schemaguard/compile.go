package schemaguard

import (
	"fmt"
	"slices"
	"strings"
)

// Schema is a schema that instances can be checked against. It may be used by several goroutines.
type Schema struct {
	Draft Draft // in force
	Named bool  // the schema names its dialect
	root  *node
}

// Compile makes a schema ready. fallback is the dialect of a schema that names none, see
// [DefaultDraft]. The error is an [*Invalid] or a [*NotChecked]. schema is only borrowed.
func Compile(schema []byte, fallback Draft) (s *Schema, err error) {
	doc, m, refused := decode(schema, MaxSchema)
	switch {
	case refused != nil:
		return nil, refused
	case m.objects > MaxSubschemas:
		return nil, &NotChecked{TooComplex, counted(m.objects, "subschemas")}
	case m.pointers > maxPointers:
		return nil, &NotChecked{TooComplex, "member names are too long"}
	case doc.kind != objectKind && doc.kind != booleanKind:
		return nil, &NotChecked{NotJSON, "a schema is an object or a boolean"}
	}
	s = &Schema{Draft: fallback}
	if dialect, ok := doc.str("$schema"); ok {
		s.Named = true
		if s.Draft = DraftOf(dialect); s.Draft == "" {
			return nil, &NotChecked{Dialect, shorten(dialect)}
		}
	}
	defer func() {
		if r := recover(); r != nil {
			s, err = nil, &NotChecked{Internal, shorten(fmt.Sprint(r))}
		}
	}()
	c := newCompiler(doc, s)
	if s.root, err = c.compile(); err != nil {
		return nil, err
	}
	return s, nil
}

// compiler makes nodes of the subschemas that can be reached from the root, and of nothing else: what is
// wrong in a definition that nobody uses does no harm.
type compiler struct {
	document
	asserts  bool // formats count, up to draft-07
	nodes    map[*value]*node
	queue    []job
	moving   []*dynamicAnchor // that references in use name
	patterns map[string]*pattern
	program  int64 // instructions of all patterns
}

type job struct {
	node *node
	v    *value
	in   *resource
}

func newCompiler(doc *value, s *Schema) *compiler {
	return &compiler{
		document: newDocument(doc, s.Draft),
		asserts:  s.Named,
		nodes:    make(map[*value]*node),
		patterns: make(map[string]*pattern),
	}
}

func (c *compiler) compile() (*node, error) {
	if err := c.admit(c.root, nil, nil); err != nil {
		return nil, err
	}
	root := c.node(c.root, c.resources[c.root])
	for len(c.queue) > 0 {
		j := c.queue[0]
		c.queue = c.queue[1:]
		if err := c.fill(j.node, j.v, j.in); err != nil {
			return nil, err
		}
		if len(c.queue) == 0 {
			c.reachDynamic()
		}
	}
	longest := 0
	for _, n := range c.nodes {
		if len(c.moving) == 0 {
			n.scope = nil // nobody asks
		}
		if !n.measure() {
			return nil, &NotChecked{Recursion, ""}
		}
		longest = max(longest, n.chain)
	}
	if longest > maxChain {
		return nil, &NotChecked{TooComplex, counted(longest, "subschemas within each other")}
	}
	return root, nil
}

// reachDynamic finds the anchors that dynamic references may lead to.
func (c *compiler) reachDynamic() {
	for _, a := range c.moving {
		for _, r := range c.dynamicIn[a.name][len(a.all):] {
			n := c.node(r.dynamic[a.name], r)
			a.in[r] = n
			a.all = append(a.all, n)
		}
	}
}

// measure counts how many subschemas can be at work on one value; false: endlessly many.
func (n *node) measure() bool {
	if n.chain != 0 {
		return n.chain > 0
	}
	n.chain = -1
	ok, longest := true, 0
	n.here(func(sub *node) {
		ok = ok && sub.measure()
		longest = max(longest, sub.chain)
	})
	if ok {
		n.chain = longest + 1
	}
	return ok
}

// node returns the node of a subschema that stands in a resource, or is one.
func (c *compiler) node(v *value, in *resource) *node {
	n := c.nodes[v]
	if n == nil {
		n = new(node)
		c.nodes[v] = n
		if own := c.resources[v]; own != nil {
			in = own
		}
		c.queue = append(c.queue, job{n, v, in})
	}
	return n
}

// fill compiles one subschema. That it is valid in its dialect is known: each keyword is what it must be.
func (c *compiler) fill(n *node, v *value, in *resource) error {
	switch {
	case v.kind == booleanKind && !v.truth:
		n.fixed = rejects
		return nil
	case v.kind != objectKind || len(v.sub.names) == 0:
		n.fixed = accepts
		return nil
	}
	n.scope = in
	f := filler{compiler: c, n: n, in: in, v: v}
	if ref, ok := v.str("$ref"); ok {
		if err := f.reference(ref, ""); err != nil || in.draft.number() < 2019 {
			return err // what stands beside it does not count in old dialects
		}
	}
	known := keywordsOf(in.draft)
	for i, name := range v.sub.names {
		if known[name] == nil {
			continue
		}
		if err := f.take(name, &v.sub.values[i]); err != nil {
			return err
		}
	}
	return nil
}

// filler takes the keywords of one subschema.
type filler struct {
	*compiler
	n  *node
	in *resource
	v  *value
}

// reference takes $ref, or the keyword of a reference that may be dynamic: it is where its first target
// is such an anchor.
func (f *filler) reference(ref, keyword string) error {
	to, err := f.find(ref, f.in)
	if err != nil {
		return err
	}
	if to.draft != "" {
		f.n.refs = append(f.n.refs, reference{to: grammar(to.draft)})
		return nil
	}
	r := reference{to: f.node(to.v, to.in)}
	_, anchor, _ := strings.Cut(ref, "#")
	if to.in.dynamic[anchor] == to.v && (keyword == "$recursiveRef" && anchor == "" || keyword == "$dynamicRef" && anchor != "") {
		r.dynamic = f.movingAnchor(anchor)
	}
	f.n.refs = append(f.n.refs, r)
	return nil
}

func (c *compiler) movingAnchor(name string) *dynamicAnchor {
	i := slices.IndexFunc(c.moving, func(a *dynamicAnchor) bool { return a.name == name })
	if i < 0 {
		i = len(c.moving)
		c.moving = append(c.moving, &dynamicAnchor{name: name, in: make(map[*resource]*node)})
	}
	return c.moving[i]
}

func (f *filler) sub(v *value) *node { return f.node(v, f.in) }

func (f *filler) list(v *value) []*node {
	items := v.items()
	nodes := make([]*node, len(items))
	for i := range items {
		nodes[i] = f.sub(&items[i])
	}
	return nodes
}

func texts(v *value) []string {
	items := v.items()
	words := make([]string, len(items))
	for i := range items {
		words[i] = items[i].content()
	}
	return words
}

func (f *filler) take(keyword string, v *value) error {
	n := f.n
	switch keyword {
	case "type":
		n.kinds = kindOf(v.content())
		for _, name := range texts(v) {
			n.kinds |= kindOf(name)
		}
	case "const":
		n.constant = enumOf([]value{*v})
	case "enum":
		n.enum = enumOf(v.items())
	case "format":
		if f.asserts && f.in.draft.number() < 2019 {
			n.format = formatOf(v.content())
		}
	case "$dynamicRef", "$recursiveRef":
		return f.reference(v.content(), keyword)
	case "allOf":
		f.logic().allOf = f.list(v)
	case "anyOf":
		f.logic().anyOf = f.list(v)
	case "oneOf":
		f.logic().oneOf = f.list(v)
	case "not":
		f.logic().not = f.sub(v)
	case "if":
		l := f.logic()
		l.condition = f.sub(v)
		if branch := f.v.member("then"); branch != nil {
			l.then = f.sub(branch)
		}
		if branch := f.v.member("else"); branch != nil {
			l.otherwise = f.sub(branch)
		}
	case "minLength":
		f.strings().least = count(v)
	case "maxLength":
		f.strings().most = count(v)
	case "pattern":
		p, err := f.pattern(v.content())
		f.strings().pattern = p
		return err
	case "minimum":
		if exclusive := f.v.member("exclusiveMinimum"); exclusive != nil && exclusive.truth { // of draft-04
			f.numbers().above = limitOf(v)
		} else {
			f.numbers().minimum = limitOf(v)
		}
	case "maximum":
		if exclusive := f.v.member("exclusiveMaximum"); exclusive != nil && exclusive.truth {
			f.numbers().below = limitOf(v)
		} else {
			f.numbers().maximum = limitOf(v)
		}
	case "exclusiveMinimum":
		if v.kind == numberKind {
			f.numbers().above = limitOf(v)
		}
	case "exclusiveMaximum":
		if v.kind == numberKind {
			f.numbers().below = limitOf(v)
		}
	case "multipleOf":
		f.numbers().multipleOf = limitOf(v)
	default:
		return f.takeChildren(keyword, v)
	}
	return nil
}

// takeChildren takes the keywords that are about members and items.
func (f *filler) takeChildren(keyword string, v *value) error {
	switch keyword {
	case "minProperties":
		f.objects().least = count(v)
	case "maxProperties":
		f.objects().most = count(v)
	case "required":
		f.objects().required = texts(v)
	case "properties":
		r := f.objects()
		r.properties = make(map[string]*node, len(v.sub.names))
		r.order = v.sub.names
		v.members(func(name string, sub *value) { r.properties[name] = f.sub(sub) })
	case "patternProperties":
		r := f.objects()
		for i, source := range v.sub.names {
			p, err := f.pattern(source)
			if err != nil {
				return err
			}
			r.patterns = append(r.patterns, patternRule{p, f.sub(&v.sub.values[i])})
		}
	case "additionalProperties":
		f.objects().additional = f.sub(v)
		f.objects().closed = v.kind == booleanKind && !v.truth
	case "propertyNames":
		f.objects().names = f.sub(v)
	case "dependencies", "dependentRequired", "dependentSchemas":
		r := f.objects()
		v.members(func(name string, demand *value) {
			d := dependent{keyword: keyword, name: name}
			if demand.kind == arrayKind {
				d.required = texts(demand)
			} else {
				d.schema = f.sub(demand)
			}
			r.dependents = append(r.dependents, d)
		})
	case "unevaluatedProperties":
		f.objects().unevaluated = f.sub(v)
	case "minItems":
		f.arrays().least = count(v)
	case "maxItems":
		f.arrays().most = count(v)
	case "uniqueItems":
		f.arrays().unique = v.truth
	case "prefixItems":
		f.arrays().prefix = f.list(v)
	case "items":
		if v.kind != arrayKind {
			f.arrays().rest = f.sub(v)
			break
		}
		r := f.arrays()
		r.prefix = f.list(v)
		more := f.v.member("additionalItems")
		if r.closed = more != nil && more.kind == booleanKind && !more.truth; more != nil && !r.closed {
			r.rest = f.sub(more)
		}
	case "contains":
		r := f.arrays()
		r.contains = f.sub(v)
		r.containing = f.in.draft.number() >= 2020
	case "minContains":
		f.arrays().minContains = count(v)
	case "maxContains":
		f.arrays().maxContains = count(v)
	case "unevaluatedItems":
		f.arrays().unevaluated = f.sub(v)
	}
	return nil
}

func (f *filler) logic() *logic {
	if f.n.logic == nil {
		f.n.logic = new(logic)
	}
	return f.n.logic
}

func (f *filler) objects() *objectRules {
	if f.n.objects == nil {
		f.n.objects = &objectRules{most: -1}
	}
	return f.n.objects
}

func (f *filler) arrays() *arrayRules {
	if f.n.arrays == nil {
		f.n.arrays = &arrayRules{most: -1, minContains: -1, maxContains: -1}
	}
	return f.n.arrays
}

func (f *filler) strings() *stringRules {
	if f.n.strings == nil {
		f.n.strings = &stringRules{most: -1}
	}
	return f.n.strings
}

func (f *filler) numbers() *numberRules {
	if f.n.numbers == nil {
		f.n.numbers = new(numberRules)
	}
	return f.n.numbers
}

// pattern makes a pattern ready, equal ones once.
func (c *compiler) pattern(source string) (*pattern, error) {
	if p := c.patterns[source]; p != nil {
		return p, nil
	}
	p, err := compilePattern(source, maxProgram-c.program)
	if err != nil {
		return nil, &NotChecked{BadPattern, shorten(source)}
	}
	c.program += p.size
	c.patterns[source] = p
	return p, nil
}
