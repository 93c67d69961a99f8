package annotate

import (
	"fmt"
	"strconv"
	"time"

	"github.com/shakescope/shakescope/internal/timetext"
)

// endProcess closes the process: another one begins, or the recording ends.
func (s *Session) endProcess() {
	p := s.proc
	s.explainOpen(s.last.T)
	if p.ending.first.set() {
		s.silence(mark{})
		s.wasProbe()
	}
	s.run(onSessionEnd)
	s.run(onProcessEnd)
	s.reports.release(p.session)
	s.reports.release(p)
}

// run calls the hooks of a moment that has no entry.
func (s *Session) run(m moment) {
	v := view{At: s.last.At, T: s.last.T, Process: s.proc, Session: s.proc.session, s: s}
	s.reports.run(m, "", &v)
}

// silence runs the hooks for the moment from which no answer of the server can come; at is the event
// that says so, or zero when it is the end of the recording after a first sign.
func (s *Session) silence(at mark) {
	d := &s.proc.ending
	if d.silent {
		return
	}
	d.silent = true
	v := view{At: at.At, T: at.T, Process: s.proc, Session: s.proc.session, s: s}
	if at.set() {
		v.Entry = s.up.entry(at.At)
	} else {
		v.At, v.T = d.last.At, d.last.T
	}
	s.reports.run(onSilence, "", &v)
}

// explainOpen says of each request that is open why nothing answered it. The exit may know better than
// the end of stdout did, so it is said again then.
func (s *Session) explainOpen(t time.Duration) {
	for _, e := range []end{client, server} {
		for x := s.proc.ends[e].oldest; x != nil; x = x.newer {
			if why := s.proc.whyOpen(x); why != "" && why != x.why {
				x.why = why
				s.patch(Patch{At: x.At, Unanswered: why})
			}
		}
	}
}

// whyOpen says why an open request has no answer, in words for people.
func (p *process) whyOpen(x *exchange) string {
	d := &p.ending
	switch {
	case x.cancelled():
		return "cancelled by the " + x.from.String()
	case x.longLived():
		return "stays open by design"
	case x.unsure:
		return "bytes are missing from the recording"
	case x.lenient:
		return ""
	case x.brokenAnswer:
		return "the " + x.from.other().String() + " closed the stream in mid-answer (" + x.probable.String() + ")"
	case !x.probable.IsZero():
		return x.hint
	case x.unsound:
		return "its own line is none that a reader of lines could take"
	case x.from == client && x.method != "initialize" && p.session.opened.set() && !p.session.initialized.set() && x.T >= p.session.opened.T:
		return "the client never sent notifications/initialized"
	case x.from == server && x.late:
		return "sent after the client had closed the server's stdin"
	case d.spawnFailed:
		return "the server did not start"
	}
	how := ""
	switch {
	case d.exit.set() && d.exitSignal != "":
		how = "the server was ended by " + d.exitSignal
	case d.exit.set() && d.code != nil:
		how = "the server exited with code " + strconv.Itoa(*d.code)
	case d.exit.set():
		how = "the server exited"
	case d.stdout.set():
		how = "the server closed its stdout"
	case d.signal.set():
		how = "the server got " + d.signalName
	case d.stdin.set():
		how = "the client closed the server's stdin"
	default:
		return "nothing answered it before the recording ends"
	}
	if x.from == client && !p.ends[server].last.set() {
		how = "the server wrote nothing to stdout; " + how
	}
	when := d.first
	switch {
	case d.exit.set():
		when = d.exit
	case d.stdout.set():
		when = d.stdout
	}
	how += fmt.Sprintf(" %s after the request", timetext.Rough(when.T-x.T))
	switch {
	case d.firstSign == signStdin && when.At != d.stdin.At:
		how += ", when the client had closed its stdin"
	case d.firstSign == signSignal && d.exitSignal == "":
		how += ", after " + d.signalName
	}
	return how
}

// String writes a reference as people read it: #7, or #7.2 for a member of a batch.
func (r Ref) String() string {
	if r.Sub == NoSub {
		return "#" + strconv.FormatInt(r.Seq, 10)
	}
	return "#" + strconv.FormatInt(r.Seq, 10) + "." + strconv.Itoa(int(r.Sub))
}
