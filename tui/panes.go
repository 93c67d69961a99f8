package tui

import (
	"strings"

	tea "charm.land/bubbletea/v2"
)

type panePlace uint8

const (
	paneAuto panePlace = iota
	paneRight
	paneBottom
	paneOff
)

var paneNames = [...]string{"auto", "right", "bottom", "off"}

// wideSplit is the share of the list where the detail pane stands on its right: it leaves the list
// the 120 columns that show capabilities on a screen of 200.
const wideSplit = 60

// resized computes all rectangles.
func (s *session) resized() tea.Cmd {
	b := s.m.body()
	b, s.stripRect = s.stripped(b)
	s.mainRect, s.detailRect = b, rect{}
	if !s.cur.detail || s.m.tooSmall() {
		return s.afterResize()
	}
	place := s.pane
	if place == paneAuto {
		switch {
		case b.w >= 180:
			place = paneRight
		case b.h >= 30:
			place = paneBottom
		default:
			place = paneOff
		}
	}
	switch {
	case s.zoomed && s.focusDetail:
		s.mainRect, s.detailRect = rect{}, b
	case s.zoomed || place == paneOff:
		s.focusDetail = false
	case place == paneRight && b.w >= 80:
		share := s.split
		if share == 55 {
			share = wideSplit
		}
		w := max(40, min(b.w*share/100, b.w-40))
		s.mainRect = rect{b.x, b.y, w, b.h}
		s.detailRect = rect{b.x + w + 1, b.y, b.w - w - 1, b.h}
	case b.h >= 12:
		h := max(5, min(b.h*s.split/100, b.h-5))
		s.mainRect = rect{b.x, b.y, b.w, h}
		s.detailRect = rect{b.x, b.y + h, b.w, b.h - h}
	}
	return s.afterResize()
}

func (s *session) afterResize() tea.Cmd {
	s.m.dirty = true
	s.detail.dropLines()
	if s.sel >= 0 && s.mainRect.h > 0 {
		s.list.show(s, s.sel)
	}
	if s.src == nil {
		return nil
	}
	return s.fetch()
}

func (s *session) detailFocused() bool { return s.focusDetail && s.detailRect.h > 0 }

func (s *session) stripFocused() bool { return s.focusStrip && s.stripRect.h > 0 }

// listRole is how the selected row of the list is drawn.
func (s *session) listRole() role {
	if s.detailFocused() || s.stripFocused() {
		return roleFaintSelection
	}
	return roleSelection
}

// turnPane gives the focus to the next or previous pane: list, detail pane, strip.
func (s *session) turnPane(by int) tea.Cmd {
	panes := []*bool{new(bool)} // the list has the focus where no other has it
	now := 0
	if s.detailRect.h > 0 || s.zoomed && s.cur.detail {
		if s.detailFocused() {
			now = len(panes)
		}
		panes = append(panes, &s.focusDetail)
	}
	if s.stripRect.h > 0 {
		if s.stripFocused() {
			now = len(panes)
		}
		panes = append(panes, &s.focusStrip)
	}
	if len(panes) == 1 {
		return s.openDetail()
	}
	s.focusDetail, s.focusStrip = false, false
	*panes[(now+by+len(panes))%len(panes)] = true
	return s.resized()
}

// atRoot reports whether going back leaves the recording.
func (s *session) atRoot() bool {
	return !s.detailFocused() && !s.stripFocused() && !s.zoomed && s.cur.key == "1"
}

// draw makes the body.
func (s *session) draw() []string {
	if s.err != nil && s.src == nil {
		return s.broken()
	}
	lines := s.drawPanes()
	if s.stripRect.h > 0 {
		lines = append(lines, s.drawStrip()...)
	}
	return lines
}

func (s *session) drawPanes() []string {
	m := s.m
	m.pen.hit = s.search.text
	defer func() { m.pen.hit = "" }()
	var main, det []string
	if s.mainRect.h > 0 {
		main = fill(s.screen().draw(s, s.mainRect), s.mainRect, &m.pen)
	}
	if s.detailRect.h > 0 {
		det = fill(s.detail.draw(s.detailRect), s.detailRect, &m.pen)
	}
	switch {
	case len(det) == 0:
		return main
	case len(main) == 0:
		return det
	case s.detailRect.x == s.mainRect.x:
		return append(main, det...)
	}
	p := &m.pen
	p.begin(1, roleText)
	p.text(roleBorder, m.gl.vertical)
	border := p.end()
	for i := range main {
		main[i] += border + det[i]
	}
	return main
}

func (s *session) broken() []string {
	p := &s.m.pen
	var lines []string
	for _, t := range []string{"", "   " + s.m.gl.failure + " This recording cannot be opened.", "", "   " + s.err.Error(), "", "   " + s.path} {
		p.begin(s.m.w, roleText)
		p.text(roleText, t)
		lines = append(lines, p.end())
	}
	return lines
}

