package annotate

import (
	"bytes"
	"strconv"

	"github.com/shakescope/shakescope/internal/mcpspec"
	"github.com/shakescope/shakescope/jsonrpc"
)

// request takes in a valid request.
func (s *Session) request(e Entry, m *jsonrpc.Message, from end) {
	p := s.proc
	half := &p.ends[from]
	e.Kind, e.Method = Request, m.Method
	spec := mcpspec.Lookup(m.Method)
	if spec != nil {
		e.Method = spec.Name
	}
	c := &s.call
	*c = peekCall(m.Method, m.Params)
	c.beside(m)
	if m.Method == "initialize" && from == client {
		s.wasProbe()
	}
	e.Era, e.Revision = p.place(from, m.Method, c)
	e.Phase = p.phaseOf(from, m.Method, e.Era)
	setGroup(&e, spec)
	e.Target = c.target
	e.State = Pending
	e.Flow = e.Ref
	e.Token = string(c.token)

	x := &exchange{
		mark: mark{e.Ref, e.T}, from: from, id: m.ID, method: e.Method, spec: spec, target: e.Target,
		era: e.Era, revision: e.Revision, phase: e.Phase, session: e.Session, flow: e.Flow,
		token: e.Token, version: c.version, logLevel: c.logLevel,
		late: p.ending.stdin.set(), unsound: e.Partial || half.header,
	}
	if x.sized = len(m.Params) <= maxParams; x.sized && m.Params != nil {
		x.params = bytes.Clone(m.Params)
	}
	if c.clientCaps != nil {
		x.clientCaps = bytes.Clone(c.clientCaps)
	}
	switch {
	case from != client:
	case x.method == "tools/call":
		x.tool = p.session.catalogue.tool(x.target)
	case x.method == "tasks/result":
		x.tool = p.taskTools[c.taskID]
	}
	if x.longLived() {
		e.State = Open
		if len(p.listens) < maxLinks {
			p.listens[m.ID.Key()] = x
		}
	}
	var buf [4]need
	needs := methodNeeds(buf[:0], spec, e.Revision, from)
	clientCaps := p.session.clientCaps.raw
	if e.Era == mcpspec.Modern {
		clientCaps = x.clientCaps
	}
	needs = paramNeeds(needs, e.Method, e.Revision, from, c, clientCaps)
	e.Capability = p.resolve(needs, e.Era, x.clientCaps, e.Ref)
	x.capability = e.Capability
	s.retry(&e, x, c)
	p.tie(&e, x, c)

	key := m.ID.Key()
	if open := half.byKey[key]; open.oldest != nil {
		x.ambiguous, e.Ambiguous = true, true
		// Of several, all are marked already.
		if y := open.newest; !y.ambiguous {
			y.ambiguous = true
			s.patch(Patch{At: y.At, Ambiguous: true})
		}
	}
	if x.logLevel != "" && x.era == mcpspec.Modern && !x.longLived() {
		p.logAsked[x] = struct{}{}
	}
	reused := half.used.has(key)
	half.enter(x)
	if k := tokenKey(c.token); k != "" {
		half.tokens[k] = x
		half.usedTokens.add(k)
	}
	if m.Method == "initialize" && from == client && e.Era == mcpspec.Legacy {
		s.initialize(x, c)
	}
	s.tally.request(&e, x, c, s.proc)
	s.emit(e, onRequest, e.Method, func(v *view) { v.Exchange, v.call, v.Reused = x, c, reused })
	half.used.add(key)
	half.settle(&e)
}

// answer takes in a valid response, with a result or an error.
func (s *Session) answer(e Entry, m *jsonrpc.Message, from end) {
	p := s.proc
	half, other := &p.ends[from], &p.ends[from.other()]
	e.Kind = Response
	if m.Kind == jsonrpc.Error {
		e.Kind, e.Err = ErrorAnswer, m.Err
	}
	key := m.ID.Key()
	var x *exchange
	mixed := false
	// Nobody can read a line that never ends, so it answers nothing.
	if key != "" && !e.Partial {
		open := other.byKey[key]
		x, mixed = open.oldest, open.mixed
		if mixed {
			x = open.likeliest()
		}
	}
	if x == nil {
		s.loneAnswer(e, m, from)
		return
	}
	other.leave(x)
	delete(p.logAsked, x)
	if x.At.Seq == other.array {
		other.array = 0
		other.unaccounted--
	}
	x.answer = mark{e.Ref, e.T}
	x.failed = m.Kind == jsonrpc.Error
	if mixed {
		s.guess(e, m, x)
		return
	}
	e.inherit(x)
	e.Pair = x.At
	e.Cancelled = x.cancelled()
	s.latency(&e, x)
	o := peekResult(x.method, m.Result)
	e.State = stateOf(m, &o)
	s.patch(Patch{At: x.At, Pair: e.Ref, State: e.State, Cancelled: e.Cancelled})
	s.learn(&e, x, m, &o)
	s.tally.answer(&e, x, &o)
	s.emit(e, answerMoment(&e), x.method, func(v *view) { v.Exchange, v.outcome = x, &o })
	half.settle(&e)
	p.forget(p.recent.push(x))
	other.answeredByKey[key] = x
	x.params, x.resumes = nil, nil
}

