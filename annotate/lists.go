package annotate

import (
	"hash/maphash"
	"strings"
)

// lists is what rules remember of a session's lists beyond the catalogue: how the newest walk over the
// pages went, and what the last whole list was.
type lists struct {
	at     Ref // the newest page
	repeat []repeated
	change listChange // what the newest page, if it was the last one, changed
	before Ref        // the whole list that it is compared with
	since  Ref        // the request of that one's first page
	kinds  [ListKinds]listWalk
}

// listWalk is a walk from the first page of a list to the last.
type listWalk struct {
	begun   bool
	broken  bool // pages are missing or came twice
	cursors map[string]bool
	next    string
	items   map[string]listItem
	folded  map[string]string // a name of those that differ in case only
	sum     listSum
	from    Ref     // the request of the first page
	whole   listSum // the last whole walk
	wholeAt mark
	asOf    Ref // the request of its first page

	asked   mark // the newest request
	noticed mark // the newest list_changed
	silent  mark // the last change that no notice announced
	unread  Ref  // where the client went on with a list that it knew to be stale

	// A flood of notices about nothing.
	first     Ref
	notices   int
	refetches int
}

type listItem struct {
	at   Ref
	hash uint64
}

// listSum stands for the contents of a list.
type listSum struct {
	count       int
	order       uint64 // of the names, in order
	names       uint64 // of the names, in any order
	definitions uint64 // likewise
}

// listChange is how a whole list differs from the one before.
type listChange uint8

const (
	listSame listChange = iota
	listReordered
	listRedefined
	listRenamed // items came or went
)

// repeated is an item that came before in the same list.
type repeated struct {
	name  string
	twin  string // the other spelling, where names differ in case only
	index int
	first Ref
}

var listSeed = maphash.MakeSeed()

const maxCursors = 10_000

// list takes in the page of a list result, once for all rules.
func (v *view) list() *lists {
	l := memo[lists](v, v.Session)
	if l.at == v.At {
		return l
	}
	l.at, l.repeat, l.change = v.At, nil, listSame
	k, key, ok := listKindOf(v.Entry.Method)
	if !ok || v.Exchange == nil || v.outcome.items == nil {
		return l
	}
	w := &l.kinds[k]
	cursor := member(v.Exchange.params, "cursor")
	looping := w.turn(cursor)
	if cursor == nil || isNull(cursor) {
		w.from = v.Exchange.At
	}
	w.next = text(v.outcome.next)
	index := -1
	elements(v.outcome.items, func(item []byte) bool {
		index++
		name := text(member(item, key))
		if name == "" || len(w.items) >= maxListed {
			return true
		}
		h := maphash.Bytes(listSeed, item)
		n := maphash.String(listSeed, name)
		w.sum.count++
		w.sum.order = w.sum.order*0x9E3779B97F4A7C15 + n
		w.sum.names += n
		w.sum.definitions += h
		have, again := w.items[name]
		switch {
		case again && !looping && (have.at == v.At || have.hash != h):
			// On another page the same definition is a fault of paging.
			l.repeat = append(l.repeat, repeated{name: name, index: index, first: have.at})
		case !again:
			w.items[name] = listItem{v.At, h}
			lower := strings.ToLower(name)
			if twin, ok := w.folded[lower]; ok {
				l.repeat = append(l.repeat, repeated{name: name, twin: twin, index: index, first: w.items[twin].at})
			} else {
				w.folded[lower] = name
			}
		}
		return true
	})
	if v.outcome.next != nil && !isNull(v.outcome.next) {
		return l
	}
	if !w.broken && w.begun && !v.uncertain() {
		l.before, l.since = w.wholeAt.At, w.asOf
		l.change = w.whole.compare(w.sum, w.wholeAt.set())
		w.finished(v, l.change)
	}
	w.begun, w.items, w.folded = false, nil, nil
	return l
}

// turn begins a walk or goes on with it. It reports whether the page was seen before in the same walk.
func (w *listWalk) turn(cursor []byte) (looping bool) {
	if cursor == nil || isNull(cursor) {
		w.begun, w.broken, w.sum = true, false, listSum{}
		w.cursors, w.items, w.folded = make(map[string]bool), make(map[string]listItem), make(map[string]string)
		return false
	}
	c := text(cursor)
	if w.items == nil {
		w.cursors, w.items, w.folded = make(map[string]bool), make(map[string]listItem), make(map[string]string)
	}
	looping = w.cursors[c]
	if looping || !w.begun || c != w.next || len(w.cursors) >= maxCursors {
		w.broken = true
	}
	if len(w.cursors) < maxCursors {
		w.cursors[c] = true
	}
	return looping
}

func (s listSum) compare(now listSum, before bool) listChange {
	switch {
	case !before || s == now:
		return listSame
	case s.count != now.count || s.names != now.names:
		return listRenamed
	case s.definitions != now.definitions:
		return listRedefined
	}
	return listReordered
}

// finished takes in a whole list.
func (w *listWalk) finished(v *view, change listChange) {
	if change > listReordered {
		w.first, w.notices, w.refetches = Ref{}, 0, 0
	} else if w.notices > 0 {
		w.refetches++
	}
	w.whole, w.wholeAt, w.asOf = w.sum, mark{v.At, v.T}, w.from
}

// listsOf returns the lists that a list_changed notice, or the use of an item, is about.
func listsOf(method string) []ListKind {
	switch method {
	case "notifications/tools/list_changed", "tools/call", "tools/list":
		return []ListKind{ToolList}
	case "notifications/prompts/list_changed", "prompts/get", "prompts/list":
		return []ListKind{PromptList}
	case "notifications/resources/list_changed", "resources/read":
		return []ListKind{ResourceList, TemplateList}
	case "resources/list":
		return []ListKind{ResourceList}
	case "resources/templates/list":
		return []ListKind{TemplateList}
	}
	return nil
}
