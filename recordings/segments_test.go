package recordings

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const (
	listAsked = `{"jsonrpc":"2.0","id":"l","method":"tools/list"}` + "\n"
	listTold  = `{"jsonrpc":"2.0","id":"l","result":{"tools":[{"name":"dig","inputSchema":{"type":"object"}}]}}` + "\n"
	inited    = `{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n"
)

// segmentedRun records a session in segments of at most size bytes and returns their paths and the streams.
func segmentedRun(t *testing.T, size int64, lines int) (paths []string, streams map[Stream][]byte) {
	t.Helper()
	first := filepath.Join(t.TempDir(), "run.jsonl")
	r, err := CreateAt(first, Header{Command: []string{"server"}}, RecorderOptions{MaxSize: size})
	if err != nil {
		t.Fatal(err)
	}
	streams = map[Stream][]byte{}
	send := func(s Stream, text string) {
		r.Chunk(s, []byte(text))
		streams[s] = append(streams[s], text...)
	}
	send(Stdin, initAsked)
	send(Stdout, initTold)
	send(Stdin, inited)
	send(Stdin, listAsked)
	send(Stdout, listTold)
	for i := range lines {
		send(Stdin, string(numbered(i)))
		send(Stdout, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{}}`+"\n", i))
		if i%7 == 0 {
			send(Stderr, "not JSON \"\xff\n")
		}
	}
	r.Event(Event{Name: "client_closed_stdin"})
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	return segmentFiles(t, first), streams
}

// segmentFiles lists the files beside the first segment, in order.
func segmentFiles(t *testing.T, first string) []string {
	t.Helper()
	paths := []string{first}
	for n := 2; ; n++ {
		p := segmentPath(first, n)
		if _, err := os.Stat(p); err != nil {
			break
		}
		paths = append(paths, p)
	}
	entries, err := os.ReadDir(filepath.Dir(first))
	if err != nil {
		t.Fatal(err)
	}
	if len(entries) != len(paths) {
		t.Fatalf("the folder holds %v", entries)
	}
	return paths
}

// all reads the recording in path.
func all(t testing.TB, path string) ([]Record, *Reader) {
	t.Helper()
	r, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return drain(t, r.Next), r
}

func drain(t testing.TB, next func() (*Record, error)) (out []Record) {
	t.Helper()
	for {
		rec, err := next()
		if err == io.EOF {
			return out
		}
		if err != nil {
			t.Fatal(err)
		}
		c := *rec
		c.Data = bytes.Clone(rec.Data)
		out = append(out, c)
	}
}

// TestSegments records in small files: each is as small as was asked for, and any of them stands for all.
func TestSegments(t *testing.T) {
	const size = 4000
	paths, streams := segmentedRun(t, size, 200)
	if len(paths) < 5 {
		t.Fatalf("%d segments", len(paths))
	}
	for _, path := range paths {
		if info, err := os.Stat(path); err != nil || info.Size() > size {
			t.Errorf("%s has %d bytes, %v", path, info.Size(), err)
		}
		records, r := all(t, path)
		if len(r.Damage()) > 0 || len(r.Missing()) > 0 {
			t.Fatalf("%s: damage %v, missing %v", path, r.Damage(), r.Missing())
		}
		var seq int64
		for i := range records[:len(records)-1] {
			if records[i].Seq != seq+1 || i > 0 && records[i].T < records[i-1].T {
				t.Fatalf("%s: record %d after %d", path, records[i].Seq, seq)
			}
			seq++
		}
		checkSums(t, endOf(t, records), streams)
		for s := Stdin; s <= Stderr; s++ {
			if got := bytesOf(records, s); !bytes.Equal(got, streams[s]) {
				t.Errorf("%s: stream %d has %d bytes, want %d", path, s, len(got), len(streams[s]))
			}
		}
		v, err := Verify(path)
		if err != nil || !v.Whole || v.Segments != len(paths) || !strings.Contains(v.Sentence, fmt.Sprintf("in %d segments, nothing lost", len(paths))) {
			t.Errorf("%+v, %v", v, err)
		}
		info, err := Inspect(path)
		if err != nil || info.Path != paths[0] || info.Segments != len(paths) || info.State != Ended || info.Messages != (Messages{203, 202}) {
			t.Errorf("%+v, %v", info, err)
		}
		if s, err := State(path); s != Ended || err != nil {
			t.Errorf("state %s, %v", s, err)
		}
	}
	list, err := Folder{filepath.Dir(paths[0])}.List()
	if err != nil || len(list) != 1 || list[0].ID != "run" || len(list[0].Files) != len(paths) {
		t.Errorf("%+v, %v", list, err)
	}
	for name, want := range map[string]string{"run": paths[0], "ru": paths[0], "run.3": paths[2], "last": paths[0]} {
		if got, err := (Folder{filepath.Dir(paths[0])}).Resolve(name); got != want {
			t.Errorf("%s is %s, %v", name, got, err)
		}
	}
}

