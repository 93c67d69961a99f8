package clientconfig

import (
	"path/filepath"
	"slices"
)

var (
	usual      = fields{"command", "args"}
	mcpServers = []place{{"mcpServers"}}
)

// The editors that are VS Code underneath, by the folder they keep their files in.
var editors = []string{"Code", "Code - Insiders", "VSCodium"}

// extension returns a file of a VS Code extension in each editor.
func extension(e Env, elem ...string) []string {
	var all []string
	for _, editor := range append(slices.Clone(editors), "Cursor", "Windsurf") {
		all = append(all, e.appData(append([]string{editor, "User", "globalStorage"}, elem...)...))
	}
	return append(all, e.home(append([]string{".vscode-server", "data", "User", "globalStorage"}, elem...)...))
}

const (
	newSession = "starts its servers with each session: begin a new one."
	onSave     = "reloads the file when it is saved; if the server still runs the old way, restart it in the settings."
	restart    = "reads the file when it starts: quit it altogether and start it again."
)

// Clients returns the clients that are known, in the order in which they are listed.
func Clients() []*Client {
	return []*Client{
		{ID: "claude-desktop", Name: "Claude Desktop", Reload: restart, places: mcpServers, fields: usual,
			files: func(e Env) ([]string, []string) {
				const file = "claude_desktop_config.json"
				user := []string{e.appData("Claude", file)}
				switch e.GOOS {
				case "windows":
					user = append(user, glob(e.variable("LOCALAPPDATA", "AppData", "Local"), "Packages", "Claude_*", "LocalCache", "Roaming", "Claude", file)...)
				case "darwin":
				default:
					user = append(user, e.appData("claude", file))
				}
				return user, nil
			}},
		{ID: "claude-code", Name: "Claude Code", fields: usual,
			Reload: "starts its servers with each session: begin a new one, or reconnect by /mcp; servers of .mcp.json ask for approval again. Change its own file while it is closed: it writes it often.",
			places: []place{{"mcpServers"}, {"projects", "*", "mcpServers"}},
			files: func(e Env) ([]string, []string) {
				return []string{filepath.Join(e.variable("CLAUDE_CONFIG_DIR"), ".claude.json")}, []string{e.project(".mcp.json")}
			},
			managed: func(e Env) []string {
				switch e.GOOS {
				case "darwin":
					return []string{"/Library/Application Support/ClaudeCode/managed-mcp.json"}
				case "windows":
					return []string{`C:\Program Files\ClaudeCode\managed-mcp.json`, `C:\ProgramData\ClaudeCode\managed-mcp.json`}
				}
				return []string{"/etc/claude-code/managed-mcp.json"}
			}},
		{ID: "cursor", Name: "Cursor", Reload: onSave, places: mcpServers, fields: usual,
			files: func(e Env) ([]string, []string) {
				return []string{e.home(".cursor", "mcp.json")}, []string{e.project(".cursor", "mcp.json")}
			}},
		{ID: "vscode", Name: "VS Code", places: []place{{"servers"}}, fields: usual,
			Reload: "asks to trust the changed server and starts it then; else choose Restart above its entry in mcp.json.",
			files: func(e Env) ([]string, []string) {
				var user []string
				for _, editor := range editors {
					user = append(user, e.appData(editor, "User", "mcp.json"))
					user = append(user, glob(e.appData(editor, "User", "profiles"), "*", "mcp.json")...)
				}
				return append(user, e.home(".vscode-server", "data", "User", "mcp.json")), []string{e.project(".vscode", "mcp.json")}
			}},
		{ID: "copilot", Name: "Copilot CLI", Reload: newSession, places: mcpServers, fields: usual,
			files: func(e Env) ([]string, []string) {
				return []string{filepath.Join(e.variable("COPILOT_HOME", ".copilot"), "mcp-config.json")}, []string{e.project(".mcp.json")}
			}},
		{ID: "windsurf", Name: "Windsurf", Reload: "takes it up by Refresh in its MCP settings, or when it is restarted.", places: mcpServers, fields: usual,
			files: func(e Env) ([]string, []string) {
				return []string{e.home(".codeium", "windsurf", "mcp_config.json"), e.home(".codeium", "mcp_config.json")}, nil
			}},
		{ID: "zed", Name: "Zed", Reload: onSave, places: []place{{"context_servers"}}, fields: usual,
			files: func(e Env) ([]string, []string) {
				user := []string{e.dotConfig("zed", "settings.json")}
				if e.GOOS == "windows" {
					user = []string{e.appData("Zed", "settings.json")}
				}
				return append(user, e.home(".var", "app", "dev.zed.Zed", "config", "zed", "settings.json")), []string{e.project(".zed", "settings.json")}
			}},
		{ID: "gemini", Name: "Gemini CLI", Reload: newSession, places: mcpServers, fields: usual,
			files: func(e Env) ([]string, []string) {
				return []string{e.home(".gemini", "settings.json")}, []string{e.project(".gemini", "settings.json")}
			}},
		{ID: "codex", Name: "Codex", Reload: newSession, places: []place{{"mcp_servers"}}, fields: usual,
			files: func(e Env) ([]string, []string) {
				return []string{filepath.Join(e.variable("CODEX_HOME", ".codex"), "config.toml")}, []string{e.project(".codex", "config.toml")}
			}},
		{ID: "goose", Name: "Goose", Reload: newSession, places: []place{{"extensions"}}, fields: fields{"cmd", "args"},
			files: func(e Env) ([]string, []string) {
				if e.GOOS == "windows" {
					return []string{e.appData("Block", "goose", "config", "config.yaml")}, nil
				}
				return []string{e.dotConfig("goose", "config.yaml")}, nil
			}},
		{ID: "cline", Name: "Cline", Reload: onSave, places: mcpServers, fields: usual,
			files: func(e Env) ([]string, []string) {
				const file = "cline_mcp_settings.json"
				return append(extension(e, "saoudrizwan.claude-dev", "settings", file),
					filepath.Join(e.variable("CLINE_DIR", ".cline"), "data", "settings", file)), nil
			}},
		{ID: "roo", Name: "Roo Code", Reload: onSave, places: mcpServers, fields: usual,
			files: func(e Env) ([]string, []string) {
				return extension(e, "rooveterinaryinc.roo-cline", "settings", "mcp_settings.json"), []string{e.project(".roo", "mcp.json")}
			}},
		{ID: "continue", Name: "Continue", Reload: onSave, places: mcpServers, fields: usual,
			files: func(e Env) (user, project []string) {
				user = []string{e.home(".continue", "config.yaml")}
				for _, ext := range []string{"*.yaml", "*.yml", "*.json"} {
					user = append(user, glob(e.home(".continue", "mcpServers"), ext)...)
					project = append(project, glob(e.project(".continue", "mcpServers"), ext)...)
				}
				return user, project
			}},
		{ID: "lmstudio", Name: "LM Studio", Reload: onSave, places: mcpServers, fields: usual,
			files: func(e Env) ([]string, []string) {
				return []string{e.home(".lmstudio", "mcp.json"), e.home(".cache", "lm-studio", "mcp.json")}, nil
			}},
		{ID: "junie", Name: "Junie", Reload: restart, places: mcpServers, fields: usual,
			files: func(e Env) ([]string, []string) {
				return []string{e.home(".junie", "mcp", "mcp.json")}, []string{e.project(".junie", "mcp", "mcp.json")}
			}},
		{ID: "air", Name: "JetBrains Air", Reload: restart, places: mcpServers, fields: usual,
			files: func(e Env) ([]string, []string) { return nil, []string{e.project(".air", "mcp.json")} }},
		{ID: "opencode", Name: "opencode", Reload: restart, places: []place{{"mcp"}}, fields: usual,
			files: func(e Env) ([]string, []string) {
				return []string{e.dotConfig("opencode", "opencode.json"), e.dotConfig("opencode", "opencode.jsonc")},
					[]string{e.project("opencode.json"), e.project("opencode.jsonc")}
			}},
		{ID: "crush", Name: "Crush", Reload: newSession, places: []place{{"mcp"}}, fields: usual,
			files: func(e Env) ([]string, []string) {
				user := []string{e.dotConfig("crush", "crush.json")}
				if e.GOOS == "windows" {
					user = []string{filepath.Join(e.variable("LOCALAPPDATA", "AppData", "Local"), "crush", "crush.json")}
				}
				return user, []string{e.project(".crush.json"), e.project("crush.json")}
			}},
		{ID: "amp", Name: "Amp", Reload: newSession, places: []place{{"amp.mcpServers"}}, fields: usual,
			files: func(e Env) ([]string, []string) {
				if e.GOOS == "windows" {
					return []string{e.appData("amp", "settings.json")}, nil
				}
				return []string{e.dotConfig("amp", "settings.json")}, nil
			}},
		{ID: "kiro", Name: "Kiro", Reload: onSave, places: mcpServers, fields: usual,
			files: func(e Env) ([]string, []string) {
				return []string{e.home(".kiro", "settings", "mcp.json")}, []string{e.project(".kiro", "settings", "mcp.json")}
			}},
		{ID: "antigravity", Name: "Antigravity", Reload: restart, places: mcpServers, fields: usual,
			files: func(e Env) ([]string, []string) {
				return []string{e.home(".gemini", "antigravity", "mcp_config.json")}, nil
			}},
		{ID: "trae", Name: "Trae", Reload: restart, places: mcpServers, fields: usual,
			files: func(e Env) ([]string, []string) { return []string{e.appData("Trae", "User", "mcp.json")}, nil }},
		{ID: "vibe", Name: "Mistral Vibe", Reload: newSession, places: []place{{"mcp_servers"}}, fields: usual,
			files: func(e Env) ([]string, []string) { return []string{e.home(".vibe", "config.toml")}, nil }},
	}
}
