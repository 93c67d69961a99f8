package tui

import (
	"slices"
	"strings"

	"charm.land/lipgloss/v2"
)

// role is what a piece of text is for. Screens name roles, themes give them colours.
type role uint8

const (
	roleText role = iota
	roleMuted
	roleStrong
	roleTitle
	roleHintKey
	roleBorder
	roleSelection
	roleFaintSelection // selection in a pane without the focus
	roleMatch
	roleC2S
	roleS2C
	roleStderr
	roleControl
	roleOK
	rolePending
	roleError
	roleWarn
	roleInfo
	roleBadge
	roleLive
	roleInitialization
	roleOperation
	roleShutdown
	roleDiscovery
	roleProbe
	roleTools
	roleResources
	rolePrompts
	roleRoots
	roleSampling
	roleElicitation
	roleLifecycle
	roleUtility
	roleJSONKey
	roleString
	roleNumber
	roleLiteral
	rolePunct
	roleCount
)

// theme maps roles to SGR parameters ("1;36"), ready to be written.
type theme struct {
	name string
	sgr  [roleCount]string
	// keepColours says that the colours of roles stay legible on the selection's background. Without
	// it a selected row is drawn in the selection's style alone.
	keepColours bool
}

// themeNames lists what Options.Theme understands, the default first.
func themeNames() []string { return []string{"default", "dark", "light", "contrast", "cvd", "mono"} }

// themeFor returns the named theme; the default one for names it does not know.
func themeFor(name string) *theme {
	switch name {
	case "mono":
		return monoTheme()
	case "dark":
		return trueTheme("dark", map[role]string{
			roleMuted: "#7f8794", roleStrong: "1;#ffffff", roleTitle: "1;#a7c7ff", roleHintKey: "1;#a7c7ff", roleBorder: "#3d4450",
			roleSelection: "b#2c3a52", roleFaintSelection: "b#262b33", roleMatch: "#000000;b#ffd866",
			roleC2S: "#6fb3ff", roleS2C: "#d6a4ff", roleStderr: "#9aa3b0", roleControl: "#9aa3b0",
			roleOK: "#8bd49c", rolePending: "#ffd866", roleError: "1;#ff7b72", roleWarn: "#ffb454", roleInfo: "#7fd1e0",
			roleBadge: "1;#10141b;b#a7c7ff", roleLive: "1;#8bd49c",
			roleInitialization: "#7fd1e0", roleOperation: "#8bd49c", roleShutdown: "#d6a4ff", roleDiscovery: "#6fb3ff", roleProbe: "#ffd866",
			roleTools: "#ffd866", roleResources: "#7fd1e0", rolePrompts: "#f5a3d0", roleRoots: "#6fb3ff", roleSampling: "#d6a4ff",
			roleElicitation: "#ffb454", roleLifecycle: "#8bd49c", roleUtility: "#9aa3b0",
			roleJSONKey: "#8fb8ff", roleString: "#a6d9a8", roleNumber: "#ffb98a", roleLiteral: "#d6a4ff", rolePunct: "#7f8794",
		})
	case "light":
		return trueTheme("light", map[role]string{
			roleMuted: "#6b7280", roleStrong: "1;#000000", roleTitle: "1;#1d4ea8", roleHintKey: "1;#1d4ea8", roleBorder: "#b8bec8",
			roleSelection: "b#d6e4ff", roleFaintSelection: "b#eceff4", roleMatch: "#000000;b#ffe08a",
			roleC2S: "#1d5fc4", roleS2C: "#7a36b1", roleStderr: "#5b6472", roleControl: "#5b6472",
			roleOK: "#1f7a3a", rolePending: "#8a6100", roleError: "1;#b3261e", roleWarn: "#9a4b00", roleInfo: "#0b6a7d",
			roleBadge: "1;#ffffff;b#1d4ea8", roleLive: "1;#1f7a3a",
			roleInitialization: "#0b6a7d", roleOperation: "#1f7a3a", roleShutdown: "#7a36b1", roleDiscovery: "#1d5fc4", roleProbe: "#8a6100",
			roleTools: "#8a6100", roleResources: "#0b6a7d", rolePrompts: "#a3266f", roleRoots: "#1d5fc4", roleSampling: "#7a36b1",
			roleElicitation: "#9a4b00", roleLifecycle: "#1f7a3a", roleUtility: "#5b6472",
			roleJSONKey: "#1d4ea8", roleString: "#1f6a35", roleNumber: "#9a4b00", roleLiteral: "#7a36b1", rolePunct: "#6b7280",
		})
	case "contrast":
		return trueTheme("contrast", map[role]string{
			roleText: "#ffffff;b#000000", roleMuted: "#d0d0d0;b#000000", roleStrong: "1;#ffffff;b#000000", roleTitle: "1;#ffff00;b#000000",
			roleHintKey: "1;#ffff00;b#000000", roleBorder: "#ffffff;b#000000",
			roleSelection: "1;#000000;b#ffffff", roleFaintSelection: "4;#ffffff;b#303030", roleMatch: "1;#000000;b#ffff00",
			roleC2S: "1;#6ad7ff;b#000000", roleS2C: "1;#ffa8ff;b#000000", roleStderr: "#d0d0d0;b#000000", roleControl: "#d0d0d0;b#000000",
			roleOK: "#7dff9b;b#000000", rolePending: "#ffff00;b#000000", roleError: "1;7;#ff9b8f;b#000000", roleWarn: "1;#ffc34d;b#000000", roleInfo: "#6ad7ff;b#000000",
			roleBadge: "1;#000000;b#ffff00", roleLive: "1;#7dff9b;b#000000",
			roleInitialization: "1;#6ad7ff;b#000000", roleOperation: "1;#7dff9b;b#000000", roleShutdown: "1;#ffa8ff;b#000000", roleDiscovery: "1;#9db7ff;b#000000", roleProbe: "1;#ffff00;b#000000",
			roleTools: "1;#ffff00;b#000000", roleResources: "1;#6ad7ff;b#000000", rolePrompts: "1;#ffa8ff;b#000000", roleRoots: "1;#9db7ff;b#000000", roleSampling: "1;#ffa8ff;b#000000",
			roleElicitation: "1;#ffc34d;b#000000", roleLifecycle: "1;#7dff9b;b#000000", roleUtility: "#ffffff;b#000000",
			roleJSONKey: "1;#6ad7ff;b#000000", roleString: "#7dff9b;b#000000", roleNumber: "#ffc34d;b#000000", roleLiteral: "#ffa8ff;b#000000", rolePunct: "#d0d0d0;b#000000",
		})
	case "cvd":
		return trueTheme("cvd", map[role]string{
			roleMuted: "2", roleStrong: "1", roleTitle: "1;#56b4e9", roleHintKey: "1;#56b4e9", roleBorder: "2",
			roleSelection: "7", roleFaintSelection: "4", roleMatch: "7;1",
			roleC2S: "#56b4e9", roleS2C: "#e69f00", roleStderr: "2", roleControl: "2",
			roleOK: "#56b4e9", rolePending: "#f0e442", roleError: "1;7;#e69f00", roleWarn: "1;#e69f00", roleInfo: "#56b4e9",
			roleBadge: "1;7;#56b4e9", roleLive: "1;#56b4e9",
			roleInitialization: "#56b4e9", roleOperation: "#0096d6", roleShutdown: "#e69f00", roleDiscovery: "#cc79a7", roleProbe: "#f0e442",
			roleTools: "#f0e442", roleResources: "#56b4e9", rolePrompts: "#cc79a7", roleRoots: "#0096d6", roleSampling: "#e69f00",
			roleElicitation: "#d55e00", roleLifecycle: "#56b4e9", roleUtility: "2",
			roleJSONKey: "#56b4e9", roleString: "", roleNumber: "#e69f00", roleLiteral: "#cc79a7", rolePunct: "2",
		})
	}
	return defaultTheme()
}

