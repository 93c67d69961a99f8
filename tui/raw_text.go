package tui

import (
	"github.com/shakescope/shakescope/internal/termtext"
)

// rawMode is how the raw tab shows a message.
type rawMode uint8

const (
	rawTreeMode rawMode = iota
	rawTextMode         // its exact text, wrapped
	rawHexMode          // its bytes
)

// treeShown reports whether the tab shows a tree.
func (v *rawView) treeShown() bool { return v.mode == rawTreeMode && v.tree.ok() }

// hexRow is how many bytes a line shows.
func hexRow(width int) int {
	// offset 8+2, each byte 3 cells and one of text, a blank between
	switch {
	case width >= 10+32*4+2:
		return 32
	case width >= 10+16*4+2:
		return 16
	}
	return 8
}

// rawText shows data in one of the modes that are no tree. It holds a window of it only; count is the
// number of lines of all of it.
type rawText struct {
	data  []byte
	mode  rawMode
	width int
	// starts are the offsets of the wrapped lines, as far as they were needed; complete when whole.
	starts []int
	whole  bool
}

// textAhead is how many wrapped lines are laid out beyond the one asked for.
const textAhead = 512

func (t *rawText) set(data []byte, mode rawMode, width int) {
	if len(data) == len(t.data) && mode == t.mode && width == t.width && (len(data) == 0 || &data[0] == &t.data[0]) {
		return
	}
	*t = rawText{data: data, mode: mode, width: width, starts: []int{0}}
}

// layout finds the starts of the lines up to the n-th.
func (t *rawText) layout(n int) {
	for !t.whole && len(t.starts) <= n+textAhead {
		at := t.starts[len(t.starts)-1]
		next := at + t.take(at)
		if next >= len(t.data) {
			t.whole = true
			return
		}
		t.starts = append(t.starts, next)
	}
}

// take is how many bytes the wrapped line at an offset holds.
func (t *rawText) take(at int) int {
	width := max(t.width, 1)
	rest := t.data[at:min(len(t.data), at+width*4)]
	if len(rest) <= width && plain(string(rest)) {
		return max(len(rest), 1)
	}
	n, used := 0, 0
	for n < len(rest) {
		size := runeLen(rest[n:])
		w := termtext.Width(termtext.Clean(string(rest[n : n+size])))
		if used+w > width && n > 0 {
			break
		}
		used += w
		n += size
		if rest[n-size] == '\n' {
			break
		}
	}
	return max(n, 1)
}

// runeLen is the length of the character that b begins with; of a byte that begins none it is 1.
func runeLen(b []byte) int {
	n := 1
	if b[0] >= 0xc0 {
		for n < len(b) && n < 4 && b[n]&0xc0 == 0x80 {
			n++
		}
	}
	return n
}

// count is the number of lines; of text that is not laid out to its end an estimate, never too small.
func (t *rawText) count() int {
	if t.mode == rawHexMode {
		row := hexRow(t.width)
		return (len(t.data) + row - 1) / row
	}
	if t.whole {
		return len(t.starts)
	}
	last := t.starts[len(t.starts)-1]
	return len(t.starts) + (len(t.data)-last)/max(t.width, 1) + 1
}

// line draws the n-th line.
func (t *rawText) line(p *pen, n int) {
	if t.mode == rawHexMode {
		t.hex(p, n)
		return
	}
	t.layout(n)
	if n >= len(t.starts) {
		return
	}
	end := len(t.data)
	if n+1 < len(t.starts) {
		end = t.starts[n+1]
	}
	p.text(roleText, string(t.data[t.starts[n]:end]))
}

// hex draws offset, bytes and text.
func (t *rawText) hex(p *pen, n int) {
	const digits = "0123456789abcdef"
	row := hexRow(t.width)
	at := n * row
	if at >= len(t.data) {
		return
	}
	part := t.data[at:min(len(t.data), at+row)]
	var off [8]byte
	for k := range off {
		off[k] = digits[at>>(4*(7-k))&15]
	}
	p.text(roleMuted, string(off[:])+"  ")
	buf := make([]byte, 0, row*3)
	for k := range row {
		if k < len(part) {
			buf = append(buf, digits[part[k]>>4], digits[part[k]&15], ' ')
		} else {
			buf = append(buf, "   "...)
		}
	}
	p.text(roleText, string(buf))
	p.space(1)
	for k, c := range part {
		buf[k] = '.'
		if c >= 0x20 && c < 0x7f {
			buf[k] = c
		}
	}
	p.text(roleString, string(buf[:len(part)]))
}
