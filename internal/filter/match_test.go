package filter

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"
)

func TestMatch(t *testing.T) {
	const all = "1 2 3 4 5 6 7 7.0 7.1 8 9 10 11 12 13"
	entries := recording()
	for _, c := range []struct{ src, want string }{
		{``, all},
		// words
		{`method == "tools/call"`, "3 5"},
		{`method == tools/*`, "3 5"},
		{`method:*/call`, "3 5"},
		{`method:*s/*l*`, "3 5"},
		{`method:*s/*s*`, "4"},
		{`method:"tools/*"`, ""},
		{`method == Tools/call`, ""},
		{`method != "tools/call"`, "1 2 4 7.0 7.1 8 11"},
		{`!(method == "tools/call")`, "1 2 4 6 7 7.0 7.1 8 9 10 11 12 13"},
		{`method`, "1 2 3 4 5 7.0 7.1 8 11"},
		{`method contains CALL`, ""},
		{`method contains call`, "3 5"},
		{`method ~ s/`, "3 4 5 7.1 8 11"},
		{`method matches ^p`, "7.0 7.1 8"},
		{`method in {ping, prompts/*}`, "7.0 7.1 8"},
		{`method not in {ping, prompts/*}`, "1 2 3 4 5 11"},
		{`target`, "3 5 7.1 8 11"},
		{`tool:Search`, "3 5"},
		{`tool != Search`, ""},
		{`prompt == greet`, "7.1 8"},
		{`resource:file:///a/*`, "11"},
		{`resource ~ /B$/i`, "11"},
		{`tool prompt`, ""},
		{`tool || prompt || resource`, "3 5 7.1 8 11"},
		{`revision >= 2025-11-25`, "10"},
		{`revision < 2025-11-25`, "2 3 4 5 7 7.0 7.1 8 9 11"},
		{`revision == null`, "1 6 12 13"},
		{`unanswered ~ away`, "7.0"},
		// choices
		{`kind == request`, "1 3 7.0 7.1 11"},
		{`kind:re*`, "1 2 3 5 7.0 7.1 10 11"},
		{`kind ~ /^(gap|batch)$/`, "7 12"},
		{`kind:invalid`, "9"},
		{`state:pending`, "7.0"},
		{`is:ok`, "1 2 3 5"},
		{`-is:ok is:request`, "7.0 7.1 11"},
		{`is:error`, "7.1 8"},
		{`is:finding`, "3"},
		{`is:cancelled`, "11"},
		{`cancelled`, "7.1 8 11"},
		{`from:server stream == stdout`, "2 4 5 8 9 10"},
		{`stream:control`, "12 13"},
		{`primitive in {tools, prompts}`, "3 5 7.1 8"},
		{`group:ping`, "7.0"},
		{`phase:initialization`, "1 2"},
		{`era:modern`, "10"},
		{`reason:bad_jsonrpc`, "9"},
		{`eol:lf`, "1 2 3 4 5 7 8 10 11"},
		{`eol in {crlf, none}`, "6 9"},
		// several values
		{`touches == roots`, "5"},
		{`touches != roots`, ""},
		{`touches != tools`, "5"},
		{`touches`, "5"},
		{`defects:bom`, "9"},
		{`defects != bom`, ""},
		{`defects not in {nul, too_deep}`, "9"},
		{`capability == tools`, "3 5"},
		{`capability:"client sampling undeclared"`, "3 5"},
		{`capability:"server sampling undeclared"`, ""},
		{`capability ~ "client sampling"`, "3 5"},
		{`capability.side:client capability.path:sampling capability.state:undeclared`, "3 5"},
		{`capability.state != declared`, ""},
		{`capability.state != unknown`, "3 5"},
		{`capability.at == 2`, "3 5"},
		{`capability.at < 2`, ""},
		{`capability == null kind == request`, "1 7.0 7.1 11"},
		{`finding == tool-*`, "3"},
		{`finding.rule:tool-arguments`, "3"},
		{`finding:"error client cap-client-undeclared"`, "3"},
		{`finding:"error server *"`, ""},
		{`finding ~ "error client"`, "3"},
		{`finding ~ "error server"`, ""},
		{`finding.level:error finding.by:server`, "3"},
		{`finding.level > info`, "3"},
		{`finding.level >= error`, "3"},
		{`finding.level < info`, ""},
		{`finding.level <= info`, "3"},
		{`finding.level != warning`, "3"},
		{`finding.level != info`, ""},
		{`finding.message ~ declared`, "3"},
		{`finding.path:/params/* finding.path`, "3"},
		{`finding.spec:2025-06-18/* finding.spec`, "3"},
		// numbers
		{`seq == 7`, "7 7.0 7.1"},
		{`seq in 3..5`, "3 4 5"},
		{`seq in {1, 3..4, 12..}`, "1 3 4 12 13"},
		{`seq != 3..12`, "1 2 13"},
		{`seq not in {1..4, 6..}`, "5"},
		{`seq < 3`, "1 2"},
		{`seq <= 2 seq >= 2`, "2"},
		{`seq > 9223372036854775807`, ""},
		{`seq < -9223372036854775808`, ""},
		{`sub == 1`, "7.1"},
		{`sub`, "7.0 7.1"},
		{`session == 2`, "10 12 13"},
		{`members > 1`, "7"},
		{`offset == 11`, "9"},
		{`error.code == -32601`, "8"},
		{`error.code < -32000`, "8"},
		{`error:-32601`, "8"},
		{`error ~ PROMPT`, ""},
		{`error ~ prompt`, "8"},
		{`error`, "8"},
		{`size > 4MB`, "8"},
		{`size > 4.3MiB`, ""},
		{`size == 4500kB`, "8"},
		{`latency > 1s`, "5 8"},
		{`latency == 2s`, "5"},
		{`latency_ms:40`, "2"},
		{`latency != 2s`, "2 8"},
		{`t >= 12`, "11 12 13"},
		{`t in 1s..1.5s`, "3 4"},
		{`t0 == 900ms`, "3"},
		{`delta > 2.5s`, "8"},
		{`delta == 0s`, "7.0 7.1"},
		{`delta`, "2 3 4 5 6 7 7.0 7.1 8 9 10 11 12 13"},
		{`event`, "13"},
		{`event:exit event.code == 3 event.signal:SIG* event.reason == ladder event.bytes == 17B event.pid > 4000`, "13"},
		{`event.code`, "13"},
		// flags
		{`partial`, "9"},
		{`partial == false`, "1 2 3 4 5 6 7 7.0 7.1 8 10 11 12 13"},
		{`truncated != false`, "10"},
		{`ambiguous`, "7.1"},
		// ids
		{`id == 9`, "7.1 8"},
		{`id == 9.00`, "7.1 8"},
		{`id == "9"`, ""},
		{`id:call-7`, "3 5"},
		{`id:call-*`, "3 5"},
		{`id == "call-7"`, "3 5"},
		{`id != 9`, "1 2 3 5 7.0 10 11"},
		{`id in {1, "call-7"}`, "1 2 3 5"},
		{`id == null`, "10"},
		{`id ~ CALL`, ""},
		{`id ~ all-`, "3 5"},
		{`id matches /^\d+$/`, "1 2 7.0 7.1 11"},
		{`!id`, "4 6 7 9 12 13"},
		{`token == p1`, "3 4"},
		{`progress.token:"p1"`, "3 4"},
		// references
		{`pair == 3`, "5"},
		{`pair == 7`, "8"},
		{`pair == 7.1`, "8"},
		{`pair == 7.0`, ""},
		{`pair != 7`, "1 2 3 5 7.1"},
		{`pair`, "1 2 3 5 7.1 8"},
		{`flow == 3`, "3 4 5"},
		{`flow:#7.1`, "7.1 8"},
		{`flow in {1, 7.0}`, "1 2 7.0"},
		{`flow > 7`, "11"},
		{`flow not in 1..7`, "11"},
		{`probable == 7.0`, "10"},
		{`kind:request pair == null`, "7.0 11"},
		// times
		{`time >= 2026-11-30`, "9 10 11 12 13"},
		{`time == 2026-11-29`, "1 2 3 4 5 6 7 7.0 7.1 8"},
		{`time == 23:59`, "1 2 3 4 5 6 7 7.0 7.1 8"},
		{`time == 00:00:04`, "13"},
		{`time in 23:59:59..00:00:01`, "8 9 10"},
		{`time != 23:59:50..23:59:59`, "9 10 11 12 13"},
		{`time < 00:00:01`, "9"},
		{`time == 23:59:51.5`, "4"},
		{`time == 2026-11-29T22:59:55Z`, "7 7.0 7.1"},
		{`time == "2026-11-29 23:59:55"`, "7 7.0 7.1"},
		{`time == 2026-11-29T23:59:55`, "7 7.0 7.1"},
		{`time > 2026-11-30T00:00+01:00`, "10 11 12 13"},
		{`time in +1s..+3s`, "3 4 5"},
		{`time in {+1s, 00:00:00}`, "3 9"},
		{`time`, all},
		// paths
		{`params`, "1 2 3 4 5 7.1 8 11"},
		{`params.arguments.path contains "main.go"`, "3 5"},
		{`params.arguments.limit == 5`, "3 5"},
		{`params.arguments.limit == 5.0`, "3 5"},
		{`params.arguments.limit == "5"`, ""},
		{`params.arguments.limit != 5`, ""},
		{`params.arguments.limit < 6 params.arguments.limit >= 5`, "3 5"},
		{`params.arguments.limit in 1..9`, "3 5"},
		{`params.arguments.limit in {7, ..4}`, ""},
		{`params.arguments.limit > a`, ""},
		{`params.arguments.dup == 2`, "3 5"},
		{`params.arguments.dup == 1`, ""},
		{`params.arguments.on == true`, "3 5"},
		{`params.arguments.on == "true"`, ""},
		{`params.arguments.on != "true"`, "3 5"},
		{`params.arguments.deep.a[1].b == null`, "3 5"},
		{`params.arguments.deep.a[1].b`, "3 5"},
		{`params.arguments.deep.a[1].c`, ""},
		{`params.arguments.deep.a[2] == x`, "3 5"},
		{`params.arguments.deep.a[3]`, ""},
		{`params.arguments.deep.a[*] == 1`, "3 5"},
		{`params.arguments.deep.a[*] != 1`, ""},
		{`params.arguments.deep.a[*] != 2`, "3 5"},
		{`params.arguments.deep.*[1].* == null`, "3 5"},
		{`params.arguments.deep.a.b`, ""},
		{`params.arguments.path[0]`, ""},
		{`params.arguments.note == "say \"hi\"\nGröße"`, "3 5"},
		{`params.arguments.note ~ GRÖSSE`, ""},
		{`params.arguments.note ~ größe`, "3 5"},
		{`params._meta["io.x/y"] == z`, "3 5"},
		{`params._meta.io.x/y`, ""},
		{`params contains größe`, "3 5"},
		{`params.name >= G params.name < h`, "3 5 7.1 8"},
		{`params.name:g*`, "7.1 8"},
		{`params.protocolVersion == 2025-06-18`, "1 2"},
		{`params.name kind:request`, "3 7.1"},
		{`result.content[*].type == image`, "5"},
		{`result.content[*].type != image`, ""},
		{`result.content[*].type in {image, audio}`, "5"},
		{`result.content[*].type not in {audio}`, "5"},
		{`result.content[1].data matches ^A+$`, "5"},
		{`result.n == 12.5`, "5"},
		{`result.n > -1`, "5"},
		{`result.big == 9007199254740993`, "5"},
		{`result.big == 9007199254740992`, ""},
		{`result.capabilities.tools`, "2"},
		{`result.capabilities contains TOOLS`, ""},
		{`result.capabilities contains tools`, "2"},
		{`result.protocolVersion > 2025`, ""},
		{`result.protocolVersion > "2025"`, "2"},
		{`error.data.hint[*] == b`, "8"},
		{`error.data`, "8"},
		{`error["code"] == -32601`, "8"},
		// text
		{`Größe`, "3 5"},
		{`search`, "3 5"},
		{`SEARCH`, ""},
		{`tools`, "3 5"},
		{`tools/call found`, "5"},
		{`call-7`, "3 5"},
		{`"found"`, "5"},
		{`/^(?i)WARN/`, "6"},
		{`/^warn/i`, "6"},
		{`!/./`, ""},
		{`summary ~ halfway`, "4"},
		{`summary != "no"`, all},
		{`summary`, all},
		{`json ~ größe`, "3 5"},
		{`json ~ "say \"hi\"\n"`, "3"},
		{`json contains "\xff"`, "6"},
		{`json ~ "C:\\new"`, "6"},
		{`json matches /"id":\s*9\b/`, "7 7.1 8"},
		{`json`, "1 2 3 4 5 6 7 7.0 7.1 8 9 10 11"},
		{`json != "x" -is:stderr`, "1 2 3 4 5 7 7.0 7.1 8 9 10 11"},
		// halves
		{`pair(latency > 1s)`, "3 5 7.1 8"},
		{`pair(is:error) kind:request`, "7.1"},
		{`pair(result.content[*].type == image)`, "3 5"},
		{`pair(params.name == greet && error)`, "7.1 8"},
		{`pair(kind:request pair(error))`, "7.1 8"},
		{`pair(!error) -is:finding`, "1 2 4 5 6 7 7.0 7.1 8 9 10 11 12 13"},
		{`!pair(kind:response)`, "4 6 7 7.0 7.1 8 9 11 12 13"},
		{`pair(kind:response || pair(finding kind:request)) session == 1`, "1 2 3 5"},
		{`mark || note`, ""},
	} {
		x := must(t, c.src)
		if have := passing(t, x, entries); have != c.want {
			t.Errorf("%s\nhave %s\nwant %s", c.src, have, c.want)
		}
		y := must(t, x.String())
		if have := passing(t, y, entries); have != c.want {
			t.Errorf("%s: its normal form %s lets pass\nhave %s\nwant %s", c.src, y, have, c.want)
		}
	}
}

