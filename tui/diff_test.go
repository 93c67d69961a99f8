package tui

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/shakescope/shakescope/annotate"
	"github.com/shakescope/shakescope/internal/compare"
	"github.com/shakescope/shakescope/recordings"
)

// harbours are two recordings of a server before and after it changed.
func harbours() []string {
	const dir = "../internal/cli/testdata/recordings/"
	return []string{filepath.FromSlash(dir + "harbour-1.wire.jsonl"), filepath.FromSlash(dir + "harbour-2.wire.jsonl")}
}

func harbourListings() []listing {
	paths := harbours()
	return []listing{
		{path: paths[1], state: "ended", server: peer{"harbour", "2.0.0"}, client: peer{"inspector", "0.17"}, revision: "2025-11-25", era: "legacy", started: start, duration: 3 * time.Second, sent: 9, received: 9, bytes: 9_000},
		{path: paths[0], state: "ended", server: peer{"harbour", "1.4.0"}, client: peer{"inspector", "0.17"}, revision: "2025-06-18", era: "legacy", started: start.Add(-time.Hour), duration: 3 * time.Second, sent: 9, received: 9, bytes: 9_000},
		{path: "other.jsonl", state: "cut", started: start.Add(-2 * time.Hour)},
	}
}

// bookcase lists what it is told to and opens real files.
type bookcase struct {
	shelf
	files folder
}

func (b *bookcase) open(path string) (*source, error) { return b.files.open(path) }

// marked has two recordings marked and compared.
var marked = []string{"j", "m", "k", "m", "d"}

func diffOn(t *testing.T, w, h int, keys ...string) *driver {
	t.Helper()
	d := drive(t, Options{}, &bookcase{shelf: shelf{listings: harbourListings()}}, w, h)
	d.list()
	d.keys(append(append([]string{}, marked...), keys...)...)
	return d
}

func TestDiffFromTheList(t *testing.T) {
	d := drive(t, Options{}, &bookcase{shelf: shelf{listings: harbourListings()}}, 120, 40)
	d.list()
	d.keys("d")
	d.shows("m marks the recordings")
	d.keys("j", "m")
	d.shows("A is marked")
	d.keys("d")
	d.shows("m marks the recordings") // itself with itself is no question
	d.keys("k", "d")
	d.shows("diff", "harbour 1.4.0", "harbour 2.0.0", "breaking")
	if got := d.m.diff.paths; got[0] != harbours()[0] || got[1] != harbours()[1] {
		t.Errorf("A and B are %v", got)
	}
	d.keys("esc")
	if !d.m.inHome() || len(d.m.layers) != 0 {
		t.Error("esc does not lead back to the list")
	}
	d.keys("m", "j", "j", "m")
	if got := d.m.home.picked; len(got) != 2 || got[0] != harbours()[0] || got[1] != "other.jsonl" {
		t.Errorf("the third mark leaves %v", got)
	}
	d.keys("m")
	if got := d.m.home.picked; len(got) != 1 {
		t.Errorf("taking a mark away leaves %v", got)
	}
}

// The message opens on either side, and one step leads back to the same line.
func TestDiffOpensMessages(t *testing.T) {
	for _, size := range sizes {
		d := diffOn(t, size.w, size.h)
		c := d.m.diff
		line := -1
		for i := range c.rows {
			if x := c.change(i); x != nil && x.Section == compare.Traffic && !x.A.IsZero() && !x.B.IsZero() {
				line = i
				break
			}
		}
		if line < 0 {
			t.Fatalf("no change of traffic with a message on both sides:\n%s", d.text())
		}
		a, b := c.refs(line)
		for n, key := range []string{"A", "B", "enter"} {
			ref, letter := [3]annotate.Ref{a, b, b}[n], [3]string{"A", "B", "B"}[n]
			c.cur = line
			d.keys(key)
			s := d.m.rec
			if s == nil || s.rows.at(s.sel).seq() != ref.Seq {
				t.Fatalf("%s at %dx%d does not show #%d:\n%s", key, size.w, size.h, ref.Seq, d.text())
			}
			if got := d.m.sideOf(s); got != letter {
				t.Errorf("%s: the header says %q", key, got)
			}
			d.keys("esc")
			if d.m.diff != c || d.m.rec != nil || c.cur != line {
				t.Fatalf("esc does not lead back to the line:\n%s", d.text())
			}
		}
		first, second := c.sides[0], c.sides[1]
		if first == nil || second == nil || first.closed != nil {
			t.Fatal("what was opened does not stay open")
		}
		d.keys("esc")
		if first.closed == nil || second.closed == nil || c.m.alive(func(*session) bool { return true }) != nil {
			t.Error("what was opened is not closed with the comparison")
		}
	}
}

