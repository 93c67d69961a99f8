package redact

import (
	"bytes"
	"testing"

	"github.com/shakescope/shakescope/jsonrpc"
)

// Whatever comes: no panic, the input as it was, JSON stays JSON, a message the same message, and what is masked once is
// as it is masked twice.
func FuzzLine(f *testing.F) {
	for _, s := range []string{
		`{"params":{"arguments":{"password":"a\"b\\c","t":"{\"token\":\"\\u0061bcdef1\"}"}}}`,
		"password=\\\"x\\n Authorization: Bearer abcdefgh12345678\n https://a:b@c/?key=d",
		`["--token","x",{"name":"cookie","value":"\ud83d\ude00 1"}]`,
		`{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"name":"x","arguments":{"pin_token":73918462,"secret":[true,null,12,"abc-123-def"]},"_meta":{"progressToken":"tok"}}}`,
		`[{"jsonrpc":"2.0","id":1,"result":{"nextCursor":"x","content":[{"type":"text","text":"ghp_Q1w2E3r4T5y6U7i8O9p0A1s2D3f4G5h6J7k8"}]}}]`,
		`{"jsonrpc":"2.0","id":1,"result":{"blob":"eyJwYXNzd29yZCI6Imh1bnRlcjIyeCJ9"}}`,
		`next=https%3A%2F%2Fh%2F%3Ftoken%3Dabc123def%26b=c`,
		`-----BEGIN PRIVATE KEY-----`,
		`token=[redacted:token:len~8:1]x [redacted:password:len~ redacted-token-8-1`,
		`{"a":{"password":{"type":"string","default":"hunter22x"}},"b":"data:;base64,cGFzc3dvcmQ9aHVudGVyMjJ4"}`,
		`https://h/?u=https://h/?u=https://h/?u=https://h/?u=https://h/?u=https://h/?password=abcdef1`,
	} {
		f.Add([]byte(s))
	}
	own, err := Compile(Rules{Keys: []string{"iban"}, Patterns: []string{`acme-[0-9]+`, `room=(\w+)`}, Paths: []string{"/params/*/customer", "a.b"}})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		before := bytes.Clone(line)
		for _, o := range []*Own{nil, own} {
			r := NewWith(o)
			r.Learn(line)
			out := r.Line(line)
			if !bytes.Equal(before, line) {
				t.Fatal("the input was written to")
			}
			if jsonrpc.Valid(line) && !jsonrpc.Valid(out) {
				t.Fatalf("%q became %q, which is no JSON", line, out)
			}
			sameMessage(t, jsonrpc.Decode(line), jsonrpc.Decode(out))
			if again, ok := NewWith(o).Message(out); o == nil && ok && !bytes.Equal(again, out) {
				t.Fatalf("%q\nbecame %q\nand then %q", line, out, again)
			}
			if masked, ok := NewWith(o).Message(line); ok != (masked != nil) || jsonrpc.Valid(line) && !ok {
				t.Fatalf("%q: %v", line, ok)
			}
			text := New().Text(string(line))
			if again := New().Text(text); o == nil && again != text {
				t.Fatalf("%q\nbecame %q\nand then %q", line, text, again)
			}
			r.Log(1, line)
			r.Report(line)
			r.Text(string(line))
			r.Command([]string{string(line), string(out)})
		}
	})
}

// sameMessage compares what the protocol reads of two messages.
func sameMessage(t *testing.T, a, b jsonrpc.Message) {
	t.Helper()
	if a.Kind != b.Kind || len(a.Members) != len(b.Members) {
		t.Fatalf("%v became %v", a.Kind, b.Kind)
	}
	if a.Kind == jsonrpc.Invalid {
		return
	}
	if a.ID.Raw() != b.ID.Raw() || a.Method != b.Method || (a.Err == nil) != (b.Err == nil) || a.Err != nil && a.Err.Code != b.Err.Code {
		t.Fatalf("%+v became %+v", a, b)
	}
	for _, path := range [][]string{{"params", "cursor"}, {"params", "_meta", "progressToken"}, {"params", "progressToken"}, {"params", "requestId"}} {
		x, _ := jsonrpc.Lookup(a.Raw, path...)
		y, _ := jsonrpc.Lookup(b.Raw, path...)
		if len(x) > 0 && (x[0] == '"' || x[0] >= '0' && x[0] <= '9') && !bytes.Equal(x, y) {
			t.Fatalf("%v: %s became %s", path, x, y)
		}
	}
	for i := range a.Members {
		sameMessage(t, a.Members[i], b.Members[i])
	}
}
