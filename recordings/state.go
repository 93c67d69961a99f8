package recordings

import (
	"bytes"
	"io"
	"os"
	"time"
)

// LiveState says whether a recording is still being written and how it ended.
type LiveState string

// The states. Values are stable: they appear in machine-readable output.
const (
	Live    LiveState = "live"    // being written
	Ended   LiveState = "ended"   // the server is gone after its input was closed or it was signalled
	Crashed LiveState = "crashed" // the server was gone, or closed its output, on its own, or never started
	Cut     LiveState = "cut"     // no end record and no writer
	Unknown LiveState = "unknown" // no end record; whether there is a writer cannot be told
)

// How far from the end of a file its end record is looked for, at first and at most.
const (
	usualEnd = 4 << 10
	maxEnd   = 64 << 10
)

// State says in which state the recording in the file path is. It reads the head and the end of the
// file, and all of it only if the end record does not repeat what happened. A file that is no
// recording gives [ErrFormat].
func State(path string) (LiveState, error) {
	info, err := Inspect(path)
	return info.State, err
}

// lastLine reads the record that ends a recording or a segment, nil when the last line is none.
func lastLine(f *os.File) (*nativeLine, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	for _, most := range [...]int64{usualEnd, maxEnd} {
		from := max(0, info.Size()-most)
		tail := make([]byte, info.Size()-from)
		n, err := f.ReadAt(tail, from)
		if err != nil && err != io.EOF {
			return nil, err
		}
		last := bytes.TrimRight(tail[:n], " \t\r\n")
		start := bytes.LastIndexByte(last, '\n') + 1
		if start == 0 && from > 0 {
			continue
		}
		var p parser
		var line nativeLine
		if err := p.parse(&line, last[start:], true); err != nil || line.kind != endLine && line.kind != nextLine {
			return nil, nil
		}
		return &line, nil
	}
	return nil, nil
}

// written reports whether a file with this header is being written, as far as can be told.
func written(f *os.File, h *Header) bool {
	switch writerState(f, h) {
	case Live:
		return true
	case Unknown:
		info, err := f.Stat()
		return err == nil && time.Since(info.ModTime()) < recently
	}
	return false
}

// writerState says what a file without an end record is.
func writerState(f *os.File, h *Header) LiveState {
	if !h.NoLock {
		switch held, err := probeLock(f); {
		case err == nil && held:
			return Live
		case err == nil:
			return Cut
		}
	}
	switch lives, known := h.writerLives(); {
	case !known:
		return Unknown
	case lives:
		return Live
	default:
		return Cut
	}
}
