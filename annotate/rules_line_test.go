package annotate

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/shakescope/shakescope/jsonrpc"
)

// ruleCase is a scenario and what some rules say of it: "level rule by client #3 x2", where "by …", "#…"
// and "x…" may be left out. Rules named in watch, or in want, say nothing else; others are not looked at.
type ruleCase struct {
	name   string
	script string
	want   []string
	watch  []string
}

// opened is a session of a revision with some capabilities of both ends; its three lines are #1 to #3.
func opened(revision, clientCaps, serverCaps string) string {
	return `> {"jsonrpc":"2.0","id":"i","method":"initialize","params":{"protocolVersion":"` + revision + `","capabilities":` + clientCaps + `,"clientInfo":{"name":"c","version":"1"}}}
< {"jsonrpc":"2.0","id":"i","result":{"protocolVersion":"` + revision + `","capabilities":` + serverCaps + `,"serverInfo":{"name":"s","version":"1"}}}
> {"jsonrpc":"2.0","method":"notifications/initialized"}
`
}

// session is one of 2025-11-25 with tools.
var session = opened("2025-11-25", "{}", `{"tools":{}}`)

// runRuleCases holds the findings of each case against what is wanted.
func runRuleCases(t *testing.T, cases []ruleCase) {
	t.Helper()
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			entries, whole, _ := fold(parseScenario(t, []byte(c.script)))
			var all []Finding
			for _, e := range entries {
				all = append(all, e.Findings...)
			}
			all = append(all, whole...)
			watched := slices.Clone(c.watch)
			for _, w := range c.want {
				watched = append(watched, strings.Fields(w)[1])
			}
			if len(watched) == 0 {
				t.Fatal("the case looks at no rule")
			}
			for _, id := range watched {
				if LookupRule(id) == nil {
					t.Fatalf("no rule %s", id)
				}
			}
			used := make([]bool, len(all))
			for _, w := range c.want {
				hit := slices.IndexFunc(all, func(f Finding) bool { return says(f, w) })
				for hit >= 0 && used[hit] {
					next := slices.IndexFunc(all[hit+1:], func(f Finding) bool { return says(f, w) })
					if next < 0 {
						hit = -1
						break
					}
					hit += 1 + next
				}
				if hit < 0 {
					t.Errorf("missing: %s\nfindings:\n%s", w, listFindings(all))
					continue
				}
				used[hit] = true
			}
			for i, f := range all {
				if !used[i] && slices.Contains(watched, f.Rule) {
					t.Errorf("not wanted: %s", listFindings([]Finding{f}))
				}
			}
		})
	}
}

// says reports whether a finding is what a line of a case describes.
func says(f Finding, want string) bool {
	words := strings.Fields(want)
	if string(f.Level) != words[0] || f.Rule != words[1] {
		return false
	}
	for i := 2; i < len(words); i++ {
		switch w := words[i]; {
		case w == "by":
			i++
			if f.By != words[i] {
				return false
			}
		case w[0] == '#':
			if f.At.String() != w {
				return false
			}
		case w[0] == 'x':
			if w != fmt.Sprintf("x%d", f.Count) {
				return false
			}
		default: // a word of the message
			if !strings.Contains(f.Message, strings.TrimPrefix(w, "~")) {
				return false
			}
		}
	}
	return true
}

func listFindings(list []Finding) string {
	var b strings.Builder
	for _, f := range list {
		fmt.Fprintf(&b, "%s ", f.At)
		describeFinding(&b, f)
	}
	return b.String()
}

const (
	ping    = `> {"jsonrpc":"2.0","id":7,"method":"ping"}` + "\n"
	ponged  = `< {"jsonrpc":"2.0","id":7,"result":{}}` + "\n"
	pinged8 = `> {"jsonrpc":"2.0","id":8,"method":"ping"}` + "\n"
)

