package tui

import (
	"bytes"
	"slices"

	"github.com/shakescope/shakescope/annotate"
	"github.com/shakescope/shakescope/jsonrpc"
)

// offered is what the lists say, in the order of offerKinds.
type offered struct {
	lists   []offer
	states  [len(offerKinds)]listState
	changes []change
}

// listState is how far what is shown of a list can be relied on.
type listState struct {
	partial bool         // it was not read to its end
	walking bool         // it is being read again
	stale   annotate.Ref // the list_changed since
}

// words says what a reader of the list should know, "" if there is nothing.
func (l listState) words() string {
	switch {
	case !l.stale.IsZero():
		return "called changed in " + l.stale.String() + ", and not read again since"
	case l.partial:
		return "not read to its end: there may be more"
	case l.walking:
		return "being read again: some of it may be gone"
	}
	return ""
}

// offerBuilder follows the lists of a recording.
type offerBuilder struct {
	catalogue annotate.Catalogue
	rows      map[annotate.Ref]int
	whole     [annotate.ListKinds]map[string][]byte // definitions of the newest whole list
	changes   []change
}

// add takes the next request for a list, its answer, or a list_changed.
func (b *offerBuilder) add(e *annotate.Entry, row int) {
	if b.rows == nil {
		b.rows = map[annotate.Ref]int{}
	}
	b.rows[e.Ref] = row
	if k, whole := b.catalogue.Add(e); whole {
		b.changed(k, row)
	}
}

// changed notes how a whole list differs from the one before.
func (b *offerBuilder) changed(k annotate.ListKind, row int) {
	kind := slices.IndexFunc(offerKinds[:], func(o offerKind) bool { return o.list == k })
	old := b.whole[k]
	now := map[string][]byte{}
	ch := change{kind: kind, row: row}
	for _, item := range b.catalogue.List(k).Items() {
		now[item.Name] = item.Definition
		switch raw, was := old[item.Name]; {
		case !was:
			ch.added = append(ch.added, item.Name)
		case !bytes.Equal(raw, item.Definition):
			ch.altered = append(ch.altered, item.Name)
		}
	}
	for name := range old {
		if _, is := now[name]; !is {
			ch.removed = append(ch.removed, name)
		}
	}
	slices.Sort(ch.removed)
	if old != nil && len(ch.added)+len(ch.removed)+len(ch.altered) > 0 {
		b.changes = append(b.changes, ch)
	}
	b.whole[k] = now
}

// offers returns what the lists say after all that was added.
func (b *offerBuilder) offers() offered {
	out := offered{changes: b.changes}
	for kind := range offerKinds {
		l := b.catalogue.List(offerKinds[kind].list)
		out.states[kind] = listState{partial: !l.Whole(), walking: l.Walking(), stale: l.Stale()}
		for _, item := range l.Items() {
			out.lists = append(out.lists, offerOf(kind, item, b.rows[item.Page.At]))
		}
	}
	return out
}

func offerOf(kind int, item *annotate.ListItem, row int) offer {
	text := func(name string) string {
		raw, _ := jsonrpc.Lookup(item.Definition, name)
		s, _ := jsonrpc.Unquote(raw)
		return s
	}
	o := offer{kind: kind, name: item.Name, title: text("title"), description: text("description"), raw: item.Definition, row: row}
	if o.title == "" && offerKinds[kind].Key != "name" {
		o.title = text("name")
	}
	return o
}
