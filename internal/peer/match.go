package peer

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/shakescope/shakescope/annotate"
	"github.com/shakescope/shakescope/internal/mcpspec"
	"github.com/shakescope/shakescope/jsonrpc"
)

// casting hands out scenes: those of the same question in the order of the recording, the last one again and
// again.
type casting struct {
	*Script
	given map[string]int
	note  func(format string, args ...any)
}

// next returns the scene that is due among those that fit.
func (c *casting) next(key string, fit []*scene) *scene {
	n := c.given[key]
	c.given[key]++
	return fit[min(n, len(fit)-1)]
}

// find returns the scene for a request, or the error to answer with.
func (c *casting) find(q question) (*scene, *Fault) {
	all := c.methods[q.method]
	switch {
	case q.method == "initialize" && len(all) == 0:
		return nil, c.noHandshake(q)
	case q.method == "initialize" || q.method == "server/discover" && len(all) > 0:
		return c.handshake(q, all), nil
	}
	if fit := c.requests[q.exact]; fit != nil {
		return c.next(q.exact, fit), nil
	}
	if fit := c.loose[q.call]; q.call != "" && fit != nil {
		return c.next(q.call, fit), nil
	}
	return nil, c.missing(q)
}

// handshake chooses what was recorded for the revision asked for, or else what opened a session.
func (c *casting) handshake(q question, all []*scene) *scene {
	var same, good []*scene
	for _, s := range all {
		if s.ask.version == q.version {
			same = append(same, s)
		}
		if !s.fails && s.done >= 0 {
			good = append(good, s)
		}
	}
	switch {
	case len(same) > 0:
		return c.next(q.method+" "+q.version, same)
	case len(good) > 0:
		c.note("the client asks for revision %s by %s, which was not recorded: it gets the recorded answer", q.version, q.method)
		return c.next(q.method, good)
	}
	return c.next(q.method, all)
}

// noHandshake refuses a legacy client as a server does that speaks the modern era only.
func (c *casting) noHandshake(q question) *Fault {
	var supported []string
	for _, s := range c.methods["server/discover"] {
		for _, st := range s.steps {
			if st.kind == sayAnswer {
				raw, _ := jsonrpc.Lookup(st.line, "result")
				supported = append(supported, texts(raw, "supportedVersions")...)
			}
		}
	}
	if !c.eras[mcpspec.Modern] {
		return &Fault{Code: mcpspec.MethodNotFound, Message: "the recording has no initialize; it has " + c.known()}
	}
	if len(supported) == 0 {
		supported = []string{mcpspec.Rev20260728}
	}
	list, _ := json.Marshal(supported)
	return &Fault{Code: mcpspec.UnsupportedVersion, Message: "the recording has no initialize: its session is of " + mcpspec.Rev20260728,
		Data: object([2]string{"supported", string(list)}, [2]string{"requested", quote(q.version)})}
}

// nearest is what a client is told about a question that was never recorded.
type nearest struct {
	Seq         annotate.Ref `json:"-"`
	At          string       `json:"at"`
	Differences []Difference `json:"differences"`
}

// missing says what was recorded instead.
func (c *casting) missing(q question) *Fault {
	all := c.methods[q.method]
	if len(all) == 0 {
		return &Fault{Code: mcpspec.MethodNotFound, Message: fmt.Sprintf("the recording has no %s; it has %s", q.method, c.known())}
	}
	var others []*scene
	for _, s := range all {
		if s.ask.modern == q.modern {
			others = append(others, s)
		}
	}
	if len(others) == 0 {
		return &Fault{Code: mcpspec.InvalidParams, Message: fmt.Sprintf("the recording has %s only in the %s era", q.method, eraOf(!q.modern))}
	}
	said := q.method
	if q.target != "" {
		var targets []string
		same := slices.DeleteFunc(slices.Clone(others), func(s *scene) bool { return s.ask.target != q.target })
		if len(same) == 0 {
			for _, s := range others {
				if s.ask.target != "" && !slices.Contains(targets, s.ask.target) {
					targets = append(targets, s.ask.target)
				}
			}
			return &Fault{Code: mcpspec.InvalidParams, Message: fmt.Sprintf("the recording has no %s of %s; it has %s", q.method, q.target, some(targets))}
		}
		others, said = same, q.method+" of "+q.target
	}
	var near *nearest
	for _, s := range others {
		d := Differences(s.ask.compared(), q.compared())
		if near == nil || len(d) < len(near.Differences) {
			near = &nearest{Seq: s.ref, At: s.ref.String(), Differences: d}
		}
	}
	var where []string
	for _, d := range near.Differences {
		where = append(where, d.Words("recorded", "asked"))
	}
	data, _ := json.Marshal(map[string]any{"recorded": len(others), "nearest": near})
	return &Fault{Code: mcpspec.InvalidParams, Data: data, Message: fmt.Sprintf("the recording has no %s with these params, but %d with others; the nearest is %s: %s",
		said, len(others), near.At, some(where))}
}

// Words say a difference as people read it, with a name for each side.
func (d *Difference) Words(old, new string) string {
	path := cmp.Or(d.Path, "the whole")
	switch {
	case d.Old == nil:
		return fmt.Sprintf("%s only %s (%s)", path, new, short(d.New))
	case d.New == nil:
		return fmt.Sprintf("%s only %s (%s)", path, old, short(d.Old))
	}
	return fmt.Sprintf("%s %s %s, %s %s", path, old, short(d.Old), new, short(d.New))
}

// short is the beginning of a value.
func short(raw []byte) string {
	const most = 60
	if r := []rune(string(raw)); len(r) > most {
		return string(r[:most]) + "…"
	}
	return string(raw)
}

// known lists the methods that were recorded.
func (c *casting) known() string {
	var names []string
	for m := range c.methods {
		names = append(names, m)
	}
	if len(names) == 0 {
		return "no request at all"
	}
	slices.Sort(names)
	return some(names)
}

// some joins the first few of a list.
func some(list []string) string {
	const most = 20
	if len(list) > most {
		return strings.Join(list[:most], ", ") + fmt.Sprintf(" and %d more", len(list)-most)
	}
	return strings.Join(list, ", ")
}
