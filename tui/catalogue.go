package tui

import (
	"cmp"
	"slices"
	"sort"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/shakescope/shakescope/annotate"
	"github.com/shakescope/shakescope/internal/filter"
	"github.com/shakescope/shakescope/internal/mcpspec"
	"github.com/shakescope/shakescope/internal/termtext"
	"github.com/shakescope/shakescope/internal/timetext"
)

// catalogueScreen shows what the server offers, as its lists say at the playhead, with the use that was
// made of it and how the lists changed.
type catalogueScreen struct {
	sheet
	items   []sheetItem // by line
	filters []string    // by line: what enter shows of the stream, "" for none
	use     usage
	asked   string
	reading bool
	offered
	judged judgement
}

// offerKind is a list that a server can give, as it is shown.
type offerKind struct {
	title string
	*mcpspec.List
	list  annotate.ListKind
	role  role
	field filter.Field
}

var offerKinds = [...]offerKind{
	{"tools", &mcpspec.ToolList, annotate.ToolList, roleTools, filter.Tool},
	{"resources", &mcpspec.ResourceList, annotate.ResourceList, roleResources, filter.Resource},
	{"resource templates", &mcpspec.TemplateList, annotate.TemplateList, roleResources, filter.Resource},
	{"prompts", &mcpspec.PromptList, annotate.PromptList, rolePrompts, filter.Prompt},
}

// offer is one thing that the server lists.
type offer struct {
	kind        int
	name        string
	title       string
	description string
	raw         []byte
	row         int // of the answer that lists it
}

// change is a difference between one list and the next.
type change struct {
	kind                    int
	row                     int
	added, removed, altered []string
}

// usage counts the use of what is offered, up to a row.
type usage struct {
	upTo int
	by   map[useKey]*useCount
	// lists are the answers that list what is offered, and the notices that a list changed.
	lists []int32
}

type useKey struct{ method, target uint32 }

type useCount struct {
	calls, failed, bytes int64
	took                 []time.Duration
	sorted               bool
}

type sheetItem struct{ offer int }

func newCatalogue() screen { return &catalogueScreen{} }

func (c *catalogueScreen) places() place { return inTable }

func (c *catalogueScreen) count(s *session) bool {
	c.use.count(s)
	return c.use.upTo == s.limit()
}

func (c *catalogueScreen) counted(s *session) tea.Cmd { return c.read(s) }

// count brings the use nearer to the playhead.
func (u *usage) count(s *session) {
	n := s.limit()
	if u.by == nil || n < u.upTo {
		*u = usage{by: map[useKey]*useCount{}}
	}
	var lists, notices [len(offerKinds)]uint32
	for k := range offerKinds {
		lists[k], _ = s.rows.names.lookup(offerKinds[k].Method)
		notices[k], _ = s.rows.names.lookup("notifications/" + offerKinds[k].Group + "/list_changed")
	}
	for n = min(n, u.upTo+countSlice/2); u.upTo < n; u.upTo++ {
		r := s.rows.at(u.upTo)
		if m := r.method(); m != 0 && (r.kind() == kindResponse && r.pair() >= 0 && slices.Contains(lists[:], m) || r.kind() == kindNotification && slices.Contains(notices[:], m)) {
			u.lists = append(u.lists, int32(u.upTo))
		}
		if r.target == 0 || r.flags&hasPrimitive == 0 || r.kind() != kindRequest && !r.isAnswer() {
			continue
		}
		k := useKey{r.method(), r.target}
		got := u.by[k]
		if got == nil {
			got = &useCount{}
			u.by[k] = got
		}
		got.bytes += r.size()
		if r.kind() == kindRequest {
			got.calls++
			continue
		}
		if s.failed(u.upTo) {
			got.failed++
		}
		if d, ok := s.rows.latency(u.upTo); ok {
			got.took = append(got.took, d)
			got.sorted = false
		}
	}
}

// percentile is the smallest latency that p of a hundred do not exceed.
func (u *useCount) percentile(p int) (time.Duration, bool) {
	if len(u.took) == 0 {
		return 0, false
	}
	if !u.sorted {
		slices.Sort(u.took)
		u.sorted = true
	}
	return u.took[max((len(u.took)*p+99)/100-1, 0)], true
}

// listsMax bounds the answers that are read for the catalogue: the newest ones.
const listsMax = 128

