package annotate

import "slices"

// taskFlows says which flow a task belongs to: that of the request which created it.
type taskFlows struct {
	flows map[taskName]Ref
	early map[taskName][]Ref    // notices that came before the answer that creates the task
	asks  map[taskName][]string // what the newest questions of a task touch
}

// taskName names a task: ids are those of the end that runs it.
type taskName struct {
	owner end
	id    string
}

const (
	maxEarly        = 256 // tasks that are told about before they are created
	maxEarlyNotices = 16  // of one of them
)

// begin notes that a request created a task, and returns what is to be put into its flow later on.
func (f *taskFlows) begin(owner end, id string, flow Ref) []Ref {
	if f.flows == nil || len(f.flows) >= maxLinks {
		f.flows = make(map[taskName]Ref)
	}
	name := taskName{owner, id}
	f.flows[name] = flow
	early := f.early[name]
	delete(f.early, name)
	return early
}

// of returns the flow of a task, zero when it is not known.
func (f *taskFlows) of(owner end, id string) Ref { return f.flows[taskName{owner, id}] }

// ask notes which primitives the questions of a task touch, for the answers that come by tasks/update.
func (f *taskFlows) ask(owner end, id string, touches []string) {
	if f.asks == nil || len(f.asks) >= maxLinks {
		f.asks = make(map[taskName][]string)
	}
	f.asks[taskName{owner, id}] = touches
}

// taskAsks takes in what a task of the server asks for, as tasks/get or a notice tells it. What this request
// does not declare, the one that created the task may have.
func (p *process) taskAsks(e *Entry, id string, inputRequests, clientCaps []byte, at Ref) {
	touches, needs := embedded(inputRequests, e.Revision, clientCaps)
	e.Touches = touches
	p.tasks.ask(server, id, touches)
	for _, c := range p.resolve(needs, e.Era, clientCaps, at) {
		if c.State == Undeclared {
			c.State = UnknownDecl
		}
		e.Capability = append(slices.Clip(e.Capability), c)
	}
}

// related returns the flow of the task that a message of an end names in its metadata: mostly one of its
// own, else one of the other end.
func (f *taskFlows) related(from end, id string) Ref {
	if at := f.of(from, id); !at.IsZero() {
		return at
	}
	return f.of(from.other(), id)
}

// notice returns the flow of the task that a notice of its owner is about. Servers that do two things at a
// time send it before the answer that creates the task.
func (f *taskFlows) notice(owner end, id string, at Ref) Ref {
	flow := f.of(owner, id)
	if flow.IsZero() && id != "" {
		if f.early == nil || len(f.early) >= maxEarly {
			f.early = make(map[taskName][]Ref)
		}
		if name := (taskName{owner, id}); len(f.early[name]) < maxEarlyNotices {
			f.early[name] = append(f.early[name], at)
		}
	}
	return flow
}
