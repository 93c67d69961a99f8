// Package annotate says what an MCP stream means.
//
// A [Session] is a pure fold over records: state × record → state × entries and patches. It reads no
// clock, does no I/O, starts no goroutine and never lets map order show, so that live, offline, one
// by one or in batches the same records give the same result. [Session.Add] returns the new entries
// and patches to earlier ones; [Session.Finish] returns what only the end can tell.
//
// [Collect] does two passes for consumers that print each entry once and final.
package annotate
