package schemaguard

import (
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"strings"
)

// pattern is a regular expression of ECMA 262, run by RE2.
type pattern struct {
	source  string
	program *regexp.Regexp
	size    int64 // instructions
}

var errPattern = errors.New("pattern cannot be run")

// compilePattern bounds the size of the program before it is built: repeats multiply.
func compilePattern(source string, limit int64) (*pattern, error) {
	p := &pattern{source: source}
	if int64(len(source)) > limit {
		return nil, errPattern
	}
	translated := translate(source)
	tree, err := syntax.Parse(translated, syntax.Perl)
	if err != nil {
		return nil, err
	}
	if p.size = programSize(tree); p.size > limit {
		return nil, errPattern
	}
	p.program, err = regexp.Compile(translated)
	return p, err
}

// programSize cannot overflow: the parser itself refuses repeats of more than 1000 in all.
func programSize(tree *syntax.Regexp) int64 {
	size := int64(1 + len(tree.Rune)/2)
	for _, sub := range tree.Sub {
		size += programSize(sub)
	}
	if tree.Op == syntax.OpRepeat {
		times := max(tree.Min, tree.Max, 1)
		size *= int64(times)
	}
	return size
}

// translate rewrites what ECMA 262 spells or means differently from RE2: \uXXXX and \u{X}, \cX, \s with
// Unicode's white space, the dot that stops at every line end, [] and [^], and \d, \w inside classes as they
// are. What RE2 lacks (look-around, back references) stays and is refused by its parser.
func translate(source string) string {
	const space = `\t\n\v\f\r \x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}\x{feff}`
	var b strings.Builder
	inClass := false
	for i := 0; i < len(source); i++ {
		c := source[i]
		switch {
		case c == '\\' && i+1 < len(source):
			i++
			switch e := source[i]; {
			case e == 'u' && len(hexRun(source[i+1:], 4)) == 4:
				b.WriteString(`\x{` + source[i+1:i+5] + `}`)
				i += 4
			case e == 'u' && strings.HasPrefix(source[i+1:], "{") && strings.IndexByte(source[i:], '}') > 2:
				end := strings.IndexByte(source[i:], '}')
				b.WriteString(`\x` + source[i+1:i+end+1])
				i += end
			case e == 'c' && i+1 < len(source) && isLetter(source[i+1]):
				i++
				fmt.Fprintf(&b, `\x%02x`, source[i]&0x1f)
			case e == 's' && inClass:
				b.WriteString(space)
			case e == 's':
				b.WriteString("[" + space + "]")
			case e == 'S' && !inClass:
				b.WriteString("[^" + space + "]")
			case e == '/':
				b.WriteByte('/')
			case e == '-':
				b.WriteString(`\-`)
			case e == '0' && (i+1 >= len(source) || source[i+1] < '0' || source[i+1] > '9'):
				b.WriteString(`\x00`)
			case e == 'Z' || e == 'A' || e == 'z' || e == 'Q' || e == 'C' || e == 'a':
				b.WriteByte(e) // anchors and escapes of RE2 that are plain letters in ECMA 262
			default:
				b.WriteByte('\\')
				b.WriteByte(e)
			}
		case c == '[' && inClass:
			b.WriteString(`\[`) // else [[:alpha:]] would be a class of POSIX
		case c == '[':
			switch rest := source[i+1:]; {
			case strings.HasPrefix(rest, "^]"):
				b.WriteString(`[\x00-\x{10ffff}]`)
				i += 2
			case strings.HasPrefix(rest, "]"):
				b.WriteString(`[^\x00-\x{10ffff}]`)
				i++
			default:
				inClass = true
				b.WriteByte('[')
				if strings.HasPrefix(rest, "^") {
					b.WriteByte('^')
					i++
				}
			}
		case c == ']' && inClass:
			inClass = false
			b.WriteByte(']')
		case c == '.' && !inClass:
			b.WriteString(`[^\n\r\x{2028}\x{2029}]`)
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

// hexRun returns the hexadecimal digits at the start of s, at most n.
func hexRun(s string, n int) string {
	i := 0
	for i < len(s) && i < n && strings.IndexByte("0123456789abcdefABCDEF", s[i]) >= 0 {
		i++
	}
	return s[:i]
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }
