// Package jsontree shows large and hostile JSON without decoding it: a flat index over the raw bytes
// with what a viewer needs, that is folding, rows, paths, search and previews.
//
// [Parse] reads raw bytes once and makes a [Tree] of [Node]s in the order of the text. It is bounded
// in bytes, nodes and depth and does not recurse; of text that is cut, damaged or too large it keeps
// the tree of what came before, together with the reason. Values stay what they are in the text:
// numbers keep their spelling, objects their order and their duplicate keys.
//
// A Tree knows which nodes are folded and which are therefore visible. Each visible node is one row;
// [Tree.Rows], [Tree.Next], [Tree.Prev], [Tree.NodeAt] and [Tree.RowOf] let a viewer draw a screen at
// a cost that depends on its height and not on the size of the tree. Folding costs at most a pass
// over what it hides or shows.
//
// A Tree is not safe for concurrent use. It keeps the raw bytes, which must not change. Nothing here
// makes text fit for a terminal.
//
// [Pretty] is the only user of tidwall/pretty, which repairs damaged JSON silently and may take quadratic
// time: it hands it nothing that is not valid, small and flat.
package jsontree
