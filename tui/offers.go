package tui

import (
	"bytes"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/shakescope/shakescope/annotate"
	"github.com/shakescope/shakescope/jsonrpc"
)

// offerBuilder puts the pages of lists together.
type offerBuilder struct {
	now, walk [len(offerKinds)][]offer // the list in force; the one being paged through
	seen      [len(offerKinds)]bool
	changes   []change
}

func (b *offerBuilder) page(q, a *annotate.Entry, row int) {
	kind := slices.IndexFunc(offerKinds[:], func(k offerKind) bool { return k.Method == a.Method })
	if kind < 0 {
		return
	}
	raw, ok := jsonrpc.Lookup(a.Message.Result, offerKinds[kind].Member)
	if !ok {
		return
	}
	if _, more := jsonrpc.Lookup(q.Message.Params, "cursor"); !more {
		b.walk[kind] = nil
	}
	b.walk[kind] = append(b.walk[kind], offersOf(kind, raw, row)...)
	if _, more := jsonrpc.Lookup(a.Message.Result, "nextCursor"); !more {
		b.finish(kind, row)
	}
}

// finish puts a complete list in force and notes what changed.
func (b *offerBuilder) finish(kind, row int) {
	if b.seen[kind] {
		ch := change{kind: kind, row: row}
		old := map[string][]byte{}
		for _, o := range b.now[kind] {
			old[o.name] = o.raw
		}
		for _, o := range b.walk[kind] {
			raw, was := old[o.name]
			switch {
			case !was:
				ch.added = append(ch.added, o.name)
			case !bytes.Equal(raw, o.raw):
				ch.altered = append(ch.altered, o.name)
			}
			delete(old, o.name)
		}
		for name := range old {
			ch.removed = append(ch.removed, name)
		}
		slices.Sort(ch.removed)
		if len(ch.added)+len(ch.removed)+len(ch.altered) > 0 {
			b.changes = append(b.changes, ch)
		}
	}
	b.now[kind], b.walk[kind], b.seen[kind] = b.walk[kind], nil, true
}

// close takes lists that were not paged through to their end as far as they go.
func (b *offerBuilder) close() {
	for k := range b.walk {
		if !b.seen[k] {
			b.now[k] = b.walk[k]
		}
	}
}

// offersMax bounds one list.
const offersMax = 20_000

func offersOf(kind int, raw []byte, row int) []offer {
	dec := jsontext.NewDecoder(bytes.NewReader(raw), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	if tok, err := dec.ReadToken(); err != nil || tok.Kind() != '[' {
		return nil
	}
	var out []offer
	for dec.PeekKind() != ']' && len(out) < offersMax {
		v, err := dec.ReadValue()
		if err != nil {
			break
		}
		text := func(name string) string {
			raw, ok := jsonrpc.Lookup(v, name)
			if !ok {
				return ""
			}
			s, _ := jsonrpc.Unquote(raw)
			return s
		}
		o := offer{kind: kind, name: text(offerKinds[kind].Key), title: text("title"), description: text("description"), raw: bytes.Clone(v), row: row}
		if o.title == "" && offerKinds[kind].Key != "name" {
			o.title = text("name")
		}
		out = append(out, o)
	}
	return out
}
