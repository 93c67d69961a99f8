package mcpshape

import (
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"
)

// Kind says what is checked.
type Kind uint8

// The kinds: the params of a request, the result that answers one, the params of a notification.
const (
	Params Kind = iota
	Result
	Notification
)

// Problem is one place where a value is not as the revision demands.
type Problem struct {
	// Path is a JSON pointer (RFC 6901) from the checked value: "" is the value itself. For a missing
	// member it names the object that lacks it.
	Path string
	// Keyword is the JSON Schema keyword that fits: required, type, enum, minimum, maximum, maxItems, format.
	Keyword string
	// Want says what is demanded: the name of the missing member, the types ("string or integer"), the
	// values ("user, assistant"), the bound, the format.
	Want string
	// Value is the raw JSON that was found, cut to 80 bytes with "…"; "" when it is missing.
	Value string
	// Type names the specification's type that holds the member ("Tool", "Annotations"), "" where it has none.
	Type string
	// Optional tells that the value could have been left out: null there is the classic mistake.
	Optional bool
	// Since names the first revision that has this value, where the one in force does not ("" otherwise).
	Since string
}

// MaxProblems is the number of problems after which a check stops.
const MaxProblems = 32

// Check reports where raw differs from what revision demands of method's params or result, in the order
// of the text, a missing member after those that are there. raw is nil when params are absent, and is
// only borrowed. The result is false, and nothing is reported, when nothing is known: the revision
// is not published, or does not have the method. "draft" counts as the newest revision.
//
// A result may come in several forms: the method's own, a task handle (2025-11-25, and the tasks
// extension later) or an input_required result (2026-07-28); what it evidently is decides.
func Check(kind Kind, method, revision string, raw []byte, report func(Problem)) bool {
	rev := revisionOf(revision)
	m := lookup(kind, method, rev)
	if m == nil {
		return false
	}
	s := m.params
	if kind == Result {
		s = m.result
	} else if raw == nil {
		if m.must&rev != 0 {
			report(Problem{Keyword: "required", Want: "params", Type: s.name})
		}
		return true
	}
	run(s, rev, raw, report)
	return true
}

// CheckType does what [Check] does for one of [Types]. It is false when the revision does not have
// the type.
func CheckType(name, revision string, raw []byte, report func(Problem)) bool {
	rev := revisionOf(revision)
	t, ok := namedTypes[name]
	if !ok || t.in&rev == 0 {
		return false
	}
	run(t.shape, rev, raw, report)
	return true
}

// Known tells whether [Check] would look at such a value.
func Known(kind Kind, method, revision string) bool {
	return lookup(kind, method, revisionOf(revision)) != nil
}

var checkers = sync.Pool{New: func() any { return new(checker) }}

func run(s *shape, rev revisions, raw []byte, report func(Problem)) {
	c := checkers.Get().(*checker)
	c.check(s, rev, raw)
	for _, p := range c.problems {
		report(p)
	}
	c.data = nil // raw is the caller's
	checkers.Put(c)
}

// checker walks one value.
type checker struct {
	scanner
	rev      revisions
	path     []step
	problems []Problem
}

// step is one segment of a JSON pointer.
type step struct {
	key   []byte // inside of the JSON string, nil for an index
	index int
}

func (c *checker) check(s *shape, rev revisions, raw []byte) {
	c.scanner = scanner{data: raw}
	c.rev = rev
	c.path = c.path[:0]
	c.problems = c.problems[:0]
	c.value(s, "", false)
}

func (c *checker) done() bool { return c.bad || len(c.problems) >= MaxProblems }

func (c *checker) problem(p Problem) {
	if !c.done() {
		p.Path = c.pointer()
		c.problems = append(c.problems, p)
	}
}

var pointerEscapes = strings.NewReplacer("~", "~0", "/", "~1")

func (c *checker) pointer() string {
	var b strings.Builder
	for _, s := range c.path {
		b.WriteByte('/')
		if s.key == nil {
			b.WriteString(strconv.Itoa(s.index))
		} else {
			b.WriteString(pointerEscapes.Replace(plain(s.key)))
		}
	}
	return b.String()
}

const maxValue = 80

// elide cuts raw JSON for people, never inside a character.
func elide(raw []byte) string {
	if len(raw) <= maxValue {
		return strings.ToValidUTF8(string(raw), "\uFFFD")
	}
	n := maxValue
	for n > 0 && !utf8.RuneStart(raw[n]) {
		n--
	}
	return strings.ToValidUTF8(string(raw[:n]), "\uFFFD") + "…"
}
