package peer

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/shakescope/shakescope/annotate"
	"github.com/shakescope/shakescope/internal/mcpspec"
	"github.com/shakescope/shakescope/jsonrpc"
	"github.com/shakescope/shakescope/recordings"
)

// Recorded is a request of a client as it was recorded, with what is needed to make it again.
type Recorded struct {
	Ref    annotate.Ref
	Method string
	Target string
	Line   []byte // the message
	// Handshake holds the messages by which the client had opened the session: initialize and, where it was sent,
	// notifications/initialized. It is empty for a request of the modern era, which needs none.
	Handshake [][]byte
	Answer    []byte // the message; nil for none
	State     annotate.State
	Latency   time.Duration // meaningful with an Answer
	Replies   *Replies
	Header    *recordings.Header
}

// ErrNoRequest is wrapped by the errors of [Find] that say that a number does not name a request of the client.
var ErrNoRequest = errors.New("no request of the client")

// Find looks for the request that ref names, itself or by its answer. The error wraps [ErrNoRequest], or is that of
// reading.
func Find(open annotate.Source, ref annotate.Ref) (*Recorded, error) {
	var found *Recorded
	var opened, initialized []byte
	var pending annotate.Ref // of the newest initialize
	var what string
	pair := ref
	replies := &Replies{given: map[string]int{}, exact: map[string][][]byte{}, method: map[string][][]byte{}}
	questions := map[annotate.Ref]question{} // of the server
	rec, err := annotate.Collect(open, func(e *annotate.Entry) error {
		switch {
		case e.From == "client" && e.Kind == annotate.Request && (e.Ref == ref || e.Pair == ref && !ref.IsZero()):
			found = &Recorded{Ref: e.Ref, Method: e.Method, Target: e.Target, Line: bytes.Clone(e.Raw), State: e.State}
			pair = e.Pair
			_, modern := jsonrpc.Lookup(e.Message.Params, "_meta", mcpspec.MetaProtocolVersion)
			if opened != nil && !modern && e.Method != "initialize" {
				found.Handshake = append(found.Handshake, opened)
				if initialized != nil {
					found.Handshake = append(found.Handshake, initialized)
				}
			}
		case found != nil && e.From == "server" && e.Ref == pair:
			found.Answer, found.Latency = bytes.Clone(e.Raw), e.Latency
		case e.Ref == ref:
			what = whatItIs(e)
		}
		switch {
		case e.From == "client" && e.Method == "initialize" && e.Kind == annotate.Request && e.State == annotate.OK:
			opened, initialized, pending = bytes.Clone(e.Raw), nil, e.Ref
		case e.From == "client" && e.Method == "notifications/initialized" && !pending.IsZero() && initialized == nil:
			initialized = bytes.Clone(e.Raw)
		case e.From == "server" && e.Kind == annotate.Request:
			q := ask(e.Method, e.Message.Params)
			q.params = nil // borrowed
			questions[e.Ref] = q
		case e.From == "client" && (e.Kind == annotate.Response || e.Kind == annotate.ErrorAnswer):
			if q, ok := questions[e.Pair]; ok {
				replies.add(q, bytes.Clone(e.Raw))
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if found == nil {
		if what == "" {
			what = "not in the recording"
		}
		return nil, fmt.Errorf("%s is %s: %w", ref, what, ErrNoRequest)
	}
	found.Replies, found.Header = replies, rec.Header
	return found, nil
}

// whatItIs says what an entry is that is no request of the client.
func whatItIs(e *annotate.Entry) string {
	switch {
	case e.Event != nil:
		return "an event (" + e.Event.Name + ")"
	case e.From == "":
		return "a line of kind " + string(e.Kind)
	case e.Kind == annotate.Batch:
		return "a batch, whose members have numbers of their own"
	}
	return fmt.Sprintf("%s %s of the %s", e.Kind, e.Method, e.From)
}

// Replies are the answers that a recorded client gave to the server's requests.
type Replies struct {
	exact, method map[string][][]byte
	given         map[string]int
}

func (r *Replies) add(q question, line []byte) {
	r.exact[q.exact] = append(r.exact[q.exact], line)
	r.method[q.method] = append(r.method[q.method], line)
}

// Reply answers as the recorded client did: to the same question, else to one of the same method, in their order, the
// last one again and again. It returns nil where nothing was recorded. It is a [Command.Reply].
func (r *Replies) Reply(m *jsonrpc.Message) []byte {
	key := ask(m.Method, m.Params).exact
	lines := r.exact[key]
	if lines == nil {
		key = m.Method
		lines = r.method[key]
	}
	if lines == nil {
		return nil
	}
	n := r.given[key]
	r.given[key]++
	return replaced(lines[min(n, len(lines)-1)], "/id", []byte(m.ID.Raw()))
}

// Request is a request to a fresh server.
type Request struct {
	Command
	Handshake [][]byte // messages that come before it; of a request among them the answer is awaited
	Line      []byte   // the message
	Timeout   time.Duration
}

// Resent is what came of a request to a fresh server.
type Resent struct {
	Exchange
	// Opening is what came of the handshake's request, nil when there was none. When it failed, the Exchange has an
	// error.
	Opening      *Exchange
	End          End
	Recording    string
	RecordingErr error
}

// Resend starts the server, makes the handshake and the request, and ends the server. It blocks until nothing of
// the server is left. The error is that of [Command.Start], or says why the message is no request.
func Resend(ctx context.Context, r Request) (*Resent, error) {
	m := jsonrpc.Decode(r.Line)
	if m.Kind != jsonrpc.Request {
		return nil, fmt.Errorf("the message is no valid request any more: %s", r.Line)
	}
	server, err := r.Command.Start(ctx)
	if err != nil {
		return nil, err
	}
	sent := &Resent{Recording: server.Recording}
	if sent.Err = r.open(ctx, server, sent, m.ID); sent.Err == nil {
		sent.Answer, sent.Err = server.send(ctx, m.ID, m.Method, bytes.Clone(r.Line), r.Timeout)
	}
	sent.End = server.Leave()
	sent.RecordingErr = server.RecordingError()
	return sent, nil
}

// open makes the handshake.
func (r *Request) open(ctx context.Context, server *Server, sent *Resent, taken jsonrpc.ID) error {
	for _, line := range r.Handshake {
		m := jsonrpc.Decode(line)
		if m.Kind != jsonrpc.Request {
			server.out.add(bytes.Clone(line))
			continue
		}
		if m.ID.Key() == taken.Key() {
			m.ID = jsonrpc.StringID("handshake of " + m.ID.Raw())
			line = replaced(line, "/id", []byte(m.ID.Raw()))
		}
		a, err := server.send(ctx, m.ID, m.Method, bytes.Clone(line), r.Timeout)
		sent.Opening = &Exchange{a, err}
		if err != nil {
			return fmt.Errorf("%s: %w", m.Method, err)
		}
		if a.Fault != nil {
			return fmt.Errorf("%s: %w", m.Method, a.Fault)
		}
	}
	return nil
}

// Exchange is the request with its recorded answer, nil when there was none.
func (r *Recorded) Exchange() *Exchange {
	if r.Answer == nil {
		return nil
	}
	m := jsonrpc.Decode(r.Answer)
	x := &Exchange{Answer: Answer{Raw: r.Answer, Result: m.Result, Latency: r.Latency}}
	if m.Err != nil {
		x.Answer.Fault = &Fault{Code: m.Err.Code, Message: m.Err.Message, Data: m.Err.Data}
	}
	return x
}

// Differences compares the recorded answer with another one, without their envelopes. There are none where one of
// them is missing.
func (r *Recorded) Differences(now *Exchange) []Difference {
	if r.Answer == nil || now.Err != nil {
		return nil
	}
	var all []Difference
	for _, part := range []string{"result", "error"} {
		old, _ := jsonrpc.Lookup(r.Answer, part)
		is, _ := jsonrpc.Lookup(now.Answer.Raw, part)
		for _, d := range Differences(old, is) {
			d.Path = "/" + part + d.Path
			all = append(all, d)
		}
	}
	return all
}
