package demo

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/shakescope/shakescope/jsonrpc"
)

func (s *server) listTools(context.Context, []byte) (reply, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	offered := tools
	if !s.lockOpen {
		offered = tools[:len(tools)-1]
	}
	return reply{result: `{"tools":[` + strings.Join(offered, ",") + `]}`}, nil
}

func (s *server) callTool(ctx context.Context, params []byte) (reply, error) {
	arguments := func(name string) string { return text(params, "arguments", name) }
	switch name := text(params, "name"); name {
	case "berths":
		s.log("info", "berths of pier "+arguments("pier")+" looked up")
		free := `{"pier":` + quote(arguments("pier")) + `,"free":[3,4,9],"taken":6}`
		return reply{result: `{"content":[{"type":"text","text":` + quote(free) + `}],"structuredContent":` + free + `}`}, nil
	case "dock":
		if ship := arguments("ship"); !slices.Contains(ships, ship) {
			return said("No ship named "+ship+" is expected.", true)
		}
		return said("Docked.", false)
	case "tow":
		return s.tow(ctx, params)
	case "send_pilot":
		return s.sendPilot()
	case "await_tide":
		return s.awaitTide(ctx, params)
	case "forecast":
		return s.forecast(ctx)
	case "permit":
		return s.permit(ctx, arguments("ship"))
	case "charts":
		return s.charts(ctx)
	case "open_lock":
		s.mu.Lock()
		s.lockOpen = true
		s.mu.Unlock()
		r, err := said("The lock is open.", false)
		r.after = func(ctx context.Context) {
			s.o.pause(ctx, 1)
			s.notify("notifications/tools/list_changed", "")
		}
		return r, err
	case "close_lock":
		return s.closeLock(ctx)
	default:
		return reply{}, &fault{code: invalidParams, message: "Unknown tool: " + name}
	}
}

// said is a tool's result of one text.
func said(words string, isError bool) (reply, error) {
	return reply{result: fmt.Sprintf(`{"content":[{"type":"text","text":%s}],"isError":%t}`, quote(words), isError)}, nil
}

// progress reports a step of the request that params belong to, if its sender wants to know.
func (s *server) progress(params []byte, step, total int, message string) {
	token, ok := jsonrpc.Lookup(params, "_meta", "progressToken")
	if ok {
		s.notify("notifications/progress", fmt.Sprintf(`{"progressToken":%s,"progress":%d,"total":%d,"message":%s}`, token, step, total, quote(message)))
	}
}

// tow is answered only after another call has been, that of send_pilot: two flows that overlap.
func (s *server) tow(ctx context.Context, params []byte) (reply, error) {
	s.progress(params, 1, 5, "waiting for a pilot")
	s.mu.Lock()
	pilot := s.pilot
	s.mu.Unlock()
	select {
	case <-pilot:
	case <-s.done:
		return reply{}, errClosed
	case <-ctx.Done():
		return reply{}, ctx.Err()
	}
	for i, stage := range []string{"pilot aboard", "line made fast", "passing the mole", "at the quay"} {
		s.o.pause(ctx, 2)
		s.progress(params, i+2, 5, stage)
	}
	s.o.pause(ctx, 1)
	return said("The "+text(params, "arguments", "ship")+" has been towed in.", false)
}

func (s *server) sendPilot() (reply, error) {
	r, err := said("A pilot is on the way.", false)
	r.after = func(context.Context) {
		s.mu.Lock()
		defer s.mu.Unlock()
		close(s.pilot)
		s.pilot = make(chan struct{})
	}
	return r, err
}

// awaitTide never ends by itself: it is there to be cancelled.
func (s *server) awaitTide(ctx context.Context, params []byte) (reply, error) {
	for hour := 1; hour <= 3; hour++ {
		s.o.pause(ctx, 2)
		s.progress(params, hour, 12, fmt.Sprintf("%d cm, rising", 182+5*hour))
	}
	select {
	case <-s.done:
		return reply{}, errClosed
	case <-ctx.Done():
		return reply{}, ctx.Err()
	}
}

func (s *server) forecast(ctx context.Context) (reply, error) {
	result, err := s.call(ctx, "sampling/createMessage", `{"messages":[{"role":"user","content":{"type":"text","text":"Put into words: high water 16:40, 412 cm."}}],"maxTokens":60,"systemPrompt":"You are a harbour master of few words."}`)
	if err != nil {
		return said("The client's model gave nothing: "+err.Error(), true)
	}
	return said(text(result, "content", "text"), false)
}

func (s *server) permit(ctx context.Context, ship string) (reply, error) {
	result, err := s.call(ctx, "elicitation/create", `{"mode":"form","message":`+quote("The "+ship+" wants to land. Who answers for her?")+
		`,"requestedSchema":{"type":"object","properties":{"master":{"type":"string","title":"Master's name"},"crew":{"type":"integer","minimum":1}},"required":["master","crew"]}}`)
	if err != nil {
		return said("Nobody was asked: "+err.Error(), true)
	}
	if action := text(result, "action"); action != "accept" {
		return said("No permit: "+action, true)
	}
	return said("Permit given to "+text(result, "content", "master")+", crew of "+member(result, "content", "crew")+".", false)
}

func (s *server) charts(ctx context.Context) (reply, error) {
	result, err := s.call(ctx, "roots/list", "")
	if err != nil {
		return said("The client names no folders: "+err.Error(), true)
	}
	return said("Looked for charts in "+member(result, "roots"), false)
}

// closeLock holds both mistakes that the demo shows: words on stdout that belong on stderr, and a
// notification that no declared capability covers.
func (s *server) closeLock(ctx context.Context) (reply, error) {
	s.mu.Lock()
	s.lockOpen = false
	s.mu.Unlock()
	s.say("lock gate: motor running")
	s.send([]byte("lock gate: 3 retries, 11.8 A"))
	s.o.pause(ctx, 2)
	r, err := said("The lock is closed.", false)
	r.after = func(ctx context.Context) {
		s.o.pause(ctx, 1)
		s.notify("notifications/prompts/list_changed", "")
	}
	return r, err
}

// text gives a string member of raw JSON, "" if it is none.
func text(json []byte, path ...string) string {
	value, _ := jsonrpc.Lookup(json, path...)
	s, _ := jsonrpc.Unquote(value)
	return s
}

// member gives a member of raw JSON as it stands.
func member(json []byte, path ...string) string {
	value, _ := jsonrpc.Lookup(json, path...)
	return string(value)
}

// quote gives s as a JSON string.
func quote(s string) string {
	quoted, _ := jsontext.AppendQuote(nil, s) // bad UTF-8 becomes U+FFFD, which is as good here
	return string(quoted)
}
