package clientconfig

import (
	"encoding/json"
	"strings"

	"github.com/tailscale/hujson"
)

// jsonSyntax reads JSON with comments and trailing commas, whatever its client accepts: a file that
// has none gets none.
type jsonSyntax struct{}

func (jsonSyntax) parse(src []byte) (*value, error) {
	v, err := hujson.Parse(src)
	if err != nil {
		return nil, err
	}
	return jsonValue(&v), nil
}

func jsonValue(v *hujson.Value) *value {
	n := &value{start: v.StartOffset, end: v.EndOffset, at: v.StartOffset}
	switch x := v.Value.(type) {
	case *hujson.Object:
		n.kind = table
		for i := range x.Members {
			m := &x.Members[i]
			name := m.Name.Value.(hujson.Literal)
			n.members = append(n.members, &member{name: name.String(), start: m.Name.StartOffset, value: jsonValue(&m.Value)})
		}
	case *hujson.Array:
		n.kind = list
		for i := range x.Elements {
			n.items = append(n.items, jsonValue(&x.Elements[i]))
		}
	case hujson.Literal:
		n.text = string(x)
		switch x.Kind() {
		case '"':
			n.kind, n.text = text, x.String()
		case 'n':
			n.kind = null
		}
	}
	return n
}

func (jsonSyntax) quote(s string) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.Encode(s) // a string always encodes
	return strings.TrimSuffix(b.String(), "\n")
}

func (s jsonSyntax) key(name string) string { return s.quote(name) + ": " }
