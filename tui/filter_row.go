package tui

import (
	"time"

	"github.com/shakescope/shakescope/annotate"
	"github.com/shakescope/shakescope/internal/filter"
	"github.com/shakescope/shakescope/jsonrpc"
	"github.com/shakescope/shakescope/recordings"
)

// filterRow is a row as filters see it. Payloads come from read, a set of entries that were read for
// this purpose; where one is missing the verdict is not valid.
type filterRow struct {
	rs    *rows
	notes *notes
	start time.Time
	i     int
	head  int // see asof.go; a row after it is what it was when it came
	read  map[int32]*annotate.Entry
	half  *filterRow
	asked *asked // shared with half
	// missing lists the rows whose payload was asked for and is not in read; shared with half.
	missing *[]int32
}

// asked is what the expression wanted to know so far.
type asked struct {
	dependsOnHead bool // something that a later entry can change
}

// asOf is the head at which the row is to be seen.
func (f *filterRow) asOf() int {
	f.asked.dependsOnHead = true
	return max(f.head, f.i+1)
}

var streamWords = [4]string{recordings.Control: "control", recordings.Stdin: "stdin", recordings.Stdout: "stdout", recordings.Stderr: "stderr"}

func (f *filterRow) row() row { return f.rs.at(f.i) }

func (f *filterRow) Text(field filter.Field) string {
	rs, r := f.rs, f.row()
	switch field {
	case filter.Method:
		return rs.names.text(r.method())
	case filter.Kind:
		return string(kindNames[r.kind()])
	case filter.State:
		return string(stateNames[rs.stateAsOf(f.i, f.asOf())])
	case filter.Target:
		return rs.names.text(r.target)
	case filter.Group:
		return groups[r.group()].name
	case filter.Primitive:
		if r.flags&hasPrimitive != 0 {
			return groups[r.group()].name
		}
	case filter.From:
		switch {
		case !r.isMessage():
		case r.flags&fromServer != 0:
			return "server"
		default:
			return "client"
		}
	case filter.OfStream:
		return streamWords[r.stream()&3]
	case filter.Phase:
		return string(phaseNames[r.phase()])
	case filter.ID:
		return rs.idText(r.id)
	case filter.Era:
		return rs.eras[r.era].era
	case filter.Revision:
		return rs.eras[r.era].revision
	case filter.EOL:
		switch {
		case r.stream() == recordings.Control || r.sub() >= 0:
			return ""
		case rs.eras[r.era].eol == jsonrpc.LF:
			return "lf"
		case rs.eras[r.era].eol == jsonrpc.CRLF:
			return "crlf"
		}
		return "none"
	case filter.Unanswered:
		if m := rs.moreOf(f.i); m.unanswered != "" && (f.asOf() >= rs.n || rs.probableAsOf(f.i, f.asOf())) {
			return m.unanswered
		}
		return ""
	case filter.Token:
		return rs.moreOf(f.i).token
	case filter.ErrorMessage:
		return rs.moreOf(f.i).message
	case filter.Reason:
		return string(rs.moreOf(f.i).reason)
	case filter.EventName, filter.EventSignal, filter.EventReason:
		ev, ok := f.event()
		switch {
		case !ok:
		case field == filter.EventName:
			return ev.Name
		case field == filter.EventSignal:
			return ev.Signal
		default:
			return ev.Reason
		}
	case filter.Mark:
		return f.notes.marksOf(r.ref())
	case filter.Note:
		return f.notes.noteOf(r.ref())
	}
	return ""
}

func (f *filterRow) event() (recordings.Event, bool) {
	if f.row().kind() != kindEvent {
		return recordings.Event{}, false
	}
	ev, ok := f.rs.events[int32(f.i)]
	return ev, ok
}

