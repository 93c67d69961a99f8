package tui

import (
	"strings"
	"time"

	"github.com/shakescope/shakescope/annotate"
	"github.com/shakescope/shakescope/internal/termtext"
	"github.com/shakescope/shakescope/internal/timetext"
	"github.com/shakescope/shakescope/recordings"
)

// sentence says of row i what this program is for: phase, primitive, capability and rules.
func (s *session) sentence(i int) []seg {
	r := s.rows.at(i)
	var out []seg
	add := func(ro role, text string) { out = append(out, seg{ro, text}) }
	if name := string(phaseNames[r.phase()]); name != "" {
		add(phaseRole(r.phase()), strings.ToUpper(name[:1])+name[1:]+" phase")
		add(roleText, ". ")
	}
	g := groups[r.group()]
	switch {
	case r.flags&hasPrimitive != 0:
		add(roleText, "Primitive: ")
		add(g.role, g.name)
		add(roleText, ". ")
	case g.name == "unknown":
		add(roleText, "A method that MCP does not define. ")
	case g.name != "":
		add(roleText, "No primitive: it belongs to ")
		add(g.role, g.name)
		add(roleText, ". ")
	}
	if more := s.rows.touches[int32(i)]; len(more) > 0 {
		add(roleText, "It also touches "+strings.Join(more, ", ")+". ")
	}
	for _, c := range s.rows.caps[r.caps] {
		add(roleText, "Depends on "+c.Side+" capability ")
		add(roleStrong, c.Path)
		switch c.State {
		case annotate.IsDeclared:
			at := " (declared)"
			if c.At > 0 {
				at = " (declared in #" + itoa(c.At) + ")"
			}
			add(roleOK, at)
		case annotate.Undeclared:
			add(roleError, " (not declared)")
		default:
			add(roleMuted, " (not known whether it was declared)")
		}
		add(roleText, ". ")
	}
	if r.isMessage() && len(s.rows.caps[r.caps]) == 0 {
		add(roleMuted, "Depends on no capability. ")
	}
	if rev := s.rows.eras[r.era].revision; rev != "" {
		add(roleText, "Rules of ")
		add(roleStrong, rev)
		add(roleText, " apply.")
	} else if r.isMessage() {
		add(roleMuted, "No revision is agreed yet.")
	}
	return out
}

// facts says who sent row i, when, and how it relates to others.
func (s *session) facts(i int) []dline {
	gl := s.m.gl
	r := s.rows.at(i)
	var segs []seg
	add := func(ro role, text string) { segs = append(segs, seg{ro, text}) }
	switch {
	case r.stream() == recordings.Stdin:
		add(roleC2S, "client "+gl.c2s+" server")
	case r.stream() == recordings.Stdout:
		add(roleS2C, "server "+gl.c2s+" client")
	case r.stream() == recordings.Stderr:
		add(roleStderr, "server's stderr")
	default:
		add(roleControl, "event")
	}
	add(roleText, "   ")
	if w, ok := s.wall(r.t()); ok {
		add(roleText, w.Format("15:04:05.000")+"  ")
	}
	add(roleText, seconds(r.t())+" s")
	if r.size() > 0 {
		add(roleText, "   "+bytesText(r.size()))
	}
	if r.session() > 1 {
		add(roleMuted, "   session "+itoa(int(r.session())))
	}
	if r.flags&partial != 0 {
		add(roleWarn, "   no line end: the stream stopped here")
	}
	if s.rows.moreOf(i).withheld != "" {
		add(roleWarn, "   only its length was recorded")
	} else if r.flags&truncated != 0 {
		add(roleError, "   cut by a gap")
	}
	lines := []dline{{segs: segs, jump: none}}
	if d := s.relation(i); d != nil {
		lines = append(lines, *d)
	}
	return lines
}

