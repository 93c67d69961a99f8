package compare

import (
	"slices"
	"sort"
	"strings"
)

// Direction says which way the values travel that a schema describes. What narrows a schema breaks those who
// make the values, what widens it those who read them.
type Direction uint8

// The directions.
const (
	Input  Direction = iota // callers make the values: the arguments of a call
	Output                  // callers read them: a structured result
)

func (d Direction) String() string {
	if d == Output {
		return "output"
	}
	return "input"
}

// SchemaChange is one difference between two schemas.
type SchemaChange struct {
	Pointer string // JSON pointer of the subschema in the new schema, in the old one for what is gone
	Path    string // of the values it is about, as people write it: filter.tags[]; "" is all of them
	Keyword string
	Kind    Kind
	Words   string
	Grade   Grade
	Why     string
	// Undecided says that the structure of the schemas does not tell whether values are refused that were
	// accepted before, or the other way round. Grade is then the worse one, until recorded values show better.
	Undecided bool

	at     []string // of the values: names, "*" for any
	member string   // of the object there: what came, went or became required; "" otherwise
	moved  move
}

// Schemas compares two JSON Schemas by their structure and says how values of a direction are concerned. Local
// references are followed, nothing is fetched. Both schemas are only borrowed. The same schema, however it is
// spelled, gives no change.
func Schemas(before, after []byte, d Direction) []SchemaChange {
	c := comparison{direction: d, seen: make(map[seenPair]bool), left: maxSteps}
	old, okOld := readSchema(before)
	new, okNew := readSchema(after)
	if !okOld || !okNew {
		if string(before) == string(after) {
			return nil
		}
		c.undecided("", Changed, place{}, "the schema changed; it is too large, too deep or no JSON")
		return c.out
	}
	c.docs = [2]any{old, new}
	c.compare(node{old, "", 0}, node{new, "", 1}, place{})
	sort.SliceStable(c.out, func(i, j int) bool { return c.out[i].Path < c.out[j].Path })
	return c.out
}

// move says how a change moves the set of values that a schema accepts.
type move uint8

const (
	still    move = iota // not at all
	narrower             // some are no longer accepted
	wider                // more are
	sideways             // some come, others go, or nobody can tell
)

func (m move) flipped() move {
	switch m {
	case narrower:
		return wider
	case wider:
		return narrower
	}
	return m
}

// Bounds of one comparison.
const (
	maxSteps         = 50_000 // pairs of subschemas looked at
	maxSchemaBytes   = 1 << 20
	maxSchemaDepth   = 100
	maxSchemaChanges = 500
)

// comparison is one run over two schemas.
type comparison struct {
	docs      [2]any
	direction Direction
	out       []SchemaChange
	seen      map[seenPair]bool
	left      int
	flip      bool // inside of an odd number of not
	prints    [2]map[string]string
}

type seenPair struct {
	before, after string
	flip          bool
}

// place is where in the values the comparison stands.
type place struct {
	at    []string
	shown string
}

func (p place) member(name string) place {
	shown := name
	if strings.ContainsAny(name, ".[]` ") || name == "" {
		shown = `"` + name + `"`
	}
	if p.shown != "" {
		shown = p.shown + "." + shown
	}
	return place{append(slices.Clip(p.at), name), shown}
}

func (p place) item() place { return place{append(slices.Clip(p.at), "*"), p.shown + "[]"} }

func (p place) other() place {
	shown := "*"
	if p.shown != "" {
		shown = p.shown + ".*"
	}
	return place{append(slices.Clip(p.at), "*"), shown}
}

// name is what words call the place.
func (p place) name(d Direction) string {
	switch {
	case p.shown != "":
		return "`" + p.shown + "`"
	case d == Output:
		return "the result"
	}
	return "the arguments"
}

// tell notes a change. words come after the name of the place.
func (c *comparison) tell(m move, k Kind, keyword, pointer string, p place, words string) *SchemaChange {
	if len(c.out) >= maxSchemaChanges {
		return &SchemaChange{}
	}
	name := p.name(c.direction)
	if c.flip {
		m = m.flipped()
		name = "what " + name + " must not be"
	}
	s := SchemaChange{Pointer: pointer, Path: p.shown, Keyword: keyword, Kind: k, Words: name + words, at: p.at, moved: m}
	s.Grade, s.Why = gradeOf(m, c.direction)
	c.out = append(c.out, s)
	return &c.out[len(c.out)-1]
}

// undecided notes a change of which the structure does not tell what it means.
func (c *comparison) undecided(pointer string, k Kind, p place, words string) *SchemaChange {
	s := c.tell(sideways, k, "", pointer, p, "")
	s.Words, s.Undecided = words, true
	if p.shown != "" {
		s.Words = p.name(c.direction) + ": " + words
	}
	s.Grade, s.Why = Breaking, "the schemas alone do not tell, so the worse is assumed"
	return s
}

// gradeOf says what a move means for callers.
func gradeOf(m move, d Direction) (Grade, string) {
	switch {
	case m == still:
		return Cosmetic, "no value is judged differently"
	case d == Input && m == narrower:
		return Breaking, "calls that were valid may now be refused"
	case d == Input && m == wider:
		return Compatible, "every call that was valid still is"
	case d == Input:
		return Breaking, "some calls that were valid may now be refused"
	case m == narrower:
		return Compatible, "every result still fits what callers expect"
	case m == wider:
		return Breaking, "results may now be what callers do not expect"
	}
	return Breaking, "some results may now be what callers do not expect"
}

// compare compares two subschemas that describe the same values.
func (c *comparison) compare(a, b node, p place) {
	if c.left--; c.left < 0 {
		if c.left == -1 {
			c.undecided("", Changed, place{}, "the schemas are too intricate to be compared to their ends")
		}
		return
	}
	if len(p.at) > maxSchemaDepth {
		return
	}
	x, y := c.resolve(a), c.resolve(b)
	key := seenPair{x.ptr, y.ptr, c.flip}
	if c.seen[key] {
		if len(x.from)+len(y.from) > 0 {
			c.annotations(x, y, p) // what stands beside a reference is not what it leads to
		}
		return
	}
	c.seen[key] = true
	switch {
	case x.union != "" || y.union != "":
		c.unions(x, y, p)
	default:
		c.plain(x, y, p)
	}
}

// plain compares two schemas without alternatives.
func (c *comparison) plain(x, y *subschema, p place) {
	if x.nothing || y.nothing {
		c.never(x, y, p)
		return
	}
	tx, ty := c.types(x, y, p)
	if tx&ty == 0 && tx != 0 && ty != 0 {
		c.annotations(x, y, p)
		return // nothing more can be said of values that have nothing in common
	}
	k := kinds(tx | ty)
	c.values(x, y, p)
	if k.has(numeric) {
		c.bounds(x, y, p)
	}
	c.sizes(x, y, p, k)
	if k.has(textual) {
		c.texts(x, y, p)
	}
	c.format(x, y, p, k.has(textual))
	if k.has(objects) {
		c.members(x, y, p)
	}
	if k.has(arrays) {
		c.items(x, y, p)
	}
	c.conditions(x, y, p)
	c.annotations(x, y, p)
}

// never compares where one of the schemas accepts nothing.
func (c *comparison) never(x, y *subschema, p place) {
	switch {
	case x.nothing == y.nothing:
	case y.nothing:
		c.tell(narrower, Changed, "false", y.ptr, p, " must no longer be there")
	default:
		c.tell(wider, Changed, "false", y.ptr, p, " may now be there")
	}
}
