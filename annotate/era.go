package annotate

import (
	"bytes"

	"github.com/shakescope/shakescope/internal/mcpspec"
	"github.com/shakescope/shakescope/jsonrpc"
)

// place decides which era and revision govern a request, and notes what the request says about them.
// "" is unknown.
func (p *process) place(from end, method string, c *call) (era, revision string) {
	if p.lateStart && from == client && (c.hasVersion || method == "initialize") {
		// From here on everything is in sight.
		p.lateStart = false
		p.ends[client].lost, p.ends[server].lost = false, false
	}
	switch {
	case from == server:
		// Only the legacy era has requests of servers.
		return mcpspec.Legacy, p.session.revision
	case c.hasVersion && !(method == "initialize" && c.protocol != "" && !p.modern.answered):
		era, revision = mcpspec.Modern, mcpspec.Effective(c.version, mcpspec.Modern)
	case method == "initialize":
		// It asks for a session, whatever else it says: clients may put the modern metadata on all they send.
		era = mcpspec.Legacy
		if c.protocol != "" {
			revision = mcpspec.Effective(c.protocol, mcpspec.Legacy)
		}
	case method == "server/discover":
		era, revision = mcpspec.Modern, mcpspec.Rev20260728
	case p.session.current():
		era, revision = mcpspec.Legacy, p.session.revision
	case c.misplaced.any():
		era, revision = mcpspec.Modern, mcpspec.Rev20260728
	case p.modern.answered:
		era, revision = mcpspec.Modern, p.modern.revision
	case p.ends[client].lost:
		// The handshake may be among what is missing.
	default:
		era = mcpspec.Legacy
	}
	if era != "" {
		p.activity = era
	}
	if era == mcpspec.Modern {
		p.modern.asked++
		p.modern.revision = revision
		if method != "server/discover" {
			p.modern.operating = true
			p.probes = nil
		}
	}
	return era, revision
}

// judge takes from the answer to a modern request whether the server knows the modern era. A server shows
// it by what it writes; one that answers a modern request as if it were a legacy one, or that does not
// know the discovery, shows the contrary until it does.
func (s *modernState) judge(e *Entry, x *exchange, m *jsonrpc.Message) {
	switch {
	case m.Kind == jsonrpc.Error && (m.Err.Code == mcpspec.UnsupportedVersion || m.Err.Code == mcpspec.MissingCapability):
		s.marked = true
	case s.marked, s.refuted.set():
	case m.Kind == jsonrpc.Response && x.version != "", m.Kind == jsonrpc.Error && x.method == "server/discover":
		s.refuted = mark{e.Ref, e.T}
	}
}

// knowsModern reports whether the server may be held to the rules of the modern era: it has shown that it
// knows it, or nothing speaks against it.
func (p *process) knowsModern() bool {
	return p.modern.marked || !p.modern.refuted.set() && !p.session.opened.set()
}

// onlyModern reports whether nothing but the modern era has been spoken so far.
func (p *process) onlyModern() bool {
	return p.modern.asked > 0 && !p.session.current() && p.knowsModern() && (p.modern.marked || p.modern.operating)
}

// current reports whether the legacy session is open, or being opened.
func (s *sessionState) current() bool {
	return s.opened.set() || s.request != nil && s.request.open
}

// revision returns the revision in force for what is not tied to a request.
func (p *process) revision(era string) string {
	switch era {
	case mcpspec.Legacy:
		return p.session.revision
	case mcpspec.Modern:
		return p.modern.revision
	}
	return ""
}

// phase returns the phase of what begins now and is tied to nothing.
func (p *process) phase() Phase {
	switch {
	case p.ending.first.set():
		return Shutdown
	case p.activity == mcpspec.Modern && p.modern.operating:
		return Operation
	case p.activity == mcpspec.Modern:
		return Discovery
	case p.session.initialized.set():
		return Operation
	case p.activity == "" && p.ends[client].lost:
		return Operation
	}
	return Initialization
}

// phaseOf returns the phase of a request.
func (p *process) phaseOf(from end, method, era string) Phase {
	switch {
	case p.ending.first.set():
		return Shutdown
	case from == client && method == "server/discover":
		return Discovery
	case from == client && method == "initialize":
		return Initialization
	case from == server && p.session.current():
		if p.session.initialized.set() {
			return Operation
		}
		return Initialization
	}
	return p.phase()
}

