package cli

import (
	"bufio"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/shakescope/shakescope/annotate"
	"github.com/shakescope/shakescope/internal/export"
	"github.com/shakescope/shakescope/internal/termtext"
	"github.com/shakescope/shakescope/internal/timetext"
	"github.com/shakescope/shakescope/recordings"
)

// textLog prints the annotated log: one entry a line, findings indented below their entry. All text
// that comes from the wire or from a file goes through clean.
type textLog struct {
	w *bufio.Writer
	look

	// What was printed so far, for the closing line.
	client, server int64 // messages
	found          map[annotate.Level]int
	last           time.Duration

	whole bool           // nothing is cut on a narrow terminal
	phase annotate.Phase // of the last entry on a narrow terminal

	pad  int // spaces that are written only if something follows on the line
	col  int // cells of the line that are written
	hang int // where a line that is too long for the terminal goes on
}

// Widths of the columns. A longer cell pushes the rest of its line to the right: nothing is cut.
const (
	seqWidth        = 6
	timeWidth       = 10
	phaseWidth      = 16 // "I initialization"
	groupWidth      = 13
	capabilityWidth = 27
	methodWidth     = 30
	targetWidth     = 16
	latencyWidth    = 14 // "123 ms, #1234"
	// lineHang is where a line goes on that is too long for the terminal, findingIndent where a finding stands.
	lineHang      = 4
	leastHung     = 30 // cells that are left for a text to go on below its own beginning, of a wide terminal
	findingIndent = seqWidth + timeWidth + 2
	// narrowest is the least terminal width at which the wide columns pay; below it entries are compact.
	narrowest = 180
)

func newTextLog(w *bufio.Writer, l look) *textLog {
	return &textLog{w: w, look: l, found: map[annotate.Level]int{}}
}

// clean makes text from outside safe for a terminal: one line, nothing a terminal obeys; in ASCII
// output also nothing beyond ASCII.
func (p *textLog) clean(s string) string {
	s = termtext.Clean(s)
	if !p.ascii {
		return s
	}
	return termtext.ASCII(s)
}

// header prints what is known before the first entry.
func (p *textLog) header(h *recordings.Header) {
	if h == nil {
		return
	}
	var parts []string
	if h.Label != "" {
		parts = append(parts, p.clean(h.Label))
	}
	if len(h.Command) > 0 {
		parts = append(parts, p.clean(export.ShellWords(h.Command)))
	}
	if !h.Start.IsZero() {
		parts = append(parts, h.Start.Format("2006-01-02 15:04:05 -07:00"))
	}
	if h.Imported != nil {
		parts = append(parts, "imported from "+p.clean(h.Imported.Format))
	}
	if h.Redacted {
		parts = append(parts, "redacted")
	}
	if h.Demo {
		parts = append(parts, "demo")
	}
	if len(parts) == 0 {
		parts = append(parts, "recording")
	}
	p.line(muted, "# "+strings.Join(parts, p.glyph(" · ", " | ")))
}

// closing sums up what was printed. Findings about the recording as a whole stand before it.
func (p *textLog) closing(findings []annotate.Finding, revision, era string) {
	for i := range findings {
		if findings[i].At.IsZero() {
			p.finding(&findings[i], "")
		}
	}
	if revision == "" {
		revision = "revision unknown"
	}
	if era != "" {
		revision += " (" + era + ")"
	}
	dot := p.glyph(" · ", " | ")
	p.line(muted, "# "+plural(p.client, "message")+" of the client, "+grouped(p.server)+" of the server"+
		dot+p.clean(revision)+dot+timetext.Latency(p.last)+dot+levelCounts(p.found))
}

// filtered says how much a filter let pass.
func (p *textLog) filtered(src *source) {
	p.line(muted, "# "+grouped(src.shown)+" of "+grouped(src.seen)+" entries pass "+p.clean(src.filter.String()))
}

// entry prints one entry and its findings.
func (p *textLog) entry(e *annotate.Entry) {
	p.last = max(p.last, e.T)
	switch e.From {
	case "client":
		p.client += isMessage(e)
	case "server":
		p.server += isMessage(e)
	}
	if p.isCompact() {
		p.compact(e)
	} else {
		p.columns(e)
	}
	for i := range e.Findings {
		p.finding(&e.Findings[i], "")
	}
}

