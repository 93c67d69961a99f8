package tui

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/shakescope/shakescope/annotate"
	"github.com/shakescope/shakescope/jsonrpc"
	"github.com/shakescope/shakescope/recordings"
)

// Times of day are drawn in the local zone.
func init() { time.Local = time.UTC }

// start is the wall clock of all fixtures.
var start = time.Date(2026, 3, 14, 14, 2, 11, 0, time.UTC)

// shelf is a library in memory.
type shelf struct {
	listings []listing
	sources  map[string]*source
	packed   []string // copies of each recording
}

func (s *shelf) list() ([]listing, error)            { return s.listings, nil }
func (s *shelf) resolve(name string) (string, error) { return name, nil }
func (s *shelf) copies(string) []string              { return s.packed }
func (s *shelf) remove(path string, _ bool) error {
	s.listings = slices.DeleteFunc(slices.Clone(s.listings), func(l listing) bool { return l.path == path })
	return nil
}
func (s *shelf) name() string { return "~/.local/state/shakescope/recordings" }
func (s *shelf) open(path string) (*source, error) {
	if src := s.sources[path]; src != nil {
		return src, nil
	}
	return nil, errors.New("no such recording")
}

// driver runs a model without a program: commands at once, timers by its own clock.
type driver struct {
	t      *testing.T
	m      *model
	now    time.Time
	timers []timer
}

type timer struct {
	at  time.Time
	msg tea.Msg
}

type timerMsg timer

func drive(t *testing.T, o Options, lib library, w, h int) *driver {
	t.Helper()
	d := &driver{t: t, now: start.Add(12*time.Minute + 31*time.Second)}
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(cancel)
	m := newModel(ctx, o)
	m.lib = lib
	m.now = func() time.Time { return d.now }
	m.after = func(wait time.Duration, msg tea.Msg) tea.Cmd {
		at := d.now.Add(wait)
		return func() tea.Msg { return timerMsg{at, msg} }
	}
	d.m = m
	t.Cleanup(m.close)
	d.send(tea.WindowSizeMsg{Width: w, Height: h})
	return d
}

// run runs commands and what they lead to, but no timers.
func (d *driver) run(cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	switch msg := cmd().(type) {
	case nil:
	case tea.BatchMsg:
		for _, c := range msg {
			d.run(c)
		}
	case timerMsg:
		d.timers = append(d.timers, timer(msg))
	default:
		d.send(msg)
	}
}

func (d *driver) send(msg tea.Msg) {
	_, cmd := d.m.Update(msg)
	d.run(cmd)
}

// pass lets time go by.
func (d *driver) pass(by time.Duration) {
	end := d.now.Add(by)
	for {
		next := -1
		for i, t := range d.timers {
			if !t.at.After(end) && (next < 0 || t.at.Before(d.timers[next].at)) {
				next = i
			}
		}
		if next < 0 {
			break
		}
		t := d.timers[next]
		d.timers = append(d.timers[:next:next], d.timers[next+1:]...)
		if t.at.After(d.now) {
			d.now = t.at
		}
		d.send(t.msg)
	}
	d.now = end
}

// keys presses keys, named as in the key table.
func (d *driver) keys(keys ...string) {
	for _, k := range keys {
		d.send(press(k))
	}
}

func press(k string) tea.KeyPressMsg {
	special := map[string]rune{"enter": tea.KeyEnter, "esc": tea.KeyEscape, "space": tea.KeySpace, "tab": tea.KeyTab, "backspace": tea.KeyBackspace,
		"up": tea.KeyUp, "down": tea.KeyDown, "left": tea.KeyLeft, "right": tea.KeyRight, "pgdown": tea.KeyPgDown, "pgup": tea.KeyPgUp, "home": tea.KeyHome, "end": tea.KeyEnd}
	if c, ok := special[k]; ok {
		return tea.KeyPressMsg{Code: c}
	}
	if k == "shift+tab" {
		return tea.KeyPressMsg{Code: tea.KeyTab, Mod: tea.ModShift}
	}
	if rest, ok := strings.CutPrefix(k, "ctrl+"); ok {
		return tea.KeyPressMsg{Code: rune(rest[0]), Mod: tea.ModCtrl}
	}
	return tea.KeyPressMsg{Code: []rune(k)[0], Text: k}
}

