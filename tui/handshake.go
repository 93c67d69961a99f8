package tui

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/shakescope/shakescope/annotate"
	"github.com/shakescope/shakescope/internal/mcpspec"
	"github.com/shakescope/shakescope/internal/timetext"
	"github.com/shakescope/shakescope/jsonrpc"
	"github.com/shakescope/shakescope/recordings"
)

// handshake shows how the session that the selection lies in was opened, and the ledger of what each
// side declared against what was used of it: annotate.Ledger, which `caps` prints too.
type handshake struct {
	sheet
	capsOf []annotate.CapabilityName // by line; empty for the others
	wrong  []bool                    // by line: a capability that was used undeclared
	fresh  bool                      // just opened: the cursor is still to find its place
	listed bool                      // the ledger is among the lines
	on     annotate.CapabilityName   // that the cursor is on, none if it is elsewhere

	session int32
	upTo    int
	opening []int // rows that opened the session
	ledger  annotate.Ledger
	shown   []annotate.LedgerLine // of the ledger at shownAt
	shownAt int

	asked     string // what was last asked for, so that nothing is read twice
	declaring map[int32]*annotate.Entry
	requested string
	agreed    string

	whatIf    *annotate.WhatIf
	wondering annotate.CapabilityName // what is being worked out
}

// declarations are the messages that declare capabilities, read again.
type declarations map[int32]*annotate.Entry

func newHandshake() screen { return &handshake{} }

func (h *handshake) places() place { return inTable | inHandshake }

// nothing stands for the payload of messages that declare nothing.
var nothing jsonrpc.Message

// count brings the ledger nearer to the playhead.
func (h *handshake) count(s *session) bool {
	n, session := s.limit(), h.current(s)
	if n < h.upTo || session != h.session {
		h.restart(session)
	}
	for end := min(n, h.upTo+countSlice); h.upTo < end; h.upTo++ {
		r := s.rows.at(h.upTo)
		if len(h.opening) < openingMax && r.session() == session && s.opens(r) {
			h.opening = append(h.opening, h.upTo)
		}
		if e := h.declaring[int32(h.upTo)]; e != nil {
			h.ledger.Add(e)
			continue
		}
		if r.caps == 0 || r.isAnswer() || r.session() != session {
			continue
		}
		h.ledger.Add(&annotate.Entry{Ref: r.ref(), Kind: kindNames[r.kind()], Capability: s.rows.caps[r.caps], Message: &nothing})
	}
	return h.upTo == n
}

func (h *handshake) restart(session int32) {
	h.session, h.upTo, h.ledger, h.shownAt, h.opening = session, 0, annotate.Ledger{}, none, nil
}

// openingMax bounds the messages that the screen shows of how a session was opened.
const openingMax = 12

// opens reports whether row i is one of the messages that opened its session: handshake, discovery and
// probe, with their answers.
func (s *session) opens(r row) bool {
	return r.isMessage() && (groups[r.group()].name == "lifecycle" || r.phase() == phaseDiscovery || r.phase() == phaseProbe)
}

func (h *handshake) current(s *session) int32 {
	if s.sel >= 0 && s.sel < s.rows.n {
		return s.rows.at(s.sel).session()
	}
	return 1
}

func (h *handshake) opened(*session) tea.Cmd {
	h.cur, h.top, h.fresh, h.listed, h.on = 0, 0, true, false, annotate.CapabilityName{}
	return nil
}

func (h *handshake) counted(s *session) tea.Cmd { return h.read(s) }

// declaringMax bounds the messages that are read for what they declare: each one of the modern era
// declares anew, mostly the same.
const declaringMax = 64

