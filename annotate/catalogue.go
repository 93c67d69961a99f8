package annotate

import (
	"bytes"
	"cmp"
	"hash/maphash"
	"slices"

	"github.com/shakescope/shakescope/internal/mcpspec"
)

// Catalogue is what a server has listed: tools and prompts by name, resources by URI, templates by their
// pattern. It is the one place where the pages of lists are put together; the zero Catalogue is empty.
//
// A walk begins with a page that was asked for without a cursor (or with null, which clients send for none)
// and goes on with the pages whose cursors its pages gave, until one gives none. A cursor is opaque, so that
// "" is one; walks may run side by side. A walk that comes to its end makes its list whole, and what it did
// not meet is gone. Until then the newest definition of each item counts, those of earlier walks included:
// that is the best that anybody can know. A page whose cursor nobody gave, as in a recording that begins
// late, shows its items and never completes a list. See the pages basic/utilities/pagination and
// server/tools#list-changed-notification of the specification.
//
// list_changed makes a list that was seen stale until its first page is given again. Cursors do not outlive
// the session that gave them; what was listed does, with the session, era and revision of its page.
type Catalogue struct {
	lists   [ListKinds]Listing
	bytes   int // kept of definitions
	session int
	asked   map[Ref]cursorKey // open requests, of [Catalogue.Add]
}

// ListKind is one of the lists of definitions that a server gives.
type ListKind uint8

// The lists, and how many there are.
const (
	ToolList ListKind = iota
	PromptList
	ResourceList
	TemplateList
	ListKinds
)

// Listing is one list of a [Catalogue].
type Listing struct {
	items  map[string]*ListItem
	given  map[cursorKey]turn // by cursors that nobody has followed to the end of their walk
	walk   int32              // number of the newest walk
	whole  int32              // number of the newest walk that came to its end
	stale  Ref                // the list_changed since the newest walk began
	cut    bool               // items were left out
	newest *ListPage
}

// ListPage is the answer that a page of a list came in.
type ListPage struct {
	At, Asked     Ref // the answer; its request
	Session       int
	Era, Revision string // "" where not known
}

// ListItem is one item of a list, as it was listed last. It is shared and must not be changed; it changes
// when another page lists the item again.
type ListItem struct {
	Name       string // name, uri or uriTemplate
	Definition []byte // raw JSON; nil when there was no room. It is not written to, ever
	Page       *ListPage
	Index      int // on the page

	turn
	tool *tool // read from the definition when somebody asks
}

// turn is where something stands: in which walk, 0 for none, and after how many items of it.
type turn struct{ walk, place int32 }

const (
	maxCatalogue = 64 << 20 // bytes of definitions kept for a session
	maxListed    = 100_000  // items of one list
)

var listOf = [ListKinds]*mcpspec.List{
	ToolList: &mcpspec.ToolList, PromptList: &mcpspec.PromptList, ResourceList: &mcpspec.ResourceList, TemplateList: &mcpspec.TemplateList,
}

func listKindOf(method string) (k ListKind, key string, ok bool) {
	for k, l := range listOf {
		if l.Method == method {
			return ListKind(k), l.Key, true
		}
	}
	return 0, "", false
}

// cursorKey stands for the cursor of a request; cursors themselves can be large.
type cursorKey uint64

const (
	firstPage cursorKey = iota
	unknownCursor
	cursorKeys // the first one of a cursor
)

func cursorOf(raw []byte) cursorKey {
	switch {
	case raw == nil || isNull(raw):
		return firstPage
	case isString(raw) && bytes.IndexByte(raw, '\\') >= 0:
		raw = []byte(text(raw))
	case isString(raw):
		raw = raw[1 : len(raw)-1]
	}
	return max(cursorKey(maphash.Bytes(listSeed, raw)), cursorKeys)
}

// Add takes the next entry of a recording, in order. Only requests and answers need their message. whole reports that it is the page
// with which list k came to its end. The entry is borrowed.
func (c *Catalogue) Add(e *Entry) (k ListKind, whole bool) {
	switch byClient := e.From == client.String(); {
	case e.Kind == Notification && !byClient:
		for _, k := range listsOf(e.Method) {
			c.changed(k, e.Ref)
		}
	case e.Message == nil:
	case e.Kind == Request && byClient:
		if _, _, ok := listKindOf(e.Method); ok && len(c.asked) < maxRecent {
			if c.asked == nil {
				c.asked = make(map[Ref]cursorKey)
			}
			c.asked[e.Ref] = cursorOf(member(e.Message.Params, "cursor"))
		}
	case e.Kind == Response && !byClient:
		k, _, ok := listKindOf(e.Method)
		if !ok {
			break
		}
		cursor, known := c.asked[e.Pair]
		if delete(c.asked, e.Pair); !known {
			cursor = unknownCursor
		}
		var values [2][]byte
		pick(e.Message.Result, values[:], listOf[k].Member, "nextCursor")
		return k, c.page(k, cursor, values[0], values[1], e, e.Pair)
	}
	return 0, false
}

