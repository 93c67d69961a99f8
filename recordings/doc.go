// Package recordings keeps what travelled between an MCP client and a server, and gives it back.
//
// The native format is JSON Lines (docs/recording-format.md): a header, then frames, events and gaps in
// causal order, then an end record. A [Recorder] writes it from chunks of bytes, an [Open]ed [Reader]
// gives back [Record]s from it or from any log that can be imported, [Tail] follows one that grows,
// and a [Folder] lists them. Malformed traffic is data; a damaged file is read as far as it goes and
// what was wrong is reported as [Damage].
package recordings
