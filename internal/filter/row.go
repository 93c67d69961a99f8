package filter

import (
	"time"

	"github.com/shakescope/shakescope/annotate"
	"github.com/shakescope/shakescope/jsonrpc"
)

// Row is an entry as tests see it. A getter is asked only for the fields named at it and answers as an
// [annotate.Entry] would: with the empty value, or false, where a member does not apply. Only what the
// payload getters need may be read from the file; everything else is asked of every row.
type Row interface {
	// Text serves From, OfStream, Kind, ID (raw JSON), Method, Target, Primitive, Group, Phase, Era,
	// Revision, State, Unanswered, Token (raw JSON), ErrorMessage, EventName, EventSignal, EventReason,
	// Reason, Mark, Note, and EOL as lf, crlf or none (of whole lines only).
	Text(Field) string

	// Number serves Seq, Sub, Session, Members, ErrorCode, EventCode, EventBytes, EventPID, Offset,
	// Size; and in nanoseconds T, T0, Delta (since the entry before) and Latency.
	Number(Field) (int64, bool)

	// Flag serves Cancelled (answered or not), Ambiguous, Partial and Truncated.
	Flag(Field) bool

	// Ref serves Pair, Flow and Probable.
	Ref(Field) annotate.Ref

	// Start is the wall clock at the start of the recording, zero if not known. Times of day are
	// understood in its zone.
	Start() time.Time

	Touches() []string
	Capabilities() []annotate.Capability
	Defects() []jsonrpc.Defect

	// Findings counts the findings of the entry; Finding returns one of them.
	Findings() int
	Finding(i int) *annotate.Finding

	// Half is the row of Pair, nil if there is none. It may be overwritten by the next call on the
	// same row.
	Half() Row

	// What follows needs the payload. Only expressions whose [Expr.Needs] is [Payload] ask for it, and
	// only for entries about which the row alone does not decide.

	Raw() []byte               // as annotate.Entry.Raw; nil if it cannot be read
	Message() *jsonrpc.Message // nil unless a message
	Summary() string
}

// Needs says what an expression asks of rows.
type Needs uint8

// RowOnly expressions never ask for the payload.
const (
	RowOnly Needs = iota
	Payload
)

// Differences returns the fields in which two rows of the same entry differ, findings, capabilities
// and payload included. It is for tests of types that implement Row.
func Differences(a, b Row) []Field {
	var out []Field
	note := func(f Field, same bool) {
		if !same {
			out = append(out, f)
		}
	}
	for _, f := range []Field{From, OfStream, Kind, ID, Method, Target, Primitive, Group, Phase, Era, Revision, State, Unanswered, Token,
		ErrorMessage, EventName, EventSignal, EventReason, Reason, EOL} {
		note(f, a.Text(f) == b.Text(f))
	}
	for _, f := range []Field{Seq, Sub, Session, Members, ErrorCode, EventCode, EventBytes, EventPID, Offset, Size, T, T0, Delta, Latency} {
		x, okX := a.Number(f)
		y, okY := b.Number(f)
		note(f, okX == okY && (x == y || !okX))
	}
	for _, f := range []Field{Cancelled, Ambiguous, Partial, Truncated} {
		note(f, a.Flag(f) == b.Flag(f))
	}
	for _, f := range []Field{Pair, Flow, Probable} {
		note(f, a.Ref(f) == b.Ref(f))
	}
	note(Time, a.Start().Equal(b.Start()))
	note(Touches, equal(a.Touches(), b.Touches(), func(x, y string) bool { return x == y }))
	note(Capability, equal(a.Capabilities(), b.Capabilities(), func(x, y annotate.Capability) bool { return x == y }))
	note(Defects, equal(a.Defects(), b.Defects(), func(x, y jsonrpc.Defect) bool { return x.Kind == y.Kind }))
	same := a.Findings() == b.Findings()
	for i := 0; same && i < a.Findings(); i++ {
		x, y := a.Finding(i), b.Finding(i)
		same = x.Rule == y.Rule && x.Level == y.Level && x.By == y.By && x.Message == y.Message && x.Path == y.Path && x.Spec == y.Spec
	}
	note(Finding, same)
	note(JSON, string(a.Raw()) == string(b.Raw()) && (a.Message() == nil) == (b.Message() == nil))
	note(Summary, a.Summary() == b.Summary())
	return out
}

func equal[T any](a, b []T, same func(x, y T) bool) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if !same(a[i], b[i]) {
			return false
		}
	}
	return true
}
