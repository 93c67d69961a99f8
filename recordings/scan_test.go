package recordings

import (
	"bytes"
	"testing"
)

// Eight bytes are looked at as one number, in which a borrow might run over into the next byte.
func TestPlainPrefix(t *testing.T) {
	plain := func(c byte) bool { return c >= ' ' && c != '"' && c != '\\' }
	for _, filler := range []byte{' ', '!', '#', '[', ']', 'a', 0x7f, 0x80, 0xa2, 0xdc, 0xff} {
		for length := range 40 {
			text := bytes.Repeat([]byte{filler}, length)
			if n := plainPrefix(text); n != length {
				t.Fatalf("%d bytes of %#x: %d", length, filler, n)
			}
			for at := range length {
				for c := range 256 {
					text[at] = byte(c)
					want := length
					if !plain(byte(c)) {
						want = at
					}
					if n := plainPrefix(text); n != want {
						t.Fatalf("%#x at %d of %d bytes of %#x: %d", c, at, length, filler, n)
					}
				}
				text[at] = filler
			}
		}
	}
}

// Whoever believes that there is no _meta does not look for it.
func TestScanSeesMeta(t *testing.T) {
	for _, test := range []struct {
		data string
		bare bool
	}{
		{`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"text":"a"}}}`, true},
		{`{"jsonrpc":"2.0","id":1,"method":"ping"}`, true},
		{`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","_meta":{}}}`, false},
		{`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","_met\u0061":{}}}`, false},
		{`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"\u005fmeta":{}}}`, false},
		{`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":{"_meta":{}}}}`, true},
		{`[{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"_meta":{}}}]`, false},
		{`{"jsonrpc":"2.0","\u0069d":1,"method":"tools/call","params":{"_meta":{}}}`, false},
		{`{"jsonrpc":"2.0","id":1,"method":"a","\u0070arams":{"_meta":{}}}`, false},
	} {
		if h, ok := scan([]byte(test.data)); !ok || h.bare != test.bare {
			t.Errorf("%s: %v, bare %v", test.data, ok, h.bare)
		}
	}
}
