package annotate

import (
	"fmt"
	"strings"

	"github.com/shakescope/shakescope/internal/mcpspec"
	"github.com/shakescope/shakescope/jsonrpc"
)

// Rules about bytes and lines, before any meaning.
var framingRules = []Rule{
	{
		ID: "message-spans-lines", Group: GroupFraming, Levels: []Level{LevelError}, Revisions: mcpspec.All, By: Sender,
		Spec:  "2025-11-25/basic/transports#stdio",
		Title: "A message is written over several lines.",
		Why:   "On stdio a newline ends a message. Peers that read lines lose it; others read a stream of JSON and do not notice.",
		Fix:   "Serialise messages without line breaks or indentation.",
		hooks: []hook{on(onInvalid, spansLines)},
	},
	{
		ID: "content-length-framing", Group: GroupFraming, Levels: []Level{LevelError}, Revisions: mcpspec.All, By: Sender,
		Spec:  "2025-11-25/basic/transports#stdio",
		Title: "Messages are framed with Content-Length headers, as language servers do it.",
		Why:   "MCP on stdio is one message a line. The peer takes the header for a broken message, and may never see the end of the body.",
		Fix:   "Write each message as one line that ends in a newline, without any header.",
		hooks: []hook{on(onInvalid, headerFraming)},
	},
	{
		ID: "unterminated-line-at-eof", Group: GroupFraming, Levels: []Level{LevelError, LevelWarning}, Revisions: mcpspec.All, By: Sender,
		Spec:  "2025-11-25/basic/transports#stdio",
		Title: "The stream ended in mid-line.",
		Why:   "A peer that waits for the newline never reads the line. What is no complete JSON is a message lost.",
		Fix:   "End every message with a newline, and write everything out before the process ends.",
		hooks: []hook{on(onInvalid, unterminated), onMessage(unterminated), on(onProcessEnd, reportUnterminated), on(onEvent, reportUnterminated, "client_closed_stdin", "server_closed_stdout", "exit", "server_exit")},
	},
}

// spansLines looks at the line that completes a message. Until then its lines count as stray ones.
func spansLines(v *view) {
	own, _ := v.sent()
	whole := own.spread.whole
	if whole == nil {
		return
	}
	lines := own.spread.lines
	what := "message"
	switch whole.Kind {
	case jsonrpc.Request, jsonrpc.Notification:
		what = shortID(whole.Method)
	case jsonrpc.Response, jsonrpc.Error:
		what = "answer to id " + shortID(whole.ID.Raw())
	}
	for _, rule := range [...]string{"stdout-not-json", "stdin-not-json", "ansi-escape-hint", "not-a-message"} {
		v.withdraw(lines[0], rule)
	}
	v.report(Finding{
		At: lines[0], Count: len(lines), Related: lines[1:],
		Message: fmt.Sprintf("%d lines that together are one %s", len(lines), what),
	})
}

func headerFraming(v *view) {
	if isHeader(v.Entry.Raw) && v.Entry.Reason == jsonrpc.NotJSON {
		v.reportOn(v.Entry.From, Finding{Message: "header " + excerpt(v.Entry.Raw) + ": MCP on stdio is one message a line"})
	}
}

// cutLines are the lines that have no end, until it is known that the stream really ended there: a
// recording that stops in mid-line proves nothing.
type cutLines struct{ waiting []Finding }

func unterminated(v *view) {
	e := v.Entry
	if !e.Partial || e.Sub != NoSub {
		return
	}
	f := Finding{At: e.Ref, By: e.From, Level: LevelWarning, Message: "complete JSON, but no newline after it"}
	if e.Reason == jsonrpc.NotJSON || e.Reason == jsonrpc.NotUTF8 {
		f.Level, f.Message = LevelError, fmt.Sprintf("cut off after %d bytes", e.Size)
	}
	m := memo[cutLines](v, v.Process)
	m.waiting = append(m.waiting, f)
}

func reportUnterminated(v *view) {
	m := memo[cutLines](v, v.Process)
	if !v.Process.ending.first.set() && !v.s.whole && v.s.header.Imported == nil {
		return
	}
	for _, f := range m.waiting {
		v.report(f)
	}
	m.waiting = nil
}

// strayHint guesses who prints such a line, "" when nothing gives it away.
func strayHint(line []byte) string {
	s := strings.TrimSpace(string(line[:min(len(line), 400)]))
	lower := strings.ToLower(s)
	switch {
	case strings.HasPrefix(s, "> ") && strings.Contains(s, "@"), strings.HasPrefix(lower, "yarn run v"), strings.HasPrefix(lower, "$ "):
		return "looks like the header of a package runner"
	case strings.HasPrefix(lower, "npm "), strings.HasPrefix(lower, "added ") && strings.Contains(lower, " package"):
		return "looks like npm"
	case strings.Contains(lower, "dotenv"), strings.Contains(lower, ".env") && strings.Contains(lower, "tip:"):
		return "looks like dotenv"
	case strings.HasPrefix(s, "Traceback "), strings.HasPrefix(s, "panic:"), strings.HasPrefix(s, "goroutine "), strings.HasPrefix(s, "at ") && strings.Contains(s, ":"):
		return "looks like a stack trace"
	case s == "{", s == "[":
		return "looks like JSON spread over several lines; every line must be one whole message"
	}
	return ""
}

// excerpt returns the beginning of a line for a message: quoted where it holds what a terminal would
// act upon.
func excerpt(line []byte) string {
	const most = 60
	cut := line
	more := ""
	if len(cut) > most {
		cut, more = cut[:most], "…"
	}
	s := strings.ToValidUTF8(string(cut), "\uFFFD")
	return clean(s) + more
}
