package redact

import "bytes"

// mood says how a text is read.
type mood uint8

const (
	loose mood = iota // assignments, flags and headers count, and paths of homes
	told              // text about things: only what is a secret by its shape
)

// scanText appends the spans of a text that are to be masked, and remembers the secrets in them.
func (r *Redactor) scanText(dst []span, text []byte, m mood) []span {
	percent, known := false, shapes()
	for i := 0; i < len(text); i++ {
		c := text[i]
		if !known.stops[c] {
			continue
		}
		if len(known.of[c]) > 0 && known.mayBe(text, i) {
			if from, to, kind := known.at(text, i); to > 0 {
				dst = r.hit(dst, text, from, to, kind, false)
				i = to - 1
				continue
			}
		}
		to := 0
		switch c {
		case 'J':
			dst, to = r.jwt(dst, text, i-2, m)
		case 'B', 'b':
			var from int
			var kind string
			if from, to, kind = schemeAt(text, i); to > 0 {
				dst = r.hit(dst, text, from, to, kind, true)
			}
		case '-':
			if end, ok := pemAt(text, i); ok {
				dst, to = r.hit(dst, text, i, end, "private-key", false), end
			} else if m == loose && i+1 < len(text) && (i == 0 || !alnum.has(text[i-1])) {
				dst = r.flagAt(dst, text, i)
			}
		case ':', '=':
			if c == ':' && bytes.HasPrefix(text[i:], []byte("://")) {
				dst, to = r.urlAt(dst, text, i)
			} else if m == loose {
				dst, to = r.assignmentAt(dst, text, i)
			}
		case '/', '\\':
			if m == loose && i+1 < len(text) && homeStarts[text[i+1]] {
				dst = homeAt(dst, text, i)
			}
		case '%':
			percent = percent || isPercent(text, i)
		case ';':
			if m == loose && bytes.HasPrefix(text[i:], []byte(";base64,")) {
				dst, to = r.encodedAt(dst, text, i+len(";base64,"))
			}
		}
		i = max(i, to-1)
	}
	if percent && m == loose && r.depth < maxInside {
		dst = r.scanPercent(dst, text)
	}
	if len(r.own.patterns) > 0 {
		dst = r.matches(dst, text)
	}
	return r.echoes.find(dst, text)
}

// jwt masks a JSON web token that begins at i, or what JSON in base64 hides.
func (r *Redactor) jwt(dst []span, text []byte, i int, m mood) ([]span, int) {
	if i < 0 || text[i] != 'e' || text[i+1] != 'y' {
		return dst, 0
	}
	if to, ok := jwtAt(text, i); ok {
		return r.hit(dst, text, i, to, "jwt", false), to
	}
	if m != loose || i > 0 && (base64c.has(text[i-1]) && text[i-1] != '=') && !afterEscape(text, i) {
		return dst, 0
	}
	return r.encodedAt(dst, text, i)
}

// encodedAt masks what base64 at i hides.
func (r *Redactor) encodedAt(dst []span, text []byte, i int) ([]span, int) {
	to, masked := r.base64At(text, i)
	if masked != "" {
		dst = append(dst, span{from: i, to: to, form: asIs, text: masked})
	}
	return dst, to
}

// scanPercent looks into a text with escapes of URLs. A secret that only shows without them is masked with them.
func (r *Redactor) scanPercent(dst []span, text []byte) []span {
	if tooLong(text) {
		return append(dst, span{to: len(text), kind: "secret", form: inURL})
	}
	var u unescaped
	if !u.unpercent(text) {
		return dst
	}
	r.depth++
	n := len(dst)
	dst = r.scanText(dst, u.text, loose)
	r.depth--
	for k := n; k < len(dst); k++ {
		s := &dst[k]
		s.from, s.to = u.raw(s.from), u.raw(s.to)
		if s.form == inText {
			s.form = inURL
		}
	}
	return dst
}

