package recordings

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// sink is a file that can stall or fail.
type sink struct {
	mu     sync.Mutex
	b      bytes.Buffer
	writes int
	fail   func(write, size int) (n int, err error) // n < 0: write all
	stall  chan struct{}                            // writes wait for it to be closed
}

func (s *sink) Write(p []byte) (int, error) {
	s.mu.Lock()
	stall := s.stall
	s.mu.Unlock()
	if stall != nil {
		<-stall
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.writes++
	if s.fail != nil {
		if n, err := s.fail(s.writes, len(p)); n >= 0 {
			n = min(n, len(p))
			s.b.Write(p[:n])
			return n, err
		}
	}
	return s.b.Write(p)
}

func (s *sink) bytes() []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	return bytes.Clone(s.b.Bytes())
}

func (s *sink) holdBack() (release func()) {
	c := make(chan struct{})
	s.mu.Lock()
	s.stall = c
	s.mu.Unlock()
	return sync.OnceFunc(func() {
		s.mu.Lock()
		s.stall = nil
		s.mu.Unlock()
		close(c)
	})
}

// logged collects what a Recorder says.
type logged struct {
	mu    sync.Mutex
	lines []string
}

func (l *logged) log(s string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lines = append(l.lines, s)
}

func (l *logged) all() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return append([]string(nil), l.lines...)
}

// checkAccount checks that what is recorded and what is in gaps is all that travelled.
func checkAccount(t *testing.T, file []byte, streams map[Stream][]byte) ([]Record, *Reader) {
	t.Helper()
	all, r := readAll(t, file)
	end := endOf(t, all)
	checkSums(t, end, streams)
	var gaps int64
	lost := map[Stream]int64{}
	frames := map[Stream]int64{}
	for i := range all {
		switch rec := &all[i]; rec.Kind {
		case GapRecord:
			gaps++
			for s := Stdin; s <= Stderr; s++ {
				lost[s] += rec.Gap.Bytes[streamNames[s]]
				frames[s] += rec.Gap.Frames[streamNames[s]]
			}
		case FrameRecord:
			if rec.EOL != "" || rec.Partial {
				frames[rec.Stream]++
			}
			// They are equal where nothing but the line end is in the gap.
			if n := int64(len(rec.Data)); rec.Truncated && rec.Size < n {
				t.Errorf("record %d is truncated and has %d of %d bytes", rec.Seq, n, rec.Size)
			}
		}
		if i > 0 && all[i].Kind != EndRecord && all[i].Seq <= all[i-1].Seq {
			t.Errorf("record %d after %d", all[i].Seq, all[i-1].Seq)
		}
	}
	if gaps != end.Gaps {
		t.Errorf("%d gaps, the end record says %d", gaps, end.Gaps)
	}
	for s := Stdin; s <= Stderr; s++ {
		got, want := int64(len(bytesOf(all, s))), int64(len(streams[s]))
		if got+lost[s] != want {
			t.Errorf("%s: %d bytes recorded + %d lost, %d travelled", streamNames[s], got, lost[s], want)
		}
		if said := end.Streams[streamNames[s]].Frames; frames[s] != said {
			t.Errorf("%s: %d frames recorded or lost, the end record says %d", streamNames[s], frames[s], said)
		}
	}
	return all, r
}

