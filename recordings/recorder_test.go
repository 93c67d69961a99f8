package recordings

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/shakescope/shakescope/jsonrpc"
)

// clock is a clock that tests move.
type clock struct{ now atomic.Int64 }

func (c *clock) read() time.Duration { return time.Duration(c.now.Load()) }

func (c *clock) move(d time.Duration) { c.now.Add(int64(d)) }

// record returns the recording that a Recorder makes of what feed does.
func record(t testing.TB, o RecorderOptions, feed func(*Recorder)) []byte {
	t.Helper()
	var b bytes.Buffer
	r := NewRecorder(&b, Header{Start: time.Unix(1, 0).UTC(), Command: []string{"server"}}, o)
	feed(r)
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// readAll returns copies of all records.
func readAll(t testing.TB, file []byte) ([]Record, *Reader) {
	t.Helper()
	r, err := NewReader(bytes.NewReader(file), "test")
	if err != nil {
		t.Fatalf("%v\n%.500s", err, file)
	}
	var all []Record
	for {
		rec, err := r.Next()
		if err == io.EOF {
			return all, r
		}
		if err != nil {
			t.Fatal(err)
		}
		c := *rec
		c.Data = bytes.Clone(rec.Data)
		all = append(all, c)
	}
}

// bytesOf joins what the records hold of a stream.
func bytesOf(all []Record, s Stream) []byte {
	var b []byte
	for i := range all {
		if all[i].Kind == FrameRecord && all[i].Stream == s {
			b = append(append(b, all[i].Data...), all[i].EOL...)
		}
	}
	return b
}

func endOf(t testing.TB, all []Record) *End {
	t.Helper()
	last := all[len(all)-1]
	if last.Kind != EndRecord {
		t.Fatalf("the last record is no end: %+v", last)
	}
	return last.End
}

func checkSums(t testing.TB, end *End, streams map[Stream][]byte) {
	t.Helper()
	for s := Stdin; s <= Stderr; s++ {
		sum := sha256.Sum256(streams[s])
		got := end.Streams[streamNames[s]]
		if got.Bytes != int64(len(streams[s])) || got.SHA256 != hex.EncodeToString(sum[:]) {
			t.Errorf("stream %s: end record says %d bytes, %s; want %d, %x", streamNames[s], got.Bytes, got.SHA256, len(streams[s]), sum)
		}
	}
}

func TestRecordedLines(t *testing.T) {
	c := &clock{}
	file := record(t, RecorderOptions{Clock: c.read}, func(r *Recorder) {
		c.move(10)
		r.Chunk(Stdin, []byte(`{"jsonrpc":"2.0","id":1,"method":"ping"}`+"\n"))
		c.move(10)
		r.Chunk(Stdout, []byte(`{"jsonrpc":"2.0",`))
		r.Chunk(Stderr, []byte("{\"a\":1}\nwarning \x1b\"\\\xff\n"))
		c.move(10)
		r.Chunk(Stdout, []byte(`"id":1,"result":{}}`+"\r\n"+`{"jsonrpc":"2.0","id":"a","error":{"code":-1,"message":"no"}}`+"\n"))
		r.Chunk(Stdout, []byte(" {\"jsonrpc\":\"2.0\"}\nhé\t\n\n{\"jsonrpc\":\"2.0\",\"method\":\"m\"}"))
		c.move(10)
		code := 3
		r.EndStream(Stdout)
		r.Event(Event{Name: "exit", Code: &code})
		c.move(10)
	})
	want := `{"shakescope":1,"start":"1970-01-01T00:00:01Z","command":["server"]}
{"seq":1,"t":10,"s":"in","id":1,"method":"ping","msg":{"jsonrpc":"2.0","id":1,"method":"ping"}}
{"seq":2,"t":20,"s":"err","msg":{"a":1}}
{"seq":3,"t":20,"s":"err","b64":"d2FybmluZyAbIlz/"}
{"seq":4,"t":30,"t0":20,"s":"out","eol":"\r\n","id":1,"msg":{"jsonrpc":"2.0","id":1,"result":{}}}
{"seq":5,"t":30,"s":"out","id":"a","error":true,"msg":{"jsonrpc":"2.0","id":"a","error":{"code":-1,"message":"no"}}}
{"seq":6,"t":30,"s":"out","text":" {\"jsonrpc\":\"2.0\"}"}
{"seq":7,"t":30,"s":"out","text":"hé\t"}
{"seq":8,"t":30,"s":"out","text":""}
{"seq":9,"t":40,"t0":30,"s":"out","partial":true,"method":"m","msg":{"jsonrpc":"2.0","method":"m"}}
{"seq":10,"t":40,"event":{"name":"exit","code":3}}
`
	got := string(file)
	if !strings.HasPrefix(got, want) {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	all, _ := readAll(t, file)
	end := endOf(t, all)
	if f := end.Streams["out"].Frames; f != 6 {
		t.Errorf("%d frames of stdout, want 6", f)
	}
	if c := end.Cache; c.State != Crashed || c.Messages != (Messages{1, 3}) || *c.Exit.Code != 3 {
		t.Errorf("cache %+v", c)
	}
}

// TestRoundTrip records streams cut into chunks of any size and reads the same bytes again.
func TestRoundTrip(t *testing.T) {
	for seed := range uint64(12) {
		rnd := rand.New(rand.NewPCG(seed, 1))
		streams := map[Stream][]byte{}
		for s := Stdin; s <= Stderr; s++ {
			streams[s] = randomStream(rnd)
		}
		file := record(t, RecorderOptions{}, func(r *Recorder) { feedCut(rnd, r, streams) })
		all, r := readAll(t, file)
		if len(r.Damage()) > 0 {
			t.Fatalf("seed %d: damage %v", seed, r.Damage())
		}
		for s := Stdin; s <= Stderr; s++ {
			if got := bytesOf(all, s); !bytes.Equal(got, streams[s]) {
				t.Fatalf("seed %d: stream %d differs: %d bytes, want %d", seed, s, len(got), len(streams[s]))
			}
		}
		end := endOf(t, all)
		checkSums(t, end, streams)
		var seq int64
		var last time.Duration
		for _, rec := range all[:len(all)-1] {
			if rec.Seq != seq+1 || rec.T < last || rec.T0 > rec.T {
				t.Fatalf("seed %d: record %d at %d, %d after %d at %d", seed, rec.Seq, rec.T, rec.T0, seq, last)
			}
			seq, last = rec.Seq, rec.T
		}
	}
}

// feedCut feeds the streams in chunks of random sizes, interleaved.
func feedCut(rnd *rand.Rand, r *Recorder, streams map[Stream][]byte) {
	rest := map[Stream][]byte{}
	for s, b := range streams {
		rest[s] = b
	}
	for len(rest[Stdin])+len(rest[Stdout])+len(rest[Stderr]) > 0 {
		s := Stdin + Stream(rnd.IntN(3))
		n := min(len(rest[s]), 1+rnd.IntN(1<<rnd.IntN(17)))
		chunk := bytes.Clone(rest[s][:n])
		r.Chunk(s, chunk)
		clear(chunk) // it is the caller's again
		rest[s] = rest[s][n:]
	}
}

// randomStream returns lines of all kinds.
func randomStream(rnd *rand.Rand) []byte {
	var b []byte
	for range rnd.IntN(40) {
		switch rnd.IntN(9) {
		case 0:
			b = append(b, "\r\r"...)
		case 1:
			b = append(b, `{"jsonrpc":"2.0","id":1,"result":{"a":[1,2,{"b":"\ud800\n"}]}}`...)
		case 2:
			for range rnd.IntN(100) {
				b = append(b, byte(rnd.Uint32()))
			}
		case 3:
			b = append(b, strings.Repeat("é漢🙂", rnd.IntN(40_000))...)
		case 4:
			b = append(append(append(b, `{"x":"`...), bytes.Repeat([]byte{'y'}, maxVerbatim-12+rnd.IntN(8))...), `"}`...)
		case 5:
			b = append(b, bytes.Repeat([]byte{'['}, 490+rnd.IntN(20))...)
		case 6:
			b = append(b, "{\"a\":\r1}\x00\x7f\u2028"...)
		default:
			b = append(b, `{"jsonrpc":"2.0","method":"notifications/message","params":{"data":"x"}}`...)
		}
		b = append(b, []string{"\n", "\r\n", "\n", "\n", ""}[rnd.IntN(5)]...)
	}
	return b
}

func TestCreate(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "b")
	r, err := Create(dir, NewHeader([]string{"server", "--flag"}), RecorderOptions{})
	if err != nil {
		t.Fatal(err)
	}
	r.Chunk(Stdin, []byte("x\n"))
	if r.Path() != filepath.Join(dir, r.ID()+".jsonl") {
		t.Errorf("path %s, id %s", r.Path(), r.ID())
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	if err := r.Close(); err != nil {
		t.Error(err)
	}
	r.Chunk(Stdin, []byte("late\n")) // must do nothing
	r.Event(Event{Name: "late"})
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 {
		t.Errorf("folder holds %v, %v", entries, err)
	}
	file, err := os.ReadFile(r.Path())
	if err != nil {
		t.Fatal(err)
	}
	all, reader := readAll(t, file)
	if len(all) != 2 || reader.Header().PID != os.Getpid() || reader.Header().Command[1] != "--flag" {
		t.Errorf("%+v, %+v", all, reader.Header())
	}
}

func TestCreateAtTakesAFreeName(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new", "run.jsonl")
	for _, want := range []string{path, path + "-2", path + "-3"} {
		r, err := CreateAt(path, Header{}, RecorderOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if r.Path() != want {
			t.Errorf("path %s, want %s", r.Path(), want)
		}
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestNoFolder(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Create(filepath.Join(file, "dir"), Header{}, RecorderOptions{}); err == nil {
		t.Error("no error from Create")
	}
	if _, err := CreateAt(filepath.Join(file, "run.jsonl"), Header{}, RecorderOptions{}); err == nil {
		t.Error("no error from CreateAt")
	}
}

// TestUnfinishedLine sees half a line in the file long before its end.
func TestUnfinishedLine(t *testing.T) {
	path := filepath.Join(t.TempDir(), "run.jsonl")
	r, err := CreateAt(path, Header{}, RecorderOptions{})
	if err != nil {
		t.Fatal(err)
	}
	r.Chunk(Stdout, []byte("half a li\xc3"))
	waitFor(t, func() bool {
		file, _ := os.ReadFile(path)
		return bytes.Contains(file, []byte("half a li"))
	})
	r.Chunk(Stdout, []byte("\xa9ne\r"))
	r.Chunk(Stdout, []byte("\nnext"))
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	file, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	all, _ := readAll(t, file)
	if len(all) != 3 {
		t.Fatalf("%d records\n%s", len(all), file)
	}
	line := all[0]
	if string(line.Data) != "half a liéne" || line.EOL != jsonrpc.CRLF || line.Seq != 1 || line.T <= line.T0 {
		t.Errorf("%+v %q", line, line.Data)
	}
	if !all[1].Partial || string(all[1].Data) != "next" {
		t.Errorf("%+v", all[1])
	}
}

// waitFor waits until something holds, and fails the test if it never does.
func waitFor(t testing.TB, ok func() bool) {
	t.Helper()
	for start := time.Now(); !ok(); time.Sleep(time.Millisecond) {
		if time.Since(start) > 10*time.Second {
			t.Fatal("it never came")
		}
	}
}
