package recordings

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// ownSection begins a capture as shakescope exports it: about is its comment.
func (w *captureWriter) ownSection(about string) {
	b := w.order.AppendUint32(nil, pcapngMagic)
	b = w.order.AppendUint16(w.order.AppendUint16(b, 1), 0)
	b = append(b, bytes.Repeat([]byte{0xff}, 8)...)
	b = w.option(w.option(b, 1, []byte(about)), 4, []byte("shakescope 1.0.0"))
	w.block(pcapngSection, w.option(b, 0, nil))
	for _, name := range []string{"stdin", "stdout", "stderr", "control"} {
		w.iface(linkUpperPDU, name, 9)
	}
}

// ownPacket adds an entry with its number and comments.
func (w *captureWriter) ownPacket(iface uint32, seq uint64, stamp uint64, payload string, comments ...string) {
	data := tagged("json", payload)
	b := w.order.AppendUint32(w.order.AppendUint32(w.order.AppendUint32(nil, iface), uint32(stamp>>32)), uint32(stamp))
	b = append(w.order.AppendUint32(w.order.AppendUint32(b, uint32(len(data))), uint32(len(data))), data...)
	for len(b)%4 != 0 {
		b = append(b, 0)
	}
	for _, c := range comments {
		b = w.option(b, 1, []byte(c))
	}
	w.block(pcapngPacket, w.option(w.option(b, 5, w.order.AppendUint64(nil, seq)), 0, nil))
}

// What shakescope exported comes back with its numbers, line ends, events and gaps.
func TestCaptureOfOurs(t *testing.T) {
	start := time.Date(2026, 11, 1, 10, 0, 0, 500, time.UTC)
	at := func(d time.Duration) uint64 { return uint64(start.Add(d).UnixNano()) }
	w := &captureWriter{order: binary.LittleEndian}
	w.ownSection("MCP server: node server.js\nlabel: demo\nstarted: " + start.Format(time.RFC3339Nano))
	w.ownPacket(3, 1, at(0), "started", "kind=event event=spawn", "server started")
	w.ownPacket(0, 2, at(time.Millisecond), pingAsked, "kind=request eol=crlf", "initialize")
	w.ownPacket(2, 3, at(2*time.Millisecond), "kind=event is only text", "kind=stderr")
	w.ownPacket(3, 5, at(3*time.Millisecond), "gap", "kind=gap", "10 bytes are missing")
	w.ownPacket(1, 6, at(4*time.Millisecond), pingTold[:9], "kind=invalid eol=none", "cut")
	w.ownPacket(3, 7, at(5*time.Millisecond), "exit", `kind=event event=exit code=3 signal=SIGTERM reason="it said \"no\" =1"`, "exit 3")
	w.ownPacket(3, 8, at(6*time.Millisecond), "a host's word \xff")
	r, err := NewReader(bytes.NewReader(w.buf), "x.pcapng")
	if err != nil {
		t.Fatal(err)
	}
	h := r.Header()
	if !h.Start.Equal(start) || h.Label != "demo" || h.Imported.NoTime || h.Imported.Meta["command"] != "node server.js" {
		t.Errorf("%+v %+v", h, h.Imported)
	}
	var got strings.Builder
	for {
		rec, err := r.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&got, "%d %v ", rec.Seq, rec.T)
		switch rec.Kind {
		case FrameRecord:
			fmt.Fprintf(&got, "%s %q eol=%q partial=%v\n", streamNames[rec.Stream], rec.Data, rec.EOL, rec.Partial)
		case GapRecord:
			fmt.Fprintf(&got, "gap %s\n", rec.Gap.Reason)
		case EventRecord:
			code := "none"
			if rec.Event.Code != nil {
				code = fmt.Sprint(*rec.Event.Code)
			}
			fmt.Fprintf(&got, "%s code=%s signal=%s reason=%q\n", rec.Event.Name, code, rec.Event.Signal, rec.Event.Reason)
		}
	}
	const want = `1 0s spawn code=none signal= reason=""
2 1ms in "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{}}" eol="\r\n" partial=false
3 2ms err "kind=event is only text" eol="\n" partial=false
5 3ms gap 10 bytes are missing
6 4ms out "{\"jsonrpc" eol="" partial=true
7 5ms exit code=3 signal=SIGTERM reason="it said \"no\" =1"
8 6ms host_log code=none signal= reason="a host's word �"
`
	if diff := cmp.Diff(want, got.String()); diff != "" {
		t.Error(diff)
	}
	if d := r.Damage(); len(d) > 0 {
		t.Error(d)
	}
}

