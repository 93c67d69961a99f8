package tui

import (
	"cmp"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/shakescope/shakescope/annotate"
	"github.com/shakescope/shakescope/internal/filter"
	"github.com/shakescope/shakescope/internal/mcpspec"
	"github.com/shakescope/shakescope/internal/timetext"
)

// statsScreen shows the numbers of the recording: those of annotate.Stats, which `stats` prints too,
// and the slowest and largest messages.
type statsScreen struct {
	sheet
	upTo    int
	slowest []int32 // answers
	largest []int32
	codes   map[int64]int64 // error responses by their code
	took    [len(tookBounds) + 1]int64
}

// topOf is how many of the slowest and largest messages are listed.
const topOf = 10

func newStats() screen { return &statsScreen{} }

func (st *statsScreen) places() place { return inTable }

func (st *statsScreen) act(s *session, a action) (tea.Cmd, bool) { return st.sheet.act(s, a) }

// count brings lists and error codes nearer to the playhead.
func (st *statsScreen) count(s *session) bool {
	n := s.limit()
	if n < st.upTo || st.codes == nil {
		*st = statsScreen{sheet: st.sheet, codes: map[int64]int64{}}
	}
	took := func(i int32) int64 {
		d, _ := s.rows.latency(int(i))
		return int64(d)
	}
	size := func(i int32) int64 { return s.rows.at(int(i)).size() }
	for end := min(n, st.upTo+countSlice); st.upTo < end; st.upTo++ {
		i := int32(st.upTo)
		if s.rows.at(st.upTo).kind() == kindError {
			st.codes[s.rows.moreOf(st.upTo).code]++
		}
		if d, ok := s.rows.latency(st.upTo); ok {
			st.took[bucketOf(d)]++
			st.slowest = keepTop(st.slowest, i, took)
		}
		if s.rows.at(st.upTo).isMessage() {
			st.largest = keepTop(st.largest, i, size)
		}
	}
	return st.upTo == n
}

// keepTop puts i into a list of the greatest, the greatest first; of equal ones the earlier stays.
func keepTop(list []int32, i int32, by func(int32) int64) []int32 {
	v := by(i)
	if len(list) == topOf && by(list[topOf-1]) >= v {
		return list
	}
	k := len(list)
	for k > 0 && by(list[k-1]) < v {
		k--
	}
	list = slices.Insert(list, k, i)
	return list[:min(len(list), topOf)]
}

func (st *statsScreen) draw(s *session, r rect) []string {
	st.lines = st.build(s, r.w)
	return st.sheet.draw(&s.m.pen, r)
}

func (st *statsScreen) build(s *session, w int) []dline {
	gl := s.m.gl
	var lines []dline
	add := func(jump int, segs ...seg) { lines = append(lines, dline{segs: segs, jump: jump}) }
	link := func(filter string, segs ...seg) {
		lines = append(lines, dline{segs: segs, jump: none, filter: filter})
	}
	head := func(text string) {
		add(none)
		add(none, seg{roleTitle, " " + text})
	}
	x := s.stats
	if x == nil {
		add(none)
		add(none, seg{roleMuted, "   counting" + gl.ellipsis})
	} else {
		title := "messages"
		if s.replay.on {
			title += " (of the whole recording)"
		}
		head(title)
		lines = append(lines, dline{jump: none, segs: []seg{cellOf(gl, roleMuted, "", 18), numberOf(gl, roleC2S, "client", 12), numberOf(gl, roleS2C, "server", 12)}})
		c, v := x.Messages.Client, x.Messages.Server
		for _, k := range []struct {
			name, filter string
			a, b         int64
		}{
			{"requests", "kind == request", c.Request, v.Request}, {"notifications", "kind == notification", c.Notification, v.Notification},
			{"results", "kind == response", c.Response, v.Response}, {"errors", "kind == error", c.Error, v.Error},
		} {
			link(k.filter, cellOf(gl, roleText, "   "+k.name, 18), numberOf(gl, roleText, thousands(k.a), 12), numberOf(gl, roleText, thousands(k.b), 12))
		}
		add(none, cellOf(gl, roleText, "   bytes", 18), numberOf(gl, roleText, bytesText(x.Bytes.Client), 12), numberOf(gl, roleText, bytesText(x.Bytes.Server), 12))
		st.oddities(x, gl, add, link)
		st.errorCodes(gl, head, link)
		st.latencies(x, gl, w, head, add, link)
	}
	st.histogram(gl, w, head, link)
	for _, l := range []struct {
		name string
		rows []int32
	}{{"slowest", st.slowest}, {"largest", st.largest}} {
		if len(l.rows) == 0 {
			continue
		}
		head(l.name)
		for _, i := range l.rows {
			r := s.rows.at(int(i))
			value := bytesText(r.size())
			if l.name == "slowest" {
				d, _ := s.rows.latency(int(i))
				value = timetext.Cell(d)
			}
			add(int(i), numberOf(gl, roleStrong, value, 12), numberOf(gl, roleMuted, "#"+itoa(r.seq()), 9), seg{roleMuted, " "},
				cellOf(gl, roleText, strings.TrimSpace(s.rows.names.text(r.method())+" "+s.rows.names.text(r.target)), max(w-30, 10)))
		}
	}
	return lines
}

