package annotate

import (
	"bytes"
	"strings"
)

func lower(s string) string { return strings.ToLower(s) }

// credential is a form in which secrets are known to come.
type credential struct {
	kind   string
	prefix string
	least  int // characters of the alphabet of tokens that follow
}

var credentials = []credential{
	{"a private key", "-----BEGIN ", 0},
	{"a bearer token", "earer ", 16},
	{"HTTP credentials", "uthorization: Basic ", 8},
	{"an AWS access key", "AKIA", 16},
	{"an AWS access key", "ASIA", 16},
	{"a GitHub token", "ghp_", 30},
	{"a GitHub token", "gho_", 30},
	{"a GitHub token", "ghs_", 30},
	{"a GitHub token", "github_pat_", 30},
	{"a GitLab token", "glpat-", 16},
	{"a Slack token", "xoxb-", 10},
	{"a Slack token", "xoxp-", 10},
	{"a Slack token", "xapp-", 10},
	{"a Google API key", "AIza", 30},
	{"an API key", "sk-", 20},
	{"an API key", "sk_live_", 16},
	{"an npm token", "npm_", 30},
	{"a Hugging Face token", "hf_", 30},
}

// maxSearched bounds the bytes that are searched for secrets.
const maxSearched = 64 << 10

// secretIn names the kind of secret that a text seems to hold, "" when none is seen. Masked and made-up ones
// (asterisks, one letter over and over) do not count.
func secretIn(text []byte) string {
	if len(text) > maxSearched {
		text = text[:maxSearched]
	}
	for i := range credentials {
		c := &credentials[i]
		prefix := []byte(c.prefix)
		for rest := text; ; {
			at := bytes.Index(rest, prefix)
			if at < 0 {
				break
			}
			tail := rest[at+len(prefix):]
			if c.least == 0 {
				if line, _, _ := bytes.Cut(tail[:min(len(tail), 64)], []byte("-----")); bytes.HasSuffix(line, []byte("PRIVATE KEY")) {
					return c.kind
				}
			} else if n := tokenLength(tail); n >= c.least && (at == 0 || !insideWord(rest[at-1]) || c.prefix[0] == 'e' || c.prefix[0] == 'u') && isVaried(tail[:n]) {
				return c.kind
			}
			rest = tail
		}
	}
	return ""
}

// tokenLength returns how many characters of the alphabet of tokens a text begins with.
func tokenLength(b []byte) int {
	n := 0
	for n < len(b) && isTokenChar(b[n]) {
		n++
	}
	return n
}

func isTokenChar(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '_' || c == '-' || c == '.' || c == '+' || c == '/' || c == '=' || c == '~'
}

// insideWord reports whether a token that follows this character would begin in the midst of a word.
func insideWord(c byte) bool { return isAlphanumeric(c) || c == '-' || c == '_' }

// isVaried reports whether a text has more than a few different characters.
func isVaried(b []byte) bool {
	var seen [256]bool
	n := 0
	for _, c := range b {
		if !seen[c] {
			seen[c] = true
			n++
		}
	}
	return n >= 6
}
