package clientconfig

import (
	"errors"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"
)

// tomlSyntax reads TOML. Its tree is the one the headers and dotted keys mean; positions are those of
// the keys and values themselves.
type tomlSyntax struct{}

func (tomlSyntax) parse(src []byte) (*value, error) {
	var any map[string]any // the parser below does not see what is defined twice
	if err := toml.Unmarshal(src, &any); err != nil {
		return nil, err
	}
	var p unstable.Parser
	p.Reset(src)
	b := tomlBuilder{src: src}
	root := &value{kind: table, style: lines}
	here := root
	for p.NextExpression() {
		e := p.Expression()
		switch e.Kind {
		case unstable.Table:
			here = tomlTable(root, b.keys(e.Key()))
		case unstable.ArrayTable:
			names := b.keys(e.Key())
			last := len(names) - 1
			parent := tomlTable(root, names[:last])
			m, _ := parent.get(names[last].name)
			if m == nil {
				m = &member{name: names[last].name, value: &value{kind: list, style: lines}}
				parent.members = append(parent.members, m)
			}
			here = &value{kind: table, style: lines}
			m.value.items = append(m.value.items, here)
		case unstable.KeyValue:
			if err := b.keyValue(here, e); err != nil {
				return nil, err
			}
		}
	}
	return root, p.Error()
}

type tomlKey struct {
	name       string
	start, end int
}

type tomlBuilder struct{ src []byte }

func (b tomlBuilder) keys(it unstable.Iterator) []tomlKey {
	var keys []tomlKey
	for it.Next() {
		n := it.Node()
		from := int(n.Raw.Offset)
		keys = append(keys, tomlKey{string(n.Data), from, from + int(n.Raw.Length)})
	}
	return keys
}

// tomlTable goes down from t; the last of an array of tables is meant, and what is not there is made.
func tomlTable(t *value, keys []tomlKey) *value {
	for _, k := range keys {
		m, _ := t.get(k.name)
		if m == nil {
			m = &member{name: k.name, start: k.start, value: &value{kind: table, style: t.style}}
			t.members = append(t.members, m)
		}
		t = m.value
		if t.kind == list && len(t.items) > 0 {
			t = t.items[len(t.items)-1]
		}
	}
	return t
}

func (b tomlBuilder) keyValue(t *value, e *unstable.Node) error {
	keys := b.keys(e.Key())
	last := keys[len(keys)-1]
	from := last.end
	for from < len(b.src) && strings.IndexByte(" \t=", b.src[from]) >= 0 {
		from++
	}
	end := int(e.Raw.Offset) + int(e.Raw.Length)
	if from >= end || end > len(b.src) {
		return errors.New("a value was not found again in the text")
	}
	v, err := b.value(e.Value(), from, end)
	if err != nil {
		return err
	}
	t = tomlTable(t, keys[:len(keys)-1])
	t.members = append(t.members, &member{name: last.name, prefix: string(b.src[keys[0].start:last.start]), start: keys[0].start, value: v})
	return nil
}

func (b tomlBuilder) value(n *unstable.Node, from, end int) (*value, error) {
	v := &value{start: from, end: end, at: from, text: string(b.src[from:end])}
	switch n.Kind {
	case unstable.String:
		v.kind, v.text = text, string(n.Data)
	case unstable.Array:
		v.kind = list
		for it := n.Children(); it.Next(); {
			i := it.Node()
			at, to := int(i.Raw.Offset), int(i.Raw.Offset)+int(i.Raw.Length)
			if i.Kind == unstable.Array || i.Kind == unstable.InlineTable {
				at, to = from, end // where it ends is not known, and no argument is one
				v.items = append(v.items, &value{kind: other, start: at, end: to, at: at, text: v.text, fixed: true})
				continue
			}
			item, err := b.value(i, at, to)
			if err != nil {
				return nil, err
			}
			v.items = append(v.items, item)
		}
	case unstable.InlineTable:
		v.kind = table
		for it := n.Children(); it.Next(); {
			if err := b.keyValue(v, it.Node()); err != nil {
				return nil, err
			}
		}
	}
	return v, nil
}

func (tomlSyntax) quote(s string) string {
	return strings.ReplaceAll(jsonSyntax{}.quote(s), "\x7f", `\u007F`)
}

func (tomlSyntax) key(name string) string { return name + " = " }
