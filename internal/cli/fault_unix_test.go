//go:build unix

package cli_test

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/shakescope/shakescope/recordings"
)

// wrapped is a server behind `shakescope run`, and its client.
type wrapped struct {
	t    *testing.T
	cmd  *exec.Cmd
	in   io.WriteCloser
	out  *bufio.Reader
	err  bytes.Buffer
	sent int // lines
	want bytes.Buffer
	got  bytes.Buffer
}

// wrap starts a server that repeats what it reads and ends with code 3. Words before are put in front of
// the command line of shakescope.
func wrap(t *testing.T, before []string, flags ...string) *wrapped {
	t.Helper()
	line := append(append(before, "shakescope", "run"), flags...)
	line = append(line, "--", "fakeserver", "-echo", "-exit", "3")
	w := &wrapped{t: t, cmd: exec.Command(line[0], line[1:]...)}
	w.cmd.Env = append(os.Environ(), "SHAKESCOPE_DIR="+t.TempDir())
	w.cmd.Stderr = &w.err
	var err error
	if w.in, err = w.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := w.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	w.out = bufio.NewReader(out)
	if err := w.cmd.Start(); err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { w.cmd.Process.Kill() })
	return w
}

// talk sends n lines of all kinds and waits for all that comes back.
func (w *wrapped) talk(n int) {
	w.t.Helper()
	var lines bytes.Buffer
	for range n {
		w.sent++
		fmt.Fprintf(&lines, `{"jsonrpc":"2.0","id":%d,"method":"ping","params":{"pad":"%s"}}`, w.sent, strings.Repeat("x", w.sent%131))
		lines.WriteString([]string{"\n", "\r\n", "\n\n", "\xff\xfe\r\r\n"}[w.sent%4])
	}
	w.want.Write(lines.Bytes())
	sent := make(chan error, 1)
	go func() {
		_, err := w.in.Write(lines.Bytes())
		sent <- err
	}()
	if _, err := io.CopyN(&w.got, w.out, int64(lines.Len())); err != nil {
		w.t.Fatalf("after %d bytes: %v; it said %q", w.got.Len(), err, &w.err)
	}
	if err := <-sent; err != nil {
		w.t.Fatal(err)
	}
}

// end closes the client's side. Bytes and exit code must be those of the server alone, and there may be
// one line of shakescope's own.
func (w *wrapped) end() {
	w.t.Helper()
	w.in.Close()
	if _, err := io.Copy(&w.got, w.out); err != nil {
		w.t.Error(err)
	}
	err := w.cmd.Wait()
	var ended *exec.ExitError
	if !errors.As(err, &ended) || ended.ExitCode() != 3 {
		w.t.Errorf("it ended with %v", err)
	}
	if !bytes.Equal(w.got.Bytes(), w.want.Bytes()) {
		w.t.Errorf("%d bytes came back, want %d", w.got.Len(), w.want.Len())
	}
	if own := strings.Count(w.err.String(), "\n"); own > 1 || own == 1 && !strings.HasPrefix(w.err.String(), "shakescope: warning: ") {
		w.t.Errorf("it said\n%s", &w.err)
	}
}

// holds waits until a file has so many bytes.
func holds(t *testing.T, path string, size int64) {
	t.Helper()
	for start := time.Now(); ; time.Sleep(5 * time.Millisecond) {
		if info, err := os.Stat(path); err == nil && info.Size() >= size {
			return
		}
		if time.Since(start) > 30*time.Second {
			t.Fatalf("%s does not grow", path)
		}
	}
}

// verdict runs verify on a recording.
func verdict(t *testing.T, path string) (code int, v recordings.Verification) {
	t.Helper()
	cmd := exec.Command("shakescope", "verify", path)
	cmd.Run()
	v, err := recordings.Verify(path)
	if err != nil {
		t.Errorf("verifying: %v", err)
	}
	return cmd.ProcessState.ExitCode(), v
}

