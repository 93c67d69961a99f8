package cli

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/shakescope/shakescope/annotate"
	"github.com/shakescope/shakescope/internal/compare"
	"github.com/shakescope/shakescope/internal/mcpspec"
	"github.com/shakescope/shakescope/internal/termtext"
)

// explainedRule is one rule as `rules --json` prints it.
type explainedRule struct {
	ID        string           `json:"id"`
	Group     string           `json:"group"`
	Levels    []annotate.Level `json:"levels"` // the usual one first
	By        string           `json:"by"`
	Likely    bool             `json:"likely"` // bytes alone cannot prove it
	Revisions []string         `json:"revisions"`
	Title     string           `json:"title"`
	Why       string           `json:"why"`
	Fix       string           `json:"fix"`
	Spec      string           `json:"spec"`
}

func explained(r *annotate.Rule) explainedRule {
	return explainedRule{ID: r.ID, Group: r.Group, Levels: r.Levels, By: r.By, Likely: r.Likely,
		Revisions: r.Revisions.List(), Title: r.Title, Why: r.Why, Fix: r.Fix, Spec: r.Spec}
}

func rulesVerb(a *app) *cobra.Command {
	asJSON := false
	c := &cobra.Command{
		Use:   "rules [ID]",
		Short: "Explain the rules: what they mean, why they matter, how to fix what they find",
		Long: `List all rules, or explain one: what it means, why it matters, what to do, and the page of the
specification it comes from.`,
		Example: `  shakescope rules
  shakescope rules notification-answered`,
		Args: cobra.MaximumNArgs(1),
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			var ids []string
			for _, r := range allRules() {
				ids = append(ids, r.ID)
			}
			return ids, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(_ *cobra.Command, args []string) error { return a.rules(args, asJSON) },
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print one JSON object a rule")
	return c
}

// allRules are the rules about one recording, and then those about two.
func allRules() []annotate.Rule { return append(annotate.Rules(), compare.Rules()...) }

func lookupRule(id string) *annotate.Rule {
	return cmp.Or(annotate.LookupRule(id), compare.LookupRule(id))
}

func (a *app) rules(args []string, asJSON bool) error {
	rules := allRules()
	if len(args) == 1 {
		r := lookupRule(args[0])
		if r == nil {
			return fail(2, nearestRule(args[0], rules), "there is no rule %q", args[0])
		}
		rules = []annotate.Rule{*r}
	}
	out := a.standardOutput()
	p := newTextLog(out.Writer, lookOf(a.stdout, false))
	group := ""
	for i := range rules {
		r := &rules[i]
		switch {
		case asJSON:
			if err := writeJSON(out.jsonWriter(), explained(r)); err != nil {
				return writing(err)
			}
		case len(args) == 1:
			p.explain(r)
		default:
			if r.Group != group {
				if group != "" {
					p.line("", "")
				}
				group = r.Group
				p.line(strong, group)
			}
			mark, role := p.levelMark(r.Levels[0])
			p.line(role, fmt.Sprintf("  %s %s %s", mark, termtext.PadRight(r.ID, 36), r.Title))
		}
	}
	return out.finish(nil)
}

// nearestRule is the hint for an id that does not exist.
func nearestRule(id string, rules []annotate.Rule) string {
	near := slices.MinFunc(rules, func(x, y annotate.Rule) int { return cmp.Compare(distance(id, x.ID), distance(id, y.ID)) })
	if distance(id, near.ID) > len(id)/2 {
		return "`shakescope rules` lists all"
	}
	return fmt.Sprintf("did you mean `%s`? `shakescope rules` lists all", near.ID)
}

// distance is the number of letters to add, drop or change to make b of a.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := diagonal
			if a[i] != b[j] {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(change, row[j]+1, diagonal+1)
		}
	}
	return row[len(b)]
}

// explain prints one rule in full.
func (p *textLog) explain(r *annotate.Rule) {
	mark, role := p.levelMark(r.Levels[0])
	p.line(role, fmt.Sprintf("%s %s", mark, r.ID))
	const indent = 12
	width := 100
	if p.width > 0 {
		width = max(min(width, p.width), 2*indent)
	}
	row := func(name, text string) {
		first := true
		for line := range termtext.WrapWords(text, width-indent) {
			if !first {
				name = ""
			}
			p.line("", termtext.PadRight(name, indent)+line)
			first = false
		}
	}
	row("", r.Title)
	row("why", r.Why)
	row("what to do", r.Fix)
	row("level", levelsInWords(r))
	row("by", r.By)
	row("revisions", revisionsInWords(r.Revisions))
	if r.Spec != "" {
		p.line("", termtext.PadRight("page", indent)+mcpspec.PageURL(r.Spec)) // not wrapped: a terminal opens it whole
	}
}

func levelsInWords(r *annotate.Rule) string {
	var words []string
	for _, l := range r.Levels {
		words = append(words, string(l))
	}
	text := words[0]
	if len(words) > 1 {
		text += ", or " + strings.Join(words[1:], " or ") + " by what the bytes prove"
	}
	if r.Likely {
		text += "; likely, not certain"
	}
	return text
}

func revisionsInWords(s mcpspec.Set) string {
	switch s {
	case mcpspec.All:
		return "all"
	case mcpspec.LegacyOnly:
		return "all with a handshake (2024-11-05 to 2025-11-25)"
	case mcpspec.ModernOnly:
		return "2026-07-28 and later"
	}
	return strings.Join(s.List(), ", ")
}
