package tui

import (
	"encoding/binary"
	"math"
	"slices"
	"sort"
	"strings"
	"time"

	"github.com/shakescope/shakescope/annotate"
	"github.com/shakescope/shakescope/jsonrpc"
	"github.com/shakescope/shakescope/recordings"
)

const none = -1

type flags uint8

const (
	fromServer flags = 1 << iota
	cancelledToo
	partial
	truncated
	hasPrimitive
	defective
	capMissing // one of the capabilities is undeclared
	capUnknown
)

type (
	kind  uint8
	phase uint8
	state uint8
	level uint8
)

// rows holds the entries of one recording. It belongs to the program's goroutine.
type rows struct {
	pages  []page
	wide   map[int32]*wholeRow // rows that do not fit into their page
	n      int
	names  names
	ids    []byte
	caps   [][]annotate.Capability
	capIdx map[string]uint16
	eras   []era

	findings    map[int32][]finding
	allFindings []finding // in order of discovery, whole-recording ones included
	progress    map[int32][]progressPoint
	pending     map[int32]struct{}
	events      map[int32]recordings.Event
	gaps        map[int32]recordings.Gap
	cancels     map[int32]int32 // request: the row that cancelled it
	touches     map[int32][]string
	members     map[int32]int
	more        map[int32]*more
	counts      [levelError + 1]int
	ignored     map[string]bool // rules whose findings count for nothing

	maxSeq      int64
	idWidth     int
	methodWidth int   // of the widest method, notifications without their prefix
	bytes       int64 // sum of the sizes of messages
	messages    int   // requests, notifications and answers
	lastStderr  int32 // the last row of stderr, none if there is none

	ladderRules []ladderRule
	breaks      []int32 // rows before which the phase rule is drawn
	breaksValid int     // rows that breaks covers
	breakPhase  phase   // phase at breaksValid
}

// era is what few combinations of go a long way.
type era struct {
	era, revision string
	eol           jsonrpc.EOL
}

// finding is a finding and the row whose arrival brought it, for replay.
type finding struct {
	annotate.Finding
	row   int32 // none if of the whole recording
	since int32
}

type progressPoint struct {
	since           int32 // row of the notification
	t               int64
	progress, total float64
	message         string
}

// item is an entry with its place in the file.
type item struct {
	annotate.Entry
	pos, length int64
}

func newRows() *rows {
	return &rows{
		names: newNames(), caps: [][]annotate.Capability{nil}, capIdx: map[string]uint16{"": 0}, eras: []era{{}},
		wide: map[int32]*wholeRow{}, findings: map[int32][]finding{}, progress: map[int32][]progressPoint{}, pending: map[int32]struct{}{},
		events: map[int32]recordings.Event{}, gaps: map[int32]recordings.Gap{}, cancels: map[int32]int32{}, touches: map[int32][]string{}, members: map[int32]int{}, more: map[int32]*more{}, lastStderr: none,
		ids: []byte{0},
	}
}

// find returns the row of an entry, none if there is no such row.
func (rs *rows) find(ref annotate.Ref) int32 {
	if ref.Seq <= 0 || rs.n == 0 {
		return none
	}
	before := func(i int) bool {
		r := rs.at(i).ref()
		return r.Seq > ref.Seq || r.Seq == ref.Seq && r.Sub >= ref.Sub
	}
	// Numbers are mostly dense, so the row is near where it would stand if each number had one row.
	var lo, hi int
	guess := min(int(ref.Seq)-1, rs.n-1)
	for step := 16; ; step *= 4 {
		if before(guess) {
			hi = guess + 1
			if guess -= step; guess <= 0 {
				lo = 0
				break
			}
			if !before(guess) {
				lo = guess
				break
			}
		} else {
			lo = guess
			if guess += step; guess >= rs.n-1 {
				hi = rs.n
				break
			}
			if before(guess) {
				hi = guess + 1
				break
			}
		}
	}
	i := lo + sort.Search(hi-lo, func(i int) bool { return before(lo + i) })
	if i < rs.n {
		if r := rs.at(i).ref(); r.Seq == ref.Seq && (r.Sub == ref.Sub || ref.Sub == annotate.NoSub) {
			return int32(i)
		}
	}
	return none
}

