package export

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"maps"
	"slices"
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

	severityInfo  = 9
	severityWarn  = 13
	severityError = 17
)

// Bounds of what is kept in memory.
const (
	otlpBatch  = 200 // spans or logs in one request
	spanEvents = 50  // of one span
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
	spans batch
	logs  batch
}

// spanOf is a request that waits for its answer.
type spanOf struct {
	ref                  annotate.Ref
	t                    time.Duration
	trace, parent, state string
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

// attributes is a list of attributes in JSON.
type attributes struct{ buf []byte }

func (a *attributes) key(name string) {
	if len(a.buf) > 0 {
		a.buf = append(a.buf, ',')
	}
	a.buf = append(append(a.buf, `{"key":`...), quote(nil, name)...)
}

func (a *attributes) text(name, value string) {
	if value == "" {
		return
	}
	a.key(name)
	a.buf = append(quote(append(a.buf, `,"value":{"stringValue":`...), value), "}}"...)
}

func (a *attributes) int(name string, n int64) {
	a.key(name)
	a.buf = append(strconv.AppendInt(append(a.buf, `,"value":{"intValue":"`...), n, 10), `"}}`...)
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
	for _, c := range e.Capability {
		a.text("shakescope.capability", c.Side+":"+c.Path)
		a.text("shakescope.capability.state", string(c.State))
		break // an attribute has one value; the recording has them all
	}
	a.int("shakescope.seq", e.Seq)
	a.int("shakescope.request.size", e.Size)
	if e.Message != nil {
		x.context(s, e.Message.Params)
	}
	x.findingsOf(s, e)
	switch {
	case e.Pair.IsZero() || e.State == annotate.Pending || e.State == annotate.Open:
		if e.State == annotate.Cancelled {
			a.text("error.type", "cancelled")
		} else if e.State != annotate.Open {
			a.text("error.type", "timeout")
		}
		s.state = string(e.State)
	}
	x.open[e.Ref] = s
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
			s.attrs.text("shakescope.tracestate", state)
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
		if s.n++; s.n > spanEvents {
			return
		}
		x.spanEvent(s, e.T, "shakescope.finding", findingAttributes(f))
	}
}

func findingAttributes(f *annotate.Finding) attributes {
	var a attributes
	a.text("shakescope.rule", f.Rule)
	a.text("shakescope.level", string(f.Level))
	a.text("shakescope.by", f.By)
	a.text("shakescope.message", f.Message)
	a.text("shakescope.spec", f.Spec)
	return a
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

func (x *otlp) span(s *spanOf, end time.Duration, message string, failed bool) {
	if s.unsampled && x.o.OnlySampled {
		return
	}
	b := x.spans.next()
	b = append(append(b, `{"traceId":"`...), s.trace...)
	b = append(append(b, `","spanId":"`...), x.derive("span "+refText(s.ref), 8)...)
	b = append(append(b, `","parentSpanId":"`...), s.parent...)
	b = quote(append(b, `","name":`...), s.name)
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

// log writes what is no request and no answer.
func (x *otlp) log(e *annotate.Entry) {
	severity, word := severityInfo, "INFO"
	body := e.Summary()
	switch e.Kind {
	case annotate.Stderr:
		body = string(e.Raw)
	case annotate.Invalid, annotate.Gap, annotate.ErrorAnswer:
		severity, word = severityError, "ERROR"
	}
	for i := range e.Findings {
		switch e.Findings[i].Level {
		case annotate.LevelError:
			severity, word = severityError, "ERROR"
		case annotate.LevelWarning:
			if severity < severityWarn {
				severity, word = severityWarn, "WARN"
			}
		}
	}
	var a attributes
	a.text("mcp.method.name", e.Method)
	a.text("mcp.session.id", x.o.ID)
	a.text("shakescope.kind", string(e.Kind))
	a.text("shakescope.stream", streamName(e.Stream))
	a.text("shakescope.phase", string(e.Phase))
	a.text("shakescope.primitive", e.Primitive)
	if e.Event != nil {
		a.text("shakescope.event", e.Event.Name)
	}
	if e.Method == "notifications/message" && e.Message != nil {
		if raw, ok := jsonrpc.Lookup(e.Message.Params, "level"); ok {
			level, _ := jsonrpc.Unquote(raw)
			severity, word = logSeverity(level, severity, word)
		}
	}
	a.int("shakescope.seq", e.Seq)
	if len(e.Findings) > 0 {
		a.text("shakescope.rule", e.Findings[0].Rule)
		a.text("shakescope.message", e.Findings[0].Message)
	}
	b := x.logs.next()
	b = append(append(b, `{"timeUnixNano":"`...), x.nano(e.T)...)
	b = append(append(b, `","observedTimeUnixNano":"`...), x.nano(e.T)...)
	b = strconv.AppendInt(append(b, `","severityNumber":`...), int64(severity), 10)
	b = append(append(append(b, `,"severityText":"`...), word...), `","body":{"stringValue":`...)
	const longestBody = 16 << 10
	if short, ok := cut(body, longestBody); ok {
		body = short + "…"
	}
	b = append(append(append(quote(b, body), `},"attributes":[`...), a.buf...), ']')
	b = append(append(append(b, `,"traceId":"`...), x.trace...), `","spanId":"`...)
	x.logs.buf = append(append(b, x.root...), `"}`...)
	x.full(&x.logs, "Logs")
}

// logSeverity maps the levels of MCP, which are those of syslog.
func logSeverity(level string, n int, word string) (int, string) {
	switch level {
	case "debug":
		return 5, "DEBUG"
	case "info", "notice":
		return severityInfo, "INFO"
	case "warning":
		return severityWarn, "WARN"
	case "error":
		return severityError, "ERROR"
	case "critical", "alert", "emergency":
		return 21, "FATAL"
	}
	return n, word
}

func (x *otlp) End(rec *annotate.Recording) error {
	// What was never answered ends with the session.
	for _, ref := range slices.SortedFunc(maps.Keys(x.open), func(a, b annotate.Ref) int {
		if a.Seq != b.Seq {
			return int(max(-1, min(1, a.Seq-b.Seq)))
		}
		return int(a.Sub - b.Sub)
	}) {
		s := x.open[ref]
		x.span(s, x.last, "no answer", s.state != string(annotate.Open))
	}
	var a attributes
	a.text("mcp.session.id", x.o.ID)
	a.text("mcp.protocol.version", rec.Revision)
	a.text("network.transport", "pipe")
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
	x.send(&x.spans, "Spans")
	x.send(&x.logs, "Logs")
	return x.err
}
