package export

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"maps"
	"slices"
	"sort"
	"strconv"
	"strings"
	"time"

	"github.com/shakescope/shakescope/annotate"
	"github.com/shakescope/shakescope/internal/mcpspec"
	"github.com/shakescope/shakescope/jsonrpc"
	"github.com/shakescope/shakescope/recordings"
)

// Numbers of the OpenTelemetry protocol.
const (
	spanInternal = 1
	spanClient   = 3
	statusError  = 2

	severityDebug = 5
	severityInfo  = 9
	severityWarn  = 13
	severityError = 17
	severityFatal = 21
)

// Bounds of what is kept in memory.
const (
	otlpBatch  = 200    // spans or logs in one request
	spanEvents = 50     // of one span
	openSpans  = 20_000 // requests that wait for their answer
)

// otlp writes traces and logs after the semantic conventions for MCP, as OTLP in JSON: one export request a line, as the
// file exporter of the OpenTelemetry collector does. Ids are derived from the recording's id and the numbers of its
// records, so that a second export brings nothing new. Arguments and results are not in it.
type otlp struct {
	w     io.Writer
	o     Options
	err   error
	start time.Time
	last  time.Duration
	trace string
	root  string
	head  []byte // of a request: resource and scope
	open  map[annotate.Ref]*spanOf
	order []annotate.Ref // of open, and of some that are there no more
	ends  [2]peer        // client and server, as they said who they are
	spans batch
	logs  batch
}

// peer is an end by its own word.
type peer struct{ name, version string }

// spanOf is a request that waits for its answer.
type spanOf struct {
	ref                  annotate.Ref
	t                    time.Duration
	trace, parent, state string
	outcome              annotate.State // as far as it is known
	name                 string
	attrs                attributes
	events               []byte
	n                    int
	unsampled            bool
}

// batch is a request that is being filled.
type batch struct {
	buf []byte
	n   int
}

func newOTLP(w io.Writer, o Options) *otlp {
	return &otlp{w: w, o: o, open: make(map[annotate.Ref]*spanOf)}
}

// derive makes an id of n bytes, in hexadecimal.
func (x *otlp) derive(what string, n int) string {
	sum := sha256.Sum256([]byte("shakescope\x00" + x.o.ID + "\x00" + strconv.FormatInt(x.start.UnixNano(), 10) + "\x00" + what))
	return hex.EncodeToString(sum[:n])
}

func (x *otlp) Begin(h *recordings.Header) error {
	x.start = h.Start
	if x.start.IsZero() {
		x.start = time.Unix(0, 0)
	}
	x.trace, x.root = x.derive("trace", 16), x.derive("session", 8)
	var resource attributes
	service := x.o.Service
	if service == "" {
		service = h.Label
	}
	if service == "" {
		service = "mcp-server"
	}
	resource.text("service.name", service)
	for _, k := range slices.Sorted(maps.Keys(x.o.Resource)) {
		if k != "service.name" {
			resource.text(k, x.o.Resource[k])
		}
	}
	resource.text("process.command_line", commandLine(h))
	x.head = append(x.head, `{"resource":{"attributes":[`...)
	x.head = append(x.head, resource.buf...)
	x.head = append(x.head, `]},"scope`...)
	return nil
}

func (x *otlp) nano(t time.Duration) string {
	return strconv.FormatInt(x.start.Add(t).UnixNano(), 10)
}

func (x *otlp) Entry(e *annotate.Entry) error {
	x.last = max(x.last, e.T)
	x.introduce(e)
	switch {
	case e.Kind == annotate.Request:
		x.request(e)
	case isAnswer(e) && !e.Pair.IsZero() && x.open[e.Pair] != nil:
		x.answer(e, x.open[e.Pair])
		delete(x.open, e.Pair)
	case e.Kind == annotate.Notification && !e.Flow.IsZero() && x.open[e.Flow] != nil:
		x.event(x.open[e.Flow], e.T, e.Method, e.Summary())
		x.findingsOf(x.open[e.Flow], e)
	case e.Kind != annotate.Batch && e.Kind != annotate.Blank:
		x.log(e)
	}
	return x.err
}

