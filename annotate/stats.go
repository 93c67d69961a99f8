package annotate

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/shakescope/shakescope/jsonrpc"
	"github.com/shakescope/shakescope/recordings"
)

// Stats counts what a recording holds. It counts valid messages only: the members of a batch are
// messages, the batch is none, and a line that is no valid message pairs with nothing here.
type Stats struct {
	Messages            Sides[MessageCounts]
	Methods             Sides[MethodCounts]
	Unanswered          int64 // requests without an answer, cancelled and long-lived ones included
	UnansweredCancelled int64
	Open                int64 // of the unanswered, those that stay open by design
	Unmatched           int64 // answers without a request
	AnsweredAfterCancel int64
	Invalid             int64 // lines and members of batches that are no message
	Blank               int64
	ToolErrors          int64 // results with isError true
	Latency             Latencies
	LatencyByMethod     map[string]Latencies // "client tools/call"
	Requested           string               // protocolVersion of the first initialize, "" for none
	Negotiated          string               // protocolVersion of its first successful answer, "" for none
	OddRequested        []byte               // JSON that stood in place of such a text, nil for none
	OddNegotiated       []byte
	PerRequest          map[string]int64 // versions that requests stated themselves
	Sessions            int
	Capabilities        Sides[[]byte] // as sent, nil while unknown
	Bytes               ByteCounts
	Share               Share
	Progress            ProgressCounts
}

// Sides holds one value for each end.
type Sides[T any] struct{ Client, Server T }

// MessageCounts counts the messages of one end by kind. Response counts results only.
type MessageCounts struct{ Request, Notification, Response, Error int64 }

// MethodCounts counts the calls of one end by method.
type MethodCounts struct{ Request, Notification map[string]int64 }

// ByteCounts counts bytes without newlines. A CR before a newline is counted: to JSON it is white space,
// and only a reader that knows CR LF takes it for a part of the line end.
type ByteCounts struct{ Client, Server, Stderr int64 }

// Share counts messages by the use of the link: opening it, keeping it, work, and answers to nothing.
type Share struct{ Lifecycle, Utility, Operation, Other int64 }

// ProgressCounts counts progress notices: of those that match a token, the late ones came after the
// answer or the cancellation. An orphan's token was never given out.
type ProgressCounts struct{ Matched, Late, Orphan int64 }

// Latencies sums up times from request to answer. The median is the lower of the middle two, p95 the
// smallest value that 95 of a hundred do not exceed.
type Latencies struct {
	N                     int
	Min, Median, P95, Max time.Duration
}

// tally is the running count of a Session.
type tally struct {
	stats       Stats
	perEnd      [2]MessageCounts
	methods     [2]MethodCounts
	byMethod    map[latencyKey]*[]time.Duration
	all         []time.Duration
	invalid     int64
	blank       int64
	cancelled   int64 // requests cancelled so far
	afterCancel int64
	answered    int64
	requests    int64
	listens     int64 // long-lived requests neither answered nor cancelled, of ended processes
	unmatched   int64
	progress    ProgressCounts

	clientStated []byte // capabilities of the first request that stated them
	initialize   bool
	clientCaps   []byte
	serverCaps   []byte
	discovered   []byte
	opened       bool
	sessions     int
}

type latencyKey struct {
	from   end
	method string
}

func (t *tally) init() {
	t.byMethod = make(map[latencyKey]*[]time.Duration)
	t.stats.PerRequest = make(map[string]int64)
	for i := range t.methods {
		t.methods[i] = MethodCounts{make(map[string]int64), make(map[string]int64)}
	}
}

func (t *tally) line(r *recordings.Record) {
	size := r.Size
	if r.EOL == jsonrpc.CRLF && !r.Partial {
		size++
	}
	switch r.Stream {
	case recordings.Stdin:
		t.stats.Bytes.Client += size
	case recordings.Stdout:
		t.stats.Bytes.Server += size
	case recordings.Stderr:
		t.stats.Bytes.Stderr += size
	}
}

