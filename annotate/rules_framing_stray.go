package annotate

import (
	"bytes"
	"fmt"

	"github.com/shakescope/shakescope/internal/mcpspec"
	"github.com/shakescope/shakescope/jsonrpc"
	"github.com/shakescope/shakescope/recordings"
)

// Rules about lines that are no JSON, or JSON that is no message. A line has one cause, so one of
// these speaks for it, and a run of such lines is one finding.
var strayRules = []Rule{
	{
		ID: "stdout-not-json", Group: GroupFraming, Levels: []Level{LevelError}, Revisions: mcpspec.All, By: "server",
		Spec:  "2025-11-25/basic/transports#stdio",
		Title: "The server wrote a line to stdout that is not JSON.",
		Why:   "Stdout carries the protocol and nothing else. Some clients skip such a line, others drop the connection or cannot read the message after it.",
		Fix:   "Send banners, logs and debug output to stderr. If a package runner or a library prints the line, start the server directly or silence it.",
		hooks: []hook{on(onInvalid, stray)},
	},
	{
		ID: "stdin-not-json", Group: GroupFraming, Levels: []Level{LevelError}, Revisions: mcpspec.All, By: "client",
		Spec:  "2025-11-25/basic/transports#stdio",
		Title: "The client wrote a line to the server's stdin that is not JSON.",
		Why:   "Servers answer with a parse error, skip the line or end without a word; whatever the line was meant to ask is lost.",
		Fix:   "Write one complete JSON message a line, and nothing else.",
		hooks: []hook{on(onInvalid, stray)},
	},
	{
		ID: "ansi-escape-hint", Group: GroupFraming, Levels: []Level{LevelError}, Likely: true, Revisions: mcpspec.All, By: "server",
		Spec:  "2025-11-25/basic/transports#stdio",
		Title: "The server wrote terminal colours to stdout: a logger meant for people.",
		Why:   "A line with escape sequences is no message. The client skips it or drops the connection.",
		Fix:   "Point the logger at stderr; most have a setting for it.",
		hooks: []hook{on(onInvalid, stray)},
	},
	{
		ID: "two-messages-one-line", Group: GroupFraming, Levels: []Level{LevelError}, Revisions: mcpspec.All, By: Sender,
		Spec:  "2025-11-25/basic/transports#stdio",
		Title: "Two or more messages stand on one line: a newline between them is missing.",
		Why:   "Readers of lines lose all of them, and some peers end the connection.",
		Fix:   "Write message and newline in one go, and let only one writer at a time use the stream.",
		hooks: []hook{on(onInvalid, stray)},
	},
	{
		ID: "json-nan-hint", Group: GroupFraming, Levels: []Level{LevelError}, Revisions: mcpspec.All, By: Sender,
		Spec:  "2025-11-25/basic/transports#stdio",
		Title: "The line would be JSON but for NaN or Infinity.",
		Why:   "JSON has no such numbers; the peer cannot parse the line, so the message is lost. Python's json.dumps writes them unless told not to.",
		Fix:   "Send null or leave the value out; with Python, use allow_nan=False to find the place.",
		hooks: []hook{on(onInvalid, stray)},
	},
	{
		ID: "utf8-bom", Group: GroupFraming, Levels: []Level{LevelError}, Revisions: mcpspec.All, By: Sender,
		Spec:  "2026-07-28/basic/transports/index#messages",
		Title: "The line begins with a byte order mark.",
		Why:   "JSON texts must not begin with one, and most parsers refuse the line, usually the first of the session.",
		Fix:   "Write UTF-8 without a mark; on Windows choose the encoding without BOM.",
		hooks: []hook{on(onInvalid, stray)},
	},
	{
		ID: "invalid-utf8", Group: GroupFraming, Levels: []Level{LevelError}, Revisions: mcpspec.All, By: Sender,
		Spec:  "2026-07-28/basic/transports/index#messages",
		Title: "The line is not UTF-8.",
		Why:   "Messages must be UTF-8. Strict peers drop the line or the connection; tolerant ones show damaged text.",
		Fix:   "Encode as UTF-8 whatever the locale; convert text from files and other programs before it goes into a message.",
		hooks: []hook{on(onInvalid, stray)},
	},
	{
		ID: "not-a-message", Group: GroupFraming, Levels: []Level{LevelError}, Revisions: mcpspec.All, By: Sender,
		Spec:  "2025-11-25/basic/transports#stdio",
		Title: "The line is JSON but no message: it has no method, result or error.",
		Why:   "Peers skip it or drop the connection. Structured loggers that write to stdout end up here.",
		Fix:   "Send logs to stderr, or as notifications/message; every line on the stream must be a JSON-RPC message.",
		hooks: []hook{on(onInvalid, stray)},
	},
}

