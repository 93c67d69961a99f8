package annotate

import (
	"slices"
	"strings"
	"time"

	"github.com/shakescope/shakescope/internal/mcpspec"
)

// Rules about the revision that a handshake settles.
var versionRules = []Rule{
	{
		ID: "version-format", Group: GroupLifecycle, Levels: []Level{LevelWarning}, Revisions: mcpspec.LegacyOnly, By: Sender,
		Spec:  "2025-11-25/basic/lifecycle#version-negotiation",
		Title: "protocolVersion names no published revision.",
		Why:   "Peers compare the string with the dates that they know; whether they find common ground is luck.",
		Fix:   "Name one of the published revisions, such as 2025-11-25.",
		hooks: []hook{on(onRequest, versionAsked, "initialize"), on(onResult, versionAnswered, "initialize")},
	},
	{
		ID: "version-changed", Group: GroupLifecycle, Levels: []Level{LevelInfo}, Revisions: mcpspec.LegacyOnly, By: "server",
		Spec:  "2025-11-25/basic/lifecycle#version-negotiation",
		Title: "The server answered with another revision than the client asked for.",
		Why:   "That is how negotiation works; from here on the answered revision governs, and what came later is off.",
		Fix:   "Nothing, unless the client needs a feature of the later revision.",
		hooks: []hook{on(onResult, versionChanged, "initialize")},
	},
	{
		ID: "version-newer-than-asked", Group: GroupLifecycle, Levels: []Level{LevelInfo}, Revisions: mcpspec.LegacyOnly, By: "server",
		Spec:  "2025-11-25/basic/lifecycle#version-negotiation",
		Title: "The server answered with a later revision than the client asked for.",
		Why:   "It may do so, but a client asks for the latest revision that it knows and will most likely hang up.",
		Fix:   "Answer with the revision asked for where it is supported, else with the latest one before it.",
		hooks: []hook{on(onResult, versionNewer, "initialize")},
	},
	{
		ID: "version-not-echoed", Group: GroupLifecycle, Levels: []Level{LevelError}, Likely: true, Revisions: mcpspec.LegacyOnly, By: "server",
		Spec:  "2025-11-25/basic/lifecycle#version-negotiation",
		Title: "The server answered with another revision although it says that it supports the one asked for.",
		Why:   "It must answer with the revision asked for if it supports it; clients may hang up over the other one.",
		Fix:   "Echo the revision of the request where it is among the supported ones.",
		hooks: []hook{on(onResult, versionNotEchoed, "initialize"), onAnswer(noteSupported)},
	},
	{
		ID: "version-mismatch-disconnect", Group: GroupLifecycle, Levels: []Level{LevelInfo}, Likely: true, Revisions: mcpspec.LegacyOnly, By: "client",
		Spec:  "2025-11-25/basic/lifecycle#version-negotiation",
		Title: "The client hung up over the revision that the server answered with.",
		Why:   "A client that does not support the answer should disconnect. It did the right thing; this explains the end.",
		Fix:   "Bring client and server to a common revision.",
		hooks: []hook{on(onEvent, hungUpOverVersion, "client_closed_stdin", "signal", "signal_to_server", "signal_to_proxy", "server_closed_stdout", "exit", "server_exit")},
	},
	{
		ID: "version-refused", Group: GroupLifecycle, Levels: []Level{LevelWarning}, Revisions: mcpspec.LegacyOnly, By: "server",
		Spec:  "2025-11-25/basic/lifecycle#version-negotiation",
		Title: "The server refuses a published revision with an error instead of offering another one.",
		Why:   "A server that lacks the revision must answer with one that it supports; with an error many clients give up. The same page shows such an error as an example, so this is no more than a warning.",
		Fix:   "Answer initialize with the latest revision that the server supports.",
		hooks: []hook{on(onError, handshakeRefused, "initialize")},
	},
	{
		ID: "modern-version-in-initialize", Group: GroupLifecycle, Levels: []Level{LevelError, LevelInfo}, Revisions: mcpspec.All, By: Sender,
		Spec:  "2026-07-28/basic/versioning#backward-compatibility-with-initialization-based-versions",
		Title: "A handshake names a revision that has none.",
		Why:   "From 2026-07-28 on there is no initialize: each request names its revision. A result that says so opens a session by rules that do not exist.",
		Fix:   "Answer initialize with 2025-11-25 or earlier; speak later revisions through per-request metadata.",
		hooks: []hook{on(onRequest, modernAsked, "initialize"), on(onResult, modernAnswered, "initialize")},
	},
}

// published reports whether a version may stand in a handshake without a word: the revisions, and one
// that two SDKs offer though it never was published.
func published(version string) bool { return mcpspec.Known(version) || version == mcpspec.Rev20241007 }

func versionAsked(v *view) {
	raw := member(v.Entry.Message.Params, "protocolVersion")
	if v.from() != client || raw == nil {
		return
	}
	switch {
	case !isString(raw):
		v.report(Finding{Message: "protocolVersion " + excerpt(raw) + " is no string", Path: "/params/protocolVersion"})
	case !published(v.call.protocol):
		v.report(Finding{Message: "protocolVersion " + excerpt(raw) + " is no published revision", Path: "/params/protocolVersion"})
	}
}

func versionAnswered(v *view) {
	answered := v.outcome.protocol
	switch {
	case v.Exchange == nil || answered == "" || mcpspec.EraOf(answered) == mcpspec.Modern || mcpspec.Known(answered):
		return
	case answered == mcpspec.Rev20241007 && v.Session.asked == answered:
		return
	}
	v.report(Finding{Message: "protocolVersion " + shortID(answered) + " is no published revision", Path: "/result/protocolVersion"})
}

