// Package proxy starts a server and stands between it and its client without being noticed.
//
// [Run] forwards chunks, never lines, as soon as they arrive: the client's input to the server, the
// server's output and error output to the client. A copy of each chunk goes to a [Tap] before it is
// forwarded. Ends of streams, signals and the exit code pass through; the server's process tree is
// owned (a process group on Unix, a job object on Windows), and nothing of it outlives Run.
//
// The package knows nothing of JSON-RPC, recordings or MCP.
package proxy
