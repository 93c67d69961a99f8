package annotate

import (
	"strings"
	"testing"
	"time"

	"github.com/shakescope/shakescope/internal/mcpspec"
)

func gaveUpWith(id, reason string) string {
	return fromClient(`"method":"notifications/cancelled","params":{"requestId":` + id + `,"reason":"` + reason + `"}`)
}

func TestTimeoutRules(t *testing.T) {
	script := watching([]string{"request-timed-out", "timeout-without-cancel"})
	call := session + callWith("1", "")
	eager := session + callWith("1", `"progressToken":"t"`)
	roots := opened("2025-11-25", `{"roots":{}}`, `{"tools":{}}`) + fromServer(`"id":"r","method":"roots/list"`)
	const tsdk = "McpError: MCP error -32001: Request timed out"
	said := func(words string) string { return "info request-timed-out by environment #4 " + words }
	timedOut := said("~timed")
	runRuleCases(t, []ruleCase{
		script("says so", call+"+ 60000\n"+gaveUpWith("1", tsdk), said("60.0 tools/call timed progress wrote")),
		script("says so, however short the wait", call+"+ 300\n"+gaveUpWith("1", "context deadline exceeded"), said("310 deadline")),
		script("others say it otherwise", call+"+ 4000\n"+gaveUpWith("1", "SdkError: Request timeout"), said("")),
		script("in words of its own", call+"+ 4000\n"+gaveUpWith("1", "No response within 4 s"), said("")),
		script("a limit of time", call+"+ 4000\n"+gaveUpWith("1", "Maximum total time exceeded"), said("")),
		script("a limit of something else", call+"+ 60000\n"+gaveUpWith("1", "token budget exceeded")),
		script("too long a text", call+"+ 60000\n"+gaveUpWith("1", "prompt too long")),
		script("a person", call+"+ 60000\n"+gaveUpWith("1", "User pressed Esc")),
		script("a person, in the words of a browser", call+"+ 60000\n"+gaveUpWith("1", "AbortError: The user aborted a request.")),
		script("a change of mind", call+"+ 90000\n"+gaveUpWith("1", "changed my mind")),
		script("words that nobody here reads", call+"+ 60000\n"+gaveUpWith("1", "中止")),
		script("aborted soon", call+"+ 4000\n"+gaveUpWith("1", "AbortError: This operation was aborted")),
		script("aborted, a person can have done it", call+"+ 33000\n"+gaveUpWith("1", "AbortError")),
		script("aborted by a clock", call+"+ 29995\n"+gaveUpWith("1", "AbortError"), said("30.0 time-out")),
		script("cancelled by a clock", call+"+ 60000\n"+gaveUpWith("1", "context canceled"), said("time-out")),
		script("no reason, by a clock", call+"+ 45000\n"+cancelOf("1"), said("time-out 45.0")),
		script("no reason, soon", call+"+ 5000\n"+cancelOf("1")),
		script("no reason, a long wait", call+"+ 73000\n"+cancelOf("1"), said("without")),
		script("since the last progress", eager+"+ 7000\n"+progressOf(`"t"`, `"progress":1`)+"+ 30000\n"+cancelOf("1"), said("since 30.0 progress")),
		script("progress came", eager+"+ 3000\n"+progressOf(`"t"`, `"progress":1`)+progressOf(`"t"`, `"progress":2`)+"+ 2000\n"+gaveUpWith("1", tsdk), said("2 progress notices 2.0")),
		script("asked for and not sent", eager+"+ 3000\n"+gaveUpWith("1", tsdk), said("no progress had come, and wrote")),
		script("others were served meanwhile", call+fromClient(`"id":2,"method":"ping"`)+fromServer(`"id":2,"result":{}`)+"+ 3000\n"+gaveUpWith("1", tsdk), said("progress")),
		script("and answered after all", call+"+ 60000\n"+gaveUpWith("1", tsdk)+"+ 2500\n"+answeredWith("1"), said("answer 2.5 ~#6")),
		script("and failed after all", call+"+ 60000\n"+gaveUpWith("1", tsdk)+"+ 2500\n"+fromServer(`"id":1,"error":{"code":-32603,"message":"disk full"}`), said("error 2.5")),
		script("and says that it stopped", call+"+ 60000\n"+gaveUpWith("1", tsdk)+fromServer(`"id":1,"result":{"content":[{"type":"text","text":"context canceled"}],"isError":true}`), said("between")),
		script("a tool that failed after all", call+"+ 60000\n"+gaveUpWith("1", tsdk)+fromServer(`"id":1,"result":{"content":[{"type":"text","text":"disk full"}],"isError":true}`), said("error ~#6")),
		script("the server waited for the client", opened("2025-11-25", `{"sampling":{}}`, `{"tools":{}}`)+callWith("1", "")+
			fromServer(`"id":7,"method":"sampling/createMessage","params":{"messages":[],"maxTokens":1}`)+"+ 60000\n"+gaveUpWith("1", tsdk), said("itself sampling/createMessage ~#5")),
		script("the client is gone", opened("2025-11-25", `{"roots":{}}`, `{}`)+"@ client_closed_stdin\n"+fromServer(`"id":7,"method":"roots/list"`)+"+ 60000\n"+
			fromServer(`"method":"notifications/cancelled","params":{"requestId":7,"reason":"timeout"}`)),
		script("cancelled twice", call+"+ 60000\n"+gaveUpWith("1", tsdk)+gaveUpWith("1", tsdk), timedOut),
		script("once more and once more", call+"+ 60000\n"+gaveUpWith("1", tsdk)+callWith("2", "")+"+ 60000\n"+gaveUpWith("2", tsdk)+answeredWith("2"), said("x2 60.0")),
		script("answered before", call+"+ 60000\n"+answeredWith("1")+gaveUpWith("1", tsdk)),
		script("never asked", session+gaveUpWith("7", tsdk)),
		script("the other side's", session+fromServer(`"id":1,"method":"ping"`)+"+ 60000\n"+gaveUpWith("1", tsdk)),
		script("initialize has a rule of its own", strings.SplitAfter(session, "\n")[0]+"+ 60000\n"+gaveUpWith(`"i"`, tsdk)),
		script("the answer may be in the gap", call+"~ out=10\n+ 60000\n"+gaveUpWith("1", tsdk)),
		script("the answer had no id", call+fromServer(`"id":null,"error":{"code":-32603,"message":"x"}`)+"+ 60000\n"+gaveUpWith("1", tsdk)),
		script("the client never said that it is ready", strings.Join(strings.SplitAfterN(session, "\n", 3)[:2], "")+callWith("1", "")+"+ 60000\n"+gaveUpWith("1", tsdk)),
		script("the server asked in vain", roots+"+ 60000\n"+fromServer(`"method":"notifications/cancelled","params":{"requestId":"r","reason":"timeout"}`)),
		script("the server is in a hurry", roots+"+ 2000\n"+fromServer(`"method":"notifications/cancelled","params":{"requestId":"r","reason":"timeout"}`), said("server roots/list")),
		script("closed, and answered all the same", call+"+ 9000\n@ client_closed_stdin\n+ 700\n"+answeredWith("1"), "info timeout-without-cancel by client #5 progress 710 ~#6"),
		script("asked again, and the first one is answered", call+"+ 9000\n"+callWith("2", "")+"+ 700\n"+answeredWith("1"), "info timeout-without-cancel by client #5 answer 710"),
	})
}

