package tui

import "strings"

// names interns strings. What it holds is bounded: of a recording with more different names than that
// the rest is known by their beginning only, or not at all.
type names struct {
	list  []string
	ids   map[string]uint32
	bytes int
}

const (
	nameMax  = 1024
	namesMax = 16 << 20
	// A string costs about this much beside its bytes.
	nameCost = 64
)

// tooManyNames takes the place of names for which there is no room.
const tooManyNames = "(not kept)"

func newNames() names {
	return names{list: []string{"", tooManyNames}, ids: map[string]uint32{"": 0, tooManyNames: 1}}
}

func (n *names) id(s string) uint32 {
	s = clip(s, nameMax)
	if i, ok := n.ids[s]; ok {
		return i
	}
	if n.bytes+len(s)+nameCost > namesMax {
		return n.ids[tooManyNames]
	}
	n.bytes += len(s) + nameCost
	s = strings.Clone(s)
	i := uint32(len(n.list))
	n.list = append(n.list, s)
	n.ids[s] = i
	return i
}

// lookup finds a string that is there already.
func (n *names) lookup(s string) (uint32, bool) {
	i, ok := n.ids[clip(s, nameMax)]
	return i, ok
}

func (n *names) text(i uint32) string { return n.list[i] }