// Every word of the quick filters is one of the language, and each finds what it is called.
func TestQuicks(t *testing.T) {
	entries := recording()
	want := map[string]string{
		"errors": "3 7.1 8 9", "pending": "7.0", "slow": "5 8", "no ping or progress": "1 2 3 5 6 7 7.1 8 9 10 11 12 13", "requests": "1 3 7.0 7.1 11",
		"client to server": "1 3 7 7.0 7.1 11", "server to client": "2 4 5 8 9 10", "findings": "3", "marked": "", "stderr": "6",
	}
	for _, q := range Quicks() {
		x := must(t, q.Expr)
		if have := passing(t, x, entries); have != want[q.Name] {
			t.Errorf("%s: %s, want %s", q.Name, have, want[q.Name])
		}
		if x.Needs() != RowOnly {
			t.Errorf("%s scans the file", q.Name)
		}
	}
}

func TestAboutRow(t *testing.T) {
	entries := recording()
	tab := newTable(entries)
	for _, c := range []struct {
		index      int
		tool, flow string
	}{{2, `tool == "Search"`, `flow == 3`}, {4, `tool == "Search"`, `flow == 3`}, {8, `prompt == "greet"`, `flow == 7.1`}, {12, `resource == "file:///a/b"`, `flow == 11`}, {13, ``, ``}} {
		r := tab.cursor(c.index)
		if have := ThisTool(r); have != c.tool {
			t.Errorf("tool of %d: %s", c.index, have)
		}
		if have := ThisFlow(r); have != c.flow {
			t.Errorf("flow of %d: %s", c.index, have)
		}
		for _, src := range []string{c.tool, c.flow} {
			if src != "" && !must(t, src).Match(r) {
				t.Errorf("%s does not let its own row pass", src)
			}
		}
	}
}

