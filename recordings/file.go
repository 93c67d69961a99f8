package recordings

import (
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
)

// File reads single records of a recording again, by the place that [Record] gives. It is safe for
// concurrent use.
type File struct {
	mu     sync.Mutex
	pieces []piece
	chain  *chain
}

// piece is a segment: where it begins in the positions of records.
type piece struct {
	f    *os.File
	base int64
	size int64 // not of the last, which may grow
}

// OpenFile opens a recording in the native format, not packed, with all its segments.
func OpenFile(path string) (*File, error) {
	if info, err := os.Stat(path); err != nil {
		return nil, err
	} else if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%w: %s is no file", ErrFormat, path)
	}
	r, err := Open(path)
	if err != nil {
		return nil, err
	}
	f := &File{chain: r.chain}
	if f.chain == nil {
		f.chain = &chain{at: segment{path, numberOf(r.Header()), r.Header(), r.packed}}
		f.chain.all = []segment{f.chain.at}
	}
	if err := r.Close(); err != nil {
		return nil, err
	}
	if err := f.open(f.chain.all); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// open opens segments that follow those that are open.
func (f *File) open(segments []segment) error {
	for _, s := range segments {
		if s.packed {
			return fmt.Errorf("%w: %s is packed", ErrFormat, s.path)
		}
		file, err := openRegular(s.path)
		if err != nil {
			return err
		}
		base := int64(0)
		if n := len(f.pieces); n > 0 {
			last := &f.pieces[n-1]
			info, err := last.f.Stat()
			if err != nil {
				return errors.Join(err, file.Close())
			}
			last.size = info.Size()
			base = last.base + last.size
		}
		f.pieces = append(f.pieces, piece{f: file, base: base})
		f.chain.at = s
	}
	return nil
}

// readAt reads as if all segments were one file.
func (f *File) readAt(p []byte, pos int64) (n int, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for again := true; ; again = false {
		n, err = f.readOpen(p, pos)
		if n > 0 || err != io.EOF || !again {
			return n, err
		}
		// Perhaps the recording went on in another segment since.
		if err := f.chain.again(); err != nil {
			return 0, err
		}
		if err := f.open(f.chain.rest); err != nil {
			return 0, err
		}
	}
}

func (f *File) readOpen(p []byte, pos int64) (int, error) {
	for i := range f.pieces {
		at := &f.pieces[i]
		last := i == len(f.pieces)-1
		if !last && pos >= at.base+at.size {
			continue
		}
		if !last {
			p = p[:min(int64(len(p)), at.base+at.size-pos)]
		}
		n, err := at.f.ReadAt(p, pos-at.base)
		if n > 0 {
			err = nil
		}
		return n, err
	}
	return 0, io.EOF
}

// stretch reads a stretch of a File.
type stretch struct {
	f        *File
	pos, end int64
}

func (s *stretch) Read(p []byte) (int, error) {
	if s.pos >= s.end {
		return 0, io.EOF
	}
	n, err := s.f.readAt(p[:min(int64(len(p)), s.end-s.pos)], s.pos)
	s.pos += int64(n)
	return n, err
}

var errPlace = errors.New("no record at this place")

// ReadAt returns the record that has the place pos, n. The caller owns it. Parts are joined; a frame
// that was unfinished when the file ended has no Seq. A record that is gone, because the file was
// changed, is an error.
func (f *File) ReadAt(pos, n int64) (*Record, error) {
	if pos < 0 || n <= 0 {
		return nil, fmt.Errorf("reading the record at %d: %w", pos, errPlace)
	}
	r := native{plain: true, lines: lines{src: &stretch{f: f, pos: pos, end: pos + n}, offset: pos}}
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
func (f *File) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	var errs []error
	for _, p := range f.pieces {
		errs = append(errs, p.f.Close())
	}
	f.pieces = nil
	return errors.Join(errs...)
}
