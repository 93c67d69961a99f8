package cli_test

import (
	"bytes"
	"encoding/binary"
	"encoding/csv"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/shakescope/shakescope/recordings"
)

func followExport(t *testing.T, flags ...string) *following {
	t.Helper()
	return startFollowing(t, func(path string) []string { return append([]string{"export", path, "--follow"}, flags...) })
}

const (
	secretLine = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"login","arguments":{"password":"hunter2hunter2"}}}`
	echoLine   = `{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"welcome, hunter2hunter2"}]}}`
)

// A live export as JSON lines: entries as they come, changed ones again, secrets masked in both.
func TestExportFollowJSON(t *testing.T) {
	f := followExport(t, "--format", "jsonl")
	f.say(recordings.Stdin, secretLine)
	call := f.line(`"kind":"request"`)
	f.say(recordings.Stdout, echoLine)
	answer := f.line(`"kind":"response"`)
	again := f.line(`"revises":true`, `"seq":1,`)
	for _, line := range []string{call, answer, again} {
		if strings.Contains(line, "hunter2") || !strings.Contains(line, "[redacted:password") {
			t.Errorf("not masked: %s", line)
		}
	}
	if !strings.Contains(again, `"state":"ok"`) || !strings.Contains(again, `"pair":2`) {
		t.Errorf("the call, again: %s", again)
	}
	f.end()
}

func TestExportFollowText(t *testing.T) {
	f := followExport(t, "--format", "text", "--filter", "kind:response")
	f.say(recordings.Stdin, secretLine)
	f.say(recordings.Stdout, echoLine)
	if line := f.line("welcome"); strings.Contains(line, "hunter2") {
		t.Errorf("not masked: %s", line)
	}
	f.end()
}

// A row says what is known when it is written.
func TestExportFollowCSV(t *testing.T) {
	f := followExport(t, "--format", "csv")
	f.line("seq,sub,")
	f.say(recordings.Stdin, callLine)
	row := func(want string) []string {
		t.Helper()
		fields, err := csv.NewReader(strings.NewReader(f.line(want))).Read()
		if err != nil {
			t.Fatal(err)
		}
		return fields
	}
	if r := row("request"); r[0] != "1" || r[19] != "pending" {
		t.Errorf("the call: %q", r)
	}
	f.say(recordings.Stdout, answerLine)
	if r := row("response"); r[0] != "2" || r[18] != "1" || r[19] != "ok" || r[20] == "" {
		t.Errorf("the answer: %q", r)
	}
	f.end()
}

// packets splits a capture into its blocks; what is no whole block is an error.
func packets(t *testing.T, b []byte) (n int) {
	t.Helper()
	for len(b) > 0 {
		if len(b) < 12 {
			t.Fatalf("%d bytes are no block", len(b))
		}
		size := binary.LittleEndian.Uint32(b[4:])
		if int(size) > len(b) || binary.LittleEndian.Uint32(b[size-4:]) != size {
			t.Fatalf("a block of %d bytes does not end", size)
		}
		if binary.LittleEndian.Uint32(b) == 6 {
			n++
		}
		b = b[size:]
	}
	return n
}

// The file of -o has its name and whole packets from the start, and grows. An interrupt is a good end.
func TestExportFollowFileInterrupted(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no interrupt can be sent to one process")
	}
	out := filepath.Join(t.TempDir(), "live.pcapng")
	f := followExport(t, "--format", "pcapng", "-o", out)
	until := func(n int) {
		t.Helper()
		for end := time.Now().Add(30 * time.Second); ; time.Sleep(5 * time.Millisecond) {
			b, _ := os.ReadFile(out)
			if len(b) > 0 && packets(t, b) == n {
				return
			}
			if time.Now().After(end) {
				t.Fatalf("never %d packets", n)
			}
		}
	}
	until(0)
	f.say(recordings.Stdin, callLine)
	until(1)
	f.say(recordings.Stdout, answerLine)
	until(2)
	if info, err := os.Stat(out); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	f.cmd.Process.Signal(os.Interrupt)
	for range f.lines {
	}
	if err := f.cmd.Wait(); err != nil {
		t.Error(err)
	}
	until(2)
	f.rec.Close()
}

// collector is where OTLP is sent to.
type collector struct {
	*httptest.Server
	mu     sync.Mutex
	fail   int // how many requests it turns away first
	spans  map[string]map[string]any
	logs   int
	uids   map[string]int
	turned int
}

func newCollector(t *testing.T) *collector {
	c := &collector{spans: map[string]map[string]any{}, uids: map[string]int{}}
	c.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.fail > 0 {
			c.fail--
			c.turned++
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		var body struct {
			ResourceSpans []struct {
				ScopeSpans []struct{ Spans []map[string]any }
			}
			ResourceLogs []struct {
				ScopeLogs []struct {
					LogRecords []struct {
						Attributes []struct {
							Key   string
							Value struct{ StringValue string }
						}
					}
				}
			}
		}
		text, _ := io.ReadAll(r.Body)
		if err := json.Unmarshal(text, &body); err != nil {
			t.Errorf("%v in %s", err, text)
		}
		for _, rs := range body.ResourceSpans {
			for _, s := range rs.ScopeSpans[0].Spans {
				c.spans[s["spanId"].(string)] = s
			}
		}
		for _, rl := range body.ResourceLogs {
			for _, l := range rl.ScopeLogs[0].LogRecords {
				c.logs++
				for _, a := range l.Attributes {
					if a.Key == "log.record.uid" {
						c.uids[a.Value.StringValue]++
					}
				}
			}
		}
	}))
	t.Cleanup(c.Close)
	return c
}

// until waits until there is a span of each of these names.
func (c *collector) until(t *testing.T, names ...string) {
	t.Helper()
	for end := time.Now().Add(30 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		c.mu.Lock()
		found := map[string]bool{}
		for _, s := range c.spans {
			found[s["name"].(string)] = true
		}
		c.mu.Unlock()
		missing := 0
		for _, n := range names {
			if !found[n] {
				missing++
			}
		}
		if missing == 0 {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("there are only %v", found)
		}
	}
}

// Spans are sent when the call is answered, also to a collector that is away at first; the open one and the session
// when the recording ends. A later export sends the same ids.
func TestExportFollowSend(t *testing.T) {
	c := newCollector(t)
	c.fail = 1
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", c.URL)
	f := followExport(t, "--format", "otlp", "--send")
	f.say(recordings.Stdin, callLine)
	f.say(recordings.Stdout, answerLine)
	c.until(t, "tools/call moor")
	f.say(recordings.Stdin, `{"jsonrpc":"2.0","id":8,"method":"tools/call","params":{"name":"tide"}}`)
	f.say(recordings.Stderr, "drifting")
	f.end()
	c.until(t, "tools/call moor", "tools/call tide", "mcp session")
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.spans) != 3 || c.turned != 1 {
		t.Errorf("%d spans, %d requests turned away", len(c.spans), c.turned)
	}
	for _, s := range c.spans {
		if text, _ := json.Marshal(s["attributes"]); strings.HasSuffix(s["name"].(string), "tide") != strings.Contains(string(text), "timeout") {
			t.Errorf("%s has the attributes %s", s["name"], text)
		}
	}
	logs := c.logs
	c.mu.Unlock()
	out, err := exec.Command("shakescope", "export", f.rec.Path(), "--format", "otlp", "--send").CombinedOutput()
	c.mu.Lock()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if len(c.spans) != 3 || c.logs == logs || len(c.uids) != logs {
		t.Errorf("after the second time %d spans; %d logs, then %d, with %d ids", len(c.spans), logs, c.logs, len(c.uids))
	}
}

// A pipe as FILE is written on as it comes, without waiting for its end. A record is read when something follows it.
func TestExportFollowPipe(t *testing.T) {
	cmd := exec.Command("shakescope", "export", "-", "--follow", "--format", "jsonl")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Process.Kill()
	var log bytes.Buffer
	rec, err := recordings.Create(t.TempDir(), recordings.Header{Start: time.Now()}, recordings.RecorderOptions{})
	if err != nil {
		t.Fatal(err)
	}
	rec.Chunk(recordings.Stdin, []byte(callLine+"\n"))
	rec.Chunk(recordings.Stdout, []byte(answerLine+"\n"))
	if err := rec.Close(); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(rec.Path())
	if err != nil {
		t.Fatal(err)
	}
	head := bytes.LastIndexByte(b[:len(b)-1], '\n') + 1 // without the end record
	in.Write(b[:head])
	one := make([]byte, 4096)
	n, err := out.Read(one)
	if err != nil || !strings.Contains(string(one[:n]), `"kind":"request"`) {
		t.Fatalf("%v, %s", err, one[:n])
	}
	in.Write(b[head:])
	in.Close()
	io.Copy(&log, out)
	if err := cmd.Wait(); err != nil {
		t.Fatalf("%v: %s", err, log.String())
	}
}
