package annotate

import (
	"strconv"
	"strings"
	"testing"
)

func TestPaginationRules(t *testing.T) {
	script := watching([]string{"cursor-unknown", "cursor-cross-method", "cursor-loop", "cursor-ignored", "cursor-empty-string", "cursor-bad-code", "page-duplicate-item"})
	id := 0
	// page is a request for a page and its answer.
	page := func(cursor, next string, names ...string) string {
		id++
		ask, items := "", make([]string, len(names))
		if cursor != "" {
			ask = `,"params":{"cursor":` + cursor + `}`
		}
		for i, n := range names {
			items[i] = `{"name":"` + n + `","inputSchema":{"type":"object"}}`
		}
		if next != "" {
			next = `,"nextCursor":` + next
		}
		n := strconv.Itoa(id)
		return fromClient(`"id":`+n+`,"method":"tools/list"`+ask) + fromServer(`"id":`+n+`,"result":{"tools":[`+strings.Join(items, ",")+`]`+next+`}`)
	}
	both := opened("2025-11-25", `{}`, `{"tools":{},"prompts":{}}`)
	prompts := func(cursor string) string {
		return fromClient(`"id":"p","method":"prompts/list","params":{"cursor":` + cursor + `}`)
	}
	changed := fromServer(`"method":"notifications/tools/list_changed"`)
	const eof = "@ client_closed_stdin\n"
	modern := func(cursor string) string {
		return fromClient(`"id":1,"method":"tools/list","params":{"cursor":` + cursor + `,` + statedMeta("{}", "") + `}`)
	}
	modernPage := fromServer(`"id":1,"result":{"tools":[],"resultType":"complete","ttlMs":0,"cacheScope":"private"}`)
	refused := func(code string) string { return fromServer(`"id":1,"error":{"code":` + code + `,"message":"x"}`) }
	runRuleCases(t, []ruleCase{
		script("one page", session+page("", "", "a")+eof),
		script("all pages", session+page("", `"2"`, "a")+page(`"2"`, `"3"`, "b")+page(`"3"`, "", "c")+eof),
		script("twice over", session+page("", `"2"`, "a")+page(`"2"`, "", "b")+page("", `"2"`, "a")+page(`"2"`, "", "b")+eof),
		script("a page again", session+page("", `"2"`, "a")+page(`"2"`, `"3"`, "b")+page(`"2"`, `"3"`, "b")+page(`"3"`, "", "c")+eof),
		script("made up", session+fromClient(`"id":1,"method":"tools/list","params":{"cursor":"MTA="}`), "error cursor-unknown by client #4"),
		script("made up, modern", modern(`"MTA="`)+modernPage, "warning cursor-unknown by client #1"),
		script("empty from the start", session+page(`""`, "", "a"), "warning cursor-unknown by client #4"),
		script("what gave it may be missing", "~ out=9\n"+session+page(`"x"`, "", "a")),
		script("given by an answer that is no message", session+fromClient(`"id":1,"method":"tools/list"`)+`< {"id":1,"result":{"tools":[],"nextCursor":"2"}}`+"\n"+page(`"2"`, "", "a")),
		script("given by an answer under another id", session+fromClient(`"id":1,"method":"tools/list"`)+fromServer(`"id":"1","result":{"tools":[],"nextCursor":"2"}`)+page(`"2"`, "", "a")),
		script("of another list", both+page("", `"2"`, "a")+prompts(`"2"`)+eof, "error cursor-cross-method by client #6", "info cursor-ignored by client #7"),
		script("of the session before", session+page("", `"2"`, "a")+page(`"2"`, "", "b")+strings.ReplaceAll(session, `"i"`, `"j"`)+page(`"2"`, "", "b"), "error cursor-unknown by client", "warning cursor-bad-code by server"),
		script("the same again", session+page("", `"2"`, "a")+page(`"2"`, `"2"`, "a")+page(`"2"`, `"2"`, "a")+eof, "warning cursor-loop by server #7 x2"),
		script("a round trip", session+page("", `"2"`, "a")+page(`"2"`, `"3"`, "b")+page(`"3"`, `"2"`, "c")+eof, "warning cursor-loop by server #9"),
		script("side by side", session+page("", `"2"`, "a")+page("", `"2"`, "a")+page(`"2"`, `"3"`, "b")+page(`"3"`, "", "c")+page(`"2"`, `"3"`, "b")+page(`"3"`, "", "c")+eof),
		script("not followed", session+page("", `"2"`, "a")+eof, "info cursor-ignored by client #6"),
		script("not followed, and no end in sight", session+page("", `"2"`, "a"), "info cursor-ignored by client #5"),
		script("not followed for the server's crash", session+page("", `"2"`, "a")+"@ exit code=1\n"),
		script("not followed, modern", strings.Replace(modern(`"q"`), `"cursor":"q",`, "", 1)+strings.Replace(modernPage, `"tools":[]`, `"tools":[],"nextCursor":"2"`, 1)+eof, "info cursor-ignored by client #3"),
		script("empty cursor", session+page("", `""`, "a")+eof, "info cursor-empty-string by server #5"),
		script("empty cursor, followed", session+page("", `""`, "a")+page(`""`, "", "b")+eof, "info cursor-empty-string by server #5"),
		script("bad cursor accepted", session+page(`"junk"`, "", "a"), "error cursor-unknown by client #4", "warning cursor-bad-code by server #5"),
		script("bad cursor refused well", session+fromClient(`"id":1,"method":"tools/list","params":{"cursor":"junk"}`)+refused("-32602"), "error cursor-unknown by client"),
		script("bad cursor refused badly", session+fromClient(`"id":1,"method":"tools/list","params":{"cursor":"junk"}`)+refused("-32603"), "error cursor-unknown by client", "warning cursor-bad-code by server #5"),
		script("old cursor accepted, modern", modern(`"x"`)+modernPage, "warning cursor-unknown by client"),
		script("bad cursor refused badly, modern", modern(`"x"`)+refused("-32000"), "warning cursor-unknown by client", "warning cursor-bad-code by server #2"),
		script("a good cursor refused", session+page("", `"2"`, "a")+fromClient(`"id":1,"method":"tools/list","params":{"cursor":"2"}`)+refused("-32603")),
		script("on two pages", session+page("", `"2"`, "a", "b")+page(`"2"`, "", "b", "c")+eof, "warning page-duplicate-item by server #7"),
		script("on one page", session+page("", `"2"`, "a", "a")+page(`"2"`, "", "b")+eof),
		script("the list changed meanwhile", session+page("", `"2"`, "a", "b")+changed+page(`"2"`, "", "b", "c")+eof),
		script("moved between two walks", session+page("", `"2"`, "a", "b")+page(`"2"`, "", "c")+page("", `"2"`, "a")+page(`"2"`, "", "b", "c")+eof),
	})
}

