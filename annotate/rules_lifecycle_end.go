package annotate

import (
	"fmt"
	"strconv"
	"time"

	"github.com/shakescope/shakescope/internal/mcpspec"
	"github.com/shakescope/shakescope/internal/timetext"
)

// Rules about the end of processes.
var endRules = []Rule{
	{
		ID: "exit-with-pending", Group: GroupLifecycle, Levels: []Level{LevelError}, Revisions: mcpspec.All, By: "server",
		Spec:  "2026-07-28/basic/transports/stdio#unexpected-termination",
		Title: "The server ended while requests were open and its stdin was still open: a crash.",
		Why:   "The session is lost, and the requests that were open are never answered.",
		Fix:   "See the exit code or signal and the last lines of stderr for the cause.",
		hooks: []hook{on(onEvent, exitWithPending, "exit", "server_exit"), on(onProcessEnd, exitWithPending)},
	},
	{
		ID: "exit-before-initialize", Group: GroupLifecycle, Levels: []Level{LevelError}, Revisions: mcpspec.All, By: "server",
		Spec:  "2025-11-25/basic/lifecycle#initialization",
		Title: "The server ended before it wrote one message.",
		Why:   "No session came about: a wrong command, a missing module or a bad configuration.",
		Fix:   "Run the command by hand, and see the exit code and stderr. 127 means that the command was not found, 126 that it could not be started.",
		hooks: []hook{on(onEvent, exitBeforeInitialize, "exit", "server_exit", "spawn_error"), on(onProcessEnd, exitBeforeInitialize)},
	},
	{
		ID: "probe-killed-server", Group: GroupEras, Levels: []Level{LevelError}, Revisions: mcpspec.All, By: "server",
		Spec:  "2026-07-28/basic/transports/stdio#backward-compatibility",
		Title: "The server ended on server/discover, the probe of newer clients.",
		Why:   "A client that probes in place loses the session; others have to start the server once more.",
		Fix:   "Answer a method that is not known with -32601 and go on.",
		hooks: []hook{on(onEvent, probeKilled, "exit", "server_exit"), on(onProcessEnd, probeKilled)},
	},
	{
		ID: "exit-ignored-eof", Group: GroupLifecycle, Levels: []Level{LevelWarning}, Likely: true, Revisions: mcpspec.All, By: "server",
		Spec:  "2026-07-28/basic/transports/stdio#shutdown",
		Title: "The server went on after its stdin was closed, and had to be ended by a signal.",
		Why:   "The end of stdin is how a client says that it is done. Servers that ignore it pile up as orphans. Before 2026-07-28 the specification asks it of the client's steps only, so there this is a likely bug and no broken rule.",
		Fix:   "End the process when stdin ends: close timers, sockets and children that keep it alive.",
		hooks: []hook{on(onEvent, exitIgnoredEOF, "signal", "signal_to_server", "signal_to_proxy", "recorder_got_signal")},
	},
	{
		ID: "killed-without-eof", Group: GroupLifecycle, Levels: []Level{LevelInfo}, Revisions: mcpspec.All, By: "client",
		Spec:  "2025-11-25/basic/lifecycle#shutdown",
		Title: "The client ended the server by a signal without closing its stdin first.",
		Why:   "The server cannot finish in order. Clients that probe on a throw-away process do this by design.",
		Fix:   "Close stdin, wait, and only then send signals.",
		hooks: []hook{on(onEvent, killedWithoutEOF, "signal", "signal_to_server", "signal_to_proxy", "recorder_got_signal")},
	},
	{
		ID: "stdout-closed-by-server", Group: GroupLifecycle, Levels: []Level{LevelInfo}, Revisions: mcpspec.All, By: "server",
		Spec:  "2025-11-25/basic/lifecycle#shutdown",
		Title: "The server ended the session from its side.",
		Why:   "It may do so when nothing is open. If nobody expected it, see its exit code and stderr.",
		Fix:   "Nothing, if it was meant; servers usually wait for the end of stdin.",
		hooks: []hook{on(onEvent, closedByServer, "server_closed_stdout", "exit", "server_exit")},
	},
	{
		ID: "exit-nonzero", Group: GroupLifecycle, Levels: []Level{LevelWarning}, Revisions: mcpspec.All, By: "server",
		Spec:  "2025-11-25/basic/lifecycle#shutdown",
		Title: "The server exited with an error code after an orderly end of stdin.",
		Why:   "All calls were answered and nobody sent a signal, so it failed while it cleaned up; hosts report it as a crash.",
		Fix:   "Exit with 0 when stdin ends; look at stderr for what went wrong on the way out.",
		hooks: []hook{on(onEvent, exitNonzero, "exit", "server_exit")},
	},
	{
		ID: "output-after-stdin-close", Group: GroupLifecycle, Levels: []Level{LevelWarning}, Likely: true, Revisions: mcpspec.All, By: "server",
		Spec:  "2025-11-25/basic/transports#stdio",
		Title: "The server wrote nothing to stdout until its stdin was closed: its output is buffered in blocks.",
		Why:   "Answers wait in a buffer until it is full or the process ends; to the client the server looks dead.",
		Fix:   "Flush stdout after every message, or make it line-buffered: PYTHONUNBUFFERED=1, setvbuf, autoflush.",
		hooks: []hook{onMessage(heldBack), on(onInvalid, heldBack), on(onBatch, heldBack)},
	},
}

