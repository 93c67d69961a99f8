package annotate

import (
	"fmt"
	"slices"

	"github.com/shakescope/shakescope/internal/mcpspec"
)

// revisionText finds a revision in an error's text or data.
var revisionText = lazily(`20[2-9][0-9]-[01][0-9]-[0-3][0-9]`)

// initializeRefused goes by the code where nothing else was heard of the server: a legacy one knows the
// method.
func initializeRefused(v *view) {
	x, err := v.Exchange, v.Entry.Err
	if x == nil || x.from != client || x.era != mcpspec.Legacy || v.Session.opened.set() {
		return
	}
	if err.Code != mcpspec.MethodNotFound && err.Code != mcpspec.UnsupportedVersion && !v.Process.modern.marked {
		return
	}
	isLegacy := func(s string) bool { return mcpspec.EraOf(s) == mcpspec.Legacy }
	if slices.ContainsFunc(memo[discovery](v, v.Process).versions, isLegacy) {
		return // it has a handshake, and refuses this one for another reason
	}
	if len(texts(member(err.Data, "supported"))) > 0 || revisionText().MatchString(err.Message) || revisionText().Match(err.Data) {
		return
	}
	v.report(Finding{Message: fmt.Sprintf("initialize was refused with %d, and no version is named that would do", err.Code), Path: "/error", Related: []Ref{x.At}})
}

// mixings are the messages that mix the eras, while nothing shows that the server knows both.
type mixings struct{ list []Finding }

func erasMixed(v *view) {
	p, e := v.Process, v.Entry
	if v.from() != client {
		return
	}
	f := Finding{Level: LevelWarning, At: v.At}
	if p.modern.marked {
		f.Level = LevelInfo // it serves both, or says that it does not
	}
	switch {
	case e.Method == "initialize" && e.Era == mcpspec.Legacy && v.call.hasVersion:
		f.Level = LevelInfo
		f.Message = fmt.Sprintf("initialize says %s in its metadata; it opens a legacy session all the same", shortText(v.call.version))
	case e.Era == mcpspec.Modern && v.call.hasVersion && v.Session.opened.set():
		f.Message = fmt.Sprintf("%s says %s on a session that is open in %s", label(e.Method, e.Target), shortText(v.call.version), clean(v.Session.answered))
		f.Related = []Ref{v.Session.opened.At}
	case e.Method == "initialize" && e.Era == mcpspec.Legacy && p.modern.operating:
		f.Message = "a legacy handshake after modern requests"
	case e.Era == mcpspec.Modern && !v.call.hasVersion && !v.call.misplaced.any() && !p.modern.marked && e.Method != "server/discover":
		f.Message = label(e.Method, e.Target) + " without metadata after requests that had it"
	default:
		return
	}
	v.reportOn("eras", f)
	if m := memo[mixings](v, p); f.Level == LevelWarning && len(m.list) < maxRelated {
		m.list = append(m.list, f)
	}
}

// erasSettled takes the edge off once an answer shows that the server knows the modern era, which may serve
// both in one process.
func erasSettled(v *view) {
	m := memo[mixings](v, v.Process)
	if len(m.list) == 0 || !v.Process.modern.marked {
		return
	}
	v.withdraw(m.list[0].At, v.rule.ID) // the others are counted in the first
	for _, f := range m.list {
		f.Level = LevelInfo
		v.reportOn("eras", f)
	}
	m.list = nil
}

func ambiguousServed(v *view) {
	x, p := v.Exchange, v.Process
	if x == nil || x.from != client || x.era != mcpspec.Modern || x.version == "" || x.method == "server/discover" || p.modern.marked || v.Session.current() {
		return
	}
	v.reportOn("served", Finding{
		Message: fmt.Sprintf("%s in version %s was served before any handshake, and nothing in the answer shows that the server knows the modern era", label(x.method, x.target), clean(x.version)),
		Related: []Ref{x.At},
	})
}

// strangers are the modern members that were seen on a legacy session.
type strangers struct{ said bool }

func modernFields(v *view) {
	o := v.outcome
	if o.kind == "" && !o.cacheHints && !o.serverInfo || isInterim(o.kind) {
		return
	}
	m := memo[strangers](v, v.Session)
	if m.said {
		return
	}
	m.said = true
	var names []string
	members(v.Entry.Message.Result, func(key, value []byte) bool {
		switch string(key) {
		case "resultType", "ttlMs", "cacheScope":
			names = append(names, string(key))
		case "_meta":
			if member(value, mcpspec.MetaServerInfo) != nil {
				names = append(names, "serverInfo")
			}
		}
		return len(names) < 8
	})
	v.report(Finding{Message: fmt.Sprintf("the result of %s carries %s, which belong to 2026-07-28", clean(v.Entry.Method), knownList(names)), Path: "/result"})
}

func isInterim(kind string) bool { return kind == "input_required" || kind == "task" }