// read asks for the messages that declare capabilities in the session in view, if they are not there.
func (h *handshake) read(s *session) tea.Cmd {
	session := h.current(s)
	var rows []int32
	for _, i := range h.opening {
		method := s.rows.names.text(s.rows.at(i).method())
		if method == "initialize" || method == "server/discover" {
			rows = append(rows, int32(i))
		}
	}
	for _, caps := range s.rows.caps {
		for _, c := range caps {
			if len(rows) == declaringMax {
				break
			}
			if i := s.rows.find(refOf(c.At)); i >= 0 && int(i) < s.limit() && s.rows.at(int(i)).session() == session {
				rows = append(rows, i)
			}
		}
	}
	slices.Sort(rows)
	rows = slices.Compact(rows)
	key := itoa(int(session))
	var need []wanted
	for _, i := range rows {
		need = append(need, s.want(int(i)))
		key += " " + itoa(i)
	}
	if key == h.asked || s.src == nil || s.src.read == nil {
		return nil
	}
	h.asked = key
	id, read := owned(s.id), s.src.read
	return func() tea.Msg {
		got, err := readAll(need, read)
		if err != nil {
			return screenMsg{id, "5", err}
		}
		return screenMsg{id, "5", declarations(got)}
	}
}

// versions takes the protocol versions out of the handshake.
func (h *handshake) versions() {
	h.requested, h.agreed = "", ""
	text := func(raw []byte) string {
		v, ok := jsonrpc.Lookup(raw, "protocolVersion")
		if !ok {
			return ""
		}
		s, _ := jsonrpc.Unquote(v)
		return s
	}
	for _, e := range h.declaring {
		if e.Message == nil || e.Method != "initialize" {
			continue
		}
		switch e.Kind {
		case annotate.Request:
			h.requested = text(e.Message.Params)
		case annotate.Response:
			h.agreed = text(e.Message.Result)
		}
	}
}

func (h *handshake) receive(s *session, data any) tea.Cmd {
	switch got := data.(type) {
	case declarations:
		h.declaring = got
		h.versions()
		h.restart(h.current(s))
	case *annotate.WhatIf:
		h.wondering = annotate.CapabilityName{}
		h.whatIf = got
	case error:
		h.wondering = annotate.CapabilityName{}
		return s.m.complain(got.Error())
	}
	return nil
}

func (h *handshake) act(s *session, a action) (tea.Cmd, bool) {
	if h.fresh {
		h.lines = h.build(s, s.mainRect.w) // keys can come before the first frame
	}
	if a == actWhatIf {
		return h.without(s), true
	}
	if dir, lv, ok := stepOf(a); ok {
		return h.step(s, dir, lv), true
	}
	cmd, ok := h.sheet.act(s, a)
	return tea.Batch(cmd, h.read(s)), ok
}

// without works out what would break without the capability under the cursor.
func (h *handshake) without(s *session) tea.Cmd {
	switch {
	case h.cur < 0 || h.cur >= len(h.capsOf) || h.capsOf[h.cur].Path == "":
		return s.m.say("what if: choose a capability")
	case s.live:
		return s.m.say("what if: when the recording has ended")
	case h.wondering.Path != "":
		return s.m.say("what if: still at " + h.wondering.Path)
	}
	name := h.capsOf[h.cur]
	h.wondering, h.whatIf = name, nil
	id, open := owned(s.id), s.reopen
	return func() tea.Msg {
		x, err := annotate.Without(open, name)
		if err != nil {
			return screenMsg{id, "5", err}
		}
		return screenMsg{id, "5", x}
	}
}

// reopen reads the recording again from its beginning.
func (s *session) reopen() (*recordings.Reader, error) { return recordings.Open(s.path) }

func (h *handshake) draw(s *session, r rect) []string {
	h.lines = h.build(s, r.w)
	return h.sheet.draw(&s.m.pen, r)
}

