package recordings

import "github.com/shakescope/shakescope/jsonrpc"

// loss writes what the buffer could not keep as a gap. A line in which it begins is cut there, and
// one in which it ends begins there.
func (w *writer) loss(lost *loss) {
	for s := Stdin; s <= Stderr; s++ {
		n := &lost.stream[s]
		if n.bytes == 0 {
			continue
		}
		l := &w.lines[s]
		if l.open {
			f, _ := l.framer.Close()
			l.cut = true
			l.hidden += n.first
			w.frame(s, f.Data, jsonrpc.None, l.last, false)
		}
		if n.frames > 0 {
			l.cut, l.hidden = false, 0
		}
		l.cut = l.cut || n.last > 0
		l.hidden += n.last
	}
	w.gap(lost.gap())
}

func (l *loss) gap() *Gap {
	g := &Gap{Reason: l.reason, From: l.from, To: l.to}
	for s := Stdin; s <= Stderr; s++ {
		g.add(s, l.stream[s].bytes, l.stream[s].frames)
	}
	return g
}

// add counts what was lost of a stream.
func (g *Gap) add(s Stream, bytes, frames int64) {
	name := streamNames[s]
	if bytes > 0 {
		if g.Bytes == nil {
			g.Bytes = make(map[string]int64)
		}
		g.Bytes[name] += bytes
	}
	if frames > 0 {
		if g.Frames == nil {
			g.Frames = make(map[string]int64)
		}
		g.Frames[name] += frames
	}
}

func (w *writer) gap(g *Gap) {
	w.makeRoom(otherRoom+len(g.Reason), nil)
	for s := Stdin; s <= Stderr; s++ {
		n := g.Bytes[streamNames[s]]
		w.lines[s].sum.Bytes += n
		w.lines[s].sum.Frames += g.Frames[streamNames[s]]
	}
	w.seq++
	w.gaps++
	w.out = appendGap(w.out, w.seq, g.To, g)
	w.pending = append(w.pending, pending{end: len(w.out), t: g.To, gap: g})
}
