package tui

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"
	"time"

	"github.com/shakescope/shakescope/annotate"
	"github.com/shakescope/shakescope/recordings"
)

// Numbers have holes, and batches have several rows under one number.
func TestFind(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	rs := newRows()
	want := map[annotate.Ref]int32{}
	seq := int64(0)
	for rs.n < 3*pageRows {
		seq += 1 + int64(rnd.IntN(3))*int64(rnd.IntN(2))
		if rnd.IntN(5000) == 0 {
			seq += 10_000
		}
		subs := []int32{annotate.NoSub}
		if rnd.IntN(50) == 0 {
			subs = append(subs, 0, 1, 2)
		}
		for _, sub := range subs {
			ref := annotate.Ref{Seq: seq, Sub: sub}
			want[ref] = int32(rs.n)
			rs.add(&item{Entry: annotate.Entry{Ref: ref, Kind: annotate.Request}})
		}
	}
	for ref, i := range want {
		if got := rs.find(ref); got != i {
			t.Fatalf("find(%v) = %d, want %d", ref, got, i)
		}
	}
	for _, ref := range []annotate.Ref{{}, {Seq: seq + 1, Sub: annotate.NoSub}, {Seq: -4}, {Seq: 1 << 40}} {
		if got := rs.find(ref); got != none {
			t.Errorf("find(%v) = %d, want none", ref, got)
		}
	}
}

// A row keeps what it was told: rebuilding the entry gives the same annotations.
func TestEntryRoundTrip(t *testing.T) {
	s := everyday()
	rs := newRows()
	for i := range s.b.items {
		rs.add(&s.b.items[i])
	}
	for i := range s.b.items {
		want, got := s.b.items[i].Entry, rs.entry(i)
		for name, pair := range map[string][2]any{
			"ref": {want.Ref, got.Ref}, "kind": {want.Kind, got.Kind}, "method": {want.Method, got.Method}, "target": {want.Target, got.Target},
			"id": {want.ID, got.ID}, "phase": {want.Phase, got.Phase}, "group": {want.Group, got.Group}, "primitive": {want.Primitive, got.Primitive},
			"revision": {want.Revision, got.Revision}, "era": {want.Era, got.Era}, "from": {want.From, got.From}, "state": {want.State, got.State},
			"pair": {want.Pair, got.Pair}, "t": {want.T, got.T}, "size": {want.Size, got.Size}, "capability": {fmt.Sprint(want.Capability), fmt.Sprint(got.Capability)},
		} {
			if pair[0] != pair[1] {
				t.Errorf("entry %d: %s is %v, want %v", i, name, pair[1], pair[0])
			}
		}
	}
}

func TestIDs(t *testing.T) {
	rs := newRows()
	for _, id := range []string{"", "0", "1", "999999999", "1000000000", "-1", "01", "1.0", `"1"`, `"a-b"`, "null", "[1]", `"7f0c1f6e-9d5b-4b07-8b2e-0c1c6f7b9a10"`} {
		if got := rs.idText(rs.idOf(id, none)); got != id {
			t.Errorf("id %s came back as %s", id, got)
		}
	}
}

// The lines of the list and its rows map onto each other, with a rule before each phase change.
func TestLines(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	rs := newRows()
	phases := []annotate.Phase{annotate.Initialization, annotate.Operation, annotate.Discovery}
	for i := range 500 {
		e := annotate.Entry{Ref: annotate.Ref{Seq: int64(i + 1), Sub: annotate.NoSub}, Kind: annotate.Request, Phase: phases[rnd.IntN(20)%3*rnd.IntN(2)]}
		if rnd.IntN(3) == 0 {
			e.Kind, e.Phase = annotate.Response, annotate.Shutdown
		}
		rs.add(&item{Entry: e})
	}
	rs.updateBreaks()
	check := func() {
		t.Helper()
		line := 0
		was := phaseNone
		for i := range rs.n {
			if p := rs.at(i).phase(); rs.begins(i) && p != was {
				was = p
				if got, rule := rs.rowAt(line); got != i || !rule {
					t.Fatalf("line %d is row %d, rule %t; want the rule before row %d", line, got, rule, i)
				}
				line++
			}
			if got, rule := rs.rowAt(line); got != i || rule {
				t.Fatalf("line %d is row %d, rule %t; want row %d", line, got, rule, i)
			}
			if got := rs.lineOf(i); got != line {
				t.Fatalf("row %d is at line %d, want %d", i, got, line)
			}
			line++
		}
	}
	check()
	// A change to an early row moves the rules after it.
	rs.apply(&annotate.Patch{At: annotate.Ref{Seq: 3, Sub: annotate.NoSub}, Phase: annotate.Probe})
	rs.updateBreaks()
	check()
}

