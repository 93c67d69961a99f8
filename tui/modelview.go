package tui

import (
	tea "charm.land/bubbletea/v2"

	"github.com/shakescope/shakescope/annotate"
	"github.com/shakescope/shakescope/internal/export"
	"github.com/shakescope/shakescope/internal/provider"
)

// actModel shows a call of a tool the way a model saw it.
const actModel action = "as-the-model-saw"

func modelBinding() binding {
	return binding{actModel, keyed("a call as the model saw it: Anthropic's form, OpenAI's, off", "V"), inList | inDetail, "view", ""}
}

// toModel goes to the next form of the selected call; after the last the pane is as it was.
func (d *detail) toModel() tea.Cmd {
	if !d.modelCall(d.row) {
		return d.s.m.say("only a call of a tool, or its answer, can be shown as the model saw it")
	}
	apis := provider.APIs()
	next := provider.API("")
	if d.model == "" || d.tab != tabAnnotated {
		next = apis[0]
	} else {
		for i, a := range apis[:len(apis)-1] {
			if a == d.model {
				next = apis[i+1]
			}
		}
	}
	d.model, d.tab, d.cur, d.top = next, tabAnnotated, 0, 0
	d.dropLines()
	d.s.m.dirty = true
	return nil
}

// modelCall reports whether row i is half of a call of a tool by the client.
func (d *detail) modelCall(i int) bool {
	s := d.s
	if i < 0 || i >= s.limit() {
		return false
	}
	r := s.rows.at(i)
	if s.rows.names.text(r.method()) != "tools/call" {
		return false
	}
	return r.kind() == kindRequest && r.flags&fromServer == 0 || r.isAnswer() && r.flags&fromServer != 0
}

// modelLines makes the annotated tab of a call in a model's form: both halves, as far as they are there.
func (d *detail) modelLines(i, width int) []dline {
	s := d.s
	inner := max(width-2, 10)
	lines := wrapSegs([]seg{{roleStrong, "as the model saw it"}, {roleMuted, ", in the form of " + d.model.Title() + "; ids that hosts keep to themselves are made up"}}, inner)
	first := i
	if s.rows.at(i).isAnswer() {
		if first = s.pairAt(i); first < 0 {
			first = i
		}
	}
	second := s.pairAt(first)
	m := export.ModelLog{API: d.model}
	for _, row := range []int{first, second} {
		if row < 0 || row == second && second == first {
			continue
		}
		lines = append(lines, dline{jump: none}, dline{segs: []seg{{roleTools, s.what(row)}}, jump: row})
		p := d.payloadOf(row)
		switch {
		case p == nil:
			lines = append(lines, dline{segs: []seg{{roleMuted, "reading…"}}, jump: none})
			continue
		case p.err != nil:
			lines = append(lines, dline{segs: []seg{{roleError, p.err.Error()}}, jump: none})
			continue
		}
		block, ok := m.Append(nil, d.opening(&p.entry))
		if !ok {
			lines = append(lines, dline{segs: []seg{{roleMuted, "nothing of this reaches the model"}}, jump: none})
			continue
		}
		var fw fieldWriter
		name := "block"
		if d.model == provider.OpenAI {
			name = "message"
		}
		fw.value(name, block)
		for _, l := range fieldLines(fw.out, inner, s.m.gl) {
			l.ptr = "" // it is no place in the message
			lines = append(lines, l)
		}
	}
	if second < 0 && s.rows.at(first).kind() == kindRequest {
		lines = append(lines, dline{jump: none}, dline{segs: s.unanswered(first), jump: none})
	}
	return lines
}

// opening returns the entry as the first of its flow, so that a further round of a call is shown, too.
func (d *detail) opening(e *annotate.Entry) *annotate.Entry {
	alone := *e
	alone.Flow = annotate.Ref{}
	return &alone
}
