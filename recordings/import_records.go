package recordings

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/shakescope/shakescope/jsonrpc"
)

// recordLog reads the JSON Lines of other recorders: an object a line, with a message in one member and when
// and by whom it was sent in others.
type recordLog struct{}

func (recordLog) line(f *foreign, line []byte) {
	if line = bytes.TrimSpace(line); len(line) == 0 {
		return
	}
	putEntry(f, logItem{}, line)
}

func (recordLog) end(*foreign) {}

// entry is an object of another recorder's log.
type entry struct {
	logItem
	payload  []byte // raw JSON: a message, or a string that is one
	response []byte // folded into the entry of its request
	answered time.Duration
	method   []byte
	note     []byte // text that is no message
	meta     bool
}

// payloadNames are the members that hold a message, the most exact first.
var payloadNames = [...]string{"raw", "message", "msg", "payload", "frame", "data", "body", "rpc", "json", "content", "line"}

func (e *entry) parse(object []byte) error {
	rank := len(payloadNames)
	return eachMember(object, func(name string, value []byte) error {
		switch name {
		case "direction", "dir", "from", "sender", "origin", "source", "side", "stream":
			text, _ := jsonrpc.Unquote(value)
			switch strings.NewReplacer("_", "", "-", "", " ", "", ">", "").Replace(strings.ToLower(text)) {
			case "c2s", "client", "clienttoserver", "client2server", "stdin", "clientserver", "toserver", "host":
				e.from = fromClient
			case "s2c", "server", "servertoclient", "server2client", "stdout", "serverclient", "toclient":
				e.from = fromServer
			case "out", "outgoing", "outbound", "send", "sent", "write", "tx":
				e.from = fromWriter
			case "in", "incoming", "inbound", "recv", "received", "receive", "read", "rx":
				e.from = fromReader
			case "stderr", "err":
				e.logItem.stderr = true
			case "meta":
				e.meta = true
			}
		case "ts", "timestamp", "time", "at", "datetime", "date":
			e.at = moment(value)
		case "t_ms", "elapsed_ms", "offset_ms":
			var ms float64
			if json.Unmarshal(value, &ms) == nil && ms >= 0 && ms < 1e12 {
				e.after, e.timed = time.Duration(ms*float64(time.Millisecond)), true
			}
		case "text":
			e.note = value
		case "debug", "error":
			if value[0] == '"' {
				e.note = value
			}
		case "truncated":
			e.truncated = string(value) == "true"
		case "response":
			e.response = value
		case "duration", "durationMs", "duration_ms":
			var ms float64
			if json.Unmarshal(value, &ms) == nil && ms >= 0 && ms < 1e12 {
				e.answered = time.Duration(ms * float64(time.Millisecond))
			}
		case "stdio_transport":
			e.process(value)
		case "method":
			e.method = value
		}
		for i, known := range payloadNames[:rank] {
			if name == known {
				e.payload, rank = value, i
			}
		}
		return nil
	})
}

// process reads which process sent a message to which. The pair has one client, who is told by what it sends.
func (e *entry) process(value []byte) {
	var pids struct {
		From int64 `json:"from_pid"`
		To   int64 `json:"to_pid"`
	}
	if json.Unmarshal(value, &pids) != nil {
		return
	}
	e.link = fmt.Sprintf("%d-%d", min(pids.From, pids.To), max(pids.From, pids.To))
	e.from = fromWriter
	if pids.From > pids.To {
		e.from = fromReader
	}
}

// putEntry puts what an entry says. It keeps the line of it where that is set.
func putEntry(f *foreign, it logItem, object []byte) {
	e := entry{logItem: it}
	if object[0] != '{' {
		f.unread(object, "not an object")
		return
	}
	if isMessage(object) {
		f.header.Imported.Reencoded = true
		f.message(it, object)
		return
	}
	if err := e.parse(object); err != nil {
		f.unread(object, "%s", err)
		return
	}
	it = e.logItem
	it.stderr = false
	switch {
	case e.meta:
		describe(f.header, e.payload)
	case e.logItem.stderr:
		text := e.note
		if text == nil {
			text = e.payload
		}
		f.stderr(it, unquoted(text))
	case e.payload != nil:
		e.message(f, it)
	case e.note != nil:
		text := unquoted(e.note)
		if start := valueStart(text); start >= 0 {
			var b balance
			if end := b.feed(text[start:]); end > 0 && isMessage(text[start:][:end]) {
				it.from = direction(text[:start])
				f.message(it, text[start:][:end])
				return
			}
		}
		if it.from == fromClient || it.from == fromServer || it.from == fromWriter || it.from == fromReader {
			f.message(it, text)
			return
		}
		it.event = &Event{Name: "host_log", Reason: string(bytes.ToValidUTF8(text, []byte("\ufffd")))}
		f.put(it)
	default:
		f.unread(object, "an entry without a message")
	}
}

func (e *entry) message(f *foreign, it logItem) {
	data := e.payload
	if data[0] == '"' {
		data = unquoted(data)
	} else {
		f.header.Imported.Reencoded = true
	}
	if len(data) == 0 {
		return
	}
	if it.from == unsaid && !isMessage(data) {
		it.event = &Event{Name: "host_log", Reason: string(bytes.ToValidUTF8(data, []byte("\ufffd")))}
		f.put(it)
		return
	}
	f.message(it, data)
	if len(e.response) > 0 && e.response[0] == '{' {
		answer := it
		answer.from = it.from.other()
		if !it.at.IsZero() {
			answer.at = it.at.Add(e.answered)
		}
		f.message(answer, e.response)
	}
}

// describe takes what a recorder says of the run.
func describe(h *Header, meta []byte) {
	var m struct {
		Command any    `json:"command"`
		Args    any    `json:"args"`
		Dir     string `json:"cwd"`
	}
	if json.Unmarshal(meta, &m) != nil {
		return
	}
	h.Dir = m.Dir
	h.Command = nil
	for _, words := range [...]any{m.Command, m.Args} {
		switch words := words.(type) {
		case string:
			h.Command = append(h.Command, words)
		case []any:
			for _, w := range words {
				if text, ok := w.(string); ok {
					h.Command = append(h.Command, text)
				}
			}
		}
	}
}

// unquoted returns the text of a JSON string, and other values as they are.
func unquoted(value []byte) []byte {
	if len(value) < 2 || value[0] != '"' {
		return value
	}
	text, ok := appendUnescaped(nil, value[1:len(value)-1])
	if !ok {
		return value
	}
	return text
}
