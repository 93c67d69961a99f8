package export

import (
	"encoding/binary"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/shakescope/shakescope/annotate"
	"github.com/shakescope/shakescope/jsonrpc"
	"github.com/shakescope/shakescope/recordings"
)

// Numbers of the pcapng format (draft-ietf-opsawg-pcapng) and of Wireshark's exported PDUs.
const (
	blockSection   = 0x0a0d0d0a
	blockInterface = 1
	blockPacket    = 6
	byteOrderMagic = 0x1a2b3c4d

	linkUpperPDU = 252 // LINKTYPE_WIRESHARK_UPPER_PDU: the packet names its dissector

	optEnd        = 0
	optComment    = 1
	optName       = 2 // of an interface; flags of a packet
	optAbout      = 3 // of an interface
	optWriter     = 4 // of a section
	optPacketID   = 5
	optResolution = 9

	tagDissector  = 12
	tagSource     = 20
	tagTarget     = 21
	tagPortType   = 24
	tagSourcePort = 25
	tagTargetPort = 26
	tagProtocol   = 33
	tagDirection  = 35
	tagInfo       = 36
)

// A reader refuses the whole file for one packet with more captured bytes, and an option's length has 16 bits.
const (
	longestPacket  = 262_144
	longestComment = 60_000
)

// interfaces of the capture, by their number.
var interfaces = []struct {
	stream recordings.Stream
	name   string
	about  string
}{
	{recordings.Stdin, "stdin", "client to server"},
	{recordings.Stdout, "stdout", "server to client"},
	{recordings.Stderr, "stderr", "standard error of the server"},
	{recordings.Control, "control", "what happened to the process"},
}

// pcapng writes a capture for Wireshark: a packet an entry, with the annotations as comments. A batch is one packet
// with the comments of its members.
type pcapng struct {
	w     io.Writer
	o     Options
	start time.Time
	buf   []byte
	held  packet // written when the next entry shows that nothing belongs to it any more
	data  []byte // of the held packet
}

type packet struct {
	seq      int64
	t        time.Time
	iface    uint32
	size     int64
	comments []string
	used     bool
}

func newPcapng(w io.Writer, o Options) *pcapng { return &pcapng{w: w, o: o} }

func (p *pcapng) Begin(h *recordings.Header) error {
	p.start = h.Start
	if p.start.IsZero() {
		p.start = time.Unix(0, 0)
	}
	at := p.open(blockSection)
	p.u32(byteOrderMagic)
	p.u16(1)
	p.u16(0)
	p.buf = binary.LittleEndian.AppendUint64(p.buf, ^uint64(0)) // length of the section: not said
	var about []string
	if c := commandLine(h); c != "" {
		about = append(about, "MCP server: "+c)
	}
	if h.Label != "" {
		about = append(about, "label: "+h.Label)
	}
	if !h.Start.IsZero() {
		about = append(about, "started: "+h.Start.UTC().Format(time.RFC3339Nano))
	} else if h.Imported != nil && h.Imported.NoTime {
		about = append(about, "the recording has no times")
	} else {
		about = append(about, "the recording does not say when it started: times count from 1970")
	}
	if len(about) > 0 {
		p.text(optComment, strings.Join(about, "\n"))
	}
	p.text(optWriter, "shakescope "+p.o.Version)
	p.close(at)
	for i := range interfaces {
		at := p.open(blockInterface)
		p.u16(linkUpperPDU)
		p.u16(0)
		p.u32(longestPacket)
		p.text(optName, interfaces[i].name)
		p.text(optAbout, interfaces[i].about)
		p.option(optResolution, []byte{9}) // nanoseconds
		p.close(at)
	}
	return p.flush()
}