// A test made of a value lets that value pass.
func TestEqual(t *testing.T) {
	entries := recording()
	tab := newTable(entries)
	for i := range entries {
		r := tab.cursor(i)
		for _, f := range Fields() {
			var src string
			switch f.class {
			case words, choices:
				if v := textGetter(f.Field)(r); v != "" {
					src = Equal(f.Field, v)
				}
			case identity:
				if v := r.Text(f.Field); v != "" {
					src = Equal(f.Field, v)
				}
			case count, bytesize:
				if v, ok := r.Number(f.Field); ok {
					src = Equal(f.Field, fmt.Sprint(v))
				}
			case span:
				if v, ok := r.Number(f.Field); ok {
					src = Equal(f.Field, time.Duration(v).String())
				}
			case flag:
				src = Equal(f.Field, fmt.Sprint(r.Flag(f.Field)))
			case payload:
				if f.Field == Summary {
					src = Equal(f.Field, r.Summary())
				}
			}
			if src != "" && !must(t, src).Match(r) {
				t.Errorf("entry %d does not pass %s", i, src)
			}
		}
	}
	for _, c := range []struct{ pointer, value, want string }{
		{"/params/arguments/path", `"cmd/main.go"`, `params.arguments.path == "cmd/main.go"`},
		{"/params/_meta/io.x~1y", `"z"`, `params._meta["io.x/y"] == "z"`},
		{"/params/a~0b", `1.5`, `params["a~b"] == 1.5`},
		{"/result/content/0", `{"type":"text"}`, `result.content[0]`},
		{"/result/content", `[]`, `result.content`},
		{"/result/ok", `true`, `result.ok == true`},
		{"/result/no", `null`, `result.no == null`},
		{"/result/s", `"a*\n\u00f6"`, `result.s == "a*\nö"`},
		{"/error/data/0x", `1`, `error.data["0x"] == 1`},
		{"/params", ``, `params`},
		{"/method", `"x"`, ``},
		{"/params.x/y", `"x"`, ``},
		{"", `{}`, ``},
		{"x", `{}`, ``},
	} {
		have := EqualAt(c.pointer, []byte(c.value))
		if have != c.want {
			t.Errorf("%s %s: %s, want %s", c.pointer, c.value, have, c.want)
		}
		if have != "" && must(t, have).String() != have {
			t.Errorf("%s is not in normal form", have)
		}
	}
}