// list looks at the folder once.
func (d *driver) list() {
	d.m.home.gen++
	list, err := d.m.lib.list()
	d.m.home.listed(listingMsg{d.m.home.gen, list, err})
}

// frame is what is on screen, with styles.
func (d *driver) frame() string { return d.m.View().Content }

// text is what is on screen, without styles and blanks at the right.
func (d *driver) text() string { return textOf(d.frame()) }

// script builds a recording in memory, entry by entry.
type script struct {
	b        batch
	payloads [][]byte
	t        time.Duration
	revision string
	era      string
	phase    annotate.Phase
}

func newScript() *script {
	return &script{phase: annotate.Initialization, b: batch{done: true, caughtUp: true, state: "ended"}}
}

// add appends an entry with its payload.
func (s *script) add(after time.Duration, e annotate.Entry, payload string) annotate.Ref {
	s.t += after
	e.Ref = annotate.Ref{Seq: int64(len(s.b.items) + 1), Sub: annotate.NoSub}
	e.T, e.T0 = s.t, s.t
	e.Session = 1
	e.Size = int64(len(payload))
	if e.Phase == "" {
		e.Phase = s.phase
	}
	if e.Revision == "" && e.Kind != annotate.Stderr {
		e.Revision, e.Era = s.revision, s.era
	}
	it := item{Entry: e}
	if e.Stream != recordings.Control {
		it.EOL = jsonrpc.LF
	}
	if payload != "" {
		s.payloads = append(s.payloads, []byte(payload))
		it.pos, it.length = int64(len(s.payloads)-1), int64(len(payload))
	}
	s.b.items = append(s.b.items, it)
	return e.Ref
}

func (s *script) event(after time.Duration, ev recordings.Event) {
	s.add(after, annotate.Entry{Kind: annotate.EventEntry, Stream: recordings.Control, Event: &ev, Group: ""}, "")
}

// side is who sends.
func side(e *annotate.Entry, from string) {
	e.From, e.Stream = from, recordings.Stdin
	if from == "server" {
		e.Stream = recordings.Stdout
	}
}

func (s *script) request(after time.Duration, from string, id int, e annotate.Entry, params string) annotate.Ref {
	side(&e, from)
	e.Kind, e.ID, e.State = annotate.Request, fmt.Sprint(id), annotate.Pending
	if e.Group == "" {
		e.Group = e.Primitive
	}
	e.Flow = annotate.Ref{Seq: int64(len(s.b.items) + 1), Sub: annotate.NoSub}
	return s.add(after, e, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`, id, e.Method, params))
}

// answer answers the request at, and patches it.
func (s *script) answer(after time.Duration, at annotate.Ref, state annotate.State, body string) annotate.Ref {
	q := s.b.items[at.Seq-1].Entry
	e := annotate.Entry{Kind: annotate.Response, ID: q.ID, Method: q.Method, Target: q.Target, Primitive: q.Primitive, Group: q.Group, Phase: q.Phase,
		Capability: q.Capability, Pair: at, Flow: at, State: state, HasLatency: true}
	if state == annotate.Failed {
		e.Kind = annotate.ErrorAnswer
		m := jsonrpc.Decode([]byte(`{"jsonrpc":"2.0","id":1,` + body + `}`))
		e.Err = m.Err
	}
	side(&e, map[string]string{"client": "server", "server": "client"}[q.From])
	ref := s.add(after, e, fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,%s}`, q.ID, body))
	s.patch(annotate.Patch{At: at, Pair: ref, State: state})
	return ref
}

func (s *script) notify(after time.Duration, from string, e annotate.Entry, params string) annotate.Ref {
	side(&e, from)
	e.Kind = annotate.Notification
	if e.Group == "" {
		e.Group = e.Primitive
	}
	body := ""
	if params != "" {
		body = `,"params":` + params
	}
	return s.add(after, e, fmt.Sprintf(`{"jsonrpc":"2.0","method":%q%s}`, e.Method, body))
}