// columns prints one entry in columns that are wide enough for all but the longest names.
func (p *textLog) columns(e *annotate.Entry) {
	wide := p.width == 0 || p.width >= narrowest
	p.hang = findingIndent
	p.cell(muted, termtext.PadLeft(seqText(e), seqWidth), 0)
	p.cell(muted, termtext.PadLeft(offsetText(e.T), timeWidth), 0)
	arrow, r := p.arrow(e)
	p.cell(r, arrow, 2)
	p.cell(phaseRoles[string(e.Phase)], phaseCell(e.Phase), phaseWidth)
	p.cell(groupRoles[e.Group], groupWord(e), groupWidth)

	capability, r := p.capability(e)
	target := p.clean(e.Target)
	method := p.methodText(e)
	latency := p.latency(e)
	summary := p.clean(e.Summary())
	if summary == target {
		summary = "" // once is enough on one line
	}
	if wide {
		p.cell(r, capability, capabilityWidth)
		p.cell(p.methodRole(e), method, methodWidth)
		p.cell(strong, target, targetWidth)
		p.cell(muted, latency, latencyWidth)
	} else {
		for _, c := range []struct {
			role role
			text string
		}{{r, capability}, {p.methodRole(e), method}, {strong, target}, {muted, latency}} {
			if c.text != "" {
				p.cell(c.role, c.text, 1)
			}
		}
	}
	p.line(p.stateRole(e), p.stateMark(e)+summary)
}

// seqText is the number of an entry, with its index where it is a member of a batch.
func seqText(e *annotate.Entry) string { return refText(e.Ref) }

// offsetText is a time since the start, in seconds.
func offsetText(t time.Duration) string { return fmt.Sprintf("+%.3f", t.Seconds()) }

// methodText is the method, or what the entry is where it has none.
func (p *textLog) methodText(e *annotate.Entry) string {
	if e.Method != "" {
		return p.clean(e.Method)
	}
	return kindWord(e)
}

// isMessage is 1 for a message, 0 for all else: a batch is none, its members are.
func isMessage(e *annotate.Entry) int64 {
	switch e.Kind {
	case annotate.Request, annotate.Notification, annotate.Response, annotate.ErrorAnswer:
		return 1
	}
	return 0
}

// cell writes text padded to width, and one space behind it.
func (p *textLog) cell(r role, text string, width int) {
	p.put(r, text)
	p.pad += max(width-termtext.Width(text), 0) + 1
}

// put writes text where the cells before it end. What a terminal would break in the middle of a word goes on in
// another line: below its own beginning, indented where that
// begins the line, or at p.hang (lineHang if that is less) where it would have less than leastHung or half of the width.
func (p *textLog) put(r role, text string) {
	if text == "" {
		return
	}
	start, size := p.col+p.pad, termtext.Width(text)
	if p.width == 0 || start+size <= p.width {
		p.spaces()
		p.w.WriteString(p.paint(r, text))
		p.col = start + size
		return
	}
	words := strings.TrimLeft(text, " ")
	p.pad += len(text) - len(words)
	hang := p.col + p.pad
	if p.col == 0 {
		hang += lineHang
	}
	if p.width-hang < min(p.width/2, leastHung) {
		hang = min(max(p.hang, lineHang), p.width/2)
	}
	row := ""
	for i, word := range strings.Split(words, " ") {
		used := p.col + p.pad + termtext.Width(row)
		if i > 0 && (row != "" || used > hang) {
			row += " "
			used++
		}
		// A word too long for any line is left to the terminal, so that it can be copied whole.
		if size := termtext.Width(word); used > hang && used+size > p.width && hang+size <= p.width {
			p.row(r, strings.TrimRight(row, " "))
			p.w.WriteByte('\n')
			p.col, p.pad, row = 0, hang, ""
		}
		row += word
	}
	p.row(r, row)
}

// row writes a part of a line, if there is something in it.
func (p *textLog) row(r role, text string) {
	if text == "" {
		return
	}
	p.spaces()
	p.w.WriteString(p.paint(r, text))
	p.col += termtext.Width(text)
}

func (p *textLog) spaces() {
	p.col += p.pad
	for ; p.pad > 0; p.pad-- {
		p.w.WriteByte(' ')
	}
}

// line writes text and ends the line.
func (p *textLog) line(r role, text string) {
	p.put(r, strings.TrimRight(text, " "))
	p.pad, p.col, p.hang = 0, 0, 0
	p.w.WriteByte('\n')
}

// fitting says which columns of a table of these widths, and one cell or more between them, a terminal has room for.
// Those of drop go, the first first.
func (p *textLog) fitting(widths []int, gap int, drop ...int) []bool {
	keep := slices.Repeat([]bool{true}, len(widths))
	for _, i := range drop {
		if p.width == 0 || taken(widths, keep, gap) <= p.width {
			break
		}
		keep[i] = false
	}
	return keep
}

// taken is what the columns that are kept take, with so many cells between them.
func taken(widths []int, keep []bool, gap int) int {
	sum := -gap
	for i, w := range widths {
		if keep[i] {
			sum += w + gap
		}
	}
	return sum
}

