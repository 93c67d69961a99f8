package annotate

import (
	"fmt"
	"net"
	"net/url"
	"strconv"
	"strings"

	"github.com/shakescope/shakescope/internal/mcpspec"
)

const elicitationMethod = "elicitation/create"

// Rules about what elicitation asks for, but for its forms.
var elicitationRules = []Rule{
	{
		ID: "elicitation-mode-undeclared", Group: GroupElicitation, Levels: []Level{LevelError}, Revisions: mcpspec.Since(mcpspec.Rev20251125), By: "server",
		Spec:  "2025-11-25/client/elicitation#capabilities",
		Title: "Elicitation in a mode that the client did not declare.",
		Why:   "The client cannot show it and has to refuse. An empty elicitation capability means forms; one that names url only means no forms.",
		Fix:   "Ask in a mode that elicitation.form or elicitation.url declares.",
		hooks: []hook{on(onRequest, modeUndeclared, elicitationMethod)},
	},
	{
		ID: "elicitation-mode-value", Group: GroupElicitation, Levels: []Level{LevelError}, Revisions: mcpspec.Since(mcpspec.Rev20250618), By: "server",
		Spec:  "2025-11-25/client/elicitation#elicitation-requests",
		Title: "A mode of elicitation that does not exist on this session.",
		Why:   "The client cannot tell what to show.",
		Fix:   "Use form or url; url from 2025-11-25 on only.",
		hooks: onAsk(modeValue, elicitationMethod),
	},
	{
		ID: "elicitation-url-fields", Group: GroupElicitation, Levels: []Level{LevelError, LevelWarning}, Revisions: mcpspec.Since(mcpspec.Rev20251125), By: "server",
		Spec:  "2025-11-25/client/elicitation#url-mode-elicitation-requests",
		Title: "Elicitation in mode url without what it needs, or with what does not belong.",
		Why:   "Without a valid url there is nothing to open; without elicitationId (2025-11-25) nobody can tell when it is done.",
		Fix:   "Give an absolute url, and in 2025-11-25 an elicitationId. In 2026-07-28 url and message are all there is.",
		hooks: onAsk(urlFields, elicitationMethod),
	},
	{
		ID: "elicitation-url-insecure", Group: GroupElicitation, Levels: []Level{LevelWarning}, Revisions: mcpspec.Since(mcpspec.Rev20251125), By: "server",
		Spec:  "2025-11-25/client/elicitation#safe-url-handling",
		Title: "A URL to open that is not safe to open.",
		Why:   "Whoever reads the link or the line gets in: over plain http, or with the credentials that are part of it. Clients may refuse other schemes.",
		Fix:   "Use https, and let the user authenticate on the page instead of by the link.",
		hooks: onAsk(urlInsecure, elicitationMethod),
	},
	{
		ID: "url-elicitation-error", Group: GroupElicitation, Levels: []Level{LevelError}, Revisions: mcpspec.Since(mcpspec.Rev20251125) & mcpspec.LegacyOnly, By: "server",
		Spec:  "2025-11-25/client/elicitation#url-elicitation-required-error",
		Title: "Error -32042 that does not say which URLs are to be opened, or to a client that opens none.",
		Why:   "The client cannot do what the error asks of the user, so the call cannot be repeated with success.",
		Fix:   "Put elicitations into data, each with mode url, elicitationId, url and message, and use the error only where elicitation.url is declared.",
		hooks: []hook{on(onError, urlRequired)},
	},
	{
		ID: "elicitation-complete-unknown", Group: GroupElicitation, Levels: []Level{LevelWarning}, Revisions: mcpspec.Since(mcpspec.Rev20251125) & mcpspec.LegacyOnly, By: "server",
		Spec:  "2025-11-25/client/elicitation#completion-notifications-for-url-mode-elicitation",
		Title: "notifications/elicitation/complete for an elicitation that was never announced, or a second time.",
		Why:   "Clients ignore it; the one that waits for another id waits on.",
		Fix:   "Send it once, with the elicitationId of the request or of the error -32042.",
		hooks: []hook{on(onNotification, completeUnknown, "notifications/elicitation/complete")},
	},
	{
		ID: "elicitation-outside-request", Group: GroupElicitation, Levels: []Level{LevelInfo}, Revisions: mcpspec.Since(mcpspec.Rev20250618) & mcpspec.LegacyOnly, By: "server",
		Spec:  "2025-11-25/client/elicitation#user-interaction-model",
		Title: "The server asks the client for something (elicitation, sampling or roots) while no request of the client is open.",
		Why:   "That is legal in this revision. It cannot be carried over to 2026-07-28, where a server asks only in its answer to a request.",
		Fix:   "Nothing here. Before a move to 2026-07-28, ask while the call that needs it is open.",
		hooks: []hook{on(onRequest, outsideRequest, elicitationMethod, samplingMethod, "roots/list")},
	},
}

