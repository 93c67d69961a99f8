package cli

import (
	"bytes"

	"github.com/shakescope/shakescope/annotate"
	"github.com/shakescope/shakescope/recordings"
)

// Bounds of what is remembered for the sake of changes. A change of something older is not printed.
const (
	newestPrinted = 10_000   // entries, whatever they are
	oldestPrinted = 20_000   // of those before them: what waits for an answer or has findings that may grow
	printedBytes  = 64 << 20 // of payloads that cannot be read again
)

// changeable remembers the entries that were printed and may have to be printed again.
type changeable struct {
	entries map[annotate.Ref]*printed
	order   []annotate.Ref // newest last
	kept    []annotate.Ref // of older ones
	held    int            // bytes of payloads
}

// printed is an entry without its payload, and where that is to be found.
type printed struct {
	entry    annotate.Entry
	hidden   bool // it has not passed the filter so far
	pos, len int64
	raw      []byte // where it cannot be read again
}

func newChangeable() changeable {
	return changeable{entries: make(map[annotate.Ref]*printed)}
}

// add takes in an entry of rec (nil: of none). With readable, rec can be read again at its place.
func (c *changeable) add(rec *recordings.Record, e *annotate.Entry, hidden, readable bool) {
	p := &printed{entry: *e, hidden: hidden}
	if readable && rec != nil && rec.Len > 0 {
		p.pos, p.len = rec.Pos, rec.Len
	} else {
		p.raw = bytes.Clone(e.Raw)
		c.held += len(p.raw)
	}
	p.entry.Raw, p.entry.Message = nil, nil
	c.entries[e.Ref] = p
	c.order = append(c.order, e.Ref)
	for len(c.order) > newestPrinted || c.held > printedBytes && len(c.order) > 1 {
		c.age()
	}
}

// age lets go of the oldest of the newest.
func (c *changeable) age() {
	ref := c.order[0]
	c.order = c.order[1:]
	p := c.entries[ref]
	if p == nil {
		return
	}
	e := &p.entry
	if e.State != annotate.Pending && e.State != annotate.Open && len(e.Findings) == 0 {
		c.drop(ref)
		return
	}
	c.kept = append(c.kept, ref)
	for len(c.kept) > oldestPrinted || c.held > printedBytes && len(c.kept) > 0 {
		c.drop(c.kept[0])
		c.kept = c.kept[1:]
	}
}

func (c *changeable) drop(ref annotate.Ref) {
	if p := c.entries[ref]; p != nil {
		c.held -= len(p.raw)
		delete(c.entries, ref)
	}
}

// change applies a patch and returns the entry, nil if it is not remembered.
func (c *changeable) change(p *annotate.Patch) *printed {
	e := c.entries[p.At]
	if e != nil {
		e.entry.Apply(*p)
	}
	return e
}