// TestSegmentsHeaders says in each segment what it follows.
func TestSegmentsHeaders(t *testing.T) {
	paths, _ := segmentedRun(t, 4000, 50)
	for i, path := range paths {
		r, err := openOne(path)
		if err != nil {
			t.Fatal(err)
		}
		h := r.Header()
		switch {
		case i == 0 && (h.Previous != "" || h.Segment != 0), i > 0 && (h.Previous != filepath.Base(paths[i-1]) || h.Segment != i+1):
			t.Errorf("%s: %+v", path, h)
		}
		r.Close()
	}
}

// TestSegmentAlone reads one segment without the others: it brings what came before.
func TestSegmentAlone(t *testing.T) {
	paths, _ := segmentedRun(t, 4000, 200)
	alone := filepath.Join(t.TempDir(), "alone.jsonl")
	move(t, paths[2], alone)
	records, r := all(t, alone)
	if records[0].Kind != ContextRecord {
		t.Fatalf("it begins with %+v", records[0])
	}
	var got []string
	for _, f := range records[0].Context.Frames {
		got = append(got, fmt.Sprintf("%d %s %s\n", f.Seq, streamNames[f.Stream], f.Data))
	}
	want := []string{"1 in " + initAsked, "2 out " + initTold, "3 in " + inited, "4 in " + listAsked, "5 out " + listTold}
	if strings.Join(got, "") != strings.Join(want, "") {
		t.Errorf("context\n%s\nwant\n%s", got, want)
	}
	missing := []string{filepath.Base(paths[1]), filepath.Base(paths[3])}
	if m := r.Missing(); strings.Join(m, " ") != strings.Join(missing, " ") {
		t.Errorf("missing %v, want %v", m, missing)
	}
	last := records[len(records)-1]
	if last.Kind != GapRecord || !strings.Contains(last.Gap.Reason, missing[1]) {
		t.Errorf("it ends with %+v", last)
	}
	info, err := Inspect(alone)
	if err != nil || info.State != Cut || info.Server.Name != "harbour" && info.Server.Name == "" {
		t.Errorf("%+v, %v", info, err)
	}
	before := records[0].Context.Before
	var frames int64
	for i := range records {
		if records[i].Kind == FrameRecord {
			frames++
		}
	}
	if n := before.Streams["in"].Frames + before.Streams["out"].Frames + before.Streams["err"].Frames; records[1].Seq != n+1 {
		t.Errorf("%d frames before record %d", n, records[1].Seq)
	}
	if n := info.Messages.Client + info.Messages.Server; n <= before.Cache.Messages.Client+before.Cache.Messages.Server || n > before.Cache.Messages.Client+before.Cache.Messages.Server+frames {
		t.Errorf("%d messages", n)
	}
	v, err := Verify(alone)
	if err != nil || v.Whole || len(v.Missing) != 2 || strings.Contains(v.Sentence, "it has no end") {
		t.Errorf("%+v, %v", v, err)
	}
}

func move(t *testing.T, from, to string) {
	t.Helper()
	if err := os.Rename(from, to); err != nil {
		t.Fatal(err)
	}
}

