package annotate

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/shakescope/shakescope/internal/mcpspec"
	"github.com/shakescope/shakescope/internal/timetext"
	"github.com/shakescope/shakescope/jsonrpc"
)

// Rules about lines that can be read, yet may trouble a peer.
var lineRules = []Rule{
	{
		ID: "blank-line", Group: GroupFraming, Levels: []Level{LevelWarning}, Revisions: mcpspec.All, By: Sender,
		Spec:  "2025-11-25/basic/transports#stdio",
		Title: "A blank line stands between the messages.",
		Why:   "It is no message. Most readers skip it, some answer with a parse error or give up.",
		Fix:   "Write exactly one newline after each message; keep package runners and print statements off stdout.",
		hooks: []hook{on(onBlank, blankLine)},
	},
	{
		ID: "crlf-line-ending", Group: GroupFraming, Levels: []Level{LevelInfo}, Revisions: mcpspec.All, By: Sender,
		Spec:  "2025-11-25/basic/transports#stdio",
		Title: "Lines end in CR LF.",
		Why:   "CR is white space to JSON, so the message parses; some peers take it for trailing data. Windows text mode does this.",
		Fix:   "Write in binary mode, or set the newline of the stream to LF.",
		hooks: []hook{onMessage(crlf), on(onBatch, crlf)},
	},
	{
		ID: "trailing-space", Group: GroupFraming, Levels: []Level{LevelInfo}, Revisions: mcpspec.All, By: Sender,
		Spec:  "2025-11-25/basic/transports#stdio",
		Title: "White space stands between the message and its newline, or before it.",
		Why:   "JSON allows it, but there are peers that take it for trailing data and end the connection without a word.",
		Fix:   "End the line right after the message.",
		hooks: []hook{onMessage(edgeSpace), on(onBatch, edgeSpace)},
	},
	{
		ID: "duplicate-json-key", Group: GroupFraming, Levels: []Level{LevelWarning}, Revisions: mcpspec.All, By: Sender,
		Spec:  "2025-11-25/basic/index#messages",
		Title: "An object has the same key twice.",
		Why:   "Parsers disagree on which one counts, so the two ends may read different messages.",
		Fix:   "Write each key once; look for code that joins JSON by hand.",
		hooks: []hook{onMessage(duplicateKey)},
	},
	{
		ID: "oversize-message", Group: GroupFraming, Levels: []Level{LevelWarning, LevelInfo}, Likely: true, Revisions: mcpspec.All, By: Sender,
		Spec:  "2025-11-25/basic/transports#stdio",
		Title: "The line is longer than the read buffer of widespread peers (10 MiB).",
		Why:   "No revision sets a limit, but the TypeScript SDK closes the connection beyond 10 MiB and the Go SDK beyond 16 MiB.",
		Fix:   "Page the result, return a resource link, or send less.",
		hooks: []hook{onMessage(oversize), on(onBatch, oversize), on(onInvalid, oversize), on(onEvent, leftAfterBig, "client_closed_stdin", "signal", "signal_to_server", "signal_to_proxy")},
	},
	{
		ID: "json-number-precision", Group: GroupFraming, Levels: []Level{LevelInfo}, Likely: true, Revisions: mcpspec.All, By: Sender,
		Spec:  "2025-11-25/basic/index#requests",
		Title: "An id or token is a number beyond 2^53-1.",
		Why:   "Peers that keep numbers as doubles round it, and then the answer carries another id.",
		Fix:   "Count from 1, or use strings.",
		hooks: []hook{on(onRequest, bigNumber), on(onNotification, bigNumber, "notifications/progress", "notifications/cancelled", "notifications/tasks/status"), on(onResult, bigTaskNumber, "tools/call", "tasks/get")},
	},
	{
		ID: "stderr-output", Group: GroupFraming, Levels: []Level{LevelInfo}, Revisions: mcpspec.All, By: "server",
		Spec:  "2025-11-25/basic/transports#stdio",
		Title: "What the server wrote to stderr before it ended badly.",
		Why:   "Text on stderr is no fault, any log may go there; before a crash it often holds the cause.",
		Fix:   "Read the last lines of stderr.",
		hooks: []hook{on(onStderr, keepStderr), on(onSilence, lastWords)},
	},
}

