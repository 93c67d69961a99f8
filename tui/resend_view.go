package tui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/shakescope/shakescope/annotate"
	mcp "github.com/shakescope/shakescope/internal/peer"
	"github.com/shakescope/shakescope/internal/termtext"
	"github.com/shakescope/shakescope/internal/timetext"
	"github.com/shakescope/shakescope/jsonrpc"
)

func (d *resending) places() place {
	if d.sent != nil {
		return inResent
	}
	return inResend
}

func (d *resending) page() int { return max(d.m.body().h-4, 1) }

func (d *resending) move(by int) {
	d.cur = max(0, min(d.cur+by, d.count()-1))
	d.m.dirty = true
}

// count is the number of lines that the cursor goes through.
func (d *resending) count() int {
	if d.sent != nil {
		return len(d.outcome(max(d.m.w-2, 10)))
	}
	return len(d.rows)
}

func (d *resending) header() string {
	m := d.m
	p := &m.pen
	p.begin(m.w, roleText)
	if m.w >= 60 {
		p.text(roleBadge, " shakescope ")
	}
	p.text(roleTitle, " resend ")
	p.space(1)
	what := d.ref.String()
	if d.found != nil {
		what = d.found.Ref.String() + " " + strings.TrimSpace(d.found.Method+" "+d.found.Target)
	}
	p.cut(roleStrong, what, p.left)
	p.space(2)
	p.cut(roleMuted, d.name, p.left)
	return p.end()
}

func (d *resending) status(p *pen) {
	switch {
	case d.running:
		p.text(rolePending, d.waitingText())
		p.text(roleMuted, "  "+map[bool]string{false: "esc stops the server", true: "esc leaves it to end by itself"}[d.stopping])
	case d.err != nil:
		p.text(roleError, d.m.gl.failure+" "+d.err.Error())
	case d.sent != nil:
		if to := d.newRun(); to != "" {
			p.text(roleMuted, "recorded as "+recordingName(to))
		}
	case d.found != nil && len(d.edited) > 0:
		p.text(roleStrong, "changed: "+strings.Join(d.edited, ", "))
	case d.found != nil:
		p.text(roleMuted, "nothing is started before you say so: y")
	}
}

func (d *resending) waitingText() string {
	if d.stopping {
		return "STOPPING the server"
	}
	return "WAITING for the answer " + d.m.gl.dot + " " + timetext.Clock(d.m.now().Sub(d.started))
}

func (d *resending) draw(r rect) []string {
	switch {
	case d.sent != nil:
		return d.drawOutcome(r)
	case d.found == nil:
		p := &d.m.pen
		p.begin(r.w, roleText)
		blank := p.end()
		p.begin(r.w, roleText)
		p.space(3)
		if d.err != nil {
			p.text(roleError, d.m.gl.failure+" "+d.err.Error())
		} else {
			p.text(roleText, "reading the recording"+d.m.gl.ellipsis)
		}
		return []string{blank, p.end()}
	}
	return d.drawForm(r)
}

// drawForm shows the command with the reason why it may or may not be started, and the request.
func (d *resending) drawForm(r rect) []string {
	p := &d.m.pen
	var lines []string
	add := func(l []dline) {
		for _, dl := range l {
			p.begin(r.w, roleText)
			p.space(3)
			p.segs(dl.segs)
			lines = append(lines, p.end())
		}
	}
	rule := func(title string) {
		p.begin(r.w, roleText)
		p.repeat(roleBorder, d.m.gl.rule, 1)
		p.text(roleTitle, " "+title+" ")
		p.repeat(roleBorder, d.m.gl.rule, p.left)
		lines = append(lines, p.end())
	}
	width := max(r.w-4, 10)
	rule("command")
	lines = append(lines, d.drawRow(r.w, 0))
	add(d.aboutCommand(width))
	rule("request")
	if d.err != nil {
		add(wrapSegs([]seg{{roleError, d.m.gl.failure + " " + d.err.Error()}}, width))
	}
	room := max(r.h-len(lines), 1)
	at := max(d.cur-1, 0)
	if at < d.top {
		d.top = at
	}
	if at >= d.top+room {
		d.top = at - room + 1
	}
	d.top = max(0, min(d.top, len(d.rows)-1-room))
	for i := 1 + d.top; i < len(d.rows) && len(lines) < r.h; i++ {
		lines = append(lines, d.drawRow(r.w, i))
	}
	return lines
}

