// Package annotate says what an MCP stream means.
//
// A [Session] is a pure fold over records: state × record → state × entries and patches. It reads no
// clock, does no I/O, starts no goroutine and never lets map order show, so that live, offline, one
// by one or in batches the same records give the same result. [Session.Add] returns the new entries
// and patches to earlier ones ([Entry.Apply]); [Session.Finish] returns what only the end can tell.
//
// [Collect] does two passes for consumers that print each entry once and final, or one pass for those
// that want statistics and findings only. [Entry.Summary] is made when it is drawn, [AppendJSON] writes
// an entry as `show --json` has it.
//
// # How a record goes through
//
//	session.go     the record becomes an entry: line, event, gap; a line is decoded, a batch is taken apart
//	request.go     requests and answers: pairing by direction and typed id, what a pair teaches
//	flow.go        notifications, and what ties messages together: progress, cancellation, subscriptions,
//	               tasks, retries after input_required
//	era.go         which era, revision and phase govern a message; handshakes and probes
//	capability.go  what a message leans on, and whether it was declared
//	catalogue.go   what the server has listed, page by page: the one [Catalogue]
//	tool*.go       the review of tools: their contract, risk, what a model reads of them, and what came of calls
//	ending.go      the end of a process, and why requests stay open
//	spread.go      lines that are one message only together
//	stats.go       the running count
//	state.go       everything that is remembered, and its bounds
//
// What is remembered is bounded: open requests (with their params up to 256 KiB), the newest few
// thousand answered ones, ids as ranges and hashes. JSON is walked once for what the fold needs (peek.go,
// scan.go); the rest is read when somebody looks.
//
// # Unknown is not wrong
//
// After a gap, or in a recording that begins late, what is missing may explain everything: pairs, order
// and the end of requests prove nothing then. State that depends on the missing bytes says so
// (half.lost, exchange.unsure); rules about absence ask [view.uncertain] first. A capability is undeclared
// only when a declaration was seen that lacks it, otherwise it is unknown.
//
// # Pairs are certain, links are not
//
// A pair is a valid answer with the id of the oldest open request of the other side. A line that is no
// valid message but names an open request is shown with it as a pair, too, and leaves the request open for
// a valid one; [Stats] does not count it. Everything else that was probably meant for a request (id of
// another type, id null, a line that never ends) is Probable, and no pair.
//
// # How to add a rule
//
// A [Rule] is one literal in the table of its family (rules_*.go); families lists the tables. It is
// declared once: id, levels (the usual one first), revisions, who is at fault, page, and the three texts
// (Title: what it is, Why: what comes of it, Fix: what to do), written for a person who debugs. From the
// table come the docs page, the verb rules and the TUI's explanation. The rule's functions are hooked to
// moments:
//
//	{
//		ID: "tool-no-description", Group: GroupTools, Levels: []Level{LevelInfo}, Revisions: mcpspec.All, By: "server",
//		Spec:  "2025-11-25/server/tools#tool",
//		Title: "A tool has no description.",
//		Why:   "…",
//		Fix:   "…",
//		hooks: []hook{on(onResult, toolNoDescription, "tools/list")},
//	}
//
//	func toolNoDescription(v *view) {
//		elements(v.outcome.items, func(tool []byte) bool {
//			if name := text(member(tool, "name")); name != "" && member(tool, "description") == nil {
//				v.reportOn(name, Finding{Message: "tool " + clean(name) + " has no description", Path: "/result/tools"})
//			}
//			return true
//		})
//	}
//
// Moments come with a name that a hook may ask for: the method of a message, of an answer that of its
// request (a lone answer has none), or the name of an event. A hook that names its methods costs nothing
// elsewhere; prefer that to a hook on every message. Several rules may share one function's work through
// memo. The function runs when the fold is done with the entry, so that the state in the [view] includes
// it:
//
//   - v.Entry: the entry with era, revision, phase, capability, pair, state, latency; v.Entry.Message the
//     decoded message. Hooks on messages run only in revisions that have the rule; an unknown revision
//     counts as all it could be. Hooks on events and lines run always.
//   - v.Exchange: on a request its own record, on an answer its request (nil when lone; params are still
//     there), on progress, cancellation and the like the request they are about.
//   - v.call, v.outcome: what the fold has read of params or result; read more with member, members and
//     elements, which walk raw JSON.
//   - v.Session: the legacy session (versions, declarations, initialized; what was listed is in
//     catalogue.List(ToolList) and its like); v.Process: both
//     ends with their open requests in order, used ids, tokens, newest lines, the modern side, the ending.
//   - v.sent(): the sender's half of the link and the other one; v.T: the time of the entry.
//   - memo[T](v, owner): state of the rule's own, which lives as long as owner: v.Session, v.Process or
//     nil. Rules of a family share it by sharing the type. It must not grow without bound.
//
// Nothing in a view may be changed, or kept but in a memo; raw slices (Message, call, outcome) are gone
// after the hook returns, so clone what a memo keeps.
//
// v.report raises a finding; v.reportOn raises it about a subject, and further ones on the same subject,
// level and side are counted in the first (Count, Related), which is how floods stay one line: give the
// smallest thing that a person would fix once (a tool name, a capability path, a method). What a report
// leaves out is taken from the rule and the view: level, side at fault (Sender and Receiver are resolved by
// the entry), page, and At, the entry. At may be an earlier entry; at the end moments it should be one.
// Two findings of one rule at one entry are told apart by Path and By: give Path (a JSON pointer into the
// message) where there can be several. v.withdraw takes a finding back when a later line explains it
// otherwise.
//
// Texts from the wire go through clean before they become part of a message, and are cut short (excerpt,
// shortID, label). A rule that can be wrong by a race between the two directions needs a window (a second,
// say): the order of lines is the order in which the proxy saw them.
//
// Tests: a scenario in testdata/*.txtar shows the rules it names (a line "rules: id id" in its comment) at work
// (go test ./annotate -update writes the golden half); testdata/expect holds sessions with what the specification
// makes of them, written by hand; a family has its own; e2e runs all rules over the corpus, where a finding on real
// traffic is either true or a bug of the rule.
package annotate
