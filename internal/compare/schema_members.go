package compare

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
)

// others is what a schema says about members that it does not name.
type others struct {
	keyword string
	closed  bool // there may be none
	schema  bool // they are described
}

func (s *subschema) others() others {
	for _, k := range []string{"additionalProperties", "unevaluatedProperties"} {
		switch v := s.kw[k].(type) {
		case bool:
			return others{keyword: k, closed: !v}
		case map[string]any:
			return others{keyword: k, schema: len(v) > 0}
		}
	}
	return others{keyword: "additionalProperties"}
}

func (s *subschema) properties() map[string]any {
	m, _ := s.kw["properties"].(map[string]any)
	return m
}

func (s *subschema) property(name string) node {
	if _, ok := s.properties()[name]; !ok {
		return node{true, s.ptr + "/required/" + escaped(name), s.side}
	}
	return s.child("properties", name)
}

func (s *subschema) required() map[string]bool {
	out := map[string]bool{}
	list, _ := s.kw["required"].([]any)
	for _, v := range list {
		if name, ok := v.(string); ok {
			out[name] = true
		}
	}
	return out
}

// members compares what is said of objects.
func (c *comparison) members(x, y *subschema, p place) {
	before, after := x.properties(), y.properties()
	needed, needs := x.required(), y.required()
	all := map[string]bool{}
	for n := range before {
		all[n] = true
	}
	for n := range after {
		all[n] = true
	}
	maps.Copy(all, needed)
	maps.Copy(all, needs)
	for _, n := range slices.Sorted(maps.Keys(all)) {
		_, was := before[n]
		_, is := after[n]
		// What is required without being described may be anything.
		switch was, is = was || needed[n], is || needs[n]; {
		case was && is:
			c.compare(x.property(n), y.property(n), p.member(n))
			c.need(x, y, p, n, needed[n], needs[n])
		case was:
			c.memberGone(x, y, p, n, needed[n])
		default:
			c.memberCame(x, y, p, n, needs[n])
		}
	}
	c.pattern(x, y, p)
	c.open(x, y, p)
	c.schemaOrNone(x, y, "propertyNames", p, "the names of members")
	for _, k := range []string{"dependentRequired", "dependentSchemas", "dependencies"} {
		c.whole(x, y, k, p)
	}
}

// need compares whether a member must be there.
func (c *comparison) need(x, y *subschema, p place, name string, was, is bool) {
	at := p.member(name)
	switch {
	case is && !was:
		s := c.tell(narrower, Changed, "required", y.ptr+"/required", at, " became required")
		s.at, s.member = p.at, name
	case was && !is:
		s := c.tell(wider, Changed, "required", x.ptr+"/required", at, " is no longer required")
		s.at, s.member = p.at, name
	}
}

// memberCame notes a member that the old schema does not name.
func (c *comparison) memberCame(x, y *subschema, p place, name string, needs bool) {
	at, ptr := p.member(name), y.property(name).ptr
	o := x.others()
	switch {
	case needs:
		s := c.tell(narrower, Added, "required", ptr, at, " was added and is required")
		s.at, s.member = p.at, name
		if o.closed {
			s.moved = sideways
			s.Grade, s.Why = gradeOf(sideways, c.direction)
		}
	case o.closed:
		s := c.tell(wider, Added, "properties", ptr, at, " was added, optional")
		s.at, s.member = p.at, name
	default:
		s := c.tell(still, Added, "properties", ptr, at, " was added, optional")
		s.at, s.member = p.at, name
		s.Grade, s.Why = Compatible, "who does not know it can leave it out"
		if c.direction == Output {
			s.Why = "who does not know it can pass it over"
		}
	}
	if o.schema {
		c.compare(x.child(o.keyword), y.property(name), at)
	}
}

// memberGone notes a member that the new schema does not name.
func (c *comparison) memberGone(x, y *subschema, p place, name string, needed bool) {
	at, ptr := p.member(name), x.property(name).ptr
	o := y.others()
	words := " was removed"
	if needed {
		words = ", which was required, was removed"
	}
	m := still
	switch {
	case o.closed && needed:
		m = sideways
	case o.closed:
		m = narrower
	case needed:
		m = wider
	}
	keyword := "properties"
	if o.closed {
		keyword = o.keyword
	}
	s := c.tell(m, Removed, keyword, ptr, at, words)
	s.at, s.member = p.at, name
	switch {
	case c.direction == Input && o.closed:
		s.Grade, s.Why = Breaking, "calls that give it are now refused"
	case c.direction == Input:
		s.Grade, s.Why = Breaking, "calls that give it are still valid, but nothing says that it does anything any more"
	case needed:
		s.Grade, s.Why = Breaking, "who reads it could count on it"
	default:
		s.Grade, s.Why = Compatible, "it was optional: who reads it had to do without it before"
	}
	if o.schema {
		c.compare(x.property(name), y.child(o.keyword), at)
	}
}

