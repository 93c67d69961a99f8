package cli

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"sort"
	"strings"

	"github.com/spf13/cobra"

	"github.com/shakescope/shakescope/annotate"
	"github.com/shakescope/shakescope/internal/export"
	"github.com/shakescope/shakescope/internal/termtext"
	"github.com/shakescope/shakescope/internal/timetext"
	"github.com/shakescope/shakescope/recordings"
)

func statsVerb(a *app) *cobra.Command {
	var asJSON, keep bool
	c := &cobra.Command{
		Use:               "stats FILE",
		Short:             "Count messages, answers, latencies, bytes",
		Args:              oneFile,
		ValidArgsFunction: completeOneFile,
		RunE: func(_ *cobra.Command, args []string) error {
			src, err := a.source(args[0])
			if err != nil {
				return err
			}
			defer src.close()
			return a.stats(src, asJSON, keep)
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "one object; secrets in it are masked")
	noRedact(c, &keep)
	return c
}

func (a *app) stats(src *source, asJSON, keep bool) error {
	secrets, err := a.redactor(keep || !asJSON)
	if err != nil {
		return err
	}
	session := annotate.NewSession()
	err = a.reading(src, func(r *recordings.Reader) error {
		session.Open(r.Header())
		for {
			rec, err := r.Next()
			if err == io.EOF {
				session.Finish()
				return nil
			}
			if err != nil {
				return err
			}
			if secrets != nil && rec.Kind == recordings.FrameRecord {
				secrets.LearnLog(int(rec.Stream), rec.Data)
			}
			session.Add(rec)
		}
	})
	if err != nil {
		return err
	}
	s := session.Stats()
	out := a.standardOutput()
	if asJSON {
		export.Stats(secrets, s)
		line, err := s.MarshalJSON()
		if err != nil {
			return err
		}
		out.jsonWriter().Write(append(line, '\n'))
		return out.finish(nil)
	}
	newTextLog(out.Writer, lookOf(a.stdout, false)).stats(s)
	return out.finish(nil)
}

// stats prints the counts for people. What is zero and would be a fault is left out.
func (p *textLog) stats(s *annotate.Stats) {
	version := func(text string, odd []byte) string {
		return p.clean(cmp.Or(text, string(odd), "none"))
	}
	revision := "requested " + version(s.Requested, s.OddRequested) + ", negotiated " + version(s.Negotiated, s.OddNegotiated)
	for _, v := range slices.Sorted(maps.Keys(s.PerRequest)) {
		revision += fmt.Sprintf(", stated by %s: %s", plural(s.PerRequest[v], "request"), p.clean(v))
	}
	p.fact("revision", revision)
	p.fact("sessions", grouped(int64(s.Sessions)))
	p.fact("client", p.messages(s.Messages.Client)+", "+grouped(s.Bytes.Client)+" bytes")
	p.fact("server", p.messages(s.Messages.Server)+", "+grouped(s.Bytes.Server)+" bytes")
	p.fact("stderr", grouped(s.Bytes.Stderr)+" bytes")
	p.fact("use", fmt.Sprintf("lifecycle %s, utility %s, operation %s, other %s",
		grouped(s.Share.Lifecycle), grouped(s.Share.Utility), grouped(s.Share.Operation), grouped(s.Share.Other)))
	for _, odd := range []struct {
		name, more string
		n          int64
	}{
		{"unanswered", fmt.Sprintf(" (%s cancelled, %s open by design)", grouped(s.UnansweredCancelled), grouped(s.Open)), s.Unanswered},
		{"unmatched", " answers to no request", s.Unmatched},
		{"after cancel", " answers came after the cancellation", s.AnsweredAfterCancel},
		{"invalid", " lines or batch members that are no message", s.Invalid},
		{"blank", " empty lines", s.Blank},
		{"tool errors", " results with isError", s.ToolErrors},
		{"progress", fmt.Sprintf(" (%s late), %s without a request", grouped(s.Progress.Late), grouped(s.Progress.Orphan)), s.Progress.Matched},
	} {
		if odd.n > 0 || odd.name == "progress" && s.Progress.Orphan > 0 {
			p.fact(odd.name, grouped(odd.n)+odd.more)
		}
	}
	p.line(noRole, "")
	p.methods(s)
}

func (p *textLog) fact(name, text string) {
	p.cell(muted, name, 13)
	p.line(noRole, text)
}

func (p *textLog) messages(c annotate.MessageCounts) string {
	return fmt.Sprintf("%s, %s, %s, %s", plural(c.Request, "request"), plural(c.Notification, "notification"), plural(c.Response, "result"), plural(c.Error, "error"))
}

// methods prints a table of what was called, most often first, with latencies where there are some.
func (p *textLog) methods(s *annotate.Stats) {
	type row struct {
		side, method string
		n            int64
		latency      annotate.Latencies
	}
	var rows []row
	for _, side := range []struct {
		name string
		annotate.MethodCounts
	}{{"client", s.Methods.Client}, {"server", s.Methods.Server}} {
		for method, n := range side.Request {
			rows = append(rows, row{side.name, method, n, s.LatencyByMethod[side.name+" "+method]})
		}
		for method, n := range side.Notification {
			rows = append(rows, row{side: side.name, method: method, n: n})
		}
	}
	if len(rows) == 0 {
		return
	}
	sort.Slice(rows, func(i, j int) bool {
		a, b := &rows[i], &rows[j]
		return cmp.Or(cmp.Compare(b.n, a.n), strings.Compare(a.side, b.side), strings.Compare(a.method, b.method), cmp.Compare(b.latency.N, a.latency.N)) < 0
	})
	width := len("METHOD")
	for i := range rows {
		rows[i].method = p.clean(rows[i].method)
		width = max(width, min(termtext.Width(rows[i].method), 60))
	}
	side, number, latency := 6, 9, 10
	if p.width > 0 && p.width < 110 {
		number, latency = 6, 8
	}
	names := []string{"ANSWERED", "MIN", "MEDIAN", "P95", "MAX"}
	keep := p.fitting([]int{latency, latency, latency, latency, latency, side, width, number}, 1, 0, 1, 3)
	p.cell(muted, "SENDER", side)
	p.cell(muted, "METHOD", width)
	p.cell(muted, termtext.PadLeft("CALLS", number), 0)
	for i, name := range names {
		if keep[i] {
			p.cell(muted, termtext.PadLeft(name, latency), 0)
		}
	}
	p.line(noRole, "")
	all := row{side: "all", latency: s.Latency}
	for _, r := range append(rows, all) {
		p.cell(noRole, r.side, side)
		p.cell(noRole, r.method, width)
		count := ""
		if r.n > 0 {
			count = grouped(r.n)
		}
		p.cell(noRole, termtext.PadLeft(count, number), 0)
		if l := r.latency; l.N > 0 {
			for i, text := range []string{grouped(int64(l.N)), timetext.Latency(l.Min), timetext.Latency(l.Median), timetext.Latency(l.P95), timetext.Latency(l.Max)} {
				if keep[i] {
					p.cell(noRole, termtext.PadLeft(text, latency), 0)
				}
			}
		}
		p.line(noRole, "")
	}
}
