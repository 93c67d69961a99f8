package redact

import (
	"bytes"
	"encoding/base64"
	"unicode/utf8"
)

// leastBase64 is how long a text must be that is looked into as base64.
const leastBase64 = 16

// base64At looks at a run of base64 that begins at from. If it is text, it is masked inside and encoded again; masked is ""
// where there is nothing to mask. It returns 0 where there is no text in base64, else where it ends.
func (r *Redactor) base64At(text []byte, from int) (to int, masked string) {
	if r.depth == maxInside {
		return 0, ""
	}
	for to = from; to < len(text) && (alnum.has(text[to]) || text[to] == '+' || text[to] == '/' || text[to] == '-' || text[to] == '_'); to++ {
	}
	bare := text[from:to]
	if len(bare) < leastBase64 || len(bare)%4 == 1 {
		return 0, ""
	}
	encoding := base64.RawStdEncoding
	if bytes.IndexByte(bare, '-') >= 0 || bytes.IndexByte(bare, '_') >= 0 {
		encoding = base64.RawURLEncoding
	}
	var first [48]byte
	n, err := encoding.Decode(first[:], bare[:min(len(bare)&^3, 64)])
	if err != nil || !looksText(first[:n]) {
		return 0, "" // an image, a word, a path, a digest
	}
	plain, err := encoding.AppendDecode(nil, bare)
	if err != nil || !utf8.Valid(plain) {
		return 0, ""
	}
	padded := false
	for to < len(text) && text[to] == '=' && to-from-len(bare) < 2 {
		to++
		padded = true
	}
	r.depth++
	spans := r.scanInner(nil, plain, loose)
	r.depth--
	if len(spans) == 0 {
		return to, ""
	}
	if padded || len(bare)%4 == 0 {
		encoding = encoding.WithPadding(base64.StdPadding)
	}
	return to, encoding.EncodeToString(r.masked(plain, spans))
}

// looksText reports whether the start of something is text: a decoded word, path or digest hardly ever is.
func looksText(b []byte) bool {
	for len(b) > 0 {
		c, n := utf8.DecodeRune(b)
		switch {
		case c == utf8.RuneError && n <= 1:
			return !utf8.FullRune(b) // cut off
		case c < ' ' && c != '\n' && c != '\r' && c != '\t' || c == 0x7f:
			return false
		}
		b = b[n:]
	}
	return true
}
