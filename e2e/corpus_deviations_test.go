package e2e

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/shakescope/shakescope/annotate"
	"github.com/shakescope/shakescope/recordings"
)

// TestKnownDeviations holds that every error and warning on sessions between real clients and servers
// is of a rule that docs/known-deviations.md speaks of, and that the page speaks of no others.
func TestKnownDeviations(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(corpus(t), "transcripts", "*.jsonl"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no transcripts: %v", err)
	}
	page, err := os.ReadFile("../docs/known-deviations.md")
	if err != nil {
		t.Fatal(err)
	}
	explained := map[string]bool{}
	for line := range strings.Lines(string(page)) {
		cells := strings.Split(line, "|")
		if len(cells) < 4 {
			continue
		}
		for _, rule := range strings.FieldsFunc(cells[2], func(r rune) bool { return r == ',' || r == ' ' || r == '`' }) {
			if annotate.LookupRule(rule) != nil {
				explained[rule] = true
			}
		}
	}
	if len(explained) == 0 {
		t.Fatal("docs/known-deviations.md names no rule")
	}
	raised := map[string]bool{}
	for _, file := range files {
		name := filepath.Base(file)
		if name == "tools.jsonl" || strings.HasPrefix(name, "hand-") || strings.HasPrefix(name, "fail-") {
			continue
		}
		rec, err := annotate.Collect(func() (*recordings.Reader, error) { return recordings.Open(file) }, nil)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for _, f := range rec.Findings {
			if f.Level == annotate.LevelInfo {
				continue
			}
			raised[f.Rule] = true
			if !explained[f.Rule] {
				t.Errorf("%s: %s %s at %v is not explained: %s", name, f.Level, f.Rule, f.At, f.Message)
			}
		}
	}
	var idle []string
	for rule := range explained {
		if !raised[rule] {
			idle = append(idle, rule)
		}
	}
	slices.Sort(idle)
	for _, rule := range idle {
		t.Errorf("the page speaks of %s, which no transcript raises above info", rule)
	}
}
