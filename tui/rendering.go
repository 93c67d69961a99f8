package tui

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"

	tea "charm.land/bubbletea/v2"

	"github.com/shakescope/shakescope/annotate"
	"github.com/shakescope/shakescope/internal/export"
	"github.com/shakescope/shakescope/internal/redact"
	"github.com/shakescope/shakescope/recordings"
)

// rendering is an export by package export: it reads the recording anew, and masks secrets.
type rendering struct {
	ctx     context.Context // of the recording on screen
	format  string          // one of export.Formats
	open    annotate.Source
	shown   map[annotate.Ref]bool
	ignored map[string]bool // rules whose findings are left out
	options export.Options
	own     *redact.Own // the user's rules on secrets

	written int64 // entries
}

// render writes the shown entries to a new file in one of the formats of package export, in the
// background.
func (s *session) render(path, format string) tea.Cmd {
	r := rendering{ctx: s.ctx, format: format, open: s.src.again, shown: map[annotate.Ref]bool{}, ignored: maps.Clone(s.notes.ignored), own: s.m.opts.Settings.Redact, options: export.Options{Version: s.m.opts.Version, ID: s.name, Ignored: s.ignoredCount()}}
	if s.listed() {
		for _, i := range s.shownList() {
			r.shown[s.rows.at(int(i)).ref()] = true
		}
	} else {
		for i := range s.limit() {
			r.shown[s.rows.at(i).ref()] = true
		}
	}
	said := "(secrets masked)"
	if out := s.ignoredText(); out != "" {
		said = "(secrets masked; " + out + ")"
	}
	id := owned(s.id)
	return tea.Batch(s.m.say("writing "+format+s.m.gl.ellipsis), func() tea.Msg {
		err := r.file(path)
		return doneMsg{id, func(s *session) tea.Cmd {
			s.m.dirty = true
			if err != nil {
				return s.m.complain(err.Error())
			}
			return s.m.say("wrote " + plural(r.written, "entry") + " as " + format + " " + said + " to " + path)
		}}
	})
}

// file writes a file that must not exist yet. It leaves none behind that is not whole.
func (r *rendering) file(path string) (err error) {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return fmt.Errorf("export: %w", err)
	}
	w := bufio.NewWriterSize(f, 256<<10)
	err = r.write(w)
	if err == nil {
		err = w.Flush()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		os.Remove(path)
		return fmt.Errorf("export: %w", err)
	}
	return nil
}

func (r *rendering) write(w io.Writer) error {
	secrets := redact.NewWith(r.own)
	collect := func(yield func(*annotate.Entry) error) (*annotate.Recording, error) {
		rec, err := export.Collect(r.open, secrets, r.keeps, func(e *annotate.Entry) error {
			if err := r.ctx.Err(); err != nil {
				return err
			}
			e.Findings = r.heeded(e.Findings)
			return yield(e)
		})
		if err != nil {
			return nil, err
		}
		rec.Findings = r.heeded(rec.Findings)
		return rec, nil
	}
	// A report is made to be published, so what still looks like a secret stops it, as in the CLI.
	if r.format == "markdown" {
		var left *export.ResidueError
		if err := export.Scan(collect); errors.As(err, &left) {
			return fmt.Errorf("not written: %w; look at these entries, `shakescope export --despite-secrets` writes it all the same", left)
		} else if err != nil {
			return err
		}
	}
	to, err := export.New(r.format, w, r.options)
	if err != nil {
		return err
	}
	reader, err := r.open()
	if err != nil {
		return err
	}
	h := export.Header(secrets, reader.Header())
	reader.Close()
	if h == nil {
		h = &recordings.Header{}
	}
	if err := to.Begin(h); err != nil {
		return err
	}
	rec, err := collect(func(e *annotate.Entry) error {
		r.written++
		return to.Entry(e)
	})
	if err != nil {
		return err
	}
	return to.End(rec)
}

// heeded are findings without those of ignored rules.
func (r *rendering) heeded(list []annotate.Finding) []annotate.Finding {
	return slices.DeleteFunc(slices.Clone(list), func(f annotate.Finding) bool { return r.ignored[f.Rule] })
}

func (r *rendering) keeps(e *annotate.Entry) bool { return r.shown[e.Ref] }
