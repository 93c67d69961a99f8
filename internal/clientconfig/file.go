package clientconfig

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/rogpeppe/go-internal/diff"
)

// largest is the size, in bytes, beyond which a file is not read: no configuration is so large.
const largest = 64 << 20

// File is one configuration and the changes made to it in memory.
type File struct {
	Location
	// Target is the file itself, where Path is a symbolic link.
	Target string

	syntax   syntax
	mode     os.FileMode
	original []byte
	now      []byte
}

// Load reads the file of l. The error says why it cannot be edited.
func Load(l Location) (*File, error) {
	target, err := filepath.EvalSymlinks(l.Path)
	if err != nil {
		return nil, err
	}
	info, err := os.Stat(target)
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, errors.New("it is no ordinary file")
	case info.Size() > largest:
		return nil, fmt.Errorf("it has %d bytes, more than a configuration can have", info.Size())
	}
	src, err := os.ReadFile(target)
	if err != nil {
		return nil, err
	}
	f := &File{Location: l, Target: target, mode: info.Mode(), original: src, now: src}
	if f.syntax = syntaxOf(l.Path); f.syntax == nil {
		return nil, errors.New("its format is not known")
	}
	if !utf8.Valid(src) {
		return nil, errors.New("it is not in UTF-8")
	}
	if _, err := f.root(); err != nil {
		return nil, fmt.Errorf("it cannot be parsed: %w", err)
	}
	return f, nil
}

func syntaxOf(path string) syntax {
	switch strings.ToLower(filepath.Ext(path)) {
	case ".json", ".jsonc":
		return jsonSyntax{}
	case ".toml":
		return tomlSyntax{}
	case ".yaml", ".yml":
		return yamlSyntax{}
	}
	return nil
}

func (f *File) root() (*value, error) {
	_, src := cutBOM(f.now)
	if blank(src) {
		return &value{kind: table}, nil
	}
	return f.syntax.parse(src)
}

// State is what can be done with a server.
type State string

// The states.
const (
	Plain   State = "plain"   // as its client's user wrote it; can be wrapped
	Wrapped State = "wrapped" // starts shakescope; can be unwrapped
	Skipped State = "skipped" // neither, for the reason that stands beside it
)

// Server is one entry of a configuration file, as it is in memory.
type Server struct {
	Name string
	// Scope is the project it is for, where a file holds those of several.
	Scope   string
	Command []string // nil when skipped
	State   State
	Reason  string // why it is skipped

	keys []string
}

// Servers lists the entries as they are now, in the order of the file.
func (f *File) Servers(w *Wrapper) ([]Server, error) {
	root, err := f.root()
	if err != nil {
		return nil, err
	}
	_, src := cutBOM(f.now)
	var all []Server
	for _, p := range f.Client.places {
		walk(root, p, nil, func(container *value, keys []string) {
			add := func(name string, t *value) {
				s := Server{Name: name, keys: append(slices.Clone(keys), name)}
				if len(keys) == 3 {
					s.Scope = keys[1]
				}
				e := &entry{syntax: f.syntax, src: src, root: root, table: t, fields: f.Client.fields}
				e.describe(&s, w)
				all = append(all, s)
			}
			for _, m := range container.members {
				add(m.name, m.value)
			}
			for _, i := range container.items {
				if m, n := i.get("name"); n == 1 && m.value.kind == text {
					add(m.value.text, i)
				}
			}
		})
	}
	for i := range all {
		if slices.ContainsFunc(all[:i], func(s Server) bool { return slices.Equal(s.keys, all[i].keys) }) {
			all[i].State, all[i].Reason = Skipped, "a server of this name stands in the file twice"
		}
	}
	return all, nil
}

// walk calls found for every container at p.
func walk(v *value, p place, keys []string, found func(*value, []string)) {
	if len(p) == 0 {
		found(v, keys)
		return
	}
	for _, m := range v.members {
		if m.name == p[0] || p[0] == "*" {
			walk(m.value, p[1:], append(slices.Clone(keys), m.name), found)
		}
	}
}

