package tui

import (
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/shakescope/shakescope/annotate"
	"github.com/shakescope/shakescope/recordings"
)

func TestSearch(t *testing.T) {
	d := drive(t, Options{}, &shelf{}, 120, 40)
	everyday().on(d)
	d.keys("ctrl+f")
	d.typeIn("main.go")
	d.keys("enter")
	d.want(14)
	d.shows("match 1 of 2")
	if !strings.Contains(d.frame(), "\x1b[0;"+d.m.th.sgr[roleMatch]+"mmain.go") {
		t.Errorf("the match is not highlighted: %q", d.frame())
	}
	d.keys("n")
	d.want(15)
	d.keys("n")
	d.want(14)
	d.shows("went on at the top")
	d.keys("N", "N")
	d.want(14)
	d.keys("ctrl+f")
	d.typeIn("nowhere")
	d.keys("enter")
	d.shows("not found: nowhere")
	d.want(14)
	d.run(d.m.rec.apply("kind == request", nil, false))
	d.keys("ctrl+f")
	d.typeIn("ENOENT")
	d.keys("enter")
	d.shows("hidden")
}

func TestSearchInMessage(t *testing.T) {
	d := drive(t, Options{}, &shelf{}, 80, 24)
	everyday().on(d)
	d.keys(":", "1", "2", "enter", "enter", "]", "/")
	d.typeIn("#40")
	d.keys("enter")
	line := strings.Split(d.text(), "\n")[2+d.m.rec.detail.cur-d.m.rec.detail.top]
	if !strings.Contains(line, "#40 panic in decoder") {
		t.Errorf("the cursor is at %q", line)
	}
	d.keys("[", "g", "n")
	d.shows("#40")
	if !strings.Contains(d.m.rec.detail.lineText(d.m.rec.detail.cur), "#40") {
		t.Errorf("the cursor is at %q", d.m.rec.detail.lineText(d.m.rec.detail.cur))
	}
}

func TestMarksAndNotes(t *testing.T) {
	d := drive(t, Options{}, &shelf{}, 120, 40)
	everyday().on(d)
	rec := d.m.rec
	rec.notes.path = filepath.Join(t.TempDir(), "a.jsonl"+recordings.NotesSuffix)
	d.keys("e", "m", "a")
	d.shows("mark a at #15")
	d.keys("G", "'", "a")
	d.want(15)
	d.keys("'", "'")
	d.want(22)
	d.keys("'", "b")
	d.shows("no mark b")
	d.keys(";")
	d.typeIn("the end, at last")
	d.keys("enter")
	d.shows("¶ the end, at last")
	d.keys("M")
	d.shows("marks and notes", "#15 tools/call", "the end, at last")
	d.keys("a")
	d.want(15)
	d.run(rec.apply("mark || note", nil, false))
	d.wantShown(15, 22)
	st, err := os.Stat(rec.notes.path)
	if err != nil {
		t.Fatal(err)
	}
	if runtime.GOOS != "windows" && st.Mode().Perm() != 0o600 {
		t.Errorf("mode %v", st.Mode())
	}
	got, err := readNotes(rec.notes.path)
	if err != nil {
		t.Fatal(err)
	}
	at := annotate.Ref{Seq: 15, Sub: annotate.NoSub}
	if got.marks['a'] != at || got.noteOf(annotate.Ref{Seq: 22, Sub: annotate.NoSub}) != "the end, at last" {
		t.Errorf("%+v", got)
	}
	d.keys("m", "a") // off again
	if got, err := readNotes(rec.notes.path); err != nil || len(got.marks) != 0 {
		t.Errorf("%+v %v", got, err)
	}
	left, err := os.ReadDir(filepath.Dir(rec.notes.path))
	if err != nil || len(left) != 1 {
		t.Errorf("%v %v", left, err)
	}
}

