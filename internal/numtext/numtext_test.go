package numtext

import (
	"math"
	"testing"
)

func TestGrouped(t *testing.T) {
	for n, want := range map[int64]string{
		0: "0", 7: "7", 999: "999", 1000: "1,000", 1204: "1,204", 272907: "272,907", 1000000: "1,000,000",
		-1: "-1", -999: "-999", -1000: "-1,000", -123456: "-123,456", math.MaxInt64: "9,223,372,036,854,775,807", math.MinInt64: "-9,223,372,036,854,775,808",
	} {
		if got := Grouped(n); got != want {
			t.Errorf("%d is %s, want %s", n, got, want)
		}
	}
}

func TestPlural(t *testing.T) {
	for _, c := range []struct {
		n          int
		noun, want string
	}{
		{0, "tool", "0 tools"}, {1, "tool", "1 tool"}, {2, "tool", "2 tools"}, {1204, "message", "1,204 messages"}, {-1, "byte", "-1 bytes"},
		{1, "entry", "1 entry"}, {2, "entry", "2 entries"}, {3, "match", "3 matches"}, {2, "day", "2 days"}, {2, "protocol error", "2 protocol errors"}, {2, "loss", "2 losses"},
	} {
		if got := Plural(c.n, c.noun); got != c.want {
			t.Errorf("%d %s is %q, want %q", c.n, c.noun, got, c.want)
		}
	}
}
