package filter

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/shakescope/shakescope/annotate"
	"github.com/shakescope/shakescope/jsonrpc"
	"github.com/shakescope/shakescope/recordings"
)

// began is shortly before midnight in a zone of its own.
var began = time.Date(2026, 11, 29, 23, 59, 50, 0, time.FixedZone("", 3600))

// message makes an entry of a message.
func message(seq int64, t time.Duration, from, line string, more func(e *annotate.Entry)) *annotate.Entry {
	m := jsonrpc.Decode([]byte(line))
	e := &annotate.Entry{
		Ref: annotate.Ref{Seq: seq, Sub: annotate.NoSub}, T: t, T0: t, Session: 1, From: from, Stream: recordings.Stdin,
		Raw: m.Raw, Message: &m, Size: int64(len(line)), EOL: jsonrpc.LF, ID: m.ID.Raw(), Method: m.Method, Err: m.Err,
		Phase: annotate.Operation, Era: "legacy", Revision: "2025-06-18",
		Kind: map[jsonrpc.Kind]annotate.Kind{jsonrpc.Request: annotate.Request, jsonrpc.Notification: annotate.Notification,
			jsonrpc.Response: annotate.Response, jsonrpc.Error: annotate.ErrorAnswer, jsonrpc.Batch: annotate.Batch, jsonrpc.Invalid: annotate.Invalid}[m.Kind],
	}
	if from == "server" {
		e.Stream = recordings.Stdout
	}
	if more != nil {
		more(e)
	}
	return e
}

func at(seq int64, sub ...int32) annotate.Ref {
	if len(sub) > 0 {
		return annotate.Ref{Seq: seq, Sub: sub[0]}
	}
	return annotate.Ref{Seq: seq, Sub: annotate.NoSub}
}

