package annotate

import (
	"slices"
	"strconv"

	"github.com/shakescope/shakescope/internal/mcpspec"
	"github.com/shakescope/shakescope/jsonrpc"
)

// call is what the fold needs of the params of a request or notification. Slices point into them.
type call struct {
	version      string // _meta protocolVersion, when a string
	hasVersion   bool   // it is there, whatever it is
	clientCaps   []byte // _meta clientCapabilities, nil when not stated
	clientInfo   []byte // _meta clientInfo
	trace        []byte // _meta, where it holds a member of W3C trace context
	misplaced    misplaced
	logLevel     string
	token        []byte // _meta progressToken, or params.progressToken of a progress notification
	metadata     []byte // _meta
	looseToken   []byte // params.progressToken of anything else
	subscription []byte // _meta subscriptionId
	relatedTask  string // _meta related-task.taskId
	target       string

	requestID      []byte // of cancelled
	protocol       string // protocolVersion of initialize
	oddProtocol    []byte // the same where it is no text
	caps           []byte // capabilities of initialize
	requestState   []byte
	inputResponses []byte
	resumed        howResumed // of a retry: how it was recognised
	task           []byte     // asks for execution as a task
	taskID         string
	elicitation    string // elicitationId
	mode           string // of an elicitation
	tools          bool   // tools or toolChoice of a sampling request
	context        string // includeContext
	filter         []byte // notifications of subscriptions/listen
	cursor         []byte
	taskStatus     string
}

// misplaced says where required metadata of a modern request stands instead of in params._meta under its
// full name; "" is nowhere.
type misplaced struct{ version, caps string }

func (m misplaced) any() bool { return m.version != "" || m.caps != "" }

// Where metadata is put by mistake.
const (
	besideParams  = "beside params"
	insideParams  = "directly in params"
	withoutPrefix = "without the prefix io.modelcontextprotocol/"
)

// beside looks for metadata next to params, in a message that has members which belong to none.
func (c *call) beside(m *jsonrpc.Message) {
	if c.hasVersion || !slices.ContainsFunc(m.Defects, func(d jsonrpc.Defect) bool { return d.Kind == jsonrpc.ExtraMember }) {
		return
	}
	for _, obj := range [][]byte{m.Raw, member(m.Raw, "_meta")} {
		if member(obj, mcpspec.MetaProtocolVersion) != nil {
			c.misplaced.version = besideParams
		}
		if member(obj, mcpspec.MetaClientCapabilities) != nil {
			c.misplaced.caps = besideParams
		}
	}
}

func peekCall(method string, params []byte) call {
	var c call
	members(params, func(key, value []byte) bool {
		switch string(key) {
		case "_meta":
			c.meta(value)
		case mcpspec.MetaProtocolVersion:
			c.misplaced.version = insideParams
		case mcpspec.MetaClientCapabilities:
			c.misplaced.caps = insideParams
		case "name":
			if method == "tools/call" || method == "prompts/get" {
				c.target = text(value)
			}
		case "uri":
			if method == "resources/read" || method == "resources/subscribe" || method == "resources/unsubscribe" || method == "notifications/resources/updated" {
				c.target = text(value)
			}
		case "taskId":
			c.taskID = text(value)
		case "status":
			c.taskStatus = text(value)
		case "ref":
			if method == "completion/complete" {
				if c.target = text(member(value, "name")); c.target == "" {
					c.target = text(member(value, "uri"))
				}
			}
		case "progressToken":
			if method == "notifications/progress" {
				c.token = value
			} else {
				c.looseToken = value
			}
		case "requestId":
			c.requestID = value
		case "protocolVersion":
			if c.protocol = text(value); method != "initialize" && isModernDate(c.protocol) {
				c.misplaced.version = insideParams
			}
			c.oddProtocol = unlessText(value)
		case "capabilities":
			c.caps = value
		case "requestState":
			c.requestState = value
		case "inputResponses":
			c.inputResponses = value
		case "task":
			if !isNull(value) {
				c.task = value
			}
		case "elicitationId":
			c.elicitation = text(value)
		case "mode":
			c.mode = text(value)
		case "tools", "toolChoice":
			if !isNull(value) {
				c.tools = true
			}
		case "includeContext":
			c.context = text(value)
		case "notifications":
			c.filter = value
		case "cursor":
			c.cursor = value
		}
		return true
	})
	if c.taskID != "" && mcpspec.Lookup(method) != nil && mcpspec.Lookup(method).Group == mcpspec.Tasks {
		c.target = c.taskID
	}
	return c
}

