package filter

import (
	"math"
	"slices"
	"strings"

	"github.com/shakescope/shakescope/annotate"
)

// build makes the test of a subject, an operator and values; in and not in have several.
func (p *parser) build(s subject, op operator, vals []literal) (node, *SyntaxError) {
	if s.path != nil {
		return p.pathTest(s, op, vals)
	}
	f := s.info
	if len(vals) == 1 && !vals[0].quoted && !vals[0].pattern && vals[0].text == "null" && (op == eq || op == ne) && f.class != identity && f.class != payload {
		// The contract writes null, or leaves the member out, where it does not apply.
		there, err := p.build(s, exists, nil)
		if err != nil || op == ne {
			return there, err
		}
		return negated(there), nil
	}
	switch f.class {
	case words, choices:
		return p.wordTest(s, op, vals, textGetter(f.Field))
	case identity:
		return p.identityTest(s, op, vals)
	case several, levels:
		return p.severalTest(s, op, vals)
	case count, bytesize, span, millis:
		return p.numberTest(s, op, vals)
	case clock:
		return p.timeTest(s, op, vals)
	case flag:
		return p.flagTest(s, op, vals)
	case ref:
		return p.refTest(s, op, vals)
	case group:
		return p.groupTest(s, op, vals)
	}
	return p.payloadTest(s, op, vals)
}

// textGetter returns where the value of a text field comes from.
func textGetter(f Field) func(Row) string {
	of := func(group string) func(Row) string {
		return func(r Row) string {
			if r.Text(Group) != group {
				return ""
			}
			return r.Text(Target)
		}
	}
	switch f {
	case Tool:
		return of("tools")
	case Prompt:
		return of("prompts")
	case Resource:
		return of("resources")
	}
	return func(r Row) string { return r.Text(f) }
}

// text is the comparison of a text with values.
type text struct {
	is    func(string) bool
	not   bool     // the comparison is true when none is
	form  string   // normal form of operator and values, with a space before
	plain []string // the values to be equal to, nil when it is not as simple
	wide  bool     // whether values say more than one word
}

// text makes the comparison of a text with vals. It is not called for exists.
func (p *parser) text(s subject, op operator, vals []literal) (text, *SyntaxError) {
	var t text
	var closed []string
	if s.info != nil && s.info.class != words {
		closed = s.info.Values
	}
	first := vals[0]
	t.form = " " + op.String() + " " + quote(first.text)
	switch op {
	case contains:
		t.is, t.wide = finder(first.text), true
		return t, nil
	case matches:
		re, err := p.compile(first)
		if err != nil {
			return t, err
		}
		t.is, t.wide = re.MatchString, true
		t.form = " matches " + patternText(re.String())
		return t, nil
	case lt, le, gt, ge:
		if s.info != nil && !s.info.sorted {
			return t, p.fault(first.at, first.len, "%s has no order", s.name).hint("compare with ==, !=, contains, matches or in")
		}
		bound := first.text
		t.is = func(v string) bool { return ordered(op, strings.Compare(v, bound)) }
		return t, nil
	}
	t.not = op == ne || op == notIn
	var forms, wants []string
	var is []func(string) bool
	for _, v := range vals {
		f, want, form, err := p.equals(s, v, closed)
		if err != nil {
			return t, err
		}
		t.wide = t.wide || v.open() || strings.Contains(v.text, " ")
		is, forms, wants = append(is, f), append(forms, form), append(wants, want)
	}
	t.is = is[0]
	if !slices.Contains(wants, "") {
		t.plain = wants
		t.is = func(v string) bool { return slices.Contains(wants, v) }
	} else if len(is) > 1 {
		t.is = func(v string) bool { return slices.ContainsFunc(is, func(f func(string) bool) bool { return f(v) }) }
	}
	if op == in || op == notIn {
		t.form = " " + op.String() + " {" + strings.Join(forms, ", ") + "}"
	} else {
		t.form = " " + op.String() + " " + forms[0]
	}
	return t, nil
}

// equals makes the comparison with one value, out of closed if that is not nil. want is the value if it
// is to be equal as it is.
func (p *parser) equals(s subject, v literal, closed []string) (is func(string) bool, want, form string, err *SyntaxError) {
	want = v.text
	if closed != nil {
		want = strings.ToLower(want)
	}
	switch {
	case v.open():
		is = glob(want)
		if closed != nil && !slices.ContainsFunc(closed, is) {
			return nil, "", "", p.noValue(s, v)
		}
		return is, "", want, nil
	case closed == nil:
		form = quote(want)
	case slices.Contains(closed, want):
		form = want
	default:
		return nil, "", "", p.noValue(s, v)
	}
	return func(t string) bool { return t == want }, want, form, nil
}