// oddities lists the counts that should be zero, those that are not.
func (st *statsScreen) oddities(x *annotate.Stats, gl *glyphs, add func(int, ...seg), link func(string, ...seg)) {
	add(none)
	any := false
	for _, o := range []struct {
		n      int64
		role   role
		one    string
		text   string
		filter string
	}{
		{x.Unanswered - x.UnansweredCancelled - x.Open, roleWarn, "request without an answer", "requests without an answer", "kind == request && state == pending"},
		{x.UnansweredCancelled, roleText, "request cancelled and not answered", "requests cancelled and not answered", "kind == request && state == cancelled"},
		{x.Open, roleText, "request open by design", "requests open by design", "kind == request && state == open"},
		{x.AnsweredAfterCancel, roleText, "answer that came after a cancellation", "answers that came after a cancellation", "kind in {response, error} && cancelled"},
		{x.Unmatched, roleWarn, "answer without a request", "answers without a request", "kind in {response, error} && state in {unmatched, duplicate}"},
		{x.ToolErrors, roleError, "tool error", "tool errors", "kind == response && state == tool_error"}, {x.Invalid, roleError, "line that is no message", "lines that are no message", "kind == invalid"},
		{x.Blank, roleText, "blank line", "blank lines", "kind == blank"},
		{x.Progress.Orphan, roleWarn, "progress notification nobody asked for", "progress notifications nobody asked for", "method == notifications/progress && !flow"},
		{x.Progress.Late, roleWarn, "late progress notification", "late progress notifications", "method == notifications/progress && finding"},
	} {
		if o.n > 0 {
			any = true
			if o.n == 1 {
				o.text = o.one
			}
			link(o.filter, numberOf(gl, o.role, thousands(o.n), 12), seg{roleText, " " + o.text})
		}
	}
	if !any {
		add(none, seg{roleOK, "   " + gl.ok}, seg{roleText, " every request answered, every line a message"})
	}
}

// errorCodes counts the error responses by code.
func (st *statsScreen) errorCodes(gl *glyphs, head func(string), link func(string, ...seg)) {
	if len(st.codes) == 0 {
		return
	}
	head("error codes")
	codes := make([]int64, 0, len(st.codes))
	for c := range st.codes {
		codes = append(codes, c)
	}
	slices.SortFunc(codes, func(a, b int64) int { return cmp.Or(cmp.Compare(st.codes[b], st.codes[a]), cmp.Compare(a, b)) })
	for _, c := range codes[:min(len(codes), 20)] {
		name := ""
		if x := mcpspec.LookupError(c); x != nil {
			name = x.Name
		}
		link("error.code == "+itoa(c), numberOf(gl, roleError, thousands(st.codes[c]), 12), numberOf(gl, roleText, itoa(c), 9), seg{roleMuted, " " + name})
	}
}

// legend says what the bars beside the latencies mean, where there is room for them.
func legend(gl *glyphs, room int) string {
	if text := gl.barFull + " median " + gl.barEmpty + " p95"; room >= cells(text) {
		return text
	}
	return ""
}

// latencies is a table by method with a bar for the median and p95.
func (st *statsScreen) latencies(x *annotate.Stats, gl *glyphs, w int, head func(string), add func(int, ...seg), link func(string, ...seg)) {
	if x.Latency.N == 0 {
		return
	}
	head("latency")
	name := max(20, min(w-62, 44))
	add(none, cellOf(gl, roleMuted, "", name), numberOf(gl, roleMuted, "calls", 8), numberOf(gl, roleMuted, "min", 8), numberOf(gl, roleMuted, "median", 8),
		numberOf(gl, roleMuted, "p95", 8), numberOf(gl, roleMuted, "max", 8), seg{roleMuted, legend(gl, w-name-50)})
	row := func(ro role, label, filter string, l annotate.Latencies) {
		segs := []seg{cellOf(gl, ro, "   "+label, name), numberOf(gl, roleText, thousands(int64(l.N)), 8), numberOf(gl, roleMuted, timetext.Cell(l.Min), 8),
			numberOf(gl, roleText, timetext.Cell(l.Median), 8), numberOf(gl, roleStrong, timetext.Cell(l.P95), 8), numberOf(gl, roleText, timetext.Cell(l.Max), 8)}
		if room := w - name - 50; room >= 8 && x.Latency.Max > 0 {
			cellsOf := func(d time.Duration) int { return int(float64(d) / float64(x.Latency.Max) * float64(room)) }
			a, b := cellsOf(l.Median), cellsOf(l.P95)
			segs = append(segs, seg{roleInfo, strings.Repeat(gl.barFull, a)}, seg{roleMuted, strings.Repeat(gl.barEmpty, max(b-a, 0))})
		}
		link(filter, segs...)
	}
	row(roleStrong, "all", "latency", x.Latency)
	keys := make([]string, 0, len(x.LatencyByMethod))
	for k := range x.LatencyByMethod {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, func(a, b string) int {
		la, lb := x.LatencyByMethod[a], x.LatencyByMethod[b]
		return cmp.Or(cmp.Compare(lb.Median*time.Duration(lb.N), la.Median*time.Duration(la.N)), strings.Compare(a, b))
	})
	for i, k := range keys {
		if i == 25 {
			add(none, seg{roleMuted, "   " + plural(int64(len(keys)-i), "further method")})
			break
		}
		side, method, _ := strings.Cut(k, " ")
		from := "server" // answers come from the other side
		if side == "server" {
			from = "client"
		}
		row(roleText, k, filter.Equal(filter.Method, method)+" && from == "+from+" && latency", x.LatencyByMethod[k])
	}
}
