package annotate

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"testing"
)

// listRequest and listAnswer are a request for a page of the tools and its answer; cursors are raw, "" for none. An item is a
// name, or a name with another description behind a colon.
func listRequest(id int, cursor string) string {
	if cursor != "" {
		cursor = `,"params":{"cursor":` + cursor + `}`
	}
	return fromClient(fmt.Sprintf(`"id":%d,"method":"tools/list"%s`, id, cursor))
}

func listAnswer(id int, next string, names ...string) string {
	items := make([]string, len(names))
	for i, n := range names {
		n, text, _ := strings.Cut(n, ":")
		items[i] = fmt.Sprintf(`{"name":"%s","description":"%s","inputSchema":{"type":"object"}}`, n, text)
	}
	if next != "" {
		next = `,"nextCursor":` + next
	}
	return fromServer(fmt.Sprintf(`"id":%d,"result":{"tools":[%s]%s}`, id, strings.Join(items, ","), next))
}

func gets(id int, cursor, next string, names ...string) string {
	return listRequest(id, cursor) + listAnswer(id, next, names...)
}

// catalogued is a list as a test wants it: the items, and what is to be known of it.
func catalogued(l *Listing) string {
	var out []string
	for _, item := range l.Items() {
		name := item.Name
		if text := text(member(item.Definition, "description")); text != "" {
			name += ":" + text
		}
		out = append(out, name)
	}
	for _, is := range []struct {
		so   bool
		word string
	}{{l.Whole(), "whole"}, {l.Walking(), "walking"}, {!l.Stale().IsZero(), "stale since " + l.Stale().String()}, {!l.Seen(), "unseen"}} {
		if is.so {
			out = append(out, "("+is.word+")")
		}
	}
	return strings.Join(out, " ")
}

