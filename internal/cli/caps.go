package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/shakescope/shakescope/annotate"
	"github.com/shakescope/shakescope/internal/termtext"
)

// capsReport is the object of `caps --json`.
type capsReport struct {
	File     string                `json:"file"`
	Revision *string               `json:"revision"`
	Era      *string               `json:"era"`
	Lines    []annotate.LedgerLine `json:"capabilities"`
	Without  []annotate.WhatIf     `json:"without,omitempty"`
}

func capsVerb(a *app) *cobra.Command {
	var asJSON, keep bool
	var without []string
	c := &cobra.Command{
		Use:   "caps FILE",
		Short: "Capability ledger: declared where, used how often, never, or undeclared",
		Long: `Show what each side declared, how often it was used, what was used without having been declared, and
what was declared for nothing. --without answers what would be wrong if a capability had not been
declared: which messages lean on it, and which rules they would then break.`,
		Example: `  shakescope caps last
  shakescope caps last --without server:tools.listChanged`,
		Args: oneFile, ValidArgsFunction: completeOneFile,
		RunE: func(_ *cobra.Command, args []string) error {
			names, err := capabilityNames(without)
			if err != nil {
				return err
			}
			src, err := a.source(args[0])
			if err != nil {
				return err
			}
			defer src.close()
			if src.secrets, err = a.redactor(keep || !asJSON); err != nil {
				return err
			}
			return a.caps(src, names, asJSON)
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "one object; secrets in it are masked")
	noRedact(c, &keep)
	c.Flags().StringArrayVar(&without, "without", nil, "what if `SIDE:PATH` had not been declared (client:sampling, server:tools.listChanged); may be repeated")
	c.RegisterFlagCompletionFunc("without", completeCapability)
	return c
}

// capabilityNames reads the values of --without.
func capabilityNames(values []string) ([]annotate.CapabilityName, error) {
	var out []annotate.CapabilityName
	for _, v := range values {
		side, path, ok := strings.Cut(v, ":")
		if !ok || side != "client" && side != "server" || path == "" {
			return nil, fail(2, "for example --without server:tools.listChanged; `shakescope caps FILE` lists what there is",
				"--without takes client:PATH or server:PATH, not %q", v)
		}
		out = append(out, annotate.CapabilityName{Side: side, Path: path})
	}
	return out, nil
}

func (a *app) caps(src *source, names []annotate.CapabilityName, asJSON bool) error {
	var ledger annotate.Ledger
	rec, err := src.collect(func(e *annotate.Entry) error {
		ledger.Add(e)
		return nil
	})
	if err != nil {
		return err
	}
	a.warnDamage(src.name, rec.Damage)
	report := capsReport{File: src.name, Revision: orNull(rec.Revision), Era: orNull(rec.Era), Lines: ledger.Lines()}
	for _, n := range names {
		x, err := annotate.Without(src.open, n)
		if err != nil {
			return unusable(src.name, err)
		}
		report.Without = append(report.Without, *x)
	}
	out := a.standardOutput()
	if asJSON {
		if err := writeRedacted(out, src.secrets, report, src.name); err != nil {
			return writing(err)
		}
		return out.finish(nil)
	}
	p := newTextLog(out.Writer, lookOf(a.stdout, false))
	p.ledger(report.Lines)
	for i := range report.Without {
		p.whatIf(&report.Without[i])
	}
	return out.finish(nil)
}

// ledger prints the accounts as a table.
func (p *textLog) ledger(lines []annotate.LedgerLine) {
	if len(lines) == 0 {
		p.line(muted, "no capability was declared or needed")
		return
	}
	width := len("CAPABILITY")
	for i := range lines {
		width = max(width, termtext.Width(p.clean(lines[i].Path)))
	}
	p.line(strong, "  SIDE    "+termtext.PadRight("CAPABILITY", width)+"  DECLARED  USED")
	for i := range lines {
		l := &lines[i]
		mark, r := p.ledgerMark(l.Status())
		p.hang = lineHang
		p.put(r, mark+" "+termtext.PadRight(l.Side, 6)+"  "+termtext.PadRight(p.clean(l.Path), width)+"  "+termtext.PadRight(declaredWhere(l), 8)+"  ")
		text := usedHow(l)
		if l.Note != "" {
			text += p.glyph(" · ", " | ") + p.clean(l.Note)
		}
		p.line(r, text)
	}
}

func (p *textLog) ledgerMark(s annotate.Status) (string, role) {
	switch s {
	case annotate.StatusUndeclared:
		return p.glyph("✗", "x"), bad
	case annotate.StatusUnknown:
		return "?", muted
	case annotate.StatusNeverUsed:
		return p.glyph("○", "o"), muted
	case annotate.StatusImplied:
		return " ", muted
	}
	return p.glyph("✓", "+"), noRole
}

func declaredWhere(l *annotate.LedgerLine) string {
	switch {
	case len(l.DeclaredAt) > 0:
		return "#" + refText(l.DeclaredAt[0])
	case l.Undeclared > 0:
		return "no"
	}
	return "not seen"
}

// usedHow says how often a capability was used, and where first.
func usedHow(l *annotate.LedgerLine) string {
	var parts []string
	if l.Used > 0 {
		parts = append(parts, grouped(l.Used)+"×")
	}
	if l.Unknown > 0 {
		parts = append(parts, grouped(l.Unknown)+"× without our knowing")
	}
	if l.Undeclared > 0 {
		parts = append(parts, fmt.Sprintf("%s× undeclared, first #%s", grouped(l.Undeclared), refText(l.Against[0])))
	}
	if parts == nil && l.Status() == annotate.StatusImplied {
		return "by its parts"
	} else if parts == nil {
		return "never"
	}
	return strings.Join(parts, ", ")
}

// whatIf prints what would be wrong without a capability.
func (p *textLog) whatIf(x *annotate.WhatIf) {
	p.line("", "")
	name := p.clean(x.Side + " " + x.Path)
	switch {
	case !x.Declared:
		p.line(strong, "without "+name+": nothing changes, it was not declared")
		return
	case x.Count == 0 && len(x.Findings) == 0:
		p.line(strong, "without "+name+": nothing changes, no message leans on it")
		return
	}
	p.line(strong, fmt.Sprintf("without %s: %s would lean on something undeclared, %s more", name, plural(x.Count, "message"), plural(len(x.Findings), "finding")))
	for i := range x.Findings {
		f := &x.Findings[i]
		mark, r := p.levelMark(f.Level)
		of := ""
		if !f.At.IsZero() {
			of = " #" + refText(f.At)
		}
		text := fmt.Sprintf("  %s%s %s: %s", mark, of, p.clean(f.Rule), p.clean(f.Message))
		if f.Count > 1 {
			text += fmt.Sprintf(" (%d times)", f.Count)
		}
		p.line(r, text)
	}
}
