package tui

import (
	"sort"
	"time"
)

// begins reports whether row i can begin a phase: answers, and what belongs to an earlier request,
// carry that request's phase and so say nothing about when a phase began.
func (rs *rows) begins(i int) bool {
	r := rs.at(i)
	if r.phase() == phaseNone || r.isAnswer() || r.kind() == kindStderr || r.kind() == kindBlank {
		return false
	}
	return r.flow() < 0 || int(r.flow()) == i
}

// idleAfter is the silence that the ladder shows as one line.
const idleAfter = 5 * time.Second

// ladderRule is a line of the ladder that is no entry: a silence, or the change of phase, before a row.
type ladderRule struct {
	row  int32
	idle bool
}

// updateBreaks extends the lists of phase changes and silences to all rows.
func (rs *rows) updateBreaks() {
	for i := rs.breaksValid; i < rs.n; i++ {
		r := rs.at(i)
		if i > 0 && r.t()-rs.at(i-1).t() >= idleAfter {
			rs.ladderRules = append(rs.ladderRules, ladderRule{int32(i), true})
		}
		if r.phase() != rs.breakPhase && rs.begins(i) {
			rs.breaks = append(rs.breaks, int32(i))
			rs.ladderRules = append(rs.ladderRules, ladderRule{int32(i), false})
			rs.breakPhase = r.phase()
		}
	}
	rs.breaksValid = rs.n
}

// cutBreaks forgets what is known from row i on.
func (rs *rows) cutBreaks(i int) {
	if i >= rs.breaksValid {
		return
	}
	n := sort.Search(len(rs.breaks), func(k int) bool { return int(rs.breaks[k]) >= i })
	rs.breaks = rs.breaks[:n]
	rs.ladderRules = rs.ladderRules[:sort.Search(len(rs.ladderRules), func(k int) bool { return int(rs.ladderRules[k].row) >= i })]
	rs.breaksValid = i
	rs.breakPhase = phaseNone
	if n > 0 {
		rs.breakPhase = rs.at(int(rs.breaks[n-1])).phase()
	}
}

// ladderLineOf is lineOf for the ladder, which has a line for each silence too.
func (rs *rows) ladderLineOf(i int) int {
	return i + sort.Search(len(rs.ladderRules), func(k int) bool { return int(rs.ladderRules[k].row) > i })
}

// ladderRowAt is rowAt for the ladder; idle says that the line is a silence.
func (rs *rows) ladderRowAt(line int) (i int, rule, idle bool) {
	k := sort.Search(len(rs.ladderRules), func(k int) bool { return int(rs.ladderRules[k].row)+k >= line })
	if k < len(rs.ladderRules) && int(rs.ladderRules[k].row)+k == line {
		return int(rs.ladderRules[k].row), true, rs.ladderRules[k].idle
	}
	return line - k, false, false
}

// lineOf returns the line of row i in a list that has a rule before each phase change.
func (rs *rows) lineOf(i int) int {
	return i + sort.Search(len(rs.breaks), func(k int) bool { return int(rs.breaks[k]) > i })
}

// rowAt returns the row of a line, and whether the line is the rule before that row.
func (rs *rows) rowAt(line int) (i int, rule bool) {
	// The rule before breaks[k] is line breaks[k]+k.
	k := sort.Search(len(rs.breaks), func(k int) bool { return int(rs.breaks[k])+k >= line })
	if k < len(rs.breaks) && int(rs.breaks[k])+k == line {
		return int(rs.breaks[k]), true
	}
	return line - k, false
}
