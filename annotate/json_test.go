package annotate

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/shakescope/shakescope/recordings"
)

func scenario(t *testing.T, name string) []*recordings.Record {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join("testdata", name+".txtar"))
	if err != nil {
		t.Fatal(err)
	}
	return parseScenario(t, archiveFile(txtar.Parse(raw), "in").Data)
}

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), string(got)); d != "" {
		t.Errorf("%s (-want +got)\n%s", path, d)
	}
}

// foundation leaves the findings of the first rules, so that a new one does not change the golden file.
var foundation = namedRules([]byte("rules: stdout-not-json message-spans-lines content-length-framing unterminated-line-at-eof" +
	" response-unknown-id request-unanswered exit-with-pending cap-server-undeclared"))

func TestAppendJSON(t *testing.T) {
	h := &recordings.Header{Start: time.Date(2026, 11, 29, 21, 0, 0, 0, time.UTC)}
	var b []byte
	for _, name := range []string{"modern", "batches", "stray-lines", "crash", "gap"} {
		entries, _, _ := fold(scenario(t, name))
		for _, e := range entries {
			e.Findings = foundation(e.Findings)
			b = append(AppendJSON(b, e, h), '\n')
		}
	}
	golden(t, "entries.jsonl", b)
	entries, _, _ := fold(scenario(t, "crash"))
	again := AppendRevision(nil, entries[3], nil)
	var m map[string]any
	if err := json.Unmarshal(again, &m); err != nil || m["revises"] != true || m["time"] != nil {
		t.Errorf("%v: %s", err, again)
	}
}

// The bytes of a message come out as they went in: spelling of numbers, escapes, order, duplicates.
func TestRawIsVerbatim(t *testing.T) {
	raw := `{ "method":"x/y" ,"id":1e2,"jsonrpc":"2.0","params":{"a":1.10,"a":-0,"b":"\/\u00e9\u0000","c":18446744073709551615}}`
	entries, _, _ := fold(parseScenario(t, []byte("> "+raw)))
	line := AppendJSON(nil, entries[0], nil)
	if !bytes.Contains(line, []byte(`"raw":`+raw+`}`)) {
		t.Errorf("%s", line)
	}
	if !bytes.Contains(line, []byte(`"id":1e2,`)) {
		t.Errorf("the id was respelled: %s", line)
	}
}

func TestStatsJSON(t *testing.T) {
	var b bytes.Buffer
	for _, name := range []string{"legacy", "modern", "ids", "stray-lines"} {
		_, _, s := fold(scenario(t, name))
		raw, err := s.Stats().MarshalJSON()
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Indent(&b, raw, "", " "); err != nil {
			t.Fatalf("%v: %s", err, raw)
		}
		b.WriteByte('\n')
	}
	golden(t, "stats.json", b.Bytes())
}

func TestPatchNamesWhatItReplaces(t *testing.T) {
	e := &Entry{Findings: []Finding{{Rule: "a", By: "client", Message: "one"}, {Rule: "b", By: "client"}}}
	before := e.Findings
	e.Apply(Patch{Findings: []Finding{{Rule: "a", By: "client", Message: "two", Count: 2}, {Rule: "a", By: "server"}}, Withdrawn: []string{"b"}})
	want := []Finding{{Rule: "a", By: "client", Message: "two", Count: 2}, {Rule: "a", By: "server"}}
	if d := cmp.Diff(want, e.Findings); d != "" {
		t.Error(d)
	}
	if len(before) != 2 || before[1].Rule != "b" {
		t.Error("a patch wrote into a slice that others may hold")
	}
}

// A recording that goes on from another segment begins in mid-session: what is missing is no finding.
func TestLateStart(t *testing.T) {
	script := "< {\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{}}\n> {\"jsonrpc\":\"2.0\",\"id\":8,\"method\":\"tools/list\"}\n@ exit code=1\n"
	records := parseScenario(t, []byte(script))
	for _, late := range []bool{false, true} {
		s := NewSession()
		if late {
			s.Open(&recordings.Header{Previous: "before.jsonl"})
		}
		var rules []string
		for _, r := range records {
			u := s.Add(r)
			for _, e := range u.Entries {
				for _, f := range e.Findings {
					rules = append(rules, f.Rule)
				}
				if e.Kind == Request && late && (e.Era != "" || e.Phase != Operation) {
					t.Errorf("era %q, phase %q", e.Era, e.Phase)
				}
			}
		}
		s.Finish()
		if slices.Contains(rules, "response-unknown-id") == late {
			t.Errorf("late %v: findings %v", late, rules)
		}
	}
}

func TestCollectErrors(t *testing.T) {
	boom := errors.New("boom")
	if _, err := Collect(func() (*recordings.Reader, error) { return nil, boom }, nil); !errors.Is(err, boom) {
		t.Errorf("error of open: %v", err)
	}
	log := []byte(`{"t_ms":1,"dir":"c2s","raw":"{}"}` + "\n")
	open := func() (*recordings.Reader, error) { return recordings.NewReader(bytes.NewReader(log), "log") }
	if _, err := Collect(open, func(*Entry) error { return boom }); !errors.Is(err, boom) {
		t.Errorf("error of yield: %v", err)
	}
}

// Rules are declared completely, once, and speak in sentences.
func TestRules(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range Rules() {
		if seen[r.ID] {
			t.Errorf("%s: declared twice", r.ID)
		}
		seen[r.ID] = true
		if r.Group == "" || len(r.Levels) == 0 || r.Revisions == 0 || r.Spec == "" {
			t.Errorf("%s: incomplete", r.ID)
		}
		switch r.By {
		case "client", "server", "environment", Sender, Receiver:
		default:
			t.Errorf("%s: nobody is %q", r.ID, r.By)
		}
		for _, s := range []string{r.Title, r.Why, r.Fix} {
			if s == "" || !strings.ContainsAny(s[len(s)-1:], ".?") || strings.Contains(s, "\n") {
				t.Errorf("%s: %q is no sentence", r.ID, s)
			}
		}
		if LookupRule(r.ID) == nil {
			t.Errorf("%s: not found", r.ID)
		}
	}
}

// A flood is one finding with a count, and its memory does not grow with it.
func TestFloods(t *testing.T) {
	s := NewSession()
	var first Finding
	separate, total := 0, 0
	for i := range 3000 {
		line := `{"jsonrpc":"2.0","id":` + string(appendInt(i)) + `,"result":{}}`
		u := s.Add(&recordings.Record{Kind: recordings.FrameRecord, Seq: int64(i + 1), Stream: recordings.Stdout, Data: []byte(line)})
		for _, e := range u.Entries {
			separate += len(e.Findings)
		}
		for _, p := range u.Patches {
			for _, f := range p.Findings {
				first = f
			}
		}
	}
	total = separate - 1 + first.Count
	if separate > maxSeparate+1 || total != 3000 || len(first.Related) > maxRelated {
		t.Errorf("%d findings, the last one counts %d of 3000 and names %d", separate, first.Count, len(first.Related))
	}
}

func appendInt(n int) []byte {
	var w jsonWriter
	w.fraction(int64(n), 0)
	return w.buf
}
