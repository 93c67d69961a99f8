package annotate

import (
	"slices"
	"testing"
)

func TestSaysIn(t *testing.T) {
	for _, c := range []struct{ text, pattern, want string }{
		{"runs as root", `\bas root\b`, "as root"},
		{"never runs as root", `\bas root\b`, ""},
		{"does not run as root. but this runs as root", `\bas root\b`, "as root"},
		{"it cannot be undone", `\bcannot be undone\b`, "cannot be undone"},
		{"nothing of it", `\bas root\b`, ""},
		{"rooted", `\broot\b`, ""},
		{"reads only", `\bread(?:s|ing)?\b`, "reads"},
	} {
		if got := saysIn(c.text, c.pattern); got != c.want {
			t.Errorf("%q: got %q of %q, want %q", c.pattern, got, c.text, c.want)
		}
	}
}

// A text without any of the needles cannot match.
func TestNeedles(t *testing.T) {
	for _, c := range []struct {
		pattern string
		want    []string
	}{
		{`\b(?:delet(?:e|es|ing)|remov(?:e|es))\b`, []string{"delet", "remov"}},
		{`\bas\s+root\b`, []string{"root"}},
		{`\w+`, nil},
		{`\b(?:abc|\d+)\b`, nil},
		{`(?i)abc`, nil},
		{`x?y`, []string{"y"}},
	} {
		if got := phraseOf(c.pattern).needles; !slices.Equal(got, c.want) {
			t.Errorf("%s: got %q, want %q", c.pattern, got, c.want)
		}
	}
}
