package jsonrpc

import "bytes"

// EOL is the line end of a frame.
type EOL string

// The line ends that a frame can have. A lone CR is not one of them: it stays in the frame's data.
const (
	LF   EOL = "\n"
	CRLF EOL = "\r\n"
	None EOL = "" // the stream ended without one
)

// Frame is one line of a stream as it travelled, or a part of one.
type Frame struct {
	Data   []byte // without the line end; valid until the next call on the Framer
	EOL    EOL    // of the line; meaningless while More is set
	More   bool   // Data is a part: the rest of the same line follows in later frames
	Offset int64  // of the first byte of Data in the stream
}

// keepBuffer is the largest buffer that a Framer keeps for the next line: one huge line must not
// cost its memory for the rest of a session.
const keepBuffer = 1 << 20

// Framer cuts one byte stream into lines and loses nothing: the data and line ends of all its
// frames, joined, are the stream, however it was chunked. It is not safe for concurrent use.
//
// Feed it with [Framer.Push], then call [Framer.Next] until it returns false; at the end of the
// stream call [Framer.Close].
//
// A line that is handed out in parts (because it is longer than the limit, or because of
// [Framer.Flush]) ends with a frame whose More is false. A part handed out by Flush may end in the
// CR of a CR LF, whose last frame then says LF: whoever joins parts looks at the joined data.
type Framer struct {
	limit  int
	chunk  []byte // the unread rest of what was pushed; borrowed
	buf    []byte // the beginning of an unfinished line, out of earlier chunks
	spent  bool   // buf was handed out by the last call
	open   bool   // parts of the current line were handed out
	offset int64  // of the first byte not handed out yet
}

// leastPart is from how many bytes on a later part of a line is handed out without waiting for more:
// most then lie in one chunk and need not be copied.
const leastPart = 16 << 10

// NewFramer returns a Framer. With a limit above 0, a line with more than limit bytes before its
// LF comes in parts of at most limit bytes. The first has exactly as many; later ones, but for the
// last, have 16 KiB at least. With 0 lines come whole, whatever their length.
func NewFramer(limit int) *Framer { return &Framer{limit: max(limit, 0)} }

// Push adds the next bytes of the stream. The chunk is borrowed until Next returns false.
func (f *Framer) Push(chunk []byte) {
	f.reclaim()
	if len(f.chunk) > 0 {
		// The caller did not drain the last chunk. Its bytes may be overwritten once the caller
		// believes them read, so both are copied.
		f.chunk = append(append(make([]byte, 0, len(f.chunk)+len(chunk)), f.chunk...), chunk...)
		return
	}
	f.chunk = chunk
}

// Next returns the next frame that is complete, or the next part of a line longer than the limit.
// It returns false when more bytes are needed.
func (f *Framer) Next() (Frame, bool) {
	f.reclaim()
	end := bytes.IndexByte(f.chunk, '\n')
	line := end
	if end < 0 {
		line = len(f.chunk)
	}
	if f.limit > 0 && len(f.buf)+line > f.limit {
		return f.part(f.limit), true
	}
	if end < 0 {
		if f.limit > 0 && f.open && len(f.buf)+line >= leastPart {
			return f.part(f.Pending()), true
		}
		f.buf = append(f.buf, f.chunk...)
		f.chunk = nil
		return Frame{}, false
	}
	data := f.take(end)
	f.chunk = f.chunk[1:]
	offset, eol := f.offset, LF
	f.offset += int64(len(data)) + 1
	f.open = false
	if n := len(data); n > 0 && data[n-1] == '\r' {
		data, eol = data[:n-1], CRLF
	}
	return Frame{Data: data, EOL: eol, Offset: offset}, true
}

// Flush returns the bytes of the unfinished line that were not handed out yet as a part (More is
// set). It returns false when there are none. Call it only after Next has returned false.
func (f *Framer) Flush() (Frame, bool) {
	f.reclaim()
	if f.Pending() == 0 {
		return Frame{}, false
	}
	return f.part(f.Pending()), true
}

// Close ends the stream: it returns the last, unterminated line (EOL is None), or what is left of
// it. It returns false when the stream ended with a line end or held nothing. After parts of an
// unterminated line it always returns a frame, an empty one where nothing is left, so that every
// line has a last frame. Call it only after Next has returned false.
func (f *Framer) Close() (Frame, bool) {
	f.reclaim()
	if f.Pending() == 0 && !f.open {
		return Frame{}, false
	}
	frame := f.part(f.Pending())
	frame.More, f.open = false, false
	return frame, true
}

// Pending returns how many bytes of the unfinished line are not handed out yet. It is meaningful
// after Next has returned false.
func (f *Framer) Pending() int {
	if f.spent {
		return len(f.chunk)
	}
	return len(f.buf) + len(f.chunk)
}

// part hands out the next n bytes.
func (f *Framer) part(n int) Frame {
	frame := Frame{Data: f.take(n - len(f.buf)), More: true, Offset: f.offset}
	f.offset += int64(n)
	f.open = true
	return frame
}

// take returns the buffer and n bytes of the chunk, joined, without copying where one of them is empty.
func (f *Framer) take(n int) []byte {
	head := f.chunk[:n:n]
	f.chunk = f.chunk[n:]
	if len(f.buf) == 0 {
		return head
	}
	f.buf = append(f.buf, head...)
	f.spent = true
	return f.buf
}

// reclaim makes the buffer free again after the frame in it was used.
func (f *Framer) reclaim() {
	if !f.spent {
		return
	}
	f.spent = false
	if cap(f.buf) > keepBuffer {
		f.buf = nil
	}
	f.buf = f.buf[:0]
}
