package jsontree

import (
	"bytes"
	"encoding/base64"
	"strings"
	"unicode/utf8"
)

const (
	// maxPreview bounds the bytes of a string that a preview shows.
	maxPreview = 4 << 10
	// maxSummary bounds the bytes of an array or object that a preview shows.
	maxSummary = 256
	// minBase64 is the shortest string, in bytes, that is taken for base64: shorter ones are often words.
	minBase64 = 128
)

// Preview is what a row shows of a value.
type Preview struct {
	// Text is the text of a string without its quotes, the JSON text of other values, and of arrays
	// and objects their beginning without white space. It is "" for base64.
	Text string
	// Cut says that Text is not all of it.
	Cut bool
	// Bytes is the size of the value in the JSON text, without the quotes of a string.
	Bytes int

	// Base64 says that a string looks like base64, perhaps in a data URL. Its ends were looked at,
	// not all of it.
	Base64 bool
	// Decoded is the size in bytes of what it encodes.
	Decoded int
	// Media is the media type of that, "" when it is not known.
	Media string
}

// Preview returns what a row shows of n. It reads a few kilobytes of the value, however large that is.
func (t *Tree) Preview(n Node) Preview {
	raw := t.Raw(n)
	switch t.nodes[n].kind {
	case Array, Object:
		text, cut := summary(raw)
		return Preview{Text: text, Cut: cut, Bytes: len(raw)}
	case String:
		return t.previewString(raw)
	}
	text := raw[:min(len(raw), maxPreview)]
	return Preview{Text: string(text), Cut: len(text) < len(raw), Bytes: len(raw)}
}

func (t *Tree) previewString(raw []byte) Preview {
	inside := raw[1:]
	if n := len(inside); n > 0 && inside[n-1] == '"' {
		inside = inside[:n-1]
	}
	p := Preview{Bytes: len(inside)}
	if media, data, ok := base64Data(inside); ok {
		if media == "" {
			media = sniff(data)
		}
		p.Base64, p.Media, p.Decoded = true, media, len(data)*3/4
		return p
	}
	if len(inside) > maxPreview {
		inside, p.Cut = inside[:cutLiteral(inside, maxPreview)], true
	}
	p.Text = unquote(append([]byte{'"'}, inside...))
	return p
}

// cutLiteral returns how much of the inside of a literal, at most n bytes, can be kept without
// cutting an escape or a character.
func cutLiteral(inside []byte, n int) int {
	for i := 0; i < n; {
		size := 1
		if c := inside[i]; c == '\\' {
			size = 2
			if i+1 < len(inside) && inside[i+1] == 'u' {
				size = 6
				if bytes.HasPrefix(inside[min(i+6, len(inside)):], []byte(`\u`)) && i+2 < len(inside) && inside[i+2]|0x20 == 'd' {
					size = 12 // perhaps the two halves of a pair
				}
			}
		} else if c >= utf8.RuneSelf {
			_, size = utf8.DecodeRune(inside[i:])
		}
		if i+size > n {
			return i
		}
		i += size
	}
	return n
}

// summary returns the beginning of an array or object without the white space between tokens.
func summary(raw []byte) (string, bool) {
	text := make([]byte, 0, min(len(raw), maxSummary))
	quoted := false
	for i := 0; i < len(raw); i++ {
		c := raw[i]
		switch {
		case len(text) == maxSummary:
			return strings.ToValidUTF8(string(text[:wholeRunes(text)]), "\uFFFD"), true
		case !quoted && (c == ' ' || c == '\t' || c == '\r' || c == '\n'):
			// A cut may leave much white space unread, but not all of a large text.
			if i > 16*maxSummary {
				return string(text), true
			}
			continue
		case quoted && c == '\\' && i+1 < len(raw):
			text = append(text, c)
			i++
			if len(text) == maxSummary {
				return string(text[:maxSummary-1]), true
			}
			c = raw[i]
		case c == '"':
			quoted = !quoted
		}
		text = append(text, c)
	}
	return string(text), false
}

// wholeRunes returns the length of b without a character that is cut at its end.
func wholeRunes(b []byte) int {
	for i := len(b) - 1; i >= 0 && i >= len(b)-utf8.UTFMax; i-- {
		if utf8.RuneStart(b[i]) {
			if !utf8.FullRune(b[i:]) {
				return i
			}
			break
		}
	}
	return len(b)
}

// base64Data splits the inside of a literal into a media type, if it is a data URL, and base64
// without its padding.
func base64Data(inside []byte) (media string, data []byte, ok bool) {
	const maxHead, minData = 256, 16
	data = inside
	dataURL := bytes.HasPrefix(inside, []byte("data:"))
	if dataURL {
		marker := []byte(";base64,")
		at := bytes.Index(inside[:min(len(inside), maxHead)], marker)
		if at < 0 {
			return "", nil, false
		}
		media, _, _ = strings.Cut(string(inside[len("data:"):at]), ";")
		data = inside[at+len(marker):]
	}
	size := len(data)
	for range 2 {
		data = bytes.TrimSuffix(data, []byte("="))
	}
	switch padding := size - len(data); {
	case dataURL && size < minData, !dataURL && size < minBase64:
		return "", nil, false
	case padding > 0 && size%4 != 0, padding == 0 && size%4 == 1:
		return "", nil, false
	}
	first, last := data[:min(len(data), maxPreview)], data[max(0, len(data)-64):]
	if !isBase64(first) || !isBase64(last) || !dataURL && !looksEncoded(first) {
		return "", nil, false
	}
	return media, data, true
}

func isBase64(b []byte) bool {
	for _, c := range b {
		if (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && c != '+' && c != '/' && c != '-' && c != '_' {
			return false
		}
	}
	return true
}

// looksEncoded tells encoded bytes from long words, hexadecimal numbers and paths: letters of both
// cases and digits are among the first ones.
func looksEncoded(b []byte) bool {
	var lower, upper, digit bool
	for _, c := range b {
		lower = lower || 'a' <= c && c <= 'z'
		upper = upper || 'A' <= c && c <= 'Z'
		digit = digit || '0' <= c && c <= '9'
	}
	return lower && upper && digit
}

// sniff names the media type of base64 by the first bytes that it encodes.
func sniff(data []byte) string {
	var head [12]byte
	n, err := base64.RawStdEncoding.Decode(head[:], data[:16])
	if err != nil {
		return ""
	}
	for _, known := range []struct{ media, magic, then string }{
		{"image/png", "\x89PNG", ""},
		{"image/jpeg", "\xFF\xD8\xFF", ""},
		{"image/gif", "GIF8", ""},
		{"image/webp", "RIFF", "WEBP"},
		{"audio/wav", "RIFF", "WAVE"},
		{"audio/mpeg", "ID3", ""},
		{"audio/ogg", "OggS", ""},
		{"audio/flac", "fLaC", ""},
		{"application/pdf", "%PDF-", ""},
		{"application/zip", "PK\x03\x04", ""},
		{"application/gzip", "\x1F\x8B", ""},
	} {
		// What follows stands behind four bytes of length.
		if bytes.HasPrefix(head[:n], []byte(known.magic)) && bytes.HasPrefix(head[8:n], []byte(known.then)) {
			return known.media
		}
	}
	return ""
}
