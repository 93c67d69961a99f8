package annotate

import (
	"io"
	"slices"
	"sort"

	"github.com/shakescope/shakescope/recordings"
)

// Source opens a recording from its beginning. [Collect] calls it for each of its passes.
type Source func() (*recordings.Reader, error)

// Recording is what is true of a recording as a whole.
type Recording struct {
	Header    *recordings.Header
	Stats     *Stats
	Findings  []Finding // all of them, final, in the order of their entries; those about the whole come last
	Revision  string    // in force at the end, "" when none was settled
	Era       string
	Damage    []recordings.Damage
	TornBytes int64
	Lines     recordings.RecordLines // where in the file the entries stand
}

// Collect reads a recording to its end and hands out every entry once, in order and final: with what
// later records say about it. That takes two passes; with a nil yield one is enough. An entry and what
// it points to may be kept, except Raw and Message. Errors are those of open, of the reader and of
// yield; malformed traffic is none.
func Collect(open Source, yield func(*Entry) error) (*Recording, error) {
	return CollectTwice(open, nil, yield)
}

// CollectTwice does the same, and hands every record to early before, in the first pass, so that what needs to
// have seen the whole recording can prepare itself. early runs in a goroutine of its own, beside the fold, and the
// record is valid until it returns. A nil early is left out.
func CollectTwice(open Source, early func(*recordings.Record) error, yield func(*Entry) error) (*Recording, error) {
	late := newLater()
	known := &sound{bits: make(map[int64]uint64)}
	if yield == nil {
		known = nil
	}
	out, err := pass(open, early, nil, known, late.take)
	if err != nil {
		return nil, err
	}
	out.Findings = late.all()
	if yield == nil {
		return out, nil
	}
	if err := again(open, known, func(e *Entry) error {
		late.apply(e)
		return yield(e)
	}); err != nil {
		return nil, err
	}
	return out, nil
}

