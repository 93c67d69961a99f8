package annotate

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/shakescope/shakescope/jsonrpc"
	"github.com/shakescope/shakescope/recordings"
)

var update = flag.Bool("update", false, "write the golden files")

// fold runs a Session over the records and applies every patch, as a live view does.
func fold(records []*recordings.Record) (entries []*Entry, whole []Finding, s *Session) {
	s = NewSession()
	entries, whole = foldInto(s, records)
	return entries, whole, s
}

func foldInto(s *Session, records []*recordings.Record) (entries []*Entry, whole []Finding) {
	at := map[Ref]*Entry{}
	take := func(u Update) {
		for i := range u.Entries {
			e := u.Entries[i]
			entries = append(entries, &e)
			at[e.Ref] = &e
		}
		for _, p := range u.Patches {
			at[p.At].Apply(p)
		}
		for _, f := range u.Findings {
			whole = MergeFinding(whole, f)
		}
	}
	for _, r := range records {
		take(s.Add(r))
	}
	take(s.Finish())
	return entries, whole
}

// describe writes an entry as the golden files have it.
func describe(b *strings.Builder, e *Entry) {
	fmt.Fprintf(b, "%s", e.Ref)
	word := func(s string) {
		if s != "" {
			b.WriteString(" " + s)
		}
	}
	word(e.From)
	if e.From == "" {
		word(map[recordings.Stream]string{recordings.Stderr: "stderr", recordings.Control: "control"}[e.Stream])
	}
	word(string(e.Kind))
	word(e.Method)
	if e.Target != "" {
		word("[" + e.Target + "]")
	}
	fmt.Fprintf(b, " | %s", e.Phase)
	word(e.Era)
	word(e.Revision)
	if e.Session > 1 {
		word("session" + strconv.Itoa(e.Session))
	}
	if e.Group != "" {
		fmt.Fprintf(b, " | %s", e.Group)
		if e.Primitive != "" {
			b.WriteString("*")
		}
	}
	for _, t := range e.Touches {
		word("+" + t)
	}
	for _, c := range e.Capability {
		word(fmt.Sprintf("%s:%s=%s", c.Side, c.Path, c.State))
		if c.At != 0 {
			fmt.Fprintf(b, "@%d", c.At)
		}
	}
	b.WriteString(" |")
	word(string(e.State))
	if e.Cancelled {
		word("cancelled")
	}
	if e.Ambiguous {
		word("ambiguous")
	}
	if e.HasLatency {
		word(e.Latency.String())
	}
	if !e.Pair.IsZero() {
		word("pair " + e.Pair.String())
	}
	if !e.Flow.IsZero() && e.Flow != e.Ref {
		word("flow " + e.Flow.String())
	}
	if !e.Probable.IsZero() {
		word("probable " + e.Probable.String())
	}
	if e.Progress != nil && e.Kind == Request {
		word(fmt.Sprintf("progress %v/%v", e.Progress.Progress, e.Progress.Total))
	}
	word(string(e.Reason))
	for _, d := range e.Defects {
		word("defect:" + string(d.Kind))
	}
	fmt.Fprintf(b, " | %s\n", e.Summary())
	if e.Unanswered != "" {
		fmt.Fprintf(b, "    unanswered: %s\n", e.Unanswered)
	}
	for _, f := range e.Findings {
		describeFinding(b, f)
	}
}

func describeFinding(b *strings.Builder, f Finding) {
	fmt.Fprintf(b, "    %s %s by %s", f.Level, f.Rule, f.By)
	if f.Path != "" {
		fmt.Fprintf(b, " at %s", f.Path)
	}
	if f.Count > 1 {
		fmt.Fprintf(b, " x%d", f.Count)
	}
	fmt.Fprintf(b, ": %s", f.Message)
	if len(f.Related) > 0 {
		fmt.Fprintf(b, " %v", f.Related)
	}
	b.WriteString("\n")
}

func TestScenarios(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("testdata", "*.txtar"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no scenarios: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			raw, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			a := txtar.Parse(raw)
			in := archiveFile(a, "in")
			records := parseScenario(t, in.Data)
			entries, whole, s := fold(records)
			shown := namedRules(a.Comment)
			var b strings.Builder
			for _, e := range entries {
				kept := *e
				kept.Findings = shown(e.Findings)
				describe(&b, &kept)
			}
			for _, f := range shown(whole) {
				describeFinding(&b, f)
			}
			fmt.Fprintf(&b, "= %s\n", strings.TrimSpace(strings.Join([]string{first(s.InForce()), second(s.InForce())}, " ")))
			want := archiveFile(a, "want")
			if *update {
				want.Data = []byte(b.String())
				if err := os.WriteFile(file, txtar.Format(a), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			if d := cmp.Diff(string(want.Data), b.String()); d != "" {
				t.Errorf("(-want +got; go test ./annotate -update writes the golden files)\n%s", d)
			}
			checkTotal(t, records, entries)
		})
	}
}

