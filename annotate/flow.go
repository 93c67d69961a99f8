package annotate

import (
	"github.com/shakescope/shakescope/internal/mcpspec"
	"github.com/shakescope/shakescope/jsonrpc"
)

// link remembers where a flow began by name; beyond maxLinks it forgets all of them.
func link(m map[string]Ref, name string, flow Ref) map[string]Ref {
	if name == "" {
		return m
	}
	if m == nil || len(m) >= maxLinks {
		m = make(map[string]Ref)
	}
	m[name] = flow
	return m
}

// notification takes in a valid notification.
func (s *Session) notification(e Entry, m *jsonrpc.Message, from end) {
	p := s.proc
	half := &p.ends[from]
	e.Kind, e.Method = Notification, m.Method
	spec := mcpspec.Lookup(m.Method)
	if spec != nil {
		e.Method = spec.Name
	}
	c := &s.call
	*c = peekCall(m.Method, m.Params)
	setGroup(&e, spec)
	e.Target = c.target
	x := s.follow(&e, m, from, c)
	var buf [4]need
	needs := methodNeeds(buf[:0], spec, e.Revision, from)
	var stated []byte
	if x != nil {
		stated = x.clientCaps
	}
	e.Capability = p.resolve(needs, e.Era, stated, e.Ref)
	if e.Method == "notifications/tasks" && e.Era == mcpspec.Modern && from == server {
		if asks := member(m.Params, "inputRequests"); asks != nil {
			p.taskAsks(&e, c.taskID, asks, nil, Ref{})
		}
	}
	s.tally.notification(&e)
	s.emit(e, onNotification, e.Method, func(v *view) { v.Exchange, v.call = x, c })
	half.settle(&e)
}

// follow decides era, revision, phase and flow of a notification, and returns the request it is about.
func (s *Session) follow(e *Entry, m *jsonrpc.Message, from end, c *call) *exchange {
	p := s.proc
	e.Era = p.activity
	var x *exchange
	if c.subscription != nil {
		e.Era = mcpspec.Modern
		x = p.listens[jsonrpc.ParseID(c.subscription).Key()]
	}
	switch m.Method {
	case "notifications/initialized":
		e.Era = mcpspec.Legacy
		if from == client && !p.session.initialized.set() && (p.session.current() || !p.modern.answered) {
			p.session.initialized = mark{e.Ref, e.T}
			p.activity = mcpspec.Legacy
		}
		if e.Phase != Shutdown {
			e.Phase = Initialization
		}
	case "notifications/roots/list_changed":
		e.Era = mcpspec.Legacy
	case "notifications/subscriptions/acknowledged":
		e.Era = mcpspec.Modern
	case "notifications/elicitation/complete", "notifications/tools/list_changed", "notifications/prompts/list_changed", "notifications/resources/list_changed",
		"notifications/resources/updated":
		if c.subscription == nil && p.session.opened.set() {
			e.Era = mcpspec.Legacy // in the modern era it would name its subscription
		}
	}
	switch m.Method {
	case "notifications/cancelled":
		x = s.cancelled(e, from, c)
		if x == nil && c.requestID != nil {
			x = p.listens[tokenKey(c.requestID)] // a server ends a stream
			if from != server {
				x = nil
			}
		}
	case "notifications/progress":
		x = s.progressed(e, m, from, c)
	case "notifications/message":
		if c.subscription == nil {
			x = p.logging(e)
		}
	case "notifications/tools/list_changed", "notifications/prompts/list_changed", "notifications/resources/list_changed":
		if from == server {
			for _, k := range listsOf(m.Method) {
				p.session.catalogue.changed(k, e.Ref)
			}
		}
	case "notifications/resources/updated":
		if x == nil {
			e.Flow = p.subscribed(c.target)
		}
	case "notifications/elicitation/complete":
		e.Flow = p.elicitations[c.elicitation]
	case "notifications/tasks/status", "notifications/tasks":
		if e.Flow = p.tasks.notice(from, c.taskID, e.Ref); !e.Flow.IsZero() {
			x = nil
		}
	}
	if c.relatedTask != "" && e.Flow.IsZero() {
		e.Flow = p.tasks.related(from, c.relatedTask)
	}
	if x != nil {
		if e.Flow.IsZero() {
			e.Flow = x.flow
		}
		e.Era, e.Revision = x.era, x.revision
		if m.Method == "notifications/progress" || m.Method == "notifications/message" {
			e.Phase = x.phase
		}
		return x
	}
	e.Revision = p.revision(e.Era)
	return nil
}