func TestCatalogue(t *testing.T) {
	const changed = `< {"jsonrpc":"2.0","method":"notifications/tools/list_changed"}` + "\n"
	again := strings.ReplaceAll(session, `"i"`, `"j"`)
	for _, c := range []struct{ name, script, want string }{
		{"nothing", fromClient(`"id":1,"method":"ping"`), "(unseen)"},
		{"an error", listRequest(1, "") + fromServer(`"id":1,"error":{"code":-32603,"message":"x"}`), "(unseen)"},
		{"one page", gets(1, "", "", "b", "a"), "b a (whole)"},
		{"an empty list", gets(1, "", ""), "(whole)"},
		{"no array", listRequest(1, "") + fromServer(`"id":1,"result":{"tools":{}}`), "(unseen)"},
		{"items that have no name", listRequest(1, "") + fromServer(`"id":1,"result":{"tools":[7,null,{},{"name":1},{"name":"a"}]}`), "a (whole)"},
		{"null for no cursor", gets(1, "null", "null", "a"), "a (whole)"},
		{"pages", gets(1, "", `"2"`, "c", "a") + gets(2, `"2"`, `"3"`, "b") + gets(3, `"3"`, "", "d"), "c a b d (whole)"},
		{"an empty cursor is one", gets(1, "", `""`, "a"), "a (walking)"},
		{"an empty cursor is followed", gets(1, "", `""`, "a") + gets(2, `""`, "", "b"), "a b (whole)"},
		{"a cursor that is spelt otherwise", gets(1, "", `"\u0061\/"`, "a") + gets(2, `"a/"`, "", "b"), "a b (whole)"},
		{"cursors that are no strings", gets(1, "", `2`, "a") + gets(2, `2`, "", "b"), "a b (whole)"},
		{"not to its end", gets(1, "", `"2"`, "a") + gets(2, `"2"`, `"3"`, "b"), "a b (walking)"},
		{"a page that nobody answered", gets(1, "", `"2"`, "a") + listRequest(2, `"2"`), "a (walking)"},
		{"a page asked for again", gets(1, "", `"2"`, "a") + gets(2, `"2"`, `"3"`, "b") + gets(3, `"2"`, `"3"`, "b") + gets(4, `"3"`, "", "c"), "a b c (whole)"},
		{"the first page is missing", gets(1, `"2"`, `"3"`, "b") + gets(2, `"3"`, "", "c"), "b c"},
		{"a page in the middle is missing", gets(1, "", `"2"`, "a") + gets(3, `"3"`, "", "c"), "a c (walking)"},
		{"a round trip never ends", gets(1, "", `"2"`, "a") + gets(2, `"2"`, `"2"`, "b") + gets(3, `"2"`, `"2"`, "b"), "a b (walking)"},
		{"a name twice", gets(1, "", "", "a", "b", "a:2"), "a:2 b (whole)"},
		{"a name on two pages", gets(1, "", `"2"`, "a", "b") + gets(2, `"2"`, "", "a:2", "c"), "a:2 b c (whole)"},
		{"a name spelt in two ways", gets(1, "", "", "ab") + gets(2, "", "", `a\u0062:2`), "ab:2 (whole)"},
		{"a name that looks like the spelling of another", gets(1, "", "", `a\\u0062`, `a\u0062`), `a\u0062 ab (whole)`},

		{"read again", gets(1, "", "", "a", "b") + gets(2, "", "", "c", "b:2"), "c b:2 (whole)"},
		{"being read again", gets(1, "", `"2"`, "a", "b") + gets(2, `"2"`, "", "c") + gets(3, "", `"2"`, "a:2", "d"), "a:2 d b c (whole) (walking)"},
		{"given up, and read again", gets(1, "", "", "a", "b") + gets(2, "", `"x"`, "a", "n") + gets(3, "", "", "b"), "b (whole)"},

		{"side by side", listRequest(1, "") + listRequest(2, "") + listAnswer(1, `"p"`, "a") + listAnswer(2, `"q"`, "a") + gets(3, `"p"`, "", "b") + gets(4, `"q"`, "", "b"), "a b (whole)"},
		{"side by side, the newer one first", gets(1, "", `"p"`, "a") + gets(2, "", `"q"`, "a") + gets(3, `"q"`, "", "b") + gets(4, `"p"`, "", "b"), "a b (whole)"},
		{"side by side, the older one goes on", gets(1, "", `"p"`, "a") + gets(2, "", `"q"`, "a") + gets(3, `"p"`, "", "b"), "a b (whole) (walking)"},
		{"side by side with the same cursors", gets(1, "", `"2"`, "a") + gets(2, "", `"2"`, "a") + gets(3, `"2"`, "", "b") + gets(4, `"2"`, "", "b"), "a b (whole)"},
		{"answers in another order", gets(1, "", `"2"`, "a") + listRequest(2, `"2"`) + listRequest(3, "") + listAnswer(3, `"2"`, "a") + listAnswer(2, "", "b"), "a b (whole)"},

		{"stale", gets(1, "", "", "a") + changed, "a (whole) (stale since #6)"},
		{"stale before it was read", changed + gets(1, "", "", "a"), "a (whole)"},
		{"stale, and the first page read again", gets(1, "", "", "a") + changed + gets(2, "", `"2"`, "b"), "b a (whole) (walking)"},
		{"stale in the midst of a walk", gets(1, "", `"2"`, "a") + changed + gets(2, `"2"`, "", "b"), "a b (whole) (stale since #6)"},
		{"called changed by the client", gets(1, "", "", "a") + strings.Replace(changed, "<", ">", 1), "a (whole)"},
		{"another list changed", gets(1, "", "", "a") + strings.Replace(changed, "tools", "prompts", 1), "a (whole)"},
		{"the server asks the client", fromServer(`"id":1,"method":"tools/list"`) + fromClient(`"id":1,"result":{"tools":[{"name":"a"}]}`), "(unseen)"},
		{"a session more", gets(1, "", `"2"`, "a") + again + gets(2, "", "", "b"), "b (whole)"},
	} {
		t.Run(c.name, func(t *testing.T) {
			src := wired(t, session+c.script)
			var got Catalogue
			if _, err := Collect(src, func(e *Entry) error { got.Add(e); return nil }); err != nil {
				t.Fatal(err)
			}
			if said := catalogued(got.List(ToolList)); said != c.want {
				t.Errorf("got  %s\nwant %s", said, c.want)
			}
			if kept := bytesOf(&got); got.bytes != kept {
				t.Errorf("%d bytes of definitions are kept, %d are counted", kept, got.bytes)
			}
			// What the rules see is the same thing.
			if of := &foldOf(t, src).proc.session.catalogue; catalogued(of.List(ToolList)) != c.want {
				t.Errorf("the fold has %s", catalogued(of.List(ToolList)))
			}
		})
	}
}

func foldOf(t *testing.T, src Source) *Session {
	t.Helper()
	r, err := src()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	s := NewSession()
	s.Open(r.Header())
	for {
		rec, err := r.Next()
		if errors.Is(err, io.EOF) {
			return s
		} else if err != nil {
			t.Fatal(err)
		}
		s.Add(rec)
	}
}