// pattern compares patternProperties.
func (c *comparison) pattern(x, y *subschema, p place) {
	before, _ := x.kw["patternProperties"].(map[string]any)
	after, _ := y.kw["patternProperties"].(map[string]any)
	all := maps.Clone(before)
	if all == nil {
		all = map[string]any{}
	}
	maps.Copy(all, after)
	for _, pattern := range slices.Sorted(maps.Keys(all)) {
		_, was := before[pattern]
		_, is := after[pattern]
		quoted := cut(strconv.Quote(pattern), 60)
		switch {
		case was && is:
			c.compare(x.child("patternProperties", pattern), y.child("patternProperties", pattern), p.other())
		case is && x.others().closed:
			c.tell(wider, Added, "patternProperties", y.ptr+"/patternProperties", p, ": members that match "+quoted+" are now allowed")
		case is:
			c.tell(narrower, Added, "patternProperties", y.ptr+"/patternProperties", p, ": members that match "+quoted+" must now fit a schema")
		case y.others().closed:
			c.tell(narrower, Removed, "patternProperties", x.ptr+"/patternProperties", p, ": members that match "+quoted+" are no longer allowed")
		default:
			c.tell(wider, Removed, "patternProperties", x.ptr+"/patternProperties", p, ": members that match "+quoted+" no longer have to fit a schema")
		}
	}
}

// open compares what is said of members without a name.
func (c *comparison) open(x, y *subschema, p place) {
	a, b := x.others(), y.others()
	who := "members"
	if p.shown == "" && c.direction == Input {
		who = "arguments"
	}
	note := func(m move, keyword, ptr, words string) {
		s := c.tell(m, Changed, keyword, ptr, p, "")
		s.Words = "unknown " + who + " " + words
		if p.shown != "" {
			s.Words = p.name(c.direction) + ": unknown " + who + " " + words
		}
	}
	ptr := y.ptr + "/" + b.keyword
	switch {
	case a.closed && b.closed:
	case b.closed:
		note(narrower, b.keyword, ptr, "are no longer accepted")
	case a.closed:
		note(wider, a.keyword, ptr, "are now accepted")
	case a.schema && b.schema:
		c.compare(x.child(a.keyword), y.child(b.keyword), p.other())
	case b.schema:
		note(narrower, b.keyword, ptr, "must now fit a schema")
	case a.schema:
		note(wider, a.keyword, ptr, "no longer have to fit a schema")
	}
}

// items compares what is said of arrays.
func (c *comparison) items(x, y *subschema, p place) {
	oldFirst, oldRest := x.itemParts()
	newFirst, newRest := y.itemParts()
	for i := range max(len(oldFirst), len(newFirst)) {
		a, b := oldRest, newRest
		if i < len(oldFirst) {
			a = oldFirst[i]
		}
		if i < len(newFirst) {
			b = newFirst[i]
		}
		c.compare(a, b, place{append(slices.Clip(p.at), strconv.Itoa(i)), fmt.Sprintf("%s[%d]", p.shown, i)})
	}
	c.compare(oldRest, newRest, p.item())
	if a, b := x.kw["uniqueItems"] == true, y.kw["uniqueItems"] == true; a != b {
		if b {
			c.tell(narrower, Added, "uniqueItems", y.ptr+"/uniqueItems", p, ": items must no longer repeat")
		} else {
			c.tell(wider, Removed, "uniqueItems", x.ptr+"/uniqueItems", p, ": items may now repeat")
		}
	}
	c.schemaOrNone(x, y, "contains", p, "one item at least")
	c.whole(x, y, "unevaluatedItems", p)
}

