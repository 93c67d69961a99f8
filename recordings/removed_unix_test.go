//go:build unix

package recordings

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestRemoved removes the file, or its folder, under the recorder: it is made again, and what it held is a
// gap.
func TestRemoved(t *testing.T) {
	for name, remove := range map[string]func(path string) error{
		"file":   os.Remove,
		"folder": func(path string) error { return os.RemoveAll(filepath.Dir(path)) },
	} {
		for _, when := range []string{"while it runs", "at the end"} {
			t.Run(name+" "+when, func(t *testing.T) {
				t.Parallel()
				path := filepath.Join(t.TempDir(), "recordings", "run.jsonl")
				var said logged
				r, err := CreateAt(path, Header{Command: []string{"server"}}, RecorderOptions{Log: said.log})
				if err != nil {
					t.Fatal(err)
				}
				streams := map[Stream][]byte{}
				send := func(s Stream, text string) {
					r.Chunk(s, []byte(text))
					streams[s] = append(streams[s], text...)
				}
				send(Stdin, initAsked)
				send(Stdout, initTold)
				send(Stdin, inited)
				for i := range 50 {
					send(Stdin, string(numbered(i)))
					send(Stderr, "noise\n")
				}
				send(Stdout, "the head of a line")
				waitFor(t, func() bool {
					file, _ := os.ReadFile(path)
					return bytes.Contains(file, []byte("the head of a line"))
				})
				if err := remove(path); err != nil {
					t.Fatal(err)
				}
				if when == "while it runs" {
					// Looking is for a busy writer, and seldom.
					waitFor(t, func() bool {
						send(Stderr, "more noise\n")
						time.Sleep(5 * time.Millisecond)
						_, err := os.Stat(path)
						return err == nil
					})
					if s, err := State(path); s != Live || err != nil {
						t.Errorf("%s, %v", s, err)
					}
				}
				send(Stdout, " and its tail\n")
				send(Stdin, "after it\n")
				if err := r.Close(); !errors.Is(err, errRemoved) {
					t.Errorf("Close returned %v", err)
				}
				waitFor(t, func() bool { return len(said.all()) > 0 })
				if lines := said.all(); len(lines) != 1 || !strings.HasPrefix(lines[0], path+": the recording was removed while it was written") {
					t.Errorf("said %q", lines)
				}
				file, err := os.ReadFile(path)
				if err != nil {
					t.Fatal(err)
				}
				if info, err := os.Stat(path); err != nil || info.Mode().Perm() != fileMode {
					t.Errorf("%v, %v", info.Mode(), err)
				}
				all, reader := checkAccount(t, file, streams)
				if len(reader.Damage()) > 0 || reader.Header().Command[0] != "server" {
					t.Errorf("damage %v, header %+v", reader.Damage(), reader.Header())
				}
				if all[0].Kind != ContextRecord || len(all[0].Context.Frames) != 3 || all[1].Kind != GapRecord {
					t.Errorf("it begins with %+v, %+v", all[0], all[1])
				}
				v, err := Verify(path)
				if err != nil || v.Whole || v.State != Ended || len(v.Gaps) != 1 || !strings.Contains(v.Sentence, "1 gap") {
					t.Errorf("%+v, %v", v, err)
				}
				info, err := Inspect(path)
				if err != nil || info.Gaps != 1 || info.Messages.Client < 52 || info.Server.Name == "" {
					t.Errorf("%+v, %v", info, err)
				}
			})
		}
	}
}

// TestRemovedSegment removes the segment that is being written: those before it stay what they are.
func TestRemovedSegment(t *testing.T) {
	first := filepath.Join(t.TempDir(), "run.jsonl")
	r, err := CreateAt(first, Header{}, RecorderOptions{MaxSize: 4000})
	if err != nil {
		t.Fatal(err)
	}
	streams := map[Stream][]byte{}
	i := 0
	send := func() {
		r.Chunk(Stdin, numbered(i))
		streams[Stdin] = append(streams[Stdin], numbered(i)...)
		i++
	}
	second := segmentPath(first, 2)
	waitFor(t, func() bool {
		send()
		_, err := os.Stat(second)
		return err == nil
	})
	send()
	if err := os.Remove(second); err != nil {
		t.Fatal(err)
	}
	waitFor(t, func() bool {
		_, err := os.Stat(second)
		if err != nil && i < 60 {
			send()
		} else {
			r.Chunk(Stderr, []byte("x\n"))
			streams[Stderr] = append(streams[Stderr], "x\n"...)
		}
		time.Sleep(10 * time.Millisecond)
		return err == nil
	})
	send()
	if err := r.Close(); !errors.Is(err, errRemoved) {
		t.Errorf("Close returned %v", err)
	}
	records, reader := all(t, first)
	if len(reader.Missing()) > 0 {
		t.Errorf("missing %v", reader.Missing())
	}
	end := endOf(t, records)
	checkSums(t, end, streams)
	var lost, gaps int64
	for i := range records {
		if records[i].Kind == GapRecord {
			gaps++
			lost += records[i].Gap.Bytes["in"]
		}
	}
	if got := int64(len(bytesOf(records, Stdin))); gaps != 1 || end.Gaps != 1 || got+lost != int64(len(streams[Stdin])) {
		t.Errorf("%d gaps, %d bytes recorded + %d lost, %d travelled", gaps, got, lost, len(streams[Stdin]))
	}
}

// TestMovedFile moves the file away: it goes on being written where it is.
func TestMovedFile(t *testing.T) {
	dir := t.TempDir()
	path, moved := filepath.Join(dir, "run.jsonl"), filepath.Join(dir, "moved.jsonl")
	r, err := CreateAt(path, Header{}, RecorderOptions{})
	if err != nil {
		t.Fatal(err)
	}
	r.Chunk(Stdin, numbered(1))
	move(t, path, moved)
	r.Chunk(Stdin, numbered(2))
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	if v, err := Verify(moved); err != nil || !v.Whole {
		t.Errorf("%+v, %v", v, err)
	}
	if _, err := os.Stat(path); err == nil {
		t.Error("the file was made again")
	}
}
