package mcpshape

import (
	"fmt"
	"strings"
	"testing"
)

func problems(t *testing.T, kind Kind, method, revision, raw string) string {
	t.Helper()
	var out []string
	report := func(p Problem) {
		line := p.Path + " " + p.Keyword + " [" + p.Want + "]"
		if p.Value != "" {
			line += " " + p.Value
		}
		if p.Optional {
			line += " optional"
		}
		if p.Since != "" {
			line += " since " + p.Since
		}
		out = append(out, line)
	}
	var data []byte
	if raw != "" {
		data = []byte(raw)
	}
	if !Check(kind, method, revision, data, report) {
		return "unknown"
	}
	return strings.Join(out, "; ")
}

func TestCheck(t *testing.T) {
	const meta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`
	for _, c := range []struct {
		name             string
		kind             Kind
		method, revision string
		raw, want        string
	}{
		{"clean call", Params, "tools/call", "2025-11-25", `{"name":"x","arguments":{"a":[1,{}]}}`, ""},
		{"extra members are open", Params, "tools/call", "2025-11-25", `{"name":"x","more":null}`, ""},
		{"missing name", Params, "tools/call", "2025-06-18", `{"arguments":{}}`, " required [name]"},
		{"absent params", Params, "tools/call", "2025-06-18", ``, " required [params]"},
		{"absent params allowed", Params, "tools/list", "2025-06-18", ``, ""},
		{"absent params not in modern", Params, "tools/list", "2026-07-28", ``, " required [params]"},
		{"params array", Params, "tools/call", "2025-06-18", `[1]`, " type [object] [1]"},
		{"optional null", Params, "tools/call", "2025-06-18", `{"name":"x","arguments":null}`, "/arguments type [object] null optional"},
		{"later member is not looked at", Params, "tools/call", "2025-06-18", `{"name":"x","task":7}`, ""},
		{"member of the revision", Params, "tools/call", "2025-11-25", `{"name":"x","task":7}`, "/task type [object] 7 optional"},
		{"progress token", Params, "tools/call", "2024-11-05", `{"name":"x","_meta":{"progressToken":1.5}}`, "/_meta/progressToken type [string or integer] 1.5 optional"},
		{"integral spellings", Params, "tools/call", "2024-11-05", `{"name":"x","_meta":{"progressToken":1.50e1}}`, ""},
		{"modern metadata", Params, "tools/call", "2026-07-28", `{"name":"x"}`, " required [_meta]"},
		{"modern metadata members", Params, "tools/call", "2026-07-28", `{"name":"x","_meta":{}}`,
			"/_meta required [io.modelcontextprotocol/protocolVersion]; /_meta required [io.modelcontextprotocol/clientCapabilities]"},
		{"pointer escapes", Params, "tools/list", "2026-07-28", `{"_meta":{"io.modelcontextprotocol/protocolVersion":1,"io.modelcontextprotocol/clientCapabilities":{}}}`,
			"/_meta/io.modelcontextprotocol~1protocolVersion type [string] 1"},
		{"draft", Params, "tools/list", "draft", `{` + meta + `}`, ""},
		{"last of two names counts, good", Params, "tools/call", "2025-11-25", `{"name":1,"name":"x"}`, ""},
		{"last of two names counts, bad", Params, "tools/call", "2025-11-25", `{"name":"x","na\u006de":1}`, "/name type [string] 1"},

		{"tool list", Result, "tools/list", "2025-03-26", `{"tools":[{"name":"a","inputSchema":{"type":"object"}},{"name":2,"inputSchema":{"type":["object"]}}]}`,
			"/tools/1/name type [string] 2; /tools/1/inputSchema/type type [string] [\"object\"]"},
		{"boolean property schema", Result, "tools/list", "2025-11-25", `{"tools":[{"name":"a","inputSchema":{"type":"object","properties":{"p":true}}}]}`,
			"/tools/0/inputSchema/properties/p type [object] true optional"},
		{"boolean property schema, modern", Result, "tools/list", "2026-07-28", `{"resultType":"complete","ttlMs":0,"cacheScope":"public","tools":[{"name":"a","inputSchema":{"type":"object","properties":{"p":true}},"outputSchema":{"type":"array"}}]}`, ""},
		{"cache hints", Result, "tools/list", "2026-07-28", `{"resultType":"complete","ttlMs":-1,"cacheScope":"all","tools":[]}`,
			"/ttlMs minimum [0] -1; /cacheScope enum [public, private] \"all\""},
		{"cursor null", Result, "tools/list", "2024-11-05", `{"tools":[],"nextCursor":null}`, "/nextCursor type [string] null optional"},

		{"blocks", Result, "tools/call", "2025-11-25", `{"content":[{"type":"text"},{"text":"x"},{"type":7},{"type":"video"}]}`,
			"/content/0 required [text]; /content/1 required [type]; /content/2/type type [string] 7; /content/3/type enum [text, image, audio, resource_link, resource] \"video\""},
		{"block of a later revision", Result, "tools/call", "2024-11-05", `{"content":[{"type":"audio","data":"","mimeType":"a/b"}]}`,
			"/content/0/type enum [text, image, resource] \"audio\" since 2025-03-26"},
		{"base64", Result, "tools/call", "2025-11-25", `{"content":[{"type":"image","data":"ab\/=","mimeType":"a/b"},{"type":"image","data":"a-_=","mimeType":"a/b"},{"type":"image","data":"abc","mimeType":"a/b"}]}`,
			"/content/1/data format [byte] \"a-_=\"; /content/2/data format [byte] \"abc\""},
		{"annotations", Result, "tools/call", "2025-06-18", `{"content":[{"type":"text","text":"","annotations":{"priority":1.5,"audience":["human"],"lastModified":"yesterday"}}]}`,
			"/content/0/annotations/priority maximum [1] 1.5 optional; /content/0/annotations/audience/0 enum [user, assistant] \"human\"; /content/0/annotations/lastModified format [date-time] \"yesterday\" optional"},
		{"no content", Result, "tools/call", "2025-11-25", `{"structuredContent":{}}`, " required [content]"},
		{"task handle", Result, "tools/call", "2025-11-25", `{"task":{"taskId":"t","status":"working","createdAt":"2026-01-01T00:00:00Z","lastUpdatedAt":"2026-01-01T00:00:00.5Z","ttl":null}}`, ""},
		{"task handle, ttl left out", Result, "tools/call", "2025-11-25", `{"task":{"taskId":"t","status":"runs","createdAt":"2026-01-01T00:00:00Z","lastUpdatedAt":"2026-01-01T00:00:00Z"}}`,
			"/task/status enum [working, input_required, completed, failed, cancelled] \"runs\"; /task required [ttl]"},
		{"task handle before tasks", Result, "tools/call", "2025-06-18", `{"task":{}}`, " required [content]"},
		{"input required", Result, "tools/call", "2026-07-28", `{"resultType":"input_required","inputRequests":{"k":{"method":"elicitation/create","params":{"message":"m","requestedSchema":{"type":"object","properties":{"a":{"type":"object"}}}}},"l":{"method":"ping"},"m":{"method":"roots/list"}}}`,
			"/inputRequests/k/params/requestedSchema/properties/a/type enum [string, number, integer, boolean, array] \"object\"; /inputRequests/l/method enum [sampling/createMessage, elicitation/create, roots/list] \"ping\""},
		{"retry", Params, "tools/call", "2026-07-28", `{"name":"x",` + meta + `,"requestState":"s","inputResponses":{"k":{"action":"yes"},"l":{"roots":[{}]},"m":{}}}`,
			"/inputResponses/k/action enum [accept, decline, cancel] \"yes\"; /inputResponses/l/roots/0 required [uri]; /inputResponses/m required [action or roots or model or role]"},
		{"unknown result type", Result, "tools/call", "2026-07-28", `{"resultType":"other"}`, ""},
		{"result type missing", Result, "tools/call", "2026-07-28", `{"content":[]}`, " required [resultType]"},
		{"structured content, object", Result, "tools/call", "2025-06-18", `{"content":[],"structuredContent":[1]}`, "/structuredContent type [object] [1] optional"},
		{"structured content, free", Result, "tools/call", "2026-07-28", `{"resultType":"complete","content":[],"structuredContent":[1]}`, ""},

		{"resource contents", Result, "resources/read", "2025-11-25", `{"contents":[{"uri":"a:b","text":null},{"uri":"a:b"},{"uri":"plain path","blob":""}]}`,
			"/contents/0/text type [string] null; /contents/1 required [text or blob]; /contents/2/uri format [uri] \"plain path\""},
		{"template", Result, "resources/templates/list", "2025-11-25", `{"resourceTemplates":[{"name":"a","uriTemplate":"x://{a}/{?b,c*}"},{"name":"a","uriTemplate":"x://{{a}}"}]}`,
			"/resourceTemplates/1/uriTemplate format [uri-template] \"x://{{a}}\""},
		{"prompt message", Result, "prompts/get", "2025-11-25", `{"messages":[{"role":"system","content":[{"type":"text","text":"x"}]}]}`,
			"/messages/0/role enum [user, assistant] \"system\"; /messages/0/content type [object] [{\"type\":\"text\",\"text\":\"x\"}]"},
		{"prompt arguments are strings", Params, "prompts/get", "2025-11-25", `{"name":"p","arguments":{"a":1,"a":"1","b":2}}`, "/arguments/b type [string] 2 optional"},
		{"completion", Params, "completion/complete", "2025-03-26", `{"ref":{"type":"ref/tool"},"argument":{"name":"a"}}`,
			"/ref/type enum [ref/prompt, ref/resource] \"ref/tool\"; /argument required [value]"},
		{"completion too long", Result, "completion/complete", "2025-03-26", `{"completion":{"values":["` + strings.Repeat(`","`, 100) + `"]}}`,
			"/completion/values maxItems [100] [" + strings.Repeat(`"",`, 26) + `"…`},

		{"sampling content array, early", Result, "sampling/createMessage", "2025-06-18", `{"role":"assistant","model":"m","content":[]}`, "/content type [object] []"},
		{"sampling content array", Result, "sampling/createMessage", "2025-11-25", `{"role":"assistant","model":"m","content":[{"type":"tool_use","id":"1","name":"n"}]}`, "/content/0 required [input]"},
		{"no resources in sampling", Params, "sampling/createMessage", "2025-11-25", `{"maxTokens":1.5,"messages":[{"role":"user","content":{"type":"resource_link"}}]}`,
			"/maxTokens type [integer] 1.5; /messages/0/content/type enum [text, image, audio, tool_use, tool_result] \"resource_link\""},
		{"elicitation form", Params, "elicitation/create", "2025-11-25", `{"message":"m","requestedSchema":{"type":"object","properties":{"a":{"type":"string","format":"password"},"b":{"type":"string","oneOf":[{"const":"x"}]},"c":{"type":"array","items":{}},"d":{"anyOf":[]}}}}`,
			"/requestedSchema/properties/a/format enum [email, uri, date, date-time] \"password\" optional; /requestedSchema/properties/b/oneOf/0 required [title]; /requestedSchema/properties/c/items required [anyOf or enum]; /requestedSchema/properties/d required [type]"},
		{"elicitation url", Params, "elicitation/create", "2025-11-25", `{"mode":"url","message":"m","url":"https://x"}`, " required [elicitationId]"},
		{"elicitation mode", Params, "elicitation/create", "2025-11-25", `{"mode":"popup","message":"m"}`, "/mode enum [form, url] \"popup\" optional"},
		{"elicitation before modes", Params, "elicitation/create", "2025-06-18", `{"mode":"url","message":"m","url":"https://x"}`, " required [requestedSchema]"},
		{"elicitation answer", Result, "elicitation/create", "2025-11-25", `{"action":"accept","content":{"a":1.5,"b":["x"],"c":null,"d":{}}}`,
			"/content/c type [string or number or boolean or array] null optional; /content/d type [string or number or boolean or array] {} optional"},
		{"elicitation answer, early", Result, "elicitation/create", "2025-06-18", `{"action":"accept","content":{"b":["x"]}}`, "/content/b type [string or number or boolean] [\"x\"] optional"},

		{"initialize", Params, "initialize", "2025-11-25", `{"protocolVersion":"x","capabilities":{"sampling":{"tools":true},"roots":true},"clientInfo":{"name":"n"}}`,
			"/capabilities/sampling/tools type [object] true optional; /capabilities/roots type [object] true optional; /clientInfo required [version]"},
		{"cancelled", Notification, "notifications/cancelled", "2025-06-18", `{}`, " required [requestId]"},
		{"cancelled of tasks", Notification, "notifications/cancelled", "2025-11-25", `{}`, ""},
		{"log", Notification, "notifications/message", "2025-11-25", `{"level":"warn"}`,
			"/level enum [debug, info, notice, warning, error, critical, alert, emergency] \"warn\"; " + " required [data]"},
		{"log of null", Notification, "notifications/message", "2025-11-25", `{"level":"info","data":null}`, ""},
		{"listen", Params, "subscriptions/listen", "2026-07-28", `{` + meta + `,"notifications":{"toolsListChanged":"yes"}}`, "/notifications/toolsListChanged type [boolean] \"yes\" optional"},
		{"listen ends", Result, "subscriptions/listen", "2026-07-28", `{"resultType":"complete","_meta":{}}`, "/_meta required [io.modelcontextprotocol/subscriptionId]"},
		{"extension task", Result, "tools/call", "2026-07-28", `{"resultType":"task","taskId":"T","status":"done","createdAt":"2026-08-01T00:00:00Z","lastUpdatedAt":"2026-08-01T00:00:00Z","ttlMs":1}`,
			"/status enum [working, input_required, completed, failed, cancelled] \"done\""},

		{"extension task, by status", Result, "tasks/get", "2026-07-28", `{"taskId":"T","status":"failed","createdAt":"2026-08-01T00:00:00Z","lastUpdatedAt":"2026-08-01T00:00:00Z","ttlMs":null,"result":{}}`,
			" required [error];  required [resultType]"},
		{"extension task, pushed", Notification, "notifications/tasks", "2026-07-28", `{"taskId":"T","status":"input_required","createdAt":"2026-08-01T00:00:00Z","lastUpdatedAt":"2026-08-01T00:00:00Z","ttlMs":null,"inputRequests":{"k":{}}}`,
			"/inputRequests/k required [method]"},

		{"method of another revision", Params, "ping", "2026-07-28", `{}`, "unknown"},
		{"unknown method", Params, "tools/lists", "2025-11-25", `{}`, "unknown"},
		{"unknown revision", Params, "tools/list", "2024-10-07", `{}`, "unknown"},
		{"request sent as notification", Notification, "tools/list", "2025-11-25", `{}`, "unknown"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := problems(t, c.kind, c.method, c.revision, c.raw); got != c.want {
				t.Errorf("%s\n got %s\nwant %s", c.raw, got, c.want)
			}
		})
	}
}

