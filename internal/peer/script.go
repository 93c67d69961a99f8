package peer

import (
	"bytes"
	"io"
	"slices"
	"time"

	"github.com/shakescope/shakescope/annotate"
	"github.com/shakescope/shakescope/internal/mcpspec"
	"github.com/shakescope/shakescope/jsonrpc"
	"github.com/shakescope/shakescope/recordings"
)

// Script is what a recorded server said, ordered by what it said it to.
type Script struct {
	opening  *scene              // before the client had said anything
	requests map[string][]*scene // by [question.exact]
	loose    map[string][]*scene // tool calls by [question.call]
	methods  map[string][]*scene // all of a method, in order
	notices  map[string][]*scene // by the method of the client's notification
	ids      map[string]bool     // of the server's requests, by key
	LeftOut  map[string]int      // what of the server's is not played, by reason
	eras     map[string]bool     // in which requests were recorded
}

// scene is a message of the client, and what the server sent because of it.
type scene struct {
	ref   annotate.Ref
	ask   question
	id    string // key of the recorded id
	fails bool   // the recorded answer is an error
	steps []step

	last time.Duration // of the newest step, while the script is made
	done int           // index of its answer among the entries, -1 for none
}

type stepKind uint8

const (
	sayPlain    stepKind = iota // as recorded
	sayAnswer                   // to the request of the scene
	sayProgress                 // on it
	sayRequest                  // of the server
	sayNotice                   // about a subscription, which is an id of the client's
	sayEnd                      // the answer that ends a subscription
	sayWithdraw                 // cancels a request of the server
	hear                        // the client's answer to a request of the server
)

type step struct {
	kind stepKind
	gap  time.Duration // since the step before, or since the client's message
	line []byte
	id   string // key of the recorded id: of the server's request, or of the subscription
}

// question is a client's request, made comparable.
type question struct {
	method, target string
	modern         bool
	version        string // that the client asks for, or states
	params         any    // without what differs from run to run
	exact          string // equal for equal questions
	call           string // of a tool, equal for equal calls; "" for all else
}

// ask takes a request's params apart.
func ask(method string, params []byte) question {
	q := question{method: method}
	_, q.modern = jsonrpc.Lookup(params, "_meta", mcpspec.MetaProtocolVersion)
	if q.version = textOf(params, "_meta", mcpspec.MetaProtocolVersion); !q.modern {
		q.version = textOf(params, "protocolVersion")
	}
	tree, isObject := decoded(params).(map[string]any)
	if tree == nil {
		tree = map[string]any{}
	}
	if len(params) > 0 && !isObject {
		q.params = decoded(params)
		q.exact = method + " " + canonical(q.params)
		return q
	}
	delete(tree, "_meta")
	if c, ok := tree["cursor"]; ok && c == nil {
		delete(tree, "cursor")
	}
	if method == "tools/call" || method == "prompts/get" {
		if tree["arguments"] == nil {
			tree["arguments"] = map[string]any{}
		}
	}
	for _, name := range []string{"name", "uri", "taskId"} {
		if s, ok := tree[name].(string); ok && q.target == "" {
			q.target = s
		}
	}
	q.params = tree
	era := mcpspec.Legacy
	if q.modern {
		era = mcpspec.Modern
	}
	q.exact = era + " " + method + " " + canonical(tree)
	if method == "tools/call" {
		_, task := tree["task"]
		_, responses := tree["inputResponses"]
		q.call = era + canonical([]any{tree["name"], tree["arguments"], task, responses, tree["requestState"]})
	}
	return q
}

// NewScript reads recordings of one server: the first one and, where a client asked for the revision on
// processes of their own, those.
func NewScript(sources ...annotate.Source) (*Script, error) {
	s := &Script{
		requests: map[string][]*scene{}, loose: map[string][]*scene{}, methods: map[string][]*scene{}, notices: map[string][]*scene{},
		ids: map[string]bool{}, LeftOut: map[string]int{}, eras: map[string]bool{},
	}
	for _, open := range sources {
		entries, err := messages(open)
		if err != nil {
			return nil, err
		}
		w := writing{Script: s, entries: entries, at: map[annotate.Ref]int{}, hosts: map[annotate.Ref]*scene{}, listens: map[string]*scene{}}
		w.write()
	}
	return s, nil
}

