package cli

import (
	"io"

	"github.com/spf13/cobra"

	"github.com/shakescope/shakescope/annotate"
	"github.com/shakescope/shakescope/internal/export"
	"github.com/shakescope/shakescope/internal/provider"
	"github.com/shakescope/shakescope/recordings"
)

func showVerb(a *app) *cobra.Command {
	var follow, asJSON, plain, keep bool
	var expr string
	as := choice{of: []string{string(provider.Anthropic), string(provider.OpenAI)}}
	c := &cobra.Command{
		Use:   "show FILE",
		Short: "Print the annotated log, one entry a line",
		Long: `Print the annotated log of a recording: one entry a line with its lifecycle phase, its primitive,
the capability it depends on, its method and what happened. Findings stand below their entry.

A narrow terminal gets letters and short words, and a rule where the phase changes; in less than 100 columns what happened
is cut to the line. COLUMNS, where it is set, is the width. Into a pipe or a file everything is printed.

FILE is a path, the id of a recording, ` + "`last`, or `-`" + ` for standard input.

With --filter only the entries for which an expression is true are printed. Tests side by side are
joined by and; a word alone is searched for. With -f a test sees what is known when the entry is
printed. The language is explained in docs/filter.md.

With --as the calls of tools are printed the way the model saw them, one JSON object a line: as blocks
tool_use and tool_result, or as messages with tool_calls and of the role tool.

What is printed for people is not masked. With --json and --as, which are made for programs, secrets
are; --no-redact leaves them in.`,
		Example: `  shakescope show last
  shakescope show last -f
  shakescope show last --filter 'tool:search* latency > 1s'
  shakescope show session.jsonl --json | jq 'select(.kind=="error")'`,
		Args: oneFile, ValidArgsFunction: completeOneFile,
		RunE: func(_ *cobra.Command, args []string) error {
			x, err := parseFilter(expr)
			if err != nil {
				return err
			}
			if follow {
				return a.follow(args[0], x, asJSON, plain, keep)
			}
			src, err := a.source(args[0])
			if err != nil {
				return err
			}
			defer src.close()
			src.filter = x
			out := a.standardOutput()
			if src.secrets, err = a.redactor(keep || !asJSON && as.value == ""); err != nil {
				return err
			}
			if as.value != "" {
				return out.finish(a.writeModelLog(src, out.jsonWriter(), provider.API(as.value)))
			}
			if asJSON {
				return out.finish(a.writeJSONLines(src, out.jsonWriter()))
			}
			return out.finish(a.writeTextLog(src, newTextLog(out.Writer, lookOf(a.stdout, plain))))
		},
	}
	c.Flags().BoolVarP(&follow, "follow", "f", false, "print entries of a live recording as they come")
	c.Flags().BoolVar(&asJSON, "json", false, "print annotated JSON lines; secrets in them are masked")
	noRedact(c, &keep)
	c.Flags().BoolVar(&plain, "plain", false, "no colour, only ASCII")
	c.Flags().Var(&as, "as", "print calls of tools the way a model saw them: anthropic or openai")
	completeChoice(c, "as", &as)
	filterFlag(c, &expr)
	c.MarkFlagsMutuallyExclusive("json", "plain", "as")
	c.MarkFlagsMutuallyExclusive("follow", "as")
	return c
}

// writeModelLog writes calls of tools and their results as a model saw them.
func (a *app) writeModelLog(src *source, w io.Writer, api provider.API) error {
	m := export.ModelLog{API: api}
	var line []byte
	rec, err := src.collect(func(e *annotate.Entry) error {
		var ok bool
		if line, ok = m.Append(line[:0], e); !ok {
			return nil
		}
		line = append(line, '\n')
		_, err := w.Write(line)
		return err
	})
	if err != nil {
		return err
	}
	a.warnDamage(src.name, rec.Damage)
	return nil
}

// header reads only the header of the recording. Its secrets are masked if the source's are.
func (s *source) header() (*recordings.Header, error) {
	r, err := s.open()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return export.Header(s.secrets, r.Header()), nil
}

// writeJSONLines writes the annotated JSON lines of the contract.
func (a *app) writeJSONLines(src *source, w io.Writer) error {
	h, err := src.header()
	if err != nil {
		return err
	}
	var line []byte
	rec, err := src.collect(func(e *annotate.Entry) error {
		line = append(annotate.AppendJSON(line[:0], e, h), '\n')
		_, err := w.Write(line)
		return err
	})
	if err != nil {
		return err
	}
	a.warnDamage(src.name, rec.Damage)
	return nil
}

// writeTextLog writes the annotated log for people.
func (a *app) writeTextLog(src *source, p *textLog) error {
	h, err := src.header()
	if err != nil {
		return err
	}
	p.header(h)
	rec, err := src.collect(func(e *annotate.Entry) error {
		p.entry(e)
		return nil
	})
	if err != nil {
		return err
	}
	if src.filter == nil {
		p.closing(rec.Findings, rec.Revision, rec.Era)
	} else {
		if src.shown > 0 { // else there is nothing to sum up
			p.closing(nil, rec.Revision, rec.Era)
		}
		p.filtered(src)
	}
	a.warnDamage(src.name, rec.Damage)
	return nil
}
