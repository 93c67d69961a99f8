package cli

import (
	"context"
	"errors"
	"io"
	"os"
	"time"

	"github.com/shakescope/shakescope/recordings"
)

// pollEvery is how often a live recording is looked at when it had nothing new.
const pollEvery = 50 * time.Millisecond

// errInterrupted says that somebody wants no more.
var errInterrupted = errors.New("interrupted")

// live is a recording that is read while it may grow: a file, or a pipe.
type live struct {
	name   string // for people
	path   string // "" for a pipe
	header *recordings.Header

	tail   *recordings.Tail   // nil for a pipe
	reader *recordings.Reader // of the pipe
	in     chan delivery      // from the pipe
	stop   chan struct{}
}

// delivery is what a pipe brought.
type delivery struct {
	rec *recordings.Record
	err error
}

// live opens a FILE to be followed.
func (a *app) live(file string) (*live, error) {
	if file == "-" {
		r, err := recordings.NewReader(a.stdin, "standard input")
		if err != nil {
			return nil, unusable("standard input", err)
		}
		return &live{name: "standard input", reader: r, header: r.Header(), stop: make(chan struct{})}, nil
	}
	path, err := a.resolve(file)
	if err != nil {
		return nil, err
	}
	tail, err := recordings.NewTail(path)
	if err != nil {
		return nil, unusable(path, err)
	}
	return &live{name: path, path: path, tail: tail, header: tail.Header()}, nil
}

func (l *live) close() {
	if l.tail != nil {
		l.tail.Close()
		return
	}
	close(l.stop) // who waits for the pipe may still read from it
}

func (l *live) damage() []recordings.Damage {
	if l.tail != nil {
		return l.tail.Damage()
	}
	return l.reader.Damage()
}

// each hands every record to take, which must not keep it, and calls idle whenever nothing is there for a moment. It
// returns nil at the end of the recording and errInterrupted when ctx ends before.
func (l *live) each(ctx context.Context, take func(*recordings.Record) error, idle func() error) error {
	for {
		rec, err := l.next(ctx)
		switch {
		case errors.Is(err, recordings.ErrWait):
			err = idle()
		case err == io.EOF:
			return nil
		case err == nil:
			err = take(rec)
		}
		if err != nil {
			return err
		}
	}
}

// next returns the next record, or recordings.ErrWait after a moment without one.
func (l *live) next(ctx context.Context) (*recordings.Record, error) {
	if ctx.Err() != nil {
		return nil, errInterrupted
	}
	if l.tail == nil {
		return l.fromPipe(ctx)
	}
	rec, err := l.tail.Next()
	if !errors.Is(err, recordings.ErrWait) {
		return rec, err
	}
	select {
	case <-ctx.Done():
	case <-time.After(pollEvery):
	}
	return nil, err
}

// fromPipe reads in a goroutine: nothing else ends a read from a pipe whose other end is silent.
func (l *live) fromPipe(ctx context.Context) (*recordings.Record, error) {
	if l.in == nil {
		l.in = make(chan delivery)
		go l.drain()
	}
	select {
	case got := <-l.in:
		return got.rec, got.err
	case <-ctx.Done():
		return nil, errInterrupted
	case <-time.After(pollEvery):
		return nil, recordings.ErrWait
	}
}

// drain hands over copies, so that the reader can read on.
func (l *live) drain() {
	for {
		rec, err := l.reader.Next()
		var got delivery
		if err != nil {
			got.err = err
		} else {
			own := *rec
			own.Data = append([]byte(nil), rec.Data...)
			got.rec = &own
		}
		select {
		case l.in <- got:
		case <-l.stop:
			return
		}
		if err != nil {
			return
		}
	}
}

// growing opens the file of -o so that it can be read while it grows: it has its name from the start. What was there
// under that name is replaced.
func (a *app) growing(path string, in *live) (*output, error) {
	o, err := a.outputTo(path, &source{path: in.path})
	if err != nil || !o.temp {
		return o, err
	}
	if err := os.Rename(o.file.Name(), o.path); err != nil {
		o.file.Close()
		os.Remove(o.file.Name())
		return nil, fail(2, "", "%w", err)
	}
	o.temp = false
	return o, nil
}
