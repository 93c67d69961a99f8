package filter

import (
	"strings"
	"time"
)

// scale is what a point in time is measured on.
type scale uint8

const (
	absolute scale = iota // ns since 1970
	wall                  // ns since 1970 on the clock of the recording's zone
	ofDay                 // ns since midnight on that clock
	relative              // ns since the start
)

const day = int64(24 * time.Hour)

// moment is a point in time as precise as it was written: it lasts from lo to hi, both included.
type moment struct {
	scale  scale
	lo, hi int64
	form   string
}

var dateForms = []struct {
	layout string
	lasts  time.Duration
}{
	{"2006-01-02", 24 * time.Hour},
	{"2006-01-02T15:04", time.Minute},
	{"2006-01-02T15:04:05", time.Second},
}

// timeTest is about the wall clock. Equality, and the end of a range, cover what was written: 14:02 is
// the whole minute. The other comparisons are with its first instant.
func (p *parser) timeTest(s subject, op operator, vals []literal) (node, *SyntaxError) {
	switch op {
	case exists:
		return &test{text: s.name, check: func(r Row) bool { return !r.Start().IsZero() }}, nil
	case contains, matches:
		return nil, p.notText(s, op)
	}
	var spans []moment
	var forms []string
	for _, v := range vals {
		m, err := p.moments(op, v)
		if err != nil {
			return nil, err
		}
		spans, forms = append(spans, m), append(forms, m.form)
	}
	inverse := op == ne || op == notIn
	return &test{text: s.name + formOf(op, forms), check: func(r Row) bool {
		start := r.Start()
		t, ok := r.Number(T)
		if start.IsZero() || !ok {
			return false
		}
		for i := range spans {
			if spans[i].holds(start, t) {
				return !inverse
			}
		}
		return inverse
	}}, nil
}

// holds reports whether the moment t after start is in m.
func (m *moment) holds(start time.Time, t int64) bool {
	v := t
	switch m.scale {
	case absolute:
		v += start.UnixNano()
	case wall, ofDay:
		_, offset := start.Zone()
		v += start.UnixNano() + int64(offset)*int64(time.Second)
		if m.scale == ofDay {
			if v %= day; v < 0 {
				v += day
			}
			if m.lo > m.hi { // over midnight
				return v >= m.lo || v <= m.hi
			}
		}
	}
	return v >= m.lo && v <= m.hi
}

// moments makes what an operator and a value allow.
func (p *parser) moments(op operator, v literal) (moment, *SyntaxError) {
	from, to, isRange := strings.Cut(v.text, "..")
	if !isRange {
		m, err := p.moment(v)
		if op >= lt && op <= ge {
			b := bounded(op, m.lo)
			m.lo, m.hi = b.lo, b.hi
		}
		return m, err
	}
	switch {
	case op >= lt && op <= ge:
		return moment{}, p.fault(v.at, v.len, "a range goes with == or in, not with %s", op)
	case from == "" || to == "":
		return moment{}, p.fault(v.at, v.len, "the range needs two ends").hint("compare with < or >= for one")
	}
	m, err := p.moment(literal{text: from, at: v.at, len: len(from)})
	if err != nil {
		return m, err
	}
	end, err := p.moment(literal{text: to, at: v.at + v.len - len(to), len: len(to)})
	if err != nil {
		return m, err
	}
	if end.scale != m.scale {
		return m, p.fault(v.at, v.len, "the ends of the range are times of two kinds")
	}
	m.hi, m.form = end.hi, m.form+".."+end.form
	if m.lo > m.hi && m.scale != ofDay {
		return m, p.fault(v.at, v.len, "nothing is in this range").suggest(to + ".." + from)
	}
	return m, nil
}

// moment reads a time.
func (p *parser) moment(v literal) (moment, *SyntaxError) {
	text := v.text
	if v.quoted {
		text = strings.Replace(text, " ", "T", 1)
	}
	if strings.Contains(text, ",") { // time.Parse takes it for a decimal point
		text = ""
	}
	if rest, ok := strings.CutPrefix(text, "+"); ok {
		if d, err := time.ParseDuration(rest); err == nil {
			return moment{relative, int64(d), int64(d), "+" + durationText(d)}, nil
		}
	}
	if lo, lasts, ok := timeOfDay(text); ok {
		return moment{ofDay, lo, lo + lasts - 1, text}, nil
	}
	body, zoned := text, false
	for _, form := range dateForms {
		at, err := time.Parse(form.layout, body)
		if err != nil && len(form.layout) > len("2006-01-02") {
			if at, err = time.Parse(form.layout+"Z07:00", body); err == nil {
				zoned = true
			}
		}
		if err != nil {
			continue
		}
		if y := at.Year(); y < 1700 || y > 2200 {
			break
		}
		lasts := precision(body, int64(form.lasts))
		lo := at.UnixNano()
		m := moment{wall, lo, lo + lasts - 1, text}
		if zoned {
			m.scale = absolute
		}
		return m, nil
	}
	return moment{}, p.fault(v.at, v.len, "time is a time such as 14:02, 2026-11-29T14:02:11Z or +90s, which `%s` is not", v.text)
}

// timeOfDay reads 14:02, 14:02:11 or 14:02:11.5.
func timeOfDay(s string) (lo, lasts int64, ok bool) {
	lasts = int64(time.Minute)
	at, err := time.Parse("15:04", s)
	if err != nil {
		if at, err = time.Parse("15:04:05", s); err != nil {
			return 0, 0, false
		}
		lasts = precision(s, int64(time.Second))
	}
	return int64(at.Sub(time.Date(0, 1, 1, 0, 0, 0, 0, time.UTC))), lasts, true
}

// precision is how long a time lasts that may be written with a fraction of a second.
func precision(s string, whole int64) int64 {
	_, fraction, ok := strings.Cut(s, ".")
	if !ok {
		return whole
	}
	whole = int64(time.Second)
	for i := 0; i < len(fraction) && fraction[i] >= '0' && fraction[i] <= '9' && whole > 1; i++ {
		whole /= 10
	}
	return whole
}
