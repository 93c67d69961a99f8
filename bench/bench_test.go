package main

import (
	"bytes"
	"encoding/json"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/shakescope/shakescope/recordings"
)

func TestTable(t *testing.T) {
	var tab table
	tab.add(row{figure: "fast", unit: "×", limit: limit{bar: 0.5, stretch: 0.9, more: true}, result: 0.9})
	tab.add(row{figure: "slow", unit: "×", limit: limit{bar: 0.5, stretch: 0.9, more: true}, result: 0.499})
	tab.add(row{figure: "small", unit: " MB", limit: limit{bar: 40, stretch: 24}, result: 24.1})
	tab.add(row{figure: "other", unit: " µs", result: 1235.4, detail: "of"})
	var b strings.Builder
	if err := tab.write(&b); err != nil {
		t.Fatal(err)
	}
	want := `| figure | bar | stretch | result | meets | of |
|---|---|---|---|---|---|
| fast | ≥ 0.5× | 0.9× | 0.9× | stretch |  |
| slow | ≥ 0.5× | 0.9× | 0.499× | **missed** |  |
| small | ≤ 40 MB | 24 MB | 24.1 MB | bar |  |
| other | – | – | 1235 µs |  | of |
`
	if got := b.String(); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	if n := tab.missed(); n != 1 {
		t.Errorf("%d missed, want 1", n)
	}
}

// What is measured must be what it is called: messages of the given mean that are JSON, and a recording of
// them that verifies.
func TestTraffic(t *testing.T) {
	for _, mean := range []int{300, 1400} {
		path := filepath.Join(t.TempDir(), "traffic.jsonl")
		raw, err := newTraffic(mean).record(path, 5000)
		if err != nil {
			t.Fatal(err)
		}
		v, err := recordings.Verify(path)
		if err != nil {
			t.Fatal(err)
		}
		frames := v.Streams["stdin"].Frames + v.Streams["stdout"].Frames
		if got := v.Streams["stdin"].Bytes + v.Streams["stdout"].Bytes; !v.Whole || got != raw || frames < 5000 {
			t.Errorf("%s; %d bytes, want %d; %d frames", v.Sentence, got, raw, frames)
		}
		if got := float64(raw) / float64(frames); math.Abs(got-float64(mean)) > 0.05*float64(mean) {
			t.Errorf("%.0f bytes a message, want %d", got, mean)
		}
		r, err := recordings.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		errors := 0
		for {
			rec, err := r.Next()
			if err != nil {
				break
			}
			if rec.Kind != recordings.FrameRecord {
				continue
			}
			if !json.Valid(rec.Data) {
				t.Fatalf("not JSON: %s", rec.Data)
			}
			if bytes.Contains(rec.Data, []byte("error")) {
				errors++
			}
		}
		if errors == 0 {
			t.Error("nothing for grep to find")
		}
	}
}

func TestFigures(t *testing.T) {
	f, err := parseFigures("p50 20\np99 3.5\n")
	if err != nil {
		t.Fatal(err)
	}
	g := figures{"p50": 25, "cpu": 7}
	g.least(f)
	if g["p50"] != 20 || g["p99"] != 3.5 || g["cpu"] != 7 {
		t.Error(g)
	}
	for _, bad := range []string{"p50", "p50 x", "\n"} {
		if _, err := parseFigures(bad); err == nil {
			t.Errorf("%q: no error", bad)
		}
	}
}

func TestUsage(t *testing.T) {
	for _, args := range [][]string{{"-rounds", "0"}, {"-only", "everything"}, {"-nonsense"}} {
		if code, _ := run(args, &bytes.Buffer{}, &bytes.Buffer{}); code != 2 {
			t.Errorf("%v: exit code %d, want 2", args, code)
		}
	}
}
