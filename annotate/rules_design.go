package annotate

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/shakescope/shakescope/internal/mcpspec"
)

// Rules of the design review: nothing that they find breaks the protocol. `check` shows them with --design
// only; what is in the stream of entries is theirs, too.
var designRules = []Rule{
	{
		ID: "design-description-long", Group: GroupDesign, Levels: []Level{LevelInfo}, Revisions: mcpspec.All, By: "server",
		Spec:  "2025-11-25/server/tools#tool",
		Title: "A tool's description is too long for every prompt.",
		Why:   "Hosts put the descriptions of all tools into each request to the model: it costs time and money, and crowds out what the user said.",
		Fix:   "Say in a few sentences what the tool does and when to use it; move manuals into a resource or a prompt.",
		hooks: []hook{on(onResult, eachTool(longDescription), "tools/list")},
	},
	{
		ID: "design-many-jobs", Group: GroupDesign, Levels: []Level{LevelInfo}, Likely: true, Revisions: mcpspec.All, By: "server",
		Spec:  "2025-11-25/server/tools#tool",
		Title: "One tool does several jobs, chosen by an argument.",
		Why:   "Users cannot allow one job and forbid another, hints hold for all of them, and models mix up which arguments belong to which.",
		Fix:   "Make it several tools, one for each value.",
		hooks: []hook{on(onResult, eachTool(manyJobs), "tools/list")},
	},
	{
		ID: "design-effect-unclear", Group: GroupDesign, Levels: []Level{LevelInfo}, Likely: true, Revisions: mcpspec.All, By: "server",
		Spec:  "2025-11-25/schema#toolannotations",
		Title: "Among tools that read and tools that write, some do not say which they are.",
		Why:   "Hosts ask the user before writes. What neither a verb in the name nor readOnlyHint tells, they have to guess.",
		Fix:   "Begin names with a verb (get_, create_, delete_), and set readOnlyHint.",
		hooks: []hook{on(onResult, effectsUnclear, "tools/list")},
	},
	{
		ID: "design-destructive-unmarked", Group: GroupDesign, Levels: []Level{LevelInfo}, Likely: true, Revisions: mcpspec.All, By: "server",
		Spec:  "2025-11-25/schema#toolannotations",
		Title: "A tool that destroys something does not say so, and has no second step.",
		Why:   "Hosts that go by hints let it run without asking. What a model deletes by mistake is gone.",
		Fix:   "Set destructiveHint to true, or add a confirmation or a dryRun argument.",
		hooks: []hook{on(onResult, eachTool(destructiveUnmarked), "tools/list")},
	},
	{
		ID: "design-readonly-writes", Group: GroupDesign, Levels: []Level{LevelInfo}, Likely: true, Revisions: mcpspec.Since(mcpspec.Rev20250326), By: "server",
		Spec:  "2025-11-25/schema#toolannotations",
		Title: "A tool called read-only has the name of one that writes.",
		Why:   "Hosts run read-only tools without asking. If the hint is wrong, things change behind the user's back.",
		Fix:   "Correct the hint, or the name.",
		hooks: []hook{on(onResult, eachTool(readOnlyWrites), "tools/list")},
	},
	{
		ID: "design-secret-argument", Group: GroupDesign, Levels: []Level{LevelInfo}, Likely: true, Revisions: mcpspec.All, By: "server",
		Spec:  "2025-11-25/basic/security_best_practices",
		Title: "A tool asks for a secret as an argument.",
		Why:   "Arguments pass through the model and through logs of host, client and server.",
		Fix:   "Take secrets from the server's own configuration or environment, or have the user enter them by a URL elicitation.",
		hooks: []hook{on(onResult, eachTool(secretArgument), "tools/list")},
	},
	{
		ID: "design-ref", Group: GroupDesign, Levels: []Level{LevelInfo}, Revisions: mcpspec.All, By: "server",
		Spec:  "2026-07-28/basic/index#ref-resolution",
		Title: "A tool's input schema uses $ref.",
		Why:   "It is valid, but several clients and model APIs do not resolve it: the argument is then without a type, or the tool is refused.",
		Fix:   "Write the definition out where it is used; generators have an option for it ($refStrategy: none, inline).",
		hooks: []hook{on(onResult, eachTool(usesRef), "tools/list")},
	},
	{
		ID: "design-foreign-schema", Group: GroupDesign, Levels: []Level{LevelInfo}, Revisions: mcpspec.All, By: "server",
		Spec:  "2025-11-25/server/tools#tool",
		Title: "A tool's schema is in the form of another library or API.",
		Why:   "Clients read inputSchema as JSON Schema and nothing else; what stands elsewhere they never see.",
		Fix:   "Convert Zod objects (z.toJSONSchema, zod-to-json-schema), and name the member inputSchema.",
		hooks: []hook{on(onResult, eachTool(foreignSchema), "tools/list")},
	},
	{
		ID: "design-name-portable", Group: GroupDesign, Levels: []Level{LevelInfo}, Revisions: mcpspec.All, By: "server",
		Spec:  "2025-11-25/server/tools#tool-names",
		Title: "A tool's name is one that several model APIs refuse.",
		Why:   "They take letters, digits, _ and -, 64 at most; hosts often put the server's name before it. The whole request is then refused.",
		Fix:   "Keep names under 50 characters and without dots.",
		hooks: []hook{on(onResult, eachTool(namePortable), "tools/list")},
	},
	{
		ID: "design-client-declares-tools", Group: GroupDesign, Levels: []Level{LevelInfo}, Revisions: mcpspec.All, By: "client",
		Spec:  "2025-11-25/basic/lifecycle#capability-negotiation",
		Title: "The client declares a capability that only servers have.",
		Why:   "It means nothing: which tools there are is the server's to say.",
		Fix:   "Declare roots, sampling and elicitation only, as far as they are there.",
		hooks: []hook{on(onRequest, clientDeclares, "initialize")},
	},
}

