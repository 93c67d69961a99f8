package clientconfig

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var files = flag.Int("files", 2000, "generated files for each format")

var testWrapper = &Wrapper{
	Path: "/opt/bin/shakescope",
	Verb: func(s string) bool { return s == "show" || s == "mock" },
	Flag: func(s string) (bool, bool) {
		return s == "label" || s == "o" || s == "no-record", s != "no-record"
	},
}

// loaded is a file with this text for a client.
func loaded(t *testing.T, id, name, src string) *File {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(src), 0o640); err != nil {
		t.Fatal(err)
	}
	f, err := Load(Location{Client: ByID(id), Path: path})
	if err != nil {
		t.Fatalf("%v\n%s", err, src)
	}
	return f
}

func serversOf(t *testing.T, f *File) []Server {
	t.Helper()
	s, err := f.Servers(testWrapper)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// roundTrip wraps all servers of a file, checks what they run, and unwraps them in another order.
func roundTrip(t *testing.T, f *File) (wrapped string, n int) {
	t.Helper()
	before := string(f.now)
	servers := serversOf(t, f)
	refused := map[string]bool{}
	for _, s := range servers {
		if s.State != Plain {
			if err := f.Wrap(s, testWrapper); s.State == Skipped && err == nil {
				t.Fatalf("%s was to be skipped (%s) and is wrapped\n%s", s.Name, s.Reason, before)
			}
			continue
		}
		was := string(f.now)
		if err := f.Wrap(s, testWrapper); err != nil {
			if filepath.Ext(f.Path) != ".yaml" || string(f.now) != was { // plain text with a comma cannot go between brackets
				t.Fatalf("wrap %q: %v\n%s", s.Name, err, before)
			}
			refused[s.Name] = true
			continue
		}
		n++
	}
	wrapped = string(f.now)
	now := serversOf(t, f)
	for i, s := range now {
		if servers[i].State != Plain || refused[s.Name] {
			continue
		}
		if s.State != Wrapped || s.Command[0] != testWrapper.Path {
			t.Fatalf("%q is %s %q\n%s", s.Name, s.State, s.Command, f.now)
		}
		if k := testWrapper.split(s.Command); !slices.Equal(s.Command[k:], servers[i].Command) {
			t.Fatalf("%q runs %q, want %q", s.Name, s.Command[k:], servers[i].Command)
		}
	}
	slices.Reverse(now)
	for _, s := range now {
		if s.State == Wrapped {
			if err := f.Unwrap(s, testWrapper); err != nil {
				t.Fatalf("unwrap %q: %v\n%s", s.Name, err, f.now)
			}
		}
	}
	if string(f.now) != before {
		t.Fatalf("not the same again\nbefore %q\nwrapped %q\nafter  %q", before, wrapped, f.now)
	}
	return wrapped, n
}

func TestWrapSpellings(t *testing.T) {
	for _, c := range []struct{ name, client, file, before, wrapped string }{
		{"list", "cursor", "m.json", `{"mcpServers":{"a":{"command":"npx","args":["-y"]}}}`,
			`{"mcpServers":{"a":{"command":"/opt/bin/shakescope","args":["run", "--label", "a", "--", "npx", "-y"]}}}`},
		{"lines", "cursor", "m.json", "{\r\n \"mcpServers\": {\"a\": {\r\n  \"command\" : \"n\\u0070x\", // why\r\n  \"args\": [ // first\r\n   \"-y\",\r\n  ]\r\n}}}",
			"{\r\n \"mcpServers\": {\"a\": {\r\n  \"command\" : \"/opt/bin/shakescope\", // why\r\n  \"args\": [ // first\r\n   \"run\", \"--label\", \"a\", \"--\", \"n\\u0070x\",\r\n   \"-y\",\r\n  ]\r\n}}}"},
		{"empty list", "cursor", "m.json", `{"mcpServers":{"a":{"command":"npx","args":[ /* none */ ]}}}`,
			`{"mcpServers":{"a":{"command":"/opt/bin/shakescope","args":["run", "--label", "a", "--", "npx" /* none */ ]}}}`},
		{"no list", "cursor", "m.json", "\xef\xbb\xbf{\"mcpServers\":{\"a b\":{\n  \"command\":\"npx\"\n}}}",
			"\xef\xbb\xbf{\"mcpServers\":{\"a b\":{\n  \"command\":\"/opt/bin/shakescope\",\n  \"args\": [\"run\", \"--label=a b\", \"--\", \"npx\"]\n}}}"},
		{"null", "crush", "m.json", `{"mcp":{"a":{"args":null,"command":"npx"}}}`,
			`{"mcp":{"a":{"args":["run", "--label=a", "--no-record=false", "--", "npx"],"command":"/opt/bin/shakescope"}}}`},
		{"one list", "opencode", "m.jsonc", `{"mcp":{"a":{"type":"local","command":["npx","-y"]}}}`,
			`{"mcp":{"a":{"type":"local","command":["/opt/bin/shakescope", "run", "--label", "a", "--", "npx","-y"]}}}`},
		{"dot in the key", "amp", "m.json", `{"amp.mcpServers":{"a":{"command":"x","args":["--"]}}}`,
			`{"amp.mcpServers":{"a":{"command":"/opt/bin/shakescope","args":["run", "--label", "a", "--", "x", "--"]}}}`},
		{"project", "claude-code", "m.json", `{"projects":{"/p":{"mcpServers":{"a":{"command":"x","args":["y"]}}}}}`,
			`{"projects":{"/p":{"mcpServers":{"a":{"command":"/opt/bin/shakescope","args":["run", "--label", "a", "--", "x", "y"]}}}}}`},
		{"toml", "codex", "c.toml", "# mine\n[mcp_servers.\"a b\"] # x\n  command = 'npx' # why\n  args = [ # first\n    \"-y\",\n  ]\n[mcp_servers.b]\nurl = \"http://h\"\n",
			"# mine\n[mcp_servers.\"a b\"] # x\n  command = \"/opt/bin/shakescope\" # why\n  args = [ # first\n    \"run\", \"--label\", \"a b\", \"--\", 'npx',\n    \"-y\",\n  ]\n[mcp_servers.b]\nurl = \"http://h\"\n"},
		{"toml without a list", "codex", "c.toml", "[mcp_servers]\r\nx.command = \"npx\" # why\r\nx.env.K = 1",
			"[mcp_servers]\r\nx.args = [\"run\", \"--label=x\", \"--\", \"npx\"]\r\nx.command = \"/opt/bin/shakescope\" # why\r\nx.env.K = 1"},
		{"toml inline", "codex", "c.toml", "mcp_servers = {x = {command = \"npx\"}}", "mcp_servers = {x = {command = \"/opt/bin/shakescope\", args = [\"run\", \"--label=x\", \"--\", \"npx\"]}}"},
		{"toml tables in a list", "vibe", "c.toml", "[[mcp_servers]]\nname = \"x\"\ncommand = \"npx\"\nargs = []\n", "[[mcp_servers]]\nname = \"x\"\ncommand = \"/opt/bin/shakescope\"\nargs = [\"run\", \"--label\", \"x\", \"--\", \"npx\"]\n"},
		{"yaml", "goose", "c.yaml", "extensions: # all\r\n  x:\r\n    cmd: npx  # why\r\n    args:\r\n    # first\r\n    - -y\r\n    - 'it''s'\r\n    envs: {K: v}\r\n",
			"extensions: # all\r\n  x:\r\n    cmd: \"/opt/bin/shakescope\"  # why\r\n    args:\r\n    # first\r\n    - \"run\"\r\n    - \"--label\"\r\n    - \"x\"\r\n    - \"--\"\r\n    - npx\r\n    - -y\r\n    - 'it''s'\r\n    envs: {K: v}\r\n"},
		{"yaml without a list", "continue", "c.yaml", "mcpServers:\n  - command: npx\n    name: x\n", "mcpServers:\n  - args:\n      - \"run\"\n      - \"--label=x\"\n      - \"--\"\n      - npx\n    command: \"/opt/bin/shakescope\"\n    name: x\n"},
		{"yaml in brackets", "goose", "c.yaml", "extensions: {ü: {cmd: npx, args: [a, 'b' ]}}", "extensions: {ü: {cmd: \"/opt/bin/shakescope\", args: [\"run\", \"--label\", \"ü\", \"--\", npx, a, 'b' ]}}"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got, n := roundTrip(t, loaded(t, c.client, c.file, c.before)); got != c.wrapped || n != 1 {
				t.Errorf("%d wrapped\ngot  %q\nwant %q", n, got, c.wrapped)
			}
		})
	}
}

