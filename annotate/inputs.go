package annotate

import (
	"slices"

	"github.com/shakescope/shakescope/internal/mcpspec"
)

// The modern era embeds what used to be requests of the server: an interim result asks (inputRequests),
// a later request of the client answers (inputResponses). Rules about sampling, elicitation and roots look
// at both forms through ask and input.

// ask is something that the server wants of the client's side.
type ask struct {
	method string
	params []byte
	path   string // JSON pointer to the params in the message
	caps   []byte // what the client declared, nil when that is unknown
}

// asks calls f for each ask in the entry: a request of the server, or what an interim result embeds.
func (v *view) asks(f func(a *ask), methods ...string) {
	wanted := func(method string) bool { return slices.Contains(methods, method) }
	e := v.Entry
	switch {
	case e.Kind == Request:
		if v.from() == server && wanted(e.Method) {
			f(&ask{method: e.Method, params: e.Message.Params, path: "/params", caps: v.Session.clientCaps.raw})
		}
	case v.outcome != nil && v.outcome.inputRequests != nil && v.Exchange != nil && v.Exchange.from == client && e.Era == mcpspec.Modern:
		members(v.outcome.inputRequests, func(key, value []byte) bool {
			if method := text(member(value, "method")); wanted(method) {
				f(&ask{method: method, params: member(value, "params"), path: pointer("/result/inputRequests", string(key), "params"), caps: v.Exchange.clientCaps})
			}
			return true
		})
	}
}

// retriedMethods are those whose requests may hand in answers.
var retriedMethods = []string{"tools/call", "prompts/get", "resources/read", "tasks/update"}

// input is one answer of the client: a result of its own in the legacy era, a member of inputResponses since.
type input struct {
	result []byte
	path   string // JSON pointer to it
	key    string // in inputResponses
}

// inputs calls f for each answer in the entry to an ask of that method. What a retry hands in is told by its
// form; whether it answers what was asked is for the rules about rounds.
func (v *view) inputs(method, telling string, f func(in *input)) {
	e := v.Entry
	switch {
	case e.Kind == Response:
		if x := v.Exchange; x != nil && x.from == server && x.method == method {
			f(&input{result: e.Message.Result, path: "/result"})
		}
	case v.call != nil && v.call.inputResponses != nil && e.Era == mcpspec.Modern && v.from() == client:
		members(v.call.inputResponses, func(key, value []byte) bool {
			if member(value, telling) != nil {
				f(&input{value, pointer("/params/inputResponses", string(key)), string(key)})
			}
			return true
		})
	}
}