// pass folds a recording once. early, which may be nil, sees the records while they are read; edit may put another
// record in the place of one, nil leaves all as they are. learn, which may be nil, takes in which frames are sound.
func pass(open Source, early func(*recordings.Record) error, edit func(*recordings.Record) *recordings.Record, learn *sound, take func(*Update) error) (*Recording, error) {
	r, err := open()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	s := NewSession()
	s.Open(r.Header())
	var lines recordings.RecordLines
	ahead := &reading{r: r, each: early, learn: learn}
	err = overlapped(ahead.decoded, func(b *stretch) error {
		for i := range b.records {
			rec, m := &b.records[i], b.message(i)
			lines.Add(rec)
			if edit != nil {
				if other := edit(rec); other != rec {
					rec, m = other, decode(other)
				}
			}
			u := s.add(rec, m)
			if err := take(&u); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	u := s.Finish()
	if err := take(&u); err != nil {
		return nil, err
	}
	out := &Recording{Header: r.Header(), Stats: s.Stats(), Damage: r.Damage(), TornBytes: r.TornBytes(), Lines: lines}
	out.Era, out.Revision = s.InForce()
	return out, nil
}

// again folds a recording once more, for its entries. No rule looks at them: what rules had to say is known.
func again(open Source, known *sound, take func(*Entry) error) error {
	r, err := open()
	if err != nil {
		return err
	}
	defer r.Close()
	s := NewSessionWithoutRules()
	s.Open(r.Header())
	ahead := &reading{r: r, sound: known}
	return overlapped(func(b *stretch) error {
		err := ahead.decoded(b)
		for i := range b.records {
			b.entries = append(b.entries, s.add(&b.records[i], b.message(i)).Entries...)
		}
		if err == io.EOF {
			b.entries = append(b.entries, s.Finish().Entries...)
		}
		return err
	}, func(b *stretch) error {
		for i := range b.entries {
			if err := take(&b.entries[i]); err != nil {
				return err
			}
		}
		return nil
	})
}

// InForce returns the era and the revision that govern the link at this point, "" while unknown.
func (s *Session) InForce() (era, revision string) {
	p := s.proc
	if p.activity == "legacy" && !p.session.opened.set() {
		return p.activity, ""
	}
	return p.activity, p.revision(p.activity)
}

// later keeps what later records say about earlier entries, packed: nearly every request gets its pair
// and state, few get more.
type later struct {
	index    refIndex
	packed   packedList
	rest     []Patch   // of those few
	findings []Finding // of entries from the beginning, in their order
	told     int       // how many of them apply has handed out
	misfits  map[Ref][]misfit
	whole    []Finding
}

type packed struct {
	pair  int64 // the parts of a Ref, which takes more room as one
	sub   int32
	rest  int32 // index in rest plus one, 0 for none
	state stateCode
	cut   bool // cancelled
}

// packedList grows without being copied.
type packedList struct {
	blocks [][]packed
	n      int32
}

const packedBlock = 1024

func (l *packedList) at(i int32) *packed { return &l.blocks[i/packedBlock][i%packedBlock] }

// add appends an empty one and returns its index.
func (l *packedList) add() int32 {
	if l.n%packedBlock == 0 {
		l.blocks = append(l.blocks, make([]packed, packedBlock))
	}
	l.n++
	return l.n - 1
}

type stateCode uint8

var stateCodes = [...]State{"", Pending, OK, Failed, ToolError, InputRequired, Cancelled, Open, Unmatched, Duplicate}

func codeOf(s State) stateCode { return stateCode(max(0, slices.Index(stateCodes[:], s))) }

func newLater() *later {
	return &later{index: refIndex{pages: make(map[int64]*refPage), members: make(map[Ref]int32)}}
}

// refIndex finds a number by an entry. Nearly all entries are lines, whose numbers stand side by side.
type refIndex struct {
	pages   map[int64]*refPage // of lines
	last    *refPage           // that was used last
	members map[Ref]int32      // of batches
}

type refPage struct {
	number int64
	index  [32]int32 // plus one, 0 for none
}

func (x *refIndex) page(seq int64) *refPage {
	if x.last == nil || x.last.number != seq>>5 {
		p := x.pages[seq>>5]
		if p == nil {
			return nil
		}
		x.last = p
	}
	return x.last
}

func (x *refIndex) find(at Ref) (int32, bool) {
	if at.Sub != NoSub {
		i, ok := x.members[at]
		return i, ok
	}
	if p := x.page(at.Seq); p != nil {
		i := p.index[at.Seq&31]
		return i - 1, i > 0
	}
	return 0, false
}

func (x *refIndex) set(at Ref, i int32) {
	if at.Sub != NoSub {
		x.members[at] = i
		return
	}
	p := x.page(at.Seq)
	if p == nil {
		p = &refPage{number: at.Seq >> 5}
		x.pages[p.number], x.last = p, p
	}
	p.index[at.Seq&31] = i + 1
}

// take notes the patches and findings of an update.
func (l *later) take(u *Update) error {
	for i := range u.Entries {
		l.findings = append(l.findings, u.Entries[i].Findings...)
		if m := u.Entries[i].misfits; m != nil && len(l.misfits) < maxListed {
			if l.misfits == nil {
				l.misfits = make(map[Ref][]misfit)
			}
			l.misfits[u.Entries[i].Ref] = m
		}
	}
	for i := range u.Patches {
		l.note(&u.Patches[i])
	}
	for _, f := range u.Findings {
		l.whole = MergeFinding(l.whole, f)
	}
	return nil
}

func (l *later) note(p *Patch) {
	i, ok := l.index.find(p.At)
	if !ok {
		i = l.packed.add()
		l.index.set(p.At, i)
	}
	at := l.packed.at(i)
	if !p.Pair.IsZero() {
		at.pair, at.sub = p.Pair.Seq, p.Pair.Sub
	}
	if p.State != "" {
		at.state = codeOf(p.State)
	}
	at.cut = at.cut || p.Cancelled
	if p.common() {
		return
	}
	if at.rest == 0 {
		l.rest = append(l.rest, Patch{At: p.At})
		at.rest = int32(len(l.rest))
	}
	l.rest[at.rest-1].merge(p)
}

// common reports whether a patch says no more than pair, state and cancellation.
func (p *Patch) common() bool {
	return p.Session == 0 && p.Flow.IsZero() && p.Phase == "" && p.Era == "" && p.Revision == "" && p.Capability == nil &&
		p.Progress == nil && p.Probable.IsZero() && !p.Ambiguous && p.Unanswered == "" && p.Findings == nil && p.Withdrawn == nil
}

// all returns the findings in the order of their entries.
func (l *later) all() []Finding {
	var out []Finding
	told := make(map[int32]bool) // what rest says of entries with findings of their own
	for i := 0; i < len(l.findings); {
		own := Entry{Ref: l.findings[i].At}
		for ; i < len(l.findings) && l.findings[i].At == own.Ref; i++ {
			own.Findings = append(own.Findings, l.findings[i])
		}
		if n, ok := l.index.find(own.Ref); ok && l.packed.at(n).rest > 0 {
			rest := l.packed.at(n).rest - 1
			own.Apply(l.rest[rest])
			told[rest] = true
		}
		out = append(out, own.Findings...)
	}
	for i := range l.rest {
		if !told[int32(i)] {
			out = append(out, l.rest[i].Findings...)
		}
	}
	sort.SliceStable(out, func(i, j int) bool { return out[i].At.Compare(out[j].At) < 0 })
	return append(out, l.whole...)
}

// Compare is negative where r comes before other in a recording, and positive where it comes behind.
func (r Ref) Compare(other Ref) int {
	switch {
	case r.Seq != other.Seq:
		return int(max(-1, min(1, r.Seq-other.Seq)))
	case r.Sub != other.Sub:
		return int(r.Sub - other.Sub)
	}
	return 0
}

// apply finishes an entry of a pass without rules. Entries come in their order.
func (l *later) apply(e *Entry) {
	from := l.told
	for l.told < len(l.findings) && l.findings[l.told].At == e.Ref {
		l.told++
	}
	e.Findings = slices.Clone(l.findings[from:l.told])
	if l.misfits != nil {
		e.misfits = l.misfits[e.Ref]
	}
	i, ok := l.index.find(e.Ref)
	if !ok {
		return
	}
	at := l.packed.at(i)
	p := Patch{At: e.Ref}
	if at.rest > 0 {
		p = l.rest[at.rest-1]
	}
	p.Pair, p.State, p.Cancelled = Ref{at.pair, at.sub}, stateCodes[at.state], at.cut
	e.Apply(p)
}

// merge makes p say what p and a later patch to the same entry say.
func (p *Patch) merge(q *Patch) {
	e := Entry{Findings: p.Findings}
	if q.Session != 0 {
		p.Session = q.Session
	}
	if !q.Flow.IsZero() {
		p.Flow = q.Flow
	}
	if q.Phase != "" {
		p.Phase = q.Phase
	}
	if q.Era != "" {
		p.Era = q.Era
	}
	if q.Revision != "" {
		p.Revision = q.Revision
	}
	if q.Capability != nil {
		p.Capability = q.Capability
	}
	if q.Progress != nil {
		p.Progress = q.Progress
	}
	if !q.Probable.IsZero() {
		p.Probable = q.Probable
	}
	if q.Unanswered != "" {
		p.Unanswered = q.Unanswered
	}
	p.Ambiguous = p.Ambiguous || q.Ambiguous
	e.Apply(Patch{Findings: q.Findings, Withdrawn: q.Withdrawn})
	p.Findings = e.Findings
	for _, rule := range q.Withdrawn {
		if !slices.Contains(p.Withdrawn, rule) {
			p.Withdrawn = append(p.Withdrawn, rule)
		}
	}
}

// Apply changes the entry as a patch says. The patch's At is not looked at.
func (e *Entry) Apply(p Patch) {
	if p.Session != 0 {
		e.Session = p.Session
	}
	if !p.Pair.IsZero() {
		e.Pair = p.Pair
	}
	if !p.Flow.IsZero() {
		e.Flow = p.Flow
	}
	if p.State != "" {
		e.State = p.State
	}
	e.Cancelled = e.Cancelled || p.Cancelled
	if p.Phase != "" {
		e.Phase = p.Phase
	}
	if p.Era != "" {
		e.Era = p.Era
	}
	if p.Revision != "" {
		e.Revision = p.Revision
	}
	if p.Capability != nil {
		e.Capability = p.Capability
	}
	if p.Progress != nil {
		e.Progress = p.Progress
	}
	if !p.Probable.IsZero() {
		e.Probable = p.Probable
	}
	e.Ambiguous = e.Ambiguous || p.Ambiguous
	if p.Unanswered != "" {
		e.Unanswered = p.Unanswered
	}
	if p.Withdrawn != nil {
		e.Findings = withdrawn(slices.Clone(e.Findings), p.Withdrawn)
	}
	for _, f := range p.Findings {
		e.Findings = MergeFinding(slices.Clip(e.Findings), f)
	}
}
