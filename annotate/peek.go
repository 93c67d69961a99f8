package annotate

import (
	"strconv"

	"github.com/shakescope/shakescope/internal/mcpspec"
	"github.com/shakescope/shakescope/jsonrpc"
)

// call is what the fold needs of the params of a request or notification. Slices point into them.
type call struct {
	version      string // _meta protocolVersion, when a string
	hasVersion   bool
	clientCaps   []byte // _meta clientCapabilities, nil when not stated
	logLevel     string
	token        []byte // _meta progressToken, or params.progressToken of a progress notification
	subscription []byte // _meta subscriptionId
	relatedTask  string // _meta related-task.taskId
	target       string

	requestID      []byte // of cancelled
	protocol       string // protocolVersion of initialize
	caps           []byte // capabilities of initialize
	requestState   []byte
	inputResponses []byte
	task           []byte // asks for execution as a task
	taskID         string
	elicitation    string // elicitationId
	mode           string // of an elicitation
	tools          bool   // tools or toolChoice of a sampling request
	context        string // includeContext
	filter         []byte // notifications of subscriptions/listen
	cursor         []byte
	taskStatus     string
}

func peekCall(method string, params []byte) call {
	var c call
	members(params, func(key, value []byte) bool {
		switch string(key) {
		case "_meta":
			c.meta(value)
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
			}
		case "requestId":
			c.requestID = value
		case "protocolVersion":
			c.protocol = text(value)
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
	members(meta, func(key, value []byte) bool {
		switch string(key) {
		case mcpspec.MetaProtocolVersion:
			c.version, c.hasVersion = text(value), isString(value)
		case mcpspec.MetaClientCapabilities:
			c.clientCaps = value
		case mcpspec.MetaLogLevel:
			c.logLevel = text(value)
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
	caps          []byte
	supported     []byte // supportedVersions of server/discover
	requestState  []byte
	inputRequests []byte
	taskID        string // of a task that was created or is told about
	items         []byte // of a list
	next          []byte // nextCursor
	serverInfo    bool   // in _meta
	cacheHints    bool
	relatedTask   string
}

// listKey returns the member of a list result that holds the items, "" for other methods.
func listKey(method string) string {
	switch method {
	case "tools/list":
		return "tools"
	case "resources/list":
		return "resources"
	case "resources/templates/list":
		return "resourceTemplates"
	case "prompts/list":
		return "prompts"
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
			o.protocol = text(value)
		case "capabilities":
			o.caps = value
		case "supportedVersions":
			o.supported = value
		case "requestState":
			o.requestState = value
		case "inputRequests":
			o.inputRequests = value
		case "task":
			o.taskID = text(member(value, "taskId"))
		case "taskId":
			o.taskID = text(value)
		case "nextCursor":
			o.next = value
		case "ttlMs", "cacheScope":
			o.cacheHints = true
		case "_meta":
			o.serverInfo = o.serverInfo || member(value, mcpspec.MetaServerInfo) != nil
			if t := member(value, mcpspec.MetaRelatedTask); t != nil {
				o.relatedTask = text(member(t, "taskId"))
			}
		}
		if items != "" && string(key) == items {
			o.items = value
		}
		return true
	})
	return o
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
