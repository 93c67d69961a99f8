package jsontree

import (
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// Pointer returns the JSON pointer (RFC 6901) of n; that of the root is "".
func (t *Tree) Pointer(n Node) string {
	return t.path(n, func(b []byte, key string, index int) []byte {
		b = append(b, '/')
		if index >= 0 {
			return strconv.AppendInt(b, int64(index), 10)
		}
		return append(b, escapePointer.Replace(key)...)
	})
}

// JQ returns the filter that makes jq print n, such as .result.content[0].text; that of the root is ".".
func (t *Tree) JQ(n Node) string {
	path := t.path(n, func(b []byte, key string, index int) []byte {
		switch {
		case index >= 0:
			b = append(b, '[')
			b = strconv.AppendInt(b, int64(index), 10)
			return append(b, ']')
		case isIdentifier(key):
			return append(append(b, '.'), key...)
		}
		// The error only says that the key has bytes that are not UTF-8, and jq reads those alike.
		b, _ = jsontext.AppendQuote(append(b, '['), key)
		return append(b, ']')
	})
	if strings.HasPrefix(path, ".") {
		return path
	}
	return "." + path
}

// path joins the steps from the root to n. A step has a key, or an index that is not negative.
func (t *Tree) path(n Node, step func(b []byte, key string, index int) []byte) string {
	var steps []Node
	for ; t.nodes[n].parent != None; n = t.nodes[n].parent {
		steps = append(steps, n)
	}
	var b []byte
	for i := len(steps) - 1; i >= 0; i-- {
		if index, ok := t.Index(steps[i]); ok {
			b = step(b, "", index)
			continue
		}
		key, _ := t.Key(steps[i])
		b = step(b, key, -1)
	}
	return string(b)
}

var (
	escapePointer   = strings.NewReplacer("~", "~0", "/", "~1")
	unescapePointer = strings.NewReplacer("~1", "/", "~0", "~")
)

func isIdentifier(key string) bool {
	for i, c := range []byte(key) {
		letter := c == '_' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
		if !letter && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return key != ""
}

// Find returns the value that a JSON pointer names; of a duplicated key the last one. Where it names
// none, Find returns false and the innermost value that exists on the way, [None] in an empty tree.
func (t *Tree) Find(pointer string) (Node, bool) {
	n := t.Root()
	if n == None || pointer == "" || pointer[0] != '/' {
		return n, n != None && pointer == ""
	}
	for step := range strings.SplitSeq(pointer[1:], "/") {
		child := t.child(n, unescapePointer.Replace(step))
		if child == None {
			return n, false
		}
		n = child
	}
	return n, true
}

// child returns the value inside n with a key or index, or [None].
func (t *Tree) child(n Node, step string) Node {
	found := None
	switch t.nodes[n].kind {
	case Object:
		for c := t.FirstChild(n); c != None; c = t.NextSibling(c) {
			if key, _ := t.Key(c); key == step {
				found = c
			}
		}
	case Array:
		index, err := strconv.ParseUint(step, 10, 32)
		if err != nil || strconv.FormatUint(index, 10) != step || uint32(index) >= t.nodes[n].children {
			return None
		}
		c := t.FirstChild(n)
		for range index {
			c = t.NextSibling(c)
		}
		return c
	}
	return found
}
