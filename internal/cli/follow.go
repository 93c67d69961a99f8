package cli

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/shakescope/shakescope/annotate"
	"github.com/shakescope/shakescope/internal/export"
	"github.com/shakescope/shakescope/internal/filter"
	"github.com/shakescope/shakescope/jsonrpc"
	"github.com/shakescope/shakescope/recordings"
)

// follower prints a recording while it grows. Entries come as they are known at that moment; what
// changes later is printed again (JSON) or named in a line of its own (text).
type follower struct {
	out     *output
	log     *textLog // nil for JSON
	json    io.Writer
	header  *recordings.Header
	session *annotate.Session
	running *runningCalls // nil unless on a terminal
	mask    *export.Mask  // nil masks nothing

	tail       *recordings.Tail // whose unfinished lines are printed; nil for none
	unfinished [recordings.Stderr + 1]unfinished

	printed changeable       // JSON only
	file    *recordings.File // reads payloads again; nil for a pipe
	line    []byte

	filter *filter.Stream            // nil when everything is printed
	shown  map[annotate.Ref]struct{} // with a filter, in text: what was printed
}

// follow prints what of file passes x (nil: everything) as it grows, until its recording ends.
func (a *app) follow(file string, x *filter.Expr, asJSON, plain, keep bool) error {
	secrets, err := a.redactor(keep || !asJSON)
	if err != nil {
		return err
	}
	l, err := a.live(file)
	if err != nil {
		return err
	}
	defer l.close()
	f := newFollower(l, a.standardOutput(), export.NewMask(secrets), x)
	f.tail = l.tail
	if asJSON {
		f.asJSON(l)
		defer f.close()
	} else {
		f.asText(lookOf(a.stdout, plain))
	}
	err = f.out.finish(unusable(l.name, f.run(context.Background(), l)))
	if l.tail == nil {
		a.warnDamage(l.name, l.damage())
	}
	return err
}

// newFollower follows l. Secrets are masked unless mask is nil.
func newFollower(l *live, out *output, mask *export.Mask, x *filter.Expr) *follower {
	f := &follower{session: annotate.NewSession(), out: out, mask: mask, header: mask.Header(l.header)}
	f.session.Open(l.header)
	if x != nil {
		f.filter, f.shown = x.Stream(l.header.Start), map[annotate.Ref]struct{}{}
	}
	return f
}

func (f *follower) asJSON(l *live) {
	f.json = f.out.jsonWriter()
	f.printed = newChangeable()
	if l.path != "" {
		// Not every format can be read at a place; then payloads are kept.
		f.file, _ = recordings.OpenFile(l.path)
	}
}

func (f *follower) asText(l look) {
	f.log = newTextLog(f.out.Writer, l)
	f.log.header(f.header)
	if f.out.tty {
		f.running = newRunningCalls(f.log)
	}
}

func (f *follower) close() {
	if f.file != nil {
		f.file.Close()
	}
}

// run prints until the recording ends, or ctx does, which is errInterrupted.
func (f *follower) run(ctx context.Context, l *live) error {
	err := l.each(ctx, func(rec *recordings.Record) error {
		f.mask.Record(rec)
		return f.update(rec, f.session.Add(rec))
	}, func() error {
		if f.log != nil && f.tail != nil {
			f.begun(f.tail, time.Now())
		}
		if f.running != nil {
			f.running.draw(time.Now())
		}
		return writing(f.out.Flush())
	})
	if err != nil {
		return err
	}
	err = f.update(nil, f.session.Finish())
	if f.log != nil {
		era, revision := f.session.InForce()
		f.log.closing(nil, revision, era)
	}
	return err
}

// update prints what one record (nil: the end) brought about.
func (f *follower) update(rec *recordings.Record, u annotate.Update) error {
	if f.running != nil {
		f.running.erase()
		f.running.note(f.header, u)
	}
	for i := range u.Entries {
		if err := f.entry(rec, &u.Entries[i]); err != nil {
			return writing(err)
		}
	}
	for i := range u.Patches {
		if err := f.patch(&u.Patches[i]); err != nil {
			return writing(err)
		}
	}
	if f.log != nil && f.filter == nil {
		for _, finding := range f.mask.Findings(u.Findings) {
			f.log.finding(&finding, "")
		}
	}
	return nil
}

func (f *follower) entry(rec *recordings.Record, e *annotate.Entry) error {
	pass := f.filter == nil || f.filter.Match(e)
	if f.log != nil {
		if pass {
			f.mask.Entry(e)
			f.log.entry(e)
		}
		if pass && f.filter != nil {
			f.shown[e.Ref] = struct{}{}
		}
		return nil
	}
	f.printed.add(rec, e, !pass, f.file != nil)
	if !pass {
		return nil
	}
	f.mask.Entry(e)
	f.line = append(annotate.AppendJSON(f.line[:0], e, f.header), '\n')
	_, err := f.json.Write(f.line)
	return err
}

func (f *follower) patch(patch *annotate.Patch) error {
	if f.log != nil {
		if _, ok := f.shown[patch.At]; ok || f.filter == nil {
			masked := f.mask.Patch(patch)
			f.log.change(&masked)
		}
		return nil
	}
	p := f.printed.change(patch)
	if p == nil {
		return nil
	}
	e := p.entry
	if err := f.payload(p, &e); err != nil {
		return err
	}
	again := !p.hidden
	if p.hidden {
		// What it has become may pass; it is printed for the first time then.
		if p.hidden = !f.filter.Again(&e); p.hidden {
			return nil
		}
	}
	f.mask.Entry(&e)
	if again {
		f.line = append(annotate.AppendRevision(f.line[:0], &e, f.header), '\n')
	} else {
		f.line = append(annotate.AppendJSON(f.line[:0], &e, f.header), '\n')
	}
	_, err := f.json.Write(f.line)
	return err
}

// payload gives e its payload back.
func (f *follower) payload(p *printed, e *annotate.Entry) error {
	raw, member := p.raw, annotate.NoSub
	if p.len > 0 {
		rec, err := f.file.ReadAt(p.pos, p.len)
		if err != nil {
			return fmt.Errorf("reading record %d again: %w", e.Seq, err)
		}
		raw, member = rec.Data, e.Sub
	}
	m := jsonrpc.Decode(raw)
	message := &m
	if member != annotate.NoSub && int(member) < len(m.Members) {
		message = &m.Members[member]
		raw = message.Raw
	}
	e.Raw = raw
	switch e.Kind {
	case annotate.Request, annotate.Notification, annotate.Response, annotate.ErrorAnswer, annotate.Batch:
		e.Raw, e.Message = message.Raw, message
	}
	return nil
}

// change says in a short line what became of an entry that was printed before. What the entry that
// brought the change already says (an answer, a progress) is not said again.
func (p *textLog) change(c *annotate.Patch) {
	of := "#" + refText(c.At) + " "
	for i := range c.Findings {
		p.finding(&c.Findings[i], of)
	}
}

// refText names an entry as the log does.
func refText(r annotate.Ref) string {
	if r.Sub == annotate.NoSub {
		return fmt.Sprint(r.Seq)
	}
	return fmt.Sprintf("%d.%d", r.Seq, r.Sub)
}
