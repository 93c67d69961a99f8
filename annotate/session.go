package annotate

import (
	"bytes"
	"strings"

	"github.com/shakescope/shakescope/internal/mcpspec"
	"github.com/shakescope/shakescope/jsonrpc"
	"github.com/shakescope/shakescope/recordings"
)

// Session is the fold over the records of one recording, whatever number of MCP sessions and processes
// it holds. Its zero value is not usable; see [NewSession]. A Session is for one goroutine.
type Session struct {
	header   recordings.Header
	proc     *process
	number   int // of the newest MCP session
	tally    tally
	reports  reports
	call     call // of the message at work, as view is: made once, since both are large
	view     view
	up       Update
	last     mark
	finished bool
	whole    bool // the end record came
}

// Update is what one record, or the end, brought about. Its slices are valid until the next call on
// the Session; entries and what they point to may be kept, except Raw and Message.
type Update struct {
	Entries []Entry
	Patches []Patch
	// Findings that belong to the recording as a whole. One that is there already (same rule, path and
	// side at fault) is replaced.
	Findings []Finding
}

// NewSession returns the fold before the first record.
func NewSession() *Session {
	s := &Session{proc: newProcess(), number: 1}
	s.tally.init()
	s.reports.init()
	return s
}

// NewSessionWithoutRules is NewSession for callers that need no findings, or find them elsewhere: there
// are none, all else is the same, in about half the time.
func NewSessionWithoutRules() *Session {
	s := NewSession()
	s.reports.off = true
	return s
}

// Open tells what the recording's header says, before the first record. It may be left out. A recording
// that continues another, or was cut by its importer, begins in mid-session: what is missing before its
// first record makes no finding.
func (s *Session) Open(h *recordings.Header) {
	if h == nil {
		return
	}
	s.header = *h
	if h.Previous != "" || h.Imported != nil && h.Imported.Truncated {
		s.proc.lateStart = true
		s.proc.ends[client].lost = true
		s.proc.ends[server].lost = true
	}
}

// Add takes in one record. Records must come in the order of the recording. The record's data is
// borrowed: entries point into it through Raw and Message only.
func (s *Session) Add(r *recordings.Record) Update {
	return s.add(r, decode(r))
}

// decode decodes what a record holds, nil where the fold does not look at it.
func decode(r *recordings.Record) *jsonrpc.Message {
	if !decodes(r) {
		return nil
	}
	m := jsonrpc.Decode(r.Data)
	return &m
}

// decodes reports whether the fold looks at what a record holds.
func decodes(r *recordings.Record) bool {
	return r.Kind == recordings.FrameRecord && r.Stream != recordings.Stderr && !r.Truncated && !unreadable(r.Withheld)
}

// unreadable reports whether a frame that was left out was none that could be read.
func unreadable(w recordings.Withheld) bool {
	return w == recordings.NotJSON || w == recordings.BrokenJSON || w == recordings.NotUTF8
}

// add is Add with the record's frame decoded, nil where there is nothing to decode. The message is borrowed, as the
// data is.
func (s *Session) add(r *recordings.Record, m *jsonrpc.Message) Update {
	s.up = Update{Entries: s.up.Entries[:0], Patches: s.up.Patches[:0], Findings: s.up.Findings[:0]}
	switch r.Kind {
	case recordings.FrameRecord:
		s.frame(r, m)
	case recordings.EventRecord:
		s.event(r)
	case recordings.GapRecord:
		s.gap(r)
	case recordings.EndRecord:
		s.whole = true
	case recordings.ContextRecord:
		s.context(r.Context)
	}
	if r.Seq > 0 {
		s.last = mark{Ref{r.Seq, NoSub}, r.T}
	}
	return s.up
}

// Finish returns what only the end of the recording can tell. It is called once, after the last Add.
func (s *Session) Finish() Update {
	s.up = Update{Entries: s.up.Entries[:0], Patches: s.up.Patches[:0], Findings: s.up.Findings[:0]}
	if s.finished {
		return s.up
	}
	s.finished = true
	s.endProcess()
	return s.up
}

func (s *Session) patch(p Patch) { s.up.Patches = append(s.up.Patches, p) }

// base returns an entry with what every one has.
func (s *Session) base(r *recordings.Record) Entry {
	return Entry{
		Ref: Ref{r.Seq, NoSub}, T: r.T, T0: r.T0, Session: s.proc.session.number,
		Stream: r.Stream, EOL: jsonrpc.LF, Phase: s.proc.phase(),
	}
}

