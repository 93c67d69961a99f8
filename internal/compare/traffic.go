package compare

import (
	"cmp"
	"fmt"
	"sort"
	"strings"

	"github.com/shakescope/shakescope/annotate"
)

// groupKey is what requests must have in common to be aligned.
type groupKey struct {
	server         bool
	method, target string
}

func (k groupKey) side() string {
	if k.server {
		return "server"
	}
	return "client"
}

// pair is a request of both sides whose payloads are to be looked at.
type pair struct {
	groupKey
	kind    Kind
	a, b    *exchange
	payload [2]payload
	out     []Difference
	more    int
	shape   string // the paths that differ
	done    bool   // was compared
}

// Bounds of what is read again: pairs of one group, and of all.
const (
	maxPairsGroup = 50
	maxPairs      = 1000
)

// unread is the shape of pairs that are only counted.
const unread = "\x00unread"

// sameEvery are the requests that nobody means one by one: how often they come is a matter of time.
var sameEvery = map[string]bool{"ping": true, "tasks/get": true}

// traffic aligns the requests of both sides.
func (c *comparer) traffic() {
	groups := map[groupKey][2][]*exchange{}
	var order []groupKey
	for n, h := range []*half{c.a, c.b} {
		for i := range h.exchanges {
			x := &h.exchanges[i]
			k := groupKey{x.server, h.names[x.method], h.names[x.target]}
			g, ok := groups[k]
			if !ok {
				order = append(order, k)
			}
			g[n] = append(g[n], x)
			groups[k] = g
		}
	}
	for _, k := range order {
		g := groups[k]
		c.group(k, g[0], g[1])
	}
}

// group compares the requests of one method and target.
func (c *comparer) group(k groupKey, a, b []*exchange) {
	m := align(a, b)
	t := &c.report.Requests
	taken := 0
	look := func(kind Kind, x, y *exchange) {
		p := &pair{groupKey: k, kind: kind, a: x, b: y}
		if taken++; taken > maxPairsGroup || len(c.pairs) >= maxPairs {
			p.shape = unread
		}
		c.pairs = append(c.pairs, p)
	}
	for _, p := range m.same {
		x, y := a[p[0]], b[p[1]]
		switch {
		case x.state != y.state || x.code != y.code:
			t.Differ++
			look(Outcome, x, y)
		case x.body != y.body:
			t.Differ++
			look(Answer, x, y)
		default:
			t.Same++
		}
	}
	for _, p := range m.other {
		t.Params++
		x, y := a[p[0]], b[p[1]]
		look(Params, x, y)
	}
	t.Missing += len(m.gone)
	t.Extra += len(m.come)
	if len(m.gone) > 0 {
		c.once(k, Missing, a, m.gone, len(a), len(b))
	}
	if len(m.come) > 0 {
		c.once(k, Extra, b, m.come, len(a), len(b))
	}
}

// once notes requests that one side has alone.
func (c *comparer) once(k groupKey, kind Kind, list []*exchange, which []int, a, b int) {
	x := Change{Section: Traffic, Kind: kind, What: k.method, Name: k.target, Side: k.side(), Count: len(which)}
	where := "only in the first recording"
	if kind == Extra {
		where = "only in the second recording"
		x.B = list[which[0]].ref
	} else {
		x.A = list[which[0]].ref
	}
	x.Words = where
	if a > 0 && b > 0 {
		x.Words = fmt.Sprintf("%s (%d and %d in all)", where, a, b)
	}
	if sameEvery[k.method] {
		x.Kind, x.Words = Count, fmt.Sprintf("%d became %d", a, b)
	}
	c.add(x)
}

// settle makes changes of the pairs that were looked at: those alike become one.
func (c *comparer) settle() {
	type alike struct {
		groupKey
		kind  Kind
		words string
		shape string
	}
	made := map[alike]*Change{}
	for _, p := range c.pairs {
		if p.kind != Outcome && p.shape == "" {
			// What the digests took for a difference is none.
			if p.kind == Answer {
				c.report.Requests.Differ--
				c.report.Requests.Same++
			}
			continue
		}
		x := Change{Section: Traffic, Kind: p.kind, What: p.method, Name: p.target, Side: p.side(), A: p.a.ref, B: p.b.ref, Count: 1,
			Differences: p.out, More: p.more}
		switch p.kind {
		case Outcome:
			was, is := outcome(p.a), outcome(p.b)
			x.Words = from(was, is)
			if fine(p.a) && !fine(p.b) {
				x.Grade, x.Why = Breaking, "the same request no longer succeeds"
			} else if !fine(p.a) && fine(p.b) {
				x.Grade, x.Why = Compatible, "the same request succeeds now"
			}
		case Answer:
			x.Words = "the answer differs"
		case Params:
			x.Words = "the params differ"
		}
		key := alike{p.groupKey, p.kind, x.Words, p.shape}
		if p.shape == unread {
			key.shape = ""
			for other, have := range made {
				if other.groupKey == p.groupKey && other.kind == p.kind && other.words == x.Words {
					have.Count++
					key.kind = "" // counted there
					break
				}
			}
			if key.kind == "" {
				continue
			}
		}
		if have := made[key]; have != nil {
			have.Count++
			continue
		}
		made[key] = c.add(x)
	}
}

// outcome says how a request ended.
func outcome(x *exchange) string {
	switch x.state {
	case annotate.Failed:
		return fmt.Sprintf("error %d", x.code)
	case annotate.ToolError:
		return "a tool error"
	case annotate.Pending, "":
		return "no answer"
	case annotate.InputRequired:
		return "input required"
	}
	return string(x.state)
}

// fine reports whether a request came to what was wanted.
func fine(x *exchange) bool {
	return x.state == annotate.OK || x.state == annotate.InputRequired || x.state == annotate.Open
}

// counts compares how often notifications came, and lines that are no message.
func (c *comparer) counts() {
	keys := map[noteKey]bool{}
	for k := range c.a.notes {
		keys[k] = true
	}
	for k := range c.b.notes {
		keys[k] = true
	}
	var order []noteKey
	for k := range keys {
		order = append(order, k)
	}
	sort.Slice(order, func(i, j int) bool {
		x, y := order[i], order[j]
		return cmp.Or(strings.Compare(x.from, y.from), strings.Compare(x.method, y.method)) < 0
	})
	none := &tally{}
	for _, k := range order {
		x, y := c.a.notes[k], c.b.notes[k]
		if x == nil {
			x = none
		}
		if y == nil {
			y = none
		}
		if x.n != y.n {
			c.add(Change{Section: Notifications, Kind: Count, What: k.method, Side: k.from, Words: fmt.Sprintf("%d became %d", x.n, y.n), A: x.first, B: y.first})
		}
	}
	if x, y := c.a.broken, c.b.broken; x.n != y.n {
		c.add(Change{Section: Notifications, Kind: Count, What: "lines that are no message", Words: fmt.Sprintf("%d became %d", x.n, y.n), A: x.first, B: y.first})
	}
}
