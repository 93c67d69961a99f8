package annotate

import (
	"bytes"
	"cmp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/shakescope/shakescope/internal/mcpspec"
)

func requestSummary(method string, params []byte) string {
	switch method {
	case "initialize":
		s := who(member(params, "clientInfo"))
		if v := text(member(params, "protocolVersion")); v != "" {
			s = strings.TrimSpace(s + " asks for " + v)
		}
		return s + ", " + capabilityCount(member(params, "capabilities"))
	case "server/discover":
		if v := text(member(params, "_meta", mcpspec.MetaProtocolVersion)); v != "" {
			return "speaks " + v
		}
		return "asks what the server can do"
	case "tools/call":
		var of [3][]byte
		pick(params, of[:], "arguments", "task", "inputResponses")
		s := argumentsSummary(of[0])
		if of[1] != nil {
			s = join("as a task", s)
		}
		return retrySummary(of[2], s)
	case "prompts/get":
		return retrySummary(member(params, "inputResponses"), argumentsSummary(member(params, "arguments")))
	case "resources/read":
		return retrySummary(member(params, "inputResponses"), "asks for the content")
	case "resources/subscribe":
		return "asks to be told of changes"
	case "resources/unsubscribe":
		return "wants to hear of changes no more"
	case "tools/list", "resources/list", "resources/templates/list", "prompts/list", "tasks/list", "roots/list":
		what := strings.TrimSuffix(method, "/list")
		if method == "resources/templates/list" {
			what = "templates"
		}
		if isString(member(params, "cursor")) {
			what = "more " + what
		}
		return "asks for " + what
	case "completion/complete":
		return text(member(params, "argument", "name")) + "=" + text(member(params, "argument", "value"))
	case "logging/setLevel":
		return "level " + text(member(params, "level"))
	case "sampling/createMessage":
		s := counted(count(member(params, "messages")), "message", "messages")
		if n := member(params, "maxTokens"); n != nil {
			s += ", at most " + string(n) + " tokens"
		}
		if n := count(member(params, "tools")); n > 0 {
			s += ", " + counted(n, "tool", "tools")
		}
		return s
	case "elicitation/create":
		s := prose(member(params, "message"))
		if url := text(member(params, "url")); url != "" {
			s = join(s, url)
		}
		return s
	case "subscriptions/listen":
		return filterText(member(params, "notifications"))
	case "tasks/get":
		return "asks for the status"
	case "tasks/result":
		return "waits for the result"
	case "tasks/cancel":
		return "cancels the task"
	case "tasks/update":
		return retrySummary(member(params, "inputResponses"), "goes on")
	case "ping":
		return "ping"
	}
	return objectSummary(params)
}

func argumentsSummary(object []byte) string {
	if s := arguments(object); s != "" {
		return s
	}
	return "no arguments"
}

// retrySummary marks a call that goes on with the inputs it was asked for.
func retrySummary(inputResponses []byte, s string) string {
	n := 0
	members(inputResponses, func(_, _ []byte) bool { n++; return true })
	if n == 0 {
		return s
	}
	return join("with "+counted(n, "input", "inputs"), s)
}

func notificationSummary(method string, params []byte) string {
	switch method {
	case "notifications/initialized":
		return "handshake done"
	case "notifications/cancelled":
		s := "cancels " + string(member(params, "requestId"))
		return join(s, prose(member(params, "reason")))
	case "notifications/progress":
		var of [3][]byte
		pick(params, of[:], "progress", "total", "message")
		s := string(of[0])
		if of[1] != nil {
			s += " of " + string(of[1])
		}
		return join(s, prose(of[2]))
	case "notifications/message":
		var of [3][]byte
		pick(params, of[:], "level", "logger", "data")
		s := text(of[0])
		if logger := text(of[1]); logger != "" {
			s += " " + logger
		}
		return join(s, value(of[2]))
	case "notifications/resources/updated":
		return "changed"
	case "notifications/tools/list_changed", "notifications/prompts/list_changed", "notifications/resources/list_changed", "notifications/roots/list_changed":
		return "list changed"
	case "notifications/elicitation/complete":
		return text(member(params, "elicitationId"))
	case "notifications/subscriptions/acknowledged":
		return filterText(member(params, "notifications"))
	case "notifications/tasks/status", "notifications/tasks":
		return taskText(params)
	}
	return objectSummary(params)
}

