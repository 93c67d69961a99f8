package tui

import (
	"cmp"
	"errors"
	"sort"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/shakescope/shakescope/internal/filter"
)

// filterBar is the line in which a filter is typed.
type filterBar struct {
	input
	gen       int
	err       *filter.SyntaxError
	needs     filter.Needs
	proposals []filter.Proposal
	from, to  int // what a proposal takes the place of
	picked    int
	was       shown // what esc goes back to
	faultAt   int   // cell of the fault when last drawn
}

// previewMsg tries what is being typed, if it still is what it was.
type previewMsg struct {
	owned
	gen int
}

// barRows is 1 where the filter's line is on screen.
func (m *model) barRows() int {
	if m.rec != nil && (m.rec.bar != nil || m.rec.view.judge != nil || m.rec.view.trial != nil) {
		return 1
	}
	return 0
}

// editFilter opens the line.
func (s *session) editFilter() tea.Cmd {
	b := &filterBar{input: newInput(s.view.text), was: s.view}
	s.bar = b
	b.check()
	return s.resized()
}

func (b *filterBar) check() {
	b.err, b.needs, b.proposals = nil, filter.RowOnly, nil
	x, err := filter.Parse(b.text)
	if err != nil {
		if !errors.As(err, &b.err) {
			b.err = &filter.SyntaxError{Source: b.text, Message: err.Error()}
		}
		return
	}
	b.needs = x.Needs()
}

// barKey handles a key while a filter is typed.
func (s *session) barKey(key string) tea.Cmd {
	b := s.bar
	switch key {
	case "esc", "ctrl+g":
		s.bar = nil
		s.view.trial = nil
		gen := s.view.gen
		if s.view.judge != b.was.judge {
			b.was.gen = gen + 1
			s.view = b.was
			s.reshown()
			return tea.Batch(s.caughtUpJudge(), s.resized(), s.settle())
		}
		return s.resized()
	case "enter":
		if b.err != nil {
			return nil // the bar says what is wrong
		}
		s.bar = nil
		s.history = remember(s.history, strings.TrimSpace(b.text))
		cmd := s.apply(strings.TrimSpace(b.text), s.view.chips, false)
		if !s.cur.detail {
			cmd = tea.Batch(cmd, s.show("1"))
		}
		return tea.Batch(s.resized(), cmd)
	case "ctrl+l":
		b.set("")
		b.check()
		return s.typed()
	case "tab", "shift+tab":
		return s.complete(key == "shift+tab")
	}
	if b.key(key, s.history) {
		return s.typed()
	}
	b.proposals = nil
	return nil
}

// caughtUpJudge judges what came while another filter was tried.
func (s *session) caughtUpJudge() tea.Cmd {
	if s.view.judge == nil {
		return nil
	}
	return s.view.judge.run(s)
}

// typed checks the text and tries it when typing rests.
func (s *session) typed() tea.Cmd {
	b := s.bar
	b.check()
	b.gen++
	s.view.trial = nil
	if b.err != nil || b.needs == filter.Payload {
		return nil
	}
	return s.m.after(previewWait, previewMsg{owned(s.id), b.gen})
}

func (s *session) tryTyped(msg previewMsg) tea.Cmd {
	if s.bar == nil || s.bar.gen != msg.gen || s.bar.err != nil {
		return nil
	}
	return s.apply(strings.TrimSpace(s.bar.text), s.view.chips, true)
}

// complete puts the next proposal into the text.
func (s *session) complete(back bool) tea.Cmd {
	b := s.bar
	switch {
	case len(b.proposals) == 0:
		b.from, b.proposals = filter.Complete(b.text, b.cur, s.seenValues)
		b.to, b.picked = b.cur, 0
		if len(b.proposals) == 0 {
			return nil
		}
		if len(b.proposals) > proposalsMax {
			b.proposals = b.proposals[:proposalsMax]
		}
	case back:
		b.picked = (b.picked + len(b.proposals) - 1) % len(b.proposals)
	default:
		b.picked = (b.picked + 1) % len(b.proposals)
	}
	text := b.proposals[b.picked].Text
	b.text = b.text[:b.from] + text + b.text[b.to:]
	b.to = b.from + len(text)
	b.cur = b.to
	keep := b.proposals
	cmd := s.typed()
	if len(keep) > 1 {
		b.proposals = keep
	}
	return cmd
}

const proposalsMax = 100

