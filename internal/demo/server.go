package demo

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"

	"github.com/shakescope/shakescope/jsonrpc"
)

// server is the harbour's office.
type server struct {
	*peer
	o    Options
	errw io.Writer

	mu         sync.Mutex
	ready      bool // initialize has been answered
	subscribed bool // to the tide
	level      int  // of logging, an index into levels
	lockOpen   bool
	tide       int           // centimetres
	pilot      chan struct{} // closed when a pilot is aboard
}

// levels of logging, from the least severe.
var levels = []string{"debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"}

// Server serves one session of the harbour: it reads from in and writes to out until in ends, which is
// no error, and says on errw what it does. A blocked read is not interrupted by the end of ctx, but
// Server returns all the same.
func Server(ctx context.Context, in io.Reader, out, errw io.Writer, o Options) error {
	s := &server{peer: newPeer(out), o: o, errw: errw, level: slices.Index(levels, "debug"), tide: 182, pilot: make(chan struct{})}
	s.handlers = map[string]handler{
		"initialize":                       s.initialize,
		"ping":                             nothing,
		"notifications/initialized":        nothing,
		"notifications/roots/list_changed": s.rootsChanged,
		"notifications/cancelled":          s.noteCancelled,
		"logging/setLevel":                 s.open(s.setLevel),
		"tools/list":                       s.open(s.listTools),
		"tools/call":                       s.open(s.callTool),
		"resources/list":                   s.open(s.listResources),
		"resources/templates/list":         s.open(fixed(resourceTemplates)),
		"resources/read":                   s.open(s.readResource),
		"resources/subscribe":              s.open(s.subscribe),
		"resources/unsubscribe":            s.open(s.unsubscribe),
		"prompts/list":                     s.open(fixed(prompts)),
		"prompts/get":                      s.open(s.getPrompt),
		"completion/complete":              s.open(s.complete),
	}
	s.lasting = map[string]bool{"tools/call": true}
	s.stray = func(line []byte) { s.say("not a message, ignored: %d bytes", len(line)) }
	s.say("harbour 1.4.0 is open on stdio")
	ended := make(chan error, 1)
	go func() { ended <- s.serve(ctx, in) }()
	select {
	case err := <-ended:
		s.say("input has ended, harbour closes")
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// say writes a line for people.
func (s *server) say(format string, args ...any) {
	s.write.Lock() // in order with what goes to out
	defer s.write.Unlock()
	fmt.Fprintf(s.errw, format+"\n", args...)
}

// log sends a log message if the client wants that level.
func (s *server) log(level, text string) {
	s.mu.Lock()
	wanted := slices.Index(levels, level) >= s.level
	s.mu.Unlock()
	if wanted {
		s.notify("notifications/message", `{"level":`+quote(level)+`,"logger":"harbour","data":`+quote(text)+`}`)
	}
}

// open lets a request through only once the session has been opened.
func (s *server) open(h handler) handler {
	return func(ctx context.Context, params []byte) (reply, error) {
		s.mu.Lock()
		ready := s.ready
		s.mu.Unlock()
		if !ready {
			return reply{}, &fault{code: invalidRequest, message: "Not initialized"}
		}
		return h(ctx, params)
	}
}

func nothing(context.Context, []byte) (reply, error) { return reply{result: "{}"}, nil }

func fixed(result string) handler {
	return func(context.Context, []byte) (reply, error) { return reply{result: result}, nil }
}

func (s *server) initialize(_ context.Context, params []byte) (reply, error) {
	if _, ok := jsonrpc.Lookup(params, "protocolVersion"); !ok {
		return reply{}, &fault{code: invalidParams, message: "protocolVersion is missing"}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ready {
		return reply{}, &fault{code: invalidRequest, message: "Already initialized"}
	}
	s.ready = true
	return reply{result: `{"protocolVersion":"` + Revision + `","capabilities":` + serverCapabilities +
		`,"serverInfo":` + serverInfo + `,"instructions":` + quote(instructions) + `}`}, nil
}

func (s *server) noteCancelled(_ context.Context, params []byte) (reply, error) {
	s.say("the client no longer wants request %s", member(params, "requestId"))
	return reply{}, nil
}

// rootsChanged asks for the new list; what comes back is nothing that the harbour keeps. The call is
// made in the background, since the answer is read by the goroutine that runs this.
func (s *server) rootsChanged(ctx context.Context, _ []byte) (reply, error) {
	go s.call(ctx, "roots/list", "")
	return reply{}, nil
}

func (s *server) setLevel(_ context.Context, params []byte) (reply, error) {
	level := slices.Index(levels, text(params, "level"))
	if level < 0 {
		return reply{}, &fault{code: invalidParams, message: "Unknown level"}
	}
	s.mu.Lock()
	s.level = level
	s.mu.Unlock()
	return reply{result: "{}"}, nil
}

func (s *server) listResources(_ context.Context, params []byte) (reply, error) {
	switch text(params, "cursor") {
	case "":
		return reply{result: "{" + resourcePages[0] + "}"}, nil
	case "page-2":
		return reply{result: "{" + resourcePages[1] + "}"}, nil
	}
	return reply{}, &fault{code: invalidParams, message: "Unknown cursor"}
}

func (s *server) readResource(_ context.Context, params []byte) (reply, error) {
	uri := text(params, "uri")
	contents := func(mime, body string) (reply, error) {
		return reply{result: `{"contents":[{"uri":` + quote(uri) + `,"mimeType":"` + mime + `",` + body + `}]}`}, nil
	}
	name, isShip := strings.CutPrefix(uri, "harbour://ship/")
	switch {
	case uri == tideURI:
		s.mu.Lock()
		defer s.mu.Unlock()
		return contents("application/json", `"text":`+quote(fmt.Sprintf(`{"centimetres":%d}`, s.tide)))
	case uri == "harbour://notices":
		return contents("text/markdown", `"text":`+quote("# Notices\n\n- The *Petrel* lights are out.\n- Ørsted pier: no mooring – 潮位 low."))
	case uri == "harbour://flags/blue-peter.png":
		return contents("image/png", `"blob":"`+bluePeter+`"`)
	case isShip && slices.Contains(ships, name):
		return contents("application/json", `"text":`+quote(fmt.Sprintf(`{"name":%q,"draught":3.2}`, name)))
	}
	// -32002 is what the revision's page on resources gives a missing one.
	return reply{}, &fault{code: -32002, message: "Resource not found", data: `{"uri":` + quote(uri) + `}`}
}

func (s *server) subscribe(_ context.Context, params []byte) (reply, error) {
	if text(params, "uri") != tideURI {
		return reply{}, &fault{code: -32002, message: "Resource not found"}
	}
	s.mu.Lock()
	s.subscribed = true
	s.mu.Unlock()
	return reply{result: "{}", after: func(ctx context.Context) {
		s.o.pause(ctx, 2)
		s.mu.Lock()
		s.tide += 7
		tell := s.subscribed
		s.mu.Unlock()
		if tell {
			s.notify("notifications/resources/updated", `{"uri":"`+tideURI+`"}`)
		}
	}}, nil
}

func (s *server) unsubscribe(context.Context, []byte) (reply, error) {
	s.mu.Lock()
	s.subscribed = false
	s.mu.Unlock()
	return reply{result: "{}"}, nil
}

func (s *server) getPrompt(_ context.Context, params []byte) (reply, error) {
	if text(params, "name") != "log_entry" {
		return reply{}, &fault{code: invalidParams, message: "Unknown prompt"}
	}
	ship := text(params, "arguments", "ship")
	if ship == "" {
		return reply{}, &fault{code: invalidParams, message: "Argument ship is missing"}
	}
	return reply{result: `{"description":"Words for the arrival of a ship.","messages":[{"role":"user","content":{"type":"text","text":` +
		quote("Write one sentence for the harbour log: the "+ship+" has arrived.") + `}}]}`}, nil
}

func (s *server) complete(_ context.Context, params []byte) (reply, error) {
	prefix := text(params, "argument", "value")
	var values []string
	for _, ship := range ships {
		if strings.HasPrefix(strings.ToLower(ship), strings.ToLower(prefix)) {
			values = append(values, quote(ship))
		}
	}
	return reply{result: fmt.Sprintf(`{"completion":{"values":[%s],"total":%d,"hasMore":false}}`, strings.Join(values, ","), len(values))}, nil
}
