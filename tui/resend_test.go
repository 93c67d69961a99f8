package tui

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/shakescope/shakescope/annotate"
	mcp "github.com/shakescope/shakescope/internal/peer"
	"github.com/shakescope/shakescope/jsonrpc"
	"github.com/shakescope/shakescope/recordings"
)

// understudy makes requests again without a server.
type understudy struct {
	found   *mcp.Recorded
	findErr error
	reason  string // why the recorded command may not be started
	answer  string // the message
	sentErr error
	noReply error

	asked []annotate.Ref
	sent  []mcp.Request
	wait  chan struct{} // nil: answers at once
}

func (u *understudy) find(_ string, ref annotate.Ref) (*mcp.Recorded, error) {
	u.asked = append(u.asked, ref)
	return u.found, u.findErr
}

func (u *understudy) mayRun(string, *recordings.Header) (string, bool) {
	return u.reason, u.reason == ""
}

func (u *understudy) send(ctx context.Context, r mcp.Request) (*mcp.Resent, error) {
	u.sent = append(u.sent, r)
	if u.wait != nil {
		close(u.wait)
		<-ctx.Done()
	}
	if u.sentErr != nil {
		return nil, u.sentErr
	}
	out := &mcp.Resent{Opening: &mcp.Exchange{Answer: mcp.Answer{Latency: 14 * time.Millisecond}}, Recording: "/recordings/20260314-150000.jsonl"}
	if out.Err = cmpErr(ctx.Err(), u.noReply); out.Err != nil {
		out.End.Words = []string{"cannot open the database"}
		return out, nil
	}
	m := jsonrpc.Decode([]byte(u.answer))
	out.Answer = mcp.Answer{Raw: []byte(u.answer), Result: m.Result, Latency: 3 * time.Millisecond}
	if m.Err != nil {
		out.Answer.Fault = &mcp.Fault{Code: m.Err.Code, Message: m.Err.Message}
	}
	return out, nil
}

func cmpErr(a, b error) error {
	if a != nil {
		return a
	}
	return b
}

