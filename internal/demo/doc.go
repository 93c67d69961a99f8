// Package demo holds a small MCP server, a client that plays through everything the protocol of a
// legacy session has to show, and the means to run the two as real processes with shakescope between
// them.
//
// The story is a harbour: ships, berths, a tide. [Server] runs it, [Client] visits it. In about ten
// seconds ([DefaultPace]) a viewer sees the probe of a newer era and the fall back to the handshake,
// tools with structured results, a tool error beside a protocol error, two calls answered out of
// order, progress, cancellation, resources in pages and by subscription, prompts, completion, logging,
// and the server asking the client for roots, a sample and a form. The server also does what real ones
// do by mistake: it prints a line on its output that is no message, and sends a notification that its
// capabilities do not cover. Everything it says is fixed text, so that two runs give the same messages
// in the same order, whatever the pace.
//
// The session is one of revision 2025-11-25 from end to end. A server that turned down
// server/discover cannot honestly serve 2026-07-28 afterwards, so no modern exchange is shown.
//
// Neither peer uses an SDK: the bytes are made here, with package jsonrpc, so that a fault in them can
// be meant.
package demo

import (
	"context"
	"time"
)

// Revision is the only one the demo's server speaks.
const Revision = "2025-11-25"

// DefaultPace lets a viewer follow; the whole visit then takes about ten seconds.
const DefaultPace = 140 * time.Millisecond

// Options are common to both peers.
type Options struct {
	// Pace is how long a peer pauses before each step; 0 means no pauses. It changes when
	// messages are sent, never which or in what order.
	Pace time.Duration
}

// pause waits for the given number of steps, or less when ctx ends.
func (o Options) pause(ctx context.Context, steps int) {
	if o.Pace <= 0 || steps <= 0 {
		return
	}
	timer := time.NewTimer(time.Duration(steps) * o.Pace)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}