// A client that writes the file anew keeps the meaning, so unwrapping does too.
func TestRewritten(t *testing.T) {
	for _, entry := range []string{`{"command":"npx"}`, `{"command":"npx","args":[]}`, `{"command":"npx","args":null}`,
		`{"command":"npx","args":["a","--","b"],"env":{"K":"v"}}`, `{"args":["a"],"command":"npx"}`} {
		f := loaded(t, "cursor", "m.json", `{"mcpServers":{"x":`+entry+`,"y":{"url":"http://h"}}}`)
		if err := f.Wrap(serversOf(t, f)[0], testWrapper); err != nil {
			t.Fatal(err)
		}
		for _, indent := range []string{"", "\t"} {
			var before, after, v any
			json.Unmarshal(f.original, &before)
			json.Unmarshal(f.now, &v)
			again, _ := json.Marshal(v) // sorts the keys
			if indent != "" {
				again, _ = json.MarshalIndent(v, "", indent)
			}
			g := loaded(t, "cursor", "m.json", string(again))
			if err := g.Unwrap(serversOf(t, g)[0], testWrapper); err != nil {
				t.Fatalf("%v\n%s", err, again)
			}
			json.Unmarshal(g.now, &after)
			if b, a := fmt.Sprint(before), fmt.Sprint(after); a != b {
				t.Errorf("got %s, want %s", a, b)
			}
		}
	}
}

