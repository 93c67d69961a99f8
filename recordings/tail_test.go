package recordings

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
)

// TestTail follows a recording while it is made, and sees what a reader sees afterwards.
func TestTail(t *testing.T) {
	rnd := rand.New(rand.NewPCG(7, 7))
	streams := map[Stream][]byte{Stdin: randomStream(rnd), Stdout: randomStream(rnd), Stderr: randomStream(rnd)}
	path := filepath.Join(t.TempDir(), "run.jsonl")
	r, err := CreateAt(path, Header{}, RecorderOptions{})
	if err != nil {
		t.Fatal(err)
	}
	tail, err := NewTail(path)
	if err != nil {
		t.Fatal(err)
	}
	defer tail.Close()
	if !tail.Live() {
		t.Error("not live")
	}
	if _, err := tail.Next(); err != ErrWait {
		t.Errorf("before anything came: %v", err)
	}
	done := make(chan error)
	go func() {
		feedCut(rnd, r, streams)
		done <- r.Close()
	}()
	got := map[Stream][]byte{}
	records := 0
	waitFor(t, func() bool {
		for {
			rec, err := tail.Next()
			if err == io.EOF {
				return true
			}
			if errors.Is(err, ErrWait) {
				return false
			}
			if err != nil {
				t.Fatal(err)
			}
			records++
			got[rec.Stream] = append(append(got[rec.Stream], rec.Data...), rec.EOL...)
		}
	})
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if tail.Live() || len(tail.Damage()) > 0 {
		t.Errorf("live %v, damage %v", tail.Live(), tail.Damage())
	}
	for s, want := range streams {
		if !bytes.Equal(got[s], want) {
			t.Errorf("stream %d: %d bytes, want %d", s, len(got[s]), len(want))
		}
	}
	file, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if all, _ := readAll(t, file); len(all) != records {
		t.Errorf("%d records, a reader sees %d", records, len(all))
	}
}

// TestTailByHand feeds a file byte by byte: nothing is seen before its line is whole.
func TestTailByHand(t *testing.T) {
	h := NewHeader(nil)
	h.NoLock = true // this process is the writer
	if h.PIDStart == 0 {
		t.Skip("the start of a process cannot be told on this system")
	}
	path := filepath.Join(t.TempDir(), "run.jsonl")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	write := func(s string) {
		t.Helper()
		if _, err := f.WriteString(s); err != nil {
			t.Fatal(err)
		}
	}
	write(string(appendHeader(nil, &h)))
	tail, err := NewTail(path)
	if err != nil {
		t.Fatal(err)
	}
	defer tail.Close()
	line := `{"seq":1,"t":5,"s":"in","msg":{"a":1}}`
	for i := range line {
		write(line[i : i+1])
		if _, err := tail.Next(); err != ErrWait {
			t.Fatalf("after %d bytes: %v", i+1, err)
		}
	}
	write("\n{\"part\":0,\"t\":6,\"s\":\"out\",\"text\":\"hal\"}\n")
	if rec, err := tail.Next(); err != nil || string(rec.Data) != `{"a":1}` {
		t.Fatalf("%+v, %v", rec, err)
	}
	if _, err := tail.Next(); err != ErrWait {
		t.Fatal(err)
	}
	if half, since := tail.Unfinished(Stdout); string(half) != "hal" || since != 6 {
		t.Errorf("unfinished %q since %d", half, since)
	}
	write("{\"seq\":2,\"t\":7,\"t0\":6,\"s\":\"out\",\"part\":1,\"text\":\"f\"}\n{\"seq\":3,\"t\":8,\"s\":\"in\",\"msg\":{\"cut")
	if rec, err := tail.Next(); err != nil || string(rec.Data) != "half" {
		t.Fatalf("%+v, %v", rec, err)
	}
	if half, _ := tail.Unfinished(Stdout); half != nil {
		t.Errorf("unfinished %q", half)
	}
	// A failed write: the torn line ends, a gap follows.
	write("\n{\"seq\":4,\"t\":9,\"gap\":{\"bytes\":{\"in\":9},\"reason\":\"x\",\"from\":8,\"to\":9}}\n")
	if rec, err := tail.Next(); err != nil || rec.Kind != GapRecord || rec.Gap.Bytes["in"] != 9 {
		t.Fatalf("%+v, %v", rec, err)
	}
	if d := tail.Damage(); len(d) != 1 || d[0].Line != 5 || d[0].Torn {
		t.Errorf("damage %+v", d)
	}
	// Somebody shortens the file, and the writer goes on.
	info, _ := f.Stat()
	if err := os.Truncate(path, info.Size()-30); err != nil {
		t.Fatal(err)
	}
	if _, err := tail.Next(); err != ErrWait {
		t.Fatal(err)
	}
	if _, err := f.Seek(0, io.SeekEnd); err != nil {
		t.Fatal(err)
	}
	write("\n{\"seq\":5,\"t\":9,\"s\":\"in\",\"text\":\"on\"}\n{\"t\":10,\"end\":{\"streams\":{},\"gaps\":1}}\n")
	if rec, err := tail.Next(); err != nil || rec.Seq != 5 {
		t.Fatalf("%+v, %v", rec, err)
	}
	if rec, err := tail.Next(); err != nil || rec.Kind != EndRecord {
		t.Fatalf("%+v, %v", rec, err)
	}
	if _, err := tail.Next(); err != io.EOF || tail.Live() {
		t.Errorf("%v, live %v", err, tail.Live())
	}
}

