package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/shakescope/shakescope/annotate"
	"github.com/shakescope/shakescope/internal/export"
	"github.com/shakescope/shakescope/internal/peer"
	"github.com/shakescope/shakescope/jsonrpc"
)

type resendFlags struct {
	seq     string
	set     []string
	as      choice
	timeout time.Duration
	asJSON  bool
	keep    bool // secrets
}

func resendVerb(a *app) *cobra.Command {
	f := resendFlags{as: choice{of: []string{"sh", "json"}}}
	c := &cobra.Command{
		Use:   "resend FILE --seq N [flags] [-- COMMAND [ARGS…]]",
		Short: "Make one recorded request again, to a fresh server",
		Long: `Start a server, open the session as it was recorded, make one request of the recording again, and show
the old and the new answer side by side. --set changes members of it before; PATH is a JSON pointer, or
names joined by dots, into the message. Requests of the server are answered as the recorded client did.

The recorded command is started only if the recording lies in your own folder of recordings, was written
on this machine and is not imported; it is printed before. Otherwise the command must be given behind
` + "`--`" + `; no flag overrides that.

--as sh prints a shell script that does it without shakescope; --as json the messages, one a line, to be
piped into a server. Neither starts anything. In both, and with --json, secrets are masked; --no-redact
leaves them in.

The exit code is 0 when there is a result, 1 when there is no answer, an error or a tool error, 2 when it
could not be tried.`,
		Example: `  shakescope resend last --seq 12
  shakescope resend last --seq 12 --set params.arguments.limit=5 --set /params/arguments/q='"ships"'
  shakescope resend session.jsonl --seq 12 -- node server.js
  shakescope resend last --seq 12 --as sh > repro.sh`,
		Args: func(c *cobra.Command, args []string) error {
			n := c.ArgsLenAtDash()
			if n < 0 {
				n = len(args)
			}
			if err := oneFile(c, args[:n]); err != nil {
				return err
			}
			if c.ArgsLenAtDash() >= 0 && len(args) == n {
				return fail(2, "", "there is no command behind --")
			}
			return nil
		},
		ValidArgsFunction: completeOneFile,
		RunE:              func(_ *cobra.Command, args []string) error { return a.resend(args[0], args[1:], &f) },
	}
	flags := c.Flags()
	flags.StringVar(&f.seq, "seq", "", "the number of the request, or of its answer; `N`.M for a member of a batch")
	flags.StringArrayVar(&f.set, "set", nil, "change a member: `PATH=VALUE`, the value JSON or else a text; may be repeated")
	flags.Var(&f.as, "as", "print it instead: as a shell script, or as JSON lines")
	flags.DurationVar(&f.timeout, "timeout", 30*time.Second, "how long to wait for each answer, a `TIME`")
	flags.BoolVar(&f.asJSON, "json", false, "one object")
	noRedact(c, &f.keep)
	completeChoice(c, "as", &f.as)
	c.RegisterFlagCompletionFunc("seq", completeRequest)
	for _, name := range []string{"set", "timeout"} {
		c.RegisterFlagCompletionFunc(name, cobra.NoFileCompletions)
	}
	return c
}

// ref reads --seq.
func (f *resendFlags) ref() (annotate.Ref, error) {
	seq, sub, batch := strings.Cut(strings.TrimPrefix(f.seq, "#"), ".")
	r := annotate.Ref{Sub: annotate.NoSub}
	var err error
	r.Seq, err = strconv.ParseInt(seq, 10, 64)
	if err == nil && batch {
		var n int64
		n, err = strconv.ParseInt(sub, 10, 32)
		r.Sub = int32(n)
	}
	switch {
	case f.seq == "":
		return r, fail(2, "`shakescope show FILE` prints the numbers", "--seq is missing: which request?")
	case err != nil || r.Seq < 1 || r.Sub < annotate.NoSub:
		return r, fail(2, "`shakescope show FILE` prints the numbers", "--seq takes the number of a request, not %q", f.seq)
	}
	return r, nil
}

// edit makes the changes of --set, and returns where they are.
func (f *resendFlags) edit(line []byte) ([]byte, []string, error) {
	var paths []string
	for _, set := range f.set {
		if !strings.Contains(set, "=") {
			return nil, nil, fail(2, "for example --set params.arguments.limit=5", "--set takes PATH=VALUE, not %q", set)
		}
		var path string
		var err error
		if line, path, err = peer.Assign(line, set); err != nil {
			return nil, nil, fail(2, "", "%w", err)
		}
		paths = append(paths, path)
	}
	return line, paths, nil
}

// again is a request to be made again, as far as it is settled.
type again struct {
	*peer.Recorded
	line    []byte
	edited  []string // paths
	command []string // "" for none
	dir     string
	theirs  bool // the command is the recorded one
}

