package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/shakescope/shakescope/annotate"
	"github.com/shakescope/shakescope/internal/mcpspec"
	"github.com/shakescope/shakescope/internal/peer"
	"github.com/shakescope/shakescope/internal/redact"
	"github.com/shakescope/shakescope/jsonrpc"
	"github.com/shakescope/shakescope/proxy"
	"github.com/shakescope/shakescope/recordings"
)

// allRevisions is the value of --revision that asks for each of them.
const allRevisions = "all"

type probeFlags struct {
	revision string
	call     string
	args     string
	asJSON   bool
	failOn   choice
	timeout  time.Duration
	label    string
	out      string
	keep     bool // secrets
}

func probeVerb(a *app) *cobra.Command {
	f := probeFlags{failOn: choice{value: "error", of: []string{"error", "warning", "info", "none"}}}
	c := &cobra.Command{
		Use:   "probe [flags] -- COMMAND [ARGS…]",
		Short: "Be the client: visit a server and say what it is and what is wrong with it",
		Long: `Start a server, open a session as clients do, read its lists, ping it, and end it. A tool is called only
when --call names it. The session goes through the recording proxy like any other; its recording is
marked as a probe's, so that ` + "`last`" + ` never means it. The report ends with findings about the server.

Without --revision the server is asked server/discover (2026-07-28) first, and initialize (2025-11-25)
when it does not understand that, as the SDK clients do that know both eras. --revision all starts the
server once for each revision and prints a table.

The exit code is 0 when all went well; 1 when no session could be opened, when --call got no answer, an
error or a tool error, or when something was found at the level of --fail-on; 2 when the server could not
be started or the flags are wrong.`,
		Example: `  shakescope probe -- npx -y @modelcontextprotocol/server-everything
  shakescope probe --revision all -- python server.py
  shakescope probe --call echo --args '{"message":"hello"}' --json -- node server.js`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return fail(2, "put the server's command behind `--`: shakescope probe -- npx -y some-server", "probe needs a command")
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error { return a.probe(args, &f) },
	}
	flags := c.Flags()
	flags.SetInterspersed(false)
	flags.StringVar(&f.revision, "revision", "", "open a session with this `REVISION`, or with each of them one after the other: all")
	flags.StringVar(&f.call, "call", "", "call the tool of this `NAME`")
	flags.StringVar(&f.args, "args", "", "the arguments of that call, a `JSON` object")
	flags.BoolVar(&f.asJSON, "json", false, "one object")
	flags.Var(&f.failOn, "fail-on", "level of findings from which on the exit code is 1: error, warning, info or none")
	flags.DurationVar(&f.timeout, "timeout", 10*time.Second, "how long to wait for each answer, a `TIME`")
	flags.StringVar(&f.label, "label", "", "a `NAME` for the server, shown in lists")
	flags.StringVarP(&f.out, "output", "o", "", "record to this `FILE` (further ones to FILE-2, FILE-3 …)")
	noRedact(c, &f.keep)
	c.RegisterFlagCompletionFunc("revision", cobra.FixedCompletions(append(mcpspec.Revisions(), allRevisions), cobra.ShellCompDirectiveNoFileComp))
	completeChoice(c, "fail-on", &f.failOn)
	for _, name := range []string{"call", "args", "timeout", "label"} {
		c.RegisterFlagCompletionFunc(name, cobra.NoFileCompletions)
	}
	return c
}

// check looks at what flags alone can tell.
func (f *probeFlags) check() error {
	switch {
	case f.revision != "" && f.revision != allRevisions && !mcpspec.IsDate(f.revision):
		return fail(2, "the published revisions are "+strings.Join(mcpspec.Revisions(), ", "), "--revision takes a revision or %q, not %q", allRevisions, f.revision)
	case f.args != "" && f.call == "":
		return fail(2, "", "--args needs --call")
	case f.args != "" && (!jsonrpc.Valid([]byte(f.args)) || !strings.HasPrefix(strings.TrimSpace(f.args), "{")):
		return fail(2, `for example --args '{"message":"hello"}'`, "--args must be a JSON object, got %s", f.args)
	case f.timeout <= 0:
		return fail(2, "", "--timeout must be longer than zero, got %v", f.timeout)
	}
	return nil
}

// probed is one visit with what was found in its recordings.
type probed struct {
	*peer.Visit
	findings []foundBy
}

// foundBy is a finding about the server, with the recording that holds it.
type foundBy struct {
	annotate.Finding
	recording string
}

