// Package timetext writes durations as people read them, the same way on the command line, in the
// terminal interface, in exports and in the messages of findings:
//
//	Rough     in a sentence          740 µs    12 ms    1.9 s    1 min 40 s   2 h 5 min   3 d 4 h
//	Latency   to be compared         0.74 ms   12 ms    1.93 s   1 min 40 s   2 h 5 min   3 d 4 h
//	Cell      in six cells           740µs     12.4ms   1.93s    1m40s        2h05m       3d04h
//
// All of them change from seconds to minutes at 100 s: time-outs of 60 and 90 s are known by their seconds.
// [Clock] does not: it is for how long something has been going on, and counts minutes from 60 s.
// What machines read is written elsewhere, in one unit.
package timetext

import (
	"strconv"
	"time"
)

// minutesFrom is where seconds are no longer easy to read.
const minutesFrom = 100 * time.Second

// Rough writes a duration for a sentence, with the digits that matter there.
func Rough(d time.Duration) string {
	switch {
	case d < 0:
		return "-" + Rough(-d)
	case d == 0:
		return "0 s"
	case d < time.Millisecond:
		return whole(d.Microseconds()) + " µs"
	case d < time.Second:
		return whole(d.Milliseconds()) + " ms"
	case d < minutesFrom-50*time.Millisecond:
		return decimals(d, time.Second, 1) + " s"
	}
	return twoUnits(d, " ", " min", " s", " h", " d", false)
}

// Latency writes a duration with so many digits that two of them can be compared.
func Latency(d time.Duration) string {
	switch {
	case d < 0:
		return "-" + Latency(-d)
	case d < 10*time.Millisecond-5*time.Microsecond:
		return decimals(d, time.Millisecond, 2) + " ms"
	case d < time.Second-500*time.Microsecond:
		return decimals(d, time.Millisecond, 0) + " ms"
	case d < minutesFrom-5*time.Millisecond:
		return decimals(d, time.Second, 2) + " s"
	}
	return twoUnits(d, " ", " min", " s", " h", " d", false)
}

// Cell writes a duration in at most six cells, up to 99 days.
func Cell(d time.Duration) string {
	switch {
	case d < 0:
		return "-" + Cell(-d)
	case d == 0:
		return "0s"
	case d < time.Millisecond:
		return whole(d.Microseconds()) + "µs"
	case d < 100*time.Millisecond-50*time.Microsecond:
		return decimals(d, time.Millisecond, 1) + "ms"
	case d < time.Second:
		return whole(d.Milliseconds()) + "ms"
	case d < 10*time.Second-5*time.Millisecond:
		return decimals(d, time.Second, 2) + "s"
	case d < minutesFrom-50*time.Millisecond:
		return decimals(d, time.Second, 1) + "s"
	}
	return Clock(d)
}

// Clock writes in one word how long something has been going on: 9s, 4m03s, 2h05m, 3d04h.
func Clock(d time.Duration) string {
	if d < 0 {
		return "-" + Clock(-d)
	}
	if d = d.Round(time.Second); d < time.Minute {
		return whole(int64(d/time.Second)) + "s"
	}
	return twoUnits(d, "", "m", "s", "h", "d", true)
}

// twoUnits writes a duration of a minute and more in its two largest units. Padded, the second one has
// two digits; otherwise it is left out where it is none.
func twoUnits(d time.Duration, between, minute, second, hour, day string, padded bool) string {
	two := func(a int64, ua string, b int64, ub string) string {
		switch {
		case padded && b < 10:
			return whole(a) + ua + between + "0" + whole(b) + ub
		case b == 0 && !padded:
			return whole(a) + ua
		}
		return whole(a) + ua + between + whole(b) + ub
	}
	s := int64(d.Round(time.Second) / time.Second)
	switch {
	case s < 3600:
		return two(s/60, minute, s%60, second)
	case s < 86400:
		return two(s/3600, hour, s/60%60, minute)
	}
	return two(s/86400, day, s/3600%24, hour)
}

func whole(n int64) string { return strconv.FormatInt(n, 10) }

func decimals(d, unit time.Duration, n int) string {
	return strconv.FormatFloat(float64(d)/float64(unit), 'f', n, 64)
}