// hit masks a part of a text.
func (r *Redactor) hit(dst []span, text []byte, from, to int, kind string, named bool) []span {
	value := string(text[from:to])
	if isPlaceholder(value) {
		return dst
	}
	r.note(value, kind, named)
	return append(dst, span{from: from, to: to, kind: kind, text: value})
}

// schemeAt finds credentials after Bearer and Basic, of which the letter at i is the first.
func schemeAt(text []byte, i int) (from, to int, kind string) {
	rest := text[i:]
	least, word := 0, ""
	switch {
	case foldPrefix(rest, "bearer "):
		least, word, kind = 12, "bearer ", "bearer"
	case foldPrefix(rest, "basic "):
		least, word, kind = 8, "basic ", "basic"
	default:
		return 0, 0, ""
	}
	if i > 0 && alnum.has(text[i-1]) && !afterEscape(text, i) {
		return 0, 0, ""
	}
	from = i + len(word)
	for from < len(text) && text[from] == ' ' {
		from++
	}
	for to = from; to < len(text) && base64c.has(text[to]); to++ {
	}
	value := text[from:to]
	if len(value) < least || !isVaried(value) || !hasOther(value) {
		return 0, 0, ""
	}
	return from, to, kind
}

// hasOther reports whether a text is more than a word of small letters, or a long one.
func hasOther(b []byte) bool {
	if len(b) >= 20 {
		return true
	}
	for _, c := range b {
		if (c < 'a' || c > 'z') && c != '-' && c != '_' && c != '.' && c != '/' {
			return true
		}
	}
	return false
}

func foldPrefix(b []byte, prefix string) bool {
	return len(b) >= len(prefix) && bytes.EqualFold(b[:len(prefix)], []byte(prefix))
}

// assignmentAt masks the value of "name = value" and "name: value" in all the ways they are quoted, at whose
// = or : the scanner stands. It returns where the scanner goes on, 0 for where it is.
func (r *Redactor) assignmentAt(dst []span, text []byte, i int) ([]span, int) {
	end := i
	for k := 0; k < 3 && end > 0 && text[end-1] == ' '; k++ {
		end--
	}
	for end > 0 && (isQuote(text[end-1]) || text[end-1] == '\\') && i-end < 8 {
		end--
	}
	start := end
	for start > 0 && wordly.has(text[start-1]) && end-start < longestName {
		start--
	}
	if start > 1 && afterEscape(text, start+1) && text[start-1] == '\\' {
		start++ // the letter belongs to an escape: "\npassword"
	}
	name := text[start:end]
	if !r.isSecret(name) || bytes.HasSuffix(text[:start], []byte("[redacted:")) {
		return dst, 0
	}
	from := i + 1
	for k := 0; k < 3 && from < len(text) && (text[from] == ' ' || text[from] == '=' || text[from] == '>' && text[from-1] == '='); k++ {
		from++ // also => and ==
	}
	kind := r.kindOf(name)
	var buf [longestName]byte
	wholeLine := false
	switch string(folded(&buf, name)) {
	case "authorization", "proxyauthorization", "cookie", "cookies", "setcookie":
		wholeLine = true
	}
	open := from
	for from < len(text) && text[from] == '\\' {
		from++
	}
	quoted := from < len(text) && isQuote(text[from])
	if quoted {
		from++
	} else {
		from = open
	}
	if end := maskAt(text, from); end > 0 {
		return dst, end
	}
	to := from
	for to < len(text) && !endsValue(text, to, quoted, wholeLine, text[max(open, from-1)]) {
		to++
	}
	value := text[from:to]
	if wholeLine { // the scheme is no secret
		for _, scheme := range []string{"bearer ", "basic ", "token ", "digest "} {
			if foldPrefix(value, scheme) {
				from += len(scheme)
				value = value[len(scheme):]
			}
		}
	}
	if len(value) < 4 || isPlaceholder(string(value)) || isWorkingFolder(string(name), string(value)) {
		return dst, 0
	}
	if text[i] == ':' && !quoted && !wholeLine && !isSecretWord(value, text[to:], kind) {
		return dst, 0
	}
	return r.hit(dst, text, from, to, kind, true), to
}

