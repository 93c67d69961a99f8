package compare

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/shakescope/shakescope/annotate"
	"github.com/shakescope/shakescope/jsonrpc"
)

// handshake compares what both sides said of themselves and what they agreed on.
func (c *comparer) handshake() {
	a, b := &c.a.hello, &c.b.hello
	switch {
	case a.seen() && b.seen():
		c.hello(a, b)
	case a.seen() != b.seen():
		c.add(Change{Section: Handshake, Kind: Unseen, What: "handshake", Words: unseen(b.seen(), "neither side introduced itself")})
	}
	if c.a.ending.words != c.b.ending.words {
		c.add(Change{Section: Handshake, Kind: Changed, What: "end of the server", Words: from(orNone(c.a.ending.words), orNone(c.b.ending.words)), A: c.a.ending.at, B: c.b.ending.at})
	}
	if n, m := c.a.stats.Sessions, c.b.stats.Sessions; n != m {
		c.add(Change{Section: Handshake, Kind: Count, What: "sessions", Words: fmt.Sprintf("%d became %d", n, m)})
	}
}

// seen reports whether anything was said.
func (h *hello) seen() bool {
	return h.requested.raw != nil || h.client.raw != nil || h.server.raw != nil
}

func (c *comparer) hello(a, b *hello) {
	c.said("requested revision", "client", a.requested, b.requested, Ungraded, "")
	if x := c.said("negotiated revision", "server", a.negotiated, b.negotiated, Ungraded, ""); x != nil && unquoted(b.negotiated.raw) < unquoted(a.negotiated.raw) {
		x.Why = "an older revision: what came later is not to be relied on"
	}
	if c.a.facts.Era != c.b.facts.Era {
		c.add(Change{Section: Handshake, Kind: Changed, What: "era", Words: from(orNone(c.a.facts.Era), orNone(c.b.facts.Era)),
			A: a.client.at, B: b.client.at})
	}
	c.versions()
	c.info("client", a.client, b.client)
	c.info("server", a.server, b.server)
	c.instructions(a.instructions, b.instructions)
}

func from(a, b string) string { return a + " became " + b }

func orNone(s string) string {
	if s == "" {
		return "none"
	}
	return cut(s, 120)
}

// said compares one thing that one side said.
func (c *comparer) said(what, side string, a, b stated, g Grade, why string) *Change {
	if string(a.raw) == string(b.raw) || same2(a.raw, b.raw) {
		return nil
	}
	k := Changed
	switch {
	case a.raw == nil:
		k = Added
	case b.raw == nil:
		k = Removed
	}
	text := func(s stated) string {
		if t, ok := jsonrpc.Unquote(s.raw); ok {
			return orNone(t)
		}
		return orNone(string(s.raw))
	}
	return c.add(Change{Section: Handshake, Kind: k, Grade: g, What: what, Side: side, Words: from(text(a), text(b)), Why: why, A: a.at, B: b.at})
}

// same2 reports whether two raw values say the same.
func same2(a, b []byte) bool {
	exact := steady{exact: true}
	return len(a) > 0 && len(b) > 0 && exact.digest(a) == exact.digest(b)
}

// versions compares the revisions that requests stated themselves, and those a server offers.
func (c *comparer) versions() {
	a, b := slices.Sorted(maps.Keys(c.a.stats.PerRequest)), slices.Sorted(maps.Keys(c.b.stats.PerRequest))
	if !slices.Equal(a, b) && len(a)+len(b) > 0 {
		c.add(Change{Section: Handshake, Kind: Changed, What: "revisions stated by requests", Side: "client",
			Words: from(orNone(strings.Join(a, ", ")), orNone(strings.Join(b, ", ")))})
	}
	if c.a.hello.supported.raw != nil && c.b.hello.supported.raw != nil {
		gone, come := listed(c.a.hello.supported.raw, c.b.hello.supported.raw)
		for _, v := range gone {
			c.add(Change{Section: Handshake, Kind: Removed, Grade: Breaking, What: "supported revision", Name: v, Side: "server", Words: "is no longer supported",
				Why: "clients that speak nothing newer are turned away", A: c.a.hello.supported.at, B: c.b.hello.supported.at})
		}
		for _, v := range come {
			c.add(Change{Section: Handshake, Kind: Added, Grade: Compatible, What: "supported revision", Name: v, Side: "server", Words: "is now supported, too",
				Why: "nobody has to use it", A: c.a.hello.supported.at, B: c.b.hello.supported.at})
		}
	}
}

