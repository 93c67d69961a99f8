package tui

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/shakescope/shakescope/internal/settings"
)

func settingsOf(t *testing.T, text string) *settings.Settings {
	t.Helper()
	path := filepath.Join(t.TempDir(), "settings.toml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := settings.Load(path)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestSettings(t *testing.T) {
	s := settingsOf(t, "theme = \"light\"\ncolumns = [\"number\", \"latency\"]\ntimes = \"day\"\n[keys]\nnext-error = [\"E\", \"f5\"]\ntop = \"e\"\n[[quick]]\nname = \"files\"\nfilter = \"tool == get_file\"\n")
	if err := CheckSettings(s); err != nil {
		t.Fatal(err)
	}
	d := drive(t, Options{Settings: s}, &shelf{}, 120, 40)
	everyday().on(d)
	if d.m.th.name != "light" {
		t.Errorf("theme %s", d.m.th.name)
	}
	head := strings.Split(d.text(), "\n")[1]
	if strings.Contains(head, "time") || strings.Contains(head, "size") || !strings.Contains(head, "took") || !strings.Contains(head, "method") {
		t.Errorf("columns: %s", head)
	}
	d.keys("E")
	d.want(15)
	d.keys("e")
	d.want(1)
	d.keys("F")
	d.shows("files", "tool == get_file")
	d.keys("esc", "?")
	d.shows("E F5", "next error")
}

func TestBadSettings(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"theme = \"drak\"", `line 1: theme: unknown theme "drak" (there are default`},
		{"\ncolumns = [\"nmuber\"]", `line 2: columns: unknown column "nmuber" (there are number`},
		{"[keys]\nfolow = \"x\"", "line 2: keys.folow: there is no such action"},
		{"[keys]\nfollow = \"x\"\nfreeze = \"x\"", `line 3: keys.freeze: "x" is bound to follow too`},
		{"[keys]\nfollow = \"ctrl+c\"", "line 2: keys.follow: ctrl+c always quits"},
	} {
		err := CheckSettings(settingsOf(t, c.text))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v, want %q", c.text, err, c.want)
		}
	}
}
