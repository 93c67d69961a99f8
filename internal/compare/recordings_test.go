package compare

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/shakescope/shakescope/recordings"
)

// wire makes a side of messages, one a line, ">" from the client and "<" from the server.
func wire(name, lines string) Side {
	var b strings.Builder
	n := 0
	for line := range strings.Lines(lines) {
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		n += 5
		dir := map[byte]string{'>': "c2s", '<': "s2c"}[line[0]]
		fmt.Fprintf(&b, "{\"t_ms\":%d,\"dir\":%q,\"raw\":%q}\n", n, dir, strings.TrimSpace(line[1:]))
	}
	log := "{\"meta\":{}}\n" + b.String()
	return Side{Name: name, Open: func() (*recordings.Reader, error) { return recordings.NewReader(strings.NewReader(log), name) }}
}

const opening = `
	> {"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"sampling":{}},"clientInfo":{"name":"c","version":"1"}}}
	< {"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{},"logging":{}},"serverInfo":{"name":"s","version":"1"}}}
	> {"jsonrpc":"2.0","method":"notifications/initialized"}
`

func listing(tools string) string {
	return `> {"jsonrpc":"2.0","id":"l","method":"tools/list"}
	< {"jsonrpc":"2.0","id":"l","result":{"tools":[` + tools + `]}}
	`
}

// calling makes calls of a tool t with these arguments, and their answers.
func calling(arguments []string, results ...string) string {
	var b strings.Builder
	for i, a := range arguments {
		result := `{"content":[]}`
		if i < len(results) {
			result = results[i]
		}
		fmt.Fprintf(&b, "> {\"jsonrpc\":\"2.0\",\"id\":%d,\"method\":\"tools/call\",\"params\":{\"name\":\"t\",\"arguments\":%s}}\n< {\"jsonrpc\":\"2.0\",\"id\":%d,\"result\":%s}\n", i+100, a, i+100, result)
	}
	return b.String()
}

func said(t *testing.T, r *Report) []string {
	t.Helper()
	var out []string
	for i := range r.Changes {
		x := &r.Changes[i]
		line := strings.Join(strings.Fields(fmt.Sprintf("%s %s %s %s: %s", x.Grade, x.Side, x.What, x.Name, x.Words)), " ")
		if x.Count > 1 {
			line += fmt.Sprintf(" ×%d", x.Count)
		}
		for _, d := range x.Differences {
			line += " | " + d.Path + " " + d.Words
		}
		out = append(out, line)
	}
	return out
}