// act does what is the same on all screens of a recording.
func (s *session) act(a action) tea.Cmd {
	if s.replay.on {
		if cmd, ok := s.replayAct(a); ok {
			return cmd
		}
	}
	var cmd tea.Cmd
	var done bool
	switch {
	case s.detailFocused():
		cmd, done = s.detail.act(a)
	case s.stripFocused():
		cmd, done = s.stripScreen().act(s, a)
	default:
		cmd, done = s.screen().act(s, a)
	}
	if done {
		return cmd
	}
	if cmd, ok := s.find(a); ok {
		return cmd
	}
	switch a {
	case actBack:
		if cmd, ok := s.stopScan(); ok {
			return cmd
		}
		return s.back()
	case actNextPane:
		return s.turnPane(1)
	case actPrevPane:
		return s.turnPane(-1)
	case actOpen:
		return s.openDetail()
	case actNextTab:
		s.detail.turn(1)
	case actPrevTab:
		s.detail.turn(-1)
	case actPanePlace:
		s.pane = (s.pane + 1) % panePlace(len(paneNames))
		s.zoomed = false
		return tea.Batch(s.resized(), s.m.say("detail pane: "+paneNames[s.pane]))
	case actStrip:
		return s.turnStrip()
	case actGrow, actShrink:
		by := 5
		if a == actShrink {
			by = -5
		}
		s.split = max(20, min(s.split+by, 80))
		return s.resized()
	case actZoom:
		s.zoomed = !s.zoomed
		return s.resized()
	case actTime:
		s.times = (s.times + 1) % 3
	case actFollow:
		if s.follow {
			s.unfollow()
			return nil
		}
		return s.setFollow()
	case actFreeze:
		return s.freeze()
	case actReplay:
		return s.toggleReplay()
	case actNextError:
		return s.seek(1, levelError)
	case actPrevError:
		return s.seek(-1, levelError)
	case actNextWarn:
		return s.seek(1, levelWarning)
	case actPrevWarn:
		return s.seek(-1, levelWarning)
	case actPair:
		return s.toPair()
	case actModel:
		return s.detail.toModel()
	case actFlowNext:
		return s.inFlow(1)
	case actFlowPrev:
		return s.inFlow(-1)
	case actDeclared:
		return s.toDeclaration()
	case actResend:
		return s.askResend()
	case actDiffWith:
		return s.m.candidates(s.id)
	default:
		if key, ok := strings.CutPrefix(string(a), string(actScreen)+"-"); ok {
			if key == "0" {
				return s.m.toHome()
			}
			return s.show(key)
		}
	}
	return nil
}

// openDetail shows the detail pane: beside the list where there is room, else in its place.
func (s *session) openDetail() tea.Cmd {
	if !s.cur.detail || s.sel < 0 {
		return nil
	}
	s.focusDetail, s.focusStrip = true, false
	if s.detailRect.h == 0 {
		s.zoomed = true
	}
	return tea.Batch(s.resized(), s.detail.show(s.sel))
}

func (s *session) back() tea.Cmd {
	switch {
	case s.visited >= 0 && s.visited == s.sel && s.cur.key == "1" && len(s.m.layers) > 0:
		s.visited, s.focusDetail, s.zoomed = none, false, false
		return s.m.leave()
	case s.detailFocused() && s.zoomed, s.zoomed:
		s.focusDetail, s.zoomed = false, false
		return s.resized()
	case s.detailFocused(), s.stripFocused():
		s.focusDetail, s.focusStrip = false, false
		return s.resized()
	case s.cur.key != "1":
		return s.show("1")
	}
	return s.m.leave()
}

func (s *session) freeze() tea.Cmd {
	s.frozen = !s.frozen
	if s.frozen {
		return nil
	}
	held := s.held
	s.held, s.heldN = nil, 0
	var cmds []tea.Cmd
	for _, b := range held {
		cmds = append(cmds, s.take(b))
	}
	return tea.Batch(cmds...)
}

func (s *session) click(x, y int) tea.Cmd {
	switch {
	case y == s.m.h-1-s.m.hintRows() && s.replay.on:
		return s.clickScrubber(x)
	case s.stripRect.has(x, y):
		return s.clickStrip(x, y)
	case s.detailRect.has(x, y):
		s.focusDetail, s.focusStrip = true, false
		return tea.Batch(s.detail.click(x-s.detailRect.x, y-s.detailRect.y), s.resized())
	case s.mainRect.has(x, y):
		s.focusDetail, s.focusStrip = false, false
		line := y - s.mainRect.y
		again := line == s.clickedAt && s.m.now().Sub(s.lastClick) < doubleClick
		s.lastClick, s.clickedAt = s.m.now(), line
		cmd := s.resized()
		// What was clicked stays under the pointer.
		screen, top := s.cur.key, s.list.top
		cmd = tea.Batch(cmd, s.screen().click(s, x-s.mainRect.x, line, again))
		if line > 0 && s.cur.key == screen && s.mainRect.h > 0 && !s.detailFocused() {
			s.list.top = top
			s.list.clamp(s)
			cmd = tea.Batch(cmd, s.fetch())
		}
		return cmd
	}
	return nil
}

func (s *session) wheel(x, y, by int) tea.Cmd {
	if s.detailRect.has(x, y) {
		s.detail.scroll(by)
		return nil
	}
	if sc := s.stripScreen(); sc != nil && s.stripRect.has(x, y) {
		return sc.wheel(s, by)
	}
	return s.screen().wheel(s, by)
}
