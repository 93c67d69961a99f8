package annotate

import (
	"fmt"
	"slices"
	"strings"

	"github.com/shakescope/shakescope/internal/mcpshape"
	"github.com/shakescope/shakescope/internal/mcpspec"
)

// Rules about how capabilities are declared.
var declarationRules = []Rule{
	{
		ID: "cap-value-type", Group: GroupCapabilities, Levels: []Level{LevelError}, Revisions: mcpspec.All, By: Sender,
		Spec:  "2025-11-25/basic/lifecycle#capability-negotiation",
		Title: "A capability is declared with a value of the wrong type.",
		Why:   "Peers that check types drop the capability or refuse the handshake: the feature is there and is not seen.",
		Fix:   "Declare a feature by an object, {} where it has no options; listChanged and subscribe are true or false. Leave out what is not offered.",
		hooks: []hook{on(onRequest, capabilityTypes), on(onResult, capabilityTypes, "initialize", "server/discover")},
	},
	{
		ID: "cap-unknown-for-revision", Group: GroupCapabilities, Levels: []Level{LevelInfo}, Revisions: mcpspec.LegacyOnly, By: Sender,
		Spec:  "2025-11-25/basic/lifecycle#capability-negotiation",
		Title: "A capability that the session's revision does not have yet.",
		Why:   "It is legal, and the other side ignores it: the feature cannot be used on this session.",
		Fix:   "Nothing, if the peer is to be helped by a later revision; otherwise negotiate one that has it.",
		hooks: []hook{on(onNotification, capabilitiesTooNew, "notifications/initialized")},
	},
	{
		ID: "cap-roots-listchanged-modern", Group: GroupCapabilities, Levels: []Level{LevelInfo}, Revisions: mcpspec.ModernOnly, By: "client",
		Spec:  "2026-07-28/schema#clientcapabilities",
		Title: "A modern request declares roots.listChanged.",
		Why:   "The notice that it promises is gone since 2026-07-28. Go SDK clients send it by default.",
		Fix:   "Declare roots: {}.",
		hooks: []hook{on(onRequest, rootsListChangedModern)},
	},
	{
		ID: "ext-id-format", Group: GroupCapabilities, Levels: []Level{LevelError}, Revisions: mcpspec.ModernOnly, By: Sender,
		Spec:  "2026-07-28/basic/versioning#extension-negotiation",
		Title: "An extension is declared under a name that is none, or with a value that is no object.",
		Why:   "Extensions are found by their full name, such as io.modelcontextprotocol/tasks; peers do not see any other.",
		Fix:   "Write prefix, slash and name, with an object as the value: \"com.example/thing\": {}.",
		hooks: []hook{on(onRequest, extensionIDs), on(onResult, extensionIDs, "server/discover")},
	},
}

// declared returns the capabilities object that the entry carries, whose side that is, and where.
func (v *view) declared() (caps []byte, of string, path string) {
	e := v.Entry
	switch {
	case e.Kind == Request && e.Method == "initialize" && v.from() == client && e.Era == mcpspec.Legacy:
		return v.call.caps, "ClientCapabilities", "/params/capabilities"
	case e.Kind == Request && v.call.clientCaps != nil && v.from() == client:
		return v.call.clientCaps, "ClientCapabilities", pointer("/params/_meta", mcpspec.MetaClientCapabilities)
	case e.Kind == Response && v.Exchange != nil && v.from() == server:
		return v.outcome.caps, "ServerCapabilities", "/result/capabilities"
	}
	return nil, "", ""
}

func capabilityTypes(v *view) {
	caps, of, path := v.declared()
	if !isObject(caps) || v.Entry.Revision == "" {
		return
	}
	mcpshape.CheckType(of, v.Entry.Revision, caps, func(p mcpshape.Problem) {
		if p.Keyword != "type" || strings.HasPrefix(p.Path, "/extensions/") {
			return
		}
		name := strings.ReplaceAll(strings.TrimPrefix(p.Path, "/"), "/", ".")
		v.reportOn(name, Finding{Message: fmt.Sprintf("%s is %s, not %s", clean(name), clean(p.Value), p.Want), Path: path + p.Path})
	})
}

// tooNew returns the paths of a declaration that come in a later revision only.
func tooNew(d *declaration, side end, revision string) []string {
	var out []string
	for _, c := range mcpspec.CapabilityPaths() {
		if end := endOf(string(c.Side)); end != side || c.Revisions.Has(revision) || !laterThan(c.Revisions, revision) {
			continue
		}
		if slices.ContainsFunc(out, func(p string) bool { return strings.HasPrefix(c.Path, p+".") || strings.HasPrefix(c.Path, p+"[") }) {
			continue
		}
		if value := member(d.raw, segments(c.Path)...); value == nil || isNull(value) || string(value) == "false" {
			continue
		}
		if c.Path == "extensions" {
			// Whether MCP Apps are offered has been said this way on all revisions.
			other := false
			members(member(d.raw, "extensions"), func(key, _ []byte) bool {
				other = other || string(key) != mcpspec.UIExtension
				return true
			})
			if !other {
				continue
			}
		}
		out = append(out, c.Path)
	}
	return out
}

func laterThan(set mcpspec.Set, revision string) bool {
	list := set.List()
	return len(list) > 0 && list[len(list)-1] > revision
}

func capabilitiesTooNew(v *view) {
	s := v.Session
	if v.from() != client || !s.opened.set() || s.initialized.At != v.At {
		return
	}
	for _, side := range []end{client, server} {
		d := &s.clientCaps
		if side == server {
			d = &s.serverCaps
		}
		if paths := tooNew(d, side, s.revision); len(paths) > 0 {
			v.report(Finding{By: side.String(), Message: fmt.Sprintf("the %s declares %s (%s), which %s does not have", side, strings.Join(paths, ", "), d.at, s.revision), Related: []Ref{d.at}})
		}
	}
}

func rootsListChangedModern(v *view) {
	caps := v.call.clientCaps
	if caps == nil || v.from() != client || !declares(caps, "roots.listChanged") {
		return
	}
	v.reportOn("any", Finding{Message: "the client declares roots.listChanged", Path: pointer("/params/_meta", mcpspec.MetaClientCapabilities, "roots", "listChanged")})
}

func extensionIDs(v *view) {
	caps, _, path := v.declared()
	if v.Entry.Era != mcpspec.Modern {
		return
	}
	members(member(caps, "extensions"), func(key, value []byte) bool {
		id := string(key)
		at := pointer(path+"/extensions", id)
		switch _, _, ok := strings.Cut(id, "/"); {
		case !ok:
			v.reportOn(id, Finding{Message: "extension " + shortID(id) + " has no prefix: it should be like com.example/" + excerpt(key), Path: at})
		case badKey(id) != "" || strings.HasSuffix(id, "/"):
			v.reportOn(id, Finding{Message: "extension " + shortID(id) + " is no valid name", Path: at})
		case !isObject(value):
			v.reportOn(id, Finding{Message: "extension " + shortID(id) + " is declared with " + excerpt(value) + ", not with an object", Path: at})
		}
		return true
	})
}
