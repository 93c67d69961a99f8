package recordings

import (
	"bytes"

	"github.com/shakescope/shakescope/jsonrpc"
)

// Summary is what a list of recordings shows of one. The end record repeats it out of the records,
// so that a list need not read them: a cache, never the truth.
type Summary struct {
	State    LiveState      `json:"state,omitempty"`
	Messages Messages       `json:"messages"`
	Server   Implementation `json:"server,omitzero"`
	Client   Implementation `json:"client,omitzero"`
	Revision string         `json:"revision,omitempty"`
	Era      string         `json:"era,omitempty"` // "legacy", "modern", "both"
	Exit     Exit           `json:"exit,omitzero"`

	// DiscoverOnly is set when the client sent nothing but server/discover: perhaps a throw-away
	// process that was only asked which revision it speaks.
	DiscoverOnly bool `json:"discover_only,omitempty"`
}

// Messages counts messages by sender; members of a batch count, the batch does not.
type Messages struct {
	Client int64 `json:"client"`
	Server int64 `json:"server"`
}

// Implementation is the name and version by which a client or server introduces itself.
type Implementation struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}

// Exit is how the server's process ended, or, of one that could not be started, with what code the client was told so.
// The zero value is unknown.
type Exit struct {
	Code   *int   `json:"code,omitempty"`
	Signal string `json:"signal,omitempty"`
}

const (
	// maxAsked bounds the requests whose answers may tell which server speaks which revision.
	maxAsked = 64

	metaVersion    = "io.modelcontextprotocol/protocolVersion"
	rareInVersion  = "/protocolVersion" // the end of it: its first character is rare, which makes a search fast
	metaClientInfo = "io.modelcontextprotocol/clientInfo"
	metaServerInfo = "io.modelcontextprotocol/serverInfo"
)

// facts gathers a [Summary], record by record. Its zero value is ready.
type facts struct {
	sum            Summary
	legacy, modern bool
	others         bool             // the client sent something that is no server/discover
	discovers      bool             // it sent that
	asked          map[string]asked // open requests by id, while their answers matter
	stdinClosed    bool
	signalled      bool
	over           bool // the first sign that the server is gone was seen
	crashed        bool
}

// asked is a request whose answer tells something.
type asked struct {
	handshake bool   // initialize, else a request with its own revision
	revision  string // of that
}

// message notes one frame of stdin or stdout. Its cost does not depend on the payload, but for the
// messages that introduce somebody.
func (f *facts) message(s Stream, h *head, data []byte) {
	n := int64(1)
	switch h.kind {
	case jsonrpc.Batch:
		n = int64(h.members)
	case jsonrpc.Request, jsonrpc.Notification, jsonrpc.Response, jsonrpc.Error:
	default:
		n = 0
	}
	switch s {
	case Stdin:
		f.sum.Messages.Client += n
		if h.kind == jsonrpc.Request && string(h.method) == "server/discover" {
			f.discovers = true
		} else {
			f.others = true
		}
		if h.kind == jsonrpc.Request {
			f.request(h, data)
		}
	case Stdout:
		f.sum.Messages.Server += n
		if (h.kind == jsonrpc.Response || h.kind == jsonrpc.Error) && len(f.asked) > 0 {
			f.answer(h, data)
		}
	}
}

// long notes a frame that is too long to be looked into: it counts as one message.
func (f *facts) long(s Stream) {
	switch s {
	case Stdin:
		f.sum.Messages.Client++
		f.others = true
	case Stdout:
		f.sum.Messages.Server++
	}
}

func (f *facts) request(h *head, data []byte) {
	if f.legacy && f.modern || len(f.asked) >= maxAsked {
		return
	}
	var a asked
	switch {
	case string(h.method) == "initialize":
		if f.legacy {
			return
		}
		a.handshake = true
		f.sum.Client.read(data, "params", "clientInfo")
	case !f.modern && !h.bare && bytes.Contains(data, []byte(rareInVersion)):
		raw, ok := jsonrpc.Lookup(data, "params", "_meta", metaVersion)
		if !ok {
			return
		}
		a.revision, _ = jsonrpc.Unquote(raw)
		f.sum.Client.read(data, "params", "_meta", metaClientInfo)
	default:
		return
	}
	if key := jsonrpc.ParseID(h.id).Key(); key != "" {
		if f.asked == nil {
			f.asked = make(map[string]asked)
		}
		f.asked[key] = a
	}
}

func (f *facts) answer(h *head, data []byte) {
	key := jsonrpc.ParseID(h.id).Key()
	a, ok := f.asked[key]
	if !ok || key == "" {
		return
	}
	delete(f.asked, key)
	if h.kind == jsonrpc.Error {
		return
	}
	if a.handshake {
		f.legacy = true
		if raw, ok := jsonrpc.Lookup(data, "result", "protocolVersion"); ok {
			f.sum.Revision, _ = jsonrpc.Unquote(raw)
		}
		f.sum.Server.read(data, "result", "serverInfo")
		return
	}
	f.modern = true
	if f.sum.Revision == "" {
		f.sum.Revision = a.revision
	}
	f.sum.Server.read(data, "result", "_meta", metaServerInfo)
}

// read takes name and version from an object inside a message, unless they are known.
func (i *Implementation) read(data []byte, path ...string) {
	if i.Name != "" {
		return
	}
	raw, ok := jsonrpc.Lookup(data, path...)
	if !ok {
		return
	}
	if name, ok := jsonrpc.Lookup(raw, "name"); ok {
		i.Name, _ = jsonrpc.Unquote(name)
	}
	if version, ok := jsonrpc.Lookup(raw, "version"); ok {
		i.Version, _ = jsonrpc.Unquote(version)
	}
}

// event notes what happened to the process. The server crashed if it was gone before anybody asked
// it to go, by closing its input or by a signal.
func (f *facts) event(e *Event) {
	gone := false
	switch e.Name {
	case "client_closed_stdin", "client_closed_stdout": // the client leaves
		f.stdinClosed = true
	case "signal", "parent_gone", "recorder_got_signal", "signal_to_server", "signal_to_proxy":
		f.signalled = true
	case "server_closed_stdout":
		gone = true
	case "exit":
		gone = true
		f.sum.Exit = Exit{Code: e.Code, Signal: e.Signal}
	case "spawn_error":
		gone = true
		f.crashed = true
		f.sum.Exit = Exit{Code: e.Code} // what the client saw
	}
	if gone && !f.over {
		f.over = true
		f.crashed = f.crashed || !f.stdinClosed && !f.signalled
	}
}

// summary returns what is known so far, of a recording that has ended.
func (f *facts) summary() *Summary {
	s := f.sum
	s.State = Ended
	if f.crashed {
		s.State = Crashed
	}
	switch {
	case f.legacy && f.modern:
		s.Era = "both"
	case f.legacy:
		s.Era = "legacy"
	case f.modern:
		s.Era = "modern"
	}
	s.DiscoverOnly = f.discovers && !f.others
	return &s
}
