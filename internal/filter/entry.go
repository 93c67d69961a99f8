package filter

import (
	"time"

	"github.com/shakescope/shakescope/annotate"
	"github.com/shakescope/shakescope/jsonrpc"
	"github.com/shakescope/shakescope/recordings"
)

// Stream applies an expression to the entries of one recording as they come, with their payload. Of
// entries that went by it remembers only what the expression will ask about them.
type Stream struct {
	x       *Expr
	row     entryRow
	memory  memory
	learned bool
}

// Stream starts at the beginning of a recording; start is the wall clock there, zero if not known.
func (x *Expr) Stream(start time.Time) *Stream {
	s := &Stream{x: x}
	s.memory.init(len(x.parts))
	s.row.start, s.row.memory = start, &s.memory
	return s
}

// Learn takes in an entry for the sake of others. Where [Expr.LooksAhead], all entries are learned, in
// order and final, before the first is matched; else there is no need for it.
func (s *Stream) Learn(e *annotate.Entry) {
	s.learned = true
	s.row.set(e)
	s.memory.note(s.x.parts, &s.row)
}

// Match reports whether the next entry passes.
func (s *Stream) Match(e *annotate.Entry) bool {
	if s.learned && !s.row.matching {
		s.row.rewind()
	}
	s.row.matching = true
	s.row.set(e)
	if !s.learned {
		s.memory.note(s.x.parts, &s.row)
	}
	return s.x.match(&s.row)
}

// Again reports whether an entry passes that was matched before and has changed since. Nothing is known
// of delta then.
func (s *Stream) Again(e *annotate.Entry) bool {
	again := s.row
	again.set(e)
	again.hasDelta = false
	s.memory.note(s.x.parts, &again)
	return s.x.match(&again)
}

// entryRow is an annotate.Entry as a Row.
type entryRow struct {
	e      *annotate.Entry
	start  time.Time
	memory *memory

	delta    time.Duration
	hasDelta bool
	last     time.Duration // time of e
	begun    bool          // there was an e
	matching bool

	summary    string
	summarised bool
	half       remembered
}

func (r *entryRow) set(e *annotate.Entry) {
	r.delta, r.hasDelta = e.T-r.last, r.begun
	r.last, r.begun = e.T, true
	r.e, r.summarised = e, false
}

func (r *entryRow) rewind() { r.last, r.begun = 0, false }

func (r *entryRow) Text(f Field) string {
	e := r.e
	switch f {
	case Method:
		return e.Method
	case Kind:
		return string(e.Kind)
	case State:
		return string(e.State)
	case Target:
		return e.Target
	case Group:
		return e.Group
	case From:
		return e.From
	case OfStream:
		return streamNames[e.Stream&3]
	case Phase:
		return string(e.Phase)
	case Primitive:
		return e.Primitive
	case ID:
		return e.ID
	case Era:
		return e.Era
	case Revision:
		return e.Revision
	case Unanswered:
		return e.Unanswered
	case Token:
		return e.Token
	case Reason:
		return string(e.Reason)
	case EOL:
		return eolName(e)
	case ErrorMessage:
		if e.Err != nil {
			return e.Err.Message
		}
	case EventName, EventSignal, EventReason:
		return eventText(f, e.Event)
	}
	return ""
}

var streamNames = [4]string{recordings.Control: "control", recordings.Stdin: "stdin", recordings.Stdout: "stdout", recordings.Stderr: "stderr"}

func eolName(e *annotate.Entry) string {
	switch {
	case e.Stream == recordings.Control || e.Sub != annotate.NoSub:
		return ""
	case e.EOL == jsonrpc.LF:
		return "lf"
	case e.EOL == jsonrpc.CRLF:
		return "crlf"
	}
	return "none"
}

func eventText(f Field, v *recordings.Event) string {
	switch {
	case v == nil:
		return ""
	case f == EventName:
		return v.Name
	case f == EventSignal:
		return v.Signal
	}
	return v.Reason
}

