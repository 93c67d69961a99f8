package recordings

import (
	"bytes"
	"fmt"
	"io"
	"time"

	"github.com/shakescope/shakescope/jsonrpc"
)

const (
	// maxFrame bounds how much of one frame is joined. Longer ones come truncated.
	maxFrame = 1 << 30

	// keepJoined is the largest buffer that is kept for the next frame in parts.
	keepJoined = 16 << 20

	// maxDamage bounds the list of damaged places; a file of garbage has millions.
	maxDamage = 1000
)

// native reads records from lines of our own format. It joins parts and steps over damage.
type native struct {
	lines    lines
	parser   parser
	header   *Header
	headless bool // there was none
	plain    bool // the positions of lines are those in the file
	lined    bool // and so are their numbers: the segment that is read is not compressed
	live     bool // an incomplete last line may become complete
	strict   bool // look at all of each line

	current nativeLine
	held    *nativeLine // read, but something comes before it
	heldAt  place
	open    [4]parts
	joined  []byte // handed out with the last record
	seq     int64  // of the last record
	t       time.Duration
	ended   bool // there was an end record
	began   bool // what is read now has something before it

	// Of recordings in segments.
	follow  func() (*native, string, error) // opens the next, names what is missing before it
	number  int                             // of the segment that is read, from 1
	file    string                          // its name, unless it is the only one
	base    int64                           // where it begins in the positions of records
	goesOn  string                          // the name of the one after it, where it says so
	missing []string
	lostEnd bool // the last of them is

	over    bool // the end of the file was reached
	torn    int64
	damage  []Damage
	damaged int64 // places, also those that are not in the list

	// each is called with every line that is a record, before it is joined with others.
	each func(*nativeLine)
}

// place is where a line stands; line is its number, 0 for none.
type place struct{ pos, len, line int64 }

// parts are the pieces of a line that has not ended.
type parts struct {
	data  []byte
	count int
	size  int64
	t0, t time.Duration
	at    place  // of the first, with the length up to the last
	file  string // of the first, where there are several
	cut   bool   // some are missing
}

// next reads the next record. It returns io.EOF at the end, and errWait at the end of what is there
// of a live file.
func (r *native) next(rec *Record) error {
	r.reuse()
	for {
		n, at, err := r.line()
		if err == io.EOF && r.follow != nil {
			turned, lost, err := r.turn(rec)
			switch {
			case err != nil:
				return err
			case lost:
				r.seq = rec.Seq
				return nil
			case turned:
				continue
			}
		}
		if err == io.EOF {
			return r.leftOver(rec)
		}
		if err != nil {
			return err
		}
		if r.record(rec, n, at) {
			r.seq, r.t = max(r.seq, rec.Seq), rec.T
			return nil
		}
	}
}

// reuse takes back the buffer of the last record.
func (r *native) reuse() {
	if cap(r.joined) > keepJoined {
		r.joined = nil
	}
}

// line returns the next line that can be read.
func (r *native) line() (*nativeLine, place, error) {
	if n := r.held; n != nil {
		r.held = nil
		return n, r.heldAt, nil
	}
	for {
		line, pos, ok := r.lines.next()
		if !ok {
			var err error
			if line, pos, err = r.end(); err != nil {
				return nil, place{}, err
			}
			if line == nil {
				continue
			}
		}
		if len(bytes.TrimLeft(line, " \t\r")) == 0 {
			continue
		}
		n := &r.current
		err := r.parser.parse(n, line, r.strict || !ok)
		if err == nil && !r.strict && looksTorn(n, r.lines.after()) {
			err = r.parser.parse(n, line, true)
		}
		at := place{pos: pos, len: int64(len(line)) + 1}
		if r.lined {
			at.line = r.lines.number
		}
		if err != nil {
			if !ok && !r.live {
				r.torn += int64(len(line))
			}
			cut := r.salvage(line, n)
			r.report(Damage{Line: r.lines.number, Offset: pos, Bytes: int64(cut), Reason: err.Error(), Torn: !ok})
			if cut == len(line) {
				continue
			}
			at.pos, at.len = at.pos+int64(cut), at.len-int64(cut)
		}
		if n.kind == headerLine {
			if r.header == nil {
				r.header, _ = parseHeader(line)
			} else {
				r.began, r.goesOn = true, "" // a segment that stands behind the one before it
			}
			continue
		}
		if n.kind != unknownLine && r.each != nil {
			r.each(n)
		}
		return n, at, nil
	}
}

