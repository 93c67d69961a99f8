package tui

import (
	"path/filepath"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
)

// matches reports whether each word of a filter is in what the list says of a recording, in any case.
func (l *listing) matches(filter string) bool {
	text := strings.ToLower(strings.Join([]string{l.server.String(), l.client.String(), l.label, l.command, l.state}, "\n"))
	for _, word := range strings.Fields(strings.ToLower(filter)) {
		if !strings.Contains(text, word) {
			return false
		}
	}
	return true
}

// setAside reports whether a recording is shown only if the user asks for such: a run in which shakescope was the
// client (probe, resend), or one that a client threw away at once.
func (l *listing) setAside() bool { return l.probe || l.thrown }

// hidden is how many recordings the list leaves out because they are set aside. Where there are no others, none are.
func (h *home) hidden() int {
	n := 0
	for i := range h.known {
		if h.known[i].setAside() {
			n++
		}
	}
	if h.aside || n == len(h.known) {
		return 0
	}
	return n
}

// shows reports whether a recording is in the list.
func (h *home) shows(l *listing) bool {
	return l.matches(h.filter) && (!l.setAside() || h.hidden() == 0)
}

// toggleAside shows what is set aside too, or hides it again.
func (h *home) toggleAside() tea.Cmd {
	h.aside = !h.aside
	h.sift()
	if !slices.ContainsFunc(h.known, func(l listing) bool { return l.setAside() }) {
		return h.m.say("there is no run of probe or resend, and none that a client threw away")
	}
	if n := h.hidden(); n > 0 {
		return h.m.say(plural(int64(n), "run") + " of probe and resend, or thrown away by a client: hidden")
	}
	return nil
}

// sift takes into the list what is to be shown, and keeps the selection if it can.
func (h *home) sift() {
	aside := h.hidden() == 0
	h.all = nil
	for i := range h.known {
		if l := &h.known[i]; l.matches(h.filter) && (aside || !l.setAside()) {
			h.all = append(h.all, *l)
		}
	}
	if h.index() < 0 {
		h.cur, h.top = "", 0
		if len(h.all) > 0 {
			h.cur = h.all[0].path
		}
	}
	h.clamp()
}

// show changes the filter.
func (h *home) show(filter string) {
	h.filter = strings.TrimSpace(filter)
	h.sift()
}

// ask lets the user type a filter; the list follows while they do.
func (h *home) ask() {
	h.m.prompt = &prompt{label: "/", input: newInput(h.filter), first: h.filter, changed: h.show, done: func(_ *model, text string) tea.Cmd {
		h.show(text)
		return nil
	}}
}

func (h *home) noMatch(r rect) []string {
	p := &h.m.pen
	p.begin(r.w, roleText)
	blank := p.end()
	p.begin(r.w, roleText)
	p.space(3)
	n := h.hidden()
	text := "0 of " + thousands(int64(len(h.known)-n)) + " match. ctrl+l clears the filter"
	if n > 0 {
		text += ", a looks at " + plural(int64(n), "probe") + " too"
	}
	p.text(roleText, text)
	return []string{blank, p.end()}
}

type removedMsg struct {
	path string
	err  error
}

// deleteMsg asks about a recording whose packed copies are known.
type deleteMsg struct {
	path   string
	copies []string
}

// askDelete deletes the selected recording if the user says so twice.
func (h *home) askDelete() tea.Cmd {
	i := h.index()
	if i < 0 {
		return nil
	}
	l := h.all[i]
	if l.state == "live" {
		return h.m.complain("it is being recorded: a live recording is never deleted")
	}
	path, lib := l.path, h.m.lib
	return func() tea.Msg { return deleteMsg{path, lib.copies(path)} }
}

// askedDelete opens the question.
func (h *home) askedDelete(msg deleteMsg) tea.Cmd {
	i := slices.IndexFunc(h.all, func(l listing) bool { return l.path == msg.path })
	if i < 0 || !h.m.inHome() {
		return nil
	}
	h.m.dirty = true
	l := h.all[i]
	what := filepath.Base(l.path)
	if l.segments > 1 {
		what += ", " + plural(int64(l.segments), "segment")
	}
	n := &menu{title: "delete " + shorn(what) + ", " + bytesText(l.bytes) + "?", items: []menuItem{
		{key: "n", name: "no", about: "keep it"},
		{key: "y", name: "yes", about: "delete it with its marks and notes; there is no way back"},
	}, pick: func(m *model, k int) tea.Cmd {
		if k == 0 {
			return nil
		}
		lib := m.lib
		return func() tea.Msg { return removedMsg{l.path, lib.remove(l.path, k == 2)} }
	}}
	if len(msg.copies) > 0 {
		them := filepath.Base(msg.copies[0])
		if more := len(msg.copies) - 1; more > 0 {
			them += " and " + itoa(more) + " more"
		}
		n.items[1].about = "delete it with its marks and notes; its packed copy stays: " + shorn(them)
		n.items = append(n.items, menuItem{key: "a", name: "all", about: "delete the packed copy and its notes too: " + shorn(them)})
	}
	h.m.menu = n
	return nil
}

// removed looks at the folder again; the selection goes to the recording below.
func (h *home) removed(msg removedMsg) tea.Cmd {
	if msg.err != nil {
		return tea.Batch(h.m.complain(msg.err.Error()), h.start())
	}
	if i := h.index(); i >= 0 && h.cur == msg.path && len(h.all) > 1 {
		if i++; i == len(h.all) {
			i -= 2
		}
		h.set(i)
	}
	if !h.m.inHome() {
		return nil
	}
	return tea.Batch(h.m.say("deleted "+filepath.Base(msg.path)), h.start())
}
