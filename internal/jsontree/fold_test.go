package jsontree

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// visible computes the visible values the simple way.
func visible(t *Tree) []Node {
	var nodes []Node
	for n := Node(0); int(n) < t.Len(); n++ {
		hidden := false
		for p := t.Parent(n); p != None; p = t.Parent(p) {
			hidden = hidden || t.Folded(p)
		}
		if !hidden {
			nodes = append(nodes, n)
		}
	}
	return nodes
}

// checkRows compares everything that says something of rows with the simple way.
func checkRows(t testing.TB, tree *Tree) {
	t.Helper()
	want := visible(tree)
	if tree.Rows() != len(want) {
		t.Fatalf("%d rows, want %d", tree.Rows(), len(want))
	}
	if diff := cmp.Diff(want, slices.Collect(tree.From(tree.Root()))); diff != "" {
		t.Fatal(diff)
	}
	for row, n := range want {
		next, prev := None, None
		if row+1 < len(want) {
			next = want[row+1]
		}
		if row > 0 {
			prev = want[row-1]
		}
		if tree.NodeAt(row) != n || tree.RowOf(n) != row || !tree.Visible(n) || tree.Shown(n) != n || tree.Next(n) != next || tree.Prev(n) != prev {
			t.Fatalf("row %d is %d: NodeAt %d, RowOf %d, next %d, previous %d", row, n, tree.NodeAt(row), tree.RowOf(n), tree.Next(n), tree.Prev(n))
		}
	}
	for n := Node(0); int(n) < tree.Len(); n++ {
		row, shown := slices.BinarySearch(want, n)
		if tree.Visible(n) != shown {
			t.Fatalf("Visible(%d) = %v", n, !shown)
		}
		if !shown && (tree.RowOf(n) != row-1 || tree.Next(n) != tree.NodeAt(row)) {
			t.Fatalf("hidden %d: row %d, next %d", n, tree.RowOf(n), tree.Next(n))
		}
	}
	if tree.NodeAt(-1) != None || tree.NodeAt(len(want)) != None {
		t.Fatal("rows beyond the ends")
	}
}

func TestFold(t *testing.T) {
	tree := parse(t, `{"a":[1,{"b":[2,3]}],"c":{"d":4},"e":[]}`) // a=1 1=2 {}=3 b=4 2,3=5,6 c=7 d=8 e=9
	shown := func() []Node { return slices.Collect(tree.From(0)) }
	check := func(step string, want ...Node) {
		t.Helper()
		checkRows(t, tree)
		if diff := cmp.Diff(want, shown()); diff != "" {
			t.Errorf("%s: %s", step, diff)
		}
	}
	check("all", 0, 1, 2, 3, 4, 5, 6, 7, 8, 9)
	tree.Fold(3, true)
	check("inner folded", 0, 1, 2, 3, 7, 8, 9)
	tree.Fold(1, true)
	check("outer folded", 0, 1, 7, 8, 9)
	tree.Fold(1, false)
	check("the inner one stays folded", 0, 1, 2, 3, 7, 8, 9)
	tree.Fold(1, true)
	tree.Fold(3, false)
	check("unfolded while hidden", 0, 1, 7, 8, 9)
	tree.Fold(1, false)
	check("which shows later", 0, 1, 2, 3, 4, 5, 6, 7, 8, 9)
	tree.Fold(9, true)
	tree.Fold(2, true)
	check("nothing to fold", 0, 1, 2, 3, 4, 5, 6, 7, 8, 9)
	if tree.Foldable(9) || tree.Folded(9) {
		t.Error("an empty array is folded")
	}
	tree.FoldInside(1, true)
	check("inside a", 0, 1, 7, 8, 9)
	tree.Fold(1, false)
	check("one level of a", 0, 1, 2, 3, 7, 8, 9)
	tree.FoldInside(1, false)
	check("all of a", 0, 1, 2, 3, 4, 5, 6, 7, 8, 9)
	tree.FoldBelow(0)
	check("root alone", 0)
	tree.FoldBelow(1)
	check("level 1", 0, 1, 7, 9)
	tree.FoldBelow(2)
	check("level 2", 0, 1, 2, 3, 7, 8, 9)
	tree.FoldBelow(0)
	tree.Reveal(5)
	check("revealed", 0, 1, 2, 3, 4, 5, 6, 7, 9)
	tree.UnfoldAll()
	check("all again", 0, 1, 2, 3, 4, 5, 6, 7, 8, 9)
}

