package annotate

import (
	"time"

	"github.com/shakescope/shakescope/internal/mcpspec"
	"github.com/shakescope/shakescope/jsonrpc"
	"github.com/shakescope/shakescope/recordings"
)

// A recording holds processes (one, unless the log goes over a restart), a process the two ends of the
// link and the legacy session that is open on it, an end the requests it has sent. Rules read all of
// this through their [Context] and change none of it.

// end is an end of the link.
type end uint8

const (
	client end = iota
	server
)

func (e end) other() end { return 1 - e }

func (e end) String() string {
	if e == client {
		return string(mcpspec.Client)
	}
	return string(mcpspec.Server)
}

func endOf(from string) end {
	if from == string(mcpspec.Server) {
		return server
	}
	return client
}

// mark is a moment in the recording; the zero mark is one that has not come.
type mark struct {
	At Ref
	T  time.Duration
}

func (m mark) set() bool { return !m.At.IsZero() }

// exchange is a request with what belongs to it. It is in its sender's table while open; afterwards a
// bounded number of the newest ones are remembered for what comes late.
type exchange struct {
	mark
	from       end
	id         jsonrpc.ID
	method     string
	spec       *mcpspec.Method // nil when the specification does not know it
	target     string
	era        string
	revision   string
	phase      Phase
	session    int
	capability []Capability
	touches    []string
	flow       Ref
	params     []byte // own copy while the request is open; nil when absent or beyond maxParams
	token      string // raw JSON of _meta.progressToken

	// Modern requests state these themselves.
	version    string // as sent
	clientCaps []byte // nil when not stated
	logLevel   string

	tool *tool // of a tools/call, or of the result of its task: the definition as listed before the call, nil when unknown

	retries   Ref      // the input_required answer that it goes on from
	resumes   *interim // the same, while the request is open
	cancel    mark
	answer    mark
	failed    bool // answered with an error
	lenient   bool // answered by a line that is no valid message
	progress  int
	heard     time.Duration // when the newest progress came
	late      bool          // begun after the client closed stdin
	unsure    bool          // bytes are missing that may hold its answer
	unsound   bool          // its own line was unterminated, unreadable or framed for another protocol
	ambiguous bool
	sized     bool // params are small enough to be kept
	probable  Ref  // the lone answer that was probably meant for it
	// brokenAnswer says that this one has the right id, but its line never ended.
	brokenAnswer bool
	hint         string // what is probable about it, in words
	refused      bool   // as a member of an array that was refused as a whole
	why          string // it stayed open, once that is known

	older, newer *exchange // of the open requests of this end
	same         *exchange // the next younger open request with an equal id
	open         bool
}

// cancelled reports whether the sender gave the request up before an answer came.
func (x *exchange) cancelled() bool { return x.cancel.set() }

// longLived reports whether the request stays open by design.
func (x *exchange) longLived() bool { return x.method == "subscriptions/listen" }

// queue is the open requests with one id, oldest first, linked by same. It is mixed once they do not all
// ask for the same.
type queue struct {
	oldest, newest *exchange
	mixed          bool
}

// half is what one end has sent.
type half struct {
	byKey          map[string]queue // the open requests with an id
	oldest, newest *exchange        // the open requests in order
	openCount      int

	used          idSet                // ids of all requests so far
	answeredByKey map[string]*exchange // the newest answered request with an id, while remembered
	tokens        map[string]*exchange // the newest request with a progress token, while remembered
	usedTokens    idSet

	unsound  map[string]*exchange // lines that look like requests but are none, by key ("null" too)
	messages int64                // valid messages
	lost     bool                 // bytes of this end are missing from the recording

	last     mark // the newest line that is not blank
	lastKind Kind
	lastName string // its method, where it is a request or notification
	notice   mark   // the newest notification
	noticeOf string // its method
	notices  int    // how many were not replied to, as they should not be
	badSince Ref    // the first of the run of lines that are no message, zero when the newest line is one
	answered Ref    // the newest answer of this end that had no usable id
	// unaccounted counts the lines of this end that are no message and that no error without an id has
	// answered yet.
	unaccounted int
	array       int64 // the newest batch among those lines, while nothing answers its members
	spread      spread
	refusable   []*exchange // members of the newest batch, where the revision has none
	header      bool        // the newest lines were the header of another framing
}

// process is one run of the server.
type process struct {
	spawned   bool
	ends      [2]half
	session   *sessionState
	opening   *sessionState // a further handshake on an open session, until its answer
	tried     *exchange     // the newest initialize that is no valid message
	blurred   bool          // an unreadable line may have been half of the handshake
	recent    ring
	lateStart bool   // the recording begins in mid-session, and no handshake or modern request came yet
	activity  string // era of the newest client request

	modern modernState
	ending ending

	probes []Ref // of an unfinished discovery: what to relabel when it turns out to be a probe

	subscriptions map[string]Ref         // resources/subscribe by URI
	listens       map[string]*exchange   // open subscriptions/listen by key of the id
	logAsked      map[*exchange]struct{} // open modern requests that want log notices
	interims      interims               // input_required answers
	tasks         taskFlows
	taskTools     map[string]*tool // that a task of the server runs, by task id
	elicitations  map[string]Ref   // url elicitations by elicitationId
}

