package tui

// scrollbar is a column beside the list: where the window is, and where errors and warnings are.
// It is nil where all lines fit.
func (s *session) scrollbar(h int) []seg {
	total := s.list.total(s)
	if h < 3 || total <= h {
		return nil
	}
	gl := s.m.gl
	bar := make([]seg, h)
	size := max(1, h*h/total)
	from := (s.list.top*(h-size) + (total-h)/2) / (total - h)
	for y := range bar {
		bar[y] = seg{roleBorder, gl.track}
		if y >= from && y < from+size {
			bar[y] = seg{roleMuted, gl.thumb}
		}
	}
	for y, lv := range s.ticks(h, total) {
		switch lv {
		case levelError:
			bar[y] = seg{roleError, gl.failure}
		case levelWarning:
			bar[y] = seg{roleWarn, gl.warning}
		}
	}
	return bar
}

// tickCache keeps where the findings are on a scrollbar: it changes only with them.
type tickCache struct {
	h, total, findings, gen int
	levels                  []level
}

// ticks is the worst finding by cell of a scrollbar.
func (s *session) ticks(h, total int) []level {
	c := &s.tickCache
	if c.h == h && c.total == total && c.findings == len(s.rows.allFindings) && c.gen == s.view.gen {
		return c.levels
	}
	*c = tickCache{h, total, len(s.rows.allFindings), s.view.gen, make([]level, h)}
	for i := range s.rows.allFindings {
		f := &s.rows.allFindings[i]
		if f.row < 0 || int(f.row) >= s.limit() || s.replay.on && int(f.since) >= s.limit() {
			continue
		}
		if s.listed() && !s.isShown(int(f.row)) {
			continue
		}
		y := min(s.lineOf(int(f.row))*h/total, h-1)
		c.levels[y] = max(c.levels[y], s.rows.levelOf(f))
	}
	return c.levels
}

// besides puts the scrollbar at the right of the lines under the column heads.
func besides(lines []string, bar []seg, p *pen) []string {
	if bar == nil {
		return lines
	}
	for y := range lines {
		p.begin(1, roleText)
		if y > 0 && y <= len(bar) {
			p.text(bar[y-1].r, bar[y-1].text)
		}
		lines[y] += p.end()
	}
	return lines
}
