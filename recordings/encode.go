package recordings

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/shakescope/shakescope/jsonrpc"
)

// Names of the streams in files.
var streamNames = [...]string{Control: "", Stdin: "in", Stdout: "out", Stderr: "err"}

// The lines of a recording are written by hand, members in one order and the payload last, so that
// no message is re-encoded, nothing is allocated and readers can take the order for granted.

// frameHead is what a frame record says in front of its payload.
type frameHead struct {
	seq       int64
	t, t0     time.Duration
	stream    Stream
	parts     int // part records that belong to it
	eol       jsonrpc.EOL
	partial   bool
	truncated bool
	size      int64 // when truncated
	withheld  Withheld
}

// lead is what frame records begin with, kept from one to the next: those of one chunk differ in the
// number alone. The zero value is ready.
type lead struct {
	seq    int64
	number []byte // `{"seq":` and seq

	t, t0  time.Duration
	stream Stream // Control before the first
	stamp  []byte // times and stream
}

// append appends number, times and stream.
func (l *lead) append(dst []byte, f *frameHead) []byte {
	l.count(f.seq)
	if f.t != l.t || f.t0 != l.t0 || f.stream != l.stream {
		l.t, l.t0, l.stream = f.t, f.t0, f.stream
		l.stamp = append(l.stamp[:0], `,"t":`...)
		l.stamp = strconv.AppendInt(l.stamp, int64(f.t), 10)
		if f.t0 != f.t {
			l.stamp = append(l.stamp, `,"t0":`...)
			l.stamp = strconv.AppendInt(l.stamp, int64(f.t0), 10)
		}
		l.stamp = append(l.stamp, `,"s":"`...)
		l.stamp = append(l.stamp, streamNames[f.stream]...)
		l.stamp = append(l.stamp, '"')
	}
	dst = append(dst, l.number...)
	return append(dst, l.stamp...)
}

// count makes seq the number: mostly it is the next one, in which one digit changes.
func (l *lead) count(seq int64) {
	next := seq == l.seq+1
	l.seq = seq
	if n := len(l.number) - 1; next && n >= 0 && '0' <= l.number[n] && l.number[n] < '9' {
		l.number[n]++
		return
	}
	l.number = append(l.number[:0], `{"seq":`...)
	l.number = strconv.AppendInt(l.number, seq, 10)
}

// appendFrame appends a frame record, line end included. The payload stands verbatim if the caller
// found by [scan] that it may, and with it what the message is.
func appendFrame(dst []byte, l *lead, f *frameHead, data []byte, h *head, verbatim bool) []byte {
	dst = l.append(dst, f)
	if f.parts > 0 {
		dst = append(dst, `,"part":`...)
		dst = strconv.AppendInt(dst, int64(f.parts), 10)
	}
	switch {
	case f.partial:
		dst = append(dst, `,"partial":true`...)
	case f.eol == jsonrpc.CRLF:
		dst = append(dst, `,"eol":"\r\n"`...)
	case f.eol == jsonrpc.None:
		dst = append(dst, `,"eol":""`...)
	}
	if f.truncated {
		dst = append(dst, `,"truncated":true,"size":`...)
		dst = strconv.AppendInt(dst, f.size, 10)
	}
	if f.withheld != NotWithheld {
		dst = append(dst, `,"withheld":"`...)
		dst = append(dst, f.withheld...)
		dst = append(dst, '"')
	}
	if !verbatim {
		return appendPayload(dst, data)
	}
	dst = appendHead(dst, h)
	dst = append(dst, `,"msg":`...)
	dst = append(dst, data...)
	return append(dst, '}', '\n')
}

func appendHead(dst []byte, h *head) []byte {
	switch h.kind {
	case jsonrpc.Request, jsonrpc.Notification, jsonrpc.Response, jsonrpc.Error:
	default:
		return dst
	}
	if len(h.id) > maxHead || len(h.method) > maxHead {
		return dst
	}
	if h.id != nil {
		dst = append(dst, `,"id":`...)
		dst = append(dst, h.id...)
	}
	if h.method != nil {
		dst = append(dst, `,"method":"`...)
		dst = appendEscaped(dst, h.method)
		dst = append(dst, '"')
	}
	if h.kind == jsonrpc.Error {
		dst = append(dst, `,"error":true`...)
	}
	return dst
}

