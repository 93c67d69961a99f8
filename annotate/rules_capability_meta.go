package annotate

import (
	"bytes"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/shakescope/shakescope/internal/mcpspec"
)

// Rules about the names in _meta, and of extensions.
var metaRules = []Rule{
	{
		ID: "meta-key-format", Group: GroupCapabilities, Levels: []Level{LevelError}, Revisions: mcpspec.Since(mcpspec.Rev20250618), By: Sender,
		Spec:  "2025-11-25/basic/index#_meta",
		Title: "A key of _meta is not of the form that keys must have.",
		Why:   "Peers may drop the key, or the whole message.",
		Fix:   "A key is a name that begins and ends with a letter or digit (inside also - _ .), and may have a prefix of labels joined by dots before one slash; a label begins with a letter and ends with a letter or digit.",
		hooks: []hook{on(onRequest, metaKeys), on(onNotification, metaKeys), on(onResult, metaKeys)},
	},
	{
		ID: "ext-reserved-prefix", Group: GroupCapabilities, Levels: []Level{LevelWarning}, Revisions: mcpspec.Since(mcpspec.Rev20250618), By: Sender,
		Spec:  "2026-07-28/basic/index#_meta",
		Title: "A key uses a prefix that is reserved for MCP, and no known document defines it.",
		Why:   "The name may get a meaning of its own in a later revision; until then no other program knows it.",
		Fix:   "Use a prefix of your own, from a domain that you control: com.example/name.",
		hooks: []hook{on(onRequest, reservedKeys), on(onNotification, reservedKeys), on(onResult, reservedKeys), on(onRequest, reservedExtensions), on(onResult, reservedExtensions, "initialize", "server/discover")},
	},
}

// badKey says what is wrong with a key of _meta, "" when nothing is.
func badKey(key string) string {
	name := key
	if prefix, rest, ok := strings.Cut(key, "/"); ok {
		name = rest
		for label := range strings.SplitSeq(prefix, ".") {
			switch {
			case label == "":
				return "its prefix has an empty label"
			case !isLetter(label[0]):
				return "a label of its prefix does not begin with a letter"
			case !isAlphanumeric(label[len(label)-1]):
				return "a label of its prefix does not end with a letter or digit"
			}
			for i := range len(label) {
				if c := label[i]; !isAlphanumeric(c) && c != '-' {
					return "a label of its prefix holds " + strconv.QuoteToASCII(string(rune(c)))
				}
			}
		}
	}
	if name == "" {
		return ""
	}
	if !isAlphanumeric(name[0]) || !isAlphanumeric(name[len(name)-1]) {
		return "its name does not begin and end with a letter or digit"
	}
	for i := range len(name) {
		if c := name[i]; !isAlphanumeric(c) && c != '-' && c != '_' && c != '.' {
			return "its name holds " + strconv.QuoteToASCII(string(rune(c)))
		}
	}
	return ""
}

func isAlphanumeric(c byte) bool { return isLetter(c) || '0' <= c && c <= '9' }

// isReserved reports whether the prefix of a key is reserved for MCP: its second label is mcp or
// modelcontextprotocol; in 2025-06-18 any label that another one follows.
func isReserved(key, revision string) bool {
	prefix, _, ok := strings.Cut(key, "/")
	if !ok {
		return false
	}
	labels := strings.Split(prefix, ".")
	for i, label := range labels {
		if label == "mcp" || label == "modelcontextprotocol" {
			if i == 1 || revision == mcpspec.Rev20250618 && i < len(labels)-1 {
				return true
			}
		}
	}
	return false
}

var knownMeta = sync.OnceValue(func() map[string]bool {
	known := make(map[string]bool)
	for _, k := range mcpspec.MetaKeys() {
		known[k.Key] = true
	}
	return known
})

// knownExtensions are the extensions that documents of the MCP project define.
var knownExtensions = []string{
	mcpspec.TasksExtension, mcpspec.UIExtension, "io.modelcontextprotocol/skills",
	"io.modelcontextprotocol/oauth-client-credentials", "io.modelcontextprotocol/enterprise-managed-authorization",
}

var metaName = []byte(`"_meta"`)

// metas calls f for each _meta in the entry: of the message itself, and of the things that its result lists
// or holds. What is an argument, a schema or data of a tool is none.
func (v *view) metas(f func(meta []byte, path string)) {
	e := v.Entry
	if e.Kind != Response {
		if v.call.metadata != nil {
			f(v.call.metadata, "/params/_meta")
		}
		return
	}
	n := 1
	if v.outcome.metadata != nil {
		f(v.outcome.metadata, "/result/_meta")
		n = 2
	}
	if bytes.Count(e.Message.Result, metaName) < n {
		return
	}
	each := func(list []byte, path string, further ...string) {
		i := 0
		elements(list, func(item []byte) bool {
			at := path + "/" + strconv.Itoa(i)
			i++
			if meta := member(item, "_meta"); meta != nil {
				f(meta, at+"/_meta")
			}
			for _, name := range further {
				if inner := member(item, name); isObject(inner) {
					if meta := member(inner, "_meta"); meta != nil {
						f(meta, at+"/"+name+"/_meta")
					}
				}
			}
			return true
		})
	}
	switch e.Method {
	case "tools/call":
		each(member(e.Message.Result, "content"), "/result/content", "resource")
	case "resources/read":
		each(member(e.Message.Result, "contents"), "/result/contents")
	case "prompts/get":
		each(member(e.Message.Result, "messages"), "/result/messages", "content")
	default:
		if key := listKey(e.Method); key != "" {
			each(v.outcome.items, "/result/"+key)
		}
	}
}

func metaKeys(v *view) {
	v.metas(func(meta []byte, path string) {
		members(meta, func(key, _ []byte) bool {
			if what := badKey(string(key)); what != "" {
				v.reportOn(string(key), Finding{Message: "key " + strconv.Quote(excerpt(key)) + " of _meta: " + what, Path: pointer(path, string(key))})
			}
			return true
		})
	})
}

func reservedKeys(v *view) {
	v.metas(func(meta []byte, path string) {
		members(meta, func(key, _ []byte) bool {
			if k := string(key); isReserved(k, v.Entry.Revision) && !knownMeta()[k] && !slices.Contains(knownExtensions, k) {
				v.reportOn(k, Finding{Message: "_meta holds " + shortID(k) + ", whose prefix is reserved for MCP", Path: pointer(path, k)})
			}
			return true
		})
	})
}

func reservedExtensions(v *view) {
	caps, _, path := v.declared()
	members(member(caps, "extensions"), func(key, _ []byte) bool {
		if k := string(key); isReserved(k, v.Entry.Revision) && !slices.Contains(knownExtensions, k) {
			v.reportOn(k, Finding{Message: "extension " + shortID(k) + ": its prefix is reserved for MCP", Path: pointer(path+"/extensions", k)})
		}
		return true
	})
}
