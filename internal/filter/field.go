package filter

import (
	"slices"
	"strings"
	"sync"

	"github.com/shakescope/shakescope/annotate"
	"github.com/shakescope/shakescope/jsonrpc"
)

// Field is a member of an entry that a test can be about. Names are those of the annotated JSON lines.
type Field uint8

// The fields. Which getter of a [Row] serves which field stands at [Row].
const (
	NoField Field = iota
	Seq
	Sub
	Time
	T
	T0
	Delta
	Session
	From
	OfStream
	Kind
	Members
	ID
	Method
	Target
	Tool
	Prompt
	Resource
	Primitive
	Touches
	Group
	Phase
	Era
	Revision
	Capability
	CapabilitySide
	CapabilityPath
	CapabilityState
	CapabilityAt
	Pair
	Flow
	State
	Cancelled
	Ambiguous
	Probable
	Unanswered
	Latency
	LatencyMS
	Token
	Error
	ErrorCode
	ErrorMessage
	Event
	EventName
	EventCode
	EventSignal
	EventReason
	EventBytes
	EventPID
	Reason
	Offset
	Defects
	Size
	EOL
	Partial
	Truncated
	Finding
	FindingRule
	FindingLevel
	FindingBy
	FindingMessage
	FindingPath
	FindingSpec
	Mark
	Note
	Summary
	JSON
)

// class is what kind of values a field has, and so which tests it allows.
type class uint8

const (
	words    class = iota // text
	choices               // text out of a closed set
	identity              // the raw JSON of an id or token
	count                 // a whole number
	bytesize              // bytes
	span                  // a duration
	millis                // a duration, written as a number of milliseconds
	clock                 // a point in time
	flag                  // true or false
	ref                   // the number of another entry
	several               // text, any number of values
	levels                // of findings: they have an order
	group                 // an object: it is there or it is not
	payload               // text that only the file has
)

// Info describes a field for help and completion.
type Info struct {
	Field  Field
	Name   string
	About  string
	Values []string // all that it can have, or the usual ones; nil when they are open

	class  class
	sorted bool // text whose order means something
}

var (
	kindValues = []string{string(annotate.Request), string(annotate.Notification), string(annotate.Response), string(annotate.ErrorAnswer),
		string(annotate.Batch), string(annotate.Invalid), string(annotate.Blank), string(annotate.Stderr), string(annotate.EventEntry), string(annotate.Gap)}
	stateValues = []string{string(annotate.Pending), string(annotate.OK), string(annotate.Failed), string(annotate.ToolError), string(annotate.InputRequired),
		string(annotate.Cancelled), string(annotate.Open), string(annotate.Unmatched), string(annotate.Duplicate)}
	levelValues = []string{string(annotate.LevelInfo), string(annotate.LevelWarning), string(annotate.LevelError)} // in their order
	phaseValues = []string{string(annotate.Initialization), string(annotate.Operation), string(annotate.Shutdown), string(annotate.Discovery), string(annotate.Probe)}
	sides       = []string{"client", "server"}
	primitives  = []string{"tools", "resources", "prompts", "roots", "sampling", "elicitation"}
	groups      = append(slices.Clone(primitives), "lifecycle", "ping", "cancellation", "progress", "logging", "completion", "tasks", "subscriptions", "unknown")
	reasons     = []string{string(jsonrpc.NotUTF8), string(jsonrpc.NotJSON), string(jsonrpc.EmptyBatch), string(jsonrpc.NotObject), string(jsonrpc.BadVersion),
		string(jsonrpc.BadMethod), string(jsonrpc.BadID), string(jsonrpc.ResultAndErr), string(jsonrpc.NoContent), string(jsonrpc.BadError)}
	defects = []string{string(jsonrpc.DuplicateKey), string(jsonrpc.BOM), string(jsonrpc.BadUTF8), string(jsonrpc.TrailingBytes), string(jsonrpc.EdgeSpace),
		string(jsonrpc.IDType), string(jsonrpc.MissingVersion), string(jsonrpc.WrongVersion), string(jsonrpc.ExtraMember), string(jsonrpc.ParamsType),
		string(jsonrpc.CaseVariant), string(jsonrpc.LoneSurrogate), string(jsonrpc.NUL), string(jsonrpc.TooDeep), string(jsonrpc.TooManyMembers)}
	events = []string{"spawn", "client_closed_stdin", "server_closed_stdout", "write_failed", "signal", "exit", "recorder"}
)

