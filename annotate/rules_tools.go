package annotate

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/shakescope/shakescope/internal/mcpspec"
)

// Rules about tools as a list defines them: names, annotations, descriptions.
var toolRules = []Rule{
	{
		ID: "tool-name-format", Group: GroupTools, Levels: []Level{LevelWarning, LevelInfo}, Revisions: mcpspec.All, By: "server",
		Spec:  "2025-11-25/server/tools#tool-names",
		Title: "A tool's name is not 1 to 128 characters of A-Z, a-z, 0-9, _, - and dot.",
		Why:   "Hosts hand the name to a model's API, and that refuses the request, often without saying which server the name came from. Revisions before 2025-11-25 set no rule.",
		Fix:   "Rename the tool. Several model APIs also refuse dots and names longer than 64.",
		hooks: []hook{on(onResult, eachTool(toolName), "tools/list")},
	},
	{
		ID: "tool-annotation-type", Group: GroupTools, Levels: []Level{LevelError}, Revisions: mcpspec.Since(mcpspec.Rev20250326), By: "server",
		Spec:  "2025-11-25/schema#toolannotations",
		Title: "A tool's annotation has the wrong type.",
		Why:   "Strict clients reject the list with all its tools; others take \"false\" for true and ask, or do not ask, for consent.",
		Fix:   "Hints are true or false without quotes, title is a string.",
		hooks: []hook{on(onResult, eachTool(toolAnnotationType), "tools/list")},
	},
	{
		ID: "tool-annotation-contradiction", Group: GroupTools, Levels: []Level{LevelInfo}, Revisions: mcpspec.Since(mcpspec.Rev20250326), By: "server",
		Spec:  "2025-11-25/schema#toolannotations",
		Title: "A tool is called read-only and at the same time destructive or idempotent.",
		Why:   "Those two hints speak of tools that write. A client cannot tell which of them to believe.",
		Fix:   "Leave destructiveHint and idempotentHint out where readOnlyHint is true, or correct readOnlyHint.",
		hooks: []hook{on(onResult, toolContradictions, "tools/list")},
	},
	{
		ID: "tool-no-description", Group: GroupTools, Levels: []Level{LevelInfo}, Revisions: mcpspec.All, By: "server",
		Spec:  "2025-11-25/server/tools#tool",
		Title: "Tools or arguments have no description.",
		Why:   "A model picks tools and fills in arguments by what is said of them. A name alone makes it guess.",
		Fix:   "Say in a sentence what the tool does and when to use it, and of each argument what it means, with its unit or format.",
		hooks: []hook{on(onResult, toolsUndescribed, "tools/list")},
	},
}

// eachTool makes a function that looks at every tool of a list. at is the JSON pointer of the tool.
func eachTool(look func(v *view, t *tool, at string)) func(*view) {
	return func(v *view) {
		for i, t := range v.listedTools() {
			if t != nil {
				look(v, t, "/result/tools/"+strconv.Itoa(i))
			}
		}
	}
}

// title names a tool in a message.
func (t *tool) title() string {
	if t.name == "" {
		return "a tool without a name"
	}
	return "tool " + shortID(t.name)
}

func toolName(v *view, t *tool, at string) {
	if !t.named {
		return // schema-result
	}
	wrong := ""
	switch bad := strings.IndexFunc(t.name, func(r rune) bool { return !isNameRune(r) }); {
	case t.name == "":
		wrong = "a tool has an empty name"
	case len(t.name) > 128:
		wrong = fmt.Sprintf("%s has a name of %d characters, 128 are the most", t.title(), len([]rune(t.name)))
	case bad >= 0:
		wrong = fmt.Sprintf("%s has %s in its name", t.title(), strconv.QuoteRune([]rune(t.name[bad:])[0]))
	default:
		return
	}
	level := LevelWarning
	if r := v.Entry.Revision; r == "" || r < mcpspec.Rev20251125 {
		level = LevelInfo
	}
	v.reportOn(t.name, Finding{Level: level, Message: wrong, Path: at + "/name"})
}

func isNameRune(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '-' || r == '.'
}

func toolAnnotationType(v *view, t *tool, at string) {
	if !isObject(t.annotations) {
		return // schema-result, null-optional-member
	}
	members(t.annotations, func(key, value []byte) bool {
		want := ""
		switch string(key) {
		case "title":
			if !isString(value) {
				want = "a string"
			}
		case "readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint":
			if !isTrue(value) && string(value) != "false" {
				want = "true or false"
			}
		}
		if want != "" {
			name := string(key)
			v.reportOn(t.name+" "+name, Finding{Message: t.title() + ": " + name + " is " + excerpt(value) + ", not " + want, Path: at + "/annotations/" + name})
		}
		return true
	})
}

// toolContradictions says it once for all tools of a page: where one generator writes the hints, it is never
// one only.
func toolContradictions(v *view) {
	var names []string
	first := ""
	for i, t := range v.listedTools() {
		if t == nil {
			continue
		}
		readOnly, _ := t.hint("readOnlyHint")
		destructive, _ := t.hint("destructiveHint")
		idempotent, _ := t.hint("idempotentHint")
		if readOnly && (destructive || idempotent) {
			if names = append(names, t.name); len(names) == 1 {
				first = "/result/tools/" + strconv.Itoa(i) + "/annotations"
			}
		}
	}
	if names != nil {
		v.reportOn(strings.Join(names, "\x00"), Finding{Message: "readOnlyHint beside destructiveHint or idempotentHint: " + list(names, 5), Path: first})
	}
}

// toolsUndescribed says it once for the tools and once for the arguments of a page: it is never one only.
func toolsUndescribed(v *view) {
	var tools, arguments []string
	first := ""
	for i, t := range v.listedTools() {
		if t == nil {
			continue
		}
		if strings.TrimSpace(t.description) == "" && t.named {
			tools = append(tools, t.name)
			if len(tools) == 1 {
				first = "/result/tools/" + strconv.Itoa(i)
			}
		}
		for _, p := range t.facts(inputSchema).Undescribed {
			arguments = append(arguments, t.name+" "+p)
		}
	}
	if tools != nil {
		v.reportOn("tools "+strings.Join(tools, "\x00"), Finding{Message: "no description: " + list(tools, 5), Path: first})
	}
	if arguments != nil {
		v.reportOn("arguments "+strings.Join(arguments, "\x00"), Finding{Message: "arguments without description: " + list(arguments, 3), Path: "/result/tools"})
	}
}

// list names the first of many things.
func list(names []string, most int) string {
	var short []string
	for _, n := range names[:min(most, len(names))] {
		short = append(short, shortID(n))
	}
	out := strings.Join(short, ", ")
	if more := len(names) - most; more > 0 {
		out += fmt.Sprintf(" and %d more", more)
	}
	return out
}