// relation says how row i is tied to its other half.
func (s *session) relation(i int) *dline {
	gl := s.m.gl
	r := s.rows.at(i)
	g, ro := s.stateGlyph(i)
	pair := s.pairAt(i)
	l := dline{segs: []seg{{ro, g + " "}}, jump: pair}
	add := func(ro role, text string) {
		word := strings.TrimLeft(text, " ")
		l.segs = append(l.segs, seg{roleText, text[:len(text)-len(word)]}, seg{ro, word}) // reverse video shows blanks
	}
	switch {
	case r.isAnswer() && pair >= 0:
		add(roleText, "answers #"+itoa(s.rows.at(pair).seq()))
		if d, ok := s.rows.latency(i); ok {
			add(roleStrong, " after "+timetext.Latency(d))
		}
		switch r.state() {
		case stateToolError:
			add(roleError, "   tool failure, not a protocol error")
		case stateError:
			add(roleError, "   JSON-RPC error")
		case stateInputRequired:
			add(roleInfo, "   asks the client for more input")
		}
	case r.kind() == kindRequest && s.stateAt(i) == stateOpen:
		add(roleInfo, "open by design")
	case r.kind() == kindRequest && pair >= 0:
		other := s.rows.at(pair)
		word := "answered by #" + itoa(other.seq())
		if other.kind() == kindError {
			word = "refused by #" + itoa(other.seq())
		}
		add(roleText, word)
		if d, ok := s.rows.latency(pair); ok {
			add(roleStrong, " after "+timetext.Latency(d))
		}
		if other.state() == stateToolError {
			add(roleError, "   with a tool error")
		}
	case r.kind() == kindRequest && s.stateAt(i) == stateCancelled:
		add(roleWarn, "cancelled and not answered")
	case r.kind() == kindRequest && s.done && !s.replay.on:
		add(roleWarn, "never answered")
	case r.kind() == kindRequest:
		add(rolePending, "pending for "+timetext.Rough(s.clock()-r.t()))
	case r.isAnswer() && r.state() == stateDuplicate:
		add(roleWarn, "a second answer to the same request")
	case r.isAnswer():
		add(roleWarn, "answers no request that is known")
	case r.flow() >= 0 && int(r.flow()) != i && int(r.flow()) < s.limit():
		l.segs = []seg{{roleMuted, gl.dot + " "}}
		l.jump = int(r.flow())
		f := s.rows.at(l.jump)
		add(roleText, "belongs to #"+itoa(f.seq())+" "+s.rows.names.text(f.method()))
	default:
		return nil
	}
	if r.flags&cancelledToo != 0 {
		add(roleWarn, "   cancelled")
	}
	return &l
}

// annotated makes the first tab: the sentence, the relations, and what the message says.
func (s *session) annotated(i, width int) []dline {
	inner := max(width-2, 10)
	lines := wrapSegs(s.sentence(i), inner)
	lines = append(lines, s.facts(i)...)
	if pts := s.progressAt(i); len(pts) > 0 {
		lines = append(lines, s.progressLine(pts, s.rows.at(i).t()))
	}
	for _, f := range s.findingsAt(i) {
		g, ro := s.levelGlyph(level(index(levelNames[:], f.Level)))
		l := wrapSegs([]seg{{ro, g + " " + f.Rule}, {roleText, "  " + f.Message}}, inner)
		for k := range l {
			l[k].ptr = f.Path
		}
		lines = append(lines, l...)
	}
	r := s.rows.at(i)
	if text := s.notes.noteOf(r.ref()); text != "" {
		lines = append(lines, wrapSegs([]seg{{roleInfo, s.m.gl.note + " "}, {roleText, text}}, inner)...)
	}
	if marks := s.notes.marksOf(r.ref()); marks != "" {
		lines = append(lines, dline{segs: []seg{{roleMuted, "marked " + marks}}, jump: none})
	}
	lines = append(lines, dline{jump: none})
	if !r.hasPayload() {
		return append(lines, s.eventLines(i, inner)...)
	}
	p := s.detail.payloadOf(i)
	switch {
	case p == nil:
		return append(lines, dline{segs: []seg{{roleMuted, "reading…"}}, jump: none})
	case p.err != nil:
		return append(lines, dline{segs: []seg{{roleError, p.err.Error()}}, jump: none})
	case p.entry.Message == nil:
		return append(lines, s.textLines(p, inner)...)
	}
	if text := p.entry.Summary(); text != "" {
		lines = append(lines, wrapSegs([]seg{{roleStrong, termtext.Line(text, inner*3)}}, inner)...)
	}
	if p.entry.Reason != "" {
		lines = append(lines, s.textLines(p, inner)...)
	}
	return append(lines, fieldLines(p.fields, inner, s.m.gl)...)
}

