package e2e

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/shakescope/shakescope/annotate"
)

func itoa(n int) string { return strconv.Itoa(n) }

// found is a finding with its place in the example or case.
type found struct {
	annotate.Finding
	line  int   // where it stands
	lines []int // every place it names
}

func (f found) String() string {
	return fmt.Sprintf("%d %s %s %s: %s", f.line, f.Level, f.By, f.Rule, f.Message)
}

// findings lists all findings of a log, in order.
func (w *wireLog) findings(rec *annotate.Recording) []found {
	var out []found
	add := func(f annotate.Finding) {
		x := found{Finding: f, line: w.of(f.At.Seq)}
		x.lines = append(x.lines, x.line)
		for _, r := range f.Related {
			x.lines = append(x.lines, w.of(r.Seq))
		}
		out = append(out, x)
	}
	for _, f := range rec.Findings {
		add(f)
	}
	return out
}

type catalogueRule struct {
	ID       string        `json:"id"`
	Group    string        `json:"group"`
	Severity string        `json:"severity"`
	Tier     int           `json:"tier"`
	Expanded []exampleStep `json:"exampleExpanded"`
	At       int           `json:"atExpanded"`
}

func catalogue(t *testing.T) []catalogueRule {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(corpus(t), "spec", "rules.json"))
	if err != nil {
		t.Fatal(err)
	}
	var c struct {
		Rules []catalogueRule `json:"rules"`
	}
	if err := json.Unmarshal(data, &c); err != nil {
		t.Fatal(err)
	}
	return c.Rules
}

// reviewed reads a list of lines "name rule reason…"; # begins a comment.
func reviewed(t *testing.T, path string) map[string]string {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	out := map[string]string{}
	sc := bufio.NewScanner(f)
	for sc.Scan() {
		line := strings.TrimSpace(sc.Text())
		if line == "" || line[0] == '#' {
			continue
		}
		name, rest, _ := strings.Cut(line, " ")
		rule, reason, _ := strings.Cut(rest, " ")
		if strings.TrimSpace(reason) == "" {
			t.Errorf("%s: %q gives no reason", path, line)
		}
		out[name+" "+rule] = reason
	}
	return out
}

// elsewhere are examples that the notes on the rules give to another rule, which alone speaks there.
var elsewhere = map[string]string{"feature-newer-than-session": "method-not-in-revision"}

// TestCatalogueExamples holds that every example of the catalogue raises its rule at its line, and
// that whatever else it raises above info stands in a reviewed list.
func TestCatalogueExamples(t *testing.T) {
	extras := reviewed(t, "testdata/rule-extras.txt")
	used := map[string]bool{}
	for _, r := range catalogue(t) {
		if len(r.Expanded) == 0 {
			continue
		}
		t.Run(r.ID, func(t *testing.T) {
			want := r.ID
			if other := elsewhere[r.ID]; other != "" {
				want = other
			}
			w := exampleLog(t, r.Expanded)
			_, rec := w.annotated(t)
			hit := false
			all := w.findings(rec)
			for _, f := range all {
				if f.Rule == want && (slices.Contains(f.lines, r.At) || f.At.Seq == 0 && f.At.IsZero()) {
					hit = true
				}
				if f.Rule == want || f.Level == annotate.LevelInfo {
					continue
				}
				key := r.ID + " " + f.Rule
				used[key] = true
				if extras[key] == "" {
					t.Errorf("also raises %v", f)
				}
			}
			if !hit {
				t.Errorf("is not raised at step %d; findings: %v", r.At, all)
			}
		})
	}
	if len(extras) > 60 {
		t.Errorf("%d reviewed extras, at most 60 are allowed", len(extras))
	}
	for k := range extras {
		if !used[k] {
			t.Logf("reviewed extra %q is not needed any more", k)
		}
	}
}