// reencoded reports whether the lines are not those of the wire, so that how they were spelt says nothing.
func (v *view) reencoded() bool { return v.s.header.Imported != nil && v.s.header.Imported.Reencoded }

func blankLine(v *view) {
	e := v.Entry
	own, _ := v.sent()
	if e.Partial || own.header || v.reencoded() {
		return
	}
	v.reportOn(e.From, Finding{Message: "blank line on " + streamOf(e)})
}

func streamOf(e *Entry) string {
	if e.From == string(mcpspec.Client) {
		return "stdin"
	}
	return "stdout"
}

func crlf(v *view) {
	e := v.Entry
	own, _ := v.sent()
	if e.EOL != jsonrpc.CRLF || e.Sub != NoSub || own.header || v.reencoded() {
		return
	}
	v.once(e.From, Finding{Message: "lines on " + streamOf(e) + " end in CR LF"})
}

// said is what a rule says once only.
type said struct{ names map[string]bool }

// once raises a finding the first time that its rule has something to say about a subject of the process.
func (v *view) once(name string, f Finding) {
	m := memo[said](v, v.Process)
	key := v.rule.ID + "\x00" + name
	if m.names[key] || len(m.names) >= maxSubjects {
		return
	}
	if m.names == nil {
		m.names = make(map[string]bool)
	}
	m.names[key] = true
	v.report(f)
}

func edgeSpace(v *view) {
	e := v.Entry
	if len(e.Defects) == 0 || e.Sub != NoSub || v.reencoded() {
		return
	}
	for _, d := range e.Defects {
		if d.Kind == jsonrpc.EdgeSpace {
			where := "after"
			if d.Offset == 0 {
				where = "before"
			}
			v.reportOn(e.From, Finding{Message: "white space " + where + " the message"})
			return
		}
	}
}

func duplicateKey(v *view) {
	e := v.Entry
	if len(e.Defects) == 0 {
		return
	}
	var keys []string
	path := ""
	for _, d := range e.Defects {
		if d.Kind == jsonrpc.DuplicateKey {
			if len(keys) == 0 {
				path = d.Path + "/" + pointerToken(d.Detail)
			}
			if len(keys) < 3 {
				keys = append(keys, clean(d.Path+"/"+pointerToken(d.Detail)))
			}
		}
	}
	if len(keys) > 0 {
		v.reportOn(e.From+path, Finding{Message: "key written twice: " + strings.Join(keys, ", "), Path: path})
	}
}

// pointerToken escapes a key for a JSON pointer.
func pointerToken(key string) string {
	if !strings.ContainsAny(key, "~/") {
		return key
	}
	return strings.NewReplacer("~", "~0", "/", "~1").Replace(key)
}

// oversize speaks up where a line is likely to break the link. An answer was asked for, so it is only
// worth a warning if the client then goes away; whatever else was sent on the sender's own account.
func oversize(v *view) {
	const most = 10 << 20
	e := v.Entry
	if e.Size <= most || e.Sub != NoSub {
		return
	}
	what := "a line"
	if e.Method != "" {
		what = label(e.Method, e.Target)
	}
	f := Finding{Message: fmt.Sprintf("%s of %.1f MiB", what, float64(e.Size)/(1<<20)), At: e.Ref, By: e.From}
	if v.Exchange != nil {
		f.Level = LevelInfo
		*memo[big](v, v.Process) = big{f, v.T}
	}
	v.reportOn(what, f)
}

// big is the newest answer beyond the limit.
type big struct {
	f Finding
	t time.Duration
}

