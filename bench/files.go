package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"sync/atomic"
	"time"
)

// ticker is a clock that is set.
type ticker struct{ at atomic.Int64 }

func (t *ticker) now() time.Duration  { return time.Duration(t.at.Load()) }
func (t *ticker) set(d time.Duration) { t.at.Store(int64(d)) }

// recorded is a file that was made to be read.
type recorded struct {
	path     string
	messages int
	raw      int64 // bytes that travelled
	size     int64
}

func (b *bench) recorded(name string, mean, messages int) (*recorded, error) {
	r := &recorded{path: b.path(name), messages: messages}
	var err error
	if r.raw, err = newTraffic(mean).record(r.path, messages); err != nil {
		return nil, err
	}
	info, err := os.Stat(r.path)
	if err != nil {
		return nil, err
	}
	r.size = info.Size()
	return r, nil
}

// endless writes a copy without the end record, of which a list reads all: what a recording looks
// like that still runs, or was cut.
func (r *recorded) endless(path string) error {
	data, err := os.ReadFile(r.path)
	if err != nil {
		return err
	}
	last := bytes.LastIndexByte(bytes.TrimSuffix(data, []byte("\n")), '\n')
	return os.WriteFile(path, data[:last+1], 0o600)
}

// files measures recordings: how long they are and how fast they are read.
func (b *bench) files() error {
	const messages = 300_000
	for _, mean := range []int{300, 1400} {
		r, err := b.recorded(fmt.Sprintf("mean-%d.jsonl", mean), mean, messages)
		if err != nil {
			return err
		}
		if mean == 300 {
			b.table.add(row{
				figure: "size of a recording to what travelled, 300 bytes a message", unit: "×", limit: limit{bar: 1.25, stretch: 1.12},
				result: float64(r.size) / float64(r.raw), detail: fmt.Sprintf("%.1f MB of %.1f MB, %d messages", float64(r.size)/1e6, float64(r.raw)/1e6, messages),
			})
		}
		if err := b.readers(r, mean); err != nil {
			return err
		}
	}
	return nil
}

func (b *bench) readers(r *recorded, mean int) error {
	folder := b.path(fmt.Sprintf("folder-%d", mean))
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	if err := r.endless(folder + "/20260101T000000Z-0000.jsonl"); err != nil {
		return err
	}
	if err := os.Setenv("SHAKESCOPE_DIR", folder); err != nil {
		return err
	}
	type reader struct {
		ok      []int
		command []string
	}
	readers := map[string]reader{
		"grep":   {nil, []string{b.grep, "-c", "error", r.path}},
		"start":  {nil, []string{b.shakescope, "version"}},
		"list":   {nil, []string{b.shakescope, "list"}},
		"verify": {nil, []string{b.shakescope, "verify", r.path}},
	}
	best := make(map[string]time.Duration)
	for range b.rounds {
		for _, name := range []string{"grep", "start", "list", "verify"} {
			c := readers[name]
			used, err := cpu(c.ok, c.command[0], c.command[1:]...)
			if err != nil {
				return err
			}
			if old, ok := best[name]; !ok || used < old {
				best[name] = used
			}
		}
	}
	each := func(d time.Duration) string { return micros(float64(d) / float64(r.messages)) }
	index, verify := best["list"]-best["start"], best["verify"]-best["start"]
	b.table.add(row{
		figure: fmt.Sprintf("index for `list`, %d bytes a message, CPU, to `grep -c error`", mean), unit: "×", limit: limit{bar: 0.5, stretch: 1, more: true},
		result: float64(best["grep"]) / float64(index), detail: each(index) + " a message to " + each(best["grep"]),
	})
	b.table.add(row{
		figure: fmt.Sprintf("`verify`, %d bytes a message, CPU, to the same", mean), unit: "×", limit: limit{bar: 0.15, stretch: 0.25, more: true},
		result: float64(best["grep"]) / float64(verify), detail: each(verify) + " a message to " + each(best["grep"]),
	})
	return nil
}

// annotate measures what all the rules cost. Findings are no failure.
func (b *bench) annotate() error {
	const messages = 50_000
	r, err := b.recorded("annotate.jsonl", 300, messages)
	if err != nil {
		return err
	}
	var best, idle time.Duration
	for i := range min(b.rounds, 5) {
		used, err := cpu([]int{1}, b.shakescope, "check", r.path)
		if err != nil {
			return err
		}
		none, err := cpu(nil, b.shakescope, "version")
		if err != nil {
			return err
		}
		if i == 0 || used < best {
			best = used
		}
		if i == 0 || none < idle {
			idle = none
		}
	}
	b.table.add(row{
		figure: "`check`, all rules, CPU a message of 300 bytes", unit: " µs",
		result: float64(best-idle) / 1e3 / float64(messages), detail: fmt.Sprintf("%d messages", messages),
	})
	return nil
}

// memoryMetric is what the benchmark of the lists reports.
var memoryMetric = regexp.MustCompile(`([0-9.]+) bytes/message`)

// index measures what the lists of the terminal UI keep of each message; only they know.
func (b *bench) index() error {
	c := exec.Command("go", "test", "-run", "^$", "-bench", "^BenchmarkMillionRows$", "-benchtime", "1x", "./tui")
	c.Dir = b.root
	out, err := c.CombinedOutput()
	found := memoryMetric.FindSubmatch(out)
	if err != nil || found == nil {
		return fmt.Errorf("%s: %w\n%s", c, err, out)
	}
	n, err := strconv.ParseFloat(string(found[1]), 64)
	if err != nil {
		return err
	}
	b.table.add(row{figure: "index memory a message, in the terminal UI", unit: " bytes", limit: limit{bar: 48, stretch: 28}, result: n, detail: "a million rows"})
	return nil
}