func (a *app) resend(file string, command []string, f *resendFlags) error {
	ref, err := f.ref()
	if err != nil {
		return err
	}
	if f.timeout <= 0 {
		return fail(2, "", "--timeout must be longer than zero, got %v", f.timeout)
	}
	if f.as.value != "" && f.asJSON {
		return fail(2, "", "--as prints a request, --json what came of it: choose one")
	}
	src, err := a.source(file)
	if err != nil {
		return err
	}
	defer src.close()
	found, err := peer.Find(src.open, ref)
	if errors.Is(err, peer.ErrNoRequest) {
		name := shortName(src.name)
		return fail(2, fmt.Sprintf("`shakescope show %s --filter 'from:client kind:request'` prints those there are", name), "%s: %w", name, err)
	} else if err != nil {
		return unusable(src.name, err)
	}
	g := &again{Recorded: found, command: command}
	if g.line, g.edited, err = f.edit(found.Line); err != nil {
		return err
	}
	if m := jsonrpc.Decode(g.line); m.Kind != jsonrpc.Request {
		return fail(2, "", "with that, the message is no request any more: %s", g.line)
	}
	reason := "the recording comes from standard input"
	if len(command) == 0 {
		may := false
		if src.path != "" {
			reason, may = peer.MayRun(src.path, found.Header)
		}
		if may {
			g.command, g.dir, g.theirs = found.Header.Command, found.Header.Dir, true
		}
	}
	if f.as.value != "" {
		return a.printAgain(src, g, f)
	}
	if len(g.command) == 0 {
		return fail(2, "give the server's command: shakescope resend FILE --seq N -- COMMAND ARGS…", "the recorded command is not started, because %s", reason)
	}
	return a.sendAgain(src, g, f)
}

func (a *app) sendAgain(src *source, g *again, f *resendFlags) error {
	if g.theirs {
		a.note("starting the recorded command: %s", export.ShellWords(g.command))
		if _, err := os.Stat(g.dir); err != nil {
			a.note("its working folder %s is gone; starting it here", g.dir)
			g.dir = ""
		}
		a.noteEnvironment(g.Header.Env)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	room, err := a.probeRoom(g.command, "", "")
	if err != nil {
		return err
	}
	defer room.remove()
	sent, err := peer.Resend(ctx, peer.Request{
		Command:   peer.Command{Words: g.command, Dir: g.dir, Record: room.record, WholeProcess: true, Reply: g.Replies.Reply},
		Handshake: g.Handshake, Line: g.line, Timeout: f.timeout,
	})
	if err != nil {
		return a.notStarted(err)
	}
	if sent.RecordingErr != nil {
		a.note("warning: the recording is not whole: %v", sent.RecordingErr)
	}
	if room.temporary() {
		sent.Recording = ""
	}
	out := a.standardOutput()
	if f.asJSON {
		if src.secrets, err = a.redactor(f.keep); err != nil {
			return err
		}
		if src.secrets != nil {
			if _, err := src.collect(nil); err != nil { // learns them
				return err
			}
		}
		err = writeRedacted(out, src.secrets, resendJSON(g, sent), sent.Recording, src.name)
	} else {
		newTextLog(out.Writer, lookOf(a.stdout, false)).resent(g, sent)
	}
	if err := out.finish(err); err != nil {
		return err
	}
	if sent.Failed() {
		return exit(1)
	}
	return nil
}

// noteEnvironment says which variables of the recorded run are not set now: many servers take their keys from there.
func (a *app) noteEnvironment(names []string) {
	var missing []string
	for _, n := range names {
		if _, set := os.LookupEnv(n); !set {
			missing = append(missing, n)
		}
	}
	if len(missing) > 0 {
		a.note("not set now, but when it was recorded: %s", strings.Join(missing, ", "))
	}
}

// printAgain prints the request instead of making it.
func (a *app) printAgain(src *source, g *again, f *resendFlags) error {
	secrets, err := a.redactor(f.keep)
	if err != nil {
		return err
	}
	lines := append(append([][]byte{}, g.Handshake...), g.line)
	command := g.command
	masked := false
	if secrets != nil {
		src.secrets = secrets
		if _, err := src.collect(nil); err != nil {
			return err
		}
		for i := range lines {
			clean := secrets.Line(lines[i])
			masked = masked || string(clean) != string(lines[i])
			lines[i] = clean
		}
		if command != nil {
			command = secrets.Command(command)
			masked = masked || strings.Join(command, "\x00") != strings.Join(g.command, "\x00")
		}
	}
	if masked {
		a.note("secrets are replaced by [redacted:…]: put yours in their place, or use --no-redact")
	}
	out := a.standardOutput()
	if f.as.value == "json" {
		w := out.jsonWriter()
		for _, line := range lines {
			if _, err := fmt.Fprintf(w, "%s\n", line); err != nil {
				return writing(err)
			}
		}
		return out.finish(nil)
	}
	about := strings.TrimSpace(g.Method+" "+g.Target) + ", made again as it was recorded"
	if secrets != nil {
		about = secrets.Text(about)
	}
	script, err := peer.Repro(about, lines[:len(lines)-1], lines[len(lines)-1], command)
	if err != nil {
		return fail(2, "", "%w", err)
	}
	if out.tty {
		// Quoting protects a shell, not a terminal.
		for line := range strings.Lines(script) {
			fmt.Fprintln(out, newTextLog(out.Writer, look{}).clean(strings.ReplaceAll(strings.TrimSuffix(line, "\n"), "\t", "  ")))
		}
		return out.finish(nil)
	}
	out.WriteString(script)
	return out.finish(nil)
}
