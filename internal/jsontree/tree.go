package jsontree

import (
	"sort"

	"github.com/go-json-experiment/json/jsontext"
)

// Kind is the type of a JSON value.
type Kind uint8

// The kinds.
const (
	Null Kind = iota
	Bool
	Number
	String
	Array
	Object
)

// String returns the name of the kind in lower case.
func (k Kind) String() string {
	return [...]string{"null", "bool", "number", "string", "array", "object"}[k]
}

// Node is the number of a value in a tree, in the order of the text: the root is 0, and the values
// inside a value follow it.
type Node int32

// None is no node.
const None Node = -1

// entry is what the index holds of a value. Offsets are into the raw bytes.
type entry struct {
	start, end uint32
	label      uint32 // offset of the key in an object, index in an array
	children   uint32
	parent     Node
	after      Node // the first node that is not inside
	depth      uint16
	kind       Kind
	flags      uint8
}

const (
	folded uint8 = 1 << iota
	partial
)

// Tree is an index over JSON text.
type Tree struct {
	raw   []byte
	nodes []entry
	seen  rows
}

// Len returns the number of values.
func (t *Tree) Len() int { return len(t.nodes) }

// Root returns the outermost value, [None] when nothing could be read.
func (t *Tree) Root() Node {
	if len(t.nodes) == 0 {
		return None
	}
	return 0
}

// Kind returns the type of a value.
func (t *Tree) Kind(n Node) Kind { return t.nodes[n].kind }

// Span returns the offsets of the first byte of a value and of the byte after it.
func (t *Tree) Span(n Node) (start, end int) {
	return int(t.nodes[n].start), int(t.nodes[n].end)
}

// Raw returns the text of a value, a slice of what was parsed.
func (t *Tree) Raw(n Node) []byte {
	e := &t.nodes[n]
	return t.raw[e.start:e.end:e.end]
}

// Partial reports whether the text ended, or became unreadable, before the value was complete.
func (t *Tree) Partial(n Node) bool { return t.nodes[n].flags&partial != 0 }

// Depth returns how many values n is inside of.
func (t *Tree) Depth(n Node) int { return int(t.nodes[n].depth) }

// Children returns how many values an array or object holds directly, 0 for others.
func (t *Tree) Children(n Node) int { return int(t.nodes[n].children) }

// Parent returns the array or object that holds n, [None] for the root.
func (t *Tree) Parent(n Node) Node { return t.nodes[n].parent }

// FirstChild returns the first value inside n, or [None].
func (t *Tree) FirstChild(n Node) Node {
	if t.nodes[n].children == 0 {
		return None
	}
	return n + 1
}

// NextSibling returns the value after n in the same array or object, or [None].
func (t *Tree) NextSibling(n Node) Node {
	next := t.nodes[n].after
	if int(next) < len(t.nodes) && t.nodes[next].parent == t.nodes[n].parent {
		return next
	}
	return None
}

// PrevSibling returns the value before n in the same array or object, or [None].
func (t *Tree) PrevSibling(n Node) Node {
	parent := t.nodes[n].parent
	if n-1 == parent { // also for the root
		return None
	}
	for n--; t.nodes[n].parent != parent; n = t.nodes[n].parent {
	}
	return n
}

// Index returns the place of n in the array that holds it. It returns false when none does.
func (t *Tree) Index(n Node) (int, bool) {
	if parent := t.nodes[n].parent; parent != None && t.nodes[parent].kind == Array {
		return int(t.nodes[n].label), true
	}
	return 0, false
}

// Key returns the name of n in the object that holds it. It returns false when none does.
func (t *Tree) Key(n Node) (string, bool) {
	key := t.keyLiteral(n)
	return unquote(key), key != nil
}

// keyLiteral returns the key as it is spelled, quotes included, or nil.
func (t *Tree) keyLiteral(n Node) []byte {
	parent := t.nodes[n].parent
	if parent == None || t.nodes[parent].kind != Object {
		return nil
	}
	start := int(t.nodes[n].label)
	end, _ := scanString(t.raw, start)
	return t.raw[start:end]
}

// Text returns the whole text of a string, its escapes resolved, and of other values their JSON text.
func (t *Tree) Text(n Node) string {
	if t.nodes[n].kind == String {
		return unquote(t.Raw(n))
	}
	return string(t.Raw(n))
}

// AtOffset returns the innermost value that covers a byte of the text; its key counts as part of it.
// Between values it is the array or object around them, outside of the root [None].
func (t *Tree) AtOffset(offset int) Node {
	begin := func(n Node) int {
		if parent := t.nodes[n].parent; parent != None && t.nodes[parent].kind == Object {
			return int(t.nodes[n].label)
		}
		return int(t.nodes[n].start)
	}
	n := Node(sort.Search(len(t.nodes), func(i int) bool { return begin(Node(i)) > offset })) - 1
	for n != None && offset >= int(t.nodes[n].end) {
		n = t.nodes[n].parent
	}
	return n
}

// unquote resolves the escapes of a literal, also of one that is cut.
func unquote(literal []byte) string {
	if len(literal) == 0 {
		return ""
	}
	inside := literal[1:]
	if n := len(inside); n > 0 && inside[n-1] == '"' {
		inside = inside[:n-1]
	}
	plain := true
	for _, c := range inside {
		if c == '\\' || c >= 0x80 {
			plain = false
			break
		}
	}
	if plain {
		return string(inside)
	}
	// Its error says that the literal is cut or not quite UTF-8. The text is good as far as it goes.
	text, _ := jsontext.AppendUnquote(nil, literal)
	return string(text)
}
