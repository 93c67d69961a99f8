package export

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/shakescope/shakescope/annotate"
	"github.com/shakescope/shakescope/internal/jsontree"
	"github.com/shakescope/shakescope/internal/timetext"
	"github.com/shakescope/shakescope/recordings"
)

// Bounds of a report: an issue tracker takes 65,536 characters.
const (
	reportFindings = 30
	reportMessages = 40
	reportMethods  = 25
	reportBytes    = 2000 // of a message
)

// markdown writes a report for an issue tracker. Text from the wire stands in code spans and fences only, in which no
// image, link, mention or markup lives.
type markdown struct {
	w       io.Writer
	o       Options
	err     error
	h       *recordings.Header
	ledger  annotate.Ledger
	shake   []excerpt // the handshake
	concern []excerpt // messages with findings
	entries int
	last    time.Duration
}

// excerpt is a copy of what the report says of an entry.
type excerpt struct {
	ref      annotate.Ref
	t        time.Duration
	title    string
	raw      string
	size     int64
	cut      bool
	findings []annotate.Finding
}

func newMarkdown(w io.Writer, o Options) *markdown { return &markdown{w: w, o: o} }

func (m *markdown) printf(format string, args ...any) {
	if m.err == nil {
		_, m.err = fmt.Fprintf(m.w, format, args...)
	}
}

func (m *markdown) Begin(h *recordings.Header) error {
	m.h = h
	return nil
}

func (m *markdown) Entry(e *annotate.Entry) error {
	m.entries++
	m.last = max(m.last, e.T)
	m.ledger.Add(e)
	opening := e.Method == "initialize" || e.Method == "server/discover" || e.Method == "notifications/initialized"
	serious := slices.ContainsFunc(e.Findings, func(f annotate.Finding) bool { return !f.Design() })
	switch {
	case opening && len(m.shake) < 8:
		m.shake = append(m.shake, excerptOf(e))
	case serious && len(m.concern) < reportMessages:
		m.concern = append(m.concern, excerptOf(e))
	}
	return nil
}

func excerptOf(e *annotate.Entry) excerpt {
	x := excerpt{ref: e.Ref, t: e.T, size: e.Size, findings: e.Findings, title: sender(e) + string(e.Kind) + " " + label(e)}
	raw := string(e.Raw)
	if e.Message != nil && len(e.Raw) <= 64<<10 {
		if pretty, ok := jsontree.Pretty(e.Raw, 80); ok {
			raw = strings.TrimRight(string(pretty), "\n")
		}
	}
	raw = strings.ToValidUTF8(raw, "\ufffd")
	x.raw, x.cut = cut(raw, reportBytes)
	x.raw = strings.Clone(x.raw)
	return x
}

func sender(e *annotate.Entry) string {
	switch e.Stream {
	case recordings.Stdin:
		return "client → server: "
	case recordings.Stdout:
		return "server → client: "
	}
	return ""
}

func (m *markdown) End(rec *annotate.Recording) error {
	m.summary(rec)
	m.handshake()
	m.capabilities()
	m.findings(rec)
	m.messages()
	m.methods(rec)
	m.printf("\n<sub>Written by shakescope %s. Bytes, times and findings are those of the recording; what looks like a secret is masked unless the writer chose otherwise.</sub>\n", span(m.o.Version))
	return m.err
}

func (m *markdown) fact(name, value string) {
	if value != "" {
		m.printf("| %s | %s |\n", name, value)
	}
}

