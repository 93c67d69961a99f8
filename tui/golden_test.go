package tui

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the goldens")

// golden compares what is drawn with testdata/name.txt.
func golden(t *testing.T, name, got string) {
	t.Helper()
	compareFile(t, filepath.Join("testdata", name+".txt"), got)
}

func compareFile(t *testing.T, path, got string) {
	t.Helper()
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got; -update writes it anew):\n%s", path, diff)
	}
}

var sizes = []struct{ w, h int }{{80, 24}, {120, 40}, {200, 60}}

func TestScreens(t *testing.T) {
	views := []struct {
		name string
		keys []string
	}{
		{"stream", nil},
		{"stream-pair", []string{"e", "e"}},
		{"detail", []string{"e", "enter"}},
		{"pair", []string{"e", "enter", "]", "]"}},
		{"findings-tab", []string{"e", "e", "enter", "["}},
		{"replay", []string{"R", "space", ".", ".", ".", "."}},
		{"help", []string{"?"}},
		{"raw", []string{"j", "j", "enter", "]"}},
		{"ladder", []string{"2"}},
		{"timeline", []string{"3", "j", "j", "j"}},
		{"findings", []string{"4"}},
		{"handshake", []string{"5"}},
		{"catalogue", []string{"6", "j", "j"}},
		{"stats", []string{"7"}},
		{"timeline-methods", []string{"3", "v"}},
		{"filter-bar", []string{"/", "t", "o", "o", "l", "s", "=", "=", "x"}},
		{"filtered", []string{"e", "+"}},
		{"quick-filters", []string{"F", "1"}},
		{"copy", []string{"e", "y"}},
		{"raw-text", []string{"j", "j", "enter", "]", "w"}},
		{"raw-hex", []string{"j", "j", "enter", "]", "x"}},
		{"marked", []string{"e", "m", "a", "G", "m", "b", "M"}},
		{"sorted", []string{"s", "g"}},
	}
	for _, v := range views {
		for _, size := range sizes {
			for _, ascii := range []bool{false, true} {
				name := fmt.Sprintf("%s-%dx%d", v.name, size.w, size.h)
				if ascii {
					if size.w != 80 {
						continue
					}
					name += "-ascii"
				}
				t.Run(name, func(t *testing.T) {
					d := drive(t, Options{ASCII: ascii}, &shelf{}, size.w, size.h)
					everyday().on(d)
					d.keys(v.keys...)
					golden(t, name, d.text())
				})
			}
		}
	}
}