// request begins a span.
func (x *otlp) request(e *annotate.Entry) {
	s := &spanOf{ref: e.Ref, t: e.T, trace: x.trace, parent: x.root}
	s.name = e.Method
	a := &s.attrs
	a.text("mcp.method.name", e.Method)
	switch {
	case e.Method == "tools/call" && e.Target != "":
		s.name += " " + e.Target
		a.text("gen_ai.operation.name", "execute_tool")
		a.text("gen_ai.tool.name", e.Target)
	case e.Method == "prompts/get" && e.Target != "":
		s.name += " " + e.Target
		a.text("gen_ai.prompt.name", e.Target)
	case strings.HasPrefix(e.Method, "resources/"):
		a.text("mcp.resource.uri", e.Target)
	}
	if id, ok := jsonrpc.Unquote([]byte(e.ID)); ok {
		a.text("jsonrpc.request.id", id)
	} else if e.ID != "null" {
		a.text("jsonrpc.request.id", e.ID)
	}
	a.text("mcp.protocol.version", e.Revision)
	a.text("mcp.session.id", x.o.ID)
	a.text("network.transport", "pipe")
	a.text("shakescope.from", e.From)
	a.text("shakescope.phase", string(e.Phase))
	a.text("shakescope.primitive", e.Primitive)
	a.capability(e)
	a.int("shakescope.seq", e.Seq)
	a.int("shakescope.request.size", e.Size)
	if e.Message != nil {
		x.context(s, e.Message.Params)
	}
	x.findingsOf(s, e)
	s.outcome = e.State
	x.open[e.Ref] = s
	x.order = append(x.order, e.Ref)
	for len(x.order) > 0 && (x.open[x.order[0]] == nil || len(x.open) > openSpans) {
		if oldest := x.open[x.order[0]]; oldest != nil {
			x.unanswered(oldest)
			delete(x.open, oldest.ref)
		}
		x.order = x.order[1:]
	}
}

// introduce notes how the ends call themselves. In 2026-07-28 they do so in _meta, before in the handshake.
func (x *otlp) introduce(e *annotate.Entry) {
	if e.Message == nil || e.Method != "initialize" && e.Era != mcpspec.Modern {
		return
	}
	var who []byte
	at := 0
	switch e.Kind {
	case annotate.Request:
		if who, _ = jsonrpc.Lookup(e.Message.Params, "_meta", mcpspec.MetaClientInfo); who == nil {
			who, _ = jsonrpc.Lookup(e.Message.Params, "clientInfo")
		}
	case annotate.Response:
		if at = 1; e.From != "server" {
			return
		}
		if who, _ = jsonrpc.Lookup(e.Message.Result, "_meta", mcpspec.MetaServerInfo); who == nil {
			who, _ = jsonrpc.Lookup(e.Message.Result, "serverInfo")
		}
	}
	if who == nil {
		return
	}
	word := func(member string) string {
		raw, _ := jsonrpc.Lookup(who, member)
		text, _ := jsonrpc.Unquote(raw)
		text, _ = cut(text, 200)
		return text
	}
	x.ends[at] = peer{word("name"), word("version")}
}

// context takes the parent out of params._meta.traceparent (W3C trace context; 2026-07-28/basic/index).
func (x *otlp) context(s *spanOf, params []byte) {
	raw, ok := jsonrpc.Lookup(params, "_meta", "traceparent")
	if !ok {
		return
	}
	text, _ := jsonrpc.Unquote(raw)
	trace, parent, sampled, ok := parseTraceparent(text)
	if !ok {
		return
	}
	s.trace, s.parent, s.unsampled = trace, parent, !sampled
	if raw, ok := jsonrpc.Lookup(params, "_meta", "tracestate"); ok {
		if state, ok := jsonrpc.Unquote(raw); ok && len(state) <= 512 {
			s.state = state
		}
	}
}

// parseTraceparent reads version-traceid-parentid-flags.
func parseTraceparent(s string) (trace, parent string, sampled, ok bool) {
	if len(s) < 55 || s[2] != '-' || s[35] != '-' || s[52] != '-' || len(s) > 55 && (s[:2] == "00" || s[55] != '-') || s[:2] == "ff" {
		return "", "", false, false
	}
	for i := 0; i < 55; i++ {
		if i != 2 && i != 35 && i != 52 && !('0' <= s[i] && s[i] <= '9' || 'a' <= s[i] && s[i] <= 'f') {
			return "", "", false, false
		}
	}
	trace, parent = s[3:35], s[36:52]
	flags, _ := strconv.ParseUint(s[53:55], 16, 8)
	return trace, parent, flags&1 == 1, strings.Trim(trace, "0") != "" && strings.Trim(parent, "0") != ""
}

