package annotate

import (
	"fmt"
	"strings"

	"github.com/shakescope/shakescope/internal/mcpspec"
	"github.com/shakescope/shakescope/jsonrpc"
)

// Rules about the members that make an object a message.
var formRules = []Rule{
	{
		ID: "jsonrpc-version", Group: GroupEnvelope, Levels: []Level{LevelError}, Revisions: mcpspec.All, By: Sender,
		Spec:  "2025-11-25/basic/index#requests",
		Title: "The member jsonrpc is missing, or is not the string \"2.0\".",
		Why:   "Strict peers take the line for no message at all: a request is never answered, an answer never arrives.",
		Fix:   "Write \"jsonrpc\":\"2.0\" in every message; a number does not count.",
		hooks: []hook{on(onInvalid, badVersion)},
	},
	{
		ID: "id-null", Group: GroupEnvelope, Levels: []Level{LevelError}, Revisions: mcpspec.All, By: Sender,
		Spec:  "2025-11-25/basic/index#requests",
		Title: "A request has the id null.",
		Why:   "MCP forbids it, unlike plain JSON-RPC. Peers take it for a notification or drop it, and whoever asked waits for ever.",
		Fix:   "Give each request a string or an integer, new each time; leave id out of notifications.",
		hooks: []hook{on(onInvalid, nullID)},
	},
	{
		ID: "id-type", Group: GroupEnvelope, Levels: []Level{LevelError}, Revisions: mcpspec.All, By: Sender,
		Spec:  "2025-11-25/basic/index#requests",
		Title: "An id is neither a string nor an integer.",
		Why:   "Peers refuse the message, or change the id on the way: there are some that answer 1.5 with the id 1.",
		Fix:   "Use strings or integers as ids.",
		hooks: []hook{on(onInvalid, oddID), on(onRequest, fractionID)},
	},
	{
		ID: "result-and-error", Group: GroupEnvelope, Levels: []Level{LevelError}, Revisions: mcpspec.All, By: Sender,
		Spec:  "2025-03-26/basic/index#responses",
		Title: "An answer has both a result and an error.",
		Why:   "Whether the call worked depends on which member the peer looks at first; strict ones drop the line.",
		Fix:   "Send one of the two. A member error that is null counts as sent.",
		hooks: []hook{on(onInvalid, bothOutcomes)},
	},
	{
		ID: "response-empty", Group: GroupEnvelope, Levels: []Level{LevelError}, Revisions: mcpspec.All, By: Sender,
		Spec:  "2025-11-25/basic/index#responses",
		Title: "A message has an id, but neither method, result nor error.",
		Why:   "It answers nothing, so the request stays open. Serialisers that drop undefined values do this.",
		Fix:   "Send {} when there is nothing to return.",
		hooks: []hook{on(onInvalid, emptyAnswer)},
	},
	{
		ID: "method-with-result", Group: GroupEnvelope, Levels: []Level{LevelError}, Revisions: mcpspec.All, By: Sender,
		Spec:  "2025-11-25/basic/index#requests",
		Title: "One object is call and answer at once: it has a method and a result or an error.",
		Why:   "Peers differ in what they take it for, and strict ones drop it.",
		Fix:   "Send calls and answers as messages of their own.",
		hooks: []hook{on(onRequest, callAndAnswer), on(onNotification, callAndAnswer)},
	},
	{
		ID: "method-type", Group: GroupEnvelope, Levels: []Level{LevelError}, Revisions: mcpspec.All, By: Sender,
		Spec:  "2025-11-25/basic/index#requests",
		Title: "The method is no string, or an empty one.",
		Why:   "Nobody can tell what is asked for.",
		Fix:   "Send the name of the method as a string.",
		hooks: []hook{on(onInvalid, badMethod), on(onRequest, emptyMethod), on(onNotification, emptyMethod)},
	},
	{
		ID: "params-not-object", Group: GroupEnvelope, Levels: []Level{LevelError}, Revisions: mcpspec.All, By: Sender,
		Spec:  "2025-11-25/basic/index#requests",
		Title: "params is no object.",
		Why:   "MCP takes objects only. Peers refuse or drop the message; null, as some Python and Go serialisers write it, is no exception.",
		Fix:   "Send an object, or leave params out.",
		hooks: []hook{on(onRequest, badParams), on(onNotification, badParams)},
	},
	{
		ID: "result-not-object", Group: GroupEnvelope, Levels: []Level{LevelError}, Revisions: mcpspec.All, By: Sender,
		Spec:  "2025-11-25/basic/index#responses",
		Title: "A result is no object.",
		Why:   "Strict peers reject the answer, and the call fails though it worked.",
		Fix:   "Send an object; {} when there is nothing to return.",
		hooks: []hook{on(onResult, badResult)},
	},
	{
		ID: "error-shape", Group: GroupEnvelope, Levels: []Level{LevelError}, Revisions: mcpspec.All, By: Sender,
		Spec:  "2025-11-25/basic/index#responses",
		Title: "An error has no integer code or no message.",
		Why:   "Strict peers drop the answer, so the request hangs instead of failing.",
		Fix:   "Send {\"code\": integer, \"message\": string}, and whatever else there is in data.",
		hooks: []hook{on(onInvalid, badError)},
	},
	{
		ID: "notification-with-id", Group: GroupEnvelope, Levels: []Level{LevelError}, Revisions: mcpspec.All, By: Sender,
		Spec:  "2025-11-25/basic/index#notifications",
		Title: "A notification carries an id, which makes it a request.",
		Why:   "The peer answers that it knows no such method, or does nothing; what was to be notified gets lost.",
		Fix:   "Send notifications without the member id.",
		hooks: []hook{on(onRequest, notificationWithID), on(onInvalid, notificationWithID)},
	},
	{
		ID: "request-without-id", Group: GroupEnvelope, Levels: []Level{LevelError}, Revisions: mcpspec.All, By: Sender,
		Spec:  "2025-11-25/basic/index#requests",
		Title: "A request has no id, which makes it a notification.",
		Why:   "The peer must not answer it, so the call never returns.",
		Fix:   "Give each request an id of its own.",
		hooks: []hook{on(onNotification, requestWithoutID)},
	},
	{
		ID: "envelope-extra-member", Group: GroupEnvelope, Levels: []Level{LevelWarning}, Revisions: mcpspec.All, By: Sender,
		Spec:  "2025-11-25/basic/index#requests",
		Title: "A message has members that JSON-RPC does not define.",
		Why:   "The schemas do not forbid it, yet the TypeScript SDKs drop such a message without a word. Often they are params in the wrong place.",
		Fix:   "Put them into params, result or error.data; metadata goes into _meta there.",
		hooks: []hook{onMessage(extraMember)},
	},
	{
		ID: "rpc-reserved-method", Group: GroupEnvelope, Levels: []Level{LevelWarning}, Revisions: mcpspec.All, By: Sender,
		Spec:  "2025-11-25/basic/index#messages",
		Title: "A method name begins with \"rpc.\", which JSON-RPC keeps for itself.",
		Why:   "No MCP peer knows such a method, and libraries may treat it specially.",
		Fix:   "Name own methods with a prefix of your own.",
		hooks: []hook{on(onRequest, reservedMethod), on(onNotification, reservedMethod)},
	},
}

