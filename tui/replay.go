package tui

import (
	"math"
	"sort"
	"strconv"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/shakescope/shakescope/internal/timetext"
)

// replay is the playhead over a recording whose entries are all there.
type replay struct {
	wanted  bool // begin when the recording is read
	on      bool
	playing bool
	speed   float64
	from    time.Duration
	head    int           // entries shown
	at      time.Duration // playhead, on the recording's clock
	anchor  time.Time     // wall clock at which the playhead was last moved
	skipped time.Duration // of the gap before the next entry, cut out
	gen     int
}

// longGap is the silence that is not waited out: of a longer one only this much is played.
const longGap = 3 * time.Second

const (
	slowest = 1.0 / 16
	fastest = 1024.0
)

type replayTick struct {
	owned
	gen int
}

// want asks for a replay as soon as the recording is read.
func (r *replay) want(speed float64, from time.Duration) {
	r.wanted, r.from = true, from
	r.setSpeed(speed)
}

func (r *replay) setSpeed(x float64) {
	if x == 0 || math.IsNaN(x) || x < 0 {
		x = 1
	}
	if !math.IsInf(x, 1) {
		x = max(slowest, min(x, fastest))
	}
	r.speed = x
}

// toggleReplay begins a replay at the selected entry, or leaves it.
func (s *session) toggleReplay() tea.Cmd {
	r := &s.replay
	if r.on {
		r.on = false
		r.gen++
		s.follow = false
		cmd := s.asOfHead()
		return tea.Batch(cmd, s.moveTo(s.sel), s.m.say("replay ended: all entries are shown"))
	}
	if s.live {
		return s.m.say("still live: a recording can be replayed when it has ended")
	}
	if !s.done || s.rows.n == 0 {
		return s.m.say("still reading")
	}
	r.from = 0
	if s.sel > 0 && s.sel < s.rows.n-1 {
		r.from = s.rows.at(s.sel).t()
	}
	r.setSpeed(r.speed)
	return s.startReplay()
}

func (s *session) startReplay() tea.Cmd {
	r := &s.replay
	r.wanted, r.on, r.playing = false, true, true
	s.follow = true
	return s.seekTo(r.from)
}

// length is the time of the last entry.
func (s *session) length() time.Duration {
	if s.rows.n == 0 {
		return 0
	}
	return s.rows.at(s.rows.n - 1).t()
}

// seekTo moves the playhead to a time.
func (s *session) seekTo(t time.Duration) tea.Cmd {
	r := &s.replay
	r.at = max(0, min(t, s.length()))
	r.head = sort.Search(s.rows.n, func(i int) bool { return s.rows.at(i).t() > r.at })
	r.skipped = 0
	return s.headMoved()
}

// headMoved follows a new playhead and plans the next tick.
func (s *session) headMoved() tea.Cmd {
	r := &s.replay
	r.anchor = s.m.now()
	s.m.dirty = true
	cmd := s.asOfHead()
	switch {
	case r.head == 0:
		s.sel = none
		s.list.top = 0
	case s.follow || s.sel < 0 || s.sel >= r.head:
		_, last := s.ends()
		if last < 0 || last >= r.head {
			last = r.head - 1 // nothing is shown
		}
		cmd = tea.Batch(cmd, s.moveTo(last))
	default:
		s.list.clamp(s)
	}
	s.detail.dropLines()
	return tea.Batch(cmd, s.plan())
}

// plan asks for the next tick of a replay that plays.
func (s *session) plan() tea.Cmd {
	r := &s.replay
	r.gen++
	if !r.playing || !r.on {
		return nil
	}
	if r.head >= s.rows.n {
		r.playing = false
		return nil
	}
	next := s.rows.at(r.head).t()
	r.skipped = 0
	if gap := next - r.at; gap > longGap {
		r.skipped = gap - longGap
		r.at += r.skipped
		r.anchor = s.m.now()
	}
	wait := 100 * time.Millisecond
	if s.m.opts.NoMotion {
		wait = time.Second
	}
	if math.IsInf(r.speed, 1) {
		wait = 0
	} else if until := float64(next-r.at) / r.speed; until < float64(wait) {
		wait = time.Duration(until)
	}
	return s.m.after(max(wait, batchEvery), replayTick{owned(s.id), r.gen})
}

// replayed moves the playhead by the time that passed.
func (s *session) replayed(msg replayTick) tea.Cmd {
	r := &s.replay
	if !r.on || !r.playing || msg.gen != r.gen {
		return nil
	}
	now := s.m.now()
	if math.IsInf(r.speed, 1) {
		r.at = s.length()
	} else {
		r.at += time.Duration(float64(now.Sub(r.anchor)) * r.speed)
	}
	r.at = min(r.at, s.length())
	head := r.head
	for head < s.rows.n && s.rows.at(head).t() <= r.at {
		if gap := s.rows.at(head).t() - s.before(head); gap > longGap && head > r.head {
			// A tick came late and the silence before this entry is still to be played.
			r.at = s.before(head)
			break
		}
		head++
	}
	if head == r.head {
		r.anchor = now
		s.m.dirty = true
		return s.planKeep()
	}
	r.head = head
	return s.headMoved()
}

