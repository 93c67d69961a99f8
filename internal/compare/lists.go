package compare

import (
	"bytes"

	"github.com/shakescope/shakescope/annotate"
	"github.com/shakescope/shakescope/internal/mcpspec"
	"github.com/shakescope/shakescope/jsonrpc"
)

// listKind is a list that a server gives.
type listKind uint8

const (
	tools listKind = iota
	prompts
	resources
	templates
	listKinds
)

// listers are the lists with what reports call an item.
var listers = [listKinds]struct {
	noun string
	*mcpspec.List
}{
	{"tool", &mcpspec.ToolList},
	{"prompt", &mcpspec.PromptList},
	{"resource", &mcpspec.ResourceList},
	{"template", &mcpspec.TemplateList},
}

func listOf(method string) (listKind, bool) {
	for k := range listers {
		if listers[k].Method == method {
			return listKind(k), true
		}
	}
	return 0, false
}

// Bounds of the definitions that are kept.
const (
	maxItems       = 100_000
	maxDefinitions = 64 << 20
)

// list is one list as it was in force at the end: the last one that was read to its end, else all pages that
// were seen.
type list struct {
	asked  bool // an answer was seen
	whole  bool
	cut    bool // definitions were left out for their size
	items  map[string]item
	order  []string
	walk   map[string]item
	walked []string
}

type item struct {
	raw   []byte
	at    annotate.Ref
	index int // on its page
}

// page takes in one page of a list.
func (h *half) page(k listKind, result []byte, first bool, at annotate.Ref) {
	l := &h.lists[k]
	raw, ok := jsonrpc.Lookup(result, listers[k].Member)
	if !ok {
		return
	}
	l.asked = true
	if first || l.walk == nil {
		for _, it := range l.walk {
			h.kept -= len(it.raw)
		}
		l.walk, l.walked = make(map[string]item), nil
	}
	index := -1
	elements(raw, func(def []byte) bool {
		index++
		name, isString := jsonrpc.Unquote(member(def, listers[k].Key))
		if !isString {
			return true
		}
		if len(l.walk) >= maxItems || h.kept+len(def) > maxDefinitions {
			l.cut = true
			return false
		}
		if _, again := l.walk[name]; !again {
			l.walked = append(l.walked, name)
		}
		h.kept += len(def)
		l.walk[name] = item{bytes.Clone(def), at, index}
		return true
	})
	next, more := jsonrpc.Lookup(result, "nextCursor")
	whole := !more || string(next) == "null"
	if !whole && l.whole {
		return
	}
	if whole {
		for _, it := range l.items {
			h.kept -= len(it.raw)
		}
		l.whole = true
		l.items, l.order, l.walk, l.walked = l.walk, l.walked, nil, nil
		return
	}
	l.items, l.order = l.walk, l.walked
}
