package annotate

import (
	"fmt"
	"strings"

	"github.com/shakescope/shakescope/internal/mcpspec"
)

// Rules about lists that come in pages.
var paginationRules = []Rule{
	{
		ID: "cursor-unknown", Group: GroupPagination, Levels: []Level{LevelError, LevelWarning}, Revisions: mcpspec.All, By: Sender,
		Spec:  "2025-11-25/server/utilities/pagination#implementation-guidelines",
		Title: "A cursor that no earlier page of this list gave.",
		Why:   "Cursors are the list's own and mean nothing outside of its session: one that was kept, changed or made up is refused or shows the wrong page. On a modern connection it may stem from an earlier process, hence a warning there.",
		Fix:   "Begin without a cursor, then hand back each nextCursor as it came.",
		hooks: []hook{on(onRequest, cursorUnknown, pagedMethods...), on(onInvalid, strayPage).whatever(), on(onResult, strayPage).whatever()},
	},
	{
		ID: "cursor-cross-method", Group: GroupPagination, Levels: []Level{LevelError}, Revisions: mcpspec.All, By: Sender,
		Spec:  "2025-11-25/server/utilities/pagination",
		Title: "A cursor of one list is used on another.",
		Why:   "Each list has cursors of its own; the same text means another place there, or none.",
		Fix:   "Keep the cursor together with the method that gave it.",
		hooks: []hook{on(onRequest, cursorCrossed, pagedMethods...)},
	},
	{
		ID: "cursor-loop", Group: GroupPagination, Levels: []Level{LevelWarning}, Revisions: mcpspec.All, By: Sender,
		Spec:  "2025-11-25/server/utilities/pagination",
		Title: "The next page is one that was read already: paging never ends.",
		Why:   "Clients read on until they run out of memory, or show every item many times. Either the server ignores the cursor, or something between the two drops params.cursor.",
		Fix:   "Give a nextCursor that leads on from the cursor asked for, and none on the last page.",
		hooks: []hook{on(onResult, cursorLoop, pagedMethods...)},
	},
	{
		ID: "cursor-ignored", Group: GroupPagination, Levels: []Level{LevelInfo}, Revisions: mcpspec.All, By: Receiver,
		Spec:  "2025-11-25/server/utilities/pagination",
		Title: "A next page was offered and never asked for.",
		Why:   "The client knows a part of the list only; what is on later pages cannot be used.",
		Fix:   "Ask again with each nextCursor until a page has none.",
		hooks: []hook{on(onSessionEnd, cursorsIgnored), on(onProcessEnd, modernCursorsIgnored)},
	},
	{
		ID: "cursor-empty-string", Group: GroupPagination, Levels: []Level{LevelInfo}, Revisions: mcpspec.All, By: Sender,
		Spec:  "2026-07-28/server/utilities/pagination#implementation-guidelines",
		Title: "nextCursor is an empty string.",
		Why:   "It is a cursor like any other, so a client that goes by the letter asks again; servers mostly mean the end.",
		Fix:   "Leave nextCursor out on the last page.",
		hooks: []hook{on(onResult, cursorEmpty, pagedMethods...)},
	},
	{
		ID: "cursor-bad-code", Group: GroupPagination, Levels: []Level{LevelWarning}, Revisions: mcpspec.All, By: Sender,
		Spec:  "2025-11-25/server/utilities/pagination#error-handling",
		Title: "A cursor that cannot be valid is not answered with -32602.",
		Why:   "The client cannot tell a bad cursor from a broken server, or takes some page for the one that it wanted.",
		Fix:   "Answer cursors that were not given out with error -32602.",
		hooks: []hook{onAnswer(cursorBadCode, pagedMethods...)},
	},
	{
		ID: "page-duplicate-item", Group: GroupPagination, Levels: []Level{LevelWarning}, Revisions: mcpspec.All, By: "server",
		Spec:  "2025-11-25/server/utilities/pagination",
		Title: "The same item is on two pages of one list.",
		Why:   "Pages overlap, so that others may fall between them; clients show the item twice or refuse it.",
		Fix:   "Cut the pages from one fixed order of the items.",
		hooks: []hook{on(onResult, pageDuplicate, "tools/list", "prompts/list", "resources/list", "resources/templates/list")},
	},
}

var pagedMethods = []string{"tools/list", "prompts/list", "resources/list", "resources/templates/list", "tasks/list"}

