package peer

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/shakescope/shakescope/internal/mcpspec"
	"github.com/shakescope/shakescope/jsonrpc"
)

// Playing says how a recorded server is played.
type Playing struct {
	Pace  bool    // as in the recording; else each message as soon as it may come
	Flaws []*Flaw // faults to commit
	// Note gets a line for people; nil drops it.
	Note func(string)
}

// Exit is the error with which a stand-in ends that was told to by a flaw.
type Exit struct{ Code int }

func (e *Exit) Error() string { return fmt.Sprintf("ended on purpose with code %d", e.Code) }

// breath is what lies at least between progress and the answer after it, unless it was less in the recording: SDK
// clients drop progress that comes in one read with the answer.
const breath = 5 * time.Millisecond

// longestQuestion bounds a line of the client.
const longestQuestion = 256 << 20

// Play is the recorded server to a client that writes to in and reads from out, until in ends. The error is
// an [*Exit], or that of reading or writing. It must not be called twice at a time.
func (s *Script) Play(in io.Reader, out io.Writer, o Playing) error {
	note := o.Note
	if note == nil {
		note = func(string) {}
	}
	p := &player{
		Playing: o, out: out, lines: make(chan []byte), due: make(chan func() error),
		over: make(chan struct{}), running: map[string]*performance{}, asked: map[string]*asked{}, taken: map[string]bool{}, subscribed: map[string]jsonrpc.ID{}, heard: map[string]int{},
	}
	p.casting = casting{Script: s, given: map[string]int{}, note: func(format string, args ...any) { note(fmt.Sprintf(format, args...)) }}
	defer close(p.over)
	ended := make(chan error, 1)
	go func() { ended <- p.read(in) }()
	return p.run(ended)
}

// player plays the server. Everything happens on one goroutine, but for reading and timers.
type player struct {
	Playing
	casting
	out   io.Writer
	lines chan []byte
	due   chan func() error
	over  chan struct{}

	running    map[string]*performance // not yet answered, by the key of the client's id
	asked      map[string]*asked       // requests of the server, by the key of the id they went out under
	taken      map[string]bool         // keys of ids that went out
	lastID     int64
	subscribed map[string]jsonrpc.ID // the client's id for each recorded subscription
	heard      map[string]int        // notifications of the client, by method
	pending    int                   // answers that a timer will bring
}

// performance is a scene on its way, for one message of the client.
type performance struct {
	scene   *scene
	next    int
	id      jsonrpc.ID
	token   []byte            // the client's, nil for none
	asked   map[string]string // the key under which a request of the server went out, by that of the recorded id
	waits   string            // key of the server's request whose answer it waits for
	paced   bool              // the gap before the next step has passed
	over    bool              // cancelled
	flaws   []*Flaw
	delayed bool
}

func perform(s *scene) *performance {
	return &performance{scene: s, asked: map[string]string{}}
}

// asked is a request of the server that went out.
type asked struct {
	by       *performance
	raw      string // the id
	answered bool
}

// read hands the client's lines to the player.
func (p *player) read(in io.Reader) error {
	framer := jsonrpc.NewFramer(0)
	chunk := make([]byte, 64<<10)
	hand := func(line []byte) {
		select {
		case p.lines <- bytes.Clone(line):
		case <-p.over:
		}
	}
	for {
		n, err := in.Read(chunk)
		framer.Push(chunk[:n])
		for frame, ok := framer.Next(); ok; frame, ok = framer.Next() {
			hand(frame.Data)
		}
		if err == nil && framer.Pending() > longestQuestion {
			return fmt.Errorf("a line of the client is longer than %d bytes", longestQuestion)
		}
		if err != nil {
			if frame, ok := framer.Close(); ok {
				hand(frame.Data)
			}
			if errors.Is(err, io.EOF) {
				return nil
			}
			return fmt.Errorf("reading the client: %w", err)
		}
	}
}