// build makes the lines: who opened the session and how, then the ledger.
func (h *handshake) build(s *session, w int) []dline {
	session := h.current(s)
	done := h.upTo == s.limit() && h.session == session
	gl := s.m.gl
	var lines []dline
	if h.listed {
		h.on = annotate.CapabilityName{}
		if h.cur < len(h.capsOf) {
			h.on = h.capsOf[h.cur]
		}
	}
	h.listed = done
	h.capsOf, h.wrong = h.capsOf[:0], h.wrong[:0]
	add := func(jump int, segs ...seg) {
		lines = append(lines, dline{segs: segs, jump: jump})
		h.capsOf, h.wrong = append(h.capsOf, annotate.CapabilityName{}), append(h.wrong, false)
	}
	add(none)
	title := " how the session was opened"
	if session > 1 {
		title = " how session " + itoa(int(session)) + " was opened"
	}
	add(none, seg{roleTitle, title})
	if len(h.opening) == 0 {
		add(none, seg{roleMuted, "   nothing negotiated so far"})
	}
	for _, i := range h.opening {
		add(i, s.openingLine(i, w)...)
	}
	if h.agreed != "" {
		verdict := seg{roleOK, " " + gl.ok + " as requested"}
		if h.requested != "" && h.requested != h.agreed {
			verdict = seg{roleWarn, " (the client asked for " + h.requested + ")"}
		}
		add(none, seg{roleText, "   protocol version "}, seg{roleStrong, h.agreed}, verdict)
	}
	add(none)
	add(none, seg{roleTitle, " capabilities"})
	if !done {
		add(none, seg{roleMuted, "   counting" + gl.ellipsis})
		return lines
	}
	if h.shownAt != h.upTo {
		h.shown, h.shownAt = h.ledger.Lines(), h.upTo
	}
	longest := 0
	for k := range h.shown {
		longest = max(longest, cells(shorn(h.shown[k].Path)))
	}
	name := max(12, min(longest+1, w/3, 40))
	add(none, cellOf(gl, roleMuted, "     side    path", name+14), cellOf(gl, roleMuted, "declared", 9), cellOf(gl, roleMuted, "used", 16))
	for k := range h.shown {
		l := &h.shown[k]
		add(s.ledgerJump(l), s.ledgerLine(l, name, w)...)
		h.capsOf[len(h.capsOf)-1] = annotate.CapabilityName{Side: l.Side, Path: l.Path}
		h.wrong[len(h.wrong)-1] = l.Undeclared > 0
		h.answer(s, l, w, add)
	}
	h.place()
	if rest := h.absent(); rest != "" {
		add(none)
		for _, l := range wrapSegs([]seg{{roleMuted, "neither declared nor used: " + rest}}, max(w-4, 20)) {
			add(none, append([]seg{{roleMuted, "   "}}, l.segs...)...)
		}
	}
	return lines
}

// place puts the cursor of a screen that was just opened to what is wrong, else to the first capability.
// Later it keeps it on its capability: lines above come when the messages that they tell of are read.
func (h *handshake) place() {
	if !h.fresh {
		if i := slices.Index(h.capsOf, h.on); i >= 0 && h.on.Path != "" {
			h.cur = i
		}
		return
	}
	h.fresh = false
	if i := slices.Index(h.wrong, true); i >= 0 {
		h.cur = i
		return
	}
	h.cur = max(slices.IndexFunc(h.capsOf, func(c annotate.CapabilityName) bool { return c.Path != "" }), 0)
}

// answer adds what would break without the capability of a line, where that was asked.
func (h *handshake) answer(s *session, l *annotate.LedgerLine, w int, add func(int, ...seg)) {
	name := annotate.CapabilityName{Side: l.Side, Path: l.Path}
	gl := s.m.gl
	indent := "        "
	switch {
	case h.wondering == name:
		add(none, seg{roleMuted, indent + "working out what would break without it" + gl.ellipsis})
	case h.whatIf == nil || h.whatIf.CapabilityName != name:
	case !h.whatIf.Declared:
		add(none, seg{roleInfo, indent + "without it nothing changes: it was not declared"})
	case h.whatIf.Count == 0 && len(h.whatIf.Findings) == 0:
		add(none, seg{roleInfo, indent + "without it nothing changes: no message leans on it"})
	default:
		add(none, seg{roleInfo, indent + "without it " + plural(h.whatIf.Count, "message") + " would lean on something undeclared, " + plural(int64(len(h.whatIf.Findings)), "finding") + " more"})
		for k := range h.whatIf.Findings {
			f := &h.whatIf.Findings[k]
			if k == whatIfMax {
				add(none, seg{roleMuted, indent + itoa(len(h.whatIf.Findings)-k) + " more: shakescope caps --without " + l.Side + ":" + l.Path})
				break
			}
			g, ro := s.levelGlyph(level(index(levelNames[:], f.Level)))
			at := "recording"
			jump := none
			if !f.At.IsZero() {
				at = "#" + itoa(f.At.Seq)
				jump = int(s.rows.find(f.At))
			}
			add(jump, seg{ro, indent + g + " "}, cellOf(gl, roleText, at, 9), seg{roleStrong, f.Rule})
			for _, l := range wrapSegs([]seg{{roleText, f.Message}}, max(w-len(indent)-14, 20)) {
				add(jump, append([]seg{{roleText, indent + blanks(12)}}, l.segs...)...)
			}
		}
	}
}

