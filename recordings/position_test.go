package recordings

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The position goes from somewhere near the beginning to the size of all that there is.
func TestPosition(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.jsonl")
	line := `{"t_ms":1,"dir":"c2s","raw":"` + strings.Repeat("a", 1000) + "\"}\n"
	whole := strings.Repeat(line, 1000)
	if err := os.WriteFile(path, []byte(whole), 0o600); err != nil {
		t.Fatal(err)
	}
	r, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	last := int64(0)
	for n := 0; ; n++ {
		if _, err := r.Next(); err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		at, size := r.Position()
		if size != int64(len(whole)) || at < last || at > size {
			t.Fatalf("after record %d: %d of %d, before that %d", n, at, size, last)
		}
		if n == 100 && at > size/2 {
			t.Fatalf("after a tenth of the records %d of %d", at, size)
		}
		last = at
	}
	if last != int64(len(whole)) {
		t.Errorf("at the end: %d of %d", last, len(whole))
	}
	stream, err := NewReader(bytes.NewReader([]byte(whole)), "x")
	if err != nil {
		t.Fatal(err)
	}
	if at, size := stream.Position(); at != 0 || size != 0 {
		t.Errorf("of a stream: %d of %d", at, size)
	}
}

// Of a recording in segments all of them count, whichever is opened.
func TestPositionInSegments(t *testing.T) {
	paths, _ := segmentedRun(t, 2000, 60)
	if len(paths) < 3 {
		t.Fatalf("%d segments", len(paths))
	}
	var whole int64
	for _, path := range paths {
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		whole += info.Size()
	}
	r, err := Open(paths[1])
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	last := int64(0)
	for {
		if _, err := r.Next(); err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		at, size := r.Position()
		if size != whole || at < last {
			t.Fatalf("%d of %d, before that %d; all segments are %d", at, size, last, whole)
		}
		last = at
	}
	if last != whole {
		t.Errorf("at the end: %d of %d", last, whole)
	}
}