// infos lists the fields in the order in which completion and help offer them.
var infos = []Info{
	{Field: Method, Name: "method", About: "method; an answer has its request's", class: words},
	{Field: Kind, Name: "kind", About: "what the entry is", Values: kindValues, class: choices},
	{Field: State, Name: "state", About: "what became of a request, on it and on its answer", Values: stateValues, class: choices},
	{Field: Tool, Name: "tool", About: "name of the tool", class: words},
	{Field: Prompt, Name: "prompt", About: "name of the prompt", class: words},
	{Field: Resource, Name: "resource", About: "URI of the resource", class: words},
	{Field: Target, Name: "target", About: "tool, prompt, resource or task", class: words},
	{Field: From, Name: "from", About: "who sent the message", Values: sides, class: choices},
	{Field: OfStream, Name: "stream", About: "where the line travelled", Values: []string{"stdin", "stdout", "stderr", "control"}, class: choices},
	{Field: Latency, Name: "latency", About: "from the request to its answer, on the answer", class: span},
	{Field: LatencyMS, Name: "latency_ms", About: "latency as a number of milliseconds", class: millis},
	{Field: Primitive, Name: "primitive", About: "primitive of the method", Values: primitives, class: choices},
	{Field: Touches, Name: "touches", About: "further primitives inside one message", Values: primitives, class: several},
	{Field: Group, Name: "group", About: "primitive or utility of the method", Values: groups, class: choices},
	{Field: Phase, Name: "phase", About: "lifecycle phase", Values: phaseValues, class: choices},
	{Field: Finding, Name: "finding", About: "has findings; with a value: their rules", class: several},
	{Field: FindingRule, Name: "finding.rule", About: "rule of a finding", class: several},
	{Field: FindingLevel, Name: "finding.level", About: "level of a finding", Values: levelValues, class: levels},
	{Field: FindingBy, Name: "finding.by", About: "side at fault", Values: []string{"client", "server", "environment"}, class: several},
	{Field: FindingMessage, Name: "finding.message", About: "what a finding says", class: several},
	{Field: FindingPath, Name: "finding.path", About: "JSON pointer of a finding", class: several},
	{Field: FindingSpec, Name: "finding.spec", About: "page of the specification behind a finding", class: several},
	{Field: Capability, Name: "capability", About: "capability the message depends on", class: several},
	{Field: CapabilitySide, Name: "capability.side", About: "side that declares the capability", Values: sides, class: several},
	{Field: CapabilityPath, Name: "capability.path", About: "path of the capability", class: several},
	{Field: CapabilityState, Name: "capability.state", About: "whether it was declared", Values: []string{"declared", "undeclared", "unknown"}, class: several},
	{Field: CapabilityAt, Name: "capability.at", About: "entry that declared it", class: ref},
	{Field: Error, Name: "error", About: "is an error response", class: group},
	{Field: ErrorCode, Name: "error.code", About: "code of an error response", class: count},
	{Field: ErrorMessage, Name: "error.message", About: "message of an error response", class: words},
	{Field: ID, Name: "id", About: "JSON-RPC id", class: identity},
	{Field: Seq, Name: "seq", About: "number of the record", class: count},
	{Field: Sub, Name: "sub", About: "index in a batch, from 0", class: count},
	{Field: Pair, Name: "pair", About: "number of the other half", class: ref},
	{Field: Flow, Name: "flow", About: "number of the request that opened the flow", class: ref},
	{Field: Probable, Name: "probable", About: "number of the entry a lone one probably belongs to", class: ref},
	{Field: Time, Name: "time", About: "time of day, or date and time", class: clock},
	{Field: T, Name: "t", About: "time since the start", class: span},
	{Field: T0, Name: "t0", About: "time of the first byte since the start", class: span},
	{Field: Delta, Name: "delta", About: "time since the entry before", class: span},
	{Field: Session, Name: "session", About: "number of the MCP session", class: count},
	{Field: Era, Name: "era", About: "legacy (handshake) or modern", Values: []string{"legacy", "modern"}, class: choices},
	{Field: Revision, Name: "revision", About: "revision whose rules were applied", class: words, sorted: true},
	{Field: Cancelled, Name: "cancelled", About: "was cancelled, answered or not", class: flag},
	{Field: Ambiguous, Name: "ambiguous", About: "its pair is a guess: the id was open twice", class: flag},
	{Field: Unanswered, Name: "unanswered", About: "why a request has no answer at the end", class: words},
	{Field: Token, Name: "token", About: "progress token", class: identity},
	{Field: Event, Name: "event", About: "is an event; with a value: its name", class: group},
	{Field: EventName, Name: "event.name", About: "name of the event", Values: events, class: words},
	{Field: EventCode, Name: "event.code", About: "exit code", class: count},
	{Field: EventSignal, Name: "event.signal", About: "signal", class: words},
	{Field: EventReason, Name: "event.reason", About: "why it happened", class: words},
	{Field: EventBytes, Name: "event.bytes", About: "bytes that a failed write left behind", class: bytesize},
	{Field: EventPID, Name: "event.pid", About: "process it is about", class: count},
	{Field: Reason, Name: "reason", About: "why the line is invalid", Values: reasons, class: choices},
	{Field: Offset, Name: "offset", About: "where it is invalid, in bytes", class: bytesize},
	{Field: Defects, Name: "defects", About: "oddities of the line", Values: defects, class: several},
	{Field: Members, Name: "members", About: "messages in the batch", class: count},
	{Field: Size, Name: "size", About: "bytes on the wire", class: bytesize},
	{Field: EOL, Name: "eol", About: "line end", Values: []string{"lf", "crlf", "none"}, class: choices},
	{Field: Partial, Name: "partial", About: "the stream ended in mid-line", class: flag},
	{Field: Truncated, Name: "truncated", About: "cut by a gap", class: flag},
	{Field: Mark, Name: "mark", About: "letter of a mark", class: words},
	{Field: Note, Name: "note", About: "note of yours", class: words},
	{Field: Summary, Name: "summary", About: "the line that says what happened", class: payload},
	{Field: JSON, Name: "json", About: "all text of the line", class: payload},
}