// whatIfMax bounds the findings that are listed of an answer.
const whatIfMax = 12

// ledgerJump is the message that a line of the ledger is best shown by.
func (s *session) ledgerJump(l *annotate.LedgerLine) int {
	for _, refs := range [][]annotate.Ref{l.Against, l.At, l.DeclaredAt} {
		if len(refs) > 0 {
			return int(s.rows.find(refs[0]))
		}
	}
	return none
}

// ledgerLine says of one capability where it was declared and how often it was used.
func (s *session) ledgerLine(l *annotate.LedgerLine, name, w int) []seg {
	gl := s.m.gl
	mark, ro := gl.ok, roleOK
	switch l.Status() {
	case annotate.StatusUndeclared:
		mark, ro = gl.undeclared, roleError
	case annotate.StatusUnknown:
		mark, ro = gl.unknown, roleMuted
	case annotate.StatusNeverUsed:
		mark, ro = gl.requested, roleMuted
	case annotate.StatusImplied:
		mark, ro = " ", roleMuted
	}
	side := roleC2S
	if l.Side == "server" {
		side = roleS2C
	}
	declared, dr := "unknown", roleMuted
	switch {
	case len(l.DeclaredAt) > 0:
		declared, dr = "#"+itoa(l.DeclaredAt[0].Seq), roleText
	case l.Undeclared > 0:
		declared, dr = "no", roleError
	}
	var used []string
	if l.Used > 0 {
		used = append(used, thousands(l.Used)+gl.times)
	}
	if l.Unknown > 0 {
		used = append(used, thousands(l.Unknown)+gl.times+" unknown")
	}
	if l.Undeclared > 0 {
		used = append(used, thousands(l.Undeclared)+gl.times+" undeclared, first in #"+itoa(l.Against[0].Seq))
	}
	if used == nil {
		used = []string{"never"}
	}
	ur := roleText
	if l.Undeclared > 0 {
		ur = roleError
	} else if l.Used == 0 {
		ur = roleMuted
	}
	segs := []seg{{ro, "   " + mark + " "}, cellOf(gl, side, l.Side, 7), cellOf(gl, roleText, l.Path, name+1), cellOf(gl, dr, declared, 9), {ur, strings.Join(used, ", ")}}
	if l.Note != "" && l.Undeclared == 0 && l.Note != "never used here" {
		segs = append(segs, seg{roleMuted, "  " + l.Note})
	}
	return segs
}

// absent names the capabilities of MCP that were neither declared nor used.
func (h *handshake) absent() string {
	var out []string
	for _, c := range mcpspec.CapabilityPaths() {
		if strings.ContainsAny(c.Path, ".[") {
			continue
		}
		if !slices.ContainsFunc(h.shown, func(l annotate.LedgerLine) bool { return l.Side == string(c.Side) && l.Path == c.Path }) {
			out = append(out, string(c.Side)+" "+c.Path)
		}
	}
	return strings.Join(out, ", ")
}

func padRight(s string, width int) string {
	if n := width - cells(s); n > 0 {
		return s + strings.Repeat(" ", n)
	}
	return s
}

func (s *session) openingLine(i, w int) []seg {
	gl := s.m.gl
	r := s.rows.at(i)
	arrow, ro := gl.c2s, roleC2S
	if r.flags&fromServer != 0 {
		arrow, ro = gl.s2c, roleS2C
	}
	glyph, gr := s.stateGlyph(i)
	took := ""
	if d, ok := s.rows.latency(i); ok {
		took = "  after " + timetext.Latency(d)
	}
	segs := []seg{
		{roleMuted, "   " + padRight("#"+itoa(r.seq()), 6)}, {ro, arrow + " "}, {gr, glyph + " "},
		{roleText, padRight(s.rows.names.text(r.method()), 28)}, {roleMuted, padRight(seconds(r.t()), 10)},
	}
	segs = append(segs, seg{roleMuted, padRight(took, 18)})
	if w >= 100 {
		segs = append(segs, seg{roleText, s.summaryText(i)})
	}
	return segs
}
