package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/shakescope/shakescope/annotate"
	"github.com/shakescope/shakescope/internal/compare"
	"github.com/shakescope/shakescope/internal/redact"
	"github.com/shakescope/shakescope/internal/termtext"
	"github.com/shakescope/shakescope/internal/timetext"
)

// diffing is what the flags of diff say.
type diffing struct {
	asJSON, exitCode, exact, keep bool
}

func diffVerb(a *app) *cobra.Command {
	var d diffing
	c := &cobra.Command{
		Use:   "diff A B",
		Short: "How two recordings differ: handshake, capabilities, catalogue, traffic, latency",
		Long: `Say how recording B differs from recording A: what was agreed on and declared, which tools, prompts and
resources came, went or changed, which requests were answered otherwise, which took longer.

Changes of what a server offers are graded: breaking for those who rely on what was, compatible, or
cosmetic. Where calls were recorded, changed schemas are tried on them.

Identifiers, times, ports, temporary folders and durations change with every run and are not compared;
--exact compares them, too.

The exit code is 0, with --exit-code 1 if anything but latencies differs, and 2 when a file cannot be used.`,
		Example: `  shakescope diff before.jsonl last
  shakescope diff --exit-code before.jsonl after.jsonl`,
		Args: twoFiles, ValidArgsFunction: completeTwoFiles,
		RunE: func(_ *cobra.Command, args []string) error { return a.diff(args[0], args[1], d) },
	}
	c.Flags().BoolVar(&d.asJSON, "json", false, "one object; secrets in it are masked")
	c.Flags().BoolVar(&d.exitCode, "exit-code", false, "exit code 1 if they differ")
	c.Flags().BoolVar(&d.exact, "exact", false, "also compare what changes with every run")
	noRedact(c, &d.keep)
	return c
}

// twoFiles demands exactly two FILEs.
func twoFiles(c *cobra.Command, args []string) error {
	if len(args) != 2 {
		return fail(2, whatFileIs, "%s needs two FILEs, got %d", c.Name(), len(args))
	}
	if args[0] == "-" && args[1] == "-" {
		return fail(2, "", "only one FILE can be standard input")
	}
	return nil
}

func (a *app) diff(first, second string, d diffing) error {
	before, err := a.source(first)
	if err != nil {
		return err
	}
	defer before.close()
	after, err := a.source(second)
	if err != nil {
		return err
	}
	defer after.close()
	secrets, err := a.redactor(d.keep || !d.asJSON)
	if err != nil {
		return err
	}
	r, err := compared(before, after, compare.Options{Exact: d.exact}, secrets)
	if err != nil {
		return err
	}
	out := a.standardOutput()
	if d.asJSON {
		err = writeRedacted(out, secrets, r, before.name, after.name)
	} else {
		newTextLog(out.Writer, lookOf(a.stdout, false)).difference(r)
	}
	if err := out.finish(err); err != nil {
		return err
	}
	if d.exitCode && !r.Empty() {
		return exit(1)
	}
	return nil
}

// compared says how two recordings differ.
func compared(before, after *source, o compare.Options, secrets *redact.Redactor) (*compare.Report, error) {
	r, err := o.Recordings(compare.Side{Name: before.name, Open: before.open, Secrets: secrets}, compare.Side{Name: after.name, Open: after.open, Secrets: secrets})
	var known *failure
	if err != nil && !errors.As(err, &known) {
		err = fail(2, "", "%w", err)
	}
	return r, err
}

