package jsontree

import (
	"bytes"
	"unicode/utf8"

	"github.com/tidwall/pretty"
)

const (
	// MaxPretty and MaxPrettyDepth bound the bytes and the depth of what [Pretty] takes.
	MaxPretty      = 1 << 20
	MaxPrettyDepth = 500

	// maxPrettyWork bounds the bytes that laying out may produce, tries included.
	maxPrettyWork = 16 << 20
)

// Pretty lays JSON out over lines, indented by two spaces; arrays and objects that fit into width
// columns stay on one line (0: none do). Numbers, keys and strings stay as they are spelled. The
// result does not end in a line end.
//
// Text that is not exactly one JSON value in valid UTF-8, is larger than [MaxPretty] or nested deeper
// than [MaxPrettyDepth], or that would grow beyond reason, comes back as it is, and Pretty returns false.
func Pretty(raw []byte, width int) ([]byte, bool) {
	t, ok := guard(raw)
	if !ok {
		return raw, false
	}
	// An array or object is first tried on one line, whole, at each depth.
	indented, tried := 0, 0
	for i := range t.nodes {
		e := &t.nodes[i]
		indented += 2*int(e.depth) + 4
		if e.children > 0 {
			indented += 2*int(e.depth) + 4
			tried += int(e.end - e.start)
		}
	}
	if indented+len(raw) > maxPrettyWork {
		return raw, false
	}
	if tried > maxPrettyWork {
		width = 0
	}
	return bytes.TrimRight(pretty.PrettyOptions(raw, &pretty.Options{Width: max(width, 0), Indent: "  "}), "\n"), true
}

// guard reports whether raw is what tidwall/pretty can be trusted with.
func guard(raw []byte) (*Tree, bool) {
	if len(raw) > MaxPretty || !utf8.Valid(raw) {
		return nil, false
	}
	t, err := ParseLimits(raw, Limits{Depth: MaxPrettyDepth})
	return t, err == nil
}
