package proxy

import (
	"errors"
	"io"
	"os"
	"sync"
	"sync/atomic"
)

// chunkSize is how much a read takes at most: more than a Linux pipe usually holds, since in a flood
// it is made to hold more.
const chunkSize = 256 << 10

// lane is one of the three streams on its way through.
type lane struct {
	stream Stream
	tap    Tap
	done   chan struct{} // closed when nothing more will be forwarded

	moved       atomic.Uint64 // grows with every chunk read and every write done: the sign of life
	writing     atomic.Int64  // bytes handed to the writer and not yet taken
	undelivered atomic.Int64  // bytes read that could not be passed on
	arrived     atomic.Uint64 // reads

	against *lane // runs the other way; nil if none does
	tide    tide
	usual   int // what the pipe held that is written to and that has been widened, else 0

	// gate keeps the Tap from being called once the run is over, however late a read returns.
	gate sync.Mutex
	over bool
}

func newLane(s Stream, t Tap) *lane {
	return &lane{stream: s, tap: t, done: make(chan struct{})}
}

// chunk hands b to the tap. It reports false when the run is over: then b must not be forwarded.
func (l *lane) chunk(b []byte) bool {
	l.gate.Lock()
	defer l.gate.Unlock()
	if l.over {
		return false
	}
	l.tap.Chunk(l.stream, b)
	return true
}

func (l *lane) event(e Event) {
	l.gate.Lock()
	defer l.gate.Unlock()
	if !l.over {
		l.tap.Event(e)
	}
}

func (l *lane) shut() {
	l.gate.Lock()
	l.over = true
	l.gate.Unlock()
}

// write passes b on and returns how much of it was taken.
func (l *lane) write(w io.Writer, b []byte) (int, error) {
	l.writing.Add(int64(len(b)))
	n, err := writeAll(w, b)
	l.writing.Add(-int64(len(b)))
	l.moved.Add(1)
	return n, err
}

// lost counts n bytes that were not passed on, and says so.
func (l *lane) lost(n int, reason string) {
	l.undelivered.Add(int64(n))
	l.event(Event{Name: "write_failed", Bytes: int64(n), Reason: l.stream.String() + ": " + reason})
}

// pumpIn carries the client's input to the server. A server that does not read any more does not
// stop it: the client's end of input must still be noticed.
func (l *lane) pumpIn(to *os.File, from io.Reader) {
	defer close(l.done)
	buf := make([]byte, chunkSize)
	broken, dropped := false, 0
	for {
		n, err := read(from, buf)
		if n > 0 {
			l.moved.Add(1)
			l.watch(n, from, to)
			if !l.chunk(buf[:n]) {
				return
			}
			if broken {
				dropped += n
			} else if w, werr := l.write(to, buf[:n]); werr != nil {
				broken = true
				l.lost(n-w, plainError(werr))
			}
		}
		if err == nil {
			continue
		}
		if dropped > 0 {
			l.lost(dropped, "the server had stopped reading")
		}
		l.event(Event{Name: "client_closed_stdin", Reason: unlessEOF(err)}) // dropped when the run is over
		to.Close()
		return
	}
}

// pumpOut carries the server's output to the client. When the client does not take it any more the
// server's pipe is closed, so that the server learns of it as it would without us.
func (l *lane) pumpOut(to io.Writer, from io.ReadCloser) {
	defer close(l.done)
	buf := make([]byte, chunkSize)
	for {
		n, err := read(from, buf)
		if n > 0 {
			l.moved.Add(1)
			l.watch(n, from, to)
			if !l.chunk(buf[:n]) {
				return
			}
			if w, werr := l.write(to, buf[:n]); werr != nil {
				l.lost(n-w, plainError(werr))
				l.event(Event{Name: "client_closed_stdout", Reason: plainError(werr)})
				from.Close()
				return
			}
		}
		if err != nil {
			l.event(Event{Name: "server_closed_stdout", Reason: unlessEOF(err)})
			release(to)
			return
		}
	}
}

// read reads once, waiting where somebody has made our descriptor non-blocking.
func read(r io.Reader, b []byte) (int, error) {
	for {
		n, err := r.Read(b)
		if n > 0 || err == nil || !waitReadable(r, err) {
			return n, err
		}
	}
}

// writeAll writes all of b, waiting where somebody has made our descriptor non-blocking.
func writeAll(w io.Writer, b []byte) (int, error) {
	done := 0
	for {
		n, err := w.Write(b[done:])
		done += n
		switch {
		case done == len(b):
			return done, nil
		case err == nil:
			return done, io.ErrShortWrite
		case !waitWritable(w, err):
			return done, err
		}
	}
}

// plainError is the reason within err: "broken pipe" rather than "write |1: broken pipe".
func plainError(err error) string {
	var p *os.PathError
	if errors.As(err, &p) {
		err = p.Err
	}
	return err.Error()
}

func unlessEOF(err error) string {
	if err == io.EOF {
		return ""
	}
	return plainError(err)
}

// String returns "stdin", "stdout" or "stderr".
func (s Stream) String() string {
	switch s {
	case Stdin:
		return "stdin"
	case Stdout:
		return "stdout"
	}
	return "stderr"
}
