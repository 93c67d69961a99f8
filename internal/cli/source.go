package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/shakescope/shakescope/annotate"
	"github.com/shakescope/shakescope/internal/export"
	"github.com/shakescope/shakescope/internal/filter"
	"github.com/shakescope/shakescope/internal/redact"
	"github.com/shakescope/shakescope/recordings"
)

// source is a FILE of the command line. It can be opened any number of times, also when it is
// standard input: two passes over a recording know more than one.
type source struct {
	name string // as the user may know it: the path, or "-"
	path string // "" for standard input

	spool *os.File // what standard input held
	base  int64    // where it starts in spool
	size  int64
	temp  string // the spool's name, while it has one that is to be removed

	filter      *filter.Expr // what collect hands out, nil for everything
	seen, shown int64        // entries that met the filter, and those that passed

	secrets *redact.Redactor // masks the secrets in what header and collect hand out; nil leaves them in
}

// source resolves a FILE: "-", "last", an id, or a path.
func (a *app) source(file string) (*source, error) {
	if file == "-" {
		return a.spooled()
	}
	path, err := a.resolve(file)
	if err != nil {
		return nil, err
	}
	return &source{name: path, path: path}, nil
}

// shortName is how people are told of the recording at path: by its id if the verbs take that for it, else by path.
func shortName(path string) string {
	dir, err := recordings.DefaultDir()
	if err != nil || filepath.Dir(path) != dir {
		return path
	}
	id, ok := strings.CutSuffix(filepath.Base(path), ".jsonl")
	if !ok {
		return path
	}
	if found, err := (recordings.Folder{Dir: dir}).Resolve(id); err != nil || found != path {
		return path
	}
	return id
}

// resolve turns a FILE other than "-" into a path that exists.
func (a *app) resolve(file string) (string, error) {
	// A folder that cannot be told makes no path unreadable; only last and ids need it.
	dir, dirErr := recordings.DefaultDir()
	path, err := recordings.Folder{Dir: dir}.Resolve(file)
	if err != nil {
		if dirErr != nil {
			err = dirErr
		}
		return "", fail(2, whatFileIs, "%w", err)
	}
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return "", fail(2, whatFileIs, "%s is a folder", path)
	} else if err != nil {
		return "", fail(2, whatFileIs, "%w", err)
	}
	return path, nil
}

// spooled makes standard input readable more than once: as it is when it is a file, else by way of a
// private temporary file that has lost its name before anybody else could open it.
func (a *app) spooled() (*source, error) {
	s := &source{name: "-"}
	if isTerminal(a.stdin) {
		return nil, fail(2, "give a FILE, or pipe a recording in", "standard input is a terminal")
	}
	if info, err := a.stdin.Stat(); err == nil && info.Mode().IsRegular() {
		if at, err := a.stdin.Seek(0, io.SeekCurrent); err == nil {
			s.spool, s.base, s.size = a.stdin, at, max(info.Size()-at, 0)
			return s, nil
		}
	}
	f, err := os.CreateTemp("", "shakescope-*") // 0600
	if err != nil {
		return nil, fail(2, "", "spooling standard input: %w", err)
	}
	if os.Remove(f.Name()) != nil {
		s.temp = f.Name() // Windows: it keeps its name until it is closed
	}
	s.spool = f
	if s.size, err = io.Copy(f, a.stdin); err != nil {
		s.close()
		return nil, fail(2, "", "reading standard input: %w", err)
	}
	return s, nil
}

// close frees what standard input took. Readers opened before are dead afterwards.
func (s *source) close() {
	if s.spool != nil && s.spool != os.Stdin {
		s.spool.Close()
	}
	if s.temp != "" {
		os.Remove(s.temp)
	}
}

// named returns a path under which the recording can be opened by others, and what removes it again.
func (s *source) named() (path string, remove func(), err error) {
	if s.path != "" {
		return s.path, func() {}, nil
	}
	f, err := os.CreateTemp("", "shakescope-*")
	if err != nil {
		return "", nil, fail(2, "", "spooling standard input: %w", err)
	}
	remove = func() { os.Remove(f.Name()) }
	_, err = io.Copy(f, io.NewSectionReader(s.spool, s.base, s.size))
	if e := f.Close(); err == nil {
		err = e
	}
	if err != nil {
		remove()
		return "", nil, fail(2, "", "spooling standard input: %w", err)
	}
	return f.Name(), remove, nil
}

// open opens the recording from its start. It is an annotate.Source.
func (s *source) open() (*recordings.Reader, error) {
	if s.path != "" {
		r, err := recordings.Open(s.path)
		return r, unusable(s.name, err)
	}
	r, err := recordings.NewReader(io.NewSectionReader(s.spool, s.base, s.size), "standard input")
	return r, unusable(s.name, err)
}

// collect hands every entry that passes the filter to yield, final, in recording order.
func (s *source) collect(yield func(*annotate.Entry) error) (*annotate.Recording, error) {
	if s.filter != nil && yield != nil {
		rec, err := s.matching(yield)
		return rec, unusable(s.name, err)
	}
	rec, err := export.Collect(s.open, s.secrets, nil, yield)
	return rec, unusable(s.name, err)
}

// unusable makes err an error with exit code 2 that names the file once.
func unusable(name string, err error) error {
	var f *failure
	if err == nil || errors.As(err, &f) {
		return err
	}
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return fail(2, "", "%w", err)
	}
	hint := ""
	if errors.Is(err, recordings.ErrFormat) {
		hint = docsURL + "/imports.md lists the logs that can be read"
	}
	if strings.HasPrefix(err.Error(), name+": ") {
		return fail(2, hint, "%w", err)
	}
	return fail(2, hint, "%s: %w", name, err)
}

// warnDamage says on standard error what of the file could not be read. It is never fatal.
func (a *app) warnDamage(name string, damage []recordings.Damage) {
	const most = 5
	for i, d := range damage {
		if i == most {
			a.note("%s: %d more damaged places; `shakescope verify` lists them", name, len(damage)-most)
			return
		}
		at := name
		if d.File != "" {
			at = filepath.Join(filepath.Dir(name), d.File)
		}
		switch {
		case d.Line == 0:
			a.note("%s: %s", at, d.Reason)
		case d.Torn:
			a.note("%s: the last line is incomplete (%d bytes left out)", at, d.Bytes)
		default:
			a.note("%s: line %d was stepped over: %s", at, d.Line, d.Reason)
		}
	}
}

// note prints a line that is no error on standard error.
func (a *app) note(format string, args ...any) {
	a.say(fmt.Sprintf(format, args...))
}
