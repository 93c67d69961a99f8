package redact

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
)

// Made-up credentials, put together here so that no scanner takes this file for a leak.
var (
	jwt    = "eyJ" + "hbGciOiJIUzI1NiJ9.eyJ" + "zdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N"
	github = "ghp" + "_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
	claude = "sk-" + "ant-api03-Zx9Yw8Vu7Ts6Rq5Po4Nm3Lk2Jh1Gf0"
	aws    = "AK" + "IAQ3EGSJ7P2MNB4XWZ"
	google = "AI" + "zaSyD4x8Kq2mN7bV1cX9zL5tR3wE6yU0iOpAs"
)

func TestMasks(t *testing.T) {
	for _, c := range []struct{ name, in, secret, rest string }{
		{"by name", `{"method":"tools/call","params":{"arguments":{"password":"tr0ub4dor","user":"ann"}}}`, "tr0ub4dor",
			`{"method":"tools/call","params":{"arguments":{"password":"[redacted:password:len~16:1]","user":"ann"}}}`},
		{"folded name", `{"params":{"arguments":{"X-Api-Key":"abcd1234"}}}`, "abcd1234", ``},
		{"environment variable", `{"result":{"structuredContent":{"MY_SERVICE_TOKEN":"q8q8-w9w9"}}}`, "q8q8-w9w9", ``},
		{"number", `{"params":{"arguments":{"password":123456}}}`, "123456", `{"params":{"arguments":{"password":0.00000000e1}}}`},
		{"list", `{"params":{"arguments":{"passwords":[],"secrets":["one-two-3","four-five-6"]}}}`, "four-five-6", ``},
		{"object", `{"params":{"arguments":{"credentials":{"type":"basic","blob":"9f8e7d6c5b4a3f2e"}}}}`, "9f8e7d6c5b4a3f2e", ``},
		{"headers", `{"params":{"arguments":{"headers":[{"name":"Authorization","value":"Token zzz999yyy"}]}}}`, "zzz999yyy", ``},
		{"headers, value first", `{"params":{"arguments":{"headers":[{"value":"Token zzz999yyy","name":"authorization"}]}}}`, "zzz999yyy", ``},
		{"argv", `{"params":{"arguments":{"args":["run","--api-key","plainlooking","-v"]}}}`, "plainlooking", ``},
		{"argv, joined", `{"params":{"arguments":{"args":["--api-key=plainlooking"]}}}`, "plainlooking", ``},
		{"in a text", `{"result":{"content":[{"type":"text","text":"use ` + github + ` now"}]}}`, github, ``},
		{"escaped", `{"result":{"content":[{"type":"text","text":"a\nghp` + `\u005f` + github[4:] + ` b"}]}}`, github[4:],
			`{"result":{"content":[{"type":"text","text":"a\n[redacted:github-token:len~40:1] b"}]}}`},
		{"JSON in a string", `{"result":{"content":[{"type":"text","text":"{\n \"db_password\": \"s3cr3t\\\"x\"}"}]}}`, `s3cr3t`,
			`{"result":{"content":[{"type":"text","text":"{\n \"db_password\": \"[redacted:password:len~8:1]\"}"}]}}`},
		{"JSON in a string, the secret escaped there", `{"params":{"arguments":{"a":"{\"db_password\": \"s3cr3t\/x\"}","b":{"password":"s3cr3t/x"}}}}`, `s3cr3t`,
			`{"params":{"arguments":{"a":"{\"db_password\": \"[redacted:password:len~8:1]\"}","b":{"password":"[redacted:password:len~8:1]"}}}}`},
		{"JSON in JSON in a string", `{"params":{"arguments":{"body":"{\"a\":\"{\\\"token\\\":\\\"abc-123-def\\\"}\"}"}}}`, "abc-123-def", ``},
		{"broken JSON in a string", `{"params":{"arguments":{"body":"{\"token\":\"abc-123-def\", oops"}}}`, "abc-123-def", ``},
		{"userinfo", `{"params":{"uri":"postgres://ann:p4ss%2Bw@db.example/x"}}`, "p4ss%2Bw",
			`{"params":{"uri":"postgres://ann:redacted-password-8-1@db.example/x"}}`},
		{"query", `{"params":{"uri":"https://x.example/?q=1&access_token=abcdef12&z=2"}}`, "abcdef12",
			`{"params":{"uri":"https://x.example/?q=1&access_token=redacted-token-8-1&z=2"}}`},
		{"fragment", `{"params":{"uri":"https://x.example/cb#code=4xyz-99"}}`, "4xyz-99", ``},
		{"meta", `{"params":{"_meta":{"vendor/auth":{"note":"Bearer abcdefgh12345678"}}}}`, "abcdefgh12345678", ``},
		{"log data", `{"method":"notifications/message","params":{"level":"info","data":"apiKey=qwertz99"}}`, "qwertz99", ``},
		{"error data", `{"error":{"code":1,"message":"bad","data":{"secret":"hush-hush-1"}}}`, "hush-hush-1", ``},
		{"stderr", `connecting with password: swordfish`, "swordfish", `connecting with password: [redacted:password:len~16:1]`},
		{"stderr, env", `API_TOKEN=abcd npm start`, "abcd", ``},
		{"header line", `> Authorization: Basic dXNlcjpwYXNzd29yZA==`, "dXNlcjpwYXNzd29yZA", `> Authorization: Basic [redacted:authorization:len~24:1]`},
		{"cookie line", `Cookie: a=1; sid=77aabb`, "77aabb", ``},
		{"flag in a line", `spawned srv --password hunter22x -v`, "hunter22x", `spawned srv --password [redacted:password:len~16:1] -v`},
		{"jwt", "got " + jwt + ".", jwt, "got [redacted:jwt:len~72:1]."},
		{"aws", "key=" + aws, aws, ``},
		{"google", "https://maps.example/?key=" + google, google, ``},
		{"anthropic", "k: " + claude, claude, ``},
		{"pem", "-----BEGIN RSA PRIVATE KEY-----\nMIIabc\n-----END RSA PRIVATE KEY-----", "MIIabc", ``},
		{"pem in JSON", `{"params":{"arguments":{"x":"-----BEGIN PRIVATE KEY-----\nMIIabc\n-----END PRIVATE KEY-----\n"}}}`, "MIIabc", ``},
		{"home", `Error: ENOENT /home/ann.b/x`, "ann.b", `Error: ENOENT /home/redacted/x`},
		{"home, file URL", `{"result":{"roots":[{"uri":"file:///Users/ann/x"}]}}`, "ann", `{"result":{"roots":[{"uri":"file:///Users/redacted/x"}]}}`},
		{"home, Windows", `{"params":{"arguments":{"p":"C:\\Users\\ann\\x"}}}`, "ann", `{"params":{"arguments":{"p":"C:\\Users\\redacted\\x"}}}`},
		{"not JSON", `{"password":"half-a-line`, "half-a-line", ``},
		{"not UTF-8", "token=abc\xffdef1", "def1", ``},
	} {
		t.Run(c.name, func(t *testing.T) {
			in := []byte(c.in)
			out := New().Line(in)
			if string(in) != c.in {
				t.Fatal("the input was written to")
			}
			if bytes.Contains(out, []byte(c.secret)) || bytes.Equal(in, out) {
				t.Errorf("still there: %s", out)
			}
			if c.rest != "" && string(out) != c.rest {
				t.Errorf("got  %s\nwant %s", out, c.rest)
			}
			if json.Valid(in) && !json.Valid(out) {
				t.Errorf("no JSON any more: %s", out)
			}
			if again := New().Line(out); !bytes.Equal(again, out) {
				t.Errorf("a mask was masked: %s", again)
			}
		})
	}
}

