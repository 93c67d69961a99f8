package filter

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// parser reads an expression. What a character means depends on where it stands (a slash begins a
// pattern before a test and is part of a value behind ==), so that the parser asks for the token it
// can use next instead of being given them.
type parser struct {
	src   string
	pos   int
	depth int // of parentheses and negations
	pairs int // of pair(…)
	// want is what may stand at the end of src, for completion.
	want expected
}

// maxDepth bounds the nesting of parentheses and negations, maxPairs that of pair(…): each level of it
// doubles the work.
const (
	maxDepth = 200
	maxPairs = 4
)

// literal is a value as it was written.
type literal struct {
	text    string
	at, len int
	quoted  bool
	pattern bool // between slashes
}

// open reports whether an asterisk in the literal stands for any text.
func (l literal) open() bool { return !l.quoted && strings.Contains(l.text, "*") }

// source returns how the literal was written.
func (l literal) source(p *parser) string { return p.src[l.at : l.at+l.len] }

func (p *parser) end() bool { return p.pos >= len(p.src) }

func (p *parser) at(s string) bool { return strings.HasPrefix(p.src[p.pos:], s) }

func (p *parser) space() {
	for !p.end() {
		r, n := utf8.DecodeRuneInString(p.src[p.pos:])
		if !unicode.IsSpace(r) {
			return
		}
		p.pos += n
	}
}

// keyword reports whether a word stands here, in any case, with nothing of a word behind it.
func (p *parser) keyword(word string) bool {
	rest := p.src[p.pos:]
	if len(rest) < len(word) || !strings.EqualFold(rest[:len(word)], word) {
		return false
	}
	if len(rest) == len(word) {
		return true
	}
	r, _ := utf8.DecodeRuneInString(rest[len(word):])
	return unicode.IsSpace(r) || strings.ContainsRune(`(){}"'/`, r)
}

// stops reports whether no word goes on here.
func (p *parser) stops() bool {
	if p.end() {
		return true
	}
	switch c := p.src[p.pos]; {
	case strings.IndexByte("(){},", c) >= 0:
		return true
	case c == '&' || c == '|':
		return p.at("&&") || p.at("||")
	case c >= utf8.RuneSelf || c <= ' ':
		r, _ := utf8.DecodeRuneInString(p.src[p.pos:])
		return unicode.IsSpace(r)
	}
	return false
}

// name reads what stands at the beginning of a test: the name of a field, a path, or a bare word. It
// stops before an operator, and before a colon if what came before can be a name.
func (p *parser) name() string {
	start := p.pos
	for !p.stops() {
		switch c := p.src[p.pos]; c {
		case '=', '<', '>', '~':
			return p.src[start:p.pos]
		case '!':
			if p.at("!=") {
				return p.src[start:p.pos]
			}
		case ':':
			if isName(strings.TrimPrefix(p.src[start:p.pos], "-")) && !p.at("://") {
				return p.src[start:p.pos]
			}
		case '[':
			if isPath(strings.TrimPrefix(p.src[start:p.pos], "-")) {
				p.brackets()
				continue
			}
		}
		p.pos++
	}
	return p.src[start:p.pos]
}

// brackets reads one step of a path, [0], [*] or ["key"]. What is wrong with it parsePath says.
func (p *parser) brackets() {
	p.pos++
	if !p.end() && p.src[p.pos] == '"' {
		for p.pos++; !p.end() && p.src[p.pos] != '"'; p.pos++ {
			if p.src[p.pos] == '\\' {
				p.pos++
			}
		}
	}
	for p.pos = min(p.pos, len(p.src)); !p.end(); p.pos++ {
		if p.src[p.pos] == ']' {
			p.pos++
			return
		}
	}
}

// isName reports whether s can be the name of a field, or a path.
func isName(s string) bool {
	if isPath(s) {
		return true
	}
	for i, c := range []byte(s) {
		letter := 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '_'
		if !letter && (i == 0 || c != '.' && c != '-' && (c < '0' || c > '9')) {
			return false
		}
	}
	return s != ""
}

