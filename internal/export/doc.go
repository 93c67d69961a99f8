// Package export writes recordings in the forms that other programs and people take: one renderer a
// format. All of them are streamed, come out the same on every run, and mask secrets first (package redact).
// docs/exports.md says what each is for.
//
// [New] makes the [Renderer] of one of the [Formats]. [Collect] feeds it from a recording that has ended, masked,
// each entry once and final; [Mask] masks what is exported while it is recorded ([CanFollow]). What is no renderer of
// entries stands beside them: the review of tools (tools.go), calls as a model saw them (modellog.go), the verdict
// of a check (verdict.go), and the way of OTLP to a collector (send.go).
package export