// recording is one of each, final, in order.
func recording() []*annotate.Entry {
	tools := annotate.Capability{Side: "server", Path: "tools", State: annotate.IsDeclared, At: 2}
	sampling := annotate.Capability{Side: "client", Path: "sampling", State: annotate.Undeclared}
	code := 3
	return []*annotate.Entry{
		message(1, 0, "client", `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18"}}`, func(e *annotate.Entry) {
			e.Pair, e.Flow, e.State, e.Group, e.Phase, e.Revision = at(2), at(1), annotate.OK, "lifecycle", annotate.Initialization, ""
		}),
		message(2, 40*time.Millisecond, "server", `{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}}}}`, func(e *annotate.Entry) {
			e.Method, e.Pair, e.Flow, e.State, e.Group, e.Phase = "initialize", at(1), at(1), annotate.OK, "lifecycle", annotate.Initialization
			e.Latency, e.HasLatency = 40*time.Millisecond, true
		}),
		message(3, time.Second, "client", `{"jsonrpc":"2.0","id":"call-7","method":"tools/call","params":{"name":"Search","arguments":{"path":"cmd/main.go","limit":5,"deep":{"a":[1,{"b":null},"x"]},"dup":1,"dup":2,"on":true,"note":"say \"hi\"\nGr\u00f6\u00dfe"},"_meta":{"io.x/y":"z","progressToken":"p1"}}}`, func(e *annotate.Entry) {
			e.Target, e.Pair, e.Flow, e.State, e.Group, e.Primitive, e.Token = "Search", at(5), at(3), annotate.OK, "tools", "tools", `"p1"`
			e.Capability = []annotate.Capability{tools, sampling}
			e.T0 = 900 * time.Millisecond
			e.Findings = []annotate.Finding{
				{Rule: "tool-arguments", Level: annotate.LevelInfo, By: "server", Message: "limit is too small", Path: "/params/arguments/limit"},
				{Rule: "cap-client-undeclared", Level: annotate.LevelError, By: "client", Message: "sampling was not declared", Spec: "2025-06-18/client/sampling"},
			}
		}),
		message(4, 1500*time.Millisecond, "server", `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"p1","progress":50,"total":100,"message":"halfway"}}`, func(e *annotate.Entry) {
			e.Flow, e.Group, e.Token = at(3), "progress", `"p1"`
			e.Progress = &annotate.Progress{Progress: 50, Total: 100, Message: "halfway"}
		}),
		message(5, 3*time.Second, "server", `{"jsonrpc":"2.0","id":"call-7","result":{"content":[{"type":"text","text":"found Größe"},{"type":"image","data":"AAAA"}],"n":12.50,"big":9007199254740993}}`, func(e *annotate.Entry) {
			e.Method, e.Target, e.Pair, e.Flow, e.State, e.Group, e.Primitive = "tools/call", "Search", at(3), at(3), annotate.OK, "tools", "tools"
			e.Capability = []annotate.Capability{tools, sampling}
			e.Latency, e.HasLatency = 2*time.Second, true
			e.Touches = []string{"sampling", "roots"}
		}),
		{Ref: at(6), T: 4 * time.Second, T0: 4 * time.Second, Session: 1, Stream: recordings.Stderr, Kind: annotate.Stderr, Phase: annotate.Operation,
			Raw: []byte("Warning: \xff low disk C:\\new"), Size: 27, EOL: jsonrpc.CRLF},
		message(7, 5*time.Second, "client", `[{"jsonrpc":"2.0","id":8,"method":"ping"},{"jsonrpc":"2.0","id":9,"method":"prompts/get","params":{"name":"greet"}}]`, func(e *annotate.Entry) {
			e.Members, e.Message = 2, nil
		}),
		message(7, 5*time.Second, "client", `{"jsonrpc":"2.0","id":8,"method":"ping"}`, func(e *annotate.Entry) {
			e.Sub, e.Flow, e.State, e.Group, e.Unanswered = 0, at(7, 0), annotate.Pending, "ping", "the server went away"
		}),
		message(7, 5*time.Second, "client", `{"jsonrpc":"2.0","id":9,"method":"prompts/get","params":{"name":"greet"}}`, func(e *annotate.Entry) {
			e.Sub, e.Target, e.Pair, e.Flow, e.State, e.Group, e.Primitive = 1, "greet", at(8), at(7, 1), annotate.Failed, "prompts", "prompts"
			e.Cancelled, e.Ambiguous = true, true
		}),
		message(8, 9*time.Second, "server", `{"jsonrpc":"2.0","id":9.0,"error":{"code":-32601,"message":"No such prompt","data":{"hint":["a","b"]}}}`, func(e *annotate.Entry) {
			e.Method, e.Target, e.Pair, e.Flow, e.State, e.Group, e.Primitive = "prompts/get", "greet", at(7, 1), at(7, 1), annotate.Failed, "prompts", "prompts"
			e.Latency, e.HasLatency, e.Cancelled = 4*time.Second, true, true
			e.Size = 4_500_000
		}),
		message(9, 10*time.Second, "server", `{"jsonrpc":"1.0","result":1}`, func(e *annotate.Entry) {
			e.Reason, e.Offset, e.Partial, e.EOL, e.ID = jsonrpc.BadVersion, 11, true, jsonrpc.None, ""
			e.Defects = []jsonrpc.Defect{{Kind: jsonrpc.WrongVersion}, {Kind: jsonrpc.BOM}}
		}),
		message(10, 11*time.Second, "server", `{"jsonrpc":"2.0","id":null,"result":{}}`, func(e *annotate.Entry) {
			e.Kind, e.State, e.Group, e.Probable, e.Era, e.Revision, e.Truncated = annotate.Response, annotate.Unmatched, "unknown", at(7, 0), "modern", "2026-07-28", true
			e.Session = 2
		}),
		message(11, 12*time.Second, "client", `{"jsonrpc":"2.0","id":11,"method":"resources/read","params":{"uri":"file:///a/b"}}`, func(e *annotate.Entry) {
			e.Target, e.Flow, e.State, e.Group, e.Primitive = "file:///a/b", at(11), annotate.Cancelled, "resources", "resources"
		}),
		{Ref: at(12), T: 13 * time.Second, T0: 13 * time.Second, Session: 2, Kind: annotate.Gap, GapInfo: &recordings.Gap{Bytes: map[string]int64{"in": 2000}, Reason: "slow disk"}},
		{Ref: at(13), T: 14 * time.Second, T0: 14 * time.Second, Session: 2, Kind: annotate.EventEntry, Phase: annotate.Shutdown,
			Event: &recordings.Event{Name: "exit", Code: &code, Signal: "SIGTERM", Reason: "ladder", Bytes: 17, PID: 4711}},
	}
}

