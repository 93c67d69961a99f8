package tui

import (
	"testing"

	tea "charm.land/bubbletea/v2"
)

func TestThirdStrip(t *testing.T) {
	d := drive(t, Options{}, &shelf{}, 200, 60)
	everyday().on(d)
	s := d.m.rec
	plain, list := d.text(), s.mainRect.h
	d.keys("e", "T")
	checkFrame(t, d.frame(), 200, 60)
	if s.mainRect.h != list-stripRows || s.detailRect.h != s.mainRect.h {
		t.Errorf("the list has %d rows, the detail pane %d, of %d", s.mainRect.h, s.detailRect.h, list)
	}
	d.keys("T")
	checkFrame(t, d.frame(), 200, 60)
	// tab goes on to the strip, whose keys then work.
	f := s.stripScreen().(*findingsScreen)
	d.keys("tab", "tab", "j")
	if !s.stripFocused() || f.cur != 1 || s.places()&inFindings == 0 {
		t.Errorf("focus %t, cursor %d", s.stripFocused(), f.cur)
	}
	d.keys("enter")
	if int(f.finding(s, findingLine{1, none}).row) != s.sel || s.stripFocused() {
		t.Errorf("enter leads to row %d", s.sel)
	}
	d.keys("shift+tab")
	if !s.stripFocused() {
		t.Error("shift+tab does not go the other way round")
	}
	d.keys("esc")
	if s.stripFocused() || s.m.rec == nil {
		t.Error("esc does not lead back to the list")
	}
	// A double click on a finding goes to its entry, one on the title to the screen.
	d.keys("g")
	for range 2 {
		d.send(tea.MouseClickMsg{X: 30, Y: s.stripRect.y + 2, Button: tea.MouseLeft})
	}
	if f := s.rows.allFindings[s.screens["4"].(*findingsScreen).groups[0].list[0]]; s.sel != int(f.row) {
		t.Errorf("row %d is selected, not the finding's %d", s.sel, f.row)
	}
	d.send(tea.MouseClickMsg{X: 30, Y: s.stripRect.y, Button: tea.MouseLeft})
	if s.cur.key != "4" || s.stripRect.h != 0 {
		t.Errorf("on screen %s with a strip of %d rows", s.cur.key, s.stripRect.h)
	}
	d.shows("asks for elicitation, which the client did not declare")
	d.keys("1", "z")
	if s.stripRect.h != 0 {
		t.Error("a pane on the whole screen leaves the strip")
	}
	d.keys("z", "T", "g")
	d.pass(5e9)
	if got := d.text(); got != plain {
		t.Errorf("without the strip it is not as before:\n%s", got)
	}
	d.keys("T")
	d.send(tea.WindowSizeMsg{Width: 120, Height: 40})
	checkFrame(t, d.frame(), 120, 40)
	if s.stripRect.h != 0 {
		t.Error("a strip on a small terminal")
	}
	d.keys("T")
	d.shows("needs 200x60")
}
