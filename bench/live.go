package main

import (
	"fmt"
	"os"
	"os/exec"
	"strconv"

	"github.com/shakescope/shakescope/recordings"
)

// candidate is a man in the middle. Its command is put in front of the server's.
type candidate struct {
	name    string
	command []string
	writes  string // a file that is removed before each round
	proves  bool   // that file is a recording, which must hold all that travelled
}

func (b *bench) copying() candidate { return candidate{name: "copy", command: []string{b.relay}} }

func (b *bench) keeping() candidate {
	file := b.path("relay.log")
	return candidate{name: "keep", command: []string{b.relay, "-r", file}, writes: file}
}

func (b *bench) scripted() candidate {
	file := b.path("node.log")
	return candidate{name: "node", command: []string{b.node, b.script, file}, writes: file}
}

func (b *bench) recording() candidate {
	file := b.path("live.jsonl")
	return candidate{"shakescope", []string{b.shakescope, "run", "-o", file, "--"}, file, true}
}

// compete lets the candidates take turns and returns the best of each figure of each candidate. A round
// in which the recording is not whole does not count; that is said, and more than a few are an error.
func (b *bench) compete(server string, args []string, candidates ...candidate) (map[string]figures, error) {
	best, lost := make(map[string]figures), 0
	for _, c := range candidates {
		best[c.name] = make(figures)
	}
	for round := range b.rounds {
		for i := range candidates {
			c := candidates[(i+round)%len(candidates)]
			if c.writes != "" {
				if err := os.RemoveAll(c.writes); err != nil {
					return nil, err
				}
			}
			f, err := b.measure(append(append(args[:len(args):len(args)], c.command...), b.server, server)...)
			if err != nil {
				return nil, err
			}
			if c.proves {
				v, err := recordings.Verify(c.writes)
				if err != nil {
					return nil, err
				}
				if !v.Whole {
					fmt.Fprintf(b.log, "round %d does not count: %s\n", round+1, v.Sentence)
					if lost++; lost > b.rounds/4 {
						return nil, fmt.Errorf("recordings that are not whole: %d of %d", lost, round+1)
					}
					continue
				}
			}
			best[c.name].least(f)
		}
	}
	return best, nil
}

// ping measures round trips and what they cost.
func (b *bench) ping() error {
	best, err := b.compete("echo", []string{"ping", "4000", "200"}, b.copying(), b.recording(), b.scripted())
	if err != nil {
		return err
	}
	copied, ours, node := best["copy"], best["shakescope"], best["node"]
	b.table.add(row{
		figure: "round trip p50, 200 bytes, to a C pipe copy", unit: "×", limit: limit{bar: 1.25, stretch: 1.05},
		result: ours["p50"] / copied["p50"], detail: fmt.Sprintf("%s to %s", micros(ours["p50"]), micros(copied["p50"])),
	})
	b.table.add(row{
		figure: "round trip p99, the same", unit: "×",
		result: ours["p99"] / copied["p99"], detail: fmt.Sprintf("%s to %s", micros(ours["p99"]), micros(copied["p99"])),
	})
	b.table.add(row{
		figure: "round trip p50, to a Node parse-and-log proxy", unit: "×", limit: limit{bar: 0.5},
		result: ours["p50"] / node["p50"], detail: fmt.Sprintf("%s to %s", micros(ours["p50"]), micros(node["p50"])),
	})
	b.table.add(row{
		figure: "CPU of the proxy a 200-byte message, to the C copy", unit: "×", limit: limit{bar: 4, stretch: 2.5},
		result: ours["cpu"] / copied["cpu"], detail: fmt.Sprintf("%s to %s", micros(ours["cpu"]), micros(copied["cpu"])),
	})
	return nil
}