// messages reads what the two sides wrote, final. It folds the recording once, with everything in memory.
func messages(open annotate.Source) ([]annotate.Entry, error) {
	r, err := open()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	var kept []annotate.Entry
	at := map[annotate.Ref]int{}
	session := annotate.NewSession()
	session.Open(r.Header())
	take := func(u annotate.Update) {
		for i := range u.Entries {
			e := &u.Entries[i]
			if e.From == "" && e.Stream != recordings.Stdout {
				continue
			}
			at[e.Ref] = len(kept)
			kept = append(kept, *e)
			e = &kept[len(kept)-1]
			e.Raw = bytes.Clone(e.Raw)
			if e.Message != nil {
				m := jsonrpc.Decode(e.Raw)
				e.Message = &m
			}
		}
		for _, p := range u.Patches {
			if i, ok := at[p.At]; ok {
				kept[i].Apply(p)
			}
		}
	}
	for {
		rec, err := r.Next()
		if err == io.EOF {
			take(session.Finish())
			return kept, nil
		} else if err != nil {
			return nil, err
		}
		take(session.Add(rec))
	}
}

// writing makes the scenes of one recording.
type writing struct {
	*Script
	entries []annotate.Entry
	at      map[annotate.Ref]int
	hosts   map[annotate.Ref]*scene // of the client's requests, and of the server's by the scene they are in
	listens map[string]*scene       // subscriptions, by the key of their id
	open    []*scene                // requests of the client that will be answered
	anchor  *scene                  // of the newest message of the client
}

func (w *writing) write() {
	for i := range w.entries {
		w.at[w.entries[i].Ref] = i
	}
	w.anchor = &scene{done: -1}
	if w.opening == nil {
		w.opening = w.anchor
	}
	for i := range w.entries {
		e := &w.entries[i]
		if e.From == "client" {
			w.client(i, e)
		} else {
			w.server(i, e)
		}
	}
}

func (w *writing) client(i int, e *annotate.Entry) {
	switch e.Kind {
	case annotate.Request:
		s := &scene{ref: e.Ref, ask: ask(e.Method, e.Message.Params), last: e.T, done: -1}
		if answer, ok := w.at[e.Pair]; ok && !e.Pair.IsZero() && answer > i {
			s.done = answer
			s.fails = w.entries[answer].Kind == annotate.ErrorAnswer
		}
		s.id = jsonrpc.ParseID([]byte(e.ID)).Key()
		w.hosts[e.Ref] = s
		if e.Method == "subscriptions/listen" {
			w.listens[s.id] = s
		} else if s.done >= 0 {
			w.open = append(w.open, s)
		}
		w.anchor = s
		w.requests[s.ask.exact] = append(w.requests[s.ask.exact], s)
		if s.ask.call != "" {
			w.loose[s.ask.call] = append(w.loose[s.ask.call], s)
		}
		w.methods[e.Method] = append(w.methods[e.Method], s)
		w.eras[eraOf(s.ask.modern)] = true
	case annotate.Notification:
		if e.Method == "notifications/cancelled" {
			return
		}
		s := &scene{ref: e.Ref, last: e.T, done: -1}
		w.notices[e.Method] = append(w.notices[e.Method], s)
		w.anchor = s
	case annotate.Response, annotate.ErrorAnswer:
		if host := w.hosts[e.Pair]; host != nil {
			w.add(host, e, step{kind: hear, id: jsonrpc.ParseID([]byte(e.ID)).Key()})
			w.anchor = host
		}
	}
}