// use counts a message under the traffic class of a method; ok is false for an answer to nothing.
func (t *tally) use(method string, ok bool) {
	share := &t.stats.Share
	switch {
	case !ok:
		share.Other++
	case method == "initialize" || method == "notifications/initialized" || method == "server/discover":
		share.Lifecycle++
	case isUtility(method):
		share.Utility++
	default:
		share.Operation++
	}
}

func isUtility(method string) bool {
	switch method {
	case "ping", "logging/setLevel", "notifications/progress", "notifications/cancelled", "notifications/message",
		"subscriptions/listen", "notifications/subscriptions/acknowledged":
		return true
	}
	return strings.HasSuffix(method, "/list_changed")
}

func (t *tally) seen(e *Entry) { t.sessions = max(t.sessions, e.Session) }

func (t *tally) request(e *Entry, x *exchange, c *call, p *process) {
	t.seen(e)
	t.requests++
	t.perEnd[x.from].Request++
	t.methods[x.from].Request[e.Method]++
	t.use(e.Method, true)
	if x.from != client {
		return
	}
	if c.hasVersion {
		t.stats.PerRequest[c.version]++
		if t.clientStated == nil && c.clientCaps != nil {
			t.clientStated = slices.Clone(c.clientCaps)
		}
	}
	if e.Method == "initialize" && !t.initialize {
		t.initialize = true
		t.stats.Requested, t.stats.OddRequested = c.protocol, slices.Clone(c.oddProtocol)
		t.clientCaps = slices.Clone(c.caps)
	}
}

func (t *tally) notification(e *Entry) {
	t.seen(e)
	from := endOf(e.From)
	t.perEnd[from].Notification++
	t.methods[from].Notification[e.Method]++
	t.use(e.Method, true)
}

func (t *tally) answer(e *Entry, x *exchange, o *outcome) {
	t.seen(e)
	t.answered++
	t.kind(e)
	t.use(x.method, true)
	if x.cancelled() {
		t.afterCancel++
	}
	if o.isError {
		t.stats.ToolErrors++
	}
	if e.HasLatency {
		key := latencyKey{x.from, x.method}
		list := t.byMethod[key]
		if list == nil {
			list = new([]time.Duration)
			t.byMethod[key] = list
		}
		*list = append(*list, e.Latency)
		t.all = append(t.all, e.Latency)
	}
	if x.from != client || e.Kind != Response {
		return
	}
	switch {
	case x.method == "initialize" && !t.opened:
		t.opened = true
		t.stats.Negotiated, t.stats.OddNegotiated = o.protocol, slices.Clone(o.oddProtocol)
		t.serverCaps = slices.Clone(o.caps)
	case x.method == "server/discover" && t.discovered == nil:
		t.discovered = slices.Clone(o.caps)
	}
}

func (t *tally) loneAnswer(e *Entry, o *outcome) {
	t.seen(e)
	t.unmatched++
	t.kind(e)
	t.use("", false)
	if o.isError {
		t.stats.ToolErrors++
	}
}

func (t *tally) kind(e *Entry) {
	if e.Kind == ErrorAnswer {
		t.perEnd[endOf(e.From)].Error++
	} else {
		t.perEnd[endOf(e.From)].Response++
	}
}

// processEnded counts what a process leaves open for good.
func (t *tally) processEnded(p *process) { t.listens += openListens(p) }

func openListens(p *process) int64 {
	var n int64
	for x := p.ends[client].oldest; x != nil; x = x.newer {
		if x.longLived() && !x.cancelled() {
			n++
		}
	}
	return n
}

