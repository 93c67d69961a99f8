package recordings

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestTailOverSegments follows a recording from one file to the next while it grows.
func TestTailOverSegments(t *testing.T) {
	first := filepath.Join(t.TempDir(), "run.jsonl")
	r, err := CreateAt(first, Header{}, RecorderOptions{MaxSize: 3000})
	if err != nil {
		t.Fatal(err)
	}
	tail, err := NewTail(first)
	if err != nil {
		t.Fatal(err)
	}
	defer tail.Close()
	file, err := OpenFile(first)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if !tail.Live() {
		t.Error("not live")
	}
	var want, got []byte
	take := func(rec *Record) {
		if rec.Kind != FrameRecord {
			return
		}
		got = append(append(got, rec.Data...), rec.EOL...)
		again, err := file.ReadAt(rec.Pos, rec.Len)
		if err != nil || !bytes.Equal(again.Data, rec.Data) {
			t.Errorf("record %d at its place: %v", rec.Seq, err)
		}
	}
	for i := range 100 {
		r.Chunk(Stdin, numbered(i))
		want = append(want, numbered(i)...)
		waitFor(t, func() bool {
			rec, err := tail.Next()
			if err == nil {
				take(rec)
			} else if err != ErrWait {
				t.Fatal(err)
			}
			return len(got) == len(want)
		})
	}
	info, err := Inspect(first)
	if err != nil || info.State != Live || info.Messages.Client != 100 || info.Bytes != int64(len(want)) {
		t.Errorf("%+v, %v", info, err)
	}
	if v, err := Verify(first); err != nil || v.Whole || v.State != Live || !strings.Contains(v.Sentence, "still running") {
		t.Errorf("%+v, %v", v, err)
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	drain(t, func() (*Record, error) {
		for {
			if rec, err := tail.Next(); err != ErrWait {
				return rec, err
			}
		}
	})
	if tail.Live() || len(tail.Damage()) > 0 || len(segmentFiles(t, first)) < 4 {
		t.Errorf("live %v, damage %v", tail.Live(), tail.Damage())
	}
	// An ended recording is followed to its end as well.
	tail, err = NewTail(segmentPath(first, 2))
	if err != nil {
		t.Fatal(err)
	}
	defer tail.Close()
	if tail.Live() {
		t.Error("live after its end")
	}
	if records := drain(t, tail.Next); !bytes.Equal(bytesOf(records, Stdin), want) {
		t.Errorf("%d records", len(records))
	}
}

// TestCutInSegments cuts the last segment in its beginning, as a kill may.
func TestCutInSegments(t *testing.T) {
	paths, _ := segmentedRun(t, 4000, 15)
	last := paths[len(paths)-1]
	whole, err := os.ReadFile(last)
	if err != nil {
		t.Fatal(err)
	}
	records, _ := all(t, paths[0])
	for n := 0; n < min(1500, len(whole)-1); n += 7 {
		if err := os.WriteFile(last, whole[:n], 0o600); err != nil {
			t.Fatal(err)
		}
		got, _ := all(t, paths[0])
		want := 0 // records that lie in front of the cut
		for i := range records {
			if base := fileBase(t, paths); records[i].Pos+records[i].Len <= base+int64(n) {
				want++
			}
		}
		if len(got) < want {
			t.Fatalf("cut at %d: %d records, want %d", n, len(got), want)
		}
		v, err := Verify(paths[0])
		if err != nil || v.Whole {
			t.Fatalf("cut at %d: %+v, %v", n, v, err)
		}
		if v.State != Cut {
			t.Fatalf("cut at %d: %s", n, v.State)
		}
	}
}

// fileBase is where the last segment begins in the positions of records.
func fileBase(t *testing.T, paths []string) (base int64) {
	t.Helper()
	for _, p := range paths[:len(paths)-1] {
		info, err := os.Stat(p)
		if err != nil {
			t.Fatal(err)
		}
		base += info.Size()
	}
	return base
}

// TestKilledBetweenSegments has the next segment, but no word of it in the one before.
func TestKilledBetweenSegments(t *testing.T) {
	paths, streams := segmentedRun(t, 4000, 60)
	file, err := os.ReadFile(paths[0])
	if err != nil {
		t.Fatal(err)
	}
	i := bytes.LastIndex(file, []byte(`{"t":`))
	if !bytes.Contains(file[i:], []byte(`"next":"run.2.jsonl"`)) {
		t.Fatalf("the first segment ends with %s", file[i:])
	}
	if err := os.WriteFile(paths[0], file[:i], 0o600); err != nil {
		t.Fatal(err)
	}
	records, r := all(t, paths[0])
	if !bytes.Equal(bytesOf(records, Stdin), streams[Stdin]) || len(r.Missing()) > 0 {
		t.Errorf("%d records, missing %v", len(records), r.Missing())
	}
}

// TestSegmentsBesideOthers lies beside files with names like those of segments.
func TestSegmentsBesideOthers(t *testing.T) {
	dir := t.TempDir()
	first := filepath.Join(dir, "run.jsonl")
	for _, name := range []string{"run.2.jsonl", "run.3.jsonl"} {
		if err := os.WriteFile(filepath.Join(dir, name), session(t), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	r, err := CreateAt(first, Header{}, RecorderOptions{MaxSize: 3000})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 100 {
		r.Chunk(Stdin, numbered(i))
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	v, err := Verify(first)
	if err != nil || !v.Whole || v.Segments < 3 {
		t.Errorf("%+v, %v", v, err)
	}
	if v, err := Verify(filepath.Join(dir, "run.2.jsonl")); err != nil || v.Segments != 1 || !v.Whole {
		t.Errorf("%+v, %v", v, err)
	}
	list, err := Folder{dir}.List()
	if err != nil || len(list) != 3 {
		t.Errorf("%d recordings, %v", len(list), err)
	}
}
