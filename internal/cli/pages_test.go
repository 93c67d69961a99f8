package cli_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// A command of shakescope in the text of a page or a help.
type pageCommand struct {
	where string // page:line, or the verb of a help
	env   []string
	words []string
}

// A console block of a page: a command and all that it prints. A line of … stands for any number of lines.
type consoleBlock struct {
	line   int // of the text: that after the command
	end    int // line of the closing fence
	words  []string
	prints string
	cut    bool // by …, or by a pipe, so that it cannot be written anew
}

var (
	inlineCode = regexp.MustCompile("`[^`]+`")
	assignment = regexp.MustCompile(`^[A-Z_]+=`)
	// token is a word, with quoted parts, or an operator of the shell.
	token = regexp.MustCompile(`(?:'[^']*'|"[^"]*"|\\.|[^\s'"|&;<>()])+|[|&;<>()]`)
)

// commandsOf finds the commands of shakescope in a line of a shell, which may hold several.
func commandsOf(where, line string) (found []pageCommand) {
	c := pageCommand{where: where}
	end := func() {
		if len(c.words) > 0 && c.words[0] == "shakescope" {
			c.words = c.words[1:]
			found = append(found, c)
		}
		c = pageCommand{where: where}
	}
	skip := false
	for _, t := range token.FindAllString(line, -1) {
		switch {
		case strings.HasPrefix(t, "#") && !strings.HasPrefix(t, "#{"):
			end()
			return found
		case t == ">" || t == "<":
			skip = true // the file behind it
		case len(t) == 1 && strings.Contains("|&;()", t):
			end()
		case skip:
			skip = false
		case len(c.words) == 0 && assignment.MatchString(t):
			c.env = append(c.env, t)
		case len(c.words) == 0 && (t == "do" || t == "export"):
		default:
			c.words = append(c.words, unquoted.ReplaceAllString(t, "$1$2"))
		}
	}
	end()
	return found
}

// unquoted takes the quotes off.
var unquoted = regexp.MustCompile(`'([^']*)'|"([^"]*)"`)

// readPage gives the commands of a page in Markdown and its console blocks.
func readPage(name, text string) (commands []pageCommand, blocks []consoleBlock) {
	fence, language, shown := "", "", -1
	before := ""
	for i, line := range strings.Split(text, "\n") {
		where := fmt.Sprintf("%s:%d", name, i+1)
		bare := strings.TrimSpace(line)
		switch {
		case fence == "" && strings.HasPrefix(bare, "```"):
			fence, language, shown = "```", strings.TrimPrefix(bare, "```"), -1
		case fence != "" && bare == fence:
			fence = ""
			if shown >= 0 {
				blocks[shown].end = i
			}
			shown = -1
		case fence != "" && strings.HasPrefix(line, "$ "):
			here := commandsOf(where, line[2:])
			commands = append(commands, here...)
			if shown = -1; language == "console" && len(here) == 1 {
				shown = len(blocks)
				blocks = append(blocks, consoleBlock{line: i + 1, words: here[0].words, cut: strings.Contains(line, " | ")})
			}
		case shown >= 0:
			blocks[shown].prints += line + "\n"
			blocks[shown].cut = blocks[shown].cut || line == "…"
		case fence != "":
			if language == "sh" {
				commands = append(commands, commandsOf(where, line)...)
			}
		case strings.HasPrefix(line, "    ") && (strings.HasPrefix(before, "    ") || before == ""):
			commands = append(commands, commandsOf(where, strings.TrimPrefix(bare, "$ "))...)
		default:
			for _, code := range inlineCode.FindAllString(line, -1) {
				commands = append(commands, commandsOf(where, strings.Trim(code, "`"))...)
			}
		}
		before = line
	}
	return commands, blocks
}

// prose are lines of the manual page that begin with the name of the program and are no examples.
var prose = regexp.MustCompile(`^shakescope (- see|stands) `)