// listed returns the strings that are in one list only.
func listed(a, b []byte) (gone, come []string) {
	read := func(raw []byte) (out []string) {
		elements(raw, func(v []byte) bool { out = append(out, unquoted(v)); return len(out) < 100 })
		slices.Sort(out)
		return out
	}
	x, y := read(a), read(b)
	return minus(x, y), minus(y, x)
}

// info compares clientInfo or serverInfo member by member.
func (c *comparer) info(side string, a, b stated) {
	if a.raw == nil || b.raw == nil {
		c.said(side+"Info", side, a, b, Ungraded, "")
		return
	}
	for _, d := range membersOf(a.raw, b.raw) {
		x := Change{Section: Handshake, Kind: d.kind, Grade: Cosmetic, What: side + "Info", Name: d.name, Side: side, A: a.at, B: b.at,
			Words: from(brief(d.before), brief(d.after)), Why: "who the peer is changes no message", Where: "/" + escaped(d.name)}
		if d.name == "name" {
			x.Grade, x.Why = Ungraded, "these are different programs"
		}
		c.add(x)
	}
}

// memberChange is a member of an object that differs.
type memberChange struct {
	name          string
	kind          Kind
	before, after []byte
}

// membersOf compares two objects member by member, in the order of names.
func membersOf(a, b []byte) []memberChange {
	before, after := map[string][]byte{}, map[string][]byte{}
	for name, v := range jsonrpc.Members(a) {
		before[name] = v
	}
	for name, v := range jsonrpc.Members(b) {
		after[name] = v
	}
	all := maps.Clone(before)
	maps.Copy(all, after)
	var out []memberChange
	for _, name := range slices.Sorted(maps.Keys(all)) {
		x, was := before[name]
		y, is := after[name]
		switch {
		case !was:
			out = append(out, memberChange{name, Added, nil, y})
		case !is:
			out = append(out, memberChange{name, Removed, x, nil})
		case string(x) != string(y) && !same2(x, y):
			out = append(out, memberChange{name, Changed, x, y})
		}
	}
	return out
}

// brief shows a raw value.
func brief(raw []byte) string {
	if raw == nil {
		return "nothing"
	}
	return cut(string(raw), 80)
}

// instructions compares what the server tells the model, line by line.
func (c *comparer) instructions(a, b stated) {
	x, y := unquoted(a.raw), unquoted(b.raw)
	if x == y {
		return
	}
	k := Changed
	switch {
	case x == "":
		k = Added
	case y == "":
		k = Removed
	}
	c.add(Change{Section: Handshake, Kind: k, Grade: Cosmetic, What: "instructions", Side: "server", Words: lineWords(x, y),
		Why: "no message is judged differently, but hosts show them to the model", A: a.at, B: b.at})
}

// lineWords says which lines of a text came and went.
func lineWords(a, b string) string {
	gone, come := lineDifference(strings.Split(a, "\n"), strings.Split(b, "\n"))
	var parts []string
	show := func(sign string, lines []string) {
		for i, l := range lines {
			if i == 3 {
				parts = append(parts, fmt.Sprintf("%s %d more", sign, len(lines)-i))
				break
			}
			parts = append(parts, sign+" "+quoted(cut(strings.TrimSpace(l), 100)))
		}
	}
	show("-", gone)
	show("+", come)
	return strings.Join(parts, ", ")
}

