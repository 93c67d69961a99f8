package tui

import (
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/shakescope/shakescope/annotate"
	"github.com/shakescope/shakescope/recordings"
)

// pump runs what a recording on screen waits for until done says so. Waits of the loader are real.
func (d *driver) pump(done func() bool) {
	d.t.Helper()
	end := time.Now().Add(20 * time.Second)
	for !done() {
		if time.Now().After(end) {
			d.t.Fatalf("nothing more came:\n%s", d.text())
		}
		select {
		case b, ok := <-d.m.rec.in:
			if ok {
				d.run(d.m.rec.take(b))
			}
		case <-time.After(time.Millisecond):
		}
	}
}

const (
	hello  = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"cli","version":"9"}}}` + "\n"
	answer = `{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"srv","version":"3"}}}` + "\n"
	ready  = `{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n"
	tools  = `{"jsonrpc":"2.0","id":2,"method":"tools/list"}` + "\n"
)

func TestFollowsAFile(t *testing.T) {
	dir := t.TempDir()
	rec, err := recordings.Create(dir, recordings.NewHeader([]string{"srv"}), recordings.RecorderOptions{})
	if err != nil {
		t.Fatal(err)
	}
	d := drive(t, Options{Dir: dir}, &folder{dir: dir}, 120, 40)
	d.now = time.Now()
	d.list()
	d.shows("live")
	rec.Chunk(recordings.Stdin, []byte(hello))
	rec.Chunk(recordings.Stdout, []byte(answer))
	d.opens(rec.Path())
	d.pump(func() bool { return d.m.rec.rows.n == 2 })
	d.shows("cli 9", "srv 3", "initialize", "FOLLOW on", "2025-11-25")
	rec.Chunk(recordings.Stdin, []byte(ready+tools))
	d.pump(func() bool { return d.m.rec.rows.n == 4 })
	d.shows("tools/list", "in flight 1")
	if d.m.rec.sel != 3 {
		t.Errorf("row %d is selected, want the newest", d.m.rec.sel)
	}
	rec.EndStream(recordings.Stdin)
	rec.EndStream(recordings.Stdout)
	if err := rec.Close(); err != nil {
		t.Fatal(err)
	}
	d.pump(func() bool { return d.m.rec.done })
	if d.m.rec.live || d.m.rec.err != nil {
		t.Errorf("live %t, err %v", d.m.rec.live, d.m.rec.err)
	}
	d.keys("g", "enter")
	d.shows("clientInfo", "protocolVersion")
}

