package compare

import (
	"fmt"
	"slices"
	"strings"

	"github.com/shakescope/shakescope/annotate"
	"github.com/shakescope/shakescope/jsonrpc"
)

// catalogue compares what the servers listed.
func (c *comparer) catalogue() {
	for k := range annotate.ListKinds {
		a, b := c.a.list(k), c.b.list(k)
		if !a.Seen() && !b.Seen() {
			continue
		}
		if !a.Seen() || !b.Seen() {
			c.add(Change{Section: Catalogue, Kind: Unseen, What: listers[k].noun, Words: unseen(!a.Seen(), "nobody got an answer to "+listers[k].Method),
				Why: "what is offered there is not known"})
			continue
		}
		c.list(k, a, b)
	}
}

// list compares one list.
func (c *comparer) list(k annotate.ListKind, a, b list) {
	gone, come, both := c.match(k, a, b)
	uses := c.uses(k)
	noun := listers[k].noun
	renamed := c.renamed(k, a, b, gone, come)
	taken := map[string]bool{}
	for _, name := range gone {
		x := Change{Section: Catalogue, Kind: Removed, Grade: Breaking, What: noun, Name: name, A: a.Item(name).Page.At, Words: "was removed" + used(uses[name], k),
			Why: "who uses it gets an error"}
		if to, ok := renamed[name]; ok {
			taken[to] = true
			x.Kind, x.To, x.B, x.base = Renamed, to, b.Item(to).Page.At, base(k, b.Item(to))
			x.Words = fmt.Sprintf("was renamed to %s%s", to, used(uses[name], k))
			x.Why = "who knows it by its old name gets an error"
		} else if !a.Whole() || !b.Whole() {
			x.Grade, x.Words, x.Why = Breaking, "was not listed any more"+used(uses[name], k), "who uses it may get an error; a list was not read to its end"
		}
		c.add(x)
	}
	for _, name := range come {
		if !taken[name] {
			c.add(Change{Section: Catalogue, Kind: Added, Grade: Compatible, What: noun, Name: name, B: b.Item(name).Page.At, Words: "was added", Why: added(k), base: base(k, b.Item(name))})
		}
	}
	for _, p := range both {
		x, y := a.Item(p[0]), b.Item(p[1])
		if x.Definition != nil && y.Definition != nil && string(x.Definition) != string(y.Definition) {
			c.item(k, p[0], x, y)
		}
	}
	if len(gone)+len(come) == 0 && len(both) > 1 && !sameOrder(a, b) && k != annotate.ResourceList {
		c.add(Change{Section: Catalogue, Kind: Changed, Grade: Cosmetic, What: noun, Name: "", Part: "order", Words: "the list has another order",
			Why: "nothing depends on it but what the model reads first, and caches of prompts", A: a.first(), B: b.first()})
	}
}

// base is the JSON pointer of a definition in the answer that lists it.
func base(k annotate.ListKind, i *annotate.ListItem) string {
	return fmt.Sprintf("/result/%s/%d", listers[k].Member, i.Index)
}

func added(k annotate.ListKind) string {
	if k == annotate.ToolList {
		return "nobody has to use it; the model now reads its description"
	}
	return "nobody has to use it"
}

func used(n int, k annotate.ListKind) string {
	if n == 0 {
		return ""
	}
	what := map[annotate.ListKind]string{annotate.ToolList: "call", annotate.PromptList: "use", annotate.ResourceList: "read"}[k]
	return fmt.Sprintf("; the first recording has %s of it", plural(n, what))
}

// uses counts the requests of the first recording by what they use.
func (c *comparer) uses(k annotate.ListKind) map[string]int {
	out := map[string]int{}
	method := listers[k].Use
	if method == "" {
		return out
	}
	for i := range c.a.exchanges {
		x := &c.a.exchanges[i]
		if !x.server && c.a.names[x.method] == method {
			out[c.a.names[x.target]]++
		}
	}
	return out
}

// match tells which items are on both sides: those of the same name, and of the rest those whose names differ only
// in what changes with every run.
func (c *comparer) match(k annotate.ListKind, a, b list) (gone, come []string, both [][2]string) {
	for _, it := range a.order {
		if b.Item(it.Name) != nil {
			both = append(both, [2]string{it.Name, it.Name})
		} else {
			gone = append(gone, it.Name)
		}
	}
	plain := map[string]string{}
	for _, it := range b.order {
		if name := it.Name; a.Item(name) == nil {
			come = append(come, name)
			if k == annotate.ResourceList {
				plain[string(c.b.text(nil, []byte(name)))] = name
			}
		}
	}
	if k == annotate.ResourceList {
		left := gone[:0]
		for _, name := range gone {
			if to, ok := plain[string(c.a.text(nil, []byte(name)))]; ok {
				both = append(both, [2]string{name, to})
				come = slices.DeleteFunc(come, func(s string) bool { return s == to })
				continue
			}
			left = append(left, name)
		}
		gone = left
	}
	return gone, come, both
}

