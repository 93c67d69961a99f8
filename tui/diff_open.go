package tui

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/shakescope/shakescope/recordings"
)

// Actions of the comparison of two recordings, and of how one comes to it.
const (
	actDiff     action = "diff"
	actPick     action = "mark-for-diff"
	actDiffWith action = "diff-with"
	actSideA    action = "open-in-a"
	actSideB    action = "open-in-b"
	actExample  action = "open-example"
	actSwap     action = "swap-sides"
	actExact    action = "exact"
)

func diffBindings() []binding {
	return []binding{
		{actPick, keyed("mark for a diff: the first marked is A, the second B", "m"), inHome, "diff", "mark"},
		{actDiff, keyed("diff of the two marked recordings, or of the marked and the selected one", "d"), inHome, "diff", "diff"},
		{actDiffWith, keyed("diff of this recording (A) and another one (B)", "D"), inRecording, "diff", ""},
		{actOpen, keyed("open the message: where the change is to be seen", "enter", "l", "right"), inDiff, "diff", "message"},
		{actSideA, keyed("open the message in A", "A"), inDiff, "diff", "in A"},
		{actSideB, keyed("open the message in B", "B"), inDiff, "diff", "in B"},
		{actExample, keyed("open the first recorded call that would fail", "x"), inDiff, "diff", ""},
		{actQuick, keyed("only breaking, compatible, cosmetic …", "F"), inDiff, "diff", "grades"},
		{actFilter, keyed("only lines with these words", "/"), inDiff, "diff", "filter"},
		{actClear, keyed("clear the filter", "ctrl+l"), inDiff, "diff", ""},
		{actNextError, keyed("next breaking change", "e"), inDiff, "diff", "breaking"},
		{actPrevError, keyed("previous breaking change", "E"), inDiff, "diff", ""},
		{actSwap, keyed("swap A and B", "S"), inDiff, "diff", ""},
		{actExact, keyed("also compare what changes with every run; again: put it aside", "N"), inDiff, "diff", ""},
	}
}

// pick marks the selected recording for a comparison, or takes the mark away. A third one takes the
// place of the second.
func (h *home) pick() tea.Cmd {
	if h.cur == "" {
		return nil
	}
	if i := slices.Index(h.picked, h.cur); i >= 0 {
		h.picked = slices.Delete(h.picked, i, i+1)
		return nil
	}
	h.picked = append(h.picked[:min(len(h.picked), 1)], h.cur)
	if len(h.picked) == 1 {
		return h.m.say("A is marked: d compares it with the selected one, m marks another as B")
	}
	return h.m.say("B is marked: d compares them")
}

// letter is the mark of a recording, "" for none.
func (h *home) letter(path string) string {
	if i := slices.Index(h.picked, path); i >= 0 {
		return string(rune('A' + i))
	}
	return ""
}

// diff compares what is marked.
func (h *home) diff() tea.Cmd {
	// One that was deleted is marked no longer.
	h.picked = slices.DeleteFunc(h.picked, func(path string) bool {
		return !slices.ContainsFunc(h.known, func(l listing) bool { return l.path == path })
	})
	switch {
	case len(h.picked) == 2:
		return h.m.openDiff(h.picked[0], h.picked[1])
	case len(h.picked) == 1 && h.cur != "" && h.cur != h.picked[0]:
		return h.m.openDiff(h.picked[0], h.cur)
	}
	return h.m.say("m marks the recordings to be compared, the first as A, the second as B")
}

// diffCommand compares what is on screen with a recording that is named, or two that are.
func (m *model) diffCommand(rest string) tea.Cmd {
	names := strings.Fields(rest)
	if len(names) > 2 || len(names) == 2 && m.rec != nil {
		names = []string{rest} // a path with blanks
	}
	switch {
	case len(names) == 0 && m.rec == nil && m.diff == nil:
		return m.home.diff()
	case len(names) == 0 || m.diff != nil && len(names) == 1 || m.rec == nil && len(names) < 2 && (m.diff != nil || len(m.home.cur) == 0):
		return m.complain("diff takes a file, an id or its beginning, or last: :diff FILE")
	}
	if m.rec != nil && m.rec.path == "" {
		return m.complain("this recording has no file to compare")
	}
	first := ""
	switch {
	case len(names) == 2:
	case m.rec != nil:
		first = m.rec.path
	default:
		first = m.home.cur
	}
	lib := m.lib
	return func() tea.Msg {
		msg := diffPathsMsg{}
		if first != "" {
			msg.paths = append(msg.paths, first)
		}
		for _, name := range names {
			path, err := lib.resolve(name)
			if err != nil {
				msg.err = err
				break
			}
			msg.paths = append(msg.paths, path)
		}
		return msg
	}
}

