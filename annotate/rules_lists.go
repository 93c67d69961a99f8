package annotate

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/shakescope/shakescope/internal/mcpspec"
)

var (
	listMethods = []string{"tools/list", "prompts/list", "resources/list", "resources/templates/list"}
	listNotices = []string{"notifications/tools/list_changed", "notifications/prompts/list_changed", "notifications/resources/list_changed"}
	listWords   = [ListKinds]string{"tools", "prompts", "resources", "resource templates"}
	listCapable = [ListKinds]string{"tools.listChanged", "prompts.listChanged", "resources.listChanged", "resources.listChanged"}
)

// Rules about lists as a whole: what stands in them twice, and how they change.
var listRules = []Rule{
	{
		ID: "tool-name-duplicate", Group: GroupTools, Levels: []Level{LevelWarning}, Revisions: mcpspec.All, By: "server",
		Spec:  "2025-11-25/server/tools#tool-names",
		Title: "Two tools of a list have the same name.",
		Why:   "A call names the tool by it, so only one of them can be reached, and nobody can tell which. Model APIs refuse such a list.",
		Fix:   "Give each tool a name of its own; servers that gather tools from others put a prefix before it.",
		hooks: []hook{on(onResult, duplicateTool, "tools/list")},
	},
	{
		ID: "tool-name-case-collision", Group: GroupTools, Levels: []Level{LevelInfo}, Revisions: mcpspec.All, By: "server",
		Spec:  "2025-11-25/server/tools#tool-names",
		Title: "Two tools have names that differ in case only.",
		Why:   "Names are case-sensitive, so this is allowed. Models mix such names up.",
		Fix:   "Choose names that differ in more than case.",
		hooks: []hook{on(onResult, toolCase, "tools/list")},
	},
	{
		ID: "prompt-duplicate-name", Group: GroupPrompts, Levels: []Level{LevelWarning}, Revisions: mcpspec.All, By: "server",
		Spec:  "2025-11-25/server/prompts#prompt",
		Title: "Two prompts, or two arguments of one prompt, have the same name.",
		Why:   "Only one of them can be reached by its name.",
		Fix:   "Give each a name of its own.",
		hooks: []hook{on(onResult, duplicatePrompt, "prompts/list")},
	},
	{
		ID: "resource-uri-duplicate", Group: GroupResources, Levels: []Level{LevelWarning}, Revisions: mcpspec.All, By: "server",
		Spec:  "2025-11-25/server/resources#resource",
		Title: "A URI stands twice in the list of resources.",
		Why:   "The URI identifies the resource, so both entries read the same.",
		Fix:   "List each URI once.",
		hooks: []hook{on(onResult, duplicateResource, "resources/list")},
	},
	{
		ID: "tool-list-order-unstable", Group: GroupTools, Levels: []Level{LevelWarning}, Revisions: mcpspec.ModernOnly, By: "server",
		Spec:  "2026-07-28/server/tools#capabilities",
		Title: "The same tools come in another order than before.",
		Why:   "Lists should be deterministic: an order that varies spoils the caches of clients and of model prompts.",
		Fix:   "Sort the list, or keep the order of registration. Iterating over a hash map is the usual cause.",
		hooks: []hook{on(onResult, toolOrder, "tools/list")},
	},
	{
		ID: "list-changed-silently", Group: GroupTools, Levels: []Level{LevelWarning, LevelInfo}, Revisions: mcpspec.LegacyOnly, By: "server",
		Spec:  "2025-11-25/server/tools#list-changed-notification",
		Title: "A list changed, and the server that declared listChanged did not say so.",
		Why:   "A client that trusts the declaration keeps the old list and never learns of the change.",
		Fix:   "Send the list_changed notification whenever the list changes.",
		hooks: []hook{on(onResult, changedSilently, listMethods...), on(onNotification, announcedLate, listNotices...)},
	},
	{
		ID: "list-changed-not-refetched", Group: GroupTools, Levels: []Level{LevelInfo}, Likely: true, Revisions: mcpspec.All, By: "client",
		Spec:  "2025-11-25/server/tools#message-flow",
		Title: "The client was told that a list changed and goes on with the old one.",
		Why:   "It may call what is gone and cannot see what is new.",
		Fix:   "Ask for the list again after list_changed.",
		hooks: []hook{
			on(onNotification, noticed, listNotices...), on(onRequest, relisted, listMethods...),
			on(onRequest, usedStale, "tools/call", "prompts/get", "resources/read"),
		},
	},
	{
		ID: "list-changed-storm", Group: GroupTools, Levels: []Level{LevelWarning}, Likely: true, Revisions: mcpspec.All, By: "server",
		Spec:  "2025-11-25/server/tools#list-changed-notification",
		Title: "The server keeps announcing changes of a list that stays the same.",
		Why:   "Clients ask for the list each time, which costs both sides and, where listing itself causes the notice, never ends.",
		Fix:   "Send list_changed only when the list has changed. Registering handlers anew for each list request is the usual cause.",
		hooks: []hook{on(onNotification, storm, listNotices...), on(onResult, func(v *view) { v.list() }, listMethods...)},
	},
}

func duplicateTool(v *view)     { v.reportDuplicates("tools", "tool", "name") }
func duplicateResource(v *view) { v.reportDuplicates("resources", "", "uri") }

func (v *view) reportDuplicates(items, noun, key string) {
	for _, r := range v.list().repeat {
		if r.twin == "" {
			v.reportOn(r.name, Finding{
				Message: strings.TrimSpace(noun+" "+shortID(r.name)) + " is listed twice", Path: "/result/" + items + "/" + strconv.Itoa(r.index) + "/" + key, Related: elsewhere(r.first, v.At),
			})
		}
	}
}

