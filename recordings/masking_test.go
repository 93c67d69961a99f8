package recordings

import (
	"bytes"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/shakescope/shakescope/jsonrpc"
)

// starMasker masks the word "secret". Of a line with "odd" in it, it cannot tell.
type starMasker struct{}

func (starMasker) Header(h Header) Header {
	h.Label = strings.ReplaceAll(h.Label, "secret", "***")
	return h
}

func (starMasker) Line(_ Stream, line []byte) ([]byte, bool) {
	if bytes.Contains(line, []byte("odd")) {
		return nil, false
	}
	return bytes.ReplaceAll(line, []byte("secret"), []byte("***")), true
}

func (starMasker) Event(e Event) Event {
	e.Reason = strings.ReplaceAll(e.Reason, "secret", "***")
	return e
}

func TestMasked(t *testing.T) {
	long := strings.Repeat("é", 200_000)
	var c clock
	file := record(t, RecorderOptions{Mask: starMasker{}, Clock: c.read}, func(r *Recorder) {
		r.Event(Event{Name: "spawn", Reason: "/secret/server"})
		r.Chunk(Stdin, []byte(`{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":"sec`))
		c.move(time.Second) // a part would have been written by now
		r.Chunk(Stderr, []byte("a secret\r\nnot a line's end: secret"))
		c.move(time.Second)
		r.Chunk(Stdin, []byte(`ret"}}`+"\n"))
		r.Chunk(Stdout, []byte("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"x\":\""+long+"secret\"}}\n"))
		r.Chunk(Stdout, []byte("no JSON, secret\n\n  \n"))
		r.Chunk(Stdout, []byte("{\"a\":\"\xffsecret\"}\r\n"))
		r.Chunk(Stdout, []byte("{\"odd\":\"secret\"}\n"))
		r.Chunk(Stdout, []byte("\xEF\xBB\xBF{\"a\":\"secret\"}\n"))
		r.Chunk(Stdout, []byte("{\"cut\":\"secret"))
	})
	if bytes.Contains(file, []byte("sec")) || bytes.Contains(file, []byte("c2Vj")) {
		t.Fatalf("it is there: %.3000s", bytes.ReplaceAll(file, []byte("é"), nil))
	}
	all, r := readAll(t, file)
	if !r.Header().Redacted {
		t.Error("the header does not say so")
	}
	want := []struct {
		s    Stream
		data string
		eol  jsonrpc.EOL
		why  Withheld
		size int64
	}{
		{Stderr, "a ***", jsonrpc.CRLF, "", 5},
		{Stdin, `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":"***"}}`, jsonrpc.LF, "", 61},
		{Stdout, `{"jsonrpc":"2.0","id":1,"result":{"x":"` + long + `***"}}`, jsonrpc.LF, "", 400_045},
		{Stdout, "", jsonrpc.LF, NotJSON, 15},
		{Stdout, "", jsonrpc.LF, "", 0},
		{Stdout, "  ", jsonrpc.LF, "", 2},
		{Stdout, "", jsonrpc.CRLF, NotUTF8, 15},
		{Stdout, "", jsonrpc.LF, BrokenJSON, 16},
		{Stdout, "\xEF\xBB\xBF{\"a\":\"***\"}", jsonrpc.LF, "", 14},
		{Stdout, "", jsonrpc.None, BrokenJSON, 14},
		{Stderr, "not a line's end: ***", jsonrpc.None, "", 21},
	}
	if all[0].Event == nil || all[0].Event.Reason != "/***/server" {
		t.Errorf("%+v", all[0].Event)
	}
	for i, w := range want {
		rec := &all[i+1]
		if rec.Kind != FrameRecord || rec.Stream != w.s || string(rec.Data) != w.data || rec.EOL != w.eol || rec.Withheld != w.why || rec.Size != w.size || rec.Truncated != (w.why != "") {
			t.Errorf("%d: %d %v %.80q %q %q %d", i, rec.Kind, rec.Stream, rec.Data, rec.EOL, rec.Withheld, rec.Size)
		}
	}
	end := endOf(t, all)
	checkSums(t, end, map[Stream][]byte{Stdin: bytesOf(all, Stdin), Stdout: bytesOf(all, Stdout), Stderr: bytesOf(all, Stderr)})
	v := verify(t, file)
	if !v.Whole || !v.Redacted || v.Withheld != 4 || !strings.Contains(v.Sentence, "4 frames only by length, nothing lost after redaction: this proves what was stored") {
		t.Errorf("%+v", v)
	}
	// An old reader takes a withheld frame for one that was cut.
	if n := bytes.Count(file, []byte(`"truncated":true,"size":`)); n != 4 {
		t.Errorf("%d are truncated", n)
	}
}

// What is too long to be held is counted, not kept, whatever its length.
func TestMaskedTooLong(t *testing.T) {
	const size = 100 << 20
	chunk := bytes.Repeat([]byte("secret-"), 9000)
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	path := filepath.Join(t.TempDir(), "r.jsonl")
	r, err := CreateAt(path, Header{}, RecorderOptions{Mask: starMasker{}})
	if err != nil {
		t.Fatal(err)
	}
	sent := int64(0)
	for sent < size {
		r.Chunk(Stdout, chunk)
		sent += int64(len(chunk))
	}
	r.Chunk(Stdout, []byte("\n{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n"))
	runtime.ReadMemStats(&after)
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	if n := int64(after.HeapSys) - int64(before.HeapSys); n > 60<<20 {
		t.Errorf("the heap has grown by %d bytes", n)
	}
	rd, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer rd.Close()
	rec, err := rd.Next()
	if err != nil || rec.Withheld != TooLong || rec.Size != sent || len(rec.Data) != 0 {
		t.Fatalf("%v, %+v", err, rec)
	}
	if rec, err = rd.Next(); err != nil || rec.Withheld != "" || rec.head.kind != jsonrpc.Response {
		t.Errorf("%v, %+v", err, rec)
	}
	if v, err := Verify(path); err != nil || !v.Whole {
		t.Errorf("%v, %+v", err, v)
	}
}

// A line that a gap cuts in two is told by its length only, both halves of it.
func TestMaskedGap(t *testing.T) {
	gate := &gateWriter{open: make(chan struct{})}
	r := NewRecorder(gate, Header{}, RecorderOptions{Mask: starMasker{}, Buffer: 64})
	whole := 0
	for range 3 {
		r.Chunk(Stdout, []byte("{\"a\":\"secret secret secret secret secret\"}\n"))
		whole++
	}
	for range 20 {
		r.Chunk(Stdout, []byte(`{"half of it":"secret" `))
	}
	close(gate.open)
	for r.buf.stalledFor() > 0 || !r.buf.empty() {
		time.Sleep(time.Millisecond)
	}
	r.Chunk(Stdout, []byte("secret}\n{\"b\":\"secret\"}\n"))
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	file := gate.Bytes()
	if bytes.Contains(file, []byte("secret")) {
		t.Fatalf("it is there: %s", file)
	}
	all, _ := readAll(t, file)
	gaps, cut := 0, 0
	for i := range all {
		if all[i].Kind == GapRecord {
			gaps++
		}
		if all[i].Withheld == CutByGap {
			cut++
		}
	}
	if gaps == 0 || cut == 0 {
		t.Errorf("%d gaps, %d cut lines: %s", gaps, cut, file)
	}
	if v := verify(t, file); v.Whole || len(v.Damaged) > 0 || !strings.Contains(v.Sentence, "not whole: ") {
		t.Error(v.Sentence)
	}
}

// gateWriter takes nothing until it is opened.
type gateWriter struct {
	bytes.Buffer
	open chan struct{}
}

func (w *gateWriter) Write(p []byte) (int, error) {
	<-w.open
	return w.Buffer.Write(p)
}