// appendPart appends a part record, line end included.
func appendPart(dst []byte, n int, t time.Duration, s Stream, data []byte) []byte {
	dst = append(dst, `{"part":`...)
	dst = strconv.AppendInt(dst, int64(n), 10)
	dst = append(dst, `,"t":`...)
	dst = strconv.AppendInt(dst, int64(t), 10)
	dst = append(dst, `,"s":"`...)
	dst = append(dst, streamNames[s]...)
	dst = append(dst, '"')
	return appendPayload(dst, data)
}

// appendPayload appends data as a string, or in base64 if it is not UTF-8, and ends the record.
func appendPayload(dst, data []byte) []byte {
	if utf8.Valid(data) {
		dst = append(dst, `,"text":"`...)
		dst = appendEscaped(dst, data)
	} else {
		dst = append(dst, `,"b64":"`...)
		dst = base64.StdEncoding.AppendEncode(dst, data)
	}
	return append(dst, '"', '}', '\n')
}

// cutAtRunes returns where data must be cut so that its middle does not begin or end inside a
// character: parts are cut by length, and what is UTF-8 should be readable in the file.
func cutAtRunes(data []byte) (from, to int) {
	for from < len(data) && from < utf8.UTFMax-1 && !utf8.RuneStart(data[from]) {
		from++
	}
	to = len(data)
	for i := 1; i < utf8.UTFMax && i <= len(data)-from; i++ {
		if c := data[len(data)-i]; utf8.RuneStart(c) {
			if c >= utf8.RuneSelf && !utf8.FullRune(data[len(data)-i:]) {
				to = len(data) - i
			}
			break
		}
	}
	return from, to
}

// appendEscaped appends valid UTF-8 as the inside of a JSON string.
func appendEscaped(dst, text []byte) []byte {
	for len(text) > 0 {
		n := plainPrefix(text)
		dst = append(dst, text[:n]...)
		if n == len(text) {
			break
		}
		switch c := text[n]; c {
		case '"', '\\':
			dst = append(dst, '\\', c)
		case '\t':
			dst = append(dst, `\t`...)
		case '\r':
			dst = append(dst, `\r`...)
		case '\n':
			dst = append(dst, `\n`...)
		default:
			const hex = "0123456789abcdef"
			dst = append(dst, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		}
		text = text[n+1:]
	}
	return dst
}

func appendEvent(dst []byte, seq int64, t time.Duration, e *Event) []byte {
	return appendOther(dst, seq, t, "event", e)
}

func appendGap(dst []byte, seq int64, t time.Duration, g *Gap) []byte {
	return appendOther(dst, seq, t, "gap", g)
}

func appendEnd(dst []byte, t time.Duration, e *End) []byte {
	return appendOther(dst, 0, t, "end", e)
}

// appendNext appends the record that says in which file the recording goes on.
func appendNext(dst []byte, t time.Duration, file string) []byte {
	return appendOther(dst, 0, t, "next", file)
}

// appendOther appends one of the rare records, by the general encoder. Sequence number 0 is none.
func appendOther(dst []byte, seq int64, t time.Duration, name string, v any) []byte {
	dst = append(dst, '{')
	if seq > 0 {
		dst = append(dst, `"seq":`...)
		dst = strconv.AppendInt(dst, seq, 10)
		dst = append(dst, ',')
	}
	dst = append(dst, `"t":`...)
	dst = strconv.AppendInt(dst, int64(t), 10)
	dst = append(dst, `,"`...)
	dst = append(dst, name...)
	dst = append(dst, `":`...)
	dst = append(dst, encoded(v)...)
	return append(dst, '}', '\n')
}

// appendHeader appends the header line.
func appendHeader(dst []byte, h *Header) []byte {
	return append(append(dst, encoded(h)...), '\n')
}

// encoded is v as JSON in one line, valid UTF-8 whatever its strings hold.
func encoded(v any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		// Only a Meta that never came from JSON can have no JSON. The record says so in its place.
		quoted, _ := jsontext.AppendQuote(nil, err.Error())
		return append(append([]byte(`{"unencodable":`), quoted...), '}')
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}
