package recordings

import (
	"bufio"
	"encoding/base64"
	"fmt"
	"io"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/shakescope/shakescope/jsonrpc"
)

// WriteWire writes the rest of src as a wire log. Read again, that gives the same bytes on every
// stream, the same events and times; numbers are those of its lines. A gap becomes an event.
func WriteWire(w io.Writer, src *Reader) error {
	out := bufio.NewWriterSize(w, 64<<10)
	line := appendMeta(nil, src.Header())
	for {
		if _, err := out.Write(line); err != nil {
			return fmt.Errorf("writing a wire log: %w", err)
		}
		rec, err := src.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
		line = appendWire(line[:0], rec)
	}
	if err := out.Flush(); err != nil {
		return fmt.Errorf("writing a wire log: %w", err)
	}
	return nil
}

// appendMeta appends the line that describes the recording.
func appendMeta(dst []byte, h *Header) []byte {
	if h.Imported != nil && h.Imported.Meta != nil {
		return append(append(append(dst, `{"meta":`...), encoded(h.Imported.Meta)...), '}', '\n')
	}
	meta := struct {
		Label   string    `json:"label,omitempty"`
		Command []string  `json:"command,omitempty"`
		Started time.Time `json:"started,omitzero"`
	}{h.Label, h.Command, h.Start}
	return append(append(append(dst, `{"meta":`...), encoded(meta)...), '}', '\n')
}

// appendWire appends the line of a record, nothing for an end record.
func appendWire(dst []byte, r *Record) []byte {
	switch r.Kind {
	case FrameRecord:
		if r.Withheld != NotWithheld { // an empty line would be another lie
			return appendWireEvent(dst, r.T, &Event{Name: "withheld", Reason: string(r.Withheld), Bytes: r.Size})
		}
		dst = appendMilliseconds(dst, r.T)
		dst = append(dst, `,"dir":"`...)
		dst = append(dst, wireStreams[r.Stream]...)
		if utf8.Valid(r.Data) {
			dst = append(dst, `","raw":"`...)
			dst = appendEscaped(dst, r.Data)
		} else {
			dst = append(dst, `","raw_b64":"`...)
			dst = base64.StdEncoding.AppendEncode(dst, r.Data)
		}
		dst = append(dst, '"')
		switch {
		case r.Partial:
			dst = append(dst, `,"partial":true`...)
		case r.EOL == jsonrpc.CRLF:
			dst = append(dst, `,"eol":"\r\n"`...)
		case r.EOL == jsonrpc.None:
			dst = append(dst, `,"eol":""`...)
		}
		return append(dst, '}', '\n')
	case EventRecord:
		e := *r.Event
		if e.Name == "exit" {
			e.Name = "server_exit"
		}
		return appendWireEvent(dst, r.T, &e)
	case GapRecord:
		e := Event{Name: "gap", Reason: r.Gap.Reason}
		for _, n := range r.Gap.Bytes {
			e.Bytes += n
		}
		return appendWireEvent(dst, r.T, &e)
	}
	return dst
}

func appendWireEvent(dst []byte, t time.Duration, e *Event) []byte {
	dst = appendMilliseconds(dst, t)
	line := encoded(struct {
		Event  string `json:"event"`
		Code   *int   `json:"code,omitempty"`
		Signal string `json:"signal,omitempty"`
		Reason string `json:"reason,omitempty"`
		Bytes  int64  `json:"bytes,omitempty"`
		PID    int    `json:"pid,omitempty"`
	}{e.Name, e.Code, e.Signal, e.Reason, e.Bytes, e.PID})
	dst = append(dst, ',')
	return append(append(dst, line[1:]...), '\n')
}

// appendMilliseconds begins a line with its time, exact to the nanosecond.
func appendMilliseconds(dst []byte, t time.Duration) []byte {
	dst = append(dst, `{"t_ms":`...)
	dst = strconv.AppendInt(dst, int64(t/time.Millisecond), 10)
	rest := int64(t % time.Millisecond)
	if rest <= 0 {
		return dst
	}
	dst = append(dst, '.')
	for unit := int64(100_000); rest > 0; unit /= 10 {
		dst = append(dst, byte('0'+rest/unit))
		rest %= unit
	}
	return dst
}