// x opens the first recorded call that a changed schema refuses.
func TestDiffOpensTheExample(t *testing.T) {
	d := diffOn(t, 120, 40, "x")
	d.shows("no recorded value fails here")
	c := d.m.diff
	for i := range c.rows {
		x := c.change(i)
		if x == nil || x.Evidence == nil || x.Evidence.Failed == 0 {
			continue
		}
		c.cur, d.m.dirty = i, true
		d.shows("x opens it")
		d.keys("x")
		s := d.m.rec
		if s == nil || s.rows.at(s.sel).seq() != x.Evidence.First.Seq || d.m.sideOf(s) != strings.ToUpper(x.Evidence.Side) {
			t.Fatalf("x does not show %s#%d:\n%s", x.Evidence.Side, x.Evidence.First.Seq, d.text())
		}
		d.keys("esc")
		if d.m.diff != c {
			t.Fatal("esc does not lead back")
		}
		return
	}
	t.Fatal("nothing fails in the fixture")
}

// Having gone elsewhere in a recording, esc goes back step by step as usual.
func TestDiffBackStepByStep(t *testing.T) {
	d := diffOn(t, 80, 24, "e", "enter")
	if !d.m.rec.detailFocused() {
		t.Fatal("the message is not shown")
	}
	d.keys("esc")
	d.keys("enter", "p", "esc")
	if d.m.rec == nil {
		t.Fatal("esc left the recording though another message was shown")
	}
	d.keys("esc")
	if d.m.diff == nil {
		t.Error("esc does not lead back to the comparison")
	}
}

func TestDiffFilters(t *testing.T) {
	d := diffOn(t, 120, 40, "F", "1", "esc")
	c := d.m.diff
	for i := range c.rows {
		if x := c.change(i); x != nil && x.Grade != compare.Breaking || c.rows[i].kind == rowLatency {
			t.Errorf("line %d is shown", i)
		}
	}
	if n := c.report.Grades(compare.Breaking); n == 0 || len(c.rows) < n {
		t.Errorf("%d lines for %d breaking changes", len(c.rows), n)
	}
	d.shows("only breaking")
	d.keys("F", "1", "5", "esc")
	if x := c.change(c.cur); x != nil || c.rows[c.cur].kind != rowLatency {
		t.Error("latencies alone show something else")
	}
	d.keys("ctrl+l")
	all := len(c.rows)
	d.keys(spelt([]string{"/"}, "limit", "enter")...)
	if len(c.rows) == 0 || len(c.rows) >= all {
		t.Errorf("%d of %d lines match", len(c.rows), all)
	}
	d.keys(spelt([]string{"/"}, "zzz", "enter")...)
	d.shows("nothing matches")
	d.keys("j", "enter", "A", "e", "G", "g") // nothing to act on
	d.keys("esc")
	if len(c.rows) != all || d.m.diff == nil {
		t.Errorf("esc leaves %d of %d lines", len(c.rows), all)
	}
}

