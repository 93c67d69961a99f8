package annotate

import (
	"bytes"
	"cmp"
	"slices"
	"sort"
	"strings"

	"github.com/shakescope/shakescope/internal/mcpspec"
)

// Ledger keeps account of capabilities: who declared what where, what was used how often, what was used
// without having been declared. It takes the entries of a recording in order, each one once and final,
// as [Collect] hands them out. The zero Ledger is empty.
type Ledger struct {
	lines  map[[2]string]*LedgerLine
	stated map[string][]byte // by side: the capabilities object seen last, so that an equal one is read once
}

// LedgerLine is the account of one capability of one side.
type LedgerLine struct {
	Side       string // client or server
	Path       string // tools.listChanged
	Declared   int64  // messages that declared it
	DeclaredAt []Ref  // the first of them
	Used       int64  // messages that lean on it and could, answers not counted
	Undeclared int64  // messages that lean on it although it was not declared
	Unknown    int64  // messages that lean on it where the declaration was not seen
	At         []Ref  // the first messages that lean on it and could, or where nobody can know
	Against    []Ref  // the first messages that lean on it although it was not declared
	Note       string // a remark for people; ""
	InSpec     bool   // a published revision defines the path
}

// Status is the verdict on one line of a ledger.
type Status string

// The verdicts. Implied is said of a capability that stands only for its parts, such as tasks.
const (
	StatusUsed       Status = "used"
	StatusNeverUsed  Status = "never_used"
	StatusUndeclared Status = "undeclared"
	StatusUnknown    Status = "unknown"
	StatusImplied    Status = "implied"
)

// Status returns the verdict: a use without declaration outweighs the others.
func (l *LedgerLine) Status() Status {
	switch {
	case l.Undeclared > 0:
		return StatusUndeclared
	case l.Used > 0:
		return StatusUsed
	case l.Unknown > 0:
		return StatusUnknown
	case container(l.Path):
		return StatusImplied
	}
	return StatusNeverUsed
}

// container reports whether no message leans on a path itself, only on what is below it.
func container(path string) bool {
	return path == "tasks" || path == "extensions" || path == "experimental"
}

const maxLedgerRefs = 20

// Add takes the next entry.
func (l *Ledger) Add(e *Entry) {
	if l.lines == nil {
		l.lines = make(map[[2]string]*LedgerLine)
		l.stated = make(map[string][]byte)
	}
	if e.Message == nil {
		return
	}
	l.declarations(e)
	for _, c := range e.leans() {
		line := l.line(c.Side, c.Path)
		switch c.State {
		case IsDeclared:
			line.Used++
			if line.Declared == 0 && c.At != 0 { // declared by what it is a part of
				line.Declared, line.DeclaredAt = 1, []Ref{{Seq: c.At, Sub: NoSub}}
			}
		case Undeclared:
			line.Undeclared++
			line.Against = keepRef(line.Against, e.Ref)
			continue
		default:
			line.Unknown++
		}
		line.At = keepRef(line.At, e.Ref)
	}
}

func keepRef(refs []Ref, r Ref) []Ref {
	if len(refs) < maxLedgerRefs {
		return append(refs, r)
	}
	return refs
}

// declarations reads the capabilities that a message states.
func (l *Ledger) declarations(e *Entry) {
	switch {
	case e.Kind == Request && e.From == client.String():
		if e.Method == "initialize" {
			l.declare(client, member(e.Message.Params, "capabilities"), e.Ref)
		} else if e.Era == mcpspec.Modern {
			l.declare(client, member(e.Message.Params, "_meta", mcpspec.MetaClientCapabilities), e.Ref)
		}
	case e.Kind == Response && e.From == server.String() && (e.Method == "initialize" || e.Method == "server/discover"):
		l.declare(server, member(e.Message.Result, "capabilities"), e.Ref)
	}
}

func (l *Ledger) declare(side end, caps []byte, at Ref) {
	if !isObject(caps) {
		return
	}
	if bytes.Equal(l.stated[side.String()], caps) {
		for _, line := range l.lines {
			if line.Side == side.String() && line.Declared > 0 && declares(caps, line.Path) {
				line.Declared++
			}
		}
		return
	}
	l.stated[side.String()] = bytes.Clone(caps)
	for _, path := range declaredPaths(side, caps) {
		line := l.line(side.String(), path)
		line.Declared++
		line.DeclaredAt = keepRef(line.DeclaredAt, at)
	}
}

// maxDeclaredPaths bounds what a hostile capabilities object can bring into a ledger.
const maxDeclaredPaths = 500

