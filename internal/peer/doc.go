// Package peer speaks MCP: it is a client to a server, or the server of a recording to a client.
//
//	server.go     a server that was started for this, behind the real proxy, and how it ended
//	conn.go       requests and their answers over its streams
//	handshake.go  which era and revision: the client's side of 2026-07-28/basic/lifecycle and 2025-11-25/basic/lifecycle
//	probe.go      a visit: handshake, lists, ping, one call if asked
//	lists.go      lists in pages
//	script.go     a recording as scenes: what the server said, by what it said it to
//	match.go      which scene is due for a request, and what a client is told when there is none
//	mock.go       plays the scenes to a client
//	fault.go      faults on purpose
//	resend.go     finds a recorded request, and makes it again
//	permit.go     whether a recorded command may be started
//	repro.go      a request as a shell script
//	edit.go       sets one value inside raw JSON
//	difference.go where two JSON values differ
//
// Whatever a server does, a visit ends: each request has a time limit, what a server may send has a
// bound, and its process tree is ended by package proxy. What the other side sends is hostile: nothing
// here makes it fit for a terminal.
package peer
