package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
)

func main() {
	code, err := run(os.Args[1:], os.Stdout, os.Stderr)
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
	}
	os.Exit(code)
}

// bench is one run.
type bench struct {
	tools
	rounds int
	log    io.Writer
	table  table
}

// groups are the measurements, in the order of the table.
var groups = []struct {
	name    string
	measure func(*bench) error
}{
	{"ping", (*bench).ping},
	{"flood", (*bench).flood},
	{"memory", (*bench).memory},
	{"start", (*bench).start},
	{"size", (*bench).size},
	{"files", (*bench).files},
	{"index", (*bench).index},
	{"annotate", (*bench).annotate},
}

func run(args []string, out, log io.Writer) (int, error) {
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	flags.SetOutput(log)
	rounds := flags.Int("rounds", 16, "how many times each measurement is taken")
	only := flags.String("only", "", "comma-separated `groups` to measure: "+groupNames()+" (default all)")
	dir := flags.String("dir", "", "a `folder` for what is built and recorded (default a temporary one)")
	if err := flags.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return 0, nil
		}
		return 2, nil // the flag set has said why
	}
	if *rounds < 1 {
		return 2, fmt.Errorf("-rounds must be at least 1, got %d", *rounds)
	}
	for name := range strings.SplitSeq(*only, ",") {
		if name != "" && !strings.Contains(","+strings.ReplaceAll(groupNames(), " ", "")+",", ","+name+",") {
			return 2, fmt.Errorf("-only: there is no group %q", name)
		}
	}
	if *dir == "" {
		temp, err := os.MkdirTemp("", "shakescope-bench-")
		if err != nil {
			return 2, err
		}
		defer os.RemoveAll(temp)
		*dir = temp
	}
	b := &bench{rounds: *rounds, log: log}
	fmt.Fprintln(log, "building")
	if err := b.build(*dir); err != nil {
		return 2, err
	}
	for _, g := range groups {
		if *only != "" && !strings.Contains(","+*only+",", ","+g.name+",") {
			continue
		}
		fmt.Fprintln(log, "measuring", g.name)
		if err := g.measure(b); err != nil {
			return 2, fmt.Errorf("%s: %w", g.name, err)
		}
	}
	fmt.Fprintf(out, "%s, best of %d rounds\n\n", machine(), b.rounds)
	if err := b.table.write(out); err != nil {
		return 2, err
	}
	if missed := b.table.missed(); missed > 0 {
		return 1, fmt.Errorf("bars missed: %d", missed)
	}
	return 0, nil
}

func groupNames() string {
	var names []string
	for _, g := range groups {
		names = append(names, g.name)
	}
	return strings.Join(names, ", ")
}
