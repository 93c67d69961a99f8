package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/shakescope/shakescope/annotate"
	"github.com/shakescope/shakescope/internal/export"
	"github.com/shakescope/shakescope/internal/filter"
)

// filterFlag adds --filter to a verb; what is written there goes to expr.
func filterFlag(c *cobra.Command, expr *string) {
	c.Flags().StringVar(expr, "filter", "", "only entries for which this `EXPR` is true, such as 'tool:search* latency > 1s'")
	err := c.RegisterFlagCompletionFunc("filter", func(_ *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
		from, proposals := filter.Complete(typed, len(typed), func(name string) []filter.Value {
			seen := filter.NewSeen(name)
			glance(args, seen.Add)
			return seen.Values()
		})
		words := make([]cobra.Completion, len(proposals))
		for i, p := range proposals {
			about := p.About
			if p.Count > 0 {
				about = grouped(int64(p.Count)) + "×"
			}
			words[i] = cobra.CompletionWithDesc(typed[:from]+p.Text, about)
		}
		return words, cobra.ShellCompDirectiveNoSpace | cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
	})
	if err != nil {
		panic(err) // the flag was added above
	}
}

// parseFilter reads the value of --filter; nil lets everything pass.
func parseFilter(expr string) (*filter.Expr, error) {
	x, err := filter.Parse(expr)
	if err == nil {
		if x.Empty() {
			return nil, nil
		}
		return x, nil
	}
	f := &failure{code: 2, err: fmt.Errorf("--filter: %w", err)}
	if at, ok := err.(*filter.SyntaxError); ok {
		source, mark := at.Caret()
		f.lines = []string{source, mark}
	}
	return nil, f
}

// matching hands the entries that pass the source's filter to yield, and counts them.
func (s *source) matching(yield func(*annotate.Entry) error) (*annotate.Recording, error) {
	h, err := s.header()
	if err != nil {
		return nil, err
	}
	stream := s.filter.Stream(h.Start)
	if s.filter.LooksAhead() {
		_, err := annotate.Collect(s.open, func(e *annotate.Entry) error { stream.Learn(e); return nil })
		if err != nil {
			return nil, err
		}
	}
	// The filter sees entries as they are: what is masked afterwards can still be asked for.
	return export.Collect(s.open, s.secrets, func(e *annotate.Entry) bool {
		s.seen++
		if !stream.Match(e) {
			return false
		}
		s.shown++
		return true
	}, yield)
}
