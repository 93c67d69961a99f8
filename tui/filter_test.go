package tui

import (
	"strings"
	"testing"
	"time"

	"github.com/shakescope/shakescope/annotate"
	"github.com/shakescope/shakescope/internal/filter"
)

// typeIn types text, key by key.
func (d *driver) typeIn(text string) {
	for _, r := range text {
		if r == ' ' {
			d.keys("space")
			continue
		}
		d.keys(string(r))
	}
}

// shownSeqs are the numbers of the rows that are shown.
func (d *driver) shownSeqs() []int64 {
	var out []int64
	for line := range d.m.rec.lineTotal() {
		if i, rule := d.m.rec.rowAt(line); !rule {
			out = append(out, d.m.rec.rows.at(i).seq())
		}
	}
	return out
}

func (d *driver) wantShown(want ...int64) {
	d.t.Helper()
	got := d.shownSeqs()
	if len(got) != len(want) {
		d.t.Errorf("shown are %v, want %v", got, want)
		return
	}
	for i := range got {
		if got[i] != want[i] {
			d.t.Errorf("shown are %v, want %v", got, want)
			return
		}
	}
}

// The rows of a recording answer filters as its entries do.
func TestFilterRow(t *testing.T) {
	s := everyday()
	d := drive(t, Options{}, &shelf{}, 120, 40)
	s.on(d)
	rec := d.m.rec
	exprs := []string{
		`tool == get_file`, `kind == request`, `state == pending`, `is:tool_error`, `latency > 500ms`, `finding`, `finding.level == error`, `from == server`,
		`capability.state == undeclared`, `group == progress`, `method:tools/*`, `phase == shutdown`, `event.name == exit`, `event.code == 0`, `reason == not_json`,
		`id == 2`, `token == "2"`, `token`, `delta > 3s`, `t > 5s`, `size > 100`, `params.arguments.path == "cmd/main.go"`, `json contains "panic"`, `"issues"`,
		`pair(latency > 500ms)`, `pair(params.arguments.limit == 50)`, `params.name == get_file && kind == response`, `result.content[*].type == text`, `error.code == -32601`,
		`summary contains main.go`, `!json`, `stream == stderr`, `seq in {3, 5}`, `flow == 9`, `resource`, `revision >= 2025-06-18`, `eol == lf`, `primitive == roots || kind == stderr`,
	}
	for _, src := range exprs {
		x, err := filter.Parse(src)
		if err != nil {
			t.Errorf("%s: %v", src, err)
			continue
		}
		// What annotate would have told a reader that comes after the end.
		var entries []annotate.Entry
		for i := range rec.rows.n {
			w := rec.want(i)
			if rec.rows.at(i).hasPayload() {
				if err := fill1(&w.entry, rec.src.read, w); err != nil {
					t.Fatal(err)
				}
			}
			entries = append(entries, w.entry)
		}
		st := x.Stream(start)
		if x.LooksAhead() {
			for i := range entries {
				st.Learn(&entries[i])
			}
		}
		var want []int64
		for i := range entries {
			if st.Match(&entries[i]) {
				want = append(want, entries[i].Seq)
			}
		}
		d.run(rec.apply(src, nil, false))
		if strings.Contains(src, "token") || strings.HasPrefix(src, "!") || len(want) > 0 {
			d.wantShown(want...)
		} else {
			t.Errorf("%s: nothing matches, so it says nothing", src)
		}
		if t.Failed() {
			t.Fatalf("filter %s", src)
		}
	}
}

func TestFilterBar(t *testing.T) {
	d := drive(t, Options{}, &shelf{}, 80, 24)
	everyday().on(d)
	d.keys("/")
	d.typeIn("rpc.metod == 1")
	d.shows("unknown field", "^")
	if d.m.rec.view.judge != nil {
		t.Error("a wrong filter is in force")
	}
	d.keys("enter") // nothing happens: it is wrong
	d.shows("unknown field")
	d.keys("ctrl+u")
	d.typeIn("tool == get_file")
	d.shows("✓", "22")
	d.pass(200 * time.Millisecond)
	d.shows("2 of 22")
	d.wantShown(14, 15)
	d.typeIn(" && (")
	d.shows("^")
	d.wantShown(14, 15) // the last valid one stays
	d.keys("esc")
	if got := len(d.shownSeqs()); got < 22 {
		t.Errorf("esc does not bring back all rows: %d", got)
	}
	d.keys("/")
	d.typeIn("kind == stderr")
	d.keys("enter")
	d.wantShown(13)
	d.want(13)
	d.shows("kind == stderr", "1 of 22")
	d.keys("/", "ctrl+u")
	d.typeIn("method == nothing")
	d.keys("enter")
	d.shows("0 of 22 match. ctrl+l clears the filter")
	d.keys("/", "ctrl+u", "up", "up")
	d.shows("kind == stderr")
	d.keys("esc", "ctrl+l")
	if d.m.rec.listed() {
		t.Error("ctrl+l does not clear")
	}
}