// namedRules reads which rules a scenario is about: a line "rules: id id" in its comment. Findings of
// others are left out, so that a new rule changes no scenario but its own; no such line shows all.
func namedRules(comment []byte) func([]Finding) []Finding {
	var ids []string
	for line := range strings.SplitSeq(string(comment), "\n") {
		if list, ok := strings.CutPrefix(line, "rules:"); ok {
			ids = append(ids, strings.Fields(list)...)
		}
	}
	return func(list []Finding) []Finding {
		if ids == nil {
			return list
		}
		return slices.DeleteFunc(slices.Clone(list), func(f Finding) bool { return !slices.Contains(ids, f.Rule) })
	}
}

func first(a, _ string) string  { return a }
func second(_, b string) string { return b }

func archiveFile(a *txtar.Archive, name string) *txtar.File {
	for i := range a.Files {
		if a.Files[i].Name == name {
			return &a.Files[i]
		}
	}
	a.Files = append(a.Files, txtar.File{Name: name})
	return &a.Files[len(a.Files)-1]
}

// checkTotal holds for every fold: entries in order, all of them JSON on one line, nothing lost.
func checkTotal(t *testing.T, records []*recordings.Record, entries []*Entry) {
	t.Helper()
	n := 0
	last := Ref{0, NoSub}
	for _, e := range entries {
		if e.Ref.Compare(last) <= 0 {
			t.Errorf("%s comes after %s", e.Ref, last)
		}
		last = e.Ref
		if e.Sub == NoSub {
			n++
		}
		if line := AppendJSON(nil, e, nil); !json.Valid(line) || bytes.ContainsAny(line, "\n") {
			t.Errorf("%s: not one line of JSON: %s", e.Ref, line)
		}
		if s := e.Summary(); clean(s) != s {
			t.Errorf("%s: the summary has control characters: %q", e.Ref, s)
		}
		if !e.isMessage() {
			continue
		}
		if e.Group == "" || e.Phase == "" {
			t.Errorf("%s: a message without group or phase", e.Ref)
		}
	}
	if n != len(records) {
		t.Errorf("%d entries for %d records", n, len(records))
	}
}

// wireLog writes records as a wire log; ok is false for what that form cannot hold.
func wireLog(records []*recordings.Record) (log []byte, ok bool) {
	var w jsonWriter
	for _, r := range records {
		w.buf = append(w.buf, '{')
		w.millis("t_ms", r.T)
		switch r.Kind {
		case recordings.FrameRecord:
			w.text("dir", map[recordings.Stream]string{recordings.Stdin: "c2s", recordings.Stdout: "s2c", recordings.Stderr: "stderr"}[r.Stream])
			w.base64("raw_b64", r.Data)
			if r.Partial {
				return nil, false // it would be joined with the next line
			}
		case recordings.EventRecord:
			w.text("event", r.Event.Name)
			if r.Event.Code != nil {
				w.int("code", int64(*r.Event.Code))
			}
			w.textIf("signal", r.Event.Signal)
		default:
			return nil, false
		}
		w.buf = append(w.buf, '}', '\n')
	}
	return w.buf, true
}

