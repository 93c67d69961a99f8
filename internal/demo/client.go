package demo

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync/atomic"
	"time"

	"github.com/shakescope/shakescope/jsonrpc"
)

// patience is how long the client waits for one thing before it gives up.
const patience = 20 * time.Second

// client is a visitor of the harbour.
type client struct {
	*peer
	o     Options
	roots atomic.Pointer[string] // raw JSON of the list
}

// Client plays the whole visit: it reads the server's output from r, writes to its input w and, at the
// end or when something is not as the story has it, closes w. It returns once r has ended, which is
// when the server has gone. When ctx ends it closes w early.
func Client(ctx context.Context, r io.Reader, w io.WriteCloser, o Options) error {
	c := &client{peer: newPeer(w), o: o}
	c.handled = make(chan string, 1024)
	c.setRoots("charts")
	c.handlers = map[string]handler{
		"ping":                             nothing,
		"sampling/createMessage":           c.sample,
		"elicitation/create":               c.elicit,
		"roots/list":                       c.listRoots,
		"notifications/message":            nothing,
		"notifications/progress":           nothing,
		"notifications/resources/updated":  nothing,
		"notifications/tools/list_changed": nothing,
	}
	c.lasting = map[string]bool{"sampling/createMessage": true, "elicitation/create": true}
	ended := make(chan error, 1)
	go func() { ended <- c.serve(context.WithoutCancel(ctx), r) }()

	err := c.visit(ctx)
	c.o.pause(ctx, 2)
	return errors.Join(err, w.Close(), <-ended)
}

// visit goes through the chapters in order.
func (c *client) visit(ctx context.Context) error {
	for _, chapter := range []struct {
		name string
		play func(context.Context) error
	}{
		{"handshake", c.handshake},
		{"tools", c.useTools},
		{"resources", c.useResources},
		{"prompts", c.usePrompts},
		{"long calls", c.useLongCalls},
		{"questions of the server", c.answerQuestions},
		{"changes", c.seeChanges},
	} {
		if err := chapter.play(ctx); err != nil {
			return fmt.Errorf("%s: %w", chapter.name, err)
		}
	}
	return nil
}

// ask pauses, sends a request and waits for its result.
func (c *client) ask(ctx context.Context, method, params string) ([]byte, error) {
	c.o.pause(ctx, 1)
	return c.answered(ctx, method, c.begin(method, params))
}

func (c *client) answered(ctx context.Context, method string, q pending) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	result, err := q.wait(ctx)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", method, err)
	}
	return result, nil
}

// expect is ask for a result that must hold the given bytes.
func (c *client) expect(ctx context.Context, method, params, part string) error {
	result, err := c.ask(ctx, method, params)
	if err == nil && !strings.Contains(string(result), part) {
		err = fmt.Errorf("%s: no %s in %s", method, part, result)
	}
	return err
}

// refused is ask for a request that must be answered with that error code.
func (c *client) refused(ctx context.Context, method, params string, code int64) error {
	_, err := c.ask(ctx, method, params)
	return mustBeFault(method, err, code)
}

// mustBeFault is nil if err is an error answer with that code, else it says what came instead.
func mustBeFault(method string, err error, code int64) error {
	var f *fault
	switch {
	case err == nil:
		return fmt.Errorf("%s: answered, not refused", method)
	case errors.As(err, &f) && f.code == code:
		return nil
	}
	return err
}

// tool is expect for a call of a tool.
func (c *client) tool(ctx context.Context, name, arguments, part string) error {
	return c.expect(ctx, "tools/call", callParams(name, arguments), part)
}

func callParams(name, arguments string) string {
	return `{"name":` + quote(name) + `,"arguments":` + arguments + `}`
}

// heard waits until a message of that method has come from the server.
func (c *client) heard(ctx context.Context, method string) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	return c.await(ctx, method)
}

// handshake first asks in the manner of 2026-07-28, as a client that knows both eras does, and falls
// back to initialize on the same process.
func (c *client) handshake(ctx context.Context) error {
	c.o.pause(ctx, 2)
	probe := c.beginAs(jsonrpc.StringID("probe-1"), "server/discover",
		`{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":`+clientInfo+
			`,"io.modelcontextprotocol/clientCapabilities":`+clientCapabilities+`}}`)
	_, err := c.answered(ctx, "server/discover", probe)
	if err := mustBeFault("server/discover", err, methodNotFound); err != nil {
		return err
	}
	if err := c.expect(ctx, "initialize",
		`{"protocolVersion":"`+Revision+`","capabilities":`+clientCapabilities+`,"clientInfo":`+clientInfo+`}`,
		`"protocolVersion":"`+Revision+`"`); err != nil {
		return err
	}
	c.o.pause(ctx, 1)
	c.notify("notifications/initialized", "")
	if err := c.expect(ctx, "ping", "", "{}"); err != nil {
		return err
	}
	return c.expect(ctx, "logging/setLevel", `{"level":"info"}`, "{}")
}

func (c *client) useTools(ctx context.Context) error {
	return inOrder(
		func() error { return c.expect(ctx, "tools/list", "{}", `"open_lock"`) },
		func() error { return c.tool(ctx, "berths", `{"pier":"Ørsted"}`, `"structuredContent"`) },
		func() error {
			return c.tool(ctx, "dock", `{"ship":"Flying Dutchman","berth":3}`, `"isError":true`)
		},
		func() error {
			return c.refused(ctx, "tools/call", callParams("raise_anchor", "{}"), invalidParams)
		},
		func() error { return c.tool(ctx, "dock", `{"ship":"Avocet","berth":3}`, "Docked") },
	)
}

