package tui

import (
	"slices"
	"time"
)

// streamColumns are the widths of the columns; 0 leaves a column out.
type streamColumns struct {
	seq, time, id, primitive, capability, method, summary, latency, size int
	marks                                                                bool
}

// fixed is what all columns but the summary take, with the blanks after them.
func (c *streamColumns) fixed() int {
	n := 2 + 2 // rail, direction
	for _, w := range []int{c.seq, c.time, c.id, c.primitive, c.capability, c.method, c.latency, c.size} {
		if w > 0 {
			n += w + 1
		}
	}
	if c.marks {
		n += 3
	}
	if c.primitive > 0 && c.capability == 0 {
		n += 2
	}
	return n
}

// columnNames are the columns that the settings can choose among; method and summary are always there.
var columnNames = []string{"number", "time", "id", "primitive", "capability", "latency", "size"}

// only leaves out the columns that are not chosen.
func (c *streamColumns) only(chosen []string) {
	if chosen == nil {
		return
	}
	for i, w := range []*int{&c.seq, &c.time, &c.id, &c.primitive, &c.capability, &c.latency, &c.size} {
		if !slices.Contains(chosen, columnNames[i]) {
			*w = 0
		}
	}
}

// columnsFor fits the columns into a width, given how wide their texts are. Rail and primitive go first, then the summary; size,
// latency, time and id give way.
func columnsFor(w, seq, clock, id, method int, chosen []string) streamColumns {
	if w < 60 {
		c := streamColumns{marks: true}
		c.method = max(w-c.fixed()-1, 8)
		return c
	}
	c := streamColumns{seq: max(3, seq), time: clock, id: id, primitive: 6, method: 16, latency: 7, marks: true}
	if w >= 100 {
		c.method, c.size = 20, 5
	}
	if w >= 120 {
		c.capability = 26
	}
	if w >= 150 {
		c.method, c.capability = 26, 32
	}
	c.method = min(c.method, max(method, 10))
	if w < 120 {
		c.id = min(c.id, 5)
	}
	c.only(chosen)
	least := 20
	if w < 80 {
		least = 16
	}
	for _, give := range []*int{&c.size, &c.id, &c.seq, &c.latency, &c.time} {
		if w-c.fixed() >= least {
			break
		}
		*give = 0
	}
	c.summary = max(w-c.fixed(), 0)
	return c
}

// columns fits the columns to what the recording holds so far.
func (s *session) columns(w int) streamColumns {
	clock := 12
	if s.times != timeOfDay {
		last := time.Duration(0)
		if s.rows.n > 0 {
			last = s.rows.at(s.rows.n - 1).t()
		}
		clock = max(7, len(seconds(last)))
	}
	return columnsFor(w, len(itoa(s.rows.maxSeq)), clock, max(2, min(s.rows.idWidth, 8)), s.rows.methodWidth, s.m.opts.Settings.Columns)
}
