package recordings

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
)

// Errors that say why a file cannot be read at all. They come wrapped.
var (
	// ErrFormat: the file is no recording and no log that can be imported.
	ErrFormat = errors.New("not a recording")
	// ErrVersion: the format has a newer major version.
	ErrVersion = errors.New("recording in a format that is too new")
)

// errWait is the end of what is there of a file that may grow.
var errWait = errors.New("nothing new yet")

// ErrWait is returned by [Tail.Next] when there is nothing new now.
var ErrWait = errWait

// Format names the form of a file.
type Format string

// The formats that can be read.
const (
	Native Format = "native"
	Wire   Format = "wire"
)

// source gives the records of one form of file.
type source interface {
	next(*Record) error
	about() (*Header, []Damage, int64)
}

func (r *native) about() (*Header, []Damage, int64) { return r.header, r.damage, r.torn }

// Reader reads the records of a recording, or of a log that can be imported, from the beginning to
// the end. It is not safe for concurrent use.
type Reader struct {
	name    string
	format  Format
	src     source
	rec     Record
	err     error
	closers []io.Closer

	file   *os.File // that is being read; nil for what is no file
	packed bool     // it is compressed
	chain  *chain   // nil for one file
}

// Open reads the file path: a recording or a log of another form, as it is or compressed by gzip or
// zstd. What it is shows in its content. A file that is neither gives [ErrFormat].
//
// A segment of a recording stands for all of it: reading begins with the first segment that lies beside
// it. Segments that are missing are said by [Reader.Missing], and are gaps where something stands before
// them.
func Open(path string) (*Reader, error) {
	r, err := openOne(path)
	if err != nil || r.format != Native {
		return r, err
	}
	if !segmented(path, r.file, r.Header(), !r.packed) {
		return r, nil
	}
	return r.chained(path)
}

// openOne reads the file path and no other segment.
func openOne(path string) (*Reader, error) {
	f, err := openRegular(path)
	if err != nil {
		return nil, err
	}
	r, err := NewReader(f, path)
	if err != nil {
		f.Close()
		return nil, err
	}
	r.file = f
	r.closers = append(r.closers, f)
	return r, nil
}

// openRegular opens a file for reading, but no folder.
func openRegular(path string) (*os.File, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	if info, err := f.Stat(); err == nil && info.IsDir() {
		f.Close()
		return nil, fmt.Errorf("%w: %s is a folder", ErrFormat, path)
	}
	return f, nil
}

