package recordings

import (
	"errors"
	"fmt"
	"io"
	"time"
)

// recently is how old the last write may be of a file whose writer cannot be looked for.
const recently = 10 * time.Second

// Tail reads a recording that may still grow. It polls: nothing happens between calls.
type Tail struct {
	path   string
	reader *Reader // of a file that cannot grow: packed or foreign
	src    *native
	rec    Record
	live   bool
	gone   bool // the writer is, and what it wrote is read once more
}

// NewTail opens the file path, at its beginning, and the segments that follow it. Files of other forms,
// which do not grow, are read like by [Open].
func NewTail(path string) (*Tail, error) {
	r, err := Open(path)
	if err != nil {
		return nil, err
	}
	t := &Tail{path: path, reader: r}
	src, ok := r.src.(*native)
	if info, err := r.file.Stat(); err != nil || !info.Mode().IsRegular() {
		return t, nil // a pipe ends by itself
	}
	if !ok || r.packed && (r.chain == nil || r.chain.all[len(r.chain.all)-1].packed) {
		return t, nil
	}
	t.src = src
	src.follow = t.follow
	if r.packed {
		return t, nil
	}
	// What there is of a first record was read with the header; more of it may come.
	if _, err := r.file.Seek(0, io.SeekStart); err != nil {
		r.Close()
		return nil, err
	}
	t.src = &native{
		lines: lines{src: r.file}, plain: src.plain, header: src.header, live: true,
		follow: t.follow, number: src.number, file: src.file, missing: src.missing,
	}
	if len(src.missing) > 0 {
		t.src.damage = src.damage[len(src.damage)-1:]
	}
	r.src = t.src
	if c := r.chain; c != nil && len(c.rest) > 0 {
		t.live = c.rest[len(c.rest)-1].lives()
	} else {
		t.live = t.writerLives()
	}
	return t, nil
}

// follow is [Reader.following] for a file that may grow.
func (t *Tail) follow() (*native, string, error) {
	next, missing, err := t.reader.following()
	if next != nil {
		t.gone = false
		t.src.live = !t.reader.packed
		if t.src.live {
			// As in NewTail.
			if _, err := t.reader.file.Seek(0, io.SeekStart); err != nil {
				return nil, "", err
			}
			next.lines, next.held, next.damage = lines{src: t.reader.file}, nil, nil
		}
	}
	return next, missing, err
}

// more reports whether the recording goes on in another file than the one that is read.
func (t *Tail) more() bool {
	c := t.reader.chain
	if c == nil {
		c = &chain{at: segment{t.path, t.src.number, t.Header(), t.reader.packed}}
		t.reader.chain = c
	}
	if len(c.rest) == 0 && (t.src.goesOn != "" || nextTo(c.at.path, c.at.header)) {
		if err := c.again(); err != nil {
			return false
		}
	}
	return len(c.rest) > 0
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
		case t.gone && t.more():
			t.src.live = false // the end of this file, not of the recording
		case t.gone || t.src.ended:
			t.live = false
			t.src.live = false
		case t.src.goesOn == "" && t.writerLives():
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
	info, err := t.reader.file.Stat()
	if err != nil || info.Size() >= l.offset+int64(l.to-l.from)-t.src.base {
		return false
	}
	t.src.report(Damage{Line: l.number + 1, Offset: t.src.base + info.Size(), Reason: "the file became shorter"})
	if _, err := t.reader.file.Seek(info.Size(), io.SeekStart); err != nil {
		l.err = err
		return false
	}
	l.from, l.to, l.seen, l.offset = 0, 0, 0, t.src.base+info.Size()
	return true
}

// writtenBy returns the header of the file that is read.
func (t *Tail) writtenBy() *Header {
	if c := t.reader.chain; c != nil {
		return c.at.header
	}
	return t.Header()
}

func (t *Tail) writerLives() bool { return written(t.reader.file, t.writtenBy()) }

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