func leftAfterBig(v *view) {
	m := memo[big](v, v.Process)
	p, d := v.Process, &v.Process.ending
	if m.f.At.IsZero() || d.first.At != v.At || d.firstSign != signStdin && d.firstSign != signSignal || m.f.By != server.String() {
		return
	}
	if p.ends[client].last.At.Seq > m.f.At.Seq || v.T-m.t > 10*time.Second {
		return
	}
	m.f.Level, m.f.Related = LevelWarning, []Ref{v.At}
	m.f.Message += fmt.Sprintf(", and the client left %s later", timetext.Rough(v.T-m.t))
	v.report(m.f)
}

// unsafe reports whether raw JSON is an integer that a double cannot tell from its neighbour.
func unsafe(raw []byte) bool {
	if len(raw) < 16 || raw[0] != '-' && (raw[0] < '0' || raw[0] > '9') {
		return false
	}
	for _, c := range raw[1:] {
		if c < '0' || c > '9' {
			return false
		}
	}
	n, err := strconv.ParseInt(string(raw), 10, 64)
	return err != nil || n > 1<<53-1 || n < -(1<<53-1)
}

func bigNumber(v *view) {
	e := v.Entry
	check := func(path string, raw []byte) {
		if unsafe(raw) {
			v.reportOn(e.From+path, Finding{Message: shortID(string(raw)) + " is beyond 2^53-1: peers that use doubles round it", Path: path})
		}
	}
	check("/id", []byte(e.ID))
	switch e.Kind {
	case Request:
		check("/params/_meta/progressToken", v.call.token)
	default:
		check("/params/progressToken", v.call.token)
		check("/params/requestId", v.call.requestID)
	}
	if v.call.task != nil {
		check("/params/task/ttl", member(v.call.task, "ttl"))
	}
}

// bigTaskNumber is about the numbers of a task: ttl and pollInterval.
func bigTaskNumber(v *view) {
	if v.outcome.taskID == "" {
		return
	}
	task, at := v.Entry.Message.Result, "/result"
	if inner := member(task, "task"); inner != nil {
		task, at = inner, "/result/task"
	}
	for _, name := range [...]string{"ttl", "pollInterval", "ttlMs", "pollIntervalMs"} {
		if raw := member(task, name); unsafe(raw) {
			v.reportOn(v.Entry.From+at+name, Finding{Message: name + " " + shortID(string(raw)) + " is beyond 2^53-1", Path: at + "/" + name})
		}
	}
}

// words are the newest lines of stderr that say something, and the newest one that speaks of an error.
type words struct {
	at    []Ref
	lines []string
	errAt Ref
	err   string
}

func keepStderr(v *view) {
	const most = 3
	line := strings.TrimSpace(excerpt(v.Entry.Raw))
	if line == "" {
		return
	}
	m := memo[words](v, v.Process)
	if len(m.lines) == most {
		copy(m.lines, m.lines[1:])
		copy(m.at, m.at[1:])
		m.lines, m.at = m.lines[:most-1], m.at[:most-1]
	}
	m.lines, m.at = append(m.lines, line), append(m.at, v.At)
	lower := strings.ToLower(line)
	for _, sign := range [...]string{"error", "panic", "exception", "fatal", "cannot ", "not found", "failed"} {
		if strings.Contains(lower, sign) {
			m.errAt, m.err = v.At, line
			return
		}
	}
}

// telling returns the line of stderr that most likely tells why the server ended, "" when there is none.
func (m *words) telling() (string, Ref) {
	if m.err != "" || len(m.lines) == 0 {
		return m.err, m.errAt
	}
	last := len(m.lines) - 1
	return m.lines[last], m.at[last]
}

func lastWords(v *view) {
	m := memo[words](v, v.Process)
	d := &v.Process.ending
	bad := d.firstSign == signExit || d.firstSign == signStdout || d.code != nil && *d.code != 0 && !d.signal.set()
	if len(m.lines) == 0 || !bad {
		return
	}
	said, related := m.lines, m.at
	if m.err != "" && !slices.Contains(m.at, m.errAt) {
		said, related = append([]string{m.err, "…"}, m.lines...), append([]Ref{m.errAt}, m.at...)
	}
	v.report(Finding{At: m.at[len(m.at)-1], Message: "last words on stderr: " + strings.Join(said, " / "), Related: related[:len(related)-1]})
}