// before is the time of the entry before row i.
func (s *session) before(i int) time.Duration {
	if i == 0 {
		return 0
	}
	return s.rows.at(i - 1).t()
}

// planKeep is plan within a silence: what was cut out of it stays said.
func (s *session) planKeep() tea.Cmd {
	skipped := s.replay.skipped
	cmd := s.plan()
	if s.replay.skipped == 0 {
		s.replay.skipped = skipped
	}
	return cmd
}

// replayGrown takes note of new entries.
func (s *session) replayGrown() tea.Cmd { return s.plan() }

// stepTo shows exactly n entries and pauses.
func (s *session) stepTo(n int) tea.Cmd {
	r := &s.replay
	r.playing = false
	r.skipped = 0
	r.head = max(0, min(n, s.rows.n))
	r.at = 0
	if r.head > 0 {
		r.at = s.rows.at(r.head - 1).t()
	}
	s.follow = true
	return s.headMoved()
}

// replayAct does the actions of a replay.
func (s *session) replayAct(a action) (tea.Cmd, bool) {
	r := &s.replay
	switch a {
	case actPause:
		if r.head >= s.rows.n && !r.playing {
			r.playing = true
			s.follow = true
			return s.seekTo(0), true
		}
		r.playing = !r.playing
		if r.playing {
			s.follow = true
		}
		r.anchor = s.m.now()
		return s.plan(), true
	case actStep:
		return s.stepTo(r.head + 1), true
	case actStepBack:
		return s.stepTo(r.head - 1), true
	case actSlower, actFaster:
		x := r.speed / 2
		if a == actFaster {
			x = r.speed * 2
		}
		r.setSpeed(x)
		r.anchor = s.m.now()
		return s.plan(), true
	case actTop:
		if s.detailFocused() {
			return nil, false
		}
		s.follow = true
		return s.seekTo(0), true
	case actBottom:
		if s.detailFocused() {
			return nil, false
		}
		s.follow = true
		return s.seekTo(s.length()), true
	}
	return nil, false
}

// drawReplay draws pace, playhead and scrubber into width cells.
func (s *session) drawReplay(p *pen, width int) {
	gl := s.m.gl
	r := &s.replay
	mode := gl.pause
	if r.playing {
		mode = gl.play
	}
	end := p.left - width
	p.text(roleInfo, mode+" "+speedText(r.speed, gl)+" ")
	p.text(roleStrong, "+"+timetext.Rough(r.at))
	p.text(roleMuted, " / "+timetext.Rough(s.length())+" ")
	if r.skipped > 0 {
		p.text(roleWarn, timetext.Rough(r.skipped)+" of silence cut ")
	}
	s.scrubX = s.m.w - p.left
	s.scrubW = max(p.left-end, 0)
	s.scrubber(p, s.scrubW)
}

func speedText(x float64, gl *glyphs) string {
	switch {
	case math.IsInf(x, 1):
		return "max"
	case x < 1:
		return "1/" + itoa(int(math.Round(1/x))) + gl.times
	}
	return strconv.FormatFloat(x, 'f', -1, 64) + gl.times
}

// scrubber draws the length of the recording with the playhead and a tick for each place that has an
// error or a warning.
func (s *session) scrubber(p *pen, width int) {
	if width < 8 {
		return
	}
	gl := s.m.gl
	length := s.length()
	cell := func(t time.Duration) int {
		if length <= 0 {
			return width - 1
		}
		return max(0, min(int(float64(t)/float64(length)*float64(width-1)+0.5), width-1))
	}
	ticks := make([]level, width)
	for i := range s.rows.allFindings {
		f := &s.rows.allFindings[i]
		if f.row >= 0 {
			c := cell(s.rows.at(int(f.row)).t())
			ticks[c] = max(ticks[c], s.rows.levelOf(f))
		}
	}
	head := cell(s.replay.at)
	for i := range width {
		switch {
		case i == head:
			p.text(roleTitle, gl.head)
		case ticks[i] == levelError:
			p.text(roleError, gl.tick)
		case ticks[i] == levelWarning:
			p.text(roleWarn, gl.tick)
		case i < head:
			p.text(roleInfo, gl.barFull)
		default:
			p.text(roleMuted, gl.barEmpty)
		}
	}
}

func (s *session) clickScrubber(x int) tea.Cmd {
	if s.scrubW < 2 || x < s.scrubX || x >= s.scrubX+s.scrubW {
		return nil
	}
	s.follow = true
	return s.seekTo(time.Duration(float64(s.length()) * float64(x-s.scrubX) / float64(s.scrubW-1)))
}
