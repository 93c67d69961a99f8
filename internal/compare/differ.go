package compare

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// MaxDifferences bounds the differences that a change names.
const MaxDifferences = 10

// maxPayload bounds the payloads that are compared place by place.
const maxPayload = 8 << 20

// differ finds the places where two payloads differ.
type differ struct {
	steady
	out   []Difference
	more  int
	most  int
	paths []string // without numbers: what makes differences alike
	steps int
}

// raw compares two payloads as JSON text.
func (d *differ) raw(a, b []byte) {
	x, okX := decoded(a)
	y, okY := decoded(b)
	switch {
	case !okX || !okY:
		if !bytes.Equal(a, b) {
			d.note("", "", fmt.Sprintf("%d bytes became %d", len(a), len(b)), plural(len(a), "byte"), plural(len(b), "byte"))
		}
	default:
		d.values("", "", "", x, y)
	}
}

func decoded(raw []byte) (any, bool) {
	if len(raw) > maxPayload {
		return nil, false
	}
	if len(raw) == 0 {
		return nothing{}, true
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var v any
	if dec.Decode(&v) != nil {
		return nil, false
	}
	_, err := dec.Token()
	return v, err == io.EOF && shallow(v, maxDepth)
}

// nothing is a payload that is not there.
type nothing struct{}

// note takes down a place. a and b show the values, "" for none.
func (d *differ) note(path, like, words, a, b string) {
	if len(d.paths) < 100 && !slices.Contains(d.paths, like) {
		d.paths = append(d.paths, like)
	}
	if len(d.out) >= d.most {
		d.more++
		return
	}
	d.out = append(d.out, Difference{Path: path, Words: words, A: a, B: b})
}

// maxDifferSteps bounds the values that are compared.
const maxDifferSteps = 500_000

// values compares two decoded values. path is a JSON pointer, like the same without indices, name the nearest member.
func (d *differ) values(path, like, name string, a, b any) {
	if d.steps++; d.steps > maxDifferSteps {
		return
	}
	switch x := a.(type) {
	case map[string]any:
		if y, ok := b.(map[string]any); ok {
			d.objects(path, like, x, y)
			return
		}
	case []any:
		if y, ok := b.([]any); ok {
			d.arrays(path, like, name, x, y)
			return
		}
	case string:
		if y, ok := b.(string); ok {
			d.strings(path, like, x, y)
			return
		}
	case json.Number:
		if y, ok := b.(json.Number); ok {
			if canonicalNumber(string(x)) != canonicalNumber(string(y)) && !(d.number(name, []byte(x)) && d.number(name, []byte(y))) {
				d.note(path, like, from(cut(string(x), 40), cut(string(y), 40)), cut(string(x), 40), cut(string(y), 40))
			}
			return
		}
	default:
		if same(a, b) {
			return
		}
	}
	d.note(path, like, from(sample(a), sample(b)), sample(a), sample(b))
}

// sample shows a value that is replaced by one of another type.
func sample(v any) string {
	switch v := v.(type) {
	case nothing:
		return "nothing"
	case map[string]any:
		return "an object of " + plural(len(v), "member")
	case []any:
		return "an array of " + plural(len(v), "item")
	}
	return shown(v)
}

func (d *differ) objects(path, like string, a, b map[string]any) {
	all := maps.Clone(a)
	maps.Copy(all, b)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if d.putAside(name) {
			continue
		}
		x, was := a[name]
		y, is := b[name]
		p, l := path+"/"+escaped(name), like+"/"+escaped(name)
		switch {
		case was && is:
			d.values(p, l, name, x, y)
		case was:
			d.note(p, l, "is gone (was "+sample(x)+")", sample(x), "")
		default:
			d.note(p, l, "is new ("+sample(y)+")", "", sample(y))
		}
	}
}

func (d *differ) arrays(path, like, name string, a, b []any) {
	if len(a) == len(b) {
		for i := range a {
			d.values(path+"/"+strconv.Itoa(i), like+"/*", name, a[i], b[i])
		}
		return
	}
	d.note(path, like, fmt.Sprintf("%s became %d", plural(len(a), "item"), len(b)), plural(len(a), "item"), plural(len(b), "item"))
	prints := func(list []any) []string {
		out := make([]string, len(list))
		for i, v := range list {
			out[i] = string(d.text(nil, []byte(text(v))))
		}
		return out
	}
	x, y := prints(a), prints(b)
	keep := common(len(x), len(y), func(i, j int) bool { return x[i] == y[j] })
	i, j := 0, 0
	for _, k := range append(keep, [2]int{len(x), len(y)}) {
		for ; i < k[0] && j < k[1] && len(keep) > 0; i, j = i+1, j+1 {
			d.values(path+"/"+strconv.Itoa(i), like+"/*", name, a[i], b[j])
		}
		for ; i < k[0]; i++ {
			d.note(path+"/"+strconv.Itoa(i), like+"/*", "is gone ("+sample(a[i])+")", sample(a[i]), "")
		}
		for ; j < k[1]; j++ {
			d.note(path+"/"+strconv.Itoa(j), like+"/*", "is new ("+sample(b[j])+")", "", sample(b[j]))
		}
		i, j = k[0]+1, k[1]+1
	}
}

func (d *differ) strings(path, like, a, b string) {
	if a == b {
		return
	}
	if !d.exact {
		if nested([]byte(a)) && nested([]byte(b)) {
			x, okX := decoded([]byte(a))
			y, okY := decoded([]byte(b))
			if okX && okY {
				d.values(path+"/→", like+"/→", "", x, y)
				return
			}
		}
		x, y := d.text(nil, []byte(a)), d.text(nil, []byte(b))
		if bytes.Equal(x, y) {
			return
		}
	}
	was, is := textParts(a, b)
	d.note(path, like, textWords(a, b), was, is)
}

// textWords shows where two texts begin to differ.
func textWords(a, b string) string {
	if len(a) <= 60 && len(b) <= 60 {
		return from(shown(a), shown(b))
	}
	if strings.Contains(a, "\n") && strings.Contains(b, "\n") && len(a)+len(b) < 200_000 {
		gone, come := lineDifference(strings.Split(a, "\n"), strings.Split(b, "\n"))
		if len(gone) == 1 && len(come) == 1 && (len(gone[0]) < len(a) || len(come[0]) < len(b)) {
			return "in a line of its text: " + textWords(gone[0], come[0])
		}
		return fmt.Sprintf("%s of text gone, %d new: ", plural(len(gone), "line"), len(come)) + lineWords(a, b)
	}
	return from(textParts(a, b))
}

// textParts shows two texts, long ones from shortly before the place where they part.
func textParts(a, b string) (was, is string) {
	if len(a) <= 60 && len(b) <= 60 {
		return shown(a), shown(b)
	}
	at := 0
	for at < len(a) && at < len(b) && a[at] == b[at] {
		at++
	}
	start := max(0, at-20)
	for start > 0 && start < len(a) && !utf8.RuneStart(a[start]) {
		start--
	}
	excerpt := func(s string) string {
		out := cut(s[min(start, len(s)):], 60)
		if start > 0 {
			out = "…" + out
		}
		return shown(out)
	}
	return excerpt(a), excerpt(b)
}
