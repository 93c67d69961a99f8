package annotate

import (
	"time"

	"github.com/shakescope/shakescope/jsonrpc"
	"github.com/shakescope/shakescope/recordings"
)

// Ref names an entry: the number of its record, and for a member of a batch its index (NoSub for
// all others). It is written as seq or [seq,sub].
type Ref struct {
	Seq int64
	Sub int32
}

// NoSub is the Sub of an entry that is not a member of a batch.
const NoSub int32 = -1

// IsZero reports whether r names nothing.
func (r Ref) IsZero() bool { return r.Seq == 0 }

// Kind is the kind of an entry; its values are those of the contract.
type Kind string

// The kinds of entries.
const (
	Request      Kind = "request"
	Notification Kind = "notification"
	Response     Kind = "response" // an answer with a result
	ErrorAnswer  Kind = "error"    // an answer with an error
	Batch        Kind = "batch"    // an array of messages; its members are entries of their own, with a Sub
	Invalid      Kind = "invalid"  // a line or member of a batch that is no message; Reason says why
	Blank        Kind = "blank"    // a line of white space
	Stderr       Kind = "stderr"   // a line of the server's error output
	EventEntry   Kind = "event"    // something that happened to the process or its streams
	Gap          Kind = "gap"      // bytes that were not recorded
)

// Phase is a lifecycle phase.
type Phase string

// The phases. See 2025-11-25/basic/lifecycle; discovery and probe belong to 2026-07-28.
const (
	Initialization Phase = "initialization"
	Operation      Phase = "operation"
	Shutdown       Phase = "shutdown"
	Discovery      Phase = "discovery"
	Probe          Phase = "probe"
)

// State is the state of a request or of its answer.
type State string

// The states.
const (
	Pending       State = "pending"        // no answer so far
	OK            State = "ok"             // a result
	Failed        State = "error"          // an error of the protocol
	ToolError     State = "tool_error"     // a result of tools/call with isError
	InputRequired State = "input_required" // a result that asks the client to ask again
	Cancelled     State = "cancelled"      // given up by who asked
	Open          State = "open"           // a request that stays open by nature, as a subscription does
	Unmatched     State = "unmatched"      // an answer to no request that is known
	Duplicate     State = "duplicate"      // a second answer
)

// Declared says whether a capability a message depends on was declared.
type Declared string

// The values of Capability.State.
const (
	IsDeclared  Declared = "declared"
	Undeclared  Declared = "undeclared" // a declaration was seen, and lacks it
	UnknownDecl Declared = "unknown"    // no declaration was seen
)

// Capability is one capability a message depends on.
type Capability struct {
	Side  string   `json:"side"` // client or server
	Path  string   `json:"path"` // tools.listChanged
	State Declared `json:"state"`
	At    int64    `json:"at,omitempty"` // seq where declared
}

// Entry is a message, or a line that is none, or an event, with its annotations. Strings and slices
// are the entry's own, except Raw, which points into the record's data. The empty value of a member
// means that it does not apply (the contract leaves it out) unless said otherwise.
type Entry struct {
	Ref
	T, T0   time.Duration
	Session int
	From    string // client, server; of messages
	Stream  recordings.Stream
	Kind    Kind
	Members int    // of a batch
	ID      string // raw JSON
	Method  string // an answer carries its request's
	Target  string // tool or prompt name, resource URI, task id; an answer carries its request's

	Primitive  string   // "" is null
	Touches    []string // further primitives inside one message
	Group      string
	Phase      Phase
	Era        string // legacy, modern; "" is null
	Revision   string // "" is null
	Capability []Capability

	Pair       Ref
	Flow       Ref
	State      State
	Cancelled  bool   // beside the state of an answer that came after a cancellation, and of its request
	Probable   Ref    // of a lone answer the request it was probably meant for, and the reverse: a hint, no pair
	Ambiguous  bool   // its id was open twice at a time, so that the pair is a guess (oldest first)
	Unanswered string // of a request that the end left open: why
	Latency    time.Duration
	HasLatency bool
	Err        *jsonrpc.ErrorObject
	Token      string // of progress: raw JSON of params.progressToken; of a request: of its _meta
	Progress   *Progress
	Event      *recordings.Event
	GapInfo    *recordings.Gap
	Reason     jsonrpc.Reason
	Offset     int
	Defects    []jsonrpc.Defect
	Size       int64
	EOL        jsonrpc.EOL
	Partial    bool
	Truncated  bool
	Withheld   recordings.Withheld // why only the length of a frame is there, in a recording that was masked as it was written
	Findings   []Finding
	Raw        []byte           // the message, or the frame's data where it is none
	Message    *jsonrpc.Message // nil unless a message; points into Raw

	twin      bool     // Probable is by an id of the other type
	brokenOff bool     // Probable has the same id, but this line never ended
	misfits   []misfit // of a call: where its arguments do not fit; written by the rules that find it
	tolerated bool     // Probable is a line that is no valid request, and its id is the same
}

// Progress is the payload of notifications/progress.
type Progress struct {
	Progress float64
	Total    float64 // 0: unknown
	Message  string
}

// Level is the level of a finding.
type Level string

// The levels: a MUST is broken or the session is lost; a SHOULD is broken or a likely bug; worth seeing.
const (
	LevelError   Level = "error"
	LevelWarning Level = "warning"
	LevelInfo    Level = "info"
)

// Finding is something wrong or worth seeing.
type Finding struct {
	Rule    string
	Level   Level
	By      string // client, server or environment
	Message string
	Path    string // JSON pointer into the message
	Spec    string // 2025-11-25/basic/lifecycle
	At      Ref    // zero: the whole recording
	Count   int    // of a rolled-up flood; 0 and 1 mean one
	Related []Ref
}

// Patch changes an earlier entry. Fields that are set replace. Findings are appended, except that one
// of the same rule, path and side at fault replaces the one that is there (a roll-up has grown); the
// findings of the rules in Withdrawn go away first.
type Patch struct {
	At         Ref
	Session    int
	Pair       Ref
	Flow       Ref
	State      State
	Cancelled  bool
	Phase      Phase
	Era        string
	Revision   string
	Capability []Capability
	Progress   *Progress // newest progress of a request
	Probable   Ref
	Ambiguous  bool
	Unanswered string
	Findings   []Finding
	Withdrawn  []string // ids of rules
}