// TestMissingSegments takes segments away: what is missing is said by name and is a gap.
func TestMissingSegments(t *testing.T) {
	for name, gone := range map[string][]int{"first": {0}, "second": {1}, "two in the middle": {1, 2}, "last": {-1}, "first and last": {0, -1}} {
		t.Run(name, func(t *testing.T) {
			paths, streams := segmentedRun(t, 4000, 200)
			lost := map[string]bool{}
			for _, i := range gone {
				i = (i + len(paths)) % len(paths)
				lost[paths[i]] = true
				if err := os.Remove(paths[i]); err != nil {
					t.Fatal(err)
				}
			}
			for _, path := range paths {
				if lost[path] {
					continue
				}
				records, r := all(t, path)
				if len(r.Missing()) == 0 {
					t.Errorf("%s: nothing is said to be missing", path)
				}
				for i := 1; i < len(records); i++ {
					if r := &records[i]; r.Kind != EndRecord && r.Seq <= records[i-1].Seq {
						t.Fatalf("record %d after %d", r.Seq, records[i-1].Seq)
					}
				}
				gaps := 0
				for i := range records {
					if records[i].Kind == GapRecord {
						gaps++
						if !strings.HasSuffix(records[i].Gap.Reason, "is missing") {
							t.Errorf("%+v", records[i].Gap)
						}
					}
				}
				want := 0
				for _, i := range gone {
					if i != 0 {
						want = 1
					}
				}
				if gaps != want {
					t.Errorf("%s: %d gaps, want %d", path, gaps, want)
				}
				same := true
				for s := Stdin; s <= Stderr; s++ {
					same = same && bytes.Equal(bytesOf(records, s), streams[s])
				}
				if same {
					t.Error("nothing is missing")
				}
				v, err := Verify(path)
				if err != nil || v.Whole || len(v.Missing) == 0 || !strings.Contains(v.Sentence, "the segment "+v.Missing[0]+" is missing") {
					t.Errorf("%+v, %v", v, err)
				}
				if v.Records == 0 || v.Streams["stdin"].Bytes != int64(len(bytesOf(records, Stdin))) {
					t.Errorf("%+v", v)
				}
			}
		})
	}
}

// TestLineOverSegments goes on with an unfinished line in the next segments.
func TestLineOverSegments(t *testing.T) {
	first := filepath.Join(t.TempDir(), "run.jsonl")
	r, err := CreateAt(first, Header{}, RecorderOptions{MaxSize: 600 << 10})
	if err != nil {
		t.Fatal(err)
	}
	rnd := rand.New(rand.NewPCG(7, 7))
	streams := map[Stream][]byte{Stdout: randomLetter(rnd, 3<<20), Stderr: randomLetter(rnd, 1<<20)}
	feedCut(rnd, r, streams)
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	paths := segmentFiles(t, first)
	if len(paths) < 5 {
		t.Fatalf("%d segments", len(paths))
	}
	records, _ := all(t, paths[1])
	if got := bytesOf(records, Stdout); !bytes.Equal(got, streams[Stdout]) || len(records) != 3 {
		t.Errorf("%d records, %d bytes, want %d", len(records), len(got), len(streams[Stdout]))
	}
	f, err := OpenFile(paths[2])
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for i := range records[:2] {
		rec, err := f.ReadAt(records[i].Pos, records[i].Len)
		if err != nil || !bytes.Equal(rec.Data, streams[rec.Stream]) {
			t.Errorf("%v", err)
		}
	}
	if err := os.Remove(paths[1]); err != nil {
		t.Fatal(err)
	}
	records, _ = all(t, first)
	for i := range records {
		if records[i].Kind == FrameRecord && !records[i].Truncated {
			t.Errorf("record %d with a hole in it is not marked", records[i].Seq)
		}
	}
}

func randomLetter(rnd *rand.Rand, n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = 'a' + byte(rnd.IntN(26))
	}
	return b
}

// TestPlacesInSegments reads each record again by its place.
func TestPlacesInSegments(t *testing.T) {
	paths, _ := segmentedRun(t, 5000, 100)
	f, err := OpenFile(paths[0])
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	records, _ := all(t, paths[0])
	for i := range records {
		rec, err := f.ReadAt(records[i].Pos, records[i].Len)
		if err != nil || rec.Seq != records[i].Seq || !bytes.Equal(rec.Data, records[i].Data) {
			t.Fatalf("record %d: %v", records[i].Seq, err)
		}
	}
}
