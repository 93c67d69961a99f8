package compare

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// maxNamed bounds how many values words list.
const maxNamed = 6

func named(values []string) string {
	if len(values) > maxNamed {
		return strings.Join(values[:maxNamed], ", ") + fmt.Sprintf(" and %d more", len(values)-maxNamed)
	}
	return strings.Join(values, ", ")
}

// shown is a value as words quote it.
func shown(v any) string { return cut(text(v), 60) }

func cut(s string, most int) string {
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "…"
}

// values compares enum and const.
func (c *comparison) values(x, y *subschema, p place) {
	a, b := x.listed(), y.listed()
	keyword := "enum"
	if y.kw["const"] != nil || b == nil && x.kw["const"] != nil {
		keyword = "const"
	}
	switch {
	case a == nil && b == nil:
		return
	case a == nil:
		c.tell(narrower, Added, keyword, y.ptr+"/"+keyword, p, " must now be "+oneOf(b))
		return
	case b == nil:
		c.tell(wider, Removed, keyword, x.ptr+"/"+keyword, p, " no longer has to be "+oneOf(a))
		return
	}
	if gone := without(a, b); len(gone) > 0 {
		c.tell(narrower, Removed, keyword, y.ptr+"/"+keyword, p, ": "+valuesOf(gone)+" no longer allowed")
	}
	if come := without(b, a); len(come) > 0 {
		c.tell(wider, Added, keyword, y.ptr+"/"+keyword, p, ": "+valuesOf(come)+" now allowed, too")
	}
}

func without(a, b []any) []string {
	have := make(map[string]bool, len(b))
	for _, v := range b {
		have[text(v)] = true
	}
	var out []string
	for _, v := range a {
		if t := text(v); !have[t] {
			have[t] = true
			out = append(out, cut(t, 60))
		}
	}
	return out
}

func oneOf(list []any) string {
	if len(list) == 1 {
		return shown(list[0])
	}
	var out []string
	for _, v := range list {
		out = append(out, shown(v))
	}
	return "one of " + named(out)
}

func valuesOf(list []string) string {
	if len(list) == 1 {
		return "value " + list[0] + " is"
	}
	return "values " + named(list) + " are"
}

// limit is a lower or upper bound of numbers.
type limit struct {
	v     float64
	text  string
	open  bool // the value itself does not count
	there bool
}

func (l limit) String() string {
	if l.open {
		return l.text + " (exclusive)"
	}
	return l.text
}

// limitOf reads a bound, draft-04's boolean exclusive included. sign is -1 for upper bounds.
func (s *subschema) limitOf(plain, exclusive string, sign float64) limit {
	var l limit
	take := func(v any, open bool) {
		n, ok := v.(json.Number)
		if !ok {
			return
		}
		f, err := strconv.ParseFloat(n.String(), 64)
		if err != nil {
			return
		}
		if !l.there || sign*f > sign*l.v || f == l.v && open {
			l = limit{f, canonicalNumber(n.String()), open, true}
		}
	}
	take(s.kw[plain], s.kw[exclusive] == true)
	take(s.kw[exclusive], true)
	return l
}

// bounds compares minimum, maximum and multipleOf.
func (c *comparison) bounds(x, y *subschema, p place) {
	for _, b := range []struct {
		plain, exclusive string
		sign             float64
		up, down         move
	}{{"minimum", "exclusiveMinimum", 1, narrower, wider}, {"maximum", "exclusiveMaximum", -1, wider, narrower}} {
		old, new := x.limitOf(b.plain, b.exclusive, b.sign), y.limitOf(b.plain, b.exclusive, b.sign)
		keyword := b.plain
		if new.open || !new.there && old.open {
			keyword = b.exclusive
		}
		ptr := y.ptr + "/" + keyword
		switch {
		case !old.there && !new.there || old.there && new.there && old.v == new.v && old.open == new.open:
		case !old.there:
			c.tell(narrower, Added, keyword, ptr, p, fmt.Sprintf(": %s %s added", b.plain, new))
		case !new.there:
			c.tell(wider, Removed, keyword, x.ptr+"/"+keyword, p, fmt.Sprintf(": %s %s removed", b.plain, old))
		case old.v == new.v:
			m := wider
			if new.open {
				m = narrower
			}
			c.tell(m, Changed, keyword, ptr, p, fmt.Sprintf(": %s changed from %s to %s", b.plain, old, new))
		case new.v > old.v:
			c.tell(b.up, Changed, keyword, ptr, p, fmt.Sprintf(": %s raised from %s to %s", b.plain, old, new))
		default:
			c.tell(b.down, Changed, keyword, ptr, p, fmt.Sprintf(": %s lowered from %s to %s", b.plain, old, new))
		}
	}
	c.multiples(x, y, p)
}

