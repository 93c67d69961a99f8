// Package cli is the command line of shakescope: one file a verb.
//
// Whatever is not a verb is a server to wrap: "shakescope npx -y srv" is "shakescope run npx -y srv".
// Results go to standard output, everything else to standard error, as "shakescope: error: …" and,
// where it helps, "shakescope: hint: …". Exit codes: 0 done, 1 a verdict (verify, check), 2 unusable
// input or flags; run has codes of its own, see [runVerb].
package cli

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/shakescope/shakescope/internal/demo"
	"github.com/shakescope/shakescope/internal/termtext"
	"github.com/shakescope/shakescope/tui"
)

// app is what every verb gets: the three streams of the process and how it was built.
type app struct {
	stdin, stdout, stderr *os.File
	build                 Build
	// bare is set when the word run was left out, so that a command that is not found may have been
	// meant as a verb.
	bare bool
	root *cobra.Command
	tui  tui.Options // what flags say about how the terminal UI looks
}

// Main runs the command line args (without the program's name) and returns the exit code.
func Main(args []string, b Build) (code int) {
	a := &app{stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr, build: b}
	defer func() {
		if p := recover(); p != nil {
			a.report(fail(2, "this is a bug in shakescope; please report it with the command you ran", "internal error: %v", p))
			code = 2
		}
	}()
	args = a.dispatch(args)
	a.root = rootOf(a, needed(args))
	a.root.SetArgs(args)
	return a.report(a.root.Execute())
}

// rootCommand is the command line with all verbs.
func rootCommand(a *app) *cobra.Command { return rootOf(a, verbs()) }

func rootOf(a *app, list []verb) *cobra.Command {
	cobra.MousetrapHelpText = "" // a double click on Windows opens the list, like any bare start
	cobra.EnableCommandSorting = false
	root := &cobra.Command{
		Use:   "shakescope [--] COMMAND [ARGS…]",
		Short: "See what an MCP client and its server say to each other",
		Long: `shakescope stands between an MCP client and a server that talk over stdio. It forwards every
byte, records it, and shows it: each message with its lifecycle phase, its primitive and the
capability it depends on.

Put "shakescope --" in front of the server's command, where your client starts it.
Without arguments it opens the list of recordings.`,
		Example: `  shakescope -- npx -y @modelcontextprotocol/server-everything
  shakescope show last
  shakescope demo`,
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	// Not cobra's own flag: what it prints is set by a template, and text/template, once linked, keeps
	// every exported method of every type in the program (TestStartIsLight).
	version := root.Flags().BoolP("version", "v", false, "version for shakescope")
	root.Args = func(c *cobra.Command, args []string) error {
		if *version {
			return nil
		}
		return cobra.NoArgs(c, args)
	}
	root.RunE = func(*cobra.Command, []string) error {
		if *version {
			_, err := fmt.Fprintln(a.stdout, "shakescope", a.build)
			return err
		}
		return a.bareStart()
	}
	root.SuggestionsMinimumDistance = 2
	root.SetOut(a.stdout)
	root.SetErr(a.stderr)
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		return fail(2, fmt.Sprintf("try `%s --help`", c.CommandPath()), "%w", err)
	})
	root.CompletionOptions.DisableDefaultCmd = true // completionVerb has our exit codes
	for _, g := range groups {
		root.AddGroup(&cobra.Group{ID: g, Title: g})
	}
	for _, v := range list {
		c := v.command(a)
		c.GroupID = v.group
		root.AddCommand(c)
	}
	help := helpVerb(a)
	help.GroupID = others
	root.SetHelpCommand(help)
	root.SetHelpFunc(func(c *cobra.Command, _ []string) { a.help(c) })
	root.InitDefaultHelpCmd()
	return root
}

// The groups in which the help lists the verbs.
const (
	recording = "Record"
	looking   = "Look"
	judging   = "Understand and judge"
	passing   = "Pass on"
	standing  = "Without a client, without a server"
	others    = "Beside that"
)

var groups = []string{recording, looking, judging, passing, standing, others}

// verb is a word of the command line and what makes its command.
type verb struct {
	name    string
	command func(*app) *cobra.Command
	group   string // one of groups; "" for what is not shown
	page    string // of docs/, where more is said
	tree    bool   // it looks at the other verbs
}