func (a *app) probe(command []string, f *probeFlags) error {
	if err := f.check(); err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	rooms, err := a.probeRoom(command, f.out, f.label)
	if err != nil {
		return err
	}
	defer rooms.remove()
	p := peer.Probing{
		Command: peer.Command{Words: command, Record: rooms.record, WholeProcess: true},
		Timeout: f.timeout, Version: a.build.String(),
	}
	if f.call != "" {
		p.Call = &peer.Call{Tool: f.call, Arguments: []byte(strings.TrimSpace(f.args))}
		if f.args == "" {
			p.Call.Arguments = []byte("{}")
		}
	}
	asked := []string{f.revision}
	if f.revision == allRevisions {
		asked = mcpspec.Revisions()
		slices.Reverse(asked) // the one that matters most first
	}
	secrets, err := a.redactor(f.keep || !f.asJSON)
	if err != nil {
		return err
	}
	var visits []probed
	for _, revision := range asked {
		if f.revision == allRevisions && isTerminal(a.stderr) {
			a.note("asking for %s", revision)
		}
		p.Revision = revision
		visit, err := peer.Probe(ctx, p)
		if err != nil {
			return a.notStarted(err)
		}
		if visit.RecordingErr != nil {
			a.note("warning: the recording is not whole: %v", visit.RecordingErr)
		}
		found, err := a.findingsOf(visit.Recordings, secrets)
		if err != nil {
			return err
		}
		visits = append(visits, probed{visit, found})
		if ctx.Err() != nil {
			return fail(2, "", "interrupted")
		}
	}
	if rooms.temporary() {
		for i := range visits {
			visits[i].Recordings = nil
		}
	}
	out := a.standardOutput()
	if f.asJSON {
		var places []string
		for i := range visits {
			places = append(places, visits[i].Recordings...)
		}
		err = writeRedacted(out, secrets, probeJSON(command, visits, f.passes(visits)), places...)
	} else {
		pl := newTextLog(out.Writer, lookOf(a.stdout, false))
		if f.revision == allRevisions {
			pl.probeMatrix(visits)
		} else {
			pl.visit(&visits[0])
		}
		pl.probeFindings(visits)
	}
	if err := out.finish(err); err != nil {
		return err
	}
	if !f.passes(visits) {
		return exit(1)
	}
	return nil
}

// passes is the verdict on all visits. A server need not speak every revision: of several one is enough, as
// long as none failed in another way than by a refusal.
func (f *probeFlags) passes(visits []probed) bool {
	opened := false
	o := checking{failOn: annotate.Level(f.failOn.value)}
	for i := range visits {
		v := &visits[i]
		opened = opened || v.Verdict == peer.Opened
		if v.Verdict == peer.Failed || v.Session != nil && v.Call != nil && v.Call.Failed() {
			return false
		}
		for j := range v.findings {
			if f.failOn.value != "none" && o.failing(v.findings[j].Level) {
				return false
			}
		}
	}
	return opened
}

// notStarted says why a server could not be started, with the exit code of verbs that are no wrapper.
func (a *app) notStarted(err error) error {
	var s *proxy.StartError
	var f *failure
	if errors.As(err, &s) && errors.As(a.startFailure(err), &f) {
		return &failure{code: 2, err: f.err, hint: f.hint}
	}
	return fail(2, "", "%w", err)
}

// findingsOf returns what is wrong with the server, or around it, in recordings of ours.
func (a *app) findingsOf(paths []string, secrets *redact.Redactor) ([]foundBy, error) {
	var found []foundBy
	for _, path := range paths {
		src := &source{name: path, path: path, secrets: secrets}
		rec, err := src.collect(nil)
		if err != nil {
			return nil, err
		}
		for _, f := range annotate.ByConsequence(rec.Findings) {
			if f.By != "client" && !f.Design() {
				found = append(found, foundBy{f, path})
			}
		}
	}
	return found, nil
}

// probeRoom is where the recordings of sessions go that shakescope has itself.
type probeRoom struct {
	dir, out string
	temp     string // the folder to be removed, "" for none
	header   func() recordings.Header
}

// probeRoom chooses the usual folder, or out. Where nothing can be recorded there, a temporary folder does:
// what was found is found in the recording.
func (a *app) probeRoom(command []string, out, label string) (*probeRoom, error) {
	r := &probeRoom{out: out, header: func() recordings.Header {
		h := recordings.NewHeader(command)
		h.Version, h.Label, h.Probe = a.build.String(), label, true
		return h
	}}
	if out != "" {
		if err := a.ownStream(out); err != nil {
			return nil, fail(2, "", "%w", err)
		}
		return r, nil
	}
	dir, err := recordings.DefaultDir()
	if err == nil {
		if err = os.MkdirAll(dir, 0o700); err == nil {
			r.dir = dir
			return r, nil
		}
	}
	a.note("warning: not recording: %v", err)
	if r.temp, err = os.MkdirTemp("", "shakescope-*"); err != nil {
		return nil, fail(2, "", "%w", err)
	}
	r.dir = r.temp
	return r, nil
}

func (r *probeRoom) record() (*recordings.Recorder, error) {
	h := r.header()
	if r.out != "" {
		return recordings.CreateAt(r.out, h, recordings.RecorderOptions{})
	}
	return recordings.Create(r.dir, h, recordings.RecorderOptions{})
}

func (r *probeRoom) temporary() bool { return r.temp != "" }

func (r *probeRoom) remove() {
	if r.temp != "" {
		os.RemoveAll(r.temp)
	}
}

// faultText is an error answer as people read it.
func faultText(f *peer.Fault) string { return fmt.Sprintf("error %d: %s", f.Code, f.Message) }