// Stats returns the counts so far. What it returns is the caller's.
func (s *Session) Stats() *Stats {
	t := &s.tally
	out := t.stats
	out.Messages = Sides[MessageCounts]{t.perEnd[client], t.perEnd[server]}
	copyOf := func(m MethodCounts) MethodCounts {
		return MethodCounts{maps.Clone(m.Request), maps.Clone(m.Notification)}
	}
	out.Methods = Sides[MethodCounts]{copyOf(t.methods[client]), copyOf(t.methods[server])}
	out.Invalid, out.Blank, out.Unmatched, out.Progress = t.invalid, t.blank, t.unmatched, t.progress
	out.AnsweredAfterCancel = t.afterCancel
	out.Unanswered = t.requests - t.answered
	out.UnansweredCancelled = t.cancelled - t.afterCancel
	out.Open = t.listens + openListens(s.proc)
	out.PerRequest = maps.Clone(out.PerRequest)
	out.Sessions = t.sessions
	out.Capabilities.Client = t.clientStated
	if t.initialize {
		out.Capabilities.Client = t.clientCaps
	}
	out.Capabilities.Server = t.discovered
	if t.opened {
		out.Capabilities.Server = t.serverCaps
	}
	out.Latency = sumUp(slices.Clone(t.all))
	out.LatencyByMethod = make(map[string]Latencies, len(t.byMethod))
	for key, list := range t.byMethod {
		out.LatencyByMethod[key.from.String()+" "+key.method] = sumUp(slices.Clone(*list))
	}
	return &out
}

// sumUp sorts the list.
func sumUp(list []time.Duration) Latencies {
	n := len(list)
	if n == 0 {
		return Latencies{}
	}
	slices.SortFunc(list, cmp.Compare[time.Duration])
	p95 := int(math.Ceil(0.95*float64(n))) - 1
	return Latencies{N: n, Min: list[0], Median: list[(n-1)/2], P95: list[p95], Max: list[n-1]}
}

// MarshalJSON writes the members of `stats --json`.
func (s *Stats) MarshalJSON() ([]byte, error) {
	var w jsonWriter
	w.open()
	w.key("messages")
	w.open()
	for _, side := range []struct {
		name string
		c    *MessageCounts
	}{{"client", &s.Messages.Client}, {"server", &s.Messages.Server}} {
		w.key(side.name)
		w.open()
		w.int("request", side.c.Request)
		w.int("notification", side.c.Notification)
		w.int("response", side.c.Response)
		w.int("error", side.c.Error)
		w.close()
	}
	w.close()
	w.key("methods")
	w.open()
	for _, side := range []struct {
		name string
		c    *MethodCounts
	}{{"client", &s.Methods.Client}, {"server", &s.Methods.Server}} {
		w.key(side.name)
		w.open()
		w.counts("request", side.c.Request)
		w.counts("notification", side.c.Notification)
		w.close()
	}
	w.close()
	w.int("unanswered", s.Unanswered)
	w.int("unanswered_cancelled", s.UnansweredCancelled)
	w.int("open", s.Open)
	w.int("unmatched", s.Unmatched)
	w.int("answered_after_cancel", s.AnsweredAfterCancel)
	w.int("invalid", s.Invalid)
	w.int("blank", s.Blank)
	w.int("tool_errors", s.ToolErrors)
	w.key("latency_ms")
	w.latencies(s.Latency)
	w.key("latency_by_method")
	w.open()
	for _, name := range slices.Sorted(maps.Keys(s.LatencyByMethod)) {
		w.key(name)
		w.latencies(s.LatencyByMethod[name])
	}
	w.close()
	for _, v := range []struct {
		name, text string
		odd        []byte
	}{{"requested", s.Requested, s.OddRequested}, {"negotiated", s.Negotiated, s.OddNegotiated}} {
		if v.odd != nil {
			w.raw(v.name, v.odd)
		} else {
			w.textOrNull(v.name, v.text)
		}
	}
	w.counts("per_request", s.PerRequest)
	w.int("sessions", int64(s.Sessions))
	w.key("capabilities")
	w.open()
	w.rawOrNull("client", s.Capabilities.Client)
	w.rawOrNull("server", s.Capabilities.Server)
	w.close()
	w.key("bytes")
	w.open()
	w.int("client", s.Bytes.Client)
	w.int("server", s.Bytes.Server)
	w.int("stderr", s.Bytes.Stderr)
	w.close()
	w.key("share")
	w.open()
	w.int("lifecycle", s.Share.Lifecycle)
	w.int("utility", s.Share.Utility)
	w.int("operation", s.Share.Operation)
	w.int("other", s.Share.Other)
	w.close()
	w.key("progress")
	w.open()
	w.int("matched", s.Progress.Matched)
	w.int("late", s.Progress.Late)
	w.int("orphan", s.Progress.Orphan)
	w.close()
	w.close()
	return w.buf, nil
}
