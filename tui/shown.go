package tui

import (
	"cmp"
	"slices"
	"sort"

	"github.com/shakescope/shakescope/internal/filter"
)

// shown is which rows the lists show, and in which order. Without filter and order that is all of them,
// with a rule before each change of phase; else the rows of a list.
type shown struct {
	text       string // of the filter in force, as typed
	chips      []chip // quick filters that are on
	judge      *judge // nil: all rows pass
	trial      *judge // of a filter that is not in force yet
	trialText  string
	trialChips []chip
	preview    bool // trial is that of an expression which is still being typed

	extra   []int32 // shown although the filter hides it: something led there
	order   order
	sorted  []int32
	places  []int32 // of rows in sorted, none for those that are not there
	sortedN int     // length of the judged list, or of the rows, that sorted was made of
	gen     int     // counts changes of what is shown other than growth at the end
}

// chip is a quick filter that is on.
type chip struct{ name, expr string }

// order is what the stream is sorted by.
type order uint8

const (
	byNumber order = iota
	byLatency
	bySize
	byMethod
	orderCount
)

var orderNames = [...]string{"number", "latency, longest first", "size, largest first", "method"}

// listed reports whether the lists show the rows of a list rather than all.
func (s *session) listed() bool { return s.view.judge != nil || s.ordered() }

// ordered reports whether the screen at hand is sorted: only the stream is.
func (s *session) ordered() bool { return s.view.order != byNumber && s.cur.key == "1" && !s.replay.on }

// shownList is the rows of the list, in order, up to the playhead. Only where listed.
func (s *session) shownList() []int32 {
	if s.ordered() {
		s.sort()
		return s.view.sorted
	}
	list := s.view.judge.list
	if s.replay.on {
		list = list[:sort.Search(len(list), func(k int) bool { return int(list[k]) >= s.limit() })]
	}
	return list
}

// lineTotal is the number of lines of what is to be seen.
func (s *session) lineTotal() int {
	if s.listed() {
		return len(s.shownList())
	}
	n := s.limit()
	if n == 0 {
		return 0
	}
	return s.lineOf(n-1) + 1
}

// shownCount is the number of rows that are to be seen.
func (s *session) shownCount() int {
	if s.listed() {
		return len(s.shownList())
	}
	return s.limit()
}

// lineOf is the line of row i, or where it would stand if it were shown.
func (s *session) lineOf(i int) int {
	if !s.listed() {
		if s.cur.key == "2" {
			return s.rows.ladderLineOf(i)
		}
		return s.rows.lineOf(i)
	}
	list := s.shownList()
	if s.ordered() {
		if i < len(s.view.places) && s.view.places[i] >= 0 {
			return int(s.view.places[i])
		}
		return 0
	}
	return sort.Search(len(list), func(k int) bool { return int(list[k]) >= i })
}

// rowAt is the row of a line, and whether the line is the rule before it.
func (s *session) rowAt(line int) (i int, rule bool) {
	if !s.listed() {
		if s.cur.key == "2" {
			i, rule, _ = s.rows.ladderRowAt(line)
			return i, rule
		}
		return s.rows.rowAt(line)
	}
	list := s.shownList()
	if line < 0 || line >= len(list) {
		return none, false
	}
	return int(list[line]), false
}

// isShown reports whether row i is in the lists.
func (s *session) isShown(i int) bool {
	if i < 0 || i >= s.limit() {
		return false
	}
	if !s.listed() {
		return true
	}
	got, _ := s.rowAt(s.lineOf(i))
	return got == i
}

// nearest is the row that is shown and stands nearest to i, none if nothing is.
func (s *session) nearest(i int) int {
	if !s.listed() {
		return min(i, s.limit()-1)
	}
	list := s.shownList()
	if len(list) == 0 {
		return none
	}
	return int(list[min(s.lineOf(i), len(list)-1)])
}

