package redact

import (
	"bytes"

	"github.com/shakescope/shakescope/jsonrpc"
)

// place says whose a part of a message is.
type place uint8

const (
	protocol place = iota // the members have the meaning that MCP gives them
	report                // what we say ourselves about messages: their members may be those of MCP, too
	free                  // the peers' own
	schemas               // a description of values
)

// walker reads JSON and collects what is to be masked. It accepts no more than it needs to: what it cannot read
// is text.
type walker struct {
	r      *Redactor
	b      []byte
	i      int
	depth  int
	trails trails // of the user's paths, in what is being read
	out    []span
}

const (
	// maxWalk bounds the nesting that is walked; a deeper value is read as text.
	maxWalk = 10_001

	// maxDescribed bounds how deep in secrets there may be descriptions of some: each costs a look ahead.
	maxDescribed = 16
)

// walk finds what is to be masked in one JSON value; ok is false when b is none.
func (r *Redactor) walk(b []byte, p place) (spans []span, ok bool) {
	w := walker{r: r, b: b}
	if p == protocol && r.depth == 0 {
		w.trails = r.own.start()
	}
	w.space()
	if !w.value(p, plain, nil) {
		return nil, false
	}
	w.space()
	return w.out, w.i == len(b)
}

func (w *walker) space() {
	for w.i < len(w.b) && isSpace(w.b[w.i]) {
		w.i++
	}
}

// value reads a value whose member has a name with a meaning; it returns false where there is no JSON.
func (w *walker) value(p place, m meaning, name []byte) bool {
	if w.i == len(w.b) {
		return false
	}
	switch c := w.b[w.i]; c {
	case '{':
		return w.object(p, m, name)
	case '[':
		return w.list(p, m, name)
	case '"':
		from, to, ok := w.str()
		if ok {
			w.text(p, m, name, from, to)
		}
		return ok
	default:
		from := w.i
		for w.i < len(w.b) && !isSpace(w.b[w.i]) && w.b[w.i] != ',' && w.b[w.i] != '}' && w.b[w.i] != ']' {
			w.i++
		}
		if c == '-' || '0' <= c && c <= '9' {
			if !isNumber(w.b[from:w.i]) {
				return false
			}
			w.number(p, m, name, from)
			return true
		}
		switch string(w.b[from:w.i]) {
		case "true", "false", "null":
			return true
		}
		return false
	}
}

// isNumber reports whether a text that begins with a digit or a minus is a JSON number.
func isNumber(b []byte) bool {
	i := 0
	if b[0] == '-' {
		i++
	}
	whole := digits(b, i)
	if whole == i || b[i] == '0' && whole > i+1 {
		return false
	}
	i = whole
	if i < len(b) && b[i] == '.' {
		from := i + 1
		if i = digits(b, from); i == from {
			return false
		}
	}
	if i < len(b) && (b[i] == 'e' || b[i] == 'E') {
		if i++; i < len(b) && (b[i] == '+' || b[i] == '-') {
			i++
		}
		from := i
		if i = digits(b, from); i == from {
			return false
		}
	}
	return i == len(b)
}

// number looks at a number, which begins at from.
func (w *walker) number(p place, m meaning, name []byte, from int) {
	text := w.b[from:w.i]
	secret := m.total() || m == secretly && (p == free || p == report) && isSecretNumber(text, name)
	if m == exempt || isMaskedNumber(text) {
		return
	}
	own := false
	if !secret && (p == free || p == report) {
		for _, re := range w.r.own.patterns {
			own = own || re.Match(text)
		}
	}
	if secret || own {
		kind := "custom"
		if !own {
			kind = w.r.kindBy(m, name)
		}
		value := string(text)
		w.r.note(value, kind, true)
		w.out = append(w.out, span{from: from, to: w.i, kind: kind, form: asNumber, text: value})
	}
}

// isSecretNumber tells secrets from counts and flags: "token": 5, "secret": 1.
func isSecretNumber(text, name []byte) bool {
	return len(text) >= 4 || len(text) >= 2 && kindOf(name) != "token"
}

// str reads a string and returns where its content stands.
func (w *walker) str() (from, to int, ok bool) {
	if w.i == len(w.b) || w.b[w.i] != '"' {
		return 0, 0, false
	}
	from = w.i + 1
	for at := from; ; {
		n := bytes.IndexByte(w.b[at:], '"')
		if n < 0 {
			return 0, 0, false
		}
		to = at + n
		slashes := 0
		for k := to - 1; k >= from && w.b[k] == '\\'; k-- {
			slashes++
		}
		if slashes%2 == 0 {
			break
		}
		at = to + 1
	}
	w.i = to + 1
	return from, to, true
}

// total reports whether everything in a value is to be masked.
func (m meaning) total() bool { return m == wholly || m == everything }

// nested says what a member means for what is below it.
func nested(p place, m meaning) (place, meaning) {
	switch {
	case m == opens:
		return free, plain
	case m == schema:
		return schemas, plain
	case m == secretly && p != schemas, m.total():
		if p == report {
			p = free
		}
		return p, m
	}
	return p, plain
}