func (f *filterRow) Number(field filter.Field) (int64, bool) {
	rs, r := f.rs, f.row()
	switch field {
	case filter.Seq:
		return r.seq(), true
	case filter.Sub:
		return int64(r.sub()), r.sub() >= 0
	case filter.T:
		return int64(r.t()), true
	case filter.T0:
		t0 := rs.moreOf(f.i).t0
		return int64(t0), t0 != 0
	case filter.Delta:
		if f.i == 0 {
			return 0, false
		}
		return int64(r.t() - rs.at(f.i-1).t()), true
	case filter.Latency:
		d, ok := rs.latency(f.i)
		return int64(d), ok
	case filter.Size:
		return r.size(), r.stream() != recordings.Control
	case filter.Session:
		return int64(r.session()), true
	case filter.Members:
		return int64(rs.members[int32(f.i)]), r.kind() == kindBatch
	case filter.Offset:
		m := rs.moreOf(f.i)
		return int64(m.offset), m.reason != ""
	case filter.ErrorCode:
		m := rs.moreOf(f.i)
		return m.code, m.err
	case filter.EventCode, filter.EventBytes, filter.EventPID:
		ev, ok := f.event()
		switch {
		case !ok:
		case field == filter.EventBytes:
			return ev.Bytes, ev.Bytes != 0
		case field == filter.EventPID:
			return int64(ev.PID), ev.PID != 0
		case ev.Code != nil:
			return int64(*ev.Code), true
		}
	}
	return 0, false
}

func (f *filterRow) Flag(field filter.Field) bool {
	r := f.row()
	switch field {
	case filter.Cancelled:
		if r.kind() == kindRequest {
			if by, ok := f.rs.cancels[int32(f.i)]; ok {
				return int(by) < f.asOf()
			}
		}
		return r.flags&cancelledToo != 0 || r.state() == stateCancelled
	case filter.Ambiguous:
		return f.rs.moreOf(f.i).ambiguous
	case filter.Partial:
		return r.flags&partial != 0 && r.sub() < 0
	}
	return r.flags&truncated != 0
}

func (f *filterRow) Ref(field filter.Field) annotate.Ref {
	r := f.row()
	at := int32(none)
	switch field {
	case filter.Pair:
		at = f.rs.pairAsOf(f.i, f.asOf())
	case filter.Flow:
		at = r.flow()
	default:
		if !f.rs.probableAsOf(f.i, f.asOf()) {
			return annotate.Ref{}
		}
		return f.rs.moreOf(f.i).probable
	}
	if at < 0 {
		return annotate.Ref{}
	}
	return f.rs.at(int(at)).ref()
}

func (f *filterRow) Start() time.Time { return f.start }

func (f *filterRow) Touches() []string { return f.rs.touches[int32(f.i)] }

func (f *filterRow) Capabilities() []annotate.Capability { return f.rs.caps[f.row().caps] }

func (f *filterRow) Defects() []jsonrpc.Defect {
	if f.row().flags&defective == 0 {
		return nil
	}
	return f.rs.moreOf(f.i).defects
}

func (f *filterRow) Findings() int {
	if f.row().level() == levelNone {
		return 0 // for ever: ignored rules have the judge look again by themselves
	}
	return len(f.rs.findingsAsOf(int32(f.i), f.asOf()))
}

func (f *filterRow) Finding(k int) *annotate.Finding {
	return &f.rs.findingsAsOf(int32(f.i), f.asOf())[k].Finding
}

func (f *filterRow) Half() filter.Row {
	pair := f.rs.pairAsOf(f.i, f.asOf())
	if pair < 0 {
		return nil
	}
	if f.half == nil {
		f.half = &filterRow{rs: f.rs, notes: f.notes, start: f.start, missing: f.missing, asked: f.asked}
	}
	f.half.i, f.half.read, f.half.head = int(pair), f.read, f.asOf()
	return f.half
}

// payload is the entry with its payload, nil if it has none or was not read.
func (f *filterRow) payload() *annotate.Entry {
	if !f.row().hasPayload() {
		return nil
	}
	e := f.read[int32(f.i)]
	if e == nil {
		*f.missing = append(*f.missing, int32(f.i))
	}
	return e
}

func (f *filterRow) Raw() []byte {
	e := f.payload()
	if e == nil || e.Stream == recordings.Control {
		return nil
	}
	return e.Raw
}

func (f *filterRow) Message() *jsonrpc.Message {
	if e := f.payload(); e != nil {
		return e.Message
	}
	return nil
}

func (f *filterRow) Summary() string {
	if f.row().hasPayload() {
		if e := f.payload(); e != nil {
			return e.Summary()
		}
		return ""
	}
	e := f.rs.entry(f.i) // what has no payload is what it was from the start
	return e.Summary()
}