// flood measures how much passes, and how long it takes until it is recorded as well.
func (b *bench) flood() error {
	for _, load := range []struct {
		figure             string
		count, size, batch int
		limit              limit
	}{
		{"200,000 messages of 200 bytes in batched writes", 200_000, 200, 300, limit{bar: 0.5, stretch: 0.9, more: true}},
		{"messages of 1 MiB", 300, 1 << 20, 1, limit{bar: 0.9, stretch: 1.2, more: true}},
	} {
		args := []string{"flood", strconv.Itoa(load.count), strconv.Itoa(load.size), strconv.Itoa(load.batch)}
		best, err := b.compete("sink", args, b.keeping(), b.recording())
		if err != nil {
			return err
		}
		kept, ours := best["keep"], best["shakescope"]
		rate := func(f figures, name string) string {
			return fmt.Sprintf("%.0f MB/s", float64(load.count*load.size)/f[name]*1e3)
		}
		b.table.add(row{
			figure: load.figure + ", to a recording C copy", unit: "×", limit: load.limit,
			result: kept["arrived"] / ours["arrived"], detail: rate(ours, "arrived") + " to " + rate(kept, "arrived"),
		})
		b.table.add(row{
			figure: "the same until all is recorded and the proxy has ended", unit: "×",
			result: kept["ended"] / ours["ended"], detail: rate(ours, "ended") + " to " + rate(kept, "ended") + "; CPU a message " + micros(ours["cpu"]) + " to " + micros(kept["cpu"]),
		})
	}
	return nil
}

// memory measures peaks. More rounds than a few would say nothing new.
func (b *bench) memory() error {
	const mib = 1 << 20
	fifo := b.path("stalled")
	if err := quiet(exec.Command("mkfifo", fifo)); err != nil {
		return err
	}
	// Open at both ends, read by nobody: a sink that takes a pipe's worth and then nothing.
	hold, err := os.OpenFile(fifo, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer hold.Close()
	for _, load := range []struct {
		figure      string
		count, size int
		file        string
		limit       limit
	}{
		{"peak memory, 40 messages of 10 MiB", 40, 10 * mib, b.path("peak.jsonl"), limit{bar: 40, stretch: 24}},
		{"peak memory, one line of 100 MiB", 1, 100 * mib, b.path("peak.jsonl"), limit{bar: 64, stretch: 32}},
		{"peak memory, recording to a sink that takes nothing, 40 messages of 10 MiB", 40, 10 * mib, fifo, limit{bar: 64, stretch: 32}},
	} {
		peak := 0.0
		for range min(b.rounds, 4) {
			if load.file != fifo {
				if err := os.RemoveAll(load.file); err != nil {
					return err
				}
			}
			f, err := b.measure("flood", strconv.Itoa(load.count), strconv.Itoa(load.size), "1", b.shakescope, "run", "-o", load.file, "--", b.server, "sink")
			if err != nil {
				return err
			}
			peak = max(peak, f["peak"])
		}
		b.table.add(row{figure: load.figure, unit: " MB", limit: load.limit, result: peak / 1e6, detail: "the worst round"})
	}
	return os.Remove(b.path("peak.jsonl"))
}

// start measures how long a program takes that does next to nothing.
func (b *bench) start() error {
	ours, hello := make(figures), make(figures)
	for range b.rounds {
		for _, c := range []struct {
			best    figures
			command []string
		}{{hello, []string{b.hello}}, {ours, []string{b.shakescope, "version"}}} {
			f, err := b.measure(append([]string{"start", "5"}, c.command...)...)
			if err != nil {
				return err
			}
			c.best.least(f)
		}
	}
	b.table.add(row{
		figure: "start (`version`), to a Go hello world", unit: "×", limit: limit{bar: 2.5, stretch: 1.5},
		result: ours["wall"] / hello["wall"],
		detail: fmt.Sprintf("%.1f ms to %.1f ms; CPU %.1f ms to %.1f ms", ours["wall"]/1e6, hello["wall"]/1e6, ours["cpu"]/1e6, hello["cpu"]/1e6),
	})
	return nil
}

// size measures the program itself, stripped.
func (b *bench) size() error {
	path := b.path("stripped")
	if err := b.compile(path, ".", "-ldflags=-s -w"); err != nil {
		return err
	}
	st, err := os.Stat(path)
	if err != nil {
		return err
	}
	b.table.add(row{figure: "size of the program, stripped", unit: " MB", limit: limit{bar: 14}, result: float64(st.Size()) / 1e6, detail: "`CGO_ENABLED=0 go build -trimpath -ldflags='-s -w'`"})
	return os.Remove(path)
}

// micros writes ns as µs.
func micros(ns float64) string { return fmt.Sprintf("%.3g µs", ns/1e3) }
