package tui

import (
	"bytes"
	"slices"
	"sort"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/shakescope/shakescope/annotate"
	"github.com/shakescope/shakescope/internal/mcpspec"
	"github.com/shakescope/shakescope/jsonrpc"
)

// handshake shows how the session that the selection lies in was opened, and the ledger of what each
// side declared against what was used of it.
type handshake struct {
	use   capabilityUse
	asked string // what was last asked for, so that nothing is read twice
	said  declarations
	sheet
}

// capabilityUse counts messages by the capability they depend on, up to a row.
type capabilityUse struct {
	upTo    int
	session uint16
	counts  map[capabilityKey]capabilityCount
}

type capabilityKey struct {
	side, path string
	state      annotate.Declared
}

type capabilityCount struct {
	n     int64
	first int32
}

// declarations are the capabilities that both sides sent.
type declarations struct {
	session        uint16
	client, server []string // paths
	requested      string
	agreed         string
	clientSaid     bool
	serverSaid     bool
}

func newHandshake() screen { return &handshake{} }

func (h *handshake) places() place { return inTable | inHandshake }

// count brings the use up to the playhead.
func (u *capabilityUse) count(s *session, session uint16) {
	n := s.limit()
	if u.counts == nil || n < u.upTo || session != u.session {
		*u = capabilityUse{session: session, counts: map[capabilityKey]capabilityCount{}}
	}
	for i := u.upTo; i < n; i++ {
		r := s.rows.at(i)
		if r.caps == 0 || r.isAnswer() || r.session != session {
			continue
		}
		for _, c := range s.rows.caps[r.caps] {
			k := capabilityKey{c.Side, c.Path, c.State}
			got := u.counts[k]
			if got.n == 0 {
				got.first = int32(i)
			}
			got.n++
			u.counts[k] = got
		}
	}
	u.upTo = n
}

// openingMax bounds the messages that the screen shows of how a session was opened.
const openingMax = 12

// opening lists the rows that opened a session: handshake, discovery and probe, with their answers.
func (s *session) opening(session uint16) []int {
	var out []int
	for i := 0; i < s.limit() && len(out) < openingMax; i++ {
		r := s.rows.at(i)
		if !r.isMessage() || r.session != session {
			continue
		}
		if r.phase == phaseOperation && r.group != groupIndex("lifecycle") && len(out) > 0 && i > 2000 {
			break
		}
		if r.group == groupIndex("lifecycle") || r.phase == phaseDiscovery || r.phase == phaseProbe {
			out = append(out, i)
		}
	}
	return out
}

func (h *handshake) current(s *session) uint16 {
	if s.sel >= 0 {
		return s.rows.at(s.sel).session
	}
	return 1
}

func (h *handshake) opened(s *session) tea.Cmd {
	h.cur, h.top = 0, 0
	return h.read(s)
}

// read asks for the declarations of the session in view, if they are not there.
func (h *handshake) read(s *session) tea.Cmd {
	session := h.current(s)
	var need []wanted
	key := itoa(int(session))
	for _, i := range s.opening(session) {
		method := s.rows.names.text(s.rows.at(i).method)
		if method == "initialize" || method == "server/discover" {
			need = append(need, s.want(i))
			key += " " + itoa(i)
		}
	}
	if key == h.asked || s.src == nil || s.src.read == nil {
		return nil
	}
	h.asked = key
	id, read := owned(s.id), s.src.read
	return func() tea.Msg {
		said := declarations{session: session}
		for _, w := range need {
			e := w.entry
			if fill1(&e, read, w) == nil && e.Message != nil {
				said.note(&e)
			}
		}
		return screenMsg{id, "5", said}
	}
}