// strayRun is the run of lines that are no message which an end is in: the first one's finding takes in
// those of the same kind, and coloured and plain lines of one logger count as the same.
type strayRun struct {
	since Ref
	plain string // the rule that speaks for lines that are no JSON
}

func stray(v *view) {
	e := v.Entry
	// A line that the end of the stream cut short is no stray line, and what several lines make
	// together is another rule's.
	if e.Partial || e.Reason == jsonrpc.NotJSON && e.Sub != NoSub {
		return
	}
	own, _ := v.sent()
	rule, message := strayCause(e)
	if rule == "" || own.spread.whole != nil && e.Reason == jsonrpc.NotJSON {
		return
	}
	subject := own.badSince.String()
	if rule == "stdout-not-json" || rule == "ansi-escape-hint" {
		run := memo[strayRun](v, v.Process)
		if run.since != own.badSince {
			*run = strayRun{own.badSince, rule}
		}
		rule = run.plain
	}
	if rule != v.rule.ID {
		return
	}
	if rule == "not-a-message" || rule == "invalid-utf8" || rule == "two-messages-one-line" {
		subject = e.From
	}
	v.reportOn(subject, Finding{Message: message})
}

// strayCause says which rule speaks for a line that is no message, and what there is to say; "" when
// another family does.
func strayCause(e *Entry) (rule, message string) {
	on := "stdout"
	if e.Stream == recordings.Stdin {
		on = "stdin"
	}
	m := e.Message
	if e.Withheld != "" {
		return withheldCause(e, on)
	}
	switch e.Reason {
	case jsonrpc.NotUTF8:
		return "invalid-utf8", fmt.Sprintf("byte %d is not UTF-8%s: %s", e.Offset, encodingHint(e.Raw), excerpt(e.Raw))
	case jsonrpc.NotObject, jsonrpc.EmptyBatch:
		if e.Reason == jsonrpc.EmptyBatch && e.Revision == mcpspec.Rev20250326 {
			return "", "" // an empty batch
		}
		return "not-a-message", "JSON on " + on + ", but no message: " + excerpt(e.Raw)
	case jsonrpc.BadVersion, jsonrpc.NoContent:
		if looksLikeMessage(m) {
			return "", ""
		}
		return "not-a-message", "JSON on " + on + ", but neither call nor answer: " + excerpt(m.Raw)
	case jsonrpc.NotJSON:
	default:
		return "", ""
	}
	if isHeader(e.Raw) {
		return "", ""
	}
	if hasDefect(e, jsonrpc.BOM) {
		return "utf8-bom", "begins with EF BB BF: " + excerpt(bytes.TrimPrefix(e.Raw, []byte("\xEF\xBB\xBF")))
	}
	if n := valuesOn(e); n > 1 {
		return "two-messages-one-line", fmt.Sprintf("%d JSON values on one line: %s", n, excerpt(e.Raw))
	}
	if word := notANumber(e.Raw); word != "" {
		return "json-nan-hint", word + " is no JSON: " + excerpt(e.Raw)
	}
	message = "not JSON on " + on + ": " + excerpt(e.Raw)
	if e.Stream == recordings.Stdin {
		if hint := strayHint(e.Raw); hint != "" {
			message += " (" + hint + ")"
		}
		return "stdin-not-json", message
	}
	if bytes.Contains(e.Raw, []byte("\x1b[")) {
		return "ansi-escape-hint", "coloured text on stdout: " + excerpt(stripEscapes(e.Raw))
	}
	if hint := strayHint(e.Raw); hint != "" {
		message += " (" + hint + ")"
	}
	return "stdout-not-json", message
}

