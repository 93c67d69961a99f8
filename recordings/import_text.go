package recordings

import (
	"bytes"
	"time"

	"github.com/shakescope/shakescope/jsonrpc"
)

// textLog reads logs of lines of text with messages in them: what tee kept of a stream, messages behind
// arrows, and transcripts as people print them, where a message has several lines and a comment before it
// says who sent it.
type textLog struct {
	bare bool // every line is one that travelled

	said    sender  // by the comment before
	pending []byte  // of a message that runs over several lines
	first   logItem // where it begins
	pos     int64
	count   int
	balance balance
}

func (l *textLog) line(f *foreign, line []byte) {
	text := bytes.TrimSpace(line)
	if l.count > 0 {
		if !l.begins(text) {
			l.more(f, line)
			return
		}
		l.broken(f)
	}
	if len(text) == 0 {
		return
	}
	it := logItem{line: f.number}
	rest := text
	if t, n := stamp(text); n > 0 {
		it.at = t
		rest = bytes.TrimLeft(text[n:], " \t|")
	}
	start := valueStart(rest)
	if start < 0 {
		l.prose(f, it, line, rest)
		return
	}
	before := bytes.TrimSpace(rest[:start])
	it.from = direction(before)
	value := rest[start:]
	l.balance = balance{}
	end := l.balance.feed(value)
	if len(before) > 0 && it.from == unsaid && (end < 0 || !isMessage(value[:end])) || comments(before) {
		l.prose(f, it, line, rest)
		return
	}
	if it.from == unsaid {
		it.from = l.said
	}
	l.said = unsaid
	switch {
	case end >= 0 && len(bytes.TrimSpace(value[end:])) == 0:
		l.whole(f, it, line, value, start == 0 && it.at.IsZero())
	case end >= 0 && l.bare:
		l.raw(f, it, line)
	case end >= 0:
		l.whole(f, it, line, value[:end], false)
	default:
		l.first, l.pos, l.count = it, f.pos, 1
		l.pending = append(append(l.pending[:0], value...), '\n')
		if l.bare {
			l.pending = append(append(l.pending[:0], line...), '\n')
		}
	}
}

// whole puts a message that stands in one line.
func (l *textLog) whole(f *foreign, it logItem, line, value []byte, alone bool) {
	if alone && l.bare {
		l.raw(f, it, line)
		return
	}
	if !l.bare && it.from == unsaid && !isMessage(value) {
		f.unread(value, "JSON that is no message")
		return
	}
	l.put(f, it, value)
}

func (l *textLog) put(f *foreign, it logItem, value []byte) {
	if !jsonrpc.Valid(value) && (bytes.Contains(value, []byte("...")) || bytes.Contains(value, []byte("…"))) {
		it.truncated = true
	}
	f.message(it, value)
}

// raw puts a line as it stands.
func (l *textLog) raw(f *foreign, it logItem, line []byte) {
	it.eol = jsonrpc.LF
	if cut, ok := bytes.CutSuffix(line, []byte("\r")); ok {
		line, it.eol = cut, jsonrpc.CRLF
	}
	if f.open {
		it.partial, it.eol = true, jsonrpc.None
	}
	it.data = bytes.Clone(line)
	f.put(it)
}

// more takes in a further line of a message.
func (l *textLog) more(f *foreign, line []byte) {
	l.count++
	end := l.balance.feed(line)
	if end < 0 {
		l.pending = append(append(l.pending, line...), '\n')
		if len(l.pending) > maxMessage {
			l.broken(f)
		}
		return
	}
	l.count = 0
	value := onOneLine(nil, append(l.pending, line[:end]...))
	f.header.Imported.Reencoded = true
	if l.first.from == unsaid && !isMessage(value) {
		f.report(l.first.line, l.pos, f.pos+int64(len(line))-l.pos, "JSON that is no message")
		return
	}
	l.put(f, l.first, value)
}

// begins reports whether a line in the middle of a message can only be the start of the next thing, so that
// the message has no end.
func (l *textLog) begins(text []byte) bool {
	if l.balance.comment || len(text) == 0 {
		return false
	}
	if isMessage(text) && l.pending[0] == '{' && text[0] == '{' {
		return true
	}
	_, n := stamp(text)
	start := valueStart(text)
	if start > 0 && (n > 0 || direction(text[:start]) != unsaid) && !bytes.ContainsRune(text[:start], '"') {
		return true
	}
	if said, ok := remark(text); ok && start < 0 && !bytes.ContainsRune(text, '"') {
		from := direction(said)
		return from == fromClient || from == fromServer
	}
	return false
}

// broken deals with a message that has no end: a single line is what travelled, more are damage.
func (l *textLog) broken(f *foreign) {
	data := bytes.TrimSuffix(l.pending, []byte("\n"))
	switch {
	case l.count == 1 && l.bare:
		l.raw(f, l.first, data)
	case l.count == 1 && l.first.from != unsaid:
		l.put(f, l.first, data)
	default:
		f.report(l.first.line, l.pos, int64(len(data)), "a message that begins here has no end")
	}
	l.count = 0
}

// prose deals with a line that holds no message.
func (l *textLog) prose(f *foreign, it logItem, line, text []byte) {
	said, between := remark(text)
	if from := direction(said); between && from != unsaid || from == fromClient || from == fromServer {
		if !bytes.ContainsAny(said, "{[") {
			if rest := labelled(text); len(rest) > 0 && !l.bare && !between {
				it.from = from
				f.message(it, rest)
				return
			}
			l.said = from
			return
		}
	}
	if rest, from := behindArrow(text); !l.bare && len(rest) > 0 {
		it.from = from
		f.message(it, rest)
		return
	}
	if l.bare && !comments(text) {
		l.raw(f, it, line)
	}
}