func (x *otlp) event(s *spanOf, t time.Duration, name, text string) {
	if s.n++; s.n > spanEvents {
		return
	}
	var a attributes
	a.text("shakescope.summary", text)
	x.spanEvent(s, t, name, a)
}

func (x *otlp) spanEvent(s *spanOf, t time.Duration, name string, a attributes) {
	if len(s.events) > 0 {
		s.events = append(s.events, ',')
	}
	s.events = append(append(append(s.events, `{"timeUnixNano":"`...), x.nano(t)...), `","name":`...)
	s.events = append(append(append(quote(s.events, name), `,"attributes":[`...), a.buf...), "]}"...)
}

func (x *otlp) findingsOf(s *spanOf, e *annotate.Entry) {
	for i := range e.Findings {
		f := &e.Findings[i]
		if f.Design() {
			continue
		}
		x.finding(s, e.T, f)
	}
}

func (x *otlp) finding(s *spanOf, t time.Duration, f *annotate.Finding) {
	if s.n++; s.n <= spanEvents {
		x.spanEvent(s, t, "shakescope.finding", findingAttributes(f))
	}
}

// unanswered ends the span of a request that has no answer.
func (x *otlp) unanswered(s *spanOf) {
	switch s.outcome {
	case annotate.Open: // nobody answers it
	case annotate.Cancelled:
		s.attrs.text("error.type", "cancelled")
	default:
		s.attrs.text("error.type", "timeout")
	}
	x.span(s, x.last, "no answer", s.outcome != annotate.Open)
}

// Patch takes in what has become of an entry. A span that is gone already gets what is found as a log of its own.
func (x *otlp) Patch(p *annotate.Patch) error {
	s := x.open[p.At]
	if s != nil && p.State != "" {
		s.outcome = p.State
	}
	for i := range p.Findings {
		f := &p.Findings[i]
		if f.Design() || f.Count > 1 { // the first of them was told
			continue
		}
		if s != nil {
			x.finding(s, x.last, f)
			continue
		}
		x.write(logRecord{t: x.last, seq: p.At.Seq, uid: "finding " + refText(p.At) + " " + f.Rule + " " + f.Path, span: x.derive("span "+refText(p.At), 8),
			severity: severityOf(f.Level), body: f.Message, attrs: findingAttributes(f)})
	}
	return x.err
}

// Flush sends what there is.
func (x *otlp) Flush() error {
	x.send(&x.spans, "Spans")
	x.send(&x.logs, "Logs")
	return x.err
}

// answer ends a span.
func (x *otlp) answer(e *annotate.Entry, s *spanOf) {
	x.findingsOf(s, e)
	a := &s.attrs
	a.int("shakescope.response.size", e.Size)
	failed := ""
	switch {
	case e.Kind == annotate.ErrorAnswer:
		failed = "error"
		if e.Err != nil {
			code := strconv.FormatInt(e.Err.Code, 10)
			a.text("error.type", code)
			a.text("rpc.response.status_code", code)
			failed = e.Err.Message
		}
	case e.State == annotate.ToolError:
		a.text("error.type", "tool_error")
		failed = "the tool reported an error"
	}
	x.span(s, e.T, failed, e.Kind == annotate.ErrorAnswer || e.State == annotate.ToolError)
}

// flags are those of W3C trace context, and whether the parent is of another process.
func (s *spanOf) flags(own string) int {
	const sampled, knowsRemote, remote = 1, 1 << 8, 1 << 9
	n := knowsRemote
	if !s.unsampled {
		n |= sampled
	}
	if s.trace != own {
		n |= remote
	}
	return n
}