// noValue says that a value is not one that s can have.
func (p *parser) noValue(s subject, v literal) *SyntaxError {
	values := s.info.Values
	err := p.fault(v.at, v.len, "%s is never `%s`", s.name, v.text).hint("it is one of " + strings.Join(values, ", "))
	lower := strings.ToLower(v.text)
	if to, ok := valueSynonyms[lower]; ok && slices.Contains(values, to) {
		return err.suggest(to)
	}
	return err.suggest(near(lower, values))
}

// ordered reports whether the outcome of a comparison is what an operator asks for.
func ordered(op operator, outcome int) bool {
	switch op {
	case lt:
		return outcome < 0
	case le:
		return outcome <= 0
	case gt:
		return outcome > 0
	}
	return outcome >= 0
}

func (p *parser) wordTest(s subject, op operator, vals []literal, get func(Row) string) (node, *SyntaxError) {
	f := s.info.Field
	derived := f == Tool || f == Prompt || f == Resource
	if op == exists {
		return &test{text: s.name, check: func(r Row) bool { return get(r) != "" }}, nil
	}
	t, err := p.text(s, op, vals)
	if err != nil {
		return nil, err
	}
	is, not := t.is, t.not
	if op == matches {
		is = remember(is) // there are few methods and tools in many entries
	}
	out := &test{text: s.name + t.form}
	switch {
	case len(t.plain) == 1 && !not && !derived:
		want := t.plain[0]
		out.check = func(r Row) bool { return r.Text(f) == want }
	case not:
		out.check = func(r Row) bool { v := get(r); return v != "" && !is(v) }
	default:
		out.check = func(r Row) bool { v := get(r); return v != "" && is(v) }
	}
	return out, nil
}

func (p *parser) flagTest(s subject, op operator, vals []literal) (node, *SyntaxError) {
	f := s.info.Field
	set := &test{text: s.name, check: func(r Row) bool { return r.Flag(f) }}
	switch op {
	case exists:
		return set, nil
	case eq, ne:
		want := op == eq
		switch strings.ToLower(vals[0].text) {
		case "true":
		case "false":
			want = !want
		default:
			return nil, p.fault(vals[0].at, vals[0].len, "%s is true or false", s.name)
		}
		if want {
			return set, nil
		}
		return not{set}, nil
	}
	return nil, p.fault(s.at, s.len, "%s is true or false", s.name).hint("write it alone, or compare with ==")
}

// refTest is about numbers of other entries: 8 is record 8 with all members of its batch, 8.2 one of them.
func (p *parser) refTest(s subject, op operator, vals []literal) (node, *SyntaxError) {
	f := s.info.Field
	some := func(r Row, is func(annotate.Ref) bool) bool {
		at := r.Ref(f)
		return !at.IsZero() && is(at)
	}
	if f == CapabilityAt {
		some = func(r Row, is func(annotate.Ref) bool) bool {
			return slices.ContainsFunc(r.Capabilities(), func(c annotate.Capability) bool {
				return c.At != 0 && is(annotate.Ref{Seq: c.At, Sub: annotate.NoSub})
			})
		}
	}
	present := func(annotate.Ref) bool { return true }
	if op == exists {
		return &test{text: s.name, check: func(r Row) bool { return some(r, present) }}, nil
	}
	if op == contains || op == matches {
		return nil, p.notText(s, op)
	}
	var spans []interval
	var forms []string
	for _, v := range vals {
		v.text = strings.TrimPrefix(v.text, "#")
		whole, memberText, isMember := strings.Cut(v.text, ".")
		if isMember && memberText != "" && memberText[0] != '.' {
			n, okN := number(whole)
			sub, okSub := number(memberText)
			if !okN || !okSub || sub > math.MaxInt32 || op >= lt && op <= ge {
				return nil, p.fault(v.at, v.len, "%s is the number of an entry, such as 8 or 8.2", s.name)
			}
			spans = append(spans, interval{lo: n, hi: n, sub: int32(sub), member: true})
			forms = append(forms, v.text)
			continue
		}
		one, form, err := p.interval(s, op, v)
		if err != nil {
			return nil, err
		}
		spans, forms = append(spans, one), append(forms, form)
	}
	is := func(at annotate.Ref) bool {
		for _, x := range spans {
			if at.Seq >= x.lo && at.Seq <= x.hi && (!x.member || at.Sub == x.sub) {
				return true
			}
		}
		return false
	}
	out := &test{text: s.name + formOf(op, forms), check: func(r Row) bool { return some(r, is) }}
	if op == ne || op == notIn {
		out.check = func(r Row) bool { return some(r, present) && !some(r, is) }
	}
	return out, nil
}

