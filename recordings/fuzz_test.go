package recordings

import (
	"bytes"
	"encoding/binary"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/shakescope/shakescope/jsonrpc"
)

// FuzzRoundTrip cuts any bytes into any chunks of any streams: what is read is what was recorded,
// the recording verifies, and so does what becomes of it as a wire log.
func FuzzRoundTrip(f *testing.F) {
	f.Add([]byte("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n\r\n\xff\r"), []byte{3, 0, 17, 1, 1, 2})
	f.Add([]byte("[1,\r2]\n\"\\ud800\"\n 1 \n\xef\xbb\xbf{}\n"), []byte{1})
	f.Add(bytes.Repeat([]byte("漢\r\n"), 30), []byte{2, 5})
	f.Add([]byte("{\"a\":{\"seq\":1,\"t\":2}}\n{\"seq\":1}\n"), []byte{40})
	f.Fuzz(func(t *testing.T, data, cuts []byte) {
		streams := map[Stream][]byte{}
		file := record(t, RecorderOptions{}, func(r *Recorder) {
			for i := 0; len(data) > 0; i++ {
				n, s := len(data), Stdin
				if len(cuts) > 0 {
					cut := int(cuts[i%len(cuts)])
					n, s = min(n, 1+cut*cut/3), Stdin+Stream(cut+i)%3
				}
				r.Chunk(s, data[:n])
				streams[s] = append(streams[s], data[:n]...)
				data = data[n:]
			}
		})
		all, r := readAll(t, file)
		if len(r.Damage()) > 0 {
			t.Fatalf("damage %v\n%q", r.Damage(), file)
		}
		checkSums(t, endOf(t, all), streams)
		for s := Stdin; s <= Stderr; s++ {
			if got := bytesOf(all, s); !bytes.Equal(got, streams[s]) {
				t.Fatalf("stream %d\n%q\nwant\n%q", s, got, streams[s])
			}
		}
		if v := verify(t, file); !v.Whole {
			t.Fatalf("%s\n%q", v.Sentence, file)
		}
		checkWire(t, file, streams)
	})
}

// checkWire writes a recording as a wire log, imports that, and compares bytes and times.
func checkWire(t *testing.T, file []byte, streams map[Stream][]byte) {
	t.Helper()
	src, err := NewReader(bytes.NewReader(file), "src")
	if err != nil {
		t.Fatal(err)
	}
	var log, again bytes.Buffer
	if err := WriteWire(&log, src); err != nil {
		t.Fatal(err)
	}
	if src, err = NewReader(bytes.NewReader(log.Bytes()), "log"); err != nil {
		t.Fatal(err)
	}
	if err := WriteNative(&again, src); err != nil {
		t.Fatal(err)
	}
	before, _ := readAll(t, file)
	after, r := readAll(t, again.Bytes())
	if r.Header().Imported == nil || r.Header().Imported.Format != "wire" {
		t.Errorf("header %+v", r.Header())
	}
	checkSums(t, endOf(t, after), streams)
	var times [2][]Record
	for i, all := range [][]Record{before, after} {
		for _, rec := range all {
			if rec.Kind == FrameRecord {
				times[i] = append(times[i], rec)
			}
		}
	}
	if len(times[0]) != len(times[1]) {
		t.Fatalf("%d frames before, %d after\n%s", len(times[0]), len(times[1]), log.Bytes())
	}
	for i := range times[0] {
		a, b := &times[0][i], &times[1][i]
		if a.T != b.T || a.Stream != b.Stream || a.EOL != b.EOL || a.Partial != b.Partial || !bytes.Equal(a.Data, b.Data) {
			t.Fatalf("%s\nbecame\n%s", brief(a), brief(b))
		}
	}
}

