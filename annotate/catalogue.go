package annotate

import (
	"bytes"

	"github.com/shakescope/shakescope/internal/mcpspec"
)

// catalogue is what the server has listed: tools and prompts by name, resources by URI, templates by
// their pattern. Rules look here for what a client could know before a call.
type catalogue struct {
	lists [listKinds]listing
	bytes int // kept of definitions
}

type listKind uint8

const (
	toolList listKind = iota
	promptList
	resourceList
	templateList
	listKinds
)

// listing is one list.
type listing struct {
	items    map[string]*listed
	walk     int  // number of the newest walk over the pages
	complete bool // some walk went from the first page to the last
	stale    bool // list_changed came since
	partial  bool // definitions were left out for their size
	at       Ref  // the newest page
}

// listed is one item of a list.
type listed struct {
	raw  []byte // own copy of the definition; nil when there was no room
	at   Ref    // the page that said so
	walk int
	tool *tool // read from raw when somebody asks
}

const (
	maxCatalogue = 64 << 20 // bytes of definitions kept for a session
	maxListed    = 100_000  // items of one list
)

var listOf = [listKinds]*mcpspec.List{
	toolList: &mcpspec.ToolList, promptList: &mcpspec.PromptList, resourceList: &mcpspec.ResourceList, templateList: &mcpspec.TemplateList,
}

func listKindOf(method string) (k listKind, key string, ok bool) {
	for k, l := range listOf {
		if l.Method == method {
			return listKind(k), l.Key, true
		}
	}
	return 0, "", false
}

// page takes in one page of a list. first says that the request had no cursor.
func (c *catalogue) page(k listKind, key string, items, next []byte, first bool, at Ref) {
	l := &c.lists[k]
	if l.items == nil {
		l.items = make(map[string]*listed)
	}
	if first {
		l.walk++
		l.stale = false
	}
	l.at = at
	elements(items, func(item []byte) bool {
		name := member(item, key)
		if !isString(name) {
			return true
		}
		have := l.items[string(name[1:len(name)-1])]
		id := text(name)
		if have == nil {
			have = l.items[id]
		}
		if have == nil {
			if len(l.items) >= maxListed {
				l.partial = true
				return false
			}
			have = new(listed)
			l.items[id] = have
		}
		have.at, have.walk = at, l.walk
		if !bytes.Equal(have.raw, item) {
			c.bytes -= len(have.raw)
			have.raw, have.tool = nil, nil
			if c.bytes+len(item) <= maxCatalogue {
				have.raw = bytes.Clone(item)
				c.bytes += len(item)
			} else {
				l.partial = true
			}
		}
		return true
	})
	if len(next) == 0 || isNull(next) {
		l.complete = true
		for name, item := range l.items {
			if item.walk != l.walk {
				c.bytes -= len(item.raw)
				delete(l.items, name)
			}
		}
	}
}

// changed notes that the server says a list changed.
func (c *catalogue) changed(k listKind) { c.lists[k].stale = true }

// tool returns the definition of a tool as listed, nil when it was not listed or not kept. It stays as it
// is when the list changes.
func (c *catalogue) tool(name string) *tool {
	t := c.lists[toolList].items[name]
	if t == nil || t.raw == nil {
		return nil
	}
	if t.tool == nil {
		t.tool = readTool(t.raw)
	}
	return t.tool
}

// lacks reports whether a whole list was seen and the item was not on it.
func (c *catalogue) lacks(k listKind, name string) bool {
	l := &c.lists[k]
	return l.complete && !l.partial && l.items[name] == nil
}
