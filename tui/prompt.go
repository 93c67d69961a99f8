package tui

import (
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"
)

// prompt is the one-line input in the status line.
type prompt struct {
	label string
	text  string
}

const promptMax = 4096

func (q *prompt) insert(s string) {
	s = strings.Map(func(r rune) rune {
		if r < 0x20 || r == 0x7f || r == utf8.RuneError {
			return -1
		}
		return r
	}, s)
	if len(q.text)+len(s) <= promptMax {
		q.text += s
	}
}

func (q *prompt) key(m *model, key string) tea.Cmd {
	switch key {
	case "esc", "ctrl+g":
		m.prompt = nil
	case "enter":
		m.prompt = nil
		return m.command(strings.TrimSpace(q.text))
	case "backspace":
		if q.text == "" {
			m.prompt = nil
			return nil
		}
		_, n := utf8.DecodeLastRuneInString(q.text)
		q.text = q.text[:len(q.text)-n]
	case "ctrl+u":
		q.text = ""
	case "space":
		q.insert(" ")
	default:
		if utf8.RuneCountInString(key) == 1 {
			q.insert(key)
		}
	}
	return nil
}

func (q *prompt) draw(p *pen) {
	p.text(roleHintKey, q.label)
	p.text(roleText, q.text)
	p.reversed(roleText, " ")
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
	case "speed":
		x, err := strconv.ParseFloat(rest, 64)
		if err != nil || m.rec == nil || x <= 0 {
			return m.complain("speed is a number above 0, such as :speed 4")
		}
		m.rec.replay.setSpeed(x)
		return m.rec.plan()
	}
	if m.rec != nil {
		for _, spec := range screens() {
			if spec.title == word {
				return m.rec.show(spec.key)
			}
		}
		if n, err := strconv.ParseInt(strings.TrimPrefix(word, "#"), 10, 64); err == nil && !strings.HasPrefix(word, "+") {
			return m.rec.goToSeq(n)
		}
		if t, ok := strings.CutPrefix(word, "+"); ok {
			if _, err := strconv.ParseFloat(t, 64); err == nil {
				t += "s"
			}
			if d, err := time.ParseDuration(t); err == nil {
				return m.rec.goToTime(d)
			}
		}
	}
	return m.complain("no command " + strconv.Quote(word) + "; known: 123, +90s, theme NAME, ascii, speed N, quit, and the names of screens")
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
		return s.m.complain("+" + spoken(t) + " is beyond the end")
	}
	return s.goTo(i)
}
