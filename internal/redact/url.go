package redact

import (
	"bytes"
	"net/url"
)

// queryNames are parameters that are secrets in URLs, beside those that are secrets anywhere.
var queryNames = words("key code state sig signature session sid auth ticket jwt hmac xamzsignature xamzcredential xamzsecuritytoken" +
	" xgoogsignature xgoogcredential awsaccesskeyid googleaccessid hash oauthtoken oauthsignature")

// urlAt masks userinfo and telling parameters of a URL, at whose :// the scanner stands. It returns where the
// scanner goes on.
func (r *Redactor) urlAt(dst []span, text []byte, i int) ([]span, int) {
	start := i + 3
	at := start
	for at < len(text) && !isURLEnd(text[at]) && text[at] != '/' && text[at] != '?' && text[at] != '#' {
		at++
	}
	if host := bytes.LastIndexByte(text[start:at], '@'); host > 0 {
		dst = r.userinfo(dst, text, start, start+host)
	}
	path, known := at, shapes()
	for at < len(text) && !isURLEnd(text[at]) && text[at] != '?' && text[at] != '#' {
		at++
	}
	for k := path; k < at; k++ { // a home, or a token in a path
		if text[k] == '/' {
			dst = homeAt(dst, text, k)
		}
		if len(known.of[text[k]]) > 0 {
			if from, to, kind := known.at(text, k); to > 0 {
				dst = r.hitURL(dst, text, from, to, kind, false)
				k = to - 1
				at = max(at, to)
			}
		}
	}
	for at < len(text) && (text[at] == '?' || text[at] == '#' || text[at] == '&' || text[at] == ';') {
		at++
		if bytes.HasPrefix(text[at:], []byte("amp;")) {
			at += 4
		}
		from := at
		for at < len(text) && !isURLEnd(text[at]) && !bytes.ContainsRune([]byte("=&;#?"), rune(text[at])) {
			at++
		}
		name := text[from:at]
		if at == len(text) || text[at] != '=' {
			continue
		}
		at++
		from = at
		for at < len(text) && !isURLEnd(text[at]) && text[at] != '&' && text[at] != ';' && text[at] != '#' {
			at++
		}
		dst = r.parameter(dst, text, name, from, at)
	}
	return dst, at
}

func (r *Redactor) parameter(dst []span, text, name []byte, from, to int) []span {
	value := text[from:to]
	var buf [longestName]byte
	f := folded(&buf, name)
	kind := ""
	switch {
	case len(value) < 4:
		return dst
	case r.isSecret(name) || queryNames()[string(f)]:
		kind = r.kindOf(name)
	case r.depth == maxInside:
		return dst
	default:
		n := len(dst)
		r.depth++
		dst = r.scanText(dst, value, loose) // a URL in a URL, a token without its name
		r.depth--
		for k := range dst[n:] {
			s := &dst[n+k]
			s.from, s.to = s.from+from, s.to+from
			if s.form == inText {
				s.form = inURL
			}
		}
		return dst
	}
	if f != nil && (string(f) == "key" || string(f) == "hash") && !looksRandom(value) {
		return dst
	}
	return r.hitURL(dst, text, from, to, kind, true)
}

// userinfo masks user:password in front of a host; a user's name alone only if it looks like a token.
func (r *Redactor) userinfo(dst []span, text []byte, from, to int) []span {
	if colon := bytes.IndexByte(text[from:to], ':'); colon >= 0 {
		if from+colon+1 < to {
			return r.hitURL(dst, text, from+colon+1, to, "password", true)
		}
		to = from + colon
	}
	if looksRandom(text[from:to]) {
		return r.hitURL(dst, text, from, to, "token", true)
	}
	return dst
}

func (r *Redactor) hitURL(dst []span, text []byte, from, to int, kind string, named bool) []span {
	n := len(dst)
	dst = r.hit(dst, text, from, to, kind, named)
	if len(dst) > n {
		dst[n].form = inURL
		if plain, err := url.PathUnescape(dst[n].text); err == nil && plain != dst[n].text && named {
			r.note(plain, kind, true) // it comes back unescaped
		}
	}
	return dst
}

func isURLEnd(c byte) bool {
	return c <= ' ' || c == '"' || c == '\'' || c == '`' || c == '<' || c == '>' || c == '\\' || c == '|' || c == ')' || c == ']'
}
