package recordings

import (
	"time"

	"github.com/shakescope/shakescope/jsonrpc"
)

// Stream names the stream a record belongs to.
type Stream uint8

// Stdin is what the client wrote, Stdout and Stderr what the server wrote. Control is shakescope's own.
const (
	Control Stream = iota
	Stdin
	Stdout
	Stderr
)

// Kind is the kind of a record as readers see it (parts are joined before).
type Kind uint8

// The kinds of records.
const (
	FrameRecord Kind = iota + 1 // a line of a stream
	EventRecord                 // something that happened to the process or its streams
	GapRecord                   // bytes that were not recorded
	EndRecord                   // sums; nothing comes after it
	// ContextRecord comes first where a recording is read without its first segments. It has no number
	// and is nothing that happened where it stands.
	ContextRecord
)

// Record is one record of a recording.
type Record struct {
	Kind   Kind
	Seq    int64         // number in the recording, from 1; 0 for the end record
	T      time.Duration // since the start, monotonic; of the chunk that completed a frame
	T0     time.Duration // of the frame's first byte, where that came in an earlier chunk; else equal to T
	Stream Stream

	// Of a frame. Data is without the line end, and is valid until the next call on the reader.
	Data      []byte
	EOL       jsonrpc.EOL
	Partial   bool     // the stream ended, or the recording stops, in mid-line
	Truncated bool     // cut by a gap, or withheld: Data is not all that travelled
	Size      int64    // bytes on the wire without the line end; len(Data) unless Truncated
	Withheld  Withheld // why Data is empty in a recording that was masked as it was written

	Event   *Event
	Gap     *Gap
	End     *End
	Context *Context

	// Where the record stands in the file, for reading it again; Len 0 when it has no single place
	// (compressed or foreign files).
	Pos, Len int64
	// Line is the line of the file on which the record begins, from 1, and File the base name of the segment
	// where the recording has several. Line is 0 where there is none: in what is compressed or has no lines.
	Line int64
	File string

	head head // what the file says of the message: unchecked
	made bool // by the reader: a gap in place of a missing segment
}

// Event is something that happened to the process or its pipes. Names: spawn, spawn_error,
// client_closed_stdin, server_closed_stdout, server_closed_stderr, client_closed_stdout,
// write_failed, signal, exit, recorder, parent_gone, group_left, … Unknown names are kept.
type Event struct {
	Name   string `json:"name"`
	Code   *int   `json:"code,omitempty"`
	Signal string `json:"signal,omitempty"` // "SIGTERM"
	// Reason says who or why: for a signal "received" (sent to us), "forwarded", "ladder" (our own
	// step); for exit "" ; for spawn the path started; else words for people.
	Reason string `json:"reason,omitempty"`
	Bytes  int64  `json:"bytes,omitempty"` // undelivered by a failed write
	PID    int    `json:"pid,omitempty"`
}

// Gap says what was not recorded. Seq numbering goes on after it.
type Gap struct {
	Bytes  map[string]int64 `json:"bytes"`            // by stream: "in", "out", "err"
	Frames map[string]int64 `json:"frames,omitempty"` // line ends seen among them
	Reason string           `json:"reason"`
	From   time.Duration    `json:"from"`
	To     time.Duration    `json:"to"`
}

// StreamSum sums up one stream.
type StreamSum struct {
	Frames int64  `json:"frames"`
	Bytes  int64  `json:"bytes"`            // as travelled, line ends included
	SHA256 string `json:"sha256,omitempty"` // of the bytes as travelled (as stored, when redacted), lower-case hex
}

// End is the end record: what the writer knows went through.
type End struct {
	Streams map[string]StreamSum `json:"streams"` // "in", "out", "err"
	Gaps    int64                `json:"gaps"`
	Cache   *Summary             `json:"cache,omitempty"`
}

// Context repeats at the start of a segment what a reader needs that does not have those before it.
type Context struct {
	Before Before
	// Frames are copies of the handshake and of the newest lists, in their order, with their numbers and
	// times. The caller owns them.
	Frames []Record
	// LeftOut counts frames that would have belonged here but were too large.
	LeftOut int
}

// Before sums up the segments before one.
type Before struct {
	Streams map[string]StreamSum `json:"streams"` // frames and bytes, no digests
	Gaps    int64                `json:"gaps"`
	Cache   *Summary             `json:"cache,omitempty"` // without a state
}

// formatVersion is the major version of the format that this package writes and reads.
const formatVersion = 1

// Header opens a recording. [NewHeader] fills in what this process knows about itself.
type Header struct {
	Format   int       `json:"shakescope"` // major version of the format
	Version  string    `json:"version,omitempty"`
	Start    time.Time `json:"start,omitzero"`
	Command  []string  `json:"command,omitempty"`
	Dir      string    `json:"dir,omitempty"`
	Env      []string  `json:"env,omitempty"` // names only
	PID      int       `json:"pid,omitempty"`
	PIDStart int64     `json:"pid_start,omitempty"` // when that process started, in a unit of the OS; tells it from a later one with its number
	Parent   string    `json:"parent,omitempty"`    // name of the process that started shakescope
	Host     string    `json:"host,omitempty"`      // a hash that is the same for all recordings of a machine
	Boot     string    `json:"boot,omitempty"`      // changes when the machine starts
	OS       string    `json:"os,omitempty"`
	NoLock   bool      `json:"nolock,omitempty"` // the writer could not lock the file: the process tells whether it lives
	Label    string    `json:"label,omitempty"`
	Demo     bool      `json:"demo,omitempty"`
	Probe    bool      `json:"probe,omitempty"` // made by the verb probe
	Redacted bool      `json:"redacted,omitempty"`
	Previous string    `json:"previous,omitempty"` // base name of the segment before this one
	Segment  int       `json:"segment,omitempty"`  // which one this is, from 2
	Imported *Imported `json:"imported,omitempty"`
}

// Imported says where a foreign log came from and what is not certain about it.
type Imported struct {
	Format    string         `json:"format"`
	Source    string         `json:"source,omitempty"`
	Reencoded bool           `json:"reencoded,omitempty"` // bytes are not those of the wire
	NoTime    bool           `json:"no_time,omitempty"`
	Truncated bool           `json:"truncated,omitempty"`
	Meta      map[string]any `json:"meta,omitempty"`
}

// Damage is a place in a file that could not be read as it should.
type Damage struct {
	File   string `json:"file,omitempty"` // name of the segment, where there are several
	Line   int64  `json:"line"`           // from 1
	Offset int64  `json:"offset"`         // bytes
	Bytes  int64  `json:"bytes"`
	Reason string `json:"reason"`
	Torn   bool   `json:"torn,omitempty"` // the last line, incomplete
}
