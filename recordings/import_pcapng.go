package recordings

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"time"
)

// Numbers of the pcapng format (draft-ietf-opsawg-pcapng).
const (
	pcapngSection   = 0x0a0d0d0a
	pcapngInterface = 1
	pcapngOldPacket = 2
	pcapngSimple    = 3
	pcapngPacket    = 6
	pcapngMagic     = 0x1a2b3c4d

	linkUpperPDU = 252 // Wireshark's exported PDUs: tags that say what the packet is stand before it
)

// Bounds of a capture.
const (
	maxCaptureBlock = 64 << 20
	maxInterfaces   = 4096
)

var pcapngStart = []byte("\x0a\x0d\x0d\x0a")

// capture is the source of a pcapng file whose packets are messages: ours, or others' of the same link type.
type capture struct {
	in     *bufio.Reader
	order  binary.ByteOrder // of the section
	header *Header
	damage []Damage

	block, at  int64 // number of the block that is read, from 1, and where it stands
	interfaces []captureInterface
	buf        []byte
	queue      []Record
	held       int64 // bytes of the blocks that were read before the header was given out
	senders    senders
	ours       bool // the section was written by shakescope
	timed      bool // the header has its start
	seq        int64
	t          time.Duration
	over       bool
}

type captureInterface struct {
	link   uint16
	stream Stream
	named  bool // the name says the stream
	unit   func(uint64) (seconds int64, nanos int64)
	offset int64 // seconds
	told   bool  // that its packets are none of ours
}

func newCapture(src io.Reader, name string) (*capture, error) {
	c := &capture{in: bufio.NewReaderSize(src, 64<<10), header: &Header{Format: formatVersion, Imported: &Imported{Format: string(Pcapng), Source: name}}}
	for c.held < primed && !c.over {
		c.read()
		c.held += int64(len(c.buf))
	}
	if len(c.queue) > 0 {
		return c, nil
	}
	if n := len(c.interfaces); n > 0 && !slices.ContainsFunc(c.interfaces, func(i captureInterface) bool { return i.link == linkUpperPDU }) {
		return nil, fmt.Errorf("%w: a capture (pcapng) of link type %d; only captures of messages (link type %d), as shakescope exports them, can be read", ErrFormat, c.interfaces[0].link, linkUpperPDU)
	}
	if len(c.damage) > 0 {
		return nil, fmt.Errorf("%w: a capture (pcapng) without messages: %s", ErrFormat, c.damage[0].Reason)
	}
	return c, nil
}

func (c *capture) about() (*Header, []Damage, int64) { return c.header, c.damage, 0 }

func (c *capture) next(rec *Record) error {
	for len(c.queue) == 0 {
		if c.over {
			return io.EOF
		}
		c.read()
	}
	*rec = c.queue[0]
	c.queue = c.queue[1:]
	return nil
}

func (c *capture) report(n int64, format string, args ...any) {
	if len(c.damage) < maxDamage {
		c.damage = append(c.damage, Damage{Offset: c.at, Bytes: n, Reason: fmt.Sprintf("block %d at byte %d: ", c.block, c.at) + fmt.Sprintf(format, args...)})
	}
}

// stop reports what cannot be stepped over: where the next block begins is not known.
func (c *capture) stop(format string, args ...any) {
	c.report(0, format+"; what follows was left out", args...)
	c.over = true
}

// read takes in the next block.
func (c *capture) read() {
	c.at += int64(len(c.buf))
	c.block++
	c.buf = c.buf[:0]
	head, err := c.in.Peek(12)
	if err != nil {
		if c.over = true; len(head) > 0 || err != io.EOF {
			c.stop("%s", cutOff(err))
		}
		return
	}
	if bytes.HasPrefix(head, pcapngStart) {
		switch {
		case binary.LittleEndian.Uint32(head[8:]) == pcapngMagic:
			c.order = binary.LittleEndian
		case binary.BigEndian.Uint32(head[8:]) == pcapngMagic:
			c.order = binary.BigEndian
		default:
			c.stop("a section without its byte-order magic")
			return
		}
	}
	size := c.order.Uint32(head[4:])
	if size < 12 || size%4 != 0 || size > maxCaptureBlock {
		c.stop("it says that it is %d bytes long; blocks have 12 bytes at least, %d MiB at most, and end at multiples of 4", size, maxCaptureBlock>>20)
		return
	}
	// Grown as the bytes come: what a block says of its length costs nothing by itself.
	for len(c.buf) < int(size) {
		from := len(c.buf)
		c.buf = append(c.buf, make([]byte, min(int(size)-from, 1<<20))...)
		n, err := io.ReadFull(c.in, c.buf[from:])
		if err != nil {
			c.buf = c.buf[:from+n]
			c.stop("%s after %d of %d bytes", cutOff(err), len(c.buf), size)
			return
		}
	}
	if end := c.order.Uint32(c.buf[size-4:]); end != size {
		c.report(int64(size), "its two lengths differ: %d and %d", size, end)
	}
	kind, body := c.order.Uint32(c.buf), c.buf[8:size-4]
	switch kind {
	case pcapngSection:
		c.section(body)
	case pcapngInterface:
		c.iface(body)
	case pcapngPacket:
		c.enhanced(body)
	case pcapngOldPacket:
		if len(body) >= 20 {
			c.packet(int(c.order.Uint16(body)), uint64(c.order.Uint32(body[4:]))<<32|uint64(c.order.Uint32(body[8:])), true, c.order.Uint32(body[12:]), c.order.Uint32(body[16:]), body[20:])
			return
		}
		c.report(int64(size), "a packet without its head")
	case pcapngSimple:
		if len(body) >= 4 {
			size := c.order.Uint32(body)
			c.packet(0, 0, false, min(size, uint32(len(body)-4)), size, body[4:])
			return
		}
		c.report(int64(size), "a packet without its head")
	}
}

