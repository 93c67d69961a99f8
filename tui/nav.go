package tui

import (
	tea "charm.land/bubbletea/v2"
)

// seek goes to the next or previous row that failed or has a finding of a level.
func (s *session) seek(dir int, lv level) tea.Cmd {
	n := s.limit()
	// Screens without entries lead to the stream.
	var cmd tea.Cmd
	if s.cur.key == "6" || s.cur.key == "7" {
		cmd = s.show("1")
	}
	for i := s.sel + dir; i >= 0 && i < n; i += dir {
		if s.view.judge != nil && !s.isShown(i) {
			continue
		}
		if s.levelAt(i) == lv || lv == levelError && s.failed(i) {
			return tea.Batch(cmd, s.goTo(i))
		}
	}
	return tea.Batch(cmd, s.noFurther(dir, lv))
}

// failed reports whether row i itself says that something went wrong.
func (s *session) failed(i int) bool {
	r := s.rows.at(i)
	switch r.kind() {
	case kindError, kindInvalid, kindGap:
		return true
	case kindResponse:
		return r.state() == stateToolError
	}
	return false
}

// levelAt is the level of the worst finding of a row that is known at the playhead.
func (s *session) levelAt(i int) level {
	lv := s.rows.at(i).level()
	if lv == levelNone || !s.replay.on {
		return lv
	}
	lv = levelNone
	for _, f := range s.rows.findingsAsOf(int32(i), s.known()) {
		lv = max(lv, s.rows.levelOf(&f))
	}
	return lv
}

// stateAt is the state of a row at the playhead.
func (s *session) stateAt(i int) state { return s.rows.stateAsOf(i, s.known()) }

// pairAt is the other half of row i, if it is to be seen.
func (s *session) pairAt(i int) int {
	if i < 0 || i >= s.limit() {
		return none
	}
	if p := int(s.rows.at(i).pair()); p < s.limit() {
		return p
	}
	return none
}

func (s *session) toPair() tea.Cmd {
	if s.sel < 0 {
		return nil
	}
	if p := s.pairAt(s.sel); p >= 0 {
		return s.goTo(p)
	}
	if s.rows.at(s.sel).kind() == kindRequest {
		return s.m.say("no answer so far")
	}
	return s.m.say("not half of a pair")
}

// flowReach bounds the search for the next entry of a flow, so that a key press never hangs.
const flowReach = 200_000

// inFlow goes to the next or previous entry of the same flow.
func (s *session) inFlow(dir int) tea.Cmd {
	if s.sel < 0 {
		return nil
	}
	flow := s.rows.at(s.sel).flow()
	if flow < 0 {
		return s.m.say("not part of a flow")
	}
	n := s.limit()
	for i, steps := s.sel+dir, 0; i >= 0 && i < n && steps < flowReach; i, steps = i+dir, steps+1 {
		if s.rows.at(i).flow() == flow || i == int(flow) {
			return s.goTo(i)
		}
	}
	if dir < 0 {
		return s.m.say("the flow begins here")
	}
	return s.m.say("nothing further in this flow")
}

// toDeclaration goes to the message that declared the capability of the selected one.
func (s *session) toDeclaration() tea.Cmd {
	if s.sel < 0 {
		return nil
	}
	caps := s.rows.caps[s.rows.at(s.sel).caps]
	for _, c := range caps {
		if c.At > 0 {
			if i := s.rows.find(refOf(c.At)); i >= 0 && int(i) < s.limit() {
				return s.goTo(int(i))
			}
		}
	}
	if len(caps) == 0 {
		return s.m.say("depends on no capability")
	}
	return s.m.say(caps[0].Side + " " + caps[0].Path + " was not declared")
}
