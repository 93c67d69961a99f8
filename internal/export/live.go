package export

import (
	"github.com/shakescope/shakescope/annotate"
	"github.com/shakescope/shakescope/internal/redact"
	"github.com/shakescope/shakescope/recordings"
)

// Live is a renderer that can write a recording while it grows, when entries come as they are known at that moment.
type Live interface {
	Renderer
	// Patch takes in what has become of an earlier entry.
	Patch(p *annotate.Patch) error
	// Flush writes what there is. Nothing that comes later belongs before it.
	Flush() error
}

// Mask masks the secrets of a recording while it grows, record by record. What it has not seen yet it cannot know: a
// secret is masked by its name and form always, and wherever else it comes from the place on that gives it away.
// A nil Mask leaves all as it is.
type Mask struct{ c cleaner }

// NewMask returns a mask that uses r; nil for a nil r.
func NewMask(r *redact.Redactor) *Mask {
	if r == nil {
		return nil
	}
	return &Mask{cleaner{r: r}}
}

// Redactor returns what masks, nil for none.
func (m *Mask) Redactor() *redact.Redactor {
	if m == nil {
		return nil
	}
	return m.c.r
}

// Header returns the header with its secrets masked. It comes first.
func (m *Mask) Header(h *recordings.Header) *recordings.Header {
	if m == nil {
		return h
	}
	return Header(m.c.r, h)
}

// Record takes in a record before its entries.
func (m *Mask) Record(rec *recordings.Record) {
	if m != nil {
		m.c.learn(rec)
	}
}

// Entry masks an entry, which may be an earlier one again.
func (m *Mask) Entry(e *annotate.Entry) {
	if m != nil {
		m.c.entry(e)
	}
}

// Patch returns a patch with its secrets masked.
func (m *Mask) Patch(p *annotate.Patch) annotate.Patch {
	out := *p
	if m != nil {
		out.Findings = findings(m.c.r, p.Findings)
		out.Unanswered = m.c.r.Text(p.Unanswered)
		if p.Progress != nil {
			masked := *p.Progress
			masked.Message = m.c.r.Text(masked.Message)
			out.Progress = &masked
		}
	}
	return out
}

// Findings returns findings with their secrets masked.
func (m *Mask) Findings(list []annotate.Finding) []annotate.Finding {
	if m == nil {
		return list
	}
	return findings(m.c.r, list)
}
