package recordings

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/shakescope/shakescope/jsonrpc"
)

// slow reads a record whatever the order of its members and whatever else stands in it.
func (p *parser) slow(n *nativeLine, line []byte) error {
	n.eol = jsonrpc.LF
	m := members{line: n, p: p}
	if err := eachMember(line, m.member); err != nil {
		return err
	}
	return m.finish()
}

// eachMember calls f with the members of the object that line must be, exactly. Values are slices
// of the line.
func eachMember(line []byte, f func(name string, value []byte) error) error {
	d := jsontext.NewDecoder(bytes.NewBuffer(line), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	if d.PeekKind() != '{' {
		return errLine
	}
	if _, err := d.ReadToken(); err != nil {
		return errLine
	}
	for d.PeekKind() == '"' {
		token, err := d.ReadToken()
		if err != nil {
			return fmt.Errorf("%w: %w", errLine, err)
		}
		name := token.String()
		value, err := d.ReadValue()
		if err != nil {
			return fmt.Errorf("%w: %w", errLine, err)
		}
		if err := f(name, value); err != nil {
			return fmt.Errorf("member %.40q: %w", name, err)
		}
	}
	if _, err := d.ReadToken(); err != nil {
		return fmt.Errorf("%w: %w", errLine, err)
	}
	if rest := line[d.InputOffset():]; len(bytes.TrimSpace(rest)) > 0 {
		return fmt.Errorf("%w: more follows it", errLine)
	}
	return nil
}

// members gathers the members of one record.
type members struct {
	line              *nativeLine
	p                 *parser
	seq, t, t0, part  bool // seen
	payload           bool
	id, method, error bool
}

func (m *members) member(name string, value []byte) (err error) {
	n := m.line
	switch name {
	case "shakescope":
		n.kind = headerLine
	case "seq":
		m.seq = true
		n.seq, err = integer(value)
	case "t":
		m.t = true
		n.t, err = nanoseconds(value)
	case "t0":
		m.t0 = true
		n.t0, err = nanoseconds(value)
	case "part":
		m.part = true
		var part int64
		part, err = integer(value)
		n.parts = int(part)
	case "s":
		n.stream, err = streamOf(value)
	case "eol":
		n.eol, err = eolOf(value)
	case "partial":
		n.partial = string(value) == "true"
	case "truncated":
		n.cut = string(value) == "true"
	case "size":
		n.size, err = integer(value)
	case "withheld":
		why, _ := jsonrpc.Unquote(value)
		n.withheld = withheld([]byte(why))
	case "id":
		m.id = true
		n.head.id = bytes.Clone(value)
	case "method":
		var method string
		m.method = true
		err = json.Unmarshal(value, &method)
		n.head.method = []byte(method)
	case "error":
		m.error = string(value) == "true"
	case "msg":
		m.payload = true
		n.data, n.verbatim = append(m.p.text[:0], value...), true
		m.p.text = n.data
	case "text":
		m.payload = true
		var ok bool
		if value[0] != '"' {
			return errLine
		}
		m.p.text, ok = appendUnescaped(m.p.text[:0], value[1:len(value)-1])
		n.data, n.verbatim = m.p.text, false
		if !ok {
			return errLine
		}
	case "b64":
		m.payload = true
		if value[0] != '"' {
			return errLine
		}
		text, _ := appendUnescaped(nil, value[1:len(value)-1])
		m.p.text, err = base64.StdEncoding.AppendDecode(m.p.text[:0], text)
		n.data, n.verbatim = m.p.text, false
	case "event":
		n.kind, n.event = eventLine, new(Event)
		err = json.Unmarshal(value, n.event)
	case "gap":
		n.kind, n.gap = gapLine, new(Gap)
		err = json.Unmarshal(value, n.gap)
	case "end":
		n.kind, n.end = endLine, new(End)
		err = json.Unmarshal(value, n.end)
	case "context":
		n.kind = contextLine
		n.context, err = parseContext(value)
	case "next":
		n.kind = nextLine
		err = json.Unmarshal(value, &n.next)
	}
	return err
}

// finish says of what kind the record is, and whether it has what that needs.
func (m *members) finish() error {
	n := m.line
	if n.kind == unknownLine && m.payload {
		n.kind = frameLine
		if m.part && !m.seq {
			n.kind = partLine
		}
	}
	if !m.t0 {
		n.t0 = n.t
	}
	if n.partial {
		n.eol = jsonrpc.None
	}
	switch {
	case m.error:
		n.head.kind = jsonrpc.Error
	case m.id && m.method:
		n.head.kind = jsonrpc.Request
	case m.method:
		n.head.kind = jsonrpc.Notification
	case m.id:
		n.head.kind = jsonrpc.Response
	}
	switch n.kind {
	case frameLine, partLine:
		if n.stream == Control || !m.t || !m.seq && !m.part {
			return fmt.Errorf("%w: a member is missing", errLine)
		}
	case eventLine, gapLine:
		if !m.seq {
			return fmt.Errorf("%w: it has no seq", errLine)
		}
	}
	if n.kind != partLine && m.seq && n.seq < 1 || n.parts < 0 {
		return fmt.Errorf("%w: a number out of range", errLine)
	}
	return nil
}

// parseContext reads what a context record says. It owns all of it.
func parseContext(value []byte) (*Context, error) {
	var raw struct {
		Before  Before            `json:"before"`
		LeftOut int               `json:"left_out"`
		Frames  []json.RawMessage `json:"frames"`
	}
	if err := json.Unmarshal(value, &raw); err != nil {
		return nil, err
	}
	c := &Context{Before: raw.Before, LeftOut: raw.LeftOut}
	for _, frame := range raw.Frames {
		// A parser of its own for each, whose buffer is the frame's.
		var p parser
		var n nativeLine
		if err := p.parse(&n, frame, true); err != nil {
			return nil, err
		}
		if n.kind != frameLine {
			return nil, fmt.Errorf("%w: no frame in a context", errLine)
		}
		c.Frames = append(c.Frames, Record{
			Kind: FrameRecord, Seq: n.seq, T: n.t, T0: n.t0, Stream: n.stream, Data: n.data, EOL: n.eol, Size: int64(len(n.data)), head: n.head,
		})
	}
	return c, nil
}

func integer(value []byte) (int64, error) {
	return strconv.ParseInt(string(value), 10, 64)
}

func nanoseconds(value []byte) (time.Duration, error) {
	n, err := integer(value)
	return time.Duration(n), err
}

func streamOf(value []byte) (Stream, error) {
	name, _ := jsonrpc.Unquote(value)
	for s := Stdin; s <= Stderr; s++ {
		if streamNames[s] == name {
			return s, nil
		}
	}
	return Control, fmt.Errorf("no stream %s", value)
}

func eolOf(value []byte) (jsonrpc.EOL, error) {
	text, ok := jsonrpc.Unquote(value)
	switch eol := jsonrpc.EOL(text); eol {
	case jsonrpc.LF, jsonrpc.CRLF, jsonrpc.None:
		if ok {
			return eol, nil
		}
	}
	return jsonrpc.None, fmt.Errorf("no line end %s", value)
}

// parseHeader reads the header line.
func parseHeader(line []byte) (*Header, error) {
	var version struct {
		Format json.Number `json:"shakescope"`
	}
	if err := json.Unmarshal(line, &version); err != nil {
		return nil, fmt.Errorf("reading the header: %w", err)
	}
	if n, err := version.Format.Int64(); err != nil || n != formatVersion {
		return nil, fmt.Errorf("%w: version %s, this program reads version %d", ErrVersion, version.Format, formatVersion)
	}
	h := new(Header)
	if err := json.Unmarshal(line, h); err != nil {
		return nil, fmt.Errorf("reading the header: %w", err)
	}
	return h, nil
}