// Each revision has it, the modern one without the subscriptions, which are ended whenever one likes.
func TestTimeoutRevisions(t *testing.T) {
	script := watching([]string{"request-timed-out"})
	const reason = "Request timed out"
	var cases []ruleCase
	for _, revision := range mcpspec.Revisions() {
		if mcpspec.EraOf(revision) == mcpspec.Modern {
			continue
		}
		cases = append(cases, script(revision, opened(revision, `{}`, `{"tools":{}}`)+callWith("1", "")+"+ 30000\n"+gaveUpWith("1", reason), "info request-timed-out by environment #4"))
	}
	modern := fromClient(`"id":1,"method":"tools/call","params":{"name":"x",` + statedMeta("{}", "") + `}`)
	listen := fromClient(`"id":2,"method":"subscriptions/listen","params":{"notifications":{"toolsListChanged":true},` + statedMeta("{}", "") + `}`)
	discover := fromClient(`"id":0,"method":"server/discover","params":{` + statedMeta("{}", "") + `}`)
	cases = append(cases,
		script("modern", modern+"+ 30000\n"+gaveUpWith("1", reason), "info request-timed-out by environment #1"),
		script("a subscription", modern+listen+"+ 30000\n"+gaveUpWith("2", reason)),
		script("the discovery", discover+"+ 30000\n"+gaveUpWith("0", reason), "info request-timed-out by environment #1"),
		script("the discovery, and then a legacy session", discover+"+ 30000\n"+gaveUpWith("0", reason)+session, "warning probe-stalled"),
		script("a tool that could be a task", opened("2025-11-25", `{}`, `{"tools":{},"tasks":{"requests":{"tools":{"call":{}}}}}`)+
			fromClient(`"id":0,"method":"tools/list"`)+fromServer(`"id":0,"result":{"tools":[{"name":"x","inputSchema":{"type":"object"},"execution":{"taskSupport":"optional"}}]}`)+
			callWith("1", "")+"+ 30000\n"+gaveUpWith("1", reason), "info request-timed-out by environment #6 task"),
	)
	if len(cases) < 8 {
		t.Fatalf("%d cases: not all revisions are tried", len(cases))
	}
	runRuleCases(t, cases)
}

func TestUsualTimeout(t *testing.T) {
	for _, c := range []struct{ waited, want time.Duration }{
		{9970 * time.Millisecond, 0}, {9985 * time.Millisecond, 10 * time.Second}, {60038 * time.Millisecond, time.Minute}, {60300 * time.Millisecond, 0}, {5 * time.Second, 0},
	} {
		if got := usualTimeout(c.waited); got != c.want {
			t.Errorf("%v: %v, want %v", c.waited, got, c.want)
		}
	}
}