// encore is a call that is to be made again.
func encore() *understudy {
	return &understudy{
		found: &mcp.Recorded{
			Ref: refOf(8), Method: "tools/call", Target: "search_issues", State: annotate.OK, Latency: 746 * time.Millisecond, Replies: &mcp.Replies{},
			Line:      []byte(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"search_issues","arguments":{"query":"panic in decoder","limit":50,"labels":["bug"]}}}`),
			Answer:    []byte(`{"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"3 issues found"}],"structuredContent":{"total":3,"more":false}}}`),
			Handshake: [][]byte{[]byte(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{}}`)},
			Header:    &recordings.Header{Command: []string{"npx", "-y", "github-mcp", "--name", "a b"}, Dir: "/gone/for/good", Env: []string{"SHAKESCOPE_TEST_TOKEN_THAT_IS_NOT_SET"}},
		},
		answer: `{"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"4 issues found"}],"structuredContent":{"total":4,"extra":null}}}`,
	}
}

// encores opens the dialog on everyday's call.
func encores(t *testing.T, u *understudy, w, h int) *driver {
	t.Helper()
	d := drive(t, Options{}, &bookcase{}, w, h)
	d.m.resends = u
	everyday().on(d)
	d.run(d.m.rec.goToSeq(9))
	d.keys("r")
	if d.m.resend == nil {
		t.Fatalf("no dialog:\n%s", d.text())
	}
	return d
}

func TestResendAsksFirst(t *testing.T) {
	u := encore()
	d := encores(t, u, 120, 40)
	if want := refOf(9); len(u.asked) != 1 || u.asked[0] != want {
		t.Errorf("looked for %v, want %v", u.asked, want)
	}
	d.shows("npx -y github-mcp --name 'a b'", "the recorded command", "/gone/for/good is gone", "SHAKESCOPE_TEST_TOKEN_THAT_IS_NOT_SET", "panic in decoder", "start the server")
	d.keys("j", "k", "G", "g", "space", "b", "?", "esc", "u")
	if len(u.sent) != 0 {
		t.Fatal("a server was started without a word")
	}
	d.keys("y")
	if len(u.sent) != 1 || !slices.Equal(u.sent[0].Words, u.found.Header.Command) || u.sent[0].Dir != "" || string(u.sent[0].Line) != string(u.found.Line) || len(u.sent[0].Handshake) != 1 {
		t.Fatalf("sent %+v", u.sent)
	}
	d.shows("recorded", "now", "4 differences", "/result/structuredContent/total", "handshake", "4 issues found")
	d.pass(5 * time.Second)
	d.shows("recorded as 20260314-150000")
}

func TestResendEdits(t *testing.T) {
	u := encore()
	d := encores(t, u, 120, 40)
	line := func() string { return string(d.m.resend.line) }
	d.keys("enter") // the first argument
	d.shows("params.arguments.query = ")
	d.keys("ctrl+u")
	d.keys(spelt(nil, `"broken`)...)
	d.shows("✗ ")
	d.keys("enter") // does nothing while it is wrong
	if d.m.prompt == nil || line() != string(u.found.Line) {
		t.Fatal("a broken value was taken")
	}
	d.keys(spelt(nil, ` é"`, "enter")...)
	if !strings.Contains(line(), `"query":"broken é","limit":50`) {
		t.Errorf("the request is %s", line())
	}
	d.keys(spelt([]string{"s"}, "limit=7", "enter")...)
	d.keys(spelt([]string{"s", "ctrl+u"}, "params.arguments.owner=ada", "enter")...)
	if !strings.Contains(line(), `"limit":7`) || !strings.Contains(line(), `"owner":"ada"`) {
		t.Errorf("the request is %s", line())
	}
	d.shows("changed: params.arguments.query, params.arguments.limit, params.arguments.owner")
	d.keys(spelt([]string{"s", "ctrl+u"}, "params.name.x=1")...)
	d.shows("✗")
	d.keys("esc")
	d.keys(spelt([]string{"s", "ctrl+u"}, "method=5", "enter")...)
	d.shows("no request any more")
	d.keys("a")
	d.shows("params.arguments = ")
	d.keys("ctrl+u")
	d.send(tea.PasteMsg{Content: "{\n  \"query\": \"x\"\n}"})
	d.keys("enter", "y")
	if len(u.sent) != 1 || !strings.Contains(string(u.sent[0].Line), `"arguments":{  "query": "x"}`) {
		t.Fatalf("sent %s", u.sent[0].Line)
	}
	d.keys("r", "u")
	if line() != string(u.found.Line) || len(d.m.resend.edited) != 0 {
		t.Error("the recorded request does not come back")
	}
}

// A command out of a foreign recording is shown and not run; the user types one.
func TestResendForeignCommand(t *testing.T) {
	u := encore()
	u.reason = "the recording was not written on this machine"
	d := encores(t, u, 120, 40)
	d.shows("the recorded command is not started, because the recording was not written on this machine", "it was: npx -y github-mcp", "none yet")
	d.keys("y")
	if len(u.sent) != 0 || d.m.prompt == nil {
		t.Fatal("something was started, or no command is asked for")
	}
	d.keys(spelt(nil, `node 'my server.js' "--x`)...)
	d.keys("enter")
	d.shows("this quote is not closed")
	d.keys(spelt(nil, `=1"`, "enter")...)
	if len(u.sent) != 0 {
		t.Fatal("typing a command started it")
	}
	d.shows("your command")
	d.keys("G", "enter")
	if len(u.sent) != 1 || !slices.Equal(u.sent[0].Words, []string{"node", "my server.js", "--x=1"}) || u.sent[0].Dir != "" {
		t.Fatalf("sent %+v", u.sent)
	}
}

func TestResendStops(t *testing.T) {
	u := encore()
	u.wait = make(chan struct{})
	d := encores(t, u, 80, 24)
	_, cmd := d.m.Update(press("y"))
	done := make(chan tea.Msg, 1)
	for _, c := range cmd().(tea.BatchMsg) {
		go func() {
			if msg := c(); msg != nil {
				if _, timer := msg.(timerMsg); !timer {
					done <- msg
				}
			}
		}()
	}
	<-u.wait
	d.now = d.now.Add(4 * time.Second)
	d.send(errandTick{d.m.resend.id, d.m.resend.run})
	d.shows("WAITING for the answer · 4s", "esc stops the server")
	d.keys("y", "a", "c", "r", "enter") // not while it runs
	if len(u.sent) != 1 || d.m.prompt != nil {
		t.Fatal("keys act on a request that is under way")
	}
	d.keys("esc")
	d.shows("STOPPING the server")
	d.send(<-done)
	d.shows("no answer: context canceled", "cannot open the database")
	d.keys("esc", "esc")
	if d.m.resend != nil || d.m.rec == nil {
		t.Error("esc does not lead back to the recording")
	}
}

// Leaving the dialog, or the program, while the server runs ends it.
func TestResendLeft(t *testing.T) {
	u := encore()
	u.wait = make(chan struct{})
	d := encores(t, u, 80, 24)
	_, cmd := d.m.Update(press("y"))
	for _, c := range cmd().(tea.BatchMsg) {
		go c()
	}
	<-u.wait
	ended := d.m.resend.ended
	d.m.close()
	select {
	case <-ended:
	default:
		t.Error("the program ends before the server is gone")
	}
}

func TestResendFails(t *testing.T) {
	u := encore()
	u.sentErr = errors.New("starting the server: no such file")
	d := encores(t, u, 80, 24)
	d.keys("y")
	d.shows("✗ starting the server: no such file", "panic in decoder")
	d.keys("c", "esc", "esc")
	if d.m.rec == nil {
		t.Error("esc does not lead back")
	}
	u = &understudy{findErr: errors.New("#9 is gone")}
	d = encores(t, u, 80, 24)
	d.shows("#9 is gone")
	d.keys("y", "a", "s", "c", "enter", "u", "G", "D", "esc")
	if d.m.rec == nil || len(u.sent) != 0 {
		t.Error("esc does not lead back")
	}
}

func TestResendOpensTheRun(t *testing.T) {
	d := encores(t, encore(), 120, 40)
	dialog := d.m.resend
	d.keys("y")
	d.m.lib = &shelf{sources: map[string]*source{}}
	d.keys("o")
	if d.m.rec == nil || d.m.rec.path != "/recordings/20260314-150000.jsonl" {
		t.Fatal("the new recording is not opened")
	}
	d.keys("esc")
	if d.m.resend != dialog || dialog.sent == nil {
		t.Fatalf("esc does not lead back to the answer:\n%s", d.text())
	}
	d.keys("esc")
	d.shows("start the server")
	d.keys("esc")
	if d.m.rec == nil || len(d.m.layers) != 0 {
		t.Error("esc does not lead back to the recording")
	}
}

func TestResendNotHere(t *testing.T) {
	d := drive(t, Options{File: "/recordings/20260314-140211.jsonl", Title: "standard input"}, &bookcase{}, 120, 40)
	everyday().on(d)
	d.keys("r")
	d.shows("not of a recording that comes through a pipe")
	d = drive(t, Options{}, &bookcase{}, 120, 40)
	everyday().on(d)
	for _, seq := range []int64{1, 4, 7, 8 + 2, 14} { // an event, a notification, the server's requests, …
		d.run(d.m.rec.goToSeq(seq))
		i := d.m.rec.sel
		if r := d.m.rec.rows.at(i); r.kind() == kindRequest && r.flags&fromServer == 0 || r.isAnswer() && r.flags&fromServer != 0 {
			continue
		}
		d.keys("r")
		if d.m.resend != nil {
			t.Fatalf("#%d opens the dialog", seq)
		}
	}
}

func TestSplitWords(t *testing.T) {
	for _, c := range []struct {
		text string
		want []string
		at   int // of the slip, none for none
	}{
		{"", nil, none},
		{"  a  b\tc ", []string{"a", "b", "c"}, none},
		{`a "b c" 'd "e' f\ g`, []string{"a", "b c", `d "e`, "f g"}, none},
		{`"" ''`, []string{"", ""}, none},
		{`a"b"'c'`, []string{"abc"}, none},
		{`C:\dir\x.exe "C:\a b\c"`, []string{`C:\dir\x.exe`, `C:\a b\c`}, none},
		{`\"a\\b`, []string{`"a\b`}, none},
		{`$HOME ; rm -rf | x`, []string{"$HOME", ";", "rm", "-rf", "|", "x"}, none},
		{`a "b`, nil, 2},
		{`a 'b"`, nil, 2},
	} {
		got, slip := splitWords(c.text)
		at := none
		if slip != nil {
			at = slip.at
		}
		if !slices.Equal(got, c.want) || at != c.at {
			t.Errorf("splitWords(%q) = %q, slip at %d; want %q, %d", c.text, got, at, c.want, c.at)
		}
	}
	for _, words := range [][]string{{"a", "b c", `d'e`, `f"g'h`, `C:\x`, `\\srv\a b`, "", `\`, `a\'b "c`}} {
		if got, slip := splitWords(quotedWords(words)); slip != nil || !slices.Equal(got, words) {
			t.Errorf("%q comes back as %q", words, got)
		}
	}
}

func TestDotted(t *testing.T) {
	for pointer, want := range map[string]string{
		"/params/arguments/list/0/x": "params.arguments.list[0].x", "/params/a.b": "/params/a.b", "/params/a~1b": "/params/a~1b", "/params": "params", "/params/": "params.",
	} {
		if got := dotted(pointer); got != want {
			t.Errorf("dotted(%q) = %q, want %q", pointer, got, want)
		}
	}
}

// What a server answers cannot act on the terminal.
func TestResendHostileText(t *testing.T) {
	evil := "\x1b]52;c;YWJj\x07\u202eevil" + strings.Repeat("日本語", 80)
	u := encore()
	u.found.Header.Command = []string{evil, evil}
	u.found.Header.Dir, u.found.Header.Env = evil, []string{evil}
	u.found.Line = []byte(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"arguments":{` + quoted(evil) + `:` + quoted(evil) + `}}}`)
	u.answer = `{"jsonrpc":"2.0","id":2,"error":{"code":1,"message":` + quoted(evil) + `}}`
	for _, size := range sizes {
		d := encores(t, u, size.w, size.h)
		checkFrame(t, d.frame(), size.w, size.h)
		d.keys("enter")
		checkFrame(t, d.frame(), size.w, size.h)
		d.keys("esc", "c")
		checkFrame(t, d.frame(), size.w, size.h)
		d.keys("esc", "y")
		checkFrame(t, d.frame(), size.w, size.h)
		d.keys("G")
		checkFrame(t, d.frame(), size.w, size.h)
	}
}
