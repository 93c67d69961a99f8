// Package export writes recordings in the forms that other programs and people take: one renderer a
// format. All of them are streamed, come out the same on every run, and mask secrets first (package redact).
// docs/exports.md says what each is for.
package export
