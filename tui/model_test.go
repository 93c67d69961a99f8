package tui

import (
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/shakescope/shakescope/annotate"
)

// selected is the number of the selected record.
func (d *driver) selected() int64 {
	d.t.Helper()
	if d.m.rec.sel < 0 {
		return 0
	}
	return d.m.rec.rows.at(d.m.rec.sel).seq()
}

func (d *driver) want(seq int64) {
	d.t.Helper()
	if got := d.selected(); got != seq {
		d.t.Errorf("#%d is selected, want #%d", got, seq)
	}
}

func (d *driver) shows(words ...string) {
	d.t.Helper()
	for _, w := range words {
		if !strings.Contains(d.text(), w) {
			d.t.Errorf("%q is not on screen:\n%s", w, d.text())
		}
	}
}

func TestNavigation(t *testing.T) {
	d := drive(t, Options{}, &shelf{}, 80, 24)
	everyday().on(d)
	d.want(1)
	d.keys("j", "j")
	d.want(3)
	d.keys("p")
	d.want(2)
	d.keys("p")
	d.want(3)
	d.keys("e")
	d.want(15) // the tool error
	d.keys("e")
	d.want(16) // the undeclared capability
	d.keys("e", "e")
	d.want(18)
	d.keys("e")
	d.want(18)
	d.shows("no further error")
	d.keys("w")
	d.want(19)
	d.keys("E", "E", "E", "E")
	d.want(15)
	d.keys("d")
	d.want(3) // where the capability was declared
	d.keys(":", "9", "enter")
	d.want(9)
	d.keys(")")
	d.want(10)
	d.keys(")", ")")
	d.want(12)
	d.keys("(", "(", "(")
	d.want(9)
	d.keys("G")
	d.want(22)
	d.keys("g")
	d.want(1)
	d.keys(":", "+", "9", "enter")
	d.want(15)
	d.keys(":", "n", "o", "p", "e", "enter")
	d.shows(`no command "nope"`)
	d.keys("t")
	d.shows("14:02:20.394")
}

// A slow call, a tool error and an undeclared capability are found in a few keys.
func TestFewKeys(t *testing.T) {
	for what, keys := range map[string][]string{"ENOENT": {"e", "enter"}, "client capability elicitation (not declared)": {"4", "enter", "enter"}, "elicitation": {"5"}} {
		d := drive(t, Options{}, &shelf{}, 80, 24)
		everyday().on(d)
		d.keys(keys...)
		if got := strings.Join(strings.Fields(d.text()), " "); !strings.Contains(got, what) {
			t.Errorf("%v do not show %q:\n%s", keys, what, d.text())
		}
	}
}

func TestBack(t *testing.T) {
	d := drive(t, Options{}, &shelf{}, 80, 24)
	everyday().on(d)
	d.keys("enter")
	d.shows("annotated", "raw", "pair", "findings")
	d.keys("esc")
	d.shows("what happened")
	d.keys("4", "esc")
	d.shows("what happened")
	d.keys("?")
	d.shows("help")
	d.keys("?")
	d.shows("what happened")
	d.keys("q")
	if d.m.rec != nil {
		t.Error("q at the root of a recording does not lead to the list")
	}
	cmd := d.m.key("q")
	if cmd == nil {
		t.Fatal("q at the root does nothing")
	}
	if _, ok := cmd().(tea.QuitMsg); !ok {
		t.Error("q at the root does not quit")
	}
}

func live(s *script) *script {
	s.b.done, s.b.caughtUp, s.b.state = false, true, ""
	return s
}

func TestFollow(t *testing.T) {
	s := live(everyday())
	all := s.b
	s.b.items, s.b.patches = all.items[:10], nil
	d := drive(t, Options{}, &shelf{}, 80, 24)
	s.on(d)
	d.m.rec.live, d.m.rec.follow = true, true
	d.run(d.m.rec.take(&batch{items: all.items[10:12], caughtUp: true}))
	d.want(12)
	d.shows("FOLLOW on", "live")
	d.keys("k")
	d.want(11)
	d.run(d.m.rec.take(&batch{items: all.items[12:17]}))
	d.want(11)
	d.shows("FOLLOW off", "5 new")
	d.keys("f")
	d.want(17)
	d.shows("FOLLOW on")
	d.keys("=")
	d.send(batchMsg{owned(d.m.rec.id), &batch{items: all.items[17:20]}})
	d.want(17)
	d.shows("FROZEN", "3 waiting")
	d.keys("=")
	d.want(20)
	d.send(batchMsg{owned(d.m.rec.id), &batch{items: all.items[20:], done: true, state: "ended"}})
	d.want(22)
	d.shows("server exited 0", "ended")
	d.send(batchMsg{owned(d.m.rec.id + 1), &batch{done: true, state: "crashed"}})
	d.shows("ended")
}

