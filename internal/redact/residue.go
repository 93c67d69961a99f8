package redact

import (
	"bytes"
	"math"
)

// Residue returns the kind of what in a masked text still looks like a secret, "" when nothing does. It is more
// suspicious than masking: it looks also where the protocol forbids a mask and at random words behind telling names,
// which are too uncertain to be masked silently.
func Residue(text []byte) string {
	known := shapes()
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case len(known.of[c]) > 0:
			if _, to, kind := known.at(text, i); to > 0 {
				return kind
			}
		case c == 'e':
			if to, ok := jwtAt(text, i); ok && isVaried(text[i:to]) {
				return "jwt"
			}
		case c == 'B' || c == 'b':
			if _, to, kind := schemeAt(text, i); to > 0 {
				return kind
			}
		}
		switch text[i] {
		case '-':
			if _, ok := pemAt(text, i); ok {
				return "private-key"
			}
		case ':', '=':
			if kind := randomAfter(text, i); kind != "" {
				return kind
			}
		}
	}
	return ""
}

// randomAfter looks for a random text behind a telling name and a colon or an equals sign.
func randomAfter(text []byte, i int) string {
	end := i
	for end > 0 && (isQuote(text[end-1]) || text[end-1] == '\\' || text[end-1] == ' ') && i-end < 4 {
		end--
	}
	start := end
	for start > 0 && wordly.has(text[start-1]) && end-start < longestName {
		start--
	}
	if meaningOf(text[start:end]) != secretly || bytes.HasSuffix(text[:start], []byte("[redacted:")) {
		return ""
	}
	from := i + 1
	for from < len(text) && (isQuote(text[from]) || text[from] == '\\' || text[from] == ' ') && from-i < 5 {
		from++
	}
	to := from
	for to < len(text) && base64c.has(text[to]) && to-from < 200 {
		to++
	}
	value := text[from:to]
	if len(value) < 10 || len(value) > 150 || isPlaceholder(string(value)) || !looksRandom(value) || entropy(value) < 3.5 {
		return ""
	}
	return kindOf(text[start:end])
}

// entropy is the Shannon entropy of a text in bits a character.
func entropy(b []byte) float64 {
	var n [256]int
	for _, c := range b {
		n[c]++
	}
	h := 0.0
	for _, k := range n {
		if k > 0 {
			p := float64(k) / float64(len(b))
			h -= p * math.Log2(p)
		}
	}
	return h
}