func resultSummary(method string, result []byte) string {
	var of [6][]byte
	pick(result, of[:], "inputRequests", "resultType", "isError", "content", "task", "structuredContent")
	inputs, kind, isError, content, task, structured := of[0], of[1], of[2], of[3], of[4], of[5]
	if (inputs != nil || text(kind) == "input_required") && method != "tasks/get" {
		return inputSummary(inputs)
	}
	if isTrue(isError) {
		return join("isError", contentText(content))
	}
	if isObject(task) && method != "tasks/get" {
		return taskText(task)
	}
	if text(kind) == "task" {
		return taskText(result)
	}
	switch method {
	case "initialize":
		s := who(member(result, "serverInfo"))
		if v := text(member(result, "protocolVersion")); v != "" {
			if s != "" {
				s += ", "
			}
			s += "protocol " + v
		}
		return s + ", " + capabilityCount(member(result, "capabilities"))
	case "server/discover":
		var versions []string
		elements(member(result, "supportedVersions"), func(v []byte) bool {
			versions = append(versions, text(v))
			return len(versions) < 8
		})
		s := who(member(result, "_meta", mcpspec.MetaServerInfo))
		if s != "" {
			s += ", "
		}
		return s + "supports " + strings.Join(versions, " ") + ", " + capabilityCount(member(result, "capabilities"))
	case "tools/list":
		return page(result, "tools", "tool", "tools")
	case "resources/list":
		return page(result, "resources", "resource", "resources")
	case "resources/templates/list":
		return page(result, "resourceTemplates", "template", "templates")
	case "prompts/list":
		return page(result, "prompts", "prompt", "prompts")
	case "tasks/list":
		return page(result, "tasks", "task", "tasks")
	case "roots/list":
		return page(result, "roots", "root", "roots")
	case "tools/call":
		s := contentText(content)
		if structured != nil && s == "" {
			s = "structured: " + value(structured)
		}
		if s == "" {
			return objectSummary(result)
		}
		return s
	case "resources/read":
		return contentsText(member(result, "contents"))
	case "prompts/get":
		return join(counted(count(member(result, "messages")), "message", "messages"), prose(member(result, "description")))
	case "completion/complete":
		done := member(result, "completion")
		s := counted(count(member(done, "values")), "value", "values")
		if total := member(done, "total"); total != nil {
			s += " of " + string(total)
		}
		return s
	case "sampling/createMessage":
		s := blockText(content)
		if model := text(member(result, "model")); model != "" {
			s = join(model, s)
		}
		return s
	case "elicitation/create":
		return join(text(member(result, "action")), objectSummary(content))
	case "tasks/get", "tasks/cancel", "tasks/update":
		if member(result, "taskId") == nil {
			return "accepted" // the extension acknowledges, and says no more
		}
		return taskText(result)
	case "tasks/result":
		return contentText(content)
	case "ping":
		return "pong"
	case "resources/subscribe":
		return "subscribed"
	case "resources/unsubscribe":
		return "unsubscribed"
	case "logging/setLevel":
		return "level set"
	case "subscriptions/listen":
		return "stream closed"
	}
	return objectSummary(result)
}

// who names a client or server by its info object.
func who(info []byte) string {
	return strings.TrimSpace(text(member(info, "name")) + " " + text(member(info, "version")))
}

func capabilityCount(caps []byte) string {
	n := 0
	members(caps, func(_, v []byte) bool {
		if !isNull(v) && string(v) != "false" {
			n++
		}
		return true
	})
	if n == 0 {
		return "no capabilities"
	}
	return counted(n, "capability", "capabilities")
}

func page(result []byte, key, one, many string) string {
	list := member(result, key)
	if !isArray(list) {
		return objectSummary(result)
	}
	s := counted(count(list), one, many)
	if next := member(result, "nextCursor"); next != nil && !isNull(next) {
		s += ", more follow"
	}
	return s
}

// contentText sums up the content of a tool result.
func contentText(content []byte) string {
	n := 0
	var first string
	var kinds []string
	elements(content, func(block []byte) bool {
		n++
		if first == "" {
			first = blockText(block)
		}
		if kind := text(member(block, "type")); !slices.Contains(kinds, kind) && len(kinds) < 6 {
			kinds = append(kinds, kind)
		}
		return true
	})
	if n <= 1 {
		return first
	}
	return strconv.Itoa(n) + " blocks (" + strings.Join(kinds, ", ") + "): " + first
}

// blockText sums up one content block, or the first of several.
func blockText(block []byte) string {
	if isArray(block) {
		return contentText(block)
	}
	switch kind := text(member(block, "type")); kind {
	case "text":
		return prose(member(block, "text"))
	case "image", "audio":
		return join(kind, strings.TrimSpace(text(member(block, "mimeType"))+" "+base64Size(member(block, "data"))))
	case "resource_link":
		return "link: " + text(member(block, "uri"))
	case "resource":
		return "resource: " + text(member(block, "resource", "uri"))
	case "tool_use":
		return "uses " + text(member(block, "name"))
	case "":
		return ""
	default:
		return kind
	}
}

func contentsText(contents []byte) string {
	var parts []string
	n := 0
	elements(contents, func(one []byte) bool {
		n++
		if len(parts) > 0 {
			return true
		}
		s := text(member(one, "mimeType"))
		if t := member(one, "text"); isString(t) {
			s = strings.TrimSpace(s + " " + bytesText(int64(len(t)-2)))
		} else if b := member(one, "blob"); b != nil {
			s = strings.TrimSpace(s + " " + base64Size(b))
		}
		parts = append(parts, s)
		return true
	})
	if n == 1 {
		return parts[0]
	}
	return join(counted(n, "content", "contents"), strings.Join(parts, ""))
}

