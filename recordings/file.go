package recordings

import (
	"errors"
	"fmt"
	"io"
	"os"
)

// File reads single records of a recording again, by the place that [Record] gives. It is safe for
// concurrent use.
type File struct {
	f *os.File
}

// OpenFile opens a recording in the native format, not packed.
func OpenFile(path string) (*File, error) {
	f, err := openRegular(path)
	if err != nil {
		return nil, err
	}
	return &File{f: f}, nil
}

var errPlace = errors.New("no record at this place")

// ReadAt returns the record that has the place pos, n. The caller owns it. Parts are joined; a frame
// that was unfinished when the file ended has no Seq. A record that is gone, because the file was
// changed, is an error.
func (f *File) ReadAt(pos, n int64) (*Record, error) {
	if pos < 0 || n <= 0 {
		return nil, fmt.Errorf("reading the record at %d: %w", pos, errPlace)
	}
	r := native{plain: true, lines: lines{src: io.NewSectionReader(f.f, pos, n), offset: pos}}
	var rec Record
	if err := r.only(&rec); err != nil {
		return nil, fmt.Errorf("reading the record at %d: %w", pos, err)
	}
	return &rec, nil
}

// only reads lines of which the last makes a record, and the first belongs to it.
func (r *native) only(rec *Record) error {
	n, at, err := r.line()
	if err == io.EOF {
		return errPlace
	}
	if err != nil {
		return err
	}
	if n.kind != partLine {
		if !r.record(rec, n, at) {
			return errPlace
		}
		return nil
	}
	// Other streams may go on between the parts.
	stream := n.stream
	for ; err == nil; n, at, err = r.line() {
		switch {
		case n.kind == gapLine && n.gap.Bytes[streamNames[stream]] > 0:
			r.open[stream].cut = true
		case n.kind == partLine && n.stream == stream:
			r.part(n, at)
		case n.kind == frameLine && n.stream == stream:
			r.join(rec, n, at)
			return nil
		}
	}
	if err != io.EOF {
		return err
	}
	if err := r.leftOver(rec); err != nil {
		return errPlace
	}
	rec.Seq = 0
	return nil
}

// Close closes the file. Records that were read stay valid.
func (f *File) Close() error { return f.f.Close() }