// lineDifference returns the lines that are on one side only, in order.
func lineDifference(a, b []string) (gone, come []string) {
	for len(a) > 0 && len(b) > 0 && a[0] == b[0] {
		a, b = a[1:], b[1:]
	}
	for len(a) > 0 && len(b) > 0 && a[len(a)-1] == b[len(b)-1] {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	if len(a) == 0 || len(b) == 0 {
		return a, b
	}
	keep := common(len(a), len(b), func(i, j int) bool { return a[i] == b[j] })
	i, j := 0, 0
	for _, k := range append(keep, [2]int{len(a), len(b)}) {
		gone, come = append(gone, a[i:k[0]]...), append(come, b[j:k[1]]...)
		i, j = k[0]+1, k[1]+1
	}
	return gone, come
}

// capabilities compares what both sides declared.
func (c *comparer) capabilities() {
	used := map[[2]string]int64{}
	at := map[[2]string]annotate.Ref{}
	declared := func(h *half) map[[2]string]annotate.Ref {
		out := map[[2]string]annotate.Ref{}
		for _, l := range h.ledger.Lines() {
			if len(l.DeclaredAt) > 0 {
				out[[2]string{l.Side, l.Path}] = l.DeclaredAt[0]
			}
		}
		return out
	}
	for _, l := range c.a.ledger.Lines() {
		used[[2]string{l.Side, l.Path}] = l.Used
	}
	before, after := declared(c.a), declared(c.b)
	for _, side := range []string{"client", "server"} {
		x, y := capabilitiesOf(c.a, side), capabilitiesOf(c.b, side)
		if x == nil || y == nil {
			if (x == nil) != (y == nil) {
				c.add(Change{Section: Capabilities, Kind: Unseen, What: "capability", Side: side, Words: unseen(x == nil, "the "+side+"'s capabilities are not known")})
			}
			continue
		}
		paths := map[string]annotate.Ref{}
		for _, of := range []map[[2]string]annotate.Ref{before, after} {
			for key, first := range of {
				if key[0] == side {
					paths[key[1]] = first
				}
			}
		}
		for _, path := range slices.Sorted(maps.Keys(paths)) {
			key := [2]string{side, path}
			at[key] = paths[path]
			c.capability(key, before, after, used[key])
		}
		c.capabilityMembers(side, x, y, before, after)
	}
}

func unseen(first bool, what string) string {
	if first {
		return "in the first recording " + what
	}
	return "in the second recording " + what
}

func capabilitiesOf(h *half, side string) []byte {
	if side == "client" {
		return h.stats.Capabilities.Client
	}
	return h.stats.Capabilities.Server
}

// capability compares one path.
func (c *comparer) capability(key [2]string, before, after map[[2]string]annotate.Ref, used int64) {
	a, was := before[key]
	b, is := after[key]
	x := Change{Section: Capabilities, What: "capability", Side: key[0], Name: key[1], A: a, B: b}
	switch {
	case was && is:
		return
	case is:
		x.Kind, x.Grade, x.Words, x.Why = Added, Compatible, "is now declared", "nobody has to use it"
	default:
		x.Kind, x.Grade, x.Words, x.Why = Removed, Breaking, "is no longer declared", "who relies on it can no longer do so"
		if used > 0 {
			x.Words += fmt.Sprintf("; %s leaned on it", plural(used, "recorded message"))
		} else if key[0] == "client" {
			x.Grade, x.Why = Compatible, "servers must do without what a client does not offer, and nothing leaned on it"
		}
	}
	c.add(x)
}

// capabilityMembers compares what the paths do not cover: values of members, by their pointers.
func (c *comparer) capabilityMembers(side string, x, y []byte, before, after map[[2]string]annotate.Ref) {
	if same2(x, y) {
		return
	}
	d := differ{steady: steady{exact: true}, most: 40}
	d.raw(x, y)
	for _, f := range d.out {
		path := strings.ReplaceAll(strings.TrimPrefix(f.Path, "/"), "/", ".")
		covered := false
		for _, m := range []map[[2]string]annotate.Ref{before, after} {
			for key := range m {
				_, both := before[key]
				_, there := after[key]
				p := strings.TrimPrefix(key[1], "extensions.")
				covered = covered || key[0] == side && both != there && (path == key[1] || strings.HasPrefix(path, key[1]+".") || strings.Contains(f.Path, escaped(p)))
			}
		}
		if !covered {
			c.add(Change{Section: Capabilities, Kind: Changed, Grade: Compatible, What: "capability", Side: side, Name: path, Where: f.Path, Words: f.Words,
				Why: "what it offers is still declared"})
		}
	}
}

func plural[N int | int64](n N, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
