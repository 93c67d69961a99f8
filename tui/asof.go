package tui

import (
	"math"
	"slices"
	"sort"

	tea "charm.land/bubbletea/v2"

	"github.com/shakescope/shakescope/annotate"
)

// In a replay an entry is what it was when the playhead's entry came: an answer, a cancellation or a
// finding that came later is not known yet. Functions take head, the number of entries that are known.

// wholeRecording is the head where nothing is hidden.
const wholeRecording = math.MaxInt

// known is the head of what is on screen.
func (s *session) known() int {
	if s.replay.on {
		return s.replay.head
	}
	return wholeRecording
}

// stateAsOf is the state of row i.
func (rs *rows) stateAsOf(i, head int) state {
	r := rs.at(i)
	if head == wholeRecording || r.kind() != kindRequest || r.state() == stateOpen {
		return r.state()
	}
	if rs.pairAsOf(i, head) >= 0 {
		return r.state()
	}
	if by, ok := rs.cancels[int32(i)]; ok && int(by) < head {
		return stateCancelled
	}
	if r.pair() < 0 && r.state() != stateCancelled && rs.probableAsOf(i, head) {
		return r.state()
	}
	return statePending
}

// pairAsOf is the other half of row i, none if there is none yet.
func (rs *rows) pairAsOf(i, head int) int32 {
	if p := rs.at(i).pair(); int(p) < head {
		return p
	}
	return none
}

func (rs *rows) probableAsOf(i, head int) bool {
	m := rs.more[int32(i)]
	if m == nil || m.probable.IsZero() {
		return false
	}
	k := rs.find(m.probable)
	return k >= 0 && int(k) < head
}

// findingsAsOf are the findings of row i that count.
func (rs *rows) findingsAsOf(i int32, head int) []finding {
	all := rs.heeded(i)
	for k := range all {
		if int(all[k].since) < head {
			continue
		}
		out := append([]finding(nil), all[:k]...)
		for _, f := range all[k:] {
			if int(f.since) < head {
				out = append(out, f)
			}
		}
		return out
	}
	return all
}

// entryAsOf is rows.entry with what is known at the head.
func (rs *rows) entryAsOf(i, head int) annotate.Entry {
	e := rs.entry(i)
	if head == wholeRecording {
		return e
	}
	if st := rs.stateAsOf(i, head); st != rs.at(i).state() {
		e.State = stateNames[st]
		e.Cancelled = st == stateCancelled
	}
	if rs.pairAsOf(i, head) < 0 {
		e.Pair = annotate.Ref{}
	}
	if head < rs.n {
		e.Unanswered = ""
	}
	if !e.Probable.IsZero() && !rs.probableAsOf(i, head) {
		e.Probable = annotate.Ref{}
	}
	e.Findings = nil
	for _, f := range rs.findingsAsOf(int32(i), head) {
		e.Findings = append(e.Findings, f.Finding)
	}
	return e
}

// between visits the rows about which the rows from lo to before hi brought something new.
func (rs *rows) between(lo, hi int, visit func(i int)) {
	earlier := func(i int32, k int) {
		if i >= 0 && int(i) < k {
			visit(int(i))
		}
	}
	for k := lo; k < hi; k++ {
		r := rs.at(k)
		earlier(r.pair(), k)
		if r.flow() != r.pair() {
			earlier(r.flow(), k)
		}
		if m := rs.more[int32(k)]; m != nil && !m.probable.IsZero() {
			earlier(rs.find(m.probable), k)
		}
	}
	all := rs.allFindings
	for f := sort.Search(len(all), func(f int) bool { return int(all[f].since) >= lo }); f < len(all) && int(all[f].since) < hi; f++ {
		earlier(all[f].row, int(all[f].since))
	}
	if hi == rs.n { // what is known only when all is read
		for i, m := range rs.more {
			if m.unanswered != "" {
				visit(int(i))
			}
		}
	}
}

// moveHead has the judge look again at what is another thing at head, apart from the rows of keep.
func (j *judge) moveHead(head int, keep []int32) {
	lo, hi := min(j.head, head, j.rows.n), min(max(j.head, head), j.rows.n)
	j.head, j.row.head = head, head
	if j.row.asked.dependsOnHead {
		j.rows.between(lo, hi, func(i int) {
			if !slices.Contains(keep, int32(i)) {
				j.changed(i)
			}
		})
	}
}

// asOfHead brings the filters to the playhead.
func (s *session) asOfHead() tea.Cmd {
	var cmds []tea.Cmd
	for _, j := range s.allJudges() {
		if head := s.known(); j.head != head {
			j.moveHead(head, s.view.extra)
			cmds = append(cmds, j.run(s))
		}
	}
	if s.view.trial != nil && s.view.trial.done() {
		cmds = append(cmds, s.adopt())
	}
	return tea.Batch(cmds...)
}
