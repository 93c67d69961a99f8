package redact

import (
	"strings"
	"testing"
)

// What is hidden in other texts is masked there, and stays what it was.
func TestHidden(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"base64 of JSON", `{"result":{"contents":[{"blob":"eyJwYXNzd29yZCI6Imh1bnRlcjIyeCJ9"}]}}`,
			`{"result":{"contents":[{"blob":"eyJwYXNzd29yZCI6IltyZWRhY3RlZDpwYXNzd29yZDpsZW5+MTY6MV0ifQ=="}]}}`},
		{"base64 in a log", `saved eyJwYXNzd29yZCI6Imh1bnRlcjIyeCJ9 ok`, `saved eyJwYXNzd29yZCI6IltyZWRhY3RlZDpwYXNzd29yZDpsZW5+MTY6MV0ifQ== ok`},
		{"an image in base64", `{"result":{"content":[{"type":"image","data":"iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJ"}]}}`, ``},
		{"percent", `next=https%3A%2F%2Fh%2F%3Ftoken%3Dabc123def%26b=c`, `next=https%3A%2F%2Fh%2F%3Ftoken%3Dredacted-token-16-1%26b=c`},
		{"a default", `{"result":{"tools":[{"inputSchema":{"properties":{"password":{"type":"string","default":"hunter22x"}}}}]}}`,
			`{"result":{"tools":[{"inputSchema":{"properties":{"password":{"type":"string","default":"[redacted:password:len~16:1]"}}}}]}}`},
		{"types", `{"params":{"arguments":{"secret":[true,null,4711,"abc-123-def",{"a":"Zx9-Yw8-Vu7"}]}}}`,
			`{"params":{"arguments":{"secret":[true,null,0.00000000e1,"[redacted:secret:len~16:2]",{"a":"[redacted:secret:len~16:3]"}]}}}`},
		{"counts", `{"params":{"arguments":{"token":5,"tokens":100,"auth":1}}}`, ``},
	} {
		if c.want == "" {
			c.want = c.in
		}
		if got := string(New().Line([]byte(c.in))); got != c.want {
			t.Errorf("%s:\ngot  %s\nwant %s", c.name, got, c.want)
		}
	}
}

func TestKeyLines(t *testing.T) {
	lines := []string{"ok", "key: -----BEGIN RSA " + "PRIVATE KEY-----", "Proc-Type: 4,ENCRYPTED", "", "MIIEpAIBAAKCAQEA7bq0Zx9Yw8Vu7Ts6", "-----END RSA " + "PRIVATE KEY----- token=abc123", "MIIEpAIBAAKCAQEA7bq0Zx9Yw8 is fine"}
	r := New()
	for _, l := range lines {
		r.LearnLog(3, []byte(l))
	}
	var got []string
	for _, l := range lines {
		got = append(got, string(r.Log(3, []byte(l))))
	}
	all := strings.Join(got, "\n")
	if strings.Contains(all, "AKCAQEA7bq0Zx9Yw8Vu7Ts6") || strings.Contains(all, "ENCRYPTED") || strings.Contains(all, "abc123") {
		t.Errorf("%s", all)
	}
	if got[0] != "ok" || got[6] != lines[6] || !strings.HasPrefix(got[1], "key: [redacted:private-key:") {
		t.Errorf("%s", all)
	}
}

func TestPaths(t *testing.T) {
	for _, c := range []struct{ path, in, want string }{
		{"/params/arguments/customer", `{"params":{"arguments":{"customer":{"n":"Ann","list":[1,"b"]},"other":"Ann"}}}`,
			`{"params":{"arguments":{"customer":{"n":"[M:1]","list":[0.00000000e2,"[M:3]"]},"other":"Ann"}}}`},
		{"params.arguments.*.iban", `{"params":{"arguments":[{"iban":"x","y":"z"}]}}`, `{"params":{"arguments":[{"iban":"[M:1]","y":"z"}]}}`},
		{"$.result.content[0].text", `{"result":{"content":[{"text":"one"},{"text":"two"}]}}`, `{"result":{"content":[{"text":"[M:1]"},{"text":"two"}]}}`},
		{"/result/a~1b/c.d", `{"result":{"a/b":{"c.d":"x"}}}`, `{"result":{"a/b":{"c.d":"[M:1]"}}}`},
		{"params.name", `[{"method":"m","params":{"name":"x"}},{"id":1,"params":{"name":"y"}}]`, `[{"method":"m","params":{"name":"[M:1]"}},{"id":1,"params":{"name":"[M:2]"}}]`},
		{"id", `{"id":"abc","method":"m"}`, `{"id":"abc","method":"m"}`},
		{"/params", `{"id":1,"params":{"_meta":{"progressToken":"t"},"cursor":"c","name":"n","arguments":{"id":"x"}}}`,
			`{"id":1,"params":{"_meta":{"progressToken":"t"},"cursor":"c","name":"[M:1]","arguments":{"id":"[M:2]"}}}`},
	} {
		own, err := Compile(Rules{Paths: []string{c.path}})
		if err != nil {
			t.Error(err)
			continue
		}
		got := strings.ReplaceAll(string(NewWith(own).Line([]byte(c.in))), "[redacted:custom:len~8:", "[M:")
		if got != c.want {
			t.Errorf("%s:\ngot  %s\nwant %s", c.path, got, c.want)
		}
	}
}
