package recordings

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

var update = flag.Bool("update", false, "write the files that tests compare with")

// script feeds a Recorder as a client and a server would, at times of its own.
type script struct {
	r     *Recorder
	clock clock
}

// after lets time pass.
func (s *script) after(ms float64) *script {
	s.clock.move(time.Duration(ms * float64(time.Millisecond)))
	return s
}

func (s *script) client(line string) { s.after(1.25).r.Chunk(Stdin, []byte(line+"\n")) }
func (s *script) server(line string) { s.after(2.5).r.Chunk(Stdout, []byte(line+"\n")) }
func (s *script) stderr(line string) { s.after(0.5).r.Chunk(Stderr, []byte(line+"\n")) }
func (s *script) event(e Event)      { s.after(0.75).r.Event(e) }

// bye is the usual end: the client closes, the server goes.
func (s *script) bye() {
	code := 0
	s.after(40)
	s.event(Event{Name: "client_closed_stdin"})
	s.r.EndStream(Stdin)
	s.after(6)
	s.event(Event{Name: "server_closed_stdout"})
	s.r.EndStream(Stdout)
	s.event(Event{Name: "exit", Code: &code})
}

// The samples show the format to people and give other packages something to read.
var samples = map[string]struct {
	label string
	run   func(*script)
}{
	"legacy": {"tide table", legacySample},
	"modern": {"tide table", modernSample},
	"faults": {"leaky boat", faultsSample},
}

func legacySample(s *script) {
	s.event(Event{Name: "spawn", Reason: "/usr/local/bin/harbour", PID: 4243})
	s.stderr("harbour: tide tables of 12 ports loaded")
	s.client(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"roots":{"listChanged":true},"sampling":{},"elicitation":{"form":{}}},"clientInfo":{"name":"quay","title":"Quay","version":"3.1.0"}}}`)
	s.after(30)
	s.server(`{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{"listChanged":true},"resources":{"subscribe":true},"prompts":{},"logging":{},"completions":{}},"serverInfo":{"name":"harbour","version":"0.9.2"},"instructions":"Times are UTC."}}`)
	s.client(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	s.client(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
	s.server(`{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"next_tide","description":"When the next high water is","inputSchema":{"type":"object","properties":{"port":{"type":"string"}},"required":["port"]},"annotations":{"readOnlyHint":true}},{"name":"log_entry","description":"Have an entry written for the log","inputSchema":{"type":"object","properties":{"about":{"type":"string"}}}}]}}`)
	s.client(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"next_tide","arguments":{"port":"Brest"},"_meta":{"progressToken":"tide-2"}}}`)
	s.server(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"tide-2","progress":1,"total":2,"message":"moon"}}`)
	s.server(`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","logger":"almanac","data":"coefficient 95"}}`)
	s.server(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"tide-2","progress":2,"total":2,"message":"sun"}}`)
	s.server(`{"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"High water at 17:42, 7.1 m"}]}}`)
	s.client(`{"jsonrpc":"2.0","id":3,"method":"resources/list"}`)
	s.client(`{"jsonrpc":"2.0","id":4,"method":"prompts/list"}`)
	s.server(`{"jsonrpc":"2.0","id":4,"result":{"prompts":[{"name":"passage","description":"Plan a passage","arguments":[{"name":"to","required":true}]}]}}`)
	s.server(`{"jsonrpc":"2.0","id":3,"result":{"resources":[{"uri":"chart://brest/approach","name":"Approach to Brest","mimeType":"text/markdown"}]}}`)
	s.client(`{"jsonrpc":"2.0","id":5,"method":"resources/read","params":{"uri":"chart://brest/approach"}}`)
	s.server(`{"jsonrpc":"2.0","id":5,"result":{"contents":[{"uri":"chart://brest/approach","mimeType":"text/markdown","text":"# Goulet\n\nKeep south of *Plateau des Fillettes*."}]}}`)
	s.client(`{"jsonrpc":"2.0","id":6,"method":"prompts/get","params":{"name":"passage","arguments":{"to":"Ouessant"}}}`)
	s.server(`{"jsonrpc":"2.0","id":6,"result":{"messages":[{"role":"user","content":{"type":"text","text":"Plan a passage to Ouessant on the ebb."}}]}}`)
	s.client(`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"log_entry","arguments":{"about":"fog"}}}`)
	s.server(`{"jsonrpc":"2.0","id":0,"method":"roots/list"}`)
	s.client(`{"jsonrpc":"2.0","id":0,"result":{"roots":[{"uri":"file:///home/ada/log","name":"log"}]}}`)
	s.server(`{"jsonrpc":"2.0","id":1,"method":"sampling/createMessage","params":{"messages":[{"role":"user","content":{"type":"text","text":"One sentence about fog."}}],"maxTokens":60}}`)
	s.after(800)
	s.client(`{"jsonrpc":"2.0","id":1,"result":{"role":"assistant","model":"a-model","stopReason":"endTurn","content":{"type":"text","text":"Fog since dawn, horn every two minutes."}}}`)
	s.server(`{"jsonrpc":"2.0","id":2,"method":"elicitation/create","params":{"message":"Who signs?","requestedSchema":{"type":"object","properties":{"name":{"type":"string"}},"required":["name"]}}}`)
	s.after(2100)
	s.client(`{"jsonrpc":"2.0","id":2,"result":{"action":"accept","content":{"name":"Zoé"}}}`)
	s.server(`{"jsonrpc":"2.0","id":7,"result":{"content":[{"type":"text","text":"Fog since dawn, horn every two minutes. Signed Zoé ⚓"}]}}`)
	s.client(`{"jsonrpc":"2.0","id":8,"method":"ping"}`)
	s.server(`{"jsonrpc":"2.0","id":8,"result":{}}`)
	s.bye()
}

