package cli

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/shakescope/shakescope/internal/export"
	"github.com/shakescope/shakescope/internal/termtext"
	"github.com/shakescope/shakescope/internal/timetext"
	"github.com/shakescope/shakescope/recordings"
)

func listVerb(a *app) *cobra.Command {
	var asJSON, keep, all bool
	c := &cobra.Command{
		Use:   "list",
		Short: "List recordings, newest first",
		Long: `List the recordings of the folder ($SHAKESCOPE_DIR, else the state folder of the system), newest first.
A process that a client started only to ask for the server's revision is folded into the run that followed.

On a terminal the runs that shakescope made itself, for probe and resend, are only counted. --all shows them, and what was folded.
` + "`last`" + ` never means any of them, nor a demo.`,
		Args: noArgs,
		RunE: func(*cobra.Command, []string) error { return a.list(asJSON, keep, all) },
	}
	c.Flags().BoolVar(&all, "all", false, "also what probe and resend made, and what is folded into the run that followed")
	c.Flags().BoolVar(&asJSON, "json", false, "one object a line; secrets in it are masked")
	noRedact(c, &keep)
	return c
}

// listed is one object of `list --json`.
type listed struct {
	ID         string                    `json:"id"`
	State      recordings.LiveState      `json:"state"`
	Label      string                    `json:"label,omitempty"`
	Server     recordings.Implementation `json:"server,omitzero"`
	Client     recordings.Implementation `json:"client,omitzero"`
	Revision   string                    `json:"revision,omitempty"`
	Era        string                    `json:"era,omitempty"`
	Started    *time.Time                `json:"started,omitempty"`
	DurationMS float64                   `json:"duration_ms"`
	Messages   recordings.Messages       `json:"messages"`
	Bytes      int64                     `json:"bytes"` // that travelled, on all streams
	Gaps       int64                     `json:"gaps"`
	Exit       recordings.Exit           `json:"exit,omitzero"`
	Path       string                    `json:"path"`
	Segments   int                       `json:"segments"`
	Command    []string                  `json:"command,omitempty"`
	Demo       bool                      `json:"demo,omitempty"`
	Probe      bool                      `json:"probe,omitempty"`    // made by the verb probe
	Imported   bool                      `json:"imported,omitempty"` // no run of our own
	// Probes are the ids of the throw-away runs before this one that only asked for the revision. With --all each
	// of them is listed too, and ProbeOf is the id of this one.
	Probes  []string `json:"probes,omitempty"`
	ProbeOf string   `json:"probe_of,omitempty"`
}

// list prints the recordings; all of them, or without those that are seldom looked for.
func (a *app) list(asJSON, keep, all bool) error {
	dir, err := recordings.DefaultDir()
	if err != nil {
		return fail(2, "", "%w", err)
	}
	found, err := recordings.Folder{Dir: dir}.List()
	if err != nil {
		return fail(2, "", "%w", err)
	}
	runs := fold(found)
	if all {
		runs = unfold(runs)
	}
	out := a.standardOutput()
	if asJSON {
		secrets, err := a.redactor(keep)
		if err != nil {
			return err
		}
		for i := range runs {
			if err := writeRedacted(out, secrets, runs[i].json(), runs[i].Path); err != nil {
				return writing(err)
			}
		}
		return out.finish(nil)
	}
	p := newTextLog(out.Writer, lookOf(a.stdout, false))
	if len(runs) == 0 {
		p.line(noRole, "No recordings yet. Put shakescope in front of your server's command:  shakescope -- npx -y my-server")
		p.line(noRole, "`shakescope install` does that in your clients' configurations, `shakescope demo` shows what you will see.")
		p.line(muted, "Recordings will be in "+p.clean(dir))
		return out.finish(nil)
	}
	shown := runs
	if !all && p.width > 0 {
		shown = withoutOwn(runs)
	}
	p.recordings(shown)
	if own := len(runs) - len(shown); own > 0 {
		p.line(muted, "+ "+plural(int64(own), "run")+" of probe and resend; `shakescope list --all` shows them")
	}
	return out.finish(nil)
}

// withoutOwn leaves out the runs in which shakescope was the client, unless there are no others.
func withoutOwn(runs []run) []run {
	others := slices.DeleteFunc(slices.Clone(runs), func(r run) bool { return r.Probe })
	if len(others) == 0 {
		return runs
	}
	return others
}

// run is a recording and the throw-away runs that belong to it.
type run struct {
	recordings.Info
	probes []recordings.Info
	of     string // the id of the run that it was thrown away for
}

// fold puts a run that was only asked for the server's revision into the run that follows it. Both
// lists are newest first.
func fold(found []recordings.Info) []run {
	var runs []run
	place := map[string]int{}
	for _, info := range found {
		if i, ok := place[info.ProbeOf]; ok && info.ProbeOf != "" {
			runs[i].probes = append(runs[i].probes, info)
			place[info.ID] = i
			continue
		}
		place[info.ID] = len(runs)
		runs = append(runs, run{Info: info})
	}
	return runs
}

// unfold makes runs of their own of those that were folded into others.
func unfold(runs []run) []run {
	var all []run
	for _, r := range runs {
		all = append(all, r)
		for _, p := range r.probes {
			all = append(all, run{Info: p, of: r.ID})
		}
	}
	slices.SortStableFunc(all, func(a, b run) int { return b.Started.Compare(a.Started) })
	return all
}

