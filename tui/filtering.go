package tui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/shakescope/shakescope/internal/filter"
)

// apply puts a filter in force as soon as all rows are judged. A preview is of an expression that is
// still being typed.
func (s *session) apply(text string, chips []chip, preview bool) tea.Cmd {
	x, err := whole(text, chips)
	if err != nil {
		return s.m.complain(err.Error())
	}
	v := &s.view
	j := s.newJudge(x)
	if x.Empty() {
		j = nil
	}
	v.trial, v.trialText, v.trialChips, v.preview = j, text, chips, preview
	if j == nil {
		return s.adopt()
	}
	cmd := j.run(s)
	if j.done() {
		return tea.Batch(cmd, s.adopt())
	}
	s.m.dirty = true
	return cmd
}

// adopt puts the filter on trial in force.
func (s *session) adopt() tea.Cmd {
	v := &s.view
	v.judge, v.text, v.chips, v.trial = v.trial, v.trialText, v.trialChips, nil
	v.extra = nil
	s.reshown()
	var cmd tea.Cmd
	if v.judge != nil && v.judge.failed != nil {
		cmd = s.m.complain("not all of the file could be searched: " + v.judge.failed.Error())
	}
	return tea.Batch(cmd, s.resized(), s.settle())
}

// settle brings the selection to a row that is shown.
func (s *session) settle() tea.Cmd {
	if s.sel < 0 {
		return nil
	}
	to := s.nearest(s.sel)
	if s.follow {
		_, to = s.ends()
	}
	if to < 0 || to == s.sel {
		s.list.show(s, s.sel)
		return s.fetch()
	}
	return s.moveTo(to)
}

// judged goes on with the judge that a message belongs to.
func (s *session) judged(msg judgeMsg) tea.Cmd {
	v := &s.view
	s.m.dirty = true
	switch {
	case v.trial != nil && v.trial.gen == msg.gen:
		cmd := v.trial.receive(s, msg)
		if v.trial.done() {
			return tea.Batch(cmd, s.adopt())
		}
		return cmd
	case v.judge != nil && v.judge.gen == msg.gen:
		cmd := v.judge.receive(s, msg)
		return tea.Batch(cmd, s.keepUp(), s.fetch())
	case s.search.judge != nil && s.search.judge.gen == msg.gen:
		return tea.Batch(s.search.judge.receive(s, msg), s.searched())
	}
	return nil
}

// keepUp follows what the filter lets pass of new entries.
func (s *session) keepUp() tea.Cmd {
	if !s.follow || s.rows.n == 0 {
		return nil
	}
	_, last := s.ends()
	if last == s.sel && s.sel >= 0 {
		return nil
	}
	return s.moveTo(last)
}

// stopScan gives up what is being looked for in the file. It reports whether there was something.
func (s *session) stopScan() (tea.Cmd, bool) {
	switch {
	case s.view.trial != nil:
		s.view.trial = nil
		return s.m.say("stopped; the filter is as it was"), true
	case s.search.judge != nil && !s.search.judge.done():
		s.search.judge = nil
		return s.m.say("search stopped"), true
	}
	return nil, false
}

// clearFilter shows all entries.
func (s *session) clearFilter() tea.Cmd {
	if s.view.trial == nil && s.view.judge == nil && s.view.order == byNumber {
		return s.m.say("no filter is set")
	}
	s.view.order = byNumber
	return s.apply("", nil, false)
}

// addTest narrows the filter by one more test.
func (s *session) addTest(test string) tea.Cmd {
	if test == "" {
		return s.m.say("nothing to filter by here")
	}
	text := test
	if s.view.text != "" {
		text = s.view.text + " && " + test
		if x, err := filter.Parse(s.view.text); err == nil && !x.Empty() {
			if y, err := filter.Parse(test); err == nil {
				text = filter.And(x, y).String()
			}
		}
	}
	s.history = remember(s.history, text)
	return s.apply(text, s.view.chips, false)
}

// negated is the opposite of a test.
func negated(test string) string {
	x, err := filter.Parse(test)
	if err != nil {
		return ""
	}
	return filter.Not(x).String()
}

// testOf is the filter that the selection stands for: the value under the cursor of the detail pane, or
// what the selected entry is about.
func (s *session) testOf() string {
	if s.sel < 0 || s.sel >= s.rows.n {
		return ""
	}
	if s.detailFocused() {
		return s.detail.test()
	}
	row := s.filterRow(s.sel)
	if t := filter.ThisTool(row); t != "" {
		return t
	}
	for _, f := range []filter.Field{filter.Method, filter.Kind} {
		if v := row.Text(f); v != "" {
			return filter.Equal(f, v)
		}
	}
	return ""
}