// diffPathsMsg says which files the user meant.
type diffPathsMsg struct {
	paths []string
	err   error
}

func (m *model) diffFound(msg diffPathsMsg) tea.Cmd {
	if msg.err != nil {
		return m.complain(msg.err.Error())
	}
	return m.openDiff(msg.paths[0], msg.paths[1])
}

// resolve returns the path of the recording that a user means by a name.
func (f *folder) resolve(name string) (string, error) {
	if rest, ok := strings.CutPrefix(name, "~/"); ok {
		if home, err := os.UserHomeDir(); err == nil {
			name = filepath.Join(home, rest)
		}
	}
	path, err := recordings.Folder{Dir: f.dir}.Resolve(name)
	if err != nil {
		return "", err
	}
	info, err := os.Stat(path)
	if err != nil {
		return "", err
	}
	if info.IsDir() {
		return "", fmt.Errorf("%s is a folder", path)
	}
	return path, nil
}

// toHome goes to the list of recordings.
func (m *model) toHome() tea.Cmd {
	root := m.rec
	if len(m.layers) > 0 {
		root = m.layers[0].rec
	}
	if root != nil && root.isRoot {
		return m.say("opened on one recording: there is no list to go to")
	}
	return m.uncover(-1)
}

// candidatesMsg is what a recording can be compared with; of says for which recording it was asked.
type candidatesMsg struct {
	of   int // 0: for the palette
	list []listing
}

// candidates looks at the folder of recordings.
func (m *model) candidates(of int) tea.Cmd {
	lib := m.lib
	return func() tea.Msg {
		list, _ := lib.list() // of a folder that cannot be read there are none
		return candidatesMsg{of, list}
	}
}

// candidatesMost bounds the menu; any other recording is named by the user.
const candidatesMost = 15

// candidatesCame keeps what there is for the palette, or offers it: recordings of the same server first, each group
// with the newest first.
func (m *model) candidatesCame(msg candidatesMsg) tea.Cmd {
	if !m.home.loaded {
		m.home.known = msg.list
	}
	s := m.rec
	if s == nil || s.id != msg.of || m.menu != nil || m.prompt != nil {
		return nil
	}
	m.dirty = true
	var same, others []listing
	for i := range msg.list {
		switch l := msg.list[i]; {
		case l.path == s.path || l.thrown:
		case l.server.name != "" && l.server.name == s.server.name:
			same = append(same, l)
		default:
			others = append(others, l)
		}
	}
	list := append(same, others...)
	list = list[:min(len(list), candidatesMost)]
	n := &menu{title: "diff with (this recording is A)"}
	for i := range list {
		l := &list[i]
		name := l.server.String()
		if name == "" {
			name = l.label
		}
		if name == "" {
			name = recordingName(l.path)
		}
		about := m.home.started(l.started) + "  " + plural(l.sent+l.received, "message") + "  " + l.client.String() + "  " + recordingName(l.path)
		n.items = append(n.items, menuItem{key: "1234567890abcde"[i : i+1], name: name, about: about})
	}
	n.items = append(n.items, menuItem{key: "o", name: "another", about: "name a file, an id or its beginning"})
	n.pick = func(m *model, k int) tea.Cmd {
		if k < len(list) {
			return m.openDiff(s.path, list[k].path)
		}
		cmd := m.askCommand()
		m.prompt.set("diff ")
		return cmd
	}
	m.menu = n
	return nil
}

// diffTargets lists what can stand behind :diff, the newest first.
func (m *model) diffTargets() []string {
	var out []string
	for i := range m.home.known {
		if l := &m.home.known[i]; !l.thrown && (m.rec == nil || l.path != m.rec.path) {
			out = append(out, "diff "+recordingName(l.path))
		}
	}
	return out
}
