package annotate

import (
	"fmt"
	"strings"
	"time"

	"github.com/shakescope/shakescope/internal/mcpspec"
	"github.com/shakescope/shakescope/internal/timetext"
)

// Rules about ping.
var pingRules = []Rule{
	{
		ID: "ping-result", Group: GroupUtilities, Levels: []Level{LevelError}, Revisions: mcpspec.LegacyOnly, By: Sender,
		Spec:  "2025-11-25/basic/utilities/ping#behavior-requirements",
		Title: "A ping is not answered with an empty result.",
		Why:   "The other side takes the connection for dead, or for one that does not know ping, and gives it up.",
		Fix:   "Answer {\"result\": {}}, at any time and without any capability.",
		hooks: []hook{onAnswer(pingResult, "ping")},
	},
	{
		ID: "ping-slow", Group: GroupUtilities, Levels: []Level{LevelWarning, LevelInfo}, Likely: true, Revisions: mcpspec.LegacyOnly, By: Receiver,
		Spec:  "2025-11-25/basic/utilities/ping#behavior-requirements",
		Title: "A ping was not answered within seconds.",
		Why:   "Most likely something blocks the reader of the other side: long work on the only thread, or a full pipe.",
		Fix:   "Answer pings beside the work.",
		hooks: []hook{onAnswer(pingSlow, "ping"), on(onProcessEnd, pingOpen)},
	},
}

func pingResult(v *view) {
	e, x := v.Entry, v.Exchange
	if x == nil || len(x.params) > 0 && !isObject(x.params) || e.Cancelled {
		return
	}
	f := Finding{Path: "/result", Related: []Ref{x.At}}
	if e.Kind == ErrorAnswer {
		if !wellFormedError(member(e.Message.Raw, "error")) {
			return // error-shape says so
		}
		f.Path, f.Message = "/error", fmt.Sprintf("ping (%s) is answered with error %d, %s", x.At, e.Err.Code, excerpt([]byte(e.Err.Message)))
		v.reportOn(e.From, f)
		return
	}
	var extra []string
	members(e.Message.Result, func(key, _ []byte) bool {
		if k := string(key); k != "_meta" && k != "resultType" && len(extra) < 4 { // Go servers write resultType everywhere
			extra = append(extra, excerpt(key))
		}
		return true
	})
	if len(extra) > 0 {
		f.Message = fmt.Sprintf("the result of ping (%s) is not empty: %s", x.At, strings.Join(extra, ", "))
		v.reportOn(e.From, f)
	}
}

// wellFormedError reports whether an error object has what every one must have.
func wellFormedError(raw []byte) bool {
	return isInteger(member(raw, "code")) && isString(member(raw, "message"))
}

// promptly is how long a ping may take.
const promptly = 5 * time.Second

func pingSlow(v *view) {
	x := v.Exchange
	if x == nil || !v.Entry.HasLatency || v.Entry.Latency < promptly || x.cancelled() {
		return
	}
	v.reportOn(v.Entry.From, Finding{By: v.Entry.From, Message: fmt.Sprintf("ping (%s) took %s", x.At, timetext.Rough(v.Entry.Latency)), Related: []Ref{x.At}})
}

// pingOpen is about pings that were never answered. Where the end of the connection is in sight,
// request-unanswered speaks of them. Where the recording stops right after a ping, nothing tells how
// long it went on, so that the finding is about the recording.
func pingOpen(v *view) {
	if v.Process.ending.first.set() || v.uncertain() {
		return
	}
	for _, from := range []end{client, server} {
		for x, n := v.Process.ends[from].oldest, 0; x != nil && n < maxLook; x, n = x.newer, n+1 {
			if x.method != "ping" || x.cancelled() || x.lenient || !x.probable.IsZero() || x.era != mcpspec.Legacy {
				continue
			}
			f := Finding{By: from.other().String(), At: x.At}
			switch {
			case v.T-x.T >= promptly:
				f.Message = fmt.Sprintf("ping (%s) was not answered within %s", x.At, timetext.Rough(v.T-x.T))
			case x.At == v.At:
				f.Message = fmt.Sprintf("the recording ends with a ping (%s) that nobody answered", x.At)
				f.Level, f.At, v.At, f.Related = LevelInfo, Ref{}, Ref{}, []Ref{x.At} // it may have been answered a moment later
			default:
				continue
			}
			v.reportOn(f.By, f)
		}
	}
}
