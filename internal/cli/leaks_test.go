package cli_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// seed is a secret in a place. The line of a stream holds it in one of its forms.
type seed struct {
	where  string
	dir    string // of the wire log: c2s, s2c or stderr
	line   string // SECRET is where it stands
	encode func(string) string
	secret string
}

func base64JSON(s string) string {
	return base64.StdEncoding.EncodeToString([]byte(`{"user":"bob","password":"` + s + `"}`))
}

// Made-up credentials are put together, so that no scanner takes this file for a leak.
var seeds = []seed{
	{where: "arguments", dir: "c2s", line: `{"jsonrpc":"2.0","id":11,"method":"tools/call","params":{"name":"login","arguments":{"user":"bob","password":"SECRET"}}}`},
	{where: "arguments, deep", dir: "c2s", line: `{"jsonrpc":"2.0","id":12,"method":"tools/call","params":{"name":"a","arguments":{"db":{"auth":{"user":"u","clientSecret":"SECRET"}}}}}`},
	{where: "arguments, list of words", dir: "c2s", line: `{"jsonrpc":"2.0","id":13,"method":"tools/call","params":{"name":"a","arguments":{"argv":["x","--api-key","SECRET"]}}}`},
	{where: "result", dir: "s2c", line: `{"jsonrpc":"2.0","id":11,"result":{"content":[],"structuredContent":{"access_token":"SECRET"}}}`},
	{where: "text of a result", dir: "s2c", line: `{"jsonrpc":"2.0","id":12,"result":{"content":[{"type":"text","text":"export API_KEY=SECRET\nok"}]}}`},
	{where: "known form", dir: "s2c", secret: "ghp" + "_Q1w2E3r4T5y6U7i8O9p0A1s2D3f4G5h6J7k8", line: `{"jsonrpc":"2.0","id":13,"result":{"content":[{"type":"text","text":"push with SECRET please"}]}}`},
	{where: "stderr", dir: "stderr", line: `connecting, password: SECRET`},
	{where: "stderr, header", dir: "stderr", line: `> Authorization: Bearer SECRET`},
	{where: "stderr, before it has a name", dir: "stderr", line: `trying SECRET now`, secret: "ech0-Before-99"},
	{where: "and its name", dir: "c2s", line: `{"jsonrpc":"2.0","id":14,"method":"tools/call","params":{"name":"b","arguments":{"passphrase":"SECRET"}}}`, secret: "ech0-Before-99"},
	{where: "error message, without its name", dir: "s2c", line: `{"jsonrpc":"2.0","id":14,"error":{"code":-32603,"message":"wrong: SECRET","data":{"tried":"SECRET"}}}`, secret: "ech0-Before-99"},
	{where: "_meta", dir: "c2s", line: `{"jsonrpc":"2.0","id":15,"method":"tools/call","params":{"name":"c","arguments":{},"_meta":{"vendor/x":{"sessionToken":"SECRET"},"progressToken":"p-15"}}}`},
	{where: "URL, password", dir: "c2s", line: `{"jsonrpc":"2.0","id":16,"method":"resources/read","params":{"uri":"postgres://bob:SECRET@db.example/x"}}`},
	{where: "URL, parameter", dir: "s2c", line: `{"jsonrpc":"2.0","id":16,"result":{"contents":[{"uri":"https://h.example/a?q=1&access_token=SECRET","text":"t"}]}}`},
	{where: "URI of a resource", dir: "s2c", line: `{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"https://h.example/r?sig=SECRET"}}`},
	{where: "URL in a URL", dir: "c2s", line: `{"jsonrpc":"2.0","id":17,"method":"tools/call","params":{"name":"d","arguments":{"u":"https://h.example/?next=SECRET"}}}`,
		encode: func(s string) string { return url.QueryEscape("https://i.example/?token=" + s) }},
	{where: "percent-encoded form", dir: "c2s", line: `{"jsonrpc":"2.0","id":18,"method":"tools/call","params":{"name":"d","arguments":{"body":"SECRET"}}}`,
		encode: func(s string) string { return url.QueryEscape("a=b&password=" + s) }},
	{where: "headers", dir: "s2c", line: `{"jsonrpc":"2.0","id":15,"result":{"content":[],"structuredContent":{"status":200,"headers":{"set-cookie":["sid=SECRET; Path=/"],"x-request-id":"r1"}}}}`},
	{where: "list of headers", dir: "s2c", line: `{"jsonrpc":"2.0","id":17,"result":{"content":[],"structuredContent":{"headers":[{"name":"X-Api-Key","value":"SECRET"}]}}}`},
	{where: "error data", dir: "s2c", line: `{"jsonrpc":"2.0","id":18,"error":{"code":-32000,"message":"no","data":{"request":{"secret":"SECRET"}}}}`},
	{where: "log message", dir: "s2c", line: `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"using api_key=SECRET"}}`},
	{where: "progress", dir: "s2c", line: `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"p-15","progress":1,"message":"logged in, token=SECRET"}}`},
	{where: "blob", dir: "s2c", line: `{"jsonrpc":"2.0","id":19,"result":{"contents":[{"uri":"file:///x","blob":"SECRET"}]}}`, encode: base64JSON},
	{where: "base64 in a text", dir: "stderr", line: `state SECRET saved`, encode: base64JSON},
	{where: "data URL", dir: "c2s", line: `{"jsonrpc":"2.0","id":19,"method":"tools/call","params":{"name":"e","arguments":{"f":"data:application/json;base64,SECRET"}}}`, encode: base64JSON},
	{where: "JSON in a string", dir: "c2s", line: `{"jsonrpc":"2.0","id":20,"method":"tools/call","params":{"name":"f","arguments":{"body":SECRET}}}`,
		encode: func(s string) string { return strconv.Quote(`{"a":` + strconv.Quote(`{"db_password":"`+s+`"}`) + `}`) }},
	{where: "escaped", dir: "s2c", line: `{"jsonrpc":"2.0","id":20,"result":{"content":[{"type":"text","text":"password=SECRET"}]}}`,
		encode: func(s string) string { return `\u00` + hex(s[0]) + s[1:] }},
	{where: "batch", dir: "c2s", line: `[{"jsonrpc":"2.0","id":21,"method":"ping"},{"jsonrpc":"2.0","id":22,"method":"tools/call","params":{"name":"g","arguments":{"pwd":"SECRET"}}}]`},
	{where: "in parts", dir: "s2c", line: `{"jsonrpc":"2.0","id":22,"result":{"content":[{"type":"text","text":"PADDING"}],"structuredContent":{"password":"SECRET"}}}`},
	{where: "capabilities", dir: "s2c", line: `{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{},"experimental":{"x":{"apiKey":"SECRET"}}},"serverInfo":{"name":"s","version":"1"}}}`},
	{where: "default in a schema", dir: "s2c", line: `{"jsonrpc":"2.0","id":23,"result":{"tools":[{"name":"h","inputSchema":{"type":"object","properties":{"password":{"type":"string","default":"SECRET"}}}}]}}`},
	{where: "description of a tool", dir: "s2c", secret: "sk-" + "ant-api03-Ab1Cd2Ef3Gh4Ij5Kl6Mn7Op8Qr9St0", line: `{"jsonrpc":"2.0","id":24,"result":{"tools":[{"name":"i","description":"Try SECRET","inputSchema":{"type":"object"}}]}}`},
	{where: "name of a member", dir: "s2c", secret: "AK" + "IAQ3EGSJ7P2MNB4XWZ", line: `{"jsonrpc":"2.0","id":25,"result":{"content":[],"structuredContent":{"keys":{"SECRET":1}}}}`},
	{where: "sampling", dir: "s2c", line: `{"jsonrpc":"2.0","id":31,"method":"sampling/createMessage","params":{"messages":[{"role":"user","content":{"type":"text","text":"my password = SECRET"}}],"maxTokens":9}}`},
	{where: "elicitation", dir: "c2s", line: `{"jsonrpc":"2.0","id":32,"result":{"action":"accept","content":{"otp":"SECRET"}}}`},
	{where: "a custom method", dir: "s2c", line: `{"jsonrpc":"2.0","method":"x/y","params":{"credentials":{"blob":"SECRET"}}}`, secret: "9f8e7d6c5b4a3f2e1d0c"},
	{where: "a line that is none", dir: "s2c", line: `Server ready, token=SECRET, listening`},
	{where: "broken JSON", dir: "s2c", line: `{"jsonrpc":"2.0","id":33,"result":{"password":"SECRET",}`},
	{where: "a private key, line 1", dir: "stderr", line: "-----BEGIN RSA " + "PRIVATE KEY-----", secret: "-----BEGIN RSA " + "PRIVATE KEY-----"},
	{where: "a private key, line 2", dir: "stderr", line: "SECRET", secret: "MIIEpAIBAAKCAQEA7bq0Zx9Yw8Vu7Ts6Rq5Po4Nm3Lk2Jh1Gf0"},
	{where: "a private key, line 3", dir: "stderr", line: "-----END RSA " + "PRIVATE KEY-----", secret: "-----END RSA " + "PRIVATE KEY-----"},
	{where: "home path", dir: "stderr", line: `ENOENT: /home/SECRET/notes.txt`, secret: "anneliese"},
	{where: "number", dir: "c2s", line: `{"jsonrpc":"2.0","id":26,"method":"tools/call","params":{"name":"j","arguments":{"password":SECRET}}}`, secret: "7391846205"},
}

