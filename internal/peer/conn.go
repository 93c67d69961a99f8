package peer

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/shakescope/shakescope/internal/mcpspec"
	"github.com/shakescope/shakescope/jsonrpc"
)

// Bounds of what a server may send before it is given up.
const (
	mostBytes   = 128 << 20 // in all, on each of its streams
	mostLines   = 100_000
	longestLine = 32 << 20
	mostQueued  = 16 << 20 // answers to its own requests that it does not read
)

// Errors of a request that got no answer.
var (
	ErrTimeout = errors.New("no answer in time")
	ErrGone    = errors.New("the server closed its output")
	ErrFlood   = errors.New("the server sends more than can be taken")
)

// Fault is an error answer.
type Fault struct {
	Code    int64
	Message string
	Data    []byte // raw JSON, nil for none
}

func (f *Fault) Error() string { return fmt.Sprintf("error %d: %s", f.Code, f.Message) }

// Answer is what came back for a request. The slices are the caller's.
type Answer struct {
	Raw     []byte // the whole line
	Result  []byte // raw JSON; nil for an error
	Fault   *Fault // nil for a result
	Latency time.Duration
}

// Conn is the client's end of a connection. It answers ping, and refuses all other requests of the server, unless
// [Command.Reply] knows better: a client of ours declares no capability.
type Conn struct {
	out   *queue
	reply func(*jsonrpc.Message) []byte
	stop  func()       // ends the server
	gone  func() error // why its output has ended
	done  chan struct{}

	mu      sync.Mutex
	lastID  int64
	waiting map[string]waiter
	broken  error // why nothing more can come
}

type waiter struct {
	sent time.Time
	ch   chan Answer
}

func newConn(to io.WriteCloser, from io.Reader, stop func(), gone func() error, reply func(*jsonrpc.Message) []byte) *Conn {
	c := &Conn{out: newQueue(to), stop: stop, gone: gone, reply: reply, done: make(chan struct{}), waiting: map[string]waiter{}}
	go c.receive(from)
	return c
}

// receive reads until the server's output ends.
func (c *Conn) receive(from io.Reader) {
	defer close(c.done)
	framer := jsonrpc.NewFramer(0)
	chunk := make([]byte, 64<<10)
	var total, lines int64
	for {
		n, err := from.Read(chunk)
		total += int64(n)
		framer.Push(chunk[:n])
		for frame, ok := framer.Next(); ok; frame, ok = framer.Next() {
			lines++
			c.take(frame.Data)
		}
		if err == nil && (total > mostBytes || lines > mostLines || framer.Pending() > longestLine) {
			c.stop()
			c.end(ErrFlood)
			io.Copy(io.Discard, from)
			return
		}
		if err != nil {
			if frame, ok := framer.Close(); ok {
				c.take(frame.Data)
			}
			c.end(c.gone())
			return
		}
	}
}

// end tells everybody who waits that nothing will come.
func (c *Conn) end(why error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.broken = why
	for key, w := range c.waiting {
		close(w.ch)
		delete(c.waiting, key)
	}
}

func (c *Conn) take(line []byte) {
	m := jsonrpc.Decode(line)
	if m.Kind == jsonrpc.Batch {
		for i := range m.Members {
			c.message(&m.Members[i])
		}
		return
	}
	c.message(&m)
}

func (c *Conn) message(m *jsonrpc.Message) {
	switch m.Kind {
	case jsonrpc.Request:
		if c.reply != nil {
			if line := c.reply(m); line != nil {
				c.out.offer(line)
				return
			}
		}
		if m.Method == "ping" {
			c.out.offer(jsonrpc.AppendResult(nil, m.ID, []byte("{}")))
			return
		}
		c.out.offer(jsonrpc.AppendError(nil, m.ID, mcpspec.MethodNotFound, "Method not found: this client declares no capability", nil))
	case jsonrpc.Response, jsonrpc.Error:
		c.answer(m)
	}
}

func (c *Conn) answer(m *jsonrpc.Message) {
	c.mu.Lock()
	key := m.ID.Key()
	w, ok := c.waiting[key]
	delete(c.waiting, key)
	c.mu.Unlock()
	if !ok {
		return
	}
	a := Answer{Raw: bytes.Clone(m.Raw), Latency: time.Since(w.sent)}
	if m.Err != nil {
		a.Fault = &Fault{Code: m.Err.Code, Message: m.Err.Message, Data: bytes.Clone(m.Err.Data)}
	} else {
		a.Result = bytes.Clone(m.Result)
	}
	w.ch <- a
}

