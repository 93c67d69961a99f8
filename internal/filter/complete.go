package filter

import (
	"slices"
	"sort"
	"strings"
)

// wanted is what may stand at a place of an expression.
type wanted uint8

const (
	wantNothing wanted = iota
	wantTest
	wantOperator
	wantValue
)

// expected is what may stand at the end of the source, in the place of what stands there from at on.
type expected struct {
	what wanted
	at   int
	of   subject
}

func (p *parser) expect(at int, what wanted, of subject) { p.want = expected{what, at, of} }

func (p *parser) expectAtEnd(at int, what wanted, of subject) {
	if p.end() {
		p.expect(at, what, of)
	}
}

// Value is a value that was seen in a recording.
type Value struct {
	Text  string // as [Row.Text] has it
	Count int
}

// Proposal is a way to go on with an expression.
type Proposal struct {
	Text  string // what takes the place of Source[from:cursor]
	About string // what it is, "" for values
	Count int    // how often a value was seen
}

// Complete returns what can stand in src before cursor (in bytes), best first: it takes the place of
// src[from:cursor]. Values come from seen, which is asked by the name of a field, and for the keys
// inside a payload by a path that ends in a dot, such as "params.arguments."; it may be nil.
func Complete(src string, cursor int, seen func(name string) []Value) (from int, proposals []Proposal) {
	cursor = max(0, min(cursor, len(src)))
	p := &parser{src: src[:cursor]}
	// Its error says that the source is not complete, which is why we are here.
	_, _ = p.parse()
	if seen == nil {
		seen = func(string) []Value { return nil }
	}
	typed := p.src[min(p.want.at, cursor):]
	switch p.want.what {
	case wantTest:
		proposals = tests(typed, seen)
	case wantOperator:
		proposals = operators(p.want.of)
	case wantValue:
		proposals = values(p.want.of, typed, seen)
	default:
		return cursor, nil
	}
	return p.want.at, proposals
}

// tests are the fields, and the words that begin a test.
func tests(typed string, seen func(string) []Value) []Proposal {
	minus := ""
	if rest, ok := strings.CutPrefix(typed, "-"); ok {
		minus, typed = "-", rest
	}
	if dot := strings.LastIndexByte(typed, '.'); isPath(typed) && dot >= 0 {
		return keys(minus, typed[:dot+1], typed[dot+1:], seen)
	}
	var out []Proposal
	for i := range infos {
		out = append(out, Proposal{Text: infos[i].Name, About: infos[i].About})
	}
	out = append(out,
		Proposal{Text: "is:", About: "a state, a kind or finding"},
		Proposal{Text: "pair(", About: "both halves of a request and its answer"},
		Proposal{Text: "not ", About: "the opposite"},
		Proposal{Text: "params.", About: "a value inside the params"},
		Proposal{Text: "result.", About: "a value inside the result"},
		Proposal{Text: "error.data", About: "what an error carries"})
	if minus != "" { // only shorthands go with it
		out = slices.DeleteFunc(out, func(p Proposal) bool { return strings.HasSuffix(p.Text, "(") || strings.HasSuffix(p.Text, " ") })
		for i := range out {
			out[i].Text = minus + strings.TrimSuffix(out[i].Text, ":") + ":"
		}
	}
	return closest(out, minus+typed, false)
}

// keys are the keys inside of what a path leads to.
func keys(minus, dir, typed string, seen func(string) []Value) []Proposal {
	var out []Proposal
	for _, v := range seen(dir) {
		out = append(out, Proposal{Text: v.Text, Count: v.Count})
	}
	out = closest(out, typed, false)
	for i, p := range out {
		out[i].Text = minus + dir + p.Text
		if !plainKey(p.Text) {
			out[i].Text = minus + strings.TrimSuffix(dir, ".") + "[" + quote(p.Text) + "]"
		}
	}
	return out
}

// operators are those that go with a subject.
func operators(s subject) []Proposal {
	all := []Proposal{
		{Text: "== ", About: "is"}, {Text: "!= ", About: "is not"}, {Text: "in {", About: "is one of"},
		{Text: "contains ", About: "holds this text"}, {Text: "matches /", About: "matches a regular expression"},
		{Text: "> ", About: "is more than"}, {Text: ">= ", About: "is at least"}, {Text: "< ", About: "is less than"}, {Text: "<= ", About: "is at most"},
	}
	if s.info == nil {
		return all
	}
	switch s.info.class {
	case levels:
		return append(all[:3:3], all[5:]...)
	case count, bytesize, span, millis, clock, ref:
		return append(all[5:len(all):len(all)], all[:3]...)
	}
	if s.info.sorted {
		return all
	}
	return all[:5]
}

// values are those of a subject: what was seen, then what else there can be.
func values(s subject, typed string, seen func(string) []Value) []Proposal {
	var found []Value
	var known []string
	if s.name == "is" {
		found = append(found, seen(State.String())...)
		for _, v := range seen(Kind.String()) {
			if i := slices.IndexFunc(found, func(f Value) bool { return f.Text == v.Text }); i >= 0 {
				found[i].Count += v.Count
			} else {
				found = append(found, v)
			}
		}
		known = isValues()
	} else {
		found = append(found, seen(s.name)...)
		if s.info != nil {
			known = s.info.Values
			if s.info.class == flag {
				known = []string{"true", "false"}
			}
		}
	}
	sort.SliceStable(found, func(i, j int) bool { return found[i].Count > found[j].Count })
	for _, k := range known {
		if !slices.ContainsFunc(found, func(v Value) bool { return v.Text == k }) {
			found = append(found, Value{Text: k})
		}
	}
	raw := s.info != nil && (s.info.class == identity || s.info.class == flag)
	quoted := strings.HasPrefix(typed, `"`)
	var out []Proposal
	for _, v := range found {
		text := v.Text
		if !raw && (quoted || !safeWord(text)) {
			text = quote(text)
		}
		out = append(out, Proposal{Text: text, Count: v.Count})
	}
	return closest(out, typed, true)
}

// safeWord reports whether text can stand as a value without quotes and means itself.
func safeWord(s string) bool {
	p := &parser{src: s}
	for !p.stops() {
		p.pos++
	}
	return p.end() && plain(s) && !strings.ContainsAny(s[:1], `"'/`) && !strings.ContainsAny(s, "*<>=~") && !strings.Contains(s, "..") &&
		s != "null" && s != "true" && s != "false" && !jsonNumber(s)
}

// closest keeps the proposals that go on with what was typed, then those that hold it elsewhere.
// Those of one kind stay in their order; so that the field one is about stays in sight, an exact match
// comes first.
func closest(all []Proposal, typed string, exact bool) []Proposal {
	bare := strings.Trim(strings.ToLower(typed), `"`)
	var first, begin, hold []Proposal
	for _, p := range all {
		text := strings.ToLower(p.Text)
		switch {
		case text == bare && !exact:
			first = append(first, p)
		case strings.HasPrefix(strings.TrimPrefix(text, `"`), bare):
			begin = append(begin, p)
		case strings.Contains(text, bare):
			hold = append(hold, p)
		}
	}
	return append(append(first, begin...), hold...)
}