// emit hands out an entry and lets the rules look at it.
func (s *Session) emit(e Entry, m moment, name string, fill func(v *view)) {
	s.up.Entries = append(s.up.Entries, e)
	at := &s.up.Entries[len(s.up.Entries)-1]
	s.proc.noteProbe(at)
	v := &s.view
	*v = view{Entry: at, At: at.Ref, T: at.T, Process: s.proc, Session: s.proc.session, s: s}
	if fill != nil {
		fill(v)
	}
	s.reports.said = s.reports.said[:0]
	s.reports.run(m, name, v)
}

// frame takes in a line of one of the three streams.
func (s *Session) frame(r *recordings.Record, m *jsonrpc.Message) {
	e := s.base(r)
	e.EOL, e.Partial, e.Truncated, e.Size, e.Raw, e.Withheld = r.EOL, r.Partial, r.Truncated, r.Size, r.Data, r.Withheld
	if r.Partial {
		e.EOL = jsonrpc.None
	}
	s.tally.line(r)
	if r.Stream == recordings.Stderr {
		e.Kind = Stderr
		s.emit(e, onStderr, "", nil)
		return
	}
	from := client
	if r.Stream == recordings.Stdout {
		from = server
	}
	half := &s.proc.ends[from]
	e.From = from.String()
	if unreadable(r.Withheld) {
		// Whatever it was, it was no message. But a peer may have read one out of it all the same.
		reason := jsonrpc.NotJSON
		if r.Withheld == recordings.NotUTF8 {
			reason = jsonrpc.NotUTF8
		}
		if r.Withheld != recordings.NotJSON {
			s.proc.lose(from)
		}
		s.message(e, &jsonrpc.Message{Kind: jsonrpc.Invalid, Reason: reason}, from)
		return
	}
	if r.Truncated {
		// What is left of a line says nothing about the line.
		e.Kind = Invalid
		if r.Withheld == recordings.TooLong {
			s.proc.lose(from)
		}
		half.lost = true
		half.last, half.lastKind, half.lastName = mark{e.Ref, e.T}, Invalid, ""
		s.emit(e, onTruncated, "", nil)
		return
	}
	e.Defects = m.Defects
	switch m.Kind {
	case jsonrpc.Blank:
		e.Kind = Blank
		s.tally.blank++
		half.unaccounted++
		s.emit(e, onBlank, "", nil)
	case jsonrpc.Batch:
		e.Kind, e.Members, e.Era, e.Revision = Batch, len(m.Members), s.proc.activity, s.proc.revision(s.proc.activity)
		s.emit(e, onBatch, "", nil)
		half.last, half.lastKind, half.lastName, half.badSince = mark{e.Ref, e.T}, Batch, "", Ref{}
		for i := range m.Members {
			one := e
			one.Sub, one.Members, one.Kind, one.Defects = int32(i), 0, "", m.Members[i].Defects
			one.Raw, one.Size, one.EOL, one.Partial = m.Members[i].Raw, int64(len(m.Members[i].Raw)), jsonrpc.LF, e.Partial
			one.Phase = s.proc.phase()
			s.message(one, &m.Members[i], from)
		}
		if e.Revision != mcpspec.Rev20250326 {
			half.array = e.Seq
			half.unaccounted++
		}
		half.refusable = nil
		for x := half.newest; x != nil && x.At.Seq == e.Seq && x.revision > mcpspec.Rev20250326; x = x.older {
			half.refusable = append(half.refusable, x)
		}
	default:
		s.message(e, m, from)
	}
}

// message takes in a message, or a line or member of a batch that is none.
func (s *Session) message(e Entry, m *jsonrpc.Message, from end) {
	e.Message, e.ID = m, m.ID.Raw()
	half := &s.proc.ends[from]
	if m.Kind == jsonrpc.Invalid {
		s.invalid(e, m, from)
		return
	}
	half.messages++
	switch m.Kind {
	case jsonrpc.Request:
		s.request(e, m, from)
	case jsonrpc.Notification:
		s.notification(e, m, from)
	default:
		s.answer(e, m, from)
	}
}

