package cli_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/shakescope/shakescope/internal/cli"
	"github.com/shakescope/shakescope/internal/mcpspec"
	"github.com/shakescope/shakescope/internal/termtext"
)

// Goldens of the log on narrow terminals; -update writes them.
func TestNarrowLog(t *testing.T) {
	for _, golden := range []struct {
		name  string
		width int
		ascii bool
	}{{"80", 80, false}, {"80-ascii", 80, true}, {"50", 50, false}, {"120", 120, false}} {
		t.Run(golden.name, func(t *testing.T) {
			have, err := cli.ShowOn("testdata/recordings/session.wire.jsonl", golden.width, golden.ascii)
			if err != nil {
				t.Fatal(err)
			}
			if golden.ascii && strings.ContainsFunc(have, func(r rune) bool { return r > '~' }) {
				t.Errorf("more than ASCII:\n%s", have)
			}
			path := filepath.Join("testdata", "show-"+golden.name+".txt")
			if *update {
				if err := os.WriteFile(path, []byte(have), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), have); diff != "" {
				t.Errorf("the log at %d columns changed; -update writes it anew:\n%s", golden.width, diff)
			}
		})
	}
}

// Below 100 columns an entry has one line, which ends at the edge; from there on what happened is whole. Long words of
// findings stay whole, so that they can be copied.
func TestNarrowLogAtAnyWidth(t *testing.T) {
	files, err := filepath.Glob("testdata/recordings/*.jsonl")
	if err != nil || len(files) == 0 {
		t.Fatal(err)
	}
	hostile := filepath.Join(t.TempDir(), "hostile.jsonl")
	if err := os.WriteFile(hostile, hostileLog(), 0o600); err != nil {
		t.Fatal(err)
	}
	entryLine := regexp.MustCompile(`^ *(\d+(?:\.\d+)?) +(?:\+\d+\.\d{3} )?[→←┊■] `)
	for _, file := range append(files, hostile) {
		piped, err := cli.ShowOn(file, 0, false)
		if err != nil {
			t.Fatal(err)
		}
		var seqs []string
		for line := range strings.Lines(piped) {
			if m := entryLine.FindStringSubmatch(line); m != nil {
				seqs = append(seqs, m[1])
			}
		}
		step := 1
		if file == hostile {
			step = 31 // it is long
		}
		for width := 20; width < 180; width += step {
			narrow, err := cli.ShowOn(file, width, false)
			if err != nil {
				t.Fatal(err)
			}
			have, entries := []string(nil), 0
			for line := range strings.Lines(narrow) {
				line = strings.TrimSuffix(line, "\n")
				isEntry := entryLine.MatchString(line)
				if m := entryLine.FindStringSubmatch(line); m != nil {
					have = append(have, m[1])
				}
				if isEntry || len(line) > 3 && strings.ContainsAny(line[:4], "→←┊■") {
					entries++
					if w := termtext.Width(line); w > max(width, 24) && width < 100 {
						t.Fatalf("%s at %d: an entry of %d cells: %q", file, width, w, line)
					}
				}
				if strings.HasSuffix(line, " ") {
					t.Fatalf("%s at %d: blanks at the end of %q", file, width, line)
				}
			}
			// Where the number has given way, only the lines are counted.
			if width >= 50 && fmt.Sprint(have) != fmt.Sprint(seqs) {
				t.Fatalf("%s at %d: entries %v, want %v", file, width, have, seqs)
			}
			if entries < len(seqs) {
				t.Fatalf("%s at %d: %d entries, want %d\n%s", file, width, entries, len(seqs), narrow)
			}
			if width < 100 {
				continue
			}
			cuts := strings.Count(narrow, "…") - strings.Count(narrow, "…/")
			if want := strings.Count(piped, "…"); cuts != want {
				t.Fatalf("%s at %d: %d cuts, want %d\n%s", file, width, cuts, want, narrow)
			}
		}
	}
}

func TestShortGroups(t *testing.T) {
	for _, m := range mcpspec.Methods() {
		if short := mcpspec.ShortGroup(m.Group); short == "" || len(short) > 6 {
			t.Errorf("%s is short for %s", short, m.Group)
		}
	}
}
