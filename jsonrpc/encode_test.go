package jsonrpc

import (
	"bytes"
	"testing"
	"unicode/utf8"
)

func TestEncode(t *testing.T) {
	for _, test := range []struct {
		got  []byte
		want string
	}{
		{AppendRequest(nil, NumberID(1), "tools/list", nil), head + `"id":1,"method":"tools/list"}`},
		{AppendRequest([]byte("x"), ParseID([]byte("1.0")), `a"b`, []byte(`{"a": 1.0}`)), `x` + head + `"id":1.0,"method":"a\"b","params":{"a": 1.0}}`},
		{AppendRequest(nil, ID{}, "a", []byte("{\n  \"a\":\r\n1}")), head + `"id":null,"method":"a","params":{   "a":  1}}`},
		{AppendNotification(nil, "notifications/initialized", nil), head + `"method":"notifications/initialized"}`},
		{AppendNotification(nil, "a", []byte("{}")), head + `"method":"a","params":{}}`},
		{AppendResult(nil, StringID("x"), []byte("{}")), head + `"id":"x","result":{}}`},
		{AppendResult(nil, StringID("x"), nil), head + `"id":"x","result":null}`},
		{AppendError(nil, ID{}, -32700, "bad\n", nil), head + `"id":null,"error":{"code":-32700,"message":"bad\n"}}`},
		{AppendError(nil, NumberID(2), 1, "m", []byte(`[1]`)), head + `"id":2,"error":{"code":1,"message":"m","data":[1]}}`},
	} {
		if string(test.got) != test.want {
			t.Errorf("got  %s\nwant %s", test.got, test.want)
		}
	}
}

// FuzzEncode: what is encoded decodes to the same parts, and is one line.
func FuzzEncode(f *testing.F) {
	f.Add([]byte(`1`), "tools/call", []byte(`{"a":1}`), int64(-32601))
	f.Add([]byte(`"\u0031"`), "a\n\"b\x00é", []byte("[1,\n2]"), int64(0))
	f.Add([]byte(`1e999999999`), "\u2028", []byte(`"x"`), int64(1)<<62)
	f.Fuzz(func(t *testing.T, rawID []byte, text string, value []byte, code int64) {
		rawID, value = bytes.TrimSpace(rawID), bytes.TrimSpace(value)
		id := ParseID(rawID)
		if !Valid(rawID) || id.Key() == "" || !Valid(value) || !utf8.ValidString(text) {
			t.Skip()
		}
		wantValue := bytes.Map(func(r rune) rune {
			if r == '\n' || r == '\r' {
				return ' '
			}
			return r
		}, value)
		check := func(line []byte, kind Kind) Message {
			t.Helper()
			m := Decode(line)
			if m.Kind != kind || m.ID != id && kind != Notification || bytes.ContainsAny(line, "\r\n") {
				t.Fatalf("kind %d, reason %q, id %+v from %q", m.Kind, m.Reason, m.ID, line)
			}
			return m
		}
		if m := check(AppendRequest(nil, id, text, value), Request); m.Method != text || !bytes.Equal(m.Params, wantValue) {
			t.Fatalf("request %q %s", m.Method, m.Params)
		}
		if m := check(AppendNotification(nil, text, value), Notification); m.Method != text || !bytes.Equal(m.Params, wantValue) {
			t.Fatalf("notification %q %s", m.Method, m.Params)
		}
		if m := check(AppendResult(nil, id, value), Response); !bytes.Equal(m.Result, wantValue) {
			t.Fatalf("result %s", m.Result)
		}
		if m := check(AppendError(nil, id, code, text, value), Error); m.Err.Code != code || m.Err.Message != text || !bytes.Equal(m.Err.Data, wantValue) {
			t.Fatalf("error %+v", m.Err)
		}
	})
}