// listPage is the page about one kind of list that says what that about tools says.
func (v *view) listPage(k ListKind) string {
	of := "server/tools#"
	switch k {
	case PromptList:
		of = "server/prompts#"
	case ResourceList, TemplateList:
		of = "server/resources#"
	}
	return strings.Replace(v.rule.Spec, "server/tools#", of, 1)
}

// elsewhere names an entry unless it is the one that the finding stands at.
func elsewhere(at, here Ref) []Ref {
	if at == here || at.IsZero() {
		return nil
	}
	return []Ref{at}
}

func toolCase(v *view) {
	for _, r := range v.list().repeat {
		if r.twin != "" {
			v.reportOn(r.name, Finding{
				Message: "tools " + shortID(r.twin) + " and " + shortID(r.name) + " differ in case only", Path: "/result/tools/" + strconv.Itoa(r.index) + "/name", Related: elsewhere(r.first, v.At),
			})
		}
	}
}

func duplicatePrompt(v *view) {
	v.reportDuplicates("prompts", "prompt", "name")
	index := -1
	elements(v.outcome.items, func(prompt []byte) bool {
		index++
		names := map[string]bool{}
		n := -1
		elements(member(prompt, "arguments"), func(argument []byte) bool {
			n++
			name := text(member(argument, "name"))
			if name != "" && names[name] {
				of := text(member(prompt, "name"))
				v.reportOn(of+" "+name, Finding{
					Message: "prompt " + shortID(of) + " has the argument " + shortID(name) + " twice", Path: fmt.Sprintf("/result/prompts/%d/arguments/%d/name", index, n),
				})
			}
			names[name] = true
			return true
		})
		return true
	})
}

func toolOrder(v *view) {
	if l := v.list(); l.change == listReordered {
		v.reportOn("order", Finding{Message: "the same tools as in " + l.before.String() + " in another order", Path: "/result/tools", Related: []Ref{l.before}})
	}
}

// grace is how long a notice may come after what it announces.
const grace = time.Second

func changedSilently(v *view) {
	l := v.list()
	k, _, ok := listKindOf(v.Entry.Method)
	if !ok || l.change < listRedefined || !v.Session.serverCaps.made() || !v.Session.serverCaps.has(listCapable[k]) {
		return
	}
	w := &l.kinds[k]
	// A notice that came while the list before was on its way, or between its pages, may be about what that one lacks.
	if w.noticed.set() && w.noticed.At.Compare(l.since) > 0 {
		return
	}
	f := Finding{Message: fmt.Sprintf("the list of %s is another than in %s, and no list_changed came between", listWords[k], l.before), Related: []Ref{l.before}, Spec: v.listPage(k)}
	if l.change == listRedefined {
		f.Level = LevelInfo
		f.Message = fmt.Sprintf("the list of %s has the same names as in %s with other definitions, and no list_changed came between", listWords[k], l.before)
	}
	w.silent = mark{v.At, v.T}
	v.reportOn(listWords[k], f)
}

// announcedLate takes the finding back when the notice comes a moment after the list.
func announcedLate(v *view) {
	l := memo[lists](v, v.Session)
	for _, k := range listsOf(v.Entry.Method) {
		if w := &l.kinds[k]; w.silent.set() && v.T-w.silent.T <= grace {
			v.withdraw(w.silent.At, v.rule.ID)
			w.silent = mark{}
		}
	}
}

func noticed(v *view) {
	l := memo[lists](v, v.Session)
	for _, k := range listsOf(v.Entry.Method) {
		l.kinds[k].noticed = mark{v.At, v.T}
	}
}

func relisted(v *view) {
	if v.from() != client {
		return
	}
	l := memo[lists](v, v.Session)
	for _, k := range listsOf(v.Entry.Method) {
		w := &l.kinds[k]
		w.asked = mark{v.At, v.T}
		if !w.unread.IsZero() {
			v.withdraw(w.unread, v.rule.ID)
			w.unread = Ref{}
		}
	}
}

func usedStale(v *view) {
	if v.from() != client {
		return
	}
	l := memo[lists](v, v.Session)
	for _, k := range listsOf(v.Entry.Method) {
		w := &l.kinds[k]
		if !w.asked.set() || !w.noticed.set() || w.noticed.At.Compare(w.asked.At) < 0 || !w.unread.IsZero() {
			continue
		}
		w.unread = v.At
		v.report(Finding{
			Message: fmt.Sprintf("%s goes by a list of %s that the server called changed in %s", label(v.Entry.Method, v.Entry.Target), listWords[k], w.noticed.At), Related: []Ref{w.noticed.At}, Spec: v.listPage(k),
		})
		return
	}
}

func storm(v *view) {
	const (
		enoughNotices   = 20
		enoughRefetches = 10
	)
	l := memo[lists](v, v.Session)
	w := &l.kinds[listsOf(v.Entry.Method)[0]]
	if w.notices++; w.notices == 1 {
		w.first = v.At
	}
	if w.notices < enoughNotices || w.refetches < enoughRefetches {
		return
	}
	k := listsOf(v.Entry.Method)[0]
	v.reportOn(listWords[k], Finding{
		At: w.first, Count: w.notices, Message: fmt.Sprintf("%s again and again, and each time the list of %s was the same", v.Entry.Method, listWords[k]), Spec: v.listPage(k),
	})
}
