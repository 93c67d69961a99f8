package tui

import tea "charm.land/bubbletea/v2"

// The third strip shows another screen under list and detail pane, where the terminal is large: the
// same screen as on its own key, with the place that it has there. tab gives it the keys.

const (
	stripRows   = 10 // its title included
	stripWidth  = 200
	stripHeight = 60 // of the terminal
)

// strips are the keys of the screens that T goes through; "" is none.
var strips = [...]string{"", "3", "4"}

// stripped parts the strip, if there is to be one, from the body.
func (s *session) stripped(b rect) (rest, strip rect) {
	if s.strip == 0 || !s.cur.detail || s.zoomed || s.m.w < stripWidth || s.m.h < stripHeight {
		return b, rect{}
	}
	b.h -= stripRows
	return b, rect{b.x, b.y + b.h, b.w, stripRows}
}

func (s *session) stripSpec() screenSpec {
	for _, spec := range screens() {
		if spec.key == strips[s.strip] {
			return spec
		}
	}
	return screenSpec{}
}

// stripScreen is the screen in the strip, nil where none is in view.
func (s *session) stripScreen() screen {
	if s.stripRect.h == 0 {
		return nil
	}
	return s.made(s.stripSpec())
}

// cursorRole is how the cursor of a screen is drawn that may stand in the strip.
func (s *session) cursorRole(key string) role {
	if s.cur.key != key && !s.stripFocused() {
		return roleFaintSelection
	}
	return roleSelection
}

func (s *session) turnStrip() tea.Cmd {
	if s.m.w < stripWidth || s.m.h < stripHeight {
		return s.m.say("the third strip needs " + itoa(stripWidth) + "x" + itoa(stripHeight) + " (have " + itoa(s.m.w) + "x" + itoa(s.m.h) + ")")
	}
	s.focusStrip = false
	s.strip, s.stripSel = (s.strip+1)%len(strips), none
	name := "off"
	if s.strip > 0 {
		name = s.stripSpec().title
	}
	return tea.Batch(s.resized(), s.m.say("third strip: "+name))
}

func (s *session) drawStrip() []string {
	p, r, sc := &s.m.pen, s.stripRect, s.stripScreen()
	if o, ok := sc.(opener); ok && s.stripSel != s.sel {
		o.opened(s) // it goes along with the selection; what is drawn here needs no command
		s.stripSel = s.sel
	}
	p.begin(r.w, roleText)
	edge, title := roleBorder, " "+s.stripSpec().title+" "
	if s.stripFocused() {
		edge = roleTitle
	}
	p.repeat(edge, s.m.gl.rule, 2)
	if s.stripFocused() {
		p.reversed(roleTitle, title)
	} else {
		p.text(roleTitle, title)
	}
	p.repeat(edge, s.m.gl.rule, p.left)
	head := p.end()
	r.y, r.h = r.y+1, r.h-1
	return append([]string{head}, fill(sc.draw(s, r), r, p)...)
}

func (s *session) clickStrip(x, y int) tea.Cmd {
	line := y - s.stripRect.y - 1
	if line < 0 {
		return s.show(strips[s.strip])
	}
	s.focusDetail, s.focusStrip = false, true
	again := y == s.clickedAt && s.m.now().Sub(s.lastClick) < doubleClick
	s.lastClick, s.clickedAt = s.m.now(), y
	return s.stripScreen().click(s, x-s.stripRect.x, line, again)
}
