package tui

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/shakescope/shakescope/annotate"
	"github.com/shakescope/shakescope/recordings"
)

// faultyRecordings makes recordings with findings of all kinds: at an entry when it comes, at an earlier one, withdrawn,
// of members of a batch, of the whole.
func faultyRecordings(t *testing.T, path string) {
	t.Helper()
	made, err := recordings.NewReader(bytes.NewReader(wireLog(6000)), "made")
	if err != nil {
		t.Fatal(err)
	}
	if err := recordings.Import(path, made); err != nil {
		t.Fatal(err)
	}
	rec, err := recordings.Create(filepath.Dir(path), recordings.NewHeader([]string{"srv"}), recordings.RecorderOptions{})
	if err != nil {
		t.Fatal(err)
	}
	rec.Chunk(recordings.Stdin, []byte(hello))
	rec.Chunk(recordings.Stdout, []byte("DEBUG cache warm\n"+answer))
	rec.Chunk(recordings.Stdin, []byte(ready+tools))
	for range 400 {
		rec.Chunk(recordings.Stdout, []byte(`{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"a:b"}}`+"\n"+`[{"jsonrpc":"2.0","id":7,"result":{}},{"jsonrpc":"2.0","method":"x/y"}]`+"\n"))
		rec.Chunk(recordings.Stdin, []byte(`{"jsonrpc":"2.0","id":3,"method":"prompts/list"}`+"\n"))
	}
	if err := rec.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(rec.Path(), filepath.Join(filepath.Dir(path), "faulty.jsonl")); err != nil {
		t.Fatal(err)
	}
}

// Whether the rules run with the rows or after them: rows and findings are the same in the end.
func TestRulesAfterTheRows(t *testing.T) {
	dir := t.TempDir()
	faultyRecordings(t, filepath.Join(dir, "clean.jsonl"))
	for _, name := range []string{"clean.jsonl", "faulty.jsonl"} {
		read := func(after bool) *session {
			d := drive(t, Options{}, &folder{}, 120, 40)
			src, err := d.m.lib.open(filepath.Join(dir, name))
			if err != nil {
				t.Fatal(err)
			}
			s := newSession(d.m, filepath.Join(dir, name), "")
			d.m.rec, s.src, s.in = s, src, make(chan *batch)
			if !after {
				src.again = nil
			}
			startLoading(s.ctx, src, s.in)
			for b := range s.in {
				if b.crash != nil || b.err != nil {
					t.Fatalf("%v %v", b.crash, b.err)
				}
				d.run(s.take(b))
			}
			if !s.done {
				t.Fatal("not done")
			}
			return s
		}
		want, got := read(false), read(true)
		if want.rows.n != got.rows.n || name == "faulty.jsonl" && len(want.rows.allFindings) < 3 {
			t.Fatalf("%s: %d rows, %d findings; after it %d rows", name, want.rows.n, len(want.rows.allFindings), got.rows.n)
		}
		for i := range want.rows.n {
			if diff := cmp.Diff(want.rows.entry(i), got.rows.entry(i), cmp.Exporter(func(reflect.Type) bool { return true })); diff != "" {
				t.Fatalf("%s, row %d (-with +after):\n%s", name, i, diff)
			}
		}
		if want.rows.counts != got.rows.counts || len(want.rows.allFindings) != len(got.rows.allFindings) {
			t.Errorf("%s: %v and %v", name, want.rows.counts, got.rows.counts)
		}
		for i := range want.rows.allFindings {
			a, b := want.rows.allFindings[i], got.rows.allFindings[i]
			// That of a member of a batch comes with the batch.
			if a.Rule != b.Rule || a.row != b.row || want.rows.at(int(max(a.since, 0))).seq() != got.rows.at(int(max(b.since, 0))).seq() {
				t.Fatalf("%s: finding %d is %+v, after it %+v", name, i, a, b)
			}
		}
		if want.state != got.state || want.stats.Messages != got.stats.Messages {
			t.Errorf("%s: %s and %s", name, want.state, got.state)
		}
	}
}

// The rows are there and can be used while findings are still looked for.
func TestRowsBeforeFindings(t *testing.T) {
	d := drive(t, Options{}, &shelf{}, 80, 24)
	everyday().on(d)
	s := d.m.rec
	s.done, s.allRows, s.checked = false, true, 11
	before := s.rows.counts[levelError]
	x := annotate.Finding{Rule: "late", Level: annotate.LevelError, By: "server", Message: "late", At: annotate.Ref{Seq: 5, Sub: annotate.NoSub}}
	d.run(s.take(&batch{said: []said{{at: x.At, by: 6, findings: []annotate.Finding{x}}}, checked: 12}))
	d.shows("CHECKING 54%", "more findings may follow")
	if s.rows.counts[levelError] != before+1 || s.levelAt(4) != levelError || s.rows.findings[4][0].since != 5 {
		t.Errorf("%d errors, row 4 at level %d, %+v", s.rows.counts[levelError], s.levelAt(4), s.rows.findings[4])
	}
	d.run(s.take(&batch{done: true}))
	if strings.Contains(d.text(), "CHECKING") || !s.done {
		t.Error("still checking when all is done")
	}
}

// What cannot be read a second time is said; the rows stay.
func TestCheckingFails(t *testing.T) {
	dir := t.TempDir()
	faultyRecordings(t, filepath.Join(dir, "clean.jsonl"))
	src, err := (&folder{}).open(filepath.Join(dir, "faulty.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer src.close()
	src.again = func() (*recordings.Reader, error) { return nil, errors.New("the file is gone") }
	out := make(chan *batch)
	startLoading(t.Context(), src, out)
	n, failed := 0, error(nil)
	for b := range out {
		n += len(b.items)
		if b.err != nil {
			failed = b.err
		}
	}
	if n < 1000 || failed == nil || !strings.Contains(failed.Error(), "looking for findings: the file is gone") {
		t.Errorf("%d rows, %v", n, failed)
	}
}

// G while a saved recording is still being read leads to its end, not to what happens to be there.
func TestToTheEndWhileReading(t *testing.T) {
	s := everyday()
	all := s.b
	s.b.items, s.b.patches, s.b.done, s.b.caughtUp = all.items[:8], nil, false, false
	d := drive(t, Options{}, &shelf{}, 80, 24)
	s.on(d)
	d.keys("G")
	d.want(8)
	d.shows("on the way to the end")
	d.run(d.m.rec.take(&batch{items: all.items[8:15]}))
	d.want(15)
	d.run(d.m.rec.take(&batch{items: all.items[15:], patches: all.patches, allRows: true}))
	d.want(22)
	d.keys("k")
	d.run(d.m.rec.take(&batch{done: true, state: "ended"}))
	d.want(21)

	d = drive(t, Options{}, &shelf{}, 80, 24)
	s.on(d)
	d.keys("G", "k")
	d.run(d.m.rec.take(&batch{items: all.items[8:15]}))
	d.want(7)
}