// guess takes in the answer to an id under which different requests were open at a time: nobody can
// tell which of them it answers. It counts for the oldest one, and pairs with none. (Equal requests have
// interchangeable answers, so those do pair.)
func (s *Session) guess(e Entry, m *jsonrpc.Message, x *exchange) {
	p := s.proc
	e.Group, e.Era, e.Revision = mcpspec.Unknown, p.activity, p.revision(p.activity)
	e.State, e.Ambiguous, e.Probable = Unmatched, true, x.At
	o := peekResult(x.method, m.Result)
	counted := e
	s.latency(&counted, x)
	s.tally.answer(&counted, x, &o)
	s.patch(Patch{At: x.At, Probable: e.Ref, Unanswered: "its id was open twice at a time; " + e.Ref.String() + " may be its answer"})
	s.emit(e, answerMoment(&e), "", func(v *view) { v.outcome = &o })
	p.ends[endOf(e.From)].settle(&e)
	p.forget(p.recent.push(x))
	x.params, x.resumes = nil, nil
}

// equal reports whether two requests ask for the same.
func (x *exchange) equal(y *exchange) bool {
	return x.method == y.method && x.sized == y.sized && x.sized && bytes.Equal(x.params, y.params)
}

// forget drops an answered request for good.
func (p *process) forget(x *exchange) {
	if x == nil {
		return
	}
	h := &p.ends[x.from]
	if k := tokenKey([]byte(x.token)); k != "" && h.tokens[k] == x {
		delete(h.tokens, k)
	}
	if k := x.id.Key(); h.answeredByKey[k] == x {
		delete(h.answeredByKey, k)
	}
}

func stateOf(m *jsonrpc.Message, o *outcome) State {
	switch {
	case m.Kind == jsonrpc.Error:
		return Failed
	case o.kind == "input_required":
		return InputRequired
	case o.isError:
		return ToolError
	}
	return OK
}

// learn takes from an answer what the rest of the recording is read by.
func (s *Session) learn(e *Entry, x *exchange, m *jsonrpc.Message, o *outcome) {
	p := s.proc
	if m.Kind == jsonrpc.Response && x.from == client && x.era == mcpspec.Modern {
		p.modern.answered = true
	}
	if x.from == client && (o.kind != "" && x.era == mcpspec.Modern || o.supported != nil || o.serverInfo || o.cacheHints && x.era == mcpspec.Modern) {
		p.modern.marked = true
	}
	if x.from == client && x.era == mcpspec.Modern {
		p.modern.judge(e, x, m)
	}
	if x.longLived() {
		delete(p.listens, x.id.Key())
	}
	switch {
	case x.method == "initialize" && x.from == client && x.era == mcpspec.Legacy:
		s.opened(e, x, m, o)
	case m.Kind == jsonrpc.Error:
		if x.revision == mcpspec.Rev20251125 && m.Err.Code == mcpspec.URLElicitationRequired {
			e.Touches = []string{mcpspec.Elicitation}
			p.linkElicitations(m.Err.Data, x.flow)
		}
	case x.method == "server/discover":
		p.modern.discover = mark{e.Ref, e.T}
		if o.caps != nil {
			p.modern.caps = declare(o.caps, e.Ref)
		}
	case x.method == "resources/subscribe":
		p.subscriptions = link(p.subscriptions, x.target, x.flow)
	case x.method == "resources/unsubscribe":
		delete(p.subscriptions, x.target)
	default:
		if k, _, ok := listKindOf(x.method); ok && x.from == client {
			cursor := unknownCursor
			if x.sized {
				cursor = cursorOf(member(x.params, "cursor"))
			}
			p.session.catalogue.page(k, cursor, o.items, o.next, e, x.At)
		}
	}
	if m.Kind == jsonrpc.Response {
		switch {
		case o.kind == "input_required":
			s.interim(e, x, o)
		case x.method == "tasks/get" && x.era == mcpspec.Modern && o.inputRequests != nil:
			p.taskAsks(e, o.taskID, o.inputRequests, x.clientCaps, x.At)
		}
		// The answer to tasks/get and the like names a task too, but opens nothing.
		if o.taskID != "" && (x.spec == nil || x.spec.Group != mcpspec.Tasks) {
			for _, at := range p.tasks.begin(x.from.other(), o.taskID, x.flow) {
				s.patch(Patch{At: at, Flow: x.flow})
			}
			p.runs(o.taskID, x.tool)
		}
	}
}

