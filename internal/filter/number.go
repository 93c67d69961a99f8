package filter

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/shakescope/shakescope/jsonrpc"
)

// interval is what a number must be in, bounds included.
type interval struct {
	lo, hi int64
	sub    int32 // of a reference to a member of a batch
	member bool
}

// number reads a whole number without a sign.
func number(s string) (int64, bool) {
	if s == "" || s[0] < '0' || s[0] > '9' {
		return 0, false
	}
	n, err := strconv.ParseInt(s, 10, 64)
	return n, err == nil
}

// formOf writes operator and values.
func formOf(op operator, forms []string) string {
	if len(forms) > 1 || (op == in || op == notIn) && !strings.Contains(forms[0], "..") {
		return " " + op.String() + " {" + strings.Join(forms, ", ") + "}"
	}
	return " " + op.String() + " " + forms[0]
}

func (p *parser) numberTest(s subject, op operator, vals []literal) (node, *SyntaxError) {
	f := s.info.Field
	if f == LatencyMS {
		f = Latency
	}
	switch op {
	case exists:
		return &test{text: s.name, check: func(r Row) bool { _, ok := r.Number(f); return ok }}, nil
	case contains, matches:
		return nil, p.notText(s, op)
	}
	var spans []interval
	var forms []string
	for _, v := range vals {
		one, form, err := p.interval(s, op, v)
		if err != nil {
			return nil, err
		}
		spans, forms = append(spans, one), append(forms, form)
	}
	out := &test{text: s.name + formOf(op, forms)}
	inverse := op == ne || op == notIn
	if len(spans) == 1 {
		lo, hi := spans[0].lo, spans[0].hi
		out.check = func(r Row) bool {
			v, ok := r.Number(f)
			return ok && (v >= lo && v <= hi) != inverse
		}
		return out, nil
	}
	out.check = func(r Row) bool {
		v, ok := r.Number(f)
		return ok && within(v, spans) != inverse
	}
	return out, nil
}

func within(v int64, spans []interval) bool {
	for _, x := range spans {
		if v >= x.lo && v <= x.hi {
			return true
		}
	}
	return false
}

// interval makes what an operator and a value allow, and the value's normal form.
func (p *parser) interval(s subject, op operator, v literal) (interval, string, *SyntaxError) {
	all := interval{lo: math.MinInt64, hi: math.MaxInt64}
	from, to, isRange := strings.Cut(v.text, "..")
	if !isRange || v.quoted {
		n, form, err := p.quantity(s, v)
		if err != nil {
			return all, "", err
		}
		return bounded(op, n), form, nil
	}
	if op >= lt && op <= ge {
		return all, "", p.fault(v.at, v.len, "a range goes with == or in, not with %s", op)
	}
	if from == "" && to == "" {
		return all, "", p.fault(v.at, v.len, "the range has no end")
	}
	form := [2]string{}
	for i, half := range []string{from, to} {
		if half == "" {
			continue
		}
		at := v.at
		if i == 1 {
			at += v.len - len(half)
		}
		n, text, err := p.quantity(s, literal{text: half, at: at, len: len(half)})
		if err != nil {
			return all, "", err
		}
		if form[i] = text; i == 0 {
			all.lo = n
		} else {
			all.hi = n
		}
	}
	if all.lo > all.hi {
		return all, "", p.fault(v.at, v.len, "nothing is in this range").suggest(to + ".." + from)
	}
	return all, form[0] + ".." + form[1], nil
}

// bounded is the interval of the numbers that compare so with n.
func bounded(op operator, n int64) interval {
	empty := interval{lo: 1, hi: 0}
	switch op {
	case lt:
		if n == math.MinInt64 {
			return empty
		}
		return interval{lo: math.MinInt64, hi: n - 1}
	case le:
		return interval{lo: math.MinInt64, hi: n}
	case gt:
		if n == math.MaxInt64 {
			return empty
		}
		return interval{lo: n + 1, hi: math.MaxInt64}
	case ge:
		return interval{lo: n, hi: math.MaxInt64}
	}
	return interval{lo: n, hi: n}
}

// quantity reads a number in the unit of its field.
func (p *parser) quantity(s subject, v literal) (int64, string, *SyntaxError) {
	bad := func(what string) (int64, string, *SyntaxError) {
		return 0, "", p.fault(v.at, v.len, "%s is %s, which `%s` is not", s.name, what, v.text)
	}
	switch s.info.class {
	case bytesize:
		n, ok := size(v.text)
		if !ok {
			return bad("a size such as 500, 4kB or 1MiB")
		}
		return n, sizeText(n), nil
	case millis:
		f, err := strconv.ParseFloat(v.text, 64)
		if err != nil || math.Abs(f) > 1e12 || f != f {
			return bad("a number of milliseconds")
		}
		return int64(math.Round(f * 1e6)), strconv.FormatFloat(f, 'f', -1, 64), nil
	case span:
		text := strings.TrimPrefix(v.text, "+")
		d, err := time.ParseDuration(text)
		if err != nil {
			if _, isNumber := strconv.ParseFloat(text, 64); isNumber != nil {
				return bad("a duration such as 250ms, 2s or 1m30s")
			}
			if s.info.Field == Latency || s.info.Field == Delta {
				return 0, "", p.fault(v.at, v.len, "%s needs a unit", s.name).suggest(text + "ms")
			}
			// t and t0 are seconds where the contract writes them.
			if d, err = time.ParseDuration(text + "s"); err != nil {
				return bad("a time since the start such as 90s")
			}
		}
		return int64(d), durationText(d), nil
	}
	n, err := strconv.ParseInt(v.text, 10, 64)
	if err != nil {
		return bad("a whole number")
	}
	return n, strconv.FormatInt(n, 10), nil
}

