package compare

import (
	"bytes"
	"slices"
	"strings"
)

// steady reads payloads so that what is new in every run is the same: identifiers, times, ports, temporary folders.
// They are known by their shape, or by the names that the protocol gives them.
type steady struct {
	exact bool // nothing is put aside but what the protocol makes new: tokens, cursors, ids
	took  bool // durations are put aside, too: true for what is answered, false for what is asked
}

// protocolNames are the members that protocol and transport make new in every run.
var protocolNames = map[string]bool{
	"progressToken": true, "cursor": true, "nextCursor": true, "requestId": true, "taskId": true, "requestState": true,
	"subscriptionId": true, "io.modelcontextprotocol/subscriptionId": true, "elicitationId": true, "traceparent": true, "tracestate": true, "baggage": true,
	"sessionId": true, "session_id": true, "mcp-session-id": true, "request_id": true,
}

// statedNames are metadata of every modern message that the handshake's comparison shows once.
var statedNames = map[string]bool{
	"io.modelcontextprotocol/protocolVersion": true, "io.modelcontextprotocol/clientInfo": true,
	"io.modelcontextprotocol/clientCapabilities": true, "io.modelcontextprotocol/serverInfo": true,
}

// numberNames are the members whose numbers are times, durations, process ids or ports, in lower case without
// "_" and "-".
var numberNames = set("timestamp", "ts", "time", "datetime", "createdat", "updatedat", "modifiedat", "expiresat", "startedat", "endedat", "mtime", "ctime", "atime",
	"mtimems", "ctimems", "atimems", "birthtimems", "created", "modified", "accessed", "epoch", "now",
	"duration", "elapsed", "latency", "took", "uptime", "durationms", "elapsedms", "latencyms", "tookms", "timems", "uptimems", "durationseconds", "elapsedseconds", "elapsedtime", "responsetime",
	"pid", "ppid", "port", "processid", "rss", "heapused", "heaptotal")

var joiner = strings.NewReplacer("_", "", "-", "")

func set(names ...string) map[string]bool {
	out := make(map[string]bool, len(names))
	for _, n := range names {
		out[n] = true
	}
	return out
}

// putAside reports whether the value of a member is not to be looked at.
func (s steady) putAside(name string) bool { return protocolNames[name] || statedNames[name] }

// number reports whether a number of a member is one that changes with every run.
func (s steady) number(name string, raw []byte) bool {
	if s.exact {
		return false
	}
	if len(raw) == 13 && (raw[0] == '1' || raw[0] == '2') && allDigits(raw) {
		return true // milliseconds since 1970
	}
	if !s.took || name == "" {
		return false
	}
	return numberNames[strings.ToLower(joiner.Replace(name))]
}

func allDigits(b []byte) bool {
	for _, c := range b {
		if !digit(c) {
			return false
		}
	}
	return true
}

func digit(c byte) bool { return c >= '0' && c <= '9' }
func hexadecimal(c byte) bool {
	return digit(c) || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F'
}
func letter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }
func wordy(c byte) bool  { return digit(c) || letter(c) || c == '_' || c == '-' || c >= 0x80 }

