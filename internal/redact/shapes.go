package redact

import (
	"bytes"
	"strings"
	"sync"
)

// shape is a form in which a credential is known to come: a prefix and what follows.
type shape struct {
	prefix string
	kind   string
	least  int   // characters that follow at least
	of     class // what they are
	pivot  int   // the place in the prefix whose byte is the rarest, which the scanner stops at
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

// credentials are their forms. Longer prefixes stand first.
var credentials = [...]shape{
	{prefix: "sk-ant-", kind: "anthropic-key", least: 16, of: wordly},
	{prefix: "sk-proj-", kind: "openai-key", least: 20, of: wordly},
	{prefix: "sk-or-", kind: "openrouter-key", least: 20, of: wordly},
	{prefix: "sk-", kind: "api-key", least: 20, of: wordly},
	{prefix: "ghp_", kind: "github-token", least: 30, of: alnum}, {prefix: "gho_", kind: "github-token", least: 30, of: alnum}, {prefix: "ghu_", kind: "github-token", least: 30, of: alnum},
	{prefix: "ghs_", kind: "github-token", least: 30, of: alnum}, {prefix: "ghr_", kind: "github-token", least: 30, of: alnum},
	{prefix: "github_pat_", kind: "github-token", least: 30, of: wordly},
	{prefix: "glpat-", kind: "gitlab-token", least: 16, of: wordly},
	{prefix: "xoxa-", kind: "slack-token", least: 10, of: wordly}, {prefix: "xoxb-", kind: "slack-token", least: 10, of: wordly}, {prefix: "xoxe-", kind: "slack-token", least: 10, of: wordly},
	{prefix: "xoxp-", kind: "slack-token", least: 10, of: wordly}, {prefix: "xoxr-", kind: "slack-token", least: 10, of: wordly}, {prefix: "xoxs-", kind: "slack-token", least: 10, of: wordly},
	{prefix: "xoxc-", kind: "slack-token", least: 10, of: wordly}, {prefix: "xoxd-", kind: "slack-token", least: 10, of: base64c},
	{prefix: "xapp-", kind: "slack-token", least: 10, of: wordly},
	{prefix: "AKIA", kind: "aws-key", least: 16, of: upper}, {prefix: "ASIA", kind: "aws-key", least: 16, of: upper},
	{prefix: "AIza", kind: "google-key", least: 35, of: wordly},
	{prefix: "ya29.", kind: "google-token", least: 20, of: wordly},
	{prefix: "GOCSPX-", kind: "google-secret", least: 20, of: wordly},
	{prefix: "npm_", kind: "npm-token", least: 30, of: alnum},
	{prefix: "hf_", kind: "huggingface-token", least: 30, of: alnum},
	{prefix: "pypi-", kind: "pypi-token", least: 16, of: wordly},
	{prefix: "SG.", kind: "sendgrid-key", least: 20, of: base64c},
	{prefix: "sk_live_", kind: "stripe-key", least: 16, of: alnum}, {prefix: "sk_test_", kind: "stripe-key", least: 16, of: alnum},
	{prefix: "rk_live_", kind: "stripe-key", least: 16, of: alnum}, {prefix: "rk_test_", kind: "stripe-key", least: 16, of: alnum},
	{prefix: "whsec_", kind: "webhook-secret", least: 16, of: base64c},
	{prefix: "shpat_", kind: "shopify-token", least: 32, of: alnum}, {prefix: "shpss_", kind: "shopify-token", least: 32, of: alnum},
	{prefix: "dop_v1_", kind: "digitalocean-token", least: 40, of: alnum},
	{prefix: "lin_api_", kind: "linear-key", least: 30, of: alnum},
	{prefix: "ntn_", kind: "notion-token", least: 30, of: alnum},
	{prefix: "secret_", kind: "notion-token", least: 40, of: alnum},
	{prefix: "gsk_", kind: "groq-key", least: 30, of: alnum},
	{prefix: "xai-", kind: "xai-key", least: 40, of: alnum},
	{prefix: "tvly-", kind: "tavily-key", least: 20, of: wordly},
	{prefix: "pplx-", kind: "perplexity-key", least: 30, of: alnum},
	{prefix: "r8_", kind: "replicate-token", least: 30, of: alnum},
	{prefix: "figd_", kind: "figma-token", least: 30, of: wordly},
	{prefix: "sbp_", kind: "supabase-token", least: 30, of: alnum},
	{prefix: "dapi", kind: "databricks-token", least: 32, of: alnum},
	{prefix: "AGE-SECRET-KEY-1", kind: "age-key", least: 40, of: upper},
}

// rarity orders bytes by how often they stand in traffic, the rarest first. What is not in it is rarer still.
const rarity = "QXZYJKVWGHBUFPDNLOMRSICAET9876534210zqxjkvwybgfpudmhlcosrniate_-."

// shapes are the forms by the byte that the scanner stops at. They are made when a text is first looked at.
var shapes = sync.OnceValue(func() *pivots {
	p := new(pivots)
	for _, s := range credentials {
		best := len(rarity)
		for i := range len(s.prefix) {
			if k := strings.IndexByte(rarity, s.prefix[i]); k < best {
				best, s.pivot = k, i
			}
		}
		c := s.prefix[s.pivot]
		p.of[c] = append(p.of[c], s)
		p.stops[c] = true
		if s.pivot > 0 {
			p.before[c].add(s.prefix[s.pivot-1])
		} else {
			p.before[c] = allBytes
		}
		if s.pivot+1 < len(s.prefix) {
			p.after[c].add(s.prefix[s.pivot+1])
		} else {
			p.after[c] = allBytes
		}
	}
	for _, c := range []byte("-:=JBb/\\%;") {
		p.stops[c] = true
	}
	return p
})

// pivots are tables by the byte at a place.
type pivots struct {
	of            [256][]shape
	before, after [256]byteSet // what stands beside a pivot: nearly everywhere it tells that there is no credential
	stops         [256]bool    // bytes at which something may begin or end that the scanner looks at
}

// byteSet is a set of bytes.
type byteSet [4]uint64

var allBytes = byteSet{^uint64(0), ^uint64(0), ^uint64(0), ^uint64(0)}

func (s *byteSet) add(b byte)      { s[b>>6] |= 1 << (b & 63) }
func (s *byteSet) has(b byte) bool { return s[b>>6]>>(b&63)&1 != 0 }

// mayBe reports whether a credential can have its pivot at i.
func (p *pivots) mayBe(text []byte, i int) bool {
	c := text[i]
	return (i == 0 || p.before[c].has(text[i-1])) && (i+1 == len(text) || p.after[c].has(text[i+1]))
}

// shapeLook is how far a credential is looked at to tell whether it is one.
const shapeLook = 64

// at finds a credential in whose prefix the byte at i is the pivot.
func (p *pivots) at(text []byte, i int) (from, to int, kind string) {
	list := p.of[text[i]]
	for k := range list {
		s := &list[k]
		from := i - s.pivot
		if from < 0 || len(text)-from < len(s.prefix) || text[from] != s.prefix[0] || string(text[from:from+len(s.prefix)]) != s.prefix {
			continue
		}
		if from > 0 && alnum.has(text[from-1]) && !afterEscape(text, from) {
			continue
		}
		start := from + len(s.prefix)
		to := start
		for to < len(text) && to < start+shapeLook && s.of.has(text[to]) {
			to++
		}
		if to-start < s.least || !isVaried(text[start:to]) {
			continue
		}
		for to < len(text) && s.of.has(text[to]) {
			to++
		}
		return from, to, s.kind
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
