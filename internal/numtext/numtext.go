// Package numtext writes counts as people read them, the same way on the command line, in the terminal
// interface and in what a recording's proof says.
//
//	Grouped   1,204
//	Plural    1 tool, 2 tools, 1,204 entries
//
// What machines read has plain numbers, and is written elsewhere.
package numtext

import (
	"strconv"
	"strings"
)

// Grouped writes n with a comma between thousands.
func Grouped[N ~int | ~int64](n N) string {
	s := strconv.FormatInt(int64(n), 10)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// Plural writes n with its noun: "1 tool", "2 tools". It forms the plurals of nouns such as entry and match, no
// irregular ones.
func Plural[N ~int | ~int64](n N, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return Grouped(n) + " " + plural(noun)
}

func plural(noun string) string {
	if strings.HasSuffix(noun, "ch") || strings.HasSuffix(noun, "s") {
		return noun + "es"
	}
	if stem, ok := strings.CutSuffix(noun, "y"); ok && !strings.ContainsAny(stem[max(len(stem)-1, 0):], "aeiou") {
		return stem + "ies"
	}
	return noun + "s"
}
