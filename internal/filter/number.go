package filter

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"
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
