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
