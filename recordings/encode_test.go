package recordings

import (
	"fmt"
	"testing"
	"time"
)

// What is kept of the record before must not be seen in the next.
func TestLead(t *testing.T) {
	var l lead
	numbers := []int64{1, 2, 3, 8, 9, 10, 11, 99, 100, 100, 101, 7, 8, 1999, 2000, 2001, 0, 1}
	times := []time.Duration{0, 0, 5, 5, 5, 1 << 40}
	for i, seq := range numbers {
		f := frameHead{seq: seq, t: times[i%len(times)], t0: times[i%len(times)], stream: Stdin + Stream(i)%3}
		want := fmt.Sprintf(`{"seq":%d,"t":%d`, f.seq, f.t)
		if i%4 == 3 {
			f.t0 = f.t - 1
			want += fmt.Sprintf(`,"t0":%d`, f.t0)
		}
		want += fmt.Sprintf(`,"s":"%s"`, streamNames[f.stream])
		for range 2 {
			if got := string(l.append(nil, &f)); got != want {
				t.Errorf("%s, want %s", got, want)
			}
		}
	}
}
