package tui

import (
	"time"

	"github.com/shakescope/shakescope/annotate"
	"github.com/shakescope/shakescope/recordings"
)

// wholeRow is what the lists know of an entry. Everything else is read again from the file when it is
// looked at. Strings are indices into rows.names.
type wholeRow struct {
	pos     int64
	t       int64 // ns since the start
	length  int64
	size    int64
	seq     int64
	sub     int32
	pair    int32 // index of a row, none if there is none
	flow    int32
	session int32
	method  uint32
	target  uint32
	id      uint32 // see rows.idText
	caps    uint16 // index into rows.caps
	kind    kind
	stream  recordings.Stream
	phase   phase
	group   uint8 // index into groups
	state   state
	level   level
	era     uint8 // index into rows.eras
	flags   flags
}

// row reads a row where it lies, in its page. It shows what put changes later.
type row struct {
	*packed
	rs *rows
	i  int
}

// packed is a row in 44 bytes. A row of which something does not fit stands in rows.wide as well.
type packed struct {
	fromPos  uint32 // from the page's, as are the other from…
	fromT    uint32 // lower bits
	length32 uint32
	size32   uint32
	link     int32 // pair, or the flow of a row without one
	target   uint32
	id       uint32
	fromT2   uint16 // higher bits
	fromSeq  uint16
	fromSub  int16
	method16 uint16
	caps     uint16

	fromSession uint8
	kindStream  uint8 // four bits each
	groupState  uint8 // four bits each
	phaseLevel  uint8 // three and two bits, then the linked
	era         uint8
	flags       flags
}

// What is a few bits wide always fits.
const (
	_ = uint(16 - len(kindNames))
	_ = uint(16 - len(streamWords))
	_ = uint(16 - len(groups))
	_ = uint(16 - len(stateNames))
	_ = uint(8 - len(phaseNames))
	_ = uint(4 - len(levelNames))
)

// linked is what the link of a packed row says of its flow.
type linked uint8

const (
	linkedNone linked = iota // it has no flow
	linkedSelf               // the row itself
	linkedPair               // the same as the pair
	linkedFlow               // the link is the flow, and there is no pair
	linkedWide               // see rows.wide
)

// pageRows is how many rows a page has. A full page takes whole pages of memory.
const pageRows = 2048

// page holds rows as distances from its first one, which they are mostly near.
type page struct {
	pos, t, seq  int64
	sub, session int32
	rows         []packed
}

func newPage(r *wholeRow) page {
	return page{pos: r.pos, t: r.t, seq: r.seq, sub: r.sub, session: r.session, rows: make([]packed, 0, pageRows)}
}

// pack packs row i. What does not fit is cut off, and then the row reads as another one.
func (pg *page) pack(i int, r *wholeRow) packed {
	t := uint64(r.t - pg.t)
	link, of := r.pair, linkedNone
	switch {
	case r.flow == int32(i):
		of = linkedSelf
	case r.flow < 0:
	case r.flow == r.pair:
		of = linkedPair
	default:
		link, of = r.flow, linkedFlow
	}
	return packed{
		fromPos: uint32(r.pos - pg.pos), fromT: uint32(t), fromT2: uint16(t >> 32), length32: uint32(r.length), size32: uint32(r.size),
		fromSeq: uint16(r.seq - pg.seq), fromSub: int16(r.sub - pg.sub), fromSession: uint8(r.session - pg.session), link: link,
		target: r.target, id: r.id, method16: uint16(r.method), caps: r.caps, era: r.era, flags: r.flags,
		kindStream: uint8(r.kind) | uint8(r.stream)<<4, groupState: r.group | uint8(r.state)<<4, phaseLevel: uint8(r.phase) | uint8(r.level)<<3 | uint8(of)<<5,
	}
}

// at is row i.
func (rs *rows) at(i int) row { return row{&rs.pages[i/pageRows].rows[i%pageRows], rs, i} }