func badVersion(v *view) {
	e := v.Entry
	if e.Reason != jsonrpc.BadVersion || !looksLikeMessage(e.Message) {
		return
	}
	message := "jsonrpc is missing"
	for _, d := range e.Defects {
		if d.Kind == jsonrpc.WrongVersion {
			message = "jsonrpc is " + clean(d.Detail) + `, not the string "2.0"`
		}
	}
	v.reportOn(e.From+message, Finding{Message: message, Path: "/jsonrpc"})
}

// isNotice reports whether a method is a notification by its name.
func isNotice(method string) bool {
	m := mcpspec.Lookup(method)
	return m != nil && m.Notification || m == nil && strings.HasPrefix(method, "notifications/")
}

func nullID(v *view) {
	e := v.Entry
	if m := e.Message; e.Reason == jsonrpc.BadID && m.Method != "" && m.ID.Kind() == jsonrpc.IDNull && !isNotice(m.Method) {
		v.reportOn(e.From, Finding{Message: "id null on " + label(e.Method, e.Target), Path: "/id"})
	}
}

func oddID(v *view) {
	e := v.Entry
	if m := e.Message; e.Reason == jsonrpc.BadID && m.ID.Kind() == jsonrpc.IDOther && !isNotice(m.Method) {
		v.report(Finding{Message: "id " + shortID(m.ID.Raw()) + " is neither a string nor an integer", Path: "/id"})
	}
}

func fractionID(v *view) {
	if e := v.Entry; e.Message.ID.Kind() == jsonrpc.IDNumber && !e.Message.ID.Integer() {
		v.report(Finding{Message: "id " + shortID(e.ID) + " is no integer", Path: "/id"})
	}
}

func bothOutcomes(v *view) {
	if v.Entry.Reason == jsonrpc.ResultAndErr {
		v.report(Finding{Message: "result and error in one answer", Path: "/error"})
	}
}

func emptyAnswer(v *view) {
	if e := v.Entry; e.Reason == jsonrpc.NoContent && e.Message.ID.Kind() != jsonrpc.IDAbsent {
		v.report(Finding{Message: "id " + shortID(e.Message.ID.Raw()) + " with neither method, result nor error"})
	}
}

