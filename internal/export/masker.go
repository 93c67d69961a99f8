package export

import (
	"github.com/shakescope/shakescope/internal/redact"
	"github.com/shakescope/shakescope/recordings"
)

// Masker masks what a recorder writes, so that no secret reaches the disk. It sees a line only once: what gives a
// secret away later comes too late for the lines before, so give it what is known beforehand.
type Masker struct {
	r *redact.Redactor
}

// maskerMemory bounds what a Masker remembers, because it stands beside a server that it must not crowd out.
const maskerMemory = 4 << 20

// NewMasker returns a Masker that goes by r, which then is its own.
func NewMasker(r *redact.Redactor) *Masker {
	r.Remember(maskerMemory)
	return &Masker{r}
}

var _ recordings.Masker = (*Masker)(nil)

// Header masks the secrets in a header.
func (m *Masker) Header(h recordings.Header) recordings.Header { return *Header(m.r, &h) }

// Line masks the secrets in a line. It returns false when a line of stdin or stdout cannot be parsed.
func (m *Masker) Line(s recordings.Stream, line []byte) ([]byte, bool) {
	if s == recordings.Stderr {
		return m.r.Log(int(s), line), true
	}
	return m.r.Message(line)
}

// Event masks the secrets in what is said about an event.
func (m *Masker) Event(e recordings.Event) recordings.Event {
	e.Reason = m.r.Text(e.Reason)
	return e
}