// end deals with what stands behind the last line end. It returns the last line if it is whole all
// the same, nil if there is another line, and the error to return otherwise.
func (r *native) end() ([]byte, int64, error) {
	if r.lines.tooLong() {
		_, pos := r.lines.rest()
		number := r.lines.number + 1
		r.lines.skipRest()
		r.report(Damage{Line: number, Offset: pos, Bytes: r.lines.offset - pos, Reason: "line too long"})
		return nil, 0, nil
	}
	rest, pos := r.lines.rest()
	if r.live {
		if r.lines.err != nil {
			return nil, 0, r.lines.err
		}
		return nil, 0, errWait
	}
	if err := r.lines.err; err != nil && !r.over {
		r.over = true
		r.report(Damage{Line: r.lines.number + 1, Offset: pos, Reason: err.Error(), Torn: true})
	}
	if len(rest) == 0 {
		return nil, 0, io.EOF
	}
	r.lines.skipRest()
	return rest, pos, nil
}

// salvage looks for a whole record at the end of a damaged line: a file that was cut while it was
// being written goes on in mid-line. It returns how many bytes are damaged.
func (r *native) salvage(line []byte, n *nativeLine) int {
	at := max(bytes.LastIndex(line, []byte(`{"seq":`)), bytes.LastIndex(line, []byte(`{"part":`)))
	if at <= 0 {
		return len(line)
	}
	if err := r.parser.parse(n, line[at:], true); err != nil || n.kind == unknownLine || n.kind == headerLine {
		return len(line)
	}
	return at
}

func (r *native) report(d Damage) {
	r.damaged++
	d.File = r.file
	d.Offset -= r.base
	if len(r.damage) < maxDamage {
		r.damage = append(r.damage, d)
	}
}

// record fills rec from a line. It returns false when that gives no record.
func (r *native) record(rec *Record, n *nativeLine, at place) bool {
	switch n.kind {
	case partLine:
		o := &r.open[n.stream]
		if n.parts == 0 && o.count > 0 && r.dangling(rec, n, at) {
			return true
		}
		r.part(n, at)
		return false
	case frameLine:
		o := &r.open[n.stream]
		if o.count == 0 {
			r.frame(rec, n, at)
			return true
		}
		if n.parts == 0 && r.dangling(rec, n, at) {
			return true
		}
		r.join(rec, n, at)
		return true
	case gapLine:
		for s := Stdin; s <= Stderr; s++ {
			o := &r.open[s]
			if n.gap.Bytes[streamNames[s]] == 0 || o.count == 0 {
				continue
			}
			if n.gap.Frames[streamNames[s]] > 0 && r.danglingOf(s, rec, n, at) {
				return true
			}
			o.cut = true
		}
		*rec = Record{Kind: GapRecord, Seq: n.seq, T: n.t, T0: n.t, Gap: n.gap}
	case eventLine:
		*rec = Record{Kind: EventRecord, Seq: n.seq, T: n.t, T0: n.t, Event: n.event}
	case contextLine:
		if r.began || r.seq > 0 {
			return false
		}
		*rec = Record{Kind: ContextRecord, T: n.t, T0: n.t, Context: n.context}
	case nextLine:
		r.goesOn = n.next
		return false
	case endLine:
		r.ended = true
		*rec = Record{Kind: EndRecord, T: n.t, T0: n.t, End: n.end}
	default:
		return false
	}
	r.place(rec, at, r.file)
	return true
}

func (r *native) place(rec *Record, at place, file string) {
	if r.plain {
		rec.Pos, rec.Len = at.pos, at.len
	}
	rec.Line = at.line
	if file != "" {
		rec.File = file
	}
}