// page takes in the page of a list that e answers, and reports whether the list is whole by it.
func (c *Catalogue) page(k ListKind, cursor cursorKey, items, next []byte, e *Entry, asked Ref) bool {
	if !isArray(items) {
		return false
	}
	if e.Session != c.session {
		c.session = e.Session
		for k := range c.lists {
			clear(c.lists[k].given)
		}
	}
	l := &c.lists[k]
	if l.items == nil {
		l.items = make(map[string]*ListItem)
	}
	l.newest = &ListPage{At: e.Ref, Asked: asked, Session: e.Session, Era: e.Era, Revision: e.Revision}
	at, joined := l.given[cursor]
	switch {
	case cursor == firstPage:
		l.walk++
		at, l.stale = turn{walk: l.walk}, Ref{}
	case !joined:
		at.place = int32(len(l.items))
	}
	n := c.take(l, listOf[k].Key, items, at)
	if len(next) > 0 && !isNull(next) {
		l.give(cursorOf(next), turn{at.walk, at.place + n})
		return false
	}
	return at.walk > 0 && c.end(l, at.walk)
}

// take takes in the items of a page, and returns how many there are.
func (c *Catalogue) take(l *Listing, key string, items []byte, at turn) int32 {
	var n int32
	elements(items, func(item []byte) bool {
		n++
		name := member(item, key)
		if !isString(name) {
			return true
		}
		var have *ListItem
		if inside := name[1 : len(name)-1]; bytes.IndexByte(inside, '\\') < 0 {
			have = l.items[string(inside)]
		}
		if have == nil {
			id := text(name)
			if have = l.items[id]; have == nil {
				if len(l.items) >= maxListed {
					l.cut = true
					return false
				}
				have = &ListItem{Name: id, turn: turn{at.walk, at.place + n - 1}}
				l.items[id] = have
			}
		}
		have.Page, have.Index = l.newest, int(n-1)
		if have.walk < at.walk {
			have.turn = turn{at.walk, at.place + n - 1}
		}
		if !bytes.Equal(have.Definition, item) {
			c.bytes -= len(have.Definition)
			have.Definition, have.tool = nil, nil
			if c.bytes+len(item) <= maxCatalogue {
				have.Definition = bytes.Clone(item)
				c.bytes += len(item)
			}
		}
		return true
	})
	return n
}

// give remembers where a cursor leads. Of walks side by side the newer one has it.
func (l *Listing) give(cursor cursorKey, to turn) {
	if have, again := l.given[cursor]; again && have.walk > to.walk || !again && len(l.given) >= maxCursors {
		return
	}
	if l.given == nil {
		l.given = make(map[cursorKey]turn)
	}
	l.given[cursor] = to
}

// end makes the list whole by a walk.
func (c *Catalogue) end(l *Listing, walk int32) bool {
	l.whole = walk
	for name, item := range l.items {
		if item.walk < walk {
			c.bytes -= len(item.Definition)
			delete(l.items, name)
		}
	}
	for cursor, to := range l.given {
		if to.walk <= walk {
			delete(l.given, cursor)
		}
	}
	return true
}

// changed notes that the server says a list changed.
func (c *Catalogue) changed(k ListKind, at Ref) {
	if l := &c.lists[k]; l.Seen() {
		l.stale = at
	}
}

// List returns a list as it stands. It is the catalogue's, and changes with it.
func (c *Catalogue) List(k ListKind) *Listing { return &c.lists[k] }

// Seen reports whether some page was seen.
func (l *Listing) Seen() bool { return l.newest != nil }

// Whole reports whether the list was read from its first page to its last: what is not in it was not offered
// then. A list of more items than are kept is not.
func (l *Listing) Whole() bool { return l.whole > 0 && !l.cut }

// Walking reports whether the newest walk over the list has not come to its end, so that some of the items
// may be gone.
func (l *Listing) Walking() bool { return l.walk > l.whole }

// Stale returns the newest list_changed after which nobody has begun to read the list again, zero for none.
func (l *Listing) Stale() Ref { return l.stale }

// Item returns an item by its name, URI or pattern; nil when it is not listed.
func (l *Listing) Item(name string) *ListItem { return l.items[name] }

// Items returns the items in the order of the list. The slice is the caller's.
func (l *Listing) Items() []*ListItem {
	out := make([]*ListItem, 0, len(l.items))
	for _, item := range l.items {
		out = append(out, item)
	}
	slices.SortFunc(out, func(a, b *ListItem) int {
		return cmp.Or(cmp.Compare(a.place, b.place), cmp.Compare(b.walk, a.walk), cmp.Compare(a.Name, b.Name))
	})
	return out
}

func (l *Listing) isStale() bool { return !l.stale.IsZero() }

// at is the newest page.
func (l *Listing) at() Ref {
	if l.newest == nil {
		return Ref{}
	}
	return l.newest.At
}

// tool returns the definition of a tool as listed, nil when it was not listed or not kept. It stays as it
// is when the list changes.
func (c *Catalogue) tool(name string) *tool {
	t := c.lists[ToolList].items[name]
	if t == nil || t.Definition == nil {
		return nil
	}
	if t.tool == nil {
		t.tool = readTool(t.Definition)
	}
	return t.tool
}

// kept returns the definition of a tool, its own copy where it has one.
func (c *Catalogue) kept(name string, definition []byte) []byte {
	if t := c.lists[ToolList].items[name]; t != nil && bytes.Equal(t.Definition, definition) {
		return t.Definition
	}
	return bytes.Clone(definition)
}

// lacks reports whether a whole list was seen and the item was not on it.
func (c *Catalogue) lacks(k ListKind, name string) bool {
	l := &c.lists[k]
	return l.Whole() && l.items[name] == nil
}
