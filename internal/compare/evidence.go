package compare

import (
	"fmt"
	"strings"

	"github.com/shakescope/shakescope/annotate"
	"github.com/shakescope/shakescope/internal/schemaguard"
	"github.com/shakescope/shakescope/jsonrpc"
)

// proof tries the changes of one tool's schema on recorded values.
type proof struct {
	tool          string
	direction     Direction
	before, after *schemaguard.Schema
	changes       []*Change
	schema        []SchemaChange // of changes, one by one
	// Values of the first recording tried against the new schema, and of the second against the old one.
	forth, back trial
}

// trial is what came of trying values.
type trial struct {
	tried  int
	failed int
	first  annotate.Ref
	why    string
	by     []trial // of each change
	work   int64
}

// Bounds of trying: values of one tool, and steps.
const (
	maxTried     = 5000
	maxTrialWork = 20_000_000
)

// schemas compares two schemas of a tool and arranges that recorded values are tried where they differ.
func (c *comparer) schemas(x Change, m memberChange, d Direction) {
	before, after := m.before, m.after
	if string(before) == "null" {
		before = nil
	}
	if string(after) == "null" {
		after = nil
	}
	switch {
	case before == nil && after == nil:
		return
	case before == nil:
		x.Kind, x.Grade, x.Words, x.Why = Added, Compatible, d.String()+" schema added", "results are what they were, and now described"
		if d == Input {
			x.Grade, x.Why = Breaking, "calls that were valid may now be refused"
		}
		c.add(x)
		return
	case after == nil:
		x.Kind, x.Grade, x.Words, x.Why = Removed, Breaking, d.String()+" schema removed", "nothing promises structured results any more"
		if d == Input {
			x.Grade, x.Why = Breaking, "nothing says any more what the arguments are"
		}
		c.add(x)
		return
	}
	p := &proof{tool: x.Name, direction: d}
	list := Schemas(before, after, d)
	for i := range list {
		s := &list[i]
		y := x
		y.Kind, y.Grade, y.Words, y.Why, y.Where = s.Kind, s.Grade, s.Words, s.Why, "/"+x.Part+s.Pointer
		p.changes = append(p.changes, c.add(y))
		p.schema = append(p.schema, *s)
	}
	if len(list) == 0 {
		return
	}
	p.before, _ = schemaguard.Compile(before, schemaguard.DefaultDraft(c.a.facts.Revision))
	p.after, _ = schemaguard.Compile(after, schemaguard.DefaultDraft(c.b.facts.Revision))
	if p.before == nil || p.after == nil {
		return
	}
	p.forth.by, p.back.by = make([]trial, len(list)), make([]trial, len(list))
	c.proofs = append(c.proofs, p)
}

// wants asks for the recorded values of a side: for an input schema the calls of the first recording, for an output
// schema the results of both.
func (p *proof) wants(n int, h *half, want wanted) {
	if p.direction == Input && n == 1 {
		return
	}
	asked := 0
	for i := range h.exchanges {
		x := &h.exchanges[i]
		if x.server || h.names[x.target] != p.tool || h.names[x.method] != "tools/call" {
			continue
		}
		if asked++; asked > maxTried {
			return
		}
		switch {
		case p.direction == Input:
			want.add(x.ref, func(m *jsonrpc.Message) {
				arguments := member(m.Params, "arguments")
				if arguments == nil {
					arguments = []byte("{}")
				}
				p.forth.try(p, x.ref, arguments, p.before, p.after)
			})
		case !x.answer.IsZero() && x.state == annotate.OK:
			want.add(x.answer, func(m *jsonrpc.Message) {
				value := member(m.Result, "structuredContent")
				switch {
				case value == nil:
				case n == 0:
					p.forth.try(p, x.answer, value, p.before, p.after)
				default:
					p.back.try(p, x.answer, value, p.after, p.before)
				}
			})
		}
	}
}