func TestRecordings(t *testing.T) {
	tool := func(input string) string { return `{"name":"t","description":"d","inputSchema":` + input + `}` }
	structured := func(v string) string { return `{"content":[],"structuredContent":` + v + `}` }
	answering := func(output string) string {
		return `{"name":"t","description":"d","inputSchema":{"type":"object"},"outputSchema":` + output + `}`
	}
	three := []string{`{"a":"x","n":1}`, `{"a":"y"}`, `{"a":"x","n":50}`}
	for _, c := range []struct {
		name, a, b string
		want       []string
	}{
		{"calls decide what the structure does not",
			listing(tool(`{"type":"object","properties":{"a":{"type":"string","pattern":"^[xy]$"}}}`)) + calling(three),
			listing(tool(`{"type":"object","properties":{"a":{"type":"string","pattern":"^[x-z]$"}}}`)) + calling(three),
			[]string{"compatible tool t: `a`: pattern changed from \"^[xy]$\" to \"^[x-z]$\": none of 3 recorded calls would now fail"}},
		{"calls show that it breaks",
			listing(tool(`{"type":"object","properties":{"a":{"type":"string","pattern":"^[xy]$"}}}`)) + calling(three),
			listing(tool(`{"type":"object","properties":{"a":{"type":"string","pattern":"^x$"}}}`)) + calling(three),
			[]string{"breaking tool t: `a`: pattern changed from \"^[xy]$\" to \"^x$\": 1 of 3 recorded calls would now fail"}},
		{"each change has its own calls",
			listing(tool(`{"type":"object","properties":{"a":{"type":"string"},"n":{"type":"integer"}}}`)) + calling(three),
			listing(tool(`{"type":"object","properties":{"a":{"enum":["y"]},"n":{"type":"integer","maximum":10}},"required":["n"]}`)) + calling(three),
			[]string{"breaking tool t: `a` must now be \"y\": 2 of 3 recorded calls would now fail",
				"breaking tool t: `n`: maximum 10 added: 1 of 3 recorded calls would now fail",
				"breaking tool t: `n` became required: 1 of 3 recorded calls would now fail"}},
		{"what was wrong before proves nothing",
			listing(tool(`{"type":"object","properties":{"a":{"type":"integer"},"n":{"type":"integer"}}}`)) + calling(three),
			listing(tool(`{"type":"object","properties":{"a":{"type":"integer"},"n":{"type":"integer"}},"required":["n"]}`)) + calling(three),
			[]string{"breaking tool t: `n` became required"}},
		{"an argument that is gone, in a closed schema",
			listing(tool(`{"type":"object","properties":{"a":{"type":"string"},"n":{"type":"integer"}},"additionalProperties":false}`)) + calling(three),
			listing(tool(`{"type":"object","properties":{"a":{"type":"string"}},"additionalProperties":false}`)) + calling(three),
			[]string{"breaking tool t: `n` was removed: 2 of 3 recorded calls would now fail"}},
		{"a closed schema",
			listing(tool(`{"type":"object","properties":{"a":{"type":"string"}}}`)) + calling(three),
			listing(tool(`{"type":"object","properties":{"a":{"type":"string"}},"additionalProperties":false}`)) + calling(three),
			[]string{"breaking tool t: unknown arguments are no longer accepted: 2 of 3 recorded calls would now fail"}},
		{"results of the second against the old schema",
			listing(answering(`{"type":"object","properties":{"s":{"enum":["on","off"]}}}`)) + calling([]string{`{}`, `{"i":2}`}, structured(`{"s":"on"}`), structured(`{"s":"off"}`)),
			listing(answering(`{"type":"object","properties":{"s":{"enum":["on","off","idle"]}}}`)) + calling([]string{`{}`, `{"i":2}`}, structured(`{"s":"on"}`), structured(`{"s":"idle"}`)),
			[]string{"breaking tool t: `s`: value \"idle\" is now allowed, too: 1 of 2 recorded results of the second recording would not fit the old schema",
				`client tools/call t: the answer differs | /structuredContent/s "off" became "idle"`}},
		{"results of the first against the new schema",
			listing(answering(`{"type":"object","properties":{"s":{"type":"string"}}}`)) + calling([]string{`{}`}, structured(`{}`)),
			listing(answering(`{"type":"object","properties":{"s":{"type":"string"}},"required":["s"]}`)) + calling([]string{`{}`}, structured(`{}`)),
			[]string{"compatible tool t: `s` became required: 1 of 1 result of the first recording would not fit it"}},
		{"a list that nobody asked for", listing(tool(`{"type":"object"}`)), "",
			[]string{"tool : in the second recording nobody got an answer to tools/list", "client tools/list : only in the first recording"}},
		{"a list in two pages",
			listing(tool(`{"type":"object"}`) + `,{"name":"u"}`),
			`> {"jsonrpc":"2.0","id":"l","method":"tools/list"}
			< {"jsonrpc":"2.0","id":"l","result":{"tools":[` + tool(`{"type":"object"}`) + `],"nextCursor":"2"}}
			> {"jsonrpc":"2.0","id":"m","method":"tools/list","params":{"cursor":"2"}}
			< {"jsonrpc":"2.0","id":"m","result":{"tools":[{"name":"u"}]}}`,
			[]string{"client tools/list : only in the second recording (1 and 2 in all)"}},
		{"a list of which only the last page was recorded",
			listing(tool(`{"type":"object"}`) + `,{"name":"u"}`),
			`> {"jsonrpc":"2.0","id":"m","method":"tools/list","params":{"cursor":"2"}}
			< {"jsonrpc":"2.0","id":"m","result":{"tools":[{"name":"u"}]}}`,
			[]string{"breaking tool t: was not listed any more"}},
		{"a list that was being read again at the end",
			listing(`{"name":"u","description":"a"},{"name":"v"}`),
			listing(`{"name":"u","description":"a"},{"name":"v"}`) + `> {"jsonrpc":"2.0","id":"m","method":"tools/list"}
			< {"jsonrpc":"2.0","id":"m","result":{"tools":[{"name":"u","description":"b"}],"nextCursor":"2"}}`,
			[]string{`cosmetic tool u: description changed: "a" became "b"`, "client tools/list : only in the second recording (1 and 2 in all)"}},
		{"the list in force at the end",
			listing(tool(`{"type":"object"}`)),
			listing(tool(`{"type":"object"}`)+`,{"name":"u"}`) + strings.ReplaceAll(listing(tool(`{"type":"object"}`)), `"l"`, `"m"`),
			[]string{"client tools/list : only in the second recording (1 and 2 in all)"}},
		{"two that look alike are not renamed",
			listing(`{"name":"a","description":"d"},{"name":"b","description":"d"}`), listing(`{"name":"c","description":"d"},{"name":"e","description":"d"}`),
			[]string{"breaking tool a: was removed", "breaking tool b: was removed", "compatible tool c: was added", "compatible tool e: was added"}},
		{"the order of a list", listing(`{"name":"a"},{"name":"b"}`), listing(`{"name":"b"},{"name":"a"}`), []string{"cosmetic tool : the list has another order"}},
		{"the spelling of a schema", listing(tool(`{"type":"object","required":["a","b"]}`)), listing(tool(`{ "required":["b","a"], "type":"object" }`)), nil},
		{"hints that are only spelled out", listing(`{"name":"a","annotations":{"title":"A"}}`), listing(`{"name":"a","annotations":{"title":"A","destructiveHint":true}}`),
			[]string{"cosmetic tool a: destructiveHint is now spelled out"}},
		{"an error instead of a result",
			calling([]string{`{}`}), `> {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t","arguments":{}}}
			< {"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"no"}}`,
			[]string{`breaking client tools/call t: ok became error -32603 | /error/message says "no"`}},
		{"an error instead of a tool error",
			calling([]string{`{}`}, `{"content":[],"isError":true}`), `> {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t","arguments":{}}}
			< {"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"no"}}`,
			[]string{`client tools/call t: a tool error became error -32603 | /error/message says "no"`}},
		{"no answer", calling([]string{`{}`}), `> {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t","arguments":{}}}`,
			[]string{"breaking client tools/call t: ok became no answer"}},
		{"alike changes are one", calling([]string{`{"i":1}`, `{"i":2}`}, structured(`{"v":1}`), structured(`{"v":1}`)), calling([]string{`{"i":1}`, `{"i":2}`}, structured(`{"v":2}`), structured(`{"v":3}`)),
			[]string{"client tools/call t: the answer differs ×2 | /structuredContent/v 1 became 2"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			a, b := wire("a", opening+c.a), wire("b", opening+c.b)
			r, err := (Options{}).Recordings(a, b)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, said(t, r)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			for _, side := range []Side{a, b} {
				if same, err := (Options{}).Recordings(side, side); err != nil || !same.Empty() {
					t.Errorf("%s differs from itself: %v, %v", side.Name, said(t, same), err)
				}
			}
		})
	}
}

