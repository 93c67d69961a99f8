package tui

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"time"

	"github.com/shakescope/shakescope/annotate"
	"github.com/shakescope/shakescope/internal/mcpspec"
	"github.com/shakescope/shakescope/jsonrpc"
	"github.com/shakescope/shakescope/recordings"
)

// fold is annotate.Session, as far as the loader needs it.
type fold interface {
	Add(*recordings.Record) annotate.Update
	Finish() annotate.Update
	Stats() *annotate.Stats
}

const (
	batchEvery = 33 * time.Millisecond
	batchMax   = 8192
	// A live recording is looked at this often: at first, and after it was silent for a while.
	pollFirst = 40 * time.Millisecond
	pollLast  = 200 * time.Millisecond
	// Statistics of a live recording are made at most this often.
	statsEvery = time.Second
)

// batch is what the loader found since the last one. The receiver owns it.
type batch struct {
	items          []item
	patches        []patchAt
	findings       []annotate.Finding // of the recording as a whole
	records        int64
	stats          *annotate.Stats // now and then, and at the end
	caughtUp       bool            // everything that was in the file is read
	done           bool            // there will be no more
	state          string
	damage         []recordings.Damage
	err            error
	crash          *crash
	server, client peer
	unfinished     [3]unfinished // by stream: stdin, stdout, stderr

	allRows bool   // all rows are there, findings may follow
	said    []said // what the rules said in the second reading
	checked int64  // number of the record up to which they have run in it
}

// unfinished is what is there of a line that has not ended.
type unfinished struct {
	size int64
	text string // the beginning of it
}

// patchAt is a change to an earlier entry that came when n items of the batch were there.
type patchAt struct {
	annotate.Patch
	n int
}

func (b *batch) empty() bool {
	return len(b.items) == 0 && len(b.patches) == 0 && len(b.findings) == 0 && !b.caughtUp && !b.done && b.stats == nil && len(b.said) == 0 && b.checked == 0 && !b.allRows
}

// load reads src to its end, or until ctx is done, and sends at most one batch each 33 ms. Findings come
// from s or, if rules is not nil, from that in a second reading.
func load(ctx context.Context, src *source, s, rules fold, out chan<- *batch) {
	l := loader{ctx: ctx, src: src, fold: s, rules: rules, out: out, b: &batch{}}
	defer close(out)
	defer func() {
		if cause := recover(); cause != nil {
			l.b = &batch{done: true, crash: &crash{cause: cause, file: writeCrash(cause, debug.Stack())}}
			l.send()
		}
	}()
	l.run()
}

type loader struct {
	ctx   context.Context
	src   *source
	fold  fold
	rules fold // nil: fold has them
	out   chan<- *batch
	b     *batch
	last  time.Time

	uncounted bool      // records came since the statistics were made
	counted   time.Time // when they were made

	open [3]unfinished // as last sent

	knowClient, knowServer bool // by the metadata of modern messages
}

func (l *loader) run() {
	l.last = time.Now()
	quiet := 0
	for n := 0; ; n++ {
		rec, err := l.src.next()
		switch {
		case err == nil:
			quiet = 0
			l.take(l.fold.Add(rec), rec)
			l.b.records++
			l.uncounted = true
		case errors.Is(err, errWait):
			if quiet == 0 {
				l.b.caughtUp = true
			}
			if l.uncounted && time.Since(l.counted) >= statsEvery {
				l.count()
			}
			l.pending()
			if quiet++; !l.b.empty() && !l.send() {
				return
			}
			if !l.sleep(min(pollFirst*time.Duration(1+quiet/16), pollLast)) {
				return
			}
			continue
		default:
			l.take(l.fold.Finish(), nil)
			l.count()
			l.b.caughtUp, l.b.allRows = true, true
			if !errors.Is(err, io.EOF) {
				l.b.err = fmt.Errorf("reading the recording: %w", err)
			}
			l.b.state, l.b.damage = l.src.state(), l.src.damage()
			if l.rules != nil && (!l.send() || !l.check()) {
				return
			}
			l.b.done = true
			l.send()
			return
		}
		if len(l.b.items) >= batchMax || n%64 == 0 && l.due() {
			if !l.b.empty() && !l.send() {
				return
			}
		}
	}
}

