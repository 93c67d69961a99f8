package cli

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"sort"
	"strings"

	"github.com/spf13/cobra"

	"github.com/shakescope/shakescope/annotate"
	"github.com/shakescope/shakescope/internal/export"
	"github.com/shakescope/shakescope/internal/provider"
)

// toolOrders are the orders of --sort; those that count put the largest first, contract the poorest.
var toolOrders = map[string]func(a, b *annotate.ToolAccount) int{
	"calls": func(a, b *annotate.ToolAccount) int { return cmp.Compare(b.Calls, a.Calls) },
	"errors": func(a, b *annotate.ToolAccount) int {
		return cmp.Compare(b.ToolErrors+b.ProtocolErrors, a.ToolErrors+a.ProtocolErrors)
	},
	"latency": func(a, b *annotate.ToolAccount) int { return cmp.Compare(b.Latency.P95, a.Latency.P95) },
	"size":    func(a, b *annotate.ToolAccount) int { return cmp.Compare(b.Result.Max, a.Result.Max) },
	"tokens":  func(a, b *annotate.ToolAccount) int { return cmp.Compare(b.Tokens, a.Tokens) },
	"risk":    func(a, b *annotate.ToolAccount) int { return cmp.Compare(b.Risk.Class.Rank(), a.Risk.Class.Rank()) },
	"contract": func(a, b *annotate.ToolAccount) int {
		// A tool that was never listed has no contract and comes last.
		return cmp.Or(cmp.Compare(len(b.Contract.Fields), len(a.Contract.Fields)), cmp.Compare(a.Contract.Score, b.Contract.Score))
	},
	"name":   func(a, b *annotate.ToolAccount) int { return cmp.Compare(a.Name, b.Name) },
	"listed": func(*annotate.ToolAccount, *annotate.ToolAccount) int { return 0 },
}

// asking is what the flags of tools say.
type asking struct {
	asJSON, keep bool
	api          provider.API
	sort, tool   string
}

func toolsVerb(a *app) *cobra.Command {
	var o asking
	as := choice{of: []string{string(provider.Anthropic), string(provider.OpenAI)}}
	sort := choice{value: "calls", of: []string{"calls", "errors", "latency", "size", "tokens", "risk", "contract", "name", "listed"}}
	c := &cobra.Command{
		Use:   "tools FILE",
		Short: "Review the server's tools: use, cost, risk, what their definitions leave unsaid",
		Long: `Review the tools of a recording: how often each was called and with what success, how long it took, how
large its results were, which arguments the model got wrong, about how many tokens its definition costs
in every prompt, how dangerous it is to let a model call it, whether it may be repeated, and how much of
a contract of 13 fields its definition states. --tool NAME tells everything about one.

--as prints what a host would send to a model API instead, and says on standard error what of it the API
would refuse. docs/tools.md explains how everything is judged.

In --json and --as secrets are masked; --no-redact leaves them in.`,
		Example: `  shakescope tools last
  shakescope tools last --sort risk
  shakescope tools last --tool write_file
  shakescope tools last --as anthropic > tools.json`,
		Args: oneFile, ValidArgsFunction: completeOneFile,
		RunE: func(c *cobra.Command, args []string) error {
			src, err := a.source(args[0])
			if err != nil {
				return err
			}
			defer src.close()
			o.api, o.sort = provider.API(as.value), sort.value
			if o.api != "" && !c.Flags().Changed("sort") {
				o.sort = "listed" // hosts send the tools as they come
			}
			return a.tools(src, o)
		},
	}
	c.Flags().BoolVar(&o.asJSON, "json", false, "one object; with --as the definitions and the warnings in one object")
	c.Flags().Var(&as, "as", "print the definitions as a model API gets them: anthropic or openai")
	c.Flags().Var(&sort, "sort", "`ORDER` of the tools: calls, errors, latency, size, tokens, risk, contract (the poorest first), name, listed")
	c.Flags().StringVar(&o.tool, "tool", "", "only the tool `NAME`, with everything that is known of it")
	c.RegisterFlagCompletionFunc("tool", completeTool)
	noRedact(c, &o.keep)
	completeChoice(c, "as", &as)
	completeChoice(c, "sort", &sort)
	return c
}

func (a *app) tools(src *source, o asking) error {
	// What is looked at here is not masked.
	r, err := a.redactor(o.keep || !o.asJSON && o.api == "")
	if err != nil {
		return err
	}
	report, rec, err := export.Tools(src.open, r)
	if err != nil {
		return unusable(src.name, err)
	}
	a.warnDamage(src.name, rec.Damage)
	if o.tool != "" {
		i := slices.IndexFunc(report.Tools, func(t annotate.ToolAccount) bool { return t.Name == o.tool })
		if i < 0 {
			return fail(2, knownTools(report, o.tool), "%s: no tool named %s was listed or called", src.name, o.tool)
		}
		report.Tools = report.Tools[i : i+1]
	}
	sort.SliceStable(report.Tools, func(i, j int) bool { return toolOrders[o.sort](&report.Tools[i], &report.Tools[j]) < 0 })
	out := a.standardOutput()
	switch {
	case o.api != "":
		return out.finish(a.toolsAs(out, report, o))
	case o.asJSON:
		return out.finish(writeToolReport(out.jsonWriter(), src.name, report, rec))
	}
	p := newTextLog(out.Writer, lookOf(a.stdout, false))
	if o.tool != "" {
		p.tool(&report.Tools[0])
	} else {
		p.tools(report)
	}
	return out.finish(nil)
}

