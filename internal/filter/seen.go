package filter

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/shakescope/shakescope/annotate"
	"github.com/shakescope/shakescope/jsonrpc"
)

// Seen counts the values that a field had in entries, or the keys that stood at a path, for [Complete]. Make one
// with [NewSeen].
type Seen struct {
	field  Field
	path   string // ends in a dot; "" for a field
	row    entryRow
	counts map[string]int
}

// NewSeen counts what Complete asks for by name. The values of fields that are numbers or times are not counted:
// they are seldom typed again.
func NewSeen(name string) *Seen {
	s := &Seen{counts: map[string]int{}}
	if strings.HasSuffix(name, ".") {
		s.path = name
		return s
	}
	for i := range infos {
		if infos[i].Name == name {
			s.field = infos[i].Field
		}
	}
	return s
}

// Add takes in one entry, of which nothing is kept.
func (s *Seen) Add(e *annotate.Entry) {
	if s.path != "" {
		if e.Message != nil {
			Keys(e.Raw, s.path, func(key string) { s.counts[key]++ })
		}
		return
	}
	switch s.field {
	case NoField:
	case Tool, Prompt, Resource:
		if e.Target != "" && e.Group == map[Field]string{Tool: "tools", Prompt: "prompts", Resource: "resources"}[s.field] {
			s.counts[e.Target]++
		}
	case ErrorCode:
		if e.Err != nil {
			s.counts[strconv.FormatInt(e.Err.Code, 10)]++
		}
	case Finding, FindingRule, FindingLevel, FindingBy:
		for i := range e.Findings {
			f := &e.Findings[i]
			switch s.field {
			case FindingLevel:
				s.counts[string(f.Level)]++
			case FindingBy:
				s.counts[f.By]++
			default:
				s.counts[f.Rule]++
			}
		}
	case Capability, CapabilityPath:
		for _, c := range e.Capability {
			s.counts[c.Path]++
		}
	case ID, Token: // of one message each
	default:
		s.row.set(e)
		if v := s.row.Text(s.field); v != "" {
			s.counts[v]++
		}
	}
}

// Values are what was counted, in no order.
func (s *Seen) Values() []Value {
	out := make([]Value, 0, len(s.counts))
	for text, n := range s.counts {
		if text != "" {
			out = append(out, Value{Text: text, Count: n})
		}
	}
	return out
}

// Keys calls each for every key of the object in a message to which a path leads that ends in a dot, such as
// "params.arguments.". Where there is no object it does nothing.
func Keys(message []byte, path string, each func(key string)) {
	raw, ok := jsonrpc.Lookup(message, strings.Split(strings.TrimSuffix(path, "."), ".")...)
	if !ok {
		return
	}
	dec := jsontext.NewDecoder(bytes.NewReader(raw), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	if tok, err := dec.ReadToken(); err != nil || tok.Kind() != '{' {
		return
	}
	for dec.PeekKind() != '}' {
		tok, err := dec.ReadToken()
		if err != nil {
			return
		}
		each(tok.String())
		if dec.SkipValue() != nil {
			return
		}
	}
}