// base64Size returns the size of what a base64 string holds.
func base64Size(literal []byte) string {
	if !isString(literal) {
		return ""
	}
	inside := bytes.TrimRight(literal[1:len(literal)-1], "=")
	return bytesText(int64(len(inside)) * 3 / 4)
}

func inputSummary(inputs []byte) string {
	var asks []string
	members(inputs, func(_, one []byte) bool {
		asks = append(asks, text(member(one, "method")))
		return len(asks) < 6
	})
	if len(asks) == 0 {
		return "asks to be called again"
	}
	return "asks for " + counted(len(asks), "input", "inputs") + ": " + strings.Join(asks, ", ")
}

func taskText(task []byte) string {
	var of [6][]byte
	pick(task, of[:], "taskId", "status", "statusMessage", "inputRequests", "result", "error")
	s := strings.TrimSpace("task " + text(of[0]) + " " + text(of[1]))
	s = join(s, prose(of[2]))
	if of[3] != nil {
		s = join(s, inputSummary(of[3]))
	}
	if isTrue(member(of[4], "isError")) {
		s = join(s, "isError")
	}
	s = join(s, contentText(member(of[4], "content")))
	return join(s, prose(member(of[5], "message")))
}

func filterText(filter []byte) string {
	var on []string
	members(filter, func(key, v []byte) bool {
		switch {
		case isArray(v):
			on = append(on, string(key)+" "+strconv.Itoa(count(v)))
		case !isNull(v) && string(v) != "false":
			on = append(on, string(key))
		}
		return len(on) < 8
	})
	if len(on) == 0 {
		return "nothing"
	}
	return strings.Join(on, ", ")
}

// arguments writes an object as people write arguments: name=value, name=value. Members of the names in but are left out.
func arguments(object []byte, but ...string) string {
	var b strings.Builder
	members(object, func(key, v []byte) bool {
		if slices.ContainsFunc(but, func(name string) bool { return name == string(key) }) {
			return true
		}
		if b.Len() > 0 {
			b.WriteString(", ")
		}
		b.Write(key)
		b.WriteByte('=')
		b.WriteString(value(v))
		return b.Len() < maxSummary
	})
	return b.String()
}

// value writes any value in short: a string as its text, the rest as it stands.
func value(v []byte) string {
	if isString(v) {
		return prose(v)
	}
	return lossy(v)
}

// wanted is how much of a text a summary looks at before it is cleaned.
const wanted = 2*maxSummary + 8

// simpleProse returns more than the wanted bytes of a JSON string, or all when there are no more. It returns false
// where it meets what is not valid or has to be looked at more closely.
func simpleProse(v []byte) (string, bool) {
	var buf [wanted + utf8.UTFMax + 1]byte
	out := buf[:0]
	for i := 1; i < len(v)-1 && len(out) <= wanted; i++ {
		switch c := v[i]; {
		case c == '\\':
			i++
			if i == len(v)-1 {
				return "", false
			}
			switch c := v[i]; c {
			case 'n':
				out = append(out, '\n')
			case 't':
				out = append(out, '\t')
			case 'r':
				out = append(out, '\r')
			case '"', '\\', '/':
				out = append(out, c)
			default:
				return "", false
			}
		case c >= utf8.RuneSelf:
			r, n := utf8.DecodeRune(v[i : len(v)-1])
			if r == utf8.RuneError && n == 1 {
				return "", false
			}
			out = append(out, v[i:i+n]...)
			i += n - 1
		case c < ' ' || c == '"':
			return "", false
		default:
			out = append(out, c)
		}
	}
	return string(out), true
}

// prose returns the text of a JSON string, of a long one only the beginning.
func prose(v []byte) string {
	const enough = 4 * maxSummary
	if !isString(v) {
		return ""
	}
	if s, ok := simpleProse(v); ok {
		return s
	}
	if len(v) <= enough {
		return text(v)
	}
	// No escape is longer than twelve bytes, so it can be left out by going back to before it.
	cut := v[:enough]
	if i := bytes.LastIndexByte(cut[enough-13:], '\\'); i >= 0 {
		cut = cut[:enough-13+i]
		for len(cut) > 1 && cut[len(cut)-1] == '\\' {
			cut = cut[:len(cut)-1]
		}
	}
	return text(append(bytes.ToValidUTF8(cut, nil), '"'))
}

// objectSummary sums up params or a result that nothing more is known of, leaving _meta out.
func objectSummary(object []byte) string {
	if object == nil {
		return ""
	}
	if !isObject(object) {
		return value(object)
	}
	return cmp.Or(arguments(object, "_meta", "resultType"), "ok")
}
