package annotate

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/shakescope/shakescope/internal/mcpspec"
)

// Rules about roots.
var rootRules = []Rule{
	{
		ID: "root-uri-scheme", Group: GroupRoots, Levels: []Level{LevelError}, Revisions: mcpspec.All, By: "client",
		Spec:  "2025-11-25/client/roots#root",
		Title: "A root is no file:// URI.",
		Why:   "Servers read roots as file URIs: a plain path or another scheme is refused, or taken for a path under the working directory.",
		Fix:   "Write file:///home/me, or file:///C:/work on Windows.",
		hooks: []hook{on(onResult, rootScheme, "roots/list"), on(onRequest, rootScheme, retriedMethods...)},
	},
	{
		ID: "root-uri-form", Group: GroupRoots, Levels: []Level{LevelWarning}, Revisions: mcpspec.All, By: "client",
		Spec:  "2025-11-25/client/roots#root",
		Title: "The file:// URI of a root is badly formed, or there twice.",
		Why:   "A drive letter after two slashes is read as the name of a host; spaces and back slashes end up in paths that do not exist.",
		Fix:   "Make the URI with a library (pathToFileURL, Path.as_uri): three slashes, forward slashes, %20 for a space.",
		hooks: []hook{on(onResult, rootForm, "roots/list"), on(onRequest, rootForm, retriedMethods...)},
	},
	{
		ID: "roots-changed-not-refetched", Group: GroupRoots, Levels: []Level{LevelInfo}, Likely: true, Revisions: mcpspec.LegacyOnly, By: "server",
		Spec:  "2025-11-25/client/roots#message-flow",
		Title: "The server never asked for the roots again after they had changed.",
		Why:   "It works with the old ones, or does not care for them at all.",
		Fix:   "Send roots/list when notifications/roots/list_changed comes.",
		hooks: []hook{on(onNotification, rootsChanged, "notifications/roots/list_changed"), on(onRequest, rootsAsked, "roots/list"), on(onSessionEnd, rootsNotRefetched)},
	},
	{
		ID: "roots-undeclared-code", Group: GroupRoots, Levels: []Level{LevelWarning}, Revisions: mcpspec.LegacyOnly, By: "client",
		Spec:  "2025-11-25/client/roots#error-handling",
		Title: "A client that did not declare roots answers roots/list with something else than -32601.",
		Why:   "The server cannot tell a client without roots from one that failed; or the client has roots and does not say so.",
		Fix:   "Declare roots, or answer with error -32601.",
		hooks: []hook{onAnswer(rootsUndeclared, "roots/list")},
	},
}

// roots calls f with the URI of each root in the entry: in an answer to roots/list, or in what a modern
// request hands in.
func (v *view) roots(f func(uri []byte, path string)) {
	v.inputs("roots/list", "roots", func(in *input) {
		i := 0
		elements(member(in.result, "roots"), func(root []byte) bool {
			if uri := member(root, "uri"); isString(uri) {
				f(uri, in.path+"/roots/"+strconv.Itoa(i)+"/uri")
			}
			i++
			return true
		})
	})
}

func rootScheme(v *view) {
	v.roots(func(uri []byte, path string) {
		if s := text(uri); !isFileURI(s) {
			f := Finding{Message: "root " + excerpt(uri) + " is no file:// URI", Path: path}
			switch {
			case strings.HasPrefix(s, "/") || strings.HasPrefix(s, "~") || len(s) > 2 && s[1] == ':':
				f.Message += " but a path"
			case strings.HasPrefix(lower(s), "file:"):
				f.Message += ", it lacks slashes"
			}
			v.reportOn(s, f)
		}
	})
}

func isFileURI(s string) bool { return len(s) >= 7 && strings.EqualFold(s[:7], "file://") }

func rootForm(v *view) {
	var seen map[string]bool
	v.roots(func(uri []byte, path string) {
		s := text(uri)
		if !isFileURI(s) {
			return
		}
		rest := s[7:]
		what := ""
		switch {
		case seen[s]:
			what = "is there twice"
		case len(rest) > 1 && isLetter(rest[0]) && (rest[1] == ':' || rest[1] == '|'):
			what = "takes its drive for a host: three slashes are needed"
		case strings.Contains(rest, `\`):
			what = "has back slashes"
		case strings.ContainsAny(rest, " \t\n\r"):
			what = "has a space that is not written %20"
		}
		if seen == nil {
			seen = make(map[string]bool)
		}
		if len(seen) < maxListed {
			seen[s] = true
		}
		if what != "" {
			v.reportOn(s+what, Finding{Message: "root " + excerpt(uri) + " " + what, Path: path})
		}
	})
}

func isLetter(c byte) bool { return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' }

// rootsNews is the newest notice of changed roots that no roots/list has followed.
type rootsNews struct{ at Ref }

func rootsChanged(v *view) {
	if m := memo[rootsNews](v, v.Session); v.from() == client && v.Session.current() && m.at.IsZero() {
		m.at = v.At
	}
}

func rootsAsked(v *view) {
	if v.from() == server {
		memo[rootsNews](v, v.Session).at = Ref{}
	}
}

func rootsNotRefetched(v *view) {
	if m := memo[rootsNews](v, v.Session); !m.at.IsZero() && !v.uncertain() {
		v.report(Finding{At: m.at, Message: "no roots/list followed this notice", Related: []Ref{v.At}})
	}
}

func rootsUndeclared(v *view) {
	x, e := v.Exchange, v.Entry
	if x == nil || x.from != server || len(x.capability) == 0 || x.capability[0].State != Undeclared || x.cancelled() {
		return
	}
	if e.Err != nil && e.Err.Code == mcpspec.MethodNotFound {
		return
	}
	what := "with success"
	if e.Err != nil {
		what = fmt.Sprintf("with error %d, not -32601", e.Err.Code)
	}
	v.reportOn("any", Finding{Message: fmt.Sprintf("roots/list (%s) is answered %s, though roots is not declared", x.At, what), Related: []Ref{x.At}})
}
