package recordings

import (
	"bytes"
	"fmt"

	"github.com/shakescope/shakescope/jsonrpc"
)

// The foreign formats.
const (
	Lines         Format = "lines"          // messages, one a line
	Arrows        Format = "arrows"         // each behind an arrow or a label
	Transcript    Format = "transcript"     // as printed for people, over several lines
	Records       Format = "records"        // another recorder's JSON Lines
	MCPSpy        Format = "mcpspy"         // JSON Lines of MCPSpy
	Inspector     Format = "inspector"      // protocol export of the MCP Inspector
	Array         Format = "array"          // a JSON array of messages or entries
	ClaudeDesktop Format = "claude-desktop" // log of a server in Claude Desktop
	VSCode        Format = "vscode"         // output channel of a server in VS Code
	GoSDK         Format = "go-sdk"         // logging transport of the Go SDK
	Pcapng        Format = "pcapng"         // capture of messages, as export writes it
	Streams       Format = "streams"        // the bytes of each stream in a file of its own
)

// clues are what the first lines of a file say of its format.
type clues struct {
	format    Format
	first     string // what the first line that says something is, for people
	firstLine int
	lines     int // that may be messages of their own
	arrows    int // with a message behind an arrow
	remarks   int // that say who sends what follows
	opened    int // with the beginning of a message
}

// foreignLogOf finds out from the beginning of a file which foreign log it is. The error says what was found
// instead.
func foreignLogOf(start []byte) (Format, foreignLog, error) {
	start = bytes.TrimPrefix(start, byteOrderMark)
	if found := unreadable(start); found != "" {
		return "", nil, fmt.Errorf("%w: %s", ErrFormat, found)
	}
	if format := arrayFormat(bytes.TrimSpace(start)); format != "" {
		return format, new(arrayLog), nil
	}
	var c clues
	n := 0
	for line := range bytes.SplitSeq(start, []byte("\n")) {
		if n++; n > 4*sniffedLines || c.format != "" {
			break
		}
		c.look(n, bytes.TrimSpace(line))
	}
	switch {
	case c.format == Records || c.format == MCPSpy:
		return c.format, recordLog{}, nil
	case c.format != "":
		return c.format, &hostLog{format: c.format}, nil
	case c.remarks > 0 && (c.lines+c.opened+c.arrows > 0):
		return Transcript, &textLog{}, nil
	case c.arrows > 0:
		return Arrows, &textLog{}, nil
	case c.lines > 0:
		return Lines, &textLog{bare: true}, nil
	case c.opened > 0 && bytes.Contains(start, []byte(`"jsonrpc"`)):
		return Transcript, &textLog{}, nil
	case c.first != "":
		return "", nil, fmt.Errorf("%w: line %d is %s", ErrFormat, c.firstLine, c.first)
	}
	return "", nil, fmt.Errorf("%w: there is nothing in it", ErrFormat)
}

// look takes in one line.
func (c *clues) look(number int, line []byte) {
	if len(line) == 0 {
		return
	}
	if line[0] == '{' {
		if format := recordFormat(line); format != "" {
			c.format = format
			return
		}
	}
	if h := splitHostLine(line); len(h.tags) > 0 || h.message {
		switch {
		case h.message && len(h.tags) == 0:
			if isMessage(h.rest) {
				c.format = GoSDK
			}
		case len(h.tags) >= 2 && h.message && bytes.HasPrefix(h.tags[1], []byte("editor")) || len(h.tags) >= 2 && bytes.HasSuffix(h.tags[1], []byte("Says")) ||
			len(h.tags) >= 2 && string(h.tags[1]) == "server stderr" || len(h.tags) >= 2 && h.from == fromServer && string(h.tags[1]) == "server -> editor",
			len(h.tags) == 1 && bytes.HasPrefix(h.rest, []byte("Connection state: ")):
			c.format = VSCode
		case len(h.tags) >= 2 && (h.message || bytes.HasPrefix(h.rest, []byte("Initializing server")) || bytes.HasPrefix(h.rest, []byte("Server started"))):
			c.format = ClaudeDesktop
		}
		if c.format != "" {
			return
		}
	}
	if c.first == "" {
		c.firstLine, c.first = number, "text"
		switch {
		case line[0] == '{' && jsonrpc.Valid(line):
			c.first = "a JSON object that is neither a message nor an entry of a log that is known"
		case line[0] == '[' && jsonrpc.Valid(line):
			c.first = "a JSON array that holds no messages"
		case len(line) > 1 && bytes.ContainsRune(line, 0):
			c.first = "binary"
		}
	}
	rest := line
	if _, n := stamp(line); n > 0 {
		rest = bytes.TrimLeft(line[n:], " \t|")
	}
	start := valueStart(rest)
	if start < 0 {
		if said, _ := remark(rest); len(said) > 0 {
			if from := direction(said); from == fromClient || from == fromServer {
				c.remarks++
			}
		}
		return
	}
	value := rest[start:]
	before := bytes.TrimSpace(rest[:start])
	switch from := direction(before); {
	case len(before) == 0 && len(value) < len(line):
		if isMessage(value) {
			c.arrows++ // behind a time
		}
	case len(before) == 0 && (isMessage(value) || len(value) >= sniffed/2 && bytes.Contains(value[:200], []byte(`"jsonrpc"`))):
		c.lines++
	case len(before) == 0:
		if len(value) == 1 || !jsonrpc.Valid(value) {
			c.opened++
		}
	case from != unsaid && !comments(before):
		var b balance
		if end := b.feed(value); end < 0 || isMessage(value[:end]) {
			c.arrows++
		}
	}
}

