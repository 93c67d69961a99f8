package filter

import (
	"fmt"
	"strings"
	"testing"

	"github.com/shakescope/shakescope/annotate"
)

// Entries are matched as they come: params of an answer are known without a look ahead, and pair(…) sees
// what is there. Again judges one that has changed.
func TestStreamAsItComes(t *testing.T) {
	entries := recording()
	run := func(src string) string {
		s := must(t, src).Stream(began)
		var out []string
		for _, e := range entries {
			early := *e
			if e.Kind == annotate.Request {
				early.Pair, early.State = annotate.Ref{}, annotate.Pending
			}
			if s.Match(&early) {
				out = append(out, fmt.Sprint(e.Seq))
			}
			for _, old := range entries {
				if old.Ref == e.Pair && e.Kind != annotate.Request && s.Again(old) {
					out = append(out, fmt.Sprintf("%d again", old.Seq))
				}
			}
		}
		return strings.Join(out, ", ")
	}
	for src, want := range map[string]string{
		`params.name`:                "3, 5, 3 again, 7, 8, 7 again",
		`pair(latency > 1s)`:         "5, 3 again, 8, 7 again",
		`pair(error && pair(is:ok))`: "",
		`pair(pair(error))`:          "8, 7 again",
		`is:error`:                   "8, 7 again",
		`delta == 1s`:                "6, 7, 9, 10, 11, 12, 13",
	} {
		if have := run(src); have != want {
			t.Errorf("%s: %s, want %s", src, have, want)
		}
	}
}

// More questions about other entries than fit into one word.
func TestManyParts(t *testing.T) {
	var tests []string
	for i := range 150 {
		tests = append(tests, fmt.Sprintf("pair(latency == %ds && params.name)", i))
	}
	if have := passing(t, must(t, strings.Join(tests, " || ")), recording()); have != "3 5 7.1 8" {
		t.Error(have)
	}
}

// Beyond what a memo holds it asks each time, and the verdicts stay what they are, by several at a time.
func TestMemo(t *testing.T) {
	asked := make(chan int, 4*2*memoSize*3)
	odd := remember(func(n int) bool { asked <- n; return n%2 == 1 })
	done := make(chan bool)
	for range 4 {
		go func() {
			ok := true
			for range 3 {
				for n := range 2 * memoSize {
					ok = ok && odd(n) == (n%2 == 1)
				}
			}
			done <- ok
		}()
	}
	for range 4 {
		if !<-done {
			t.Error("a verdict is wrong")
		}
	}
	before := len(asked)
	if odd(1); len(asked) != before {
		t.Error("nothing was remembered")
	}
}
