package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/shakescope/shakescope/annotate"
	"github.com/shakescope/shakescope/internal/filter"
	"github.com/shakescope/shakescope/jsonrpc"
	"github.com/shakescope/shakescope/recordings"
)

// pollEvery is how often a live recording is looked at when it had nothing new.
const pollEvery = 50 * time.Millisecond

// follower prints a recording while it grows. Entries come as they are known at that moment; what
// changes later is printed again (JSON) or named in a line of its own (text).
type follower struct {
	out     *output
	log     *textLog // nil for JSON
	json    io.Writer
	header  *recordings.Header
	session *annotate.Session
	running *runningCalls // nil unless on a terminal

	tail       *recordings.Tail // nil for a pipe
	unfinished [recordings.Stderr + 1]unfinished

	entries map[annotate.Ref]*printed // JSON only: what may have to be printed again
	file    *recordings.File          // reads payloads again; nil for a pipe
	line    []byte

	filter *filter.Stream            // nil when everything is printed
	shown  map[annotate.Ref]struct{} // with a filter, in text: what was printed
}

// printed is an entry without its payload, and where that is to be found.
type printed struct {
	entry    annotate.Entry
	hidden   bool // it has not passed the filter so far
	pos, len int64
	raw      []byte // where it cannot be read again
}

// follow prints what of file passes x (nil: everything) as it grows, until its recording ends.
func (a *app) follow(file string, x *filter.Expr, asJSON, plain bool) error {
	var (
		next func() (*recordings.Record, error)
		f    = &follower{session: annotate.NewSession(), out: a.standardOutput()}
		name = file
	)
	if file == "-" {
		r, err := recordings.NewReader(a.stdin, "standard input")
		if err != nil {
			return unusable("standard input", err)
		}
		defer r.Close()
		next, f.header = r.Next, r.Header()
		defer func() { a.warnDamage("standard input", r.Damage()) }()
	} else {
		path, err := a.resolve(file)
		if err != nil {
			return err
		}
		tail, err := recordings.NewTail(path)
		if err != nil {
			return unusable(path, err)
		}
		defer tail.Close()
		f.tail = tail
		next, f.header, name = tail.Next, tail.Header(), path
		if asJSON {
			// Not every format can be read at a place; then payloads are kept.
			if f.file, err = recordings.OpenFile(path); err == nil {
				defer f.file.Close()
			}
		}
	}
	f.session.Open(f.header)
	if x != nil {
		f.filter, f.shown = x.Stream(f.header.Start), map[annotate.Ref]struct{}{}
	}
	if asJSON {
		f.json = f.out.jsonWriter()
		f.entries = map[annotate.Ref]*printed{}
	} else {
		f.log = newTextLog(f.out.Writer, lookOf(a.stdout, plain))
		f.log.header(f.header)
		if f.out.tty {
			f.running = newRunningCalls(f.log)
		}
	}
	return f.out.finish(unusable(name, f.run(next)))
}

func (f *follower) run(next func() (*recordings.Record, error)) error {
	for {
		rec, err := next()
		switch {
		case errors.Is(err, recordings.ErrWait):
			if f.log != nil && f.tail != nil {
				f.begun(f.tail, time.Now())
			}
			if f.running != nil {
				f.running.draw(time.Now())
			}
			if err := f.out.Flush(); err != nil {
				return writing(err)
			}
			time.Sleep(pollEvery)
			continue
		case err == io.EOF:
			err := f.update(nil, f.session.Finish())
			if f.log != nil {
				era, revision := f.session.InForce()
				f.log.closing(nil, revision, era)
			}
			return err
		case err != nil:
			return err
		}
		if err := f.update(rec, f.session.Add(rec)); err != nil {
			return err
		}
	}
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
		for i := range u.Findings {
			f.log.finding(&u.Findings[i], "")
		}
	}
	return nil
}

func (f *follower) entry(rec *recordings.Record, e *annotate.Entry) error {
	pass := f.filter == nil || f.filter.Match(e)
	if f.log != nil {
		if pass {
			f.log.entry(e)
		}
		if pass && f.filter != nil {
			f.shown[e.Ref] = struct{}{}
		}
		return nil
	}
	if pass {
		f.line = append(annotate.AppendJSON(f.line[:0], e, f.header), '\n')
		if _, err := f.json.Write(f.line); err != nil {
			return err
		}
	}
	p := &printed{entry: *e, hidden: !pass}
	if f.file != nil && rec != nil && rec.Len > 0 {
		p.pos, p.len = rec.Pos, rec.Len
	} else {
		p.raw = bytes.Clone(e.Raw)
	}
	p.entry.Raw, p.entry.Message = nil, nil
	f.entries[e.Ref] = p
	return nil
}

func (f *follower) patch(patch *annotate.Patch) error {
	if f.log != nil {
		if _, ok := f.shown[patch.At]; ok || f.filter == nil {
			f.log.change(patch)
		}
		return nil
	}
	p := f.entries[patch.At]
	if p == nil {
		return nil
	}
	p.entry.Apply(*patch)
	e := p.entry
	if err := f.payload(p, &e); err != nil {
		return err
	}
	if p.hidden {
		// What it has become may pass; it is printed for the first time then.
		if p.hidden = !f.filter.Again(&e); p.hidden {
			return nil
		}
		f.line = append(annotate.AppendJSON(f.line[:0], &e, f.header), '\n')
	} else {
		f.line = append(annotate.AppendRevision(f.line[:0], &e, f.header), '\n')
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