// verbs are the verbs in the order in which the help lists them.
func verbs() []verb {
	return []verb{
		{name: "run", command: runVerb, group: recording, page: "reliability.md"},
		{name: "install", command: installVerb, group: recording, page: "clients.md"},
		{name: "uninstall", command: uninstallVerb, group: recording, page: "clients.md"},
		{name: "prune", command: pruneVerb, group: recording},
		{name: "view", command: viewVerb, group: looking, page: "tui.md"},
		{name: "replay", command: replayVerb, group: looking, page: "tui.md"},
		{name: "list", command: listVerb, group: looking, page: "json.md"},
		{name: "show", command: showVerb, group: looking, page: "filter.md"},
		{name: "check", command: checkVerb, group: judging, page: "rules.md"},
		{name: "rules", command: rulesVerb, group: judging, page: "rules.md"},
		{name: "caps", command: capsVerb, group: judging, page: "capabilities.md"},
		{name: "tools", command: toolsVerb, group: judging, page: "tools.md"},
		{name: "stats", command: statsVerb, group: judging, page: "json.md"},
		{name: "diff", command: diffVerb, group: judging, page: "diff.md"},
		{name: "verify", command: verifyVerb, group: judging, page: "reliability.md"},
		{name: "export", command: exportVerb, group: passing, page: "exports.md"},
		{name: "import", command: importVerb, group: passing, page: "imports.md"},
		{name: "probe", command: probeVerb, group: standing, page: "probe.md"},
		{name: "mock", command: mockVerb, group: standing, page: "mock.md"},
		{name: "resend", command: resendVerb, group: standing, page: "resend.md"},
		{name: "demo", command: demoVerb, group: others, page: "tui.md"},
		{name: demo.ServerVerb, command: demoServerVerb},
		{name: demo.ClientVerb, command: demoClientVerb},
		{name: "completion", command: completionVerb, group: others, tree: true},
		{name: "man", command: manVerb, group: others, tree: true},
		{name: "version", command: versionVerb, group: others},
	}
}

// needed are the verbs that a command line needs: mostly one, since making them all takes as long as
// some of them run.
func needed(args []string) []verb {
	all := verbs()
	if len(args) > 0 {
		for i, v := range all {
			if v.name == args[0] && !v.tree {
				return all[i : i+1]
			}
		}
	}
	return all
}

// dispatch puts "run" before a command line that starts with no verb and with no flag of the root.
func (a *app) dispatch(args []string) []string {
	if len(args) == 0 || a.isVerb(args[0]) {
		return args
	}
	switch args[0] {
	case "-h", "--help", "-v", "--version", cobra.ShellCompRequestCmd, cobra.ShellCompNoDescRequestCmd:
		return args
	}
	if len(args) == 1 && strings.HasPrefix(args[0], "-") && args[0] != "--" {
		return args // a flag alone runs nothing, so the root complains about it
	}
	a.bare = true
	return append([]string{"run"}, args...)
}

func (a *app) isVerb(word string) bool {
	return word == "help" || slices.ContainsFunc(verbs(), func(v verb) bool { return v.name == word })
}

// meantVerb is the hint for a command that was not found but looks like a verb; "" when it does not
// or when run was spelled out.
func (a *app) meantVerb(word string) string {
	if !a.bare || strings.ContainsAny(word, `/\`) {
		return ""
	}
	if near := rootCommand(a).SuggestionsFor(word); len(near) > 0 {
		return fmt.Sprintf("did you mean the verb `%s`?", near[0])
	}
	return ""
}

// failure is an error with an exit code and perhaps a hint. Without err it only carries the code.
type failure struct {
	code int
	err  error
	hint string
	// lines are printed below the error as they are: they must be fit for a terminal.
	lines []string
}

func (f *failure) Error() string {
	if f.err == nil {
		return fmt.Sprintf("exit code %d", f.code)
	}
	return f.err.Error()
}

func (f *failure) Unwrap() error { return f.err }

// fail returns an error that ends shakescope with code; hint may be empty.
func fail(code int, hint, format string, args ...any) error {
	return &failure{code: code, hint: hint, err: fmt.Errorf(format, args...)}
}

// exit returns an error that ends shakescope with code and without a word.
func exit(code int) error { return &failure{code: code} }

// report prints err as the contract says and returns the exit code.
func (a *app) report(err error) int {
	if err == nil {
		return 0
	}
	var f *failure
	if !errors.As(err, &f) {
		f = &failure{code: 2, err: err}
	}
	if f.err != nil {
		a.say("error: " + inOurWords(err.Error()))
	}
	for _, l := range f.lines {
		fmt.Fprintf(a.stderr, "  %s\n", l)
	}
	if f.hint != "" {
		a.say("hint: " + f.hint)
	}
	return f.code
}

// say prints a line on standard error; on a terminal it is broken between words.
func (a *app) say(text string) {
	p := newTextLog(bufio.NewWriter(a.stderr), look{width: lookOf(a.stderr, true).width})
	p.line(noRole, oneLine("shakescope: "+text))
	p.w.Flush()
}

// inOurWords says in fewer words what cobra says of flags that do not go together.
func inOurWords(text string) string {
	_, flags, group := strings.Cut(text, " are set none of the others can be; [")
	flags, all := strings.CutSuffix(flags, "] were all set")
	if !group || !all {
		return text
	}
	return "--" + strings.Join(strings.Fields(flags), " and --") + " do not go together"
}

// oneLine keeps messages to one line and free of what a terminal would obey: they quote arguments,
// file names and traffic.
func oneLine(s string) string {
	return termtext.Clean(strings.ReplaceAll(strings.TrimSpace(s), "\n", " "))
}
