package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/shakescope/shakescope/internal/termtext"
)

// TestHelpFits: at any width a help text has no line that a terminal would break, but for those that stand as they are
// written, and says what a newcomer needs.
func TestHelpFits(t *testing.T) {
	root := rootCommand(&app{})
	root.InitDefaultHelpFlag()
	for _, c := range append(root.Commands(), root) {
		if c.Hidden {
			continue
		}
		c.InitDefaultHelpFlag()
		for _, width := range []int{60, 80, 100} {
			text := helpText(c, width)
			for line := range strings.SplitSeq(text, "\n") {
				asWritten := strings.Contains(c.Long, line) || strings.Contains(c.Example, line) || !strings.Contains(strings.TrimSpace(line), " ")
				if termtext.Width(line) > width && !asWritten && !strings.HasPrefix(line, "More: ") {
					t.Errorf("%s at %d: %q has %d cells", c.Name(), width, line, termtext.Width(line))
				}
			}
			for _, foreign := range []string{"command]", "Available Commands", "help for "} {
				if strings.Contains(text, foreign) {
					t.Errorf("%s: the help says %q", c.Name(), foreign)
				}
			}
		}
	}
	text := helpText(root, 100)
	for _, v := range verbs() {
		if listed := strings.Contains(text, "\n  "+v.name+" "); listed != (v.group != "") {
			t.Errorf("%s of group %q: listed in the help of the root is %v", v.name, v.group, listed)
		}
	}
	if !strings.Contains(text, docsURL) {
		t.Error("the help of the root does not say where the documentation is")
	}
}

// TestHelpPages: the pages that the help sends people to are there.
func TestHelpPages(t *testing.T) {
	pages := 0
	for _, v := range verbs() {
		if v.page == "" {
			continue
		}
		pages++
		if _, err := os.Stat(filepath.Join("..", "..", "docs", v.page)); err != nil {
			t.Errorf("%s: %v", v.name, err)
		}
		if got := pageOf(v.name); !strings.HasSuffix(got, "/docs/"+v.page) {
			t.Errorf("pageOf(%s) = %q", v.name, got)
		}
	}
	if pages == 0 {
		t.Error("no verb has a page")
	}
}
