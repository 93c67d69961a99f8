package jsonrpc

import (
	"bytes"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

const (
	// maxDepth is how deep objects and arrays may be nested. Deeper is not_json with the defect too_deep.
	maxDepth = 10_000

	// MaxMembers is how many members of one batch are decoded: each costs a Message, and two bytes
	// of a hostile line are enough for one. What is beyond is counted in a defect.
	MaxMembers = 100_000

	// maxDefects bounds the defects kept of one message: the first ones.
	maxDefects = 32

	// maxDetail bounds Detail and Path of a defect, in bytes.
	maxDetail = 256
)

// strict refuses what needs a closer look; tolerant is the syntax that counts as JSON. Decoding first
// strictly keeps the usual message cheap.
var (
	strict   = []jsontext.Options{jsontext.AllowDuplicateNames(false), jsontext.AllowInvalidUTF8(false)}
	tolerant = []jsontext.Options{jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)}
)

var utf8BOM = []byte("\xEF\xBB\xBF")

// Decode says what one frame holds. It never fails: what is no message is [Invalid] with a [Reason],
// and what could be read of it is filled in. Data is the frame without its line end; the slices of
// the Message point into it. Cost is linear in the length of data.
func Decode(data []byte) Message {
	start := space(data, 0)
	if start == len(data) {
		return Message{Kind: Blank}
	}
	r := readers.Get().(*reader)
	defer r.release()
	if m, ok := r.message(data, start); ok {
		return m
	}
	return r.inspect(data)
}

// reader is a pooled decoder with what it needs around it.
type reader struct {
	dec     jsontext.Decoder
	buf     bytes.Buffer
	methods map[string]string // so that a method seen before costs no memory
}

var readers = sync.Pool{New: func() any { return &reader{methods: make(map[string]string)} }}

func (r *reader) reset(data []byte, options []jsontext.Options) {
	// A decoder reads a bytes.Buffer in place, so that values are slices of data.
	r.buf = *bytes.NewBuffer(data)
	r.dec.Reset(&r.buf, options...)
}

func (r *reader) release() {
	r.buf = bytes.Buffer{}
	r.dec.Reset(&r.buf) // do not pin the data
	readers.Put(r)
}

// member is a member of an envelope: its raw value, nil when absent, and where it stands.
type member struct {
	raw    []byte
	offset int
}

// envelope is what the members of one message object say, the last of each name.
type envelope struct {
	version, id, method, params, result, err member

	raw      []byte
	offset   int
	errFault int // where err is no error object, -1 if nowhere
	defects  []Defect
}

// message decodes a frame that is a plain object or array without oddities that need a second look.
// It returns false when there may be any.
func (r *reader) message(data []byte, start int) (Message, bool) {
	r.reset(data, strict)
	var m Message
	switch data[start] {
	case '{':
		var e envelope
		if !r.envelope(data, &e) {
			return m, false
		}
		m = r.classify(&e)
	case '[':
		if !r.batch(data, start, &m) {
			return m, false
		}
	default:
		raw, err := r.dec.ReadValue()
		if err != nil {
			return m, false
		}
		m = Message{Reason: NotObject, Offset: start, Raw: raw}
	}
	end := int(r.dec.InputOffset())
	if space(data, end) != len(data) {
		return m, false
	}
	if start > 0 {
		m.addDefect(Defect{Kind: EdgeSpace, Offset: 0})
	} else if end < len(data) {
		m.addDefect(Defect{Kind: EdgeSpace, Offset: end})
	}
	return m, true
}

// batch reads an array. All defects of members stay with them.
func (r *reader) batch(data []byte, start int, m *Message) bool {
	if _, err := r.dec.ReadToken(); err != nil {
		return false
	}
	beyond, beyondAt := 0, 0
	for {
		switch r.dec.PeekKind() {
		case '{':
			var e envelope
			if len(m.Members) < MaxMembers {
				if !r.envelope(data, &e) {
					return false
				}
				m.Members = append(m.Members, r.classify(&e))
				continue
			}
		case ']':
			if _, err := r.dec.ReadToken(); err != nil {
				return false
			}
			m.Raw = data[start:r.dec.InputOffset():r.dec.InputOffset()]
			m.finishBatch(start, beyond, beyondAt)
			return true
		case jsontext.KindInvalid:
			return false
		}
		raw, err := r.dec.ReadValue()
		if err != nil {
			return false
		}
		offset := int(r.dec.InputOffset()) - len(raw)
		if len(m.Members) < MaxMembers {
			m.Members = append(m.Members, Message{Reason: NotObject, Offset: offset, Raw: raw})
			continue
		}
		if beyond == 0 {
			beyondAt = offset
		}
		beyond++
	}
}

// envelope reads one object.
func (r *reader) envelope(data []byte, e *envelope) bool {
	if _, err := r.dec.ReadToken(); err != nil {
		return false
	}
	e.offset = int(r.dec.InputOffset()) - 1
	for r.dec.PeekKind() == '"' {
		name, err := r.dec.ReadValue()
		if err != nil {
			return false
		}
		nameAt := int(r.dec.InputOffset()) - len(name)
		value, err := r.dec.ReadValue()
		if err != nil {
			return false
		}
		e.set(name, nameAt, member{value, int(r.dec.InputOffset()) - len(value)})
	}
	if _, err := r.dec.ReadToken(); err != nil {
		return false
	}
	end := r.dec.InputOffset()
	e.raw = data[e.offset:end:end]
	return true
}

// set notes one member; name is its literal.
func (e *envelope) set(name []byte, nameAt int, value member) {
	if bytes.IndexByte(name, '\\') >= 0 {
		if i := escapedNUL(name); i >= 0 {
			e.add(Defect{Kind: NUL, Offset: nameAt + i})
		}
		name = appendUnescaped(nil, name)
	}
	name = name[1 : len(name)-1]
	switch string(name) {
	case "jsonrpc":
		e.version = value
	case "id":
		e.id = value
	case "method":
		e.method = value
	case "params":
		e.params = value
	case "result":
		e.result = value
	case "error":
		e.err = value
	default:
		kind := ExtraMember
		for _, known := range [...]string{"jsonrpc", "id", "method", "params", "result", "error"} {
			if len(name) == len(known) && strings.EqualFold(string(name), known) {
				kind = CaseVariant
			}
		}
		e.add(Defect{Kind: kind, Offset: nameAt, Detail: detail(name)})
	}
}

func (e *envelope) add(d Defect) {
	if len(e.defects) < maxDefects {
		e.defects = append(e.defects, d)
	}
}

func (m *Message) addDefect(d Defect) {
	if len(m.Defects) < maxDefects {
		m.Defects = append(m.Defects, d)
	}
}

// detail bounds a text that goes into a defect.
func detail(b []byte) string {
	if len(b) <= maxDetail {
		return strings.ToValidUTF8(string(b), "\uFFFD")
	}
	cut := maxDetail
	for cut > 0 && !utf8.RuneStart(b[cut]) {
		cut--
	}
	return strings.ToValidUTF8(string(b[:cut]), "\uFFFD") + "…"
}

// space returns the index of the first byte at or after i that is no white space.
func space(data []byte, i int) int {
	for i < len(data) && (data[i] == ' ' || data[i] == '\t' || data[i] == '\r' || data[i] == '\n') {
		i++
	}
	return i
}