// renamed finds items that went under one name and came back under another, with everything else the same.
func (c *comparer) renamed(k annotate.ListKind, a, b list, gone, come []string) map[string]string {
	out := map[string]string{}
	body := func(raw []byte) uint64 {
		h, told := uint64(0), false
		exact := steady{exact: true}
		for name, v := range jsonrpc.Members(raw) {
			switch name {
			case "description", "inputSchema", "outputSchema", "arguments", "mimeType", "size":
				told = told || name == "description" || name == "arguments" || name == "size"
				h += mix(exact.digest([]byte(quoted(name))), exact.digest(v))
			case "name":
				if k == annotate.ResourceList || k == annotate.TemplateList {
					told = true
					h += mix(5, exact.digest(v))
				}
			}
		}
		if !told {
			return 0
		}
		return h
	}
	byBody := map[uint64][]string{}
	for _, name := range come {
		if h := body(b.Item(name).Definition); h != 0 {
			byBody[h] = append(byBody[h], name)
		}
	}
	from := map[uint64]int{}
	for _, name := range gone {
		from[body(a.Item(name).Definition)]++
	}
	for _, name := range gone {
		h := body(a.Item(name).Definition)
		if list := byBody[h]; h != 0 && len(list) == 1 && from[h] == 1 {
			out[name] = list[0]
		}
	}
	return out
}

// item compares two definitions of one thing.
func (c *comparer) item(k annotate.ListKind, name string, a, b *annotate.ListItem) {
	for _, m := range membersOf(a.Definition, b.Definition) {
		x := Change{Section: Catalogue, Kind: m.kind, What: listers[k].noun, Name: name, Part: m.name, Where: "/" + escaped(m.name), A: a.Page.At, B: b.Page.At, base: base(k, b)}
		switch {
		case m.name == listers[k].Key:
		case k == annotate.ToolList && m.name == "inputSchema":
			c.schemas(x, m, Input)
		case k == annotate.ToolList && m.name == "outputSchema":
			c.schemas(x, m, Output)
		case k == annotate.ToolList && m.name == "annotations":
			c.hints(x, m)
		case k == annotate.ToolList && m.name == "execution":
			c.execution(x, m)
		case k == annotate.PromptList && m.name == "arguments":
			c.arguments(x, m)
		case m.name == "description":
			x.Grade, x.Words, x.Why = Cosmetic, textChange(m), "people read it"
			if k == annotate.ToolList {
				x.Why = "no call is judged differently, but the model reads it: it may choose and call the tool differently"
			}
			c.add(x)
		case m.name == "mimeType":
			x.Grade, x.Words, x.Why = Breaking, "type "+from(bare(m.before), bare(m.after)), "readers that go by the type read it wrongly"
			c.add(x)
		case m.name == "size":
			x.Grade, x.Words, x.Why = Cosmetic, "size "+from(bare(m.before), bare(m.after)), "it says how much there is to read"
			c.add(x)
		default:
			x.Grade, x.Words, x.Why = Cosmetic, textChange(m), "no request is judged differently"
			c.add(x)
		}
	}
}

// bare shows a raw value without its quotes.
func bare(raw []byte) string {
	if s, ok := jsonrpc.Unquote(raw); ok {
		return orNone(s)
	}
	if raw == nil {
		return "none"
	}
	return cut(string(raw), 80)
}

// textChange says how a member with a text, or anything else, changed.
func textChange(m memberChange) string {
	a, isText := jsonrpc.Unquote(m.before)
	b, isText2 := jsonrpc.Unquote(m.after)
	switch {
	case m.kind == Added:
		return m.name + " added: " + cut(string(m.after), 120)
	case m.kind == Removed:
		return m.name + " removed (was " + cut(string(m.before), 120) + ")"
	case isText && isText2:
		return m.name + " changed: " + textWords(a, b)
	}
	d := differ{steady: steady{exact: true}, most: 3}
	d.raw(m.before, m.after)
	var parts []string
	for _, f := range d.out {
		parts = append(parts, strings.TrimSpace(f.Path+" "+f.Words))
	}
	if d.more > 0 {
		parts = append(parts, fmt.Sprintf("%d more", d.more))
	}
	return m.name + " changed: " + strings.Join(parts, "; ")
}

// hint is an annotation by which hosts decide whether to ask the user, with what it is when it is not said.
var hints = []struct {
	name    string
	usual   string
	safe    string // the value that makes hosts ask less
	safer   string
	riskier string
}{
	{"readOnlyHint", "false", "true", "is now said to change nothing", "is no longer said to change nothing"},
	{"destructiveHint", "true", "false", "is now said to destroy nothing", "may now destroy something"},
	{"idempotentHint", "false", "true", "may now be said to be repeatable without further effect", "is no longer said to be repeatable without further effect"},
	{"openWorldHint", "true", "false", "is now said to reach nothing outside", "may now reach what is outside"},
}

