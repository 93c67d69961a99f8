package filter

import (
	"slices"
	"strings"

	"github.com/shakescope/shakescope/annotate"
	"github.com/shakescope/shakescope/jsonrpc"
)

// severalTest is about fields of which an entry has any number.
func (p *parser) severalTest(s subject, op operator, vals []literal) (node, *SyntaxError) {
	f := s.info.Field
	if op == exists {
		return &test{text: s.name, check: func(r Row) bool { return have(f, r) }}, nil
	}
	var t text
	var err *SyntaxError
	if s.info.class == levels && op >= lt && op <= ge {
		t, err = p.levelOrder(s, op, vals[0])
	} else {
		t, err = p.text(s, op, vals)
	}
	if err != nil {
		return nil, err
	}
	some := anyValue(f, t)
	out := &test{text: s.name + t.form, check: some}
	if t.not {
		out.check = func(r Row) bool { return have(f, r) && !some(r) }
	}
	return out, nil
}

// levelOrder compares levels: info < warning < error.
func (p *parser) levelOrder(s subject, op operator, v literal) (text, *SyntaxError) {
	bound := slices.Index(levelValues, strings.ToLower(v.text))
	if bound < 0 {
		return text{}, p.noValue(s, v)
	}
	return text{
		is:   func(l string) bool { return ordered(op, slices.Index(levelValues, l)-bound) },
		form: " " + op.String() + " " + levelValues[bound],
	}, nil
}

// have reports whether an entry has a value of f.
func have(f Field, r Row) bool {
	switch f {
	case Touches:
		return len(r.Touches()) > 0
	case Defects:
		return len(r.Defects()) > 0
	case Capability, CapabilitySide, CapabilityPath, CapabilityState:
		return len(r.Capabilities()) > 0
	case FindingPath:
		return anyFinding(r, func(v *annotate.Finding) bool { return v.Path != "" })
	case FindingSpec:
		return anyFinding(r, func(v *annotate.Finding) bool { return v.Spec != "" })
	}
	return r.Findings() > 0
}

func anyFinding(r Row, is func(*annotate.Finding) bool) bool {
	for i := range r.Findings() {
		if is(r.Finding(i)) {
			return true
		}
	}
	return false
}

// anyValue makes the test whether one of the values of f is t. A capability is its path, its side and
// path, or its side, path and state; a finding is its rule, or its level, side at fault and rule.
func anyValue(f Field, t text) func(Row) bool {
	is := t.is
	switch f {
	case Touches:
		return func(r Row) bool { return slices.ContainsFunc(r.Touches(), is) }
	case Defects:
		return func(r Row) bool {
			return slices.ContainsFunc(r.Defects(), func(d jsonrpc.Defect) bool { return is(string(d.Kind)) })
		}
	case Capability, CapabilitySide, CapabilityPath, CapabilityState:
		one := capabilityText(f, t)
		return func(r Row) bool {
			caps := r.Capabilities()
			for i := range caps {
				if one(&caps[i]) {
					return true
				}
			}
			return false
		}
	}
	one := findingText(f, t)
	return func(r Row) bool { return anyFinding(r, one) }
}

func capabilityText(f Field, t text) func(*annotate.Capability) bool {
	is := t.is
	switch f {
	case CapabilitySide:
		return func(c *annotate.Capability) bool { return is(c.Side) }
	case CapabilityPath:
		return func(c *annotate.Capability) bool { return is(c.Path) }
	case CapabilityState:
		return func(c *annotate.Capability) bool { return is(string(c.State)) }
	}
	if !t.wide {
		return func(c *annotate.Capability) bool { return is(c.Path) }
	}
	if t.plain != nil {
		return func(c *annotate.Capability) bool {
			for _, want := range t.plain {
				if want == c.Path || joined(want, c.Side, c.Path) || joined(want, c.Side, c.Path, string(c.State)) {
					return true
				}
			}
			return false
		}
	}
	known := remember(func(c annotate.Capability) bool {
		return is(c.Path) || is(c.Side+" "+c.Path) || is(c.Side+" "+c.Path+" "+string(c.State))
	})
	return func(c *annotate.Capability) bool { return known(*c) }
}

// joined reports whether s is these words with spaces between.
func joined(s string, words ...string) bool {
	for i, w := range words {
		if i > 0 {
			if s == "" || s[0] != ' ' {
				return false
			}
			s = s[1:]
		}
		rest, ok := strings.CutPrefix(s, w)
		if !ok {
			return false
		}
		s = rest
	}
	return s == ""
}

func findingText(f Field, t text) func(*annotate.Finding) bool {
	is := t.is
	switch f {
	case FindingLevel:
		return func(v *annotate.Finding) bool { return is(string(v.Level)) }
	case FindingBy:
		return func(v *annotate.Finding) bool { return is(v.By) }
	case FindingMessage:
		return func(v *annotate.Finding) bool { return is(v.Message) }
	case FindingPath:
		return func(v *annotate.Finding) bool { return v.Path != "" && is(v.Path) }
	case FindingSpec:
		return func(v *annotate.Finding) bool { return v.Spec != "" && is(v.Spec) }
	}
	if f == FindingRule || !t.wide {
		return func(v *annotate.Finding) bool { return is(v.Rule) }
	}
	type key struct{ level, by, rule string }
	known := remember(func(k key) bool { return is(k.rule) || is(k.level+" "+k.by+" "+k.rule) })
	return func(v *annotate.Finding) bool { return known(key{string(v.Level), v.By, v.Rule}) }
}
