package filter

import (
	"slices"
	"strings"
	"testing"
)

// seen is what a recording might hold.
func seen(name string) []Value {
	switch name {
	case "method":
		return []Value{{"tools/list", 2}, {"tools/call", 40}, {"ping", 7}}
	case "tool":
		return []Value{{"read file", 3}, {"a*b", 1}, {"5", 1}}
	case "id":
		return []Value{{`"x y"`, 1}, {"7", 1}}
	case "kind":
		return []Value{{"error", 4}, {"request", 50}}
	case "state":
		return []Value{{"error", 3}}
	case "params.arguments.":
		return []Value{{"path", 9}, {"page size", 2}, {"limit", 1}}
	}
	return nil
}

func TestComplete(t *testing.T) {
	for _, c := range []struct {
		src   string // the cursor is at |
		start string // what is before the place of the proposals
		want  []string
	}{
		{`|`, ``, []string{"method", "kind", "state"}},
		{`meth|`, ``, []string{"method"}},
		{`met|hod == "x"`, ``, []string{"method"}},
		{`is:ok && lat|`, `is:ok && `, []string{"latency", "latency_ms"}},
		{`code|`, ``, []string{"error.code", "event.code"}},
		{`finding|`, ``, []string{"finding", "finding.rule", "finding.level"}},
		{`-fro|`, ``, []string{"-from:"}},
		{`-i|`, ``, []string{"-id:", "-is:"}},
		{`not |`, `not `, []string{"method", "kind"}},
		{`(a || |`, `(a || `, []string{"method"}},
		{`pa|`, ``, []string{"pair", "partial", "pair(", "params."}},
		{`method |`, `method `, []string{"== ", "!= ", "in {", "contains ", "matches /"}},
		{`latency |`, `latency `, []string{"> ", ">= ", "< ", "<= ", "== "}},
		{`finding.level |`, `finding.level `, []string{"== ", "!= ", "in {", "> "}},
		{`revision |`, `revision `, []string{"== ", "!= ", "in {", "contains ", "matches /", "> "}},
		{`params.x |`, `params.x `, []string{"== "}},
		{`partial |`, `partial `, []string{"method"}},
		{`partial == |`, `partial == `, []string{"true", "false"}},
		{`method == |`, `method == `, []string{"tools/call", "ping", "tools/list"}},
		{`method == too|`, `method == `, []string{"tools/call", "tools/list"}},
		{`method == "tools/l|`, `method == `, []string{`"tools/list"`}},
		{`method:|`, `method:`, []string{"tools/call"}},
		{`method:p|`, `method:`, []string{"ping"}},
		{`x -method:p|`, `x -method:`, []string{"ping"}},
		{`method in {ping, |`, `method in {ping, `, []string{"tools/call"}},
		{`method in {ping, tools/l|`, `method in {ping, `, []string{"tools/list"}},
		{`tool == |`, `tool == `, []string{`"read file"`, `"a*b"`, `"5"`}},
		{`id == |`, `id == `, []string{`"x y"`, `7`}},
		{`kind == |`, `kind == `, []string{"request", "error", "notification"}},
		{`kind:re|`, `kind:`, []string{"request", "response"}},
		{`finding.level >= |`, `finding.level >= `, []string{"info", "warning", "error"}},
		{`is:|`, `is:`, []string{"request", "error", "pending", "ok"}},
		{`is:tool|`, `is:`, []string{"tool_error"}},
		{`event.name:cl|`, `event.name:`, []string{"client_closed_stdin"}},
		{`params.arguments.|`, ``, []string{"params.arguments.path", `params.arguments["page size"]`, "params.arguments.limit"}},
		{`params.arguments.pa|`, ``, []string{"params.arguments.path"}},
		{`-params.arguments.l|`, ``, []string{"-params.arguments.limit"}},
		{`latency > |`, `latency > `, nil},
		{`kind == bad && |`, ``, nil},
		{`"text|`, ``, nil},
	} {
		cursor := strings.IndexByte(c.src, '|')
		if strings.Contains(c.src, "||") {
			cursor = strings.LastIndexByte(c.src, '|')
		}
		src := c.src[:cursor] + c.src[cursor+1:]
		from, proposals := Complete(src, cursor, seen)
		var have []string
		for _, p := range proposals {
			have = append(have, p.Text)
		}
		if c.want != nil && src[:from] != c.start {
			t.Errorf("%s: in the place of %q", c.src, src[from:cursor])
		}
		if c.want == nil && len(have) > 0 || len(have) < len(c.want) || !slices.Equal(have[:len(c.want)], c.want) {
			t.Errorf("%s: %q, want %q", c.src, have, c.want)
		}
	}
	if _, p := Complete("method == tools/c", 999, seen); len(p) != 1 || p[0].Count != 40 {
		t.Error(p)
	}
	if _, p := Complete("method:", 7, nil); len(p) != 0 {
		t.Error(p)
	}
	if _, p := Complete("meth", 4, nil); len(p) != 1 || p[0].About == "" {
		t.Error(p)
	}
}

// Whatever is proposed can be read when it is taken, save where more is to follow.
func TestProposalsAreRead(t *testing.T) {
	for _, prefix := range []string{"", "a ", "method == ", "tool:", "id:", "kind in {", "is:", "finding.level >= ", "eol:", "-", "params.arguments."} {
		from, proposals := Complete(prefix, len(prefix), seen)
		if len(proposals) == 0 {
			t.Errorf("nothing after %q", prefix)
		}
		for _, p := range proposals {
			src := prefix[:from] + p.Text
			if strings.HasPrefix(prefix, "kind in") {
				src += "}"
			}
			if strings.HasSuffix(src, ":") || strings.HasSuffix(src, "(") || strings.HasSuffix(src, " ") || strings.HasSuffix(src, ".") {
				continue
			}
			if _, err := Parse(src); err != nil {
				t.Errorf("%s: %v", src, err)
			}
		}
	}
}

// All fields have a name, are described, and are known by it.
func TestFields(t *testing.T) {
	for f := Seq; f <= JSON; f++ {
		i := byField(f)
		if i == nil {
			t.Errorf("field %d has no name", f)
			continue
		}
		if byName(i.Name) != i || i.About == "" || f.String() != i.Name {
			t.Errorf("field %s", i.Name)
		}
	}
	if NoField.String() != "no field" {
		t.Error(NoField)
	}
	for word, to := range synonyms {
		if byName(word) != nil {
			t.Errorf("%s is a field and leads to another", word)
		}
		if byName(to) == nil && !isPath(to) {
			t.Errorf("%s leads to %s, which is no field", word, to)
		}
	}
}
