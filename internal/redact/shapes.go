package redact

import "bytes"

// shape is a form in which a credential is known to come: a prefix and what follows.
type shape struct {
	prefix string
	kind   string
	least  int   // characters that follow at least
	of     class // what they are
}

// class is an alphabet.
type class uint8

const (
	alnum   class = iota
	wordly        // letters, digits, - and _
	base64c       // and . + / = ~
	upper         // capitals and digits
)

func (c class) has(b byte) bool {
	digit, low, up := '0' <= b && b <= '9', 'a' <= b && b <= 'z', 'A' <= b && b <= 'Z'
	switch c {
	case upper:
		return up || digit
	case alnum:
		return up || low || digit
	case wordly:
		return up || low || digit || b == '-' || b == '_'
	}
	return up || low || digit || b == '-' || b == '_' || b == '.' || b == '+' || b == '/' || b == '=' || b == '~'
}

// shapes by the last byte of their prefix, which the scanner stops at. Longer prefixes stand first.
var shapes = byLast([]shape{
	{"sk-ant-", "anthropic-key", 16, wordly},
	{"sk-proj-", "openai-key", 20, wordly},
	{"sk-or-", "openrouter-key", 20, wordly},
	{"sk-", "api-key", 20, wordly},
	{"ghp_", "github-token", 30, alnum}, {"gho_", "github-token", 30, alnum}, {"ghu_", "github-token", 30, alnum},
	{"ghs_", "github-token", 30, alnum}, {"ghr_", "github-token", 30, alnum},
	{"github_pat_", "github-token", 30, wordly},
	{"glpat-", "gitlab-token", 16, wordly},
	{"xoxa-", "slack-token", 10, wordly}, {"xoxb-", "slack-token", 10, wordly}, {"xoxe-", "slack-token", 10, wordly},
	{"xoxp-", "slack-token", 10, wordly}, {"xoxr-", "slack-token", 10, wordly}, {"xoxs-", "slack-token", 10, wordly},
	{"xoxc-", "slack-token", 10, wordly}, {"xoxd-", "slack-token", 10, base64c},
	{"xapp-", "slack-token", 10, wordly},
	{"AKIA", "aws-key", 16, upper}, {"ASIA", "aws-key", 16, upper},
	{"AIza", "google-key", 35, wordly},
	{"ya29.", "google-token", 20, wordly},
	{"GOCSPX-", "google-secret", 20, wordly},
	{"npm_", "npm-token", 30, alnum},
	{"hf_", "huggingface-token", 30, alnum},
	{"pypi-", "pypi-token", 16, wordly},
	{"SG.", "sendgrid-key", 20, base64c},
	{"sk_live_", "stripe-key", 16, alnum}, {"sk_test_", "stripe-key", 16, alnum},
	{"rk_live_", "stripe-key", 16, alnum}, {"rk_test_", "stripe-key", 16, alnum},
	{"whsec_", "webhook-secret", 16, base64c},
	{"shpat_", "shopify-token", 32, alnum}, {"shpss_", "shopify-token", 32, alnum},
	{"dop_v1_", "digitalocean-token", 40, alnum},
	{"lin_api_", "linear-key", 30, alnum},
	{"ntn_", "notion-token", 30, alnum},
	{"secret_", "notion-token", 40, alnum},
	{"gsk_", "groq-key", 30, alnum},
	{"xai-", "xai-key", 40, alnum},
	{"tvly-", "tavily-key", 20, wordly},
	{"pplx-", "perplexity-key", 30, alnum},
	{"r8_", "replicate-token", 30, alnum},
	{"figd_", "figma-token", 30, wordly},
	{"sbp_", "supabase-token", 30, alnum},
	{"dapi", "databricks-token", 32, alnum},
	{"AGE-SECRET-KEY-1", "age-key", 40, upper},
})

func byLast(list []shape) (out [256][]shape) {
	for _, s := range list {
		last := s.prefix[len(s.prefix)-1]
		out[last] = append(out[last], s)
	}
	// "dapi" and the AWS keys end in frequent letters: the checks that follow are cheap.
	return out
}

// shapeAt finds a credential whose prefix ends at i (the byte at i is its last one).
func shapeAt(text []byte, i int) (from, to int, kind string) {
	list := shapes[text[i]]
	for k := range list {
		s := &list[k]
		from := i + 1 - len(s.prefix)
		if from < 0 || string(text[from:i+1]) != s.prefix {
			continue
		}
		if from > 0 && alnum.has(text[from-1]) && !afterEscape(text, from) {
			continue
		}
		to := i + 1
		for to < len(text) && s.of.has(text[to]) {
			to++
		}
		if to-i-1 >= s.least && isVaried(text[i+1:to]) {
			return from, to, s.kind
		}
	}
	return 0, 0, ""
}

// afterEscape reports whether the letter before is that of an escape such as \n, in JSON inside JSON.
func afterEscape(text []byte, i int) bool {
	return i >= 2 && text[i-2] == '\\' && bytes.IndexByte([]byte("nrtbf"), text[i-1]) >= 0
}

// jwtAt finds a JSON web token that begins with the e of eyJ at i.
func jwtAt(text []byte, i int) (to int, ok bool) {
	if !bytes.HasPrefix(text[i:], []byte("eyJ")) || i > 0 && wordly.has(text[i-1]) && !afterEscape(text, i) {
		return 0, false
	}
	dots, since := 0, 0
	for to = i; to < len(text); to++ {
		switch c := text[to]; {
		case c == '.' && since >= 4 && dots < 4:
			dots, since = dots+1, 0
			continue
		case wordly.has(c):
			since++
			continue
		}
		break
	}
	if text[to-1] == '.' && dots != 2 {
		to--
		dots--
	}
	return to, dots >= 2 && to-i >= 20
}

// pemAt finds a private key that begins with the dashes at i.
func pemAt(text []byte, i int) (to int, ok bool) {
	rest := text[i:]
	if !bytes.HasPrefix(rest, []byte("-----BEGIN ")) {
		return 0, false
	}
	head := rest[:min(len(rest), 80)]
	at := bytes.Index(head, []byte("PRIVATE KEY"))
	if at < 0 {
		return 0, false
	}
	end := bytes.Index(rest[at:], []byte("-----END "))
	if end < 0 {
		return len(text), true // cut off: what is there is secret all the same
	}
	end += at
	tail := bytes.Index(rest[end+9:], []byte("-----"))
	if tail < 0 {
		return len(text), true
	}
	return i + end + 9 + tail + 5, true
}

// isVaried reports whether a text has more than a few different characters: examples are written xxxxxxxx.
func isVaried(b []byte) bool {
	var seen [256]bool
	n := 0
	for _, c := range b {
		if !seen[c] {
			seen[c] = true
			if n++; n >= 6 {
				return true
			}
		}
	}
	return false
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }
