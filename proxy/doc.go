// Package proxy starts a server and stands between it and its client without being noticed.
//
// # Forwarding
//
// [Run] forwards chunks of up to 256 KiB, never lines, as soon as they arrive: the client's input to the
// server, the server's output and error output to the client. A copy of each chunk goes to a [Tap]
// before it is forwarded, so what the other side answers can only be tapped later. The three streams
// do not wait for each other. A client that does not read its server's output holds the server up, as
// it would without us; error output is always drained, and what a client that does not read it for
// half a second cannot be given (beyond 1 MiB) is dropped, counted and told.
//
// The end of each stream is passed on when it comes. When the client closes its end of the server's
// output, the server's next write fails; a server that stops reading makes its client's bytes vanish.
// Both are events of the name write_failed, whose bytes add up to what was not delivered.
//
// # The end
//
// The server leads a process group of its own (on Windows it lives in a job object), and nothing of
// its tree outlives Run. On Linux that includes descendants in sessions of their own, if
// [Config.WholeProcess] is set. These steps are taken, each an event:
//
//	the client closes its input   the server's input is closed at once. While requests are open
//	                              ([Config.Open]), [Config.Grace] of silence (nothing moves on any
//	                              stream) is waited for; with nothing open 5 s. Then SIGTERM
//	the server has exited,        the same: whatever holds its pipes gets SIGTERM after that silence.
//	its pipes are held            Last words that the client, still there, has not read wait for it
//	the parent has gone           the same after 1 s of silence
//	SIGTERM                       SIGKILL 2 s later
//	SIGTERM, SIGINT, SIGHUP or    the same signal to the group at once, so that the server's own
//	SIGQUIT sent to us            handler runs; SIGKILL 1.5 s later
//	SIGKILL                       300 ms for what is left in the pipes
//	the server has exited,        "group_left", SIGTERM, and SIGKILL 2 s later
//	descendants hold no pipe
//
// Signals that were ignored when the process started stay ignored (nohup), and then the parent's end
// is no reason to end either. SIGUSR1 and SIGUSR2 are passed on. On Windows the signals are console
// events, forwarded as Ctrl-Break, and SIGKILL is the end of the job.
//
// # Events
//
// In a Tap's [Event]: spawn (Reason: the file started), spawn_error, client_closed_stdin,
// server_closed_stdout, server_closed_stderr, client_closed_stdout, write_failed (Bytes; Reason begins
// with the stream), signal (Reason: received, forwarded, ladder or cancelled), parent_gone, exit (Code
// or Signal), group_left (Reason: the processes).
//
// The package knows nothing of JSON-RPC, recordings or MCP.
package proxy
