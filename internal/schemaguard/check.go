package schemaguard

import (
	"errors"
	"fmt"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// Problem is one place where an instance breaks its schema.
type Problem struct {
	Pointer string // JSON pointer into the instance (RFC 6901), "" for all of it
	Keyword string // of the schema
	Value   string // raw JSON at the pointer, cut to 80 bytes with "…"; "" when it is missing
	Message string // in words, to be read after the pointer: `must be integer, is string "5"`
}

// Verdict is the outcome of a check. Problems and NotChecked exclude each other; with neither, the
// instance is valid.
type Verdict struct {
	Problems   []Problem // by pointer, items in numerical order, at most [MaxProblems]
	NotChecked *NotChecked
	Work       int64 // bound on the steps it took: callers that check a lot add it up
}

// Valid tells whether the instance was checked and is valid.
func (v Verdict) Valid() bool { return v.NotChecked == nil && len(v.Problems) == 0 }

// Check validates one JSON value. instance is only borrowed.
func (s *Schema) Check(instance []byte) Verdict {
	if ok, steps := s.plain.accepts(instance); ok {
		return Verdict{Work: steps}
	}
	value, m, refused := decode(instance, MaxInstance)
	if refused != nil {
		return Verdict{NotChecked: refused, Work: m.nodes}
	}
	work := s.weights.bound(s.root, value, m)
	if work > MaxWork {
		return Verdict{NotChecked: &NotChecked{TooCostly, ""}, Work: m.nodes}
	}
	v := Verdict{Work: work}
	v.Problems, v.NotChecked = s.validate(value)
	return v
}

func (s *Schema) validate(value any) (problems []Problem, refused *NotChecked) {
	defer func() {
		if r := recover(); r != nil {
			problems, refused = nil, &NotChecked{Internal, shorten(fmt.Sprint(r))}
		}
	}()
	err := s.root.Validate(value)
	if err == nil {
		return nil, nil
	}
	var v *jsonschema.ValidationError
	if !errors.As(err, &v) {
		return nil, &NotChecked{Internal, shorten(err.Error())}
	}
	return problemsOf(v, value), nil
}