// crash returns the moment at which the server ended of its own while stdin was open and no signal had
// come, once a process: at its exit, or where that is not recorded at the end of what is.
func crash(v *view) (mark, bool) {
	d := &v.Process.ending
	own := d.firstSign == signStdout || d.firstSign == signExit || d.firstSign == signSpawn
	if !own || v.uncertain() {
		return mark{}, false
	}
	if v.Entry != nil {
		return mark{v.At, v.T}, d.exit.At == v.At || d.spawnFailed && d.first.At == v.At
	}
	return d.first, !d.exit.set() && !d.spawnFailed
}

// pending returns the client's requests that wait for the server.
func pending(p *process) []*exchange {
	var open []*exchange
	for x := p.ends[client].oldest; x != nil; x = x.newer {
		if !x.longLived() && !x.cancelled() && !x.lenient && (x.spec == nil || !x.spec.Notification) && (x.probable.IsZero() || x.brokenAnswer) {
			open = append(open, x)
		}
	}
	return open
}

// killedByProbe reports whether server/discover is all that waits for the server.
func killedByProbe(p *process) bool {
	open := pending(p)
	for _, x := range open {
		if x.method != "server/discover" {
			return false
		}
	}
	return len(open) > 0 && !p.modern.answered && !p.session.opened.set()
}

func exitWithPending(v *view) {
	at, ok := crash(v)
	open := pending(v.Process)
	if !ok || len(open) == 0 || v.Process.ends[server].messages == 0 || killedByProbe(v.Process) {
		return
	}
	f := Finding{At: at.At, Message: fmt.Sprintf("%s while %s was open", howItEnded(&v.Process.ending), label(open[0].method, open[0].target))}
	if len(open) > 1 {
		f.Message = fmt.Sprintf("%s while %d requests were open", howItEnded(&v.Process.ending), len(open))
	}
	for _, x := range open {
		f.Related = append(f.Related, x.At)
	}
	v.withStderr(&f)
	v.report(f)
}

// withStderr adds what stderr says about the end of the server.
func (v *view) withStderr(f *Finding) {
	if line, at := memo[words](v, v.Process).telling(); line != "" {
		f.Message += "; stderr: " + line
		f.Related = append(f.Related, at)
	}
}

