package annotate

import (
	"slices"
	"strings"
	"time"

	"github.com/shakescope/shakescope/internal/mcpspec"
	"github.com/shakescope/shakescope/jsonrpc"
)

// streams are the subscriptions of a process, the closed ones too, as rules see them.
type streams struct {
	byKey map[string]*stream
	all   []*stream // in order
	open  int
	lost  bool // some were forgotten
}

// stream is one subscriptions/listen.
type stream struct {
	mark
	id       string // raw
	filter   filter
	acked    mark
	closed   mark
	closedBy end
	how      string // it was closed
}

const maxStreams = 4096

// filter is what a subscription asks for, or what was acknowledged.
type filter struct {
	kinds   []string // fields that are true, in order
	uris    []string
	tasks   []string
	unknown []string // fields that nobody defines
}

func readFilter(raw []byte) filter {
	var f filter
	members(raw, func(key, value []byte) bool {
		switch k := string(key); k {
		case "toolsListChanged", "promptsListChanged", "resourcesListChanged":
			if isTrue(value) {
				f.kinds = append(f.kinds, k)
			}
		case "resourceSubscriptions":
			f.uris = texts(value)
		case "taskIds":
			f.tasks = texts(value)
		default:
			if len(f.unknown) < 16 {
				f.unknown = append(f.unknown, k)
			}
		}
		return true
	})
	return f
}

func (f *filter) empty() bool { return len(f.kinds)+len(f.uris)+len(f.tasks) == 0 }

// filterFields are the kinds of notices that a filter can ask for.
var filterFields = map[string]string{
	"notifications/tools/list_changed":     "toolsListChanged",
	"notifications/prompts/list_changed":   "promptsListChanged",
	"notifications/resources/list_changed": "resourcesListChanged",
}

// covers reports whether one of the URIs is the one given, or leads to it.
func covers(uris []string, uri string) bool {
	return slices.ContainsFunc(uris, func(have string) bool { return leadsTo(have, uri) })
}

// leadsTo reports whether a resource is the subscribed one or can be a part of it: its URI goes on where a
// name of the other ends.
func leadsTo(have, uri string) bool {
	rest, ok := strings.CutPrefix(uri, have)
	if !ok || have == "" {
		return false
	}
	inName := func(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' }
	return rest == "" || !inName(have[len(have)-1]) || !inName(rest[0])
}

// streams returns the subscriptions of the process.
func (v *view) streams() *streams { return memo[streams](v, v.Process) }

// follow reports whether a subscription asks for notices of a task, and is open or was cancelled only just.
func (l *streams) follow(task string, now time.Duration) bool {
	return slices.ContainsFunc(l.all, func(s *stream) bool {
		crossed := s.closed.set() && s.closedBy == client && now-s.closed.T <= time.Second
		return (!s.closed.set() || crossed) && slices.Contains(s.filter.tasks, task)
	})
}

func (l *streams) begin(s *stream, key string) {
	if l.byKey == nil {
		l.byKey = make(map[string]*stream)
	}
	if len(l.all) >= maxStreams {
		l.byKey, l.all, l.open, l.lost = make(map[string]*stream), nil, 0, true
	}
	l.byKey[key] = s
	l.all = append(l.all, s)
	l.open++
}

func (l *streams) end(s *stream, at mark, by end, how string) {
	if s != nil && !s.closed.set() {
		s.closed, s.closedBy, s.how = at, by, how
		l.open--
	}
}

// tagged is a notice that may belong to a subscription. It is read once for all rules.
type tagged struct {
	at      Ref
	of      *stream // nil when it names none that is known
	id      []byte  // the subscriptionId, nil when it has none
	change  bool    // it says that something changed
	ack     bool
	acked   bool // the subscription was acknowledged before
	granted filter
}

// tagged returns what the entry is to the subscriptions.
func (v *view) tagged() *tagged {
	t := memo[tagged](v, v.Process)
	if t.at == v.At {
		return t
	}
	*t = tagged{at: v.At, id: v.call.subscription}
	if v.from() != server {
		return t
	}
	switch v.Entry.Method {
	case "notifications/tools/list_changed", "notifications/prompts/list_changed", "notifications/resources/list_changed", "notifications/resources/updated":
		t.change = true
	case "notifications/subscriptions/acknowledged":
		t.ack = true
	}
	if t.id != nil {
		t.of = v.streams().byKey[jsonrpc.ParseID(t.id).Key()]
	}
	if t.of != nil {
		t.acked = t.of.acked.set()
		if t.ack {
			t.granted = readFilter(v.call.filter)
			if !t.acked {
				t.of.acked = mark{v.At, v.T}
			}
		}
	}
	return t
}

// onlyModernNow reports whether a notice without any tag can only be one of the modern era: no legacy
// session is open, and the server has shown that it is modern.
func (v *view) onlyModernNow() bool {
	return v.Entry.Era == mcpspec.Modern && v.Process.onlyModern()
}
