package tui

import (
	"sync/atomic"

	"github.com/shakescope/shakescope/recordings"
)

// comparing is how far a comparison is. The sides are read by goroutines of their own, each from beginning to
// end, and then once more for what differs, one after the other.
type comparing struct {
	again atomic.Int64 // 0 in the first pass, then 1 or 2 for the side that is read again
	sides [2]struct {
		passes, records, at, size atomic.Int64

		since int // bytes and records since the position was asked for; of the goroutine that reads
	}
}

// opened is told that a side is read from its beginning.
func (u *comparing) opened(side int) {
	s := &u.sides[side]
	if s.at.Store(0); s.passes.Add(1) > 1 {
		u.again.Store(int64(side) + 1)
	}
}

// The position in the file is asked for after so many bytes, a record counting as some more.
const (
	askedEvery = 256 << 10
	ofRecord   = 2 << 10
)

// seen is told of each record of a side.
func (u *comparing) seen(side int, r *recordings.Reader, rec *recordings.Record) {
	s := &u.sides[side]
	s.records.Add(1)
	if s.since += ofRecord + len(rec.Data); s.since >= askedEvery {
		s.since = 0
		at, size := r.Position()
		s.at.Store(at)
		s.size.Store(size)
	}
}

// text says it: the share of the files where their sizes are known, else the number of records.
func (u *comparing) text() string {
	what := "COMPARING "
	again := u.again.Load()
	if again > 0 {
		what = "LOOKING CLOSER AT " + string(rune('A'+again-1)) + " "
	}
	var records, at, size int64
	known := true
	for i := range u.sides {
		s := &u.sides[i]
		records += s.records.Load()
		if again > 0 && again != int64(i)+1 {
			continue
		}
		n := s.size.Load()
		known = known && n > 0
		at, size = at+s.at.Load(), size+n
	}
	if !known {
		return what + plural(records, "record")
	}
	return what + itoa(min(at*100/size, 99)) + "%"
}
