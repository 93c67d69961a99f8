package demo

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/shakescope/shakescope/jsonrpc"
)

// errClosed is what a call gives whose answer can no longer come.
var errClosed = errors.New("the other side closed the connection")

// fault is an error answer: one received, or one that a handler wants sent.
type fault struct {
	code    int64
	message string
	data    string // raw JSON, "" for none
}

func (f *fault) Error() string { return fmt.Sprintf("error %d: %s", f.code, f.message) }

// Error codes of JSON-RPC 2.0 section 5.1.
const (
	invalidRequest = -32600
	methodNotFound = -32601
	invalidParams  = -32602
)

// handler serves one method. For a request it returns what to answer, or an error to answer with (a
// *fault as it is, any other as an internal error); for a notification both are ignored. A handler
// whose ctx has ended was cancelled: nothing it returns is sent.
type handler func(ctx context.Context, params []byte) (reply, error)

// reply is what a handler has answered.
type reply struct {
	result string                // raw JSON
	after  func(context.Context) // done once the answer is out; may be nil
}

// answer is what came back for a request.
type answer struct {
	result []byte
	fault  *fault
}

// peer is one end of a connection. What comes in is served one by one in the order of arrival, except
// requests of lasting methods, each of which has a goroutine of its own.
type peer struct {
	handlers map[string]handler
	lasting  map[string]bool
	stray    func(line []byte) // gets each line that is no message; may be nil

	write sync.Mutex
	out   io.Writer

	mu      sync.Mutex
	lastID  int64
	waiting map[string]chan answer        // requests of ours, by the key of their id
	serving map[string]context.CancelFunc // requests of theirs

	// handled, where not nil, gets the method of each request and notification once it has been
	// dealt with, so that a script can wait for it. It must have room for all that nobody waits for.
	handled chan string
	done    chan struct{} // closed when nothing more can come in
}

func newPeer(out io.Writer) *peer {
	return &peer{
		out:     out,
		waiting: map[string]chan answer{},
		serving: map[string]context.CancelFunc{},
		done:    make(chan struct{}),
	}
}

// serve reads until the input ends and the handlers that still run have finished; done tells those
// that wait for something that it will not come. The end of the input is no error.
func (p *peer) serve(ctx context.Context, in io.Reader) error {
	var running sync.WaitGroup
	defer running.Wait()
	defer close(p.done)
	framer := jsonrpc.NewFramer(0)
	chunk := make([]byte, 64<<10)
	for {
		n, err := in.Read(chunk)
		framer.Push(chunk[:n])
		for frame, ok := framer.Next(); ok; frame, ok = framer.Next() {
			p.receive(ctx, bytes.Clone(frame.Data), &running)
		}
		if err != nil {
			if errors.Is(err, io.EOF) || errors.Is(err, io.ErrClosedPipe) || ctx.Err() != nil {
				return nil
			}
			return fmt.Errorf("reading: %w", err)
		}
	}
}

func (p *peer) receive(ctx context.Context, line []byte, running *sync.WaitGroup) {
	m := jsonrpc.Decode(line)
	switch m.Kind {
	case jsonrpc.Request:
		p.request(ctx, m, running)
	case jsonrpc.Notification:
		if m.Method == "notifications/cancelled" {
			p.cancelled(m.Params)
		}
		if h := p.handlers[m.Method]; h != nil {
			h(ctx, m.Params)
		}
		p.report(m.Method)
	case jsonrpc.Response, jsonrpc.Error:
		p.mu.Lock()
		to := p.waiting[m.ID.Key()]
		delete(p.waiting, m.ID.Key())
		p.mu.Unlock()
		if to == nil {
			return
		}
		a := answer{result: m.Result}
		if m.Err != nil {
			a.fault = &fault{code: m.Err.Code, message: m.Err.Message, data: string(m.Err.Data)}
		}
		to <- a
	case jsonrpc.Blank:
	default:
		if p.stray != nil {
			p.stray(line)
		}
	}
}

