package recordings

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"strconv"
	"strings"

	"github.com/shakescope/shakescope/jsonrpc"
)

// Tags of Wireshark's exported PDUs.
const (
	pduEnd       = 0
	pduDissector = 12
	pduDirection = 35
)

// pdu is a packet of a capture.
type pdu struct {
	iface     *captureInterface
	data      []byte
	size      int64 // before it was cut
	from      sender
	dissector string
	id        int64
	words     map[string]string // of our first comment
	reason    string            // of an event, where it has several words
	about     string            // our second: the summary
}

// option returns what takes in the options of a packet.
func (p *pdu) option(order binary.ByteOrder) func(uint16, []byte) {
	comments := 0
	return func(code uint16, value []byte) {
		switch {
		case code == 1:
			switch comments++; {
			case comments == 1 && bytes.HasPrefix(value, []byte("kind=")):
				p.words = map[string]string{}
				const quoted = ` reason="`
				if head, tail, ok := bytes.Cut(value, []byte(quoted)); ok {
					p.reason, _ = strconv.Unquote(`"` + string(tail))
					value = head
				}
				for word := range strings.FieldsSeq(string(value)) {
					name, value, _ := strings.Cut(word, "=")
					p.words[name] = value
				}
			case comments == 2:
				p.about = string(value)
			}
		case code == 2 && len(value) == 4:
			switch order.Uint32(value) & 3 {
			case 1:
				p.from = fromServer
			case 2:
				p.from = fromClient
			}
		case code == 5 && len(value) == 8:
			p.id = int64(order.Uint64(value))
		}
	}
}

// strip takes the tags off. It says why the packet is no message.
func (p *pdu) strip() string {
	for b := p.data; ; {
		if len(b) < 4 {
			return "a packet whose tags have no end"
		}
		tag, n := binary.BigEndian.Uint16(b), int(binary.BigEndian.Uint16(b[2:]))
		if b = b[4:]; n > len(b) {
			return fmt.Sprintf("a tag of %d bytes where %d are left", n, len(b))
		}
		switch {
		case tag == pduEnd:
			p.size = max(p.size-int64(len(p.data)-len(b)), int64(len(b)))
			p.data = b
			switch p.dissector {
			case "", "json", "data-text-lines", "text":
				return ""
			}
			return fmt.Sprintf("a packet for the dissector %q is no message", p.dissector)
		case tag == pduDissector:
			p.dissector = string(bytes.TrimRight(b[:n], "\x00"))
		case tag == pduDirection && n == 4 && p.from == unsaid:
			p.from = fromClient
			if binary.BigEndian.Uint32(b) == 1 {
				p.from = fromServer
			}
		}
		b = b[n:]
	}
}

// put makes records of a packet: one, unless somebody else put several lines into it.
func (c *capture) put(p *pdu) {
	if c.seq++; p.id > c.seq {
		c.seq = p.id
	}
	rec := Record{Kind: FrameRecord, Seq: c.seq, T: c.t, T0: c.t, EOL: jsonrpc.LF}
	switch {
	case p.iface.named && p.iface.stream == Control:
		c.happened(&rec, p)
		return
	case p.iface.named:
		rec.Stream = p.iface.stream
	}
	data := p.data
	if p.words == nil {
		data = bytes.TrimRight(data, "\r\n")
	}
	cut := int64(len(p.data)) < p.size
	first := len(c.queue)
	for line := range bytes.SplitSeq(data, []byte("\n")) {
		rec.Data = bytes.Clone(line)
		rec.Size = int64(len(line))
		c.queue = append(c.queue, rec)
		c.seq, rec.Seq = rec.Seq, rec.Seq+1
	}
	last := &c.queue[len(c.queue)-1]
	switch p.words["eol"] {
	case "crlf":
		last.EOL = jsonrpc.CRLF
	case "none":
		last.EOL, last.Partial = jsonrpc.None, true
	}
	if cut {
		c.header.Imported.Truncated = true
		last.Truncated, last.Size = true, p.size-int64(len(p.data)-len(last.Data))
	}
	for i := range c.queue[first:] {
		if r := &c.queue[first+i]; !p.iface.named {
			if r.Stream = Stdin; c.senders.of(r.Data, p.from) == fromServer {
				r.Stream = Stdout
			}
		}
	}
}

// happened makes the record of an event or a gap, as far as the comments tell.
func (c *capture) happened(rec *Record, p *pdu) {
	rec.Stream = Control
	if p.words["kind"] == "gap" {
		rec.Kind, rec.Gap = GapRecord, &Gap{Reason: p.about, From: c.t, To: c.t}
		c.queue = append(c.queue, *rec)
		return
	}
	e := &Event{Name: p.words["event"], Signal: p.words["signal"], Reason: cmp.Or(p.words["reason"], p.reason)}
	if e.Name == "" {
		e.Name, e.Reason = "host_log", string(bytes.ToValidUTF8(p.data, []byte("\ufffd")))
	}
	if code, err := strconv.Atoi(p.words["code"]); err == nil {
		e.Code = &code
	}
	rec.Kind, rec.Event = EventRecord, e
	c.queue = append(c.queue, *rec)
}
