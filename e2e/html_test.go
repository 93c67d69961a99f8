package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// evil are texts that would do something if a page took them for more than text. Each would call boom().
var evil = []string{
	`<script>boom()</script>`,
	`</script><script>boom()</script>`,
	`</SCRIPT ><img src=x onerror=boom()>`,
	`<!--<script>boom()`,
	`<img src="http://evil.invalid/a.png" onerror="boom()">`,
	`<svg/onload=boom()>`,
	`<iframe srcdoc="<script>parent.boom()</script>"></iframe>`,
	`"><a href="javascript:boom()" autofocus onfocus=boom()>x</a>`,
	`javascript:boom()`,
	`<style>@import url(http://evil.invalid/s.css);*{background:url(http://evil.invalid/b)}</style>`,
	`<meta http-equiv=refresh content="0;url=http://evil.invalid/">`,
	`<base href="http://evil.invalid/"><form action="http://evil.invalid/"><button autofocus>`,
	`<link rel=stylesheet href=http://evil.invalid/l.css>`,
	"\u2028boom()\u2029</title></textarea></pre>",
	`\u003cscript>boom()\u003c/script>${boom()}{{boom()}}` + "`",
	"\x1b]8;;http://evil.invalid\x07",
}

// hostile is a wire log in which every field that a page shows is one of evil.
func hostile(t *testing.T, dir string) string {
	t.Helper()
	var log strings.Builder
	put := func(v any) {
		b, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		log.Write(append(b, '\n'))
	}
	ms := 0.0
	say := func(dir, raw string) {
		ms++
		put(map[string]any{"t_ms": ms, "dir": dir, "raw": raw})
	}
	message := func(dir string, v map[string]any) {
		v["jsonrpc"] = "2.0"
		var b strings.Builder
		e := json.NewEncoder(&b)
		e.SetEscapeHTML(false) // < and > as they are
		if err := e.Encode(v); err != nil {
			t.Fatal(err)
		}
		say(dir, strings.TrimSuffix(b.String(), "\n"))
	}
	all := strings.Join(evil, " ")
	put(map[string]any{"meta": map[string]any{"command": append([]string{"server"}, evil...), "label": all, "started": "2026-11-30T10:00:00Z"}})
	message("c2s", map[string]any{"id": 0, "method": "initialize", "params": map[string]any{"protocolVersion": "2025-11-25", "capabilities": map[string]any{all: map[string]any{}},
		"clientInfo": map[string]any{"name": all, "version": all}}})
	message("s2c", map[string]any{"id": 0, "result": map[string]any{"protocolVersion": "2025-11-25", "capabilities": map[string]any{"tools": map[string]any{}},
		"serverInfo": map[string]any{"name": all, "version": all}, "instructions": all}})
	message("c2s", map[string]any{"method": "notifications/initialized"})
	for i, x := range evil {
		message("c2s", map[string]any{"id": x, "method": "tools/call", "params": map[string]any{"name": x, "arguments": map[string]any{x: x}, "_meta": map[string]any{"progressToken": x}}})
		message("s2c", map[string]any{"method": "notifications/progress", "params": map[string]any{"progressToken": x, "progress": 1, "message": x}})
		message("s2c", map[string]any{"id": x, "result": map[string]any{"isError": i%2 == 0, "content": []any{map[string]any{"type": "text", "text": x}}}})
		message("c2s", map[string]any{"id": i + 1, "method": x, "params": map[string]any{"uri": x}})
		message("s2c", map[string]any{"id": i + 1, "error": map[string]any{"code": -32601, "message": x, "data": x}})
		message("c2s", map[string]any{"id": 1000 + i, "method": "resources/read", "params": map[string]any{"uri": x}})
		say("stderr", x)
		say("s2c", x) // no JSON
		say("s2c", `{"jsonrpc":"2.0","id":`+x)
	}
	put(map[string]any{"t_ms": ms, "event": "exit", "signal": all, "code": 1})
	put(map[string]any{"t_ms": ms, "event": "signal", "signal": "SIGTERM", "reason": all})
	path := filepath.Join(dir, "hostile.wire.jsonl")
	if err := os.WriteFile(path, []byte(log.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// The exported page works in a real browser, offline and under its policy, and traffic is text in it whatever it holds.
func TestPageInBrowser(t *testing.T) {
	b := chromium(t)
	dir := t.TempDir()
	page := filepath.Join(dir, "page.html")
	shakescope(t, "export", hostile(t, dir), "--format", "html", "--no-redact", "-o", page)
	b.open(page)
	b.eval(`window.boom = function () { throw new Error("boom"); }`, nil)
	count := func() (shown, all int) {
		t.Helper()
		var n []int
		b.eval(`document.getElementById("count").textContent.match(/\d+/g).slice(0, 2).map(Number)`, &n)
		return n[0], n[1]
	}
	set := func(id, value string) {
		t.Helper()
		b.eval(`(function (e) { if (e.type === "checkbox") e.checked = `+value+` === true; else e.value = `+value+`; e.dispatchEvent(new Event("input", { bubbles: true })); e.dispatchEvent(new Event("change", { bubbles: true })); })(document.getElementById("`+id+`"))`, nil)
		b.eval(`new Promise(function (done) { setTimeout(done, 200, 1); })`, nil) // the filter waits for more to be typed
	}
	text := func(of string) (s string) {
		t.Helper()
		b.eval(`document.querySelector("`+of+`").textContent`, &s)
		return s
	}

	// the list
	shown, all := count()
	if want := 5 + 9*len(evil); shown != all || all != want {
		t.Errorf("%d of %d entries are listed, of %d", shown, all, want)
	}
	if !strings.Contains(text("#list"), "initialize") || !strings.Contains(text("h1"), "<script>boom()") {
		t.Errorf("the list or the title lacks something: %s", text("h1"))
	}

	// the filter
	set("q", `"notifications/initialized"`)
	if n, _ := count(); n != 1 {
		t.Errorf("%d entries are notifications/initialized", n)
	}
	set("q", `"</script><script>boom"`)
	if n, _ := count(); n == 0 || n == all {
		t.Errorf("%d of %d entries hold an evil text", n, all)
	}
	set("q", `""`)
	set("kind", `"error"`)
	if n, _ := count(); n != len(evil) {
		t.Errorf("%d errors", n)
	}
	set("kind", `""`)
	set("bad", `true`)
	if n, _ := count(); n == 0 || n == all {
		t.Errorf("%d of %d entries have findings or errors", n, all)
	}
	set("bad", `false`)

	// the detail of every entry, reached with the keyboard, and what a click does
	b.eval(`document.getElementById("list").focus()`, nil)
	b.eval(`document.querySelector(".row").dispatchEvent(new MouseEvent("click", { bubbles: true }))`, nil)
	if got := text("#detail"); !strings.Contains(got, "initialize") || !strings.Contains(got, `"protocolVersion": "2025-11-25"`) {
		t.Errorf("the detail of the first entry is %q", got)
	}
	for range all {
		b.eval(`document.getElementById("list").dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowDown", bubbles: true }))`, nil)
	}
	var selected string
	b.eval(`document.querySelector("#detail dd").textContent`, &selected)
	if selected == "1" || selected == "" {
		t.Errorf("after the last key the detail is of entry %q", selected)
	}

	// the other half
	set("q", `"tools/call"`)
	b.eval(`document.querySelector(".row").dispatchEvent(new MouseEvent("click", { bubbles: true }))`, nil)
	before := text("#detail dl")
	b.eval(`document.querySelector("#detail button").click()`, nil)
	if after := text("#detail dl"); after == before || !strings.Contains(after, "response") {
		t.Errorf("the other half is %q", after)
	}
	set("q", `""`)

	// the ladder
	set("ladder", `true`)
	b.eval(`document.getElementById("list").scrollTop = 0`, nil)
	b.until(`document.querySelectorAll(".rung").length > 3 && document.querySelector(".rung").textContent.includes("initialize")`)
	set("ladder", `false`)

	// dark and light, by the button and by the system
	background := func() (s string) {
		t.Helper()
		b.eval(`getComputedStyle(document.body).backgroundColor`, &s)
		return s
	}
	scheme := func(name string) {
		b.call("Emulation.setEmulatedMedia", map[string]any{"features": []map[string]string{{"name": "prefers-color-scheme", "value": name}}}, nil)
	}
	scheme("light")
	light := background()
	scheme("dark")
	dark := background()
	b.eval(`document.getElementById("theme").click()`, nil)
	if other := background(); light == dark || other != light {
		t.Errorf("light %s, dark %s, after the button %s", light, dark, other)
	}

	// nothing of it did anything
	var elements int
	b.eval(`document.querySelectorAll("script").length * 100 + document.querySelectorAll("img,iframe,svg,a,form,link,base,object,embed,audio,video").length`, &elements)
	if elements != 200 {
		t.Errorf("the page has %d scripts and %d elements that it does not make", elements/100, elements%100)
	}
	// Even script that got in could do nothing: the policy holds.
	for _, attempt := range []string{
		`(function () { var s = document.createElement("script"); s.textContent = "window.ran = 1"; document.body.append(s); return window.ran === undefined; })()`,
		`(function () { try { eval("1"); return false; } catch (e) { return true; } })()`,
		`fetch("http://127.0.0.1:9/").then(function () { return false; }, function () { return true; })`,
		`(function () { var d = document.createElement("div"); d.innerHTML = "<b onclick='window.ran = 1'>x</b>"; document.body.append(d); d.firstChild.click(); d.remove(); return window.ran === undefined; })()`,
	} {
		troubles := b.troubles("page.html") // those before the attempt, which the browser will remark upon
		for _, what := range troubles {
			t.Error(what)
		}
		if len(troubles) > 0 {
			return
		}
		var held bool
		b.eval(attempt, &held)
		if !held {
			t.Errorf("the policy let this through: %s", attempt)
		}
		b.mu.Lock()
		b.seen = nil
		b.mu.Unlock()
	}
}

// The page is not much larger than what it shows.
func TestPageSize(t *testing.T) {
	dir := t.TempDir()
	check := func(name, file string) {
		t.Helper()
		page := filepath.Join(dir, "size.html")
		shakescope(t, "export", file, "--format", "html", "--no-redact", "--despite-secrets", "-o", page)
		info, err := os.Stat(page)
		if err != nil {
			t.Fatal(err)
		}
		var raw int64
		for _, stream := range []string{"stdin", "stdout", "stderr"} {
			raw += int64(len(shakescope(t, "export", file, "--format", "raw", "--no-redact", "--stream", stream)))
		}
		if most := raw*13/10 + 300_000; info.Size() > most {
			t.Errorf("%s: the page has %d bytes for %d bytes of messages, %d at most", name, info.Size(), raw, most)
		}
	}
	check("hostile", hostile(t, dir))
	if root := os.Getenv("SHAKESCOPE_CORPUS"); root != "" {
		files, _ := filepath.Glob(filepath.Join(root, "transcripts", "everything-*.jsonl"))
		for i, file := range files {
			if i%8 == 0 {
				check(filepath.Base(file), file)
			}
		}
	}
}

// TestPageBar measures; it asserts nothing but that the page works. Run it with -v and SHAKESCOPE_BARS=1.
func TestPageBar(t *testing.T) {
	if os.Getenv("SHAKESCOPE_BARS") == "" {
		t.Skip("skipped: set SHAKESCOPE_BARS")
	}
	dir := t.TempDir()
	var log strings.Builder
	log.WriteString(`{"meta":{"started":"2026-11-30T10:00:00Z"}}` + "\n")
	size := 0
	for i := 0; size < 46<<20; i++ {
		call, _ := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": i, "method": "tools/call", "params": map[string]any{"name": "search", "arguments": map[string]any{"query": strings.Repeat("fjord ", i%9), "page": i}}})
		answer, _ := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": i, "result": map[string]any{"content": []any{map[string]any{"type": "text", "text": strings.Repeat("a boat at the pier, ", 5+i%120)}}}})
		size += len(call) + len(answer)
		for k, raw := range []string{string(call), string(answer)} {
			line, _ := json.Marshal(map[string]any{"t_ms": float64(2*i + k), "dir": []string{"c2s", "s2c"}[k], "raw": raw})
			log.Write(append(line, '\n'))
		}
	}
	file, page := filepath.Join(dir, "bar.wire.jsonl"), filepath.Join(dir, "bar.html")
	if err := os.WriteFile(file, []byte(log.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	shakescope(t, "export", file, "--format", "html", "-o", page)
	b := chromium(t)
	began := time.Now()
	b.open(page)
	b.until(`document.querySelectorAll(".row").length > 5`)
	opened := time.Since(began)
	var filtered, again float64
	filter := `(async function (q) { var t = performance.now(), e = document.getElementById("q"), c = document.getElementById("count"), was = c.textContent; e.value = q; e.dispatchEvent(new Event("input", { bubbles: true }));
		while (c.textContent === was && performance.now() - t < 60000) await new Promise(function (r) { setTimeout(r, 5); }); document.getElementById("list").offsetHeight; return performance.now() - t; })`
	b.eval(filter+`("fjord fjord fjord")`, &filtered)
	b.eval(filter+`("pier")`, &again)
	info, _ := os.Stat(page)
	t.Logf("%d MB of messages, a page of %d MB: opened in %v, filtered in %.0f ms, again in %.0f ms; bar: opened and filtered in 3 s", size>>20, info.Size()>>20, opened.Round(time.Millisecond), filtered, again)
}