// cancelled finds the request that a cancellation names: the newest open one of the same sender.
func (s *Session) cancelled(e *Entry, from end, c *call) *exchange {
	key := tokenKey(c.requestID)
	if key == "" {
		return nil
	}
	x := s.proc.ends[from].byKey[key].newest
	if x == nil {
		return s.proc.ends[from].answeredByKey[key]
	}
	if !x.cancelled() {
		s.tally.cancelled++
		x.cancel = mark{e.Ref, e.T}
		s.patch(Patch{At: x.At, State: Cancelled, Cancelled: true})
	}
	return x
}

// progressed finds the request that progress belongs to: the newest one of the other end that gave this
// token.
func (s *Session) progressed(e *Entry, m *jsonrpc.Message, from end, c *call) *exchange {
	other := &s.proc.ends[from.other()]
	e.Token = string(c.token)
	e.Progress = peekProgress(m.Params)
	key := tokenKey(c.token)
	x := other.tokens[key]
	switch {
	case key == "" || x == nil && !other.usedTokens.has(key):
		s.tally.progress.Orphan++
	case x == nil || x.answer.set() || x.cancelled():
		s.tally.progress.Matched++
		s.tally.progress.Late++
	default:
		s.tally.progress.Matched++
	}
	if x != nil {
		x.progress++
		x.heard = e.T
		s.patch(Patch{At: x.At, Progress: e.Progress})
	}
	return x
}

// logging finds the request that a log notice belongs to: in the modern era logs are sent for the sake
// of a request that asked for them.
func (p *process) logging(e *Entry) *exchange {
	asked := len(p.logAsked)
	switch {
	case asked == 1:
		for x := range p.logAsked {
			return x
		}
	case asked > 1:
		e.Era = mcpspec.Modern
	case p.session.opened.set():
		e.Era = mcpspec.Legacy
	}
	return nil
}

// subscribed returns the flow of the subscription that a changed resource falls under: its own, or the
// longest one whose URI leads to it.
func (p *process) subscribed(uri string) Ref {
	if at, ok := p.subscriptions[uri]; ok {
		return at
	}
	var best string
	for have := range p.subscriptions {
		if len(have) > len(best) && leadsTo(have, uri) {
			best = have
		}
	}
	return p.subscriptions[best]
}

// tie links a request to the flow of the task it is about.
func (p *process) tie(e *Entry, x *exchange, c *call) {
	at := Ref{}
	switch {
	case x.spec != nil && x.spec.Group == mcpspec.Tasks:
		at = p.tasks.of(x.from.other(), c.taskID)
		if c.inputResponses != nil && x.era == mcpspec.Modern {
			e.Touches = p.tasks.asks[taskName{x.from.other(), c.taskID}]
			x.touches = e.Touches
		}
	case c.relatedTask != "":
		at = p.tasks.related(x.from, c.relatedTask)
	}
	if !at.IsZero() {
		e.Flow, x.flow = at, at
	}
	if c.elicitation != "" && x.method == "elicitation/create" {
		p.elicitations = link(p.elicitations, c.elicitation, x.flow)
	}
}

// linkElicitations remembers the elicitations that an error asks the user to complete first.
func (p *process) linkElicitations(data []byte, flow Ref) {
	elements(member(data, "elicitations"), func(one []byte) bool {
		p.elicitations = link(p.elicitations, text(member(one, "elicitationId")), flow)
		return true
	})
}
