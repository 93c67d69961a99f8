package filter

import (
	"strings"
	"testing"
)

// Each expression has a normal form, and the normal form is its own.
func TestNormalForm(t *testing.T) {
	for _, c := range [][2]string{
		{``, ``},
		{"  \n\t", ``},
		{`method == "tools/call" && latency > 500ms`, `method == "tools/call" && latency > 500ms`},
		{`method:tools/* is:pending -is:ok`, `method == tools/* && is:pending && !is:ok`},
		{`method=='tools/call'`, `method == "tools/call"`},
		{`kind:Request`, `kind == request`},
		{`a or b and not c d`, `a || b && !c && d`},
		{`(a or b) and c`, `(a || b) && c`},
		{`((a)) && (b && c)`, `a && b && c`},
		{`not (not a)`, `a`},
		{`!(a b)`, `!(a && b)`},
		{`!seq == 3`, `!(seq == 3)`},
		{`- x`, `"-" && x`},
		{`-x`, `"-x"`},
		{`-32601`, `"-32601"`},
		{`-finding:stray*`, `!(finding == stray*)`},
		{`pair(is:error && pair(latency>1s))`, `pair(is:error && pair(latency > 1s))`},
		{`pair (is:error)`, `pair && is:error`},
		{`tool eq x or tool ne "y"`, `tool == "x" || tool != "y"`},
		{`revision ge 2025-06-18 and revision lt 2026-07-28`, `revision >= "2025-06-18" && revision < "2026-07-28"`},
		{`seq in {1..4, 9,}`, `seq in {1..4, 9}`},
		{`seq in 10..`, `seq in 10..`},
		{`seq:..10`, `seq == ..10`},
		{`kind not in {request, response}`, `kind not in {request, response}`},
		{`kind != {request}`, `kind not in {request}`},
		{`kind:{request,error}`, `kind in {request, error}`},
		{`finding.level>=warning`, `finding.level >= warning`},
		{`finding:"error server stray-answer"`, `finding == "error server stray-answer"`},
		{`id:3 id == "3" id == null id:req-* token:{1,"x"}`, `id == 3 && id == "3" && id == null && id == req-* && token in {1, "x"}`},
		{`progress.token == 5`, `token == 5`},
		{`size:>4kB size<=1MiB size == 1.5k size:7 size > 4000001B`, `size > 4kB && size <= 1MiB && size == 1500 && size == 7 && size > 4000001`},
		{`latency > 1m30s delta >= 60s t < 90 t0 < 1.5 latency_ms > 12.5 t == 1h`, `latency > 1m30s && delta >= 1m && t < 1m30s && t0 < 1.5s && latency_ms > 12.5 && t == 1h`},
		{`error:-32601 error:"not found" error ~ found error`, `error.code == -32601 && error.message == "not found" && error.message contains "found" && error`},
		{`event:exit event.code != 0 event`, `event.name == "exit" && event.code != 0 && event`},
		{`primitive == null era != null`, `!primitive && era`},
		{`partial == true truncated != true cancelled:false`, `partial && !truncated && !cancelled`},
		{`eol:CRLF`, `eol == crlf`},
		{`flow == [8,2] pair:[7, 0] pair != [ 1 , 2 ]`, `flow == 8.2 && pair == 7.0 && pair != 1.2`},
		{`flow == 8.2 pair:#8 probable in 3..5`, `flow == 8.2 && pair == 8 && probable in 3..5`},
		{`time >= 14:02 time:14:02..14:05 time == 2026-11-29 time > "2026-11-29 14:02:11.5" time < +90s`,
			`time >= 14:02 && time == 14:02..14:05 && time == 2026-11-29 && time > 2026-11-29T14:02:11.5 && time < +1m30s`},
		{`time == 2026-11-29T14:02:11Z`, `time == 2026-11-29T14:02:11Z`},
		{`json ~ /a\/b/ method matches "^tools/" summary ~ Ab`, `json matches /a\/b/ && method matches "^tools/" && summary contains "Ab"`},
		{`/x.y/i method matches /a b/i`, `/x.y/i && method matches /a b/i`},
		{`params.arguments.path contains "main.go"`, `params.arguments.path contains "main.go"`},
		{`params._meta["a.b"][0].x[*]`, `params._meta["a.b"][0].x[*]`},
		{`params["plain"].*.y`, `params.plain[*].y`},
		{`result.content[*].type:image* result.n > 5 result.n == 1..2 result.s >= b result.ok:true`,
			`result.content[*].type == image* && result.n > 5 && result.n == 1..2 && result.s >= "b" && result.ok == true`},
		{`error.data.code in {1, x, null}`, `error.data.code in {1, "x", null}`},
		{`"say \"hi\"\n\x00\xff"`, `"say \"hi\"\n\x00\xff"`},
		{`file:///charts`, `"file:///charts"`},
		{`main.go 14:02`, `"main.go" && "14:02"`},
		{`"error" "or"`, `"error" && "or"`},
		{`størrelse`, `"størrelse"`},
	} {
		x, err := Parse(c[0])
		if err != nil {
			t.Errorf("%s: %v", c[0], err)
			continue
		}
		if x.String() != c[1] {
			t.Errorf("%s\nhave %s\nwant %s", c[0], x, c[1])
		}
		if y, err := Parse(x.String()); err != nil || y.String() != x.String() {
			t.Errorf("%s: its normal form %s reads as %v, %v", c[0], x, y, err)
		}
	}
}

