package jsontree

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
)

// dump draws every value of a tree on a line.
func dump(t *Tree) string {
	var b strings.Builder
	for n := Node(0); int(n) < t.Len(); n++ {
		b.WriteString(strings.Repeat(" ", t.Depth(n)))
		if key, ok := t.Key(n); ok {
			fmt.Fprintf(&b, "%s: ", key)
		}
		if i, ok := t.Index(n); ok {
			fmt.Fprintf(&b, "%d: ", i)
		}
		if k := t.Kind(n); k == Array || k == Object {
			fmt.Fprintf(&b, "%s(%d)", k, t.Children(n))
		} else {
			fmt.Fprintf(&b, "%s %s", k, t.Raw(n))
		}
		if t.Partial(n) {
			b.WriteString(" partial")
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func parse(t testing.TB, raw string) *Tree {
	t.Helper()
	tree, err := Parse([]byte(raw))
	if err != nil {
		t.Fatalf("%.80q: %v", raw, err)
	}
	return tree
}

const sample = ` {"a": [1, -2.50e+1, [], {"k/~": null, "k/~": true}], "b\n": {}, "": "x\u00e9", "c d": false} `

func TestParse(t *testing.T) {
	want := `object(4)
 a: array(4)
  0: number 1
  1: number -2.50e+1
  2: array(0)
  3: object(2)
   k/~: null null
   k/~: bool true
 b
: object(0)
 : string "x\u00e9"
 c d: bool false
`
	if diff := cmp.Diff(want, dump(parse(t, sample))); diff != "" {
		t.Error(diff)
	}
}

func TestParseDamaged(t *testing.T) {
	tests := []struct {
		raw    string
		offset int
		want   string
	}{
		{``, 0, ""},
		{`  `, 2, ""},
		{`hello`, 0, ""},
		{"\x00", 0, ""},
		{`nul`, 3, "null nul partial\n"},
		{`[1,2`, 4, "array(2) partial\n 0: number 1\n 1: number 2\n"},
		{`[1,]`, 3, "array(1) partial\n 0: number 1\n"},
		{`[1 2]`, 3, "array(1) partial\n 0: number 1\n"},
		{`[1}`, 2, "array(1) partial\n 0: number 1\n"},
		{`{"a":"xy`, 8, "object(1) partial\n a: string \"xy partial\n"},
		{`{"a":"x\`, 8, "object(1) partial\n a: string \"x\\ partial\n"},
		{`{"a":"x\u12`, 11, "object(1) partial\n a: string \"x\\u12 partial\n"},
		{`{"a":"x\u12G4"}`, 11, "object(1) partial\n a: string \"x\\u12 partial\n"},
		{`{"a":"\x"}`, 7, "object(1) partial\n a: string \"\\ partial\n"},
		{"{\"a\":\"x\ty\"}", 7, "object(1) partial\n a: string \"x partial\n"},
		{`{"a":1,"b`, 9, "object(1) partial\n a: number 1\n"},
		{`{"a":1,"b"`, 10, "object(1) partial\n a: number 1\n"},
		{`{"a":1,"b":`, 11, "object(1) partial\n a: number 1\n"},
		{`{"a":1,}`, 7, "object(1) partial\n a: number 1\n"},
		{`{"a" 1}`, 5, "object(0) partial\n"},
		{`{a:1}`, 1, "object(0) partial\n"},
		{`[NaN]`, 1, "array(0) partial\n"},
		{`[-]`, 2, "array(1) partial\n 0: number - partial\n"},
		{`[01]`, 2, "array(1) partial\n 0: number 0\n"},
		{`[1.]`, 3, "array(1) partial\n 0: number 1. partial\n"},
		{`[1e+]`, 4, "array(1) partial\n 0: number 1e+ partial\n"},
		{`[1] x`, 4, "array(1)\n 0: number 1\n"},
		{`{}{}`, 2, "object(0)\n"},
		{"\xEF\xBB\xBF{\"a\":1}", 0, "object(1)\n a: number 1\n"},
	}
	for _, test := range tests {
		tree, err := Parse([]byte(test.raw))
		var syntax *SyntaxError
		if !errors.As(err, &syntax) || syntax.Offset != test.offset || syntax.What == "" {
			t.Errorf("%q: error %v, want one at byte %d", test.raw, err, test.offset)
		}
		if diff := cmp.Diff(test.want, dump(tree)); diff != "" {
			t.Errorf("%q: %s", test.raw, diff)
		}
		if (tree.Root() == None) != (test.want == "") || tree.Rows() != tree.Len() {
			t.Errorf("%q: root %d, %d rows of %d", test.raw, tree.Root(), tree.Rows(), tree.Len())
		}
	}
}

func TestLimits(t *testing.T) {
	for _, test := range []struct {
		raw    string
		limits Limits
		want   LimitError
		nodes  int
	}{
		{`[1,2,3,4]`, Limits{Nodes: 3}, LimitError{5, "values", 3}, 3},
		{`[[[[]]]]`, Limits{Depth: 3}, LimitError{3, "levels", 3}, 3},
		{`["abcdef","x"]`, Limits{Bytes: 5}, LimitError{5, "bytes", 5}, 2},
		{`[1]          `, Limits{Bytes: 5}, LimitError{5, "bytes", 5}, 2},
	} {
		tree, err := ParseLimits([]byte(test.raw), test.limits)
		var limit *LimitError
		if !errors.As(err, &limit) || *limit != test.want || tree.Len() != test.nodes {
			t.Errorf("%s %+v: %v, %d values", test.raw, test.limits, err, tree.Len())
		}
	}
	// What is damaged before the limit is damage.
	if _, err := ParseLimits([]byte(`[1,,2,3]`), Limits{Bytes: 5}); !errors.As(err, new(*SyntaxError)) {
		t.Errorf("%v", err)
	}
}

func TestDeep(t *testing.T) {
	raw := strings.Repeat(`{"a":[`, 5_000) + "1" + strings.Repeat("]}", 5_000)
	tree := parse(t, raw)
	last := Node(tree.Len() - 1)
	if tree.Len() != 10_001 || tree.Depth(last) != 10_000 {
		t.Fatalf("%d values, depth %d", tree.Len(), tree.Depth(last))
	}
	pointer := tree.Pointer(last)
	if pointer != strings.Repeat("/a/0", 5_000) {
		t.Errorf("pointer %.40s…", pointer)
	}
	if n, ok := tree.Find(pointer); n != last || !ok {
		t.Errorf("Find gave %d, %v", n, ok)
	}
	tree.FoldBelow(7)
	if tree.Rows() != 8 || tree.Shown(last) != 7 {
		t.Errorf("%d rows, %d stands for the last one", tree.Rows(), tree.Shown(last))
	}
	tree.Reveal(last)
	if !tree.Visible(last) || tree.RowOf(last) != 10_000 {
		t.Errorf("row %d", tree.RowOf(last))
	}
	_, err := Parse([]byte(strings.Repeat("[", 1_000_000)))
	if want := (&LimitError{10_000, "levels", 10_000}); err == nil || err.Error() != want.Error() {
		t.Errorf("%v, want %v", err, want)
	}
}

func TestRelatives(t *testing.T) {
	tree := parse(t, sample)
	for n := Node(0); int(n) < tree.Len(); n++ {
		count := 0
		prev := None
		for c := tree.FirstChild(n); c != None; c = tree.NextSibling(c) {
			if tree.Parent(c) != n || tree.PrevSibling(c) != prev {
				t.Errorf("child %d of %d: parent %d, before it %d, want %d", c, n, tree.Parent(c), tree.PrevSibling(c), prev)
			}
			prev = c
			count++
		}
		if count != tree.Children(n) {
			t.Errorf("%d has %d children, not %d", n, count, tree.Children(n))
		}
	}
	if tree.Parent(0) != None || tree.NextSibling(0) != None || tree.PrevSibling(0) != None {
		t.Error("the root has relatives")
	}
}

func TestAtOffset(t *testing.T) {
	raw := ` {"a": [10, {}], "b":"x"} `
	tree := parse(t, raw)
	want := map[string]string{ // the byte at a marker, and the pointer of what covers it
		`{"a"`: "", `a": [`: "/a", `[10`: "/a", `10`: "/a/0", `0,`: "/a/0", `, {`: "/a", `{}`: "/a/1", `}]`: "/a/1", `], `: "/a", `, "b"`: "", `"b"`: "/b", `:"x"`: "/b", `"} `: "/b", `} `: "",
	}
	for marker, pointer := range want {
		n := tree.AtOffset(strings.Index(raw, marker))
		if n == None || tree.Pointer(n) != pointer {
			t.Errorf("at %q: %d", marker, n)
		}
	}
	for _, outside := range []int{-1, 0, len(raw) - 1, len(raw) + 9} {
		if n := tree.AtOffset(outside); n != None {
			t.Errorf("at %d: %d", outside, n)
		}
	}
}

// FuzzParse: the tree agrees with a JSON decoder on what is valid and on every token, and never
// panics on what is not.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{sample, `[1,2`, `{"a":"\u12`, "\xEF\xBB\xBF[]", `"\ud800"`, "[\"\xFF\",0.0E-9,{}]", `[[[[[1]]]],2,{"a":{"b":[3]}}]`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		tree, err := Parse(raw)
		valid := jsontext.Value(raw).IsValid(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
		if valid != (err == nil) {
			t.Fatalf("valid %v, error %v", valid, err)
		}
		for n := Node(0); int(n) < tree.Len(); n++ {
			start, end := tree.Span(n)
			if start >= end || end > len(raw) || tree.AtOffset(start) != n {
				t.Fatalf("value %d at %d to %d, AtOffset %d", n, start, end, tree.AtOffset(start))
			}
			tree.Preview(n)
			tree.Text(n)
			tree.JQ(n)
			// With duplicate keys a pointer may mean another value, or none.
			if found, ok := tree.Find(tree.Pointer(n)); !duplicates(tree) && (!ok || found != n) {
				t.Fatalf("Find(%q) = %d, %v, want %d", tree.Pointer(n), found, ok, n)
			}
		}
		if err != nil {
			return
		}
		decoder := jsontext.NewDecoder(bytes.NewBuffer(raw), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
		n := Node(0)
		for {
			parent, length := decoder.StackIndex(decoder.StackDepth())
			token, err := decoder.ReadToken()
			if err != nil {
				break
			}
			kind := token.Kind()
			isKey := parent == '{' && length%2 == 0
			if isKey || kind == '}' || kind == ']' {
				continue
			}
			if got := tree.Raw(n)[0]; jsontext.Kind(got) != kind && (kind != '0' || got != '-' && (got < '0' || got > '9')) {
				t.Fatalf("value %d is %s, want %v", n, tree.Raw(n), kind)
			}
			if tree.Depth(n) != decoder.StackDepth()-map[bool]int{true: 1}[kind == '{' || kind == '['] {
				t.Fatalf("depth of %d is %d", n, tree.Depth(n))
			}
			n++
		}
		if int(n) != tree.Len() {
			t.Fatalf("%d values, want %d", tree.Len(), n)
		}
	})
}

func duplicates(t *Tree) bool {
	type place struct {
		parent Node
		key    string
	}
	seen := map[place]bool{}
	for n := Node(0); int(n) < t.Len(); n++ {
		if key, ok := t.Key(n); ok {
			if seen[place{t.Parent(n), key}] {
				return true
			}
			seen[place{t.Parent(n), key}] = true
		}
	}
	return false
}

func BenchmarkParse(b *testing.B) {
	rows := `[` + strings.TrimSuffix(strings.Repeat(`{"id":12,"name":"a name","tags":["x","y"],"price":12.5},`, 18_000), ",") + `]`
	for name, raw := range map[string]string{"rows-1MB": rows, "string-10MB": `"` + strings.Repeat(`some text\n`, 1_000_000) + `"`} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(raw)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Parse([]byte(raw)); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
