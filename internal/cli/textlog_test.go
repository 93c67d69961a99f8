package cli

import (
	"bufio"
	"strings"
	"testing"
)

// TestLinesFitTerminal: no line is broken by the terminal, in the middle of a word.
func TestLinesFitTerminal(t *testing.T) {
	for _, test := range []struct {
		name  string
		width int
		write func(*textLog)
		want  string
	}{
		{"no terminal", 0, func(p *textLog) { p.line(noRole, "a line of any length") }, "a line of any length\n"},
		{"fits to the cell", 10, func(p *textLog) { p.line(noRole, "just ten.!") }, "just ten.!\n"},
		{"from the margin", 16, func(p *textLog) { p.line(noRole, "one two three four five") }, "one two three\n    four five\n"},
		{"behind a cell", 20, func(p *textLog) { p.cell(muted, "fact", 6); p.line(noRole, "one two three four") }, "fact   one two three\n       four\n"},
		{"behind a wide cell", 20, func(p *textLog) { p.cell(muted, "capability", 13); p.line(noRole, "one two three four") }, "capability    one\n    two three four\n"},
		{"behind columns, where there is room", 80, func(p *textLog) {
			p.cell(muted, "fact", 43)
			p.line(noRole, "a text that has thirty-six cells to go on")
		}, "fact" + strings.Repeat(" ", 40) + "a text that has thirty-six cells to\n" + strings.Repeat(" ", 44) + "go on\n"},
		{"behind columns, where there is none", 72, func(p *textLog) {
			p.cell(muted, "fact", 43)
			p.line(noRole, "a text that has thirty-six cells to go on")
		}, "fact" + strings.Repeat(" ", 40) + "a text that has thirty-six\n    cells to go on\n"},
		{"columns inside of a text", 12, func(p *textLog) { p.line(noRole, "a  b      c d") }, "a  b      c\n    d\n"},
		{"indented", 20, func(p *textLog) { p.line(noRole, "  one two three four five") }, "  one two three four\n      five\n"},
		{"a word that fits nowhere", 12, func(p *textLog) { p.line(noRole, "see /a/very/long/path it is") }, "see /a/very/long/path\n    it is\n"},
		{"the next line begins anew", 12, func(p *textLog) { p.line(noRole, "one two three"); p.line(noRole, "four") }, "one two\n    three\nfour\n"},
		{"wide characters", 12, func(p *textLog) { p.line(noRole, "日本語 日本語") }, "日本語\n    日本語\n"},
		{"colour row by row", 12, func(p *textLog) { p.color = true; p.line(bad, "one two three") }, "\x1b[1;31mone two\x1b[0m\n    \x1b[1;31mthree\x1b[0m\n"},
	} {
		var b strings.Builder
		w := bufio.NewWriter(&b)
		test.write(newTextLog(w, look{width: test.width}))
		w.Flush()
		if b.String() != test.want {
			t.Errorf("%s:\n%q, want\n%q", test.name, b.String(), test.want)
		}
	}
}

func TestColumnsThatFit(t *testing.T) {
	keptOf := func(width int) string {
		var kept strings.Builder
		for i, keep := range newTextLog(nil, look{width: width}).fitting([]int{10, 5, 5}, 1, 1, 2) {
			if keep {
				kept.WriteByte("abc"[i])
			}
		}
		return kept.String()
	}
	for width, want := range map[int]string{0: "abc", 22: "abc", 21: "ac", 16: "ac", 15: "a", 3: "a"} {
		if got := keptOf(width); got != want {
			t.Errorf("in %d cells: %s, want %s", width, got, want)
		}
	}
}