// isSecretWord judges an unquoted word after "name: ", which is as likely to be a sentence.
func isSecretWord(value, after []byte, kind string) bool {
	for _, c := range value {
		if (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && c != '.' && c != ',' {
			return true
		}
	}
	line, _, _ := bytes.Cut(after, []byte("\n"))
	return len(value) >= 6 && len(bytes.TrimSpace(line)) == 0 && kind == "password"
}

func isQuote(c byte) bool { return c == '"' || c == '\'' || c == '`' }

func endsValue(text []byte, i int, quoted, wholeLine bool, quote byte) bool {
	c := text[i]
	switch {
	case c == '\n' || c == '\r':
		return true
	case c == '\\' && i+1 < len(text) && (isQuote(text[i+1]) || text[i+1] == 'n' || text[i+1] == 'r' || text[i+1] == '\\' && i+2 < len(text) && isQuote(text[i+2])):
		return true
	case quoted:
		return c == quote || !isQuote(quote) && isQuote(c)
	case wholeLine:
		return c == '"' || c == '\''
	}
	return c == ' ' || c == '\t' || c == ',' || c == ';' || c == '&' || c == ')' || c == ']' || c == '}' || c == '<' || c == '>' || isQuote(c)
}

// flagAt masks the value of "--api-key value" in a command line.
func (r *Redactor) flagAt(dst []span, text []byte, i int) []span {
	to := i
	for to < len(text) && text[to] == '-' && to-i < 2 {
		to++
	}
	from := to
	for to < len(text) && wordly.has(text[to]) && to-from < longestName {
		to++
	}
	if to == len(text) || text[to] != ' ' || !r.isSecret(text[from:to]) {
		return dst
	}
	name := text[from:to]
	for to < len(text) && text[to] == ' ' {
		to++
	}
	start := to
	for start < len(text) && isQuote(text[start]) {
		start++
	}
	if maskAt(text, start) > 0 {
		return dst
	}
	end := start
	for end < len(text) && !endsValue(text, end, start > to, false, text[max(to, start-1)]) {
		end++
	}
	value := text[start:end]
	if len(value) < 4 || value[0] == '-' || start == to && !isSecretWord(value, nil, "") {
		return dst
	}
	return r.hit(dst, text, start, end, r.kindOf(name), true)
}

// homeStarts are the bytes that may follow the first separator of a home folder's path.
var homeStarts = [256]bool{'h': true, 'U': true, 'u': true, '\\': true}

// homeAt masks the user's name in /home/name, /Users/name and \Users\name.
func homeAt(dst []span, text []byte, i int) []span {
	rest := text[i:]
	n := 0
	for _, root := range []string{"/home/", "/Users/", `\Users\`, `\\Users\\`, "/users/"} {
		if bytes.HasPrefix(rest, []byte(root)) && (root != "/users/" || i >= 2 && text[i-1] == ':') {
			n = len(root)
			break
		}
	}
	if n == 0 || i > 0 && rest[0] == '/' && alnum.has(text[i-1]) && !afterEscape(text, i) {
		return dst // part of another path, such as /var/home
	}
	from := i + n
	to := from
	for to < len(text) && (wordly.has(text[to]) || text[to] == '.' || text[to] >= 0x80) {
		to++
	}
	for to > from && text[to-1] == '.' {
		to--
	}
	if to == from {
		return dst
	}
	switch string(text[from:to]) {
	case "runner", "user", "me", "you", "username", "node", "root", "Shared", "Public", "app", "redacted":
		return dst // nobody's
	}
	return append(dst, span{from: from, to: to, form: asUser})
}
