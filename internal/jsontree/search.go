package jsontree

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Query is text to search for in keys and values. The zero Query matches nothing.
type Query struct {
	text string
	fold bool
}

// NewQuery makes a query for text as it stands: no character is special. Case matters only if the
// text has an upper case letter.
func NewQuery(text string) Query {
	return Query{text: text, fold: strings.IndexFunc(text, unicode.IsUpper) < 0}
}

// Search returns the next value after from (before from, when backward) whose key, string or literal
// holds the query. It starts over at the other end and then says that it wrapped; from itself comes
// last. With [None] it starts at the beginning (the end). Folded values are searched too: [Tree.Reveal]
// shows what was found.
func (t *Tree) Search(q Query, from Node, backward bool) (found Node, wrapped, ok bool) {
	n := len(t.nodes)
	if q.text == "" || n == 0 {
		return None, false, false
	}
	step, start := 1, int(from)
	if backward {
		step = -1
		if from == None {
			start = n
		}
	}
	for i := 1; i <= n; i++ {
		at := start + i*step
		wrapped = at < 0 || at >= n
		at = (at%n + n) % n
		if t.Matches(q, Node(at)) {
			return Node(at), wrapped, true
		}
	}
	return None, false, false
}

// Matches reports whether the key of n, or its text when it is no array or object, holds the query.
func (t *Tree) Matches(q Query, n Node) bool {
	if q.text == "" {
		return false
	}
	if key := t.keyLiteral(n); key != nil && q.in(key, true) {
		return true
	}
	kind := t.nodes[n].kind
	return kind != Array && kind != Object && q.in(t.Raw(n), kind == String)
}

// in searches a value, or the text of a literal.
func (q Query) in(raw []byte, literal bool) bool {
	if literal {
		if bytes.IndexByte(raw, '\\') >= 0 {
			raw = []byte(unquote(raw))
		} else if raw = raw[1:]; len(raw) > 0 && raw[len(raw)-1] == '"' {
			raw = raw[:len(raw)-1]
		}
	}
	if !q.fold {
		return bytes.Contains(raw, []byte(q.text))
	}
	return containsFold(raw, q.text)
}

// containsFold searches for text, which has no upper case letters, whatever the case in raw.
func containsFold(raw []byte, text string) bool {
	if !isASCII(text) {
		return strings.Contains(strings.ToLower(string(raw)), text)
	}
	lower, upper := text[0], text[0]
	if 'a' <= lower && lower <= 'z' {
		upper -= 'a' - 'A'
	}
	for i := 0; i+len(text) <= len(raw); i++ {
		if (raw[i] == lower || raw[i] == upper) && equalFoldASCII(raw[i:i+len(text)], text) {
			return true
		}
	}
	return false
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

func equalFoldASCII(raw []byte, text string) bool {
	for i, c := range raw {
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		if c != text[i] {
			return false
		}
	}
	return true
}
