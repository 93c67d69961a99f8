package annotate

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/shakescope/shakescope/internal/mcpspec"
	"github.com/shakescope/shakescope/internal/timetext"
)

// Rules about results of the modern era: their type, and how long and by whom they may be kept.
var cachingRules = []Rule{
	{
		ID: "result-type-missing", Group: GroupCaching, Levels: []Level{LevelError}, Revisions: mcpspec.ModernOnly, By: "server",
		Spec:  "2026-07-28/basic/index#resulttype",
		Title: "A result to a modern request has no resultType.",
		Why:   "resultType tells a final result from one that asks for input. Clients take a result without it as complete, so it works by their grace.",
		Fix:   "Put resultType: \"complete\" into every result that is final.",
		hooks: []hook{on(onResult, resultTypeMissing)},
	},
	{
		ID: "result-type-unknown", Group: GroupCaching, Levels: []Level{LevelError}, Revisions: mcpspec.ModernOnly, By: "server",
		Spec:  "2026-07-28/basic/index#resulttype",
		Title: "A result has a resultType that nobody defines.",
		Why:   "Clients have to treat such a result as invalid: the call fails although the server did its work.",
		Fix:   "Use complete, input_required, or a type of an extension that both sides declared.",
		hooks: []hook{on(onResult, resultTypeUnknown)},
	},
	{
		ID: "cache-hints-missing", Group: GroupCaching, Levels: []Level{LevelError}, Revisions: mcpspec.ModernOnly, By: "server",
		Spec:  "2026-07-28/server/utilities/caching#cacheable-results",
		Title: "A result that can be cached does not say how long or by whom.",
		Why:   "Strict clients reject the result, others ask again each time or keep it too long.",
		Fix:   "Put ttlMs and cacheScope into results of server/discover, of the four lists and of resources/read; ttlMs 0 says that it must not be kept.",
		hooks: []hook{on(onResult, cacheHintsMissing)},
	},
	{
		ID: "cache-ttl-value", Group: GroupCaching, Levels: []Level{LevelError}, Revisions: mcpspec.ModernOnly, By: "server",
		Spec:  "2026-07-28/server/utilities/caching#time-to-live-ttl-field",
		Title: "ttlMs is no whole number from 0 up.",
		Why:   "A client cannot tell how long the result is fresh, and may reject it.",
		Fix:   "Send a count of milliseconds: a number without fraction, not a string, not negative.",
		hooks: []hook{on(onResult, cacheTTLValue)},
	},
	{
		ID: "cache-scope-value", Group: GroupCaching, Levels: []Level{LevelError}, Revisions: mcpspec.ModernOnly, By: "server",
		Spec:  "2026-07-28/server/utilities/caching#cache-scope-field",
		Title: "cacheScope is neither public nor private.",
		Why:   "A cache cannot tell whether it may hand the result to other users.",
		Fix:   "Send \"private\" for what depends on the user, \"public\" for what is the same for all.",
		hooks: []hook{on(onResult, cacheScopeValue)},
	},
	{
		ID: "cache-scope-varies", Group: GroupCaching, Levels: []Level{LevelError}, Revisions: mcpspec.ModernOnly, By: "server",
		Spec:  "2026-07-28/server/utilities/caching#interaction-with-pagination",
		Title: "Pages of one list have different cache scopes.",
		Why:   "A cache that puts pages together mixes what is one user's with what is everybody's.",
		Fix:   "Give all pages of a list the same cacheScope; private if any item is.",
		hooks: []hook{on(onResult, cacheScopeVaries, "tools/list", "prompts/list", "resources/list", "resources/templates/list")},
	},
	{
		ID: "cache-hints-on-interim", Group: GroupCaching, Levels: []Level{LevelWarning}, Revisions: mcpspec.ModernOnly, By: "server",
		Spec:  "2026-07-28/server/utilities/caching#cacheable-results",
		Title: "An input_required result carries cache hints.",
		Why:   "A question to the user is no result that could be kept; a cache that trusts the hints asks it again.",
		Fix:   "Send ttlMs and cacheScope with complete results only.",
		hooks: []hook{on(onResult, cacheHintsOnInterim)},
	},
	{
		ID: "cache-refetch-while-fresh", Group: GroupCaching, Levels: []Level{LevelInfo}, Revisions: mcpspec.ModernOnly, By: "client",
		Spec:  "2026-07-28/server/utilities/caching#freshness-calculation",
		Title: "The client asks again for what it has, while it is fresh.",
		Why:   "The server said how long the result holds and announced no change: the call could have been spared.",
		Fix:   "Keep the result for ttlMs, or until a change notice; subscribe instead of polling.",
		hooks: []hook{
			on(onResult, keptFresh, "server/discover", "tools/list", "prompts/list", "resources/list", "resources/templates/list", "resources/read"),
			on(onRequest, askedWhileFresh, "server/discover", "tools/list", "prompts/list", "resources/list", "resources/templates/list", "resources/read"),
			on(onNotification, freshNoMore, "notifications/tools/list_changed", "notifications/prompts/list_changed", "notifications/resources/list_changed", "notifications/resources/updated"),
		},
	},
	{
		ID: "cache-public-user-data", Group: GroupCaching, Levels: []Level{LevelInfo}, Likely: true, Revisions: mcpspec.ModernOnly, By: "server",
		Spec:  "2026-07-28/server/utilities/caching#security-considerations",
		Title: "A resource that looks like one user's may be cached for all.",
		Why:   "A cache shared between users may hand it to anyone.",
		Fix:   "Send cacheScope \"private\" for files and for whatever depends on who asks.",
		hooks: []hook{on(onResult, cachePublicUserData, "resources/read")},
	},
}

