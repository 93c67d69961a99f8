package schemaguard

import (
	"bytes"
	"errors"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// kind is what sort of JSON value something is; several together are what a schema takes.
type kind uint8

// In the order in which they are listed for people.
const (
	nullKind kind = 1 << iota
	booleanKind
	numberKind
	integerKind // asked for by schemas; a value is a number
	stringKind
	arrayKind
	objectKind
)

var kindNames = [...]string{"null", "boolean", "number", "integer", "string", "array", "object"}

// kindOf returns 0 for a name that is none.
func kindOf(name string) kind {
	for i, n := range kindNames {
		if n == name {
			return 1 << i
		}
	}
	return 0
}

func (k kind) names() []string {
	var names []string
	for i, n := range kindNames {
		if k&(1<<i) != 0 {
			names = append(names, n)
		}
	}
	return names
}

// value is a decoded JSON value. Numbers keep their text, members their order; of members with one name
// the last counts.
type value struct {
	kind    kind
	truth   bool
	literal bool      // text is the literal of a string
	text    string    // of a number as it is written; of a string see content
	sub     *children // of arrays and objects, never nil there
}

// content is the text of a string. Escapes of a long one are resolved only here: few schemas want to know.
func (v *value) content() string {
	if !v.literal {
		return v.text
	}
	return unquoted([]byte(v.text))
}

func unquoted(literal []byte) string {
	text, _ := jsontext.AppendUnquote(nil, literal) // the error says that something was replaced
	return string(text)
}

type children struct {
	values []value
	names  []string       // of members
	index  map[string]int // nil while there are few
}

// fewMembers are faster compared than looked up.
const fewMembers = 8

func (s *children) find(name string) int {
	if s.index != nil {
		if i, ok := s.index[name]; ok {
			return i
		}
		return -1
	}
	for i, n := range s.names {
		if n == name {
			return i
		}
	}
	return -1
}

// member returns nil where v is no object or has no such member.
func (v *value) member(name string) *value {
	if v == nil || v.kind != objectKind {
		return nil
	}
	if i := v.sub.find(name); i >= 0 {
		return &v.sub.values[i]
	}
	return nil
}

// str returns the text of a string member.
func (v *value) str(name string) (string, bool) {
	if m := v.member(name); m != nil && m.kind == stringKind {
		return m.content(), true
	}
	return "", false
}

// items returns the items of an array, nil for anything else.
func (v *value) items() []value {
	if v == nil || v.kind != arrayKind {
		return nil
	}
	return v.sub.values
}

// members calls visit with the members of an object; there are none of anything else.
func (v *value) members(visit func(name string, member *value)) {
	if v == nil || v.kind != objectKind {
		return
	}
	for i, name := range v.sub.names {
		visit(name, &v.sub.values[i])
	}
}

// each calls visit with all members or items, and the last token of their JSON pointers.
func (v *value) each(visit func(token string, sub *value)) {
	if v.sub == nil {
		return
	}
	for i := range v.sub.values {
		if v.kind == arrayKind {
			visit(strconv.Itoa(i), &v.sub.values[i])
		} else {
			visit(v.sub.names[i], &v.sub.values[i])
		}
	}
}

// at follows a path of member names and indexes.
func (v *value) at(token string) *value {
	if v.kind == arrayKind {
		if i, err := strconv.Atoi(token); err == nil && i >= 0 && i < len(v.sub.values) {
			return &v.sub.values[i]
		}
		return nil
	}
	return v.member(token)
}

// measure is what a decoded JSON value amounts to.
type measure struct {
	nodes    int64 // values and member names
	objects  int   // and booleans: what may be a subschema
	pointers int64 // bytes of the JSON pointers of all values
}

// decode reads one JSON value. raw is only borrowed.
func decode(raw []byte, limit int) (*value, measure, *NotChecked) {
	if len(raw) > limit {
		return nil, measure{}, &NotChecked{TooLarge, counted(len(raw), "bytes")}
	}
	r := readers.Get().(*reader)
	defer r.release()
	r.text = string(raw)
	r.input = *bytes.NewBuffer(raw)
	r.d.Reset(&r.input, lenient...)
	v, err := r.read(0, 0)
	if err == nil {
		if _, err = r.d.ReadToken(); err == io.EOF {
			err = nil
		} else if err == nil {
			err = errors.New("a second value")
		}
	}
	switch {
	case err != nil:
		return nil, r.measure, &NotChecked{NotJSON, ""}
	case r.refused != nil:
		return nil, r.measure, r.refused
	}
	return &v, r.measure, nil
}

// reader decodes a value. It is used again for the next one.
type reader struct {
	measure
	refused *NotChecked
	d       *jsontext.Decoder
	input   bytes.Buffer
	text    string

	// What was read of the arrays and objects that are open, the innermost last.
	values []value
	names  []string
}

var (
	readers = sync.Pool{New: func() any { return &reader{d: jsontext.NewDecoder(new(bytes.Buffer))} }}
	lenient = []jsontext.Options{jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true)}
)

