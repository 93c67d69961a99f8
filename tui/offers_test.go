package tui

import (
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/shakescope/shakescope/annotate"
)

// A list says when it is not all that the server offers, as far as the playhead knows.
func TestListsThatAreNotTheWholeTruth(t *testing.T) {
	s := newScript()
	s.phase = annotate.Operation
	page := func(id int, params, rest string) {
		q := s.request(time.Millisecond, "client", id, annotate.Entry{Method: "tools/list", Primitive: "tools"}, params)
		s.answer(time.Millisecond, q, annotate.OK, `"result":{"tools":[`+rest)
	}
	page(1, `{}`, `{"name":"one"},{"name":"one"}],"nextCursor":"b"}`)
	page(2, `{"cursor":"b"}`, `{"name":"two"}]}`)
	s.notify(time.Second, "server", annotate.Entry{Method: "notifications/tools/list_changed", Primitive: "tools"}, "")
	s.notify(time.Second, "server", annotate.Entry{Method: "notifications/tools/list_changed", Primitive: "tools"}, "")
	page(3, `{}`, `{"name":"one","description":"again"}],"nextCursor":"c"}`)
	page(4, `{"cursor":"c"}`, `{"name":"three"}]}`)

	d := drive(t, Options{}, &shelf{}, 120, 40)
	s.on(d)
	d.keys("R", "space", "6")
	rec := d.m.rec
	const partial, stale, again = "not read to its end: there may be more", "called changed in #", "being read again: some of it may be gone"
	for _, at := range []struct {
		head         int
		shows, hides []string
	}{
		{rec.rows.n - 8, []string{"tools 1", partial}, []string{stale, again, "two"}},
		{rec.rows.n - 6, []string{"tools 2", "one", "two", "the lists did not change"}, []string{partial, stale, again}},
		{rec.rows.n - 4, []string{"tools 2", stale + "6, and not read again since"}, []string{partial, again}},
		{rec.rows.n - 2, []string{"tools 2", "again", again}, []string{partial, stale}},
		{rec.rows.n, []string{"tools 2", "three", "~one", "+three", "-two"}, []string{partial, stale, again}},
	} {
		d.run(rec.stepTo(at.head))
		d.send(tea.WindowSizeMsg{Width: 120, Height: 40}) // any message has the screen count on
		d.shows(at.shows...)
		for _, w := range at.hides {
			if strings.Contains(d.text(), w) {
				t.Errorf("at %d %q is on screen:\n%s", at.head, w, d.text())
			}
		}
	}
}
