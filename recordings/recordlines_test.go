package recordings

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/shakescope/shakescope/jsonrpc"
)

// linesOf reads the lines of a file.
func linesOf(t *testing.T, path string) []string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(string(text), "\n")
}

// wantLines holds the line of each record against what it must begin with, and [RecordLines] against the records.
func wantLines(t *testing.T, path string, begins func(rec *Record) []string) []Record {
	t.Helper()
	records, _ := all(t, path)
	var lines RecordLines
	for i := range records {
		lines.Add(&records[i])
	}
	for i := range records {
		rec := &records[i]
		if rec.Seq == 0 {
			continue
		}
		if file, line := lines.Of(rec.Seq); line != rec.Line || file != rec.File && line > 0 {
			t.Errorf("record %d is on line %d of %q, and said to be on %d of %q", rec.Seq, rec.Line, rec.File, line, file)
		}
		file := path
		if rec.File != "" {
			file = filepath.Join(filepath.Dir(path), rec.File)
		}
		found := linesOf(t, file)
		if rec.Line < 1 || rec.Line > int64(len(found)) {
			t.Errorf("record %d is on line %d of %d", rec.Seq, rec.Line, len(found))
			continue
		}
		line := found[rec.Line-1]
		if !slices.ContainsFunc(begins(rec), func(s string) bool { return strings.Contains(line, s) }) {
			t.Errorf("record %d is not what stands on line %d: %.100s", rec.Seq, rec.Line, line)
		}
	}
	return records
}

func ofNative(rec *Record) []string {
	if len(rec.Data) > 256<<10 { // in parts, of which only the last has the number
		return []string{`{"part":0,`}
	}
	return []string{fmt.Sprintf(`{"seq":%d,`, rec.Seq)}
}

func TestLinesOfSegments(t *testing.T) {
	paths, _ := segmentedRun(t, 4000, 60)
	for _, path := range []string{paths[0], paths[1]} {
		files := map[string]bool{}
		for _, rec := range wantLines(t, path, ofNative) {
			files[rec.File] = true
		}
		if len(files) != len(paths) {
			t.Errorf("%d files of %d have lines", len(files), len(paths))
		}
	}
	// A recording of one file names none.
	for _, rec := range wantLines(t, filepath.Join("samples", "legacy.jsonl"), ofNative) {
		if rec.File != "" {
			t.Fatalf("record %d is of the segment %s", rec.Seq, rec.File)
		}
	}
	// A missing segment stands nowhere.
	if err := os.Remove(paths[1]); err != nil {
		t.Fatal(err)
	}
	records, _ := all(t, paths[0])
	var lines RecordLines
	nowhere := 0
	for i := range records {
		if lines.Add(&records[i]); records[i].Seq > 0 && records[i].Line == 0 {
			nowhere++
			if _, line := lines.Of(records[i].Seq); line != 0 {
				t.Errorf("the gap is on line %d", line)
			}
		}
	}
	if nowhere != 1 {
		t.Errorf("%d records stand nowhere", nowhere)
	}
}

func TestLinesOfParts(t *testing.T) {
	path := filepath.Join(t.TempDir(), "run.jsonl")
	r, err := CreateAt(path, Header{}, RecorderOptions{})
	if err != nil {
		t.Fatal(err)
	}
	long := `{"jsonrpc":"2.0","id":1,"result":"` + strings.Repeat("x", 700<<10) + `"}` + "\n"
	for i := range 3 {
		r.Chunk(Stdin, numbered(i))
		r.Chunk(Stdout, []byte(long[:600<<10]))
		r.Chunk(Stdin, numbered(i+10))
		r.Chunk(Stdout, []byte(long[600<<10:]))
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	parts := 0
	text := linesOf(t, path)
	for _, rec := range wantLines(t, path, ofNative) {
		if rec.Line > 0 && strings.HasPrefix(text[rec.Line-1], `{"part"`) {
			parts++
		}
	}
	if parts != 3 {
		t.Errorf("%d records begin with a part", parts)
	}

	// Damage, blank lines and a torn end move lines, and do not lose them.
	text = slices.Insert(text, 2, "", "garbage", "{")
	text = append(text[:len(text)-2], `{"seq":999,"t":1,"s":"in","ms`)
	if err := os.WriteFile(path, []byte(strings.Join(text, "\n")), 0o600); err != nil {
		t.Fatal(err)
	}
	wantLines(t, path, ofNative)

	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	z.Write([]byte(strings.Join(text, "\n")))
	z.Close()
	if err := os.WriteFile(path+".gz", packed.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	records, _ := all(t, path+".gz")
	var lines RecordLines
	for i := range records {
		lines.Add(&records[i])
		if records[i].Line != 0 {
			t.Fatal("a compressed file has lines")
		}
	}
	if _, ok := lines.First(); ok || len(records) == 0 {
		t.Error("a compressed file begins on a line")
	}
}

func TestLinesOfWireLogs(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log.jsonl")
	text := strings.Join([]string{
		`{"meta":{}}`,
		`{"t_ms":1,"dir":"c2s","raw":"one"}`,
		``,
		`{"t_ms":2,"dir":"c2s","raw":"two\nthree\nfour"}`,
		`{"t_ms":3,"dir":"s2c","raw":"fi","eol":""}`,
		`{"t_ms":4,"dir":"c2s","raw":"six"}`,
		`no line of a log`,
		`{"t_ms":5,"dir":"s2c","raw":"ve"}`,
		`{"t_ms":6,"event":"client_closed_stdin"}`,
		`{"t_ms":7,"dir":"s2c","raw":"seven","eol":""}`,
	}, "\n")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	records := wantLines(t, path, func(rec *Record) []string {
		if rec.Kind == EventRecord {
			return []string{rec.Event.Name}
		}
		return []string{string(rec.Data[:2])}
	})
	var at []string
	for _, rec := range records {
		at = append(at, fmt.Sprintf("%s:%d", rec.Data, rec.Line))
	}
	if got, want := strings.Join(at, " "), "one:2 two:4 three:4 four:4 five:5 six:6 :9 seven:10"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// A message of a foreign log begins on the line that is said, however many lines it takes.
func TestLinesOfForeignLogs(t *testing.T) {
	paths, err := filepath.Glob(filepath.Join("testdata", "foreign", "*"))
	if err != nil {
		t.Fatal(err)
	}
	messages := 0
	for _, path := range paths {
		r, err := Open(path)
		if err != nil {
			continue // the streams of one log are no log each
		}
		text := linesOf(t, path)
		for _, rec := range drain(t, r.Next) {
			m := jsonrpc.Decode(rec.Data)
			if m.Method == "" || rec.Line == 0 {
				if rec.Line == 0 && r.Format() != Pcapng && !r.packed {
					t.Errorf("%s: record %d has no line", path, rec.Seq)
				}
				continue
			}
			messages++
			var b balance
			entry, open := "", true
			for _, line := range text[rec.Line-1:] {
				entry += line + "\n"
				if from := strings.IndexByte(line, '{'); open && from >= 0 || !open {
					line = line[max(from, 0):]
				}
				if b.feed([]byte(line)) >= 0 {
					open = false
					break
				}
			}
			if !strings.Contains(entry, m.Method) && !strings.Contains(entry, strings.ReplaceAll(m.Method, "/", `\/`)) {
				t.Errorf("%s: %s is not what begins on line %d: %.100s", path, m.Method, rec.Line, entry)
			}
		}
		r.Close()
	}
	if messages < 50 {
		t.Errorf("%d messages were looked at", messages)
	}
}