func TestBounded(t *testing.T) {
	bad := `{"tools":[` + strings.Repeat(`{},`, 10_000) + `{}]}`
	n := 0
	Check(Result, "tools/list", "2025-11-25", []byte(bad), func(Problem) { n++ })
	if n != MaxProblems {
		t.Errorf("%d problems, want %d", n, MaxProblems)
	}
	long := `{"name":{"x":"` + strings.Repeat("é", 1000) + `"}}`
	Check(Params, "tools/call", "2025-11-25", []byte(long), func(p Problem) {
		if len(p.Value) > maxValue+len("…") || !strings.HasSuffix(p.Value, "é…") {
			t.Errorf("value %q", p.Value)
		}
	})
	deep := `{"name":"x","arguments":` + strings.Repeat(`{"a":[`, 1<<20) + strings.Repeat(`]}`, 1<<20) + `}`
	if got := problems(t, Params, "tools/call", "2025-11-25", deep); got != "" {
		t.Error(got)
	}
}

// A type is known in the revisions that its shape's members speak of, and every member has a shape.
func TestTables(t *testing.T) {
	seen := map[*shape]bool{}
	var walk func(path string, s *shape)
	walk = func(path string, s *shape) {
		if s == nil || seen[s] {
			return
		}
		seen[s] = true
		if s.types == 0 {
			t.Errorf("%s: no types", path)
		}
		if len(s.members)+len(s.base) > 64 {
			t.Errorf("%s: too many members", path)
		}
		if (len(s.members) > 0 || s.others != nil || s.union != nil) && s.types&tObject == 0 {
			t.Errorf("%s: members, but no object", path)
		}
		names := map[string]revisions{}
		for i := range len(s.members) + len(s.base) {
			m := s.at(i)
			if m.in == 0 || m.must&^m.in != 0 && m.must&m.in == 0 {
				t.Errorf("%s.%s: in %b, must %b", path, m.name, m.in, m.must)
			}
			if names[m.name]&m.in != 0 {
				t.Errorf("%s.%s: two definitions in %s", path, m.name, (names[m.name] & m.in).first())
			}
			names[m.name] |= m.in
			walk(path+"."+m.name, m.shape)
		}
		walk(path+".*", s.others)
		walk(path+"[]", s.items)
		if u := s.union; u != nil {
			for _, a := range u.alternatives {
				walk(path+"|"+a.when, a.shape)
			}
			if u.lax != 0 && u.absent == nil {
				t.Errorf("%s: lax without a shape", path)
			}
			walk(path+"|", u.absent)
			walk(path+"|?", u.unknown)
		}
		walk(path, s.also)
	}
	for name, of := range methods {
		var in revisions
		for _, m := range of {
			if in&m.in != 0 {
				t.Errorf("%s: two definitions", name)
			}
			in |= m.in
			if m.params == nil || (m.result == nil) != m.notification || m.notification != strings.HasPrefix(name, "notifications/") {
				t.Errorf("%s: incomplete", name)
			}
			walk(name, m.params)
			walk(name+" result", m.result)
		}
	}
	for name, n := range namedTypes {
		walk(name, n.shape)
	}
}

