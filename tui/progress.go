package tui

import (
	"sort"
	"strconv"
	"time"

	"github.com/shakescope/shakescope/internal/timetext"
)

// progressAt is what is known at the playhead of the progress of request i.
func (s *session) progressAt(i int) []progressPoint {
	pts := s.rows.progress[int32(i)]
	if !s.replay.on {
		return pts
	}
	n := sort.Search(len(pts), func(k int) bool { return int(pts[k].since) >= s.limit() })
	return pts[:n]
}

// progressBar draws bar, count, message, rate and time left of a request that began at start.
func (s *session) progressBar(p *pen, pts []progressPoint, start time.Duration, width int) int {
	gl := s.m.gl
	last := pts[len(pts)-1]
	used := 0
	if last.total > 0 {
		cellsOfBar := min(max(width/4, 6), 20)
		full := int(float64(cellsOfBar) * max(0, min(last.progress/last.total, 1)))
		p.repeat(roleOK, gl.barFull, full)
		p.repeat(roleMuted, gl.barEmpty, cellsOfBar-full)
		used += cellsOfBar
	}
	used += p.cut(rolePending, " "+progressText(last), width-used)
	if rest := progressRest(pts, start); rest != "" {
		used += p.cut(roleMuted, "  "+rest, width-used)
	}
	return used
}

func progressText(pt progressPoint) string {
	text := number(pt.progress)
	if pt.total > 0 {
		text += "/" + number(pt.total)
	}
	if pt.message != "" {
		text += " " + clip(pt.message, 200)
	}
	return text
}

// progressRest says how fast it goes, and how long it still takes where the total is known.
func progressRest(pts []progressPoint, start time.Duration) string {
	last := pts[len(pts)-1]
	took := (time.Duration(last.t) - start).Seconds()
	if took <= 0 || last.progress <= 0 {
		return ""
	}
	rate := last.progress / took
	text := number(rate) + "/s"
	if last.total > last.progress {
		text += ", " + timetext.Clock(time.Duration((last.total-last.progress)/rate*float64(time.Second))) + " left"
	}
	return text
}

// number writes a number of a progress shortly.
func number(f float64) string {
	if f == float64(int64(f)) && f < 1e15 && f > -1e15 {
		return itoa(int64(f))
	}
	return strconv.FormatFloat(f, 'g', 3, 64)
}
