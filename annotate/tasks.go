package annotate

import (
	"slices"
	"time"

	"github.com/shakescope/shakescope/internal/mcpspec"
)

// tasks are the tasks of a legacy session, or of the modern side of a process, as rules see them: by the
// end that runs them.
type tasks struct {
	byID      [2]map[string]*task
	byRequest map[Ref]*task // by the request that created it
	all       []*task       // those that were created here, in order
	lost      bool          // some were forgotten
	news      taskNews
	bytes     int // kept of questions
}

// task is one task.
type task struct {
	owner    end
	id       string
	method   string // of the request that created it, "" when it was created elsewhere
	target   string
	request  Ref
	created  mark
	status   string
	told     mark // the newest word on its status
	terminal mark // the first word that it is over
	interval time.Duration
	ttl      time.Duration // negative: for ever

	polls   int
	polled  mark // the newest tasks/get
	noticed mark // the newest notice of its status
	fetched bool // somebody asked for the result
	early   mark // a result that came before the task was over

	// Of the extension: what it asks for.
	questions []question
	waiting   int // polls in a row that found it waiting for input
}

// question is an input request of a task.
type question struct {
	key      string
	whole    []byte
	update   Ref  // the newest tasks/update that answers it
	answered mark // the server's word that it has the answer
}

// name says in a message which task is meant.
func (t *task) name() string { return "task " + shortText(t.id) }

// find returns the question under a key, nil when there is none.
func (t *task) find(key string) *question {
	for i := range t.questions {
		if t.questions[i].key == key {
			return &t.questions[i]
		}
	}
	return nil
}

// taskNews is what one message says about tasks.
type taskNews struct {
	at   Ref
	list []taskWord
}

// taskWord is one word on a task.
type taskWord struct {
	*task
	raw     []byte // the task as it is written
	path    string // where
	status  string // as said
	before  string // the status before, "" when unknown
	fresh   bool   // it is the answer that creates the task
	reused  bool   // its id was that of another task
	notice  bool   // it was pushed, not asked for
	crossed bool   // it answers a question that was asked before the newest word
}

const (
	maxTasks = 16384
	maxWords = 1000 // tasks of one list
)

// tasks returns the tasks that the entry may be about.
func (v *view) tasks() *tasks {
	if v.Entry != nil && v.Entry.Era == mcpspec.Modern {
		return memo[tasks](v, v.Process)
	}
	return memo[tasks](v, v.Session)
}

// known returns a task by its owner and id, nil when nothing is known of it.
func (l *tasks) known(owner end, id string) *task { return l.byID[owner][id] }

func (l *tasks) add(t *task) {
	if len(l.byID[client])+len(l.byID[server]) >= maxTasks {
		l.byID, l.byRequest, l.all, l.bytes, l.lost = [2]map[string]*task{}, nil, nil, 0, true
	}
	if l.byID[t.owner] == nil {
		l.byID[t.owner] = make(map[string]*task)
	}
	l.byID[t.owner][t.id] = t
}

// words returns what the entry says about tasks, and takes it in the first time.
func (v *view) words() []taskWord {
	l := v.tasks()
	if l.news.at == v.At {
		return l.news.list
	}
	l.news = taskNews{at: v.At, list: l.news.list[:0]}
	e, x := v.Entry, v.Exchange
	switch {
	case e.Kind == Notification && (e.Method == "notifications/tasks/status" || e.Method == "notifications/tasks"):
		l.word(v, e.Message.Params, "/params", nil, true)
	case e.Kind != Response || x == nil:
	case e.Era == mcpspec.Legacy && isObject(v.outcome.task) && v.outcome.taskID != "" && x.canBeTask():
		l.word(v, v.outcome.task, "/result/task", x, false)
	case e.Era == mcpspec.Modern && v.outcome.kind == "task" && v.outcome.taskID != "" && v.outcome.task == nil:
		l.word(v, e.Message.Result, "/result", x, false)
	case x.method == "tasks/get" || x.method == "tasks/cancel" && e.Era == mcpspec.Legacy:
		l.word(v, e.Message.Result, "/result", nil, false)
	case x.method == "tasks/list":
		i := 0
		elements(v.outcome.items, func(one []byte) bool {
			l.word(v, one, pointer("/result/tasks", itoa(int64(i))), nil, false)
			i++
			return i < maxWords
		})
	}
	return l.news.list
}

