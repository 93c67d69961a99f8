package annotate

import "github.com/shakescope/shakescope/internal/mcpspec"

// taskRuns remembers which requests of 2025-11-25 go on as tasks after they were answered: they keep
// their progress token, and are cancelled as tasks.
type taskRuns struct {
	byID map[string]*exchange
	live map[*exchange]bool // false once the task has ended
}

// going reports whether the request's task has not ended.
func (r *taskRuns) going(x *exchange) bool { return r.live[x] }

// began reports whether the request was answered with a task.
func (r *taskRuns) began(x *exchange) bool { _, ok := r.live[x]; return ok }

func taskBegun(v *view) {
	x := v.Exchange
	if x == nil || x.revision != mcpspec.Rev20251125 || !isObject(v.outcome.task) {
		return
	}
	r := memo[taskRuns](v, v.Process)
	if r.live == nil || len(r.live) >= maxRecent {
		r.live, r.byID = make(map[*exchange]bool), make(map[string]*exchange)
	}
	r.live[x] = !isTerminal(text(member(v.outcome.task, "status")))
	r.byID[v.outcome.taskID] = x
}

func taskTold(v *view) { v.taskSeen(v.call.taskID, v.call.taskStatus) }

func taskAnswered(v *view) {
	if v.Exchange == nil {
		return
	}
	status := text(member(v.Entry.Message.Result, "status"))
	if v.Exchange.method == "tasks/result" {
		status = "completed"
	}
	v.taskSeen(v.Exchange.target, status)
}

func (v *view) taskSeen(id, status string) {
	r := memo[taskRuns](v, v.Process)
	if x := r.byID[id]; x != nil && isTerminal(status) {
		r.live[x] = false
	}
}

func isTerminal(status string) bool {
	return status == "completed" || status == "failed" || status == "cancelled"
}
