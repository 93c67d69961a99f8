package tui

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/shakescope/shakescope/annotate"
	"github.com/shakescope/shakescope/internal/export"
	"github.com/shakescope/shakescope/internal/redact"
	"github.com/shakescope/shakescope/internal/termtext"
	"github.com/shakescope/shakescope/internal/timetext"
	"github.com/shakescope/shakescope/recordings"
)

// exportMenu asks for the form in which the shown entries are written to a file.
func (s *session) exportMenu() tea.Cmd {
	if s.shownCount() == 0 {
		return s.m.say("nothing is shown")
	}
	what := plural(int64(s.shownCount()), "entry") + ", as shown"
	if out := s.ignoredText(); out != "" {
		what += "; " + out
	}
	n := &menu{title: "export " + what, items: []menuItem{
		{key: "j", name: "JSON lines", about: "annotated, one object an entry, as show --json; secrets are masked"},
		{key: "t", name: "text", about: "one line an entry, as the stream has it; secrets are masked"},
	}}
	if s.src != nil && s.src.again != nil {
		n.items = append(n.items,
			menuItem{key: "m", name: "mermaid", about: "a sequence diagram; secrets are masked"},
			menuItem{key: "d", name: "markdown", about: "a report for an issue tracker; secrets are masked"})
	}
	n.pick = func(m *model, k int) tea.Cmd {
		ext := []string{".jsonl", ".txt", ".mmd", ".md"}[k]
		base := strings.TrimSuffix(filepath.Base(s.path), ".jsonl")
		if s.path == "" {
			base = "recording"
		}
		m.prompt = &prompt{label: "write to ", input: newInput(base + "-view" + ext), done: func(m *model, text string) tea.Cmd {
			if text == "" {
				return nil
			}
			if k >= 2 {
				return s.render(text, n.items[k].name)
			}
			return s.export(text, k == 0)
		}}
		return nil
	}
	s.m.menu = n
	return nil
}

// export writes the shown entries to a new file, in the background.
func (s *session) export(path string, asJSON bool) tea.Cmd {
	wanted := make([]wanted, 0, s.shownCount())
	if s.listed() {
		for _, i := range s.shownList() {
			wanted = append(wanted, s.want(int(i)))
		}
	} else {
		for i := range s.limit() {
			wanted = append(wanted, s.want(i))
		}
	}
	id, gl, read := owned(s.id), s.m.gl, func(int64, int64) ([]byte, error) { return nil, errors.New("the recording cannot be read again") }
	var header *recordings.Header
	if s.src != nil {
		header = s.src.header
		if s.src.read != nil {
			read = s.src.read
		}
	}
	said := "secrets masked"
	if out := s.ignoredText(); out != "" {
		said = "secrets masked, " + out
	}
	mask := export.NewMask(redact.NewWith(s.m.opts.Settings.Redact))
	return tea.Batch(s.m.say("writing "+plural(int64(len(wanted)), "entry")+s.m.gl.ellipsis), func() tea.Msg {
		n, err := writeEntries(path, wanted, read, header, mask, asJSON, gl)
		return doneMsg{id, func(s *session) tea.Cmd {
			s.m.dirty = true
			if err != nil {
				return s.m.complain(err.Error())
			}
			return s.m.say("wrote " + plural(int64(len(wanted)), "entry") + ", " + bytesText(n) + ", " + said + " to " + path)
		}}
	})
}

// writeEntries writes entries to a file that must not exist yet, and says how many bytes they took. Secrets are masked
// wherever the entries give them away.
func writeEntries(path string, list []wanted, read func(pos, length int64) ([]byte, error), h *recordings.Header, mask *export.Mask, asJSON bool, gl *glyphs) (n int64, err error) {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return 0, fmt.Errorf("export: %w", err)
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	w := bufio.NewWriterSize(f, 256<<10)
	h = mask.Header(h)
	for i := range list {
		if e := &list[i].entry; list[i].payload() {
			if data, err := read(list[i].pos, list[i].length); err == nil {
				mask.Record(&recordings.Record{Kind: recordings.FrameRecord, Seq: e.Seq, Stream: e.Stream, Data: data})
			}
		}
	}
	var buf []byte
	for i := range list {
		e := list[i].entry
		if list[i].payload() {
			if err := fill1(&e, read, list[i]); err != nil {
				return n, fmt.Errorf("export: reading #%d: %w", e.Seq, err)
			}
		}
		mask.Entry(&e)
		if asJSON {
			buf = append(annotate.AppendJSON(buf[:0], &e, h), '\n')
		} else {
			buf = appendText(buf[:0], &e, gl)
		}
		if _, err := w.Write(buf); err != nil {
			return n, fmt.Errorf("export: %w", err)
		}
		n += int64(len(buf))
	}
	if err := w.Flush(); err != nil {
		return n, fmt.Errorf("export: %w", err)
	}
	return n, nil
}

// payload reports whether the entry has one in the file.
func (w *wanted) payload() bool {
	return w.length > 0 && w.entry.Kind != annotate.EventEntry && w.entry.Kind != annotate.Gap && w.entry.Kind != annotate.Blank
}

// appendText writes an entry as one line.
func appendText(dst []byte, e *annotate.Entry, gl *glyphs) []byte {
	sign := gl.control
	switch e.Stream {
	case recordings.Stdin:
		sign = gl.c2s
	case recordings.Stdout:
		sign = gl.s2c
	case recordings.Stderr:
		sign = gl.stderr
	}
	took := ""
	if e.HasLatency {
		took = timetext.Cell(e.Latency)
	}
	dst = fmt.Appendf(dst, "%7d %12s %s %-12s %-6s %-10s %-28s %7s  ", e.Seq, seconds(time.Duration(e.T)), sign, e.Kind, clip(shorn(e.ID), 16), e.State, shorn(e.Method), took)
	dst = append(dst, termtext.Clean(e.Summary())...)
	for i := range e.Findings {
		dst = fmt.Appendf(dst, "  [%s %s]", e.Findings[i].Level, termtext.Clean(e.Findings[i].Rule))
	}
	return append(dst, '\n')
}

func dirOf(path string) string { return filepath.Dir(path) }