// arrow says where the entry went: client to server, server to client, the server's stderr, or
// nowhere (an event of the process, a gap).
func (p *textLog) arrow(e *annotate.Entry) (string, role) {
	switch e.Stream {
	case recordings.Stdin:
		return p.glyph("→", "->"), clientC
	case recordings.Stdout:
		return p.glyph("←", "<-"), serverC
	case recordings.Stderr:
		return p.glyph("┊", "::"), muted
	}
	return p.glyph("■", "##"), muted
}

// phaseCell is the phase as letter and word.
func phaseCell(ph annotate.Phase) string {
	if ph == "" {
		return ""
	}
	return strings.ToUpper(string(ph[:1])) + " " + string(ph)
}

func groupWord(e *annotate.Entry) string {
	if e.Group != "" {
		return e.Group
	}
	return e.Primitive
}

// kindWord stands in the method column of what has no method.
func kindWord(e *annotate.Entry) string {
	if e.Event != nil {
		return e.Event.Name
	}
	return string(e.Kind)
}

// capability is the first capability the entry depends on with the mark of its state, and how many
// more there are.
func (p *textLog) capability(e *annotate.Entry) (string, role) {
	if len(e.Capability) == 0 {
		return "", noRole
	}
	// Of several, the one that is missing is the news.
	c := e.Capability[0]
	for _, other := range e.Capability[1:] {
		if c.State != annotate.Undeclared && other.State == annotate.Undeclared {
			c = other
		}
	}
	mark, r := p.glyph("✓", "+"), noRole
	switch c.State {
	case annotate.Undeclared:
		mark, r = p.glyph("✗", "x"), bad
	case annotate.UnknownDecl:
		mark, r = "?", muted
	}
	text := mark + " " + c.Side + " " + p.clean(c.Path)
	if n := len(e.Capability) - 1; n > 0 {
		text += fmt.Sprintf(" +%d", n)
	}
	return text, r
}

func (p *textLog) methodRole(e *annotate.Entry) role {
	switch e.Kind {
	case annotate.Invalid, annotate.Gap:
		return bad
	case annotate.Stderr, annotate.EventEntry, annotate.Blank:
		return muted
	}
	return noRole
}

func (p *textLog) stateRole(e *annotate.Entry) role {
	switch {
	case e.Kind == annotate.Stderr || e.Kind == annotate.EventEntry:
		return muted
	case e.State == annotate.Failed || e.State == annotate.ToolError || e.Kind == annotate.Invalid || e.Kind == annotate.ErrorAnswer:
		return bad
	case e.State == annotate.Cancelled || e.State == annotate.Unmatched || e.State == annotate.Duplicate:
		return warn
	}
	return noRole
}

// stateMark says what became of a request, or what an answer is, where that is not plain success.
func (p *textLog) stateMark(e *annotate.Entry) string {
	switch e.State {
	case annotate.Pending, annotate.Cancelled, annotate.Open:
		return "[" + string(e.State) + "] "
	case annotate.Unmatched, annotate.Duplicate:
		return "[" + string(e.State) + "] "
	}
	if e.Cancelled {
		return "[cancelled] "
	}
	return ""
}

// latency is the time an answer took, and the request it answers; of what else belongs to an earlier
// request (progress, a retry, a question about a task) that request.
func (p *textLog) latency(e *annotate.Entry) string {
	if (e.Kind == annotate.Request || e.Kind == annotate.Notification) && !e.Flow.IsZero() && e.Flow != e.Ref {
		return "of #" + refText(e.Flow)
	}
	if e.Pair.IsZero() || e.Kind == annotate.Request {
		return ""
	}
	of := "#" + refText(e.Pair)
	if !e.HasLatency {
		return of
	}
	return timetext.Latency(e.Latency) + ", " + of
}

// finding prints a finding below its entry; of names the entry where the finding stands elsewhere. The
// design review is for check and the interface: here it would bury the log.
func (p *textLog) finding(f *annotate.Finding, of string) {
	if f.Design() {
		return
	}
	p.found[f.Level] += max(f.Count, 1)
	mark, r := p.levelMark(f.Level)
	text := fmt.Sprintf("%s %s %s: %s", mark, f.Level, p.clean(f.Rule), p.clean(f.Message))
	if f.Count > 1 {
		text += fmt.Sprintf(" (%d times)", f.Count)
	}
	if f.By != "" {
		text += " (by " + p.clean(f.By) + ")"
	}
	p.pad = findingIndent
	if p.isCompact() {
		p.pad = lineHang
	}
	p.line(r, of+text)
}

func (p *textLog) levelMark(l annotate.Level) (string, role) {
	switch l {
	case annotate.LevelError:
		return p.glyph("✗", "E"), bad
	case annotate.LevelWarning:
		return p.glyph("⚠", "W"), warn
	}
	return p.glyph("ℹ", "I"), note
}
