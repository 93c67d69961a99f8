package cli

import (
	"os"
	"strconv"
	"strings"

	"github.com/charmbracelet/x/term"
)

// isTerminal reports whether f is a terminal. It asks the kernel, never the terminal: a query would
// be answered into somebody's input.
func isTerminal(f *os.File) bool { return term.IsTerminal(f.Fd()) }

// look is how text output is drawn.
type look struct {
	color bool
	ascii bool
	width int // of the terminal, or what COLUMNS says it is; 0 when there is none
}

// lookOf decides how to draw on f. Plain wins over everything, then NO_COLOR, then CLICOLOR_FORCE.
func lookOf(f *os.File, plain bool) look {
	tty := isTerminal(f)
	var l look
	if tty {
		if w, _, err := term.GetSize(f.Fd()); err == nil {
			l.width = w
		}
		if w, err := strconv.Atoi(os.Getenv("COLUMNS")); err == nil && w > 0 {
			l.width = w
		}
	}
	if plain {
		l.ascii = true
		return l
	}
	l.ascii = tty && !localeIsUTF8()
	force := os.Getenv("CLICOLOR_FORCE")
	switch {
	case os.Getenv("NO_COLOR") != "":
	case force != "" && force != "0":
		l.color = true
	default:
		l.color = tty && os.Getenv("TERM") != "dumb"
	}
	return l
}

// localeIsUTF8 is false only when the locale names another encoding: containers often set no locale
// at all, and their terminals are UTF-8 all the same.
func localeIsUTF8() bool {
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if v := strings.ToLower(os.Getenv(name)); v != "" {
			return strings.Contains(v, "utf-8") || strings.Contains(v, "utf8")
		}
	}
	return true
}

// role is what a piece of text means; the terminal's own 16 colours decide what that looks like.
type role string

// The roles, as SGR parameters.
const (
	muted   role = "2"
	strong  role = "1"
	clientC role = "36"
	serverC role = "35"
	good    role = "32"
	warn    role = "33"
	bad     role = "1;31"
	note    role = "34"
	noRole  role = ""
)

var phaseRoles = map[string]role{
	"initialization": "34", "operation": "36", "shutdown": "33", "discovery": "35", "probe": "95",
}

var groupRoles = map[string]role{
	"tools": "32", "resources": "34", "prompts": "36", "roots": "33", "sampling": "35", "elicitation": "95",
	"lifecycle": "94", "progress": "96", "cancellation": "93", "logging": "90", "completion": "92",
	"tasks": "94", "subscriptions": "96", "ping": "90",
}

// paint wraps text, which must be clean, in the role's colour.
func (l look) paint(r role, text string) string {
	if !l.color || r == noRole || text == "" {
		return text
	}
	return "\x1b[" + string(r) + "m" + text + "\x1b[0m"
}

// glyph returns the sign for a terminal that can show it, else its stand-in.
func (l look) glyph(sign, standIn string) string {
	if l.ascii {
		return standIn
	}
	return sign
}