func cutOff(err error) string {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return "the file ends"
	}
	return err.Error()
}

// options hands the options of a block to each.
func (c *capture) options(b []byte, each func(code uint16, value []byte)) {
	for len(b) >= 4 {
		code, n := c.order.Uint16(b), int(c.order.Uint16(b[2:]))
		if code == 0 {
			return
		}
		if b = b[4:]; n > len(b) {
			c.report(int64(len(b)), "an option of %d bytes where %d are left", n, len(b))
			return
		}
		each(code, b[:n])
		b = b[min((n+3)/4*4, len(b)):]
	}
}

// section begins another numbering of interfaces.
func (c *capture) section(body []byte) {
	c.interfaces, c.ours = nil, false
	if len(body) < 16 {
		c.report(int64(len(body)), "a section without its head")
		return
	}
	var about string
	c.options(body[16:], func(code uint16, value []byte) {
		switch code {
		case 1:
			about = string(value)
		case 4:
			c.ours = bytes.HasPrefix(value, []byte("shakescope "))
		}
	})
	if !c.ours || c.timed {
		return
	}
	for line := range strings.SplitSeq(about, "\n") {
		name, value, _ := strings.Cut(line, ": ")
		switch name {
		case "the recording has no times":
			c.timed, c.header.Imported.NoTime = true, true
		case "MCP server":
			c.header.Imported.Meta = map[string]any{"command": value}
		case "label":
			c.header.Label = value
		case "started":
			if at, err := time.Parse(time.RFC3339Nano, value); err == nil {
				c.header.Start, c.timed = at, true
			}
		case "the recording does not say when it started":
			c.timed = true
		}
	}
}

func (c *capture) iface(body []byte) {
	if len(body) < 8 || len(c.interfaces) >= maxInterfaces {
		c.report(int64(len(body)), "an interface that cannot be used")
		return
	}
	i := captureInterface{link: c.order.Uint16(body), unit: unitOf(6)}
	c.options(body[8:], func(code uint16, value []byte) {
		switch {
		case code == 2:
			switch i.named = true; string(value) {
			case "stdin":
				i.stream = Stdin
			case "stdout":
				i.stream = Stdout
			case "stderr":
				i.stream = Stderr
			case "control":
				i.stream = Control
			default:
				i.named = false
			}
		case code == 9 && len(value) > 0:
			i.unit = unitOf(value[0])
		case code == 14 && len(value) == 8:
			i.offset = int64(c.order.Uint64(value))
		}
	})
	c.interfaces = append(c.interfaces, i)
}

// unitOf reads a resolution: a power of ten, or with the highest bit of two, both negative.
func unitOf(resolution byte) func(uint64) (int64, int64) {
	exponent := int(resolution & 0x7f)
	if resolution&0x80 != 0 {
		if exponent > 63 {
			return func(uint64) (int64, int64) { return 0, 0 }
		}
		return func(n uint64) (int64, int64) {
			part := n & (1<<exponent - 1)
			return int64(n >> exponent), int64(float64(part) / math.Pow(2, float64(exponent)) * 1e9)
		}
	}
	if exponent > 19 {
		return func(uint64) (int64, int64) { return 0, 0 }
	}
	one := uint64(1)
	for range exponent {
		one *= 10
	}
	return func(n uint64) (int64, int64) {
		part := n % one
		if exponent <= 9 {
			return int64(n / one), int64(part * (1_000_000_000 / one))
		}
		return int64(n / one), int64(part / (one / 1_000_000_000))
	}
}

func (c *capture) enhanced(body []byte) {
	if len(body) < 20 {
		c.report(int64(len(body)), "a packet without its head")
		return
	}
	c.packet(int(min(c.order.Uint32(body), math.MaxInt32)), uint64(c.order.Uint32(body[4:]))<<32|uint64(c.order.Uint32(body[8:])), true,
		c.order.Uint32(body[12:]), c.order.Uint32(body[16:]), body[20:])
}

// packet takes in a packet: captured bytes of size, then options.
func (c *capture) packet(number int, stamp uint64, stamped bool, captured, size uint32, rest []byte) {
	if number >= len(c.interfaces) {
		c.report(int64(len(rest)), "a packet of interface %d, which the capture does not have", number)
		return
	}
	i := &c.interfaces[number]
	if i.link != linkUpperPDU {
		if !i.told {
			i.told = true
			c.report(int64(len(rest)), "interface %d has link type %d; its packets are no messages and were left out", number, i.link)
		}
		return
	}
	if int64(captured) > int64(len(rest)) {
		c.report(int64(len(rest)), "a packet of %d bytes where %d are left", captured, len(rest))
		return
	}
	p := pdu{iface: i, data: rest[:captured], size: int64(size)}
	if options := int(captured+3) / 4 * 4; options < len(rest) {
		c.options(rest[options:], p.option(c.order))
	}
	if reason := p.strip(); reason != "" {
		c.report(int64(len(rest)), "%s", reason)
		return
	}
	if stamped {
		seconds, nanos := i.unit(stamp)
		at := time.Unix(seconds+i.offset, nanos)
		if !c.timed {
			c.header.Start, c.timed = at.UTC(), true
		}
		start := c.header.Start
		if start.IsZero() {
			start = time.Unix(0, 0)
		}
		c.t = max(c.t, at.Sub(start))
	} else if !c.timed {
		c.header.Imported.NoTime = true
	}
	c.put(&p)
}
