package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/shakescope/shakescope/internal/compare"
)

func sideOf(path string) compare.Side {
	return compare.Side{Name: filepath.Base(path), Open: source(path)}
}

// TestNothingDiffersFromItself holds for every recorded session, also when nothing is put aside.
func TestNothingDiffersFromItself(t *testing.T) {
	for _, file := range corpusTranscripts(t) {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".jsonl"), func(t *testing.T) {
			t.Parallel()
			for _, exact := range []bool{false, true} {
				r, err := compare.Options{Exact: exact}.Recordings(sideOf(file), sideOf(file))
				if err != nil {
					t.Fatal(err)
				}
				if !r.Empty() || r.Requests.Same != int(r.A.Requests) {
					t.Errorf("exact %t: %s", exact, changesOf(r))
				}
			}
		})
	}
}

func TestTheLargeTranscriptDiffersNotFromItself(t *testing.T) {
	packed, err := filepath.Glob(filepath.Join(corpus(t), "transcripts", "large", "*.jsonl.gz"))
	if err != nil || len(packed) != 1 {
		t.Fatalf("want one large transcript, have %d: %v", len(packed), err)
	}
	r, err := compare.Options{}.Recordings(sideOf(packed[0]), sideOf(packed[0]))
	if err != nil {
		t.Fatal(err)
	}
	if !r.Empty() || r.Requests.Same < 60_000 {
		t.Errorf("%d requests the same; %s", r.Requests.Same, changesOf(r))
	}
}

// changesOf lists the changes of a report.
func changesOf(r *compare.Report) string {
	var b strings.Builder
	for i := range r.Changes {
		x := &r.Changes[i]
		fmt.Fprintf(&b, "%s %s %s %s %s: %s %v\n", x.Section, x.Kind, x.Side, x.What, x.Name, x.Words, x.Differences)
	}
	return b.String()
}

// TestTwoRunsDoNotDiffer records one client on one server twice, in other folders and processes: what is new in every
// run is not said to differ, and nothing else is.
func TestTwoRunsDoNotDiffer(t *testing.T) {
	for _, server := range npmServers {
		for _, client := range clients[:3] {
			t.Run(server.name+"/"+client.name, func(t *testing.T) {
				t.Parallel()
				script := npmServer(t, server.name)
				var files []string
				for range 2 {
					folder, work := t.TempDir(), t.TempDir()
					fill := func(s string) string { return strings.ReplaceAll(s, "DIR", work) }
					env := append(os.Environ(), "SHAKESCOPE_DIR="+folder, fill(server.env))
					command := []string{built(t), "--", node(t), script}
					for _, arg := range server.args {
						command = append(command, fill(arg))
					}
					calls := slices.Clone(server.calls)
					for i := range calls {
						calls[i].Arguments = mapStrings(calls[i].Arguments, fill).(map[string]any)
					}
					client.run(t, calls, env, command)
					made, err := filepath.Glob(filepath.Join(folder, "*.jsonl"))
					if err != nil || len(made) != 1 {
						t.Fatalf("recordings: %v, %v", made, err)
					}
					files = append(files, made[0])
				}
				r, err := compare.Options{}.Recordings(sideOf(files[0]), sideOf(files[1]))
				if err != nil {
					t.Fatal(err)
				}
				// What the server does of its own accord, and how it ends, may come before or after the client is
				// done: that differs in truth.
				r.Changes = slices.DeleteFunc(r.Changes, func(x compare.Change) bool {
					return x.What == "end of the server" || x.Side == "server" && (x.Section == compare.Traffic || x.Section == compare.Notifications)
				})
				if !r.Empty() {
					t.Error(changesOf(r))
				}
				if r.Requests.Same < len(server.calls) {
					t.Errorf("%d requests are the same, %d calls were made", r.Requests.Same, len(server.calls))
				}
			})
		}
	}
}