func TestFramingRules(t *testing.T) {
	stray := []string{"stdout-not-json", "stdin-not-json", "ansi-escape-hint", "two-messages-one-line", "json-nan-hint", "utf8-bom",
		"invalid-utf8", "not-a-message", "message-spans-lines", "content-length-framing", "unterminated-line-at-eof", "blank-line"}
	line := func(name, text, want string) ruleCase {
		c := ruleCase{name: name, script: session + text + "\n", watch: stray}
		if want != "" {
			c.want = []string{want + " #4"}
		}
		return c
	}
	runRuleCases(t, []ruleCase{
		line("banner", "< Server listening on stdio", "error stdout-not-json by server"),
		line("dotenv", "< [dotenv@17.0.0] injecting env (0) from .env", "error stdout-not-json dotenv"),
		line("runner", "< > demo@1.0.0 start", "error stdout-not-json runner"),
		line("npm", "< npm warn deprecated x@1", "error stdout-not-json npm"),
		line("trace", "< Traceback (most recent call last):", "error stdout-not-json stack"),
		line("stdin", "> hello", "error stdin-not-json by client"),
		line("half a message on stdin", `> {"jsonrpc":"2.0","id":7,"method":"ping"`, "error stdin-not-json by client"),
		line("colours", "< `\\x1b[32minfo\\x1b[0m started", "error ansi-escape-hint by server"),
		line("two messages", `> {"jsonrpc":"2.0","id":1,"method":"ping"}{"jsonrpc":"2.0","id":2,"method":"ping"}`, "error two-messages-one-line by client"),
		line("trailing rubbish is not two messages", `< {"a":1} x`, "error stdout-not-json by server"),
		line("date first", "< 2026 started", "error stdout-not-json by server"),
		line("NaN", `< {"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":NaN}}`, "error json-nan-hint by server"),
		line("Infinity", `< {"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":-Infinity}}`, "error json-nan-hint -Infinity"),
		line("NaN in text only", `< {"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"NaN"}}`, ""),
		line("BOM", "> `\\xef\\xbb\\xbf{\\\"jsonrpc\\\":\\\"2.0\\\",\\\"id\\\":7,\\\"method\\\":\\\"ping\\\"}", "error utf8-bom by client"),
		line("Latin-1", "> `{\\\"jsonrpc\\\":\\\"2.0\\\",\\\"method\\\":\\\"caf\\xe9\\\"}", "error invalid-utf8 by client code"),
		line("UTF-16", "< `\\xff\\xfe{\\x00\\\"\\x00a\\x00\\\"\\x00", "error invalid-utf8 by server UTF-16"),
		line("mojibake is UTF-8", `< {"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"Ã©"}}`, ""),
		line("log line with error", `< {"level":"error","error":"boom","msg":"x"}`, "error not-a-message by server"),
		line("log line with method", `< {"level":"info","method":"GET","path":"/x"}`, "error not-a-message by server"),
		line("number", "< 7", "error not-a-message by server"),
		line("null", "< null", "error not-a-message by server"),
		line("empty array where there are no batches", "< []", "error not-a-message by server"),
		line("bare result", `< {"tools":[]}`, "error not-a-message by server"),
		line("version alone", `< {"jsonrpc":"2.0"}`, "error not-a-message by server"),
		line("blank", "< ", "warning blank-line by server"),
		line("blank for the server", "> `\\t", "warning blank-line by client"),
		line("header", "< Content-Length: 12", "error content-length-framing by server"),
		{name: "one run, one finding", script: session + "< banner\n< `\\x1b[1mversion 2\\x1b[0m\n< third\n" + ping + ponged + "< later\n",
			want: []string{"error stdout-not-json #4 x3", "error stdout-not-json #9"}, watch: stray},
		{name: "header framing is one finding", script: "> Content-Length: 9\n> \n>| {\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n@ client_closed_stdin\n",
			want: []string{"error content-length-framing by client #1", "warning unterminated-line-at-eof by client #3"}, watch: stray},
		{name: "pretty-printed", script: session + ping + "< {\n<   \"jsonrpc\": \"2.0\", \"id\": 7,\n<   \"result\": {}\n< }\n",
			want: []string{"error message-spans-lines by server #5 x4"}, watch: stray},
		{name: "braces that come to nothing", script: session + "< {\n<   a: 1\n< }\n", want: []string{"error stdout-not-json #4 x3"}, watch: stray},
		{name: "cut off", script: session + ping + "<| {\"jsonrpc\":\"2.0\",\"id\":7,\n@ server_closed_stdout\n", want: []string{"error unterminated-line-at-eof by server #5"}, watch: stray},
		{name: "no newline", script: session + "<| {\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\"params\":{\"level\":\"info\",\"data\":1}}\n@ server_closed_stdout\n",
			want: []string{"warning unterminated-line-at-eof by server #4"}, watch: stray},
		{name: "cut by the recording", script: session + "<| {\"jsonrpc\":\"2.0\",\n", watch: stray},
	})
}

