package tui

import (
	"path/filepath"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/shakescope/shakescope/internal/timetext"
)

const listEvery = time.Second

// home is the list of recordings.
type home struct {
	m       *model
	known   []listing // all recordings, in the order of the list
	all     []listing // those that are shown
	filter  string
	aside   bool            // also what is set aside
	picked  []string        // paths that are marked for a comparison, at most two
	fresh   map[string]bool // arrived since the list was opened, not seen at the top yet
	cur     string          // path of the selected recording
	top     int
	err     error
	loaded  bool
	gen     int
	last    time.Time // of the last click
	lastRow int
}

type listingMsg struct {
	gen  int
	list []listing
	err  error
}

func newHome(m *model) *home { return &home{m: m, fresh: map[string]bool{}} }

// lookAgain is the time to list the folder again.
type lookAgain struct{ gen int }

// start begins to follow the folder.
func (h *home) start() tea.Cmd {
	h.gen++
	return h.read()
}

func (h *home) read() tea.Cmd {
	gen, lib := h.gen, h.m.lib
	return func() tea.Msg {
		list, err := lib.list()
		return listingMsg{gen, list, err}
	}
}

func (h *home) later() tea.Cmd { return h.m.after(listEvery, lookAgain{h.gen}) }

// listed takes a new listing. Rows never change places under the cursor: new recordings go to the
// top, the others keep their order until the user asks for the top.
func (h *home) listed(msg listingMsg) tea.Cmd {
	if msg.gen != h.gen || !h.m.inHome() {
		return nil
	}
	if h.loaded && msg.err == nil && h.err == nil && slices.EqualFunc(h.known, msg.list, sameListing) {
		return h.later()
	}
	h.m.dirty = true
	if h.loaded {
		known := map[string]bool{}
		for i := range h.known {
			known[h.known[i].path] = true
		}
		for i := range msg.list {
			if p := msg.list[i].path; !known[p] && h.cur != "" && h.shows(&msg.list[i]) {
				h.fresh[p] = true
				if h.index() > 0 || h.top > 0 {
					h.top++
				}
			}
		}
	}
	h.known, h.err, h.loaded = msg.list, msg.err, true
	h.sift()
	return h.later()
}

func sameListing(a, b listing) bool {
	if (a.exitCode == nil) != (b.exitCode == nil) || a.exitCode != nil && *a.exitCode != *b.exitCode {
		return false
	}
	a.exitCode, b.exitCode = nil, nil
	return a == b
}

func (h *home) index() int {
	return slices.IndexFunc(h.all, func(l listing) bool { return l.path == h.cur })
}

func (h *home) rows() int { return max(h.m.body().h-1, 1) }

func (h *home) move(by int) { h.set(max(h.index(), 0) + by) }

func (h *home) set(i int) {
	if len(h.all) == 0 {
		return
	}
	i = max(0, min(i, len(h.all)-1))
	h.cur = h.all[i].path
	delete(h.fresh, h.cur)
	h.clamp()
}

func (h *home) clamp() {
	i := max(h.index(), 0)
	rows := h.rows()
	h.top = max(0, min(h.top, len(h.all)-rows))
	if i < h.top {
		h.top = i
	}
	if i >= h.top+rows {
		h.top = i - rows + 1
	}
}

func (h *home) act(a action) tea.Cmd {
	switch a {
	case actDown:
		h.move(1)
	case actUp:
		h.move(-1)
	case actPageDown:
		h.move(h.rows())
	case actPageUp:
		h.move(-h.rows())
	case actHalfDown:
		h.move(h.rows() / 2)
	case actHalfUp:
		h.move(-h.rows() / 2)
	case actTop:
		clear(h.fresh)
		h.set(0)
	case actBottom:
		h.set(len(h.all) - 1)
	case actOpen:
		if h.cur != "" {
			return h.m.open(h.cur, "")
		}
	case actFilter:
		h.ask()
	case actClear:
		h.show("")
	case actAside:
		return h.toggleAside()
	case actPick:
		return h.pick()
	case actDiff:
		return h.diff()
	case actDelete:
		return h.askDelete()
	case actBack:
		if h.filter != "" {
			h.show("")
			return nil
		}
		return tea.Quit
	}
	return nil
}

func (h *home) click(_, y int) tea.Cmd {
	b := h.m.body()
	row := y - b.y - 1 + h.top
	if y <= b.y || row < 0 || row >= len(h.all) {
		return nil
	}
	again := row == h.lastRow && h.m.now().Sub(h.last) < doubleClick && h.all[row].path == h.cur
	h.last, h.lastRow = h.m.now(), row
	h.set(row)
	if again {
		return h.act(actOpen)
	}
	return nil
}