// table is a recording as the terminal UI holds it: rows by index, other halves by index, payloads
// somewhere else.
type table struct {
	entries []*annotate.Entry
	half    []int
	reads   int // of payloads
}

func newTable(entries []*annotate.Entry) *table {
	t := &table{entries: entries, half: make([]int, len(entries))}
	for i, e := range entries {
		t.half[i] = -1
		for j, other := range entries {
			if e.Pair == other.Ref && !e.Pair.IsZero() {
				t.half[i] = j
			}
		}
	}
	return t
}

// cursor is the row at an index of a table.
type cursor struct {
	entryRow
	t    *table
	i    int
	mate *cursor
}

func (t *table) cursor(i int) *cursor {
	c := &cursor{t: t}
	c.move(i)
	return c
}

func (c *cursor) move(i int) {
	c.i = i
	c.e, c.start, c.summarised = c.t.entries[i], began, false
	c.delta, c.hasDelta = 0, i > 0
	if i > 0 {
		c.delta = c.e.T - c.t.entries[i-1].T
	}
}

func (c *cursor) Half() Row {
	j := c.t.half[c.i]
	if j < 0 {
		return nil
	}
	if c.mate == nil {
		c.mate = &cursor{t: c.t}
	}
	c.mate.move(j)
	return c.mate
}

func (c *cursor) Raw() []byte {
	c.t.reads++
	return c.entryRow.Raw()
}

func (c *cursor) Message() *jsonrpc.Message {
	c.t.reads++
	return c.entryRow.Message()
}

func (c *cursor) Summary() string {
	c.t.reads++
	return c.entryRow.Summary()
}

// passing lists the entries that pass, by a stream and by rows, which must agree.
func passing(t testing.TB, x *Expr, entries []*annotate.Entry) string {
	t.Helper()
	s := x.Stream(began)
	if x.LooksAhead() {
		for _, e := range entries {
			s.Learn(e)
		}
	}
	tab := newTable(entries)
	c := tab.cursor(0)
	var out []string
	for i, e := range entries {
		name := fmt.Sprint(e.Seq)
		if e.Sub != annotate.NoSub {
			name = fmt.Sprintf("%d.%d", e.Seq, e.Sub)
		}
		byStream := s.Match(e)
		c.move(i)
		if byRow := x.Match(c); byRow != byStream {
			t.Errorf("%s of entry %s: stream %v, row %v", x, name, byStream, byRow)
		}
		if byStream {
			out = append(out, name)
		}
	}
	if x.Needs() == RowOnly && tab.reads > 0 {
		t.Errorf("%s says that rows are enough and asked for payloads", x)
	}
	return strings.Join(out, " ")
}

func must(t testing.TB, src string) *Expr {
	t.Helper()
	x, err := Parse(src)
	if err != nil {
		t.Fatalf("%s: %v", src, err)
	}
	return x
}

// big makes a payload of about n bytes without the word that is looked for.
func big(n int) []byte {
	return append(bytes.Repeat([]byte(`{"text":"The quick brown fox jumps over the lazy dog",`), n/54), `"x":1}`...)
}
