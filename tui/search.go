package tui

import (
	"sort"
	"strings"
	"unicode"

	tea "charm.land/bubbletea/v2"

	"github.com/shakescope/shakescope/internal/filter"
	"github.com/shakescope/shakescope/internal/jsontree"
)

// search is a text that is looked for. Other than a filter it hides nothing: matches are highlighted
// and gone through. All of the file is searched, in the background.
type search struct {
	text   string
	judge  *judge
	dir    int  // in which a match is waited for; 0: for none
	from   int  // row it is looked for from
	gentle bool // from itself counts
}

// askSearch opens the prompt.
func (s *session) askSearch() tea.Cmd {
	label := "search "
	if s.detailFocused() {
		label = "search in this message "
	}
	s.m.prompt = &prompt{label: label, history: s.searches, done: func(m *model, text string) tea.Cmd { return s.searchFor(text) }}
	return nil
}

// searchFor begins a search; the empty text ends one.
func (s *session) searchFor(text string) tea.Cmd {
	s.m.dirty = true
	if text == "" {
		s.search = search{}
		return nil
	}
	s.searches = remember(s.searches, text)
	if s.detailFocused() {
		s.search.text, s.search.judge = text, nil
		return s.searchPane(1)
	}
	return s.searchFile(text, 1, true)
}

func (s *session) searchFile(text string, dir int, gentle bool) tea.Cmd {
	quoted := filter.Equal(filter.Method, text)
	quoted = quoted[strings.IndexByte(quoted, '"'):]
	var tests []string
	for _, f := range []filter.Field{filter.Method, filter.Target, filter.JSON} {
		tests = append(tests, f.String()+" contains "+quoted)
	}
	x, err := filter.Parse(strings.Join(tests, " || "))
	if err != nil {
		return s.m.complain(err.Error())
	}
	s.search = search{text: text, judge: s.newJudge(x)}
	s.search.dir, s.search.from, s.search.gentle = dir, s.sel, gentle
	return tea.Batch(s.search.judge.run(s), s.searched())
}

// nextMatch goes to the next match of the search, or the one before.
func (s *session) nextMatch(dir int) tea.Cmd {
	switch {
	case s.search.text == "":
		return s.m.say("nothing is searched for: ctrl+f")
	case s.detailFocused():
		return s.searchPane(dir)
	case s.search.judge == nil:
		return s.searchFile(s.search.text, dir, false)
	}
	s.search.dir, s.search.from, s.search.gentle = dir, s.sel, false
	return tea.Batch(s.search.judge.run(s), s.searched())
}

// searched goes to the match that is waited for, as soon as it is known which one that is.
func (s *session) searched() tea.Cmd {
	q := &s.search
	if q.dir == 0 || q.judge == nil {
		return nil
	}
	j := q.judge
	list := j.list
	from := q.from
	if q.gentle {
		from -= q.dir
	}
	k := sort.Search(len(list), func(k int) bool { return int(list[k]) > from })
	step := 1
	if q.dir < 0 {
		k = sort.Search(len(list), func(k int) bool { return int(list[k]) >= from }) - 1
		step = -1
		if j.next < from && !j.done() {
			return nil
		}
	}
	for ; k >= 0 && k < len(list); k += step {
		if s.isShown(int(list[k])) {
			return s.found(k, "")
		}
	}
	if !j.done() {
		return nil // it may still come
	}
	k, note := 0, "the search went on at the top"
	if q.dir < 0 {
		k, note = len(list)-1, "the search went on at the bottom"
	}
	for range list {
		if s.isShown(int(list[k])) {
			return s.found(k, note)
		}
		k += step
	}
	q.dir = 0
	if len(list) > 0 {
		return s.m.say("all " + plural(int64(len(list)), "match") + " are hidden: ctrl+l clears the filter")
	}
	return s.m.say("not found: " + q.text)
}

func (s *session) found(k int, note string) tea.Cmd {
	q := &s.search
	q.dir = 0
	text := "match " + thousands(int64(k+1)) + " of " + thousands(int64(len(q.judge.list)))
	if !q.judge.done() {
		text += " so far"
	}
	if note != "" {
		text += "; " + note
	}
	return tea.Batch(s.goTo(int(q.judge.list[k])), s.m.say(text))
}

// searchPane goes to the next line of the detail pane that has the text.
func (s *session) searchPane(dir int) tea.Cmd {
	d := &s.detail
	text := s.search.text
	if d.tab == tabRaw && d.raw.treeShown() {
		t := d.raw.tree.tree
		n, wrapped, ok := t.Search(jsontree.NewQuery(text), t.NodeAt(d.cur), dir < 0)
		if !ok {
			return s.m.say("not in this message: " + text)
		}
		t.Reveal(n)
		d.cur = t.RowOf(n)
		d.move(0)
		if wrapped {
			return s.m.say("the search started over")
		}
		return nil
	}
	d.build(s.detailRect.w)
	n := d.count()
	for k := 1; k <= n; k++ {
		i := ((d.cur+k*dir)%n + n) % n
		if indexFold(d.lineText(i), text) >= 0 {
			wrapped := (i-d.cur)*dir <= 0
			d.cur = i
			d.move(0)
			said := "line " + itoa(i+1) + " of " + itoa(n)
			if wrapped {
				said += "; the search started over"
			}
			return s.m.say(said)
		}
	}
	return s.m.say("not in this message: " + text)
}

// indexFold is the place of text in s, -1 if it is not there. Case matters if text has an upper case
// letter.
func indexFold(s, text string) int {
	if strings.IndexFunc(text, unicode.IsUpper) >= 0 {
		return strings.Index(s, text)
	}
	for i := 0; i+len(text) <= len(s); i++ {
		if strings.EqualFold(s[i:i+len(text)], text) {
			return i
		}
	}
	return -1
}
