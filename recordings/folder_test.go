package recordings

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

const (
	discoverAsked = `{"jsonrpc":"2.0","id":"p","method":"server/discover","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"cl","version":"2"}}}}` + "\n"
	discoverTold  = `{"jsonrpc":"2.0","id":"p","result":{"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"srv","version":"3"}}}}` + "\n"
	initAsked     = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","clientInfo":{"name":"cl","version":"1.0"}}}` + "\n"
	initTold      = `{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-06-18","serverInfo":{"name":"srv","version":"0.1"}}}` + "\n"
)

// make1 makes a recording in dir. Unless it is left open, it ends as a server that was asked to.
func make1(t *testing.T, dir string, h Header, open bool, lines ...string) *Recorder {
	t.Helper()
	r, err := Create(dir, h, RecorderOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for i, line := range lines {
		r.Chunk(Stdin+Stream(i%2), []byte(line))
	}
	if open {
		return r
	}
	code := 0
	r.Event(Event{Name: "client_closed_stdin"})
	r.Event(Event{Name: "exit", Code: &code})
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	return r
}

func TestList(t *testing.T) {
	dir := t.TempDir()
	at := func(s int) Header {
		h := NewHeader([]string{"srv", "x"})
		h.Start = time.Unix(1_800_000_000+int64(s), 0)
		return h
	}
	legacy := make1(t, dir, at(0), false, initAsked, initTold, "[{\"jsonrpc\":\"2.0\",\"method\":\"a\"},1,{\"jsonrpc\":\"2.0\",\"method\":\"b\"}]\n")
	early := make1(t, dir, at(80), false, discoverAsked, discoverTold)
	probe := make1(t, dir, at(100), false, discoverAsked, discoverTold)
	modern := make1(t, dir, at(103), false, discoverAsked, discoverTold, `{"jsonrpc":"2.0","id":1,"method":"ping"}`+"\n")
	demo := at(200)
	demo.Demo = true
	demoRun := make1(t, dir, demo, false, initAsked, initTold)
	live := make1(t, dir, at(50), true, initAsked, initTold)
	for name, text := range map[string]string{"notes.txt": "x", "foreign.jsonl": "hello\n", ".new-x.jsonl": "{\"shakescope\":1}\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	whole, err := os.ReadFile(legacy.Path())
	if err != nil {
		t.Fatal(err)
	}
	cutPath := filepath.Join(dir, "cut.jsonl")
	if err := os.WriteFile(cutPath, whole[:len(whole)-100], 0o600); err != nil {
		t.Fatal(err)
	}
	waitFor(t, func() bool { i, err := Inspect(live.Path()); return err == nil && i.Messages.Server == 1 })

	list, err := Folder{dir}.List()
	if err != nil {
		t.Fatal(err)
	}
	got := ""
	for _, i := range list {
		name := map[string]string{legacy.ID(): "legacy", early.ID(): "early", probe.ID(): "probe", modern.ID(): "modern", demoRun.ID(): "demo", live.ID(): "live"}[i.ID]
		if name == "" {
			name = i.ID
		}
		of := ""
		if i.ProbeOf == modern.ID() {
			of = " probe of modern"
		}
		got += fmt.Sprintf("%s %s %s/%s %s/%s %s %s %d+%d bytes=%d gaps=%d demo=%v%s\n", name, i.State, i.Client.Name, i.Client.Version, i.Server.Name, i.Server.Version,
			i.Revision, i.Era, i.Messages.Client, i.Messages.Server, i.Bytes, i.Gaps, i.Demo, of)
	}
	want := fmt.Sprintf(`demo ended cl/1.0 srv/0.1 2025-06-18 legacy 1+1 bytes=%[1]d gaps=0 demo=true
modern ended cl/2 srv/3 2026-07-28 modern 2+1 bytes=%[3]d gaps=0 demo=false
probe ended cl/2 srv/3 2026-07-28 modern 1+1 bytes=%[2]d gaps=0 demo=false probe of modern
early ended cl/2 srv/3 2026-07-28 modern 1+1 bytes=%[2]d gaps=0 demo=false
live live cl/1.0 srv/0.1 2025-06-18 legacy 1+1 bytes=%[1]d gaps=0 demo=false
cut cut cl/1.0 srv/0.1 2025-06-18 legacy 3+1 bytes=%[4]d gaps=0 demo=false
legacy ended cl/1.0 srv/0.1 2025-06-18 legacy 3+1 bytes=%[4]d gaps=0 demo=false
`, len(initAsked+initTold), len(discoverAsked+discoverTold), len(discoverAsked+discoverTold)+41, len(initAsked+initTold)+66)
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}

	folder := Folder{dir}
	elsewhere := filepath.Join(t.TempDir(), "last")
	if err := os.WriteFile(elsewhere, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	t.Chdir(filepath.Dir(elsewhere))
	for name, want := range map[string]string{
		"last": modern.Path(), "./last": "./last", "cut": cutPath, legacy.ID(): legacy.Path(), legacy.ID()[:15]: legacy.Path(), cutPath: cutPath,
	} {
		got, err := folder.Resolve(name)
		if err != nil || got != want {
			t.Errorf("%s: %s, %v; want %s", name, got, err, want)
		}
	}
	for _, name := range []string{"2", "", "nothing", "./nothing", "notes"} {
		got, err := folder.Resolve(name)
		if !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: %s, %v", name, got, err)
		}
		if name == "2" && (!strings.Contains(err.Error(), `recordings begin with "2": 2`) || strings.Contains(err.Error(), "file")) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := live.Close(); err != nil {
		t.Fatal(err)
	}
	if s, err := State(live.Path()); s != Ended || err != nil {
		t.Errorf("state after the end: %s, %v", s, err)
	}
}

// TestInspectGrowing asks again and again about a file that grows, is cut and is replaced.
func TestInspectGrowing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.jsonl")
	header := "{\"shakescope\":1}\n"
	first := `{"seq":1,"t":1,"s":"in","msg":{"jsonrpc":"2.0","method":"a"}}` + "\n"
	second := `{"seq":2,"t":5,"s":"out","msg":{"jsonrpc":"2.0","method":"b"}}` + "\n"
	check := func(text string, want Messages, bytes int64) {
		t.Helper()
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			i, err := Inspect(path)
			if err != nil || i.Messages != want || i.Bytes != bytes {
				t.Errorf("%v, %+v, %d bytes; want %+v, %d", err, i.Messages, i.Bytes, want, bytes)
			}
		}
	}
	check(header, Messages{}, 0)
	check(header+first[:20], Messages{}, 0)
	check(header+first, Messages{1, 0}, 31)
	check(header+first+second[:len(second)-1], Messages{1, 0}, 31)
	check(header+first+second, Messages{1, 1}, 62)
	check(header+second, Messages{0, 1}, 31)
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	check(header+second+strings.Repeat(first, 3), Messages{3, 1}, 124)
}