func TestBadNotes(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x"+recordings.NotesSuffix)
	for _, text := range []string{"{", `{"shakescope_notes":2}`, "[]"} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		n, err := readNotes(path)
		if err == nil || n == nil || n.path != "" {
			t.Errorf("%s: %+v, %v: what cannot be read must not be written over", text, n, err)
		}
	}
}

func TestNotesAreRead(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "r.jsonl")
	n := newNotes(path + recordings.NotesSuffix)
	n.mark('q', annotate.Ref{Seq: 3, Sub: annotate.NoSub})
	n.mark('r', annotate.Ref{Seq: 4, Sub: 1})
	n.note(annotate.Ref{Seq: 3, Sub: annotate.NoSub}, " look here ")
	if err := saveNotes(n.path, n.data()); err != nil {
		t.Fatal(err)
	}
	d := drive(t, Options{}, &shelf{}, 80, 24)
	s := everyday()
	s.on(d)
	d.m.rec.path = path
	d.run(d.m.rec.readNotesOf())
	d.keys("'", "q")
	d.want(3)
	if got := d.m.rec.notes.marks['r']; got != (annotate.Ref{Seq: 4, Sub: 1}) {
		t.Errorf("%v", got)
	}
}

// copied is what the last command puts on the clipboard.
func (d *driver) copied(keys ...string) string {
	d.t.Helper()
	var text string
	var find func(cmd tea.Cmd)
	find = func(cmd tea.Cmd) {
		if cmd == nil {
			return
		}
		switch msg := cmd().(type) {
		case tea.BatchMsg:
			for _, c := range msg {
				find(c)
			}
		case timerMsg, nil:
		default:
			if got, ok := clipboardText(msg); ok {
				text = got
				return
			}
			_, next := d.m.Update(msg)
			find(next)
		}
	}
	for _, k := range keys {
		_, cmd := d.m.Update(press(k))
		find(cmd)
	}
	return text
}

// clipboardText is the text of the library's message, which has no exported type.
func clipboardText(msg tea.Msg) (string, bool) {
	want := tea.SetClipboard("x")()
	if typeName(msg) != typeName(want) {
		return "", false
	}
	return stringOf(msg), true
}

func TestCopy(t *testing.T) {
	d := drive(t, Options{}, &shelf{}, 120, 40)
	everyday().on(d)
	d.keys(":", "1", "4", "enter")
	raw := `{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"get_file","arguments":{"path":"cmd/main.go"}}}`
	if got := d.copied("y", "r"); got != raw {
		t.Errorf("raw line: %q", got)
	}
	d.shows("copied raw line, 110 B (OSC 52)")
	if got := d.copied("y", "i"); got != "3" {
		t.Errorf("id: %q", got)
	}
	if got := d.copied("y", "c"); !strings.HasPrefix(got, "shakescope resend ") || !strings.HasSuffix(got, " --seq 14") {
		t.Errorf("command: %q", got)
	}
	if got := d.copied("y", "P"); !strings.Contains(got, "\n  ") || !json.Valid([]byte(got)) {
		t.Errorf("pretty: %q", got)
	}
	d.keys("enter", "]", "G")
	for key, want := range map[string]string{"y": "cmd/main.go", "p": "/params/arguments/path", "q": ".params.arguments.path", "k": "path"} {
		if got := d.copied("y", key); got != want {
			t.Errorf("%s: %q, want %q", key, got, want)
		}
	}
	if got := d.m.rec.testOf(); got != `params.arguments.path == "cmd/main.go"` {
		t.Errorf("filter of the value: %s", got)
	}
	d.keys("+")
	d.wantShown(14, 15)
	d.keys("ctrl+l", "Y")
	if len(d.m.printed) != 1 || d.m.printed[0] != "cmd/main.go" {
		t.Errorf("printed on exit: %q", d.m.printed)
	}
}

// What a terminal would refuse for its size goes to a file.
func TestCopyLarge(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	d := drive(t, Options{}, &shelf{}, 120, 40)
	s := newScript()
	s.notify(0, "server", annotate.Entry{Method: "x"}, `"`+strings.Repeat("a", copyMax)+`"`)
	s.on(d)
	if got := d.copied("y", "r"); got != "" {
		t.Errorf("%d bytes went to the clipboard", len(got))
	}
	d.shows("too much for a terminal's clipboard")
}