func (w *walker) object(p place, m meaning, name []byte) bool {
	if w.depth++; w.depth > maxWalk {
		return false
	}
	defer func() { w.depth-- }()
	p, m = nested(p, m)
	if m == secretly || m == wholly {
		switch {
		case w.depth <= maxDescribed && describes(w.b[w.i:]):
			p, m = schemas, plain
		case m == wholly:
			m = everything
		}
	}
	w.i++
	var headerName, value [2]int // of {"name":"Authorization","value":"…"}
	for first := true; ; first = false {
		w.space()
		if w.i == len(w.b) {
			return false
		}
		if w.b[w.i] == '}' && first {
			w.i++
			break
		}
		from, to, ok := w.str()
		if !ok {
			return false
		}
		w.space()
		if w.i == len(w.b) || w.b[w.i] != ':' {
			return false
		}
		w.i++
		w.space()
		key := w.b[from:to]
		if bytes.IndexByte(key, '\\') >= 0 {
			if plainKey, ok := jsonrpc.Unquote(w.b[from-1 : to+1]); ok {
				key = []byte(plainKey)
			}
		}
		start := w.i
		if !w.member(p, m, key, name) {
			return false
		}
		if p == free && to-from >= longName {
			w.inside(from, to, told)
		}
		if p == free && start < len(w.b) && w.b[start] == '"' {
			switch string(key) {
			case "name", "key", "Name", "Key", "header":
				headerName = [2]int{start + 1, w.i - 1}
			case "value", "Value":
				value = [2]int{start + 1, w.i - 1}
			}
		}
		w.space()
		if w.i == len(w.b) {
			return false
		}
		c := w.b[w.i]
		w.i++
		if c == '}' {
			break
		}
		if c != ',' {
			return false
		}
	}
	if value[1] > value[0] && headerName[1] > 0 {
		if n := w.b[headerName[0]:headerName[1]]; w.r.isSecret(n) {
			w.whole(value[0], value[1], w.r.kindOf(n), false)
		}
	}
	return true
}

// longName is from how many bytes on a name may be a secret itself.
const longName = 20

// member reads the value of a member, with an eye on the user's paths.
func (w *walker) member(p place, above meaning, key, aboveName []byte) bool {
	if len(w.trails) == 0 {
		return w.meant(p, above, key, aboveName)
	}
	kept := w.trails
	next, there := w.r.own.step(kept, key)
	w.trails = next
	if there && (p != protocol || w.r.judge(key).protocol != exempt) {
		if p == protocol && w.r.judge(key).protocol == opens {
			p = free
		}
		above = everything
	}
	ok := w.meant(p, above, key, aboveName)
	w.trails = kept
	return ok
}

// meant reads the value of a member by what its name means. Below a member that is a secret all strings are.
func (w *walker) meant(p place, above meaning, key, aboveName []byte) bool {
	m := w.r.meaningIn(p, key)
	if p == free && string(aboveName) == "_meta" {
		switch {
		case bytes.HasPrefix(key, []byte("io.modelcontextprotocol/")):
			p = protocol
		case string(key) == "progressToken" || string(key) == "traceparent":
			m = exempt
		}
	}
	switch {
	case m == exempt:
		return w.value(p, m, key)
	case above.total():
		if p == protocol && m == opens {
			p = free
		}
		return w.value(p, everything, key)
	case p == schemas:
		switch string(key) {
		case "default", "const", "examples", "example":
			if aboveName != nil && w.r.isSecret(aboveName) {
				return w.value(free, w.r.judge(aboveName).free, aboveName)
			}
		}
		// The name goes down to where a default may stand.
		return w.value(p, plain, key)
	case above == secretly && m == plain && !descriptive(key):
		return w.value(p, perhaps, aboveName)
	case above == secretly && m == plain:
		return w.value(p, plain, key)
	}
	return w.value(p, m, key)
}

// descriptive reports whether a member beside secrets says something about them.
func descriptive(key []byte) bool {
	switch string(key) {
	case "type", "name", "id", "kind", "description", "title", "provider", "scope", "url", "uri", "method", "expires", "expires_at", "username", "user", "email":
		return true
	}
	return false
}

// describes reports whether an object is a JSON schema: in {"password":{"type":"string"}} nothing is secret.
func describes(object []byte) bool {
	for key, value := range jsonrpc.Members(object) {
		switch key {
		case "$ref", "anyOf", "oneOf", "allOf", "$schema", "properties", "enum":
			return true
		case "type":
			switch string(value) {
			case `"string"`, `"object"`, `"array"`, `"number"`, `"integer"`, `"boolean"`, `"null"`:
				return true
			}
			return len(value) > 0 && value[0] == '['
		}
	}
	return false
}

func (w *walker) list(p place, m meaning, name []byte) bool {
	if w.depth++; w.depth > maxWalk {
		return false
	}
	defer func() { w.depth-- }()
	batch := w.depth == 1 && p == protocol
	p, below := nested(p, m)
	w.i++
	kept := w.trails
	defer func() { w.trails = kept }()
	flag := false // the element before was a flag such as --api-key
	var flagName []byte
	for n := 0; ; n++ {
		w.space()
		if w.i == len(w.b) {
			return false
		}
		if w.b[w.i] == ']' && n == 0 {
			w.i++
			return true
		}
		start := w.i
		em, en := below, name
		if flag && (p == free || p == report) && !em.total() {
			em, en = secretly, flagName
		}
		if len(kept) > 0 && !batch {
			next, there := w.r.own.stepIndex(kept, n)
			w.trails = next
			if there {
				em = everything
			}
		}
		if !w.value(p, em, en) {
			return false
		}
		flag = false
		if element := w.b[start:w.i]; len(element) > 4 && element[0] == '"' && element[1] == '-' {
			flagName = bytes.TrimLeft(element[1:len(element)-1], "-")
			flag = w.r.isSecret(flagName)
		}
		w.space()
		if w.i == len(w.b) {
			return false
		}
		c := w.b[w.i]
		w.i++
		if c == ']' {
			return true
		}
		if c != ',' {
			return false
		}
	}
}
