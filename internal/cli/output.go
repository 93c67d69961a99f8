package cli

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"unicode/utf8"

	"github.com/shakescope/shakescope/internal/termtext"
)

// outputBuffer is large: a recording can print millions of lines.
const outputBuffer = 256 << 10

// output is where results go: standard output, or the file of -o, which gets its name only when it
// is complete.
type output struct {
	*bufio.Writer
	tty  bool
	file *os.File // nil for standard output
	path string
	temp bool
}

// standardOutput buffers standard output. Call finish at the end.
func (a *app) standardOutput() *output {
	return &output{Writer: bufio.NewWriterSize(a.stdout, outputBuffer), tty: isTerminal(a.stdout)}
}

// outputTo opens the file of -o: "" and "-" are standard output. What is read from must not be
// written to: sources, which may be nil.
func (a *app) outputTo(path string, sources ...*source) (*output, error) {
	if path == "" || path == "-" {
		return a.standardOutput(), nil
	}
	o := &output{path: path}
	there, err := os.Stat(path)
	if err == nil {
		if there.IsDir() {
			return nil, fail(2, "", "%s is a folder", path)
		}
		for _, in := range sources {
			if in == nil || in.path == "" {
				continue
			}
			if from, err := os.Stat(in.path); err == nil && os.SameFile(from, there) {
				return nil, fail(2, "", "%s is the file that is read", path)
			}
		}
	}
	if err == nil && !there.Mode().IsRegular() { // a FIFO, a device: written as it is
		o.file, err = os.OpenFile(path, os.O_WRONLY, 0)
	} else {
		o.temp = true
		o.file, err = os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-*")
	}
	if errors.Is(err, fs.ErrNotExist) { // the name that is missing is not the one that was made up here
		return nil, fail(2, "make the folder first", "writing %s: there is no folder %s", path, filepath.Dir(path))
	}
	var pe *fs.PathError
	if errors.As(err, &pe) {
		err = pe.Err
	}
	if err != nil {
		return nil, fail(2, "", "writing %s: %w", path, err)
	}
	o.tty = isTerminal(o.file)
	o.Writer = bufio.NewWriterSize(o.file, outputBuffer)
	return o, nil
}

// finish writes what is buffered. With err, a file of -o is not made; err is returned.
func (o *output) finish(err error) error {
	if err == nil {
		err = o.Flush()
	} else if o.file == nil {
		o.Flush() // what was printed before the error is still true
	}
	if o.file == nil {
		return writing(err)
	}
	if e := o.file.Close(); err == nil {
		err = e
	}
	if o.temp {
		if err == nil {
			err = os.Rename(o.file.Name(), o.path)
		}
		if err != nil {
			os.Remove(o.file.Name())
		}
	}
	return writing(err)
}

// writing gives an error of writing its exit code.
func writing(err error) error {
	var f *failure
	if err == nil || errors.As(err, &f) {
		return err
	}
	return fail(2, "", "writing the result: %w", err)
}

// jsonWriter is where JSON lines go. On a terminal, characters inside strings that a terminal obeys
// (C1 controls, DEL, bidi and invisible ones) are written as \u escapes: the value stays the same.
func (o *output) jsonWriter() io.Writer {
	if o.tty {
		return &harmlessJSON{w: o.Writer}
	}
	return o.Writer
}

// writeJSON writes v as one line of JSON.
func writeJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	return e.Encode(v)
}

type harmlessJSON struct {
	w   io.Writer
	buf []byte
}

func (h *harmlessJSON) Write(p []byte) (int, error) {
	if !bytes.ContainsFunc(p, obeyed) {
		return h.w.Write(p)
	}
	h.buf = h.buf[:0]
	for rest := p; len(rest) > 0; {
		r, n := utf8.DecodeRune(rest)
		switch {
		case !obeyed(r):
			h.buf = append(h.buf, rest[:n]...)
		case r > 0xffff:
			r -= 0x10000
			h.buf = fmt.Appendf(h.buf, `\u%04x\u%04x`, 0xd800+r>>10, 0xdc00+r&0x3ff)
		default:
			h.buf = fmt.Appendf(h.buf, `\u%04x`, r)
		}
		rest = rest[n:]
	}
	if _, err := h.w.Write(h.buf); err != nil {
		return 0, err
	}
	return len(p), nil
}

// obeyed reports whether r does more on a terminal than show itself. In JSON lines it can stand only
// inside strings, line feeds excepted.
func obeyed(r rune) bool {
	if r < 0x7f {
		return r < ' ' && r != '\n'
	}
	s := string(r)
	return termtext.Clean(s) != s
}
