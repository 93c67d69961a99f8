package cli

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/shakescope/shakescope/annotate"
	"github.com/shakescope/shakescope/internal/export"
	"github.com/shakescope/shakescope/internal/filter"
	"github.com/shakescope/shakescope/recordings"
)

const (
	// sendEvery is how long spans and logs wait for others to be sent with.
	sendEvery = time.Second
	// sendLast is how long an interrupted export may go on sending.
	sendLast = 5 * time.Second
)

// exportFollowing exports a recording while it grows, until it ends or an interrupt comes. Both are good ends.
func (a *app) exportFollowing(file, outPath string, x *filter.Expr, f exportFlags) error {
	l, err := a.live(file)
	if err != nil {
		return err
	}
	defer l.close()
	out, err := a.growing(outPath, l)
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	secrets, err := a.redactor(f.keep)
	if err != nil {
		return err
	}
	mask := export.NewMask(secrets)
	switch f.format {
	case "jsonl", "text":
		p := newFollower(l, out, mask, x)
		if f.format == "jsonl" {
			p.asJSON(l)
			defer p.close()
		} else {
			look := look{}
			if out.file == nil {
				look = lookOf(a.stdout, false)
			}
			p.asText(look)
		}
		err = p.run(ctx, l)
	default:
		err = a.renderFollowing(ctx, l, out, mask, x, f)
	}
	a.warnDamage(l.name, l.damage())
	if errors.Is(err, errInterrupted) {
		err = nil
	}
	return out.finish(unusable(l.name, err))
}

// renderFollowing writes a format of package export while the recording grows.
func (a *app) renderFollowing(ctx context.Context, l *live, out *output, mask *export.Mask, x *filter.Expr, f exportFlags) error {
	sending, cancel := context.WithCancel(context.Background())
	defer cancel()
	defer context.AfterFunc(ctx, func() { time.AfterFunc(sendLast, cancel) })()
	r, sender, err := a.renderer(sending, out.Writer, recordingID(l.path), f)
	if err != nil {
		return err
	}
	if sender != nil {
		said := false
		sender.Failed = func(err error) {
			if !said {
				a.note("%v; trying again until it is there", err)
			}
			said = err != nil
		}
	}
	p := &rendering{session: annotate.NewSession(), mask: mask, to: r.(export.Live), out: out, every: sendEvery}
	if f.format != "otlp" {
		p.every = 0
	}
	if x != nil {
		p.filter = x.Stream(l.header.Start)
	}
	p.session.Open(l.header)
	header := mask.Header(l.header)
	if err := p.to.Begin(header); err != nil {
		return writing(err)
	}
	if err = l.each(ctx, p.record, p.flush); err != nil {
		if errors.Is(err, errInterrupted) {
			p.every = 0
			if failed := p.flush(); failed != nil {
				return failed
			}
		}
		return err
	}
	if err := p.update(p.session.Finish()); err != nil {
		return err
	}
	rec := &annotate.Recording{Header: header, Stats: p.session.Stats(), Findings: p.findings, Damage: l.damage()}
	rec.Era, rec.Revision = p.session.InForce()
	export.Recording(mask.Redactor(), rec)
	if err := p.to.End(rec); err != nil {
		return writing(err)
	}
	return rejected(sender)
}

// rendering feeds a renderer with a recording that grows.
type rendering struct {
	session  *annotate.Session
	mask     *export.Mask
	filter   *filter.Stream // nil when everything passes
	to       export.Live
	out      *output
	every    time.Duration // between flushes
	flushed  time.Time
	findings []annotate.Finding // about the whole
}

func (p *rendering) record(rec *recordings.Record) error {
	p.mask.Record(rec)
	return p.update(p.session.Add(rec))
}

func (p *rendering) update(u annotate.Update) error {
	for i := range u.Entries {
		e := &u.Entries[i]
		if p.filter != nil && !p.filter.Match(e) {
			continue
		}
		p.mask.Entry(e)
		if err := p.to.Entry(e); err != nil {
			return writing(err)
		}
	}
	for i := range u.Patches {
		patch := p.mask.Patch(&u.Patches[i])
		if err := p.to.Patch(&patch); err != nil {
			return writing(err)
		}
	}
	for _, f := range u.Findings {
		p.findings = annotate.MergeFinding(p.findings, f)
	}
	return nil
}

func (p *rendering) flush() error {
	if p.every > 0 && time.Since(p.flushed) < p.every {
		return nil
	}
	p.flushed = time.Now()
	if err := p.to.Flush(); err != nil {
		return writing(err)
	}
	return writing(p.out.Flush())
}