func (p *pcapng) Entry(e *annotate.Entry) error {
	if e.Sub != annotate.NoSub && p.held.used && p.held.seq == e.Seq {
		for _, c := range comments(e) {
			p.held.comments = append(p.held.comments, fmt.Sprintf("[%d] %s", e.Sub, c))
		}
		return nil
	}
	if err := p.release(); err != nil {
		return err
	}
	p.held = packet{seq: e.Seq, t: p.start.Add(e.T), size: e.Size, comments: comments(e), used: true}
	for i := range interfaces {
		if interfaces[i].stream == e.Stream {
			p.held.iface = uint32(i)
		}
	}
	data := e.Raw
	if e.Stream == recordings.Control {
		data = []byte(e.Summary())
		p.held.size = int64(len(data))
	}
	p.tags(e)
	n := len(p.data)
	room := longestPacket - n
	if len(data) > room {
		p.held.comments = append(p.held.comments, fmt.Sprintf("truncated: %d of %d bytes are in this capture, all are in the recording", room, len(data)))
		data = data[:room]
	} else if e.Truncated {
		p.held.comments = append(p.held.comments, fmt.Sprintf("truncated: %d of %d bytes were recorded", len(data), e.Size))
	}
	p.held.size = max(p.held.size, int64(len(data))) + int64(n)
	p.data = append(p.data, data...)
	return nil
}

// comments are what is known of an entry beyond its bytes.
func comments(e *annotate.Entry) []string {
	var buf [256]byte
	b := buf[:0]
	word := func(name, value string) {
		if value == "" {
			return
		}
		if len(b) > 0 {
			b = append(b, ' ')
		}
		b = append(append(b, name...), '=')
		b = append(b, visible(value, ' ')...)
	}
	word("kind", string(e.Kind))
	word("phase", string(e.Phase))
	primitive := e.Primitive
	if primitive == "" {
		primitive = e.Group
	}
	word("primitive", primitive)
	for _, c := range e.Capability {
		word("capability", c.Side+":"+c.Path+"("+string(c.State)+")")
	}
	if len(e.Capability) == 0 && (isCall(e) || isAnswer(e)) {
		word("capability", "none")
	}
	word("revision", e.Revision)
	if !e.Pair.IsZero() {
		word("pair", refText(e.Pair))
	}
	word("state", string(e.State))
	if e.HasLatency {
		word("latency_ms", milliseconds(e.Latency))
	}
	word("reason", string(e.Reason))
	if v := e.Event; v != nil {
		word("event", v.Name)
		if v.Code != nil {
			word("code", strconv.Itoa(*v.Code))
		}
		word("signal", v.Signal)
		if reason := v.Reason; strings.ContainsAny(reason, " \t\r\n=\"") {
			word("reason", strconv.Quote(reason))
		} else {
			word("reason", reason)
		}
	}
	switch {
	case e.Partial && e.Sub == annotate.NoSub:
		word("eol", "none")
	case e.EOL == jsonrpc.CRLF:
		word("eol", "crlf")
	}
	out := append(make([]string, 0, 2+len(e.Findings)), string(b))
	if s := e.Summary(); s != "" && e.Stream != recordings.Stderr {
		out = append(out, visible(s, ' '))
	}
	for i := range e.Findings {
		f := &e.Findings[i]
		text := fmt.Sprintf("%s %s (by %s): %s", f.Level, f.Rule, f.By, f.Message)
		if f.Spec != "" {
			text += " - " + f.Spec
		}
		out = append(out, visible(text, ' '))
	}
	return out
}

// tags writes the tags that tell Wireshark what the packet is.
func (p *pcapng) tags(e *annotate.Entry) {
	p.data = p.data[:0]
	dissector := "data-text-lines"
	if isCall(e) || isAnswer(e) || e.Kind == annotate.Batch ||
		e.Kind == annotate.Invalid && e.Message != nil && e.Reason != jsonrpc.NotJSON && e.Reason != jsonrpc.NotUTF8 && jsonrpc.Valid(e.Raw) {
		dissector = "json"
	}
	p.tag(tagDissector, []byte(dissector))
	client, server := []byte{127, 0, 0, 1}, []byte{127, 0, 0, 2}
	port := 40_000 + uint32(e.Session)%20_000
	source, target, sourcePort, targetPort, direction := server, client, uint32(1), port, uint32(1)
	arrow := "<- #"
	if e.Stream == recordings.Stdin {
		source, target, sourcePort, targetPort, direction = client, server, port, 1, 0
		arrow = "-> #"
	}
	p.tag(tagSource, source)
	p.tag(tagTarget, target)
	p.tag(tagPortType, be32(2))
	p.tag(tagSourcePort, be32(sourcePort))
	p.tag(tagTargetPort, be32(targetPort))
	p.tag(tagProtocol, []byte("MCP"))
	p.tag(tagDirection, be32(direction))
	info, _ := cut(visible(arrow+strconv.FormatInt(e.Seq, 10)+" "+string(e.Kind)+" "+label(e), ' '), 200)
	p.tag(tagInfo, []byte(info))
	p.data = append(p.data, 0, 0, 0, 0)
}