// note takes what a message of the handshake declares.
func (d *declarations) note(e *annotate.Entry) {
	m := e.Message
	text := func(raw []byte, path ...string) string {
		v, ok := jsonrpc.Lookup(raw, path...)
		if !ok {
			return ""
		}
		s, _ := jsonrpc.Unquote(v)
		return s
	}
	switch {
	case e.Kind == annotate.Request && e.Method == "initialize":
		d.requested = text(m.Params, "protocolVersion")
		raw, ok := jsonrpc.Lookup(m.Params, "capabilities")
		d.clientSaid = d.clientSaid || ok
		d.client = union(d.client, capabilityPaths(raw))
	case e.Kind == annotate.Request:
		if raw, ok := jsonrpc.Lookup(m.Params, "_meta", mcpspec.MetaClientCapabilities); ok {
			d.clientSaid = true
			d.client = union(d.client, capabilityPaths(raw))
		}
	case e.Kind == annotate.Response:
		if v := text(m.Result, "protocolVersion"); v != "" {
			d.agreed = v
		}
		raw, ok := jsonrpc.Lookup(m.Result, "capabilities")
		d.serverSaid = d.serverSaid || ok
		d.server = union(d.server, capabilityPaths(raw))
	}
}

func union(a, b []string) []string {
	for _, x := range b {
		if !slices.Contains(a, x) {
			a = append(a, x)
		}
	}
	return a
}

const (
	capabilityDepth = 4
	capabilityMax   = 200
)

// capabilityPaths lists what a capabilities object declares: each member that is an object or true.
func capabilityPaths(raw []byte) []string {
	if raw == nil {
		return nil
	}
	dec := jsontext.NewDecoder(bytes.NewReader(raw), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	var out []string
	var read func(path string, depth int) bool
	read = func(path string, depth int) bool {
		switch dec.PeekKind() {
		case '{':
			if depth > capabilityDepth {
				return dec.SkipValue() == nil
			}
			if path != "" {
				out = append(out, path)
			}
			if _, err := dec.ReadToken(); err != nil {
				return false
			}
			for dec.PeekKind() != '}' {
				tok, err := dec.ReadToken()
				if err != nil || len(out) > capabilityMax {
					return false
				}
				name := clip(tok.String(), 80)
				switch path {
				case "":
				case "extensions":
					name = mcpspec.ExtensionPath(name)
				default:
					name = path + "." + name
				}
				if !read(name, depth+1) {
					return false
				}
			}
			_, err := dec.ReadToken()
			return err == nil
		case 't':
			out = append(out, path)
		}
		return dec.SkipValue() == nil
	}
	read("", 0)
	return out
}

func (h *handshake) receive(_ *session, data any) tea.Cmd {
	if said, ok := data.(declarations); ok {
		h.said = said
	}
	return nil
}

func (h *handshake) draw(s *session, r rect) []string {
	h.lines = h.build(s, r.w)
	return h.sheet.draw(&s.m.pen, r)
}

// build makes the lines: who opened the session and how, then the ledger.
func (h *handshake) build(s *session, w int) []dline {
	session := h.current(s)
	h.use.count(s, session)
	gl := s.m.gl
	var lines []dline
	add := func(jump int, segs ...seg) { lines = append(lines, dline{segs: segs, jump: jump}) }
	add(none)
	title := " how the session was opened"
	if session > 1 {
		title = " how session " + itoa(int(session)) + " was opened"
	}
	add(none, seg{roleTitle, title})
	open := s.opening(session)
	if len(open) == 0 {
		add(none, seg{roleMuted, "   nothing negotiated so far"})
	}
	for _, i := range open {
		add(i, s.openingLine(i, w)...)
	}
	if h.said.agreed != "" && h.said.session == session {
		verdict := seg{roleOK, " " + gl.ok + " as requested"}
		if h.said.requested != "" && h.said.requested != h.said.agreed {
			verdict = seg{roleWarn, " (the client asked for " + h.said.requested + ")"}
		}
		add(none, seg{roleText, "   protocol version "}, seg{roleStrong, h.said.agreed}, verdict)
	}
	add(none)
	add(none, seg{roleTitle, " capabilities"})
	cell := func(ro role, text string, width int) seg { return seg{ro, padRight(text, width)} }
	nameW := max(24, min(w/3, 36))
	add(none, cell(roleMuted, "   "+"path", nameW), cell(roleMuted, "client", 12), cell(roleMuted, "server", 12), seg{roleMuted, "used"})
	for _, path := range h.paths() {
		lines = append(lines, h.ledgerLine(s, path, nameW, cell))
	}
	return lines
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
		took = "  after " + spoken(d)
	}
	segs := []seg{
		{roleMuted, "   " + padRight("#"+itoa(r.seq), 6)}, {ro, arrow + " "}, {gr, glyph + " "},
		{roleText, padRight(s.rows.names.text(r.method), 28)}, {roleMuted, padRight(seconds(time.Duration(r.t)), 10)},
	}
	if w >= 100 {
		segs = append(segs, seg{roleText, padRight(clip(s.summaryText(i), w-80), w-78)})
	}
	return append(segs, seg{roleMuted, took})
}