// Where the recording had no times, or none on the wall clock, the capture's are not taken for those.
func TestCaptureOfOursWithoutTimes(t *testing.T) {
	for about, noTime := range map[string]bool{
		"the recording has no times":                                           true,
		"the recording does not say when it started: times count from 1970":    false,
		"MCP server: x\nthe recording does not say when it started: and so on": false,
	} {
		w := &captureWriter{order: binary.BigEndian}
		w.ownSection(about)
		w.ownPacket(0, 1, uint64(5*time.Millisecond), pingAsked, "kind=request")
		r, got := readCapture(t, w.buf)
		if h := r.Header(); !h.Start.IsZero() || h.Imported.NoTime != noTime || !strings.HasPrefix(got, "1 5ms in ") {
			t.Errorf("%q: %v, %+v, %s", about, h.Start, h.Imported, got)
		}
	}
}

// The packets of older captures, and blocks that are too short for what they are.
func TestCaptureOddBlocks(t *testing.T) {
	w := &captureWriter{order: binary.LittleEndian}
	w.section()
	w.iface(linkUpperPDU, "pipe", 0)
	data := tagged("json", pingAsked)
	old := w.order.AppendUint16(w.order.AppendUint16(nil, 0), 0)
	old = w.order.AppendUint32(w.order.AppendUint32(old, 0), 1)
	old = w.order.AppendUint32(w.order.AppendUint32(old, uint32(len(data))), uint32(len(data)))
	w.block(pcapngOldPacket, append(old, data...))
	for _, kind := range []uint32{pcapngOldPacket, pcapngSimple, pcapngPacket, pcapngInterface} {
		w.block(kind, nil)
	}
	w.packet(7, 1, 0, data, 0)                     // of an interface that is not there
	w.packet(0, 1, 0, data[:6], 0)                 // a tag longer than the packet
	w.packet(0, 1, 0, data[:2], 0)                 // no tag at all
	w.packet(0, 1, 1, tagged("json", pingTold), 0) // and on it goes
	w.block(pcapngSection, w.order.AppendUint32(nil, pcapngMagic))
	w.packet(0, 1, 1, tagged("json", pingTold), 0) // the interfaces were those of the section before
	r, got := readCapture(t, w.buf)
	if strings.Count(got, "\n") != 2 || !strings.HasPrefix(got, "1 0s in ") || !strings.Contains(got, "\n2 0s out ") {
		t.Error(got)
	}
	var said []string
	for _, d := range r.Damage() {
		_, reason, _ := strings.Cut(d.Reason, ": ")
		said = append(said, reason)
	}
	if diff := cmp.Diff([]string{
		"a packet without its head", "a packet without its head", "a packet without its head", "an interface that cannot be used",
		"a packet of interface 7, which the capture does not have", "a tag of 4 bytes where 2 are left", "a packet whose tags have no end",
		"a section without its head", "a packet of interface 0, which the capture does not have",
	}, said); diff != "" {
		t.Error(diff)
	}
}

// Times are counted in the unit that the interface names.
func TestCaptureUnits(t *testing.T) {
	for _, c := range []struct {
		resolution byte
		stamp      uint64
		want       time.Duration
	}{
		{0, 3, 3 * time.Second}, {3, 3, 3 * time.Millisecond}, {9, 3, 3}, {12, 3_000_000_007, 3 * time.Millisecond},
		{0x80 | 1, 3, 1500 * time.Millisecond}, {0x80, 3, 3 * time.Second}, {0xff, 3, 0}, {40, 3, 0},
	} {
		seconds, nanos := unitOf(c.resolution)(c.stamp)
		if got := time.Duration(seconds)*time.Second + time.Duration(nanos); got != c.want {
			t.Errorf("%d in units of %#x: %v, want %v", c.stamp, c.resolution, got, c.want)
		}
	}
}