// declaredPaths lists the capabilities in an object: those of the specification, and what else stands
// in the places where peers put their own.
func declaredPaths(side end, caps []byte) []string {
	var out []string
	add := func(path string) {
		// Form elicitation need not be spelled out; where it is not, only a use brings it in.
		stated := declares(caps, path) && (path != "elicitation.form" || member(caps, "elicitation", "form") != nil)
		if stated && len(out) < maxDeclaredPaths && !slices.Contains(out, path) {
			out = append(out, path)
		}
	}
	for _, c := range mcpspec.CapabilityPaths() {
		if string(c.Side) == side.String() {
			add(c.Path)
		}
	}
	members(caps, func(key, value []byte) bool {
		name := string(key)
		add(name)
		switch name {
		case "extensions":
			members(value, func(id, _ []byte) bool { add(mcpspec.ExtensionPath(string(id))); return len(out) < maxDeclaredPaths })
		default:
			if mcpspec.LookupCapability(mcpspec.Side(side.String()), name) != nil && !container(name) {
				members(value, func(sub, _ []byte) bool { add(name + "." + string(sub)); return len(out) < maxDeclaredPaths })
			}
		}
		return len(out) < maxDeclaredPaths
	})
	return out
}

func (l *Ledger) line(side, path string) *LedgerLine {
	key := [2]string{side, path}
	if l.lines[key] == nil {
		l.lines[key] = &LedgerLine{Side: side, Path: path, InSpec: mcpspec.LookupCapability(mcpspec.Side(side), path) != nil}
	}
	return l.lines[key]
}

// Lines returns the accounts, the client's first, each side in the order of the specification and then
// by name. They are copies.
func (l *Ledger) Lines() []LedgerLine {
	order := make(map[[2]string]int)
	for i, c := range mcpspec.CapabilityPaths() {
		order[[2]string{string(c.Side), c.Path}] = i + 1
	}
	out := make([]LedgerLine, 0, len(l.lines))
	for _, line := range l.lines {
		c := *line
		c.Note = c.note()
		out = append(out, c)
	}
	sort.Slice(out, func(i, j int) bool {
		a, b := &out[i], &out[j]
		place := func(x *LedgerLine) int {
			if n := order[[2]string{x.Side, x.Path}]; n > 0 {
				return n
			}
			return len(order) + 1
		}
		return cmp.Or(strings.Compare(a.Side, b.Side), cmp.Compare(place(a), place(b)), strings.Compare(a.Path, b.Path)) < 0
	})
	return out
}

// note says what people should know about the line.
func (l *LedgerLine) note() string {
	if !l.InSpec && l.Declared > 0 {
		switch {
		case l.Side == client.String() && mcpspec.LookupCapability(mcpspec.Server, l.Path) != nil:
			return "a server's capability: a client offers no " + l.Path
		case l.Side == server.String() && mcpspec.LookupCapability(mcpspec.Client, l.Path) != nil:
			return "a client's capability: a server offers no " + l.Path
		}
		return "not in the specification"
	}
	switch l.Status() {
	case StatusNeverUsed:
		return neverUsed(l)
	case StatusUndeclared:
		return "used without having been declared"
	case StatusUnknown:
		return "the declaration was not in this recording"
	}
	return ""
}

// neverUsed says what a declaration costs that brought nothing.
func neverUsed(line *LedgerLine) string {
	switch line.Path {
	case "tools.listChanged":
		return "declared for nothing here: most servers do not need it, their tools never change while they run"
	case "prompts.listChanged", "resources.listChanged", "roots.listChanged":
		return "declared for nothing here: the list never changed"
	case "resources.subscribe":
		return "declared for nothing here: nobody subscribed"
	case "logging":
		return "declared for nothing here: no level was set, no message logged"
	case "completions":
		return "declared for nothing here: no completion was asked for"
	}
	return "never used here"
}

// MarshalJSON writes the line as `caps --json` has it.
func (l LedgerLine) MarshalJSON() ([]byte, error) {
	var w jsonWriter
	w.open()
	w.text("side", l.Side)
	w.text("path", l.Path)
	w.text("status", string(l.Status()))
	w.int("declared", l.Declared)
	w.refs("declared_at", l.DeclaredAt)
	w.int("used", l.Used)
	w.int("undeclared", l.Undeclared)
	w.int("unknown", l.Unknown)
	w.refs("at", l.At)
	w.refs("against", l.Against)
	w.textIf("note", l.Note)
	w.close()
	return w.buf, nil
}