// FuzzReader reads any file: it never panics and always ends.
func FuzzReader(f *testing.F) {
	for name := range samples {
		file, err := os.ReadFile("samples/" + name + ".jsonl")
		if err != nil {
			f.Fatal(err)
		}
		f.Add(file)
	}
	f.Add(sampleCapture(binary.LittleEndian))
	f.Add(sampleCapture(binary.BigEndian))
	f.Add([]byte(`{"t_ms":1,"dir":"c2s","raw":"a\nb","eol":""}` + "\n" + `{"t_ms":2,"event":"client_closed_stdin"}`))
	f.Add([]byte("{\"shakescope\":1}\n{\"part\":7,\"t\":1,\"s\":\"in\",\"text\":\"x\"}\n{\"seq\":5,\"t\":1,\"s\":\"in\",\"part\":3,\"b64\":\"AA==\"}\n"))
	f.Add([]byte("{\"shakescope\":1}\n{\"seq\":1,\"t\":1,\"s\":\"in\",\"msg\":{\"a\":{\"seq\":1,\"t\":1,\"s\":\"in\",\"msg\":{}}\n\n{\"seq\":2,\"t\":1,\"gap\":{}}\n"))
	f.Add([]byte("{\"shakescope\":1,\"previous\":\"x.jsonl\",\"segment\":2}\n{\"t\":9,\"context\":{\"before\":{\"streams\":{\"in\":{\"frames\":1,\"bytes\":3}},\"gaps\":1,\"cache\":{\"messages\":{\"client\":1,\"server\":0}}},\"frames\":[{\"s\":\"in\",\"seq\":1,\"t\":1,\"msg\":{}}]}}\n{\"part\":2,\"t\":9,\"s\":\"out\",\"text\":\"x\"}\n{\"t\":10,\"next\":\"x.3.jsonl\"}\n"))
	f.Fuzz(func(t *testing.T, file []byte) {
		r, err := NewReader(bytes.NewReader(file), "fuzz")
		if err != nil {
			return
		}
		if r.Header() == nil {
			t.Fatal("no header")
		}
		for n := 0; ; n++ {
			rec, err := r.Next()
			if err == io.EOF {
				break
			}
			if err != nil {
				return
			}
			if n > len(file) {
				t.Fatal("more records than bytes")
			}
			if rec.Kind == FrameRecord && (rec.Stream == Control || rec.Size < int64(len(rec.Data))) {
				t.Fatalf("%+v", rec)
			}
		}
		verify(t, file)
	})
}

// FuzzSegments records in files of any size: from whichever one is read, all is there, and any of them
// alone can be read.
func FuzzSegments(f *testing.F) {
	f.Add(bytes.Repeat([]byte("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}\n"), 40), []byte{9, 30}, uint16(500), byte(1))
	f.Add([]byte(initAsked+initTold+inited+listAsked+listTold), []byte{7}, uint16(0), byte(2))
	f.Add(bytes.Repeat([]byte("no end \xff\r"), 300), []byte{20, 3}, uint16(200), byte(0))
	f.Fuzz(func(t *testing.T, data, cuts []byte, size uint16, which byte) {
		// Some ten files say as much as thousands, which take minutes.
		data = data[:min(len(data), 8<<10)]
		most := 800 + int64(size)/8 + int64(len(data))*8
		first := filepath.Join(t.TempDir(), "run.jsonl")
		r, err := CreateAt(first, Header{}, RecorderOptions{MaxSize: most})
		if err != nil {
			t.Fatal(err)
		}
		streams := map[Stream][]byte{}
		for i := 0; len(data) > 0; i++ {
			n, s := len(data), Stdin
			if len(cuts) > 0 {
				cut := int(cuts[i%len(cuts)])
				n, s = min(n, 1+cut*cut/3), Stdin+Stream(cut+i)%3
			}
			r.Chunk(s, data[:n])
			streams[s] = append(streams[s], data[:n]...)
			data = data[n:]
		}
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
		paths := segmentFiles(t, first)
		path := paths[int(which)%len(paths)]
		records, reader := all(t, path)
		if len(reader.Damage()) > 0 {
			t.Fatalf("damage %v", reader.Damage())
		}
		checkSums(t, endOf(t, records), streams)
		for s := Stdin; s <= Stderr; s++ {
			if got := bytesOf(records, s); !bytes.Equal(got, streams[s]) {
				t.Fatalf("stream %d\n%q\nwant\n%q", s, got, streams[s])
			}
		}
		if v, err := Verify(path); err != nil || !v.Whole || v.Segments != len(paths) {
			t.Fatalf("%+v, %v", v, err)
		}
		alone, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if _, reader := readAll(t, alone); len(reader.Damage()) > len(reader.Missing()) {
			t.Fatalf("alone: damage %v", reader.Damage())
		}
	})
}

// FuzzScan compares the short way to look at a message with the long one.
func FuzzScan(f *testing.F) {
	for _, text := range scanTexts {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if bytes.IndexByte(data, '\n') >= 0 {
			return
		}
		checkScan(t, data)
	})
}