// add appends an entry.
func (rs *rows) add(it *item) {
	e := &it.Entry
	i := int32(rs.n)
	r := wholeRow{
		pos: it.pos, t: int64(e.T), length: it.length, size: e.Size, seq: e.Seq, sub: e.Sub,
		pair: rs.find(e.Pair), flow: rs.find(e.Flow),
		method: rs.names.id(e.Method), target: rs.names.id(e.Target),
		session: int32(min(e.Session, math.MaxInt32)),
		kind:    kind(index(kindNames[:], e.Kind)), stream: e.Stream, phase: phase(index(phaseNames[:], e.Phase)),
		group: groupIndex(e.Group), state: state(index(stateNames[:], e.State)),
	}
	if e.Flow == e.Ref {
		r.flow = i
	}
	if e.Group == "" {
		r.group = 0
	}
	if e.From == "server" {
		r.flags |= fromServer
	}
	for _, f := range []struct {
		on   bool
		flag flags
	}{{e.Cancelled, cancelledToo}, {e.Partial, partial}, {e.Truncated, truncated}, {e.Primitive != "", hasPrimitive}, {len(e.Defects) > 0, defective}} {
		if f.on {
			r.flags |= f.flag
		}
	}
	r.id = rs.idOf(e.ID, r.pair)
	rs.setCaps(&r, e.Capability)
	rs.setEra(&r, era{e.Era, e.Revision, e.EOL})
	rs.addMore(i, e)
	rs.put(rs.n, r)
	rs.n++
	rs.maxSeq = max(rs.maxSeq, r.seq)
	rs.idWidth = max(rs.idWidth, min(len(e.ID), 8))
	rs.methodWidth = max(rs.methodWidth, len(strings.TrimPrefix(e.Method, notifications))+1)
	rs.bytes += e.Size
	if rs.at(int(i)).isMessage() {
		rs.messages++
	}
	if r.kind == kindStderr {
		rs.lastStderr = i
	}
	if r.state == statePending {
		rs.pending[i] = struct{}{}
	}
	if e.Event != nil {
		rs.events[i] = *e.Event
	}
	if e.GapInfo != nil {
		rs.gaps[i] = *e.GapInfo
	}
	if len(e.Touches) > 0 {
		rs.touches[i] = e.Touches
	}
	if e.Members > 0 {
		rs.members[i] = e.Members
	}
	if e.Progress != nil && r.flow >= 0 && r.flow != i {
		rs.addProgress(r.flow, i, e.T, e.Progress)
	}
	if r.pair >= 0 && rs.at(int(i)).isAnswer() {
		delete(rs.pending, r.pair)
	}
	rs.addFindings(i, e.Findings, i)
}

func (rs *rows) addProgress(of, by int32, t time.Duration, p *annotate.Progress) {
	rs.progress[of] = append(rs.progress[of], progressPoint{since: by, t: int64(t), progress: p.Progress, total: p.Total, message: p.Message})
}

// apply changes an earlier entry.
func (rs *rows) apply(p *annotate.Patch) {
	i := rs.find(p.At)
	if i < 0 {
		return
	}
	r := rs.at(int(i)).whole()
	if j := rs.find(p.Pair); j >= 0 {
		r.pair = j
	}
	if j := rs.find(p.Flow); j >= 0 {
		r.flow = j
	}
	if p.State != "" {
		r.state = state(index(stateNames[:], p.State))
		if r.state == statePending {
			rs.pending[i] = struct{}{}
		} else {
			delete(rs.pending, i)
		}
	}
	if p.Cancelled {
		r.flags |= cancelledToo
		if _, ok := rs.cancels[i]; !ok && r.pair < 0 {
			rs.cancels[i] = int32(rs.n - 1)
		}
	}
	if p.Phase != "" {
		r.phase = phase(index(phaseNames[:], p.Phase))
		rs.cutBreaks(int(i))
	}
	if p.Era != "" || p.Revision != "" {
		old := rs.eras[r.era]
		if p.Era == "" {
			p.Era = old.era
		}
		if p.Revision == "" {
			p.Revision = old.revision
		}
		rs.setEra(&r, era{p.Era, p.Revision, old.eol})
	}
	if p.Capability != nil {
		rs.setCaps(&r, p.Capability)
	}
	if p.Progress != nil {
		last := rs.progress[i]
		same := len(last) > 0 && last[len(last)-1].since == int32(rs.n-1)
		if !same && rs.n > 0 {
			rs.addProgress(i, int32(rs.n-1), rs.at(rs.n-1).t(), p.Progress)
		}
	}
	rs.put(int(i), r)
	rs.patchMore(i, p)
	rs.withdraw(i, p.Withdrawn)
	rs.addFindings(i, p.Findings, int32(rs.n-1))
}

func (rs *rows) setCaps(r *wholeRow, caps []annotate.Capability) {
	r.flags &^= capMissing | capUnknown
	if len(caps) == 0 {
		r.caps = 0
		return
	}
	for _, c := range caps {
		switch c.State {
		case annotate.Undeclared:
			r.flags |= capMissing
		case annotate.UnknownDecl:
			r.flags |= capUnknown
		}
	}
	key := capsKey(caps, true)
	n, ok := rs.capIdx[key]
	if !ok && len(rs.caps) >= capsMax {
		// Messages of the modern era declare each for itself. Beyond some thousands it is no longer
		// kept where.
		caps = slices.Clone(caps)
		for i := range caps {
			caps[i].At = 0
		}
		key = capsKey(caps, false)
		n, ok = rs.capIdx[key]
	}
	if !ok {
		if len(rs.caps) > math.MaxUint16 {
			return
		}
		n = uint16(len(rs.caps))
		rs.caps = append(rs.caps, caps)
		rs.capIdx[key] = n
	}
	r.caps = n
}

