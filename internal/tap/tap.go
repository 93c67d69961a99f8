// Package tap joins the two ends that do not know each other: what proxy sees, recordings keeps.
package tap

import (
	"github.com/shakescope/shakescope/proxy"
	"github.com/shakescope/shakescope/recordings"
)

// To returns a Tap that hands all it gets to r. It blocks only as [recordings.Recorder.Chunk] does.
func To(r *recordings.Recorder) proxy.Tap { return recorder{r} }

type recorder struct{ r *recordings.Recorder }

func (t recorder) Chunk(s proxy.Stream, b []byte) {
	switch s {
	case proxy.Stdin:
		t.r.Chunk(recordings.Stdin, b)
	case proxy.Stdout:
		t.r.Chunk(recordings.Stdout, b)
	case proxy.Stderr:
		t.r.Chunk(recordings.Stderr, b)
	}
}

func (t recorder) Event(e proxy.Event) {
	switch e.Name {
	case "client_closed_stdin":
		t.r.EndStream(recordings.Stdin)
	case "server_closed_stdout", "client_closed_stdout":
		t.r.EndStream(recordings.Stdout)
	case "server_closed_stderr":
		t.r.EndStream(recordings.Stderr)
	}
	t.r.Event(recordings.Event{Name: e.Name, Code: e.Code, Signal: e.Signal, Reason: e.Reason, Bytes: e.Bytes, PID: e.PID})
}
