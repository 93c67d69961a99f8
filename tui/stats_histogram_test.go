package tui

import (
	"strings"
	"testing"
	"time"
)

func TestBucketOf(t *testing.T) {
	for d, want := range map[time.Duration]int{
		0: 0, time.Millisecond - 1: 0, time.Millisecond: 1, 3*time.Millisecond - 1: 1, 3 * time.Millisecond: 2, time.Second: 7, time.Minute - 1: 10, time.Minute: 11, time.Hour: 11,
	} {
		if got := bucketOf(d); got != want {
			t.Errorf("%v is in bucket %d, want %d", d, got, want)
		}
	}
}

// Each bar leads to as many entries as it counts, and all of them together to every answer.
func TestHistogramLeadsToItsAnswers(t *testing.T) {
	d := drive(t, Options{}, &shelf{}, 120, 40)
	everyday().on(d)
	d.keys("7")
	d.frame()
	st := d.m.rec.screen().(*statsScreen)
	answers, links := int64(0), 0
	for _, n := range st.took {
		answers += n
	}
	var seen int64
	for i, l := range append([]dline(nil), st.lines...) {
		if !strings.HasPrefix(l.filter, "latency ") {
			continue
		}
		links++
		d.keys("7")
		d.frame()
		st.cur = i
		d.keys("enter")
		if d.m.rec.cur.key != "1" || !d.m.rec.listed() {
			t.Fatalf("%q leads nowhere", l.filter)
		}
		got := int64(d.m.rec.shownCount())
		if text := strings.TrimSpace(l.segs[1].text); text != thousands(got) {
			t.Errorf("%q: the bar counts %s, the stream shows %d", l.filter, text, got)
		}
		seen += got
	}
	if links == 0 || answers != 6 || seen != answers {
		t.Errorf("%d bars, %d answers counted, %d shown", links, answers, seen)
	}
}