func (r *run) json() listed {
	l := listed{
		ID: r.ID, State: r.State, Label: r.Label, Server: r.Server, Client: r.Client, Revision: r.Revision, Era: r.Era,
		DurationMS: milliseconds(r.Duration), Messages: r.Messages, Bytes: r.Bytes, Gaps: r.Gaps, Exit: r.Exit,
		Path: r.Path, Segments: r.Segments, Command: r.Command, Demo: r.Demo, Probe: r.Probe, Imported: r.Imported, ProbeOf: r.of,
	}
	if !r.Started.IsZero() {
		l.Started = &r.Started
	}
	for _, p := range r.probes {
		l.Probes = append(l.Probes, p.ID)
	}
	return l
}

// milliseconds has three decimals, as the contract wants.
func milliseconds(d time.Duration) float64 { return float64(d.Round(time.Microsecond)) / 1e6 }

// nameOf is what a person would call a recording: its label, what the server calls itself, or its
// command.
func nameOf(info recordings.Info) string {
	switch {
	case info.Label != "":
		return info.Label
	case info.Server.Name != "":
		return strings.TrimSpace(info.Server.Name + " " + info.Server.Version)
	case len(info.Command) > 0:
		return export.ShellWords(info.Command)
	}
	return "?"
}

var stateRoles = map[recordings.LiveState]role{
	recordings.Live: good, recordings.Crashed: bad, recordings.Cut: warn, recordings.Unknown: warn,
}

// recordings prints the table of recordings.
func (p *textLog) recordings(runs []run) {
	rows := [][]string{{"ID", "STATE", "SERVER", "CLIENT", "REVISION", "STARTED", "DURATION", "MESSAGES", "SIZE", ""}}
	for i := range runs {
		r := &runs[i]
		client := "?"
		if r.Client.Name != "" {
			client = strings.TrimSpace(r.Client.Name + " " + r.Client.Version)
		}
		started := ""
		if !r.Started.IsZero() {
			started = r.Started.Local().Format(time.DateTime)
		}
		rows = append(rows, []string{
			r.ID, string(r.State), p.listName(nameOf(r.Info)), p.clean(client), p.clean(r.Revision), started,
			timetext.Latency(r.Duration), grouped(r.Messages.Client + r.Messages.Server), sizeText(r.Bytes), p.clean(strings.Join(r.marks(), ", ")),
		})
	}
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, cell := range row {
			widths[i] = max(widths[i], termtext.Width(cell))
		}
	}
	const server, client, revision, startedAt, duration, size = 2, 3, 4, 5, 6, 8 // of these duration to size are numbers
	keep := p.fitting(widths, 2, size, revision, startedAt, client, duration)
	if over := taken(widths, keep, 2) - p.width; p.width > 0 && over > 0 {
		widths[server] = max(widths[server]-over, min(widths[server], leastName))
	}
	for n, row := range rows {
		row[server] = p.cut(row[server], widths[server])
		p.hang = p.width
		for i, cell := range row {
			if !keep[i] {
				continue
			}
			r := noRole
			switch {
			case n == 0:
				r = muted
			case i == 1:
				r = stateRoles[recordings.LiveState(cell)]
			}
			if i >= duration && i <= size {
				cell = termtext.PadLeft(cell, widths[i])
			}
			p.cell(r, cell, widths[i]+1)
		}
		p.line(noRole, "")
	}
}

// leastName is how far the name of a server in a list is cut for the sake of other columns.
const leastName = 12

// listName is the name of a server in a list; on a terminal a command does not push all else away.
func (p *textLog) listName(name string) string {
	if p.width == 0 {
		return p.clean(name)
	}
	return p.clean(termtext.Line(name, max(p.width/4, 16)))
}

// marks say what else is to be known of a recording.
func (r *run) marks() []string {
	var marks []string
	if c := r.Exit.Code; c != nil && *c != 0 {
		marks = append(marks, fmt.Sprintf("exit %d", *c))
	}
	if r.Exit.Signal != "" {
		marks = append(marks, r.Exit.Signal)
	}
	if r.Gaps > 0 {
		marks = append(marks, plural(r.Gaps, "gap"))
	}
	if r.Segments > 1 {
		marks = append(marks, fmt.Sprintf("%d segments", r.Segments))
	}
	if n := len(r.probes); n > 0 {
		marks = append(marks, plural(n, "probe")+" before")
	}
	if r.of != "" {
		marks = append(marks, "thrown away")
	}
	for mark, is := range map[string]bool{"demo": r.Demo, "made by probe": r.Probe, "imported": r.Imported} {
		if is {
			marks = append(marks, mark)
		}
	}
	slices.Sort(marks)
	return marks
}

// sizeText is a number of bytes as people read it.
func sizeText(n int64) string {
	switch {
	case n < 1000:
		return fmt.Sprintf("%d B", n)
	case n < 999_950:
		return fmt.Sprintf("%.1f kB", float64(n)/1e3)
	case n < 999_950_000:
		return fmt.Sprintf("%.1f MB", float64(n)/1e6)
	}
	return fmt.Sprintf("%.1f GB", float64(n)/1e9)
}
