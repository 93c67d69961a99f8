// Package mcpspec holds the facts of the Model Context Protocol as data: revisions, methods, capability
// paths, error codes. It knows nothing of sessions; annotate applies it.
package mcpspec
