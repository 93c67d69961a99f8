package jsonrpc

import (
	"bytes"
	"errors"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// maxDuplicates bounds the duplicate keys reported of one message.
const maxDuplicates = 16

// inspect decodes a frame that the strict way could not: it is no JSON, or has oddities inside. It
// walks over every token, keeps what is odd, and fills in what it could read before the walk ended.
func (r *reader) inspect(data []byte) Message {
	w := &walker{r: r, data: data}
	var m Message
	if bad := invalidUTF8(data); bad >= 0 {
		m = Message{Reason: NotUTF8, Offset: bad}
		w.frame = append(w.frame, Defect{Kind: BadUTF8, Offset: bad})
	}
	if bytes.HasPrefix(data, utf8BOM) {
		if m.Reason == "" {
			m = Message{Reason: NotJSON, Offset: 0}
		}
		w.frame = append(w.frame, Defect{Kind: BOM, Offset: 0})
		w.base = len(utf8BOM)
	}
	if nul := bytes.IndexByte(data, 0); nul >= 0 {
		w.frame = append(w.frame, Defect{Kind: NUL, Offset: nul})
	}
	w.start = space(data, w.base)
	fault := w.run()
	if m.Reason == "" && fault >= 0 {
		m = Message{Reason: NotJSON, Offset: fault}
	}
	if m.Reason != "" {
		return w.unreadable(m)
	}
	return w.readable()
}

// walker walks over the tokens of one frame.
type walker struct {
	r     *reader
	data  []byte
	base  int // where JSON begins: after a BOM
	start int // of the top-level value
	end   int // of the top-level value, 0 while it is incomplete

	frame      []Defect   // defects of the frame as a whole
	envelopes  []envelope // of the top-level object, or of the members of a batch
	others     []int      // members of a batch that are no object: their index in envelopes
	beyond     int        // members of a batch beyond MaxMembers
	beyondAt   int
	duplicates int

	stack []level
}

// level is an open object or array.
type level struct {
	object bool
	names  map[string]struct{} // of an object, while duplicates are still counted
	start  int
}

// token is one token of the frame; kind is its first byte.
type token struct {
	kind       jsontext.Kind
	start, end int
}

// next reads one token. It returns an error at the end of the JSON text or where it is none.
func (w *walker) next() (token, error) {
	start := w.base + int(w.r.dec.InputOffset())
	tok, err := w.r.dec.ReadToken()
	if err != nil {
		return token{}, err
	}
	return token{tok.Kind(), w.skip(start), w.base + int(w.r.dec.InputOffset())}, nil
}

// run walks to the end of the frame and returns the offset of the byte where it is no JSON, -1 if
// it is.
func (w *walker) run() int {
	w.r.reset(w.data[w.base:], tolerant)
	var (
		name   token // of the member of an envelope whose value comes
		named  bool  // the next token is a value in an object
		batch  = w.start < len(w.data) && w.data[w.start] == '['
		home   = 1 // depth at which the members of envelopes stand
		inside *envelope
	)
	if batch {
		home = 2
	}
	for {
		if k := len(w.stack); k == maxDepth {
			if kind := w.r.dec.PeekKind(); kind == '{' || kind == '[' {
				at := w.fault()
				w.frame = append(w.frame, Defect{Kind: TooDeep, Offset: at})
				return at
			}
		}
		t, err := w.next()
		if err != nil {
			return w.faultOf(err)
		}
		depth := len(w.stack)
		isName := t.kind == '"' && depth > 0 && w.stack[depth-1].object && !named
		if t.kind == '"' {
			w.checkString(t, inside)
		}
		switch {
		case isName:
			w.checkName(t, inside, batch)
			named = true
			if depth == home {
				name = t
			}
			continue
		case t.kind == '{' || t.kind == '[':
			if depth == home-1 {
				inside = w.open(t)
			}
			w.stack = append(w.stack, level{object: t.kind == '{', start: t.start})
			named = false
			continue
		case t.kind == '}' || t.kind == ']':
			t.start = w.stack[depth-1].start
			w.stack = w.stack[:depth-1]
			depth--
		case depth == home-1 && batch:
			inside = w.open(t)
		}
		// A value is complete.
		named = false
		switch {
		case depth == 0:
			w.end = t.end
			if inside != nil && !batch {
				inside.raw = w.data[t.start:t.end:t.end]
			}
			return w.trailing()
		case depth == home-1:
			if inside != nil {
				inside.raw = w.data[t.start:t.end:t.end]
			}
			inside = nil
		case depth == home && inside != nil && w.stack[depth-1].object:
			inside.set(w.data[name.start:name.end], name.start, member{w.data[t.start:t.end:t.end], t.start})
		}
	}
}

// open begins the top-level object or a member of a batch.
func (w *walker) open(t token) *envelope {
	if len(w.stack) == 0 && t.kind != '{' {
		return nil
	}
	if len(w.envelopes) == MaxMembers {
		if w.beyond == 0 {
			w.beyondAt = t.start
		}
		w.beyond++
		return nil
	}
	if t.kind != '{' {
		w.others = append(w.others, len(w.envelopes))
	}
	w.envelopes = append(w.envelopes, envelope{offset: t.start})
	return &w.envelopes[len(w.envelopes)-1]
}

// trailing checks what follows the top-level value.
func (w *walker) trailing() int {
	rest := space(w.data, w.end)
	if rest == len(w.data) {
		if w.start > w.base {
			w.frame = append(w.frame, Defect{Kind: EdgeSpace, Offset: w.base})
		} else if w.end < len(w.data) {
			w.frame = append(w.frame, Defect{Kind: EdgeSpace, Offset: w.end})
		}
		return -1
	}
	w.frame = append(w.frame, Defect{Kind: TrailingBytes, Offset: rest})
	return rest
}

// fault returns the offset of the token that comes next.
func (w *walker) fault() int {
	return w.skip(w.base + int(w.r.dec.InputOffset()))
}

// skip returns the index of the first byte at or after i that begins a token.
func (w *walker) skip(i int) int {
	for i = space(w.data, i); i < len(w.data) && (w.data[i] == ',' || w.data[i] == ':'); {
		i = space(w.data, i+1)
	}
	return i
}

func (w *walker) faultOf(err error) int {
	var syntax *jsontext.SyntacticError
	if errors.As(err, &syntax) {
		return min(w.base+int(syntax.ByteOffset), len(w.data))
	}
	return len(w.data)
}

func (w *walker) add(inside *envelope, d Defect) {
	if inside != nil {
		inside.add(d)
	} else if len(w.frame) < maxDefects {
		w.frame = append(w.frame, d)
	}
}

func (w *walker) checkString(t token, inside *envelope) {
	if i := loneSurrogate(w.data[t.start:t.end]); i >= 0 {
		w.add(inside, Defect{Kind: LoneSurrogate, Offset: t.start + i})
	}
}

// checkName reports a key that its object had before.
func (w *walker) checkName(t token, inside *envelope, batch bool) {
	if w.duplicates == maxDuplicates {
		return
	}
	key := w.data[t.start:t.end]
	if bytes.IndexByte(key, '\\') >= 0 {
		key = appendUnescaped(nil, key)
	}
	top := &w.stack[len(w.stack)-1]
	if top.names == nil {
		top.names = make(map[string]struct{})
	}
	if _, again := top.names[string(key)]; !again {
		top.names[string(key)] = struct{}{}
		return
	}
	w.duplicates++
	path := w.r.dec.StackPointer().Parent()
	if batch && len(path) > 0 {
		// The path is inside the member of the batch.
		if i := bytes.IndexByte([]byte(path[1:]), '/'); i >= 0 {
			path = path[1+i:]
		} else {
			path = ""
		}
	}
	w.add(inside, Defect{Kind: DuplicateKey, Offset: t.start, Path: detail([]byte(path)), Detail: detail(key[1 : len(key)-1])})
}

// unreadable returns m, the reason why the frame is no message, with what could be read.
func (w *walker) unreadable(m Message) Message {
	if len(w.envelopes) == 1 && w.data[w.start] == '{' {
		e := &w.envelopes[0]
		read := w.r.fill(e)
		read.Reason, read.Offset = m.Reason, m.Offset
		m = read
	}
	m.Kind, m.Raw = Invalid, bytes.Trim(w.data, " \t\r\n")
	m.Defects = append(w.frame, m.Defects...)
	return m
}

// readable returns the message of a frame that is valid JSON.
func (w *walker) readable() Message {
	var m Message
	switch w.data[w.start] {
	case '{':
		m = w.r.classify(&w.envelopes[0])
	case '[':
		m.Raw = w.data[w.start:w.end:w.end]
		for i := range w.envelopes {
			e := &w.envelopes[i]
			if len(w.others) > 0 && w.others[0] == i {
				w.others = w.others[1:]
				m.Members = append(m.Members, Message{Reason: NotObject, Offset: e.offset, Raw: e.raw, Defects: e.defects})
				continue
			}
			m.Members = append(m.Members, w.r.classify(e))
		}
		m.finishBatch(w.start, w.beyond, w.beyondAt)
	default:
		m = Message{Reason: NotObject, Offset: w.start, Raw: w.data[w.start:w.end:w.end]}
	}
	m.Defects = append(w.frame, m.Defects...)
	return m
}

func validUTF8(data []byte) bool { return utf8.Valid(data) }

// invalidUTF8 returns the index of the first byte that is no UTF-8, or -1.
func invalidUTF8(data []byte) int {
	if utf8.Valid(data) {
		return -1
	}
	for i := 0; i < len(data); {
		r, n := utf8.DecodeRune(data[i:])
		if r == utf8.RuneError && n == 1 {
			return i
		}
		i += n
	}
	return -1
}
