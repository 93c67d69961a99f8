package recordings

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"
)

// captureWriter makes captures as any program may, in either byte order.
type captureWriter struct {
	order binary.AppendByteOrder
	buf   []byte
}

func (w *captureWriter) block(kind uint32, body []byte) {
	for len(body)%4 != 0 {
		body = append(body, 0)
	}
	size := uint32(len(body) + 12)
	w.buf = w.order.AppendUint32(w.order.AppendUint32(w.buf, kind), size)
	w.buf = w.order.AppendUint32(append(w.buf, body...), size)
}

func (w *captureWriter) option(b []byte, code uint16, value []byte) []byte {
	b = w.order.AppendUint16(w.order.AppendUint16(b, code), uint16(len(value)))
	b = append(b, value...)
	for len(b)%4 != 0 {
		b = append(b, 0)
	}
	return b
}

func (w *captureWriter) section() {
	b := w.order.AppendUint32(nil, pcapngMagic)
	b = w.order.AppendUint16(w.order.AppendUint16(b, 1), 0)
	w.block(pcapngSection, append(b, bytes.Repeat([]byte{0xff}, 8)...))
}

// iface adds an interface; resolution 0 leaves the option out, which means microseconds.
func (w *captureWriter) iface(link uint16, name string, resolution byte) {
	b := w.order.AppendUint32(w.order.AppendUint16(w.order.AppendUint16(nil, link), 0), 0)
	b = w.option(b, 2, []byte(name))
	if resolution > 0 {
		b = w.option(b, 9, []byte{resolution})
	}
	w.block(pcapngInterface, w.option(b, 0, nil))
}

// tagged puts the tags of an exported PDU before a payload.
func tagged(dissector, payload string) []byte {
	b := binary.BigEndian.AppendUint16(binary.BigEndian.AppendUint16(nil, pduDissector), uint16((len(dissector)+3)/4*4))
	b = append(b, dissector...)
	for len(b)%4 != 0 {
		b = append(b, 0)
	}
	return append(append(b, 0, 0, 0, 0), payload...)
}

// packet adds one; direction is that of its flags, 0 for no option; more is how much was cut off.
func (w *captureWriter) packet(iface uint32, stamp uint64, direction uint32, data []byte, more int) {
	b := w.order.AppendUint32(w.order.AppendUint32(w.order.AppendUint32(nil, iface), uint32(stamp>>32)), uint32(stamp))
	b = append(w.order.AppendUint32(w.order.AppendUint32(b, uint32(len(data))), uint32(len(data)+more)), data...)
	for len(b)%4 != 0 {
		b = append(b, 0)
	}
	if direction > 0 {
		b = w.option(b, 2, w.order.AppendUint32(nil, direction))
		b = w.option(b, 0, nil)
	}
	w.block(pcapngPacket, b)
}

const (
	pingAsked = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}`
	pingTold  = `{"jsonrpc":"2.0","id":1,"result":{}}`
)

// sampleCapture is one of another program: no interface is named after a stream, times are microseconds and
// halves of powers of two, and there are blocks that nobody here knows.
func sampleCapture(order binary.AppendByteOrder) []byte {
	w := &captureWriter{order: order}
	w.section()
	w.iface(linkUpperPDU, "pipe", 0)
	w.iface(1, "eth0", 6)
	w.iface(linkUpperPDU, "fine", 0x80|30)
	w.block(0x4bad0bad, []byte("whatever"))
	w.packet(0, 1_700_000_000_000_250, 2, tagged("json", pingAsked+"\n"), 0)
	w.packet(1, 1_700_000_000_000_300, 0, []byte("frame on a cable"), 0)
	w.packet(1, 1_700_000_000_000_301, 0, []byte("frame on a cable"), 0)
	w.packet(2, 1_700_000_000<<30|1<<29, 0, tagged("json", pingTold), 0)
	w.packet(0, 1_700_000_001_000_000, 1, tagged("http", "GET /"), 0)
	w.packet(0, 1_700_000_001_000_000, 1, tagged("", pingTold[:9]), 27)
	w.packet(0, 1_700_000_001_000_000, 2, tagged("json", "1\n2\n"), 0)
	return w.buf
}

func readCapture(t *testing.T, b []byte) (*Reader, string) {
	t.Helper()
	r, err := NewReader(bytes.NewReader(b), "x.pcapng")
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	for {
		rec, err := r.Next()
		if err == io.EOF {
			return r, out.String()
		}
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&out, "%d %v %s %q truncated=%v size=%d\n", rec.Seq, rec.T, streamNames[rec.Stream], rec.Data, rec.Truncated, rec.Size)
	}
}

func TestCaptureOfOthers(t *testing.T) {
	const want = `1 0s in "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{}}" truncated=false size=58