// read asks for the lists that were given up to the playhead, unless they are there.
func (c *catalogueScreen) read(s *session) tea.Cmd {
	if s.src == nil || s.src.read == nil || c.reading {
		return nil
	}
	var need []wanted
	var told map[uint32]bool // of the notices between two answers only the last one counts
	for k := len(c.use.lists) - 1; k >= 0 && len(need) < 2*listsMax; k-- {
		i := int(c.use.lists[k])
		switch r := s.rows.at(i); {
		case r.kind() == kindResponse:
			need, told = append(need, s.want(i), s.want(int(r.pair()))), nil
		case !told[r.method()]:
			if told == nil {
				told = map[uint32]bool{}
			}
			told[r.method()] = true
			need = append(need, s.want(i))
		}
	}
	key := ""
	if len(need) > 0 {
		key = itoa(need[0].row) + " " + itoa(len(need))
	}
	if key == c.asked {
		return nil
	}
	c.asked, c.reading = key, true
	slices.Reverse(need)
	id, read := owned(s.id), s.src.read
	return func() tea.Msg {
		var b offerBuilder
		for _, w := range need { // after the turn a request stands before its answer
			if e := w.entry; e.Kind == annotate.Notification || fill1(&e, read, w) == nil {
				b.add(&e, int(w.row))
			}
		}
		return screenMsg{id, "6", b.offers()}
	}
}

func (c *catalogueScreen) receive(s *session, data any) tea.Cmd {
	if o, ok := data.(offered); ok {
		c.reading, c.offered = false, o
	}
	return nil
}

func (c *catalogueScreen) act(s *session, a action) (tea.Cmd, bool) {
	if a == actOpen && c.cur < len(c.filters) && c.filters[c.cur] != "" {
		return s.showFiltered(c.filters[c.cur]), true
	}
	return c.sheet.act(s, a)
}

func (c *catalogueScreen) draw(s *session, r rect) []string {
	below := 0
	if r.h >= 16 {
		below = min(r.h*2/5, 16)
	}
	c.build(s, r.w)
	p := &s.m.pen
	lines := fill(c.sheet.draw(p, rect{w: r.w, h: r.h - below}), rect{w: r.w, h: r.h - below}, p)
	if below > 0 {
		lines = append(lines, c.drawSelected(s, r.w, below)...)
	}
	return lines
}

// build makes the lines: one a thing that is offered, by kind, then what was used without being listed.
func (c *catalogueScreen) build(s *session, w int) {
	gl := s.m.gl
	c.lines, c.items, c.filters = c.lines[:0], c.items[:0], c.filters[:0]
	add := func(item, jump int, segs ...seg) {
		c.lines = append(c.lines, dline{segs: segs, jump: jump})
		c.items = append(c.items, sheetItem{item})
		c.filters = append(c.filters, "")
	}
	name := max(18, min(w/3, 40))
	rest := max(w-name-2-7-8-8-8-5, 0)
	head := func(kind, n int) {
		add(none, none)
		k := offerKinds[kind]
		add(none, none, cellOf(gl, k.role, " "+k.title+" "+itoa(n), name+1), numberOf(gl, roleMuted, "calls", 6), numberOf(gl, roleMuted, "failed", 7),
			numberOf(gl, roleMuted, "median", 7), numberOf(gl, roleMuted, "p95", 7), seg{roleMuted, " what it is for"})
		if said := c.states[kind].words(); said != "" {
			add(none, none, seg{roleWarn, "   " + said})
		}
	}
	line := func(item, jump int, ro role, kind int, label, about string) {
		segs := []seg{cellOf(gl, ro, "   "+label, name+1)}
		u := c.used(s, kind, label)
		if u == nil {
			segs = append(segs, numberOf(gl, roleMuted, gl.dot, 6), seg{roleText, blanks(24)})
		} else {
			failed := seg{roleText, blanks(8)}
			if u.failed > 0 {
				failed = numberOf(gl, roleError, thousands(u.failed), 7)
			}
			segs = append(segs, numberOf(gl, roleStrong, thousands(u.calls), 6), failed)
			for _, pc := range []int{50, 95} {
				text := ""
				if d, ok := u.percentile(pc); ok {
					text = timetext.Cell(d)
				}
				segs = append(segs, numberOf(gl, roleText, text, 7))
			}
		}
		add(item, jump, append(segs, seg{roleMuted, " " + termtext.Line(about, max(rest, 1))})...)
		if u != nil && u.calls > 0 {
			c.filters[len(c.filters)-1] = filter.Equal(offerKinds[kind].field, label)
		}
	}
	if len(c.lists) == 0 {
		add(none, none)
		text := "the server has listed nothing so far"
		if c.reading {
			text = "reading the lists" + gl.ellipsis
		}
		add(none, none, seg{roleMuted, "   " + text})
	}
	listed := map[string]bool{}
	for kind := range offerKinds {
		first := true
		for i := range c.lists {
			o := &c.lists[i]
			if o.kind != kind {
				continue
			}
			if first {
				n := 0
				for k := range c.lists {
					if c.lists[k].kind == kind {
						n++
					}
				}
				head(kind, n)
				first = false
			}
			listed[offerKinds[kind].Use+" "+o.name] = true
			about := o.description
			if about == "" {
				about = o.title
			}
			line(i, o.row, roleText, kind, o.name, about)
		}
	}
	c.unlisted(s, listed, add, line)
}