func (l *textLog) end(f *foreign) {
	if l.count > 0 {
		l.broken(f)
	}
}

func comments(text []byte) bool {
	return bytes.HasPrefix(text, []byte("//")) || bytes.HasPrefix(text, []byte("#"))
}

// behindArrow returns what stands behind an arrow at the start of a line. A single > quotes, and says nothing.
func behindArrow(text []byte) ([]byte, sender) {
	for _, a := range [...]struct {
		arrow string
		from  sender
	}{{"-->", fromWriter}, {"<--", fromReader}, {"->", fromWriter}, {"<-", fromReader}, {"→", fromWriter}, {"←", fromReader}, {">>>", fromWriter}, {"<<<", fromReader}} {
		if rest, ok := bytes.CutPrefix(text, []byte(a.arrow)); ok {
			return bytes.TrimSpace(rest), a.from
		}
	}
	return nil, unsaid
}

// labelled returns what stands behind a label such as "C:", nil where that is a sentence.
func labelled(text []byte) []byte {
	for _, label := range [...]string{"C:", "S:", "c2s:", "s2c:"} {
		if rest, ok := bytes.CutPrefix(text, []byte(label)); ok {
			return bytes.TrimSpace(rest)
		}
	}
	return nil
}

// valueStart finds where JSON begins in a line, -1 where it does not: a { that is not in a string, or a [ that
// holds objects or nothing else in its line.
func valueStart(b []byte) int {
	for i, c := range b {
		if c == '{' {
			return i
		}
		if c != '[' {
			continue
		}
		rest := bytes.TrimLeft(b[i+1:], " \t")
		if len(rest) == 0 && i == 0 || len(rest) > 0 && rest[0] == '{' {
			return i
		}
	}
	return -1
}

// isMessage reports whether a value is a message, or has the form of one and breaks a rule.
func isMessage(value []byte) bool {
	if len(value) == 0 || value[0] != '{' && value[0] != '[' {
		return false
	}
	m := jsonrpc.Decode(value)
	switch m.Kind {
	case jsonrpc.Invalid:
		if !jsonrpc.Valid(value) {
			return bytes.Contains(value, []byte(`"jsonrpc"`))
		}
		_, ok := jsonrpc.Lookup(value, "jsonrpc")
		return ok || m.Method != "" && m.Params != nil
	case jsonrpc.Blank:
		return false
	case jsonrpc.Batch:
		return len(m.Members) > 0 && m.Members[0].Kind != jsonrpc.Invalid
	}
	return true
}

// hostLog reads the logs of hosts and SDKs that put each message behind words of their own: Claude Desktop,
// VS Code, and the logging transport of the Go SDK.
type hostLog struct {
	format Format
	at     time.Time // of the line before
}

// hostLine is a line of such a log, taken apart.
type hostLine struct {
	at      time.Time
	tags    [][]byte // what stood in brackets
	rest    []byte
	from    sender
	message bool // rest is one
}

func splitHostLine(line []byte) hostLine {
	var h hostLine
	h.rest = bytes.TrimRight(line, "\r")
	if t, n := stamp(h.rest); n > 0 {
		h.at = t
		h.rest = bytes.TrimLeft(h.rest[n:], " ")
		for len(h.tags) < 4 && len(h.rest) > 1 && h.rest[0] == '[' && h.rest[1] != '{' {
			end := bytes.IndexByte(h.rest, ']')
			if end < 0 {
				break
			}
			h.tags = append(h.tags, h.rest[1:end])
			h.rest = bytes.TrimLeft(h.rest[end+1:], " ")
		}
	}
	for _, words := range [...]struct {
		text string
		from sender
	}{{"Message from client: ", fromClient}, {"Message from server: ", fromServer}, {"read: ", fromReader}, {"write: ", fromWriter}} {
		if rest, ok := bytes.CutPrefix(h.rest, []byte(words.text)); ok {
			h.rest, h.from, h.message = rest, words.from, true
			return h
		}
	}
	for i := 1; i < len(h.tags); i++ {
		switch string(h.tags[i]) {
		case "editor -> server", "Client Says":
			h.from, h.message = fromClient, true
		case "server -> editor", "Server Says":
			h.from, h.message = fromServer, true
		}
	}
	return h
}

func (l *hostLog) line(f *foreign, line []byte) {
	h := splitHostLine(line)
	if h.at.IsZero() {
		h.at = l.at
	}
	l.at = h.at
	it := logItem{at: h.at, from: h.from}
	switch {
	case h.message:
		l.message(f, it, h.rest)
	case len(bytes.TrimSpace(h.rest)) == 0:
	case l.format == GoSDK:
		f.stderr(it, line)
	case len(h.tags) > 1 && string(h.tags[1]) == "server stderr":
		f.stderr(it, h.rest)
	case len(h.tags) == 0:
		f.stderr(it, h.rest)
	default:
		it.event = &Event{Name: "host_log", Reason: string(bytes.ToValidUTF8(h.rest, []byte("\ufffd")))}
		f.put(it)
	}
}

// message puts the first value of what stands behind the words: builds of Claude Desktop add more.
func (l *hostLog) message(f *foreign, it logItem, text []byte) {
	f.header.Imported.Reencoded = true
	var b balance
	end := -1
	if len(text) > 0 && (text[0] == '{' || text[0] == '[') {
		end = b.feed(text)
	}
	if end < 0 {
		end = len(bytes.TrimRight(text, " \r"))
		it.truncated = b.begun
	}
	f.message(it, text[:end])
}

func (l *hostLog) end(*foreign) {}