// withheldCause speaks for a line of which nothing is left but its length: it was looked at before.
func withheldCause(e *Entry, on string) (rule, message string) {
	what := fmt.Sprintf("%d bytes, which were not recorded because they could not be masked", e.Size)
	switch {
	case e.Reason == jsonrpc.NotUTF8:
		return "invalid-utf8", "not UTF-8 on " + on + ": " + what
	case e.Stream == recordings.Stdin:
		return "stdin-not-json", "not JSON on " + on + ": " + what
	}
	return "stdout-not-json", "not JSON on " + on + ": " + what
}

// looksLikeMessage reports whether an object that is no valid message was meant as one: it has what
// only messages have. A structured log line with a member "error" or "method" has not.
func looksLikeMessage(m *jsonrpc.Message) bool {
	versioned := true
	for _, d := range m.Defects {
		if d.Kind == jsonrpc.MissingVersion {
			versioned = false
		}
	}
	called := m.Method != "" && (versioned || m.ID.Kind() != jsonrpc.IDAbsent || m.Params != nil || mcpspec.Lookup(m.Method) != nil)
	answered := (m.Result != nil || m.Err != nil) && (versioned || m.ID.Kind() != jsonrpc.IDAbsent)
	// With a version and an id it is an answer whose content got lost.
	return called || answered || versioned && m.ID.Kind() != jsonrpc.IDAbsent
}

func hasDefect(e *Entry, kind jsonrpc.DefectKind) bool {
	for i := range e.Defects {
		if e.Defects[i].Kind == kind {
			return true
		}
	}
	return false
}

// valuesOn counts the JSON objects and arrays that make up a line, 0 when anything else stands on it.
func valuesOn(e *Entry) int {
	if !hasDefect(e, jsonrpc.TrailingBytes) {
		return 0
	}
	n := 0
	for rest := bytes.TrimSpace(e.Raw); len(rest) > 0; n++ {
		if rest[0] != '{' && rest[0] != '[' {
			return 0
		}
		end := jsonrpc.Skip(rest, 0)
		if !jsonrpc.Valid(rest[:end]) {
			return 0
		}
		rest = bytes.TrimSpace(rest[end:])
	}
	return n
}

// notANumber returns the word that keeps a line from being JSON: NaN, Infinity or -Infinity.
func notANumber(line []byte) string {
	if !bytes.Contains(line, []byte("NaN")) && !bytes.Contains(line, []byte("Infinity")) || len(line) > 1<<20 {
		return ""
	}
	found := ""
	repaired := make([]byte, 0, len(line))
	for i := 0; i < len(line); {
		if line[i] == '"' {
			end := min(jsonrpc.SkipString(line, i), len(line))
			repaired = append(repaired, line[i:end]...)
			i = end
			continue
		}
		word := ""
		for _, w := range [...]string{"NaN", "-Infinity", "Infinity"} {
			if bytes.HasPrefix(line[i:], []byte(w)) {
				word = w
				break
			}
		}
		if word == "" {
			repaired = append(repaired, line[i])
			i++
			continue
		}
		if found == "" {
			found = word
		}
		repaired = append(repaired, '0')
		i += len(word)
	}
	if found == "" || !jsonrpc.Valid(repaired) {
		return ""
	}
	return found
}

// encodingHint guesses which encoding it is instead.
func encodingHint(line []byte) string {
	nul := 0
	for _, c := range line {
		if c == 0 {
			nul++
		}
	}
	switch {
	case bytes.HasPrefix(line, []byte("\xFF\xFE")), bytes.HasPrefix(line, []byte("\xFE\xFF")), nul*3 > len(line):
		return ", looks like UTF-16, as Windows PowerShell writes it"
	case nul == 0:
		return ", looks like a one-byte or national code page (Latin-1, CP1252, CP949, …)"
	}
	return ""
}

// stripEscapes takes the escape sequences out of a line.
func stripEscapes(line []byte) []byte {
	out := make([]byte, 0, len(line))
	for i := 0; i < len(line); i++ {
		if line[i] != 0x1b || i+1 >= len(line) || line[i+1] != '[' {
			out = append(out, line[i])
			continue
		}
		for i += 2; i < len(line) && (line[i] < 0x40 || line[i] > 0x7e); i++ {
		}
	}
	return out
}