// canBeTask reports whether 2025-11-25 lets the request run as a task.
func (x *exchange) canBeTask() bool {
	return x.method == "tools/call" || x.method == "sampling/createMessage" || x.method == "elicitation/create"
}

// word takes in one word on a task; create is the request that it answers by creating the task.
func (l *tasks) word(v *view, raw []byte, path string, create *exchange, notice bool) {
	var id, status string
	interval, ttl := time.Duration(0), time.Duration(-1)
	hasInterval, hasTTL := false, false
	members(raw, func(key, value []byte) bool {
		switch string(key) {
		case "taskId":
			id = text(value)
		case "status":
			status = text(value)
		case "pollInterval", "pollIntervalMs":
			interval, hasInterval = milliseconds(value)
		case "ttl", "ttlMs":
			ttl, hasTTL = milliseconds(value)
		}
		return true
	})
	if id == "" {
		return
	}
	w := taskWord{raw: raw, path: path, status: status, fresh: create != nil, notice: notice}
	owner := v.from()
	t := l.known(owner, id)
	switch {
	case t != nil && create != nil && t.created.set():
		w.reused = true
		t = nil
	case t != nil:
		w.before = t.status
		w.crossed = !notice && v.Exchange != nil && v.Exchange.At.Seq < t.told.At.Seq
	}
	if t == nil {
		t = &task{owner: owner, id: id, ttl: -1}
		l.add(t)
	}
	w.task = t
	if create != nil {
		t.created, t.request, t.method, t.target = mark{v.At, v.T}, create.At, create.method, create.target
		if l.byRequest == nil {
			l.byRequest = make(map[Ref]*task)
		}
		l.byRequest[create.At] = t
		l.all = append(l.all, t)
	}
	if hasInterval {
		t.interval = interval
	}
	if hasTTL {
		t.ttl = ttl
	}
	if notice {
		t.noticed = mark{v.At, v.T}
	}
	// What answers an older question than the newest word says is no news.
	if status != "" && (!w.crossed || w.before == "") {
		t.status, t.told = status, mark{v.At, v.T}
		if isTerminal(status) && !t.terminal.set() {
			t.terminal = t.told
		}
	}
	l.news.list = append(l.news.list, w)
}

// askedTask returns the task that a request tasks/* is about, nil when it is not known.
func (v *view) askedTask() *task {
	return v.tasks().known(v.from().other(), v.Entry.Target)
}

// answeredTask returns the task that an answer to tasks/* is about, nil when it is not known.
func (v *view) answeredTask() *task {
	if v.Exchange == nil {
		return nil
	}
	return v.tasks().known(v.from(), v.Exchange.target)
}

// polledTooFast looks at a tasks/get and reports how long after the one before it came, when that is
// sooner than the owner asked for. A notice in between may have been the reason to ask.
func (v *view) polledTooFast() (t *task, after time.Duration, last Ref) {
	t = v.askedTask()
	if t == nil {
		return nil, 0, Ref{}
	}
	before := t.polled
	t.polls++
	t.polled = mark{v.At, v.T}
	after = v.T - before.T
	if !before.set() || t.interval == 0 || isTerminal(t.status) || t.noticed.At.Seq > before.At.Seq || after >= t.interval-t.interval/10 {
		return nil, 0, Ref{}
	}
	return t, after, before.At
}

// leavesTerminal reports whether a word says that a task goes on, or ends otherwise, after it was over.
func (w *taskWord) leavesTerminal() bool {
	return isTerminal(w.before) && w.status != "" && w.status != w.before && !w.crossed && !w.fresh
}

// transition says it in words.
func (w *taskWord) transition() string {
	return w.name() + " is " + shortText(w.status) + " after it was " + shortText(w.before)
}

// openBesideTasks reports whether an end waits for anything but news of its tasks.
func openBesideTasks(h *half) bool {
	for x := h.oldest; x != nil; x = x.newer {
		if x.spec == nil || x.spec.Group != mcpspec.Tasks {
			return true
		}
	}
	return false
}

// waitingForInput returns the tasks of an end that wait for input.
func (l *tasks) waitingForInput(owner end) []*task {
	var out []*task
	for _, t := range l.all {
		if t.owner == owner && t.status == "input_required" && !slices.Contains(out, t) {
			out = append(out, t)
		}
	}
	return out
}
