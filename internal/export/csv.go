package export

import (
	"encoding/csv"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/shakescope/shakescope/annotate"
	"github.com/shakescope/shakescope/recordings"
)

// csvColumns are the columns of the CSV export. New ones come at the end.
var csvColumns = []string{"seq", "sub", "time", "t", "session", "from", "stream", "kind", "id", "method", "target", "primitive", "group", "phase",
	"era", "revision", "capability", "capability_state", "pair", "state", "latency_ms", "error_code", "error_message", "size", "findings", "summary"}

// csvTable writes a row an entry, for spreadsheets and data frames.
type csvTable struct {
	w     *csv.Writer
	start time.Time
	row   []string
}

func newCSV(w io.Writer) *csvTable { return &csvTable{w: csv.NewWriter(w)} }

func (c *csvTable) Begin(h *recordings.Header) error {
	c.start = h.Start
	return c.w.Write(csvColumns)
}

func (c *csvTable) Entry(e *annotate.Entry) error {
	c.row = c.row[:0]
	c.add(strconv.FormatInt(e.Seq, 10))
	c.addIf(e.Sub != annotate.NoSub, strconv.Itoa(int(e.Sub)))
	if c.start.IsZero() {
		c.add("")
	} else {
		c.add(c.start.Add(e.T).UTC().Format(time.RFC3339Nano))
	}
	c.add(strconv.FormatFloat(e.T.Seconds(), 'f', -1, 64))
	c.add(strconv.Itoa(e.Session))
	c.add(e.From)
	c.add(streamName(e.Stream))
	c.add(string(e.Kind))
	c.text(e.ID)
	c.text(e.Method)
	c.text(e.Target)
	c.add(e.Primitive)
	c.add(e.Group)
	c.add(string(e.Phase))
	c.add(e.Era)
	c.text(e.Revision)
	names, states := make([]string, len(e.Capability)), make([]string, len(e.Capability))
	for i, need := range e.Capability {
		names[i], states[i] = need.Side+":"+need.Path, string(need.State)
	}
	c.text(strings.Join(names, " "))
	c.add(strings.Join(states, " "))
	c.addIf(!e.Pair.IsZero(), refText(e.Pair))
	c.add(string(e.State))
	c.addIf(e.HasLatency, milliseconds(e.Latency))
	if e.Err != nil {
		c.add(strconv.FormatInt(e.Err.Code, 10))
		c.text(e.Err.Message)
	} else {
		c.add("")
		c.add("")
	}
	c.addIf(e.Stream != recordings.Control, strconv.FormatInt(e.Size, 10))
	rules := make([]string, len(e.Findings))
	for i := range e.Findings {
		rules[i] = string(e.Findings[i].Level) + ":" + e.Findings[i].Rule
	}
	c.text(strings.Join(rules, " "))
	c.text(e.Summary())
	return c.w.Write(c.row)
}

func (c *csvTable) End(*annotate.Recording) error {
	c.w.Flush()
	return c.w.Error()
}

// Patch does nothing: a row says what was known when it was written.
func (c *csvTable) Patch(*annotate.Patch) error { return nil }

func (c *csvTable) Flush() error { return c.End(nil) }

func (c *csvTable) add(s string) { c.row = append(c.row, s) }

func (c *csvTable) addIf(ok bool, s string) {
	if !ok {
		s = ""
	}
	c.row = append(c.row, s)
}

// text adds a cell that holds text from the wire. A spreadsheet takes a cell that begins with one of these for a
// formula, and what a formula can do is not for a server to decide; the apostrophe makes it text.
func (c *csvTable) text(s string) {
	if t := strings.TrimLeft(s, " \u00a0\u3000\ufeff"); t != "" && strings.ContainsRune("=+-@\t\r\n|%\uff1d\uff0b\uff0d\uff20", []rune(t[:min(len(t), 4)])[0]) && !isNumber(s) {
		s = "'" + s
	}
	// A spreadsheet holds no longer cell, and some drop the file.
	const longest = 32_000
	if short, ok := cut(s, longest); ok {
		s = short + "…"
	}
	c.row = append(c.row, strings.ReplaceAll(s, "\x00", "\ufffd"))
}

// isNumber lets negative ids stay numbers.
func isNumber(s string) bool {
	_, err := strconv.ParseFloat(s, 64)
	return err == nil && len(s) < 30 && strings.Trim(s, "-+.0123456789eE") == ""
}

func streamName(s recordings.Stream) string {
	switch s {
	case recordings.Stdin:
		return "stdin"
	case recordings.Stdout:
		return "stdout"
	case recordings.Stderr:
		return "stderr"
	}
	return "control"
}
