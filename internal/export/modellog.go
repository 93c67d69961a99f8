package export

import (
	"github.com/shakescope/shakescope/annotate"
	"github.com/shakescope/shakescope/internal/provider"
	"github.com/shakescope/shakescope/jsonrpc"
)

// ModelLog tells calls of tools the way the model saw them, in the form of an API. It takes the entries of a
// recording in order; what no model sees (lists, progress, questions to the user, tasks under way) is left out. The
// answer of a call that took several rounds, or ran as a task, comes once, when it is there.
type ModelLog struct {
	API   provider.API
	calls map[annotate.Ref]string // ids by the request that opened the flow
	tasks map[string]string       // ids of calls by task id
}

// maxModelCalls bounds what a ModelLog remembers.
const maxModelCalls = 100_000

// Append appends what the model saw of an entry, one JSON object without a line end. It returns false when that is
// nothing.
func (m *ModelLog) Append(dst []byte, e *annotate.Entry) ([]byte, bool) {
	if e.Message == nil {
		return dst, false
	}
	if m.calls == nil || len(m.calls) >= maxModelCalls {
		m.calls, m.tasks = map[annotate.Ref]string{}, map[string]string{}
	}
	switch {
	case e.Method == "tools/call" && e.Kind == annotate.Request && e.From == "client":
		return m.call(dst, e)
	case e.From != "server":
	case e.Method == "tools/call" && e.Kind == annotate.ErrorAnswer && e.Err != nil:
		return provider.AppendError(dst, m.API, m.id(e), e.Err), true
	case e.Method == "tools/call" && e.Kind == annotate.Response:
		return m.result(dst, e)
	case e.Method == "tasks/result" && e.Kind == annotate.Response:
		return m.taskResult(dst, e.Target, e.Message.Result)
	case e.Method == "tasks/get" && e.Kind == annotate.Response:
		if result, ok := jsonrpc.Lookup(e.Message.Result, "result"); ok {
			return m.taskResult(dst, e.Target, result)
		}
	}
	return dst, false
}

func (m *ModelLog) call(dst []byte, e *annotate.Entry) ([]byte, bool) {
	if !e.Flow.IsZero() && e.Flow != e.Ref {
		if id, ok := m.calls[e.Flow]; ok { // a further round: the model called once
			m.calls[e.Ref] = id
			return dst, false
		}
	}
	id := provider.CallID(m.API, jsonrpc.ParseID([]byte(e.ID)), e.Message.Params)
	m.calls[e.Ref] = id
	args, _ := jsonrpc.Lookup(e.Message.Params, "arguments")
	return provider.AppendCall(dst, m.API, id, e.Target, args), true
}

// id is that of the call which an entry answers.
func (m *ModelLog) id(e *annotate.Entry) string {
	for _, at := range []annotate.Ref{e.Pair, e.Flow} {
		if id, ok := m.calls[at]; ok && !at.IsZero() {
			return id
		}
	}
	return provider.CallID(m.API, jsonrpc.ParseID([]byte(e.ID)), nil)
}

func (m *ModelLog) result(dst []byte, e *annotate.Entry) ([]byte, bool) {
	if e.State == annotate.InputRequired || e.State == annotate.Unmatched || e.State == annotate.Duplicate {
		return dst, false
	}
	result := e.Message.Result
	for _, path := range [][]string{{"task", "taskId"}, {"taskId"}} {
		if raw, ok := jsonrpc.Lookup(result, path...); ok {
			if task, ok := jsonrpc.Unquote(raw); ok {
				m.tasks[task] = m.id(e)
				return dst, false
			}
		}
	}
	return provider.AppendResult(dst, m.API, m.id(e), result), true
}

func (m *ModelLog) taskResult(dst []byte, task string, result []byte) ([]byte, bool) {
	id, ok := m.tasks[task]
	if !ok {
		return dst, false
	}
	delete(m.tasks, task)
	return provider.AppendResult(dst, m.API, id, result), true
}
