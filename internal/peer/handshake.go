package peer

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/shakescope/shakescope/internal/mcpspec"
	"github.com/shakescope/shakescope/jsonrpc"
)

// Step is one question of a handshake and what came of it.
type Step struct {
	Method   string // server/discover or initialize
	Revision string // that was asked for
	Answer   Answer // meaningful when Err is nil
	Err      error  // no answer
}

// The verdicts on a handshake.
const (
	Opened  = "opened"
	Refused = "refused" // the server answered that it does not speak the revision, or not the method
	Failed  = "failed"  // it gave no answer, or none that can be used
)

// Session is what a handshake opened.
type Session struct {
	Era          string
	Revision     string // in force
	Name         string // of the server
	Version      string
	Capabilities []byte // raw JSON, as declared
	Supported    []string
}

// Declares reports whether the server declared a capability of the first level.
func (s *Session) Declares(name string) bool {
	raw, ok := jsonrpc.Lookup(s.Capabilities, name)
	return ok && string(raw) != "null" && string(raw) != "false"
}

// Identity is what a client says of itself. Params are those of its handshake.
type Identity struct{ Name, Version string }

func (i Identity) info() string {
	return `{"name":` + quote(i.Name) + `,"version":` + quote(i.Version) + `}`
}

func (i Identity) initialize(revision string) []byte {
	return []byte(`{"protocolVersion":` + quote(revision) + `,"capabilities":{},"clientInfo":` + i.info() + `}`)
}

// meta is the _meta that each request of the modern era carries.
func (i Identity) meta(revision string) string {
	return `{` + quote(mcpspec.MetaProtocolVersion) + `:` + quote(revision) + `,` +
		quote(mcpspec.MetaClientInfo) + `:` + i.info() + `,` + quote(mcpspec.MetaClientCapabilities) + `:{}}`
}

// handshake asks until it is settled what the two speak.
type handshake struct {
	who   Identity
	limit time.Duration // for each answer

	steps   []Step
	session *Session
	verdict string
	reason  string
}

func (h *handshake) fail(verdict, format string, args ...any) {
	h.verdict, h.reason = verdict, fmt.Sprintf(format, args...)
}

// ask takes one step.
func (h *handshake) ask(ctx context.Context, c *Conn, method, revision string, params []byte) *Step {
	a, err := c.Request(ctx, method, params, h.limit)
	h.steps = append(h.steps, Step{Method: method, Revision: revision, Answer: a, Err: err})
	return &h.steps[len(h.steps)-1]
}

// legacy is what is left to try when server/discover did not open anything.
type legacy struct {
	revision string // to ask for
	restart  bool   // the server has gone and must be started anew
}

// discover opens a modern session at a revision. When the verdict is legacy, it returns how to go on.
func (h *handshake) discover(ctx context.Context, c *Conn, revision string) *legacy {
	for {
		step := h.ask(ctx, c, "server/discover", revision, []byte(`{"_meta":`+h.who.meta(revision)+`}`))
		switch {
		case errors.Is(step.Err, ErrGone):
			h.fail(Failed, "the server ended when it was asked server/discover")
			return &legacy{revision: newestLegacy, restart: true}
		case errors.Is(step.Err, ErrTimeout):
			h.fail(Refused, "no answer to server/discover within %v", h.limit)
			return &legacy{revision: newestLegacy}
		case step.Err != nil:
			h.fail(Failed, "server/discover: %v", step.Err)
			return nil
		}
		var supported []string
		modern := false
		if f := step.Answer.Fault; f != nil {
			supported = texts(f.Data, "supported")
			modern = f.Code == mcpspec.UnsupportedVersion || f.Code == mcpspec.MissingCapability || f.Code == mcpspec.HeaderMismatch
			h.fail(Refused, "server/discover: %v", f)
		} else {
			result := step.Answer.Result
			supported = texts(result, "supportedVersions")
			if slices.Contains(supported, revision) {
				h.open(&Session{Era: mcpspec.Modern, Revision: revision, Supported: supported}, result, "_meta", mcpspec.MetaServerInfo)
				return nil
			}
			modern = len(supported) > 0
			h.fail(Refused, "the server does not list %s, but %s", revision, listOf(supported))
			if !modern {
				h.fail(Failed, "the answer to server/discover has no supportedVersions")
			}
		}
		if next := h.common(supported, mcpspec.Modern); next != "" {
			revision = next
			continue
		}
		if next := h.common(supported, mcpspec.Legacy); next != "" {
			return &legacy{revision: next}
		}
		if modern {
			return nil // it knows the era, so initialize would be no use
		}
		return &legacy{revision: newestLegacy}
	}
}

// initialize opens a legacy session, or says why not.
func (h *handshake) initialize(ctx context.Context, c *Conn, revision string) {
	step := h.ask(ctx, c, "initialize", revision, h.who.initialize(revision))
	if step.Err != nil {
		h.fail(Failed, "initialize: %v", step.Err)
		return
	}
	if f := step.Answer.Fault; f != nil {
		h.fail(Refused, "initialize: %v", f)
		if supported := texts(f.Data, "supported"); len(supported) > 0 {
			h.fail(Refused, "initialize: %v; the server speaks %s", f, listOf(supported))
		}
		return
	}
	raw, _ := jsonrpc.Lookup(step.Answer.Result, "protocolVersion")
	answered, ok := jsonrpc.Unquote(raw)
	switch {
	case !ok:
		h.fail(Failed, "the answer to initialize has no protocolVersion")
		return
	case !mcpspec.Known(answered) && answered != mcpspec.Rev20241007 || mcpspec.EraOf(answered) != mcpspec.Legacy:
		h.fail(Failed, "the server answered initialize with revision %q, which no session can have", answered)
		return
	}
	h.open(&Session{Era: mcpspec.Legacy, Revision: answered}, step.Answer.Result, "serverInfo")
	c.Notify("notifications/initialized", nil)
}

// open takes what the server says of itself out of a result.
func (h *handshake) open(s *Session, result []byte, info ...string) {
	if raw, ok := jsonrpc.Lookup(result, info...); ok {
		s.Name, s.Version = textOf(raw, "name"), textOf(raw, "version")
	}
	s.Capabilities, _ = jsonrpc.Lookup(result, "capabilities")
	h.session, h.verdict, h.reason = s, Opened, ""
}

// common returns the newest revision of an era in a list that was not asked for yet, "" for none.
func (h *handshake) common(list []string, era string) string {
	found := ""
	for _, v := range list {
		asked := slices.ContainsFunc(h.steps, func(s Step) bool { return s.Revision == v })
		if mcpspec.Known(v) && mcpspec.EraOf(v) == era && !asked && v > found {
			found = v
		}
	}
	return found
}

// newestLegacy is what clients ask for by initialize.
const newestLegacy = mcpspec.Rev20251125

// texts returns the strings of an array that is a member of raw.
func texts(raw []byte, name string) []string {
	list, ok := jsonrpc.Lookup(raw, name)
	if !ok {
		return nil
	}
	var out []string
	for _, v := range elements(list) {
		if s, ok := jsonrpc.Unquote(v); ok {
			out = append(out, s)
		}
	}
	return out
}

func listOf(revisions []string) string {
	if len(revisions) == 0 {
		return "no revision"
	}
	return strings.Join(revisions, ", ")
}
