package redact

import (
	"bytes"
	"strings"
	"sync"
)

// meaning is what the name of a member says about its value.
type meaning uint8

const (
	plain      meaning = iota
	secretly           // the value is a secret
	wholly             // the user says so of the name: everything in the value is, if that is no schema
	everything         // the user says so of the place
	perhaps            // the value is a secret if it looks like one: code, state, session
	exempt             // a member of the protocol that looks like a secret and is none
	prose              // text for people and models about secrets, not with them
	opens              // what is below belongs to the peers, not to the protocol
	schema             // what is below describes values
)

// secretNames are names whose values are secrets wherever they stand, folded.
var secretNames = words("authorization proxyauthorization xauthtoken cookie cookies setcookie xapikey apikey apikeys apitoken apisecret" +
	" accesstoken refreshtoken idtoken token bearer bearertoken authtoken password passwd pwd passphrase passcode secret secrets" +
	" clientsecret secretkey privatekey accesskey accesskeyid secretaccesskey sessionid sessiontoken sessionkey csrf csrftoken xcsrftoken xsrftoken" +
	" assertion clientassertion samlrequest samlresponse codeverifier credential credentials connectionstring dsn" +
	" databaseurl webhooksecret signingkey encryptionkey otp totp cvv cvc cardnumber ssn auth")

// perhapsNames are names that mean other things, too.
var perhapsNames = words("code state session signature sig sid jwt pat pin authentication authcode webhookurl")

// secretEnds are ends of longer names: GITHUB_PERSONAL_ACCESS_TOKEN, dbPassword.
var secretEnds = []string{"password", "passwd", "passphrase", "secret", "apikey", "accesskey", "secretkey", "privatekey", "token", "credentials",
	"accesskeyid", "authkey", "connectionstring", "authorization"}

// harmlessTokens are tokens that open nothing.
var harmlessTokens = words("progresstoken pagetoken nextpagetoken nexttoken continuationtoken cursortoken synctoken nextsynctoken canceltoken cancellationtoken" +
	" stoptoken eostoken bostoken padtoken unktoken resumptiontoken resumetoken designtoken")

// protocolNames are members of MCP whose values are never secrets, though they may look like some.
var protocolNames = words("jsonrpc id method progresstoken requeststate nextcursor cursor protocolversion type role mimetype requestid taskid" +
	" level status logger uritemplate schema elicitationid resulttype traceparent stopreason")

var proseNames = words("description title instructions")

// openNames hold what is the peers' own.
var openNames = words("arguments structuredcontent meta data content contents metadata experimental context inputresponses")

var schemaNames = words("inputschema outputschema requestedschema")

// words is made when it is first asked for: a program that masks nothing should not pay for it.
func words(list string) func() map[string]bool {
	return sync.OnceValue(func() map[string]bool {
		m := make(map[string]bool)
		for w := range strings.FieldsSeq(list) {
			m[w] = true
		}
		return m
	})
}

const longestName = 64

// folded writes a name in lower case without separators: X-Api-Key, api_key and apiKey are one name.
func folded(dst *[longestName]byte, name []byte) []byte {
	n := 0
	for _, c := range name {
		switch {
		case c == '-' || c == '_' || c == '.' || c == ' ':
			continue
		case 'A' <= c && c <= 'Z':
			c += 'a' - 'A'
		}
		if n == len(dst) {
			return nil
		}
		dst[n] = c
		n++
	}
	return dst[:n]
}

// meaningOf says what a name means where it belongs to nobody in particular.
func meaningOf(name []byte) meaning {
	if len(name) < 2 || len(name) > 2*longestName {
		return plain
	}
	var buf [longestName]byte
	f := folded(&buf, bytes.TrimLeft(name, "-_"))
	switch {
	case secretNames()[string(f)]:
		return secretly
	case perhapsNames()[string(f)]:
		return perhaps
	case len(f) < 6 || harmlessTokens()[string(f)]:
		return plain
	}
	for _, end := range secretEnds {
		if len(f) > len(end) && string(f[len(f)-len(end):]) == end {
			return secretly
		}
	}
	return plain
}

// inProtocol says what the name of a member means in MCP, plain when that is nothing.
func inProtocol(name []byte) meaning {
	if len(name) > 24 {
		return plain
	}
	var buf [longestName]byte
	f := folded(&buf, bytes.TrimLeft(name, "_"))
	switch {
	case protocolNames()[string(f)]:
		return exempt
	case proseNames()[string(f)]:
		return prose
	case openNames()[string(f)]:
		return opens
	case schemaNames()[string(f)]:
		return schema
	}
	return plain
}

// judged is what a name means, as a member of the protocol and anywhere.
type judged struct{ protocol, free meaning }

// maxJudged bounds the names that are remembered.
const maxJudged = 10_000

// judge says what a name means. Names come again and again, so it remembers them.
func (r *Redactor) judge(name []byte) judged {
	if j, ok := r.names[string(name)]; ok {
		return j
	}
	j := judged{inProtocol(name), meaningOf(name)}
	if len(r.own.keys) > 0 && len(name) <= 2*longestName {
		var buf [longestName]byte
		if f := folded(&buf, bytes.TrimLeft(name, "-")); f != nil && r.own.keys[string(f)] {
			j.free = wholly
		}
	}
	if len(name) <= longestName && len(r.names) < maxJudged {
		if r.names == nil {
			r.names = make(map[string]judged)
		}
		r.names[string(name)] = j
	}
	return j
}

