package tui

import "errors"

// folder is the library of a real folder.
type folder struct{ dir string }

func (f folder) list() ([]listing, error) { return nil, nil }

func (f folder) open(path string) (*source, error) { return nil, errors.New("not yet") }

func (f folder) name() string { return f.dir }