func TestExport(t *testing.T) {
	d := drive(t, Options{}, &shelf{}, 120, 40)
	everyday().on(d)
	d.run(d.m.rec.apply("tool == get_file", nil, false))
	dir := t.TempDir()
	out := filepath.Join(dir, "out.jsonl")
	d.keys("X")
	d.shows("export 2 entries, as shown")
	d.keys("j", "ctrl+u")
	d.typeIn(out)
	d.keys("enter")
	d.shows("wrote 2 entries")
	data, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	var seqs []int64
	for _, line := range strings.Split(strings.TrimSpace(string(data)), "\n") {
		var e struct {
			Seq     int64
			Pair    int64
			State   string
			Method  string
			Latency float64         `json:"latency_ms"`
			Raw     json.RawMessage `json:"raw"`
			Summary string
		}
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatal(err)
		}
		seqs = append(seqs, e.Seq)
		if e.State != "tool_error" || e.Method != "tools/call" || e.Pair != 29-e.Seq || len(e.Raw) < 50 || e.Summary == "" || e.Seq == 15 && e.Latency != 2420 {
			t.Errorf("%s", line)
		}
	}
	if len(seqs) != 2 || seqs[0] != 14 {
		t.Errorf("exported %v", seqs)
	}
	d.run(d.m.rec.export(out, true)) // it is there
	d.shows("exists")
	text := filepath.Join(dir, "out.txt")
	d.run(d.m.rec.export(text, false))
	data, err = os.ReadFile(text)
	if err != nil || strings.Count(string(data), "\n") != 2 || !strings.Contains(string(data), "ENOENT") {
		t.Errorf("%s %v", data, err)
	}
}

func TestRawModes(t *testing.T) {
	d := drive(t, Options{}, &shelf{}, 80, 24)
	s := newScript()
	q := s.request(0, "client", 1, annotate.Entry{Method: "tools/call"}, `{"text":"`+strings.Repeat("0123456789", 40)+`世界"}`)
	s.answer(time.Second, q, annotate.OK, `"result":{}`)
	s.on(d)
	d.keys("enter", "]")
	d.shows("▾")
	d.keys("w")
	lines := strings.Split(d.text(), "\n")
	if got := strings.TrimSpace(lines[2]) + strings.TrimSpace(lines[3]) + strings.TrimSpace(lines[4]); !strings.HasPrefix(got, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"text":"0123456789`) {
		t.Errorf("wrapped: %s", got)
	}
	d.keys("G")
	d.shows(`世界"}}`)
	d.keys("x")
	d.shows("00000000  7b 22 6a 73", `{"jsonrpc":"2.0"`)
	d.keys("G")
	d.shows("e4 b8 96 e7 95 8c")
	d.keys("x")
	d.shows("▾")
	checkFrame(t, d.frame(), 80, 24)
}

func TestPalette(t *testing.T) {
	d := drive(t, Options{}, &shelf{}, 120, 40)
	everyday().on(d)
	d.keys(":")
	d.typeIn("next-er")
	d.keys("tab", "enter")
	d.want(15)
	d.keys(":", "up", "enter")
	d.want(16)
	d.keys(":")
	d.typeIn("filter kind == stderr")
	d.keys("enter")
	d.wantShown(13)
	d.keys(":")
	d.typeIn("catal")
	d.keys("tab", "enter")
	d.shows("catalogue")
}

// One key leads from an entry to what its finding means.
func TestExplain(t *testing.T) {
	d := drive(t, Options{}, &shelf{}, 80, 24)
	s := newScript()
	s.notify(0, "server", annotate.Entry{Method: "x", Findings: []annotate.Finding{{Rule: annotate.Rules()[0].ID, Level: annotate.LevelError, By: "server", Message: "so it is"}}}, "")
	s.on(d)
	d.keys("i")
	d.shows("so it is", "why", "fix")
}

