package clientconfig

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

func TestRoundTripTOML(t *testing.T) {
	t.Parallel()
	g := generator{rand.New(rand.NewPCG(5, 7))}
	total := 0
	for range *files {
		_, n := roundTrip(t, loadedBytes(t, "codex", "c.toml", g.tomlFile()))
		total += n
	}
	if total < *files {
		t.Errorf("only %d servers wrapped", total)
	}
}

func TestRoundTripYAML(t *testing.T) {
	t.Parallel()
	g := generator{rand.New(rand.NewPCG(6, 7))}
	total := 0
	for i := range *files {
		src, id := g.yamlFile(), "goose"
		if i%3 == 0 {
			src, id = g.yamlList(), "continue"
		}
		_, n := roundTrip(t, loadedBytes(t, id, "c.yaml", src))
		total += n
	}
	if total < *files*3/4 {
		t.Errorf("only %d servers wrapped", total)
	}
}

func (g generator) tomlFile() string {
	eol := g.one("\n", "\r\n")
	gap := func() string { return g.one("", " ", " ", "  ", "\t") }
	comment := func() string { return g.one("", "", gap()+"# "+g.one("x", `args = ["y"]`, "é")) }
	str := func(s string) string {
		switch n := g.IntN(4); {
		case n == 0 && !strings.ContainsAny(s, "'\t"):
			return "'" + s + "'"
		case n == 1 && !strings.ContainsAny(s, `"\`):
			return `"""` + g.one("", eol) + s + `"""`
		}
		return tomlSyntax{}.quote(s)
	}
	array := func() string {
		s := "["
		wide := g.IntN(2) == 0
		space := func() string {
			if wide {
				return g.one("", comment()) + eol + gap()
			}
			return gap()
		}
		n := g.IntN(4)
		for i := range n {
			s += space() + str(g.word()) + gap()
			if i < n-1 || wide && g.IntN(2) == 0 {
				s += ","
			}
		}
		return s + space() + "]"
	}
	var b strings.Builder
	line := func(format string, args ...any) {
		fmt.Fprintf(&b, "%s%s%s%s", gap(), fmt.Sprintf(format, args...), comment(), eol)
		if g.IntN(4) == 0 {
			b.WriteString(comment() + eol)
		}
	}
	b.WriteString(g.one("", "\xef\xbb\xbf"))
	line("model = %s", str(g.word()))
	line("date = 1979-05-27T07:32:00Z")
	line("n = [1, [2], {a = 3}]")
	for i := range 1 + g.IntN(4) {
		name := str(fmt.Sprint(g.word(), i))
		if strings.HasPrefix(name, `"""`) || g.IntN(2) == 0 {
			name = fmt.Sprint("srv-", i)
		}
		command := "command" + gap() + "=" + gap() + str(g.word())
		args := "args" + gap() + "=" + gap() + array()
		if i == 0 && g.IntN(3) == 0 { // inline, before any header
			with := ""
			if g.IntN(2) == 0 {
				with = ", " + args
			}
			line("mcp_servers.inline = {%s%s , env = {K = 'v'}}", command, with)
			continue
		}
		switch g.IntN(4) {
		case 0: // dotted keys
			line("[mcp_servers.%s.env]", name)
			line("K = %s", str(g.word()))
			line("[mcp_servers.%s]", name)
			line("%s", command)
		case 1:
			line("[mcp_servers . %s]", name)
			line("%s", args)
			line("%s", command)
		case 2:
			line("[mcp_servers.%s]", name)
			line("enabled = true")
			line("%s", command)
			line("timeout = 1.5e3")
		default:
			line("[ mcp_servers.%s ]", name)
			line("%s", command)
			line("%s", args)
			line("env.K = %s", str(g.word()))
		}
	}
	line("[other]")
	b.WriteString("last = 1" + g.one("", eol))
	return b.String()
}

// yamlScalar is s in one of the spellings YAML has for it.
func (g generator) yamlScalar(s string) string {
	switch n := g.IntN(4); {
	case n == 0:
		return "'" + strings.ReplaceAll(s, "'", "''") + "'"
	case n < 3:
		return g.one("npx", "-y", "a b", "C:\\x\\y", "ü", "日本", "--label=x", "a,b", "x#y", "-", "a:b", "/home/me")
	}
	return yamlSyntax{}.quote(s)
}

func (g generator) yamlEntry(indent, eol, first, command string, extra ...string) string {
	comment := func() string { return g.one("", "", "  # "+g.one("x", "args: [y]", "é", "'")) }
	scalar := func() string {
		for {
			if s := g.yamlScalar(g.word()); s != "-" {
				return s
			}
		}
	}
	var members []string
	switch g.IntN(4) {
	case 0:
	case 1:
		var items []string
		for range g.IntN(4) {
			items = append(items, g.one("'a'", `"b c"`, "npx", "-y"))
		}
		members = append(members, "args: ["+g.one("", " ")+strings.Join(items, g.one(", ", " , "))+g.one("", " ")+"]"+comment())
	default:
		in := g.one("", "  ", "    ")
		s := "args:" + comment()
		for range 1 + g.IntN(3) {
			if g.IntN(5) == 0 {
				s += eol + indent + in + "# between"
			}
			s += eol + indent + in + "-" + g.one(" ", "   ") + scalar() + comment()
		}
		members = append(members, s)
	}
	members = append(members, command+": "+scalar()+comment(), "envs:"+eol+indent+"  K: "+scalar(), "timeout: 300"+comment())
	members = append(members, extra...)
	g.Shuffle(len(members), func(i, j int) { members[i], members[j] = members[j], members[i] })
	return first + strings.Join(members, eol+indent) + eol
}

func (g generator) yamlFile() string {
	eol := g.one("\n", "\r\n")
	s := g.one("", "\xef\xbb\xbf") + g.one("", "# mine"+eol) + "GOOSE_MODEL: gpt # é" + eol + "extensions:" + eol
	for i := range 1 + g.IntN(3) {
		s += fmt.Sprintf("  %s%d:", g.one("srv", "dév", "日本"), i) + g.one("", "  # why") + eol
		s += g.yamlEntry("    ", eol, "    ", "cmd", "type: stdio")
		s += g.one("", "  # next"+eol, eol)
	}
	return s + "last: [1, {a: b}]" + g.one("", eol)
}

func (g generator) yamlList() string {
	eol := g.one("\n", "\r\n")
	in := g.one("", "  ")
	s := "name: me" + eol + "mcpServers:" + eol
	for i := range 1 + g.IntN(3) {
		s += g.yamlEntry(in+"  ", eol, in+"- ", "command", fmt.Sprint("name: s", i))
	}
	return s + "last: |" + eol + "  text" + eol + "  more" + g.one("", eol)
}

func FuzzTOML(f *testing.F) {
	g := generator{rand.New(rand.NewPCG(3, 5))}
	for range 20 {
		f.Add(g.tomlFile())
	}
	fuzz(f, "codex", "c.toml")
}

func FuzzYAML(f *testing.F) {
	g := generator{rand.New(rand.NewPCG(3, 6))}
	for range 20 {
		f.Add(g.yamlFile())
		f.Add(strings.Replace(g.yamlList(), "mcpServers", "extensions", 1))
	}
	fuzz(f, "goose", "c.yaml")
}