// What Collect hands out, once and final, is what a live view has at the end after all patches.
func TestCollectEqualsLive(t *testing.T) {
	files, _ := filepath.Glob(filepath.Join("testdata", "*.txtar"))
	tried := 0
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		log, ok := wireLog(parseScenario(t, archiveFile(txtar.Parse(raw), "in").Data))
		if !ok {
			continue
		}
		tried++
		open := func() (*recordings.Reader, error) { return recordings.NewReader(bytes.NewReader(log), "log") }
		live := map[Ref]string{}
		for range 2 { // and twice the same
			var order []Ref
			entries, all := liveFold(t, open)
			for _, e := range entries {
				order = append(order, e.Ref)
				line := string(AppendJSON(nil, e, nil))
				if before, ok := live[e.Ref]; ok && before != line {
					t.Errorf("%s: two folds differ at %s", file, e.Ref)
				}
				live[e.Ref] = line
			}
			i := 0
			rec, err := Collect(open, func(e *Entry) error {
				if e.Ref != order[i] {
					t.Errorf("%s: %s where %s was due", file, e.Ref, order[i])
				}
				i++
				if d := cmp.Diff(live[e.Ref], string(AppendJSON(nil, e, nil))); d != "" {
					t.Errorf("%s: %s (-live +collected)\n%s", file, e.Ref, d)
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			if i != len(order) {
				t.Errorf("%s: %d entries, want %d", file, i, len(order))
			}
			if d := cmp.Diff(all, rec.Findings); d != "" {
				t.Errorf("%s: findings (-live +collected)\n%s", file, d)
			}
			once, err := Collect(open, nil)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(once.Findings, rec.Findings); d != "" {
				t.Errorf("%s: one pass and two differ\n%s", file, d)
			}
		}
	}
	if tried < 5 {
		t.Errorf("only %d scenarios were tried", tried)
	}
}

func liveFold(t *testing.T, open Source) ([]*Entry, []Finding) {
	t.Helper()
	r, err := open()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	var records []*recordings.Record
	for {
		rec, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		kept := *rec
		kept.Data = bytes.Clone(rec.Data)
		records = append(records, &kept)
	}
	s := NewSession()
	s.Open(r.Header())
	entries, whole := foldInto(s, records)
	var all []Finding
	for _, e := range entries {
		all = append(all, e.Findings...)
	}
	return entries, append(all, whole...)
}

// Whatever the lines are, the fold takes them, and says the same twice.
func FuzzSession(f *testing.F) {
	files, _ := filepath.Glob(filepath.Join("testdata", "*.txtar"))
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(archiveFile(txtar.Parse(raw), "in").Data)
	}
	f.Fuzz(func(t *testing.T, script []byte) {
		records := fuzzRecords(script)
		entries, _, _ := fold(records)
		checkTotal(t, records, entries)
		again, _, _ := fold(records)
		for i := range entries {
			if a, b := AppendJSON(nil, entries[i], nil), AppendJSON(nil, again[i], nil); !bytes.Equal(a, b) {
				t.Fatalf("two folds differ:\n%s\n%s", a, b)
			}
		}
	})
}

// Scenarios with a few bytes changed, left out or repeated.
func TestSessionTakesAnything(t *testing.T) {
	files, _ := filepath.Glob(filepath.Join("testdata", "*.txtar"))
	r := rand.New(rand.NewPCG(1, 2))
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		in := archiveFile(txtar.Parse(raw), "in").Data
		for range 40 {
			b := bytes.Clone(in)
			for range 1 + r.IntN(10) {
				i := r.IntN(len(b))
				switch r.IntN(3) {
				case 0:
					b[i] = byte(r.IntN(256))
				case 1:
					b = append(b[:i], b[i+1:]...)
				default:
					b = append(b, b[i:i+r.IntN(len(b)-i)]...)
				}
			}
			records := fuzzRecords(b)
			entries, _, _ := fold(records)
			checkTotal(t, records, entries)
		}
	}
}

// fuzzRecords makes records of any bytes: the first one of a line says what it is.
func fuzzRecords(script []byte) []*recordings.Record {
	var out []*recordings.Record
	events := []string{"spawn", "client_closed_stdin", "server_closed_stdout", "signal", "exit", "recorder", "spawn_error"}
	for line := range bytes.SplitSeq(script, []byte("\n")) {
		if len(line) == 0 {
			continue
		}
		n := int64(len(out) + 1)
		r := &recordings.Record{Seq: n, T: time.Duration(n) * time.Second, Kind: recordings.FrameRecord, EOL: jsonrpc.LF}
		r.T0 = r.T
		out = append(out, r)
		data := bytes.TrimPrefix(line[1:], []byte(" "))
		switch line[0] {
		case '>':
			r.Stream = recordings.Stdin
		case '!':
			r.Stream = recordings.Stderr
		case '@':
			r.Kind, r.Event = recordings.EventRecord, &recordings.Event{Name: events[len(line)%len(events)]}
			continue
		case '~':
			r.Kind, r.Gap = recordings.GapRecord, &recordings.Gap{Bytes: map[string]int64{"in": int64(len(line) % 2), "out": 1}}
			continue
		default:
			r.Stream = recordings.Stdout
		}
		r.Data, r.Size = data, int64(len(data))
		r.Partial, r.Truncated = bytes.HasPrefix(line[1:], []byte("|")), bytes.HasPrefix(line[1:], []byte("%"))
	}
	return out
}
