package annotate

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/shakescope/shakescope/internal/mcpspec"
)

// Sessions of the legacy revisions whose meaning was written down from the specification, by hand: NAME.in is a
// script as in the scenarios, NAME.expect what is to come of it. No flag writes these. Lines of an expectation:
//
//	finding REF LEVEL RULE SIDE     all errors and warnings are named; of infos only those that matter
//	pairs REF-REF …                 all of them
//	open REF …                      all requests without an answer
//	lone REF …                      all answers without a request
//	phase REF=PHASE …               where it is not initialization for the handshake, and operation for the rest
//	capability REF=SIDE:PATH=STATE,…   state REF=STATE   flow REF=REF   revision REF=REVISION   target REF=NAME
//
// A REF is a record's number, or number.member in a batch.
func TestExpectations(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("testdata", "expect", "*.txtar"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no expectations: %v", err)
	}
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		a := txtar.Parse(raw)
		for i := 0; i+1 < len(a.Files); i += 2 {
			name, in := strings.CutSuffix(a.Files[i].Name, ".in")
			if !in || a.Files[i+1].Name != name+".expect" {
				t.Fatalf("%s: %s and %s are no script with its expectation", file, a.Files[i].Name, a.Files[i+1].Name)
			}
			t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar")+"/"+name, func(t *testing.T) {
				records := parseScenario(t, a.Files[i].Data)
				entries, whole, _ := fold(records)
				expect(t, entries, whole, string(a.Files[i+1].Data))
				checkTotal(t, records, entries)
			})
		}
	}
}

func expect(t *testing.T, entries []*Entry, whole []Finding, text string) {
	t.Helper()
	want := map[string][]string{}
	for line := range strings.Lines(text) {
		word, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch word {
		case "":
		case "finding":
			want[word] = append(want[word], rest)
		default:
			want[word] = append(want[word], strings.Fields(rest)...)
		}
	}
	said := map[string][]string{}
	for _, e := range entries {
		ref := strings.TrimPrefix(e.Ref.String(), "#")
		say := func(word, value string) { said[word] = append(said[word], value) }
		for _, f := range append(slices.Clone(e.Findings), whole...) {
			checkPage(t, e, f)
		}
		for _, f := range e.Findings {
			if line := fmt.Sprintf("%s %s %s %s", ref, f.Level, f.Rule, f.By); f.Level != LevelInfo || slices.Contains(want["finding"], line) {
				say("finding", line)
			}
		}
		if !e.isMessage() {
			sayWanted(want, say, "phase", ref, string(e.Phase))
			if e.Kind == Invalid && e.State == Unmatched {
				say("lone", ref)
			}
			continue
		}
		switch {
		case e.Kind == Request && !e.Pair.IsZero():
			say("pairs", ref+"-"+strings.TrimPrefix(e.Pair.String(), "#"))
		case e.Kind == Request:
			say("open", ref)
		case e.State == Unmatched || e.State == Duplicate:
			say("lone", ref)
		}
		usual := Operation
		if e.Method == "initialize" || e.Method == "notifications/initialized" {
			usual = Initialization
		}
		if phase := ref + "=" + string(e.Phase); e.Phase != usual || slices.Contains(want["phase"], phase) {
			say("phase", phase)
		}
		var needs []string
		for _, c := range e.Capability {
			needs = append(needs, fmt.Sprintf("%s:%s=%s", c.Side, c.Path, c.State))
		}
		sayWanted(want, say, "capability", ref, strings.Join(needs, ","))
		sayWanted(want, say, "state", ref, string(e.State))
		sayWanted(want, say, "flow", ref, strings.TrimPrefix(e.Flow.String(), "#"))
		sayWanted(want, say, "revision", ref, e.Revision)
		sayWanted(want, say, "target", ref, e.Target)
	}
	for _, word := range slices.Sorted(maps.Keys(want)) {
		slices.Sort(want[word])
		if said[word] == nil {
			said[word] = []string{}
		}
	}
	for _, word := range slices.Sorted(maps.Keys(said)) {
		slices.Sort(said[word])
		said[word] = slices.Compact(said[word])
		if want[word] == nil {
			want[word] = []string{}
		}
		if d := cmp.Diff(want[word], said[word]); d != "" {
			t.Errorf("%s (-want +got)\n%s", word, d)
		}
	}
}

// sayWanted tells a value about an entry if the expectation names the entry.
func sayWanted(want map[string][]string, say func(word, value string), word, ref, value string) {
	if slices.ContainsFunc(want[word], func(s string) bool { return strings.HasPrefix(s, ref+"=") }) {
		say(word, ref+"="+value)
	}
}

// elsewhereStated are the pages that are cited though another revision is in force: what only another one speaks of.
var elsewhereStated = []string{"changelog", "basic/transports/stdio#backward-compatibility", "basic/versioning", "basic/index#ref-resolution", "basic/index#_meta"}

// checkPage holds that a finding cites the revision in force where that speaks of the matter.
func checkPage(t *testing.T, e *Entry, f Finding) {
	t.Helper()
	rev, path, _ := strings.Cut(f.Spec, "/")
	if e.Kind == Invalid || e.Revision == "" || rev == e.Revision || !mcpspec.Known(rev) || strings.HasPrefix(path, "schema") {
		return
	}
	if !slices.ContainsFunc(elsewhereStated, func(p string) bool { return strings.HasPrefix(path, p) }) && rev > e.Revision {
		t.Errorf("%s: %s cites %s in a session of %s", e.Ref, f.Rule, f.Spec, e.Revision)
	}
}