func TestSplit(t *testing.T) {
	for _, c := range []struct {
		argv string
		want int
	}{
		{"/opt/bin/shakescope run --label a -- npx -y", 5},
		{"/elsewhere/shakescope -- npx", 2},
		{`C:\Tools\ShakeScope.EXE run -o f --no-record npx -y`, 5},
		{"shakescope npx -y srv", 1},
		{"shakescope-v2 run --from-the-future 3 --label=x -- npx", 6},
		{"shakescope run --label x", 0},
		{"shakescope mock file", 0},
		{"shakescope", 0},
		{"npx run -- x", 0},
		{"docker run --rm -- shakescope", 0},
		{"/opt/bin/shakescope run -- shakescope run -- x", 3},
	} {
		if got := testWrapper.split(strings.Fields(c.argv)); got != c.want {
			t.Errorf("%s: %d, want %d", c.argv, got, c.want)
		}
	}
}

func TestSkipped(t *testing.T) {
	for _, c := range []struct{ entry, reason string }{
		{`{"url":"https://h"}`, "it is reached by url: there is no process to stand in front of"},
		{`{"type":"sse"}`, "its type is sse: there is no process to stand in front of"},
		{`{}`, "it has no command"},
		{`{"command":"a","command":"b"}`, `"command" is given twice`},
		{`{"command":"a","args":"b"}`, `"args" is no list`},
		{`{"command":"a","args":[1]}`, "the command or an argument is no plain string"},
		{`{"command":[]}`, `"command" is empty`},
		{`{"command":""}`, `"command" is empty`},
		{`7`, "the entry is no object"},
	} {
		src := `{"mcpServers":{"x":` + c.entry + `}}`
		f := loaded(t, "cursor", "m.json", src)
		s := serversOf(t, f)[0]
		if s.State != Skipped || s.Reason != c.reason {
			t.Errorf("%s: %s, %q", c.entry, s.State, s.Reason)
		}
		if err := f.Wrap(s, testWrapper); err == nil || f.Diff() != nil {
			t.Errorf("%s: wrapped: %s", c.entry, f.now)
		}
	}
	f := loaded(t, "cursor", "m.json", `{"mcpServers":{"x":{"command":"a"},"x":{"command":"b"}}}`)
	s := serversOf(t, f)[1]
	if err := f.Wrap(s, testWrapper); s.State != Skipped || err == nil {
		t.Errorf("twice: %s, %v", s.State, err)
	}
}