func TestEmptyFolder(t *testing.T) {
	folder := Folder{filepath.Join(t.TempDir(), "none")}
	if list, err := folder.List(); len(list) > 0 || err != nil {
		t.Errorf("%v, %v", list, err)
	}
	if _, err := folder.Resolve("last"); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
}

func TestEndedOrCrashed(t *testing.T) {
	code := 0
	tests := []struct {
		events []Event
		want   LiveState
	}{
		{nil, Ended},
		{[]Event{{Name: "exit", Code: &code}}, Crashed},
		{[]Event{{Name: "server_closed_stdout"}, {Name: "client_closed_stdin"}, {Name: "exit"}}, Crashed},
		{[]Event{{Name: "client_closed_stdin"}, {Name: "exit", Signal: "SIGSEGV"}}, Ended},
		{[]Event{{Name: "signal", Signal: "SIGTERM", Reason: "received"}, {Name: "server_closed_stdout"}, {Name: "exit"}}, Ended},
		{[]Event{{Name: "spawn_error"}}, Crashed},
		{[]Event{{Name: "client_closed_stdin"}, {Name: "spawn_error"}}, Crashed},
		{[]Event{{Name: "parent_gone"}, {Name: "exit"}}, Ended},
	}
	for _, test := range tests {
		path := filepath.Join(t.TempDir(), "x.jsonl")
		r, err := CreateAt(path, Header{}, RecorderOptions{})
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range test.events {
			r.Event(e)
		}
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
		if got, err := State(path); got != test.want || err != nil {
			t.Errorf("%v: %s, %v; want %s", test.events, got, err, test.want)
		}
	}
}

// TestStateByProcess tells without locks whether the writer lives.
func TestStateByProcess(t *testing.T) {
	here := NewHeader(nil)
	if here.PIDStart == 0 {
		t.Skip("the start of a process cannot be told on this system")
	}
	here.NoLock = true
	with := func(f func(*Header)) Header { h := here; f(&h); return h }
	tests := map[string]struct {
		h    Header
		want LiveState
	}{
		"lives":             {here, Live},
		"another process":   {with(func(h *Header) { h.PIDStart++ }), Cut},
		"before this boot":  {with(func(h *Header) { h.Boot += "x" }), Cut},
		"another machine":   {with(func(h *Header) { h.Host = "x" }), Unknown},
		"locks, none held":  {with(func(h *Header) { h.NoLock = false }), Cut},
		"nothing is known":  {Header{Format: 1, NoLock: true}, Unknown},
		"no start was kept": {with(func(h *Header) { h.PIDStart = 0 }), Unknown},
	}
	for name, test := range tests {
		path := filepath.Join(t.TempDir(), "x.jsonl")
		if err := os.WriteFile(path, appendHeader(nil, &test.h), 0o600); err != nil {
			t.Fatal(err)
		}
		if got, err := State(path); got != test.want || err != nil {
			t.Errorf("%s: %s, %v; want %s", name, got, err, test.want)
		}
	}
}

func TestDefaultDir(t *testing.T) {
	t.Setenv("SHAKESCOPE_DIR", filepath.Join(t.TempDir(), "d"))
	if dir, err := DefaultDir(); dir != os.Getenv("SHAKESCOPE_DIR") || err != nil {
		t.Error(dir, err)
	}
	t.Setenv("SHAKESCOPE_DIR", "")
	state := t.TempDir()
	t.Setenv("XDG_STATE_HOME", state)
	if dir, err := DefaultDir(); dir != filepath.Join(state, "shakescope", "recordings") || err != nil {
		t.Error(dir, err)
	}
	t.Setenv("XDG_STATE_HOME", "relative")
	if dir, err := DefaultDir(); !filepath.IsAbs(dir) || err != nil {
		t.Error(dir, err)
	}
}
