package annotate

import (
	"time"

	"github.com/shakescope/shakescope/internal/mcpspec"
)

// pages is what is known of the cursors of a legacy session, or of the modern side of a process. A list is
// a tree: each cursor leads on from the page that gave it. Walks over one list may run side by side, so
// that only a page's own ancestors count as read before it.
type pages struct {
	lists []*paged // in the order in which they were first asked for
	loose bool     // an answer that pairs with nothing gave a cursor: one that is not known proves nothing

	asked  Ref // the newest request that was looked at
	use    cursorUse
	told   Ref // the newest answer
	newest *pageNews
}

// paged is the cursors of one list method of one asker.
type paged struct {
	method string
	from   end
	root   *cursor // stands for the first page
	given  map[string]*cursor
	order  []*cursor
	where  map[string]*cursor // the page that holds an item
	full   bool               // cursors were forgotten, so that an unknown one proves nothing
}

// cursor is a place in a list.
type cursor struct {
	gave     Ref // the page that offered it
	t        time.Duration
	before   *cursor // the place that this one follows
	depth    int
	followed bool // somebody asked for it
	empty    bool
	read     Ref // its page
	items    []string
}

// Bounds of what is kept of a list.
const (
	maxPages = 4096
	maxPaged = 100_000 // items
)

// leadsTo reports whether c lies on the way from the first page to d, d included.
func (c *cursor) leadsTo(d *cursor) bool {
	for n := 0; d != nil && d.depth >= c.depth && n < maxPages; d, n = d.before, n+1 {
		if d == c {
			return true
		}
	}
	return false
}

// pageOwner returns what cursors of an era live as long as.
func (v *view) pageOwner(era string) any {
	if era == mcpspec.Modern {
		return v.Process
	}
	return v.Session
}

func (p *pages) of(method string, from end) *paged {
	for _, l := range p.lists {
		if l.method == method && l.from == from {
			return l
		}
	}
	l := &paged{method: method, from: from, root: new(cursor), given: make(map[string]*cursor), where: make(map[string]*cursor)}
	p.lists = append(p.lists, l)
	return l
}

// strayPage takes in an answer that nobody can pair for certain, and that a tolerant client may page on from.
func strayPage(v *view) {
	m := v.Entry.Message
	if v.Exchange != nil && v.Entry.Kind != Invalid || m == nil || member(m.Result, "nextCursor") == nil {
		return
	}
	memo[pages](v, v.Session).loose = true
	memo[pages](v, v.Process).loose = true
}

// cursorUse is what is to be said about the cursor of a request.
type cursorUse struct {
	verdict cursorVerdict
	empty   bool
	method  string // the list that gave it
	gave    Ref
}

type cursorVerdict uint8

const (
	fine cursorVerdict = iota
	neverGiven
	givenElsewhere
)

// badCursors remembers the open requests whose cursor cannot be valid.
type badCursors struct{ of map[*exchange]cursorUse }

// cursor looks at the cursor of a list request, once.
func (v *view) cursor() cursorUse {
	x := v.Exchange
	p := memo[pages](v, v.pageOwner(x.era))
	if p.asked == v.At {
		return p.use
	}
	p.asked, p.use = v.At, cursorUse{}
	if !isString(v.call.cursor) {
		return p.use
	}
	text := text(v.call.cursor)
	l := p.of(x.method, x.from)
	if c := l.given[text]; c != nil {
		c.followed = true
		return p.use
	}
	if l.full || p.loose || v.uncertain() || x.era == "" {
		return p.use
	}
	p.use.verdict, p.use.empty = neverGiven, text == ""
	for _, other := range p.lists {
		if c := other.given[text]; c != nil && other != l && other.from == x.from && text != "" {
			p.use.verdict, p.use.method, p.use.gave = givenElsewhere, other.method, c.gave
		}
	}
	b := memo[badCursors](v, v.pageOwner(x.era))
	if b.of == nil || len(b.of) >= maxPages {
		b.of = make(map[*exchange]cursorUse)
	}
	b.of[x] = p.use
	return p.use
}

// pageNews is what is to be said about one page.
type pageNews struct {
	loop     bool
	itself   bool // its nextCursor is its own cursor
	back     Ref  // where nextCursor leads to
	repeated []string
	earlier  Ref // the page that has the first of those
}

// page takes in the page that the entry is, once; nil is none.
func (v *view) page() *pageNews {
	x := v.Exchange
	if x == nil || !x.sized {
		return nil
	}
	p := memo[pages](v, v.pageOwner(x.era))
	if p.told == v.At {
		return p.newest
	}
	p.told, p.newest = v.At, new(pageNews)
	l := p.of(x.method, x.from)
	own := member(x.params, "cursor")
	base := l.root
	if isString(own) {
		base = l.given[text(own)]
	}
	next := v.outcome.next
	if isString(next) && isString(own) && text(next) == text(own) {
		p.newest.loop, p.newest.itself = true, true
		return p.newest
	}
	if base == nil {
		return p.newest // a cursor that nobody knows: where its page stands is unknown
	}
	base.read = v.At
	if isString(next) {
		l.offer(text(next), base, v, p.newest)
	}
	if !p.newest.loop && (base != l.root || isString(next)) {
		l.hold(base, v, p.newest)
	}
	return p.newest
}

// offer takes in the nextCursor of a page.
func (l *paged) offer(next string, base *cursor, v *view, found *pageNews) {
	c := l.given[next]
	switch {
	case c == nil && len(l.given) >= maxPages:
		l.full = true
	case c == nil:
		c = &cursor{gave: v.At, t: v.T, before: base, depth: base.depth + 1, empty: next == ""}
		l.given[next] = c
		l.order = append(l.order, c)
	case c.leadsTo(base):
		found.loop, found.back = true, c.read
	default:
		c.before, c.depth = base, base.depth+1
	}
}

// hold takes in the items of a page.
func (l *paged) hold(base *cursor, v *view, found *pageNews) {
	kind, key, ok := listKindOf(l.method)
	if !ok {
		return
	}
	for _, name := range base.items {
		if l.where[name] == base {
			delete(l.where, name)
		}
	}
	base.items = base.items[:0]
	moving := v.Session.catalogue.lists[kind].isStale() // the list changed in the midst of the walk
	elements(v.outcome.items, func(item []byte) bool {
		raw := member(item, key)
		if !isString(raw) || len(l.where) >= maxPaged {
			return len(l.where) < maxPaged
		}
		name := text(raw)
		if at := l.where[name]; at != nil && at != base && !moving && at.leadsTo(base) {
			if found.repeated = append(found.repeated, name); len(found.repeated) == 1 {
				found.earlier = at.read
			}
			return true
		}
		l.where[name] = base
		base.items = append(base.items, name)
		return true
	})
}
