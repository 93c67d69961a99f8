package jsontree

import (
	"bytes"
	"unicode/utf8"

	"github.com/tidwall/pretty"
)

const (
	// MaxPretty and MaxPrettyDepth bound what [Pretty] and [Color] take.
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

// Style says what stands before and after each token of coloured JSON.
type Style struct {
	Key, String, Number, Literal, Bracket, Escape [2]string

	// Clean, if set, is applied to each line before it is coloured. It must make text fit for a
	// terminal without adding quotes, backslashes or line ends.
	Clean func(string) string
}

// Color marks the tokens of JSON, of which it keeps the layout. What it does not take, as said at
// [Pretty], comes back without marks, its lines cleaned, and Color returns false.
func Color(raw []byte, style *Style) ([]byte, bool) {
	_, ok := guard(raw)
	if style.Clean != nil {
		raw = cleanLines(raw, style.Clean)
	}
	if !ok {
		return raw, false
	}
	return pretty.Color(raw, &pretty.Style{
		Key: style.Key, String: style.String, Number: style.Number,
		True: style.Literal, False: style.Literal, Null: style.Literal,
		Brackets: style.Bracket, Escape: style.Escape,
		Append: func(dst []byte, c byte) []byte { return append(dst, c) },
	}), true
}

// cleanLines applies clean to each line. A CR can only be part of a line end, or white space that
// would look like one: neither is for clean to show.
func cleanLines(raw []byte, clean func(string) string) []byte {
	out := make([]byte, 0, len(raw))
	for i, line := range bytes.Split(raw, []byte("\n")) {
		if i > 0 {
			out = append(out, '\n')
		}
		out = append(out, clean(string(bytes.TrimRight(line, "\r")))...)
	}
	return out
}

// guard reports whether raw is what tidwall/pretty can be trusted with.
func guard(raw []byte) (*Tree, bool) {
	if len(raw) > MaxPretty || !utf8.Valid(raw) {
		return nil, false
	}
	t, err := ParseLimits(raw, Limits{Depth: MaxPrettyDepth})
	return t, err == nil
}