// groupTest is about error and event as a whole; their values are those of a member.
func (p *parser) groupTest(s subject, op operator, vals []literal) (node, *SyntaxError) {
	if op == exists {
		kind := s.name
		return &test{text: s.name, check: func(r Row) bool { return r.Text(Kind) == kind }}, nil
	}
	to := EventName
	if s.info.Field == Error {
		to = ErrorMessage
		if _, ok := number(strings.TrimPrefix(vals[0].text, "-")); ok && !vals[0].quoted && op != contains && op != matches {
			to = ErrorCode
		}
	}
	s.info = byField(to)
	s.name = s.info.Name
	return p.build(s, op, vals)
}

func (p *parser) notText(s subject, op operator) *SyntaxError {
	return p.fault(s.at, s.len, "%s is no text, so %s does not apply", s.name, op)
}

// payloadTest is about text that only the file has.
func (p *parser) payloadTest(s subject, op operator, vals []literal) (node, *SyntaxError) {
	line := s.info.Field == JSON
	out := &test{text: s.name, file: true}
	if op == exists {
		out.check = func(r Row) bool { return r.Summary() != "" }
		if line {
			out.check = func(r Row) bool { return len(r.Raw()) > 0 }
		}
		return out, nil
	}
	t, err := p.text(s, op, vals)
	if err != nil {
		return nil, err
	}
	out.text += t.form
	is, not := t.is, t.not
	out.check = func(r Row) bool { v := r.Summary(); return v != "" && is(v) != not }
	if line {
		is := inText(t.is)
		out.check = func(r Row) bool { v := r.Raw(); return len(v) > 0 && is(v) != not }
	}
	return out, nil
}

// search is what a bare word, a text in quotes or a pattern does: it looks where people look.
func (p *parser) search(l literal) (node, *SyntaxError) {
	if l.text == "" {
		return nil, p.fault(l.at, l.len, "there is nothing to search for")
	}
	var is func(string) bool
	out := &test{text: quote(l.text), file: true}
	if l.pattern {
		re, err := p.compile(l)
		if err != nil {
			return nil, err
		}
		is = re.MatchString
		// As it was written: there is no other form of a pattern alone.
		out.text = l.source(p)
	} else {
		is = finder(l.text)
		if bareWord(l.text) {
			out.text = l.text
		}
	}
	out.check = func(r Row) bool {
		return is(r.Text(Method)) || is(r.Text(Target)) || is(r.Text(ID)) || is(r.Summary())
	}
	return out, nil
}

// bareWord reports whether text is read as a search for itself without quotes.
func bareWord(s string) bool {
	switch strings.ToLower(s) {
	case "or", "and", "not", "in", "eq", "ne", "lt", "le", "gt", "ge", "contains", "matches", "pair":
		return false
	}
	for _, c := range []byte(s) {
		letter := 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '_'
		if !letter {
			return false
		}
	}
	return s != "" && byName(s) == nil && !isPath(s)
}

// is makes the test of is:X, which is about states, kinds and findings.
func (p *parser) is(l literal) (node, *SyntaxError) {
	word := strings.ToLower(l.text)
	state, kind := slices.Contains(stateValues, word), slices.Contains(kindValues, word)
	out := &test{text: "is:" + word}
	switch {
	case l.len == 0:
		return nil, p.fault(p.pos, 0, "expected a state, a kind or finding")
	case word == "finding":
		out.check = func(r Row) bool { return r.Findings() > 0 }
	case state && kind:
		out.check = func(r Row) bool { return r.Text(State) == word || r.Text(Kind) == word }
	case state:
		out.check = func(r Row) bool { return r.Text(State) == word }
	case kind:
		out.check = func(r Row) bool { return r.Text(Kind) == word }
	default:
		all := isValues()
		err := p.fault(l.at, l.len, "nothing is `%s`", l.text).hint("is: takes a state, a kind or finding")
		if to, ok := valueSynonyms[word]; ok && slices.Contains(all, to) {
			return nil, err.suggest(to)
		}
		return nil, err.suggest(near(word, all))
	}
	return out, nil
}

// isValues are the words that is: takes.
func isValues() []string {
	out := append(slices.Clone(stateValues), "finding")
	for _, k := range kindValues {
		if !slices.Contains(out, k) {
			out = append(out, k)
		}
	}
	return out
}