func TestStatsLink(t *testing.T) {
	d := drive(t, Options{}, &shelf{}, 120, 40)
	everyday().on(d)
	d.keys("7", "j", "j", "j", "j", "j", "j", "j")
	for _, want := range []string{"kind == response", "kind == error"} {
		d.m.rec.show("7")
		d.text()
		st := d.m.rec.screen().(*statsScreen)
		st.cur = -1
		for i, l := range st.lines {
			if l.filter == want {
				st.cur = i
			}
		}
		d.keys("enter")
		if d.m.rec.view.text != want || d.m.rec.cur.key != "1" || len(d.shownSeqs()) == 0 {
			t.Errorf("%s: %q shows %v", want, d.m.rec.view.text, d.shownSeqs())
		}
	}
	// Every link of the screen is a filter that can be applied.
	for _, l := range d.m.rec.screens["7"].(*statsScreen).lines {
		if l.filter != "" {
			if _, err := whole(l.filter, nil); err != nil {
				t.Errorf("%s: %v", l.filter, err)
			}
		}
	}
}

func TestCatalogueLink(t *testing.T) {
	d := drive(t, Options{}, &shelf{}, 120, 40)
	everyday().on(d)
	d.keys("6")
	d.text()
	d.keys("j", "j", "j")
	d.text()
	d.keys("enter")
	if d.m.rec.cur.key != "1" || !strings.HasPrefix(d.m.rec.view.text, "tool == ") {
		t.Errorf("enter leads to screen %s, filter %q", d.m.rec.cur.key, d.m.rec.view.text)
	}
}

func TestOnlyStderr(t *testing.T) {
	d := drive(t, Options{}, &shelf{}, 120, 40)
	s := newScript()
	s.event(0, recordings.Event{Name: "spawn"})
	s.add(time.Second, annotate.Entry{Kind: annotate.Stderr, Stream: recordings.Stderr}, "Error: API_KEY is not set")
	s.on(d)
	d.shows("the server has only written to stderr", "last line: Error: API_KEY is not set")
}

func TestOddText(t *testing.T) {
	for text, want := range map[string]bool{
		`{"a":"plain, ünïcode 世界 \n\t\" \\u001b"}`: false, `{"a":"\u001b[31m"}`: true, "{\"a\":\"\x1b[31m\"}": true, `{"a":"\u202e"}`: true, "a\xff": true, "tab\tand\r\n": false, "": false,
		`{"a":"\ud83d\ude00"}`: false, strings.Repeat("é", oddLook): false,
	} {
		if oddText([]byte(text)) != want {
			t.Errorf("%.40q: not %v", text, want)
		}
	}
}

func TestTimelineByMethod(t *testing.T) {
	d := drive(t, Options{}, &shelf{}, 120, 40)
	everyday().on(d)
	d.keys("3", "v")
	d.shows("tools/call get_file", "1×")
	d.keys("j", "k", "+", "v")
	checkFrame(t, d.frame(), 120, 40)
}

func TestLadderIdle(t *testing.T) {
	d := drive(t, Options{}, &shelf{}, 120, 40)
	everyday().on(d)
	d.keys("2")
	for range 30 {
		d.keys("j")
	}
	d.shows("40.0 s idle")
	d.want(22)
	for range 30 {
		d.keys("k")
	}
	d.want(1)
	d.keys("c")
	if got := len(d.shownSeqs()); got != 20 {
		t.Errorf("%d rows without progress, want 20", got)
	}
}

func TestReplayInFlight(t *testing.T) {
	d := drive(t, Options{}, &shelf{}, 120, 40)
	everyday().on(d)
	d.keys("R", "space", "g", ".")
	d.shows("in flight 1")
	d.keys(".")
	if strings.Contains(d.text(), "in flight") {
		t.Error("answered, and in flight all the same")
	}
	d.keys(",")
	d.shows("in flight 1")
}
