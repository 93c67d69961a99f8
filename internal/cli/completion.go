package cli

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/shakescope/shakescope/recordings"
)

func helpVerb(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "help [VERB]",
		Short: "Explain a verb",
		ValidArgsFunction: func(c *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
			if len(args) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			var words []cobra.Completion
			for _, v := range c.Root().Commands() {
				if v.IsAvailableCommand() {
					words = append(words, cobra.CompletionWithDesc(v.Name(), v.Short))
				}
			}
			return words, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(c *cobra.Command, args []string) error {
			verb, rest, err := c.Root().Find(args)
			if err != nil || len(rest) > 0 {
				hint := "`shakescope help` lists the verbs"
				if near := c.Root().SuggestionsFor(args[0]); len(near) > 0 {
					hint = fmt.Sprintf("did you mean the verb `%s`?", near[0])
				}
				return fail(2, hint, "no verb %q", strings.Join(args, " "))
			}
			verb.InitDefaultHelpFlag()
			verb.InitDefaultVersionFlag()
			return verb.Help()
		},
	}
}

func completionVerb(a *app) *cobra.Command {
	shells := []string{"bash", "zsh", "fish", "powershell"}
	return &cobra.Command{
		Use:   "completion SHELL",
		Short: "Print a completion script for bash, zsh, fish or powershell",
		Long: `Print a completion script on standard output. Where it goes, by shell:

  bash        source <(shakescope completion bash)        in ~/.bashrc
  zsh         shakescope completion zsh > "${fpath[1]}/_shakescope"
  fish        shakescope completion fish > ~/.config/fish/completions/shakescope.fish
  powershell  shakescope completion powershell | Out-String | Invoke-Expression   in $PROFILE

Bash needs the package bash-completion for it. What is offered comes out of the recording that stands before: its tools,
requests, capabilities, and values for --filter.`,
		ValidArgs: shells,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return fail(2, "say bash, zsh, fish or powershell", "completion needs one shell")
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			root := c.Root()
			switch args[0] {
			case "bash":
				return root.GenBashCompletionV2(a.stdout, true)
			case "zsh":
				return root.GenZshCompletion(a.stdout)
			case "fish":
				return root.GenFishCompletion(a.stdout, true)
			case "powershell":
				return root.GenPowerShellCompletionWithDesc(a.stdout)
			}
			return fail(2, "say bash, zsh, fish or powershell", "no completion for the shell %q", args[0])
		},
	}
}

// completeFile offers recordings by id, last, and files. Those that were given before are not offered again; after the
// first of several, recordings of the same server come first.
func completeFile(_ *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	words := []cobra.Completion{cobra.CompletionWithDesc(recordings.Last, "the newest recording of a client")}
	if slices.Contains(args, recordings.Last) {
		words = nil
	}
	dir, err := recordings.DefaultDir()
	if err != nil {
		return words, cobra.ShellCompDirectiveDefault
	}
	folder := recordings.Folder{Dir: dir}
	found, err := folder.List()
	if err != nil {
		return words, cobra.ShellCompDirectiveDefault
	}
	given, server := map[string]bool{}, ""
	for i, arg := range args {
		path, err := folder.Resolve(arg)
		if err != nil {
			continue
		}
		given[path] = true
		for _, info := range found {
			if i == 0 && info.Path == path {
				server = info.Server.Name
			}
		}
	}
	// What probe and resend made is seldom meant: it comes after all else.
	rank := func(info recordings.Info) int {
		n := 0
		if info.Probe || info.ProbeOf != "" {
			n = 1
		}
		if server != "" && info.Server.Name != server {
			n += 2
		}
		return n
	}
	slices.SortStableFunc(found, func(a, b recordings.Info) int { return cmp.Compare(rank(a), rank(b)) })
	const most = 30
	for _, info := range found {
		if len(words) > most {
			break
		}
		if !given[info.Path] {
			words = append(words, cobra.CompletionWithDesc(info.ID, fmt.Sprintf("%s %s %s", oneLine(nameOf(info)), info.State, info.Started.Local().Format(time.DateTime))))
		}
	}
	return words, cobra.ShellCompDirectiveDefault | cobra.ShellCompDirectiveKeepOrder
}

// completeOneFile is completeFile for verbs that take one FILE.
func completeOneFile(c *cobra.Command, args []string, word string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return completeFile(c, args, word)
}
