package jsontree

import (
	"bytes"
	"encoding/base64"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

func TestPaths(t *testing.T) {
	tree := parse(t, `{"result":{"content":[{"text":"x"}],"a/b~":1,"":2,"a b":3,"2x":4,"é":5,"q\"\\(x)":6,"_1":7},"":{"":8}}`)
	for pointer, jq := range map[string]string{
		"":                       ".",
		"/result":                ".result",
		"/result/content/0":      ".result.content[0]",
		"/result/content/0/text": ".result.content[0].text",
		"/result/a~1b~0":         `.result["a/b~"]`,
		"/result/":               `.result[""]`,
		"/result/a b":            `.result["a b"]`,
		"/result/2x":             `.result["2x"]`,
		"/result/é":              `.result["é"]`,
		`/result/q"\(x)`:         `.result["q\"\\(x)"]`,
		"/result/_1":             ".result._1",
		"/":                      `.[""]`,
		"//":                     `.[""][""]`,
	} {
		n, ok := tree.Find(pointer)
		if !ok || tree.Pointer(n) != pointer || tree.JQ(n) != jq {
			t.Errorf("%q: %v, pointer %q, jq %s, want %s", pointer, ok, tree.Pointer(n), tree.JQ(n), jq)
		}
	}
	if got := parse(t, `[[1]]`).JQ(2); got != ".[0][0]" {
		t.Errorf("jq %s", got)
	}
	for pointer, nearest := range map[string]string{
		"/result/content/1": "/result/content", "/result/content/00": "/result/content", "/result/content/-": "/result/content",
		"/result/content/4294967296": "/result/content", "/result/content/0/text/x": "/result/content/0/text", "/x": "", "x": "", "/result/content/": "/result/content",
	} {
		if n, ok := tree.Find(pointer); ok || tree.Pointer(n) != nearest {
			t.Errorf("%q: found %q, %v", pointer, tree.Pointer(n), ok)
		}
	}
	if n, _ := parse(t, `{"a":1,"b":2,"a":3}`).Find("/a"); n != 3 {
		t.Errorf("of a duplicated key %d was found, not the last one", n)
	}
}

func TestSearch(t *testing.T) {
	tree := parse(t, `{"Name":"alpha [x]","list":[true,12.5,null,"b\u00e9ta\nALPHA","ÄÖ"],"alphabet":{}}`)
	// Name=1 list=2 true=3 12.5=4 null=5 beta=6 ÄÖ=7 alphabet=8
	for _, test := range []struct {
		query    string
		from     Node
		backward bool
		want     Node
		wrapped  bool
	}{
		{"alpha", None, false, 1, false},
		{"alpha", 1, false, 6, false},
		{"alpha", 6, false, 8, false},
		{"alpha", 8, false, 1, true},
		{"alpha", None, true, 8, false},
		{"alpha", 6, true, 1, false},
		{"alpha", 1, true, 8, true},
		{"ALPHA", None, false, 6, false}, // an upper case letter makes case matter
		{"name", None, false, 1, false},
		{"Name", 1, false, 1, true}, // the only one
		{"[x]", None, false, 1, false},
		{"12.", None, false, 4, false},
		{"tru", None, false, 3, false},
		{"béta", None, false, 6, false},
		{"ta\na", None, false, 6, false},
		{"äö", None, false, 7, false},
		{"nope", None, false, None, false},
		{"", None, false, None, false},
		{"{", None, false, None, false},
	} {
		n, wrapped, ok := tree.Search(NewQuery(test.query), test.from, test.backward)
		if n != test.want || wrapped != test.wrapped || ok != (test.want != None) {
			t.Errorf("%q from %d, backward %v: %d, wrapped %v, %v", test.query, test.from, test.backward, n, wrapped, ok)
		}
	}
}

func TestPreview(t *testing.T) {
	png := base64.StdEncoding.EncodeToString(append([]byte("\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR"), bytes.Repeat([]byte{0, 1, 250, 99}, 300)...))
	wav := base64.RawURLEncoding.EncodeToString(append([]byte("RIFF\x00\x01\x00\x00WAVEfmt "), bytes.Repeat([]byte{7, 200, 13}, 100)...))
	long := strings.Repeat("ab ", 2_000)
	for _, test := range []struct {
		name, raw string
		want      Preview
	}{
		{"number", `-1.50`, Preview{Text: "-1.50", Bytes: 5}},
		{"null", `null`, Preview{Text: "null", Bytes: 4}},
		{"string", `"a\n\u00e9\"b"`, Preview{Text: "a\né\"b", Bytes: 12}},
		{"empty string", `""`, Preview{}},
		{"object", "{ \"a b\" : [1,\n 2], \"c\" : \" \\\" \" }", Preview{Text: `{"a b":[1,2],"c":" \" "}`, Bytes: 33}},
		{"empty array", `[ ]`, Preview{Text: "[]", Bytes: 3}},
		{"long array", "[" + strings.Repeat("1,", 500) + "1]", Preview{Text: "[" + strings.Repeat("1,", 127) + "1", Bytes: 1003, Cut: true}},
		{"long number", strings.Repeat("1", 5_000), Preview{Text: strings.Repeat("1", 4_096), Bytes: 5_000, Cut: true}},
		{"long text", `"` + long + `"`, Preview{Text: long[:4096], Bytes: 6_000, Cut: true}},
		{"cut before a character", `"` + strings.Repeat("a", 4_095) + `é"`, Preview{Text: strings.Repeat("a", 4_095), Bytes: 4_097, Cut: true}},
		{"cut before an escape", `"` + strings.Repeat("a", 4_092) + `\u00e9x"`, Preview{Text: strings.Repeat("a", 4_092), Bytes: 4_099, Cut: true}},
		{"cut before a pair", `"` + strings.Repeat("a", 4_090) + `\ud83d\ude00"`, Preview{Text: strings.Repeat("a", 4_090), Bytes: 4_102, Cut: true}},
		{"base64", `"` + png + `"`, Preview{Bytes: len(png), Base64: true, Decoded: 1216, Media: "image/png"}},
		{"base64url", `"` + wav + `"`, Preview{Bytes: len(wav), Base64: true, Decoded: 316, Media: "audio/wav"}},
		{"data url", `"data:image/svg+xml;charset=utf-8;base64,PHN2Zz48L3N2Zz4K"`, Preview{Bytes: 56, Base64: true, Decoded: 12, Media: "image/svg+xml"}},
		{"data url of text", `"data:text/plain,hello"`, Preview{Text: "data:text/plain,hello", Bytes: 21}},
		{"short", `"aGVsbG8gd29ybGQ="`, Preview{Text: "aGVsbG8gd29ybGQ=", Bytes: 16}},
		{"digest", `"` + strings.Repeat("0123456789abcdef", 16) + `"`, Preview{Text: strings.Repeat("0123456789abcdef", 16), Bytes: 256}},
		{"path", `"` + strings.Repeat("/usr/Local/bin", 12) + `"`, Preview{Text: strings.Repeat("/usr/Local/bin", 12), Bytes: 168}},
		{"wrong length", `"` + png[:len(png)-4] + `Q==="`, Preview{Text: png[:len(png)-4] + "Q===", Bytes: len(png)}},
	} {
		t.Run(test.name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, parse(t, test.raw).Preview(0)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestHugeString(t *testing.T) {
	for _, unit := range []string{"text ", `\"`, "QUJD1abc", "é\\n", `\ud83d\ude00`} {
		raw := `{"a":"` + strings.Repeat(unit, 10<<20/len(unit)) + `"}`
		tree := parse(t, raw)
		p := tree.Preview(1)
		if len(p.Text) > maxPreview || !utf8.ValidString(p.Text) || p.Bytes != len(raw)-8 || p.Cut == p.Base64 {
			t.Errorf("%q: %d bytes of text, %+v", unit, len(p.Text), p.Bytes)
		}
		if n := testing.AllocsPerRun(5, func() { tree.Preview(1); tree.Preview(0) }); n > 10 {
			t.Errorf("%q: %v allocations", unit, n)
		}
	}
}

func TestPretty(t *testing.T) {
	raw := []byte(`{"b":[1,2.50,{"c":[]}],"a":{"k":1,"k":2},"s":"a\"\u00e9 b"}`)
	for width, want := range map[int]string{
		0:   "{\n  \"b\": [\n    1,\n    2.50,\n    {\n      \"c\": []\n    }\n  ],\n  \"a\": {\n    \"k\": 1,\n    \"k\": 2\n  },\n  \"s\": \"a\\\"\\u00e9 b\"\n}",
		100: `{ "b": [1, 2.50, { "c": [] }], "a": { "k": 1, "k": 2 }, "s": "a\"\u00e9 b" }`,
	} {
		if got, ok := Pretty(raw, width); string(got) != want || !ok {
			t.Errorf("width %d, %v:\n%s", width, ok, got)
		}
	}
}

func TestPrettyRefuses(t *testing.T) {
	deep := func(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }
	for name, raw := range map[string]string{
		"empty": "", "damaged": `{"a":1`, "two values": "{} {}", "literal": "nul", "comment": "{} // x", "not a number": "[NaN]", "trailing comma": "[1,]",
		"byte order mark": "\xEF\xBB\xBF{}", "bad utf-8": "\"\xFF\"", "too deep": deep(501), "too large": `"` + strings.Repeat("a", 1<<20) + `"`,
		"grows too much": strings.Repeat("[", 400) + strings.Repeat("1,", 300_000) + "1" + strings.Repeat("]", 400),
	} {
		if got, ok := Pretty([]byte(raw), 80); ok || string(got) != raw {
			t.Errorf("%s: laid out", name)
		}
	}
	for name, raw := range map[string]string{"deep": deep(500), "large": `"` + strings.Repeat("a", 1<<20-2) + `"`} {
		if _, ok := Pretty([]byte(raw), 80); !ok {
			t.Errorf("%s: refused", name)
		}
	}
}

// What is laid out still says the same.
func FuzzPretty(f *testing.F) {
	f.Add([]byte(sample), 20)
	f.Add([]byte(`[{"a\\":"\"\\\\","b":[[],{}],"c":-1e5}]`), 0)
	f.Add([]byte("[\"\u202e\x7f\",\r\n{}]"), 80)
	f.Fuzz(func(t *testing.T, raw []byte, width int) {
		if len(raw) > 10_000 {
			t.Skip()
		}
		laid, ok := Pretty(raw, width%300)
		if ok {
			if got, want := squeeze(laid), squeeze(raw); got != want {
				t.Fatalf("laid out\n%s\nwas\n%s", got, want)
			}
		} else if !bytes.Equal(laid, raw) {
			t.Fatalf("refused, but changed: %q", laid)
		}
	})
}

// squeeze returns JSON without the white space between its tokens.
func squeeze(raw []byte) string {
	var b strings.Builder
	quoted := false
	for i := 0; i < len(raw); i++ {
		switch c := raw[i]; {
		case quoted && c == '\\':
			b.WriteByte(c)
			i++
		case c == '"':
			quoted = !quoted
		case !quoted && strings.IndexByte(" \t\r\n", c) >= 0:
			continue
		}
		b.WriteByte(raw[i])
	}
	return b.String()
}
