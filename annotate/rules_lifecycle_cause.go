package annotate

import (
	"fmt"
	"time"

	"github.com/shakescope/shakescope/internal/mcpspec"
	"github.com/shakescope/shakescope/internal/timetext"
)

// Rules that put cause next to effect: what stood right before a side gave up.
var causeRules = []Rule{
	{
		ID: "hangup-cause", Group: GroupLifecycle, Levels: []Level{LevelInfo}, Likely: true, Revisions: mcpspec.All, By: Sender,
		Spec:  "2025-11-25/basic/lifecycle#shutdown",
		Title: "One side ended the session right after a fault of the other.",
		Why:   "Strict peers drop the connection over one bad line. What people see is \"connection closed\"; the cause stands a line or two earlier.",
		Fix:   "Look at the line that the finding names.",
		hooks: []hook{on(onEvent, hangUp, "client_closed_stdin", "server_closed_stdout", "signal", "signal_to_server", "signal_to_proxy", "exit", "server_exit")},
	},
}

// breakers are the rules over whose breach peers are known to drop the connection.
var breakers = map[string]bool{
	"stdout-not-json": true, "stdin-not-json": true, "ansi-escape-hint": true, "two-messages-one-line": true, "json-nan-hint": true,
	"utf8-bom": true, "invalid-utf8": true, "not-a-message": true, "blank-line": true, "content-length-framing": true,
	"message-spans-lines": true, "oversize-message": true, "jsonrpc-version": true, "id-null": true, "id-type": true,
	"result-and-error": true, "response-empty": true, "method-type": true, "params-not-object": true, "result-not-object": true,
	"error-shape": true, "envelope-extra-member": true, "response-unknown-id": true, "response-duplicate": true, "response-id-type-changed": true,
	"notification-answered": true, "error-id-missing": true, "batch-not-allowed": true, "batch-in-2024-11-05": true, "batch-empty": true,
	"progress-unknown-token": true, "progress-after-response": true, "progress-token-type": true, "response-after-cancel": true,
	"init-not-first": true, "initialized-too-early": true, "initialize-result-shape": true, "initialize-params": true, "modern-version-in-initialize": true,
	"version-refused": true, "server-request-before-initialized": true, "null-optional-member": true,
}

// fault is the newest breach of them at a line of one end.
type fault struct {
	at      Ref
	t       time.Duration
	rule    string
	message string
}

// faults are those of both ends of a process.
type faults [2]fault

// noteFault remembers a finding of that kind at the line that is being looked at.
func (v *view) noteFault(f *Finding) {
	if f.Level == LevelInfo || !breakers[f.Rule] || v.Entry == nil || v.Entry.Kind == EventEntry || f.At.Seq != v.At.Seq || v.Entry.From != f.By {
		return
	}
	memo[faults](v, v.Process)[v.from()] = fault{f.At, v.T, f.Rule, f.Message}
}

// hangUp looks at the first sign of the end. A side that leaves in good order has no reason to do so
// just after a bad line: either that line was the last one of the other side, or something was open.
func hangUp(v *view) {
	const soon = time.Second
	p, d := v.Process, &v.Process.ending
	if d.first.At != v.At || v.uncertain() {
		return
	}
	from, verb := client, "the client hung up"
	switch d.firstSign {
	case signStdin:
	case signSignal:
		if v.Entry.Event.Reason == "ladder" {
			return
		}
	case signStdout, signExit:
		from, verb = server, "the server ended"
	default:
		return
	}
	f := memo[faults](v, p)[from.other()]
	if f.at.IsZero() || v.T-f.t > soon {
		return
	}
	waiting := p.ends[from].openCount > 0 || from == client && !p.session.initialized.set() && !p.modern.operating
	if other := &p.ends[from.other()]; other.last.At != f.at && !waiting {
		return
	}
	v.report(Finding{
		By: from.other().String(), Related: []Ref{f.at},
		Message: fmt.Sprintf("%s %s after %s (%s): %s", verb, timetext.Rough(v.T-f.t), f.at, f.rule, f.message),
	})
}