// frame is the usual case: a line in one record.
func (r *native) frame(rec *Record, n *nativeLine, at place) {
	*rec = Record{
		Kind: FrameRecord, Seq: n.seq, T: n.t, T0: n.t0, Stream: n.stream, Data: n.data, EOL: n.eol,
		Partial: n.partial, Truncated: n.cut, Size: int64(len(n.data)), head: n.head,
	}
	if n.cut || n.withheld != NotWithheld {
		rec.Size, rec.Withheld, rec.Truncated = max(n.size, rec.Size), n.withheld, true
	} else if n.parts > 0 {
		// Its parts are not there.
		rec.Truncated = true
	}
	r.place(rec, at, r.file)
}

func (r *native) part(n *nativeLine, at place) {
	o := &r.open[n.stream]
	if o.count == 0 {
		*o = parts{data: o.data[:0], t0: n.t, at: at, file: r.file, cut: n.parts != 0}
	} else if n.parts != o.count {
		o.cut = true
	}
	o.count = n.parts + 1
	o.t, o.at.len = n.t, at.pos+at.len-o.at.pos
	o.size += int64(len(n.data))
	if len(o.data)+len(n.data) > maxFrame {
		o.cut = true
		return
	}
	o.data = append(o.data, n.data...)
}

// join makes one record of parts and the piece that ends the line.
func (r *native) join(rec *Record, n *nativeLine, at place) {
	o := &r.open[n.stream]
	count := o.count
	r.part(&nativeLine{stream: n.stream, t: n.t, parts: count, data: n.data}, at)
	eol := n.eol
	if k := len(o.data); eol == jsonrpc.LF && k > 0 && o.data[k-1] == '\r' {
		o.data = o.data[:k-1]
		o.size--
		eol = jsonrpc.CRLF
	}
	*rec = Record{
		Kind: FrameRecord, Seq: n.seq, T: n.t, T0: n.t0, Stream: n.stream, Data: o.data, EOL: eol,
		Partial: n.partial, Truncated: n.cut || o.cut || n.parts != count, Size: max(o.size, n.size),
	}
	r.place(rec, o.at, o.file)
	r.handOut(o)
}

// handOut lets the next line of the stream be joined in another buffer than the record has.
func (r *native) handOut(o *parts) {
	r.joined, o.data = o.data, r.joined[:0]
	*o = parts{data: o.data}
}

// dangling makes a record of parts whose line end is lost, since another line n begins. It returns
// false when there is no number for it: then the parts are damage.
func (r *native) dangling(rec *Record, n *nativeLine, at place) bool {
	return r.danglingOf(n.stream, rec, n, at)
}

func (r *native) danglingOf(s Stream, rec *Record, n *nativeLine, at place) bool {
	o := &r.open[s]
	if n.kind != partLine && n.seq <= r.seq+1 {
		r.report(Damage{Line: r.lines.number, Offset: o.at.pos, Reason: fmt.Sprintf("%d bytes of a line whose end is lost", o.size)})
		*o = parts{data: o.data[:0]}
		return false
	}
	*rec = Record{
		Kind: FrameRecord, Seq: r.seq + 1, T: o.t, T0: o.t0, Stream: s, Data: o.data, EOL: jsonrpc.None,
		Truncated: true, Size: o.size,
	}
	r.place(rec, o.at, o.file)
	r.handOut(o)
	held := *n
	r.held, r.heldAt = &held, at
	return true
}

// leftOver gives the lines that were unfinished when the file ended, then io.EOF.
func (r *native) leftOver(rec *Record) error {
	for s := Stdin; s <= Stderr; s++ {
		o := &r.open[s]
		if o.count == 0 {
			continue
		}
		r.seq++
		*rec = Record{
			Kind: FrameRecord, Seq: r.seq, T: o.t, T0: o.t0, Stream: s, Data: o.data, EOL: jsonrpc.None,
			Partial: true, Truncated: o.cut, Size: o.size,
		}
		r.place(rec, o.at, o.file)
		r.handOut(o)
		return nil
	}
	return io.EOF
}
