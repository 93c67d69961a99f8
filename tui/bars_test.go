package tui

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"

	"github.com/shakescope/shakescope/annotate"
	"github.com/shakescope/shakescope/internal/filter"
	"github.com/shakescope/shakescope/recordings"
)

// TestBars measures what docs/tui.md promises and prints it. It runs by `make bench-tui` only: figures
// depend on the machine. SHAKESCOPE_CORPUS names the folder with the large transcript; without it a
// recording of the same size is made.
func TestBars(t *testing.T) {
	if os.Getenv("SHAKESCOPE_BARS") == "" {
		t.Skip("set SHAKESCOPE_BARS=1, or make bench-tui")
	}
	large := largeRecording(t)
	barsOpening(t, large)
	barsMemory(t)
	barsFrames(t)
	barsFilter(t, large)
	barsIdle(t, large)
	barsLive(t)
	barsRoundTrip(t)
}

func bar(name, limit, got string, ok bool) {
	verdict := "ok"
	if !ok {
		verdict = "MISSED"
	}
	fmt.Printf("%-66s bar %-22s %-26s %s\n", name, limit, got, verdict)
}

// figure prints a figure that has no bar.
func figure(name, got string) { fmt.Printf("%-66s %-26s %s\n", name, "", got) }

func barTime(name string, limit, got time.Duration) {
	bar(name, "<= "+limit.String(), got.Round(10*time.Microsecond).String(), got <= limit)
}

// largeRecording is the large transcript of the corpus in native form, or one that is made.
func largeRecording(t *testing.T) string {
	t.Helper()
	out := filepath.Join(t.TempDir(), "large.jsonl")
	path := filepath.Join(os.Getenv("SHAKESCOPE_CORPUS"), "transcripts", "large", "everything-large.jsonl.gz")
	if os.Getenv("SHAKESCOPE_CORPUS") != "" {
		if r, err := recordings.Open(path); err == nil {
			defer r.Close()
			if err := recordings.Import(out, r); err != nil {
				t.Fatal(err)
			}
			return out
		}
	}
	made, err := recordings.NewReader(bytes.NewReader(wireLog(272_000)), "made")
	if err != nil {
		t.Fatal(err)
	}
	if err := recordings.Import(out, made); err != nil {
		t.Fatal(err)
	}
	return out
}

// wireLog makes a session with n calls' halves of about 1.1 kB.
func wireLog(n int) []byte {
	var b bytes.Buffer
	add := func(ms int, dir, raw string) { fmt.Fprintf(&b, `{"t_ms":%d,"dir":%q,"raw":%q}`+"\n", ms, dir, raw) }
	add(0, "c2s", strings.TrimSpace(hello))
	add(2, "s2c", strings.TrimSpace(answer))
	add(3, "c2s", strings.TrimSpace(ready))
	text := strings.Repeat("lorem ipsum ", 90)
	for i := 0; i < n/2; i++ {
		add(4+i, "c2s", fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"tool%d","arguments":{"text":%q}}}`, i+2, i%40, text))
		add(5+i, "s2c", fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{"content":[{"type":"text","text":%q}]}}`, i+2, text))
	}
	return b.Bytes()
}

func barsOpening(t *testing.T, large string) {
	begin, cpu := time.Now(), cpuOfProcess()
	d := drive(t, Options{}, &folder{}, 120, 40)
	d.now = time.Now()
	src, err := d.m.lib.open(large)
	if err != nil {
		t.Fatal(err)
	}
	rec := newSession(d.m, large, "")
	rec.follow = false
	d.m.rec = rec
	rec.src, rec.in = src, make(chan *batch)
	startLoading(rec.ctx, src, rec.in)
	var first, rows, rowsCPU time.Duration
	for b := range rec.in {
		d.run(rec.take(b))
		if rows == 0 && rec.allRows {
			rows, rowsCPU = time.Since(begin), cpuOfProcess()-cpu
		}
		if first == 0 && rec.rows.n > 0 {
			d.frame()
			first = time.Since(begin)
		}
	}
	all := time.Since(begin)
	barTime("first paint, "+thousands(int64(rec.rows.n))+" entries", 500*time.Millisecond, first)
	barTime("all rows, pairs, phases, capabilities", 5*time.Second, rows)
	barTime("all findings", 10*time.Second, all)
	figure("the same in CPU time, which others on the machine do not stretch", "rows "+rowsCPU.Round(10*time.Millisecond).String()+", all "+(cpuOfProcess()-cpu).Round(10*time.Millisecond).String())
}

// many is a recording of n entries in memory.
func many(n int) *script {
	s := newScript()
	s.phase = annotate.Operation
	tools := caps("server", "tools", annotate.IsDeclared, 3)
	for i := 0; len(s.b.items) < n; i++ {
		q := s.request(time.Millisecond, "client", i, annotate.Entry{Method: "tools/call", Primitive: "tools", Target: fmt.Sprintf("tool%d", i%40), Capability: tools}, `{"name":"x","arguments":{"path":"cmd/main.go"}}`)
		s.answer(time.Millisecond, q, annotate.OK, `"result":{"content":[{"type":"text","text":"some text that is not short"}]}`)
	}
	return s
}

