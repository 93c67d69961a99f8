package tui

import (
	"math"
	"math/rand/v2"
	"slices"
	"sort"
	"testing"
	"time"
	"unsafe"

	"github.com/shakescope/shakescope/annotate"
	"github.com/shakescope/shakescope/recordings"
)

func TestRowSize(t *testing.T) {
	if n := unsafe.Sizeof(packed{}); n > 44 {
		t.Errorf("a packed row takes %d bytes, and did 44", n)
	}
}

// Common rows take no room beside their page, whatever they are.
func TestCommonRowsFit(t *testing.T) {
	if rs := millionRows(3 * pageRows); len(rs.wide) != 0 {
		t.Errorf("%d rows are kept whole", len(rs.wide))
	}
	rs := newRows()
	for i := range 2 * pageRows {
		r := wholeRow{
			pos: int64(i) * 300, t: int64(i) * int64(time.Minute), seq: int64(i) + 1, sub: annotate.NoSub, pair: none, flow: int32(i),
			kind: kind(i % len(kindNames)), stream: recordings.Stream(i % len(streamWords)), phase: phase(i % len(phaseNames)), group: uint8(i % len(groups)),
			state: state(i % len(stateNames)), level: level(i % len(levelNames)), era: uint8(i), flags: flags(i), session: int32(1 + i/100),
		}
		switch i % 4 {
		case 1:
			r.pair, r.flow = int32(i-1), int32(i-1)
		case 2:
			r.flow = int32(i / 2)
		case 3:
			r.flow = none
		}
		rs.put(i, r)
		rs.n++
	}
	if len(rs.wide) != 0 {
		t.Errorf("%d rows are kept whole", len(rs.wide))
	}
}

// randomRow is a row after one, mostly a common one, else with something far from it.
func randomRow(rnd *rand.Rand, i int, last *wholeRow) wholeRow {
	r := wholeRow{
		pos: last.pos + last.length, t: last.t + rnd.Int64N(1e6), length: rnd.Int64N(1000), size: rnd.Int64N(1000), seq: last.seq + 1, sub: annotate.NoSub,
		pair: none, flow: int32(i), session: max(last.session, 1), method: rnd.Uint32N(50), target: rnd.Uint32N(1000), id: rnd.Uint32(),
		caps: uint16(rnd.Uint32N(300)), kind: kind(rnd.IntN(len(kindNames))), stream: recordings.Stream(rnd.IntN(4)), phase: phase(rnd.IntN(len(phaseNames))),
		group: uint8(rnd.IntN(len(groups))), state: state(rnd.IntN(len(stateNames))), level: level(rnd.IntN(len(levelNames))),
		era: uint8(rnd.Uint32()), flags: flags(rnd.Uint32()),
	}
	someRow := func() int32 { return int32(rnd.IntN(i+1)) - 1 }
	if rnd.IntN(2) == 0 {
		r.pair = someRow()
	}
	switch rnd.IntN(8) {
	case 0:
		r.flow = r.pair
	case 1:
		r.flow = someRow()
	case 2:
		r.flow = none
	}
	if rnd.IntN(20) == 0 || last.sub >= 0 && rnd.IntN(10) != 0 {
		r.sub = 0
		if last.sub >= 0 {
			r.seq, r.sub = last.seq, last.sub+1
		}
	}
	switch rnd.IntN(2000) {
	case 0:
		r.size = 1<<32 + rnd.Int64N(1<<40)
	case 1:
		r.length = math.MaxUint32 + rnd.Int64N(3) // around what fits
	case 2:
		r.pos += 1 << 40
	case 3:
		r.t += int64(400 * 24 * time.Hour)
	case 4:
		r.t = last.t + 1<<48 - rnd.Int64N(3)
	case 5:
		r.seq = last.seq + math.MaxUint16 + rnd.Int64N(3)
	case 6:
		if r.sub >= 0 {
			r.sub += math.MaxInt16 + rnd.Int32N(3)
		}
	case 7:
		r.session += rnd.Int32N(1000)
	case 8:
		r.method = math.MaxUint16 + rnd.Uint32N(3)
	case 9:
		r.target, r.id, r.caps = math.MaxUint32, math.MaxUint32, math.MaxUint16
	}
	return r
}

