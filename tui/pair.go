package tui

import (
	"strings"

	"github.com/shakescope/shakescope/internal/termtext"
	"github.com/shakescope/shakescope/internal/timetext"
)

// pairLines makes the pair tab: both halves with their decoded fields, side by side where wide enough.
func (s *session) pairLines(i, width int) []dline {
	pair := s.pairAt(i)
	if pair < 0 {
		if s.rows.at(i).kind() != kindRequest {
			return []dline{{segs: []seg{{roleMuted, "not half of a pair"}}, jump: none}}
		}
		return append(s.halfLines(i, width-2), dline{jump: none}, dline{segs: s.unanswered(i), jump: none})
	}
	first, second := min(i, pair), max(i, pair)
	if width < 100 {
		lines := s.halfLines(first, width-2)
		lines = append(lines, dline{jump: none})
		lines = append(lines, s.between(first, second)...)
		return append(lines, s.halfLines(second, width-2)...)
	}
	half := (width - 5) / 2
	return append(s.between(first, second), abreast(s.halfLines(first, half), s.halfLines(second, half), half, s.m.gl)...)
}

// abreast puts lines side by side, the left ones half cells wide.
func abreast(left, right []dline, half int, gl *glyphs) []dline {
	var lines []dline
	for k := range max(len(left), len(right)) {
		var l dline
		l.jump = none
		used := 0
		if k < len(left) {
			l = left[k]
			for _, sg := range l.segs {
				used += cells(termtext.Clean(sg.text))
			}
			if used > half {
				l.segs, used = cutSegs(l.segs, half)
			}
		}
		l.segs = append(l.segs[:len(l.segs):len(l.segs)], seg{roleBorder, strings.Repeat(" ", half-used) + " " + gl.vertical + " "})
		if k < len(right) {
			l.segs = append(l.segs, right[k].segs...)
			if l.jump < 0 {
				l.jump = right[k].jump
			}
		}
		lines = append(lines, l)
	}
	return lines
}

func (s *session) halfLines(i, width int) []dline {
	r := s.rows.at(i)
	arrow, ro := s.m.gl.c2s, roleC2S
	if r.flags&fromServer != 0 {
		arrow, ro = s.m.gl.s2c, roleS2C
	}
	lines := []dline{{segs: []seg{{ro, arrow + " "}, {roleStrong, s.what(i)}, {roleMuted, "  " + seconds(r.t())}}, jump: i}}
	p := s.detail.payloadOf(i)
	switch {
	case p == nil:
		return append(lines, dline{segs: []seg{{roleMuted, "reading…"}}, jump: none})
	case p.err != nil:
		return append(lines, dline{segs: []seg{{roleError, p.err.Error()}}, jump: none})
	}
	return append(lines, fieldLines(p.fields, width, s.m.gl)...)
}

// unanswered says how it stands with a request that has no answer.
func (s *session) unanswered(i int) []seg {
	waits := s.clock() - s.rows.at(i).t()
	switch s.stateAt(i) {
	case stateOpen:
		return []seg{{roleInfo, "open by design"}, {roleMuted, ": there is no answer before it is closed"}}
	case stateCancelled:
		return []seg{{roleWarn, "cancelled"}, {roleMuted, ", and not answered"}}
	case statePending:
		if s.done && !s.replay.on {
			return []seg{{roleWarn, "never answered"}, {roleMuted, ": the recording ended " + timetext.Rough(waits) + " later"}}
		}
	}
	return []seg{{rolePending, "no answer so far"}, {roleMuted, ", after " + timetext.Rough(waits)}}
}

// between says what lies between the halves of a pair.
func (s *session) between(first, second int) []dline {
	var segs []seg
	if d, ok := s.rows.latency(second); ok {
		segs = append(segs, seg{roleStrong, "answered after " + timetext.Latency(d)})
	}
	if n := len(s.progressAt(first)); n > 0 {
		segs = append(segs, seg{roleMuted, "   " + plural(int64(n), "progress notification") + " between"})
	}
	return []dline{{segs: segs, jump: none}, {jump: none}}
}

// cutSegs cuts segments to a width and returns the cells they take.
func cutSegs(segs []seg, width int) ([]seg, int) {
	var out []seg
	used := 0
	for _, sg := range segs {
		text := termtext.Truncate(termtext.Clean(sg.text), width-used)
		used += termtext.Width(text)
		out = append(out, seg{sg.r, text})
		if used >= width {
			break
		}
	}
	return out, used
}