// paths lists what the ledger shows: the top-level capabilities of MCP, and whatever was declared or used.
func (h *handshake) paths() []string {
	seen := map[string]bool{}
	var out []string
	add := func(p string) {
		if !seen[p] {
			seen[p] = true
			out = append(out, p)
		}
	}
	for _, c := range mcpspec.CapabilityPaths() {
		if !strings.ContainsAny(c.Path, ".[") {
			add(c.Path)
		}
	}
	for _, p := range h.said.client {
		add(p)
	}
	for _, p := range h.said.server {
		add(p)
	}
	for k := range h.use.counts {
		add(k.path)
	}
	sort.Strings(out)
	return out
}

// lastSegment is the end of a path, and how many segments stand before it.
func lastSegment(path string) (string, int) {
	if rest, ok := strings.CutPrefix(path, "extensions["); ok {
		return "[" + rest, 1
	}
	n := strings.Count(path, ".")
	if n == 0 {
		return path, 0
	}
	return path[strings.LastIndexByte(path, '.'):], n
}

// ledgerLine says of one capability who declared it and how often it was used.
func (h *handshake) ledgerLine(s *session, path string, nameW int, cell func(role, string, int) seg) dline {
	gl := s.m.gl
	l := dline{jump: none}
	name, depth := lastSegment(path)
	text, _ := fit("   "+strings.Repeat("  ", depth)+name, nameW-1, gl.ellipsis)
	l.segs = append(l.segs, cell(roleText, text, nameW))
	for _, side := range []string{"client", "server"} {
		list, said := h.said.client, h.said.clientSaid
		if side == "server" {
			list, said = h.said.server, h.said.serverSaid
		}
		var undeclared, declared, unknown capabilityCount
		undeclared = h.use.counts[capabilityKey{side, path, annotate.Undeclared}]
		declared = h.use.counts[capabilityKey{side, path, annotate.IsDeclared}]
		unknown = h.use.counts[capabilityKey{side, path, annotate.UnknownDecl}]
		switch {
		case slices.Contains(list, path) || declared.n > 0:
			l.segs = append(l.segs, cell(roleOK, gl.declared+" declared", 12))
		case undeclared.n > 0:
			l.segs = append(l.segs, cell(roleError, gl.undeclared+" missing", 12))
		case unknown.n > 0 || !said:
			l.segs = append(l.segs, cell(roleMuted, gl.unknown, 12))
		default:
			l.segs = append(l.segs, cell(roleMuted, gl.dot, 12))
		}
	}
	return h.used(s, path, l)
}

func (h *handshake) used(s *session, path string, l dline) dline {
	gl := s.m.gl
	var total int64
	first := int32(none)
	bad := false
	for k, c := range h.use.counts {
		if k.path != path {
			continue
		}
		total += c.n
		if k.state == annotate.Undeclared {
			bad = true
			first = c.first
		} else if first < 0 || !bad && c.first < first {
			first = c.first
		}
	}
	declared := slices.Contains(h.said.client, path) || slices.Contains(h.said.server, path)
	switch {
	case bad:
		l.segs = append(l.segs, seg{roleError, gl.failure + " used " + thousands(total) + gl.times + " without being declared"})
	case total > 0:
		l.segs = append(l.segs, seg{roleText, thousands(total) + gl.times})
	case declared:
		l.segs = append(l.segs, seg{roleMuted, "never"})
	}
	if first >= 0 {
		l.segs = append(l.segs, seg{roleMuted, "  first in #" + itoa(s.rows.at(int(first)).seq)})
		l.jump = int(first)
	}
	return l
}