// settle updates what is remembered of an end's newest line, after the rules have looked.
func (h *half) settle(e *Entry) {
	h.last, h.lastKind, h.lastName = mark{e.Ref, e.T}, e.Kind, ""
	h.badSince, h.header = Ref{}, false
	h.spread = spread{}
	if e.Kind == Request || e.Kind == Notification {
		h.lastName = e.Method
	}
	if e.Kind == Notification {
		h.notice, h.noticeOf = h.last, e.Method
		h.notices++
	}
}

// invalid takes in what is no message. Whatever could be read of it may still be what a tolerant peer
// acts upon, so a request is remembered for its answer and an answer closes its request loosely.
func (s *Session) invalid(e Entry, m *jsonrpc.Message, from end) {
	p := s.proc
	half := &p.ends[from]
	e.Kind, e.Reason, e.Offset = Invalid, m.Reason, m.Offset
	e.Era, e.Revision = p.activity, p.revision(p.activity)
	s.tally.invalid++
	if half.spread.line(&e) || half.badSince.IsZero() {
		half.badSince = e.Ref
	}
	half.header = half.header || isHeader(e.Raw)
	var x *exchange
	switch {
	case m.Method != "":
		e.Method = m.Method
		c := peekCall(m.Method, m.Params)
		era, revision := p.place(from, m.Method, &c)
		e.Era, e.Revision, e.Target = era, revision, c.target
		setGroup(&e, mcpspec.Lookup(m.Method))
		if m.ID.Kind() != jsonrpc.IDAbsent {
			x = &exchange{mark: mark{e.Ref, e.T}, from: from, id: m.ID, method: m.Method, target: c.target, era: era, revision: revision, phase: e.Phase, session: e.Session, unsound: true}
			p.tryInitialize(x, m)
			e.State, e.Flow, x.flow = Pending, e.Ref, e.Ref
			p.tie(&e, x, &c)
			half.unsoundly(x)
		}
	case m.Reason == jsonrpc.NoContent && m.ID.Key() != "" && !e.Partial && p.ends[from.other()].byKey[m.ID.Key()].oldest != nil:
		// An answer whose content got lost.
		x = p.ends[from.other()].byKey[m.ID.Key()].oldest
		s.loosely(&e, m, x)
	case m.Reason == jsonrpc.NoContent && m.ID.Key() != "":
		// Neither call nor answer, but a peer may refuse it under its id.
		half.unsoundly(&exchange{mark: mark{e.Ref, e.T}, from: from, id: m.ID, unsound: true})
	case (m.Result != nil || m.Err != nil || e.Partial) && m.ID.Kind() != jsonrpc.IDAbsent:
		if q := p.ends[from.other()].byKey[m.ID.Key()]; q.oldest != nil && !e.Partial && m.ID.Key() != "" {
			x = q.oldest
			s.loosely(&e, m, x)
		} else {
			s.probably(&e, m, from)
		}
	case m.Err != nil || m.Result != nil:
		s.probably(&e, m, from)
	}
	if half.spread.whole != nil {
		s.together(&half.spread, from, &e)
	}
	if m.Method == "notifications/initialized" && m.ID.Kind() == jsonrpc.IDAbsent && from == client && p.session.opened.set() && !p.session.initialized.set() {
		p.session.initialized = mark{e.Ref, e.T}
	}
	s.openedAnyway(&e, m, from)
	p.blurred = p.blurred || m.Method == "" && m.Result == nil && !p.session.opened.set() && bytes.Contains(e.Raw, []byte(`"protocolVersion"`))
	if e.State == "" && m.Reason == jsonrpc.BadID && m.Method == "" {
		e.State = Unmatched
	}
	s.emit(e, onInvalid, e.Method, func(v *view) { v.Exchange = x })
	half.last, half.lastKind, half.lastName = mark{e.Ref, e.T}, Invalid, ""
	if (m.Result != nil || m.Err != nil) && m.Method == "" {
		s.charge(&e, half, &p.ends[from.other()])
	} else if !e.Partial {
		half.unaccounted++
	}
}

// isHeader reports whether a line is the header that language servers put before a message.
func isHeader(line []byte) bool {
	const name = "content-length:"
	return len(line) >= len(name) && strings.EqualFold(string(line[:len(name)]), name)
}