// What is wrong is said with its place and, where there is one, what was meant.
func TestErrors(t *testing.T) {
	for _, c := range []struct{ src, mark, text string }{
		{`rpc.metod == 1`, `^~~~~~~~~`, "unknown field `rpc.metod` — did you mean `method`?"},
		{`a && metod:x`, `     ^~~~~`, "unknown field `metod` — did you mean `method`?"},
		{`dir == c2s`, `^~~`, "unknown field `dir` — did you mean `from`?"},
		{`zzzzzz == 1`, `^~~~~~`, "unknown field `zzzzzz`; quote it to search for the text"},
		{`event.nam`, `^~~~~~~~~`, "unknown field `event.nam` — did you mean `event.name`?"},
		{`from == c2s`, `        ^~~`, "from is never `c2s` — did you mean `client`?"},
		{`kind==respone`, `      ^~~~~~~`, "kind is never `respone` — did you mean `response`?"},
		{`finding.level > bad`, `                ^~~`, "finding.level is never `bad`; it is one of info, warning, error"},
		{`state:q*`, `      ^~`, "state is never `q*`; it is one of pending, ok, error, tool_error, input_required, cancelled, open, unmatched, duplicate"},
		{`is:toolerror`, `   ^~~~~~~~~`, "nothing is `toolerror` — did you mean `tool_error`?"},
		{`is:qqqq`, `   ^~~~`, "nothing is `qqqq`; is: takes a state, a kind or finding"},
		{`is:`, `   ^`, "expected a state, a kind or finding"},
		{`(a`, `^`, "this ( is not closed"},
		{`pair(a`, `    ^`, "this ( is not closed"},
		{`a)`, ` ^`, "no ( was opened for this )"},
		{`(a}`, `  ^`, "unexpected `}`; quote text that holds it"},
		{`a }`, `  ^`, "unexpected `}`; quote text that holds it"},
		{`kind:a,b`, `     ^`, "kind is never `a`; it is one of request, notification, response, error, batch, invalid, blank, stderr, event, gap"},
		{`tool:a,b`, `      ^`, "unexpected `,`; several values are written in {a, b}"},
		{`x && `, `     ^`, "expected a test here"},
		{`&& x`, `^`, "expected a test, found `&`"},
		{`a & b`, `  ^`, "unexpected `&` — did you mean `&&`?"},
		{`!`, ` ^`, "expected a test here"},
		{`max(seq)`, `^~~`, "there is no max(…); only pair(…); a space before the parenthesis means and"},
		{`-(x)`, `^`, "- negates only name:value; use ! or not"},
		{`method:`, `       ^`, "expected a value for method"},
		{`method == `, `          ^`, "expected a value for method"},
		{`method: x`, `       ^`, "expected a value for method"},
		{`seq == x`, `       ^`, "seq is a whole number, which `x` is not"},
		{`seq > 1.5`, `      ^~~`, "seq is a whole number, which `1.5` is not"},
		{`seq == 9..3`, `       ^~~~`, "nothing is in this range — did you mean `3..9`?"},
		{`seq < 1..3`, `      ^~~~`, "a range goes with == or in, not with <"},
		{`seq in ..`, `       ^~`, "the range has no end"},
		{`seq in 3..x`, `          ^`, "seq is a whole number, which `x` is not"},
		{`seq in 5`, `       ^`, "in needs {a, b} or a range a..b"},
		{`tool in a..b`, `        ^~~~`, "in needs {a, b}"},
		{`params.x in a..b`, `            ^~~~`, "in needs {a, b} or a range a..b"},
		{`seq in {`, `       ^`, "this { is not closed"},
		{`seq in {1`, `       ^`, "this { is not closed"},
		{`seq in {}`, `        ^`, "expected a value, found `}`"},
		{`seq in {1 2}`, `          ^`, "expected , or } here"},
		{`seq < {1}`, `      ^`, "< takes one value"},
		{`seq contains 1`, `^~~`, "seq is no text, so contains does not apply"},
		{`pair ~ 1`, `^~~~`, "pair is no text, so contains does not apply"},
		{`time ~ 1`, `^~~~`, "time is no text, so contains does not apply"},
		{`pair == x`, `        ^`, "pair is a whole number, which `x` is not"},
		{`pair == [8]`, `        ^~~`, "pair is a whole number, which `[8]` is not"},
		{`pair == [8,x]`, `        ^~~~~`, "pair is the number of an entry, such as 8 or 8.2"},
		{`pair == [8,2`, `        ^~`, "pair is a whole number, which `[8` is not"},
		{`pair == 8.x`, `        ^~~`, "pair is the number of an entry, such as 8 or 8.2"},
		{`latency > 500`, `          ^~~`, "latency needs a unit — did you mean `500ms`?"},
		{`latency > fast`, `          ^~~~`, "latency is a duration such as 250ms, 2s or 1m30s, which `fast` is not"},
		{`t < Inf`, `    ^~~`, "t is a time since the start such as 90s, which `Inf` is not"},
		{`latency_ms > 1s`, `             ^~`, "latency_ms is a number of milliseconds, which `1s` is not"},
		{`size > 4 kB`, ``, ``},
		{`size > 4qB`, `       ^~~`, "size is a size such as 500, 4kB or 1MiB, which `4qB` is not"},
		{`time > noon`, `       ^~~~`, "time is a time such as 14:02, 2026-11-29T14:02:11Z or +90s, which `noon` is not"},
		{`time > 9999-01-01`, `       ^~~~~~~~~~`, "time is a time such as 14:02, 2026-11-29T14:02:11Z or +90s, which `9999-01-01` is not"},
		{`time in 14:02..+9s`, `        ^~~~~~~~~~`, "the ends of the range are times of two kinds"},
		{`time in +9s..+1s`, `        ^~~~~~~~`, "nothing is in this range — did you mean `+1s..+9s`?"},
		{`time < 14:02..14:03`, `       ^~~~~~~~~~~~`, "a range goes with == or in, not with <"},
		{`time in 14:02..x`, `               ^`, "time is a time such as 14:02, 2026-11-29T14:02:11Z or +90s, which `x` is not"},
		{`time in 14:02..`, `        ^~~~~~~`, "the range needs two ends; compare with < or >= for one"},
		{`partial == 3`, `           ^`, "partial is true or false"},
		{`partial > 3`, `^~~~~~~`, "partial is true or false; write it alone, or compare with =="},
		{`method < b`, `         ^`, "method has no order; compare with ==, !=, contains, matches or in"},
		{`id > 3`, `     ^`, "id has no order; seq has"},
		{`"abc`, `^~~~`, `the text has no closing "`},
		{`'abc\`, `^~~~~`, `the text has no closing '`},
		{`"a\qb"`, `  ^~`, "unknown escape `\\q`; a backslash itself is \\\\"},
		{`""`, `^~`, "there is nothing to search for"},
		{`/a`, `^~`, "the pattern has no closing /; quote text that begins with a slash"},
		{`/etc/passwd`, `^~~~~`, "something stands behind the pattern; quote text that holds slashes"},
		{`/a(/`, `^~~~`, "the pattern does not work: missing closing ): `a(`"},
		{`//`, `^~`, "there is nothing to search for"},
		{`tool matches ""`, `             ^~`, "the pattern is empty"},
		{`tool matches "("`, `             ^~~`, "the pattern does not work: missing closing ): `(`"},
		{`params..x`, `      ^`, "expected a key after the dot in `params..x`; keys with dots are written [\"a.b\"]"},
		{`params[x]`, `      ^~~`, "no step of a path: `[x]`; write [0], [*] or [\"key\"]"},
		{`params["x`, `      ^~~`, "no step of a path: `[\"x`; write [0], [*] or [\"key\"]"},
		{`params[0]x`, `         ^`, "expected . or [ in the path before `x`"},
		{`result.n > 1e999`, `           ^~~~~`, "`1e999` is too large a number"},
		{`日本 && metod == 1`, `        ^~~~~`, "unknown field `metod` — did you mean `method`?"},
	} {
		_, err := Parse(c.src)
		if c.text == "" {
			if err != nil {
				t.Errorf("%s: %v", c.src, err)
			}
			continue
		}
		se, ok := err.(*SyntaxError)
		if !ok {
			t.Errorf("%s: %v, want %s", c.src, err, c.text)
			continue
		}
		source, mark := se.Caret()
		if mark != c.mark || se.Text() != c.text || source != c.src {
			t.Errorf("%s\n%s %s\nwant\n%s %s", source, mark, se.Text(), c.mark, c.text)
		}
	}
	_, err := Parse("日本 && metod == 1")
	if want := "column 7: unknown field `metod` — did you mean `method`?"; err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}

// The nesting has a bound, and what is beyond it is an error like any other.
func TestDeep(t *testing.T) {
	for _, c := range []struct {
		src string
		ok  bool
	}{
		{strings.Repeat("(", maxDepth) + "a" + strings.Repeat(")", maxDepth), true},
		{strings.Repeat("(", maxDepth+1) + "a" + strings.Repeat(")", maxDepth+1), false},
		{strings.Repeat("!", maxDepth) + "a", true},
		{strings.Repeat("!", 100000) + "a", false},
		{strings.Repeat("(", 100000), false},
		{strings.Repeat("pair(", 100000), false},
		{strings.Repeat("pair(", maxPairs) + "a" + strings.Repeat(")", maxPairs), true},
		{strings.Repeat("pair(a) ", 100), true},
		{strings.Repeat("a ", 10000), true},
		{strings.Repeat("a || ", 10000) + "a", true},
	} {
		x, err := Parse(c.src)
		if (err == nil) != c.ok {
			t.Errorf("%.20s…: %v", c.src, err)
		}
		if err == nil {
			if _, err := Parse(x.String()); err != nil {
				t.Errorf("normal form of %.20s…: %v", c.src, err)
			}
		}
	}
}
