package filter

import (
	"strings"

	"github.com/shakescope/shakescope/jsonrpc"
)

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
