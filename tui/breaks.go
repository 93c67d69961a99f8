package tui

import "sort"

// begins reports whether row i can begin a phase: answers, and what belongs to an earlier request,
// carry that request's phase and so say nothing about when a phase began.
func (rs *rows) begins(i int) bool {
	r := rs.at(i)
	if r.phase == phaseNone || r.isAnswer() || r.kind == kindStderr || r.kind == kindBlank {
		return false
	}
	return r.flow < 0 || int(r.flow) == i
}

// updateBreaks extends the list of phase changes to all rows.
func (rs *rows) updateBreaks() {
	for i := rs.breaksValid; i < rs.n; i++ {
		if p := rs.at(i).phase; p != rs.breakPhase && rs.begins(i) {
			rs.breaks = append(rs.breaks, int32(i))
			rs.breakPhase = p
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
	rs.breaksValid = i
	rs.breakPhase = phaseNone
	if n > 0 {
		rs.breakPhase = rs.at(int(rs.breaks[n-1])).phase
	}
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