// Whatever becomes of the recording, the traffic is what it would be without.
func TestFaults(t *testing.T) {
	none := func(t *testing.T, path string) {
		if _, err := os.Stat(path); err == nil {
			t.Error("there is a recording")
		}
	}
	broken := func(t *testing.T, path string) {
		code, v := verdict(t, path)
		if code != 1 || v.Whole {
			t.Errorf("verify ended with %d: %s", code, v.Sentence)
		}
		out, err := exec.Command("shakescope", "show", path).Output()
		if err != nil || bytes.Count(out, []byte("\n")) < 2 {
			t.Errorf("show: %v\n%s", err, out)
		}
	}
	gap := func(t *testing.T, path string) {
		broken(t, path)
		_, v := verdict(t, path)
		if len(v.Gaps) == 0 {
			t.Errorf("no gap: %s", v.Sentence)
		}
		out, err := exec.Command("shakescope", "show", path).Output()
		if err != nil || !bytes.Contains(out, []byte(" gap ")) {
			t.Errorf("no gap in show: %v", err)
		}
	}
	remove := func(t *testing.T, path string) {
		holds(t, path, 2000)
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
	}
	for name, f := range map[string]struct {
		before []string
		path   func(dir string) string
		flags  []string
		middle func(t *testing.T, path string)
		after  func(t *testing.T, path string)
		quiet  bool
	}{
		"none": {quiet: true, after: func(t *testing.T, path string) {
			if code, v := verdict(t, path); code != 0 || !v.Whole {
				t.Error(v.Sentence)
			}
		}},
		"segments": {quiet: true, flags: []string{"--max-size", "20kB"}, after: func(t *testing.T, path string) {
			if code, v := verdict(t, path); code != 0 || !v.Whole || v.Segments < 5 {
				t.Error(v.Sentence)
			}
		}},
		"the parent is a file": {path: func(dir string) string {
			os.WriteFile(filepath.Join(dir, "plain"), nil, 0o600)
			return filepath.Join(dir, "plain", "run.jsonl")
		}, after: none},
		"no such place":    {path: func(string) string { return "/proc/none/run.jsonl" }, after: none},
		"file too large":   {before: []string{"sh", "-c", `ulimit -f 20; exec "$@"`, "sh"}, after: broken},
		"full device":      {path: func(string) string { return "/dev/full" }},
		"FIFO, no reader":  {path: fifo},
		"file removed":     {middle: remove, after: gap},
		"segment removed":  {flags: []string{"--max-size", "200kB"}, middle: remove, after: gap},
		"file removed now": {middle: func(t *testing.T, path string) { os.Remove(path) }, after: gap},
		"folder removed": {middle: func(t *testing.T, path string) {
			holds(t, path, 2000)
			if err := os.RemoveAll(filepath.Dir(path)); err != nil {
				t.Fatal(err)
			}
		}, after: gap},
		"truncated": {quiet: true, middle: func(t *testing.T, path string) {
			holds(t, path, 2000)
			if err := os.Truncate(path, 1234); err != nil {
				t.Fatal(err)
			}
		}, after: broken},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "in", "run.jsonl")
			if f.path != nil {
				path = f.path(t.TempDir())
			}
			if strings.HasPrefix(path, "/dev/") {
				if _, err := os.Stat(path); err != nil {
					t.Skip(err)
				}
			}
			w := wrap(t, f.before, append(f.flags, "-o", path)...)
			w.talk(300)
			if f.middle != nil {
				f.middle(t, path)
			}
			w.talk(300)
			w.end()
			if f.quiet != (w.err.Len() == 0) {
				t.Errorf("it said %q", &w.err)
			}
			if f.after != nil {
				f.after(t, path)
			}
		})
	}
}

func fifo(dir string) string {
	path := filepath.Join(dir, "pipe")
	syscall.Mkfifo(path, 0o600)
	return path
}

// A FIFO whose reader stops reading must not stop the traffic.
func TestFIFOReaderStops(t *testing.T) {
	path := fifo(t.TempDir())
	read := make(chan []byte)
	go func() {
		f, err := os.Open(path)
		if err != nil {
			close(read)
			return
		}
		defer f.Close()
		b := make([]byte, 1000)
		n, _ := io.ReadFull(f, b)
		read <- b[:n]
		<-read
	}()
	defer close(read)
	w := wrap(t, nil, "-o", path)
	w.talk(100)
	if b := <-read; !bytes.HasPrefix(b, []byte(`{"shakescope":1`)) {
		t.Errorf("the reader got %q", b)
	}
	w.talk(2000)
	w.end()
	if w.err.Len() == 0 {
		t.Error("it said nothing")
	}
}

// A kill leaves what was written: all of it can be read, in order, up to a torn last line at most.
func TestKilled(t *testing.T) {
	for i, flags := range [][]string{nil, nil, nil, {"--max-size", "5kB"}, {"--max-size", "5kB"}} {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			path := filepath.Join(dir, "run.jsonl")
			w := wrap(t, nil, append(flags, "-o", path)...)
			w.talk(200)
			holds(t, path, 4000)
			go io.Copy(io.Discard, w.out)
			go func() {
				for n := range 100_000 {
					if _, err := fmt.Fprintf(w.in, `{"jsonrpc":"2.0","method":"notifications/n%d"}`+"\n", n); err != nil {
						return
					}
				}
			}()
			time.Sleep(time.Duration(rand.IntN(50)) * time.Millisecond) // a moment of its own each time
			if err := w.cmd.Process.Kill(); err != nil {
				t.Fatal(err)
			}
			w.cmd.Wait()
			code, v := verdict(t, path)
			if code != 1 || v.State != recordings.Cut || len(v.Gaps) > 0 || len(v.Missing) > 0 || v.Records < 20 {
				t.Errorf("verify ended with %d: %+v", code, v)
			}
			torn := 0
			for _, d := range v.Damaged {
				if !d.Torn {
					t.Errorf("damage %+v", d)
				}
				torn++
			}
			if torn > 1 || v.TornBytes > 0 != (torn == 1) {
				t.Errorf("%d torn lines, %d bytes", torn, v.TornBytes)
			}
			for _, p := range v.Problems {
				if strings.Contains(p, "record") && strings.Contains(p, "missing") || strings.Contains(p, "stands after") {
					t.Errorf("problem: %s", p)
				}
			}
			list := exec.Command("shakescope", "list", "--json")
			list.Env = append(os.Environ(), "SHAKESCOPE_DIR="+dir)
			if out, err := list.Output(); err != nil || bytes.Count(out, []byte("\n")) != 1 || !bytes.Contains(out, []byte(`"state":"cut"`)) {
				t.Errorf("list: %v\n%s", err, out)
			}
			raw, err := exec.Command("shakescope", "export", path, "--format", "raw", "--stream", "stdin").Output()
			if n := min(len(raw), w.want.Len()); err != nil || !bytes.Equal(raw[:n], w.want.Bytes()[:n]) || n < 2000 {
				t.Errorf("%d bytes of stdin, %v", len(raw), err)
			}
		})
	}
}