// The detail pane stays as it is while others arrive.
func TestDetailIsPinned(t *testing.T) {
	s := live(everyday())
	all := s.b
	s.b.items, s.b.patches = all.items[:10], nil
	d := drive(t, Options{}, &shelf{}, 120, 40)
	s.on(d)
	d.m.rec.live, d.m.rec.follow = true, false
	d.keys("j", "j", "enter", "j", "j", "j")
	lines := func() []string { return d.m.rec.detail.draw(d.m.rec.detailRect) }
	was := strings.Join(lines(), "\n")
	d.run(d.m.rec.take(&batch{items: all.items[10:]}))
	if now := strings.Join(lines(), "\n"); now != was {
		t.Errorf("the pane changed:\n%s\n%s", was, now)
	}
}

// Something pending ages by one tick a second; else nothing ticks.
func TestTicks(t *testing.T) {
	s := live(everyday())
	s.b.items, s.b.patches = s.b.items[:5], nil // tools/list is pending
	d := drive(t, Options{}, &shelf{}, 80, 24)
	s.on(d)
	d.m.rec.live = true
	d.now = start.Add(time.Minute)
	d.run(d.m.rec.tick())
	for range 3 {
		d.run(d.m.rec.take(&batch{}))
	}
	if len(d.timers) != 1 {
		t.Fatalf("%d timers, want 1", len(d.timers))
	}
	before := d.m.frames
	d.frame()
	d.pass(3 * time.Second)
	d.frame()
	if d.m.frames == before {
		t.Error("a pending row does not age")
	}
	d.shows("1m03s", "in flight")
	d.run(d.m.rec.take(&batch{items: everyday().b.items[5:6]}))
	d.pass(5 * time.Second)
	if len(d.timers) != 0 {
		t.Errorf("still ticking with nothing pending: %v", d.timers)
	}
	d.frame()
	frames := d.m.frames
	for range 10 {
		d.frame()
	}
	if d.m.frames != frames {
		t.Error("an unchanged frame is drawn again")
	}
}

func TestReplay(t *testing.T) {
	d := drive(t, Options{}, &shelf{}, 120, 40)
	everyday().on(d)
	d.keys("R")
	d.want(1)
	d.pass(100 * time.Millisecond)
	d.want(2)
	d.shows("1×")
	d.pass(200 * time.Millisecond)
	d.want(8)
	d.shows("/ 59.4 s")
	d.keys("space")
	d.pass(time.Minute)
	d.want(8)
	d.keys(".")
	d.want(9)
	if d.m.rec.stateAt(8) != statePending {
		t.Error("the call is not pending at the playhead")
	}
	d.keys(",", ",")
	d.want(7)
	d.keys("}", "}")
	d.shows("4×")
	d.keys("{", "{", "{")
	d.shows("1/2×")
	d.keys("G")
	d.want(22)
	d.keys("g")
	d.want(1)
	d.keys(":", "+", "9", ".", "4", "enter")
	d.want(15)
	// 40 s without traffic are cut to three.
	d.keys("}", "space")
	d.pass(100 * time.Millisecond)
	d.want(17)
	d.shows("silence cut")
	d.pass(3200 * time.Millisecond)
	d.want(18)
	// Looking at something ends following, not the replay.
	d.keys("k", "k")
	d.want(16)
	d.pass(1200 * time.Millisecond)
	d.want(16)
	if d.m.rec.limit() != 19 {
		t.Errorf("%d entries at the playhead, want 19", d.m.rec.limit())
	}
	d.keys("R")
	d.want(16)
	if d.m.rec.limit() != 22 {
		t.Errorf("%d entries after the replay, want all 22", d.m.rec.limit())
	}
}

