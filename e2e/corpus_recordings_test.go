package e2e

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/shakescope/shakescope/recordings"
)

// streamsOf reads what went over the wire in a log, independently of the reader under test.
func streamsOf(t *testing.T, path string) (streams map[string][]byte, events int) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	streams = make(map[string][]byte)
	d := json.NewDecoder(bytes.NewReader(text))
	for {
		var l struct {
			wireLine
			Partial bool `json:"partial"`
		}
		if err := d.Decode(&l); err == io.EOF {
			return streams, events
		} else if err != nil {
			t.Fatal(err)
		}
		if l.Event != "" {
			events++
		}
		if l.Dir == "" {
			continue
		}
		var line []byte
		if l.Raw != nil {
			line = []byte(*l.Raw)
		} else if line, err = base64.StdEncoding.DecodeString(l.RawB64); err != nil {
			t.Fatal(err)
		}
		switch {
		case l.Partial:
		case l.EOL != nil:
			line = append(line, *l.EOL...)
		default:
			line = append(line, '\n')
		}
		streams[l.Dir] = append(streams[l.Dir], line...)
	}
}

// contents reads a recording to its end.
func contents(t *testing.T, path string) (streams map[string][]byte, events int, seqs []int64) {
	t.Helper()
	r, err := recordings.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	streams = make(map[string][]byte)
	for {
		rec, err := r.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		switch rec.Kind {
		case recordings.FrameRecord:
			name := map[recordings.Stream]string{recordings.Stdin: "c2s", recordings.Stdout: "s2c", recordings.Stderr: "stderr"}[rec.Stream]
			streams[name] = append(append(streams[name], rec.Data...), rec.EOL...)
		case recordings.EventRecord:
			events++
		}
		if rec.Seq > 0 {
			seqs = append(seqs, rec.Seq)
		}
	}
	if len(r.Damage()) > 0 {
		t.Errorf("damage %v", r.Damage())
	}
	return streams, events, seqs
}

// TestTranscriptsThroughForms reads every transcript, imports it, and writes it as a wire log again:
// the bytes of each stream and the events stay, and the native form keeps the numbers.
func TestTranscriptsThroughForms(t *testing.T) {
	for _, path := range corpusTranscripts(t) {
		t.Run(filepath.Base(path), func(t *testing.T) {
			want, events := streamsOf(t, path)
			dir := t.TempDir()
			native, wire := filepath.Join(dir, "native.jsonl"), filepath.Join(dir, "wire.jsonl")
			src, err := recordings.Open(path)
			if err != nil {
				t.Fatal(err)
			}
			defer src.Close()
			if err := recordings.Import(native, src); err != nil {
				t.Fatal(err)
			}
			again, err := recordings.Open(native)
			if err != nil {
				t.Fatal(err)
			}
			defer again.Close()
			out, err := os.Create(wire)
			if err != nil {
				t.Fatal(err)
			}
			defer out.Close()
			if err := recordings.WriteWire(out, again); err != nil {
				t.Fatal(err)
			}
			var numbers []int64
			for _, form := range []string{path, native, wire} {
				got, n, seqs := contents(t, form)
				for _, dir := range []string{"c2s", "s2c", "stderr"} {
					if !bytes.Equal(got[dir], want[dir]) {
						t.Errorf("%s: %s: %d bytes, want %d", filepath.Base(form), dir, len(got[dir]), len(want[dir]))
					}
				}
				if n != events {
					t.Errorf("%s: %d events, want %d", filepath.Base(form), n, events)
				}
				if form == native && len(seqs) != len(numbers) {
					t.Errorf("%d records, want %d", len(seqs), len(numbers))
				}
				for i := range seqs {
					if form == native && seqs[i] != numbers[i] {
						t.Fatalf("record %d became %d", numbers[i], seqs[i])
					}
				}
				numbers = seqs
			}
			v, err := recordings.Verify(native)
			if err != nil {
				t.Fatal(err)
			}
			if v.Whole || len(v.Problems) != 1 {
				t.Errorf("%s", v.Sentence)
			}
			for name, s := range v.Streams {
				if s.SHA256 != s.RecordedSHA256 {
					t.Errorf("%s: %+v", name, s)
				}
			}
		})
	}
}
