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
