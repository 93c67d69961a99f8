package schemaguard

import (
	"bytes"
	"encoding/json"
	"io"
	"strconv"
	"sync"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// plain is a schema, or part of one, that asks only for what can be decided on raw JSON: types, members,
// lists of values, simple bounds. That is what most tools list and most calls fit, and it saves decoding
// the instance. It never says no: what it does not accept is for the full validator to judge.
type plain struct {
	unsure   bool // the schema asks for more
	types    plainType
	members  map[string]plainMember // by name as it stands in JSON, with quotes
	required int
	closed   bool // no other members
	items    *plain
	enum     map[string]bool // as they stand in JSON
	low      *float64
	high     *float64
	least    int // characters, items
	most     int // -1: any number
}

type plainMember struct {
	schema   *plain
	required bool
}

type plainType uint8

const (
	plainString plainType = 1 << iota
	plainInteger
	plainNumber
	plainBoolean
	plainObject
	plainArray
	plainNull
	plainAny = 1<<iota - 1
)

var plainTypes = map[string]plainType{
	"string": plainString, "integer": plainInteger, "number": plainNumber, "boolean": plainBoolean,
	"object": plainObject, "array": plainArray, "null": plainNull,
}

// plainOf reads a decoded schema. asserts says that the dialect takes formats seriously.
func plainOf(doc any, asserts bool) *plain {
	p := &plain{types: plainAny, most: -1}
	s, ok := doc.(map[string]any)
	if !ok {
		p.unsure = doc != true
		return p
	}
	for keyword, value := range s {
		p.unsure = p.unsure || !p.take(keyword, value, asserts)
	}
	// A bound on characters says nothing of items, and the other way round.
	characters, items := s["minLength"] != nil || s["maxLength"] != nil, s["minItems"] != nil || s["maxItems"] != nil
	p.unsure = p.unsure || characters && p.types != plainString || items && p.types != plainArray
	if required, ok := s["required"].([]any); ok {
		for _, name := range required {
			n, _ := name.(string)
			m, known := p.members[strconv.Quote(n)]
			if !known || !simpleName(n) || m.required {
				p.unsure = true
				break
			}
			m.required = true
			p.members[strconv.Quote(n)] = m
			p.required++
		}
	}
	return p
}

// simpleName tells whether a name stands in JSON in one spelling only, that of Go, unless it is escaped.
func simpleName(name string) bool {
	for i := range len(name) {
		if c := name[i]; c < ' ' || c > '~' || c == '"' || c == '\\' {
			return false
		}
	}
	return true
}

// take reads one keyword. The result is false for one that is not plain.
func (p *plain) take(keyword string, value any, asserts bool) bool {
	switch keyword {
	case "title", "description", "default", "examples", "$comment", "$defs", "definitions", "deprecated", "readOnly", "writeOnly", "required":
		return true
	case "format":
		return !asserts
	case "type":
		return p.takeType(value)
	case "properties":
		members, ok := value.(map[string]any)
		p.members = make(map[string]plainMember, len(members))
		for name, schema := range members {
			ok = ok && simpleName(name)
			p.members[strconv.Quote(name)] = plainMember{schema: plainOf(schema, asserts)}
		}
		return ok
	case "additionalProperties":
		p.closed = value == false
		return value == false || value == true
	case "items":
		p.items = plainOf(value, asserts)
		return true
	case "enum":
		return p.takeEnum(value)
	case "minimum", "maximum":
		n, ok := value.(json.Number)
		f, err := strconv.ParseFloat(string(n), 64)
		if keyword == "minimum" {
			p.low = &f
		} else {
			p.high = &f
		}
		return ok && err == nil && len(n) <= 15
	case "minLength", "minItems":
		return p.takeCount(&p.least, value)
	case "maxLength", "maxItems":
		return p.takeCount(&p.most, value)
	}
	return false
}

func (p *plain) takeType(value any) bool {
	list, ok := value.([]any)
	if !ok {
		list = []any{value}
	}
	p.types = 0
	for _, one := range list {
		name, _ := one.(string)
		p.types |= plainTypes[name]
	}
	return p.types != 0
}

func (p *plain) takeEnum(value any) bool {
	list, ok := value.([]any)
	p.enum = make(map[string]bool, len(list))
	for _, one := range list {
		s, isText := one.(string)
		ok = ok && isText && simpleName(s)
		p.enum[strconv.Quote(s)] = true
	}
	return ok
}

// takeCount reads a bound on characters or items.
func (p *plain) takeCount(into *int, value any) bool {
	n, _ := value.(json.Number)
	i, err := strconv.Atoi(string(n))
	*into = i
	return err == nil && i >= 0
}

var plainDecoders = sync.Pool{New: func() any { return jsontext.NewDecoder(new(bytes.Buffer)) }}

// accepts tells whether an instance certainly fits, and how many steps that took.
func (p *plain) accepts(instance []byte) (ok bool, steps int64) {
	if p == nil || len(instance) > MaxInstance {
		return false, 0
	}
	d := plainDecoders.Get().(*jsontext.Decoder)
	defer plainDecoders.Put(d)
	d.Reset(bytes.NewBuffer(instance))
	r := plainReader{d: d}
	ok = r.value(p, 0)
	if ok {
		_, err := d.ReadToken() // nothing follows
		ok = err == io.EOF
	}
	d.Reset(new(bytes.Buffer)) // instance is the caller's
	return ok, r.steps
}

type plainReader struct {
	d     *jsontext.Decoder
	steps int64
}

func (r *plainReader) value(p *plain, depth int) bool {
	r.steps++
	if p.unsure || depth > MaxDepth {
		return false
	}
	switch r.d.PeekKind() {
	case '{':
		return p.types&plainObject != 0 && p.enum == nil && r.object(p, depth)
	case '[':
		return p.types&plainArray != 0 && p.enum == nil && r.array(p, depth)
	case '"':
		raw, err := r.d.ReadValue()
		return err == nil && p.types&plainString != 0 && p.text(raw)
	case '0':
		raw, err := r.d.ReadValue()
		return err == nil && p.number(raw)
	case 't', 'f':
		_, err := r.d.ReadToken()
		return err == nil && p.types&plainBoolean != 0 && p.enum == nil
	case 'n':
		_, err := r.d.ReadToken()
		return err == nil && p.types&plainNull != 0 && p.enum == nil
	}
	return false
}

func (r *plainReader) object(p *plain, depth int) bool {
	if _, err := r.d.ReadToken(); err != nil {
		return false
	}
	found := 0
	for r.d.PeekKind() == '"' {
		raw, err := r.d.ReadValue()
		if err != nil || bytes.IndexByte(raw, '\\') >= 0 {
			return false
		}
		m, known := p.members[string(raw)]
		switch {
		case known && m.required:
			found++
		case !known && p.closed:
			return false
		case !known:
			m.schema = &anything
		}
		if !r.value(m.schema, depth+1) {
			return false
		}
	}
	_, err := r.d.ReadToken()
	return err == nil && found == p.required
}

// anything is the schema of members that are not named.
var anything = plain{types: plainAny, most: -1}

func (r *plainReader) array(p *plain, depth int) bool {
	if _, err := r.d.ReadToken(); err != nil {
		return false
	}
	items := p.items
	if items == nil {
		items = &anything
	}
	n := 0
	for k := r.d.PeekKind(); k != ']' && k != 0; k = r.d.PeekKind() {
		if !r.value(items, depth+1) {
			return false
		}
		n++
	}
	_, err := r.d.ReadToken()
	return err == nil && n >= p.least && (p.most < 0 || n <= p.most)
}

func (p *plain) text(raw []byte) bool {
	if p.enum != nil {
		return p.enum[string(raw)]
	}
	if p.types == plainString && (p.least > 0 || p.most >= 0) {
		if bytes.IndexByte(raw, '\\') >= 0 {
			return false
		}
		n := utf8.RuneCount(raw) - 2
		return n >= p.least && (p.most < 0 || n <= p.most)
	}
	return true
}

// number takes numbers of few digits only: there everything is exact.
func (p *plain) number(raw []byte) bool {
	if len(raw) > 15 || p.enum != nil || p.types&(plainInteger|plainNumber) == 0 {
		return false
	}
	if p.types&plainNumber == 0 && bytes.ContainsAny(raw, ".eE") {
		return false
	}
	if p.low == nil && p.high == nil {
		return true
	}
	f, err := strconv.ParseFloat(string(raw), 64)
	return err == nil && (p.low == nil || f >= *p.low) && (p.high == nil || f <= *p.high)
}