func hex(c byte) string { return strconv.FormatInt(int64(c), 16) }

// commandSecret is one in the command line.
const commandSecret = "cmd-L1ne-s3cret"

// planted returns the seeds with a secret for each, and the lines.
func planted() []seed {
	list := slices.Clone(seeds)
	for i := range list {
		s := &list[i]
		if s.secret == "" {
			s.secret = "Zq" + strconv.Itoa(100+i) + "-vR7kM" + strconv.Itoa(i)
		}
		held := s.secret
		if s.encode != nil {
			held = s.encode(held)
		}
		s.line = strings.ReplaceAll(s.line, "SECRET", held)
		if s.encode != nil {
			s.line = strings.ReplaceAll(s.line, "SECRET", held)
		}
		if at := strings.Index(s.line, "PADDING"); at >= 0 {
			// The secret stands across the place where the first part ends.
			n := 256<<10 - strings.Index(s.line, s.secret) + len("PADDING") - len(s.secret)/2
			s.line = s.line[:at] + strings.Repeat("lorem ip", n/8+1)[:n] + s.line[at+len("PADDING"):]
		}
	}
	return list
}

// found returns the seeds of which something is in out.
func found(list []seed, out []byte) (where []string) {
	for i := range list {
		s := &list[i]
		forms := []string{s.secret}
		if s.encode != nil {
			forms = append(forms, strings.Trim(s.encode(s.secret), `"`))
		}
		for _, f := range forms {
			if bytes.Contains(out, []byte(f)) {
				where = append(where, s.where)
				break
			}
		}
	}
	if bytes.Contains(out, []byte(commandSecret)) {
		where = append(where, "command line")
	}
	return where
}