func (p *player) run(ended <-chan error) error {
	if s := p.opening; s != nil {
		if err := p.advance(perform(s)); err != nil {
			return err
		}
	}
	closed := false
	for !closed || p.pending > 0 {
		var err error
		select {
		case line := <-p.lines:
			err = p.take(line)
		case f := <-p.due:
			err = f()
		case err = <-ended:
			closed, ended = true, nil
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// later calls f on the player's goroutine after d. What brings an answer is waited for when the client has closed
// its input.
func (p *player) later(d time.Duration, answers bool, f func() error) {
	if answers {
		p.pending++
	}
	time.AfterFunc(d, func() {
		select {
		case p.due <- func() error {
			if answers {
				p.pending--
			}
			return f()
		}:
		case <-p.over:
		}
	})
}

func (p *player) take(line []byte) error {
	m := jsonrpc.Decode(line)
	if m.Kind != jsonrpc.Batch {
		return p.message(&m)
	}
	for i := range m.Members {
		if err := p.message(&m.Members[i]); err != nil {
			return err
		}
	}
	return nil
}

func (p *player) message(m *jsonrpc.Message) error {
	switch m.Kind {
	case jsonrpc.Request:
		return p.request(m)
	case jsonrpc.Notification:
		if m.Method == "notifications/cancelled" {
			raw, _ := jsonrpc.Lookup(m.Params, "requestId")
			p.cancel(jsonrpc.ParseID(raw).Key())
			return nil
		}
		n := p.heard[m.Method]
		p.heard[m.Method]++
		if recorded := p.notices[m.Method]; n < len(recorded) {
			return p.advance(perform(recorded[n]))
		}
	case jsonrpc.Response, jsonrpc.Error:
		a := p.asked[m.ID.Key()]
		if a == nil || a.answered {
			p.note("the client answers %s, which was not asked", m.ID.Raw())
			return nil
		}
		a.answered = true
		if a.by.waits == m.ID.Key() {
			a.by.waits = ""
			return p.advance(a.by)
		}
	case jsonrpc.Blank:
	default:
		p.note("the client sent a line that is no message (%s)", m.Reason)
	}
	return nil
}

// cancel ends what is going on for a request: it gets no answer any more.
func (p *player) cancel(key string) {
	if run := p.running[key]; run != nil {
		run.over = true
		delete(p.running, key)
	}
	for recorded, id := range p.subscribed {
		if id.Key() == key {
			delete(p.subscribed, recorded)
		}
	}
}

func (p *player) request(m *jsonrpc.Message) error {
	q := ask(m.Method, m.Params)
	run := perform(nil)
	run.id = m.ID
	run.token, _ = jsonrpc.Lookup(m.Params, "_meta", mcpspec.MetaProgressToken)
	for _, f := range p.Flaws {
		if f.hits(&q) {
			run.flaws = append(run.flaws, f)
		}
	}
	s, fault := p.find(q)
	if fault != nil && q.method == "ping" && !q.modern {
		s, fault = &scene{steps: []step{{kind: sayAnswer, line: []byte(`{"jsonrpc":"2.0","id":0,"result":{}}`)}}}, nil
	}
	if fault != nil {
		p.note("%s: %s", q.method, fault.Message)
		s = &scene{steps: []step{{kind: sayAnswer, line: jsonrpc.AppendError(nil, jsonrpc.NumberID(0), fault.Code, fault.Message, fault.Data)}}}
	}
	run.scene = s
	p.running[m.ID.Key()] = run
	if q.method == "subscriptions/listen" {
		p.subscribed[s.id] = m.ID
	}
	return p.advance(run)
}

// advance plays a scene on to its end, or to where it must wait.
func (p *player) advance(run *performance) error {
	for run.next < len(run.scene.steps) && !run.over {
		st := &run.scene.steps[run.next]
		if st.kind == hear {
			if out, ok := run.asked[st.id]; ok && !p.asked[out].answered {
				run.waits = out
				return nil
			}
			run.next++
			continue
		}
		answers := run.unanswered()
		if p.Pace && st.gap > 0 && !run.paced {
			run.paced = true
			p.later(st.gap, answers, func() error { return p.advance(run) })
			return nil
		}
		if st.kind == sayAnswer && !run.delayed {
			run.delayed = true
			if d := run.delay(); d > 0 {
				p.later(d, answers, func() error { return p.advance(run) })
				return nil
			}
		}
		if st.kind == sayAnswer && !p.Pace && run.token != nil && run.next > 0 && run.scene.steps[run.next-1].kind == sayProgress {
			time.Sleep(min(st.gap, breath)) // everything waits: the order stays the same on every run
		}
		run.paced = false
		run.next++
		if err := p.play(run, st); err != nil {
			return err
		}
	}
	return nil
}

// unanswered reports whether the client's answer is still to come in the scene, with nothing of the client's needed
// for it.
func (r *performance) unanswered() bool {
	for _, st := range r.scene.steps[r.next:] {
		switch st.kind {
		case hear:
			return false
		case sayAnswer:
			return true
		}
	}
	return false
}

func (r *performance) delay() (d time.Duration) {
	for _, f := range r.flaws {
		d += f.Delay
	}
	return d
}

// play takes one step.
func (p *player) play(run *performance, st *step) error {
	switch st.kind {
	case sayAnswer:
		delete(p.running, run.id.Key())
		line, err := Edit(st.line, "/id", []byte(run.id.Raw()))
		if err != nil {
			return nil // a line that was paired is JSON
		}
		return p.answer(run, line)
	case sayProgress:
		if run.token == nil {
			return nil // the client does not want to know
		}
		return p.sendEdited(st.line, "/params/progressToken", run.token)
	case sayRequest:
		id := p.fresh(st.line)
		run.asked[st.id] = id.Key()
		p.asked[id.Key()] = &asked{by: run, raw: id.Raw()}
		return p.sendEdited(st.line, "/id", []byte(id.Raw()))
	case sayNotice, sayEnd:
		id, ok := p.subscribed[st.id]
		if !ok {
			return nil // the client has no such subscription
		}
		line := st.line
		for _, path := range []string{"/id", "/params/requestId", "/params/_meta/" + escapePointer.Replace(mcpspec.MetaSubscriptionID), "/result/_meta/" + escapePointer.Replace(mcpspec.MetaSubscriptionID)} {
			line = replaced(line, path, []byte(id.Raw()))
		}
		if st.kind == sayEnd {
			p.cancel(id.Key())
		}
		return p.send(line)
	case sayWithdraw:
		out, ok := run.asked[st.id]
		if !ok || p.asked[out].answered {
			return nil
		}
		p.asked[out].answered = true
		return p.sendEdited(st.line, "/params/requestId", []byte(p.asked[out].raw))
	}
	return p.send(st.line)
}

// answer sends an answer with what the flaws do to it.
func (p *player) answer(run *performance, line []byte) error {
	copies := 1
	for _, f := range run.flaws {
		switch f.Kind {
		case "exit":
			return &Exit{int(f.Code)}
		case "drop":
			return nil
		case "error":
			line = jsonrpc.AppendError(nil, run.id, f.Code, f.Text, nil)
		case "duplicate":
			copies++
		}
	}
	for _, f := range run.flaws {
		switch f.Kind {
		case "garbage":
			if err := p.send([]byte(f.Text)); err != nil {
				return err
			}
		case "cut":
			n := f.Bytes
			if n == 0 {
				n = len(line) / 2
			}
			if _, err := p.out.Write(line[:min(n, len(line))]); err != nil {
				return fmt.Errorf("writing to the client: %w", err)
			}
			return &Exit{1}
		}
	}
	for range copies {
		if err := p.send(line); err != nil {
			return err
		}
	}
	return nil
}

// fresh returns the id under which a request of the server goes out: the recorded one, unless it went out before.
func (p *player) fresh(line []byte) jsonrpc.ID {
	raw, _ := jsonrpc.Lookup(line, "id")
	id := jsonrpc.ParseID(raw)
	for p.taken[id.Key()] {
		p.lastID++
		if id = jsonrpc.NumberID(p.lastID); p.ids[id.Key()] {
			p.taken[id.Key()] = true
		}
	}
	p.taken[id.Key()] = true
	return id
}

// replaced is line with the value at a JSON pointer replaced, where there is one.
func replaced(line []byte, path string, value []byte) []byte {
	steps, _ := pathSteps(path)
	if _, ok := jsonrpc.Lookup(line, steps...); !ok {
		return line
	}
	out, err := Edit(line, path, value)
	if err != nil {
		return line
	}
	return out
}

func (p *player) sendEdited(line []byte, path string, value []byte) error {
	return p.send(replaced(line, path, value))
}

func (p *player) send(line []byte) error {
	if _, err := p.out.Write(append(line[:len(line):len(line)], '\n')); err != nil {
		return fmt.Errorf("writing to the client: %w", err)
	}
	return nil
}
