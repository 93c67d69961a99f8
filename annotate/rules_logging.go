package annotate

import (
	"fmt"
	"time"

	"github.com/shakescope/shakescope/internal/mcpspec"
	"github.com/shakescope/shakescope/internal/timetext"
)

// Rules about log notices.
var loggingRules = []Rule{
	{
		ID: "log-level", Group: GroupLogging, Levels: []Level{LevelError}, Revisions: mcpspec.All, By: Sender,
		Spec:  "2025-11-25/server/utilities/logging#log-levels",
		Title: "A log level that does not exist.",
		Why:   "Peers that validate drop the notice or refuse the request. The usual guests are warn, trace, fatal and upper case.",
		Fix:   "Use one of debug, info, notice, warning, error, critical, alert, emergency.",
		hooks: []hook{on(onNotification, logLevel, "notifications/message"), on(onRequest, setLevel, "logging/setLevel")},
	},
	{
		ID: "log-no-data", Group: GroupLogging, Levels: []Level{LevelError}, Revisions: mcpspec.All, By: "server",
		Spec:  "2025-11-25/schema#loggingmessagenotificationparams",
		Title: "A log notice without data.",
		Why:   "The text belongs in data, so clients have nothing to show.",
		Fix:   "Put the text or object into data; message is no member of it.",
		hooks: []hook{on(onNotification, logNoData, "notifications/message")},
	},
	{
		ID: "log-below-level", Group: GroupLogging, Levels: []Level{LevelWarning}, Revisions: mcpspec.LegacyOnly, By: "server",
		Spec:  "2025-11-25/schema#setlevelrequestparams",
		Title: "A log notice less severe than the level that the client set.",
		Why:   "The client asked not to get it; chatty servers flood it all the same.",
		Fix:   "Drop what lies below the level once logging/setLevel is answered.",
		hooks: []hook{on(onResult, levelSet, "logging/setLevel"), on(onInvalid, levelTried, "logging/setLevel"), on(onNotification, belowLevel, "notifications/message")},
	},
	{
		ID: "log-bad-level-accepted", Group: GroupLogging, Levels: []Level{LevelWarning}, Revisions: mcpspec.LegacyOnly, By: "server",
		Spec:  "2025-11-25/server/utilities/logging#error-handling",
		Title: "logging/setLevel with a level that does not exist is not answered with -32602.",
		Why:   "The client believes that the level is in force, or cannot tell why it is not.",
		Fix:   "Refuse unknown levels with error -32602.",
		hooks: []hook{onAnswer(badLevelAccepted, "logging/setLevel")},
	},
	{
		ID: "log-secret", Group: GroupLogging, Levels: []Level{LevelWarning}, Likely: true, Revisions: mcpspec.All, By: "server",
		Spec:  "2025-11-25/server/utilities/logging#security",
		Title: "A log notice that seems to hold a secret.",
		Why:   "Logs are shown, kept and pasted into reports; what is in them is public sooner or later.",
		Fix:   "Mask credentials before they reach a log, and replace the one that was sent.",
		hooks: []hook{on(onNotification, logSecret, "notifications/message")},
	},
	{
		ID: "log-flood", Group: GroupLogging, Levels: []Level{LevelInfo}, Likely: true, Revisions: mcpspec.All, By: "server",
		Spec:  "2025-11-25/server/utilities/logging#implementation-considerations",
		Title: "More than a hundred log notices within a second.",
		Why:   "Answers wait behind them in the pipe, and clients are busy with showing them.",
		Fix:   "Limit the rate, or send what happens often at level debug only.",
		hooks: []hook{on(onNotification, logFlood, "notifications/message")},
	},
}

var severities = []string{"debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"}

// severity returns the rank of a level given as raw JSON, -1 when it is none.
func severity(raw []byte) int {
	for i, l := range severities {
		if len(raw) == len(l)+2 && string(raw[1:len(raw)-1]) == l {
			return i
		}
	}
	name := text(raw) // it may be written with escapes
	for i, l := range severities {
		if name == l {
			return i
		}
	}
	return -1
}

// likelyLevel names the level that is probably meant, "" when nothing suggests one.
var likelyLevel = map[string]string{
	"warn": "warning", "err": "error", "trace": "debug", "verbose": "debug", "fatal": "critical", "panic": "emergency", "crit": "critical", "emerg": "emergency",
}

