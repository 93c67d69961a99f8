package cli

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/shakescope/shakescope/recordings"
)

func verifyVerb(a *app) *cobra.Command {
	var asJSON, keep bool
	c := &cobra.Command{
		Use:   "verify FILE",
		Short: "Prove from the file alone that a recording is whole",
		Long: `Prove from the file alone that a recording holds all that travelled: the sums of its end record, its
numbering, its gaps and its damaged places. The exit code is 0 when it is whole, 1 when it is not, is
still running or was imported, 2 when it cannot be used. A segment of a recording stands for all of it.`,
		Args:              oneFile,
		ValidArgsFunction: completeOneFile,
		RunE: func(_ *cobra.Command, args []string) error {
			src, err := a.source(args[0])
			if err != nil {
				return err
			}
			defer src.close()
			if src.secrets, err = a.redactor(keep || !asJSON); err != nil {
				return err
			}
			return a.verify(src, asJSON)
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "one object; your name in paths is masked in it")
	noRedact(c, &keep)
	return c
}

func (a *app) verify(src *source, asJSON bool) error {
	path, remove, err := src.named()
	if err != nil {
		return err
	}
	defer remove()
	v, err := recordings.Verify(path)
	if err != nil {
		return unusable(src.name, err)
	}
	v.File = src.name
	out := a.standardOutput()
	if asJSON {
		err = writeRedacted(out, src.secrets, &v, src.name)
	} else {
		newTextLog(out.Writer, lookOf(a.stdout, false)).verification(&v)
	}
	if err := out.finish(err); err != nil {
		return err
	}
	if !v.Whole {
		return exit(1)
	}
	return nil
}

// verification prints the verdict, and what it rests on.
func (p *textLog) verification(v *recordings.Verification) {
	mark, r := p.glyph("✓", "ok"), good
	if !v.Whole {
		mark, r = p.glyph("✗", "x"), bad
	}
	p.line(r, mark+" "+p.clean(shortName(v.File))+": "+p.clean(v.Sentence))
	for _, name := range []string{"stdin", "stdout", "stderr"} {
		s := v.Streams[name]
		same := p.glyph("✓", "ok")
		switch {
		case s.RecordedSHA256 == "":
			same = "nothing to compare with"
		case s.RecordedSHA256 != s.SHA256:
			same = p.glyph("≠", "is not") + " " + p.clean(s.RecordedSHA256)
		}
		p.cell(muted, name, 6)
		p.line(noRole, fmt.Sprintf("%s, %s, sha256 %s %s", plural(s.Frames, "frame"), plural(s.Bytes, "byte"), s.SHA256, same))
	}
	const most = 20
	for i, d := range v.Damaged {
		if i == most {
			p.line(warn, fmt.Sprintf("and %d more damaged places", len(v.Damaged)-most))
			break
		}
		in := ""
		if d.File != "" {
			in = p.clean(d.File) + ", "
		}
		p.line(warn, fmt.Sprintf("%sline %d, at byte %s: %s", in, d.Line, grouped(d.Offset), p.clean(d.Reason)))
	}
	for i := range v.Gaps {
		g := &v.Gaps[i]
		var lost []string
		for _, s := range slices.Sorted(maps.Keys(g.Bytes)) {
			lost = append(lost, fmt.Sprintf("%s of %s", plural(g.Bytes[s], "byte"), p.clean(s)))
		}
		p.line(warn, fmt.Sprintf("gap #%d from +%.3f to +%.3f s: %s (%s)", g.Seq, g.From.Seconds(), g.To.Seconds(), strings.Join(lost, ", "), p.clean(g.Reason)))
	}
}
