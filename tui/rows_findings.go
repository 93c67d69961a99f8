package tui

import (
	"slices"

	"github.com/shakescope/shakescope/annotate"
)

// addFindings notes findings of row i, or of the whole recording if i is none, that the row since brought.
func (rs *rows) addFindings(i int32, fs []annotate.Finding, since int32) {
	for _, f := range fs {
		got := finding{Finding: f, row: i, since: since}
		lv := rs.levelOf(&got)
		if f.Count > 1 && rs.replaceFinding(i, f) || i < 0 && rs.replaceWhole(f) {
			continue
		}
		rs.counts[lv]++
		rs.allFindings = append(rs.allFindings, got)
		if i >= 0 {
			rs.findings[i] = append(rs.findings[i], got)
			if r := rs.at(int(i)).whole(); r.level < lv {
				r.level = lv
				rs.put(int(i), r)
			}
		}
	}
}

// replaceFinding puts a rolled-up finding in the place of its earlier form.
func (rs *rows) replaceFinding(i int32, f annotate.Finding) bool {
	list := rs.findings[i]
	for k := range list {
		if list[k].Rule == f.Rule {
			list[k].Finding = f
			for j := len(rs.allFindings) - 1; j >= 0; j-- {
				if rs.allFindings[j].row == i && rs.allFindings[j].Rule == f.Rule {
					rs.allFindings[j].Finding = f
					break
				}
			}
			return true
		}
	}
	return false
}

// replaceWhole puts a finding about the whole recording in the place of its earlier form.
func (rs *rows) replaceWhole(f annotate.Finding) bool {
	for k := len(rs.allFindings) - 1; k >= 0; k-- {
		if sameWhole(&rs.allFindings[k], &f) {
			rs.allFindings[k].Finding = f
			return true
		}
	}
	return false
}

// withdraw takes back findings of row i by the ids of their rules.
func (rs *rows) withdraw(i int32, rules []string) {
	if len(rules) == 0 {
		return
	}
	gone := func(f finding) bool { return f.row == i && slices.Contains(rules, f.Rule) }
	for _, f := range rs.findings[i] {
		if gone(f) {
			rs.counts[rs.levelOf(&f)]--
		}
	}
	rs.allFindings = slices.DeleteFunc(rs.allFindings, gone)
	rs.findings[i] = slices.DeleteFunc(rs.findings[i], gone)
	r := rs.at(int(i)).whole()
	r.level = levelNone
	for _, f := range rs.findings[i] {
		r.level = max(r.level, rs.levelOf(&f))
	}
	rs.put(int(i), r)
	if len(rs.findings[i]) == 0 {
		delete(rs.findings, i)
	}
}