// describe fills in what can be done with an entry.
func (e *entry) describe(s *Server, w *Wrapper) {
	argv, values, _, _, err := e.argv()
	switch {
	case err != nil:
		s.State, s.Reason = Skipped, e.reason(err)
	case w.split(argv) > 0:
		s.State, s.Command = Wrapped, argv
	case values[0].fixed:
		s.State, s.Reason = Skipped, "its command is spelled in a way that cannot be moved"
	default:
		s.State, s.Command = Plain, argv
	}
}

func (e *entry) reason(err error) string {
	if err != errRemote {
		return err.Error()
	}
	for _, name := range []string{"url", "serverUrl", "httpUrl", "uri"} {
		if _, n := e.table.get(name); n > 0 {
			return "it is reached by " + name + ": there is no process to stand in front of"
		}
	}
	if m, n := e.table.get("type"); n == 1 && m.value.kind == text && m.value.text != "stdio" {
		return fmt.Sprintf("its type is %s: there is no process to stand in front of", m.value.text)
	}
	return "it has no " + e.fields.command
}

// find returns the entry with these keys; each must stand there once.
func find(root *value, keys []string) (*value, error) {
	v := root
	for _, k := range keys {
		if v.kind == list {
			var found *value
			for _, i := range v.items {
				if m, n := i.get("name"); n == 1 && m.value.text == k {
					if found != nil {
						return nil, fmt.Errorf("%q stands in the file twice", k)
					}
					found = i
				}
			}
			if found == nil {
				return nil, fmt.Errorf("%q is not in the file", k)
			}
			v = found
			continue
		}
		m, n := v.get(k)
		switch {
		case n == 0:
			return nil, fmt.Errorf("%q is not in the file", k)
		case n > 1:
			return nil, fmt.Errorf("%q stands in the file twice", k)
		}
		v = m.value
	}
	return v, nil
}

// Wrap puts w in front of s, in memory.
func (f *File) Wrap(s Server, w *Wrapper) error {
	return f.change(s, func(e *entry, find func(*value) (*value, error)) ([]byte, error) {
		splices, want, err := e.wrap(w, s.Name)
		if err != nil {
			return nil, err
		}
		out, err := e.edited(splices, want, find)
		if err != nil {
			return nil, err
		}
		root, _ := e.syntax.parse(out)
		t, _ := find(root)
		back, _, err := (&entry{syntax: e.syntax, src: out, root: root, table: t, fields: e.fields}).unwrap(w)
		if err != nil || !bytes.Equal(apply(out, back), e.src) {
			return nil, errors.New("the change could not be undone to the letter")
		}
		return out, nil
	})
}

// Unwrap takes one shakescope away from before s, in memory.
func (f *File) Unwrap(s Server, w *Wrapper) error {
	return f.change(s, func(e *entry, find func(*value) (*value, error)) ([]byte, error) {
		splices, want, err := e.unwrap(w)
		if err != nil {
			return nil, err
		}
		return e.edited(splices, want, find)
	})
}

func (f *File) change(s Server, do func(*entry, func(*value) (*value, error)) ([]byte, error)) error {
	mark, src := cutBOM(f.now)
	root, err := f.root()
	if err != nil {
		return err
	}
	at := func(root *value) (*value, error) { return find(root, s.keys) }
	t, err := at(root)
	if err != nil {
		return err
	}
	out, err := do(&entry{syntax: f.syntax, src: src, root: root, table: t, fields: f.Client.fields}, at)
	if err != nil {
		return err
	}
	f.now = append(slices.Clone(mark), out...)
	return nil
}

// Diff is the change as a unified diff; nil when there is none.
func (f *File) Diff() []byte {
	return diff.Diff(f.Path, f.original, f.Path, f.now)
}

// ErrChanged is returned by [File.Save] and [File.Restore] when someone else has written the file since it was loaded.
var ErrChanged = errors.New("it has been changed meanwhile; nothing was written")