func modeUndeclared(v *view) {
	if v.from() != server {
		return
	}
	for _, path := range []string{"elicitation.form", "elicitation.url"} {
		if v.lacks(v.Entry.Capability, path) {
			f := Finding{Message: "asks in mode " + strings.TrimPrefix(path, "elicitation.") + ", but the client did not declare " + path, Path: "/params", Related: v.declaredAt(client)}
			if v.call.mode != "" {
				f.Path = "/params/mode"
			}
			v.reportOn(path, f)
		}
	}
}

func modeValue(v *view) {
	v.asks(func(a *ask) {
		raw := member(a.params, "mode")
		if raw == nil {
			return
		}
		switch mode := text(raw); {
		case mode == "url" && v.Entry.Revision < mcpspec.Rev20251125:
			v.reportOn(mode, Finding{Message: "mode url came with " + mcpspec.Rev20251125 + "; the session speaks " + v.Entry.Revision, Path: a.path + "/mode"})
		case mode != "url" && mode != "form":
			v.reportOn(string(raw), Finding{Message: "mode " + excerpt(raw) + " is neither form nor url", Path: a.path + "/mode"})
		}
	}, elicitationMethod)
}

// urlAsks calls f for each elicitation in mode url.
func (v *view) urlAsks(f func(a *ask)) {
	v.asks(func(a *ask) {
		if text(member(a.params, "mode")) == "url" {
			f(a)
		}
	}, elicitationMethod)
}

// absoluteURL reads a URL that can be opened, nil when it is none.
func absoluteURL(raw []byte) *url.URL {
	u, err := url.Parse(text(raw))
	if err != nil || u.Scheme == "" || u.Host == "" && u.Opaque == "" && u.Path == "" {
		return nil
	}
	if (strings.EqualFold(u.Scheme, "http") || strings.EqualFold(u.Scheme, "https")) && u.Host == "" {
		return nil
	}
	return u
}

func urlFields(v *view) {
	v.urlAsks(func(a *ask) {
		raw, id := member(a.params, "url"), member(a.params, "elicitationId")
		switch {
		case raw == nil:
			v.reportOn("url", Finding{Message: "elicitation in mode url without url", Path: a.path})
		case absoluteURL(raw) == nil:
			v.reportOn("url", Finding{Message: "url " + excerpt(raw) + " is no absolute URL", Path: a.path + "/url"})
		}
		if v.Entry.Era != mcpspec.Modern {
			if text(id) == "" {
				f := Finding{Message: "elicitation in mode url without elicitationId", Path: a.path}
				if id != nil {
					f = Finding{Message: "elicitationId is " + excerpt(id), Path: a.path + "/elicitationId"}
				}
				if raw == nil {
					f.Path += "/" // the missing url stands at the same place
				}
				v.reportOn("elicitationId", f)
			}
			return
		}
		for _, name := range []string{"elicitationId", "requestedSchema"} {
			if member(a.params, name) != nil {
				message := name + " has no meaning in an elicitation of mode url"
				if name == "elicitationId" {
					message = name + " is gone since " + mcpspec.Rev20260728 + ": what the server knows a URL by belongs into requestState"
				}
				v.reportOn(name, Finding{Level: LevelWarning, Message: message, Path: a.path + "/" + name})
			}
		}
	})
}

// secretQuery are names in the query of a URL under which credentials go.
var secretQuery = map[string]bool{
	"token": true, "access_token": true, "id_token": true, "refresh_token": true, "auth_token": true, "api_key": true, "apikey": true, "api-key": true,
	"password": true, "passwd": true, "pwd": true, "secret": true, "client_secret": true, "jwt": true,
}