func exitBeforeInitialize(v *view) {
	at, ok := crash(v)
	if !ok || v.Process.ends[server].messages > 0 || killedByProbe(v.Process) {
		return
	}
	d := &v.Process.ending
	if d.spawnFailed && d.first.At != at.At {
		return // said at the attempt to start it
	}
	f := Finding{At: at.At, Message: howItEnded(d) + " before it wrote a message"}
	switch {
	case d.spawnFailed:
		f.By, f.Message = "environment", "the server could not be started"
		if e := v.Entry; e != nil && e.Event != nil && e.Event.Reason != "" {
			f.Message += ": " + clean(e.Event.Reason)
		}
	case d.code != nil && (*d.code == 127 || *d.code == 126):
		f.By = "environment"
		f.Message += map[int]string{127: ": command not found", 126: ": command cannot be executed"}[*d.code]
	}
	v.withStderr(&f)
	v.report(f)
}

func probeKilled(v *view) {
	if at, ok := crash(v); ok && killedByProbe(v.Process) {
		x := pending(v.Process)[0]
		v.report(Finding{At: at.At, Message: howItEnded(&v.Process.ending) + " on server/discover", Related: []Ref{x.At}})
	}
}

// howItEnded says how the server ended of its own.
func howItEnded(d *ending) string {
	switch {
	case d.exitSignal != "":
		return "the server was ended by " + clean(d.exitSignal)
	case d.code != nil:
		return "the server exited with code " + strconv.Itoa(*d.code)
	case d.exit.set():
		return "the server exited"
	}
	return "the server closed its stdout"
}

func exitIgnoredEOF(v *view) {
	const grace = 1500 * time.Millisecond
	d := &v.Process.ending
	if d.signal.At != v.At || d.exit.set() || d.stdout.set() || !d.stdin.set() {
		return
	}
	if waited := v.T - d.stdin.T; waited >= grace {
		v.report(Finding{Message: fmt.Sprintf("still running %s after its stdin was closed, then %s", timetext.Rough(waited), clean(d.signalName)), Related: []Ref{d.stdin.At}})
	}
}

func killedWithoutEOF(v *view) {
	d := &v.Process.ending
	if d.signal.At == v.At && d.firstSign == signSignal {
		v.report(Finding{Message: clean(d.signalName) + " while stdin was open"})
	}
}

func closedByServer(v *view) {
	d := &v.Process.ending
	own := d.firstSign == signStdout || d.firstSign == signExit
	if d.first.At != v.At || !own || v.Process.ends[server].messages == 0 || len(pending(v.Process)) > 0 {
		return
	}
	v.report(Finding{Message: howItEnded(d) + " while stdin was open and nothing was pending"})
}

func exitNonzero(v *view) {
	d := &v.Process.ending
	if d.exit.At != v.At || d.code == nil || *d.code == 0 || d.exitSignal != "" || d.signal.set() || d.firstSign != signStdin || len(pending(v.Process)) > 0 || v.uncertain() {
		return
	}
	code := strconv.Itoa(*d.code)
	if *d.code > 255 {
		code += " (" + strconv.Itoa(*d.code&255) + " on POSIX)"
	}
	v.report(Finding{Message: "exit code " + code + " after stdin was closed", Related: []Ref{d.stdin.At}})
}

// heldBack looks at the first line that the server writes at all.
func heldBack(v *view) {
	const patience = 5 * time.Second
	d := &v.Process.ending
	if v.from() != server || !d.stdin.set() || v.Entry.Sub > 0 {
		return
	}
	own, other := v.sent()
	asked := other.oldest
	if asked == nil && v.Exchange != nil {
		asked = v.Exchange
	}
	if own.last.set() || asked == nil || v.uncertain() || d.signal.set() {
		return
	}
	if x := v.Exchange; x != nil && x.T < asked.T {
		asked = x
	}
	if waited := d.stdin.T - asked.T; waited >= patience && v.Entry.T0 >= d.stdin.T {
		v.report(Finding{
			Message: fmt.Sprintf("its first output came %s after the first request, and only after stdin was closed", timetext.Rough(v.Entry.T0-asked.T)),
			Related: []Ref{asked.At, d.stdin.At},
		})
	}
}