func TestFormats(t *testing.T) {
	for _, c := range []struct {
		f    format
		text string
		want bool
	}{
		{formatURI, "file:///a/b", true}, {formatURI, "urn:x", true}, {formatURI, "a+b-c.1:", true}, {formatURI, "file:///ü", true},
		{formatURI, "x://a%20b", true}, {formatURI, "https://[::1]/", true},
		{formatURI, "/etc/passwd", false}, {formatURI, "file:///a b", false}, {formatURI, "1a:b", false}, {formatURI, "", false},
		{formatURI, "x:%2", false}, {formatURI, "x:{a}", false},
		{formatURITemplate, "x://{a}", true}, {formatURITemplate, "{+path,q:3,r*}{?x}", true}, {formatURITemplate, "plain", true}, {formatURITemplate, "db://{table-name}", true},
		{formatURITemplate, "x://{a", false}, {formatURITemplate, "x://a}", false}, {formatURITemplate, "x://{}", false}, {formatURITemplate, "x://{a b}", false}, {formatURITemplate, "{a:}", false},
		{formatByte, "", true}, {formatByte, "YQ==", true}, {formatByte, "YWI=", true}, {formatByte, "YWJj", true},
		{formatByte, "YQ", false}, {formatByte, "Y===", false}, {formatByte, "YQ= ", false}, {formatByte, "data:,", false}, {formatByte, "YQ=a", false},
		{formatDateTime, "2025-01-02T03:04:05Z", true}, {formatDateTime, "2025-01-02T03:04:05.123+01:00", true}, {formatDateTime, "2025-01-02", true}, {formatDateTime, "2025-01-02t03:04:05z", true},
		{formatDateTime, "2025-13-02T03:04:05Z", false}, {formatDateTime, "now", false}, {formatDateTime, "1735786800", false},
	} {
		if got := c.f.fits([]byte(c.text)); got != c.want {
			t.Errorf("%s %q: %v", formatNames[c.f], c.text, got)
		}
	}
	for text, want := range map[string]bool{"0": true, "-7": true, "1.0": true, "1.5": false, "15e-1": false, "150e-1": true, "1.25e2": true, "1.25e1": false,
		"0e-5": true, "0.0": true, "1e400": true, "1e-400": false, "1E+2": true, "1e99999999999999999999": true, "1e-99999999999999999999": false} {
		if got := integral([]byte(text)); got != want {
			t.Errorf("integral(%s) = %v", text, got)
		}
	}
}