// Design reports whether the finding is of the design review, which is no fault of the protocol.
func (f *Finding) Design() bool {
	r := LookupRule(f.Rule)
	return r != nil && r.Group == GroupDesign
}

func longDescription(v *view, t *tool, at string) {
	const most = 10_000
	if n := len(t.description); n > most {
		v.reportOn(t.name, Finding{Message: fmt.Sprintf("%s has a description of %d kB", t.title(), (n+500)/1000), Path: at + "/description"})
	}
}

// eachProperty calls look for the properties at the root of the input schema.
func (t *tool) eachProperty(look func(name string, schema []byte)) {
	members(member(t.input, "properties"), func(key, schema []byte) bool {
		look(string(key), schema)
		return true
	})
}

func manyJobs(v *view, t *tool, at string) {
	if said, _ := effectOf(t.name); said == reads {
		return // the argument narrows down what is read
	}
	t.eachProperty(func(name string, schema []byte) {
		switch strings.ToLower(name) {
		case "action", "operation", "command", "op", "task", "method", "subcommand", "verb":
		default:
			return
		}
		var values []string
		elements(member(schema, "enum"), func(value []byte) bool {
			values = append(values, text(value))
			return true
		})
		if len(values) > 2 {
			v.reportOn(t.name, Finding{Message: fmt.Sprintf("%s does %d jobs by its %s: %s", t.title(), len(values), shortID(name), list(values, 4)), Path: pointer(at+"/inputSchema/properties", name)})
		}
	})
}

func effectsUnclear(v *view) {
	reading, writing := 0, 0
	var unclear []string
	for _, t := range v.listedTools() {
		if t == nil || t.name == "" {
			continue
		}
		readOnly, known := t.hint("readOnlyHint")
		said, _ := effectOf(t.name)
		switch {
		case known && readOnly, !known && said == reads:
			reading++
		case known, said != unsaid:
			writing++
		default:
			unclear = append(unclear, t.name)
		}
	}
	if reading > 0 && writing > 0 && unclear != nil {
		v.reportOn(strings.Join(unclear, "\x00"), Finding{Message: fmt.Sprintf("%d tools read and %d write; not said of %s", reading, writing, list(unclear, 5)), Path: "/result/tools"})
	}
}

func destructiveUnmarked(v *view, t *tool, at string) {
	said, verb := effectOf(t.name)
	marked, known := t.hint("destructiveHint")
	if readOnly, _ := t.hint("readOnlyHint"); said != destroys || marked || readOnly {
		return
	}
	second := false
	t.eachProperty(func(name string, _ []byte) { second = second || isConfirmation(name) || isRehearsal(name) })
	if second {
		return
	}
	how := "without destructiveHint"
	if known {
		how = "with destructiveHint false"
	}
	v.reportOn(t.name, Finding{Message: t.title() + " can " + verb + ", " + how + ", confirmation or dry run", Path: at})
}

func readOnlyWrites(v *view, t *tool, at string) {
	said, verb := effectOf(t.name)
	switch verb {
	case "add", "start", "set", "merge", "apply", "execute": // sums, searches, sets
		return
	}
	if readOnly, _ := t.hint("readOnlyHint"); readOnly && said > reads {
		v.reportOn(t.name, Finding{Message: t.title() + " is called read-only; its name says " + verb, Path: at + "/annotations/readOnlyHint"})
	}
}

func secretArgument(v *view, t *tool, at string) {
	t.eachProperty(func(name string, _ []byte) {
		if isSecretName(name) {
			v.reportOn(t.name+" "+name, Finding{Message: t.title() + " takes " + shortID(name) + " as an argument", Path: pointer(at+"/inputSchema/properties", name)})
		}
	})
}

func usesRef(v *view, t *tool, at string) {
	for _, r := range t.facts(inputSchema).Refs {
		if !r.External && !r.Broken { // tool-schema-external-ref
			v.reportOn(t.name, Finding{Message: t.title() + " refers to " + shortID(r.Target) + " in its input schema", Path: at + "/inputSchema" + r.Pointer})
			return
		}
	}
}

func foreignSchema(v *view, t *tool, at string) {
	if f := t.facts(inputSchema); f.HasZod {
		v.reportOn(t.name, Finding{Message: t.title() + " has a serialised Zod object in its inputSchema", Path: at + "/inputSchema" + f.Zod})
	}
	for _, name := range []string{"input_schema", "parameters"} {
		if isObject(member(t.raw, name)) {
			v.reportOn(t.name+name, Finding{Message: t.title() + " has " + name + " where inputSchema belongs", Path: at + "/" + name})
		}
	}
}

func namePortable(v *view, t *tool, at string) {
	switch {
	case len(t.name) > 64 && len(t.name) <= 128:
		v.reportOn(t.name, Finding{Message: t.title() + " has a name of " + strconv.Itoa(len(t.name)) + " characters", Path: at + "/name"})
	case strings.Contains(t.name, "."):
		v.reportOn(t.name, Finding{Message: t.title() + " has a dot in its name", Path: at + "/name"})
	}
}

func clientDeclares(v *view) {
	if v.from() != client {
		return
	}
	for _, name := range []string{"tools", "resources", "prompts", "logging", "completions"} {
		if member(v.call.caps, name) != nil {
			v.reportOn(name, Finding{Message: "the client declares " + name + ", which only servers have", Path: "/params/capabilities/" + name})
		}
	}
}