// Request sends a request under a number of its own and waits for its answer. Params are raw JSON, nil for
// none. The error is [ErrTimeout], [ErrGone], [ErrFlood] or that of ctx; an error answer is none. A request that
// nobody waits for any longer is cancelled, unless it is of the handshake, which must not be.
func (c *Conn) Request(ctx context.Context, method string, params []byte, limit time.Duration) (Answer, error) {
	c.mu.Lock()
	c.lastID++
	id := jsonrpc.NumberID(c.lastID)
	c.mu.Unlock()
	return c.RequestAs(ctx, id, method, params, limit)
}

// RequestAs does the same under a given id, which must be no open one.
func (c *Conn) RequestAs(ctx context.Context, id jsonrpc.ID, method string, params []byte, limit time.Duration) (Answer, error) {
	return c.send(ctx, id, method, jsonrpc.AppendRequest(nil, id, method, params), limit)
}

// send sends a line that is a request and waits for the answer to its id.
func (c *Conn) send(ctx context.Context, id jsonrpc.ID, method string, line []byte, limit time.Duration) (Answer, error) {
	w := waiter{sent: time.Now(), ch: make(chan Answer, 1)}
	c.mu.Lock()
	if c.broken != nil {
		defer c.mu.Unlock()
		return Answer{}, c.broken
	}
	c.waiting[id.Key()] = w
	c.mu.Unlock()
	c.out.add(line)

	timer := time.NewTimer(limit)
	defer timer.Stop()
	var err error
	select {
	case a, ok := <-w.ch:
		if !ok {
			c.mu.Lock()
			defer c.mu.Unlock()
			return Answer{}, c.broken
		}
		return a, nil
	case <-timer.C:
		err = fmt.Errorf("%w (%v)", ErrTimeout, limit)
	case <-ctx.Done():
		err = ctx.Err()
	}
	c.mu.Lock()
	delete(c.waiting, id.Key())
	c.mu.Unlock()
	if method != "initialize" && method != "server/discover" {
		c.Notify("notifications/cancelled", []byte(`{"requestId":`+id.Raw()+`,"reason":"no answer in time"}`))
	}
	return Answer{}, err
}

// Notify sends a notification. Params are raw JSON, nil for none.
func (c *Conn) Notify(method string, params []byte) {
	c.out.add(jsonrpc.AppendNotification(nil, method, params))
}

func (c *Conn) closeInput() { c.out.close() }

// queue writes lines in the background, so that a server that does not read holds nobody up.
type queue struct {
	to     io.WriteCloser
	mu     sync.Mutex
	more   *sync.Cond
	lines  [][]byte
	bytes  int
	closed bool
}

func newQueue(to io.WriteCloser) *queue {
	q := &queue{to: to}
	q.more = sync.NewCond(&q.mu)
	go q.run()
	return q
}

func (q *queue) run() {
	defer q.to.Close()
	for {
		q.mu.Lock()
		for len(q.lines) == 0 && !q.closed {
			q.more.Wait()
		}
		if len(q.lines) == 0 {
			q.mu.Unlock()
			return
		}
		line := q.lines[0]
		q.lines = q.lines[1:]
		q.bytes -= len(line)
		q.mu.Unlock()
		if _, err := q.to.Write(line); err != nil {
			return // the end of the server's output tells the rest
		}
	}
}

// add queues a line, which is kept.
func (q *queue) add(line []byte) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return
	}
	q.lines = append(q.lines, append(line, '\n'))
	q.bytes += len(line) + 1
	q.more.Signal()
}

// offer is add for what the other side may not be given if it does not read.
func (q *queue) offer(line []byte) {
	q.mu.Lock()
	full := q.bytes > mostQueued
	q.mu.Unlock()
	if !full {
		q.add(line)
	}
}

// close ends the input once all that is queued was written.
func (q *queue) close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
	q.more.Signal()
}

// lastFew returns the last n lines of text that are not blank.
func lastFew(text string, n int) []string {
	var out []string
	for line := range strings.Lines(text) {
		if line = strings.TrimRight(line, "\r\n"); strings.TrimSpace(line) != "" {
			out = append(out, line)
		}
	}
	return out[max(0, len(out)-n):]
}