func be32(n uint32) []byte { return binary.BigEndian.AppendUint32(nil, n) }

// tag appends one; its length counts the padding.
func (p *pcapng) tag(kind uint16, value []byte) {
	padded := (len(value) + 3) / 4 * 4
	p.data = binary.BigEndian.AppendUint16(p.data, kind)
	p.data = binary.BigEndian.AppendUint16(p.data, uint16(padded))
	p.data = append(p.data, value...)
	p.data = append(p.data, make([]byte, padded-len(value))...)
}

// release writes the held packet.
func (p *pcapng) release() error {
	h := &p.held
	if !h.used {
		return nil
	}
	h.used = false
	at := p.open(blockPacket)
	p.u32(h.iface)
	ns := uint64(h.t.UnixNano())
	p.u32(uint32(ns >> 32))
	p.u32(uint32(ns))
	p.u32(uint32(len(p.data)))
	p.u32(uint32(min(h.size, 1<<32-1)))
	p.buf = append(p.buf, p.data...)
	p.pad()
	for i, c := range h.comments {
		const most = 200 // a batch can have thousands of members
		if i == most {
			p.text(optComment, fmt.Sprintf("%d more annotations are left out", len(h.comments)-most))
			break
		}
		p.text(optComment, c)
	}
	direction := uint32(1) // inbound
	if interfaces[h.iface].stream == recordings.Stdin {
		direction = 2
	}
	p.option(optName, binary.LittleEndian.AppendUint32(nil, direction))
	p.option(optPacketID, binary.LittleEndian.AppendUint64(nil, uint64(h.seq)))
	p.close(at)
	return p.flush()
}

func (p *pcapng) End(*annotate.Recording) error { return p.release() }

// Patch does nothing: a packet that is written stays as it is.
func (p *pcapng) Patch(*annotate.Patch) error { return nil }

func (p *pcapng) Flush() error { return p.release() }

func (p *pcapng) open(kind uint32) int {
	at := len(p.buf)
	p.u32(kind)
	p.u32(0)
	return at
}

// close ends the options and the block that began at at.
func (p *pcapng) close(at int) {
	p.u16(optEnd)
	p.u16(0)
	size := uint32(len(p.buf) - at + 4)
	p.u32(size)
	binary.LittleEndian.PutUint32(p.buf[at+4:], size)
}

func (p *pcapng) u16(n uint16) { p.buf = binary.LittleEndian.AppendUint16(p.buf, n) }
func (p *pcapng) u32(n uint32) { p.buf = binary.LittleEndian.AppendUint32(p.buf, n) }

func (p *pcapng) pad() {
	for len(p.buf)%4 != 0 {
		p.buf = append(p.buf, 0)
	}
}

func (p *pcapng) option(code uint16, value []byte) {
	p.u16(code)
	p.u16(uint16(len(value)))
	p.buf = append(p.buf, value...)
	p.pad()
}

func (p *pcapng) text(code uint16, s string) {
	if !utf8.ValidString(s) {
		s = strings.ToValidUTF8(s, "\ufffd")
	}
	s, _ = cut(s, longestComment)
	p.option(code, []byte(s))
}

func (p *pcapng) flush() error {
	_, err := p.w.Write(p.buf)
	p.buf = p.buf[:0]
	return err
}