// aboutCommand says what will be started, where, and why it may be.
func (d *resending) aboutCommand(width int) []dline {
	var out []dline
	say := func(segs ...seg) { out = append(out, wrapSegs(segs, width)...) }
	h := d.found.Header
	switch {
	case d.theirs:
		say(seg{roleMuted, "the recorded command: it was recorded on this machine and lies in your own folder"})
		if d.dir != "" {
			say(seg{roleMuted, "in " + d.dir})
		} else if h.Dir != "" {
			say(seg{roleWarn, "its working folder " + h.Dir + " is gone; it starts where you are"})
		}
	case len(d.command) > 0:
		say(seg{roleMuted, "your command, started where you are"})
	case d.reason != "":
		say(seg{roleWarn, "the recorded command is not started, because " + d.reason + "."}, seg{roleText, " c takes the server's command."})
		if len(h.Command) > 0 {
			say(seg{roleMuted, "it was: " + shellWords(h.Command)})
		}
	default:
		say(seg{roleText, "c takes the server's command"})
	}
	if d.theirs && len(d.missing) > 0 {
		say(seg{roleWarn, "not set now, but when it was recorded: " + strings.Join(d.missing, ", ")})
	}
	if h.Redacted {
		say(seg{roleWarn, "secrets in this recording are masked, also in the request"})
	}
	return out
}

func (d *resending) drawRow(w, i int) string {
	p := &d.m.pen
	row := &d.rows[i]
	base := roleText
	if i == d.cur && !d.running {
		base = roleSelection
	}
	p.begin(w, base)
	if i == d.cur {
		p.text(roleTitle, d.m.gl.cursor)
	} else {
		p.space(1)
	}
	p.space(2)
	switch row.kind {
	case formCommand:
		if len(d.command) == 0 {
			p.text(roleWarn, "none yet")
		} else {
			p.text(roleStrong, shellWords(d.command))
		}
	case formValue:
		name := dotted(row.path)
		p.cell(roleJSONKey, strings.TrimPrefix(name, "params."), d.nameWidth(w))
		p.text(jsonRole(row.text), row.text)
	case formNote:
		p.text(roleMuted, row.text)
	case formSend:
		if d.running {
			p.text(rolePending, "the server runs; esc stops it")
		} else {
			p.text(roleHintKey, d.m.gl.play+" start the server and send this request (y)")
		}
	}
	return p.end()
}

// nameWidth is the column of the values' names.
func (d *resending) nameWidth(w int) int {
	n := 8
	for i := range d.rows {
		if d.rows[i].kind == formValue {
			n = max(n, termtext.Width(termtext.Clean(strings.TrimPrefix(dotted(d.rows[i].path), "params."))))
		}
	}
	return min(n, w/2)
}

// jsonRole is the role of a JSON value.
func jsonRole(raw string) role {
	switch {
	case raw == "":
		return roleText
	case raw[0] == '"':
		return roleString
	case raw[0] == '-' || raw[0] >= '0' && raw[0] <= '9':
		return roleNumber
	case raw[0] == '{' || raw[0] == '[':
		return rolePunct
	}
	return roleLiteral
}

func (d *resending) drawOutcome(r rect) []string {
	p := &d.m.pen
	lines := d.outcome(max(r.w-2, 10))
	d.cur = max(0, min(d.cur, len(lines)-1))
	if d.cur < d.top {
		d.top = d.cur
	}
	if d.cur >= d.top+r.h {
		d.top = d.cur - r.h + 1
	}
	d.top = max(0, min(d.top, len(lines)-r.h))
	var out []string
	for i := d.top; i < len(lines) && len(out) < r.h; i++ {
		base := roleText
		if i == d.cur {
			base = roleSelection
		}
		p.begin(r.w, base)
		if i == d.cur {
			p.text(roleTitle, d.m.gl.cursor)
		} else {
			p.space(1)
		}
		p.segs(lines[i].segs)
		out = append(out, p.end())
	}
	return out
}

// outcome makes the lines about both answers: how they differ, and what they are.
func (d *resending) outcome(width int) []dline {
	if d.lines != nil && d.width == width {
		return d.lines
	}
	d.width = width
	gl := d.m.gl
	var out []dline
	say := func(segs ...seg) { out = append(out, wrapSegs(segs, width)...) }
	if len(d.edited) > 0 {
		say(seg{roleMuted, "changed    "}, seg{roleStrong, strings.Join(d.edited, ", ")})
	}
	if o := d.sent.Opening; o != nil {
		say(append([]seg{{roleMuted, "handshake  "}}, d.stateSegs(o)...)...)
	}
	old := d.found.Exchange()
	if old == nil {
		say(seg{roleMuted, "recorded   "}, seg{roleWarn, "no answer"})
	} else {
		say(append([]seg{{roleMuted, "recorded   "}}, d.stateSegs(old)...)...)
	}
	say(append([]seg{{roleMuted, "now        "}}, d.stateSegs(&d.sent.Exchange)...)...)
	if d.sent.Err != nil {
		for _, w := range d.sent.End.Words {
			say(seg{roleMuted, "stderr     "}, seg{roleStderr, w})
		}
	}
	if old != nil && d.sent.Err == nil {
		found := d.found.Differences(&d.sent.Exchange)
		if len(found) == 0 {
			say(seg{roleMuted, "answers    "}, seg{roleOK, gl.ok + " equal"})
		} else {
			say(seg{roleMuted, "answers    "}, seg{roleWarn, plural(int64(len(found)), "difference")})
			out = append(out, dline{jump: none})
			out = append(out, d.differenceLines(found, width)...)
		}
	}
	out = append(out, dline{jump: none})
	out = append(out, d.bothAnswers(old, width)...)
	d.lines = out
	return out
}

// stateSegs says what came of an exchange.
func (d *resending) stateSegs(x *mcp.Exchange) []seg {
	gl := d.m.gl
	took := seg{roleMuted, "  after " + timetext.Latency(x.Answer.Latency)}
	switch x.State() {
	case mcp.OK:
		return []seg{{roleOK, gl.ok + " ok"}, took}
	case mcp.ToolError:
		return []seg{{roleError, gl.toolError + " tool error"}, took}
	case mcp.ErrorAnswer:
		return []seg{{roleError, gl.rpcError + " " + x.Answer.Fault.Error()}, took}
	case mcp.InputRequired:
		return []seg{{roleWarn, gl.input + " input required"}, took}
	}
	said := x.Err.Error()
	if x.Err != mcp.ErrTimeout {
		said = "no answer: " + said
	}
	return []seg{{roleError, gl.failure + " " + said}}
}

// mostPlaces bounds the differences that are listed; the new recording has all.
const mostPlaces = 100

func (d *resending) differenceLines(found []mcp.Difference, width int) []dline {
	gl := d.m.gl
	var out []dline
	more := len(found) - mostPlaces
	if more > 0 {
		found = found[:mostPlaces]
	}
	if width < 98 {
		for i := range found {
			out = append(out, wrapSegs([]seg{{roleText, clip(found[i].Words("recorded", "now"), 400)}}, width)...)
		}
	} else {
		pathW := 8
		for i := range found {
			pathW = max(pathW, min(termtext.Width(termtext.Clean(pathText(found[i].Path))), width/3))
		}
		half := (width - pathW - 5) / 2
		out = append(out, dline{segs: []seg{{roleText, blanks(pathW + 1)}, cellOf(gl, roleTitle, "recorded", half), {roleBorder, gl.vertical + " "}, {roleTitle, "now"}}, jump: none})
		value := func(raw []byte) (role, string) {
			if raw == nil {
				return roleMuted, "not there"
			}
			s := clip(string(raw), 400)
			return jsonRole(s), s
		}
		for i := range found {
			ra, a := value(found[i].Old)
			rb, b := value(found[i].New)
			out = append(out, dline{segs: []seg{cellOf(gl, roleJSONKey, pathText(found[i].Path), pathW), cellOf(gl, ra, a, half), {roleBorder, gl.vertical + " "}, {rb, b}}, jump: none})
		}
	}
	if more > 0 {
		out = append(out, dline{segs: []seg{{roleMuted, "and " + plural(int64(more), "place") + " more"}}, jump: none})
	}
	return out
}

// bothAnswers shows the old answer left and the new one right, one below the other where that is too narrow.
func (d *resending) bothAnswers(old *mcp.Exchange, width int) []dline {
	half := width
	if width >= 98 {
		half = (width - 3) / 2
	}
	side := func(title string, x *mcp.Exchange) []dline {
		lines := []dline{{segs: []seg{{roleTitle, title}}, jump: none}}
		if x == nil || x.Err != nil {
			return append(lines, dline{segs: []seg{{roleMuted, "no answer"}}, jump: none})
		}
		m := jsonrpc.Decode(x.Answer.Raw)
		return append(lines, fieldLines(fieldsOf(&annotate.Entry{Message: &m}), half, d.m.gl)...)
	}
	left, right := side("recorded", old), side("now", &d.sent.Exchange)
	if half == width {
		return append(append(left, dline{jump: none}), right...)
	}
	return abreast(left, right, half, d.m.gl)
}

// click selects a line; a second click does what enter does.
func (d *resending) click(_, y int) tea.Cmd {
	i := y - d.m.body().y
	switch {
	case d.sent != nil:
		if i += d.top; i >= 0 && i < d.count() {
			d.cur = i
		}
		return nil
	case d.found == nil:
		return nil
	case i == 1:
		i = 0
	default:
		head := 3 + len(d.aboutCommand(max(d.m.w-4, 10)))
		if i -= head - 1 - d.top; i < 1 {
			return nil
		}
	}
	if i >= len(d.rows) {
		return nil
	}
	if i == d.cur && d.rows[i].kind != formSend { // starting a server takes a key
		return d.enter()
	}
	d.cur = i
	return nil
}
