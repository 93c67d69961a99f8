package recordings

import (
	"bytes"
	"fmt"
	"sort"
	"time"
)

// maxBroken is how many entries of an array may be broken.
const maxBroken = 100

// arrayLog reads a log that is one JSON array: the protocol export of the Inspector, and what other programs
// save of their memory. It is held as a whole, because entries are not in the order of what happened: an
// answer is part of the entry of its request.
type arrayLog struct {
	text []byte
	cut  bool
}

func (l *arrayLog) line(f *foreign, line []byte) {
	if l.cut {
		return
	}
	if len(l.text)+len(line) > maxDocument {
		f.report(f.number, f.pos, 0, fmt.Sprintf("a JSON array of more than %d MiB; what is beyond was left out", maxDocument>>20))
		l.cut = true
		return
	}
	l.text = append(append(l.text, line...), '\n')
}

func (l *arrayLog) end(f *foreign) {
	rest := l.text[bytes.IndexByte(l.text, '[')+1:]
	number := 1 + int64(bytes.Count(l.text[:len(l.text)-len(rest)], []byte("\n")))
	broken := 0
	for {
		trimmed := bytes.TrimLeft(rest, " \t\r\n,")
		number += int64(bytes.Count(rest[:len(rest)-len(trimmed)], []byte("\n")))
		rest = trimmed
		if len(rest) == 0 {
			f.report(number, int64(len(l.text)), 0, "the array has no end")
			break
		}
		if rest[0] == ']' {
			break
		}
		f.number, f.pos = number, int64(len(l.text)-len(rest))
		var b balance
		end := b.feed(rest)
		if rest[0] != '{' || end < 0 {
			// Each one without an end costs a look at all that follows.
			if broken++; broken > maxBroken {
				f.unread(rest, "no entry, as many before; the rest was left out")
				break
			}
			// What follows may be whole: an entry begins at the start of an object on a line of its own.
			next := bytes.Index(rest[1:], []byte("\n{"))
			if next < 0 {
				next = len(rest) - 2
			}
			f.unread(rest[:next+2], "no entry, or one without an end")
			number += int64(bytes.Count(rest[:next+2], []byte("\n")))
			rest = rest[next+2:]
			continue
		}
		putEntry(f, logItem{line: number}, onOneLine(nil, rest[:end]))
		number += int64(bytes.Count(rest[:end], []byte("\n")))
		rest = rest[end:]
	}
	l.text = nil
	sortByTime(f.queue)
}

// sortByTime puts items in the order of their times; one without keeps its place after the one before it.
func sortByTime(items []logItem) {
	var last time.Time
	for i := range items {
		if items[i].at.IsZero() {
			items[i].at = last
		}
		last = items[i].at
	}
	sort.SliceStable(items, func(i, j int) bool { return items[i].at.Before(items[j].at) })
}