// fieldLines lays out decoded fields: keys of one object in a column, values beside them.
func fieldLines(fields []field, width int, gl *glyphs) []dline {
	var lines []dline
	keyWidth := map[int]int{}
	// The column of an object is as wide as its widest key, within reason.
	for i, f := range fields {
		if f.open {
			delete(keyWidth, f.indent+1)
		}
		if !f.cont && !f.open && keyWidth[f.indent] == 0 {
			w := 0
			for k := i; k < len(fields) && fields[k].indent >= f.indent; k++ {
				if fields[k].indent == f.indent && !fields[k].open {
					w = max(w, min(termtext.Width(termtext.Clean(fields[k].key)), 24))
				}
			}
			keyWidth[f.indent] = w
		}
		col := keyWidth[f.indent]
		indent := strings.Repeat("  ", f.indent)
		switch {
		case f.open:
			lines = append(lines, dline{segs: []seg{{rolePunct, indent + gl.unfolded + " "}, {roleJSONKey, f.key}, {roleMuted, "  " + f.value}}, jump: none, ptr: f.ptr})
			continue
		}
		key := termtext.Fit(termtext.Clean(f.key), col)
		head := indent + "  "
		room := max(width-len(head)-col-2, 8)
		clean := termtext.Clean(f.value)
		n := 0
		for _, part := range wrapWords(clean, room, valueLines+1) {
			if n == valueLines {
				lines = append(lines, dline{segs: []seg{{rolePunct, head + strings.Repeat(" ", col+2)}, {roleMuted, "… more in the raw tab"}}, jump: none, ptr: f.ptr})
				break
			}
			if n > 0 {
				key = strings.Repeat(" ", col)
			}
			lines = append(lines, dline{segs: []seg{{rolePunct, head}, {roleJSONKey, key + "  "}, {f.r, part}}, jump: none, ptr: f.ptr})
			n++
		}
	}
	return lines
}

// valueLines is how many lines of one value are shown.
const valueLines = 12

// wrapWords breaks text into at most some lines, between words where it can.
func wrapWords(text string, width, lines int) []string {
	var out []string
	for part := range strings.SplitSeq(clip(text, 4*width*lines), "\n") {
		for row := range termtext.WrapWords(termtext.Clean(part), width) {
			if out = append(out, strings.TrimRight(row, " ")); len(out) == lines {
				return out
			}
		}
	}
	return out
}

// textLines shows a line that is no message, with the reason and a caret under the place.
func (s *session) textLines(p *payload, width int) []dline {
	e := &p.entry
	var lines []dline
	add := func(ro role, text string) { lines = append(lines, dline{segs: []seg{{ro, text}}, jump: none}) }
	if e.Reason != "" {
		add(roleWarn, "not a JSON-RPC message: "+strings.ReplaceAll(string(e.Reason), "_", " ")+", at byte "+itoa(e.Offset))
	}
	data := e.Raw
	from := 0
	if e.Reason != "" && e.Offset > width/2 && e.Offset <= len(data) {
		from = e.Offset - width/2
		for from > 0 && data[from]&0xc0 == 0x80 {
			from--
		}
	}
	if e.Reason != "" {
		add(roleText, termtext.Line(string(data[from:min(len(data), from+width*8)]), width))
		at := termtext.Width(termtext.Clean(string(data[from:max(from, min(e.Offset, len(data)))])))
		if at < width {
			add(roleError, strings.Repeat(" ", at)+"^")
		}
		return lines
	}
	n := 0
	for part := range termtext.Wrap(termtext.Clean(clip(string(data[:min(len(data), previewMax*4)]), previewMax)), width) {
		if n++; n > 200 {
			break
		}
		add(roleText, part)
	}
	return lines
}