// difference prints a report for people.
func (p *textLog) difference(r *compare.Report) {
	for _, side := range []struct {
		sign string
		of   *compare.Facts
	}{{"A", &r.A}, {"B", &r.B}} {
		revision := "revision unknown"
		if side.of.Revision != "" {
			revision = p.clean(side.of.Revision)
		}
		p.line(muted, fmt.Sprintf("%s  %s%s%s, %s", side.sign, p.clean(shortName(side.of.Name)), p.glyph(" · ", " | "), revision, plural(side.of.Messages, "message")))
	}
	for _, s := range compare.Sections {
		list := r.In(s)
		if len(list) == 0 {
			continue
		}
		p.line(noRole, "")
		p.line(strong, string(s))
		before := ""
		for i := range list {
			subject := list[i].Subject()
			p.changed(&list[i], subject, subject == before)
			before = subject
		}
		if n := r.Left[s]; n > 0 {
			p.line(muted, fmt.Sprintf("    %s more", grouped(int64(n))))
		}
	}
	p.slower(r)
	p.line(noRole, "")
	t := &r.Requests
	requests := []string{plural(t.Same, "request") + " the same"}
	for _, o := range t.Others() {
		requests = append(requests, grouped(int64(o.N))+" "+o.What)
	}
	if r.Empty() {
		p.line(good, p.glyph("✓ ", "+ ")+"no difference: "+requests[0])
		return
	}
	p.line(strong, fmt.Sprintf("%d breaking, %d compatible, %d cosmetic%s%s", r.Grades(compare.Breaking), r.Grades(compare.Compatible), r.Grades(compare.Cosmetic),
		p.glyph(" · ", " | "), strings.Join(requests, ", ")))
}

// gradeMark is the sign of a grade.
func (p *textLog) gradeMark(g compare.Grade) (string, role) {
	switch g {
	case compare.Breaking:
		return p.glyph("✗", "x"), bad
	case compare.Compatible:
		return p.glyph("○", "o"), note
	case compare.Cosmetic:
		return p.glyph("·", "."), muted
	}
	return "~", warn
}

// changed prints one change, and below it what belongs to it. again says that the line above is about the same thing.
func (p *textLog) changed(x *compare.Change, subject string, again bool) {
	mark, r := p.gradeMark(x.Grade)
	words := p.clean(x.Words)
	if x.Count > 1 {
		words += fmt.Sprintf(" (%d times)", x.Count)
	}
	if again {
		subject = ""
	}
	// On a terminal the words go on below themselves, or where there is no room below the subject.
	p.hang = len("  m ") + len("compatible  ")
	p.put(r, fmt.Sprintf("  %s %s  %s  ", mark, termtext.PadRight(string(x.Grade), 10), termtext.PadRight(p.clean(subject), 28)))
	p.line(r, words+p.refs(x.A, x.B))
	if x.Grade == compare.Breaking && x.Why != "" {
		p.line(muted, "       "+p.clean(x.Why))
	}
	if e := x.Evidence; e != nil && e.Failed > 0 {
		p.line(muted, fmt.Sprintf("       for example %s#%s: %s", strings.ToUpper(e.Side), refText(e.First), p.clean(e.Example)))
	}
	for _, d := range x.Differences {
		where := d.Path
		if where == "" {
			where = "/"
		}
		p.line(muted, "       "+p.clean(where)+"  "+p.clean(d.Words))
	}
	if x.More > 0 {
		p.line(muted, fmt.Sprintf("       and %d more", x.More))
	}
}

// refs says where both sides are.
func (p *textLog) refs(a, b annotate.Ref) string {
	var parts []string
	if !a.IsZero() {
		parts = append(parts, "A#"+refText(a))
	}
	if !b.IsZero() {
		parts = append(parts, "B#"+refText(b))
	}
	if parts == nil {
		return ""
	}
	return "  [" + strings.Join(parts, " ") + "]"
}

// slower prints the latencies that differ by more than chance.
func (p *textLog) slower(r *compare.Report) {
	first := true
	for i := range r.Latency {
		l := &r.Latency[i]
		if !l.Meaningful {
			continue
		}
		if first {
			p.line(noRole, "")
			p.line(strong, "latency")
			first = false
		}
		mark, role := p.glyph("▲", "^"), warn
		if l.Ratio < 1 {
			mark, role = p.glyph("▼", "v"), good
		}
		subject := l.Side + " " + l.Method
		if l.Name != "" {
			subject += " " + l.Name
		}
		p.put(role, fmt.Sprintf("  %s %s  ", mark, termtext.PadRight(p.clean(subject), 40)))
		p.line(role, fmt.Sprintf("median %s became %s (%.1f×), p95 %s became %s, n %d and %d",
			timetext.Latency(l.A.Median), timetext.Latency(l.B.Median), l.Ratio, timetext.Latency(l.A.P95), timetext.Latency(l.B.P95), l.A.N, l.B.N))
	}
}
