// Package schemaguard validates JSON against JSON Schemas that strangers sent.
//
// Nothing is ever fetched or opened, no schema makes a check hang, and what cannot be checked is said
// to be so instead of being called wrong. [Compile] takes a schema to a [Schema], or says why not:
// [Invalid] when the schema breaks its own dialect, [NotChecked] when it is beyond what this package
// takes on. [Schema.Check] gives the [Problem]s of an instance, in words for people and in stable order.
//
// The work is bounded by counting and never by a clock, so the same input always gets the same answer.
// What can be seen beforehand is bounded beforehand: the schema's size, depth and number of subschemas,
// the size of its patterns, the range of its numbers, the number of subschemas that apply to one value.
// Then validation counts its steps and stops at [MaxWork]: a schema of 2 kB can ask for billions. A
// schema in which a value leads back to itself is refused.
//
// Dialects from draft-04 to 2020-12 are known in full, dynamic references among them; references lead
// anywhere inside of the document, and to the dialects themselves. Formats are asserted where the schema
// itself names a dialect that asserts them (up to draft-07), never where the dialect is an assumption.
// Patterns are ECMA 262 and run on RE2 after translation; one that RE2 cannot express makes the schema
// NotChecked. Numbers are exact decimals.
//
// A schema is compiled in two passes. resource.go finds what references can name and has it checked by
// grammar.go, a table of the keywords of each dialect, which is itself made of compiled subschemas.
// compile.go makes a node of each subschema that can be reached; check.go, rules.go and marks.go apply
// nodes to values; problems.go and words.go say what was wrong. github.com/santhosh-tekuri/jsonschema is
// what tests compare all this with.
package schemaguard