func TestLoggingRules(t *testing.T) {
	script := watching([]string{"log-level", "log-no-data", "log-below-level", "log-bad-level-accepted", "log-secret", "log-flood"})
	logging := opened("2025-11-25", `{}`, `{"logging":{}}`)
	log := func(level, data string) string {
		return fromServer(`"method":"notifications/message","params":{"level":` + level + `,"data":` + data + `}`)
	}
	set := func(level string) string {
		return fromClient(`"id":1,"method":"logging/setLevel","params":{"level":` + level + `}`)
	}
	ok := fromServer(`"id":1,"result":{}`)
	secret := func(s string) string { return log(`"info"`, `"`+s+`"`) }
	runRuleCases(t, []ruleCase{
		script("sound", logging+log(`"info"`, `"x"`)+log(`"emergency"`, `{"a":1}`)+log(`"debug"`, `null`)),
		script("warn", logging+log(`"warn"`, `"x"`)+log(`"warn"`, `"x"`), "error log-level by server #4 x2 warning"),
		script("upper case", logging+log(`"INFO"`, `"x"`), "error log-level by server #4 lower"),
		script("number", logging+log(`3`, `"x"`), "error log-level by server #4"),
		script("escaped", logging+log(`"inf\u006f"`, `"x"`)),
		script("no data", logging+fromServer(`"method":"notifications/message","params":{"level":"info","message":"x"}`), "error log-no-data by server #4"),
		script("below", logging+set(`"error"`)+ok+log(`"debug"`, `1`)+log(`"info"`, `1`)+log(`"error"`, `1`)+log(`"alert"`, `1`), "warning log-below-level by server #6", "warning log-below-level by server #7"),
		script("before the answer", logging+set(`"error"`)+log(`"debug"`, `1`)+ok),
		script("refused", logging+set(`"error"`)+fromServer(`"id":1,"error":{"code":-32603,"message":"x"}`)+log(`"debug"`, `1`)),
		script("lowered again", logging+set(`"error"`)+ok+set(`"debug"`)+log(`"debug"`, `1`)),
		script("bad level accepted", logging+set(`"loud"`)+ok, "error log-level by client #4", "warning log-bad-level-accepted by server #5"),
		script("bad level refused well", logging+set(`"loud"`)+fromServer(`"id":1,"error":{"code":-32602,"message":"x"}`), "error log-level by client #4"),
		script("bad level refused badly", logging+set(`"loud"`)+fromServer(`"id":1,"error":{"code":-32603,"message":"x"}`), "error log-level by client #4", "warning log-bad-level-accepted by server #5"),
		script("bearer", logging+secret("Authorization: Bearer abcdefghijklmnop"), "warning log-secret by server #4"),
		script("key", logging+secret("key=sk-proj4f8gT7yH2kLm9QwErTyU"), "warning log-secret by server #4"),
		script("private key", logging+secret(`-----BEGIN RSA PRIVATE KEY-----\nMII`), "warning log-secret by server #4"),
		script("certificate", logging+secret(`-----BEGIN CERTIFICATE-----\nMII`)),
		script("masked", logging+secret("Authorization: Bearer ****************")+secret("sk-xxxxxxxxxxxxxxxxxxxxxxxx")),
		script("words", logging+secret("a bearer of news; risk-free and task-oriented-planning-for-everyone")),
	})
	// 10 ms apart, a hundred notices take just one second.
	s := NewSession()
	var found []Finding
	for i, r := range parseScenario(t, []byte(logging+strings.Repeat(log(`"debug"`, `1`), 300))) {
		if i >= 3 {
			r.T /= 5
		}
		for _, e := range s.Add(r).Entries {
			found = append(found, e.Findings...)
		}
		for _, p := range s.up.Patches {
			for _, f := range p.Findings {
				if f.Rule == "log-flood" {
					found = append(found, f)
				}
			}
		}
	}
	if len(found) == 0 || found[0].Rule != "log-flood" || found[0].At.Seq != 4 || found[len(found)-1].Count != 300 {
		t.Errorf("flood: %v", found[max(0, len(found)-2):])
	}
}

