package jsontree

import (
	"iter"
	"math"
	"math/bits"
)

// Foldable reports whether n holds anything that folding would hide.
func (t *Tree) Foldable(n Node) bool { return t.nodes[n].children > 0 }

// Folded reports whether what is inside n is hidden.
func (t *Tree) Folded(n Node) bool { return t.nodes[n].flags&folded != 0 }

// Fold hides or shows what is inside n. What is folded inside stays folded.
func (t *Tree) Fold(n Node, hide bool) {
	if !t.Foldable(n) || t.Folded(n) == hide {
		return
	}
	t.nodes[n].flags ^= folded
	t.update(n)
}

// FoldInside hides or shows what is inside n and inside each array and object in it.
func (t *Tree) FoldInside(n Node, hide bool) {
	for i := n; i < t.nodes[n].after; i++ {
		t.setFolded(i, hide)
	}
	t.update(n)
}

// FoldBelow shows values down to a depth and folds everything deeper: 0 shows the root alone.
func (t *Tree) FoldBelow(depth int) {
	for i := range t.nodes {
		t.setFolded(Node(i), int(t.nodes[i].depth) >= depth)
	}
	if len(t.nodes) > 0 {
		t.update(0)
	}
}

// UnfoldAll shows every value.
func (t *Tree) UnfoldAll() { t.FoldBelow(math.MaxInt) }

// Reveal unfolds whatever hides n.
func (t *Tree) Reveal(n Node) {
	outermost := None
	for p := t.nodes[n].parent; p != None; p = t.nodes[p].parent {
		if t.Folded(p) {
			t.nodes[p].flags &^= folded
			outermost = p
		}
	}
	if outermost != None {
		t.update(outermost)
	}
}

func (t *Tree) setFolded(n Node, hide bool) {
	t.nodes[n].flags &^= folded
	if hide && t.Foldable(n) {
		t.nodes[n].flags |= folded
	}
}

// update makes the rows inside n agree with what is folded.
func (t *Tree) update(n Node) {
	first, after := n+1, t.nodes[n].after
	t.seen.hide(int(first), int(after))
	if t.seen.has(int(n)) && !t.Folded(n) {
		for i := first; i < after; {
			t.seen.show(int(i))
			if t.Folded(i) {
				i = t.nodes[i].after
			} else {
				i++
			}
		}
	}
	t.seen.count(int(first), int(after))
}

// Rows returns how many values are visible.
func (t *Tree) Rows() int { return t.seen.total }

// Visible reports whether n is not inside a folded value.
func (t *Tree) Visible(n Node) bool { return t.seen.has(int(n)) }

// Shown returns n, or the folded value that hides it.
func (t *Tree) Shown(n Node) Node {
	for !t.Visible(n) {
		n = t.nodes[n].parent
	}
	return n
}

// Next returns the visible value of the row after that of n, or [None].
func (t *Tree) Next(n Node) Node {
	next := n + 1
	if t.Folded(n) || !t.Visible(n) {
		next = t.nodes[t.Shown(n)].after
	}
	if int(next) >= len(t.nodes) {
		return None
	}
	return next
}

// Prev returns the visible value of the row before that of n, or [None].
func (t *Tree) Prev(n Node) Node { return t.NodeAt(t.RowOf(n) - 1) }

// RowOf returns the row, from 0, of n or of the folded value that hides it.
func (t *Tree) RowOf(n Node) int { return t.seen.rank(int(t.Shown(n))) }

// NodeAt returns the visible value of a row, or [None] when there is no such row.
func (t *Tree) NodeAt(row int) Node { return Node(t.seen.at(row)) }

// From iterates over the visible values from the row of n on.
func (t *Tree) From(n Node) iter.Seq[Node] {
	return func(yield func(Node) bool) {
		if n == None {
			return
		}
		for n = t.Shown(n); n != None && yield(n); n = t.Next(n) {
		}
	}
}

// rows is a set of visible nodes that knows the place of each.
type rows struct {
	words  []uint64
	blocks []int32 // how many are in each block of blockWords words
	total  int
}

const blockWords = 16

func (r *rows) showAll(n int) {
	r.words = make([]uint64, (n+63)/64)
	r.blocks = make([]int32, (len(r.words)+blockWords-1)/blockWords)
	for i := range r.words {
		r.words[i] = ^uint64(0)
	}
	if n%64 != 0 {
		r.words[n/64] = 1<<(n%64) - 1
	}
	r.count(0, n)
}

func (r *rows) has(i int) bool { return r.words[i/64]&(1<<(i%64)) != 0 }

func (r *rows) show(i int) { r.words[i/64] |= 1 << (i % 64) }

// hide takes the nodes from first up to after out of the set.
func (r *rows) hide(first, after int) {
	for first < after {
		word, bit := first/64, first%64
		n := min(64-bit, after-first)
		r.words[word] &^= (1<<n - 1) << bit // for n of 64 the shift gives 0, and all bits are meant
		first += n
	}
}

// count brings the counts of the blocks with the nodes from first up to after up to date.
func (r *rows) count(first, after int) {
	if first >= after {
		return
	}
	for b := first / 64 / blockWords; b <= (after-1)/64/blockWords; b++ {
		n := 0
		for _, w := range r.words[b*blockWords : min((b+1)*blockWords, len(r.words))] {
			n += bits.OnesCount64(w)
		}
		r.total += n - int(r.blocks[b])
		r.blocks[b] = int32(n)
	}
}

// rank returns how many nodes of the set are before i.
func (r *rows) rank(i int) int {
	n := 0
	block := i / 64 / blockWords
	for _, c := range r.blocks[:block] {
		n += int(c)
	}
	for _, w := range r.words[block*blockWords : i/64] {
		n += bits.OnesCount64(w)
	}
	return n + bits.OnesCount64(r.words[i/64]&(1<<(i%64)-1))
}

// at returns the node with that many nodes of the set before it, -1 when there is none.
func (r *rows) at(row int) int {
	if row < 0 || row >= r.total {
		return -1
	}
	block := 0
	for row >= int(r.blocks[block]) {
		row -= int(r.blocks[block])
		block++
	}
	for i := block * blockWords; ; i++ {
		n := bits.OnesCount64(r.words[i])
		if row >= n {
			row -= n
			continue
		}
		w := r.words[i]
		for ; row > 0; row-- {
			w &= w - 1
		}
		return i*64 + bits.TrailingZeros64(w)
	}
}