func TestLineRules(t *testing.T) {
	runRuleCases(t, []ruleCase{
		{name: "white space after", script: session + "> {\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"ping\"} \n> {\"jsonrpc\":\"2.0\",\"id\":8,\"method\":\"ping\"} \n",
			want: []string{"info trailing-space by client #4 x2"}},
		{name: "tight", script: session + ping, watch: []string{"trailing-space", "crlf-line-ending", "duplicate-json-key", "json-number-precision", "oversize-message"}},
		{name: "duplicate key deep down", script: session + `> {"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"a","arguments":{"x":1,"x":2}}}` + "\n",
			want: []string{"warning duplicate-json-key by client #4 /params/arguments/x"}},
		{name: "big id", script: session + `> {"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}` + "\n", want: []string{"info json-number-precision by client #4"}},
		{name: "biggest safe id", script: session + `> {"jsonrpc":"2.0","id":9007199254740991,"method":"ping"}` + "\n", watch: []string{"json-number-precision"}},
		{name: "big id as text", script: session + `> {"jsonrpc":"2.0","id":"9007199254740993","method":"ping"}` + "\n", watch: []string{"json-number-precision"}},
		{name: "big token", script: session + `> {"jsonrpc":"2.0","id":7,"method":"tools/list","params":{"_meta":{"progressToken":-90071992547409930}}}` + "\n",
			want: []string{"info json-number-precision by client"}},
		{name: "last words", script: session + ping + "! one\n! two\n@ exit code=1\n", want: []string{"info stderr-output by server #6 one two"}},
		{name: "talkative, but well", script: session + "! one\n@ client_closed_stdin\n@ exit code=0\n", watch: []string{"stderr-output"}},
	})
	long := strings.Repeat("x", 10<<20)
	notice := `< {"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"` + long + `"}}` + "\n"
	call := `> {"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"a"}}` + "\n"
	answer := `< {"jsonrpc":"2.0","id":7,"result":{"content":[{"type":"text","text":"` + long + `"}]}}` + "\n"
	runRuleCases(t, []ruleCase{
		{name: "big notice", script: session + notice, want: []string{"warning oversize-message by server #4"}},
		{name: "big answer that arrives", script: session + call + answer + pinged8, want: []string{"info oversize-message by server #5"}},
		{name: "big answer, and the client leaves", script: session + call + answer + "@ client_closed_stdin\n", want: []string{"warning oversize-message by server #5"}},
	})
}

// Lines that end in CR LF are noted once a stream, and not where headers have them.
func TestCRLF(t *testing.T) {
	records := parseScenario(t, []byte(session+ping+ponged+pinged8))
	for _, r := range records {
		r.EOL = jsonrpc.CRLF
	}
	entries, _, _ := fold(records)
	var at []string
	for _, e := range entries {
		for _, f := range e.Findings {
			if f.Rule == "crlf-line-ending" {
				at = append(at, f.At.String()+f.By)
			}
		}
	}
	if want := []string{"#1client", "#2server"}; !slices.Equal(at, want) {
		t.Errorf("CR LF is noted at %v, want %v", at, want)
	}
}
