package annotate

import (
	"bytes"
	"slices"

	"github.com/shakescope/shakescope/internal/mcpspec"
	"github.com/shakescope/shakescope/jsonrpc"
)

// interim is an input_required answer, which the client's retry goes on from.
type interim struct {
	at       mark
	request  Ref // that it answered
	id       string
	flow     Ref
	method   string
	target   string
	state    uint64 // of its requestState, 0 when there was none
	asked    []asked
	touches  []string
	params   []byte // of the request; nil when absent or not kept
	kept     bool
	revision string
	retried  Ref // the newest retry
	round    int // 1 is the first question of a call
}

// asked is one question of an interim answer.
type asked struct {
	key    string
	method string
	params []byte // own copy
	whole  []byte // own copy of the entry
}

// find returns the question under a key, nil when there is none.
func (in *interim) find(key string) *asked {
	for i := range in.asked {
		if in.asked[i].key == key {
			return &in.asked[i]
		}
	}
	return nil
}

// size is what the interim answer takes of the room for all of them.
func (in *interim) size() int {
	n := len(in.params)
	for i := range in.asked {
		n += len(in.asked[i].whole)
	}
	return n
}

// interims are the newest interim answers, oldest first.
type interims struct {
	list  []*interim
	bytes int
	lost  bool // older ones were forgotten, so that one without a match proves nothing
}

const maxInterimBytes = 16 << 20

func (l *interims) add(in *interim) {
	l.list = append(l.list, in)
	l.bytes += in.size()
	for len(l.list) > 1 && (l.bytes > maxInterimBytes || len(l.list) > maxInterim) {
		l.bytes -= l.list[0].size()
		l.list[0] = nil
		l.list = l.list[1:]
		l.lost = true
	}
}

// howResumed says what leads from a retry to the interim answer that it goes on from.
type howResumed uint8

const (
	resumedExactly     howResumed = iota // its requestState, or its keys where it has none
	resumedWithout                       // the retry carries no requestState, the answer did
	resumedWithOther                     // the retry carries another requestState
	resumedWithOwnMade                   // the retry carries a requestState, the answer had none
)

// interim takes in an input_required answer: what the server asks for inside it, and what it leans on.
func (s *Session) interim(e *Entry, x *exchange, o *outcome) {
	p := s.proc
	in := &interim{
		at: mark{e.Ref, e.T}, request: x.At, id: x.id.Key(), flow: x.flow, method: x.method, target: x.target,
		state: stateKey(o.requestState), params: x.params, kept: x.sized, revision: x.revision, round: 1,
	}
	if x.resumes != nil {
		in.round = x.resumes.round + 1
	}
	whole := bytes.Clone(o.inputRequests)
	if len(whole) > maxParams {
		whole = nil
	}
	members(o.inputRequests, func(key, value []byte) bool {
		if len(in.asked) < maxAsked {
			in.asked = append(in.asked, asked{key: string(key), method: text(member(value, "method"))})
		}
		return len(in.asked) < maxAsked
	})
	i := 0
	members(whole, func(_, value []byte) bool {
		if i < len(in.asked) {
			in.asked[i].whole, in.asked[i].params = value, member(value, "params")
		}
		i++
		return true
	})
	var needs []need
	in.touches, needs = embedded(o.inputRequests, x.revision, x.clientCaps)
	e.Touches = in.touches
	x.touches = in.touches
	e.Capability = append(slices.Clip(e.Capability), p.resolve(needs, x.era, x.clientCaps, x.At)...)
	p.interims.add(in)
}

// embedded returns the primitives that questions inside a message touch, and what they lean on; each once.
func embedded(inputRequests []byte, revision string, clientCaps []byte) (touches []string, needs []need) {
	var all []need
	members(inputRequests, func(_, value []byte) bool {
		spec := mcpspec.Lookup(text(member(value, "method")))
		if spec == nil {
			return true
		}
		if t := spec.Primitive(); t != "" && !slices.Contains(touches, t) {
			touches = append(touches, t)
		}
		all = embeddedNeeds(all, spec, member(value, "params"), revision, clientCaps)
		return true
	})
	for _, n := range all {
		if !slices.Contains(needs, n) {
			needs = append(needs, n)
		}
	}
	return touches, needs
}

