package export

import (
	"strconv"
	"time"

	"github.com/shakescope/shakescope/annotate"
	"github.com/shakescope/shakescope/jsonrpc"
)

// log writes what is no request and no answer.
func (x *otlp) log(e *annotate.Entry) {
	r := logRecord{t: e.T, seq: e.Seq, uid: "log " + refText(e.Ref), span: x.root, severity: severityInfo, body: e.Summary()}
	switch e.Kind {
	case annotate.Stderr:
		r.body = string(e.Raw)
	case annotate.Invalid, annotate.Gap, annotate.ErrorAnswer:
		r.severity = severityError
	}
	if e.Method == "notifications/message" && e.Message != nil {
		if raw, ok := jsonrpc.Lookup(e.Message.Params, "level"); ok {
			level, _ := jsonrpc.Unquote(raw)
			r.severity = logSeverity(level, r.severity)
		}
	}
	for i := range e.Findings {
		r.severity = max(r.severity, severityOf(e.Findings[i].Level))
	}
	a := &r.attrs
	a.text("mcp.method.name", e.Method)
	a.text("mcp.session.id", x.o.ID)
	a.text("shakescope.kind", string(e.Kind))
	a.text("shakescope.from", e.From)
	a.text("shakescope.stream", streamName(e.Stream))
	a.text("shakescope.phase", string(e.Phase))
	a.text("shakescope.primitive", e.Primitive)
	a.capability(e)
	if e.Event != nil {
		a.text("shakescope.event", e.Event.Name)
	}
	if len(e.Findings) > 0 {
		a.text("shakescope.rule", e.Findings[0].Rule)
		a.text("shakescope.message", e.Findings[0].Message)
	}
	a.peers(&x.ends)
	x.write(r)
}

// logRecord is a log of OpenTelemetry.
type logRecord struct {
	t        time.Duration
	seq      int64
	uid      string // what its id is derived from
	span     string
	severity int
	body     string
	attrs    attributes
}

func (x *otlp) write(r logRecord) {
	r.attrs.int("shakescope.seq", r.seq)
	r.attrs.text("log.record.uid", x.derive(r.uid, 16))
	b := x.logs.next()
	b = append(append(b, `{"timeUnixNano":"`...), x.nano(r.t)...)
	b = append(append(b, `","observedTimeUnixNano":"`...), x.nano(r.t)...)
	b = strconv.AppendInt(append(b, `","severityNumber":`...), int64(r.severity), 10)
	b = append(append(append(b, `,"severityText":"`...), severityText(r.severity)...), `","body":{"stringValue":`...)
	const longestBody = 16 << 10
	if short, ok := cut(r.body, longestBody); ok {
		r.body = short + "…"
	}
	b = append(append(append(quote(b, r.body), `},"attributes":[`...), r.attrs.buf...), ']')
	b = append(append(append(b, `,"traceId":"`...), x.trace...), `","spanId":"`...)
	x.logs.buf = append(append(b, r.span...), `"}`...)
	x.full(&x.logs, "Logs")
}

// severityOf maps the levels of findings.
func severityOf(l annotate.Level) int {
	switch l {
	case annotate.LevelError:
		return severityError
	case annotate.LevelWarning:
		return severityWarn
	}
	return severityInfo
}

func severityText(n int) string {
	switch {
	case n < severityInfo:
		return "DEBUG"
	case n < severityWarn:
		return "INFO"
	case n < severityError:
		return "WARN"
	case n < severityFatal:
		return "ERROR"
	}
	return "FATAL"
}

// logSeverity maps the levels of MCP, which are those of syslog; n is for others.
func logSeverity(level string, n int) int {
	switch level {
	case "debug":
		return severityDebug
	case "info", "notice":
		return severityInfo
	case "warning":
		return severityWarn
	case "error":
		return severityError
	case "critical", "alert", "emergency":
		return severityFatal
	}
	return n
}
