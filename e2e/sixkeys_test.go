package e2e

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// scripted records a session with the reference server "everything": a call that takes its time, a tool
// that fails, and a notification whose capability the client did not declare, among what is right.
func scripted(t *testing.T, dir string) (file string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), built(t), "--", node(t), npmServer(t, "server-everything"), "stdio")
	cmd.Env = append(os.Environ(), "SHAKESCOPE_DIR="+dir)
	cmd.WaitDelay = time.Second
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
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
	answers := bufio.NewReader(out)
	send := func(message string) {
		t.Helper()
		if _, err := io.WriteString(in, message+"\n"); err != nil {
			t.Fatal(err)
		}
	}
	// answered waits for the answer to a request.
	answered := func(id int) {
		t.Helper()
		for {
			line, err := answers.ReadBytes('\n')
			if err != nil {
				t.Fatalf("no answer to request %d: %v\n%s", id, err, &stderr)
			}
			var m struct {
				ID     *int
				Method string
			}
			if json.Unmarshal(line, &m) == nil && m.Method == "" && m.ID != nil && *m.ID == id {
				return
			}
		}
	}
	id := 0
	ask := func(method, params string) int {
		t.Helper()
		id++
		send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`, id, method, params))
		return id
	}
	answered(ask("initialize", `{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"scripted","version":"1.0.0"}}`))
	send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	answered(ask("tools/list", `{}`))
	answered(ask("tools/call", `{"name":"echo","arguments":{"message":"hello"}}`))
	slow := ask("tools/call", `{"name":"trigger-long-running-operation","arguments":{"duration":2,"steps":2},"_meta":{"progressToken":"p1"}}`)
	ask("tools/call", `{"name":"get-sum","arguments":{"a":2,"b":40}}`)
	answered(slow)
	answered(ask("prompts/get", `{"name":"no-such-prompt"}`))
	answered(ask("tools/call", `{"name":"get-sum","arguments":{"a":"two","b":40}}`))
	send(`{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}`)
	answered(ask("prompts/list", `{}`))
	in.Close()
	go io.Copy(io.Discard, answers)
	cmd.Wait() // the server goes by a signal
	files, _ := filepath.Glob(filepath.Join(dir, "*.jsonl"))
	if len(files) != 1 {
		t.Fatalf("recordings: %v\n%s", files, &stderr)
	}
	return files[0]
}

// TestSixKeys finds what is wrong with a session by the keys of docs/tui.md, six at most from the moment when the
// recording is on screen.
func TestSixKeys(t *testing.T) {
	file := scripted(t, t.TempDir())
	// What is to be found, by number, from the log: another way than the screens'.
	var slow, failed, undeclared int64
	longest := 0.0
	all := entries(t, file)
	for _, e := range all {
		switch {
		case e.LatencyMS != nil && *e.LatencyMS > longest:
			slow, longest = e.Seq, *e.LatencyMS
		case e.Method == "notifications/roots/list_changed":
			undeclared = e.Seq
		}
		if e.State == "tool_error" && e.Kind == "response" {
			failed = e.Seq
		}
	}
	if slow == 0 || longest < 2000 || failed == 0 || undeclared == 0 {
		t.Fatalf("slow call #%d (%v ms), tool error #%d, undeclared capability #%d:\n%s", slow, longest, failed, undeclared, shakescope(t, "show", file))
	}
	for _, c := range []struct {
		what  string
		keys  string
		seq   int64
		shows string
	}{
		{"the slow call", "s g Enter", slow, `answers #\d+ after 2\.\d+ s`},
		{"the tool error", "e e Enter", failed, `tool failure`},
		{"the tool error by the errors alone", "F 1 Escape G k Enter", failed, `tool failure`},
		{"the tool error from its finding", "4 w Enter p", failed, `isError`},
		{"the undeclared capability", "5 Enter", undeclared, `roots +✗`},
		{"why it is undeclared", "4 Enter i", undeclared, `did not declare`},
	} {
		for _, size := range [][2]string{{"80", "24"}, {"120", "40"}, {"200", "60"}} {
			t.Run(c.what+" "+size[0]+"x"+size[1], func(t *testing.T) {
				t.Parallel()
				keys := strings.Fields(c.keys)
				if len(keys) > 6 {
					t.Errorf("%d keys", len(keys))
				}
				tm := newTerminal(t, t.TempDir(), size[0], size[1])
				tm.keys("'"+built(t)+"' view '"+file+"'", "Enter")
				tm.until("the recording, read and checked", fmt.Sprintf(`server exited 0 after .* 1/%d\b`, len(all)))
				for _, key := range keys {
					tm.press(key)
				}
				// The cursor is on it, or the pane that takes the whole screen is about it.
				tm.until(c.what, fmt.Sprintf(`▌ *%d |#%[1]d (request|response|notification)`, c.seq), c.shows)
			})
		}
	}
}
