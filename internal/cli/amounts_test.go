package cli

import (
	"testing"
	"time"
)

func TestSizes(t *testing.T) {
	for text, want := range map[string]int64{
		"0": 0, "1": 1, "1500": 1500, "50MB": 50e6, "50mb": 50e6, "1GiB": 1 << 30, "1.5kB": 1500, "2K": 2000, "3 KiB": 3 << 10, "0.5M": 500_000, "7B": 7, "1TiB": 1 << 40,
	} {
		if got, err := parseSize(text); got != want || err != nil {
			t.Errorf("%q is %d, %v; want %d", text, got, err, want)
		}
	}
	for _, text := range []string{"", "MB", "-1", "-5MB", "1XB", "1e3", "0x10", "1_000", "NaN", "inf", "5 apples", "99999999TB", "1.2.3"} {
		if got, err := parseSize(text); err == nil {
			t.Errorf("%q is %d", text, got)
		}
	}
}

func TestAges(t *testing.T) {
	const day = 24 * time.Hour
	for text, want := range map[string]time.Duration{
		"30d": 30 * day, "2w": 14 * day, "12h": 12 * time.Hour, "1d12h": day + 12*time.Hour, "1w1d": 8 * day, "90m": 90 * time.Minute, "0.5d": 12 * time.Hour, "0s": 0, "0d": 0,
	} {
		if got, err := parseAge(text); got != want || err != nil {
			t.Errorf("%q is %v, %v; want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"", "30", "d", "-1d", "-1h", "1d-2h", "3x", "99999999d", "1.2.3d"} {
		if got, err := parseAge(text); err == nil {
			t.Errorf("%q is %v", text, got)
		}
	}
}
