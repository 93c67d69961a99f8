package cli_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"
)

// hostileTexts are what a peer may send to take over the terminal of whoever looks at the log: every
// control character, escape sequences of all kinds, marks that turn text around or hide it, and bytes
// that are no UTF-8.
func hostileTexts() []string {
	var texts []string
	for b := 0; b < 0x20; b++ {
		texts = append(texts, fmt.Sprintf("a%cb", b))
	}
	for r := rune(0x7f); r <= 0x9f; r++ {
		texts = append(texts, "a"+string(r)+"b")
	}
	texts = append(texts,
		"\x1b[31mred", "\x1b[2J\x1b[H", "\x1b]0;title\a", "\x1b]52;c;Zm9v\x1b\\", "\x1b]8;;http://evil\x1b\\link\x1b]8;;\x1b\\",
		"\x1bP+q544e\x1b\\", "\x1b[6n", "\x1b[c", "\x1b]11;?\a", "\x1b_Gi=1\x1b\\", "\x1bc", "\u009b31m", "\u009d0;t\u009c",
		"\u202eevil\u202c", "\u2066a\u2069", "\u200fb", "\u061cc", "zero\u200bwidth\u200djoin", "\ufeffbom", "line\u2028sep\u2029end",
		"tag\U000e0041s", "\rover", "back\b\b\bspace", "two\nlines", "cr\r\nlf",
		"\xff\xfe", "\xc0\xaf", "\xed\xa0\x80", "\xf5\x80\x80\x80", "\x80alone", "cut\xe2\x82",
	)
	return texts
}

// hostileLog is a wire log that brings each text in every place where it can stand.
func hostileLog() []byte {
	var log bytes.Buffer
	line := func(dir string, raw []byte) {
		b, _ := json.Marshal(map[string]any{"t_ms": 1, "dir": dir, "raw_b64": base64.StdEncoding.EncodeToString(raw)})
		log.Write(append(b, '\n'))
	}
	// One frame of the wire cannot hold a line feed, so that one only comes escaped.
	for i, text := range hostileTexts() {
		escaped, _ := json.Marshal(strings.ToValidUTF8(text, "\ufffd"))
		var unescaped []byte // as a literal with the characters themselves, where JSON allows them
		unescaped = append(unescaped, '"')
		for _, b := range []byte(text) {
			if b >= 0x20 && b != '"' && b != '\\' {
				unescaped = append(unescaped, b)
			}
		}
		unescaped = append(unescaped, '"')
		for _, s := range [][]byte{escaped, unescaped} {
			line("c2s", fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"name":%s,"arguments":{%s:%s}}}`, s, s, s, s))
			line("s2c", fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"result":{"isError":true,"content":[{"type":"text","text":%s}]}}`, s, s))
			line("c2s", fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%d,"method":%s,"params":{"uri":%s}}`, i, s, s))
			line("s2c", fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%d,"error":{"code":-1,"message":%s,"data":%s}}`, i, s, s))
			line("s2c", fmt.Appendf(nil, `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":%s,"data":%s}}`, s, s))
			line("s2c", fmt.Appendf(nil, `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":%s,"progress":1,"message":%s}}`, s, s))
			line("c2s", fmt.Appendf(nil, `{"jsonrpc":"2.0","id":"i%d","method":"initialize","params":{"protocolVersion":%s,"capabilities":{%s:{}},"clientInfo":{"name":%s,"version":%s}}}`, i, s, s, s, s))
			line("s2c", fmt.Appendf(nil, `{"jsonrpc":"2.0","id":"i%d","result":{"protocolVersion":%s,"capabilities":{%s:{}},"serverInfo":{"name":%s,"version":%s},"instructions":%s}}`, i, s, s, s, s, s))
		}
		bare := bytes.ReplaceAll([]byte(text), []byte("\n"), nil)
		line("s2c", bare)
		line("stderr", bare)
	}
	fmt.Fprintf(&log, `{"t_ms":2,"event":"server_exit","signal":%q}`+"\n", "SIG\u202e\u009b")
	return log.Bytes()
}

// Nothing that the wire brings reaches the terminal of those who look at the log as anything but
// harmless text.
func TestHostileTraffic(t *testing.T) {
	dir := t.TempDir()
	wire := filepath.Join(dir, "evil\u202e\x1b]0;x\a.jsonl")
	if err := os.WriteFile(wire, hostileLog(), 0o600); err != nil {
		t.Skipf("this file system takes no such name: %v", err)
	}
	native := filepath.Join(dir, "native.jsonl")
	if out, err := exec.Command("shakescope", "import", wire, "-o", native).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	folder := filepath.Join(dir, "recordings")
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(native)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, "20261129-evil.jsonl"), b, 0o600); err != nil {
		t.Fatal(err)
	}

	for _, args := range [][]string{
		{"show", wire}, {"show", native}, {"show", native, "--plain"}, {"show", native, "-f"},
		{"stats", native}, {"tools", native}, {"check", native}, {"check", wire, "--fail-on", "info"}, {"verify", native}, {"verify", wire},
		{"list"}, {"replay", native, "--speed", "max"}, {"export", native, "--format", "text"},
		{"show", wire + "\x1b[31m"}, {"show", wire, "--\x1b[31m"},
	} {
		for _, color := range []string{"", "1"} {
			cmd := exec.Command("shakescope", args...)
			cmd.Env = append(os.Environ(), "SHAKESCOPE_DIR="+folder, "NO_COLOR=", "CLICOLOR_FORCE="+color)
			var stdout, stderr bytes.Buffer
			cmd.Stdout, cmd.Stderr = &stdout, &stderr
			cmd.Run() // the exit code is another test's
			name := strings.Join(args, " ")
			if stdout.Len()+stderr.Len() == 0 {
				t.Errorf("%q printed nothing", name)
			}
			plain := args[len(args)-1] == "--plain"
			for _, out := range []*bytes.Buffer{&stdout, &stderr} {
				for i, l := range strings.SplitAfter(out.String(), "\n") {
					if why := harm(l, color != "" && out == &stdout && !plain, plain && out == &stdout); why != "" {
						t.Errorf("%q, colour %q, line %d holds %s:\n%.400q", name, color, i+1, why, l)
						break
					}
				}
			}
		}
	}
}

// harm says what in a line could change more than the line, "" when nothing. Our own colours are let
// through when colored is set.
func harm(line string, colored, ascii bool) string {
	line = strings.TrimSuffix(line, "\n")
	if colored {
		line = stripColor(line)
	}
	if !utf8.ValidString(line) {
		return "bytes that are no UTF-8"
	}
	for _, r := range line {
		switch {
		case r < 0x20, 0x7f <= r && r <= 0x9f:
			return fmt.Sprintf("the control character %U", r)
		case 0x200b <= r && r <= 0x200f, 0x2028 <= r && r <= 0x202e, 0x2060 <= r && r <= 0x206f, r == 0x061c, r == 0xfeff, 0xe0000 <= r && r <= 0xe007f:
			return fmt.Sprintf("the invisible character %U", r)
		case ascii && r > 0x7e:
			return fmt.Sprintf("%U, which is not ASCII", r)
		}
	}
	return ""
}

// stripColor takes away the sequences ESC [ digits and semicolons m, and no others.
func stripColor(s string) string {
	var b strings.Builder
	for {
		before, after, found := strings.Cut(s, "\x1b[")
		b.WriteString(before)
		if !found {
			return b.String()
		}
		rest := strings.TrimLeft(after, "0123456789;")
		if !strings.HasPrefix(rest, "m") {
			b.WriteString("\x1b[")
			s = after
			continue
		}
		s = rest[1:]
	}
}
