package tui

import (
	"slices"
	"strings"
	"time"
)

// tookBounds are the borders of the latency histogram: each bar spans about half a power of ten, and
// begins with its lower border.
var tookBounds = [...]time.Duration{
	time.Millisecond, 3 * time.Millisecond, 10 * time.Millisecond, 30 * time.Millisecond, 100 * time.Millisecond, 300 * time.Millisecond,
	time.Second, 3 * time.Second, 10 * time.Second, 30 * time.Second, time.Minute,
}

func bucketOf(d time.Duration) int {
	i, exact := slices.BinarySearch(tookBounds[:], d)
	if exact {
		i++
	}
	return i
}

// histogram draws the answers by how long they took, from the quickest to the slowest. Each line leads
// to its answers.
func (st *statsScreen) histogram(gl *glyphs, w int, head func(string), link func(string, ...seg)) {
	first, last, most := -1, -1, int64(0)
	for i, n := range st.took {
		if n > 0 {
			if last = i; first < 0 {
				first = i
			}
			most = max(most, n)
		}
	}
	if most == 0 {
		return
	}
	head("latency histogram")
	for i := first; i <= last; i++ {
		label, filter := "", ""
		switch lower, upper := bucketBorder(i-1), bucketBorder(i); {
		case i == 0:
			label, filter = "< "+upper, "latency < "+upper
		case i == len(tookBounds):
			label, filter = ">= "+lower, "latency >= "+lower
		default:
			label, filter = lower+" to "+upper, "latency >= "+lower+" && latency < "+upper
		}
		bar := 0
		if n := st.took[i]; n > 0 {
			bar = max(1, int(n*int64(max(w-38, 1))/most)) // one is not none
		}
		link(filter, cellOf(gl, roleText, "   "+label, 20), numberOf(gl, roleText, thousands(st.took[i]), 12), seg{roleInfo, strings.Repeat(gl.barFull, bar)})
	}
}

// bucketBorder writes the i-th border as filters have it.
func bucketBorder(i int) string {
	if i < 0 || i >= len(tookBounds) {
		return ""
	}
	if d := tookBounds[i]; d >= time.Second {
		return itoa(d/time.Second) + "s"
	}
	return itoa(tookBounds[i]/time.Millisecond) + "ms"
}