func TestDiffSwapAndExact(t *testing.T) {
	d := diffOn(t, 120, 40)
	c := d.m.diff
	added := func() (n int) {
		for i := range c.report.Changes {
			if c.report.Changes[i].Kind == compare.Added {
				n++
			}
		}
		return n
	}
	was, breaking := added(), c.report.Grades(compare.Breaking)
	d.keys("S")
	if c.paths[0] != harbours()[1] || added() == was && c.report.Grades(compare.Breaking) == breaking {
		t.Error("the sides are not swapped")
	}
	var exact []bool
	does := d.m.compares
	d.m.compares = func(ctx context.Context, a, b string, x bool, u *comparing) (*compare.Report, error) {
		exact = append(exact, x)
		return does(ctx, a, b, x, u)
	}
	d.keys("N", "N")
	if len(exact) != 2 || !exact[0] || exact[1] {
		t.Errorf("compared exactly: %v", exact)
	}
}

// While it compares the program goes on: it says how far it is, and esc stops it.
func TestDiffUnderWay(t *testing.T) {
	d := drive(t, Options{}, &bookcase{shelf: shelf{listings: harbourListings()}}, 80, 24)
	d.list()
	release, ended := make(chan struct{}), make(chan error, 1)
	d.m.compares = func(ctx context.Context, a, b string, _ bool, u *comparing) (*compare.Report, error) {
		for range 1234 {
			u.sides[1].records.Add(1)
		}
		close(release)
		<-ctx.Done()
		ended <- ctx.Err()
		return nil, ctx.Err()
	}
	d.keys("j", "m", "k")
	// The command runs beside the model, as it does in the program.
	_, cmd := d.m.Update(press("d"))
	for _, c := range cmd().(tea.BatchMsg) {
		go c()
	}
	<-release
	d.send(errandTick{d.m.diff.id, d.m.diff.run})
	d.shows("COMPARING 1,234 records", "esc stops")
	d.keys("j", "enter", "A", "G") // none of it hurts
	d.keys("esc")
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("it ended with %v", err)
	}
	if !d.m.inHome() {
		t.Error("esc does not lead back")
	}
}

// Where the files have sizes it says what share of them is read, then of the side that is looked at again.
func TestDiffProgress(t *testing.T) {
	const third = 600
	path := filepath.Join(t.TempDir(), "a.jsonl")
	line := `{"t_ms":1,"dir":"c2s","raw":"{\"jsonrpc\":\"2.0\",\"method\":\"x\",\"params\":{\"a\":\"` + strings.Repeat("a", 2000) + `\"}}"}` + "\n"
	if err := os.WriteFile(path, []byte(strings.Repeat(line, 3*third)), 0o600); err != nil {
		t.Fatal(err)
	}
	u := new(comparing)
	if got := u.text(); got != "COMPARING 0 records" {
		t.Errorf("at first: %q", got)
	}
	share := func(text string) (percent int) {
		t.Helper()
		if _, err := fmt.Sscanf(text[strings.LastIndexByte(text, ' ')+1:], "%d%%", &percent); err != nil {
			t.Fatalf("%q names no share", text)
		}
		return percent
	}
	readers := make([]*recordings.Reader, 2)
	read := func(side, n int) {
		t.Helper()
		for range n {
			rec, err := readers[side].Next()
			if err != nil {
				t.Fatal(err)
			}
			u.seen(side, readers[side], rec)
		}
	}
	open := func(side int) {
		t.Helper()
		r, err := recordings.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { r.Close() })
		u.opened(side)
		readers[side] = r
	}
	open(0)
	open(1)
	read(0, third)
	read(1, third)
	if got := share(u.text()); got < 25 || got > 60 {
		t.Errorf("after a third of both: %d%%", got)
	}
	read(0, third)
	if got := share(u.text()); got < 45 || got > 75 {
		t.Errorf("after half: %d%%", got)
	}
	read(0, third)
	read(1, 2*third)
	if got := u.text(); got != "COMPARING 99%" {
		t.Errorf("at the end: %q", got)
	}
	open(1)
	if got := u.text(); got != "LOOKING CLOSER AT B 0%" {
		t.Errorf("then: %q", got)
	}
}