func interimOnLegacy(v *view) {
	if x := v.Exchange; x != nil && x.from == client && isInterim(v.outcome.kind) {
		v.reportOn(label(x.method, x.target), Finding{
			Message: fmt.Sprintf("resultType %s answers %s on a legacy session", v.outcome.kind, label(x.method, x.target)),
			Path:    "/result/resultType", Related: []Ref{x.At},
		})
	}
}

func legacyTaskRequest(v *view) {
	if v.from() != client {
		return
	}
	if v.call.task != nil {
		v.reportOn("params.task", Finding{Message: label(v.Entry.Method, v.Entry.Target) + " asks for a task by params.task; in the modern era the server decides", Path: "/params/task"})
	}
	if member(v.call.clientCaps, "tasks") != nil {
		v.reportOn("capability", Finding{Level: LevelInfo, Message: "the client declares capabilities.tasks; the extension is declared under extensions", Path: pointer("/params/_meta", mcpspec.MetaClientCapabilities, "tasks")})
	}
}

func legacyTaskResult(v *view) {
	x, o := v.Exchange, v.outcome
	if x == nil || x.from != client {
		return
	}
	result := v.Entry.Message.Result
	switch {
	case isObject(o.task) && (o.taskID != "" || member(o.task, "status") != nil):
		v.reportOn("result.task", Finding{Message: "the answer to " + label(x.method, x.target) + " holds its task in result.task; the handle has to be flat", Path: "/result", Related: []Ref{x.At}})
	case o.kind == "task" || x.spec != nil && x.spec.Group == mcpspec.Tasks:
		legacyTaskTimes(v, result, "/result")
	case x.method == "server/discover" && member(o.caps, "tasks") != nil:
		v.reportOn("capability", Finding{Level: LevelInfo, Message: "the server declares capabilities.tasks; the extension is declared under extensions", Path: "/result/capabilities/tasks"})
	case x.method == "tools/list":
		i := 0
		elements(o.items, func(tool []byte) bool {
			if member(tool, "execution", "taskSupport") != nil {
				v.reportOn("tool", Finding{Level: LevelInfo, Message: "tool " + clean(text(member(tool, "name"))) + " has execution.taskSupport, which the modern era does not know", Path: fmt.Sprintf("/result/tools/%d/execution", i)})
				return false
			}
			i++
			return true
		})
	}
}

func legacyTaskNotice(v *view) {
	switch {
	case v.from() != server || !v.Process.onlyModern():
	case v.Entry.Method == "notifications/tasks/status":
		v.reportOn("status", Finding{Message: "notifications/tasks/status; the extension has notifications/tasks"})
	default:
		legacyTaskTimes(v, v.Entry.Message.Params, "/params")
	}
}

// legacyTaskTimes looks for the names that times of a task had.
func legacyTaskTimes(v *view, task []byte, path string) {
	members(task, func(key, _ []byte) bool {
		if k := string(key); k == "ttl" || k == "pollInterval" {
			v.reportOn(k, Finding{Message: "a task with " + k + "; the extension has " + k + "Ms", Path: path + "/" + k})
		}
		return true
	})
}

// deprecated are the features that were seen under a revision that deprecates them.
type deprecated map[string]bool

func (v *view) deprecate(feature, how, path string) {
	m := memo[deprecated](v, v.Process)
	if *m == nil {
		*m = make(deprecated)
	}
	if !(*m)[feature] {
		(*m)[feature] = true
		v.report(Finding{Message: feature + " is deprecated: " + how, Path: path})
	}
}

func deprecatedByRequest(v *view) {
	if v.from() != client || v.call.version == "" {
		return
	}
	path := pointer("/params/_meta", mcpspec.MetaClientCapabilities)
	for _, feature := range []string{mcpspec.Roots, mcpspec.Sampling} {
		if member(v.call.clientCaps, feature) != nil {
			v.deprecate(feature, "the client declares it", path+"/"+feature)
		}
	}
	if v.call.logLevel != "" {
		v.deprecate(mcpspec.Logging, clean(v.Entry.Method)+" asks for log messages", pointer("/params/_meta", mcpspec.MetaLogLevel))
	}
}

func deprecatedByResult(v *view) {
	if v.Exchange == nil || v.Exchange.from != client {
		return
	}
	if v.Exchange.method == "server/discover" && member(v.outcome.caps, "logging") != nil {
		v.deprecate(mcpspec.Logging, "the server declares it", "/result/capabilities/logging")
	}
	members(v.outcome.inputRequests, func(key, value []byte) bool {
		switch text(member(value, "method")) {
		case "roots/list":
			v.deprecate(mcpspec.Roots, "the server asks for them", pointer("/result/inputRequests", string(key)))
		case "sampling/createMessage":
			v.deprecate(mcpspec.Sampling, "the server asks for it", pointer("/result/inputRequests", string(key)))
		}
		return true
	})
}

func deprecatedByNotice(v *view) {
	if v.from() == server && v.Process.knowsModern() {
		v.deprecate(mcpspec.Logging, "the server sends log messages", "")
	}
}