func (c *client) useResources(ctx context.Context) error {
	return inOrder(
		func() error { return c.expect(ctx, "resources/list", "{}", `"nextCursor":"page-2"`) },
		func() error { return c.expect(ctx, "resources/list", `{"cursor":"page-2"}`, "blue-peter") },
		func() error { return c.expect(ctx, "resources/templates/list", "{}", "harbour://ship/{name}") },
		func() error { return c.expect(ctx, "resources/read", `{"uri":"harbour://notices"}`, "Notices") },
		func() error {
			return c.expect(ctx, "resources/read", `{"uri":"harbour://flags/blue-peter.png"}`, bluePeter)
		},
		func() error { return c.expect(ctx, "resources/read", `{"uri":"harbour://ship/Petrel"}`, "draught") },
		func() error { return c.expect(ctx, "resources/subscribe", `{"uri":"`+tideURI+`"}`, "{}") },
		func() error { return c.heard(ctx, "notifications/resources/updated") },
		func() error { return c.expect(ctx, "resources/read", `{"uri":"`+tideURI+`"}`, "189") },
		func() error { return c.expect(ctx, "resources/unsubscribe", `{"uri":"`+tideURI+`"}`, "{}") },
		func() error { return c.refused(ctx, "resources/read", `{"uri":"harbour://wreck"}`, -32002) },
	)
}

func (c *client) usePrompts(ctx context.Context) error {
	return inOrder(
		func() error { return c.expect(ctx, "prompts/list", "{}", "log_entry") },
		func() error {
			return c.expect(ctx, "completion/complete",
				`{"ref":{"type":"ref/prompt","name":"log_entry"},"argument":{"name":"ship","value":"a"}}`, `"total":3`)
		},
		func() error {
			return c.expect(ctx, "prompts/get", `{"name":"log_entry","arguments":{"ship":"Aurora"}}`, "the Aurora has arrived")
		},
	)
}

// useLongCalls has two calls overlap, the later one answered first, and gives up on a third.
func (c *client) useLongCalls(ctx context.Context) error {
	c.o.pause(ctx, 1)
	tow := c.begin("tools/call", `{"name":"tow","arguments":{"ship":"Aurora"},"_meta":{"progressToken":"tow-aurora"}}`)
	if err := c.heard(ctx, "notifications/progress"); err != nil {
		return err
	}
	if err := c.tool(ctx, "send_pilot", "{}", "on the way"); err != nil {
		return err
	}
	if _, err := c.answered(ctx, "tools/call", tow); err != nil {
		return err
	}
	for range 4 { // the steps of tow after the first
		if err := c.heard(ctx, "notifications/progress"); err != nil {
			return err
		}
	}

	c.o.pause(ctx, 1)
	tide := c.begin("tools/call", `{"name":"await_tide","arguments":{},"_meta":{"progressToken":7}}`)
	for range 3 {
		if err := c.heard(ctx, "notifications/progress"); err != nil {
			return err
		}
	}
	c.o.pause(ctx, 2)
	c.notify("notifications/cancelled", `{"requestId":`+tide.id.Raw()+`,"reason":"the visitor cannot wait for the tide"}`)
	return nil
}

func (c *client) answerQuestions(ctx context.Context) error {
	return inOrder(
		func() error { return c.tool(ctx, "forecast", "{}", "High water") },
		func() error { return c.tool(ctx, "permit", `{"ship":"Kittiwake"}`, "Permit given to Ingrid Solheim") },
		func() error { return c.tool(ctx, "charts", "{}", "file:///home/visitor/charts") },
		func() error { return c.heard(ctx, "roots/list") }, // so that the next one is the second
		func() error {
			c.o.pause(ctx, 1)
			c.setRoots("charts", "tide-tables")
			c.notify("notifications/roots/list_changed", "")
			return c.heard(ctx, "roots/list")
		},
	)
}

func (c *client) seeChanges(ctx context.Context) error {
	return inOrder(
		func() error { return c.tool(ctx, "open_lock", "{}", "open") },
		func() error { return c.heard(ctx, "notifications/tools/list_changed") },
		func() error { return c.expect(ctx, "tools/list", "{}", `"close_lock"`) },
		func() error { return c.tool(ctx, "close_lock", "{}", "closed") },
		func() error { return c.heard(ctx, "notifications/prompts/list_changed") },
		func() error { return c.expect(ctx, "prompts/list", "{}", "log_entry") },
	)
}

func inOrder(steps ...func() error) error {
	for _, step := range steps {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

func (c *client) setRoots(folders ...string) {
	var list []string
	for _, folder := range folders {
		list = append(list, `{"uri":"file:///home/visitor/`+folder+`","name":`+quote(folder)+`}`)
	}
	roots := "[" + strings.Join(list, ",") + "]"
	c.roots.Store(&roots)
}

func (c *client) listRoots(ctx context.Context, _ []byte) (reply, error) {
	c.o.pause(ctx, 1)
	return reply{result: `{"roots":` + *c.roots.Load() + `}`}, nil
}

// sample stands in for a model.
func (c *client) sample(ctx context.Context, _ []byte) (reply, error) {
	c.o.pause(ctx, 4)
	return reply{result: `{"role":"assistant","content":{"type":"text","text":"High water at twenty to five. Mind the bar."},"model":"harbour-master-1","stopReason":"endTurn"}`}, nil
}

// elicit stands in for a user at a form.
func (c *client) elicit(ctx context.Context, _ []byte) (reply, error) {
	c.o.pause(ctx, 5)
	return reply{result: `{"action":"accept","content":{"master":"Ingrid Solheim","crew":6}}`}, nil
}