// loosely pairs an answer that is no valid message with its request, which stays open for a valid one.
func (s *Session) loosely(e *Entry, m *jsonrpc.Message, x *exchange) {
	x.lenient = true
	e.inherit(x)
	e.Pair, e.State = x.At, OK
	if m.Err != nil || m.Result == nil {
		e.State = Failed
	}
	if m.Err != nil {
		s.proc.linkElicitations(m.Err.Data, x.flow)
	}
	s.latency(e, x)
	s.patch(Patch{At: x.At, Pair: e.Ref, State: e.State})
}

// latency notes how long the request took, where the log has times at all.
func (s *Session) latency(e *Entry, x *exchange) {
	if s.header.Imported == nil || !s.header.Imported.NoTime {
		e.Latency, e.HasLatency = e.T-x.T, true
	}
}

// inherit gives an answer what it has from its request.
func (e *Entry) inherit(x *exchange) {
	e.Method, e.Target, e.Era, e.Revision, e.Phase, e.Session = x.method, x.target, x.era, x.revision, x.phase, x.session
	e.Capability, e.Flow, e.Ambiguous = x.capability, x.flow, x.ambiguous
	setGroup(e, x.spec)
}

// setGroup fills in group and primitive.
func setGroup(e *Entry, m *mcpspec.Method) {
	if m == nil {
		e.Group = mcpspec.Unknown
		return
	}
	e.Group, e.Primitive = m.Group, m.Primitive()
}

// event takes in an event of the process or its pipes.
func (s *Session) event(r *recordings.Record) {
	if (r.Event.Name == "spawn" || r.Event.Name == "client_spawn") && s.proc.begun() {
		s.restart()
	}
	e := s.base(r)
	e.Kind, e.Stream, e.Event = EventEntry, recordings.Control, r.Event
	p := s.proc
	if r.Event.Name == "spawn" || r.Event.Name == "client_spawn" {
		p.spawned = true
	}
	sign, ends := shutdownSign(r.Event)
	if ends {
		p.sign(sign, r.Event, mark{e.Ref, e.T})
		e.Phase = Shutdown
	}
	if sign == signStdout || sign == signExit || sign == signSpawn {
		s.explainOpen(e.T)
	}
	s.emit(e, onEvent, r.Event.Name, nil)
	if sign == signStdout || sign == signExit {
		s.silence(mark{e.Ref, e.T})
		s.wasProbe()
	}
}

// begun reports whether the process has anything to its name, so that another spawn is another process.
func (p *process) begun() bool {
	return p.spawned || p.ending.first.set() || p.ends[client].last.At.Seq > 0 || p.ends[server].last.At.Seq > 0
}

// restart begins the next process.
func (s *Session) restart() {
	s.endProcess()
	s.tally.processEnded(s.proc)
	s.number++
	before := s.proc
	s.proc = newProcess()
	s.proc.session.number = s.number
	if before.modern.marked {
		// Nothing of the modern era hangs on a process but what is open.
		s.proc.interims, s.proc.tasks = before.interims, before.tasks
	}
}

// gap takes in a hole: whatever leans on the bytes of that end is unknown from here on.
func (s *Session) gap(r *recordings.Record) {
	e := s.base(r)
	e.Kind, e.Stream, e.GapInfo = Gap, recordings.Control, r.Gap
	p := s.proc
	in, out := r.Gap.Bytes["in"] > 0, r.Gap.Bytes["out"] > 0
	if len(r.Gap.Bytes) == 0 {
		in, out = true, true
	}
	if in {
		p.lose(client)
	}
	if out {
		p.lose(server)
	}
	s.emit(e, onGap, "", nil)
}

// lose notes that bytes of an end are missing: requests of its own, and answers to the other end's.
func (p *process) lose(e end) {
	p.ends[e].lost = true
	for x := p.ends[e.other()].oldest; x != nil; x = x.newer {
		x.unsure = true
	}
}

// sign notes a sign of the end.
func (p *process) sign(kind sign, e *recordings.Event, at mark) {
	d := &p.ending
	d.last = at
	if !d.first.set() {
		d.first, d.firstSign = at, kind
	}
	once := func(m *mark) bool {
		if m.set() {
			return false
		}
		*m = at
		return true
	}
	switch kind {
	case signStdin:
		once(&d.stdin)
	case signStdout:
		once(&d.stdout)
	case signSignal:
		if once(&d.signal) {
			d.signalName = e.Signal
		}
	case signExit:
		if once(&d.exit) {
			d.code, d.exitSignal = e.Code, e.Signal
		}
	case signSpawn:
		d.spawnFailed = true
	}
}