func TestFoldEmpty(t *testing.T) {
	tree, _ := Parse([]byte("hello"))
	tree.FoldBelow(0)
	tree.UnfoldAll()
	if tree.Rows() != 0 || tree.NodeAt(0) != None || len(slices.Collect(tree.From(tree.Root()))) != 0 {
		t.Error("rows of nothing")
	}
	if _, _, ok := tree.Search(NewQuery("x"), None, false); ok {
		t.Error("found something in nothing")
	}
}

// grow writes random JSON of about n values.
func grow(r *rand.Rand, n int) string {
	if n <= 1 {
		return "1"
	}
	var parts []string
	for n--; n > 0; {
		size := 1 + r.IntN(min(n, 1+r.IntN(n)))
		part := grow(r, size)
		parts = append(parts, part)
		n -= size
	}
	if r.IntN(2) == 0 {
		return "[" + strings.Join(parts, ",") + "]"
	}
	return `{"k":` + strings.Join(parts, `,"k":`) + "}"
}

// Whatever is folded in whatever order, the rows are those of the simple way. The sizes go over the
// borders of words and blocks.
func FuzzFold(f *testing.F) {
	f.Add(uint64(1), 10, []byte{0, 1, 2, 3})
	f.Add(uint64(2), 1_100, []byte{9, 0, 1, 250, 8, 7, 33, 100, 2})
	f.Add(uint64(3), 2_100, []byte{5, 4, 3, 2, 1, 0, 44, 45, 46})
	f.Add(uint64(4), 64, []byte{255, 128, 3, 17, 99, 98, 97})
	f.Fuzz(func(t *testing.T, seed uint64, size int, steps []byte) {
		size = 1 + max(size, -size)%2_500
		if size < 0 {
			size = 1
		}
		tree := parse(t, grow(rand.New(rand.NewPCG(seed, 7)), size))
		r := rand.New(rand.NewPCG(seed, 8))
		for i, step := range steps[:min(len(steps), 20)] {
			n := Node(r.IntN(tree.Len()))
			switch step % 8 {
			case 0, 1, 2:
				tree.Fold(n, true)
			case 3, 4:
				tree.Fold(n, false)
			case 5:
				tree.FoldInside(n, step%16 < 8)
			case 6:
				tree.FoldBelow(int(step / 8))
			case 7:
				tree.Reveal(n)
				if !tree.Visible(n) {
					t.Fatalf("%d is not revealed", n)
				}
			}
			if i%4 == 3 || i == len(steps)-1 {
				checkRows(t, tree)
			}
		}
	})
}

func BenchmarkRows(b *testing.B) {
	tree, err := Parse([]byte(`[` + strings.TrimSuffix(strings.Repeat(`{"id":12,"tags":["x","y"]},`, 150_000), ",") + `]`))
	if err != nil {
		b.Fatal(err)
	}
	middle := Node(tree.Len() / 2)
	b.Run("screen", func(b *testing.B) {
		for b.Loop() {
			tree.RowOf(middle)
			rows := 0
			for range tree.From(middle) {
				if rows++; rows == 60 {
					break
				}
			}
		}
	})
	b.Run("prev", func(b *testing.B) {
		for b.Loop() {
			tree.Prev(middle)
		}
	})
	b.Run("fold root", func(b *testing.B) {
		for b.Loop() {
			tree.Fold(0, true)
			tree.Fold(0, false)
		}
	})
}
