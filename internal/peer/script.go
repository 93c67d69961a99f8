package peer

import (
	"bytes"
	"io"
	"slices"
	"sync"
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

// NewScript reads recordings of one server: the first one and, where a client asked for the revision on
// processes of their own, those.
func NewScript(sources ...annotate.Source) (*Script, error) {
	s := &Script{
		requests: map[string][]*scene{}, loose: map[string][]*scene{}, methods: map[string][]*scene{}, notices: map[string][]*scene{},
		ids: map[string]bool{}, LeftOut: map[string]int{}, eras: map[string]bool{},
	}
	for _, open := range sources {
		recorded, err := lines(open)
		if err != nil {
			return nil, err
		}
		w := writing{Script: s, lines: recorded, at: map[annotate.Ref]int{}, hosts: map[annotate.Ref]*scene{}, listens: map[string]*scene{}}
		w.write()
	}
	return s, nil
}

// line is what a script is made of: a message, or a line that is none.
type line struct {
	annotate.Ref
	t          time.Duration
	from       string // client, server
	kind       annotate.Kind
	id         string // its key
	method     string
	ask        *question // of a request of the client
	pair, flow annotate.Ref
	phase      annotate.Phase
	cancelled  bool
	truncated  bool
	speech     bool   // no message, but what programs print to stdout when they mean stderr
	about      string // of a notification of the server: the key of the id that it names
	tagged     bool   // that is the id of a subscription
	raw        []byte // of the server's
}

// lines reads what the two sides wrote, as it is known at the end. It folds the recording once, and keeps
// of it what is played.
func lines(open annotate.Source) ([]line, error) {
	r, err := open()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	// To make requests comparable takes as long as all else: it is done beside.
	asked := make(chan *question, 256)
	var done sync.WaitGroup
	done.Go(func() {
		for q := range asked {
			*q = ask(q.method, q.params)
		}
	})
	defer func() {
		close(asked)
		done.Wait()
	}()
	var kept []line
	at := map[annotate.Ref]int{}
	session := annotate.NewSessionWithoutRules()
	session.Open(r.Header())
	take := func(u annotate.Update) {
		for i := range u.Entries {
			e := &u.Entries[i]
			if e.From == "" && e.Stream != recordings.Stdout {
				continue
			}
			at[e.Ref] = len(kept)
			kept = append(kept, lineOf(e))
			if e.From == "client" && e.Kind == annotate.Request {
				q := &question{method: e.Method, params: bytes.Clone(e.Message.Params)}
				kept[len(kept)-1].ask = q
				asked <- q
			}
		}
		for _, p := range u.Patches {
			if i, ok := at[p.At]; ok {
				kept[i].apply(p)
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

func lineOf(e *annotate.Entry) line {
	l := line{Ref: e.Ref, t: e.T, from: e.From, kind: e.Kind, method: e.Method, pair: e.Pair, flow: e.Flow, phase: e.Phase, cancelled: e.Cancelled, truncated: e.Truncated}
	l.id = jsonrpc.ParseID([]byte(e.ID)).Key()
	switch {
	case e.From == "client":
		return l
	case e.Kind == annotate.Notification && e.Method == "notifications/cancelled":
		l.about = idIn(e, "requestId")
	case e.Kind == annotate.Notification && e.Method != "notifications/progress":
		_, l.tagged = jsonrpc.Lookup(e.Message.Params, "_meta", mcpspec.MetaSubscriptionID)
		l.about = idIn(e, "_meta", mcpspec.MetaSubscriptionID)
	case e.Kind == annotate.Invalid:
		l.speech = e.Stream == recordings.Stdout && e.Reason == jsonrpc.NotJSON && e.Sub == annotate.NoSub
	}
	l.raw = bytes.Clone(e.Raw)
	return l
}

func idIn(e *annotate.Entry, path ...string) string {
	raw, _ := jsonrpc.Lookup(e.Message.Params, path...)
	return jsonrpc.ParseID(raw).Key()
}

// apply is [annotate.Entry.Apply] for what is kept.
func (l *line) apply(p annotate.Patch) {
	if !p.Pair.IsZero() {
		l.pair = p.Pair
	}
	if !p.Flow.IsZero() {
		l.flow = p.Flow
	}
	if p.Phase != "" {
		l.phase = p.Phase
	}
	l.cancelled = l.cancelled || p.Cancelled
}

// writing makes the scenes of one recording.
type writing struct {
	*Script
	lines   []line
	at      map[annotate.Ref]int
	hosts   map[annotate.Ref]*scene // of the client's requests, and of the server's by the scene they are in
	listens map[string]*scene       // subscriptions, by the key of their id
	open    []*scene                // requests of the client that will be answered
	anchor  *scene                  // of the newest message of the client
}

func (w *writing) write() {
	for i := range w.lines {
		w.at[w.lines[i].Ref] = i
	}
	w.anchor = &scene{done: -1}
	if w.opening == nil {
		w.opening = w.anchor
	}
	for i := range w.lines {
		l := &w.lines[i]
		if l.from == "client" {
			w.client(i, l)
		} else {
			w.server(i, l)
		}
	}
}

func (w *writing) client(i int, l *line) {
	switch l.kind {
	case annotate.Request:
		s := &scene{ref: l.Ref, ask: *l.ask, last: l.t, done: -1}
		if answer, ok := w.at[l.pair]; ok && !l.pair.IsZero() && answer > i {
			s.done = answer
			s.fails = w.lines[answer].kind == annotate.ErrorAnswer
		}
		s.id = l.id
		w.hosts[l.Ref] = s
		if l.method == "subscriptions/listen" {
			w.listens[s.id] = s
		} else if s.done >= 0 {
			w.open = append(w.open, s)
		}
		w.anchor = s
		w.requests[s.ask.exact] = append(w.requests[s.ask.exact], s)
		if s.ask.call != "" {
			w.loose[s.ask.call] = append(w.loose[s.ask.call], s)
		}
		w.methods[l.method] = append(w.methods[l.method], s)
		w.eras[eraOf(s.ask.modern)] = true
	case annotate.Notification:
		if l.method == "notifications/cancelled" {
			return
		}
		s := &scene{ref: l.Ref, last: l.t, done: -1}
		w.notices[l.method] = append(w.notices[l.method], s)
		w.anchor = s
	case annotate.Response, annotate.ErrorAnswer:
		if host := w.hosts[l.pair]; host != nil {
			w.add(host, l, step{kind: hear, id: l.id})
			w.anchor = host
		}
	}
}

func (w *writing) server(i int, l *line) {
	switch l.kind {
	case annotate.Response, annotate.ErrorAnswer:
		w.answer(i, l)
	case annotate.Request:
		host := w.place(max(i, w.index(l.pair)))
		w.hosts[l.Ref] = host
		w.ids[l.id] = true
		w.add(host, l, step{kind: sayRequest, line: l.raw, id: l.id})
	case annotate.Notification:
		w.notice(i, l)
	case annotate.Invalid:
		if l.speech && !l.truncated {
			w.add(w.place(i), l, step{line: l.raw})
			return
		}
		w.LeftOut["lines that are no messages"]++
	}
}

func (w *writing) answer(i int, l *line) {
	s := w.hosts[l.pair]
	switch {
	case s == nil || s.ask.method == "":
		w.LeftOut["answers to nothing that was recorded"]++
	case l.truncated:
		w.LeftOut["answers that the recording has only in part"]++
	case s.ask.method == "subscriptions/listen":
		// It ends the subscription, where the client had not done so itself.
		if l.phase != annotate.Shutdown && !w.lines[w.at[l.pair]].cancelled && s.done == i && !w.closedBefore(i) {
			host := w.place(i)
			w.add(host, l, step{kind: sayEnd, line: l.raw, id: l.id})
		}
	case s.done != i:
		w.LeftOut["second answers to one request"]++
	default:
		w.add(s, l, step{kind: sayAnswer, line: l.raw})
		w.open = slices.DeleteFunc(w.open, func(o *scene) bool { return o == s })
	}
}

// closedBefore reports whether nothing of the client came after entry i: then the answer may be one to the end
// of the input.
func (w *writing) closedBefore(i int) bool {
	return !slices.ContainsFunc(w.lines[i:], func(l line) bool { return l.from == "client" })
}

func (w *writing) notice(i int, l *line) {
	switch l.method {
	case "notifications/progress":
		if host := w.hosts[l.flow]; host != nil && host.ask.method != "" {
			w.add(host, l, step{kind: sayProgress, line: l.raw})
			return
		}
		w.LeftOut["progress on nothing that was recorded"]++
		return
	case "notifications/cancelled":
		kind := sayWithdraw
		if w.listens[l.about] != nil && !w.ids[l.about] {
			kind = sayNotice
		}
		w.add(w.place(i), l, step{kind: kind, line: l.raw, id: l.about})
		return
	case "notifications/subscriptions/acknowledged":
		if host := w.listens[l.about]; host != nil {
			w.add(host, l, step{kind: sayNotice, line: l.raw, id: l.about})
			return
		}
	}
	if l.tagged {
		w.add(w.place(i), l, step{kind: sayNotice, line: l.raw, id: l.about})
		return
	}
	w.add(w.place(i), l, step{line: l.raw})
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

func (w *writing) add(s *scene, l *line, st step) {
	st.gap = max(l.t-s.last, 0)
	s.last = l.t
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
