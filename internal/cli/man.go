package cli

import (
	"bytes"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

func manVerb(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "man",
		Short: "Print the manual page",
		Long: `Print the manual page on standard output, made from the same texts as --help.

To read it:       shakescope man | man -l -
To install it:    shakescope man > /usr/local/share/man/man1/shakescope.1`,
		Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			_, err := a.stdout.Write(manPage(c.Root(), a.build.resolved()))
			return err
		},
	}
}

// manPage is the page in man(7) macros. It depends on the build alone, so that a release can be built again to the byte.
func manPage(root *cobra.Command, b Build) []byte {
	var p roff
	date := b.Date
	if t, err := time.Parse(time.RFC3339, date); err == nil {
		date = t.UTC().Format(time.DateOnly)
	}
	p.macro("TH", strings.ToUpper(root.Name()), "1", date, root.Name()+" "+b.Version, "User commands")
	p.macro("SH", "NAME")
	p.line(root.Name() + " - " + lowerFirst(root.Short))
	p.macro("SH", "SYNOPSIS")
	p.synopsis(root.Name(), strings.TrimPrefix(root.Use, root.Name()+" "))
	for _, verb := range root.Commands() {
		if verb.IsAvailableCommand() {
			p.macro("br")
			p.synopsis(root.Name()+" "+verb.Name(), strings.TrimPrefix(strings.TrimPrefix(verb.Use, verb.Name()), " "))
		}
	}
	p.macro("SH", "DESCRIPTION")
	p.prose(root.Long)
	p.macro("SH", "VERBS")
	for _, verb := range root.Commands() {
		if verb.IsAvailableCommand() {
			p.verb(verb)
		}
	}
	p.macro("SH", "EXIT STATUS")
	p.prose("0 when done, 1 for a verdict (what each verb means by it stands above), 2 for unusable input or flags. Those of run are the server's.")
	p.macro("SH", "ENVIRONMENT")
	for _, v := range environment {
		p.tagged(v[0], v[1])
	}
	p.macro("SH", "EXAMPLES")
	p.literal(root.Example)
	p.macro("SH", "SEE ALSO")
	p.line(docsURL)
	return p.Bytes()
}

// environment is what shakescope reads of the environment, beside what standards say of terminals and OpenTelemetry.
var environment = [][2]string{
	{"SHAKESCOPE_DIR", "The folder of the recordings. Without it they are under $XDG_STATE_HOME, or where the system keeps such files."},
	{"SHAKESCOPE_RETENTION", "How long recordings are kept and how much of them: an age, a total size, both with a comma, or off. Without it 30d,5GB."},
	{"SHAKESCOPE_SETTINGS", "The settings file, in place of shakescope/settings.toml in the configuration folder."},
	{"SHAKESCOPE_THEME", "The colours of the terminal UI, before what the settings say."},
	{"NO_COLOR", "If set and not empty, nothing is coloured."},
	{"CLICOLOR_FORCE", "If set and not 0, text is coloured though it goes to no terminal."},
	{"OTEL_EXPORTER_OTLP_ENDPOINT", "Where export --format otlp --send sends to; the other OTEL_EXPORTER_OTLP_ variables are obeyed as well."},
}

// roff writes man(7) source.
type roff struct{ bytes.Buffer }

var roffText = strings.NewReplacer(`\`, `\e`, "-", `\-`, "'", `\(aq`, "`", `\(ga`, "^", `\(ha`, "~", `\(ti`)

// escaped is text in ASCII that no roff takes for an instruction.
func escaped(text string) string {
	var b strings.Builder
	for _, r := range roffText.Replace(text) {
		if r < 0x80 {
			b.WriteRune(r)
		} else {
			fmt.Fprintf(&b, `\[u%04X]`, r)
		}
	}
	return b.String()
}

// macro writes a request with its arguments quoted.
func (p *roff) macro(name string, args ...string) {
	p.WriteString("." + name)
	for _, arg := range args {
		fmt.Fprintf(p, ` "%s"`, strings.ReplaceAll(escaped(arg), `"`, `\(dq`))
	}
	p.WriteByte('\n')
}

// line writes one line of text; \& keeps a first full stop from being a request.
func (p *roff) line(text string) {
	text = escaped(text)
	if strings.HasPrefix(text, ".") {
		text = `\&` + text
	}
	p.WriteString(text + "\n")
}

func (p *roff) synopsis(name, rest string) {
	p.macro("B", name)
	if rest != "" {
		p.line(rest)
	}
}

func (p *roff) tagged(tag, text string) {
	p.macro("TP")
	p.macro("B", tag)
	p.line(text)
}

// prose writes paragraphs.
func (p *roff) prose(text string) {
	for i, par := range paragraphs(text) {
		if i > 0 {
			p.macro("PP")
		}
		for _, l := range par.prose {
			p.line(l)
		}
		p.literal(strings.Join(par.literal, "\n"))
	}
}

func (p *roff) literal(text string) {
	if text == "" {
		return
	}
	p.macro("PP")
	p.macro("nf")
	for line := range strings.SplitSeq(strings.TrimRight(text, "\n"), "\n") {
		p.line(line)
	}
	p.macro("fi")
}

func (p *roff) verb(verb *cobra.Command) {
	p.macro("SS", verb.Use)
	if verb.Long != "" {
		p.prose(verb.Long)
	} else {
		p.line(verb.Short + ".")
	}
	verb.LocalFlags().VisitAll(func(f *pflag.Flag) {
		if f.Hidden || f.Name == "help" {
			return
		}
		tag, usage := flagText(f)
		p.tagged(tag, usage)
	})
	if verb.Example != "" {
		p.literal(verb.Example)
	}
}

func lowerFirst(s string) string { return strings.ToLower(s[:1]) + s[1:] }