func (c *comparison) multiples(x, y *subschema, p place) {
	old, isOld := x.kw["multipleOf"].(json.Number)
	new, isNew := y.kw["multipleOf"].(json.Number)
	ptr := y.ptr + "/multipleOf"
	switch {
	case !isOld && !isNew || canonicalNumber(string(old)) == canonicalNumber(string(new)):
	case !isOld:
		c.tell(narrower, Added, "multipleOf", ptr, p, " must now be a multiple of "+string(new))
	case !isNew:
		c.tell(wider, Removed, "multipleOf", x.ptr+"/multipleOf", p, " no longer has to be a multiple of "+string(old))
	default:
		c.tell(multipleMove(old, new), Changed, "multipleOf", ptr, p, fmt.Sprintf(": multipleOf changed from %s to %s", old, new))
	}
}

// multipleMove tells how multiples of one number are to those of another; only whole ones are certain.
func multipleMove(old, new json.Number) move {
	a, errA := strconv.ParseInt(old.String(), 10, 64)
	b, errB := strconv.ParseInt(new.String(), 10, 64)
	switch {
	case errA != nil || errB != nil || a <= 0 || b <= 0:
		return sideways
	case b%a == 0:
		return narrower
	case a%b == 0:
		return wider
	}
	return sideways
}

// counted are the keywords that bound a number of something.
var counted = []count{
	{"minLength", textual, "characters", true}, {"maxLength", textual, "characters", false},
	{"minItems", arrays, "items", true}, {"maxItems", arrays, "items", false},
	{"minProperties", objects, "members", true}, {"maxProperties", objects, "members", false},
	{"minContains", arrays, "items of the kind", true}, {"maxContains", arrays, "items of the kind", false},
}

type count struct {
	keyword string
	of      kinds
	what    string
	least   bool
}

func (c count) noun(n int64) string {
	if n == 1 {
		return strings.Replace(c.what, "s", "", 1)
	}
	return c.what
}

// sizes compares the bounds on lengths and counts.
func (c *comparison) sizes(x, y *subschema, p place, k kinds) {
	for _, s := range counted {
		if !k.has(s.of) {
			continue
		}
		old, isOld := countOf(x.kw[s.keyword])
		new, isNew := countOf(y.kw[s.keyword])
		if s.least && s.keyword != "minContains" { // a minimum of 0 is none
			isOld, isNew = isOld && old > 0, isNew && new > 0
		}
		up, down, bound := narrower, wider, "at least"
		if !s.least {
			up, down, bound = wider, narrower, "at most"
		}
		ptr := y.ptr + "/" + s.keyword
		switch {
		case !isOld && !isNew || isOld && isNew && old == new:
		case !isOld:
			c.tell(narrower, Added, s.keyword, ptr, p, fmt.Sprintf(" must now have %s %d %s", bound, new, s.noun(new)))
		case !isNew:
			c.tell(wider, Removed, s.keyword, x.ptr+"/"+s.keyword, p, fmt.Sprintf(" no longer has to have %s %d %s", bound, old, s.noun(old)))
		case new > old:
			c.tell(up, Changed, s.keyword, ptr, p, fmt.Sprintf(": %s raised from %d to %d", s.keyword, old, new))
		default:
			c.tell(down, Changed, s.keyword, ptr, p, fmt.Sprintf(": %s lowered from %d to %d", s.keyword, old, new))
		}
	}
}

func countOf(v any) (int64, bool) {
	n, ok := v.(json.Number)
	if !ok {
		return 0, false
	}
	f, err := strconv.ParseFloat(n.String(), 64)
	if err != nil || f < 0 || f > 1<<53 || f != float64(int64(f)) {
		return 0, false
	}
	return int64(f), true
}

// checkedFormats are those that validators know; other names of formats tell people something.
var checkedFormats = []string{"date-time", "date", "time", "duration", "email", "idn-email", "hostname", "idn-hostname", "ipv4", "ipv6",
	"uri", "uri-reference", "iri", "iri-reference", "uuid", "uri-template", "json-pointer", "relative-json-pointer", "regex"}

