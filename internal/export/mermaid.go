package export

import (
	"fmt"
	"io"
	"strings"

	"github.com/shakescope/shakescope/annotate"
	"github.com/shakescope/shakescope/internal/timetext"
	"github.com/shakescope/shakescope/recordings"
)

// Bounds of a diagram. GitHub refuses larger ones (50,000 characters, 500 arrows), and nobody reads them.
const (
	mermaidArrows = 250
	mermaidText   = 40_000
	mermaidRun    = 3 // arrows of the same kind in a row that are drawn one by one
)

// mermaid draws a sequence diagram. Of a run of like messages it draws the first ones, of a long session the
// beginning, and it says how much it left out.
type mermaid struct {
	w       io.Writer
	err     error
	written int
	arrows  int
	left    int // messages beyond the bounds
	phase   annotate.Phase
	run     string
	inRun   int
	stderr  int
}

func newMermaid(w io.Writer) *mermaid { return &mermaid{w: w} }

func (m *mermaid) line(format string, args ...any) {
	if m.err == nil {
		var n int
		n, m.err = fmt.Fprintf(m.w, format+"\n", args...)
		m.written += n
	}
}

func (m *mermaid) Begin(h *recordings.Header) error {
	m.line("sequenceDiagram")
	m.line("    participant C as client")
	server := "server"
	if h.Label != "" {
		server = "server " + mermaidWords(h.Label, 40)
	}
	m.line("    participant S as %s", server)
	return m.err
}

func (m *mermaid) Entry(e *annotate.Entry) error {
	switch e.Kind {
	case annotate.Stderr, annotate.Blank, annotate.Batch:
		if e.Kind == annotate.Stderr {
			m.stderr++
		}
		return nil
	}
	if m.arrows >= mermaidArrows || m.written >= mermaidText {
		m.left++
		return nil
	}
	if e.Phase != "" && e.Phase != m.phase {
		m.endRun()
		m.phase = e.Phase
		m.line("    Note over C,S: %s", e.Phase)
	}
	kind := label(e)
	if isAnswer(e) {
		kind = "" // an answer belongs to the run of its request
	}
	switch {
	case kind != "" && kind != m.run:
		m.endRun()
		m.run, m.inRun = kind, 1
	case kind != "":
		m.inRun++
	}
	if m.inRun > mermaidRun && len(e.Findings) == 0 && e.Kind != annotate.ErrorAnswer && e.State != annotate.ToolError {
		return nil
	}
	m.arrow(e)
	return m.err
}

// endRun says how many arrows of a run were not drawn.
func (m *mermaid) endRun() {
	if more := m.inRun - mermaidRun; more > 0 {
		m.line("    Note over C,S: %d more like that: %s", more, mermaidWords(m.run, 60))
	}
	m.run, m.inRun = "", 0
}

func (m *mermaid) arrow(e *annotate.Entry) {
	from, to := "C", "S"
	if e.Stream == recordings.Stdout {
		from, to = "S", "C"
	}
	m.arrows++
	name := mermaidWords(label(e), 60)
	switch e.Kind {
	case annotate.Request:
		m.line("    %s->>%s: #35;%d %s%s", from, to, e.Seq, name, openState(e))
	case annotate.Notification:
		m.line("    %s-)%s: #35;%d %s", from, to, e.Seq, name)
	case annotate.Response:
		what := "result"
		if e.State == annotate.ToolError {
			what = "tool error"
		}
		m.line("    %s-->>%s: #35;%d %s of %s%s", from, to, e.Seq, what, name, took(e))
	case annotate.ErrorAnswer:
		text := "error"
		if e.Err != nil {
			text = fmt.Sprintf("error %d %s", e.Err.Code, mermaidWords(e.Err.Message, 60))
		}
		m.line("    %s--x%s: #35;%d %s%s", from, to, e.Seq, text, took(e))
	case annotate.EventEntry, annotate.Gap:
		m.line("    Note over S: #35;%d %s", e.Seq, mermaidWords(e.Summary(), 80))
	default:
		m.line("    %s-x%s: #35;%d %s", from, to, e.Seq, mermaidWords(e.Summary(), 80))
	}
	for i := range e.Findings {
		if f := &e.Findings[i]; f.Level != annotate.LevelInfo {
			m.line("    Note over C,S: %s %s", f.Level, mermaidWords(f.Rule, 60))
		}
	}
}

func openState(e *annotate.Entry) string {
	switch e.State {
	case annotate.Pending:
		return " (never answered)"
	case annotate.Cancelled, annotate.Open:
		return " (" + string(e.State) + ")"
	}
	return ""
}

func took(e *annotate.Entry) string {
	if !e.HasLatency {
		return ""
	}
	return " in " + timetext.Latency(e.Latency)
}

func (m *mermaid) End(*annotate.Recording) error {
	m.endRun()
	if m.left > 0 {
		m.line("    Note over C,S: %d more entries are not drawn", m.left)
	}
	if m.stderr > 0 {
		m.line("    Note over S: %d lines on standard error", m.stderr)
	}
	return m.err
}

// mermaidWords makes text from the wire harmless in a diagram: entity codes for what the language or HTML
// would obey, one line, bounded.
func mermaidWords(s string, most int) string {
	var b strings.Builder
	n := 0
	for _, r := range s {
		if n++; n > most {
			b.WriteString("…")
			break
		}
		switch {
		case r < ' ' || r == 0x7f || r >= 0x80 && r < 0xa0 || r == '\u2028' || r == '\u2029' || r >= 0x200b && r <= 0x200f || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 || r == 0xfeff:
			b.WriteByte(' ')
		case r == '#' || r == ';' || r == '<' || r == '>' || r == '&' || r == '"' || r == '\'' || r == '%' || r == '`' || r == '\\' || r == '{' || r == '}' ||
			r == '[' || r == ']' || r == '(' || r == ')' || r == '@' || r == '|' || r == '*' || r == '_' || r == '~' || r == ':' || r == '$':
			fmt.Fprintf(&b, "#%d;", r)
		default:
			b.WriteRune(r)
		}
	}
	if b.Len() == 0 {
		return "-"
	}
	return b.String()
}