func barsMemory(t *testing.T) {
	const n = 1_000_000
	heap := func() int64 {
		runtime.GC()
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	before := heap()
	rs := newRows()
	tools := caps("server", "tools", annotate.IsDeclared, 3)
	var it item
	for i := range n {
		e := annotate.Entry{Ref: annotate.Ref{Seq: int64(i + 1), Sub: annotate.NoSub}, T: time.Duration(i) * time.Millisecond, T0: time.Duration(i) * time.Millisecond, ID: itoa(i / 2), Method: "tools/call", Target: fmt.Sprintf("tool%d", i%40),
			Primitive: "tools", Group: "tools", Capability: tools, Kind: annotate.Request, From: "client", Size: 400, Phase: annotate.Operation}
		if i%2 == 1 {
			e.Kind, e.From, e.State = annotate.Response, "server", annotate.OK
			e.Pair = annotate.Ref{Seq: int64(i), Sub: annotate.NoSub}
		}
		it = item{Entry: e, pos: int64(i) * 400, length: 400}
		rs.add(&it)
	}
	rs.updateBreaks()
	used := heap() - before
	limit := int64(64*n + 32<<20)
	bar("memory of 1,000,000 entries without payloads", "<= "+bytesText(limit), bytesText(used)+", "+fmt.Sprintf("%.1f B a row", float64(used)/n), used <= limit)
	runtime.KeepAlive(rs)
}

// least is the shortest of some runs: what others do on the machine only adds to it.
func least(times int, f func()) time.Duration {
	best := time.Duration(1 << 62)
	for range times {
		begin := time.Now()
		f()
		best = min(best, time.Since(begin))
	}
	return best
}

func barsFrames(t *testing.T) {
	for _, n := range []int{100, 1_000_000} {
		d := drive(t, Options{}, &shelf{}, 120, 40)
		many(n).on(d)
		render := newRenderer(120, 40)
		for _, c := range []struct {
			name string
			keys []string
		}{
			{"scroll", []string{"j"}}, {"page", []string{"space"}}, {"jump", []string{"G", "g"}}, {"pair", []string{"p"}}, {"tab", []string{"]"}},
			{"ladder", []string{"2", "j", "1"}}, {"timeline", []string{"3", "j", "1"}}, {"findings", []string{"4", "1"}}, {"handshake", []string{"5", "1"}},
			{"catalogue", []string{"6", "1"}}, {"stats", []string{"7", "1"}},
		} {
			var slowest time.Duration
			for _, k := range c.keys {
				got := time.Duration(1 << 62)
				for range 30 {
					// Only what belongs to this key: the others are pressed and drawn outside.
					for _, other := range c.keys {
						if other == k {
							begin := time.Now()
							_, cmd := d.m.Update(press(k))
							frame := d.frame()
							render(frame)
							got = min(got, time.Since(begin))
							d.run(cmd)
							continue
						}
						d.keys(other)
						render(d.frame())
					}
				}
				slowest = max(slowest, got)
			}
			barTime(fmt.Sprintf("frame at 120x40, %s entries: %s", thousands(int64(n)), c.name), 3*time.Millisecond, slowest)
		}
		// The first look at a screen, before anything is counted.
		for _, key := range []string{"2", "3", "5", "6", "7"} {
			got := least(5, func() {
				delete(d.m.rec.screens, key)
				d.m.Update(press(key))
				render(d.frame())
			})
			barTime(fmt.Sprintf("first frame at 120x40, %s entries: screen %s", thousands(int64(n)), key), 3*time.Millisecond, got)
			d.m.rec.counting = false
			d.keys("1")
		}
	}
}

// newRenderer returns what makes the bytes for a terminal of a frame, as the library does.
func newRenderer(w, h int) func(frame string) {
	scr := uv.NewTerminalRenderer(io.Discard, []string{"TERM=xterm-256color"})
	buf := uv.NewScreenBuffer(w, h)
	return func(frame string) {
		buf.Clear()
		uv.NewStyledString(frame).Draw(buf, buf.Bounds())
		scr.Render(buf.RenderBuffer)
		scr.Flush()
	}
}

func barsFilter(t *testing.T, large string) {
	d := loaded(t, large)
	rec := d.m.rec
	for _, src := range []string{"kind == request", "tool == echo", "method:tools/* latency > 10ms", "finding || is:error", "pair(latency > 1ms) && !(group in {ping, progress})"} {
		if _, err := filter.Parse(src); err != nil {
			t.Fatal(err)
		}
		got := least(5, func() {
			cmd := rec.apply(src, nil, true)
			for rec.view.trial != nil {
				cmd = rec.judged(judgeMsg{owned: owned(rec.id), gen: rec.view.trial.gen})
			}
			_ = cmd
			d.frame()
		})
		barTime("filter "+src+", "+thousands(int64(rec.rows.n))+" entries", 50*time.Millisecond, got)
	}
	begin := time.Now()
	d.run(rec.apply(`json contains "no such text"`, nil, false))
	figure("filter that reads the whole file", time.Since(begin).Round(10*time.Millisecond).String())
}

// loaded opens a recording and reads it to its end.
func loaded(t *testing.T, path string) *driver {
	t.Helper()
	d := drive(t, Options{}, &folder{}, 120, 40)
	d.now = time.Now()
	src, err := d.m.lib.open(path)
	if err != nil {
		t.Fatal(err)
	}
	rec := newSession(d.m, path, "")
	d.m.rec = rec
	rec.src, rec.in = src, make(chan *batch)
	startLoading(rec.ctx, src, rec.in)
	for b := range rec.in {
		d.run(rec.take(b))
	}
	return d
}

func barsIdle(t *testing.T, large string) {
	p := startProgram(t, large)
	for range 60 { // until it is read to its end
		before := cpuOfProcess()
		time.Sleep(time.Second)
		if cpuOfProcess()-before < 20*time.Millisecond {
			break
		}
	}
	begin := cpuOfProcess()
	time.Sleep(10 * time.Second)
	used := cpuOfProcess() - begin
	p.stop()
	bar("idle for 10 s, CPU time", "0 % (< 10ms)", used.Round(100*time.Microsecond).String(), used < 10*time.Millisecond)
}

// running is the program on a terminal that swallows everything.
type running struct {
	rows   int // how many there were at the end
	p      *tea.Program
	m      *model
	writes *counted
	stop   func()
}

// counted counts writes.
type counted struct{ n, bytes atomic.Int64 }

func (c *counted) Write(b []byte) (int, error) {
	c.n.Add(1)
	c.bytes.Add(int64(len(b)))
	return len(b), nil
}

func startProgram(t *testing.T, path string) *running {
	t.Helper()
	in, keys := io.Pipe()
	r := &running{writes: &counted{}}
	ctx, cancel := context.WithCancel(context.Background())
	r.m = newModel(ctx, Options{File: path, Input: in, Output: r.writes})
	r.p = program(ctx, r.m, []string{"TERM=xterm-256color", "LANG=C.UTF-8"}, tea.WithWindowSize(120, 40), tea.WithoutSignals())
	var wait sync.WaitGroup
	wait.Add(1)
	go func() {
		defer wait.Done()
		r.p.Run()
		r.rows = r.m.rec.rows.n // closing lets go of the recording
		r.m.close()
	}()
	r.stop = func() {
		r.p.Quit()
		wait.Wait()
		keys.Close()
		cancel()
	}
	return r
}

func barsLive(t *testing.T) {
	const perSecond, seconds = 20_000, 10
	rec, err := recordings.Create(t.TempDir(), recordings.NewHeader([]string{"srv"}), recordings.RecorderOptions{})
	if err != nil {
		t.Fatal(err)
	}
	rec.Chunk(recordings.Stdin, []byte(hello))
	rec.Chunk(recordings.Stdout, []byte(answer))
	rec.Chunk(recordings.Stdin, []byte(ready))
	p := startProgram(t, rec.Path())
	begin := time.Now()
	sent := 0
	framesBefore := p.writes.n.Load()
	for sent < perSecond*seconds {
		due := min(int(time.Since(begin).Seconds()*perSecond), perSecond*seconds)
		for ; sent < due; sent += 2 {
			rec.Chunk(recordings.Stdin, fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"echo","arguments":{"message":"some words"}}}`+"\n", sent+10))
			rec.Chunk(recordings.Stdout, fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%d,"result":{"content":[{"type":"text","text":"some words"}]}}`+"\n", sent+10))
		}
		time.Sleep(time.Millisecond)
	}
	took := time.Since(begin)
	frames := float64(p.writes.n.Load()-framesBefore) / took.Seconds()
	time.Sleep(time.Second)
	p.stop()
	n := p.rows
	if err := rec.Close(); err != nil {
		t.Fatal(err)
	}
	v, err := recordings.Verify(rec.Path())
	if err != nil {
		t.Fatal(err)
	}
	bar("live: 20,000 messages/s for 10 s keep their pace", "<= 10.5s", took.Round(10*time.Millisecond).String(), took <= 10500*time.Millisecond)
	bar("live: nothing is lost", "0 gaps", fmt.Sprintf("%d gaps, whole %v", len(v.Gaps), v.Whole), v.Whole && len(v.Gaps) == 0)
	bar("live: the view is complete one second later", thousands(int64(sent+3)), thousands(int64(n)), n >= sent+3)
	bar("live: writes to the terminal a second", "<= 30", fmt.Sprintf("%.1f", frames), frames <= 31)
}
