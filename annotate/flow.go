package annotate

import (
	"slices"
	"strings"

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
	c := peekCall(m.Method, m.Params)
	setGroup(&e, spec)
	e.Target = c.target
	x := s.follow(&e, m, from, &c)
	var buf [4]need
	needs := methodNeeds(buf[:0], spec, e.Revision, from)
	var stated []byte
	if x != nil {
		stated = x.clientCaps
	}
	e.Capability = p.resolve(needs, e.Era, stated, e.Ref)
	s.tally.notification(&e)
	s.emit(e, onNotification, e.Method, func(v *view) { v.Exchange, v.call = x, &c })
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
		if from == client && !p.session.initialized.set() {
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
	case "notifications/tools/list_changed":
		p.session.catalogue.changed(toolList)
	case "notifications/prompts/list_changed":
		p.session.catalogue.changed(promptList)
	case "notifications/resources/list_changed":
		p.session.catalogue.changed(resourceList)
		p.session.catalogue.changed(templateList)
	case "notifications/resources/updated":
		if x == nil {
			e.Flow = p.subscribed(c.target)
		}
	case "notifications/elicitation/complete":
		e.Flow = p.elicitations[c.elicitation]
	case "notifications/tasks/status", "notifications/tasks":
		if e.Flow = p.tasks[c.taskID]; !e.Flow.IsZero() {
			x = nil
		}
	}
	if c.relatedTask != "" && e.Flow.IsZero() {
		e.Flow = p.tasks[c.relatedTask]
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
		if len(have) > len(best) && strings.HasPrefix(uri, have) {
			best = have
		}
	}
	return p.subscriptions[best]
}

// tie links a request to the flow of the task it is about.
func (p *process) tie(e *Entry, x *exchange, c *call) {
	id := c.relatedTask
	if x.spec != nil && x.spec.Group == mcpspec.Tasks {
		id = c.taskID
	}
	if at, ok := p.tasks[id]; ok && id != "" {
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

// interim is an input_required answer that waits for the client's retry.
type interim struct {
	at      Ref
	flow    Ref
	method  string
	target  string
	state   uint64 // of its requestState, 0 when there was none
	keys    []string
	touches []string
}

// interim takes in an input_required answer: what the server asks for inside it, and what it leans on.
func (s *Session) interim(e *Entry, x *exchange, o *outcome) {
	p := s.proc
	in := interim{at: e.Ref, flow: x.flow, method: x.method, target: x.target, state: stateKey(o.requestState)}
	var needs []need
	members(o.inputRequests, func(key, value []byte) bool {
		in.keys = append(in.keys, string(key))
		spec := mcpspec.Lookup(text(member(value, "method")))
		if spec == nil {
			return true
		}
		if t := spec.Primitive(); t != "" && !slices.Contains(in.touches, t) {
			in.touches = append(in.touches, t)
		}
		c := peekCall(spec.Name, member(value, "params"))
		needs = methodNeeds(needs, spec, x.revision, server)
		needs = paramNeeds(needs, spec.Name, x.revision, server, &c, x.clientCaps)
		return true
	})
	e.Touches = in.touches
	x.touches = in.touches
	var fresh []need
	for _, n := range needs {
		if !slices.Contains(fresh, n) {
			fresh = append(fresh, n)
		}
	}
	e.Capability = append(slices.Clip(e.Capability), p.resolve(fresh, x.era, x.clientCaps, x.At)...)
	slices.Sort(in.keys)
	if len(p.interims) >= maxInterim {
		p.interims = slices.Delete(p.interims, 0, 1)
	}
	p.interims = append(p.interims, in)
}

// retry links a request that carries requestState or inputResponses to the flow it goes on with.
func (s *Session) retry(e *Entry, x *exchange, c *call) {
	if c.requestState == nil && c.inputResponses == nil || x.era != mcpspec.Modern {
		return
	}
	var keys []string
	members(c.inputResponses, func(key, _ []byte) bool {
		keys = append(keys, string(key))
		return true
	})
	slices.Sort(keys)
	p := s.proc
	for i := len(p.interims) - 1; i >= 0; i-- {
		in := &p.interims[i]
		same := in.state != 0 && in.state == stateKey(c.requestState)
		if in.state == 0 && c.requestState == nil {
			same = in.method == x.method && in.target == x.target && slices.Equal(in.keys, keys)
		}
		if !same {
			continue
		}
		e.Flow, x.flow = in.flow, in.flow
		e.Touches, x.touches = in.touches, in.touches
		x.retries = in.at
		return
	}
}

// stateKey stands for a requestState, which may be long: it must come back byte for byte.
func stateKey(raw []byte) uint64 {
	if raw == nil {
		return 0
	}
	return hashOf(string(raw)) | 1
}
