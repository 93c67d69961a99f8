package schemaguard

// marks are the members or items of one value that subschemas have evaluated. A nil one takes marks and
// forgets them: nobody asks.
type marks struct {
	all  bool
	bits []uint64
}

// marks returns nil for a value without members or items.
func (c *check) marks(v *value) *marks {
	if v.sub == nil {
		return nil
	}
	words := (len(v.sub.values) + 63) / 64
	c.spend(1 + words/8)
	return &marks{bits: make([]uint64, words)}
}

func (m *marks) mark(i int) {
	if m != nil {
		m.bits[i/64] |= 1 << (i % 64)
	}
}

// markFirst marks the first n.
func (m *marks) markFirst(n int) {
	if m == nil {
		return
	}
	for i := range n / 64 {
		m.bits[i] = ^uint64(0)
	}
	if n%64 > 0 {
		m.bits[n/64] |= 1<<(n%64) - 1
	}
}

func (m *marks) has(i int) bool { return m.all || m.bits[i/64]>>(i%64)&1 == 1 }

// merge adds what one subschema has evaluated to what the others have.
func (c *check) merge(into, from *marks) {
	if into == nil || from == nil {
		return
	}
	into.all = into.all || from.all
	c.spend(len(from.bits) / 8)
	for i, word := range from.bits {
		into.bits[i] |= word
	}
}

// unevaluated applies what is left for members and items that no other keyword has evaluated.
func (c *check) unevaluated(n *node, v *value, own *marks) bool {
	var sub *node
	switch {
	case v.kind == objectKind && n.objects != nil:
		sub = n.objects.unevaluated
	case v.kind == arrayKind && n.arrays != nil:
		sub = n.arrays.unevaluated
	}
	if sub == nil {
		return true
	}
	ok := true
	for i := range v.sub.values {
		if own.has(i) {
			continue
		}
		at := token{index: i}
		if v.kind == objectKind {
			at = named(v.sub.names[i])
		}
		if ok = c.below(sub, &v.sub.values[i], at) && ok; !ok && c.quiet {
			return false
		}
	}
	own.all = true
	return ok
}