func (h *home) header() string {
	m := h.m
	p := &m.pen
	live := 0
	for i := range h.known {
		if h.known[i].state == "live" {
			live++
		}
	}
	right := itoa(live) + " live " + m.gl.dot + " " + itoa(len(h.known)) + " total "
	if n := h.hidden(); n > 0 {
		right = itoa(live) + " live " + m.gl.dot + " " + itoa(len(h.known)-n) + " and " + plural(int64(n), "probe") + " "
	}
	if h.filter != "" {
		right = "filter: " + shorn(h.filter) + ", " + itoa(len(h.all)) + " shown " + m.gl.dot + " " + right
	}
	p.begin(m.w, roleText)
	p.text(roleBadge, " shakescope ")
	p.text(roleTitle, " recordings ")
	p.space(1)
	p.cut(roleMuted, m.lib.name(), p.left-cells(right)-2)
	p.space(p.left - cells(right))
	p.text(roleMuted, right)
	return p.end()
}

func (h *home) status(p *pen) {
	switch {
	case h.err != nil:
		p.text(roleError, h.m.gl.failure+" "+h.err.Error())
	case len(h.fresh) > 0:
		p.text(roleStrong, itoa(len(h.fresh))+" new "+h.m.gl.asc+" g")
	case len(h.all) > 0:
		i := max(h.index(), 0)
		l := &h.all[i]
		var total int64
		for k := range h.all {
			total += h.all[k].bytes
		}
		right := itoa(i+1) + "/" + itoa(len(h.all)) + "  " + bytesText(total) + " "
		p.cut(roleMuted, filepath.Base(l.path), p.left-cells(right)-1)
		p.space(p.left - cells(right))
		p.text(roleMuted, right)
	}
}

// draw makes the lines of the list: the column heads and the recordings.
func (h *home) draw(r rect) []string {
	m := h.m
	p := &m.pen
	h.clamp()
	if !h.loaded {
		return nil
	}
	switch {
	case len(h.known) == 0 && h.err != nil:
		return h.unreadable(r)
	case len(h.known) == 0:
		return h.empty(r)
	case len(h.all) == 0:
		return h.noMatch(r)
	}
	cols := homeColumns(r.w)
	p.begin(r.w, roleText)
	p.space(2)
	for _, c := range cols {
		if c.right {
			p.right(roleMuted, c.head, c.width)
		} else {
			p.cell(roleMuted, c.head, c.width)
		}
	}
	lines := []string{p.end()}
	for i := h.top; i < len(h.all) && len(lines) < r.h; i++ {
		lines = append(lines, h.line(&h.all[i], r.w, cols))
	}
	return lines
}

// sayer returns what adds a text to lines, wrapped and set in from the left.
func (h *home) sayer(w int, lines *[]string) func(ro role, text string) {
	p := &h.m.pen
	return func(ro role, text string) {
		indent := len(text) - len(strings.TrimLeft(text, " "))
		for _, l := range wrapSegs([]seg{{ro, text[indent:]}}, max(w-6-indent, 10)) {
			p.begin(w, roleText)
			p.space(3 + indent)
			p.segs(l.segs)
			*lines = append(*lines, p.end())
		}
	}
}

func (h *home) unreadable(r rect) []string {
	var lines []string
	say := h.sayer(r.w, &lines)
	say(roleText, "")
	say(roleError, h.m.gl.failure+" The folder of recordings cannot be read.")
	say(roleText, "")
	say(roleText, h.err.Error())
	say(roleText, "")
	say(roleMuted, h.m.lib.name())
	return lines
}

func (h *home) empty(r rect) []string {
	var lines []string
	say := h.sayer(r.w, &lines)
	say(roleText, "")
	say(roleStrong, "No recordings yet.")
	say(roleText, "")
	say(roleText, "Put shakescope in front of your server's command, in the client's configuration or by hand:")
	say(roleText, "")
	say(roleInfo, "    shakescope install")
	say(roleInfo, "    shakescope -- npx -y my-server")
	say(roleText, "")
	say(roleMuted, "Recordings appear here as soon as the server starts:")
	say(roleMuted, "    "+h.m.lib.name())
	say(roleText, "")
	say(roleText, "To see one at once:")
	say(roleText, "")
	say(roleInfo, "    shakescope demo")
	return lines
}

type homeColumn struct {
	name, head string
	width      int
	right      bool
}