// unlisted shows what was called although no list has it.
func (c *catalogueScreen) unlisted(s *session, listed map[string]bool, add func(int, int, ...seg), line func(int, int, role, int, string, string)) {
	type extra struct {
		kind  int
		name  string
		calls int64
	}
	var out []extra
	for k, u := range c.use.by {
		method, target := s.rows.names.text(k.method), s.rows.names.text(k.target)
		for kind := range offerKinds {
			// A resource may come from a template.
			if offerKinds[kind].List != &mcpspec.ResourceList && offerKinds[kind].Use == method && !listed[method+" "+target] && u.calls > 0 {
				out = append(out, extra{kind, target, u.calls})
			}
		}
	}
	if len(out) == 0 || c.reading {
		return
	}
	sort.Slice(out, func(i, j int) bool {
		a, b := &out[i], &out[j]
		return cmp.Or(cmp.Compare(a.kind, b.kind), cmp.Compare(b.calls, a.calls), strings.Compare(a.name, b.name)) < 0
	})
	add(none, none)
	add(none, none, seg{roleTitle, " used, but not in the list"})
	for i, x := range out {
		if i == 200 {
			add(none, none, seg{roleMuted, "   " + itoa(len(out)-i) + " more"})
			break
		}
		about := offerKinds[x.kind].title
		if i := c.removedAt(x.kind, x.name); i >= 0 {
			about += ": removed from the list in #" + itoa(s.rows.at(i).seq())
		}
		line(none, none, roleWarn, x.kind, x.name, about)
	}
}

// removedAt is the row of the answer from which on a list does not have something any more, none if it
// never had it.
func (c *catalogueScreen) removedAt(kind int, name string) int {
	for k := len(c.changes) - 1; k >= 0; k-- {
		if c.changes[k].kind == kind && slices.Contains(c.changes[k].removed, name) {
			return c.changes[k].row
		}
	}
	return none
}

// used is the use of something by name, nil if there was none.
func (c *catalogueScreen) used(s *session, kind int, name string) *useCount {
	method, ok := s.rows.names.lookup(offerKinds[kind].Use)
	if !ok || method == 0 {
		return nil
	}
	target, ok := s.rows.names.lookup(name)
	if !ok {
		return nil
	}
	return c.use.by[useKey{method, target}]
}

// drawSelected shows the selected definition, or how the lists changed.
func (c *catalogueScreen) drawSelected(s *session, w, h int) []string {
	p := &s.m.pen
	p.begin(w, roleText)
	p.repeat(roleBorder, s.m.gl.rule, w)
	out := []string{p.end()}
	var lines []dline
	if c.cur < len(c.items) && c.items[c.cur].offer >= 0 {
		o := &c.lists[c.items[c.cur].offer]
		lines = wrapSegs([]seg{{offerKinds[o.kind].role, o.name}, {roleStrong, "  " + o.title}, {roleMuted, "   listed in #" + itoa(s.rows.at(o.row).seq()) + ", " + bytesText(int64(len(o.raw)))}}, w-2)
		if offerKinds[o.kind].List == &mcpspec.ToolList {
			lines = append(lines, c.judged.lines(o.raw, w-2)...)
		}
		var fw fieldWriter
		fw.value("definition", o.raw)
		lines = append(lines, fieldLines(fw.out, w-2, s.m.gl)...)
	} else {
		lines = c.history(s, w-2)
	}
	for _, l := range lines {
		if len(out) == h {
			break
		}
		p.begin(w, roleText)
		p.space(1)
		p.segs(l.segs)
		out = append(out, p.end())
	}
	return out
}

// history says how the lists changed.
func (c *catalogueScreen) history(s *session, w int) []dline {
	if len(c.changes) == 0 {
		return []dline{{segs: []seg{{roleMuted, "the lists did not change"}}, jump: none}}
	}
	var lines []dline
	for _, ch := range c.changes {
		segs := []seg{{roleMuted, "#" + itoa(s.rows.at(ch.row).seq()) + "  "}, {offerKinds[ch.kind].role, offerKinds[ch.kind].title + "  "}}
		for _, part := range []struct {
			role  role
			sign  string
			names []string
		}{{roleOK, "+", ch.added}, {roleWarn, "~", ch.altered}, {roleError, "-", ch.removed}} {
			for i, n := range part.names {
				if i == 8 {
					segs = append(segs, seg{roleMuted, itoa(len(part.names)-i) + " more  "})
					break
				}
				segs = append(segs, seg{part.role, part.sign + clip(n, 60) + "  "})
			}
		}
		lines = append(lines, wrapSegs(segs, w)...)
	}
	return lines
}
