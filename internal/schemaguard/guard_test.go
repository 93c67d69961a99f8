package schemaguard

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
)

// Nothing is opened, even if it is there and would fit.
func TestNothingIsOpened(t *testing.T) {
	asked := false
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked = true
		fmt.Fprint(w, `{"type":"string"}`)
	}))
	defer server.Close()
	file := filepath.Join(t.TempDir(), "s.json")
	if err := os.WriteFile(file, []byte(`{"type":"string"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, target := range []string{server.URL + "/s.json", "file://" + filepath.ToSlash(file), filepath.ToSlash(file)} {
		for _, schema := range []string{`{"$ref":%q}`, `{"$schema":%q}`, `{"$id":%q,"$ref":"s.json?"}`, `{"properties":{"a":{"$id":"x","$schema":%q}}}`,
			`{"$schema":"https://json-schema.org/draft/2020-12/schema","items":{"$dynamicRef":%q}}`} {
			if _, err := Compile(fmt.Appendf(nil, schema, target), Draft202012); err == nil {
				t.Errorf(schema+" was compiled", target)
			}
		}
	}
	if asked {
		t.Error("the server was asked")
	}
}

func TestPatterns(t *testing.T) {
	for _, c := range []struct {
		pattern string
		yes, no []string
	}{
		{`^\u0061\x62$`, []string{"ab"}, []string{"a"}},
		{`^[\u{1F600}-\u{1F64F}]$`, []string{"😀"}, []string{"a"}},
		{`^\s$`, []string{" ", "\u00a0", "\u2003", "\v", "\ufeff"}, []string{"a", ""}},
		{`^[^\s]$`, []string{"a"}, []string{"\u00a0"}},
		{`^\S+$`, []string{"ab"}, []string{"a\u00a0b"}},
		{`^.$`, []string{"a", "é"}, []string{"\n", "\r", "\u2028"}},
		{`^[.]$`, []string{"."}, []string{"a"}},
		{`^[^]$`, []string{"\n"}, []string{""}},
		{`[]`, nil, []string{"", "a"}},
		{`^\/a\-b$`, []string{"/a-b"}, []string{"a"}},
		{`^[[a]$`, []string{"[", "a"}, []string{"b"}},
		{`^\cJ$`, []string{"\n"}, []string{"J"}},
		{`^\cZ$`, []string{"\x1a"}, nil},
		{`^\0$`, []string{"\x00"}, nil},
		{`^\d{3}-\w+$`, []string{"123-a_1"}, []string{"12-a"}},
		{`^(?:a|b)*?$`, []string{"", "abab"}, []string{"c"}},
		{`^(?<year>\d{4})$`, []string{"2025"}, nil},
		{`^\p{L}+$`, []string{"äb"}, []string{"1"}},
		{`a]`, []string{"a]"}, nil},
	} {
		p, err := compilePattern(c.pattern, maxProgram)
		if err != nil {
			t.Errorf("%s: %v", c.pattern, err)
			continue
		}
		for _, s := range c.yes {
			if !p.program.MatchString(s) {
				t.Errorf("%s should match %q", c.pattern, s)
			}
		}
		for _, s := range c.no {
			if p.program.MatchString(s) {
				t.Errorf("%s should not match %q", c.pattern, s)
			}
		}
	}
	for _, source := range []string{`(?=a)`, `(?!a)`, `(?<=a)`, `(?<!a)`, `(a)\1`, `\k<a>`, `(`, `a{2000}`, `[\b]`} {
		if _, err := compilePattern(source, maxProgram); err == nil {
			t.Errorf("%s was taken", source)
		}
	}
}

func TestDrafts(t *testing.T) {
	for schema, want := range map[string]Draft{
		"https://json-schema.org/draft/2020-12/schema":   Draft202012,
		"https://json-schema.org/draft/2020-12/schema#":  Draft202012,
		"http://json-schema.org/draft-07/schema#":        Draft07,
		"http://json-schema.org/draft-07/schema":         Draft07,
		"https://json-schema.org/draft/2019-09/schema":   Draft201909,
		"http://json-schema.org/draft-06/schema#":        Draft06,
		"http://json-schema.org/draft-04/schema#":        Draft04,
		"http://json-schema.org/draft-03/schema#":        "",
		"http://json-schema.org/schema":                  "",
		"":                                               "",
		"ftp://json-schema.org/draft-07/schema#":         "",
		"https://json-schema.org/draft/2020-12/schema#a": "",
	} {
		if got := DraftOf(schema); got != want {
			t.Errorf("%q is %q", schema, got)
		}
	}
	if DefaultDraft("2025-06-18") != Draft07 || DefaultDraft("2025-11-25") != Draft202012 || DefaultDraft("2026-07-28") != Draft202012 {
		t.Error("default dialects")
	}
	// An assumed dialect does not assert formats, a named one does as it says.
	s, err := Compile([]byte(`{"items":[{"format":"email"}]}`), Draft07)
	if err != nil || s.Named || s.Draft != Draft07 {
		t.Fatal(s, err)
	}
	if v := s.Check([]byte(`["x"]`)); !v.Valid() {
		t.Error(v.Problems)
	}
}

func TestCache(t *testing.T) {
	var c Cache
	schema := func(i int) []byte { return fmt.Appendf(nil, `{"maximum":%d}`, i) }
	first, err := c.Compile(schema(0), Draft07)
	if err != nil {
		t.Fatal(err)
	}
	if again, _ := c.Compile(schema(0), Draft07); again != first {
		t.Error("compiled twice")
	}
	if other, _ := c.Compile(schema(0), Draft202012); other == first {
		t.Error("dialects are mixed up")
	}
	if _, err := c.Compile([]byte(`{"type":7}`), Draft07); err == nil {
		t.Error("invalid schema was taken")
	}
	if _, err := c.Compile([]byte(`{"type":7}`), Draft07); err == nil {
		t.Error("refusal was not remembered")
	}
	for i := range maxCached + 100 {
		if _, err := c.Compile(schema(i+1), Draft07); err != nil {
			t.Fatal(err)
		}
		if i%100 == 0 {
			if again, _ := c.Compile(schema(0), Draft07); again != first {
				t.Fatal("what is used was thrown away")
			}
		}
	}
	if len(c.entries) != maxCached {
		t.Errorf("%d entries", len(c.entries))
	}
	large := func(i int) []byte {
		return fmt.Appendf(nil, `{"description":"%d %s"}`, i, string(slices.Repeat([]byte{'x'}, 900_000)))
	}
	for i := range 30 {
		if _, err := c.Compile(large(i), Draft07); err != nil {
			t.Fatal(err)
		}
	}
	if c.size > maxCachedBytes {
		t.Errorf("%d bytes", c.size)
	}
	var wait sync.WaitGroup
	for g := range 4 {
		wait.Go(func() {
			for i := range 200 {
				s, err := c.Compile(schema(i*g%50), Draft07)
				if err != nil || !s.Check([]byte(`-1`)).Valid() {
					t.Error(err)
				}
			}
		})
	}
	wait.Wait()
}

func FuzzSchema(f *testing.F) {
	for _, seed := range [][2]string{
		{`{"type":"object","properties":{"a":{"type":"integer"}}}`, `{"a":"x"}`},
		{`{"$ref":"#"}`, `1`},
		{`{"$defs":{"a":{"allOf":[{"$ref":"#/$defs/b"},{"$ref":"#/$defs/b"}]},"b":{}},"$ref":"#/$defs/a"}`, `[]`},
		{`{"items":{"$ref":"#"},"uniqueItems":true,"contains":{"const":1},"minContains":2}`, `[[1],[1]]`},
		{`{"$schema":"http://json-schema.org/draft-04/schema#","id":"x","dependencies":{"a":["b"],"c":{"not":{}}}}`, `{"a":1,"c":2}`},
		{`{"oneOf":[{"const":1},{"enum":["a"]},{"pattern":"^a"}],"not":{"oneOf":[true,false]}}`, `"b"`},
		{`{"unevaluatedItems":false,"prefixItems":[{"if":true,"then":{"multipleOf":0.1}}],"propertyNames":{"format":"regex"}}`, `[1.25,2]`},
	} {
		f.Add([]byte(seed[0]), []byte(seed[1]))
	}
	f.Fuzz(func(t *testing.T, schema, instance []byte) {
		Inspect(schema)
		s, err := Compile(schema, Draft202012)
		if err != nil {
			return
		}
		v := s.Check(instance)
		if v.NotChecked != nil && v.NotChecked.Reason == Internal {
			t.Fatal(v.NotChecked)
		}
		if v.Work > MaxWork || len(v.Problems) > MaxProblems {
			t.Fatalf("%d steps, %d problems", v.Work, len(v.Problems))
		}
		if again := s.Check(instance); verdict(again) != verdict(v) {
			t.Fatalf("first\n%s\nthen\n%s", verdict(v), verdict(again))
		}
	})
}
