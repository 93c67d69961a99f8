package clientconfig

import (
	"os"
	"path/filepath"
	"testing"
)

func TestLocations(t *testing.T) {
	for _, c := range []struct{ goos, client, file, variable, value string }{
		{"linux", "claude-desktop", ".config/Claude/claude_desktop_config.json", "", ""},
		{"linux", "claude-desktop", "xdg/Claude/claude_desktop_config.json", "XDG_CONFIG_HOME", "xdg"},
		{"darwin", "claude-desktop", "Library/Application Support/Claude/claude_desktop_config.json", "", ""},
		{"windows", "claude-desktop", "roam/Claude/claude_desktop_config.json", "APPDATA", "roam"},
		{"windows", "claude-desktop", "AppData/Local/Packages/Claude_x1/LocalCache/Roaming/Claude/claude_desktop_config.json", "", ""},
		{"linux", "claude-code", "cc/.claude.json", "CLAUDE_CONFIG_DIR", "cc"},
		{"darwin", "vscode", "Library/Application Support/Code/User/profiles/-12ab/mcp.json", "", ""},
		{"darwin", "zed", ".config/zed/settings.json", "", ""},
		{"windows", "zed", "AppData/Roaming/Zed/settings.json", "", ""},
		{"linux", "codex", "cx/config.toml", "CODEX_HOME", "cx"},
		{"windows", "goose", "AppData/Roaming/Block/goose/config/config.yaml", "", ""},
		{"darwin", "cline", "Library/Application Support/Cursor/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json", "", ""},
		{"linux", "continue", ".continue/mcpServers/x [1].yaml", "", ""},
		{"windows", "crush", "AppData/Local/crush/crush.json", "", ""},
		{"linux", "vscode", "work/.vscode/mcp.json", "", ""},
	} {
		home := filepath.Join(t.TempDir(), "a [b]*") // no pattern
		path := filepath.Join(home, filepath.FromSlash(c.file))
		os.MkdirAll(filepath.Dir(path), 0o700)
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Skip(err)
		}
		env := Env{GOOS: c.goos, Home: home, Dir: filepath.Join(home, "work"), Getenv: func(name string) string {
			if name == c.variable && name != "" {
				return filepath.Join(home, c.value)
			}
			return ""
		}}
		found := 0
		for _, l := range ByID(c.client).Locations(env) {
			if l.Path == path && l.Project == (filepath.Dir(filepath.Dir(path)) == env.Dir) {
				found++
			}
		}
		if found != 1 {
			t.Errorf("%s on %s: %s found %d times", c.client, c.goos, c.file, found)
		}
	}
}

func TestClientsAreWhole(t *testing.T) {
	seen := map[string]bool{}
	for _, c := range Clients() {
		if seen[c.ID] || c.Name == "" || c.Reload == "" || len(c.places) == 0 || c.fields.command == "" || c.files == nil {
			t.Errorf("%+v", c)
		}
		seen[c.ID] = true
		user, project := c.files(Env{GOOS: "linux", Home: "/h", Dir: "/d", Getenv: func(string) string { return "" }})
		for _, p := range append(user, project...) {
			if syntaxOf(p) == nil || !filepath.IsAbs(filepath.FromSlash(p)) {
				t.Errorf("%s: %s cannot be read", c.ID, p)
			}
		}
	}
}
