// Package compare says how two recordings differ, and what a difference means for those who rely on what was.
//
// [Options.Recordings] folds both sides once (half.go) and keeps, of traffic, digests and places, no payloads; of what was
// declared and listed the definitions. Then it compares, section by section:
//
//	handshake.go   revisions, eras, who both sides are, instructions, capabilities
//	catalogue.go   tools, prompts, resources, templates: what came, went, changed or was renamed
//	schema*.go     JSON Schemas by their structure, graded by the direction in which values travel
//	evidence.go    recorded calls and results, tried on the schemas that changed
//	traffic.go     requests aligned by who asked, method, target and params (align.go), and how they were answered
//	latency.go     times, where they differ by more than chance
//
// What differs in traffic is read a second time (look.go) and compared place by place (differ.go). Memory is some
// hundred bytes a request, the definitions of both catalogues and a bounded number of payloads.
//
// # What is not compared
//
// Identifiers, times, ports, temporary folders and durations change with every run. They are known by their shape or by
// the names that the protocol gives them (volatile.go) and are put aside, unless [Options] say Exact.
// What the handshake and the catalogue show is not shown again as traffic.
//
// # Grades
//
// A change of what is offered is Breaking when those who rely on what was may fail, Compatible when they cannot, and
// Cosmetic when no message is judged differently; a description is cosmetic in that sense, but the model reads it, and
// the reason says so. What the structure of schemas does not tell is Breaking until recorded values were
// tried and none was refused. Traffic is not graded, unless a request fails that succeeded, or the reverse.
//
// [Schemas] alone compares two schemas.
package compare