// defaultTheme uses ANSI colours 0 to 15 and the terminal's own foreground and background, so the
// palette the user chose decides, dark or light.
func defaultTheme() *theme {
	t := &theme{name: "default"}
	set := func(s string, roles ...role) {
		for _, r := range roles {
			t.sgr[r] = s
		}
	}
	set("2", roleMuted, roleBorder, roleStderr, roleControl, roleUtility, rolePunct)
	set("1", roleStrong)
	set("1;36", roleTitle, roleHintKey)
	set("7", roleSelection)
	set("4", roleFaintSelection)
	set("1;7;33", roleMatch)
	set("1;7;36", roleBadge)
	set("34", roleC2S, roleDiscovery, roleRoots, roleJSONKey)
	set("35", roleS2C, roleShutdown, rolePrompts, roleLiteral)
	set("32", roleOK, roleOperation, roleLifecycle, roleString)
	set("1;32", roleLive)
	set("33", rolePending, roleProbe, roleTools, roleNumber)
	set("1;31", roleError)
	set("1;33", roleWarn)
	set("36", roleInfo, roleInitialization, roleResources)
	set("1;35", roleSampling)
	set("1;34", roleElicitation)
	return t
}

// monoTheme is for NO_COLOR: weight, underline and reverse only.
func monoTheme() *theme {
	t := &theme{name: "mono"}
	for r := range t.sgr {
		switch role(r) {
		case roleMuted, roleBorder, roleStderr, roleControl, roleUtility, rolePunct:
			t.sgr[r] = "2"
		case roleStrong, roleTitle, roleHintKey, roleLive, roleWarn, roleJSONKey, rolePending:
			t.sgr[r] = "1"
		case roleError, roleMatch, roleBadge:
			t.sgr[r] = "1;7"
		case roleSelection:
			t.sgr[r] = "7"
		case roleFaintSelection:
			t.sgr[r] = "4"
		}
	}
	return t
}

// trueTheme makes a theme from roles written as "1;#rrggbb;b#rrggbb": attributes, foreground and
// background. The library lowers colours to what the terminal can show.
func trueTheme(name string, roles map[role]string) *theme {
	t := &theme{name: name, keepColours: name == "dark" || name == "light"}
	for r, spec := range roles {
		t.sgr[r] = parameters(styled(spec))
	}
	return t
}

// styled reads the short form of a style.
func styled(spec string) lipgloss.Style {
	s := lipgloss.NewStyle()
	for part := range strings.SplitSeq(spec, ";") {
		switch ground, hex, ok := strings.Cut(part, "#"); {
		case ok && ground == "b":
			s = s.Background(lipgloss.Color("#" + hex))
		case ok:
			s = s.Foreground(lipgloss.Color("#" + hex))
		case part == "1":
			s = s.Bold(true)
		case part == "2":
			s = s.Faint(true)
		case part == "4":
			s = s.Underline(true)
		case part == "7":
			s = s.Reverse(true)
		}
	}
	return s
}

// parameters returns what a style writes before a text. Rows are drawn with these: rendering every cell
// by itself costs several times as much.
func parameters(s lipgloss.Style) string {
	const mark = "x"
	before, _, _ := strings.Cut(s.Render(mark), mark)
	return strings.ReplaceAll(strings.TrimSuffix(strings.TrimPrefix(before, "\x1b["), "m"), "m\x1b[", ";")
}

// validTheme reports whether name is one that themeFor knows.
func validTheme(name string) bool { return slices.Contains(themeNames(), name) }
