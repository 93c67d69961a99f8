package jsonrpc

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestLookup(t *testing.T) {
	raw := ` {"a":{"b":1,"b": [2] ,"c":null},"a/b":3,"\u0078":4,"d":"s"} `
	for _, test := range []struct {
		path []string
		want string
		ok   bool
	}{
		{nil, raw, true},
		{[]string{"a"}, `{"b":1,"b": [2] ,"c":null}`, true},
		{[]string{"a", "b"}, `[2]`, true}, // the last one counts
		{[]string{"a", "c"}, `null`, true},
		{[]string{"a/b"}, `3`, true},
		{[]string{"x"}, `4`, true},
		{[]string{"a", "x"}, ``, false},
		{[]string{"d", "s"}, ``, false},
		{[]string{"a", "b", "0"}, ``, false},
		{[]string{""}, ``, false},
	} {
		got, ok := Lookup([]byte(raw), test.path...)
		if string(got) != test.want || ok != test.ok {
			t.Errorf("%q: %s, %v", test.path, got, ok)
		}
	}
	for _, bad := range []string{``, ` `, `null`, `[1]`, `{`, `{"b":1,"a"`, `{"a":`} {
		if got, ok := Lookup([]byte(bad), "a"); ok {
			t.Errorf("%q: %s", bad, got)
		}
	}
}

func TestMembers(t *testing.T) {
	var got []string
	for name, value := range Members([]byte(`{"a":1,"b\n":{"c":2},"a":"\ud800", "z` + "\xFF" + `":0}`)) {
		got = append(got, name+"="+string(value))
	}
	want := []string{"a=1", "b\n={\"c\":2}", `a="\ud800"`, "z\xFF=0"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	for name := range Members([]byte(`{"a":1,"b":2}`)) {
		if name != "a" {
			t.Errorf("%q after a break", name)
		}
		break
	}
}

func TestUnquote(t *testing.T) {
	for raw, want := range map[string]string{
		`""`: "", `"a"`: "a", `"é😀"`: "é😀", `"\"\\\/\b\f\n\r\t\u00e9\ud83d\ude00"`: "\"\\/\b\f\n\r\té😀",
		`"\ud83d!"`: "\uFFFD!", "\"\xFF\"": "\uFFFD", `"\u0000"`: "\x00",
	} {
		if got, ok := Unquote([]byte(raw)); got != want || !ok {
			t.Errorf("%s: %q, %v", raw, got, ok)
		}
	}
	for _, bad := range []string{``, `"`, `a`, `"a`, `"a"b"`, `"\"`, `"\x"`, `"\u12"`, "\"\n\"", ` "a"`, `"a" `, `1`, `null`, `"a" "b"`, `"\ud83d\x"`} {
		if got, ok := Unquote([]byte(bad)); ok {
			t.Errorf("%q gave %q", bad, got)
		}
	}
}

func TestValid(t *testing.T) {
	for _, good := range []string{`{}`, ` [1, 2] `, `"\ud800"`, `{"a":1,"a":2}`, `-0`, "\t\r\n1"} {
		if !Valid([]byte(good)) {
			t.Errorf("%q is valid", good)
		}
	}
	for _, bad := range []string{``, ` `, `{`, `{} {}`, "\"\xFF\"", "\xEF\xBB\xBF{}", `01`, `+1`, `.5`, `NaN`, "\"\x7f", "\"\x1f\"", strings.Repeat("[", 20_000) + strings.Repeat("]", 20_000)} {
		if Valid([]byte(bad)) {
			t.Errorf("%.20q is not valid", bad)
		}
	}
}