// What belongs to the protocol, and what only talks about secrets, stays byte for byte.
func TestKeeps(t *testing.T) {
	for _, line := range []string{
		`{"jsonrpc":"2.0","id":"` + jwt + `","method":"x","params":{"_meta":{"progressToken":"` + "abcdef123456789" + `"}}}`,
		`{"result":{"nextCursor":"` + jwt + `","requestState":"` + jwt + `","tools":[]}}`,
		`{"error":{"code":-32602,"message":"Invalid token: expected string"}}`,
		`{"result":{"tools":[{"name":"login","description":"Needs password: the password, token=abc123def456","inputSchema":{"type":"object","properties":{"password":{"type":"string"},"token":{"type":["string","null"],"description":"A token: see docs"}},"required":["password","token"]}}]}}`,
		`{"params":{"arguments":{"code":"print('hello world')","state":"open","session":"main","token":null,"secret":true}}}`,
		`{"params":{"arguments":{"schema":{"password":{"type":"string"},"api_key":{"$ref":"#/x"}}}}}`,
		`{"params":{"arguments":{"password":"${DB_PASSWORD}","token":"<token>","apiKey":"YOUR_API_KEY","secret":"********"}}}`,
		`{"params":{"arguments":{"url":"https://example.org/@scope/pkg?page=2&sort=key"}}}`,
		`{"result":{"content":[{"type":"text","text":"Tokens: 512 in, 77 out. Password required. Authentication: failed."}]}}`,
		`{"result":{"usage":{"maxTokens":4096,"inputTokens":12000}}}`,
		`{"result":{"resources":[{"uri":"file:///home/user/x"}]}}`,
		`plain words with skin-deep risk-averse eyJunk`,
		``, `{`, `[]`, "\xff\xfe",
	} {
		if out := New().Line([]byte(line)); string(out) != line {
			t.Errorf("\nin  %s\nout %s", line, out)
		}
	}
}