// A packed file and a foreign log are read like a native one, payloads included.
func TestOtherForms(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", t.TempDir())
	t.Setenv("TMP", os.Getenv("TMPDIR"))
	rec, err := recordings.Create(dir, recordings.NewHeader([]string{"srv"}), recordings.RecorderOptions{})
	if err != nil {
		t.Fatal(err)
	}
	rec.Chunk(recordings.Stdin, []byte(hello))
	rec.Chunk(recordings.Stdout, []byte(answer))
	if err := rec.Close(); err != nil {
		t.Fatal(err)
	}
	native, err := os.ReadFile(rec.Path())
	if err != nil {
		t.Fatal(err)
	}
	packed := filepath.Join(dir, "packed.jsonl.gz")
	f, err := os.Create(packed)
	if err != nil {
		t.Fatal(err)
	}
	z := gzip.NewWriter(f)
	if _, err := z.Write(native); err != nil {
		t.Fatal(err)
	}
	z.Close()
	f.Close()
	wire := filepath.Join(dir, "wire.jsonl")
	var b strings.Builder
	fmt.Fprintf(&b, `{"t_ms":1,"dir":"c2s","raw":%s}`+"\n", mustJSON(t, strings.TrimSpace(hello)))
	fmt.Fprintf(&b, `{"t_ms":5,"dir":"s2c","raw":%s}`+"\n", mustJSON(t, strings.TrimSpace(answer)))
	if err := os.WriteFile(wire, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{rec.Path(), packed, wire} {
		d := drive(t, Options{Dir: dir}, &folder{dir: dir}, 120, 40)
		d.opens(path)
		d.pump(func() bool { return d.m.rec.done })
		if d.m.rec.err != nil {
			t.Fatalf("%s: %v", path, d.m.rec.err)
		}
		d.keys("g", "j")
		d.shows("protocol 2025-11-25")
		d.keys("enter", "]")
		d.shows("serverInfo")
		d.m.close()
		if left, _ := filepath.Glob(filepath.Join(os.TempDir(), "shakescope-view-*")); len(left) > 0 {
			t.Errorf("%s left %v", path, left)
		}
	}
}

func TestListsTheFolderCheaply(t *testing.T) {
	dir := t.TempDir()
	f := &folder{dir: dir}
	if got, err := f.list(); err != nil || len(got) != 0 {
		t.Fatalf("%v, %v", got, err)
	}
	rec, err := recordings.Create(dir, recordings.NewHeader([]string{"srv"}), recordings.RecorderOptions{})
	if err != nil {
		t.Fatal(err)
	}
	got, err := f.list()
	if err != nil || len(got) != 1 || got[0].state != "live" {
		t.Fatalf("%+v, %v", got, err)
	}
	rec.Chunk(recordings.Stdin, []byte(hello))
	rec.Chunk(recordings.Stdout, []byte(answer))
	if err := rec.Close(); err != nil {
		t.Fatal(err)
	}
	got, err = f.list()
	if err != nil || len(got) != 1 || got[0].state == "live" || got[0].server != (peer{"srv", "3"}) || got[0].sent != 1 {
		t.Fatalf("%+v, %v", got, err)
	}
	if err := os.Remove(rec.Path()); err != nil {
		t.Fatal(err)
	}
	if got, err := f.list(); err != nil || len(got) != 0 {
		t.Fatalf("%v, %v", got, err)
	}
	if got, err := (&folder{dir: filepath.Join(dir, "none")}).list(); err != nil || len(got) != 0 {
		t.Fatalf("%v, %v", got, err)
	}
}

// A process that a client threw away for the next one is listed, and marked.
func TestListsThrowAwayRuns(t *testing.T) {
	dir := t.TempDir()
	for _, line := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{}}`,
		`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`,
	} {
		rec, err := recordings.Create(dir, recordings.NewHeader([]string{"srv"}), recordings.RecorderOptions{})
		if err != nil {
			t.Fatal(err)
		}
		rec.Chunk(recordings.Stdin, []byte(line+"\n"))
		if err := rec.Close(); err != nil {
			t.Fatal(err)
		}
	}
	got, err := (&folder{dir: dir}).list()
	if err != nil || len(got) != 2 || got[0].thrown || !got[1].thrown {
		t.Errorf("%+v, %v", got, err)
	}
}

// counter is a fold whose entries are the records, with a patch for each second one.
type counter struct{ panics int64 }

func (c counter) Add(r *recordings.Record) annotate.Update {
	if r.Seq == c.panics {
		panic("a fault of ours")
	}
	ref := annotate.Ref{Seq: r.Seq, Sub: annotate.NoSub}
	u := annotate.Update{Entries: []annotate.Entry{{Ref: ref, Kind: annotate.Request, State: annotate.Pending, Raw: r.Data}}}
	if r.Seq%2 == 0 {
		u.Patches = []annotate.Patch{{At: annotate.Ref{Seq: r.Seq - 1, Sub: annotate.NoSub}, State: annotate.OK}}
	}
	return u
}

func (counter) Finish() annotate.Update {
	return annotate.Update{Findings: []annotate.Finding{{Rule: "end", Level: annotate.LevelInfo}}}
}

func (counter) Stats() *annotate.Stats { return &annotate.Stats{Invalid: 1} }

func counting(n int64) *source {
	var rec recordings.Record
	waits := 0
	return &source{
		next: func() (*recordings.Record, error) {
			if rec.Seq == n/2 && waits < 3 {
				waits++
				return nil, errWait
			}
			if rec.Seq == n {
				return nil, io.EOF
			}
			rec = recordings.Record{Kind: recordings.FrameRecord, Seq: rec.Seq + 1, Data: []byte("{}")}
			return &rec, nil
		},
		state: func() string { return "ended" }, damage: func() []recordings.Damage { return nil },
	}
}

func TestLoader(t *testing.T) {
	const n = 20_000
	out := make(chan *batch)
	go load(t.Context(), counting(n), counter{}, nil, out)
	rs := newRows()
	s := &session{m: newModel(t.Context(), Options{}), rows: rs, ctx: t.Context(), sel: none, screens: map[string]screen{}, summaries: map[int32]string{}}
	s.detail = newDetail(s)
	s.cur = screens()[0]
	var last *batch
	batches := 0
	for b := range out {
		for i := range b.items {
			if b.items[i].Raw != nil {
				t.Fatal("an entry kept the reader's bytes")
			}
		}
		s.take(b)
		last = b
		batches++
	}
	if rs.n != n || !last.done || last.state != "ended" || len(rs.allFindings) != 1 {
		t.Errorf("%d rows, done %t, state %q, %d findings", rs.n, last.done, last.state, len(rs.allFindings))
	}
	for i := range n {
		want := statePending
		if i%2 == 0 {
			want = stateOK
		}
		if rs.at(i).state() != want {
			t.Fatalf("row %d is in state %d, want %d", i, rs.at(i).state(), want)
		}
	}
	if batches > n/100 {
		t.Errorf("%d batches for %d records", batches, n)
	}
}

func TestLoaderFails(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	out := make(chan *batch)
	go load(t.Context(), counting(100), counter{panics: 7}, nil, out)
	b := <-out
	if b.crash == nil || !strings.Contains(b.crash.Error(), "a fault of ours") {
		t.Errorf("the panic came as %+v", b)
	}
	if _, ok := <-out; ok {
		t.Error("the loader goes on")
	}
	ctx, cancel := context.WithCancel(t.Context())
	out = make(chan *batch)
	src := counting(100)
	src.next = func() (*recordings.Record, error) { return nil, errWait }
	go load(ctx, src, counter{}, nil, out)
	<-out // caught up
	cancel()
	if _, ok := <-out; ok {
		t.Error("a batch after the end")
	}
}

// opens puts a file on screen and starts its loader.
func (d *driver) opens(path string) {
	d.t.Helper()
	cmd := d.m.open(path, "")
	msg := cmd()
	opened, ok := msg.(openedMsg)
	if !ok || opened.err != nil {
		d.t.Fatalf("opening %s: %+v", path, msg)
	}
	d.m.Update(msg)
	d.t.Cleanup(func() { d.m.close() })
}

// What would break without a capability is worked out from the file.
func TestWhatIf(t *testing.T) {
	dir := t.TempDir()
	rec, err := recordings.Create(dir, recordings.NewHeader([]string{"srv"}), recordings.RecorderOptions{})
	if err != nil {
		t.Fatal(err)
	}
	rec.Chunk(recordings.Stdin, []byte(hello))
	rec.Chunk(recordings.Stdout, []byte(answer))
	rec.Chunk(recordings.Stdin, []byte(ready+tools))
	rec.Chunk(recordings.Stdout, []byte(`{"jsonrpc":"2.0","id":2,"result":{"tools":[]}}`+"\n"))
	if err := rec.Close(); err != nil {
		t.Fatal(err)
	}
	d := loaded(t, rec.Path())
	d.keys("5")
	d.shows("server  tools", "1×")
	for range 30 {
		if h := d.m.rec.screen().(*handshake); h.capsOf[h.cur].Path == "tools" {
			break
		}
		d.keys("j")
		d.text()
	}
	d.keys("x")
	d.shows("without it 1 message would lean on something undeclared", "init-result-late-capability")
	d.keys("j", "j", "enter")
	if d.m.rec.cur.key != "1" {
		t.Error("a finding of the answer leads nowhere")
	}
}
