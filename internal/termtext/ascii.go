package termtext

import "strings"

// asciiForms are stand-ins, of the same width, for characters that this program draws itself or that
// are common in English text.
var asciiForms = map[string]string{
	"…": "~", "–": "-", "—": "-", "‘": "'", "’": "'", "“": `"`, "”": `"`, "•": "*", "·": ".", "×": "x", "µ": "u",
	"→": ">", "←": "<", "↑": "^", "↓": "v", "⇄": "=", "↵": "$", "✓": "+", "✗": "x", "✘": "x", "⚠": "!", "ℹ": "i", "⟂": "#",
	"●": "*", "○": "o", "◌": "o", "▸": ">", "▾": "v", "≈": "~", "≤": "<", "≥": ">",
	"─": "-", "━": "-", "┄": "-", "│": "|", "┃": "|", "┊": "|", "┌": "+", "┐": "+", "└": "+", "┘": "+", "├": "+", "┤": "+", "┬": "+", "┴": "+", "┼": "+",
	"╭": "+", "╮": "+", "╯": "+", "╰": "+", "░": ".", "▒": ":", "▓": "=", "█": "#", "\u00a0": " ", "␡": "^",
}

// ASCII returns clean text in printable ASCII only, for terminals that cannot show more. It keeps
// the width: a character without a stand-in becomes one question mark a cell.
func ASCII(s string) string {
	if printable(s) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	g := cells.StringGraphemes(s)
	for g.Next() {
		switch v := g.Value(); {
		case printable(v):
			b.WriteString(v)
		case asciiForms[v] != "":
			b.WriteString(asciiForms[v])
			b.WriteString(strings.Repeat(" ", max(0, g.Width()-1)))
		case "␀" <= v && v <= "␟":
			b.WriteByte('^')
		case v[0] < 0x80 && g.Width() == 1:
			b.WriteByte(v[0]) // a letter with a combining mark
		default:
			b.WriteString(strings.Repeat("?", g.Width()))
		}
	}
	return b.String()
}