// legacyVersion reports whether a request with modern metadata names a legacy revision: some servers list
// those as supported, and nobody says what the answer has to look like then.
func (x *exchange) legacyVersion() bool { return mcpspec.EraOf(x.version) == mcpspec.Legacy }

// cacheable reports whether the answer is a final result that must say how it may be cached.
func cacheable(v *view) bool {
	x := v.Exchange
	return x != nil && !x.legacyVersion() && x.from == client && x.spec != nil && x.spec.Cacheable && (v.outcome.kind == "" || v.outcome.kind == "complete")
}

func resultTypeMissing(v *view) {
	x := v.Exchange
	if x == nil || x.from != client || v.outcome.kind != "" || !v.Process.modern.marked || lacksMeta(v, x) != "" || x.legacyVersion() {
		return
	}
	if kind := member(v.Entry.Message.Result, "resultType"); kind == nil {
		v.reportOn(x.method, Finding{Message: "the result of " + label(x.method, x.target) + " has no resultType", Path: "/result", Related: []Ref{x.At}})
	}
}

func resultTypeUnknown(v *view) {
	x, kind := v.Exchange, v.outcome.kind
	if x == nil || x.from != client || x.version == "" {
		return
	}
	switch kind {
	case "complete", "input_required", "task":
		return
	case "":
		raw := member(v.Entry.Message.Result, "resultType")
		if raw == nil {
			return
		}
		kind = excerpt(raw)
	default:
		if ownExtensions(x.clientCaps) && (!v.Process.modern.caps.made() || ownExtensions(v.Process.modern.caps.raw)) {
			return // one of them may define it
		}
	}
	v.reportOn(x.method+kind, Finding{
		Message: "the result of " + label(x.method, x.target) + " has resultType " + shortText(kind), Path: "/result/resultType", Related: []Ref{x.At},
	})
}

// ownExtensions reports whether capabilities declare an extension that this program does not know.
func ownExtensions(caps []byte) bool {
	own := false
	members(member(caps, "extensions"), func(key, _ []byte) bool {
		own = string(key) != mcpspec.TasksExtension && string(key) != mcpspec.UIExtension
		return !own
	})
	return own
}