// meaningIn says what the name of a member means in a place.
func (r *Redactor) meaningIn(p place, name []byte) meaning {
	j := r.judge(name)
	switch {
	case p != protocol && p != report:
		return j.free
	case j.protocol == exempt || j.protocol != plain && j.free != wholly:
		return j.protocol
	}
	return j.free
}

// isSecret reports whether the value of something with this name is a secret.
func (r *Redactor) isSecret(name []byte) bool {
	m := r.judge(name).free
	return m == secretly || m == wholly
}

// kindOf is the word that masks use for a value with such a name.
func (r *Redactor) kindOf(name []byte) string {
	if kind := kindOf(name); kind != "secret" || r.judge(name).free != wholly {
		return kind
	}
	return "custom"
}

// kindBy is kindOf for a value that the user's rules made a secret.
func (r *Redactor) kindBy(m meaning, name []byte) string {
	if kind := r.kindOf(name); kind != "secret" || !m.total() {
		return kind
	}
	return "custom"
}

// kindOf is the word that masks use for a value with such a name.
func kindOf(name []byte) string {
	var buf [longestName]byte
	f := folded(&buf, name)
	for _, k := range []struct{ part, kind string }{
		{"authorization", "authorization"}, {"cookie", "cookie"}, {"apikey", "api-key"}, {"passphrase", "password"}, {"passw", "password"}, {"pwd", "password"},
		{"token", "token"}, {"secret", "secret"}, {"privatekey", "private-key"}, {"accesskey", "access-key"}, {"session", "session"}, {"signature", "signature"},
		{"credential", "credential"}, {"csrf", "csrf"}, {"saml", "assertion"}, {"assertion", "assertion"}, {"connectionstring", "dsn"}, {"dsn", "dsn"},
		{"verifier", "code"}, {"code", "code"}, {"state", "state"}, {"key", "key"}, {"auth", "auth"},
	} {
		if bytes.Contains(f, []byte(k.part)) {
			return k.kind
		}
	}
	return "secret"
}

// notSecrets are words that stand where a secret could.
var notSecrets = words("true false null none nil undefined unset empty missing required invalid incorrect wrong expired failed ok yes no string number boolean" +
	" integer object optional default disabled enabled redacted hidden masked secret password token basic bearer oauth oauth2 apikey example changeme unknown" +
	" unauthorized denied accepted rejected valid found given set provided env environment inherit include omit same-origin")

// longestPlaceholder bounds how long something may be that stands for a secret.
const longestPlaceholder = 100

// isPlaceholder reports whether a text stands for a secret instead of being one.
func isPlaceholder(s string) bool {
	s = strings.Trim(s, " \t\"'`\\")
	if s == "" || len(s) <= longestMask && isMask([]byte(s)) {
		return true
	}
	if len(s) > longestPlaceholder {
		return false
	}
	if notSecrets()[strings.ToLower(s)] {
		return true
	}
	switch s[0] {
	case '$', '<', '{', '%', '(':
		last := s[len(s)-1]
		if s[0] == '$' && len(s) > 1 && isNameStart(s[1]) || last == '>' || last == '}' || last == ')' || s[0] == '%' && last == '%' {
			return true
		}
	}
	low := strings.ToLower(s)
	if strings.HasPrefix(low, "your") || strings.HasPrefix(low, "my-") || strings.HasPrefix(low, "...") {
		return strings.ContainsAny(low, "-_ .") && !strings.ContainsAny(low, "0123456789")
	}
	first := s[0]
	for i := 1; i < len(s); i++ {
		if s[i] != first {
			return false
		}
	}
	return true // one character over and over
}

// isWorkingFolder tells the variable PWD from a password.
func isWorkingFolder(name, value string) bool {
	return strings.EqualFold(name, "pwd") && len(value) <= 300 && (value[0] == '/' || value[0] == '~' || len(value) > 2 && value[1] == ':' && (value[2] == '\\' || value[2] == '/'))
}

func isNameStart(c byte) bool {
	return c == '_' || c == '{' || 'A' <= c && c <= 'Z' || 'a' <= c && c <= 'z'
}

// looksRandom reports whether a text looks like a token more than like a word or a name of something.
func looksRandom(s []byte) bool {
	if len(s) < 8 {
		return false
	}
	letters, digits, runs := 0, 0, 0
	last := byte(0)
	for _, c := range s {
		class := byte('x')
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z':
			letters++
			class = 'a'
		case '0' <= c && c <= '9':
			digits++
			class = '0'
		case c == '-' || c == '_' || c == '.' || c == '+' || c == '/' || c == '=' || c == '~' || c == '%':
			continue
		default:
			return false
		}
		if class != last {
			runs++
		}
		last = class
	}
	return letters > 0 && digits > 0 && (runs >= 4 || len(s) >= 24) || len(s) >= 32 && isVaried(s)
}