func TestCapabilitiesOfTheClient(t *testing.T) {
	without := strings.Replace(opening, `"sampling":{}`, ``, 1)
	use := `< {"jsonrpc":"2.0","id":"s","method":"sampling/createMessage","params":{"messages":[],"maxTokens":1}}
	> {"jsonrpc":"2.0","id":"s","result":{"role":"assistant","model":"m","content":{"type":"text","text":"x"}}}
	`
	for _, c := range []struct{ a, b, want string }{
		{opening, without, "compatible client capability sampling: is no longer declared"},
		{opening + use, without + use, "breaking client capability sampling: is no longer declared; 1 recorded message leaned on it"},
		{without, opening, "compatible client capability sampling: is now declared"},
	} {
		r, err := (Options{}).Recordings(wire("a", c.a), wire("b", c.b))
		if err != nil {
			t.Fatal(err)
		}
		if got := said(t, r); len(got) != 1 || got[0] != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

// Every drift that the table of rules names is found by name, and each rule has its texts.
func TestDriftRules(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range Rules() {
		if seen[r.ID] || !strings.HasPrefix(r.ID, "drift-") || r.Title == "" || r.Why == "" || r.Fix == "" || len(r.Levels) == 0 || LookupRule(r.ID) == nil {
			t.Errorf("rule %+v", r)
		}
		seen[r.ID] = true
	}
	if LookupRule("drift-nothing") != nil {
		t.Error("a rule that does not exist was found")
	}
}