func (v *view) badLevel(raw []byte, path string) {
	if raw == nil || severity(raw) >= 0 {
		return
	}
	f := Finding{Message: v.Entry.Method + ": level " + excerpt(raw), Path: path}
	name := lower(text(raw))
	if meant := likelyLevel[name]; meant != "" {
		f.Message += ", meant is probably " + meant
	} else if severity([]byte(`"`+name+`"`)) >= 0 {
		f.Message += ", levels are lower case"
	}
	v.reportOn(v.Entry.From+v.Entry.Method+string(raw), f)
}

func logLevel(v *view) {
	v.badLevel(member(v.Entry.Message.Params, "level"), "/params/level")
}

func setLevel(v *view) { v.badLevel(member(v.Entry.Message.Params, "level"), "/params/level") }

func logNoData(v *view) {
	if v.from() != server || member(v.Entry.Message.Params, "data") != nil {
		return
	}
	f := Finding{Message: "log notice without data", Path: "/params"}
	for _, name := range []string{"message", "msg", "text"} {
		if member(v.Entry.Message.Params, name) != nil {
			f.Message += ", the text is in " + name
			break
		}
	}
	v.reportOn("any", f)
}

// levelInForce is the level that the client set last.
type levelInForce struct {
	rank int
	at   Ref
}

func levelSet(v *view) {
	x := v.Exchange
	if x == nil {
		return
	}
	if rank := severity(member(x.params, "level")); rank >= 0 {
		*memo[levelInForce](v, v.Session) = levelInForce{rank, v.At}
	}
}

// levelTried is about a request that is no valid message: the server may have set its level or not.
func levelTried(v *view) { *memo[levelInForce](v, v.Session) = levelInForce{} }

func belowLevel(v *view) {
	l := memo[levelInForce](v, v.Session)
	if v.from() != server || l.rank == 0 || v.Entry.Era != mcpspec.Legacy {
		return
	}
	rank := severity(member(v.Entry.Message.Params, "level"))
	if rank < 0 || rank >= l.rank || v.levelPending() {
		return
	}
	v.reportOn(severities[rank], Finding{Message: fmt.Sprintf("log notice of level %s, but the client set %s (%s)", severities[rank], severities[l.rank], l.at), Path: "/params/level", Related: []Ref{l.at}})
}

// levelPending reports whether the client has asked for another level, which may be in force already.
func (v *view) levelPending() bool {
	n := 0
	for x := v.Process.ends[client].newest; x != nil && n < maxAskedAgain; x, n = x.older, n+1 {
		if x.method == "logging/setLevel" {
			return true
		}
	}
	return false
}

func badLevelAccepted(v *view) {
	x, e := v.Exchange, v.Entry
	if x == nil || !x.sized || x.from != client {
		return
	}
	level := member(x.params, "level")
	if level == nil || severity(level) >= 0 || e.Err != nil && (e.Err.Code == mcpspec.InvalidParams || e.Err.Code == mcpspec.MethodNotFound) || x.cancelled() {
		return
	}
	what := "is answered with success"
	if e.Err != nil {
		what = fmt.Sprintf("is answered with error %d, not -32602", e.Err.Code)
	}
	v.reportOn("any", Finding{Message: fmt.Sprintf("logging/setLevel %s (%s) %s", excerpt(level), x.At, what), Related: []Ref{x.At}})
}

func logSecret(v *view) {
	if v.from() != server {
		return
	}
	if kind := secretIn(member(v.Entry.Message.Params, "data")); kind != "" {
		v.reportOn(kind, Finding{Message: "log data seems to hold " + kind, Path: "/params/data"})
	}
}

// floodRate is the number of log notices within a second beyond which they are a flood.
const floodRate = 100

// logRate counts the log notices of a second.
type logRate struct {
	first Ref
	since time.Duration
	n     int
}

func logFlood(v *view) {
	if v.from() != server || v.s.header.Imported != nil && v.s.header.Imported.NoTime {
		return
	}
	r := memo[logRate](v, v.Process)
	if r.n == 0 || v.T-r.since >= time.Second {
		*r = logRate{first: v.At, since: v.T}
	}
	switch r.n++; {
	case r.n == floodRate+1:
		v.reportOn("any", Finding{At: r.first, Message: fmt.Sprintf("%d log notices within %s", r.n, timetext.Rough(v.T-r.since)), Count: r.n})
	case r.n > floodRate:
		v.reportOn("any", Finding{})
	}
}
