package tui

import (
	"slices"
	"strconv"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/shakescope/shakescope/internal/timetext"
)

// askCommand opens the palette: commands by name, completed by tab.
func (m *model) askCommand() tea.Cmd {
	m.prompt = &prompt{label: ":", history: m.commands, complete: m.commandsFor, done: func(m *model, text string) tea.Cmd {
		m.commands = remember(m.commands, text)
		return m.command(text)
	}}
	if !m.home.loaded {
		return m.candidates(0) // for :diff
	}
	return nil
}

// ownCommands are those that are no actions of the key table.
var ownCommands = []string{"diff ", "quit", "help", "ascii", "ascii off", "filter ", "search ", "speed ", "theme "}

// commandsFor lists the commands that begin with, then those that hold what was typed.
func (m *model) commandsFor(typed string) []string {
	var all []string
	add := func(s string) {
		if !slices.Contains(all, s) {
			all = append(all, s)
		}
	}
	for _, c := range ownCommands {
		add(c)
	}
	for _, t := range themeNames() {
		add("theme " + t)
	}
	if m.rec != nil {
		for _, spec := range screens() {
			add(spec.title)
		}
	}
	for _, b := range m.keys.valid(m.places()) {
		if !strings.HasPrefix(string(b.act), string(actScreen)+"-") && b.act != actCommand {
			add(string(b.act))
		}
	}
	if strings.HasPrefix(typed, "diff ") {
		all = m.diffTargets()
	}
	var begin, hold []string
	for _, c := range all {
		switch {
		case strings.HasPrefix(c, typed):
			begin = append(begin, c)
		case strings.Contains(c, typed):
			hold = append(hold, c)
		}
	}
	if typed == "" {
		slices.Sort(begin)
	}
	return append(begin, hold...)
}

// command runs what was typed after the colon.
func (m *model) command(line string) tea.Cmd {
	word, rest, _ := strings.Cut(line, " ")
	rest = strings.TrimSpace(rest)
	switch word {
	case "":
		return nil
	case "q", "quit":
		return tea.Quit
	case "help":
		m.help = newHelp(m)
		return nil
	case "theme":
		if !validTheme(rest) {
			return m.complain("themes: " + strings.Join(themeNames(), ", "))
		}
		m.th = themeFor(rest)
		return m.say("theme " + rest)
	case "ascii":
		if m.gl = asciiGlyphs(); rest == "off" {
			m.gl = unicodeGlyphs()
		}
		if m.rec != nil {
			return m.rec.resized()
		}
		return nil
	case "diff":
		return m.diffCommand(rest)
	case "speed":
		x, err := strconv.ParseFloat(rest, 64)
		if err != nil || m.rec == nil || x <= 0 {
			return m.complain("speed is a number above 0, such as :speed 4")
		}
		m.rec.replay.setSpeed(x)
		return m.rec.plan()
	}
	if m.rec != nil {
		if cmd, ok := m.rec.command(word, rest); ok {
			return cmd
		}
	}
	for _, b := range m.keys.valid(m.places()) {
		if string(b.act) == line {
			return m.act(b.act)
		}
	}
	return m.complain("no command " + strconv.Quote(word) + "; tab lists them")
}

// command runs a command that is about a recording.
func (s *session) command(word, rest string) (tea.Cmd, bool) {
	for _, spec := range screens() {
		if spec.title == word {
			return s.show(spec.key), true
		}
	}
	switch word {
	case "filter":
		s.history = remember(s.history, rest)
		return s.apply(rest, s.view.chips, false), true
	case "search":
		return s.searchFor(rest), true
	}
	if n, err := strconv.ParseInt(strings.TrimPrefix(word, "#"), 10, 64); err == nil && !strings.HasPrefix(word, "+") {
		return s.goToSeq(n), true
	}
	if t, ok := strings.CutPrefix(word, "+"); ok {
		if _, err := strconv.ParseFloat(t, 64); err == nil {
			t += "s"
		}
		if d, err := time.ParseDuration(t); err == nil {
			return s.goToTime(d), true
		}
	}
	return nil, false
}

// goToSeq selects the record of a number, or the next one there is.
func (s *session) goToSeq(n int64) tea.Cmd {
	i := s.rows.firstFrom(n)
	if i >= s.limit() {
		return s.m.complain("#" + itoa(n) + " is beyond the end")
	}
	return s.goTo(i)
}

// goToTime selects the first entry at or after a time; in a replay it moves the playhead.
func (s *session) goToTime(t time.Duration) tea.Cmd {
	if s.replay.on {
		s.follow = true
		return s.seekTo(t)
	}
	i := s.rows.firstAfter(t)
	if i >= s.limit() {
		return s.m.complain("+" + timetext.Rough(t) + " is beyond the end")
	}
	return s.goTo(i)
}