// What the future brought is not seen at the playhead.
func TestReplayKnowsOnlyThePast(t *testing.T) {
	d := drive(t, Options{}, &shelf{}, 120, 40)
	everyday().on(d)
	d.m.rec.replay.want(1, 2100*time.Millisecond)
	d.run(d.m.rec.startReplay())
	d.keys("space", ".")
	d.want(9)
	if st := d.m.rec.stateAt(8); st != statePending {
		t.Errorf("the call is in state %d before its answer", st)
	}
	d.keys(".", ".")
	d.shows("40/50")
	d.keys(",")
	d.shows("20/50")
	if strings.Contains(d.text(), "40/50") {
		t.Error("progress of the future is shown")
	}
	e, w, _ := d.m.rec.findingCounts()
	if e != 0 || w != 0 {
		t.Errorf("%d errors and %d warnings before they were found", e, w)
	}
	d.keys("4")
	d.shows("no findings")
	d.keys("1", "G", "4")
	d.shows("capability-undeclared", "request-unanswered")
}

func TestReplayFromTheStart(t *testing.T) {
	lib := &shelf{}
	d := drive(t, Options{}, lib, 80, 24)
	s := everyday()
	d.m.rec = newSession(d.m, "x", "")
	d.m.rec.src = s.source()
	in := make(chan *batch)
	close(in)
	d.m.rec.in = in
	d.m.rec.replay.want(2, 9*time.Second)
	d.run(d.m.rec.take(&s.b))
	if !d.m.rec.replay.on || d.m.rec.limit() != 14 {
		t.Errorf("replay %t at %d entries, want 14", d.m.rec.replay.on, d.m.rec.limit())
	}
	d.shows("2×", "+9.0 s")
}

func TestResize(t *testing.T) {
	d := drive(t, Options{}, &shelf{}, 200, 60)
	everyday().on(d)
	d.keys("e", "enter", "]")
	for _, size := range [][2]int{{200, 60}, {120, 40}, {100, 30}, {80, 24}, {70, 20}, {60, 16}, {59, 16}, {45, 12}, {40, 10}, {39, 10}, {40, 9}, {12, 3}, {1, 1}, {0, 0}, {300, 10}, {41, 200}, {80, 24}} {
		d.send(tea.WindowSizeMsg{Width: size[0], Height: size[1]})
		for _, key := range []string{"", "1", "2", "3", "4", "5", "6", "7", "1", "enter", "z", "P", "P", "P", "P", "?", "esc"} {
			if key != "" {
				d.keys(key)
			}
			checkFrame(t, d.frame(), size[0], size[1])
			if d.m.rec == nil {
				everyday().on(d)
			}
		}
	}
	d.send(tea.WindowSizeMsg{Width: 37, Height: 9})
	d.shows("needs 40x10 (have 37x9)")
}

func TestMouse(t *testing.T) {
	d := drive(t, Options{}, &shelf{}, 120, 40)
	everyday().on(d)
	y := -1
	for i, l := range strings.Split(d.text(), "\n") {
		if strings.Contains(l, "roots/list") {
			y = i
			break
		}
	}
	d.send(tea.MouseClickMsg{X: 50, Y: y, Button: tea.MouseLeft})
	d.want(7)
	d.send(tea.MouseWheelMsg{X: 50, Y: 5, Button: tea.MouseWheelDown})
	d.want(7)
	top := d.m.rec.list.top
	if top == 0 {
		t.Error("the wheel does not scroll")
	}
	d.send(tea.MouseClickMsg{X: 18, Y: d.m.rec.detailRect.y, Button: tea.MouseLeft})
	if d.m.rec.detail.tab != tabRaw {
		t.Errorf("a click on the title of a tab leads to %s", tabNames[d.m.rec.detail.tab])
	}
	d.send(tea.MouseClickMsg{X: 50, Y: 3, Button: tea.MouseLeft})
	d.send(tea.MouseClickMsg{X: 50, Y: 3, Button: tea.MouseLeft})
	if !d.m.rec.focusDetail {
		t.Error("a double click does not open")
	}
}

func TestScrubber(t *testing.T) {
	d := drive(t, Options{}, &shelf{}, 120, 40)
	everyday().on(d)
	d.keys("R", "space")
	d.frame()
	s := d.m.rec
	d.send(tea.MouseClickMsg{X: s.scrubX + s.scrubW - 1, Y: 38, Button: tea.MouseLeft})
	if s.limit() != 22 {
		t.Errorf("a click at the end of the scrubber shows %d entries", s.limit())
	}
	d.send(tea.MouseClickMsg{X: s.scrubX, Y: 38, Button: tea.MouseLeft})
	if s.limit() != 1 {
		t.Errorf("a click at its start shows %d entries", s.limit())
	}
}

