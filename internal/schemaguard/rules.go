package schemaguard

import "unicode/utf8"

// object applies what is about members. Problems come in the order of the members, or of their names
// in the schema.
func (c *check) object(r *objectRules, v *value, own *marks) bool {
	n := len(v.sub.names)
	ok := true
	if n < r.least {
		ok = c.fail(fault{keyword: "minProperties", value: v, a: r.least, b: n})
	}
	if r.most >= 0 && n > r.most {
		ok = c.fail(fault{keyword: "maxProperties", value: v, a: r.most, b: n})
	}
	ok = c.required(fault{keyword: "required", value: v}, r.required, v) && ok
	for _, d := range r.dependents {
		if !ok && c.quiet {
			return false
		}
		c.spend(1)
		if v.sub.find(d.name) < 0 {
			continue
		}
		if d.schema != nil {
			ok = c.visit(d.schema, v, own) && ok
		} else {
			ok = c.required(fault{keyword: d.keyword, value: v, because: d.name}, d.required, v) && ok
		}
	}
	if r.patterns == nil && r.additional == nil && !r.closed && len(r.order) < n {
		for _, name := range r.order {
			if !ok && c.quiet {
				return false
			}
			c.spend(1)
			if i := v.sub.find(name); i >= 0 {
				own.mark(i)
				ok = c.below(r.properties[name], &v.sub.values[i], named(name)) && ok
			}
		}
	} else {
		for i, name := range v.sub.names {
			if !ok && c.quiet {
				return false
			}
			c.spend(1)
			ok = c.member(r, name, &v.sub.values[i], i, own) && ok
		}
	}
	if r.names != nil {
		for _, name := range v.sub.names {
			if !ok && c.quiet {
				return false
			}
			ok = c.name(r.names, name) && ok
		}
	}
	return ok
}

// member applies what the schema has for a name.
func (c *check) member(r *objectRules, name string, v *value, i int, own *marks) bool {
	ok, known := true, false
	if sub := r.properties[name]; sub != nil {
		known = true
		ok = c.below(sub, v, named(name))
	}
	for _, p := range r.patterns {
		if c.matches(p.pattern, name) {
			known = true
			ok = c.below(p.schema, v, named(name)) && ok
		}
	}
	switch {
	case known:
	case r.closed:
		c.path = append(c.path, named(name))
		ok = c.fail(fault{keyword: "additionalProperties", value: v})
		c.path = c.path[:len(c.path)-1]
	case r.additional != nil:
		ok = c.below(r.additional, v, named(name))
	default:
		return ok
	}
	own.mark(i)
	return ok
}

// name applies propertyNames to one name, and says of the member what is wrong with its name.
func (c *check) name(n *node, name string) bool {
	start := len(c.faults)
	if c.visit(n, &value{kind: stringKind, text: name}, nil) {
		return true
	}
	for i := range c.faults[start:] {
		f := &c.faults[start+i]
		f.path, f.keyword, f.prefix = append(f.path, name), "propertyNames", "name "
	}
	return false
}

// required makes a fault of each missing member.
func (c *check) required(f fault, names []string, v *value) bool {
	c.spend(len(names))
	ok := true
	for _, name := range names {
		if v.sub.find(name) < 0 {
			if c.quiet {
				return false
			}
			f.name = name
			ok = c.fail(f)
		}
	}
	return ok
}

func (c *check) array(r *arrayRules, v *value, own *marks) bool {
	items := v.sub.values
	n := len(items)
	ok := true
	if n < r.least {
		ok = c.fail(fault{keyword: "minItems", value: v, a: r.least, b: n})
	}
	if r.most >= 0 && n > r.most {
		ok = c.fail(fault{keyword: "maxItems", value: v, a: r.most, b: n})
	}
	if r.unique && n > 1 && (ok || !c.quiet) {
		if i, j, found := c.repeated(items); found {
			ok = c.fail(fault{keyword: "uniqueItems", value: v, a: i, b: j})
		}
	}
	if r.closed && n > len(r.prefix) {
		ok = c.fail(fault{keyword: "additionalItems", value: v, a: n - len(r.prefix)})
	}
	for i := range items {
		if !ok && c.quiet {
			return false
		}
		switch {
		case i < len(r.prefix):
			ok = c.below(r.prefix[i], &items[i], token{index: i}) && ok
		case r.rest != nil:
			ok = c.below(r.rest, &items[i], token{index: i}) && ok
		default:
			own.markFirst(i)
			return c.contains(r, v, own) && ok
		}
	}
	own.markFirst(n)
	return c.contains(r, v, own) && ok
}

func (c *check) contains(r *arrayRules, v *value, own *marks) bool {
	if r.contains == nil {
		return true
	}
	found := 0
	for i := range v.sub.values {
		if c.silently(r.contains, &v.sub.values[i], nil) {
			found++
			if r.containing {
				own.mark(i)
			}
		}
	}
	ok := true
	switch {
	case r.minContains < 0 && found == 0:
		ok = c.fail(fault{keyword: "contains", value: v})
	case found < r.minContains:
		ok = c.fail(fault{keyword: "minContains", value: v, a: r.minContains, b: found})
	}
	if r.maxContains >= 0 && found > r.maxContains {
		ok = c.fail(fault{keyword: "maxContains", value: v, a: r.maxContains, b: found})
	}
	return ok
}

func (c *check) string(r *stringRules, v *value) bool {
	ok := true
	text := v.content()
	if r.least > 0 || r.most >= 0 {
		c.spend(len(text) / 1024)
		n := utf8.RuneCountInString(text)
		if n < r.least {
			ok = c.fail(fault{keyword: "minLength", value: v, a: r.least, b: n})
		}
		if r.most >= 0 && n > r.most {
			ok = c.fail(fault{keyword: "maxLength", value: v, a: r.most, b: n})
		}
	}
	if r.pattern != nil && !c.matches(r.pattern, text) {
		ok = c.fail(fault{keyword: "pattern", value: v, text: r.pattern.source})
	}
	return ok
}

// matches counts what RE2 may take at worst: every instruction for every character.
func (c *check) matches(p *pattern, text string) bool {
	c.spend(int(p.size) * (len(text)/16 + 1))
	return p.program.MatchString(text)
}

func (c *check) number(r *numberRules, v *value) bool {
	c.spend(1 + len(v.text)/16)
	d := parseDecimal(v.text)
	ok := true
	if r.minimum != nil && d.compare(r.minimum.decimal) < 0 {
		ok = c.fail(fault{keyword: "minimum", value: v, text: r.minimum.text})
	}
	if r.maximum != nil && d.compare(r.maximum.decimal) > 0 {
		ok = c.fail(fault{keyword: "maximum", value: v, text: r.maximum.text})
	}
	if r.above != nil && d.compare(r.above.decimal) <= 0 {
		ok = c.fail(fault{keyword: "exclusiveMinimum", value: v, text: r.above.text})
	}
	if r.below != nil && d.compare(r.below.decimal) >= 0 {
		ok = c.fail(fault{keyword: "exclusiveMaximum", value: v, text: r.below.text})
	}
	if r.multipleOf != nil && !d.multipleOf(r.multipleOf.decimal) {
		ok = c.fail(fault{keyword: "multipleOf", value: v, text: r.multipleOf.text})
	}
	return ok
}
