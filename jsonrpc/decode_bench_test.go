package jsonrpc

import (
	"fmt"
	"strings"
	"testing"
)

func BenchmarkDecode(b *testing.B) {
	text := strings.Repeat(`{\"row\":17,\"name\":\"a name\"} `, 35_000)
	rows := strings.Repeat(`{"id":12,"name":"a name","tags":["x","y"],"price":12.5},`, 18_000)
	for _, bench := range []struct{ name, line string }{
		{"request", `{"jsonrpc":"2.0","id":1234,"method":"tools/call","params":{"name":"echo","arguments":{"message":"hello"},"_meta":{"progressToken":12}}}`},
		{"notification", `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":12,"progress":3,"total":10}}`},
		{"result", `{"result":{"content":[{"type":"text","text":"Echo: hello"}]},"jsonrpc":"2.0","id":1234}`},
		{"error", `{"jsonrpc":"2.0","id":1234,"error":{"code":-32602,"message":"Unknown tool: x"}}`},
		{"text-1MB", `{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"` + text + `"}]}}`},
		{"rows-1MB", `{"jsonrpc":"2.0","id":1,"result":{"structuredContent":{"rows":[` + strings.TrimSuffix(rows, ",") + `]}}}`},
		{"duplicate-1MB", `{"jsonrpc":"2.0","id":1,"id":1,"result":{"structuredContent":{"rows":[` + strings.TrimSuffix(rows, ",") + `]}}}`},
	} {
		b.Run(bench.name, func(b *testing.B) {
			data := []byte(bench.line)
			b.SetBytes(int64(len(data)))
			b.ReportAllocs()
			for b.Loop() {
				if m := Decode(data); m.Kind == Invalid {
					b.Fatal(m.Reason)
				}
			}
		})
	}
}

func BenchmarkLookup(b *testing.B) {
	data := []byte(`{"name":"echo","arguments":{"message":"hello"},"_meta":{"progressToken":12}}`)
	b.ReportAllocs()
	for b.Loop() {
		if _, ok := Lookup(data, "_meta", "progressToken"); !ok {
			b.Fatal("not found")
		}
	}
}

func BenchmarkFramer(b *testing.B) {
	for _, limit := range []int{0, 256 << 10} {
		b.Run(fmt.Sprint("limit-", limit), func(b *testing.B) {
			chunk := []byte(strings.Repeat(strings.Repeat("x", 149)+"\n", 400)) // not a whole number of chunks of a pipe
			f := NewFramer(limit)
			b.SetBytes(int64(len(chunk)))
			b.ReportAllocs()
			for b.Loop() {
				f.Push(chunk[:len(chunk)-7])
				for _, ok := f.Next(); ok; _, ok = f.Next() {
				}
				f.Push(chunk[len(chunk)-7:])
				for _, ok := f.Next(); ok; _, ok = f.Next() {
				}
			}
		})
	}
}
