package tui

import (
	"errors"
	"os"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/shakescope/shakescope/recordings"
)

// find does the actions around filter, search, marks and copies.
func (s *session) find(a action) (tea.Cmd, bool) {
	switch a {
	case actFilter:
		return s.editFilter(), true
	case actClear:
		return s.clearFilter(), true
	case actQuick:
		return s.quickMenu(), true
	case actInclude:
		return s.addTest(s.testOf()), true
	case actExclude:
		if t := s.testOf(); t != "" {
			return s.addTest(negated(t)), true
		}
		return s.addTest(""), true
	case actSearch:
		return s.askSearch(), true
	case actNextMatch:
		return s.nextMatch(1), true
	case actPrevMatch:
		return s.nextMatch(-1), true
	case actMark:
		return s.askMark(), true
	case actToMark:
		return s.askJump(), true
	case actMarks:
		return s.marksMenu(), true
	case actNote:
		return s.askNote(), true
	case actCopy:
		return s.copyMenu(), true
	case actPrint:
		return s.printLater(), true
	case actExport:
		return s.exportMenu(), true
	case actSort:
		if s.cur.key != "1" || s.replay.on {
			return s.m.say("the stream can be sorted, outside of a replay"), true
		}
		s.sortBy((s.view.order + 1) % orderCount)
		s.list.show(s, max(s.sel, 0))
		return tea.Batch(s.fetch(), s.m.say("sorted by "+orderNames[s.view.order])), true
	case actExplain:
		return s.explain(), true
	}
	return nil, false
}

// explain opens the findings tab of the selected entry.
func (s *session) explain() tea.Cmd {
	if s.sel < 0 || len(s.findingsAt(s.sel)) == 0 {
		return s.m.say("no findings at this entry")
	}
	var cmd tea.Cmd
	if !s.cur.detail {
		cmd = s.show("1")
	}
	s.detail.tab, s.detail.cur, s.detail.top = tabFindings, 0, 0
	s.detail.dropLines()
	return tea.Batch(cmd, s.openDetail())
}

// needSelection says so where there is no entry for what was asked.
func (s *session) needSelection() tea.Cmd {
	if s.sel >= 0 && s.sel < s.rows.n {
		return nil
	}
	return s.m.say("nothing is selected")
}

func (s *session) askMark() tea.Cmd {
	if cmd := s.needSelection(); cmd != nil {
		return cmd
	}
	s.m.prefix = func(m *model, key string) tea.Cmd {
		c := []rune(key)
		if len(c) != 1 || !validMark(c[0]) {
			return m.say("marks are the letters a to z")
		}
		at := s.rows.at(s.sel).ref()
		text := "mark " + key + " taken away"
		if s.notes.mark(c[0], at) {
			text = "mark " + key + " at #" + itoa(at.Seq)
		}
		return tea.Batch(m.say(text), s.notesChanged())
	}
	return s.m.say("mark: a letter")
}

// askJump goes to a mark.
func (s *session) askJump() tea.Cmd {
	s.m.prefix = func(m *model, key string) tea.Cmd {
		if key == "'" {
			if s.wasAt < 0 || s.wasAt >= s.limit() {
				return m.say("no place to go back to")
			}
			return s.goTo(s.wasAt)
		}
		c := []rune(key)
		if len(c) != 1 || !validMark(c[0]) {
			return m.say("marks are the letters a to z; '' goes back")
		}
		at, ok := s.notes.marks[c[0]]
		if !ok {
			return m.say("no mark " + key)
		}
		if i := s.rows.find(at); i >= 0 && int(i) < s.limit() {
			return s.goTo(int(i))
		}
		return m.say("mark " + key + " is at #" + itoa(at.Seq) + ", which is not there")
	}
	return s.m.say("to mark: a letter, or ' for the place before")
}

// marksMenu lists marks and notes.
func (s *session) marksMenu() tea.Cmd {
	n := &menu{title: "marks and notes"}
	var rows []int
	add := func(key string, i int, about string) {
		r := s.rows.at(i)
		what := s.rows.names.text(r.method())
		if what == "" {
			what = s.kindWord(r)
		}
		if about == "" {
			about = s.summaryText(i)
		}
		n.items = append(n.items, menuItem{key: key, name: "#" + itoa(r.seq()) + " " + what, about: about})
		rows = append(rows, i)
	}
	letters := make([]rune, 0, len(s.notes.marks))
	for c := range s.notes.marks {
		letters = append(letters, c)
	}
	slices.Sort(letters)
	for _, c := range letters {
		if i := s.rows.find(s.notes.marks[c]); i >= 0 {
			add(string(c), int(i), s.notes.noteOf(s.notes.marks[c]))
		}
	}
	var noted []int
	for at := range s.notes.texts {
		if i := s.rows.find(at); i >= 0 && s.notes.marksOf(at) == "" {
			noted = append(noted, int(i))
		}
	}
	slices.Sort(noted)
	for _, i := range noted {
		add("", i, s.notes.noteOf(s.rows.at(i).ref()))
	}
	if len(rows) == 0 {
		return s.m.say("no marks and notes: m and a letter, ; and a text")
	}
	n.pick = func(_ *model, k int) tea.Cmd {
		if rows[k] >= s.limit() {
			return s.m.say("the replay has not come to that yet")
		}
		return s.goTo(rows[k])
	}
	s.m.menu = n
	return nil
}

func (s *session) askNote() tea.Cmd {
	if cmd := s.needSelection(); cmd != nil {
		return cmd
	}
	at := s.rows.at(s.sel).ref()
	s.m.prompt = &prompt{label: "note on #" + itoa(at.Seq) + " ", input: newInput(s.notes.noteOf(at)), done: func(m *model, text string) tea.Cmd {
		s.notes.note(at, text)
		said := "note on #" + itoa(at.Seq)
		if strings.TrimSpace(text) == "" {
			said = "no note on #" + itoa(at.Seq)
		}
		return tea.Batch(m.say(said), s.notesChanged())
	}}
	return nil
}

type notesMsg struct {
	owned
	notes *notes // read; nil after saving
	err   error
}

// notesChanged draws and saves marks and notes.
func (s *session) notesChanged() tea.Cmd {
	s.detail.dropLines()
	s.m.dirty = true
	var cmd tea.Cmd
	if j := s.view.judge; j != nil && s.sel >= 0 {
		j.changed(s.sel)
		cmd = j.run(s)
	}
	if s.notes.path == "" {
		return cmd
	}
	id, path, data := owned(s.id), s.notes.path, s.notes.data()
	before := s.saving
	done := make(chan struct{})
	s.saving = done
	return tea.Batch(cmd, func() tea.Msg {
		defer close(done)
		if before != nil {
			<-before // one after the other, so that the last one wins
		}
		return notesMsg{owned: id, err: saveNotes(path, data)}
	})
}

// readNotesOf returns the command that reads the notes beside a recording.
func (s *session) readNotesOf() tea.Cmd {
	if s.m.opts.Title != "" || s.path == "" {
		return nil // it came from a pipe: there is nothing that lasts beside it
	}
	id, path := owned(s.id), s.path+recordings.NotesSuffix
	return func() tea.Msg {
		n, err := readNotes(path)
		return notesMsg{owned: id, notes: n, err: err}
	}
}

func (s *session) noted(msg notesMsg) tea.Cmd {
	s.m.dirty = true
	if msg.notes != nil {
		*s.notes = *msg.notes
		s.heed()
	}
	if msg.err != nil {
		if errors.Is(msg.err, os.ErrPermission) {
			s.notes.path = ""
		}
		return s.m.complain(msg.err.Error())
	}
	return s.judgeNew()
}
