package tui

import (
	"strconv"
	"strings"
	"time"
)

func itoa[T ~int | ~int32 | ~int64 | ~uint32](n T) string { return strconv.FormatInt(int64(n), 10) }

// thousands writes 1,204.
func thousands(n int64) string {
	s := itoa(n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// seconds writes a time since the start as +731.204, in at most 9 cells up to 99,999 s.
func seconds(d time.Duration) string {
	s := strconv.FormatFloat(d.Seconds(), 'f', 3, 64)
	return "+" + s
}

// latencyText writes a latency in at most 6 cells: 740µs, 12.4ms, 746ms, 2.42s, 12.0s, 7m03s.
func latencyText(d time.Duration) string {
	switch {
	case d < 0:
		return "-" + latencyText(-d)
	case d == 0:
		return "0s"
	case d < time.Millisecond:
		return itoa(d.Microseconds()) + "µs"
	case d < 100*time.Millisecond:
		return strconv.FormatFloat(float64(d)/float64(time.Millisecond), 'f', 1, 64) + "ms"
	case d < time.Second:
		return itoa(d.Milliseconds()) + "ms"
	case d < 10*time.Second:
		return strconv.FormatFloat(d.Seconds(), 'f', 2, 64) + "s"
	case d < time.Minute:
		return strconv.FormatFloat(d.Seconds(), 'f', 1, 64) + "s"
	}
	return shortDuration(d)
}

// shortDuration writes 9s, 4m 03s, 2h 05m, 3d 4h in one word of two units.
func shortDuration(d time.Duration) string {
	d = d.Round(time.Second)
	two := func(a int64, ua string, b int64, ub string) string {
		s := itoa(b)
		if len(s) < 2 {
			s = "0" + s
		}
		return itoa(a) + ua + s + ub
	}
	s := int64(d / time.Second)
	switch {
	case s < 60:
		return itoa(s) + "s"
	case s < 3600:
		return two(s/60, "m", s%60, "s")
	case s < 86400:
		return two(s/3600, "h", s/60%60, "m")
	}
	return two(s/86400, "d", s/3600%24, "h")
}

// spoken writes a duration for a sentence: 185 ms, 41.2 s, 12 m 31 s.
func spoken(d time.Duration) string {
	switch {
	case d == 0:
		return "0 s"
	case d < time.Millisecond:
		return itoa(d.Microseconds()) + " µs"
	case d < time.Second:
		return itoa(d.Milliseconds()) + " ms"
	case d < time.Minute:
		return strconv.FormatFloat(d.Seconds(), 'f', 1, 64) + " s"
	case d < time.Hour:
		return itoa(int64(d/time.Minute)) + " m " + itoa(int64(d/time.Second)%60) + " s"
	}
	return itoa(int64(d/time.Hour)) + " h " + itoa(int64(d/time.Minute)%60) + " m"
}

// spokenLatency is latencyText for a sentence.
func spokenLatency(d time.Duration) string {
	if d >= time.Minute {
		return spoken(d)
	}
	text := latencyText(d)
	unit := strings.LastIndexAny(text, "0123456789") + 1
	return text[:unit] + " " + text[unit:]
}

// sizeText writes a number of bytes in at most 5 cells: 412, 2.4k, 18k, 8.1M.
func sizeText(n int64) string {
	if n < 1000 {
		return itoa(n)
	}
	f := float64(n)
	for _, unit := range "kMGT" {
		f /= 1000
		if f < 9.95 {
			return strconv.FormatFloat(f, 'f', 1, 64) + string(unit)
		}
		if f < 999.5 {
			return strconv.FormatFloat(f, 'f', 0, 64) + string(unit)
		}
	}
	return itoa(n)
}

// bytesText writes a number of bytes for a sentence: 412 B, 18 kB, 8.1 MB.
func bytesText(n int64) string {
	s := sizeText(n)
	if last := s[len(s)-1]; strings.IndexByte("kMGT", last) >= 0 {
		return s[:len(s)-1] + " " + string(last) + "B"
	}
	return s + " B"
}

// plural writes "1 tool" and "2 tools".
func plural(n int64, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	if strings.HasSuffix(noun, "ch") {
		return thousands(n) + " " + noun + "es"
	}
	if stem, ok := strings.CutSuffix(noun, "y"); ok {
		noun = stem + "ie"
	}
	return thousands(n) + " " + noun + "s"
}

// clip shortens s to at most n bytes for cheap further work; the pen cuts exactly.
func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && s[n]&0xc0 == 0x80 {
		n--
	}
	return s[:n]
}
