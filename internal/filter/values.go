package filter

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/shakescope/shakescope/jsonrpc"
)

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
