package cli

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/shakescope/shakescope/annotate"
	"github.com/shakescope/shakescope/internal/mcpspec"
	"github.com/shakescope/shakescope/internal/peer"
	"github.com/shakescope/shakescope/recordings"
)

type mockFlags struct {
	pace   bool
	faults []string
}

func mockVerb(a *app) *cobra.Command {
	var f mockFlags
	var kinds []string
	for _, k := range peer.FlawKinds {
		argument := ""
		if k.Argument != "" {
			argument = "=" + k.Argument
		}
		kinds = append(kinds, fmt.Sprintf("  %-26s %s", k.Name+argument, k.About))
	}
	c := &cobra.Command{
		Use:   "mock FILE",
		Short: "Be the server, from a recording",
		Long: `Stand in for a recorded server on standard input and output: put it where your client starts the server.

Requests are matched by method and params, in whatever order they come; calls of tools by name and
arguments. Where one was recorded several times its answers come in that order, the last one again and
again. Ids, progress tokens and subscriptions are the client's own; progress, notifications and requests of the
server come where they stood. What was never recorded is answered with an error that says what was.

--fault KIND@SELECTOR[=ARGUMENT] commits a fault on purpose, and may be repeated. A selector is a method,
method:target (a tool's or prompt's name, a URI), either with #N behind it for the Nth such request, #N
for the Nth of all, or *. The kinds:

` + strings.Join(kinds, "\n") + `

Nothing is said on standard output but what is in the recording; standard error says what could not be
answered. The exit code is 0 when the client closes standard input, that of exit or 1 of cut when such a
fault was committed, 2 when the recording or a fault cannot be used.`,
		Example: `  shakescope mock last
  shakescope mock session.jsonl --pace
  shakescope mock session.jsonl --fault delay@tools/call:echo=2s --fault exit@#3=7`,
		Args: oneFile, ValidArgsFunction: completeOneFile,
		RunE: func(_ *cobra.Command, args []string) error { return a.mock(args[0], f) },
	}
	c.Flags().BoolVar(&f.pace, "pace", false, "keep the recorded times between messages")
	c.Flags().StringArrayVar(&f.faults, "fault", nil, "commit a `FAULT`, KIND@SELECTOR[=ARGUMENT]; may be repeated")
	c.RegisterFlagCompletionFunc("fault", func(_ *cobra.Command, _ []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
		var words []cobra.Completion
		for _, k := range peer.FlawKinds {
			if kind, _, ok := strings.Cut(typed, "@"); !ok {
				words = append(words, cobra.CompletionWithDesc(k.Name+"@", k.About))
			} else if kind == k.Name {
				for _, m := range mcpspec.Methods() {
					if !m.Notification {
						words = append(words, kind+"@"+m.Name)
					}
				}
			}
		}
		return words, cobra.ShellCompDirectiveNoSpace | cobra.ShellCompDirectiveNoFileComp
	})
	return c
}

func (a *app) mock(file string, f mockFlags) error {
	playing := peer.Playing{Pace: f.pace, Note: func(line string) { a.note("mock: %s", line) }}
	for _, text := range f.faults {
		flaw, err := peer.ParseFlaw(text)
		if err != nil {
			return fail(2, "for example --fault delay@tools/call:echo=2s; `shakescope mock --help` lists the kinds", "%w", err)
		}
		playing.Flaws = append(playing.Flaws, flaw)
	}
	if file == "-" {
		return fail(2, "give the recording as a file: standard input is the client's", "mock cannot read the recording from standard input")
	}
	src, err := a.source(file)
	if err != nil {
		return err
	}
	defer src.close()
	script, err := peer.NewScript(append([]annotate.Source{src.open}, probesBefore(src.path)...)...)
	if err != nil {
		return unusable(src.name, err)
	}
	for _, flaw := range playing.Flaws {
		if m := flaw.Method(); m != "" && mcpspec.Lookup(m) == nil && !script.Has(m) {
			return fail(2, "", "fault %q: neither MCP nor the recording has a method %s", flaw, m)
		}
	}
	if script.Empty() {
		return fail(2, "", "%s: there is no request in it to answer", src.name)
	}
	if r, err := src.open(); err == nil {
		if r.Header().Redacted {
			a.note("mock: the recording is redacted: requests with secrets in them will not be found")
		}
		r.Close()
	}
	for reason, n := range script.LeftOut {
		a.note("mock: %d %s are not played", n, reason)
	}
	err = script.Play(a.stdin, a.stdout, playing)
	for _, flaw := range playing.Flaws {
		if flaw.Used() == 0 {
			a.note("mock: fault %s: no request was selected", flaw)
		}
	}
	var ended *peer.Exit
	switch {
	case errors.As(err, &ended):
		return exit(ended.Code)
	case err != nil:
		return fail(2, "", "%w", err)
	}
	return nil
}

// probesBefore are the recordings of the processes that were only asked for the revision before the recording
// in path was made: what they answered belongs to the same server.
func probesBefore(path string) []annotate.Source {
	dir, err := recordings.DefaultDir()
	if err != nil || filepath.Dir(path) != dir {
		return nil
	}
	list, err := recordings.Folder{Dir: dir}.List()
	if err != nil {
		return nil
	}
	of := slices.IndexFunc(list, func(i recordings.Info) bool { return slices.Contains(i.Files, path) })
	if of < 0 {
		return nil
	}
	var sources []annotate.Source
	for _, info := range list {
		if info.ProbeOf == list[of].ID {
			sources = append(sources, func() (*recordings.Reader, error) { return recordings.Open(info.Path) })
		}
	}
	return sources
}