2 499.75ms out "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}" truncated=false size=36
3 999.75ms out "{\"jsonrpc" truncated=true size=36
4 999.75ms in "1" truncated=false size=1
5 999.75ms in "2" truncated=false size=1
`
	for _, order := range []binary.AppendByteOrder{binary.LittleEndian, binary.BigEndian} {
		r, got := readCapture(t, sampleCapture(order))
		if got != want {
			t.Errorf("%v:\n%s", order, got)
		}
		if r.Format() != Pcapng || !r.Header().Start.Equal(time.Unix(1_700_000_000, 250_000)) || !r.Header().Imported.Truncated {
			t.Errorf("%v: %+v", order, r.Header())
		}
		if d := r.Damage(); len(d) != 2 || !strings.Contains(d[0].Reason, "interface 1 has link type 1") || !strings.Contains(d[1].Reason, `"http"`) {
			t.Errorf("%v: %v", order, d)
		}
	}
}

// A simple packet has no time, and its length is that of its block.
func TestCaptureSimplePackets(t *testing.T) {
	w := &captureWriter{order: binary.LittleEndian}
	w.section()
	w.iface(linkUpperPDU, "", 0)
	data := tagged("json", pingAsked)
	w.block(pcapngSimple, append(w.order.AppendUint32(nil, uint32(len(data))), data...))
	r, got := readCapture(t, w.buf)
	if !strings.HasPrefix(got, "1 0s in ") || !r.Header().Imported.NoTime {
		t.Errorf("%s %+v", got, r.Header().Imported)
	}
}

// What is damaged is said with its place; what stands before it is read, and after it where the next block can be found.
func TestCaptureDamaged(t *testing.T) {
	whole := sampleCapture(binary.LittleEndian)
	start := len(whole) - 280
	lengths := func(size uint32) []byte {
		b := bytes.Clone(whole)
		at, packets := 0, 0
		for {
			if binary.LittleEndian.Uint32(b[at:]) == pcapngPacket {
				if packets++; packets == 2 {
					binary.LittleEndian.PutUint32(b[at+4:], size)
					return b
				}
			}
			at += int(binary.LittleEndian.Uint32(b[at+4:]))
		}
	}
	for name, c := range map[string]struct {
		file   []byte
		frames int
		say    string
	}{
		"cut":       {whole[:len(whole)-10], 3, "the file ends after"},
		"cut early": {whole[:start], 1, "the file ends after"},
		"no length": {lengths(0), 1, "it says that it is 0 bytes long"},
		"huge":      {lengths(1<<32 - 4), 1, "it says that it is 4294967292 bytes long"},
		"odd":       {lengths(33), 1, "multiples of 4"},
	} {
		t.Run(name, func(t *testing.T) {
			r, got := readCapture(t, c.file)
			if n := strings.Count(got, "\n"); n != c.frames {
				t.Errorf("%d frames, want %d:\n%s", n, c.frames, got)
			}
			d := r.Damage()
			if len(d) == 0 || !strings.Contains(d[len(d)-1].Reason, c.say) || !strings.HasPrefix(d[len(d)-1].Reason, "block ") {
				t.Errorf("%v", d)
			}
		})
	}
}

func TestCaptureOfSomethingElse(t *testing.T) {
	w := &captureWriter{order: binary.BigEndian}
	w.section()
	w.iface(1, "eth0", 0)
	w.packet(0, 1, 0, []byte("frame on a cable"), 0)
	for say, file := range map[string][]byte{
		"link type 1":          w.buf,
		"byte-order magic":     []byte("\n\r\r\n\x1c\x00\x00\x00nonsense"),
		"the file ends":        []byte("\n\r\r\n"),
		"pcap) of network":     []byte("\xd4\xc3\xb2\xa1\x02\x00\x04\x00 and so on\n"),
		"a capture (pcapng) w": w.buf[:20],
	} {
		if _, err := NewReader(bytes.NewReader(file), "x"); !errors.Is(err, ErrFormat) || !strings.Contains(err.Error(), say) {
			t.Errorf("%v, want %q", err, say)
		}
	}
}
