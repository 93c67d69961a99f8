package peer

import "testing"

// Questions are equal where only spelling, order and what differs from run to run are others.
func TestQuestions(t *testing.T) {
	long := `"0123456789012345678901234567890123456789012345678901234567890123456789`
	for _, c := range []struct {
		name, a, b string
		equal      bool
	}{
		{"order and spelling", `{"name":"x","arguments":{"a":1.0,"b":"\u0041"}}`, `{ "arguments":{"b":"A","a":1},"name":"x"}`, true},
		{"metadata", `{"name":"x","_meta":{"progressToken":1}}`, `{"name":"x"}`, true},
		{"no arguments", `{"name":"x"}`, `{"name":"x","arguments":{}}`, true},
		{"long", `{"name":"x","arguments":{"a":` + long + `1"}}`, `{"name":"x","arguments":{"a":` + long + `1"}}`, true},
		{"long, another end", `{"name":"x","arguments":{"a":` + long + `1"}}`, `{"name":"x","arguments":{"a":` + long + `2"}}`, false},
		{"a number is no string", `{"name":"x","arguments":{"a":1}}`, `{"name":"x","arguments":{"a":"1"}}`, false},
		{"a null is no string", `{"name":"x","arguments":{"a":null}}`, `{"name":"x","arguments":{"a":"null"}}`, false},
		{"true and false", `{"name":"x","arguments":{"a":true}}`, `{"name":"x","arguments":{"a":false}}`, false},
		{"no member and null", `{"name":"x","arguments":{"a":null}}`, `{"name":"x","arguments":{}}`, false},
		{"strings that look like the end of others", `{"name":"x","arguments":{"a":"1:b\"1:c"}}`, `{"name":"x","arguments":{"a":"1:b","c":""}}`, false},
		{"lists and their members", `{"name":"x","arguments":{"a":["1","2"]}}`, `{"name":"x","arguments":{"a":["1,2"]}}`, false},
		{"eras", `{"name":"x","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}`, `{"name":"x"}`, false},
		{"no object", `[1]`, `[1.0]`, true},
		{"none and an empty one", ``, `{}`, true},
		{"null", `null`, `{}`, false},
	} {
		a, b := ask("tools/call", []byte(c.a)), ask("tools/call", []byte(c.b))
		if (a.exact == b.exact) != c.equal {
			t.Errorf("%s: %q and %q", c.name, a.exact, b.exact)
		}
		if c.equal && (a.call != b.call || len(Differences(a.compared(), b.compared())) > 0) {
			t.Errorf("%s: equal, and differ as calls or in %s", c.name, Differences(a.compared(), b.compared()))
		}
	}
	q := ask("tools/call", []byte(`{"name":"x","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}`))
	if !q.modern || q.version != "2026-07-28" || q.target != "x" {
		t.Errorf("%+v", q)
	}
}