// A secret that had its name once is masked where it comes back without it, also before that when it was learned.
func TestEchoes(t *testing.T) {
	first := []byte(`logged in as correct-horse-battery`)
	named := []byte(`{"params":{"arguments":{"password":"correct-horse-battery"}}}`)
	r := New()
	r.Learn(first)
	r.Learn(named)
	if out := string(r.Line(first)); out != "logged in as [redacted:password:len~24:1]" {
		t.Errorf("%s", out)
	}
	if out := string(r.Line(named)); !strings.Contains(out, `"[redacted:password:len~24:1]"`) {
		t.Errorf("%s", out)
	}
	if out := r.Text("x-correct-horse-battery-y"); strings.Contains(out, "horse") {
		t.Error(out)
	}
	if out := r.Text("correct horse"); out != "correct horse" {
		t.Error(out)
	}
	if r.Count() != 1 {
		t.Errorf("%d secrets", r.Count())
	}
}

func TestNumbers(t *testing.T) {
	r := New()
	out := r.Line([]byte(`{"params":{"arguments":{"a_token":"one-111","b_token":"two-222","c_token":"one-111"}}}`))
	want := `{"params":{"arguments":{"a_token":"[redacted:token:len~8:1]","b_token":"[redacted:token:len~8:2]","c_token":"[redacted:token:len~8:1]"}}}`
	if string(out) != want {
		t.Errorf("%s", out)
	}
}

func TestNamed(t *testing.T) {
	r := New()
	r.Named("ACME_TOKEN", "q8q8w9w9e7")
	r.Named("DATABASE_URL", "postgres://bob:hunter-22x@h/db")
	r.Named("HTTPS_PROXY", "http://bob:pr0xy-pass@proxy:8080")
	r.Named("PWD", "/tmp/some/where")
	r.Named("SHELL", "/bin/zsh-5.9-x")
	const text = "q8q8w9w9e7 hunter-22x pr0xy-pass /tmp/some/where /bin/zsh-5.9-x"
	if got := r.Text(text); got != "[redacted:token:len~16:1] [redacted:password:len~16:2] [redacted:password:len~16:4] /tmp/some/where /bin/zsh-5.9-x" {
		t.Error(got)
	}
}

func TestCommand(t *testing.T) {
	r := New()
	in := []string{"npx", "srv", "--token", "abcd", "--api-key=efgh", "DB_PASSWORD=ijkl", "--url", "https://u:mnop@h/", "/home/ann/x", "-p", "8080", "--auth", "--verbose"}
	got := strings.Join(r.Command(in), " ")
	for _, s := range []string{"abcd", "efgh", "ijkl", "mnop", "ann"} {
		if strings.Contains(got, s) {
			t.Errorf("%s is still in %s", s, got)
		}
	}
	for _, s := range []string{"npx srv --token ", "--api-key=[", "DB_PASSWORD=[", "/home/redacted/x -p 8080 --auth --verbose"} {
		if !strings.Contains(got, s) {
			t.Errorf("%s is missing in %s", s, got)
		}
	}
}

func TestKeep(t *testing.T) {
	r := New()
	r.Keep("/home/ada/a.jsonl")
	got := string(r.Report([]byte(`{"file":"/home/ada/a.jsonl","message":"/home/ada/a.jsonl is in /home/ada","other":"/home/ada/b"}`)))
	want := `{"file":"/home/ada/a.jsonl","message":"/home/redacted/a.jsonl is in /home/redacted","other":"/home/redacted/b"}`
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