// hints compares a tool's annotations.
func (c *comparer) hints(x Change, m memberChange) {
	value := func(raw []byte, h string, usual string) string {
		if v := string(member(raw, h)); v == "true" || v == "false" {
			return v
		}
		return usual
	}
	known := map[string]bool{}
	for _, h := range hints {
		known[h.name] = true
		a, b := value(m.before, h.name, h.usual), value(m.after, h.name, h.usual)
		y := x
		y.Where, y.Kind = "/annotations/"+h.name, Changed
		said := func(raw []byte) bool { return member(raw, h.name) != nil }
		switch {
		case a == b && said(m.before) == said(m.after):
			continue
		case a == b:
			y.Grade, y.Words, y.Why = Cosmetic, h.name+" is now spelled out", "it means what is assumed without it"
			if !said(m.after) {
				y.Words = h.name + " is no longer spelled out"
			}
		case b == h.safe:
			y.Grade, y.Words, y.Why = Compatible, h.safer+" ("+h.name+")", "hosts may ask the user less often: look whether it is true"
		default:
			y.Grade, y.Words, y.Why = Breaking, h.riskier+" ("+h.name+")", "hosts that let it run without asking must ask now"
		}
		c.add(y)
	}
	for _, o := range membersOf(object(m.before), object(m.after)) {
		if !known[o.name] {
			y := x
			y.Where, y.Kind, y.Grade, y.Words, y.Why = "/annotations/"+escaped(o.name), o.kind, Cosmetic, textChange(o), "no request is judged differently"
			c.add(y)
		}
	}
}

func object(raw []byte) []byte {
	if raw == nil {
		return []byte("{}")
	}
	return raw
}

// execution compares whether a tool can, or must, run as a task.
func (c *comparer) execution(x Change, m memberChange) {
	read := func(raw []byte) string {
		if s := unquoted(member(raw, "taskSupport")); s != "" {
			return s
		}
		return "forbidden"
	}
	a, b := read(m.before), read(m.after)
	x.Where = "/execution/taskSupport"
	x.Words = "running as a task: " + from(a, b)
	switch {
	case a == b:
		x.Grade, x.Words, x.Why = Cosmetic, textChange(m), "no call is judged differently"
	case b == "optional":
		x.Grade, x.Why = Compatible, "both ways of calling are open"
	case b == "required":
		x.Grade, x.Why = Breaking, "calls that are no tasks are refused"
	case b == "forbidden":
		x.Grade, x.Why = Breaking, "calls as tasks are refused"
	}
	c.add(x)
}

// arguments compares the arguments of a prompt.
func (c *comparer) arguments(x Change, m memberChange) {
	read := func(raw []byte) (map[string][]byte, []string) {
		out, order := map[string][]byte{}, []string(nil)
		elements(raw, func(v []byte) bool {
			if name := unquoted(member(v, "name")); name != "" && out[name] == nil {
				out[name] = v
				order = append(order, name)
			}
			return len(order) < 1000
		})
		return out, order
	}
	before, order := read(m.before)
	after, more := read(m.after)
	needed := func(raw []byte) bool { return string(member(raw, "required")) == "true" }
	for _, name := range order {
		y := x
		y.Where, y.Kind = "/arguments", Changed
		shown := "`" + name + "`"
		now, ok := after[name]
		if !ok {
			y.Kind, y.Grade, y.Words, y.Why = Removed, Breaking, shown+" was removed", "nothing says that giving it does anything any more"
			c.add(y)
			continue
		}
		switch was, is := needed(before[name]), needed(now); {
		case is && !was:
			y.Grade, y.Words, y.Why = Breaking, shown+" became required", "who did not give it is refused"
			c.add(y)
		case was && !is:
			y.Grade, y.Words, y.Why = Compatible, shown+" is no longer required", "who gives it is served as before"
			c.add(y)
		}
		for _, o := range membersOf(before[name], now) {
			if o.name != "required" {
				y := x
				y.Where, y.Kind, y.Grade, y.Words, y.Why = "/arguments", o.kind, Cosmetic, shown+": "+textChange(o), "people read it"
				c.add(y)
			}
		}
	}
	for _, name := range more {
		if before[name] != nil {
			continue
		}
		y := x
		y.Where, y.Kind, y.Grade, y.Words, y.Why = "/arguments", Added, Compatible, "`"+name+"` was added, optional", "who does not know it can leave it out"
		if needed(after[name]) {
			y.Grade, y.Words, y.Why = Breaking, "`"+name+"` was added and is required", "who does not give it is refused"
		}
		c.add(y)
	}
}
