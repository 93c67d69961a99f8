package export

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/shakescope/shakescope/annotate"
	"github.com/shakescope/shakescope/recordings"
)

// Renderer writes one recording in one format. Begin comes first, with a header that is never nil; then every entry in
// recording order, of which nothing may be kept but what is copied; then End.
type Renderer interface {
	Begin(h *recordings.Header) error
	Entry(e *annotate.Entry) error
	End(rec *annotate.Recording) error
}

// Options are what renderers need to know beside the recording.
type Options struct {
	Version string // of shakescope, for formats that name their writer
	ID      string // of the recording: what ids are derived from
	Ignored int    // how many findings the caller leaves out by the user's wish; the Markdown report says so

	// Of otlp.
	Service     string            // service.name; "" takes the label
	Resource    map[string]string // further attributes of the resource
	OnlySampled bool              // leave out calls whose trace context says that they are not sampled
}

// CanFollow reports whether the renderer of a format is a [Live] one.
func CanFollow(format string) bool { return format == "csv" || format == "pcapng" || format == "otlp" }

// Formats lists the formats that [New] knows.
func Formats() []string { return []string{"markdown", "mermaid", "html", "csv", "pcapng", "otlp"} }

// New returns a renderer for a format, which must be one of [Formats]. It writes to w, which should be buffered.
func New(format string, w io.Writer, o Options) (Renderer, error) {
	switch format {
	case "csv":
		return newCSV(w), nil
	case "mermaid":
		return newMermaid(w), nil
	case "markdown":
		return newMarkdown(w, o), nil
	case "html":
		return newHTML(w, o), nil
	case "pcapng":
		return newPcapng(w, o), nil
	case "otlp":
		return newOTLP(w, o), nil
	}
	return nil, fmt.Errorf("no format is called %q", format)
}

// refText writes a reference as seq or seq.sub.
func refText(r annotate.Ref) string {
	s := strconv.FormatInt(r.Seq, 10)
	if r.Sub != annotate.NoSub {
		s += "." + strconv.Itoa(int(r.Sub))
	}
	return s
}

// milliseconds writes a duration in milliseconds, without needless zeros.
func milliseconds(d time.Duration) string {
	return strconv.FormatFloat(float64(d)/float64(time.Millisecond), 'f', -1, 64)
}

// label is what an entry is called where there is little room: its method and target, or its kind.
func label(e *annotate.Entry) string {
	switch {
	case e.Method != "" && e.Target != "":
		return e.Method + " " + e.Target
	case e.Method != "":
		return e.Method
	case e.Event != nil:
		return e.Event.Name
	}
	return string(e.Kind)
}

// commandLine is the command of a recording, wherever it says it; "" when it does not.
func commandLine(h *recordings.Header) string {
	words := h.Command
	if len(words) == 0 && h.Imported != nil {
		list, _ := h.Imported.Meta["command"].([]any)
		for _, w := range list {
			if s, ok := w.(string); ok {
				words = append(words, s)
			}
		}
	}
	return ShellWords(words)
}

// ShellWords joins a command the way a person would type it. It is for reading, not for a shell.
func ShellWords(words []string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		if w == "" || strings.ContainsAny(w, " \t\n\"'\\$&|;<>()*?#~`") {
			w = strconv.Quote(w)
		}
		quoted[i] = w
	}
	return strings.Join(quoted, " ")
}

// cut shortens a text to at most n bytes, at the start of a character, and says whether it did.
func cut(s string, n int) (string, bool) {
	if len(s) <= n {
		return s, false
	}
	for n > 0 && s[n]&0xc0 == 0x80 {
		n--
	}
	return s[:n], true
}

func isCall(e *annotate.Entry) bool {
	return e.Kind == annotate.Request || e.Kind == annotate.Notification
}

func isAnswer(e *annotate.Entry) bool {
	return e.Kind == annotate.Response || e.Kind == annotate.ErrorAnswer
}
