package compare

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// sent makes requests of a text: each letter is one, by its params; a digit behind it is its answer.
func sent(s string) []*exchange {
	var out []*exchange
	for _, c := range s {
		if c >= '0' && c <= '9' {
			out[len(out)-1].body = uint64(c)
			continue
		}
		out = append(out, &exchange{key: uint64(c)})
	}
	return out
}

func TestAlign(t *testing.T) {
	for _, c := range []struct{ name, a, b, want string }{
		{"all the same", "abc", "abc", "same [[0 0] [1 1] [2 2]]"},
		{"in another order", "abc", "cab", "same [[0 1] [1 2] [2 0]]"},
		{"other params in the same place", "axc", "ayc", "same [[0 0] [2 2]] other [[1 1]]"},
		{"other params in another place are two requests", "axc", "acy", "same [[0 0] [2 1]] gone [1] come [2]"},
		{"before the first", "xa", "ya", "same [[1 1]] other [[0 0]]"},
		{"nothing in common", "xy", "zw", "other [[0 0] [1 1]]"},
		{"one more", "aaa", "aa", "same [[0 0] [1 1]] gone [2]"},
		{"one more, told by the answers", "a1a2a3", "a2a3", "same [[1 0] [2 1]] gone [0]"},
		{"one more in between", "a1a3", "a1a2a3", "same [[0 0] [1 2]] come [1]"},
		{"repeated, answered otherwise", "a1a2a3", "a1a9a3", "same [[0 0] [1 1] [2 2]]"},
		{"only here", "ab", "", "gone [0 1]"},
	} {
		m := align(sent(c.a), sent(c.b))
		got := ""
		add := func(what string, n int, v any) {
			if n > 0 {
				if got != "" {
					got += " "
				}
				got += fmt.Sprintf("%s %v", what, v)
			}
		}
		add("same", len(m.same), m.same)
		add("other", len(m.other), m.other)
		add("gone", len(m.gone), m.gone)
		add("come", len(m.come), m.come)
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}

// Sequences beyond the bound are matched all the same, a window at a time.
func TestCommonOfLongSequences(t *testing.T) {
	const n = 5000
	keep := common(n, n-1, func(i, j int) bool { return i == j && i < 100 || i == j+1 && i > 100 })
	if len(keep) != n-1 {
		t.Errorf("%d in common, want %d", len(keep), n-1)
	}
}

func TestMeaningfulLatency(t *testing.T) {
	times := func(n int, base, spread time.Duration) []time.Duration {
		var out []time.Duration
		for i := range n {
			out = append(out, base+spread*time.Duration(i)/time.Duration(n))
		}
		return out
	}
	ms := time.Millisecond
	for _, c := range []struct {
		name string
		a, b []time.Duration
		want bool
	}{
		{"twice as slow", times(20, 50*ms, 10*ms), times(20, 100*ms, 20*ms), true},
		{"twice as fast", times(20, 100*ms, 10*ms), times(20, 50*ms, 10*ms), true},
		{"too few", times(5, 50*ms, 10*ms), times(5, 500*ms, 10*ms), false},
		{"too little", times(50, 1*ms, ms), times(50, 3*ms, ms), false},
		{"the same", times(50, 50*ms, 50*ms), times(50, 50*ms, 50*ms), false},
		{"within the spread", times(10, 10*ms, 200*ms), times(10, 30*ms, 200*ms), false},
	} {
		l := Latency{A: summary(c.a), B: summary(c.b)}
		if got := meaningful(c.a, c.b, l); got != c.want {
			t.Errorf("%s: %t, want %t", c.name, got, c.want)
		}
	}
}