// step is the row by rows further in the lists, as far as there are any.
func (s *session) step(by int) int {
	if !s.listed() {
		return s.sel + by
	}
	list := s.shownList()
	if len(list) == 0 {
		return s.sel
	}
	at := s.lineOf(s.sel)
	if by > 0 && !s.isShown(s.sel) {
		at--
	}
	return int(list[max(0, min(at+by, len(list)-1))])
}

// ends are the first and last row that are shown.
func (s *session) ends() (first, last int) {
	if !s.listed() {
		return 0, s.limit() - 1
	}
	list := s.shownList()
	if len(list) == 0 {
		return s.sel, s.sel
	}
	return int(list[0]), int(list[len(list)-1])
}

// sort sorts what the filter lets pass. Rows that came since stand at the end, so that nothing moves
// under the cursor; asking for the order again sorts them in.
func (s *session) sort() {
	v := &s.view
	var from []int32
	n := s.rows.n
	if v.judge != nil {
		from = v.judge.list
		n = len(from)
	}
	row := func(k int) int32 {
		if v.judge != nil {
			return from[k]
		}
		return int32(k)
	}
	if v.sorted != nil && v.sortedN <= n {
		for ; v.sortedN < n; v.sortedN++ {
			v.place(row(v.sortedN), len(v.sorted))
			v.sorted = append(v.sorted, row(v.sortedN))
		}
		return
	}
	v.sorted = make([]int32, n)
	for k := range v.sorted {
		v.sorted[k] = row(k)
	}
	s.sortRows(v.sorted)
	v.places = v.places[:0]
	for k, i := range v.sorted {
		v.place(i, k)
	}
	v.sortedN = n
}

func (v *shown) place(i int32, line int) {
	for len(v.places) <= int(i) {
		v.places = append(v.places, none)
	}
	v.places[i] = int32(line)
}

// sortRows orders rows; those that are equal stay in the order of the recording.
func (s *session) sortRows(list []int32) {
	rs := s.rows
	switch s.view.order {
	case byLatency:
		sortByKey(list, func(i int32) int64 {
			if d, ok := rs.latency(int(i)); ok {
				return int64(d)
			}
			return -1
		}, func(a, b int64) int { return cmp.Compare(b, a) })
	case bySize:
		sortByKey(list, func(i int32) int64 { return rs.at(int(i)).size() }, func(a, b int64) int { return cmp.Compare(b, a) })
	case byMethod:
		type called struct{ method, target uint32 }
		sortByKey(list, func(i int32) called {
			r := rs.at(int(i))
			return called{r.method(), r.target}
		}, func(a, b called) int {
			return cmp.Or(cmp.Compare(rs.names.text(a.method), rs.names.text(b.method)), cmp.Compare(rs.names.text(a.target), rs.names.text(b.target)))
		})
	}
}

// sortByKey looks at each row once.
func sortByKey[K any](list []int32, key func(int32) K, compare func(a, b K) int) {
	type keyed struct {
		row int32
		key K
	}
	all := make([]keyed, len(list))
	for k, i := range list {
		all[k] = keyed{i, key(i)}
	}
	slices.SortStableFunc(all, func(a, b keyed) int { return compare(a.key, b.key) })
	for k := range all {
		list[k] = all[k].row
	}
}

// sortBy changes the order of the stream.
func (s *session) sortBy(o order) {
	s.view.order = o
	s.reshown()
}

// reshown takes note that other rows are shown than before.
func (s *session) reshown() {
	s.view.sorted, s.view.sortedN = nil, 0
	s.view.gen++
	s.m.dirty = true
}

// whole joins a text and quick filters into one expression.
func whole(text string, chips []chip) (*filter.Expr, error) {
	x, err := filter.Parse(text)
	if err != nil {
		return nil, err
	}
	all := []*filter.Expr{x}
	for _, c := range chips {
		y, err := filter.Parse(c.expr)
		if err != nil {
			return nil, err
		}
		all = append(all, y)
	}
	return filter.And(all...), nil
}