// knownTools is a hint that names the tools there are, those first that may have been meant.
func knownTools(report *annotate.ToolReport, meant string) string {
	if len(report.Tools) == 0 {
		return "the recording has no tools"
	}
	var names []string
	for i := range report.Tools {
		names = append(names, report.Tools[i].Name)
	}
	far := func(name string) int {
		name, meant := strings.ToLower(name), strings.ToLower(meant)
		if strings.Contains(name, meant) {
			return 0
		}
		return min(distance(meant, name), len(meant)/2+1) // beyond that one is as far as the other
	}
	slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(far(a), far(b)) })
	const most = 12
	if len(names) > most {
		names = append(names[:most], "…")
	}
	return "there are " + strings.Join(names, ", ")
}

// modelTools are the tools that a host would send now.
func modelTools(report *annotate.ToolReport) []provider.Tool {
	var out []provider.Tool
	for i := range report.Tools {
		if t := &report.Tools[i]; t.Listed == annotate.Listed && t.Definition != nil {
			out = append(out, provider.ReadTool(t.Definition))
		}
	}
	return out
}

// toolsAs prints the definitions as a model API gets them.
func (a *app) toolsAs(out *output, report *annotate.ToolReport, o asking) error {
	tools := modelTools(report)
	warnings := provider.Check(o.api, tools)
	for i := range warnings {
		a.note("%s", warningText(&warnings[i]))
	}
	if len(tools) == 0 {
		a.note("no tool is listed here, so a host would send none")
	}
	w := out.jsonWriter()
	line := []byte("[")
	if o.asJSON {
		line = []byte(`{"api":"` + string(o.api) + `","tools":[`)
	}
	for i, t := range tools {
		if i > 0 {
			line = append(line, ',')
		}
		if !o.asJSON {
			line = append(line, "\n  "...)
		}
		line = provider.AppendTool(line, o.api, t)
		if _, err := w.Write(line); err != nil {
			return err
		}
		line = line[:0]
	}
	switch {
	case o.asJSON:
		line = append(line, `],"warnings":`...)
	case len(tools) > 0:
		line = append(line, "\n]\n"...)
	default:
		line = append(line, "]\n"...)
	}
	if _, err := w.Write(line); err != nil || !o.asJSON {
		return err
	}
	return writeWarnings(w, warnings, "}\n")
}

func writeWarnings(w io.Writer, warnings []provider.Warning, after string) error {
	if warnings == nil {
		warnings = []provider.Warning{}
	}
	var b strings.Builder
	if err := writeJSON(&b, warnings); err != nil {
		return err
	}
	_, err := io.WriteString(w, strings.TrimSuffix(b.String(), "\n")+after)
	return err
}

// warningText is a warning for people.
func warningText(w *provider.Warning) string {
	what := w.API.Title() + " would refuse "
	if !w.Refused {
		what = w.API.Title() + " may refuse "
		if w.Code == "schema-missing" {
			what = w.API.Title() + " needs more of "
		}
	}
	if w.Tool == "" && w.Code != "name-length" {
		return what + "the list: " + w.Message
	}
	name := w.Tool
	if name == "" {
		name = "a tool"
	}
	if w.Path != "" {
		return fmt.Sprintf("%s%s: %s (%s)", what, name, w.Message, w.Path)
	}
	return what + name + ": " + w.Message
}

// writeToolReport writes the object of `tools --json`.
func writeToolReport(w io.Writer, file string, report *annotate.ToolReport, rec *annotate.Recording) error {
	var head strings.Builder
	if err := writeJSON(&head, struct {
		File     string  `json:"file"`
		Revision *string `json:"revision"`
		Era      *string `json:"era"`
	}{file, orNull(rec.Revision), orNull(rec.Era)}); err != nil {
		return err
	}
	line := append([]byte(strings.TrimSuffix(head.String(), "}\n")), `,"summary":`...)
	line = append(report.AppendSummary(line), `,"tools":[`...)
	for i := range report.Tools {
		if i > 0 {
			line = append(line, ',')
		}
		line = report.Tools[i].AppendJSON(line)
		if _, err := w.Write(line); err != nil {
			return err
		}
		line = line[:0]
	}
	if _, err := w.Write(append(line, `],"providers":{`...)); err != nil {
		return err
	}
	tools := modelTools(report)
	for i, api := range provider.APIs() {
		before := `"` + string(api) + `":`
		if i > 0 {
			before = "," + before
		}
		if _, err := io.WriteString(w, before); err != nil {
			return err
		}
		if err := writeWarnings(w, provider.Check(api, tools), ""); err != nil {
			return err
		}
	}
	_, err := io.WriteString(w, "}}\n")
	return err
}
