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
  powershell  shakescope completion powershell | Out-String | Invoke-Expression   in $PROFILE`,
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

// completeFile offers recordings by id, last, and files.
func completeFile(_ *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	words := []cobra.Completion{cobra.CompletionWithDesc("last", "the newest recording of a client")}
	dir, err := recordings.DefaultDir()
	if err != nil {
		return words, cobra.ShellCompDirectiveDefault
	}
	found, err := recordings.Folder{Dir: dir}.List()
	if err != nil {
		return words, cobra.ShellCompDirectiveDefault
	}
	// What probe and resend made is seldom meant: it comes after all else.
	slices.SortStableFunc(found, func(a, b recordings.Info) int { return cmp.Compare(side(a), side(b)) })
	const most = 30
	for _, info := range found[:min(len(found), most)] {
		words = append(words, cobra.CompletionWithDesc(info.ID, fmt.Sprintf("%s %s %s", oneLine(nameOf(info)), info.State, info.Started.Format(time.DateTime))))
	}
	return words, cobra.ShellCompDirectiveDefault
}

// side is 1 for a run in which shakescope was the client, or that a client threw away, else 0.
func side(info recordings.Info) int {
	if info.Probe || info.ProbeOf != "" {
		return 1
	}
	return 0
}

// completeOneFile is completeFile for verbs that take one FILE.
func completeOneFile(c *cobra.Command, args []string, word string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return completeFile(c, args, word)
}