// shortText cuts a text from the wire for a message.
func shortText(s string) string { return excerpt([]byte(s)) }

func cacheHintsMissing(v *view) {
	x := v.Exchange
	if !cacheable(v) || !v.Process.modern.marked || lacksMeta(v, x) != "" {
		return
	}
	var ttl, scope bool
	members(v.Entry.Message.Result, func(key, _ []byte) bool {
		ttl = ttl || string(key) == "ttlMs"
		scope = scope || string(key) == "cacheScope"
		return !ttl || !scope
	})
	lacks := "ttlMs and cacheScope"
	switch {
	case ttl && scope:
		return
	case ttl:
		lacks = "cacheScope"
	case scope:
		lacks = "ttlMs"
	}
	v.reportOn(x.method+lacks, Finding{Message: "the result of " + label(x.method, x.target) + " lacks " + lacks, Path: "/result", Related: []Ref{x.At}})
}

// milliseconds reads a count of milliseconds; ok is false when it is none.
func milliseconds(raw []byte) (d time.Duration, ok bool) {
	if len(raw) == 0 || !isDigit(raw[0]) {
		return 0, false
	}
	f, err := strconv.ParseFloat(string(raw), 64)
	if err != nil || f < 0 || f != math.Trunc(f) {
		return 0, false
	}
	if f > float64(math.MaxInt64/int64(time.Millisecond)) {
		return math.MaxInt64, true
	}
	return time.Duration(f) * time.Millisecond, true
}

func cacheTTLValue(v *view) {
	if !cacheable(v) || !v.outcome.cacheHints {
		return
	}
	raw := member(v.Entry.Message.Result, "ttlMs")
	if _, ok := milliseconds(raw); raw != nil && !ok {
		x := v.Exchange
		v.reportOn(x.method, Finding{Message: "ttlMs of " + label(x.method, x.target) + " is " + excerpt(raw), Path: "/result/ttlMs", Related: []Ref{x.At}})
	}
}

func cacheScopeValue(v *view) {
	if !cacheable(v) || !v.outcome.cacheHints {
		return
	}
	raw := member(v.Entry.Message.Result, "cacheScope")
	if s := text(raw); raw != nil && s != "public" && s != "private" {
		x := v.Exchange
		v.reportOn(x.method, Finding{Message: "cacheScope of " + label(x.method, x.target) + " is " + excerpt(raw), Path: "/result/cacheScope", Related: []Ref{x.At}})
	}
}

// pageScopes are the scopes of pages that name a next one, by method and cursor.
type pageScopes map[[2]string]pageScope

type pageScope struct {
	scope string
	at    Ref
}

const maxPageScopes = 4096

func cacheScopeVaries(v *view) {
	x := v.Exchange
	if !cacheable(v) || !v.outcome.cacheHints {
		return
	}
	scope := text(member(v.Entry.Message.Result, "cacheScope"))
	if scope == "" {
		return
	}
	m := memo[pageScopes](v, v.Process)
	if *m == nil || len(*m) > maxPageScopes {
		*m = make(pageScopes)
	}
	if cursor := member(x.params, "cursor"); isString(cursor) {
		if before, ok := (*m)[[2]string{x.method, string(cursor)}]; ok && before.scope != scope {
			v.reportOn(x.method, Finding{
				Message: fmt.Sprintf("a page of %s is %s, the one before (%s) is %s", x.method, shortText(scope), before.at, shortText(before.scope)),
				Path:    "/result/cacheScope", Related: []Ref{before.at},
			})
		}
	}
	if isString(v.outcome.next) && len(v.outcome.next) < 4096 {
		(*m)[[2]string{x.method, string(v.outcome.next)}] = pageScope{scope, v.At}
	}
}

