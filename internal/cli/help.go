package cli

import (
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/shakescope/shakescope/internal/termtext"
)

// docsURL is where the pages of docs/ can be read by somebody who has only the program.
const docsURL = "https://github.com/shakescope/shakescope/tree/main/docs"

// mostHelpWidth is the widest line of a help text: longer ones are hard to read. It is also the width on no terminal.
const mostHelpWidth = 100

// help prints what a command is for. It is not made by cobra's template: that speaks of "commands", breaks no
// line, and would link text/template if it were changed (TestStartIsLight).
func (a *app) help(c *cobra.Command) error {
	width := lookOf(a.stdout, true).width
	if width == 0 || width > mostHelpWidth {
		width = mostHelpWidth
	}
	_, err := io.WriteString(a.stdout, helpText(c, width))
	return err
}

func helpText(c *cobra.Command, width int) string {
	h := helpPage{width: width}
	long := c.Long
	if long == "" {
		long = c.Short + "."
	}
	for i, p := range paragraphs(long) {
		if i > 0 {
			h.WriteByte('\n')
		}
		h.wrapped("", strings.Join(p.prose, " "))
		h.lines(p.literal)
	}
	h.WriteString("\nUsage:\n")
	verbWidth := 0 // of all groups, so that their second columns stand in line
	for _, v := range c.Commands() {
		verbWidth = max(verbWidth, len(v.Name()))
	}
	if c.HasParent() {
		h.wrapped("  ", usageOf(c))
	} else {
		h.rows(0, [][2]string{
			{c.Name(), "the recordings, in the terminal UI"},
			{c.Use, "wrap a server: the word run may be left out"},
			{c.Name() + " VERB …", "what the verb says"},
		})
	}
	if c.HasExample() {
		h.WriteString("\nExamples:\n")
		h.lines(strings.Split(c.Example, "\n"))
	}
	for _, g := range c.Groups() {
		h.WriteString("\n" + g.Title + ":\n")
		var rows [][2]string
		for _, v := range c.Commands() {
			if v.GroupID == g.ID {
				rows = append(rows, [2]string{v.Name(), v.Short})
			}
		}
		h.rows(verbWidth, rows)
	}
	h.WriteString("\nFlags:\n")
	var flags [][2]string
	c.LocalFlags().VisitAll(func(f *pflag.Flag) {
		if f.Hidden {
			return
		}
		tag, usage := flagText(f)
		if f.Shorthand == "" {
			tag = "    " + tag
		}
		flags = append(flags, [2]string{tag, usage})
	})
	h.rows(0, flags)
	h.WriteByte('\n')
	if !c.HasParent() {
		h.wrapped("", "`"+c.Name()+" help VERB` explains a verb.")
		h.wrapped("", "Documentation: "+docsURL)
	} else if page := pageOf(c.Name()); page != "" {
		h.wrapped("", "More: "+page)
	}
	return strings.TrimRight(h.String(), "\n") + "\n"
}

// usageOf is a command line of c as people type it.
func usageOf(c *cobra.Command) string {
	usage := strings.TrimSuffix(c.CommandPath(), c.Name()) + c.Use
	if c.HasAvailableLocalFlags() && !strings.Contains(usage, "[flags]") && hasOwnFlags(c) {
		usage += " [flags]"
	}
	return usage
}

func hasOwnFlags(c *cobra.Command) (own bool) {
	c.LocalFlags().VisitAll(func(f *pflag.Flag) { own = own || !f.Hidden && f.Name != "help" })
	return own
}

// pageOf is the address of the page of docs/ about a verb, "" if there is none.
func pageOf(name string) string {
	all := verbs()
	i := slices.IndexFunc(all, func(v verb) bool { return v.name == name })
	if i < 0 || all[i].page == "" {
		return ""
	}
	return strings.Replace(docsURL, "/tree/", "/blob/", 1) + "/" + all[i].page
}

// flagText is a flag with its value, and what it does, for help and manual alike.
func flagText(f *pflag.Flag) (tag, usage string) {
	value, usage := pflag.UnquoteUsage(f)
	tag = "--" + f.Name
	if f.Shorthand != "" {
		tag = "-" + f.Shorthand + ", " + tag
	}
	if value != "" {
		tag += " " + value
	}
	switch f.DefValue {
	case "", "false", "0", "[]", "0s":
	default:
		usage += " (default " + f.DefValue + ")"
	}
	if f.Name == "help" {
		usage = "print this text"
	}
	return tag, usage
}

// paragraph is a part of a help text between empty lines: sentences, and behind them lines that stand as they are,
// because they are indented or set in columns.
type paragraph struct{ prose, literal []string }

func paragraphs(text string) []paragraph {
	var all []paragraph
	for text := range strings.SplitSeq(strings.Trim(text, "\n"), "\n\n") {
		lines := strings.Split(text, "\n")
		n := slices.IndexFunc(lines, columned)
		if n < 0 {
			n = len(lines)
		}
		all = append(all, paragraph{lines[:n], lines[n:]})
	}
	return all
}

func columned(line string) bool { return strings.Contains(line, "  ") }

// helpPage is a help text of lines that fit.
type helpPage struct {
	strings.Builder
	width int
}

// wrapped writes text in lines that all begin with indent; empty text is none.
func (h *helpPage) wrapped(indent, text string) {
	if text == "" {
		return
	}
	for row := range termtext.WrapWords(text, max(h.width-len(indent), 20)) {
		h.WriteString(indent + row + "\n")
	}
}

func (h *helpPage) lines(lines []string) {
	for _, l := range lines {
		h.WriteString(l + "\n")
	}
}

// rows writes names, in a column of at least so many cells, with what is said of them in a second one. A long name has
// a line of its own.
func (h *helpPage) rows(column int, rows [][2]string) {
	const indent, most = 2, 34
	for _, r := range rows {
		if w := termtext.Width(r[0]); w <= most {
			column = max(column, w)
		}
	}
	column += indent + 2
	for _, r := range rows {
		lead := strings.Repeat(" ", indent) + r[0]
		if w := termtext.Width(lead); w+2 <= column {
			lead += strings.Repeat(" ", column-w)
		} else {
			h.WriteString(lead + "\n")
			lead = strings.Repeat(" ", column)
		}
		for row := range termtext.WrapWords(r[1], max(h.width-column, 20)) {
			h.WriteString(lead + row + "\n")
			lead = strings.Repeat(" ", column)
		}
	}
}
