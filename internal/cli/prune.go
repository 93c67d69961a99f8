package cli

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/shakescope/shakescope/internal/termtext"
	"github.com/shakescope/shakescope/recordings"
)

func pruneVerb(a *app) *cobra.Command {
	var (
		dryRun, asJSON bool
		age            ageFlag
		total          sizeFlag
	)
	c := &cobra.Command{
		Use:   "prune",
		Short: "Remove old recordings",
		Long: `Remove recordings of the folder that were last written longer ago than --older-than, and then the oldest ones until the
rest has at most --max-total. Without a limit it is that of ` + retentionVariable + `, or 30d,5GB: what every run
does in the background.

Recordings that are being written are never removed, neither is what shakescope did not record itself.`,
		Example: `  shakescope prune --dry-run
  shakescope prune --older-than 7d --max-total 500MB`,
		Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			keep, err := retention()
			if err != nil {
				return fail(2, "", "%w", err)
			}
			older, most := c.Flags().Changed("older-than"), c.Flags().Changed("max-total")
			if older || most {
				keep = recordings.Retention{}
			}
			if older {
				keep.Age = max(time.Duration(age), 1)
			}
			if most {
				keep.Total = max(int64(total), 1)
			}
			return a.prune(keep, dryRun, asJSON)
		},
	}
	c.Flags().BoolVar(&dryRun, "dry-run", false, "only say what would be removed")
	c.Flags().Var(&age, "older-than", "remove what was last written longer ago than this: 30d, 2w, 12h")
	c.Flags().Var(&total, "max-total", "keep at most so many bytes in all: 500MB, 5GiB")
	c.Flags().BoolVar(&asJSON, "json", false, "one object a recording")
	return c
}

// pruned is one object of `prune --json`.
type pruned struct {
	ID      string               `json:"id"`
	State   recordings.LiveState `json:"state"`
	Written time.Time            `json:"written"` // last
	Bytes   int64                `json:"bytes"`   // of its files
	Files   []string             `json:"files"`
	Reason  string               `json:"reason"` // "age" or "total"
	Removed bool                 `json:"removed"`
}

func (a *app) prune(keep recordings.Retention, dryRun, asJSON bool) error {
	dir, err := recordings.DefaultDir()
	if err != nil {
		return fail(2, "", "%w", err)
	}
	now := time.Now()
	excess, stays, err := recordings.Folder{Dir: dir}.Excess(keep, now)
	if err != nil {
		return fail(2, "", "%w", err)
	}
	out := a.standardOutput()
	p := newTextLog(out.Writer, lookOf(a.stdout, false))
	var failed error
	var removed, left prunedSum
	for i := range stays {
		left.add(&stays[i])
	}
	for i := range excess {
		e := &excess[i]
		if !dryRun {
			if err := e.Remove(); err != nil {
				a.note("%v", err)
				failed = exit(2)
				left.add(&e.Info)
				continue
			}
		}
		removed.add(&e.Info)
		if !asJSON {
			p.prunedLine(e, now, dryRun)
			continue
		}
		reason := "total"
		if e.Old {
			reason = "age"
		}
		err := writeJSON(out.jsonWriter(), pruned{e.ID, e.State, e.End.UTC(), e.Size, e.Files, reason, !dryRun})
		if err != nil {
			return writing(err)
		}
	}
	if !asJSON {
		verb := "removed"
		if dryRun {
			verb = "to be removed"
		}
		p.line(strong, fmt.Sprintf("%s %s, %s left (limit: %s)", removed, verb, left, retentionText(keep)))
	}
	if err := out.finish(nil); err != nil {
		return err
	}
	return failed
}

// prunedSum counts recordings and their bytes.
type prunedSum struct {
	n     int64
	bytes int64
}

func (s *prunedSum) add(i *recordings.Info) {
	s.n++
	s.bytes += i.Size
}

func (s prunedSum) String() string {
	return fmt.Sprintf("%s (%s)", plural(s.n, "recording"), sizeText(s.bytes))
}

// prunedLine says which recording goes, and why.
func (p *textLog) prunedLine(e *recordings.Excess, now time.Time, dryRun bool) {
	verb := "removed"
	if dryRun {
		verb = "would remove"
	}
	why := "over the total"
	if e.Old {
		why = "too old"
	}
	p.cell(muted, verb, 0)
	p.cell(noRole, p.clean(e.ID), 0)
	p.cell(noRole, termtext.PadLeft(sizeText(e.Size), 8), 0)
	age := now.Sub(e.End).Round(time.Minute)
	text := strings.TrimSuffix(age.String(), "0s") + " ago"
	if age <= 0 {
		text = "just now"
	}
	if age >= 48*time.Hour {
		text = fmt.Sprintf("%d days ago", age/(24*time.Hour))
	}
	more := ""
	if n := len(e.Files); n > 1 {
		more = fmt.Sprintf(", %d files", n)
	}
	p.line(noRole, fmt.Sprintf("%s %s%s, %s: %s", e.State, text, more, why, p.clean(nameOf(e.Info))))
}