func TestDiffFails(t *testing.T) {
	d := drive(t, Options{}, &bookcase{shelf: shelf{listings: harbourListings()}}, 80, 24)
	d.list()
	d.keys("G", "m", "g", "d")
	d.shows("cannot be compared", "no such file")
	d.keys("enter", "A", "F", "esc", "esc")
	if !d.m.inHome() {
		t.Error("esc does not lead back")
	}
}

func TestDiffSame(t *testing.T) {
	d := drive(t, Options{}, &bookcase{shelf: shelf{listings: harbourListings()}}, 80, 24)
	d.list()
	d.run(d.m.openDiff(harbours()[0], harbours()[0]))
	d.shows("no difference")
}

// From an open recording the palette compares it, and what is open is not opened twice.
func TestDiffFromARecording(t *testing.T) {
	dir := t.TempDir()
	for i, path := range harbours() {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, []string{"one.jsonl", "two.jsonl"}[i]), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	d := drive(t, Options{Dir: dir}, &folder{dir: dir}, 120, 40)
	d.list()
	d.run(d.m.open(filepath.Join(dir, "one.jsonl"), ""))
	s := d.m.rec
	d.keys("D")
	d.shows("this recording is A", "harbour 2.0.0", "two", "another")
	d.keys("o")
	d.shows(":diff")
	d.keys("tab")
	d.shows("diff two")
	d.keys("esc", "D", "1")
	c := d.m.diff
	if c == nil || c.report == nil || c.paths[0] != s.path || filepath.Base(c.paths[1]) != "two.jsonl" {
		t.Fatalf("not compared:\n%s", d.text())
	}
	d.keys("e", "A")
	if d.m.rec != s {
		t.Error("the recording was opened a second time")
	}
	d.keys("esc")
	if d.m.diff != c {
		t.Fatalf("esc does not lead back to the comparison:\n%s", d.text())
	}
	d.keys("esc")
	if d.m.rec != s || s.closed != nil {
		t.Errorf("esc does not lead back to the recording:\n%s", d.text())
	}
	d.keys(spelt([]string{":"}, "diff nothing-like-it", "enter")...)
	d.shows("no recording")
	d.keys(spelt([]string{":"}, "diff", "enter")...)
	d.shows("diff takes a file")
	d.keys(spelt([]string{":"}, "diff "+dir, "enter")...)
	d.shows("is a folder")
	d.keys(spelt([]string{":"}, "diff two", "enter", "0")...)
	if !d.m.inHome() || s.closed == nil {
		t.Error("0 does not lead to the list")
	}
}

// What travelled cannot act on the terminal from this screen either.
func TestDiffHostileText(t *testing.T) {
	evil := "\x1b]52;c;YWJj\x07\u202eevil" + strings.Repeat("日本語", 40)
	d := drive(t, Options{}, &bookcase{shelf: shelf{listings: harbourListings()}}, 80, 24)
	d.m.compares = func(context.Context, string, string, bool, *comparing) (*compare.Report, error) {
		r := &compare.Report{A: compare.Facts{Name: evil, Revision: evil}, B: compare.Facts{Revision: evil}, Latency: []compare.Latency{{Side: evil, Method: evil, Name: evil, Meaningful: true, Ratio: 3, A: annotate.Latencies{N: 1}}}}
		for range 3 {
			r.Changes = append(r.Changes, compare.Change{Section: compare.Traffic, Kind: compare.Answer, What: evil, Name: evil, Part: evil, Where: evil, Words: evil, Why: evil, Count: 2, A: refOf(1),
				Grade: compare.Breaking, Evidence: &compare.Evidence{Side: "a", Failed: 1, Example: evil}, Differences: []compare.Difference{{Path: evil, Words: evil, A: evil, B: ""}}, More: 3})
		}
		return r, nil
	}
	d.list()
	for _, size := range []struct{ w, h int }{{80, 24}, {200, 60}, {40, 10}} {
		d.send(tea.WindowSizeMsg{Width: size.w, Height: size.h})
		d.run(d.m.openDiff("a", "b"))
		checkFrame(t, d.frame(), size.w, size.h)
		d.keys("G")
		checkFrame(t, d.frame(), size.w, size.h)
	}
}