// isPath reports whether s begins like a path into the payload.
func isPath(s string) bool {
	for _, root := range paths {
		if rest, ok := strings.CutPrefix(s, root); ok && (rest == "" || rest[0] == '.' || rest[0] == '[') {
			return true
		}
	}
	return false
}

// value reads a value; pattern says whether a slash begins one.
func (p *parser) value(pattern bool) (literal, *SyntaxError) {
	if !p.end() {
		switch c := p.src[p.pos]; {
		case c == '"' || c == '\'':
			return p.quoted()
		case c == '/' && pattern:
			return p.pattern()
		}
	}
	l := literal{at: p.pos}
	for !p.stops() {
		p.pos++
	}
	l.len = p.pos - l.at
	l.text = p.src[l.at:p.pos]
	return l, nil
}

// quoted reads a text in quotes. Escapes are those of Go and JSON.
func (p *parser) quoted() (literal, *SyntaxError) {
	l := literal{at: p.pos, quoted: true}
	quote := p.src[p.pos]
	p.pos++
	var b strings.Builder
	for {
		rest := p.src[p.pos:]
		if rest == "" {
			return l, p.fault(l.at, len(p.src)-l.at, "the text has no closing %c", quote)
		}
		if rest[0] == quote {
			p.pos++
			break
		}
		if rest[0] != '\\' {
			b.WriteByte(rest[0])
			p.pos++
			continue
		}
		if strings.HasPrefix(rest, `\/`) || strings.HasPrefix(rest, `\'`) || strings.HasPrefix(rest, `\"`) {
			b.WriteByte(rest[1])
			p.pos += 2
			continue
		}
		r, multibyte, tail, err := strconv.UnquoteChar(rest, 0)
		if err != nil {
			if rest == `\` {
				return l, p.fault(l.at, len(p.src)-l.at, "the text has no closing %c", quote)
			}
			_, n := utf8.DecodeRuneInString(rest[1:])
			return l, p.fault(p.pos, 1+n, "unknown escape `%s`", rest[:1+n]).hint(`a backslash itself is \\`)
		}
		if multibyte {
			b.WriteRune(r)
		} else {
			b.WriteByte(byte(r))
		}
		p.pos = len(p.src) - len(tail)
	}
	l.text, l.len = b.String(), p.pos-l.at
	return l, nil
}

// pattern reads /…/, or /…/i for any case. A slash inside is \/.
func (p *parser) pattern() (literal, *SyntaxError) {
	l := literal{at: p.pos, pattern: true}
	i := closingSlash(p.src[p.pos+1:])
	if i < 0 {
		p.pos = len(p.src)
		return l, p.fault(l.at, len(p.src)-l.at, "the pattern has no closing /").hint("quote text that begins with a slash")
	}
	l.text = p.src[p.pos+1 : p.pos+1+i]
	p.pos += i + 2
	if p.at("i") {
		p.pos++
		l.text = "(?i)" + l.text
	}
	l.len = p.pos - l.at
	if !p.stops() {
		return l, p.fault(l.at, l.len, "something stands behind the pattern").hint("quote text that holds slashes")
	}
	return l, nil
}

// closingSlash finds the slash that ends a pattern, -1 if there is none.
func closingSlash(s string) int {
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '/':
			return i
		}
	}
	return -1
}

// patternText writes a pattern so that it reads as the same.
func patternText(pattern string) string {
	s := pattern
	flag := "/"
	if rest, ok := strings.CutPrefix(s, "(?i)"); ok && rest != "" {
		s, flag = rest, "/i"
	}
	if closingSlash(s+"/") != len(s) || !plain(s) {
		return quote(pattern)
	}
	return "/" + s + flag
}

// quote writes text so that it reads as the same.
func quote(s string) string { return strconv.Quote(s) }

// plain reports whether all of s can stand in an expression as it is.
func plain(s string) bool {
	for _, r := range s {
		if r == utf8.RuneError || !strconv.IsPrint(r) {
			return false
		}
	}
	return s != ""
}