func TestFilterCompletion(t *testing.T) {
	d := drive(t, Options{}, &shelf{}, 120, 40)
	everyday().on(d)
	d.keys("/")
	d.typeIn("too")
	d.keys("tab")
	d.shows("filter ▸ tool")
	d.typeIn(" == ")
	d.keys("tab")
	d.shows("create_issue", "get_file", "search_issues")
	first := d.m.rec.bar.text
	d.keys("tab")
	if d.m.rec.bar.text == first || !strings.HasPrefix(d.m.rec.bar.text, "tool == ") {
		t.Errorf("tab goes from %q to %q", first, d.m.rec.bar.text)
	}
	d.keys("shift+tab")
	if d.m.rec.bar.text != first {
		t.Errorf("shift+tab goes to %q, not back to %q", d.m.rec.bar.text, first)
	}
}

func TestQuickFilters(t *testing.T) {
	d := drive(t, Options{}, &shelf{}, 120, 40)
	everyday().on(d)
	d.keys("F")
	d.shows("quick filters", "errors", "no ping or progress")
	d.keys("1")
	d.shows("✓ 1  errors")
	d.wantShown(14, 15, 16, 17, 18)
	d.keys("7") // server to client
	d.wantShown(15, 16)
	d.keys("1", "7", "esc")
	if d.m.rec.listed() {
		t.Error("both are off and rows are hidden")
	}
	d.keys(":", "1", "5", "enter", "+")
	d.wantShown(14, 15)
	d.keys("ctrl+l", "-")
	if got := len(d.shownSeqs()); got != 20 {
		t.Errorf("%d rows without get_file, want 20", got)
	}
	d.keys("ctrl+l")
	d.keys(":", "9", "enter", "F")
	d.typeIn("c") // this flow
	d.shows("this flow")
}

// A jump to a row that the filter hides shows it all the same.
func TestJumpToHidden(t *testing.T) {
	d := drive(t, Options{}, &shelf{}, 80, 24)
	everyday().on(d)
	d.run(d.m.rec.apply("kind == response", nil, false))
	d.keys("g")
	d.want(3)
	d.keys("p")
	d.want(2)
	d.shows("does not match the filter")
	d.keys("j")
	d.want(3)
}

// A filter follows a live recording, and changes to earlier entries.
func TestFilterLive(t *testing.T) {
	s := live(everyday())
	all := s.b
	s.b.items, s.b.patches = all.items[:14], nil
	d := drive(t, Options{}, &shelf{}, 80, 24)
	s.on(d)
	d.m.rec.live, d.m.rec.follow = true, true
	d.run(d.m.rec.apply("kind == request && state == pending", nil, false))
	before := len(d.shownSeqs())
	at := annotate.Ref{Seq: 14, Sub: annotate.NoSub}
	d.send(batchMsg{owned(d.m.rec.id), &batch{items: all.items[14:16], patches: []patchAt{{annotate.Patch{At: at, State: annotate.ToolError}, 1}}}})
	got := d.shownSeqs()
	if len(got) != before || got[len(got)-1] != 16 {
		t.Errorf("shown are %v after #14 was answered and #16 came (%d before)", got, before)
	}
	d.want(16)
	d.run(d.m.rec.apply(`json contains "DEBUG"`, nil, false))
	d.wantShown()
	d.send(batchMsg{owned(d.m.rec.id), &batch{items: all.items[16:19]}})
	d.wantShown(18)
}

func TestScanStops(t *testing.T) {
	d := drive(t, Options{}, &shelf{}, 80, 24)
	everyday().on(d)
	cmd := d.m.rec.apply(`json contains "panic"`, nil, false)
	if cmd == nil || d.m.rec.view.trial == nil {
		t.Fatal("the file is not read")
	}
	d.shows("so far")
	d.keys("esc")
	d.shows("stopped")
	d.run(cmd) // what was read comes late
	if d.m.rec.listed() {
		t.Error("the stopped filter is in force")
	}
}

func TestSort(t *testing.T) {
	d := drive(t, Options{}, &shelf{}, 120, 40)
	everyday().on(d)
	d.keys("s")
	if got := d.shownSeqs(); got[0] != 15 || got[1] != 12 || len(got) != 22 {
		t.Errorf("by latency: %v", got)
	}
	d.keys("g")
	d.want(15)
	d.keys("j")
	d.want(12)
	d.keys("2") // the ladder keeps the order of time
	if got := d.shownSeqs(); got[0] != 1 {
		t.Errorf("ladder: %v", got)
	}
	d.keys("1", "s")
	if got := d.shownSeqs(); got[0] != 6 && got[0] != 3 {
		t.Errorf("by size: %v", got)
	}
	d.run(d.m.rec.apply("kind == response", nil, false))
	if got := d.shownSeqs(); len(got) != 5 {
		t.Errorf("filtered and sorted: %v", got)
	}
	d.keys("s", "s")
	if d.m.rec.ordered() {
		t.Error("the order does not come round")
	}
}
