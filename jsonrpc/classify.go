package jsonrpc

import (
	"bytes"
	"strconv"
)

// maxMethods and maxMethodLength bound the method names that a reader remembers.
const (
	maxMethods      = 256
	maxMethodLength = 64
)

// classify says what an object is that is valid JSON.
func (r *reader) classify(e *envelope) Message {
	m := r.fill(e)
	fail := func(reason Reason, at member) Message {
		m.Kind, m.Reason, m.Offset = Invalid, reason, e.offset
		if at.raw != nil {
			m.Offset = at.offset
		}
		return m
	}
	if !isVersion(e.version.raw) {
		return fail(BadVersion, e.version)
	}
	idType := m.ID.kind == IDString || m.ID.kind == IDNumber
	if e.method.raw != nil {
		switch {
		case e.method.raw[0] != '"':
			return fail(BadMethod, e.method)
		case m.ID.kind == IDAbsent:
			m.Kind = Notification
		case !idType:
			return fail(BadID, e.id)
		default:
			m.Kind = Request
		}
		return m
	}
	result, failed := e.result.raw != nil, e.err.raw != nil
	switch {
	case result && failed:
		if e.result.offset > e.err.offset {
			return fail(ResultAndErr, e.result)
		}
		return fail(ResultAndErr, e.err)
	case !result && !failed:
		return fail(NoContent, member{})
	case !idType && (m.ID.kind != IDNull || !failed):
		return fail(BadID, e.id)
	case result:
		m.Kind = Response
		return m
	}
	if e.errFault >= 0 {
		m.Reason, m.Offset = BadError, e.errFault
		return m
	}
	m.Kind = Error
	return m
}

// fill reads what is there, whether or not it makes a message.
func (r *reader) fill(e *envelope) Message {
	m := Message{Raw: e.raw, Params: e.params.raw, Result: e.result.raw, Defects: e.defects}
	e.defects = nil
	switch {
	case e.version.raw == nil:
		m.addDefect(Defect{Kind: MissingVersion, Offset: e.offset})
	case !isVersion(e.version.raw):
		m.addDefect(Defect{Kind: WrongVersion, Offset: e.version.offset, Detail: detail(e.version.raw)})
	}
	if e.id.raw != nil {
		m.ID = ParseID(e.id.raw)
		if kind := oddID(m.ID); kind != "" && (kind != "null" || e.err.raw == nil) {
			m.addDefect(Defect{Kind: IDType, Offset: e.id.offset, Detail: kind})
		}
		m.checkNUL(e.id)
	}
	if e.method.raw != nil && e.method.raw[0] == '"' {
		m.Method = r.method(e.method.raw)
		m.checkNUL(e.method)
	}
	if e.params.raw != nil && e.params.raw[0] != '{' {
		m.addDefect(Defect{Kind: ParamsType, Offset: e.params.offset, Detail: typeName(e.params.raw)})
	}
	// A call carries no answer and an answer no params: members that JSON-RPC defines, but not here.
	if e.method.raw != nil {
		m.checkExtra("result", e.result)
		m.checkExtra("error", e.err)
	} else if e.result.raw != nil || e.err.raw != nil {
		m.checkExtra("params", e.params)
	}
	if e.err.raw != nil {
		m.Err, e.errFault = errorObject(e.err)
	}
	return m
}

func (m *Message) checkNUL(v member) {
	if v.raw[0] != '"' || bytes.IndexByte(v.raw, '\\') < 0 {
		return
	}
	if i := escapedNUL(v.raw); i >= 0 {
		m.addDefect(Defect{Kind: NUL, Offset: v.offset + i})
	}
}

func (m *Message) checkExtra(name string, v member) {
	if v.raw != nil {
		m.addDefect(Defect{Kind: ExtraMember, Offset: v.offset, Detail: name})
	}
}

// finishBatch makes m, whose members are read, a batch or an empty one.
func (m *Message) finishBatch(offset, beyond, beyondAt int) {
	m.Kind = Batch
	if len(m.Members) == 0 {
		m.Kind, m.Reason, m.Offset = Invalid, EmptyBatch, offset
	}
	if beyond > 0 {
		m.addDefect(Defect{Kind: TooManyMembers, Offset: beyondAt, Detail: strconv.Itoa(beyond)})
	}
}

func isVersion(raw []byte) bool {
	if string(raw) == `"2.0"` {
		return true
	}
	if len(raw) < 5 || raw[0] != '"' || bytes.IndexByte(raw, '\\') < 0 || len(raw) > 20 {
		return false
	}
	text, _ := Unquote(raw)
	return text == "2.0"
}

// oddID names the type of an id that no MCP id should have, or "".
func oddID(id ID) string {
	switch id.kind {
	case IDNumber:
		if !id.Integer() {
			return "fraction"
		}
		return ""
	case IDNull, IDOther:
		return typeName([]byte(id.raw[:1]))
	}
	return ""
}

// typeName names the JSON type of a value by its first byte.
func typeName(raw []byte) string {
	switch raw[0] {
	case 'n':
		return "null"
	case 't', 'f':
		return "bool"
	case '"':
		return "string"
	case '{':
		return "object"
	case '[':
		return "array"
	}
	return "number"
}

// method returns the text of a literal, from the names seen before where it can.
func (r *reader) method(raw []byte) string {
	inside := raw[1 : len(raw)-1]
	if name, ok := r.methods[string(inside)]; ok {
		return name
	}
	name, _ := Unquote(raw)
	// Only literals without escapes: the map is looked up by what stands in the line.
	if name == string(inside) && len(name) <= maxMethodLength && len(r.methods) < maxMethods {
		r.methods[name] = name
	}
	return name
}

// errorObject reads the error member of an answer, and says where in the frame it is not what
// JSON-RPC wants (-1 if nowhere). What is missing or of a wrong type stays zero.
func errorObject(v member) (*ErrorObject, int) {
	e := &ErrorObject{Raw: v.raw}
	if v.raw[0] != '{' {
		return e, v.offset
	}
	var code, message member
	walk(v.raw, func(name, value []byte, offset int) bool {
		switch string(name) {
		case "code":
			code = member{value, v.offset + offset}
		case "message":
			message = member{value, v.offset + offset}
		case "data":
			e.Data = value
		}
		return true
	})
	fault := -1
	check := func(at member, ok bool) {
		switch {
		case ok || fault >= 0:
		case at.raw == nil:
			fault = v.offset
		default:
			fault = at.offset
		}
	}
	var isCode, isMessage bool
	e.Code, isCode = integer(code.raw)
	e.Message, isMessage = Unquote(message.raw)
	check(code, isCode)
	check(message, isMessage)
	return e, fault
}

// integer reads a JSON number that is spelled as an integer. Beyond 64 bits it returns the nearest
// value that fits: such a code is an integer all the same.
func integer(raw []byte) (int64, bool) {
	digits := bytes.TrimPrefix(raw, []byte("-"))
	if len(digits) == 0 {
		return 0, false
	}
	for _, c := range digits {
		if c < '0' || c > '9' {
			return 0, false
		}
	}
	// ParseInt returns that nearest value along with its range error.
	n, _ := strconv.ParseInt(string(raw), 10, 64)
	return n, true
}
