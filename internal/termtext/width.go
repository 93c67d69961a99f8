package termtext

import (
	"iter"
	"os"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/clipperhouse/displaywidth"
)

// Ellipsis marks where text was cut. It takes one cell (two in an East Asian terminal).
const Ellipsis = "…"

var ellipsisCells = cells.String(Ellipsis)

// cells are the same rules that the drawing library uses, its environment variable included.
var cells = displaywidth.Options{EastAsianWidth: eastAsian()}

func eastAsian() bool {
	on, err := strconv.ParseBool(os.Getenv("RUNEWIDTH_EASTASIAN"))
	return err == nil && on
}

// Width returns the number of cells that clean text takes.
func Width(s string) int {
	if printable(s) {
		return len(s)
	}
	return cells.String(s)
}

// Truncate cuts clean text to at most width cells, with an ellipsis in place of what is left out. It
// returns s itself when it fits, and looks no further into s than it has to.
func Truncate(s string, width int) string {
	if width <= 0 {
		return ""
	}
	keep, whole := prefix(s, width)
	if whole {
		return s
	}
	if width < ellipsisCells {
		return strings.Repeat(".", width)
	}
	keep, _ = prefix(s[:keep], width-ellipsisCells)
	return s[:keep] + Ellipsis
}

// prefix returns how many bytes of s fit into width cells, and whether that is all of s.
func prefix(s string, width int) (int, bool) {
	ascii := 0
	for ascii < len(s) && ascii <= width && ' ' <= s[ascii] && s[ascii] <= '~' {
		ascii++
	}
	if ascii == len(s) && ascii <= width {
		return len(s), true
	}
	if ascii > width {
		// The last character may carry a mark, which is not cut off its base.
		ascii = width
		if s[ascii] < utf8.RuneSelf {
			return ascii, false
		}
	}
	n := max(ascii-1, 0)
	used := n
	g := cells.StringGraphemes(s[n:])
	for g.Next() {
		if used += g.Width(); used > width {
			return n, false
		}
		n += len(g.Value())
	}
	return len(s), true
}

// PadRight appends spaces to clean text up to width cells.
func PadRight(s string, width int) string {
	if n := width - Width(s); n > 0 {
		return s + strings.Repeat(" ", n)
	}
	return s
}

// PadLeft puts spaces before clean text up to width cells.
func PadLeft(s string, width int) string {
	if n := width - Width(s); n > 0 {
		return strings.Repeat(" ", n) + s
	}
	return s
}

// Fit makes clean text exactly width cells wide: cut, or padded on the right.
func Fit(s string, width int) string { return PadRight(Truncate(s, width), width) }

// Line cleans s and cuts it to at most width cells. It reads no more of s than can be shown, so s may
// be of any length.
func Line(s string, width int) string {
	if width <= 0 {
		return ""
	}
	// After Clean a cell has come from at most one character with maxExtend marks, of up to four
	// bytes each, unless marks beyond that were dropped: then the ellipsis is ours to add.
	most := (width + 1) * (maxExtend + 1) * utf8.UTFMax
	if len(s) <= most {
		return Truncate(Clean(s), width)
	}
	for back := 0; back < utf8.UTFMax && !utf8.RuneStart(s[most]); back++ {
		most--
	}
	return Truncate(Clean(s[:most])+Ellipsis, width)
}

// WrapWords yields the rows of at most width cells into which clean text breaks at blanks, which end with the row; a word
// wider than that is broken as [Wrap] does. Empty text is one empty row.
func WrapWords(s string, width int) iter.Seq[string] {
	return func(yield func(string) bool) {
		row, used := "", 0
		for i, word := range strings.Split(s, " ") {
			w := Width(word)
			if i > 0 && used+1+w <= width {
				row, used = row+" "+word, used+1+w
				continue
			}
			if i > 0 && !yield(row) {
				return
			}
			parts := slices.Collect(Wrap(word, width))
			row = parts[len(parts)-1]
			used = Width(row)
			for _, part := range parts[:len(parts)-1] {
				if !yield(part) {
					return
				}
			}
		}
		yield(row)
	}
}

// Wrap yields the rows of width cells that clean text fills, broken between grapheme clusters only; a
// cluster wider than width has a row of its own. Empty text is one empty row.
func Wrap(s string, width int) iter.Seq[string] {
	return func(yield func(string) bool) {
		width := max(width, 1)
		for {
			n, whole := prefix(s, width)
			if whole {
				yield(s)
				return
			}
			if n == 0 {
				g := cells.StringGraphemes(s)
				g.Next()
				n = len(g.Value())
			}
			if !yield(s[:n]) {
				return
			}
			if s = s[n:]; s == "" {
				return
			}
		}
	}
}
