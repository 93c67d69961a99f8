package peer

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/shakescope/shakescope/internal/mcpspec"
	"github.com/shakescope/shakescope/jsonrpc"
)

// Probing says how to visit a server.
type Probing struct {
	Command
	// Revision to open a session with: one of the modern era by server/discover, any other by initialize. "" asks as
	// the SDK clients do that know both eras: server/discover first, and initialize where that is not understood.
	Revision string
	Call     *Call         // a tool to call; nil calls none
	Timeout  time.Duration // for each answer
	Version  string        // of this client
}

// Call is a call of a tool. Arguments are a raw JSON object, nil for none.
type Call struct {
	Tool      string
	Arguments []byte
}

// Exchange is a request and what came of it.
type Exchange struct {
	Answer Answer // meaningful when Err is nil
	Err    error
}

// The states of an exchange.
const (
	OK            = "ok"
	ErrorAnswer   = "error"
	ToolError     = "tool_error"     // a result that says isError
	InputRequired = "input_required" // of the modern era: the client is to ask again
	None          = "none"           // no answer
)

// State says what came of the exchange.
func (x *Exchange) State() string {
	switch {
	case x.Err != nil:
		return None
	case x.Answer.Fault != nil:
		return ErrorAnswer
	}
	if raw, _ := jsonrpc.Lookup(x.Answer.Result, "isError"); string(raw) == "true" {
		return ToolError
	}
	if textOf(x.Answer.Result, "resultType") == "input_required" {
		return InputRequired
	}
	return OK
}

// Failed reports whether there was no answer, or one that tells of a failure.
func (x *Exchange) Failed() bool {
	s := x.State()
	return s == None || s == ErrorAnswer || s == ToolError
}

// Visit is what a probe found.
type Visit struct {
	Asked   string // the revision asked for; "" when none was named
	Steps   []Step
	Session *Session // nil when none was opened
	Verdict string
	Reason  string        // why no session was opened
	Opening time.Duration // from the start of the server to the end of the handshake
	Lists   []List
	Ping    *Exchange // nil where there is none: the modern era has no ping
	Call    *Exchange // nil when none was asked for, or no session was opened
	Stopped string    // why the visit ended early, "" when it did not
	End     End       // of the server, the last one where it was started again
	// Recordings are the paths of what was recorded, one for each start of the server.
	Recordings []string
	// RecordingErr is what cost bytes of a recording.
	RecordingErr error
}

// mostSilence is how many requests in a row may stay without an answer before a visit is given up.
const mostSilence = 2

type visitor struct {
	*Probing
	*Visit
	server *Server
	silent int
}

// Probe starts the server, visits it as a client would, and ends it. It blocks until nothing of the server is
// left. The error is that of [Command.Start]; what the server does wrong is in the Visit.
func Probe(ctx context.Context, p Probing) (*Visit, error) {
	v := &visitor{Probing: &p, Visit: &Visit{Asked: p.Revision}}
	if err := v.start(ctx); err != nil {
		return nil, err
	}
	defer v.leave()
	began := time.Now()
	h := &handshake{who: Identity{"shakescope-probe", p.Version}, limit: p.Timeout}
	err := v.open(ctx, h)
	v.Opening = time.Since(began)
	v.Steps, v.Session, v.Verdict, v.Reason = h.steps, h.session, h.verdict, h.reason
	if err != nil {
		return nil, err
	}
	if v.Session != nil {
		v.look(ctx)
	}
	v.leave()
	return v.Visit, nil
}

func (v *visitor) start(ctx context.Context) (err error) {
	v.server, err = v.Command.Start(ctx)
	if err == nil && v.server.Recording != "" {
		v.Recordings = append(v.Recordings, v.server.Recording)
	}
	return err
}

func (v *visitor) leave() {
	if v.server == nil {
		return
	}
	v.End = v.server.Leave()
	v.RecordingErr = errors.Join(v.RecordingErr, v.server.RecordingError())
	v.server = nil
}

// open makes the handshake. A server that ends when it is asked server/discover is started again, as the
// TypeScript clients do.
func (v *visitor) open(ctx context.Context, h *handshake) error {
	switch {
	case v.Revision == "":
		next := h.discover(ctx, v.server.Conn, mcpspec.Rev20260728)
		if next == nil || ctx.Err() != nil {
			return nil
		}
		if next.restart {
			v.leave()
			if err := v.start(ctx); err != nil {
				return err
			}
		}
		h.initialize(ctx, v.server.Conn, next.revision)
	case mcpspec.EraOf(v.Revision) == mcpspec.Modern:
		h.discover(ctx, v.server.Conn, v.Revision)
	default:
		h.initialize(ctx, v.server.Conn, v.Revision)
	}
	return nil
}

// request asks within the session. A member with an empty value is left out.
func (v *visitor) request(ctx context.Context, method string, members ...[2]string) (Answer, error) {
	if v.Session.Era == mcpspec.Modern {
		who := Identity{"shakescope-probe", v.Version}
		members = append([][2]string{{"_meta", who.meta(v.Session.Revision)}}, members...)
	}
	params := object(members...)
	if len(params) == len("{}") && method == "ping" {
		params = nil
	}
	a, err := v.server.Request(ctx, method, params, v.Timeout)
	if errors.Is(err, ErrTimeout) {
		v.silent++
	} else {
		v.silent = 0
	}
	switch {
	case ctx.Err() != nil:
		v.Stopped = "interrupted"
	case errors.Is(err, ErrGone), errors.Is(err, ErrFlood):
		v.Stopped = fmt.Sprintf("%s: %v", method, err)
	case v.silent >= mostSilence:
		v.Stopped = fmt.Sprintf("%d requests in a row got no answer", v.silent)
	}
	return a, err
}

// look goes through what the server has to show.
func (v *visitor) look(ctx context.Context) {
	for _, l := range lists {
		if v.Session.Declares(l.Group) && v.Stopped == "" {
			v.Lists = append(v.Lists, v.list(ctx, l))
		}
	}
	if v.Session.Era == mcpspec.Legacy && v.Stopped == "" {
		a, err := v.request(ctx, "ping")
		v.Ping = &Exchange{a, err}
	}
	if v.Probing.Call == nil {
		return
	}
	if v.Stopped != "" {
		v.Visit.Call = &Exchange{Err: errors.New("not made: " + v.Stopped)}
		return
	}
	a, err := v.request(ctx, "tools/call", [2]string{"name", quote(v.Probing.Call.Tool)}, [2]string{"arguments", string(v.Probing.Call.Arguments)})
	v.Visit.Call = &Exchange{a, err}
}
