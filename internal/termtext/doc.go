// Package termtext makes text from the wire fit to be shown in a terminal: it is the one place that
// decides which characters may pass, and how many cells text takes.
//
// [Clean] is the gate. What comes out of it is one line that cannot move the cursor, change colours
// or the title, hide, reorder or overprint anything; what was taken out is shown in a form that
// people can read:
//
//	ESC, NUL and other C0 controls, DEL   ␛ ␀ … ␡
//	line ends                             ↵ (CR LF is one)
//	tab                                   four spaces
//	C1 controls, bidi controls, zero-width and other invisible characters, tags, noncharacters
//	                                      <U+202E>
//	bytes that are not UTF-8              <FF>
//	a combining mark with nothing to combine with   ◌ before it
//	more than 16 marks or joiners on one character  <+N>
//
// Joiners and variation selectors pass where scripts and emoji need them, so that 👩‍🚀 and क्‍ष stay
// what they are. [Unsafe] says whether text held anything of this list other than tabs and line ends.
//
// Widths count grapheme clusters as the drawing library does. [Truncate], [Wrap] and the padding
// functions cut only between clusters. All of them want clean text; [Line] cleans and cuts in one
// step and costs no more than what is shown, however long the text is.
package termtext