func callAndAnswer(v *view) {
	for _, d := range v.Entry.Defects {
		if d.Kind == jsonrpc.ExtraMember && (d.Detail == "result" || d.Detail == "error") {
			v.report(Finding{Message: label(v.Entry.Method, v.Entry.Target) + " with a member " + d.Detail, Path: "/" + d.Detail})
			return
		}
	}
}

func badMethod(v *view) {
	if v.Entry.Reason == jsonrpc.BadMethod {
		v.report(Finding{Message: "method is no string: " + excerpt(v.Entry.Message.Raw), Path: "/method"})
	}
}

func emptyMethod(v *view) {
	if v.Entry.Message.Method == "" {
		v.report(Finding{Message: "method is empty", Path: "/method"})
	}
}

func badParams(v *view) {
	for _, d := range v.Entry.Defects {
		if d.Kind == jsonrpc.ParamsType {
			what := "params is null"
			switch d.Detail {
			case "null":
			case "array":
				what = "params is an array: MCP has no arguments by position"
			default:
				what = "params is a " + d.Detail
			}
			v.reportOn(v.Entry.From+v.Entry.Method+d.Detail, Finding{Message: what + ", in " + label(v.Entry.Method, v.Entry.Target), Path: "/params"})
		}
	}
}

func badResult(v *view) {
	e := v.Entry
	if r := e.Message.Result; len(r) > 0 && r[0] != '{' {
		what := "the result"
		if e.Method != "" {
			what = "the result of " + label(e.Method, e.Target)
		}
		v.reportOn(e.From+e.Method, Finding{Message: what + " is no object: " + excerpt(r), Path: "/result"})
	}
}

func badError(v *view) {
	e := v.Entry
	if e.Reason != jsonrpc.BadError {
		return
	}
	raw := e.Message.Err.Raw
	switch code, message := member(raw, "code"), member(raw, "message"); {
	case !isObject(raw):
		v.report(Finding{Message: "error is no object: " + excerpt(raw), Path: "/error"})
	case code == nil:
		v.report(Finding{Message: "error without a code", Path: "/error"})
	case !isInteger(code):
		v.report(Finding{Message: "the code of an error is no integer: " + excerpt(code), Path: "/error/code"})
	case message == nil:
		v.report(Finding{Message: "error without a message", Path: "/error"})
	default:
		v.report(Finding{Message: "the message of an error is no string: " + excerpt(message), Path: "/error/message"})
	}
}

// isInteger reports whether raw JSON is a number spelt as an integer.
func isInteger(raw []byte) bool {
	digits := strings.TrimPrefix(string(raw), "-")
	return digits != "" && strings.Trim(digits, "0123456789") == ""
}

func notificationWithID(v *view) {
	e := v.Entry
	if !isNotice(e.Method) || e.Kind == Invalid && e.Reason != jsonrpc.BadID {
		return
	}
	v.reportOn(e.From+e.Method, Finding{Message: shortID(e.Method) + " carries id " + shortID(e.Message.ID.Raw()), Path: "/id"})
}

func requestWithoutID(v *view) {
	e := v.Entry
	if m := mcpspec.Lookup(e.Method); m != nil && !m.Notification {
		v.reportOn(e.From+e.Method, Finding{Message: label(e.Method, e.Target) + " without an id can have no answer"})
	}
}

func extraMember(v *view) {
	e := v.Entry
	if len(e.Defects) == 0 {
		return
	}
	call := e.Kind == Request || e.Kind == Notification
	var names []string
	hint := ""
	for _, d := range e.Defects {
		switch {
		case d.Kind == jsonrpc.CaseVariant:
			hint = " (names are case-sensitive)"
		case d.Kind != jsonrpc.ExtraMember, call && (d.Detail == "result" || d.Detail == "error"):
			continue
		case call && (d.Detail == "name" || d.Detail == "arguments" || d.Detail == "uri" || d.Detail == "cursor" || d.Detail == "_meta"):
			hint = " (belongs into params)"
		}
		if len(names) < 4 {
			names = append(names, clean(d.Detail))
		}
	}
	if len(names) == 0 {
		return
	}
	what := strings.Join(names, ", ")
	v.reportOn(e.From+what, Finding{Message: fmt.Sprintf("no member of a message: %s%s", what, hint), Path: "/" + pointerToken(names[0])})
}

func reservedMethod(v *view) {
	if e := v.Entry; strings.HasPrefix(e.Method, "rpc.") {
		v.reportOn(e.From+e.Method, Finding{Message: "method " + shortID(e.Method), Path: "/method"})
	}
}
