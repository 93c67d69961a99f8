package cli

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/shakescope/shakescope/annotate"
)

func replayVerb(a *app) *cobra.Command {
	speed, from := speedFlag(1), offsetFlag(0)
	c := &cobra.Command{
		Use:   "replay FILE",
		Short: "Play a recording as it happened",
		Long: `Play a recording as it happened: the terminal UI with entries appearing at their recorded pace. On no
terminal the annotated log is printed at that pace.`,
		Example: `  shakescope replay last --speed 4
  shakescope replay session.jsonl --speed max | less`,
		Args: oneFile, ValidArgsFunction: completeOneFile,
		RunE: func(_ *cobra.Command, args []string) error {
			src, err := a.source(args[0])
			if err != nil {
				return err
			}
			defer src.close()
			if a.interactive() {
				return a.replayInTUI(src, float64(speed), time.Duration(from))
			}
			return a.replayAsText(src, float64(speed), time.Duration(from))
		},
	}
	c.Flags().Var(&speed, "speed", "how many times faster than recorded, or max")
	c.Flags().Var(&from, "from", "start at this time of the recording, such as 90s or +1m30s")
	a.tuiFlags(c)
	return c
}

// replayAsText prints the annotated log at recorded pace. Entries before from are left out.
func (a *app) replayAsText(src *source, speed float64, from time.Duration) error {
	h, err := src.header()
	if err != nil {
		return err
	}
	out := a.standardOutput()
	p := newTextLog(out.Writer, lookOf(a.stdout, false))
	p.header(h)
	var began time.Time
	rec, err := src.collect(func(e *annotate.Entry) error {
		if e.T < from {
			return nil
		}
		if began.IsZero() { // the first pass over the recording is done now
			began = time.Now()
		}
		if speed > 0 {
			at := began.Add(time.Duration(float64(e.T-from) / speed))
			if wait := time.Until(at); wait > 0 {
				if err := out.Flush(); err != nil {
					return writing(err)
				}
				time.Sleep(wait)
			}
		}
		p.entry(e)
		return nil
	})
	if err != nil {
		return out.finish(err)
	}
	p.closing(rec.Findings, rec.Revision, rec.Era)
	a.warnDamage(src.name, rec.Damage)
	return out.finish(nil)
}

// speedFlag is a factor; 0 is as fast as possible.
type speedFlag float64

func (s *speedFlag) String() string {
	if *s == 0 {
		return "max"
	}
	return strconv.FormatFloat(float64(*s), 'g', -1, 64)
}

func (s *speedFlag) Type() string { return "N|max" }

func (s *speedFlag) Set(text string) error {
	if text == "max" {
		*s = 0
		return nil
	}
	n, err := strconv.ParseFloat(strings.TrimSuffix(text, "x"), 64)
	if err != nil || !(n >= 0.001 && n <= 1e6) {
		return fmt.Errorf("must be a number such as 0.5 or 4, or max")
	}
	*s = speedFlag(n)
	return nil
}

// offsetFlag is a time since the start of a recording: a duration, or seconds.
type offsetFlag time.Duration

func (o *offsetFlag) String() string { return time.Duration(*o).String() }
func (o *offsetFlag) Type() string   { return "T" }

func (o *offsetFlag) Set(text string) error {
	text = strings.TrimPrefix(text, "+")
	d, err := time.ParseDuration(text)
	if err != nil {
		d, err = time.ParseDuration(text + "s")
	}
	if err != nil || d < 0 {
		return fmt.Errorf("must be a time since the start such as 90s, 1m30s or 12.5")
	}
	*o = offsetFlag(d)
	return nil
}
