// Package mcpspec holds facts of the Model Context Protocol as data: revisions and eras, methods with
// who may send them and what they lean on, capability paths, _meta keys and error codes.
//
// The facts hold for a revision. "draft" has no revision of its own: it says 2026-07-28 on the wire,
// so nothing here tells the two apart. [Effective] maps a version string nobody knows to the known
// revision whose rules are applied.
//
// Nothing here looks at a message; what a stream means is annotate's business.
package mcpspec
