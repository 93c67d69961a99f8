package annotate

import (
	"strings"

	"github.com/shakescope/shakescope/internal/mcpspec"
	"github.com/shakescope/shakescope/jsonrpc"
	"github.com/shakescope/shakescope/recordings"
)

// Rules about bytes and lines, before any meaning.
var framingRules = []Rule{
	{
		ID: "stdout-not-json", Group: GroupFraming, Levels: []Level{LevelError}, Revisions: mcpspec.All, By: "server",
		Spec:  "2025-11-25/basic/transports#stdio",
		Title: "The server wrote a line to stdout that is not JSON.",
		Why:   "Stdout carries the protocol and nothing else. Some clients skip such a line, others drop the connection or cannot read the message after it.",
		Fix:   "Send banners, logs and debug output to stderr. If a package runner or a library prints the line, start the server directly or silence it.",
		hooks: []hook{on(onInvalid, stdoutNotJSON)},
	},
}

func stdoutNotJSON(v *view) {
	e := v.Entry
	// A line that the end of the stream cut short is no stray line.
	if e.Stream != recordings.Stdout || e.Reason != jsonrpc.NotJSON || e.Partial || e.Sub != NoSub {
		return
	}
	own, _ := v.sent()
	message := "not JSON on stdout: " + excerpt(e.Raw)
	if hint := strayHint(e.Raw); hint != "" {
		message += " (" + hint + ")"
	}
	v.reportOn(own.badSince.String(), Finding{Message: message})
}

// strayHint guesses who prints such a line, "" when nothing gives it away.
func strayHint(line []byte) string {
	s := strings.TrimSpace(string(line[:min(len(line), 400)]))
	lower := strings.ToLower(s)
	switch {
	case strings.HasPrefix(lower, "content-length:"):
		return "header framing of language servers; on MCP stdio every line is one message"
	case strings.HasPrefix(s, "\uFEFF"):
		return "begins with a byte order mark"
	case strings.HasPrefix(s, "> ") && strings.Contains(s, "@"), strings.HasPrefix(lower, "yarn run v"), strings.HasPrefix(lower, "$ "):
		return "looks like the header of a package runner"
	case strings.HasPrefix(lower, "npm "), strings.HasPrefix(lower, "added ") && strings.Contains(lower, " package"):
		return "looks like npm"
	case strings.Contains(lower, "dotenv"), strings.Contains(lower, ".env") && strings.Contains(lower, "tip:"):
		return "looks like dotenv"
	case strings.HasPrefix(s, "Traceback "), strings.HasPrefix(s, "panic:"), strings.HasPrefix(s, "goroutine "), strings.HasPrefix(s, "at ") && strings.Contains(s, ":"):
		return "looks like a stack trace"
	case strings.HasPrefix(s, "\x1b["):
		return "coloured terminal output"
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