// Packing changes nothing: whatever rows are added and replaced, in whatever order, they read as a plain
// list of them would.
func TestRowsAreWhatWasPut(t *testing.T) {
	n := 300_000
	if testing.Short() {
		n = 30_000
	}
	rnd := rand.New(rand.NewPCG(7, 8))
	rs, want := newRows(), make([]wholeRow, 0, n)
	last := wholeRow{sub: annotate.NoSub}
	for i := range n {
		last = randomRow(rnd, i, &last)
		rs.put(i, last)
		rs.n++
		want = append(want, last)
		// What comes later changes an earlier row, near or far, as patches do, and sometimes all of it.
		if k := i - rnd.IntN(min(i+1, 3*pageRows)); rnd.IntN(3) == 0 {
			r := rs.at(k).whole()
			if rnd.IntN(50) == 0 {
				r = randomRow(rnd, i, &r)
				r.seq, r.sub, r.t = want[k].seq, want[k].sub, want[k].t
			}
			r.pair, r.flow, r.state, r.level, r.phase = int32(i), int32(rnd.IntN(i+1)), statePending, levelError, phaseProbe
			rs.put(k, r)
			want[k] = r
		}
	}
	if len(rs.wide) == 0 || len(rs.wide) == n {
		t.Fatalf("%d of %d rows are kept whole: the test does not try both ways", len(rs.wide), n)
	}
	isAnswer := func(r *wholeRow) bool { return r.kind == kindResponse || r.kind == kindError }
	for i := range want {
		w := &want[i]
		if got := rs.at(i).whole(); got != *w {
			t.Fatalf("row %d is\n%+v, want\n%+v", i, got, *w)
		}
		ref := annotate.Ref{Seq: w.seq, Sub: w.sub}
		if got := rs.at(i).ref(); got != ref {
			t.Fatalf("row %d is called %v, want %v", i, got, ref)
		}
		if got := rs.find(ref); int(got) != i {
			t.Fatalf("%v is row %d, want %d", ref, got, i)
		}
		wantLatency, wantOK := time.Duration(0), isAnswer(w) && w.pair >= 0 && int(w.pair) < i
		if wantOK {
			wantLatency = time.Duration(w.t - want[w.pair].t)
		}
		if d, ok := rs.latency(i); d != wantLatency || ok != wantOK {
			t.Fatalf("latency of row %d is %v %t, want %v %t", i, d, ok, wantLatency, wantOK)
		}
	}
	for range 1000 {
		w := want[rnd.IntN(n)]
		seq, at := w.seq+rnd.Int64N(3)-1, time.Duration(w.t+rnd.Int64N(3)-1)
		if got, is := rs.firstFrom(seq), sort.Search(n, func(i int) bool { return want[i].seq >= seq }); got != is {
			t.Fatalf("first from number %d is row %d, want %d", seq, got, is)
		}
		if got, is := rs.firstAfter(at), sort.Search(n, func(i int) bool { return time.Duration(want[i].t) >= at }); got != is {
			t.Fatalf("first after %v is row %d, want %d", at, got, is)
		}
	}

	// Sorting looks at keys kept aside.
	s := &session{rows: rs}
	list := make([]int32, n)
	for _, c := range []struct {
		by  order
		key func(i int32) int64
	}{
		{bySize, func(i int32) int64 { return -want[i].size }},
		{byLatency, func(i int32) int64 {
			if r := &want[i]; isAnswer(r) && r.pair >= 0 && r.pair < i {
				return want[r.pair].t - r.t
			}
			return 1
		}},
	} {
		for i := range list {
			list[i] = int32(i)
		}
		s.view.order = c.by
		s.sortRows(list)
		if !slices.IsSortedFunc(list, func(a, b int32) int {
			if x, y := c.key(a), c.key(b); x != y {
				return int(max(-1, min(1, x-y)))
			}
			return int(a - b)
		}) {
			t.Errorf("order %v is not that of the rows", c.by)
		}
	}
}

// What is too large or too far for a packed row is known exactly all the same, through add and apply.
func TestExtremeEntries(t *testing.T) {
	rs := newRows()
	ref := func(seq int64, sub int32) annotate.Ref { return annotate.Ref{Seq: seq, Sub: sub} }
	year := 366 * 24 * time.Hour
	want := []item{
		{Entry: annotate.Entry{Ref: ref(1, annotate.NoSub), Kind: annotate.Request, From: "client", State: annotate.Pending, Flow: ref(1, annotate.NoSub), Size: 10}, pos: 1, length: 20},
		{Entry: annotate.Entry{Ref: ref(2, annotate.NoSub), Kind: annotate.Request, From: "client", State: annotate.Pending, T: time.Nanosecond, Flow: ref(1, annotate.NoSub), Size: 5 << 30}, pos: 21, length: 6 << 30},
		{Entry: annotate.Entry{Ref: ref(3, 0), Kind: annotate.Response, From: "server", T: 9 * year, Pair: ref(1, annotate.NoSub), Flow: ref(1, annotate.NoSub), State: annotate.OK}, pos: 7 << 40, length: 3},
		{Entry: annotate.Entry{Ref: ref(3, 70_000), Kind: annotate.Notification, From: "server", T: 9 * year, Flow: ref(2, annotate.NoSub)}, pos: 7 << 40, length: 3},
		{Entry: annotate.Entry{Ref: ref(1<<52, annotate.NoSub), Kind: annotate.Response, From: "server", T: 9*year + 1, Pair: ref(2, annotate.NoSub), Flow: ref(1, annotate.NoSub), State: annotate.OK, Session: 100_000}, pos: 8 << 40, length: 3},
	}
	for i := range want {
		want[i].T0 = want[i].T
		rs.add(&want[i])
	}
	for _, p := range []struct {
		of int
		by int
	}{{1, 4}, {0, 2}} {
		rs.apply(&annotate.Patch{At: want[p.of].Ref, Pair: want[p.by].Ref, State: annotate.OK})
		want[p.of].Pair, want[p.of].State = want[p.by].Ref, annotate.OK
	}
	for i := range want {
		w, got, r := &want[i], rs.entry(i), rs.at(i)
		if got.Ref != w.Ref || got.T != w.T || got.Size != w.Size || got.Pair != w.Pair || got.Flow != w.Flow || got.State != w.State || got.Session != w.Session || r.pos() != w.pos || r.length() != w.length {
			t.Errorf("entry %d is\n%+v at %d, %d bytes; want\n%+v at %d, %d bytes", i, got, r.pos(), r.length(), w.Entry, w.pos, w.length)
		}
		if got := rs.find(w.Ref); int(got) != i {
			t.Errorf("%v is row %d, want %d", w.Ref, got, i)
		}
	}
	if rs.maxSeq != 1<<52 || len(rs.pending) != 0 {
		t.Errorf("largest number %d, %d pending", rs.maxSeq, len(rs.pending))
	}
	for i, took := range map[int]time.Duration{2: 9 * year, 4: 9 * year} {
		if d, ok := rs.latency(i); !ok || d != took {
			t.Errorf("entry %d took %v %t, want %v", i, d, ok, took)
		}
	}
}
