package recordings

import (
	"bytes"
	"math"
	"strconv"
	"time"
)

// stamp reads the time at the start of a log line, with the brackets it may stand in. It returns how long
// it is, 0 where there is none. A time without a zone is one of this machine.
func stamp(b []byte) (time.Time, int) {
	open := 0
	if len(b) > 0 && b[0] == '[' {
		open = 1
	}
	n := open
	digits := func(k int) bool {
		for range k {
			if n >= len(b) || b[n] < '0' || b[n] > '9' {
				return false
			}
			n++
		}
		return true
	}
	one := func(of string) bool {
		if n < len(b) && bytes.IndexByte([]byte(of), b[n]) >= 0 {
			n++
			return true
		}
		return false
	}
	if !(digits(4) && one("-/") && digits(2) && one("-/") && digits(2) && one("T ") &&
		digits(2) && one(":") && digits(2) && one(":") && digits(2)) {
		return time.Time{}, 0
	}
	second := n
	layout := []byte(b[open:second])
	layout[4], layout[7], layout[10] = '-', '-', ' '
	zone := time.Local
	var nanos time.Duration
	if one(".,") {
		start := n
		for digits(1) {
		}
		if n == start || n-start > 9 {
			return time.Time{}, 0
		}
		value, _ := strconv.ParseInt(string(b[start:n]), 10, 64)
		for range 9 - (n - start) {
			value *= 10
		}
		nanos = time.Duration(value)
	}
	if one("Z") {
		zone = time.UTC
	} else if start := n; one("+-") {
		if !digits(2) {
			return time.Time{}, 0
		}
		hours, _ := strconv.Atoi(string(b[start+1 : n]))
		one(":")
		minutes := 0
		if at := n; digits(2) {
			minutes, _ = strconv.Atoi(string(b[at:n]))
		}
		offset := (hours*60 + minutes) * 60
		if b[start] == '-' {
			offset = -offset
		}
		zone = time.FixedZone("", offset)
	}
	t, err := time.ParseInLocation(time.DateTime, string(layout), zone)
	if err != nil {
		return time.Time{}, 0
	}
	if open == 1 && !one("]") {
		return time.Time{}, 0
	}
	return t.Add(nanos), n
}

// moment reads the time in a member of a log: text, or a number since 1970 in a unit its size tells.
func moment(value []byte) time.Time {
	if len(value) > 1 && value[0] == '"' {
		value = value[1 : len(value)-1]
		if t, n := stamp(value); n > 0 && n == len(value) {
			return t
		}
	}
	v, err := strconv.ParseFloat(string(value), 64)
	if err != nil || v < 1e8 || v > 4e18 {
		return time.Time{}
	}
	unit := time.Second
	switch {
	case v > 1e17:
		unit = time.Nanosecond
	case v > 1e14:
		unit = time.Microsecond
	case v > 1e11:
		unit = time.Millisecond
	}
	per := int64(time.Second / unit)
	if whole, err := strconv.ParseInt(string(value), 10, 64); err == nil {
		return time.Unix(whole/per, whole%per*int64(unit)).UTC()
	}
	whole, part := math.Modf(v)
	nanos := time.Duration(part * float64(unit)).Round(time.Microsecond) // a float64 of today is no finer
	return time.Unix(int64(whole)/per, int64(whole)%per*int64(unit)+int64(nanos)).UTC()
}
