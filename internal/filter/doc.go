// Package filter is the display-filter language of shakescope, for the command line and the terminal
// UI alike. docs/filter.md explains the language to users.
//
//	expr  := and ("||" and)*          or
//	and   := not (["&&"] not)*        and; tests side by side are joined by and
//	not   := "!" not | "(" expr ")" | "pair(" expr ")" | test
//	test  := field | field op value | field "in" "{" value, … "}" | name:value | -name:value | word | "text" | /pattern/
//
// [Parse] makes an [Expr], which is a tree of closures over a [Row]. A Row hands out the members of an
// entry one by one, so that the same expression runs over annotate.Entry (by a [Stream]) and over rows
// that keep no entries. [Expr.Needs] says whether an expression can be decided without the payload of
// messages; where it cannot, the payload is asked for last, and only of rows that the rest lets pass.
//
// Tests are total: what a row does not have makes a test false and never an error. Of several values
// == wants any and != none. Patterns are RE2. So a filter costs time linear in what it looks at.
//
// An expression may ask about entries other than the one at hand: pair(…) about the other half, and
// params.… on an answer about its request. A Row answers by [Row.Half]; a Stream remembers one bit for
// each such question and entry.
//
// [SyntaxError] points at what is wrong and says what was probably meant; [Complete] says how to go on.
package filter