func bytesOf(c *Catalogue) int {
	n := 0
	for k := range ListKinds {
		for _, item := range c.List(k).Items() {
			n += len(item.Definition)
		}
	}
	return n
}

// A cursor belongs to the session that gave it, also where the next server counts alike.
func TestCatalogueCursorsEndWithTheSession(t *testing.T) {
	var c Catalogue
	if _, err := Collect(wired(t, session+gets(1, "", `"2"`, "a")+strings.ReplaceAll(session, `"i"`, `"j"`)+gets(2, `"2"`, "", "b")), func(e *Entry) error { c.Add(e); return nil }); err != nil {
		t.Fatal(err)
	}
	if got, want := catalogued(c.List(ToolList)), "a b (walking)"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	for name, in := range map[string]int{"a": 1, "b": 2} {
		if item := c.List(ToolList).Item(name); item.Page.Session != in {
			t.Errorf("%s is of session %d", name, item.Page.Session)
		}
	}
}

func TestCatalogueOrigin(t *testing.T) {
	var c Catalogue
	var whole []string
	script := opened("2025-06-18", "{}", `{"tools":{},"prompts":{},"resources":{}}`) + gets(1, "", `"2"`, "a", "b") + gets(2, `"2"`, "", "c") +
		fromClient(`"id":3,"method":"resources/templates/list"`) + fromServer(`"id":3,"result":{"resourceTemplates":[{"name":"x","uriTemplate":"f:///{p}"}]}`) +
		`> [{"jsonrpc":"2.0","id":4,"method":"prompts/list"}]` + "\n" + `< [{"jsonrpc":"2.0","id":4,"result":{"prompts":[{"name":"p"}]}}]` + "\n"
	if _, err := Collect(wired(t, script), func(e *Entry) error {
		if k, ok := c.Add(e); ok {
			whole = append(whole, listWords[k])
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(whole, ", "); got != "tools, resource templates, prompts" {
		t.Errorf("whole are %s", got)
	}
	for _, want := range []struct {
		k     ListKind
		name  string
		index int
		page  ListPage
	}{
		{ToolList, "b", 1, ListPage{At: Ref{5, NoSub}, Asked: Ref{4, NoSub}}},
		{ToolList, "c", 0, ListPage{At: Ref{7, NoSub}, Asked: Ref{6, NoSub}}},
		{TemplateList, "f:///{p}", 0, ListPage{At: Ref{9, NoSub}, Asked: Ref{8, NoSub}}},
		{PromptList, "p", 0, ListPage{At: Ref{11, 0}, Asked: Ref{10, 0}}},
	} {
		want.page.Session, want.page.Era, want.page.Revision = 1, "legacy", "2025-06-18"
		item := c.List(want.k).Item(want.name)
		if item == nil || *item.Page != want.page || item.Index != want.index {
			t.Errorf("%s: got %+v, want %+v", want.name, item, want)
		}
	}
	if c.List(ToolList).Item("d") != nil {
		t.Error("d was never listed")
	}
}

// What there is no room for is known by name, or makes a list that is never whole.
func TestCatalogueBounds(t *testing.T) {
	var items strings.Builder
	for i := range maxListed + 10 {
		fmt.Fprintf(&items, `{"name":"t%d"},`, i)
	}
	var c Catalogue
	e := Entry{Ref: Ref{2, NoSub}}
	page := func(items string) bool {
		return c.page(ToolList, firstPage, []byte("["+strings.TrimSuffix(items, ",")+"]"), nil, &e, Ref{1, NoSub})
	}
	page(items.String())
	if l := c.List(ToolList); len(l.Items()) != maxListed || l.Whole() || c.lacks(ToolList, "other") {
		t.Errorf("%d items, whole: %v", len(l.Items()), l.Whole())
	}

	c = Catalogue{}
	large := strings.Repeat("x", maxCatalogue/3)
	for i := 2; i <= 3; i++ {
		items.Reset()
		for n := range i + 1 {
			items.WriteString(`{"name":"t` + strconv.Itoa(n) + `","description":"` + large[i:] + `"},`)
		}
		page(items.String())
		if kept := bytesOf(&c); kept > maxCatalogue || kept != c.bytes {
			t.Errorf("%d bytes are kept, %d counted", kept, c.bytes)
		}
	}
	l := c.List(ToolList)
	if last := l.Item("t3"); last == nil || last.Definition != nil || !l.Whole() || !c.lacks(ToolList, "other") {
		t.Errorf("t3: %v, whole: %v", last != nil, l.Whole())
	}
}
