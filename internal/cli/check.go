package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/shakescope/shakescope/annotate"
	"github.com/shakescope/shakescope/internal/compare"
	"github.com/shakescope/shakescope/internal/export"
	"github.com/shakescope/shakescope/internal/numtext"
	"github.com/shakescope/shakescope/internal/redact"
)

// levels from worst to mildest.
var levels = []annotate.Level{annotate.LevelError, annotate.LevelWarning, annotate.LevelInfo}

// checked is the verdict on one file.
type checked struct {
	export.Verdict
	Revision *string
	Era      *string
	Counts   map[annotate.Level]int
}

// checkReport is the object of `check --format json`.
type checkReport struct {
	File     string                 `json:"file"`
	Revision *string                `json:"revision"`
	Era      *string                `json:"era"`
	Findings []placedFinding        `json:"findings"`
	Counts   map[annotate.Level]int `json:"counts"`
}

// placedFinding is a finding with the line that its entry stands on, 0 for none, and the file where the recording
// has several.
type placedFinding struct {
	annotate.Finding
	segment string
	line    int64
}

func (f placedFinding) MarshalJSON() ([]byte, error) {
	out, err := f.Finding.MarshalJSON()
	if err != nil || f.line == 0 {
		return out, err
	}
	out = fmt.Appendf(bytes.TrimSuffix(out, []byte("}")), `,"line":%d`, f.line)
	if f.segment != "" {
		name, err := json.Marshal(f.segment)
		if err != nil {
			return nil, err
		}
		out = fmt.Appendf(out, `,"segment":%s`, name)
	}
	return append(out, '}'), nil
}

func (v *checked) report() *checkReport {
	r := &checkReport{File: v.File, Revision: v.Revision, Era: v.Era, Findings: []placedFinding{}, Counts: v.Counts}
	for i := range v.Findings {
		f := placedFinding{Finding: v.Findings[i]}
		if !f.At.IsZero() {
			f.segment, f.line = v.Lines.Of(f.At.Seq)
		}
		r.Findings = append(r.Findings, f)
	}
	return r
}

func checkVerb(a *app) *cobra.Command {
	var design, keep bool
	var baseline string
	failOn, format := choice{value: "error", of: []string{"error", "warning", "info"}}, choice{value: "text", of: []string{"text", "json", "sarif", "junit"}}
	c := &cobra.Command{
		Use:   "check FILE…",
		Short: "Look for faults; exit code 1 when there are some",
		Long: `Check recordings against the rules of their revision. The exit code is 0 when nothing was found at
the level of --fail-on or worse, 1 when something was, 2 when a file cannot be used.

--design adds what breaks no rule and still makes tools hard to use for a model, or unsafe: its findings
are of level info.

--baseline compares each file with an earlier recording and adds what drifted, by rules drift-…: a tool that
is gone or refuses calls it took is an error, what breaks nobody is info. Findings that the baseline has, too,
are reported all the same.

Secrets that findings quote are masked in all formats but text, which is meant for this terminal;
--no-redact leaves them in.`,
		Example: `  shakescope check last
  shakescope check --fail-on warning --format json recordings/*.jsonl
  shakescope check --baseline approved.jsonl last`,
		Args: someFiles, ValidArgsFunction: completeFile,
		RunE: func(_ *cobra.Command, args []string) error {
			return a.check(args, checking{failOn: annotate.Level(failOn.value), format: format.value, design: design, keep: keep, baseline: baseline})
		},
	}
	c.Flags().Var(&failOn, "fail-on", "level from which on the exit code is 1: error, warning or info")
	c.Flags().Var(&format, "format", "text, json (one object a file), sarif or junit")
	c.Flags().BoolVar(&design, "design", false, "also review the design of tools")
	c.Flags().StringVar(&baseline, "baseline", "", "also report what drifted from the recording `FILE`")
	noRedact(c, &keep)
	c.RegisterFlagCompletionFunc("baseline", completeFile)
	completeChoice(c, "fail-on", &failOn)
	completeChoice(c, "format", &format)
	return c
}

// checking is what the flags of check say.
type checking struct {
	failOn annotate.Level
	format string
	design bool
	keep   bool // secrets

	secrets  *redact.Redactor // what masks them: one for all files, so that equal secrets look equal in the report
	baseline string           // a FILE
	before   *source          // that it names
}

