package recordings

import (
	"bytes"
	"io"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/shakescope/shakescope/jsonrpc"
)

// message is a usual small message: 200 bytes with its LF.
var message = []byte(`{"jsonrpc":"2.0","id":1234,"result":{"content":[{"type":"text","text":"` + string(bytes.Repeat([]byte("lorem ip"), 14)) + `"}],"b":1}}` + "\n")

// BenchmarkRecorder is the whole cost of a message: copying, hashing, checking, framing, writing to
// nowhere. One message a chunk, and many a chunk as they come from a fast sender.
func BenchmarkRecorder(b *testing.B) {
	for _, bench := range []struct {
		name string
		n    int
	}{{"single", 1}, {"batched", 300}} {
		b.Run(bench.name, func(b *testing.B) {
			chunk := bytes.Repeat(message, bench.n)
			r := NewRecorder(io.Discard, Header{}, RecorderOptions{})
			b.SetBytes(int64(len(message)))
			b.ReportAllocs()
			for i := 0; i < b.N; i += bench.n {
				r.Chunk(Stdout, chunk)
			}
			if err := r.Close(); err != nil {
				b.Fatal(err)
			}
		})
	}
}

// A message costs no allocation: only the buffer and the records of a beginning and an end do.
func TestRecorderAllocatesNothingForAMessage(t *testing.T) {
	const batches, batch = 100, 200
	chunk := bytes.Repeat(message, batch)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	r := NewRecorder(io.Discard, Header{}, RecorderOptions{Buffer: 1 << 20})
	for range batches {
		r.Chunk(Stdout, chunk)
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	if n := after.Mallocs - before.Mallocs; n > batches*batch/4 {
		t.Errorf("%d allocations for %d messages", n, batches*batch)
	}
}

func BenchmarkScan(b *testing.B) {
	data := bytes.TrimSpace(message)
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		if h, ok := scan(data); !ok || h.kind != jsonrpc.Response {
			b.Fatal(h, ok)
		}
	}
}

func BenchmarkReader(b *testing.B) {
	var file bytes.Buffer
	r := NewRecorder(&file, Header{}, RecorderOptions{})
	for range 50_000 {
		r.Chunk(Stdout, message)
	}
	if err := r.Close(); err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(file.Len()))
	b.ReportAllocs()
	for b.Loop() {
		r, err := NewReader(bytes.NewReader(file.Bytes()), "")
		if err != nil {
			b.Fatal(err)
		}
		for err == nil {
			_, err = r.Next()
		}
		if err != io.EOF {
			b.Fatal(err)
		}
	}
}

// BenchmarkVerify looks at every byte twice: as JSON, and for the digest.
func BenchmarkVerify(b *testing.B) {
	path := filepath.Join(b.TempDir(), "verify.jsonl")
	r, err := CreateAt(path, Header{}, RecorderOptions{})
	if err != nil {
		b.Fatal(err)
	}
	for range 50_000 {
		r.Chunk(Stdout, message)
	}
	if err := r.Close(); err != nil {
		b.Fatal(err)
	}
	b.SetBytes(50_000 * int64(len(message)))
	b.ReportAllocs()
	for b.Loop() {
		if v, err := Verify(path); err != nil || !v.Whole {
			b.Fatal(v.Sentence, err)
		}
	}
}