func TestNoAllocations(t *testing.T) {
	raw := []byte(`{"tools":[{"name":"a","title":"t","inputSchema":{"type":"object","properties":{"p":{"type":"string"}},"required":["p"]},"annotations":{"readOnlyHint":true},"execution":{"taskSupport":"optional"}}],"nextCursor":"c"}`)
	c := new(checker) // not from the pool, which forgets at random under the race detector
	if n := testing.AllocsPerRun(100, func() { c.check(&listToolsResult, r2511, raw) }); n > 0 || len(c.problems) > 0 {
		t.Errorf("%v allocations on a clean value, problems %v", n, c.problems)
	}
}

func BenchmarkCheck(b *testing.B) {
	var tools strings.Builder
	for i := range 20 {
		fmt.Fprintf(&tools, `,{"name":"tool%d","description":"does a thing, with a text of some length","inputSchema":{"type":"object","properties":{"path":{"type":"string","description":"where"},"n":{"type":"integer"}},"required":["path"]}}`, i)
	}
	for _, c := range []struct {
		name, method string
		kind         Kind
		raw          string
	}{
		{"call", "tools/call", Params, `{"name":"read_file","arguments":{"path":"/tmp/x"},"_meta":{"progressToken":7}}`},
		{"result", "tools/call", Result, `{"content":[{"type":"text","text":"some text that comes back"}],"isError":false}`},
		{"list", "tools/list", Result, `{"tools":[` + tools.String()[1:] + `]}`},
	} {
		b.Run(c.name, func(b *testing.B) {
			raw := []byte(c.raw)
			b.SetBytes(int64(len(raw)))
			b.ReportAllocs()
			for b.Loop() {
				Check(c.kind, c.method, "2025-11-25", raw, func(p Problem) { b.Fatal(p) })
			}
		})
	}
}

func FuzzCheck(f *testing.F) {
	for _, raw := range []string{`{"name":"x"}`, `{"content":[{"type":"text","text":"a\"b"}]}`, `{"tools":[{}]}`, `[`, `{"a"`, `"\`, `{"name":1,"name":`, "{\"\xff\":1}", `}`, ``} {
		f.Add([]byte(raw))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		for name, of := range methods {
			for _, m := range of {
				for i := range revisionNames {
					if m.in&(1<<i) == 0 {
						continue
					}
					kind := Params
					if m.notification {
						kind = Notification
					}
					Check(kind, name, revisionNames[i], raw, func(p Problem) {
						if p.Keyword == "" {
							t.Errorf("%+v", p)
						}
					})
					if !m.notification {
						Check(Result, name, revisionNames[i], raw, func(Problem) {})
					}
				}
			}
		}
	})
}
