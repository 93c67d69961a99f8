package annotate

import (
	"encoding/json"
	"testing"

	"github.com/shakescope/shakescope/jsonrpc"
)

func TestMembers(t *testing.T) {
	obj := []byte(` { "a" : 1 , "b":{"a":[1,"]}",{}]}, "c\u0064":"x\\\"y" ,"a":null,"e":[ ] } `)
	for _, c := range []struct {
		path []string
		want string
	}{
		{[]string{"a"}, "null"},
		{[]string{"b", "a"}, `[1,"]}",{}]`},
		{[]string{"cd"}, `"x\\\"y"`},
		{[]string{"e"}, "[ ]"},
		{[]string{"f"}, ""},
		{[]string{"a", "b"}, ""},
	} {
		if got := string(member(obj, c.path...)); got != c.want {
			t.Errorf("%v: %q, want %q", c.path, got, c.want)
		}
	}
	if n := count(member(obj, "b", "a")); n != 3 {
		t.Errorf("%d elements, want 3", n)
	}
}

// What encoding/json sees in an object is what members sees, and nothing makes either of them fail.
func FuzzMembers(f *testing.F) {
	for _, s := range []string{`{}`, `{"a":1}`, `{"a":{"b":"}"}, "c":[1,[2]] }`, `{"a`, `{"a":"\`, `{"a":"\\"}`, `[1,2`, `{"\u0061":tru`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		got := map[string]string{}
		members(b, func(k, v []byte) bool { got[string(k)] = string(v); return true })
		elements(b, func([]byte) bool { return true })
		var want map[string]json.RawMessage
		if !jsonrpc.Valid(b) || json.Unmarshal(b, &want) != nil {
			return
		}
		if len(got) != len(want) {
			t.Fatalf("%q: %d members, want %d", b, len(got), len(want))
		}
		for k, v := range want {
			if got[k] != string(v) {
				t.Fatalf("%q: member %q is %q, want %q", b, k, got[k], v)
			}
		}
	})
}
