package tui

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// input is a line of text that is being typed.
type input struct {
	text string
	cur  int // byte offset of the cursor
	at   int // place in the history while one goes through it, from its end; 0: the own text
	own  string
	most int // bytes; 0: inputMax
}

const inputMax = 4096

func newInput(text string) input { return input{text: text, cur: len(text)} }

func (in *input) set(text string) { in.text, in.cur = text, len(text) }

// insert puts text at the cursor, without what is no text.
func (in *input) insert(s string) {
	s = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == utf8.RuneError || unicode.Is(unicode.Cf, r) {
			return -1
		}
		return r
	}, s)
	if len(in.text)+len(s) > max(in.most, inputMax) {
		return
	}
	in.text = in.text[:in.cur] + s + in.text[in.cur:]
	in.cur += len(s)
}

// before is the border of the grapheme cluster left of the cursor.
func (in *input) before() int {
	last := 0
	for rest := in.text[:in.cur]; rest != ""; {
		cluster, _ := ansi.FirstGraphemeCluster(rest, ansi.GraphemeWidth)
		if len(cluster) == 0 || len(cluster) == len(rest) {
			break
		}
		last += len(cluster)
		rest = rest[len(cluster):]
	}
	return last
}

func (in *input) after() int {
	cluster, _ := ansi.FirstGraphemeCluster(in.text[in.cur:], ansi.GraphemeWidth)
	return in.cur + len(cluster)
}

func (in *input) wordStart() int {
	i := len(strings.TrimRight(in.text[:in.cur], " "))
	return strings.LastIndexByte(in.text[:i], ' ') + 1
}

// key does what a key does to a line of text. It reports whether the text may have changed.
func (in *input) key(key string, history []string) bool {
	switch key {
	case "left", "ctrl+b":
		in.cur = in.before()
	case "right":
		in.cur = in.after()
	case "home", "ctrl+a":
		in.cur = 0
	case "end", "ctrl+e":
		in.cur = len(in.text)
	case "backspace":
		i := in.before()
		if in.cur == 0 {
			return false
		}
		in.text, in.cur = in.text[:i]+in.text[in.cur:], i
		return true
	case "delete", "ctrl+d":
		in.text = in.text[:in.cur] + in.text[in.after():]
		return true
	case "ctrl+u":
		in.text, in.cur = in.text[in.cur:], 0
		return true
	case "ctrl+k":
		in.text = in.text[:in.cur]
		return true
	case "ctrl+w":
		i := in.wordStart()
		in.text, in.cur = in.text[:i]+in.text[in.cur:], i
		return true
	case "up", "ctrl+p":
		return in.recall(history, 1)
	case "down", "ctrl+n":
		return in.recall(history, -1)
	case "space":
		in.insert(" ")
		return true
	default:
		if r, n := utf8.DecodeRuneInString(key); n == len(key) && n > 0 && unicode.IsPrint(r) {
			in.insert(key)
			return true
		}
	}
	return false
}

// recall goes through the history, the newest last.
func (in *input) recall(history []string, by int) bool {
	at := max(0, min(in.at+by, len(history)))
	if at == in.at {
		return false
	}
	if in.at == 0 {
		in.own = in.text
	}
	if in.at = at; at == 0 {
		in.set(in.own)
	} else {
		in.set(history[len(history)-at])
	}
	return true
}

// draw shows the part of the text that has the cursor in it, at most width cells wide. The bytes from
// fault to faultEnd are drawn as being wrong. It returns the cell of the fault, none where it is out
// of sight.
func (in *input) draw(p *pen, width, fault, faultEnd int) int {
	// What is far from the cursor is out of sight, whatever it is made of.
	from := clusterStart(in.text, in.cur-16*max(width, 1))
	for cells(shorn(in.text[from:in.cur])) > max(width-2, 0) {
		_, n := utf8.DecodeRuneInString(in.text[from:])
		from += n
	}
	start, at := p.left, none
	write := func(a, b int) {
		for a < b {
			end := b
			wrong := fault >= 0 && a >= fault && a < max(faultEnd, fault+1)
			switch {
			case fault >= 0 && a < fault:
				end = min(b, fault)
			case wrong:
				end = min(b, max(faultEnd, fault+1))
			}
			ro := roleText
			if wrong {
				ro = roleError
			}
			if a == fault {
				at = start - p.left
			}
			p.cut(ro, shorn(in.text[a:end]), width-(start-p.left))
			a = end
		}
	}
	write(from, in.cur)
	next := in.after()
	if at == none && fault == in.cur {
		at = start - p.left
	}
	if start-p.left < width {
		under := shorn(in.text[in.cur:next])
		if under == "" || cells(under) == 0 {
			under = " "
		}
		p.reversed(roleText, under)
	}
	write(next, clusterStart(in.text, next+16*max(width, 1)))
	return at
}

// shorn is text as the pen draws it.
func shorn(s string) string {
	if plain(s) {
		return s
	}
	s, _ = fit(s, 4*len(s)+1, "")
	return s
}

// remember puts text at the end of a history.
func remember(history []string, text string) []string {
	if text == "" {
		return history
	}
	out := make([]string, 0, len(history)+1)
	for _, h := range history {
		if h != text {
			out = append(out, h)
		}
	}
	out = append(out, text)
	return out[max(0, len(out)-historyMax):]
}

const historyMax = 100

// clusterStart is the nearest place at or before byte i, kept inside of text, where a character begins.
func clusterStart(text string, i int) int {
	i = max(0, min(i, len(text)))
	for i > 0 && i < len(text) && !utf8.RuneStart(text[i]) {
		i--
	}
	return i
}
