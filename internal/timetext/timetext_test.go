package timetext

import (
	"testing"
	"time"
	"unicode/utf8"
)

func TestForms(t *testing.T) {
	for _, c := range []struct {
		d                           time.Duration
		rough, latency, cell, clock string
	}{
		{0, "0 s", "0.00 ms", "0s", "0s"},
		{740 * time.Microsecond, "740 µs", "0.74 ms", "740µs", "0s"},
		{1640 * time.Microsecond, "1 ms", "1.64 ms", "1.6ms", "0s"},
		{9996 * time.Microsecond, "9 ms", "10 ms", "10.0ms", "0s"},
		{99_960 * time.Microsecond, "99 ms", "100 ms", "99ms", "0s"},
		{746 * time.Millisecond, "746 ms", "746 ms", "746ms", "1s"},
		{999_600 * time.Microsecond, "999 ms", "1.00 s", "999ms", "1s"},
		{2419 * time.Millisecond, "2.4 s", "2.42 s", "2.42s", "2s"},
		{9996 * time.Millisecond, "10.0 s", "10.00 s", "10.0s", "10s"},
		{60038 * time.Millisecond, "60.0 s", "60.04 s", "60.0s", "1m00s"},
		{90 * time.Second, "90.0 s", "90.00 s", "90.0s", "1m30s"},
		{99_960 * time.Millisecond, "1 min 40 s", "99.96 s", "1m40s", "1m40s"},
		{99_996 * time.Millisecond, "1 min 40 s", "1 min 40 s", "1m40s", "1m40s"},
		{100 * time.Second, "1 min 40 s", "1 min 40 s", "1m40s", "1m40s"},
		{2 * time.Minute, "2 min", "2 min", "2m00s", "2m00s"},
		{423 * time.Second, "7 min 3 s", "7 min 3 s", "7m03s", "7m03s"},
		{time.Hour - 300*time.Millisecond, "1 h", "1 h", "1h00m", "1h00m"},
		{125 * time.Minute, "2 h 5 min", "2 h 5 min", "2h05m", "2h05m"},
		{76 * time.Hour, "3 d 4 h", "3 d 4 h", "3d04h", "3d04h"},
		{-2419 * time.Millisecond, "-2.4 s", "-2.42 s", "-2.42s", "-2s"},
	} {
		for _, form := range []struct{ name, got, want string }{
			{"Rough", Rough(c.d), c.rough}, {"Latency", Latency(c.d), c.latency}, {"Cell", Cell(c.d), c.cell}, {"Clock", Clock(c.d), c.clock},
		} {
			if form.got != form.want {
				t.Errorf("%s(%v) = %q, want %q", form.name, c.d, form.got, form.want)
			}
		}
	}
}

// A cell of a table has six places, whatever the duration rounds to.
func TestCellFits(t *testing.T) {
	for d := time.Duration(1); d < 99*24*time.Hour; d += d/97 + 1 {
		if n := utf8.RuneCountInString(Cell(d)); n > 6 {
			t.Fatalf("Cell(%v) = %q takes %d cells", d, Cell(d), n)
		}
	}
}
