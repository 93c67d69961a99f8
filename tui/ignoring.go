package tui

import tea "charm.land/bubbletea/v2"

// Findings of a rule that is ignored in this recording stay where they are, so that there is a way
// back, and count for nothing: not in the totals, the stream, the scrollbar, filters and steps.

// levelOf is the level at which a finding counts: none if its rule is ignored.
func (rs *rows) levelOf(f *finding) level {
	if rs.ignored[f.Rule] {
		return levelNone
	}
	return level(index(levelNames[:], f.Level))
}

// heeded are the findings of row i, without those of rules that are ignored.
func (rs *rows) heeded(i int32) []finding {
	all := rs.findings[i]
	if len(rs.ignored) == 0 {
		return all
	}
	var out []finding
	for k := range all {
		if !rs.ignored[all[k].Rule] {
			out = append(out, all[k])
		}
	}
	return out
}

// ignore counts anew, without the findings of some rules.
func (rs *rows) ignore(rules map[string]bool) {
	rs.ignored, rs.counts = rules, [levelError + 1]int{}
	for i := range rs.allFindings {
		rs.counts[rs.levelOf(&rs.allFindings[i])]++
	}
	for i, list := range rs.findings {
		r := rs.at(int(i)).whole()
		r.level = levelNone
		for k := range list {
			r.level = max(r.level, rs.levelOf(&list[k]))
		}
		rs.put(int(i), r)
	}
}

// ignoredCount is how many findings do not count because their rule is ignored.
func (s *session) ignoredCount() int { return s.rows.counts[levelNone] }

// ignoredText says that findings are left out, "" where none are.
func (s *session) ignoredText() string {
	if n := s.ignoredCount(); n > 0 {
		return plural(int64(n), "finding") + " of ignored rules left out"
	}
	return ""
}

// heed brings the rows up to date with the rules that the notes say are ignored.
func (s *session) heed() {
	s.rows.ignore(s.notes.ignored)
	s.tickCache = tickCache{}
	for i := range s.rows.findings {
		s.rejudge(int(i))
	}
	if f, ok := s.screens["4"].(*findingsScreen); ok {
		f.groups = nil
	}
	s.detail.dropLines()
	s.m.dirty = true
}

// ignore ignores the rule of the selected finding, or heeds it again. The cursor stays with the rule.
func (f *findingsScreen) ignore(s *session) tea.Cmd {
	l, ok := f.line(f.cur)
	if !ok {
		return nil
	}
	rule := f.groups[l.group].rule
	text := rule + " is heeded again"
	if s.notes.ignored[rule] {
		delete(s.notes.ignored, rule)
	} else {
		s.notes.ignored[rule] = true
		text = rule + " is ignored in this recording; I heeds it again"
	}
	f.open[rule] = false
	s.heed()
	f.group(s)
	for n := range f.total() {
		if l, ok := f.line(n); ok && l.member < 0 && f.groups[l.group].rule == rule {
			f.cur = n
			break
		}
	}
	return tea.Batch(s.m.say(text), s.notesChanged(), s.judgeNew())
}
