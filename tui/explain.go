package tui

import "github.com/shakescope/shakescope/annotate"

// findingsAt are the findings of row i that are known at the playhead.
func (s *session) findingsAt(i int) []finding {
	return s.rows.findingsAsOf(int32(i), s.known())
}

// findingLines makes the findings tab.
func (s *session) findingLines(i, width int) []dline {
	inner := max(width-2, 10)
	all := s.findingsAt(i)
	if len(all) == 0 {
		lines := []dline{{segs: []seg{{roleMuted, "no findings at this entry"}}, jump: none}}
		if n := len(s.rows.findings[int32(i)]) - len(s.rows.heeded(int32(i))); n > 0 {
			lines = append(lines, dline{segs: []seg{{roleMuted, "but " + plural(int64(n), "finding") + " of ignored rules: I on the findings screen heeds them again"}}, jump: none})
		}
		return lines
	}
	var lines []dline
	for _, f := range all {
		lines = append(lines, s.findingBlock(&f, inner)...)
		lines = append(lines, dline{jump: none})
	}
	return lines
}

// findingBlock writes one finding in full.
func (s *session) findingBlock(f *finding, width int) []dline {
	g, ro := s.levelGlyph(level(index(levelNames[:], f.Level)))
	head := []seg{{ro, g + " " + string(f.Level) + "  "}, {roleStrong, f.Rule}, {roleMuted, "   by the " + f.By}}
	if f.Count > 1 {
		head = append(head, seg{roleMuted, "   " + thousands(int64(f.Count)) + " times"})
	}
	lines := wrapSegs(head, width)
	lines = append(lines, wrapSegs([]seg{{roleText, f.Message}}, width)...)
	if f.Path != "" {
		lines = append(lines, dline{segs: []seg{{roleMuted, "at "}, {roleJSONKey, f.Path}}, jump: none, ptr: f.Path})
	}
	if rule := annotate.LookupRule(f.Rule); rule != nil {
		lines = append(lines, dline{jump: none})
		for _, part := range [][2]string{{"what", rule.Title}, {"why ", rule.Why}, {"fix ", rule.Fix}} {
			if part[1] != "" {
				lines = append(lines, wrapSegs([]seg{{roleTitle, part[0] + "  "}, {roleText, part[1]}}, width)...)
			}
		}
		lines = append(lines, dline{jump: none})
	}
	if f.Spec != "" {
		lines = append(lines, dline{segs: []seg{{roleMuted, "specification " + f.Spec}}, jump: none})
	}
	for n, rel := range f.Related {
		if n == 8 {
			lines = append(lines, dline{segs: []seg{{roleMuted, itoa(len(f.Related)-n) + " more"}}, jump: none})
			break
		}
		text := "see #" + itoa(rel.Seq)
		jump := int(s.rows.find(rel))
		if jump >= 0 {
			text += " " + s.rows.names.text(s.rows.at(jump).method())
		}
		lines = append(lines, dline{segs: []seg{{roleInfo, text}}, jump: jump})
	}
	return lines
}
