package recordings

import (
	"bytes"
	"strings"
	"unicode"
)

// direction reads who sent a message from the words before it: an arrow, the name of one end, or both with
// an arrow between. It returns unsaid where the words say nothing of it.
func direction(text []byte) sender {
	if len(text) > 120 {
		return unsaid
	}
	arrow, at, words := mark(string(text))
	client, server, single := -1, -1, true
	for i, w := range words {
		switch w.text {
		case "c", "client", "host", "editor":
			if client < 0 {
				client = i
			}
		case "s", "server":
			if server < 0 {
				server = i
			}
		case "cs", "clienttoserver":
			return fromClient
		case "sc", "servertoclient":
			return fromServer
		default:
			single = false
		}
	}
	letter := func(i int) bool { return i >= 0 && len(words[i].text) == 1 }
	if (letter(client) || letter(server)) && !single {
		return unsaid
	}
	if client >= 0 && server >= 0 {
		if arrow == 0 {
			lower := strings.ToLower(string(text))
			if !strings.Contains(lower, " to ") {
				return unsaid
			}
		}
		if (client < server) == (arrow >= 0) {
			return fromClient
		}
		return fromServer
	}
	named := unsaid
	switch {
	case client >= 0:
		named = fromClient
	case server >= 0:
		named = fromServer
	case arrow > 0 && len(words) == 0:
		return fromWriter
	case arrow < 0 && len(words) == 0:
		return fromReader
	default:
		return unsaid
	}
	i := max(client, server)
	if i > 0 && (words[i-1].text == "to") || arrow > 0 && at < words[i].at || arrow < 0 && at > words[i].at {
		return named.other()
	}
	return named
}

type word struct {
	text string
	at   int
}

// mark finds the arrow of a text, 1 for one to the right, and its words in lower case. C2S and the like
// come as one word without the digit.
func mark(text string) (arrow, at int, words []word) {
	right := strings.NewReplacer("→", ">", "⇒", ">", "⟶", ">", "➜", ">", "➡", ">", "←", "<", "⇐", "<", "⟵", "<", "⬅", "<", "↔", "=")
	text = right.Replace(text)
	l, r := strings.IndexByte(text, '<'), strings.IndexByte(text, '>')
	if strings.HasPrefix(strings.TrimSpace(text), "<!--") {
		l, r = -1, strings.IndexByte(strings.TrimSuffix(strings.TrimSpace(text), "-->"), '>')
	}
	switch {
	case r >= 0 && l < 0:
		arrow, at = 1, r
	case l >= 0 && r < 0:
		arrow, at = -1, l
	}
	start := -1
	for i, c := range text + " " {
		if unicode.IsLetter(c) || start >= 0 && c == '2' {
			if start < 0 {
				start = i
			}
			continue
		}
		if start >= 0 {
			w := strings.ReplaceAll(strings.ToLower(text[start:i]), "2", "")
			words = append(words, word{w, start})
			start = -1
		}
	}
	return arrow, at, words
}

// remark returns the text of a line that stands between messages in a printed transcript: a comment, a
// heading, a line in bold; false for others.
func remark(line []byte) ([]byte, bool) {
	for _, lead := range [...]string{"//", "#", "/*", "<!--", "*", "-- ", "%", ";", "==="} {
		if bytes.HasPrefix(line, []byte(lead)) {
			return bytes.Trim(line, "/#*;%= \t:"), true
		}
	}
	return bytes.TrimRight(line, " :"), bytes.HasSuffix(line, []byte(":"))
}
