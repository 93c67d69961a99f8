package tui

import (
	"errors"
	"strconv"
	"strings"

	"github.com/shakescope/shakescope/internal/jsontree"
	mcp "github.com/shakescope/shakescope/internal/peer"
)

// slip is a mistake in a text that is being typed.
type slip struct {
	at, end int // bytes
	what    string
}

// checkJSON says where a text stops being one JSON value.
func checkJSON(text string) *slip {
	_, err := jsontree.Parse([]byte(text))
	var syntax *jsontree.SyntaxError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &syntax):
		at := max(0, min(int(syntax.Offset), len(text)))
		return &slip{at, at + 1, syntax.Error()}
	}
	return &slip{0, 0, err.Error()}
}

// checkSet looks at PATH=VALUE.
func (d *resending) checkSet(text string) *slip {
	path, _, ok := strings.Cut(text, "=")
	if !ok {
		return &slip{len(text), len(text), "PATH=VALUE"}
	}
	if _, _, err := mcp.Assign(d.line, text); err != nil {
		return &slip{0, len(path), err.Error()}
	}
	return nil
}

func checkWords(text string) *slip {
	_, s := splitWords(text)
	return s
}

// splitWords takes a command apart as a shell does, without anything being expanded: quotes hold words together, a
// backslash takes the meaning from a quote, a blank or a backslash, and is itself before anything else.
func splitWords(text string) ([]string, *slip) {
	var words []string
	var word strings.Builder
	in, quote, start := false, byte(0), 0
	for i := 0; i < len(text); i++ {
		c := text[i]
		escaped := c == '\\' && quote != '\'' && i+1 < len(text) && strings.IndexByte(`"'\ `, text[i+1]) >= 0 && (quote == 0 || text[i+1] == '"' || text[i+1] == '\\')
		switch {
		case escaped:
			i++
			word.WriteByte(text[i])
			in = true
		case quote != 0 && c == quote:
			quote = 0
		case quote != 0:
			word.WriteByte(c)
		case c == '"' || c == '\'':
			quote, start, in = c, i, true
		case c == ' ' || c == '\t':
			if in {
				words = append(words, word.String())
				word.Reset()
				in = false
			}
		default:
			word.WriteByte(c)
			in = true
		}
	}
	if quote != 0 {
		return nil, &slip{start, start + 1, "this quote is not closed"}
	}
	if in {
		words = append(words, word.String())
	}
	return words, nil
}

// quotedWords writes a command so that splitWords reads it back.
func quotedWords(words []string) string {
	out := make([]string, len(words))
	for i, w := range words {
		switch {
		case w != "" && !strings.ContainsAny(w, " \t\"'\\"):
			out[i] = w
		case !strings.Contains(w, "'"):
			out[i] = "'" + w + "'"
		default:
			out[i] = `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(w) + `"`
		}
	}
	return strings.Join(out, " ")
}

// shellWords writes a command for people: what has no place in a line is escaped.
func shellWords(words []string) string {
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = quotedWords([]string{w})
		if shorn(w) != w {
			out[i] = strconv.Quote(w)
		}
	}
	return strings.Join(out, " ")
}
