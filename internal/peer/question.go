package peer

import (
	"crypto/sha256"

	"github.com/shakescope/shakescope/internal/mcpspec"
)

// question is a client's request, made comparable.
type question struct {
	method, target string
	modern         bool
	version        string // that the client asks for, or states
	params         []byte // as sent; borrowed from who asked
	exact          string // equal for equal questions
	call           string // of a tool, equal for equal calls; "" for all else
}

// ask takes a request's params apart. They are borrowed.
func ask(method string, params []byte) question {
	q := question{method: method, params: params}
	what := decoded(params)
	tree, isObject := what.(map[string]any)
	if len(params) > 0 && !isObject {
		q.exact = key(method, what)
		return q
	}
	meta, _ := tree["_meta"].(map[string]any)
	if version, ok := meta[mcpspec.MetaProtocolVersion]; ok {
		q.modern = true
		q.version, _ = version.(string)
	} else {
		q.version, _ = tree["protocolVersion"].(string)
	}
	tree = constant(method, tree)
	for _, name := range []string{"name", "uri", "taskId"} {
		if s, ok := tree[name].(string); ok && q.target == "" {
			q.target = s
		}
	}
	q.exact = key(eraOf(q.modern)+" "+method, tree)
	if method == "tools/call" {
		_, task := tree["task"]
		_, responses := tree["inputResponses"]
		q.call = key(eraOf(q.modern), []any{tree["name"], tree["arguments"], task, responses, tree["requestState"]})
	}
	return q
}

// constant takes out of a request's params what differs from run to run, and puts in what may be left out.
func constant(method string, params map[string]any) map[string]any {
	if params == nil {
		params = map[string]any{}
	}
	delete(params, "_meta")
	if c, ok := params["cursor"]; ok && c == nil {
		delete(params, "cursor")
	}
	if (method == "tools/call" || method == "prompts/get") && params["arguments"] == nil {
		params["arguments"] = map[string]any{}
	}
	return params
}

// compared are the params in the form in which they are compared.
func (q *question) compared() []byte {
	what := decoded(q.params)
	if tree, ok := what.(map[string]any); ok || what == nil {
		return encoded(constant(q.method, tree))
	}
	return encoded(what)
}

// key is equal for equal questions. Of long ones a digest is enough, and much less to keep.
func key(kind string, v any) string {
	text := appendCanonical(append(append(make([]byte, 0, 256), kind...), ' '), v)
	if len(text) <= 2*sha256.Size {
		return string(text)
	}
	sum := sha256.Sum256(text)
	return string(sum[:])
}
