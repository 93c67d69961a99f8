package tui

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/shakescope/shakescope/annotate"
)

// A recording that has ended is read twice: first without rules, which brings all rows in about half
// the time, then with them for the findings, while the user already reads. One that is being recorded
// is read once: there is never much of it at a time. Both at once would take two cores for themselves
// and, where they are not free, keep the rows waiting.

// said is what the rules had to say when a record was read.
type said struct {
	at        annotate.Ref // the entry it is about, zero for the recording as a whole
	by        int64        // number of the record that brought it
	findings  []annotate.Finding
	withdrawn []string
}

// startLoading starts the loader of a source.
func startLoading(ctx context.Context, src *source, out chan<- *batch) {
	if src.live || src.again == nil {
		s := annotate.NewSession()
		s.Open(src.header)
		go load(ctx, src, s, nil, out)
		return
	}
	plain := annotate.NewSessionWithoutRules()
	plain.Open(src.header)
	ruled := annotate.NewSession()
	ruled.Open(src.header)
	go load(ctx, src, plain, ruled, out)
}

// check reads the recording again and sends what the rules say. It reports whether to go on.
func (l *loader) check() bool {
	r, err := l.src.again()
	if err != nil {
		l.b.err = fmt.Errorf("looking for findings: %w", err)
		return true
	}
	defer r.Close()
	by := int64(0)
	for n := 1; ; n++ {
		rec, err := r.Next()
		if err != nil {
			l.note(l.rules.Finish(), by)
			if !errors.Is(err, io.EOF) {
				l.b.err = fmt.Errorf("looking for findings: %w", err)
			}
			return true
		}
		by = max(by, rec.Seq)
		l.note(l.rules.Add(rec), by)
		if n%64 == 0 && l.due() {
			l.b.checked = by
			if !l.send() {
				return false
			}
		}
	}
}

// note takes the findings out of an update.
func (l *loader) note(u annotate.Update, by int64) {
	for i := range u.Entries {
		if e := &u.Entries[i]; len(e.Findings) > 0 {
			l.b.said = append(l.b.said, said{at: e.Ref, by: by, findings: e.Findings})
		}
	}
	for i := range u.Patches {
		if p := &u.Patches[i]; len(p.Findings) > 0 || len(p.Withdrawn) > 0 {
			l.b.said = append(l.b.said, said{at: p.At, by: by, findings: p.Findings, withdrawn: p.Withdrawn})
		}
	}
	if len(u.Findings) > 0 {
		l.b.said = append(l.b.said, said{by: by, findings: append([]annotate.Finding(nil), u.Findings...)})
	}
}

// hear puts what was said into the rows, which are all there.
func (s *session) hear(list []said) {
	for k := range list {
		x := &list[k]
		since := int32(s.rows.firstFrom(x.by+1) - 1)
		if x.at.IsZero() {
			s.rows.addFindings(none, x.findings, since)
			continue
		}
		i := s.rows.find(x.at)
		if i < 0 {
			continue
		}
		s.rows.withdraw(i, x.withdrawn)
		s.rows.addFindings(i, x.findings, since)
		s.detail.changed(int(i))
		s.rejudge(int(i))
	}
}
