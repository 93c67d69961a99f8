package peer

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestEdit(t *testing.T) {
	const message = `{ "id": 1, "params": {"arguments": {"q":"a", "list":[1, 2], "a/b~c": 0}, "n": null}, "big": 12345678901234567890 }`
	for _, test := range []struct {
		path, value, want string // want: what "" of the message became
		fails             string
	}{
		{"/params/arguments/q", `"x"`, `"q":"x"`, ""},
		{"params.arguments.q", `5`, `"q":5`, ""},
		{"params.arguments.list[1]", `{"k":[]}`, `[1, {"k":[]}]`, ""},
		{"params.arguments.list[2]", `3`, `[1, 2,3]`, ""},
		{"/params/arguments/list/-", `3`, `[1, 2,3]`, ""},
		{"/params/arguments/a~1b~0c", `1`, `"a/b~c": 1`, ""},
		{"/params/_meta/x.y/z", `true`, `"n": null,"_meta":{"x.y":{"z":true}}}`, ""},
		{"/id", `"s"`, `"id": "s"`, ""},
		{"result", `{}`, `12345678901234567890 ,"result":{}}`, ""},
		{"/params/n", `1`, `"n": 1`, ""},
		{"/params/n/deeper", `1`, "", "/params/n is a null"},
		{"/params/arguments/list/7", `1`, "", "has 2 elements"},
		{"/id", `{`, "", "no JSON"},
		{"", `1`, "", "no path"},
		{"params..q", `1`, "", "no path"},
		{"params.list[x]", `1`, "", "index is a number"},
		{"params.list[1", `1`, "", "index is a number"},
		{"params.list[1]x", `1`, "", "a dot is missing"},
	} {
		got, err := Edit([]byte(message), test.path, []byte(test.value))
		if test.fails != "" {
			if err == nil || !strings.Contains(err.Error(), test.fails) {
				t.Errorf("%s: %v, want an error with %q", test.path, err, test.fails)
			}
			continue
		}
		if err != nil || !strings.Contains(string(got), test.want) || !json.Valid(got) {
			t.Errorf("%s: %s (%v), want %s in it", test.path, got, err, test.want)
		}
		if !strings.Contains(string(got), `12345678901234567890`) {
			t.Errorf("%s: another value was touched: %s", test.path, got)
		}
	}
}

func FuzzEdit(f *testing.F) {
	f.Add([]byte(`{"params":{"a":[1,{"b":null}]}}`), "/params/a/1/b", []byte(`"x"`))
	f.Add([]byte(`[]`), "a.b[0].c", []byte(`1`))
	f.Add([]byte(`{"a":1,"a":{}}`), "/a/b", []byte(` {} `))
	f.Fuzz(func(t *testing.T, raw []byte, path string, value []byte) {
		out, err := Edit(raw, path, value)
		if err != nil {
			return
		}
		if json.Valid(raw) && !json.Valid(out) {
			t.Errorf("%q at %q to %q gives %q", raw, path, value, out)
		}
	})
}

func TestDifferences(t *testing.T) {
	for _, test := range []struct{ old, new, want string }{
		{`{"a":1,"b":[1,2]}`, ` { "b":[1.0, 2e0], "a":1 } `, ""},
		{`"\u0041"`, `"A"`, ""},
		{`{"a":null}`, `{}`, "/a only recorded (null)"},
		{`{}`, `{"a":null}`, "/a only asked (null)"},
		{`{"a":[1,2,3]}`, `{"a":[1,5]}`, "/a/1 recorded 2, asked 5; /a/2 only recorded (3)"},
		{`{"x/y":{"~":1}}`, `{"x/y":{"~":"1"}}`, `/x~1y/~0 recorded 1, asked "1"`},
		{`[1]`, `{"0":1}`, `the whole recorded [1], asked {"0":1}`},
		{`9007199254740993`, `9007199254740992`, "the whole recorded 9007199254740993, asked 9007199254740992"},
		{``, `{}`, "the whole only asked ({})"},
	} {
		var words []string
		for _, d := range Differences([]byte(test.old), []byte(test.new)) {
			words = append(words, d.Words("recorded", "asked"))
		}
		if got := strings.Join(words, "; "); got != test.want {
			t.Errorf("%s and %s: %s, want %s", test.old, test.new, got, test.want)
		}
	}
}

func TestParseFlaw(t *testing.T) {
	for text, want := range map[string]Flaw{
		"delay@tools/call:echo=2s":          {Kind: "delay", method: "tools/call", target: "echo", Delay: 2e9},
		"exit@#3=7":                         {Kind: "exit", nth: 3, Code: 7},
		"drop@ping":                         {Kind: "drop", method: "ping"},
		"drop@resources/read:x://a?b=c":     {Kind: "drop", method: "resources/read", target: "x://a?b=c"},
		"error@resources/read:x://a?b=c=-1": {Kind: "error", method: "resources/read", target: "x://a?b=c", Code: -1, Text: "a fault made on purpose by shakescope mock"},
		"error@tools/call#2=-32000:busy":    {Kind: "error", method: "tools/call", nth: 2, Code: -32000, Text: "busy"},
		"garbage@*=hello":                   {Kind: "garbage", Text: "hello"},
		"cut@tools/list=10":                 {Kind: "cut", method: "tools/list", Bytes: 10},
		"exit@tools/call":                   {Kind: "exit", method: "tools/call", Code: 1},
		"duplicate@tools/call:a#b":          {Kind: "duplicate", method: "tools/call", target: "a#b"},
	} {
		got, err := ParseFlaw(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		want.text = text
		if *got != want {
			t.Errorf("%s: %+v, want %+v", text, *got, want)
		}
	}
	for text, want := range map[string]string{
		"slow@ping=1s":      "must be one of delay, drop",
		"delay":             "a selector is missing",
		"delay@":            "a selector is missing",
		"delay@ping":        "delay needs a time",
		"delay@ping=fast":   "delay needs a time",
		"drop@ping=2s":      "takes nothing behind =",
		"exit@#0=7":         "from 1",
		"exit@ping=700":     "from 0 to 255",
		"cut@ping=0":        "from 1",
		"error@ping=busy":   "a code and perhaps a message",
		"delay@:echo=1s":    "a target needs its method",
		"delay@=1s":         "the selector before = is empty",
		"delay@ping#two=1s": "from 1",
	} {
		if _, err := ParseFlaw(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want an error with %q", text, err, want)
		}
	}
}