var scanTexts = []string{
	`{"jsonrpc":"2.0","id":1,"method":"ping"}`, `{"jsonrpc":"2.0","method":"a"}`, `{"jsonrpc":"2.0","id":"x","result":{}}`,
	`{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":""}}`, `{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":""}}`,
	`{"jsonrpc":"2.0","id":1,"error":{"code":1.5,"message":""}}`, `{"jsonrpc":"2.0","id":1,"error":1,"result":2}`, `{"jsonrpc":"2.0","error":{"code":1,"message":"m"}}`,
	`{"jsonrpc":"2.0","id":null,"method":"a"}`, `{"jsonrpc":"2.0","id":{"a":1},"method":"a"}`, `{"jsonrpc":"2.0","id":[],"result":1}`, `{"jsonrpc":"2.0","id":true,"result":1}`,
	`{"jsonrpc":"2.0","id":1,"id":2,"method":"a"}`, `{"jsonrpc":"2.0","id":1,"\u0069d":2,"method":"a"}`, `{"jsonrpc":"2\u002e0","id":1,"method":"a"}`, `{"jsonrpc":2.0,"method":"a"}`,
	`{"jsonrpc":"2.0","id":1,"method":"a\u0062"}`, `{"jsonrpc":"2.0","id":1,"method":7}`, `{"jsonrpc":"2.0","params":{"id":1,"method":"b","jsonrpc":"x"},"id":-1.5e3,"method":"a"}`,
	`{"jsonrpc":"2.0","id":1}`, `{}`, `[]`, `[{"jsonrpc":"2.0","method":"a"},1]`, `1`, `"a"`, `null`, `-0.1E+2`, `01`, `1.`, `.5`, `-`, `1e`, `tru`, `nul`, `"\x"`, `"\u12"`, "\"\x01\"", `"`, `{"a":1,}`, `[1,]`, `[,1]`, `{"a"}`, `{1:2}`, `{"a":1 "b":2}`,
	"[[[]]]", `{"a":{},"b":[],"id":{}}`, `{"a" : [ 1 , 2 ] , "jsonrpc" : "2.0" , "method" : "m" }`, ` {}`, `{} `, "{\"a\":\r1}", "\"\xff\"", "\xef\xbb\xbf{}", `{}{}`, `"é漢"`, `{"result":1,"result":2,"jsonrpc":"2.0","id":1}`,
	`{"jsonrpc":"2.0", "id":1,"method":"a"}`, "{\"jsonrpc\":\"2.0\",\t\"method\":\"a\"}", `{"jsonrpc":"2.0",}`, `{"jsonrpc":"2.0",`, `{"jsonrpc":"2.0",]`, `{"jsonrpc":"2.0",1}`,
	`{"jsonrpc":"2.0","jsonrpc":"2.0","method":"a"}`, `{"jsonrpc":"2.0","jsonrpc":"1.0","method":"a"}`, `{"jsonrpc":"2.0","":{"id":1}}`,
	`{"jsonrpc":"2.0","id":"` + "\x7f" + `","result":0}`, `{"jsonrpc":"2.0","id":"\ud800","method":"\ud800"}`, `{"jsonrpc":"2.0","id":1,"method":null}`, `{"jsonrpc":"2.0","id":1,"result":null,"error":null}`,
}

func TestScan(t *testing.T) {
	for _, text := range scanTexts {
		checkScan(t, []byte(text))
	}
	for depth, want := range map[int]bool{maxDepth: true, maxDepth + 1: false} {
		for _, pair := range []string{"[]", "{}"} {
			open, end := pair[:1], pair[1:]
			if pair == "{}" {
				open = `{"a":`
			}
			text := bytes.Repeat([]byte(open), depth-1)
			text = append(append(text, pair...), bytes.Repeat([]byte(end), depth-1)...)
			if _, ok := scan(text); ok != want {
				t.Errorf("%d deep in %s: %v", depth, pair, ok)
			}
		}
	}
	if n := testing.AllocsPerRun(100, func() { scan(message[:len(message)-1]) }); n > 0 {
		t.Errorf("%v allocations", n)
	}
}

func checkScan(t *testing.T, data []byte) {
	t.Helper()
	h, ok := scan(data)
	m := jsonrpc.Decode(data)
	if ok {
		if !jsonrpc.Valid(data) || bytes.IndexByte(data, '\r') >= 0 || isSpace(data[0]) || isSpace(data[len(data)-1]) {
			t.Fatalf("%q may not stand verbatim", data)
		}
	} else if len(data) > 0 && len(data) < maxVerbatim && bytes.Count(data, []byte("["))+bytes.Count(data, []byte("{")) <= maxDepth &&
		jsonrpc.Valid(data) && bytes.IndexByte(data, '\r') < 0 && !isSpace(data[0]) && !isSpace(data[len(data)-1]) {
		t.Fatalf("%q could stand verbatim", data)
	}
	if !ok {
		return
	}
	want := m.Kind
	if want == jsonrpc.Blank {
		want = jsonrpc.Invalid
	}
	if h.kind != want {
		t.Fatalf("%q: kind %d, decoding says %d", data, h.kind, want)
	}
	if want == jsonrpc.Invalid || want == jsonrpc.Batch {
		return
	}
	if string(h.id) != m.ID.Raw() || string(h.method) != m.Method {
		t.Fatalf("%q: id %s, method %q; decoding says %s, %q", data, h.id, h.method, m.ID.Raw(), m.Method)
	}
}
