package recordings

import (
	"sync/atomic"

	"github.com/shakescope/shakescope/jsonrpc"
)

// waiting counts, roughly, the client's requests that wait for an answer. It goes by kinds alone: no
// ids are kept. A line too long to be looked into counts as a request of the client or an answer of
// the server.
type waiting struct{ n atomic.Int64 }

// OpenRequests returns about how many requests of the client wait for an answer, as far as their
// records are written. Requests that are open by design, and cancelled ones, do not count. It does not
// block.
func (r *Recorder) OpenRequests() int { return int(r.w.waiting.n.Load()) }

func (w *waiting) note(s Stream, h *head) {
	switch {
	case s == Stdin && h.kind == jsonrpc.Request && string(h.method) != "subscriptions/listen":
		w.n.Add(1)
	case s == Stdin && h.kind == jsonrpc.Notification && string(h.method) == "notifications/cancelled",
		s == Stdout && (h.kind == jsonrpc.Response || h.kind == jsonrpc.Error):
		w.answered()
	}
}

func (w *waiting) long(s Stream) {
	switch s {
	case Stdin:
		w.n.Add(1)
	case Stdout:
		w.answered()
	}
}

// answered never goes below zero: only the writer's goroutine changes the number.
func (w *waiting) answered() {
	if w.n.Load() > 0 {
		w.n.Add(-1)
	}
}
