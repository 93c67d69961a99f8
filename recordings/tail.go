package recordings

import (
	"errors"
	"fmt"
	"io"
	"os"
	"time"
)

// recently is how old the last write may be of a file whose writer cannot be looked for.
const recently = 10 * time.Second

// Tail reads a recording that may still grow. It polls: nothing happens between calls.
type Tail struct {
	path   string
	f      *os.File
	reader *Reader // of a file that cannot grow: packed or foreign
	src    *native
	rec    Record
	live   bool
	gone   bool // the writer is, and what it wrote is read once more
}

// NewTail opens the file path, at its beginning. Files of other forms, which do not grow, are read
// like by [Open].
func NewTail(path string) (*Tail, error) {
	r, err := Open(path)
	if err != nil {
		return nil, err
	}
	t := &Tail{path: path, reader: r}
	if src, ok := r.src.(*native); ok && src.plain {
		t.f = r.closers[0].(*os.File)
		t.live = true
		t.src = &native{lines: lines{src: t.f}, plain: true, live: true, header: src.header}
		if _, err := t.f.Seek(0, io.SeekStart); err != nil {
			r.Close()
			return nil, err
		}
		t.live = t.writerLives()
	}
	return t, nil
}

// Header returns the header, never nil.
func (t *Tail) Header() *Header { return t.reader.Header() }

// Format says of which form the file is.
func (t *Tail) Format() Format { return t.reader.Format() }

// Next returns the next record, valid until the next call. It returns [ErrWait] when there is
// nothing new now, and io.EOF after the end of a recording that grows no more: with its end record,
// or because its writer is gone.
func (t *Tail) Next() (*Record, error) {
	if t.src == nil {
		return t.reader.Next()
	}
	for {
		err := t.src.next(&t.rec)
		switch {
		case err == nil:
			if t.rec.Kind == EndRecord {
				t.live = false
			}
			return &t.rec, nil
		case err == io.EOF:
			return nil, err
		case !errors.Is(err, errWait):
			return nil, fmt.Errorf("reading %s: %w", t.path, err)
		}
		if t.shrunk() {
			continue
		}
		switch {
		case t.gone || t.src.ended:
			t.live = false
			t.src.live = false
		case t.writerLives():
			return nil, ErrWait
		default:
			// It may have written between our last look at the file and its end.
			t.gone = true
		}
	}
}

// shrunk deals with a file that was cut by somebody: reading goes on at its new end.
func (t *Tail) shrunk() bool {
	l := &t.src.lines
	info, err := t.f.Stat()
	if err != nil || info.Size() >= l.offset+int64(l.to-l.from) {
		return false
	}
	t.src.report(Damage{Line: l.number + 1, Offset: info.Size(), Reason: "the file became shorter"})
	if _, err := t.f.Seek(info.Size(), io.SeekStart); err != nil {
		l.err = err
		return false
	}
	l.from, l.to, l.seen, l.offset = 0, 0, 0, info.Size()
	return true
}

func (t *Tail) writerLives() bool {
	switch writerState(t.f, t.Header()) {
	case Live:
		return true
	case Unknown:
		info, err := t.f.Stat()
		return err == nil && time.Since(info.ModTime()) < recently
	}
	return false
}

// Live reports whether the recording may still grow, as far as the calls of Next have told.
func (t *Tail) Live() bool { return t.live }

// Unfinished returns what is there of a line that has not ended on stream s, and when its first byte
// came. The bytes are valid until the next call of Next; nil means there is none.
func (t *Tail) Unfinished(s Stream) (data []byte, since time.Duration) {
	if t.src == nil || s > Stderr || t.src.open[s].count == 0 {
		return nil, 0
	}
	return t.src.open[s].data, t.src.open[s].t0
}

// Damage returns the places that could not be read so far.
func (t *Tail) Damage() []Damage {
	if t.src == nil {
		return t.reader.Damage()
	}
	return t.src.damage
}

// TornBytes returns the length of an incomplete last line, known when Next has returned io.EOF.
func (t *Tail) TornBytes() int64 {
	if t.src == nil {
		return t.reader.TornBytes()
	}
	return t.src.torn
}

// Close closes the file.
func (t *Tail) Close() error { return t.reader.Close() }
