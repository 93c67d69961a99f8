package jsonrpc

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