// index finds fields.
type index struct {
	names  map[string]*Info
	fields [JSON + 1]*Info
}

// indexed is made when it is first needed: a program that only forwards filters nothing.
var indexed = sync.OnceValue(func() *index {
	x := &index{names: make(map[string]*Info)}
	for i := range infos {
		f := &infos[i]
		x.names[f.Name], x.fields[f.Field] = f, f
	}
	x.names["progress.token"] = x.names["token"]
	return x
})

// byName returns the field of that name, nil when there is none.
func byName(name string) *Info { return indexed().names[name] }

func byField(f Field) *Info { return indexed().fields[f] }

// Fields describes all fields. The slice is shared and must not be changed.
func Fields() []Info { return infos }

// String returns the field's name.
func (f Field) String() string {
	if f == NoField || f > JSON {
		return "no field"
	}
	return byField(f).Name
}

// paths are the words that begin a path into the payload.
var paths = []string{"params", "result", "error"}

// synonyms lead from words of other tools to fields of ours.
var synonyms = map[string]string{
	"dir": "from", "direction": "from", "sender": "from", "version": "revision", "severity": "finding.level", "level": "finding.level", "rule": "finding.rule",
	"code": "error.code", "message": "error.message", "uri": "resource", "name": "tool", "type": "kind", "status": "state", "duration": "latency", "ms": "latency_ms",
	"number": "seq", "length": "size", "bytes": "size", "cap": "capability", "caps": "capability", "raw": "json", "text": "json", "protocol": "revision",
	"signal": "event.signal", "exit": "event.code", "args": "params.arguments", "arguments": "params.arguments", "content": "result.content", "findings": "finding",
}

// valueSynonyms do the same for values.
var valueSynonyms = map[string]string{
	"c2s": "client", "s2c": "server", "toolerror": "tool_error", "orphan": "unmatched", "control": "event", "timeout": "cancelled", "success": "ok", "warn": "warning",
	"init": "initialization", "operating": "operation", "answer": "response", "result": "response", "malformed": "invalid", "lost": "gap", "in_flight": "pending",
}

// near returns the word out of list that word was probably meant to be, "" if none is close.
func near(word string, list []string) string {
	word = strings.ToLower(word)
	best, least := "", max(1, len(word)/3)
	for _, w := range list {
		if d := distance(word, w, least); d < least || d == least && best == "" {
			best, least = w, d
		}
	}
	return best
}

// nearField is near over the names of fields; it also looks behind the last dot, for names that other
// tools give.
func nearField(name string) string {
	lower := strings.ToLower(name)
	if to, ok := synonyms[lower]; ok {
		return to
	}
	names := make([]string, 0, len(infos))
	for i := range infos {
		names = append(names, infos[i].Name)
	}
	if _, last, ok := strings.Cut(lower, "."); ok {
		if to := nearField(last); to != "" && near(lower, names) == "" {
			return to
		}
	}
	return near(lower, names)
}

// distance counts the letters that must be changed, added, taken away or swapped to make b of a; it
// gives up beyond most.
func distance(a, b string, most int) int {
	if len(a) > 64 || len(b)-len(a) > most || len(a)-len(b) > most {
		return most + 1
	}
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			change := 1
			if a[i-1] == b[j-1] {
				change = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+change)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}
