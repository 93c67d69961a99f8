package annotate

import (
	"time"
	"unicode/utf8"

	"github.com/shakescope/shakescope/jsonrpc"
	"github.com/shakescope/shakescope/recordings"
)

var streamNames = map[recordings.Stream]string{
	recordings.Control: "control", recordings.Stdin: "stdin", recordings.Stdout: "stdout", recordings.Stderr: "stderr",
}

// AppendJSON appends one object of `show --json`, without a line end; h may be nil.
func AppendJSON(dst []byte, e *Entry, h *recordings.Header) []byte {
	return appendEntry(dst, e, h, false)
}

// AppendRevision appends an entry that was written before and has changed since: the whole entry again,
// with "revises":true.
func AppendRevision(dst []byte, e *Entry, h *recordings.Header) []byte {
	return appendEntry(dst, e, h, true)
}

func appendEntry(dst []byte, e *Entry, h *recordings.Header, revises bool) []byte {
	w := jsonWriter{dst}
	// The first brace needs no comma, whatever stands before it.
	w.buf = append(w.buf, '{')
	w.int("seq", e.Seq)
	if e.Sub != NoSub {
		w.int("sub", int64(e.Sub))
	}
	w.truth("revises", revises)
	if h != nil && !h.Start.IsZero() {
		w.key("time")
		w.buf = append(w.buf, '"')
		w.buf = h.Start.Add(e.T).AppendFormat(w.buf, time.RFC3339Nano)
		w.buf = append(w.buf, '"')
	}
	w.seconds("t", e.T)
	if e.T0 != e.T {
		w.seconds("t0", e.T0)
	}
	w.int("session", int64(e.Session))
	w.textIf("from", e.From)
	w.text("stream", streamNames[e.Stream])
	w.text("kind", string(e.Kind))
	if e.Kind == Batch {
		w.int("members", int64(e.Members))
	}
	if e.ID != "" {
		w.raw("id", []byte(e.ID))
	}
	if e.isMessage() || e.Method != "" {
		e.appendMeaning(&w)
	} else {
		w.textIf("phase", string(e.Phase))
	}
	e.appendLinks(&w)
	e.appendFrame(&w)
	w.text("summary", e.Summary())
	if len(e.Findings) > 0 {
		w.key("findings")
		w.openList()
		for i := range e.Findings {
			e.Findings[i].append(&w)
		}
		w.closeList()
	}
	e.appendRaw(&w)
	w.close()
	return w.buf
}

func (e *Entry) isMessage() bool {
	return e.Kind == Request || e.Kind == Notification || e.Kind == Response || e.Kind == ErrorAnswer
}

// appendMeaning writes what a message means in MCP.
func (e *Entry) appendMeaning(w *jsonWriter) {
	w.textIf("method", e.Method)
	w.textIf("target", e.Target)
	w.textOrNull("primitive", e.Primitive)
	if len(e.Touches) > 0 {
		w.key("touches")
		w.openList()
		for _, t := range e.Touches {
			w.comma()
			w.quote(t)
		}
		w.closeList()
	}
	w.textIf("group", e.Group)
	w.textIf("phase", string(e.Phase))
	w.textOrNull("era", e.Era)
	w.textOrNull("revision", e.Revision)
	switch len(e.Capability) {
	case 0:
		w.null("capability")
	case 1:
		w.key("capability")
		e.Capability[0].append(w)
	default:
		w.key("capability")
		w.openList()
		for i := range e.Capability {
			e.Capability[i].append(w)
		}
		w.closeList()
	}
}

func (c *Capability) append(w *jsonWriter) {
	w.open()
	w.text("side", c.Side)
	w.text("path", c.Path)
	w.text("state", string(c.State))
	if c.At != 0 {
		w.int("at", c.At)
	}
	w.close()
}