func (w *writing) server(i int, e *annotate.Entry) {
	switch e.Kind {
	case annotate.Response, annotate.ErrorAnswer:
		w.answer(i, e)
	case annotate.Request:
		host := w.place(max(i, w.index(e.Pair)))
		w.hosts[e.Ref] = host
		id := jsonrpc.ParseID([]byte(e.ID)).Key()
		w.ids[id] = true
		w.add(host, e, step{kind: sayRequest, line: e.Raw, id: id})
	case annotate.Notification:
		w.notice(i, e)
	case annotate.Invalid:
		if e.Stream == recordings.Stdout && e.Reason == jsonrpc.NotJSON && !e.Truncated && e.Sub == annotate.NoSub {
			w.add(w.place(i), e, step{line: e.Raw})
			return
		}
		w.LeftOut["lines that are no messages"]++
	}
}

func (w *writing) answer(i int, e *annotate.Entry) {
	s := w.hosts[e.Pair]
	switch {
	case s == nil || s.ask.method == "":
		w.LeftOut["answers to nothing that was recorded"]++
	case e.Truncated:
		w.LeftOut["answers that the recording has only in part"]++
	case s.ask.method == "subscriptions/listen":
		// It ends the subscription, where the client had not done so itself.
		if e.Phase != annotate.Shutdown && !w.entries[w.at[e.Pair]].Cancelled && s.done == i && !w.closedBefore(i) {
			host := w.place(i)
			w.add(host, e, step{kind: sayEnd, line: e.Raw, id: jsonrpc.ParseID([]byte(e.ID)).Key()})
		}
	case s.done != i:
		w.LeftOut["second answers to one request"]++
	default:
		w.add(s, e, step{kind: sayAnswer, line: e.Raw})
		w.open = slices.DeleteFunc(w.open, func(o *scene) bool { return o == s })
	}
}

// closedBefore reports whether nothing of the client came after entry i: then the answer may be one to the end
// of the input.
func (w *writing) closedBefore(i int) bool {
	return !slices.ContainsFunc(w.entries[i:], func(e annotate.Entry) bool { return e.From == "client" })
}

func (w *writing) notice(i int, e *annotate.Entry) {
	subscription, tagged := jsonrpc.Lookup(e.Message.Params, "_meta", mcpspec.MetaSubscriptionID)
	id := jsonrpc.ParseID(subscription).Key()
	switch e.Method {
	case "notifications/progress":
		if host := w.hosts[e.Flow]; host != nil && host.ask.method != "" {
			w.add(host, e, step{kind: sayProgress, line: e.Raw})
			return
		}
		w.LeftOut["progress on nothing that was recorded"]++
		return
	case "notifications/cancelled":
		raw, _ := jsonrpc.Lookup(e.Message.Params, "requestId")
		key := jsonrpc.ParseID(raw).Key()
		kind := sayWithdraw
		if w.listens[key] != nil && !w.ids[key] {
			kind = sayNotice
		}
		w.add(w.place(i), e, step{kind: kind, line: e.Raw, id: key})
		return
	case "notifications/subscriptions/acknowledged":
		if host := w.listens[id]; host != nil {
			w.add(host, e, step{kind: sayNotice, line: e.Raw, id: id})
			return
		}
	}
	if tagged {
		w.add(w.place(i), e, step{kind: sayNotice, line: e.Raw, id: id})
		return
	}
	w.add(w.place(i), e, step{line: e.Raw})
}

// place returns the scene to which something belongs that names no request: the open request that was answered
// next after entry i, or the newest message of the client.
func (w *writing) place(i int) *scene {
	var host *scene
	for _, s := range w.open {
		if s.done > i && (host == nil || s.done < host.done) {
			host = s
		}
	}
	if host == nil {
		host = w.anchor
	}
	return host
}

func (w *writing) index(r annotate.Ref) int {
	if i, ok := w.at[r]; ok && !r.IsZero() {
		return i
	}
	return -1
}

func (w *writing) add(s *scene, e *annotate.Entry, st step) {
	st.gap = max(e.T-s.last, 0)
	s.last = e.T
	s.steps = append(s.steps, st)
}

func eraOf(modern bool) string {
	if modern {
		return mcpspec.Modern
	}
	return mcpspec.Legacy
}

// Empty reports whether no request of a client was recorded.
func (s *Script) Empty() bool { return len(s.methods) == 0 }

// Has reports whether a request of that method was recorded.
func (s *Script) Has(method string) bool { return len(s.methods[method]) > 0 }
