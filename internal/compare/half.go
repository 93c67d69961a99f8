package compare

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/shakescope/shakescope/annotate"
	"github.com/shakescope/shakescope/internal/mcpspec"
)

// half is what is kept of one recording: of traffic digests and places, no payloads; of what was declared and
// listed the definitions.
type half struct {
	side  Side
	facts Facts
	steady

	exchanges []exchange
	index     map[annotate.Ref]int32
	names     []string
	named     map[string]int32

	notes  map[noteKey]*tally
	broken tally // lines that are no message
	ending ending

	hello  hello
	stats  *annotate.Stats
	ledger annotate.Ledger

	catalogue annotate.Catalogue
}

// exchange is a request with its answer.
type exchange struct {
	server         bool // asked by the server
	method, target int32
	key            uint64 // digest of the params
	body           uint64 // digest of the answer
	ref, answer    annotate.Ref
	state          annotate.State
	code           int64 // of an error
	latency        time.Duration
	timed          bool
}

type noteKey struct{ from, method string }

type tally struct {
	n     int
	first annotate.Ref
}

func (t *tally) add(r annotate.Ref) {
	if t.n == 0 {
		t.first = r
	}
	t.n++
}

// ending is how the server's process ended.
type ending struct {
	words string
	at    annotate.Ref
}

// stated is something that one side said, and where.
type stated struct {
	raw []byte
	at  annotate.Ref
}

// hello is what both sides said of themselves.
type hello struct {
	requested, negotiated stated // raw JSON strings
	client, server        stated
	instructions          stated
	supported             stated
}

// fold reads a recording once.
func fold(s Side, st steady) (*half, error) {
	h := &half{side: s, steady: st, index: make(map[annotate.Ref]int32), named: make(map[string]int32), notes: make(map[noteKey]*tally)}
	r, err := s.Open()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	session := annotate.NewSession()
	session.Open(r.Header())
	var n int64
	for {
		rec, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("%s: reading the record after %d: %w", s.Name, n, err)
		}
		if rec.Seq > 0 {
			n = rec.Seq
		}
		if err := s.seen(rec); err != nil {
			return nil, err
		}
		u := session.Add(rec)
		h.take(&u)
	}
	u := session.Finish()
	h.take(&u)
	h.stats = session.Stats()
	era, revision := session.InForce()
	h.facts = Facts{Name: s.Name, Revision: revision, Era: era, Requests: int64(len(h.exchanges)), Messages: messages(h.stats), Duration: h.facts.Duration}
	return h, nil
}

func messages(s *annotate.Stats) int64 {
	n := int64(0)
	for _, c := range []annotate.MessageCounts{s.Messages.Client, s.Messages.Server} {
		n += c.Request + c.Notification + c.Response + c.Error
	}
	return n
}

func (h *half) take(u *annotate.Update) {
	for i := range u.Entries {
		h.entry(&u.Entries[i])
	}
	for i := range u.Patches {
		p := &u.Patches[i]
		x, ok := h.index[p.At]
		if ok && p.State != "" {
			h.exchanges[x].state = p.State
		}
	}
}

func (h *half) entry(e *annotate.Entry) {
	h.facts.Duration = max(h.facts.Duration, e.T)
	if h.side.Secrets != nil && e.Sub == annotate.NoSub && e.Raw != nil {
		h.side.Secrets.Learn(e.Raw)
	}
	h.ledger.Add(e)
	h.catalogue.Add(e)
	switch e.Kind {
	case annotate.Request:
		h.request(e)
	case annotate.Response, annotate.ErrorAnswer:
		h.answer(e)
	case annotate.Notification:
		key := noteKey{e.From, e.Method}
		t := h.notes[key]
		if t == nil {
			if len(h.notes) >= maxMethods {
				key.method = "…"
			}
			if t = h.notes[key]; t == nil {
				t = new(tally)
				h.notes[key] = t
			}
		}
		t.add(e.Ref)
	case annotate.Invalid:
		h.broken.add(e.Ref)
	case annotate.EventEntry:
		h.event(e)
	}
}

// maxMethods bounds the methods of notifications that are counted apart.
const maxMethods = 1000

func (h *half) event(e *annotate.Entry) {
	if e.Event == nil || e.Event.Name != "exit" {
		return
	}
	h.ending.at = e.Ref
	switch {
	case e.Event.Signal != "":
		h.ending.words = "by signal " + e.Event.Signal
	case e.Event.Code != nil:
		h.ending.words = fmt.Sprintf("with code %d", *e.Event.Code)
	}
}

func (h *half) name(s string) int32 {
	n, ok := h.named[s]
	if !ok {
		n = int32(len(h.names))
		h.names = append(h.names, s)
		h.named[s] = n
	}
	return n
}

// introduces reports whether a method is compared as the handshake.
func introduces(method string) bool { return method == "initialize" || method == "server/discover" }

func (h *half) request(e *annotate.Entry) {
	m := e.Message
	if m == nil {
		return
	}
	x := exchange{server: e.From == "server", method: h.name(e.Method), target: h.name(e.Target), ref: e.Ref, state: e.State}
	switch {
	case introduces(e.Method):
		h.introduced(e)
	case isList(e.Method):
		if cursor := member(m.Params, "cursor"); cursor != nil && string(cursor) != "null" {
			x.key = 1
		}
	case len(m.Params) > 0:
		asked := h.steady
		asked.took = false
		x.key = asked.digest(m.Params)
	}
	if h.hello.client.raw == nil && e.From == "client" && e.Era == mcpspec.Modern {
		h.state(&h.hello.client, member(m.Params, "_meta", mcpspec.MetaClientInfo), e.Ref)
		h.state(&h.hello.requested, member(m.Params, "_meta", mcpspec.MetaProtocolVersion), e.Ref)
	}
	h.index[e.Ref] = int32(len(h.exchanges))
	h.exchanges = append(h.exchanges, x)
}

func (h *half) introduced(e *annotate.Entry) {
	if e.Method != "initialize" || h.hello.client.raw != nil {
		return
	}
	h.state(&h.hello.requested, member(e.Message.Params, "protocolVersion"), e.Ref)
	h.state(&h.hello.client, member(e.Message.Params, "clientInfo"), e.Ref)
}

func (h *half) state(s *stated, raw []byte, at annotate.Ref) {
	if s.raw == nil && len(raw) > 0 && len(raw) <= maxSteady {
		*s = stated{bytes.Clone(raw), at}
	}
}

func (h *half) answer(e *annotate.Entry) {
	i, ok := h.index[e.Pair]
	if !ok || e.Message == nil {
		return
	}
	x := &h.exchanges[i]
	x.answer = e.Ref
	if e.State != "" {
		x.state = e.State
	}
	x.latency, x.timed = e.Latency, e.HasLatency
	answered := h.steady
	answered.took = true
	if err := e.Message.Err; err != nil {
		x.code = err.Code
		x.body = answered.digest(err.Raw)
		return
	}
	result := e.Message.Result
	switch {
	case introduces(e.Method):
		h.state(&h.hello.negotiated, member(result, "protocolVersion"), e.Ref)
		h.state(&h.hello.supported, member(result, "supportedVersions"), e.Ref)
		h.state(&h.hello.server, serverInfo(result), e.Ref)
		h.state(&h.hello.instructions, member(result, "instructions"), e.Ref)
	case isList(e.Method): // compared as the catalogue
	default:
		x.body = answered.digest(result)
	}
}

func serverInfo(result []byte) []byte {
	if raw := member(result, "serverInfo"); raw != nil {
		return raw
	}
	return member(result, "_meta", mcpspec.MetaServerInfo)
}
