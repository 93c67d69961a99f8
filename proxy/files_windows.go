package proxy

import "io"

// Descriptors are never non-blocking here.
func waitReadable(io.Reader, error) bool { return false }
func waitWritable(io.Writer, error) bool { return false }

// release closes w for the reader behind it.
func release(w io.Writer) {
	if c, ok := w.(io.Closer); ok {
		c.Close()
	}
}