// homeColumns fits the columns into a width; those named last in drop go first.
func homeColumns(w int) []homeColumn {
	cols := []homeColumn{
		{"state", "STATE", 9, false}, {"server", "SERVER", 0, false}, {"client", "CLIENT", 0, false}, {"revision", "REVISION", 10, false},
		{"started", "STARTED", 8, false}, {"dur", "TIME", 6, true}, {"msgs", "MSGS", 7, true}, {"size", "SIZE", 5, true}, {"marks", "", 12, false},
	}
	fixed := func() int {
		n := 2
		for _, c := range cols {
			n += c.width + 1
		}
		return n
	}
	for _, drop := range []string{"size", "revision", "marks", "dur", "started", "client"} {
		if w-fixed() >= 36 {
			break
		}
		cols = slices.DeleteFunc(cols, func(c homeColumn) bool { return c.name == drop })
	}
	flex := w - fixed()
	// Names are seldom longer than this; what is left tells more about the recording.
	if spare := flex - 84; spare > 0 {
		for i := range cols {
			if cols[i].name == "marks" {
				cols[i].width += spare
				flex -= spare
			}
		}
	}
	for i := range cols {
		switch cols[i].name {
		case "server":
			cols[i].width = flex
			if slices.ContainsFunc(cols, func(c homeColumn) bool { return c.name == "client" }) {
				cols[i].width = flex - flex*2/5
			}
		case "client":
			cols[i].width = flex * 2 / 5
		}
	}
	return cols
}

// stateBadge is the glyph, the word and the role of a recording's state.
func (m *model) stateBadge(state string, quiet bool) (glyph, word string, r role) {
	switch state {
	case "live":
		if quiet {
			return m.gl.waiting, "live", roleLive
		}
		return m.gl.live, "live", roleLive
	case "ended":
		return m.gl.ok, "ended", roleOK
	case "crashed":
		return m.gl.crashed, "crashed", roleError
	case "cut":
		return m.gl.cut, "cut", roleWarn
	}
	return m.gl.unknown, "unknown", roleMuted
}

func (h *home) line(l *listing, w int, cols []homeColumn) string {
	m := h.m
	p := &m.pen
	selected := l.path == h.cur
	base := roleText
	if selected {
		base = roleSelection
	}
	p.begin(w, base)
	switch {
	case selected:
		p.text(roleTitle, m.gl.cursor)
	case h.fresh[l.path]:
		p.text(roleStrong, "+")
	default:
		p.space(1)
	}
	if mark := h.letter(l.path); mark != "" {
		p.text(roleTitle, mark)
	} else {
		p.space(1)
	}
	for _, c := range cols {
		switch c.name {
		case "state":
			g, word, r := m.stateBadge(l.state, l.era == "" && l.revision == "")
			p.text(r, g+" ")
			p.cell(r, word, c.width-2)
		case "server":
			name := l.server.String()
			if name == "" {
				name = l.label
			} else if l.label != "" && l.label != l.server.name {
				name += " (" + l.label + ")"
			}
			switch {
			case name == "" && l.command != "":
				p.cell(roleMuted, "?  "+l.command, c.width) // of a start that failed it is what to look at
			case name == "":
				p.cell(roleMuted, "?  nothing negotiated", c.width)
			default:
				p.cell(roleStrong, name, c.width)
			}
		case "client":
			if l.client.name == "" {
				p.cell(roleMuted, "?", c.width)
			} else {
				p.cell(roleText, l.client.String(), c.width)
			}
		case "revision":
			p.cell(roleMuted, l.revision, c.width)
		case "started":
			p.cell(roleMuted, h.started(l.started), c.width)
		case "dur":
			p.right(roleText, timetext.Clock(l.duration), c.width)
		case "msgs":
			p.right(roleText, thousands(l.sent+l.received), c.width)
		case "size":
			p.right(roleMuted, sizeText(l.bytes), c.width)
		case "marks":
			h.marks(p, l, c.width)
		}
	}
	return p.end()
}

func (h *home) marks(p *pen, l *listing, width int) {
	var words []string
	r := roleMuted
	switch {
	case l.exitSignal != "":
		words = append(words, strings.TrimPrefix(l.exitSignal, "SIG"))
		r = roleWarn
	case l.exitCode != nil && *l.exitCode != 0:
		words = append(words, "exit "+itoa(*l.exitCode))
		r = roleWarn
	}
	if l.gaps > 0 {
		words = append(words, plural(l.gaps, "gap"))
		r = roleError
	}
	if l.demo {
		words = append(words, "demo")
	}
	if l.probe {
		words = append(words, "probe")
	}
	if l.thrown {
		words = append(words, "thrown away")
	}
	if l.segments > 1 {
		words = append(words, itoa(l.segments)+" segments")
	}
	p.cell(r, strings.Join(words, ", "), width)
}

// started writes the time of today, the date of other days.
func (h *home) started(t time.Time) string {
	if t.IsZero() {
		return "?"
	}
	t = t.Local()
	now := h.m.now().Local()
	switch {
	case t.YearDay() == now.YearDay() && t.Year() == now.Year():
		return t.Format("15:04:05")
	case now.Sub(t) < 300*24*time.Hour:
		return t.Format("02 Jan")
	}
	return t.Format("Jan 2006")
}

const doubleClick = 400 * time.Millisecond
