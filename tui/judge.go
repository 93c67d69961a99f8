package tui

import (
	"sort"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/shakescope/shakescope/annotate"
	"github.com/shakescope/shakescope/internal/filter"
)

// judge decides row by row whether a filter lets it pass. What the row alone decides is decided at
// once; payloads are read by commands, a limited amount at a time, so that the program stays at hand.
type judge struct {
	expr  *filter.Expr
	gen   int
	rows  *rows
	list  []int32        // rows that pass, ascending
	next  int            // the rows before are judged
	again map[int32]bool // to be judged once more; true: with the payload of both halves
	row   filterRow
	head  int // see asof.go
	read  func(pos, length int64) ([]byte, error)

	reading bool
	failed  error // the first payload that could not be read
}

const (
	// judgeSlice is how long rows are judged before the screen gets its turn.
	judgeSlice = 25 * time.Millisecond
	// A command reads at most so much.
	readBytes = 1 << 20
	readRows  = 4096
)

// judgeMsg goes on with a judge.
type judgeMsg struct {
	owned
	gen  int
	read map[int32]*annotate.Entry
	upTo int // rows before are judged once these are read; -1: those of again
	want []int32
	err  error
}

func (s *session) newJudge(x *filter.Expr) *judge {
	s.judges++
	j := &judge{expr: x, gen: s.judges, rows: s.rows, again: map[int32]bool{}, row: *s.filterRow(0), head: s.known()}
	if s.src != nil {
		j.read = s.src.read
	}
	return j
}

// startTime is the wall clock at the start of the recording, zero if not known.
func (s *session) startTime() time.Time {
	t, _ := s.wall(0)
	return t
}

// done reports whether all rows are judged.
func (j *judge) done() bool { return j.next >= j.rows.n && len(j.again) == 0 && !j.reading }

// changed has row i judged once more, and its other half, whose verdict may hang on it.
func (j *judge) changed(i int) {
	for _, k := range []int32{int32(i), j.rows.at(i).pair()} {
		if k >= 0 && int(k) < j.next {
			deep := j.again[k]
			j.again[k] = deep
		}
	}
}

// run judges for a while. The command it returns goes on; nil when there is nothing to go on with.
func (j *judge) run(s *session) tea.Cmd {
	if j.reading {
		return nil
	}
	stop := s.m.now().Add(judgeSlice)
	var lack, both []int32
	bytes := int64(0)
	full := func() bool { return bytes > readBytes || len(lack) >= readRows }
	miss := func(i int32, deep bool) {
		lack = append(lack, i)
		missing := *j.row.missing
		if deep {
			missing = append(missing, i)
			if p := j.rows.at(int(i)).pair(); p >= 0 {
				missing = append(missing, p)
			}
		}
		for _, k := range missing {
			if j.rows.at(int(k)).hasPayload() {
				both = append(both, k)
				bytes += j.rows.at(int(k)).length()
			}
		}
	}
	upTo := -1
	if len(j.again) > 0 {
		n := 0
		for i, deep := range j.again {
			if n++; n&1023 == 0 && !s.m.now().Before(stop) {
				break
			}
			if passes, known := j.try(i, nil); known {
				j.set(i, passes)
				delete(j.again, i)
			} else if miss(i, deep); full() {
				break
			}
		}
	}
	if len(lack) == 0 {
		for n := 0; j.next < j.rows.n; n++ {
			if n&1023 == 1023 && !s.m.now().Before(stop) {
				break
			}
			i := int32(j.next)
			passes, known := j.try(i, nil)
			switch {
			case !known:
				miss(i, false)
			case len(lack) > 0:
				// The order of the list needs the ones before it first.
				if passes {
					lack = append(lack, i)
				}
			case passes:
				j.list = append(j.list, i)
			}
			j.next++
			if full() {
				break
			}
		}
		upTo = j.next
	}
	id, gen := owned(s.id), j.gen
	if len(lack) == 0 {
		if j.done() {
			return nil
		}
		return func() tea.Msg { return judgeMsg{owned: id, gen: gen} }
	}
	j.reading = true
	want := make([]wanted, 0, len(both))
	seen := map[int32]bool{}
	for _, i := range both {
		if !seen[i] {
			seen[i] = true
			want = append(want, s.want(int(i)))
		}
	}
	read := j.read
	return func() tea.Msg {
		got, err := readAll(want, read)
		return judgeMsg{owned: id, gen: gen, read: got, want: lack, upTo: upTo, err: err}
	}
}

// readAll reads the payloads of entries. One that cannot be read is there without payload.
func readAll(want []wanted, read func(pos, length int64) ([]byte, error)) (map[int32]*annotate.Entry, error) {
	got := make(map[int32]*annotate.Entry, len(want))
	var first error
	for _, w := range want {
		e := w.entry
		if read != nil {
			if err := fill1(&e, read, w); err != nil && first == nil {
				first = err
			}
		}
		got[w.row] = &e
	}
	return got, first
}

// try judges row i; known is false where it takes a payload that is not in read.
func (j *judge) try(i int32, read map[int32]*annotate.Entry) (passes, known bool) {
	j.row.i, j.row.read = int(i), read
	*j.row.missing = (*j.row.missing)[:0]
	passes = j.expr.Match(&j.row)
	return passes, len(*j.row.missing) == 0
}

// receive judges the rows whose payload was read.
func (j *judge) receive(s *session, msg judgeMsg) tea.Cmd {
	if msg.read != nil {
		j.reading = false
		if j.failed == nil {
			j.failed = msg.err
		}
		for _, i := range msg.want {
			passes, known := j.try(i, msg.read)
			if !known {
				// With its own payload there, it turned out to ask for the other half's.
				j.again[i] = true
				continue
			}
			if msg.upTo < 0 {
				j.set(i, passes)
				delete(j.again, i)
			} else if passes {
				j.set(i, true)
			}
		}
	}
	return j.run(s)
}

// set puts row i into the list, or takes it out.
func (j *judge) set(i int32, passes bool) {
	n := len(j.list)
	if passes && (n == 0 || j.list[n-1] < i) {
		j.list = append(j.list, i)
		return
	}
	k := sort.Search(n, func(k int) bool { return j.list[k] >= i })
	there := k < n && j.list[k] == i
	switch {
	case passes && !there:
		j.list = append(j.list, 0)
		copy(j.list[k+1:], j.list[k:])
		j.list[k] = i
	case !passes && there:
		j.list = append(j.list[:k], j.list[k+1:]...)
	}
}

// progress is the share of the rows that are judged, in percent.
func (j *judge) progress() int {
	if j.rows.n == 0 {
		return 100
	}
	return j.next * 100 / j.rows.n
}