func cacheHintsOnInterim(v *view) {
	if x := v.Exchange; x != nil && v.outcome.kind == "input_required" && v.outcome.cacheHints {
		v.reportOn(x.method, Finding{Message: "the question that answers " + label(x.method, x.target) + " carries cache hints", Path: "/result", Related: []Ref{x.At}})
	}
}

// fresh is what a client has been given and may keep: by method and what was asked for.
type fresh map[freshKey]freshness

type freshKey struct{ method, what string }

type freshness struct {
	until time.Duration
	at    mark
	ttl   time.Duration
}

const maxFresh = 4096

func freshKeyOf(x *exchange) (freshKey, bool) {
	if cursor := member(x.params, "cursor"); cursor != nil {
		return freshKey{x.method, string(cursor)}, len(cursor) < 1024
	}
	return freshKey{x.method, x.target}, len(x.target) < 1024
}

func keptFresh(v *view) {
	key, ok := freshKey{}, false
	if cacheable(v) && v.outcome.cacheHints {
		key, ok = freshKeyOf(v.Exchange)
	}
	ttl, whole := milliseconds(member(v.Entry.Message.Result, "ttlMs"))
	if !ok || !whole || ttl == 0 {
		return
	}
	m := memo[fresh](v, v.Process)
	if *m == nil || len(*m) >= maxFresh {
		*m = make(fresh)
	}
	until := v.T + ttl
	if until < v.T {
		until = math.MaxInt64
	}
	(*m)[key] = freshness{until, mark{v.At, v.T}, ttl}
}

func askedWhileFresh(v *view) {
	m := *memo[fresh](v, v.Process)
	if len(m) == 0 || v.from() != client {
		return
	}
	key, ok := freshKeyOf(v.Exchange)
	if f, have := m[key]; ok && have && v.T < f.until {
		v.reportOn(key.method, Finding{
			Message: fmt.Sprintf("%s again after %s; %s is fresh for %s", label(v.Entry.Method, v.Entry.Target), timetext.Rough(v.T-f.at.T), f.at.At, timetext.Rough(f.ttl)),
			Related: []Ref{f.at.At},
		})
	}
}

func freshNoMore(v *view) {
	m := *memo[fresh](v, v.Process)
	for key := range m {
		gone := false
		switch v.Entry.Method {
		case "notifications/tools/list_changed":
			gone = key.method == "tools/list"
		case "notifications/prompts/list_changed":
			gone = key.method == "prompts/list"
		case "notifications/resources/list_changed":
			gone = strings.HasPrefix(key.method, "resources/")
		case "notifications/resources/updated":
			gone = key.method == "resources/read" && (strings.HasPrefix(key.what, v.Entry.Target) || strings.HasPrefix(v.Entry.Target, key.what))
		}
		if gone {
			delete(m, key)
		}
	}
}

func cachePublicUserData(v *view) {
	x := v.Exchange
	if !cacheable(v) || !v.outcome.cacheHints || text(member(v.Entry.Message.Result, "cacheScope")) != "public" {
		return
	}
	if why := personal(x.target); why != "" {
		v.reportOn(x.target, Finding{Message: clean(x.target) + " may be cached for everybody; " + why, Path: "/result/cacheScope", Related: []Ref{x.At}})
	}
}

// personal guesses from a URI why a resource belongs to one user, "" when nothing says so.
func personal(uri string) string {
	lower := strings.ToLower(uri)
	if strings.HasPrefix(lower, "file:") {
		return "it is a file of the machine that the server runs on"
	}
	_, path, _ := strings.Cut(lower, ":")
	for _, part := range strings.FieldsFunc(path, func(r rune) bool { return strings.ContainsRune("/?&=#", r) }) {
		switch part {
		case "me", "self", "user", "users", "home", "account", "accounts", "profile", "inbox", "mailbox", "~":
			return "its address names a user (" + part + ")"
		}
		if at := strings.IndexByte(part, '@'); at > 0 && strings.Contains(part[at:], ".") {
			return "its address names a user"
		}
	}
	return ""
}