// program runs shakescope and returns what it wrote to standard output.
func program(t *testing.T, input string, args ...string) (out, errOut []byte, code int) {
	t.Helper()
	cmd := exec.Command("shakescope", args...)
	dir := t.TempDir()
	cmd.Env = append(os.Environ(), "SHAKESCOPE_SETTINGS="+filepath.Join(dir, "none.toml"), "ACME_API_TOKEN="+environmentSecret)
	if os.Getenv("SHAKESCOPE_DIR") == "" {
		cmd.Env = append(cmd.Env, "SHAKESCOPE_DIR="+dir)
	}
	cmd.Stdin = strings.NewReader(input)
	var b, e bytes.Buffer
	cmd.Stdout, cmd.Stderr = &b, &e
	err := cmd.Run()
	var ended *exec.ExitError
	if errors.As(err, &ended) {
		code = ended.ExitCode()
	} else if err != nil {
		t.Fatal(err)
	}
	return b.Bytes(), e.Bytes(), code
}

const environmentSecret = "env-V4lue-77-secret"

// No secret is in any export, nor in any report for programs, unless somebody asks for that.
func TestNothingLeaks(t *testing.T) {
	list := planted()
	var log bytes.Buffer
	e := json.NewEncoder(&log)
	e.SetEscapeHTML(false)
	e.Encode(map[string]any{"meta": map[string]any{"label": "token=" + commandSecret, "command": []string{"srv", "--token", commandSecret, "KEY=x"}, "started": "2026-11-29T20:39:19Z"}})
	for i, s := range list {
		e.Encode(map[string]any{"t_ms": i + 1, "dir": s.dir, "raw": s.line})
	}
	e.Encode(map[string]any{"t_ms": 900, "event": "server_exit", "code": 0})
	dir := t.TempDir()
	t.Setenv("SHAKESCOPE_DIR", dir)
	path := filepath.Join(dir, "seeded.wire.jsonl")
	if err := os.WriteFile(path, log.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := found(list, log.Bytes()); len(got) < len(list)-3 {
		t.Fatalf("only %d of %d are in the log", len(got), len(list))
	}
	native := filepath.Join(dir, "20261129-203919-000k7q2x.jsonl")
	if _, errOut, code := program(t, "", "import", path, "-o", native); code != 0 {
		t.Fatalf("import: %d, %s", code, errOut)
	}
	other := filepath.Join(dir, "other.wire.jsonl")
	if err := os.WriteFile(other, bytes.Replace(log.Bytes(), []byte(`"name":"h"`), []byte(`"name":"h2"`), 1), 0o600); err != nil {
		t.Fatal(err)
	}
	reports := [][]string{
		{"show", "--json", path}, {"show", "--json", native}, {"show", "-f", "--json", native}, {"caps", "--json", path}, {"stats", "--json", path}, {"list", "--json"},
		{"verify", "--json", native}, {"check", "--format", "json", path, native}, {"check", "--format", "sarif", "--design", path}, {"check", "--format", "junit", path},
		{"tools", "--json", path}, {"show", "--as", "anthropic", path}, {"diff", "--json", path, other},
	}
	for _, format := range []string{"jsonl", "text", "markdown", "mermaid", "html", "csv", "pcapng", "otlp"} {
		reports = append(reports, []string{"export", path, "--format", format}, []string{"export", native, "--format", format})
	}
	for _, args := range reports {
		t.Run(strings.ReplaceAll(strings.Join(args, " "), dir+"/", ""), func(t *testing.T) {
			t.Parallel()
			out, errOut, code := program(t, "", args...)
			if code != 0 && (code != 1 || args[0] != "check" && args[0] != "verify" && args[0] != "diff") {
				t.Fatalf("%d, %s", code, errOut)
			}
			if len(out) == 0 {
				t.Fatalf("nothing was written: %s", errOut)
			}
			where := found(list, out)
			if args[1] == "-f" {
				// What comes before its name is not known yet, as long as it is followed.
				where = slices.DeleteFunc(where, func(s string) bool { return strings.Contains(s, "its name") || strings.Contains(s, "it has a name") })
			}
			if len(where) > 0 {
				t.Errorf("it holds the secrets of: %s", strings.Join(where, ", "))
			}
		})
	}
	out, _, _ := program(t, "", "show", "--json", "--no-redact", path)
	if got := found(list, out); len(got) < len(list)-3 {
		t.Errorf("with --no-redact only %d of %d are there", len(got), len(list))
	}
}

// In the file of a recording that is redacted none of them is, when the run is over or killed.
func TestNothingReachesTheDisk(t *testing.T) {
	list := planted()
	var input, errors strings.Builder
	for _, s := range list {
		if strings.Contains(s.where, "before it has a name") {
			continue // nobody can know
		}
		to := &input
		if s.dir == "stderr" {
			to = &errors
		}
		to.WriteString(s.line + "\n")
	}
	errors.WriteString("the value is " + environmentSecret + "\n")
	dir := t.TempDir()
	said := filepath.Join(dir, "stderr")
	if err := os.WriteFile(said, []byte(errors.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	server := []string{"--label", "token=" + commandSecret, "--", "fakeserver", "-echo", "-err", said, "--", "--token=" + commandSecret}
	check := func(t *testing.T, path string) {
		file, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if where := found(list, file); len(where) > 0 || bytes.Contains(file, []byte(environmentSecret)) {
			t.Errorf("it holds the secrets of: %s", strings.Join(where, ", "))
		}
		if !bytes.Contains(file, []byte(`"redacted":true`)) || !bytes.Contains(file, []byte("[redacted:")) {
			t.Errorf("no mask in %.1000s", file)
		}
	}
	t.Run("whole", func(t *testing.T) {
		path := filepath.Join(dir, "whole.jsonl")
		out, errOut, code := program(t, input.String(), append([]string{"run", "--redact", "-o", path}, server...)...)
		if code != 0 || !bytes.HasSuffix(out, []byte(input.String())) || string(errOut) != errors.String() {
			t.Fatalf("%d: the traffic was touched", code)
		}
		check(t, path)
		if out, _, code := program(t, "", "verify", path); code != 0 {
			t.Errorf("%s", out)
		}
	})
	t.Run("in segments", func(t *testing.T) {
		path := filepath.Join(dir, "segments.jsonl")
		program(t, input.String(), append([]string{"run", "--redact", "--max-size", "20000", "-o", path}, server...)...)
		files, _ := filepath.Glob(filepath.Join(dir, "segments*.jsonl"))
		if len(files) < 2 {
			t.Fatalf("there are %q", files)
		}
		for _, path := range files {
			file, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if where := found(list, file); len(where) > 0 {
				t.Errorf("%s holds the secrets of: %s", filepath.Base(path), strings.Join(where, ", "))
			}
		}
		if out, _, code := program(t, "", "verify", path); code != 0 {
			t.Errorf("%s", out)
		}
	})
	t.Run("killed", func(t *testing.T) {
		path := filepath.Join(dir, "killed.jsonl")
		cmd := exec.Command("shakescope", append([]string{"run", "--redact", "-o", path}, server...)...)
		cmd.Env = append(os.Environ(), "SHAKESCOPE_SETTINGS="+filepath.Join(dir, "none.toml"), "ACME_API_TOKEN="+environmentSecret)
		in, err := cmd.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		// Half a line, whose other half never comes, is last.
		half := `{"jsonrpc":"2.0","id":99,"method":"tools/call","params":{"name":"x","arguments":{"password":"` + list[0].secret
		go io.WriteString(in, input.String()+half)
		got := make([]byte, len("--token=")+len(commandSecret)+1+input.Len()+len(half))
		if _, err := io.ReadFull(out, got); err != nil {
			t.Fatal(err)
		}
		// It is to be killed in the middle of recording, not before.
		for until := time.Now().Add(10 * time.Second); time.Now().Before(until); time.Sleep(5 * time.Millisecond) {
			if file, _ := os.ReadFile(path); bytes.Contains(file, []byte("[redacted:password")) {
				break
			}
		}
		cmd.Process.Kill()
		cmd.Wait()
		check(t, path)
	})
}