// put replaces row i, or appends it.
func (rs *rows) put(i int, w wholeRow) {
	if i == len(rs.pages)*pageRows {
		rs.pages = append(rs.pages, newPage(&w))
	}
	pg := &rs.pages[i/pageRows]
	if i%pageRows == len(pg.rows) {
		pg.rows = pg.rows[:i%pageRows+1]
	}
	p := &pg.rows[i%pageRows]
	*p = pg.pack(i, &w)
	if rs.at(i).whole() == w {
		delete(rs.wide, int32(i))
		return
	}
	p.phaseLevel = p.phaseLevel&31 | uint8(linkedWide)<<5
	kept := w // so that only what comes here is allocated
	rs.wide[int32(i)] = &kept
}

// whole is the row unpacked, to be changed and put back.
func (r row) whole() wholeRow {
	return wholeRow{
		pos: r.pos(), t: int64(r.t()), length: r.length(), size: r.size(), seq: r.seq(), sub: r.sub(), pair: r.pair(), flow: r.flow(), session: r.session(),
		method: r.method(), target: r.target, id: r.id, caps: r.caps, kind: r.kind(), stream: r.stream(), phase: r.phase(), group: r.group(),
		state: r.state(), level: r.level(), era: r.era, flags: r.flags,
	}
}

func (r row) linked() linked { return linked(r.phaseLevel >> 5) }

// wide is the row where it stands whole, else nil.
func (r row) wide() *wholeRow {
	if r.linked() != linkedWide {
		return nil
	}
	return r.rs.wide[int32(r.i)]
}

func (r row) page() *page { return &r.rs.pages[r.i/pageRows] }

func (r row) kind() kind                { return kind(r.kindStream & 15) }
func (r row) stream() recordings.Stream { return recordings.Stream(r.kindStream >> 4) }
func (r row) group() uint8              { return r.groupState & 15 }
func (r row) state() state              { return state(r.groupState >> 4) }
func (r row) phase() phase              { return phase(r.phaseLevel & 7) }
func (r row) level() level              { return level(r.phaseLevel >> 3 & 3) }

// t is the time since the start.
func (r row) t() time.Duration {
	if w := r.wide(); w != nil {
		return time.Duration(w.t)
	}
	return time.Duration(r.page().t + int64(uint64(r.fromT2)<<32|uint64(r.fromT)))
}

// pos is where the record begins in the file, and length how long it is there.
func (r row) pos() int64 {
	if w := r.wide(); w != nil {
		return w.pos
	}
	return r.page().pos + int64(r.fromPos)
}

func (r row) length() int64 {
	if w := r.wide(); w != nil {
		return w.length
	}
	return int64(r.length32)
}

// size is that of the message.
func (r row) size() int64 {
	if w := r.wide(); w != nil {
		return w.size
	}
	return int64(r.size32)
}

func (r row) seq() int64 {
	if w := r.wide(); w != nil {
		return w.seq
	}
	return r.page().seq + int64(r.fromSeq)
}

func (r row) sub() int32 {
	if w := r.wide(); w != nil {
		return w.sub
	}
	return r.page().sub + int32(r.fromSub)
}

func (r row) ref() annotate.Ref { return annotate.Ref{Seq: r.seq(), Sub: r.sub()} }

func (r row) session() int32 {
	if w := r.wide(); w != nil {
		return w.session
	}
	return r.page().session + int32(r.fromSession)
}

// method is an index into rows.names.
func (r row) method() uint32 {
	if w := r.wide(); w != nil {
		return w.method
	}
	return uint32(r.method16)
}

// pair is the other half, none if there is none.
func (r row) pair() int32 {
	switch r.linked() {
	case linkedFlow:
		return none
	case linkedWide:
		return r.wide().pair
	}
	return r.link
}

// flow is the row that began the flow, none if there is none.
func (r row) flow() int32 {
	switch r.linked() {
	case linkedNone:
		return none
	case linkedSelf:
		return int32(r.i)
	case linkedWide:
		return r.wide().flow
	}
	return r.link
}

func (r row) isAnswer() bool { return r.kind() == kindResponse || r.kind() == kindError }

func (r row) isMessage() bool { return r.kind() >= kindRequest && r.kind() <= kindError }
