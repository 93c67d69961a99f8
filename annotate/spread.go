package annotate

import (
	"bytes"

	"github.com/shakescope/shakescope/jsonrpc"
)

// spread collects lines that fail alone but may be one JSON value written over several of them.
type spread struct {
	text  []byte
	lines []Ref
	depth int
	whole *jsonrpc.Message // once the lines together are a message
}

// maxSpread bounds the lines and bytes that are tried together.
const maxSpread = 1 << 20

// line takes in a line that is no message, and reports whether a value seems to begin with it.
func (s *spread) line(e *Entry) (begins bool) {
	s.whole = nil
	line := bytes.TrimSpace(e.Raw)
	if e.Sub != NoSub || len(line) == 0 {
		return false
	}
	if len(s.lines) == 0 || s.depth <= 0 {
		*s = spread{}
		if line[0] != '{' && line[0] != '[' || e.Reason != jsonrpc.NotJSON {
			return false
		}
		begins = true
	}
	s.depth += nesting(line)
	s.lines = append(s.lines, e.Ref)
	s.text = append(append(s.text, e.Raw...), '\n')
	switch {
	case begins && s.depth <= 0:
		*s = spread{}
		return false
	case len(s.text) > maxSpread:
		*s = spread{}
	case s.depth <= 0:
		if m := jsonrpc.Decode(s.text); m.Kind != jsonrpc.Invalid && m.Kind != jsonrpc.Blank {
			s.whole = &m
		}
	}
	return begins
}

// together takes in a message that was written over several lines: it is none on the wire, but hints at
// what the lines were meant for, and a tolerant peer acts upon it.
func (s *Session) together(d *spread, from end, e *Entry) {
	m, first := d.whole, d.lines[0]
	switch m.Kind {
	case jsonrpc.Request:
		x := &exchange{mark: mark{first, s.last.T}, from: from, id: m.ID, method: m.Method, unsound: true}
		s.proc.ends[from].unsoundly(x)
		s.proc.tryInitialize(x, m)
	case jsonrpc.Response, jsonrpc.Error:
		if x := s.proc.ends[from.other()].byKey[m.ID.Key()].oldest; x != nil && m.ID.Key() != "" && x.probable.IsZero() {
			x.probable, x.hint = first, "its answer ("+first.String()+") is spread over several lines"
			s.patch(Patch{At: x.At, Probable: first})
			s.patch(Patch{At: first, Probable: x.At})
		}
		s.openedAnyway(e, m, from)
	}
}

// nesting counts the brackets that a line leaves open; nobody breaks a line inside a string.
func nesting(line []byte) int {
	depth := 0
	for i := 0; i < len(line); {
		switch line[i] {
		case '"':
			i = min(jsonrpc.SkipString(line, i), len(line))
			continue
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		}
		i++
	}
	return depth
}