// TestTailOfTheDead ends with what the writer left, parts and a torn line.
func TestTailOfTheDead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "run.jsonl")
	text := "{\"shakescope\":1}\n{\"seq\":1,\"t\":5,\"s\":\"in\",\"msg\":1}\n{\"part\":0,\"t\":6,\"s\":\"out\",\"text\":\"hal\"}\n{\"seq\":2,\"t\""
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	tail, err := NewTail(path)
	if err != nil {
		t.Fatal(err)
	}
	defer tail.Close()
	if rec, err := tail.Next(); err != nil || rec.Seq != 1 {
		t.Fatalf("%+v, %v", rec, err)
	}
	if rec, err := tail.Next(); err != nil || rec.Seq != 2 || !rec.Partial || string(rec.Data) != "hal" {
		t.Fatalf("%+v, %v", rec, err)
	}
	if _, err := tail.Next(); err != io.EOF || tail.TornBytes() != 12 {
		t.Errorf("%v, torn %d", err, tail.TornBytes())
	}
}

// TestFile reads every record again by its place.
func TestFile(t *testing.T) {
	rnd := rand.New(rand.NewPCG(8, 8))
	streams := map[Stream][]byte{Stdin: randomStream(rnd), Stdout: randomStream(rnd), Stderr: randomStream(rnd)}
	file := record(t, RecorderOptions{}, func(r *Recorder) {
		feedCut(rnd, r, streams)
		r.Event(Event{Name: "signal"})
	})
	for _, size := range []int{len(file), len(file) / 2} {
		path := filepath.Join(t.TempDir(), "run.jsonl")
		if err := os.WriteFile(path, file[:size], 0o600); err != nil {
			t.Fatal(err)
		}
		f, err := OpenFile(path)
		if err != nil {
			t.Fatal(err)
		}
		all, _ := readAll(t, file[:size])
		for i := range all {
			want := &all[i]
			got, err := f.ReadAt(want.Pos, want.Len)
			if err != nil {
				t.Fatalf("record %d: %v", want.Seq, err)
			}
			if got.Seq == 0 && want.Partial {
				got.Seq = want.Seq
			}
			if brief(got) != brief(want) || got.Pos != want.Pos || got.Len != want.Len {
				t.Errorf("got  %s (%d, %d)\nwant %s (%d, %d)", brief(got), got.Pos, got.Len, brief(want), want.Pos, want.Len)
			}
		}
		for _, place := range [][2]int64{{-1, 5}, {0, 0}, {3, 10}, {int64(size) + 5, 10}} {
			if rec, err := f.ReadAt(place[0], place[1]); err == nil {
				t.Errorf("at %v: %+v", place, rec)
			}
		}
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	}
}