func (r *entryRow) Number(f Field) (int64, bool) {
	e := r.e
	switch f {
	case Seq:
		return e.Seq, true
	case Sub:
		return int64(e.Sub), e.Sub != annotate.NoSub
	case T:
		return int64(e.T), true
	case T0:
		return int64(e.T0), e.T0 != e.T
	case Delta:
		return int64(r.delta), r.hasDelta
	case Latency:
		return int64(e.Latency), e.HasLatency
	case Size:
		return e.Size, e.Stream != recordings.Control
	case Session:
		return int64(e.Session), true
	case Members:
		return int64(e.Members), e.Kind == annotate.Batch
	case Offset:
		return int64(e.Offset), e.Reason != ""
	case ErrorCode:
		if e.Err != nil {
			return e.Err.Code, true
		}
	case EventCode, EventBytes, EventPID:
		return eventNumber(f, e.Event)
	}
	return 0, false
}

func eventNumber(f Field, v *recordings.Event) (int64, bool) {
	switch {
	case v == nil:
	case f == EventBytes:
		return v.Bytes, v.Bytes != 0
	case f == EventPID:
		return int64(v.PID), v.PID != 0
	case v.Code != nil:
		return int64(*v.Code), true
	}
	return 0, false
}

func (r *entryRow) Flag(f Field) bool {
	e := r.e
	switch f {
	case Cancelled:
		return e.Cancelled || e.State == annotate.Cancelled
	case Ambiguous:
		return e.Ambiguous
	case Partial:
		return e.Partial && e.Sub == annotate.NoSub
	}
	return e.Truncated
}

func (r *entryRow) Ref(f Field) annotate.Ref {
	switch f {
	case Pair:
		return r.e.Pair
	case Flow:
		return r.e.Flow
	}
	return r.e.Probable
}

func (r *entryRow) Start() time.Time                    { return r.start }
func (r *entryRow) Touches() []string                   { return r.e.Touches }
func (r *entryRow) Capabilities() []annotate.Capability { return r.e.Capability }
func (r *entryRow) Defects() []jsonrpc.Defect           { return r.e.Defects }
func (r *entryRow) Findings() int                       { return len(r.e.Findings) }
func (r *entryRow) Finding(i int) *annotate.Finding     { return &r.e.Findings[i] }
func (r *entryRow) Message() *jsonrpc.Message           { return r.e.Message }

func (r *entryRow) Half() Row {
	if !r.memory.recall(&r.half, r.e.Pair) {
		return nil
	}
	return &r.half
}

func (r *entryRow) Raw() []byte {
	if r.e.Stream == recordings.Control {
		return nil
	}
	return r.e.Raw
}

func (r *entryRow) Summary() string {
	if !r.summarised {
		r.summary, r.summarised = r.e.Summary(), true
	}
	return r.summary
}

// memory holds what an expression wants to know of entries that are not at hand: the verdicts of its
// parts, a bit each.
type memory struct {
	width    int // of the verdicts of an entry, in words
	index    map[annotate.Ref]int32
	pairs    []annotate.Ref
	verdicts []uint64
}

func (m *memory) init(parts int) {
	m.width = (parts + 63) / 64
	m.index = map[annotate.Ref]int32{}
}

// note remembers, or remembers anew, what the parts say of a row.
func (m *memory) note(parts []func(Row) bool, r *entryRow) {
	if len(parts) == 0 {
		return
	}
	e := r.e
	i, ok := m.index[e.Ref]
	if !ok {
		i = int32(len(m.pairs))
		m.index[e.Ref] = i
		m.pairs = append(m.pairs, annotate.Ref{})
		m.verdicts = append(m.verdicts, make([]uint64, m.width)...)
	}
	if !e.Pair.IsZero() {
		m.pairs[i] = e.Pair
		if j, ok := m.index[e.Pair]; ok && m.pairs[j].IsZero() {
			m.pairs[j] = e.Ref
		}
	}
	bits := m.verdicts[int(i)*m.width:][:m.width]
	clear(bits)
	for k, part := range parts {
		if part(r) {
			bits[k/64] |= 1 << (k % 64)
		}
	}
}

// recall makes out the entry of a reference, if it is remembered.
func (m *memory) recall(out *remembered, at annotate.Ref) bool {
	i, ok := m.index[at]
	if ok {
		out.memory, out.index = m, i
	}
	return ok
}

// remembered is an entry of which nothing is left but verdicts. Expressions ask it for nothing else.
type remembered struct {
	Row
	memory *memory
	index  int32
}

func (r *remembered) verdict(part int) bool {
	return r.memory.verdicts[int(r.index)*r.memory.width+part/64]&(1<<(part%64)) != 0
}

func (r *remembered) Half() Row {
	out := &remembered{}
	if !r.memory.recall(out, r.memory.pairs[r.index]) {
		return nil
	}
	return out
}