// eventLines says what an event or a gap is.
func (s *session) eventLines(i, width int) []dline {
	var segs []seg
	add := func(name, value string) {
		if value != "" {
			segs = append(segs, seg{roleJSONKey, name + " "}, seg{roleText, value + "   "})
		}
	}
	if ev, ok := s.rows.events[int32(i)]; ok {
		add("event", ev.Name)
		add("reason", ev.Reason)
		add("signal", ev.Signal)
		if ev.Code != nil {
			add("code", itoa(*ev.Code))
		}
		if ev.Bytes > 0 {
			add("undelivered", bytesText(ev.Bytes))
		}
		if ev.PID > 0 {
			add("pid", itoa(ev.PID))
		}
	}
	if g, ok := s.rows.gaps[int32(i)]; ok {
		for _, k := range []string{"in", "out", "err"} {
			if g.Bytes[k] > 0 {
				add(map[string]string{"in": "client to server", "out": "server to client", "err": "stderr"}[k], bytesText(g.Bytes[k])+" not recorded")
			}
		}
		add("because", g.Reason)
		add("for", timetext.Rough(g.To-g.From))
	}
	return wrapSegs(segs, width)
}

func (s *session) progressLine(pts []progressPoint, start time.Duration) dline {
	last := pts[len(pts)-1]
	l := dline{jump: int(last.since)}
	gl := s.m.gl
	if last.total > 0 {
		full := int(20 * max(0, min(last.progress/last.total, 1)))
		l.segs = append(l.segs, seg{roleOK, strings.Repeat(gl.barFull, full)}, seg{roleMuted, strings.Repeat(gl.barEmpty, 20-full) + " "})
	}
	l.segs = append(l.segs, seg{rolePending, "progress " + progressText(last)}, seg{roleMuted, "  " + progressRest(pts, start) + "   " + plural(int64(len(pts)), "notification")})
	return l
}

func (s *session) levelGlyph(lv level) (string, role) {
	gl := s.m.gl
	switch lv {
	case levelError:
		return gl.failure, roleError
	case levelWarning:
		return gl.warning, roleWarn
	}
	return gl.info, roleInfo
}

// wrapSegs breaks styled text into lines at blanks.
func wrapSegs(segs []seg, width int) []dline {
	var lines []dline
	line := dline{jump: none}
	used := 0
	flush := func() {
		lines = append(lines, line)
		line, used = dline{jump: none}, 0
	}
	for _, sg := range segs {
		rest := termtext.Clean(sg.text)
		for rest != "" {
			word := rest
			if k := strings.IndexByte(rest[1:], ' '); k >= 0 {
				word = rest[:k+1]
			}
			rest = rest[len(word):]
			w := termtext.Width(word)
			if used+w > width && used > 0 {
				flush()
				word = strings.TrimLeft(word, " ")
				w = termtext.Width(word)
			}
			for w > width {
				head := ""
				for part := range termtext.Wrap(word, width) {
					head = part
					break
				}
				line.segs = append(line.segs, seg{sg.r, head})
				flush()
				word = word[len(head):]
				w = termtext.Width(word)
			}
			line.segs = append(line.segs, seg{sg.r, word})
			used += w
		}
	}
	if len(line.segs) > 0 || len(lines) == 0 {
		flush()
	}
	return lines
}
