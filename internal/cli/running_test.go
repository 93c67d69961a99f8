package cli

import (
	"bufio"
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/shakescope/shakescope/annotate"
	"github.com/shakescope/shakescope/recordings"
)

// The last line of a followed log shows how far the running calls are, and goes away when the last
// of them has its answer.
func TestRunningCalls(t *testing.T) {
	start := time.Date(2026, 11, 29, 20, 0, 0, 0, time.UTC)
	header := &recordings.Header{Start: start}
	call := func(seq int64, target string) annotate.Update {
		return annotate.Update{Entries: []annotate.Entry{{
			Ref: annotate.Ref{Seq: seq, Sub: annotate.NoSub}, Kind: annotate.Request, State: annotate.Pending,
			Method: "tools/call", Target: target, T: time.Duration(seq) * time.Second,
		}}}
	}
	change := func(seq int64, p annotate.Patch) annotate.Update {
		p.At = annotate.Ref{Seq: seq, Sub: annotate.NoSub}
		return annotate.Update{Patches: []annotate.Patch{p}}
	}
	var screen bytes.Buffer
	w := bufio.NewWriter(&screen)
	for _, test := range []struct {
		look
		bar string
	}{
		{look{width: 120}, "█████░░░░░░░░░░░░░░░"},
		{look{width: 120, ascii: true}, "=====..............."},
	} {
		calls := newRunningCalls(newTextLog(w, test.look))
		clock := start.Add(10 * time.Second)
		shown := func() string {
			clock = clock.Add(redrawEvery)
			calls.erase()
			w.Flush()
			screen.Reset()
			calls.draw(clock)
			w.Flush()
			return screen.String()
		}
		if have := shown(); have != "" {
			t.Errorf("nothing runs, but %q is shown", have)
		}
		calls.note(header, call(1, "moor\x1b[31m"))
		calls.note(header, call(2, "tide"))
		if have := shown(); !strings.HasPrefix(have, "running: tools/call moor") || !strings.HasSuffix(have, "9.4s (and 1 more)") || strings.Contains(have, "\x1b[31m") {
			t.Errorf("two calls: %q", have)
		}
		// The one that says how far it is comes first.
		calls.note(header, change(2, annotate.Patch{Progress: &annotate.Progress{Progress: 5, Total: 20, Message: "half\ntide"}}))
		if have := shown(); !strings.HasPrefix(have, "running: tools/call tide "+test.bar+"  25 % half") || strings.Contains(have, "\n") {
			t.Errorf("with progress: %q", have)
		}
		calls.note(header, change(2, annotate.Patch{Progress: &annotate.Progress{Progress: 7}}))
		if have := shown(); !strings.HasPrefix(have, "running: tools/call tide 7 ") {
			t.Errorf("progress without a total: %q", have)
		}
		calls.note(header, change(2, annotate.Patch{State: annotate.OK}))
		if have := shown(); !strings.HasPrefix(have, "running: tools/call moor") || strings.Contains(have, "more") {
			t.Errorf("one is left: %q", have)
		}
		calls.note(header, change(1, annotate.Patch{State: annotate.Cancelled}))
		if have := shown(); have != "" {
			t.Errorf("nothing runs any more, but %q is shown", have)
		}
	}
}

func TestRunningLineIsErased(t *testing.T) {
	var screen bytes.Buffer
	w := bufio.NewWriter(&screen)
	calls := newRunningCalls(newTextLog(w, look{width: 20}))
	calls.erase()
	calls.note(&recordings.Header{}, annotate.Update{Entries: []annotate.Entry{{Ref: annotate.Ref{Seq: 1}, Kind: annotate.Request, State: annotate.Pending, Method: "a/method-too-long-for-the-line"}}})
	calls.draw(time.Now())
	calls.erase()
	w.Flush()
	drawn, ok := strings.CutSuffix(screen.String(), "\r\x1b[K")
	if !ok || strings.ContainsAny(drawn, "\r\n") {
		t.Fatalf("screen: %q", screen.String())
	}
	if n := len([]rune(drawn)); n > 19 {
		t.Errorf("%d cells on a terminal of 20: %q", n, drawn)
	}
}
