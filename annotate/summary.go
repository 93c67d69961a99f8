package annotate

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/shakescope/shakescope/internal/mcpspec"
	"github.com/shakescope/shakescope/jsonrpc"
	"github.com/shakescope/shakescope/recordings"
)

// maxSummary bounds a summary, in bytes.
const maxSummary = 240

// Summary says in one line what happened, for people: "3 tools", "isError: file not found". It is made
// from Raw when it is asked for, and holds no control characters. Method, target and state are members
// of their own, so it does not repeat them.
func (e *Entry) Summary() string {
	s := e.summary()
	if len(s) > wanted { // cleaning at most halves a text
		s = cutAtRune(s, wanted)
	}
	if s = shorten(clean(s)); s != "" || !e.isMessage() {
		return s
	}
	return string(e.Kind)
}

func (e *Entry) summary() string {
	switch e.Kind {
	case EventEntry:
		return eventSummary(e.Event)
	case Gap:
		return gapSummary(e.GapInfo)
	case Stderr:
		if e.Withheld != "" {
			return withheldSummary(e)
		}
		return lossy(e.Raw)
	case Blank:
		return "blank line"
	case Batch:
		return counted(e.Members, "message", "messages") + " in a batch"
	}
	if e.Withheld != "" {
		return withheldSummary(e)
	}
	m := e.Message
	if m == nil {
		if e.Truncated {
			return "cut by a gap: " + lossy(e.Raw)
		}
		if len(e.Raw) == 0 {
			return ""
		}
		decoded := jsonrpc.Decode(e.Raw)
		m = &decoded
	}
	switch e.Kind {
	case Request:
		return requestSummary(e.Method, m.Params)
	case Notification:
		return notificationSummary(e.Method, m.Params)
	case Response:
		return resultSummary(e.Method, m.Result)
	case ErrorAnswer:
		return errorSummary(m.Err)
	}
	return invalidSummary(e, m)
}

func errorSummary(err *jsonrpc.ErrorObject) string {
	if err == nil {
		return "error"
	}
	s := "error " + strconv.FormatInt(err.Code, 10)
	if err.Message != "" {
		return s + ": " + err.Message
	}
	if known := mcpspec.LookupError(err.Code); known != nil {
		return s + ": " + known.Words
	}
	return s
}

var reasonWords = map[jsonrpc.Reason]string{
	jsonrpc.NotUTF8:      "not UTF-8",
	jsonrpc.NotJSON:      "not JSON",
	jsonrpc.EmptyBatch:   "an empty batch",
	jsonrpc.NotObject:    "JSON, but no object",
	jsonrpc.BadVersion:   "jsonrpc is not \"2.0\"",
	jsonrpc.BadMethod:    "method is no string",
	jsonrpc.BadID:        "no usable id",
	jsonrpc.ResultAndErr: "both result and error",
	jsonrpc.NoContent:    "neither method, result nor error",
	jsonrpc.BadError:     "error is no error object",
}

// withheldWords say why only the length of a frame was recorded.
var withheldWords = map[recordings.Withheld]string{
	recordings.NotJSON: "not JSON", recordings.BrokenJSON: "broken JSON", recordings.NotUTF8: "not UTF-8", recordings.TooLong: "too long to be masked", recordings.CutByGap: "cut by a gap",
}

func withheldSummary(e *Entry) string {
	return "withheld by --redact, " + counted(int(e.Size), "byte", "bytes") + ": " + withheldWords[e.Withheld]
}

func invalidSummary(e *Entry, m *jsonrpc.Message) string {
	reason := e.Reason
	if reason == "" {
		reason = m.Reason
	}
	s, ok := reasonWords[reason]
	if !ok {
		s = string(reason)
	}
	if e.Partial && e.Sub == NoSub {
		s += ", cut off"
	}
	return s + ": " + lossy(e.Raw)
}

func eventSummary(e *recordings.Event) string {
	if e == nil {
		return ""
	}
	switch e.Name {
	case "spawn", "client_spawn":
		return join("server started", e.Reason)
	case "spawn_error":
		return join("server could not be started", e.Reason)
	case "client_closed_stdin":
		return "client closed the server's stdin"
	case "server_closed_stdout":
		return "server closed its stdout"
	case "server_closed_stderr":
		return "server closed its stderr"
	case "client_closed_stdout":
		return "client closed its end of stdout"
	case "write_failed":
		s := "write failed"
		if e.Bytes > 0 {
			s += ", " + bytesText(e.Bytes) + " not delivered"
		}
		return join(s, e.Reason)
	case "exit", "server_exit":
		switch {
		case e.Signal != "":
			return "server ended by " + e.Signal
		case e.Code != nil:
			return "server exited with code " + strconv.Itoa(*e.Code)
		}
		return "server exited"
	case "signal":
		return join(e.Signal, e.Reason)
	case "signal_to_server":
		return e.Signal + " sent to the server"
	case "signal_to_proxy", "recorder_got_signal":
		return e.Signal + " received"
	case "parent_gone":
		return "the client is gone"
	}
	s := strings.ReplaceAll(e.Name, "_", " ")
	if e.Signal != "" {
		s += " " + e.Signal
	}
	return join(s, e.Reason)
}

func gapSummary(g *recordings.Gap) string {
	if g == nil {
		return ""
	}
	var n int64
	for _, b := range g.Bytes {
		n += b
	}
	if n == 0 && g.Reason != "" {
		return g.Reason // nobody knows how much
	}
	return join(bytesText(n)+" not recorded", g.Reason)
}

func join(s, more string) string {
	switch {
	case more == "":
		return s
	case s == "":
		return more
	}
	return s + ": " + more
}

// counted writes a number with its noun.
func counted(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + many
}

func bytesText(n int64) string {
	switch {
	case n < 1000:
		return strconv.FormatInt(n, 10) + " B"
	case n < 1_000_000:
		return fmt.Sprintf("%.1f kB", float64(n)/1e3)
	}
	return fmt.Sprintf("%.1f MB", float64(n)/1e6)
}

// lossy returns the beginning of a line as text.
func lossy(b []byte) string {
	return strings.ToValidUTF8(string(b[:min(len(b), maxSummary+8)]), "\uFFFD")
}

// shorten bounds a summary at the end of a character.
func shorten(s string) string {
	if len(s) <= maxSummary {
		return s
	}
	return cutAtRune(s, maxSummary) + "…"
}

// cutAtRune returns the first n bytes of a longer text, or a few less, up to the end of a character.
func cutAtRune(s string, n int) string {
	for n > 0 && s[n]&0xC0 == 0x80 {
		n--
	}
	return s[:n]
}
