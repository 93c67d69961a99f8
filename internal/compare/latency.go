package compare

import (
	"cmp"
	"math"
	"slices"
	"sort"
	"strings"
	"time"

	"github.com/shakescope/shakescope/annotate"
)

// Bounds below which a difference of latencies is not worth a word.
const (
	minSamples = 8
	minRatio   = 1.5
	minAbsolut = 5 * time.Millisecond
	maxTimed   = 2000 // methods and targets
	minZ       = 3.3  // of the rank test: chance does as much once in a thousand
)

// latencies compares how long answers took, by method and by what was used.
func (c *comparer) latencies() {
	type key struct {
		server       bool
		method, name string
	}
	took := map[key][2][]time.Duration{}
	for n, h := range []*half{c.a, c.b} {
		for i := range h.exchanges {
			x := &h.exchanges[i]
			if !x.timed {
				continue
			}
			keys := []key{{x.server, h.names[x.method], ""}}
			if target := h.names[x.target]; target != "" {
				keys = append(keys, key{x.server, h.names[x.method], target})
			}
			for _, k := range keys {
				t, known := took[k]
				if !known && len(took) >= maxTimed {
					continue
				}
				t[n] = append(t[n], x.latency)
				took[k] = t
			}
		}
	}
	for k, t := range took {
		l := Latency{Side: "client", Method: k.method, Name: k.name, A: summary(t[0]), B: summary(t[1])}
		if k.server {
			l.Side = "server"
		}
		if l.A.N == 0 || l.B.N == 0 {
			continue
		}
		if l.A.Median > 0 {
			l.Ratio = math.Round(float64(l.B.Median)/float64(l.A.Median)*100) / 100
		}
		l.Meaningful = meaningful(t[0], t[1], l)
		c.report.Latency = append(c.report.Latency, l)
	}
	list := c.report.Latency
	sort.Slice(list, func(i, j int) bool {
		x, y := &list[i], &list[j]
		return cmp.Or(strings.Compare(x.Side, y.Side), strings.Compare(x.Method, y.Method), strings.Compare(x.Name, y.Name)) < 0
	})
}

// summary sums up latencies as statistics do; it sorts them.
func summary(t []time.Duration) annotate.Latencies {
	if len(t) == 0 {
		return annotate.Latencies{}
	}
	slices.Sort(t)
	n := len(t)
	return annotate.Latencies{N: n, Min: t[0], Median: t[(n-1)/2], P95: t[(95*n+99)/100-1], Max: t[n-1]}
}

// meaningful reports whether two sorted samples differ by more than chance would do, and by enough to matter.
func meaningful(a, b []time.Duration, l Latency) bool {
	if l.A.N < minSamples || l.B.N < minSamples {
		return false
	}
	small, large := min(l.A.Median, l.B.Median), max(l.A.Median, l.B.Median)
	if large-small < minAbsolut || float64(large) < minRatio*float64(small) {
		return false
	}
	return math.Abs(rankTest(a, b)) >= minZ
}

// rankTest is the z of the Mann-Whitney test of two sorted samples: how far their ranks are from those of one and
// the same.
func rankTest(a, b []time.Duration) float64 {
	n, m := float64(len(a)), float64(len(b))
	rank, sum := 1.0, 0.0
	for i, j := 0, 0; i < len(a) || j < len(b); {
		var v time.Duration
		if j >= len(b) || i < len(a) && a[i] <= b[j] {
			v = a[i]
		} else {
			v = b[j]
		}
		fromA, ties := 0.0, 0.0
		for i < len(a) && a[i] == v {
			i, fromA, ties = i+1, fromA+1, ties+1
		}
		for j < len(b) && b[j] == v {
			j, ties = j+1, ties+1
		}
		sum += fromA * (rank + (ties-1)/2)
		rank += ties
	}
	u := sum - n*(n+1)/2
	return (u - n*m/2) / math.Sqrt(n*m*(n+m+1)/12)
}
