package annotate

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"

	"github.com/shakescope/shakescope/internal/mcpspec"
)

// Rules about MCP Apps, as far as stdio shows them: what tools and ui:// resources say of themselves.
var uiRules = []Rule{
	{
		ID: "ext-ui-not-negotiated", Group: GroupCapabilities, Levels: []Level{LevelInfo}, Revisions: mcpspec.All, By: "server",
		Spec:  "extensions/apps/overview",
		Title: "Tools with a user interface for a client that did not declare MCP Apps.",
		Why:   "The client shows them as plain tools.",
		Fix:   "Make sure that their results make sense as text, too; leave out _meta.ui for clients without the extension if you like.",
		hooks: []hook{on(onResult, uiNotNegotiated, "tools/list")},
	},
	{
		ID: "ext-ui-resource", Group: GroupCapabilities, Levels: []Level{LevelError, LevelWarning}, Revisions: mcpspec.All, By: "server",
		Spec:  "ext-apps 2026-01-26/apps#content-requirements",
		Title: "The user interface of a tool is not where, or not what, MCP Apps demand.",
		Why:   "Hosts refuse to show it.",
		Fix:   "Give it a ui:// URI and serve it as text/html;profile=mcp-app, in text or blob.",
		hooks: []hook{on(onResult, uiReference, "tools/list"), on(onResult, uiResource, "resources/read")},
	},
	{
		ID: "ext-ui-flat-key", Group: GroupCapabilities, Levels: []Level{LevelInfo}, Revisions: mcpspec.All, By: "server",
		Spec:  "ext-apps 2026-01-26/apps#resource-discovery",
		Title: "A tool names its user interface by the old key ui/resourceUri.",
		Why:   "Hosts of the published extension look at _meta.ui.resourceUri.",
		Fix:   "Write \"_meta\": {\"ui\": {\"resourceUri\": \"ui://…\"}}.",
		hooks: []hook{on(onResult, uiFlatKey, "tools/list")},
	},
}

const uiMIME = "text/html;profile=mcp-app"

// uiTool is a tool with a user interface.
type uiTool struct {
	name         string
	nested, flat []byte // its URI as raw JSON, where it stands in _meta.ui and where under the old key
	path         string
}

func (t *uiTool) uri() []byte {
	if t.nested != nil {
		return t.nested
	}
	return t.flat
}

// uiTools calls f for each tool of a list result that has a user interface.
func (v *view) uiTools(f func(t *uiTool)) {
	if !bytes.Contains(v.outcome.items, []byte(`"ui`)) {
		return
	}
	i := 0
	elements(v.outcome.items, func(tool []byte) bool {
		at := "/result/tools/" + strconv.Itoa(i) + "/_meta"
		i++
		meta := member(tool, "_meta")
		t := uiTool{nested: member(meta, mcpspec.MetaUI, "resourceUri"), flat: member(meta, mcpspec.MetaUIResourceURI)}
		if t.uri() == nil {
			return true
		}
		if t.path = at + "/ui/resourceUri"; t.nested == nil {
			t.path = pointer(at, mcpspec.MetaUIResourceURI)
		}
		t.name = text(member(tool, "name"))
		f(&t)
		return true
	})
}

// uiOffered reports whether the client declared MCP Apps, as far as is known.
func (v *view) uiOffered() (offered, known bool) {
	path := mcpspec.ExtensionPath(mcpspec.UIExtension)
	if v.Entry.Era == mcpspec.Modern {
		if v.Exchange == nil || v.Exchange.clientCaps == nil {
			return false, false
		}
		return declares(v.Exchange.clientCaps, path), true
	}
	d := &v.Session.clientCaps
	return d.made() && d.has(path), d.made()
}

func uiNotNegotiated(v *view) {
	n, first, path := 0, "", ""
	v.uiTools(func(t *uiTool) {
		if n++; n == 1 {
			first, path = t.name, t.path
		}
	})
	if n == 0 {
		return
	}
	if offered, known := v.uiOffered(); offered || !known {
		return
	}
	what := "tool " + shortID(first) + " has"
	if n > 1 {
		what = fmt.Sprintf("%d tools (%s and others) have", n, shortID(first))
	}
	v.reportOn("any", Finding{Message: what + " a user interface, but the client did not declare " + mcpspec.UIExtension, Path: path})
}

// uiURIs remembers which resources tools name as their user interface.
type uiURIs struct{ set map[string]bool }

func uiReference(v *view) {
	v.uiTools(func(t *uiTool) {
		uri := text(t.uri())
		if strings.HasPrefix(uri, "ui://") {
			m := memo[uiURIs](v, v.Process)
			if m.set == nil {
				m.set = make(map[string]bool)
			}
			if len(m.set) < maxLinks {
				m.set[uri] = true
			}
			return
		}
		v.reportOn(t.name, Finding{Message: "tool " + shortID(t.name) + ": resourceUri " + excerpt(t.uri()) + " does not begin with ui://", Path: t.path})
	})
}

func uiResource(v *view) {
	x := v.Exchange
	if x == nil || !strings.HasPrefix(x.target, "ui://") {
		return
	}
	// Other conventions have used ui:// before, so that it takes a sign of MCP Apps to be sure.
	level := LevelWarning
	if offered, _ := v.uiOffered(); offered || memo[uiURIs](v, v.Process).set[x.target] {
		level = LevelError
	}
	i := 0
	elements(member(v.Entry.Message.Result, "contents"), func(one []byte) bool {
		path := "/result/contents/" + strconv.Itoa(i)
		i++
		if !strings.HasPrefix(text(member(one, "uri")), "ui://") {
			return true
		}
		mime := member(one, "mimeType")
		switch {
		case lower(strings.ReplaceAll(text(mime), " ", "")) != uiMIME:
			was := "without mimeType"
			if mime != nil {
				was = "as " + excerpt(mime)
			}
			v.reportOn(x.target, Finding{Level: level, Message: shortID(x.target) + " is served " + was + ", not as " + uiMIME, Path: path + "/mimeType", Related: []Ref{x.At}})
		case member(one, "text") == nil && member(one, "blob") == nil:
			v.reportOn(x.target, Finding{Level: level, Message: shortID(x.target) + " has neither text nor blob", Path: path, Related: []Ref{x.At}})
		}
		return true
	})
}

func uiFlatKey(v *view) {
	v.uiTools(func(t *uiTool) {
		if t.nested == nil {
			v.reportOn("any", Finding{Message: "tool " + shortID(t.name) + " uses the key ui/resourceUri", Path: t.path})
		}
	})
}
