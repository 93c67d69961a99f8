package settings

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func write(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "settings.toml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestLoad(t *testing.T) {
	s, err := Load(write(t, `
theme = "dark"
no-motion = true
columns = ["number", "method"]
times = "day"

[keys]
follow = "f5"
next-error = ["e", "ctrl+n"]

[[quick]]
name = "searches"
filter = 'tool == "search"'
`))
	if err != nil {
		t.Fatal(err)
	}
	got := *s
	got.path, got.lines = "", nil
	want := Settings{Theme: "dark", NoMotion: true, Columns: []string{"number", "method"}, Times: "day",
		Keys:         map[string][]string{"follow": {"f5"}, "next-error": {"e", "ctrl+n"}},
		QuickFilters: []QuickFilter{{"searches", `tool == "search"`}}}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(Settings{})); diff != "" {
		t.Error(diff)
	}
	if err := s.Fault("keys.follow", "no such action"); !strings.Contains(err.Error(), "line 8: keys.follow: no such action") {
		t.Error(err)
	}
	if err := s.Fault("quick.0.filter", "wrong"); !strings.Contains(err.Error(), "line 13: quick.0.filter: wrong") {
		t.Error(err)
	}
}

func TestNoFile(t *testing.T) {
	s, err := Load(filepath.Join(t.TempDir(), "none.toml"))
	if err != nil || s.Theme != "" || s.Keys != nil {
		t.Errorf("%+v, %v", s, err)
	}
}

func TestBadFile(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"theme = dark\n", "line 1"},
		{"\n\nthme = \"dark\"\n", `line 3: unknown setting "thme"`},
		{"ascii = 3\n", "line 1: ascii must be true or false, is of type integer"},
		{"theme = [1]\n", "line 1: theme must be a text, is of type array"},
		{"columns = \"time\"\n", "line 1: columns must be a list of texts, is of type string"},
		{"[redact]\nkeys = 3\n", "line 2: redact.keys must be a list of texts, is of type integer"},
		{"quick = 2\n", "line 1: quick must be a list of tables, is of type integer"},
		{"[[quick]]\nname = {a = 1}\n", "line 2: quick.name must be a text, is of type inline table"},
		{"# x\ntimes = \"late\"\n", `line 2: times: "late" is none of`},
		{"\n[keys]\nfollow = 3\n", `line 3: keys.follow: "3" is no key`},
		{"[keys]\nfollow = [\"\"]\n", "line 2: keys.follow"},
		{"[[quick]]\nname = \"a\"\nfilter = \"rpc.metod == 1\"\n", "line 3: quick.0.filter: column 1: unknown field"},
		{"[[quick]]\nfilter = \"tool\"\n", "line 1: quick.0: a quick filter needs a name"},
		{"[[quick]]\nname = \"a\"\nfilter = \"tool\"\n[[quick]]\nname = \"a\"\nfilter = \"tool\"\n", `line 5: quick.1.name: there are two`},
		{"[[quick]]\nname = \"a\"\n", "line 1: quick.0: the quick filter"},
		{"\xff\n", "line 1"},
	} {
		path := write(t, c.text)
		_, err := Load(path)
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), path) {
			t.Errorf("%q: %v, want %q", c.text, err, c.want)
		}
	}
}

func TestDefaultPath(t *testing.T) {
	t.Setenv("SHAKESCOPE_SETTINGS", "elsewhere.toml")
	if p, err := DefaultPath(); err != nil || p != "elsewhere.toml" {
		t.Error(p, err)
	}
}