func modernSample(s *script) {
	const meta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"quay","version":"4.0.0"},"io.modelcontextprotocol/clientCapabilities":{"elicitation":{"form":{}}}}`
	const from = `"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"harbour","version":"1.0.0"}}`
	s.event(Event{Name: "spawn", Reason: "/usr/local/bin/harbour", PID: 4243})
	s.client(`{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{` + meta + `}}`)
	s.server(`{"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{"listChanged":true},"resources":{}},"ttlMs":60000,"cacheScope":"public",` + from + `}}`)
	s.client(`{"jsonrpc":"2.0","id":2,"method":"subscriptions/listen","params":{"notifications":{"toolsListChanged":true},` + meta + `}}`)
	s.server(`{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"notifications":{"toolsListChanged":true},"_meta":{"io.modelcontextprotocol/subscriptionId":2}}}`)
	s.client(`{"jsonrpc":"2.0","id":3,"method":"tools/list","params":{` + meta + `}}`)
	s.server(`{"jsonrpc":"2.0","id":3,"result":{"resultType":"complete","tools":[{"name":"moor","description":"Book a berth","inputSchema":{"type":"object","properties":{"length":{"type":"number"}},"required":["length"]}}],"ttlMs":60000,"cacheScope":"public",` + from + `}}`)
	s.client(`{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"moor","arguments":{"length":11.5},` + meta + `}}`)
	s.server(`{"jsonrpc":"2.0","id":4,"result":{"resultType":"input_required","requestState":"berth-12","inputRequests":{"sure":{"method":"elicitation/create","params":{"mode":"form","message":"Berth 12 for 31 €?","requestedSchema":{"type":"object","properties":{"ok":{"type":"boolean"}},"required":["ok"]}}}},` + from + `}}`)
	s.after(1500)
	s.client(`{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"moor","arguments":{"length":11.5},"requestState":"berth-12","inputResponses":{"sure":{"action":"accept","content":{"ok":true}}},` + meta + `}}`)
	s.server(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":2}}}`)
	s.server(`{"jsonrpc":"2.0","id":5,"result":{"resultType":"complete","content":[{"type":"text","text":"Berth 12 is yours until noon."}],` + from + `}}`)
	s.client(`{"jsonrpc":"2.0","id":6,"method":"resources/list","params":{` + meta + `}}`)
	s.server(`{"jsonrpc":"2.0","id":6,"result":{"resultType":"complete","resources":[{"uri":"berth://12","name":"Berth 12"}],"ttlMs":0,"cacheScope":"private",` + from + `}}`)
	s.client(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2,"reason":"done"}}`)
	s.server(`{"jsonrpc":"2.0","id":2,"result":{"resultType":"complete",` + from + `}}`)
	s.bye()
}

func faultsSample(s *script) {
	s.event(Event{Name: "spawn", Reason: "/usr/local/bin/leaky", PID: 4243})
	s.server(`Leaky MCP server v0.1 listening on stdio`) // stray output where only messages may be
	s.client(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"quay","version":"3.1.0"}}}`)
	s.after(12).r.Chunk(Stdout, []byte(`{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},`))
	s.after(3).r.Chunk(Stdout, []byte(`"serverInfo":{"name":"leaky","version":"0.1"}}}`+"\r\n"))
	s.client(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	s.client(`{"jsonrpc":"2.0","id":2,"method":"resources/list"}`) // resources were not declared
	s.server(`{"jsonrpc":"2.0","id":2,"error":{"code":-32601,"message":"Method not found"}}`)
	s.client(`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"bail","arguments":{"buckets":7}}}`)
	s.server(`{"jsonrpc":"2.0","id":"3","result":{"content":[{"type":"text","text":"dry"}]}}`) // its id is a string
	s.server(`{"jsonrpc":"2.0","id":9,"method":"sampling/createMessage","params":{"messages":[],"maxTokens":1}}`)
	s.client(`{"jsonrpc":"2.0","id":9,"error":{"code":-32601,"message":"no sampling here"}}`)
	s.client(`{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"pump","arguments":{}}}`)
	s.server(`{"jsonrpc":"2.0","id":4,"result":{"isError":true,"content":[{"type":"text","text":"the pump is stuck"}]}}`)
	s.client(`{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"pump","arguments":{"harder":true}}}`)
	s.after(1).r.Chunk(Stderr, []byte("panic: water at \xb0 the bilge\n\nmain.pump()\n"))
	s.after(1).r.Chunk(Stdout, []byte(`{"jsonrpc":"2.0","id":5,"resu`)) // cut off by the crash
	code := 2
	s.event(Event{Name: "server_closed_stdout"})
	s.r.EndStream(Stdout)
	s.r.EndStream(Stderr)
	s.event(Event{Name: "exit", Code: &code})
	s.event(Event{Name: "client_closed_stdin"})
	s.r.EndStream(Stdin)
}

