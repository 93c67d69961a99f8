package filter

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/shakescope/shakescope/internal/termtext"
)

// SyntaxError says what is wrong with an expression, and where.
type SyntaxError struct {
	Source      string
	Offset, Len int    // bytes of Source that are at fault; Len is 0 where something is missing
	Message     string // unknown field `rpc.metod`
	Suggestion  string // what to write in the place of the fault, "" when nothing is near
	Hint        string // advice in words, "" when there is none
}

// Error is one line: column, message and suggestion.
func (e *SyntaxError) Error() string {
	return fmt.Sprintf("column %d: %s", e.Column(), e.Text())
}

// Text is the message with its suggestion or hint, without the column.
func (e *SyntaxError) Text() string {
	switch {
	case e.Suggestion != "":
		return e.Message + " — did you mean `" + e.Suggestion + "`?"
	case e.Hint != "":
		return e.Message + "; " + e.Hint
	}
	return e.Message
}

// Column counts characters, from 1.
func (e *SyntaxError) Column() int { return utf8.RuneCountInString(e.Source[:e.Offset]) + 1 }

// Caret returns two lines fit for a terminal: the expression, and below it a mark under the fault.
func (e *SyntaxError) Caret() (source, mark string) {
	end := min(e.Offset+e.Len, len(e.Source))
	before, fault := termtext.Clean(e.Source[:e.Offset]), termtext.Clean(e.Source[e.Offset:end])
	source = before + fault + termtext.Clean(e.Source[end:])
	mark = strings.Repeat(" ", termtext.Width(before)) + "^" + strings.Repeat("~", max(termtext.Width(fault)-1, 0))
	return source, mark
}

func (p *parser) fault(at, length int, format string, args ...any) *SyntaxError {
	return &SyntaxError{Source: p.src, Offset: at, Len: length, Message: fmt.Sprintf(format, args...)}
}

func (e *SyntaxError) hint(h string) *SyntaxError {
	e.Hint = h
	return e
}

func (e *SyntaxError) suggest(s string) *SyntaxError {
	e.Suggestion = s
	return e
}
