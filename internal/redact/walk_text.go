package redact

import (
	"bytes"

	"github.com/shakescope/shakescope/jsonrpc"
)

// text looks at a string, whose content stands in [from, to).
func (w *walker) text(p place, m meaning, name []byte, from, to int) {
	switch {
	case from == to || m == exempt || p == report && w.r.keeps(w.b[from-1:to+1]):
		return
	case m.total():
		w.whole(from, to, w.r.kindBy(m, name), true)
		return
	case p != schemas && (m == secretly && !isFlag(w.b[from:to]) || m == perhaps && looksRandom(w.b[from:to])):
		w.whole(from, to, w.r.kindOf(name), false)
		return
	}
	mode := loose
	if p == schemas || (p == protocol || p == report) && m == prose || p == protocol && m == plain && !isFreeText(name) {
		mode = told
	}
	w.inside(from, to, mode)
}

// isFreeText names members of the protocol that carry whatever the peers want to say.
func isFreeText(name []byte) bool {
	switch string(name) {
	case "text", "message", "uri", "url", "reason", "statusMessage", "blob":
		return true
	}
	return false
}

// isFlag keeps the next flag of a command line from being taken for a value.
func isFlag(s []byte) bool { return len(s) > 2 && s[0] == '-' && s[1] == '-' }

// whole masks a string as a whole, unless it only stands for a secret; by order it masks that, too.
func (w *walker) whole(from, to int, kind string, ordered bool) {
	value, unescaped := string(w.b[from:to]), ""
	if bytes.IndexByte(w.b[from:to], '\\') >= 0 {
		if s, ok := jsonrpc.Unquote(w.b[from-1 : to+1]); ok {
			value, unescaped = s, s
		}
	}
	if isMask([]byte(value)) || !ordered && isPlaceholder(value) {
		return
	}
	w.r.note(value, kind, true)
	// A credential behind its scheme comes back without it.
	for _, scheme := range []string{"bearer ", "basic ", "token "} {
		if foldPrefix([]byte(value), scheme) {
			if rest := value[len(scheme):]; !isPlaceholder(rest) {
				w.r.note(rest, kind, true)
			}
		}
	}
	w.out = append(w.out, span{from: from, to: to, kind: kind, text: unescaped})
}

// maxInside bounds texts in texts: JSON in strings in JSON, URLs in URLs.
const maxInside = 4

// inside looks for secrets in a string. One with escapes is unescaped first, and what is found is brought back.
func (w *walker) inside(from, to int, m mood) {
	raw := w.b[from:to]
	n := len(w.out)
	if bytes.IndexByte(raw, '\\') < 0 {
		w.out = w.r.scanInner(w.out, raw, m)
		for k := n; k < len(w.out); k++ {
			s := &w.out[k]
			if s.form != asIs && s.text == string(raw[s.from:s.to]) {
				s.text = "" // there can be very many
			}
			s.from += from
			s.to += from
		}
		return
	}
	if tooLong(raw) {
		w.out = append(w.out, span{from: from, to: to, kind: "secret"})
		return
	}
	u := &w.r.unescaped[w.r.depth]
	u.unescape(raw)
	w.out = w.r.scanInner(w.out, u.text, m)
	for k := n; k < len(w.out); k++ {
		s := &w.out[k]
		at, end := u.raw(s.from), u.raw(s.to)
		if s.text == "" && bytes.IndexByte(raw[at:end], '\\') >= 0 {
			s.text = string(u.text[s.from:s.to])
		}
		s.from, s.to = from+at, from+end
	}
}

// scanInner looks into a text that may be JSON itself, or hide it.
func (r *Redactor) scanInner(dst []span, text []byte, m mood) []span {
	if m != loose || r.depth == maxInside {
		return r.scanText(dst, text, m)
	}
	i := 0
	for i < len(text) && isSpace(text[i]) {
		i++
	}
	if i < len(text) && (text[i] == '{' || text[i] == '[') {
		r.depth++
		spans, ok := r.walk(text, free)
		r.depth--
		if ok {
			if len(r.own.patterns) > 0 {
				spans = r.matches(spans, text)
			}
			return append(dst, spans...)
		}
	}
	if to, masked := r.base64At(text, 0); to > 0 {
		if masked != "" {
			dst = append(dst, span{to: to, form: asIs, text: masked})
		}
		if to == len(text) {
			return dst
		}
	}
	return r.scanText(dst, text, m)
}