// itemParts returns the schemas of the first items, each of its own, and that of all others.
func (s *subschema) itemParts() (first []node, rest node) {
	all := node{true, s.ptr + "/items", s.side}
	list := func(keyword string) {
		l, _ := s.kw[keyword].([]any)
		for i := range l {
			first = append(first, s.child(keyword, strconv.Itoa(i)))
		}
	}
	list("prefixItems")
	if _, ok := s.kw["items"].([]any); ok { // up to 2019-09
		list("items")
		if _, ok := s.kw["additionalItems"]; ok {
			return first, s.child("additionalItems")
		}
		return first, all
	}
	if _, ok := s.kw["items"]; ok {
		return first, s.child("items")
	}
	return first, all
}

// schemaOrNone compares a keyword whose value is one schema.
func (c *comparison) schemaOrNone(x, y *subschema, keyword string, p place, what string) {
	_, was := x.kw[keyword]
	_, is := y.kw[keyword]
	switch {
	case was && is:
		at := p
		if keyword == "contains" {
			at = p.item()
		}
		c.compare(x.child(keyword), y.child(keyword), at)
	case is:
		c.tell(narrower, Added, keyword, y.ptr+"/"+keyword, p, ": "+what+" must now fit a schema")
	case was:
		c.tell(wider, Removed, keyword, x.ptr+"/"+keyword, p, ": "+what+" no longer have to fit a schema")
	}
}

// whole compares a keyword by its text: of a change nobody can tell what it means.
func (c *comparison) whole(x, y *subschema, keyword string, p place) {
	a, was := x.kw[keyword]
	b, is := y.kw[keyword]
	switch {
	case was == is && same(a, b):
	case !was:
		c.tell(narrower, Added, keyword, y.ptr+"/"+keyword, p, ": a condition was added ("+keyword+")")
	case !is:
		c.tell(wider, Removed, keyword, x.ptr+"/"+keyword, p, ": a condition was removed ("+keyword+")")
	default:
		s := c.undecided(y.ptr+"/"+keyword, Changed, p, "a condition changed ("+keyword+")")
		s.Keyword = keyword
	}
}

// conditions compares not, if and what else is a schema of its own beside the others.
func (c *comparison) conditions(x, y *subschema, p place) {
	_, was := x.kw["not"]
	_, is := y.kw["not"]
	switch {
	case was && is:
		c.flip = !c.flip
		c.compare(x.child("not"), y.child("not"), p)
		c.flip = !c.flip
	default:
		c.whole(x, y, "not", p)
	}
	conditional := func(s *subschema) *subschema {
		out := &subschema{node: s.node, kw: map[string]any{}}
		if _, ok := s.kw["if"]; ok {
			all := map[string]any{}
			for _, k := range []string{"if", "then", "else"} {
				if v, ok := s.kw[k]; ok {
					all[k] = v
				}
			}
			out.kw["if"] = all
		}
		return out
	}
	c.whole(conditional(x), conditional(y), "if", p)
	for _, k := range []string{"$dynamicRef", "$recursiveRef"} {
		c.whole(x, y, k, p)
	}
	c.conjuncts(x, y, p)
}

// conjuncts compares what could not be merged, and references that nobody may follow.
func (c *comparison) conjuncts(x, y *subschema, p place) {
	var a, b []string
	for _, n := range x.rest {
		a = append(a, text(n.v))
	}
	for _, n := range y.rest {
		b = append(b, text(n.v))
	}
	for _, r := range x.opaque {
		a = append(a, "$ref "+r)
	}
	for _, r := range y.opaque {
		b = append(b, "$ref "+r)
	}
	if v, ok := x.kw["\x00odd"]; ok {
		a = append(a, "odd "+text(v))
	}
	if v, ok := y.kw["\x00odd"]; ok {
		b = append(b, "odd "+text(v))
	}
	slices.Sort(a)
	slices.Sort(b)
	gone, come := minus(a, b), minus(b, a)
	switch {
	case len(gone) == 0 && len(come) == 0:
	case len(gone) == 0:
		c.tell(narrower, Added, "allOf", y.ptr, p, ": a further schema must now fit")
	case len(come) == 0:
		c.tell(wider, Removed, "allOf", x.ptr, p, ": one schema less has to fit")
	default:
		s := c.undecided(y.ptr, Changed, p, "parts that cannot be compared one by one changed")
		s.Keyword = "allOf"
	}
}

// minus returns what is in a and not in b; both are sorted.
func minus(a, b []string) []string {
	var out []string
	for i, j := 0, 0; i < len(a); i++ {
		for j < len(b) && b[j] < a[i] {
			j++
		}
		if j < len(b) && b[j] == a[i] {
			j++
			continue
		}
		out = append(out, a[i])
	}
	return out
}
