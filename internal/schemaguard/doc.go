// Package schemaguard validates JSON against JSON Schemas that strangers sent.
//
// Nothing is ever fetched or opened, no schema makes a check hang, and what cannot be checked is said
// to be so instead of being called wrong. [Compile] takes a schema to a [Schema], or says why not:
// [Invalid] when the schema breaks its own dialect, [NotChecked] when it is beyond what this package
// takes on. [Schema.Check] gives the [Problem]s of an instance, in words for people and in stable order.
//
// The work is bounded before it is done, by counting and never by a clock, so the same input always
// gets the same answer: the schema's size, depth and number of subschemas, the size of its patterns,
// the range of its numbers; then the number of steps that this instance can cost at most
// ([MaxWork]). For a schema without recursion that is its expanded weight times the nodes of the
// instance; where that is too much or infinite, the exact number of visits is counted (validation
// has no memory, so a 2 kB schema can cost billions), with a count that itself stops at the limit.
//
// Dialects from draft-04 to 2020-12 are known. Formats are asserted where the schema itself names a
// dialect that asserts them (up to draft-07), never where the dialect is an assumption. Patterns are
// ECMA 262 and run on RE2 after translation; one that RE2 cannot express makes the schema NotChecked.
//
// Validation itself is done by github.com/santhosh-tekuri/jsonschema/v6.
package schemaguard
