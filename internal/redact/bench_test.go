package redact

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"testing"
)

// benchLines are the messages of the wire log or recording that SHAKESCOPE_BENCH_FILE names.
func benchLines(b *testing.B) (lines [][]byte, size int64) {
	path := os.Getenv("SHAKESCOPE_BENCH_FILE")
	if path == "" {
		b.Skip("set SHAKESCOPE_BENCH_FILE to a recording or a wire log")
	}
	f, err := os.Open(path)
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	in := bufio.NewReaderSize(f, 1<<20)
	for {
		line, err := in.ReadBytes('\n')
		if err != nil {
			break
		}
		var rec struct {
			Raw *string         `json:"raw"`
			Msg json.RawMessage `json:"msg"`
		}
		if json.Unmarshal(line, &rec) != nil {
			continue
		}
		text := bytes.Clone(rec.Msg)
		if rec.Raw != nil {
			text = []byte(*rec.Raw)
		}
		lines, size = append(lines, text), size+int64(len(text))
	}
	return lines, size
}

func BenchmarkLine(b *testing.B) {
	lines, size := benchLines(b)
	b.SetBytes(size)
	b.ResetTimer()
	for range b.N {
		r := New()
		for _, l := range lines {
			r.Line(l)
		}
	}
}