func (s *script) patch(p annotate.Patch) {
	s.b.patches = append(s.b.patches, patchAt{p, len(s.b.items)})
}

// source is the recording as something that can be opened; its entries come from open below.
func (s *script) source() *source {
	return &source{
		header: &recordings.Header{Start: start, Command: []string{"npx", "-y", "server"}, PID: 4312},
		read: func(pos, length int64) ([]byte, error) {
			if pos < 0 || pos >= int64(len(s.payloads)) {
				return nil, errors.New("no such place")
			}
			return s.payloads[pos], nil
		},
		close: func() {},
	}
}

// on opens the script in a driver as a recording that is read to its end.
func (s *script) on(d *driver) {
	d.m.rec = newSession(d.m, "/recordings/20260314-140211.jsonl", "")
	d.m.rec.src = s.source()
	in := make(chan *batch)
	close(in)
	d.m.rec.in = in
	d.m.rec.follow = false
	d.run(d.m.rec.take(&s.b))
}

func caps(side, path string, state annotate.Declared, at int64) []annotate.Capability {
	return []annotate.Capability{{Side: side, Path: path, State: state, At: at}}
}

// everyday is a session with a bit of everything.
func everyday() *script {
	s := newScript()
	s.b.server, s.b.client = peer{"github-mcp", "1.4.2"}, peer{"claude-code", "2.1.0"}
	code := 0
	s.event(0, recordings.Event{Name: "spawn", Reason: "npx -y github-mcp", PID: 4313})
	life := annotate.Entry{Method: "initialize", Group: "lifecycle"}
	hello := s.request(2*time.Millisecond, "client", 0, life, `{"protocolVersion":"2025-11-25","capabilities":{"roots":{"listChanged":true}},"clientInfo":{"name":"claude-code","version":"2.1.0"}}`)
	s.revision, s.era = "2025-11-25", "legacy"
	s.answer(183*time.Millisecond, hello, annotate.OK, `"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{"listChanged":true},"resources":{"subscribe":true},"logging":{}},"serverInfo":{"name":"github-mcp","version":"1.4.2"},"instructions":"Use search_issues first.\nThen get_file."}`)
	s.notify(time.Millisecond, "client", annotate.Entry{Method: "notifications/initialized", Group: "lifecycle"}, "")
	s.phase = annotate.Operation
	tools := caps("server", "tools", annotate.IsDeclared, 3)
	list := s.request(20*time.Millisecond, "client", 1, annotate.Entry{Method: "tools/list", Primitive: "tools", Capability: tools}, `{}`)
	s.answer(12*time.Millisecond, list, annotate.OK, `"result":{"tools":[{"name":"search_issues","description":"Search issues.","inputSchema":{"type":"object"}},{"name":"get_file","description":"Read a file.","inputSchema":{"type":"object","properties":{"path":{"type":"string"}}}}]}`)
	roots := s.request(3*time.Millisecond, "server", 1, annotate.Entry{Method: "roots/list", Primitive: "roots", Capability: caps("client", "roots", annotate.IsDeclared, 2)}, `{}`)
	s.answer(2*time.Millisecond, roots, annotate.OK, `"result":{"roots":[{"uri":"file:///home/ada/project","name":"project"}]}`)
	call := s.request(2*time.Second, "client", 2, annotate.Entry{Method: "tools/call", Primitive: "tools", Target: "search_issues", Capability: tools, Token: "2"}, `{"name":"search_issues","arguments":{"query":"panic in decoder","limit":50},"_meta":{"progressToken":2}}`)
	for i := 1; i <= 2; i++ {
		s.notify(240*time.Millisecond, "server", annotate.Entry{Method: "notifications/progress", Group: "progress", Flow: call, Progress: &annotate.Progress{Progress: float64(i * 20), Total: 50, Message: "searching"}}, fmt.Sprintf(`{"progressToken":2,"progress":%d,"total":50,"message":"searching"}`, i*20))
	}
	s.answer(266*time.Millisecond, call, annotate.OK, `"result":{"content":[{"type":"text","text":"3 issues found:\n#12 panic on empty input\n#40 panic in decoder\n#77 decoder hangs"}]}`)
	s.add(5*time.Millisecond, annotate.Entry{Kind: annotate.Stderr, Stream: recordings.Stderr}, "rate limit: 4998 of 5000 left")
	get := s.request(4*time.Second, "client", 3, annotate.Entry{Method: "tools/call", Primitive: "tools", Target: "get_file", Capability: tools}, `{"name":"get_file","arguments":{"path":"cmd/main.go"}}`)
	s.answer(2420*time.Millisecond, get, annotate.ToolError, `"result":{"isError":true,"content":[{"type":"text","text":"ENOENT: no such file or directory, open 'cmd/main.go'"}]}`)
	ask := s.request(30*time.Millisecond, "server", 2, annotate.Entry{Method: "elicitation/create", Primitive: "elicitation", Capability: caps("client", "elicitation", annotate.Undeclared, 0),
		Findings: []annotate.Finding{{Rule: "capability-undeclared", Level: annotate.LevelError, By: "server", Message: "the server asks for elicitation, which the client did not declare", Spec: "2025-11-25/client/elicitation", Related: []annotate.Ref{{Seq: 2, Sub: annotate.NoSub}}}}},
		`{"message":"Which repository?","requestedSchema":{"type":"object","properties":{"repo":{"type":"string"}}}}`)
	s.answer(4*time.Millisecond, ask, annotate.Failed, `"error":{"code":-32601,"message":"Method not found"}`)
	s.add(40*time.Second, annotate.Entry{Kind: annotate.Invalid, Stream: recordings.Stdout, From: "", Reason: "not_json",
		Findings: []annotate.Finding{{Rule: "stdout-not-json", Level: annotate.LevelError, By: "server", Message: "a line on stdout is not JSON: \"DEBUG cache warm\""}}}, "DEBUG cache warm")
	s.notify(time.Second, "server", annotate.Entry{Method: "notifications/resources/updated", Primitive: "resources", Target: "repo://readme", Capability: caps("server", "resources.subscribe", annotate.IsDeclared, 3),
		Findings: []annotate.Finding{{Rule: "update-without-subscription", Level: annotate.LevelWarning, By: "server", Message: "nobody subscribed to repo://readme"}}}, `{"uri":"repo://readme"}`)
	slow := s.request(time.Second, "client", 4, annotate.Entry{Method: "tools/call", Primitive: "tools", Target: "create_issue", Capability: tools}, `{"name":"create_issue","arguments":{"title":"Decoder hangs"}}`)
	s.phase = annotate.Shutdown
	s.event(8*time.Second, recordings.Event{Name: "client_closed_stdin"})
	s.event(20*time.Millisecond, recordings.Event{Name: "exit", Code: &code})
	s.b.stats = &annotate.Stats{
		Messages: annotate.Sides[annotate.MessageCounts]{Client: annotate.MessageCounts{Request: 5, Notification: 1, Response: 1, Error: 1}, Server: annotate.MessageCounts{Request: 2, Notification: 3, Response: 4}},
		Bytes:    annotate.ByteCounts{Client: 812, Server: 1490, Stderr: 29}, Unanswered: 1, Invalid: 1, ToolErrors: 1,
		Latency:         annotate.Latencies{N: 6, Min: 2 * time.Millisecond, Median: 12 * time.Millisecond, P95: 2420 * time.Millisecond, Max: 2420 * time.Millisecond},
		LatencyByMethod: map[string]annotate.Latencies{"client tools/call": {N: 2, Min: 746 * time.Millisecond, Median: 746 * time.Millisecond, P95: 2420 * time.Millisecond, Max: 2420 * time.Millisecond}, "server roots/list": {N: 1, Min: 2 * time.Millisecond, Median: 2 * time.Millisecond, P95: 2 * time.Millisecond, Max: 2 * time.Millisecond}},
	}
	s.patch(annotate.Patch{At: slow, Findings: []annotate.Finding{{Rule: "request-unanswered", Level: annotate.LevelWarning, By: "server", Message: "never answered: the client closed its end first"}}})
	return s
}

// mustJSON is for payloads with text that needs escaping.
func mustJSON(t *testing.T, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
