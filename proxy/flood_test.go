package proxy

import (
	"testing"
	"time"
)

func TestTide(t *testing.T) {
	const reads = 2 * (window + 1)
	for _, test := range []struct {
		name   string
		bytes  int
		every  time.Duration
		others int // reads of the other way for each
		want   flow
	}{
		{"a person's pace", 500, time.Second, 1, calm},
		{"ping-pong as fast as it goes", 200, 10 * time.Microsecond, 1, calm},
		{"requests in a pipeline", 2000, 20 * time.Microsecond, 1, calm},
		{"answers of many reads each, slowly", 64 << 10, 100 * time.Millisecond, 0, calm},
		{"notifications, one every ms", 300, time.Millisecond, 0, calm},
		{"small writes one way", 200, 5 * time.Microsecond, 0, spray},
		{"the same with naps", 20 << 10, 120 * time.Microsecond, 0, spray},
		{"large writes one way", 64 << 10, 200 * time.Microsecond, 0, flood},
		{"large and fast", 256 << 10, 10 * time.Microsecond, 0, flood},
	} {
		t.Run(test.name, func(t *testing.T) {
			var got tide
			now, others, turns := time.Now(), uint64(0), 0
			for range reads {
				if got.read(now, test.bytes, others) {
					turns++
				}
				now = now.Add(test.every)
				others += uint64(test.others)
			}
			if got.flow != test.want {
				t.Errorf("flow %d, want %d", got.flow, test.want)
			}
			if want := min(int(test.want), 1); turns != want {
				t.Errorf("%d turns, want %d", turns, want)
			}
			for range reads { // whatever it was, a conversation follows
				got.read(now, 100, others)
				now = now.Add(time.Millisecond)
				others++
			}
			if got.flow != calm {
				t.Errorf("flow %d afterwards", got.flow)
			}
		})
	}
}