func (m *markdown) summary(rec *annotate.Recording) {
	m.printf("# MCP session report\n\n| | |\n|---|---|\n")
	if c := commandLine(m.h); c != "" {
		c, _ = cut(c, 500)
		m.fact("command", cell(c))
	}
	if m.h.Label != "" {
		m.fact("label", cell(m.h.Label))
	}
	if !m.h.Start.IsZero() {
		m.fact("started", m.h.Start.UTC().Format(time.RFC3339))
	}
	revision := "unknown"
	if rec.Revision != "" {
		revision = cell(rec.Revision)
	}
	if rec.Era != "" {
		revision += " (" + rec.Era + ")"
	}
	m.fact("revision", revision)
	s := rec.Stats
	m.fact("duration", timetext.Latency(m.last))
	m.fact("client", counts(s.Messages.Client))
	m.fact("server", counts(s.Messages.Server))
	if s.Unanswered > 0 {
		m.fact("unanswered", plural(s.Unanswered, "request"))
	}
	if s.ToolErrors > 0 {
		m.fact("tool errors", strconv.FormatInt(s.ToolErrors, 10))
	}
	if s.Invalid > 0 {
		m.fact("invalid lines", strconv.FormatInt(s.Invalid, 10))
	}
	byLevel := map[annotate.Level]int{}
	for i := range rec.Findings {
		if !rec.Findings[i].Design() {
			byLevel[rec.Findings[i].Level] += max(rec.Findings[i].Count, 1)
		}
	}
	m.fact("findings", fmt.Sprintf("%s, %s, %d info", plural(byLevel[annotate.LevelError], "error"), plural(byLevel[annotate.LevelWarning], "warning"), byLevel[annotate.LevelInfo]))
	if len(rec.Damage) > 0 || rec.TornBytes > 0 {
		m.fact("damage", fmt.Sprintf("%d places of the recording could not be read", len(rec.Damage)))
	}
}