func TestRecordingsList(t *testing.T) {
	code := 139
	lib := &shelf{listings: []listing{
		{path: "c", state: "live", server: peer{"github-mcp", "1.4.2"}, client: peer{"claude-code", "2.1.0"}, revision: "2025-11-25", era: "legacy", started: start, duration: 12 * time.Minute, sent: 700, received: 504, bytes: 4_100_000},
		{path: "b", state: "crashed", server: peer{"playwright", "0.0.41"}, client: peer{"cursor", "1"}, started: start.Add(-time.Hour), duration: 2 * time.Minute, sent: 300, received: 10, bytes: 64_000, exitCode: &code},
		{path: "a", state: "cut", started: start.Add(-26 * time.Hour), gaps: 2, bytes: 9},
	}}
	d := drive(t, Options{}, lib, 80, 24)
	d.list()
	d.keys("j")
	if d.m.home.cur != "b" {
		t.Errorf("selected %s", d.m.home.cur)
	}
	lib.listings = append([]listing{{path: "d", state: "live", started: start.Add(time.Minute)}}, lib.listings...)
	d.send(listingMsg{d.m.home.gen, lib.listings, nil})
	if d.m.home.cur != "b" {
		t.Errorf("a new recording moved the selection to %s", d.m.home.cur)
	}
	d.shows("1 new")
	d.keys("g")
	if d.m.home.cur != "d" {
		t.Errorf("g selects %s", d.m.home.cur)
	}
	lib.listings = nil
	d.send(listingMsg{d.m.home.gen, nil, nil})
	d.shows("No recordings yet.", "shakescope install", "shakescope -- ", "shakescope demo")
	for _, size := range sizes[1:] {
		d.send(tea.WindowSizeMsg{Width: size.w, Height: size.h})
		checkFrame(t, d.frame(), size.w, size.h)
	}
}

func TestOpenFails(t *testing.T) {
	d := drive(t, Options{}, &shelf{listings: []listing{{path: "gone", state: "ended"}}}, 80, 24)
	d.list()
	d.keys("enter")
	d.shows("cannot be opened", "no such recording")
	d.keys("q")
	if d.m.rec != nil {
		t.Error("no way back")
	}
}

func TestThemes(t *testing.T) {
	for _, name := range themeNames() {
		d := drive(t, Options{Theme: name}, &shelf{}, 120, 40)
		everyday().on(d)
		for _, keys := range [][]string{{}, {"e", "enter"}, {"esc", "4"}, {"5"}, {"6"}, {"7"}, {"2"}, {"3"}, {"?"}} {
			d.keys(keys...)
			frame := d.frame()
			checkFrame(t, frame, 120, 40)
			if name == "mono" && hasColour(frame) {
				t.Errorf("mono has colours: %q", frame)
			}
			if name != "mono" && !hasColour(frame) {
				t.Errorf("%s has no colours", name)
			}
		}
		d.keys("esc", ":", "t", "h", "e", "m", "e", "space", "m", "o", "n", "o", "enter")
		if d.m.th.name != "mono" {
			t.Errorf(":theme does not change %s", name)
		}
	}
}

func TestDrawsOnlyWhenNeeded(t *testing.T) {
	d := drive(t, Options{}, &shelf{}, 80, 24)
	everyday().on(d)
	d.frame()
	n := d.m.frames
	d.send(tea.MouseMotionMsg{X: 3, Y: 3})
	d.send(noteOver{d.now.Add(-time.Hour)})
	d.keys("~")
	d.frame()
	if d.m.frames != n {
		t.Errorf("%d frames for nothing", d.m.frames-n)
	}
}

// The answer of a request that is pending shows up in its row.
func TestPatchReachesTheRow(t *testing.T) {
	d := drive(t, Options{}, &shelf{}, 80, 24)
	s := everyday()
	s.on(d)
	if got := d.m.rec.stateAt(4); got != stateOK {
		t.Errorf("tools/list is in state %d, want ok", got)
	}
	if got := d.m.rec.rows.entry(4).State; got != annotate.OK {
		t.Errorf("tools/list is %s", got)
	}
}
