package tui

import (
	"testing"

	"github.com/shakescope/shakescope/internal/filter"
)

// BenchmarkFilterRows is a filter on rows; an operation is 100,000 rows.
func BenchmarkFilterRows(b *testing.B) {
	rs := millionRows(100_000)
	for _, src := range []string{"kind == request", "tool == echo", "method:tools/* latency > 10ms", "finding || is:error", "pair(latency > 1ms) && !(group in {ping, progress})"} {
		b.Run(src, func(b *testing.B) {
			x, err := filter.Parse(src)
			if err != nil {
				b.Fatal(err)
			}
			var missing []int32
			row := filterRow{rs: rs, notes: &notes{}, missing: &missing, asked: &asked{}, head: wholeRecording}
			for b.Loop() {
				for i := range rs.n {
					row.i = i
					x.Match(&row)
				}
			}
		})
	}
}