func numbered(i int) []byte {
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%d,"method":"ping","params":{"pad":"%s"}}`+"\n", i, strings.Repeat("x", i%97))
}

// TestFailedWrites fails writes in all ways: the next bytes are LF and a gap, nothing else is lost.
func TestFailedWrites(t *testing.T) {
	failed := errors.New("no space left")
	tests := map[string]func(write, size int) (int, error){
		"nothing written": func(write, _ int) (int, error) { return when(write == 3, 0), failed },
		"some written":    func(write, size int) (int, error) { return when(write == 3, size/2), failed },
		"one byte short":  func(write, size int) (int, error) { return when(write == 3, size-1), failed },
		"no error said":   func(write, size int) (int, error) { return when(write == 3, size/3), nil },
		"header":          func(write, size int) (int, error) { return when(write == 1, size/3), failed },
		"twice":           func(write, size int) (int, error) { return when(write == 3 || write == 4, size/2), failed },
		"gap lost later":  func(write, size int) (int, error) { return when(write == 3 || write == 5 || write == 6, 0), failed },
	}
	for name, fail := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := &sink{fail: fail}
			var said logged
			r := NewRecorder(s, Header{}, RecorderOptions{Log: said.log})
			streams := map[Stream][]byte{}
			send := func(stream Stream, b []byte) {
				r.Chunk(stream, b)
				streams[stream] = append(streams[stream], b...)
			}
			failures := 0
			for i := range 30 {
				send(Stdin, numbered(i))
				send(Stdout, numbered(i))
				if i%10 == 3 {
					send(Stderr, []byte("an unfinished "))
				}
				r.Event(Event{Name: "note", PID: i})
				// Wait until the sink has seen it, so that there are many writes.
				if i < 10 {
					n := s.count()
					waitFor(t, func() bool { return s.count() != n || failures > 0 })
				}
			}
			if err := r.Close(); err == nil || !strings.Contains(err.Error(), "no space left") && name != "no error said" {
				t.Errorf("Close returned %v", err)
			}
			file := s.bytes()
			all, reader := checkAccount(t, file, streams)
			if reader.Header().Format != 1 {
				t.Error("no header")
			}
			events := 0
			for i := range all {
				if all[i].Kind == EventRecord {
					events++
				}
			}
			if events != 30 {
				t.Errorf("%d of 30 events", events)
			}
			if name == "some written" {
				if i := bytes.Index(file, []byte("\n{\"seq\":")); i < 0 || !bytes.Contains(file, []byte(`"gap":{"bytes":`)) {
					t.Errorf("no gap in\n%s", file)
				}
				if len(reader.Damage()) != 1 {
					t.Errorf("damage %+v", reader.Damage())
				}
			}
			waitFor(t, func() bool { return len(said.all()) > 0 })
			if n := said.all(); len(n) != 1 {
				t.Errorf("said %q", n)
			}
		})
	}
}

func when(yes bool, n int) int {
	if yes {
		return n
	}
	return -1
}

func (s *sink) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.writes
}

// TestStall stops the sink until the buffer is full: the callers go on, and so does recording later.
func TestStall(t *testing.T) {
	s := &sink{}
	release := s.holdBack()
	defer release()
	var said logged
	r := NewRecorder(s, Header{}, RecorderOptions{Buffer: 64 << 10, Log: said.log})
	streams := map[Stream][]byte{}
	send := func(stream Stream, b []byte) {
		r.Chunk(stream, b)
		streams[stream] = append(streams[stream], b...)
	}
	for i := range 4000 {
		send(Stdin+Stream(i%3), numbered(i))
	}
	send(Stdout, []byte("begun in the gap, "))
	r.Event(Event{Name: "signal", Signal: "SIGTERM"})
	waitFor(t, func() bool { return len(said.all()) == 1 })
	release()
	waitFor(t, func() bool { return bytes.Contains(s.bytes(), []byte(`"gap":{"bytes"`)) })
	send(Stdout, []byte("ended after it\n"))
	for i := range 100 {
		send(Stdin+Stream(i%3), numbered(i))
	}
	if err := r.Close(); err != nil {
		t.Error(err)
	}
	all, reader := checkAccount(t, s.bytes(), streams)
	if len(reader.Damage()) > 0 {
		t.Errorf("damage %v", reader.Damage())
	}
	var tail *Record
	for i := range all {
		if string(all[i].Data) == "ended after it" {
			tail = &all[i]
		}
	}
	if tail == nil || !tail.Truncated || tail.Size != int64(len("begun in the gap, ended after it")) {
		t.Errorf("the line that the gap ends in: %+v", tail)
	}
}

// TestStallInMidLine cuts lines of every stream by a gap.
func TestStallInMidLine(t *testing.T) {
	s := &sink{}
	release := s.holdBack()
	defer release()
	r := NewRecorder(s, Header{}, RecorderOptions{Buffer: 4 << 10})
	streams := map[Stream][]byte{}
	send := func(stream Stream, b []byte) {
		r.Chunk(stream, b)
		streams[stream] = append(streams[stream], b...)
	}
	send(Stdin, []byte("head of in "))
	send(Stderr, []byte("head of err "))
	send(Stdout, bytes.Repeat([]byte{'z'}, 8<<10)) // more than there is room for
	send(Stdin, []byte("lost"))
	send(Stderr, []byte("lost\nmore\nbegun "))
	release()
	waitFor(t, func() bool { return bytes.Contains(s.bytes(), []byte(`"gap":{"bytes"`)) })
	send(Stdin, []byte(" tail of in\n"))
	send(Stderr, []byte("tail of err\n"))
	send(Stdout, []byte("z\n"))
	if err := r.Close(); err != nil {
		t.Error(err)
	}
	all, _ := checkAccount(t, s.bytes(), streams)
	var got []string
	for i := range all {
		if rec := &all[i]; rec.Kind == FrameRecord && rec.Stream != Stdout {
			got = append(got, fmt.Sprintf("%s %q %v %d", streamNames[rec.Stream], rec.Data, rec.Truncated, rec.Size))
		}
	}
	want := []string{`in "head of in " true 15`, `err "head of err " true 16`, `in " tail of in" true 15`, `err "tail of err" true 17`}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// TestBackPressure makes callers wait for a slow sink: nothing is lost.
func TestBackPressure(t *testing.T) {
	s := &sink{}
	s.fail = func(int, int) (int, error) { time.Sleep(2 * time.Millisecond); return -1, nil }
	r := NewRecorder(s, Header{}, RecorderOptions{Buffer: 32 << 10})
	streams := map[Stream][]byte{}
	var wg sync.WaitGroup
	for stream := Stdin; stream <= Stderr; stream++ {
		var all []byte
		for i := range 3000 {
			all = append(all, numbered(i)...)
		}
		streams[stream] = all
		wg.Go(func() {
			for b := all; len(b) > 0; {
				n := min(len(b), 5000)
				r.Chunk(stream, b[:n])
				b = b[n:]
			}
			r.EndStream(stream)
		})
	}
	wg.Wait()
	if err := r.Close(); err != nil {
		t.Error(err)
	}
	all, _ := checkAccount(t, s.bytes(), streams)
	if end := endOf(t, all); end.Gaps > 0 {
		t.Errorf("%d gaps", end.Gaps)
	}
}

// TestCloseOnDeadSink gives up on a sink that never comes back.
func TestCloseOnDeadSink(t *testing.T) {
	s := &sink{}
	release := s.holdBack()
	r := NewRecorder(s, Header{}, RecorderOptions{})
	r.Chunk(Stdin, []byte("x\n"))
	if err := r.Close(); !errors.Is(err, ErrStalled) {
		t.Errorf("Close returned %v", err)
	}
	release()
	<-r.done
}

// TestCloseOnFailingSink does not wait for a sink that fails for good.
func TestCloseOnFailingSink(t *testing.T) {
	full := errors.New("full")
	r := NewRecorder(&sink{fail: func(int, int) (int, error) { return 0, full }}, Header{}, RecorderOptions{})
	for i := range 1000 {
		r.Chunk(Stdin, numbered(i))
	}
	if err := r.Close(); !errors.Is(err, full) {
		t.Errorf("Close returned %v", err)
	}
	<-r.done
}

// TestTornPart loses a part of a long line: what is left of the line says so.
func TestTornPart(t *testing.T) {
	s := &sink{fail: func(write, _ int) (int, error) { return when(write == 3, 0), errors.New("full") }}
	r := NewRecorder(s, Header{}, RecorderOptions{})
	long := bytes.Repeat([]byte("0123456789abcdef"), 100<<10/16)
	for range 10 {
		n := s.count()
		r.Chunk(Stdout, long)
		waitFor(t, func() bool { return s.count() != n })
	}
	r.Chunk(Stdout, []byte("\nnext\n"))
	if err := r.Close(); err == nil {
		t.Error("no error")
	}
	all, _ := checkAccount(t, s.bytes(), map[Stream][]byte{Stdout: append(bytes.Repeat(long, 10), "\nnext\n"...)})
	var lines []*Record
	for i := range all {
		if all[i].Kind == FrameRecord {
			lines = append(lines, &all[i])
		}
	}
	if len(lines) != 2 || !lines[0].Truncated || lines[0].Size != 10*int64(len(long)) || lines[1].Truncated {
		t.Errorf("%d lines: %s", len(lines), brief(lines[0])[:100])
	}
}

func TestDeviceFull(t *testing.T) {
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Skip("no /dev/full")
	}
	var said logged
	r, err := CreateAt("/dev/full", Header{}, RecorderOptions{Log: said.log})
	if err != nil {
		t.Fatal(err)
	}
	r.Chunk(Stdin, []byte("x\n"))
	if err := r.Close(); err == nil {
		t.Error("no error")
	}
	waitFor(t, func() bool { return len(said.all()) == 1 })
	if line := said.all()[0]; !strings.HasPrefix(line, "/dev/full: recording stopped") {
		t.Errorf("said %q", line)
	}
}

// TestFileDisappears removes and shortens the file under the recorder.
func TestFileDisappears(t *testing.T) {
	path := filepath.Join(t.TempDir(), "run.jsonl")
	r, err := CreateAt(path, Header{Command: []string{"server"}}, RecorderOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 100 {
		r.Chunk(Stdin, numbered(i))
	}
	size := func() int64 {
		info, err := os.Stat(path)
		if err != nil {
			return 0
		}
		return info.Size()
	}
	waitFor(t, func() bool { return size() > 5000 })
	if err := os.Truncate(path, size()/2); err != nil {
		t.Fatal(err)
	}
	for i := range 100 {
		r.Chunk(Stdin, numbered(1000+i))
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	v, err := Verify(path)
	if err != nil {
		t.Fatal(err)
	}
	if v.Whole || len(v.Damaged) != 1 || v.State != Ended {
		t.Errorf("%+v", v)
	}
	if v.Records < 101 {
		t.Errorf("%d records can be read", v.Records)
	}
}
