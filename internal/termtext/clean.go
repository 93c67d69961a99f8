package termtext

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	tabCells = 4
	// maxExtend is how many marks and joiners one character may carry. Tibetan and emoji families
	// need fewer; text that piles up more of them draws over the rows above and below.
	maxExtend = 16
)

// Clean returns s as one line that is safe to write to a terminal, as the package comment says. It
// returns s itself, without allocating, when nothing needs to change. Clean text stays as it is when
// it is cleaned again.
func Clean(s string) string {
	if printable(s) {
		return s
	}
	c := cleaner{src: s}
	c.run(false)
	if !c.changed {
		return s
	}
	return c.out.String()
}

// Unsafe reports whether s holds anything that [Clean] takes out because it could mislead people or
// drive the terminal. Tabs and line ends alone do not count.
func Unsafe(s string) bool {
	if printable(s) {
		return false
	}
	c := cleaner{src: s}
	c.run(true)
	return c.unsafe
}

// printable reports whether s is printable ASCII only, which most text is.
func printable(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] < ' ' || s[i] > '~' {
			return false
		}
	}
	return true
}

// cleaner walks once over a text. It copies nothing until something has to change.
type cleaner struct {
	src     string
	out     strings.Builder
	changed bool
	copied  int // how much of src is in out, once changed
	unsafe  bool

	prev    rune // the last character that was kept as it is; 0 at the start and after a replacement
	extend  int  // marks and joiners since the last character that stands on its own
	dropped int  // how many were beyond maxExtend
	at      int  // where the dropped ones begin
}

// run walks over the text; with onlyJudge it stops as soon as it is known to be unsafe.
func (c *cleaner) run(onlyJudge bool) {
	s := c.src
	for i := 0; i < len(s); {
		if c.unsafe && onlyJudge {
			return
		}
		b := s[i]
		if ' ' <= b && b <= '~' {
			c.flush(i)
			c.prev, c.extend = rune(b), 0
			i++
			continue
		}
		r, n := rune(b), 1
		if b >= utf8.RuneSelf {
			r, n = utf8.DecodeRuneInString(s[i:])
		}
		if ordinary(r) {
			c.flush(i)
			c.prev, c.extend = r, 0
			i += n
			continue
		}
		if c.extends(r) && c.prev != 0 {
			if c.extend++; c.extend > maxExtend {
				if c.dropped == 0 {
					c.at = i
				}
				c.dropped++
				i += n
				continue
			}
		} else {
			c.flush(i)
			if c.prev != '\u200d' {
				c.extend = 0
			}
		}
		n = c.one(i, r, n)
		i += n
	}
	c.flush(len(s))
	if c.changed {
		c.out.WriteString(s[c.copied:])
	}
}

// ordinary reports whether r is one of the letters that most text beyond ASCII is made of: they need
// no look into the tables.
func ordinary(r rune) bool {
	return r >= 0xA1 && r <= 0x2FF && r != 0xAD || r >= 0x388 && r <= 0x481 || r >= 0x3041 && r <= 0x3096 ||
		r >= 0x30A1 && r <= 0x30FA || r >= 0x4E00 && r <= 0x9FFF || r >= 0xAC00 && r <= 0xD7A3
}

// extends reports whether r is drawn onto the character before it.
func (c *cleaner) extends(r rune) bool {
	skinTone := r >= 0x1F3FB && r <= 0x1F3FF
	return r >= 0x300 && (r == '\u200d' || r == '\u200c' || skinTone || isMark(r) || unicode.Is(unicode.Variation_Selector, r))
}

func isMark(r rune) bool { return unicode.In(r, unicode.Mn, unicode.Me, unicode.Mc) }

// flush shows how many marks were dropped, before what stands at i.
func (c *cleaner) flush(i int) {
	if c.dropped == 0 {
		return
	}
	c.replace(c.at, i-c.at, fmt.Sprintf("<+%d>", c.dropped), true)
	c.dropped = 0
}