// unfinishedText is how much of an unfinished line is shown.
const unfinishedText = 200

// pending notes the lines that have not ended, where they changed.
func (l *loader) pending() {
	if l.src.unfinished == nil {
		return
	}
	var now [3]unfinished
	for i, s := range [3]recordings.Stream{recordings.Stdin, recordings.Stdout, recordings.Stderr} {
		data := l.src.unfinished(s)
		now[i] = unfinished{int64(len(data)), clip(string(data[:min(len(data), unfinishedText+4)]), unfinishedText)}
	}
	l.b.unfinished = now
	if now != l.open {
		l.open = now
		l.b.caughtUp = true // so that the batch is sent
	}
}

// take copies what an update says into the batch. Raw bytes are left behind: they belong to the reader.
func (l *loader) take(u annotate.Update, rec *recordings.Record) {
	for i := range u.Entries {
		it := item{Entry: u.Entries[i]}
		if rec != nil {
			it.pos, it.length = rec.Pos, rec.Len
		}
		l.introduce(&it.Entry)
		it.Raw, it.Message = nil, nil
		l.b.items = append(l.b.items, it)
	}
	for i := range u.Patches {
		l.b.patches = append(l.b.patches, patchAt{u.Patches[i], len(l.b.items)})
	}
	l.b.findings = append(l.b.findings, u.Findings...)
}

// count makes statistics. They cost a pass over all latencies, so they are made now and then.
func (l *loader) count() {
	l.b.stats = l.fold.Stats()
	l.counted, l.uncounted = time.Now(), false
}

// introduce takes the names of client and server from the messages in which they say them.
func (l *loader) introduce(e *annotate.Entry) {
	m := e.Message
	if m == nil {
		return
	}
	switch {
	case e.Method == "initialize" && e.Kind == annotate.Request:
		l.b.client.read(m.Params, "clientInfo")
	case e.Method == "initialize" && e.Kind == annotate.Response:
		l.b.server.read(m.Result, "serverInfo")
	case e.Era != "modern":
	case e.Kind == annotate.Request && e.From == "client" && !l.knowClient:
		l.b.client.read(m.Params, "_meta", mcpspec.MetaClientInfo)
		l.knowClient = l.b.client.name != ""
	case e.Kind == annotate.Response && e.From == "server" && !l.knowServer:
		l.b.server.read(m.Result, "_meta", mcpspec.MetaServerInfo)
		l.knowServer = l.b.server.name != ""
	}
}

// read takes name and version from an object inside raw.
func (p *peer) read(raw []byte, path ...string) {
	text := func(name string) string {
		v, ok := jsonrpc.Lookup(raw, append(path[:len(path):len(path)], name)...)
		if !ok {
			return ""
		}
		s, _ := jsonrpc.Unquote(v)
		return clip(s, 120)
	}
	if name := text("name"); name != "" {
		*p = peer{name, text("version")}
	}
}

// due reports whether it is time for the next batch.
func (l *loader) due() bool { return time.Since(l.last) >= batchEvery }

// send hands the batch over, not earlier than the pace allows. It reports whether to go on.
func (l *loader) send() bool {
	if wait := batchEvery - time.Since(l.last); wait > 0 && !l.last.IsZero() {
		if !l.sleep(wait) {
			return false
		}
	}
	select {
	case l.out <- l.b:
	case <-l.ctx.Done():
		return false
	}
	l.b, l.last = &batch{}, time.Now()
	return true
}

func (l *loader) sleep(d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-l.ctx.Done():
		return false
	}
}