func TestFindings(t *testing.T) {
	rs := newRows()
	at := annotate.Ref{Seq: 1, Sub: annotate.NoSub}
	rs.add(&item{Entry: annotate.Entry{Ref: at, Kind: annotate.Request}})
	for _, n := range []int{0, 2, 7} {
		rs.apply(&annotate.Patch{At: at, Findings: []annotate.Finding{{Rule: "flood", Level: annotate.LevelWarning, Count: n}}})
	}
	rs.apply(&annotate.Patch{At: at, Findings: []annotate.Finding{{Rule: "other", Level: annotate.LevelError}}})
	for _, n := range []int{1, 5} {
		rs.addFindings(none, []annotate.Finding{{Rule: "whole", By: "server", Level: annotate.LevelInfo, Count: n}}, none)
	}
	if got := len(rs.allFindings); got != 3 {
		t.Errorf("%d findings, want 3: %+v", got, rs.allFindings)
	}
	if f := rs.findings[0]; len(f) != 2 || f[0].Count != 7 {
		t.Errorf("findings at the row: %+v", f)
	}
	if rs.at(0).level() != levelError || rs.counts != [...]int{0, 1, 1, 1} {
		t.Errorf("level %d, counts %v", rs.at(0).level(), rs.counts)
	}
}

func TestLanes(t *testing.T) {
	s := newScript()
	var open []annotate.Ref
	rnd := rand.New(rand.NewPCG(5, 6))
	for range 3000 {
		if len(open) > 0 && rnd.IntN(2) == 0 {
			k := rnd.IntN(len(open))
			s.answer(time.Millisecond, open[k], annotate.OK, `"result":{}`)
			open = append(open[:k], open[k+1:]...)
		} else if len(open) < maxLanes {
			open = append(open, s.request(time.Millisecond, "client", len(s.b.items), annotate.Entry{Method: "ping"}, `{}`))
		}
	}
	rs := newRows()
	for i := range s.b.items {
		rs.add(&s.b.items[i])
	}
	var l lanes
	running := newLaneState()
	for !l.extend(rs) {
	}
	for i := range rs.n {
		if got := l.before(rs, i); got != running {
			t.Fatalf("in flight before row %d: %v, want %v", i, got, running)
		}
		if running.step(rs, i) < 0 {
			t.Fatalf("row %d has no lane", i)
		}
	}
}

func TestFormat(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{thousands(0), "0"}, {thousands(999), "999"}, {thousands(1204), "1,204"}, {thousands(1234567), "1,234,567"}, {thousands(-1204), "-1,204"}, {thousands(-120), "-120"},
		{sizeText(0), "0"}, {sizeText(999), "999"}, {sizeText(1000), "1.0k"}, {sizeText(9949), "9.9k"}, {sizeText(9950), "10k"}, {sizeText(999_499), "999k"}, {sizeText(999_500), "1.0M"}, {sizeText(8_100_000), "8.1M"},
		{bytesText(412), "412 B"}, {bytesText(18_000), "18 kB"},
		{plural(1, "tool"), "1 tool"}, {plural(1204, "tool"), "1,204 tools"}, {plural(2, "entry"), "2 entries"},
		{number(40), "40"}, {number(0.25), "0.25"}, {seconds(731204 * time.Millisecond), "+731.204"},
	} {
		if c.got != c.want {
			t.Errorf("got %q, want %q", c.got, c.want)
		}
	}
}

// BenchmarkMillionRows is what the lists keep of a million messages. `make bench` reads its bytes a message.
func BenchmarkMillionRows(b *testing.B) {
	const n = 1_000_000
	var before, after runtime.MemStats
	var rs *rows
	for b.Loop() {
		rs = nil
		runtime.GC()
		runtime.ReadMemStats(&before)
		rs = millionRows(n)
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/float64(rs.n), "bytes/message")
}

func millionRows(n int) *rows {
	rs := newRows()
	caps := []annotate.Capability{{Side: "server", Path: "tools", State: annotate.IsDeclared, At: 2}}
	for i := range n / 2 {
		q := annotate.Ref{Seq: int64(2*i + 1), Sub: annotate.NoSub}
		at := time.Duration(i) * time.Millisecond
		e := annotate.Entry{Ref: q, T: at, T0: at, Kind: annotate.Request, From: "client", Stream: recordings.Stdin, ID: fmt.Sprint(i), Method: "tools/call",
			Target: "echo", Primitive: "tools", Group: "tools", Phase: annotate.Operation, Era: "legacy", Revision: "2025-11-25", Capability: caps, State: annotate.Pending, Flow: q, Size: 100}
		rs.add(&item{Entry: e, pos: int64(i) * 300, length: 150})
		a := e
		a.Ref.Seq++
		a.Kind, a.From, a.Stream, a.State, a.Pair = annotate.Response, "server", recordings.Stdout, annotate.OK, q
		rs.add(&item{Entry: a, pos: int64(i)*300 + 150, length: 150})
		rs.apply(&annotate.Patch{At: q, Pair: a.Ref, State: annotate.OK})
	}
	rs.updateBreaks()
	return rs
}