func modernAsked(v *view) {
	if asked := v.call.protocol; v.from() == client && mcpspec.Known(asked) && mcpspec.EraOf(asked) == mcpspec.Modern {
		v.report(Finding{Level: LevelInfo, Message: "initialize asks for " + asked + ", which has no handshake", Path: "/params/protocolVersion"})
	}
}

func modernAnswered(v *view) {
	if answered := v.outcome.protocol; v.Exchange != nil && mcpspec.EraOf(answered) == mcpspec.Modern {
		v.report(Finding{Message: "initialize is answered with " + shortID(answered) + ", which has no handshake", Path: "/result/protocolVersion"})
	}
}

// since names what a revision brought that its forerunner lacks.
var since = map[string]string{
	mcpspec.Rev20250326: "audio, tool annotations, completions",
	mcpspec.Rev20250618: "elicitation, structured tool output, resource links",
	mcpspec.Rev20251125: "tasks, url elicitation, sampling with tools, icons",
}

func versionChanged(v *view) {
	s := v.Session
	if v.Exchange == nil || v.Exchange != s.request || s.asked == "" || s.answered == "" || s.answered == s.asked || s.answered > s.asked && mcpspec.IsDate(s.asked) && mcpspec.IsDate(s.answered) {
		return
	}
	var lost []string
	for _, r := range mcpspec.Revisions() {
		if r > s.revision && r <= s.asked && since[r] != "" {
			lost = append(lost, since[r])
		}
	}
	message := "asked for " + shortID(s.asked) + ", answered " + shortID(s.answered)
	if len(lost) > 0 {
		message += "; without " + strings.Join(lost, ", ")
	}
	v.report(Finding{Message: message, Path: "/result/protocolVersion", Related: []Ref{v.Exchange.At}})
}

func versionNewer(v *view) {
	s := v.Session
	if v.Exchange == nil || v.Exchange != s.request || !mcpspec.IsDate(s.asked) || !mcpspec.IsDate(s.answered) || s.answered <= s.asked {
		return
	}
	v.report(Finding{Message: "asked for " + s.asked + ", answered " + s.answered, Path: "/result/protocolVersion", Related: []Ref{v.Exchange.At}})
}

// supported is what a server said about the revisions that it supports.
type supported struct {
	at       Ref
	versions []string
}

func noteSupported(v *view) {
	e := v.Entry
	if v.from() != server {
		return
	}
	var list []byte
	switch {
	case v.outcome.supported != nil:
		list = v.outcome.supported
	case e.Err != nil && len(e.Err.Data) > 0 && len(e.Err.Data) < 4096:
		list = member(e.Err.Data, "supported")
	}
	if list == nil {
		return
	}
	m := memo[supported](v, v.Process)
	m.at, m.versions = v.At, m.versions[:0]
	elements(list, func(one []byte) bool {
		m.versions = append(m.versions, text(one))
		return len(m.versions) < 32
	})
}

func versionNotEchoed(v *view) {
	s := v.Session
	m := memo[supported](v, v.Process)
	if v.Exchange == nil || v.Exchange != s.request || s.answered == s.asked || mcpspec.EraOf(s.asked) != mcpspec.Legacy || !slices.Contains(m.versions, s.asked) {
		return
	}
	v.report(Finding{
		Message: "answered " + shortID(s.answered) + ", though " + m.at.String() + " lists " + shortID(s.asked) + " as supported",
		Path:    "/result/protocolVersion", Related: []Ref{m.at, v.Exchange.At},
	})
}

func hungUpOverVersion(v *view) {
	const soon = 5 * time.Second
	s, d := v.Process.session, &v.Process.ending
	byClient := d.firstSign == signStdin || d.firstSign == signSignal
	if !byClient || d.first.At != v.At || !s.opened.set() || s.initialized.set() || s.answered == s.asked || s.answered == "" {
		return
	}
	if own := &v.Process.ends[client]; own.last.At.Seq > s.opened.At.Seq || v.T-s.opened.T > soon {
		return
	}
	v.report(Finding{
		Message: "right after " + shortID(s.answered) + " was answered where " + shortID(s.asked) + " was asked for", Related: []Ref{s.opened.At},
	})
}

func handshakeRefused(v *view) {
	x, e := v.Exchange, v.Entry
	asked := ""
	if x != nil && x == v.Process.session.request {
		asked = v.Process.session.asked
	} else if o := v.Process.opening; o != nil && x == o.request {
		asked = o.asked
	}
	if !mcpspec.Known(asked) || mcpspec.EraOf(asked) != mcpspec.Legacy || v.Process.modern.marked || e.Err.Code == mcpspec.UnsupportedVersion {
		return
	}
	legacy := true
	list := member(e.Err.Data, "supported")
	if list != nil {
		legacy = false
		elements(list, func(one []byte) bool {
			legacy = legacy || mcpspec.EraOf(text(one)) == mcpspec.Legacy
			return true
		})
	}
	words := strings.ToLower(e.Err.Message)
	about := strings.Contains(words, "version") && (strings.Contains(words, "protocol") || strings.Contains(words, "support") || strings.Contains(words, asked))
	if !legacy || list == nil && !about {
		return
	}
	v.report(Finding{Message: asked + " is refused with error " + itoa(e.Err.Code) + " instead of another revision", Path: "/error", Related: []Ref{x.At}})
}
