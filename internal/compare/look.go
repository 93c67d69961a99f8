package compare

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"github.com/shakescope/shakescope/annotate"
	"github.com/shakescope/shakescope/jsonrpc"
	"github.com/shakescope/shakescope/recordings"
)

// maxHeld bounds the payloads of the first recording that wait for those of the second.
const maxHeld = 64 << 20

// look reads both recordings again for what differs, and tries schema changes on recorded values.
func (c *comparer) look() error {
	held := 0
	for n, h := range []*half{c.a, c.b} {
		want := wanted{}
		for _, p := range c.pairs {
			if p.shape != "" {
				continue
			}
			ref := p.a.answer
			if n == 1 {
				ref = p.b.answer
			}
			if p.kind == Params {
				ref = p.a.ref
				if n == 1 {
					ref = p.b.ref
				}
			}
			if ref.IsZero() {
				continue
			}
			want.add(ref, func(m *jsonrpc.Message) {
				p.payload[n] = c.payload(m)
				if held += len(p.payload[n].raw); n == 0 && held > maxHeld {
					p.payload[n], p.shape = payload{}, unread
				}
				if n == 1 {
					p.compare(h.steady)
				}
			})
		}
		for _, p := range c.proofs {
			p.wants(n, h, want)
		}
		if len(want) == 0 {
			continue
		}
		if err := visit(h.side, want); err != nil {
			return err
		}
	}
	for _, p := range c.pairs {
		if p.kind == Outcome {
			p.compare(c.a.steady) // where one side has no answer
		}
	}
	c.settle()
	for _, p := range c.proofs {
		p.settle()
	}
	return nil
}

// wanted is which messages are to be read again, and what is done with them.
type wanted map[annotate.Ref][]func(*jsonrpc.Message)

func (w wanted) add(r annotate.Ref, f func(*jsonrpc.Message)) { w[r] = append(w[r], f) }

// payload is what a message carries, as it is and with its secrets masked.
type payload struct{ raw, masked []byte }

// payload copies what a message carries.
func (c *comparer) payload(m *jsonrpc.Message) payload {
	content := func(m *jsonrpc.Message) []byte {
		switch {
		case m.Err != nil:
			return m.Err.Raw
		case m.Result != nil:
			return m.Result
		}
		return m.Params
	}
	p := payload{raw: bytes.Clone(content(m))}
	if r := c.a.side.Secrets; r != nil {
		masked := jsonrpc.Decode(r.Line(m.Raw))
		p.masked = bytes.Clone(content(&masked))
	}
	return p
}

// compare finds out where the payloads of a pair differ.
func (p *pair) compare(st steady) {
	if p.shape != "" || p.done {
		return
	}
	st.took, p.done = p.kind != Params, true
	a, b := p.payload[0], p.payload[1]
	p.payload = [2]payload{}
	d := differ{steady: st, most: MaxDifferences}
	if failedA := p.a.state == annotate.Failed; p.kind == Outcome && failedA != (p.b.state == annotate.Failed) {
		// A result and an error have no places in common: what the error says is what matters.
		said := b
		if failedA {
			said = a
		}
		raw := said.raw
		if said.masked != nil {
			raw = said.masked
		}
		if raw != nil {
			p.out = []Difference{{Path: "/error/message", Words: "says " + cut(string(member(raw, "message")), 200)}}
		}
		return
	}
	if p.kind == Outcome && (a.raw == nil || b.raw == nil) && p.a.state != annotate.ToolError && p.b.state != annotate.ToolError {
		return
	}
	d.raw(a.raw, b.raw)
	p.shape = strings.Join(d.paths, "\n")
	if a.masked != nil || b.masked != nil {
		shown := differ{steady: st, most: MaxDifferences}
		shown.raw(a.masked, b.masked)
		if len(d.out) > 0 && len(shown.out) == 0 {
			shown.out = []Difference{{Path: d.out[0].Path, Words: "differs in what is masked"}}
		}
		d = shown
	}
	p.out, p.more = d.out, d.more
}

// visit reads a recording and hands the wanted messages out.
func visit(s Side, want wanted) error {
	seqs := make(map[int64]bool, len(want))
	for ref := range want {
		seqs[ref.Seq] = true
	}
	r, err := s.Open()
	if err != nil {
		return err
	}
	defer r.Close()
	for left := len(seqs); left > 0; {
		rec, err := r.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return fmt.Errorf("%s: %w", s.Name, err)
		}
		if err := s.seen(rec); err != nil {
			return err
		}
		if rec.Kind != recordings.FrameRecord || !seqs[rec.Seq] {
			continue
		}
		delete(seqs, rec.Seq)
		left--
		m := jsonrpc.Decode(rec.Data)
		for _, f := range want[annotate.Ref{Seq: rec.Seq, Sub: annotate.NoSub}] {
			f(&m)
		}
		for i := range m.Members {
			for _, f := range want[annotate.Ref{Seq: rec.Seq, Sub: int32(i)}] {
				f(&m.Members[i])
			}
		}
	}
	return nil
}