// release forgets what was read: it belongs to callers.
func (r *reader) release() {
	*r = reader{d: r.d, values: forget(r.values), names: forget(r.names)}
	r.d.Reset(&r.input)
	readers.Put(r)
}

func forget[T any](scratch []T) []T {
	const most = 1024
	if cap(scratch) > most {
		return nil
	}
	clear(scratch[:cap(scratch)])
	return scratch[:0]
}

func (r *reader) read(depth int, pointer int64) (v value, err error) {
	r.nodes++
	r.pointers += pointer
	if depth > MaxDepth {
		r.refuse(TooDeep, "more than "+counted(MaxDepth, "levels"))
		return v, r.d.SkipValue() // what follows may still be no JSON
	}
	switch k := r.d.PeekKind(); k {
	case '"':
		v.kind = stringKind
		v.text, v.literal, err = r.string(longString)
		return v, err
	case '0':
		raw, err := r.d.ReadValue()
		v.kind, v.text = numberKind, r.origin(raw)
		if err == nil && !sane(v.text) {
			r.refuse(BadNumber, shorten(v.text))
		}
		return v, err
	case 'n':
		v.kind = nullKind
	case 't', 'f':
		v.kind, v.truth = booleanKind, k == 't'
		r.objects++
	case '[':
		v.kind = arrayKind
		v.sub, err = r.array(depth+1, pointer)
		return v, err
	case '{':
		v.kind = objectKind
		r.objects++
		v.sub, err = r.object(depth+1, pointer)
		return v, err
	}
	_, err = r.d.ReadToken()
	return v, err
}

// longString is from how many bytes on the literal of a string is kept instead of its text.
const longString = 256

// string reads a string or a member name. Where a literal of so many bytes is not its text, it is returned as it is.
func (r *reader) string(long int) (text string, literal bool, err error) {
	raw, err := r.d.ReadValue()
	if err != nil {
		return "", false, err
	}
	if bytes.IndexByte(raw, '\\') < 0 && utf8.Valid(raw) {
		text := r.origin(raw)
		return text[1 : len(text)-1], false, nil
	}
	if len(raw) >= long {
		return r.origin(raw), true, nil
	}
	return unquoted(raw), false, nil
}

// origin is the text of what was just read: all share one copy of the input.
func (r *reader) origin(raw []byte) string {
	end := int(r.d.InputOffset())
	return r.text[end-len(raw) : end]
}

func (r *reader) array(depth int, pointer int64) (*children, error) {
	if _, err := r.d.ReadToken(); err != nil {
		return nil, err
	}
	start := len(r.values)
	for r.d.PeekKind() != ']' {
		item, err := r.read(depth, pointer+6)
		if err != nil {
			return nil, err
		}
		r.values = append(r.values, item)
	}
	done := &children{values: slices.Clone(r.values[start:])}
	r.values = r.values[:start]
	_, err := r.d.ReadToken()
	return done, err
}

func (r *reader) object(depth int, pointer int64) (*children, error) {
	if _, err := r.d.ReadToken(); err != nil {
		return nil, err
	}
	start, startNames := len(r.values), len(r.names)
	open := children{}
	for r.d.PeekKind() != '}' {
		name, _, err := r.string(math.MaxInt)
		if err != nil {
			return nil, err
		}
		r.nodes++
		member, err := r.read(depth, pointer+1+int64(len(name)))
		if err != nil {
			return nil, err
		}
		open.names = r.names[startNames:]
		if i := open.find(name); i >= 0 {
			r.values[start+i] = member // of one name the last counts
			continue
		}
		r.names = append(r.names, name)
		r.values = append(r.values, member)
		switch n := len(r.names) - startNames; {
		case open.index != nil:
			open.index[name] = n - 1
		case n > fewMembers:
			open.index = make(map[string]int, 2*n)
			for i, known := range r.names[startNames:] {
				open.index[known] = i
			}
		}
	}
	done := &children{slices.Clone(r.values[start:]), slices.Clone(r.names[startNames:]), open.index}
	r.values, r.names = r.values[:start], r.names[:startNames]
	_, err := r.d.ReadToken()
	return done, err
}

// refuse keeps the first reason.
func (r *reader) refuse(why Reason, detail string) {
	if r.refused == nil {
		r.refused = &NotChecked{why, detail}
	}
}

// sane tells whether exact arithmetic with a number is cheap: 1e999999999 alone takes gigabytes.
func sane(number string) bool {
	if len(number) > maxNumber {
		return false
	}
	i := strings.IndexAny(number, "eE")
	if i < 0 {
		return true
	}
	exponent := strings.TrimLeft(number[i+1:], "+-0")
	n := 0
	for _, c := range []byte(exponent) {
		if n = n*10 + int(c-'0'); n > maxNumber {
			return false
		}
	}
	return true
}
