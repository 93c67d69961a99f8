package tui

import (
	"strings"

	"github.com/shakescope/shakescope/internal/termtext"
)

// pen draws one line of a pane, exactly as wide as the pane: what does not fit is cut, what is
// missing is filled with blanks. Styles are ready-made SGR strings, one reset a change.
type pen struct {
	th    *theme
	gl    *glyphs
	buf   []byte
	left  int // cells still free
	base  string
	plain bool // draw everything in base alone
	cur   string
	open  bool
	hit   string // text that is highlighted wherever it is drawn
}

// begin starts a line of width cells. Base is the style under all of it, roleText for none.
func (p *pen) begin(width int, base role) {
	p.buf = p.buf[:0]
	p.left = max(width, 0)
	p.base = p.th.sgr[base]
	p.plain = base == roleSelection && !p.th.keepColours
	p.cur, p.open = "", false
}

// end fills the line and returns it.
func (p *pen) end() string {
	p.space(p.left)
	if p.open {
		p.buf = append(p.buf, "\x1b[m"...)
		p.open = false
	}
	return string(p.buf)
}

func (p *pen) style(r role) {
	s := p.base
	if own := p.th.sgr[r]; own != "" && !p.plain && r != roleText {
		if s != "" {
			s += ";"
		}
		s += own
	}
	if p.open && s == p.cur || !p.open && s == "" {
		return
	}
	if s == "" {
		p.buf = append(p.buf, "\x1b[m"...)
		p.open = false
	} else {
		p.buf = append(p.buf, "\x1b[0;"...)
		p.buf = append(p.buf, s...)
		p.buf = append(p.buf, 'm')
		p.open = true
	}
	p.cur = s
}

// space leaves n cells blank.
func (p *pen) space(n int) {
	n = min(n, p.left)
	if n <= 0 {
		return
	}
	p.style(roleText)
	for range n {
		p.buf = append(p.buf, ' ')
	}
	p.left -= n
}

// unspace takes back one blank that was just drawn, so that a mark can stand in its place.
func (p *pen) unspace() {
	p.left++
	p.buf = p.buf[:len(p.buf)-1]
}

// text draws s, cut where the line ends. Any string may be given: nothing but printable text is
// written. It returns the cells used.
func (p *pen) text(r role, s string) int { return p.cut(r, s, p.left) }

// segs draws one text after the other, as text does.
func (p *pen) segs(list []seg) {
	for _, sg := range list {
		p.text(sg.r, sg.text)
	}
}

// cut draws at most width cells of s and returns the cells used.
func (p *pen) cut(r role, s string, width int) int {
	width = min(width, p.left)
	if width <= 0 || s == "" {
		return 0
	}
	s, w := fit(s, width, p.gl.ellipsis)
	if w == 0 {
		return 0
	}
	if p.hit != "" {
		p.marked(r, s)
	} else {
		p.style(r)
		p.buf = append(p.buf, s...)
	}
	p.left -= w
	return w
}

// marked draws s, which is fit to be drawn, with the text that is searched for highlighted.
func (p *pen) marked(r role, s string) {
	for {
		i := indexFold(s, p.hit)
		if i < 0 {
			break
		}
		if i > 0 {
			p.style(r)
			p.buf = append(p.buf, s[:i]...)
		}
		p.style(roleMatch)
		if p.plain {
			p.buf = append(p.buf, "\x1b[0;1;4m"...) // legible on the ground of the selection
			p.cur, p.open = " ", true
		}
		p.buf = append(p.buf, s[i:i+len(p.hit)]...)
		s = s[i+len(p.hit):]
	}
	if s != "" {
		p.style(r)
		p.buf = append(p.buf, s...)
	}
}

// cell draws s into a column of exactly width cells, left aligned, and one blank after it.
func (p *pen) cell(r role, s string, width int) {
	width = min(width, p.left)
	p.space(width - p.cut(r, s, width) + 1)
}

// right draws s right aligned into a column of width cells, and one blank after it.
func (p *pen) right(r role, s string, width int) {
	width = min(width, p.left)
	if width <= 0 {
		return
	}
	s, w := fit(s, width, p.gl.ellipsis)
	p.space(width - w)
	p.cut(r, s, w)
	p.space(1)
}

// repeat draws the one-cell string s n times.
func (p *pen) repeat(r role, s string, n int) {
	n = min(n, p.left)
	if n <= 0 {
		return
	}
	p.style(r)
	for range n {
		p.buf = append(p.buf, s...)
	}
	p.left -= n
}

// fit makes s safe and at most width cells wide, and says how wide it is.
func fit(s string, width int, ellipsis string) (string, int) {
	if len(s) <= width && plain(s) {
		return s, len(s)
	}
	if len(s) > width && width > 0 && plain(s[:width]) && plain(s[width:width+1]) {
		if width == 1 {
			return ellipsis, 1
		}
		return s[:width-1] + ellipsis, width
	}
	s = termtext.Line(s, width)
	if ellipsis != termtext.Ellipsis {
		s = termtext.ASCII(s)
	}
	return s, termtext.Width(s)
}

// plain reports whether s is printable ASCII.
func plain(s string) bool {
	for i := range len(s) {
		if s[i] < 0x20 || s[i] > 0x7e {
			return false
		}
	}
	return true
}

// cells is the width of s, which must be our own words or clean.
func cells(s string) int {
	if plain(s) {
		return len(s)
	}
	return termtext.Width(s)
}

// reversed draws s with the role's colour as its ground.
func (p *pen) reversed(r role, s string) {
	was := p.base
	if own := p.th.sgr[r]; !p.plain {
		if own != "" {
			own += ";"
		}
		p.base = strings.TrimPrefix(was+";"+own+"7", ";")
	}
	p.cut(roleText, s, p.left)
	p.base = was
	// Two reverses do not add up, so what follows must set its style anew.
	p.cur += " "
}
