package annotate

import (
	"slices"
	"strings"

	"github.com/shakescope/shakescope/internal/mcpspec"
)

// declaration is a capabilities object as one side sent it.
type declaration struct {
	raw   []byte // own copy; nil while nothing was declared
	at    Ref
	known map[string]bool
}

func declare(raw []byte, at Ref) declaration {
	return declaration{raw: append([]byte{}, raw...), at: at, known: make(map[string]bool)}
}

func (d *declaration) made() bool { return d.raw != nil }

// has reports whether a path is declared.
func (d *declaration) has(path string) bool {
	if v, ok := d.known[path]; ok {
		return v
	}
	v := declares(d.raw, path)
	if d.known != nil {
		d.known[path] = v
	}
	return v
}

// declares reports whether a capabilities object holds a path: an object, or true. An empty
// elicitation object means form mode.
func declares(caps []byte, path string) bool {
	v := member(caps, segments(path)...)
	if v == nil && path == "elicitation.form" {
		mode := member(caps, "elicitation")
		return isObject(mode) && member(mode, "url") == nil
	}
	return v != nil && !isNull(v) && string(v) != "false"
}

// segments splits a capability path: extensions["a.b/c"] is two segments, tools.listChanged too.
func segments(path string) []string {
	if id, ok := strings.CutPrefix(path, `extensions["`); ok {
		return []string{"extensions", strings.TrimSuffix(id, `"]`)}
	}
	return strings.Split(path, ".")
}

// need is a capability that one message depends on, with its side resolved.
type need struct {
	side end
	path string
}

// methodNeeds appends what the method itself leans on.
func methodNeeds(dst []need, m *mcpspec.Method, revision string, from end) []need {
	if m == nil {
		return dst
	}
	n, ok := m.Needs(revision)
	if !ok {
		return dst
	}
	switch n.Of {
	case mcpspec.Client:
		return append(dst, need{client, n.Path})
	case mcpspec.Server:
		return append(dst, need{server, n.Path})
	case mcpspec.Receiver:
		return append(dst, need{from.other(), n.Path})
	case mcpspec.Sender:
		return append(dst, need{from, n.Path})
	}
	return append(dst, need{client, n.Path}, need{server, n.Path})
}

var listenFilters = []struct{ field, path string }{
	{"toolsListChanged", "tools.listChanged"},
	{"promptsListChanged", "prompts.listChanged"},
	{"resourcesListChanged", "resources.listChanged"},
	{"resourceSubscriptions", "resources.subscribe"},
}

// paramNeeds appends what the params of a message lean on beyond its method. clientCaps is what the
// client declared, as far as it matters here.
func paramNeeds(dst []need, method, revision string, from end, c *call, clientCaps []byte) []need {
	if revision < mcpspec.Rev20251125 {
		return dst
	}
	modern := revision >= mcpspec.Rev20260728
	switch method {
	case "tools/call":
		if c.task != nil && !modern {
			dst = append(dst, need{server, "tasks.requests.tools.call"})
		}
	case "sampling/createMessage":
		if c.tools {
			dst = append(dst, need{client, "sampling.tools"})
		}
		if c.context == "thisServer" || c.context == "allServers" {
			dst = append(dst, need{client, "sampling.context"})
		}
		if c.task != nil && !modern {
			dst = append(dst, need{client, "tasks.requests.sampling.createMessage"})
		}
	case "elicitation/create":
		// A client that names its modes takes no other; an empty object means the form.
		switch {
		case c.mode == "url":
			dst = append(dst, need{client, "elicitation.url"})
		case c.mode == "form" || member(clientCaps, "elicitation", "url") != nil:
			dst = append(dst, need{client, "elicitation.form"})
		}
		if c.task != nil && !modern {
			dst = append(dst, need{client, "tasks.requests.elicitation.create"})
		}
	case "subscriptions/listen":
		for _, f := range listenFilters {
			if v := member(c.filter, f.field); v != nil && !isNull(v) && string(v) != "false" {
				dst = append(dst, need{server, f.path})
			}
		}
		if member(c.filter, "taskIds") != nil {
			path := mcpspec.ExtensionPath(mcpspec.TasksExtension)
			dst = append(dst, need{client, path}, need{server, path})
		}
	}
	return dst
}

// leans returns what an entry itself leans on: an answer has the capabilities of its request, but only those of
// the questions inside it are its own.
func (e *Entry) leans() []Capability {
	if e.Kind == Request || e.Kind == Notification {
		return e.Capability
	}
	var own []Capability
	for _, c := range e.Capability {
		if c.Side == client.String() && slices.Contains(e.Touches, segments(c.Path)[0]) {
			own = append(own, c)
		}
	}
	return own
}

// resolve turns needs into capabilities with their state, for a message of era. Client capabilities of
// a modern message are those that its request stated itself.
func (p *process) resolve(needs []need, era string, stated []byte, at Ref) []Capability {
	if len(needs) == 0 {
		return nil
	}
	out := make([]Capability, len(needs))
	for i, n := range needs {
		c := Capability{Side: n.side.String(), Path: n.path, State: UnknownDecl}
		var d *declaration
		switch {
		case era == mcpspec.Modern && n.side == client:
			if stated != nil {
				d = &declaration{raw: stated, at: at}
			}
		case era == mcpspec.Modern:
			d = &p.modern.caps
		case n.side == client:
			d = &p.session.clientCaps
		default:
			d = &p.session.serverCaps
		}
		if d != nil && d.made() {
			c.State = Undeclared
			if d.has(n.path) {
				c.State, c.At = IsDeclared, d.at.Seq
			}
		}
		out[i] = c
	}
	return out
}