// NewReader reads from src, under a name that appears in errors and as the source of a foreign log.
// It blocks until it can tell what src holds. Closing the Reader does not close src.
func NewReader(src io.Reader, name string) (*Reader, error) {
	r := &Reader{name: name}
	l := lines{src: src}
	plain := true
	if unpack, err := r.unpack(&l); err != nil {
		return nil, fmt.Errorf("reading %s: %w", name, err)
	} else if unpack != nil {
		l = lines{src: unpack}
		plain = false
		r.packed = true
	}
	if err := r.sniff(&l, plain); err != nil {
		r.Close()
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return r, nil
}

// sniffed is how far into a file a line is looked for that tells what it is.
const (
	sniffed      = 256 << 10
	sniffedLines = 64
)

// sniff finds out what the lines are. A damaged first line does not hide what follows.
func (r *Reader) sniff(l *lines, plain bool) error {
	for l.to-l.from < len(pcapngStart) && l.fill() {
	}
	if start := l.buf[l.from:l.to]; bytes.HasPrefix(start, pcapngStart) {
		src, err := newCapture(io.MultiReader(bytes.NewReader(start), l.src), r.name)
		r.format, r.src = Pcapng, src
		return err
	}
	for n := range sniffedLines {
		line, ok := l.peek(n, sniffed)
		if !ok {
			break
		}
		switch format, err := formatOf(line); {
		case err != nil:
			return err
		case format == Native:
			r.format = Native
			r.src = &native{lines: *l, plain: plain, lined: plain, follow: r.following}
			return r.readHeader()
		case format == Wire:
			r.format = Wire
			src := newWire(*l, r.name)
			src.lined = plain
			r.src = src
			return nil
		}
	}
	switch {
	case l.err == nil:
	case plain:
		return l.err
	default:
		return fmt.Errorf("%w: %w", ErrFormat, l.err)
	}
	for l.to-l.from < sniffed && l.fill() {
	}
	format, log, err := foreignLogOf(l.buf[l.from:min(l.to, l.from+sniffed)])
	if err != nil {
		return err
	}
	r.format = format
	src := newForeign(*l, format, r.name, log)
	src.lined = plain
	r.src = src
	return nil
}

// readHeader reads the first record, and with it the header in front of it.
func (r *Reader) readHeader() error {
	src := r.src.(*native)
	src.strict = true
	n, at, err := src.line()
	src.strict = false
	if err == nil {
		src.held, src.heldAt = new(nativeLine), at
		*src.held = *n
	}
	if err == io.EOF {
		err = nil
	}
	src.number = numberOf(cmp.Or(src.header, new(Header)))
	if src.header == nil {
		// The records can be read all the same.
		src.header = &Header{Format: formatVersion}
		src.headless = true
	}
	return err
}

// formatOf says of which form a line is, "" when it does not tell.
func formatOf(line []byte) (Format, error) {
	line = bytes.TrimSpace(line)
	if len(line) == 0 || line[0] != '{' {
		return "", nil
	}
	var p parser
	var n nativeLine
	if err := p.parse(&n, line, true); err == nil && n.kind != unknownLine {
		if n.kind == headerLine {
			_, err := parseHeader(line)
			return Native, err
		}
		return Native, nil
	}
	if isWire(line) || len(line) >= sniffed/2 && beginsWire(line) {
		return Wire, nil
	}
	return "", nil
}

// beginsWire reports whether the beginning of a line, too long to be looked at as a whole, is that of a
// wire log: its first member tells.
func beginsWire(line []byte) bool {
	name := bytes.TrimLeft(line[1:], " \t")
	for _, known := range [...]string{`"t_ms"`, `"dir"`, `"raw"`, `"raw_b64"`} {
		if bytes.HasPrefix(name, []byte(known)) {
			return true
		}
	}
	return false
}

// Header returns the header, never nil. That of a foreign log says so in its Imported.
func (r *Reader) Header() *Header {
	h, _, _ := r.src.about()
	return h
}

// Format says of which form the file is.
func (r *Reader) Format() Format { return r.format }

// Next returns the next record, and io.EOF after the last. The record and its Data are valid until
// the next call. A line that was unfinished when the file ended comes as a last frame, Partial.
// What cannot be read is no error: it is stepped over and reported by [Reader.Damage].
func (r *Reader) Next() (*Record, error) {
	if r.err != nil {
		return nil, r.err
	}
	if err := r.src.next(&r.rec); err != nil {
		if err != io.EOF {
			err = fmt.Errorf("reading %s: %w", r.name, err)
		}
		r.err = err
		return nil, err
	}
	return &r.rec, nil
}

// Damage returns the places that could not be read so far, the first thousand of them.
func (r *Reader) Damage() []Damage {
	_, damage, _ := r.src.about()
	return damage
}

// TornBytes returns the length of an incomplete last line, known when Next has returned io.EOF.
func (r *Reader) TornBytes() int64 {
	_, _, torn := r.src.about()
	return torn
}

// Missing returns the names of the segments of the recording that were found to be missing so far.
func (r *Reader) Missing() []string {
	if src, ok := r.src.(*native); ok {
		return src.missing
	}
	return nil
}

// Close frees what the Reader holds.
func (r *Reader) Close() error {
	var errs []error
	for _, c := range r.closers {
		errs = append(errs, c.Close())
	}
	r.closers = nil
	return errors.Join(errs...)
}
