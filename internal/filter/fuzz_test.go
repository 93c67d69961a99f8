package filter

import (
	"errors"
	"testing"
	"unicode/utf8"
)

// Any text is an expression or an error that points into it; an expression's normal form is its own,
// and lets the same entries pass.
func FuzzParse(f *testing.F) {
	for _, src := range []string{
		"", `method == "tools/call" && latency > 500ms`, `method:tools/* is:pending -is:ok`, `pair(params.a[*]["x y"] ~ /q/i || !json contains "\xff")`,
		`seq in {1..4, 9} time == 23:59:50..00:00:01 size:>1.5kB`, `finding.level >= warning capability:"client sampling undeclared"`, `id:{3,"x",a*} error:-32601`,
		`/a\/b/i (a or 'b') not c`, `flow == 8.2 t < 90 latency_ms != 1e3`, `revision >= 2025-06-18 primitive == null cancelled:false`, `result.n in 1..2.5 result.x not in {a, null, true}`,
		`kind==respone`, `rpc.metod == 1`, `a && (`, `"\q"`, `params[`, "日本 && x == 1", `time > "2026-11-29 14:02:11.5"`, `tool matches "(?i)a/b"`, `-params.x:1 file:///a`,
	} {
		f.Add(src)
	}
	entries := recording()
	tab := newTable(entries)
	f.Fuzz(func(t *testing.T, src string) {
		x, err := Parse(src)
		if err != nil {
			var at *SyntaxError
			if !errors.As(err, &at) || at.Offset < 0 || at.Offset > len(src) || at.Len < 0 || at.Offset+at.Len > len(src) || at.Message == "" {
				t.Fatalf("%q: error %#v", src, err)
			}
			if source, mark := at.Caret(); !utf8.ValidString(source) || mark == "" || at.Column() < 1 {
				t.Fatalf("%q: caret %q %q", src, source, mark)
			}
			return
		}
		normal := x.String()
		y, err := Parse(normal)
		if err != nil {
			t.Fatalf("%q: its normal form %q: %v", src, normal, err)
		}
		if y.String() != normal {
			t.Fatalf("%q: normal form %q of normal form %q", src, y, normal)
		}
		if x.Needs() != y.Needs() || x.LooksAhead() != y.LooksAhead() {
			t.Fatalf("%q and its normal form %q differ in what they need", src, normal)
		}
		if passing(t, x, entries) != passing(t, y, entries) {
			t.Fatalf("%q and its normal form %q differ", src, normal)
		}
		if n := And(x, Not(x)); !x.Empty() {
			for i := range entries {
				if n.Match(tab.cursor(i)) {
					t.Fatalf("%s passes", n)
				}
			}
		}
	})
}

// Completion of any text at any place gives a place before the cursor.
func FuzzComplete(f *testing.F) {
	for _, src := range []string{"", "meth", `method == "to`, "is:", "-fro", "params.arguments.", "kind in {re", "a &&  ", "pair(", "id:\xff", `"abc`, "/x"} {
		f.Add(src, len(src))
	}
	f.Fuzz(func(t *testing.T, src string, cursor int) {
		from, proposals := Complete(src, cursor, seen)
		if from < 0 || from > max(0, min(cursor, len(src))) {
			t.Fatalf("%q at %d: from %d", src, cursor, from)
		}
		for _, p := range proposals {
			if p.Text == "" {
				t.Fatalf("%q at %d: an empty proposal", src, cursor)
			}
		}
	})
}

// Paths read no more than there is, whatever the bytes.
func FuzzFind(f *testing.F) {
	for _, raw := range []string{`{"a":[1,{"b":"c\"d"}]}`, `[[],{}, 1.5e3 ]`, `{"a":`, `"\ud83d\ude00"`, `{"\u0061":1}`, `]`, `{,:}`} {
		f.Add([]byte(raw), "a")
	}
	f.Fuzz(func(t *testing.T, raw []byte, key string) {
		for _, steps := range [][]step{nil, {{key: key}}, {{kind: each}, {key: key}}, {{kind: each}, {kind: each}}, {{kind: element, index: 1}, {kind: each}}} {
			find(raw, steps, func(v []byte) bool { _ = jsonText(v); return false })
		}
		_ = unescaped(string(raw))
	})
}
