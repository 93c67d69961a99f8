package clientconfig

import (
	"sort"
	"strconv"
	"strings"
)

type kind byte

const (
	other kind = iota // numbers, booleans, and whatever else no server entry needs
	null
	text
	list
	table
)

// value is a value of a configuration and where it stands in the source.
type value struct {
	kind       kind
	start, end int
	// at is where an item of a list begins with its dash, in block style; else start.
	at int
	// text is what a string says; of other values it is their spelling.
	text    string
	items   []*value
	members []*member
	style   style
	// fixed is what cannot be moved in its spelling, such as text that spans lines.
	fixed bool
}

// style is how members and items are set apart.
type style byte

const (
	flow  style = iota // by commas, between brackets
	lines              // TOML: a line each
	block              // YAML: by indentation
)

type member struct {
	name string
	// prefix is what stands before the name in a dotted key, with its last dot.
	prefix string
	start  int // of the key
	value  *value
}

// get returns the member called name and how many there are: only a single one can be edited.
func (v *value) get(name string) (*member, int) {
	var found *member
	n := 0
	if v != nil && v.kind == table {
		for _, m := range v.members {
			if m.name == name {
				found = m
				n++
			}
		}
	}
	return found, n
}

// digest writes v so that two values with the same digest mean the same; entry is written as a mark.
func (v *value) digest(b *strings.Builder, entry *value) {
	if v == entry {
		b.WriteString("<entry>")
		return
	}
	b.WriteByte("ontlm"[v.kind])
	switch v.kind {
	case list:
		for _, i := range v.items {
			i.digest(b, entry)
		}
	case table:
		for _, m := range v.members {
			b.WriteString(strconv.Quote(m.name))
			m.value.digest(b, entry)
		}
	default:
		b.WriteString(strconv.Quote(v.text))
	}
	b.WriteByte(';')
}

// splice replaces src[start:end].
type splice struct {
	start, end int
	text       string
}

func apply(src []byte, splices []splice) []byte {
	sort.SliceStable(splices, func(i, j int) bool { return splices[i].start < splices[j].start })
	var out []byte
	from := 0
	for _, s := range splices {
		out = append(out, src[from:s.start]...)
		out = append(out, s.text...)
		from = s.end
	}
	return append(out, src[from:]...)
}

// lineStart is where the line of src[i] begins.
func lineStart(src []byte, i int) int {
	for i > 0 && src[i-1] != '\n' {
		i--
	}
	return i
}

// nextLine is where the line after that of src[i] begins.
func nextLine(src []byte, i int) int {
	for i < len(src) && src[i] != '\n' {
		i++
	}
	return min(i+1, len(src))
}

// lineBreak is the line end and the indentation before src[i] if nothing else stands before it on its
// line; else "".
func lineBreak(src []byte, i int) string {
	from := lineStart(src, i)
	if from == 0 || !blank(src[from:i]) {
		return ""
	}
	eol := "\n"
	if from > 1 && src[from-2] == '\r' {
		eol = "\r\n"
	}
	return eol + string(src[from:i])
}

// eolAt is the line end in use around src[i].
func eolAt(src []byte, i int) string {
	if n := nextLine(src, i); n > 1 && src[n-1] == '\n' && src[n-2] == '\r' {
		return "\r\n"
	} else if n == len(src) && strings.Contains(string(src), "\r\n") {
		return "\r\n"
	}
	return "\n"
}

func blank(b []byte) bool {
	return strings.Trim(string(b), " \t\r\n") == ""
}
