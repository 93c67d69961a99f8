// Package jsonrpc frames and decodes JSON-RPC 2.0 as it really travels.
//
// Everything here is total: no input makes it fail. A [Framer] cuts a byte stream into [Frame]s
// without losing a byte; [Decode] says what one frame holds ([Message]), and what is odd about it
// ([Defect]) as facts, not as errors. Raw slices point into the caller's bytes, so numbers, key
// order and spelling survive.
//
// Decoding is cheap enough to be done again whenever a frame is looked at: under a microsecond and at
// most two allocations for a usual message, time and memory in proportion to its length for any other. A
// frame is JSON if it is one value in UTF-8, nested at most 10,000 deep; duplicate keys and lone
// surrogates are defects. Of what is no JSON the part before the fault is filled in.
//
// [Lookup], [Members] and [Unquote] read raw payloads without decoding them; [AppendRequest] and its
// kin write messages.
//
// Ids keep their text and type ([ID]). Two ids are equal as JSON-RPC 2.0 section 4 has it: strings
// by value, numbers by exact decimal value (1 and 1.0 are equal, 1 and "1" are not).
package jsonrpc