// loneAnswer takes in an answer that no open request waits for.
func (s *Session) loneAnswer(e Entry, m *jsonrpc.Message, from end) {
	p := s.proc
	half, other := &p.ends[from], &p.ends[from.other()]
	e.Group = mcpspec.Unknown
	e.Era, e.Revision = p.activity, p.revision(p.activity)
	key := m.ID.Key()
	e.State = Unmatched
	switch {
	case e.Partial:
	case key != "" && other.used.has(key):
		e.State = Duplicate
	}
	if other.lost {
		// Its request may be among the bytes that are missing.
		e.State = ""
	}
	s.probably(&e, m, from)
	if e.Partial && e.brokenOff {
		e.State = ""
	}
	o := outcome{}
	if m.Kind == jsonrpc.Response {
		o = peekResult("", m.Result)
		s.openedAnyway(&e, m, from)
	}
	s.tally.loneAnswer(&e, &o)
	s.emit(e, answerMoment(&e), "", func(v *view) { v.outcome = &o })
	s.charge(&e, half, other)
	half.settle(&e)
}

// probably links a lone answer to the request that it was probably meant for: one with the same id
// that it cannot answer in due form, one whose id differs in type only, or the newest one that waits.
func (s *Session) probably(e *Entry, m *jsonrpc.Message, from end) {
	own, other := &s.proc.ends[from], &s.proc.ends[from.other()]
	key := m.ID.Key()
	if key == "" && replyToNotice(m, own, other, e.T) {
		return
	}
	var x *exchange
	var twin bool
	switch {
	case key != "" && other.byKey[key].oldest != nil:
		x = other.byKey[key].oldest
	case key != "" && other.unsound[key] != nil:
		x = other.unsound[key]
	case key != "" && other.byKey[twinKey(m.ID)].oldest != nil:
		x, twin = other.byKey[twinKey(m.ID)].oldest, true
	case m.ID.Kind() == jsonrpc.IDNumber && other.rounded(m.ID) != nil:
		x = other.rounded(m.ID)
	case key == "" && other.unsound["null"] != nil && other.unsound["null"].probable.IsZero():
		x = other.unsound["null"]
	case e.State == Duplicate || key == "":
		x = other.newest
		for n := 0; x != nil && (!x.probable.IsZero() || x.longLived() || x.cancelled()); n++ {
			if x = x.older; n > maxLook {
				x = nil
			}
		}
	}
	if x == nil {
		return
	}
	if x.probable.IsZero() {
		x.probable, x.brokenAnswer = e.Ref, e.Partial && e.Kind == Invalid
		switch at := e.Ref.String(); {
		case e.Partial:
			x.hint = "its answer (" + at + ") is a line that never ended"
		case twin:
			x.hint = "answered under an id of another type (" + at + ")"
		default:
			x.hint = "probably answered by " + at + " under another id"
		}
		s.patch(Patch{At: x.At, Probable: e.Ref})
	}
	e.Probable = x.At
	e.twin = twin
	e.brokenOff = e.Partial && key == x.id.Key()
	e.tolerated = key != "" && other.unsound[key] == x
}

// charge accounts an answer without a usable id to what the other end wrote in vain.
func (s *Session) charge(e *Entry, own, other *half) {
	if e.Message.ID.Key() != "" {
		return
	}
	own.answered = e.Ref
	if replyToNotice(e.Message, own, other, e.T) {
		other.notices--
	}
	other.unaccounted = max(0, other.unaccounted-1)
	if e.Message.Err == nil {
		return
	}
	// An array where there are no batches is refused as a whole.
	for _, x := range other.refusable {
		if x.open {
			x.probable, x.refused, x.hint = e.Ref, true, "refused together with its batch ("+e.Ref.String()+")"
			s.patch(Patch{At: x.At, Probable: e.Ref, State: Failed})
		}
	}
	other.refusable = nil
}

// unsoundly remembers a line that looks like a request.
func (h *half) unsoundly(x *exchange) {
	key := x.id.Key()
	if key == "" {
		key = "null"
	}
	if h.unsound == nil || len(h.unsound) >= maxRecent {
		h.unsound = make(map[string]*exchange)
	}
	h.unsound[key] = x
}

// twinKey returns the key of the id that looks the same but has the other type, "" when there is none.
func twinKey(id jsonrpc.ID) string {
	switch id.Kind() {
	case jsonrpc.IDNumber:
		return jsonrpc.StringID(id.Raw()).Key()
	case jsonrpc.IDString:
		inside, ok := jsonrpc.Unquote([]byte(id.Raw()))
		if !ok || !isNumber(inside) {
			return ""
		}
		return jsonrpc.ParseID([]byte(inside)).Key()
	}
	return ""
}

// rounded returns the oldest open request whose id is the same number once it went through a float64,
// as in peers that keep ids in one.
func (h *half) rounded(id jsonrpc.ID) *exchange {
	f, err := strconv.ParseFloat(id.Raw(), 64)
	if err != nil || f < 1<<53 && f > -1<<53 {
		return nil
	}
	x := h.oldest
	for n := 0; x != nil && n < maxLook; x, n = x.newer, n+1 {
		if x.id.Kind() == jsonrpc.IDNumber {
			if g, err := strconv.ParseFloat(x.id.Raw(), 64); err == nil && f == g {
				return x
			}
		}
	}
	return nil
}

// isNumber reports whether a text is a JSON number.
func isNumber(s string) bool {
	if s == "" || s[0] != '-' && (s[0] < '0' || s[0] > '9') {
		return false
	}
	return jsonrpc.Valid([]byte(s))
}
