package schemaguard

import (
	"math"
	"strconv"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// weights bound the work of a compiled schema.
//
// The library visits a subschema once for every way that leads to it, and remembers nothing. Expanded to a
// tree, with every $ref replaced by what it names, each of the tree's nodes meets each node of an
// instance at most once: steps × nodes is a bound. A recursive schema has no such tree.
type weights struct {
	of        map[*jsonschema.Schema]*weight
	steps     int64 // of the expanded tree; saturated when recursive
	program   int64 // instructions of all patterns in the expanded tree
	recursive bool
}

type weight struct {
	own     int64 // steps at one visit, without subschemas
	program int64 // of the patterns that meet a string here, or the names of an object
	here    []*jsonschema.Schema
	below   []*jsonschema.Schema // applied to members or items

	state           uint8
	steps, program2 int64 // expanded
	chain           int
}

const endless = math.MaxInt64 / 4

func saturate(n int64) int64 {
	if n < 0 || n > endless {
		return endless
	}
	return n
}

func times(a, b int64) int64 {
	if a != 0 && b > endless/a {
		return endless
	}
	return saturate(a * b)
}

// weigh refuses a schema in which a value leads to itself.
func weigh(root *jsonschema.Schema) (weights, *NotChecked) {
	w := weights{of: make(map[*jsonschema.Schema]*weight)}
	queue := []*jsonschema.Schema{root}
	unevaluated := false
	for len(queue) > 0 {
		s := queue[0]
		queue = queue[1:]
		if w.of[s] != nil {
			continue
		}
		if s.DynamicRef != nil && s.DynamicRef.Anchor != "" || s.RecursiveRef != nil {
			return w, &NotChecked{DynamicRef, ""}
		}
		n := weightOf(s)
		w.of[s] = n
		queue = append(append(queue, n.here...), n.below...)
		unevaluated = unevaluated || s.UnevaluatedItems != nil || s.UnevaluatedProperties != nil
	}
	for s, n := range w.of {
		if n.chain == 0 && !w.chains(s) {
			return w, &NotChecked{Recursion, ""}
		}
	}
	longest := 0
	for _, n := range w.of {
		longest = max(longest, n.chain)
	}
	if longest > maxChain {
		return w, &NotChecked{TooComplex, counted(longest, "subschemas within each other")}
	}
	w.expand(root)
	if unevaluated {
		w.steps = times(w.steps, 3) // keeps, copies and merges a set of names at every visit
		for _, n := range w.of {
			n.own *= 3
		}
	}
	return w, nil
}

const (
	fresh uint8 = iota
	open
	done
)

// chains computes how many subschemas can be at work on one value; false: endlessly many.
func (w *weights) chains(s *jsonschema.Schema) bool {
	n := w.of[s]
	if n.chain > 0 {
		return true
	}
	if n.state == open {
		return false
	}
	n.state = open
	longest := 0
	for _, sub := range n.here {
		if !w.chains(sub) {
			return false
		}
		longest = max(longest, w.of[sub].chain)
	}
	n.state = fresh
	n.chain = longest + 1
	return true
}

func (w *weights) expand(root *jsonschema.Schema) {
	var visit func(s *jsonschema.Schema) *weight
	visit = func(s *jsonschema.Schema) *weight {
		n := w.of[s]
		switch n.state {
		case done:
			return n
		case open:
			w.recursive = true
			return n
		}
		n.state = open
		steps, program := n.own, n.program
		for _, list := range [...][]*jsonschema.Schema{n.here, n.below} {
			for _, sub := range list {
				m := visit(sub)
				steps = saturate(steps + m.steps)
				program = saturate(program + m.program2)
			}
		}
		n.state = done
		n.steps, n.program2 = steps, program
		return n
	}
	n := visit(root)
	w.steps, w.program = n.steps, n.program2
	if w.recursive {
		w.steps = endless
	}
}

// weightOf lists what a visit of one subschema does.
func weightOf(s *jsonschema.Schema) *weight {
	n := &weight{own: 1}
	here := func(subs ...*jsonschema.Schema) {
		for _, sub := range subs {
			if sub != nil {
				n.here = append(n.here, sub)
			}
		}
	}
	below := func(subs ...*jsonschema.Schema) {
		for _, sub := range subs {
			if sub != nil {
				n.below = append(n.below, sub)
			}
		}
	}
	here(s.Ref, s.Not, s.If, s.Then, s.Else)
	if s.DynamicRef != nil {
		here(s.DynamicRef.Ref)
	}
	here(s.AllOf...)
	here(s.AnyOf...)
	here(s.OneOf...)
	for _, sub := range s.DependentSchemas {
		here(sub)
	}
	for _, dep := range s.Dependencies {
		if sub, ok := dep.(*jsonschema.Schema); ok {
			here(sub)
		}
		n.own++
	}
	for _, sub := range s.Properties {
		below(sub)
	}
	for re, sub := range s.PatternProperties {
		below(sub)
		if p, ok := re.(*pattern); ok {
			n.program += p.size
		}
	}
	if p, ok := s.Pattern.(*pattern); ok {
		n.program += p.size
	}
	below(s.PropertyNames, s.UnevaluatedProperties, s.UnevaluatedItems, s.Contains, s.Items2020)
	below(s.PrefixItems...)
	for _, one := range [...]any{s.AdditionalProperties, s.AdditionalItems, s.Items} {
		switch sub := one.(type) {
		case *jsonschema.Schema:
			below(sub)
		case []*jsonschema.Schema:
			below(sub...)
		}
	}
	if s.Enum != nil {
		for _, v := range s.Enum.Values {
			n.own += size(v)
		}
	}
	if s.Const != nil {
		n.own += size(*s.Const)
	}
	n.own += int64(len(s.Required) + len(s.DependentRequired))
	for _, names := range s.DependentRequired {
		n.own += int64(len(names))
	}
	if s.UniqueItems {
		n.own += 20 // short arrays are compared item by item
	}
	return n
}

// size counts the values of which a comparison may look at each.
func size(v any) int64 {
	n := int64(1)
	switch v := v.(type) {
	case map[string]any:
		for _, member := range v {
			n += 1 + size(member)
		}
	case []any:
		for _, item := range v {
			n += size(item)
		}
	}
	return n
}

// bound returns how many steps a value can cost at most.
func (w *weights) bound(root *jsonschema.Schema, value any, m measure) int64 {
	text := m.text/16 + 1
	coarse := saturate(times(w.steps, m.nodes) + times(w.steps, m.text/1024))
	if w.program > 0 {
		coarse = saturate(coarse + times(w.program, text))
	}
	deep := 1 + m.depth/16 // the place of each problem is kept, name by name
	if coarse = times(coarse, deep); coarse <= MaxWork {
		return coarse
	}
	c := counter{w: w, known: make(map[visit]int64)}
	return times(deep, c.visits(root, c.tree(value)))
}

// maxPairs bounds the count itself, and its memory.
const maxPairs = MaxWork / 4

// counter counts the visits of one value exactly but for branches that are not taken, each pair of
// subschema and node once.
type counter struct {
	w     *weights
	known map[visit]int64
	next  int32
	pairs int
}

type visit struct {
	schema *jsonschema.Schema
	node   int32
}

// node is a value with an identity.
type node struct {
	id    int32
	text  int64 // bytes of a string, or of the member names
	names []string
	subs  []node // members in the order of names, or items
	array bool
	name  []node // the member names as values
}

func (c *counter) tree(v any) node {
	n := node{id: c.next}
	c.next++
	switch v := v.(type) {
	case map[string]any:
		for k, member := range v {
			n.names = append(n.names, k)
			n.subs = append(n.subs, c.tree(member))
			n.name = append(n.name, node{id: c.next, text: int64(len(k))})
			c.next++
			n.text += int64(len(k))
		}
	case []any:
		n.array = true
		for _, item := range v {
			n.subs = append(n.subs, c.tree(item))
		}
	case string:
		n.text = int64(len(v))
	}
	return n
}

func (c *counter) visits(s *jsonschema.Schema, n node) int64 {
	if s == nil {
		return 0
	}
	if c.pairs > maxPairs {
		return endless
	}
	key := visit{s, n.id}
	if known, ok := c.known[key]; ok {
		return known
	}
	if c.pairs++; c.pairs > maxPairs {
		return endless
	}
	w := c.w.of[s]
	total := w.own
	if s.UniqueItems {
		total = saturate(total + 20*int64(len(n.subs)))
	}
	if w.program > 0 {
		total = saturate(total + times(w.program, n.text/16+1))
	}
	for _, sub := range w.here {
		total = saturate(total + c.visits(sub, n))
	}
	if n.array {
		total = saturate(total + c.items(s, n))
	} else {
		total = saturate(total + c.members(s, n))
	}
	c.known[key] = total
	return total
}

func (c *counter) members(s *jsonschema.Schema, n node) int64 {
	total := int64(len(n.subs))
	for i, name := range n.names {
		sub := n.subs[i]
		if total > MaxWork {
			return total // too much already
		}
		named := s.Properties[name]
		total = saturate(total + c.visits(named, sub) + c.visits(s.PropertyNames, n.name[i]))
		for _, p := range s.PatternProperties {
			total = saturate(total + c.visits(p, sub))
		}
		if named == nil {
			if additional, ok := s.AdditionalProperties.(*jsonschema.Schema); ok {
				total = saturate(total + c.visits(additional, sub))
			}
		}
		total = saturate(total + c.visits(s.UnevaluatedProperties, sub))
	}
	return total
}

func (c *counter) items(s *jsonschema.Schema, n node) int64 {
	total := int64(len(n.subs))
	for i, item := range n.subs {
		if total > MaxWork {
			return total
		}
		total = saturate(total + c.visits(s.Contains, item) + c.visits(s.UnevaluatedItems, item))
		prefix := s.PrefixItems
		rest := s.Items2020
		switch items := s.Items.(type) {
		case *jsonschema.Schema:
			rest = items
		case []*jsonschema.Schema:
			prefix = items
			rest, _ = s.AdditionalItems.(*jsonschema.Schema)
		}
		if i < len(prefix) {
			total = saturate(total + c.visits(prefix[i], item))
		} else {
			total = saturate(total + c.visits(rest, item))
		}
	}
	return total
}

func counted(n int, what string) string { return strconv.Itoa(n) + " " + what }