func TestCombine(t *testing.T) {
	a, b, none := must(t, "x || y"), must(t, "-is:ok kind:request"), must(t, "")
	for _, c := range []struct {
		x    *Expr
		want string
	}{
		{And(a, b), `(x || y) && !is:ok && kind == request`},
		{And(none, a, none), `x || y`},
		{And(), ``},
		{Not(a), `!(x || y)`},
		{Not(Not(a)), `x || y`},
		{Not(none), ``},
		{And(a, Not(b)), `(x || y) && !(!is:ok && kind == request)`},
	} {
		if c.x.String() != c.want || must(t, c.want).String() != c.want {
			t.Errorf("%s, want %s", c.x, c.want)
		}
	}
	if !none.Empty() || a.Empty() {
		t.Error("Empty")
	}
}

// What a message has is asked last, and only of rows that the rest lets pass.
func TestPayloadLast(t *testing.T) {
	entries := recording()
	for _, c := range []struct {
		src   string
		reads int
	}{
		{`json ~ x && kind == batch`, 1},
		{`(found || json ~ x) && kind == gap && seq > 1`, 2},
		{`json ~ x || kind == request || stream in {stdout, stderr} || seq == 7`, 2},
		{`tools/call`, len(entries) - 2}, // those whose method decides need no summary
	} {
		tab := newTable(entries)
		x := must(t, c.src)
		for i := range entries {
			x.Match(tab.cursor(i))
		}
		if tab.reads != c.reads || x.Needs() != Payload {
			t.Errorf("%s: %d reads, want %d", c.src, tab.reads, c.reads)
		}
	}
}

