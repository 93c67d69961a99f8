package tui

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

// What a filter shows at a playhead is the same, whichever way the playhead came there.
func TestFilterAtThePlayhead(t *testing.T) {
	filters := []string{
		"state == pending", "is:ok", "is:tool_error", "state == cancelled", "cancelled", "finding", "finding.level == warning", "finding.rule ~ unanswered",
		"pair(is:tool_error)", "pair(latency > 1s)", "pair", "unanswered", "kind == request && !pair", "pair(finding)", `panic || is:error`,
	}
	for _, script := range []func() *script{everyday, underway, changing} {
		d := drive(t, Options{}, &shelf{}, 120, 40)
		script().on(d)
		s := d.m.rec
		d.keys("R", "space")
		rnd := rand.New(rand.NewPCG(1, 2))
		for _, text := range filters {
			d.run(s.apply(text, nil, false))
			for range 60 {
				switch n := rnd.IntN(4); n {
				case 0:
					d.run(s.stepTo(rnd.IntN(s.rows.n + 1)))
				case 1:
					d.run(s.seekTo(time.Duration(rnd.Int64N(int64(s.length()) + 1))))
				default:
					d.run(s.stepTo(s.replay.head + 2*n - 5)) // one back or on
				}
				got := slices.Clone(s.shownList())
				fresh := s.newJudge(s.view.judge.expr)
				for cmd := fresh.run(s); cmd != nil; {
					cmd = fresh.receive(s, cmd().(judgeMsg))
				}
				want := slices.DeleteFunc(slices.Clone(fresh.list), func(i int32) bool { return int(i) >= s.limit() })
				if !slices.Equal(got, want) {
					t.Fatalf("%q at head %d shows %v, want %v", text, s.replay.head, got, want)
				}
			}
		}
		// After the replay all is as if there had been none.
		d.run(s.apply("is:tool_error", nil, false))
		before := len(s.shownList())
		d.keys("R")
		fresh := s.newJudge(s.view.judge.expr)
		fresh.run(s)
		if !slices.Equal(s.shownList(), fresh.list) {
			t.Errorf("after the replay %v, in it %d, want %v", s.shownList(), before, fresh.list)
		}
	}
}

func TestFilterKnowsOnlyThePast(t *testing.T) {
	d := drive(t, Options{}, &shelf{}, 80, 24)
	everyday().on(d)
	s := d.m.rec
	d.keys("R", "space")
	d.run(s.apply("state == pending", nil, false))
	shown := func(seqs ...int64) {
		t.Helper()
		var got []int64
		for _, i := range s.shownList() {
			got = append(got, s.rows.at(int(i)).seq())
		}
		if !slices.Equal(got, seqs) {
			t.Errorf("with %d entries %v are pending, want %v", s.replay.head, got, seqs)
		}
	}
	d.run(s.stepTo(9))
	shown(9)
	d.keys(".", ".")
	shown(9)
	d.want(9) // the newest that is shown is followed
	d.keys(".")
	shown() // #12 answers
	d.keys(",")
	shown(9)
	d.run(s.stepTo(14))
	shown(14)
	d.run(s.apply("finding", nil, false))
	shown()
	d.run(s.stepTo(22))
	shown(16, 18, 19, 20)
	d.run(s.stepTo(20)) // that #20 is never answered shows at the end only
	shown(16, 18, 19)
}

// A request that was given up is cancelled from the cancellation on.
func TestCancelledAtThePlayhead(t *testing.T) {
	d := drive(t, Options{}, &shelf{}, 80, 24)
	underway().on(d)
	s := d.m.rec
	d.keys("R", "space")
	for head, want := range map[int]state{18: statePending, 19: stateCancelled, 23: stateCancelled} {
		d.run(s.stepTo(head))
		if got := s.stateAt(17); got != want {
			t.Errorf("with %d entries #18 is %s, want %s", head, stateNames[got], stateNames[want])
		}
	}
}