// maxAsked bounds the questions of one answer that are looked at.
const maxAsked = 256

// embeddedNeeds appends what a question inside a message leans on.
func embeddedNeeds(dst []need, spec *mcpspec.Method, params []byte, revision string, clientCaps []byte) []need {
	c := peekCall(spec.Name, params)
	dst = methodNeeds(dst, spec, revision, server)
	return paramNeeds(dst, spec.Name, revision, server, &c, clientCaps)
}

// retry links a request that carries requestState or inputResponses to the flow it goes on with. A
// requestState is proof; without one, or with a wrong one, the interim answer to the same call that asked
// for what is answered is the one that was meant.
func (s *Session) retry(e *Entry, x *exchange, c *call) {
	if c.requestState == nil && c.inputResponses == nil || x.era != mcpspec.Modern || x.spec != nil && x.spec.Group == mcpspec.Tasks {
		return
	}
	in, how := s.proc.interims.resumed(x, c)
	if in == nil {
		return
	}
	x.resumes, c.resumed = in, how
	x.retries, in.retried = in.at.At, x.At
	e.Flow, x.flow = in.flow, in.flow
	e.Touches, x.touches = in.touches, in.touches
}

// resumed finds the interim answer that a retry goes on from.
func (l *interims) resumed(x *exchange, c *call) (best *interim, how howResumed) {
	state := stateKey(c.requestState)
	most, fits := 0, false
	var crossed *interim // of the very same call, with another state than the one sent back
	for i := len(l.list) - 1; i >= 0; i-- {
		in := l.list[i]
		sameCall := in.method == x.method && in.target == x.target
		points, h := 0, resumedExactly
		switch {
		case state != 0 && in.state == state:
			points = 8
			if sameCall {
				points = 16
			}
			if in.retried.IsZero() {
				points += 4
			}
		case !sameCall || !in.retried.IsZero():
			continue
		case state == 0 && in.state == 0:
			points = 4
		case state == 0:
			points, h = 3, resumedWithout
		case in.state == 0:
			points, h = 3, resumedWithOwnMade
		default:
			points, h = 3, resumedWithOther
		}
		answers := in.answersAny(c.inputResponses)
		if points < 8 && c.inputResponses != nil && !answers {
			continue // without the state only what was asked for shows which answer is meant
		}
		alike := sameCall && in.kept && equalValues(member(in.params, "arguments"), member(x.params, "arguments"))
		if h == resumedWithOther {
			if !alike {
				continue // more likely the state of another process
			}
			crossed = in
		}
		// Calls that go on side by side may have one state, or none: then their arguments and keys tell.
		if alike {
			points += 2
		}
		if answers {
			points++
		}
		if points > most {
			most, best, how, fits = points, in, h, alike
		}
	}
	if how == resumedExactly && state != 0 && !fits && crossed != nil {
		return crossed, resumedWithOther // the state of a call that goes on beside it
	}
	return best, how
}

// answersAny reports whether a retry answers one of the questions.
func (in *interim) answersAny(responses []byte) bool {
	any := false
	members(responses, func(key, _ []byte) bool {
		any = in.find(string(key)) != nil
		return !any
	})
	return any
}

// stateKey stands for a requestState, which may be long: its text must come back byte for byte, however
// JSON spells it.
func stateKey(raw []byte) uint64 {
	if raw == nil || isNull(raw) {
		return 0
	}
	if isString(raw) {
		if s, ok := jsonrpc.Unquote(raw); ok {
			return hashOf(s) | 1
		}
	}
	return hashOf(string(raw)) | 1
}