// durationText writes a duration so that it reads as the same.
func durationText(d time.Duration) string {
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}

var sizeUnits = []struct {
	name string
	of   int64
}{
	{"B", 1}, {"kB", 1000}, {"MB", 1e6}, {"GB", 1e9}, {"TB", 1e12}, {"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {"TiB", 1 << 40},
	{"k", 1000}, {"M", 1e6}, {"G", 1e9}, {"T", 1e12},
}

// size reads a number of bytes with or without a unit.
func size(s string) (int64, bool) {
	unit := int64(1)
	digits := strings.TrimRight(s, "BbKkMmGgTtIi")
	if tail := s[len(digits):]; tail != "" {
		unit = 0
		for _, u := range sizeUnits {
			if strings.EqualFold(u.name, tail) {
				unit = u.of
			}
		}
	}
	if n, ok := number(digits); ok && unit > 0 && n <= math.MaxInt64/unit {
		return n * unit, true
	}
	f, err := strconv.ParseFloat(digits, 64)
	if err != nil || unit == 0 || !(f >= 0 && f*float64(unit) < 1<<62) {
		return 0, false
	}
	return int64(math.Round(f * float64(unit))), true
}

// sizeText writes a size in the largest unit that is exact.
func sizeText(n int64) string {
	for i := 8; i > 0; i-- {
		if u := sizeUnits[i]; n >= u.of && n%u.of == 0 {
			return strconv.FormatInt(n/u.of, 10) + u.name
		}
	}
	return strconv.FormatInt(n, 10)
}

// compile makes a regular expression of a value.
func (p *parser) compile(v literal) (*regexp.Regexp, *SyntaxError) {
	if v.text == "" || v.text == "(?i)" {
		return nil, p.fault(v.at, v.len, "the pattern is empty")
	}
	re, err := regexp.Compile(v.text)
	if err != nil {
		what := strings.TrimPrefix(err.Error(), "error parsing regexp: ")
		return nil, p.fault(v.at, v.len, "the pattern does not work: %s", what)
	}
	return re, nil
}

// identityTest is about ids and tokens. A number without quotes is also equal to a text of its digits:
// people do not know how an id was sent.
func (p *parser) identityTest(s subject, op operator, vals []literal) (node, *SyntaxError) {
	f := s.info.Field
	if op == exists {
		return &test{text: s.name, check: func(r Row) bool { return r.Text(f) != "" }}, nil
	}
	if op >= lt && op <= ge {
		return nil, p.fault(vals[0].at, vals[0].len, "%s has no order", s.name).hint("seq has")
	}
	t, err := p.text(s, op, vals)
	if err != nil {
		return nil, err
	}
	out := &test{text: s.name + t.form}
	if op == contains || op == matches {
		out.check = func(r Row) bool { v := r.Text(f); return v != "" && t.is(identityText(v)) }
		return out, nil
	}
	is := make([]func(string) bool, len(vals))
	forms := make([]string, len(vals))
	for i, v := range vals {
		is[i], forms[i] = identical(v)
	}
	out.text = s.name + formOf(op, forms)
	out.check = func(r Row) bool {
		v := r.Text(f)
		if v == "" {
			return false
		}
		for _, one := range is {
			if one(v) {
				return !t.not
			}
		}
		return t.not
	}
	return out, nil
}

// identical compares raw ids with one value.
func identical(v literal) (is func(raw string) bool, form string) {
	want := v.text
	switch {
	case v.open():
		match := glob(want)
		return func(raw string) bool { return match(identityText(raw)) }, want
	case v.quoted:
		return func(raw string) bool { return raw[0] == '"' && identityText(raw) == want }, quote(want)
	case !jsonNumber(want):
		return func(raw string) bool { return identityText(raw) == want }, quotedUnlessRaw(want)
	}
	key, digits := jsonrpc.ParseID([]byte(want)).Key(), allDigits(want)
	return func(raw string) bool {
		switch {
		case raw == want:
			return true
		case raw[0] == '"':
			return identityText(raw) == want
		case digits && allDigits(raw):
			return false
		}
		return jsonrpc.ParseID([]byte(raw)).Key() == key
	}, want
}

// quotedUnlessRaw writes a word that ids are compared with: null, true and the like are no text.
func quotedUnlessRaw(s string) string {
	switch s {
	case "null", "true", "false":
		return s
	}
	return quote(s)
}

// identityText is the text of an id without its quotes. Of an id that was cut it is what is there.
func identityText(raw string) string {
	if raw == "" || raw[0] != '"' {
		return raw
	}
	inside := strings.TrimSuffix(raw[1:], `"`)
	if strings.IndexByte(inside, '\\') < 0 {
		return inside
	}
	if s, ok := jsonrpc.Unquote([]byte(raw)); ok {
		return s
	}
	return unescaped(inside)
}

func allDigits(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return s != "" && (s[0] != '0' || len(s) == 1)
}

// jsonNumber reports whether s is a number of JSON.
func jsonNumber(s string) bool {
	return s != "" && (s[0] == '-' || s[0] >= '0' && s[0] <= '9') && jsonrpc.Valid([]byte(s)) && strings.TrimSpace(s) == s
}

// pathTest is about values inside the payload.
func (p *parser) pathTest(s subject, op operator, vals []literal) (node, *SyntaxError) {
	steps, from := s.path.steps, s.path.payload
	out := &test{text: s.name, file: true, request: s.path.root == "params"}
	there := func([]byte) bool { return true }
	if op == exists {
		out.check = func(r Row) bool { return find(from(r), steps, there) }
		return out, nil
	}
	var is func([]byte) bool
	form := ""
	switch op {
	case contains, matches:
		t, err := p.text(s, op, vals)
		if err != nil {
			return nil, err
		}
		whole := inText(t.is)
		form = t.form
		is = func(v []byte) bool {
			if v[0] == '"' {
				return t.is(jsonText(v))
			}
			return whole(v)
		}
	case lt, le, gt, ge:
		bound := vals[0]
		if v := bound.text; !bound.quoted && jsonNumber(v) {
			n, err := strconv.ParseFloat(v, 64)
			if err != nil {
				return nil, p.fault(bound.at, bound.len, "`%s` is too large a number", v)
			}
			form = fmt.Sprintf(" %s %s", op, v)
			is = func(v []byte) bool {
				if v[0] != '-' && (v[0] < '0' || v[0] > '9') {
					return false
				}
				x, err := strconv.ParseFloat(textOf(v), 64)
				return err == nil && (op == lt && x < n || op == le && x <= n || op == gt && x > n || op == ge && x >= n)
			}
			break
		}
		form = fmt.Sprintf(" %s %s", op, quote(bound.text))
		is = func(v []byte) bool { return v[0] == '"' && ordered(op, strings.Compare(jsonText(v), bound.text)) }
	default:
		each := make([]func([]byte) bool, len(vals))
		forms := make([]string, len(vals))
		for i, v := range vals {
			each[i], forms[i] = jsonEquals(v)
		}
		form = formOf(op, forms)
		is = func(v []byte) bool {
			for _, one := range each {
				if one(v) {
					return true
				}
			}
			return false
		}
	}
	out.text += form
	out.check = func(r Row) bool { return find(from(r), steps, is) }
	if op == ne || op == notIn {
		out.check = func(r Row) bool { raw := from(r); return find(raw, steps, there) && !find(raw, steps, is) }
	}
	return out, nil
}

// jsonEquals compares JSON values with one value. The type counts: "5" is not 5.
func jsonEquals(v literal) (is func([]byte) bool, form string) {
	want := v.text
	if v.quoted {
		return func(b []byte) bool { return b[0] == '"' && jsonText(b) == want }, quote(want)
	}
	switch want {
	case "true", "false", "null":
		return func(b []byte) bool { return string(b) == want }, want
	}
	if v.open() {
		match := glob(want)
		return func(b []byte) bool { return b[0] == '"' && match(jsonText(b)) }, want
	}
	if isRange(v) {
		from, to, _ := strings.Cut(want, "..")
		lo, errLo := strconv.ParseFloat(from, 64)
		hi, errHi := strconv.ParseFloat(to, 64)
		return func(b []byte) bool {
			x, err := strconv.ParseFloat(textOf(b), 64)
			return err == nil && (errLo != nil || x >= lo) && (errHi != nil || x <= hi)
		}, want
	}
	if jsonNumber(want) {
		key := jsonrpc.ParseID([]byte(want)).Key()
		return func(b []byte) bool {
			return (b[0] == '-' || b[0] >= '0' && b[0] <= '9') && (string(b) == want || jsonrpc.ParseID(b).Key() == key)
		}, want
	}
	return func(b []byte) bool { return b[0] == '"' && jsonText(b) == want }, quote(want)
}

// isRange reports whether a value of a path is a range of numbers.
func isRange(v literal) bool {
	from, to, ok := strings.Cut(v.text, "..")
	return ok && !v.quoted && (from == "" || jsonNumber(from)) && (to == "" || jsonNumber(to)) && from+to != ""
}

// jsonText is the text of a JSON string.
func jsonText(b []byte) string { return identityText(textOf(b)) }