func (x *otlp) span(s *spanOf, end time.Duration, message string, failed bool) {
	if s.unsampled && x.o.OnlySampled {
		return
	}
	s.attrs.peers(&x.ends)
	b := x.spans.next()
	b = append(append(b, `{"traceId":"`...), s.trace...)
	b = append(append(b, `","spanId":"`...), x.derive("span "+refText(s.ref), 8)...)
	b = append(append(b, `","parentSpanId":"`...), s.parent...)
	b = strconv.AppendInt(append(b, `","flags":`...), int64(s.flags(x.trace)), 10)
	if s.state != "" {
		b = quote(append(b, `,"traceState":`...), s.state)
	}
	b = quote(append(b, `,"name":`...), s.name)
	b = strconv.AppendInt(append(b, `,"kind":`...), spanClient, 10)
	b = append(append(b, `,"startTimeUnixNano":"`...), x.nano(s.t)...)
	b = append(append(b, `","endTimeUnixNano":"`...), x.nano(max(end, s.t))...)
	b = append(append(append(b, `","attributes":[`...), s.attrs.buf...), ']')
	if len(s.events) > 0 {
		b = append(append(append(b, `,"events":[`...), s.events...), ']')
		if dropped := s.n - spanEvents; dropped > 0 {
			b = strconv.AppendInt(append(b, `,"droppedEventsCount":`...), int64(dropped), 10)
		}
	}
	if s.trace != x.trace {
		b = append(append(append(b, `,"links":[{"traceId":"`...), x.trace...), `","spanId":"`...)
		b = append(append(b, x.root...), `"}]`...)
	}
	if failed {
		b = strconv.AppendInt(append(b, `,"status":{"code":`...), statusError, 10)
		b = append(quote(append(b, `,"message":`...), message), '}')
	}
	x.spans.buf = append(b, '}')
	x.full(&x.spans, "Spans")
}

// next makes room for one more element.
func (b *batch) next() []byte {
	if b.n++; b.n > 1 {
		b.buf = append(b.buf, ',')
	}
	return b.buf
}

// full writes a batch that is large enough.
func (x *otlp) full(b *batch, kind string) {
	if b.n >= otlpBatch || len(b.buf) > 1<<20 {
		x.send(b, kind)
	}
}

// send writes a batch as one line.
func (x *otlp) send(b *batch, kind string) {
	if b.n == 0 || x.err != nil {
		return
	}
	list := map[string]string{"Spans": "spans", "Logs": "logRecords"}[kind]
	line := append([]byte(`{"resource`+kind+`":[`), x.head...)
	line = append(line, kind+`":[{"scope":{"name":"shakescope","version":`...)
	line = append(quote(line, x.o.Version), `},"`+list+`":[`...)
	line = append(append(line, b.buf...), "]}]}]}\n"...)
	_, x.err = x.w.Write(line)
	b.buf, b.n = b.buf[:0], 0
}

func (x *otlp) End(rec *annotate.Recording) error {
	// What was never answered ends with the session.
	open := slices.Collect(maps.Keys(x.open))
	sort.Slice(open, func(i, j int) bool { return open[i].Compare(open[j]) < 0 })
	for _, ref := range open {
		x.unanswered(x.open[ref])
	}
	var a attributes
	a.text("mcp.session.id", x.o.ID)
	a.text("mcp.protocol.version", rec.Revision)
	a.text("network.transport", "pipe")
	a.peers(&x.ends)
	if rec.Era == mcpspec.Modern {
		a.text("shakescope.era", rec.Era)
	}
	a.int("shakescope.findings", int64(len(rec.Findings)))
	b := x.spans.next()
	b = append(append(append(b, `{"traceId":"`...), x.trace...), `","spanId":"`...)
	b = append(append(b, x.root...), `","name":"mcp session","kind":`...)
	b = strconv.AppendInt(b, spanInternal, 10)
	b = append(append(append(b, `,"startTimeUnixNano":"`...), x.nano(0)...), `","endTimeUnixNano":"`...)
	b = append(append(b, x.nano(x.last)...), `","attributes":[`...)
	b = append(append(b, a.buf...), ']')
	var whole spanOf
	for i := range rec.Findings {
		if f := &rec.Findings[i]; f.At.IsZero() && !f.Design() {
			x.spanEvent(&whole, x.last, "shakescope.finding", findingAttributes(f))
		}
	}
	if len(whole.events) > 0 {
		b = append(append(append(b, `,"events":[`...), whole.events...), ']')
	}
	x.spans.buf = append(b, '}')
	return x.Flush()
}