// one handles the character r of n bytes at i, and returns how many bytes it took.
func (c *cleaner) one(i int, r rune, n int) int {
	rest := c.src[i+n:]
	switch {
	case r == '\n' || r == '\u0085' || r == '\u2028' || r == '\u2029':
		c.replace(i, n, "↵", r == '\u0085')
	case r == '\r' && strings.HasPrefix(rest, "\n"):
		n++
		c.replace(i, n, "↵", false)
	case r == '\r':
		c.replace(i, n, "␍", true) // alone it would go back to the start of the row
	case r == '\t':
		c.replace(i, n, strings.Repeat(" ", tabCells), false)
	case r < ' ':
		c.replace(i, n, string('␀'+r), true)
	case r == 0x7F:
		c.replace(i, n, "␡", true)
	case r == utf8.RuneError && n == 1:
		c.replace(i, n, fmt.Sprintf("<%02X>", c.src[i]), true)
	case r == '\U0001F3F4':
		n += tagSequence(rest)
		c.prev = r
	case r == '\u200d' || r == '\u200c':
		next, _ := utf8.DecodeRuneInString(rest)
		if !joins(c.prev, r, next) {
			c.replace(i, n, codePoint(r), true)
			break
		}
		c.prev = r
	case unicode.Is(unicode.Variation_Selector, r):
		if !selects(c.prev, r) {
			c.replace(i, n, codePoint(r), true)
			break
		}
		c.prev = r
	case invisible(r):
		c.replace(i, n, codePoint(r), true)
	case isMark(r) && (c.prev == 0 || c.prev == ' '):
		c.replace(i, 0, "◌", true)
		c.prev = r
	default:
		c.prev = r
	}
	return n
}

// replace puts text in place of the n bytes at i.
func (c *cleaner) replace(i, n int, text string, unsafe bool) {
	c.changed = true
	c.unsafe = c.unsafe || unsafe
	c.out.WriteString(c.src[c.copied:i])
	c.out.WriteString(text)
	c.copied = i + n
	c.prev, c.extend = 0, 0
}

func codePoint(r rune) string { return fmt.Sprintf("<U+%04X>", r) }

// invisible reports whether r shows nothing, or changes how its surroundings are shown.
func invisible(r rune) bool {
	switch {
	case r < 0x80:
		return false
	case r <= 0x9F:
		return true
	case unicode.Is(unicode.Cf, r):
		// Arabic and other signs that enclose digits are format characters, but visible ones.
		return !unicode.Is(unicode.Prepended_Concatenation_Mark, r)
	}
	return unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Noncharacter_Code_Point, unicode.Zl, unicode.Zp)
}

// joins reports whether a joiner between two characters is part of how they are written: between
// the parts of an emoji, or between letters of scripts that use it.
func joins(before, joiner, after rune) bool {
	if joiner == '\u200d' && pictograph(after) && (pictograph(before) || before == '\ufe0f') {
		return true
	}
	script := func(r rune) bool {
		return unicode.In(r, unicode.Arabic, unicode.Syriac, unicode.Mongolian, unicode.Nko, unicode.Mandaic,
			unicode.Devanagari, unicode.Bengali, unicode.Gurmukhi, unicode.Gujarati, unicode.Oriya, unicode.Tamil,
			unicode.Telugu, unicode.Kannada, unicode.Malayalam, unicode.Sinhala, unicode.Khmer, unicode.Myanmar,
			unicode.Tibetan, unicode.Balinese, unicode.Javanese)
	}
	// A virama before a joiner may end a word.
	return script(before) && (script(after) || isMark(before))
}

// pictograph reports whether r may be part of an emoji, skin tones included.
func pictograph(r rune) bool {
	return r >= 0x1F000 && r <= 0x1FAFF || r >= 0x2190 && r <= 0x2BFF || r == 0x3030 || r == 0x303D || r == 0x3297 || r == 0x3299 || r == 0xA9 || r == 0xAE
}

// selects reports whether the variation selector r can apply to the character before it.
func selects(before, r rune) bool {
	switch {
	case r == '\ufe0f' || r == '\ufe0e':
		return pictograph(before) || '0' <= before && before <= '9' || before == '#' || before == '*' || before == '\u203c' || before == '\u2049' || before == '\u2122' || before == '\u2139'
	case r >= 0xE0100 || r >= 0xFE00 && r <= 0xFE02:
		return unicode.Is(unicode.Han, before)
	case r >= 0x180B && r <= 0x180F:
		return unicode.Is(unicode.Mongolian, before)
	}
	return false
}

// tagSequence returns the length of the tags of a regional flag (England, Scotland, …) at the start
// of s, 0 when it does not begin with a whole one. Tags anywhere else are hidden text.
func tagSequence(s string) int {
	count := 0
	for i, r := range s {
		switch {
		case r == 0xE007F && count > 0:
			return i + utf8.RuneLen(r)
		case count < 6 && (r >= 0xE0030 && r <= 0xE0039 || r >= 0xE0061 && r <= 0xE007A):
			count++
		default:
			return 0
		}
	}
	return 0
}
