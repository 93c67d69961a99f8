package tui

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// The settings on docs/settings.md are taken as they stand there, and the page names all themes and columns.
func TestSettingsPage(t *testing.T) {
	page, err := os.ReadFile("../docs/settings.md")
	if err != nil {
		t.Fatal(err)
	}
	blocks := regexp.MustCompile("(?s)```toml\n(.*?)```").FindAllStringSubmatch(string(page), -1)
	if len(blocks) < 2 {
		t.Fatalf("the page has %d examples", len(blocks))
	}
	for _, b := range blocks {
		if err := CheckSettings(settingsOf(t, b[1])); err != nil {
			t.Errorf("%v in\n%s", err, b[1])
		}
	}
	for _, name := range append(themeNames(), columnNames...) {
		if !strings.Contains(blocks[0][1], name) {
			t.Errorf("the page does not name %s", name)
		}
	}
}

// The keys that the pages speak of are bound to something.
func TestPagesNameKeys(t *testing.T) {
	known := keysPage()
	key := regexp.MustCompile("`([^`]|ctrl\\+.|shift\\+tab|f[0-9]+|tab|enter|esc|space)`")
	found := 0
	for _, name := range []string{"tui.md", "troubleshooting.md", "resend.md"} {
		page, err := os.ReadFile("../docs/" + name)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range key.FindAllStringSubmatch(string(page), -1) {
			if m[1] == "↑" {
				continue // of the bar in which filters are written
			}
			found++
			if !strings.Contains(known, "`"+m[1]+"`") {
				t.Errorf("docs/%s speaks of the key %s, which does nothing", name, m[1])
			}
		}
	}
	if found < 80 {
		t.Errorf("only %d keys", found)
	}
}
