package tui

import (
	"bufio"
	"fmt"
	"os"
	"sync"

	"github.com/shakescope/shakescope/recordings"
)

// spool keeps the data of frames that have no place of their own to be read again from: those of
// packed and foreign files. It is a private temporary file.
type spool struct {
	mu   sync.Mutex
	f    *os.File
	w    *bufio.Writer
	size int64
}

func newSpool() (*spool, error) {
	f, err := os.CreateTemp("", "shakescope-view-*")
	if err != nil {
		return nil, fmt.Errorf("making a temporary file: %w", err)
	}
	// Without a name it cannot be left behind, however the program ends. Windows keeps the name of an
	// open file; there, close removes it.
	os.Remove(f.Name())
	return &spool{f: f, w: bufio.NewWriterSize(f, 256<<10)}, nil
}

// keep stores the data of a frame and sets the record's place to where it is.
func (s *spool) keep(rec *recordings.Record) error {
	rec.Pos, rec.Len = s.size, 0
	if rec.Kind != recordings.FrameRecord || len(rec.Data) == 0 {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	n, err := s.w.Write(rec.Data)
	s.size += int64(n)
	rec.Len = int64(n)
	if err != nil {
		return fmt.Errorf("writing a temporary file: %w", err)
	}
	return nil
}

// read returns what keep stored.
func (s *spool) read(pos, length int64) ([]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.f == nil {
		return nil, os.ErrClosed
	}
	if err := s.w.Flush(); err != nil {
		return nil, fmt.Errorf("writing a temporary file: %w", err)
	}
	b := make([]byte, length)
	if _, err := s.f.ReadAt(b, pos); err != nil {
		return nil, fmt.Errorf("reading a temporary file: %w", err)
	}
	return b, nil
}

func (s *spool) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.f == nil {
		return
	}
	name := s.f.Name()
	s.f.Close()
	os.Remove(name)
	s.f = nil
}