// helpCommands are the commands of the examples in all helps.
func helpCommands(t *testing.T) (commands []pageCommand) {
	t.Helper()
	out, err := exec.Command("shakescope", "man").Output()
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(out)) {
		line = strings.ReplaceAll(strings.TrimSpace(line), `\-`, "-")
		line = strings.NewReplacer(`\&`, "", `\e`, `\`, `\(aq`, "'", `\(dq`, `"`, `\(ti`, "~", `\(ga`, "`", `\(ha`, "^").Replace(line)
		if strings.HasPrefix(line, "shakescope ") && !strings.Contains(line, "…") && !prose.MatchString(line) {
			commands = append(commands, commandsOf("man: "+line, line)...)
		}
	}
	if len(commands) < 40 {
		t.Errorf("the manual page has %d examples", len(commands))
	}
	return commands
}

// pages are the pages for users, from the root of the repository.
func pages(t *testing.T) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, pattern := range []string{"*.md", "docs/*.md", "contrib/*.md", "contrib/*/*.md", ".github/ISSUE_TEMPLATE/*.yml"} {
		names, err := filepath.Glob(filepath.Join("..", "..", pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			all[filepath.ToSlash(strings.TrimPrefix(name, filepath.Join("..", "..")+string(filepath.Separator)))] = string(text)
		}
	}
	if len(all) < 20 {
		t.Fatalf("only %d pages", len(all))
	}
	return all
}

// desk is a folder with the files that the pages speak of, a home with a client in it, and one recording in the folder of
// recordings, which is the last.
type desk struct{ dir string }

var deskFiles = map[string][]string{
	"session.wire.jsonl": {"harbour.jsonl"},
	"harbour-1.wire.jsonl": {"before.jsonl", "approved.jsonl", "good.jsonl", "session.jsonl", "everything.jsonl", "wire.jsonl",
		"mcp-server-lighthouse.log", "recordings/20261129-203919-aaaaaaaa.jsonl"},
	"harbour-2.wire.jsonl": {"after.jsonl", "run.jsonl"},
}

func newDesk(t *testing.T) desk {
	t.Helper()
	d := desk{t.TempDir()}
	for _, dir := range []string{"recordings", "temp", "spool", "bin", ".cursor"} {
		if err := os.Mkdir(filepath.Join(d.dir, dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	put := func(name string, data []byte, mode os.FileMode) {
		if err := os.WriteFile(filepath.Join(d.dir, name), data, mode); err != nil {
			t.Fatal(err)
		}
	}
	for from, to := range deskFiles {
		data, err := os.ReadFile(filepath.Join("testdata", "recordings", from))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range to {
			put(name, data, 0o600)
		}
	}
	put("stdin.log", []byte(`{"jsonrpc":"2.0","id":1,"method":"ping"}`+"\n"), 0o600)
	put("stdout.log", []byte(`{"jsonrpc":"2.0","id":1,"result":{}}`+"\n"), 0o600)
	put("sdk.log", []byte(`write: {"jsonrpc":"2.0","id":1,"method":"ping"}`+"\n"+`read: {"jsonrpc":"2.0","id":1,"result":{}}`+"\n"), 0o600)
	put(".cursor/mcp.json", []byte(`{"mcpServers":{"files":{"command":"npx","args":["-y","srv"]}}}`), 0o600)
	put("bin/shakescope", nil, 0o755)
	return d
}

func (d desk) run(env, words []string) (out string, code int) {
	c := exec.Command("shakescope", words...)
	c.Dir = d.dir
	c.Env = append(os.Environ(), "HOME="+d.dir, "XDG_CONFIG_HOME=", "SHAKESCOPE_SETTINGS=", "SHAKESCOPE_DIR="+filepath.Join(d.dir, "recordings"),
		"TMPDIR="+filepath.Join(d.dir, "temp"), "TZ=UTC", "COLUMNS=", "NO_COLOR=", "CLICOLOR_FORCE=", "LC_ALL=C.UTF-8")
	c.Env = append(c.Env, env...)
	text, err := c.CombinedOutput()
	if err != nil && c.ProcessState == nil {
		return err.Error(), -1
	}
	return string(text), c.ProcessState.ExitCode()
}

// meant are the words of the pages that a reader replaces, with what he might put there.
var meant = map[string]string{
	"FILE": "harbour.jsonl", "FILE…": "harbour.jsonl", "BASELINE": "before.jsonl", "A": "before.jsonl", "B": "after.jsonl", "OUT": "out.jsonl", "FORMAT": "jsonl", "N": "8",
	"ID": "stdout-not-json", "RULE": "stdout-not-json", "VERB": "show", "CLIENT": "cursor", "NAME": "files", "$id": "last", "T": "10ms",
	"SIDE:PATH": "server:tools", "PATH=VALUE": "params.x=1", "…": "is:finding", "SHELL": "bash",
	// tools of other servers
	"get-env": "search", "get-sum": "search", "write_file": "search",
}

// prepared makes a command of a page one that can be run here: words that readers replace, servers that are not here.
// What opens the terminal UI, goes to the network or takes long is only parsed, which --help at its end does.
func (d desk) prepared(c pageCommand) []string {
	words := []string{}
	server := false
	for i, w := range c.words {
		if w == "--" || i == 0 && w == "npx" {
			server = true
			words = append(words, "--", "mcpserver")
			break
		}
		optional := strings.HasPrefix(w, "[")
		w = strings.TrimSuffix(strings.TrimPrefix(w, "["), "]")
		if m, ok := meant[w]; ok {
			w = m
		} else if optional && w == "flags" {
			continue
		}
		if strings.Contains(w, "*") && strings.HasSuffix(w, ".jsonl") {
			files, _ := filepath.Glob(filepath.Join(d.dir, w))
			words = append(words, files...)
			continue
		}
		words = append(words, w)
	}
	verb := ""
	if len(words) > 0 {
		verb = words[0]
	}
	switch {
	case verb == "view" || verb == "demo" || slices.Contains(words, "--send") || verb == "export" && !slices.Contains(words, "--format"):
		return append(words, "--help")
	case verb == "caps" && words[len(words)-1] == "--without":
		return []string{"caps", "last", "--without", "server:tools"}
	case verb == "resend" && !server && !slices.Contains(words, "--as"):
		return append(words, "--", "mcpserver")
	case verb == "install" && runtime.GOOS == "linux":
		return append(words, "--binary", filepath.Join(d.dir, "bin", "shakescope"))
	case verb == "install":
		return append(words, "--help")
	case len(words) == 1 && (verb == "check" || verb == "show"): // the name of a verb, or a start of it
		return append(words, "last")
	}
	return words
}

// Each command of each page and each help is taken by the program: its verb, its flags and their values, filters, names
// of rules, formats. Nothing but the words of [meant] is replaced, and servers after --.
func TestPageCommands(t *testing.T) {
	commands := helpCommands(t)
	for name, text := range pages(t) {
		here, _ := readPage(name, text)
		commands = append(commands, here...)
	}
	if len(commands) < 120 {
		t.Errorf("only %d commands", len(commands))
	}
	wrong := wrongOnPurpose(t)
	seen := map[string]bool{}
	for _, c := range commands {
		key := strings.Join(append(c.env, c.words...), "\x00")
		if seen[key] || len(c.words) == 0 {
			continue
		}
		seen[key] = true
		t.Run(c.where, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t)
			words := d.prepared(c)
			out, code := d.run(c.env, words)
			if bad := code != 0 && code != 1; bad != wrong[key] {
				t.Errorf("shakescope %s\nwas run as %q and ended with %d:\n%s", strings.Join(c.words, " "), words, code, out)
			}
		})
	}
}

// wrongOnPurpose are the commands of console blocks that show an error.
func wrongOnPurpose(t *testing.T) map[string]bool {
	t.Helper()
	wrong := map[string]bool{}
	for name, text := range pages(t) {
		_, blocks := readPage(name, text)
		for _, b := range blocks {
			if strings.HasPrefix(b.prints, "shakescope: error:") {
				wrong[strings.Join(b.words, "\x00")] = true
			}
		}
	}
	return wrong
}

// The console blocks of the pages show what is printed. With -update they are run anew.
func TestPages(t *testing.T) {
	runs := 0
	for name, text := range pages(t) {
		_, blocks := readPage(name, text)
		if len(blocks) == 0 {
			continue
		}
		runs += len(blocks)
		t.Run(name, func(t *testing.T) {
			d := newDesk(t)
			lines := strings.SplitAfter(text, "\n")
			for _, b := range slices.Backward(blocks) {
				out, _ := d.run(nil, b.words)
				switch {
				case b.cut && !inPieces(out, b.prints):
					t.Errorf("%s:%d: shakescope %s prints something else:\n%s", name, b.line, strings.Join(b.words, " "), out)
				case !b.cut:
					lines = slices.Replace(lines, b.line, b.end, out)
				}
			}
			fresh := strings.Join(lines, "")
			switch {
			case fresh == text:
			case *update:
				if err := os.WriteFile(filepath.Join("..", "..", name), []byte(fresh), 0o644); err != nil {
					t.Fatal(err)
				}
			default:
				t.Errorf("the examples of %s print something else; see with -update:\n%s", name, fresh)
			}
		})
	}
	if runs < 9 {
		t.Errorf("only %d examples", runs)
	}
}

// inPieces reports whether out has the pieces between the lines of … of shown, in their order, as whole lines.
func inPieces(out, shown string) bool {
	rest := "\n" + out
	pieces := strings.Split("\n"+shown, "\n…\n")
	for i, piece := range pieces {
		if i > 0 {
			piece = "\n" + piece
		}
		at := strings.Index(rest, strings.TrimSuffix(piece, "\n"))
		if at < 0 || i == 0 && at > 0 {
			return false
		}
		rest = rest[at+len(strings.TrimSuffix(piece, "\n")):]
		if !strings.HasPrefix(rest, "\n") && rest != "" {
			return false
		}
	}
	return strings.HasSuffix(shown, "…\n") || strings.TrimSpace(rest) == ""
}

// Links of the pages lead to files and headings that are there.
func TestPageLinks(t *testing.T) {
	link := regexp.MustCompile(`\]\(([^)\s]+)\)`)
	all := pages(t)
	links := 0
	for name, text := range all {
		for _, m := range link.FindAllStringSubmatch(withoutCode(text), -1) {
			if strings.Contains(m[1], "://") {
				continue
			}
			links++
			file, heading, _ := strings.Cut(m[1], "#")
			target := name
			if file != "" {
				target = filepath.ToSlash(filepath.Join(filepath.Dir(name), file))
			}
			if _, err := os.Stat(filepath.Join("..", "..", target)); err != nil {
				t.Errorf("%s: %s is not there", name, m[1])
			} else if heading != "" && !slices.Contains(anchors(all[target]), heading) {
				t.Errorf("%s: %s has no heading %s; it has %v", name, target, heading, anchors(all[target]))
			}
		}
	}
	if links < 60 {
		t.Errorf("only %d links", links)
	}
}

// withoutCode leaves fenced blocks and inline code out.
func withoutCode(text string) string {
	text = regexp.MustCompile("(?s)```.*?```").ReplaceAllString(text, "")
	return inlineCode.ReplaceAllString(text, "")
}

// anchors are the names by which the headings of a page can be linked to.
func anchors(text string) (names []string) {
	for line := range strings.Lines(regexp.MustCompile("(?s)```.*?```").ReplaceAllString(text, "")) {
		title, ok := strings.CutPrefix(strings.TrimLeft(line, "#"), " ")
		if !ok || !strings.HasPrefix(line, "#") {
			continue
		}
		var b bytes.Buffer
		for _, r := range strings.ToLower(strings.TrimSpace(title)) {
			switch {
			case r == ' ':
				b.WriteByte('-')
			case r == '-' || r == '_' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r > 127:
				b.WriteRune(r)
			}
		}
		names = append(names, b.String())
	}
	return names
}

// The README does not overstate how many rules there are, nor lag far behind.
func TestReadmeCountsRules(t *testing.T) {
	out, err := exec.Command("shakescope", "rules", "--json").Output()
	if err != nil {
		t.Fatal(err)
	}
	rules := bytes.Count(out, []byte("\n"))
	said := 0
	_, text, _ := strings.Cut(pages(t)["README.md"], "\nOver ")
	if _, err := fmt.Sscanf(text, "%d rules ", &said); err != nil || rules < said || rules > said+50 {
		t.Errorf("there are %d rules; the README says over %d (%v)", rules, said, err)
	}
}