func (c *call) meta(meta []byte) {
	c.metadata = meta
	members(meta, func(key, value []byte) bool {
		switch string(key) {
		case mcpspec.MetaProtocolVersion:
			c.version, c.hasVersion = text(value), true
		case mcpspec.MetaClientCapabilities:
			c.clientCaps = value
		case mcpspec.MetaClientInfo:
			c.clientInfo = value
		case "protocolVersion":
			if isModernDate(text(value)) {
				c.misplaced.version = withoutPrefix
			}
		case "clientCapabilities":
			c.misplaced.caps = withoutPrefix
		case "traceparent", "tracestate", "baggage":
			c.trace = meta
		case mcpspec.MetaLogLevel:
			if c.logLevel = text(value); !isString(value) && !isNull(value) {
				c.logLevel = string(value)
			}
		case mcpspec.MetaProgressToken:
			if c.token == nil {
				c.token = value
			}
		case mcpspec.MetaSubscriptionID:
			c.subscription = value
		case mcpspec.MetaRelatedTask:
			c.relatedTask = text(member(value, "taskId"))
		}
		return true
	})
}

// outcome is what the fold needs of a result. Slices point into it.
type outcome struct {
	isError       bool
	kind          string // resultType
	protocol      string
	oddProtocol   []byte // where it is no text
	caps          []byte
	supported     []byte // supportedVersions of server/discover
	requestState  []byte
	inputRequests []byte
	taskID        string // of a task that was created or is told about
	items         []byte // of a list
	metadata      []byte // _meta
	next          []byte // nextCursor
	serverInfo    bool   // in _meta
	trace         []byte // _meta, where it holds a member of W3C trace context
	task          []byte // of 2025-11-25: the task that was created
	cacheHints    bool
	relatedTask   string
}

// listKey returns the member of a list result that holds the items, "" for other methods.
func listKey(method string) string {
	for _, l := range listOf {
		if l.Method == method {
			return l.Member
		}
	}
	switch method {
	case "tasks/list":
		return "tasks"
	case "roots/list":
		return "roots"
	}
	return ""
}

func peekResult(method string, result []byte) outcome {
	var o outcome
	items := listKey(method)
	members(result, func(key, value []byte) bool {
		switch string(key) {
		case "isError":
			o.isError = isTrue(value)
		case "resultType":
			o.kind = text(value)
		case "protocolVersion":
			o.protocol, o.oddProtocol = text(value), unlessText(value)
		case "capabilities":
			o.caps = value
		case "supportedVersions":
			o.supported = value
		case "requestState":
			o.requestState = value
		case "inputRequests":
			o.inputRequests = value
		case "task":
			o.task, o.taskID = value, text(member(value, "taskId"))
		case "taskId":
			o.taskID = text(value)
		case "nextCursor":
			o.next = value
		case "ttlMs", "cacheScope":
			o.cacheHints = true
		case "_meta":
			o.meta(value)
		}
		if items != "" && string(key) == items {
			o.items = value
		}
		return true
	})
	return o
}

func (o *outcome) meta(meta []byte) {
	o.metadata = meta
	members(meta, func(key, value []byte) bool {
		switch string(key) {
		case mcpspec.MetaServerInfo:
			o.serverInfo = true
		case mcpspec.MetaRelatedTask:
			o.relatedTask = text(member(value, "taskId"))
		case "traceparent", "tracestate", "baggage":
			o.trace = meta
		}
		return true
	})
}

// peekProgress reads the payload of a progress notification.
func peekProgress(params []byte) *Progress {
	p := new(Progress)
	members(params, func(key, value []byte) bool {
		switch string(key) {
		case "progress":
			p.Progress, _ = strconv.ParseFloat(string(value), 64)
		case "total":
			p.Total, _ = strconv.ParseFloat(string(value), 64)
		case "message":
			p.Message = text(value)
		}
		return true
	})
	return p
}

// tokenKey returns the key of a progress token or request id in params, "" for what can match nothing.
func tokenKey(raw []byte) string {
	if len(raw) == 0 {
		return ""
	}
	return jsonrpc.ParseID(raw).Key()
}

// isModernDate reports whether a text has the form of a revision of the modern era.
func isModernDate(version string) bool {
	return mcpspec.IsDate(version) && mcpspec.EraOf(version) == mcpspec.Modern
}
