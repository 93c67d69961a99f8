package annotate

import "github.com/shakescope/shakescope/recordings"

// context takes in what a segment repeats of the segments before it, when those are not there. The
// handshake and the lists are known from here on; nothing is told of them, nothing counted. What else
// came before, and may be answered here, stays unknown.
func (s *Session) context(c *recordings.Context) {
	if s.proc.begun() {
		return
	}
	before := NewSession()
	before.header = s.header
	for i := range c.Frames {
		before.Add(&c.Frames[i])
	}
	s.proc, s.number, s.reports.memos = before.proc, before.number, before.reports.memos
	s.proc.probes = nil
	s.proc.ends[client].lost, s.proc.ends[server].lost = true, true
	s.tally.adopt(&before.tally)
}

// adopt takes over what stands for the whole recording.
func (t *tally) adopt(b *tally) {
	t.stats.Requested, t.stats.Negotiated = b.stats.Requested, b.stats.Negotiated
	t.stats.OddRequested, t.stats.OddNegotiated = b.stats.OddRequested, b.stats.OddNegotiated
	t.clientStated, t.initialize, t.clientCaps = b.clientStated, b.initialize, b.clientCaps
	t.serverCaps, t.discovered, t.opened = b.serverCaps, b.discovered, b.opened
}
