//go:build !linux

package proxy

import (
	"io"
	"os"
)

// inlet is the reading end of a pipe.
type inlet struct{ *os.File }

func newInlet(f *os.File) *inlet { return &inlet{f} }

// adapt changes nothing here: only Linux has two ways of reading.
func (i *inlet) adapt(flow) {}

// pollable has no better reader than r to offer here.
func pollable(r io.Reader) (reader io.Reader, done func()) { return r, func() {} }