// recordFormat says whose entry a line is.
func recordFormat(line []byte) Format {
	var e entry
	if isMessage(line) || e.parse(line) != nil {
		return ""
	}
	if _, ok := jsonrpc.Lookup(line, "transport_type"); ok && (e.link != "" || e.payload != nil) {
		return MCPSpy
	}
	said := e.from != unsaid || e.logItem.stderr || e.meta
	if said && (e.payload != nil || e.note != nil) {
		return Records
	}
	if e.payload != nil && isMessage(unquoted(e.payload)) {
		return Records
	}
	if _, ok := jsonrpc.Lookup(line, "sessionId"); ok && e.dated() && e.note != nil {
		return Records
	}
	return ""
}

func (e *entry) dated() bool { return e.timed || !e.at.IsZero() }

// arrayFormat says what an array at the start of a file holds, "" for a batch among lines.
func arrayFormat(start []byte) Format {
	if len(start) == 0 || start[0] != '[' {
		return ""
	}
	first := bytes.TrimLeft(start[1:], " \t\r\n")
	if len(first) == 0 || first[0] != '{' {
		return ""
	}
	var b balance
	end := b.feed(first)
	if end < 0 {
		return ""
	}
	object := onOneLine(nil, first[:end])
	if isMessage(object) {
		if bytes.IndexByte(start[:len(start)-len(first)+end], '\n') < 0 {
			return ""
		}
		return Array
	}
	if _, ok := jsonrpc.Lookup(object, "message"); ok {
		if direction, ok := jsonrpc.Lookup(object, "direction"); ok {
			switch text, _ := jsonrpc.Unquote(direction); text {
			case "request", "response", "notification":
				return Inspector
			}
		}
	}
	if recordFormat(object) != "" {
		return Array
	}
	return ""
}

// unreadable says what a file is that holds no messages that can be taken out, "" when it does not tell.
func unreadable(start []byte) string {
	text := bytes.TrimLeft(start, " \t\r\n")
	switch {
	case bytes.HasPrefix(start, []byte("\xff\xfe")), bytes.HasPrefix(start, []byte("\xfe\xff")):
		return "text in UTF-16, as some shells write; save it as UTF-8"
	case bytes.HasPrefix(start, []byte("SQLite format 3\x00")):
		return "an SQLite database"
	case bytes.HasPrefix(start, []byte("\xd4\xc3\xb2\xa1")), bytes.HasPrefix(start, []byte("\xa1\xb2\xc3\xd4")), bytes.HasPrefix(start, []byte("\x4d\x3c\xb2\xa1")), bytes.HasPrefix(start, []byte("\xa1\xb2\x3c\x4d")):
		return "a capture (pcap) of network traffic, which holds no messages of stdio"
	case len(text) > 15 && bytes.EqualFold(text[:15], []byte("Content-Length:")):
		return "line 1 is a Content-Length header, the framing of the Language Server Protocol; over MCP's stdio a message is one line. Without the headers, one message a line, it can be read"
	case len(text) > 0 && text[0] == '{':
		head := text[:min(len(text), 4096)]
		switch {
		case bytes.Contains(head, []byte(`"resourceSpans"`)) || bytes.Contains(head, []byte(`"resourceLogs"`)):
			return "OpenTelemetry data, which holds no messages"
		case bytes.Contains(head, []byte(`"log"`)) && bytes.Contains(head, []byte(`"creator"`)) && bytes.Contains(head, []byte(`"entries"`)):
			return "an HTTP archive (HAR); only what travels over stdio can be read"
		}
	}
	return ""
}