// initialize begins a handshake. While a session is open the new one waits for its success.
func (s *Session) initialize(x *exchange, c *call) {
	p := s.proc
	next := p.session
	if next.opened.set() {
		next = &sessionState{number: s.number + 1}
		p.opening = next
	}
	next.request, next.asked, next.revision = x, c.protocol, x.revision
	next.clientCaps = declaration{}
	if c.caps != nil {
		next.clientCaps = declare(c.caps, x.At)
	}
}

// opened takes in the answer to an initialize.
func (s *Session) opened(e *Entry, x *exchange, m *jsonrpc.Message, o *outcome) {
	p := s.proc
	session := p.session
	if p.opening != nil && p.opening.request == x {
		session = p.opening
	}
	if session.request != x {
		return
	}
	if m.Kind == jsonrpc.Error {
		if session == p.opening {
			p.opening = nil
		} else {
			session.revision = ""
		}
		return
	}
	if session == p.opening {
		p.opening = nil
		s.run(onSessionEnd)
		s.reports.release(p.session)
		s.number++
		session.number = s.number
		p.session = session
		// Ids and subscriptions begin anew with a session.
		for i := range p.ends {
			p.ends[i].used = idSet{}
		}
		p.subscriptions, p.tasks = nil, taskFlows{}
		x.session, e.Session = session.number, session.number
		s.patch(Patch{At: x.At, Session: session.number})
	}
	session.opened, session.answered = mark{e.Ref, e.T}, o.protocol
	session.revision = mcpspec.Effective(o.protocol, mcpspec.Legacy)
	if o.protocol == "" {
		session.revision = x.revision
	}
	session.serverCaps = declaration{}
	if o.caps != nil {
		session.serverCaps = declare(o.caps, e.Ref)
	}
	p.activity = mcpspec.Legacy
	x.revision, e.Revision = session.revision, session.revision
	s.patch(Patch{At: x.At, Revision: session.revision})
}

// tryInitialize remembers an initialize that is no valid message, in case that the server reads one out of it.
func (p *process) tryInitialize(x *exchange, m *jsonrpc.Message) {
	if x.method != "initialize" || x.from != client || len(m.Params) > maxParams {
		return
	}
	x.params = bytes.Clone(m.Params)
	c := peekCall(x.method, x.params)
	x.era, x.revision = p.place(client, x.method, &c)
	x.phase, x.session = p.phaseOf(client, x.method, x.era), p.session.number
	p.tried = x
}

// openedAnyway opens the session with a result of initialize that is no valid answer, or answers no valid request: one
// fault of form is enough to report, and the end that goes on from there is not to be blamed for a wrong order.
func (s *Session) openedAnyway(e *Entry, m *jsonrpc.Message, from end) {
	p := s.proc
	if from != server || m.Result == nil || m.Err != nil || p.session.opened.set() || e.Partial {
		return
	}
	o := peekResult("initialize", m.Result)
	if o.protocol == "" || o.caps == nil {
		return
	}
	x := p.session.request
	if x == nil || !x.open {
		if x = p.tried; x == nil || x.era != mcpspec.Legacy {
			return
		}
		c := peekCall(x.method, x.params)
		s.initialize(x, &c)
	}
	s.opened(e, x, m, &o)
	p.tried = nil
}

// noteProbe keeps the entries of an unfinished discovery, to be relabelled if it turns out a probe.
func (p *process) noteProbe(e *Entry) {
	if e.Phase == Discovery && !p.modern.operating && !p.session.opened.set() && len(p.probes) < maxProbes {
		p.probes = append(p.probes, e.Ref)
	}
}

// wasProbe relabels the discovery so far: an initialize or the end of the process followed it.
func (s *Session) wasProbe() {
	for _, at := range s.proc.probes {
		if e := s.up.entry(at); e != nil {
			e.Phase = Probe
		} else {
			s.patch(Patch{At: at, Phase: Probe})
		}
	}
	for x := s.proc.ends[client].oldest; x != nil && s.proc.probes != nil; x = x.newer {
		if x.phase == Discovery {
			x.phase = Probe
		}
	}
	s.proc.probes = nil
}

// entry returns the entry of this update with that number, nil when it is an earlier one.
func (u *Update) entry(at Ref) *Entry {
	for i := len(u.Entries) - 1; i >= 0 && u.Entries[i].Seq == at.Seq; i-- {
		if u.Entries[i].Ref == at {
			return &u.Entries[i]
		}
	}
	return nil
}