// plural writes a number with its noun.
func plural[N int | int64](n N, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

func counts(c annotate.MessageCounts) string {
	return plural(c.Request, "request") + ", " + plural(c.Notification, "notification") + ", " + plural(c.Response, "result") + ", " + plural(c.Error, "error")
}

func (m *markdown) handshake() {
	if len(m.shake) == 0 {
		return
	}
	m.printf("\n## Handshake\n\n")
	for i := range m.shake {
		m.excerpt(&m.shake[i])
	}
}

func (m *markdown) capabilities() {
	lines := m.ledger.Lines()
	if len(lines) == 0 {
		return
	}
	m.printf("\n## Capabilities\n\n| side | capability | status | declared at | used |\n|---|---|---|---|---|\n")
	for i := range lines {
		l := &lines[i]
		at := ""
		if len(l.DeclaredAt) > 0 {
			at = "message " + refText(l.DeclaredAt[0])
		}
		m.printf("| %s | %s | %s | %s | %d |\n", l.Side, cell(l.Path), strings.ReplaceAll(string(l.Status()), "_", " "), at, l.Used+l.Undeclared+l.Unknown)
	}
}

func (m *markdown) findings(rec *annotate.Recording) {
	list := slices.DeleteFunc(slices.Clone(rec.Findings), func(f annotate.Finding) bool { return f.Design() })
	m.printf("\n## Findings\n\n")
	if n := m.o.Ignored; n > 0 {
		m.printf("Left out, because their rules are ignored in this recording: %d.\n\n", n)
	}
	if len(list) == 0 {
		m.printf("None.\n")
		return
	}
	m.printf("| level | rule | at | fault of | what |\n|---|---|---|---|---|\n")
	for i, f := range annotate.ByConsequence(list) {
		if i == reportFindings {
			m.printf("\n%d more findings are left out; `shakescope check` prints all.\n", len(list)-i)
			break
		}
		at := "whole recording"
		if !f.At.IsZero() {
			at = "message " + refText(f.At)
		}
		message := f.Message
		if f.Count > 1 {
			message += fmt.Sprintf(" (%d times)", f.Count)
		}
		message, _ = cut(message, 500)
		m.printf("| %s | %s | %s | %s | %s |\n", f.Level, cell(f.Rule), at, f.By, cell(message))
	}
}

func (m *markdown) messages() {
	if len(m.concern) == 0 {
		return
	}
	m.printf("\n## Messages concerned\n\n")
	for i := range m.concern {
		m.excerpt(&m.concern[i])
	}
}

// excerpt writes a message, folded.
func (m *markdown) excerpt(x *excerpt) {
	title, _ := cut(x.title, 200)
	m.printf("<details><summary>message %s at %s: <code>%s</code></summary>\n\n", refText(x.ref), timetext.Latency(x.t), htmlCode(title))
	for i := range x.findings {
		if f := &x.findings[i]; !f.Design() {
			message, _ := cut(f.Message, 500)
			m.printf("- %s %s: %s\n", f.Level, span(f.Rule), span(message))
		}
	}
	lang := ""
	if strings.HasPrefix(x.raw, "{") || strings.HasPrefix(x.raw, "[") {
		lang = "json"
	}
	fence := strings.Repeat("`", max(3, longestRun(x.raw)+1))
	m.printf("\n%s%s\n%s\n%s\n", fence, lang, oneBlock(x.raw), fence)
	if x.cut {
		m.printf("\nCut: the message has %d bytes.\n", x.size)
	}
	m.printf("\n</details>\n\n")
}

func (m *markdown) methods(rec *annotate.Recording) {
	keys := slices.Sorted(maps.Keys(rec.Stats.LatencyByMethod))
	if len(keys) == 0 {
		return
	}
	slices.SortStableFunc(keys, func(a, b string) int {
		return rec.Stats.LatencyByMethod[b].N - rec.Stats.LatencyByMethod[a].N
	})
	m.printf("\n## Latency\n\n| request | answers | median | p95 | longest |\n|---|---|---|---|---|\n")
	for _, k := range keys[:min(len(keys), reportMethods)] {
		l := rec.Stats.LatencyByMethod[k]
		name, _ := cut(k, 100)
		m.printf("| %s | %d | %s | %s | %s |\n", cell(name), l.N, timetext.Latency(l.Median), timetext.Latency(l.P95), timetext.Latency(l.Max))
	}
	if more := len(keys) - reportMethods; more > 0 {
		m.printf("\n%d more methods are left out.\n", more)
	}
}

// span puts text into a code span, in which nothing is obeyed.
func span(s string) string {
	s = visible(s, ' ')
	if strings.TrimSpace(s) == "" {
		return "–"
	}
	ticks := strings.Repeat("`", longestRun(s)+1)
	if strings.HasPrefix(s, "`") || strings.HasSuffix(s, "`") || s[0] == ' ' && s[len(s)-1] == ' ' {
		s = " " + s + " "
	}
	return ticks + s + ticks
}

// cell is a span inside a table, where a bar would end the cell even in code.
func cell(s string) string { return strings.ReplaceAll(span(s), "|", `\|`) }

// htmlCode escapes text for a code element: a summary is HTML, in which Markdown may still be read.
func htmlCode(s string) string {
	var b strings.Builder
	for _, r := range visible(s, ' ') {
		if r < 0x80 && !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || r == ' ') {
			fmt.Fprintf(&b, "&#%d;", r)
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}

// oneBlock makes text fit for a fence.
func oneBlock(s string) string {
	return strings.ReplaceAll(visible(strings.ReplaceAll(s, "\r\n", "\n"), '\n'), "\r", " ")
}

// visible replaces what cannot be seen but would be obeyed; keep is a control character that may stay.
func visible(s string, keep rune) string {
	if plain(s) {
		return s
	}
	return strings.Map(func(r rune) rune {
		switch {
		case r == keep:
			return r
		case r == '\n' || r == '\r' || r == '\t':
			return ' '
		case r < ' ' || r >= 0x7f && r < 0xa0 || r >= 0x200b && r <= 0x200f || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 || r == 0xfeff || r == 0x2028 || r == 0x2029:
			return '\ufffd'
		}
		return r
	}, s)
}

// plain reports whether a text is printable ASCII.
func plain(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] < ' ' || s[i] > '~' {
			return false
		}
	}
	return true
}

// longestRun is the length of the longest run of backticks.
func longestRun(s string) int {
	longest, n := 0, 0
	for i := 0; i < len(s); i++ {
		if s[i] != '`' {
			n = 0
			continue
		}
		n++
		longest = max(longest, n)
	}
	return longest
}
