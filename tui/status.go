package tui

import "github.com/shakescope/shakescope/internal/timetext"

// header is the first line: who talks to whom, by what rules, and how it is going.
func (s *session) header() string {
	m := s.m
	p := &m.pen
	type word struct {
		r    role
		text string
	}
	var right []word
	add := func(r role, text string) { right = append(right, word{r, text}) }
	if rev := s.revision(); rev != "" {
		add(roleMuted, rev)
	}
	switch {
	case s.replay.on:
		add(roleInfo, m.gl.play+" replay")
	case s.live:
		add(roleLive, m.gl.live+" live "+timetext.Clock(s.clock()))
	case s.done:
		g, w, r := m.stateBadge(s.state, false)
		add(r, g+" "+w)
	}
	if n := s.inFlight(); n > 0 && (s.live || s.replay.on) {
		add(rolePending, "in flight "+itoa(n))
	}
	errs, warns, infos := s.findingCounts()
	if errs > 0 {
		add(roleError, m.gl.failure+itoa(errs))
	}
	if warns > 0 {
		add(roleWarn, m.gl.warning+itoa(warns))
	}
	if infos > 0 && m.w >= 100 {
		add(roleInfo, m.gl.info+itoa(infos))
	}
	if n := s.ignoredCount(); n > 0 && m.w >= 100 {
		add(roleMuted, itoa(n)+" ignored")
	}
	need := 1
	for _, w := range right {
		need += cells(w.text) + 2
	}
	p.begin(m.w, roleText)
	if m.w >= 60 {
		p.text(roleBadge, " shakescope ")
	}
	p.space(1)
	if side := m.sideOf(s); side != "" {
		p.text(roleTitle, side+" ")
		p.space(1)
	}
	if m.help == nil && s.cur.key != "1" {
		p.text(roleTitle, s.cur.title)
		p.space(2)
	}
	p.cut(roleStrong, s.title(), p.left-need)
	p.space(p.left - need)
	for _, w := range right {
		p.space(2)
		p.text(w.r, w.text)
	}
	return p.end()
}

// findingCounts counts what is known at the playhead.
func (s *session) findingCounts() (errs, warns, infos int) {
	if !s.replay.on {
		c := s.rows.counts
		return c[levelError], c[levelWarning], c[levelInfo]
	}
	for i := range s.rows.allFindings {
		f := &s.rows.allFindings[i]
		if int(f.since) >= s.limit() {
			break
		}
		switch s.rows.levelOf(f) {
		case levelNone:
		case levelError:
			errs++
		case levelWarning:
			warns++
		default:
			infos++
		}
	}
	return
}

// status draws the status line.
func (s *session) status(p *pen) {
	gl := s.m.gl
	n := s.limit()
	right := ""
	if s.sel >= 0 {
		right = thousands(int64(s.sel+1)) + "/" + thousands(int64(n))
		if k := len(s.notes.marks); k > 0 && s.m.w >= 100 {
			right = plural(int64(k), "mark") + "   " + right
		}
		if s.m.w >= 100 {
			right += "   " + bytesText(s.rows.bytes)
		}
		if t, ok := s.wall(s.rows.at(s.sel).t()); ok && s.m.w >= 70 {
			right += "   " + t.Format("15:04:05")
		}
	}
	right += " "
	switch {
	case s.view.trial != nil && !s.view.preview:
		p.text(rolePending, "SCANNING "+itoa(s.view.trial.progress())+"%")
		p.text(roleMuted, "  esc stops")
	case s.search.judge != nil && !s.search.judge.done():
		p.text(rolePending, "SEARCHING "+itoa(s.search.judge.progress())+"%")
		p.text(roleMuted, "  "+plural(int64(len(s.search.judge.list)), "match")+" so far, esc stops")
	case s.replay.on:
		s.drawReplay(p, p.left-cells(right)-1)
	case s.frozen:
		p.text(roleMatch, " FROZEN "+gl.dot+" "+thousands(int64(s.heldN))+" waiting ")
	case s.err != nil && s.src == nil:
		p.text(roleError, gl.failure+" "+s.err.Error())
	case !s.done && !s.caughtUp:
		text := "READING " + thousands(int64(n))
		if s.src != nil && s.src.size > 0 && s.rows.n > 0 {
			text = "READING " + itoa(min(s.rows.at(s.rows.n-1).pos()*100/s.src.size, 99)) + "%"
		}
		if s.toEnd {
			text += ", on the way to the end"
		}
		p.text(roleInfo, text)
	case s.allRows && !s.done:
		p.text(roleInfo, "CHECKING "+itoa(int(s.checked*100/max(s.rows.maxSeq, 1)))+"%")
		p.text(roleMuted, "  more findings may follow")
	case s.live && s.follow:
		p.text(roleLive, "FOLLOW on")
		s.drawUnfinished(p, p.left-cells(right)-1)
	case s.live:
		p.text(roleStrong, "FOLLOW off")
		if fresh := n - s.seen; fresh > 0 {
			p.text(roleInfo, " "+gl.dot+" "+thousands(int64(fresh))+" new "+gl.down)
		}
	default:
		p.cut(roleMuted, s.ending(), p.left-cells(right)-1)
	}
	if len(s.rows.gaps) > 0 && !s.replay.on {
		p.space(2)
		p.text(roleError, plural(int64(len(s.rows.gaps)), "gap"))
	}
	p.space(p.left - cells(right))
	p.text(roleMuted, right)
}

// drawUnfinished says what is there of lines that have not ended.
func (s *session) drawUnfinished(p *pen, width int) {
	for k, name := range [3]string{"client", "server", "stderr"} {
		u := &s.unfinished[k]
		if u.size == 0 || width < 24 {
			continue
		}
		text := "   " + s.m.gl.open + " " + name + ": " + bytesText(u.size) + " of a line that has not ended: " + u.text
		width -= p.cut(rolePending, text, width)
	}
}

// ending says how the recording ended.
func (s *session) ending() string {
	words := s.state
	for i := s.rows.n - 1; i >= 0 && i >= s.rows.n-32; i-- {
		if ev, ok := s.rows.events[int32(i)]; ok && ev.Name == "exit" {
			words = "server exited"
			if ev.Signal != "" {
				words = "server ended by " + ev.Signal
			} else if ev.Code != nil {
				words += " " + itoa(*ev.Code)
			}
			break
		}
	}
	if words == "" {
		words = "saved"
	}
	if s.rows.n > 0 {
		words += " after " + timetext.Rough(s.rows.at(s.rows.n-1).t())
	}
	if k := len(s.rows.pending); k > 0 {
		words += ", " + plural(int64(k), "request") + " unanswered"
	}
	if len(s.damage) > 0 {
		words += ", " + plural(int64(len(s.damage)), "damaged place")
	}
	return words
}