func (a *app) check(files []string, o checking) error {
	if o.baseline != "" {
		var err error
		if o.before, err = a.source(o.baseline); err != nil {
			return err
		}
		defer o.before.close()
	}
	out := a.standardOutput()
	p := newTextLog(out.Writer, lookOf(a.stdout, false))
	failed, unusable := false, 0
	var err error
	if o.secrets, err = a.redactor(o.keep || o.format == "text"); err != nil {
		return err
	}
	var verdicts []export.Verdict
	for _, file := range files {
		v, err := a.checkFile(file, o)
		if err != nil {
			// The other files deserve their verdict all the same.
			out.Flush()
			unusable = max(unusable, a.report(err))
			continue
		}
		for l, n := range v.Counts {
			failed = failed || n > 0 && o.failing(l)
		}
		switch o.format {
		case "json":
			if err := writeRedacted(out, o.secrets, v.report(), v.File); err != nil {
				return writing(err)
			}
		case "text":
			p.verdict(v)
		default:
			verdicts = append(verdicts, v.Verdict)
		}
	}
	if err := o.report(out, a.build.String(), verdicts); err != nil {
		return writing(err)
	}
	if err := out.finish(nil); err != nil {
		return err
	}
	switch {
	case unusable > 0:
		return exit(unusable)
	case failed:
		return exit(1)
	}
	return nil
}

// failing reports whether findings of a level make the check fail.
func (o *checking) failing(l annotate.Level) bool {
	return slices.Index(levels, l) <= slices.Index(levels, o.failOn)
}

// report writes the formats that hold all files in one document.
func (o *checking) report(w io.Writer, version string, verdicts []export.Verdict) error {
	switch o.format {
	case "sarif":
		return export.WriteSARIF(w, version, verdicts)
	case "junit":
		return export.WriteJUnit(w, verdicts)
	}
	return nil
}

func (a *app) checkFile(file string, o checking) (*checked, error) {
	src, err := a.source(file)
	if err != nil {
		return nil, err
	}
	defer src.close()
	src.secrets = o.secrets
	rec, err := src.collect(nil)
	if err != nil {
		return nil, err
	}
	a.warnDamage(src.name, rec.Damage)
	v := &checked{
		Verdict:  export.Verdict{File: src.name, Lines: rec.Lines, Findings: slices.Clone(rec.Findings), Failing: o.failing},
		Revision: orNull(rec.Revision), Era: orNull(rec.Era), Counts: map[annotate.Level]int{},
	}
	if !o.design {
		v.Findings = slices.DeleteFunc(v.Findings, func(f annotate.Finding) bool { return f.Design() })
	}
	if o.before != nil {
		r, err := compared(o.before, src, compare.Options{}, src.secrets)
		if err != nil {
			return nil, err
		}
		v.Findings = append(v.Findings, r.Drift()...)
	}
	for _, l := range levels {
		v.Counts[l] = 0
	}
	for i := range v.Findings {
		v.Counts[v.Findings[i].Level] += max(v.Findings[i].Count, 1)
	}
	return v, nil
}

func orNull(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// verdict prints the findings of one file.
func (p *textLog) verdict(v *checked) {
	name := p.clean(shortName(v.File))
	for _, f := range annotate.ByConsequence(v.Findings) {
		of := ""
		if !f.At.IsZero() {
			of = ":" + refText(f.At)
		}
		mark, r := p.levelMark(f.Level)
		text := fmt.Sprintf("%s%s: %s %s %s: %s", name, of, mark, f.Level, p.clean(f.Rule), p.clean(f.Message))
		if f.Count > 1 {
			text += fmt.Sprintf(" (%d times)", f.Count)
		}
		if f.By != "" {
			text += " (by " + p.clean(f.By) + ")"
		}
		if f.Spec != "" {
			text += p.glyph(" — ", " - ") + p.clean(f.Spec)
		}
		p.line(r, text)
	}
	revision := "revision unknown"
	if v.Revision != nil {
		revision = p.clean(*v.Revision)
	}
	p.line(strong, fmt.Sprintf("%s: %s (%s)", name, levelCounts(v.Counts), revision))
}

// levelCounts says how many findings there are of each level.
func levelCounts(n map[annotate.Level]int) string {
	return fmt.Sprintf("%s, %s, %s info", plural(n[annotate.LevelError], "error"), plural(n[annotate.LevelWarning], "warning"), grouped(int64(n[annotate.LevelInfo])))
}

func plural[N int | int64](n N, noun string) string { return numtext.Plural(n, noun) }

func grouped(n int64) string { return numtext.Grouped(n) }

// choice is a flag that takes one of a few words.
type choice struct {
	value string
	of    []string
}

func (c *choice) String() string { return c.value }
func (c *choice) Type() string   { return strings.Join(c.of, "|") }

func (c *choice) Set(s string) error {
	if !slices.Contains(c.of, s) {
		return fmt.Errorf("must be %s", strings.Join(c.of, ", "))
	}
	c.value = s
	return nil
}

// completeChoice offers the words of a flag to the shell.
func completeChoice(c *cobra.Command, flag string, words *choice) {
	c.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(words.of, cobra.ShellCompDirectiveNoFileComp))
}