// appendLinks writes what ties an entry to others.
func (e *Entry) appendLinks(w *jsonWriter) {
	if !e.Pair.IsZero() {
		w.ref("pair", e.Pair)
	}
	if !e.Flow.IsZero() {
		w.ref("flow", e.Flow)
	}
	w.textIf("state", string(e.State))
	if e.Cancelled && e.State != Cancelled {
		w.truth("cancelled", true)
	}
	w.truth("ambiguous", e.Ambiguous)
	if !e.Probable.IsZero() {
		w.ref("probable", e.Probable)
	}
	w.textIf("unanswered", e.Unanswered)
	if e.HasLatency {
		w.millis("latency_ms", e.Latency)
	}
	if e.Token != "" {
		w.raw("token", []byte(e.Token))
	}
	if e.Progress != nil {
		w.key("progress")
		w.open()
		w.float("progress", e.Progress.Progress)
		if e.Progress.Total != 0 {
			w.float("total", e.Progress.Total)
		}
		w.textIf("message", e.Progress.Message)
		w.close()
	}
	if e.Err != nil {
		w.key("error")
		w.open()
		w.int("code", e.Err.Code)
		w.text("message", e.Err.Message)
		w.close()
	}
}

// appendFrame writes what is known of an entry as bytes and as an event.
func (e *Entry) appendFrame(w *jsonWriter) {
	if v := e.Event; v != nil {
		w.key("event")
		w.open()
		w.text("name", v.Name)
		if v.Code != nil {
			w.int("code", int64(*v.Code))
		}
		w.textIf("signal", v.Signal)
		w.textIf("reason", v.Reason)
		if v.Bytes != 0 {
			w.int("bytes", v.Bytes)
		}
		if v.PID != 0 {
			w.int("pid", int64(v.PID))
		}
		w.close()
	}
	if g := e.GapInfo; g != nil {
		w.key("gap")
		w.open()
		w.counts("bytes", g.Bytes)
		if len(g.Frames) > 0 {
			w.counts("frames", g.Frames)
		}
		w.textIf("reason", g.Reason)
		w.seconds("from", g.From)
		w.seconds("to", g.To)
		w.close()
	}
	if e.Reason != "" {
		w.text("reason", string(e.Reason))
		w.int("offset", int64(e.Offset))
	}
	if len(e.Defects) > 0 {
		w.key("defects")
		w.openList()
		for _, d := range e.Defects {
			w.open()
			w.text("kind", string(d.Kind))
			w.int("offset", int64(d.Offset))
			w.textIf("path", d.Path)
			w.textIf("detail", d.Detail)
			w.close()
		}
		w.closeList()
	}
	if e.Stream == recordings.Control {
		return
	}
	w.int("size", e.Size)
	if e.EOL != jsonrpc.LF && e.Sub == NoSub {
		w.text("eol", string(e.EOL))
	}
	w.truth("partial", e.Partial && e.Sub == NoSub)
	w.truth("truncated", e.Truncated)
	w.textIf("withheld", string(e.Withheld))
}

func (f *Finding) append(w *jsonWriter) {
	w.open()
	w.text("rule", f.Rule)
	w.text("level", string(f.Level))
	w.text("by", f.By)
	w.text("message", f.Message)
	w.textIf("path", f.Path)
	w.textIf("spec", f.Spec)
	if f.At.IsZero() {
		w.null("seq")
	} else {
		w.int("seq", f.At.Seq)
		if f.At.Sub != NoSub {
			w.int("sub", int64(f.At.Sub))
		}
	}
	if f.Count > 1 {
		w.int("count", int64(f.Count))
	}
	if len(f.Related) > 0 {
		w.refs("related", f.Related)
	}
	w.close()
}

// MarshalJSON writes the finding as the contract has it.
func (f Finding) MarshalJSON() ([]byte, error) {
	var w jsonWriter
	f.append(&w)
	return w.buf, nil
}

// appendRaw writes the bytes: as a JSON value where they are one, else as text or base64.
func (e *Entry) appendRaw(w *jsonWriter) {
	switch {
	case e.Stream == recordings.Control || e.Raw == nil:
	case e.isMessage() || e.Kind == Batch || e.Kind == Invalid && e.Reason != jsonrpc.NotJSON && e.Reason != jsonrpc.NotUTF8 && jsonrpc.Valid(e.Raw):
		if e.Message != nil && e.Message.Raw != nil {
			w.raw("raw", e.Message.Raw) // without white space around it
		} else {
			w.raw("raw", e.Raw)
		}
	case utf8.Valid(e.Raw):
		w.text("text", string(e.Raw))
	default:
		w.base64("base64", e.Raw)
	}
}