// modernState is what is known of the modern side of a process.
type modernState struct {
	asked     int    // modern requests so far
	operating bool   // one of them was no discovery
	answered  bool   // one of them with success
	marked    bool   // the server has shown that it knows the modern era (resultType, …)
	refuted   mark   // the first answer that shows the contrary
	revision  string // of the newest modern request
	discover  mark   // the newest successful server/discover
	caps      declaration
}

// ending is what is known of the end of a process.
type ending struct {
	first       mark // the first sign of the end
	firstSign   sign
	stdin       mark // the client closed the server's stdin
	stdout      mark // the server closed its stdout
	signal      mark // the first signal
	signalName  string
	exit        mark
	code        *int
	exitSignal  string
	spawnFailed bool
	last        mark // the newest sign
	silent      bool // the hooks of onSilence have run
}

// sessionState is a legacy session, or the lead-in before its handshake.
type sessionState struct {
	number      int
	request     *exchange // the newest initialize
	asked       string    // protocolVersion as sent
	answered    string    // protocolVersion as answered
	opened      mark      // the successful answer
	initialized mark
	revision    string // effective; provisional until opened
	clientCaps  declaration
	serverCaps  declaration
	catalogue   Catalogue
}

// Bounds of what is remembered. Beyond them the fold forgets the oldest, and says less, never wrong.
const (
	maxParams  = 256 << 10 // bytes kept of an open request's params
	maxRecent  = 4096      // answered requests kept for what comes late
	maxProbes  = 256       // entries relabelled when a discovery turns out to be a probe
	maxLinks   = 16384     // subscriptions, tasks, elicitations
	maxInterim = 1024
	maxLook    = 1000 // open requests looked at for a hint
)

func newProcess() *process {
	p := &process{session: &sessionState{number: 1}}
	for i := range p.ends {
		p.ends[i].byKey = make(map[string]queue)
		p.ends[i].tokens = make(map[string]*exchange)
		p.ends[i].answeredByKey = make(map[string]*exchange)
	}
	p.listens = make(map[string]*exchange)
	p.logAsked = make(map[*exchange]struct{})
	return p
}

// enter puts a request into its sender's table.
func (h *half) enter(x *exchange) {
	x.open = true
	h.openCount++
	if x.older = h.newest; x.older != nil {
		x.older.newer = x
	} else {
		h.oldest = x
	}
	h.newest = x
	key := x.id.Key()
	q := h.byKey[key]
	if q.oldest == nil {
		q.oldest = x
	} else {
		q.newest.same = x
		q.mixed = q.mixed || !q.newest.equal(x)
	}
	q.newest = x
	h.byKey[key] = q
}

// likeliest returns which of different requests under one id an answer is for, as far as one can guess: the
// oldest one that waits for an answer at all.
func (q *queue) likeliest() *exchange {
	x := q.oldest
	for n := 0; x != nil && n < maxLook; x, n = x.same, n+1 {
		if !x.longLived() {
			return x
		}
	}
	return q.oldest
}

// leave takes a request out of the table; it must be one of the oldest with its id.
func (h *half) leave(x *exchange) {
	x.open = false
	h.openCount--
	if x.older != nil {
		x.older.newer = x.newer
	} else {
		h.oldest = x.newer
	}
	if x.newer != nil {
		x.newer.older = x.older
	} else {
		h.newest = x.older
	}
	key := x.id.Key()
	q := h.byKey[key]
	var before *exchange
	for y := q.oldest; y != x; y = y.same {
		before = y
	}
	if before != nil {
		before.same = x.same
	} else {
		q.oldest = x.same
	}
	if q.newest == x {
		q.newest = before
	}
	if q.oldest != nil {
		h.byKey[key] = q
	} else {
		delete(h.byKey, key)
	}
	x.older, x.newer, x.same = nil, nil, nil
}

// ring remembers the newest answered requests.
type ring struct {
	items []*exchange
	next  int
}

// push returns the one that is forgotten for it, if any.
func (r *ring) push(x *exchange) *exchange {
	if len(r.items) < maxRecent {
		r.items = append(r.items, x)
		return nil
	}
	old := r.items[r.next]
	r.items[r.next] = x
	r.next = (r.next + 1) % maxRecent
	return old
}

// shutdownSign reports whether an event is a sign of the end, and which.
func shutdownSign(e *recordings.Event) (sign, bool) {
	switch e.Name {
	case "client_closed_stdin":
		return signStdin, true
	case "server_closed_stdout":
		return signStdout, true
	case "exit", "server_exit":
		return signExit, true
	case "signal", "signal_to_server", "signal_to_proxy", "recorder_got_signal":
		return signSignal, true
	case "spawn_error":
		return signSpawn, true
	case "parent_gone":
		return signParent, true
	}
	return 0, false
}

// sign is a kind of sign that a process is about to end.
type sign uint8

const (
	signStdin sign = iota + 1
	signStdout
	signSignal
	signExit
	signSpawn
	signParent
)
