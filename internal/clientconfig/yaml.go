package clientconfig

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

// yamlSyntax reads YAML. The parser's offsets are not those of bytes, its lines and columns are right
// if lines end in LF: so it gets them so, and positions are found again by line and column.
type yamlSyntax struct{}

func (yamlSyntax) parse(src []byte) (_ *value, err error) {
	defer func() { // the parser is known to stumble over some broken files
		if p := recover(); p != nil {
			err = fmt.Errorf("the YAML parser failed: %v", p)
		}
	}()
	unix := bytes.ReplaceAll(src, []byte("\r\n"), []byte("\n"))
	if bytes.IndexByte(unix, '\r') >= 0 {
		return nil, errors.New("a lone carriage return ends a line")
	}
	file, err := parser.ParseBytes(unix, parser.ParseComments)
	if err != nil {
		return nil, err
	}
	b := &yamlBuilder{src: src, lines: []int{0}}
	for i, c := range src {
		if c == '\n' {
			b.lines = append(b.lines, i+1)
		}
	}
	var root *value
	for _, d := range file.Docs {
		if d.Body == nil {
			continue
		}
		if root != nil {
			return nil, errors.New("it holds several documents")
		}
		root = b.value(d.Body)
	}
	if root == nil {
		root = &value{kind: table, style: block}
	}
	return root, b.err
}

type yamlBuilder struct {
	src   []byte
	lines []int // where each begins
	err   error
}

// offset is where t stands in the bytes; first are the bytes it may begin with, "" for any.
func (b *yamlBuilder) offset(t *token.Token, first string) int {
	if t == nil || t.Position == nil || t.Position.Line < 1 || t.Position.Line > len(b.lines) {
		b.err = errors.New("a value was not found again in the text")
		return 0
	}
	i := b.lines[t.Position.Line-1]
	for range t.Position.Column - 1 {
		if i < len(b.src) {
			_, n := utf8.DecodeRune(b.src[i:])
			i += n
		}
	}
	if i >= len(b.src) || first != "" && strings.IndexByte(first, b.src[i]) < 0 {
		b.err = errors.New("a value was not found again in the text")
		return 0
	}
	return i
}

func (b *yamlBuilder) value(n ast.Node) *value {
	switch x := n.(type) {
	case *ast.MappingNode:
		v := &value{kind: table, style: block}
		if x.IsFlowStyle {
			v.style = flow
		}
		for _, m := range x.Values {
			v.members = append(v.members, b.member(m))
		}
		b.span(v)
		return v
	case *ast.MappingValueNode:
		v := &value{kind: table, style: block, members: []*member{b.member(x)}}
		b.span(v)
		return v
	case *ast.SequenceNode:
		return b.sequence(x)
	case *ast.StringNode:
		return b.scalar(x)
	case *ast.LiteralNode:
		return &value{kind: text, text: x.Value.Value, fixed: true}
	case *ast.NullNode:
		return &value{kind: null}
	case nil:
		return &value{kind: null}
	}
	return &value{kind: other, text: n.String(), fixed: true}
}

// span gives a mapping in block style the place of its members.
func (b *yamlBuilder) span(v *value) {
	if len(v.members) > 0 {
		v.start, v.end = v.members[0].start, v.members[len(v.members)-1].value.end
		v.at = v.start
	}
}

func (b *yamlBuilder) member(m *ast.MappingValueNode) *member {
	k := m.Key.GetToken()
	return &member{name: k.Value, start: b.offset(k, ""), value: b.value(m.Value)}
}

func (b *yamlBuilder) sequence(n *ast.SequenceNode) *value {
	v := &value{kind: list}
	if n.IsFlowStyle {
		v.start = b.offset(n.Start, "[")
		v.end = b.offset(n.End, "]") + 1
		v.at = v.start
		for _, i := range n.Values {
			v.items = append(v.items, b.value(i))
		}
		return v
	}
	v.style = block
	for i, item := range n.Values {
		e := b.value(item)
		if i < len(n.Entries) {
			e.at = b.offset(n.Entries[i].Start, "-")
		}
		v.items = append(v.items, e)
	}
	if len(v.items) > 0 {
		v.start, v.end = v.items[0].at, v.items[len(v.items)-1].end
		v.at = v.start
	}
	return v
}

func (b *yamlBuilder) scalar(n *ast.StringNode) *value {
	v := &value{kind: text, text: n.Value, start: b.offset(n.Token, "")}
	v.at = v.start
	rest := b.src[v.start:]
	size := 0
	switch n.Token.Type {
	case token.DoubleQuoteType:
		size = quotedSize(rest, '"')
	case token.SingleQuoteType:
		size = quotedSize(rest, '\'')
	default:
		if bytes.HasPrefix(rest, []byte(n.Value)) {
			size = len(n.Value)
		}
	}
	v.end = v.start + size
	v.fixed = size == 0 || bytes.IndexByte(rest[:size], '\n') >= 0
	return v
}

// quotedSize is the size of the quoted scalar s begins with; 0 when it does not.
func quotedSize(s []byte, quote byte) int {
	if len(s) == 0 || s[0] != quote {
		return 0
	}
	for i := 1; i < len(s); i++ {
		switch {
		case s[i] == '\\' && quote == '"':
			i++
		case s[i] == quote && quote == '\'' && i+1 < len(s) && s[i+1] == quote:
			i++
		case s[i] == quote:
			return i + 1
		}
	}
	return 0
}

func (yamlSyntax) quote(s string) string { return jsonSyntax{}.quote(s) }

func (yamlSyntax) key(name string) string { return name + ": " }