// drawBar draws the filter's line: what is typed or in force, the quick filters, and how many match.
func (s *session) drawBar(p *pen, w int) string {
	gl := s.m.gl
	v := &s.view
	p.begin(w, roleText)
	p.space(1)
	p.text(roleTitle, "filter ")
	p.text(roleMuted, gl.folded+" ")
	right, ro := s.matchText()
	room := p.left - cells(right) - 4
	for _, c := range v.chips {
		room -= min(cells(shorn(c.name)), 24) + 3
	}
	room = max(room, 10)
	switch {
	case s.bar != nil:
		fault, end := none, none
		if e := s.bar.err; e != nil {
			fault, end = min(e.Offset, len(s.bar.text)), min(e.Offset+e.Len, len(s.bar.text))
		}
		before := w - p.left
		left := p.left
		s.bar.faultAt = s.bar.draw(p, room, fault, end)
		if s.bar.faultAt >= 0 {
			s.bar.faultAt += before
		}
		p.space(room - (left - p.left))
	default:
		text := v.text
		if v.trial != nil && !v.preview {
			text = v.trialText
		}
		p.space(room - p.cut(roleText, text, room))
	}
	for _, c := range v.chips {
		p.space(1)
		p.reversed(roleInfo, " "+clip(shorn(c.name), 24)+" ")
	}
	p.space(p.left - cells(right) - 3)
	p.text(ro, right)
	p.space(1)
	switch {
	case s.bar == nil || strings.TrimSpace(s.bar.text) == "":
	case s.bar.err != nil:
		p.text(roleError, gl.failure)
	default:
		p.text(roleOK, gl.ok)
	}
	return p.end()
}

// matchText says how many rows pass.
func (s *session) matchText() (string, role) {
	v := &s.view
	n := s.limit()
	switch {
	case v.trial != nil:
		return thousands(int64(len(v.trial.list))) + " so far " + s.m.gl.dot + " " + itoa(v.trial.progress()) + "%", rolePending
	case s.bar != nil && s.bar.err == nil && s.bar.needs == filter.Payload && strings.TrimSpace(s.bar.text) != v.text:
		return "enter reads the file", roleMuted
	case v.judge != nil:
		ro := roleStrong
		count := s.shownCount()
		if count == 0 {
			ro = roleWarn
		}
		return thousands(int64(count)) + " of " + thousands(int64(n)), ro
	}
	return thousands(int64(n)), roleMuted
}

// caret is the line under the bar that points at a fault, "" where there is none.
func (s *session) caret(p *pen, w int) string {
	if s.bar == nil || s.bar.err == nil || s.bar.text == "" {
		return ""
	}
	text := s.bar.err.Text()
	p.begin(w, roleText)
	at := s.bar.faultAt
	if at < 0 || at >= w {
		at = 1
	}
	// The message stands behind the caret where there is room, else before it.
	if need := cells(shorn(text)) + 3; w-at < need && at > need {
		p.space(at - need + 1)
		p.text(roleError, shorn(text)+" ^")
		return p.end()
	}
	p.space(min(at, max(w-24, 0)))
	p.text(roleError, "^ "+text)
	return p.end()
}

// proposalLine shows what tab goes through.
func (s *session) proposalLine(p *pen) bool {
	b := s.bar
	if b == nil || len(b.proposals) < 2 {
		return false
	}
	first := max(0, b.picked-3)
	for k := first; k < len(b.proposals) && p.left > 4; k++ {
		x := b.proposals[k]
		text := " " + clip(x.Text, 40)
		if x.Count > 0 {
			text += " " + thousands(int64(x.Count)) + s.m.gl.times
		}
		if k == b.picked {
			if x.About != "" {
				text += " (" + x.About + ")"
			}
			p.reversed(roleInfo, text+" ")
			continue
		}
		p.text(roleMuted, text+" ")
	}
	return true
}

// sortValues orders values by how often they were seen and keeps the first ones.
func sortValues(v []filter.Value) []filter.Value {
	sort.Slice(v, func(i, j int) bool {
		return cmp.Or(cmp.Compare(v[j].Count, v[i].Count), strings.Compare(v[i].Text, v[j].Text)) < 0
	})
	return v[:min(len(v), proposalsMax)]
}

// seenKeys counts the keys at a path of the messages whose payload is at hand.
func (s *session) seenKeys(path string) []filter.Value {
	counts := map[string]int{}
	for _, pl := range s.detail.payloads {
		if pl.entry.Message != nil {
			filter.Keys(pl.entry.Raw, path, func(key string) { counts[key]++ })
		}
	}
	out := make([]filter.Value, 0, len(counts))
	for k, n := range counts {
		out = append(out, filter.Value{Text: k, Count: n})
	}
	return sortValues(out)
}
