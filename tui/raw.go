package tui

import (
	"strings"

	"github.com/shakescope/shakescope/internal/jsontree"
)

// rawTree is the index over the JSON text of one message, made in the background.
type rawTree struct {
	tree *jsontree.Tree
	err  error // why the index is not of all of it
}

// foldAbove is the number of values from which a tree opens with its depths folded.
const foldAbove = 200

func parseRaw(data []byte) rawTree {
	t, err := jsontree.Parse(data)
	if t.Root() == jsontree.None || t.Kind(t.Root()) < jsontree.Array {
		return rawTree{}
	}
	return rawTree{t, err}
}

func (r rawTree) ok() bool { return r.tree != nil }

// rawView is the tree on screen; what is folded is kept in the tree.
type rawView struct {
	tree rawTree
	mode rawMode
	text rawText
}

// outline folds a large tree as far as needed to see its shape.
func (r rawTree) outline() {
	if !r.ok() {
		return
	}
	t := r.tree
	if t.Len() <= foldAbove {
		t.UnfoldAll()
		return
	}
	t.FoldBelow(1)
	for depth := 2; depth < 8; depth++ {
		rows := t.Rows()
		if t.FoldBelow(depth); t.Rows() > foldAbove || t.Rows() == rows {
			t.FoldBelow(depth - 1)
			return
		}
	}
}

// count is the number of lines: one a visible value, one more for what went wrong.
func (v *rawView) count() int {
	n := v.tree.tree.Rows()
	if v.tree.err != nil {
		n++
	}
	return n
}

// act does the actions of the tree with the cursor at line *cur.
func (v *rawView) act(a action, cur *int) bool {
	t := v.tree.tree
	n := t.NodeAt(*cur)
	if n == jsontree.None {
		return false
	}
	switch a {
	case actFold:
		if t.Foldable(n) && !t.Folded(n) {
			t.Fold(n, true)
		} else if p := t.Parent(n); p != jsontree.None {
			*cur = t.RowOf(p)
		} else {
			return false
		}
	case actUnfold:
		if t.Folded(n) {
			t.Fold(n, false)
		} else if c := t.FirstChild(n); c != jsontree.None {
			*cur = t.RowOf(c)
		}
	case actOpen:
		v.toggle(*cur)
	case actFoldAll:
		t.FoldBelow(1)
		*cur = t.RowOf(t.Shown(n))
	case actUnfoldAll:
		t.UnfoldAll()
		*cur = t.RowOf(n)
	default:
		return false
	}
	return true
}

// reveal unfolds the value of a JSON pointer and returns its line.
func (v *rawView) reveal(pointer string) int {
	t := v.tree.tree
	n, _ := t.Find(pointer)
	if n == jsontree.None {
		return 0
	}
	t.Reveal(n)
	return t.RowOf(n)
}

func (v *rawView) toggle(row int) {
	t := v.tree.tree
	if n := t.NodeAt(row); n != jsontree.None && t.Foldable(n) {
		t.Fold(n, !t.Folded(n))
	}
}

// draw writes a line of the tree.
func (v *rawView) draw(p *pen, row int) {
	t := v.tree.tree
	gl := p.gl
	n := t.NodeAt(row)
	if n == jsontree.None {
		if v.tree.err != nil {
			p.text(roleError, gl.failure+" "+v.tree.err.Error())
		}
		return
	}
	// Very deep values would leave the screen.
	p.space(min(2*t.Depth(n), p.left/2))
	switch {
	case !t.Foldable(n):
		p.space(2)
	case t.Folded(n):
		p.text(rolePunct, gl.folded+" ")
	default:
		p.text(rolePunct, gl.unfolded+" ")
	}
	if key, ok := t.Key(n); ok {
		p.text(roleJSONKey, clip(key, 400))
		p.text(rolePunct, ": ")
	} else if i, ok := t.Index(n); ok {
		p.text(roleMuted, "["+itoa(i)+"] ")
	}
	v.value(p, n)
}

func (v *rawView) value(p *pen, n jsontree.Node) {
	t := v.tree.tree
	switch kind := t.Kind(n); kind {
	case jsontree.Array, jsontree.Object:
		shape := [2]string{"{", "}"}
		if kind == jsontree.Array {
			shape = [2]string{"[", "]"}
		}
		if t.Children(n) == 0 {
			p.text(rolePunct, shape[0]+shape[1])
			return
		}
		p.text(roleMuted, shape[0]+itoa(t.Children(n))+shape[1])
		if t.Folded(n) {
			p.space(1)
			p.text(roleMuted, t.Preview(n).Text)
		}
	case jsontree.String:
		pre := t.Preview(n)
		if pre.Base64 {
			text := "base64"
			if pre.Media != "" {
				text += ", " + pre.Media
			}
			p.text(roleMuted, text+", "+bytesText(int64(pre.Decoded))+" decoded")
			return
		}
		p.text(roleString, `"`+pre.Text+`"`)
		if pre.Cut {
			p.text(roleMuted, " "+bytesText(int64(pre.Bytes)))
		}
	case jsontree.Number:
		p.text(roleNumber, t.Preview(n).Text)
	default:
		p.text(roleLiteral, t.Preview(n).Text)
	}
	if t.Partial(n) {
		p.text(roleWarn, " "+p.gl.cut)
	}
}

// rawFacts shows the exact text where it is no tree.
func (s *session) rawFacts(i, width int) []dline {
	p := s.detail.payloadOf(i)
	switch {
	case !s.rows.at(i).hasPayload():
		return s.eventLines(i, width)
	case p == nil:
		return []dline{{segs: []seg{{roleMuted, "reading" + s.m.gl.ellipsis}}, jump: none}}
	case p.err != nil:
		return []dline{{segs: []seg{{roleError, p.err.Error()}}, jump: none}}
	}
	if d := p.entry.Defects; len(d) > 0 {
		var names []string
		for _, x := range d {
			names = append(names, strings.ReplaceAll(string(x.Kind), "_", " ")+" "+x.Detail)
		}
		return append([]dline{{segs: []seg{{roleWarn, strings.Join(names, ", ")}}, jump: none}}, s.textLines(p, max(width-2, 10))...)
	}
	return s.textLines(p, max(width-2, 10))
}
