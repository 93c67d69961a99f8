package tui

import (
	"strconv"
	"strings"
	"time"

	"github.com/shakescope/shakescope/internal/numtext"
)

func itoa[T ~int | ~int32 | ~int64 | ~uint32](n T) string { return strconv.FormatInt(int64(n), 10) }

func thousands(n int64) string { return numtext.Grouped(n) }

// seconds writes a time since the start as +731.204, in at most 9 cells up to 99,999 s.
func seconds(d time.Duration) string {
	s := strconv.FormatFloat(d.Seconds(), 'f', 3, 64)
	return "+" + s
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

func plural(n int64, noun string) string { return numtext.Plural(n, noun) }

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
