package filter

import (
	"strconv"
	"strings"

	"github.com/shakescope/shakescope/annotate"
)

// Quick is a filter that is switched on and off by its name.
type Quick struct {
	Name string
	Expr string
}

var quicks = []Quick{
	{"errors", "state in {error, tool_error} || kind in {error, invalid} || finding.level == error"},
	{"pending", "state == pending"},
	{"slow", "latency > 1s"},
	{"no ping or progress", "!(group in {ping, progress})"},
	{"requests", "kind == request"},
	{"client to server", "from == client"},
	{"server to client", "from == server"},
	{"findings", "finding"},
	{"marked", "mark || note"},
	{"stderr", "kind == stderr"},
}

// Quicks returns the quick filters in the order of their menu. The slice is shared and must not be changed.
func Quicks() []Quick { return quicks }

// ThisTool returns the filter for all that is about the tool, prompt or resource of r, "" if it has none.
func ThisTool(r Row) string {
	for _, f := range []Field{Tool, Prompt, Resource} {
		if v := textGetter(f)(r); v != "" {
			return Equal(f, v)
		}
	}
	return ""
}

// ThisFlow returns the filter for a request and all that belongs to it, "" if r is in no flow.
func ThisFlow(r Row) string {
	at := r.Ref(Flow)
	if at.IsZero() {
		return ""
	}
	if at.Sub == annotate.NoSub {
		return Equal(Flow, strconv.FormatInt(at.Seq, 10))
	}
	return Equal(Flow, strconv.FormatInt(at.Seq, 10)+"."+strconv.Itoa(int(at.Sub)))
}

// Equal returns the test that f has this value, as [Row.Text] has it. Numbers are in the unit in which
// they are read.
func Equal(f Field, value string) string {
	i := byField(f)
	switch i.class {
	case words, several, levels, group, payload, choices:
		if i.class != choices && i.class != levels {
			value = quote(value)
		}
	case flag:
		if value == "false" {
			return "!" + i.Name
		}
		return i.Name
	}
	return i.Name + " == " + value
}

// EqualAt returns the test that a message has this value at a JSON pointer, "" if the pointer leads to
// none of params, result and error. The value is raw JSON; an object or array makes a test that there
// is one.
func EqualAt(pointer string, value []byte) string {
	steps := strings.Split(pointer, "/")
	if len(steps) < 2 || steps[0] != "" {
		return ""
	}
	p := path{root: steps[1]}
	if !isPath(p.root) || strings.ContainsAny(p.root, ".[") {
		return ""
	}
	for _, s := range steps[2:] {
		s = strings.NewReplacer("~1", "/", "~0", "~").Replace(s)
		if n, ok := number(s); ok && n < 1<<31 && s == strconv.FormatInt(n, 10) {
			p.steps = append(p.steps, step{kind: element, index: int(n)})
			continue
		}
		p.steps = append(p.steps, step{key: s})
	}
	name := p.String()
	if len(value) == 0 || value[0] == '{' || value[0] == '[' {
		return name
	}
	if value[0] == '"' {
		return name + " == " + quote(jsonText(value))
	}
	return name + " == " + string(value)
}