// mayVary is false for text that cannot hold anything of a changing shape.
func mayVary(text []byte) bool {
	for _, c := range text {
		if digit(c) {
			return true
		}
	}
	return bytes.Contains(text, []byte("/tmp/")) || bytes.Contains(text, []byte("/T/")) || bytes.Contains(text, []byte(`\Temp\`))
}

// text appends text with placeholders for what changes with every run.
func (s steady) text(dst, text []byte) []byte {
	if s.exact || !mayVary(text) {
		return append(dst, text...)
	}
	for i := 0; i < len(text); {
		switch c := text[i]; {
		case c == '/' || c == '\\':
			if n := folder(text[i:]); n > 0 {
				dst = append(dst, "<tmp>"...)
				i += n
				continue
			}
		case wordy(c):
			end, digits := i, false
			for end < len(text) && wordy(text[end]) {
				digits = digits || digit(text[end])
				end++
			}
			if digits || end == i+3 {
				if sign, n := s.shape(text, i, end-i); n > 0 {
					dst = append(dst, sign...)
					i += n
					continue
				}
			}
			dst = append(dst, text[i:end]...)
			i = end
			continue
		}
		dst = append(dst, text[i])
		i++
	}
	return dst
}

// shape tells what changing thing begins with the word of end bytes at i, and how long it is; 0 is none.
func (s steady) shape(text []byte, i, end int) (string, int) {
	rest := text[i:]
	word := rest[:end]
	if n := moment(rest); n > 0 {
		return "<time>", n
	}
	if n := number(rest); n > 0 {
		if s.took {
			if unit := unitAt(rest[n:]); unit > 0 {
				return "<duration>", n + unit
			}
		}
		if n == end || n > end {
			switch {
			case end == 13 && (word[0] == '1' || word[0] == '2') && allDigits(word):
				return "<time>", end
			case n == end && end <= 5 && portBefore(text[:i]):
				return "<port>", end
			case s.took && n == end && end <= 8 && pidBefore(text[:i]):
				return "<pid>", end
			}
		}
	}
	if n := uuidIn(word); n >= 0 {
		return string(word[:n]) + "<id>", n + 36
	}
	if identifier(word) {
		return "<id>", end
	}
	return "", 0
}

// number returns the length of the number, perhaps with a fraction, at the start of text.
func number(text []byte) int {
	i := 0
	for i < len(text) && digit(text[i]) {
		i++
	}
	if i > 0 && i+1 < len(text) && text[i] == '.' && digit(text[i+1]) {
		for i++; i < len(text) && digit(text[i]); i++ {
		}
	}
	return i
}

// units of durations, longer ones first.
var units = []string{"milliseconds", "millisecond", "microseconds", "nanoseconds", "seconds", "second", "minutes", "minute", "hours", "hour", "msecs", "msec", "secs", "sec", "mins", "min", "µs", "us", "ns", "ms", "s"}

// unitAt returns the length of a unit of time, with the space before it.
func unitAt(text []byte) int {
	space := 0
	if len(text) > 0 && text[0] == ' ' {
		space = 1
	}
	for _, u := range units {
		end := space + len(u)
		if len(text) >= end && string(text[space:end]) == u && (len(text) == end || !wordy(text[end])) {
			return end
		}
	}
	return 0
}

// moment returns the length of a date with a time, a time of day to the second, or such, at the start of text.
func moment(text []byte) int {
	if !digit(text[0]) {
		return weekday(text)
	}
	n := 0
	if shaped(text, "dddd-dd-dd") {
		n = 10
		if n >= len(text) || text[n] != 'T' && text[n] != ' ' && text[n] != 't' && text[n] != '_' {
			return 0 // a date alone is rather data
		}
		n++
	}
	switch {
	case shaped(text[n:], "dd:dd:dd"):
		n += 8
	case n == 0 && shaped(text, "d:dd:dd"):
		n += 7
	case n > 0 && shaped(text[n:], "dd:dd"):
		n += 5
	case n > 0 && shaped(text[n:], "dd-dd-dd"):
		n += 8
	default:
		return 0
	}
	if n < len(text) && (text[n] == '.' || text[n] == ',') && n+1 < len(text) && digit(text[n+1]) {
		for n++; n < len(text) && digit(text[n]); n++ {
		}
	}
	switch {
	case n < len(text) && (text[n] == 'Z' || text[n] == 'z'):
		n++
	case shaped(text[n:], "+dd:dd"), shaped(text[n:], "-dd:dd"):
		n += 6
	}
	return n
}

// weekday returns the length of a time as HTTP, mail and JavaScript write it: Mon, 30 Nov 2026 01:42:48 GMT.
func weekday(text []byte) int {
	if len(text) < 20 || !slices.Contains([]string{"Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"}, string(text[:3])) || text[3] != ',' && text[3] != ' ' {
		return 0
	}
	for i := 4; i < min(len(text)-8, 28); i++ {
		if shaped(text[i:], "dd:dd:dd") {
			n := i + 8
			for _, zone := range []string{" GMT", " UTC"} {
				if bytes.HasPrefix(text[n:], []byte(zone)) {
					n += len(zone)
				}
			}
			if shaped(text[n:], "+dddd") || shaped(text[n:], "-dddd") {
				n += 5
			}
			return n
		}
	}
	return 0
}

// shaped reports whether text begins as a pattern says, in which d is a digit.
func shaped(text []byte, pattern string) bool {
	if len(text) < len(pattern) {
		return false
	}
	for i := range len(pattern) {
		if pattern[i] == 'd' && !digit(text[i]) || pattern[i] != 'd' && text[i] != pattern[i] {
			return false
		}
	}
	return true
}

// uuidIn returns where in a word a UUID begins, -1 for nowhere.
func uuidIn(word []byte) int {
	for i := 0; i+36 <= len(word); i++ {
		if word[i+8] != '-' || word[i+13] != '-' || word[i+18] != '-' || word[i+23] != '-' {
			continue
		}
		ok := true
		for j := range 36 {
			if j != 8 && j != 13 && j != 18 && j != 23 && !hexadecimal(word[i+j]) {
				ok = false
				break
			}
		}
		if ok {
			return i
		}
	}
	return -1
}

// identifier reports whether a word looks like an identifier that was made by chance: 16, 24 or 32 hexadecimal
// digits; 26 characters of a ULID; 21 of a nanoid; a prefix with "_" and 12 characters or more.
func identifier(word []byte) bool {
	digits, lower, upper, hex := 0, 0, 0, true
	for _, c := range word {
		hex = hex && hexadecimal(c)
		switch {
		case digit(c):
			digits++
		case c >= 'a' && c <= 'z':
			lower++
		case c >= 'A' && c <= 'Z':
			upper++
		}
	}
	n := len(word)
	switch {
	case digits == 0:
		return false
	case hex && lower+upper > 0 && (n == 16 || n == 24 || n == 32):
		return true
	case n == 26 && lower == 0 && digits+upper == n && upper > 0:
		return true
	case n == 21 && digits > 1 && lower > 3 && upper > 3:
		return true
	}
	if cut := bytes.IndexByte(word, '_'); cut >= 2 && cut <= 10 {
		tail := word[cut+1:]
		return len(tail) >= 12 && digitsIn(tail) >= 2 && lower > 0 && (upper > 0 || digitsIn(tail) >= 4) && bytes.IndexByte(tail, '_') < 0 && bytes.IndexByte(tail, '-') < 0
	}
	return false
}

func digitsIn(b []byte) int {
	n := 0
	for _, c := range b {
		if digit(c) {
			n++
		}
	}
	return n
}

// portBefore reports whether text ends in a host of this machine and a colon.
func portBefore(text []byte) bool {
	for _, host := range []string{"localhost:", "127.0.0.1:", "0.0.0.0:", "[::1]:"} {
		if bytes.HasSuffix(text, []byte(host)) {
			return true
		}
	}
	return false
}

// pidBefore reports whether text ends in a word for a process id.
func pidBefore(text []byte) bool {
	t := bytes.ToLower(text[max(0, len(text)-8):])
	t = bytes.TrimRight(t, " =:\"#")
	return bytes.HasSuffix(t, []byte("pid")) || bytes.HasSuffix(t, []byte("process"))
}

// folder returns the length of a temporary folder with the name of what lies in it, 0 for none.
func folder(text []byte) int {
	start := 0
	for _, root := range []string{"/tmp/", "/var/tmp/", "/private/tmp/"} {
		if bytes.HasPrefix(text, []byte(root)) {
			start = len(root)
		}
	}
	for _, root := range []string{"/var/folders/", "/private/var/folders/"} {
		if bytes.HasPrefix(text, []byte(root)) {
			if i := bytes.Index(text, []byte("/T/")); i > 0 && i < 100 {
				start = i + 3
			}
		}
	}
	if bytes.HasPrefix(text, []byte(`\Temp\`)) {
		start = 6
	}
	if start == 0 {
		return 0
	}
	n := start
	for n < len(text) && (wordy(text[n]) || text[n] == '.' || text[n] == '+' || text[n] == '@') {
		n++
	}
	if n == start {
		return 0
	}
	// Some make numbered folders in it.
	for n+1 < len(text) && (text[n] == '/' || text[n] == '\\') && digit(text[n+1]) {
		end := n + 1
		for end < len(text) && digit(text[end]) {
			end++
		}
		if end < len(text) && wordy(text[end]) {
			break
		}
		n = end
	}
	return n
}