func TestLoadRefuses(t *testing.T) {
	for src, want := range map[string]string{
		"{":                    "it cannot be parsed: ",
		"\xff\xfe{\x00}\x00":   "it is not in UTF-8",
		`{"a":1} {"b":2}`:      "it cannot be parsed: ",
		"{\"mcpServers\":\x00": "it cannot be parsed: ",
	} {
		path := filepath.Join(t.TempDir(), "m.json")
		os.WriteFile(path, []byte(src), 0o600)
		if _, err := Load(Location{Client: ByID("cursor"), Path: path}); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v, want %s…", src, err, want)
		}
	}
	for _, src := range []string{"", " \n", "{}", "[]", "7", `{"mcpServers":null}`, `{"mcpServers":[{"name":"x"}]}`} {
		f := loaded(t, "cursor", "m.json", src)
		for _, s := range serversOf(t, f) {
			if s.State != Skipped {
				t.Errorf("%q: %s", src, s.State)
			}
		}
	}
}

func TestSave(t *testing.T) {
	t.Setenv("HOME", t.TempDir())
	t.Setenv("XDG_CACHE_HOME", "")
	dir := t.TempDir()
	real, link := filepath.Join(dir, "real.json"), filepath.Join(dir, "sub", "m.json")
	os.Mkdir(filepath.Dir(link), 0o700)
	const src = `{"mcpServers":{"a":{"command":"npx"}}}`
	os.WriteFile(real, []byte(src), 0o600)
	os.Chmod(real, 0o604)
	if err := os.Symlink(filepath.Join("..", "real.json"), link); err != nil {
		t.Skip(err)
	}
	load := func() *File {
		f, err := Load(Location{Client: ByID("cursor"), Path: link})
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	f, late := load(), load()
	if err := f.Wrap(serversOf(t, f)[0], testWrapper); err != nil {
		t.Fatal(err)
	}
	if d := f.Diff(); !bytes.Contains(d, []byte("\n-"+src)) || !bytes.Contains(d, []byte("\n+{")) {
		t.Errorf("diff:\n%s", d)
	}
	backup, err := f.Save()
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{backup: src, real: string(f.now)} {
		got, _ := os.ReadFile(path)
		i, err := os.Lstat(path)
		if err != nil || string(got) != want || i.Mode().Perm() != 0o604 || !i.Mode().IsRegular() {
			t.Errorf("%s: %v %s", path, i.Mode(), got)
		}
	}
	if i, _ := os.Lstat(link); i.Mode()&os.ModeSymlink == 0 {
		t.Error("the link is gone")
	}
	if err := late.Wrap(serversOf(t, late)[0], testWrapper); err != nil {
		t.Fatal(err)
	}
	if _, err := late.Save(); err != ErrChanged {
		t.Errorf("a file changed meanwhile: %v", err)
	}
	if names, _ := os.ReadDir(dir); len(names) != 3 {
		t.Errorf("left behind: %v", names)
	}
}

func TestCheckBinary(t *testing.T) {
	dir := t.TempDir()
	temp := filepath.Join(dir, "temp")
	make := func(mode os.FileMode, elem ...string) string {
		p := filepath.Join(append([]string{dir}, elem...)...)
		os.MkdirAll(filepath.Dir(p), 0o700)
		os.WriteFile(p, nil, mode)
		return p
	}
	link := filepath.Join(dir, "bin", "link")
	good := make(0o700, "bin", "shakescope")
	os.Symlink(make(0o700, "temp", "s"), link)
	for path, want := range map[string]string{
		good: "", "shakescope": "no absolute path", link: "temporary files", filepath.Join(temp, "s"): "temporary files",
		make(0o700, "go-build12", "b001", "exe", "shakescope"): "go run", make(0o600, "text"): "no program", filepath.Join(dir, "none"): "no such file", dir: "no program",
	} {
		err := CheckBinary(path, temp)
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v, want %q", path, err, want)
		}
	}
}

// generator makes files that a careless hand may have written.
type generator struct{ *rand.Rand }

func (g generator) one(s ...string) string { return s[g.IntN(len(s))] }