// try checks one value that fits the schema that it was made for against the other one.
func (t *trial) try(p *proof, at annotate.Ref, value []byte, own, other *schemaguard.Schema) {
	if t.work > maxTrialWork {
		return
	}
	v := own.Check(value)
	t.work += v.Work
	if !v.Valid() {
		return // it was wrong before
	}
	w := other.Check(value)
	t.work += w.Work
	if w.NotChecked != nil {
		return
	}
	t.tried++
	if len(w.Problems) == 0 {
		return
	}
	t.fail(at, &w.Problems[0])
	for i := range p.schema {
		for j := range w.Problems {
			if p.schema[i].explains(&w.Problems[j]) {
				t.by[i].fail(at, &w.Problems[j])
				break
			}
		}
	}
}

func (t *trial) fail(at annotate.Ref, p *schemaguard.Problem) {
	if t.failed++; t.failed == 1 {
		t.first, t.why = at, strings.TrimSpace(p.Pointer+" "+p.Message)
	}
}

// explains reports whether a problem of a value comes from the change.
func (s *SchemaChange) explains(p *schemaguard.Problem) bool {
	var at []string
	if p.Pointer != "" {
		for _, part := range strings.Split(p.Pointer[1:], "/") {
			at = append(at, unescaper.Replace(part))
		}
	}
	pattern := s.at
	switch p.Keyword {
	case "additionalProperties", "unevaluatedProperties", "false": // said of the member that is too much
		if s.member != "" && s.Kind == Removed {
			pattern = append(append([]string{}, s.at...), s.member)
		} else if s.Keyword == p.Keyword && len(at) == len(pattern)+1 {
			at = at[:len(at)-1]
		}
	case "required":
		if s.member != "" && !strings.Contains(p.Message, text(s.member)) {
			return false
		}
	}
	if len(at) != len(pattern) {
		return false
	}
	for i := range at {
		if pattern[i] != "*" && pattern[i] != at[i] {
			return false
		}
	}
	union := func(k string) bool { return k == "anyOf" || k == "oneOf" || k == "type" || k == "enum" || k == "const" }
	return s.Keyword == p.Keyword || s.member != "" || s.Keyword == "" || union(s.Keyword) && union(p.Keyword) ||
		strings.HasSuffix(strings.ToLower(s.Keyword), strings.ToLower(strings.TrimPrefix(p.Keyword, "exclusive"))) || s.Keyword == "false" || s.Keyword == "allOf" || s.Keyword == "if"
}

// settle writes what came of it into the changes.
func (p *proof) settle() {
	for i, x := range p.changes {
		s := &p.schema[i]
		t, of, side := &p.forth, "calls", "a"
		if p.direction == Output {
			of = "results"
			if s.moved == wider || s.moved == sideways || s.Undecided {
				t, side = &p.back, "b"
			}
		}
		if t.tried == 0 || s.moved == still {
			continue
		}
		by := t.by[i]
		alone := len(p.changes) == 1
		failed, first, why := by.failed, by.first, by.why
		if alone || s.Undecided && failed == 0 {
			failed, first, why = t.failed, t.first, t.why
		}
		judged := s.moved == narrower && (p.direction == Input || side == "a") || s.moved != narrower && side == "b" || s.moved == sideways
		if !judged {
			continue
		}
		x.Evidence = &Evidence{Of: of, Side: side, Checked: t.tried, Failed: failed, First: first, Example: why}
		x.Words += ": " + p.verdict(failed, t.tried, side)
		if s.Undecided && failed == 0 && x.Grade == Breaking {
			x.Grade = Compatible
			x.Why = fmt.Sprintf("the schemas alone do not tell, but no recorded value was refused (%s)", plural(t.tried, strings.TrimSuffix(of, "s")))
		}
	}
}

func (p *proof) verdict(failed, tried int, side string) string {
	switch {
	case p.direction == Input && failed == 0:
		return fmt.Sprintf("none of %s would now fail", plural(tried, "recorded call"))
	case p.direction == Input:
		return fmt.Sprintf("%d of %s would now fail", failed, plural(tried, "recorded call"))
	case side == "b" && failed == 0:
		return fmt.Sprintf("all %s would fit the old schema", plural(tried, "recorded result"))
	case side == "b":
		return fmt.Sprintf("%d of %s of the second recording would not fit the old schema", failed, plural(tried, "recorded result"))
	case failed == 0:
		return fmt.Sprintf("all %s of the first recording fitted it already", plural(tried, "result"))
	}
	return fmt.Sprintf("%d of %s of the first recording would not fit it", failed, plural(tried, "result"))
}
