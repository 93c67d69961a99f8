package annotate

import (
	"fmt"
	"io"

	"github.com/shakescope/shakescope/jsonrpc"
	"github.com/shakescope/shakescope/recordings"
)

// Bounds of a stretch: large enough that handing it over costs nothing beside the work on it.
const (
	stretchRecords = 256
	stretchBytes   = 1 << 20
	stretches      = 3 // in use at a time
)

// stretch is a run of records that one goroutine has prepared for another. Its data lives until it is filled again.
type stretch struct {
	records  []recordings.Record
	messages []jsonrpc.Message // of the records, where they are frames that are decoded
	entries  []Entry
	data     []byte
	err      error // what ended it, io.EOF for the end
}

func (b *stretch) reset() {
	clear(b.entries)  // they hold on to much
	clear(b.messages) // likewise
	b.records, b.messages, b.entries, b.data, b.err = b.records[:0], b.messages[:0], b.entries[:0], b.data[:0], nil
	if cap(b.data) > 4*stretchBytes {
		b.data = nil
	}
}

// reading fills stretches from a reader.
type reading struct {
	r    *recordings.Reader
	each func(*recordings.Record) error // nil for none
	last int64                          // number of the newest record

	learn, sound *sound // which frames are: to note it, and noted before; nil for neither
}

// message returns what Session.Add decodes of the record at index i, nil where it decodes nothing.
func (b *stretch) message(i int) *jsonrpc.Message {
	if !decodes(&b.records[i]) {
		return nil
	}
	return &b.messages[i]
}

// sound holds the numbers of frames in which decoding found nothing odd, a bit each.
type sound struct {
	bits map[int64]uint64 // by the number divided by 64
	last int64
}

// add notes a record. Numbers must grow: of two with the same, the second could be another frame.
func (s *sound) add(seq int64) {
	s.bits[seq/64] |= 1 << (seq % 64)
}

func (s *sound) has(seq int64) bool { return s.bits[seq/64]&(1<<(seq%64)) != 0 }

// decode decodes a frame ahead of the fold.
func (a *reading) decode(rec *recordings.Record) jsonrpc.Message {
	if a.sound != nil && rec.Seq > 0 && a.sound.has(rec.Seq) {
		return jsonrpc.DecodeSound(rec.Data)
	}
	m := jsonrpc.Decode(rec.Data)
	if s := a.learn; s != nil {
		if rec.Seq > s.last && m.Sound() {
			s.add(rec.Seq)
		}
		s.last = max(s.last, rec.Seq)
	}
	return m
}

// stretch copies the next records. It returns io.EOF with those before the end, if any.
func (a *reading) stretch(b *stretch) error {
	for len(b.records) < stretchRecords && len(b.data) < stretchBytes {
		rec, err := a.r.Next()
		if err == io.EOF {
			return err
		}
		if err != nil {
			return fmt.Errorf("reading the record after %d: %w", a.last, err)
		}
		if rec.Seq > 0 {
			a.last = rec.Seq
		}
		if a.each != nil {
			if err := a.each(rec); err != nil {
				return err
			}
		}
		b.records = append(b.records, *rec)
		if rec.Data != nil {
			from := len(b.data)
			b.data = append(b.data, rec.Data...)
			b.records[len(b.records)-1].Data = b.data[from:len(b.data):len(b.data)]
		}
	}
	return nil
}

// decoded is stretch, and decodes the frames.
func (a *reading) decoded(b *stretch) error {
	err := a.stretch(b)
	for i := range b.records {
		var m jsonrpc.Message
		if rec := &b.records[i]; decodes(rec) {
			m = a.decode(rec)
		}
		b.messages = append(b.messages, m)
	}
	return err
}

// overlapped runs fill in a goroutine of its own, a few stretches ahead of drain, until fill returns io.EOF. It returns
// the first error of either; that goroutine is gone then.
func overlapped(fill, drain func(*stretch) error) error {
	full, free, stop := make(chan *stretch, stretches), make(chan *stretch, stretches), make(chan struct{})
	for range stretches {
		free <- new(stretch)
	}
	go func() {
		defer close(full)
		for {
			select {
			case <-stop:
				return
			case b := <-free:
				b.reset()
				b.err = fill(b)
				full <- b
				if b.err != nil {
					return
				}
			}
		}
	}()
	defer func() {
		close(stop)
		for range full {
		}
	}()
	for b := range full {
		if err := drain(b); err != nil {
			return err
		}
		if b.err == io.EOF {
			return nil
		} else if b.err != nil {
			return b.err
		}
		free <- b
	}
	return nil
}
