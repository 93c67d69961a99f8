package tui

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// everything is a session as one has it with the reference server "everything": its names and the order
// of its messages, with the texts cut short. A call takes three seconds, a tool fails, the client
// announces a change of roots that it did not declare, and some of what is right stands around it.
var everything = []struct {
	ms      int
	dir     string
	message string
}{
	{2, "c2s", `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"demo-client","version":"1.0.0"}}}`},
	{480, "s2c", `{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{"listChanged":true},"prompts":{"listChanged":true},"resources":{"subscribe":true,"listChanged":true},"logging":{},"completions":{}},"serverInfo":{"name":"mcp-servers/everything","version":"2.0.0"}}}`},
	{481, "c2s", `{"jsonrpc":"2.0","method":"notifications/initialized"}`},
	{490, "c2s", `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`},
	{502, "s2c", `{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"echo","description":"Echoes back the input","inputSchema":{"type":"object","properties":{"message":{"type":"string","description":"Message to echo"}},"required":["message"]}},{"name":"get-sum","description":"Returns the sum of two numbers","inputSchema":{"type":"object","properties":{"a":{"type":"number","description":"First number"},"b":{"type":"number","description":"Second number"}},"required":["a","b"]}},{"name":"trigger-long-running-operation","description":"Takes its time","inputSchema":{"type":"object","properties":{"duration":{"type":"number","description":"In seconds"},"steps":{"type":"number","description":"How many"}}}}]}}`},
	{700, "c2s", `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"echo","arguments":{"message":"hello"}}}`},
	{712, "s2c", `{"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"Echo: hello"}]}}`},
	{900, "c2s", `{"jsonrpc":"2.0","id":3,"method":"resources/list"}`},
	{903, "s2c", `{"jsonrpc":"2.0","id":3,"result":{"resources":[{"uri":"demo://resource/static/document/features.md","name":"features.md","mimeType":"text/markdown"}]}}`},
	{1100, "c2s", `{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"trigger-long-running-operation","arguments":{"duration":3,"steps":3},"_meta":{"progressToken":"p1"}}}`},
	{2100, "s2c", `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"p1","progress":1,"total":3}}`},
	{2300, "c2s", `{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"get-sum","arguments":{"a":2,"b":40}}}`},
	{2304, "s2c", `{"jsonrpc":"2.0","id":5,"result":{"content":[{"type":"text","text":"The sum of 2 and 40 is 42."}]}}`},
	{3100, "s2c", `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"p1","progress":2,"total":3}}`},
	{4110, "s2c", `{"jsonrpc":"2.0","id":4,"result":{"content":[{"type":"text","text":"Long running operation completed. Duration: 3 seconds, Steps: 3."}]}}`},
	{4400, "c2s", `{"jsonrpc":"2.0","id":6,"method":"prompts/get","params":{"name":"no-such-prompt"}}`},
	{4404, "s2c", `{"jsonrpc":"2.0","id":6,"error":{"code":-32602,"message":"Prompt no-such-prompt not found"}}`},
	{4500, "c2s", `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"get-sum","arguments":{"a":"two","b":40}}}`},
	{4510, "s2c", `{"jsonrpc":"2.0","id":7,"result":{"isError":true,"content":[{"type":"text","text":"Input validation error: a must be a number"}]}}`},
	{4700, "c2s", `{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}`},
	{4900, "c2s", `{"jsonrpc":"2.0","id":8,"method":"prompts/list"}`},
	{4904, "s2c", `{"jsonrpc":"2.0","id":8,"result":{"prompts":[{"name":"simple-prompt","description":"A prompt without arguments"}]}}`},
}

// sixKeys are the keys of docs/tui.md, from the moment at which the recording is on screen, with what
// they lead to.
var sixKeys = []struct {
	what  string
	keys  []string
	seq   int64    // the message that is selected
	shows []string // what the screen then says
}{
	{"the slow call", []string{"s", "g", "enter"}, 15, []string{"answers #10 after 3.01 s", "Long running operation completed"}},
	{"the tool error", []string{"e", "e", "enter"}, 19, []string{"tool failure, not a protocol error", "Input validation error"}},
	{"the tool error, by the errors alone", []string{"F", "1", "esc", "G", "k", "enter"}, 19, []string{"tool failure, not a protocol error"}},
	{"the tool error, from its finding", []string{"4", "w", "enter", "p"}, 19, []string{"isError"}},
	{"the undeclared capability", []string{"5", "enter"}, 20, []string{"roots ✗"}},
	{"why it is undeclared", []string{"4", "enter", "i"}, 20, []string{"the client did not declare", "fix"}},
}

// everythingFile is it as a file.
func everythingFile(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "everything.jsonl")
	var b strings.Builder
	for _, m := range everything {
		fmt.Fprintf(&b, `{"t_ms":%d,"dir":%q,"raw":%s}`+"\n", m.ms, m.dir, mustJSON(t, m.message))
	}
	if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestSixKeys(t *testing.T) {
	path := everythingFile(t)
	for _, c := range sixKeys {
		for _, size := range sizes {
			t.Run(fmt.Sprintf("%s %dx%d", c.what, size.w, size.h), func(t *testing.T) {
				if len(c.keys) > 6 {
					t.Errorf("%d keys", len(c.keys))
				}
				d := drive(t, Options{}, &folder{}, size.w, size.h)
				d.opens(path)
				d.pump(func() bool { return d.m.rec.done })
				d.keys(c.keys...)
				if got := d.selected(); got != c.seq {
					t.Errorf("%v select #%d, want #%d:\n%s", c.keys, got, c.seq, d.text())
				}
				got := strings.Join(strings.Fields(d.text()), " ")
				for _, s := range c.shows {
					if !strings.Contains(got, s) {
						t.Errorf("%v do not show %q:\n%s", c.keys, s, d.text())
					}
				}
			})
		}
	}
}

// The messages that declare are read while the ledger is on screen already. What they bring stands above
// the cursor, which stays where it is.
func TestCursorStaysOnItsCapability(t *testing.T) {
	d := drive(t, Options{}, &folder{}, 80, 24)
	d.opens(everythingFile(t))
	d.pump(func() bool { return d.m.rec.done })
	d.keys("5")
	h := d.m.rec.screen().(*handshake)
	agreed := h.agreed
	if agreed == "" {
		t.Fatal("the handshake was not read")
	}
	h.agreed, d.m.dirty = "", true
	d.frame()
	line, on := h.cur, h.capsOf[h.cur]
	h.agreed, d.m.dirty = agreed, true
	d.frame()
	if on.Path != "roots.listChanged" || h.capsOf[h.cur] != on || h.cur == line {
		t.Errorf("the cursor was on line %d, %v, and is on line %d, %v", line, on, h.cur, h.capsOf[h.cur])
	}
	d.keys("enter")
	if got := d.selected(); got != 20 {
		t.Errorf("enter leads to #%d, want #20", got)
	}
}