// capsMax is how many different sets of capabilities are kept with where they were declared.
const capsMax = 8192

func capsKey(caps []annotate.Capability, at bool) string {
	var b []byte
	for _, c := range caps {
		b = append(append(append(append(append(b, c.Side...), ' '), c.Path...), ' '), c.State...)
		if at {
			b = binary.LittleEndian.AppendUint64(b, uint64(c.At))
		}
	}
	return string(b)
}

func (rs *rows) setEra(r *wholeRow, want era) {
	i := slices.Index(rs.eras, want)
	if i < 0 {
		if len(rs.eras) > math.MaxUint8 {
			return
		}
		i = len(rs.eras)
		rs.eras = append(rs.eras, want)
	}
	r.era = uint8(i)
}

const idInline = 1 << 31

// idOf stores an id for display. Small numbers are kept in place; an answer shares its request's.
func (rs *rows) idOf(raw string, pair int32) uint32 {
	if raw == "" {
		return 0
	}
	if len(raw) <= 9 && raw[0] != '-' && (raw[0] != '0' || len(raw) == 1) {
		n, ok := uint32(0), true
		for i := range len(raw) {
			if raw[i] < '0' || raw[i] > '9' {
				ok = false
				break
			}
			n = n*10 + uint32(raw[i]-'0')
		}
		if ok {
			return n | idInline
		}
	}
	if len(raw) > 255 {
		raw = raw[:255]
	}
	if pair >= 0 {
		if id := rs.at(int(pair)).id; rs.idText(id) == raw {
			return id
		}
	}
	at := uint32(len(rs.ids))
	rs.ids = append(append(rs.ids, byte(len(raw))), raw...)
	return at
}

// idText returns the id as it travelled (its first 255 bytes).
func (rs *rows) idText(id uint32) string {
	switch {
	case id == 0:
		return ""
	case id&idInline != 0:
		return itoa(int64(id &^ idInline))
	}
	n := uint32(rs.ids[id])
	return string(rs.ids[id+1 : id+1+n])
}

// entry rebuilds the entry of row i without what only the file knows (Raw, Message, Err …).
func (rs *rows) entry(i int) annotate.Entry {
	r := rs.at(i)
	e := annotate.Entry{
		Ref: r.ref(), T: r.t(), T0: r.t(), Session: int(r.session()), Stream: r.stream(), Kind: kindNames[r.kind()],
		ID: rs.idText(r.id), Method: rs.names.text(r.method()), Target: rs.names.text(r.target), Touches: rs.touches[int32(i)],
		Group: groups[r.group()].name, Phase: phaseNames[r.phase()], Era: rs.eras[r.era].era, Revision: rs.eras[r.era].revision,
		Capability: rs.caps[r.caps], State: stateNames[r.state()], Cancelled: r.flags&cancelledToo != 0, Size: r.size(),
		Partial: r.flags&partial != 0, Truncated: r.flags&truncated != 0, Members: rs.members[int32(i)],
	}
	if r.isMessage() {
		e.From = "client"
		if r.flags&fromServer != 0 {
			e.From = "server"
		}
	}
	if r.flags&hasPrimitive != 0 {
		e.Primitive = e.Group
	}
	if r.pair() >= 0 {
		e.Pair = rs.at(int(r.pair())).ref()
	}
	if r.flow() >= 0 {
		e.Flow = rs.at(int(r.flow())).ref()
	}
	rs.fillMore(&e, i)
	if d, ok := rs.latency(i); ok {
		e.Latency, e.HasLatency = d, true
	}
	if ev, ok := rs.events[int32(i)]; ok {
		e.Event = &ev
	}
	if g, ok := rs.gaps[int32(i)]; ok {
		e.GapInfo = &g
	}
	for _, f := range rs.heeded(int32(i)) {
		e.Findings = append(e.Findings, f.Finding)
	}
	return e
}

// latency is the time from a request to its answer, of the answer.
func (rs *rows) latency(i int) (time.Duration, bool) {
	r := rs.at(i)
	if !r.isAnswer() || r.pair() < 0 || int(r.pair()) >= i {
		return 0, false
	}
	return r.t() - rs.at(int(r.pair())).t(), true
}

// firstFrom is the first row whose number is at least seq, n if there is none.
func (rs *rows) firstFrom(seq int64) int {
	return sort.Search(rs.n, func(i int) bool { return rs.at(i).seq() >= seq })
}

// firstAfter is the first row at or after t, n if there is none.
func (rs *rows) firstAfter(t time.Duration) int {
	return sort.Search(rs.n, func(i int) bool { return rs.at(i).t() >= t })
}