func (p *peer) request(ctx context.Context, m jsonrpc.Message, running *sync.WaitGroup) {
	h := p.handlers[m.Method]
	if h == nil {
		p.answer(m.ID, "", &fault{code: methodNotFound, message: "Method not found"})
		p.report(m.Method)
		return
	}
	if !p.lasting[m.Method] {
		p.finish(ctx, ctx, m, h, running)
		return
	}
	served, cancel := context.WithCancel(ctx)
	key := m.ID.Key()
	p.mu.Lock()
	p.serving[key] = cancel
	p.mu.Unlock()
	running.Go(func() {
		defer cancel()
		p.finish(ctx, served, m, h, running)
		p.mu.Lock()
		delete(p.serving, key)
		p.mu.Unlock()
	})
}

// finish runs the handler and answers, unless the request was cancelled meanwhile: then served has
// ended. What comes after the answer outlives the request, with ctx.
func (p *peer) finish(ctx, served context.Context, m jsonrpc.Message, h handler, running *sync.WaitGroup) {
	r, err := h(served, m.Params)
	if served.Err() != nil {
		return
	}
	p.answer(m.ID, r.result, err)
	p.report(m.Method)
	if err == nil && r.after != nil {
		running.Go(func() { r.after(ctx) })
	}
}

// report says that a message has been dealt with.
func (p *peer) report(method string) {
	if p.handled != nil {
		p.handled <- method
	}
}

func (p *peer) answer(id jsonrpc.ID, result string, err error) {
	var f *fault
	switch {
	case err == nil:
		p.send(jsonrpc.AppendResult(nil, id, []byte(result)))
	case errors.As(err, &f):
		p.send(jsonrpc.AppendError(nil, id, f.code, f.message, raw(f.data)))
	default:
		p.send(jsonrpc.AppendError(nil, id, -32603, err.Error(), nil))
	}
}

// cancelled ends the handler of the request that params name. An unknown or answered one is ignored,
// as 2025-11-25/basic/utilities/cancellation asks.
func (p *peer) cancelled(params []byte) {
	id, ok := jsonrpc.Lookup(params, "requestId")
	if !ok {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if cancel := p.serving[jsonrpc.ParseID(id).Key()]; cancel != nil {
		cancel()
	}
}

// send writes one line in one piece. That the other side no longer reads shows as the end of the
// input, so a failed write needs no report of its own.
func (p *peer) send(line []byte) {
	p.write.Lock()
	defer p.write.Unlock()
	p.out.Write(append(line, '\n'))
}

// notify sends a notification; params is raw JSON, "" for none.
func (p *peer) notify(method, params string) {
	p.send(jsonrpc.AppendNotification(nil, method, raw(params)))
}

// pending is a request of ours that is on its way.
type pending struct {
	p  *peer
	id jsonrpc.ID
	ch chan answer
}

// begin sends a request under the next number.
func (p *peer) begin(method, params string) pending {
	p.mu.Lock()
	p.lastID++
	id := jsonrpc.NumberID(p.lastID)
	p.mu.Unlock()
	return p.beginAs(id, method, params)
}

func (p *peer) beginAs(id jsonrpc.ID, method, params string) pending {
	ch := make(chan answer, 1)
	p.mu.Lock()
	p.waiting[id.Key()] = ch
	p.mu.Unlock()
	p.send(jsonrpc.AppendRequest(nil, id, method, raw(params)))
	return pending{p, id, ch}
}

// wait blocks until the answer is there, the connection ends or ctx does. An error answer comes as a
// *fault.
func (q pending) wait(ctx context.Context) ([]byte, error) {
	select {
	case a := <-q.ch:
		return a.given()
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-q.p.done:
		select { // an answer that came before the end
		case a := <-q.ch:
			return a.given()
		default:
			return nil, errClosed
		}
	}
}

func (a answer) given() ([]byte, error) {
	if a.fault != nil {
		return nil, a.fault
	}
	return a.result, nil
}

// call sends a request and waits for its answer.
func (p *peer) call(ctx context.Context, method, params string) ([]byte, error) {
	return p.begin(method, params).wait(ctx)
}

// await blocks until a request or notification of that method has been dealt with; earlier ones of
// other methods are passed over.
func (p *peer) await(ctx context.Context, method string) error {
	for {
		select {
		case m := <-p.handled:
			if m == method {
				return nil
			}
		case <-ctx.Done():
			return fmt.Errorf("waiting for %s: %w", method, ctx.Err())
		case <-p.done:
			return fmt.Errorf("waiting for %s: %w", method, errClosed)
		}
	}
}

func raw(json string) []byte {
	if json == "" {
		return nil
	}
	return []byte(json)
}