// filterRow is row i as filters see it, without payload.
func (s *session) filterRow(i int) *filterRow {
	return &filterRow{rs: s.rows, notes: s.notes, start: s.startTime(), i: i, head: s.known(), missing: new([]int32), asked: &asked{}}
}

// toggle puts a quick filter in force or takes it away.
func (s *session) toggle(c chip) tea.Cmd {
	var chips []chip
	on := true
	for _, have := range s.view.chips {
		if have == c {
			on = false
			continue
		}
		chips = append(chips, have)
	}
	if on {
		chips = append(chips, c)
	}
	return s.apply(s.view.text, chips, false)
}

// quickFilters are those of the language, of the settings, and those about the selection.
func (s *session) quickFilters() []chip {
	var out []chip
	for _, q := range filter.Quicks() {
		out = append(out, chip{q.Name, q.Expr})
	}
	for _, q := range s.m.opts.Settings.QuickFilters {
		out = append(out, chip{q.Name, q.Filter})
	}
	if s.sel >= 0 && s.sel < s.rows.n {
		row := s.filterRow(s.sel)
		if x := filter.ThisTool(row); x != "" {
			out = append(out, chip{"this " + targetNoun(row), x})
		}
		if x := filter.ThisFlow(row); x != "" {
			out = append(out, chip{"this flow", x})
		}
	}
	// One that is on stays in the menu when the selection is elsewhere.
	for _, c := range s.view.chips {
		there := false
		for _, have := range out {
			there = there || have == c
		}
		if !there {
			out = append(out, c)
		}
	}
	return out
}

func targetNoun(f *filterRow) string {
	switch groups[f.row().group()].name {
	case "prompts":
		return "prompt"
	case "resources":
		return "resource"
	}
	return "tool"
}

// seenMax bounds the rows that are counted for completion.
const seenMax = 300_000

// seenValues counts the values of a field, for completion; for a path that ends in a dot the keys that
// messages at hand have there.
func (s *session) seenValues(name string) []filter.Value {
	if name != "" && name[len(name)-1] == '.' {
		return s.seenKeys(name)
	}
	var field filter.Field
	for _, f := range filter.Fields() {
		if f.Name == name {
			field = f.Field
		}
	}
	counts := map[string]int{}
	row := s.filterRow(0)
	words := map[uint32]int{}
	first := max(0, s.limit()-seenMax)
	for i := first; i < s.limit(); i++ {
		r := s.rows.at(i)
		row.i = i
		switch field {
		case filter.Method:
			words[r.method()]++
		case filter.Target:
			words[r.target]++
		case filter.Tool, filter.Prompt, filter.Resource:
			if want := map[filter.Field]string{filter.Tool: "tools", filter.Prompt: "prompts", filter.Resource: "resources"}[field]; groups[r.group()].name == want {
				words[r.target]++
			}
		case filter.Kind, filter.State, filter.Group, filter.Primitive, filter.From, filter.OfStream, filter.Phase, filter.Era, filter.Revision, filter.EOL,
			filter.ErrorMessage, filter.Reason, filter.EventName, filter.EventSignal, filter.EventReason, filter.Unanswered, filter.Mark, filter.Note:
			if v := row.Text(field); v != "" {
				counts[v]++
			}
		case filter.ErrorCode:
			if v, ok := row.Number(field); ok {
				counts[itoa(v)]++
			}
		case filter.Finding, filter.FindingRule, filter.FindingLevel, filter.FindingBy:
			for k := range row.Findings() {
				f := row.Finding(k)
				counts[map[filter.Field]string{filter.FindingLevel: string(f.Level), filter.FindingBy: f.By}[field]]++
				if field == filter.Finding || field == filter.FindingRule {
					counts[f.Rule]++
				}
			}
		case filter.Capability, filter.CapabilityPath:
			for _, c := range row.Capabilities() {
				counts[c.Path]++
			}
		}
	}
	for w, n := range words {
		counts[s.rows.names.text(w)] += n
	}
	delete(counts, "")
	out := make([]filter.Value, 0, len(counts))
	for v, n := range counts {
		out = append(out, filter.Value{Text: v, Count: n})
	}
	return sortValues(out)
}

// previewWait is how long typing rests before the filter is tried.
const previewWait = 150 * time.Millisecond