func TestRootRules(t *testing.T) {
	script := watching([]string{"root-uri-scheme", "root-uri-form", "roots-changed-not-refetched", "roots-undeclared-code"})
	with := opened("2025-11-25", `{"roots":{"listChanged":true}}`, `{}`)
	ask := fromServer(`"id":1,"method":"roots/list"`)
	have := func(uris ...string) string {
		list := make([]string, len(uris))
		for i, u := range uris {
			list[i] = `{"uri":` + u + `}`
		}
		return fromClient(`"id":1,"result":{"roots":[` + strings.Join(list, ",") + `]}`)
	}
	changed := fromClient(`"method":"notifications/roots/list_changed"`)
	retry := fromClient(`"id":1,"method":"tools/call","params":{"name":"x","inputResponses":{"r":{"roots":[{"uri":"/home/me"}]}},"requestState":"s",` + statedMeta(`{"roots":{}}`, "") + `}`)
	runRuleCases(t, []ruleCase{
		script("sound", with+ask+have(`"file:///home/me"`, `"file:///C:/work"`, `"FILE:///a%20b"`)),
		script("path", with+ask+have(`"/home/me"`), "error root-uri-scheme by client #5"),
		script("windows path", with+ask+have(`"C:\\work"`), "error root-uri-scheme by client #5"),
		script("one slash", with+ask+have(`"file:/a"`), "error root-uri-scheme by client #5"),
		script("other scheme", with+ask+have(`"https://e.x/"`), "error root-uri-scheme by client #5"),
		script("modern", retry, "error root-uri-scheme by client #1"),
		script("drive as host", with+ask+have(`"file://C:\\work"`), "warning root-uri-form by client #5"),
		script("drive as host, slashes", with+ask+have(`"file://c:/work"`), "warning root-uri-form by client #5"),
		script("back slashes", with+ask+have(`"file:///C:\\work"`), "warning root-uri-form by client #5"),
		script("space", with+ask+have(`"file:///a b"`), "warning root-uri-form by client #5"),
		script("twice", with+ask+have(`"file:///a"`, `"file:///a"`), "warning root-uri-form by client #5"),
		script("changed, asked again", with+ask+have(`"file:///a"`)+changed+ask+have(`"file:///a"`)),
		script("changed, not asked again", with+ask+have(`"file:///a"`)+changed, "info roots-changed-not-refetched by server #6"),
		script("refused as it should", session+ask+fromClient(`"id":1,"error":{"code":-32601,"message":"x"}`)),
		script("refused with another code", session+ask+fromClient(`"id":1,"error":{"code":-32603,"message":"x"}`), "warning roots-undeclared-code by client #5"),
		script("undeclared and answered", session+ask+have(), "warning roots-undeclared-code by client #5"),
		script("declared and failed", with+ask+fromClient(`"id":1,"error":{"code":-32603,"message":"x"}`)),
	})
}
