package compare

import (
	"cmp"

	"github.com/shakescope/shakescope/annotate"
	"github.com/shakescope/shakescope/internal/redact"
	"github.com/shakescope/shakescope/recordings"
)

// Side is one of the two recordings.
type Side struct {
	Name string          // what errors and reports call it
	Open annotate.Source // may be called several times
	// Secrets, the same one on both sides, masks what reports quote. It learns from all lines of both. Nil
	// masks nothing.
	Secrets *redact.Redactor
	// Seen is told of each record that is read, a second time in the second pass; an error of it ends the comparison,
	// which returns it. The sides may be read by goroutines of their own. Nil is told nothing.
	Seen func(*recordings.Record) error
}

func (s *Side) seen(rec *recordings.Record) error {
	if s.Seen == nil {
		return nil
	}
	return s.Seen(rec)
}

// Options change how recordings are compared. The zero value is what a user wants.
type Options struct {
	// Exact compares identifiers, times, ports, temporary folders and durations by their values. Ids of
	// messages, tokens and cursors, which the protocol makes new, never count.
	Exact bool
}

// Recordings says how b differs from a. It reads each of them from its beginning, once where nothing differs and
// a second time for what does; of traffic it keeps some hundred bytes a request and no payloads. Errors are those of Open and
// of the readers; malformed traffic is none.
func (o Options) Recordings(a, b Side) (*Report, error) {
	x, y, err := folds(a, b, steady{exact: o.Exact})
	if err != nil {
		return nil, err
	}
	c := comparer{a: x, b: y, listed: map[Section]int{}, report: &Report{A: x.facts, B: y.facts, Left: map[Section]int{}}}
	c.handshake()
	c.capabilities()
	c.catalogue()
	c.traffic()
	c.counts()
	c.latencies()
	if err := c.look(); err != nil {
		return nil, err
	}
	c.finish()
	return c.report, nil
}

// folds reads both sides, side by side where they share nothing.
func folds(a, b Side, st steady) (x, y *half, err error) {
	if a.Secrets != nil || b.Secrets != nil {
		if x, err = fold(a, st); err == nil {
			y, err = fold(b, st)
		}
		return x, y, err
	}
	var other error
	done := make(chan struct{})
	go func() {
		defer close(done)
		y, other = fold(b, st)
	}()
	x, err = fold(a, st)
	<-done
	return x, y, cmp.Or(err, other)
}

// comparer is one comparison under way.
type comparer struct {
	a, b    *half
	report  *Report
	changes []*Change
	listed  map[Section]int
	pairs   []*pair  // of requests that are to be looked at
	proofs  []*proof // schema changes that recorded values are tried on
}

// maxChanges bounds what a section lists.
const maxChanges = 500

// add lists a change, which may be filled in further until the end.
func (c *comparer) add(x Change) *Change {
	x.Count = max(x.Count, 1)
	if c.listed[x.Section]++; c.listed[x.Section] > maxChanges {
		c.report.Left[x.Section]++
		return &x
	}
	c.changes = append(c.changes, &x)
	return &x
}

// finish puts the report together, its texts masked.
func (c *comparer) finish() {
	for _, s := range Sections {
		for _, x := range c.changes {
			if x.Section == s {
				c.mask(x)
				c.report.Changes = append(c.report.Changes, *x)
			}
		}
	}
}

// mask masks the secrets in what a change quotes.
func (c *comparer) mask(x *Change) {
	r := c.a.side.Secrets
	if r == nil {
		return
	}
	for _, s := range []*string{&x.Name, &x.To, &x.Words, &x.Where} {
		*s = r.Text(*s)
	}
	if x.Evidence != nil {
		x.Evidence.Example = r.Text(x.Evidence.Example)
	}
}