func cursorUnknown(v *view) {
	c := v.cursor()
	if c.verdict != neverGiven {
		return
	}
	f := Finding{Message: v.Entry.Method + " with cursor " + excerpt(v.call.cursor) + ", which no page of it gave", Path: "/params/cursor"}
	if v.Entry.Era == mcpspec.Modern || c.empty {
		f.Level = LevelWarning
	}
	v.reportOn(v.Entry.Method, f)
}

func cursorCrossed(v *view) {
	if c := v.cursor(); c.verdict == givenElsewhere {
		v.reportOn(v.Entry.Method, Finding{
			Message: fmt.Sprintf("%s with cursor %s, which %s gave (%s)", v.Entry.Method, excerpt(v.call.cursor), c.method, c.gave), Path: "/params/cursor", Related: []Ref{c.gave},
		})
	}
}

func cursorLoop(v *view) {
	page := v.page()
	if page == nil || !page.loop {
		return
	}
	x := v.Exchange
	next := excerpt(v.outcome.next)
	f := Finding{Message: fmt.Sprintf("%s: nextCursor %s leads back to a page that was read already (%s)", x.method, next, page.back), Path: "/result/nextCursor", Related: []Ref{page.back, x.At}}
	if page.itself {
		f.Message = fmt.Sprintf("%s: nextCursor %s is the cursor that was asked for", x.method, next)
		f.Related = []Ref{x.At}
	}
	v.reportOn(x.from.String()+x.method, f)
}

func cursorEmpty(v *view) {
	if string(v.outcome.next) == `""` && v.Exchange != nil {
		v.reportOn(v.Exchange.method, Finding{Message: v.Exchange.method + ": nextCursor is an empty string", Path: "/result/nextCursor", Related: []Ref{v.Exchange.At}})
	}
}

func cursorBadCode(v *view) {
	x := v.Exchange
	if x == nil {
		return
	}
	b := memo[badCursors](v, v.pageOwner(x.era))
	bad, ok := b.of[x]
	if !ok {
		return
	}
	delete(b.of, x)
	e := v.Entry
	f := Finding{Related: []Ref{x.At}}
	switch {
	case bad.empty || x.cancelled():
		return
	case e.Err == nil && x.era == mcpspec.Modern:
		return // the cursor may be one of an earlier process
	case e.Err == nil:
		f.Message = fmt.Sprintf("%s with a cursor that was never given out (%s) is answered with a page", x.method, x.At)
	case e.Err.Code == mcpspec.InvalidParams || e.Err.Code == mcpspec.MethodNotFound:
		return
	default:
		f.Message = fmt.Sprintf("%s with a cursor that was never given out (%s) is answered with error %d, not -32602", x.method, x.At, e.Err.Code)
		f.Path = "/error/code"
	}
	v.reportOn(x.method, f)
}

func pageDuplicate(v *view) {
	page := v.page()
	if page == nil || page.loop || len(page.repeated) == 0 {
		return
	}
	x := v.Exchange
	names := make([]string, 0, 3)
	for _, name := range page.repeated {
		if len(names) == 3 {
			names = append(names, fmt.Sprintf("%d more", len(page.repeated)-3))
			break
		}
		names = append(names, shortID(name))
	}
	v.reportOn(x.method, Finding{
		Message: fmt.Sprintf("%s: on an earlier page (%s) of this list, too: %s", x.method, page.earlier, strings.Join(names, ", ")),
		Path:    "/result/" + listKey(x.method), Related: []Ref{page.earlier, x.At},
	})
}

func cursorsIgnored(v *view)       { v.cursorsIgnored(v.Session) }
func modernCursorsIgnored(v *view) { v.cursorsIgnored(v.Process) }

func (v *view) cursorsIgnored(owner any) {
	if v.uncertain() {
		return
	}
	d := &v.Process.ending
	gone := d.first.set() && d.firstSign != signStdin && d.firstSign != signSignal // the server went first
	for _, l := range memo[pages](v, owner).lists {
		var first *cursor
		for _, c := range l.order {
			if !c.followed && !c.empty {
				first = c
				break
			}
		}
		if first == nil || l.full || gone && v.Process.ends[l.from].last.T <= first.t {
			continue
		}
		f := Finding{At: first.gave, By: l.from.String(), Related: []Ref{v.At}, Message: l.method + ": the page after " + first.gave.String() + " was never asked for"}
		if d.first.set() {
			f.At, f.Related = d.first.At, []Ref{first.gave}
		}
		v.reportOn(l.from.String()+l.method, f)
	}
}