func TestSamples(t *testing.T) {
	for name, sample := range samples {
		t.Run(name, func(t *testing.T) {
			var got bytes.Buffer
			s := &script{}
			h := Header{
				Version: "1.0.0", Start: time.Date(2026, 11, 29, 9, 30, 0, 0, time.UTC), Label: sample.label,
				Command: []string{"harbour", "--port", "brest"}, Dir: "/home/ada", Env: []string{"HARBOUR_TOKEN", "HOME", "PATH"},
				PID: 4242, PIDStart: 1, Parent: "quay", Host: "0123456789abcdef", Boot: "sample", OS: "linux",
			}
			if name == "faults" {
				h.Command = []string{"leaky"}
			}
			s.r = NewRecorder(&got, h, RecorderOptions{Clock: s.clock.read})
			sample.run(s)
			if err := s.r.Close(); err != nil {
				t.Fatal(err)
			}
			path := filepath.Join("samples", name+".jsonl")
			if *update {
				if err := os.WriteFile(path, got.Bytes(), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(got.Bytes(), want) {
				t.Errorf("%s is not what the Recorder writes; if it should be, run the test with -update. Got\n%s", path, got.Bytes())
			}
			v, err := Verify(path)
			if err != nil {
				t.Fatal(err)
			}
			if !v.Whole || !strings.HasSuffix(v.Sentence, "nothing lost") {
				t.Error(v.Sentence)
			}
		})
	}
}

// TestSampleFacts reads in the end records what a list shows.
func TestSampleFacts(t *testing.T) {
	quay := func(version string) Implementation { return Implementation{"quay", version} }
	for name, want := range map[string]Info{
		"legacy": {State: Ended, Era: "legacy", Revision: "2025-11-25", Client: quay("3.1.0"), Server: Implementation{"harbour", "0.9.2"}, Messages: Messages{13, 15}},
		"modern": {State: Ended, Era: "modern", Revision: "2026-07-28", Client: quay("4.0.0"), Server: Implementation{"harbour", "1.0.0"}, Messages: Messages{7, 8}},
		"faults": {State: Crashed, Era: "legacy", Revision: "2025-06-18", Client: quay("3.1.0"), Server: Implementation{"leaky", "0.1"}, Messages: Messages{7, 5}},
	} {
		got, err := Inspect(filepath.Join("samples", name+".jsonl"))
		if err != nil {
			t.Fatal(err)
		}
		if got.State != want.State || got.Era != want.Era || got.Revision != want.Revision || got.Client != want.Client || got.Server != want.Server || got.Messages != want.Messages {
			t.Errorf("%s: %+v", name, got)
		}
	}
}
