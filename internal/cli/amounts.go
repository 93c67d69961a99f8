package cli

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// sizeFlag is a number of bytes: 1500000, 1500kB, 1.5MB, 2GiB. 0 is not set.
type sizeFlag int64

func (s *sizeFlag) String() string {
	if *s == 0 {
		return ""
	}
	return strconv.FormatInt(int64(*s), 10)
}

func (s *sizeFlag) Type() string { return "SIZE" }

func (s *sizeFlag) Set(text string) error {
	n, err := parseSize(text)
	*s = sizeFlag(n)
	return err
}

// units of sizes, those with an i by powers of 1024.
var units = map[string]float64{
	"": 1, "b": 1,
	"k": 1e3, "kb": 1e3, "kib": 1 << 10,
	"m": 1e6, "mb": 1e6, "mib": 1 << 20,
	"g": 1e9, "gb": 1e9, "gib": 1 << 30,
	"t": 1e12, "tb": 1e12, "tib": 1 << 40,
}

func parseSize(text string) (int64, error) {
	number := strings.TrimRightFunc(text, func(r rune) bool { return r < '0' || r > '9' })
	unit, known := units[strings.ToLower(strings.TrimSpace(text[len(number):]))]
	n, err := strconv.ParseFloat(number, 64)
	if n *= unit; err != nil || !known || math.IsNaN(n) || n < 0 || n >= 1<<62 || strings.ContainsAny(number, "xXpPeE_") {
		return 0, fmt.Errorf("%q is no size such as 50MB, 1GiB or a number of bytes", text)
	}
	return int64(n), nil
}

// ageFlag is a time: what Go reads, or days and weeks such as 30d, 2w, 1d12h.
type ageFlag time.Duration

func (a *ageFlag) String() string {
	if *a == 0 {
		return ""
	}
	return ageText(time.Duration(*a))
}

func (a *ageFlag) Type() string { return "AGE" }

func (a *ageFlag) Set(text string) error {
	d, err := parseAge(text)
	*a = ageFlag(d)
	return err
}

func parseAge(text string) (time.Duration, error) {
	bad := fmt.Errorf("%q is no age such as 30d, 2w or 12h", text)
	days, rest := 0.0, strings.TrimSpace(text)
	for rest != "" {
		i := strings.IndexFunc(rest, func(r rune) bool { return (r < '0' || r > '9') && r != '.' })
		if i <= 0 || rest[i] != 'd' && rest[i] != 'w' {
			break
		}
		n, err := strconv.ParseFloat(rest[:i], 64)
		if err != nil {
			return 0, bad
		}
		if rest[i] == 'w' {
			n *= 7
		}
		days += n
		rest = rest[i+1:]
	}
	d := time.Duration(0)
	if rest != "" {
		var err error
		if d, err = time.ParseDuration(rest); err != nil || d < 0 {
			return 0, bad
		}
	}
	const most = 100 * 365
	if text == "" || days > most || d > most*24*time.Hour {
		return 0, bad
	}
	return d + time.Duration(days*float64(24*time.Hour)), nil
}

// ageText is an age as people read it.
func ageText(d time.Duration) string {
	if days := d / (24 * time.Hour); days > 0 && d%(24*time.Hour) == 0 {
		return fmt.Sprintf("%dd", days)
	}
	return d.String()
}
