package cli_test

import (
	"bufio"
	"encoding/json"
	"io"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/shakescope/shakescope/recordings"
)

// following is a `show -f`, or what does the same, on a recording that this test writes.
type following struct {
	t     *testing.T
	rec   *recordings.Recorder
	cmd   *exec.Cmd
	lines chan string
}

func follow(t *testing.T, flags ...string) *following {
	t.Helper()
	return startFollowing(t, func(path string) []string { return append([]string{"show", "-f", path}, flags...) })
}

// startFollowing starts the command line for a recording that is being written.
func startFollowing(t *testing.T, args func(path string) []string) *following {
	t.Helper()
	rec, err := recordings.Create(t.TempDir(), recordings.Header{Start: time.Now(), Command: []string{"harbour"}}, recordings.RecorderOptions{})
	if err != nil {
		t.Fatal(err)
	}
	f := &following{t: t, rec: rec, lines: make(chan string, 100)}
	f.cmd = exec.Command("shakescope", args(rec.Path())...)
	out, err := f.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := f.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.cmd.Process.Kill() })
	go func() {
		defer close(f.lines)
		in := bufio.NewReader(out)
		for {
			line, err := in.ReadString('\n')
			if line != "" {
				f.lines <- line
			}
			if err == io.EOF || err != nil {
				return
			}
		}
	}()
	return f
}

func (f *following) say(s recordings.Stream, line string) { f.rec.Chunk(s, []byte(line+"\n")) }

// line waits for the next line that holds all of want.
func (f *following) line(want ...string) string {
	f.t.Helper()
	end := time.After(30 * time.Second) // not a measure, only an end
next:
	for {
		select {
		case line, ok := <-f.lines:
			if !ok {
				f.t.Fatalf("the log ended without a line that holds %q", want)
			}
			for _, w := range want {
				if !strings.Contains(line, w) {
					continue next
				}
			}
			return line
		case <-end:
			f.t.Fatalf("no line that holds %q", want)
		}
	}
}

// end closes the recording, and waits for the log to end with it.
func (f *following) end() {
	f.t.Helper()
	if err := f.rec.Close(); err != nil {
		f.t.Fatal(err)
	}
	for range f.lines {
	}
	if err := f.cmd.Wait(); err != nil {
		f.t.Fatal(err)
	}
}

const (
	callLine   = `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"moor"}}`
	answerLine = `{"jsonrpc":"2.0","id":7,"result":{"content":[{"type":"text","text":"moored"}]}}`
)

// Entries of a live recording are printed as they come: a request before it has its answer, then the
// answer, then nothing more once the recording has ended.
func TestFollowText(t *testing.T) {
	f := follow(t)
	f.line("# harbour")
	f.say(recordings.Stdin, callLine)
	f.line("tools/call", "moor", "[pending]")
	f.say(recordings.Stdout, answerLine)
	f.line("tools/call", "moored", "#1")
	f.say(recordings.Stdin, `{"jsonrpc":"2.0","id":8,"method":"tools/call","params":{"name":"tide"}}`)
	f.line("tools/call", "tide", "[pending]")
	f.end()
}

// As JSON, an entry that changes is printed again, whole, with its payload.
func TestFollowJSON(t *testing.T) {
	f := follow(t, "--json")
	type entry struct {
		Seq     int
		Sub     *int
		Kind    string
		State   string
		Pair    json.RawMessage
		Revises bool
		Raw     json.RawMessage
	}
	read := func(want ...string) (e entry) {
		t.Helper()
		line := f.line(want...)
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatalf("%v in %s", err, line)
		}
		return e
	}
	f.say(recordings.Stdin, callLine)
	if e := read(`"kind":"request"`); e.Seq != 1 || e.State != "pending" || e.Revises || string(e.Raw) != callLine {
		t.Errorf("the call: %+v", e)
	}
	f.say(recordings.Stdout, answerLine)
	if e := read(`"kind":"response"`); e.Seq != 2 || e.State != "ok" || string(e.Pair) != "1" || e.Revises {
		t.Errorf("the answer: %+v", e)
	}
	if e := read(`"revises":true`, `"kind":"request"`); e.Seq != 1 || e.State != "ok" || string(e.Pair) != "2" || string(e.Raw) != callLine {
		t.Errorf("the call, again: %+v", e)
	}
	// A member of a batch comes again as that member.
	f.say(recordings.Stdin, `[`+callLine+`,{"jsonrpc":"2.0","method":"notifications/x"}]`)
	f.say(recordings.Stdout, answerLine)
	e := read(`"revises":true`, `"kind":"request"`)
	for e.Seq == 1 { // a finding there counts the second call as well
		e = read(`"revises":true`, `"kind":"request"`)
	}
	if e.Seq != 3 || e.Sub == nil || *e.Sub != 0 || string(e.Raw) != callLine {
		t.Errorf("the batch member, again: %+v", e)
	}
	f.end()
}

// A line without its end is seen while it waits, and again when more of it has come.
func TestFollowUnfinished(t *testing.T) {
	f := follow(t)
	f.say(recordings.Stdin, callLine)
	f.line("tools/call")
	f.rec.Chunk(recordings.Stdout, []byte(answerLine[:20]))
	f.line("unfinished line, 20 bytes so far: "+answerLine[:20]+"\n", "←")
	f.rec.Chunk(recordings.Stderr, []byte("Password: \x1b[8m"))
	f.line("unfinished line, 14 bytes so far: Password: ", "┊")
	f.rec.Chunk(recordings.Stdout, []byte(answerLine[20:40]))
	f.line("unfinished line, 40 bytes so far: …" + answerLine[20:40] + "\n")
	f.rec.Chunk(recordings.Stdout, []byte(answerLine[40:]+"\n"))
	f.line("tools/call", "#1", "moored")
	f.end()
}