// containsFold agrees with the plain way to say it.
func TestContainsFold(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	letters := "aAbB.k\u212a"
	text := func(n int) string {
		var b strings.Builder
		for range r.IntN(n) {
			b.WriteByte(letters[r.IntN(len(letters)-3)])
		}
		return b.String()
	}
	for range 20000 {
		s, needle := text(12), strings.ToLower(text(4))
		if have, want := containsFold(s, needle), strings.Contains(strings.ToLower(s), needle); have != want {
			t.Fatalf("%q in %q: %v", needle, s, have)
		}
	}
}

func TestGlob(t *testing.T) {
	for _, c := range []struct {
		pattern, text string
		want          bool
	}{
		{"*", "", true}, {"*", "x", true}, {"a*", "a", true}, {"a*", "ba", false}, {"*a", "ba", true}, {"a*a", "a", false}, {"a*a", "aa", true},
		{"a*b*c", "abc", true}, {"a*b*c", "axxbyyc", true}, {"a*b*c", "acb", false}, {"**", "x", true}, {"*ab*ab*", "ab", false}, {"*ab*ab*", "xabab", true},
	} {
		if have := glob(c.pattern)(c.text); have != c.want {
			t.Errorf("%s of %q: %v", c.pattern, c.text, have)
		}
	}
}

// Paths through text that is no JSON end somewhere, and read nothing beyond it.
func TestBrokenJSON(t *testing.T) {
	whole := `{"a":[1,{"b":"c\"d"},[[]],{}],"e":{"f":{"g":null}}}`
	for i := range len(whole) {
		for _, s := range []string{whole[:i], whole[i:], whole[:i] + "]" + whole[i:]} {
			for _, path := range [][]step{{}, {{key: "a"}, {kind: each}, {kind: each}}, {{kind: each}, {kind: element, index: 2}, {kind: each}}, {{key: "e"}, {key: "f"}, {key: "g"}}} {
				find([]byte(s), path, func(v []byte) bool {
					if len(v) == 0 {
						t.Errorf("nothing in %s", s)
					}
					return false
				})
			}
		}
	}
}