func urlInsecure(v *view) {
	v.urlAsks(func(a *ask) {
		raw := member(a.params, "url")
		u := absoluteURL(raw)
		if u == nil {
			return
		}
		what := ""
		switch scheme := lower(u.Scheme); {
		case scheme == "http" && !isLocal(u.Hostname()):
			what = "goes to " + excerpt([]byte(u.Hostname())) + " over plain http"
		case scheme != "http" && scheme != "https":
			what = "has the scheme " + excerpt([]byte(u.Scheme))
		case u.User != nil:
			what = "holds a user name"
		default:
			for name := range strings.SplitSeq(u.RawQuery, "&") {
				name, value, _ := strings.Cut(name, "=")
				if secretQuery[lower(name)] && value != "" {
					what = "has " + excerpt([]byte(name)) + " in its query"
					break
				}
			}
		}
		if what != "" {
			v.reportOn(what, Finding{Message: "the url to open " + what, Path: a.path + "/url"})
		}
	})
}

// isLocal reports whether a host name is this machine.
func isLocal(host string) bool {
	host = lower(strings.TrimSuffix(host, "."))
	if host == "localhost" || strings.HasSuffix(host, ".localhost") {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}

func urlRequired(v *view) {
	e := v.Entry
	if e.Err == nil || e.Err.Code != mcpspec.URLElicitationRequired || v.from() != server {
		return
	}
	list := member(e.Err.Data, "elicitations")
	f := Finding{Path: "/error/data"}
	switch {
	case v.Exchange != nil && v.Session.clientCaps.made() && !v.Session.clientCaps.has("elicitation.url"):
		f.Message, f.Path = "error -32042 to a client that did not declare elicitation.url", "/error/code"
		f.Related = v.declaredAt(client)
	case !isArray(list):
		f.Message = "error -32042 without data.elicitations"
	case count(list) == 0:
		f.Message, f.Path = "error -32042 with no elicitation in data.elicitations", "/error/data/elicitations"
	default:
		i := 0
		elements(list, func(one []byte) bool {
			path := "/error/data/elicitations/" + strconv.Itoa(i)
			i++
			switch mode := member(one, "mode"); {
			case mode != nil && text(mode) != "url":
				f.Message, f.Path = "it holds an elicitation of mode "+excerpt(mode), path+"/mode"
			case mode == nil:
				f.Message, f.Path = "it holds an elicitation without mode", path
			case text(member(one, "elicitationId")) == "":
				f.Message, f.Path = "it holds an elicitation without elicitationId", path
			case absoluteURL(member(one, "url")) == nil:
				f.Message, f.Path = "it holds an elicitation without a valid url", path
			default:
				return true
			}
			f.Message = "error -32042: " + f.Message
			return false
		})
	}
	if f.Message != "" {
		v.reportOn(f.Message, f)
	}
}

// completed remembers which elicitations were said to be complete.
type completed struct{ at map[string]Ref }

func completeUnknown(v *view) {
	id := v.call.elicitation
	if id == "" || v.from() != server {
		return
	}
	m := memo[completed](v, v.Session)
	if m.at == nil || len(m.at) >= maxLinks {
		m.at = make(map[string]Ref)
	}
	f := Finding{Path: "/params/elicitationId"}
	before, twice := m.at[id]
	_, announced := v.Process.elicitations[id]
	m.at[id] = v.At
	switch {
	case twice:
		f.Message, f.Related = fmt.Sprintf("elicitation %s is complete a second time (%s)", shortID(id), before), []Ref{before}
	case !announced && !v.uncertain():
		f.Message = "elicitation " + shortID(id) + " is complete, but was never announced"
	default:
		return
	}
	v.reportOn(id, f)
}

func outsideRequest(v *view) {
	if v.from() != server || v.Process.ends[client].openCount > 0 || v.call.relatedTask != "" || v.uncertain() {
		return
	}
	page := map[string]string{"roots/list": "client/roots", samplingMethod: "client/sampling#user-interaction-model"}[v.Entry.Method]
	f := Finding{Message: v.Entry.Method + " while no request of the client is open: legal here, without a place in 2026-07-28"}
	if page != "" {
		f.Spec = mcpspec.Rev20251125 + "/" + page
	}
	v.reportOn(v.Entry.Method, f)
}