func (g generator) word() string {
	return g.one("npx", "-y", "--", "run", "", "a b", "ü", "日本", "😀", `"`, `\`, `C:\x\y`, "a,b", "[x]", "{y}", "# no", "a: b", "'", "true", "7", "null", "~", "*x", "&x", "${A:-b}", "@s/srv", "--label=x", "shakescope", "- x", "%", "!t", "\t", "x:", ":x", "|", ">")
}

func TestRoundTripJSON(t *testing.T) {
	t.Parallel()
	g := generator{rand.New(rand.NewPCG(1, 7))}
	total := 0
	for range *files {
		_, n := roundTrip(t, loadedBytes(t, "cursor", "m.json", g.jsonFile()))
		total += n
	}
	if total < *files {
		t.Errorf("only %d servers wrapped", total)
	}
}

// loadedBytes is loaded without a file.
func loadedBytes(t *testing.T, id, name, src string) *File {
	t.Helper()
	f := &File{Location: Location{Client: ByID(id), Path: name}, syntax: syntaxOf(name), original: []byte(src), now: []byte(src)}
	if _, err := f.root(); err != nil {
		t.Fatalf("the generator is wrong: %v\n%s", err, src)
	}
	return f
}

func (g generator) jsonFile() string {
	eol := g.one("\n", "\r\n", "\n", " ")
	comments := eol != " " && g.IntN(2) == 0
	gap := func() string {
		switch n := g.IntN(8); {
		case n < 4:
			return g.one("", "", " ", "  ", "\t")
		case n < 6:
			return eol + strings.Repeat(" ", g.IntN(9))
		case comments && n == 6:
			return " // " + g.one("x", `"command": "y",`, "]}") + eol
		case comments:
			return "/* " + g.one("a", ",", `"`) + " */"
		}
		return ""
	}
	literal := func(s string) string {
		b, _ := json.Marshal(s)
		q := string(b)
		if g.IntN(4) == 0 {
			q = strings.ReplaceAll(q, "n", `\u006E`+"")
			if strings.Contains(s, `\`) || strings.Contains(string(b), `\`) {
				q = string(b)
			}
		}
		return q
	}
	join := func(open, end string, items []string) string {
		s := open
		for i, item := range items {
			if i > 0 {
				s += gap() + ","
			}
			s += gap() + item
		}
		if comments && len(items) > 0 && g.IntN(3) == 0 {
			s += gap() + ","
		}
		return s + gap() + end
	}
	pair := func(k, v string) string { return literal(k) + gap() + ":" + gap() + v }
	var servers []string
	for i := range 1 + g.IntN(4) {
		command := literal(g.word())
		members := []string{}
		switch g.IntN(6) {
		case 0:
		case 1:
			members = append(members, pair("args", "null"))
		case 2:
			command = join("[", "]", []string{command, literal(g.word())})
		default:
			var args []string
			for range g.IntN(4) {
				args = append(args, literal(g.word()))
			}
			members = append(members, pair("args", join("[", "]", args)))
		}
		members = append(members, pair("command", command))
		if g.IntN(2) == 0 {
			members = append(members, pair("env", join("{", "}", []string{pair("K", literal(g.word()))})))
		}
		if g.IntN(3) == 0 {
			members = append(members, pair("timeout", g.one("1e3", "1.50", "true")))
		}
		g.Shuffle(len(members), func(i, j int) { members[i], members[j] = members[j], members[i] })
		servers = append(servers, pair(fmt.Sprint(g.word(), i), join("{", "}", members)))
	}
	return g.one("", "\xef\xbb\xbf") + gap() + join("{", "}", []string{
		pair("theme", literal(g.word())), pair("mcpServers", join("{", "}", servers)),
	}) + g.one("", eol)
}

func FuzzJSON(f *testing.F) {
	g := generator{rand.New(rand.NewPCG(3, 4))}
	for range 20 {
		f.Add(g.jsonFile())
	}
	fuzz(f, "cursor", "m.json")
}

// fuzz holds that whatever is wrapped is undone to the letter.
func fuzz(f *testing.F, client, name string) {
	f.Fuzz(func(t *testing.T, src string) {
		file := &File{Location: Location{Client: ByID(client), Path: name}, syntax: syntaxOf(name), original: []byte(src), now: []byte(src)}
		servers, err := file.Servers(testWrapper)
		if err != nil {
			return
		}
		for _, s := range servers {
			if s.State != Plain || file.Wrap(s, testWrapper) != nil {
				continue
			}
			if err := file.Unwrap(s, testWrapper); err != nil || string(file.now) != src {
				t.Fatalf("%v\nbefore %q\nafter  %q", err, src, file.now)
			}
		}
	})
}