// format compares the format, which validators know of strings only.
func (c *comparison) format(x, y *subschema, p place, checked bool) {
	old, _ := x.kw["format"].(string)
	new, _ := y.kw["format"].(string)
	if old == new {
		return
	}
	knows := func(f string) bool { return slices.Contains(checkedFormats, f) }
	m, k, words := sideways, Changed, fmt.Sprintf(": format changed from %s to %s", old, new)
	switch {
	case old == "":
		m, k, words = narrower, Added, ": format "+new+" added"
	case new == "":
		m, k, words = wider, Removed, ": format "+old+" removed"
	}
	switch {
	case !checked || !knows(old) && !knows(new):
		m = still
	case !knows(old):
		m = narrower
	case !knows(new):
		m = wider
	}
	c.tell(m, k, "format", y.ptr+"/format", p, cut(words, 120))
}

// texts compares what is demanded of strings.
func (c *comparison) texts(x, y *subschema, p place) {
	for _, keyword := range []string{"pattern", "contentEncoding", "contentMediaType"} {
		old, _ := x.kw[keyword].(string)
		new, _ := y.kw[keyword].(string)
		ptr := y.ptr + "/" + keyword
		switch {
		case old == new:
		case old == "":
			c.tell(narrower, Added, keyword, ptr, p, fmt.Sprintf(": %s %s added", keyword, cut(strconv.Quote(new), 80)))
		case new == "":
			c.tell(wider, Removed, keyword, x.ptr+"/"+keyword, p, fmt.Sprintf(": %s %s removed", keyword, cut(strconv.Quote(old), 80)))
		default:
			s := c.undecided(ptr, Changed, p, fmt.Sprintf("%s changed from %s to %s", keyword, cut(strconv.Quote(old), 80), cut(strconv.Quote(new), 80)))
			s.Keyword = keyword
		}
	}
}

// annotations compares what is said to people and models.
func (c *comparison) annotations(x, y *subschema, p place) {
	for _, keyword := range []string{"description", "title", "examples", "deprecated", "default"} {
		old, isOld := x.kw[keyword]
		new, isNew := y.kw[keyword]
		if isOld == isNew && same(old, new) {
			continue
		}
		k, words := Changed, ": "+keyword+" changed"
		switch {
		case !isOld:
			k, words = Added, ": "+keyword+" added"
		case !isNew:
			k, words = Removed, ": "+keyword+" removed"
		}
		c.annotation(keyword, k, y.ptr+"/"+keyword, p, words, old, new)
	}
	c.unknown(x, y, p)
}

func (c *comparison) annotation(keyword string, k Kind, ptr string, p place, words string, old, new any) {
	if keyword == "default" && c.direction == Input {
		switch k {
		case Added:
			words = ": default is now " + shown(new)
		case Removed:
			words = ": default " + shown(old) + " removed"
		default:
			words = fmt.Sprintf(": default changed from %s to %s", shown(old), shown(new))
		}
	}
	if keyword == "deprecated" && new == true {
		words = " is now deprecated"
	}
	s := c.tell(still, k, keyword, ptr, p, words)
	switch {
	case keyword == "default" && c.direction == Input:
		s.Grade, s.Why = Compatible, "calls stay valid; those that leave it out may get another result"
	case keyword == "description" && c.direction == Input:
		s.Why = "no call is judged differently, but the model reads it and may call differently"
	}
}

// judged are the keywords that have a place of their own in the comparison.
var judged = []string{"type", "enum", "const", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf",
	"minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties", "minContains", "maxContains",
	"pattern", "format", "contentEncoding", "contentMediaType", "uniqueItems", "required", "properties", "patternProperties",
	"additionalProperties", "unevaluatedProperties", "propertyNames", "items", "prefixItems", "additionalItems", "unevaluatedItems",
	"contains", "not", "if", "then", "else", "dependentRequired", "dependentSchemas", "dependencies", "anyOf", "oneOf", "allOf",
	"$ref", "$dynamicRef", "$recursiveRef", "$defs", "definitions", "$schema", "$id", "id", "$anchor"}

// unknown compares members that no dialect defines, and those that only name things, by their text.
func (c *comparison) unknown(x, y *subschema, p place) {
	var changed []string
	for _, pair := range [][2]*subschema{{x, y}, {y, x}} {
		for k, v := range pair[0].kw {
			if slices.Contains(judged, k) || slices.Contains([]string{"description", "title", "examples", "deprecated", "default", "\x00odd"}, k) || slices.Contains(changed, k) {
				continue
			}
			if w, ok := pair[1].kw[k]; !ok || !same(v, w) {
				changed = append(changed, k)
			}
		}
	}
	slices.Sort(changed)
	for _, k := range changed {
		c.tell(still, Changed, k, y.ptr+"/"+escaped(k), p, ": "+cut(k, 60)+" changed")
	}
}
