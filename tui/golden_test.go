package tui

import (
	"bytes"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
)

var update = flag.Bool("update", false, "write the goldens")

func compareFile(t *testing.T, path, got string) {
	t.Helper()
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got; -update writes it anew):\n%s", path, diff)
	}
}

var sizes = []struct{ w, h int }{{80, 24}, {120, 40}, {200, 60}}

// TestScreens compares each screen with testdata/screens/NAME.txtar, which holds for each size
//
//	80x24          the text, the same in colour and in mono
//	80x24 ascii    the text with ASCII symbols
//	80x24 colour   the styles of the default theme, see styles
//	80x24 mono     those of NO_COLOR
//
// A screen whose recording is the same at all sizes reads like what the user sees; styles are there to
// be noticed when they change.
func TestScreens(t *testing.T) {
	for _, v := range goldenScreens() {
		t.Run(v.name, func(t *testing.T) {
			var ar txtar.Archive
			add := func(name, text string) {
				ar.Files = append(ar.Files, txtar.File{Name: name, Data: []byte(text)})
			}
			sizes := sizes
			if v.sizes != nil {
				sizes = v.sizes
			}
			for _, size := range sizes {
				at := fmt.Sprintf("%dx%d", size.w, size.h)
				frames := map[string]string{}
				for name, o := range map[string]Options{"colour": {}, "mono": {Theme: "mono"}, "ascii": {ASCII: true}} {
					d := drive(t, o, &bookcase{shelf: shelf{listings: v.listings, packed: v.packed}}, size.w, size.h)
					v.show(d)
					frames[name] = d.frame()
					checkFrame(t, frames[name], size.w, size.h)
				}
				text := textOf(frames["colour"])
				if got := textOf(frames["mono"]); got != text {
					t.Errorf("%s: the text in mono is another than in colour:\n%s", at, cmp.Diff(text, got))
				}
				asASCII := textOf(frames["ascii"])
				for _, r := range asASCII {
					if r > 0x7e && !strings.ContainsRune(v.foreign, r) {
						t.Errorf("%s: %q is not ASCII", at, r)
					}
				}
				add(at, text)
				add(at+" ascii", asASCII)
				add(at+" colour", styles(frames["colour"]))
				add(at+" mono", styles(frames["mono"]))
			}
			compareFile(t, filepath.Join("testdata", "screens", v.name+".txtar"), string(txtar.Format(&ar)))
		})
	}
}

// textOf is the text of a frame, without styles and blanks at the right.
func textOf(frame string) string {
	lines := strings.Split(ansi.Strip(frame), "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return strings.Join(lines, "\n") + "\n"
}

// styles are the styles of a frame, line by line, as cells and a letter for the style: "12a 3. 5b" is
// twelve cells in a, three in none, five in b; what has no style at the end is left out. The SGR
// parameters of the letters stand below.
func styles(frame string) string {
	letters := map[string]byte{"": '.'}
	var out strings.Builder
	for line := range strings.SplitSeq(frame, "\n") {
		var runs []string
		var last string
		n := 0
		flush := func() {
			if n > 0 {
				runs = append(runs, fmt.Sprintf("%d%c", n, letters[last]))
			}
			n = 0
		}
		style := ""
		for line != "" {
			if loc := sgr.FindStringIndex(line); loc != nil && loc[0] == 0 {
				style = strings.TrimPrefix(strings.Trim(line[:loc[1]], "\x1b[m"), "0;")
				line = line[loc[1]:]
				continue
			}
			text := line
			if loc := sgr.FindStringIndex(line); loc != nil {
				text = line[:loc[0]]
			}
			line = line[len(text):]
			if _, ok := letters[style]; !ok {
				letters[style] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"[len(letters)-1]
			}
			if style != last {
				flush()
				last = style
			}
			n += ansi.StringWidth(text)
		}
		if last != "" {
			flush()
		}
		out.WriteString(strings.Join(runs, " ") + "\n")
	}
	names := slices.SortedFunc(maps.Keys(letters), func(a, b string) int { return bytes.Compare([]byte{letters[a]}, []byte{letters[b]}) })
	for _, s := range names {
		if s != "" {
			fmt.Fprintf(&out, "%c = %s\n", letters[s], s)
		}
	}
	return out.String()
}
